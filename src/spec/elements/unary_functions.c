/* unary_functions.c: the functions of cl/unary_functions.cl for the order answers. One function is
 * enough for both types: see spec_sum_products. */
#include "spec/elements/unary_functions.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "spec/shared/elementary.h"
#include "spec/shared/spec.h"

/* A polynomial, the coefficient of the highest power first. */
typedef struct series {
    int count;
    double at[12];
} series;

typedef struct constants {
    int word_bits, precision, cbrt_scale, cbrt_drop; /* cbrt_scale: the exponent, a multiple of 3 */
    double pi_2[2], pi_4[2], tan_pi_8, tan_3_pi_8, ln2, log2_e, exp_ln2[2];
    double expm1_large, sinh_infinite, square_large, min_normal;
    uint64_t pi_2_bits, cbrt_start;
    series sin, cos, arcsin, arctan, sinh, exp;
} constants;

static const constants of_float = {
    .word_bits = 32,
    .precision = 24,
    .cbrt_scale = 24,
    .cbrt_drop = 12,
    .pi_2 = {1.57079637f, -4.37113883e-08f},
    .pi_4 = {0.785398185f, -2.18556941e-08f},
    .tan_pi_8 = 0.414213568f,
    .tan_3_pi_8 = 2.41421366f,
    .ln2 = 0.693147182f,
    .log2_e = 1.44269504f,
    .exp_ln2 = {0.693359375f, -2.12194440e-4f},
    .expm1_large = 20,
    .sinh_infinite = 90,
    .square_large = 8192,
    .min_normal = 0x1p-126,
    .pi_2_bits = 0xc90fdaa2u,
    .cbrt_start = 0x2a5119f2u,
    .sin = {3, {-0.000195152839f, 0.0083321603f, -0.166666552f}},
    .cos = {3, {2.44331568e-05f, -0.00138873165f, 0.0416666456f}},
    .arcsin = {5, {0.0421662889f, 0.0241795313f, 0.0454703718f, 0.0749529749f, 0.166667521f}},
    .arctan = {5, {-0.0607822314f, 0.105938144f, -0.142435342f, 0.199984714f, -0.333333164f}},
    .sinh = {4, {2.81695134e-06f, 0.000198361595f, 0.0083333496f, 0.166666672f}},
    .exp = {6, {1.9841270e-4f, 1.3888889e-3f, 8.3333333e-3f, 4.1666667e-2f, 1.6666667e-1f, 0.5f}},
};

static const constants of_double = {
    .word_bits = 64,
    .precision = 53,
    .cbrt_scale = 54,
    .cbrt_drop = 27,
    .pi_2 = {1.5707963267948966, 6.123233995736766e-17},
    .pi_4 = {0.7853981633974483, 3.061616997868383e-17},
    .tan_pi_8 = 0.41421356237309503,
    .tan_3_pi_8 = 2.414213562373095,
    .ln2 = 0.6931471805599453,
    .log2_e = 1.4426950408889634,
    .exp_ln2 = {6.93147180369123816490e-01, 1.90821492927058770002e-10},
    .expm1_large = 40,
    .sinh_infinite = 711,
    .square_large = 0x1p28,
    .min_normal = 0x1p-1022,
    .pi_2_bits = 0xc90fdaa22168c234u,
    .cbrt_start = 0x2a9f78939b40fa00u,
    .sin = {6,
            {1.5896230385851776e-10, -2.50507477679226e-08, 2.7557313621427765e-06,
             -0.00019841269829589701, 0.008333333333322118, -0.1666666666666663}},
    .cos = {6,
            {-1.1358536522552563e-11, 2.087570084177392e-09, -2.7557314179293045e-07,
             2.480158728885168e-05, -0.0013888888888873056, 0.041666666666666595}},
    .arcsin = {12,
               {0.031912287766414076, -0.016224279309437113, 0.019528282324607276,
                0.006527969016459081, 0.012169213017353178, 0.013885235293462543,
                0.017359704771631065, 0.022371758051076305, 0.0303819591368552, 0.04464285682833424,
                0.07500000000337002, 0.16666666666665408}},
    .arctan = {11,
               {-0.017905003272762482, 0.03806210669715472, -0.05039189119779851,
                0.0584785898541576, -0.06663099164900622, 0.07692059714139132, -0.09090897725081258,
                0.11111110782150124, -0.1428571428016651, 0.19999999999953247, -0.333333333333332}},
    .sinh = {7,
             {7.758749227819662e-13, 1.60572597541852e-10, 2.505212313691506e-08,
              2.7557319157070645e-06, 0.00019841269841431875, 0.008333333333333148,
              0.16666666666666669}},
    .exp = {12,
            {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
             1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}},
};

static const constants *constants_of(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? &of_double : &of_float;
}

#define R(x) spec_round(dtype, (x))

/* (p(z) * z) * x */
static double evaluate(const series *s, sparcl_dtype dtype, double z, double x) {
    double p = s->at[0];
    for (int i = 1; i < s->count; ++i)
        p = R(R(p * z) + s->at[i]);
    return R(R(p * z) * x);
}

/* --- sine, cosine, tangent -------------------------------------------------------------------- */

/* x = quadrant * pi/2 + (r + low), abs(r) at most pi/4. */
typedef struct reduced {
    double r, low;
    int quadrant;
} reduced;

/* Words of 32 bits of 2 / pi, after 64 zeros. */
static const uint32_t two_over_pi[] = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

/* `count` of at most 64 bits of 2 / pi, from that of 2^-(first + 1) on; first is at least -64. */
static uint64_t bits_of_two_over_pi(int first, int count) {
    uint64_t bits = 0;
    for (int i = first + 64; i < first + 64 + count; ++i)
        bits = bits << 1 | (two_over_pi[i / 32] >> (31 - i % 32) & 1);
    return bits;
}

/* The upper `bits` bits of a product of two numbers of as many. */
static uint64_t multiply_high(uint64_t a, uint64_t b, int bits) {
    const uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
    if (bits == 32) return a * b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* The product of the significand and three words of 2 / pi modulo 4, in units of 4 / 2^(2 bits). */
static void multiply_by_two_over_pi(const constants *c, double a, uint64_t product[2]) {
    const int bits = c->word_bits;
    const uint64_t mask = UINT64_MAX >> (64 - bits);
    int exponent = 0;
    const uint64_t significand = (uint64_t)ldexp(frexp(a, &exponent), c->precision);
    const int first = exponent - c->precision - 2;
    uint64_t w[3];
    for (int i = 0; i < 3; ++i)
        w[i] = bits_of_two_over_pi(first + i * bits, bits);
    product[1] = (significand * w[1] + multiply_high(significand, w[2], bits)) & mask;
    product[0] = significand * w[0] + multiply_high(significand, w[1], bits) +
                 (product[1] < (significand * w[1] & mask));
    product[0] &= mask;
}

static reduced reduce(sparcl_dtype dtype, double a) {
    const constants *const c = constants_of(dtype);
    const int bits = c->word_bits, cut = bits - c->precision;
    const uint64_t mask = UINT64_MAX >> (64 - bits);
    uint64_t p[2];
    if (a <= c->pi_4[0]) return (reduced){a, 0, 0};
    multiply_by_two_over_pi(c, a, p);
    uint64_t f0 = (p[0] << 2 | p[1] >> (bits - 2)) & mask, f1 = p[1] << 2 & mask;
    const bool is_negative = f0 >> (bits - 1);
    if (is_negative) {
        f1 = -f1 & mask;
        f0 = (~f0 + (f1 == 0)) & mask;
    }
    int shift = 0;
    while (shift < bits - 1 && !(f0 >> (bits - 1 - shift)))
        ++shift;
    const uint64_t fraction = (f0 << shift | (f1 >> 1) >> (bits - 1 - shift)) & mask;
    const uint64_t angle = multiply_high(fraction, c->pi_2_bits, bits);
    const uint64_t quadrant = ((p[0] + ((uint64_t)1 << (bits - 3))) & mask) >> (bits - 2);
    const double sign = is_negative ? -1 : 1;
    const double r = ldexp((double)(angle >> cut), 1 - c->precision - shift);
    const double low = ldexp((double)(angle & (((uint64_t)1 << cut) - 1)), 1 - bits - shift);
    return (reduced){sign * r, sign * low, (int)quadrant};
}

static double near_sin(sparcl_dtype dtype, const reduced *x) {
    const double z = R(x->r * x->r);
    const double lost = R(x->low * R(1 - R(0.5 * z)));
    return R(x->r + R(evaluate(&constants_of(dtype)->sin, dtype, z, x->r) + lost));
}

static double near_cos(sparcl_dtype dtype, const reduced *x) {
    const double z = R(x->r * x->r), half_z = R(0.5 * z), w = R(1 - half_z);
    const double high = evaluate(&constants_of(dtype)->cos, dtype, z, z);
    return R(w + R(R(R(1 - w) - half_z) + R(high - R(x->r * x->low))));
}

static double sin_of(sparcl_dtype dtype, const reduced *x) {
    const double y = x->quadrant & 1 ? near_cos(dtype, x) : near_sin(dtype, x);
    return x->quadrant & 2 ? -y : y;
}

double spec_sin(sparcl_dtype dtype, double x) {
    if (!isfinite(x)) return NAN;
    const reduced a = reduce(dtype, fabs(x));
    const double y = sin_of(dtype, &a);
    return signbit(x) ? -y : y;
}

double spec_cos(sparcl_dtype dtype, double x) {
    if (!isfinite(x)) return NAN;
    reduced a = reduce(dtype, fabs(x));
    ++a.quadrant;
    return sin_of(dtype, &a);
}

double spec_tan(sparcl_dtype dtype, double x) {
    if (!isfinite(x)) return NAN;
    const reduced a = reduce(dtype, fabs(x));
    const double s = near_sin(dtype, &a), c = near_cos(dtype, &a);
    const double y = a.quadrant & 1 ? R(-c / s) : R(s / c);
    return signbit(x) ? -y : y;
}

/* --- their inverses --------------------------------------------------------------------------- */

double spec_arcsin(sparcl_dtype dtype, double x) {
    const constants *const c = constants_of(dtype);
    const double a = fabs(x);
    if (!(a <= 1)) return NAN;
    const bool is_near = a < 0.5;
    const double z = is_near ? R(a * a) : R(0.5 * R(1 - a)), t = is_near ? a : R(sqrt(z));
    const double s = R(evaluate(&c->arcsin, dtype, z, t) + t);
    return copysign(is_near ? s : R(c->pi_2[0] - R(R(s + s) - c->pi_2[1])), x);
}

double spec_arctan(sparcl_dtype dtype, double x) {
    const constants *const c = constants_of(dtype);
    const double a = fabs(x);
    const bool is_far = a > c->tan_3_pi_8, is_middle = !is_far && a > c->tan_pi_8;
    const double *const base = is_far ? c->pi_2 : c->pi_4;
    if (isnan(x)) return x;
    const double t = is_far ? R(-1 / a) : is_middle ? R(R(a - 1) / R(a + 1)) : a, z = R(t * t);
    const double high = evaluate(&c->arctan, dtype, z, t);
    if (!is_far && !is_middle) return copysign(R(t + high), x);
    return copysign(R(base[0] + R(t + R(high + base[1]))), x);
}

/* --- hyperbolic functions --------------------------------------------------------------------- */

/* n of x = n ln2 + r, and the two products with the parts of ln2. */
static int split_exponent(const constants *c, sparcl_dtype dtype, double x, double parts[2]) {
    const double t = R(x * c->log2_e);
    const int n = (int)R(t + (t < 0 ? -0.5 : 0.5));
    parts[0] = R(n * c->exp_ln2[0]);
    parts[1] = R(n * c->exp_ln2[1]);
    return n;
}

/* exp(r) - 1 - r */
static double exp_rest(const constants *c, sparcl_dtype dtype, double r) {
    const series *const s = &c->exp;
    double p = s->at[0];
    for (int i = 1; i < s->count; ++i)
        p = R(R(p * r) + s->at[i]);
    return R(R(p * r) * r);
}

static double exp_halved(sparcl_dtype dtype, double a) {
    const constants *const c = constants_of(dtype);
    double parts[2];
    if (!(a < c->sinh_infinite)) return a * INFINITY;
    const int n = split_exponent(c, dtype, a, parts), half_n = n / 2;
    const double r = R(R(a - parts[0]) - parts[1]);
    const double p = R(R(exp_rest(c, dtype, r) + r) + 1);
    return R(R(p * ldexp(1, half_n)) * ldexp(1, n - half_n - 1));
}

double spec_sinh(sparcl_dtype dtype, double x) {
    const double a = fabs(x), e = exp_halved(dtype, a);
    if (!(a < 1)) return copysign(R(e - R(0.25 / e)), x);
    return copysign(R(evaluate(&constants_of(dtype)->sinh, dtype, R(a * a), a) + a), x);
}

double spec_cosh(sparcl_dtype dtype, double x) {
    const double e = exp_halved(dtype, fabs(x));
    return R(e + R(0.25 / e));
}

double spec_expm1(sparcl_dtype dtype, double x) {
    const constants *const c = constants_of(dtype);
    double parts[2];
    if (!(fabs(x) < c->expm1_large)) return R(spec_exp(dtype, x) - 1);
    const int n = split_exponent(c, dtype, x, parts);
    const double high = R(x - parts[0]), r = R(high - parts[1]), lost = R(R(high - r) - parts[1]);
    const double p = R(r + R(exp_rest(c, dtype, r) + lost)), scale = ldexp(1, n);
    return copysign(n == 0 ? p : R(R(scale * p) + R(scale - 1)), x);
}

double spec_log1p_all(sparcl_dtype dtype, double x) {
    if (x == 0) return x;
    if (x <= -1) return x == -1 ? -INFINITY : NAN;
    return spec_log1p(dtype, x);
}

double spec_arcsinh(sparcl_dtype dtype, double x) {
    const constants *const c = constants_of(dtype);
    const double a = fabs(x), z = R(a * a);
    if (!(a < c->square_large)) return copysign(R(spec_log(dtype, a) + c->ln2), x);
    return copysign(spec_log1p(dtype, R(a + R(z / R(1 + R(sqrt(R(1 + z))))))), x);
}

double spec_arctanh(sparcl_dtype dtype, double x) {
    const double a = fabs(x);
    if (!(a <= 1)) return NAN;
    return copysign(R(0.5 * spec_log1p(dtype, R(R(a + a) / R(1 - a)))), x);
}

/* --- cube root -------------------------------------------------------------------------------- */

static double halley(sparcl_dtype dtype, double x, double t) {
    const double r = R(x / R(t * t));
    return R(t + R(t * R(R(r - t) / R(R(t + t) + r))));
}

static uint64_t bits_of(sparcl_dtype dtype, double x) {
    const float narrow = (float)x;
    uint32_t low;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&low, &narrow, sizeof low);
    return dtype == SPARCL_F64 ? bits : low;
}

static double number_of(sparcl_dtype dtype, uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float narrow;
    double x;
    memcpy(&x, &bits, sizeof x);
    memcpy(&narrow, &low, sizeof narrow);
    return dtype == SPARCL_F64 ? x : narrow;
}

double spec_cbrt(sparcl_dtype dtype, double x) {
    const constants *const c = constants_of(dtype);
    const double a = fabs(x);
    if (!(a < INFINITY) || a == 0) return x;
    const bool is_small = a < c->min_normal;
    const double s = is_small ? ldexp(a, c->cbrt_scale) : a;
    double t = halley(dtype, s, number_of(dtype, bits_of(dtype, s) / 3 + c->cbrt_start));
    if (dtype == SPARCL_F64) t = halley(dtype, s, t);
    const uint64_t rounded = bits_of(dtype, t) + ((uint64_t)1 << (c->cbrt_drop - 1));
    t = halley(dtype, s, number_of(dtype, rounded >> c->cbrt_drop << c->cbrt_drop));
    return copysign(is_small ? ldexp(t, -c->cbrt_scale / 3) : t, x);
}
