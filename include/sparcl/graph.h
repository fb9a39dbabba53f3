/* graph.h: a model as a graph: built once, run for each batch, with gradients and optimizer steps.
 */
#ifndef SPARCL_GRAPH_H
#define SPARCL_GRAPH_H

#include "sparcl/context.h"
#include "sparcl/ops/products.h"
#include "sparcl/optim.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A graph is built once and run many times, with other inputs each time (operations:
 * graph_operations.h):
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
 * Types: nodes are F32, or F64, F16 or BF16 where sparcl_graph_set_dtype said so before; the
 * operands of an operation have one type, which is that of its result, and sparcl_graph_cast gives
 * another one. A gradient has the type of its value. F16 and BF16 are computed with as F32, and
 * each result is rounded once. Parameters and losses are F32 or F64: mixed precision casts them.
 * Indices and offsets are I32 or I64, as the views that are bound have them. A graph belongs to its
 * context, and is used by one thread at a time.
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

/** Inputs and parameters that are added after this call have this type: F32, as at first, F64, or,
 * for inputs, F16 or BF16, which every device has. Errors are kept, as while nodes are added:
 * E_DTYPE; E_UNSUPPORTED: the device has no F64. */
SPARCL_EXPERIMENTAL_API void sparcl_graph_set_dtype(sparcl_graph *graph, sparcl_dtype dtype);

/** A size that changes from run to run, from 0 to `capacity`. Returns a negative number that stands
 * for it in shapes. The name of another dimension, where it is shorter than 47 bytes, is that
 * dimension, with the larger of both capacities. */
SPARCL_API int64_t sparcl_graph_dim(sparcl_graph *graph, const char *name, int64_t capacity);
/** Raise the capacity of a dimension to at least `capacity`. The next run allocates again if it
 * needs more memory. E_ARG: `dim` is not from sparcl_graph_dim. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_reserve(sparcl_graph *graph,
                                                                             int64_t dim,
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
 * shape has no sizes that change. optim->step, ->last_steps and ->lazy are ignored: the graph
 * counts steps. The gradient is row-sparse where operations read only rows of it
 * (sparcl_graph_spmm, sparcl_graph_gather); rows that a batch does not read then catch up when they
 * are next read, where the rule can (sparcl_catch_up), and l2 of the other rules makes the gradient
 * dense. With SPARCL_MOVES_EXACT all rules that catch up do (sparcl_lazy): whatever reads the
 * parameter (a step, a forward run, sparcl_graph_current, the value after sparcl_graph_finish) sees
 * what steps of all rows would have made. Names of parameters must be unique, and not longer than
 * 47 bytes. E_DTYPE: F16 and BF16; keep the parameter in F32, and cast it (sparcl_graph_cast).
 * E_ARG: SPARCL_MOVES_EXACT without a closed form (sparcl_optim_exact_refusal).
 */
SPARCL_API sparcl_node sparcl_graph_parameter(sparcl_graph *graph, const char *name, int rank,
                                              const int64_t *shape, const sparcl_optim *optim);

/* --- nodes ----------------------------------------------------------------------------------- */

/** The number of nodes: 0 to this number minus 1, in the order in which they were added. */
SPARCL_EXPERIMENTAL_API int sparcl_graph_nodes(const sparcl_graph *graph);
/** 1 for a parameter, else 0. */
SPARCL_EXPERIMENTAL_API int sparcl_graph_is_parameter(const sparcl_graph *graph, sparcl_node node);
/** The name of a node, "" if there is no such node. */
SPARCL_EXPERIMENTAL_API const char *sparcl_graph_node_name(const sparcl_graph *graph,
                                                           sparcl_node node);
/**
 * The first error of building: its status, with the text in sparcl_ctx_error; OK: none. The graph
 * then no longer has it, as if the call that failed had not been made, so that whoever types a
 * model may go on; only an error of a gradient that sparcl_graph_backward could not add stays.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_graph_take_error(sparcl_graph *graph);
/** Name the result of an operation for messages; without it, messages have that of its operation.
 */
SPARCL_EXPERIMENTAL_API void sparcl_graph_name(sparcl_graph *graph, sparcl_node node,
                                               const char *name);

/* --- running ---------------------------------------------------------------------------------- */

/**
 * Add the gradients of `loss`, which has one element, by all parameters. Called once.
 *
 * A node that several operations read has the sum of their gradients, the last reader first; a
 * row-sparse one has the rows of all, and rows with one index are added (rule R of
 * docs/numerics.md). The sum of gradients of an F16 or BF16 value is rounded to its type.
 *
 * Errors    E_ARG, E_SHAPE; E_UNSUPPORTED: an operation on the way has no gradient.
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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_graph_bind_output(sparcl_graph *graph, sparcl_node node, const sparcl_dense *view);
/** The number of training steps so far, which sparcl_graph_step counts from 0: the masks of dropout
 * depend on it. Set it to repeat a step's masks, or to go on with a saved state (below). */
SPARCL_API void sparcl_graph_set_step(sparcl_graph *graph, int64_t step);
/**
 * The learning rates of all parameters will vary from step to step (sparcl_graph_set_rate). Called
 * before sparcl_graph_backward: rows that miss steps then record each rate, as with
 * SPARCL_MOVES_EXACT; a momentum with a coupled decay, for which that is not possible, steps all
 * rows. Without it rows catch up by powers of one step. E_ARG: after sparcl_graph_backward.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_graph_vary_rates(sparcl_graph *graph);
/** The next steps have the rates of the parameters' optimizers times `factor`. E_ARG: it is not
 * finite, or negative; sparcl_graph_vary_rates was not called. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_set_rate(sparcl_graph *graph,
                                                                 double factor);
/**
 * Clip all gradients together, as torch.nn.utils.clip_grad_norm_: in each step, with n the 2-norm
 * of the gradients of all parameters as one vector, each gradient is multiplied by
 * min(1, limit / (n + 1e-6)). A row-sparse gradient counts each row once, after rows with one index
 * were added; the rows that a batch does not have have none, so that rows catch up as without it.
 * What the optimizers do with a gradient (rescale, clip_norm, a decay) comes after it. INFINITY: no
 * limit, as at first; 0: every gradient becomes 0. Called before sparcl_graph_backward.
 *
 * Order     the squares of each parameter by rule S with one column, then these sums in the order
 *           in which the parameters were added: the same bits everywhere (docs/numerics.md).
 * Errors    E_ARG: `limit` is negative or NaN; after sparcl_graph_backward. sparcl_graph_backward
 *           then has E_DTYPE where parameters are of several types.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_clip_global_norm(sparcl_graph *graph,
                                                                         double limit);
/** The norm before clipping: a node [1], an output after sparcl_graph_output. SPARCL_NO_NODE: not
 * clipped, or before sparcl_graph_backward. */
SPARCL_API sparcl_node sparcl_graph_global_norm(const sparcl_graph *graph);
/** Off: dropout passes its operand on, and batch normalisation uses running statistics, where it
 * has them. At first it is on; evaluation of a model (sparcl_eval, sparcl_predict, the losses that
 * sparcl_train reports of whole data sets) turns it off. */
SPARCL_API void sparcl_graph_set_training(sparcl_graph *graph, int on);
/** Fusion computes several nodes in one launch: a loss with its gradient, a loss with the bias of
 * its scores, or with the product that gives them, a function of each element with the bias of
 * what it reads, a bag with its gather, a step with the sum of rows that have one index, or with
 * that of a small parameter, sums with their terms; equal gathers are computed once, and rows that
 * are for the entries of a matrix are not sorted where its pattern has their order. It is on;
 * without it the results have the same bits. (With and without it a step has rows of one index as
 * its `duplicates` say, or their sums where an output or the global norm is of these.) */
SPARCL_EXPERIMENTAL_API void sparcl_graph_set_fusion(sparcl_graph *graph, int on);

/**
 * Bind an input. The view is copied; its buffers must stay until another view is bound. A sparse
 * view must be proven VALID.
 *
 * Errors    E_ARG, E_SHAPE (the message has the name of the dimension), E_DTYPE.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_bind_csr(sparcl_graph *graph,
                                                                 sparcl_node input,
                                                                 const sparcl_csr *view);
/**
 * The pattern of the matrix that is bound to an input, as it is now, in place of one that the graph
 * would build: sparcl_batches_take makes one. It is not owned, and must stay until another matrix
 * is bound.
 *
 * Errors    E_ARG: no matrix is bound, or the pattern is not its own.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_graph_bind_pattern(sparcl_graph *graph, sparcl_node input, sparcl_pattern *pattern);
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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_current(sparcl_graph *graph,
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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_memory(sparcl_graph *graph,
                                                                            int64_t *bytes,
                                                                            int64_t *unshared);

/** What a graph knows of a node, with all dimensions at their capacity. */
typedef struct sparcl_node_info {
    const char *name;               /**< as sparcl_graph_node_name */
    const char *operation;          /**< its name, or "input" or "parameter" */
    const char *kind;               /**< "dense", "csr", "list", "row-sparse", "coo", "constant" */
    sparcl_dtype dtype;             /**< of its values */
    int rank;                       /**< length of `shape` */
    int64_t shape[SPARCL_MAX_RANK]; /**< csr: rows, columns, entries; list: its length, limit */
    int64_t stored; /**< row-sparse: the number of stored rows; coo: of entries; else
                         0 */
    int runs;       /**< 0: not computed, or computed by another node (fusion) */
    int64_t bytes;  /**< of the graph's memory; of a parameter: its weights and
                         the states of its optimizer; 0 for inputs and views */
    int64_t at;     /**< where it begins in the memory of the graph, in bytes; -1:
                         not there. Nodes with common bytes are needed at
                         different times */
    uint64_t reserved[2];
} sparcl_node_info;

/** Describe a node in a training step; in a forward run, where the graph has no gradients. Errors
 * as sparcl_graph_step; E_ARG: no such node; *info is then zeroed. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_graph_node_info(sparcl_graph *graph, sparcl_node node, sparcl_node_info *info);

/** An operation of the table that graphs are made of. All texts are constants of the library. */
typedef struct sparcl_operation_info {
    const char *name;     /**< sparcl_graph_<name> adds one, where `gradients` is not NULL */
    const char *operands; /**< with their shapes */
    const char *result;   /**< with its shape */
    const char
        *gradients; /**< by which operands, and how; NULL: an operation that only gradients use */
} sparcl_operation_info;

/** Operation 0, 1, ... of the table; NULL after the last one. */
SPARCL_EXPERIMENTAL_API const sparcl_operation_info *sparcl_graph_operation(int index);
/** The kind of operation 0, 1, ...: "Products", "Elements", ..., "Gradients"; NULL after the last
 * one. */
SPARCL_EXPERIMENTAL_API const char *sparcl_graph_operation_kind(int index);

/* --- the state of a training ------------------------------------------------------------------ */

/*
 * What steps change, beside what the caller binds: for each parameter its values, the states of its
 * optimizer, where rows can miss steps what they have missed, and some counters; and the step of
 * the graph. A graph that was built the same way, and was given all of it, goes on with the same
 * bits:
 *
 *     for each parameter: sparcl_graph_set_counters(graph, parameter, &counters);
 *     for (int i = 0; sparcl_graph_state_array(graph, i, &array) == SPARCL_OK && array.type; ++i)
 *         sparcl_buf_write(ctx, array.buf, array.at, array.bytes, ...);
 *     sparcl_graph_set_step(graph, step);
 */

/** Numbers of a parameter that belong to its arrays. What they mean is the library's. */
typedef struct sparcl_counters {
    int64_t integers[6]; /**< such as the number of steps; those that are not used are 0 */
    double numbers[3];   /**< such as the rate of the last step */
} sparcl_counters;

/** The counters of a parameter. E_ARG: no such parameter; *counters is then zeroed. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_graph_counters(sparcl_graph *graph, sparcl_node parameter, sparcl_counters *counters);
/**
 * Set the counters of a parameter, after sparcl_graph_backward; its arrays then have the sizes that
 * belong to them, and undefined contents until they are written.
 *
 * Errors    E_ARG: no such parameter, or these are not counters of one like it: nothing has
 *           changed; E_MEMORY.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_set_counters(
    sparcl_graph *graph, sparcl_node parameter, const sparcl_counters *counters);

/** An array of the state: `bytes` bytes of a buffer, from `at` on. */
typedef struct sparcl_state_array {
    sparcl_node parameter; /**< whose it is */
    const char *part;      /**< "values", "state0" to "state2", "last_steps", or "exact_..." */
    const char *type;      /**< "F32", "F64", "F16", "BF16", "I32" or "I64"; NULL: none */
    int64_t count;         /**< elements */
    sparcl_buf *buf;       /**< to be read and written by the caller; NULL without elements */
    int64_t at, bytes;     /**< where they are */
    int64_t least, most;   /**< of its integers: write no others */
} sparcl_state_array;

/** Array 0, 1, ... of all parameters. After the last one its type is NULL. E_ARG: index
 * is negative. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_graph_state_array(sparcl_graph *graph, int index, sparcl_state_array *array);

/** The number of training steps so far, as sparcl_graph_set_step sets it. */
SPARCL_API int64_t sparcl_graph_get_step(const sparcl_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
