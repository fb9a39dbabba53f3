/* test_profiles.c: what sparcl/optim.h says of profiles, of the states of a table, and of gradients
 * with rows of one index. */
#include "step_test.h"

static void a_profile_fills_in_what_a_system_does(void **state) {
    sparcl_optim o;
    (void)state;
    assert_int_equal(sparcl_optim_profile(&o, SPARCL_RULE_ADAGRAD, SPARCL_PROFILE_KERAS3), 0);
    assert_int_equal(o.rule, SPARCL_RULE_ADAGRAD);
    assert_int_equal(o.profile, SPARCL_PROFILE_KERAS3);
    assert_true(o.lr == 0.001 && o.epsilon == 1e-7 && o.initial_accumulator == 0.1);
    assert_int_equal(o.epsilon_place, SPARCL_EPSILON_INSIDE);
    assert_int_equal(o.decay, SPARCL_DECAY_GLOBAL);
    assert_true(o.step == 1 && o.rescale == 1 && o.clip_value == (double)INFINITY);
    assert_int_equal(sparcl_optim_profile(&o, SPARCL_RULE_ADAM, SPARCL_PROFILE_TF1), 0);
    assert_int_equal(o.moves, SPARCL_MOVES_ALL);
    assert_int_equal(sparcl_optim_profile(&o, SPARCL_RULE_SGD, SPARCL_PROFILE_TORCH), 0);
    assert_int_equal(o.duplicates, SPARCL_DUPLICATES_SEPARATE);
    assert_string_equal(sparcl_rule_profile_name(SPARCL_PROFILE_KERAS3), "keras3");
    assert_string_equal(sparcl_rule_profile_name((sparcl_rule_profile)SPARCL_PROFILES), "?");
}

static void a_pair_that_does_not_exist_is_refused(void **state) {
    static const struct {
        int rule, profile;
    } pairs[] = {{SPARCL_RULE_ADAM, SPARCL_PROFILE_DGL},
                 {SPARCL_RULES, SPARCL_PROFILE_TORCH},
                 {-1, SPARCL_PROFILE_TORCH},
                 {SPARCL_RULE_ADAM, SPARCL_PROFILES},
                 {SPARCL_RULE_ADAM, -1}};
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); ++i) {
        sparcl_optim o, before;
        memset(&o, 0x5a, sizeof o);
        before = o;
        assert_int_equal(sparcl_optim_profile(&o, (sparcl_rule)pairs[i].rule,
                                              (sparcl_rule_profile)pairs[i].profile),
                         SPARCL_E_ARG);
        assert_memory_equal(&o, &before, sizeof o);
    }
    assert_int_equal(sparcl_optim_profile(NULL, SPARCL_RULE_SGD, SPARCL_PROFILE_TORCH),
                     SPARCL_E_ARG);
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
        x.optim.initial_accumulator = 0.25;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_fills_in_what_a_system_does),
        cmocka_unit_test(a_pair_that_does_not_exist_is_refused),
        cmocka_unit_test(init_adds_rows_and_moves_those_of_the_gradient),
        cmocka_unit_test(states_begin_as_the_optimizer_says),
        cmocka_unit_test(rows_of_one_index_are_refused_where_the_optimizer_says),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
