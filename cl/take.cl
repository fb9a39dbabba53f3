/* take.cl: entries at positions, moved: their indices, their values, and where they come from. After
 * words.cl.
 *
 * Defines  take_entries, take_rows
 * Range    take_entries: FOR_EACH over entries; take_rows: FOR_EACH over elements (GPU class) or
 *          over rows (CPU class)
 * Types    indices of the operand are INDEX, positions OFFSET, values WORD; arguments say whether
 *          the indices of the result have 64 bits
 */

/* Item k of the result is item places[k] of the operand, k where places is NULL. A negative
 * position is that of an item of zeros. */
#define ITEMS                                                                                      \
    __global const OFFSET *places, long capacity, __global const long *count, long count_at
#define PLACE(k) (places ? (long)places[k] : (k))

/* Any of the arrays may be NULL. Indices become `shift` less, positions `base` more. */
KERNEL take_entries(ITEMS, __global const INDEX *from_ids, long from_ids_at, long shift,
                    __global void *to_ids, long to_ids_at, int to64, __global const WORD *from,
                    long from_at, __global WORD *to, long to_at, __global long *source,
                    long source_at, long base) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(k, n) {
        const long p = PLACE(k);
        if (to_ids) {
            const long id = p < 0 ? 0 : (long)from_ids[from_ids_at + p] - shift;
            if (to64)
                ((__global long *)to_ids)[to_ids_at + k] = id;
            else
                ((__global int *)to_ids)[to_ids_at + k] = (int)id;
        }
        if (to) to[to_at + k] = p < 0 ? 0 : from[from_at + p];
        if (source) source[source_at + k] = p < 0 ? p : base + p;
    }
}

/* Rows of `width` elements. */
KERNEL take_rows(ITEMS, __global const WORD *from, long from_at, __global WORD *to, long to_at,
                 long width) {
    const long n = item_count(capacity, count, count_at);
    from += from_at;
    to += to_at;
#if SPC_GPU
    FOR_EACH(e, n * width) {
        const long k = e / width, p = PLACE(k);
        to[e] = p < 0 ? 0 : from[p * width + (e - k * width)];
    }
#else
    FOR_EACH(k, n) {
        const long p = PLACE(k);
        if (places && k + ROWS_AHEAD < n && (long)places[k + ROWS_AHEAD] >= 0)
            prefetch_words(from + (long)places[k + ROWS_AHEAD] * width, width);
        if (p < 0)
            fill_words(to + k * width, width, 0);
        else
            move_row(from + p * width, to + k * width, width);
    }
#endif
}
