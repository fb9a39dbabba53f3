/* layer_norm.cl: normalisation of the rows of a matrix, and its gradients. After norm.cl.
 *
 * Defines  norm_rows, norm_rows_gradient; on wide cores norm_rows_gradients (norm_rows_gradient and
 *          column_sums at once)
 * Range    norm_rows, norm_rows_gradient: FOR_EACH over rows, or teams of eight lanes;
 *          norm_rows_gradients: FOR_EACH over blocks
 * Memory   statistics are REAL, all else STORED
 * Order    docs/numerics.md, rule S: along a row as one column
 */

/* SUM_ROW(sum, n, TERM): the sum of TERM(w, j), a vector of w from column j on, over a row.
 * EACH_COLUMN(j, n, body): body(w, j) for the vectors of a row. */
#if SPC_GPU

#define TEAM_LANES 8
/* The rows of a team; all lanes of a group take part in each sum, also those without a row. */
#define FOR_NORM_ROWS(i, m)                                                                        \
    __local REAL fold[GROUP];                                                                      \
    const int lane = get_local_id(0) & (TEAM_LANES - 1);                                           \
    const long teams = GROUP / TEAM_LANES;                                                         \
    for (long first_row = get_group_id(0) * teams, i = first_row + get_local_id(0) / TEAM_LANES;   \
         first_row < (m); first_row += get_num_groups(0) * teams,                                  \
              i = first_row + get_local_id(0) / TEAM_LANES)

static REAL fold_team(REAL sum, __local REAL *fold) {
    const int l = get_local_id(0);
    fold[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 4; step > 0; step /= 2) {
        if ((l & 7) < step) fold[l] += fold[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const REAL total = fold[l & ~7];
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

#define SUM_ROW(sum, n, TERM)                                                                      \
    REAL sum = 0;                                                                                  \
    IN_ORDER                                                                                       \
    for (long first = 0; first < (n); first += SPC_BLOCK) {                                        \
        REAL s = 0;                                                                                \
        IN_ORDER                                                                                   \
        for (long j = first + lane; j < min((n), first + SPC_BLOCK) && has_row; j += TEAM_LANES)   \
            s += TERM(1, j);                                                                       \
        sum += fold_team(s, fold);                                                                 \
    }
#define HAS_ROW(i, m) const int has_row = (i) < (m)
#define EACH_COLUMN(j, n, body)                                                                    \
    for (long j = lane; j < (n) && has_row; j += TEAM_LANES) body(1, j)
#define FIRST_OF_ROW (lane == 0 && has_row)

#else

#define FOR_NORM_ROWS(i, m) FOR_EACH(i, m)
#define SUM_ROW(sum, n, TERM)                                                                      \
    REAL sum = 0;                                                                                  \
    IN_ORDER                                                                                       \
    for (long first = 0; first < (n); first += SPC_BLOCK) {                                        \
        const long last = min((n), first + SPC_BLOCK);                                             \
        REAL8 s = 0;                                                                               \
        REAL p[8];                                                                                 \
        long j = first;                                                                            \
        for (; j + 8 <= last; j += 8) s += TERM(8, j);                                             \
        vstore8(s, 0, p);                                                                          \
        IN_ORDER                                                                                   \
        for (; j < last; ++j) p[j & 7] += TERM(1, j);                                              \
        sum += ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));                  \
    }
#define HAS_ROW(i, m)
#define EACH_COLUMN EACH_OF_PART
#define FIRST_OF_ROW 1

#endif

#define SQUARE_OF(T, n)                                                                            \
    ALWAYS_INLINE T square##n(T x) {                                                               \
        return x * x;                                                                              \
    }
SQUARE_OF(REAL, 1)
#if !SPC_GPU
SQUARE_OF(REAL8, 8)
#endif

KERNEL norm_rows(__global const STORED *x, long x_at, long x_ld, __global const STORED *gamma,
                 long gamma_at, __global const STORED *beta, long beta_at, __global STORED *y,
                 long y_at, long y_ld, long m, long n, REAL epsilon, __global REAL *means,
                 long means_at, __global REAL *rstds, long rstds_at) {
    FOR_NORM_ROWS(i, m) {
        HAS_ROW(i, m);
        __global const STORED *row = x + (x_at + i * x_ld);
        __global STORED *to = y + (y_at + i * y_ld);
#define VALUE(w, j) GET##w(row + (j))
        SUM_ROW(sum, n, VALUE)
        const REAL mean = DIVIDE(sum, (REAL)n);
#define SQUARE(w, j) square##w(GET##w(row + (j)) - mean)
        SUM_ROW(squares, n, SQUARE)
        const REAL rstd = rstd_of(DIVIDE(squares, (REAL)n), epsilon);
        if (means && FIRST_OF_ROW) means[means_at + i] = mean;
        if (rstds && FIRST_OF_ROW) rstds[rstds_at + i] = rstd;
        if (!y) continue;
#define NORMAL(w, j)                                                                               \
    SET##w((GET##w(row + (j)) - mean) * rstd * COLUMNS_OR(w, gamma, gamma_at + (j), 1) +           \
               COLUMNS_OR(w, beta, beta_at + (j), 0),                                              \
           to + (j));
        EACH_COLUMN(j, n, NORMAL)
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
        SUM_ROW(sum, n, G)                                                                         \
        SUM_ROW(product, n, G_TIMES_X)                                                             \
        const REAL a = DIVIDE(sum, (REAL)n), b = DIVIDE(product, (REAL)n);                         \
        EACH_COLUMN(j, n, GRADIENT)                                                                \
    }

KERNEL norm_rows_gradient(__global const STORED *gy, long gy_at, long gy_ld,
                          __global const STORED *x, long x_at, long x_ld,
                          __global const STORED *gamma, long gamma_at, __global const REAL *means,
                          long means_at, __global const REAL *rstds, long rstds_at,
                          __global STORED *gx, long gx_at, long gx_ld, long m, long n) {
    FOR_NORM_ROWS(i, m) ROW_GRADIENT(i, m)
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
