/* test_loss_refused.c: losses and predictions that are refused: the messages, and that the results
 * stay. */
#include "loss_test.h"

static void what_does_not_fit_is_refused_and_the_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 5, 3);
    const bool has_f64 = sparcl_ctx_device(ctx)->has_f64;
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, a.losses.values, a.residual.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, a, violation, gradient(ctx, SPARCL_LOSS_SOFTMAX, &x, 1),      \
                             status, part, assert_unchanged(ctx, &kept))
    REFUSED((x.scores.rank = 3, x.scores.shape[2] = 1), SPARCL_E_SHAPE, "scores have rank 3");
    REFUSED(x.scores.dtype = SPARCL_F64, no_f64,
            has_f64 ? "bias is f32 and scores f64, expected one type" : "scores is float64, which");
    REFUSED(x.scores.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of scores");
    REFUSED(x.scores.values_at = 100, SPARCL_E_SHAPE, "scores needs");
    REFUSED((x.bias.rank = 2, x.bias.shape[1] = 1), SPARCL_E_SHAPE, "bias has rank 2");
    REFUSED(++x.bias.shape[0], SPARCL_E_SHAPE, "bias has rank 1 and 4 elements, expected 3");
    REFUSED(x.bias.dtype = SPARCL_F64, no_f64,
            has_f64 ? "bias is f64 and scores f32, expected one type" : "bias is float64, which");
    REFUSED(--x.labels.shape[0], SPARCL_E_SHAPE, "labels has rank 1 and 4 elements, expected 5");
    REFUSED(x.labels.dtype = SPARCL_F64, no_f64,
            has_f64 ? "labels is f64 and scores f32, expected one type"
                    : "labels is float64, which");
    REFUSED(x.labels.ld = 2, SPARCL_E_SHAPE, "labels has ld 2, expected packed");
    REFUSED(--x.residual.shape[0], SPARCL_E_SHAPE, "as scores have");
    REFUSED(--x.residual.shape[1], SPARCL_E_SHAPE, "as scores have");
    REFUSED(x.residual.dtype = SPARCL_F64, no_f64,
            has_f64 ? "residual is f64 and scores f32, expected one type"
                    : "residual is float64, which");
    REFUSED(++x.losses.shape[0], SPARCL_E_SHAPE, "losses has rank 1 and 6 elements, expected 5");
    REFUSED(x.losses.dtype = SPARCL_F64, no_f64,
            has_f64 ? "losses is f64 and scores f32, expected one type"
                    : "losses is float64, which");
    REFUSED(x.labels.values = x.residual.values, SPARCL_E_ALIAS, "residual overlaps labels");
    REFUSED(x.bias.values = x.residual.values, SPARCL_E_ALIAS, "residual overlaps bias");
    REFUSED((x.scores.values = x.residual.values, x.scores.ld = 4), SPARCL_E_ALIAS,
            "residual overlaps scores");
    REFUSED((x.scores.values = x.residual.values, x.scores.values_at = 1), SPARCL_E_ALIAS,
            "residual overlaps scores");
    REFUSED(x.losses.values = x.residual.values, SPARCL_E_ALIAS, "losses overlaps residual");
    REFUSED(x.scores.values = x.losses.values, SPARCL_E_ALIAS, "losses overlaps scores");
    REFUSED(x.labels.values = x.losses.values, SPARCL_E_ALIAS, "losses overlaps labels");
    REFUSED(x.bias.values = x.losses.values, SPARCL_E_ALIAS, "losses overlaps bias");
#undef REFUSED
    snapshot_free(&kept);
    assert_refused(
        ctx,
        sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, NULL, NULL, &a.labels, 1, NULL, &a.losses),
        SPARCL_E_ARG, "scores is NULL");
    assert_refused(
        ctx,
        sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, NULL, 1, NULL, &a.losses),
        SPARCL_E_ARG, "labels is NULL");
    assert_refused(
        ctx,
        sparcl_loss_gradient(ctx, (sparcl_loss)5, &a.scores, NULL, &a.labels, 1, NULL, &a.losses),
        SPARCL_E_ARG, "loss is 5, expected 0 to 4");
    assert_ok(ctx, gradient(ctx, SPARCL_LOSS_SOFTMAX, &a, 1));
    free_arrays(&a);
}

static void a_prediction_that_does_not_fit_is_refused_and_the_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 5, 3);
    const bool has_f64 = sparcl_ctx_device(ctx)->has_f64;
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, a.label.values, a.p.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, a, violation, predict(ctx, SPARCL_LOSS_SOFTMAX, &x), status,  \
                             part, assert_unchanged(ctx, &kept))
    REFUSED((x.scores.rank = 3, x.scores.shape[2] = 1), SPARCL_E_SHAPE,
            "predict: scores have rank 3");
    REFUSED(x.scores.dtype = SPARCL_F64, no_f64,
            has_f64 ? "bias is f32 and scores f64, expected one type" : "scores is float64, which");
    REFUSED(++x.bias.shape[0], SPARCL_E_SHAPE, "bias has rank 1 and 4 elements, expected 3");
    REFUSED(--x.label.shape[0], SPARCL_E_SHAPE, "label has rank 1 and 4 elements, expected 5");
    REFUSED(x.label.dtype = SPARCL_F64, no_f64,
            has_f64 ? "label is f64 and scores f32, expected one type" : "label is float64, which");
    REFUSED(++x.p.shape[0], SPARCL_E_SHAPE, "p has rank 1 and 6 elements, expected 5");
    REFUSED(x.p.ld = 2, SPARCL_E_SHAPE, "p has ld 2, expected packed");
    REFUSED(x.p.values = x.label.values, SPARCL_E_ALIAS, "p overlaps label");
    REFUSED(x.scores.values = x.p.values, SPARCL_E_ALIAS, "p overlaps scores");
    REFUSED(x.bias.values = x.p.values, SPARCL_E_ALIAS, "p overlaps bias");
    REFUSED(x.scores.values = x.label.values, SPARCL_E_ALIAS, "label overlaps scores");
    REFUSED(x.bias.values = x.label.values, SPARCL_E_ALIAS, "label overlaps bias");
#undef REFUSED
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_loss_predict(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, NULL, &a.p),
                   SPARCL_E_ARG, "label is NULL");
    assert_refused(ctx,
                   sparcl_loss_predict(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, &a.label, NULL),
                   SPARCL_E_ARG, "p is NULL");
    assert_ok(ctx, predict(ctx, SPARCL_LOSS_SOFTMAX, &a));
    free_arrays(&a);
}

static void logistic_and_squared_loss_take_one_score_a_row(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 4, 2);
    for (int loss = 0; loss < 3; loss += 2)
        assert_refused(ctx,
                       sparcl_loss_gradient(ctx, (sparcl_loss)loss, &a.scores, NULL, &a.labels, 1,
                                            NULL, &a.losses),
                       SPARCL_E_SHAPE, "2 columns, expected 1");
    a.scores.shape[1] = 0;
    assert_refused(ctx,
                   sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, &a.labels, 1,
                                        NULL, &a.losses),
                   SPARCL_E_SHAPE, "0 columns, expected one per class");
    free_arrays(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_results_stay),
        cmocka_unit_test(a_prediction_that_does_not_fit_is_refused_and_the_results_stay),
        cmocka_unit_test(logistic_and_squared_loss_take_one_score_a_row),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
