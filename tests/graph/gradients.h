/* gradients.h: models of a few nodes, one for each operation: test_graph_gradients.c compares their
 * gradients with central differences, test_graph_halves.c those of F16 and BF16 with those of F32.
 */
#ifndef TESTS_GRADIENTS_H
#define TESTS_GRADIENTS_H

#include "graph_test.h"
#include "sparcl/graph_operations.h"
#include "sparcl/ops.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"

enum { WIDTH = 4, PARAMETERS = 3, INDICES = 55 };

/* A model with a scalar result. Its inputs: x [ROWS, COLS], y [ROWS], two lists of row indices
 * below COLS with duplicates, a row-sparse array [COLS, WIDTH], and a CSR matrix [COLS, COLS] whose
 * entries are unique. It computes in `dtype`; parameters, losses and the result are F32 where that
 * is F16 or BF16. */
typedef struct model {
    sparcl_graph *graph;
    sparcl_dtype dtype;
    bool is_reference; /* of a model in F16 or BF16: it has as many nodes */
    int64_t rows, entries, indices;
    sparcl_node x, y, list, per_row, sparse, square;
    sparcl_node parameters[PARAMETERS], result;
    int count; /* of parameters */
} model;

static inline sparcl_dtype wide(const model *m) {
    return m->dtype == SPARCL_F64 ? SPARCL_F64 : SPARCL_F32;
}
/* A cast of a model in F16 or BF16. In another one it is x itself; a reference gets a node that
 * does not run, because the masks of dropout depend on the numbers of nodes. */
static inline sparcl_node cast_to(const model *m, sparcl_node x, sparcl_dtype dtype) {
    if (m->is_reference) sparcl_graph_columns(m->graph, m->x);
    return sparcl_graph_cast(m->graph, x, dtype);
}
static inline sparcl_node to_wide(const model *m, sparcl_node x) {
    return cast_to(m, x, wide(m));
}

static inline sparcl_node wide_parameter(const model *m, const char *name, int64_t rows,
                                         int64_t cols) {
    const int64_t shape[] = {rows, cols};
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    sparcl_graph_set_dtype(m->graph, wide(m));
    const sparcl_node node = sparcl_graph_parameter(m->graph, name, cols ? 2 : 1, shape, &optim);
    sparcl_graph_set_dtype(m->graph, m->dtype);
    return node;
}
/* Parameter p, as operations read it. */
static inline sparcl_node parameter_at(const model *m, int p) {
    return cast_to(m, m->parameters[p], m->dtype);
}
static inline sparcl_node parameter(model *m, const char *name, int64_t rows, int64_t cols) {
    m->parameters[m->count++] = wide_parameter(m, name, rows, cols);
    return parameter_at(m, m->count - 1);
}

static inline sparcl_node product(const model *m, sparcl_node a, sparcl_node b) {
    return sparcl_graph_gemm(m->graph, SPARCL_OP_N, a, SPARCL_OP_N, b);
}

static inline sparcl_node losses(const model *m, sparcl_loss loss, sparcl_node scores) {
    return sparcl_graph_loss(m->graph, loss, to_wide(m, scores), m->y);
}
/* The mean loss of scores, or of the rows of a hidden layer times a parameter. */
static inline sparcl_node squared(model *m, sparcl_node scores) {
    return sparcl_graph_mean(m->graph, losses(m, SPARCL_LOSS_SQUARED, scores));
}
static inline sparcl_node squared_head(model *m, sparcl_node hidden) {
    return squared(m, product(m, hidden, parameter(m, "head", WIDTH, 1)));
}

static inline sparcl_node hidden(model *m) {
    return sparcl_graph_spmm(m->graph, m->x, parameter(m, "w", COLS, WIDTH));
}
static inline sparcl_node table(model *m) {
    return parameter(m, "table", COLS, WIDTH);
}
/* The matrix x with values that depend on a parameter. */
static inline sparcl_node weighted(model *m) {
    const sparcl_node v = sparcl_graph_gather(m->graph, parameter(m, "edge", COLS, 0),
                                              sparcl_graph_columns(m->graph, m->x));
    const sparcl_node curved = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, v);
    return sparcl_graph_with_values(m->graph, m->x, curved);
}

/* The operation that a model is for, and whether it has functions that are curved or kinked, so
 * that differences have an error of their own. */
typedef struct gradient_case {
    const char *operation;
    sparcl_node (*build)(model *m);
    /* STEEP: curved, with large second derivatives; CLASSES: curved, and labels below WIDTH;
     * NARROW: kinks so near that differences in F32 cross them */
    enum { QUADRATIC, CURVED, STEEP, KINKED, CLASSES, NARROW } kind;
} gradient_case;

/* The cases of a family, with an operation of NULL at the end. */
extern const gradient_case gradients_basic[], gradients_reductions[], gradients_conversions[],
    gradients_elementwise[], gradients_sparse_products[], gradients_structure[], gradients_layers[],
    gradients_row_sparse[], gradients_coo[];

/* --- gradient_models.c --------------------------------------------------------------------------
 */

/* Case 0, 1, ... of all families; NULL after the last one. */
const gradient_case *case_at(int i);

typedef struct inputs {
    spec_matrix matrix, square_matrix;
    sparcl_csr x, square;
    sparcl_dense y;
    sparcl_list list, per_row;
    sparcl_rows sparse;
} inputs;

/* Numbers that are rounded to `rounded`, as arrays of the model's type. */
inputs make_inputs(sparcl_ctx *ctx, const model *m, sparcl_dtype rounded, sparcl_itype type,
                   int classes);
void free_inputs(inputs *in);
void bind_inputs(sparcl_ctx *ctx, const model *m, const inputs *in);

/* A case as a graph with gradients; the result and the gradients of parameters are outputs. */
model make_model(sparcl_ctx *ctx, const gradient_case *c, sparcl_dtype dtype);
model make_reference(sparcl_ctx *ctx, const gradient_case *c);
/* Initial values, which all types have. */
void put_parameters(sparcl_ctx *ctx, const model *m);
int64_t parameter_size(sparcl_ctx *ctx, const model *m, int p);
/* The gradient of a parameter as a dense array on the host. */
double *read_gradient(sparcl_ctx *ctx, const model *m, int p);

#endif
