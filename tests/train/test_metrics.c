/* test_metrics.c: the metrics on the host, compared with plain counting. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "train/measure.h"
#include "train/metrics.h"
#include "train/score_curve.h"

enum { MOST = 300 };

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* All pairs, one by one. */
static double auc_by_pairs(const float *scores, const int32_t *classes, int rows) {
    int64_t pairs = 0, twice = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            if (classes[i] != 1 || classes[j] != 0) continue;
            pairs++;
            twice += scores[i] > scores[j] ? 2 : scores[i] == scores[j];
        }
    }
    return (double)twice / (2.0 * (double)pairs);
}

static double auc_of(const float *scores, const int32_t *classes, int rows) {
    double auc = -1.0, precision;
    sparcl_error error = {0};
    assert_int_equal(spc_score_curve(scores, classes, NULL, rows, &auc, &precision, NULL, &error),
                     SPARCL_OK);
    return auc;
}

static void auc_equals_counting_all_pairs(void **state) {
    (void)state;
    uint32_t seed = 1;
    float scores[MOST];
    int32_t classes[MOST];
    for (int round = 0; round < 300; round++) {
        const int rows = 2 + (int)(next_random(&seed) % (MOST - 2));
        /* Few levels make many ties; signs, halves and wide scales come in too. */
        const uint32_t levels = 1 + next_random(&seed) % 40;
        for (int i = 0; i < rows; i++) {
            const float level = (float)(next_random(&seed) % levels) - (float)levels / 2.0f;
            scores[i] = ldexpf(level, (int)(next_random(&seed) % 3) * (round % 40));
            classes[i] = (int32_t)(next_random(&seed) & 1u);
        }
        classes[0] = 0;
        classes[1] = 1;
        const double expected = auc_by_pairs(scores, classes, rows);
        assert_true(auc_of(scores, classes, rows) == expected);
    }
}

static void auc_knows_signed_zeros_infinities_and_subnormals(void **state) {
    (void)state;
    const float scores[] = {-0.0f, 0.0f, -INFINITY, INFINITY, -1e-45f, 1e-45f, FLT_MAX, -FLT_MAX};
    const int32_t classes[] = {1, 0, 0, 1, 0, 1, 0, 1};
    assert_true(auc_of(scores, classes, 8) == auc_by_pairs(scores, classes, 8));
    const float zeros[] = {0.0f, -0.0f};
    const int32_t both[] = {0, 1};
    assert_true(auc_of(zeros, both, 2) == 0.5);
}

static void auc_of_perfect_and_reversed_scores_is_one_and_zero(void **state) {
    (void)state;
    const float scores[] = {1.0f, 2.0f, 3.0f, 4.0f};
    const int32_t right[] = {0, 0, 1, 1}, wrong[] = {1, 1, 0, 0};
    assert_true(auc_of(scores, right, 4) == 1.0);
    assert_true(auc_of(scores, wrong, 4) == 0.0);
}

static void auc_without_meaning_is_nan(void **state) {
    (void)state;
    const float scores[] = {1.0f, 2.0f}, broken[] = {1.0f, NAN};
    const int32_t same[] = {1, 1}, none[] = {0, 0}, both[] = {0, 1};
    assert_true(isnan(auc_of(scores, same, 2)));
    assert_true(isnan(auc_of(scores, none, 2)));
    assert_true(isnan(auc_of(broken, both, 2)));
    assert_true(isnan(auc_of(NULL, NULL, 0)));
}

static void auc_refuses_an_invalid_number_of_rows(void **state) {
    (void)state;
    double auc = 0.0, precision;
    sparcl_error error = {0};
    assert_int_equal(spc_score_curve(NULL, NULL, NULL, -1, &auc, &precision, NULL, &error),
                     SPARCL_E_ARG);
    assert_int_equal(
        spc_score_curve(NULL, NULL, NULL, (int64_t)1 << 32, &auc, &precision, NULL, &error),
        SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "4294967296"));
}

static void constant_class_loss_is_the_entropy_of_the_class_frequencies(void **state) {
    (void)state;
    const double even[] = {5, 5}, one[] = {0, 7}, three[] = {1, 2, 5}, none[] = {0, 0};
    assert_true(fabs(spc_constant_class_loss(even, 2) - log(2.0)) < 1e-15);
    assert_true(spc_constant_class_loss(one, 2) == 0.0);
    const double expected = -(log(1.0 / 8) / 8 + log(2.0 / 8) * 2 / 8 + log(5.0 / 8) * 5 / 8);
    assert_true(fabs(spc_constant_class_loss(three, 3) - expected) < 1e-15);
    assert_true(isnan(spc_constant_class_loss(none, 2)));
    assert_true(isnan(spc_constant_class_loss(NULL, 0)));
}

/* No other constant does better, tried around the frequency itself. */
static void constant_class_loss_is_the_minimum_over_all_constants(void **state) {
    (void)state;
    const double counts[] = {7841, 24720};
    const double n = 7841 + 24720, minimum = spc_constant_class_loss(counts, 2);
    for (int i = 1; i < 1000; i++) {
        const double p = i / 1000.0;
        assert_true(-(7841 * log(p) + 24720 * log(1 - p)) / n >= minimum);
    }
}

static void constant_hinge_loss_is_twice_the_share_of_the_smaller_class(void **state) {
    (void)state;
    assert_true(spc_constant_hinge_loss((const double[]){30, 10}) == 0.5);
    assert_true(spc_constant_hinge_loss((const double[]){1, 7}) == 0.25);
    assert_true(spc_constant_hinge_loss((const double[]){5, 0}) == 0);
}

static void constant_squared_loss_is_half_the_variance(void **state) {
    (void)state;
    const double labels[] = {1.0, 2.0, 3.0, 4.0}, far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
    const double same[] = {0.1, 0.1, 0.1};
    assert_true(fabs(spc_constant_squared_loss(labels, NULL, 4) - 0.625) < 1e-15);
    assert_true(fabs(spc_constant_squared_loss(far, NULL, 4) - 0.625) < 1e-9);
    assert_true(spc_constant_squared_loss(same, NULL, 3) < 1e-30);
    assert_true(isnan(spc_constant_squared_loss(NULL, NULL, 0)));
}

/* --- compared with scikit-learn 1.9 ----------------------------------------------------------- */

static const float scores_of_ten[] = {.1f, .8f, .4f, .4f, .9f, .3f, .35f, .6f, .6f, .2f};
static const float targets_of_ten[] = {0, 1, 1, 0, 1, 0, 1, 1, 0, 0};
static const float weights_of_ten[] = {1, 2, .5f, 1, 0, 3, 1, 1, 2, .25f};

static sparcl_metrics measure_ten(const float *weights) {
    float label[10], p[10];
    sparcl_error error = {0};
    for (int i = 0; i < 10; ++i) {
        label[i] = scores_of_ten[i] > .5f;
        p[i] = label[i] > 0 ? scores_of_ten[i] : 1 - scores_of_ten[i];
    }
    const spc_predictions found = {.known = 1,
                                   .rows = 10,
                                   .classes = 2,
                                   .loss = SPARCL_LOSS_LOGISTIC,
                                   .scores = scores_of_ten,
                                   .label = label,
                                   .p = p,
                                   .targets = targets_of_ten,
                                   .weights = weights};
    sparcl_metrics m = spc_no_metrics(10);
    assert_int_equal(spc_measure_classes(&found, &m, &error), SPARCL_OK);
    return m;
}

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) < 1e-7)) fail_msg("found %.17g, expected %.17g", found, expected);
}

static void metrics_of_two_classes_are_those_of_scikit_learn(void **state) {
    (void)state;
    const sparcl_metrics m = measure_ten(NULL), w = measure_ten(weights_of_ten);
    assert_near(m.auc, 0.84);
    assert_near(m.average_precision, 0.8261904761904761);
    assert_near(m.f1, 0.6666666666666666);
    assert_near(m.accuracy, 0.7);
    assert_near(w.auc, 0.839080459770115);
    assert_near(w.average_precision, 0.770940170940171);
    assert_near(w.f1, 0.631578947368421);
    assert_near(w.accuracy, 0.7021276595744681);
}

static void bins_of_the_calibration_are_those_of_counting(void **state) {
    (void)state;
    const sparcl_metrics m = measure_ten(weights_of_ten);
    double expected = 0, all = 0;
    for (int b = 0; b < SPARCL_CALIBRATION_BINS; ++b) {
        double rows = 0, predicted = 0, observed = 0;
        for (int i = 0; i < 10; ++i) {
            const float p = scores_of_ten[i] > .5f ? scores_of_ten[i] : 1 - (1 - scores_of_ten[i]);
            if ((int)((double)p * 10) != b) continue;
            rows += (double)weights_of_ten[i];
            predicted += (double)(weights_of_ten[i] * p);
            observed += (double)(weights_of_ten[i] * targets_of_ten[i]);
        }
        assert_near(m.calibration[b].rows, rows);
        all += rows;
        expected += fabs(predicted - observed);
        if (rows == 0) continue;
        assert_near(m.calibration[b].predicted, predicted / rows);
        assert_near(m.calibration[b].observed, observed / rows);
    }
    assert_near(m.calibration_error, expected / all);
    assert_true(m.calibration_error > 0.1 && isnan(m.calibration[7].predicted));
}

static void f1_of_many_classes_is_the_mean_of_those_that_occur(void **state) {
    (void)state;
    static const float targets[] = {0, 1, 2, 2, 1, 0, 3, 1}, label[] = {0, 2, 2, 2, 1, 4, 3, 0};
    static const float p[] = {1, 1, 1, 1, 1, 1, 1, 1};
    sparcl_error error = {0};
    spc_predictions found = {.known = 1,
                             .rows = 8,
                             .classes = 7,
                             .loss = SPARCL_LOSS_SOFTMAX,
                             .label = label,
                             .p = p,
                             .targets = targets};
    sparcl_metrics m = spc_no_metrics(8);
    assert_int_equal(spc_measure_classes(&found, &m, &error), SPARCL_OK);
    assert_near(m.f1, 0.56);
    assert_near(m.accuracy, 5. / 8);
    assert_near(m.calibration_error, 3. / 8); /* sure, but right in 5 of 8 */
    found.weights = weights_of_ten;
    assert_int_equal(spc_measure_classes(&found, &m, &error), SPARCL_OK);
    assert_near(m.f1, 0.38666666666666666);
    assert_true(isnan(m.auc) && isnan(m.average_precision) && isnan(m.rmse));
}

static void metrics_of_numbers_are_those_of_scikit_learn(void **state) {
    (void)state;
    static const float found_values[] = {1.5f, 1, 4, 7, 0}, weights[] = {1, 2, 0, 1, 4};
    static const double labels[] = {1, 2, 4, 8, -3};
    sparcl_error error = {0};
    spc_predictions found = {.known = 1,
                             .rows = 5,
                             .loss = SPARCL_LOSS_SQUARED,
                             .label = found_values,
                             .labels = labels};
    sparcl_metrics m = spc_no_metrics(5);
    assert_int_equal(spc_measure_numbers(&found, &m, &error), SPARCL_OK);
    assert_near(m.rmse, 1.5);
    assert_near(m.mae, 1.1);
    assert_near(m.best_constant_mae, (1 + 0 + 2 + 6 + 5) / 5.);
    assert_near(m.best_constant_rmse, sqrt(2 * m.best_constant_loss));
    found.weights = weights;
    assert_int_equal(spc_measure_numbers(&found, &m, &error), SPARCL_OK);
    assert_near(m.rmse, 2.2150056433336687);
    assert_near(m.mae, 1.9375);
    assert_near(m.best_constant_mae, (1 * 4 + 2 * 5 + 1 * 11) / 8.); /* the median is -3 */
    assert_true(isnan(m.accuracy) && isnan(m.f1) && isnan(m.calibration_error));
}

/* The best of all constants: of two classes, and of numbers. */
static void no_constant_is_better_than_the_best(void **state) {
    (void)state;
    const sparcl_metrics m = measure_ten(weights_of_ten);
    double positive = 0, all = 0;
    for (int i = 0; i < 10; ++i) {
        positive += (double)(weights_of_ten[i] * targets_of_ten[i]);
        all += (double)weights_of_ten[i];
    }
    const double part = positive / all;
    assert_near(m.best_constant_accuracy, fmax(part, 1 - part));
    assert_near(m.best_constant_f1, 2 * part / (part + 1));
    assert_near(m.best_constant_average_precision, part);
    assert_near(m.best_constant_loss, -part * log(part) - (1 - part) * log(1 - part));
    static const double labels[] = {1, 2, 4, 8, -3};
    static const float weights[] = {1, 2, 0, 1, 4};
    double mae, rmse = sqrt(2 * spc_constant_squared_loss(labels, weights, 5));
    sparcl_error error = {0};
    assert_int_equal(spc_constant_mean_error(labels, weights, 5, &mae, &error), SPARCL_OK);
    for (double c = -5; c < 10; c += 0.125) {
        double distances = 0, squares = 0;
        for (int i = 0; i < 5; ++i) {
            distances += (double)weights[i] * fabs(labels[i] - c) / 8;
            squares += (double)weights[i] * (labels[i] - c) * (labels[i] - c) / 8;
        }
        assert_true(distances >= mae - 1e-12 && sqrt(squares) >= rmse - 1e-12);
    }
}

static void class_of_finds_exactly_the_labels(void **state) {
    (void)state;
    const double labels[] = {-1.0, 0.0, 0.5, 3.0, 1e6};
    for (int64_t c = 0; c < 5; c++)
        assert_int_equal(spc_class_of(labels, 5, labels[c]), c);
    const double others[] = {-2.0, -0.5, 0.25, 1.0, 2e6, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < SPC_COUNT(others); i++)
        assert_int_equal(spc_class_of(labels, 5, others[i]), -1);
    assert_int_equal(spc_class_of(labels, 5, -0.0), 1);
    assert_int_equal(spc_class_of(NULL, 0, 1.0), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auc_equals_counting_all_pairs),
        cmocka_unit_test(auc_knows_signed_zeros_infinities_and_subnormals),
        cmocka_unit_test(auc_of_perfect_and_reversed_scores_is_one_and_zero),
        cmocka_unit_test(auc_without_meaning_is_nan),
        cmocka_unit_test(auc_refuses_an_invalid_number_of_rows),
        cmocka_unit_test(constant_class_loss_is_the_entropy_of_the_class_frequencies),
        cmocka_unit_test(constant_class_loss_is_the_minimum_over_all_constants),
        cmocka_unit_test(constant_hinge_loss_is_twice_the_share_of_the_smaller_class),
        cmocka_unit_test(constant_squared_loss_is_half_the_variance),
        cmocka_unit_test(metrics_of_two_classes_are_those_of_scikit_learn),
        cmocka_unit_test(bins_of_the_calibration_are_those_of_counting),
        cmocka_unit_test(f1_of_many_classes_is_the_mean_of_those_that_occur),
        cmocka_unit_test(metrics_of_numbers_are_those_of_scikit_learn),
        cmocka_unit_test(no_constant_is_better_than_the_best),
        cmocka_unit_test(class_of_finds_exactly_the_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
