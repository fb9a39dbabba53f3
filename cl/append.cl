/* append.cl: the rows of one CSR matrix after those of another, and its columns beside them. After
 * scan.cl and entries.cl.
 *
 * Defines  append_rows_of, add_offsets, cut_sums, place_beside
 * Range    append_rows_of, add_offsets, cut_sums: FOR_EACH; place_beside: EACH_ENTRY
 * Types    offsets of the operand are OFFSET, its indices INDEX, values WORD; arguments say which
 *          integers of the result have 64 bits
 */

/* Entries of one matrix, and the arrays of the result that get them. */
#define ENTRIES                                                                                    \
    __global const OFFSET *offsets, long offsets_at, __global const INDEX *ids, long ids_at,       \
        __global const WORD *values, long values_at, long nnz
#define RESULT                                                                                     \
    __global void *to_ids, long to_ids_at, int ids64, __global WORD *to, long to_at,               \
        long capacity, __global long *source, long source_at
#define MOVE(k, place)                                                                             \
    store_int(to_ids, ids64, to_ids_at + (place), (long)ids[ids_at + (k)] + shift);                \
    to[to_at + (place)] = values[values_at + (k)];                                                 \
    if (source) source[source_at + (place)] = base + (k)

/* Rows `first` .. first + rows - 1 become rows row_at .. of the result, whose rows before them are
 * complete. Columns become `shift` more, sources `base` more. */
KERNEL append_rows_of(ENTRIES, long first, long rows, long shift, long base,
                      __global void *to_offsets, long to_offsets_at, int offsets64, long row_at,
                      RESULT, __global long *needed, long needed_at) {
    offsets += offsets_at;
    to_offsets_at += row_at;
    const long before = row_at ? load_int(to_offsets, offsets64, to_offsets_at) : 0;
    const long begin = clamp((long)offsets[first], 0L, nnz);
    const long n = clamp((long)offsets[first + rows], begin, nnz) - begin;
    FOR_EACH(r, rows)
    store_int(to_offsets, offsets64, to_offsets_at + r + 1,
              min(before + ((long)offsets[first + r + 1] - begin), capacity));
    if (get_global_id(0) == 0) {
        if (row_at == 0) store_int(to_offsets, offsets64, to_offsets_at, 0);
        if (needed) needed[needed_at] = (row_at ? needed[needed_at] : 0) + n;
    }
    FOR_EACH(i, min(n, capacity - before)) {
        MOVE(begin + i, before + i);
    }
}

/* to[r] := from[r], or with `append` the sum of both. */
KERNEL add_offsets(__global const OFFSET *from, long from_at, long rows, int append,
                   __global long *to) {
    FOR_EACH(r, rows + 1) to[r] = (append ? to[r] : 0) + (long)from[from_at + r];
}

/* Offsets at most the capacity. */
KERNEL cut_sums(__global const long *sums, long rows, __global void *to, long to_at, int to64,
                long capacity, __global long *needed, long needed_at) {
    FOR_EACH(r, rows + 1) store_int(to, to64, to_at + r, min(sums[r], capacity));
    if (needed && get_global_id(0) == 0) needed[needed_at] = sums[rows];
}

/* The entries of row r go to starts[r] of the result; next[r] := where those of the next matrix go.
 */
KERNEL place_beside(ENTRIES, long rows, long shift, long base, __global const long *starts,
                    __global long *next, RESULT) {
    offsets += offsets_at;
    const long n = clamp((long)offsets[rows], 0L, nnz);
    FOR_EACH(r, rows) next[r] = starts[r] + (long)offsets[r + 1] - (long)offsets[r];
#define PUT(k, r)                                                                                  \
    const long place = starts[r] + (k - (long)offsets[r]);                                         \
    if (place < capacity) {                                                                        \
        MOVE(k, place);                                                                            \
    }
    EACH_ENTRY(offsets, rows, n, PUT)
#undef PUT
}
