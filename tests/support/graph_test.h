/* graph_test.h: a linear model as a graph, and batches for it. */
#ifndef TESTS_GRAPH_TEST_H
#define TESTS_GRAPH_TEST_H

#include "op_test.h"
#include "sparcl/graph_operations.h"
#include "sparcl/optim_text.h"

enum { ROWS = 40, COLS = 30, ENTRIES = 200, STEPS = 5 };

typedef struct batch {
    spec_matrix matrix;
    sparcl_csr x;
    sparcl_dense y;
} batch;

/* Labels are 0 and 1, or, for a softmax, 0 to 2. */
static inline batch make_batch(sparcl_ctx *ctx, int64_t rows, int64_t entries, int classes,
                               uint64_t seed) {
    batch b = {.y = {.rank = 1, .shape = {rows}}};
    float labels[ROWS];
    assert_true(spec_matrix_make(&b.matrix, SPEC_UNIFORM, rows, COLS, entries, seed));
    assert_ok(ctx, spec_put_csr(ctx, &b.x, &b.matrix, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    for (int64_t i = 0; i < rows; ++i)
        labels[i] = (float)((i * 7 + (int64_t)seed) % classes);
    assert_ok(ctx, sparcl_dense_upload(ctx, &b.y, labels));
    return b;
}

static inline void free_batch(batch *b) {
    spec_matrix_free(&b->matrix);
    sparcl_csr_free(&b->x);
    sparcl_dense_free(&b->y);
}

static inline void bind(sparcl_ctx *ctx, sparcl_graph *graph, sparcl_node x, sparcl_node y,
                        const batch *b) {
    assert_ok(ctx, sparcl_graph_bind_csr(graph, x, &b->x));
    assert_ok(ctx, sparcl_graph_bind_dense(graph, y, &b->y));
}

static inline sparcl_dense vector(sparcl_ctx *ctx, int64_t rows, int64_t cols) {
    sparcl_dense v = {.rank = 2, .shape = {rows, cols}};
    assert_ok(ctx, sparcl_dense_zeros(ctx, &v));
    return v;
}

/* --- a linear model --------------------------------------------------------------------------- */

typedef struct linear {
    sparcl_graph *graph;
    sparcl_node x, y, w, bias, losses, mean;
    int64_t entries;
} linear;

static inline linear make_linear(sparcl_ctx *ctx, sparcl_loss loss, int64_t outputs,
                                 const sparcl_optim *optim) {
    linear m;
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    const int64_t rows = sparcl_graph_dim(m.graph, "rows", ROWS);
    const int64_t shape[] = {COLS, outputs};
    m.entries = sparcl_graph_dim(m.graph, "entries", ENTRIES);
    m.x = sparcl_graph_csr(m.graph, "x", rows, COLS, m.entries);
    m.y = sparcl_graph_dense(m.graph, "y", 1, &rows);
    m.w = sparcl_graph_parameter(m.graph, "w", 2, shape, optim);
    m.losses = sparcl_graph_loss(m.graph, loss, sparcl_graph_spmm(m.graph, m.x, m.w), m.y);
    m.mean = sparcl_graph_mean(m.graph, m.losses);
    return m;
}

/* With a bias, which takes the same rule without l2. */
static inline linear make_biased(sparcl_ctx *ctx, sparcl_loss loss, int64_t outputs,
                                 sparcl_rule rule) {
    sparcl_optim optim;
    linear m;
    const int64_t shape[] = {COLS, outputs};
    sparcl_optim_init(&optim, rule);
    optim.lr = 0.1;
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    const int64_t rows = sparcl_graph_dim(m.graph, "rows", ROWS);
    m.entries = sparcl_graph_dim(m.graph, "entries", ENTRIES);
    m.x = sparcl_graph_csr(m.graph, "x", rows, COLS, m.entries);
    m.y = sparcl_graph_dense(m.graph, "y", 1, &rows);
    m.w = sparcl_graph_parameter(m.graph, "w", 2, shape, &optim);
    m.bias = sparcl_graph_parameter(m.graph, "bias", 1, &outputs, &optim);
    const sparcl_node scores = sparcl_graph_binary(m.graph, SPARCL_BINARY_ADD,
                                                   sparcl_graph_spmm(m.graph, m.x, m.w), m.bias);
    m.losses = sparcl_graph_loss(m.graph, loss, scores, m.y);
    m.mean = sparcl_graph_mean(m.graph, m.losses);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    sparcl_graph_output(m.graph, m.mean);
    return m;
}

static inline void read_value(sparcl_ctx *ctx, sparcl_graph *graph, sparcl_node node, float *to) {
    sparcl_dense value;
    assert_ok(ctx, sparcl_graph_value(graph, node, &value));
    assert_ok(ctx, sparcl_dense_read(ctx, &value, to));
}

#endif
