/* coo_ops.h: the order and the shape of COO arrays of any rank, and their sums and products element
 * by element. What structure.h says for all operations holds here too. */
#ifndef SPARCL_COO_OPS_H
#define SPARCL_COO_OPS_H

#include "sparcl/sparse_products.h"
#include "sparcl/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * *to := a view of the same arrays whose dimension d is dimension axes[d] of `from`: a transpose
 * that moves nothing. It is not marked SORTED, unless axes are 0, 1, 2, ...
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_permute_view(sparcl_ctx *ctx, sparcl_coo *to,
                                                                   const sparcl_coo *from,
                                                                   const int *axes);
/**
 * to := that transpose, sorted (stable).
 *
 * Shapes    dimension d of `to` is dimension axes[d] of `from`; to->nnz and to->count as in
 *           sparcl_coo_sort.
 * Types     one index type.
 * Scratch   48 bytes per entry for each 64 bits of its indices.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_permute(sparcl_ctx *ctx, sparcl_coo *to,
                                                              const sparcl_coo *from,
                                                              const int *axes,
                                                              const sparcl_moved *moved);
/**
 * to := the array with another shape of the same number of elements, in row-major order.
 *
 * Shapes    to->nnz >= from->nnz; a count as in sparcl_coo_sort. The number of elements is at most
 *           2^63 - 1, else E_UNSUPPORTED.
 * Values    to->values may be those of `from`, at the same position: then they are not copied.
 * Scratch   8 bytes per entry. Result: marked as `from` is.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_reshape(sparcl_ctx *ctx, sparcl_coo *to,
                                                              const sparcl_coo *from);
/**
 * *to := the array with a dimension of size 1 before dimension `axis` (0 to the rank). Only
 * to->indices[axis] is an array of its own, that of the caller, which is filled with 0; the other
 * fields of `to` are overwritten and name the arrays of `from`.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_expand_dims(sparcl_ctx *ctx, sparcl_coo *to,
                                                                  const sparcl_coo *from, int axis);
/** *to := a view of the same arrays without dimension `axis`, whose size is 1, or with axis -1
 * without all such dimensions; one dimension is always left. Moves nothing. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_squeeze(sparcl_ctx *ctx, sparcl_coo *to,
                                                              const sparcl_coo *from, int axis);
/**
 * to := the part of `from` from index start[d] on, to->shape[d] elements in each dimension d, with
 * step 1. Splitting an array is a slice for each part.
 *
 * Shapes    of one rank, start[d] + to->shape[d] <= from->shape[d]; to->count is set.
 * Scratch   9 bytes per entry.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_slice(sparcl_ctx *ctx, sparcl_coo *to,
                                                            const sparcl_coo *from,
                                                            const int64_t *start,
                                                            const sparcl_moved *moved);
/**
 * to := from[0], then from[1], ... along one axis.
 *
 * Shapes    of one rank; all dimensions but `axis` are equal, and that of `to` is the sum of
 *           theirs; to->count is set.
 * Order     the entries of from[0], then those of from[1], ...: sorted along axis 0, else not.
 * Launches  one per array and two dimensions.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_concat(sparcl_ctx *ctx, sparcl_coo *to,
                                                             const sparcl_coo *from, int count,
                                                             int axis, const sparcl_moved *moved);
/**
 * Give a view another shape of the same rank; its arrays stay. A dimension may be smaller than
 * before, as long as every index is inside.
 *
 * Shape     NULL: the smallest shape that has all entries (1 where there are none).
 * Host      waits for the device where `shape` is NULL or a dimension becomes smaller.
 * Result    marked as before.
 * Errors    E_DATA: an index is outside of the new shape; the view is unchanged.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_reset_shape(sparcl_ctx *ctx, sparcl_coo *view,
                                                                  const int64_t *shape);

/**
 * to := `from`, with an entry of the value `value` in each row (index of dimension 0) that has
 * none; its other indices are 0. Sorted (stable).
 *
 * Shapes    of one shape, whose dimensions but the first are not 0; to->nnz >= from->nnz + rows;
 *           to->count is set.
 * Types     `value` is converted to the element type as by a C cast.
 * Scratch   48 bytes per entry for each 64 bits of its indices, 24 per row.
 * Result    marked SORTED, and UNIQUE where `from` is.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_fill_empty_rows(sparcl_ctx *ctx,
                                                                      sparcl_coo *to,
                                                                      const sparcl_coo *from,
                                                                      double value,
                                                                      const sparcl_filled *more);

/* --- sums and products ------------------------------------------------------------------------ */

/**
 * C := alpha * A + beta * B: an entry wherever A or B has one. With alpha = 1 and beta = -1 it is
 * the difference. Values that are 0 stay entries.
 *
 * Shapes    of one shape, of at most 2^63 - 1 elements (E_UNSUPPORTED). C->nnz is the capacity;
 *           nnz of A plus nnz of B is always enough. C->count is set.
 * Needed    where not NULL, needed[needed_at] (int64) becomes the number of entries of the sum.
 * Sources   NULL, or where the entries come from, for sparcl_coo_add_gradient.
 * Types     one dtype (F32, F64, F16 or BF16) and one index type.
 * Order     a value is (alpha * a) + (beta * b), or one of the two products.
 * Result    marked SORTED and UNIQUE.
 * Scratch   8 bytes per entry of A, of B and of C, and 4 per entry of A (8 from 2^31 on).
 * Errors    E_UNCHECKED also where A or B is not SORTED and UNIQUE.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_add(sparcl_ctx *ctx, sparcl_coo *c,
                                                          double alpha, const sparcl_coo *a,
                                                          double beta, const sparcl_coo *b,
                                                          sparcl_buf *needed, int64_t needed_at,
                                                          const sparcl_csr_sources *sources);
/** C := the product of A and B element by element: an entry wherever both have one. Otherwise as
 * sparcl_coo_add; the smaller nnz of A and B is always enough for C. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_multiply(sparcl_ctx *ctx, sparcl_coo *c, const sparcl_coo *a, const sparcl_coo *b,
                    sparcl_buf *needed, int64_t needed_at, const sparcl_csr_sources *sources);
/** The gradients of sparcl_coo_add by the values of A and of B: as sparcl_csr_add_gradient. Of C,
 * only the number of entries is read. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_add_gradient(
    sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb, double alpha, double beta,
    const sparcl_dense *g, const sparcl_coo *c, const sparcl_csr_sources *sources);
/** The same for sparcl_coo_multiply: the value of B times G for A, that of A times G for B. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_multiply_gradient(sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *gb,
                             const sparcl_dense *g, const sparcl_coo *c, const sparcl_coo *a,
                             const sparcl_coo *b, const sparcl_csr_sources *sources);

/* --- reductions ------------------------------------------------------------------------------- */

/**
 * *to := a view of the same arrays with `count` dimensions: dimension d is dimension axes[d] of
 * `from`. It moves nothing. Several entries may have one index, so it is not marked UNIQUE; SORTED
 * it is where `from` is, and axes are 0, 1, 2, ...
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_project(sparcl_ctx *ctx, sparcl_coo *to,
                                                              const sparcl_coo *from, int count,
                                                              const int *axes);
/**
 * to := the sum, mean, maximum or minimum of the stored entries over `count` axes, or with axes
 * NULL over all; 0 where there is no entry. Elements that are not stored do not count, and
 * duplicates count one by one. It obeys sparcl_ctx_set_densify.
 *
 * Shapes    `to` has the other dimensions in their order, or is [1] where there are none.
 * Types     one dtype: F32, F64, F16 or BF16, which are computed as F32 and rounded once.
 * Order     as sparcl_coo_coalesce_with: rule R; the first of equal entries.
 * Gradient  sparcl_coo_mask of that of `to` at sparcl_coo_project of `from`, for a sum; else at
 *           its sparcl_coo_coalesce_with, and then sparcl_coo_coalesce_gradient.
 * Scratch   as sparcl_coo_to_dense; not for a sum as sparcl_coo_coalesce_with and its result; and
 *           an index for each entry where all axes are reduced.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_reduce(sparcl_ctx *ctx,
                                                             const sparcl_dense *to,
                                                             sparcl_duplicates how,
                                                             const sparcl_coo *from, int count,
                                                             const int *axes);

/* --- gradients of other operations ------------------------------------------------------------ */

/**
 * The gradient of the values that sparcl_coo_coalesce_with has combined, for the gradient G of the
 * values of its result: of a sum G of the entry that a value is in; of a mean that divided by the
 * number of values; of the others G for the value that was chosen, and 0 for the rest.
 *
 * Shapes    G a packed vector [capacity of the result], `to` one [nnz of `from`], whose elements
 *           past the count of `from` become 0. The values of `from` are not read.
 * more      what the coalesce has written: the inverse; the counts for MEAN; the source for MAX,
 *           MIN, FIRST and LAST. With SUM and the inverse of sparcl_coo_fill_empty_rows it is the
 *           gradient of that operation.
 * Types     `to` and G: F32, F64, F16 or BF16. A quotient is rounded once.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_coalesce_gradient(
    sparcl_ctx *ctx, const sparcl_dense *to, sparcl_duplicates how, const sparcl_dense *g,
    const sparcl_coo *from, const sparcl_coalesced *more);
/**
 * values := the elements of a dense array X where a COO array has entries: sparcl_sparse_mask for
 * any rank. It is also the gradient of sparcl_coo_to_dense.
 *
 * Shapes    values: a vector [nnz of A], packed, whose elements past the count of A become 0; X,
 *           packed, of the shape of A.
 * Types     of `values` and X; that of A does not matter, and its values are not read.
 * Scratch   none for rank 2, else 8 bytes per entry.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_mask(sparcl_ctx *ctx,
                                                           const sparcl_dense *values,
                                                           const sparcl_dense *x,
                                                           const sparcl_coo *a);

#ifdef __cplusplus
}
#endif

#endif
