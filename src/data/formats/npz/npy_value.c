/* npy_value.c: converts single elements of NumPy arrays to numbers. */
#include <math.h>

#include "base/bits.h"
#include "data/formats/npz/npy.h"

/* The bits of element k, in the low bytes. */
static uint64_t bits_of(const spc_npy *array, int64_t k) {
    const unsigned char *at = (const unsigned char *)array->bytes.at + (size_t)k * array->size;
    uint64_t bits = 0;
    for (size_t i = 0; i < array->size; i++)
        bits |= (uint64_t)at[array->big_endian ? array->size - 1 - i : i] << (8 * i);
    return bits;
}

static int64_t signed_of(uint64_t bits, size_t size) {
    switch (size) {
    case 1:
        return (int8_t)bits;
    case 2:
        return (int16_t)bits;
    case 4:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

static double half_of(uint64_t bits) {
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31) value = fraction ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -value : value;
}

static double float_of(uint64_t bits, size_t size) {
    if (size == 2) return half_of(bits);
    return size == 8 ? spc_f64_of_bits(bits) : (double)spc_f32_of_bits((uint32_t)bits);
}

bool spc_npy_is_number(const spc_npy *array) {
    return array->kind == 'b' || array->kind == 'i' || array->kind == 'u' || array->kind == 'f';
}

static spc_npy_result bool_of(uint64_t bits) {
    return bits <= 1 ? SPC_NPY_EXACT : SPC_NPY_BAD;
}

/* An integer is an exact float when it has at most `digits` bits without its trailing zeros. */
static spc_npy_result exactness(uint64_t magnitude, int digits) {
    if (magnitude == 0) return SPC_NPY_EXACT;
    const uint64_t odd = magnitude >> __builtin_ctzll(magnitude);
    return odd >> digits == 0 ? SPC_NPY_EXACT : SPC_NPY_ROUNDED;
}

spc_npy_result spc_npy_f32(const spc_npy *array, int64_t k, float *value) {
    const uint64_t bits = bits_of(array, k);
    if (array->kind == 'f') {
        const double wide = float_of(bits, array->size);
        *value = (float)wide;
        if (isnan(wide)) return SPC_NPY_EXACT;
        if (isinf(*value) && !isinf(wide)) return SPC_NPY_RANGE;
        return (double)*value == wide ? SPC_NPY_EXACT : SPC_NPY_ROUNDED;
    }
    if (array->kind == 'i') {
        const int64_t integer = signed_of(bits, array->size);
        *value = (float)integer;
        return exactness(integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer, 24);
    }
    *value = (float)bits;
    return array->kind == 'b' ? bool_of(bits) : exactness(bits, 24);
}

spc_npy_result spc_npy_f64(const spc_npy *array, int64_t k, double *value) {
    const uint64_t bits = bits_of(array, k);
    if (array->kind == 'f') {
        *value = float_of(bits, array->size);
        return SPC_NPY_EXACT;
    }
    if (array->kind == 'i') {
        const int64_t integer = signed_of(bits, array->size);
        *value = (double)integer;
        return exactness(integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer, 53);
    }
    *value = (double)bits;
    return array->kind == 'b' ? bool_of(bits) : exactness(bits, 53);
}

spc_npy_result spc_npy_i64(const spc_npy *array, int64_t k, int64_t *value) {
    const uint64_t bits = bits_of(array, k);
    *value = array->kind == 'i' ? signed_of(bits, array->size) : (int64_t)bits;
    return array->kind == 'u' && bits > INT64_MAX ? SPC_NPY_RANGE : SPC_NPY_EXACT;
}
