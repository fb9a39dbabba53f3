/* threshold.c: a threshold as the bits of the largest number that is not stored. */
#include "ops/conversions/threshold.h"

#include <math.h>
#include <string.h>

/* The bits of the largest number up to t >= 0. */
static uint64_t bits_of_f64(double t) {
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    return bits;
}

static uint64_t bits_of_f32(double t) {
    uint32_t bits;
    float nearest = (float)t;
    if ((double)nearest > t) nearest = nextafterf(nearest, 0);
    memcpy(&bits, &nearest, sizeof bits);
    return bits;
}

/* With ten bits of fraction; below 2^-14 their unit is 2^-24. */
static uint64_t bits_of_f16(double t) {
    int exponent;
    if (isinf(t)) return 0x7c00;
    if (t >= 65504) return 0x7bff;
    frexp(t, &exponent);
    if (t < 0x1p-14) return (uint64_t)(t * 0x1p24);
    const uint64_t fraction = (uint64_t)ldexp(t, 11 - exponent); /* 1024 to 2047 */
    return ((uint64_t)(exponent + 13) << 10) + fraction;
}

sparcl_status spc_keep_of(sparcl_ctx *ctx, const char *op, sparcl_dtype dtype, double threshold,
                          spc_keep *keep) {
    const bool is_integer = dtype > SPARCL_BF16;
    if (isnan(threshold) || (is_integer && threshold > 0))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: threshold is %g, expected %s", op, threshold,
                            is_integer ? "at most 0 for integers and bool" : "a number");
    *keep = (spc_keep){.mask = ~(uint64_t)0, .all = threshold < 0};
    if (is_integer) return SPARCL_OK;
    keep->mask = dtype == SPARCL_F64   ? INT64_MAX
                 : dtype == SPARCL_F32 ? INT32_MAX
                                       : (uint64_t)INT16_MAX;
    if (threshold <= 0) return SPARCL_OK;
    keep->limit = dtype == SPARCL_F64   ? bits_of_f64(threshold)
                  : dtype == SPARCL_F32 ? bits_of_f32(threshold)
                  : dtype == SPARCL_F16 ? bits_of_f16(threshold)
                                        : bits_of_f32(threshold) >> 16;
    return SPARCL_OK;
}
