/* retain.cl: rows of a row-sparse array that a list names.
 *
 * Defines  find_rows
 * Range    FOR_EACH over the list
 * Types    indices of the array are INDEX, those of the list OFFSET
 */

/* places[i] := the stored row with index list[i] of ascending, different indices, or -1; marks[i]
 * := is there one? */
KERNEL find_rows(__global const OFFSET *list, long list_at, long listed, __global const INDEX *ids,
                 long ids_at, long capacity, __global const long *count, long count_at,
                 __global long *places, __global uchar *marks) {
    const long n = item_count(capacity, count, count_at);
    list += list_at;
    ids += ids_at;
    FOR_EACH(i, listed) {
        const long id = list[i];
        long low = 0, high = n;
        while (low < high) {
            const long middle = (low + high) / 2;
            if (ids[middle] < id)
                low = middle + 1;
            else
                high = middle;
        }
        const int found = low < n && ids[low] == id;
        places[i] = found ? low : -1;
        marks[i] = (uchar)found;
    }
}
