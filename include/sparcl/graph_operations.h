/* graph_operations.h: the operations of graphs. */
#ifndef SPARCL_GRAPH_OPERATIONS_H
#define SPARCL_GRAPH_OPERATIONS_H

#include "sparcl/graph.h"
#include "sparcl/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A * B: A a CSR matrix [m, k], B dense [k, n] or [k]; the result is [m, n] or [m]. */
SPARCL_API sparcl_node sparcl_graph_spmm(sparcl_graph *graph, sparcl_node a, sparcl_node b);
/** transpose(A) * B: A a CSR matrix [k, m], B dense [k, n] or [k]; the result is [m, n] or [m]. */
SPARCL_API sparcl_node sparcl_graph_spmm_t(sparcl_graph *graph, sparcl_node a, sparcl_node b);
/** A * B: A a CSR matrix [m, k], B a row-sparse array [k, n] or [k], whose rows with one index are
 * added; the result is dense: [m, n] or [m]. Memory is that of the rows that B stores. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_spmm_rows(sparcl_graph *graph, sparcl_node a,
                                                           sparcl_node b);
/** transpose(A) * B as sparcl_graph_spmm_t, but as a row-sparse array, sorted and unique: a row for
 * each column of A that has entries. MXNet: dot(csr.T, dense) of the format row_sparse. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_spmm_t_rows(sparcl_graph *graph, sparcl_node a,
                                                             sparcl_node b);
/** op(A) * op(B), of two dense matrices, of a CSR matrix and a dense one, in either order, or of a
 * CSR matrix and a row-sparse array (op N). It adds the operations of the product: spmm, spmm_t,
 * spmm_rows or gemm, and transposes. */
SPARCL_API sparcl_node sparcl_graph_matmul(sparcl_graph *graph, sparcl_op op_a, sparcl_node a,
                                           sparcl_op op_b, sparcl_node b);
/** The transpose of a dense matrix, or of a CSR matrix, with sorted rows. */
SPARCL_API sparcl_node sparcl_graph_transpose(sparcl_graph *graph, sparcl_node x);
/** For each entry (i, j) of a CSR matrix A [m, k] with n entries the dot product of row i of x [m,
 * d] and row j of y [k, d], or the product of elements of vectors: [n]. The values of A are not
 * read. sparcl_graph_with_values makes a matrix of the result. */
SPARCL_API sparcl_node sparcl_graph_sddmm(sparcl_graph *graph, sparcl_node a, sparcl_node x,
                                          sparcl_node y);
/** op(A) * op(B), both dense matrices; SPARCL_MATH_EXACT. */
SPARCL_API sparcl_node sparcl_graph_gemm(sparcl_graph *graph, sparcl_op op_a, sparcl_node a,
                                         sparcl_op op_b, sparcl_node b);
/** The sum of up to 8 arrays of one shape: row-sparse, sorted and unique, where all are row-sparse
 * (sparcl_rows_add_n); dense where one is dense (sparcl_add_n). */
SPARCL_API sparcl_node sparcl_graph_add_n(sparcl_graph *graph, const sparcl_node *x, int count);
/** A function of each element of x: dense, or, for functions that are 0 at 0, the stored values of
 * a CSR, COO or row-sparse array. */
SPARCL_API sparcl_node sparcl_graph_unary(sparcl_graph *graph, sparcl_unary_op op, sparcl_node x);
/** Each element of x, at least `low` and at most `high`; of a CSR, COO or row-sparse array with
 * low <= 0 <= high. */
SPARCL_API sparcl_node sparcl_graph_clip(sparcl_graph *graph, sparcl_node x, double low,
                                         double high);
/** x op y, both dense; y is broadcast as in sparcl_binary: a bias [n] is added to each row of x [m,
 * n]. */
SPARCL_API sparcl_node sparcl_graph_binary(sparcl_graph *graph, sparcl_binary_op op, sparcl_node x,
                                           sparcl_node y);
/** x op y with a number: of each element of a dense array, or of the stored values of a CSR matrix
 * or a row-sparse array, where 0 must stay 0: times and divided by any number, plus and minus 0
 * only. See sparcl_binary_scalar. The gradient of a maximum or minimum is that where x is chosen,
 * and 0 where x is NaN. */
SPARCL_API sparcl_node sparcl_graph_binary_scalar(sparcl_graph *graph, sparcl_binary_op op,
                                                  sparcl_node x, double y);
/** x with its values in another floating-point type: x itself where it has that type. Dense, or
 * the values of a CSR matrix, COO array or row-sparse array, whose indices stay. A number is
 * rounded to nearest, ties to even; to F16 and BF16 by way of F32 (sparcl_copy). E_DTYPE;
 * E_UNSUPPORTED: the device has no F64. */
SPARCL_API sparcl_node sparcl_graph_cast(sparcl_graph *graph, sparcl_node x, sparcl_dtype dtype);
/** The CSR matrix A [m, k] with its entries times, or divided by, v [m] of their row (axis 1), or v
 * [k] of their column (axis 0). */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_csr_broadcast(sparcl_graph *graph,
                                                               sparcl_binary_op op, sparcl_node a,
                                                               sparcl_node v, int axis);
/** The rows of x [n, ...] whose indices are in a list with the limit n, in its order: [count, ...].
 */
SPARCL_API sparcl_node sparcl_graph_gather(sparcl_graph *graph, sparcl_node x, sparcl_node list);
/** The column of each entry of a CSR matrix, as a list. Of capacity that a result does not use it
 * is 0; an input must have nnz entries. */
SPARCL_API sparcl_node sparcl_graph_columns(sparcl_graph *graph, sparcl_node a);
/** Sums of rows, one for each entry of a CSR matrix A [m, k] with n entries: e [n, d] or [n], the
 * result [m, d] or [m]; row i is the sum of A's value times e[j] over the entries j of its row i.
 * With e = gather(table, columns(A)), this is an embedding bag, and has the bits of spmm(A, table).
 */
SPARCL_API sparcl_node sparcl_graph_bag(sparcl_graph *graph, sparcl_node a, sparcl_node e);
/** The values of a CSR matrix or COO array with n entries, as [n]; or the stored rows of a
 * row-sparse array, as [n, ...]. They have a gradient where they depend on parameters: the gradient
 * of a sparse array is a dense one of this shape. */
SPARCL_API sparcl_node sparcl_graph_values(sparcl_graph *graph, sparcl_node a);
/** A CSR matrix or COO array with the indices of A, which has n entries, and the values v [n]; or a
 * row-sparse array with the indices of A, which has n stored rows, and the rows v [n, ...]. Values
 * that are parameters are the weights of a sparse layer. The result has the type of v, whatever
 * that of A is. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_with_values(sparcl_graph *graph, sparcl_node a,
                                                             sparcl_node v);
/*
 * CSR matrices in another order and shape (sparcl/ops/structure.h). Results are CSR matrices with
 * room for as many entries as their operands, where nothing else is said. Sizes are numbers or
 * dimensions.
 */
/** A CSR matrix or COO array in another shape with as many elements, in row-major order: see
 * sparcl_csr_reshape and sparcl_coo_reshape. */
SPARCL_API sparcl_node sparcl_graph_reshape(sparcl_graph *graph, sparcl_node a, int rank,
                                            const int64_t *shape);
/** The entries of each row of a CSR matrix in the order of their columns, or those of a COO array
 * in the order of their indices (stable). */
SPARCL_API sparcl_node sparcl_graph_sort(sparcl_graph *graph, sparcl_node a);
/** The entries of a CSR matrix with column - row <= diagonal (SPARCL_LOWER), >= or ==. */
SPARCL_API sparcl_node sparcl_graph_triangle(sparcl_graph *graph, sparcl_node a, sparcl_part part,
                                             int64_t diagonal);
/** The entries of a CSR matrix with |x| > threshold, or that are NaN; with 0 all that are not 0. */
SPARCL_API sparcl_node sparcl_graph_prune(sparcl_graph *graph, sparcl_node a, double threshold);
/** `size` rows (axis 0) of a dense or row-sparse array or a CSR matrix, or columns (axis 1) of a
 * dense or CSR matrix, from `start` on. Several of them split it. E_SHAPE: it has not as many. See
 * sparcl_graph_coo_slice for COO arrays. */
SPARCL_API sparcl_node sparcl_graph_slice(sparcl_graph *graph, sparcl_node x, int axis,
                                          int64_t start, int64_t size);
/** The rows or columns of a CSR matrix whose indices are in a list, in its order, with room for
 * `entries` entries; what does not fit is dropped. */
SPARCL_API sparcl_node sparcl_graph_take_rows(sparcl_graph *graph, sparcl_node a, sparcl_node list,
                                              int64_t entries);
SPARCL_API sparcl_node sparcl_graph_take_columns(sparcl_graph *graph, sparcl_node a,
                                                 sparcl_node list, int64_t entries);
/** A CSR matrix in which the rows that are not in a list are empty. */
SPARCL_API sparcl_node sparcl_graph_retain_rows(sparcl_graph *graph, sparcl_node a,
                                                sparcl_node list);
/** Arrays of one format one after the other: rows (axis 0) or columns (axis 1) of any number of CSR
 * matrices; up to 8 dense matrices, with axis 0 also vectors; up to 8 COO arrays along any axis. */
SPARCL_API sparcl_node sparcl_graph_concat(sparcl_graph *graph, const sparcl_node *in, int count,
                                           int axis);
/** A matrix with several CSR matrices on its diagonal. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_block_diagonal(sparcl_graph *graph,
                                                                const sparcl_node *in, int count);
/** A row-sparse array [limit, ...] with the rows of x [n, ...] at the indices of a list. Where an
 * index occurs twice, sparcl_graph_add_n of this array alone adds its rows. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_as_rows(sparcl_graph *graph, sparcl_node x,
                                                         sparcl_node list);
/** The rows of a list, of a row-sparse array that is sorted and unique: also those that it does not
 * store, as zeros (sparcl_rows_retain_all), or the others only (sparcl_rows_retain_stored). */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_rows_retain_all(sparcl_graph *graph, sparcl_node x,
                                                                 sparcl_node list);
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_rows_retain_stored(sparcl_graph *graph,
                                                                    sparcl_node x,
                                                                    sparcl_node list);
/** A CSR matrix with sorted rows, and an entry in column 0 of each row that has none; or a COO
 * array, sorted, with one in each index of dimension 0 that has none; with room for as many more
 * entries as there are rows. The value of the new entries is a number, or where value_node is not
 * SPARCL_NO_NODE, and A a CSR matrix, that node [1], which has a gradient. */
SPARCL_API sparcl_node sparcl_graph_fill_empty_rows(sparcl_graph *graph, sparcl_node a,
                                                    double value, sparcl_node value_node);
/** What an embedding may have; a field that is 0 has its default. */
typedef struct sparcl_embedding_options {
    size_t size;            /**< 0 or sizeof(sparcl_embedding_options): which fields there are */
    sparcl_bag_mode mode;   /**< what a bag makes of its rows */
    int has_padding;        /**< 1: there is a padding index */
    int64_t padding_index;  /**< its entries are left out */
    int scale_by_frequency; /**< see sparcl_bags; not in mode MAX */
    double max_norm;      /**< rows that are read are made shorter, in the table itself, where their
                             norm is larger: see sparcl_embedding_renorm. 0: none are */
    double norm_type;     /**< 1, 2 (0 as well) or INFINITY */
    sparcl_bounds bounds; /**< what happens with bad indices of a list, of a table of rank 1 or 2;
                             the columns of a matrix are not bad: ERROR */
} sparcl_embedding_options;

/** The rows of a table [n, ...] whose indices are in a list with the limit n, in its order: [count,
 * ...]; rows of 0 for the padding index. See sparcl_embedding. Options may be NULL; they have no
 * mode here. A table with a max_norm is a parameter or an input: each step writes it before the
 * lookup (a run without a step may write a copy of a parameter). The gradient is that for the rows
 * as they then are. */
SPARCL_API sparcl_node sparcl_graph_embedding(sparcl_graph *graph, sparcl_node table,
                                              sparcl_node list,
                                              const sparcl_embedding_options *options);
/** What a mode makes of the rows of a table [k, d] or [k] in each row of a CSR matrix A [m, k],
 * whose values are the weights (but of a maximum): [m, d] or [m]. Entries in the column of the
 * padding index are left out. See sparcl_embedding_bag. Options may be NULL: the sum. */
SPARCL_API sparcl_node sparcl_graph_embedding_bag(sparcl_graph *graph, sparcl_node a,
                                                  sparcl_node table,
                                                  const sparcl_embedding_options *options);
/** What bags of a list may have; a field that is 0 has its default. */
typedef struct sparcl_bag_options {
    size_t size;           /**< 0 or sizeof(sparcl_bag_options): which fields there are */
    sparcl_bounds bounds;  /**< what happens with bad indices */
    int include_last;      /**< 1: there are bags + 1 offsets; 0: there are `bags` */
    int has_padding;       /**< 1: there is a padding index */
    int64_t padding_index; /**< its entries are left out */
} sparcl_bag_options;

/**
 * Bags of a list of n indices with the limit k as a CSR matrix [bags, k] with room for n entries,
 * as sparcl_embedding_bag takes them. Bag i has the indices from offset i on: see sparcl_bags.
 * Offsets are a list of `bags` or bags + 1 numbers, whose limit does not matter; SPARCL_NO_NODE:
 * each index is a bag. Values are weights [n], or SPARCL_NO_NODE: 1. Options may be NULL. With
 * bounds other than SPARCL_BOUNDS_ERROR the list need not be valid.
 *
 * The gradient by a table of bags that are computed is dense: the rows that they read are not known
 * before a run. Where all indices are good, and offsets have the last one, a sparcl_csr with these
 * buffers, and ones as values, is the same matrix without a copy: as an input (sparcl_graph_csr) it
 * gives a row-sparse gradient.
 */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_bag_matrix(sparcl_graph *graph, sparcl_node ids,
                                                            sparcl_node offsets, int64_t bags,
                                                            sparcl_node weights,
                                                            const sparcl_bag_options *options);
/** Dropout of x with probability p: see sparcl_dropout. The mask depends on the seed, on the node,
 * and on the number of training steps so far (sparcl_graph_set_step). */
SPARCL_API sparcl_node sparcl_graph_dropout(sparcl_graph *graph, sparcl_node x, double p,
                                            uint64_t seed);
/** x [m, n], each row normalised, times gamma [n] plus beta [n]: see sparcl_layer_norm. */
SPARCL_API sparcl_node sparcl_graph_layer_norm(sparcl_graph *graph, sparcl_node x,
                                               sparcl_node gamma, sparcl_node beta, double epsilon);
/** x [m, n], each column normalised by its own statistics, times gamma [n] plus beta [n]: see
 * sparcl_batch_norm. There are no running statistics: evaluation takes those of its batch, too. */
SPARCL_API sparcl_node sparcl_graph_batch_norm(sparcl_graph *graph, sparcl_node x,
                                               sparcl_node gamma, sparcl_node beta, double epsilon);
/**
 * The same with running statistics [n], which are parameters or inputs, and may not overlap. With
 * the mean and the variance of each column of a batch of m > 1 rows (E_SHAPE for fewer), a training
 * step makes
 *
 *     running_mean     := (1 - momentum) * running_mean     + momentum * mean
 *     running_variance := (1 - momentum) * running_variance + momentum * (variance * m / (m - 1))
 *
 * as in PyTorch's BatchNorm1d, where momentum is 0.1; the variance without bias is that of Ioffe,
 * Szegedy: Batch normalization (2015), algorithm 2. sparcl_graph_forward does not change them.
 * After sparcl_graph_set_training(graph, 0) columns are normalised by the running statistics
 * (sparcl_batch_norm_inference), which has no gradient: a step is then E_UNSUPPORTED.
 *
 * The statistics have no gradient: a parameter that nothing else reads keeps what this writes. It
 * begins with zeros; a running variance usually begins with ones (sparcl_graph_value, or `init` of
 * an architecture). Its penalty should be 0 (sparcl_build.optim_without_l2).
 */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_batch_norm_running(
    sparcl_graph *graph, sparcl_node x, sparcl_node gamma, sparcl_node beta, double epsilon,
    double momentum, sparcl_node running_mean, sparcl_node running_variance);
/** A row-sparse array, a CSR matrix or a COO array as a dense array, which needs the memory of all
 * its elements; it obeys sparcl_ctx_set_densify. (Gradients do not: that of a dense array is
 * dense.) Rows and entries with one index are added. */
SPARCL_API sparcl_node sparcl_graph_to_dense(sparcl_graph *graph, sparcl_node x);
/** The elements of x where a CSR matrix or COO array A of its shape, with n entries, has an entry:
 * [n]. The values of A are not read. sparcl_graph_with_values makes a matrix of the result. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_sparse_mask(sparcl_graph *graph, sparcl_node a,
                                                             sparcl_node x);
/** The elements of x [m, n], dense or row-sparse, with |x| > threshold, or that are NaN, as a CSR
 * matrix with room for `entries` entries; what does not fit is dropped. Rows of one index are added
 * first. Or all entries of a COO array, with 0 for both. */
SPARCL_API sparcl_node sparcl_graph_to_csr(sparcl_graph *graph, sparcl_node x, double threshold,
                                           int64_t entries);
/** The k largest elements of each row of x [m, n], as a CSR matrix with k entries in each row; n is
 * a number, no dimension, and at least k. See sparcl_topk_rows. */
SPARCL_API sparcl_node sparcl_graph_topk_rows(sparcl_graph *graph, sparcl_node x, int64_t k,
                                              sparcl_topk by);
/** The rows of x [n, ...] that have an element with |x| > threshold, or that is NaN, as a
 * row-sparse array with room for `stored` rows; what does not fit is dropped. Or, with the
 * threshold 0, the rows of a CSR matrix that have entries; entries of one column are added. */
SPARCL_API sparcl_node sparcl_graph_to_rows(sparcl_graph *graph, sparcl_node x, double threshold,
                                            int64_t stored);
/** The interactions of a factorization machine: for each row of a CSR matrix [m, n] the sum of a_p
 * a_q <b_p, b_q> over all pairs of its entries, with the rows of b [n, k] for their columns. See
 * sparcl_interactions. The matrix's values have no gradient. */
SPARCL_API sparcl_node sparcl_graph_interactions(sparcl_graph *graph, sparcl_node a, sparcl_node b);
/** The interactions of a field-aware factorization machine: for each entry of a CSR matrix with e
 * entries those with the entries after it in its row; fields is a list [e] below F, rows [e, F k].
 * See sparcl_field_interactions. The matrix's values have no gradient. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_field_interactions(sparcl_graph *graph,
                                                                    sparcl_node a,
                                                                    sparcl_node fields,
                                                                    sparcl_node rows);
/** The loss of each row: scores [m, k] or [m], labels [m]; the result is [m]. See
 * sparcl_loss_gradient. Labels have no gradient. */
SPARCL_API sparcl_node sparcl_graph_loss(sparcl_graph *graph, sparcl_loss loss, sparcl_node scores,
                                         sparcl_node labels);
/** The sum of the rows of a dense array [m, k], as [k]; of a vector as [1]. */
SPARCL_API sparcl_node sparcl_graph_sum(sparcl_graph *graph, sparcl_node x);
/** The mean of a vector, as [1]. */
SPARCL_API sparcl_node sparcl_graph_mean(sparcl_graph *graph, sparcl_node x);
/** A reduction of each row (axis 1), of each column (0), or of all elements (-1), as a vector: of a
 * CSR matrix (sparcl_csr_reduce), of dense x [m, n] or [m] (sparcl_dense_reduce: SUM, MEAN,
 * SQUARE_SUM, NORM or NORM1), or of the stored rows of a row-sparse array (sparcl_rows_reduce; axis
 * 1: of each stored row). `over` is of CSR matrices. COO arrays: sparcl_graph_coo_reduce. */
SPARCL_API sparcl_node sparcl_graph_reduce(sparcl_graph *graph, sparcl_reduction kind,
                                           sparcl_reduce_over over, sparcl_node x, int axis);
/** A reduction of the rows of x [n, ...] in each segment. Segments are a list of n indices, whose
 * limit is their number, or the rows of a CSR matrix with n entries: see sparcl_segment_reduce. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_segment_reduce(sparcl_graph *graph,
                                                                sparcl_reduction kind,
                                                                sparcl_node x,
                                                                sparcl_node segments);
/** The dot product of each row of x with the same row of y, as [m]; x and y have one shape. */
SPARCL_API sparcl_node sparcl_graph_dot_rows(sparcl_graph *graph, sparcl_node x, sparcl_node y);
/** The softmax of the stored entries of each row of a CSR matrix, or its logarithm, as a vector of
 * values: see sparcl_csr_softmax, and sparcl_graph_with_values for the matrix of them. */
SPARCL_API sparcl_node sparcl_graph_csr_softmax(sparcl_graph *graph, sparcl_softmax kind,
                                                sparcl_node a);
/** The same of each column of x [n, heads], whose rows belong to the n entries of a CSR matrix: see
 * sparcl_csr_softmax_heads. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_csr_softmax_heads(sparcl_graph *graph,
                                                                   sparcl_softmax kind,
                                                                   sparcl_node a, sparcl_node x);
/** The sum (as spmm), mean, maximum or minimum of the terms of each element of A * B: A a CSR
 * matrix [m, k], B dense [k, n] or [k]. See sparcl_spmm_reduce. */
SPARCL_API sparcl_node sparcl_graph_spmm_reduce(sparcl_graph *graph, sparcl_reduction kind,
                                                sparcl_node a, sparcl_node b);
/** A * B of CSR matrices [m, k] and [k, n], as a CSR matrix with room for `entries` entries; more
 * are dropped. B must be sorted, without duplicates. See sparcl_spgemm_numeric. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_spgemm(sparcl_graph *graph, sparcl_node a,
                                                        sparcl_node b, int64_t entries);
/** alpha * A + beta * B: of CSR matrices or COO arrays of one shape, sorted and without duplicates,
 * and so is the result (sparcl_csr_add, sparcl_coo_add); or of dense arrays, where B is broadcast
 * as in sparcl_binary. */
SPARCL_API sparcl_node sparcl_graph_add(sparcl_graph *graph, double alpha, sparcl_node a,
                                        double beta, sparcl_node b);
/** The product of A and B element by element: of two CSR matrices, COO arrays or row-sparse arrays
 * of one shape, sorted and without duplicates: the entries or rows that both have; of a CSR matrix
 * or row-sparse array and a dense one of its shape: with the indices of A; or of dense arrays,
 * where B is broadcast as in sparcl_binary. */
SPARCL_API sparcl_node sparcl_graph_multiply(sparcl_graph *graph, sparcl_node a, sparcl_node b);

/* --- COO arrays ------------------------------------------------------------------------------- */

/*
 * The gradient of a COO array is a vector with one number for each stored entry, as that of a CSR
 * matrix: sparcl_graph_values gives the values of one, sparcl_graph_with_values other values to its
 * indices, and sparcl_graph_cast, sparcl_graph_unary and sparcl_graph_clip take one. Results have a
 * count on the device, and values of 0 past it. A shape has numbers and dimensions; the number of
 * entries is the capacity. Also see sparcl_graph_to_dense and sparcl_graph_sparse_mask.
 */

/** An input: a COO array with room for `entries` entries, which may be from sparcl_graph_dim. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_coo(sparcl_graph *graph, const char *name,
                                                     int rank, const int64_t *shape,
                                                     int64_t entries);
/** Bind an input, as sparcl_graph_bind_csr. view->nnz is the number of entries of this run, or,
 * where the view has a count, its capacity. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_graph_bind_coo(sparcl_graph *graph, sparcl_node input, const sparcl_coo *view);
/** As sparcl_graph_value, for a COO array. Its nnz is the capacity, view->count the number of
 * entries. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_coo_value(sparcl_graph *graph,
                                                                               sparcl_node node,
                                                                               sparcl_coo *view);

/** The entries of a COO array sorted, those with one index combined: see sparcl_coo_coalesce.
 * Of a CSR matrix, with SPARCL_SUM: entries of one column are added. */
SPARCL_API sparcl_node sparcl_graph_coalesce(sparcl_graph *graph, sparcl_node a,
                                             sparcl_duplicates how);
/** The transpose whose dimension d is dimension axes[d] of A, sorted: see sparcl_coo_permute. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_coo_permute(sparcl_graph *graph, sparcl_node a,
                                                             int rank, const int *axes);
/** A with a dimension of size 1 before dimension `axis`, 0 to the rank. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_coo_expand_dims(sparcl_graph *graph, sparcl_node a,
                                                                 int axis);
/** A without dimension `axis`, whose size is the number 1, or with axis -1 without all such
 * dimensions; one dimension is always left. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_coo_squeeze(sparcl_graph *graph, sparcl_node a,
                                                             int axis);
/** The entries of A with `count` dimensions of their indices: dimension d is axes[d] of A. It moves
 * nothing; its entries are in no order, and several may have one index. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_coo_project(sparcl_graph *graph, sparcl_node a,
                                                             int count, const int *axes);
/** The part of A from index start[d] on, with shape[d] indices in each dimension d: see
 * sparcl_coo_slice. */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_coo_slice(sparcl_graph *graph, sparcl_node a,
                                                           int rank, const int64_t *start,
                                                           const int64_t *shape);
/**
 * The sum, mean, maximum or minimum of the stored entries over `count` axes, or with axes NULL over
 * all, as a dense array of the other dimensions, of [1] where there are none; 0 where there is no
 * entry. It adds nodes for coo_project, coalesce (not for a sum) and to_dense, and what
 * sparcl_ctx_set_densify says holds. Entries of one index count one by one.
 */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_coo_reduce(sparcl_graph *graph,
                                                            sparcl_duplicates how, sparcl_node a,
                                                            int count, const int *axes);
/** The elements of x, dense, with |x| > threshold, or that are NaN, as a COO array with room for
 * `entries` entries; what does not fit is dropped. Or all entries of a CSR matrix, with 0 for both.
 */
SPARCL_EXPERIMENTAL_API sparcl_node sparcl_graph_to_coo(sparcl_graph *graph, sparcl_node x,
                                                        double threshold, int64_t entries);

#ifdef __cplusplus
}
#endif

#endif
