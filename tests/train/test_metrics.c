/* test_metrics.c: the metrics on the host, compared with plain counting. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "train/metrics.h"

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
    double auc = -1.0;
    sparcl_error error = {0};
    assert_int_equal(spc_auc(scores, classes, rows, &auc, &error), SPARCL_OK);
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
    double auc = 0.0;
    sparcl_error error = {0};
    assert_int_equal(spc_auc(NULL, NULL, -1, &auc, &error), SPARCL_E_ARG);
    assert_int_equal(spc_auc(NULL, NULL, (int64_t)1 << 32, &auc, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "4294967296"));
}

static void constant_class_loss_is_the_entropy_of_the_class_frequencies(void **state) {
    (void)state;
    const int64_t even[] = {5, 5}, one[] = {0, 7}, three[] = {1, 2, 5}, none[] = {0, 0};
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
    const int64_t counts[] = {7841, 24720};
    const double n = 7841 + 24720, minimum = spc_constant_class_loss(counts, 2);
    for (int i = 1; i < 1000; i++) {
        const double p = i / 1000.0;
        assert_true(-(7841 * log(p) + 24720 * log(1 - p)) / n >= minimum);
    }
}

static void constant_squared_loss_is_half_the_variance(void **state) {
    (void)state;
    const double labels[] = {1.0, 2.0, 3.0, 4.0}, far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
    const double same[] = {0.1, 0.1, 0.1};
    assert_true(fabs(spc_constant_squared_loss(labels, 4) - 0.625) < 1e-15);
    assert_true(fabs(spc_constant_squared_loss(far, 4) - 0.625) < 1e-9);
    assert_true(spc_constant_squared_loss(same, 3) < 1e-30);
    assert_true(isnan(spc_constant_squared_loss(NULL, 0)));
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
        cmocka_unit_test(constant_squared_loss_is_half_the_variance),
        cmocka_unit_test(class_of_finds_exactly_the_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
