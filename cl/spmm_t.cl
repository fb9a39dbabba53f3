/* spmm_t.cl: what the transposed product needs beside cl/spmm.cl: the rows of the result that the
 * pattern does not have. After panel.cl and scan.cl. Before the product.
 *
 * Defines  fill_absent
 * Range    FOR_EACH
 */

/* Rows of C that no entry belongs to: the sum is 0, `nothing` is alpha times that. */
#define ABSENT                                                                                     \
    __global const INDEX *ids, __global const long *found, __global REAL *c, long c_at, long ldc,  \
        long m, long n, REAL nothing, REAL beta, int stream

#if SPC_GPU

KERNEL fill_absent(ABSENT) {
    const long present = *found;
    c += c_at;
    long next = 0; /* the first id that is not before the row */
    FOR_EACH(row, m) {
        next = find_index(ids, next, present, row);
        if (next < present && (long)ids[next] == row) continue;
        for (long j = 0; j < n; ++j)
            c[row * ldc + j] = beta == 0 ? nothing : nothing + beta * c[row * ldc + j];
    }
}

#else

/* `stream`: past the caches. */
static void fill(__global REAL *c, long count, REAL nothing, int stream) {
    long j = 0;
    if (stream) {
        for (; j < count && ((size_t)(c + j) & (sizeof(REAL16) - 1)) != 0; ++j) c[j] = nothing;
        for (; j + 16 <= count; j += 16) STREAM16((REAL16)(nothing), c + j);
    }
    for (; j < count; ++j) c[j] = nothing;
}

static void fill_rows(__global REAL *c, long ldc, long rows, long n, REAL nothing, int stream) {
    if (ldc == n)
        fill(c, rows * n, nothing, stream);
    else
        for (long row = 0; row < rows; ++row) fill(c + row * ldc, n, nothing, stream);
}

static void add_to_row(__global REAL *c, long n, REAL nothing, REAL beta) {
    for (long j = 0; j < n; ++j) c[j] = nothing + beta * c[j];
}

/* Where C is not read, all its rows are filled if one is to be: the product writes over those that it
 * has, which costs less than a branch at each. */
KERNEL fill_absent(ABSENT) {
    const long present = *found, workers = get_global_size(0), w = get_global_id(0);
    const long begin = part_begin(m, workers, w), end = part_begin(m, workers, w + 1);
    if (present == m) return;
    c += c_at + begin * ldc;
    if (beta == 0) {
        fill_rows(c, ldc, end - begin, n, nothing, stream);
        return;
    }
    long next = find_index(ids, 0, present, begin);
    for (long row = begin; row < end; ++row, c += ldc)
        if (next < present && (long)ids[next] == row)
            ++next;
        else
            add_to_row(c, n, nothing, beta);
}

#endif
