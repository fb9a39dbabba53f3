/* spec_unary.c: functions of one number, and their gradients, in plain C. Variant: the function
 * (the last one is clip to [-1.5, 2]); + 30 for results in place of x and of gy; + 60 for gaps
 * between the rows, with NaN, infinities, zeros and halves; + 90 for x far from 0 and near 0. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/elements/unary_answer.h"

enum { CLIP = SPEC_UNARY_CLIP, FUNCTIONS, PLAIN = 0, IN_PLACE, GAPS, FAR };

#define LOW  SPEC_UNARY_LOW
#define HIGH SPEC_UNARY_HIGH

static int function_of(const spec_case *c) {
    return c->variant % FUNCTIONS;
}
static int mode_of(const spec_case *c) {
    return c->variant / FUNCTIONS;
}

/* Each function in each mode; sizes and types change from case to case. */
static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {129, 7, 1000, 1, 0}, widths[] = {3, 17, 1, 64, 105};
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int turns = small ? 4 : 12, turn = i / (FUNCTIONS * 4);
    if (turn >= turns) return false;
    *c = (spec_case){.rows = rows[(i / 3 + turn) % (small ? 2 : 5)],
                     .n = widths[(i + turn) % 5],
                     .dtype = types[turn % 4],
                     .variant = i % (FUNCTIONS * 4),
                     .seed = (uint64_t)i + 60};
    c->subnormal = mode_of(c) == FAR;
    return true;
}

typedef struct state {
    int function;
    bool in_place;
    int64_t rows, n, ld, count;    /* count: with the gaps of all arrays */
    const double *x, *gy, *before; /* before: y, then gx */
    sparcl_dense x_view, gy_view, y, gx, of_csr, of_rows;
    sparcl_csr csr; /* with the values x, as `stored` */
    sparcl_rows stored;
} state;

/* --- operands --------------------------------------------------------------------------------- */

/* Where a function is defined. */
static double inside(int function, double x) {
    switch (function) {
    case SPARCL_UNARY_ARCSIN:
    case SPARCL_UNARY_ARCTANH:
        return x / 4;
    case SPARCL_UNARY_SQRT:
    case SPARCL_UNARY_LOG:
    case SPARCL_UNARY_RSQRT:
        return fabs(x);
    case SPARCL_UNARY_LOG1P:
        return x < 0 ? x / 4 : x;
    default:
        return x;
    }
}

/* Up to 4, or of all sizes. */
static double number(const spec_case *c, int64_t i, double x) {
    static const double special[] = {NAN,  -0.0, 0,    INFINITY, -INFINITY, 0.5,
                                     -0.5, 1.5,  -2.5, 1,        -1,        0.49999997f};
    const bool wide = c->dtype == SPARCL_F64, is_far = mode_of(c) == FAR;
    const double near = ldexp(4, -(int)(wide ? i * 7 % 1080 : i % 150));
    const double far = ldexp(4, (int)(wide ? i * 7 % 500 : c->dtype == SPARCL_F16 ? 10 : i % 58));
    if (mode_of(c) == GAPS && i % 7 == 3) return spec_store(c->dtype, special[i / 7 % 12]);
    x = fabs(x) * (is_far ? i % 2 ? far : near : 4) * (i % 3 == 1 ? -1 : 1);
    return spec_store(c->dtype, inside(function_of(c), x));
}

static sparcl_dense put_numbers(spec_test *t, const state *s, const double *x) {
    return t->given ? spec_vector(t, s->count, x) : spec_dense(t, s->rows, s->n, s->ld, x);
}

/* The same function of the values of a CSR matrix with one row, and of a row-sparse array, whose
 * indices are not read. */
static void make_sparse(spec_test *t, state *s) {
    const int64_t count = s->count + s->rows + 2;
    sparcl_buf *const indices = spec_ints_buf(t, spec_int64s(t, count), count, SPARCL_INDEX32);
    s->csr = (sparcl_csr){.rows = 1,
                          .cols = s->count,
                          .nnz = s->count,
                          .dtype = t->c->dtype,
                          .offsets = indices,
                          .indices = indices,
                          .values = s->x_view.values,
                          .values_at = s->x_view.values_at};
    s->stored = (sparcl_rows){.rank = 2,
                              .dtype = t->c->dtype,
                              .shape = {s->rows, s->n},
                              .nnr = s->rows,
                              .indices = indices,
                              .values = s->x_view.values,
                              .values_at = s->x_view.values_at};
    s->of_csr = spec_vector(t, s->count, s->gy);
    s->of_rows = spec_dense(t, s->rows, s->n, s->n, s->gy);
}

static void make_numbers(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    double *const x = spec_own(t, spec_numbers(s->count, c->seed));
    for (int64_t i = 0; i < s->count; ++i)
        x[i] = number(c, i, x[i]);
    s->x = x;
    s->gy = spec_drawn(t, s->count, c->seed + 1);
    s->before = spec_drawn(t, 2 * s->count, c->seed + 2);
}

/* In place, y is f of its own elements, which are those of x, and gx replaces gy. Of a measurement:
 * a number for each entry. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->function = function_of(c);
    s->in_place = mode_of(c) == IN_PLACE;
    s->rows = t->given ? t->given->nnz : c->rows;
    s->n = c->n;
    s->ld = c->n + (mode_of(c) == GAPS ? 2 : 0);
    s->count = s->rows * s->ld;
    make_numbers(t, s);
    s->x_view = put_numbers(t, s, s->x);
    s->gy_view = put_numbers(t, s, s->gy);
    s->y = put_numbers(t, s, s->in_place ? s->x : s->before);
    s->gx = s->in_place ? s->gy_view : put_numbers(t, s, s->before + s->count);
    t->calls = 2;
    if (mode_of(c) != PLAIN || t->given ||
        (s->function != CLIP && !sparcl_unary_keeps_zero((sparcl_unary_op)s->function)))
        return;
    make_sparse(t, s);
    t->calls = 4;
}

/* --- calls ------------------------------------------------------------------------------------ */

static sparcl_status call_clip(sparcl_ctx *ctx, const state *s, int number) {
    switch (number) {
    case 0:
        return sparcl_clip(ctx, &s->y, s->in_place ? &s->y : &s->x_view, LOW, HIGH);
    case 1:
        return sparcl_clip_gradient(ctx, &s->gx, &s->x_view, &s->gy_view, LOW, HIGH);
    case 2:
        return sparcl_csr_clip(ctx, &s->of_csr, &s->csr, LOW, HIGH);
    default:
        return sparcl_rows_clip(ctx, &s->of_rows, &s->stored, LOW, HIGH);
    }
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    const sparcl_unary_op op = (sparcl_unary_op)s->function;
    if (s->function == CLIP) return call_clip(ctx, s, number);
    switch (number) {
    case 0:
        return sparcl_unary(ctx, op, &s->y, s->in_place ? &s->y : &s->x_view);
    case 1:
        return sparcl_unary_gradient(ctx, op, &s->gx, sparcl_unary_needs_y(op) ? &s->y : &s->x_view,
                                     &s->gy_view);
    case 2:
        return sparcl_csr_unary(ctx, op, &s->of_csr, &s->csr);
    default:
        return sparcl_rows_unary(ctx, op, &s->of_rows, &s->stored);
    }
}

/* --- answers ---------------------------------------------------------------------------------- */

/* `units` of u, and what storing adds; bounds of float64 include the rounding of the truth. What is
 * below the normal range may be 0. */
static void set(sparcl_dtype dtype, const spec_answer *to, int64_t at, double order,
                long double truth, double units) {
    const double u = spec_unit(dtype), rounding = dtype == SPARCL_F64 ? u : 0;
    const double tiny = dtype == SPARCL_F16    ? 0x1p-24
                        : dtype == SPARCL_BF16 ? 0x1p-126
                                               : 4 * spec_smallest(dtype);
    to->order[at] = spec_store(dtype, order);
    to->truth[at] = isfinite(to->order[at]) ? (double)truth : NAN;
    to->bound[at] =
        (units * u + rounding + spec_store_unit(dtype)) * SPEC_SECOND_ORDER * fabs(to->truth[at]);
    if (units > 0 || dtype == SPARCL_F16 || dtype == SPARCL_BF16) to->bound[at] += tiny;
}

static void answer(const state *s, sparcl_dtype dtype, int64_t i, const spec_answer *to,
                   const spec_answer *gradient) {
    const int function = s->function;
    double ulp = 0, roundings = 0;
    const double y = spec_unary_order_value(function, dtype, s->x[i]);
    const long double exact = spec_unary_true_value(function, y, s->x[i], &ulp);
    set(dtype, to, i, y, exact, 2 * ulp);
    const bool needs_y = function < CLIP && sparcl_unary_needs_y((sparcl_unary_op)function);
    const double v = needs_y ? to->order[i] : s->x[i];
    const double gx = spec_unary_order_gradient(function, dtype, v, s->gy[i]);
    const long double slope = spec_unary_true_gradient(function, gx, v, s->gy[i], &roundings);
    set(dtype, gradient, i, gx, slope, roundings);
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const s = t->state;
    const spec_answer y = spec_answer_over(t, s->before, s->count);
    const spec_answer gx = spec_answer_over(t, s->before + s->count, s->count);
    for (int64_t i = 0; i < s->count; ++i)
        if (i % s->ld < s->n) answer(s, c->dtype, i, &y, &gx);
    /* steps are 0, and so is much else near 0 and far from it */
    const bool has_zeros =
        mode_of(c) >= GAPS ||
        (s->function >= SPARCL_UNARY_SIGN && s->function <= SPARCL_UNARY_TRUNC) ||
        s->function == SPARCL_UNARY_RELU || c->dtype == SPARCL_F16;
    t->report->zeros_expected = has_zeros;
    spec_expect_answer(t, "y", &s->y, &y);
    t->report->zeros_expected = true; /* gradients of steps, and outside of limits */
    spec_expect_answer(t, "gx", &s->gx, &gx);
    if (t->calls < 4) return;
    t->report->zeros_expected = has_zeros;
    spec_expect_answer(t, "values of csr", &s->of_csr, &y);
    spec_expect_answer(t, "values of rows", &s->of_rows, &y);
}

/* --- measurements ----------------------------------------------------------------------------- */

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    *flops = 0;
    *bytes = (number ? 3 : 2) * (double)sparcl_dtype_size(t->c->dtype) * (double)s->count;
}

extern const spec_op spec_unary;
#define TIMED(text, about, number, function)                                                       \
    {                                                                                              \
        (text), (about), .op = &spec_unary, .call = (number), .setting = {.variant = (function) }  \
    }
static const spec_bench timed[] = {
    TIMED("tanh", "the tanh of each entry of A", 0, SPARCL_UNARY_TANH),
    TIMED("tanh-gradient", "the gradient of tanh", 1, SPARCL_UNARY_TANH),
    TIMED("clip", "numbers limited to -1.5 .. 2, one for each entry of A", 0, CLIP),
    TIMED("clip-gradient", "the gradient of clip", 1, CLIP),
    TIMED("sqrt", "the square root of each entry of A", 0, SPARCL_UNARY_SQRT),
    TIMED("relu", "0, or each entry of A where it is positive", 0, SPARCL_UNARY_RELU),
    {0}};

const spec_op spec_unary = {.name = "unary",
                            .get_case = get_case,
                            .state_size = sizeof(state),
                            .make = make,
                            .call = call,
                            .expect = expect,
                            .work = work,
                            .timed = timed};
