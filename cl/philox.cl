/* philox.cl: random numbers as a function of a counter and a key: Philox 4x32-10 (Salmon, Moraes,
 * Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011).
 *
 * Defines  philox: the four words of a counter; on few wide cores philox16: those of sixteen
 */

#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u

/* Ten rounds on the words c[0] .. c[3]; the key grows from round to round by the golden ratio and by
 * sqrt(3) - 1, times 2^32. UPPER and LOWER: the words of both products of a round. */
#define PHILOX(name, T, UPPER, LOWER)                                                              \
    static void name(T *c, ulong key) {                                                            \
        uint k0 = (uint)key, k1 = (uint)(key >> 32);                                               \
        for (int round = 0; round < 10; ++round) {                                                 \
            const T upper_0 = UPPER(c[0], MULTIPLIER_0), lower_0 = LOWER(c[0], MULTIPLIER_0);      \
            const T upper_1 = UPPER(c[2], MULTIPLIER_1), lower_1 = LOWER(c[2], MULTIPLIER_1);      \
            c[0] = upper_1 ^ c[1] ^ k0;                                                            \
            c[1] = lower_1;                                                                        \
            c[2] = upper_0 ^ c[3] ^ k1;                                                            \
            c[3] = lower_0;                                                                        \
            k0 += 0x9E3779B9u;                                                                     \
            k1 += 0xBB67AE85u;                                                                     \
        }                                                                                          \
    }

#define UPPER(x, m) ((uint)(((ulong)(x) * (m)) >> 32))
#define LOWER(x, m) ((x) * (m))
PHILOX(philox, uint, UPPER, LOWER)

#if !SPC_GPU
/* A word is in the lower half of 64 bits, and whatever is above it stays there: a product is then one
 * instruction without shuffles. */
#define PRODUCT_OF_LOW(x, m) (((x) & 0xffffffffUL) * (ulong)(m))
#define UPPER_OF_LOW(x, m) (PRODUCT_OF_LOW(x, m) >> 32)
PHILOX(philox_of_low, ulong16, UPPER_OF_LOW, PRODUCT_OF_LOW)

#define SIXTEEN (ulong16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

/* words[t]: word t of sixteen counters from `counter` on, which is a multiple of 16. */
ALWAYS_INLINE void philox16(ulong counter, ulong offset, ulong key, uint16 *words) {
    ulong16 c[4] = {counter + SIXTEEN, (ulong16)(counter >> 32), (ulong16)(offset),
                    (ulong16)(offset >> 32)};
    philox_of_low(c, key);
    words[0] = convert_uint16(c[0]);
    words[1] = convert_uint16(c[1]);
    words[2] = convert_uint16(c[2]);
    words[3] = convert_uint16(c[3]);
}
#endif
