/* test_graph_exact.c: parameters of SPARCL_MOVES_EXACT: their bits are those of sparcl/optim.h,
 * their values those of steps of all rows. */
#include "graph_test.h"

#include "sparcl/ops.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"

enum { RUNS = 24, FEW = 20, OUTPUTS = 3 };

static const char *const optimizers[] = {
    "adam:lr=0.01",
    "adam:lr=0.01,weight_decay=0.1,decay=global",
    "adamw:lr=0.01,weight_decay=0.5,epsilon_place=corrected",
    "amsgrad:lr=0.02,weight_decay=0.1,decay=decoupled",
    "momentum:lr=0.1,weight_decay=0.2,decay=decoupled",
    "nesterov:lr=0.1,preset=keras3",
    "sgd:lr=0.1,weight_decay=0.3,preset=mxnet",
    "adagrad:lr=0.1,weight_decay=0.2,decay=decoupled",
    "ftrl:lr=0.1,preset=tf1,l1=0.001",
    "ftrl:lr=0.1,preset=mxnet,weight_decay=0.1",
    "adagrad_da:lr=0.1,l1=0.001",
    "nadam:lr=0.01",
    "nadam:lr=0.01,preset=keras3,weight_decay=0.1",
    /* whose rows catch up without sparcl_lazy, or do not move */
    "momentum:lr=0.1,weight_decay=0.2",
    "sgd:lr=0.1,weight_decay=0.3",
    "sgd:lr=0.1",
};

static sparcl_optim optim_of(const char *text, sparcl_moves moves) {
    sparcl_optim o;
    sparcl_error error = {0};
    if (sparcl_optim_parse(&o, text, &error) != SPARCL_OK) fail_msg("%s", error.message);
    o.moves = moves;
    if (moves == SPARCL_MOVES_ALL && o.decay.kind == SPARCL_DECAY_DECOUPLED)
        o.decay.kind = SPARCL_DECAY_GLOBAL;
    return o;
}

static linear open_linear(sparcl_ctx *ctx, const sparcl_optim *optim, bool varies) {
    linear m = make_linear(ctx, SPARCL_LOSS_SOFTMAX, OUTPUTS, optim);
    if (varies) assert_ok(ctx, sparcl_graph_vary_rates(m.graph));
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    sparcl_graph_output(m.graph, m.mean);
    return m;
}

/* Few columns are in a batch, so that gaps are long. */
static void step(sparcl_ctx *ctx, const linear *m, int k) {
    batch b = make_batch(ctx, ROWS, k % 4 ? FEW / 4 : FEW, 3, (uint64_t)k + 1);
    bind(ctx, m->graph, m->x, m->y, &b);
    assert_ok(ctx, sparcl_graph_step(m->graph));
    free_batch(&b);
}

/* A forward run on all columns. */
static float forward(sparcl_ctx *ctx, const linear *m) {
    batch b = make_batch(ctx, ROWS, ENTRIES, 3, 99);
    float loss;
    bind(ctx, m->graph, m->x, m->y, &b);
    assert_ok(ctx, sparcl_graph_forward(m->graph));
    read_value(ctx, m->graph, m->mean, &loss);
    free_batch(&b);
    return loss;
}

static void read_current(sparcl_ctx *ctx, const linear *m, float *to) {
    sparcl_dense view;
    assert_ok(ctx, sparcl_graph_current(m->graph, m->w, &view));
    assert_ok(ctx, sparcl_dense_read(ctx, &view, to));
}

static void assert_near(const float *x, const float *y, int64_t count, const char *of) {
    for (int64_t i = 0; i < count; ++i)
        if (!(fabsf(x[i] - y[i]) <= 2e-5F * fmaxf(fabsf(y[i]), 1e-2F)))
            fail_msg("%s: element %lld is %.9g, expected %.9g", of, (long long)i, (double)x[i],
                     (double)y[i]);
}

/* Whatever reads the parameter sees what steps of all rows would have made. */
static void every_read_sees_the_steps_of_all_rows(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t k = 0; k < COUNT(optimizers); ++k) {
        const sparcl_optim exact = optim_of(optimizers[k], SPARCL_MOVES_EXACT);
        const sparcl_optim all = optim_of(optimizers[k], SPARCL_MOVES_ALL);
        const linear a = open_linear(ctx, &exact, false), b = open_linear(ctx, &all, false);
        float one[COLS * OUTPUTS], other[COLS * OUTPUTS], losses[2];
        for (int run = 0; run < RUNS; ++run) {
            step(ctx, &a, run);
            step(ctx, &b, run);
            read_value(ctx, a.graph, a.mean, &losses[0]);
            read_value(ctx, b.graph, b.mean, &losses[1]);
            assert_near(&losses[0], &losses[1], 1, optimizers[k]);
            if (run % 5 != 0) continue;
            losses[0] = forward(ctx, &a);
            losses[1] = forward(ctx, &b);
            assert_near(&losses[0], &losses[1], 1, optimizers[k]);
            read_current(ctx, &a, one);
            read_value(ctx, b.graph, b.w, other);
            assert_near(one, other, COLS * OUTPUTS, optimizers[k]);
        }
        assert_ok(ctx, sparcl_graph_finish(a.graph));
        read_value(ctx, a.graph, a.w, one);
        read_value(ctx, b.graph, b.w, other);
        assert_near(one, other, COLS * OUTPUTS, optimizers[k]);
        sparcl_graph_free(a.graph);
        sparcl_graph_free(b.graph);
    }
}

/* A warm-up, a decline and a pause; rules that always catch up do so without `exact`, too. */
static void rates_may_vary(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t k = 0; k < 2 * COUNT(optimizers); ++k) {
        const char *const text = optimizers[k / 2];
        const bool catches_up = k / 2 >= COUNT(optimizers) - 3;
        const bool divides = strstr(text, "ftrl") || strstr(text, "_da"); /* by the rate */
        if (k % 2 && !catches_up) continue;
        const sparcl_optim exact =
            optim_of(text, k % 2 ? SPARCL_MOVES_PRESENT : SPARCL_MOVES_EXACT);
        const sparcl_optim all = optim_of(text, SPARCL_MOVES_ALL);
        const linear a = open_linear(ctx, &exact, true), b = open_linear(ctx, &all, true);
        float one[COLS * OUTPUTS], other[COLS * OUTPUTS];
        for (int run = 0; run < RUNS; ++run) {
            const double factor = run < 5     ? 0.2 * (run + 1)
                                  : run == 12 ? (divides ? 0.01 : 0)
                                              : 5.0 / run;
            assert_ok(ctx, sparcl_graph_set_rate(a.graph, factor));
            assert_ok(ctx, sparcl_graph_set_rate(b.graph, factor));
            step(ctx, &a, run);
            step(ctx, &b, run);
            if (run % 5 != 3) continue;
            read_current(ctx, &a, one);
            read_value(ctx, b.graph, b.w, other);
            assert_near(one, other, COLS * OUTPUTS, text);
        }
        assert_ok(ctx, sparcl_graph_finish(a.graph));
        read_value(ctx, a.graph, a.w, one);
        read_value(ctx, b.graph, b.w, other);
        assert_near(one, other, COLS * OUTPUTS, text);
        sparcl_graph_free(a.graph);
        sparcl_graph_free(b.graph);
    }
}

static void wrong_rates_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_optim optim = optim_of("sgd", SPARCL_MOVES_PRESENT);
    const linear a = open_linear(ctx, &optim, false), b = open_linear(ctx, &optim, true);
    assert_int_equal(sparcl_graph_vary_rates(a.graph), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_set_rate(a.graph, 1), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_set_rate(b.graph, -1), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_set_rate(b.graph, NAN), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_set_rate(b.graph, INFINITY), SPARCL_E_ARG);
    assert_ok(ctx, sparcl_graph_set_rate(b.graph, 0));
    assert_int_equal(sparcl_graph_set_rate(NULL, 1), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_vary_rates(NULL), SPARCL_E_ARG);
    sparcl_graph_free(a.graph);
    sparcl_graph_free(b.graph);
}

/* Forward runs and views of the current values in between, and finishing twice. */
static void reading_changes_no_bit(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t k = 0; k < COUNT(optimizers); ++k) {
        const sparcl_optim exact = optim_of(optimizers[k], SPARCL_MOVES_EXACT);
        const linear a = open_linear(ctx, &exact, false), b = open_linear(ctx, &exact, false);
        float one[COLS * OUTPUTS], other[COLS * OUTPUTS];
        for (int run = 0; run < RUNS; ++run) {
            step(ctx, &a, run);
            step(ctx, &b, run);
            if (run % 3 != 0) continue;
            forward(ctx, &a);
            read_current(ctx, &a, one);
            read_current(ctx, &a, other);
            assert_memory_equal(one, other, sizeof one);
        }
        read_current(ctx, &a, one);
        for (int twice = 0; twice < 2; ++twice) {
            assert_ok(ctx, sparcl_graph_finish(a.graph));
            read_value(ctx, a.graph, a.w, other);
            assert_memory_equal(one, other, sizeof one);
        }
        assert_ok(ctx, sparcl_graph_finish(b.graph));
        read_value(ctx, b.graph, b.w, other);
        assert_memory_equal(one, other, sizeof one);
        sparcl_graph_free(a.graph);
        sparcl_graph_free(b.graph);
    }
}

/* The same step with the operations themselves. */
static void step_by_hand(sparcl_ctx *ctx, sparcl_optim *optim, const sparcl_dense *w,
                         const sparcl_dense *states, int k) {
    batch b = make_batch(ctx, ROWS, k % 4 ? FEW / 4 : FEW, 3, (uint64_t)k + 1);
    sparcl_pattern *pattern = NULL;
    const sparcl_dense scores = vector(ctx, b.x.rows, OUTPUTS);
    const sparcl_dense gradient = vector(ctx, COLS, OUTPUTS);
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &b.x));
    sparcl_rows rows = sparcl_pattern_columns(pattern);
    rows.rank = 2;
    rows.shape[1] = OUTPUTS;
    rows.values = gradient.values;
    assert_ok(ctx, sparcl_catch_up(ctx, optim, w, states, &rows));
    assert_ok(ctx, sparcl_spmm(ctx, &scores, 1, &b.x, w, 0));
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &scores, NULL, &b.y,
                                        1.0 / (double)b.x.rows, &scores, NULL));
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &rows, 1, &b.x, &scores, pattern));
    assert_ok(ctx, sparcl_step(ctx, optim, w, states, &rows));
    ++optim->step;
    sparcl_pattern_free(pattern);
    sparcl_buf_free(scores.values);
    sparcl_buf_free(gradient.values);
    free_batch(&b);
}

static void a_graph_has_the_bits_of_the_operations(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t k = 0; k < 13; ++k) {
        sparcl_optim optim = optim_of(optimizers[k], SPARCL_MOVES_EXACT);
        const linear m = open_linear(ctx, &optim, false);
        sparcl_dense w = vector(ctx, COLS, OUTPUTS), states[SPARCL_MAX_STATES] = {{0}};
        float one[COLS * OUTPUTS], other[COLS * OUTPUTS];
        assert_ok(ctx, sparcl_optim_create_states(ctx, &optim, &w, states));
        assert_ok(ctx, sparcl_lazy_create(ctx, &optim.lazy.object, &optim, &w, 0));
        for (int run = 0; run < RUNS; ++run) {
            step(ctx, &m, run);
            step_by_hand(ctx, &optim, &w, states, run);
        }
        assert_ok(ctx, sparcl_catch_up(ctx, &optim, &w, states, NULL));
        assert_ok(ctx, sparcl_graph_finish(m.graph));
        read_value(ctx, m.graph, m.w, one);
        assert_ok(ctx, sparcl_dense_read(ctx, &w, other));
        assert_memory_equal(one, other, sizeof one);
        sparcl_lazy_free(optim.lazy.object);
        sparcl_dense_free(&w);
        for (int s = 0; s < SPARCL_MAX_STATES; ++s)
            sparcl_dense_free(&states[s]);
        sparcl_graph_free(m.graph);
    }
}

/* Where the gradient is dense, each step moves all rows anyway. */
static void a_dense_gradient_moves_all_rows(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t shape[] = {COLS};
    float results[2][COLS];
    for (int k = 0; k < 2; ++k) {
        const sparcl_optim optim = optim_of("adam", k ? SPARCL_MOVES_EXACT : SPARCL_MOVES_PRESENT);
        sparcl_graph *g = NULL;
        assert_ok(ctx, sparcl_graph_create(ctx, &g));
        const sparcl_node w = sparcl_graph_parameter(g, "w", 1, shape, &optim);
        const sparcl_node x = sparcl_graph_dense(g, "x", 1, shape);
        const sparcl_node sum =
            sparcl_graph_sum(g, sparcl_graph_binary(g, SPARCL_BINARY_MULTIPLY, w, x));
        sparcl_dense input = {.rank = 1, .shape = {COLS}};
        float *values = make_floats(COLS, 3);
        input.values = put(ctx, values, COLS * 4);
        assert_ok(ctx, sparcl_graph_backward(g, sum));
        assert_ok(ctx, sparcl_graph_bind_dense(g, x, &input));
        for (int run = 0; run < 3; ++run)
            assert_ok(ctx, sparcl_graph_step(g));
        read_value(ctx, g, w, results[k]);
        sparcl_graph_free(g);
        sparcl_dense_free(&input);
        free(values);
    }
    assert_true(results[0][0] != 0);
    assert_memory_equal(results[0], results[1], sizeof results[0]);
}

static void rules_without_a_closed_form_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    static const char *const cases[][2] = {
        {"adam:weight_decay=0.1",
         "graph: w: moves is exact, but adam has no closed form with a coupled weight_decay, "
         "expected a decoupled or global one"},
        {"momentum:preset=mxnet,weight_decay=0.1", "momentum has no closed form with a coupled"},
        {"ftrl:preset=keras3,weight_decay=0.1,decay=coupled",
         "ftrl has no closed form with a coupled"},
        {"ftrl:preset=tf1,l2_shrinkage=0.1",
         "ftrl has no closed form with l2_shrinkage, expected 0"},
        {"rowwise_adagrad", "rowwise_adagrad has no closed form with any settings"},
        {"lamb", "lamb has no closed form with any settings"},
        {"lars", "lars has no closed form with any settings"},
    };
    for (size_t k = 0; k < COUNT(cases); ++k) {
        const sparcl_optim optim = optim_of(cases[k][0], SPARCL_MOVES_EXACT);
        const int64_t shape[] = {COLS};
        sparcl_graph *g = NULL;
        assert_ok(ctx, sparcl_graph_create(ctx, &g));
        assert_int_equal(sparcl_graph_parameter(g, "w", 1, shape, &optim), SPARCL_NO_NODE);
        assert_refused(ctx, sparcl_graph_forward(g), SPARCL_E_ARG, cases[k][1]);
        sparcl_graph_free(g);
        assert_non_null(sparcl_optim_exact_refusal(&optim));
    }
    assert_non_null(sparcl_optim_exact_refusal(NULL));
    for (size_t k = 0; k < COUNT(optimizers); ++k) {
        const sparcl_optim optim = optim_of(optimizers[k], SPARCL_MOVES_EXACT);
        assert_null(sparcl_optim_exact_refusal(&optim));
    }
}

/* The object that knows the steps is memory of the parameter, and freed with it. */
static void its_memory_is_that_of_the_parameter(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_node_info info[2];
    for (int k = 0; k < 2; ++k) {
        const sparcl_optim o = optim_of("amsgrad", k ? SPARCL_MOVES_EXACT : SPARCL_MOVES_PRESENT);
        const int64_t before = sparcl_ctx_memory(ctx);
        const linear m = open_linear(ctx, &o, false);
        assert_ok(ctx, sparcl_graph_node_info(m.graph, m.w, &info[k]));
        sparcl_graph_free(m.graph);
        assert_int_equal(sparcl_ctx_memory(ctx), before);
    }
    assert_int_equal(info[0].bytes, 4 * COLS * OUTPUTS * 4);
    assert_true(info[1].bytes > info[0].bytes + 4 * COLS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_read_sees_the_steps_of_all_rows),
        cmocka_unit_test(rates_may_vary),
        cmocka_unit_test(wrong_rates_are_refused),
        cmocka_unit_test(reading_changes_no_bit),
        cmocka_unit_test(a_graph_has_the_bits_of_the_operations),
        cmocka_unit_test(a_dense_gradient_moves_all_rows),
        cmocka_unit_test(rules_without_a_closed_form_are_refused),
        cmocka_unit_test(its_memory_is_that_of_the_parameter),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
