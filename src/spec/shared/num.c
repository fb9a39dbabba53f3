/* num.c: numbers that are computed three times at once. */
#include "spec/shared/num.h"

#include <math.h>

#include "spec/shared/elementary.h"

static _Thread_local int64_t roundings;

int64_t num_roundings(void) {
    return roundings;
}

/* A result whose operands are off by so much that it is off by `error` before it is rounded. */
static spec_num rounded(sparcl_dtype dtype, double order, double truth, double error) {
    const double u = 1.01 * spec_unit(dtype);
    ++roundings;
    return (spec_num){.order = spec_round(dtype, order),
                      .truth = truth,
                      .bound = error + u * (fabs(truth) + error) + spec_smallest(dtype),
                      .dtype = dtype};
}

spec_num num_of(sparcl_dtype dtype, double x) {
    return rounded(dtype, x, x, 0);
}

spec_num num_exact(sparcl_dtype dtype, double x) {
    return (spec_num){.order = x, .truth = x, .dtype = dtype};
}

spec_num num_add(spec_num a, spec_num b) {
    return rounded(a.dtype, a.order + b.order, a.truth + b.truth, a.bound + b.bound);
}

spec_num num_neg(spec_num a) {
    a.order = -a.order;
    a.truth = -a.truth;
    return a;
}

spec_num num_abs(spec_num a) {
    a.order = fabs(a.order);
    a.truth = fabs(a.truth);
    return a;
}

spec_num num_sub(spec_num a, spec_num b) {
    return num_add(a, num_neg(b));
}

spec_num num_mul(spec_num a, spec_num b) {
    const double error = fabs(a.truth) * b.bound + fabs(b.truth) * a.bound + a.bound * b.bound;
    return rounded(a.dtype, a.order * b.order, a.truth * b.truth, error);
}

spec_num num_div(spec_num a, spec_num b) {
    const double quotient = a.truth / b.truth, least = fabs(b.truth) - b.bound;
    const double error =
        least > 0 ? (a.bound + fabs(quotient) * b.bound) / least : (double)INFINITY;
    return rounded(a.dtype, a.order / b.order, quotient, error);
}

/* |sqrt(x) - sqrt(y)| is at most sqrt(|x - y|), and |x - y| / (sqrt(x) + sqrt(y)). */
spec_num num_root(spec_num a) {
    const double least = a.truth - a.bound;
    const double error = least > 0 ? a.bound / (sqrt(a.truth) + sqrt(least)) : sqrt(a.bound);
    return rounded(a.dtype, sqrt(a.order), sqrt(a.truth), error);
}

/* The logarithm and e^x are off by at most 2 ulp, which is 4 u. */
spec_num num_root_times_power(spec_num a, spec_num p) {
    const sparcl_dtype dtype = a.dtype;
    const double u = spec_unit(dtype), least = a.truth - a.bound;
    if (p.order == -0.5) return num_exact(dtype, 1);
    if (a.truth == 0 && a.bound == 0) return a;
    const double exponent = spec_round(dtype, p.order * spec_log(dtype, a.order));
    const double root = spec_round(dtype, sqrt(a.order)), log_a = fabs(log(a.truth));
    const double order = a.order == 0 ? 0 : spec_round(dtype, root * spec_exp(dtype, exponent));
    const double truth = pow(a.truth, p.truth + 0.5);
    const double relative = (0.5 + fabs(p.truth)) * a.bound / least + log_a * p.bound +
                            6 * u * (log_a + a.bound / least) * fabs(p.truth) + 8 * u;
    const double error = least > 0 ? truth * expm1(relative) : (double)INFINITY;
    return rounded(dtype, order, truth, error);
}

/* As there. */
spec_num num_exp(spec_num a) {
    const double truth = exp(a.truth), relative = a.bound + 4 * spec_unit(a.dtype);
    return rounded(a.dtype, spec_exp(a.dtype, a.order), truth, truth * expm1(relative));
}

static spec_num num_log(spec_num a) {
    const double truth = log(a.truth), least = a.truth - a.bound;
    const double error = least > 0 ? a.bound / least + 4 * spec_unit(a.dtype) * fabs(truth) : 0;
    return rounded(a.dtype, spec_log(a.dtype, a.order), truth, least > 0 ? error : INFINITY);
}

spec_num num_power(spec_num a, spec_num p) {
    return p.order == 1 ? a : num_exp(num_mul(p, num_log(a)));
}

spec_num num_largest(spec_num a, spec_num b) {
    return (spec_num){.order = !(a.order <= b.order) ? a.order : b.order,
                      .truth = !(a.truth <= b.truth) ? a.truth : b.truth,
                      .bound = fmax(a.bound, b.bound),
                      .dtype = a.dtype};
}

static double clip(double x, double limit) {
    return x > limit ? limit : x < -limit ? -limit : x;
}

spec_num num_clip(spec_num a, spec_num limit) {
    const double bound = isinf(limit.truth) ? a.bound : fmax(a.bound, limit.bound);
    return (spec_num){.order = clip(a.order, limit.order),
                      .truth = clip(a.truth, limit.truth),
                      .bound = bound,
                      .dtype = a.dtype};
}

static double sign_of(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

spec_num num_sign(spec_num a) {
    return (spec_num){.order = sign_of(a.order),
                      .truth = sign_of(a.truth),
                      .bound = fabs(a.truth) > a.bound ? 0 : 2,
                      .dtype = a.dtype};
}
