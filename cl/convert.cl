/* convert.cl: between sorted rows and offsets. After scan.cl and entries.cl.
 *
 * Defines  convert_offsets, convert_spread, convert_rows, convert_entries, convert_pad, convert_count,
 *          convert_ends
 * Range    convert_offsets: one group per chunk of the rows (CPU class), or per tile (GPU class);
 *          convert_spread: FOR_EACH; convert_rows: EACH_ENTRY;
 *          convert_entries, convert_pad: FOR_EACH; convert_count, convert_ends: one item
 * Types    rows are INDEX, offsets OFFSET
 */

/* Number of entries of a CSR matrix, at most its capacity. */
static long entry_count(__global const OFFSET *offsets, long rows, long capacity) {
    return clamp((long)offsets[rows], 0L, capacity);
}

/* offsets[r] := number of the ascending `rows` that are less than r, for r = 0 .. row_count. */
KERNEL convert_offsets(__global OFFSET *offsets, long offsets_at, __global const INDEX *rows,
                       long rows_at, long row_count, long capacity, __global const long *count,
                       long count_at) {
    const long n = item_count(capacity, count, count_at);
    offsets += offsets_at;
    if (rows) rows += rows_at;
#if SPC_GPU
    OPEN_TILE(row_count + 1);
    if (first_of_tile >= end_of_tile) return;
    const long low = find_index(rows, 0, n, first_of_tile);
    const long high = find_index(rows, low, n, end_of_tile - 1);
    for (long r = first_of_tile + get_local_id(0); r < end_of_tile; r += GROUP)
        offsets[r] = (OFFSET)find_index(rows, low, high, r);
#else
    const long chunks = get_num_groups(0), chunk = get_group_id(0);
    const long end = chunk_begin(row_count + 1, chunks, chunk + 1);
    long k = 0;
    for (long r = chunk_begin(row_count + 1, chunks, chunk); r < end; ++r) {
        k = find_index(rows, k, n, r);
        offsets[r] = (OFFSET)k;
    }
#endif
}

/* offsets[c] := where column c begins, from the *found columns that have entries, which ascend. */
KERNEL convert_spread(__global OFFSET *offsets, __global const OFFSET *starts,
                      __global const INDEX *columns, __global const long *found, long all) {
    const long n = *found;
    long i = 0;
    FOR_EACH(c, all + 1) {
        i = find_index(columns, i, n, c);
        offsets[c] = starts[i];
    }
}

/* rows[k] := the row of entry k. */
KERNEL convert_rows(__global INDEX *rows, long rows_at, __global const OFFSET *offsets,
                    long offsets_at, long row_count, long capacity) {
    rows += rows_at;
    offsets += offsets_at;
    const long n = entry_count(offsets, row_count, capacity);
#define PUT(k, r) rows[k] = (INDEX)r
    EACH_ENTRY(offsets, row_count, n, PUT)
#undef PUT
}

/* The rows, if `rows` is not NULL, and the values of the entries places[k] of a CSR matrix. */
KERNEL convert_entries(__global INDEX *rows, long rows_at, __global WORD *to, long to_at,
                       __global const void *places, int places64, __global const OFFSET *offsets,
                       long offsets_at, long row_count, long capacity,
                       __global const WORD *values, long values_at) {
    if (rows) rows += rows_at;
    to += to_at;
    offsets += offsets_at;
    values += values_at;
    const long n = entry_count(offsets, row_count, capacity);
    FOR_EACH(k, n) {
        const long from = load_int(places, places64, k);
        if (rows) rows[k] = (INDEX)row_of_entry(offsets, 0, row_count, from);
        to[k] = values[from];
    }
}

/* Values of 1 or 2 bytes are padded as WORD. */
#if SPC_WORD8 || SPC_WORD16
typedef WORD PADDED;
#else
typedef INDEX PADDED;
#endif

/* Set the elements after the entries of a CSR matrix to x. */
KERNEL convert_pad(__global PADDED *to, long to_at, long x, __global const OFFSET *offsets,
                   long offsets_at, long row_count, long capacity) {
    to += to_at;
    offsets += offsets_at;
    const long n = entry_count(offsets, row_count, capacity);
    FOR_EACH(k, capacity - n) to[n + k] = (PADDED)x;
}

KERNEL convert_count(__global long *count, long count_at, __global const OFFSET *offsets,
                     long offsets_at, long row_count, long capacity) {
    if (get_global_id(0) == 0)
        count[count_at] = entry_count(offsets + offsets_at, row_count, capacity);
}

/* The begin and the end of `width` numbers for each item. */
KERNEL convert_ends(__global long *ends, long width, long capacity, __global const long *count,
                    long count_at) {
    if (get_global_id(0) != 0) return;
    ends[0] = 0;
    ends[1] = item_count(capacity, count, count_at) * width;
}
