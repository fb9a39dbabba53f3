/* stage.cl: sums in order on many lanes, where each number read takes long: the lanes of a group read
 * a tile of numbers together, then one lane for each column adds them from there, one after another.
 * FOLD_LONG_RUNS: after blocks.cl.
 *
 * Defines  STAGE (numbers of a tile), OPEN_STAGE (columns of a group), STAGED (sums of columns),
 *          FOLD_LONG_RUNS (results of long runs); after a file fold_X.cl: PLACES, LONG_POSITION (where
 *          an item is that is the result)
 * Memory   local: STAGE numbers, PLACES
 */
#if SPC_GPU

#define STAGE 1024

/* A lane reads eight numbers from local memory, then adds them. */
#if defined(__clang__)
#define UNROLL_EIGHT _Pragma("unroll 8")
#else
#define UNROLL_EIGHT
#endif

/* A group has 2^bits columns: as many as there are, or 2^most. */
static int stage_bits(long columns, int most) {
    return 32 - (int)clz((uint)min(columns, 1L << most) - 1u);
}

/* Lane l reads rows of one column. Column j of all is in chunk `chunk`, of `chunks`. */
#define OPEN_STAGE(columns, most)                                                                  \
    const int bits = stage_bits(columns, most), l = get_local_id(0), column = l & ((1 << bits) - 1)
#define STAGE_CHUNKS(columns) (((columns) + (1 << bits) - 1) >> bits)
#define STAGE_COLUMN(chunk)   (((chunk) << bits) + column)

/* PUT(e, i): number e of a tile := that of row i and column j, for all rows and for columns that are
 * `live`. ADD(e): add it, in the order of the rows, on the lanes that are LIVE_SUM. All lanes of a
 * group must meet it, with the same number of rows. */
#define LIVE_SUM(live) ((live) && l == column)
#define STAGED(size, rows, live, PUT, ADD)                                                         \
    for (long tile = 0; tile < (rows); tile += (size) >> bits) {                                   \
        const int count = (int)min((rows) - tile, (long)((size) >> bits));                         \
        for (int e = l; e < (size); e += GROUP)                                                    \
            if ((live) && (e >> bits) < count) PUT(e, tile + (e >> bits));                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        const int end = LIVE_SUM(live) ? count : 0;                                                \
        IN_ORDER UNROLL_EIGHT                                                                      \
        for (int i = 0; i < end; ++i) ADD((i << bits) + column);                                   \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    }

#if FOLD_PICKS
/* `latest`: which of the results is `total`. Of each lane's run: the block with it, and where in that
 * the item is. */
#define PLACES      __local int block_of[GROUP], place[GROUP]
#define OPEN_LATEST int latest = own
#define ADD_RESULT(FOLD, item, number)                                                             \
    do {                                                                                           \
        const REAL result = item, next = FOLD(total, result);                                      \
        if (!is_same(next, total)) latest = number;                                                \
        total = next;                                                                              \
    } while (0)

/* In a PUT, `position` := the first item of the run, ITEM_OF(u, j, k), that is `total`; -1 where it is
 * not `wanted` on this lane. All lanes of a group search, in one run after another. */
#define LONG_POSITION(wanted, FIND)                                                             \
    stage[l] = total;                                                                              \
    block_of[l] = wanted ? (latest - own) / 2 : -1;                                                \
    place[l] = SPC_BLOCK;                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    for (int v = 0; v < (int)(last - first); ++v) {                                                \
        const int at = (v << bits) + column;                                                       \
        if (block_of[at] < 0) continue;                                                            \
        const long from = run_begin(RUN_ARGS, first + v) + (long)block_of[at] * SPC_BLOCK;         \
        const int count = (int)min((long)SPC_BLOCK, run_end(RUN_ARGS, first + v) - from);          \
        const int k = FIND(first + v, j, from, l >> bits, GROUP >> bits, count, stage[at]);        \
        if (k < count) atomic_min(&place[at], k);                                                  \
    }                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    const long position =                                                                          \
        place[l] < SPC_BLOCK ? begin + (long)block_of[l] * SPC_BLOCK + place[l] : -1
#else
#define PLACES
#define LONG_POSITION(wanted, FIND)
#define OPEN_LATEST
#define ADD_RESULT(FOLD, item, number) total = FOLD(total, item)
#endif

/* PUT(live, u, j, begin, end, total) for each column j of each run u of more than a block, its items
 * begin .. end: `live` on one lane, with the results of its blocks (blocks.cl), [.., width], folded in
 * order; all lanes of a group meet it.
 * `blocks` is NULL: there are no such runs. A group has consecutive runs, whose results are next to
 * each other: as few as let all groups have some; where they are fewer than groups, these divide the
 * columns, too. All groups must meet it, after `stage` and PLACES. */
#define LONG_BITS 3
#define FOLD_LONG_RUNS(blocks, width, START, FOLD, PUT)                                            \
    do {                                                                                           \
        OPEN_STAGE(width, LONG_BITS);                                                              \
        const int rows = STAGE >> bits;                                                            \
        const int chunks = (int)STAGE_CHUNKS(width), groups = get_num_groups(0);                   \
        const long share = (runs * chunks + groups - 1) / groups;                                  \
        const int most = (int)clamp(share, 1L, (long)(GROUP >> bits));                             \
        const long sets = blocks ? (runs + most - 1) / most : 0;                                   \
        const int parts = sets < groups ? chunks : 1;                                              \
        for (long task = get_group_id(0); task < sets * parts; task += groups) {                   \
            const long set = task / parts, first = set * most, last = min(first + most, runs);     \
            const long u = first + (l >> bits);                                                    \
            const long begin = u < last ? run_begin(RUN_ARGS, u) : 0;                              \
            const long end = u < last ? run_end(RUN_ARGS, u) : 0;                                  \
            const int is_long = end - begin > SPC_BLOCK;                                           \
            if (l == 0) stage[0] = 0;                                                              \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
            if (is_long) stage[0] = 1;                                                             \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
            const int none = stage[0] == 0;                                                        \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
            /* The results of these runs; this lane's: of blocks with an item at a multiple of     \
             * SPC_BLOCK, every second one, then perhaps of another block. */                      \
            const int tiles = (int)(run_begin(RUN_ARGS, first) / SPC_BLOCK * 2);                   \
            const int tiles_end = none ? tiles : (int)(2 * pair_count(run_end(RUN_ARGS, last - 1))); \
            const int own = (int)(2 * pair_count(begin));                                          \
            const int own_end = is_long ? (int)(2 * pair_count(end)) : own;                        \
            const int rest = is_long && own_end - own < (int)(2 * pair_count(end - begin));        \
            for (int chunk = (int)(task - set * parts); chunk < chunks; chunk += parts    ) {      \
                const int j = (chunk << bits) + column; /* as long it is not less than 1 in Mesa 22 */ \
                REAL total = START;                                                                \
                OPEN_LATEST;                                                                       \
                for (int tile = tiles; tile < tiles_end; tile += rows) {                           \
                    const int step = GROUP >> bits;                                                \
                    int k = tile + (l >> bits);                                                    \
                    __global const REAL *from = (blocks) + ((width) * k + j);                      \
                    for (int e = l; e < STAGE; e += GROUP, k += step, from += step * (width))      \
                        if (k < tiles_end && j < (width)) stage[e] = *from;                        \
                    barrier(CLK_LOCAL_MEM_FENCE);                                                  \
                    const int stop = j < (width) ? clamp(own_end - tile, 0, rows) : 0;             \
                    int i = clamp(own - tile, 0, rows);                                            \
                    IN_ORDER UNROLL_EIGHT                                                          \
                    for (; i < stop; i += 2)                                                       \
                        ADD_RESULT(FOLD, stage[(i << bits) + column], tile + i);                   \
                    if (rest && stop > 0 && own_end - tile <= rows)                                \
                        ADD_RESULT(FOLD, stage[((stop - 1) << bits) + column], own_end);   \
                    barrier(CLK_LOCAL_MEM_FENCE);                                                  \
                }                                                                                  \
                PUT(is_long && j < (width), u, j, begin, end, total);                              \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#endif
