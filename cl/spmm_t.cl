/* spmm_t.cl: what the transposed product needs beside cl/spmm.cl: the rows of the result that the
 * pattern does not have. After scan.cl.
 *
 * Defines  fill_absent
 * Range    FOR_EACH
 */

/* Rows of C that no entry belongs to: the sum is 0, `nothing` is alpha times that. */
#define ABSENT                                                                                     \
    __global const INDEX *ids, __global const long *found, __global REAL *c, long c_at, long ldc,  \
        long m, long n, REAL nothing, REAL beta

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

static void fill(__global REAL *c, long count, REAL nothing, REAL beta) {
    if (beta == 0)
        for (long j = 0; j < count; ++j) c[j] = nothing;
    else
        for (long j = 0; j < count; ++j) c[j] = nothing + beta * c[j];
}

/* The rows from one id to the next are one piece where they lie so. */
KERNEL fill_absent(ABSENT) {
    const long present = *found, workers = get_global_size(0), w = get_global_id(0);
    const long end = part_begin(m, workers, w + 1);
    long row = part_begin(m, workers, w), next = find_index(ids, 0, present, row);
    c += c_at;
    while (row < end) {
        const long stop = next < present ? min((long)ids[next], end) : end;
        if (ldc == n)
            fill(c + row * n, (stop - row) * n, nothing, beta);
        else
            for (long r = row; r < stop; ++r) fill(c + r * ldc, n, nothing, beta);
        row = stop + 1;
        ++next;
    }
}

#endif
