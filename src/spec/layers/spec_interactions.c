/* spec_interactions.c: interactions of all pairs of entries of rows, and their gradient, in plain
 * C. Variant 0: interactions; 1: the gradient; 2: with a pattern. The sums are any numbers. */
#include <math.h>

#include "sparcl/ops/layers.h"
#include "sparcl/ops/products.h"
#include "spec/shared/harness_sparse.h"
#include "spec/shared/stored.h"

/* Rows, columns and entries. */
static const int64_t sizes[][3] = {{0, 4, 0},     {3, 3, 0},     {1, 1, 1},       {9, 4, 20},
                                   {37, 23, 200}, {300, 9, 900}, {400, 300, 5000}};
static const int64_t widths[] = {1, 3, 8, 16, 21, 64};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_widths = (int)(sizeof widths / sizeof *widths);
    const int n_sizes = (int)(sizeof sizes / sizeof *sizes) - (small ? 1 : 0);
    const int at = i / 3;
    if (at >= n_widths * n_sizes) return false;
    const int64_t *const size = sizes[at / n_widths];
    *c = (spec_case){.kind = (spec_kind)(at % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[at % n_widths],
                     .dtype = at % 4 == 1 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = at % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = at % 3 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = i % 3,
                     .seed = (uint64_t)at + 57};
    return true;
}

typedef struct state {
    const spec_case *c;
    spec_matrix a, t;
    int64_t count; /* of results: z, or the rows of all columns */
    const double *b, *sums, *g;
    double *weighted;
    spec_answer answer;
    sparcl_csr a_view;
    sparcl_dense b_view, sums_view, g_view, z;
    sparcl_rows rows;
    sparcl_pattern *pattern;
} state;

#define R(x) spec_round(c->dtype, x)

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->c = c;
    s->a = spec_matrix_of(t, c->nnz, c->seed);
    spec_make_storable(c->dtype, s->a.values, s->a.nnz);
    s->t = spec_transposed(t, &s->a);
    s->count = c->variant == 0 ? c->rows : c->cols * c->n;
    s->b = spec_drawn(t, c->cols * c->n, c->seed + 1);
    s->sums = spec_drawn(t, c->rows * c->n, c->seed + 2);
    s->g = spec_drawn(t, c->rows, c->seed + 3);
    s->weighted = spec_reals(t, c->rows * c->n);
    for (int64_t k = 0; k < c->rows * c->n; ++k)
        s->weighted[k] = R(s->sums[k] * s->g[k / c->n]);
    s->a_view = spec_csr(t, &s->a);
    s->b_view = spec_dense(t, c->cols, c->n, c->n, s->b);
    s->sums_view = spec_dense(t, c->rows, c->n, c->n, s->sums);
    s->z = spec_vector(t, c->rows, s->g);
    if (c->variant == 0) return;
    s->g_view = spec_vector(t, c->rows, s->g);
    s->rows = spec_rows_result(t, c->cols, c->n, c->cols < s->a.nnz ? c->cols : s->a.nnz);
    if (c->variant == 2) s->pattern = spec_pattern(t, &s->a_view);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return s->c->variant == 0
               ? sparcl_interactions(ctx, &s->z, &s->a_view, &s->b_view, &s->sums_view)
               : sparcl_interactions_rows(ctx, &s->rows, &s->a_view, &s->b_view, &s->sums_view,
                                          &s->g_view, s->pattern);
}

static void answer_row(const state *s, int64_t i) {
    const spec_case *const c = s->c;
    const int64_t begin = s->a.offsets[i], end = s->a.offsets[i + 1];
    double sum = 0, exact = 0, magnitude = 0;
    for (int64_t j = 0; j < c->n; ++j) {
        const double all = s->sums[i * c->n + j];
        double own = 0;
        for (int64_t p = begin; p < end; ++p) {
            const double product = s->a.values[p] * s->b[s->a.indices[p] * c->n + j];
            const double term = R(product);
            own = R(own + R(term * term));
            exact -= product * product;
            magnitude += product * product;
        }
        sum = R(sum + R(R(all * all) - own));
        exact += all * all;
        magnitude += all * all;
    }
    s->answer.order[i] = R(0.5 * sum);
    s->answer.truth[i] = exact / 2;
    s->answer.bound[i] = (double)(end - begin + c->n + 5) * spec_unit(c->dtype) * magnitude +
                         spec_smallest(c->dtype) * (double)((end - begin + 1) * c->n + 2);
}

/* The row of the gradient for a column, whose entries are a row of the transpose; `gathered` has
 * room for them. */
static void answer_column(const state *s, int64_t u, double *gathered) {
    const spec_case *const c = s->c;
    const int64_t begin = s->t.offsets[u], length = s->t.offsets[u + 1] - begin;
    double factor = 0, exact = 0, size = 0;
    for (int64_t k = 0; k < length; ++k) {
        const double x = s->t.values[begin + k], g = s->g[s->t.indices[begin + k]];
        factor = R(factor + R(R(x * x) * g));
        exact += x * x * g;
        size += fabs(x * x * g);
    }
    for (int64_t j = 0; j < c->n; ++j) {
        const int64_t at = u * c->n + j;
        double sum = 0, magnitude = fabs(s->b[at]) * size;
        for (int64_t k = 0; k < length; ++k) {
            const int64_t row = s->t.indices[begin + k];
            gathered[k] = s->weighted[row * c->n + j];
            const double term = s->t.values[begin + k] * s->sums[row * c->n + j] * s->g[row];
            sum += term;
            magnitude += fabs(term);
        }
        const double first =
            spec_sum_products(c->dtype, s->t.values + begin, gathered, 1, length, c->n == 1);
        s->answer.order[at] = R(first - R(factor * s->b[at]));
        s->answer.truth[at] = sum - exact * s->b[at];
        s->answer.bound[at] = (double)(length + 6) * 2 * spec_unit(c->dtype) * magnitude +
                              spec_smallest(c->dtype) * (double)(length + 2) * 4;
    }
}

static void expect(spec_test *t) {
    state *const s = t->state;
    double *const gathered = spec_reals(t, s->a.nnz);
    s->answer = spec_answer_room(t, s->count);
    t->report->zeros_expected = true; /* columns without entries */
    if (t->c->variant == 0) {
        for (int64_t i = 0; i < s->a.rows; ++i)
            answer_row(s, i);
        spec_expect_dense(t, "result", &s->z, s->answer.order, s->answer.truth, s->answer.bound);
        return;
    }
    for (int64_t u = 0; u < s->a.cols; ++u)
        answer_column(s, u, gathered);
    spec_compare(t->report, "result", spec_rows_dense(t, &s->rows, 0), s->answer.order,
                 s->answer.truth, s->answer.bound, s->count);
}

const spec_op spec_interactions = {.name = "interactions",
                                   .get_case = get_case,
                                   .state_size = sizeof(state),
                                   .make = make,
                                   .call = call,
                                   .expect = expect};
