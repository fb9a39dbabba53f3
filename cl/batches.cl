/* batches.cl: batches of rows of a CSR matrix, which was selected for all of them, and the pattern of
 * each. After scan.cl and entries.cl.
 *
 * Defines  batch_keys, batch_runs, batch_take
 * Range    FOR_EACH
 * Types    OFFSET, positions and indices have 32 bits; arguments say whether the offsets of a batch have
 *          64 bits; values are WORD
 * Order    nothing is added
 */

/* keys[k] := the batch of entry k, and below it, in column_bits, its column; row_of[k] := its row in the
 * batch; to_fields[k] := its field, if there are any: row r is row list[r] of the matrix. */
KERNEL batch_keys(__global const OFFSET *offsets, __global const int *indices, long rows, long batch_rows,
                  long capacity, int column_bits, __global int *keys, __global int *row_of,
                  __global const void *list, long list_at, int list64,
                  __global const void *from_offsets, long from_at, int from64,
                  __global const int *fields, long fields_at, __global int *to_fields) {
    const long n = min((long)offsets[rows], capacity);
#define FIRST_OF_ROW(r) load_int(from_offsets, from64, from_at + load_int(list, list64, list_at + (r)))
#define PLACE(k, r)                                                                                \
    const long batch = (r) / batch_rows;                                                           \
    keys[k] = (int)((uint)batch << column_bits | (uint)indices[k]);                                \
    row_of[k] = (int)((r)-batch * batch_rows);                                                     \
    if (fields) to_fields[k] = fields[fields_at + FIRST_OF_ROW(r) + ((k) - (long)offsets[r])]
    EACH_ENTRY(offsets, rows, n, PLACE)
#undef PLACE
#undef FIRST_OF_ROW
}

/* first_runs[b] := the first run of equal keys of batch b; the last one is the number of runs. */
KERNEL batch_runs(__global const OFFSET *offsets, long rows, long batch_rows, long batches,
                  __global const OFFSET *starts, __global const long *found,
                  __global int *first_runs) {
    FOR_EACH(b, batches + 1)
        first_runs[b] = (int)find_offset(starts, 0, *found, offsets[min(b * batch_rows, rows)]);
}

/* Batch b, which has `rows` rows from first_row on, its pattern, and its fields, if there are any. If it
 * does not have `nnz` entries, it becomes empty. */
KERNEL batch_take(__global const OFFSET *offsets, __global const int *indices,
                  __global const WORD *values, __global const int *row_of,
                  __global const int *order, __global const OFFSET *starts,
                  __global const int *keys, __global const int *first_runs, long b, long first_row,
                  long rows, long nnz, int column_bits, __global void *x_offsets, long x_offsets_at,
                  int x_offset64, __global int *x_indices, long x_indices_at,
                  __global WORD *x_values, long x_values_at, __global int *to_starts,
                  __global int *to_row_of, __global int *to_perm, __global int *to_columns,
                  __global long *to_found, __global WORD *to_values, __global const int *fields,
                  __global int *to_fields, long to_fields_at) {
    const int base = (int)offsets[first_row], run = first_runs[b];
    const int is_whole = offsets[first_row + rows] - base == nnz;
    const int n = is_whole ? (int)nnz : 0, found = is_whole ? first_runs[b + 1] - run : 0;
    x_indices += x_indices_at;
    x_values += x_values_at;
    FOR_EACH(r, rows + 1)
        store_int(x_offsets, x_offset64, x_offsets_at + r, is_whole ? (int)offsets[first_row + r] - base : 0);
    FOR_EACH(k, n) {
        const int from = order[base + k];
        x_indices[k] = indices[base + k];
        x_values[k] = values[base + k];
        if (fields) to_fields[to_fields_at + k] = fields[base + k];
        to_row_of[k] = row_of[from];
        to_perm[k] = from - base;
        to_values[k] = values[from];
    }
    FOR_EACH(u, found) {
        to_starts[u] = (int)starts[run + u] - base;
        to_columns[u] = (int)((uint)keys[run + u] & ((1u << column_bits) - 1u));
    }
    if (get_global_id(0) > 0) return;
    to_starts[found] = n;
    *to_found = found;
}
