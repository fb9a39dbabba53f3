/* reorder.cl: keys for the entries of a COO array, and arrays moved to a new order. After scan.cl.
 *
 * Defines  reorder_keys, reorder_changes, reorder_decode, reorder_gather, reorder_count
 * Range    FOR_EACH; reorder_count: one work-item
 * Types    indices are INDEX, positions OFFSET, keys KEY; reorder_gather moves INDEX to ELEMENT,
 *          also for values, whose bits do not change; those of 1 or 2 bytes are WORD
 */

#if SPC_VALUE64
typedef ulong KEY;
#else
typedef uint KEY;
#endif

#if SPC_WORD8 || SPC_WORD16
typedef WORD ELEMENT;
typedef WORD MOVED;
#else
#if SPC_VALUE64
typedef long ELEMENT;
#else
typedef int ELEMENT;
#endif
typedef INDEX MOVED;
#endif

/* The number of items, and the entry at position i of the order: places[i], or i. */
#define ITEMS                                                                                      \
    __global const OFFSET *places, long capacity, __global const long *count, long count_at
#define PLACE(i) (places ? (long)places[i] : (i))

/* One or two dimensions, a before b; b may be NULL. */
#define DIMENSIONS                                                                                 \
    __global const INDEX *a, long a_at, int a_bits, __global const INDEX *b, long b_at, int b_bits
#define OPEN_DIMENSIONS                                                                            \
    a += a_at;                                                                                     \
    if (b) b += b_at

/* keys[i] := its bits so far (with `append`), then the bits of a, then those of b. */
KERNEL reorder_keys(__global KEY *keys, int append, DIMENSIONS, ITEMS) {
    const long n = item_count(capacity, count, count_at);
    OPEN_DIMENSIONS;
    FOR_EACH(i, n) {
        const long p = PLACE(i);
        KEY key = (append ? keys[i] << a_bits : 0) | (KEY)a[p];
        if (b) key = key << b_bits | (KEY)b[p];
        keys[i] = key;
    }
}

/* changes[i] := 1 where entries i and i + 1 of the order differ in these dimensions, or (with
 * `append`) in earlier ones; 0 past the last entry. */
KERNEL reorder_changes(__global OFFSET *changes, int append, DIMENSIONS, ITEMS) {
    const long n = item_count(capacity, count, count_at);
    OPEN_DIMENSIONS;
    FOR_EACH(i, capacity) {
        OFFSET change = append ? changes[i] : 0;
        if (i + 1 < n) {
            const long p = PLACE(i), q = PLACE(i + 1);
            change |= a[p] != a[q] || (b && b[p] != b[q]);
        }
        changes[i] = change;
    }
}

/* The indices of one or two dimensions, extracted from the keys: a before b, which begin at bits a_shift and
 * b_shift; b may be NULL. */
KERNEL reorder_decode(__global INDEX *a, long a_at, int a_shift, long a_mask, __global INDEX *b,
                      long b_at, int b_shift, long b_mask, __global const KEY *keys, long capacity,
                      __global const long *count, long count_at) {
    const long n = item_count(capacity, count, count_at);
    OPEN_DIMENSIONS;
    FOR_EACH(i, n) {
        const KEY key = keys[i];
        a[i] = (INDEX)(key >> a_shift & (KEY)a_mask);
        if (b) b[i] = (INDEX)(key >> b_shift & (KEY)b_mask);
    }
}

/* to[i] := from[PLACE(i)], or PLACE(i) itself where `from` is NULL. */
KERNEL reorder_gather(__global ELEMENT *to, long to_at, __global const MOVED *from, long from_at,
                      ITEMS) {
    const long n = item_count(capacity, count, count_at);
    to += to_at;
    if (from) from += from_at;
    FOR_EACH(i, n) {
        const long p = PLACE(i);
        to[i] = (ELEMENT)(from ? (long)from[p] : p);
    }
}

KERNEL reorder_count(__global long *to, long to_at, long capacity, __global const long *count,
                     long count_at) {
    if (get_global_id(0) == 0) to[to_at] = item_count(capacity, count, count_at);
}
