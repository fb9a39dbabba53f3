/* runs.cl: sums of the rows of one index, by shares. After panel.cl and partition.cl.
 *
 * Defines  run, sum_run for all widths of panels; sum_parts: what lies across shares, into the
 *          carry; carried, find_carried, sum_carry: what that adds up to
 * Memory   starts: run u is rows perm[starts[u]] .. of `from`, without perm row starts[u] ..;
 *          carry: a slot a block for each share, then one slot a share, of `width` elements each
 * Order    docs/numerics.md, rule R
 */

/* Rows begin .. end of the sorted order, which has `all`; `width` elements each. */
typedef struct {
    __global const REAL *from;
    __global const OFFSET *perm;
    long begin, end, all, width;
    int distance; /* rows are asked for so many before they are needed */
} run;

static __global const REAL *row_of(run r, long k) {
    return r.from + (r.perm ? (long)r.perm[k] : k) * r.width;
}

#if SPC_HINTS
#define PREFETCH_LATER(n, r, k, j)                                                                  \
    if (r.perm && (k) + r.distance < r.all) prefetch_row(row_of(r, (k) + r.distance) + (j), n)
#else
#define PREFETCH_LATER(n, r, k, j)
#endif

#define SUM_RUN(T, n)                                                                              \
    ALWAYS_INLINE T sum_block##n(run r, long first, long last, long j) {                           \
        PREFETCH_LATER(n, r, first, j);                                                             \
        T sum = LOAD##n(row_of(r, first) + j);                                                     \
        IN_ORDER                                                                                   \
        for (long k = first + 1; k < last; ++k) {                                                  \
            PREFETCH_LATER(n, r, k, j);                                                             \
            sum = ADD##n(sum, LOAD##n(row_of(r, k) + j));                                          \
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

/* What the share of a group has of runs that other shares have a part of goes to the carry: blocks of
 * the run that an earlier share began, and the beginning of its last run. */
static void sum_parts(run r, const partition *found, __global const OFFSET *starts,
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

/* Where one run lies across shares: each is done by `parts` groups, a part of the columns each. */
typedef struct {
    partition mine;
    long w, partitions, runs, slots, width;
    __global const REAL *from;
    long first, columns; /* those of this group */
} carried;

/* (Not as a result: Oclgrind 21.10 does not know what LLVM makes of a struct that is returned.) */
static void find_carried(carried *c, __global const OFFSET *starts, long runs,
                         __global const REAL *carry, long slots, long width, long parts) {
    c->partitions = get_num_groups(0) / parts;
    c->w = get_group_id(0) / parts;
    const long part = get_group_id(0) - c->w * parts;
    c->mine = find_partition(starts, runs, c->partitions, c->w);
    c->runs = runs;
    c->slots = slots;
    c->width = width;
    c->from = carry;
    c->first = part_begin(width, parts, part);
    c->columns = part_begin(width, parts, part + 1) - c->first;
}

/* The sum of the run that begins in the share and ends in a later one. */
#define SUM_CARRY(T, n)                                                                            \
    static T sum_carry##n(carried c, __global const OFFSET *starts, long j) {                      \
        const long u = c.mine.end.row, blocks = blocks_of(starts, u);                              \
        T sum = LOAD##n(c.from + (c.partitions * c.slots + c.w) * c.width + j);                        \
        long begin = c.mine.end.block;                                                             \
        IN_ORDER                                                                                   \
        for (long v = c.w + 1; v < c.partitions && begin < blocks; ++v) {                              \
            const long end = partition_reaches(starts, c.runs, u, c.partitions, v + 1);                    \
            IN_ORDER                                                                               \
            for (long k = 0; k < end - begin; ++k)                                                 \
                sum += LOAD##n(c.from + (v * c.slots + k) * c.width + j);                          \
            begin = end;                                                                           \
        }                                                                                          \
        return sum;                                                                                \
    }
EACH_WIDTH(SUM_CARRY)
