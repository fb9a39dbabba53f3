/* spmm_t.cl: the rows of a transposed product that the pattern does not have, filled before the
 * product (cl/spmm.cl). After panel.cl and scan.cl.
 *
 * Defines  fill_empty_rows
 * Range    FOR_ROWS; few wide cores: FOR_EACH
 */

/* Rows of C without an entry; `empty_value` is alpha * 0. */
#define EMPTY_ROWS                                                                                 \
    __global const INDEX *ids, __global const long *found, __global STORED *c, long c_at,          \
        long ldc, long m, long n, REAL empty_value, REAL beta, int stream

#if SPC_GPU

/* Where C is not read, all rows are filled if any is empty: the product overwrites the others, which
 * costs less than a search for each. */
KERNEL fill_empty_rows(EMPTY_ROWS) {
    const long present = *found;
    c += c_at;
    if (present == m) return;
    FOR_ROWS(row, m, n) {
        __global STORED *to = c + row * ldc;
        if (beta != 0) {
            const long next = find_index(ids, 0, present, row);
            if (next < present && (long)ids[next] == row) continue;
        }
        for (long j = lane; j < n; j += lanes)
            WRITE_AT(to, j, beta == 0 ? empty_value : empty_value + beta * READ_AT(to, j));
    }
}

#else

/* `stream`: by non-temporal stores. */
static void fill(__global STORED *c, long count, REAL empty_value, int stream) {
    long j = 0;
    if (stream) {
        for (; j < count && ((size_t)(c + j) & (sizeof(STORED16) - 1)) != 0; ++j)
            WRITE_AT(c, j, empty_value);
        for (; j + 16 <= count; j += 16) STREAM16((REAL16)(empty_value), c + j);
    }
    for (; j < count; ++j) WRITE_AT(c, j, empty_value);
}

static void fill_rows(__global STORED *c, long ldc, long rows, long n, REAL empty_value,
                      int stream) {
    if (ldc == n)
        fill(c, rows * n, empty_value, stream);
    else
        for (long row = 0; row < rows; ++row) fill(c + row * ldc, n, empty_value, stream);
}

static void add_to_row(__global STORED *c, long n, REAL empty_value, REAL beta) {
    for (long j = 0; j < n; ++j) WRITE_AT(c, j, empty_value + beta * READ_AT(c, j));
}

/* As on many lanes: a branch at each row would cost more. */
KERNEL fill_empty_rows(EMPTY_ROWS) {
    const long present = *found, workers = get_global_size(0), w = get_global_id(0);
    const long begin = chunk_begin(m, workers, w), end = chunk_begin(m, workers, w + 1);
    if (present == m) return;
    c += c_at + begin * ldc;
    if (beta == 0) {
        fill_rows(c, ldc, end - begin, n, empty_value, stream);
        return;
    }
    long next = find_index(ids, 0, present, begin);
    for (long row = begin; row < end; ++row, c += ldc)
        if (next < present && (long)ids[next] == row)
            ++next;
        else
            add_to_row(c, n, empty_value, beta);
}

#endif
