/* test_unary_functions.c: the errors of sin, cbrt and other functions, in both types. Those of the
 * devices have the same bits: the sweep of unary shows that. */
#include "op_test.h"

#include "base/macros.h"
#include "spec/elements/unary_functions.h"
#include "ulp_test.h"

static long double exact_log1p(long double x) {
    return log1pl(x);
}

/* A function, its largest error in ulp, and the range of numbers for which it is not trivial. */
typedef struct function {
    const char *name;
    double (*own)(sparcl_dtype dtype, double x);
    long double (*exact)(long double x);
    double ulp, first[2], last[2]; /* of float32 and float64 */
    bool is_odd;
} function;

static const function functions[] = {
    {"sin", spec_sin, sinl, 1, {0x1p-126, 0x1p-1022}, {0x1.fffffep127, 0x1p1023}, true},
    {"cos", spec_cos, cosl, 1, {0x1p-20, 0x1p-40}, {0x1.fffffep127, 0x1p1023}, false},
    {"tan", spec_tan, tanl, 3, {0x1p-126, 0x1p-1022}, {0x1.fffffep127, 0x1p1023}, true},
    {"arcsin", spec_arcsin, asinl, 3, {0x1p-126, 0x1p-1022}, {1, 1}, true},
    {"arctan", spec_arctan, atanl, 2, {0x1p-126, 0x1p-1022}, {0x1p127, 0x1p1023}, true},
    {"sinh", spec_sinh, sinhl, 2, {0x1p-126, 0x1p-1022}, {89.4f, 710.4}, true},
    {"cosh", spec_cosh, coshl, 2, {0x1p-20, 0x1p-40}, {89.4f, 710.4}, false},
    {"arcsinh", spec_arcsinh, asinhl, 2, {0x1p-126, 0x1p-1022}, {0x1p127, 0x1p1023}, true},
    {"arctanh", spec_arctanh, atanhl, 3, {0x1p-126, 0x1p-1022}, {1 - 0x1p-24, 1 - 0x1p-53}, true},
    {"expm1", spec_expm1, expm1l, 2, {0x1p-126, 0x1p-1022}, {88.7f, 709.7}, false},
    {"expm1 of negative numbers", spec_expm1, expm1l, 2, {-120, -800}, {-0x1p-126, -0x1p-1022}, 0},
    {"log1p", spec_log1p_all, exact_log1p, 2, {0x1p-126, 0x1p-1022}, {0x1p127, 0x1p1023}, false},
    {"log1p of negative numbers",
     spec_log1p_all,
     exact_log1p,
     2,
     {-1 + 0x1p-24, -1 + 0x1p-53},
     {-0x1p-126, -0x1p-1022},
     false},
    {"cbrt", spec_cbrt, cbrtl, 1, {0x1p-149, 0x1p-1074}, {0x1p127, 0x1p1023}, true},
};

static uint64_t bits_of(sparcl_dtype dtype, double x) {
    const float narrow = (float)x;
    uint64_t wide;
    uint32_t low;
    memcpy(&wide, &x, sizeof wide);
    memcpy(&low, &narrow, sizeof low);
    return dtype == SPARCL_F64 ? wide : low;
}

static double real_of(sparcl_dtype dtype, uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    double wide;
    float narrow;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return dtype == SPARCL_F64 ? wide : narrow;
}

/* Numbers in equal steps of their bits, so of all sizes alike, and in equal steps. */
static void measure(const function *f, sparcl_dtype dtype) {
    const int64_t count = test_is_small() ? 20000 : 500000;
    const bool wide = dtype == SPARCL_F64;
    const uint64_t a = bits_of(dtype, f->first[wide]), b = bits_of(dtype, f->last[wide]);
    const uint64_t low = a < b ? a : b, step = (a < b ? b - a : a - b) / (uint64_t)count + 1;
    double worst = 0, where = 0;
    for (int64_t i = 0; i < 2 * count; ++i) {
        double x = real_of(dtype, low + step * (uint64_t)(i / 2));
        const double small = f->last[wide] < 100 ? f->last[wide] : 100;
        const double from = f->first[wide] > -100 ? f->first[wide] : -100;
        if (i % 2) x = spec_round(dtype, from + (small - from) * (double)i / (2 * (double)count));
        if (!(x >= f->first[wide] && x <= f->last[wide])) continue; /* NaN, too */
        const double y = f->own(dtype, x), error = ulps(dtype, y, f->exact(x));
        if (!(error <= worst)) worst = error, where = x;
        if (f->is_odd) assert_true(f->own(dtype, -x) == -y);
    }
    print_message("           float%d: %s %.3f ulp, at %a\n", wide ? 64 : 32, f->name, worst,
                  where);
    assert_true(worst <= f->ulp && worst > 0.5); /* a correctly rounded one would not be ours */
}

static void errors_are_at_most_those_of_the_documentation(void **state) {
    (void)state;
    for (size_t i = 0; i < SPC_COUNT(functions); ++i) {
        measure(&functions[i], SPARCL_F32);
        measure(&functions[i], SPARCL_F64);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_at_most_those_of_the_documentation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
