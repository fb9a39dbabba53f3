/* elementary.cl: exp, log and functions of them from only additions, multiplications and correctly
 * rounded division, so that they have the same bits everywhere. src/spec/shared/elementary.c has the same
 * for the host.
 *
 * Defines  own_exp, own_log, own_log1p, own_tanh (of REAL; error at most 2 ulp), own_sigmoid (3 ulp)
 * Method   exp: x = n ln2 + r, |r| <= ln2 / 2, Taylor series to r^7 (double: r^13), times 2^n in
 *          two steps.
 *          log: x = 2^k (1 + f), s = f / (2 + f), series in s^2 with the coefficients of FreeBSD's
 *          msun (Ng, Sun Microsystems 1993). log1p(x) = log(u) + (x - (u - 1)) / u with u = 1 + x.
 *          tanh(x): x + x^3 P(x^2) below 0.625, P of degree 4 (double: 10) with the smallest
 *          maximum of the relative error; 1 - 2 e / (1 + e) with e = exp(-2 x) from there on.
 *
 * The first part of each ln2 has so few bits that its product with n or k is exact.
 */

#define ELEMENTARY 1 /* for unary.cl */

#if SPC_F64

typedef ulong BITS;
#define AS_BITS(x)    as_ulong(x)
#define AS_REAL(bits) as_double(bits)
#define FRACTION_BITS 52
#define BIAS          1023
#define SQRT_HALF     0x3fe6a09e667f3bcdUL
#define MIN_NORMAL    2.2250738585072014e-308

#define EXP_INFINITE 710.0
#define EXP_ZERO     -746.0
#define TANH_IS_1    20.0 /* rounded, from here on */
#define LOG2_E       1.4426950408889634
#define EXP_LN2_HIGH 6.93147180369123816490e-01
#define EXP_LN2_LOW  1.90821492927058770002e-10
#define LOG_LN2_HIGH EXP_LN2_HIGH
#define LOG_LN2_LOW  EXP_LN2_LOW
#define LOG_SCALE    4503599627370496.0 /* 2^52, for subnormal numbers, */
#define LOG_OF_SCALE 36.04365338911715  /* and its logarithm */

/* (exp(r) - 1 - r) / r^2 */
static double exp_series(double r) {
    double p = 1.6059043836821613e-10;
    p = p * r + 2.08767569878681e-09;
    p = p * r + 2.505210838544172e-08;
    p = p * r + 2.755731922398589e-07;
    p = p * r + 2.7557319223985893e-06;
    p = p * r + 2.48015873015873e-05;
    p = p * r + 1.984126984126984e-04;
    p = p * r + 1.3888888888888889e-03;
    p = p * r + 8.333333333333333e-03;
    p = p * r + 4.1666666666666664e-02;
    p = p * r + 1.6666666666666666e-01;
    return p * r + 0.5;
}

static double log_series(double z) {
    double p = 1.479819860511658591e-01;
    p = p * z + 1.531383769920937332e-01;
    p = p * z + 1.818357216161805012e-01;
    p = p * z + 2.222219843214978396e-01;
    p = p * z + 2.857142874366239149e-01;
    p = p * z + 3.999999999940941908e-01;
    return p * z + 6.666666666666735130e-01;
}

/* (tanh(x) - x) / x^3, z = x^2 */
static double tanh_series(double z) {
    double p = -1.6072568222578613e-05;
    p = p * z + 7.714436382815163e-05;
    p = p * z + -2.285642088020588e-04;
    p = p * z + 5.863165392856167e-04;
    p = p * z + -1.4549588776991821e-03;
    p = p * z + 3.5919891737663003e-03;
    p = p * z + -8.863221002625505e-03;
    p = p * z + 2.1869487576094283e-02;
    p = p * z + -5.396825393126769e-02;
    p = p * z + 1.333333333326209e-01;
    return p * z + -3.3333333333332854e-01;
}

#else

typedef uint BITS;
#define AS_BITS(x)    as_uint(x)
#define AS_REAL(bits) as_float(bits)
#define FRACTION_BITS 23
#define BIAS          127
#define SQRT_HALF     0x3f3504f3u
#define MIN_NORMAL    1.17549435e-38f

#define EXP_INFINITE 89.0f
#define EXP_ZERO     -104.0f
#define TANH_IS_1    10.0f
#define LOG2_E       1.44269504f
#define EXP_LN2_HIGH 0.693359375f
#define EXP_LN2_LOW  -2.12194440e-4f
#define LOG_LN2_HIGH 6.9313812256e-1f
#define LOG_LN2_LOW  9.0580006145e-6f
#define LOG_SCALE    8388608.0f /* 2^23, for subnormal numbers, */
#define LOG_OF_SCALE 15.942385f /* and its logarithm */

/* (exp(r) - 1 - r) / r^2 */
static float exp_series(float r) {
    float p = 1.9841270e-4f;
    p = p * r + 1.3888889e-3f;
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    return p * r + 0.5f;
}

static float log_series(float z) {
    float p = 0.24279078841f;
    p = p * z + 0.28498786688f;
    p = p * z + 0.40000972152f;
    return p * z + 0.66666662693f;
}

/* (tanh(x) - x) / x^3, z = x^2 */
static float tanh_series(float z) {
    float p = -5.7049864e-3f;
    p = p * z + 2.0639086e-2f;
    p = p * z + -5.3739715e-2f;
    p = p * z + 1.3331442e-1f;
    return p * z + -3.3333281e-1f;
}

#endif

#define BITS_OF_1 ((BITS)BIAS << FRACTION_BITS)
#define FRACTION  (((BITS)1 << FRACTION_BITS) - 1)
#define SIGN      ((BITS)1 << (8 * sizeof(BITS) - 1))

/* 2^n for -BIAS < n <= BIAS. */
static REAL power_of_two(int n) {
    return AS_REAL((BITS)(n + BIAS) << FRACTION_BITS);
}

static REAL own_exp(REAL x) {
    if (x != x) return x;
    if (x > EXP_INFINITE) return INFINITY;
    if (x < EXP_ZERO) return 0;
    const REAL t = x * LOG2_E;
    const int n = (int)(t + (t < 0 ? -0.5f : 0.5f));
    const REAL r = (x - (REAL)n * EXP_LN2_HIGH) - (REAL)n * EXP_LN2_LOW;
    const REAL p = exp_series(r) * r * r + r + 1.0f;
    const int half_n = n / 2; /* toward zero: both factors are normal numbers */
    return p * power_of_two(half_n) * power_of_two(n - half_n);
}

/* log of a positive, finite, normal number. */
static REAL log_normal(REAL x) {
    /* Scale the significand to [sqrt(1/2), sqrt(2)). */
    const BITS bits = AS_BITS(x) + (BITS_OF_1 - SQRT_HALF);
    const int k = (int)(bits >> FRACTION_BITS) - BIAS;
    const REAL f = AS_REAL((bits & FRACTION) + SQRT_HALF) - 1.0f;
    const REAL s = DIVIDE(f, 2.0f + f);
    const REAL z = s * s;
    const REAL r = log_series(z) * z;
    const REAL half_square = 0.5f * f * f;
    const REAL low = s * (half_square + r) + (REAL)k * LOG_LN2_LOW;
    return ((low - half_square) + f) + (REAL)k * LOG_LN2_HIGH;
}

static REAL own_log(REAL x) {
    if (x != x || x < 0) return NAN;
    if (x == 0) return -INFINITY;
    if (x == INFINITY) return x;
    if (x < MIN_NORMAL) return log_normal(x * LOG_SCALE) - LOG_OF_SCALE;
    return log_normal(x);
}

/* For x >= 0. */
static REAL own_log1p(REAL x) {
    const REAL u = 1.0f + x;
    const REAL y = log_normal(u) + DIVIDE(x - (u - 1.0f), u); /* u is at least 1 */
    return u < INFINITY ? y : u;
}

/* 1 / (1 + exp(-x)), without overflow. */
static REAL own_sigmoid(REAL x) {
    const REAL e = own_exp(-fabs(x));
    return DIVIDE(x >= 0 ? 1.0f : e, 1.0f + e);
}

/* exp(-x) for 0 <= x <= 2 TANH_IS_1, or NaN: own_exp without what other numbers need. */
static REAL exp_of_negative(REAL x) {
    const REAL t = -x * LOG2_E;
    const int n = (int)(x == x ? t - 0.5f : 0);
    const REAL r = (-x - (REAL)n * EXP_LN2_HIGH) - (REAL)n * EXP_LN2_LOW;
    return (exp_series(r) * r * r + r + 1.0f) * power_of_two(n);
}

static REAL own_tanh(REAL x) {
    const REAL a = fabs(x), z = a * a;
    const REAL e = exp_of_negative(2.0f * (a > TANH_IS_1 ? TANH_IS_1 : a));
    const REAL t = a < 0.625f ? tanh_series(z) * z * a + a : 1.0f - DIVIDE(e + e, 1.0f + e);
    return AS_REAL(AS_BITS(t) | (AS_BITS(x) & SIGN)); /* also for -0 */
}
