/* rows.cl: sums of rows with equal indices, and adding rows to a table. After panel.cl,
 * partition.cl and runs.cl.
 *
 * Defines  rows_sum (a sum for each run of rows), rows_carry (for runs that are split between
 *          partitions); rows_add (to the rows of a table), rows_add_runs, rows_add_carry: adds the
 *          sums without storing them
 * Range    rows_sum, rows_add_runs: one group per partition; rows_carry, rows_add_carry: `chunks`
 *          groups per partition; rows_add: FOR_ROWS
 * Memory   starts, perm, carry: runs.cl
 * Order    docs/numerics.md, rule R
 */

KERNEL rows_sum(__global const OFFSET *starts, __global const long *found, long found_at,
                __global const STORED *from, long from_at, __global const OFFSET *perm,
                __global STORED *to, long to_at, long width, __global REAL *carry, long slots,
                int distance) {
    run r = {from + from_at, perm, 0, 0, starts[found[found_at]], width, distance};
    const partition mine =
        find_partition(starts, found[found_at], get_num_groups(0), get_group_id(0));
    sum_split_runs(r, &mine, starts, carry, slots);
#define SUM(n, j) SET##n(sum_run##n(r, j), result + j)
#define SUM_RUNS(panels)                                                                           \
    FOR_SEGMENTS(i, mine.last - mine.first, width) {                                               \
        const long u = mine.first + i;                                                             \
        __global STORED *result = to + to_at + u * width;                                            \
        r.begin = starts[u];                                                                       \
        r.end = starts[u + 1];                                                                     \
        panels(SUM);                                                                               \
    }
    BY_WIDTH(SUM_RUNS)
#undef SUM_RUNS
#undef SUM
}

KERNEL rows_carry(__global const OFFSET *starts, __global const long *found, long found_at,
                  __global STORED *to, long to_at, long width, __global const REAL *carry,
                  long slots, long chunks) {
    carried c;
    find_carried(&c, starts, found[found_at], carry, slots, width, chunks);
    ALL_LANES;
    if (!c.mine.has_tail) return;
    to += to_at + c.mine.end.row * width + c.first;
#define SUM(n, j) SET##n(sum_carry##n(c, starts, c.first + j), to + j)
    EACH_PANEL(j, c.columns, SUM);
#undef SUM
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
    FOR_ROWS(i, n, width) {
        __global STORED *to = table + (table_at + (long)ids[ids_at + i] * ld);
        __global const STORED *from = x + (x_at + i * width);
#define ADD(n, j) add_panel##n(to + j, GET##n(from + j), alpha)
        EACH_PANEL(j, width, ADD);
#undef ADD
    }
}

KERNEL rows_add_runs(__global STORED *table, long table_at, long ld, REAL alpha,
                     __global const OFFSET *starts, __global const long *found,
                     __global const INDEX *keys, long keys_at, __global const STORED *from,
                     long from_at, __global const OFFSET *perm, long width, __global REAL *carry,
                     long slots, int distance) {
    run r = {from + from_at, perm, 0, 0, starts[found[0]], width, distance};
    const partition mine = find_partition(starts, found[0], get_num_groups(0), get_group_id(0));
    sum_split_runs(r, &mine, starts, carry, slots);
#define ADD(n, j) add_panel##n(to + (j), sum_run##n(r, j), alpha)
#define ADD_RUNS(panels)                                                                           \
    FOR_SEGMENTS(i, mine.last - mine.first, width) {                                               \
        r.begin = starts[mine.first + i];                                                          \
        r.end = starts[mine.first + i + 1];                                                        \
        __global STORED *to = table + (table_at + (long)keys[keys_at + r.begin] * ld);               \
        panels(ADD);                                                                               \
    }
    BY_WIDTH(ADD_RUNS)
#undef ADD_RUNS
#undef ADD
}

KERNEL rows_add_carry(__global STORED *table, long table_at, long ld, REAL alpha,
                      __global const OFFSET *starts, __global const long *found,
                      __global const INDEX *keys, long keys_at, long width,
                      __global const REAL *carry, long slots, long chunks) {
    carried c;
    find_carried(&c, starts, found[0], carry, slots, width, chunks);
    ALL_LANES;
    if (!c.mine.has_tail) return;
    const long row = (long)keys[keys_at + starts[c.mine.end.row]];
    __global STORED *to = table + (table_at + row * ld + c.first);
#define ADD(n, j) add_panel##n(to + (j), sum_carry##n(c, starts, c.first + (j)), alpha)
    EACH_PANEL(j, c.columns, ADD);
#undef ADD
}
