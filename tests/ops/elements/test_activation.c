/* test_activation.c: what the header says of activations and their gradients. */
#include "op_test.h"

#include <float.h>

#include "spec/shared/elementary.h"
#include "ulp_test.h"

#define KINDS 3

/* X, GY and results Y, GX [m, n], with gaps of one element between the rows. */
typedef struct arrays {
    sparcl_activation kind;
    sparcl_dense x, y, gy, gx;
} arrays;

static arrays make_arrays(sparcl_ctx *ctx, sparcl_activation kind, int64_t m, int64_t n) {
    const int64_t count = m * (n + 1);
    const sparcl_dense view = {.rank = 2, .shape = {m, n}, .ld = n + 1};
    arrays a = {kind, view, view, view, view};
    float *x = make_floats(count, 5), *gy = make_floats(count, 6);
    for (int64_t i = 0; i < count; ++i)
        x[i] *= 5;
    a.x.values = put_spare(ctx, x, count);
    a.y.values = put_spare(ctx, gy, count);
    a.gy.values = put_spare(ctx, gy, count);
    a.gx.values = put_spare(ctx, x, count);
    free(x);
    free(gy);
    return a;
}

static void free_arrays(arrays *a) {
    sparcl_dense_free(&a->x);
    sparcl_dense_free(&a->y);
    sparcl_dense_free(&a->gy);
    sparcl_dense_free(&a->gx);
}

static sparcl_status forward(sparcl_ctx *ctx, const arrays *a) {
    return sparcl_activate(ctx, a->kind, &a->y, &a->x);
}

static sparcl_status backward(sparcl_ctx *ctx, const arrays *a) {
    return sparcl_activate_gradient(ctx, a->kind, &a->gx, &a->y, &a->gy);
}

/* f of a few numbers; by a vector, which is one column. */
static void activate(sparcl_ctx *ctx, sparcl_activation kind, const float *x, float *y,
                     int64_t count) {
    sparcl_dense view = {.rank = 1, .shape = {count}, .values = put(ctx, x, count * 4)};
    assert_ok(ctx, sparcl_activate(ctx, kind, &view, &view));
    assert_ok(ctx, sparcl_buf_read(ctx, view.values, 0, count * 4, y));
    sparcl_dense_free(&view);
}

static void gradient(sparcl_ctx *ctx, sparcl_activation kind, const float *y, const float *gy,
                     float *gx, int64_t count) {
    sparcl_dense value = {.rank = 1, .shape = {count}, .values = put(ctx, y, count * 4)};
    sparcl_dense slope = {.rank = 1, .shape = {count}, .values = put(ctx, gy, count * 4)};
    assert_ok(ctx, sparcl_activate_gradient(ctx, kind, &slope, &value, &slope));
    assert_ok(ctx, sparcl_buf_read(ctx, slope.values, 0, count * 4, gx));
    sparcl_dense_free(&value);
    sparcl_dense_free(&slope);
}

/* --- the functions --------------------------------------------------------------------------- */

static void the_functions_overflow_for_no_x(void **state) {
    static const float x[] = {INFINITY, FLT_MAX, 90, 0, -0.0f, -90, -FLT_MAX, -INFINITY};
    sparcl_ctx *ctx = *state;
    float relu[8], sigmoid[8], tangent[8];
    activate(ctx, SPARCL_ACTIVATION_RELU, x, relu, 8);
    activate(ctx, SPARCL_ACTIVATION_SIGMOID, x, sigmoid, 8);
    activate(ctx, SPARCL_ACTIVATION_TANH, x, tangent, 8);
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
    activate(ctx, SPARCL_ACTIVATION_TANH, x, y, 5);
    for (int i = 0; i < 5; ++i)
        assert_true(ulps(SPARCL_F32, y[i], tanhl(x[i])) <= 2);
    assert_true(y[1] == x[1] && y[2] == x[2] && y[3] == x[3]);
}

static void nan_stays_nan_and_reaches_no_other_element(void **state) {
    sparcl_ctx *ctx = *state;
    float x[100], y[100];
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int i = 0; i < 100; ++i)
            x[i] = i == 37 || i == 99 ? NAN : (float)i;
        activate(ctx, (sparcl_activation)kind, x, y, 100);
        for (int i = 0; i < 100; ++i)
            assert_int_equal(isnan(y[i]) != 0, i == 37 || i == 99);
    }
}

static void the_gradient_of_relu_selects(void **state) {
    static const float y[] = {2, FLT_MIN, 0, -0.0f, -1, 0, 0, 3, 3, NAN, NAN};
    static const float gy[] = {5, -7, 5, 5, 5, NAN, INFINITY, -INFINITY, NAN, 5, 0};
    sparcl_ctx *ctx = *state;
    float gx[11];
    gradient(ctx, SPARCL_ACTIVATION_RELU, y, gy, gx, 11);
    assert_true(gx[0] == 5 && gx[1] == -7);
    for (int i = 2; i < 7; ++i)
        assert_true(gx[i] == 0 && !signbit(gx[i]));
    assert_true(gx[7] == -INFINITY && isnan(gx[8]) && isnan(gx[9]) && isnan(gx[10]));
}

static void the_gradients_of_sigmoid_and_tanh_pass_nan_on(void **state) {
    static const float y[] = {0.5f, NAN, 0.5f}, gy[] = {NAN, 1, 2};
    sparcl_ctx *ctx = *state;
    float gx[3];
    gradient(ctx, SPARCL_ACTIVATION_SIGMOID, y, gy, gx, 3);
    assert_true(isnan(gx[0]) && isnan(gx[1]) && gx[2] == 0.5f);
    gradient(ctx, SPARCL_ACTIVATION_TANH, y, gy, gx, 3);
    assert_true(isnan(gx[0]) && isnan(gx[1]) && gx[2] == 1.5f);
}

/* Where y is the last number below 1, y^2 has lost half of what 1 - y^2 needs. */
static void the_gradient_of_tanh_does_not_cancel(void **state) {
    static const float y[] = {0x1.fffffep-1f, -0x1.fffffep-1f, 0x1.fffp-1f, 0x1p-13f};
    static const float ones[] = {1, 1, 1, 1};
    sparcl_ctx *ctx = *state;
    float gx[4];
    gradient(ctx, SPARCL_ACTIVATION_TANH, y, ones, gx, 4);
    for (int i = 0; i < 4; ++i) {
        const double exact = (1.0 - y[i]) * (1.0 + y[i]);
        assert_true(fabs(gx[i] - exact) <= 4 * ldexp(1, -24) * exact);
    }
}

/* (f(x + h) - f(x - h)) / 2h times gy, where relu has no edge between. */
static void the_gradient_is_the_slope_times_gy(void **state) {
    sparcl_ctx *ctx = *state;
    const float h = 1.0f / 64;
    float x[100], up[100], down[100], y[100], gy[100], gx[100];
    uint64_t seed = 9;
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int i = 0; i < 100; ++i) {
            x[i] = (float)i / 16 - 3 + 1.0f / 32;
            gy[i] = (float)spec_uniform(&seed);
            up[i] = x[i] + h;
            down[i] = x[i] - h;
        }
        activate(ctx, (sparcl_activation)kind, x, y, 100);
        activate(ctx, (sparcl_activation)kind, up, up, 100);
        activate(ctx, (sparcl_activation)kind, down, down, 100);
        gradient(ctx, (sparcl_activation)kind, y, gy, gx, 100);
        for (int i = 0; i < 100; ++i) {
            const double slope = ((double)up[i] - down[i]) / (2 * (double)h) * gy[i];
            assert_true(fabs(slope - gx[i]) < 2e-4);
        }
    }
}

/* --- shapes, places, refusals ---------------------------------------------------------------- */

static void results_may_take_the_place_of_the_operands(void **state) {
    sparcl_ctx *ctx = *state;
    for (int kind = 0; kind < KINDS; ++kind) {
        arrays a = make_arrays(ctx, (sparcl_activation)kind, 90, 33);
        assert_ok(ctx, forward(ctx, &a));
        assert_ok(ctx, backward(ctx, &a));
        float *y = bytes_of(ctx, a.y.values), *gx = bytes_of(ctx, a.gx.values);
        assert_ok(ctx, sparcl_activate_gradient(ctx, a.kind, &a.gy, &a.y, &a.gy));
        assert_ok(ctx, sparcl_activate(ctx, a.kind, &a.x, &a.x));
        float *in_x = bytes_of(ctx, a.x.values), *in_gy = bytes_of(ctx, a.gy.values);
        for (int64_t i = 0; i < 90; ++i) {
            assert_memory_equal(in_x + i * 34, y + i * 34, 33 * 4);
            assert_memory_equal(in_gy + i * 34, gx + i * 34, 33 * 4);
        }
        free(y);
        free(gx);
        free(in_x);
        free(in_gy);
        free_arrays(&a);
    }
}

static void gaps_between_the_rows_stay(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, SPARCL_ACTIVATION_SIGMOID, 70, 20);
    float *y = bytes_of(ctx, a.y.values), *gx = bytes_of(ctx, a.gx.values);
    assert_ok(ctx, forward(ctx, &a));
    assert_ok(ctx, backward(ctx, &a));
    for (int64_t i = 0; i < 70; ++i) {
        assert_true(float_at(ctx, a.y.values, i * 21 + 20) == y[i * 21 + 20]);
        assert_true(float_at(ctx, a.gx.values, i * 21 + 20) == gx[i * 21 + 20]);
        assert_true(float_at(ctx, a.y.values, i * 21 + 19) > 0);
    }
    free(y);
    free(gx);
    free_arrays(&a);
}

/* [4, 3, 5] with gaps, [12] with a stride, and a packed copy. */
static void arrays_have_any_rank(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, SPARCL_ACTIVATION_TANH, 4, 15);
    sparcl_dense x = a.x, y = {.rank = 3, .shape = {4, 3, 5}, .values = a.y.values};
    float *from = bytes_of(ctx, a.x.values);
    x.rank = 3;
    x.shape[1] = 3;
    x.shape[2] = 5;
    assert_ok(ctx, sparcl_activate(ctx, a.kind, &y, &x));
    for (int64_t i = 0; i < 60; ++i)
        assert_true(float_at(ctx, y.values, i) ==
                    spec_tanh(SPARCL_F32, from[i / 15 * 16 + i % 15]));
    const sparcl_dense column = {.rank = 1, .shape = {12}, .ld = 5, .values = a.x.values};
    const sparcl_dense packed = {.rank = 1, .shape = {12}, .values = a.y.values, .values_at = 3};
    assert_ok(ctx, sparcl_activate(ctx, a.kind, &packed, &column));
    for (int64_t i = 0; i < 12; ++i)
        assert_true(float_at(ctx, packed.values, 3 + i) == spec_tanh(SPARCL_F32, from[i * 5]));
    free(from);
    free_arrays(&a);
}

static void no_elements_are_legal(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_dense none = {.rank = 2, .shape = {0, 3}}, narrow = {.rank = 2, .shape = {3, 0}};
    for (int kind = 0; kind < KINDS; ++kind) {
        assert_ok(ctx, sparcl_activate(ctx, (sparcl_activation)kind, &none, &none));
        assert_ok(ctx, sparcl_activate(ctx, (sparcl_activation)kind, &narrow, &narrow));
        assert_ok(ctx, sparcl_activate_gradient(ctx, (sparcl_activation)kind, &none, &none, &none));
    }
}

/* y = f(x) and the gradient by `gy`, of a vector in float64. */
static void activate_f64(sparcl_ctx *ctx, sparcl_activation kind, const double *x, const double *gy,
                         double *y, double *gx, int64_t count) {
    sparcl_dense view = {.rank = 1, .dtype = SPARCL_F64, .shape = {count}}, slope = view;
    view.values = put(ctx, x, count * 8);
    slope.values = put(ctx, gy, count * 8);
    assert_ok(ctx, sparcl_activate(ctx, kind, &view, &view));
    assert_ok(ctx, sparcl_activate_gradient(ctx, kind, &slope, &view, &slope));
    assert_ok(ctx, sparcl_buf_read(ctx, view.values, 0, count * 8, y));
    assert_ok(ctx, sparcl_buf_read(ctx, slope.values, 0, count * 8, gx));
    sparcl_dense_free(&view);
    sparcl_dense_free(&slope);
}

static void float64_has_its_own_kernels(void **state) {
    static const double x[] = {1e-300, -1e300, 0.1, NAN, -0.0, -700, INFINITY, 19};
    static const double gy[] = {0.3, 1, 1e-200, 2, 1, 1, 1, 1};
    sparcl_ctx *ctx = *state;
    double y[8], gx[8];
    if (!sparcl_ctx_device(ctx)->has_f64) skip();
    activate_f64(ctx, SPARCL_ACTIVATION_RELU, x, gy, y, gx, 8);
    assert_true(y[0] == 1e-300 && y[1] == 0 && y[2] == 0.1 && isnan(y[3]));
    assert_true(gx[0] == 0.3 && gx[1] == 0 && gx[2] == 1e-200 && isnan(gx[3]));
    activate_f64(ctx, SPARCL_ACTIVATION_SIGMOID, x, gy, y, gx, 8);
    assert_true(y[0] == 0.5 && y[1] == 0 && isnan(y[3]) && y[4] == 0.5 && y[6] == 1);
    assert_true(ulps(SPARCL_F64, y[2], 1 / (1 + expl(-0.1L))) <= 3);
    assert_true(ulps(SPARCL_F64, y[5], expl(-700)) <= 3 && gx[5] == y[5]);
    activate_f64(ctx, SPARCL_ACTIVATION_TANH, x, gy, y, gx, 8);
    assert_true(y[0] == 1e-300 && y[1] == -1 && isnan(y[3]) && y[6] == 1);
    assert_true(y[4] == 0 && signbit(y[4]));
    assert_true(ulps(SPARCL_F64, y[2], tanhl((long double)x[2])) <= 2 && y[7] < 1);
}

/* As the_gradient_is_the_slope_times_gy, with ten digits. */
static void the_gradient_in_float64_is_the_slope_times_gy(void **state) {
    sparcl_ctx *ctx = *state;
    const double h = 0x1p-17;
    double x[100], up[100], down[100], y[100], gy[100], gx[100], unused[100];
    uint64_t seed = 9;
    if (!sparcl_ctx_device(ctx)->has_f64) skip();
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int i = 0; i < 100; ++i) {
            x[i] = (double)i / 16 - 3 + 1.0 / 32;
            gy[i] = spec_uniform(&seed);
            up[i] = x[i] + h;
            down[i] = x[i] - h;
        }
        activate_f64(ctx, (sparcl_activation)kind, up, gy, up, unused, 100);
        activate_f64(ctx, (sparcl_activation)kind, down, gy, down, unused, 100);
        activate_f64(ctx, (sparcl_activation)kind, x, gy, y, gx, 100);
        for (int i = 0; i < 100; ++i)
            assert_true(fabs((up[i] - down[i]) / (2 * h) * gy[i] - gx[i]) < 1e-10);
    }
}

static void what_does_not_fit_is_refused_and_y_stays(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, SPARCL_ACTIVATION_RELU, 4, 3);
    const bool has_f64 = sparcl_ctx_device(ctx)->has_f64;
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, a.x.values, a.y.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, a, violation, forward(ctx, &x), status, part,                 \
                             assert_unchanged(ctx, &kept))
    REFUSED(++x.y.shape[0], SPARCL_E_SHAPE, "activate: dimension 0 of Y is 5, of X 4");
    REFUSED(--x.x.shape[1], SPARCL_E_SHAPE, "dimension 1 of Y is 3, of X 2");
    REFUSED((x.x.rank = 3, x.x.shape[2] = 1), SPARCL_E_SHAPE, "rank");
    REFUSED(x.x.dtype = SPARCL_F64, no_f64,
            has_f64 ? "Y is f32 and X f64, expected one type" : "X is float64, which");
    REFUSED(x.y.dtype = SPARCL_F64, no_f64,
            has_f64 ? "Y is f64 and X f32, expected one type" : "Y is float64, which");
    REFUSED(x.x.values_at = 1000, SPARCL_E_SHAPE, "X needs");
    REFUSED(x.y.ld = 2, SPARCL_E_SHAPE, "Y has");
    REFUSED(x.x.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of X");
    REFUSED((x.y = x.x, x.y.values_at = 1), SPARCL_E_ALIAS, "Y overlaps X");
    REFUSED((x.y = x.x, x.y.ld = 5), SPARCL_E_ALIAS, "Y overlaps X");
    REFUSED(x.kind = (sparcl_activation)3, SPARCL_E_ARG, "activate: kind is 3, expected 0 to 2");
#undef REFUSED
    assert_refused(ctx, sparcl_activate(ctx, a.kind, NULL, &a.x), SPARCL_E_ARG, "Y is NULL");
    assert_refused(ctx, sparcl_activate(ctx, a.kind, &a.y, NULL), SPARCL_E_ARG, "X is NULL");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    assert_ok(ctx, forward(ctx, &a));
    free_arrays(&a);
}

static void a_gradient_that_does_not_fit_is_refused_and_gx_stays(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx, SPARCL_ACTIVATION_RELU, 4, 3);
    const bool has_f64 = sparcl_ctx_device(ctx)->has_f64;
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, a.y.values, a.gy.values, a.gx.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, a, violation, backward(ctx, &x), status, part,                \
                             assert_unchanged(ctx, &kept))
    REFUSED(++x.gx.shape[0], SPARCL_E_SHAPE, "activate_gradient: dimension 0 of GX is 5, of GY 4");
    REFUSED(--x.y.shape[1], SPARCL_E_SHAPE, "dimension 1 of Y is 2, of GY 3");
    REFUSED(--x.gy.shape[1], SPARCL_E_SHAPE, "dimension 1 of GX is 3, of GY 2");
    REFUSED(x.gx.dtype = SPARCL_F64, no_f64,
            has_f64 ? "GX is f64 and GY f32, expected one type" : "GX is float64, which");
    REFUSED(x.y.dtype = SPARCL_F64, no_f64,
            has_f64 ? "Y is f64 and GY f32, expected one type" : "Y is float64, which");
    REFUSED(x.gy.dtype = SPARCL_F64, no_f64,
            has_f64 ? "GX is f32 and GY f64, expected one type" : "GY is float64, which");
    REFUSED(x.gy.values_at = 1000, SPARCL_E_SHAPE, "GY needs");
    REFUSED(x.gx = x.y, SPARCL_E_ALIAS, "GX overlaps Y");
    REFUSED((x.gx = x.gy, x.gx.values_at = 1), SPARCL_E_ALIAS, "GX overlaps GY");
    REFUSED(x.kind = (sparcl_activation)-1, SPARCL_E_ARG, "kind is -1, expected 0 to 2");
#undef REFUSED
    assert_refused(ctx, sparcl_activate_gradient(ctx, a.kind, NULL, &a.y, &a.gy), SPARCL_E_ARG,
                   "GX is NULL");
    assert_refused(ctx, sparcl_activate_gradient(ctx, a.kind, &a.gx, NULL, &a.gy), SPARCL_E_ARG,
                   "Y is NULL");
    assert_refused(ctx, sparcl_activate_gradient(ctx, a.kind, &a.gx, &a.y, NULL), SPARCL_E_ARG,
                   "GY is NULL");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    /* y and gy may be one array: then gx is the slope times y. */
    assert_ok(ctx, sparcl_activate_gradient(ctx, a.kind, &a.gx, &a.y, &a.y));
    const float y = float_at(ctx, a.y.values, 0);
    assert_true(float_at(ctx, a.gx.values, 0) == (y > 0 ? y : 0));
    free_arrays(&a);
}

static sparcl_buf *gradient_of(sparcl_ctx *ctx, const void *kind) {
    arrays a = make_arrays(ctx, *(const sparcl_activation *)kind, 400, 70);
    assert_ok(ctx, forward(ctx, &a));
    assert_ok(ctx, backward(ctx, &a));
    sparcl_buf *const result = a.gx.values;
    a.gx.values = NULL;
    free_arrays(&a);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (int kind = 0; kind < KINDS; ++kind)
        assert_same_bits(&all, gradient_of, &(sparcl_activation){(sparcl_activation)kind});
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_functions_overflow_for_no_x),
        cmocka_unit_test(tanh_keeps_its_digits_near_0),
        cmocka_unit_test(nan_stays_nan_and_reaches_no_other_element),
        cmocka_unit_test(the_gradient_of_relu_selects),
        cmocka_unit_test(the_gradients_of_sigmoid_and_tanh_pass_nan_on),
        cmocka_unit_test(the_gradient_of_tanh_does_not_cancel),
        cmocka_unit_test(the_gradient_is_the_slope_times_gy),
        cmocka_unit_test(results_may_take_the_place_of_the_operands),
        cmocka_unit_test(gaps_between_the_rows_stay),
        cmocka_unit_test(arrays_have_any_rank),
        cmocka_unit_test(no_elements_are_legal),
        cmocka_unit_test(float64_has_its_own_kernels),
        cmocka_unit_test(the_gradient_in_float64_is_the_slope_times_gy),
        cmocka_unit_test(what_does_not_fit_is_refused_and_y_stays),
        cmocka_unit_test(a_gradient_that_does_not_fit_is_refused_and_gx_stays),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
