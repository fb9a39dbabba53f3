/* test_counter.c: rowwise Adagrad with counters, by numbers that can be computed by hand: lr is
 * 1/2, and epsilon is too small to count, so that k = lr / |g| in the first step of a row. */
#include "sparcl/optim_text.h"
#include "trained_vector.h"

enum { MANY = 700, WIDTH = 3 };
enum { LAST = 1, COUNTER = 2 };

static trained begin_counter(sparcl_ctx *ctx, const char *settings, float weight) {
    char text[200];
    snprintf(text, sizeof text, "rowwise_adagrad_counter:lr=0.5,epsilon=1e-9,%s", settings);
    return begin(ctx, text, weight);
}

/* Step number `number` of one row, `times` times in it. */
static void step(sparcl_ctx *ctx, trained *t, int64_t number, int32_t row, float g, int times) {
    const int32_t ids[] = {row, row};
    const float values[] = {g, g};
    sparcl_rows rows = {.rank = 1, .shape = {ROWS}, .nnr = times, .proof.flags = SPARCL_TRUSTED};
    rows.indices = put(ctx, ids, sizeof ids);
    rows.values = put(ctx, values, sizeof values);
    t->optim.step = number;
    assert_ok(ctx, sparcl_step(ctx, &t->optim, &t->table, t->states, &rows));
    sparcl_rows_free(&rows);
}

static void assert_near(const char *what, double found, double expected) {
    if (!(fabs(found - expected) <= 4e-7 * fabs(expected)))
        fail_msg("%s: found %.9g, expected %.9g", what, found, expected);
}

static void assert_state(sparcl_ctx *ctx, const trained *t, int state, int row, double expected) {
    assert_near(state == LAST ? "last" : "counter", float_at(ctx, t->states[state].values, row),
                expected);
}

static void counters_become_half_or_count_or_are_1(void **state) {
    static const struct {
        const char *settings;
        double after[3]; /* steps 1, 2 and 4 */
    } cases[] = {{"counter_halflife=1", {1, 1.5, 1.375}},
                 {"counter_halflife=0", {1, 1, 1}},
                 {"counter_halflife=-1", {1, 2, 3}}};
    static const int64_t steps[] = {1, 2, 4};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        trained t = begin_counter(ctx, cases[i].settings, 0);
        for (int k = 0; k < 3; ++k) {
            step(ctx, &t, steps[k], 1, 1, 1);
            assert_state(ctx, &t, COUNTER, 1, cases[i].after[k]);
        }
        assert_state(ctx, &t, LAST, 1, 4);
        assert_state(ctx, &t, COUNTER, 0, 0);
        end(&t);
    }
}

/* No step lies between them. */
static void separate_rows_of_one_step_count_each(void **state) {
    sparcl_ctx *ctx = *state;
    trained t = begin_counter(ctx, "counter_halflife=1,duplicates=separate", 0);
    step(ctx, &t, 1, 1, 1, 2);
    assert_state(ctx, &t, COUNTER, 1, 2);
    end(&t);
}

/* One step of a row with counter 1, or of several. */
static void rates_and_weights_follow_the_counter(void **state) {
    static const struct {
        const char *settings;
        float weight, g;
        double expected;
    } cases[] = {
        {"weight_decay=0.25,decay=decoupled,counter_halflife=2", 1, 0, 0.75},
        {"weight_decay=0.25,decay=decoupled,counter_halflife=0", 1, 0, 1},
        {"weight_decay=0.25,decay=decoupled,counter_halflife=2,adjustment_iter=1", 1, 0, 1},
        {"weight_decay=0.25,counter_halflife=1", 1, 0, 0.5}, /* |g + wd w| = 1/4, k = 2 */
        {"counter_mode=tail_lr_increase,max_counter=8", 0, 1, -2},
        {"counter_mode=tail_lr_increase,max_counter=64", 0, 1, -5},
        {"counter_mode=tail_lr_increase,max_counter=1", 0, 1, -0.5},
        {"counter_mode=tail_lr_increase,max_counter=8,adjustment_ub=0.5", 0, 1, -1},
        {"counter_mode=tail_lr_increase,max_counter=8,tail_id_threshold=1", 0, 1, -0.5},
        {"counter_mode=tail_lr_increase,max_counter=8,adjustment_iter=1", 0, 1, -0.5},
        {"counter_mode=tail_lr_decrease,max_counter=8", 0, 1, -0.125},
        {"counter_mode=tail_lr_decrease,max_counter=64", 0, 1, -0.05},
        {"counter_mode=counter_sgd,adjustment_ub=0.25", 0, 4, -4},
        {"counter_mode=counter_sgd,adjustment_ub=0.25,tail_id_is_ratio=1,tail_id_threshold=0.15,"
         "max_counter=8",
         0, 4, -0.5}, /* 1 is not above floor(1.2) */
        {"counter_mode=cowclip,weight_norm_coefficient=0.25,lower_bound=0.5", 1, 4, 0.9375},
        {"counter_mode=cowclip,weight_norm_coefficient=2,lower_bound=0.5", 1, 4, 0.75},
        {"counter_mode=cowclip,weight_norm_coefficient=8", 1, 4, 0.5},
        {"counter_mode=cowclip,weight_norm_coefficient=8,weight_decay=0.5,decay=decoupled", 1, 4,
         0.25},
    };
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        trained t = begin_counter(ctx, cases[i].settings, cases[i].weight);
        step(ctx, &t, 1, 2, cases[i].g, 1);
        assert_near(cases[i].settings, float_at(ctx, t.table.values, 2), cases[i].expected);
        assert_true(float_at(ctx, t.table.values, 1) == cases[i].weight);
        end(&t);
    }
}

/* 1 - lr weight_decay is 3/4, for each step since the row's last one. */
static void adagradw_decays_by_the_steps_without_the_row(void **state) {
    sparcl_ctx *ctx = *state;
    trained t = begin_counter(ctx, "counter_mode=adagradw,weight_decay=0.5,decay=decoupled", 1);
    step(ctx, &t, 3, 1, 0.0F, 1); /* its first */
    assert_near("the first step", float_at(ctx, t.table.values, 1), 0.75);
    step(ctx, &t, 6, 1, 0.0F, 1);
    assert_near("three steps later", float_at(ctx, t.table.values, 1), pow(0.75, 4));
    t.optim.counter.adjustment_iter = 8;
    step(ctx, &t, 10, 1, 0.0F, 1);
    assert_near("two of four steps", float_at(ctx, t.table.values, 1), pow(0.75, 6));
    step(ctx, &t, 12, 1, 1, 1); /* k = 1/2, counter 4 */
    assert_near("a move", float_at(ctx, t.table.values, 1), pow(0.75, 8) - 0.5 * 2 * 0.75);
    end(&t);
}

/* A step that finds the largest counter and one that is given it. */
static void step_many(sparcl_ctx *ctx, double max_counter, int64_t ld, float weights[]) {
    float counters[2 * MANY], table[MANY * WIDTH], *const gradient = table;
    const sparcl_dense shape = {.rank = 2, .shape = {MANY, WIDTH}};
    sparcl_dense t = shape, g = shape, states[SPARCL_MAX_STATES];
    sparcl_optim o;
    assert_ok(
        ctx, sparcl_optim_parse(&o, "rowwise_adagrad_counter:counter_mode=tail_lr_decrease", NULL));
    o.counter.max = max_counter;
    o.counter.halflife = 5;
    for (int i = 0; i < MANY * WIDTH; ++i)
        table[i] = (float)(i % 17) - 8;
    for (int64_t i = 0; i < 2 * MANY; ++i) /* gaps have larger ones */
        counters[i] = i % ld ? 1e6F : (float)(i / ld % 23 + 1) + (i / ld == MANY - 5 ? 100.5F : 0);
    t.values = put(ctx, table, sizeof table);
    g.values = put(ctx, gradient, sizeof table);
    assert_ok(ctx, sparcl_optim_create_states(ctx, &o, &t, states));
    sparcl_dense_free(&states[COUNTER]);
    states[COUNTER] = (sparcl_dense){.rank = 1, .shape = {MANY}, .ld = ld};
    states[COUNTER].values = put(ctx, counters, sizeof counters);
    assert_ok(ctx, sparcl_step_dense(ctx, &o, &t, states, &g));
    assert_ok(ctx, sparcl_buf_read(ctx, t.values, 0, sizeof table, weights));
    for (int i = 0; i < SPARCL_MAX_STATES; ++i)
        sparcl_dense_free(&states[i]);
    sparcl_dense_free(&t);
    sparcl_dense_free(&g);
}

static void a_step_finds_the_largest_counter(void **state) {
    const double largest = (double)((MANY - 5) % 23 + 1) + 100.5;
    static float found[MANY * WIDTH], given[MANY * WIDTH], other[MANY * WIDTH];
    sparcl_ctx *ctx = *state;
    for (int64_t ld = 1; ld <= 2; ++ld) {
        step_many(ctx, 0, ld, found);
        step_many(ctx, largest + 1, ld, given);
        step_many(ctx, largest + 2, ld, other);
        assert_memory_equal(found, given, sizeof found);
        assert_memory_not_equal(found, other, sizeof found);
    }
}

static void what_would_grow_weights_is_refused(void **state) {
    static const char *const refused[][2] = {
        {"weight_decay=0.1", "counter_halflife is -1, expected a number from 0"},
        {"weight_decay=0.1,decay=decoupled", "counter_halflife is -1"},
        {"weight_decay=0.1,counter_halflife=5,counter_mode=adagradw",
         "decay is coupled, expected decoupled or global"},
    };
    static const char *const taken[] = {
        "weight_decay=0.1,decay=global", "weight_decay=0.1,counter_mode=cowclip",
        "weight_decay=0.1,counter_mode=adagradw,decay=decoupled", "counter_mode=adagradw"};
    char text[200];
    sparcl_error error = {0};
    sparcl_optim o;
    (void)state;
    for (size_t i = 0; i < COUNT(refused); ++i) {
        snprintf(text, sizeof text, "rowwise_adagrad_counter:%s", refused[i][0]);
        assert_int_equal(sparcl_optim_parse(&o, text, &error), SPARCL_OK);
        assert_int_equal(sparcl_optim_check(&o, &error), SPARCL_E_ARG);
        if (!strstr(error.message, refused[i][1])) fail_msg("%s: %s", text, error.message);
    }
    for (size_t i = 0; i < COUNT(taken); ++i) {
        snprintf(text, sizeof text, "rowwise_adagrad_counter:%s", taken[i]);
        assert_int_equal(sparcl_optim_parse(&o, text, &error), SPARCL_OK);
        assert_int_equal(sparcl_optim_check(&o, &error), SPARCL_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_become_half_or_count_or_are_1),
        cmocka_unit_test(separate_rows_of_one_step_count_each),
        cmocka_unit_test(rates_and_weights_follow_the_counter),
        cmocka_unit_test(adagradw_decays_by_the_steps_without_the_row),
        cmocka_unit_test(a_step_finds_the_largest_counter),
        cmocka_unit_test(what_would_grow_weights_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
