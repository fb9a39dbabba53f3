/* layers.h: embeddings and bags, interactions of features, dropout, negative samples,
 * normalisation. What ops.h says of all operations holds. */
#ifndef SPARCL_OPS_LAYERS_H
#define SPARCL_OPS_LAYERS_H

#include "sparcl/context.h"
#include "sparcl/ops/structure.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- embeddings ------------------------------------------------------------------------------- */

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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_embedding_bag_matrix(
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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_embedding_renorm(sparcl_ctx *ctx, const sparcl_dense *table, const sparcl_bags *bags,
                        double max_norm, double norm_type);

/* --- interactions of features ----------------------------------------------------------------- */

/**
 * The interactions of a factorization machine (Rendle, ICDM 2010): for each row i of A the sum over
 * all pairs of its entries p < q,
 *
 *   z[i] := sum of (A_p A_q) <B[column of p], B[column of q]>
 *
 * computed as half the sum over the columns j of sums[i, j]^2 minus the sum of (A_p B[.., j])^2,
 * where sums is the product A B (sparcl_spmm).
 *
 * Shapes    A [m, n]; B [n, k]; sums [m, k]; z [m], packed.
 * Types     one dtype: F32 or F64.
 * Order     the squares of column j: entries as stored, one after the other; then columns
 *           ascending, sums[i, j]^2 - that each.
 * Aliasing  z must not overlap an operand.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG, E_UNCHECKED; E_UNSUPPORTED: a device that stops long
 *           loops, and rows that are, or may be, too long for it.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_interactions(sparcl_ctx *ctx,
                                                               const sparcl_dense *z,
                                                               const sparcl_csr *a,
                                                               const sparcl_dense *b,
                                                               const sparcl_dense *sums);

/**
 * R := the gradient of sparcl_interactions by B, for the gradient gz of z: sparcl_spmm_t_rows of A
 * and the rows of sums times gz, and from each row the sum of (A_p A_p) gz over its entries times
 * the row of B is subtracted, entries in the order of the pattern, one after the other.
 *
 * Shapes    R [n, k] with room for a row for each column of A that has entries; the others as
 *           there. gz [m], packed. pattern: that of A, or NULL: one is built for this call.
 * Aliasing  R must not overlap an operand.
 * Scratch   m k numbers.
 * Errors    also E_ARG: another pattern. The rest as sparcl_interactions and sparcl_spmm_t_rows.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_interactions_rows(
    sparcl_ctx *ctx, sparcl_rows *r, const sparcl_csr *a, const sparcl_dense *b,
    const sparcl_dense *sums, const sparcl_dense *gz, sparcl_pattern *pattern);

/**
 * The interactions of a field-aware factorization machine (Juan et al., RecSys 2016): for each
 * entry p of A the sum over the entries q after it in its row,
 *
 *   t[p] := sum of (A_p A_q) <E[p, block f_q], E[q, block f_p]>
 *
 * where f_p is the field of entry p, and row p of E, such as a row of a table for the column of the
 * entry (sparcl_gather_rows), has a block of k numbers for each field. The sum of t over the
 * entries of a row is that over all pairs.
 *
 * Shapes    A [m, n]; fields: a list of A.nnz, limit F; E [A.nnz, F k]; t [A.nnz], packed.
 * Types     one dtype: F32 or F64.
 * Order     each dot product from the first element to the last; q ascending. Elements of t past
 *           the entries of A are 0.
 * Aliasing  t must not overlap an operand. Columns of A are not read.
 * Result    the same bits everywhere. Host: returns after enqueueing.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG, E_UNCHECKED; E_UNSUPPORTED: a device that stops long
 *           loops, and rows that are, or may be, too long for it.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_field_interactions(sparcl_ctx *ctx, const sparcl_dense *t, const sparcl_csr *a,
                          const sparcl_list *fields, const sparcl_dense *e);

/**
 * ge := the gradient of sparcl_field_interactions by E, for the gradient gt of t: to block f_q of
 * row p, for each other entry q of its row in ascending order, ((A_p A_q) gt[min(p, q)]) times
 * block f_p of E[q] is added. ge has the shape of E, gt that of t; neither ge nor an operand may
 * overlap. The rest as there.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_field_interactions_gradient(
    sparcl_ctx *ctx, const sparcl_dense *ge, const sparcl_csr *a, const sparcl_list *fields,
    const sparcl_dense *e, const sparcl_dense *gt);

/* --- dropout, negative samples, normalisation ------------------------------------------------- */

/**
 * y := x / (1 - p) where the mask keeps the element, else 0, whatever x is. An element is kept with
 * probability 1 - p. The gradient of x is the same call on the gradient of y.
 *
 * The mask is a function of seed, offset and the number e of an element, counted row by row without
 * gaps: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3;
 * 2011) with the key `seed` and the counter c + 2^64 * offset, where c = 16 (e / 64) + e mod 16;
 * its word (e / 16) mod 4 is less than p * 2^32, rounded, where the element is dropped. Another
 * offset for each call gives independent masks.
 *
 * Shapes    x and y of one shape, of any rank.
 * Types     one dtype: F32, F64, F16 or BF16.
 * Order     one product with 1 / (1 - p), which is computed in double and rounded.
 * Aliasing  y may be the array of x itself (not a part of it); nothing else may overlap.
 * Result    the same bits everywhere.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS; E_ARG: p is not in 0 .. 1.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_dropout(sparcl_ctx *ctx, const sparcl_dense *y,
                                                          const sparcl_dense *x, double p,
                                                          uint64_t seed, uint64_t offset);

/**
 * Columns that rows of a sparse matrix do not have: negative examples, such as items that a user
 * does not know.
 *
 * to[t] := a column from `first` on that row rows[t] of A does not store. For c = 0 .. 15 column
 * first + floor(w * (A.cols - first) / 2^32) is drawn, where w is word c % 4 of the four that
 * Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011)
 * makes of the key `seed` and the counter whose words are the lower one of t, the upper one of t
 * plus 65536 * (c / 4), and both of `offset`. The first that the row does not store is the result;
 * if it stores all 16, the next column after the last one that it does not store, where `first`
 * follows the last column; if it stores all columns, the last one drawn.
 *
 * Shapes    A m x n, of which only the pattern is read, first 0 to n - 1, n at most 2^32; rows: a
 *           list with the limit m; to: as many, with the limit n.
 * Types     any; the lists may have other index types than A.
 * Aliasing  `to` must not overlap an operand.
 * Result    the same everywhere. `to` is marked VALID.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE; E_DTYPE; E_ALIAS; E_ARG: `first` is not as above; E_UNCHECKED: A must be
 * proven or trusted to be VALID, SORTED and UNIQUE, rows to be VALID.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_negative_samples(sparcl_ctx *ctx, sparcl_list *to, const sparcl_csr *a,
                        const sparcl_list *rows, int64_t first, uint64_t seed, uint64_t offset);

/*
 * Normalisation: with the mean and the variance (the mean of the squared differences) of a row, or
 * of a column, y = ((x - mean) * rstd) * gamma + beta, where rstd = 1 / sqrt(variance + epsilon)
 * and gamma and beta are of the column (Ba, Kiros, Hinton: Layer normalization, 2016; Ioffe,
 * Szegedy: Batch normalization, 2015). gamma NULL: 1; beta NULL: 0.
 *
 * For all functions below:
 * Shapes    X, Y and their gradients [m, n]; gamma, beta and their gradients [n]; statistics [m]
 *           for rows, [n] for columns.
 * Types     one dtype, F32, F64, F16 or BF16; statistics are F64 for F64, else F32.
 * Order     sums along a row: rule S with one column; over the rows: rule S as one of several
 *           columns. A mean is one division of a sum. Formulas from left to right, each operation
 *           rounded once.
 * Aliasing  results must not overlap each other or the operands.
 * Result    the same bits everywhere.
 * Scratch   columns, and gradients of gamma and beta: two elements for each column and 256 rows,
 *           and up to three for each column.
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_SHAPE, E_DTYPE, E_ALIAS, E_ARG; E_UNSUPPORTED: a device that stops long loops early.
 */

/** Layer normalisation: each row by its own statistics. Results that are NULL (y, mean, rstd) are
 * not stored. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_layer_norm(
    sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x, const sparcl_dense *gamma,
    const sparcl_dense *beta, double epsilon, const sparcl_dense *mean, const sparcl_dense *rstd);

/** The gradients for the gradient GY of Y and the statistics of the forward call; results that are
 * NULL are not computed. With N = (x - mean) * rstd and g = gy * gamma: gx = rstd * ((g - a) - N *
 * b), where a is the mean of g and b that of g * N over the row; ggamma is the sum of gy * N over
 * the rows, gbeta that of gy. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_layer_norm_gradient(
    sparcl_ctx *ctx, const sparcl_dense *gx, const sparcl_dense *ggamma, const sparcl_dense *gbeta,
    const sparcl_dense *gy, const sparcl_dense *x, const sparcl_dense *gamma,
    const sparcl_dense *mean, const sparcl_dense *rstd);

/** Batch normalisation in training: each column by its own statistics. Results that are NULL (y,
 * mean, rstd) are not stored. Where running statistics are not NULL (both or none), running becomes
 * (1 - momentum) * running + momentum * s, where s is the mean, or the variance times m / (m - 1);
 * that needs m > 1. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_batch_norm(
    sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x, const sparcl_dense *gamma,
    const sparcl_dense *beta, double epsilon, const sparcl_dense *mean, const sparcl_dense *rstd,
    double momentum, const sparcl_dense *running_mean, const sparcl_dense *running_variance);

/** Batch normalisation by given means and variances. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_batch_norm_inference(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x,
                            const sparcl_dense *gamma, const sparcl_dense *beta, double epsilon,
                            const sparcl_dense *mean, const sparcl_dense *variance);

/** As sparcl_layer_norm_gradient, for sparcl_batch_norm: gx = (gamma * rstd) * ((gy - a) - N * b),
 * where a is the mean of gy and b that of gy * N over the column. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_batch_norm_gradient(
    sparcl_ctx *ctx, const sparcl_dense *gx, const sparcl_dense *ggamma, const sparcl_dense *gbeta,
    const sparcl_dense *gy, const sparcl_dense *x, const sparcl_dense *gamma,
    const sparcl_dense *mean, const sparcl_dense *rstd);

#ifdef __cplusplus
}
#endif

#endif
