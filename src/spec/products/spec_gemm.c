/* spec_gemm.c: dense products in plain C. Variant: 1 for the transpose of A, + 2 for that of B. */
#include <math.h>

#include "spec/shared/harness.h"

/* Sizes m, n, k: around tile and vector sizes, and around blocks of 256. */
static const int64_t sizes[][3] = {
    {0, 3, 3},     {3, 0, 3},       {3, 3, 0},     {4, 1, 0},    {1, 1, 1},      {1, 7, 5},
    {5, 1, 9},     {16, 1, 8},      {33, 1, 300},  {2, 2, 2},    {3, 5, 255},    {7, 33, 257},
    {17, 16, 20},  {64, 64, 16},    {65, 63, 33},  {4, 32, 256}, {37, 100, 515}, {9, 300, 70},
    {300, 8, 100}, {130, 128, 700}, {700, 1, 2000}};
#define SMALL_SIZES 15

/* F16 and BF16: all transpositions, one column and several, several blocks. */
#define HALVES 16

static bool get_half(int i, spec_case *c) {
    if (i >= HALVES) return false;
    *c = (spec_case){.rows = 2 + i * 23 % 80,
                     .n = i / 8 ? 1 : 3 + i * 11 % 64,
                     .cols = 40 + i * 67 % 500,
                     .dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .alpha = i % 5 ? 1 : -0.5,
                     .beta = i % 3 ? 0 : 0.5,
                     .seed = (uint64_t)i + 7001,
                     .variant = i / 2 % 4};
    return true;
}

/* Other shapes, alternately with one and several columns, cycling through all transpositions. */
static bool get_more(int i, spec_case *c) {
    if (i >= 56) return get_half(i - 56, c);
    *c = (spec_case){.rows = 1 + i * 11 % 90,
                     .n = i % 2 ? 1 : 2 + i * 5 % 70,
                     .cols = 1 + i * 37 % 300,
                     .dtype = i % 7 == 5 ? SPARCL_F64 : SPARCL_F32,
                     .alpha = 1,
                     .beta = i % 3 ? 0 : 0.5,
                     .seed = (uint64_t)i + 1001,
                     .variant = i / 2 % 4};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = small ? SMALL_SIZES : (int)(sizeof sizes / sizeof sizes[0]);
    const int variants = small ? 4 : 8, size = i / variants, variant = i % variants;
    const int more = i - n_sizes * variants;
    static const double alphas[] = {1, -0.5, 1, 2.5, 0}, betas[] = {0, 1, 0.25};
    if (more >= 0) return get_more(more, c);
    *c = (spec_case){.rows = sizes[size][0],
                     .n = sizes[size][1],
                     .cols = sizes[size][2],
                     .dtype = variant >= 4 || (small && size % 5 == 3) ? SPARCL_F64 : SPARCL_F32,
                     .alpha = alphas[i % 5],
                     .beta = betas[i % 3],
                     .seed = (uint64_t)i + 1,
                     .variant = variant % 4};
    if (c->alpha == 0) c->beta = 1; /* else C would be 0 */
    return true;
}

/* A dense matrix with gaps between its rows, which must stay unchanged. */
typedef struct matrix {
    const double *x;
    int64_t ld;
    sparcl_dense view;
} matrix;

typedef struct state {
    const spec_case *c;
    matrix a, b, to; /* C before the call */
} state;

static matrix put_matrix(spec_test *t, int64_t rows, int64_t cols, const double *x) {
    return (matrix){x, cols + 3, spec_dense(t, rows, cols, cols + 3, x)};
}

static matrix draw_matrix(spec_test *t, int64_t rows, int64_t cols, uint64_t seed) {
    return put_matrix(t, rows, cols, spec_drawn(t, rows * (cols + 3), seed));
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const int64_t m = c->rows, n = c->n, k = c->cols, ld = n + 3;
    const bool ta = c->variant & 1, tb = c->variant & 2;
    double *const old = spec_drawn(t, m * ld, c->seed + 2);
    for (int64_t i = 0; c->beta == 0 && i < m * ld; ++i)
        if (i % ld < n) old[i] = NAN; /* C is not read where beta is 0 */
    s->c = c;
    s->a = draw_matrix(t, ta ? k : m, ta ? m : k, c->seed);
    s->b = draw_matrix(t, tb ? n : k, tb ? k : n, c->seed + 1);
    s->to = put_matrix(t, m, n, old);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    const spec_case *const c = s->c;
    (void)number;
    return sparcl_gemm(ctx, &s->to.view, c->alpha, c->variant & 1 ? SPARCL_OP_T : SPARCL_OP_N,
                       &s->a.view, c->variant & 2 ? SPARCL_OP_T : SPARCL_OP_N, &s->b.view, c->beta,
                       SPARCL_MATH_EXACT);
}

/* Element (i, j) of the result; `row` has room for a row of A. */
static void answer(const state *s, int64_t i, int64_t j, double *row, const spec_answer *to) {
    const spec_case *const c = s->c;
    const bool ta = c->variant & 1, tb = c->variant & 2;
    const int64_t b_step = tb ? 1 : s->b.ld, at = i * s->to.ld + j;
    const double *const column = s->b.x + (tb ? j * s->b.ld : j);
    double exact = 0, magnitude = 0;
    for (int64_t k = 0; k < c->cols; ++k) {
        row[k] = ta ? s->a.x[k * s->a.ld + i] : s->a.x[i * s->a.ld + k];
        exact += row[k] * column[k * b_step];
        magnitude += fabs(row[k] * column[k * b_step]);
    }
    const double sum = spec_sum_products(c->dtype, row, column, b_step, c->cols, c->n == 1);
    const double old = c->beta == 0 ? 0 : s->to.x[at];
    const double product = spec_round(c->dtype, c->alpha * sum);
    to->order[at] = c->beta == 0
                        ? product
                        : spec_round(c->dtype, product + spec_round(c->dtype, c->beta * old));
    to->truth[at] = c->alpha * exact + c->beta * old;
    to->bound[at] = (spec_depth(c->cols, c->n == 1) + spec_depth_scaling(c->alpha, c->beta)) *
                    spec_unit(c->dtype) * (fabs(c->alpha) * magnitude + fabs(c->beta * old)) *
                    SPEC_SECOND_ORDER;
    spec_store_answer(c->dtype, &to->order[at], to->truth[at], &to->bound[at]);
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const s = t->state;
    const int64_t count = c->rows * s->to.ld;
    const spec_answer to = {spec_drawn(t, count, c->seed + 2), spec_drawn(t, count, c->seed + 2),
                            spec_reals(t, count)};
    double *const row = spec_reals(t, c->cols);
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j)
            answer(s, i, j, row, &to);
    spec_expect_dense(t, "C", &s->to.view, to.order, to.truth, to.bound);
}

const spec_op spec_gemm = {.name = "gemm",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect};
