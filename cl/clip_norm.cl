/* clip_norm.cl: a gradient whose norm is too large made shorter, as a whole or row by row. After
 * panel.cl, elements.cl and row_teams.cl.
 *
 * Defines  clip_by_norm, clip_rows
 * Range    FOR_EACH_PART; FOR_TEAM_ROWS
 * Memory   stored: the number of rows, NULL: all; norm: NULL: the gradient is only copied
 * Order    docs/numerics.md, "Optimizer rules"
 */

#define GRADIENT                                                                                   \
    __global const REAL *from, long from_at, long ld, __global REAL *to,                           \
        __global const long *stored, long stored_at, long capacity, long width

#define CLIPPED(x) (norm > limit ? DIVIDE((x) * limit, norm) : (x))

KERNEL clip_by_norm(GRADIENT, __global const REAL *norm_of_all, REAL limit) {
    const long rows = item_count(capacity, stored, stored_at);
    const REAL norm = norm_of_all ? *norm_of_all : (REAL)0;
    FOR_EACH_PART(row, column, count, rows, width) {
        __global const REAL *x = from + (from_at + row * ld + column);
        __global REAL *y = to + (row * width + column);
        for (long j = 0; j < count; ++j) y[j] = CLIPPED(x[j]);
    }
}

#if SPC_GPU
#define FOR_COLUMNS(j, n) for (long j = lane; j < (n) && has_row; j += TEAM_LANES)
#else
#define FOR_COLUMNS(j, n) for (long j = 0; j < (n); ++j)
#endif

KERNEL clip_rows(GRADIENT, REAL limit) {
    const long rows = item_count(capacity, stored, stored_at);
    FOR_TEAM_ROWS(i, rows) {
        HAS_ROW(i, rows);
        __global const REAL *x = from + (from_at + i * ld);
        __global REAL *y = to + i * width;
#define SQUARE_AT(n, j) square##n(LOAD##n(x + (j)))
        SUM_ROW(squares, width, SQUARE_AT, FOLD_TREE)
        const REAL norm = ROOT(squares);
        FOR_COLUMNS(j, width) y[j] = CLIPPED(x[j]);
    }
}
