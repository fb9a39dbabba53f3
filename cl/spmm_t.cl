/* spmm_t.cl: what the transposed products need beside cl/spmm.cl: the rows of a matrix's entries, and
 * the rows of the result that the pattern does not have.
 *
 * Defines  entry_rows, gather_rows_of, fill_absent, copy_ids
 * Range    all: FOR_EACH
 */

/* The row that entry k lies in: the last with offsets[row] <= k that is not empty. */
static long find_row(__global const OFFSET *offsets, long rows, long k) {
    long low = 0, high = rows; /* the first row with offsets[row] > k */
    while (low < high) {
        const long middle = (low + high) / 2;
        if ((long)offsets[middle] > k)
            high = middle;
        else
            low = middle + 1;
    }
    return low - 1;
}

/* row_of[k] := the row of entry k; count := how many entries there are. */
KERNEL entry_rows(__global const OFFSET *offsets, long offsets_at, long rows, long room,
                  __global INDEX *row_of, __global long *count) {
    offsets += offsets_at;
    const long nnz = min((long)offsets[rows], room);
    if (get_global_id(0) == 0) *count = nnz;
    long row = -1;
    FOR_EACH(k, nnz) {
#if SPC_GPU
        row = find_row(offsets, rows, k);
#else
        if (row < 0) row = find_row(offsets, rows, k);
        while ((long)offsets[row + 1] <= k) ++row;
#endif
        row_of[k] = (INDEX)row;
    }
}

KERNEL gather_rows_of(__global const INDEX *row_of, __global const OFFSET *perm,
                      __global const long *count, __global INDEX *to) {
    FOR_EACH(k, *count) to[k] = row_of[perm[k]];
}

/* Rows of C that no entry belongs to: the sum is 0, `nothing` is alpha times that. */
KERNEL fill_absent(__global const INDEX *ids, __global const long *found, __global REAL *c,
                   long c_at, long ldc, long m, long n, REAL nothing, REAL beta) {
    const long present = *found;
    c += c_at;
    long next = -1; /* the first id that is not before the row */
    FOR_EACH(row, m) {
#if !SPC_GPU
        if (next >= 0) {
            while (next < present && (long)ids[next] < row) ++next;
        } else
#endif
        {
            long high = present;
            next = 0;
            while (next < high) {
                const long middle = (next + high) / 2;
                if ((long)ids[middle] < row)
                    next = middle + 1;
                else
                    high = middle;
            }
        }
        if (next < present && (long)ids[next] == row) continue;
        for (long j = 0; j < n; ++j)
            c[row * ldc + j] = beta == 0 ? nothing : nothing + beta * c[row * ldc + j];
    }
}

#if SPC_VALUE64
typedef long ID;
#else
typedef int ID;
#endif

KERNEL copy_ids(__global const INDEX *ids, __global const long *found, __global ID *to, long to_at,
                __global long *count, long count_at) {
    if (get_global_id(0) == 0) count[count_at] = *found;
    FOR_EACH(u, *found) to[to_at + u] = (ID)ids[u];
}
