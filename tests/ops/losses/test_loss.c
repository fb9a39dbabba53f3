/* test_loss.c: what the header says of losses, their gradients and predictions. */
#include "loss_test.h"

#include <float.h>

#include "ulp_test.h"

static void a_vector_of_scores_is_one_column(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 6, 1);
    assert_ok(ctx, gradient(ctx, SPARCL_LOSS_LOGISTIC, &a, 2));
    void *residual = bytes_of(ctx, a.residual.values), *losses = bytes_of(ctx, a.losses.values);
    a.scores.rank = a.residual.rank = 1;
    assert_ok(ctx, gradient(ctx, SPARCL_LOSS_LOGISTIC, &a, 2));
    assert_holds(ctx, a.residual.values, residual);
    assert_holds(ctx, a.losses.values, losses);
    free(residual);
    free(losses);
    free_arrays(&a);
}

static void the_residual_may_take_the_place_of_the_scores(void **state) {
    sparcl_ctx *ctx = *state;
    for (int loss = 0; loss <= SPARCL_LOSS_HINGE; ++loss) {
        const int64_t k = loss == SPARCL_LOSS_SOFTMAX ? 17 : 1;
        arrays a = make_arrays(ctx, 300, k);
        assert_ok(ctx, gradient(ctx, (sparcl_loss)loss, &a, 0.25));
        void *residual = bytes_of(ctx, a.residual.values), *losses = bytes_of(ctx, a.losses.values);
        assert_ok(ctx, sparcl_loss_gradient(ctx, (sparcl_loss)loss, &a.scores, &a.bias, &a.labels,
                                            0.25, &a.scores, &a.losses));
        assert_holds(ctx, a.scores.values, residual);
        assert_holds(ctx, a.losses.values, losses);
        free(residual);
        free(losses);
        free_arrays(&a);
    }
}

static void residual_and_losses_may_be_left_out(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 30, 4);
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, &a.labels, 1,
                                        &a.residual, &a.losses));
    void *residual = bytes_of(ctx, a.residual.values), *losses = bytes_of(ctx, a.losses.values);
    assert_ok(ctx, sparcl_buf_fill(ctx, a.residual.values, 0, 480, 0));
    assert_ok(ctx, sparcl_buf_fill(ctx, a.losses.values, 0, 120, 0));
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, &a.labels, 1,
                                        &a.residual, NULL));
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, &a.labels, 1,
                                        NULL, &a.losses));
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, &a.labels, 1,
                                        NULL, NULL));
    assert_holds(ctx, a.residual.values, residual);
    assert_holds(ctx, a.losses.values, losses);
    free(residual);
    free(losses);
    free_arrays(&a);
}

static void gaps_between_the_rows_stay(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 6, 5);
    a.scores.shape[1] = a.residual.shape[1] = a.bias.shape[0] = 3;
    a.scores.ld = a.residual.ld = 5;
    float *before = bytes_of(ctx, a.residual.values);
    assert_ok(ctx, gradient(ctx, SPARCL_LOSS_SOFTMAX, &a, 1));
    for (int64_t i = 0; i < 6; ++i) {
        assert_true(get(ctx, &a.residual, i * 5 + 3) == before[i * 5 + 3]);
        assert_true(get(ctx, &a.residual, i * 5 + 4) == before[i * 5 + 4]);
        double sum = 0; /* some labels are no class here */
        for (int64_t j = 0; j < 3; ++j)
            sum += get(ctx, &a.residual, i * 5 + j);
        assert_true(fabs(sum - 1) < 1e-6 || fabs(sum) < 1e-6);
    }
    free(before);
    free_arrays(&a);
}

static void no_rows_are_legal(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_dense none = {.rank = 2, .shape = {0, 3}}, empty = {.rank = 1};
    assert_ok(
        ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &none, NULL, &empty, 1, &none, &empty));
    assert_ok(ctx, sparcl_loss_predict(ctx, SPARCL_LOSS_SOFTMAX, &none, NULL, &empty, &empty));
}

static void a_label_that_is_no_class_gives_a_nan_loss_and_no_right_class(void **state) {
    static const float strange[] = {-1, 3, 1e9f, NAN, INFINITY, -INFINITY};
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 6, 3);
    for (int i = 0; i < 6; ++i)
        set(ctx, &a.labels, i, strange[i]);
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, &a.labels, 1,
                                        &a.residual, &a.losses));
    for (int i = 0; i < 6; ++i) {
        double sum = 0;
        assert_true(isnan(get(ctx, &a.losses, i)));
        for (int j = 0; j < 3; ++j) {
            const double probability = get(ctx, &a.residual, i * 3 + j);
            assert_true(probability > 0 && probability < 1);
            sum += probability;
        }
        assert_true(fabs(sum - 1) < 1e-6);
    }
    free_arrays(&a);
}

static void nan_scores_give_nan_to_their_row_and_to_no_other(void **state) {
    sparcl_ctx *ctx = *state;
    for (int loss = 0; loss <= SPARCL_LOSS_HINGE; ++loss) {
        const int64_t k = loss == SPARCL_LOSS_SOFTMAX ? 3 : 1;
        arrays a = make_arrays(ctx, 4, k);
        set(ctx, &a.scores, 2 * k, NAN);
        assert_ok(ctx, sparcl_loss_gradient(ctx, (sparcl_loss)loss, &a.scores, NULL, &a.labels, 1,
                                            &a.residual, &a.losses));
        assert_ok(ctx,
                  sparcl_loss_predict(ctx, (sparcl_loss)loss, &a.scores, NULL, &a.label, &a.p));
        for (int64_t i = 0; i < 4; ++i) {
            assert_int_equal(isnan(get(ctx, &a.losses, i)) != 0, i == 2);
            assert_int_equal(isnan(get(ctx, &a.residual, i * k)) != 0, i == 2);
            assert_int_equal(isnan(get(ctx, &a.p, i)) != 0, i == 2);
        }
        free_arrays(&a);
    }
}

static void large_scores_neither_overflow_nor_lose_the_loss(void **state) {
    static const float scores[] = {1e4f, -1e4f, 3e38f, -3e38f, 100, -100};
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 6, 1);
    for (int i = 0; i < 6; ++i) {
        set(ctx, &a.scores, i, scores[i]);
        set(ctx, &a.labels, i, 0);
    }
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_LOGISTIC, &a.scores, NULL, &a.labels, 1,
                                        &a.residual, &a.losses));
    for (int i = 0; i < 6; ++i) {
        const float s = scores[i];
        assert_true(s > 0 ? get(ctx, &a.losses, i) == s : get(ctx, &a.losses, i) < 1e-40f);
        assert_true(s > 0 ? get(ctx, &a.residual, i) == 1 : get(ctx, &a.residual, i) < 1e-40f);
    }
    free_arrays(&a);
}

/* (loss(s + h) - loss(s - h)) / 2h by score j, for each row, against the residual. */
static void compare_slopes(sparcl_ctx *ctx, sparcl_loss loss, const arrays *a, int64_t j, double h,
                           double tolerance) {
    const int64_t m = a->scores.shape[0], k = a->scores.shape[1];
    for (int64_t i = 0; i < m; ++i) {
        const double s = get(ctx, &a->scores, i * k + j);
        double side[2];
        for (int up = 0; up < 2; ++up) {
            set(ctx, &a->scores, i * k + j, s + (up ? h : -h));
            assert_ok(ctx, sparcl_loss_gradient(ctx, loss, &a->scores, &a->bias, &a->labels, 1,
                                                NULL, &a->losses));
            side[up] = get(ctx, &a->losses, i);
        }
        set(ctx, &a->scores, i * k + j, s);
        const double slope = 3 * (side[1] - side[0]) / (2 * h);
        assert_true(fabs(slope - get(ctx, &a->residual, i * k + j)) < tolerance);
    }
}

static void the_residual_is_the_slope_of_the_loss_times_scale(void **state) {
    sparcl_ctx *ctx = *state;
    for (int is_f64 = 0; is_f64 <= sparcl_ctx_device(ctx)->has_f64; ++is_f64)
        for (int loss = 0; loss <= SPARCL_LOSS_POISSON; ++loss) {
            const int64_t k = loss == SPARCL_LOSS_SOFTMAX ? 4 : 1;
            const double more = loss == SPARCL_LOSS_POISSON ? 50 : 1; /* exp is curved */
            arrays a = make_arrays(ctx, 8, k);
            if (is_f64) widen_arrays(ctx, &a);
            assert_ok(ctx, gradient(ctx, (sparcl_loss)loss, &a, 3));
            for (int64_t j = 0; j < k; ++j)
                compare_slopes(ctx, (sparcl_loss)loss, &a, j, is_f64 ? 0x1p-17 : 0x1p-6,
                               more * (is_f64 ? 1e-9 : 2e-4));
            free_arrays(&a);
        }
}

/* Smaller than any float; a label that no float holds. */
static void float64_has_its_own_kernels(void **state) {
    static const double scores[] = {-600, 600, 0x1p-40}, labels[] = {0, 1, 1};
    sparcl_ctx *ctx = *state;
    if (!sparcl_ctx_device(ctx)->has_f64) skip();
    arrays a = make_arrays(ctx, 3, 1);
    widen_arrays(ctx, &a);
    for (int i = 0; i < 3; ++i) {
        set(ctx, &a.scores, i, scores[i]);
        set(ctx, &a.labels, i, labels[i]);
    }
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_LOGISTIC, &a.scores, NULL, &a.labels, 1,
                                        &a.residual, &a.losses));
    assert_ok(ctx, sparcl_loss_predict(ctx, SPARCL_LOSS_LOGISTIC, &a.scores, NULL, &a.label, &a.p));
    for (int i = 0; i < 2; ++i)
        assert_true(ulps(SPARCL_F64, get(ctx, &a.losses, i), expl(-600)) <= 2);
    assert_true(ulps(SPARCL_F64, get(ctx, &a.residual, 0), expl(-600)) <= 3);
    assert_true(fabs(get(ctx, &a.residual, 2) - (-0.5 + 0x1p-42)) <= 0x1p-51);
    assert_true(fabs(get(ctx, &a.p, 2) - (0.5 + 0x1p-42)) <= 0x1p-51);
    assert_true(get(ctx, &a.label, 0) == 0 && get(ctx, &a.label, 1) == 1);
    set(ctx, &a.labels, 0, 0.1 - 600);
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_SQUARED, &a.scores, NULL, &a.labels, 1,
                                        &a.residual, NULL));
    assert_true(get(ctx, &a.residual, 0) == -600 - (0.1 - 600));
    free_arrays(&a);
}

static void a_score_of_exactly_0_goes_to_the_lower_label(void **state) {
    static const float scores[] = {0, -0.0f, FLT_MIN, -FLT_MIN};
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 4, 1);
    for (int i = 0; i < 4; ++i)
        set(ctx, &a.scores, i, scores[i]);
    assert_ok(ctx, sparcl_loss_predict(ctx, SPARCL_LOSS_LOGISTIC, &a.scores, NULL, &a.label, &a.p));
    for (int i = 0; i < 4; ++i) {
        assert_true(get(ctx, &a.label, i) == (i == 2));
        assert_true(get(ctx, &a.p, i) == 0.5f);
    }
    free_arrays(&a);
}

static void softmax_predicts_the_first_of_equal_classes(void **state) {
    static const float scores[] = {1, 5, 5, -2, -2, -2};
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 2, 3);
    for (int i = 0; i < 6; ++i)
        set(ctx, &a.scores, i, scores[i]);
    assert_ok(ctx, sparcl_loss_predict(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, &a.label, &a.p));
    assert_true(get(ctx, &a.label, 0) == 1 && get(ctx, &a.label, 1) == 0);
    assert_true(fabs(get(ctx, &a.p, 1) - 1.0 / 3) < 1e-7);
    free_arrays(&a);
}

static void squared_loss_predicts_the_score_with_its_bias(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 5, 1);
    assert_ok(ctx, predict(ctx, SPARCL_LOSS_SQUARED, &a));
    for (int i = 0; i < 5; ++i) {
        const float s = (float)(get(ctx, &a.scores, i) + get(ctx, &a.bias, 0));
        assert_true(get(ctx, &a.label, i) == s && get(ctx, &a.p, i) == s);
    }
    free_arrays(&a);
}

static void poisson_loss_predicts_the_mean_and_hinge_loss_the_side(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 5, 1);
    assert_ok(ctx, predict(ctx, SPARCL_LOSS_POISSON, &a));
    for (int i = 0; i < 5; ++i) {
        const double s = (double)(float)(get(ctx, &a.scores, i) + get(ctx, &a.bias, 0));
        assert_true(fabs(get(ctx, &a.label, i) / exp(s) - 1) < 1e-6);
        assert_true(get(ctx, &a.p, i) == get(ctx, &a.label, i));
    }
    assert_ok(ctx, predict(ctx, SPARCL_LOSS_HINGE, &a));
    for (int i = 0; i < 5; ++i) {
        const float s = (float)(get(ctx, &a.scores, i) + get(ctx, &a.bias, 0));
        assert_true(get(ctx, &a.label, i) == (s > 0) && get(ctx, &a.p, i) == s);
    }
    free_arrays(&a);
}

static void a_margin_that_is_met_has_no_loss(void **state) {
    static const double scores[] = {1, 1.5, 0.5, -1, (double)NAN}, labels[] = {1, 1, 1, 0, 1};
    static const double expected[] = {0, 0, 0.5, 0}, slopes[] = {0, 0, -1, 0};
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 5, 1);
    for (int i = 0; i < 5; ++i) {
        set(ctx, &a.scores, i, scores[i]);
        set(ctx, &a.labels, i, labels[i]);
    }
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_HINGE, &a.scores, NULL, &a.labels, 1,
                                        &a.residual, &a.losses));
    for (int i = 0; i < 4; ++i)
        assert_true(get(ctx, &a.losses, i) == expected[i] && get(ctx, &a.residual, i) == slopes[i]);
    assert_true(isnan(get(ctx, &a.losses, 4)));
    free_arrays(&a);
}

/* A loss and a type. */
typedef struct kind {
    sparcl_loss loss;
    bool is_f64;
} kind;

static sparcl_buf *residual_of(sparcl_ctx *ctx, const void *input) {
    const kind *const k = input;
    arrays a = make_arrays(ctx, 400, k->loss == SPARCL_LOSS_SOFTMAX ? 33 : 1);
    if (k->is_f64) widen_arrays(ctx, &a);
    sparcl_buf *const result = a.residual.values;
    assert_ok(ctx, gradient(ctx, k->loss, &a, 0.125));
    a.residual.values = NULL;
    free_arrays(&a);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (int is_f64 = 0; is_f64 <= sparcl_ctx_device(*state)->has_f64; ++is_f64)
        for (int loss = 0; loss <= SPARCL_LOSS_HINGE; ++loss)
            assert_same_bits(&all, residual_of, &(kind){(sparcl_loss)loss, is_f64});
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_of_scores_is_one_column),
        cmocka_unit_test(the_residual_may_take_the_place_of_the_scores),
        cmocka_unit_test(residual_and_losses_may_be_left_out),
        cmocka_unit_test(gaps_between_the_rows_stay),
        cmocka_unit_test(no_rows_are_legal),
        cmocka_unit_test(a_label_that_is_no_class_gives_a_nan_loss_and_no_right_class),
        cmocka_unit_test(nan_scores_give_nan_to_their_row_and_to_no_other),
        cmocka_unit_test(large_scores_neither_overflow_nor_lose_the_loss),
        cmocka_unit_test(the_residual_is_the_slope_of_the_loss_times_scale),
        cmocka_unit_test(float64_has_its_own_kernels),
        cmocka_unit_test(a_score_of_exactly_0_goes_to_the_lower_label),
        cmocka_unit_test(softmax_predicts_the_first_of_equal_classes),
        cmocka_unit_test(squared_loss_predicts_the_score_with_its_bias),
        cmocka_unit_test(poisson_loss_predicts_the_mean_and_hinge_loss_the_side),
        cmocka_unit_test(a_margin_that_is_met_has_no_loss),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
