/* elementary.c: exp, log and functions of them with the operations of cl/elementary.cl, for the
 * order answers. */
#include "spec/elementary.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static float as_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t as_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

float spec_exp(float x) {
    if (isnan(x)) return x;
    if (x > 89.0f) return INFINITY;
    if (x < -104.0f) return 0.0f;
    const float t = x * 1.44269504f;
    const int n = (int)(t + (t < 0 ? -0.5f : 0.5f));
    const float r = (x - (float)n * 0.693359375f) - (float)n * -2.12194440e-4f;
    static const float taylor[] = {1.9841270e-4f, 1.3888889e-3f, 8.3333333e-3f,
                                   4.1666667e-2f, 1.6666667e-1f, 0.5f};
    float p = taylor[0];
    for (int i = 1; i < 6; ++i)
        p = p * r + taylor[i];
    p = p * r * r + r;
    p = p + 1.0f;
    const int half = n / 2;
    return p * as_float((uint32_t)(half + 127) << 23) * as_float((uint32_t)(n - half + 127) << 23);
}

static float log_normal(float x) {
    const uint32_t bits = as_bits(x) + (0x3f800000u - 0x3f3504f3u);
    const float k = (float)((int)(bits >> 23) - 127);
    const float f = as_float((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    const float s = f / (2.0f + f), z = s * s;
    float r = 0.24279078841f;
    r = r * z + 0.28498786688f;
    r = r * z + 0.40000972152f;
    r = r * z + 0.66666662693f;
    r = r * z;
    const float half_square = 0.5f * f * f;
    const float low = s * (half_square + r) + k * 9.0580006145e-6f;
    return ((low - half_square) + f) + k * 6.9313812256e-1f;
}

float spec_log(float x) {
    if (isnan(x) || x < 0) return NAN;
    if (x == 0) return -INFINITY;
    if (isinf(x)) return x;
    if (x < 1.17549435e-38f) return log_normal(x * 8388608.0f) - 15.942385f;
    return log_normal(x);
}

float spec_log1p(float x) {
    const float u = 1.0f + x;
    if (!(u < INFINITY)) return u;
    return spec_log(u) + (x - (u - 1.0f)) / u;
}

float spec_sigmoid(float x) {
    const float e = spec_exp(-fabsf(x));
    return x >= 0 ? 1.0f / (1.0f + e) : e / (1.0f + e);
}

float spec_tanh(float x) {
    static const float series[] = {-5.7049864e-3f, 2.0639086e-2f, -5.3739715e-2f, 1.3331442e-1f,
                                   -3.3333281e-1f};
    if (isnan(x)) return x;
    const float a = fabsf(x), z = a * a, e = spec_exp(-2.0f * a);
    float p = series[0];
    for (int i = 1; i < 5; ++i)
        p = p * z + series[i];
    return copysignf(a < 0.625f ? p * z * a + a : 1.0f - (e + e) / (1.0f + e), x);
}
