/* activation.h: an activation of a sum. */
#ifndef SPC_OPS_ACTIVATION_H
#define SPC_OPS_ACTIVATION_H

#include "sparcl/ops/elements.h"

/* As sparcl_add_bias and then sparcl_activate, in one launch, of checked arrays of F32 or F64; bias
 * NULL: none. */
sparcl_status spc_activate_biased(sparcl_ctx *ctx, sparcl_activation kind, const sparcl_dense *y,
                                  const sparcl_dense *x, const sparcl_dense *bias);

#endif
