/* segment_reduce.cl: one row for each run of rows of a dense array. After panel.cl, scan.cl, a file
 * fold_X.cl, blocks.cl and stage.cl.
 *
 * Defines  segment_blocks (the blocks of long runs), segment_runs; GPU class: segment_long (the runs
 *          of several blocks, which segment_runs leaves out)
 * Range    segment_blocks: FOR_ROWS over pairs of blocks; segment_runs: CPU class FOR_EACH_RUN, GPU
 *          class FOR_ROWS; segment_long: FOLD_LONG_RUNS
 * Memory   blocks: blocks.cl, of `width` elements each
 * Order    docs/numerics.md, rule R
 */

#define ITEMS                                                                                      \
    __global const STORED *x, long x_at, long ld, __global const OFFSET *perm, long width,         \
        __global const long *found, long found_at
#define OPEN_ITEMS                                                                                 \
    offsets += offsets ? offsets_at : 0;                                                           \
    runs = found ? found[found_at] : runs;                                                         \
    x += x_at

/* Row k of the order. */
#define ROW(k) (x + (perm ? (long)perm[k] : (k)) * ld)

/* Of the elements j .. j + n of rows first .. last; there is at least one row. */
#define FOLD_ROWS(T, n)                                                                            \
    ALWAYS_INLINE T fold_rows##n(__global const STORED *x, __global const OFFSET *perm, long ld,   \
                                 long first, long last, long j) {                                  \
        const T start = GET##n(ROW(first) + j);                                                    \
        T total = TERM(n, start, x, 0);                                                            \
        IN_ORDER                                                                                   \
        for (long k = first + 1; k < last; ++k) {                                                  \
            const T item = GET##n(ROW(k) + j), term = TERM(n, item, x, 0);                         \
            total = FOLD(total, term);                                                             \
        }                                                                                          \
        return total;                                                                              \
    }
EACH_WIDTH(FOLD_ROWS)

#if SPC_GPU
/* Nothing: what is added to it keeps its bits, also those of a negative zero. */
#define NOTHING (FOLD_START == 0 ? -(REAL)0 : FOLD_START)
#else
/* Of the results of the blocks of a long run. */
#define FOLD_RESULTS(T, n)                                                                         \
    ALWAYS_INLINE T fold_results##n(__global const REAL *blocks, long begin, long end, long width, \
                                    long j) {                                                      \
        T total = LOAD##n(blocks + block_at(begin, end) * width + j);                              \
        IN_ORDER                                                                                   \
        for (long first = begin + SPC_BLOCK; first < end; first += SPC_BLOCK) {                    \
            const T item = LOAD##n(blocks + block_at(first, end) * width + j);                     \
            total = FOLD(total, item);                                                             \
        }                                                                                          \
        return total;                                                                              \
    }
EACH_WIDTH(FOLD_RESULTS)
#endif

#if SPC_HINTS && !SPC_GPU
#define WIDE 64

/* Of 64 elements: rows are read once, in order. */
#define START_ROW(i)                                                                               \
    const REAL16 start##i = GET16(row + 16 * i);                                                   \
    REAL16 total##i = TERM(16, start##i, x, 0);
#define ADD_ROW(i)                                                                                 \
    const REAL16 item##i = GET16(row + 16 * i), term##i = TERM(16, item##i, x, 0);                 \
    total##i = FOLD(total##i, term##i);

ALWAYS_INLINE REAL64 fold_rows64(__global const STORED *x, __global const OFFSET *perm, long ld,
                                 long first, long last, long j) {
    __global const STORED *row = ROW(first) + j;
    START_ROW(0)
    START_ROW(1)
    START_ROW(2)
    START_ROW(3)
    for (long k = first + 1; k < last; ++k) {
        row = ROW(k) + j;
        ADD_ROW(0)
        ADD_ROW(1)
        ADD_ROW(2)
        ADD_ROW(3)
    }
    const REAL64 totals = {total0, total1, total2, total3};
    return totals;
}
#else
#define WIDE 0
#endif

/* call(n, j) for each panel of a row, with `done` added to j in the call; 64 elements: call64. */
#if WIDE
#define WIDE_PANELS(call, call64)                                                                  \
    long done = 0;                                                                                 \
    for (; done + WIDE <= width; done += WIDE) call64;                                             \
    EACH_PANEL(j, width - done, call)
#else
#define WIDE_PANELS(call, call64)                                                                  \
    const long done = 0;                                                                           \
    PANELS(call)
#endif

/* Many lanes read results that they do not add, too. */
#if SPC_GPU
#define NONE(n, j) STORE##n((VECTOR(n))(0), none + (j))
#define CLEAR(from)                                                                                \
    {                                                                                              \
        __global REAL *const none = from;                                                          \
        PANELS(NONE);                                                                              \
    }
#else
#define CLEAR(from)
#endif

KERNEL segment_blocks(__global const OFFSET *offsets, long offsets_at, long runs, long length,
                      ITEMS, __global REAL *blocks) {
    OPEN_ITEMS;
    const long pairs = pair_count(run_total(RUN_ARGS));
    block_pair b = {0, 0, 0, 0};
    FOURS(((width | ld) & 3) == 0 && ALIGNED(x) && ALIGNED(blocks));
    FOR_ROWS_OF_FOURS(i, pairs) {
        find_blocks(&b, RUN_ARGS, i);
        __global REAL *const to = blocks + 2 * i * width;
        if (b.middle == b.first) {
            CLEAR(to);
            CLEAR(to + width);
            continue;
        }
#define HEAD(n, j)                                                                                 \
    STORE##n(fold_rows##n(x, perm, ld, b.first, b.middle, done + (j)), to + done + (j))
        {
            WIDE_PANELS(HEAD, HEAD(64, 0));
        }
#undef HEAD
        if (b.last == b.middle) {
            CLEAR(to + width);
            continue;
        }
#define TAIL(n, j)                                                                                 \
    STORE##n(fold_rows##n(x, perm, ld, b.middle, b.last, done + (j)), to + width + done + (j))
        {
            WIDE_PANELS(TAIL, TAIL(64, 0));
        }
#undef TAIL
    }
}

/* The elements j .. j + n of a result. Many lanes: as a vector, as an array would be in memory. */
#if SPC_GPU
#define FINISHED_ONE(e) finish_number(finish, count, all, e)
#define FINISHED1(x)    FINISHED_ONE(x)
#define FINISHED4(x)                                                                               \
    (REAL4)(FINISHED_ONE((x).s0), FINISHED_ONE((x).s1), FINISHED_ONE((x).s2), FINISHED_ONE((x).s3))
#define WRITE_PANEL(T, n)                                                                          \
    ALWAYS_INLINE void write_panel##n(T total, int finish, long count, long all,                   \
                                      __global STORED *to, __global REAL *wide, long j) {          \
        if (finish) total = FINISHED##n(total);                                                    \
        if (wide) {                                                                                \
            STORE##n(total, wide + j);                                                             \
        } else {                                                                                   \
            SET##n(total, to + j);                                                                 \
        }                                                                                          \
    }
#else
#define WRITE_PANEL(T, n)                                                                          \
    ALWAYS_INLINE void write_panel##n(T total, int finish, long count, long all,                   \
                                      __global STORED *to, __global REAL *wide, long j) {          \
        if (finish == 0 && !wide) {                                                                \
            SET##n(total, to + j);                                                                 \
            return;                                                                                \
        }                                                                                          \
        REAL part[n];                                                                              \
        KEEP##n(total, part);                                                                      \
        for (int i = 0; i < n; ++i) {                                                              \
            const REAL result = finish_number(finish, count, all, part[i]);                        \
            if (wide)                                                                              \
                wide[j + i] = result;                                                              \
            else                                                                                   \
                WRITE_AT(to, j + i, result);                                                       \
        }                                                                                          \
    }
#define KEEP1(x, p)  (*(p) = (x))
#define KEEP2(x, p)  vstore2(x, 0, p)
#define KEEP4(x, p)  vstore4(x, 0, p)
#define KEEP8(x, p)  vstore8(x, 0, p)
#define KEEP16(x, p) vstore16(x, 0, p)
#endif
EACH_WIDTH(WRITE_PANEL)

#if WIDE
ALWAYS_INLINE void write_panel64(REAL64 total, int finish, long count, long all,
                                 __global STORED *to, __global REAL *wide, long j) {
    write_panel16(total.a, finish, count, all, to, wide, j);
    write_panel16(total.b, finish, count, all, to, wide, j + 16);
    write_panel16(total.c, finish, count, all, to, wide, j + 32);
    write_panel16(total.d, finish, count, all, to, wide, j + 48);
}
#endif

#if FOLD_PICKS
/* The place of the first element of column j of rows first .. last that is their result; -1: there are
 * no rows. */
static long find_row(__global const STORED *x, __global const OFFSET *perm, long ld, long first,
                     long last, long j) {
    long found = first;
    if (first == last) return -1;
    REAL best = READ_AT(ROW(first), j);
    for (long k = first + 1; k < last; ++k) {
        const REAL item = READ_AT(ROW(k), j), next = FOLD(best, item);
        if (!is_same(next, best)) found = k;
        best = next;
    }
    return found;
}

#if SPC_GPU
/* The first of the rows k, k + step ... of a block whose element of column j is `best`, or at least
 * `count`. */
ALWAYS_INLINE int find_in_block(__global const STORED *x, __global const OFFSET *perm, long ld,
                                long begin, long j, int k, int step, int count, REAL best) {
    while (k < count && !is_same(READ_AT(ROW(begin + k), j), best)) k += step;
    return k;
}
#define FIND_IN_BLOCK(u, j, begin, k, step, count, best)                                           \
    find_in_block(x, perm, ld, begin, j, k, step, count, best)
#else
/* find_row of a run of several blocks. */
static long find_long(__global const STORED *x, __global const OFFSET *perm, long ld,
                      __global const REAL *blocks, long begin, long end, long width, long j) {
    const REAL best = fold_results1(blocks, begin, end, width, j);
    long first = begin;
    while (first + SPC_BLOCK < end && !is_same(blocks[block_at(first, end) * width + j], best))
        first += SPC_BLOCK;
    return find_row(x, perm, ld, first, min(first + SPC_BLOCK, end), j);
}
#endif
#endif

/* Row u of the result := that of run u; wide and positions as in reduce.cl, [runs, width]. */
#define RESULTS                                                                                    \
    __global const REAL *blocks, int finish, long all, __global STORED *to, long to_at,            \
        long to_ld, __global REAL *wide, __global long *positions, long positions_at
#define ROW_OF(u)      (to ? to + to_at + (u)*to_ld : to)
#define WIDE_ROW_OF(u) (wide ? wide + (u)*width : wide)
#define PUT_POSITION(u, j, position)                                                               \
    do {                                                                                           \
        const long place = position;                                                               \
        positions[positions_at + (u)*width + (j)] = perm && place >= 0 ? (long)perm[place] : place; \
    } while (0)

KERNEL segment_runs(__global const OFFSET *offsets, long offsets_at, long runs, long length, ITEMS,
                    RESULTS) {
    OPEN_ITEMS;
    FOURS(((width | ld) & 3) == 0 && ALIGNED(x) && ALIGNED(wide) &&
          (!to || ((to_ld & 3) == 0 && ALIGNED(to + to_at))));
#if SPC_GPU
    FOR_ROWS_OF_FOURS(u, runs) {
#else
    FOR_EACH_RUN(u) {
#endif
        const long begin = run_begin(RUN_ARGS, u), end = run_end(RUN_ARGS, u);
        __global STORED *const row = ROW_OF(u);
        __global REAL *const wide_row = WIDE_ROW_OF(u);
#define EMPTY_FOLD (FOLD_PICKS ? 0 : FOLD_START)
#if SPC_GPU
#define SHORT(n, j)                                                                                \
    write_panel##n(begin == end ? (VECTOR(n))(EMPTY_FOLD)                                          \
                                : fold_rows##n(x, perm, ld, begin, end, j),                        \
                   finish, end - begin, all, row, wide_row, j)
        if (end - begin > SPC_BLOCK) continue;
        PANELS(SHORT);
#else
#define EMPTY(n, j) write_panel##n((VECTOR(n))(EMPTY_FOLD), finish, 0, all, row, wide_row, j)
#define SHORT(n, j)                                                                                \
    write_panel##n(fold_rows##n(x, perm, ld, begin, end, done + (j)), finish, end - begin, all,    \
                   row, wide_row, done + (j))
#define LONG(n, j)                                                                                 \
    write_panel##n(fold_results##n(blocks, begin, end, width, j), finish, end - begin, all, row,   \
                   wide_row, j)
        if (width == 1 && begin < end && end - begin <= SPC_BLOCK) {
            const long done = 0;
            SHORT(1, 0);
        } else if (begin == end) {
            PANELS(EMPTY);
        } else if (end - begin <= SPC_BLOCK) {
            WIDE_PANELS(SHORT, SHORT(64, 0));
        } else {
            PANELS(LONG);
        }
#endif
#if FOLD_PICKS
#define PICK_SHORT(n, j) PUT_POSITION(u, j, find_row(x, perm, ld, begin, end, j))
#define PICK_LONG(n, j)                                                                            \
    PUT_POSITION(u, j, find_long(x, perm, ld, blocks, begin, end, width, j))
#if SPC_GPU
        if (positions) {
            EACH_PANEL(j, width, PICK_SHORT);
        }
#else
        for (long j = 0; positions && j < width; ++j)
            if (end - begin > SPC_BLOCK)
                PICK_LONG(1, j);
            else
                PICK_SHORT(1, j);
#endif
#endif
    }
}

#if SPC_GPU
/* The runs of more than a block. */
KERNEL segment_long(__global const OFFSET *offsets, long offsets_at, long runs, long length, ITEMS,
                    RESULTS) {
    __local REAL stage[STAGE];
    PLACES;
    OPEN_ITEMS;
#if FOLD_PICKS
#define PUT_PICK(u, j)                                                                             \
    if (positions) PUT_POSITION(u, j, position)
#else
#define PUT_PICK(u, j)
#endif
#define PUT(live, u, j, begin, end, total)                                                         \
    LONG_POSITION((live) && positions, FIND_IN_BLOCK);                                             \
    if (live) {                                                                                    \
        write_panel1(total, finish, (end) - (begin), all, ROW_OF(u), WIDE_ROW_OF(u), j);           \
        PUT_PICK(u, j);                                                                            \
    }
    FOLD_LONG_RUNS(blocks, width, NOTHING, FOLD, PUT);
}
#endif
