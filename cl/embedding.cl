/* embedding.cl: rows of a table by their indices: lookup and bags. After panel.cl, products.cl and
 * bags.cl.
 *
 * Defines  embedding_rows (lookup), bag_sum (sum, mean, sqrtn), bag_max; bad_clear and bad_indices
 *          (their number)
 * Range    FOR_ROWS over bags: bag_sum, bag_max; over entries: embedding_rows; bad_indices FOR_EACH
 *          over entries
 * Order    docs/numerics.md, rule S over the entries that are not left out
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
    long ld, distance; /* of prefetches, in entries */
    REAL divisor;
} bag;

#if SPC_HINTS
#define PREFETCH_ENTRY(each, n)                                                                    \
    const long later = k + x.distance < b->count ? row_of(b, k + x.distance) : -1;                 \
    if (later >= 0) {                                                                              \
        __global const STORED *next = x.table + later * x.ld;                                      \
        each(PREFETCH_VECTOR, n)                                                                   \
    }
#define PREFETCH_VECTOR(n, i) PREFETCH(next + i * n);
#else
#define PREFETCH_ENTRY(each, n)
#endif

#define ADD_STORED(n, i) s##i += v * GET##n(from + i * n);
#define PUT_DIVIDED(n, i)                                                                          \
    if (b->mode == MEAN || b->mode == SQRTN) t##i = DIVIDE_EACH(t##i, x.divisor);                  \
    SET##n(t##i, x.to + i * n);

/* Many lanes: n columns, with four rows of the table in flight. An entry that is left out adds 0,
 * which changes no sum that began at 0. */
#define BAG_ENTRY(T, n, i)                                                                         \
    const INDEX row##i = (INDEX)row_of(b, k + i);                                                  \
    const T x##i = row##i < 0 ? (T)(0) : GET##n(x.table + (long)row##i * x.ld);                    \
    left -= row##i >= 0;
#define BAG_TERM(i) sum += (row##i < 0 ? (REAL)0 : weight_of(b, k + i)) * x##i;
#define BAG_COLUMNS(T, n)                                                                          \
    static void sum_##n(const bag_list *b, bag x) {                                                \
        T t0 = 0;                                                                                  \
        for (long k = x.begin; k < x.end;) {                                                       \
            T sum = 0;                                                                             \
            int left = SPC_BLOCK;                                                                  \
            for (; k + 4 <= x.end && left >= 4; k += 4) {                                          \
                BAG_ENTRY(T, n, 0)                                                                 \
                BAG_ENTRY(T, n, 1)                                                                 \
                BAG_ENTRY(T, n, 2)                                                                 \
                BAG_ENTRY(T, n, 3)                                                                 \
                BAG_TERM(0) BAG_TERM(1) BAG_TERM(2) BAG_TERM(3)                                    \
            }                                                                                      \
            for (; k < x.end && left > 0; ++k) {                                                   \
                BAG_ENTRY(T, n, 0)                                                                 \
                BAG_TERM(0)                                                                        \
            }                                                                                      \
            t0 += sum;                                                                             \
        }                                                                                          \
        PUT_DIVIDED(n, 0)                                                                          \
    }

/* One, two or four (`each`) vectors of n columns. */
#define BAG_PANEL(name, n, each)                                                                   \
    static void sum_##name(const bag_list *b, bag x) {                                             \
        each(TOTAL, n)                                                                             \
        IN_ORDER                                                                                   \
        for (long k = x.begin; k < x.end;) {                                                       \
            each(SUM, n)                                                                           \
            IN_ORDER                                                                               \
            for (int left = SPC_BLOCK; k < x.end && left > 0; ++k) {                               \
                const long row = row_of(b, k);                                                     \
                PREFETCH_ENTRY(each, n)                                                            \
                if (row < 0) continue;                                                             \
                const REAL v = weight_of(b, k);                                                    \
                __global const STORED *from = x.table + row * x.ld;                                \
                each(ADD_STORED, n)                                                                \
                --left;                                                                            \
            }                                                                                      \
            each(FOLD, n)                                                                          \
        }                                                                                          \
        each(PUT_DIVIDED, n)                                                                       \
    }

/* The same where all weights are 1 and no entry is left out: `is_plain`. */
#define ADD_PLAIN(n, i) s##i += GET##n(from + i * n);
#define PLAIN_PANEL(name, n, each)                                                                 \
    static void plain_##name(const bag_list *b, bag x) {                                           \
        __global const INDEX *ids = b->ids;                                                        \
        const long distance = b->count - x.end >= x.distance ? x.distance : 0;                     \
        each(TOTAL, n)                                                                             \
        IN_ORDER                                                                                   \
        for (long k = x.begin, last; k < x.end; k = last) {                                        \
            last = min(x.end, k + SPC_BLOCK);                                                      \
            each(SUM, n)                                                                           \
            IN_ORDER                                                                               \
            for (; k < last; ++k) {                                                                \
                __global const STORED *from = x.table + (long)ids[k] * x.ld;                       \
                __global const STORED *next = x.table + (long)ids[k + distance] * x.ld;            \
                each(PREFETCH_VECTOR, n)                                                           \
                each(ADD_PLAIN, n)                                                                 \
            }                                                                                      \
            each(FOLD, n)                                                                          \
        }                                                                                          \
        each(PUT_DIVIDED, n)                                                                       \
    }

/* own_divide takes numbers, not vectors. */
#if SPC_OWN_DIVIDE && !SPC_F64
#define DIVIDE_VECTOR(T, n)                                                                        \
    __attribute__((overloadable)) static T divide_each(T x, REAL y) {                              \
        for (int k = 0; k < n; ++k) ((REAL *)&x)[k] = DIVIDE(((REAL *)&x)[k], y);                  \
        return x;                                                                                  \
    }
EACH_WIDTH(DIVIDE_VECTOR)
#define DIVIDE_EACH divide_each
#else
#define DIVIDE_EACH(x, y) ((x) / (y))
#endif
#if SPC_GPU
EACH_WIDTH(BAG_COLUMNS)
#else
BAG_PANEL(1, 1, ONE)
BAG_PANEL(4, 4, ONE)
BAG_PANEL(16, 16, ONE)
#if SPC_HINTS
BAG_PANEL(2, 2, ONE)
BAG_PANEL(8, 8, ONE)
BAG_PANEL(32, 16, TWO)
BAG_PANEL(64, 16, FOUR)
PLAIN_PANEL(1, 1, ONE)
PLAIN_PANEL(2, 2, ONE)
PLAIN_PANEL(4, 4, ONE)
PLAIN_PANEL(8, 8, ONE)
PLAIN_PANEL(16, 16, ONE)
PLAIN_PANEL(32, 16, TWO)
PLAIN_PANEL(64, 16, FOUR)
#endif
#endif

/* One column: eight partial sums of each block. */
#if SPC_GPU
/* Not an array, which would be in memory. */
#define PARTS(M)   M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#define PART(i)    REAL p##i = 0;
#define TO_PART(i) p##i += (n & 7) == i ? term : (REAL)0;
#define OPEN_PARTS PARTS(PART)
#define ADD_PART   PARTS(TO_PART)
#define FOLD_PARTS ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7))
#else
#define OPEN_PARTS REAL p[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#define ADD_PART   p[n & 7] += term;
#define FOLD_PARTS fold_partial(p)
#endif

static void sum_column(const bag_list *b, bag x) {
    REAL total = 0;
    IN_ORDER
    for (long k = x.begin; k < x.end;) {
        OPEN_PARTS
        IN_ORDER
        for (int n = 0; k < x.end && n < SPC_BLOCK; ++k) {
            const long row = row_of(b, k);
            if (row < 0) continue;
            const REAL term = weight_of(b, k) * READ_AT(x.table, row * x.ld);
            ADD_PART
            ++n;
        }
        total += FOLD_PARTS;
    }
    if (b->mode == MEAN || b->mode == SQRTN) total = DIVIDE(total, x.divisor);
    WRITE_AT(x.to, 0, total);
}

KERNEL bag_sum(BAGS, __global const STORED *table, long table_at, long ld, __global STORED *to,
               long to_at, long to_ld, long width) {
    OPEN_BAGS;
#if SPC_HINTS && !SPC_GPU
    const int is_plain = !weights && bounds == 0 && !has_padding;
#define SUM_COLUMNS(n) (is_plain ? plain_##n(&b, x) : sum_##n(&b, x))
#else
#define SUM_COLUMNS(n) sum_##n(&b, x)
#endif
    const long distance = distance_of(width);
    FOURS(((ld | to_ld) & 3) == 0 && ALIGNED(table + table_at) && ALIGNED(to + to_at));
    FOR_ROWS_OF_FOURS(i, bags) {
        const long begin = bag_begin(&b, i), end = bag_end(&b, i);
        bag x = {begin, end, table + table_at, to + (to_at + i * to_ld), ld,
                 distance, divisor_of(&b, begin, end)};
#define COLUMNS(n)                                                                                 \
    {                                                                                              \
        SUM_COLUMNS(n);                                                                            \
        x.table += n, x.to += n, left -= n;                                                        \
    }
        if (width == 1) {
            if (FIRST_LANE) sum_column(&b, x);
            continue;
        }
#if SPC_GPU
#define COLUMNS_AT(n, j) x.table = table + (table_at + (j)), x.to = to + (to_at + i * to_ld + (j)), sum_##n(&b, x)
        PANELS(COLUMNS_AT);
#undef COLUMNS_AT
#elif SPC_HINTS
        for (long left = width; left > 0;)
            if (left >= 64) COLUMNS(64)
            else if (left >= 32) COLUMNS(32)
            else if (left >= 16) COLUMNS(16)
            else if (left >= 8) COLUMNS(8)
            else if (left >= 4) COLUMNS(4)
            else if (left >= 2) COLUMNS(2)
            else COLUMNS(1)
#else
        /* Fewer widths: Mesa's compiler would take minutes. */
        for (long left = width; left > 0;)
            if (left >= 16) COLUMNS(16)
            else if (left >= 4) COLUMNS(4)
            else COLUMNS(1)
#endif
#undef COLUMNS
    }
}

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
        bag x = {bag_begin(&b, i), bag_end(&b, i), table + table_at, to + (to_at + i * to_ld), ld,
                 0, 1};
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
