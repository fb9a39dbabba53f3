/* spec_binary.c: operations on two dense arrays, the second one broadcast, and their gradients, in
 * plain C. Variant: the operation; + 6 times how y is broadcast (below); + 36 for results in place
 * of x and of gz; + 72 for gaps between the rows. */
#include <math.h>

#include "spec/bench/bench.h"

enum { OPERATIONS = SPARCL_BINARY_MINIMUM + 1 };
/* How y is used: an array like x; [n]; [1, n]; [m, 1]; [1]; a number of the host. */
enum { EACH_ELEMENT, ROW, ROW_OF_RANK_2, COLUMN, EVERYWHERE, HOST, BROADCASTS };
enum { PLAIN, IN_PLACE, GAPS, MODES };

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

typedef struct state {
    sparcl_binary_op op;
    int broadcast;
    bool in_place, is_vector;
    int64_t rows, n, ld, count, y_rows, y_width, y_ld, y_count; /* counts: with gaps */
    const double *x, *y, *gz, *before; /* before: z, gx, gy, one after the other */
    sparcl_dense x_view, y_view, gz_view, z, gx, gy;
} state;

/* --- operands --------------------------------------------------------------------------------- */

/* Of a measurement: vectors with a number for each entry. */
static void find_sizes(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int mode = c->variant / (OPERATIONS * BROADCASTS), gap = mode == GAPS ? 3 : 0;
    const int b = s->broadcast = c->variant / OPERATIONS % BROADCASTS;
    s->op = (sparcl_binary_op)(c->variant % OPERATIONS);
    s->in_place = mode == IN_PLACE;
    s->is_vector = t->given;
    s->rows = t->given ? t->given->nnz : c->rows;
    s->n = c->n;
    s->ld = c->n + gap;
    s->count = s->rows * s->ld;
    s->y_rows = b == EACH_ELEMENT || b == COLUMN ? s->rows : 1;
    s->y_width = b == COLUMN || b >= EVERYWHERE ? 1 : c->n;
    s->y_ld = s->y_width + (b == EACH_ELEMENT ? gap : 0);
    s->y_count = s->y_rows * s->y_ld;
}

/* Of y, no number near 0; some are equal to x. */
static void make_numbers(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    double *const x = spec_drawn(t, s->count, c->seed);
    double *const y = spec_own(t, spec_numbers(s->y_count, c->seed + 1));
    for (int64_t i = 0; i < s->y_count; ++i)
        y[i] = spec_store(c->dtype, y[i] < 0 ? y[i] - 0.25 : y[i] + 0.25);
    for (int64_t i = 2; i < s->count && i < s->y_count; i += 5)
        x[i] = y[i];
    s->x = x;
    s->y = y;
    s->gz = spec_drawn(t, s->count, c->seed + 2);
    s->before = spec_drawn(t, 2 * s->count + s->y_count, c->seed + 3);
}

static sparcl_dense put_x(spec_test *t, const state *s, const double *x) {
    return s->is_vector ? spec_vector(t, s->count, x) : spec_dense(t, s->rows, s->n, s->ld, x);
}

static sparcl_dense put_y(spec_test *t, const state *s, const double *y) {
    return s->is_vector || s->broadcast == ROW || s->broadcast == EVERYWHERE
               ? spec_vector(t, s->y_count, y)
               : spec_dense(t, s->y_rows, s->y_width, s->y_ld, y);
}

static void make(spec_test *t) {
    state *const s = t->state;
    find_sizes(t, s);
    make_numbers(t, s);
    s->x_view = put_x(t, s, s->x);
    s->y_view = put_y(t, s, s->y);
    s->gz_view = put_x(t, s, s->gz);
    s->z = put_x(t, s, s->in_place ? s->x : s->before);
    s->gx = s->in_place && s->broadcast != HOST ? s->gz_view : put_x(t, s, s->before + s->count);
    s->gy = put_y(t, s, s->before + 2 * s->count);
    t->calls = s->broadcast == HOST ? 1 : 2;
}

/* In place, the gradient by y is computed before gz is overwritten. */
static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    const sparcl_dense *const x = s->in_place ? &s->z : &s->x_view;
    if (s->broadcast == HOST) return sparcl_binary_scalar(ctx, s->op, &s->z, x, s->y[0]);
    if (number == 0) return sparcl_binary(ctx, s->op, &s->z, x, &s->y_view);
    const sparcl_status status =
        s->in_place
            ? sparcl_binary_gradient(ctx, s->op, NULL, &s->gy, &s->x_view, &s->y_view, &s->gz_view)
            : SPARCL_OK;
    return status == SPARCL_OK
               ? sparcl_binary_gradient(ctx, s->op, &s->gx, s->in_place ? NULL : &s->gy, &s->x_view,
                                        &s->y_view, &s->gz_view)
               : status;
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
static void set(sparcl_dtype dtype, const spec_answer *to, int64_t at, double order, double truth,
                double error) {
    to->order[at] = spec_store(dtype, order);
    to->truth[at] = truth;
    to->bound[at] = SPEC_SECOND_ORDER *
                    (error + (spec_store_unit(dtype) + spec_unit(SPARCL_F64)) * fabs(truth));
    if (dtype == SPARCL_F16) to->bound[at] += 0x1p-25; /* of a subnormal number */
}

/* The terms of sums, [rows, n]: ours, and the magnitudes of the exact ones. */
typedef struct sum_terms {
    double *terms, *magnitudes, *ones;
} sum_terms;

/* z, gx and gy, or its terms, at row r, column j. */
static void answer(const state *s, sparcl_dtype dtype, int64_t r, int64_t j,
                   const spec_answer to[3], const sum_terms *sums) {
    const int64_t i = r * s->ld + j;
    const int64_t y_at = (s->y_rows == 1 ? 0 : r) * s->y_ld + (s->y_width == 1 ? 0 : j);
    const double x = s->x[i], y = s->y[y_at], g = s->gz[i], u = spec_unit(dtype);
    const double z = value(s->op, SPARCL_F64, x, y);
    const double by_x = gradient_by_x(s->op, SPARCL_F64, x, y, g);
    const double by_y = gradient_by_y(s->op, SPARCL_F64, x, y, g);
    set(dtype, &to[0], i, value(s->op, dtype, x, y), z, 2 * u * fabs(z));
    if (s->broadcast == HOST) return;
    set(dtype, &to[1], i, gradient_by_x(s->op, dtype, x, y, g), by_x, 2 * u * fabs(by_x));
    const double term = gradient_by_y(s->op, dtype, x, y, g);
    if (s->broadcast == EACH_ELEMENT) set(dtype, &to[2], i, term, by_y, 4 * u * fabs(by_y));
    sums->terms[r * s->n + j] = term;
    sums->magnitudes[r * s->n + j] = fabs(by_y);
    sums->ones[r * s->n + j] = 1;
}

/* gy[at] := the sum of `length` terms from `from` on; errors are of at most `depth` roundings. */
static void add(sparcl_dtype dtype, const spec_answer *gy, const sum_terms *sums, int64_t at,
                int64_t from, int64_t step, int64_t length, bool one_column) {
    double truth = 0, sum = 0;
    for (int64_t k = 0; k < length; ++k) {
        truth += sums->terms[from + k * step];
        sum += sums->magnitudes[from + k * step];
    }
    const double order =
        spec_sum_products(dtype, sums->ones, sums->terms + from, step, length, one_column);
    set(dtype, gy, at, order, truth, (4 + spec_depth(length, one_column)) * spec_unit(dtype) * sum);
}

static void add_terms(const state *s, sparcl_dtype dtype, const spec_answer *gy,
                      const sum_terms *sums) {
    if (s->broadcast == EVERYWHERE) add(dtype, gy, sums, 0, 0, 1, s->rows * s->n, true);
    for (int64_t r = 0; r < s->rows && s->broadcast == COLUMN; ++r)
        add(dtype, gy, sums, r, r * s->n, 1, s->n, true);
    for (int64_t j = 0; j < s->n && (s->broadcast == ROW || s->broadcast == ROW_OF_RANK_2); ++j)
        add(dtype, gy, sums, j, j, s->n, s->rows, false);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const sparcl_dtype dtype = t->c->dtype;
    const spec_answer to[] = {spec_answer_over(t, s->before, s->count),
                              spec_answer_over(t, s->before + s->count, s->count),
                              spec_answer_over(t, s->before + 2 * s->count, s->y_count)};
    const sum_terms sums = {spec_reals(t, s->count), spec_reals(t, s->count),
                            spec_reals(t, s->count)};
    for (int64_t r = 0; r < s->rows; ++r)
        for (int64_t j = 0; j < s->n; ++j)
            answer(s, dtype, r, j, to, &sums);
    add_terms(s, dtype, &to[2], &sums);
    t->report->zeros_expected = s->rows == 0;
    spec_expect_answer(t, "z", &s->z, &to[0]);
    t->report->zeros_expected = true; /* of maxima, and the gradient of a row */
    spec_expect_answer(t, "gx", &s->gx, &to[1]);
    spec_expect_answer(t, "gy", &s->gy, &to[2]);
}

/* --- measurements ----------------------------------------------------------------------------- */

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const int arrays = number ? 5 : s->broadcast == HOST ? 2 : 3;
    *flops = number ? 0 : (double)s->count;
    *bytes = arrays * (double)sparcl_dtype_size(t->c->dtype) * (double)s->count;
}

extern const spec_op spec_binary;
static const spec_bench timed[] = {
    {"multiply", "the products of two arrays, each with a number for each entry of A",
     .op = &spec_binary, .setting = {.variant = SPARCL_BINARY_MULTIPLY}},
    {"multiply-gradient", "both gradients of multiply", .op = &spec_binary, .call = 1,
     .setting = {.variant = SPARCL_BINARY_MULTIPLY}},
    {"add-scalar", "a number added to each of such an array", .op = &spec_binary,
     .setting = {.variant = SPARCL_BINARY_ADD + OPERATIONS * HOST}},
    {0}};

const spec_op spec_binary = {.name = "binary",
                             .get_case = get_case,
                             .state_size = sizeof(state),
                             .make = make,
                             .call = call,
                             .expect = expect,
                             .work = work,
                             .timed = timed};
