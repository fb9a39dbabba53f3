/* node.h: what a graph is made of: nodes, dimensions, and rows of the table of operations. */
#ifndef SPC_GRAPH_NODE_H
#define SPC_GRAPH_NODE_H

#include <stdbool.h>

#include "base/memory.h"
#include "device/ctx.h"
#include "graph/engine/arena.h"
#include "graph/engine/parameter.h"
#include "sparcl/graph_operations.h"
#include "sparcl/ops.h"

enum { SPC_NODE_INPUTS = 8, SPC_NAME_BYTES = 48, SPC_MAPS = 2 };

typedef enum spc_value {
    SPC_VALUE_DENSE = 0,
    SPC_VALUE_CSR,
    SPC_VALUE_LIST,    /* indices of rows; shape: their number, and their limit */
    SPC_VALUE_ROWS,    /* row-sparse; shape: of the dense array */
    SPC_VALUE_COO,     /* shape: of the dense array */
    SPC_VALUE_CONSTANT /* all elements are equal; the host knows the number */
} spc_value;

/* What a node keeps that never changes: an array of 1, or of 0, 1, 2, ... (I64). */
typedef enum spc_constants { SPC_NO_CONSTANTS = 0, SPC_ONES, SPC_POSITIONS } spc_constants;

typedef struct spc_node spc_node;

/* A row of the table of operations. */
typedef struct spc_operation {
    sparcl_operation_info about;
    /* Check the operands' kinds and shapes, and fill in the kind and the shape of the result. */
    sparcl_status (*infer)(sparcl_graph *graph, spc_node *node);
    /* NULL, or: may it run, before anything of the run is enqueued? */
    sparcl_status (*check)(const sparcl_graph *graph, const spc_node *node);
    /* Enqueue it. The views of operands and of the result are ready. */
    sparcl_status (*launch)(sparcl_graph *graph, spc_node *node);
    /* Add the nodes of the gradients of the operands that need one, for the gradient `of` of the
     * result. NULL: it has no gradient. */
    void (*gradient)(sparcl_graph *graph, sparcl_node node, sparcl_node of, sparcl_node *gradients);
    bool in_place;      /* the result may replace operand 0 */
    bool is_view;       /* the values of the result are those of operand 0 */
    bool same_indices;  /* the indices of the result, a CSR matrix or a list, are those of operand 0
                         */
    bool sums_stored;   /* a row-sparse result has room for the stored rows of all operands */
    bool is_full;       /* a row-sparse result has no count: all of its rows are stored */
    bool owns_indices;  /* a row-sparse result has its own indices and count; a CSR result its own
                           offsets and indices */
    int maps;           /* arrays of positions, of as many elements as it has entries, that a CSR or
                           COO result has; or of positions in the stored rows of the operand of a
                           row-sparse one */
    bool needs_pattern; /* of operand 0, a CSR matrix */
    unsigned other_types; /* bit i: operand i may be of another type than the others */
    bool of_stored;       /* a dense result has a row for each stored row of operand 0, where that
                             is row-sparse */
    int rows_of;          /* the operand of which only some rows are read, from 1; 0: none */
    bool reads_columns;   /* they are the columns of operand 0, a CSR matrix, with its pattern */
    spc_constants constants;
} spc_operation;

/* What an operation needs besides its operands. */
typedef struct spc_settings {
    sparcl_loss loss;
    sparcl_unary_op unary;
    sparcl_binary_op binary;
    double low, high; /* of clip */
    bool of_entries;  /* a function of the values of a CSR matrix: 0 must stay 0 */
    sparcl_reduction reduction;
    sparcl_reduce_over over;
    int axis;
    sparcl_softmax softmax;
    sparcl_op op_a, op_b;
    bool row_sparse;  /* a transposed product: the result is row-sparse */
    bool is_mean;     /* the gradient of a mean: divided by the number of rows of `like` */
    sparcl_node like; /* the result has the shape of this node, which need not be computed */
    int map;          /* which of the maps of a CSR result */
    int64_t k;        /* entries of each row */
    sparcl_topk topk;
    double alpha, beta;
    bool is_inverse; /* a map has positions in the result, one for each entry of `like` */
    int64_t start;   /* of a slice */
    int64_t rows, cols, entries; /* sizes of a result, numbers or dimensions */
    double value;                /* of new entries */
    sparcl_bag_mode bag_mode;
    bool has_padding;
    int64_t padding_index;
    bool scale_by_frequency;
    bool has_offsets, include_last; /* of bags of a list */
    sparcl_bounds bounds;           /* of its indices */
    double max_norm, norm_type;     /* of an embedding; 0: no maximum */
    double rate;                    /* of dropout */
    uint64_t seed;
    double epsilon;
    double momentum;    /* of running statistics */
    sparcl_dtype dtype; /* of the result of a cast */
    int part;           /* of the operands of the operation whose gradient this is */
    /* of COO arrays */
    int rank;
    int axes[SPARCL_MAX_RANK];
    int64_t sizes[SPARCL_MAX_RANK], starts[SPARCL_MAX_RANK];
    sparcl_duplicates duplicates;
} spc_settings;

struct spc_node {
    const spc_operation *op; /* NULL: an input or a parameter */
    char name[SPC_NAME_BYTES];
    spc_settings settings;
    sparcl_node in[SPC_NODE_INPUTS];
    int in_count;
    spc_value kind;
    sparcl_dtype dtype; /* of values */
    int rank;
    int64_t shape[SPARCL_MAX_RANK]; /* of a CSR matrix: rows, columns, entries */
    int64_t stored; /* ROWS, where no operation says it: the number of rows that are stored; COO: of
                       entries */
    bool is_unique; /* ROWS: no row is stored twice */
    uint32_t flags; /* CSR, ROWS, COO, of an operation: SPARCL_SORTED, SPARCL_UNIQUE */
    spc_parameter *parameter; /* or NULL */
    bool has_parameter;       /* is or depends on a parameter */
    bool is_gradient;         /* or part of one */
    bool is_output;
    bool has_target; /* an output that is written to the caller's array, `dense` */
    sparcl_node gradient;
    sparcl_node clipped; /* of a parameter: the gradient that its step takes, or none: `gradient` */
    /* the schedule of a run */
    sparcl_node use[SPC_NODE_INPUTS]; /* the operands, after fusion */
    int use_count;
    double factors[SPC_NODE_INPUTS]; /* of a sum or a repeated constant: those of its operands */
    bool runs;                       /* in this run */
    sparcl_node fused; /* the gradient that a loss computes with its losses, the second of two sums,
                          or none */
    sparcl_node
        beside;      /* the next node of the same operation that its launch computes too, or none */
    bool is_fused;   /* such a gradient, sum or other node */
    bool is_scatter; /* a sum whose operands are rows (graph/fuse_scatters.c) */
    sparcl_node product; /* of a loss: the product that it launches, its scores; or none */
    bool is_late;        /* such a product */
    bool is_product;     /* a bag whose rows are not gathered: operand 1 is the table */
    bool reads_more;     /* a parameter of which this run reads rows that are not in its gradient */
    sparcl_node step;    /* of a parameter: the gradient that its step uses, or none */
    bool steps;          /* its step is still to be taken in this run */
    int from, to;        /* its value is needed from this node to that one */
    int64_t at, bytes;   /* where its value is in the memory of the graph; at the capacity */
    /* of a value with its own: bytes after `at` */
    int64_t indices_at, count_at, offsets_at, maps_at[SPC_MAPS];
    int64_t indices_step; /* COO: from one dimension to the next */
    /* the values in a run */
    bool is_bound, is_new; /* an input; a matrix whose pattern is not built yet */
    sparcl_list maps[SPC_MAPS];
    sparcl_dense dense;
    sparcl_csr csr;
    sparcl_list list;
    sparcl_rows rows;
    sparcl_coo coo;
    double constant;
    sparcl_buf *constants;
    sparcl_buf *kept;  /* one number kept_count times, from an earlier run; or NULL */
    double kept_value; /* that number */
    int64_t kept_count;
    bool has_own_values;     /* the pattern was read for this matrix only since it was built */
    sparcl_pattern *pattern; /* of a CSR matrix, where an operation needs its transpose */
    sparcl_pattern *bound_pattern; /* of an input: the caller's, in place of `pattern` */
    sparcl_spgemm *spgemm;         /* what a product of sparse matrices keeps */
};

/* A dimension with a size of its own, or the sum, product or minimum of two sizes. */
typedef struct spc_dim {
    char name[SPC_NAME_BYTES];
    int64_t capacity, size;
    sparcl_node from; /* the input that the size is from, in this run */
    char of_two;      /* 0, '+', '*' or '<': the smaller one */
    int64_t a, b;
} spc_dim;

/* A schedule: which nodes run, in order, and the memory that they need. */
typedef struct spc_schedule {
    bool is_made;
    int64_t bytes, unshared;
} spc_schedule;

struct sparcl_graph {
    sparcl_ctx *ctx;
    sparcl_error first_error; /* while it was built */
    spc_node *nodes;
    int count, capacity;
    spc_dim *dims;
    int dim_count, dim_capacity;
    bool has_backward;
    bool is_partial; /* only some of the gradients could be added */
    bool no_fusion;
    bool varies_rates;
    bool clips_norm; /* of all gradients together */
    double norm_limit;
    sparcl_node norm;
    bool is_inference;  /* dropout passes its operand on, and running statistics are used */
    int64_t step;       /* training steps so far; dropout depends on it */
    bool in_backward;   /* nodes that are added now are gradients */
    int forward_count;  /* nodes before the first gradient */
    bool with_steps;    /* the schedule at hand is that of a training step */
    bool has_values;    /* the last run has succeeded, with this schedule */
    sparcl_dtype dtype; /* of inputs and parameters that are added now */
    spc_schedule schedule;
    spc_arena arena;
};

/* The context's error; the message begins with the node's name. */
sparcl_status spc_node_fail(const sparcl_graph *graph, const spc_node *node, sparcl_status status,
                            const char *format, ...) SPC_PRINTF(4, 5);
/* The status of an operation; its message gets the node's name. */
sparcl_status spc_node_status(const sparcl_graph *graph, const spc_node *node,
                              sparcl_status status);
/* The node of a caller's argument; `what` begins the message. E_ARG. */
sparcl_status spc_node_find(const sparcl_graph *graph, const char *what, sparcl_node node,
                            spc_node **found);
/* Keep the context's error if it is the first one of a graph that is built. */
void spc_graph_keep(sparcl_graph *graph, sparcl_status status);

/* Add a node; operands that are SPARCL_NO_NODE are passed on. */
sparcl_node spc_graph_add(sparcl_graph *graph, const spc_operation *op, const sparcl_node *in,
                          int in_count, const spc_settings *settings);
/* The same for a caller's list of operands: of at least one. */
sparcl_node spc_graph_add_several(sparcl_graph *graph, const spc_operation *op,
                                  const sparcl_node *in, int in_count,
                                  const spc_settings *settings);
/* Add an input or a parameter; `stored` is for ROWS. */
sparcl_node spc_graph_add_source(sparcl_graph *graph, const char *name, spc_value kind, int rank,
                                 const int64_t *shape, int64_t stored);

static inline spc_node *spc_node_at(const sparcl_graph *graph, sparcl_node node) {
    return &graph->nodes[node];
}
static inline spc_node *spc_operand(const sparcl_graph *graph, const spc_node *node, int i) {
    return &graph->nodes[node->use[i]];
}

/* The size of a dimension at its capacity, and in this run. */
int64_t spc_dim_capacity(const sparcl_graph *graph, int64_t dim);
int64_t spc_dim_size(const sparcl_graph *graph, int64_t dim);
/* The sum, product or minimum ('+', '*', '<') of two sizes, each a number or a dimension, as a size
 * of results. The same two sizes in the same order give the same dimension. */
int64_t spc_dim_of_two(sparcl_graph *graph, char operation, int64_t a, int64_t b);
const char *spc_dim_text(const sparcl_graph *graph, int64_t dim, char *text, size_t size);

#endif
