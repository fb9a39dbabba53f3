/* softmax.cl: softmax and log-softmax of the stored entries of each row of a CSR matrix, and their
 * gradients. After panel.cl, scan.cl, entries.cl, blocks.cl, stage.cl, elementary.cl.
 *
 * Defines  softmax_rows (rows of at most SPC_BLOCK entries; of others the largest entry),
 *          softmax_blocks (sums of the blocks of longer rows), softmax_sums (of these rows),
 *          softmax_write (longer rows), softmax_gradient
 * Range    softmax_rows: FOR_TEAMS over rows and FOLD_LONG_RUNS, wide cores FOR_EACH_RUN; softmax_sums:
 *          FOLD_LONG_RUNS, wide cores FOR_EACH_RUN; softmax_blocks, softmax_write: FOR_TEAMS over
 *          pairs of blocks; softmax_gradient: FOR_ENTRIES
 * Memory   blocks: blocks.cl, at first the largest entries of blocks (reduce_blocks); top, sums: one
 *          REAL for each row, used for longer rows only
 * Order    docs/numerics.md, rule S with one column
 */

#define LARGER(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))

/* log(sum) for a log-softmax. */
static REAL scale_of(int is_log, REAL sum) {
    return is_log ? own_log(sum) : sum;
}

/* SUM_EXPS(sum, begin, end, largest): the sum of exp(x[k] - largest) of a block; WRITE_BLOCK: its
 * results. */
#if SPC_GPU

/* A partial sum for each lane of a team. */
#define SUM_EXPS(sum, begin, end, largest)                                                         \
    do {                                                                                           \
        const int l = get_local_id(0);                                                             \
        __local const REAL *p = partial + (l - lane);                                              \
        REAL mine = 0;                                                                             \
        IN_ORDER                                                                                   \
        for (long k = (begin) + lane; k < (end); k += 8) mine += own_exp(READ_AT(x, k) - largest); \
        partial[l] = mine;                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        sum = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));                   \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    } while (0)

#define WRITE_BLOCK(begin, end, largest, scale)                                                    \
    for (long k = (begin) + lane; k < (end); k += 8) {                                             \
        const REAL d = READ_AT(x, k) - largest;                                                    \
        WRITE_AT(to, k, is_log ? d - scale : DIVIDE(own_exp(d), scale));                           \
    }

#else

static REAL largest_of(__global const STORED *x, long begin, long end) {
    REAL largest = -INFINITY;
    for (long k = begin; k < end; ++k) {
        const REAL item = READ_AT(x, k);
        largest = LARGER(largest, item);
    }
    return largest;
}

/* CPU workers compute a block in an array of their own: compilers then use vectors. */
static void write_exps(__global const STORED *x, long begin, int count, REAL largest, REAL *e) {
    for (int i = 0; i < count; ++i) e[i] = READ_AT(x, begin + i) - largest;
    for (int i = 0; i < count; ++i) e[i] = own_exp(e[i]);
}

/* One block of rule S. */
static REAL sum_block(const REAL *e, int count) {
    REAL8 lanes = 0;
    REAL p[8];
    int k = 0;
    for (; k + 8 <= count; k += 8) lanes += vload8(0, e + k);
    vstore8(lanes, 0, p);
    IN_ORDER
    for (int i = 0; i < 8 && k + i < count; ++i) p[i] += e[k + i];
    return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}

static REAL sum_exps(__global const STORED *x, long begin, long end, REAL largest) {
    REAL e[SPC_BLOCK];
    write_exps(x, begin, (int)(end - begin), largest, e);
    return sum_block(e, (int)(end - begin));
}

/* At most two blocks. */
static void write_block(int is_log, __global const STORED *x, __global STORED *to, long begin,
                        long end, REAL largest, REAL scale) {
    REAL e[2 * SPC_BLOCK];
    const int count = (int)(end - begin);
    if (is_log) {
        for (int i = 0; i < count; ++i) e[i] = (READ_AT(x, begin + i) - largest) - scale;
    } else {
        write_exps(x, begin, count, largest, e);
        for (int i = 0; i < count; ++i) e[i] = DIVIDE(e[i], scale);
    }
    for (int i = 0; i < count; ++i) WRITE_AT(to, begin + i, e[i]);
}

#define SUM_EXPS(sum, begin, end, largest)      sum = sum_exps(x, begin, end, largest)
#define WRITE_BLOCK(begin, end, largest, scale) write_block(is_log, x, to, begin, end, largest, scale)

#endif

#define ROWS                                                                                       \
    __global const OFFSET *offsets, long offsets_at, long runs, __global const STORED *x, long x_at
#define OPEN_ROWS                                                                                  \
    const long length = 1; /* not used: runs have offsets */                                       \
    (void)length;                                                                                  \
    offsets += offsets_at;                                                                         \
    x += x_at

#if SPC_GPU

KERNEL softmax_rows(ROWS, int is_log, __global STORED *to, long to_at, long capacity,
                    __global const REAL *blocks, __global REAL *top) {
    __local REAL stage[STAGE];
    SHARED;
    OPEN_ROWS;
    to += to_at;
    FOR_TEAMS(u, runs) {
        const long row = min(u, runs - 1), begin = offsets[row], last = offsets[row + 1];
        const long end = LIVE(u, runs) && last - begin <= SPC_BLOCK ? last : begin;
        const int l = get_local_id(0);
        REAL largest = -INFINITY, sum;
        for (long k = begin + lane; k < end; k += 8) {
            const REAL item = READ_AT(x, k);
            largest = LARGER(largest, item);
        }
        partial[l] = largest;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; ++i) largest = LARGER(largest, partial[l - lane + i]);
        barrier(CLK_LOCAL_MEM_FENCE);
        SUM_EXPS(sum, begin, end, largest);
        const REAL scale = scale_of(is_log, sum);
        WRITE_BLOCK(begin, end, largest, scale)
    }
    FOR_EACH(k, capacity - (long)offsets[runs]) WRITE_AT(to, (long)offsets[runs] + k, (REAL)0);
#define TOP(live, u, j, begin, end, total)                                                         \
    if (live) top[u] = total
    FOLD_LONG_RUNS(blocks, 1, -INFINITY, LARGER, TOP);
}

#else

static REAL largest_block(__global const REAL *blocks, long begin, long end) {
    REAL largest = -INFINITY;
    for (long first = begin; first < end; first += SPC_BLOCK) {
        const REAL item = blocks[block_at(first, end)];
        largest = LARGER(largest, item);
    }
    return largest;
}

/* Entries of several short rows are computed together, so that compilers use vectors. */
#define BATCH (4 * SPC_BLOCK)
#define ROWS_OF_BATCH SPC_BLOCK

/* log(x) for x >= 1, or NaN: without what own_log has for other numbers. */
static REAL log_of_sum(REAL x) {
    const REAL y = log_normal(x);
    return x == x ? y : NAN;
}

/* The rows first .. last, at most ROWS_OF_BATCH, which have at most BATCH entries together, each at
 * most SPC_BLOCK. */
static void write_batch(int is_log, __global const OFFSET *offsets, __global const STORED *x,
                        __global STORED *to, long first, long last) {
    REAL d[BATCH], e[BATCH], scales[ROWS_OF_BATCH];
    const int rows = (int)(last - first);
    const long origin = offsets[first];
    const int count = (int)((long)offsets[last] - origin);
    for (long u = first; u < last; ++u) {
        const long begin = offsets[u], end = offsets[u + 1];
        const REAL largest = largest_of(x, begin, end);
        for (long k = begin; k < end; ++k) d[k - origin] = READ_AT(x, k) - largest;
    }
    for (int k = 0; k < count; ++k) e[k] = own_exp(d[k]);
    for (int r = 0; r < rows; ++r) {
        const int begin = (int)((long)offsets[first + r] - origin);
        scales[r] = sum_block(e + begin, (int)((long)offsets[first + r + 1] - origin) - begin);
    }
    if (is_log) /* those of empty rows are not used */
        for (int r = 0; r < rows; ++r) scales[r] = log_of_sum(scales[r]);
    for (int r = 0; r < rows; ++r) {
        const int begin = (int)((long)offsets[first + r] - origin);
        const int end = (int)((long)offsets[first + r + 1] - origin);
        const REAL scale = scales[r];
        if (is_log)
            for (int k = begin; k < end; ++k) e[k] = d[k] - scale;
        else
            for (int k = begin; k < end; ++k) e[k] = DIVIDE(e[k], scale);
    }
    for (int k = 0; k < count; ++k) WRITE_AT(to, origin + k, e[k]);
}

KERNEL softmax_rows(ROWS, int is_log, __global STORED *to, long to_at, long capacity,
                    __global const REAL *blocks, __global REAL *top) {
    OPEN_ROWS;
    to += to_at;
    const long w = get_global_id(0), end = first_run(RUN_ARGS, get_global_size(0), w + 1);
    for (long u = first_run(RUN_ARGS, get_global_size(0), w); u < end;) {
        long last = u;
        while (last < end && last - u < ROWS_OF_BATCH &&
               (long)offsets[last + 1] - (long)offsets[u] <= BATCH &&
               (long)offsets[last + 1] - (long)offsets[last] <= SPC_BLOCK)
            ++last;
        if (last > u) {
            write_batch(is_log, offsets, x, to, u, last);
            u = last;
        } else {
            top[u] = largest_block(blocks, (long)offsets[u], (long)offsets[u + 1]);
            ++u;
        }
    }
    FOR_EACH(k, capacity - (long)offsets[runs]) WRITE_AT(to, (long)offsets[runs] + k, (REAL)0);
}

#endif

KERNEL softmax_blocks(ROWS, __global const REAL *top, __global REAL *blocks) {
    SHARED;
    OPEN_ROWS;
    const long pairs = pair_count(run_total(RUN_ARGS));
    block_pair b = {0, 0, 0, 0};
    FOR_TEAMS(i, pairs) {
        REAL head, tail;
        if (LIVE(i, pairs)) find_blocks(&b, RUN_ARGS, i);
        const REAL largest = b.middle > b.first ? top[b.run] : 0;
        SUM_EXPS(head, b.first, b.middle, largest);
        SUM_EXPS(tail, b.middle, b.last, largest);
        if (!(FIRST & LIVE(i, pairs))) continue;
        if (b.middle > b.first) blocks[2 * i] = head;
        if (b.last > b.middle) blocks[2 * i + 1] = tail;
    }
}

KERNEL softmax_sums(__global const OFFSET *offsets, long offsets_at, long runs, int is_log,
                    __global const REAL *blocks, __global REAL *sums) {
    const long length = 1;
    (void)length;
    offsets += offsets_at;
#if SPC_GPU
    __local REAL stage[STAGE];
#define ADD(a, b) ((a) + (b))
#define SUM(live, u, j, begin, end, total)                                                         \
    if (live) sums[u] = scale_of(is_log, total)
    FOLD_LONG_RUNS(blocks, 1, 0, ADD, SUM);
#else
    FOR_EACH_RUN(u) {
        const long begin = offsets[u], end = offsets[u + 1];
        REAL sum = 0;
        if (end - begin <= SPC_BLOCK) continue;
        IN_ORDER
        for (long first = begin; first < end; first += SPC_BLOCK)
            sum += blocks[block_at(first, end)];
        sums[u] = scale_of(is_log, sum);
    }
#endif
}

KERNEL softmax_write(ROWS, int is_log, __global STORED *to, long to_at, __global const REAL *top,
                     __global const REAL *sums) {
    OPEN_ROWS;
    to += to_at;
    const long pairs = pair_count(run_total(RUN_ARGS));
    block_pair b = {0, 0, 0, 0};
    FOR_TEAMS(i, pairs) {
        if (!LIVE(i, pairs)) continue;
        find_blocks(&b, RUN_ARGS, i);
        if (b.last == b.first) continue;
        const REAL largest = top[b.run], sum = sums[b.run];
        WRITE_BLOCK(b.first, b.last, largest, sum);
    }
}

/* Softmax y with the row's sum s of y gy: y (gy - s); log-softmax with the row's sum s of gy:
 * gy - exp(y) s. */
KERNEL softmax_gradient(__global const OFFSET *offsets, long offsets_at, long runs, int is_log,
                        __global const STORED *y, long y_at, __global const STORED *gy, long gy_at,
                        __global const REAL *sums, __global STORED *to, long to_at, long capacity) {
    offsets += offsets_at;
    y += y_at;
    gy += gy_at;
    to += to_at;
    const long n = min((long)offsets[runs], capacity);
    FOR_ENTRIES(k, u, offsets, runs, n) {
        const REAL g = READ_AT(gy, k), value = READ_AT(y, k);
        WRITE_AT(to, k, is_log ? g - own_exp(value) * sums[u] : value * (g - sums[u]));
    }
    FOR_EACH(rest, capacity - n) WRITE_AT(to, n + rest, (REAL)0);
}
