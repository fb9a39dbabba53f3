/* blocks.cl: runs of items, and the blocks of those that have more than SPC_BLOCK: work-items share
 * a long run. After panel.cl and scan.cl.
 *
 * Defines  VECTOR(n); RUN_PARAMS and RUN_ARGS: the runs; run_begin, run_end, run_total; FOR_EACH_RUN;
 *          block_pair, find_blocks; block_at; finished; BESIDE; FOR_TEAMS
 * Memory   blocks: two results for each full SPC_BLOCK items of all runs: that of the block of a long
 *          run which has an item at a multiple of SPC_BLOCK, and that of the last block, where none
 *          of its items is at one
 */

/* The first, second, third or fourth of arrays that one launch computes. */
#define BESIDE(which, a, b, c, d)                                                                  \
    ((which) == 0 ? (a) : (which) == 1 ? (b) : (which) == 2 ? (c) : (d))

/* Run u is the items offsets[u] .. offsets[u + 1], or without offsets the items
 * u * length .. (u + 1) * length. */
#define RUN_PARAMS __global const OFFSET *offsets, long runs, long length
#define RUN_ARGS   offsets, runs, length

#define VECTOR(n) VECTOR##n
#define VECTOR1  REAL
#define VECTOR2  REAL2
#define VECTOR4  REAL4
#define VECTOR8  REAL8
#define VECTOR16 REAL16

static long run_begin(RUN_PARAMS, long u) {
    return offsets ? (long)offsets[u] : u * length;
}

static long run_end(RUN_PARAMS, long u) {
    return offsets ? (long)offsets[u + 1] : (u + 1) * length;
}

/* The number of items of all runs. */
static long run_total(RUN_PARAMS) {
    return run_begin(RUN_ARGS, runs);
}

/* FOR_EACH_RUN(u): the runs of a work-item. CPU workers get runs with about as many items. */
#if SPC_GPU
#define FOR_EACH_RUN(u) FOR_EACH(u, runs)
#else
/* The first run of worker w. */
static long first_run(RUN_PARAMS, long workers, long w) {
    if (!offsets) return chunk_begin(runs, workers, w);
    const long at = chunk_begin(runs + (long)offsets[runs], workers, w);
    long low = 0, high = runs;
    while (low < high) {
        const long middle = (low + high) / 2;
        if ((long)offsets[middle] + middle < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
#define FOR_EACH_RUN(u)                                                                            \
    for (long u = first_run(RUN_ARGS, get_global_size(0), get_global_id(0)),                       \
              u##_end = first_run(RUN_ARGS, get_global_size(0), get_global_id(0) + 1);             \
         u < u##_end; ++u)
#endif

/* The blocks of a long run that a pair of results is of: items first .. middle, and middle .. last,
 * which may be none. Without a long run all are none. Before a pair is found, `run` is that of a pair
 * before it, or 0. */
typedef struct {
    long run, first, middle, last;
} block_pair;

static void find_blocks(block_pair *b, RUN_PARAMS, long pair) {
    const long at = pair * SPC_BLOCK;
    b->run = offsets ? find_offset(offsets, b->run + 1, runs + 1, at + 1) - 1 : at / length;
    const long begin = run_begin(RUN_ARGS, b->run), end = run_end(RUN_ARGS, b->run);
    b->first = b->middle = b->last = begin;
    if (end - begin <= SPC_BLOCK) return;
    b->first = begin + (at - begin) / SPC_BLOCK * SPC_BLOCK;
    b->middle = min(b->first + SPC_BLOCK, end);
    b->last = at + SPC_BLOCK < end ? b->middle : end;
}

/* The pairs of results of the items. */
static long pair_count(long items) {
    return (items + SPC_BLOCK - 1) / SPC_BLOCK;
}

/* Where the result of the block from `first` on is, in a run that ends at `end`. */
static long block_at(long first, long end) {
    const long pair = (first + SPC_BLOCK - 1) / SPC_BLOCK;
    return pair * SPC_BLOCK < end ? 2 * pair : 2 * pair - 1;
}

/* How a result is made of what the items of a run give. */
#define FINISH_MEAN 1
#define FINISH_SQRTN 2
#define FINISH_ROOT 3
#define FINISH_COUNT 4

/* `all` is the number of items with those that are not stored, which are 0; or 0: only stored items
 * count. */
#define FINISHED(total, finish, length, all)                                                       \
    finish_number(finish, length, all,                                                             \
                  (length) < (all)                           ? FOLD(total, (REAL)0)                \
                  : FOLD_PICKS && (length) == 0 ? (REAL)0 : (total))

static REAL finish_number(int finish, long length, long all, REAL total) {
    const REAL count = (REAL)max(all ? all : length, 1L);
    if (finish == FINISH_MEAN) return DIVIDE(total, count);
    if (finish == FINISH_SQRTN) return DIVIDE(total, ROOT(count));
    if (finish == FINISH_ROOT) return ROOT(total);
    return finish == FINISH_COUNT ? (REAL)length : total;
}

/* Equal, or both NaN. */
static int is_same(REAL a, REAL b) {
    return a == b || (a != a && b != b);
}

/* The run of item k, where run u is that of an item before it, or 0: most often it, or the next
 * one. */
static long run_of(RUN_PARAMS, long u, long k) {
    if (!offsets) return k / length;
    if (k < (long)offsets[u + 1]) return u;
    return k < (long)offsets[u + 2] ? u + 1 : find_offset(offsets, u + 2, runs + 1, k + 1) - 1;
}

/* FOR_TEAMS(i, n): a loop over 0 .. n - 1, where only those are LIVE(i, n): work-items of wide cores;
 * teams of eight lanes, of which all of a group execute the body. FIRST: the first lane of a team.
 * Before it SHARED. */
#define LIVE(i, n) ((i) < (n))
#if SPC_GPU

#define TEAMS (GROUP / 8)
#define FOR_TEAMS(i, n)                                                                            \
    const int lane = get_local_id(0) & 7;                                                          \
    for (long i##_first = get_group_id(0) * TEAMS, i; i##_first < (n);                             \
         i##_first += get_num_groups(0) * TEAMS)                                                   \
        if (i = i##_first + get_local_id(0) / 8, 1)
#define FIRST (lane == 0)
#define SHARED __local REAL partial[GROUP]

#else

#define FOR_TEAMS(i, n) FOR_EACH(i, n)
#define FIRST 1
#define SHARED

#endif
