/* pair_power.c: the plain-C answer of integer powers. */
#include "spec/optim/pair_power.h"

#include <math.h>

#include "spec/optim/rule_answer.h"

/* A sum of two numbers of a type. */
typedef struct pair {
    double first, rest;
} pair;

#define R(x) spec_round(dtype, (x))

static double upper_digits(sparcl_dtype dtype, double a) {
    const double scaled = R((dtype == SPARCL_F64 ? 134217729 : 4097) * a);
    return R(scaled - R(scaled - a));
}

static pair multiply_pairs(sparcl_dtype dtype, pair a, pair b) {
    const double product = R(a.first * b.first);
    const double au = upper_digits(dtype, a.first), al = R(a.first - au);
    const double bu = upper_digits(dtype, b.first), bl = R(b.first - bu);
    const double error = R(R(R(R(R(au * bu) - product) + R(au * bl)) + R(al * bu)) + R(al * bl));
    const double rest = R(error + R(R(a.first * b.rest) + R(a.rest * b.first)));
    const double sum = R(product + rest);
    return (pair){sum, R(rest - R(sum - product))};
}

static double power_of_pairs(sparcl_dtype dtype, double x, int64_t n) {
    pair power = {1, 0}, square = {x, 0};
    for (; n > 0 && fabs(power.first) > 0x1p-60; n /= 2) {
        if (n % 2) power = multiply_pairs(dtype, power, square);
        if (fabs(square.first) > 0x1p-60) square = multiply_pairs(dtype, square, square);
    }
    return fabs(power.first) > 0x1p-60 ? power.first : 0;
}

/* The power in double is not exact either. */
spec_num spec_power_of_pairs(spec_num x, int64_t n) {
    const double most = fabs(x.truth) + x.bound, steps = (double)n;
    if (n <= 0) return num_exact(x.dtype, 1);
    const double truth = spec_power_of(x.truth, n);
    const double relative = 2 * spec_unit(x.dtype) + (steps + 1) * 0x1p-52;
    const double apart = x.bound > 0 ? steps * x.bound * spec_power_of(most, n - 1) : 0;
    return (spec_num){power_of_pairs(x.dtype, x.order, n), truth,
                      apart + relative * (fabs(truth) + apart) + 0x1p-60, x.dtype};
}
