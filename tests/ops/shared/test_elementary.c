/* test_elementary.c: the errors of exp, log and functions of them, in both types. The functions of
 * the devices have the same bits: the sweeps of loss and unary show that. */
#include "op_test.h"

#include "spec/shared/elementary.h"
#include "ulp_test.h"

/* A number in [-1, 1) with all digits of its type. */
static double random_real(sparcl_dtype dtype, uint64_t *seed) {
    const double high = spec_uniform(seed);
    return spec_round(dtype, high + spec_uniform(seed) * 0x1p-24);
}

/* exp up to the largest and the smallest results; log of numbers of all sizes, of subnormal ones
 * and of those near 1. */
static void measure_exp_and_log(sparcl_dtype dtype) {
    const bool is_f64 = dtype == SPARCL_F64;
    const double low = is_f64 ? -745.1 : -103.9, high = is_f64 ? 709.7 : 88.7;
    const int smallest = is_f64 ? -1074 : -149, sizes = is_f64 ? 2098 : 277;
    double worst_exp = 0, worst_log = 0, worst_log1p = 0;
    uint64_t seed = 1;
    for (int i = 0; i < 2000000; ++i) {
        const double part = random_real(dtype, &seed), other = random_real(dtype, &seed);
        const double x = i % 2 ? spec_round(dtype, (part < 0 ? -low : high) * part) : part;
        const double near_1 = 1 + ldexp(other, -1 - i / 4 % 50), any = 1 + (other + 1) / 2;
        const double y = spec_round(dtype, i % 4 ? ldexp(any, smallest + i % sizes) : near_1);
        worst_exp = fmax(worst_exp, ulps(dtype, spec_exp(dtype, x), expl(x)));
        worst_log = fmax(worst_log, ulps(dtype, spec_log(dtype, y), logl(y)));
        worst_log1p = fmax(worst_log1p, ulps(dtype, spec_log1p(dtype, y), log1pl(y)));
    }
    print_message("           %s: exp %.3f, log %.3f, log1p %.3f ulp\n",
                  is_f64 ? "float64" : "float32", worst_exp, worst_log, worst_log1p);
    assert_true(worst_exp <= 2 && worst_log <= 2 && worst_log1p <= 2);
    /* correctly rounded ones would not be ours */
    assert_true(worst_exp > 0.5 && worst_log > 0.5 && worst_log1p > 0.5);
}

static void exp_and_log_are_off_by_2_ulp_at_most(void **state) {
    (void)state;
    measure_exp_and_log(SPARCL_F32);
    measure_exp_and_log(SPARCL_F64);
}

/* What overflows, and what becomes 0. */
static void exp_and_log_have_the_limits_of_their_type(void **state) {
    (void)state;
    assert_true(spec_exp(SPARCL_F32, 88.72f) < INFINITY &&
                spec_exp(SPARCL_F32, 88.73f) == INFINITY);
    assert_true(spec_exp(SPARCL_F64, 709.78) < INFINITY &&
                spec_exp(SPARCL_F64, 709.79) == INFINITY);
    assert_true(spec_exp(SPARCL_F32, -103.9f) == 0x1p-149 && spec_exp(SPARCL_F32, -104) == 0);
    assert_true(spec_exp(SPARCL_F64, -745.1) == 0x1p-1074 && spec_exp(SPARCL_F64, -745.2) == 0);
    for (int i = 0; i < 2; ++i) {
        const sparcl_dtype dtype = i ? SPARCL_F64 : SPARCL_F32;
        assert_true(spec_exp(dtype, INFINITY) == INFINITY && spec_exp(dtype, -INFINITY) == 0);
        assert_true(spec_exp(dtype, 0) == 1 && isnan(spec_exp(dtype, NAN)));
        assert_true(spec_log(dtype, 0) == -INFINITY && spec_log(dtype, INFINITY) == INFINITY);
        assert_true(spec_log(dtype, 1) == 0 && isnan(spec_log(dtype, -1)));
        assert_true(spec_log1p(dtype, INFINITY) == INFINITY && isnan(spec_log1p(dtype, NAN)));
    }
}

static double real_of(sparcl_dtype dtype, uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    double wide;
    float narrow;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return dtype == SPARCL_F64 ? wide : narrow;
}

/* Numbers in equal steps of their bits. */
static void measure_sigmoid_and_tanh(sparcl_dtype dtype, uint64_t first, uint64_t last,
                                     uint64_t step) {
    double sigmoid = 0, tangent = 0;
    for (uint64_t bits = first; bits < last; bits += step) {
        const double x = real_of(dtype, bits);
        const long double e = expl(-(long double)x);
        sigmoid = fmax(sigmoid, ulps(dtype, spec_sigmoid(dtype, x), 1 / (1 + e)));
        sigmoid = fmax(sigmoid, ulps(dtype, spec_sigmoid(dtype, -x), e / (1 + e)));
        tangent = fmax(tangent, ulps(dtype, spec_tanh(dtype, x), tanhl(x)));
        assert_true(spec_tanh(dtype, -x) == -spec_tanh(dtype, x));
    }
    print_message("           float%d: sigmoid %.3f, tanh %.3f ulp\n",
                  dtype == SPARCL_F64 ? 64 : 32, sigmoid, tangent);
    assert_true(sigmoid <= 3 && tangent <= 2);
    assert_true(sigmoid > 0.5 && tangent > 0.5); /* a correctly rounded one would not be ours */
}

/* Every 501st float from 2^-30 to 105; two million doubles from 2^-60 to 746. */
static void sigmoid_is_off_by_3_ulp_at_most_and_tanh_by_2(void **state) {
    (void)state;
    measure_sigmoid_and_tanh(SPARCL_F32, 0x30800000u, 0x42d20000u, 501);
    measure_sigmoid_and_tanh(SPARCL_F64, 0x3c30000000000000u, 0x4087500000000000u, 156250000001u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_and_log_are_off_by_2_ulp_at_most),
        cmocka_unit_test(exp_and_log_have_the_limits_of_their_type),
        cmocka_unit_test(sigmoid_is_off_by_3_ulp_at_most_and_tanh_by_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
