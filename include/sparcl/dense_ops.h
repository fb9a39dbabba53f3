/* dense_ops.h: element-wise operations on dense arrays, and copies between their formats. */
#ifndef SPARCL_DENSE_OPS_H
#define SPARCL_DENSE_OPS_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Activations: the functions between the layers of a model. */
typedef enum sparcl_activation {
    SPARCL_ACTIVATION_RELU = 0,    /**< 0 where x <= 0, else x; NaN stays NaN */
    SPARCL_ACTIVATION_SIGMOID = 1, /**< 1 / (1 + exp(-x)), which overflows for no x */
    SPARCL_ACTIVATION_TANH = 2     /**< the hyperbolic tangent; accurate near 0, too */
} sparcl_activation;

/**
 * y := f(x) for each element.
 *
 * Shapes    x and y of one shape, of any rank.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     each element by itself, by the formulas of docs/numerics.md.
 * Aliasing  y may be the array of x itself (not a part of it); nothing else may overlap.
 * Result    the same bits everywhere: exp is the library's own. RELU is exact; the error of SIGMOID
 *           is at most 3 ulp, of TANH at most 2 ulp.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_activate(sparcl_ctx *ctx, sparcl_activation kind,
                                                           const sparcl_dense *y,
                                                           const sparcl_dense *x);

/**
 * gx := f'(x) * gy for each element, computed from y = f(x).
 *
 * RELU: gy where y > 0; 0 where y <= 0, whatever gy is; NaN where y is NaN. SIGMOID: y (1 - y) gy.
 * TANH: (1 - y) (1 + y) gy, which is (1 - y^2) gy.
 *
 * Shapes    gx, y and gy of one shape, of any rank.
 * Types     as sparcl_activate.
 * Order     products from left to right, each difference, sum and product rounded once.
 * Aliasing  gx may be the array of gy itself (not a part of it); nothing else may overlap, but y
 *           and gy may.
 * Result    the same bits everywhere. For the y that is given, RELU is exact; the error of the
 *           others is at most 4 roundings.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_activate_gradient(sparcl_ctx *ctx,
                                                                    sparcl_activation kind,
                                                                    const sparcl_dense *gx,
                                                                    const sparcl_dense *y,
                                                                    const sparcl_dense *gy);

/**
 * z := x + y. Its gradient by x, and by y, is the gradient of z itself.
 *
 * Shapes    x, y and z have one shape.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     one addition for each element.
 * Aliasing  z may be the array of x or of y itself (not a part of it); nothing else may overlap.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_add(sparcl_ctx *ctx, const sparcl_dense *z,
                                                      const sparcl_dense *x, const sparcl_dense *y);

/**
 * y := x + bias, the same bias for each row. Its gradient by the bias is sparcl_sum_rows.
 *
 * Shapes    x and y [m, n], bias [n]; vectors x [m] and y [m] are n = 1, with bias [1].
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     one addition for each element.
 * Aliasing  y may be the array of x itself (not a part of it); nothing else may overlap.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_add_bias(sparcl_ctx *ctx, const sparcl_dense *y,
                                                           const sparcl_dense *x,
                                                           const sparcl_dense *bias);

/**
 * to := from, converted to the element type, the leading dimension and the order of `to`.
 *
 * Shapes    both of one shape; column-major ones have rank 2.
 * Types     any, also different ones. To F16 and BF16: to F32 first, as PyTorch does.
 *           Floating-point numbers to INT32 and INT64: toward 0; the nearest integer where that is
 *           too large, and 0 for NaN. INT64 to INT32: the lower 32 bits. To BOOL: 0 for 0, else 1.
 * Order     each element by itself.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; rounded to nearest, ties to even.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_copy(sparcl_ctx *ctx, const sparcl_dense *to,
                                                       const sparcl_dense *from);

#ifdef __cplusplus
}
#endif

#endif
