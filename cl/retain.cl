/* retain.cl: rows of a row-sparse array that a list, or another array, names.
 *
 * Defines  find_rows, rows_of
 * Range    FOR_EACH over the list, or over the stored rows of the other array
 * Types    indices of the array are INDEX, those of the list OFFSET
 */

/* The stored row with index `id` of n ascending, different indices, or -1. */
static long stored_row(__global const INDEX *ids, long n, long id) {
    long low = 0, high = n;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && ids[low] == id ? low : -1;
}

/* places[i] := the stored row with index list[i] of ascending, different indices, or -1; marks[i]
 * := is there one? */
KERNEL find_rows(__global const OFFSET *list, long list_at, long listed, __global const INDEX *ids,
                 long ids_at, long capacity, __global const long *count, long count_at,
                 __global long *places, __global uchar *marks) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(i, listed) {
        const long found = stored_row(ids + ids_at, n, list[list_at + i]);
        places[i] = found;
        marks[i] = (uchar)(found >= 0);
    }
}

/* The same for the stored rows of an array: in `ids`, or without it in an array of all rows; -1 for
 * rows that it has no more. */
KERNEL rows_of(__global const OFFSET *list, long list_at, long list_capacity,
               __global const long *list_count, long list_count_at, __global const INDEX *ids,
               long ids_at, long capacity, __global const long *count, long count_at,
               __global long *places) {
    const long listed = item_count(list_capacity, list_count, list_count_at);
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(i, list_capacity) {
        long found = -1;
        if (i < listed)
            found = ids ? stored_row(ids + ids_at, n, list[list_at + i]) : (long)list[list_at + i];
        places[i] = found;
    }
}
