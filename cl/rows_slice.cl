/* rows_slice.cl: some rows of a row-sparse array whose indices ascend: they are stored one after the
 * other. After panel.cl, words.cl and scan.cl.
 *
 * Defines  slice_sorted
 * Range    FOR_ROWS over the rows of the result; wide cores: chunks of them, whose values are one
 *          piece
 * Memory   INDEX is the type of the indices of `from`, OFFSET that of the result's; source may be
 *          NULL, and needed
 * Order    none: rows are only moved
 */

/* The rows start .. start + rows - 1, at most `room` of them. */
KERNEL slice_sorted(__global const INDEX *ids, long ids_at, __global const WORD *values,
                    long values_at, long capacity, __global const long *count, long count_at,
                    long start, long rows, long room, __global OFFSET *to_ids, long to_ids_at,
                    __global WORD *to_values, long to_values_at, long width,
                    __global long *to_count, long to_count_at, __global long *source,
                    long source_at, __global long *needed, long needed_at) {
    const long stored = item_count(capacity, count, count_at);
    ids += ids_at;
    const long first = find_index(ids, 0, stored, start);
    const long found = find_index(ids, first, stored, start + rows) - first, n = min(found, room);
    values += values_at + first * width;
    to_values += to_values_at;
    if (get_global_id(0) == 0) {
        to_count[to_count_at] = n;
        if (needed) needed[needed_at] = found;
    }
    FOURS((width & 3) == 0 && ALIGNED(values) && ALIGNED(to_values));
    FOR_ROWS_OF_FOURS(i, n) {
        if (FIRST_LANE) {
            to_ids[to_ids_at + i] = (OFFSET)(ids[first + i] - start);
            if (source) source[source_at + i] = first + i;
        }
#if SPC_GPU
#define COPY(n, j) MOVE##n(values + (i * width + j), to_values + (i * width + j))
        PANELS(COPY);
#undef COPY
#endif
    }
#if !SPC_GPU
    const long workers = get_global_size(0), w = get_global_id(0);
    const long begin = chunk_begin(n, workers, w), end = chunk_begin(n, workers, w + 1);
    move_words(values + begin * width, to_values + begin * width, (end - begin) * width, 0);
#endif
}
