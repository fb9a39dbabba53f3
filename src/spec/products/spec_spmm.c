/* spec_spmm.c: C := alpha * A * B + beta * C in plain C. */
#include <math.h>
#include <stdlib.h>

#include "spec/bench/bench.h"
#include "spec/shared/stored.h"

static const int64_t widths[] = {1, 2, 3, 5, 8, 17, 32, 64, 100, 128, 300};

/* Sizes: rows, cols, nnz. The last ones test partitions that begin and end inside of rows. */
static const int64_t sizes[][3] = {{0, 0, 0},      {0, 5, 0},      {4, 0, 0},       {3, 3, 0},
                                   {1, 1, 1},      {1, 7, 5},      {9, 4, 20},      {37, 23, 200},
                                   {5, 300, 1500}, {700, 50, 900}, {300, 200, 6000}};

/* F16 and BF16: all widths, with rows of several blocks, which several partitions share. */
#define HALVES 22

static bool get_half(int i, spec_case *c) {
    static const int64_t shapes[][3] = {{37, 23, 200}, {9, 300, 2500}, {120, 50, 900}};
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_ONE_ROW, SPEC_RAGGED, SPEC_DUPLICATE};
    const int64_t *const shape = shapes[i % 3];
    if (i >= HALVES) return false;
    *c = (spec_case){.kind = kinds[i / 2 % 4],
                     .rows = shape[0],
                     .cols = shape[1],
                     .nnz = shape[2],
                     .n = widths[i / 2 % 11],
                     .dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .alpha = i % 5 ? 1 : -0.5,
                     .beta = i % 3 && kinds[i / 2 % 4] == SPEC_UNIFORM ? 0 : 0.25,
                     .seed = (uint64_t)i + 7001};
    return true;
}

/* B has few rows, each read at least nine times; some rows of A are longer than a block. */
#define MORE 36

static bool get_more(int i, spec_case *c) {
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_ONE_ROW, SPEC_DUPLICATE};
    const int64_t cols = 28 + i % 24;
    if (i >= MORE) return get_half(i - MORE, c);
    *c = (spec_case){.kind = kinds[i % 3],
                     .rows = 20 + i * 7 % 50,
                     .cols = cols,
                     .nnz = cols * (9 + i % 11),
                     .n = i % 4 == 3 ? 1 + i % 17 : 100 + i * 13 % 200,
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 7 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 11 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = i % 2 ? 1 : -0.5,
                     .beta = i % 3 == 1 || i % 2 ? 0.25 : 0,
                     .seed = (uint64_t)i + 5001};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int total = n_sizes * n_widths;
    if (i >= total) return get_more(i - total, c);
    const int64_t *size = sizes[i / n_widths];
    static const double alphas[] = {1, 1, -0.5, 2.5}, betas[] = {0, 1, 0.25, 0};
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i % n_widths],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = alphas[i % 4],
                     .beta = betas[i / 2 % 4],
                     .seed = (uint64_t)i + 1};
    if (c->kind == SPEC_ONE_ROW && c->rows > 1 && c->beta == 0)
        c->beta = 0.25; /* otherwise the other rows of C would be 0 */
    return true;
}

enum { BAG = 1 }; /* variant of a measurement: the values of A are 1 */

typedef struct state {
    spec_matrix a;
    const double *b, *c; /* C before the call */
    sparcl_csr a_view;
    sparcl_dense b_view, c_view;
    double alpha, beta;
} state;

/* B and C have a leading dimension of n + 3: the gaps between rows must stay unchanged. */
static int64_t ld_of(const spec_test *t) {
    return t->given ? t->c->n : t->c->n + 3;
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const int64_t ld = ld_of(t);
    s->a = spec_matrix_of(t, c->nnz, c->seed);
    spec_make_storable(c->dtype, s->a.values, s->a.nnz);
    for (int64_t k = 0; c->variant == BAG && k < s->a.nnz; ++k)
        s->a.values[k] = 1;
    s->b = spec_drawn(t, c->cols * ld, c->seed + 1);
    double *const old = spec_drawn(t, c->rows * ld, c->seed + 2);
    for (int64_t i = 0; c->beta == 0 && i < c->rows * ld; ++i)
        if (i % ld < c->n) old[i] = NAN; /* C is not read where beta is 0 */
    s->c = old;
    s->alpha = c->alpha;
    s->beta = c->beta;
    s->a_view = spec_csr(t, &s->a);
    s->b_view = spec_dense(t, c->cols, c->n, ld, s->b);
    s->c_view = spec_dense(t, c->rows, c->n, ld, s->c);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    (void)number;
    return sparcl_spmm(ctx, &s->c_view, s->alpha, &s->a_view, &s->b_view, s->beta);
}

/* One element of C: the sum by rule S, and the sum in double with the bound of docs/numerics.md. */
static void answer(const spec_case *c, const double *values, const double *terms, int64_t length,
                   double old, double *order, double *truth, double *bound) {
    double exact = 0, magnitude = 0;
    for (int64_t k = 0; k < length; ++k) {
        exact += values[k] * terms[k];
        magnitude += fabs(values[k] * terms[k]);
    }
    const double sum = spec_sum_products(c->dtype, values, terms, 1, length, c->n == 1);
    const double product = spec_round(c->dtype, c->alpha * sum);
    if (c->beta == 0) old = 0; /* C may hold NaN, and is not read */
    *order = c->beta == 0 ? product
                          : spec_round(c->dtype, product + spec_round(c->dtype, c->beta * old));
    *truth = c->alpha * exact + c->beta * old;
    *bound = (spec_depth(length, c->n == 1) + spec_depth_scaling(c->alpha, c->beta)) *
             spec_unit(c->dtype) * (fabs(c->alpha) * magnitude + fabs(c->beta * old)) *
             SPEC_SECOND_ORDER;
    spec_store_answer(c->dtype, order, *truth, bound);
}

bool spec_product(const spec_case *c, const spec_matrix *a, const double *b, int64_t ldb,
                  const double *old, int64_t ldc, double *order, double *truth, double *bound) {
    double *terms = malloc((size_t)(a->nnz + 1) * sizeof *terms);
    for (int64_t row = 0; terms && row < a->rows; ++row) {
        const int64_t begin = a->offsets[row], length = a->offsets[row + 1] - begin;
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t at = row * ldc + j;
            for (int64_t k = 0; k < length; ++k)
                terms[k] = b[a->indices[begin + k] * ldb + j];
            answer(c, a->values + begin, terms, length, old[at], &order[at], &truth[at],
                   &bound[at]);
        }
    }
    free(terms);
    return terms != NULL;
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const s = t->state;
    const int64_t ld = ld_of(t), count = c->rows * ld;
    double *const order = spec_drawn(t, count, c->seed + 2);
    double *const truth = spec_drawn(t, count, c->seed + 2), *const bound = spec_reals(t, count);
    spec_need(t, spec_product(c, &s->a, s->b, ld, s->c, ld, order, truth, bound) ? SPARCL_OK
                                                                                 : SPARCL_E_MEMORY);
    t->report->zeros_expected = t->given || c->nnz == 0;
    spec_expect_dense(t, "C", &s->c_view, order, truth, bound);
}

/* Of a bag: ids and offsets, a row of the table for each id, and the sums. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double n = (double)t->c->n, entries = (double)s->a.nnz;
    const double size = (double)sparcl_dtype_size(t->c->dtype);
    const bool bag = t->c->variant == BAG;
    (void)number;
    *flops = (bag ? 1 : 2) * entries * n;
    *bytes = spec_csr_bytes(&s->a_view) - (bag ? size * entries : 0) +
             size * n * (double)(bag ? s->a.nnz : spec_columns_used(&s->a)) +
             size * n * (double)s->a.rows;
}

extern const spec_op spec_spmm;
static const spec_bench timed[] = {
    {"spmm", "C := A B", SPEC_BENCH_WIDTHS, .op = &spec_spmm, .setting = {.alpha = 1}},
    {"spmm-f16", "C := A B in F16", SPEC_BENCH_WIDTHS, .op = &spec_spmm,
     .setting = {.alpha = 1, .dtype = SPARCL_F16}},
    {"spmm-bf16", "C := A B in BF16", SPEC_BENCH_WIDTHS, .op = &spec_spmm,
     .setting = {.alpha = 1, .dtype = SPARCL_BF16}},
    {"bag", "the sum of a table's rows for each bag of ids", SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER,
     .op = &spec_spmm, .setting = {.alpha = 1, .variant = BAG}},
    {0}};

const spec_op spec_spmm = {.name = "spmm",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect,
                           .work = work,
                           .timed = timed};
