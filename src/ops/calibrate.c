/* calibrate.c: measuring what choose.c predicts from, on matrices whose columns are random. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/size.h"
#include "device/ctx.h"
#include "ops/calibration.h"
#include "sparcl/ops.h"

#define FACT "calibration 5"

/* A time is the lower quartile of so many batches of calls, each as long as this. */
enum { BATCHES = 5, MOST_CALLS = 64 };
#define BATCH_SECONDS 0.012

#define FEW       16      /* rows of which one has an entry */
#define PER_ROW   20      /* entries of a row, as sparse data often have */
#define GATHERED  1 << 27 /* bytes of B that the entries of a matrix read in all */
#define MOST_NNZ  1 << 20
#define ONE_ENTRY 1 << 16 /* rows of the matrix of one entry a row */

/* One matrix with what it is multiplied with. */
typedef struct operands {
    sparcl_csr a;
    sparcl_dense b, c, full; /* full: A where it is dense */
    sparcl_coo coo;
    sparcl_csr back; /* from coo */
    sparcl_pattern *pattern;
    sparcl_buf *owned[16];
    int owned_count;
} operands;

typedef sparcl_status (*timed_call)(sparcl_ctx *ctx, operands *x);

static sparcl_status by_rows(sparcl_ctx *ctx, operands *x) {
    return sparcl_spmm(ctx, &x->c, 1, &x->a, &x->b, 0);
}
static sparcl_status by_columns(sparcl_ctx *ctx, operands *x) {
    return sparcl_spmm_t(ctx, &x->c, 1, &x->a, &x->b, 0, x->pattern);
}
static sparcl_status dense(sparcl_ctx *ctx, operands *x) {
    return sparcl_gemm(ctx, &x->c, 1, SPARCL_OP_N, &x->full, SPARCL_OP_N, &x->b, 0,
                       SPARCL_MATH_EXACT);
}
static sparcl_status dense_t(sparcl_ctx *ctx, operands *x) {
    return sparcl_gemm(ctx, &x->c, 1, SPARCL_OP_T, &x->full, SPARCL_OP_N, &x->b, 0,
                       SPARCL_MATH_EXACT);
}
static sparcl_status convert(sparcl_ctx *ctx, operands *x) {
    return sparcl_coo_to_csr(ctx, &x->back, &x->coo);
}
static sparcl_status make_pattern(sparcl_ctx *ctx, operands *x) {
    return sparcl_pattern_build(ctx, x->pattern, &x->a);
}

/* --- the clock ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static sparcl_status run_calls(sparcl_ctx *ctx, timed_call call, operands *x, int calls,
                               double *seconds) {
    const double start = spc_clock();
    for (int i = 0; i < calls; ++i)
        SPC_TRY(call(ctx, x));
    SPC_TRY(sparcl_ctx_finish(ctx));
    *seconds = (spc_clock() - start) / calls;
    return SPARCL_OK;
}

/* Seconds of one call; the first two build kernels and warm caches. */
static sparcl_status time_call(sparcl_ctx *ctx, timed_call call, operands *x, double *seconds) {
    double times[BATCHES];
    SPC_TRY(run_calls(ctx, call, x, 1, &times[0]));
    SPC_TRY(run_calls(ctx, call, x, 1, &times[0]));
    const double fit = BATCH_SECONDS / fmax(times[0], 1e-7);
    const int calls = (int)fmin(MOST_CALLS, fmax(1, fit));
    const int batches = times[0] > 20 * BATCH_SECONDS ? 1 : BATCHES;
    for (int i = 0; i < batches; ++i)
        SPC_TRY(run_calls(ctx, call, x, calls, &times[i]));
    qsort(times, (size_t)batches, sizeof *times, compare);
    *seconds = times[batches / 4]; /* what else the machine does only adds */
    return SPARCL_OK;
}

/* --- operands -------------------------------------------------------------------------------- */

static void drop(operands *x) {
    sparcl_pattern_free(x->pattern);
    while (x->owned_count > 0)
        sparcl_buf_free(x->owned[--x->owned_count]);
    *x = (operands){0};
}

/* Room with zeros. */
static sparcl_status room(sparcl_ctx *ctx, operands *x, sparcl_buf **buf, int64_t bytes) {
    SPC_TRY(sparcl_buf_create(ctx, buf, bytes));
    x->owned[x->owned_count++] = *buf;
    return sparcl_buf_fill(ctx, *buf, 0, bytes, 0);
}

static sparcl_status upload(sparcl_ctx *ctx, operands *x, sparcl_buf **buf, const int32_t *from,
                            int64_t count) {
    SPC_TRY(sparcl_buf_upload(ctx, buf, from, count * 4));
    x->owned[x->owned_count++] = *buf;
    return SPARCL_OK;
}

static sparcl_status put_dense(sparcl_ctx *ctx, operands *x, sparcl_dense *to, int64_t rows,
                               int64_t n) {
    *to = (sparcl_dense){.rank = 2, .shape = {rows, n}};
    return room(ctx, x, &to->values, rows * n * 4);
}

/* A matrix whose entries are spread evenly over rows, with random columns; each entry is of its own
 * row and column, as far as there are so many. */
static sparcl_status put_matrix(sparcl_ctx *ctx, operands *x, int64_t rows, int64_t cols,
                                int64_t nnz) {
    const sparcl_allocator *allocator = spc_ctx_allocator(ctx);
    const int64_t count = spc_max_i64(rows + 1, nnz);
    uint64_t seed = 1;
    int32_t *numbers = spc_alloc(allocator, (size_t)count * 4);
    if (!numbers)
        return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "calibrate: %lld bytes of host memory",
                            (long long)count * 4);
    x->a = (sparcl_csr){
        .rows = rows, .cols = cols, .nnz = nnz, .proof = {.flags = SPARCL_TRUSTED | SPARCL_VALID}};
    for (int64_t r = 0; r <= rows; ++r)
        numbers[r] = (int32_t)((double)nnz * ((double)r / (double)rows));
    sparcl_status status = upload(ctx, x, &x->a.offsets, numbers, rows + 1);
    for (int64_t k = 0; k < nnz; ++k) {
        seed = seed * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
        numbers[k] = (int32_t)((seed >> 33) % (uint64_t)cols);
    }
    if (status == SPARCL_OK) status = upload(ctx, x, &x->a.indices, numbers, nnz);
    spc_free(allocator, numbers, (size_t)count * 4);
    if (status == SPARCL_OK) status = room(ctx, x, &x->a.values, nnz * 4);
    return status;
}

/* --- the points ------------------------------------------------------------------------------ */

/* Do arrays of so many bytes leave the device room for others? */
static bool fits(const sparcl_ctx *ctx, double bytes) {
    const sparcl_device *device = sparcl_ctx_device(ctx);
    return bytes <= (double)device->max_allocation && 4 * bytes <= (double)device->memory;
}

/* A product of which B has `inner` rows and the result `results`, with nnz entries. */
static sparcl_status time_product(sparcl_ctx *ctx, int way, int64_t results, int64_t inner,
                                  int64_t nnz, int64_t n, double *seconds) {
    operands x = {0};
    sparcl_status status = SPARCL_OK;
    SPC_GO(put_matrix(ctx, &x, way ? inner : results, way ? results : inner, nnz));
    SPC_GO(put_dense(ctx, &x, &x.b, inner, n));
    SPC_GO(put_dense(ctx, &x, &x.c, results, n));
    if (way) {
        SPC_GO(sparcl_pattern_create(ctx, &x.pattern));
        SPC_GO(sparcl_pattern_build(ctx, x.pattern, &x.a));
    }
    SPC_GO(time_call(ctx, way ? by_columns : by_rows, &x, seconds));
done:
    drop(&x);
    return status;
}

/* A row without entries, from a matrix that has one in each FEW rows; `full` is one such row. */
static sparcl_status measure_empty(sparcl_ctx *ctx, int w, int64_t rows, int64_t inner, double full,
                                   sparcl_calibration *c) {
    double seconds = 0;
    SPC_TRY(time_product(ctx, 0, rows, inner, rows / FEW, (int64_t)spc_plan_widths[w], &seconds));
    const double empty = ((seconds - c->call[1]) / (double)rows - full / FEW) / (1 - 1.0 / FEW);
    c->empty[w] = fmin(fmax(empty, 0.02 * full), full);
    return SPARCL_OK;
}

/* A row and an entry of the smallest set, from rows of one entry and of PER_ROW. */
static sparcl_status measure_rows(sparcl_ctx *ctx, int way, int w, sparcl_calibration *c) {
    const int64_t n = (int64_t)spc_plan_widths[w];
    const int64_t inner = spc_max_i64(1, (int64_t)spc_plan_sets[0] / (4 * n));
    const int64_t rows = fits(ctx, 4.0 * (ONE_ENTRY) * (double)n) ? ONE_ENTRY : 4096;
    double one = 0, many = 0;
    SPC_TRY(time_product(ctx, way, rows, inner, rows, n, &one));
    SPC_TRY(time_product(ctx, way, rows / PER_ROW, inner, rows / PER_ROW * PER_ROW, n, &many));
    /* one = rows (row + entry); many = rows / PER_ROW row + rows entry */
    const double both = fmax(one - c->call[1], 1e-12) / (double)rows;
    const double row = (one - many) / (double)rows / (1 - 1.0 / PER_ROW);
    c->row[way][w] = fmin(fmax(row, 0.02 * both), 0.98 * both);
    return way ? SPARCL_OK : measure_empty(ctx, w, rows, inner, both, c);
}

/* A matrix with rows of PER_ROW entries, of which B has so many rows that they take the bytes of a
 * set and each of its cache lines is reached. */
typedef struct point {
    int64_t results, inner, nnz, n;
    bool fits;
} point;

static point find_point(const sparcl_ctx *ctx, int w, int s) {
    point p = {.n = (int64_t)spc_plan_widths[w]};
    p.results = spc_min_i64(MOST_NNZ, (GATHERED) / (4 * p.n)) / PER_ROW;
    p.nnz = p.results * PER_ROW;
    const double line = fmax(4.0 * (double)p.n, 64);
    const double lines = fmin(spc_plan_sets[s] / line, (double)p.nnz);
    p.inner = spc_max_i64(1, (int64_t)lines * (int64_t)(line / (4.0 * (double)p.n)));
    p.fits = fits(ctx, 4.0 * (double)p.inner * (double)p.n) &&
             fits(ctx, 4.0 * (double)p.results * (double)p.n);
    return p;
}

/* An entry, from a product of which the call and the rows are known. */
static sparcl_status time_entry(sparcl_ctx *ctx, int way, const point *p, int w,
                                const sparcl_calibration *c, double *entry) {
    double seconds = 0;
    SPC_TRY(time_product(ctx, way, p->results, p->inner, p->nnz, p->n, &seconds));
    const double rest =
        seconds - way * c->call[0] - c->call[1] - (double)p->results * c->row[way][w];
    *entry = fmax(rest, 0.02 * seconds) / (double)p->nnz;
    return SPARCL_OK;
}

static sparcl_status measure_entries(sparcl_ctx *ctx, int w, sparcl_calibration *c) {
    for (int s = 0; s < SPARCL_PLAN_SETS; ++s) {
        const point p = find_point(ctx, w, s);
        if (p.fits)
            SPC_TRY(time_entry(ctx, 0, &p, w, c, &c->entry[w][s]));
        else
            c->entry[w][s] = c->entry[w][s > 0 ? s - 1 : 0];
    }
    return SPARCL_OK;
}

/* How much more, or less, the product with the transpose takes, whose pattern has kept A's values
 * in its own order: the mean by powers of some points. */
static sparcl_status measure_turned(sparcl_ctx *ctx, int w, sparcl_calibration *c) {
    static const int sets[] = {0, 2, 4};
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < SPC_COUNT(sets); ++i) {
        const point p = find_point(ctx, w, sets[i]);
        double entry = 0;
        if (!p.fits) continue;
        SPC_TRY(time_entry(ctx, 1, &p, w, c, &entry));
        sum += log(entry / spc_plan_entry(c, (double)p.n, spc_plan_sets[sets[i]]));
        ++count;
    }
    c->turned[w] = count > 0 ? exp(sum / count) : 1;
    return SPARCL_OK;
}

/* Two small products that all cores share: what does not grow with the work is the call. */
static sparcl_status measure_calls(sparcl_ctx *ctx, sparcl_calibration *c) {
    const int64_t small = SPC_PLAN_SHARED / PER_ROW, large = 8 * small;
    double one = 0, eight = 0;
    SPC_TRY(time_product(ctx, 0, 1, 1, 1, 1, &c->call[0]));
    SPC_TRY(time_product(ctx, 0, small, 512, small * PER_ROW, 16, &one));
    SPC_TRY(time_product(ctx, 0, large, 512, large * PER_ROW, 16, &eight));
    c->call[1] = fmax(c->call[0], one - (eight - one) / 7);
    return SPARCL_OK;
}

static sparcl_status measure_dense(sparcl_ctx *ctx, int way, int w, int s, sparcl_calibration *c) {
    const int64_t n = (int64_t)spc_plan_widths[w], elements = (int64_t)spc_plan_dense[s] / 4;
    const int64_t cols = 1024, rows = elements / cols;
    operands x = {0};
    sparcl_status status = SPARCL_OK;
    double seconds = 0;
    SPC_GO(put_dense(ctx, &x, &x.full, rows, cols));
    SPC_GO(put_dense(ctx, &x, &x.b, way ? rows : cols, n));
    SPC_GO(put_dense(ctx, &x, &x.c, way ? cols : rows, n));
    SPC_GO(time_call(ctx, way ? dense_t : dense, &x, &seconds));
    c->dense[way][w][s] = fmax(seconds - c->call[0], 0.02 * seconds) / (double)elements;
done:
    drop(&x);
    return status;
}

static sparcl_status measure_changes(sparcl_ctx *ctx, sparcl_calibration *c) {
    const int64_t nnz = MOST_NNZ, rows = nnz / PER_ROW, cols = 1 << 16;
    operands x = {0};
    sparcl_status status = SPARCL_OK;
    double seconds = 0;
    SPC_GO(put_matrix(ctx, &x, rows, cols, nnz));
    SPC_GO(sparcl_pattern_create(ctx, &x.pattern));
    SPC_GO(time_call(ctx, make_pattern, &x, &seconds));
    c->pattern = seconds / (double)nnz;
    x.coo = (sparcl_coo){.rank = 2, .shape = {rows, cols}, .nnz = nnz};
    SPC_GO(room(ctx, &x, &x.coo.indices[0], nnz * 4));
    SPC_GO(room(ctx, &x, &x.coo.indices[1], nnz * 4));
    SPC_GO(room(ctx, &x, &x.coo.values, nnz * 4));
    SPC_GO(sparcl_csr_to_coo(ctx, &x.coo, &x.a));
    x.coo.proof.flags = SPARCL_TRUSTED | SPARCL_VALID | SPARCL_SORTED;
    x.back = (sparcl_csr){.rows = rows, .cols = cols, .nnz = nnz};
    SPC_GO(room(ctx, &x, &x.back.offsets, (rows + 1) * 4));
    SPC_GO(room(ctx, &x, &x.back.indices, nnz * 4));
    SPC_GO(room(ctx, &x, &x.back.values, nnz * 4));
    SPC_GO(time_call(ctx, convert, &x, &seconds));
    c->convert = seconds / (double)nnz;
done:
    drop(&x);
    return status;
}

static sparcl_status measure(sparcl_ctx *ctx, sparcl_calibration *c) {
    const double start = spc_clock();
    SPC_TRY(measure_calls(ctx, c));
    for (int w = 0; w < SPARCL_PLAN_WIDTHS; ++w) {
        for (int way = 0; way < 2; ++way) {
            SPC_TRY(measure_rows(ctx, way, w, c));
            for (int s = 0; s < 2; ++s)
                SPC_TRY(measure_dense(ctx, way, w, s, c));
        }
        SPC_TRY(measure_entries(ctx, w, c));
    }
    for (int w = 0; w < SPARCL_PLAN_WIDTHS; ++w) /* which need all entries */
        SPC_TRY(measure_turned(ctx, w, c));
    SPC_TRY(measure_changes(ctx, c));
    c->took = spc_clock() - start;
    return SPARCL_OK;
}

sparcl_status sparcl_calibrate(sparcl_ctx *ctx, int again, sparcl_calibration *calibration) {
    if (!ctx) return SPARCL_E_ARG;
    if (!calibration) return spc_ctx_fail(ctx, SPARCL_E_ARG, "calibrate: calibration is NULL");
    if (!again && spc_ctx_recall(ctx, FACT, calibration, sizeof *calibration) &&
        spc_calibration_is_good(calibration))
        return SPARCL_OK;
    *calibration = (sparcl_calibration){0};
    const sparcl_status status = measure(ctx, calibration);
    if (status == SPARCL_OK)
        spc_ctx_remember(ctx, FACT, calibration, sizeof *calibration);
    else
        *calibration = (sparcl_calibration){0};
    return status;
}
