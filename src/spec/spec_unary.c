/* spec_unary.c: functions of one number, and their gradients, in plain C. Variant: the function
 * (the last one is clip to [-1.5, 2]); + 30 for results in place of x and of gy; + 60 for gaps
 * between the rows, with NaN, infinities, zeros and halves; + 90 for x far from 0 and near 0. */
#include <math.h>
#include <stdlib.h>

#include "spec/elementary.h"
#include "spec/spec.h"
#include "spec/unary_functions.h"

enum { CLIP = SPARCL_UNARY_RSQRT + 1, FUNCTIONS, PLAIN = 0, IN_PLACE, GAPS, FAR };

#define LOW  -1.5
#define HIGH 2.0

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

#define R(x) spec_round(dtype, (x))

static double radian(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? 0.017453292519943295 : 0.0174532924f;
}
static double degree(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? 57.29577951308232 : 57.2957802f;
}

static double order_value(int function, sparcl_dtype dtype, double x) {
    switch (function) {
    case SPARCL_UNARY_ABS:
        return fabs(x);
    case SPARCL_UNARY_SIGN:
        return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
    case SPARCL_UNARY_ROUND:
        return round(x);
    case SPARCL_UNARY_RINT:
        return rint(x);
    case SPARCL_UNARY_FLOOR:
        return floor(x);
    case SPARCL_UNARY_CEIL:
        return ceil(x);
    case SPARCL_UNARY_TRUNC:
        return trunc(x);
    case SPARCL_UNARY_SQRT:
        return R(sqrt(x));
    case SPARCL_UNARY_SQUARE:
        return R(x * x);
    case SPARCL_UNARY_NEGATIVE:
        return -x;
    case SPARCL_UNARY_RELU:
        return x <= 0 ? 0 : x;
    case SPARCL_UNARY_RADIANS:
        return R(x * radian(dtype));
    case SPARCL_UNARY_DEGREES:
        return R(x * degree(dtype));
    case SPARCL_UNARY_CBRT:
        return spec_cbrt(dtype, x);
    case SPARCL_UNARY_SIN:
        return spec_sin(dtype, x);
    case SPARCL_UNARY_TAN:
        return spec_tan(dtype, x);
    case SPARCL_UNARY_ARCSIN:
        return spec_arcsin(dtype, x);
    case SPARCL_UNARY_ARCTAN:
        return spec_arctan(dtype, x);
    case SPARCL_UNARY_SINH:
        return spec_sinh(dtype, x);
    case SPARCL_UNARY_TANH:
        return spec_tanh(dtype, x);
    case SPARCL_UNARY_ARCSINH:
        return spec_arcsinh(dtype, x);
    case SPARCL_UNARY_ARCTANH:
        return spec_arctanh(dtype, x);
    case SPARCL_UNARY_EXPM1:
        return spec_expm1(dtype, x);
    case SPARCL_UNARY_LOG1P:
        return spec_log1p_all(dtype, x);
    case SPARCL_UNARY_EXP:
        return spec_exp(dtype, x);
    case SPARCL_UNARY_LOG:
        return spec_log(dtype, x);
    case SPARCL_UNARY_SIGMOID:
        return spec_sigmoid(dtype, x);
    case SPARCL_UNARY_RECIPROCAL:
        return R(1 / x);
    case SPARCL_UNARY_RSQRT:
        return R(1 / R(sqrt(x)));
    default:
        return x < LOW ? LOW : x > HIGH ? HIGH : x;
    }
}

/* v is x or y. */
static double order_gradient(int function, sparcl_dtype dtype, double v, double g) {
    const double large = dtype == SPARCL_F64 ? 0x1p28 : 8192;
    switch (function) {
    case SPARCL_UNARY_ABS:
        return v > 0 ? g : v < 0 ? -g : v == 0 ? 0 : v;
    case SPARCL_UNARY_SQRT:
        return R(R(0.5 / v) * g);
    case SPARCL_UNARY_SQUARE:
        return R(R(2 * v) * g);
    case SPARCL_UNARY_NEGATIVE:
        return -g;
    case SPARCL_UNARY_RELU:
        return v > 0 ? g : v <= 0 ? 0 : v;
    case SPARCL_UNARY_RADIANS:
        return R(g * radian(dtype));
    case SPARCL_UNARY_DEGREES:
        return R(g * degree(dtype));
    case SPARCL_UNARY_CBRT:
        return R(g / R(3 * R(v * v)));
    case SPARCL_UNARY_SIN:
        return R(spec_cos(dtype, v) * g);
    case SPARCL_UNARY_TAN:
        return R(R(1 + R(v * v)) * g);
    case SPARCL_UNARY_ARCSIN:
        return R(g / R(sqrt(R(R(1 - v) * R(1 + v)))));
    case SPARCL_UNARY_ARCTAN:
        return R(g / R(1 + R(v * v)));
    case SPARCL_UNARY_SINH:
        return R(spec_cosh(dtype, v) * g);
    case SPARCL_UNARY_TANH:
        return R(R(R(1 - v) * R(1 + v)) * g);
    case SPARCL_UNARY_ARCSINH:
        return R(g / (fabs(v) < large ? R(sqrt(R(1 + R(v * v)))) : fabs(v)));
    case SPARCL_UNARY_ARCTANH:
        return R(g / R(R(1 - v) * R(1 + v)));
    case SPARCL_UNARY_EXPM1:
        return R(R(v + 1) * g);
    case SPARCL_UNARY_LOG1P:
        return R(g / R(1 + v));
    case SPARCL_UNARY_EXP:
        return R(v * g);
    case SPARCL_UNARY_LOG:
        return R(g / v);
    case SPARCL_UNARY_SIGMOID:
        return R(R(v * R(1 - v)) * g);
    case SPARCL_UNARY_RECIPROCAL:
        return -R(R(v * v) * g);
    case SPARCL_UNARY_RSQRT:
        return R(R(R(-0.5 * v) * R(v * v)) * g);
    case CLIP:
        return v >= LOW && v <= HIGH ? g : 0;
    default:
        return 0;
    }
}

#define PI 3.14159265358979323846264338327950288L

/* The exact value, and in *ulp the error of ours in units of the last place; exact where it is 0.
 */
static long double true_value(int function, double near, long double x, double *ulp) {
    *ulp = 2;
    switch (function) {
    case SPARCL_UNARY_SQRT:
        *ulp = 0.5;
        return sqrtl(x);
    case SPARCL_UNARY_SQUARE:
        *ulp = 0.5;
        return x * x;
    case SPARCL_UNARY_RADIANS:
        *ulp = 1.5;
        return x * PI / 180;
    case SPARCL_UNARY_DEGREES:
        *ulp = 1.5;
        return x * 180 / PI;
    case SPARCL_UNARY_CBRT:
        *ulp = 1;
        return cbrtl(x);
    case SPARCL_UNARY_SIN:
        *ulp = 1;
        return sinl(x);
    case SPARCL_UNARY_TAN:
        *ulp = 3;
        return tanl(x);
    case SPARCL_UNARY_ARCSIN:
        *ulp = 3;
        return asinl(x);
    case SPARCL_UNARY_ARCTAN:
        return atanl(x);
    case SPARCL_UNARY_SINH:
        return sinhl(x);
    case SPARCL_UNARY_TANH:
        return tanhl(x);
    case SPARCL_UNARY_ARCSINH:
        return asinhl(x);
    case SPARCL_UNARY_ARCTANH:
        *ulp = 3;
        return atanhl(x);
    case SPARCL_UNARY_EXPM1:
        return expm1l(x);
    case SPARCL_UNARY_LOG1P:
        return log1pl(x);
    case SPARCL_UNARY_EXP:
        return expl(x);
    case SPARCL_UNARY_LOG:
        return logl(x);
    case SPARCL_UNARY_SIGMOID:
        *ulp = 3;
        return 1 / (1 + expl(-x));
    case SPARCL_UNARY_RECIPROCAL:
        *ulp = 0.5;
        return 1 / x;
    case SPARCL_UNARY_RSQRT:
        *ulp = 1.5;
        return 1 / sqrtl(x);
    default:
        *ulp = 0;
        return near;
    }
}

/* The exact value of the formula for v and g, and in *roundings the error of ours in units u. */
static long double true_gradient(int function, double near, long double v, long double g,
                                 double *roundings) {
    *roundings = 4;
    switch (function) {
    case SPARCL_UNARY_SQRT:
        return 0.5L / v * g;
    case SPARCL_UNARY_SQUARE:
        return 2 * v * g;
    case SPARCL_UNARY_RADIANS:
        return g * PI / 180;
    case SPARCL_UNARY_DEGREES:
        return g * 180 / PI;
    case SPARCL_UNARY_CBRT:
        return g / (3 * v * v);
    case SPARCL_UNARY_SIN:
        return cosl(v) * g;
    case SPARCL_UNARY_TAN:
        return (1 + v * v) * g;
    case SPARCL_UNARY_ARCSIN:
        return g / sqrtl((1 - v) * (1 + v));
    case SPARCL_UNARY_ARCTAN:
        return g / (1 + v * v);
    case SPARCL_UNARY_SINH:
        *roundings = 5;
        return coshl(v) * g;
    case SPARCL_UNARY_TANH:
        return (1 - v) * (1 + v) * g;
    case SPARCL_UNARY_ARCSINH:
        return g / sqrtl(1 + v * v);
    case SPARCL_UNARY_ARCTANH:
        return g / ((1 - v) * (1 + v));
    case SPARCL_UNARY_EXPM1:
        return (v + 1) * g;
    case SPARCL_UNARY_LOG1P:
        return g / (1 + v);
    case SPARCL_UNARY_EXP:
        return v * g;
    case SPARCL_UNARY_LOG:
        return g / v;
    case SPARCL_UNARY_SIGMOID:
        return v * (1 - v) * g;
    case SPARCL_UNARY_RECIPROCAL:
        return -v * v * g;
    case SPARCL_UNARY_RSQRT:
        return -0.5L * v * v * v * g;
    default:
        *roundings = 0;
        return near;
    }
}

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
    const double y = order_value(function, c->dtype, a->x[i]);
    a->order[i] = spec_store(c->dtype, y);
    const long double exact = true_value(function, y, a->x[i], &ulp);
    set_truth(c, a, i, exact, 2 * ulp);
    const bool needs_y = function < CLIP && sparcl_unary_needs_y((sparcl_unary_op)function);
    const double v = needs_y ? a->order[i] : a->x[i];
    const double gx = order_gradient(function, c->dtype, v, a->gy[i]);
    a->order[at] = spec_store(c->dtype, gx);
    const long double slope = true_gradient(function, gx, v, a->gy[i], &roundings);
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
    drop(&a);
    return status;
}

const spec_op spec_unary = {"unary", get_case, check};
