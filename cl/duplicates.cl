/* duplicates.cl: the sum, mean, largest or smallest of the items of a run. After scan.cl.
 *
 * Defines  duplicate_blocks, duplicate_values, duplicate_ends
 * Range    FOR_EACH over blocks, or over runs
 * Memory   sums, or picks: one for each full SPC_BLOCK items and one more
 * Order    docs/numerics.md, rule R, as coalesce.cl: the blocks of a run longer than SPC_BLOCK come
 *          first; a block has at most one item whose position is a multiple of SPC_BLOCK, and is
 *          stored under that multiple. Only a run's last block may have none
 * Types    values are STORED, positions OFFSET
 */

/* sparcl_duplicates */
enum { SUM = 0, MEAN = 1, MAX = 2, MIN = 3, FIRST = 4, LAST = 5 };

/* Run u is items starts[u] .. starts[u + 1] - 1 of the order; item k of the order is places[k], or
 * k where places is NULL. */
#define RUNS                                                                                       \
    __global const OFFSET *starts, __global const long *found, long found_at,                      \
        __global const OFFSET *places
#define PLACE(k) (places ? (long)places[k] : (long)(k))
#define VALUE(k) READ_AT(values, PLACE(k))

static REAL sum_block(__global const STORED *values, __global const OFFSET *places, long begin,
                      long end) {
    REAL sum = VALUE(begin);
    IN_ORDER
    for (long k = begin + 1; k < end; ++k)
        sum += VALUE(k);
    return sum;
}

/* Does x replace the best so far? A NaN does once, and nothing replaces it. */
static int is_better(REAL x, REAL best, int how) {
    if (best != best) return 0;
    return x != x || (how == MAX ? x > best : x < best);
}

/* The position of the best item. */
static long pick_block(__global const STORED *values, __global const OFFSET *places, int how,
                       long begin, long end) {
    long pick = begin;
    REAL best = VALUE(begin);
    for (long k = begin + 1; k < end; ++k) {
        const REAL x = VALUE(k);
        if (is_better(x, best, how)) pick = k, best = x;
    }
    return pick;
}

KERNEL duplicate_blocks(RUNS, __global const STORED *values, long values_at, int how,
                        __global REAL *sums, __global OFFSET *picks) {
    const long runs = found[found_at], n = starts[runs];
    values += values_at;
    FOR_EACH(b, (n + SPC_BLOCK - 1) / SPC_BLOCK) {
        const long at = b * SPC_BLOCK;
        const long u = find_offset(starts, 0, runs, at + 1) - 1, begin = starts[u];
        const long end = starts[u + 1];
        if (end - begin <= SPC_BLOCK) continue;
        const long first = begin + (at - begin) / SPC_BLOCK * SPC_BLOCK;
        const long last = min(first + SPC_BLOCK, end);
        if (how <= MEAN)
            sums[b] = sum_block(values, places, first, last);
        else
            picks[b] = (OFFSET)pick_block(values, places, how, first, last);
    }
}

/* Where block `first` .. of a run that ends at `last` is stored, or -1. */
static long block_of(long first, long last) {
    const long at = (first + SPC_BLOCK - 1) / SPC_BLOCK;
    return at * SPC_BLOCK < last ? at : -1;
}

static REAL sum_run(__global const STORED *values, __global const OFFSET *places, long begin,
                    long end, __global const REAL *sums) {
    REAL total = 0;
    if (end - begin <= SPC_BLOCK) return sum_block(values, places, begin, end);
    IN_ORDER
    for (long first = begin; first < end; first += SPC_BLOCK) {
        const long b = block_of(first, end);
        const REAL sum = b >= 0 ? sums[b] : sum_block(values, places, first, end);
        total = first == begin ? sum : total + sum;
    }
    return total;
}

static long pick_run(__global const STORED *values, __global const OFFSET *places, int how,
                     long begin, long end, __global const OFFSET *picks) {
    long pick = begin;
    if (end - begin <= SPC_BLOCK) return pick_block(values, places, how, begin, end);
    for (long first = begin; first < end; first += SPC_BLOCK) {
        const long b = block_of(first, end);
        const long k = b >= 0 ? (long)picks[b] : pick_block(values, places, how, first, end);
        if (first == begin || is_better(VALUE(k), VALUE(pick), how)) pick = k;
    }
    return pick;
}

/* chosen: the item that each run's value is, or of a sum or mean its first one. */
KERNEL duplicate_values(RUNS, __global const STORED *values, long values_at, int how,
                        __global const REAL *sums, __global const OFFSET *picks,
                        __global STORED *to, long to_at, __global OFFSET *chosen) {
    const long runs = found[found_at];
    values += values_at;
    to += to_at;
    FOR_EACH(u, runs) {
        const long begin = starts[u], end = starts[u + 1];
        long pick = begin;
        if (how <= MEAN) {
            REAL sum = sum_run(values, places, begin, end, sums);
            if (how == MEAN) sum = DIVIDE(sum, (REAL)(end - begin));
            WRITE_AT(to, u, sum);
        } else {
            pick = pick_run(values, places, how, begin, end, picks);
            to[u] = values[PLACE(pick)];
        }
        chosen[u] = (OFFSET)PLACE(pick);
    }
}

/* chosen[u] := the first or the last item of run u. */
KERNEL duplicate_ends(RUNS, int how, __global OFFSET *chosen) {
    const long runs = found[found_at];
    FOR_EACH(u, runs) chosen[u] = (OFFSET)PLACE(how == LAST ? starts[u + 1] - 1 : starts[u]);
}
