/* test_plans.c: what the cost model predicts for a real device, compared with what was then
 * measured: tests/plan/plans.json, written by tools/dev/check-plans --record. Nothing is timed
 * here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "sparcl/sparcl.h"

/* Of predicted and measured seconds, and of the choice's by those of the fastest. Of this many
 * plans in ten the choice is to be within a tenth. */
#define WORST        2.0
#define CHOICE       1.1
#define WORST_CHOICE 1.3
#define OF_TEN       8

static json_t *field(const json_t *object, const char *key) {
    json_t *const value = json_object_get(object, key);
    if (!value) fail_msg("plans.json: no %s", key);
    return value;
}

static double real(const json_t *object, const char *key) {
    return json_number_value(field(object, key));
}

static int64_t whole(const json_t *object, const char *key) {
    return json_integer_value(field(object, key));
}

#define READ(object, key, to) read_reals(object, key, (double *)(to), sizeof(to) / sizeof(double))
static void read_reals(const json_t *object, const char *key, double *to, size_t count) {
    const json_t *const array = field(object, key);
    assert_int_equal(json_array_size(array), count);
    for (size_t i = 0; i < count; ++i)
        to[i] = json_number_value(json_array_get(array, i));
}

static sparcl_calibration read_calibration(const json_t *from) {
    sparcl_calibration c = {
        .convert = real(from, "convert"), .pattern = real(from, "pattern"), .seconds = 1};
    READ(from, "call", c.call);
    READ(from, "entry", c.entry);
    READ(from, "row", c.row);
    READ(from, "empty", c.empty);
    READ(from, "transposed", c.transposed);
    READ(from, "dense", c.dense);
    return c;
}

static sparcl_plan_case read_case(const json_t *from) {
    sparcl_plan_case a = {.rows = whole(from, "rows"),
                          .cols = whole(from, "cols"),
                          .nnz = whole(from, "nnz"),
                          .rows_distribution = {.used = whole(from, "used_rows"),
                                                .empty_in_runs = whole(from, "rows_empty_in_runs")},
                          .cols_distribution = {.used = whole(from, "used_cols"),
                                                .empty_in_runs = whole(from, "cols_empty_in_runs")},
                          .n = whole(from, "n"),
                          .transposed = json_is_true(field(from, "transposed"))};
    READ(from, "row_fractions", a.rows_distribution.fraction);
    READ(from, "col_fractions", a.cols_distribution.fraction);
    return a;
}

static double seconds_of(const json_t *measured, sparcl_format format) {
    const json_t *const seconds = json_object_get(measured, sparcl_format_name(format));
    return seconds ? json_number_value(seconds) : INFINITY;
}

/* The choice's measured seconds by those of the fastest. */
static double judge(const char *name, const sparcl_plan *plan, const json_t *measured) {
    double minimum = INFINITY;
    for (int i = 0; i < SPARCL_FORMATS; ++i) {
        const sparcl_plan_line *const line = &plan->lines[i];
        const double seen = seconds_of(measured, line->format);
        minimum = fmin(minimum, seen);
        if (!isfinite(seen)) continue;
        const double ratio = fmax(line->seconds / seen, seen / line->seconds);
        if (!(ratio <= WORST))
            fail_msg("%s: %s is predicted to take %.3g s, %.2f times more or less than the %.3g s "
                     "that were measured",
                     name, sparcl_format_name(line->format), line->seconds, ratio, seen);
    }
    return seconds_of(measured, plan->lines[0].format) / minimum;
}

static void plans_are_near_what_was_measured(void **state) {
    (void)state;
    json_error_t error;
    json_t *const all = json_load_file(SPARCL_PLANS, 0, &error);
    if (!all) fail_msg("%s:%d: %s", SPARCL_PLANS, error.line, error.text);
    const sparcl_calibration c = read_calibration(field(all, "calibration"));
    sparcl_device device = {.memory = (int64_t)1 << 40, .max_allocation = (int64_t)1 << 38};
    strcpy(device.name, "the device of plans.json");
    const json_t *const plans = field(all, "plans");
    size_t right = 0;
    for (size_t i = 0; i < json_array_size(plans); ++i) {
        const json_t *const record = json_array_get(plans, i);
        const sparcl_plan_case about = read_case(record);
        char name[100];
        sparcl_plan plan;
        sparcl_error failure = {0};
        snprintf(name, sizeof name, "%s%s n=%lld", json_string_value(field(record, "case")),
                 about.transposed ? " transposed" : "", (long long)about.n);
        assert_int_equal(sparcl_choose(&c, &device, &about, &plan, &failure), SPARCL_OK);
        const double choice = judge(name, &plan, field(record, "measured"));
        if (!(choice <= WORST_CHOICE))
            fail_msg("%s: the choice takes %.2f of the fastest", name, choice);
        right += choice <= CHOICE;
    }
    assert_in_range(json_array_size(plans), 36, 100);
    assert_true(10 * right >= OF_TEN * json_array_size(plans));
    json_decref(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_are_near_what_was_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
