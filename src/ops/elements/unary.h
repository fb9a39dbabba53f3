/* unary.h: a function of a sum. */
#ifndef SPC_OPS_UNARY_H
#define SPC_OPS_UNARY_H

#include "sparcl/ops/elements.h"

/* As sparcl_binary, which adds a bias [n] to each row of x [m, n], or [1] to x [m], and then
 * sparcl_unary, in one launch, of checked arrays of F32 or F64. */
sparcl_status spc_unary_biased(sparcl_ctx *ctx, sparcl_unary_op op, const sparcl_dense *y,
                               const sparcl_dense *x, const sparcl_dense *bias);

#endif
