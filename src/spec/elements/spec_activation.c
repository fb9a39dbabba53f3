/* spec_activation.c: activations and their gradients in plain C. Variant: the activation; + 3 for
 * results in place of x and of gy; + 6 for gaps between the rows; + 9 for x far from 0 and near 0.
 */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/elementary.h"
#include "spec/shared/spec.h"

#define VARIANTS 12

/* Half of the cases of relu are float64; after all of these, sigmoid and tanh in float64. */
static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {0, 1, 7, 129, 1000, 4000}, widths[] = {1, 3, 17, 64, 105};
    const int n_rows = small ? 4 : 6, count = VARIANTS * n_rows * 5;
    const bool again = i >= count;
    const int k = again ? (i - count) / 2 * 3 + 1 + i % 2 : i, variant = k % VARIANTS;
    if (k >= count) return false;
    const bool is_f64 = again || (variant % 3 == SPARCL_ACTIVATION_RELU && k / VARIANTS % 2);
    *c = (spec_case){.rows = rows[k / VARIANTS % n_rows],
                     .n = widths[k / VARIANTS / n_rows],
                     .dtype = is_f64 ? SPARCL_F64 : SPARCL_F32,
                     .variant = variant,
                     .subnormal = variant >= 9,
                     .seed = (uint64_t)i + 60};
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

/* Two of three are positive, so that the results of relu are not mostly 0. Numbers are of all sizes
 * that matter: up to 120 or 800, where sigmoid and tanh have no more digits, and tiny ones. */
static double number(const spec_case *c, int64_t i, double x) {
    const bool wide = c->dtype == SPARCL_F64;
    const double far = wide ? 800 : 120, near = ldexp(1, -(int)(wide ? i * 7 % 1080 : i % 150));
    const double size = c->variant < 9 ? 4 : i % 2 ? far : near;
    return spec_round(c->dtype, fabs(x) * size * (i % 3 == 1 ? -1 : 1));
}

static bool make(arrays *a, const spec_case *c) {
    a->ld = c->n + (c->variant / 3 == 2 ? 2 : 0);
    a->count = c->rows * a->ld;
    a->x = spec_numbers(a->count, c->seed);
    a->gy = spec_numbers(a->count, c->seed + 1);
    a->got = spec_numbers(2 * a->count, 0);
    a->order = spec_numbers(2 * a->count, c->seed + 2); /* what y and gx hold before */
    a->truth = spec_numbers(2 * a->count, c->seed + 2);
    a->bound = calloc((size_t)(2 * a->count) + 1, sizeof *a->bound);
    for (int64_t i = 0; a->x && i < a->count; ++i)
        a->x[i] = number(c, i, a->x[i]);
    return a->x && a->gy && a->got && a->order && a->truth && a->bound;
}

static double order_value(const spec_case *c, double x) {
    const int kind = c->variant % 3;
    if (kind == SPARCL_ACTIVATION_RELU) return x <= 0 ? 0 : x;
    return kind == SPARCL_ACTIVATION_SIGMOID ? spec_sigmoid(c->dtype, x) : spec_tanh(c->dtype, x);
}

#define R(x) spec_round(c->dtype, (x))

static double order_gradient(const spec_case *c, double y, double gy) {
    const int kind = c->variant % 3;
    if (kind == SPARCL_ACTIVATION_RELU) return y > 0 ? gy : 0;
    const double slope =
        kind == SPARCL_ACTIVATION_SIGMOID ? R(y * R(1 - y)) : R(R(1 - y) * R(1 + y));
    return R(slope * gy);
}

/* Of relu: exact. Bounds of float64 include the rounding of the truth. */
static void answer(const spec_case *c, arrays *a, int64_t i) {
    const int kind = c->variant % 3;
    const int64_t at = a->count + i;
    const double u = spec_unit(c->dtype), tiny = 2 * spec_smallest(c->dtype);
    const double rounding = c->dtype == SPARCL_F64 ? u : 0;
    const long double x = a->x[i], gy = a->gy[i];
    const double y = a->order[i] = order_value(c, a->x[i]);
    a->truth[i] = y;
    a->truth[at] = a->order[at] = order_gradient(c, y, a->gy[i]);
    if (kind == SPARCL_ACTIVATION_RELU) return;
    const bool is_sigmoid = kind == SPARCL_ACTIVATION_SIGMOID;
    a->truth[i] = (double)(is_sigmoid ? 1 / (1 + expl(-x)) : tanhl(x));
    a->truth[at] = (double)((is_sigmoid ? y * (1 - (long double)y)
                                        : (1 - (long double)y) * (1 + (long double)y)) *
                            gy);
    a->bound[i] = ((is_sigmoid ? 6 : 4) * u + rounding) * fabs(a->truth[i]) + tiny; /* 3, 2 ulp */
    a->bound[at] = (4 * u + rounding) * SPEC_SECOND_ORDER * fabs(a->truth[at]) + tiny;
}

static void answers(const spec_case *c, arrays *a) {
    for (int64_t r = 0; r < c->rows; ++r)
        for (int64_t j = 0; j < c->n; ++j)
            answer(c, a, r * a->ld + j);
}

/* Into y and gx, or into x and gy where the results take their places. */
static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, const sparcl_dense *view,
                          sparcl_buf *const bufs[4], arrays *a) {
    const sparcl_activation kind = (sparcl_activation)(c->variant % 3);
    const bool in_place = c->variant / 3 == 1;
    sparcl_dense x = *view, gy = x, y = x, gx = x;
    x.values = bufs[0];
    gy.values = bufs[1];
    y.values = bufs[in_place ? 0 : 2];
    gx.values = bufs[in_place ? 1 : 3];
    sparcl_status status = sparcl_activate(ctx, kind, &y, &x);
    if (status == SPARCL_OK) status = sparcl_activate_gradient(ctx, kind, &gx, &y, &gy);
    if (status == SPARCL_OK) status = spec_get_reals(ctx, y.values, 0, a->count, c->dtype, a->got);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, gx.values, 0, a->count, c->dtype, a->got + a->count);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *a) {
    const sparcl_dense view = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->n}, .ld = a->ld};
    const double *const contents[] = {a->x, a->gy, a->truth, a->truth + a->count};
    sparcl_buf *bufs[4] = {NULL};
    sparcl_status status = SPARCL_OK;
    for (int i = 0; i < 4 && status == SPARCL_OK; ++i)
        status = spec_put_reals(ctx, &bufs[i], contents[i], a->count, c->dtype);
    if (status == SPARCL_OK) status = call(ctx, c, &view, bufs, a);
    for (int i = 0; i < 4; ++i)
        sparcl_buf_free(bufs[i]);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays a = {0};
    const double count = (double)(c->rows * c->n);
    *report = (spec_report){.equal = true,
                            .flops = (c->variant % 3 == SPARCL_ACTIVATION_RELU ? 2 : 30) * count,
                            .bytes = 5 * count * (double)sparcl_dtype_size(c->dtype)};
    /* Far from 0, the slopes of sigmoid and tanh are 0. */
    report->zeros_expected = c->variant >= 9;
    sparcl_status status = make(&a, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = run(ctx, c, &a);
    if (status == SPARCL_OK) {
        answers(c, &a);
        spec_compare(report, "y, gx", a.got, a.order, a.truth, a.bound, 2 * a.count);
    }
    drop(&a);
    return status;
}

const spec_op spec_activation = {.name = "activation", .get_case = get_case, .check = check};
