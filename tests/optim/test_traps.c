/* test_traps.c: the traps of docs/optimizers.md, by their numbers: where systems differ in what
 * they make of the same row-sparse gradient, with numbers that can be computed by hand. Floats are
 * compared as they are, so most numbers are sums of powers of two. test_traps_arrays.c has those
 * that are not of optimizers. */
#include "sparcl/optim_text.h"
#include "trained_vector.h"

/* One step with `count` rows, as they are handed over: not marked as sorted or unique. */
static sparcl_status try_step(sparcl_ctx *ctx, trained *t, int count, const int32_t *ids,
                              const float *g) {
    sparcl_rows rows = {.rank = 1, .shape = {ROWS}, .nnr = count, .proof.flags = SPARCL_TRUSTED};
    if (count > 0) rows.indices = put(ctx, ids, count * 4);
    if (count > 0) rows.values = put(ctx, g, count * 4);
    const sparcl_status status = sparcl_step(ctx, &t->optim, &t->table, t->states, &rows);
    sparcl_rows_free(&rows);
    return status;
}

static void step(sparcl_ctx *ctx, trained *t, int count, const int32_t *ids, const float *g) {
    assert_ok(ctx, try_step(ctx, t, count, ids, g));
    ++t->optim.step;
}

static void step_row(sparcl_ctx *ctx, trained *t, int32_t row, float g) {
    step(ctx, t, 1, &row, &g);
}

static float weight(sparcl_ctx *ctx, const trained *t, int row) {
    return float_at(ctx, t->table.values, row);
}

static float state_of(sparcl_ctx *ctx, const trained *t, int i, int row) {
    return float_at(ctx, t->states[i].values, row);
}

static void assert_found(const char *what, double found, double expected) {
    if (found != expected) fail_msg("%s: found %.9g, expected %.9g", what, found, expected);
}

/* As many correct digits as a float has, but for the last one. */
static void assert_near(const char *what, double found, double expected) {
    if (!(fabs(found - expected) <= 2e-7 * fabs(expected)))
        fail_msg("%s: found %.9g, expected %.9g", what, found, expected);
}

/* Optimizers, and what each makes of the same gradient. */
typedef struct outcome {
    const char *optimizer;
    float present, absent; /* or another pair of numbers */
} outcome;

/* Gradients 1 and 3 of row 2. Adagrad's s: sum (1 + 3)^2 = 16; mean 2^2 = 4; each by itself, or sum
 * of the squares, 1 + 9 = 10. */
static void trap_1_duplicates_are_added_averaged_or_apart(void **state) {
    static const outcome cases[] = {{"adagrad:preset=torch", 16, 0},
                                    {"adagrad:preset=tf1,initial_accumulator=0", 16, 0},
                                    {"adagrad:preset=fbgemm", 16, 0},
                                    {"adagrad:preset=hugectr", 16, 0},
                                    {"adagrad:preset=dgl", 4, 0},
                                    {"adagrad:preset=mxnet", 10, 0},
                                    {"adagrad:preset=keras3,initial_accumulator=0", 10, 0},
                                    {"adagrad:duplicates=mean", 4, 0}};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        trained t = begin(ctx, cases[i].optimizer, 1);
        step(ctx, &t, 2, (const int32_t[]){2, 2}, (const float[]){1, 3});
        assert_found(cases[i].optimizer, state_of(ctx, &t, 0, 2), cases[i].present);
        assert_found(cases[i].optimizer, state_of(ctx, &t, 0, 0), cases[i].absent);
        end(&t);
    }
}

static void trap_1_duplicates_are_refused_where_the_optimizer_says(void **state) {
    sparcl_ctx *ctx = *state;
    trained t = begin(ctx, "adagrad:duplicates=error", 1);
    assert_refused(ctx, try_step(ctx, &t, 2, (const int32_t[]){2, 2}, (const float[]){1, 3}),
                   SPARCL_E_DATA, "a duplicate");
    assert_found("the weight", weight(ctx, &t, 2), 1);
    assert_found("the state", state_of(ctx, &t, 0, 2), 0);
    end(&t);
}

/* Rows 3, 1 and 2 with the gradients 4, 8 and 16: in MXNet's Adam with betas of 0.5 and 0.75 the
 * states are g / 2 and g^2 / 4, in its momentum b = -g / 2. */
static void trap_2_rows_may_be_unsorted(void **state) {
    static const float expected[ROWS] = {0, 8, 16, 4};
    sparcl_ctx *ctx = *state;
    trained adam = begin(ctx, "adam:preset=mxnet,beta1=0.5,beta2=0.75", 1),
            momentum = begin(ctx, "momentum:preset=mxnet,lr=0.5", 1);
    step(ctx, &adam, 3, (const int32_t[]){3, 1, 2}, (const float[]){4, 8, 16});
    step(ctx, &momentum, 3, (const int32_t[]){3, 1, 2}, (const float[]){4, 8, 16});
    for (int row = 0; row < ROWS; ++row) {
        assert_found("m", state_of(ctx, &adam, 0, row), expected[row] / 2);
        assert_found("v", state_of(ctx, &adam, 1, row), expected[row] * expected[row] / 4);
        assert_found("b", state_of(ctx, &momentum, 0, row), -expected[row] / 2);
        assert_found("the weight", weight(ctx, &momentum, row), 1 - expected[row] / 2);
    }
    end(&adam);
    end(&momentum);
}

/* s = 1, and epsilon 3: inside of the root 1 / sqrt(1 + 3), outside 1 / (1 + 3). TensorFlow 1 has
 * no epsilon. */
static void trap_3_epsilon_is_inside_or_outside_of_the_root(void **state) {
    static const outcome cases[] = {{"adagrad:preset=torch,epsilon=3,lr=1", -0.25F, 0},
                                    {"adagrad:preset=fbgemm,epsilon=3,lr=1", -0.25F, 0},
                                    {"adagrad:preset=hugectr,epsilon=3,lr=1", -0.25F, 0},
                                    {"adagrad:preset=mxnet,epsilon=3,lr=1", -0.5F, 0},
                                    {"adagrad:preset=dgl,epsilon=3,lr=1", -0.5F, 0},
                                    {"adagrad:preset=keras3,epsilon=3,lr=1", -0.5F, 0},
                                    {"adagrad:preset=tf1,lr=1", -1, 0}};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        trained t = begin(ctx, cases[i].optimizer, 0);
        const float zeros[ROWS] = {0};
        assert_ok(ctx, sparcl_buf_write(ctx, t.states[0].values, 0, sizeof zeros, zeros));
        step_row(ctx, &t, 2, 1);
        assert_found(cases[i].optimizer, weight(ctx, &t, 2), cases[i].present);
        assert_found(cases[i].optimizer, weight(ctx, &t, 0), cases[i].absent);
        end(&t);
    }
}

/* The first step of Adam with betas of 0.75 and a gradient of 1: m and v are 1/4, and both
 * corrections, 1 - 0.75. SparseAdam and others: 2 / 4 / (sqrt(1/4) + 1/2) = 1/2; PyTorch's dense
 * Adam and FBGEMM's: 1 / (sqrt(1) + 1/2) = 2/3. */
static void trap_4_adam_has_epsilon_outside_of_the_corrected_root_or_not(void **state) {
    static const outcome cases[] = {
        {"adam:preset=torch", 1 / 2.F, 0},
        {"adam:preset=mxnet", 1 / 2.F, 0},
        {"adam:preset=tf1", 1 / 2.F, 0},
        {"adam:preset=keras3", 1 / 2.F, 0},
        {"adam:preset=addons", 1 / 2.F, 0},
        {"adam:preset=hugectr", 1 / 2.F, 0},
        {"adam:preset=fbgemm", 2 / 3.F, 0},
        {"adam:preset=torch,epsilon_place=corrected", 2 / 3.F, 0},
    };
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        char text[120];
        snprintf(text, sizeof text, "%s,lr=1,beta1=0.75,beta2=0.75,epsilon=0.5",
                 cases[i].optimizer);
        trained t = begin(ctx, text, 0);
        step_row(ctx, &t, 2, 1);
        assert_near(text, weight(ctx, &t, 2), -(double)cases[i].present);
        assert_found(text, weight(ctx, &t, 0), cases[i].absent);
        end(&t);
    }
}

/* A dense gradient does not change the rule. */
static void trap_4_a_dense_gradient_has_the_epsilon_of_a_sparse_one(void **state) {
    static const char *const optimizers[] = {
        "adam:preset=torch,epsilon=0.5", "adam:preset=torch,epsilon=0.5,epsilon_place=corrected"};
    static const int32_t ids[ROWS] = {0, 1, 2, 3};
    static const float g[ROWS] = {1, 2, 3, 4};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(optimizers); ++i) {
        trained sparse = begin(ctx, optimizers[i], 1), dense = begin(ctx, optimizers[i], 1);
        sparcl_dense gradient = {.rank = 1, .shape = {ROWS}, .values = put(ctx, g, sizeof g)};
        step(ctx, &sparse, ROWS, ids, g);
        assert_ok(ctx, sparcl_step_dense(ctx, &dense.optim, &dense.table, dense.states, &gradient));
        for (int row = 0; row < ROWS; ++row)
            assert_found(optimizers[i], weight(ctx, &sparse, row), weight(ctx, &dense, row));
        sparcl_dense_free(&gradient);
        end(&sparse);
        end(&dense);
    }
}

static void trap_5_accumulators_begin_with_a_tenth_or_with_zero(void **state) {
    static const outcome cases[] = {
        {"adagrad:preset=keras3", 0.1F, 0}, {"adagrad:preset=tf1", 0.1F, 0},
        {"ftrl:preset=keras3", 0.1F, 0},    {"ftrl:preset=tf1", 0.1F, 0},
        {"adagrad:preset=torch", 0, 0},     {"adagrad:preset=mxnet", 0, 0},
        {"adagrad:preset=dgl", 0, 0},       {"adagrad:preset=fbgemm", 0, 0},
        {"adagrad:preset=hugectr", 0, 0},   {"ftrl:preset=mxnet", 0, 0},
        {"ftrl:preset=hugectr", 0, 0},      {"rmsprop:preset=tf1", 1, 0},
    };
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        trained t = begin(ctx, cases[i].optimizer, 1);
        for (int row = 0; row < ROWS; ++row)
            assert_found(cases[i].optimizer, state_of(ctx, &t, 0, row), cases[i].present);
        end(&t);
    }
}

/* Gradients 1 and 0 with the rates 1 and 1/2, momentum 1/2. Rate inside: b = -1, -1/2; w = -1,
 * -3/2. Outside: b = 1, 1/2; w = -1, -1 - 1/4. */
static void trap_6_the_rate_is_inside_or_outside_of_the_momentum_buffer(void **state) {
    static const outcome cases[] = {
        {"momentum:preset=torch,momentum=0.5,lr=1", -1.25F, 0.5F},
        {"momentum:preset=tf1,momentum=0.5,lr=1", -1.25F, 0.5F},
        {"momentum:preset=mxnet,momentum=0.5,lr=1", -1.5F, -0.5F},
        {"momentum:preset=keras3,momentum=0.5,lr=1", -1.5F, -0.5F},
        {"momentum:preset=addons,momentum=0.5,lr=1", -1.5F, -0.5F},
        {"momentum:preset=hugectr,momentum=0.5,lr=1", -1.5F, -0.5F},
    };
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        trained t = begin(ctx, cases[i].optimizer, 0);
        step_row(ctx, &t, 2, 1);
        t.optim.lr = 0.5;
        step_row(ctx, &t, 2, 0);
        assert_found(cases[i].optimizer, weight(ctx, &t, 2), cases[i].present);
        assert_found(cases[i].optimizer, state_of(ctx, &t, 0, 2), cases[i].absent);
        end(&t);
    }
}

/* w = 1, g = 4, lr = 1/2. */
static void trap_7_a_limit_of_0_makes_every_gradient_0(void **state) {
    static const char *const presets[] = {"torch", "mxnet", "tf1", "keras3", "fbgemm", "hugectr"};
    static const struct {
        const char *limit;
        float expected;
    } limits[] = {{"0", 1}, {"1", 0.5F}, {"inf", -1}};
    sparcl_ctx *ctx = *state;
    for (size_t p = 0; p < COUNT(presets); ++p)
        for (size_t i = 0; i < COUNT(limits); ++i) {
            char text[100];
            snprintf(text, sizeof text, "sgd:preset=%s,lr=0.5,clip_value=%s", presets[p],
                     limits[i].limit);
            trained t = begin(ctx, text, 1);
            step_row(ctx, &t, 2, 4);
            assert_found(text, weight(ctx, &t, 2), limits[i].expected);
            end(&t);
        }
}

static void trap_7_a_limit_below_0_is_no_way_to_say_none(void **state) {
    sparcl_optim o;
    sparcl_error error = {0};
    (void)state;
    sparcl_optim_init(&o, SPARCL_RULE_SGD);
    o.clip.value = -1;
    assert_int_equal(sparcl_optim_check(&o, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "clip_value"));
}

/* w = 1, lr = wd = 1/2, a gradient of 1 in row 2 only: lr wd w = 1/4, lr g = 1/2. Only Addons
 * decays without the rate: 1 - 1/2 - 1/2 = 0. */
static void trap_8_weight_decay_acts_on_rows_of_the_gradient_or_on_all(void **state) {
    static const outcome cases[] = {
        {"sgd:preset=torch", 0.25F, 1},
        {"sgd:preset=mxnet", 0.25F, 1},
        {"sgd:preset=mxnet,moves=all", 0.25F, 0.75F},
        {"sgd:preset=torch,decay=decoupled", 0.25F, 1},
        {"momentum:preset=addons", 0, 1},
        {"sgd:preset=keras3", 0.25F, 0.75F},
        {"momentum:preset=keras3", 0.25F, 0.75F},
    };
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        char text[100];
        snprintf(text, sizeof text, "%s,lr=0.5,weight_decay=0.5", cases[i].optimizer);
        trained t = begin(ctx, text, 1);
        step_row(ctx, &t, 2, 1);
        assert_found(text, weight(ctx, &t, 2), cases[i].present);
        assert_found(text, weight(ctx, &t, 0), cases[i].absent);
        end(&t);
    }
}

/* z of a row without a gradient is 0, and so is its weight where the step moves all rows. */
static void trap_9_ftrl_of_all_rows_makes_absent_rows_0(void **state) {
    static const outcome cases[] = {{"ftrl:preset=keras3", 0, 0},
                                    {"ftrl:preset=tf1,moves=all", 0, 0},
                                    {"ftrl:preset=tf1", 0, 1},
                                    {"ftrl:preset=mxnet", 0, 1},
                                    {"ftrl:preset=hugectr", 0, 1}};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        trained t = begin(ctx, cases[i].optimizer, 1);
        step_row(ctx, &t, 2, 0.5F);
        assert_found(cases[i].optimizer, weight(ctx, &t, 0), cases[i].absent);
        end(&t);
    }
}

/* Where the weights begin with 0, a step of the rows of the gradient is a step of all. */
static void trap_9_ftrl_from_0_is_the_same_for_rows_of_the_gradient_and_all(void **state) {
    sparcl_ctx *ctx = *state;
    trained lazy = begin(ctx, "ftrl:preset=tf1,lr=0.5", 0),
            all = begin(ctx, "ftrl:preset=tf1,lr=0.5,moves=all", 0);
    for (int i = 0; i < 4; ++i) {
        step_row(ctx, &lazy, i % 3, 0.5F + (float)i);
        step_row(ctx, &all, i % 3, 0.5F + (float)i);
    }
    assert_true(weight(ctx, &lazy, 0) < 0);
    for (int row = 0; row < ROWS; ++row)
        assert_found("the weight", weight(ctx, &lazy, row), weight(ctx, &all, row));
    end(&lazy);
    end(&all);
}

/* Betas of 0.75, lr = 1, epsilon too small to count: the first step of a row with a gradient of 1
 * moves it by sqrt(c) / c m / sqrt(v), and m / sqrt(v) = 1/4 / (1/2); c = 1/4 in step 1, so 1; c =
 * 7/16 in step 2, although the row is new: 2 / sqrt(7). (DGL's count of each row would say 1.) */
/* FBGEMM divides by the norm of such a row. */
static void trap_10_a_row_of_zeros_has_a_ratio_of_1(void **state) {
    sparcl_ctx *ctx = *state;
    trained lars = begin(ctx, "rowwise_lars:lr=0.5,momentum=0", 0);
    step_row(ctx, &lars, 1, 1);
    assert_found("w - lr g", weight(ctx, &lars, 1), -0.5);
    end(&lars);
    trained lamb = begin(ctx, "rowwise_lamb:lr=0.5,beta1=0.75,beta2=0.75,epsilon=0", 0);
    step_row(ctx, &lamb, 1, 1);
    assert_found("w - lr r", weight(ctx, &lamb, 1), -0.5);
    end(&lamb);
}

/* The norm of the weights is 0. */
static void trap_10_a_table_of_zeros_has_a_ratio_of_1(void **state) {
    static const outcome cases[] = {
        {"lars", -0.5F, 0},
        {"lamb:preset=mxnet", -0.5F, 0},
        {"lamb:preset=keras3", -0.5F, 0},
        {"lamb:preset=addons", -0.5F, 0},
    };
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        char text[100];
        snprintf(text, sizeof text, "%s%slr=0.5,%s", cases[i].optimizer,
                 strchr(cases[i].optimizer, ':') ? "," : ":",
                 i == 0 ? "eta=0.25" : "beta1=0.75,beta2=0.75,epsilon=1e-12");
        trained t = begin(ctx, text, 0);
        step_row(ctx, &t, 1, 1);
        assert_found(text, weight(ctx, &t, 1), cases[i].present);
        assert_found(text, weight(ctx, &t, 0), cases[i].absent);
        end(&t);
    }
}

/* Four weights of 1: their norm is 2; a gradient of 4 in one row. LARS: 1/2 (1/4) 2 / 4 4 = 1/4.
 * LAMB: r = 1, the rate 1/2 2 / 1. */
static void trap_10_a_ratio_of_the_table_counts_rows_without_a_gradient(void **state) {
    static const outcome cases[] = {
        {"lars:lr=0.5,eta=0.25", 0.75F, 1},
        {"lars:lr=0.5,eta=0.25,moves=all", 0.75F, 1},
        {"lamb:lr=0.5,beta1=0.75,beta2=0.75", 0, 1},
        {"lamb:lr=0.5,beta1=0.75,beta2=0.75,upper_bound=1", 0.5F, 1},
        {"lamb:lr=0.5,beta1=0.75,beta2=0.75,lower_bound=4", -1, 1},
    };
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        trained t = begin(ctx, cases[i].optimizer, 1);
        t.optim.epsilon = 0;
        if (t.optim.rule == SPARCL_RULE_LAMB) t.optim.epsilon = 0x1p-40;
        step_row(ctx, &t, 2, 4);
        assert_found(cases[i].optimizer, weight(ctx, &t, 2), cases[i].present);
        assert_found(cases[i].optimizer, weight(ctx, &t, 0), cases[i].absent);
        end(&t);
    }
}

static void trap_11_the_step_is_that_of_the_table_not_of_the_row(void **state) {
    static const char *const presets[] = {"torch", "mxnet", "tf1", "addons", "fbgemm", "hugectr"};
    sparcl_ctx *ctx = *state;
    for (size_t p = 0; p < COUNT(presets); ++p) {
        char text[100];
        snprintf(text, sizeof text, "adam:preset=%s,lr=1,beta1=0.75,beta2=0.75,epsilon=1e-9",
                 presets[p]);
        trained t = begin(ctx, text, 0);
        step_row(ctx, &t, 1, 1);
        step_row(ctx, &t, 2, 1);
        assert_near(text, weight(ctx, &t, 2), -2 / sqrt(7));
        end(&t);
    }
}

static void trap_11_a_rule_counts_the_steps_of_each_row(void **state) {
    static const char *const presets[] = {"dgl", "fbgemm"};
    sparcl_ctx *ctx = *state;
    for (size_t p = 0; p < COUNT(presets); ++p) {
        char text[100];
        snprintf(text, sizeof text,
                 "adam_row_steps:preset=%s,lr=1,beta1=0.75,beta2=0.75,epsilon=1e-9", presets[p]);
        trained t = begin(ctx, text, 0);
        step_row(ctx, &t, 1, 1);
        step_row(ctx, &t, 2, 1); /* its first step: m / 0.25 / sqrt(v / 0.25) = 1 */
        assert_found(text, weight(ctx, &t, 2), -1);
        assert_found(text, state_of(ctx, &t, 2, 2), 1);
        assert_found(text, state_of(ctx, &t, 2, 3), 0);
        end(&t);
    }
}

/* The weights are a dense table, and a gradient may have no row at all. */
static void trap_12_a_gradient_may_lack_any_row(void **state) {
    sparcl_ctx *ctx = *state;
    trained t = begin(ctx, "adam", 1);
    step(ctx, &t, 0, NULL, NULL);
    for (int row = 0; row < ROWS; ++row)
        assert_found("the weight", weight(ctx, &t, row), 1);
    end(&t);
}

/* PyTorch keeps the buffer of sparse gradients as a growing sparse array, which moves every row
 * that it has; the buffer here has all rows from the start. Momentum 1/2, lr = 1: row 0 has a
 * gradient of 1 in step 1 only: b = 1, 1/2, 1/4; w = -1, -3/2, -7/4. */
static void trap_16_sparse_momentum_of_pytorch_moves_absent_rows(void **state) {
    static const outcome cases[] = {{"momentum:preset=torch,momentum=0.5,lr=1", -1.75F, 0.25F},
                                    {"momentum:momentum=0.5,lr=1", -1, 1}};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        trained t = begin(ctx, cases[i].optimizer, 0);
        for (int row = 0; row < 3; ++row)
            step_row(ctx, &t, row, 1);
        assert_found(cases[i].optimizer, weight(ctx, &t, 0), cases[i].present);
        assert_found(cases[i].optimizer, state_of(ctx, &t, 0, 0), cases[i].absent);
        assert_int_equal(sparcl_buf_bytes(t.states[0].values), ROWS * 4);
        end(&t);
    }
}

/* PyTorch fails there. w = 1, wd = lr = 1/2: row 2 has g = 1 + 1/2, the others 1/2. */
static void trap_16_sparse_momentum_takes_a_coupled_decay(void **state) {
    sparcl_ctx *ctx = *state;
    trained t = begin(ctx, "momentum:preset=torch,lr=0.5,weight_decay=0.5", 1);
    step_row(ctx, &t, 2, 1);
    assert_found("the weight of the gradient's row", weight(ctx, &t, 2), 0.25);
    assert_found("the weight of another", weight(ctx, &t, 0), 0.75);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trap_1_duplicates_are_added_averaged_or_apart),
        cmocka_unit_test(trap_1_duplicates_are_refused_where_the_optimizer_says),
        cmocka_unit_test(trap_2_rows_may_be_unsorted),
        cmocka_unit_test(trap_3_epsilon_is_inside_or_outside_of_the_root),
        cmocka_unit_test(trap_4_adam_has_epsilon_outside_of_the_corrected_root_or_not),
        cmocka_unit_test(trap_4_a_dense_gradient_has_the_epsilon_of_a_sparse_one),
        cmocka_unit_test(trap_5_accumulators_begin_with_a_tenth_or_with_zero),
        cmocka_unit_test(trap_6_the_rate_is_inside_or_outside_of_the_momentum_buffer),
        cmocka_unit_test(trap_7_a_limit_of_0_makes_every_gradient_0),
        cmocka_unit_test(trap_7_a_limit_below_0_is_no_way_to_say_none),
        cmocka_unit_test(trap_8_weight_decay_acts_on_rows_of_the_gradient_or_on_all),
        cmocka_unit_test(trap_9_ftrl_of_all_rows_makes_absent_rows_0),
        cmocka_unit_test(trap_9_ftrl_from_0_is_the_same_for_rows_of_the_gradient_and_all),
        cmocka_unit_test(trap_10_a_row_of_zeros_has_a_ratio_of_1),
        cmocka_unit_test(trap_10_a_table_of_zeros_has_a_ratio_of_1),
        cmocka_unit_test(trap_10_a_ratio_of_the_table_counts_rows_without_a_gradient),
        cmocka_unit_test(trap_11_the_step_is_that_of_the_table_not_of_the_row),
        cmocka_unit_test(trap_11_a_rule_counts_the_steps_of_each_row),
        cmocka_unit_test(trap_12_a_gradient_may_lack_any_row),
        cmocka_unit_test(trap_16_sparse_momentum_of_pytorch_moves_absent_rows),
        cmocka_unit_test(trap_16_sparse_momentum_takes_a_coupled_decay),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
