/* assign_rows.cl: rows of a table are replaced. After panel.cl and words.cl.
 *
 * Defines  assign_rows; assign_last: of rows of one index the last
 * Range    assign_rows: FOR_ROWS over the rows; assign_last: FOR_ROWS over the runs
 * Memory   count: may be NULL; keys: the sorted indices; run u is rows perm[starts[u]] .. of `from`, or
 *          without perm rows starts[u] ..
 * Order    none: rows are only moved
 */
#define MOVE_ROW(k, row)                                                                           \
    __global const WORD *source = from + (from_at + (k)*width);                                    \
    __global WORD *to = table + (table_at + (row)*table_ld);                                       \
    PANELS(COPY)
#define COPY(n, j) MOVE##n(source + (j), to + (j))

KERNEL assign_rows(__global const INDEX *ids, long ids_at, __global const long *count, long count_at,
                   long capacity, __global const WORD *from, long from_at, __global WORD *table,
                   long table_at, long table_ld, long width) {
    const long n = item_count(capacity, count, count_at);
    FOURS(((width | table_ld) & 3) == 0 && ALIGNED(from + from_at) && ALIGNED(table + table_at));
    FOR_ROWS_OF_FOURS(i, n) {
        MOVE_ROW(i, (long)ids[ids_at + i]);
    }
}

KERNEL assign_last(__global const OFFSET *starts, __global const long *found,
                   __global const INDEX *keys, long keys_at, __global const OFFSET *perm,
                   __global const WORD *from, long from_at, __global WORD *table, long table_at,
                   long table_ld, long width) {
    FOURS(((width | table_ld) & 3) == 0 && ALIGNED(from + from_at) && ALIGNED(table + table_at));
    FOR_ROWS_OF_FOURS(u, found[0]) {
        const long last = (long)starts[u + 1] - 1;
        MOVE_ROW((perm ? (long)perm[last] : last), (long)keys[keys_at + last]);
    }
}
