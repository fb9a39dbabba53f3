/* concat.cl: appends the rows of a row-sparse array to those of another. After panel.cl and
 * words.cl.
 *
 * Defines  append_rows
 * Range    FOR_ROWS over the rows of `from`; wide cores: chunks of them, whose values are one piece
 * Memory   OFFSET is the type of the result's indices, INDEX that of `from`; before: the number of
 *          rows that the result has already, as an array's capacity and count. stream: values are
 *          written by non-temporal stores
 * Order    none: rows are only moved
 */

KERNEL append_rows(long before_capacity, __global const long *before, long before_at,
                   __global const INDEX *ids, long ids_at, __global const WORD *values,
                   long values_at, __global const long *count, long count_at, long capacity,
                   __global OFFSET *to_ids, long to_ids_at, __global WORD *to_values,
                   long to_values_at, __global long *to_count, long to_count_at, long width,
                   int stream) {
    const long first = item_count(before_capacity, before, before_at);
    const long n = item_count(capacity, count, count_at);
    values += values_at;
    to_values += to_values_at + first * width;
    if (get_global_id(0) == 0) to_count[to_count_at] = first + n;
    FOURS((width & 3) == 0 && ALIGNED(values) && ALIGNED(to_values));
    FOR_ROWS_OF_FOURS(i, n) {
        if (FIRST_LANE) to_ids[to_ids_at + first + i] = (OFFSET)ids[ids_at + i];
#if SPC_GPU
#define COPY(n, j) MOVE##n(values + (i * width + j), to_values + (i * width + j))
        PANELS(COPY);
#undef COPY
#endif
    }
#if !SPC_GPU
    const long workers = get_global_size(0), w = get_global_id(0);
    const long begin = chunk_begin(n, workers, w), end = chunk_begin(n, workers, w + 1);
    move_words(values + begin * width, to_values + begin * width, (end - begin) * width, stream);
#endif
}
