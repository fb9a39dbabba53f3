/* bsr_product.cl: C := alpha * A * B + beta * C, A in BSR format, B and C dense with more than one
 * column: on few wide cores. A worker processes its rows of blocks once for each panel of columns.
 * After products.cl and partition.cl.
 *
 * Defines  bsr_multiply
 * Range    one group per partition of the rows of blocks (cl/partition.cl), none of which is split
 * Order    docs/numerics.md, rule S over the entries of the same matrix in CSR format: every element
 *          of a block is one
 */
#if !SPC_GPU

/* Rows of a block at once: each loaded element of B is used for all of them. */
#define TILE 4

/* The operands: pointers are to the first column of a panel. */
typedef struct {
    __global const OFFSET *offsets;
    __global const INDEX *indices;
    __global const STORED *values, *b;
    __global STORED *c;
    long height, width; /* of a block */
    long ldb, ldc;
    REAL alpha, beta;
} job;

#define TILE_TOTAL(n, i) VECTOR_##n t0##i = 0, t1##i = 0, t2##i = 0, t3##i = 0;
#define TILE_SUM(n, i)   VECTOR_##n s0##i = 0, s1##i = 0, s2##i = 0, s3##i = 0;
#define TILE_ADD(n, i)                                                                             \
    {                                                                                              \
        const VECTOR_##n x = GET##n(b + i * n);                                                    \
        s0##i += v0 * x, s1##i += v1 * x, s2##i += v2 * x, s3##i += v3 * x;                        \
    }
#define TILE_FOLD(n, i) t0##i += s0##i, t1##i += s1##i, t2##i += s2##i, t3##i += s3##i;
#define PUT_ROW(n, sum, to) SET##n(d->beta == 0 ? d->alpha * sum : d->alpha * sum + d->beta * GET##n(to), to)
#define TILE_PUT(n, i)                                                                             \
    PUT_ROW(n, t0##i, to + i * n);                                                                 \
    if (rows > 1) PUT_ROW(n, t1##i, to + d->ldc + i * n);                                          \
    if (rows > 2) PUT_ROW(n, t2##i, to + 2 * d->ldc + i * n);                                      \
    if (rows > 3) PUT_ROW(n, t3##i, to + 3 * d->ldc + i * n);

/* Up to TILE rows of blocks `begin` .. `end`, from row `first` of each on, times one or two (`each`)
 * vectors of n columns. Rows past the last one are the last one again. */
#define PANEL(name, n, each)                                                                       \
    static void multiply_##name(const job *d, long begin, long end, long first, long rows,         \
                                __global STORED *to) {                                             \
        const long width = d->width, ldb = d->ldb, area = d->height * width;                       \
        const long r1 = min(1L, rows - 1) * width, r2 = min(2L, rows - 1) * width;                 \
        const long r3 = (rows - 1) * width;                                                        \
        long block = begin, j = 0;                                                                 \
        each(TILE_TOTAL, n)                                                                        \
        while (block < end) {                                                                      \
            each(TILE_SUM, n)                                                                      \
            for (long left = SPC_BLOCK; left > 0 && block < end;) {                                \
                const long stop = min(width, j + left);                                            \
                __global const STORED *a = d->values + (block * area + first * width);             \
                __global const STORED *b = d->b + ((long)d->indices[block] * width + j) * ldb;     \
                left -= stop - j;                                                                  \
                for (; j < stop; ++j, b += ldb) {                                                  \
                    const REAL v0 = READ_AT(a, j), v1 = READ_AT(a, r1 + j);                        \
                    const REAL v2 = READ_AT(a, r2 + j), v3 = READ_AT(a, r3 + j);                   \
                    each(TILE_ADD, n)                                                              \
                }                                                                                  \
                if (j == width) ++block, j = 0;                                                    \
            }                                                                                      \
            each(TILE_FOLD, n)                                                                     \
        }                                                                                          \
        each(TILE_PUT, n)                                                                          \
    }                                                                                              \
    static void panel_##name(const job *d, long i, long last) {                                    \
        for (; i < last; ++i)                                                                      \
            for (long first = 0; first < d->height; first += TILE)                                 \
                multiply_##name(d, d->offsets[i], d->offsets[i + 1], first,                        \
                                min((long)TILE, d->height - first),                                \
                                d->c + (i * d->height + first) * d->ldc);                          \
    }

PANEL(1, 1, ONE)
PANEL(4, 4, ONE)
PANEL(16, 16, ONE)
#if SPC_HINTS
PANEL(2, 2, ONE)
PANEL(8, 8, ONE)
PANEL(32, 16, TWO)
#endif

KERNEL bsr_multiply(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                    long indices_at, __global const STORED *values, long values_at, long lines,
                    long height, long width, __global const STORED *b, long b_at, long ldb,
                    __global STORED *c, long c_at, long ldc, long n, REAL alpha, REAL beta) {
    const long groups = get_num_groups(0), w = partition_of_group(get_group_id(0), groups);
    job d = {offsets + offsets_at, indices + indices_at, values + values_at, b + b_at, c + c_at,
             height, width, ldb, ldc, alpha, beta};
    partition rows = find_partition(d.offsets, lines, groups, w);
    make_unsplit(&rows);
#define COLUMNS(k)                                                                                 \
    {                                                                                              \
        panel_##k(&d, rows.first, rows.last);                                                      \
        d.b += k, d.c += k, left -= k;                                                             \
    }
#if SPC_HINTS
    for (long left = n; left > 0;)
        if (left >= 32) COLUMNS(32)
        else if (left >= 16) COLUMNS(16)
        else if (left >= 8) COLUMNS(8)
        else if (left >= 4) COLUMNS(4)
        else if (left >= 2) COLUMNS(2)
        else COLUMNS(1)
#else
    /* Fewer widths: Mesa's compiler would take minutes. */
    for (long left = n; left > 0;)
        if (left >= 16) COLUMNS(16)
        else if (left >= 4) COLUMNS(4)
        else COLUMNS(1)
#endif
#undef COLUMNS
}

#endif
