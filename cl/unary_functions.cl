/* unary_functions.cl: functions of one number with the same bits everywhere, from additions,
 * multiplications, integers, and correctly rounded division and square root. After elementary.cl;
 * src/spec/elements/unary_functions.c has the same for the host.
 *
 * Defines  own_sin, own_cos, own_tan, own_arcsin, own_arctan, own_sinh, own_cosh, own_arcsinh,
 *          own_arctanh, own_expm1, own_log1p_all, own_cbrt (of REAL; errors in docs/numerics.md)
 * Method   sin, cos, tan: the reduced argument is a product with the bits of 2 / pi in integers, for
 *          all numbers alike (Payne and Hanek 1983), as a sum of two numbers; then polynomials.
 *          arcsin: polynomial to 0.5, then pi/2 - 2 arcsin(sqrt((1 - x) / 2)). arctan: polynomial to
 *          tan(pi/8), of (x - 1) / (x + 1) to tan(3 pi/8), of -1 / x from there on. cbrt: a third of
 *          the exponent's bits, then Halley's rule. Each polynomial has the smallest maximum of the
 *          relative error.
 */

#define UNARY_FUNCTIONS 1 /* for unary.cl */
#define WORD_BITS   ((int)(8 * sizeof(BITS)))
#define PRECISION   (FRACTION_BITS + 1)
#define WITH_SIGN(y, x) AS_REAL(AS_BITS(y) | (AS_BITS(x) & SIGN)) /* y >= 0 gets the sign of x */

#if SPC_F64

#define PI_2_BITS    0xc90fdaa22168c234UL
#define PI_2         1.5707963267948966
#define PI_2_LOW     6.123233995736766e-17
#define PI_4         0.7853981633974483
#define PI_4_LOW     3.061616997868383e-17
#define TAN_PI_8     0.41421356237309503
#define TAN_3_PI_8   2.414213562373095
#define LN2          0.6931471805599453
#define EXPM1_LARGE  40.0
#define SINH_INFINITE 711.0
#define SQUARE_LARGE 268435456.0 /* 1 + x^2 is x^2 from here on */
#define CBRT_SCALE   18014398509481984.0 /* 2^54, for subnormal numbers, */
#define CBRT_UNSCALE 3.814697265625e-06  /* and 2^-18 */
#define CBRT_START   0x2a9f78939b40fa00UL
#define CBRT_DROP    27 /* bits, so that a square is exact */

/* Words of 2 / pi, after a word of zeros. */
__constant BITS two_over_pi[20] = {
    0x0000000000000000UL, 0xa2f9836e4e441529UL, 0xfc2757d1f534ddc0UL, 0xdb6295993c439041UL,
    0xfe5163abdebbc561UL, 0xb7246e3a424dd2e0UL, 0x06492eea09d1921cUL, 0xfe1deb1cb129a73eUL,
    0xe88235f52ebb4484UL, 0xe99c7026b45f7e41UL, 0x3991d639835339f4UL, 0x9c845f8bbdf9283bUL,
    0x1ff897ffde05980fUL, 0xef2f118b5a0a6d1fUL, 0x6d367ecf27cb09b7UL, 0x4f463f669e5fea2dUL,
    0x7527bac7ebe5f17bUL, 0x3d0739f78a5292eaUL, 0x6bfb5fb11f8d5d08UL, 0x56033046fc7b6babUL};

/* (sin(x) - x) / x^3, z = x^2 */
static double sin_series(double z) {
    double p = 1.5896230385851776e-10;
    p = p * z + -2.50507477679226e-08;
    p = p * z + 2.7557313621427765e-06;
    p = p * z + -0.00019841269829589701;
    p = p * z + 0.008333333333322118;
    return p * z + -0.1666666666666663;
}

/* (cos(x) - 1 + x^2 / 2) / x^4 */
static double cos_series(double z) {
    double p = -1.1358536522552563e-11;
    p = p * z + 2.087570084177392e-09;
    p = p * z + -2.7557314179293045e-07;
    p = p * z + 2.480158728885168e-05;
    p = p * z + -0.0013888888888873056;
    return p * z + 0.041666666666666595;
}

/* (arcsin(x) - x) / x^3 */
static double arcsin_series(double z) {
    double p = 0.031912287766414076;
    p = p * z + -0.016224279309437113;
    p = p * z + 0.019528282324607276;
    p = p * z + 0.006527969016459081;
    p = p * z + 0.012169213017353178;
    p = p * z + 0.013885235293462543;
    p = p * z + 0.017359704771631065;
    p = p * z + 0.022371758051076305;
    p = p * z + 0.0303819591368552;
    p = p * z + 0.04464285682833424;
    p = p * z + 0.07500000000337002;
    return p * z + 0.16666666666665408;
}

/* (arctan(x) - x) / x^3 */
static double arctan_series(double z) {
    double p = -0.017905003272762482;
    p = p * z + 0.03806210669715472;
    p = p * z + -0.05039189119779851;
    p = p * z + 0.0584785898541576;
    p = p * z + -0.06663099164900622;
    p = p * z + 0.07692059714139132;
    p = p * z + -0.09090897725081258;
    p = p * z + 0.11111110782150124;
    p = p * z + -0.1428571428016651;
    p = p * z + 0.19999999999953247;
    return p * z + -0.333333333333332;
}

/* (sinh(x) - x) / x^3 */
static double sinh_series(double z) {
    double p = 7.758749227819662e-13;
    p = p * z + 1.60572597541852e-10;
    p = p * z + 2.505212313691506e-08;
    p = p * z + 2.7557319157070645e-06;
    p = p * z + 0.00019841269841431875;
    p = p * z + 0.008333333333333148;
    return p * z + 0.16666666666666669;
}

#else

#define PI_2_BITS    0xc90fdaa2u
#define PI_2         1.57079637f
#define PI_2_LOW     -4.37113883e-08f
#define PI_4         0.785398185f
#define PI_4_LOW     -2.18556941e-08f
#define TAN_PI_8     0.414213568f
#define TAN_3_PI_8   2.41421366f
#define LN2          0.693147182f
#define EXPM1_LARGE  20.0f
#define SINH_INFINITE 90.0f
#define SQUARE_LARGE 8192.0f /* 1 + x^2 is x^2 from here on */
#define CBRT_SCALE   16777216.0f /* 2^24, for subnormal numbers, */
#define CBRT_UNSCALE 0.00390625f /* and 2^-8 */
#define CBRT_START   0x2a5119f2u
#define CBRT_DROP    12 /* bits, so that a square is exact */

/* Words of 2 / pi, after a word of zeros. */
__constant BITS two_over_pi[8] = {0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                  0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};

/* (sin(x) - x) / x^3, z = x^2 */
static float sin_series(float z) {
    float p = -0.000195152839f;
    p = p * z + 0.0083321603f;
    return p * z + -0.166666552f;
}

/* (cos(x) - 1 + x^2 / 2) / x^4 */
static float cos_series(float z) {
    float p = 2.44331568e-05f;
    p = p * z + -0.00138873165f;
    return p * z + 0.0416666456f;
}

/* (arcsin(x) - x) / x^3 */
static float arcsin_series(float z) {
    float p = 0.0421662889f;
    p = p * z + 0.0241795313f;
    p = p * z + 0.0454703718f;
    p = p * z + 0.0749529749f;
    return p * z + 0.166667521f;
}

/* (arctan(x) - x) / x^3 */
static float arctan_series(float z) {
    float p = -0.0607822314f;
    p = p * z + 0.105938144f;
    p = p * z + -0.142435342f;
    p = p * z + 0.199984714f;
    return p * z + -0.333333164f;
}

/* (sinh(x) - x) / x^3 */
static float sinh_series(float z) {
    float p = 2.81695134e-06f;
    p = p * z + 0.000198361595f;
    p = p * z + 0.0083333496f;
    return p * z + 0.166666672f;
}

#endif

/* --- sine, cosine, tangent -------------------------------------------------------------------- */

/* Two words are joined with + and mul_hi, not with |, of which LLVM makes an fshl that Oclgrind does
 * not have. */

/* x = quadrant * pi/2 + (r + low), abs(r) at most pi/4. */
typedef struct {
    REAL r, low;
    int quadrant;
} reduced;

/* The word of 2 / pi that begins at a bit of word `at`. */
static BITS word_of_two_over_pi(int at, int bit) {
    return (two_over_pi[at] << bit) + ((two_over_pi[at + 1] >> 1) >> (WORD_BITS - 1 - bit));
}

/* Of a > pi/4. The product of its significand and three words of 2 / pi, from the bits on that
 * matter modulo 4: the quadrant, and a fraction of two words. */
static reduced reduce(REAL a) {
    const BITS significand = (AS_BITS(a) & FRACTION) | (FRACTION + 1);
    const int exponent = (int)(AS_BITS(a) >> FRACTION_BITS) - BIAS - FRACTION_BITS;
    const int from = exponent - 2 + WORD_BITS, at = from / WORD_BITS, bit = from & (WORD_BITS - 1);
    const BITS w1 = word_of_two_over_pi(at + 1, bit);
    const BITS upper = significand * word_of_two_over_pi(at, bit) + mul_hi(significand, w1);
    const BITS p1 = significand * w1 + mul_hi(significand, word_of_two_over_pi(at + 2, bit));
    const BITS p0 = upper + (p1 < significand * w1);
    BITS f0 = (p0 << 2) + mul_hi(p1, (BITS)4), f1 = p1 << 2;
    const int is_negative = (int)(f0 >> (WORD_BITS - 1));
    if (is_negative) {
        f1 = ~f1 + 1;
        f0 = ~f0 + (f1 == 0);
    }
    /* times pi/2; what is cut off is less than a hundredth of the last place of r */
    const int shift = min((int)clz(f0), WORD_BITS - 1);
    const BITS fraction = (f0 << shift) + ((f1 >> 1) >> (WORD_BITS - 1 - shift));
    const BITS angle = mul_hi(fraction, PI_2_BITS);
    const BITS rest = angle & (((BITS)1 << (WORD_BITS - PRECISION)) - 1);
    reduced x;
    x.r = (REAL)(angle >> (WORD_BITS - PRECISION)) * power_of_two(1 - PRECISION - shift);
    x.low = (REAL)rest * power_of_two(1 - WORD_BITS - shift);
    if (is_negative) {
        x.r = -x.r;
        x.low = -x.low;
    }
    x.quadrant = (int)((p0 + ((BITS)1 << (WORD_BITS - 3))) >> (WORD_BITS - 2));
    return x;
}

static reduced reduce_any(REAL a) {
    reduced x = {a, 0, 0};
    if (a > PI_4) x = reduce(a);
    return x;
}

static REAL near_sin(REAL r, REAL low) {
    const REAL z = r * r;
    return r + (sin_series(z) * z * r + low * (1.0f - 0.5f * z));
}

static REAL near_cos(REAL r, REAL low) {
    const REAL z = r * r, half_z = 0.5f * z, w = 1.0f - half_z;
    return w + (((1.0f - w) - half_z) + (cos_series(z) * z * z - r * low));
}

static REAL sin_of(reduced x) {
    const REAL y = x.quadrant & 1 ? near_cos(x.r, x.low) : near_sin(x.r, x.low);
    return x.quadrant & 2 ? -y : y;
}

static REAL own_sin(REAL x) {
    const REAL y = sin_of(reduce_any(fabs(x)));
    return fabs(x) < INFINITY ? AS_REAL(AS_BITS(y) ^ (AS_BITS(x) & SIGN)) : NAN;
}

static REAL own_cos(REAL x) {
    reduced a = reduce_any(fabs(x));
    ++a.quadrant;
    return fabs(x) < INFINITY ? sin_of(a) : NAN;
}

static REAL own_tan(REAL x) {
    const reduced a = reduce_any(fabs(x));
    const REAL s = near_sin(a.r, a.low), c = near_cos(a.r, a.low);
    const REAL y = a.quadrant & 1 ? DIVIDE(-c, s) : DIVIDE(s, c);
    return fabs(x) < INFINITY ? AS_REAL(AS_BITS(y) ^ (AS_BITS(x) & SIGN)) : NAN;
}

/* --- their inverses --------------------------------------------------------------------------- */

static REAL own_arcsin(REAL x) {
    const REAL a = fabs(x);
    const int is_near = a < 0.5f;
    const REAL z = is_near ? a * a : 0.5f * (1.0f - a);
    const REAL t = is_near ? a : ROOT(z);
    const REAL s = arcsin_series(z) * z * t + t;
    const REAL y = is_near ? s : PI_2 - ((s + s) - PI_2_LOW);
    return a <= 1 ? WITH_SIGN(y, x) : NAN;
}

static REAL own_arctan(REAL x) {
    const REAL a = fabs(x);
    REAL t = a, base = 0, base_low = 0;
    if (a > TAN_3_PI_8) {
        t = DIVIDE(-1.0f, a);
        base = PI_2;
        base_low = PI_2_LOW;
    } else if (a > TAN_PI_8) {
        t = DIVIDE(a - 1.0f, a + 1.0f);
        base = PI_4;
        base_low = PI_4_LOW;
    }
    const REAL z = t * t;
    const REAL y = base + (t + (arctan_series(z) * z * t + base_low));
    return WITH_SIGN(y, x);
}

/* --- hyperbolic functions --------------------------------------------------------------------- */

/* exp(a) / 2, a >= 0; infinite only where that is too large. */
static REAL exp_halved(REAL a) {
    if (!(a < SINH_INFINITE)) return a * INFINITY; /* NaN stays */
    const int n = (int)(a * LOG2_E + 0.5f), half_n = n / 2;
    const REAL r = (a - (REAL)n * EXP_LN2_HIGH) - (REAL)n * EXP_LN2_LOW;
    const REAL p = exp_series(r) * r * r + r + 1.0f;
    return p * power_of_two(half_n) * power_of_two(n - half_n - 1);
}

static REAL own_sinh(REAL x) {
    const REAL a = fabs(x), z = a * a, e = exp_halved(a);
    const REAL y = a < 1 ? sinh_series(z) * z * a + a : e - DIVIDE(0.25f, e);
    return WITH_SIGN(y, x);
}

static REAL own_cosh(REAL x) {
    const REAL e = exp_halved(fabs(x));
    return e + DIVIDE(0.25f, e);
}

/* As exp, but r gets what its difference has lost, and 2^n - 1 is added at the end. */
static REAL own_expm1(REAL x) {
    if (!(fabs(x) < EXPM1_LARGE)) return own_exp(x) - 1.0f;
    const REAL t = x * LOG2_E;
    const int n = (int)(t + (t < 0 ? -0.5f : 0.5f));
    const REAL high = x - (REAL)n * EXP_LN2_HIGH, low = (REAL)n * EXP_LN2_LOW;
    const REAL r = high - low, lost = (high - r) - low;
    const REAL p = r + (exp_series(r) * r * r + lost), scale = power_of_two(n);
    const REAL y = n == 0 ? p : scale * p + (scale - 1.0f);
    return WITH_SIGN(fabs(y), x);
}

/* own_log1p, which needs a normal 1 + x, for all x. */
static REAL own_log1p_all(REAL x) {
    if (x == 0) return x;
    if (x <= -1) return x == -1 ? -INFINITY : NAN;
    return own_log1p(x);
}

static REAL own_arcsinh(REAL x) {
    const REAL a = fabs(x);
    if (!(a < SQUARE_LARGE)) return WITH_SIGN(own_log(a) + LN2, x);
    const REAL z = a * a;
    return WITH_SIGN(own_log1p(a + DIVIDE(z, 1.0f + ROOT(1.0f + z))), x);
}

static REAL own_arctanh(REAL x) {
    const REAL a = fabs(x);
    if (!(a <= 1)) return NAN;
    return WITH_SIGN(0.5f * own_log1p(DIVIDE(a + a, 1.0f - a)), x);
}

/* --- cube root -------------------------------------------------------------------------------- */

/* A third of the error's exponent. */
static REAL halley(REAL x, REAL t) {
    const REAL r = DIVIDE(x, t * t);
    return t + t * DIVIDE(r - t, (t + t) + r);
}

static REAL own_cbrt(REAL x) {
    const REAL a = fabs(x);
    if (!(a < INFINITY) || a == 0) return x;
    const int is_small = a < MIN_NORMAL;
    const REAL s = is_small ? a * CBRT_SCALE : a;
    REAL t = halley(s, AS_REAL(AS_BITS(s) / 3 + CBRT_START)); /* from 5 bits to 15 */
#if SPC_F64
    t = halley(s, t);
#endif
    t = AS_REAL((AS_BITS(t) + ((BITS)1 << (CBRT_DROP - 1))) >> CBRT_DROP << CBRT_DROP);
    t = halley(s, t);
    return WITH_SIGN(is_small ? t * CBRT_UNSCALE : t, x);
}
