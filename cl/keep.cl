/* keep.cl: marks the entries that an operation keeps: 1, else 0. After scan.cl and entries.cl.
 *
 * Defines  mark_range, mark_none, mark_listed, mark_rows, mark_part, mark_mapped;
 *          kept_offsets; map_none, map_listed, map_columns
 * Range    FOR_EACH; mark_rows, mark_part: EACH_ENTRY
 * Types    indices are INDEX, offsets OFFSET, values WORD
 */

/* Indices from `low` to `high` - 1; with `append` only where there is a mark already. */
KERNEL mark_range(__global uchar *marks, int append, __global const INDEX *ids, long ids_at,
                  long low, long high, long capacity, __global const long *count, long count_at) {
    const long n = item_count(capacity, count, count_at);
    ids += ids_at;
    FOR_EACH(k, n) {
        const long id = ids[k];
        marks[k] = (uchar)((!append || marks[k]) & (id >= low) & (id < high));
    }
}

/* No marks. */
KERNEL mark_none(__global uchar *marks, long count) {
    FOR_EACH(i, count) marks[i] = 0;
}

/* marks[x] := 1 for the indices of a list. */
KERNEL mark_listed(__global uchar *marks, __global const INDEX *list, long list_at, long count) {
    FOR_EACH(i, count) marks[list[list_at + i]] = 1;
}

/* The entries of marked rows. */
KERNEL mark_rows(__global uchar *marks, __global const uchar *rows_kept,
                 __global const OFFSET *offsets, long offsets_at, long rows, long capacity) {
    offsets += offsets_at;
    const long n = clamp((long)offsets[rows], 0L, capacity);
#define MARK(k, r) marks[k] = rows_kept[r]
    EACH_ENTRY(offsets, rows, n, MARK)
#undef MARK
}

/* Entries whose column - row is from `low` to `high`. */
KERNEL mark_part(__global uchar *marks, __global const INDEX *columns, long columns_at, long low,
                 long high, __global const OFFSET *offsets, long offsets_at, long rows,
                 long capacity) {
    offsets += offsets_at;
    columns += columns_at;
    const long n = clamp((long)offsets[rows], 0L, capacity);
#define MARK(k, r)                                                                                 \
    const long distance = (long)columns[k] - r;                                                    \
    marks[k] = (uchar)((distance >= low) & (distance <= high))
    EACH_ENTRY(offsets, rows, n, MARK)
#undef MARK
}

/* map[c] := where a list without duplicates has column c, or -1. */
KERNEL map_none(__global int *map, long columns) {
    FOR_EACH(c, columns) map[c] = -1;
}

KERNEL map_listed(__global int *map, __global const INDEX *list, long list_at, long count) {
    FOR_EACH(i, count) map[list[list_at + i]] = (int)i;
}

/* Entries in the columns of the list. */
KERNEL mark_mapped(__global uchar *marks, __global const int *map, __global const INDEX *columns,
                   long columns_at, long capacity, __global const long *count) {
    const long n = item_count(capacity, count, 0);
    columns += columns_at;
    FOR_EACH(k, n) marks[k] = map[columns[k]] >= 0;
}

/* to[t] := where the list has the column of entry places[t]. */
KERNEL map_columns(__global const OFFSET *places, __global const long *found,
                   __global const int *map, __global const INDEX *columns, long columns_at,
                   __global void *to, long to_at, int to64, long capacity) {
    columns += columns_at;
    FOR_EACH(t, min(found[0], capacity)) store_int(to, to64, to_at + t, map[columns[places[t]]]);
}

/* The offsets of the entries that are kept, at most the capacity: places are their positions,
 * ascending, and `from` the offsets before. INDEX is the type of `from` here. */
KERNEL kept_offsets(__global const OFFSET *places, __global const long *found,
                    __global const INDEX *from, long from_at, long rows, __global void *to,
                    long to_at, int to64, long capacity, __global long *needed, long needed_at) {
    const long n = found[0];
    from += from_at;
#if SPC_GPU
    FOR_EACH(r, rows + 1)
    store_int(to, to64, to_at + r, min(find_offset(places, 0, n, from[r]), capacity));
#else
    const long chunks = get_num_groups(0), chunk = get_group_id(0);
    const long end = chunk_begin(rows + 1, chunks, chunk + 1);
    long k = 0;
    for (long r = chunk_begin(rows + 1, chunks, chunk); r < end; ++r) {
        for (int steps = 0; steps < 16 && k < n && places[k] < from[r]; ++steps)
            ++k;
        k = find_offset(places, k, n, from[r]); /* most often there already */
        store_int(to, to64, to_at + r, min(k, capacity));
    }
#endif
    if (needed && get_global_id(0) == 0) needed[needed_at] = n;
}
