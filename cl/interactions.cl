/* interactions.cl: interactions of all pairs of entries of each row of a CSR matrix, from the sums
 * of rows of a table, and the part of their gradient that the entries have by themselves. After
 * panel.cl.
 *
 * Defines  interactions, subtract_own
 * Range    wide cores: FOR_EACH over rows, FOR_ROWS over columns of the pattern; many lanes:
 *          FOR_EACH over rows, over the elements of the gradient
 * Order    entries as stored (the pattern: by row), one after the other; columns in ascending order
 */

/* sum + the square of each of n elements of s minus the squares of its terms. */
#define COLUMNS_OF(type, n)                                                                        \
    ALWAYS_INLINE REAL columns_##n(__global const INDEX *cols, __global const REAL *values,        \
                                   long begin, long end, __global const REAL *b, long ld,          \
                                   __global const REAL *s, REAL sum) {                             \
        type own = 0;                                                                              \
        IN_ORDER                                                                                   \
        for (long p = begin; p < end; ++p) {                                                       \
            const type term = values[p] * LOAD##n(b + cols[p] * ld);                               \
            own += term * term;                                                                    \
        }                                                                                          \
        const type all = LOAD##n(s), left = all * all - own;                                       \
        IN_ORDER                                                                                   \
        for (int c = 0; c < n; ++c) sum += ((const REAL *)&left)[c];                               \
        return sum;                                                                                \
    }
EACH_WIDTH(COLUMNS_OF)

#define COLUMNS(n, j) sum = columns_##n(cols, values, begin, end, b + j, ld, s + j, sum)
#if SPC_GPU
#define EACH_COLUMN(call)                                                                          \
    IN_ORDER                                                                                       \
    for (long j = 0; j < width; ++j) call(1, j)
#else
#define EACH_COLUMN(call) EACH_PANEL(j, width, call)
#endif

/* z[i] := half the sum over the columns. */
KERNEL interactions(__global const OFFSET *offsets, long offsets_at, __global const INDEX *cols,
                    long cols_at, __global const REAL *values, long values_at, long rows,
                    __global const REAL *b, long b_at, long ld, __global const REAL *sums,
                    long sums_at, long sums_ld, long width, __global REAL *z, long z_at,
                    int distance, long capacity) {
    offsets += offsets_at;
    cols += cols_at;
    values += values_at;
    b += b_at;
    FOR_EACH(i, rows) {
        const long begin = offsets[i], end = min((long)offsets[i + 1], capacity);
        __global const REAL *s = sums + (sums_at + i * sums_ld);
        REAL sum = 0;
#if SPC_HINTS && !SPC_GPU
        for (long p = begin + distance; p < end + distance && p < capacity && distance > 0; ++p)
            prefetch_row(b + cols[p] * ld, width);
#endif
        EACH_COLUMN(COLUMNS);
        z[z_at + i] = (REAL)0.5 * sum;
    }
}

/* The sum over the entries of column u of the squares of their values, times the gradient of
 * their row. */
static REAL factor_of(__global const OFFSET *starts, __global const INDEX *row_of,
                      __global const REAL *values, __global const REAL *g, long u) {
    REAL sum = 0;
    IN_ORDER
    for (long k = starts[u]; k < (long)starts[u + 1]; ++k)
        sum += (values[k] * values[k]) * g[row_of[k]];
    return sum;
}

/* Row u of a gradient -= that factor times row columns[u] of B. */
KERNEL subtract_own(__global const OFFSET *starts, __global const INDEX *row_of,
                    __global const INDEX *columns, __global const long *found,
                    __global const REAL *values, long capacity, __global const REAL *b, long b_at,
                    long ld, __global const REAL *g, long g_at, __global REAL *to, long to_at,
                    long width) {
    const long n = min(*found, capacity);
    b += b_at;
    g += g_at;
    to += to_at;
#if SPC_GPU
    FOR_EACH(e, n * width) {
        const long u = e / width, j = e - u * width;
        to[e] -= factor_of(starts, row_of, values, g, u) * b[columns[u] * ld + j];
    }
#else
    FOR_EACH(u, n) {
        const REAL factor = factor_of(starts, row_of, values, g, u);
        __global const REAL *from = b + columns[u] * ld;
        __global REAL *row = to + u * width;
        for (long j = 0; j < width; ++j) row[j] -= factor * from[j];
    }
#endif
}
