/* spec_dropout.c: dropout in plain C. Variant: 1 gaps between rows, 2 in place. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/layers/philox.h"

static const double rates[] = {0.1, 0.25, 0.4, 0, 0.5, 1, 0.9, 0.0625};

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {0, 1, 5, 64, 300, 2000}, widths[] = {1, 3, 17, 64, 105};
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_F32,
                                         SPARCL_BF16};
    const int n_rows = small ? 4 : 6;
    if (i >= n_rows * 5 * 8) return false;
    *c = (spec_case){.rows = rows[i / 40],
                     .n = widths[i / 8 % 5],
                     .dtype = types[i % 5],
                     .alpha = rates[i % 8],
                     .variant = i / 3 % 4,
                     .seed = (uint64_t)i + 71};
    return true;
}

/* Seeds and offsets with bits in both words. */
static uint64_t offset_of(const spec_case *c) {
    return c->seed % 3 ? c->seed * 0x9E3779B97F4A7C15 : 0;
}

static uint64_t key_of(const spec_case *c) {
    return c->seed % 2 ? c->seed * 0xD1B54A32D192ED03 : c->seed;
}

typedef struct state {
    const spec_case *c;
    int64_t ld, count;
    const double *x, *old; /* old: the result before the call, whose gaps stay */
    sparcl_dense x_view, y_view;
} state;

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const bool in_place = c->variant / 2;
    s->c = c;
    s->ld = c->n + (c->variant % 2 ? 3 : 0);
    s->count = c->rows * s->ld;
    s->x = spec_drawn(t, s->count, c->seed);
    s->old = in_place ? s->x : spec_drawn(t, s->count, c->seed + 1);
    s->x_view = spec_dense(t, c->rows, c->n, s->ld, s->x);
    s->y_view = in_place ? s->x_view : spec_dense(t, c->rows, c->n, s->ld, s->old);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    (void)number;
    return sparcl_dropout(ctx, &s->y_view, &s->x_view, s->c->alpha, key_of(s->c), offset_of(s->c));
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const s = t->state;
    const double p = c->alpha, scale = p < 1 ? spec_round(c->dtype, 1 / (1 - p)) : 0;
    double *const order = spec_copied(t, s->old, s->count);
    double *const truth = spec_copied(t, s->old, s->count), *const bound = spec_reals(t, s->count);
    for (int64_t e = 0; e < c->rows * c->n; ++e) {
        const int64_t at = e / c->n * s->ld + e % c->n;
        const bool keeps = p < 1 && (double)spec_dropout_word(e, key_of(c), offset_of(c)) >=
                                        floor(p * 0x1p32 + 0.5);
        const double value = keeps ? s->x[at] * scale : 0;
        order[at] = spec_store(c->dtype, spec_round(c->dtype, value));
        truth[at] = keeps ? s->x[at] / (1 - p) : 0;
        bound[at] =
            fabs(truth[at]) * (2 * spec_unit(c->dtype) + spec_store_unit(c->dtype)) * 1.001 +
            (c->dtype == SPARCL_F16 ? 0x1p-24 : 0);
    }
    t->report->zeros_expected = t->given || c->alpha > 0.4 || c->rows * c->n < 64;
    spec_expect_dense(t, "y", &s->y_view, order, truth, bound);
}

/* An array is read and one is written. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const double count = (double)t->c->rows * (double)t->c->n;
    (void)number;
    *flops = count;
    *bytes = 2 * (double)sparcl_dtype_size(t->c->dtype) * count;
}

extern const spec_op spec_dropout;
static const spec_bench timed[] = {
    {"dropout", "dropout of a dense array with the rows of A", SPEC_BENCH_WIDTHS,
     .op = &spec_dropout, .setting = {.alpha = 0.25}},
    {"dropout-gradient", "the gradient of dropout", SPEC_BENCH_WIDTHS, .op = &spec_dropout,
     .setting = {.alpha = 0.25, .seed = 7}},
    {0}};

const spec_op spec_dropout = {.name = "dropout",
                              .get_case = get_case,
                              .state_size = sizeof(state),
                              .make = make,
                              .call = call,
                              .expect = expect,
                              .work = work,
                              .timed = timed};
