/* test_sum.c: what the header says of sparcl_sum_rows. */
#include "op_test.h"

#include "launch/range.h"
#include "ops/reductions/sum.h"

/* X [m, k] with a gap of one element between its rows, and R [k]. */
typedef struct sum {
    sparcl_dense x, r;
    float *x_host, *r_host;
} sum;

static sum make_sum(sparcl_ctx *ctx, int64_t m, int64_t k) {
    sum s = {.x = {.rank = 2, .shape = {m, k}, .ld = k + 1}, .r = {.rank = 1, .shape = {k}}};
    s.x_host = make_floats(m * (k + 1), 3);
    s.r_host = make_floats(k, 4);
    s.x.values = put_spare(ctx, s.x_host, m * (k + 1));
    s.r.values = put_spare(ctx, s.r_host, k);
    return s;
}

static void free_sum(sum *s) {
    sparcl_buf_free(s->x.values);
    sparcl_buf_free(s->r.values);
    free(s->x_host);
    free(s->r_host);
}

/* R has the bits of rule S with the factor 1. */
static void assert_sum(sparcl_ctx *ctx, const sum *s, double alpha, double beta) {
    const int64_t m = s->x.shape[0], k = s->r.shape[0];
    double *ones = must_have(calloc((size_t)m + 1, sizeof *ones));
    double *x = widen(s->x_host, m * s->x.ld);
    for (int64_t i = 0; i < m; ++i)
        ones[i] = 1;
    for (int64_t j = 0; j < k; ++j) {
        const double total = spec_sum_products(SPARCL_F32, ones, x + j, s->x.ld, m, k == 1);
        const float scaled = (float)(alpha * total), old = (float)(beta * s->r_host[j]);
        const float expected = beta == 0 ? scaled : scaled + old;
        const float got = float_at(ctx, s->r.values, j);
        if (memcmp(&got, &expected, 4) != 0 && !(isnan(got) && isnan(expected)))
            fail_msg("r[%lld] is %.9g, expected %.9g", (long long)j, (double)got, (double)expected);
    }
    free(ones);
    free(x);
}

static void what_does_not_fit_is_refused_and_r_stays(void **state) {
    sparcl_ctx *ctx = *state;
    sum s = make_sum(ctx, 2, 3);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, s.r.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(sum, s, violation, sparcl_sum_rows(ctx, &x.r, 1, &x.x, 0), status,    \
                             part, assert_unchanged(ctx, &kept))
    REFUSED((x.x.rank = 3, x.x.shape[2] = 1), SPARCL_E_SHAPE, "X has rank 3");
    REFUSED(x.x.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.x.values_at = 1000, SPARCL_E_SHAPE, "X needs");
    REFUSED(x.x.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of X");
    REFUSED((x.r.rank = 2, x.r.shape[1] = 1), SPARCL_E_SHAPE, "R has rank 2");
    REFUSED(++x.r.shape[0], SPARCL_E_SHAPE, "rows of 3, R has rank 1 and 4 elements");
    REFUSED(x.r.ld = 2, SPARCL_E_SHAPE, "expected packed elements");
    REFUSED(x.r.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.x.values = x.r.values, SPARCL_E_ALIAS, "R overlaps X");
    REFUSED((x.x.rank = 1, x.x.ld = 1), SPARCL_E_SHAPE, "R has rank 1 and 3 elements");
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_sum_rows(ctx, NULL, 1, &s.x, 0), SPARCL_E_ARG, "R is NULL");
    assert_refused(ctx, sparcl_sum_rows(ctx, &s.r, 1, NULL, 0), SPARCL_E_ARG, "X is NULL");
    assert_ok(ctx, sparcl_sum_rows(ctx, &s.r, 2, &s.x, 0.5));
    assert_sum(ctx, &s, 2, 0.5);
    free_sum(&s);
}

static void r_is_not_read_where_beta_is_0(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t k = 1; k < 20; k += 6) {
        sum s = make_sum(ctx, 600, k);
        for (int64_t j = 0; j < k; ++j)
            s.r_host[j] = NAN;
        assert_ok(ctx, sparcl_buf_write(ctx, s.r.values, 0, k * 4, s.r_host));
        assert_ok(ctx, sparcl_sum_rows(ctx, &s.r, -2, &s.x, 0));
        assert_true(isfinite(float_at(ctx, s.r.values, 0)));
        assert_sum(ctx, &s, -2, 0);
        free_sum(&s);
    }
}

static void a_vector_is_one_column(void **state) {
    sparcl_ctx *ctx = *state;
    sum s = make_sum(ctx, 1000, 1);
    sparcl_dense x = s.x;
    x.rank = 1;
    assert_ok(ctx, sparcl_sum_rows(ctx, &s.r, 1, &x, 1));
    assert_sum(ctx, &s, 1, 1);
    free_sum(&s);
}

static void no_rows_sum_to_0_and_no_columns_to_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    sum s = make_sum(ctx, 0, 3), none = make_sum(ctx, 3, 0);
    assert_ok(ctx, sparcl_sum_rows(ctx, &s.r, 1, &s.x, 0.5));
    assert_sum(ctx, &s, 1, 0.5);
    assert_ok(ctx, sparcl_sum_rows(ctx, &s.r, 1, &s.x, 0));
    for (int64_t j = 0; j < 3; ++j)
        assert_true(float_at(ctx, s.r.values, j) == 0);
    assert_ok(ctx, sparcl_sum_rows(ctx, &none.r, 1, &none.x, 0));
    free_sum(&none);
    free_sum(&s);
}

static void nan_and_infinity_reach_their_column_and_no_other(void **state) {
    sparcl_ctx *ctx = *state;
    sum s = make_sum(ctx, 700, 4);
    s.x_host[500 * 5 + 1] = NAN;
    s.x_host[300 * 5 + 2] = INFINITY;
    assert_ok(ctx, sparcl_buf_write(ctx, s.x.values, 0, 700 * 5 * 4, s.x_host));
    assert_ok(ctx, sparcl_sum_rows(ctx, &s.r, 1, &s.x, 0));
    assert_true(isfinite(float_at(ctx, s.r.values, 0)) && isfinite(float_at(ctx, s.r.values, 3)));
    assert_true(isnan(float_at(ctx, s.r.values, 1)));
    assert_true(float_at(ctx, s.r.values, 2) == INFINITY);
    free_sum(&s);
}

static void long_columns_have_the_bits_of_rule_s(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t k = 1; k < 30; k += 9) {
        sum s = make_sum(ctx, test_is_small() ? 2100 : 200000, k);
        assert_ok(ctx, sparcl_sum_rows(ctx, &s.r, 0.5, &s.x, 1));
        assert_sum(ctx, &s, 0.5, 1);
        free_sum(&s);
    }
}

static sparcl_buf *sum_of_columns(sparcl_ctx *ctx, const void *columns) {
    sum s = make_sum(ctx, *(const int64_t *)columns > 20 ? 3000 : 18000, *(const int64_t *)columns);
    sparcl_buf *const result = s.r.values;
    assert_ok(ctx, sparcl_sum_rows(ctx, &s.r, 1, &s.x, 0));
    assert_sum(ctx, &s, 1, 0);
    s.r.values = NULL;
    free_sum(&s);
    return result;
}

/* Of one or several columns, and with more rows than one launch has. */
static void two_sums_are_those_of_each(void **state) {
    static const int64_t sizes[][4] = {{700, 1, 30, 1},   {700, 33, 300, 5}, {1, 2, 2048, 64},
                                       {300, 1, 300, 70}, {40, 3, 3000, 7},  {0, 9, 20, 4}};
    class_contexts all = open_classes(*state);
    for (size_t c = 0; c < COUNT(all.contexts); ++c)
        for (size_t i = 0; all.contexts[c] && i < COUNT(sizes); ++i) {
            sparcl_ctx *const ctx = all.contexts[c];
            sum s = make_sum(ctx, sizes[i][0], sizes[i][1]);
            sum t = make_sum(ctx, sizes[i][2], sizes[i][3]);
            const spc_sum_job jobs[] = {{&s.r, &s.x, 0.3, 0}, {&t.r, &t.x, 1, 0.7}};
            const int64_t before = sparcl_ctx_launches(ctx);
            assert_ok(ctx, spc_sum_two(ctx, jobs));
            if (c == 2 && !spc_has_short_loops(ctx) && (i == 1 || i == 2))
                assert_int_equal(sparcl_ctx_launches(ctx) - before, 1);
            assert_sum(ctx, &s, 0.3F, 0);
            assert_sum(ctx, &t, 1, 0.7F);
            free_sum(&s);
            free_sum(&t);
        }
    close_classes(&all);
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (int64_t k = 1; k < 70; k += 17)
        assert_same_bits(&all, sum_of_columns, &k);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_r_stays),
        cmocka_unit_test(r_is_not_read_where_beta_is_0),
        cmocka_unit_test(a_vector_is_one_column),
        cmocka_unit_test(no_rows_sum_to_0_and_no_columns_to_nothing),
        cmocka_unit_test(nan_and_infinity_reach_their_column_and_no_other),
        cmocka_unit_test(long_columns_have_the_bits_of_rule_s),
        cmocka_unit_test(two_sums_are_those_of_each),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
