/* gradients.h: models of a few nodes, one for each operation, whose gradients
 * test_graph_gradients.c compares with central differences. */
#ifndef TESTS_GRADIENTS_H
#define TESTS_GRADIENTS_H

#include "graph_test.h"

enum { WIDTH = 4, PARAMETERS = 3, INDICES = 55 };

/* A model with a scalar result. Its inputs: x [ROWS, COLS], y [ROWS], two lists of row indices
 * below COLS with duplicates, a row-sparse array [COLS, WIDTH], and a CSR matrix [COLS, COLS] whose
 * entries are unique. */
typedef struct model {
    sparcl_graph *graph;
    int64_t rows, entries, indices;
    sparcl_node x, y, list, per_row, sparse, square;
    sparcl_node parameters[PARAMETERS], result;
    int count; /* of parameters */
} model;

static inline sparcl_node parameter(model *m, const char *name, int64_t rows, int64_t cols) {
    const int64_t shape[] = {rows, cols};
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    return m->parameters[m->count++] =
               sparcl_graph_parameter(m->graph, name, cols ? 2 : 1, shape, &optim);
}

static inline sparcl_node product(const model *m, sparcl_node a, sparcl_node b) {
    return sparcl_graph_gemm(m->graph, SPARCL_OP_N, a, SPARCL_OP_N, b);
}

/* The mean loss of scores, or of the rows of a hidden layer times a parameter. */
static inline sparcl_node squared(model *m, sparcl_node scores) {
    return sparcl_graph_mean(m->graph,
                             sparcl_graph_loss(m->graph, SPARCL_LOSS_SQUARED, scores, m->y));
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
    const sparcl_node curved = sparcl_graph_activate(m->graph, SPARCL_ACTIVATION_TANH, v);
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
    gradients_row_sparse[];

#endif
