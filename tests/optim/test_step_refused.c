/* test_step_refused.c: steps that are refused: what is said of them, and that nothing changes. */
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

/* A way of breaking the arguments of an Adam step, and what must be said of it. */
typedef struct breaking {
    void (*violation)(arrays *x);
    sparcl_status status;
    const char *part;
    bool needs_f64;
} breaking;

#define VIOLATION(name, statement)                                                                 \
    static void name(arrays *x) {                                                                  \
        statement;                                                                                 \
    }
VIOLATION(lr_is_nan, x->optim.lr = (double)NAN)
VIOLATION(lr_is_infinite, x->optim.lr = (double)INFINITY)
VIOLATION(momentum_is_1, x->optim.momentum = 1)
VIOLATION(momentum_is_negative, x->optim.momentum = -0.1)
VIOLATION(momentum_is_nan, x->optim.momentum = (double)NAN)
VIOLATION(beta1_is_1, x->optim.beta1 = 1)
VIOLATION(beta1_is_nan, x->optim.beta1 = (double)NAN)
VIOLATION(beta2_is_large, x->optim.beta2 = 1.5)
VIOLATION(beta2_is_negative, x->optim.beta2 = -1)
VIOLATION(epsilon_is_negative, x->optim.epsilon = -1e-8)
VIOLATION(epsilon_is_infinite, x->optim.epsilon = (double)INFINITY)
VIOLATION(epsilon_is_nan, x->optim.epsilon = (double)NAN)
VIOLATION(l2_is_negative, x->optim.l2 = -1)
VIOLATION(l2_is_nan, x->optim.l2 = (double)NAN)
VIOLATION(step_is_0, x->optim.step = 0)
VIOLATION(sgd_counts_from_0,
          (x->optim.rule = SPARCL_RULE_SGD, x->optim.step = 0, x->optim.last_steps = x->last))
VIOLATION(rule_is_none, x->optim.rule = (sparcl_rule)4)
VIOLATION(rule_is_negative, sparcl_optim_init(&x->optim, (sparcl_rule)-1))
VIOLATION(optim_has_reserved_bits, x->optim.reserved[1] = 1)
VIOLATION(last_steps_is_short, (x->optim.last_steps = x->last, x->optim.last_steps_at = 3))
VIOLATION(state_is_short, --x->states[0].shape[0])
VIOLATION(state_has_another_rank, x->states[1].rank = 1)
VIOLATION(state_is_f64, x->states[0].dtype = SPARCL_F64)
VIOLATION(state_has_no_buffer, x->states[1].values = NULL)
VIOLATION(table_is_narrow, --x->table.shape[1])
VIOLATION(table_has_reserved_bits, x->table.reserved[0] = 1)
VIOLATION(gradient_is_long, ++x->gradient.shape[0])
VIOLATION(gradient_has_another_rank, (x->gradient.rank = 3, x->gradient.shape[2] = 1))
VIOLATION(gradient_is_f64, (x->gradient.dtype = SPARCL_F64, x->gradient.nnr = 10))
VIOLATION(gradient_is_unproven, x->gradient.proof = (sparcl_proof){0})
VIOLATION(gradient_has_no_values, x->gradient.values = NULL)
VIOLATION(state_is_the_table, x->states[0].values = x->table.values)
VIOLATION(states_are_one, x->states[1] = x->states[0])
VIOLATION(gradient_is_the_table, x->gradient.values = x->table.values)
VIOLATION(gradient_is_a_state, x->gradient.values = x->states[1].values)
VIOLATION(gradient_has_indices_in_a_state, x->gradient.indices = x->states[0].values)
VIOLATION(gradient_has_its_count_in_the_table, x->gradient.count = x->table.values)
VIOLATION(last_steps_is_the_table, x->optim.last_steps = x->table.values)
VIOLATION(last_steps_is_the_gradient,
          x->gradient.values = x->optim.last_steps = x->states[0].values)

static const breaking breakings[] = {
    {lr_is_nan, SPARCL_E_ARG, "lr is nan, expected a finite number", false},
    {lr_is_infinite, SPARCL_E_ARG, "lr is inf, expected a finite number", false},
    {momentum_is_1, SPARCL_E_ARG, "momentum is 1, expected a number from 0 to less than 1", false},
    {momentum_is_negative, SPARCL_E_ARG, "momentum is -0.1", false},
    {momentum_is_nan, SPARCL_E_ARG, "momentum is nan", false},
    {beta1_is_1, SPARCL_E_ARG, "beta1 is 1", false},
    {beta1_is_nan, SPARCL_E_ARG, "beta1 is nan", false},
    {beta2_is_large, SPARCL_E_ARG, "beta2 is 1.5", false},
    {beta2_is_negative, SPARCL_E_ARG, "beta2 is -1", false},
    {epsilon_is_negative, SPARCL_E_ARG, "epsilon is -1e-08, expected a finite number from 0",
     false},
    {epsilon_is_infinite, SPARCL_E_ARG, "epsilon is inf", false},
    {epsilon_is_nan, SPARCL_E_ARG, "epsilon is nan", false},
    {l2_is_negative, SPARCL_E_ARG, "l2 is -1, expected a finite number from 0", false},
    {l2_is_nan, SPARCL_E_ARG, "l2 is nan", false},
    {step_is_0, SPARCL_E_ARG, "step is 0, expected at least 1", false},
    {sgd_counts_from_0, SPARCL_E_ARG, "step is 0, expected at least 1", false},
    {rule_is_none, SPARCL_E_ARG, "rule is 4, expected a sparcl_rule", false},
    {rule_is_negative, SPARCL_E_ARG, "rule is -1, expected a sparcl_rule", false},
    {optim_has_reserved_bits, SPARCL_E_ARG, "the reserved fields of optim are not zero", false},
    {last_steps_is_short, SPARCL_E_SHAPE, "last_steps needs 40 elements", false},
    {state_is_short, SPARCL_E_SHAPE, "of the first state is 39, of the table 40", false},
    {state_has_another_rank, SPARCL_E_SHAPE, "the second state has rank 1, the table has 2", false},
    {state_is_f64, SPARCL_E_DTYPE, "64", true},
    {state_has_no_buffer, SPARCL_E_SHAPE, "the second state needs", false},
    {table_is_narrow, SPARCL_E_SHAPE, " of the table ", false},
    {table_has_reserved_bits, SPARCL_E_ARG, "the reserved fields of table are not zero", false},
    {gradient_is_long, SPARCL_E_SHAPE, "dimension 0 of gradient is 41, of the table 40", false},
    {gradient_has_another_rank, SPARCL_E_SHAPE, "gradient has rank ", false},
    {gradient_is_f64, SPARCL_E_DTYPE, "64", true},
    {gradient_is_unproven, SPARCL_E_UNCHECKED, "gradient is not checked", false},
    {gradient_has_no_values, SPARCL_E_SHAPE, "gradient needs", false},
    {state_is_the_table, SPARCL_E_ALIAS, "table overlaps the first state", false},
    {states_are_one, SPARCL_E_ALIAS, "the first state overlaps the second state", false},
    {gradient_is_the_table, SPARCL_E_ALIAS, "table overlaps the values of the gradient", false},
    {gradient_is_a_state, SPARCL_E_ALIAS, "the second state overlaps the values of the gradient",
     false},
    {gradient_has_indices_in_a_state, SPARCL_E_ALIAS, "overlaps the indices of the gradient",
     false},
    {gradient_has_its_count_in_the_table, SPARCL_E_ALIAS, "overlaps the count of the gradient",
     false},
    {last_steps_is_the_table, SPARCL_E_ALIAS, "table overlaps last_steps", false},
    {last_steps_is_the_gradient, SPARCL_E_ALIAS, "overlaps", false},
};

static void a_refused_step_changes_nothing_and_says_why(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPARCL_RULE_ADAM, SPEC_UNIFORM);
    for (size_t i = 0; i < COUNT(breakings); ++i) {
        const breaking *b = &breakings[i];
        arrays broken = x;
        b->violation(&broken);
        void *const first = bytes_of(ctx, x.states[0].values);
        assert_refused_untouched(ctx, x.table.values, step(ctx, &broken),
                                 b->needs_f64 ? wrong_f64(ctx) : b->status, b->part);
        assert_holds(ctx, x.states[0].values, first);
        free(first);
    }
    assert_refused(ctx, sparcl_step(ctx, NULL, &x.table, x.states, &x.gradient), SPARCL_E_ARG,
                   "optim is NULL");
    assert_refused(ctx, sparcl_step(ctx, &x.optim, NULL, x.states, &x.gradient), SPARCL_E_ARG,
                   "table is NULL");
    assert_refused(ctx, sparcl_step(ctx, &x.optim, &x.table, x.states, NULL), SPARCL_E_ARG,
                   "gradient is NULL");
    assert_ok(ctx, step(ctx, &x));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_may_be_null_where_there_are_none),
        cmocka_unit_test(a_refused_step_changes_nothing_and_says_why),
        cmocka_unit_test(a_refused_dense_step_changes_nothing_and_says_why),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
