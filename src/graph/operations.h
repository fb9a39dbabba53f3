/* operations.h: the table of operations. */
#ifndef SPC_GRAPH_OPERATIONS_H
#define SPC_GRAPH_OPERATIONS_H

#include "graph/node.h"

extern const spc_operation spc_op_spmm, spc_op_spmm_t, spc_op_gemm, spc_op_add, spc_op_add_bias,
    spc_op_activate, spc_op_activate_gradient, spc_op_loss, spc_op_loss_gradient, spc_op_sum,
    spc_op_constant;

#endif
