/* bench_norm.c: timed operations: batch normalisation by given statistics, and the gradients of
 * layer and batch normalisation, of dense arrays with the rows of A. */
#include <math.h>
#include <stdlib.h>

#include "spec/bench/bench_arrays.h"

#define EPSILON 1e-5

#define R(x) spec_round(SPARCL_F32, (x))

/* The operands, besides the array. */
enum { X, GAMMA, MEAN, SPREAD, OTHER };

/* Positive numbers. */
static double *positive(int64_t count, uint64_t seed) {
    double *const x = spec_numbers(count, seed);
    for (int64_t i = 0; x && i < count; ++i)
        x[i] = R(x[i] + 1.5);
    return x;
}

/* X [rows, n], gamma [n], and two statistics [own]. */
static sparcl_status open(sparcl_ctx *ctx, spec_bench_call *call, int64_t own) {
    spec_bench_arrays *const s = call->state;
    const int64_t rows = call->input->matrix->rows, n = call->input->n;
    sparcl_status status = spec_bench_open_arrays(ctx, call, 1, 1, rows, n);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, GAMMA, n, 0);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, MEAN, own, 0);
    if (status == SPARCL_OK) status = spec_bench_put_made(ctx, s, SPREAD, own, 0, positive(own, 9));
    return status;
}

/* --- by given statistics ---------------------------------------------------------------------- */

static sparcl_status open_batch_norm_inference(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    sparcl_status status = open(ctx, call, call->input->n);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, OTHER, call->input->n, 0);
    call->bytes = spec_bench_array_bytes(s);
    return status;
}

static sparcl_status run_batch_norm_inference(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_batch_norm_inference(ctx, &s->to[0], &s->x[X], &s->x[GAMMA], &s->x[OTHER],
                                       EPSILON, &s->x[MEAN], &s->x[SPREAD]);
}

static bool answer_batch_norm_inference(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const int64_t n = call->input->n;
    for (int64_t e = 0; e < s->x[X].shape[0] * n; ++e) {
        const int64_t j = e % n;
        const double rstd = R(1 / R(sqrt(R(s->host[SPREAD][j] + R(EPSILON)))));
        const double normal = R(R(s->host[X][e] - s->host[MEAN][j]) * rstd);
        order[0][e] = R(R(normal * s->host[GAMMA][j]) + s->host[OTHER][j]);
    }
    return true;
}

/* --- gradients by the array, gamma and beta --------------------------------------------------- */

/* The deviations are given as their reciprocals. */
static sparcl_status open_gradient(sparcl_ctx *ctx, spec_bench_call *call, int64_t own) {
    spec_bench_arrays *const s = call->state;
    const int64_t rows = call->input->matrix->rows, n = call->input->n;
    sparcl_status status = open(ctx, call, own);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, OTHER, rows, n);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 1, n, 0);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 2, n, 0);
    call->flops = 10 * (double)rows * (double)n;
    call->bytes = spec_bench_array_bytes(s);
    return status;
}

static sparcl_status open_layer_norm_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_gradient(ctx, call, call->input->matrix->rows);
}

static sparcl_status open_batch_norm_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_gradient(ctx, call, call->input->n);
}

static sparcl_status run_layer_norm_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_layer_norm_gradient(ctx, &s->to[0], &s->to[1], &s->to[2], &s->x[OTHER], &s->x[X],
                                      &s->x[GAMMA], &s->x[MEAN], &s->x[SPREAD]);
}

static sparcl_status run_batch_norm_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_batch_norm_gradient(ctx, &s->to[0], &s->to[1], &s->to[2], &s->x[OTHER], &s->x[X],
                                      &s->x[GAMMA], &s->x[MEAN], &s->x[SPREAD]);
}

/* A row or column of the array: its gradient g, its normalised elements, and ones. */
typedef struct line {
    double *g, *normal, *ones;
} line;

/* gx of a row or column, whose elements are `step` apart; the sums of g, and of its products. */
static void answer_line(const line *l, int64_t length, int64_t step, double factor, double sum,
                        double products, double *gx) {
    const double a = R(sum / (double)length), b = R(products / (double)length);
    for (int64_t k = 0; k < length; ++k)
        gx[k * step] = R(factor * R(R(l->g[k] - a) - R(l->normal[k] * b)));
}

/* Fill in the line of element `at` and those after it; `own`: which statistics, -1 for row k. */
static void fill_line(const spec_bench_arrays *s, const line *l, int64_t at, int64_t step,
                      int64_t length, int64_t own) {
    for (int64_t k = 0; k < length; ++k) {
        const int64_t e = at + k * step, i = own < 0 ? k : own;
        l->g[k] = s->host[OTHER][e];
        l->normal[k] = R(R(s->host[X][e] - s->host[MEAN][i]) * s->host[SPREAD][i]);
    }
}

static void answer_rows(const spec_bench_arrays *s, const line *l, double *gx) {
    const int64_t rows = s->x[X].shape[0], n = s->x[X].shape[1];
    for (int64_t i = 0; i < rows; ++i) {
        fill_line(s, l, i * n, 1, n, i);
        for (int64_t k = 0; k < n; ++k)
            l->g[k] = R(l->g[k] * s->host[GAMMA][k]);
        const double sum = spec_sum_products(SPARCL_F32, l->ones, l->g, 1, n, true);
        const double products = spec_sum_products(SPARCL_F32, l->g, l->normal, 1, n, true);
        answer_line(l, n, 1, s->host[SPREAD][i], sum, products, gx + i * n);
    }
}

/* Sums over the rows, and for batch normalisation gx. */
static void answer_columns(const spec_bench_arrays *s, const line *l, bool is_batch,
                           double *const *order) {
    const int64_t rows = s->x[X].shape[0], n = s->x[X].shape[1];
    for (int64_t j = 0; j < n; ++j) {
        fill_line(s, l, j, n, rows, is_batch ? j : -1);
        order[1][j] = spec_sum_products(SPARCL_F32, l->g, l->normal, 1, rows, false);
        order[2][j] = spec_sum_products(SPARCL_F32, l->ones, l->g, 1, rows, false);
        if (is_batch)
            answer_line(l, rows, n, R(s->host[GAMMA][j] * s->host[SPREAD][j]), order[2][j],
                        order[1][j], order[0] + j);
    }
}

static bool answer_gradient(const spec_bench_call *call, bool is_batch, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const int64_t rows = s->x[X].shape[0], n = s->x[X].shape[1], most = rows > n ? rows : n;
    const line l = {spec_numbers(most, 0), spec_numbers(most, 0), spec_numbers(most, 0)};
    const bool done = l.g && l.normal && l.ones;
    for (int64_t k = 0; done && k < most; ++k)
        l.ones[k] = 1;
    if (done && !is_batch) answer_rows(s, &l, order[0]);
    if (done) answer_columns(s, &l, is_batch, order);
    free(l.g);
    free(l.normal);
    free(l.ones);
    return done;
}

static bool answer_layer_norm_gradient(const spec_bench_call *call, double *const *order) {
    return answer_gradient(call, false, order);
}

static bool answer_batch_norm_gradient(const spec_bench_call *call, double *const *order) {
    return answer_gradient(call, true, order);
}

SPEC_BENCH_OF_ARRAYS(batch_norm_inference, "batch-norm-inference",
                     "batch normalisation by given means and variances, with weights",
                     SPEC_BENCH_WIDTHS)
SPEC_BENCH_OF_ARRAYS(layer_norm_gradient, "layer-norm-gradient",
                     "the gradients of layer-norm by the array and the weights", SPEC_BENCH_WIDTHS)
SPEC_BENCH_OF_ARRAYS(batch_norm_gradient, "batch-norm-gradient",
                     "the gradients of batch-norm by the array and the weights", SPEC_BENCH_WIDTHS)
