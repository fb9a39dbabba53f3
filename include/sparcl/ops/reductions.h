/* reductions.h: reductions of rows, columns, axes and segments; softmax. What ops.h says of all
 * operations holds. */
#ifndef SPARCL_OPS_REDUCTIONS_H
#define SPARCL_OPS_REDUCTIONS_H

#include "sparcl/context.h"
#include "sparcl/ops/structure.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For all operations: values are F32, F64, F16 or BF16; what else ops.h says of all operations
 * holds here, too. "The sum of the squares" of F16 and BF16 is computed in F32, and the result is
 * rounded once.
 */

/** What a reduction computes. */
typedef enum sparcl_reduction {
    SPARCL_REDUCE_SUM = 0,
    SPARCL_REDUCE_MEAN = 1,       /**< the sum divided by the number of items */
    SPARCL_REDUCE_SQRTN = 2,      /**< the sum divided by the square root of that number */
    SPARCL_REDUCE_MAX = 3,        /**< the first of equal items; a NaN is larger than all numbers */
    SPARCL_REDUCE_MIN = 4,        /**< the first of equal items; a NaN is smaller */
    SPARCL_REDUCE_PROD = 5,       /**< the product */
    SPARCL_REDUCE_SQUARE_SUM = 6, /**< the sum of the squares */
    SPARCL_REDUCE_NORM = 7,       /**< the square root of that: the L2 norm */
    SPARCL_REDUCE_NORM1 = 8,      /**< the sum of the absolute values: the L1 norm */
    SPARCL_REDUCE_COUNT = 9       /**< the number of stored items; it has no gradient */
} sparcl_reduction;

/** Which elements of a sparse matrix a reduction takes: MEAN, SQRTN, MAX, MIN and PROD depend on
 * it.
 */
typedef enum sparcl_reduce_over {
    SPARCL_OVER_ALL = 0,   /**< also those that are not stored, which are 0, as in SciPy */
    SPARCL_OVER_STORED = 1 /**< stored entries only */
} sparcl_reduce_over;

/**
 * to := a reduction of a CSR matrix A [m, n] by its rows, by its columns, or of all of it.
 *
 * An element that is not stored is a zero (SPARCL_OVER_ALL): there is one where a row has fewer
 * entries than columns (a column fewer than rows, the matrix fewer than m n); entries with one
 * index count one by one. A row without entries gives 0, or with SPARCL_OVER_STORED the product 1;
 * PROD of a row with an element that is not stored is 0 times the product of the others.
 *
 * Shapes    `axis` 1: to [m], of each row; 0: to [n], of each column; -1: to [1]. `to` is packed.
 * Positions where not NULL, positions[positions_at + i] (int64) becomes, for MAX and MIN, the
 *           position in A's values of the first entry that is result i; -1 where there is none, or
 *           where the result is an element that is not stored and no entry equals it. Must be NULL
 *           for other kinds.
 * Types     one dtype.
 * Order     rule S with one column: entries of a row in the order stored, of a column in the order
 *           of rows, of the matrix in the order stored. Products and maxima are taken as sums are.
 * Aliasing  `to` and the positions must not overlap A or each other.
 * Pattern   of A, or NULL; used where axis is 0 (NULL: the columns are sorted in each call). A
 *           pattern of another matrix is E_ARG.
 * Result    the same bits on every run and every device. NORM squares without scaling.
 * Scratch   two numbers for each 256 entries; axis 0 also one offset per column, and without a
 *           pattern 24 bytes per entry, 48 with 64-bit indices; sums of columns with a pattern on
 *           CPUs a number for each row, and as sparcl_spmm_t.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, E_ARG: kind, over, axis, pattern, positions.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_csr_reduce(sparcl_ctx *ctx, sparcl_reduction kind, sparcl_reduce_over over,
                  const sparcl_dense *to, const sparcl_csr *a, int axis, sparcl_buf *positions,
                  int64_t positions_at, sparcl_pattern *pattern);

/**
 * gv := the gradient of sparcl_csr_reduce by the values of A, where gy is that by its result.
 *
 * SUM: gy; MEAN, SQRTN: gy divided as the sum was; MAX, MIN: gy at the position, else 0;
 * SQUARE_SUM: 2 v gy; NORM: (v / y) gy, and 0 where y is 0; NORM1: gy times the sign of v; PROD: gy
 * times the product of the other entries, as gy (p / v) with the product p; where one entry is 0,
 * gy times the product of the others for it, and 0 for all others.
 *
 * Shapes    gv [nnz]; gy as `to`; elements of gv past offsets[rows] become 0.
 * Operands  y, the result, is read for NORM only. `positions` are those of the result, for MAX and
 *           MIN only; NULL: they are computed again. The pattern is used for axis 0 with PROD, for
 *           MEAN and SQRTN with SPARCL_OVER_STORED, and for such positions.
 * Types     one dtype.
 * Aliasing  gv must not overlap another operand.
 * Result    the same bits on every run and every device.
 * Scratch   as sparcl_csr_reduce; for PROD also two numbers per result, for positions that are not
 *           given an int64 and a number, for MEAN and SQRTN of the stored entries of columns a
 *           number.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    as sparcl_csr_reduce; E_ARG: COUNT, or y is NULL and needed.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_reduce_gradient(
    sparcl_ctx *ctx, sparcl_reduction kind, sparcl_reduce_over over, const sparcl_dense *gv,
    const sparcl_dense *gy, const sparcl_csr *a, int axis, const sparcl_dense *y,
    const sparcl_buf *positions, int64_t positions_at, sparcl_pattern *pattern);

/**
 * to := the sum, mean, maximum or minimum of the stored entries over `count` axes, or with axes
 * NULL over all; 0 where there is no entry. Elements that are not stored do not count, and
 * duplicates count one by one. It obeys sparcl_ctx_set_densify.
 *
 * Shapes    `to` has the other dimensions in their order, or is [1] where there are none.
 * Types     one dtype: F32, F64, F16 or BF16, which are computed as F32 and rounded once.
 * Order     as sparcl_coo_coalesce: rule R; the first of equal entries.
 * Gradient  sparcl_coo_mask of that of `to` at sparcl_coo_project of `from`, for a sum; else at
 *           its sparcl_coo_coalesce, and then sparcl_coo_coalesce_gradient.
 * Scratch   as sparcl_coo_to_dense; not for a sum as sparcl_coo_coalesce and its result; and
 *           an index for each entry where all axes are reduced.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_reduce(sparcl_ctx *ctx, const sparcl_dense *to, sparcl_duplicates how,
                  const sparcl_coo *from, int count, const int *axes);

/**
 * to := a reduction of a dense matrix [m, n]: SUM, MEAN, SQUARE_SUM, NORM or NORM1. An array of
 * another rank is one of m rows.
 *
 * Shapes    `axis` 1: to [m], of each row; 0: to [n], of each column; -1: to [1], of all elements,
 *           and x is packed. `to` is packed. Without elements a result is 0.
 * Types     one dtype.
 * Order     axis 1 and -1: rule S with one column; axis 0: rule R, as a segment of all rows
 *           (sparcl_sum_rows adds by rule S).
 * Aliasing  `to` must not overlap x.
 * Result    the same bits on every run and every device.
 * Scratch   two numbers, of axis 0 two rows, for each 256 items.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG: kind, axis.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_reduce(sparcl_ctx *ctx,
                                                               sparcl_reduction kind,
                                                               const sparcl_dense *to,
                                                               const sparcl_dense *x, int axis);

/** gx := the gradient of sparcl_dense_reduce by x, in the formulas of sparcl_csr_reduce_gradient.
 * y, the result, is read for NORM only. gx has the shape of x, gy that of the result, packed; gx
 * must not overlap another operand. The rest as sparcl_dense_reduce. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_reduce_gradient(
    sparcl_ctx *ctx, sparcl_reduction kind, const sparcl_dense *gx, const sparcl_dense *gy,
    const sparcl_dense *x, int axis, const sparcl_dense *y);

/**
 * to := a reduction of the stored rows of a row-sparse array: kinds as sparcl_dense_reduce. Rows
 * with one index are not added first: see sparcl_rows_coalesce. MEAN divides by the number of all
 * elements of the array in that direction.
 *
 * Shapes    `axis` 1: to [nnr], element k of stored row k (the values of a row-sparse result of x's
 *           indices; those past the count are not specified); 0: to [n], of each column; -1: to
 * [1]. The rest  as sparcl_dense_reduce; E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_reduce(sparcl_ctx *ctx,
                                                              sparcl_reduction kind,
                                                              const sparcl_dense *to,
                                                              const sparcl_rows *x, int axis);

/** gx := the gradient of sparcl_rows_reduce by the stored rows of x [nnr, ...], in the formulas of
 * sparcl_csr_reduce_gradient; with axis 0 and -1 those past the count become 0. y, the result, is
 * read for NORM only. gy has the shape of the result, packed; gx must not overlap another operand.
 * Scratch: 16 bytes. The rest as sparcl_rows_reduce. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_reduce_gradient(
    sparcl_ctx *ctx, sparcl_reduction kind, const sparcl_dense *gx, const sparcl_dense *gy,
    const sparcl_rows *x, int axis, const sparcl_dense *y);

/**
 * to[i] := the dot product of row i of x and row i of y.
 *
 * Shapes    x and y of one shape [m, ...]; to [m], packed. A row without elements gives 0.
 * Types     one dtype. Order: rule S with one column. Aliasing: `to` must not overlap x or y.
 * Result    the same bits on every run and every device. Scratch: as sparcl_dense_reduce.
 * Host      returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_dot_rows(sparcl_ctx *ctx,
                                                                        const sparcl_dense *to,
                                                                        const sparcl_dense *x,
                                                                        const sparcl_dense *y);

/** gx[i] := gy[i] y[i], row i of y times a number: the gradient of sparcl_dot_rows by x. gx and y
 * have one shape, gy is [m], packed; gx must not overlap y or gy. The rest as sparcl_dot_rows. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_dot_rows_gradient(
    sparcl_ctx *ctx, const sparcl_dense *gx, const sparcl_dense *gy, const sparcl_dense *y);

/** Segments of n items. One of the two is set, the other is NULL. */
typedef struct sparcl_segments {
    const sparcl_list *ids; /**< [n]: the segment of each item, in any order; ids->limit segments.
                               Faster where the list is marked SORTED */
    const sparcl_csr *rows; /**< item k is entry k of this matrix, whose rows are the segments: only
                               its offsets are read. n is its nnz; items past offsets[rows] are in
                               no segment */
} sparcl_segments;

/**
 * to[s] := a reduction of the rows of x that are in segment s, column by column.
 *
 * A segment without items gives 0, its product 1. (TensorFlow and PyTorch give the lowest and the
 * highest number for MAX and MIN.)
 *
 * Shapes    x [n, ...], to [number of segments, ...] with rows of the same shape.
 * Positions where not NULL, for MAX and MIN: an int64 for each element of `to`, packed: the row of
 * x of the first item that is the result; -1 where there is none. Must be NULL for other kinds.
 * Types     one dtype.
 * Order     rule R: items of a segment in their order in x. Products and maxima are taken as sums
 *           are. COUNT gives the number of items in each column.
 * Aliasing  `to` and the positions must not overlap an operand or each other.
 * Result    the same bits on every run and every device; those of sorted items where these are not.
 * Scratch   two rows for each 256 items; with ids one offset per segment; where they are not SORTED
 *           also 28 bytes per item, 48 with 64-bit indices.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_segment_reduce(
    sparcl_ctx *ctx, sparcl_reduction kind, const sparcl_dense *to, const sparcl_dense *x,
    const sparcl_segments *segments, sparcl_buf *positions, int64_t positions_at);

/**
 * gx := the gradient of sparcl_segment_reduce by x, in the formulas of sparcl_csr_reduce_gradient;
 * items in no segment have 0.
 *
 * Operands  gy and y have the shape of the result. x is read for PROD, SQUARE_SUM, NORM and NORM1,
 * y for NORM, `positions` for MAX and MIN; they may be NULL for other kinds. For MAX and MIN with
 * positions NULL these are computed again, from x. The rest  as sparcl_segment_reduce. Scratch:
 * none for SUM, SQUARE_SUM, NORM, NORM1, and for MAX and MIN with positions.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_segment_reduce_gradient(
    sparcl_ctx *ctx, sparcl_reduction kind, const sparcl_dense *gx, const sparcl_dense *gy,
    const sparcl_dense *x, const sparcl_segments *segments, const sparcl_dense *y,
    const sparcl_buf *positions, int64_t positions_at);

/** The two forms of sparcl_csr_softmax. */
typedef enum sparcl_softmax {
    SPARCL_SOFTMAX = 0,    /**< exp(x - max) / sum of exp(x - max) */
    SPARCL_LOG_SOFTMAX = 1 /**< (x - max) - log(sum of exp(x - max)) */
} sparcl_softmax;

/**
 * v := the softmax of the stored entries of each row of A, as values for A's pattern. Elements that
 * are not stored count as minus infinity, as in torch.sparse.softmax.
 *
 * Shapes    v [nnz], packed; elements past offsets[rows] become 0.
 * Types     one dtype.
 * Order     max is the largest entry of a row; the sum is rule S with one column.
 * Aliasing  v may be the array of A's values itself (not a part of it); nothing else may overlap.
 * Result    the same bits on every run and every device; exp and log are the library's own. A NaN,
 *           and an infinite maximum, makes all entries of its row NaN.
 * Scratch   where rows may have more than 256 entries (see longest_row in tensor.h), two numbers
 *           for each 256 entries and two per row; else none.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, E_ARG.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_softmax(sparcl_ctx *ctx, sparcl_softmax kind,
                                                              const sparcl_dense *v,
                                                              const sparcl_csr *a);

/**
 * v := the same of each column of x, whose row k belongs to entry k: several numbers for each
 * entry, such as the heads of graph attention (edge_softmax of DGL).
 *
 * Shapes    v, x [nnz, heads], packed; rows of v past offsets[rows] become 0.
 * Operands  only the offsets of A are read.
 * Order     with one head as sparcl_csr_softmax, with the same bits; else the sum is rule S with
 *           several columns.
 * Aliasing  v may be the array of x itself; nothing else may overlap.
 * Scratch   none, but with one head.
 * Errors    also E_UNSUPPORTED: a device that stops long loops early, with long rows.
 * The rest  as sparcl_csr_softmax. A row is computed by one worker.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_csr_softmax_heads(sparcl_ctx *ctx, sparcl_softmax kind, const sparcl_dense *v,
                         const sparcl_dense *x, const sparcl_csr *a);

/**
 * gx := the gradient of sparcl_csr_softmax by the values of A, or of sparcl_csr_softmax_heads by x,
 * where y is its result and gy the gradient by it. SOFTMAX: y (gy - s) with the sum s of y gy in
 * the row; LOG_SOFTMAX: gy - exp(y) s with the sum s of gy.
 *
 * Shapes    gx, y, gy [nnz] or [nnz, heads], packed; elements of gx past offsets[rows] become 0.
 * Operands  only the offsets of A are read.
 * Aliasing  gx may be the array of gy or of y itself; nothing else may overlap.
 * Scratch   one number per row, and two for each 256 entries; with several heads none.
 * The rest  as sparcl_csr_softmax, sparcl_csr_softmax_heads. Sums: rule S with one column, with
 *           several heads with several.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_csr_softmax_gradient(sparcl_ctx *ctx, sparcl_softmax kind, const sparcl_dense *gx,
                            const sparcl_dense *gy, const sparcl_dense *y, const sparcl_csr *a);

/**
 * r := alpha * (sum of the rows of x) + beta * r.
 *
 * Shapes    x [m, k], r [k]; a vector x [m] is k = 1, with r [1].
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     rows in ascending order (rule S with the factor 1; one column: eight partial sums).
 * Aliasing  r must not overlap x. With beta == 0, r is not read.
 * Result    the same bits everywhere. Host: returns after enqueueing.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_sum_rows(sparcl_ctx *ctx, const sparcl_dense *r,
                                                           double alpha, const sparcl_dense *x,
                                                           double beta);

#ifdef __cplusplus
}
#endif

#endif
