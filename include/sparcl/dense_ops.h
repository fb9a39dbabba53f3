/* dense_ops.h: element-wise operations on dense arrays. */
#ifndef SPARCL_DENSE_OPS_H
#define SPARCL_DENSE_OPS_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * y := x + bias, the same bias for each row. Its gradient by the bias is sparcl_sum_rows.
 *
 * Shapes    x and y [m, n], bias [n]; vectors x [m] and y [m] are n = 1, with bias [1].
 * Types     one dtype.
 * Order     one addition for each element.
 * Aliasing  y may be the array of x itself (not a part of it); nothing else may overlap.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_add_bias(sparcl_ctx *ctx, const sparcl_dense *y,
                                                           const sparcl_dense *x,
                                                           const sparcl_dense *bias);

#ifdef __cplusplus
}
#endif

#endif
