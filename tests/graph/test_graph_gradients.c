/* test_graph_gradients.c: gradients of graphs, against differences; the memory of a run. */
#include <math.h>

#include "graph_test.h"

/* --- gradients -------------------------------------------------------------------------------- */

/* Squared loss of f(X W1 + b) W2 or, transposed, of the same with W2 stored as its transpose. */
typedef struct deep {
    linear in; /* w is W1 */
    sparcl_node w2, scores;
} deep;

enum { NO_ACTIVATION = -1 };

enum { HIDDEN = 4 };

static deep make_deep(sparcl_ctx *ctx, sparcl_op op, int activation) {
    deep m;
    sparcl_optim optim;
    const int64_t first[] = {COLS, HIDDEN}, bias = HIDDEN;
    const int64_t second[] = {op == SPARCL_OP_N ? HIDDEN : 1, op == SPARCL_OP_N ? 1 : HIDDEN};
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    assert_ok(ctx, sparcl_graph_create(ctx, &m.in.graph));
    sparcl_graph *const g = m.in.graph;
    const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
    m.in.x = sparcl_graph_csr(g, "x", rows, COLS, sparcl_graph_dim(g, "entries", ENTRIES));
    m.in.y = sparcl_graph_dense(g, "y", 1, &rows);
    m.in.w = sparcl_graph_parameter(g, "w1", 2, first, &optim);
    m.w2 = sparcl_graph_parameter(g, "w2", 2, second, &optim);
    sparcl_node h = sparcl_graph_spmm(g, m.in.x, m.in.w);
    m.in.bias = SPARCL_NO_NODE;
    if (activation != NO_ACTIVATION) {
        m.in.bias = sparcl_graph_parameter(g, "bias", 1, &bias, &optim);
        h = sparcl_graph_add_bias(g, h, m.in.bias);
        h = sparcl_graph_activate(g, (sparcl_activation)activation, h);
    }
    m.scores = sparcl_graph_gemm(g, SPARCL_OP_N, h, op, m.w2);
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
    const float h = 1.0f / 128;
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

/* Without an activation the loss is quadratic in one element, so a central difference has no error
 * but rounding; otherwise it has one of h^2, and with relu where a step crosses a kink. */
static void check_gradient(sparcl_ctx *ctx, const linear *m, sparcl_node parameter,
                           const float *gradient, int count, int activation) {
    const double factor = activation == NO_ACTIVATION            ? 1
                          : activation == SPARCL_ACTIVATION_RELU ? 100
                                                                 : 4;
    int nonzero = 0;
    for (int k = 0; k < count; ++k) {
        const double expected = difference(ctx, m, parameter, k);
        if (fabs(gradient[k] - expected) > factor * (2e-5 + 1e-4 * fabs(expected)))
            fail_msg("activation %d, element %d of parameter %d: gradient %g, difference %g",
                     activation, k, parameter, gradient[k], expected);
        nonzero += gradient[k] != 0;
    }
    assert_true(nonzero > count / 2);
}

typedef struct layer {
    sparcl_node node;
    int count;
    int64_t width;
    float values[COLS * HIDDEN], gradient[COLS * HIDDEN];
} layer;

static void put_layers(sparcl_ctx *ctx, const deep *m, const layer *layers, int count) {
    for (int i = 0; i < count; ++i) {
        sparcl_dense value;
        assert_ok(ctx, sparcl_graph_value(m->in.graph, layers[i].node, &value));
        assert_ok(ctx, sparcl_dense_upload(ctx, &value, layers[i].values));
    }
}

static void check_model(sparcl_ctx *ctx, sparcl_op op, int activation) {
    deep m = make_deep(ctx, op, activation);
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3);
    static layer layers[3];
    const int count = activation == NO_ACTIVATION ? 2 : 3;
    sparcl_graph_output(m.in.graph, m.in.losses);
    assert_ok(ctx, sparcl_graph_backward(m.in.graph, m.in.mean));
    layers[0] = (layer){.node = m.in.w, .count = COLS * HIDDEN, .width = HIDDEN};
    layers[1] = (layer){.node = m.w2, .count = HIDDEN, .width = 1};
    layers[2] = (layer){.node = m.in.bias, .count = HIDDEN, .width = 1};
    for (int i = 0; i < count; ++i) {
        sparcl_graph_output(m.in.graph, sparcl_graph_gradient(m.in.graph, layers[i].node));
        for (int k = 0; k < layers[i].count; ++k)
            layers[i].values[k] = (float)((k + i) * 37 % 19 - 9) / 32;
    }
    put_layers(ctx, &m, layers, count);
    bind(ctx, m.in.graph, m.in.x, m.in.y, &b);
    assert_ok(ctx, sparcl_graph_step(m.in.graph));
    for (int i = 0; i < count; ++i)
        read_gradient(ctx, m.in.graph, layers[i].node, layers[i].width, layers[i].gradient,
                      layers[i].count);
    put_layers(ctx, &m, layers, count); /* back to where the gradient was taken */
    for (int i = 0; i < count; ++i)
        check_gradient(ctx, &m.in, layers[i].node, layers[i].gradient, layers[i].count, activation);
    free_batch(&b);
    sparcl_graph_free(m.in.graph);
}

static void gradients_equal_differences(void **state) {
    for (int op = SPARCL_OP_N; op <= SPARCL_OP_T; ++op)
        for (int kind = NO_ACTIVATION; kind <= SPARCL_ACTIVATION_TANH; ++kind)
            check_model(*state, (sparcl_op)op, kind);
}

/* Squared loss of h W + X V with h = tanh(X V): V has two readers, and so has X V. */
static void a_node_with_several_readers_has_the_sum_of_their_gradients(void **state) {
    sparcl_ctx *ctx = *state;
    linear m;
    sparcl_optim optim;
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 3);
    static layer layers[2];
    const int64_t first[] = {COLS, 1}, second[] = {1, 1};
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    const int64_t rows = sparcl_graph_dim(m.graph, "rows", ROWS);
    m.x = sparcl_graph_csr(m.graph, "x", rows, COLS, sparcl_graph_dim(m.graph, "n", ENTRIES));
    m.y = sparcl_graph_dense(m.graph, "y", 1, &rows);
    m.w = sparcl_graph_parameter(m.graph, "v", 2, first, &optim);
    const sparcl_node w = sparcl_graph_parameter(m.graph, "w", 2, second, &optim);
    const sparcl_node xv = sparcl_graph_spmm(m.graph, m.x, m.w);
    const sparcl_node h = sparcl_graph_activate(m.graph, SPARCL_ACTIVATION_TANH, xv);
    const sparcl_node hw = sparcl_graph_gemm(m.graph, SPARCL_OP_N, h, SPARCL_OP_N, w);
    const sparcl_node again = sparcl_graph_spmm(m.graph, m.x, m.w);
    const sparcl_node sum = sparcl_graph_add(m.graph, sparcl_graph_add(m.graph, hw, xv), again);
    m.losses = sparcl_graph_loss(m.graph, SPARCL_LOSS_SQUARED, sum, m.y);
    sparcl_graph_output(m.graph, m.losses);
    assert_ok(ctx, sparcl_graph_backward(m.graph, sparcl_graph_mean(m.graph, m.losses)));
    layers[0] = (layer){.node = m.w, .count = COLS, .width = 1};
    layers[1] = (layer){.node = w, .count = 1, .width = 1};
    for (int i = 0; i < 2; ++i) {
        sparcl_graph_output(m.graph, sparcl_graph_gradient(m.graph, layers[i].node));
        for (int k = 0; k < layers[i].count; ++k)
            layers[i].values[k] = (float)((k + i) * 37 % 19 - 9) / 32;
    }
    deep all = {.in = m};
    put_layers(ctx, &all, layers, 2);
    bind(ctx, m.graph, m.x, m.y, &b);
    assert_ok(ctx, sparcl_graph_step(m.graph));
    for (int i = 0; i < 2; ++i)
        read_gradient(ctx, m.graph, layers[i].node, 1, layers[i].gradient, layers[i].count);
    put_layers(ctx, &all, layers, 2);
    for (int i = 0; i < 2; ++i)
        check_gradient(ctx, &m, layers[i].node, layers[i].gradient, layers[i].count,
                       SPARCL_ACTIVATION_TANH);
    free_batch(&b);
    sparcl_graph_free(m.graph);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void only_the_first_run_takes_memory(void **state) {
    sparcl_ctx *ctx = *state;
    deep m = make_deep(ctx, SPARCL_OP_N, NO_ACTIVATION);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_equal_differences),
        cmocka_unit_test(a_node_with_several_readers_has_the_sum_of_their_gradients),
        cmocka_unit_test(only_the_first_run_takes_memory),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
