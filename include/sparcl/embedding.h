/* embedding.h: rows of a table by their indices: lookup, and bags (a sum, mean or maximum of the
 * rows of each bag), with their gradients. */
#ifndef SPARCL_EMBEDDING_H
#define SPARCL_EMBEDDING_H

#include "sparcl/context.h"
#include "sparcl/ops.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a bag makes of its rows x(k) with weights w(k), which are 1 where there are none. */
typedef enum sparcl_bag_mode {
    SPARCL_BAG_SUM = 0,   /**< the sum of w(k) x(k) */
    SPARCL_BAG_MEAN = 1,  /**< that sum divided by the sum of w(k) */
    SPARCL_BAG_SQRTN = 2, /**< that sum divided by the square root of the sum of w(k) w(k) */
    SPARCL_BAG_MAX = 3 /**< the maximum of each column; without weights. A bag has fewer than 2^31
                          entries */
} sparcl_bag_mode;

/** What happens with an index that is negative, or not below the limit. */
typedef enum sparcl_bounds {
    SPARCL_BOUNDS_ERROR = 0, /**< there is none: the list must be proven or trusted */
    SPARCL_BOUNDS_CLAMP = 1, /**< it becomes the nearest index: 0, or the limit - 1 */
    SPARCL_BOUNDS_SKIP = 2   /**< its entry is left out */
} sparcl_bounds;

/**
 * Bags of indices: entry k is index k of the list, with weight k. Bag i has the entries offsets[i]
 * to offsets[i + 1] - 1; without `include_last` the last bag has all entries from its offset on. A
 * CSR matrix is one bag for each row: its columns are the indices, its values the weights, and
 * include_last is 1.
 *
 * An entry is left out where its index is the padding index, whatever the bounds are, or with
 * SPARCL_BOUNDS_SKIP where it is bad. It counts neither in a mean nor anywhere else. A bag without
 * entries gives 0.
 *
 * Offsets ascend from 0 to at most the count of the list. Others are clamped to it, and a bag that
 * ends before it begins is empty, so that memory is safe; where offsets descend, the sums of bags
 * of more than 256 entries are not defined.
 */
typedef struct sparcl_bags {
    int64_t bags;             /**< number of bags */
    sparcl_list indices;      /**< `limit` is the number of rows of the table */
    sparcl_itype offset_type; /**< of `offsets` */
    int include_last;         /**< 1: there are bags + 1 offsets; 0: there are `bags` */
    sparcl_buf *offsets;   /**< NULL: each index is a bag by itself, and bags is the list's count */
    int64_t offsets_at;    /**< where they begin, in elements */
    sparcl_buf *weights;   /**< [count], of the dtype of the table; NULL: all are 1 */
    int64_t weights_at;    /**< where they begin, in elements */
    sparcl_bag_mode mode;  /**< what a bag makes of its rows */
    sparcl_bounds bounds;  /**< what happens with a bad index */
    int has_padding;       /**< 1: there is a padding index */
    int64_t padding_index; /**< any number; not a bad index */
    int scale_by_frequency; /**< 1: the gradient of a row of the table is divided by the number of
                               entries that it has in the bags */
    int64_t longest; /**< no bag has more entries; 0: unknown. GPUs divide bags of more than 256
                        entries, for which a sum takes a launch more. */
    uint64_t reserved[1]; /**< zero */
} sparcl_bags;

/**
 * to := the rows of a table whose indices are in a list, in its order; rows of 0 for the padding
 * index and, with SPARCL_BOUNDS_SKIP, for bad indices.
 *
 * Shapes    to [count, ...], table [limit, ...], the same row shape; indices->offsets is NULL, and
 *           weights and mode are not used.
 * Bad       where not NULL, bad[bad_at] (int64) becomes the number of bad indices; with
 *           SPARCL_BOUNDS_ERROR it must be NULL.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Aliasing  `to` must not overlap the table or the list.
 * Result    exact. Its gradient is that of bags with these indices and mode SUM.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG; E_UNCHECKED: with SPARCL_BOUNDS_ERROR the list is
 *           neither proven nor trusted.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_embedding(sparcl_ctx *ctx, const sparcl_dense *to,
                                                            const sparcl_dense *table,
                                                            const sparcl_bags *indices,
                                                            sparcl_buf *bad, int64_t bad_at);

/**
 * Row i of `to` := what the mode makes of the rows of the table in bag i. Mean and sqrtn with
 * weights are those of TensorFlow's embedding_lookup_sparse; without weights the modes are those of
 * PyTorch's EmbeddingBag. (FBGEMM reads row 0 for a bad index; here it is one of sparcl_bounds.)
 *
 * Shapes    to [bags, d], table [limit, d]; both may be vectors: d = 1.
 * Positions   with SPARCL_BAG_MAX, where not NULL: INT64 [bags, d], the entry that each maximum is
 *             from; -1 in empty bags. Else NULL.
 * Bad       as in sparcl_embedding.
 * Types     `to`, the table and the weights share one dtype: F32, F64, F16 or BF16.
 * Order     rule S on the entries that are not left out, in the order stored; the sum of weights
 *           (of their squares) as one of several columns. Then one division. The maximum is the
 *           first of equal elements; a NaN is greater than all numbers, the first of several.
 * Aliasing  results must not overlap each other, the table or the bags.
 * Result    the same bits everywhere. In mode SUM those of sparcl_spmm with the matrix of
 *           sparcl_embedding_bag_matrix.
 * Scratch   on GPUs, where a bag may have more than 256 entries: two elements for each column and
 *           256 entries, in mode MAX with 8 bytes more each; at most 128 MiB, or what four columns
 *           need where that is more.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    as sparcl_embedding; E_MEMORY; E_UNSUPPORTED: a device that stops long loops early,
 * with a list that would need them.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_embedding_bag(
    sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *table, const sparcl_bags *bags,
    const sparcl_dense *positions, sparcl_buf *bad, int64_t bad_at);

/**
 * The bags as a CSR matrix A [bags, limit] without the entries that are left out. The value of an
 * entry is w(k), divided as the mode says, so that A * table is the result of the bags, rounded
 * differently; in mode MAX it is 1. The gradient of the table is transpose(A) times the gradient of
 * the result: dense by sparcl_spmm_t, row-sparse by sparcl_spmm_t_rows.
 *
 * Shapes    A->rows = bags, A->cols = limit, A->nnz at least the list's count.
 * Source    where not NULL, source[source_at + e] (int64, A->nnz elements) becomes the position in
 *           the list of entry e of A.
 * Types     A has the dtype of the weights, F32, F64, F16 or BF16, and its own index types.
 * Order     the entries of a bag keep their order. A value is one division of the weight by the
 *           divisor of sparcl_embedding_bag.
 * Aliasing  A and source must not overlap each other or the bags.
 * Result    the same bits everywhere; A is marked VALID.
 * Scratch   16 bytes per bag.
 * Host, Errors  as sparcl_embedding_bag.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_embedding_bag_matrix(
    sparcl_ctx *ctx, sparcl_csr *a, const sparcl_bags *bags, sparcl_buf *source, int64_t source_at);

/**
 * The gradient of the table as a row-sparse array: R := what the gradient G of the result gives to
 * each row that is in a bag. With scale_by_frequency each row is then divided by the number of its
 * entries in the bags that are not left out (scale_grad_by_freq of PyTorch).
 *
 * Shapes    G [bags, d], R [limit, d] with R->nnr >= min(limit, count of the list) (MAX: >= count)
 *           and R->count set; vectors as in sparcl_embedding_bag.
 * Positions of the forward call in mode MAX, where it is required; else NULL.
 * Types     G, R and the weights share one dtype: F32, F64, F16 or BF16; MAX: R and the list share
 *           an index type. F16 and BF16: the gradient in F32, rounded once.
 * Order     R's rows are sorted and unique, and marked so. Sums of a row: rule S on the transpose
 *           of sparcl_embedding_bag_matrix; MAX: rule R, the entries in the order stored, each with
 *           0 in the columns of which it is not the maximum.
 * Aliasing  R must not overlap the operands.
 * Result    the same bits everywhere.
 * Scratch   as sparcl_embedding_bag_matrix, and its matrix; also as sparcl_spmm_t_rows, or with MAX
 *           8 bytes and a row for each entry, and as sparcl_rows_coalesce; scale_by_frequency: as
 *           sparcl_unique for the list; F16 and BF16 with MEAN, SQRTN or scale_by_frequency: G, the
 *           weights and R as F32.
 * Host, Errors  as sparcl_embedding_bag; E_ARG: scale_by_frequency in mode MAX.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_embedding_bag_gradient(sparcl_ctx *ctx, sparcl_rows *r, const sparcl_dense *g,
                              const sparcl_bags *bags, const sparcl_dense *positions);

/**
 * The gradient of the weights: element k is <g, x(k)> for the row x(k) of entry k and the gradient
 * g of its bag in mode SUM; (<g, x(k)> - <g, y>) / W in mode MEAN, where y is the result of the bag
 * and W the divisor of sparcl_embedding_bag; (<g, x(k)> - (w(k) / W) <g, y>) / W in mode SQRTN.
 * 0 for entries that are left out or in no bag.
 *
 * Shapes    gw [count of the list], G [bags, d], Y [bags, d] (MEAN and SQRTN; else NULL), table
 *           [limit, d]; vectors as in sparcl_embedding_bag.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     <,> by rule S with one column; then the operations of the formula, from left to right.
 * Aliasing  gw must not overlap the operands.
 * Result    the same bits everywhere.
 * Scratch   8 bytes per bag.
 * Host, Errors  as sparcl_embedding_bag; E_ARG: mode MAX, which has no weights.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_embedding_bag_weights_gradient(
    sparcl_ctx *ctx, const sparcl_dense *gw, const sparcl_dense *g, const sparcl_dense *table,
    const sparcl_dense *y, const sparcl_bags *bags);

/**
 * Each row of the table that is in the bags := itself times max_norm / (norm + 1e-7), where its
 * norm is larger than max_norm; other rows stay. Called before a lookup, this is max_norm of
 * PyTorch's embeddings (there, the row of the padding index counts as well). It writes the table.
 *
 * Shapes    table [limit, ...].
 * Norm      norm_type 1: the sum of abs(x); 2: the root of the sum of x x; INFINITY: the largest
 *           abs(x). A row that has a NaN stays.
 * Types     F32, F64, F16 or BF16.
 * Order     sums: rule S with one column; then the operations of the formula from left to right,
 *           and one product for each element. A row is renormalised once, however often it is in
 *           the bags.
 * Aliasing  the table must not overlap the bags.
 * Result    the same bits everywhere.
 * Scratch   as sparcl_embedding_bag_matrix, its matrix, and as sparcl_unique for the list.
 * Host, Errors  as sparcl_embedding_bag; E_ARG: max_norm is negative or NaN, or another norm_type.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_embedding_renorm(sparcl_ctx *ctx,
                                                                   const sparcl_dense *table,
                                                                   const sparcl_bags *bags,
                                                                   double max_norm,
                                                                   double norm_type);

#ifdef __cplusplus
}
#endif

#endif
