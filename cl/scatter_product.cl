/* scatter_product.cl: the transpose of a CSR matrix times B, without a pattern: each entry is added
 * to its row of the result, whose sums are kept in memory. On few wide cores. After products.cl.
 *
 * Defines  scatter_multiply
 * Range    one group per worker, which has a range of the rows of the result
 * Memory   sums: a vector for each row of the result, of eight REAL where B has one column, else of
 *          n; totals: n REAL for each of these rows; counts: an int
 * Order    docs/numerics.md, rule S: a row has the sums of a block at a time
 */
#if !SPC_GPU

/* Columns are counted in bins. */
#define BINS    256
#define SAMPLES 1024

/* The work of a worker. */
typedef struct {
    __global const OFFSET *offsets;
    __global const INDEX *columns;
    __global const STORED *values, *b;
    __global STORED *c;
    __global REAL *sums, *totals;
    __global int *counts;
    long rows, ldb, ldc;
    long first, last, all; /* rows of the result; if not all, rows of the matrix are sorted */
    REAL alpha, beta;
} job;

static int bin_of(const job *x, int sample, long width) {
    const long n = x->offsets[x->rows];
    const uint at = (uint)sample * 2654435769u; /* 2^32 / golden ratio: nearly even, in no order */
    return n == 0 ? 0 : (int)(x->columns[(long)(((ulong)at * (ulong)n) >> 32)] / width);
}

/* The range of worker w: a part of the columns with about as many entries, as samples show. */
static void set_range(job *x, int w, int workers) {
    int bins[BINS], seen = 0, next = 0;
    const long width = x->all / BINS + 1;
    for (int i = 0; i < BINS; ++i) bins[i] = 0;
    for (int i = 0; i < SAMPLES; ++i) ++bins[bin_of(x, i, width)];
    while (next < BINS && seen * workers < SAMPLES * w) seen += bins[next++];
    x->first = min(next * width, x->all);
    while (next < BINS && seen * workers < SAMPLES * (w + 1)) seen += bins[next++];
    x->last = w == workers - 1 ? x->all : min(next * width, x->all);
}

/* Where the columns from `column` on begin in a sorted row: a sum without branches. */
static OFFSET find_column(const job *x, OFFSET begin, OFFSET end, long column) {
    int before = 0;
    const INDEX last = (INDEX)(column - 1);
    for (OFFSET k = begin; k < end; ++k) before += x->columns[k] <= last;
    return begin + before;
}

/* The entries of row r in the range. */
static void find_range(const job *x, long r, OFFSET *begin, OFFSET *end) {
    *begin = x->offsets[r];
    *end = x->offsets[r + 1];
    const OFFSET from = *begin;
    if (x->first > 0) *begin = find_column(x, from, *end, x->first);
    if (x->last < x->all) *end = find_column(x, from, *end, x->last);
}

#define ADD_TERM1(s, count, t)  s[(count) & 7] += (t)
#define BLOCK_SUM1(s)           fold8(LOAD8(s))
#define CLEAR1(s)               STORE8((REAL8)(0), s)
#define ADD_TERMS(n, s, t)      STORE##n(LOAD##n(s) + (t), s)
#define ADD_TERM2(s, count, t)  ADD_TERMS(2, s, t)
#define BLOCK_SUM2(s)           LOAD2(s)
#define CLEAR2(s)               STORE2((REAL2)(0), s)
#define ADD_TERM4(s, count, t)  ADD_TERMS(4, s, t)
#define BLOCK_SUM4(s)           LOAD4(s)
#define CLEAR4(s)               STORE4((REAL4)(0), s)
#define ADD_TERM8(s, count, t)  ADD_TERMS(8, s, t)
#define BLOCK_SUM8(s)           LOAD8(s)
#define CLEAR8(s)               STORE8((REAL8)(0), s)
#define ADD_TERM16(s, count, t) ADD_TERMS(16, s, t)
#define BLOCK_SUM16(s)          LOAD16(s)
#define CLEAR16(s)              STORE16((REAL16)(0), s)

/* B has n columns; a row has sums in `width` numbers. A block ends when the next one begins. */
#define MULTIPLY(TYPE, n)                                                                          \
    static void multiply##n(const job *x) {                                                        \
        const int width = n == 1 ? 8 : n;                                                          \
        __global const INDEX *columns = x->columns;                                                \
        __global const STORED *values = x->values;                                                 \
        __global REAL *sums = x->sums;                                                             \
        __global int *counts = x->counts;                                                          \
        for (long i = x->first; i < x->last; ++i) {                                                \
            CLEAR##n(sums + i * width);                                                            \
            counts[i] = 0;                                                                         \
        }                                                                                          \
        for (long r = 0; r < x->rows; ++r) {                                                       \
            OFFSET begin, end;                                                                     \
            find_range(x, r, &begin, &end);                                                        \
            const TYPE from = GET##n(x->b + r * x->ldb);                                           \
            for (OFFSET k = begin; k < end; ++k) {                                                 \
                const long i = columns[k];                                                         \
                const int count = counts[i];                                                       \
                __global REAL *s = sums + i * width;                                               \
                if ((count & (SPC_BLOCK - 1)) == 0 && count > 0) {                                 \
                    __global REAL *t = x->totals + i * n;                                          \
                    const TYPE sum = BLOCK_SUM##n(s);                                              \
                    STORE##n(count == SPC_BLOCK ? sum : LOAD##n(t) + sum, t);                      \
                    CLEAR##n(s);                                                                   \
                }                                                                                  \
                counts[i] = count + 1;                                                             \
                ADD_TERM##n(s, count, READ_AT(values, k) * from);                                  \
            }                                                                                      \
        }                                                                                          \
        for (long i = x->first; i < x->last; ++i) {                                                \
            TYPE sum = BLOCK_SUM##n(sums + i * width);                                             \
            __global STORED *c = x->c + i * x->ldc;                                                \
            if (counts[i] > SPC_BLOCK) sum = LOAD##n(x->totals + i * n) + sum;                     \
            sum = x->alpha * sum;                                                                  \
            if (x->beta != 0) sum += x->beta * GET##n(c);                                          \
            SET##n(sum, c);                                                                        \
        }                                                                                          \
    }
EACH_WIDTH(MULTIPLY)

KERNEL scatter_multiply(__global const OFFSET *offsets, long offsets_at, long rows,
                        __global const INDEX *columns, long columns_at, long all,
                        __global const STORED *values, long values_at, __global const STORED *b,
                        long b_at, long ldb, __global STORED *c, long c_at, long ldc, int n,
                        REAL alpha, REAL beta, __global REAL *sums, __global REAL *totals,
                        __global int *counts) {
    job x = {offsets + offsets_at,
             columns + columns_at,
             values + values_at,
             b + b_at,
             c + c_at,
             sums,
             totals,
             counts,
             rows,
             ldb,
             ldc,
             0,
             all,
             all,
             alpha,
             beta};
    if (get_num_groups(0) > 1) set_range(&x, get_group_id(0), get_num_groups(0));
    if (n == 1) multiply1(&x);
    if (n == 2) multiply2(&x);
    if (n == 4) multiply4(&x);
    if (n == 8) multiply8(&x);
    if (n == 16) multiply16(&x);
}

#endif
