/* test_choose.c: the cost model of plans, with calibrations that are made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sparcl/sparcl.h"

enum { WIDTHS = SPARCL_PLAN_WIDTHS, SETS = SPARCL_PLAN_WORKING_SETS };

static const double widths[WIDTHS] = {1, 4, 16, 64, 256};

/* The same everywhere: a call 1 us, or 2 where several cores work on it; an entry 2 ns, and with
 * the transpose 1.5 times twice that; a row 5 ns; an element of a dense matrix 1 ns, 3 transposed.
 */
static sparcl_calibration made_up(void) {
    sparcl_calibration c = {.call = {1e-6, 2e-6}, .convert = 4e-9, .pattern = 7e-9, .seconds = 1};
    for (int way = 0; way < 2; ++way)
        for (int w = 0; w < WIDTHS; ++w) {
            for (int s = 0; s < SETS; ++s)
                c.entry[w][s] = 2e-9;
            c.transposed[w] = 1.5;
            c.empty[0][w] = c.empty[1][w] = 5e-9;
            c.row[way][w] = 5e-9;
            for (int s = 0; s < SPARCL_PLAN_SIZES; ++s)
                c.dense[way][w][s] = way ? 3e-9 : 1e-9;
        }
    return c;
}

static sparcl_device large_device(void) {
    sparcl_device d = {.memory = (int64_t)1 << 40, .max_allocation = (int64_t)1 << 38};
    strcpy(d.name, "the device");
    return d;
}

/* Entries that are spread evenly. */
static sparcl_plan_distribution even(int64_t used) {
    sparcl_plan_distribution s = {.used = used};
    for (int k = 0; k < SPARCL_PLAN_FRACTIONS; ++k)
        s.fraction[k] = used > 0 ? fmin(1, pow(4, k) / (double)used) : 0;
    return s;
}

static sparcl_plan_case matrix(int64_t rows, int64_t cols, int64_t nnz, int64_t n) {
    return (sparcl_plan_case){.rows = rows,
                              .cols = cols,
                              .nnz = nnz,
                              .rows_distribution = even(rows < nnz ? rows : nnz),
                              .cols_distribution = even(cols < nnz ? cols : nnz),
                              .n = n};
}

static sparcl_plan plan_of(const sparcl_calibration *c, const sparcl_plan_case *a) {
    const sparcl_device device = large_device();
    sparcl_error error = {0};
    sparcl_plan plan;
    if (sparcl_choose(c, &device, a, &plan, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return plan;
}

static const sparcl_plan_line *line_of(const sparcl_plan *plan, sparcl_format format) {
    for (int i = 0; i < SPARCL_FORMATS; ++i)
        if (plan->lines[i].format == format) return &plan->lines[i];
    fail_msg("format %d is not in the plan", (int)format);
    return NULL;
}

static double seconds_of(const sparcl_plan *plan, sparcl_format format) {
    return line_of(plan, format)->seconds;
}

static void assert_near(double got, double expected) {
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g, expected %.12g", got, expected);
}

static void formats_have_names(void **state) {
    (void)state;
    assert_string_equal(sparcl_format_name(SPARCL_FORMAT_DENSE), "dense");
    assert_string_equal(sparcl_format_name(SPARCL_FORMAT_ROWS), "rows");
    assert_string_equal(sparcl_format_name((sparcl_format)SPARCL_FORMATS), "?");
    assert_string_equal(sparcl_format_name((sparcl_format)-1), "?");
}

static void seconds_are_counts_times_what_was_measured(void **state) {
    const sparcl_calibration c = made_up();
    sparcl_plan_case a = matrix(1000, 3000, 20000, 8);
    sparcl_plan p = plan_of(&c, &a);
    (void)state;
    const double call = 1e-6 + 1e-6 * 21000 / 32768; /* not enough for all cores */
    const double csr = call + 1000 * 5e-9 + 20000 * 2e-9;
    const double csc = 1e-6 + call + 1000 * 5e-9 + 20000 * 3e-9;
    assert_near(seconds_of(&p, SPARCL_FORMAT_CSR), csr);
    assert_near(seconds_of(&p, SPARCL_FORMAT_CSC), csc);
    assert_near(seconds_of(&p, SPARCL_FORMAT_COO), 4e-6 + 20000 * 4e-9 + csr);
    assert_near(seconds_of(&p, SPARCL_FORMAT_DENSE), 2e-6 + 3e6 * 1e-9);
    assert_near(seconds_of(&p, SPARCL_FORMAT_ROWS), 4e-6 + 3e6 * 1e-9 + 2000 * 5e-9);
    assert_near(line_of(&p, SPARCL_FORMAT_CSC)->prepare, 20000 * 7e-9);
    assert_true(line_of(&p, SPARCL_FORMAT_CSR)->prepare == 0);
    a.transposed = 1;
    p = plan_of(&c, &a);
    const double call_t = 1e-6 + 1e-6 * 23000 / 32768;
    const double csr_t = 1e-6 + call_t + 3000 * 5e-9 + 20000 * 3e-9;
    assert_near(seconds_of(&p, SPARCL_FORMAT_CSR), csr_t);
    assert_near(seconds_of(&p, SPARCL_FORMAT_CSC), call_t + 3000 * 5e-9 + 20000 * 2e-9);
    assert_near(seconds_of(&p, SPARCL_FORMAT_COO), 4e-6 + 20000 * (4e-9 + 7e-9 + 2e-9) + csr_t);
    assert_near(seconds_of(&p, SPARCL_FORMAT_DENSE), 2e-6 + 3e6 * 3e-9);
    assert_near(seconds_of(&p, SPARCL_FORMAT_ROWS), 4e-6 + 3e6 * 3e-9 + 1000 * 5e-9);
}

/* Seconds are powers of the width between the points here, and so must they be in the plan. */
static void seconds_between_measured_widths_are_interpolated(void **state) {
    static const int64_t tried[] = {1, 2, 4, 7, 16, 100, 256, 512, 4096};
    sparcl_calibration c = made_up();
    (void)state;
    for (int w = 0; w < WIDTHS; ++w) {
        c.row[0][w] = 1e-15;
        for (int s = 0; s < SETS; ++s)
            c.entry[w][s] = 1e-9 * sqrt(widths[w]);
    }
    for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i) {
        const sparcl_plan_case a = matrix(100, 100, 10000, tried[i]);
        const double n = (double)tried[i], last = fmax(1, n / 256);
        const sparcl_plan p = plan_of(&c, &a);
        assert_near(seconds_of(&p, SPARCL_FORMAT_CSR),
                    1e-6 + 1e-6 * 10100 / 32768 +
                        last * (100 * 1e-15 + 10000 * 1e-9 * sqrt(fmin(n, 256))));
    }
}

static void what_a_cache_holds_costs_less_than_what_it_does_not(void **state) {
    sparcl_calibration c = made_up();
    (void)state;
    for (int w = 0; w < WIDTHS; ++w)
        for (int s = 0; s < SETS; ++s)
            c.entry[w][s] = s < 3 ? 1e-9 : 1e-8;          /* in the cache up to 2^18 bytes */
    sparcl_plan_case a = matrix(1000, 4096, 1000000, 16); /* B is 2^18 bytes */
    sparcl_plan p = plan_of(&c, &a);
    assert_near(seconds_of(&p, SPARCL_FORMAT_CSR), 2e-6 + 1000 * 5e-9 + 1e6 * 1e-9);
    a = matrix(1000, 1 << 20, 1000000, 16); /* 2^26 bytes, evenly: nearly all are cache misses */
    p = plan_of(&c, &a);
    const double far = seconds_of(&p, SPARCL_FORMAT_CSR);
    assert_true(far > 1e6 * 0.9e-8 && far < 1e6 * 1.01e-8);
    for (int k = 0; k < SPARCL_PLAN_FRACTIONS; ++k) /* in the fullest 4^2, which count as 4^6 */
        a.cols_distribution.fraction[k] = k < 2 ? 0 : 0.9;
    p = plan_of(&c, &a);
    const double mostly_near = seconds_of(&p, SPARCL_FORMAT_CSR);
    assert_near(mostly_near, 2e-6 + 1000 * 5e-9 + 1e6 * (0.9 * 1e-9 + 0.1 * 1e-8));
}

/* One column: neighbours share a cache line. */
static void narrow_rows_of_b_share_cache_lines(void **state) {
    sparcl_calibration c = made_up();
    (void)state;
    for (int s = 0; s < SETS; ++s)
        c.entry[0][s] = s < 3 ? 1e-9 : 1e-8;
    const sparcl_plan_case a = matrix(1000, 1 << 16, 1000000, 1); /* B is 2^18 bytes */
    const sparcl_plan p = plan_of(&c, &a);
    assert_near(seconds_of(&p, SPARCL_FORMAT_CSR), 2e-6 + 1000 * 5e-9 + 1e6 * 1e-9);
}

static void the_first_line_is_the_fastest_that_fits(void **state) {
    const sparcl_calibration c = made_up();
    static const struct {
        int64_t rows, cols, nnz, used;
        int transposed;
        sparcl_format expected;
    } cases[] = {{1000, 1000, 20000, 1000, 0, SPARCL_FORMAT_CSR},
                 {1000, 1000, 20000, 1000, 1, SPARCL_FORMAT_CSC},
                 {1000, 1000, 900000, 1000, 0, SPARCL_FORMAT_DENSE},
                 {100000, 1000, 1900, 20, 0, SPARCL_FORMAT_CSR},
                 {1000, 10000, 190000, 20, 0, SPARCL_FORMAT_ROWS}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sparcl_plan_case a = matrix(cases[i].rows, cases[i].cols, cases[i].nnz, 16);
        a.rows_distribution = even(cases[i].used);
        a.transposed = cases[i].transposed;
        const sparcl_plan p = plan_of(&c, &a);
        assert_string_equal(sparcl_format_name(p.lines[0].format),
                            sparcl_format_name(cases[i].expected));
        for (int k = 1; k < SPARCL_FORMATS; ++k)
            assert_true(p.lines[k - 1].seconds <= 1.125 * p.lines[k].seconds);
        for (int k = 0; k < SPARCL_FORMATS; ++k)
            assert_true(p.lines[k].reason[0] != 0 && p.lines[k].bytes > 0);
    }
}

/* With similar seconds, a format that needs no pattern comes first. */
static void a_format_with_preparation_must_be_an_eighth_faster(void **state) {
    sparcl_calibration c = made_up();
    (void)state;
    c.call[0] = 1e-12;
    for (int w = 0; w < WIDTHS; ++w)
        c.transposed[w] = 0.95;
    const sparcl_plan_case a = matrix(1000, 3000, 20000, 8);
    sparcl_plan p = plan_of(&c, &a);
    assert_true(seconds_of(&p, SPARCL_FORMAT_CSC) < seconds_of(&p, SPARCL_FORMAT_CSR));
    assert_int_equal(p.lines[0].format, SPARCL_FORMAT_CSR);
    for (int w = 0; w < WIDTHS; ++w)
        c.transposed[w] = 0.7;
    p = plan_of(&c, &a);
    assert_int_equal(p.lines[0].format, SPARCL_FORMAT_CSC);
}

static void bytes_are_those_of_f32_and_the_narrowest_indices(void **state) {
    const sparcl_calibration c = made_up();
    sparcl_plan_case a = matrix(1000, 3000, 20000, 8);
    a.rows_distribution = even(500);
    sparcl_plan p = plan_of(&c, &a);
    (void)state;
    assert_near(line_of(&p, SPARCL_FORMAT_DENSE)->bytes, 12e6);
    assert_near(line_of(&p, SPARCL_FORMAT_CSR)->bytes, 20000 * 8 + 1001 * 4);
    assert_near(line_of(&p, SPARCL_FORMAT_CSC)->bytes, 20000 * 8 + 3001 * 4);
    assert_near(line_of(&p, SPARCL_FORMAT_COO)->bytes, 20000 * 12);
    assert_near(line_of(&p, SPARCL_FORMAT_ROWS)->bytes, 500 * (4 + 12000));
    a.cols = (int64_t)1 << 32;
    p = plan_of(&c, &a);
    assert_near(line_of(&p, SPARCL_FORMAT_CSR)->bytes, 20000 * 12 + 1001 * 4);
}

static void what_does_not_fit_comes_last_and_says_so(void **state) {
    const sparcl_calibration c = made_up();
    sparcl_device device = large_device();
    sparcl_plan_case a = matrix(1000, 1000, 900000, 4);
    sparcl_plan p;
    sparcl_error error;
    (void)state;
    device.max_allocation = 3900000; /* a dense matrix takes 4000000 */
    assert_int_equal(sparcl_choose(&c, &device, &a, &p, &error), SPARCL_OK);
    assert_int_equal(p.lines[0].format, SPARCL_FORMAT_CSR);
    const sparcl_plan_line *dense = line_of(&p, SPARCL_FORMAT_DENSE);
    assert_false(dense->fits);
    assert_non_null(strstr(dense->reason, "does not fit: 4e+06 bytes in one array"));
    assert_non_null(strstr(dense->reason, "the device"));
    assert_true(dense >= &p.lines[3]);
    device = large_device();
    device.memory = 1000000;
    assert_int_equal(sparcl_choose(&c, &device, &a, &p, &error), SPARCL_OK);
    for (int i = 0; i < SPARCL_FORMATS; ++i) {
        assert_false(p.lines[i].fits);
        assert_non_null(strstr(p.lines[i].reason, "in total"));
    }
}

static void empty_rows_cost_what_was_measured_for_empty_rows(void **state) {
    sparcl_calibration c = made_up();
    sparcl_plan_case a = matrix(1000, 3000, 20000, 8);
    (void)state;
    for (int w = 0; w < WIDTHS; ++w) {
        c.empty[0][w] = 1e-9;
        c.empty[1][w] = 3e-9;
    }
    a.rows_distribution = even(100);
    const sparcl_plan p = plan_of(&c, &a);
    assert_near(seconds_of(&p, SPARCL_FORMAT_CSR),
                1e-6 + 1e-6 * 21000 / 32768 + 100 * 5e-9 + 900 * 1e-9 + 20000 * 2e-9);
    assert_near(seconds_of(&p, SPARCL_FORMAT_CSC),
                2e-6 + 1e-6 * 21000 / 32768 + 100 * 5e-9 + 900 * 3e-9 + 20000 * 3e-9);
    assert_near(seconds_of(&p, SPARCL_FORMAT_ROWS), 4e-6 + 3e5 * 1e-9 + 100 * 5e-9 + 1000 * 3e-9);
}

/* Adjacent empty rows cost nothing in a product of one column with CSR. */
static void adjacent_empty_rows_are_skipped(void **state) {
    const sparcl_calibration c = made_up();
    sparcl_plan_case a = matrix(1000, 3000, 20000, 1);
    (void)state;
    a.rows_distribution = even(100);
    a.rows_distribution.empty_in_runs = 700;
    const sparcl_plan one = plan_of(&c, &a);
    const double rest = 1e-6 * 21000 / 32768 + 20000 * 2e-9;
    assert_near(seconds_of(&one, SPARCL_FORMAT_CSR), 1e-6 + rest + 300 * 5e-9);
    assert_near(seconds_of(&one, SPARCL_FORMAT_CSC), 2e-6 + rest + 20000 * 1e-9 + 1000 * 5e-9);
    a.n = 4;
    const sparcl_plan four = plan_of(&c, &a);
    assert_near(seconds_of(&four, SPARCL_FORMAT_CSR), 1e-6 + rest + 1000 * 5e-9);
}

static void an_empty_matrix_has_a_plan(void **state) {
    const sparcl_calibration c = made_up();
    const sparcl_plan_case cases[] = {matrix(0, 0, 0, 1), matrix(0, 5, 0, 3), matrix(5, 0, 0, 3),
                                      matrix(5, 5, 0, 300)};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const sparcl_plan p = plan_of(&c, &cases[i]);
        for (int k = 0; k < SPARCL_FORMATS; ++k)
            assert_true(isfinite(p.lines[k].seconds) && p.lines[k].fits);
    }
}

static void assert_refuses(const sparcl_calibration *c, const sparcl_plan_case *a,
                           const char *why) {
    const sparcl_device device = large_device();
    sparcl_error error = {0};
    sparcl_plan p = {.lines = {{.bytes = 7}}};
    assert_int_equal(sparcl_choose(c, &device, a, &p, &error), SPARCL_E_ARG);
    assert_true(p.lines[0].bytes == 0);
    if (!strstr(error.message, why)) fail_msg("%s, expected %s", error.message, why);
}

static void an_impossible_case_is_refused(void **state) {
    sparcl_calibration c = made_up();
    const sparcl_plan_case good = matrix(10, 10, 20, 4);
    sparcl_plan_case a = good;
    sparcl_error error;
    (void)state;
    a.n = 0;
    assert_refuses(&c, &a, "at least one column");
    a = good;
    a.rows = -1;
    assert_refuses(&c, &a, "sizes of 0 or more");
    a = good;
    a.rows_distribution.used = 11;
    assert_refuses(&c, &a, "11 of 10 rows");
    a = good;
    a.cols_distribution.used = 0;
    assert_refuses(&c, &a, "0 of 10 columns");
    a = good;
    a.cols_distribution.empty_in_runs = 1;
    assert_refuses(&c, &a, "1 columns without entries are adjacent, of 0");
    a = good;
    a.cols_distribution.fraction[2] = 0;
    assert_refuses(&c, &a, "fractions of the columns");
    a = good;
    a.rows_distribution.fraction[11] = NAN;
    assert_refuses(&c, &a, "fractions of the rows");
    a = good;
    a.reserved[1] = 1;
    assert_refuses(&c, &a, "reserved");
    assert_refuses(NULL, &good, "the calibration is NULL");
    assert_refuses(&c, NULL, "the case is NULL");
    assert_int_equal(sparcl_choose(&c, NULL, &good, NULL, &error), SPARCL_E_ARG);
    c.dense[1][4][1] = 0;
    assert_refuses(&c, &good, "sparcl_calibrate");
    const sparcl_calibration nothing = {0};
    assert_refuses(&nothing, &good, "sparcl_calibrate");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_have_names),
        cmocka_unit_test(seconds_are_counts_times_what_was_measured),
        cmocka_unit_test(seconds_between_measured_widths_are_interpolated),
        cmocka_unit_test(what_a_cache_holds_costs_less_than_what_it_does_not),
        cmocka_unit_test(narrow_rows_of_b_share_cache_lines),
        cmocka_unit_test(the_first_line_is_the_fastest_that_fits),
        cmocka_unit_test(bytes_are_those_of_f32_and_the_narrowest_indices),
        cmocka_unit_test(what_does_not_fit_comes_last_and_says_so),
        cmocka_unit_test(empty_rows_cost_what_was_measured_for_empty_rows),
        cmocka_unit_test(a_format_with_preparation_must_be_an_eighth_faster),
        cmocka_unit_test(adjacent_empty_rows_are_skipped),
        cmocka_unit_test(an_empty_matrix_has_a_plan),
        cmocka_unit_test(an_impossible_case_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
