/* norm.cl: what layer and batch normalisation share: sums over the rows of a matrix, by blocks.
 * After panel.cl, stage.cl, products.cl and elements.cl; before layer_norm.cl or batch_norm.cl.
 *
 * Defines  COLUMNS_OR, rstd_of; on wide cores row_block, add_columns; column_sums, column_finish
 * Range    column_sums: FOR_EACH over blocks and panels of columns; column_finish: FOR_EACH over
 *          columns; many lanes: one group per block and 2^COLUMN_BITS columns, and one per
 *          2^FINISH_BITS columns
 * Memory   statistics are REAL, all else STORED
 * Order    docs/numerics.md, rule S: as one of several columns
 */

/* 1 / sqrt(variance + epsilon) */
static REAL rstd_of(REAL variance, REAL epsilon) {
    return DIVIDE((REAL)1, ROOT(variance + epsilon));
}

/* n elements of gamma or beta from column k on, or what stands for them where there are none. */
#define COLUMNS_OR(n, values, k, without) (values ? GET##n(values + k) : (VECTOR_##n)(without))

#define SUMS      0 /* of x */
#define SQUARES   1 /* of x minus the mean of its column */
#define GRADIENTS 2 /* of gy, and of gy times the normalised x */

/* Columns of a group: 2^bits. */
#define COLUMN_BITS 5
#define FINISH_BITS 3

#if !SPC_GPU

/* Columns whose sums are in registers at once. */
#if SPC_HINTS
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
COLUMN_PANEL(4, 4, ONE)
COLUMN_PANEL(16, 16, ONE)
#if SPC_HINTS
COLUMN_PANEL(64, 16, FOUR)
#endif

/* The sums of `columns` columns, at most PANEL_COLUMNS. */
static void add_columns(const row_block *b, long columns) {
    long first = 0;
#if SPC_HINTS
    if (columns == 64) {
        add_64(b, 0);
        return;
    }
#endif
    for (; first + 16 <= columns; first += 16) add_16(b, first);
    for (; first + 4 <= columns; first += 4) add_4(b, first);
    for (; first < columns; ++first) add_1(b, first);
}

#endif

/* Of columns in local memory: products only with GRADIENTS. */
#define ADD_TWO(e)                                                                                 \
    {                                                                                              \
        sum += stage[e];                                                                           \
        if (kind == GRADIENTS) product += products[e];                                             \
    }

/* One or two sums of each block and column: partial [blocks, 2, n]. */
KERNEL column_sums(int kind, __global const STORED *x, long x_at, long x_ld,
                   __global const STORED *gy, long gy_at, long gy_ld, __global const REAL *means,
                   long means_at, __global const REAL *rstds, long rstds_at, int by_row, long m,
                   long n, __global REAL *partial) {
#if SPC_GPU
    __local REAL stage[STAGE / 2], products[STAGE / 2];
    OPEN_STAGE(n, COLUMN_BITS);
    const long chunks = STAGE_CHUNKS(n), block = get_group_id(0) / chunks;
    const long j = STAGE_COLUMN(get_group_id(0) - block * chunks), row = block * SPC_BLOCK;
    const long rows = min((long)SPC_BLOCK, m - row);
    const long statistic = by_row ? row : min(j, n - 1), step = by_row ? 1 : 0;
    x += x_at + row * x_ld + j;
    gy += gy_at + row * gy_ld + j;
    means += means_at + statistic;
    rstds += rstds_at + statistic;
    REAL sum = 0, product = 0;
#define PUT(e, i)                                                                                  \
    {                                                                                              \
        const REAL value = READ_AT(x, (i)*x_ld);                                                   \
        const REAL centred = kind == SUMS ? value : value - means[(i)*step];                       \
        stage[e] = kind == SQUARES ? centred * centred : centred;                                  \
        if (kind == GRADIENTS) {                                                                   \
            stage[e] = READ_AT(gy, (i)*gy_ld);                                                     \
            products[e] = stage[e] * (centred * rstds[(i)*step]);                                  \
        }                                                                                          \
    }
    STAGED(STAGE / 2, rows, j < n, PUT, ADD_TWO)
#undef PUT
    if (!LIVE_SUM(j < n)) return;
    partial[2 * block * n + j] = sum;
    partial[(2 * block + 1) * n + j] = product;
#else
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
#endif
}

/* SUMS: mean[j], and `running` moves towards it. SQUARES: the same of the variance, of which
 * 1 / sqrt(variance + epsilon) is stored; unbiased = m / (m - 1). GRADIENTS: both sums, stored, and
 * both divided by m. */
KERNEL column_finish(int kind, __global const REAL *partial, long m, long n, REAL epsilon,
                     REAL momentum, REAL rest, REAL unbiased, __global REAL *running,
                     long running_at, __global REAL *first, long first_at, __global REAL *second,
                     __global STORED *gbeta, long gbeta_at, __global STORED *ggamma,
                     long ggamma_at) {
    const long blocks = (m + SPC_BLOCK - 1) / SPC_BLOCK;
#if SPC_GPU
    __local REAL stage[STAGE / 2], products[STAGE / 2];
    OPEN_STAGE(n, FINISH_BITS);
    const long j = STAGE_COLUMN(get_group_id(0));
    REAL sum = 0, product = 0;
#define PUT(e, i)                                                                                  \
    {                                                                                              \
        stage[e] = partial[2 * (i)*n + j];                                                         \
        if (kind == GRADIENTS) products[e] = partial[(2 * (i) + 1) * n + j];                       \
    }
    STAGED(STAGE / 2, blocks, j < n, PUT, ADD_TWO)
#undef PUT
    if (LIVE_SUM(j < n)) {
#else
    FOR_EACH(j, n) {
        REAL sum = 0, product = 0;
        IN_ORDER
        for (long b = 0; b < blocks; ++b) {
            sum += partial[2 * b * n + j];
            product += partial[(2 * b + 1) * n + j];
        }
#endif
        const REAL mean = DIVIDE(sum, (REAL)m);
        if (kind == GRADIENTS) {
            if (first) first[first_at + j] = mean;
            if (second) second[j] = DIVIDE(product, (REAL)m);
            if (gbeta) WRITE_AT(gbeta, gbeta_at + j, sum);
            if (ggamma) WRITE_AT(ggamma, ggamma_at + j, product);
        } else {
            first[first_at + j] = kind == SUMS ? mean : rstd_of(mean, epsilon);
            if (running)
                running[running_at + j] = rest * running[running_at + j] +
                                          momentum * (kind == SUMS ? mean : mean * unbiased);
        }
    }
}
