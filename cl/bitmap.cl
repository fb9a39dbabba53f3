/* bitmap.cl: the columns of a row as bits, whose words are in turn the bits of a second and those of a
 * third level, so that the columns are found in ascending order without sorting them. Wide cores only.
 *
 * Defines  BITS, LOG_BITS, LOWEST; bitmap, open_bitmap, mark_column, add_column, EACH_COLUMN
 * Memory   bits: the three levels of each worker (src/ops/shared/bitmap.h). They are 0 before and after each row
 */

#if !SPC_GPU

typedef ulong BITS;
#define LOG_BITS 6
/* The position of the lowest bit. (Compilers have one instruction for this; 63 - clz takes five.) */
#define LOWEST(x) ((int)popcount(~(x) & ((x) - 1)))
#define BIT(i)    ((BITS)1 << ((i) & ((1 << LOG_BITS) - 1)))

static long words_for(long bits) {
    return (bits + (1 << LOG_BITS) - 1) >> LOG_BITS;
}

/* The three levels; the words of each follow those of the one before. */
typedef struct {
    __global BITS *columns, *words, *top;
    long top_count;
} bitmap;

/* The levels of this worker, without a bit. */
static bitmap open_bitmap(__global BITS *bits, long cols) {
    const long columns = words_for(cols), words = words_for(columns), top = words_for(words);
    bits += (long)get_group_id(0) * (columns + words + top);
    const bitmap m = {bits, bits + columns, bits + columns + words, top};
    for (long i = 0; i < columns + words + top; ++i) bits[i] = 0;
    return m;
}

/* Set the bit of column j; returns whether it was 0. mark_column leaves the other levels as they
 * are. */
ALWAYS_INLINE int mark_column(bitmap m, long j) {
    __global BITS *word = m.columns + (j >> LOG_BITS);
    const BITS before = *word;
    *word = before | BIT(j);
    return (before & BIT(j)) == 0;
}
ALWAYS_INLINE int add_column(bitmap m, long j) {
    __global BITS *word = m.columns + (j >> LOG_BITS);
    const BITS before = *word;
    if (before & BIT(j)) return 0;
    *word = before | BIT(j);
    if (before == 0) {
        const long i = j >> LOG_BITS, top = i >> LOG_BITS;
        m.words[top] |= BIT(i);
        m.top[top >> LOG_BITS] |= BIT(top);
    }
    return 1;
}

/* For each column in ascending order: call(j). All bits become 0. */
#define EACH_COLUMN(m, call)                                                                       \
    for (long t = 0; t < m.top_count; ++t) {                                                       \
        BITS top = m.top[t];                                                                       \
        if (top == 0) continue;                                                                    \
        m.top[t] = 0;                                                                              \
        for (; top; top &= top - 1) {                                                              \
            const long w = (t << LOG_BITS) + LOWEST(top);                                          \
            BITS words = m.words[w];                                                               \
            m.words[w] = 0;                                                                        \
            for (; words; words &= words - 1) {                                                    \
                const long c = (w << LOG_BITS) + LOWEST(words);                                    \
                BITS columns = m.columns[c];                                                       \
                m.columns[c] = 0;                                                                  \
                for (; columns; columns &= columns - 1) call((c << LOG_BITS) + LOWEST(columns));   \
            }                                                                                      \
        }                                                                                          \
    }

#endif
