/* runs.cl: sums of rows with equal indices, by partitions. After panel.cl and partition.cl.
 *
 * Defines  run, sum_run for all widths of panels; sum_split_runs: runs that are split between
 *          partitions, into the carry; carried, find_carried, sum_carry: their totals
 * Memory   starts: run u is rows perm[starts[u]] .. of `from`, or without perm rows starts[u] ..;
 *          carry: one slot per block and partition, then one slot per partition, of `width`
 *          elements
 * Order    docs/numerics.md, rule R
 */

/* Rows begin .. end of the sorted order, which has `all` rows of `width` elements. */
typedef struct {
    __global const STORED *from;
    __global const OFFSET *perm;
    long begin, end, all, width;
    int distance; /* prefetch distance in rows */
} run;

static __global const STORED *row_of(run r, long k) {
    return r.from + (r.perm ? (long)r.perm[k] : k) * r.width;
}

#if SPC_HINTS
#define PREFETCH_LATER(n, r, k, j)                                                                 \
    if (r.perm && (k) + r.distance < r.all) prefetch_row(row_of(r, (k) + r.distance) + (j), n)
#else
#define PREFETCH_LATER(n, r, k, j)
#endif

#define SUM_RUN(T, n)                                                                              \
    ALWAYS_INLINE T sum_block##n(run r, long first, long last, long j) {                           \
        PREFETCH_LATER(n, r, first, j);                                                            \
        T sum = GET##n(row_of(r, first) + j);                                                      \
        IN_ORDER                                                                                   \
        for (long k = first + 1; k < last; ++k) {                                                  \
            PREFETCH_LATER(n, r, k, j);                                                            \
            sum = ADD##n(sum, GET##n(row_of(r, k) + j));                                           \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    ALWAYS_INLINE T sum_run##n(run r, long j) {                                                    \
        T total = sum_block##n(r, r.begin, min(r.begin + SPC_BLOCK, r.end), j);                    \
        IN_ORDER                                                                                   \
        for (long first = r.begin + SPC_BLOCK; first < r.end; first += SPC_BLOCK)                  \
            total = ADD##n(total, sum_block##n(r, first, min(first + SPC_BLOCK, r.end), j));       \
        return total;                                                                              \
    }
EACH_PANEL_WIDTH(SUM_RUN)

/* Sum a partition's blocks of split runs into the carry: the blocks of a run that began in an
 * earlier partition, and the beginning of its last run. */
static void sum_split_runs(run r, const partition *found, __global const OFFSET *starts,
                           __global REAL *carry, long slots) {
    const partition mine = *found;
    const long w = get_group_id(0), partitions = get_num_groups(0);
    FOR_SEGMENTS(i, mine.head_blocks + mine.has_tail, r.width) {
        __global REAL *to = carry;
        if (i < mine.head_blocks) {
            r.begin = starts[mine.begin.row] + (mine.begin.block + i) * SPC_BLOCK;
            r.end = min(r.begin + SPC_BLOCK, (long)starts[mine.begin.row + 1]);
            to += (w * slots + i) * r.width;
        } else {
            r.begin = starts[mine.end.row];
            r.end = r.begin + mine.end.block * SPC_BLOCK;
            to += (partitions * slots + w) * r.width;
        }
        const long width = r.width;
#define SUM(n, j) STORE##n(sum_run##n(r, j), to + j)
        PANELS(SUM);
#undef SUM
    }
}

/* A run that is split between partitions. `chunks` groups sum its carry, with a chunk of the
 * columns each. */
typedef struct {
    partition mine;
    long w, partitions, runs, slots, width;
    __global const REAL *from;
    long first, columns; /* those of this group */
} carried;

/* (No return value: Oclgrind 21.10 does not support the code that LLVM makes of a returned struct.)
 */
static void find_carried(carried *c, __global const OFFSET *starts, long runs,
                         __global const REAL *carry, long slots, long width, long chunks) {
    c->partitions = get_num_groups(0) / chunks;
    c->w = get_group_id(0) / chunks;
    const long chunk = get_group_id(0) - c->w * chunks;
    c->mine = find_partition(starts, runs, c->partitions, c->w);
    c->runs = runs;
    c->slots = slots;
    c->width = width;
    c->from = carry;
    c->first = chunk_begin(width, chunks, chunk);
    c->columns = chunk_begin(width, chunks, chunk + 1) - c->first;
}

/* The sum of the run that begins in the partition and ends in a later one. */
#define SUM_CARRY(T, n)                                                                            \
    static T sum_carry##n(carried c, __global const OFFSET *starts, long j) {                      \
        const long u = c.mine.end.row, blocks = blocks_of(starts, u);                              \
        T sum = LOAD##n(c.from + (c.partitions * c.slots + c.w) * c.width + j);                    \
        long begin = c.mine.end.block;                                                             \
        IN_ORDER                                                                                   \
        for (long v = c.w + 1; v < c.partitions && begin < blocks; ++v) {                          \
            const long end = partition_reaches(starts, c.runs, u, c.partitions, v + 1);            \
            IN_ORDER                                                                               \
            for (long k = 0; k < end - begin; ++k)                                                 \
                sum += LOAD##n(c.from + (v * c.slots + k) * c.width + j);                          \
            begin = end;                                                                           \
        }                                                                                          \
        return sum;                                                                                \
    }
EACH_WIDTH(SUM_CARRY)
