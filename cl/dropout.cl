/* dropout.cl: elements are dropped or scaled, as a counter-based generator says. After panel.cl and
 * philox.cl.
 *
 * Defines  dropout
 * Range    FOR_EACH over counters (many lanes), or over sixteen at a time
 * Memory   y may be x: each element is read before it is written
 * Order    include/sparcl/ops/layers.h: which word is that of an element
 */

/* An array [m, n]; m = 1 where it has no gaps. */
typedef struct {
    __global const STORED *x;
    __global STORED *y;
    long x_ld, y_ld, m, n;
    REAL scale;
    uint threshold;
    int drops_all;
} elements;

static void drop_one(const elements *a, long e, uint word) {
    const long row = a->m == 1 ? 0 : e / a->n, column = e - row * a->n;
    if (row >= a->m || column >= a->n) return;
    const int keeps = word >= a->threshold && !a->drops_all;
    WRITE_AT(a->y, row * a->y_ld + column,
             keeps ? READ_AT(a->x, row * a->x_ld + column) * a->scale : 0);
}

#if SPC_GPU

/* A lane has the four elements of a counter. */
static void drop(const elements *a, long counters, ulong seed, ulong offset) {
    FOR_EACH(c, counters) {
        uint words[4] = {(uint)c, (uint)((ulong)c >> 32), (uint)offset, (uint)(offset >> 32)};
        philox(words, seed);
        for (int t = 0; t < 4; ++t) drop_one(a, (c & ~15L) * 4 + (c & 15) + 16 * t, words[t]);
    }
}

#else

/* Sixteen elements from e on, without gaps. */
static void drop_sixteen(const elements *a, long e, uint16 words) {
#if SPC_F64
    for (int k = 0; k < 16; ++k) drop_one(a, e + k, ((const uint *)&words)[k]);
#else
    const int16 keeps = (words >= a->threshold) & (int16)(a->drops_all ? 0 : -1);
    const REAL16 scaled = GET16(a->x + e) * a->scale, y = keeps ? scaled : (REAL16)(0);
    SET16(y, a->y + e);
#endif
}

/* x is prefetched this many elements ahead: beside this much work per byte, the processor does not
 * run far enough ahead by itself. */
#define AHEAD 512

static void drop(const elements *a, long counters, ulong seed, ulong offset) {
    FOR_EACH(group, counters / 16) {
        const long e = 64 * group;
        uint16 words[4];
        for (int t = 0; t < 4; ++t) PREFETCH(a->x + e + AHEAD + 16 * t);
        philox16(16 * (ulong)group, offset, seed, words);
        if (a->m == 1 && e + 64 <= a->n) {
            drop_sixteen(a, e, words[0]);
            drop_sixteen(a, e + 16, words[1]);
            drop_sixteen(a, e + 32, words[2]);
            drop_sixteen(a, e + 48, words[3]);
        } else {
            for (int k = 0; k < 64; ++k) drop_one(a, e + k, ((const uint *)words)[k]);
        }
    }
}

#endif

/* threshold: p * 2^32. */
KERNEL dropout(__global const STORED *x, long x_at, long x_ld, __global STORED *y, long y_at,
               long y_ld, long m, long n, long counters, REAL scale, long threshold, long seed,
               long offset) {
    const elements a = {x + x_at, y + y_at, x_ld,
                        y_ld,     m,        n,
                        scale,    (uint)min(threshold, 0xffffffffL),
                        threshold > 0xffffffffL};
    drop(&a, counters, (ulong)seed, (ulong)offset);
}
