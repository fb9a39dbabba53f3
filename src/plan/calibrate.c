/* calibrate.c: the measurements on which choose.c bases its predictions, on random sparse matrices.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/size.h"
#include "device/ctx.h"
#include "plan/calibration.h"
#include "program/facts.h"
#include "sparcl/ops/conversions.h"
#include "sparcl/ops/products.h"

#define FACT "calibration 9"

/* All points are measured in several passes, some seconds apart: a machine with other load has fast
 * and slow phases. A time is the median of all batches of calls, each of BATCH_SECONDS. */
enum { PASSES = 3, BATCHES = 3, MAX_CALLS = 64, MAX_POINTS = 128 };
#define BATCH_SECONDS 0.006

#define PER_ROW   20      /* entries per row, typical of sparse data */
#define LONG_ROW  64      /* entries per row for which branch mispredictions cost little */
#define GATHERED  1 << 27 /* total bytes of B that the entries of a matrix read */
#define MAX_NNZ   1 << 20
#define ROW_NNZ   1 << 17 /* entries of the matrices with which rows are measured */
#define ROW_BYTES 1 << 26 /* maximum bytes of their results */
#define ROW_SET   1 << 15 /* bytes of their B */

/* One matrix and the operands of its products. */
typedef struct operands {
    sparcl_csr a;
    sparcl_dense b, c, full; /* full: a dense A */
    sparcl_coo coo;
    sparcl_csr back; /* converted from coo */
    sparcl_pattern *pattern;
    sparcl_buf *owned[16];
    int owned_count;
} operands;

/* The times of a point in all passes so far. */
typedef struct times {
    double seconds[PASSES * BATCHES];
    int count;
} times;

typedef struct measurement {
    sparcl_ctx *ctx;
    sparcl_calibration *c;
    times points[MAX_POINTS]; /* in the order of the measurements of a pass */
    int point;
} measurement;

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

static double median(times t) {
    qsort(t.seconds, (size_t)t.count, sizeof *t.seconds, compare);
    return t.seconds[t.count / 2];
}

/* Seconds of one call; the first two build kernels and warm caches. */
static sparcl_status time_call(measurement *m, timed_call call, operands *x, double *seconds) {
    double first = 0;
    if (m->point == MAX_POINTS)
        return spc_ctx_fail(m->ctx, SPARCL_E_MEMORY, "calibrate: more than %d points", m->point);
    times *const t = &m->points[m->point++];
    SPC_TRY(run_calls(m->ctx, call, x, 1, &first));
    SPC_TRY(run_calls(m->ctx, call, x, 1, &first));
    const int calls = (int)fmin(MAX_CALLS, fmax(1, BATCH_SECONDS / fmax(first, 1e-7)));
    const int batches = first > 20 * BATCH_SECONDS ? 1 : BATCHES;
    for (int i = 0; i < batches; ++i)
        SPC_TRY(run_calls(m->ctx, call, x, calls, &t->seconds[t->count++]));
    *seconds = median(*t);
    return SPARCL_OK;
}

/* --- operands -------------------------------------------------------------------------------- */

static void free_operands(operands *x) {
    sparcl_pattern_free(x->pattern);
    while (x->owned_count > 0)
        sparcl_buf_free(x->owned[--x->owned_count]);
    *x = (operands){0};
}

/* A buffer of zeros. */
static sparcl_status create_zeros(sparcl_ctx *ctx, operands *x, sparcl_buf **buf, int64_t bytes) {
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

static sparcl_status create_dense(sparcl_ctx *ctx, operands *x, sparcl_dense *to, int64_t rows,
                                  int64_t n) {
    *to = (sparcl_dense){.rank = 2, .shape = {rows, n}};
    return create_zeros(ctx, x, &to->values, rows * n * 4);
}

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
    return *seed >> 33;
}

/* Each entry is in a random row, so that a core cannot predict where rows end, or which are empty.
 */
static void make_offsets(int32_t *offsets, int64_t rows, int64_t nnz, uint64_t *seed) {
    for (int64_t r = 0; r <= rows; ++r)
        offsets[r] = 0;
    for (int64_t k = 0; k < nnz; ++k)
        ++offsets[1 + next_random(seed) % (uint64_t)rows];
    for (int64_t r = 0; r < rows; ++r)
        offsets[r + 1] += offsets[r];
}

/* A matrix with entries at random positions. */
static sparcl_status create_matrix(sparcl_ctx *ctx, operands *x, int64_t rows, int64_t cols,
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
    make_offsets(numbers, rows, nnz, &seed);
    sparcl_status status = upload(ctx, x, &x->a.offsets, numbers, rows + 1);
    for (int64_t k = 0; k < nnz; ++k)
        numbers[k] = (int32_t)(next_random(&seed) % (uint64_t)cols);
    if (status == SPARCL_OK) status = upload(ctx, x, &x->a.indices, numbers, nnz);
    spc_free(allocator, numbers, (size_t)count * 4);
    if (status == SPARCL_OK) status = create_zeros(ctx, x, &x->a.values, nnz * 4);
    return status;
}

/* --- the points ------------------------------------------------------------------------------ */

/* Does an array of this size fit on the device, with memory left for others? */
static bool fits(const sparcl_ctx *ctx, double bytes) {
    const sparcl_device *device = sparcl_ctx_device(ctx);
    return bytes <= (double)device->max_allocation && 4 * bytes <= (double)device->memory;
}

/* A product with nnz entries; B has `inner` rows and the result `results`. way 1: with the
 * transpose. */
static sparcl_status time_product(measurement *m, int way, int64_t results, int64_t inner,
                                  int64_t nnz, int64_t n, double *seconds) {
    operands x = {0};
    sparcl_status status = SPARCL_OK;
    SPC_GO(create_matrix(m->ctx, &x, way ? inner : results, way ? results : inner, nnz));
    SPC_GO(create_dense(m->ctx, &x, &x.b, inner, n));
    SPC_GO(create_dense(m->ctx, &x, &x.c, results, n));
    if (way) {
        SPC_GO(sparcl_pattern_create(m->ctx, &x.pattern));
        SPC_GO(sparcl_pattern_build(m->ctx, x.pattern, &x.a));
    }
    SPC_GO(time_call(m, way ? by_columns : by_rows, &x, seconds));
done:
    free_operands(&x);
    return status;
}

/* A product whose result has many or few rows for its entries: its rows, those with entries (by the
 * Poisson distribution), and its seconds without the call. */
typedef struct rows_point {
    double rows, used, seconds;
} rows_point;

static sparcl_status time_rows(measurement *m, int way, int w, double per_row, rows_point *p) {
    const int64_t n = (int64_t)spc_plan_widths[w];
    const int64_t inner = spc_max_i64(1, (ROW_SET) / (4 * n));
    const int64_t bytes = fits(m->ctx, ROW_BYTES) ? ROW_BYTES : (ROW_BYTES) / 16;
    const int64_t nnz = spc_min_i64(ROW_NNZ, bytes / (8 * n));
    const int64_t rows = (int64_t)((double)nnz / per_row);
    double seconds = 0;
    SPC_TRY(time_product(m, way, rows, inner, nnz, n, &seconds));
    p->rows = (double)rows;
    p->used = (double)rows * (1 - exp(-per_row));
    p->seconds = fmax(seconds - way * m->c->call[0] - m->c->call[1], 0.02 * seconds);
    return SPARCL_OK;
}

/* The cost of a row of the result with entries, and of one without. Three matrices have the same
 * number of entries, with averages of 0.5, 2 and PER_ROW per row: seconds are used * row + (rows -
 * used) * empty, plus those of the entries, which are the same for all. */
static sparcl_status measure_rows(measurement *m, int way, int w) {
    rows_point few, some, many;
    SPC_TRY(time_rows(m, way, w, PER_ROW, &few));
    SPC_TRY(time_rows(m, way, w, 2, &some));
    SPC_TRY(time_rows(m, way, w, 0.5, &many));
    const double few_empty = few.rows - few.used;
    const double a = some.used - few.used, b = some.rows - some.used - few_empty;
    const double c = many.used - few.used, d = many.rows - many.used - few_empty;
    const double of_some = some.seconds - few.seconds, of_many = many.seconds - few.seconds;
    const double row = (of_some * d - of_many * b) / (a * d - b * c);
    const double empty = (of_many * a - of_some * c) / (a * d - b * c);
    const double maximum = many.seconds / many.rows;
    m->c->row[way][w] = fmin(fmax(row, 0.02 * maximum), some.seconds / some.used);
    m->c->empty[way][w] = fmin(fmax(empty, 0.02 * maximum), many.seconds / (many.rows - many.used));
    return SPARCL_OK;
}

/* A matrix with rows of LONG_ROW entries. B has as many rows as fill a working set, all of whose
 * cache lines are read. */
typedef struct point {
    int64_t results, inner, nnz, n;
    bool fits;
} point;

static point find_point(const sparcl_ctx *ctx, int w, int s) {
    point p = {.n = (int64_t)spc_plan_widths[w]};
    p.results = spc_min_i64(MAX_NNZ, (GATHERED) / (4 * p.n)) / LONG_ROW;
    p.nnz = p.results * LONG_ROW;
    const double line = fmax(4.0 * (double)p.n, 64);
    const double lines = fmin(spc_plan_sets[s] / line, (double)p.nnz);
    p.inner = spc_max_i64(1, (int64_t)lines * (int64_t)(line / (4.0 * (double)p.n)));
    p.fits = fits(ctx, 4.0 * (double)p.inner * (double)p.n) &&
             fits(ctx, 4.0 * (double)p.results * (double)p.n);
    return p;
}

/* The cost of an entry, from a product where those of the call and the rows are known. */
static sparcl_status time_entry(measurement *m, int way, const point *p, int w, double *entry) {
    double seconds = 0;
    SPC_TRY(time_product(m, way, p->results, p->inner, p->nnz, p->n, &seconds));
    const double rest =
        seconds - way * m->c->call[0] - m->c->call[1] - (double)p->results * m->c->row[way][w];
    *entry = fmax(rest, 0.02 * seconds) / (double)p->nnz;
    return SPARCL_OK;
}

static sparcl_status measure_entries(measurement *m, int w) {
    for (int s = 0; s < SPARCL_PLAN_WORKING_SETS; ++s) {
        const point p = find_point(m->ctx, w, s);
        if (p.fits)
            SPC_TRY(time_entry(m, 0, &p, w, &m->c->entry[w][s]));
        else
            m->c->entry[w][s] = m->c->entry[w][s > 0 ? s - 1 : 0];
    }
    return SPARCL_OK;
}

/* The ratio of the cost of an entry in the product with the transpose, whose pattern has stored A's
 * values in its own order: the geometric mean of some points. */
static sparcl_status measure_transposed(measurement *m, int w) {
    static const int sets[] = {1, 3, 5};
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < SPC_COUNT(sets); ++i) {
        const point p = find_point(m->ctx, w, sets[i]);
        double entry = 0;
        if (!p.fits) continue;
        SPC_TRY(time_entry(m, 1, &p, w, &entry));
        sum += log(entry / spc_plan_entry(m->c, (double)p.n, spc_plan_sets[sets[i]]));
        ++count;
    }
    m->c->transposed[w] = count > 0 ? exp(sum / count) : 1;
    return SPARCL_OK;
}

/* Two small products on all cores: the part that does not grow with the work is the cost of the
 * call. */
static sparcl_status measure_calls(measurement *m) {
    const int64_t small = SPC_PLAN_SHARED / PER_ROW, large = 8 * small;
    double one = 0, eight = 0;
    SPC_TRY(time_product(m, 0, 1, 1, 1, 1, &m->c->call[0]));
    SPC_TRY(time_product(m, 0, small, 512, small * PER_ROW, 16, &one));
    SPC_TRY(time_product(m, 0, large, 512, large * PER_ROW, 16, &eight));
    m->c->call[1] = fmax(m->c->call[0], one - (eight - one) / 7);
    return SPARCL_OK;
}

static sparcl_status measure_dense(measurement *m, int way, int w, int s) {
    const int64_t n = (int64_t)spc_plan_widths[w];
    /* Many columns do not wait for memory: a fraction of the largest matrix is enough. */
    const bool is_reduced =
        s == SPARCL_PLAN_SIZES - 1 && (n > 16 || !fits(m->ctx, spc_plan_dense[s]));
    const int64_t elements = (int64_t)spc_plan_dense[s] / (is_reduced ? 16 : 4);
    const int64_t cols = (int64_t)sqrt((double)elements), rows = cols; /* square */
    operands x = {0};
    sparcl_status status = SPARCL_OK;
    double seconds = 0;
    SPC_GO(create_dense(m->ctx, &x, &x.full, rows, cols));
    SPC_GO(create_dense(m->ctx, &x, &x.b, way ? rows : cols, n));
    SPC_GO(create_dense(m->ctx, &x, &x.c, way ? cols : rows, n));
    SPC_GO(time_call(m, way ? dense_t : dense, &x, &seconds));
    m->c->dense[way][w][s] = fmax(seconds - m->c->call[1], 0.02 * seconds) / (double)(rows * cols);
done:
    free_operands(&x);
    return status;
}

static sparcl_status measure_conversions(measurement *m) {
    const int64_t nnz = MAX_NNZ, rows = nnz / PER_ROW, cols = 1 << 16;
    operands x = {0};
    sparcl_status status = SPARCL_OK;
    double seconds = 0;
    SPC_GO(create_matrix(m->ctx, &x, rows, cols, nnz));
    SPC_GO(sparcl_pattern_create(m->ctx, &x.pattern));
    SPC_GO(time_call(m, make_pattern, &x, &seconds));
    m->c->pattern = seconds / (double)nnz;
    x.coo = (sparcl_coo){.rank = 2, .shape = {rows, cols}, .nnz = nnz};
    SPC_GO(create_zeros(m->ctx, &x, &x.coo.indices[0], nnz * 4));
    SPC_GO(create_zeros(m->ctx, &x, &x.coo.indices[1], nnz * 4));
    SPC_GO(create_zeros(m->ctx, &x, &x.coo.values, nnz * 4));
    SPC_GO(sparcl_csr_to_coo(m->ctx, &x.coo, &x.a));
    x.coo.proof.flags = SPARCL_TRUSTED | SPARCL_VALID | SPARCL_SORTED;
    x.back = (sparcl_csr){.rows = rows, .cols = cols, .nnz = nnz};
    SPC_GO(create_zeros(m->ctx, &x, &x.back.offsets, (rows + 1) * 4));
    SPC_GO(create_zeros(m->ctx, &x, &x.back.indices, nnz * 4));
    SPC_GO(create_zeros(m->ctx, &x, &x.back.values, nnz * 4));
    SPC_GO(time_call(m, convert, &x, &seconds));
    m->c->convert = seconds / (double)nnz;
done:
    free_operands(&x);
    return status;
}

static sparcl_status measure_all(measurement *m) {
    m->point = 0;
    SPC_TRY(measure_calls(m));
    for (int w = 0; w < SPARCL_PLAN_WIDTHS; ++w) {
        for (int way = 0; way < 2; ++way) {
            SPC_TRY(measure_rows(m, way, w));
            for (int s = 0; s < SPARCL_PLAN_SIZES; ++s)
                SPC_TRY(measure_dense(m, way, w, s));
        }
        SPC_TRY(measure_entries(m, w));
    }
    for (int w = 0; w < SPARCL_PLAN_WIDTHS; ++w) /* needs the entries of all widths */
        SPC_TRY(measure_transposed(m, w));
    return measure_conversions(m);
}

static sparcl_status measure(sparcl_ctx *ctx, sparcl_calibration *c) {
    const double start = spc_clock();
    measurement m = {.ctx = ctx, .c = c};
    for (int pass = 0; pass < PASSES; ++pass)
        SPC_TRY(measure_all(&m));
    c->seconds = spc_clock() - start;
    return SPARCL_OK;
}

sparcl_status sparcl_calibrate(sparcl_ctx *ctx, int force, sparcl_calibration *calibration) {
    if (!ctx) return SPARCL_E_ARG;
    if (!calibration) return spc_ctx_fail(ctx, SPARCL_E_ARG, "calibrate: calibration is NULL");
    if (!force && spc_fact_load(ctx, FACT, calibration, sizeof *calibration) &&
        spc_calibration_is_good(calibration))
        return SPARCL_OK;
    *calibration = (sparcl_calibration){0};
    const sparcl_status status = measure(ctx, calibration);
    if (status == SPARCL_OK)
        spc_fact_store(ctx, FACT, calibration, sizeof *calibration);
    else
        *calibration = (sparcl_calibration){0};
    return status;
}
