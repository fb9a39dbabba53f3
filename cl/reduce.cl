/* reduce.cl: one number for each run of items: rows or columns of a CSR matrix, rows of a dense one.
 * After panel.cl, scan.cl, a file fold_X.cl, blocks.cl and stage.cl.
 *
 * Defines  reduce_blocks (the blocks of long runs), reduce_runs; many lanes: reduce_beside, of the rows
 *          of up to four matrices
 * Range    FOR_TEAMS over pairs of blocks, and over runs
 * Memory   blocks: blocks.cl
 * Order    docs/numerics.md, rule S with one column: eight partial results
 */

/* Item k of a run is x[k], or x[perm[k]]; without offsets, a run begins at u * ld. */
#define ITEMS                                                                                      \
    __global const STORED *x, long x_at, long ld, __global const OFFSET *perm,                     \
        __global const STORED *other, long other_at, long other_ld
#define OPEN_ITEMS                                                                                 \
    offsets += offsets ? offsets_at : 0;                                                           \
    x += x_at;                                                                                     \
    other += other_at

/* What item 0 of a run's numbering is at: all runs with offsets have one numbering. */
#define OPEN_RUN(u)                                                                                \
    const long origin = offsets ? 0 : (u)*length;                                                  \
    __global const STORED *const from = offsets ? x : x + (u)*ld;                                  \
    __global const STORED *const second = offsets ? other : other + (u)*other_ld;                  \
    (void)second

#define ITEM(k) READ_AT(from, perm ? (long)perm[k] : (k))

#if SPC_GPU

#define FOLD_BLOCK(result, begin, end)                                                             \
    do {                                                                                           \
        const int l = get_local_id(0);                                                             \
        REAL mine = FOLD_START;                                                                    \
        IN_ORDER                                                                                   \
        for (long k = (begin) + lane; k < (end); k += 8)                                           \
            mine = FOLD(mine, TERM(1, ITEM(k), second, k));                                        \
        partial[l] = mine;                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        for (int step = 4; step > 0; step /= 2) {                                                  \
            if (lane < step) partial[l] = FOLD(partial[l], partial[l + step]);                     \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
        }                                                                                          \
        result = partial[l - lane];                                                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    } while (0)

#else

#define FOLD_BLOCK(result, begin, end) result = fold_block(from, perm, second, begin, end)

ALWAYS_INLINE REAL fold_block(__global const STORED *from, __global const OFFSET *perm,
                              __global const STORED *second, long begin, long end) {
    REAL8 lanes = FOLD_START;
    REAL p[8];
    long k = begin;
    if (perm) {
        for (; k + 8 <= end; k += 8) {
            const REAL8 x = (REAL8)(ITEM(k), ITEM(k + 1), ITEM(k + 2), ITEM(k + 3), ITEM(k + 4),
                                    ITEM(k + 5), ITEM(k + 6), ITEM(k + 7));
            lanes = FOLD(lanes, TERM(8, x, second, k));
        }
    } else {
        for (; k + 8 <= end; k += 8)
            lanes = FOLD(lanes, TERM(8, GET8(from + k), second, k));
    }
    vstore8(lanes, 0, p);
    IN_ORDER
    for (int i = 0; i < 8 && k + i < end; ++i) p[i] = FOLD(p[i], TERM(1, ITEM(k + i), second, k + i));
    for (int step = 4; step > 0; step /= 2) {
        IN_ORDER
        for (int i = 0; i < step; ++i) p[i] = FOLD(p[i], p[i + step]);
    }
    return p[0];
}

#if !FOLD_PICKS

/* Runs that are computed at once. */
#define TOGETHER 4

/* The trees over the eight partial results of four runs. */
ALWAYS_INLINE REAL4 fold_trees(REAL8 a, REAL8 b, REAL8 c, REAL8 d) {
    const REAL4 a4 = FOLD(a.lo, a.hi), b4 = FOLD(b.lo, b.hi);
    const REAL4 c4 = FOLD(c.lo, c.hi), d4 = FOLD(d.lo, d.hi);
    const REAL4 ab = FOLD((REAL4)(a4.lo, b4.lo), (REAL4)(a4.hi, b4.hi));
    const REAL4 cd = FOLD((REAL4)(c4.lo, d4.lo), (REAL4)(c4.hi, d4.hi));
    return FOLD((REAL4)(ab.even, cd.even), (REAL4)(ab.odd, cd.odd));
}

/* The eight partial results of `length` items, a multiple of eight. */
ALWAYS_INLINE REAL8 fold_lanes(__global const STORED *from, __global const STORED *second,
                               long length) {
    REAL8 lanes = FOLD_START;
    for (long k = 0; k < length; k += 8) lanes = FOLD(lanes, TERM(8, GET8(from + k), second, k));
    return lanes;
}

/* The results of four runs, one after another, because processors prefetch what is read in order. */
ALWAYS_INLINE REAL4 fold_four(__global const STORED *from, long ld, __global const STORED *second,
                              long second_ld, long length) {
#define RUN(i) fold_lanes(from + (i)*ld, second + (i)*second_ld, length)
    const REAL8 a = RUN(0), b = RUN(1), c = RUN(2), d = RUN(3);
#undef RUN
    return fold_trees(a, b, c, d);
}

#endif

#endif

KERNEL reduce_blocks(__global const OFFSET *offsets, long offsets_at, long runs, long length, ITEMS,
                     __global REAL *blocks) {
    SHARED;
    OPEN_ITEMS;
    const long pairs = pair_count(run_total(RUN_ARGS));
    block_pair b = {0, 0, 0, 0};
    FOR_TEAMS(i, pairs) {
        if (LIVE(i, pairs)) find_blocks(&b, RUN_ARGS, i);
        OPEN_RUN(b.run);
        REAL head, tail;
        FOLD_BLOCK(head, b.first - origin, b.middle - origin);
        FOLD_BLOCK(tail, b.middle - origin, b.last - origin);
        if (!(FIRST & LIVE(i, pairs))) continue;
        blocks[2 * i] = head;
        blocks[2 * i + 1] = tail;
    }
}

#if !SPC_GPU
/* The results of the blocks of a long run, in ascending order. */
static REAL fold_results(__global const REAL *blocks, long begin, long end) {
    REAL total = FOLD_START;
    IN_ORDER
    for (long first = begin; first < end; first += SPC_BLOCK)
        total = FOLD(total, blocks[block_at(first, end)]);
    return total;
}
#endif

/* positions[u], and for `found` the item there, because of the sign of a zero. `position`: of the
 * first item that is `found`, where it IS_WANTED, else -1; many lanes: FIND_POSITION finds it for runs
 * of at most a block, each lane in its items. */
#if FOLD_PICKS
#define IS_WANTED(found) (positions || (found) == 0)
#define WRITE_POSITION(u, begin, end, found, position)                                             \
    do {                                                                                           \
        OPEN_RUN(u);                                                                               \
        long at = position;                                                                        \
        if (at >= 0) found = ITEM(at - origin);                                                    \
        if ((end) - (begin) < all && !is_same(FOLD(found, (REAL)0), found)) at = -1;               \
        if (positions) positions[u] = at < 0 || !perm ? at : (long)perm[at];                       \
    } while (0)
#if SPC_GPU
#define FIND_POSITION(begin, end, total)                                                           \
    const int l = get_local_id(0), count = IS_WANTED(total) ? (int)((end) - (begin)) : 0;          \
    int i = lane;                                                                                  \
    while (i < count && !is_same(ITEM((begin)-origin + i), total)) i += 8;                         \
    place[l] = i < count ? i : SPC_BLOCK;                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    int least = SPC_BLOCK;                                                                         \
    for (i = 0; i < 8; ++i) least = min(least, place[l - lane + i]);                               \
    const long position = least < SPC_BLOCK ? (begin) + least : -1

/* The first of the items k, k + step ... of a block that is `best`, or at least `count`. */
ALWAYS_INLINE int find_in_block(RUN_PARAMS, __global const STORED *x, long ld,
                                __global const OFFSET *perm, long u, long begin, int k, int step,
                                int count, REAL best) {
    const long at = offsets ? begin : begin - u * length;
    x += offsets ? 0 : u * ld;
    x += perm ? 0 : at;
    perm += perm ? at : 0;
    while (k < count && !is_same(READ_AT(x, perm ? (long)perm[k] : (long)k), best)) k += step;
    return k;
}
#define FIND_IN_BLOCK(u, j, begin, k, step, count, best)                                           \
    find_in_block(RUN_ARGS, x, ld, perm, u, begin, k, step, count, best)
#else
/* The first item that is `best`; -1: there is none. */
static long find_item(__global const STORED *from, __global const OFFSET *perm,
                      __global const REAL *blocks, long begin, long end, long origin, REAL best) {
    long first = begin, last = end;
    if (end - begin > SPC_BLOCK) {
        while (first + SPC_BLOCK < end && !is_same(blocks[block_at(first, end)], best))
            first += SPC_BLOCK;
        last = min(first + SPC_BLOCK, end);
    }
    for (long k = first; k < last; ++k)
        if (is_same(ITEM(k - origin), best)) return k;
    return -1;
}
#define FIND_POSITION(begin, end, total)                                                           \
    const long position =                                                                          \
        IS_WANTED(total) ? find_item(from, perm, blocks, begin, end, origin, total) : -1
#endif
#else
#define FIND_POSITION(begin, end, total)
#define WRITE_POSITION(u, begin, end, found, position)
#endif

/* What `total` makes the result of run u, with the arguments of the kernel. */
#define WRITE_RESULT(u, begin, end, total)                                                         \
    do {                                                                                           \
        REAL found = total;                                                                        \
        WRITE_POSITION(u, begin, end, found, position);                                            \
        const REAL result = FINISHED(found, FOLD_PICKS ? 0 : finish, (end) - (begin), all);        \
        if (wide)                                                                                  \
            wide[u] = result;                                                                      \
        else                                                                                       \
            WRITE_AT(to, u, result);                                                               \
    } while (0)

/* to[u] := the result of run u, or wide[u] := it as a REAL. positions[u] := the item of a maximum or
 * minimum, or -1 where there is none, or one that is not stored. */
KERNEL reduce_runs(__global const OFFSET *offsets, long offsets_at, long runs, long length, ITEMS,
                   __global const REAL *blocks, int finish, long all, __global STORED *to,
                   long to_at, __global REAL *wide, __global long *positions, long positions_at) {
    SHARED;
    OPEN_ITEMS;
    if (to) to += to_at;
    if (positions) positions += positions_at;
#if SPC_GPU
    __local REAL stage[STAGE];
    PLACES;
    FOR_TEAMS(u, runs) {
        const long begin = LIVE(u, runs) ? run_begin(RUN_ARGS, u) : 0;
        const long end = LIVE(u, runs) ? run_end(RUN_ARGS, u) : 0;
#else
#if !FOLD_PICKS
    const int fits = !offsets && !perm && length <= SPC_BLOCK && length % 8 == 0;
#endif
    FOR_EACH_RUN(u) {
#if !FOLD_PICKS
        for (; fits && finish != FINISH_COUNT && u + TOGETHER <= u_end; u += TOGETHER) {
            const REAL4 totals = fold_four(x + u * ld, ld, other + u * other_ld, other_ld, length);
            for (int i = 0; i < TOGETHER; ++i) {
                const REAL result = FINISHED(((const REAL *)&totals)[i], finish, length, all);
                if (wide)
                    wide[u + i] = result;
                else
                    WRITE_AT(to, u + i, result);
            }
        }
        if (u == u_end) break;
#endif
        const long begin = run_begin(RUN_ARGS, u), end = run_end(RUN_ARGS, u);
#endif
        OPEN_RUN(u);
        const int is_long = end - begin > SPC_BLOCK;
        REAL total = FOLD_START;
        if (finish != FINISH_COUNT)
            FOLD_BLOCK(total, begin - origin, is_long ? begin - origin : end - origin);
#if SPC_GPU
        FIND_POSITION(begin, is_long ? begin : end, total);
        if (!(FIRST & LIVE(u, runs)) || (is_long && blocks)) continue;
#else
        if (is_long && finish != FINISH_COUNT) total = fold_results(blocks, begin, end);
        FIND_POSITION(begin, end, total);
#endif
        WRITE_RESULT(u, begin, end, total);
    }
#if SPC_GPU
#define LONG(live, u, j, begin, end, total)                                                        \
    LONG_POSITION((live) && IS_WANTED(total), FIND_IN_BLOCK);                                          \
    if (live) {                                                                                    \
        const long own_begin = run_begin(RUN_ARGS, u), own_end = run_end(RUN_ARGS, u);             \
        WRITE_RESULT(u, own_begin, own_end, total);                                                \
    }
    FOLD_LONG_RUNS(blocks, 1, FOLD_START, FOLD, LONG);
#undef LONG
#endif
}

#if SPC_GPU && !FOLD_PICKS

#define MATRIX(x) __global const STORED *x, long x##_at, __global STORED *to_##x, long to_##x##_at

/* Packed matrices, whose rows have at most a block. The last ones may not be there. */
KERNEL reduce_beside(MATRIX(a), MATRIX(b), MATRIX(c), MATRIX(d), long matrices, long rows,
                     long length) {
    SHARED;
    __global const OFFSET *const perm = 0;
    __global const STORED *const second = 0;
    (void)second;
    FOR_TEAMS(u, matrices * rows) {
        const int live = LIVE(u, matrices * rows);
        const int which = (u >= rows) + (u >= 2 * rows) + (u >= 3 * rows);
        const long row = live ? u - which * rows : 0;
        __global const STORED *const from =
            BESIDE(which, a + a_at, b + b_at, c + c_at, d + d_at) + row * length;
        REAL total;
        FOLD_BLOCK(total, 0, live ? length : 0);
        if (!(FIRST & live)) continue;
        WRITE_AT(BESIDE(which, to_a + to_a_at, to_b + to_b_at, to_c + to_c_at, to_d + to_d_at), row,
                 total);
    }
}

#endif
