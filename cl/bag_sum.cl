/* bag_sum.cl: sums of bags of rows of a table. After panel.cl, products.cl, bags.cl and partition.cl.
 *
 * Defines  bag_sum (sum, mean, sqrtn); GPU class: bag_fold (adds the sums of the blocks of long bags)
 * Range    bag_sum: CPU class FOR_EACH over bags, GPU class FOR_UNITS over windows and bags; bag_fold:
 *          FOR_UNITS over windows
 * Memory   parts, owner: partition.cl
 * Order    docs/numerics.md, rule S over the entries that are not left out
 */

#define RESULT                                                                                     \
    __global const STORED *table, long table_at, long ld, __global STORED *to, long to_at,         \
        long to_ld, long width
#define HAS_DIVISOR(b) ((b)->mode == MEAN || (b)->mode == SQRTN)

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

static REAL sum_column(const bag_list *b, long k, long end, __global const STORED *table, long ld) {
    REAL total = 0;
    IN_ORDER
    while (k < end) {
        OPEN_PARTS
        IN_ORDER
        for (int n = 0; k < end && n < SPC_BLOCK; ++k) {
            const long row = row_of(b, k);
            if (row < 0) continue;
            const REAL term = weight_of(b, k) * READ_AT(table, row * ld);
            ADD_PART
            ++n;
        }
        total += FOLD_PARTS;
    }
    return total;
}

#if SPC_GPU

/* Rows of the table that are loaded before they are added: more would not fit the registers of all
 * GPUs. */
#if SPC_F64
#define AT_ONCE 2
#define EACH_ROW(M) M(0) M(1)
#else
#define AT_ONCE 4
#define EACH_ROW(M) M(0) M(1) M(2) M(3)
#endif
#define FIND_ROW(i)                                                                                \
    const INDEX row##i = (INDEX)row_of(b, k + i);                                                  \
    left -= row##i >= 0;
#define ADD_ROW(i) sum += (row##i < 0 ? (REAL)0 : weight_of(b, k + i)) * x##i;
#define LOAD_ROW(T, n, i) const T x##i = row##i < 0 ? (T)(0) : GET##n(table + (long)row##i * ld);
#define LOAD_ROW1(i) LOAD_ROW(REAL, 1, i)
#define LOAD_ROW4(i) LOAD_ROW(REAL4, 4, i)

/* Columns of the sum of entries k .. end. An entry that is left out adds 0, which changes no sum
 * that began at 0. */
#define BAG_COLUMNS(T, n)                                                                          \
    static T sum_##n(const bag_list *b, long k, long end, __global const STORED *table, long ld) { \
        T total = 0;                                                                               \
        while (k < end) {                                                                          \
            T sum = 0;                                                                             \
            int left = SPC_BLOCK;                                                                  \
            for (; k + AT_ONCE <= end && left >= AT_ONCE; k += AT_ONCE) {                          \
                EACH_ROW(FIND_ROW)                                                                 \
                EACH_ROW(LOAD_ROW##n)                                                              \
                EACH_ROW(ADD_ROW)                                                                  \
            }                                                                                      \
            for (; k < end && left > 0; ++k) {                                                     \
                FIND_ROW(0)                                                                        \
                LOAD_ROW##n(0)                                                                     \
                ADD_ROW(0)                                                                         \
            }                                                                                      \
            total += sum;                                                                          \
        }                                                                                          \
        return total;                                                                              \
    }
EACH_WIDTH(BAG_COLUMNS)

/* The result of a bag, or the sum of one of its blocks. */
typedef struct {
    __global STORED *to;
    __global REAL *part; /* NULL: the bag is complete */
    int is_divided;
    REAL divisor;
} bag_result;

#define PUT_RESULT(T, n)                                                                           \
    ALWAYS_INLINE void put##n(const bag_result *r, long j, T x) {                                  \
        if (r->part) {                                                                             \
            STORE##n(x, r->part + j);                                                              \
        } else {                                                                                   \
            if (r->is_divided) x = DIVIDE_EACH(x, r->divisor);                                     \
            SET##n(x, r->to + j);                                                                  \
        }                                                                                          \
    }
EACH_WIDTH(PUT_RESULT)
EACH_WIDTH(SUM_BLOCKS)

/* Only bags of which no entry is left out have windows. */
KERNEL bag_sum(BAGS, RESULT, __global REAL *parts, __global SIZE *owner, long windows, int shift) {
    OPEN_BAGS;
    const int lanes = 1 << shift, lane = TEAM_LANE(shift);
    FOURS(SPC_SMALL && ((ld | to_ld) & 3) == 0 && ALIGNED(table + table_at) && ALIGNED(to + to_at));
    FOR_UNITS(u, (SIZE)(windows + bags), shift) {
        unit p;
        find_unit(&p, &b, bags, windows, u, owner, lane);
        if (p.row < 0) continue;
        const int is_whole = p.slot < 0;
        const bag_result r = {to + (to_at + p.row * to_ld), is_whole ? 0 : parts + SLOT(p.slot),
                              HAS_DIVISOR(&b), is_whole ? divisor_of(&b, p.begin, p.end) : 1};
#define PUT(n, j) put##n(&r, j, sum_##n(&b, p.begin, p.end, table + (table_at + (j)), ld))
        if (width == 1) {
            put1(&r, 0, sum_column(&b, p.begin, p.end, table + table_at, ld));
        } else {
            PANELS(PUT);
        }
#undef PUT
    }
}

KERNEL bag_fold(BAGS, RESULT, __global const REAL *parts, __global const SIZE *owner, long windows,
                int shift) {
    OPEN_BAGS;
    const int lanes = 1 << shift, lane = TEAM_LANE(shift);
    FOURS(SPC_SMALL && (to_ld & 3) == 0 && ALIGNED(to + to_at));
    FOR_UNITS(w, (SIZE)windows, shift) {
        long_row p;
        if (!find_long_row(&p, &b, windows, w, owner)) continue;
        const bag_result r = {to + (to_at + p.row * to_ld), 0, HAS_DIVISOR(&b),
                              divisor_of(&b, bag_begin(&b, p.row), bag_end(&b, p.row))};
#define PUT(n, j) put##n(&r, j, sum_blocks##n(parts, &p, width, j))
        PANELS(PUT);
#undef PUT
    }
}

#else

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
    if (HAS_DIVISOR(b)) t##i = DIVIDE_EACH(t##i, x.divisor);                  \
    SET##n(t##i, x.to + i * n);

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

KERNEL bag_sum(BAGS, RESULT) {
    OPEN_BAGS;
#if SPC_HINTS
    const int is_plain = !weights && bounds == 0 && !has_padding;
#define SUM_COLUMNS(n) (is_plain ? plain_##n(&b, x) : sum_##n(&b, x))
#else
#define SUM_COLUMNS(n) sum_##n(&b, x)
#endif
    const long distance = distance_of(width);
    FOR_EACH(i, bags) {
        const long begin = bag_begin(&b, i), end = bag_end(&b, i);
        bag x = {begin, end, table + table_at, to + (to_at + i * to_ld), ld,
                 distance, divisor_of(&b, begin, end)};
#define COLUMNS(n)                                                                                 \
    {                                                                                              \
        SUM_COLUMNS(n);                                                                            \
        x.table += n, x.to += n, left -= n;                                                        \
    }
        if (width == 1) {
            const REAL total = sum_column(&b, begin, end, x.table, ld);
            WRITE_AT(x.to, 0, HAS_DIVISOR(&b) ? DIVIDE(total, x.divisor) : total);
            continue;
        }
#if SPC_HINTS
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
    }
}

#endif
