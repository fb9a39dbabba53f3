/* test_graph.c: what graph.h says: the same bits as the operations called by hand, gradients,
 * memory, and what is refused. */
#include <math.h>

#include "op_test.h"
#include "sparcl/graph.h"

enum { ROWS = 40, COLS = 30, ENTRIES = 200, STEPS = 5 };

typedef struct batch {
    spec_matrix matrix;
    sparcl_csr x;
    sparcl_dense y;
} batch;

/* Labels are 0 and 1, or, for a softmax, 0 to 2. */
static batch make_batch(sparcl_ctx *ctx, int64_t rows, int64_t entries, int classes,
                        uint64_t seed) {
    batch b = {.y = {.rank = 1, .shape = {rows}}};
    float labels[ROWS];
    assert_true(spec_matrix_make(&b.matrix, SPEC_UNIFORM, rows, COLS, entries, seed));
    assert_ok(ctx, spec_put_csr(ctx, &b.x, &b.matrix, SPARCL_F32, SPARCL_I32, SPARCL_I32));
    for (int64_t i = 0; i < rows; ++i)
        labels[i] = (float)((i * 7 + (int64_t)seed) % classes);
    assert_ok(ctx, sparcl_dense_upload(ctx, &b.y, labels));
    return b;
}

static void free_batch(batch *b) {
    spec_matrix_free(&b->matrix);
    sparcl_csr_free(&b->x);
    sparcl_dense_free(&b->y);
}

static void bind(sparcl_ctx *ctx, sparcl_graph *graph, sparcl_node x, sparcl_node y,
                 const batch *b) {
    assert_ok(ctx, sparcl_graph_bind_csr(graph, x, &b->x));
    assert_ok(ctx, sparcl_graph_bind_dense(graph, y, &b->y));
}

static sparcl_dense vector(sparcl_ctx *ctx, int64_t rows, int64_t cols) {
    sparcl_dense v = {.rank = 2, .shape = {rows, cols}};
    assert_ok(ctx, sparcl_dense_zeros(ctx, &v));
    return v;
}

/* --- a linear model --------------------------------------------------------------------------- */

typedef struct linear {
    sparcl_graph *graph;
    sparcl_node x, y, w, losses, mean;
} linear;

static linear make_linear(sparcl_ctx *ctx, sparcl_loss loss, int64_t outputs,
                          const sparcl_optim *optim) {
    linear m;
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    const int64_t rows = sparcl_graph_dim(m.graph, "rows", ROWS);
    const int64_t entries = sparcl_graph_dim(m.graph, "entries", ENTRIES);
    const int64_t shape[] = {COLS, outputs};
    m.x = sparcl_graph_csr(m.graph, "x", rows, COLS, entries);
    m.y = sparcl_graph_dense(m.graph, "y", 1, &rows);
    m.w = sparcl_graph_parameter(m.graph, "w", 2, shape, optim);
    m.losses = sparcl_graph_loss(m.graph, loss, sparcl_graph_spmm(m.graph, m.x, m.w), m.y);
    m.mean = sparcl_graph_mean(m.graph, m.losses);
    return m;
}

/* The same steps with the operations themselves, as graph.h and optim.h describe them. */
static void step_by_hand(sparcl_ctx *ctx, sparcl_optim *optim, sparcl_loss loss,
                         const sparcl_dense *w, const sparcl_dense *states, const batch *b,
                         bool dense, float *mean) {
    const int64_t outputs = w->shape[1];
    sparcl_pattern *pattern = NULL;
    sparcl_dense scores = vector(ctx, b->x.rows, outputs);
    sparcl_dense losses = {.rank = 1, .shape = {b->x.rows}}, sum = {.rank = 1, .shape = {1}};
    sparcl_dense gradient = vector(ctx, COLS, outputs);
    assert_ok(ctx, sparcl_dense_create(ctx, &losses));
    assert_ok(ctx, sparcl_dense_create(ctx, &sum));
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &b->x));
    sparcl_rows rows = sparcl_pattern_columns(pattern);
    rows.rank = 2;
    rows.shape[1] = outputs;
    rows.values = gradient.values;
    ++optim->step;
    if (optim->last_steps) assert_ok(ctx, sparcl_catch_up(ctx, optim, w, states, &rows));
    assert_ok(ctx, sparcl_spmm(ctx, &scores, 1, &b->x, w, 0));
    assert_ok(ctx, sparcl_loss_gradient(ctx, loss, &scores, NULL, &b->y, 1.0 / (double)b->x.rows,
                                        &scores, &losses));
    assert_ok(ctx, sparcl_sum_rows(ctx, &sum, 1.0 / (double)b->x.rows, &losses, 0));
    assert_ok(ctx, sparcl_dense_read(ctx, &sum, mean));
    if (dense) {
        assert_ok(ctx, sparcl_spmm_t(ctx, &gradient, 1, &b->x, &scores, 0, pattern));
        assert_ok(ctx, sparcl_step_dense(ctx, optim, w, states, &gradient));
    } else {
        assert_ok(ctx, sparcl_spmm_t_rows(ctx, &rows, 1, &b->x, &scores, pattern));
        assert_ok(ctx, sparcl_step(ctx, optim, w, states, &rows));
    }
    sparcl_pattern_free(pattern);
    sparcl_dense_free(&scores);
    sparcl_dense_free(&losses);
    sparcl_dense_free(&sum);
    sparcl_dense_free(&gradient);
}

static void compare_with_hand(sparcl_ctx *ctx, sparcl_loss loss, const sparcl_optim *given) {
    const int classes = loss == SPARCL_LOSS_SOFTMAX ? 3 : 2;
    const int64_t outputs = loss == SPARCL_LOSS_SOFTMAX ? 3 : 1;
    const bool catches_up =
        given->rule == SPARCL_RULE_MOMENTUM || (given->rule == SPARCL_RULE_SGD && given->l2 > 0);
    const bool dense = given->l2 > 0 && !catches_up;
    linear m = make_linear(ctx, loss, outputs, given);
    sparcl_optim optim = *given;
    sparcl_dense w = vector(ctx, COLS, outputs), value;
    const sparcl_dense states[] = {vector(ctx, COLS, outputs), vector(ctx, COLS, outputs)};
    float one[COLS * 3], other[COLS * 3], expected = 0, found = 0;
    optim.step = 0;
    if (catches_up) {
        assert_ok(ctx, sparcl_buf_create(ctx, &optim.last_steps, COLS * 8));
        assert_ok(ctx, sparcl_buf_fill(ctx, optim.last_steps, 0, COLS * 8, 0));
    }
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    sparcl_graph_output(m.graph, m.mean);
    for (int step = 0; step < STEPS; ++step) {
        batch b =
            make_batch(ctx, ROWS - 3 * step, ENTRIES / (step + 1), classes, (uint64_t)step + 5);
        bind(ctx, m.graph, m.x, m.y, &b);
        assert_ok(ctx, sparcl_graph_step(m.graph));
        step_by_hand(ctx, &optim, loss, &w, states, &b, dense, &expected);
        assert_ok(ctx, sparcl_graph_value(m.graph, m.mean, &value));
        assert_ok(ctx, sparcl_dense_read(ctx, &value, &found));
        assert_memory_equal(&found, &expected, sizeof found);
        free_batch(&b);
    }
    assert_ok(ctx, sparcl_graph_finish(m.graph));
    if (catches_up) {
        ++optim.step;
        assert_ok(ctx, sparcl_catch_up(ctx, &optim, &w, states, NULL));
    }
    assert_ok(ctx, sparcl_graph_value(m.graph, m.w, &value));
    assert_ok(ctx, sparcl_dense_read(ctx, &value, one));
    assert_ok(ctx, sparcl_dense_read(ctx, &w, other));
    assert_memory_equal(one, other, (size_t)(COLS * outputs) * sizeof(float));
    assert_true(one[0] != 0);
    sparcl_buf_free(optim.last_steps);
    sparcl_dense_free(&w);
    for (int s = 0; s < 2; ++s) {
        sparcl_dense own = states[s];
        sparcl_dense_free(&own);
    }
    sparcl_graph_free(m.graph);
}

static void a_step_has_the_bits_of_the_operations(void **state) {
    static const sparcl_loss losses[] = {SPARCL_LOSS_LOGISTIC, SPARCL_LOSS_SOFTMAX,
                                         SPARCL_LOSS_SQUARED};
    for (int rule = 0; rule < 4; ++rule)
        for (int l = 0; l < 3; ++l)
            for (int l2 = 0; l2 < 2; ++l2) {
                sparcl_optim optim;
                sparcl_optim_init(&optim, (sparcl_rule)rule);
                optim.lr = 0.1;
                optim.l2 = l2 ? 0.01 : 0;
                compare_with_hand(*state, losses[l], &optim);
            }
}

/* --- gradients -------------------------------------------------------------------------------- */

/* squared loss of (X W1) W2 or, transposed, of the same with W2 stored as its transpose */
typedef struct deep {
    linear in;
    sparcl_node w2, scores;
} deep;

enum { HIDDEN = 4 };

static deep make_deep(sparcl_ctx *ctx, sparcl_op op) {
    deep m;
    sparcl_optim optim;
    const int64_t first[] = {COLS, HIDDEN};
    const int64_t second[] = {op == SPARCL_OP_N ? HIDDEN : 1, op == SPARCL_OP_N ? 1 : HIDDEN};
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    assert_ok(ctx, sparcl_graph_create(ctx, &m.in.graph));
    sparcl_graph *const g = m.in.graph;
    const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
    m.in.x = sparcl_graph_csr(g, "x", rows, COLS, sparcl_graph_dim(g, "entries", ENTRIES));
    m.in.y = sparcl_graph_dense(g, "y", 1, &rows);
    m.in.w = sparcl_graph_parameter(g, "w1", 2, first, &optim);
    m.w2 = sparcl_graph_parameter(g, "w2", 2, second, &optim);
    m.scores = sparcl_graph_gemm(g, SPARCL_OP_N, sparcl_graph_spmm(g, m.in.x, m.in.w), op, m.w2);
    m.in.losses = sparcl_graph_loss(g, SPARCL_LOSS_SQUARED, m.scores, m.in.y);
    m.in.mean = sparcl_graph_mean(g, m.in.losses);
    return m;
}

static double loss_of(sparcl_ctx *ctx, const linear *m) {
    sparcl_dense value;
    float losses[ROWS];
    double sum = 0;
    assert_ok(ctx, sparcl_graph_forward(m->graph));
    assert_ok(ctx, sparcl_graph_value(m->graph, m->losses, &value));
    assert_ok(ctx, sparcl_dense_read(ctx, &value, losses));
    for (int i = 0; i < ROWS; ++i)
        sum += losses[i];
    return sum / ROWS;
}

/* The central difference by element k of a parameter. */
static double difference(sparcl_ctx *ctx, const linear *m, sparcl_node parameter, int k) {
    const float h = 0.0625f;
    sparcl_dense w;
    float old = 0;
    double at[2];
    assert_ok(ctx, sparcl_graph_value(m->graph, parameter, &w));
    assert_ok(ctx, sparcl_buf_read(ctx, w.values, k * 4, 4, &old));
    for (int side = 0; side < 2; ++side) {
        const float moved = old + (side ? h : -h);
        assert_ok(ctx, sparcl_buf_write(ctx, w.values, k * 4, 4, &moved));
        at[side] = loss_of(ctx, m);
    }
    assert_ok(ctx, sparcl_buf_write(ctx, w.values, k * 4, 4, &old));
    return (at[1] - at[0]) / (2.0 * h);
}

static void read_gradient(sparcl_ctx *ctx, sparcl_graph *graph, sparcl_node parameter,
                          int64_t width, float *dense, int64_t count) {
    const sparcl_node node = sparcl_graph_gradient(graph, parameter);
    sparcl_dense value;
    sparcl_rows rows;
    int32_t indices[COLS];
    float values[COLS * HIDDEN];
    int64_t stored = 0;
    memset(dense, 0, (size_t)count * sizeof *dense);
    if (sparcl_graph_value(graph, node, &value) == SPARCL_OK) {
        assert_ok(ctx, sparcl_dense_read(ctx, &value, dense));
        return;
    }
    assert_ok(ctx, sparcl_graph_rows_value(graph, node, &rows));
    assert_ok(ctx, sparcl_rows_read(ctx, &rows, indices, values, &stored));
    assert_true(stored > 0);
    for (int64_t k = 0; k < stored; ++k)
        memcpy(dense + indices[k] * width, values + k * width, (size_t)width * sizeof *dense);
}

/* The loss is quadratic in one element, so a central difference has no error but rounding. */
static void check_gradient(sparcl_ctx *ctx, const linear *m, sparcl_node parameter, int64_t width,
                           const float *gradient, int count) {
    int nonzero = 0;
    for (int k = 0; k < count; ++k) {
        const double expected = difference(ctx, m, parameter, k);
        if (fabs(gradient[k] - expected) > 2e-5 + 1e-4 * fabs(expected))
            fail_msg("element %d of the parameter: gradient %g, difference %g", k, gradient[k],
                     expected);
        nonzero += gradient[k] != 0;
    }
    assert_true(nonzero > count / 2);
    (void)width;
}

static void gradients_equal_differences(void **state) {
    sparcl_ctx *ctx = *state;
    for (int op = SPARCL_OP_N; op <= SPARCL_OP_T; ++op) {
        deep m = make_deep(ctx, (sparcl_op)op);
        batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3);
        float w1[COLS * HIDDEN], w2[HIDDEN], g1[COLS * HIDDEN], g2[HIDDEN];
        sparcl_dense value;
        sparcl_graph_output(m.in.graph, m.in.losses);
        assert_ok(ctx, sparcl_graph_backward(m.in.graph, m.in.mean));
        sparcl_graph_output(m.in.graph, sparcl_graph_gradient(m.in.graph, m.in.w));
        sparcl_graph_output(m.in.graph, sparcl_graph_gradient(m.in.graph, m.w2));
        for (int k = 0; k < COLS * HIDDEN; ++k)
            w1[k] = (float)(k * 37 % 19 - 9) / 32;
        for (int k = 0; k < HIDDEN; ++k)
            w2[k] = (float)(k - 2) / 4 + 0.125f;
        assert_ok(ctx, sparcl_graph_value(m.in.graph, m.in.w, &value));
        assert_ok(ctx, sparcl_dense_upload(ctx, &value, w1));
        assert_ok(ctx, sparcl_graph_value(m.in.graph, m.w2, &value));
        assert_ok(ctx, sparcl_dense_upload(ctx, &value, w2));
        bind(ctx, m.in.graph, m.in.x, m.in.y, &b);
        assert_ok(ctx, sparcl_graph_step(m.in.graph));
        read_gradient(ctx, m.in.graph, m.in.w, HIDDEN, g1, COLS * HIDDEN);
        read_gradient(ctx, m.in.graph, m.w2, 1, g2, HIDDEN);
        /* back to where the gradient was taken */
        assert_ok(ctx, sparcl_graph_value(m.in.graph, m.in.w, &value));
        assert_ok(ctx, sparcl_dense_upload(ctx, &value, w1));
        assert_ok(ctx, sparcl_graph_value(m.in.graph, m.w2, &value));
        assert_ok(ctx, sparcl_dense_upload(ctx, &value, w2));
        check_gradient(ctx, &m.in, m.in.w, HIDDEN, g1, COLS * HIDDEN);
        check_gradient(ctx, &m.in, m.w2, 1, g2, HIDDEN);
        free_batch(&b);
        sparcl_graph_free(m.in.graph);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

static void only_the_first_run_takes_memory(void **state) {
    sparcl_ctx *ctx = *state;
    deep m = make_deep(ctx, SPARCL_OP_N);
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3);
    int64_t bytes = 0, unshared = 0;
    assert_ok(ctx, sparcl_graph_backward(m.in.graph, m.in.mean));
    assert_ok(ctx, sparcl_graph_memory(m.in.graph, &bytes, &unshared));
    /* The hidden layer, its gradient, those of both parameters, and the scores, in whose place the
     * residual is. */
    assert_int_equal(unshared, 4 * (2 * ROWS * HIDDEN + COLS * HIDDEN + HIDDEN + 2 * ROWS));
    assert_in_range(bytes, 4 * (2 * ROWS * HIDDEN + COLS * HIDDEN), unshared);
    bind(ctx, m.in.graph, m.in.x, m.in.y, &b);
    assert_ok(ctx, sparcl_graph_step(m.in.graph));
    const int64_t after = sparcl_ctx_memory(ctx), launches = sparcl_ctx_launches(ctx);
    for (int step = 0; step < 3; ++step)
        assert_ok(ctx, sparcl_graph_step(m.in.graph));
    assert_int_equal(sparcl_ctx_memory(ctx), after);
    assert_true(sparcl_ctx_launches(ctx) > launches);
    free_batch(&b);
    sparcl_graph_free(m.in.graph);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void the_first_error_stays(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_graph *g = NULL;
    const int64_t shape[] = {COLS + 1, 2};
    sparcl_optim_init(&optim, SPARCL_RULE_ADAM);
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const sparcl_node x = sparcl_graph_csr(g, "clicks", ROWS, COLS, ENTRIES);
    const sparcl_node w = sparcl_graph_parameter(g, "weights", 2, shape, &optim);
    const sparcl_node scores = sparcl_graph_spmm(g, x, w);
    assert_int_equal(scores, SPARCL_NO_NODE);
    assert_int_equal(sparcl_graph_sum(g, scores), SPARCL_NO_NODE);
    assert_int_equal(sparcl_graph_dense(g, NULL, 1, shape), SPARCL_NO_NODE);
    static const char expected[] =
        "graph: spmm (node 2): clicks has 30 columns, weights has 31 rows, expected as many";
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_SHAPE, expected);
    assert_refused(ctx, sparcl_graph_step(g), SPARCL_E_SHAPE, expected);
    sparcl_graph_free(g);
}

static void wrong_inputs_are_refused_by_name(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    linear m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3), less = make_batch(ctx, ROWS - 1, 9, 2, 3);
    sparcl_dense value, wide = b.y;
    sparcl_csr narrow = b.x;
    sparcl_graph *const g = m.graph;
    sparcl_graph_output(g, m.mean);
    assert_refused(ctx, sparcl_graph_step(g), SPARCL_E_ARG, "sparcl_graph_backward");
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_ARG, "graph: x: the input is not bound");
    wide.shape[0] = ROWS + 1;
    narrow.cols = COLS - 1;
    assert_refused(ctx, sparcl_graph_bind_dense(g, m.y, &wide), SPARCL_E_SHAPE,
                   "graph: y: rows is 41, expected 0 to 40 (rows)");
    assert_refused(ctx, sparcl_graph_bind_csr(g, m.x, &narrow), SPARCL_E_SHAPE,
                   "graph: x: columns is 29, expected 30");
    assert_refused(ctx, sparcl_graph_bind_csr(g, m.y, &b.x), SPARCL_E_ARG, "is not a CSR input");
    assert_refused(ctx, sparcl_graph_bind_csr(g, 99, &b.x), SPARCL_E_ARG, "node 99, expected 0 to");
    assert_refused(ctx, sparcl_graph_bind_dense(g, m.w, &b.y), SPARCL_E_ARG, "not a dense input");
    assert_ok(ctx, sparcl_graph_bind_csr(g, m.x, &b.x));
    assert_ok(ctx, sparcl_graph_bind_dense(g, m.y, &less.y));
    assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_SHAPE,
                   "graph: y: rows is 39, but 40 in x");
    bind(ctx, g, m.x, m.y, &less);
    assert_refused(ctx, sparcl_graph_value(g, m.mean, &value), SPARCL_E_ARG, "not an output");
    assert_ok(ctx, sparcl_graph_forward(g));
    assert_ok(ctx, sparcl_graph_value(g, m.mean, &value));
    assert_refused(ctx, sparcl_graph_value(g, m.losses, &value), SPARCL_E_ARG, "not an output");
    assert_null(value.values);
    free_batch(&b);
    free_batch(&less);
    sparcl_graph_free(g);
}

static void gradients_need_one_element_and_a_parameter(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    linear m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    assert_refused(ctx, sparcl_graph_backward(m.graph, m.losses), SPARCL_E_SHAPE, "one element");
    sparcl_graph_free(m.graph);
    m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    assert_refused(ctx, sparcl_graph_backward(m.graph, sparcl_graph_sum(m.graph, m.y)),
                   SPARCL_E_ARG, "depends on no parameter");
    sparcl_graph_free(m.graph);
    m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 1, &optim);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    assert_refused(ctx, sparcl_graph_backward(m.graph, m.mean), SPARCL_E_ARG, "already");
    sparcl_graph_free(m.graph);
    m = make_linear(ctx, SPARCL_LOSS_LOGISTIC, 2, &optim);
    assert_int_equal(m.losses, SPARCL_NO_NODE);
    assert_refused(ctx, sparcl_graph_forward(m.graph), SPARCL_E_SHAPE, "expected 1 for this loss");
    sparcl_graph_free(m.graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_has_the_bits_of_the_operations),
        cmocka_unit_test(gradients_equal_differences),
        cmocka_unit_test(only_the_first_run_takes_memory),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(wrong_inputs_are_refused_by_name),
        cmocka_unit_test(gradients_need_one_element_and_a_parameter),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
