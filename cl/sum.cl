/* sum.cl: the sum of the rows of a dense matrix. After panel.cl and stage.cl.
 *
 * Defines  sum_blocks (a sum for each block of rows and each column; many lanes: of one column, and
 *          sum_column_blocks of several), sum_finish; sum_small: both steps, of one matrix or two, for
 *          at most SMALL_BLOCKS blocks where there is one column; many lanes: only such; sum_columns:
 *          the same where there are several, for at most SMALL_COLUMN_BLOCKS blocks
 * Range    sum_blocks: one group per block and chunk of `columns` columns, the chunks of a block
 *          next to each other; many lanes: eight for a block; sum_column_blocks: the same with chunks
 *          of 2^COLUMN_BITS; sum_finish: FOR_EACH over columns, many lanes: one group per
 *          2^FINISH_BITS; sum_small: one group per matrix; sum_columns: one group per SMALL_COLUMNS
 *          columns of each
 * Order    docs/numerics.md, rule S with the factor 1
 */

#define SUM_BLOCKS                                                                                 \
    __global const STORED *x, long x_at, long ld, long m, long k, long columns,                    \
        __global REAL *blocks

/* The block and the columns first .. last of a group. */
#define OPEN_CHUNK                                                                                 \
    const long chunks = (k + columns - 1) / columns, block = get_group_id(0) / chunks;             \
    const long first = (get_group_id(0) - block * chunks) * columns, last = min(first + columns, k)

#define SMALL_BLOCKS        64
#define SMALL_COLUMNS       32
#define SMALL_COLUMN_BLOCKS 8
#define COLUMN_BITS         5
#define FINISH_BITS         3

/* The last groups have another matrix. */
#define SMALL_SUM                                                                                  \
    __global const STORED *x, long x_at, long ld, long m, long k, REAL alpha, REAL beta,           \
        __global STORED *r, long r_at
#define OTHER_SUM                                                                                  \
    __global const STORED *other_x, long other_x_at, long other_ld, long other_m, long other_k,    \
        REAL other_alpha, REAL other_beta, __global STORED *other_r, long other_r_at
#define CHOOSE_SUM(is_other)                                                                       \
    if (is_other) {                                                                                \
        x = other_x;                                                                               \
        x_at = other_x_at;                                                                         \
        ld = other_ld;                                                                             \
        m = other_m;                                                                               \
        k = other_k;                                                                               \
        alpha = other_alpha;                                                                       \
        beta = other_beta;                                                                         \
        r = other_r;                                                                               \
        r_at = other_r_at;                                                                         \
    }                                                                                              \
    x += x_at;                                                                                     \
    r += r_at

static REAL finished(REAL sum, REAL alpha, REAL beta, __global const STORED *r) {
    return beta == 0 ? alpha * sum : alpha * sum + beta * READ_AT(r, 0);
}

#if SPC_GPU

/* Eight lanes for the block of one column whose rows are from .. to: its sum, on the first of them. */
ALWAYS_INLINE REAL sum_block(__global const STORED *x, long ld, long from, long to, __local REAL *p) {
    const int l = get_local_id(0), lane = l & 7;
    REAL sum = 0;
    IN_ORDER
    for (long i = from + lane; i < to; i += 8) sum += READ_AT(x, i * ld);
    barrier(CLK_LOCAL_MEM_FENCE);
    p[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 4; step > 0; step /= 2) {
        if (lane < step) p[l] += p[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return p[l - lane];
}

/* One column: eight lanes for each block. */
KERNEL sum_blocks(SUM_BLOCKS) {
    __local REAL p[GROUP];
    const int l = get_local_id(0);
    const long block = get_group_id(0) * (GROUP / 8) + l / 8, from = block * SPC_BLOCK;
    const REAL sum = sum_block(x + x_at, ld, from, min(m, from + SPC_BLOCK), p);
    if ((l & 7) == 0 && from < m) blocks[block] = sum;
}

/* Several columns. */
KERNEL sum_column_blocks(SUM_BLOCKS) {
    __local REAL stage[STAGE];
    OPEN_STAGE(k, COLUMN_BITS);
    const long chunks = STAGE_CHUNKS(k), block = get_group_id(0) / chunks;
    const long j = STAGE_COLUMN(get_group_id(0) - block * chunks);
    const long rows = min((long)SPC_BLOCK, m - block * SPC_BLOCK);
    REAL sum = 0;
    x += x_at + block * SPC_BLOCK * ld + j;
#define PUT(e, i) stage[e] = READ_AT(x, (i)*ld)
#define ADD(e)    sum += stage[e]
    STAGED(STAGE, rows, j < k, PUT, ADD)
#undef PUT
    if (LIVE_SUM(j < k)) blocks[block * k + j] = sum;
}

/* A lane for each block and column, or for as many as there are lanes. The first `groups` groups have
 * the first matrix. */
KERNEL sum_columns(SMALL_SUM, OTHER_SUM, long groups) {
    __local REAL sums[SMALL_COLUMN_BLOCKS * SMALL_COLUMNS];
    int bits = 5; /* of SMALL_COLUMNS */
    long group = get_group_id(0);
    CHOOSE_SUM(group >= groups);
    if (group >= groups) group -= groups;
    while (bits > 0 && (1 << bits) / 2 >= k) --bits;
    const int l = get_local_id(0), column = l & ((1 << bits) - 1), lane = l >> bits;
    const int blocks = (int)((m + SPC_BLOCK - 1) / SPC_BLOCK);
    const long j = group * SMALL_COLUMNS + column;
    x += j;
    r += j;
    for (int b = lane; j < k && b < blocks; b += GROUP >> bits) {
        REAL sum = 0;
        IN_ORDER
        for (long i = (long)b * SPC_BLOCK; i < min(m, ((long)b + 1) * SPC_BLOCK); ++i)
            sum += READ_AT(x, i * ld);
        sums[b * SMALL_COLUMNS + column] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane > 0 || j >= k) return;
    REAL sum = 0;
    IN_ORDER
    for (int b = 0; b < blocks; ++b) sum += sums[b * SMALL_COLUMNS + column];
    WRITE_AT(r, 0, finished(sum, alpha, beta, r));
}

/* Eight lanes for each block. */
KERNEL sum_small(SMALL_SUM, OTHER_SUM) {
    __local REAL p[GROUP];
    __local REAL sums[SMALL_BLOCKS];
    const int l = get_local_id(0), lane = l & 7;
    CHOOSE_SUM(get_group_id(0) > 0);
    const int blocks = (int)((m + SPC_BLOCK - 1) / SPC_BLOCK);
    for (int first = 0; first < blocks; first += GROUP / 8) {
        const long from = (long)(first + l / 8) * SPC_BLOCK, to = min(m, from + SPC_BLOCK);
        const REAL sum = sum_block(x, ld, from, to, p);
        if (lane == 0 && first + l / 8 < blocks) sums[first + l / 8] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l > 0) return;
    REAL sum = 0;
    IN_ORDER
    for (int b = 0; b < blocks; ++b) sum += sums[b];
    WRITE_AT(r, 0, finished(sum, alpha, beta, r));
}

#else

/* One of several columns. */
static REAL sum_column(__global const STORED *x, long ld, long m) {
    REAL sum = 0;
    IN_ORDER
    for (long from = 0; from < m; from += SPC_BLOCK) {
        REAL block = 0;
        IN_ORDER
        for (long i = from; i < min(m, from + SPC_BLOCK); ++i) block += READ_AT(x, i * ld);
        sum += block;
    }
    return sum;
}

static REAL one_column(__global const STORED *x, long ld, long rows) {
    REAL p[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    IN_ORDER
    for (long i = 0; i < rows; ++i) p[i & 7] += READ_AT(x, i * ld);
    return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}

KERNEL sum_blocks(SUM_BLOCKS) {
    OPEN_CHUNK;
    const long rows = min((long)SPC_BLOCK, m - block * SPC_BLOCK);
    x += x_at + block * SPC_BLOCK * ld;
    blocks += block * k;
    if (k == 1) {
        blocks[0] = one_column(x, ld, rows);
        return;
    }
    long j = first;
    for (; j + 16 <= last; j += 16) {
        REAL16 sum = 0;
        for (long i = 0; i < rows; ++i) sum += GET16(x + i * ld + j);
        vstore16(sum, 0, blocks + j);
    }
    for (; j < last; ++j) {
        REAL sum = 0;
        IN_ORDER
        for (long i = 0; i < rows; ++i) sum += READ_AT(x, i * ld + j);
        blocks[j] = sum;
    }
}

KERNEL sum_small(SMALL_SUM, OTHER_SUM) {
    CHOOSE_SUM(get_group_id(0) > 0);
    if (k == 1) {
        REAL sum = 0;
        IN_ORDER
        for (long from = 0; from < m; from += SPC_BLOCK)
            sum += one_column(x + from * ld, ld, min(m - from, (long)SPC_BLOCK));
        WRITE_AT(r, 0, finished(sum, alpha, beta, r));
        return;
    }
    long j = 0;
    for (; j + 16 <= k; j += 16) {
        REAL16 sum = 0;
        for (long from = 0; from < m; from += SPC_BLOCK) {
            REAL16 block = 0;
            for (long i = from; i < min(m, from + SPC_BLOCK); ++i)
                block += GET16(x + i * ld + j);
            sum += block;
        }
        SET16(beta == 0 ? alpha * sum : alpha * sum + beta * GET16(r + j), r + j);
    }
    for (; j < k; ++j) {
        WRITE_AT(r, j, finished(sum_column(x + j, ld, m), alpha, beta, r + j));
    }
}

#endif

KERNEL sum_finish(__global const REAL *blocks, long block_count, long k, REAL alpha, REAL beta,
                  __global STORED *r, long r_at) {
#if SPC_GPU
    __local REAL stage[STAGE];
    OPEN_STAGE(k, FINISH_BITS);
    const long j = STAGE_COLUMN(get_group_id(0));
    REAL sum = 0;
#define PUT(e, i) stage[e] = blocks[(i)*k + j]
    STAGED(STAGE, block_count, j < k, PUT, ADD)
    if (LIVE_SUM(j < k)) {
#else
    FOR_EACH(j, k) {
        REAL sum = 0;
        IN_ORDER
        for (long b = 0; b < block_count; ++b) sum += blocks[b * k + j];
#endif
        WRITE_AT(r, r_at + j, finished(sum, alpha, beta, r + r_at + j));
    }
}
