/* embedding.cl: rows of a table by their indices: lookup and maxima of bags. After panel.cl,
 * products.cl and bags.cl.
 *
 * Defines  embedding_rows (lookup), bag_max; bad_clear and bad_indices (their number)
 * Range    FOR_ROWS over bags: bag_max; over entries: embedding_rows; bad_indices FOR_EACH
 *          over entries
 */

/* by_position: row i of the table for entry i. */
KERNEL embedding_rows(BAGS, __global const STORED *table, long table_at, long ld,
                      __global STORED *to, long to_at, long to_ld, long width, int by_position) {
    OPEN_BAGS;
    FOURS(((ld | to_ld) & 3) == 0 && ALIGNED(table + table_at) && ALIGNED(to + to_at));
    FOR_ROWS_OF_FOURS(i, count) {
        const long row = row_of(&b, i);
        __global const STORED *from = table + (table_at + (by_position ? i : max(row, 0L)) * ld);
        __global STORED *target = to + (to_at + i * to_ld);
#define COPY(n, j) SET##n(GET##n(from + (j)), target + (j))
#define CLEAR(n, j) SET##n((VECTOR_##n)(0), target + (j))
        if (!by_position) prefetch_entry(&b, i, table + table_at, ld, width);
        if (row >= 0) {
            PANELS(COPY);
        } else {
            PANELS(CLEAR);
        }
#undef COPY
#undef CLEAR
    }
}

/* A bag: its entries, columns of the table and of its result. */
typedef struct {
    long begin, end;
    __global const STORED *table;
    __global STORED *to;
    long ld;
} bag;

/* What a comparison of REAL, or of a vector of n, gives. */
#if SPC_F64
#define MASK_1  long
#define MASK_2  long2
#define MASK_4  long4
#define MASK_8  long8
#define MASK_16 long16
#else
#define MASK_1  int
#define MASK_2  int2
#define MASK_4  int4
#define MASK_8  int8
#define MASK_16 int16
#endif

/* entry: counted from the beginning of the bag; -1: none yet. A NaN is better than a number. */
#define MAX_PANEL(n)                                                                               \
    static void max_##n(const bag_list *b, bag x, __global long *positions) {                      \
        VECTOR_##n best = 0;                                                                       \
        MASK_##n entry = -1;                                                                       \
        int is_first = -1;                                                                         \
        for (long k = x.begin; k < x.end; ++k) {                                                   \
            const long row = row_of(b, k);                                                         \
            if (row < 0) continue;                                                                 \
            const VECTOR_##n value = GET##n(x.table + row * x.ld);                                 \
            const MASK_##n better = (value > best) | ((value != value) & (best == best)) |         \
                                    (MASK_##n)(is_first);                                          \
            best = better ? value : best;                                                          \
            entry = better ? (MASK_##n)((MASK_1)(k - x.begin)) : entry;                            \
            is_first = 0;                                                                          \
        }                                                                                          \
        SET##n(best, x.to);                                                                        \
        for (int j = 0; positions && j < n; ++j) {                                                 \
            const MASK_1 e = ((const MASK_1 *)&entry)[j];                                          \
            positions[j] = e < 0 ? -1 : x.begin + e;                                               \
        }                                                                                          \
    }

MAX_PANEL(1)
#if !SPC_GPU
MAX_PANEL(4)
MAX_PANEL(16)
#endif

KERNEL bag_max(BAGS, __global const STORED *table, long table_at, long ld, __global STORED *to,
               long to_at, long to_ld, long width, __global long *positions, long positions_at,
               long positions_ld) {
    OPEN_BAGS;
    FOR_ROWS(i, bags, width) {
        bag x = {bag_begin(&b, i), bag_end(&b, i), table + table_at, to + (to_at + i * to_ld), ld};
        __global long *where = positions ? positions + (positions_at + i * positions_ld) : 0;
#define COLUMNS(n, more)                                                                           \
    {                                                                                              \
        max_##n(&b, x, where);                                                                     \
        x.table += more, x.to += more, left -= more;                                               \
        if (where) where += more;                                                                  \
    }
#if SPC_GPU
        long left = width - lane;
        x.table += lane, x.to += lane;
        if (where) where += lane;
        while (left > 0) COLUMNS(1, lanes)
#else
        for (long left = width; left > 0;)
            if (left >= 16) COLUMNS(16, 16)
            else if (left >= 4) COLUMNS(4, 4)
            else COLUMNS(1, 1)
#endif
#undef COLUMNS
    }
}

KERNEL bad_clear(__global uint *bad, long bad_at) {
    FOR_EACH(i, 2) bad[2 * bad_at + i] = 0;
}

/* Add the number of indices that are neither in range nor the padding to `bad`, the two words of an
 * int64. */
KERNEL bad_indices(BAGS, __global uint *bad, long bad_at) {
    OPEN_BAGS;
    uint found = 0;
    FOR_EACH(k, count) {
        const INDEX id = b.ids[k];
        if (has_padding && (long)id == padding) continue;
        found += id < 0 || (long)id >= limit;
    }
    if (found == 0) return;
    const uint before = atomic_add(bad + 2 * bad_at, found);
    if (before + found < before) atomic_inc(bad + 2 * bad_at + 1);
}
