/* rows.cl: sums of rows with equal indices, and adding rows to a table. After panel.cl and runs.cl.
 *
 * Defines  rows_sum (a sum for each run of rows), rows_carry (for long runs, which are divided);
 *          rows_add (to the rows of a table), rows_add_runs, rows_add_carry: adds the sums without
 *          storing them
 * Range    rows_sum, rows_add_runs: one group per partition, or FOR_UNITS over windows and runs;
 *          rows_carry, rows_add_carry: `chunks` groups per partition, or FOR_UNITS over windows;
 *          rows_add: FOR_ROWS
 * Memory   starts, perm and what RUN_SUMS and BLOCK_SUMS are: runs.cl
 * Order    docs/numerics.md, rule R
 */

KERNEL rows_sum(__global const OFFSET *starts, __global const long *found, long found_at,
                __global const STORED *from, long from_at, __global const OFFSET *perm,
                __global STORED *to, long to_at, long width, RUN_SUMS) {
    const long runs = found[found_at];
    run r = {from + from_at, perm, 0, 0, starts[runs], width, 0, 0};
    FOURS(SPC_SMALL && (width & 3) == 0 && ALIGNED(r.from) && ALIGNED(to + to_at));
    OPEN_RUNS(r, runs);
#define SUM(n, j) SET##n(sum_run##n(r, j), result + j)
#define SUM_RUNS(panels)                                                                           \
    FOR_WHOLE_RUNS(r) {                                                                            \
        __global STORED *result = to + to_at + r.u * width;                                          \
        panels(SUM);                                                                               \
    }
    BY_WIDTH(SUM_RUNS)
#undef SUM_RUNS
#undef SUM
}

KERNEL rows_carry(__global const OFFSET *starts, __global const long *found, long found_at,
                  __global STORED *to, long to_at, long width, BLOCK_SUMS) {
    FOURS((width & 3) == 0 && ALIGNED(to + to_at));
    FOR_LONG_RUNS(r, found[found_at]) {
        __global STORED *result = to + to_at + r.u * width;
#define SUM(n, j) SET##n(sum_long##n(&r, starts, LONG_COLUMN(r, j)), result + LONG_COLUMN(r, j))
        EACH_LONG_PANEL(r, SUM);
#undef SUM
    }
}

#define ADD_PANEL(T, n)                                                                            \
    ALWAYS_INLINE void add_panel##n(__global STORED *to, T x, REAL alpha) {                        \
        SET##n(GET##n(to) + alpha * x, to);                                                        \
    }
EACH_WIDTH(ADD_PANEL)

#if SPC_HINTS
ALWAYS_INLINE void add_panel64(__global STORED *to, REAL64 x, REAL alpha) {
    add_panel16(to, x.a, alpha);
    add_panel16(to + 16, x.b, alpha);
    add_panel16(to + 32, x.c, alpha);
    add_panel16(to + 48, x.d, alpha);
}
#endif

KERNEL rows_add(__global STORED *table, long table_at, long ld, REAL alpha,
                __global const INDEX *ids, long ids_at, __global const STORED *x, long x_at,
                __global const long *count, long count_at, long capacity, long width) {
    const long n = item_count(capacity, count, count_at);
    FOURS(((width | ld) & 3) == 0 && ALIGNED(table + table_at) && ALIGNED(x + x_at));
    FOR_ROWS_OF_FOURS(i, n) {
        __global STORED *to = table + (table_at + (long)ids[ids_at + i] * ld);
        __global const STORED *from = x + (x_at + i * width);
#define ADD(n, j) add_panel##n(to + j, GET##n(from + j), alpha)
        PANELS(ADD);
#undef ADD
    }
}

KERNEL rows_add_runs(__global STORED *table, long table_at, long ld, REAL alpha,
                     __global const OFFSET *starts, __global const long *found,
                     __global const INDEX *keys, long keys_at, __global const STORED *from,
                     long from_at, __global const OFFSET *perm, long width, RUN_SUMS) {
    run r = {from + from_at, perm, 0, 0, starts[found[0]], width, 0, 0};
    FOURS(SPC_SMALL && ((width | ld) & 3) == 0 && ALIGNED(r.from) && ALIGNED(table + table_at));
    OPEN_RUNS(r, found[0]);
#define ADD(n, j) add_panel##n(to + (j), sum_run##n(r, j), alpha)
#define ADD_RUNS(panels)                                                                           \
    FOR_WHOLE_RUNS(r) {                                                                            \
        __global STORED *to = table + (table_at + (long)keys[keys_at + r.begin] * ld);               \
        panels(ADD);                                                                               \
    }
    BY_WIDTH(ADD_RUNS)
#undef ADD_RUNS
#undef ADD
}

KERNEL rows_add_carry(__global STORED *table, long table_at, long ld, REAL alpha,
                      __global const OFFSET *starts, __global const long *found,
                      __global const INDEX *keys, long keys_at, long width, BLOCK_SUMS) {
    FOURS((ld & 3) == 0 && ALIGNED(table + table_at));
    FOR_LONG_RUNS(r, found[0]) {
        __global STORED *to = table + (table_at + (long)keys[keys_at + starts[r.u]] * ld);
#define ADD(n, j)                                                                                  \
    add_panel##n(to + LONG_COLUMN(r, j), sum_long##n(&r, starts, LONG_COLUMN(r, j)), alpha)
        EACH_LONG_PANEL(r, ADD);
#undef ADD
    }
}
