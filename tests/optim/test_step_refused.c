/* test_step_refused.c: steps that are refused: the messages, and that nothing changes. */
#include "sparcl/optim_text.h"
#include "step_test.h"

static void states_may_be_null_where_there_are_none(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPARCL_RULE_SGD, SPEC_UNIFORM);
    assert_ok(ctx, sparcl_step(ctx, &x.optim, &x.table, NULL, &x.gradient));
    x.optim.rule = SPARCL_RULE_ADAM;
    assert_refused(ctx, sparcl_step(ctx, &x.optim, &x.table, NULL, &x.gradient), SPARCL_E_ARG,
                   "states is NULL, the rule has 2");
    drop(&x);
}

static void a_refused_step_changes_nothing_and_says_why(void **state) {
    sparcl_ctx *ctx = *state;
    arrays valid = make(ctx, SPARCL_RULE_ADAM, SPEC_UNIFORM);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, valid.table.values, valid.states[0].values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, valid, violation, step(ctx, &x), status, part,                \
                             assert_unchanged(ctx, &kept))
    REFUSED(x.optim.lr = (double)NAN, SPARCL_E_ARG, "lr is nan, expected a finite number");
    REFUSED(x.optim.lr = -1, SPARCL_E_ARG, "lr is -1, expected a finite number from 0");
    REFUSED(x.optim.lr = -(double)NAN, SPARCL_E_ARG, "lr is nan, expected a finite number");
    REFUSED(x.optim.lr = (double)INFINITY, SPARCL_E_ARG, "lr is inf, expected a finite number");
    REFUSED(x.optim.momentum.factor = 1, SPARCL_E_ARG,
            "momentum is 1, expected a number from 0 to less than 1");
    REFUSED(x.optim.momentum.factor = -0.1, SPARCL_E_ARG, "momentum is -0.1");
    REFUSED(x.optim.momentum.factor = (double)NAN, SPARCL_E_ARG, "momentum is nan");
    REFUSED(x.optim.adam.beta1 = 1, SPARCL_E_ARG, "beta1 is 1");
    REFUSED(x.optim.adam.beta1 = (double)NAN, SPARCL_E_ARG, "beta1 is nan");
    REFUSED(x.optim.adam.beta2 = 1.5, SPARCL_E_ARG, "beta2 is 1.5");
    REFUSED(x.optim.adam.beta2 = -1, SPARCL_E_ARG, "beta2 is -1");
    REFUSED(x.optim.epsilon = -1e-8, SPARCL_E_ARG,
            "epsilon is -1e-08, expected a finite number from 0");
    REFUSED(x.optim.epsilon = (double)INFINITY, SPARCL_E_ARG, "epsilon is inf");
    REFUSED(x.optim.epsilon = (double)NAN, SPARCL_E_ARG, "epsilon is nan");
    REFUSED(x.optim.decay.weight = -1, SPARCL_E_ARG,
            "weight_decay is -1, expected a finite number from 0");
    REFUSED(x.optim.decay.weight = (double)NAN, SPARCL_E_ARG, "weight_decay is nan");
    REFUSED(x.optim.step = 0, SPARCL_E_ARG, "step is 0, expected at least 1");
    REFUSED((x.optim.rule = SPARCL_RULE_SGD, x.optim.step = 0, x.optim.lazy.last_steps = x.last),
            SPARCL_E_ARG, "step is 0, expected at least 1");
    REFUSED(x.optim.rule = (sparcl_rule)SPARCL_RULES, SPARCL_E_ARG, "expected a sparcl_rule");
    REFUSED(sparcl_optim_init(&x.optim, (sparcl_rule)-1), SPARCL_E_ARG, "expected a sparcl_rule");
    REFUSED(x.optim = (sparcl_optim){0}, SPARCL_E_ARG, "size is 0, expected ");
    REFUSED(x.optim.rescale = 0, SPARCL_E_ARG,
            "rescale is 0, expected a finite number that is not 0");
    REFUSED(x.optim.clip.value = -1, SPARCL_E_ARG, "clip_value is -1, expected a number from 0");
    REFUSED(x.optim.clip.value = (double)NAN, SPARCL_E_ARG, "clip_value is nan");
    REFUSED(x.optim.rmsprop.rho = 1, SPARCL_E_ARG,
            "rho is 1, expected a number from 0 to less than 1");
    REFUSED(x.optim.rmsprop.rho = (double)NAN, SPARCL_E_ARG, "rho is nan");
    REFUSED(x.optim.clip.weights = -1, SPARCL_E_ARG,
            "clip_weights is -1, expected a number from 0");
    REFUSED(x.optim.clip.weights = (double)NAN, SPARCL_E_ARG, "clip_weights is nan");
    REFUSED(x.optim.adam.momentum_decay = -1, SPARCL_E_ARG,
            "momentum_decay is -1, expected a finite number from 0");
    REFUSED(x.optim.adam.momentum_decay = (double)INFINITY, SPARCL_E_ARG, "momentum_decay is inf");
    REFUSED(x.optim.decay.signum = -1, SPARCL_E_ARG,
            "wd_lh is -1, expected a finite number from 0");
    REFUSED(x.optim.decay.signum = (double)NAN, SPARCL_E_ARG, "wd_lh is nan");
    REFUSED(x.optim.counter.mode = (sparcl_counter_mode)6, SPARCL_E_ARG,
            "counter_mode is 6, expected a sparcl_counter_mode");
    REFUSED(x.optim.counter.halflife = (double)INFINITY, SPARCL_E_ARG,
            "counter_halflife is inf, expected a finite number");
    REFUSED(x.optim.counter.max = -1, SPARCL_E_ARG,
            "max_counter is -1, expected a finite number from 0");
    REFUSED(x.optim.ftrl.l1 = -1, SPARCL_E_ARG, "l1 is -1, expected a finite number from 0");
    REFUSED(x.optim.ftrl.l2 = (double)NAN, SPARCL_E_ARG, "l2 is nan");
    REFUSED(x.optim.ftrl.l2_shrinkage = -1, SPARCL_E_ARG, "l2_shrinkage is -1");
    REFUSED(x.optim.ftrl.beta = (double)INFINITY, SPARCL_E_ARG, "beta is inf");
    REFUSED(x.optim.ftrl.lr_power = 0.5, SPARCL_E_ARG,
            "lr_power is 0.5, expected a finite number that");
    REFUSED((sparcl_optim_init(&x.optim, SPARCL_RULE_FTRL), x.optim.lr = 0), SPARCL_E_ARG,
            "lr is 0, expected a positive number: the rule divides by it");
    REFUSED(x.optim.max_norm = -1, SPARCL_E_ARG, "max_norm is -1, expected a number from 0");
    REFUSED(x.optim.max_norm = (double)NAN, SPARCL_E_ARG, "max_norm is nan");
    REFUSED(x.optim.max_norm = 2, SPARCL_E_ARG, "max_norm is 2, expected inf for adam, which has");
    REFUSED(x.optim.momentum.dampening = 1, SPARCL_E_ARG, "dampening is 1");
    REFUSED(x.optim.adagrad.lr_decay = -1, SPARCL_E_ARG, "lr_decay is -1");
    REFUSED(x.optim.adagrad.initial_accumulator = -1, SPARCL_E_ARG, "initial_accumulator is -1");
    REFUSED(x.optim.preset = (sparcl_preset)SPARCL_PRESETS, SPARCL_E_ARG,
            "expected a sparcl_preset");
    REFUSED(x.optim.preset = SPARCL_PRESET_DGL, SPARCL_E_ARG, "preset dgl has no rule adam");
    REFUSED(x.optim.decay.kind = (sparcl_decay)4, SPARCL_E_ARG,
            "decay is 4, expected a sparcl_decay");
    REFUSED((x.optim.rule = SPARCL_RULE_SGD, x.optim.decay.kind = SPARCL_DECAY_INSIDE),
            SPARCL_E_ARG, "decay is inside, expected coupled, decoupled or global for sgd");
    REFUSED(x.optim.eta = (double)NAN, SPARCL_E_ARG, "eta is nan, expected a finite number");
    REFUSED(x.optim.moves = (sparcl_moves)-1, SPARCL_E_ARG, "moves is -1, expected a sparcl_moves");
    REFUSED(x.optim.epsilon_place = (sparcl_epsilon)3, SPARCL_E_ARG, "epsilon_place is 3");
    REFUSED(x.optim.moves = SPARCL_MOVES_EXACT, SPARCL_E_ARG,
            "moves is exact, expected lazy or last_steps of optim to be set");
    REFUSED(x.optim.duplicates = (sparcl_optim_duplicates)5, SPARCL_E_ARG, "duplicates is 5");
    REFUSED((sparcl_optim_init(&x.optim, SPARCL_RULE_LION),
             x.optim.duplicates = SPARCL_DUPLICATES_SQUARES),
            SPARCL_E_ARG, "duplicates is squares, expected sum, mean, error or separate for lion");
    REFUSED((sparcl_optim_init(&x.optim, SPARCL_RULE_LARS),
             x.optim.duplicates = SPARCL_DUPLICATES_SQUARES),
            SPARCL_E_ARG, "duplicates is squares, expected sum, mean or error for lars");
    REFUSED((sparcl_optim_init(&x.optim, SPARCL_RULE_LAMB),
             x.optim.duplicates = SPARCL_DUPLICATES_SEPARATE),
            SPARCL_E_ARG, "for lamb, whose rate has norms of the whole table");
    REFUSED(x.optim.trust.lower_bound = -1, SPARCL_E_ARG,
            "lower_bound is -1, expected a finite number");
    REFUSED(x.optim.trust.upper_bound = (double)NAN, SPARCL_E_ARG, "upper_bound is nan");
    REFUSED(x.optim.momentum.last_lr = (double)INFINITY, SPARCL_E_ARG, "last_lr is inf");
    REFUSED((x.optim.lazy.last_steps = x.last, x.optim.moves = SPARCL_MOVES_ALL), SPARCL_E_ARG,
            "last_steps is set, expected NULL");
    REFUSED(x.optim.size = 8, SPARCL_E_ARG, "size is 8, expected ");
    REFUSED((x.optim.lazy.last_steps = x.last, x.optim.lazy.last_steps_at = 3), SPARCL_E_SHAPE,
            "last_steps needs 40 elements");
    REFUSED(--x.states[0].shape[0], SPARCL_E_SHAPE, "of the first state is 39, of the table 40");
    REFUSED(x.states[1].rank = 1, SPARCL_E_SHAPE, "the second state has rank 1, the table has 2");
    REFUSED(x.states[0].dtype = SPARCL_F64, no_f64, "64");
    REFUSED(x.states[1].values = NULL, SPARCL_E_SHAPE, "the second state has no buffer");
    REFUSED(--x.table.shape[1], SPARCL_E_SHAPE, " of the table ");
    REFUSED(x.table.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of table are not zero");
    REFUSED(++x.gradient.shape[0], SPARCL_E_SHAPE,
            "dimension 0 of gradient is 41, of the table 40");
    REFUSED((x.gradient.rank = 3, x.gradient.shape[2] = 1), SPARCL_E_SHAPE, "gradient has rank ");
    REFUSED((x.gradient.dtype = SPARCL_F64, x.gradient.nnr = 10), no_f64, "64");
    REFUSED(x.gradient.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "gradient is not checked");
    REFUSED(x.gradient.values = NULL, SPARCL_E_SHAPE, "gradient has no buffer");
    REFUSED(x.states[0].values = x.table.values, SPARCL_E_ALIAS, "table overlaps the first state");
    REFUSED(x.states[1] = x.states[0], SPARCL_E_ALIAS, "the first state overlaps the second state");
    REFUSED(x.gradient.values = x.table.values, SPARCL_E_ALIAS,
            "table overlaps the values of the gradient");
    REFUSED(x.gradient.values = x.states[1].values, SPARCL_E_ALIAS,
            "the second state overlaps the values of the gradient");
    REFUSED(x.gradient.indices = x.states[0].values, SPARCL_E_ALIAS,
            "overlaps the indices of the gradient");
    REFUSED(x.gradient.count = x.table.values, SPARCL_E_ALIAS,
            "overlaps the count of the gradient");
    REFUSED(x.optim.lazy.last_steps = x.table.values, SPARCL_E_ALIAS, "table overlaps last_steps");
    REFUSED(x.gradient.values = x.optim.lazy.last_steps = x.states[0].values, SPARCL_E_ALIAS,
            "overlaps");
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_step(ctx, NULL, &valid.table, valid.states, &valid.gradient),
                   SPARCL_E_ARG, "optim is NULL");
    assert_refused(ctx, sparcl_step(ctx, &valid.optim, NULL, valid.states, &valid.gradient),
                   SPARCL_E_ARG, "table is NULL");
    assert_refused(ctx, sparcl_step(ctx, &valid.optim, &valid.table, valid.states, NULL),
                   SPARCL_E_ARG, "gradient is NULL");
    assert_ok(ctx, step(ctx, &valid));
    drop(&valid);
}

/* The last value of the gradient's row 1 becomes NaN, and is in a gradient of rows and in one of
 * all rows with gaps. */
static void check_finite_refuses_nan_and_infinity(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPARCL_RULE_ADAM, SPEC_UNIFORM);
    snapshot kept = SNAPSHOT(ctx, x.table.values, x.states[0].values);
    const int64_t row = 1, place = 2 * WIDTH - 1, at = x.gradient.values_at + place;
    const float bad[] = {NAN, INFINITY};
    int64_t id = -1;
    int32_t narrow = -1;
    char expected[120];
    x.optim.check_finite = 1;
    const bool is_wide = x.gradient.index_type == SPARCL_INDEX64;
    assert_ok(ctx, sparcl_buf_read(ctx, x.gradient.indices,
                                   (x.gradient.indices_at + row) * (is_wide ? 8 : 4),
                                   is_wide ? 8 : 4, is_wide ? (void *)&id : (void *)&narrow));
    snprintf(expected, sizeof expected,
             "gradient.values[%d] is NaN or infinite, expected a finite number: column %d of row "
             "%lld",
             (int)place, WIDTH - 1, (long long)(is_wide ? id : narrow));
    for (int i = 0; i < 2; ++i) {
        assert_ok(ctx, sparcl_buf_write(ctx, x.gradient.values, at * 4, 4, &bad[i]));
        assert_refused(ctx, step(ctx, &x), SPARCL_E_DATA, expected);
        assert_unchanged(ctx, &kept);
    }
    assert_ok(ctx, sparcl_buf_write(ctx, x.gradient.values, at * 4, 4, &(float){1}));
    assert_ok(ctx, step(ctx, &x));
    snapshot_free(&kept);
    drop(&x);
}

static void check_finite_finds_the_row_of_a_dense_gradient(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPARCL_RULE_ADAM, SPEC_UNIFORM);
    const int64_t ld = WIDTH + 1;
    float values[ROWS * (WIDTH + 1)];
    for (int64_t i = 0; i < ROWS * ld; ++i)
        values[i] = i % ld == WIDTH ? NAN : 1; /* in the gaps */
    sparcl_dense g = {.rank = 2, .shape = {ROWS, WIDTH}, .ld = ld};
    assert_ok(ctx, sparcl_buf_create(ctx, &g.values, (int64_t)sizeof values));
    x.optim.check_finite = 1;
    assert_ok(ctx, sparcl_buf_write(ctx, g.values, 0, (int64_t)sizeof values, values));
    assert_ok(ctx, sparcl_step_dense(ctx, &x.optim, &x.table, x.states, &g));
    values[5 * ld + 1] = -INFINITY;
    assert_ok(ctx, sparcl_buf_write(ctx, g.values, 0, (int64_t)sizeof values, values));
    assert_refused_untouched(ctx, x.table.values,
                             sparcl_step_dense(ctx, &x.optim, &x.table, x.states, &g),
                             SPARCL_E_DATA, "column 1 of row 5");
    sparcl_buf_free(g.values);
    drop(&x);
}

static void a_refused_dense_step_changes_nothing_and_says_why(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPARCL_RULE_ADAM, SPEC_UNIFORM);
    sparcl_dense g = make_table(ctx, 3);
    sparcl_dense short_g = g, wide = g;
    --short_g.shape[0];
    wide.dtype = SPARCL_F64;
    assert_refused_untouched(ctx, x.table.values,
                             sparcl_step_dense(ctx, &x.optim, &x.table, x.states, &short_g),
                             SPARCL_E_SHAPE, "step_dense: dimension ");
    assert_refused_untouched(ctx, x.table.values,
                             sparcl_step_dense(ctx, &x.optim, &x.table, x.states, &wide),
                             wrong_f64(ctx), "64");
    assert_refused_untouched(ctx, x.table.values,
                             sparcl_step_dense(ctx, &x.optim, &x.table, x.states, &x.states[1]),
                             SPARCL_E_ALIAS, "the second state overlaps the gradient");
    assert_refused_untouched(ctx, x.table.values,
                             sparcl_step_dense(ctx, &x.optim, &x.table, x.states, NULL),
                             SPARCL_E_ARG, "gradient is NULL");
    sparcl_buf_free(g.values);
    drop(&x);
}

static void a_state_of_rows_has_a_number_for_each_row(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPARCL_RULE_ROWWISE_ADAGRAD, SPEC_UNIFORM);
    const sparcl_dense whole = x.states[0], list = {.rank = 1, .shape = {ROWS}};
    assert_refused_untouched(ctx, x.table.values, step(ctx, &x), SPARCL_E_SHAPE,
                             "the first state has rank 2, the list of rows has 1");
    x.states[0].rank = 1;
    --x.states[0].shape[0];
    assert_refused_untouched(ctx, x.table.values, step(ctx, &x), SPARCL_E_SHAPE,
                             "of the first state is 39, of the list of rows 40");
    x.states[0] = list;
    assert_refused_untouched(ctx, x.table.values, step(ctx, &x), SPARCL_E_SHAPE,
                             "the first state has no buffer");
    x.optim.adagrad.initial_accumulator = 0.5;
    assert_ok(ctx, sparcl_optim_create_states(ctx, &x.optim, &x.table, x.states));
    assert_int_equal(x.states[0].rank, 1);
    assert_int_equal(x.states[0].shape[0], ROWS);
    for (int64_t row = 0; row < ROWS; ++row)
        assert_true(float_at(ctx, x.states[0].values, row) == 0.5F);
    assert_ok(ctx, step(ctx, &x));
    sparcl_dense_free(&x.states[0]);
    x.states[0] = whole;
    drop(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_may_be_null_where_there_are_none),
        cmocka_unit_test(a_refused_step_changes_nothing_and_says_why),
        cmocka_unit_test(check_finite_refuses_nan_and_infinity),
        cmocka_unit_test(check_finite_finds_the_row_of_a_dense_gradient),
        cmocka_unit_test(a_refused_dense_step_changes_nothing_and_says_why),
        cmocka_unit_test(a_state_of_rows_has_a_number_for_each_row),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
