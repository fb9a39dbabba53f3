/* concat.cl: appends the rows of a row-sparse array to those of another. After panel.cl and
 * words.cl.
 *
 * Defines  append_rows
 * Range    FOR_ROWS over the rows of `from`
 * Memory   OFFSET is the type of the result's indices, INDEX that of `from`; before: the number of
 *          rows that the result has already, as an array's capacity and count
 * Order    none: rows are only moved
 */

KERNEL append_rows(long before_capacity, __global const long *before, long before_at,
                   __global const INDEX *ids, long ids_at, __global const WORD *values,
                   long values_at, __global const long *count, long count_at, long capacity,
                   __global OFFSET *to_ids, long to_ids_at, __global WORD *to_values,
                   long to_values_at, __global long *to_count, long to_count_at, long width) {
    const long first = item_count(before_capacity, before, before_at);
    const long n = item_count(capacity, count, count_at);
    if (get_global_id(0) == 0) to_count[to_count_at] = first + n;
    FOR_ROWS(i, n, width) {
        __global const WORD *row = values + (values_at + i * width);
        __global WORD *target = to_values + (to_values_at + (first + i) * width);
        if (FIRST_LANE) to_ids[to_ids_at + first + i] = (OFFSET)ids[ids_at + i];
#define COPY(n, j) MOVE##n(row + j, target + j)
        EACH_PANEL(j, width, COPY);
#undef COPY
    }
}
