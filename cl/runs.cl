/* runs.cl: sums of rows with equal indices: run u is rows perm[starts[u]] .. perm[starts[u + 1]] of
 * `from`, or without perm rows starts[u] .. A long run may be divided: among partitions (few wide
 * cores) or into units (many lanes). After panel.cl and partition.cl.
 *
 * Defines  run, row_of, sum_run for all widths of panels; OPEN_RUNS, FOR_WHOLE_RUNS: the complete
 *          runs of a work-item or team, whose sums a kernel with the arguments RUN_SUMS uses; the
 *          sums of blocks of the others are stored; FOR_LONG_RUNS: these runs, in a kernel with the
 *          arguments BLOCK_SUMS, EACH_LONG_PANEL(r, call), LONG_COLUMN(r, j), sum_long for all widths
 * Memory   carry: one slot per block and partition, then one slot per partition, of `width`
 *          elements; parts, owner: partition.cl
 * Order    docs/numerics.md, rule R
 */

/* Rows begin .. end of the sorted order, which has `all` rows of `width` elements: run u, or a part
 * of it. */
typedef struct {
    __global const STORED *from;
    __global const OFFSET *perm;
    SIZE begin, end, all, width;
    int distance; /* prefetch distance in rows */
    SIZE u;
} run;

ALWAYS_INLINE __global const STORED *row_of(run r, SIZE k) {
    return r.from + (r.perm ? (SIZE)r.perm[k] : k) * r.width;
}

#if SPC_HINTS
#define PREFETCH_LATER(n, r, k, j)                                                                 \
    if (r.perm && (k) + r.distance < r.all) prefetch_row(row_of(r, (k) + r.distance) + (j), n)
#else
#define PREFETCH_LATER(n, r, k, j)
#endif

/* Many lanes: two rows at once are on their way. */
#if SPC_GPU
#define ADD_PAIRS(n)                                                                               \
    for (; k + 2 <= last; k += 2) {                                                                \
        const VALUE##n x = GET##n(row_of(r, k) + j), y = GET##n(row_of(r, k + 1) + j);             \
        sum = (sum + x) + y;                                                                       \
    }
#define VALUE1 REAL
#define VALUE4 REAL4
#else
#define ADD_PAIRS(n)
#endif

#define SUM_RUN(T, n)                                                                              \
    ALWAYS_INLINE T sum_block##n(run r, SIZE first, SIZE last, SIZE j) {                           \
        PREFETCH_LATER(n, r, first, j);                                                            \
        T sum = GET##n(row_of(r, first) + j);                                                      \
        SIZE k = first + 1;                                                                        \
        ADD_PAIRS(n)                                                                               \
        IN_ORDER                                                                                   \
        for (; k < last; ++k) {                                                                    \
            PREFETCH_LATER(n, r, k, j);                                                            \
            sum = ADD##n(sum, GET##n(row_of(r, k) + j));                                           \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    ALWAYS_INLINE T sum_run##n(run r, SIZE j) {                                                    \
        T total = sum_block##n(r, r.begin, min(r.begin + SPC_BLOCK, r.end), j);                    \
        IN_ORDER                                                                                   \
        for (SIZE first = r.begin + SPC_BLOCK; first < r.end; first += SPC_BLOCK)                  \
            total = ADD##n(total, sum_block##n(r, first, min(first + SPC_BLOCK, r.end), j));       \
        return total;                                                                              \
    }
EACH_PANEL_WIDTH(SUM_RUN)

#if SPC_GPU

#define RUN_SUMS   __global REAL *parts, __global SIZE *owner, long windows, int shift
#define BLOCK_SUMS __global const REAL *parts, __global const SIZE *owner, long windows, int shift

/* Is unit q a complete run? Else the sum of its block is stored. */
ALWAYS_INLINE int open_run(run *r, __global const OFFSET *starts, SIZE runs, SIZE windows, SIZE q,
                           __global REAL *parts, __global SIZE *owner, int lane, int lanes,
                           SIZE fours) {
    unit p;
    find_unit(&p, starts, runs, windows, q, owner, lane);
    if (p.row < 0) return 0;
    r->u = p.row;
    r->begin = p.begin;
    r->end = p.end;
    if (p.slot < 0) return 1;
    const SIZE width = r->width;
    __global REAL *to = parts + SLOT(p.slot);
#define SUM(n, j) STORE##n(sum_run##n(*r, j), to + (j))
    PANELS(SUM);
#undef SUM
    return 0;
}

#define OPEN_RUNS(r, runs)                                                                         \
    const SIZE run_count = runs;                                                                   \
    const int lanes = 1 << shift, lane = TEAM_LANE(shift)
#define FOR_WHOLE_RUNS(r)                                                                          \
    FOR_UNITS(q, (SIZE)windows + run_count, shift)                                                 \
    if (open_run(&r, starts, run_count, windows, q, parts, owner, lane, lanes, fours))

/* A run of several blocks. */
typedef struct {
    long_row slots;
    __global const REAL *parts;
    SIZE width, u;
} long_run;

#define sum_long1(r, starts, j) sum_blocks1((r)->parts, &(r)->slots, (r)->width, j)
#define sum_long4(r, starts, j) sum_blocks4((r)->parts, &(r)->slots, (r)->width, j)
EACH_WIDTH(SUM_BLOCKS)

ALWAYS_INLINE int find_long_run(long_run *r, __global const OFFSET *starts, SIZE windows, SIZE w,
                                __global const SIZE *owner) {
    if (!find_long_row(&r->slots, starts, windows, w, owner)) return 0;
    r->u = r->slots.row;
    return 1;
}

#define FOR_LONG_RUNS(r, runs)                                                                     \
    const int lanes = 1 << shift, lane = TEAM_LANE(shift);                                         \
    long_run r = {{0, 0, 0, 0}, parts, width, 0};                                                  \
    FOR_UNITS(r##_w, (SIZE)windows, shift)                                                         \
    if (find_long_run(&r, starts, windows, r##_w, owner))
#define EACH_LONG_PANEL(r, call) PANELS(call)
#define LONG_COLUMN(r, j) (j)
#define FIRST_OF_LONG(r) (lane == 0)

#else

#define RUN_SUMS   __global REAL *carry, long slots, int distance
#define BLOCK_SUMS __global const REAL *carry, long slots, long chunks

/* Sum a partition's blocks of split runs into the carry: the blocks of a run that began in an
 * earlier partition, and the beginning of its last run. */
static void sum_split_runs(run r, const partition *found, __global const OFFSET *starts,
                           __global REAL *carry, long slots) {
    const partition mine = *found;
    const long w = get_group_id(0), partitions = get_num_groups(0);
    for (long i = 0; i < mine.head_blocks + mine.has_tail; ++i) {
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

#define OPEN_RUNS(r, runs)                                                                         \
    const partition mine = find_partition(starts, runs, get_num_groups(0), get_group_id(0));       \
    r.distance = distance;                                                                         \
    sum_split_runs(r, &mine, starts, carry, slots)
#define FOR_WHOLE_RUNS(r)                                                                          \
    for (r.u = mine.first;                                                                         \
         r.u < mine.last && (r.begin = starts[r.u], r.end = starts[r.u + 1], 1); ++r.u)

/* A run that is split between partitions. `chunks` groups sum its carry, with a chunk of the
 * columns each. */
typedef struct {
    partition mine;
    long w, partitions, runs, slots, width;
    __global const REAL *from;
    long first, columns; /* those of this group */
    long u;
} long_run;

/* (No return value: Oclgrind 21.10 does not support the code that LLVM makes of a returned struct.)
 */
static void find_long_run(long_run *c, __global const OFFSET *starts, long runs,
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
    c->u = c->mine.end.row;
}

/* The sum of the run that begins in the partition and ends in a later one. */
#define SUM_LONG(T, n)                                                                             \
    static T sum_long##n(const long_run *c, __global const OFFSET *starts, long j) {               \
        const long u = c->u, blocks = blocks_of(starts, u);                                        \
        T sum = LOAD##n(c->from + (c->partitions * c->slots + c->w) * c->width + j);               \
        long begin = c->mine.end.block;                                                            \
        IN_ORDER                                                                                   \
        for (long v = c->w + 1; v < c->partitions && begin < blocks; ++v) {                        \
            const long end = partition_reaches(starts, c->runs, u, c->partitions, v + 1);          \
            IN_ORDER                                                                               \
            for (long k = 0; k < end - begin; ++k)                                                 \
                sum += LOAD##n(c->from + (v * c->slots + k) * c->width + j);                       \
            begin = end;                                                                           \
        }                                                                                          \
        return sum;                                                                                \
    }
EACH_WIDTH(SUM_LONG)

#define FOR_LONG_RUNS(r, runs)                                                                     \
    long_run r;                                                                                    \
    find_long_run(&r, starts, runs, carry, slots, width, chunks);                                  \
    if (r.mine.has_tail)
#define EACH_LONG_PANEL(r, call) EACH_PANEL(j, r.columns, call)
#define LONG_COLUMN(r, j)        (r.first + (j))
#define FIRST_OF_LONG(r) (r.first == 0)

#endif
