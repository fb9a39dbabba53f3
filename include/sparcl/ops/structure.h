/* structure.h: the order and the shape of arrays: slices, selections, concatenation, blocks,
 * transposes, reshapes, duplicates. */
#ifndef SPARCL_OPS_STRUCTURE_H
#define SPARCL_OPS_STRUCTURE_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For all operations of this header, besides what ops.h says for all operations:
 *
 * Types     all element types: values are only moved, and keep their bits, where nothing else is
 *           said. One element type for operands and result; each has its own offset and index
 *           types.
 * Capacity  the nnz of a result is its capacity. Where the number of entries depends on the data,
 *           entries past the capacity are dropped, and memory is safe. A COO or row-sparse result
 *           then has a count.
 * Aliasing  a result must not overlap an operand or another result.
 * Order     entries keep the order in which the operands have them, where nothing else is said.
 * Result    the same bits everywhere; marked SORTED and UNIQUE where that follows from the marks of
 *           the operands.
 * Scratch   what is said; it may be more than twice the bytes that are read.
 * Host      returns after enqueueing, and never waits for the device, where nothing else is said.
 * Errors    E_ARG, E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED, where the operation has such a
 * condition.
 */

/** More results of an operation that moves entries, or whose number of entries depends on the data;
 * NULL, or a field that is 0: not wanted. */
typedef struct sparcl_moved {
    /** int64 [capacity of the result]: for each entry of the result the position of its value in
     * the values of the operand; of several operands, in their capacities one after the other. The
     * gradient of the operand's values is that of the result's, added at these positions. Only of
     * the operations of this header and of sparcl_csr_prune; elsewhere E_ARG. */
    sparcl_buf *source;
    int64_t source_at;  /**< where it begins, in elements */
    sparcl_buf *needed; /**< one int64: the number of entries (rows, blocks) without the limit of
                             the capacity */
    int64_t needed_at;  /**< its position, in elements */
    uint64_t reserved[2];
} sparcl_moved;

/* --- CSR -------------------------------------------------------------------------------------- */

/**
 * to := rows start .. start + to->rows - 1 of `from`.
 *
 * Shapes    to->cols = from->cols, start + to->rows <= from->rows. Splitting a matrix is a slice
 * for each part.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_slice_rows(sparcl_ctx *ctx, sparcl_csr *to,
                                                                 const sparcl_csr *from,
                                                                 int64_t start,
                                                                 const sparcl_moved *moved);

/**
 * to := columns start .. start + to->cols - 1 of `from`.
 *
 * Shapes    to->rows = from->rows, start + to->cols <= from->cols.
 * Scratch   9 bytes per entry.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_slice_columns(sparcl_ctx *ctx, sparcl_csr *to,
                                                                    const sparcl_csr *from,
                                                                    int64_t start,
                                                                    const sparcl_moved *moved);

/**
 * to := the rows of `from` whose indices are in a list, in its order; an index may occur several
 * times.
 *
 * Shapes    to->rows = list->count, to->cols = from->cols, list->limit = from->rows.
 * Scratch   8 bytes per index of the list; with a source also 4 per entry of both matrices (8 from
 *           2^31 on).
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_take_rows(sparcl_ctx *ctx, sparcl_csr *to,
                                                                const sparcl_csr *from,
                                                                const sparcl_list *list,
                                                                const sparcl_moved *moved);

/**
 * to := the columns of `from` whose indices are in a list, in its order: column j of `to` is column
 * list[j] of `from`. An index may occur several times.
 *
 * Shapes    to->rows = from->rows, to->cols = list->count, list->limit = from->cols.
 * Order     a row has the columns of its first entry, ascending, then those of its second entry,
 *           ... So it is sorted where `from` and the list are, and the list is unique.
 * Scratch   16 bytes per column of `from` and per index of the list; 8 bytes per entry, where the
 *           list is marked UNIQUE 9.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_take_columns(sparcl_ctx *ctx, sparcl_csr *to,
                                                                   const sparcl_csr *from,
                                                                   const sparcl_list *list,
                                                                   const sparcl_moved *moved);

/**
 * to := `from` with the entries of the rows in a list only; all other rows are empty.
 *
 * Shapes    `to` of the size of `from`, list->limit = from->rows. An index may occur several times.
 * Scratch   9 bytes per entry, 1 per row.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_retain_rows(sparcl_ctx *ctx, sparcl_csr *to,
                                                                  const sparcl_csr *from,
                                                                  const sparcl_list *list,
                                                                  const sparcl_moved *moved);

/**
 * to := the rows of from[0], then those of from[1], ...
 *
 * Shapes    all with to->cols columns; to->rows is the sum of their rows; count may be 0.
 * Launches  one per matrix.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_concat_rows(sparcl_ctx *ctx, sparcl_csr *to,
                                                                  const sparcl_csr *from, int count,
                                                                  const sparcl_moved *moved);

/**
 * to := the columns of from[0], then those of from[1], ...
 *
 * Shapes    all with to->rows rows; to->cols is the sum of their columns; count may be 0.
 * Scratch   16 bytes per row. Launches: two per matrix.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_concat_columns(
    sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from, int count, const sparcl_moved *moved);

/**
 * to := a matrix with from[0], from[1], ... as blocks on its diagonal. Blocks may be of any size,
 * also without rows, columns or entries.
 *
 * Shapes    to->rows and to->cols are the sums of theirs; count may be 0.
 * Launches  one per matrix.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_block_diagonal(
    sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from, int count, const sparcl_moved *moved);

/**
 * to := the transpose of `from`, with sorted rows.
 *
 * Shapes    to->rows = from->cols, to->cols = from->rows, to->nnz >= from->nnz.
 * Order     as sparcl_csr_to_csc.
 * Scratch   as sparcl_csr_to_csc, and 8 bytes per entry (16 from 2^31 on) for a source or another
 *           element type than F32 and F64.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_transpose(sparcl_ctx *ctx, sparcl_csr *to,
                                                                const sparcl_csr *from,
                                                                const sparcl_moved *moved);

/** A part of a matrix, by column - row. */
typedef enum sparcl_part {
    SPARCL_LOWER = 0,   /**< at most k */
    SPARCL_UPPER = 1,   /**< at least k */
    SPARCL_DIAGONAL = 2 /**< k */
} sparcl_part;

/**
 * to := the entries of `from` in a triangle, or on a diagonal.
 *
 * Shapes    of one size. Scratch: 9 bytes per entry.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_triangle(sparcl_ctx *ctx, sparcl_csr *to,
                                                               const sparcl_csr *from,
                                                               sparcl_part part, int64_t k,
                                                               const sparcl_moved *moved);

/**
 * to := `from` with the entries of each row in the order of their columns (stable); duplicates
 * stay.
 *
 * Shapes    of one size, to->nnz >= from->nnz. Scratch: as sparcl_coo_sort, and 16 bytes per entry.
 * Result    marked SORTED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_sort_indices(sparcl_ctx *ctx, sparcl_csr *to,
                                                                   const sparcl_csr *from,
                                                                   const sparcl_moved *moved);

/**
 * to := the matrix with another shape of the same number of elements, in row-major order.
 *
 * Shapes    to->nnz >= from->nnz; rows * cols is at most 2^63 - 1, else E_UNSUPPORTED.
 * Scratch   48 bytes per entry, and as sparcl_coo_to_csr where `from` is not marked SORTED.
 * Result    marked SORTED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_reshape(sparcl_ctx *ctx, sparcl_csr *to,
                                                              const sparcl_csr *from,
                                                              const sparcl_moved *moved);

/** More results of the operations that fill empty rows; a field that is 0: not wanted. */
typedef struct sparcl_filled {
    sparcl_buf *is_empty;    /**< BOOL [rows]: the row had no entry */
    int64_t is_empty_at;     /**< where it begins, in elements */
    sparcl_buf *inverse;     /**< int64 [from->nnz]: which entry of `to` entry k of `from` is. The
                                  gradient of value k is that of this entry */
    int64_t inverse_at;      /**< where it begins, in elements */
    sparcl_buf *source;      /**< int64 [to->nnz]: which entry of `from` it is; -1 for a new one */
    int64_t source_at;       /**< where it begins, in elements */
    const sparcl_buf *value; /**< where not NULL, an element of the type of `to` that new entries
                                get, in place of the number */
    int64_t value_at;        /**< where it is, in elements */
    uint64_t reserved[2];
} sparcl_filled;

/**
 * to := `from` with sorted rows, and an entry of the value `value` in column 0 of each row that has
 * none.
 *
 * Shapes    of one size, with columns; to->nnz >= from->nnz + rows.
 * Types     `value` is converted to the element type as by a C cast.
 * Inverse   elements past the entries of `from` become to->nnz - 1, which `to` then does not use.
 * Scratch   as sparcl_coo_fill_empty_rows, and 40 bytes per entry of `to`.
 * Result    marked SORTED, and UNIQUE where `from` is.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_fill_empty_rows(sparcl_ctx *ctx,
                                                                      sparcl_csr *to,
                                                                      const sparcl_csr *from,
                                                                      double value,
                                                                      const sparcl_filled *more);

/**
 * gv := the gradient of sparcl_csr_fill_empty_rows by the value of new entries: the sum of gy over
 * them, where `to` is the result and gy the gradient by its values.
 *
 * Shapes    gv [1]; gy [nnz of `to`]; both packed. `to` and `from` as they were.
 * Types     gv and gy: F32, F64, F16 or BF16; those of the matrices do not matter.
 * Order     an element for each row of `from`, that of gy or 0, as sparcl_dense_reduce of axis -1.
 * Aliasing  gv must not overlap another operand.
 * Scratch   an element for each row, and as sparcl_dense_reduce.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_csr_fill_empty_rows_gradient(sparcl_ctx *ctx, const sparcl_dense *gv, const sparcl_dense *gy,
                                    const sparcl_csr *to, const sparcl_csr *from);

/* --- COO -------------------------------------------------------------------------------------- */

/**
 * Sort the entries of a COO array lexicographically by their indices.
 *
 * Shapes    both of one rank and shape. With to->count, to->nnz >= from->nnz and the count becomes
 *           the number of entries; without, to->nnz = from->nnz and `from` has no count.
 * Types     one dtype, of every element type, and one index type. Values are only moved.
 * Order     stable: entries with the same indices keep their order.
 * Permutation  where not NULL, permutation[k] (int64, to->nnz elements from permutation_at on)
 *              becomes the index in `from` of entry k.
 * Aliasing  `to` must not overlap `from`.
 * Result    the same bits everywhere; `to` is marked SORTED, and UNIQUE where `from` was.
 * Scratch   on CPUs 10 bytes per entry of a vector or matrix whose indices together have at most 43
 *           bits, 20 where at most 64, and 4 more for F64 or with a permutation; else 48 bytes per
 *           entry for each 64 bits of its indices.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_sort(sparcl_ctx *ctx, sparcl_coo *to,
                                                           const sparcl_coo *from,
                                                           sparcl_buf *permutation,
                                                           int64_t permutation_at);

/**
 * *to := a view of the same arrays whose dimension d is dimension axes[d] of `from`: a transpose
 * that moves nothing. It is not marked SORTED, unless axes are 0, 1, 2, ...
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_permute_view(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from, const int *axes);

/**
 * to := that transpose, sorted (stable).
 *
 * Shapes    dimension d of `to` is dimension axes[d] of `from`; to->nnz and to->count as in
 *           sparcl_coo_sort.
 * Types     one index type.
 * Scratch   48 bytes per entry for each 64 bits of its indices.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_permute(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from, const int *axes,
                   const sparcl_moved *moved);

/**
 * to := the array with another shape of the same number of elements, in row-major order.
 *
 * Shapes    to->nnz >= from->nnz; a count as in sparcl_coo_sort. The number of elements is at most
 *           2^63 - 1, else E_UNSUPPORTED.
 * Values    to->values may be those of `from`, at the same position: then they are not copied.
 * Scratch   8 bytes per entry. Result: marked as `from` is.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_reshape(sparcl_ctx *ctx,
                                                                           sparcl_coo *to,
                                                                           const sparcl_coo *from);

/**
 * *to := the array with a dimension of size 1 before dimension `axis` (0 to the rank). Only
 * to->indices[axis] is an array of its own, that of the caller, which is filled with 0; the other
 * fields of `to` are overwritten and name the arrays of `from`.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_expand_dims(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from, int axis);

/** *to := a view of the same arrays without dimension `axis`, whose size is 1, or with axis -1
 * without all such dimensions; one dimension is always left. Moves nothing. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_squeeze(sparcl_ctx *ctx,
                                                                           sparcl_coo *to,
                                                                           const sparcl_coo *from,
                                                                           int axis);

/**
 * to := the part of `from` from index start[d] on, to->shape[d] elements in each dimension d, with
 * step 1. Splitting an array is a slice for each part.
 *
 * Shapes    of one rank, start[d] + to->shape[d] <= from->shape[d]; to->count is set.
 * Scratch   9 bytes per entry.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_slice(sparcl_ctx *ctx,
                                                                         sparcl_coo *to,
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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_concat(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from, int count, int axis,
                  const sparcl_moved *moved);

/**
 * Give a view another shape of the same rank; its arrays stay. A dimension may be smaller than
 * before, as long as every index is inside.
 *
 * Shape     NULL: the smallest shape that has all entries (1 where there are none).
 * Host      waits for the device where `shape` is NULL or a dimension becomes smaller.
 * Result    marked as before.
 * Errors    E_DATA: an index is outside of the new shape; the view is unchanged.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_reset_shape(sparcl_ctx *ctx, sparcl_coo *view, const int64_t *shape);

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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_coo_fill_empty_rows(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from, double value,
                           const sparcl_filled *more);

/**
 * *to := a view of the same arrays with `count` dimensions: dimension d is dimension axes[d] of
 * `from`. It moves nothing. Several entries may have one index, so it is not marked UNIQUE; SORTED
 * it is where `from` is, and axes are 0, 1, 2, ...
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_project(
    sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from, int count, const int *axes);

/* --- duplicates ------------------------------------------------------------------------------- */

/** What becomes of entries that have the same indices. */
typedef enum sparcl_duplicates {
    SPARCL_SUM = 0,  /**< their sum by rule R */
    SPARCL_MEAN = 1, /**< that sum divided by their number */
    SPARCL_MAX = 2,  /**< the largest, the first of equal ones; a NaN is larger than all numbers */
    SPARCL_MIN = 3, /**< the smallest, the first of equal ones; a NaN is smaller than all numbers */
    SPARCL_FIRST = 4,
    SPARCL_LAST = 5
} sparcl_duplicates;

/** More results of a coalesce; NULL, or a field that is 0: not wanted. All are int64. */
typedef struct sparcl_coalesced {
    sparcl_buf *inverse; /**< [from->nnz]: the entry of the result that entry k of `from` is in */
    int64_t inverse_at;  /**< where it begins, in elements */
    sparcl_buf *counts;  /**< [to->nnz]: how many entries of `from` are in it */
    int64_t counts_at;   /**< where it begins, in elements */
    sparcl_buf *source;  /**< [to->nnz]: MAX, MIN, FIRST and LAST: which of them it is; else the
                            first of them. Not for row-sparse arrays with MAX or MIN */
    int64_t source_at;   /**< where it begins, in elements */
    uint64_t reserved[2];
} sparcl_coalesced;

/**
 * to := the entries of `from` sorted, those with the same indices combined.
 *
 * Shapes    of one rank and shape; to->nnz >= from->nnz, to->count is set and becomes the number of
 *           distinct indices.
 * Types     one dtype and one index type. FIRST and LAST: all element types; else F32, F64, F16 and
 *           BF16, a mean or a sum of which is computed as F32 and rounded once.
 * Order     entries with equal indices are added in the order of `from` (rule R).
 * Result    marked SORTED and UNIQUE; a sum has the same bits with and without more results.
 * Scratch   56 bytes per entry for each 64 bits of its indices. A sum without more results: on CPUs
 *           10 bytes per F32 entry of a vector or matrix whose indices together have at most 43
 *           bits, 20 where at most 64; else 48 bytes per entry for each 64 bits of its indices.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_coalesce(sparcl_ctx *ctx, sparcl_coo *to,
                                                               const sparcl_coo *from,
                                                               sparcl_duplicates how,
                                                               const sparcl_coalesced *more);

/**
 * The same for the rows of a row-sparse array, element by element; to->nnr >= from->nnr.
 *
 * Scratch   of a sum without more results 28 bytes per entry, 48 with 64-bit indices, and a tenth
 *           of the values.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_coalesce(sparcl_ctx *ctx, sparcl_rows *to,
                                                                const sparcl_rows *from,
                                                                sparcl_duplicates how,
                                                                const sparcl_coalesced *more);

/**
 * to := `from` in the canonical format: rows sorted, and entries with one column added (rule R).
 *
 * Shapes    of one size, to->nnz >= from->nnz.
 * Types     F32, F64, F16 and BF16.
 * Inverse   where not NULL, inverse[inverse_at + k] (int64, from->nnz elements) becomes the entry
 *           of the result that entry k is in; elements past the entries of `from` do not change.
 * Scratch   as sparcl_coo_coalesce, and 24 bytes per entry.
 * Result    marked SORTED and UNIQUE.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_sum_duplicates(sparcl_ctx *ctx,
                                                                     sparcl_csr *to,
                                                                     const sparcl_csr *from,
                                                                     sparcl_buf *inverse,
                                                                     int64_t inverse_at);

/** The distinct indices of a list. All arrays may be NULL but `found`. */
typedef struct sparcl_unique_result {
    sparcl_buf *found;            /**< one int64: their number */
    sparcl_buf *indices;          /**< of the list's index type, [count]: they, ascending */
    sparcl_buf *inverse;          /**< int64 [count]: where index k of the list is in `indices` */
    sparcl_buf *counts;           /**< int64 [count]: how often each occurs */
    sparcl_buf *first;            /**< int64 [count]: where it occurs first in the list */
    int64_t found_at, indices_at; /**< where they begin, in elements */
    int64_t inverse_at, counts_at, first_at; /**< where they begin, in elements */
    uint64_t reserved[2];
} sparcl_unique_result;

/**
 * Find the distinct indices of a list. Elements of `indices`, `counts` and `first` past their
 * number do not change.
 *
 * Scratch   24 bytes per index, 48 with 64-bit indices.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_unique(sparcl_ctx *ctx,
                                                         const sparcl_unique_result *to,
                                                         const sparcl_list *list);

/**
 * The gradient of the values that sparcl_coo_coalesce has combined, for the gradient G of the
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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_coalesce_gradient(
    sparcl_ctx *ctx, const sparcl_dense *to, sparcl_duplicates how, const sparcl_dense *g,
    const sparcl_coo *from, const sparcl_coalesced *more);

/* --- row-sparse ------------------------------------------------------------------------------- */

/**
 * to := row list[i] of `from` as stored row i, zeros where `from` does not store that row.
 *
 * Shapes    of one shape; to->nnr = list->count, without a count; list->limit = from->shape[0].
 *           `from` is SORTED and UNIQUE. The list may be in any order, with duplicates.
 * Source    -1 where `from` does not store the row.
 * Scratch   9 bytes per index of the list.
 * Result    marked as the list is.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_retain_all(sparcl_ctx *ctx, sparcl_rows *to,
                                                                  const sparcl_rows *from,
                                                                  const sparcl_list *list,
                                                                  const sparcl_moved *moved);

/**
 * to := the rows of `from` that are in the list, in its order, as often as there; rows that `from`
 * does not store are left out.
 *
 * Shapes    as sparcl_rows_retain_all, but with to->count.
 * Scratch   25 bytes per index of the list.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_retain_stored(sparcl_ctx *ctx,
                                                                     sparcl_rows *to,
                                                                     const sparcl_rows *from,
                                                                     const sparcl_list *list,
                                                                     const sparcl_moved *moved);

/**
 * The gradient of the stored rows of `at` where it was an operand of sparcl_rows_retain_all,
 * sparcl_rows_retain_stored or sparcl_rows_add_n, but for a factor: row k of `to`
 * := the row of g with the index of stored row k of `at`; zeros where g does not store it, and past
 * the count of `at`.
 *
 * Shapes    g and `at` of one shape; `to` the stored rows of `at`, [at->nnr, ...], packed.
 * G         the gradient of the result as a row-sparse array with its indices, SORTED and UNIQUE:
 *           of a retain with a list that has an index twice, sparcl_rows_coalesce of it. The values
 *           of `at` are not read, and may be of another type.
 * Scratch   8 bytes per stored row of `at`.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_retain_gradient(
    sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_rows *g, const sparcl_rows *at);

/**
 * to := the rows of a dense array with the indices of the stored rows of `at`; zeros past the count
 * of `at`. It is the gradient of sparcl_rows_to_dense.
 *
 * Shapes    x and `at` of one shape; `to` the stored rows of `at`, [at->nnr, ...]. Both packed.
 * Scratch   8 bytes per stored row of `at`.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_mask(sparcl_ctx *ctx,
                                                                         const sparcl_dense *to,
                                                                         const sparcl_dense *x,
                                                                         const sparcl_rows *at);

/**
 * to := rows start .. start + to->shape[0] - 1 of the array; its stored rows in the order of
 * `from`.
 *
 * Shapes    one row shape; to->count is set.
 * Scratch   9 bytes per stored row; none where `from` is SORTED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_slice(sparcl_ctx *ctx, sparcl_rows *to,
                                                             const sparcl_rows *from, int64_t start,
                                                             const sparcl_moved *moved);

/**
 * to := the stored rows of a, then those of b: as an array, a + b.
 *
 * Shapes    all of one shape; to->nnr >= a->nnr + b->nnr, to->count is set and becomes the number
 *           of rows.
 * Types     one dtype, of every element type; each has its own index type.
 * Aliasing  `to` must not overlap a or b.
 * Result    exact; `to` is neither SORTED nor UNIQUE.
 * Host      returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_concat(sparcl_ctx *ctx, sparcl_rows *to,
                                                              const sparcl_rows *a,
                                                              const sparcl_rows *b);

/* --- dense ------------------------------------------------------------------------------------ */

/**
 * to := the rows of `from` whose indices are in a list, in its order.
 *
 * Shapes    to [list->count, ...], from [list->limit, ...], the same row shape.
 * Types     one dtype, of every element type. Aliasing: `to` must not overlap `from` or the list.
 * Result    exact. Host: returns after enqueueing. Errors: E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_gather_rows(sparcl_ctx *ctx,
                                                              const sparcl_dense *to,
                                                              const sparcl_dense *from,
                                                              const sparcl_list *list);

/**
 * to := `count` matrices one below the other (axis 0), or side by side (axis 1). Its gradient is
 * sparcl_dense_split.
 *
 * Shapes    `to` [m, n] and parts [m(i), n] with the sum m, or [m, n(i)] with the sum n; axis 0
 *           also for arrays of rank 1.
 * Types     one dtype, any.
 * Aliasing  `to` must not overlap a part.
 * Result    exact.
 * Host      returns after enqueueing, one kernel for each part; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS; E_ARG: an axis other than 0 and 1.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_concat(sparcl_ctx *ctx,
                                                               const sparcl_dense *to,
                                                               const sparcl_dense *const *parts,
                                                               int count, int axis);

/** The parts := the rows (axis 0) or columns (axis 1) of `from`, one part after the other: as
 * sparcl_dense_concat, the other way. No two parts may overlap. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dense_split(sparcl_ctx *ctx,
                                                              const sparcl_dense *const *parts,
                                                              int count, const sparcl_dense *from,
                                                              int axis);

#ifdef __cplusplus
}
#endif

#endif
