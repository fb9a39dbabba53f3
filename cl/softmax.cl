/* softmax.cl: softmax and log-softmax of the stored entries of each row of a CSR matrix, and their
 * gradients. After panel.cl, scan.cl, blocks.cl, stage.cl, elementary.cl.
 *
 * Defines  softmax_rows (rows of at most SPC_BLOCK entries; of others the largest entry),
 *          softmax_blocks (sums of the blocks of longer rows), softmax_sums (of these rows),
 *          softmax_write (longer rows), softmax_gradient
 * Range    softmax_rows, softmax_sums: FOR_EACH_RUN, and FOLD_LONG_RUNS on many lanes; softmax_blocks, softmax_write: FOR_EACH over
 *          pairs of blocks; softmax_gradient: FOR_EACH over the entries
 * Memory   blocks: blocks.cl, at first the largest entries of blocks (reduce_blocks); top, sums: one
 *          REAL for each row, used for longer rows only
 * Order    docs/numerics.md, rule S with one column
 */

#define LARGER(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))

static REAL largest_of(__global const STORED *x, long begin, long end) {
    REAL largest = -INFINITY;
    for (long k = begin; k < end; ++k) {
        const REAL item = READ_AT(x, k);
        largest = LARGER(largest, item);
    }
    return largest;
}

/* log(sum) for a log-softmax. */
static REAL scale_of(int is_log, REAL sum) {
    return is_log ? own_log(sum) : sum;
}

/* sum_exps: the sum of exp(x[k] - largest) of a block; write_block: its results. */
#if SPC_GPU

/* One of eight partial sums, which are in registers: adding 0 to the others changes nothing, as none
 * is a negative zero. */
#define ADD_PART(i) p##i += part == i ? e : 0;

static REAL sum_exps(__global const STORED *x, long begin, long end, REAL largest) {
    REAL p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0;
    IN_ORDER
    for (long k = begin; k < end; ++k) {
        const REAL e = own_exp(READ_AT(x, k) - largest);
        const int part = (int)(k - begin) & 7;
        ADD_PART(0) ADD_PART(1) ADD_PART(2) ADD_PART(3)
        ADD_PART(4) ADD_PART(5) ADD_PART(6) ADD_PART(7)
    }
    return ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7));
}

static void write_block(int is_log, __global const STORED *x, __global STORED *to, long begin,
                        long end, REAL largest, REAL scale) {
    for (long k = begin; k < end; ++k) {
        const REAL d = READ_AT(x, k) - largest;
        WRITE_AT(to, k, is_log ? d - scale : DIVIDE(own_exp(d), scale));
    }
}

#else

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
    OPEN_ROWS;
    to += to_at;
    FOR_EACH(u, runs) {
        const long begin = offsets[u], end = offsets[u + 1];
        if (end - begin > SPC_BLOCK) continue;
        const REAL largest = largest_of(x, begin, end);
        const REAL scale = scale_of(is_log, sum_exps(x, begin, end, largest));
        write_block(is_log, x, to, begin, end, largest, scale);
    }
    FOR_EACH(k, capacity - (long)offsets[runs]) WRITE_AT(to, (long)offsets[runs] + k, (REAL)0);
#define TOP(u, j, begin, end, total) top[u] = total
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
    OPEN_ROWS;
    block_pair b = {0, 0, 0, 0};
    FOR_EACH(i, pair_count(run_total(RUN_ARGS))) {
        find_blocks(&b, RUN_ARGS, i);
        if (b.middle == b.first) continue;
        blocks[2 * i] = sum_exps(x, b.first, b.middle, top[b.run]);
        if (b.last > b.middle) blocks[2 * i + 1] = sum_exps(x, b.middle, b.last, top[b.run]);
    }
}

KERNEL softmax_sums(__global const OFFSET *offsets, long offsets_at, long runs, int is_log,
                    __global const REAL *blocks, __global REAL *sums) {
    const long length = 1;
    (void)length;
    offsets += offsets_at;
#if SPC_GPU
    __local REAL stage[STAGE];
#define ADD(a, b)                    ((a) + (b))
#define SUM(u, j, begin, end, total) sums[u] = scale_of(is_log, total)
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
    block_pair b = {0, 0, 0, 0};
    FOR_EACH(i, pair_count(run_total(RUN_ARGS))) {
        find_blocks(&b, RUN_ARGS, i);
        write_block(is_log, x, to + to_at, b.first, b.last, top[b.run], sums[b.run]);
    }
}

/* Softmax y with the row's sum s of y gy: y (gy - s); log-softmax with the row's sum s of gy:
 * gy - exp(y) s. */
KERNEL softmax_gradient(__global const OFFSET *offsets, long offsets_at, long runs, int is_log,
                        __global const STORED *y, long y_at, __global const STORED *gy, long gy_at,
                        __global const REAL *sums, __global STORED *to, long to_at, long capacity) {
    const long length = 1;
    offsets += offsets_at;
    y += y_at;
    gy += gy_at;
    to += to_at;
    const long n = min((long)offsets[runs], capacity);
    long u = 0;
    FOR_EACH(k, capacity) {
        if (k >= n) {
            WRITE_AT(to, k, (REAL)0);
            continue;
        }
        u = run_of(RUN_ARGS, u, k);
        const REAL g = READ_AT(gy, k), value = READ_AT(y, k);
        WRITE_AT(to, k, is_log ? g - own_exp(value) * sums[u] : value * (g - sums[u]));
    }
}
