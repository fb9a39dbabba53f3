/* spmm.cl: C := alpha * A * B + beta * C, A in CSR form, B and C dense.
 *
 * After panel.cl and shares.cl.
 *
 * Defines  spmm (shares of equal work; rows that lie across shares leave carries), spmm_carry
 * Range    spmm: one group a share (cl/shares.cl), as many as the host asks for; spmm_carry: `parts`
 *          groups a share, among which its columns are cut
 * Memory   carry: a slot a block for each share, then one slot a share, of n elements each
 * Order    docs/numerics.md, rule S; SPC_BLOCK entries a block
 * Variant  the rows are those of a pattern (a sorted transpose): rows are counted on the device,
 *          values are reached through a permutation (with SPC_VALUE64 they are in its order), and
 *          result rows may be named by ids
 */

#if SPC_VARIANT
#if SPC_VALUE64
#define VALUE(k) values[k]
#else
#define VALUE(k) values[perm[k]]
#endif
#define MATRIX                                                                                     \
    __global const OFFSET *offsets, long offsets_at, __global const INDEX *cols, long cols_at,     \
        __global const REAL *values, long values_at, __global const OFFSET *perm,                  \
        __global const INDEX *ids, __global const long *count, int by_id
#define OPEN_MATRIX                                                                                \
    const long rows = *count;                                                                      \
    values += values_at
#define RESULT_ROW(r) (by_id ? (long)ids[r] : (long)(r))
#define ENTRY_ARGS cols, values, perm
#define ENTRY_PARAMS                                                                               \
    __global const INDEX *cols, __global const REAL *values, __global const OFFSET *perm
#else
#define VALUE(k) values[k]
#define MATRIX                                                                                     \
    __global const OFFSET *offsets, long offsets_at, __global const INDEX *cols, long cols_at,     \
        __global const REAL *values, long values_at, long rows
#define OPEN_MATRIX                                                                                \
    offsets += offsets_at;                                                                         \
    cols += cols_at;                                                                               \
    values += values_at
#define RESULT_ROW(r) (long)(r)
#define ENTRY_ARGS cols, values
#define ENTRY_PARAMS __global const INDEX *cols, __global const REAL *values
#endif

static REAL finish(REAL sum, REAL alpha, REAL beta, __global const REAL *c) {
    return beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

#if !SPC_GPU

/* Where the block that begins at `first` ends; first + SPC_BLOCK may be past what OFFSET holds. */
static OFFSET block_end(OFFSET first, OFFSET end) {
    return end - first > SPC_BLOCK ? first + SPC_BLOCK : end;
}

/* One column: eight partial sums a block. */
static REAL sum_one(ENTRY_PARAMS, OFFSET begin, OFFSET end, __global const REAL *b, long ldb) {
    REAL total = 0;
    IN_ORDER
    for (OFFSET first = begin, last; first < end; first = last) {
        last = block_end(first, end);
        REAL p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0;
        OFFSET k = first;
        IN_ORDER
        for (; last - k >= 8; k += 8) {
            p0 += VALUE(k) * b[cols[k] * ldb];
            p1 += VALUE(k + 1) * b[cols[k + 1] * ldb];
            p2 += VALUE(k + 2) * b[cols[k + 2] * ldb];
            p3 += VALUE(k + 3) * b[cols[k + 3] * ldb];
            p4 += VALUE(k + 4) * b[cols[k + 4] * ldb];
            p5 += VALUE(k + 5) * b[cols[k + 5] * ldb];
            p6 += VALUE(k + 6) * b[cols[k + 6] * ldb];
            p7 += VALUE(k + 7) * b[cols[k + 7] * ldb];
        }
        if (k < last) p0 += VALUE(k) * b[cols[k] * ldb];
        if (k + 1 < last) p1 += VALUE(k + 1) * b[cols[k + 1] * ldb];
        if (k + 2 < last) p2 += VALUE(k + 2) * b[cols[k + 2] * ldb];
        if (k + 3 < last) p3 += VALUE(k + 3) * b[cols[k + 3] * ldb];
        if (k + 4 < last) p4 += VALUE(k + 4) * b[cols[k + 4] * ldb];
        if (k + 5 < last) p5 += VALUE(k + 5) * b[cols[k + 5] * ldb];
        if (k + 6 < last) p6 += VALUE(k + 6) * b[cols[k + 6] * ldb];
        total += ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7));
    }
    return total;
}

/* A sum of L entries for a panel of columns that starts at b, kept in registers. */
#define PANEL_SUM(T, n)                                                                            \
    static T sum_panel##n(ENTRY_PARAMS, OFFSET begin, OFFSET end, __global const REAL *b,          \
                          long ldb) {                                                              \
        T total = 0;                                                                               \
        IN_ORDER                                                                                   \
        for (OFFSET first = begin, last; first < end; first = last) {                              \
            last = block_end(first, end);                                                          \
            T sum = 0;                                                                             \
            IN_ORDER                                                                               \
            for (OFFSET k = first; k < last; ++k) sum += VALUE(k) * LOAD##n(b + cols[k] * ldb);    \
            total += sum;                                                                          \
        }                                                                                          \
        return total;                                                                              \
    }

EACH_WIDTH(PANEL_SUM)

/* 64 columns at once: a row of B is read as four vectors while its index is at hand. */
typedef struct {
    REAL16 a, b, c, d;
} REAL64;

static REAL64 sum_panel64(ENTRY_PARAMS, OFFSET begin, OFFSET end, __global const REAL *b,
                          long ldb) {
    REAL64 total = {0, 0, 0, 0};
    IN_ORDER
    for (OFFSET first = begin, last; first < end; first = last) {
        last = block_end(first, end);
        REAL16 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        IN_ORDER
        for (OFFSET k = first; k < last; ++k) {
            const REAL v = VALUE(k);
            __global const REAL *row = b + cols[k] * ldb;
            s0 += v * vload16(0, row);
            s1 += v * vload16(1, row);
            s2 += v * vload16(2, row);
            s3 += v * vload16(3, row);
        }
        total.a += s0;
        total.b += s1;
        total.c += s2;
        total.d += s3;
    }
    return total;
}

/* Sums end here: in a row of C, as alpha * sum + beta * c, or raw in a slot of the carry. */
typedef struct {
    __global REAL *to;
    REAL alpha, beta;
} sink;

#define PUT(width, at, sum)                                                                        \
    vstore##width(s.beta == 0 ? s.alpha * (sum)                                                    \
                              : s.alpha * (sum) + s.beta * vload##width(0, s.to + (at)),           \
                  0, s.to + (at))

static void sum_row(ENTRY_PARAMS, OFFSET begin, OFFSET end, __global const REAL *b, long ldb,
                    long n, sink s) {
    if (n == 1) {
        *s.to = finish(sum_one(ENTRY_ARGS, begin, end, b, ldb), s.alpha, s.beta, s.to);
        return;
    }
    long j = 0;
    for (; j + 64 <= n; j += 64) {
        const REAL64 sum = sum_panel64(ENTRY_ARGS, begin, end, b + j, ldb);
        PUT(16, j, sum.a);
        PUT(16, j + 16, sum.b);
        PUT(16, j + 32, sum.c);
        PUT(16, j + 48, sum.d);
    }
    for (; j + 16 <= n; j += 16) PUT(16, j, sum_panel16(ENTRY_ARGS, begin, end, b + j, ldb));
    if (n - j >= 8) {
        PUT(8, j, sum_panel8(ENTRY_ARGS, begin, end, b + j, ldb));
        j += 8;
    }
    if (n - j >= 4) {
        PUT(4, j, sum_panel4(ENTRY_ARGS, begin, end, b + j, ldb));
        j += 4;
    }
    if (n - j >= 2) {
        PUT(2, j, sum_panel2(ENTRY_ARGS, begin, end, b + j, ldb));
        j += 2;
    }
    if (n > j)
        s.to[j] = finish(sum_panel1(ENTRY_ARGS, begin, end, b + j, ldb), s.alpha, s.beta, s.to + j);
}

KERNEL spmm(MATRIX, __global const REAL *b, long b_at, long ldb, __global REAL *c, long c_at,
            long ldc, long n, REAL alpha, REAL beta, __global REAL *carry, long slots) {
    OPEN_MATRIX;
    b += b_at;
    c += c_at;
    const long w = get_group_id(0), shares = get_num_groups(0);
    const share mine = find_share(offsets, rows, shares, w);
    sink s = {carry + w * slots * n, 1, 0};
    for (long j = 0; j < mine.head_blocks; ++j, s.to += n) {
        const OFFSET begin = offsets[mine.begin.row] + (OFFSET)((mine.begin.block + j) * SPC_BLOCK);
        const OFFSET end = block_end(begin, offsets[mine.begin.row + 1]);
        sum_row(ENTRY_ARGS, begin, end, b, ldb, n, s);
    }
    s.alpha = alpha;
    s.beta = beta;
    for (long row = mine.first; row < mine.last; ++row) {
        s.to = c + RESULT_ROW(row) * ldc;
        sum_row(ENTRY_ARGS, offsets[row], offsets[row + 1], b, ldb, n, s);
    }
    if (mine.has_tail) {
        const OFFSET begin = offsets[mine.end.row];
        const sink tail = {carry + (shares * slots + w) * n, 1, 0};
        sum_row(ENTRY_ARGS, begin, begin + (OFFSET)(mine.end.block * SPC_BLOCK), b, ldb, n, tail);
    }
}

#else

/* One column, one block: lane l of eight has partial sum l. All 128 lanes come here together. */
static REAL fold_eight(__local REAL *p, REAL sum) {
    const int i = get_local_id(0), l = i & 7;
    p[i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 4; step > 0; step /= 2) {
        if (l < step) p[i] += p[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = p[i - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

static REAL lane_sum(ENTRY_PARAMS, long first, long last, __global const REAL *b, long ldb) {
    REAL sum = 0;
    IN_ORDER
    for (long k = first + (get_local_id(0) & 7); k < last; k += 8)
        sum += VALUE(k) * b[cols[k] * ldb];
    return sum;
}

/* Many columns: a lane has a column of its own. */
static REAL column_sum(ENTRY_PARAMS, long begin, long end, __global const REAL *b, long ldb) {
    REAL total = 0;
    IN_ORDER
    for (long first = begin; first < end; first += SPC_BLOCK) {
        const long last = min(first + SPC_BLOCK, end);
        REAL sum = 0;
        IN_ORDER
        for (long k = first; k < last; ++k) sum += VALUE(k) * b[cols[k] * ldb];
        total += sum;
    }
    return total;
}

/* A piece of a share: one of its head blocks, of its whole rows, or its tail. */
typedef struct {
    long begin, end;  /* entries */
    __global REAL *to;
    REAL alpha, beta;
} piece;

KERNEL spmm(MATRIX, __global const REAL *b, long b_at, long ldb, __global REAL *c, long c_at,
            long ldc, long n, REAL alpha, REAL beta, __global REAL *carry, long slots) {
    __local REAL fold[GROUP];
    OPEN_MATRIX;
    b += b_at;
    c += c_at;
    const long w = get_group_id(0), shares = get_num_groups(0);
    const share mine = find_share(offsets, rows, shares, w);
    const long whole = mine.last > mine.first ? mine.last - mine.first : 0;
    const long pieces = mine.head_blocks + whole + mine.has_tail;
    const int lanes = n == 1 ? 8 : lanes_for(n, GROUP), teams = GROUP / lanes;
    const int team = get_local_id(0) / lanes, lane = get_local_id(0) & (lanes - 1);
    /* A share has no more entries than this, so no piece has more blocks. */
    const long most_blocks = slots;
    for (long round = 0; round < pieces; round += teams) {
        const long i = round + team;
        piece p = {0, 0, c, 0, 0};
        const int mine_too = i < pieces;
        if (mine_too && i < mine.head_blocks) {
            p.begin = offsets[mine.begin.row] + (mine.begin.block + i) * SPC_BLOCK;
            p.end = min(p.begin + SPC_BLOCK, (long)offsets[mine.begin.row + 1]);
            p.to = carry + (w * slots + i) * n;
            p.alpha = 1;
        } else if (mine_too && i < mine.head_blocks + whole) {
            const long row = mine.first + i - mine.head_blocks;
            p.begin = offsets[row];
            p.end = offsets[row + 1];
            p.to = c + RESULT_ROW(row) * ldc;
            p.alpha = alpha;
            p.beta = beta;
        } else if (mine_too) {
            p.begin = offsets[mine.end.row];
            p.end = p.begin + mine.end.block * SPC_BLOCK;
            p.to = carry + (shares * slots + w) * n;
            p.alpha = 1;
        }
        if (n == 1) {
            REAL total = 0;
            IN_ORDER
            for (long j = 0; j < most_blocks; ++j) {
                const long first = min(p.begin + j * SPC_BLOCK, p.end);
                const long last = min(first + SPC_BLOCK, p.end);
                const REAL sum = fold_eight(fold, lane_sum(ENTRY_ARGS, first, last, b, ldb));
                if (first < last) total += sum;
            }
            if (mine_too && lane == 0) *p.to = finish(total, p.alpha, p.beta, p.to);
        } else if (mine_too) {
            for (long j = lane; j < n; j += lanes)
                p.to[j] = finish(column_sum(ENTRY_ARGS, p.begin, p.end, b + j, ldb), p.alpha,
                                 p.beta, p.to + j);
        }
    }
}

#endif

/* Rows that lie across shares: add the blocks' sums upwards to what the first share has. */
KERNEL spmm_carry(MATRIX, __global REAL *c, long c_at, long ldc, long n, REAL alpha, REAL beta,
                  __global const REAL *carry, long slots, long parts) {
    OPEN_MATRIX;
    c += c_at;
    const long shares = get_num_groups(0) / parts, w = get_group_id(0) / parts;
    const long part = get_group_id(0) - w * parts;
    const share mine = find_share(offsets, rows, shares, w);
    if (!mine.has_tail) return;
    const long row = mine.end.row, blocks = blocks_of(offsets, row);
    __global REAL *to = c + RESULT_ROW(row) * ldc;
    for (long j = part_begin(n, parts, part) + get_local_id(0);
         j < part_begin(n, parts, part + 1); j += GROUP) {
        REAL sum = carry[(shares * slots + w) * n + j];
        long begin = mine.end.block;
        IN_ORDER
        for (long v = w + 1; v < shares && begin < blocks; ++v) {
            const long end = share_reaches(offsets, rows, row, shares, v + 1);
            IN_ORDER
            for (long k = 0; k < end - begin; ++k) sum += carry[(v * slots + k) * n + j];
            begin = end;
        }
        to[j] = finish(sum, alpha, beta, to + j);
    }
}
