/* match.cl: the entries of a CSR matrix A that meet the stored rows of a row-sparse array: those in
 * its columns (A * R), or the rows of A (transpose(A) * R). After scan.cl.
 *
 * Defines  match_clear, match_places (where each row is stored); match_keep, match_columns,
 *          match_offsets (the entries in columns that are stored, in order, their columns the places
 *          of the stored rows); match_lengths, match_rows (the rows that are stored)
 * Range    all: FOR_EACH
 * Types    match_places, match_lengths: INDEX is the index type of R; match_rows: INDEX is that of A, and
 *          that of R is long with SPC_VARIANT; values are only moved
 */

KERNEL match_clear(__global long *places, long count) {
    FOR_EACH(i, count) places[i] = -1;
}

KERNEL match_places(__global long *places, __global const INDEX *stored, long stored_at,
                    long capacity, __global const long *count, long count_at) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(i, n) places[stored[stored_at + i]] = i;
}

#define MATRIX                                                                                     \
    __global const OFFSET *offsets, long offsets_at, __global const INDEX *cols, long cols_at,     \
        __global const STORED *values, long values_at, long rows, long capacity

/* keep[e] := 1 for an entry whose column is stored, else 0. */
KERNEL match_keep(__global const OFFSET *offsets, long offsets_at, long rows,
                  __global const INDEX *cols, long cols_at, long capacity,
                  __global const long *places, __global int *keep) {
    const long n = clamp((long)offsets[offsets_at + rows], 0L, capacity);
    FOR_EACH(e, capacity) keep[e] = e < n && places[cols[cols_at + e]] >= 0;
}

/* Entry e becomes entry positions[e] of the result. */
KERNEL match_columns(MATRIX, __global const long *places, __global const long *positions,
                     __global INDEX *to_cols, __global STORED *to_values) {
    const long n = clamp((long)offsets[offsets_at + rows], 0L, capacity);
    FOR_EACH(e, n) {
        const long to = positions[e];
        if (positions[e + 1] == to) continue;
        to_cols[to] = (INDEX)places[cols[cols_at + e]];
        to_values[to] = values[values_at + e];
    }
}

KERNEL match_offsets(__global const OFFSET *offsets, long offsets_at, long rows, long capacity,
                     __global const long *positions, __global long *to_offsets) {
    FOR_EACH(r, rows + 1)
    to_offsets[r] = positions[clamp((long)offsets[offsets_at + r], 0L, capacity)];
}

/* lengths[i] := the entries of the row of A that is stored as row i of R; 0 past the last one. */
KERNEL match_lengths(__global const OFFSET *offsets, long offsets_at,
                     __global const INDEX *stored, long stored_at, long capacity,
                     __global const long *count, long count_at, __global long *lengths) {
    const long n = item_count(capacity, count, count_at);
    offsets += offsets_at;
    FOR_EACH(i, capacity) {
        const long row = i < n ? (long)stored[stored_at + i] : 0;
        lengths[i] = i < n ? (long)offsets[row + 1] - (long)offsets[row] : 0;
    }
}

#if SPC_VARIANT
typedef long ROW_ID;
#else
typedef int ROW_ID;
#endif

/* Entry e of the result is in row i of to_offsets, and comes from row stored[i] of A. */
KERNEL match_rows(MATRIX, __global const ROW_ID *stored, long stored_at, long stored_rows,
                  __global const long *to_offsets, __global INDEX *to_cols,
                  __global STORED *to_values) {
    const long n = min(to_offsets[stored_rows], capacity);
    FOR_EACH(e, n) {
        long low = 0, high = stored_rows;
        while (high - low > 1) { /* to_offsets[low] <= e < to_offsets[high] */
            const long middle = low + (high - low) / 2;
            if (to_offsets[middle] <= e)
                low = middle;
            else
                high = middle;
        }
        const long row = (long)stored[stored_at + low];
        const long from = (long)offsets[offsets_at + row] + (e - to_offsets[low]);
        to_cols[e] = cols[cols_at + from];
        to_values[e] = values[values_at + from];
    }
}
