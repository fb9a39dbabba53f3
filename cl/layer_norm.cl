/* layer_norm.cl: normalisation of the rows of a matrix, and its gradients. After norm.cl and
 * row_teams.cl.
 *
 * Defines  norm_rows, norm_rows_gradient; on wide cores norm_rows_gradients (norm_rows_gradient and
 *          column_sums at once)
 * Range    norm_rows, norm_rows_gradient: FOR_EACH over rows, or teams of eight lanes;
 *          norm_rows_gradients: FOR_EACH over blocks
 * Memory   statistics are REAL, all else STORED
 * Order    docs/numerics.md, rule S: along a row as one column
 */

KERNEL norm_rows(__global const STORED *x, long x_at, long x_ld, __global const STORED *gamma,
                 long gamma_at, __global const STORED *beta, long beta_at, __global STORED *y,
                 long y_at, long y_ld, long m, long n, REAL epsilon, __global REAL *means,
                 long means_at, __global REAL *rstds, long rstds_at) {
    FOR_TEAM_ROWS(i, m) {
        HAS_ROW(i, m);
        __global const STORED *row = x + (x_at + i * x_ld);
        __global STORED *to = y + (y_at + i * y_ld);
#define VALUE(w, j) GET##w(row + (j))
        SUM_ROW(sum, n, VALUE, FOLD_TREE)
        const REAL mean = DIVIDE(sum, (REAL)n);
#define SQUARE(w, j) square##w(GET##w(row + (j)) - mean)
        SUM_ROW(squares, n, SQUARE, FOLD_TREE)
        const REAL rstd = rstd_of(DIVIDE(squares, (REAL)n), epsilon);
        if (means && FIRST_OF_ROW) means[means_at + i] = mean;
        if (rstds && FIRST_OF_ROW) rstds[rstds_at + i] = rstd;
        if (!y) continue;
#define NORMAL(w, j)                                                                               \
    SET##w((GET##w(row + (j)) - mean) * rstd * COLUMNS_OR(w, gamma, gamma_at + (j), 1) +           \
               COLUMNS_OR(w, beta, beta_at + (j), 0),                                              \
           to + (j));
        EACH_OF_ROW(j, n, NORMAL)
#undef NORMAL
    }
}

/* Row i of the gradient, with the arguments of the kernel. */
#define G(w, j) (gamma ? GET##w(of + (j)) * GET##w(scale + (j)) : GET##w(of + (j)))
#define G_TIMES_X(w, j) G(w, j) * ((GET##w(row + (j)) - mean) * rstd)
#define GRADIENT(w, j)                                                                             \
    SET##w(rstd * (((G(w, j)) - a) - ((GET##w(row + (j)) - mean) * rstd) * b), to + (j));
#define ROW_GRADIENT(i, m)                                                                         \
    {                                                                                              \
        HAS_ROW(i, m);                                                                             \
        __global const STORED *row = x + (x_at + i * x_ld), *of = gy + (gy_at + i * gy_ld);        \
        __global const STORED *scale = gamma + gamma_at;                                           \
        __global STORED *to = gx + (gx_at + i * gx_ld);                                            \
        const long known = min(i, m - 1); /* lanes without a row */                                \
        const REAL mean = means[means_at + known], rstd = rstds[rstds_at + known];                 \
        SUM_ROW(sum, n, G, FOLD_TREE)                                                              \
        SUM_ROW(product, n, G_TIMES_X, FOLD_TREE)                                                  \
        const REAL a = DIVIDE(sum, (REAL)n), b = DIVIDE(product, (REAL)n);                         \
        EACH_OF_ROW(j, n, GRADIENT)                                                                \
    }

KERNEL norm_rows_gradient(__global const STORED *gy, long gy_at, long gy_ld,
                          __global const STORED *x, long x_at, long x_ld,
                          __global const STORED *gamma, long gamma_at, __global const REAL *means,
                          long means_at, __global const REAL *rstds, long rstds_at,
                          __global STORED *gx, long gx_at, long gx_ld, long m, long n) {
    FOR_TEAM_ROWS(i, m) ROW_GRADIENT(i, m)
}

#if !SPC_GPU
/* Blocks of rows, first their sums (by_row GRADIENTS of column_sums), then their gradients: what is
 * read twice is in the cache. */
KERNEL norm_rows_gradients(__global const STORED *gy, long gy_at, long gy_ld,
                           __global const STORED *x, long x_at, long x_ld,
                           __global const STORED *gamma, long gamma_at,
                           __global const REAL *means, long means_at, __global const REAL *rstds,
                           long rstds_at, __global STORED *gx, long gx_at, long gx_ld, long m,
                           long n, __global REAL *partial) {
    FOR_EACH(block, (m + SPC_BLOCK - 1) / SPC_BLOCK) {
        const long row = block * SPC_BLOCK, end = min(m, row + SPC_BLOCK);
        for (long first = 0; first < n; first += PANEL_COLUMNS) {
            const row_block b = {GRADIENTS,
                                 1,
                                 x + (x_at + row * x_ld + first),
                                 gy + (gy_at + row * gy_ld + first),
                                 x_ld,
                                 gy_ld,
                                 end - row,
                                 means + (means_at + row),
                                 rstds + (rstds_at + row),
                                 partial + (2 * block * n + first),
                                 partial + ((2 * block + 1) * n + first)};
            add_columns(&b, min(n - first, (long)PANEL_COLUMNS));
        }
        for (long i = row; i < end; ++i) ROW_GRADIENT(i, m)
    }
}
#endif
