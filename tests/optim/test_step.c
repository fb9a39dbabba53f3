/* test_step.c: what the header says of rules: their formulas, defaults, limits and states. */
#include "sparcl/optim_text.h"
#include "step_test.h"

/* The formulas of PyTorch's SGD, Adagrad and SparseAdam in double. */
static void torch_step(sparcl_rule rule, int64_t t, double lr, double g, double *w, double *p,
                       double *q) {
    switch ((int)rule) {
    case SPARCL_RULE_SGD:
        *w += -lr * g;
        break;
    case SPARCL_RULE_MOMENTUM:
        *p = t == 1 ? g : *p * 0.9 + g;
        *w += -lr * *p;
        break;
    case SPARCL_RULE_ADAGRAD:
        *p += pow(g, 2);
        *w += -lr * (g / (sqrt(*p) + 1e-10));
        break;
    case SPARCL_RULE_ADAM: {
        const double p_update = (g - *p) * (1 - 0.9), q_update = (pow(g, 2) - *q) * (1 - 0.999);
        *p += p_update;
        *q += q_update;
        const double correction1 = 1 - pow(0.9, (double)t), correction2 = 1 - pow(0.999, (double)t);
        *w += -(lr * sqrt(correction2) / correction1) * (*p / (sqrt(*q) + 1e-8));
        break;
    }
    }
}

static void steps_follow_pytorch(void **state) {
    sparcl_ctx *ctx = *state;
    for (int rule = 0; rule < 4; ++rule) {
        arrays x = make(ctx, (sparcl_rule)rule, SPEC_UNIFORM);
        spec_rowset sum;
        double *truth = must_have(calloc(30 * WIDTH, sizeof *truth));
        double *bound = must_have(calloc(30 * WIDTH, sizeof *bound));
        float *w = bytes_of(ctx, x.table.values);
        assert_true(spec_rowset_sum(&sum, &x.host, SPARCL_F32, truth, bound));
        for (x.optim.step = 1; x.optim.step <= 9; ++x.optim.step)
            assert_ok(ctx, step(ctx, &x));
        for (int64_t u = 0; u < sum.stored; ++u)
            for (int64_t j = 0; j < WIDTH; ++j) {
                const int64_t at = sum.ids[u] * LD + j;
                double expected = w[at], p = 0, q = 0;
                for (int64_t t = 1; t <= 9; ++t)
                    torch_step((sparcl_rule)rule, t, 0.1, truth[u * WIDTH + j], &expected, &p, &q);
                assert_true(fabs(float_at(ctx, x.table.values, at) - expected) <
                            2e-6 * (1 + fabs(expected)));
            }
        free(truth);
        free(bound);
        free(w);
        spec_rowset_free(&sum);
        drop(&x);
    }
}

static void init_fills_in_the_defaults_of_the_header(void **state) {
    static const sparcl_optim expected[] = {
        {.rule = SPARCL_RULE_SGD, .lr = 0.001},
        {.rule = SPARCL_RULE_MOMENTUM, .lr = 0.001, .momentum.factor = 0.9},
        {.rule = SPARCL_RULE_ADAGRAD, .lr = 0.01, .epsilon = 1e-10},
        {.rule = SPARCL_RULE_ADAM,
         .lr = 0.001,
         .adam.beta1 = 0.9,
         .adam.beta2 = 0.999,
         .epsilon = 1e-8},
        {.rule = SPARCL_RULE_ROWWISE_ADAGRAD, .lr = 0.01, .epsilon = 1e-5},
        {.rule = SPARCL_RULE_ROWWISE_ADAM,
         .lr = 0.01,
         .adam.beta1 = 0.9,
         .adam.beta2 = 0.999,
         .epsilon = 1e-8},
        {.rule = SPARCL_RULE_ROWWISE_RMSPROP, .lr = 0.01, .epsilon = 1e-8},
        {.rule = SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER, .lr = 0.01, .epsilon = 1e-8},
        {.rule = SPARCL_RULE_ROWWISE_LARS, .lr = 0.01, .momentum.factor = 0.9},
        {.rule = SPARCL_RULE_ROWWISE_LAMB,
         .lr = 0.01,
         .adam.beta1 = 0.9,
         .adam.beta2 = 0.999,
         .epsilon = 1e-8},
        {.rule = SPARCL_RULE_LAMB,
         .lr = 0.001,
         .adam.beta1 = 0.9,
         .adam.beta2 = 0.999,
         .epsilon = 1e-6},
        {.rule = SPARCL_RULE_LARS, .lr = 0.01},
        {.rule = SPARCL_RULE_LION, .lr = 0.001, .adam.beta1 = 0.9, .adam.beta2 = 0.99},
        {.rule = SPARCL_RULE_SIGNUM, .lr = 0.01, .momentum.factor = 0.9},
        {.rule = (sparcl_rule)SPARCL_RULES}, /* no rule */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(expected); ++i) {
        const sparcl_optim *w = &expected[i];
        sparcl_optim o;
        memset(&o, 0xff, sizeof o);
        sparcl_optim_init(&o, w->rule);
        assert_int_equal(o.rule, w->rule);
        assert_true(o.lr == w->lr && o.momentum.factor == w->momentum.factor &&
                    o.adam.beta1 == w->adam.beta1);
        assert_true(o.adam.beta2 == w->adam.beta2 && o.epsilon == w->epsilon &&
                    o.decay.weight == 0);
        assert_int_equal(o.step, 1);
        assert_null(o.lazy.last_steps);
        assert_int_equal(o.lazy.last_steps_at, 0);
        assert_true(o.rescale == 1 && o.clip.value == (double)INFINITY);
        assert_true(o.max_norm == (double)INFINITY);
        assert_int_equal(o.size, sizeof o);
    }
}

/* Three steps of the formulas of sparcl/optim.h, with the gradients g, 2 g and 3 g: with equal ones
 * the betas of Adam have no effect. */
static double steps_in_plain_c(const sparcl_optim *o, double first, double w) {
    double p = 0, q = 0;
    for (int t = 1; t <= 3; ++t) {
        const double g = first * t;
        switch ((int)o->rule) {
        case SPARCL_RULE_SGD:
            w -= o->lr * g;
            break;
        case SPARCL_RULE_MOMENTUM:
            p = o->momentum.factor * p + g;
            w -= o->lr * p;
            break;
        case SPARCL_RULE_ADAGRAD:
            p += g * g;
            w -= o->lr * g / (sqrt(p) + o->epsilon);
            break;
        case SPARCL_RULE_ADAM:
            p += (1 - o->adam.beta1) * (g - p);
            q += (1 - o->adam.beta2) * (g * g - q);
            w -= o->lr * sqrt(1 - pow(o->adam.beta2, t)) / (1 - pow(o->adam.beta1, t)) * p /
                 (sqrt(q) + o->epsilon);
            break;
        }
    }
    return w;
}

static double steps_on_the_device(sparcl_ctx *ctx, sparcl_optim o, float g, float w) {
    const float zero = 0;
    sparcl_dense table = {.rank = 1, .shape = {1}, .values = put(ctx, &w, 4)};
    sparcl_dense gradient = table, states[SPARCL_MAX_STATES] = {table, table};
    gradient.values = put(ctx, &zero, 4);
    states[0].values = put(ctx, &zero, 4);
    states[1].values = put(ctx, &zero, 4);
    for (o.step = 1; o.step <= 3; ++o.step) {
        const float now = g * (float)o.step;
        assert_ok(ctx, sparcl_buf_write(ctx, gradient.values, 0, 4, &now));
        assert_ok(ctx, sparcl_step_dense(ctx, &o, &table, states, &gradient));
    }
    const double result = (double)float_at(ctx, table.values, 0);
    sparcl_buf_free(table.values);
    sparcl_buf_free(gradient.values);
    sparcl_buf_free(states[0].values);
    sparcl_buf_free(states[1].values);
    return result;
}

/* Each field of each rule, compared with plain C, and different from the default. */
static void a_hyper_parameter_of_0_is_0(void **state) {
    static const struct {
        sparcl_rule rule;
        size_t field;
    } cases[] = {
        {SPARCL_RULE_SGD, offsetof(sparcl_optim, lr)},
        {SPARCL_RULE_MOMENTUM, offsetof(sparcl_optim, lr)},
        {SPARCL_RULE_MOMENTUM, offsetof(sparcl_optim, momentum.factor)},
        {SPARCL_RULE_ADAGRAD, offsetof(sparcl_optim, lr)},
        {SPARCL_RULE_ADAGRAD, offsetof(sparcl_optim, epsilon)},
        {SPARCL_RULE_ADAM, offsetof(sparcl_optim, lr)},
        {SPARCL_RULE_ADAM, offsetof(sparcl_optim, adam.beta1)},
        {SPARCL_RULE_ADAM, offsetof(sparcl_optim, adam.beta2)},
        {SPARCL_RULE_ADAM, offsetof(sparcl_optim, epsilon)},
    };
    static const float gradients[] = {0.5f, -2, 1e-9f, -2e-9f}; /* small: so that epsilon is felt */
    for (size_t i = 0; i < COUNT(cases); ++i) {
        bool has_effect = false;
        for (size_t k = 0; k < COUNT(gradients); ++k) {
            sparcl_optim o, usual;
            sparcl_optim_init(&o, cases[i].rule);
            o.lr = 0.1;
            usual = o;
            *(double *)(void *)((char *)&o + cases[i].field) = 0;
            const double g = (double)gradients[k], expected = steps_in_plain_c(&o, g, 0.25);
            const double got = steps_on_the_device(*state, o, gradients[k], 0.25f);
            if (!(fabs(got - expected) < 1e-6))
                fail_msg("case %zu, gradient %g: found %g, expected %g", i, g, got, expected);
            has_effect =
                has_effect || got != steps_on_the_device(*state, usual, gradients[k], 0.25f);
        }
        assert_true(has_effect);
    }
}

static void a_learning_rate_of_0_changes_no_weight(void **state) {
    sparcl_ctx *ctx = *state;
    for (int rule = 0; rule < 4; ++rule) {
        arrays x = make(ctx, (sparcl_rule)rule, SPEC_UNIFORM);
        void *const before = bytes_of(ctx, x.table.values);
        float *const first = bytes_of(ctx, x.states[0].values);
        x.optim.lr = 0;
        assert_ok(ctx, step(ctx, &x));
        assert_holds(ctx, x.table.values, before);
        float *const after = bytes_of(ctx, x.states[0].values);
        assert_int_equal(memcmp(first, after, ROWS * LD * sizeof *first) != 0,
                         sparcl_rule_states((sparcl_rule)rule) > 0);
        free(before);
        free(first);
        free(after);
        drop(&x);
    }
}

/* Rows (3, 0) and (0, 4) have the norms 3 and 4, and 5 together; the third is a second part of the
 * first, which then has 6. */
static void step_of_rows(sparcl_ctx *ctx, const sparcl_optim *o, const sparcl_dense *table,
                         int rows) {
    static const float values[] = {3, 0, 0, 4, 3, 0};
    static const int32_t ids[] = {0, 1, 0};
    sparcl_rows g = {.rank = 2, .shape = {2, 2}, .nnr = rows, .proof.flags = SPARCL_TRUSTED};
    g.indices = put(ctx, ids, rows * 4);
    g.values = put(ctx, values, rows * 8);
    assert_ok(ctx, sparcl_step(ctx, o, table, NULL, &g));
    sparcl_rows_free(&g);
}

/* The first two rows, with a gap between them. */
static void step_of_array(sparcl_ctx *ctx, const sparcl_optim *o, const sparcl_dense *table) {
    static const float values[] = {3, 0, 100, 0, 4};
    sparcl_dense g = {
        .rank = 2, .shape = {2, 2}, .ld = 3, .values = put(ctx, values, sizeof values)};
    assert_ok(ctx, sparcl_step_dense(ctx, o, table, NULL, &g));
    sparcl_dense_free(&g);
}

typedef enum form { LAZY, EXACT, DENSE, FORMS } form;

static void clipped_gradient(sparcl_ctx *ctx, const char *optimizer, form how, int rows,
                             const float expected[4]) {
    static const float zeros[4] = {0};
    sparcl_optim o;
    assert_int_equal(sparcl_optim_parse(&o, optimizer, NULL), SPARCL_OK);
    sparcl_dense table = {.rank = 2, .shape = {2, 2}, .values = put(ctx, zeros, sizeof zeros)};
    if (how == EXACT) assert_ok(ctx, sparcl_lazy_create(ctx, &o.lazy.object, &o, &table, 0));
    if (how == DENSE)
        step_of_array(ctx, &o, &table);
    else
        step_of_rows(ctx, &o, &table, rows);
    for (int i = 0; i < 4; ++i)
        if (float_at(ctx, table.values, i) != -expected[i])
            fail_msg("%s, form %d: weight %d is %g, expected %g", optimizer, (int)how, i,
                     (double)float_at(ctx, table.values, i), (double)-expected[i]);
    sparcl_lazy_free(o.lazy.object);
    sparcl_dense_free(&table);
}

static void a_gradient_is_not_longer_than_its_limit(void **state) {
    static const struct {
        const char *optimizer;
        float expected[4];
    } cases[] = {{"sgd:lr=1,clip_norm=5", {3, 0, 0, 4}},
                 {"sgd:lr=1,clip_norm=2.5", {1.5F, 0, 0, 2}},
                 {"sgd:lr=1,clip_norm=0", {0, 0, 0, 0}},
                 {"sgd:lr=1,clip_row_norm=1.5", {1.5F, 0, 0, 1.5F}},
                 {"sgd:lr=1,clip_row_norm=4", {3, 0, 0, 4}},
                 {"sgd:lr=1,clip_norm=2.5,clip_row_norm=1", {1, 0, 0, 1}},
                 {"sgd:lr=1,clip_norm=1,rescale=2", {2 * 0.6F, 0, 0, 2 * 0.8F}}};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i)
        for (form how = LAZY; how < FORMS; ++how)
            clipped_gradient(ctx, cases[i].optimizer, how, 2, cases[i].expected);
}

static void rows_of_one_index_are_added_before_their_norm(void **state) {
    static const char *const separate = "sgd:lr=1,clip_row_norm=2,duplicates=separate";
    static const char *const mean = "sgd:lr=1,clip_row_norm=4,duplicates=mean";
    sparcl_ctx *ctx = *state;
    for (form how = LAZY; how <= EXACT; ++how) {
        clipped_gradient(ctx, "sgd:lr=1,clip_row_norm=4", how, 3, (float[]){4, 0, 0, 4});
        clipped_gradient(ctx, separate, how, 3, (float[]){4, 0, 0, 2});
        clipped_gradient(ctx, mean, how, 3, (float[]){3, 0, 0, 4});
    }
}

static void a_momentum_of_0_is_sgd_with_a_state(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPARCL_RULE_MOMENTUM, SPEC_UNIFORM);
    arrays y = make(ctx, SPARCL_RULE_SGD, SPEC_UNIFORM);
    x.optim.momentum.factor = 0;
    for (int64_t t = 1; t <= 3; ++t) {
        x.optim.step = y.optim.step = t;
        assert_ok(ctx, step(ctx, &x));
        assert_ok(ctx, step(ctx, &y));
    }
    void *const expected = bytes_of(ctx, y.table.values);
    assert_holds(ctx, x.table.values, expected);
    free(expected);
    drop(&x);
    drop(&y);
}

static void each_rule_has_its_number_of_states(void **state) {
    (void)state;
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_SGD), 0);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_MOMENTUM), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ADAGRAD), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ADAM), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_AMSGRAD), 3);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_RMSPROP), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_RMSPROP_MOMENTUM), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_RMSPROP_CENTERED), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM), 3);
    assert_string_equal(sparcl_rule_state_name(SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM, 2), "b");
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ADADELTA), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_FTRL), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_PROXIMAL_SGD), 0);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_PROXIMAL_ADAGRAD), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ADAGRAD_DA), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ROWWISE_ADAGRAD), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_NADAM), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ADAMAX), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_LION), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_SIGNSGD), 0);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_SIGNUM), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_YOGI), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_LAMB), 2);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_LARS), 1);
    assert_int_equal(sparcl_rule_state_is_row(SPARCL_RULE_ROWWISE_ADAGRAD, 0), 1);
    assert_int_equal(sparcl_rule_state_is_row(SPARCL_RULE_ROWWISE_ADAGRAD, 1), 0);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ROWWISE_ADAM), 2);
    assert_int_equal(sparcl_rule_state_is_row(SPARCL_RULE_ROWWISE_ADAM, 0), 0);
    assert_int_equal(sparcl_rule_state_is_row(SPARCL_RULE_ROWWISE_ADAM, 1), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ROWWISE_RMSPROP), 2);
    assert_int_equal(sparcl_rule_state_is_row(SPARCL_RULE_ROWWISE_RMSPROP, 0), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ADAM_ROW_STEPS), 3);
    assert_int_equal(sparcl_rule_state_is_row(SPARCL_RULE_ADAM_ROW_STEPS, 2), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER), 3);
    assert_int_equal(sparcl_rule_state_is_row(SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER, 0), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ROWWISE_LARS), 1);
    assert_int_equal(sparcl_rule_states(SPARCL_RULE_ROWWISE_LAMB), 2);
    assert_int_equal(sparcl_rule_state_is_row(SPARCL_RULE_ADAM, 1), 0);
    assert_int_equal(sparcl_rule_state_is_row(SPARCL_RULE_ADAM, -1), 0);
    assert_int_equal(sparcl_rule_state_is_row((sparcl_rule)SPARCL_RULES, 0), 0);
    assert_int_equal(sparcl_rule_states((sparcl_rule)SPARCL_RULES), -1);
    assert_int_equal(sparcl_rule_states((sparcl_rule)-1), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_fills_in_the_defaults_of_the_header),
        cmocka_unit_test(a_hyper_parameter_of_0_is_0),
        cmocka_unit_test(a_learning_rate_of_0_changes_no_weight),
        cmocka_unit_test(a_gradient_is_not_longer_than_its_limit),
        cmocka_unit_test(rows_of_one_index_are_added_before_their_norm),
        cmocka_unit_test(a_momentum_of_0_is_sgd_with_a_state),
        cmocka_unit_test(each_rule_has_its_number_of_states),
        cmocka_unit_test(steps_follow_pytorch),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
