/* any_product.c: a product of two matrices, by the operation for their formats. */
#include "graph/engine/operations.h"

static sparcl_op flip(sparcl_op op) {
    return op == SPARCL_OP_N ? SPARCL_OP_T : SPARCL_OP_N;
}

static sparcl_node sparse_product(sparcl_graph *graph, sparcl_op op, sparcl_node a, sparcl_node b) {
    return op == SPARCL_OP_N ? sparcl_graph_spmm(graph, a, b) : sparcl_graph_spmm_t(graph, a, b);
}

sparcl_node sparcl_graph_matmul(sparcl_graph *graph, sparcl_op op_a, sparcl_node a, sparcl_op op_b,
                                sparcl_node b) {
    if (!graph) return SPARCL_NO_NODE;
    if (spc_is_kind(graph, a, SPC_VALUE_CSR) && spc_is_kind(graph, b, SPC_VALUE_ROWS) &&
        op_b == SPARCL_OP_N)
        return sparcl_graph_spmm_rows(
            graph, op_a == SPARCL_OP_N ? a : sparcl_graph_transpose(graph, a), b);
    if (spc_is_kind(graph, a, SPC_VALUE_CSR))
        return sparse_product(graph, op_a, a,
                              op_b == SPARCL_OP_N ? b : sparcl_graph_transpose(graph, b));
    if (!spc_is_kind(graph, b, SPC_VALUE_CSR)) return sparcl_graph_gemm(graph, op_a, a, op_b, b);
    /* the transpose of op(B)' op(A)' */
    const sparcl_node left = op_a == SPARCL_OP_N ? sparcl_graph_transpose(graph, a) : a;
    return sparcl_graph_transpose(graph, sparse_product(graph, flip(op_b), b, left));
}
