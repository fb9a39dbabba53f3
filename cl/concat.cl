/* concat.cl: appends the rows of a row-sparse array to those of another. After panel.cl and
 * words.cl.
 *
 * Defines  append_rows; many lanes: append_all, of up to eight arrays
 * Range    FOR_ROWS over the rows of `from`, or of the largest one; wide cores: chunks of them, whose
 *          values are one piece
 * Memory   OFFSET is the type of the result's indices, INDEX that of `from`; before: the number of
 *          rows that the result has already, as an array's capacity and count. stream: values are
 *          written by non-temporal stores
 * Order    none: rows are only moved
 */

/* n rows, after the `first` ones. */
ALWAYS_INLINE void append_part(long first, __global const INDEX *ids, __global const WORD *values,
                               long n, __global OFFSET *to_ids, __global WORD *to_values, long width,
                               int stream) {
    to_values += first * width;
    FOURS((width & 3) == 0 && ALIGNED(values) && ALIGNED(to_values));
    FOR_ROWS_OF_FOURS(i, n) {
        if (FIRST_LANE) to_ids[first + i] = (OFFSET)ids[i];
#if SPC_GPU
#define COPY(n, j) MOVE##n(values + (i * width + j), to_values + (i * width + j))
        PANELS(COPY);
#undef COPY
#endif
    }
#if !SPC_GPU
    const long workers = get_global_size(0), w = get_global_id(0);
    const long begin = chunk_begin(n, workers, w), end = chunk_begin(n, workers, w + 1);
    move_words(values + begin * width, to_values + begin * width, (end - begin) * width, stream);
#endif
}

KERNEL append_rows(long before_capacity, __global const long *before, long before_at,
                   __global const INDEX *ids, long ids_at, __global const WORD *values,
                   long values_at, __global const long *count, long count_at, long capacity,
                   __global OFFSET *to_ids, long to_ids_at, __global WORD *to_values,
                   long to_values_at, __global long *to_count, long to_count_at, long width,
                   int stream) {
    const long first = item_count(before_capacity, before, before_at);
    const long n = item_count(capacity, count, count_at);
    if (get_global_id(0) == 0) to_count[to_count_at] = first + n;
    append_part(first, ids + ids_at, values + values_at, n, to_ids + to_ids_at,
                to_values + to_values_at, width, stream);
}

#if SPC_GPU

/* An array of n rows. */
#define PIECE(x)                                                                                   \
    __global const INDEX *x##_ids, long x##_ids_at, __global const WORD *x, long x##_at, long x##_n
#define APPEND(x)                                                                                  \
    append_part(first, x##_ids + x##_ids_at, x + x##_at, x##_n, to_ids + to_ids_at,                \
                to_values + to_values_at, width, 0);                                               \
    first += x##_n

KERNEL append_all(PIECE(a), PIECE(b), PIECE(c), PIECE(d), PIECE(e), PIECE(f), PIECE(g), PIECE(h),
                  __global OFFSET *to_ids, long to_ids_at, __global WORD *to_values,
                  long to_values_at, __global long *to_count, long to_count_at, long width) {
    long first = 0;
    APPEND(a);
    APPEND(b);
    APPEND(c);
    APPEND(d);
    APPEND(e);
    APPEND(f);
    APPEND(g);
    APPEND(h);
    if (get_global_id(0) == 0) to_count[to_count_at] = first;
}

#endif
