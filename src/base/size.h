/* size.h: size arithmetic with overflow checks. */
#ifndef SPC_BASE_SIZE_H
#define SPC_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size field of a struct that callers fill: which of its fields a program knows. 0 are those of
 * the first version that had the field, which are all so far. */
static inline bool spc_is_struct_size(size_t given, size_t all) {
    return given == 0 || given == all;
}

/* *out = a * b, or false if the product overflows; both must be >= 0. */
static inline bool spc_mul_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool spc_add_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

static inline bool spc_mul_size(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

/* ceil(a / b) for a >= 0, b > 0. */
static inline int64_t spc_ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

static inline int64_t spc_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t spc_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

#endif
