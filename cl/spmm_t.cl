/* spmm_t.cl: what the transposed product needs beside cl/spmm.cl: the rows of the result that the
 * pattern does not have. After scan.cl.
 *
 * Defines  fill_absent
 * Range    FOR_EACH
 */

/* Rows of C that no entry belongs to: the sum is 0, `nothing` is alpha times that. */
KERNEL fill_absent(__global const INDEX *ids, __global const long *found, __global REAL *c,
                   long c_at, long ldc, long m, long n, REAL nothing, REAL beta) {
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
