/* spec_sum.c: the sum of the rows of a dense matrix in plain C. */
#include <math.h>

#include "spec/shared/harness.h"

/* More cases for sums that need several groups: more than 16384 elements, 512 rows. */
#define MORE 24

/* F16 and BF16: one launch and several, one column and several. */
#define HALVES 12

static bool get_half(int i, spec_case *c) {
    static const int64_t widths[] = {1, 37, 5};
    if (i >= HALVES) return false;
    *c = (spec_case){.rows = i < 6 ? 300 + i : 20000 + i,
                     .n = widths[i / 2 % 3],
                     .dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .alpha = i % 4 ? 1 : -0.5,
                     .beta = i % 3 ? 0 : 2,
                     .seed = (uint64_t)i + 7001};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {0, 1, 9, 255, 257, 1000, 70000, 513, 3000, 16384, 16385};
    static const int64_t widths[] = {1, 2, 5, 16, 37, 105};
    const int n_rows = small ? 6 : 11, more = i - n_rows * 6;
    if (more >= MORE) return get_half(more - MORE, c);
    *c = (spec_case){.rows = more < 0 ? rows[i / 6] : 520 + 27 * more,
                     .n = more < 0 ? widths[i % 6] : 40 - more,
                     .dtype = i % 4 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .alpha = i % 3 ? 1 : -0.5,
                     .beta = i % 5 ? 0 : 2,
                     .seed = (uint64_t)i + 5};
    return true;
}

typedef struct state {
    const double *x, *old;
    sparcl_dense in, out;
    double alpha, beta;
} state;

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->x = spec_drawn(t, c->rows * (c->n + 1), c->seed);
    s->old = spec_drawn(t, c->n, c->seed + 1);
    s->in = spec_dense(t, c->rows, c->n, c->n + 1, s->x);
    s->out = spec_vector(t, c->n, s->old);
    s->alpha = c->alpha;
    s->beta = c->beta;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    (void)number;
    return sparcl_sum_rows(ctx, &s->out, s->alpha, &s->in, s->beta);
}

static void answer(const spec_case *c, const double *x, const double *ones, double old,
                   double *order, double *truth, double *bound) {
    double exact = 0, magnitude = 0;
    for (int64_t i = 0; i < c->rows; ++i) {
        exact += x[i * (c->n + 1)];
        magnitude += fabs(x[i * (c->n + 1)]);
    }
    const double sum = spec_sum_products(c->dtype, ones, x, c->n + 1, c->rows, c->n == 1);
    const double product = spec_round(c->dtype, c->alpha * sum);
    *order = c->beta == 0 ? product
                          : spec_round(c->dtype, product + spec_round(c->dtype, c->beta * old));
    *truth = c->alpha * exact + c->beta * old;
    *bound = (spec_depth(c->rows, c->n == 1) + spec_depth_scaling(c->alpha, c->beta)) *
             spec_unit(c->dtype) * (fabs(c->alpha) * magnitude + fabs(c->beta * old)) *
             SPEC_SECOND_ORDER;
    spec_store_answer(c->dtype, order, *truth, bound);
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const s = t->state;
    double *const order = spec_reals(t, c->n), *const truth = spec_reals(t, c->n);
    double *const bound = spec_reals(t, c->n), *const ones = spec_reals(t, c->rows);
    for (int64_t i = 0; i < c->rows; ++i)
        ones[i] = 1;
    for (int64_t j = 0; j < c->n; ++j)
        answer(c, s->x + j, ones, s->old[j], &order[j], &truth[j], &bound[j]);
    t->report->zeros_expected = c->rows == 0;
    spec_expect_dense(t, "r", &s->out, order, truth, bound);
}

const spec_op spec_sum = {.name = "sum",
                          .get_case = get_case,
                          .state_size = sizeof(state),
                          .make = make,
                          .call = call,
                          .expect = expect};
