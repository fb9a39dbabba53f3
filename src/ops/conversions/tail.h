/* tail.h: what is past the entries of a CSR matrix. */
#ifndef SPC_OPS_TAIL_H
#define SPC_OPS_TAIL_H

#include "sparcl/tensor.h"

/* The values past the entries of A, up to its capacity, become 0. */
sparcl_status spc_clear_tail(sparcl_ctx *ctx, const sparcl_dense *values, const sparcl_csr *a);

#endif
