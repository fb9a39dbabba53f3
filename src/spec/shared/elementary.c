/* elementary.c: exp, log and functions of them with the operations of cl/elementary.cl, for the
 * order answers. One function is enough for both types: see spec_sum_products. */
#include "spec/shared/elementary.h"

#include <math.h>

#include "spec/shared/spec.h"

/* A polynomial, the coefficient of the highest power first. */
typedef struct series {
    int count;
    double at[12];
} series;

typedef struct constants {
    double exp_infinite, exp_zero, log2_e, min_normal, log_scale, log_of_scale;
    double exp_ln2[2], log_ln2[2]; /* ln2 in two parts */
    series exp, log, tanh;
} constants;

static const constants of_float = {
    .exp_infinite = 89,
    .exp_zero = -104,
    .log2_e = 1.44269504f,
    .min_normal = 0x1p-126,
    .log_scale = 0x1p23,
    .log_of_scale = 15.942385f,
    .exp_ln2 = {0.693359375f, -2.12194440e-4f},
    .log_ln2 = {6.9313812256e-1f, 9.0580006145e-6f},
    .exp = {6, {1.9841270e-4f, 1.3888889e-3f, 8.3333333e-3f, 4.1666667e-2f, 1.6666667e-1f, 0.5f}},
    .log = {4, {0.24279078841f, 0.28498786688f, 0.40000972152f, 0.66666662693f}},
    .tanh = {5, {-5.7049864e-3f, 2.0639086e-2f, -5.3739715e-2f, 1.3331442e-1f, -3.3333281e-1f}},
};

static const constants of_double = {
    .exp_infinite = 710,
    .exp_zero = -746,
    .log2_e = 1.4426950408889634,
    .min_normal = 0x1p-1022,
    .log_scale = 0x1p52,
    .log_of_scale = 36.04365338911715,
    .exp_ln2 = {6.93147180369123816490e-01, 1.90821492927058770002e-10},
    .log_ln2 = {6.93147180369123816490e-01, 1.90821492927058770002e-10},
    .exp = {12,
            {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
             1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}},
    .log = {7,
            {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
             2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
             6.666666666666735130e-01}},
    .tanh = {11,
             {-1.6072568222578613e-05, 7.714436382815163e-05, -2.285642088020588e-04,
              5.863165392856167e-04, -1.4549588776991821e-03, 3.5919891737663003e-03,
              -8.863221002625505e-03, 2.1869487576094283e-02, -5.396825393126769e-02,
              1.333333333326209e-01, -3.3333333333332854e-01}},
};

static const constants *constants_of(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? &of_double : &of_float;
}

#define R(x) spec_round(dtype, (x))

static double evaluate(const series *s, sparcl_dtype dtype, double x) {
    double p = s->at[0];
    for (int i = 1; i < s->count; ++i)
        p = R(R(p * x) + s->at[i]);
    return p;
}

double spec_exp(sparcl_dtype dtype, double x) {
    const constants *const c = constants_of(dtype);
    if (isnan(x)) return x;
    if (x > c->exp_infinite) return INFINITY;
    if (x < c->exp_zero) return 0;
    const double t = R(x * c->log2_e);
    const int n = (int)R(t + (t < 0 ? -0.5 : 0.5)), half = n / 2;
    const double r = R(R(x - R(n * c->exp_ln2[0])) - R(n * c->exp_ln2[1]));
    const double p = R(R(R(R(evaluate(&c->exp, dtype, r) * r) * r) + r) + 1);
    return R(R(p * ldexp(1, half)) * ldexp(1, n - half));
}

static double log_normal(const constants *c, sparcl_dtype dtype, double x) {
    int k = 0;
    double m = 2 * frexp(x, &k); /* in [1, 2) */
    --k;
    if (m >= R(2 * sqrt(0.5))) m /= 2, ++k;
    const double f = R(m - 1), s = R(f / R(2 + f)), z = R(s * s);
    const double r = R(evaluate(&c->log, dtype, z) * z);
    const double half_square = R(R(0.5 * f) * f);
    const double low = R(R(s * R(half_square + r)) + R(k * c->log_ln2[1]));
    return R(R(R(low - half_square) + f) + R(k * c->log_ln2[0]));
}

double spec_log(sparcl_dtype dtype, double x) {
    const constants *const c = constants_of(dtype);
    if (isnan(x) || x < 0) return NAN;
    if (x == 0) return -INFINITY;
    if (isinf(x)) return x;
    if (x >= c->min_normal) return log_normal(c, dtype, x);
    return R(log_normal(c, dtype, R(x * c->log_scale)) - c->log_of_scale);
}

double spec_log1p(sparcl_dtype dtype, double x) {
    const double u = R(1 + x);
    if (!(u < INFINITY)) return u;
    return R(spec_log(dtype, u) + R(R(x - R(u - 1)) / u));
}

double spec_sigmoid(sparcl_dtype dtype, double x) {
    const double e = spec_exp(dtype, -fabs(x));
    return R((x >= 0 ? 1 : e) / R(1 + e));
}

double spec_tanh(sparcl_dtype dtype, double x) {
    if (isnan(x)) return x;
    const double a = fabs(x), z = R(a * a), e = spec_exp(dtype, -2 * a);
    const double p = evaluate(&constants_of(dtype)->tanh, dtype, z);
    const double t = a < 0.625 ? R(R(R(p * z) * a) + a) : R(1 - R(R(e + e) / R(1 + e)));
    return copysign(t, x);
}
