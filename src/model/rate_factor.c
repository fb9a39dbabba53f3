/* rate_factor.c: the formulas of schedules, without functions that C libraries round
 * differently. */
#include <math.h>

#include "base/size.h"
#include "sparcl/train.h"

static const double pi = 3.14159265358979323846;
static const double ln2 = 0.69314718055994530942;

/* sin or cos of |x| <= pi/4 by their series. */
static double series(double x, int first) {
    double term = first ? x : 1, sum = term;
    for (int k = first + 1; k < 24; k += 2) {
        term *= -x * x / ((double)k * (k + 1));
        sum += term;
    }
    return sum;
}

/* cos(pi x), x from 0 to 1. */
static double cosine(double x) {
    if (x > 0.75) return -series(pi * (1 - x), 0);
    if (x > 0.25) return series(pi * (0.5 - x), 1);
    return series(pi * x, 0);
}

/* The logarithm of x > 0: x = m 2^k, log m = 2 atanh((m - 1) / (m + 1)). */
static double logarithm(double x) {
    int k = 0;
    double m = frexp(x, &k);
    if (m < 0.70710678118654752440) {
        m *= 2;
        --k;
    }
    const double s = (m - 1) / (m + 1);
    double power = s, sum = 0;
    for (int i = 1; i < 30; i += 2, power *= s * s)
        sum += power / i;
    return 2 * sum + k * ln2;
}

static double exponential(double y) {
    if (y < -745) return 0;
    const int k = (int)(y / ln2 - 0.5);
    const double r = y - k * ln2;
    double term = 1, sum = 1;
    for (int i = 1; i < 20; ++i) {
        term *= r / i;
        sum += term;
    }
    return ldexp(sum, k);
}

/* x^n by squaring; x from 0 to 1. */
static double whole_power(double x, int64_t n) {
    double result = 1;
    for (; n > 0; n /= 2, x *= x)
        if (n % 2) result *= x;
    return result;
}

/* x from 0 to 1, y from 0. */
static double power(double x, double y) {
    if (y == floor(y) && y < 1e15) return whole_power(x, (int64_t)y);
    return x == 0 ? 0 : exponential(y * logarithm(x));
}

static double after_warmup(const sparcl_schedule *s, int64_t u, int64_t total) {
    const int64_t rest = spc_max_i64(total - s->warmup, 1);
    const int64_t period = s->period > 0 ? s->period : rest;
    const double part = (double)spc_min_i64(u, period) / (double)period;
    const double w = (double)spc_max_i64(s->warmup, 1);
    switch (s->kind) {
    case SPARCL_SCHEDULE_CONSTANT:
        break;
    case SPARCL_SCHEDULE_STEP:
        return whole_power(s->gamma, u / period);
    case SPARCL_SCHEDULE_EXPONENTIAL:
        return whole_power(s->gamma, u);
    case SPARCL_SCHEDULE_COSINE:
        return s->end + (1 - s->end) * (1 + cosine(part)) / 2;
    case SPARCL_SCHEDULE_POLYNOMIAL:
        return power(1 - part, s->power);
    case SPARCL_SCHEDULE_INVERSE_ROOT:
        return sqrt(w / (w + (double)u));
    }
    return 1;
}

double sparcl_schedule_factor(const sparcl_schedule *s, int64_t t, int64_t total) {
    if (t < s->warmup)
        return s->warmup_start + (1 - s->warmup_start) * ((double)t / (double)s->warmup);
    return after_warmup(s, t - s->warmup, total);
}
