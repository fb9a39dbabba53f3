/* graph.h: a model as a graph: built once, run for each batch, with gradients and optimizer steps.
 */
#ifndef SPARCL_GRAPH_H
#define SPARCL_GRAPH_H

#include "sparcl/context.h"
#include "sparcl/convert.h"
#include "sparcl/dense_ops.h"
#include "sparcl/elementwise.h"
#include "sparcl/embedding.h"
#include "sparcl/loss.h"
#include "sparcl/ops.h"
#include "sparcl/optim.h"
#include "sparcl/reductions.h"
#include "sparcl/sparse_products.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A graph is built once and run many times, with other inputs each time:
 *
 *     int64_t rows = sparcl_graph_dim(graph, "rows", 1024);
 *     sparcl_node x = sparcl_graph_csr(graph, "x", rows, columns, entries);
 *     sparcl_node y = sparcl_graph_dense(graph, "y", 1, &rows);
 *     sparcl_node w = sparcl_graph_parameter(graph, "w", 2, (int64_t[]){columns, 1}, &optim);
 *     sparcl_node loss = sparcl_graph_mean(graph,
 *         sparcl_graph_loss(graph, SPARCL_LOSS_LOGISTIC, sparcl_graph_spmm(graph, x, w), y));
 *     sparcl_graph_backward(graph, loss);
 *     ...
 *     sparcl_graph_bind_csr(graph, x, &batch);
 *     sparcl_graph_bind_dense(graph, y, &labels);
 *     status = sparcl_graph_step(graph);
 *
 * Errors while a graph is built: a function that adds a node returns SPARCL_NO_NODE, and the graph
 * keeps the first error. A node argument that is SPARCL_NO_NODE is passed on without another error.
 * So only the first run has to be checked: it returns the first error, and sparcl_ctx_error has its
 * text, with the name of the node.
 *
 * Dimensions: a number of at least 0, or what sparcl_graph_dim returned: a size that may change
 * from run to run, up to its capacity. It is the size in the inputs that are bound, which must
 * agree.
 *
 * Types: nodes are F32, or F64 where sparcl_graph_set_dtype said so before; the operands of an
 * operation have one type, which is that of its result. Indices and offsets are I32 or I64, as the
 * views that are bound have them. A graph belongs to its context, and is used by one thread at a
 * time.
 */

/** A graph. */
typedef struct sparcl_graph sparcl_graph;

/** A node: an input, a parameter, or the result of an operation. */
typedef int32_t sparcl_node;
enum { SPARCL_NO_NODE = -1 };

/** Create a graph without nodes. E_ARG, E_MEMORY: *graph is NULL. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_create(sparcl_ctx *ctx,
                                                               sparcl_graph **graph);
/** Free a graph, its parameters and its memory. NULL is allowed. */
SPARCL_API void sparcl_graph_free(sparcl_graph *graph);

/** Inputs and parameters that are added after this call have this type; at first it is F32. Errors
 * are kept, as while nodes are added: E_DTYPE; E_UNSUPPORTED: the device has no F64. */
SPARCL_API void sparcl_graph_set_dtype(sparcl_graph *graph, sparcl_dtype dtype);

/** A size that changes from run to run, from 0 to `capacity`. Returns a negative number that stands
 * for it in shapes. */
SPARCL_API int64_t sparcl_graph_dim(sparcl_graph *graph, const char *name, int64_t capacity);
/** Raise the capacity of a dimension to at least `capacity`. The next run allocates again if it
 * needs more memory. E_ARG: `dim` is not from sparcl_graph_dim. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_reserve(sparcl_graph *graph, int64_t dim,
                                                                int64_t capacity);

/* --- inputs and parameters -------------------------------------------------------------------- */

/** An input: a CSR matrix [rows, cols] with `entries` entries; each may be from sparcl_graph_dim.
 */
SPARCL_API sparcl_node sparcl_graph_csr(sparcl_graph *graph, const char *name, int64_t rows,
                                        int64_t cols, int64_t entries);
/** An input: a dense array. */
SPARCL_API sparcl_node sparcl_graph_dense(sparcl_graph *graph, const char *name, int rank,
                                          const int64_t *shape);
/** An input: a list of `count` indices of rows, each at least 0 and less than `limit`. */
SPARCL_API sparcl_node sparcl_graph_list(sparcl_graph *graph, const char *name, int64_t count,
                                         int64_t limit);
/** An input: a row-sparse array of which `stored` rows are stored; both may have sizes from
 * sparcl_graph_dim. */
SPARCL_API sparcl_node sparcl_graph_rows(sparcl_graph *graph, const char *name, int rank,
                                         const int64_t *shape, int64_t stored);
/**
 * A parameter: a dense array of zeros, which the graph owns, with the states of its optimizer. Its
 * shape has no sizes that change. optim->step and optim->last_steps are ignored: the graph counts
 * steps. The gradient is row-sparse where operations read only rows of it (sparcl_graph_spmm,
 * sparcl_graph_gather); rows that a batch does not read then catch up when they are next read,
 * where the rule can (sparcl_catch_up), and l2 of the other rules makes the gradient dense. Names
 * of parameters must be unique, and not longer than 47 bytes.
 */
SPARCL_API sparcl_node sparcl_graph_parameter(sparcl_graph *graph, const char *name, int rank,
                                              const int64_t *shape, const sparcl_optim *optim);

/* --- operations ------------------------------------------------------------------------------- */

/** A * B: A a CSR matrix [m, k], B dense [k, n] or [k]; the result is [m, n] or [m]. */
SPARCL_API sparcl_node sparcl_graph_spmm(sparcl_graph *graph, sparcl_node a, sparcl_node b);
/** transpose(A) * B: A a CSR matrix [k, m], B dense [k, n] or [k]; the result is [m, n] or [m]. */
SPARCL_API sparcl_node sparcl_graph_spmm_t(sparcl_graph *graph, sparcl_node a, sparcl_node b);
/** op(A) * op(B), of two dense matrices, or a CSR matrix and a dense one, in either order. It adds
 * the operations of the product: spmm, spmm_t or gemm, and transposes of dense matrices. */
SPARCL_API sparcl_node sparcl_graph_matmul(sparcl_graph *graph, sparcl_op op_a, sparcl_node a,
                                           sparcl_op op_b, sparcl_node b);
/** The transpose of a dense matrix. */
SPARCL_API sparcl_node sparcl_graph_transpose(sparcl_graph *graph, sparcl_node x);
/** For each entry (i, j) of a CSR matrix A [m, k] with n entries the dot product of row i of x [m,
 * d] and row j of y [k, d], or the product of elements of vectors: [n]. The values of A are not
 * read. sparcl_graph_with_values makes a matrix of the result. */
SPARCL_API sparcl_node sparcl_graph_sddmm(sparcl_graph *graph, sparcl_node a, sparcl_node x,
                                          sparcl_node y);
/** op(A) * op(B), both dense matrices; SPARCL_MATH_EXACT. */
SPARCL_API sparcl_node sparcl_graph_gemm(sparcl_graph *graph, sparcl_op op_a, sparcl_node a,
                                         sparcl_op op_b, sparcl_node b);
/** x + y, of one shape. */
SPARCL_API sparcl_node sparcl_graph_add(sparcl_graph *graph, sparcl_node x, sparcl_node y);
/** The sum of up to 8 arrays of one shape: row-sparse, sorted and unique, where all are row-sparse
 * (sparcl_rows_add_n); dense where one is dense (sparcl_add_n). */
SPARCL_API sparcl_node sparcl_graph_add_n(sparcl_graph *graph, const sparcl_node *x, int count);
/** x + bias, the same bias for each row: x [m, n] and bias [n], or x [m] and bias [1]. */
SPARCL_API sparcl_node sparcl_graph_add_bias(sparcl_graph *graph, sparcl_node x, sparcl_node bias);
/** An activation of each element. */
SPARCL_API sparcl_node sparcl_graph_activate(sparcl_graph *graph, sparcl_activation kind,
                                             sparcl_node x);
/** A function of each element of x: dense, or a CSR matrix, whose pattern stays (for functions that
 * are 0 at 0). */
SPARCL_API sparcl_node sparcl_graph_unary(sparcl_graph *graph, sparcl_unary_op op, sparcl_node x);
/** Each element of x, at least `low` and at most `high`; of a CSR matrix with low <= 0 <= high. */
SPARCL_API sparcl_node sparcl_graph_clip(sparcl_graph *graph, sparcl_node x, double low,
                                         double high);
/** x op y, both dense; y is broadcast as in sparcl_binary. */
SPARCL_API sparcl_node sparcl_graph_binary(sparcl_graph *graph, sparcl_binary_op op, sparcl_node x,
                                           sparcl_node y);
/** The CSR matrix A [m, k] with its entries times, or divided by, v [m] of their row (axis 1), or v
 * [k] of their column (axis 0). */
SPARCL_API sparcl_node sparcl_graph_csr_broadcast(sparcl_graph *graph, sparcl_binary_op op,
                                                  sparcl_node a, sparcl_node v, int axis);
/** The rows of x [n, ...] whose indices are in a list with the limit n, in its order: [count, ...].
 */
SPARCL_API sparcl_node sparcl_graph_gather(sparcl_graph *graph, sparcl_node x, sparcl_node list);
/** The column of each entry of a CSR matrix, as a list. */
SPARCL_API sparcl_node sparcl_graph_columns(sparcl_graph *graph, sparcl_node a);
/** Sums of rows, one for each entry of a CSR matrix A [m, k] with n entries: e [n, d] or [n], the
 * result [m, d] or [m]; row i is the sum of A's value times e[j] over the entries j of its row i.
 * With e = gather(table, columns(A)), this is an embedding bag, and has the bits of spmm(A, table).
 */
SPARCL_API sparcl_node sparcl_graph_bag(sparcl_graph *graph, sparcl_node a, sparcl_node e);
/** The values of a CSR matrix with n entries, as [n]; or the stored rows of a row-sparse array, as
 * [n, ...]. They have a gradient where they depend on parameters: the gradient of a sparse array is
 * a dense one of this shape. */
SPARCL_API sparcl_node sparcl_graph_values(sparcl_graph *graph, sparcl_node a);
/** A CSR matrix with the offsets and indices of A, which has n entries, and the values v [n]; or a
 * row-sparse array with the indices of A, which has n stored rows, and the rows v [n, ...]. Values
 * that are parameters are the weights of a sparse layer. */
SPARCL_API sparcl_node sparcl_graph_with_values(sparcl_graph *graph, sparcl_node a, sparcl_node v);
/*
 * CSR matrices in another order and shape (sparcl/structure.h). Results are CSR matrices with room
 * for as many entries as their operands, where nothing else is said. Sizes are numbers or
 * dimensions.
 */
/** The transpose of a CSR matrix, with sorted rows. */
SPARCL_API sparcl_node sparcl_graph_csr_transpose(sparcl_graph *graph, sparcl_node a);
/** A CSR matrix in another shape with as many elements, in row-major order. */
SPARCL_API sparcl_node sparcl_graph_csr_reshape(sparcl_graph *graph, sparcl_node a, int64_t rows,
                                                int64_t columns);
/** Rows or columns start, start + 1, ... of a CSR matrix. */
SPARCL_API sparcl_node sparcl_graph_slice_rows(sparcl_graph *graph, sparcl_node a, int64_t start,
                                               int64_t rows);
SPARCL_API sparcl_node sparcl_graph_slice_columns(sparcl_graph *graph, sparcl_node a, int64_t start,
                                                  int64_t columns);
/** The rows or columns of a CSR matrix whose indices are in a list, in its order, with room for
 * `entries` entries; what does not fit is dropped. */
SPARCL_API sparcl_node sparcl_graph_take_rows(sparcl_graph *graph, sparcl_node a, sparcl_node list,
                                              int64_t entries);
SPARCL_API sparcl_node sparcl_graph_take_columns(sparcl_graph *graph, sparcl_node a,
                                                 sparcl_node list, int64_t entries);
/** A CSR matrix in which the rows that are not in a list are empty. */
SPARCL_API sparcl_node sparcl_graph_retain_rows(sparcl_graph *graph, sparcl_node a,
                                                sparcl_node list);
/** The rows or columns of several CSR matrices, and a matrix with them on its diagonal; at least
 * one.
 */
SPARCL_API sparcl_node sparcl_graph_concat_rows(sparcl_graph *graph, const sparcl_node *in,
                                                int count);
SPARCL_API sparcl_node sparcl_graph_concat_columns(sparcl_graph *graph, const sparcl_node *in,
                                                   int count);
SPARCL_API sparcl_node sparcl_graph_block_diagonal(sparcl_graph *graph, const sparcl_node *in,
                                                   int count);
/** A row-sparse array [limit, ...] with the rows of x [n, ...] at the indices of a list. Where an
 * index occurs twice, sparcl_graph_add_n of this array alone adds its rows. */
SPARCL_API sparcl_node sparcl_graph_as_rows(sparcl_graph *graph, sparcl_node x, sparcl_node list);
/** The rows of a list, of a row-sparse array that is sorted and unique: also those that it does not
 * store, as zeros (sparcl_rows_retain_all), or the others only (sparcl_rows_retain_stored). */
SPARCL_API sparcl_node sparcl_graph_rows_retain_all(sparcl_graph *graph, sparcl_node x,
                                                    sparcl_node list);
SPARCL_API sparcl_node sparcl_graph_rows_retain_stored(sparcl_graph *graph, sparcl_node x,
                                                       sparcl_node list);
/** A CSR matrix with sorted rows, in which entries of one column are added. */
SPARCL_API sparcl_node sparcl_graph_sum_duplicates(sparcl_graph *graph, sparcl_node a);
/** A CSR matrix with sorted rows, and an entry in column 0 of each row that has none; with room for
 * as many more entries as it has rows. */
SPARCL_API sparcl_node sparcl_graph_fill_empty_rows(sparcl_graph *graph, sparcl_node a,
                                                    double value);
/** The rows of a table [n, ...] whose indices are in a list with the limit n, in its order: [count,
 * ...]; rows of 0 for the padding index, which may be negative: none. See sparcl_embedding. */
SPARCL_API sparcl_node sparcl_graph_embedding(sparcl_graph *graph, sparcl_node table,
                                              sparcl_node list, int64_t padding_index);
/** What a mode makes of the rows of a table [k, d] or [k] in each row of a CSR matrix A [m, k],
 * whose values are the weights (but of a maximum): [m, d] or [m]. Entries in the column of the
 * padding index, which may be negative (none), are left out. See sparcl_embedding_bag. */
SPARCL_API sparcl_node sparcl_graph_embedding_bag(sparcl_graph *graph, sparcl_bag_mode mode,
                                                  sparcl_node a, sparcl_node table,
                                                  int64_t padding_index);
/** What an embedding may have; a field that is 0 has its default. */
typedef struct sparcl_embedding_options {
    sparcl_bag_mode mode;   /**< what a bag makes of its rows */
    int has_padding;        /**< 1: there is a padding index */
    int64_t padding_index;  /**< its entries are left out */
    int scale_by_frequency; /**< see sparcl_bags; not in mode MAX */
    double max_norm;  /**< rows that are read are made shorter, in the table itself, where their
                         norm is larger: see sparcl_embedding_renorm. 0: none are */
    double norm_type; /**< 1, 2 (0 as well) or INFINITY */
    uint64_t reserved[2];
} sparcl_embedding_options;

/** sparcl_graph_embedding with options, without a mode. A table with a max_norm is a parameter or
 * an input: each step writes it before the lookup (a run without a step may write a copy of a
 * parameter). The gradient is that for the rows as they then are. */
SPARCL_API sparcl_node sparcl_graph_embedding_with(sparcl_graph *graph, sparcl_node table,
                                                   sparcl_node list,
                                                   const sparcl_embedding_options *options);
/** sparcl_graph_embedding_bag with options. */
SPARCL_API sparcl_node sparcl_graph_embedding_bag_with(sparcl_graph *graph, sparcl_node a,
                                                       sparcl_node table,
                                                       const sparcl_embedding_options *options);
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
SPARCL_API sparcl_node sparcl_graph_batch_norm_running(sparcl_graph *graph, sparcl_node x,
                                                       sparcl_node gamma, sparcl_node beta,
                                                       double epsilon, double momentum,
                                                       sparcl_node running_mean,
                                                       sparcl_node running_variance);
/** Up to 8 matrices one below the other (axis 0) or side by side (axis 1); axis 0 also of vectors.
 */
SPARCL_API sparcl_node sparcl_graph_dense_concat(sparcl_graph *graph, const sparcl_node *x,
                                                 int count, int axis);
/** A row-sparse array or a CSR matrix as a dense array, which needs the memory of all its elements;
 * it obeys sparcl_ctx_set_densify. Rows and entries with one index are added. */
SPARCL_API sparcl_node sparcl_graph_to_dense(sparcl_graph *graph, sparcl_node x);
/** The elements of x [m, k] where a CSR matrix A [m, k] with n entries has an entry: [n]. The
 * values of A are not read. sparcl_graph_with_values makes a matrix of the result. */
SPARCL_API sparcl_node sparcl_graph_sparse_mask(sparcl_graph *graph, sparcl_node a, sparcl_node x);
/** The k largest elements of each row of x [m, n], as a CSR matrix with k entries in each row; n is
 * a number, no dimension, and at least k. See sparcl_topk_rows. */
SPARCL_API sparcl_node sparcl_graph_topk_rows(sparcl_graph *graph, sparcl_node x, int64_t k,
                                              sparcl_topk by);
/** The loss of each row: scores [m, k] or [m], labels [m]; the result is [m]. See
 * sparcl_loss_gradient. Labels have no gradient. */
SPARCL_API sparcl_node sparcl_graph_loss(sparcl_graph *graph, sparcl_loss loss, sparcl_node scores,
                                         sparcl_node labels);
/** The sum of the rows of a dense array [m, k], as [k]; of a vector as [1]. */
SPARCL_API sparcl_node sparcl_graph_sum(sparcl_graph *graph, sparcl_node x);
/** The mean of a vector, as [1]. */
SPARCL_API sparcl_node sparcl_graph_mean(sparcl_graph *graph, sparcl_node x);
/** A reduction of x, dense [m, n] or [m]: SUM, MEAN, SQUARE_SUM, NORM or NORM1 of each row (axis
 * 1), of each column (0), or of all elements (-1); a vector of the results. See
 * sparcl_dense_reduce. */
SPARCL_API sparcl_node sparcl_graph_reduce(sparcl_graph *graph, sparcl_reduction kind,
                                           sparcl_node x, int axis);
/** A reduction of a CSR matrix by rows, by columns or of all of it, as a vector: see
 * sparcl_csr_reduce. */
SPARCL_API sparcl_node sparcl_graph_csr_reduce(sparcl_graph *graph, sparcl_reduction kind,
                                               sparcl_reduce_over over, sparcl_node a, int axis);
/** A reduction of the rows of x [n, ...] in each segment. Segments are a list of n indices, whose
 * limit is their number, or the rows of a CSR matrix with n entries: see sparcl_segment_reduce. */
SPARCL_API sparcl_node sparcl_graph_segment_reduce(sparcl_graph *graph, sparcl_reduction kind,
                                                   sparcl_node x, sparcl_node segments);
/** The dot product of each row of x with the same row of y, as [m]; x and y have one shape. */
SPARCL_API sparcl_node sparcl_graph_dot_rows(sparcl_graph *graph, sparcl_node x, sparcl_node y);
/** The softmax of the stored entries of each row of a CSR matrix, or its logarithm, as a vector of
 * values: see sparcl_csr_softmax, and sparcl_graph_with_values for the matrix of them. */
SPARCL_API sparcl_node sparcl_graph_csr_softmax(sparcl_graph *graph, sparcl_softmax kind,
                                                sparcl_node a);
/** The same of each column of x [n, heads], whose rows belong to the n entries of a CSR matrix: see
 * sparcl_csr_softmax_heads. */
SPARCL_API sparcl_node sparcl_graph_csr_softmax_heads(sparcl_graph *graph, sparcl_softmax kind,
                                                      sparcl_node a, sparcl_node x);
/** The sum (as spmm), mean, maximum or minimum of the terms of each element of A * B: A a CSR
 * matrix [m, k], B dense [k, n] or [k]. See sparcl_spmm_reduce. */
SPARCL_API sparcl_node sparcl_graph_spmm_reduce(sparcl_graph *graph, sparcl_reduction kind,
                                                sparcl_node a, sparcl_node b);
/** A * B of CSR matrices [m, k] and [k, n], as a CSR matrix with room for `entries` entries; more
 * are dropped. B must be sorted, without duplicates. See sparcl_spgemm_numeric. */
SPARCL_API sparcl_node sparcl_graph_spgemm(sparcl_graph *graph, sparcl_node a, sparcl_node b,
                                           int64_t entries);
/** alpha * A + beta * B of CSR matrices of one shape, which must be sorted, without duplicates: see
 * sparcl_csr_add. */
SPARCL_API sparcl_node sparcl_graph_csr_add(sparcl_graph *graph, double alpha, sparcl_node a,
                                            double beta, sparcl_node b);
/** The product of two such matrices element by element: see sparcl_csr_multiply. */
SPARCL_API sparcl_node sparcl_graph_csr_multiply(sparcl_graph *graph, sparcl_node a, sparcl_node b);
/** The product of a CSR matrix and a dense one of its shape, element by element: a CSR matrix with
 * the indices of A. See sparcl_csr_multiply_dense. */
SPARCL_API sparcl_node sparcl_graph_csr_multiply_dense(sparcl_graph *graph, sparcl_node a,
                                                       sparcl_node x);

/** The number of nodes: 0 to this number minus 1, in the order in which they were added. */
SPARCL_API int sparcl_graph_nodes(const sparcl_graph *graph);
/** 1 for a parameter, else 0. */
SPARCL_API int sparcl_graph_is_parameter(const sparcl_graph *graph, sparcl_node node);
/** The name of a node, "" if there is no such node. */
SPARCL_API const char *sparcl_graph_node_name(const sparcl_graph *graph, sparcl_node node);
/** Name the result of an operation for messages; without it, messages have that of its operation.
 */
SPARCL_API void sparcl_graph_name(sparcl_graph *graph, sparcl_node node, const char *name);

/* --- running ---------------------------------------------------------------------------------- */

/**
 * Add the gradients of `loss`, which has one element, by all parameters. Called once.
 *
 * A node that several operations read has the sum of their gradients, the last reader first; a
 * row-sparse one has the rows of all, and rows with one index are added (rule R of
 * docs/numerics.md).
 *
 * Errors    E_ARG, E_SHAPE; E_UNSUPPORTED: an operation on the way has no gradient, or losses reach
 *           the result through something else than sums and means.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_backward(sparcl_graph *graph,
                                                                 sparcl_node loss);
/** The node of the gradient of the last backward call by `node`; SPARCL_NO_NODE where there is
 * none. */
SPARCL_API sparcl_node sparcl_graph_gradient(const sparcl_graph *graph, sparcl_node node);
/** Keep the value of a node: it is computed in each run and valid until the next one. */
SPARCL_API void sparcl_graph_output(sparcl_graph *graph, sparcl_node node);
/** The same, in the caller's array: the next runs write to the view, which is copied. E_ARG,
 * E_SHAPE (its shape must be that of the node, which must not change from run to run), E_DTYPE. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_bind_output(sparcl_graph *graph,
                                                                    sparcl_node node,
                                                                    const sparcl_dense *view);
/** The number of training steps so far, which sparcl_graph_step counts from 0: the masks of dropout
 * depend on it. Set it to repeat a step's masks, or to go on with saved parameters. */
SPARCL_API void sparcl_graph_set_step(sparcl_graph *graph, int64_t step);
/** Off: dropout passes its operand on, and batch normalisation uses running statistics, where it
 * has them. At first it is on; evaluation of a model (sparcl_eval, sparcl_predict, the losses that
 * sparcl_train reports of whole data sets) turns it off. */
SPARCL_API void sparcl_graph_set_training(sparcl_graph *graph, int on);
/** Fusion computes several nodes in one launch: a loss with its gradient, a loss with the bias of
 * its scores, or with the product that gives them, a bag with its gather, a step with the sum of
 * rows that have one index. It is on; without it the results have the same bits. */
SPARCL_API void sparcl_graph_set_fusion(sparcl_graph *graph, int on);

/**
 * Bind an input. The view is copied; its buffers must stay until another view is bound. A sparse
 * view must be proven VALID.
 *
 * Errors    E_ARG, E_SHAPE (the message has the name of the dimension), E_DTYPE.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_bind_csr(sparcl_graph *graph,
                                                                 sparcl_node input,
                                                                 const sparcl_csr *view);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_bind_dense(sparcl_graph *graph,
                                                                   sparcl_node input,
                                                                   const sparcl_dense *view);
/** As sparcl_graph_bind_csr. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_bind_list(sparcl_graph *graph,
                                                                  sparcl_node input,
                                                                  const sparcl_list *view);
/** As sparcl_graph_bind_csr. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_bind_rows(sparcl_graph *graph,
                                                                  sparcl_node input,
                                                                  const sparcl_rows *view);

/**
 * Run forward: compute the outputs, except gradients, from the inputs and the parameters, as if all
 * rows had caught up to the last step. No parameter changes.
 *
 * Host      returns after enqueueing; never waits for the device. The first run allocates memory.
 * Errors    the first error of building; E_ARG: an input is not bound; E_SHAPE: inputs have
 *           different sizes for one dimension; E_MEMORY; errors of the operations. The message
 *           begins with the name of the node.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_forward(sparcl_graph *graph);
/** Run a training step: forward, backward, and a step of each parameter. As sparcl_graph_forward.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_step(sparcl_graph *graph);
/** All rows of all parameters catch up to the last step. (The next step rounds differently than
 * without this call.) */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_finish(sparcl_graph *graph);

/**
 * The value of a parameter, which may be written, of an output, or of a gradient that is an output.
 *
 * Errors    E_ARG: no such node, or it is not an output; *view is then zeroed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_value(sparcl_graph *graph, sparcl_node node,
                                                              sparcl_dense *view);

/** The value of a parameter as if all its rows had caught up to the last step, which changes
 * nothing. Where rows have missed steps it is a copy, valid until the next call of this or of
 * sparcl_graph_forward. Errors as sparcl_graph_value; E_MEMORY, E_OPENCL. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_current(sparcl_graph *graph,
                                                                sparcl_node parameter,
                                                                sparcl_dense *view);
/** As sparcl_graph_value, for a row-sparse gradient. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_rows_value(sparcl_graph *graph,
                                                                   sparcl_node node,
                                                                   sparcl_rows *view);

/** As sparcl_graph_value, for a CSR matrix. Its nnz is the capacity; offsets[rows] is the number of
 * entries. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_csr_value(sparcl_graph *graph,
                                                                  sparcl_node node,
                                                                  sparcl_csr *view);

/** Allocate the memory of a training step now, for the capacities as they are; otherwise the first
 * run does. Errors as sparcl_graph_step. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_allocate(sparcl_graph *graph);
/** Bytes of device memory of the values of nodes in a run, and what they would be if no two shared
 * memory; with all dimensions at their capacity. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_memory(sparcl_graph *graph, int64_t *bytes,
                                                               int64_t *unshared);

/** What a graph knows of a node, with all dimensions at their capacity. */
typedef struct sparcl_node_info {
    const char *name;               /**< as sparcl_graph_node_name */
    const char *operation;          /**< its name, or "input" or "parameter" */
    const char *kind;               /**< "dense", "csr", "list", "row-sparse", "constant" */
    sparcl_dtype dtype;             /**< of its values */
    int rank;                       /**< length of `shape` */
    int64_t shape[SPARCL_MAX_RANK]; /**< csr: rows, columns, entries; list: its length, limit */
    int64_t stored;                 /**< row-sparse: the number of stored rows; else 0 */
    int runs;                       /**< 0: not computed, or computed by another node (fusion) */
    int64_t bytes;                  /**< of the graph's memory; of a parameter: its weights and
                                         the states of its optimizer; 0 for inputs and views */
    int64_t at;                     /**< where it begins in the memory of the graph, in bytes; -1:
                                         not there. Nodes with common bytes are needed at
                                         different times */
    uint64_t reserved[2];
} sparcl_node_info;

/** Describe a node in a training step; in a forward run, where the graph has no gradients. Errors
 * as sparcl_graph_step; E_ARG: no such node; *info is then zeroed. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_node_info(sparcl_graph *graph,
                                                                  sparcl_node node,
                                                                  sparcl_node_info *info);

/** An operation of the table that graphs are made of. All texts are constants of the library. */
typedef struct sparcl_operation_info {
    const char *name;     /**< sparcl_graph_<name> adds one, where `gradients` is not NULL */
    const char *operands; /**< with their shapes */
    const char *result;   /**< with its shape */
    const char
        *gradients; /**< by which operands, and how; NULL: an operation that only gradients use */
} sparcl_operation_info;

/** Operation 0, 1, ... of the table; NULL after the last one. */
SPARCL_API const sparcl_operation_info *sparcl_graph_operation(int index);
/** The kind of operation 0, 1, ...: "Products", "Elements", ..., "Gradients"; NULL after the last
 * one. */
SPARCL_API const char *sparcl_graph_operation_kind(int index);

#ifdef __cplusplus
}
#endif

#endif
