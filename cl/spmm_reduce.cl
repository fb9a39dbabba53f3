/* spmm_reduce.cl: the product of a sparse and a dense matrix with the maximum, minimum or mean of the
 * terms of a row instead of their sum. After panel.cl, products.cl and partition.cl.
 *
 * Defines  spmm_choose (maximum, minimum), spmm_unchoose (their gradient by the dense matrix),
 *          divide_rows (of a dense matrix, by the number of entries of each row); many lanes:
 *          spmm_choose_fold (long rows from their blocks)
 * Range    spmm_choose, spmm_unchoose: one group per partition, which splits no row, or FOR_UNITS
 *          over windows and rows; spmm_choose_fold: over windows; divide_rows: FOR_ROWS
 * Memory   places: for each element of the result the position of the entry that it is from, or -1
 * Order    spmm_choose: the first of equal terms, or the first NaN. spmm_unchoose: docs/numerics.md,
 *          rule S with several columns
 */

#define REAL1 REAL

/* Positions of entries in a row: the type of comparisons of REAL. */
#if SPC_F64
#define PLACE(n) PLACE_(long, n)
#else
#define PLACE(n) PLACE_(int, n)
#endif
#define PLACE_(T, n) PLACE__(T, n)
#define PLACE__(T, n) T##n
typedef int int1;
typedef long long1;

/* A row of the result: its entries first .. last - 1. */
typedef struct {
    __global const INDEX *cols;
    __global const STORED *values, *b;
    long ldb, first, last;
    long end;     /* of the entries of all rows of this worker */
    int distance; /* prefetch distance for rows of B, in entries; 0: no prefetch */
    REAL sign;    /* of the values: -1 for a minimum */
    __global STORED *c;
    __global void *places;
    long places_at;
    int places64;
} choice;

#if !SPC_GPU
#define STORE_PLACE1(p, x) (*(p) = (x))
#define STORE_PLACE2(p, x) vstore2(x, 0, p)
#define STORE_PLACE4(p, x) vstore4(x, 0, p)
#define STORE_PLACE8(p, x) vstore8(x, 0, p)
#define STORE_PLACE16(p, x) vstore16(x, 0, p)

/* Columns j .. j + n - 1. A term replaces one that it is greater than; a NaN replaces any number. */
#define CHOOSE_PANEL(T, n)                                                                         \
    ALWAYS_INLINE void choose_panel##n(const choice *s, long j) {                                  \
        T best = 0;                                                                                \
        PLACE(n) place = -1;                                                                       \
        for (long k = s->first; k < s->last; ++k) {                                                \
            const REAL v = s->sign * READ_AT(s->values, k);                                        \
            const T term = v * GET##n(s->b + s->cols[k] * s->ldb + j);                             \
            const PLACE(n) better = (place < 0) | ((best == best) & ((term <= best) == 0));              \
            best = better ? term : best;                                                           \
            place = better ? (PLACE(n))(k - s->first) : place;                                     \
        }                                                                                          \
        if (s->first < s->last) best *= s->sign;                                                   \
        SET##n(best, s->c + j);                                                                    \
        PLACE() chosen[n];                                                                         \
        STORE_PLACE##n(chosen, place);                                                             \
        for (int i = 0; i < n; ++i)                                                                \
            store_int(s->places, s->places64, s->places_at + j + i,                                \
                        chosen[i] < 0 ? -1 : s->first + chosen[i]);                                \
    }
EACH_WIDTH(CHOOSE_PANEL)

#if SPC_HINTS
#define PREFETCH_TERM(n, i) PREFETCH(next + i * n);
#define PREFETCH_TERMS(k, each, n)                                                                 \
    if (s->distance > 0 && (k) + s->distance < s->end) {                                           \
        __global const STORED *next = s->b + s->cols[(k) + s->distance] * s->ldb + j;              \
        each(PREFETCH_TERM, n)                                                                     \
    }
#else
#define PREFETCH_TERMS(k, each, n)
#endif
#define OPEN_TERM(k)                                                                               \
    const REAL v = s->sign * READ_AT(s->values, k);                                                \
    __global const STORED *from = s->b + s->cols[k] * s->ldb + j
#define FIRST_TERM(n, i) s##i = v * GET##n(from + i * n);
#define LARGER_TERM(n, i)                                                                          \
    const VECTOR_##n term##i = v * GET##n(from + i * n);                                           \
    s##i = ((term##i <= s##i) | (s##i != s##i)) ? s##i : term##i;
#define PUT_LARGEST(n, i) SET##n(s##i * s->sign, s->c + j + i * n);
#define PUT_EMPTY(n, i)   SET##n((VECTOR_##n)(0), s->c + j + i * n);

/* The same without places, and for one or four (`each`) vectors of n columns from j on. */
#define LARGEST_PANEL(name, n, each)                                                               \
    ALWAYS_INLINE void largest_##name(const choice *s, long j) {                                   \
        if (s->first >= s->last) {                                                                 \
            each(PUT_EMPTY, n) return;                                                             \
        }                                                                                          \
        each(SUM, n) {                                                                             \
            OPEN_TERM(s->first);                                                                   \
            PREFETCH_TERMS(s->first, each, n)                                                      \
            each(FIRST_TERM, n)                                                                    \
        }                                                                                          \
        for (long k = s->first + 1; k < s->last; ++k) {                                            \
            OPEN_TERM(k);                                                                          \
            PREFETCH_TERMS(k, each, n)                                                             \
            each(LARGER_TERM, n)                                                                   \
        }                                                                                          \
        each(PUT_LARGEST, n)                                                                       \
    }
#define LARGEST_OF(T, n) LARGEST_PANEL(n, n, ONE)
EACH_WIDTH(LARGEST_OF)
#if SPC_HINTS
LARGEST_PANEL(64, 16, FOUR)
#endif
#endif

#define CHOICE                                                                                     \
    __global const OFFSET *offsets, long offsets_at, __global const INDEX *cols, long cols_at,     \
        __global const STORED *values, long values_at, long rows, __global const STORED *b,          \
        long b_at, long ldb, REAL sign, __global STORED *c, long c_at, long ldc, long width,       \
        __global void *places, long places_at, long places_ld, int places64

#if SPC_GPU

/* The result of a long row from those of its blocks: part_places are their places, or NULL. */
#define PARTS                                                                                      \
    __global REAL *parts, __global long *part_places, __global SIZE *owner, long windows, int shift

/* The same rule for the terms of entries and for the results of blocks. */
#define TAKE_LARGER(term, at)                                                                      \
    if (place < 0 || (best == best && !((term) <= best))) best = (term), place = (at)

static void put_chosen(const choice *s, long j, REAL best, long place) {
    WRITE_AT(s->c, j, place < 0 ? 0 : best * s->sign);
    store_int(s->places, s->places64, s->places_at + j, place);
}

/* Column j of a unit. */
static void choose_column(const choice *s, long j, __global REAL *part, __global long *part_place) {
    REAL best = 0;
    long place = -1;
    for (long k = s->first; k < s->last; ++k) {
        const REAL v = s->sign * READ_AT(s->values, k);
        const REAL term = v * READ_AT(s->b, s->cols[k] * s->ldb + j);
        TAKE_LARGER(term, k);
    }
    if (part)
        part[j] = best, part_place[j] = place;
    else
        put_chosen(s, j, best, place);
}

/* The same without places, and for one or four columns. */
#define LARGEST_COLUMNS(T, n)                                                                      \
    ALWAYS_INLINE void largest_columns##n(const choice *s, long j, __global REAL *part) {          \
        if (s->first >= s->last) {                                                                 \
            SET##n((T)(0), s->c + j);                                                              \
            return;                                                                                \
        }                                                                                          \
        T best = s->sign * READ_AT(s->values, s->first) *                                          \
                 GET##n(s->b + s->cols[s->first] * s->ldb + j);                                    \
        for (long k = s->first + 1; k < s->last; ++k) {                                            \
            const REAL v = s->sign * READ_AT(s->values, k);                                        \
            const T term = v * GET##n(s->b + s->cols[k] * s->ldb + j);                             \
            best = ((term <= best) | (best != best)) ? best : term;                                \
        }                                                                                          \
        if (part) {                                                                                \
            STORE##n(best, part + j);                                                              \
        } else {                                                                                   \
            SET##n(best * s->sign, s->c + j);                                                      \
        }                                                                                          \
    }
EACH_WIDTH(LARGEST_COLUMNS)

KERNEL spmm_choose(CHOICE, PARTS) {
    const int lanes = 1 << shift, lane = TEAM_LANE(shift);
    offsets += offsets_at;
    FOURS(((ldb | ldc) & 3) == 0 && ALIGNED(b + b_at) && ALIGNED(c + c_at));
    choice s = {cols + cols_at, values + values_at, b + b_at, ldb, 0, 0, 0, 0,
                sign,           c,                  places,   0,   places64};
    FOR_UNITS(u, (SIZE)windows + (SIZE)rows, shift) {
        unit p;
        find_unit(&p, offsets, rows, windows, u, owner, lane);
        if (p.row < 0) continue;
        __global REAL *part = p.slot < 0 ? 0 : parts + SLOT(p.slot);
        s.first = p.begin;
        s.last = p.end;
        s.c = c + c_at + (long)p.row * ldc;
        s.places_at = places_at + (long)p.row * places_ld;
#define CHOOSE(w, j)  choose_column(&s, j, part, part ? part_places + SLOT(p.slot) : 0)
#define LARGEST(w, j) largest_columns##w(&s, j, part)
        if (places) {
            EACH_PANEL(j, width, CHOOSE);
        } else {
            PANELS(LARGEST);
        }
#undef LARGEST
#undef CHOOSE
    }
}

KERNEL spmm_choose_fold(CHOICE, PARTS) {
    const int lanes = 1 << shift, lane = TEAM_LANE(shift);
    offsets += offsets_at;
    choice s = {cols, values, b, 0, 0, 0, 0, 0, sign, c, places, 0, places64};
    FOR_UNITS(w, (SIZE)windows, shift) {
        long_row p;
        if (!find_long_row(&p, offsets, windows, w, owner)) continue;
        s.c = c + c_at + (long)p.row * ldc;
        s.places_at = places_at + (long)p.row * places_ld;
        for (SIZE j = lane; j < (SIZE)width; j += lanes) {
            REAL best = parts[SLOT(p.first) + j];
            long place = places ? part_places[SLOT(p.first) + j] : 0;
            for (SIZE q = p.begin; q < p.end; ++q) {
                const REAL term = parts[SLOT(q) + j];
                TAKE_LARGER(term, places ? part_places[SLOT(q) + j] : 0);
            }
            if (places)
                put_chosen(&s, j, best, place);
            else
                WRITE_AT(s.c, j, best * sign);
        }
    }
}

#else

KERNEL spmm_choose(CHOICE, int distance) {
    offsets += offsets_at;
    partition mine = find_partition(offsets, rows, get_num_groups(0), get_group_id(0));
    make_unsplit(&mine);
    choice s = {cols + cols_at, values + values_at, b + b_at, ldb, 0, 0, offsets[mine.last],
                distance,       sign,               c,        places, 0, places64};
    for (long row = mine.first; row < mine.last; ++row) {
        s.first = offsets[row];
        s.last = offsets[row + 1];
        s.c = c + c_at + row * ldc;
        s.places_at = places_at + row * places_ld;
#define CHOOSE(w, j)  choose_panel##w(&s, j)
#define LARGEST(w, j) largest_##w(&s, done + (j))
        if (places) {
            EACH_PANEL(j, width, CHOOSE);
        } else {
            long done = 0;
#if SPC_HINTS
            for (; done + 64 <= width; done += 64) largest_64(&s, done);
#endif
            EACH_PANEL(j, width - done, LARGEST);
        }
#undef LARGEST
#undef CHOOSE
    }
}

#endif

/* A column of the matrix: its entries first .. last - 1 in the order of rows, and their positions. */
typedef struct {
    __global const INDEX *row_of;
    __global const OFFSET *perm;
    __global const STORED *values, *g;
    long ldg, first, last;
    __global const void *places;
    long places_at, places_ld;
    int places64;
    __global STORED *to;
    __global REAL *part; /* where the sum of a block is stored; NULL: `to` is */
} column;

/* Elements j .. j + n - 1 of its row of the gradient. */
#define UNCHOOSE_PANEL(T, n)                                                                       \
    ALWAYS_INLINE void unchoose_panel##n(const column *s, long j) {                                \
        REAL sums[n];                                                                              \
        for (int i = 0; i < n; ++i) sums[i] = 0;                                                   \
        for (long first = s->first; first < s->last; first += SPC_BLOCK) {                         \
            REAL block[n];                                                                         \
            for (int i = 0; i < n; ++i) block[i] = 0;                                              \
            for (long k = first; k < min(s->last, first + SPC_BLOCK); ++k) {                       \
                const long row = s->row_of[k], entry = s->perm[k];                                 \
                const REAL v = READ_AT(s->values, entry);                                          \
                for (int i = 0; i < n; ++i)                                                        \
                    if (load_int(s->places, s->places64,                                         \
                                   s->places_at + row * s->places_ld + j + i) == entry)            \
                        block[i] += v * READ_AT(s->g, row * s->ldg + j + i);                       \
            }                                                                                      \
            for (int i = 0; i < n; ++i) sums[i] += block[i];                                       \
        }                                                                                          \
        for (int i = 0; i < n; ++i)                                                                \
            if (s->part)                                                                           \
                s->part[j + i] = sums[i];                                                          \
            else                                                                                   \
                WRITE_AT(s->to, j + i, sums[i]);                                                   \
    }
EACH_WIDTH(UNCHOOSE_PANEL)

#define COLUMNS                                                                                    \
    __global const OFFSET *starts, __global const INDEX *row_of, __global const OFFSET *perm,      \
        __global const INDEX *columns, __global const long *found, __global const STORED *values,    \
        long values_at, __global const STORED *g, long g_at, long ldg, __global const void *places,  \
        long places_at, long places_ld, int places64, __global STORED *to, long to_at, long ld,      \
        long width
#define OPEN_COLUMNS                                                                               \
    column s = {row_of, perm,      values + values_at, g + g_at, ldg, 0, 0,                        \
                places, places_at, places_ld,          places64, to,  0}
#define UNCHOOSE(w, j) unchoose_panel##w(&s, j)

#if SPC_GPU

/* The sums of blocks are added by spmm_fold of cl/spmm_lanes.cl. */
KERNEL spmm_unchoose(COLUMNS, __global REAL *parts, __global SIZE *owner, long windows, int shift) {
    const int lanes = 1 << shift, lane = TEAM_LANE(shift);
    const SIZE present = *found;
    OPEN_COLUMNS;
    FOR_UNITS(u, (SIZE)windows + present, shift) {
        unit p;
        find_unit(&p, starts, present, windows, u, owner, lane);
        if (p.row < 0) continue;
        s.first = p.begin;
        s.last = p.end;
        s.to = to + to_at + columns[p.row] * ld;
        s.part = p.slot < 0 ? 0 : parts + SLOT(p.slot);
        EACH_PANEL(j, width, UNCHOOSE);
    }
}

#else

KERNEL spmm_unchoose(COLUMNS) {
    partition mine = find_partition(starts, *found, get_num_groups(0), get_group_id(0));
    make_unsplit(&mine);
    OPEN_COLUMNS;
    for (long u = mine.first; u < mine.last; ++u) {
        s.first = starts[u];
        s.last = starts[u + 1];
        s.to = to + to_at + columns[u] * ld;
        EACH_PANEL(j, width, UNCHOOSE);
    }
}

#endif

/* Rows without entries become 0. */
ALWAYS_INLINE void divide_panel(__global const STORED *from, __global STORED *to, int n,
                                long count) {
    for (int i = 0; i < n; ++i)
        WRITE_AT(to, i, count > 0 ? DIVIDE(READ_AT(from, i), (REAL)count) : 0);
}

KERNEL divide_rows(__global const OFFSET *offsets, long offsets_at, long rows,
                   __global const STORED *from, long from_at, long from_ld, __global STORED *to,
                   long to_at, long to_ld, long width) {
    offsets += offsets_at;
    FOURS(((from_ld | to_ld) & 3) == 0 && ALIGNED(from + from_at) && ALIGNED(to + to_at));
    FOR_ROWS_OF_FOURS(i, rows) {
        const long count = (long)offsets[i + 1] - offsets[i];
        __global const STORED *row = from + (from_at + i * from_ld);
        __global STORED *result = to + (to_at + i * to_ld);
#define DIVIDE_PANEL(w, j) divide_panel(row + j, result + j, w, count)
        PANELS(DIVIDE_PANEL);
#undef DIVIDE_PANEL
    }
}
