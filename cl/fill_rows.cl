/* fill_rows.cl: a row-sparse array as a dense one: each row is written once. On few wide cores.
 * After scan.cl, elements.cl and words.cl.
 *
 * Defines  fill_rows
 * Range    FOR_EACH_PART over the result
 * Memory   the ids ascend, each of them once. stream: the result is written by non-temporal stores
 * Order    none: rows are only moved
 */
#if !SPC_GPU

KERNEL fill_rows(__global const INDEX *ids, long ids_at, __global const WORD *from, long from_at,
                 long capacity, __global const long *count, long count_at, __global WORD *to,
                 long to_at, long ld, long m, long width, int stream) {
    const long n = item_count(capacity, count, count_at);
    long k = -1;
    ids += ids_at;
    FOR_EACH_PART(row, column, length, m, width) {
        __global WORD *part = to + to_at + row * ld + column;
        if (k < 0)
            k = find_index(ids, 0, n, row);
        else if (k < n && ids[k] < row)
            ++k;
        if (k < n && ids[k] == row)
            move_words(from + from_at + k * width + column, part, length, stream);
        else
            fill_words(part, length, stream);
    }
}

#endif
