/* spec_unary.c: functions of one number, and their gradients, in plain C. Variant: the function
 * (the last one is clip to [-1.5, 2]); + 30 for results in place of x and of gy; + 60 for gaps
 * between the rows, with NaN, infinities, zeros and halves; + 90 for x far from 0 and near 0. */
#include <math.h>
#include <stdlib.h>

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

typedef struct arrays {
    int64_t ld, count;                   /* of all arrays, with their gaps */
    double *x, *gy;                      /* inputs */
    double *got, *order, *truth, *bound; /* y, then gx */
} arrays;

static void drop(arrays *a) {
    double *const all[] = {a->x, a->gy, a->got, a->order, a->truth, a->bound};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

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

static bool make(arrays *a, const spec_case *c) {
    a->ld = c->n + (mode_of(c) == GAPS ? 2 : 0);
    a->count = c->rows * a->ld;
    a->x = spec_numbers(a->count, c->seed);
    a->gy = spec_numbers(a->count, c->seed + 1);
    a->got = spec_numbers(2 * a->count, 0);
    a->order = spec_numbers(2 * a->count, c->seed + 2); /* what y and gx hold before */
    a->truth = calloc((size_t)(2 * a->count) + 1, sizeof *a->truth);
    a->bound = calloc((size_t)(2 * a->count) + 1, sizeof *a->bound);
    if (!a->x || !a->gy || !a->got || !a->order || !a->truth || !a->bound) return false;
    for (int64_t i = 0; i < a->count; ++i) {
        a->x[i] = number(c, i, a->x[i]);
        a->gy[i] = spec_store(c->dtype, a->gy[i]);
    }
    for (int64_t i = 0; i < 2 * a->count; ++i)
        a->truth[i] = a->order[i] = spec_store(c->dtype, a->order[i]);
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* `units` of u, and what storing adds; bounds of float64 include the rounding of the truth. What is
 * below the normal range may be 0. */
static void set_truth(const spec_case *c, arrays *a, int64_t at, long double truth, double units) {
    const double u = spec_unit(c->dtype), rounding = c->dtype == SPARCL_F64 ? u : 0;
    const double tiny = c->dtype == SPARCL_F16    ? 0x1p-24
                        : c->dtype == SPARCL_BF16 ? 0x1p-126
                                                  : 4 * spec_smallest(c->dtype);
    a->truth[at] = isfinite(a->order[at]) ? (double)truth : NAN;
    a->bound[at] =
        (units * u + rounding + spec_store_unit(c->dtype)) * SPEC_SECOND_ORDER * fabs(a->truth[at]);
    if (units > 0 || c->dtype == SPARCL_F16 || c->dtype == SPARCL_BF16) a->bound[at] += tiny;
}

static void answer(const spec_case *c, arrays *a, int64_t i) {
    const int function = function_of(c);
    const int64_t at = a->count + i;
    double ulp = 0, roundings = 0;
    const double y = spec_unary_order_value(function, c->dtype, a->x[i]);
    a->order[i] = spec_store(c->dtype, y);
    const long double exact = spec_unary_true_value(function, y, a->x[i], &ulp);
    set_truth(c, a, i, exact, 2 * ulp);
    const bool needs_y = function < CLIP && sparcl_unary_needs_y((sparcl_unary_op)function);
    const double v = needs_y ? a->order[i] : a->x[i];
    const double gx = spec_unary_order_gradient(function, c->dtype, v, a->gy[i]);
    a->order[at] = spec_store(c->dtype, gx);
    const long double slope = spec_unary_true_gradient(function, gx, v, a->gy[i], &roundings);
    set_truth(c, a, at, slope, roundings);
}

static void answers(const spec_case *c, arrays *a) {
    for (int64_t r = 0; r < c->rows; ++r)
        for (int64_t j = 0; j < c->n; ++j)
            answer(c, a, r * a->ld + j);
}

/* --- the calls -------------------------------------------------------------------------------- */

static sparcl_status forward(sparcl_ctx *ctx, int function, const sparcl_dense *y,
                             const sparcl_dense *x) {
    return function == CLIP ? sparcl_clip(ctx, y, x, LOW, HIGH)
                            : sparcl_unary(ctx, (sparcl_unary_op)function, y, x);
}

static sparcl_status backward(sparcl_ctx *ctx, int function, const sparcl_dense *gx,
                              const sparcl_dense *x, const sparcl_dense *y,
                              const sparcl_dense *gy) {
    const sparcl_unary_op op = (sparcl_unary_op)function;
    if (function == CLIP) return sparcl_clip_gradient(ctx, gx, x, gy, LOW, HIGH);
    return sparcl_unary_gradient(ctx, op, gx, sparcl_unary_needs_y(op) ? y : x, gy);
}

/* In place, y is f of its own elements, which are those of x, and gx replaces gy. */
static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, const sparcl_dense *view,
                          sparcl_buf *const bufs[4], arrays *a) {
    const bool in_place = mode_of(c) == IN_PLACE;
    sparcl_dense x = *view, gy = x, y = x, gx = x;
    x.values = bufs[0];
    gy.values = bufs[1];
    y.values = bufs[2];
    gx.values = bufs[in_place ? 1 : 3];
    sparcl_status status = forward(ctx, function_of(c), &y, in_place ? &y : &x);
    if (status == SPARCL_OK) status = backward(ctx, function_of(c), &gx, &x, &y, &gy);
    if (status == SPARCL_OK) status = spec_get_reals(ctx, y.values, 0, a->count, c->dtype, a->got);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, gx.values, 0, a->count, c->dtype, a->got + a->count);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *a) {
    const sparcl_dense view = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->n}, .ld = a->ld};
    const double *const contents[] = {a->x, a->gy, mode_of(c) == IN_PLACE ? a->x : a->truth,
                                      a->truth + a->count};
    sparcl_buf *bufs[4] = {NULL};
    sparcl_status status = SPARCL_OK;
    for (int i = 0; i < 4 && status == SPARCL_OK; ++i)
        status = spec_put_reals(ctx, &bufs[i], contents[i], a->count, c->dtype);
    if (status == SPARCL_OK) status = call(ctx, c, &view, bufs, a);
    for (int i = 0; i < 4; ++i)
        sparcl_buf_free(bufs[i]);
    return status;
}

/* The same function of the values of a CSR matrix with one row, or of a row-sparse array. */
static sparcl_status call_sparse(sparcl_ctx *ctx, const spec_case *c, const arrays *a, bool of_rows,
                                 sparcl_buf *x, sparcl_buf *indices, sparcl_buf *to) {
    const sparcl_unary_op op = (sparcl_unary_op)function_of(c);
    const bool is_clip = function_of(c) == CLIP;
    const sparcl_csr csr = {.rows = 1,
                            .cols = a->count,
                            .nnz = a->count,
                            .dtype = c->dtype,
                            .offsets = indices,
                            .indices = indices,
                            .values = x};
    const sparcl_rows rows = {.rank = 2,
                              .dtype = c->dtype,
                              .shape = {c->rows, c->n},
                              .nnr = c->rows,
                              .indices = indices,
                              .values = x};
    sparcl_dense y = {.rank = 1, .dtype = c->dtype, .shape = {a->count}, .values = to};
    if (!of_rows)
        return is_clip ? sparcl_csr_clip(ctx, &y, &csr, LOW, HIGH)
                       : sparcl_csr_unary(ctx, op, &y, &csr);
    y.rank = 2;
    y.shape[0] = c->rows;
    y.shape[1] = c->n;
    return is_clip ? sparcl_rows_clip(ctx, &y, &rows, LOW, HIGH)
                   : sparcl_rows_unary(ctx, op, &y, &rows);
}

static sparcl_status check_sparse(sparcl_ctx *ctx, const spec_case *c, arrays *a, bool of_rows,
                                  spec_report *report) {
    sparcl_buf *x = NULL, *indices = NULL, *to = NULL;
    sparcl_status status = spec_put_reals(ctx, &x, a->x, a->count, c->dtype);
    if (status == SPARCL_OK) /* which are not read */
        status = sparcl_buf_create(ctx, &indices, (a->count + c->rows + 2) * 4);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &to, a->gy, a->count, c->dtype);
    if (status == SPARCL_OK) status = call_sparse(ctx, c, a, of_rows, x, indices, to);
    if (status == SPARCL_OK) status = spec_get_reals(ctx, to, 0, a->count, c->dtype, a->got);
    if (status == SPARCL_OK)
        spec_compare(report, of_rows ? "values of rows" : "values of csr", a->got, a->order,
                     a->truth, a->bound, a->count);
    sparcl_buf_free(x);
    sparcl_buf_free(indices);
    sparcl_buf_free(to);
    return status;
}

static bool has_sparse(const spec_case *c) {
    const int function = function_of(c);
    return mode_of(c) == PLAIN &&
           (function == CLIP || sparcl_unary_keeps_zero((sparcl_unary_op)function));
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays a = {0};
    const double count = (double)(c->rows * c->n);
    const int function = function_of(c);
    *report = (spec_report){.equal = true,
                            .flops = 30 * count,
                            .bytes = 5 * count * (double)sparcl_dtype_size(c->dtype)};
    /* gradients of steps are 0, and so is much else near 0 and far from it */
    report->zeros_expected = mode_of(c) >= GAPS ||
                             (function >= SPARCL_UNARY_SIGN && function <= SPARCL_UNARY_TRUNC) ||
                             function == SPARCL_UNARY_RELU || c->dtype == SPARCL_F16;
    sparcl_status status = make(&a, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = run(ctx, c, &a);
    if (status == SPARCL_OK) {
        answers(c, &a);
        spec_compare(report, "y, gx", a.got, a.order, a.truth, a.bound, 2 * a.count);
    }
    for (int of_rows = 0; status == SPARCL_OK && of_rows < 2 && has_sparse(c); ++of_rows)
        status = check_sparse(ctx, c, &a, of_rows, report);
    drop(&a);
    return status;
}

const spec_op spec_unary = {.name = "unary", .get_case = get_case, .check = check};
