/* bits.h: the bits of floating-point numbers. */
#ifndef SPC_BASE_BITS_H
#define SPC_BASE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t spc_f32_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float spc_f32_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t spc_f64_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double spc_f64_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
