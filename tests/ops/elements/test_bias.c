/* test_bias.c: what the header says of sparcl_add_bias. */
#include "op_test.h"

/* X [m, n] and Y [m, n] with gaps of one and of two elements between their rows, and the bias [n].
 */
typedef struct sums {
    sparcl_dense x, y, bias;
    float *x_host, *bias_host;
} sums;

static sums make_sums(sparcl_ctx *ctx, int64_t m, int64_t n) {
    sums s = {.x = {.rank = 2, .shape = {m, n}, .ld = n + 1},
              .y = {.rank = 2, .shape = {m, n}, .ld = n + 2},
              .bias = {.rank = 1, .shape = {n}}};
    float *zeros = must_have(calloc((size_t)(m * (n + 2)) + 1, sizeof *zeros));
    s.x_host = make_floats(m * (n + 1), 3);
    s.bias_host = make_floats(n, 4);
    for (int64_t j = 0; j < n; ++j) /* so that sums are rounded */
        s.bias_host[j] *= 0.3f;
    s.x.values = put_spare(ctx, s.x_host, m * (n + 1));
    s.y.values = put_spare(ctx, zeros, m * (n + 2));
    s.bias.values = put_spare(ctx, s.bias_host, n);
    free(zeros);
    return s;
}

static void free_sums(sums *s) {
    sparcl_dense_free(&s->x);
    sparcl_dense_free(&s->y);
    sparcl_dense_free(&s->bias);
    free(s->x_host);
    free(s->bias_host);
}

static void assert_sums(sparcl_ctx *ctx, const sums *s, const sparcl_dense *y) {
    const int64_t m = s->x.shape[0], n = s->bias.shape[0];
    float *got = bytes_of(ctx, y->values);
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const float expected = s->x_host[i * (n + 1) + j] + s->bias_host[j];
            if (memcmp(&got[i * y->ld + j], &expected, 4) != 0)
                fail_msg("y[%lld, %lld] is %.9g, expected %.9g", (long long)i, (long long)j,
                         (double)got[i * y->ld + j], (double)expected);
        }
    free(got);
}

static void what_does_not_fit_is_refused_and_y_stays(void **state) {
    sparcl_ctx *ctx = *state;
    sums s = make_sums(ctx, 4, 3);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, s.x.values, s.y.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(sums, s, violation, sparcl_add_bias(ctx, &x.y, &x.x, &x.bias),        \
                             status, part, assert_unchanged(ctx, &kept))
    REFUSED(++x.y.shape[0], SPARCL_E_SHAPE, "add_bias: dimension 0 of Y is 5, of X 4");
    REFUSED(--x.x.shape[1], SPARCL_E_SHAPE, "dimension 1 of Y is 3, of X 2");
    REFUSED((x.x.rank = x.y.rank = 3, x.x.shape[2] = x.y.shape[2] = 1), SPARCL_E_SHAPE,
            "X has rank 3");
    REFUSED((x.bias.rank = 2, x.bias.shape[1] = 1), SPARCL_E_SHAPE, "bias has rank 2");
    REFUSED(++x.bias.shape[0], SPARCL_E_SHAPE, "rows of 3, bias has rank 1 and 4 elements");
    REFUSED((x.x.rank = x.y.rank = 1), SPARCL_E_SHAPE, "rows of 1, bias has rank 1 and 3");
    REFUSED(x.bias.ld = 2, SPARCL_E_SHAPE, "bias has ld 2, expected packed elements");
    REFUSED(x.x.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.y.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.bias.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.x.values_at = 1000, SPARCL_E_SHAPE, "X needs");
    REFUSED(x.y.reserved[1] = 1, SPARCL_E_ARG, "the reserved fields of Y");
    REFUSED(x.bias.values = x.y.values, SPARCL_E_ALIAS, "Y overlaps bias");
    REFUSED(x.y.values = x.x.values, SPARCL_E_ALIAS, "Y overlaps X"); /* with another ld */
    REFUSED((x.y = x.x, x.y.values_at = 1), SPARCL_E_ALIAS, "Y overlaps X");
#undef REFUSED
    assert_refused(ctx, sparcl_add_bias(ctx, NULL, &s.x, &s.bias), SPARCL_E_ARG, "Y is NULL");
    assert_refused(ctx, sparcl_add_bias(ctx, &s.y, NULL, &s.bias), SPARCL_E_ARG, "X is NULL");
    assert_refused(ctx, sparcl_add_bias(ctx, &s.y, &s.x, NULL), SPARCL_E_ARG, "bias is NULL");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    assert_ok(ctx, sparcl_add_bias(ctx, &s.y, &s.x, &s.bias));
    assert_sums(ctx, &s, &s.y);
    free_sums(&s);
}

static void y_may_be_x_itself(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 70; n += 17) {
        sums s = make_sums(ctx, 300, n);
        assert_ok(ctx, sparcl_add_bias(ctx, &s.x, &s.x, &s.bias));
        assert_sums(ctx, &s, &s.x);
        free_sums(&s);
    }
}

static void gaps_between_the_rows_stay(void **state) {
    sparcl_ctx *ctx = *state;
    sums s = make_sums(ctx, 50, 20);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.y.values, 0, sparcl_buf_bytes(s.y.values), 0x7e));
    const uint32_t *const before = bytes_of(ctx, s.y.values);
    assert_ok(ctx, sparcl_add_bias(ctx, &s.y, &s.x, &s.bias));
    uint32_t *after = bytes_of(ctx, s.y.values);
    for (int64_t i = 0; i < 50; ++i)
        for (int64_t j = 20; j < 22; ++j)
            assert_int_equal(after[i * 22 + j], before[i * 22 + j]);
    assert_sums(ctx, &s, &s.y);
    free(after);
    free((void *)before);
    free_sums(&s);
}

static void a_vector_is_one_column(void **state) {
    sparcl_ctx *ctx = *state;
    sums s = make_sums(ctx, 1000, 1);
    sparcl_dense x = s.x, y = s.y;
    x.rank = y.rank = 1;
    assert_ok(ctx, sparcl_add_bias(ctx, &y, &x, &s.bias));
    assert_sums(ctx, &s, &y);
    free_sums(&s);
}

static void arrays_may_begin_anywhere_in_their_buffers(void **state) {
    sparcl_ctx *ctx = *state;
    sums s = make_sums(ctx, 41, 35);
    sparcl_dense x = s.x, y = s.y, bias = s.bias;
    x.shape[0] = y.shape[0] = 40;
    x.shape[1] = y.shape[1] = bias.shape[0] = 33;
    x.values_at = 36 + 1;
    y.values_at = 3;
    bias.values_at = 1;
    assert_ok(ctx, sparcl_add_bias(ctx, &y, &x, &bias));
    for (int64_t i = 0; i < 40; i += 13)
        for (int64_t j = 0; j < 33; j += 8)
            assert_true(float_at(ctx, y.values, 3 + i * 37 + j) ==
                        s.x_host[37 + i * 36 + j] + s.bias_host[1 + j]);
    free_sums(&s);
}

static void no_rows_and_no_columns_are_legal(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_dense none = {.rank = 2, .shape = {0, 3}}, narrow = {.rank = 2, .shape = {3, 0}};
    const sparcl_dense empty = {.rank = 1};
    sums s = make_sums(ctx, 1, 3);
    assert_ok(ctx, sparcl_add_bias(ctx, &none, &none, &s.bias));
    assert_ok(ctx, sparcl_add_bias(ctx, &narrow, &narrow, &empty));
    free_sums(&s);
}

/* float64, where y - bias is x again for numbers of few bits. */
static void float64_has_its_own_kernel(void **state) {
    sparcl_ctx *ctx = *state;
    enum { M = 30, N = 18 };
    double x[M * N], bias[N], got[M * N];
    sparcl_dense view = {.rank = 2, .dtype = SPARCL_F64, .shape = {M, N}}, row = view;
    if (!sparcl_ctx_device(ctx)->has_f64) skip();
    for (int i = 0; i < M * N; ++i)
        x[i] = i + 1e-9;
    for (int j = 0; j < N; ++j)
        bias[j] = 1e9 * j;
    row.rank = 1;
    row.shape[0] = N;
    view.values = put(ctx, x, sizeof x);
    row.values = put(ctx, bias, sizeof bias);
    assert_ok(ctx, sparcl_add_bias(ctx, &view, &view, &row));
    assert_ok(ctx, sparcl_buf_read(ctx, view.values, 0, sizeof got, got));
    for (int i = 0; i < M * N; ++i)
        assert_true(got[i] == x[i] + bias[i % N]);
    sparcl_dense_free(&view);
    sparcl_dense_free(&row);
}

/* The gradient of sum(g * (x + bias)) by the bias is the sum of the rows of g. */
static void its_gradient_is_the_sum_of_the_rows(void **state) {
    sparcl_ctx *ctx = *state;
    sums s = make_sums(ctx, 64, 5), up = make_sums(ctx, 64, 5);
    sparcl_dense sum = s.bias;
    float *rows[2] = {NULL, NULL};
    const float h = 1.0f / 16;
    sum.values = put_spare(ctx, s.bias_host, 5);
    assert_ok(ctx, sparcl_sum_rows(ctx, &sum, 1, &s.x, 0)); /* g is x */
    for (int j = 0; j < 5; ++j)
        up.bias_host[j] += h;
    assert_ok(ctx, sparcl_buf_write(ctx, up.bias.values, 0, 20, up.bias_host));
    assert_ok(ctx, sparcl_add_bias(ctx, &s.y, &s.x, &s.bias));
    assert_ok(ctx, sparcl_add_bias(ctx, &up.y, &s.x, &up.bias));
    rows[0] = bytes_of(ctx, s.y.values);
    rows[1] = bytes_of(ctx, up.y.values);
    for (int64_t j = 0; j < 5; ++j) {
        double slope = 0;
        for (int64_t i = 0; i < 64; ++i)
            slope += s.x_host[i * 6 + j] * ((double)rows[1][i * 7 + j] - rows[0][i * 7 + j]);
        assert_true(fabs(slope / h - float_at(ctx, sum.values, j)) < 1e-4);
    }
    free(rows[0]);
    free(rows[1]);
    sparcl_dense_free(&sum);
    free_sums(&s);
    free_sums(&up);
}

static sparcl_buf *sums_of_columns(sparcl_ctx *ctx, const void *columns) {
    sums s = make_sums(ctx, 3000, *(const int64_t *)columns);
    assert_ok(ctx, sparcl_add_bias(ctx, &s.y, &s.x, &s.bias));
    assert_sums(ctx, &s, &s.y);
    sparcl_buf *const result = s.y.values;
    s.y.values = NULL;
    free_sums(&s);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (int64_t n = 1; n < 70; n += 17)
        assert_same_bits(&all, sums_of_columns, &n);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_y_stays),
        cmocka_unit_test(y_may_be_x_itself),
        cmocka_unit_test(gaps_between_the_rows_stay),
        cmocka_unit_test(a_vector_is_one_column),
        cmocka_unit_test(arrays_may_begin_anywhere_in_their_buffers),
        cmocka_unit_test(no_rows_and_no_columns_are_legal),
        cmocka_unit_test(float64_has_its_own_kernel),
        cmocka_unit_test(its_gradient_is_the_sum_of_the_rows),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
