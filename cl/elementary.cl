/* elementary.cl: exp, log and functions of them from only additions, multiplications and correctly rounded division,
 * so that they have the same bits everywhere. src/spec/elementary.c has the same for the host.
 *
 * Defines  own_exp, own_log, own_log1p, own_tanh (f32; error at most 2 ulp), own_sigmoid (3 ulp)
 * Method   exp: x = n ln2 + r, |r| <= ln2 / 2, Taylor series to r^7, times 2^n in two steps.
 *          log: x = 2^k (1 + f), s = f / (2 + f), series in s^2 with the coefficients of FreeBSD's
 *          msun (Ng, Sun Microsystems 1993). log1p(x) = log(u) + (x - (u - 1)) / u with u = 1 + x.
 *          tanh(x): x + x^3 P(x^2) below 0.625, P of degree 4 with the smallest maximum of the
 *          relative error; 1 - 2 e / (1 + e) with e = exp(-2 x) from there on.
 */

/* 2^n for -126 <= n <= 127. */
static float power_of_two(int n) {
    return as_float((n + 127) << 23);
}

static float own_exp(float x) {
    if (x != x) return x;
    if (x > 89.0f) return INFINITY;
    if (x < -104.0f) return 0.0f;
    const float t = x * 1.44269504f;
    const int n = (int)(t + (t < 0 ? -0.5f : 0.5f));
    /* The first part of ln2 has 9 bits, so its product with n is exact. */
    const float r = (x - (float)n * 0.693359375f) - (float)n * -2.12194440e-4f;
    float p = 1.9841270e-4f;
    p = p * r + 1.3888889e-3f;
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = p * r * r + r;
    p = p + 1.0f;
    const int half_n = n / 2; /* toward zero: both factors are normal numbers */
    return p * power_of_two(half_n) * power_of_two(n - half_n);
}

/* log of a positive, finite, normal number. */
static float log_normal(float x) {
    /* Scale the significand to [sqrt(1/2), sqrt(2)). */
    uint bits = as_uint(x) + (0x3f800000u - 0x3f3504f3u);
    const int k = (int)(bits >> 23) - 127;
    const float f = as_float((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    const float s = DIVIDE(f, 2.0f + f);
    const float z = s * s;
    float r = 0.24279078841f;
    r = r * z + 0.28498786688f;
    r = r * z + 0.40000972152f;
    r = r * z + 0.66666662693f;
    r = r * z;
    const float half_square = 0.5f * f * f;
    const float low = s * (half_square + r) + (float)k * 9.0580006145e-6f;
    return ((low - half_square) + f) + (float)k * 6.9313812256e-1f;
}

static float own_log(float x) {
    if (x != x || x < 0) return NAN;
    if (x == 0) return -INFINITY;
    if (x == INFINITY) return x;
    if (x < 1.17549435e-38f) return log_normal(x * 8388608.0f) - 15.942385f;
    return log_normal(x);
}

/* For x >= 0. */
static float own_log1p(float x) {
    const float u = 1.0f + x;
    if (!(u < INFINITY)) return u;
    return own_log(u) + DIVIDE(x - (u - 1.0f), u);
}

/* 1 / (1 + exp(-x)), without overflow. */
static float own_sigmoid(float x) {
    const float e = own_exp(-fabs(x));
    return DIVIDE(x >= 0 ? 1.0f : e, 1.0f + e);
}

static float own_tanh(float x) {
    const float a = fabs(x), z = a * a;
    float p = -5.7049864e-3f;
    p = p * z + 2.0639086e-2f;
    p = p * z + -5.3739715e-2f;
    p = p * z + 1.3331442e-1f;
    p = p * z + -3.3333281e-1f;
    const float e = own_exp(-2.0f * a);
    const float t = a < 0.625f ? p * z * a + a : 1.0f - DIVIDE(e + e, 1.0f + e);
    return as_float(as_uint(t) | (as_uint(x) & 0x80000000u)); /* also for -0 */
}
