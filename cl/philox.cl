/* philox.cl: random numbers as a function of a counter and a key: Philox 4x32-10 (Salmon, Moraes,
 * Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011).
 *
 * Defines  philox: the four words of a counter; on few wide cores philox16: those of sixteen
 */

/* The upper and the lower words of both products of a round. */
#define UPPER(x, m) ((uint)(((ulong)(x) * (m)) >> 32))
#define UPPER16(x, m) convert_uint16((convert_ulong16(x) * (ulong)(m)) >> 32)
#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u

/* Ten rounds on the words c[0] .. c[3]; the key grows from round to round by the golden ratio and by
 * sqrt(3) - 1, times 2^32. */
#define PHILOX(name, T, UPPER)                                                                     \
    static void name(T *c, ulong key) {                                                            \
        uint k0 = (uint)key, k1 = (uint)(key >> 32);                                               \
        for (int round = 0; round < 10; ++round) {                                                 \
            const T upper_0 = UPPER(c[0], MULTIPLIER_0), lower_0 = c[0] * MULTIPLIER_0;            \
            const T upper_1 = UPPER(c[2], MULTIPLIER_1), lower_1 = c[2] * MULTIPLIER_1;            \
            c[0] = upper_1 ^ c[1] ^ k0;                                                            \
            c[1] = lower_1;                                                                        \
            c[2] = upper_0 ^ c[3] ^ k1;                                                            \
            c[3] = lower_0;                                                                        \
            k0 += 0x9E3779B9u;                                                                     \
            k1 += 0xBB67AE85u;                                                                     \
        }                                                                                          \
    }

PHILOX(philox, uint, UPPER)
#if !SPC_GPU
PHILOX(philox16, uint16, UPPER16)
#endif
