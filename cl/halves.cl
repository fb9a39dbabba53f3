/* halves.cl: values of 16 bits, computed with as float. Comes after prelude.cl where SPC_F16,
 * SPC_BF16 or SPC_STATES is set.
 *
 * Defines  STORED and vectors of it, READ_AT, WRITE_AT, unless only states have 16 bits; HALVES_F16:
 *          halves, not bfloat16; widen and narrow, of 1, 2, 4, 8 and 16 elements
 * Method   integer operations: the same bits also on devices without halves, and on those that flush
 *          subnormal numbers; or, with SPC_HINTS, the instructions that some processors have (F16C),
 *          which give the same. narrow rounds to nearest, ties to even; a NaN becomes a quiet NaN.
 */

#if STORES_HALVES
typedef ushort STORED;
typedef ushort2 STORED2;
typedef ushort4 STORED4;
typedef ushort8 STORED8;
typedef ushort16 STORED16;
#define READ_AT(p, i)     widen1((p)[i])
#define WRITE_AT(p, i, x) ((p)[i] = narrow1(x))
#endif
#define HALVES_F16 (SPC_F16 || SPC_STATES == SPC_STATES_F16)

#if HALVES_F16 && SPC_HINTS && defined(__F16C__)
#define HAS_F16C 1
#else
#define HAS_F16C 0
#endif

/* S, U, F: vectors of n ushort, uint and float. A condition chooses element by element. */
#if HAS_F16C

#define CONVERSIONS(n, S, U, F)                                                                    \
    typedef __fp16 half_##n __attribute__((ext_vector_type(n)));                                   \
    ALWAYS_INLINE F widen##n(S x) {                                                                \
        return __builtin_convertvector(__builtin_astype(x, half_##n), F);                          \
    }                                                                                              \
    ALWAYS_INLINE S narrow##n(F x) {                                                               \
        return __builtin_astype(__builtin_convertvector(x, half_##n), S);                          \
    }

#elif HALVES_F16

/* 2^-24 is the unit of subnormal halves, whose fraction times it is exact and a normal float. */
#define CONVERSIONS(n, S, U, F)                                                                    \
    ALWAYS_INLINE F widen##n(S x) {                                                                \
        const U bits = convert_##U(x), magnitude = (bits & 0x7fffu) << 13;                         \
        const U normal = magnitude + (112u << 23), special = magnitude | 0x7f800000u;              \
        const U small = as_##U(convert_##F(bits & 0x3ffu) * 0x1p-24f);                             \
        const U exponent = bits & 0x7c00u;                                                         \
        const U large = exponent == 0x7c00u ? special : normal;                                    \
        return as_##F((exponent == 0u ? small : large) | (bits & 0x8000u) << 16);                  \
    }                                                                                              \
    ALWAYS_INLINE S narrow##n(F x) {                                                               \
        const U bits = as_##U(x), magnitude = bits & 0x7fffffffu;                                  \
        const U rebased = magnitude - (112u << 23);                                                \
        const U normal = (rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13;                        \
        const U distance = 126u - (magnitude >> 23);                                               \
        const U shift = distance > 31u ? (U)(31u) : distance;                                      \
        const U fraction = (magnitude & 0x7fffffu) | 0x800000u, kept = fraction >> shift;          \
        const U below_half = ((U)(1u) << (shift - 1u)) - 1u;                                       \
        const U small = (fraction + below_half + (kept & 1u)) >> shift;                            \
        U value = magnitude < 0x38800000u ? small : normal;                                        \
        value = magnitude >= 0x47800000u ? (U)(0x7c00u) : value;                                   \
        value = magnitude > 0x7f800000u ? (U)(0x7e00u) : value;                                    \
        return convert_##S(value | (bits >> 16 & 0x8000u));                                        \
    }

#else

#define CONVERSIONS(n, S, U, F)                                                                    \
    ALWAYS_INLINE F widen##n(S x) {                                                                \
        return as_##F(convert_##U(x) << 16);                                                       \
    }                                                                                              \
    ALWAYS_INLINE S narrow##n(F x) {                                                               \
        const U bits = as_##U(x);                                                                  \
        const U rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;                              \
        const U nan = (bits >> 16 & 0x8000u) | 0x7fc0u;                                            \
        return convert_##S((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);                    \
    }

#endif

CONVERSIONS(2, ushort2, uint2, float2)
CONVERSIONS(4, ushort4, uint4, float4)
CONVERSIONS(8, ushort8, uint8, float8)
CONVERSIONS(16, ushort16, uint16, float16)
#if HAS_F16C
/* The first of four. */
ALWAYS_INLINE float widen1(ushort x) {
    return widen4((ushort4)(x, 0, 0, 0)).x;
}
ALWAYS_INLINE ushort narrow1(float x) {
    return narrow4((float4)(x, 0, 0, 0)).x;
}
#else
CONVERSIONS(1, ushort, uint, float)
#endif
