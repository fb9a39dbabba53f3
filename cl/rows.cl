/* rows.cl: sums of the rows of one index, and adding rows to a table. After panel.cl and shares.cl.
 *
 * Defines  rows_sum (a sum for each run of rows), rows_carry (runs that lie across shares),
 *          rows_add
 * Range    rows_sum, rows_carry: one group a share; rows_add: FOR_ROWS
 * Memory   starts: run u is rows perm[starts[u]] .. of `from`, without perm row starts[u] ..;
 *          carry: a slot a block for each share, then one slot a share, of `width` elements each
 * Order    docs/numerics.md, rule R
 */

/* Rows begin .. end of the sorted order, `width` elements each. */
typedef struct {
    __global const REAL *from;
    __global const OFFSET *perm;
    long begin, end, width;
} run;

static __global const REAL *row_of(run r, long k) {
    return r.from + (r.perm ? (long)r.perm[k] : k) * r.width;
}

#define SUM_PANEL(T, n)                                                                            \
    static void sum_panel##n(__global REAL *to, run r, long j) {                                   \
        T total = 0;                                                                               \
        IN_ORDER                                                                                   \
        for (long first = r.begin; first < r.end; first += SPC_BLOCK) {                            \
            const long last = min(first + SPC_BLOCK, r.end);                                       \
            T sum = LOAD##n(row_of(r, first) + j);                                                 \
            IN_ORDER                                                                               \
            for (long k = first + 1; k < last; ++k) sum += LOAD##n(row_of(r, k) + j);              \
            total = first == r.begin ? sum : total + sum;                                          \
        }                                                                                          \
        STORE##n(total, to + j);                                                                   \
    }
EACH_WIDTH(SUM_PANEL)

KERNEL rows_sum(__global const OFFSET *starts, __global const long *found, long found_at,
                __global const REAL *from, long from_at, __global const OFFSET *perm,
                __global REAL *to, long to_at, long width, __global REAL *carry, long slots) {
    const long w = get_group_id(0), shares = get_num_groups(0);
    const share mine = find_share(starts, found[found_at], shares, w);
    const long whole = max(mine.last - mine.first, 0l);
    const long pieces = mine.head_blocks + whole + mine.has_tail;
    run r = {from + from_at, perm, 0, 0, width};
    FOR_PIECES(i, pieces, width) {
        __global REAL *result;
        if (i < mine.head_blocks) {
            r.begin = starts[mine.begin.row] + (mine.begin.block + i) * SPC_BLOCK;
            r.end = min(r.begin + SPC_BLOCK, (long)starts[mine.begin.row + 1]);
            result = carry + (w * slots + i) * width;
        } else if (i < mine.head_blocks + whole) {
            const long u = mine.first + i - mine.head_blocks;
            r.begin = starts[u];
            r.end = starts[u + 1];
            result = to + to_at + u * width;
        } else {
            r.begin = starts[mine.end.row];
            r.end = r.begin + mine.end.block * SPC_BLOCK;
            result = carry + (shares * slots + w) * width;
        }
#define SUM(n, j) sum_panel##n(result, r, j)
        EACH_PANEL(j, width, SUM);
#undef SUM
    }
}

#define ADD_PANEL(T, n)                                                                            \
    static void add_panel##n(__global REAL *to, __global const REAL *from, REAL alpha) {           \
        STORE##n(LOAD##n(to) + alpha * LOAD##n(from), to);                                         \
    }
EACH_WIDTH(ADD_PANEL)

/* Add the blocks' sums of later shares upwards to what the run's first share has. */
KERNEL rows_carry(__global const OFFSET *starts, __global const long *found, long found_at,
                  __global REAL *to, long to_at, long width, __global const REAL *carry,
                  long slots) {
    const long w = get_group_id(0), shares = get_num_groups(0), runs = found[found_at];
    const share mine = find_share(starts, runs, shares, w);
    __global const REAL *from = carry + (shares * slots + w) * width;
    ALL_LANES;
    if (!mine.has_tail) return;
    to += to_at + mine.end.row * width;
#define COPY(n, j) STORE##n(LOAD##n(from + j), to + j)
    { EACH_PANEL(j, width, COPY); }
#undef COPY
    place begin = mine.end;
    for (long v = w + 1; v < shares && begin.row == mine.end.row; ++v) {
        const place end = share_begin(starts, runs, shares, v + 1);
        const long last = end.row == begin.row ? end.block : blocks_of(starts, begin.row);
        from = carry + v * slots * width;
        for (long k = begin.block; k < last; ++k, from += width) {
#define ADD(n, j) add_panel##n(to + j, from + j, 1)
            EACH_PANEL(j, width, ADD);
#undef ADD
        }
        begin = end;
    }
}

KERNEL rows_add(__global REAL *table, long table_at, long ld, REAL alpha,
                __global const INDEX *ids, long ids_at, __global const REAL *x, long x_at,
                __global const long *count, long count_at, long room, long width) {
    const long n = item_count(room, count, count_at);
    FOR_ROWS(i, n, width) {
        __global REAL *to = table + (table_at + (long)ids[ids_at + i] * ld);
        __global const REAL *from = x + (x_at + i * width);
#define ADD(n, j) add_panel##n(to + j, from + j, alpha)
        EACH_PANEL(j, width, ADD);
#undef ADD
    }
}
