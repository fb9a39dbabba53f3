/* spec_topk.c: the k largest elements of each row, in plain C. n: k; variant: by magnitude. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

/* Rows, columns, k. */
static const int64_t sizes[][3] = {
    {0, 0, 0},    {0, 5, 2},   {4, 0, 3},    {3, 4, 0},    {1, 1, 1},     {5, 7, 9},     {9, 63, 5},
    {17, 64, 64}, {3, 129, 1}, {20, 300, 7}, {6, 700, 30}, {2, 900, 450}, {300, 500, 12}};
#define N_SIZES     (int)(sizeof sizes / sizeof sizes[0])
#define SMALL_SIZES 10
#define K           32 /* of a measurement */
/* UNIFORM: all different; RAGGED: five numbers; ONE_ROW: ascending; ONE_COL: descending; DUPLICATE:
 * equal, but for a NaN, infinities and zeros of both signs; DIAGONAL: numbers near to one another.
 */

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F16, SPARCL_F64, SPARCL_BF16};
    const int kinds = (int)SPEC_KINDS, size = i / kinds;
    if (size >= (small ? SMALL_SIZES : N_SIZES)) return false;
    *c = (spec_case){.kind = (spec_kind)(i % kinds),
                     .rows = sizes[size][0],
                     .cols = sizes[size][1],
                     .n = sizes[size][2],
                     .dtype = types[(i + size) % 4],
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 5 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 1,
                     .variant = i / 2 % 2};
    return true;
}

static double pick(const spec_case *c, int64_t i, int64_t j, uint64_t *seed) {
    static const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
    const double x = spec_uniform(seed);
    switch (c->kind) {
    case SPEC_RAGGED:
        return trunc(x * 3) / 4;
    case SPEC_ONE_ROW:
        return (double)(j - 50) / 8;
    case SPEC_ONE_COL:
        return (double)(50 - j) / 8;
    case SPEC_DUPLICATE:
        return spec_random(seed) % 8 ? 0.5 : special[spec_random(seed) % 5];
    case SPEC_DIAGONAL:
        return ((double)i - 2) * 0.25 + x * 0x1p-12;
    default:
        return x;
    }
}

static double key_of(const spec_case *c, double x) {
    return c->variant ? fabs(x) : x;
}

/* Does element a of a row come before b? */
static bool is_better(const spec_case *c, const double *row, int64_t a, int64_t b) {
    const double x = key_of(c, row[a]), y = key_of(c, row[b]);
    if (isnan(x) || isnan(y)) return isnan(x) && (!isnan(y) || a < b);
    return x > y || (x == y && a < b);
}

typedef struct state {
    const double *x;
    int64_t k; /* of each row; `most` of the call may be more than a row has */
    int64_t most;
    sparcl_topk how;
    sparcl_dense from;
    sparcl_csr to;
} state;

/* Of a measurement: random numbers. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const int64_t ld = c->cols + (int64_t)c->seed % 3;
    double *const x = spec_reals(t, c->rows * ld);
    uint64_t seed = c->seed;
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t j = 0; j < ld; ++j)
            x[i * ld + j] = spec_store(c->dtype, j >= c->cols ? 1e4
                                                 : t->given   ? spec_uniform(&seed)
                                                              : pick(c, i, j, &seed));
    s->x = x;
    s->most = t->given ? K : c->n;
    s->k = s->most < c->cols ? s->most : c->cols;
    s->how = c->variant ? SPARCL_TOPK_MAGNITUDE : SPARCL_TOPK_VALUE;
    s->from = spec_dense(t, c->rows, c->cols, ld, x);
    s->to = spec_csr_result(t, c->rows, c->cols, c->rows * s->k);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return sparcl_topk_rows(ctx, &s->to, &s->from, s->most, s->how);
}

/* The best k positions of a row, ascending: a list of the best ones so far, best first. */
static void select(const spec_case *c, const double *row, int64_t k, int64_t *best) {
    int64_t found = 0;
    for (int64_t j = 0; j < c->cols && k > 0; ++j) {
        if (found == k && !is_better(c, row, j, best[k - 1])) continue;
        int64_t at = found < k ? found++ : k - 1;
        for (; at > 0 && is_better(c, row, j, best[at - 1]); --at)
            best[at] = best[at - 1];
        best[at] = j;
    }
    spec_sort_ints(best, k);
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const s = t->state;
    spec_matrix want = spec_matrix_room(t, c->rows, c->cols, c->rows * s->k);
    for (int64_t i = 0; i < c->rows; ++i) {
        int64_t *const cols = want.indices + i * s->k;
        select(c, s->x + i * s->from.ld, s->k, cols);
        for (int64_t l = 0; l < s->k; ++l)
            want.values[i * s->k + l] = s->x[i * s->from.ld + cols[l]];
        want.offsets[i + 1] = (i + 1) * s->k;
    }
    t->report->zeros_expected = true;
    spec_expect_csr(t, &s->to, &want);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double entry = 4 + (double)sparcl_itype_size(s->to.index_type);
    (void)number;
    *flops = 0;
    *bytes = 4 * (double)t->c->rows * (double)t->c->cols + entry * (double)s->to.nnz;
}

extern const spec_op spec_topk;
static const spec_bench timed[] = {
    {"topk", "the 32 largest elements of each row of a dense matrix", .op = &spec_topk}, {0}};

const spec_op spec_topk = {.name = "topk",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect,
                           .work = work,
                           .timed = timed};
