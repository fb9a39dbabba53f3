/* fill.cl: an entry for each empty row of a COO array. After scan.cl and entries.cl.
 *
 * Defines  fill_marks, fill_places, fill_values, fill_count, fill_gradient
 * Range    fill_marks, fill_values, fill_gradient: FOR_EACH over rows; fill_places: EACH_ENTRY, and over rows;
 *          fill_count: one item
 * Memory   starts: the entries of row r in sorted order are starts[r] .. starts[r + 1] - 1;
 *          before: how many rows before r are empty
 * Types    rows of the result are INDEX, starts OFFSET, values VALUE
 */

/* empty[r] := has row r no entry?; the same as bytes, where not NULL. */
KERNEL fill_marks(__global const OFFSET *starts, long rows, __global long *empty,
                  __global uchar *bytes, long bytes_at) {
    FOR_EACH(r, rows) {
        const int is_empty = starts[r + 1] == starts[r];
        empty[r] = is_empty;
        if (bytes) bytes[bytes_at + r] = (uchar)is_empty;
    }
}

/* places[at] := the entry that becomes entry `at` of the result, -1 for a new one; its row; and
 * where each entry goes. Entry k of the sorted order is order[k], or k where order is NULL. */
KERNEL fill_places(__global const OFFSET *starts, long rows, __global const long *before,
                   __global const void *order, int order64, __global long *places,
                   __global INDEX *to_rows, long to_rows_at, __global long *inverse,
                   long inverse_at) {
    const long n = starts[rows];
    to_rows += to_rows_at;
    FOR_EACH(r, rows) {
        const long at = (long)starts[r] + before[r];
        if (before[r + 1] == before[r]) continue;
        places[at] = -1;
        to_rows[at] = (INDEX)r;
    }
#define PUT(k, r)                                                                                  \
    const long at = k + before[r], p = order ? load_int(order, order64, k) : k;                    \
    places[at] = p;                                                                                \
    to_rows[at] = (INDEX)r;                                                                        \
    if (inverse) inverse[inverse_at + p] = at
    EACH_ENTRY(starts, rows, n, PUT)
#undef PUT
}

/* Values, of which those of 16 bits are given as a float. */
#if SPC_F16 || SPC_BF16
typedef STORED VALUE;
#define VALUE_OF(word) narrow1(as_float((int)(word)))
#else
typedef WORD VALUE;
#define VALUE_OF(word) ((WORD)(word))
#endif

/* The values of new entries: the one that is given, or that of a word. */
KERNEL fill_values(__global const OFFSET *starts, long rows, __global const long *before,
                   __global VALUE *to, long to_at, long word, __global const VALUE *given,
                   long given_at) {
    const VALUE value = given ? given[given_at] : VALUE_OF(word);
    FOR_EACH(r, rows)
    if (before[r + 1] != before[r]) to[to_at + (long)starts[r] + before[r]] = value;
}

/* The number of entries of the result. */
KERNEL fill_count(__global const OFFSET *starts, long rows, __global const long *before,
                  __global long *count, long count_at) {
    if (get_global_id(0) == 0) count[count_at] = (long)starts[rows] + before[rows];
}

/* to[r] := the gradient of the entry of row r, where it is a new one, else 0. */
KERNEL fill_gradient(__global const OFFSET *offsets, long offsets_at, __global const void *filled,
                     long filled_at, int filled64, __global const WORD *g, long g_at, long capacity,
                     __global WORD *to, long rows) {
    offsets += offsets_at;
    FOR_EACH(r, rows) {
        const long k = load_int(filled, filled64, filled_at + r);
        to[r] = offsets[r + 1] == offsets[r] && k < capacity ? g[g_at + k] : 0;
    }
}
