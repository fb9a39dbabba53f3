/* softmax_heads.cl: softmax and log-softmax over the entries of each row of a CSR matrix, where each
 * entry has several numbers, its heads, and their gradients. After panel.cl, scan.cl, blocks.cl,
 * elementary.cl.
 *
 * Defines  heads_softmax, heads_softmax_gradient
 * Range    wide cores: FOR_EACH_RUN over rows; many lanes: FOR_EACH over the heads of rows
 * Memory   arrays are [entries, heads]; elements after the last entry of the matrix become 0
 * Order    docs/numerics.md, rule S with several columns
 */

/* EACH_PANEL_OF_ROWS(CALL): CALL(u, h, width) for the heads h .. h + width - 1 of row u. A worker
 * computes CHUNK numbers together, so that compilers use vectors. */
#if SPC_GPU
#define HEADS 1
#define CHUNK 1
#define EACH_PANEL_OF_ROWS(CALL)                                                                   \
    FOR_EACH(i, runs * heads) {                                                                    \
        const long u = i / heads;                                                                  \
        CALL(u, i - u * heads, 1);                                                                 \
    }
#else
#define HEADS 64
#define CHUNK 1024
#define EACH_PANEL_OF_ROWS(CALL)                                                                   \
    FOR_EACH_RUN(u)                                                                                \
        for (long h = 0; h < heads; h += HEADS) {                                                  \
            CALL(u, h, (int)min((long)HEADS, heads - h));                                          \
        }
#endif

/* Some heads of a row: entries begin .. end - 1, in chunks of at most `chunk`. */
typedef struct {
    long begin, end, heads;
    int width, chunk;
} panel;

static panel panel_of(long begin, long end, long heads, int width) {
    const panel p = {begin, end, heads, width, min(CHUNK / width, SPC_BLOCK)};
    return p;
}

/* CALL with a panel p of run u. It is compiled again for frequent widths, whose loops over heads
 * then become vectors. */
#if SPC_GPU
#define OF_KNOWN_WIDTH(u, width, CALL)                                                             \
    panel p = panel_of((long)offsets[u], (long)offsets[u + 1], heads, width);                      \
    CALL
#else
#define OF_KNOWN_WIDTH(u, width, CALL)                                                             \
    const long begin = (long)offsets[u], end = (long)offsets[u + 1];                               \
    if ((width) == 4) {                                                                            \
        const panel p = panel_of(begin, end, heads, 4);                                            \
        CALL;                                                                                      \
    } else if ((width) == 8) {                                                                     \
        const panel p = panel_of(begin, end, heads, 8);                                            \
        CALL;                                                                                      \
    } else {                                                                                       \
        const panel p = panel_of(begin, end, heads, width);                                        \
        CALL;                                                                                      \
    }
#endif

/* Where it is always 1, compilers must know: loops over numbers else take half of the registers. */
static int chunk_size(const panel *p, long k, long last) {
    return CHUNK == 1 ? 1 : (int)min((long)p->chunk, last - k);
}

/* The body for number i of n entries from entry k on, which is element `at` of head h. */
#define EACH_NUMBER(p, k, n, i, at, h)                                                             \
    for (int r = 0, i = 0; r < (n); ++r)                                                           \
        for (long h = 0, at = ((k) + r) * (p)->heads; h < (p)->width; ++h, ++at, ++i)

/* e := exp(x - less) */
static void write_exps(const panel *p, __global const STORED *x, long k, int n, const REAL *less,
                       REAL *e) {
    EACH_NUMBER(p, k, n, i, at, h) e[i] = READ_AT(x, at) - less[h];
    for (int i = 0; i < n * p->width; ++i) e[i] = own_exp(e[i]);
}

/* sums[h] := the sum of e, which TERMS(k, n) makes of n entries from entry k on. */
#define SUM_PANEL(p, sums, TERMS)                                                                  \
    for (int h = 0; h < (p)->width; ++h) sums[h] = 0;                                              \
    for (long first = (p)->begin; first < (p)->end; first += SPC_BLOCK) {                          \
        const long last = min(first + SPC_BLOCK, (p)->end);                                        \
        REAL block[HEADS];                                                                         \
        for (int h = 0; h < (p)->width; ++h) block[h] = 0;                                         \
        for (long k = first; k < last; k += (p)->chunk) {                                          \
            const int n = chunk_size(p, k, last);                                                  \
            TERMS(k, n);                                                                           \
            add_chunk(p, n, e, block);                                                             \
        }                                                                                          \
        for (int h = 0; h < (p)->width; ++h) sums[h] += block[h];                                  \
    }

static void add_chunk(const panel *p, int n, const REAL *e, REAL *sums) {
    IN_ORDER
    for (int r = 0; r < n; ++r)
        for (int h = 0; h < p->width; ++h) sums[h] += e[r * p->width + h];
}

static void find_largest(const panel *p, __global const STORED *x, REAL *largest) {
    for (int h = 0; h < p->width; ++h) largest[h] = -INFINITY;
    for (long k = p->begin; k < p->end; ++k)
        for (int h = 0; h < p->width; ++h) {
            const REAL item = READ_AT(x, k * p->heads + h);
            largest[h] = largest[h] >= item || largest[h] != largest[h] ? largest[h] : item;
        }
}

static void softmax_panel(const panel *p, int is_log, __global const STORED *x,
                          __global STORED *to) {
    REAL largest[HEADS], sums[HEADS], e[CHUNK];
    const int is_known = p->end - p->begin <= p->chunk; /* e is of all entries */
    find_largest(p, x, largest);
#define EXPS(k, n) write_exps(p, x, k, n, largest, e)
    SUM_PANEL(p, sums, EXPS)
    for (int h = 0; h < p->width && is_log; ++h) sums[h] = own_log(sums[h]);
    for (long k = p->begin; k < p->end; k += p->chunk) {
        const int n = chunk_size(p, k, p->end);
        if (is_log) {
            EACH_NUMBER(p, k, n, i, at, h) e[i] = (READ_AT(x, at) - largest[h]) - sums[h];
        } else {
            if (!is_known) EXPS(k, n);
            EACH_NUMBER(p, k, n, i, at, h) e[i] = DIVIDE(e[i], sums[h]);
        }
        EACH_NUMBER(p, k, n, i, at, h) WRITE_AT(to, at, e[i]);
    }
}

KERNEL heads_softmax(__global const OFFSET *offsets, long offsets_at, long runs, long heads,
                     int is_log, __global const STORED *x, long x_at, __global STORED *to,
                     long to_at, long capacity) {
    const long length = 1; /* not used: runs have offsets */
    (void)length;
    offsets += offsets_at;
    x += x_at;
    to += to_at;
#define SOFTMAX(u, h, width)                                                                       \
    OF_KNOWN_WIDTH(u, width, softmax_panel(&p, is_log, x + (h), to + (h)))
    EACH_PANEL_OF_ROWS(SOFTMAX)
    const long used = (long)offsets[runs];
    FOR_EACH(k, (capacity - used) * heads) WRITE_AT(to, used * heads + k, (REAL)0);
}

/* As softmax_gradient in softmax.cl. */
static void gradient_panel(const panel *p, int is_log, __global const STORED *y,
                           __global const STORED *gy, __global STORED *to) {
    REAL sums[HEADS], zeros[HEADS], e[CHUNK];
    for (int h = 0; h < p->width; ++h) zeros[h] = 0;
#define PRODUCTS(k, n)                                                                             \
    EACH_NUMBER(p, k, n, i, at, h) e[i] = is_log ? READ_AT(gy, at) : READ_AT(y, at) * READ_AT(gy, at)
    SUM_PANEL(p, sums, PRODUCTS)
    for (long k = p->begin; k < p->end; k += p->chunk) {
        const int n = chunk_size(p, k, p->end);
        if (is_log) {
            write_exps(p, y, k, n, zeros, e);
            EACH_NUMBER(p, k, n, i, at, h) e[i] = READ_AT(gy, at) - e[i] * sums[h];
        } else {
            EACH_NUMBER(p, k, n, i, at, h) e[i] = READ_AT(y, at) * (READ_AT(gy, at) - sums[h]);
        }
        EACH_NUMBER(p, k, n, i, at, h) WRITE_AT(to, at, e[i]);
    }
}

KERNEL heads_softmax_gradient(__global const OFFSET *offsets, long offsets_at, long runs,
                              long heads, int is_log, __global const STORED *y, long y_at,
                              __global const STORED *gy, long gy_at, __global STORED *to,
                              long to_at, long capacity) {
    const long length = 1;
    (void)length;
    offsets += offsets_at;
    y += y_at;
    gy += gy_at;
    to += to_at;
#define GRADIENT(u, h, width)                                                                      \
    OF_KNOWN_WIDTH(u, width, gradient_panel(&p, is_log, y + (h), gy + (h), to + (h)))
    EACH_PANEL_OF_ROWS(GRADIENT)
    const long used = (long)offsets[runs];
    FOR_EACH(k, (capacity - used) * heads) WRITE_AT(to, used * heads + k, (REAL)0);
}
