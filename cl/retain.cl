/* retain.cl: rows of a row-sparse array that a list, or another array, names.
 *
 * Defines  find_rows, rows_of
 * Range    FOR_EACH over the list, or over the stored rows of the other array
 * Types    indices of the array are INDEX, those of the list OFFSET
 */

/* How many rows after the one before are tried first: lists most often ascend. */
#define NEAR 16

/* The first of n ascending, different indices that is at least `id`, or n; `before`: the result of
 * a search before, or 0. */
static long find_row(__global const INDEX *ids, long before, long n, long id) {
    long low = 0, high = n;
    if (before < n && ids[before] <= id) {
        low = before;
        for (int i = 0; i < NEAR; ++i, ++low)
            if (low == n || ids[low] >= id) return low;
    }
    while (low < high) {
        const long middle = (low + high) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* places[i] := the stored row with index list[i] of ascending, different indices, or -1; marks[i]
 * := is there one? */
KERNEL find_rows(__global const OFFSET *list, long list_at, long listed, __global const INDEX *ids,
                 long ids_at, long capacity, __global const long *count, long count_at,
                 __global long *places, __global uchar *marks) {
    const long n = item_count(capacity, count, count_at);
    long at = 0;
    ids += ids_at;
    FOR_EACH(i, listed) {
        const long id = list[list_at + i];
        at = find_row(ids, at, n, id);
        const int is_stored = at < n && ids[at] == id;
        places[i] = is_stored ? at : -1;
        marks[i] = (uchar)is_stored;
    }
}

/* The same for the stored rows of an array: in `ids`, or without it in an array of all rows; -1 for
 * rows that it has no more. `marks` may be NULL. */
KERNEL rows_of(__global const OFFSET *list, long list_at, long list_capacity,
               __global const long *list_count, long list_count_at, __global const INDEX *ids,
               long ids_at, long capacity, __global const long *count, long count_at,
               __global long *places, __global uchar *marks) {
    const long listed = item_count(list_capacity, list_count, list_count_at);
    const long n = item_count(capacity, count, count_at);
    long at = 0;
    FOR_EACH(i, list_capacity) {
        const long id = i < listed ? (long)list[list_at + i] : -1;
        if (ids && i < listed) at = find_row(ids + ids_at, at, n, id);
        const int is_stored = ids && i < listed && at < n && (long)ids[ids_at + at] == id;
        const long found = !ids ? id : is_stored ? at : -1;
        places[i] = found;
        if (marks) marks[i] = (uchar)(found >= 0);
    }
}
