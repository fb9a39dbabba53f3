/* spmm_lanes.cl: the sums of spmm.cl on many lanes: a lane has a column, or one of the eight partial
 * sums of the only column. After spmm.cl.
 *
 * Defines  spmm
 * Range    one group a share (cl/shares.cl)
 * Order    docs/numerics.md, rule S
 */
#if SPC_GPU

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
        sum += values[k] * b[cols[k] * ldb];
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
        for (long k = first; k < last; ++k) sum += values[k] * b[cols[k] * ldb];
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
            long ldc, long n, REAL alpha, REAL beta, __global REAL *carry, long slots,
            int ahead, int stream, int near) {
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
