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

/* The indices of two dimensions, of which the first, b, may be NULL; the dimensions after them have
 * `stride` elements. The line of the entry before, with all dimensions up to b, is tried first:
 * divisions of 64 bits are slow. */
KERNEL delinearize(__global const long *linear, long stride, __global INDEX *a, long a_at,
                   long a_size, __global INDEX *b, long b_at, long b_size, ITEMS) {
    const long n = item_count(capacity, count, count_at);
    long line = 0, index = 0;
    FOR_EACH(k, n) {
        const long x = stride == 1 ? linear[k] : linear[k] / stride;
        long within = x - line * a_size;
        if (within < 0 || within >= a_size) {
            line = x / a_size;
            within = x - line * a_size;
            index = line % b_size;
        }
        a[a_at + k] = (INDEX)within;
        if (b) b[b_at + k] = (INDEX)index;
    }
}

/* largest[w] := the largest index that work-item w sees, or -1. */
KERNEL largest_index(__global const INDEX *ids, long ids_at, ITEMS, __global long *largest) {
    const long n = item_count(capacity, count, count_at);
    long most = -1;
    FOR_EACH(k, n) most = max(most, (long)ids[ids_at + k]);
    largest[get_global_id(0)] = most;
}

/* Indices of an array to those of another, `shift` more. The type is tested outside of the loops,
 * so that compilers use vectors. */
static void place_indices(__global void *to, int to64, long to_at, __global const INDEX *from,
                          long shift, long n) {
    if (to64) {
        FOR_EACH(k, n) ((__global long *)to)[to_at + k] = (long)from[k] + shift;
    } else {
        FOR_EACH(k, n) ((__global int *)to)[to_at + k] = (int)((long)from[k] + shift);
    }
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
    const long placed = min(n, to_capacity - base);
    if (get_global_id(0) == 0) bases[i + 1] = base + n;
    place_indices(to_a, to64, to_a_at + base, a + a_at, a_shift, placed);
    if (b) place_indices(to_b, to64, to_b_at + base, b + b_at, b_shift, placed);
    if (to) FOR_EACH(k, placed) to[to_at + base + k] = values[values_at + k];
    if (source) FOR_EACH(k, placed) source[source_at + base + k] = source_base + k;
}
