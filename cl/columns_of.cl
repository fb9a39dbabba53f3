/* columns_of.cl: the columns of a CSR matrix whose indices are in a list. After scan.cl and
 * entries.cl.
 *
 * Defines  repeats, expand_columns, repeat_offsets
 * Range    FOR_EACH over entries, over rows; expand_columns: wide cores over entries, many lanes
 *          over entries of the result
 * Memory   starts: where the sorted list has the indices from c on, for each column c
 * Types    indices of the matrix are INDEX, positions in the list and in the result OFFSET
 */

/* counts[k] := how often the list has the column of entry k; 0 past the entries. */
KERNEL repeats(__global const OFFSET *starts, __global const INDEX *columns, long columns_at,
               long capacity, __global const long *count, __global long *counts) {
    const long n = item_count(capacity, count, 0);
    FOR_EACH(k, capacity) {
        long repeated = 0;
        if (k < n) {
            const long c = columns[columns_at + k];
            repeated = (long)starts[c + 1] - (long)starts[c];
        }
        counts[k] = repeated;
    }
}

/* sums[k]: entries of the result before those of entry k. */
KERNEL repeat_offsets(__global const long *sums, __global const void *from, long from_at,
                      int from64, long rows, __global void *to, long to_at, int to64, long capacity,
                      __global long *needed, long needed_at) {
    const long all = load_int(from, from64, from_at + rows);
    FOR_EACH(r, rows + 1)
    store_int(to, to64, to_at + r, min(sums[load_int(from, from64, from_at + r)], capacity));
    if (needed && get_global_id(0) == 0) needed[needed_at] = sums[all];
}

/* Entry t of the result comes from entry places[t], and is in column columns[t]. */
#define EXPANDED                                                                                   \
    __global const long *sums, long entries, __global const OFFSET *starts,                        \
        __global const OFFSET *order, __global const INDEX *columns, long columns_at,              \
        long capacity, __global OFFSET *places, __global void *to, long to_at, int to64

#if SPC_GPU
/* The first of the ascending sums low .. count that is more than x; they are from 0 on. */
static long find_sum(__global const long *sums, long count, long x) {
    long low = 0, high = count;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (sums[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* However often an entry is repeated, lanes have equal work. */
KERNEL expand_columns(EXPANDED) {
    FOR_EACH(t, min(sums[entries], capacity)) {
        const long k = find_sum(sums, entries + 1, t) - 1;
        places[t] = (OFFSET)k;
        store_int(to, to64, to_at + t,
                  (long)order[(long)starts[columns[columns_at + k]] + (t - sums[k])]);
    }
}
#else
/* Without a search; columns of entries that are left out are not read. */
KERNEL expand_columns(EXPANDED) {
    FOR_EACH(k, entries) {
        const long first = sums[k], end = min(sums[k + 1], capacity);
        if (first >= end) continue;
        const long start = (long)starts[columns[columns_at + k]];
        for (long t = first; t < end; ++t) {
            places[t] = (OFFSET)k;
            store_int(to, to64, to_at + t, (long)order[start + (t - first)]);
        }
    }
}
#endif
