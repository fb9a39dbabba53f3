/* spec_catch_up.c: applying missed steps, in plain C. Variant: 0 SGD, 1 momentum; + 2 for all rows;
 * alpha: the learning rate; beta: l2. */
#include <math.h>

#include "sparcl/optim_text.h"
#include "spec/shared/harness_sparse.h"

#define MOMENTUM 0.9

static const int64_t widths[] = {1, 2, 3, 5, 8, 16, 17, 32, 64, 100, 128, 300};
static const int64_t sizes[][2] = {{0, 0}, {4, 0}, {1, 1}, {20, 9}, {300, 200}, {900, 700}};
static const int64_t steps[] = {1, 2, 3, 65, 1000, 70000};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int all = n_sizes * n_widths; /* first 4 variants without duplicates, then 2 with */
    const bool duplicates = i >= 4 * all;
    const int k = duplicates ? (i - 4 * all) / 2 : i / 4;
    if (k >= all) return false;
    static const double lr[] = {0.001, 0.1, 0.5, 0.01}, l2[] = {0.01, 1e-5, 0, 0.25, 1e-3};
    *c = (spec_case){.kind = duplicates ? SPEC_UNIFORM : SPEC_DIAGONAL,
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .n = widths[k % n_widths],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 3 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = lr[k % 4],
                     .beta = l2[i % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = duplicates ? i % 2 : i % 4};
    const int64_t step = steps[c->seed % (sizeof steps / sizeof steps[0])];
    c->subnormal = step >= 1000;
    if (step > 1000) c->alpha = lr[0]; /* else weights would become 0 */
    return true;
}

static sparcl_optim optim_of(const spec_case *c) {
    sparcl_optim o;
    sparcl_optim_init(&o, c->variant % 2 ? SPARCL_RULE_MOMENTUM : SPARCL_RULE_SGD);
    o.lr = c->alpha;
    o.momentum.factor = MOMENTUM;
    o.decay.weight = c->beta;
    o.step = steps[c->seed % (sizeof steps / sizeof steps[0])];
    return o;
}

/* One step with a gradient of l2 w, as a matrix on (b, w); without momentum only m[3] counts. */
typedef struct matrix {
    double m[4];
} matrix;

static matrix one_step(const spec_case *c) {
    const double lr = c->alpha, l2 = c->beta;
    if (c->variant % 2 == 0) return (matrix){{0, 0, 0, 1 - lr * l2}};
    return (matrix){{MOMENTUM, l2, -(lr * MOMENTUM), 1 - lr * l2}};
}

static matrix times(matrix a, matrix b) {
    return (matrix){{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
                     a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
}

typedef struct pair {
    double b, w;
} pair;

static pair apply(matrix m, pair x, sparcl_dtype dtype) {
    const double bb = spec_round(dtype, m.m[0] * x.b), bw = spec_round(dtype, m.m[1] * x.w);
    const double wb = spec_round(dtype, m.m[2] * x.b), ww = spec_round(dtype, m.m[3] * x.w);
    return (pair){spec_round(dtype, bb + bw), spec_round(dtype, wb + ww)};
}

static pair apply_factor(matrix m, pair x, sparcl_dtype dtype) {
    return (pair){x.b, spec_round(dtype, m.m[3] * x.w)};
}

static matrix map(matrix m, double (*f)(double)) {
    return (matrix){{f(m.m[0]), f(m.m[1]), f(m.m[2]), f(m.m[3])}};
}

static double narrow(double x) {
    return (float)x;
}

/* The rule of docs/numerics.md: the powers of the set bits of `missed`, from the lowest bit up. */
static pair order_of(const spec_case *c, matrix m, pair x, int64_t missed, pair *majorant,
                     int *bits) {
    *majorant = (pair){fabs(x.b), fabs(x.w)};
    for (*bits = 0; missed > 0; missed /= 2, m = times(m, m)) {
        if (missed % 2 == 0) continue;
        const matrix rounded = c->dtype == SPARCL_F32 ? map(m, narrow) : m;
        x = (c->variant % 2 ? apply : apply_factor)(rounded, x, c->dtype);
        *majorant = (c->variant % 2 ? apply : apply_factor)(map(m, fabs), *majorant, SPARCL_F64);
        ++*bits;
    }
    return x;
}

typedef struct state {
    spec_rowset from; /* the rows that catch up */
    bool is_all;
    int64_t *last;
    spec_answer want[2]; /* w, b */
    sparcl_optim optim;
    sparcl_rows rows;
    sparcl_dense view[2];
} state;

static int64_t ld_of(const spec_case *c) {
    return c->n + 3;
}

/* Every third row has missed almost all steps; some rows are up to date or ahead. */
static int64_t last_of(int64_t row, int64_t step, uint64_t *seed) {
    const int64_t any = (int64_t)(spec_random(seed) % (uint64_t)(step + 2));
    return row % 3 == 0 ? any % 4 : any;
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const int64_t count = c->rows * ld_of(c);
    uint64_t seed = c->seed;
    s->optim = optim_of(c);
    s->is_all = c->variant >= 2;
    s->from = spec_rowset_drawn(t, c->rows, c->nnz, 1, c->seed);
    /* ids across the table, not only the first ones */
    for (int64_t k = 0; k < s->from.stored && c->kind == SPEC_DIAGONAL; ++k)
        s->from.ids[k] = k * c->rows / s->from.stored;
    s->rows = spec_row_sparse(t, &s->from);
    s->rows.rank = 2;
    s->rows.shape[1] = 0;
    s->last = spec_int64s(t, c->rows);
    for (int64_t i = 0; i < c->rows; ++i)
        s->last[i] = last_of(i, s->optim.step, &seed);
    s->optim.lazy.last_steps = spec_ints_buf(t, s->last, c->rows, SPARCL_INDEX64);
    for (int i = 0; i < 2; ++i) {
        double *const x = spec_own(t, spec_numbers(count, c->seed + (uint64_t)i));
        s->want[i] = spec_answer_over(t, x, count);
        s->view[i] = spec_table(t, c->rows, c->n, ld_of(c), x);
    }
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    (void)number;
    return sparcl_catch_up(ctx, &s->optim, &s->view[0], &s->view[1], s->is_all ? NULL : &s->rows);
}

static void answer_row(state *s, const spec_case *c, int64_t row) {
    const int64_t done = optim_of(c).step - 1, missed = done - s->last[row];
    if (missed <= 0) return;
    const matrix m = one_step(c);
    matrix product = {{1, 0, 0, 1}};
    for (int64_t k = 0; k < missed; ++k)
        product = times(m, product);
    const double underflow = c->dtype == SPARCL_F32 ? ldexp(1, -140) : ldexp(1, -1060);
    s->last[row] = done;
    for (int64_t j = 0; j < c->n; ++j) {
        const int64_t at = row * ld_of(c) + j;
        const pair old = {s->want[1].order[at], s->want[0].order[at]};
        pair majorant, truth = apply(product, old, SPARCL_F64);
        int bits;
        const pair order = order_of(c, m, old, missed, &majorant, &bits);
        if (c->variant % 2 == 0) truth = apply_factor(product, old, SPARCL_F64);
        const double off =
            1.01 * (3 * bits * spec_unit(c->dtype) + 4 * (double)missed * spec_unit(SPARCL_F64));
        s->want[0].order[at] = order.w;
        s->want[0].truth[at] = truth.w;
        s->want[0].bound[at] = off * majorant.w + underflow;
        if (c->variant % 2 == 0) continue;
        s->want[1].order[at] = order.b;
        s->want[1].truth[at] = truth.b;
        s->want[1].bound[at] = off * majorant.b + underflow;
    }
}

static void answer(state *s, const spec_case *c) {
    if (c->variant >= 2)
        for (int64_t row = 0; row < c->rows; ++row)
            answer_row(s, c, row);
    else
        for (int64_t k = 0; k < s->from.stored; ++k)
            answer_row(s, c, s->from.ids[k]);
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    answer(s, c);
    spec_expect_ints(t, "last_steps", s->optim.lazy.last_steps, 0, SPARCL_INDEX64, s->last,
                     c->rows);
    for (int i = 0; i < 2; ++i) {
        spec_expect_answer(t, i ? "state" : "table", &s->view[i], &s->want[i]);
        t->report->zeros_expected = c->beta == 0; /* only momentum, which decays */
    }
}

const spec_op spec_catch_up = {.name = "catch_up",
                               .get_case = get_case,
                               .state_size = sizeof(state),
                               .make = make,
                               .call = call,
                               .expect = expect};
