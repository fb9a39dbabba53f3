/* test_class_report.c: predictions class by class, and the points of curves, against numbers by
 * hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/macros.h"
#include "train/class_report.h"
#include "train/score_curve.h"

static sparcl_class_report *must_measure(const spc_predictions *of) {
    sparcl_error error = {0};
    sparcl_class_report *report = NULL;
    assert_int_equal(spc_class_report_make(&report, of, &error), SPARCL_OK);
    assert_non_null(report);
    return report;
}

static void check_points(const sparcl_class_report *r, int count,
                         const sparcl_curve_point *expected) {
    assert_int_equal(r->point_count, count);
    for (int i = 0; i < count; i++) {
        assert_true(r->points[i].threshold == expected[i].threshold);
        assert_true(r->points[i].true_positives == expected[i].true_positives);
        assert_true(r->points[i].false_positives == expected[i].false_positives);
    }
}

/* Three rows have one score, of both classes: one point, as in scikit-learn. */
static const float scores[] = {0.75f, 2, -1, 0.75f, -3, 0.75f};
static const float targets[] = {0, 1, 0, 1, 1, 1}, labels[] = {1, 1, 0, 1, 0, 1};
static const float p[] = {0.7f, 0.9f, 0.7f, 0.7f, 0.9f, 0.7f};

static void equal_scores_are_one_point(void **state) {
    (void)state;
    const spc_predictions of = {.rows = 6,
                                .classes = 2,
                                .loss = SPARCL_LOSS_LOGISTIC,
                                .scores = scores,
                                .label = labels,
                                .p = p,
                                .targets = targets,
                                .known = 1};
    const sparcl_curve_point points[] = {{2, 1, 0}, {0.75, 3, 1}, {-1, 3, 2}, {-3, 4, 2}};
    sparcl_class_report *const r = must_measure(&of);
    check_points(r, SPC_COUNT(points), points);
    const double confusion[] = {1, 1, 1, 3};
    for (int i = 0; i < 4; i++)
        assert_true(r->confusion[i] == confusion[i]);
    assert_true(r->rows[0] == 2 && r->rows[1] == 4);
    assert_true(r->predicted[0] == 2 && r->predicted[1] == 4);
    assert_true(r->right[0] == 1 && r->right[1] == 3);
    sparcl_class_report_free(r);
}

static void weights_are_those_of_rows(void **state) {
    (void)state;
    const float weights[] = {2, 0.5f, 1, 0, 4, 8};
    const spc_predictions of = {.rows = 6,
                                .classes = 2,
                                .loss = SPARCL_LOSS_HINGE,
                                .scores = scores,
                                .label = labels,
                                .p = p,
                                .targets = targets,
                                .weights = weights,
                                .known = 1};
    const sparcl_curve_point points[] = {{2, 0.5, 0}, {0.75, 8.5, 2}, {-1, 8.5, 3}, {-3, 12.5, 3}};
    sparcl_class_report *const r = must_measure(&of);
    check_points(r, SPC_COUNT(points), points);
    const double confusion[] = {1, 2, 4, 8.5};
    for (int i = 0; i < 4; i++)
        assert_true(r->confusion[i] == confusion[i]);
    sparcl_class_report_free(r);
}

static void there_are_no_curves_of_one_class_or_of_many(void **state) {
    (void)state;
    const float ones[] = {1, 1, 1, 1, 1, 1}, classes[] = {2, 0, 1, 1, 2, 0};
    spc_predictions of = {.rows = 6,
                          .classes = 2,
                          .loss = SPARCL_LOSS_LOGISTIC,
                          .scores = scores,
                          .label = labels,
                          .p = p,
                          .targets = ones,
                          .known = 1};
    sparcl_class_report *r = must_measure(&of);
    assert_int_equal(r->point_count, 0);
    assert_true(r->confusion[2] == 2 && r->confusion[3] == 4);
    sparcl_class_report_free(r);
    of.classes = 3;
    of.loss = SPARCL_LOSS_SOFTMAX;
    of.targets = classes;
    r = must_measure(&of);
    assert_int_equal(r->classes, 3);
    assert_int_equal(r->point_count, 0);
    assert_true(r->confusion[2 * 3 + 1] == 1 && r->confusion[2 * 3 + 0] == 1);
    sparcl_class_report_free(r);
}

static void a_confusion_matrix_is_not_larger_than_it_may_be(void **state) {
    (void)state;
    for (int64_t more = 0; more < 2; more++) {
        const spc_predictions of = {.rows = 6,
                                    .classes = SPARCL_CONFUSION_CLASSES + more,
                                    .loss = SPARCL_LOSS_SOFTMAX,
                                    .label = labels,
                                    .p = p,
                                    .targets = targets,
                                    .known = 1};
        sparcl_class_report *const r = must_measure(&of);
        assert_true((r->confusion == NULL) == (more == 1));
        assert_true(r->rows[1] == 4 && r->rows[of.classes - 1] == 0);
        sparcl_class_report_free(r);
    }
    sparcl_class_report_free(NULL);
}

static double rate(double part, double all) {
    return all > 0 ? part / all : 1;
}

static double distance(const sparcl_curve_point *a, const sparcl_curve_point *b, double rows) {
    const double x = fabs(a->true_positives - b->true_positives) / (rows / 2);
    const double y = fabs(a->false_positives - b->false_positives) / (rows / 2);
    const double z = fabs(rate(a->true_positives, a->true_positives + a->false_positives) -
                          rate(b->true_positives, b->true_positives + b->false_positives));
    return fmax(x, fmax(y, z));
}

/* Row i has the score -i, so that the exact points are known. */
static void points_are_exact_and_none_is_missed(void **state) {
    enum { ROWS = 200000 };
    (void)state;
    float *const s = malloc(ROWS * sizeof *s);
    int32_t *const classes = malloc(ROWS * sizeof *classes);
    sparcl_curve_point *const exact = malloc(ROWS * sizeof *exact);
    sparcl_error error = {0};
    spc_curve curve = {.points = NULL};
    double auc, precision, positives = 0;
    for (int i = 0; i < ROWS; i++) {
        s[i] = (float)-i;
        classes[i] = i < ROWS / 2 ? (i * 7919) % 10 < 8 : (i * 7919) % 10 < 2;
        positives += classes[i];
        exact[i] = (sparcl_curve_point){(double)s[i], positives, i + 1 - positives};
    }
    assert_true(positives == ROWS / 2);
    assert_int_equal(spc_score_curve(s, classes, NULL, ROWS, &auc, &precision, &curve, &error),
                     SPARCL_OK);
    assert_in_range(curve.count, 512, 4096);
    for (int64_t i = 0, at = 0; i < ROWS; i++) {
        if (exact[i].threshold == curve.points[at].threshold) {
            assert_true(distance(&exact[i], &curve.points[at++], ROWS) == 0);
            continue;
        }
        assert_true(distance(&exact[i], &curve.points[at - 1], ROWS) <= 1.0 / 512);
    }
    assert_true(curve.points[curve.count - 1].true_positives == ROWS / 2);
    assert_true(curve.points[curve.count - 1].false_positives == ROWS / 2);
    free(curve.points);
    free(exact);
    free(classes);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_scores_are_one_point),
        cmocka_unit_test(weights_are_those_of_rows),
        cmocka_unit_test(there_are_no_curves_of_one_class_or_of_many),
        cmocka_unit_test(a_confusion_matrix_is_not_larger_than_it_may_be),
        cmocka_unit_test(points_are_exact_and_none_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
