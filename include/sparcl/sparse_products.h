/* sparse_products.h: products of dense matrices at the entries of a sparse one, products of sparse
 * matrices, and sums and products of sparse arrays element by element. What ops.h says of all
 * operations holds. */
#ifndef SPARCL_SPARSE_PRODUCTS_H
#define SPARCL_SPARSE_PRODUCTS_H

#include "sparcl/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * v[k] := alpha * dot(x[i], y[j]) + beta * v[k] for each entry k of A, which is at row i and column
 * j: the product x * transpose(y) where A has entries (sampled dense-dense product). It is the
 * gradient of A * y by the values of A, for the gradient x of the product.
 *
 * Shapes    A [m, n], x [m, d], y [n, d]; x and y may both be vectors (rank 1): d = 1. v is a
 * packed vector [nnz of A]; its elements past offsets[m] become 0. Types     x, y and v share one
 * dtype: F32, F64, F16 or BF16. The values of A are not read, and may be of another type. Order the
 * terms of a dot product in ascending order (rule S with one column). Aliasing  v must not overlap
 * x, y or A; it may be the buffer of other values. With beta == 0, v is not read. Result    the
 * same bits on every run, every device and every kernel variant. Host      returns after
 * enqueueing; never waits for the device. Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_sddmm(sparcl_ctx *ctx, const sparcl_dense *v,
                                                        double alpha, const sparcl_csr *a,
                                                        const sparcl_dense *x,
                                                        const sparcl_dense *y, double beta);

#ifdef __cplusplus
}
#endif

#endif
