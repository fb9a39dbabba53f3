/* test_unary.c: what the header says of sparcl_unary, its gradient and sparcl_clip. */
#include "op_test.h"

enum { M = 40, N = 21 };

/* X, GY and Y [M, N] with gaps of one, two and three elements between their rows. */
typedef struct arrays {
    sparcl_dense x, gy, y;
    float *x_host;
} arrays;

static arrays make_arrays(sparcl_ctx *ctx) {
    arrays a = {.x = {.rank = 2, .shape = {M, N}, .ld = N + 1}};
    a.gy = a.y = a.x;
    a.gy.ld = N + 2;
    a.y.ld = N + 3;
    a.x_host = make_floats(M * a.y.ld, 3);
    a.x.values = put_spare(ctx, a.x_host, M * a.x.ld);
    a.gy.values = put_spare(ctx, a.x_host, M * a.gy.ld);
    a.y.values = put_spare(ctx, a.x_host, M * a.y.ld);
    return a;
}

static void free_arrays(arrays *a) {
    sparcl_dense_free(&a->x);
    sparcl_dense_free(&a->gy);
    sparcl_dense_free(&a->y);
    free(a->x_host);
}

static void what_does_not_fit_is_refused_and_y_stays(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx);
    snapshot kept = SNAPSHOT(ctx, a.x.values, a.gy.values, a.y.values);
#define REFUSED(violation, status, part)                                                           \
    do {                                                                                           \
        assert_violation_refused(arrays, a, violation,                                             \
                                 sparcl_unary(ctx, SPARCL_UNARY_SQUARE, &x.y, &x.x), status, part, \
                                 assert_unchanged(ctx, &kept));                                    \
        assert_violation_refused(                                                                  \
            arrays, a, violation,                                                                  \
            sparcl_unary_gradient(ctx, SPARCL_UNARY_SQUARE, &x.y, &x.x, &x.gy), status, "",        \
            assert_unchanged(ctx, &kept));                                                         \
        assert_violation_refused(arrays, a, violation, sparcl_clip(ctx, &x.y, &x.x, -1, 1),        \
                                 status, "clip: ", assert_unchanged(ctx, &kept));                  \
    } while (0)
    REFUSED(--x.x.shape[0], SPARCL_E_SHAPE, "unary: dimension 0 of Y is 40, of X 39");
    REFUSED(--x.y.shape[1], SPARCL_E_SHAPE, "dimension 1 of Y is 20, of X 21");
    REFUSED(x.x.rank = 1, SPARCL_E_SHAPE, "");
    REFUSED(x.x.dtype = SPARCL_F16, SPARCL_E_DTYPE, "");
    REFUSED(x.x.dtype = x.y.dtype = x.gy.dtype = SPARCL_INT32, SPARCL_E_DTYPE, "int32");
    REFUSED(x.x.values_at = 10000, SPARCL_E_SHAPE, "X needs");
    REFUSED(x.y.reserved[1] = 1, SPARCL_E_ARG, "the reserved fields of Y");
    REFUSED(x.y.values = x.x.values, SPARCL_E_ALIAS, "Y overlaps X"); /* with another ld */
#undef REFUSED
    assert_refused(ctx, sparcl_unary(ctx, SPARCL_UNARY_ABS, NULL, &a.x), SPARCL_E_ARG, "Y is NULL");
    assert_refused(ctx, sparcl_unary(ctx, SPARCL_UNARY_ABS, &a.y, NULL), SPARCL_E_ARG, "X is NULL");
    for (int op = -1; op <= 30; op += op < 0 ? 30 : 1) /* -1, 29 and 30 */
        assert_refused(ctx, sparcl_unary(ctx, (sparcl_unary_op)op, &a.y, &a.x), SPARCL_E_ARG,
                       "expected 0 to 28");
    assert_refused(ctx, sparcl_unary_gradient(ctx, (sparcl_unary_op)29, &a.y, &a.x, &a.gy),
                   SPARCL_E_ARG, "expected 0 to 28");
    assert_refused(ctx, sparcl_clip(ctx, &a.y, &a.x, 1, -1), SPARCL_E_ARG,
                   "clip: low is 1 and high -1, expected low <= high");
    assert_refused(ctx, sparcl_clip(ctx, &a.y, &a.x, NAN, 1), SPARCL_E_ARG, "expected low <= high");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    free_arrays(&a);
}

static void gaps_between_the_rows_stay(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx);
    assert_ok(ctx, sparcl_buf_fill(ctx, a.y.values, 0, sparcl_buf_bytes(a.y.values), 0x7e));
    assert_ok(ctx, sparcl_unary(ctx, SPARCL_UNARY_NEGATIVE, &a.y, &a.x));
    float *after = bytes_of(ctx, a.y.values);
    for (int64_t i = 0; i < M; ++i) {
        for (int64_t j = N; j < a.y.ld; ++j)
            assert_memory_equal(&after[i * a.y.ld + j], "~~~~", 4);
        for (int64_t j = 0; j < N; ++j)
            assert_true(after[i * a.y.ld + j] == -a.x_host[i * a.x.ld + j]);
    }
    free(after);
    free_arrays(&a);
}

/* A function of `count` floats. */
static void apply(sparcl_ctx *ctx, sparcl_unary_op op, const float *x, float *y, int64_t count) {
    sparcl_dense a = {.rank = 1, .shape = {count}}, b = a;
    a.values = put(ctx, x, count * 4);
    b.values = put(ctx, x, count * 4);
    assert_ok(ctx, sparcl_unary(ctx, op, &b, &a));
    assert_ok(ctx, sparcl_buf_read(ctx, b.values, 0, count * 4, y));
    sparcl_dense_free(&a);
    sparcl_dense_free(&b);
}

static void functions_that_keep_0_are_those_that_sparse_arrays_take(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_dense values = {.rank = 1};
    const sparcl_csr none = {.rows = 0, .cols = 3, .offsets = put(ctx, "\0\0\0", 4)};
    const sparcl_rows no_rows = {.rank = 2, .shape = {4, 3}};
    const sparcl_dense no_values = {.rank = 2, .shape = {0, 3}};
    for (int op = 0; op <= SPARCL_UNARY_RSQRT; ++op) {
        const float zero = 0;
        float y = 1;
        apply(ctx, (sparcl_unary_op)op, &zero, &y, 1);
        assert_int_equal(sparcl_unary_keeps_zero((sparcl_unary_op)op), y == 0);
        if (y == 0) {
            assert_ok(ctx, sparcl_csr_unary(ctx, (sparcl_unary_op)op, &values, &none));
            assert_ok(ctx, sparcl_rows_unary(ctx, (sparcl_unary_op)op, &no_values, &no_rows));
            continue;
        }
        assert_refused(ctx, sparcl_csr_unary(ctx, (sparcl_unary_op)op, &values, &none),
                       SPARCL_E_ARG, "would be dense; convert it first (sparcl_csr_to_dense");
        assert_refused(ctx, sparcl_rows_unary(ctx, (sparcl_unary_op)op, &no_values, &no_rows),
                       SPARCL_E_ARG, sparcl_unary_name((sparcl_unary_op)op));
    }
    assert_ok(ctx, sparcl_csr_clip(ctx, &values, &none, 0, 1));
    assert_ok(ctx, sparcl_rows_clip(ctx, &no_values, &no_rows, -INFINITY, 0));
    assert_refused(ctx, sparcl_csr_clip(ctx, &values, &none, 0.5, 1), SPARCL_E_ARG,
                   "expected low <= 0 <= high");
    assert_refused(ctx, sparcl_rows_clip(ctx, &no_values, &no_rows, -2, -1), SPARCL_E_ARG,
                   "expected low <= 0 <= high");
    sparcl_buf_free(none.offsets);
}

static void the_values_of_sparse_arrays_may_be_replaced(void **state) {
    sparcl_ctx *ctx = *state;
    const int32_t offsets[] = {0, 1, 3}, columns[] = {2, 0, 1}, ids[] = {5};
    const float values[] = {4, 2.25, 0.25}, roots[] = {2, 1.5, 0.5}, clipped[] = {1.75, 1.5, 0.5};
    float got[3];
    sparcl_csr a = {.rows = 2, .cols = 3, .nnz = 3};
    a.offsets = put(ctx, offsets, sizeof offsets);
    a.indices = put(ctx, columns, sizeof columns);
    a.values = put(ctx, values, sizeof values);
    const sparcl_dense y = {.rank = 1, .shape = {3}, .values = a.values};
    assert_ok(ctx, sparcl_csr_unary(ctx, SPARCL_UNARY_SQRT, &y, &a));
    assert_ok(ctx, sparcl_buf_read(ctx, a.values, 0, sizeof got, got));
    assert_memory_equal(got, roots, sizeof got);
    const sparcl_rows r = {.rank = 2,
                           .shape = {9, 3},
                           .nnr = 1,
                           .indices = put(ctx, ids, sizeof ids),
                           .values = a.values};
    const sparcl_dense z = {.rank = 2, .shape = {1, 3}, .values = a.values};
    assert_ok(ctx, sparcl_rows_clip(ctx, &z, &r, -1, 1.75));
    assert_ok(ctx, sparcl_buf_read(ctx, a.values, 0, sizeof got, got));
    assert_memory_equal(got, clipped, sizeof got);
    sparcl_buf_free(r.indices);
    sparcl_csr_free(&a);
}

static void names_are_those_of_the_functions(void **state) {
    (void)state;
    assert_string_equal(sparcl_unary_name(SPARCL_UNARY_ABS), "abs");
    assert_string_equal(sparcl_unary_name(SPARCL_UNARY_LOG1P), "log1p");
    assert_string_equal(sparcl_unary_name(SPARCL_UNARY_RSQRT), "rsqrt");
    assert_null(sparcl_unary_name((sparcl_unary_op)-1));
    assert_null(sparcl_unary_name((sparcl_unary_op)29));
    assert_true(sparcl_unary_needs_y(SPARCL_UNARY_EXP) && !sparcl_unary_needs_y(SPARCL_UNARY_LOG));
}

static void halves_are_rounded_as_their_functions_say(void **state) {
    const float x[] = {0.5F, 1.5F, 2.5F, -0.5F, -2.5F, 0.49999997F, 8388609};
    const float away[] = {1, 2, 3, -1, -3, 0, 8388609}, even[] = {0, 2, 2, -0.F, -2, 0, 8388609};
    float y[COUNT(x)];
    apply(*state, SPARCL_UNARY_ROUND, x, y, COUNT(x));
    assert_memory_equal(y, away, sizeof y);
    apply(*state, SPARCL_UNARY_RINT, x, y, COUNT(x));
    assert_memory_equal(y, even, sizeof y);
}

static void nan_stays(void **state) {
    const float x = NAN;
    for (int op = 0; op <= SPARCL_UNARY_RSQRT; ++op) {
        float y = 0;
        apply(*state, (sparcl_unary_op)op, &x, &y, 1);
        if (!isnan(y)) fail_msg("%s(NaN) is %g", sparcl_unary_name((sparcl_unary_op)op), (double)y);
    }
}

/* The ends of the range are in it; infinite ones are none. */
static void clip_has_the_gradient_where_x_is_in_its_range(void **state) {
    sparcl_ctx *ctx = *state;
    const float x[] = {-2, -1, 0, 1, 2}, g[] = {3, 4, 5, 6, 7};
    const float both[] = {0, 4, 5, 6, 0}, upper[] = {3, 4, 5, 6, 0};
    float got[COUNT(x)];
    sparcl_dense a = {.rank = 1, .shape = {COUNT(x)}}, gy = a, gx = a;
    a.values = put(ctx, x, sizeof x);
    gy.values = put(ctx, g, sizeof g);
    gx.values = put(ctx, g, sizeof g);
    assert_ok(ctx, sparcl_clip_gradient(ctx, &gx, &a, &gy, -1, 1));
    assert_ok(ctx, sparcl_buf_read(ctx, gx.values, 0, sizeof got, got));
    assert_memory_equal(got, both, sizeof got);
    assert_ok(ctx, sparcl_clip_gradient(ctx, &gx, &a, &gy, -INFINITY, 1));
    assert_ok(ctx, sparcl_buf_read(ctx, gx.values, 0, sizeof got, got));
    assert_memory_equal(got, upper, sizeof got);
    sparcl_dense_free(&a);
    sparcl_dense_free(&gy);
    sparcl_dense_free(&gx);
}

static void no_rows_are_legal(void **state) {
    const sparcl_dense none = {.rank = 3, .shape = {0, 3, 4}};
    assert_ok(*state, sparcl_unary(*state, SPARCL_UNARY_SIN, &none, &none));
    assert_ok(*state, sparcl_unary_gradient(*state, SPARCL_UNARY_SIN, &none, &none, &none));
    assert_ok(*state, sparcl_clip(*state, &none, &none, 0, 1));
}

static sparcl_buf *sines(sparcl_ctx *ctx, const void *unused) {
    arrays a = make_arrays(ctx);
    (void)unused;
    assert_ok(ctx, sparcl_unary(ctx, SPARCL_UNARY_SIN, &a.y, &a.x));
    sparcl_buf *const result = a.y.values;
    a.y.values = NULL;
    free_arrays(&a);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    assert_same_bits(&all, sines, NULL);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_y_stays),
        cmocka_unit_test(gaps_between_the_rows_stay),
        cmocka_unit_test(functions_that_keep_0_are_those_that_sparse_arrays_take),
        cmocka_unit_test(the_values_of_sparse_arrays_may_be_replaced),
        cmocka_unit_test(names_are_those_of_the_functions),
        cmocka_unit_test(halves_are_rounded_as_their_functions_say),
        cmocka_unit_test(nan_stays),
        cmocka_unit_test(clip_has_the_gradient_where_x_is_in_its_range),
        cmocka_unit_test(no_rows_are_legal),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
