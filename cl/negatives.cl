/* negatives.cl: columns that rows of a CSR matrix do not have, drawn at random. After philox.cl.
 *
 * Defines  negative_samples
 * Range    FOR_EACH over the results
 * Types    OFFSET and INDEX are those of the matrix
 * Order    include/sparcl/ops/layers.h: which words are those of a result
 */

/* The entries of a row, in ascending columns. */
typedef struct {
    __global const INDEX *columns;
    long count;
} stored;

/* The first entry whose column is at least `column`, or count. */
static long find_column(stored row, long column) {
    long low = 0, high = row.count;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (row.columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int has_column(stored row, long column) {
    const long at = find_column(row, column);
    return at < row.count && row.columns[at] == column;
}

/* The next column from `column` on that is not stored, or n. */
static long next_absent(stored row, long column, long n) {
    for (long at = find_column(row, column); at < row.count && row.columns[at] == column; ++at)
        ++column;
    return min(column, n);
}

static long draw_column(stored row, long t, long first, long n, ulong seed, ulong offset) {
    long column = first;
    for (uint block = 0; block < 4; ++block) {
        uint words[4] = {(uint)t, (uint)((ulong)t >> 32) + (block << 16), (uint)offset,
                         (uint)(offset >> 32)};
        philox(words, seed);
        for (int c = 0; c < 4; ++c) {
            column = first + (long)(((ulong)words[c] * (ulong)(n - first)) >> 32);
            if (!has_column(row, column)) return column;
        }
    }
    const long after = next_absent(row, column, n);
    if (after < n) return after;
    const long before = next_absent(row, first, n);
    return before < n ? before : column;
}

KERNEL negative_samples(__global const OFFSET *offsets, long offsets_at,
                        __global const INDEX *columns, long columns_at, __global const void *rows,
                        long rows_at, int rows64, long count, long first, long n, ulong seed,
                        ulong offset, __global void *to, long to_at, int to64) {
    FOR_EACH(t, count) {
        const long row = load_int(rows, rows64, rows_at + t);
        const long begin = offsets[offsets_at + row], end = offsets[offsets_at + row + 1];
        const stored entries = {columns + columns_at + begin, end - begin};
        store_int(to, to64, to_at + t, draw_column(entries, t, first, n, seed, offset));
    }
}
