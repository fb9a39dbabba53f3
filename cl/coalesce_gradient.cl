/* coalesce_gradient.cl: the gradient of the entries that a coalesce has combined.
 *
 * Defines  coalesce_gradient
 * Range    FOR_EACH over the entries that were combined, up to their capacity
 * Types    values are STORED; inverse, counts and source are long
 */

/* to[k] := the gradient g of the entry that entry k is in; with `counts` divided by their number;
 * with `source` only for the entry that it names, else 0. */
KERNEL coalesce_gradient(long capacity, __global const long *count, long count_at,
                         __global const STORED *g, long g_at, __global const long *inverse,
                         long inverse_at, __global const long *counts, long counts_at,
                         __global const long *source, long source_at, __global STORED *to,
                         long to_at) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(k, n) {
        const long u = inverse[inverse_at + k];
        REAL x = READ_AT(g, g_at + u);
        if (counts) x = DIVIDE(x, (REAL)counts[counts_at + u]);
        if (source && source[source_at + u] != k) x = 0;
        WRITE_AT(to, to_at + k, x);
    }
    FOR_EACH(rest, capacity - n) WRITE_AT(to, to_at + n + rest, 0);
}
