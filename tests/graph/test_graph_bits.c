/* test_graph_bits.c: a graph has the bits of the operations called by hand, with and without
 * fusion. */
#include "graph_test.h"

#include "launch/launch.h"
#include "sparcl/optim_text.h"

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
    if (optim->lazy.last_steps) assert_ok(ctx, sparcl_catch_up(ctx, optim, w, states, &rows));
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
    const bool catches_up = given->rule == SPARCL_RULE_MOMENTUM ||
                            (given->rule == SPARCL_RULE_SGD && given->decay.weight > 0);
    const bool dense =
        given->decay.weight > 0 && given->decay.kind == SPARCL_DECAY_COUPLED && !catches_up;
    linear m = make_linear(ctx, loss, outputs, given);
    sparcl_optim optim = *given;
    sparcl_dense w = vector(ctx, COLS, outputs), value;
    const sparcl_dense states[] = {vector(ctx, COLS, outputs), vector(ctx, COLS, outputs)};
    float one[COLS * 3], other[COLS * 3], expected = 0, found = 0;
    optim.step = 0;
    if (catches_up) {
        assert_ok(ctx, sparcl_buf_create(ctx, &optim.lazy.last_steps, COLS * 8));
        assert_ok(ctx, sparcl_buf_fill(ctx, optim.lazy.last_steps, 0, COLS * 8, 0));
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
    sparcl_buf_free(optim.lazy.last_steps);
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
    static const sparcl_rule rules[] = {SPARCL_RULE_SGD,  SPARCL_RULE_MOMENTUM, SPARCL_RULE_ADAGRAD,
                                        SPARCL_RULE_ADAM, SPARCL_RULE_LAMB,     SPARCL_RULE_LARS};
    for (size_t r = 0; r < COUNT(rules); ++r)
        for (int l = 0; l < 3; ++l)
            for (int l2 = 0; l2 < 2; ++l2) {
                sparcl_optim optim;
                sparcl_optim_init(&optim, rules[r]);
                optim.lr = 0.1;
                optim.decay.weight = l2 ? 0.01 : 0;
                compare_with_hand(*state, losses[l], &optim);
            }
}

/* Weights, bias and mean loss after some steps; and the launches of the last one. */
static int64_t train_biased(sparcl_ctx *ctx, const linear *m, int classes, bool looks,
                            float *result) {
    int64_t launches = 0;
    for (int step = 0; step < STEPS; ++step) {
        batch b = make_batch(ctx, ROWS - step, 10 + step, classes, (uint64_t)step + 5);
        bind(ctx, m->graph, m->x, m->y, &b);
        launches = sparcl_ctx_launches(ctx);
        assert_ok(ctx, sparcl_graph_step(m->graph));
        launches = sparcl_ctx_launches(ctx) - launches;
        read_value(ctx, m->graph, m->mean, result);
        if (looks) assert_ok(ctx, sparcl_graph_forward(m->graph));
        free_batch(&b);
    }
    assert_ok(ctx, sparcl_graph_finish(m->graph));
    read_value(ctx, m->graph, m->bias, result + 1);
    read_value(ctx, m->graph, m->w, result + 1 + classes);
    return launches;
}

static void fusion_and_forward_runs_change_no_bit(void **state) {
    sparcl_ctx *ctx = *state;
    for (int l = SPARCL_LOSS_LOGISTIC; l <= SPARCL_LOSS_SQUARED; ++l) {
        const int64_t outputs = l == SPARCL_LOSS_SOFTMAX ? 3 : 1;
        float results[3][4 + 3 * COLS] = {{0}};
        int64_t launches[3];
        for (int way = 0; way < 3; ++way) {
            linear m = make_biased(ctx, (sparcl_loss)l, outputs, SPARCL_RULE_MOMENTUM);
            sparcl_graph_set_fusion(m.graph, way != 1);
            launches[way] = train_biased(ctx, &m, outputs == 3 ? 3 : 2, way == 2, results[way]);
            sparcl_graph_free(m.graph);
        }
        assert_memory_equal(results[0], results[1], sizeof results[0]);
        assert_memory_equal(results[0], results[2], sizeof results[0]);
        assert_true(results[0][0] > 0 && results[0][1] != 0);
        /* without fusion: the bias; losses, their sum and the step beside the gradient of scores,
         * the sum of that and the bias's step. Where loops are short, no sum is small. On few wide
         * cores, a product of one column is computed with its losses. */
        const bool is_short = spc_has_short_loops(ctx);
        const bool one = l != SPARCL_LOSS_SOFTMAX && !is_short && !spc_ctx_is_gpu(ctx);
        assert_int_equal(launches[1], launches[0] + (is_short ? 3 : 4) + one);
    }
}

static void a_forward_run_sees_all_rows_caught_up(void **state) {
    sparcl_ctx *ctx = *state;
    linear m = make_biased(ctx, SPARCL_LOSS_LOGISTIC, 1, SPARCL_RULE_MOMENTUM);
    batch one = make_batch(ctx, 3, 4, 2, 5), all = make_batch(ctx, ROWS, ENTRIES, 2, 6);
    float stale[COLS], current[COLS], finished[COLS], before = 0, after = 0;
    sparcl_dense view;
    bind(ctx, m.graph, m.x, m.y, &all);
    assert_ok(ctx, sparcl_graph_step(m.graph));
    bind(ctx, m.graph, m.x, m.y, &one);
    assert_ok(ctx, sparcl_graph_step(m.graph));
    bind(ctx, m.graph, m.x, m.y, &all);
    assert_ok(ctx, sparcl_graph_forward(m.graph));
    read_value(ctx, m.graph, m.mean, &before);
    assert_ok(ctx, sparcl_graph_current(m.graph, m.w, &view));
    assert_ok(ctx, sparcl_dense_read(ctx, &view, current));
    read_value(ctx, m.graph, m.w, stale);
    assert_memory_not_equal(stale, current, sizeof stale);
    assert_ok(ctx, sparcl_graph_finish(m.graph));
    read_value(ctx, m.graph, m.w, finished);
    assert_memory_equal(finished, current, sizeof finished);
    assert_ok(ctx, sparcl_graph_forward(m.graph));
    read_value(ctx, m.graph, m.mean, &after);
    assert_memory_equal(&before, &after, sizeof before);
    free_batch(&one);
    free_batch(&all);
    sparcl_graph_free(m.graph);
}

static void an_output_is_written_to_the_callers_array(void **state) {
    sparcl_ctx *ctx = *state;
    linear m = make_biased(ctx, SPARCL_LOSS_SQUARED, 1, SPARCL_RULE_SGD);
    batch b = make_batch(ctx, ROWS, ENTRIES, 2, 6);
    sparcl_dense all = {.rank = 1, .shape = {4}};
    float found[4], expected = 0;
    assert_ok(ctx, sparcl_dense_zeros(ctx, &all));
    assert_refused(ctx, sparcl_graph_bind_output(m.graph, m.mean, &all), SPARCL_E_SHAPE, "shape");
    assert_refused(ctx, sparcl_graph_bind_output(m.graph, m.losses, &all), SPARCL_E_SHAPE,
                   "may change");
    assert_refused(ctx, sparcl_graph_bind_output(m.graph, m.w, &all), SPARCL_E_ARG,
                   "not a dense result");
    bind(ctx, m.graph, m.x, m.y, &b);
    for (int step = 0; step < 3; ++step) {
        sparcl_dense at = {.rank = 1, .shape = {1}, .values = all.values, .values_at = step + 1};
        assert_ok(ctx, sparcl_graph_bind_output(m.graph, m.mean, &at));
        assert_ok(ctx, sparcl_graph_step(m.graph));
        read_value(ctx, m.graph, m.mean, &expected);
    }
    assert_ok(ctx, sparcl_dense_read(ctx, &all, found));
    assert_true(found[0] == 0 && found[1] > found[2] && found[2] > found[3]);
    assert_true(found[3] == expected);
    sparcl_dense_free(&all);
    free_batch(&b);
    sparcl_graph_free(m.graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_has_the_bits_of_the_operations),
        cmocka_unit_test(fusion_and_forward_runs_change_no_bit),
        cmocka_unit_test(a_forward_run_sees_all_rows_caught_up),
        cmocka_unit_test(an_output_is_written_to_the_callers_array),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
