/* unique.cl: what is known of runs of equal items in a sorted order. After scan.cl and entries.cl.
 *
 * Defines  unique_inverse, unique_keys, unique_runs
 * Range    unique_inverse: EACH_ENTRY over items; unique_keys, unique_runs: FOR_EACH over runs
 * Types    positions are OFFSET, indices INDEX
 */

/* Run u is items starts[u] .. starts[u + 1] - 1 of the order; item k of the order is places[k], or
 * k where places is NULL. */
#define RUNS                                                                                       \
    __global const OFFSET *starts, __global const long *found, long found_at,                      \
        __global const OFFSET *places
#define PLACE(k) (places ? (long)places[k] : (long)(k))

/* inverse[p] := the run that has item p. */
KERNEL unique_inverse(RUNS, __global long *inverse, long inverse_at) {
    const long runs = found[found_at], n = starts[runs];
    inverse += inverse_at;
#define INVERT(k, u) inverse[PLACE(k)] = u
    EACH_ENTRY(starts, runs, n, INVERT)
#undef INVERT
}

/* keys[k] := the index of the run that begins with item k. */
KERNEL unique_keys(RUNS, __global const INDEX *indices, __global INDEX *keys) {
    FOR_EACH(u, found[found_at]) keys[starts[u]] = indices[u];
}

/* The number of items of each run, and its first or last item; either may be NULL. */
KERNEL unique_runs(RUNS, __global long *counts, long counts_at, __global long *ends, long ends_at,
                   int last) {
    const long runs = found[found_at];
    FOR_EACH(u, runs) {
        const long begin = starts[u], end = starts[u + 1];
        if (counts) counts[counts_at + u] = end - begin;
        if (ends) ends[ends_at + u] = PLACE(last ? end - 1 : begin);
    }
}
