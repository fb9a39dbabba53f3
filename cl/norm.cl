/* norm.cl: layer normalisation (of rows) and batch normalisation (of columns), and their gradients.
 * After panel.cl, products.cl and elements.cl.
 *
 * Defines  norm_rows, norm_rows_gradient; column_sums and column_finish (sums over the rows, by
 *          blocks), on wide cores norm_rows_gradients (norm_rows_gradient and column_sums at once);
 *          column_rstd, norm_columns, norm_columns_gradient
 * Range    norm_rows, norm_rows_gradient: FOR_EACH over rows, or teams of eight lanes; column_sums:
 *          FOR_EACH over blocks and panels of columns; norm_rows_gradients: FOR_EACH over blocks;
 *          column_finish, column_rstd: FOR_EACH over columns; norm_columns, norm_columns_gradient:
 *          FOR_EACH_PART over a matrix
 * Memory   statistics are REAL, all else STORED
 * Order    docs/numerics.md, rule S: along a row as one column, over rows as one of several columns
 */

/* --- rows --------------------------------------------------------------------------------------- */

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

/* 1 / sqrt(variance + epsilon) */
static REAL rstd_of(REAL variance, REAL epsilon) {
    return DIVIDE((REAL)1, ROOT(variance + epsilon));
}

/* n elements of gamma or beta from column k on, or what stands for them where there are none. */
#define COLUMNS_OR(n, values, k, without) (values ? GET##n(values + k) : (VECTOR_##n)(without))

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

/* --- columns ------------------------------------------------------------------------------------ */

#define SUMS      0 /* of x */
#define SQUARES   1 /* of x minus the mean of its column */
#define GRADIENTS 2 /* of gy, and of gy times the normalised x */

/* Columns whose sums are in registers at once. */
#if SPC_GPU
#define PANEL_COLUMNS 1
#elif SPC_HINTS
#define PANEL_COLUMNS 64
#else
#define PANEL_COLUMNS 16
#endif

/* Rows of some columns. by_row: the statistics are those of rows, only with GRADIENTS. */
typedef struct {
    int kind, by_row;
    __global const STORED *x, *gy;
    long x_ld, gy_ld, rows;
    __global const REAL *means, *rstds;
    __global REAL *sums, *products;
} row_block;

#define START(n, i)                                                                                \
    VECTOR_##n s##i = 0, p##i = 0, mean##i = 0, rstd##i = 0;                                       \
    if (b->kind != SUMS && !b->by_row) mean##i = LOAD##n(b->means + first + i * n);                \
    if (b->kind == GRADIENTS && !b->by_row) rstd##i = LOAD##n(b->rstds + first + i * n);
#define OF_ROW(n, i)                                                                               \
    mean##i = (VECTOR_##n)(b->means[row]);                                                         \
    rstd##i = (VECTOR_##n)(b->rstds[row]);
#define ADD_VALUE(n, i) s##i += GET##n(x + i * n);
#define ADD_SQUARE(n, i)                                                                           \
    {                                                                                              \
        const VECTOR_##n centred = GET##n(x + i * n) - mean##i;                                    \
        s##i += centred * centred;                                                                 \
    }
#define ADD_GRADIENT(n, i)                                                                         \
    {                                                                                              \
        const VECTOR_##n centred = GET##n(x + i * n) - mean##i, g = GET##n(gy + i * n);            \
        s##i += g;                                                                                 \
        p##i += g * (centred * rstd##i);                                                           \
    }
#define PUT_SUMS(n, i)                                                                             \
    STORE##n(s##i, b->sums + first + i * n);                                                       \
    STORE##n(p##i, b->products + first + i * n);

/* The sums of one or four (`each`) vectors of n columns. */
#define COLUMN_PANEL(name, n, each)                                                                \
    static void add_##name(const row_block *b, long first) {                                       \
        __global const STORED *x = b->x + first, *gy = b->gy + first;                              \
        each(START, n)                                                                             \
        for (long row = 0; row < b->rows; ++row, x += b->x_ld, gy += b->gy_ld) {                   \
            if (b->by_row) {                                                                       \
                each(OF_ROW, n)                                                                    \
            }                                                                                      \
            if (b->kind == SUMS) {                                                                 \
                each(ADD_VALUE, n)                                                                 \
            } else if (b->kind == SQUARES) {                                                       \
                each(ADD_SQUARE, n)                                                                \
            } else {                                                                               \
                each(ADD_GRADIENT, n)                                                              \
            }                                                                                      \
        }                                                                                          \
        each(PUT_SUMS, n)                                                                          \
    }

COLUMN_PANEL(1, 1, ONE)
#if !SPC_GPU
COLUMN_PANEL(4, 4, ONE)
COLUMN_PANEL(16, 16, ONE)
#endif
#if SPC_HINTS && !SPC_GPU
COLUMN_PANEL(64, 16, FOUR)
#endif

/* The sums of `columns` columns, at most PANEL_COLUMNS. */
static void add_columns(const row_block *b, long columns) {
    long first = 0;
#if SPC_HINTS && !SPC_GPU
    if (columns == 64) {
        add_64(b, 0);
        return;
    }
#endif
#if !SPC_GPU
    for (; first + 16 <= columns; first += 16) add_16(b, first);
    for (; first + 4 <= columns; first += 4) add_4(b, first);
#endif
    for (; first < columns; ++first) add_1(b, first);
}

/* One or two sums of each block and column: partial [blocks, 2, n]. */
KERNEL column_sums(int kind, __global const STORED *x, long x_at, long x_ld,
                   __global const STORED *gy, long gy_at, long gy_ld, __global const REAL *means,
                   long means_at, __global const REAL *rstds, long rstds_at, int by_row, long m,
                   long n, __global REAL *partial) {
    const long panels = (n + PANEL_COLUMNS - 1) / PANEL_COLUMNS;
    const long blocks = (m + SPC_BLOCK - 1) / SPC_BLOCK;
    FOR_EACH(k, blocks * panels) {
        const long block = k / panels, first = (k - block * panels) * PANEL_COLUMNS;
        const long row = block * SPC_BLOCK, statistic = by_row ? row : first;
        const row_block b = {kind,
                             by_row,
                             x + (x_at + row * x_ld + first),
                             gy + (gy_at + row * gy_ld + first),
                             x_ld,
                             gy_ld,
                             min(m - row, (long)SPC_BLOCK),
                             means + (means_at + statistic),
                             rstds + (rstds_at + statistic),
                             partial + (2 * block * n + first),
                             partial + ((2 * block + 1) * n + first)};
        add_columns(&b, min(n - first, (long)PANEL_COLUMNS));
    }
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

/* SUMS: mean[j], and `running` moves towards it. SQUARES: the same of the variance, of which
 * 1 / sqrt(variance + epsilon) is stored; unbiased = m / (m - 1). GRADIENTS: both sums, stored, and
 * both divided by m. */
KERNEL column_finish(int kind, __global const REAL *partial, long m, long n, REAL epsilon,
                     REAL momentum, REAL rest, REAL unbiased, __global REAL *running,
                     long running_at, __global REAL *first, long first_at, __global REAL *second,
                     __global STORED *sums, long sums_at, __global STORED *products,
                     long products_at) {
    const long blocks = (m + SPC_BLOCK - 1) / SPC_BLOCK;
    FOR_EACH(j, n) {
        REAL sum = 0, product = 0;
        IN_ORDER
        for (long b = 0; b < blocks; ++b) {
            sum += partial[2 * b * n + j];
            product += partial[(2 * b + 1) * n + j];
        }
        const REAL mean = DIVIDE(sum, (REAL)m);
        if (kind == GRADIENTS) {
            if (first) first[first_at + j] = mean;
            if (second) second[j] = DIVIDE(product, (REAL)m);
            if (sums) WRITE_AT(sums, sums_at + j, sum);
            if (products) WRITE_AT(products, products_at + j, product);
            continue;
        }
        first[first_at + j] = kind == SUMS ? mean : rstd_of(mean, epsilon);
        if (running)
            running[running_at + j] =
                rest * running[running_at + j] + momentum * (kind == SUMS ? mean : mean * unbiased);
    }
}

KERNEL column_rstd(__global const REAL *variances, long variances_at, long n, REAL epsilon,
                   __global REAL *rstds) {
    FOR_EACH(j, n) rstds[j] = rstd_of(variances[variances_at + j], epsilon);
}

KERNEL norm_columns(__global const STORED *x, long x_at, long x_ld, __global const STORED *gamma,
                    long gamma_at, __global const STORED *beta, long beta_at, __global STORED *y,
                    long y_at, long y_ld, long m, long n, __global const REAL *means, long means_at,
                    __global const REAL *rstds, long rstds_at) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *from = x + (x_at + row * x_ld + column);
        __global STORED *to = y + (y_at + row * y_ld + column);
        __global const REAL *mean = means + means_at + column, *rstd = rstds + rstds_at + column;
#define NORMAL(n, k)                                                                               \
    {                                                                                              \
        const VECTOR_##n normal = (GET##n(from + k) - LOAD##n(mean + k)) * LOAD##n(rstd + k);      \
        SET##n(normal * COLUMNS_OR(n, gamma, gamma_at + column + k, 1) +                           \
                   COLUMNS_OR(n, beta, beta_at + column + k, 0),                                   \
               to + k);                                                                            \
    }
        EACH_OF_PART(k, count, NORMAL)
#undef NORMAL
    }
}

/* a and b: the means of gy, and of gy times the normalised x. */
KERNEL norm_columns_gradient(__global const STORED *gy, long gy_at, long gy_ld,
                             __global const STORED *x, long x_at, long x_ld,
                             __global const STORED *gamma, long gamma_at,
                             __global const REAL *means, long means_at, __global const REAL *rstds,
                             long rstds_at, __global STORED *gx, long gx_at, long gx_ld, long m,
                             long n, __global const REAL *a, __global const REAL *b) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *from = x + (x_at + row * x_ld + column);
        __global const STORED *of = gy + (gy_at + row * gy_ld + column);
        __global STORED *to = gx + (gx_at + row * gx_ld + column);
        __global const REAL *mean = means + means_at + column, *rstd = rstds + rstds_at + column;
#undef GRADIENT
#define GRADIENT(n, k)                                                                             \
    {                                                                                              \
        const VECTOR_##n scale = LOAD##n(rstd + k);                                                \
        const VECTOR_##n normal = (GET##n(from + k) - LOAD##n(mean + k)) * scale;                  \
        SET##n((COLUMNS_OR(n, gamma, gamma_at + column + k, 1) * scale) *                          \
                   ((GET##n(of + k) - LOAD##n(a + column + k)) -                                   \
                    normal * LOAD##n(b + column + k)),                                             \
               to + k);                                                                            \
    }
        EACH_OF_PART(k, count, GRADIENT)
#undef GRADIENT
    }
}
