/* rows_multiply.cl: row-sparse arrays times others, element by element. After panel.cl.
 *
 * Defines  multiply_rows (both row-sparse), rows_times_dense
 * Range    FOR_ROWS
 * Types    multiply_rows: OFFSET is the type of positions; rows_times_dense: INDEX that of the indices
 * Order    one product for each element
 */

/* Row u := row i = places[u] of a, times row matches[i] of b. */
KERNEL multiply_rows(__global const OFFSET *places, __global const long *found, long capacity,
                     __global const long *matches, __global const STORED *a, long a_at,
                     __global const STORED *b, long b_at, __global STORED *to, long to_at,
                     long width) {
    const long n = min(found[0], capacity);
    FOURS((width & 3) == 0 && ALIGNED(a + a_at) && ALIGNED(b + b_at) && ALIGNED(to + to_at));
    FOR_ROWS_OF_FOURS(u, n) {
        const long i = places[u];
        __global const STORED *x = a + (a_at + i * width);
        __global const STORED *y = b + (b_at + matches[i] * width);
        __global STORED *row = to + (to_at + u * width);
#define MULTIPLY(n, j) SET##n(GET##n(x + j) * GET##n(y + j), row + j)
        PANELS(MULTIPLY);
#undef MULTIPLY
    }
}

/* Stored row k := itself times the row of x with its index. */
KERNEL rows_times_dense(__global const INDEX *ids, long ids_at, __global const long *count,
                        long count_at, long capacity, __global const STORED *a, long a_at,
                        __global const STORED *x, long x_at, long x_ld, __global STORED *to,
                        long to_at, long width) {
    const long n = item_count(capacity, count, count_at);
    FOURS(((width | x_ld) & 3) == 0 && ALIGNED(a + a_at) && ALIGNED(x + x_at) &&
          ALIGNED(to + to_at));
    FOR_ROWS_OF_FOURS(k, n) {
        __global const STORED *stored = a + (a_at + k * width);
        __global const STORED *y = x + (x_at + ids[ids_at + k] * x_ld);
        __global STORED *row = to + (to_at + k * width);
#define MULTIPLY(n, j) SET##n(GET##n(stored + j) * GET##n(y + j), row + j)
        PANELS(MULTIPLY);
#undef MULTIPLY
    }
}
