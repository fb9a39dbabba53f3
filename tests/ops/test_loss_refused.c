/* test_loss_refused.c: losses and predictions that are refused: what is said of them, and that the
 * results stay. */
#include "loss_test.h"

#define VIOLATION(name, statement)                                                                 \
    static void name(arrays *a) {                                                                  \
        statement;                                                                                 \
    }
VIOLATION(scores_have_rank_3, (a->scores.rank = 3, a->scores.shape[2] = 1))
VIOLATION(scores_are_f64, a->scores.dtype = SPARCL_F64)
VIOLATION(scores_have_reserved_bits, a->scores.reserved[0] = 1)
VIOLATION(scores_begin_too_late, a->scores.values_at = 100)
VIOLATION(bias_is_a_matrix, (a->bias.rank = 2, a->bias.shape[1] = 1))
VIOLATION(bias_is_long, ++a->bias.shape[0])
VIOLATION(bias_is_f64, a->bias.dtype = SPARCL_F64)
VIOLATION(labels_are_short, --a->labels.shape[0])
VIOLATION(labels_are_f64, a->labels.dtype = SPARCL_F64)
VIOLATION(labels_are_not_packed, a->labels.ld = 2)
VIOLATION(residual_is_short, --a->residual.shape[0])
VIOLATION(residual_is_narrow, --a->residual.shape[1])
VIOLATION(residual_is_f64, a->residual.dtype = SPARCL_F64)
VIOLATION(losses_are_long, ++a->losses.shape[0])
VIOLATION(losses_are_f64, a->losses.dtype = SPARCL_F64)
VIOLATION(residual_is_on_labels, a->labels.values = a->residual.values)
VIOLATION(residual_is_on_bias, a->bias.values = a->residual.values)
VIOLATION(residual_is_a_part_of_scores, (a->scores.values = a->residual.values, a->scores.ld = 4))
VIOLATION(residual_is_beside_scores,
          (a->scores.values = a->residual.values, a->scores.values_at = 1))
VIOLATION(losses_are_on_residual, a->losses.values = a->residual.values)
VIOLATION(losses_are_on_scores, a->scores.values = a->losses.values)
VIOLATION(losses_are_on_labels, a->labels.values = a->losses.values)
VIOLATION(losses_are_on_bias, a->bias.values = a->losses.values)

static void what_does_not_fit_is_refused_and_the_results_stay(void **state) {
    static const struct {
        void (*violation)(arrays *a);
        sparcl_status status;
        const char *part;
        bool needs_f64;
    } cases[] = {
        {scores_have_rank_3, SPARCL_E_SHAPE, "scores have rank 3", false},
        {scores_are_f64, SPARCL_E_DTYPE, "float64", true},
        {scores_have_reserved_bits, SPARCL_E_ARG, "the reserved fields of scores", false},
        {scores_begin_too_late, SPARCL_E_SHAPE, "scores needs", false},
        {bias_is_a_matrix, SPARCL_E_SHAPE, "bias has rank 2", false},
        {bias_is_long, SPARCL_E_SHAPE, "bias has rank 1 and 4 elements, expected 3", false},
        {bias_is_f64, SPARCL_E_DTYPE, "float64", true},
        {labels_are_short, SPARCL_E_SHAPE, "labels has rank 1 and 4 elements, expected 5", false},
        {labels_are_f64, SPARCL_E_DTYPE, "float64", true},
        {labels_are_not_packed, SPARCL_E_SHAPE, "labels has ld 2, expected packed", false},
        {residual_is_short, SPARCL_E_SHAPE, "as scores have", false},
        {residual_is_narrow, SPARCL_E_SHAPE, "as scores have", false},
        {residual_is_f64, SPARCL_E_DTYPE, "float64", true},
        {losses_are_long, SPARCL_E_SHAPE, "losses has rank 1 and 6 elements, expected 5", false},
        {losses_are_f64, SPARCL_E_DTYPE, "float64", true},
        {residual_is_on_labels, SPARCL_E_ALIAS, "residual overlaps labels", false},
        {residual_is_on_bias, SPARCL_E_ALIAS, "residual overlaps bias", false},
        {residual_is_a_part_of_scores, SPARCL_E_ALIAS, "residual overlaps scores", false},
        {residual_is_beside_scores, SPARCL_E_ALIAS, "residual overlaps scores", false},
        {losses_are_on_residual, SPARCL_E_ALIAS, "losses overlaps residual", false},
        {losses_are_on_scores, SPARCL_E_ALIAS, "losses overlaps scores", false},
        {losses_are_on_labels, SPARCL_E_ALIAS, "losses overlaps labels", false},
        {losses_are_on_bias, SPARCL_E_ALIAS, "losses overlaps bias", false},
    };
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 5, 3);
    for (size_t i = 0; i < COUNT(cases); ++i) {
        arrays b = a;
        cases[i].violation(&b);
        void *residual = bytes_of(ctx, a.residual.values);
        assert_refused_untouched(ctx, a.losses.values,
                                 sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &b.scores, &b.bias,
                                                      &b.labels, 1, &b.residual, &b.losses),
                                 cases[i].needs_f64 ? wrong_f64(ctx) : cases[i].status,
                                 cases[i].part);
        assert_holds(ctx, a.residual.values, residual);
        free(residual);
    }
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
        sparcl_loss_gradient(ctx, (sparcl_loss)3, &a.scores, NULL, &a.labels, 1, NULL, &a.losses),
        SPARCL_E_ARG, "loss is 3, expected 0 to 2");
    assert_ok(ctx, sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, &a.bias, &a.labels, 1,
                                        &a.residual, &a.losses));
    free_arrays(&a);
}

VIOLATION(label_is_short, --a->label.shape[0])
VIOLATION(label_is_f64, a->label.dtype = SPARCL_F64)
VIOLATION(p_is_long, ++a->p.shape[0])
VIOLATION(p_is_not_packed, a->p.ld = 2)
VIOLATION(p_is_on_label, a->p.values = a->label.values)
VIOLATION(p_is_on_scores, a->scores.values = a->p.values)
VIOLATION(p_is_on_bias, a->bias.values = a->p.values)
VIOLATION(label_is_on_scores, a->scores.values = a->label.values)
VIOLATION(label_is_on_bias, a->bias.values = a->label.values)

static void a_prediction_that_does_not_fit_is_refused_and_the_results_stay(void **state) {
    static const struct {
        void (*violation)(arrays *a);
        sparcl_status status;
        const char *part;
        bool needs_f64;
    } cases[] = {
        {scores_have_rank_3, SPARCL_E_SHAPE, "predict: scores have rank 3", false},
        {scores_are_f64, SPARCL_E_DTYPE, "float64", true},
        {bias_is_long, SPARCL_E_SHAPE, "bias has rank 1 and 4 elements, expected 3", false},
        {label_is_short, SPARCL_E_SHAPE, "label has rank 1 and 4 elements, expected 5", false},
        {label_is_f64, SPARCL_E_DTYPE, "float64", true},
        {p_is_long, SPARCL_E_SHAPE, "p has rank 1 and 6 elements, expected 5", false},
        {p_is_not_packed, SPARCL_E_SHAPE, "p has ld 2, expected packed", false},
        {p_is_on_label, SPARCL_E_ALIAS, "p overlaps label", false},
        {p_is_on_scores, SPARCL_E_ALIAS, "p overlaps scores", false},
        {p_is_on_bias, SPARCL_E_ALIAS, "p overlaps bias", false},
        {label_is_on_scores, SPARCL_E_ALIAS, "label overlaps scores", false},
        {label_is_on_bias, SPARCL_E_ALIAS, "label overlaps bias", false},
    };
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, 5, 3);
    for (size_t i = 0; i < COUNT(cases); ++i) {
        arrays b = a;
        cases[i].violation(&b);
        void *p = bytes_of(ctx, a.p.values);
        assert_refused_untouched(
            ctx, a.label.values,
            sparcl_loss_predict(ctx, SPARCL_LOSS_SOFTMAX, &b.scores, &b.bias, &b.label, &b.p),
            cases[i].needs_f64 ? wrong_f64(ctx) : cases[i].status, cases[i].part);
        assert_holds(ctx, a.p.values, p);
        free(p);
    }
    assert_refused(ctx, sparcl_loss_predict(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, NULL, &a.p),
                   SPARCL_E_ARG, "label is NULL");
    assert_refused(ctx,
                   sparcl_loss_predict(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, NULL, &a.label, NULL),
                   SPARCL_E_ARG, "p is NULL");
    assert_ok(ctx,
              sparcl_loss_predict(ctx, SPARCL_LOSS_SOFTMAX, &a.scores, &a.bias, &a.label, &a.p));
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
