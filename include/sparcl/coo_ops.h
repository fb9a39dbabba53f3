/* coo_ops.h: the order and the shape of COO arrays of any rank. What structure.h says for all
 * operations holds here too. */
#ifndef SPARCL_COO_OPS_H
#define SPARCL_COO_OPS_H

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

#ifdef __cplusplus
}
#endif

#endif
