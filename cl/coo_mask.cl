/* coo_mask.cl: the elements of a matrix where a COO matrix has entries.
 *
 * Defines  mask_pairs
 * Range    FOR_EACH over the capacity: 0 past the count
 * Types    indices are INDEX, values WORD
 */

KERNEL mask_pairs(__global const INDEX *rows, long rows_at, __global const INDEX *columns,
                  long columns_at, long capacity, __global const long *count, long count_at,
                  __global const WORD *x, long x_at, long ld, __global WORD *to, long to_at) {
    const long n = item_count(capacity, count, count_at);
    rows += rows_at;
    columns += columns_at;
    FOR_EACH(k, capacity)
    to[to_at + k] = k < n ? x[x_at + (long)rows[k] * ld + (long)columns[k]] : 0;
}
