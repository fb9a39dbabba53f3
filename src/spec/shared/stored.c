/* stored.c: values of any element type, as doubles on the host. Those of 16 bits are rounded with
 * the functions of the C library, by another method than the kernels (cl/halves.cl). */
#include "spec/shared/stored.h"

#include <math.h>
#include <string.h>

#include "spec/shared/spec.h"

/* Bits of a fraction, and the smallest exponent of a normal number. */
typedef struct half_format {
    int fraction, min_exponent, bias;
    double overflow; /* this and larger numbers become infinite */
} half_format;

static const half_format f16 = {10, -14, 15, 65520.0}, bf16 = {7, -126, 127, 0x1.ffp127};

static double round_half(const half_format *f, double x) {
    int exponent;
    const double magnitude = fabs(x);
    if (isnan(x) || magnitude == 0) return x;
    if (magnitude >= f->overflow) return copysign(INFINITY, x);
    frexp(magnitude, &exponent);
    --exponent; /* frexp has 0.5 <= fraction < 1 */
    if (exponent < f->min_exponent) exponent = f->min_exponent;
    const double unit = ldexp(1, exponent - f->fraction);
    return copysign(nearbyint(magnitude / unit) * unit, x);
}

double spec_store(sparcl_dtype dtype, double x) {
    switch (dtype) {
    case SPARCL_F16:
        return round_half(&f16, x);
    case SPARCL_BF16:
        return round_half(&bf16, x);
    case SPARCL_F32:
        return (double)(float)x;
    default:
        return x;
    }
}

/* A number is a whole number of units, and a rest of which the kernel has `digits` binary digits.
 */
double spec_store_random(sparcl_dtype dtype, double x, uint32_t word) {
    const half_format *const f = dtype == SPARCL_F16 ? &f16 : &bf16;
    const double magnitude = fabs(x);
    int exponent;
    if (isnan(x) || isinf(x) || magnitude == 0) return x;
    if (dtype == SPARCL_F16 && magnitude < 0x1p-32) return copysign(0, x);
    frexp(magnitude, &exponent);
    --exponent;
    const bool is_normal = exponent >= f->min_exponent || dtype == SPARCL_BF16;
    const int digits = is_normal ? 23 - f->fraction : -1 - exponent;
    const double unit =
        ldexp(1, (exponent < f->min_exponent ? f->min_exponent : exponent) - f->fraction);
    const double whole = floor(magnitude / unit), rest = magnitude / unit - whole;
    const bool is_up = ldexp(rest, digits) + (word >> (32 - digits)) >= ldexp(1, digits);
    const double result = (whole + is_up) * unit;
    return copysign(result > f->overflow ? INFINITY : result, x);
}

double spec_store_unit(sparcl_dtype dtype) {
    return dtype == SPARCL_F16 ? 0x1p-11 : dtype == SPARCL_BF16 ? 0x1p-8 : 0;
}

double spec_store_error(sparcl_dtype dtype, double x) {
    const double relative = spec_store_unit(dtype) * fabs(x);
    const double smallest = dtype == SPARCL_F16 ? 0x1p-25 : 0; /* half of the unit of subnormals */
    return relative > smallest ? relative : smallest;
}

void spec_store_answer(sparcl_dtype dtype, double *order, double truth, double *bound) {
    *order = spec_store(dtype, *order);
    *bound += spec_store_error(dtype, fabs(truth) + *bound);
}

static uint16_t half_bits(const half_format *f, double x) {
    int exponent;
    const double magnitude = fabs(round_half(f, x));
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const int infinite = (2 * f->bias + 1) << f->fraction;
    if (isnan(x)) return (uint16_t)(infinite | 1 << (f->fraction - 1));
    if (isinf(magnitude)) return (uint16_t)(sign | infinite);
    frexp(magnitude, &exponent);
    --exponent;
    if (magnitude == 0 || exponent < f->min_exponent) /* subnormal */
        return (uint16_t)(sign | (int)ldexp(magnitude, f->fraction - f->min_exponent));
    const int fraction = (int)ldexp(magnitude, f->fraction - exponent) - (1 << f->fraction);
    return (uint16_t)(sign | (exponent + f->bias) << f->fraction | fraction);
}

static double half_value(const half_format *f, uint16_t bits) {
    const int fraction = bits & ((1 << f->fraction) - 1);
    const int exponent = (bits & 0x7fff) >> f->fraction;
    double x;
    if (exponent == 2 * f->bias + 1)
        x = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        x = ldexp(fraction, f->min_exponent - f->fraction);
    else
        x = ldexp(fraction + (1 << f->fraction), exponent - f->bias - f->fraction);
    return bits & 0x8000 ? -x : x;
}

void spec_encode(sparcl_dtype dtype, void *array, int64_t i, double x) {
    switch (dtype) {
    case SPARCL_F32:
        ((float *)array)[i] = (float)x;
        break;
    case SPARCL_F64:
        ((double *)array)[i] = x;
        break;
    case SPARCL_F16:
        ((uint16_t *)array)[i] = half_bits(&f16, x);
        break;
    case SPARCL_BF16:
        ((uint16_t *)array)[i] = half_bits(&bf16, x);
        break;
    case SPARCL_INT32:
        ((int32_t *)array)[i] = (int32_t)x;
        break;
    case SPARCL_INT64:
        ((int64_t *)array)[i] = (int64_t)x;
        break;
    case SPARCL_BOOL:
        ((uint8_t *)array)[i] = x != 0;
        break;
    }
}

double spec_decode(sparcl_dtype dtype, const void *array, int64_t i) {
    switch (dtype) {
    case SPARCL_F32:
        return (double)((const float *)array)[i];
    case SPARCL_F64:
        return ((const double *)array)[i];
    case SPARCL_F16:
        return half_value(&f16, ((const uint16_t *)array)[i]);
    case SPARCL_BF16:
        return half_value(&bf16, ((const uint16_t *)array)[i]);
    case SPARCL_INT32:
        return (double)((const int32_t *)array)[i];
    case SPARCL_INT64:
        return (double)((const int64_t *)array)[i];
    case SPARCL_BOOL:
        return (double)((const uint8_t *)array)[i];
    }
    return 0;
}

void spec_make_storable(sparcl_dtype dtype, double *x, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const double whole = trunc(100 * x[i]);
        x[i] = dtype == SPARCL_BOOL  ? 1
               : dtype > SPARCL_BF16 ? (whole == 0 ? 1 : whole)
                                     : spec_store(dtype, x[i]);
    }
}
