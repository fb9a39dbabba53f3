/* test_presets.c: what sparcl/optim.h says of presets, of the states of a table, and of gradients
 * with rows of one index. */
#include "sparcl/optim_text.h"
#include "step_test.h"

static void a_preset_fills_in_what_a_system_does(void **state) {
    sparcl_optim o;
    (void)state;
    assert_int_equal(sparcl_optim_preset(&o, SPARCL_RULE_ADAGRAD, SPARCL_PRESET_KERAS3), 0);
    assert_int_equal(o.rule, SPARCL_RULE_ADAGRAD);
    assert_int_equal(o.preset, SPARCL_PRESET_KERAS3);
    assert_true(o.lr == 0.001 && o.epsilon == 1e-7 && o.adagrad.initial_accumulator == 0.1);
    assert_int_equal(o.epsilon_place, SPARCL_EPSILON_INSIDE);
    assert_int_equal(o.decay.kind, SPARCL_DECAY_GLOBAL);
    assert_true(o.step == 1 && o.rescale == 1 && o.clip.value == (double)INFINITY);
    assert_int_equal(sparcl_optim_preset(&o, SPARCL_RULE_ADAM, SPARCL_PRESET_TF1), 0);
    assert_int_equal(o.moves, SPARCL_MOVES_ALL);
    assert_int_equal(sparcl_optim_preset(&o, SPARCL_RULE_SGD, SPARCL_PRESET_TORCH), 0);
    assert_int_equal(o.duplicates, SPARCL_DUPLICATES_SEPARATE);
    assert_string_equal(sparcl_preset_name(SPARCL_PRESET_KERAS3), "keras3");
    assert_string_equal(sparcl_preset_name((sparcl_preset)SPARCL_PRESETS), "?");
}

static void a_pair_that_does_not_exist_is_refused(void **state) {
    static const struct {
        int rule, preset;
    } pairs[] = {{SPARCL_RULE_ADAM, SPARCL_PRESET_DGL},
                 {SPARCL_RULES, SPARCL_PRESET_TORCH},
                 {-1, SPARCL_PRESET_TORCH},
                 {SPARCL_RULE_ADAM, SPARCL_PRESETS},
                 {SPARCL_RULE_ADAM, -1}};
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); ++i) {
        sparcl_optim o, before;
        memset(&o, 0x5a, sizeof o);
        before = o;
        assert_int_equal(
            sparcl_optim_preset(&o, (sparcl_rule)pairs[i].rule, (sparcl_preset)pairs[i].preset),
            SPARCL_E_ARG);
        assert_memory_equal(&o, &before, sizeof o);
    }
    assert_int_equal(sparcl_optim_preset(NULL, SPARCL_RULE_SGD, SPARCL_PRESET_TORCH), SPARCL_E_ARG);
}

static void init_adds_rows_and_moves_those_of_the_gradient(void **state) {
    (void)state;
    for (int rule = 0; rule < SPARCL_RULES; ++rule) {
        sparcl_optim o;
        sparcl_optim_init(&o, (sparcl_rule)rule);
        assert_int_equal(o.duplicates, SPARCL_DUPLICATES_SUM);
        assert_int_equal(o.moves, SPARCL_MOVES_PRESENT);
        assert_int_equal(sparcl_optim_check(&o, NULL), SPARCL_OK);
    }
}

static void states_begin_as_the_optimizer_says(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_dense table = {.rank = 2, .shape = {3, 2}, .ld = 5};
    for (int rule = 0; rule < SPARCL_RULES; ++rule) {
        arrays x = make(ctx, SPARCL_RULE_SGD, SPEC_UNIFORM);
        sparcl_dense states[SPARCL_MAX_STATES];
        const int count = sparcl_rule_states((sparcl_rule)rule);
        sparcl_optim_init(&x.optim, (sparcl_rule)rule);
        x.optim.adagrad.initial_accumulator = 0.25;
        assert_ok(ctx, sparcl_optim_create_states(ctx, &x.optim, &x.table, states));
        for (int i = 0; i < count; ++i) {
            const bool is_row = sparcl_rule_state_is_row((sparcl_rule)rule, i);
            const bool accumulates =
                i == 0 && sparcl_rule_uses((sparcl_rule)rule, "initial_accumulator");
            const int64_t last = is_row ? ROWS - 1 : ROWS * WIDTH - 1;
            assert_int_equal(states[i].rank, is_row ? 1 : 2);
            assert_int_equal(states[i].shape[0], ROWS);
            assert_true(float_at(ctx, states[i].values, 0) == (accumulates ? 0.25f : 0));
            assert_true(float_at(ctx, states[i].values, last) == (accumulates ? 0.25f : 0));
            sparcl_dense_free(&states[i]);
        }
        drop(&x);
    }
    sparcl_optim adam;
    sparcl_optim_init(&adam, SPARCL_RULE_ADAM);
    assert_refused(ctx, sparcl_optim_create_states(ctx, &adam, &table, NULL), SPARCL_E_SHAPE,
                   "table");
}

static void rows_of_one_index_are_refused_where_the_optimizer_says(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPARCL_RULE_SGD, SPEC_DUPLICATE),
           y = make(ctx, SPARCL_RULE_SGD, SPEC_DIAGONAL);
    snapshot kept = SNAPSHOT(ctx, x.table.values);
    x.optim.duplicates = y.optim.duplicates = SPARCL_DUPLICATES_ERROR;
    assert_refused(ctx, step(ctx, &x), SPARCL_E_DATA, "a duplicate, expected each index once");
    assert_unchanged(ctx, &kept);
    assert_ok(ctx, step(ctx, &y)); /* its rows are unique, but this is not said */
    y.gradient.proof.flags |= SPARCL_UNIQUE;
    assert_ok(ctx, step(ctx, &y));
    snapshot_free(&kept);
    drop(&x);
    drop(&y);
}

/* Two steps of rows on the left, of dense gradients on the right. */
static void take_two_steps(sparcl_ctx *ctx, const sparcl_optim *o, const sparcl_dense table[2],
                           sparcl_dense states[2][SPARCL_MAX_STATES], const sparcl_rows *rows) {
    sparcl_dense dense = {.rank = 2, .shape = {ROWS, WIDTH}};
    assert_ok(ctx, sparcl_dense_zeros(ctx, &dense));
    assert_ok(ctx, sparcl_rows_to_dense(ctx, &dense, rows));
    sparcl_optim now = *o;
    for (now.step = 1; now.step <= 2; ++now.step) {
        assert_ok(ctx, sparcl_step(ctx, &now, &table[0], states[0], rows));
        assert_ok(ctx, sparcl_step_dense(ctx, &now, &table[1], states[1], &dense));
    }
    sparcl_dense_free(&dense);
}

/* As PyTorch refuses for AdamW, AMSGrad, Nesterov's momentum, NAdam. */
static void steps_of_all_rows_are_those_of_dense_gradients(void **state) {
    sparcl_ctx *ctx = *state;
    for (int rule = 0; rule < SPARCL_RULES; ++rule)
        for (int decay = 0; decay < 2; ++decay) {
            arrays x = make(ctx, (sparcl_rule)rule, SPEC_DIAGONAL);
            const sparcl_dense table[2] = {x.table, make_table(ctx, 1)};
            sparcl_dense states[2][SPARCL_MAX_STATES];
            x.optim.moves = SPARCL_MOVES_ALL;
            x.optim.momentum.nesterov = 1;
            x.optim.decay.weight = 0.125;
            x.optim.counter.halflife = 4;
            x.optim.decay.kind = decay ? SPARCL_DECAY_GLOBAL : SPARCL_DECAY_COUPLED;
            for (int i = 0; i < 2; ++i)
                assert_ok(ctx, sparcl_optim_create_states(ctx, &x.optim, &table[i], states[i]));
            take_two_steps(ctx, &x.optim, table, states, &x.gradient);
            bool is_equal = true;
            for (int64_t i = 0; i < ROWS * LD; ++i)
                is_equal = is_equal &&
                           float_at(ctx, table[0].values, i) == float_at(ctx, table[1].values, i);
            assert_true(is_equal || rule == SPARCL_RULE_YOGI);
            for (int i = 0; i < 2 * sparcl_rule_states((sparcl_rule)rule); ++i)
                sparcl_dense_free(&states[i % 2][i / 2]);
            sparcl_buf_free(table[1].values);
            drop(&x);
        }
}

/* Yogi's states of absent rows move, their weights do not; and a rate of 0 moves no weight where
 * the root is 0. */
static void yogi_keeps_the_weights_of_absent_rows(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_rows none = {.rank = 2, .shape = {ROWS, WIDTH}, .proof.flags = SPARCL_TRUSTED};
    arrays x = make(ctx, SPARCL_RULE_YOGI, SPEC_UNIFORM);
    snapshot kept = SNAPSHOT(ctx, x.table.values);
    const float mean = 0.5F;
    assert_int_equal(sparcl_optim_preset(&x.optim, SPARCL_RULE_YOGI, SPARCL_PRESET_ADDONS), 0);
    x.optim.epsilon = 0;
    assert_ok(ctx, sparcl_buf_write(ctx, x.states[1].values, 0, sizeof mean, &mean));
    assert_ok(ctx, sparcl_step(ctx, &x.optim, &x.table, x.states, &none));
    assert_unchanged(ctx, &kept);
    assert_true(float_at(ctx, x.states[1].values, 0) == 0.9F * 0.5F);
    snapshot_free(&kept);
    drop(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_preset_fills_in_what_a_system_does),
        cmocka_unit_test(a_pair_that_does_not_exist_is_refused),
        cmocka_unit_test(init_adds_rows_and_moves_those_of_the_gradient),
        cmocka_unit_test(states_begin_as_the_optimizer_says),
        cmocka_unit_test(rows_of_one_index_are_refused_where_the_optimizer_says),
        cmocka_unit_test(steps_of_all_rows_are_those_of_dense_gradients),
        cmocka_unit_test(yogi_keeps_the_weights_of_absent_rows),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
