/* reshape.cl: indices of COO arrays in another shape, and along another's.
 *
 * Defines  linearize, delinearize, largest_index, place_entries
 * Range    FOR_EACH; largest_index: any number of work-items
 * Types    indices of the operand, and those that delinearize writes, are INDEX, values WORD
 */

#define ITEMS long capacity, __global const long *count, long count_at

/* linear[k] := the position of entry k in a row-major array of the dimensions so far (with
 * `append`), then a, then b, which may be NULL. */
KERNEL linearize(__global long *linear, int append, __global const INDEX *a, long a_at, long a_size,
                 __global const INDEX *b, long b_at, long b_size, ITEMS) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(k, n) {
        long x = (append ? linear[k] * a_size : 0) + (long)a[a_at + k];
        if (b) x = x * b_size + (long)b[b_at + k];
        linear[k] = x;
    }
}

/* The indices of two dimensions, of which b may be NULL; the dimensions after one have `stride`
 * elements. */
KERNEL delinearize(__global const long *linear, __global INDEX *a, long a_at, long a_stride,
                   long a_size, __global INDEX *b, long b_at, long b_stride, long b_size, ITEMS) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(k, n) {
        const long x = linear[k];
        a[a_at + k] = (INDEX)(x / a_stride % a_size);
        if (b) b[b_at + k] = (INDEX)(x / b_stride % b_size);
    }
}

/* largest[w] := the largest index that work-item w sees, or -1. */
KERNEL largest_index(__global const INDEX *ids, long ids_at, ITEMS, __global long *largest) {
    const long n = item_count(capacity, count, count_at);
    long most = -1;
    FOR_EACH(k, n) most = max(most, (long)ids[ids_at + k]);
    largest[get_global_id(0)] = most;
}

/* Array i of several: its entries go to bases[i] and the next ones of the result, in two dimensions
 * (b may be NULL), the first `a_shift` and `b_shift` more; and where not NULL their values and
 * sources. bases[i + 1] := where the next array's go. */
KERNEL place_entries(__global long *bases, long i, ITEMS, long to_capacity, __global const INDEX *a,
                     long a_at, long a_shift, __global void *to_a, long to_a_at,
                     __global const INDEX *b, long b_at, long b_shift, __global void *to_b,
                     long to_b_at, int to64, __global const WORD *values, long values_at,
                     __global WORD *to, long to_at, __global long *source, long source_at,
                     long source_base) {
    const long n = item_count(capacity, count, count_at), base = i ? bases[i] : 0;
    if (get_global_id(0) == 0) bases[i + 1] = base + n;
    FOR_EACH(k, min(n, to_capacity - base)) {
        const long at = base + k;
        if (to64) {
            ((__global long *)to_a)[to_a_at + at] = (long)a[a_at + k] + a_shift;
            if (b) ((__global long *)to_b)[to_b_at + at] = (long)b[b_at + k] + b_shift;
        } else {
            ((__global int *)to_a)[to_a_at + at] = (int)((long)a[a_at + k] + a_shift);
            if (b) ((__global int *)to_b)[to_b_at + at] = (int)((long)b[b_at + k] + b_shift);
        }
        if (to) to[to_at + at] = values[values_at + k];
        if (source) source[source_at + at] = source_base + k;
    }
}
