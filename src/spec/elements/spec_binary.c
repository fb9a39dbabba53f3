/* spec_binary.c: operations on two dense arrays, the second one broadcast, and their gradients, in
 * plain C. Variant: the operation; + 6 times how y is broadcast (below); + 36 for results in place
 * of x and of gz; + 72 for gaps between the rows. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"

enum { OPERATIONS = SPARCL_BINARY_MINIMUM + 1 };
/* How y is used: an array like x; [n]; [1, n]; [m, 1]; [1]; a number of the host. */
enum { EACH_ELEMENT, ROW, ROW_OF_RANK_2, COLUMN, EVERYWHERE, HOST, BROADCASTS };
enum { PLAIN, IN_PLACE, GAPS, MODES };

static sparcl_binary_op operation_of(const spec_case *c) {
    return (sparcl_binary_op)(c->variant % OPERATIONS);
}
static int broadcast_of(const spec_case *c) {
    return c->variant / OPERATIONS % BROADCASTS;
}
static int mode_of(const spec_case *c) {
    return c->variant / (OPERATIONS * BROADCASTS);
}

/* Each variant with each type; no sizes of 1, which would be another broadcast. */
static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {37, 300, 2, 0, 3000}, widths[] = {5, 17, 300, 2, 64};
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int variants = OPERATIONS * BROADCASTS * MODES, turn = i / variants;
    if (turn >= (small ? 4 : 12)) return false;
    *c = (spec_case){.rows = rows[(i / 5 + turn) % (small ? 3 : 5)],
                     .n = widths[(i + turn) % 5],
                     .dtype = types[turn % 4],
                     .variant = i % variants,
                     .seed = (uint64_t)i + 70};
    if (small && c->n == 300) c->rows = c->rows > 37 ? 37 : c->rows;
    return true;
}

/* x, y and gz, and results; z, gx and gy are one after the other. */
typedef struct arrays {
    int64_t ld, count, y_rows, y_width, y_ld, y_count, all;
    double *x, *y, *gz, *got, *order, *truth, *bound;
    double *terms, *ones, *errors; /* of a sum */
} arrays;

static void drop(arrays *a) {
    double *const all[] = {a->x,     a->y,     a->gz,    a->got,  a->order,
                           a->truth, a->bound, a->terms, a->ones, a->errors};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

static void find_sizes(arrays *a, const spec_case *c) {
    const int b = broadcast_of(c), gap = mode_of(c) == GAPS ? 3 : 0;
    a->ld = c->n + gap;
    a->count = c->rows * a->ld;
    a->y_rows = b == EACH_ELEMENT || b == COLUMN ? c->rows : 1;
    a->y_width = b == COLUMN || b >= EVERYWHERE ? 1 : c->n;
    a->y_ld = a->y_width + (b == EACH_ELEMENT ? gap : 0);
    a->y_count = a->y_rows * a->y_ld;
    a->all = 2 * a->count + a->y_count;
}

/* Of y, no number near 0; some are equal to x. */
static bool make(arrays *a, const spec_case *c) {
    find_sizes(a, c);
    a->x = spec_numbers(a->count, c->seed);
    a->y = spec_numbers(a->y_count, c->seed + 1);
    a->gz = spec_numbers(a->count, c->seed + 2);
    a->got = spec_numbers(a->all, 0);
    a->order = spec_numbers(a->all, c->seed + 3); /* what results hold before */
    a->truth = calloc((size_t)a->all + 1, sizeof *a->truth);
    a->bound = calloc((size_t)a->all + 1, sizeof *a->bound);
    a->terms = calloc((size_t)a->count + 1, sizeof *a->terms);
    a->ones = calloc((size_t)a->count + 1, sizeof *a->ones);
    a->errors = calloc((size_t)a->count + 1, sizeof *a->errors);
    if (!a->x || !a->y || !a->gz || !a->got || !a->order || !a->truth || !a->bound || !a->terms ||
        !a->ones || !a->errors)
        return false;
    for (int64_t i = 0; i < a->y_count; ++i)
        a->y[i] = spec_store(c->dtype, a->y[i] < 0 ? a->y[i] - 0.25 : a->y[i] + 0.25);
    for (int64_t i = 0; i < a->count; ++i) {
        a->x[i] = i % 5 == 2 && i < a->y_count ? a->y[i] : spec_store(c->dtype, a->x[i]);
        a->gz[i] = spec_store(c->dtype, a->gz[i]);
    }
    for (int64_t i = 0; i < a->all; ++i)
        a->truth[i] = a->order[i] = spec_store(c->dtype, a->order[i]);
    for (int64_t i = 0; i < a->count; ++i)
        a->ones[i] = 1;
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

#define R(x) spec_round(dtype, (x))

static double value(sparcl_binary_op op, sparcl_dtype dtype, double x, double y) {
    switch (op) {
    case SPARCL_BINARY_ADD:
        return R(x + y);
    case SPARCL_BINARY_SUBTRACT:
        return R(x - y);
    case SPARCL_BINARY_MULTIPLY:
        return R(x * y);
    case SPARCL_BINARY_DIVIDE:
        return R(x / y);
    case SPARCL_BINARY_MAXIMUM:
        return x >= y || isnan(x) ? x : y;
    default:
        return x <= y || isnan(x) ? x : y;
    }
}

static double gradient_by_x(sparcl_binary_op op, sparcl_dtype dtype, double x, double y, double g) {
    switch (op) {
    case SPARCL_BINARY_MULTIPLY:
        return R(g * y);
    case SPARCL_BINARY_DIVIDE:
        return R(g / y);
    case SPARCL_BINARY_MAXIMUM:
        return x >= y ? g : 0;
    case SPARCL_BINARY_MINIMUM:
        return x <= y ? g : 0;
    default:
        return g;
    }
}

static double gradient_by_y(sparcl_binary_op op, sparcl_dtype dtype, double x, double y, double g) {
    switch (op) {
    case SPARCL_BINARY_ADD:
        return g;
    case SPARCL_BINARY_SUBTRACT:
        return -g;
    case SPARCL_BINARY_MULTIPLY:
        return R(g * x);
    case SPARCL_BINARY_DIVIDE:
        return -R(R(g * R(x / y)) / y);
    case SPARCL_BINARY_MAXIMUM:
        return x >= y ? 0 : g;
    default:
        return x <= y ? 0 : g;
    }
}

/* Element at: its answer in double, and the roundings of ours. */
static void set(const spec_case *c, arrays *a, int64_t at, double order, double truth,
                double error) {
    a->order[at] = spec_store(c->dtype, order);
    a->truth[at] = truth;
    a->bound[at] = SPEC_SECOND_ORDER *
                   (error + (spec_store_unit(c->dtype) + spec_unit(SPARCL_F64)) * fabs(truth));
    if (c->dtype == SPARCL_F16) a->bound[at] += 0x1p-25; /* of a subnormal number */
}

/* z, gx and the terms of gy at row r, column j. */
static void answer(const spec_case *c, arrays *a, int64_t r, int64_t j) {
    const sparcl_binary_op op = operation_of(c);
    const sparcl_dtype dtype = c->dtype;
    const int64_t i = r * a->ld + j;
    const int64_t y_at = (a->y_rows == 1 ? 0 : r) * a->y_ld + (a->y_width == 1 ? 0 : j);
    const double x = a->x[i], y = a->y[y_at], g = a->gz[i], u = spec_unit(dtype);
    const double z = value(op, SPARCL_F64, x, y), by_x = gradient_by_x(op, SPARCL_F64, x, y, g);
    const double by_y = gradient_by_y(op, SPARCL_F64, x, y, g);
    set(c, a, i, value(op, dtype, x, y), z, 2 * u * fabs(z));
    if (broadcast_of(c) == HOST) return;
    set(c, a, a->count + i, gradient_by_x(op, dtype, x, y, g), by_x, 2 * u * fabs(by_x));
    const double term = gradient_by_y(op, dtype, x, y, g), error = 4 * u * fabs(by_y);
    if (broadcast_of(c) == EACH_ELEMENT) {
        set(c, a, 2 * a->count + i, term, by_y, error);
        return;
    }
    a->terms[r * c->n + j] = term;
    a->errors[r * c->n + j] = fabs(by_y);
}

/* gy[at] := the sum of `length` terms from `from` on; errors are of at most `depth` roundings. */
static void add(const spec_case *c, arrays *a, int64_t at, int64_t from, int64_t step,
                int64_t length, bool one_column) {
    double truth = 0, sum = 0;
    for (int64_t k = 0; k < length; ++k) {
        truth += a->terms[from + k * step];
        sum += a->errors[from + k * step];
    }
    const double order =
        spec_sum_products(c->dtype, a->ones, a->terms + from, step, length, one_column);
    const double error = (4 + spec_depth(length, one_column)) * spec_unit(c->dtype) * sum;
    set(c, a, 2 * a->count + at, order, truth, error);
}

static void add_everything(const spec_case *c, arrays *a) {
    const int64_t all = c->rows * c->n;
    double truth = 0, sum = 0;
    for (int64_t k = 0; k < all; ++k) {
        truth += a->terms[k];
        sum += a->errors[k];
    }
    const double order = spec_sum_products(c->dtype, a->ones, a->terms, 1, all, true);
    const double depth = 4 + spec_depth(all, true);
    set(c, a, 2 * a->count, order, truth, depth * spec_unit(c->dtype) * sum);
}

static bool has_sum(const spec_case *c) {
    return broadcast_of(c) != EACH_ELEMENT && broadcast_of(c) != HOST;
}

static void answers(const spec_case *c, arrays *a) {
    for (int64_t r = 0; r < c->rows; ++r)
        for (int64_t j = 0; j < c->n; ++j)
            answer(c, a, r, j);
    if (!has_sum(c)) return;
    if (broadcast_of(c) == EVERYWHERE) add_everything(c, a);
    for (int64_t r = 0; r < c->rows && broadcast_of(c) == COLUMN; ++r)
        add(c, a, r * a->y_ld, r * c->n, 1, c->n, true);
    for (int64_t j = 0; j < c->n && a->y_width == c->n; ++j)
        add(c, a, j, j, c->n, c->rows, false);
}

/* --- the calls -------------------------------------------------------------------------------- */

static sparcl_dense view_of_y(const spec_case *c, const arrays *a) {
    sparcl_dense y = {.rank = 2, .dtype = c->dtype, .shape = {a->y_rows, a->y_width}};
    y.ld = a->y_ld;
    if (broadcast_of(c) != ROW && broadcast_of(c) != EVERYWHERE) return y;
    return (sparcl_dense){.rank = 1, .dtype = c->dtype, .shape = {a->y_width}};
}

enum { X, Y, GZ, Z, GX, GY, BUFFERS };

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, const arrays *a,
                          sparcl_buf *const bufs[BUFFERS]) {
    const bool in_place = mode_of(c) == IN_PLACE;
    sparcl_dense x = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->n}, .ld = a->ld};
    sparcl_dense y = view_of_y(c, a), gy = y, gz = x, z = x, gx = x;
    x.values = bufs[X];
    y.values = bufs[Y];
    gz.values = bufs[GZ];
    z.values = bufs[Z];
    gx.values = bufs[in_place ? GZ : GX];
    gy.values = bufs[GY];
    if (broadcast_of(c) == HOST)
        return sparcl_binary_scalar(ctx, operation_of(c), &z, in_place ? &z : &x, a->y[0]);
    sparcl_status status = sparcl_binary(ctx, operation_of(c), &z, in_place ? &z : &x, &y);
    if (status == SPARCL_OK && in_place) /* before gz is overwritten */
        status = sparcl_binary_gradient(ctx, operation_of(c), NULL, &gy, &x, &y, &gz);
    if (status == SPARCL_OK)
        status =
            sparcl_binary_gradient(ctx, operation_of(c), &gx, in_place ? NULL : &gy, &x, &y, &gz);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *a) {
    const bool in_place = mode_of(c) == IN_PLACE, has_gx = broadcast_of(c) != HOST;
    const double *const before = a->truth;
    const double *const contents[BUFFERS] = {
        a->x, a->y, a->gz, in_place ? a->x : before, before + a->count, before + 2 * a->count};
    const int64_t counts[BUFFERS] = {a->count, a->y_count, a->count,
                                     a->count, a->count,   a->y_count};
    sparcl_buf *bufs[BUFFERS] = {NULL};
    sparcl_status status = SPARCL_OK;
    for (int i = 0; i < BUFFERS && status == SPARCL_OK; ++i)
        status = spec_put_reals(ctx, &bufs[i], contents[i], counts[i], c->dtype);
    if (status == SPARCL_OK) status = call(ctx, c, a, bufs);
    for (int i = Z; i < BUFFERS && status == SPARCL_OK; ++i)
        status = spec_get_reals(ctx, bufs[i == GX && in_place && has_gx ? GZ : i], 0, counts[i],
                                c->dtype, a->got + (i - Z) * a->count);
    for (int i = 0; i < BUFFERS; ++i)
        sparcl_buf_free(bufs[i]);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays a = {0};
    const double count = (double)(c->rows * c->n);
    *report = (spec_report){.equal = true,
                            .flops = 4 * count,
                            .bytes = 7 * count * (double)sparcl_dtype_size(c->dtype),
                            .zeros_expected = c->rows == 0}; /* the gradient of a row */
    sparcl_status status = make(&a, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = run(ctx, c, &a);
    if (status == SPARCL_OK) {
        answers(c, &a);
        spec_compare(report, "z, gx, gy", a.got, a.order, a.truth, a.bound, a.all);
    }
    drop(&a);
    return status;
}

const spec_op spec_binary = {.name = "binary", .get_case = get_case, .check = check};
