/* half_states.cl: states of 16 bits, which are rounded at random, or with SPC_VARIANT to nearest.
 * After halves.cl and philox.cl, where SPC_STATES is set.
 *
 * Defines  STATE; READ_STATE and WRITE_STATE of 1, 2, 4, 8 and 16 elements; WORDS, random_words:
 *          word k of an element is for its state k; narrow_random: the larger neighbour in magnitude
 *          with a probability that is the distance from the smaller one, in units of theirs
 * Method   integer operations: the same bits on every device. The upper bits of a word are added to
 *          the digits that are dropped: 16 of them for BF16, 13 for F16, more for its subnormal
 *          numbers. F16: what is smaller than 2^-32 becomes 0. A NaN becomes a quiet NaN.
 */

typedef ushort STATE;

/* S, U, F: vectors of n ushort, uint and float. */
#if HALVES_F16
#define NARROW_RANDOM(n, S, U, F)                                                                  \
    ALWAYS_INLINE S narrow_random##n(F x, U word) {                                                \
        const U bits = as_##U(x), magnitude = bits & 0x7fffffffu;                                  \
        const U normal = (magnitude - (112u << 23) + (word >> 19)) >> 13;                          \
        const U shift = clamp(126u - (magnitude >> 23), (U)(1u), (U)(31u));                        \
        const U fraction = (magnitude & 0x7fffffu) | 0x800000u;                                    \
        const U small = (fraction + (word >> (32u - shift))) >> shift;                             \
        U value = magnitude < 0x38800000u ? small : normal;                                        \
        value = magnitude < 0x2f800000u ? (U)(0u) : value;                                         \
        value = magnitude >= 0x47800000u ? (U)(0x7c00u) : value;                                   \
        value = magnitude > 0x7f800000u ? (U)(0x7e00u) : value;                                    \
        return convert_##S(value | (bits >> 16 & 0x8000u));                                        \
    }
#else
#define NARROW_RANDOM(n, S, U, F)                                                                  \
    ALWAYS_INLINE S narrow_random##n(F x, U word) {                                                \
        const U bits = as_##U(x), nan = (bits >> 16 & 0x8000u) | 0x7fc0u;                          \
        const U rounded = (bits + (word >> 16)) >> 16;                                             \
        return convert_##S((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);                    \
    }
#endif

typedef uint WORDS1;
ALWAYS_INLINE void random_words1(ulong element, ulong number, ulong seed, WORDS1 *words) {
    uint c[4] = {(uint)element, (uint)(element >> 32), (uint)number, (uint)(number >> 32)};
    philox(c, seed);
    for (int k = 0; k < 3; ++k) words[k] = c[k];
}
NARROW_RANDOM(1, ushort, uint, float)

#if SPC_GPU
typedef uint4 WORDS4;
ALWAYS_INLINE void random_words4(ulong element, ulong number, ulong seed, WORDS4 *words) {
    WORDS1 a[3], b[3], c[3], d[3];
    random_words1(element, number, seed, a);
    random_words1(element + 1, number, seed, b);
    random_words1(element + 2, number, seed, c);
    random_words1(element + 3, number, seed, d);
    for (int k = 0; k < 3; ++k) words[k] = (uint4)(a[k], b[k], c[k], d[k]);
}
NARROW_RANDOM(4, ushort4, uint4, float4)
#else
PHILOX(philox_of_low2, ulong2, UPPER_OF_LOW, PRODUCT_OF_LOW)
PHILOX(philox_of_low4, ulong4, UPPER_OF_LOW, PRODUCT_OF_LOW)
PHILOX(philox_of_low8, ulong8, UPPER_OF_LOW, PRODUCT_OF_LOW)
#define philox_of_low16 philox_of_low
#define EACH_OF_2       (ulong2)(0, 1)
#define EACH_OF_4       (ulong4)(0, 1, 2, 3)
#define EACH_OF_8       (ulong8)(0, 1, 2, 3, 4, 5, 6, 7)
#define EACH_OF_16      SIXTEEN
#define RANDOM_WORDS(n)                                                                            \
    typedef uint##n WORDS##n;                                                                      \
    ALWAYS_INLINE void random_words##n(ulong element, ulong number, ulong seed, WORDS##n *words) { \
        const ulong##n each = element + EACH_OF_##n;                                               \
        ulong##n c[4] = {each, each >> 32, (ulong##n)(number), (ulong##n)(number >> 32)};          \
        philox_of_low##n(c, seed);                                                                 \
        for (int k = 0; k < 3; ++k) words[k] = convert_uint##n(c[k]);                              \
    }
RANDOM_WORDS(2)
RANDOM_WORDS(4)
RANDOM_WORDS(8)
RANDOM_WORDS(16)
NARROW_RANDOM(2, ushort2, uint2, float2)
NARROW_RANDOM(4, ushort4, uint4, float4)
NARROW_RANDOM(8, ushort8, uint8, float8)
NARROW_RANDOM(16, ushort16, uint16, float16)
#endif

#define LOAD_STATE1(p)     (*(p))
#define LOAD_STATE2(p)     vload2(0, p)
#define LOAD_STATE4(p)     vload4(0, p)
#define STORE_STATE1(x, p) (*(p) = (x))
#define STORE_STATE2(x, p) vstore2(x, 0, p)
#define STORE_STATE4(x, p) vstore4(x, 0, p)
#define STORE_STATE8(x, p) vstore8(x, 0, p)
#define STORE_STATE16(x, p) STORE_SIXTEEN(ushort, x, p)
#if SPC_HINTS && defined(POCL_DEVICE_ADDRESS_BITS) /* see panel.cl */
typedef ushort8 UNALIGNED_STATE8 __attribute__((aligned(sizeof(STATE))));
typedef ushort16 UNALIGNED_STATE16 __attribute__((aligned(sizeof(STATE))));
#define LOAD_STATE8(p)  (*(__global const UNALIGNED_STATE8 *)(p))
#define LOAD_STATE16(p) (*(__global const UNALIGNED_STATE16 *)(p))
#else
#define LOAD_STATE8(p)  vload8(0, p)
#define LOAD_STATE16(p) vload16(0, p)
#endif
#define READ_STATE(n, p) widen##n(LOAD_STATE##n(p))
#if SPC_VARIANT
#define RANDOM_WORDS_OF(n, element, number, seed)
#define WRITE_STATE(n, k, x, p) STORE_STATE##n(narrow##n(x), p)
#else
#define RANDOM_WORDS_OF(n, element, number, seed)                                                  \
    WORDS##n words[3];                                                                             \
    random_words##n(element, number, seed, words);
#define WRITE_STATE(n, k, x, p) STORE_STATE##n(narrow_random##n(x, words[k]), p)
#endif
