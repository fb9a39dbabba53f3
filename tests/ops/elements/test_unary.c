/* test_unary.c: what the header says of sparcl_unary, its gradient and sparcl_clip. */
#include "op_test.h"

#include <float.h>

#include "spec/shared/elementary.h"
#include "ulp_test.h"

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

static void relu_sigmoid_and_tanh_overflow_for_no_x(void **state) {
    static const float x[] = {INFINITY, FLT_MAX, 90, 0, -0.0f, -90, -FLT_MAX, -INFINITY};
    sparcl_ctx *ctx = *state;
    float relu[8], sigmoid[8], tangent[8];
    apply(ctx, SPARCL_UNARY_RELU, x, relu, 8);
    apply(ctx, SPARCL_UNARY_SIGMOID, x, sigmoid, 8);
    apply(ctx, SPARCL_UNARY_TANH, x, tangent, 8);
    for (int i = 0; i < 8; ++i) {
        assert_true(relu[i] == (i < 3 ? x[i] : 0) && !signbit(relu[i]));
        if (i < 3) assert_true(sigmoid[i] == 1 && tangent[i] == 1);
        if (i == 3 || i == 4) assert_true(sigmoid[i] == 0.5f && tangent[i] == 0);
        if (i > 4) assert_true(sigmoid[i] < 1e-38f && !signbit(sigmoid[i]) && tangent[i] == -1);
        assert_int_equal(signbit(tangent[i]) != 0, signbit(x[i]) != 0);
    }
}

/* 1 - 2 / (exp(2 x) + 1) would be 0 here. */
static void tanh_keeps_its_digits_near_0(void **state) {
    static const float x[] = {1e-4f, -1e-8f, 3e-20f, -FLT_MIN * 2, 0.01f};
    sparcl_ctx *ctx = *state;
    float y[5];
    apply(ctx, SPARCL_UNARY_TANH, x, y, 5);
    for (int i = 0; i < 5; ++i)
        assert_true(ulps(SPARCL_F32, y[i], tanhl(x[i])) <= 2);
    assert_true(y[1] == x[1] && y[2] == x[2] && y[3] == x[3]);
}

/* The gradient for y = f(x), of `count` floats, in place of gy. */
static void gradient(sparcl_ctx *ctx, sparcl_unary_op op, const float *y, const float *gy,
                     float *gx, int64_t count) {
    sparcl_dense value = {.rank = 1, .shape = {count}, .values = put(ctx, y, count * 4)};
    sparcl_dense slope = {.rank = 1, .shape = {count}, .values = put(ctx, gy, count * 4)};
    assert_ok(ctx, sparcl_unary_gradient(ctx, op, &slope, &value, &slope));
    assert_ok(ctx, sparcl_buf_read(ctx, slope.values, 0, count * 4, gx));
    sparcl_dense_free(&value);
    sparcl_dense_free(&slope);
}

static void the_gradient_of_relu_selects(void **state) {
    static const float y[] = {2, FLT_MIN, 0, -0.0f, -1, 0, 0, 3, 3, NAN, NAN};
    static const float gy[] = {5, -7, 5, 5, 5, NAN, INFINITY, -INFINITY, NAN, 5, 0};
    sparcl_ctx *ctx = *state;
    float gx[11];
    gradient(ctx, SPARCL_UNARY_RELU, y, gy, gx, 11);
    assert_true(gx[0] == 5 && gx[1] == -7);
    for (int i = 2; i < 7; ++i)
        assert_true(gx[i] == 0 && !signbit(gx[i]));
    assert_true(gx[7] == -INFINITY && isnan(gx[8]) && isnan(gx[9]) && isnan(gx[10]));
}

static void the_gradients_of_sigmoid_and_tanh_pass_nan_on(void **state) {
    static const float y[] = {0.5f, NAN, 0.5f}, gy[] = {NAN, 1, 2};
    sparcl_ctx *ctx = *state;
    float gx[3];
    gradient(ctx, SPARCL_UNARY_SIGMOID, y, gy, gx, 3);
    assert_true(isnan(gx[0]) && isnan(gx[1]) && gx[2] == 0.5f);
    gradient(ctx, SPARCL_UNARY_TANH, y, gy, gx, 3);
    assert_true(isnan(gx[0]) && isnan(gx[1]) && gx[2] == 1.5f);
}

/* Where y is the last number below 1, y^2 has lost half of what 1 - y^2 needs. */
static void the_gradient_of_tanh_does_not_cancel(void **state) {
    static const float y[] = {0x1.fffffep-1f, -0x1.fffffep-1f, 0x1.fffp-1f, 0x1p-13f};
    static const float ones[] = {1, 1, 1, 1};
    sparcl_ctx *ctx = *state;
    float gx[4];
    gradient(ctx, SPARCL_UNARY_TANH, y, ones, gx, 4);
    for (int i = 0; i < 4; ++i) {
        const double exact = (1.0 - y[i]) * (1.0 + y[i]);
        assert_true(fabs(gx[i] - exact) <= 4 * ldexp(1, -24) * exact);
    }
}

/* [4, 3, 5] with gaps, [12] with a stride, and a packed copy. */
static void arrays_have_any_rank(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx);
    sparcl_dense x = a.x, y = {.rank = 3, .shape = {4, 3, 5}, .values = a.y.values};
    x.rank = 3;
    x.shape[0] = 4;
    x.shape[1] = 3;
    x.shape[2] = 5;
    assert_ok(ctx, sparcl_unary(ctx, SPARCL_UNARY_TANH, &y, &x));
    for (int64_t i = 0; i < 60; ++i)
        assert_true(float_at(ctx, y.values, i) ==
                    spec_tanh(SPARCL_F32, a.x_host[i / 15 * a.x.ld + i % 15]));
    const sparcl_dense column = {.rank = 1, .shape = {12}, .ld = 5, .values = a.x.values};
    const sparcl_dense packed = {.rank = 1, .shape = {12}, .values = a.y.values, .values_at = 3};
    assert_ok(ctx, sparcl_unary(ctx, SPARCL_UNARY_TANH, &packed, &column));
    for (int64_t i = 0; i < 12; ++i)
        assert_true(float_at(ctx, packed.values, 3 + i) == spec_tanh(SPARCL_F32, a.x_host[i * 5]));
    free_arrays(&a);
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
        cmocka_unit_test(relu_sigmoid_and_tanh_overflow_for_no_x),
        cmocka_unit_test(tanh_keeps_its_digits_near_0),
        cmocka_unit_test(the_gradient_of_relu_selects),
        cmocka_unit_test(the_gradients_of_sigmoid_and_tanh_pass_nan_on),
        cmocka_unit_test(the_gradient_of_tanh_does_not_cancel),
        cmocka_unit_test(arrays_have_any_rank),
        cmocka_unit_test(no_rows_are_legal),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
