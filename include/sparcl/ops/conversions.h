/* conversions.h: conversions between dense arrays, CSR, CSC, COO, BSR and row-sparse arrays;
 * entries by threshold, by rank and by a pattern. */
#ifndef SPARCL_OPS_CONVERSIONS_H
#define SPARCL_OPS_CONVERSIONS_H

#include "sparcl/context.h"
#include "sparcl/ops/products.h"
#include "sparcl/ops/structure.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The first part of ops.h holds here too. In addition, for all functions of this header:
 *
 * Types     every element type, if nothing else is said; `to` and `from` share one. Values are
 *           moved, so that their bits stay.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits on every run and every device.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 *
 * Duplicates  Entries (rows, blocks) of one index are added, by rule R of docs/numerics.md, where a
 *           format has only one place for them. INT32, INT64 and BOOL are not added: there `from`
 *           must be UNIQUE, else E_UNCHECKED.
 *
 * Threshold  An element x is stored where |x| > threshold, or where x is NaN. With 0 these are all
 *           but 0 and -0; with a negative threshold all elements. For INT32, INT64 and BOOL, which
 *           are not compared, the threshold is at most 0. NaN as threshold is E_ARG.
 *
 * Capacity  Where the size of `to` depends on values, to->nnz (nnr, nnzb) is its capacity. What
 *           exceeds it is dropped, at the end, so that memory is safe. `needed` of sparcl_moved,
 *           where wanted, becomes the capacity that would be enough. So the size can be found
 *           first: with a capacity of 0, only offsets and `needed` are written.
 */

/* --- to a dense array --------------------------------------------------------------------------
 * Each obeys sparcl_ctx_set_densify. */

/**
 * to := a sparse matrix or array as a dense one; elements that are not stored become +0.
 *
 * Shapes    `to` of the shape of `from`: [rows, cols].
 * Order     entries in any order; duplicates are added.
 * Scratch   none where `from` is SORTED or UNIQUE; else as sparcl_csr_to_coo and
 *           sparcl_coo_to_csr (csr, csc and bsr), sparcl_coo_sort (coo), or sparcl_rows_coalesce
 *           and its result (rows). For coo of rank 2 also 8 bytes per row, of rank 3 and more 8
 *           bytes per entry.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_dense(sparcl_ctx *ctx,
                                                               const sparcl_dense *to,
                                                               const sparcl_csr *from);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csc_to_dense(sparcl_ctx *ctx,
                                                               const sparcl_dense *to,
                                                               const sparcl_csc *from);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_to_dense(sparcl_ctx *ctx,
                                                               const sparcl_dense *to,
                                                               const sparcl_coo *from);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_bsr_to_dense(sparcl_ctx *ctx,
                                                               const sparcl_dense *to,
                                                               const sparcl_bsr *from);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_to_dense(sparcl_ctx *ctx,
                                                                const sparcl_dense *to,
                                                                const sparcl_rows *from);

/* --- from a dense array ------------------------------------------------------------------------
 */

/**
 * to := the elements of a dense array that are not 0, or that exceed a threshold.
 *
 * Shapes    `from` of the shape of `to`; its capacity is at least 0. coo and rows: to->count is set
 *           and becomes the number that is stored.
 * Threshold, Capacity  as above. rows: a row is stored where one of its elements would be, and as
 *           a whole.
 * Order     ascending; `to` is marked SORTED and UNIQUE.
 * Scratch   24 bytes for each row, or part of a row of 4096 elements (GPUs: of 32); for coo of rank
 *           3 and more also 8 bytes per entry.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_to_csr(sparcl_ctx *ctx, sparcl_csr *to,
                                                               const sparcl_dense *from,
                                                               double threshold,
                                                               const sparcl_moved *moved);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_to_coo(sparcl_ctx *ctx, sparcl_coo *to,
                                                               const sparcl_dense *from,
                                                               double threshold,
                                                               const sparcl_moved *moved);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_to_rows(sparcl_ctx *ctx, sparcl_rows *to,
                                                                const sparcl_dense *from,
                                                                double threshold,
                                                                const sparcl_moved *moved);

/** Selection by sparcl_topk_rows. */
typedef enum sparcl_topk {
    SPARCL_TOPK_VALUE = 0,    /**< the largest numbers */
    SPARCL_TOPK_MAGNITUDE = 1 /**< those of the largest absolute value */
} sparcl_topk;

/**
 * to := the k largest elements of each row, as a k-sparse autoencoder keeps them.
 *
 * Shapes    `from` [m, n], `to` m x n with to->nnz = m * min(k, n); k is at least 0.
 * Types     F32, F64, F16, BF16.
 * Order     each row has exactly min(k, n) entries, in ascending columns, zeros included. Of equal
 *           elements those in the lower columns are taken; 0 equals -0. A NaN counts as larger than
 *           all numbers. `to` is marked SORTED and UNIQUE.
 * Scratch   on CPUs 2 k + 128 elements and as many indices for each worker; on GPUs up to m n / 2
 *           of both, where few rows have more than 8192 elements, else none.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_topk_rows(sparcl_ctx *ctx, sparcl_csr *to,
                                                            const sparcl_dense *from, int64_t k,
                                                            sparcl_topk by);

/**
 * values := the elements of X where a CSR matrix has entries: values[k] = X[row, column] of its
 * entry k. 0 for entries past offsets[rows], up to a->nnz.
 *
 * Shapes    values: a vector [nnz of A], packed; X of the size of A.
 * Types     of `values` and X; that of A does not matter, and its values are not read.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_sparse_mask(sparcl_ctx *ctx,
                                                              const sparcl_dense *values,
                                                              const sparcl_dense *x,
                                                              const sparcl_csr *a);

/**
 * values := the elements of a dense array X where a COO array has entries: sparcl_sparse_mask for
 * any rank. It is also the gradient of sparcl_coo_to_dense.
 *
 * Shapes    values: a vector [nnz of A], packed, whose elements past the count of A become 0; X,
 *           packed, of the shape of A.
 * Types     of `values` and X; that of A does not matter, and its values are not read.
 * Scratch   none for rank 2, else 8 bytes per entry.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_mask(sparcl_ctx *ctx,
                                                                        const sparcl_dense *values,
                                                                        const sparcl_dense *x,
                                                                        const sparcl_coo *a);

/* --- between sparse formats ------------------------------------------------------------------- */

/**
 * to := the entries of a CSR matrix that are not 0 (nor -0; NaN stays), or that exceed a threshold,
 * in their order.
 *
 * Shapes    of one size. Types: offset and index types as `to` says.
 * Threshold, Capacity  as above.
 * Order     `to` is marked as `from` is.
 * moved     may be NULL: where values come from, and the capacity that would be enough.
 * Scratch   half a byte per entry.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_prune(sparcl_ctx *ctx, sparcl_csr *to,
                                                            const sparcl_csr *from,
                                                            double threshold,
                                                            const sparcl_moved *moved);

/**
 * Convert a matrix from COO to CSR. Where `from` is not marked SORTED, its entries are first sorted
 * by row and column (stable); duplicates stay.
 *
 * Shapes    `from` of rank 2; `to` of its size, to->nnz >= from->nnz.
 * Types     one dtype, of every element type; offset and index types as `to` says.
 * Aliasing  `to` must not overlap `from`. But where `from` is marked SORTED, `to` may have the same
 *           array of columns, of one index type, or of values, or both, which are not written then.
 * Result    the same bits everywhere; `to` is marked SORTED, and UNIQUE where `from` was.
 * Scratch   on CPUs 14 bytes per F32 entry where indices are of one type and together have at most
 *           43 bits, 24 where at most 64; else 48 bytes per entry for each 64 bits of its indices.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_to_csr(sparcl_ctx *ctx, sparcl_csr *to,
                                                             const sparcl_coo *from);

/** Convert a matrix from CSR to COO, in the order stored. As sparcl_coo_to_csr; `to` is marked as
 * `from` is. With to->count, to->nnz >= from->nnz and the count becomes the number of entries.
 * Without, to->nnz = from->nnz, and capacity that `from` does not use becomes explicit zeros in the
 * last row and column: `to` is then not marked UNIQUE. Columns and values may be the same arrays,
 * sorted or not, where `to` has a count.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_coo(sparcl_ctx *ctx, sparcl_coo *to,
                                                             const sparcl_csr *from);

/**
 * Convert a matrix from CSR to CSC (the same arrays as the CSR format of its transpose). The rows
 * of a column ascend; duplicates stay, in their order (stable).
 *
 * Shapes    `to` of the size of `from`, to->nnz >= from->nnz.
 * Types     one dtype, of every element type; offset and index types as `to` says.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED, and UNIQUE where `from` was.
 * Scratch   24 bytes per entry, 48 with 64-bit indices; on CPUs 8 where row and column together
 *           have at most 43 bits, 20 where at most 64, and 4 more for F64.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_csc(sparcl_ctx *ctx, sparcl_csc *to,
                                                             const sparcl_csr *from);

/**
 * Convert a matrix from CSC to CSR, to COO in the order of columns, and from COO to CSC: as
 * sparcl_csr_to_csc, sparcl_csr_to_coo and sparcl_coo_to_csr with rows and columns exchanged. A COO
 * matrix made of a CSC matrix is therefore not marked SORTED, and one that is converted to CSC is
 * always sorted.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csc_to_csr(sparcl_ctx *ctx, sparcl_csr *to,
                                                             const sparcl_csc *from);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csc_to_coo(sparcl_ctx *ctx, sparcl_coo *to,
                                                             const sparcl_csc *from);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_to_csc(sparcl_ctx *ctx, sparcl_csc *to,
                                                             const sparcl_coo *from);

/**
 * Convert a matrix from CSR to BSR: a block is stored where it has an entry; its other elements
 * become +0.
 *
 * Shapes    of one size, a multiple of the block's; to->nnzb is the capacity, in blocks.
 * Types     offset and index types as `to` says.
 * Duplicates, Capacity  as above.
 * Order     `to` is marked SORTED and UNIQUE.
 * Scratch   12 bytes per row of `from`, 16 with 64-bit offsets, and per row of blocks; on
 *           CPUs up to 64 MiB in place of those per row of `from`. As sparcl_csr_to_coo and
 *           sparcl_coo_to_csr too where `from` is not SORTED.
 * Errors    E_UNSUPPORTED where the device ends loops early and the rows of a block may be too long
 *           (docs/numerics.md).
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_bsr(sparcl_ctx *ctx, sparcl_bsr *to,
                                                             const sparcl_csr *from,
                                                             const sparcl_moved *moved);

/**
 * Convert a matrix from BSR to CSR, with an entry for every element of a block, also those that are
 * 0 (which sparcl_csr_prune drops).
 *
 * Shapes    of one size; to->nnz >= from->nnzb * block_rows * block_cols.
 * Types     offset and index types as `to` says.
 * Order     duplicates stay; `to` is marked as `from` is, but where `from` is not UNIQUE only
 * VALID.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_bsr_to_csr(sparcl_ctx *ctx, sparcl_csr *to,
                                                             const sparcl_bsr *from);

/**
 * Convert a matrix from CSR to row-sparse: the rows that have entries.
 *
 * Shapes    of one size: `to` of rank 2; to->nnr is the capacity, in rows, and to->count is set.
 * Duplicates, Capacity  as above.
 * Order     `to` is marked SORTED and UNIQUE.
 * Scratch   12 bytes per row; and as sparcl_csr_to_dense.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_rows(sparcl_ctx *ctx, sparcl_rows *to,
                                                              const sparcl_csr *from,
                                                              const sparcl_moved *moved);

/**
 * gv := the gradient of sparcl_csr_to_rows by the values of A: gv[k] = G[row, column] of its entry
 * k. 0 for entries in rows past the capacity of the result, and past offsets[rows].
 *
 * Shapes    gv: a vector [nnz of A], packed; G of the size of A.
 * G         the gradient of the result, with its indices: SORTED and UNIQUE. The values of A are
 *           not read, and may be of another type.
 * Aliasing  gv must not overlap G or A.
 * Scratch   an index and a value for each entry of A, and 8 bytes for each stored row of G.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_to_rows_gradient(
    sparcl_ctx *ctx, const sparcl_dense *gv, const sparcl_rows *g, const sparcl_csr *a);

/**
 * Convert a matrix from row-sparse to CSR: the elements of its rows that are not 0, or that exceed
 * a threshold.
 *
 * Shapes    of one size: `from` of rank 2.
 * Threshold, Capacity, Duplicates  as above.
 * Order     `to` is marked SORTED and UNIQUE.
 * Scratch   as sparcl_dense_to_csr; where `from` is not SORTED and UNIQUE, as sparcl_rows_coalesce
 *           and its result too.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_to_csr(sparcl_ctx *ctx, sparcl_csr *to,
                                                              const sparcl_rows *from,
                                                              double threshold,
                                                              const sparcl_moved *moved);

/* --- any format ------------------------------------------------------------------------------- */

/**
 * Convert a matrix from any format to any other, or the same (MXNet's cast_storage): by the
 * function of this page or of ops.h that does it, or by two, with a CSR matrix between them.
 *
 * Shapes    of one size; coo and row-sparse results have a count. Capacities as those functions
 *           have them. Dense to csc, and row-sparse to csc or coo: entries past the capacity of
 *           `to` are dropped, in the order of rows.
 * Types     dense to dense: any two, as sparcl_copy.
 * Threshold  of dense and row-sparse matrices to sparse ones but row-sparse to row-sparse, where it
 *           drops rows without such an element too; else it has no effect.
 * Capacity  `needed` becomes the capacity that is enough, also where it depends on the capacity of
 *           `from` only. It is not written where `to` is dense.
 * Order     that of the function that writes `to`; csr to csr in the order of `from`.
 * Scratch   that of the functions; with two of them also a CSR matrix with an entry for each entry
 *           or element that `from` has room for.
 * Errors    those of the functions; E_ARG: no such format.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_convert(sparcl_ctx *ctx, sparcl_matrix *to,
                                                          const sparcl_matrix *from,
                                                          double threshold,
                                                          const sparcl_moved *moved);

#ifdef __cplusplus
}
#endif

#endif
