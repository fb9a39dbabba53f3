/* bench_layers.c: timed operations on dense arrays with the rows of A: dropout, layer and batch
 * normalisation. */
#include <math.h>
#include <stdlib.h>

#include "spec/bench/bench.h"
#include "spec/layers/philox.h"

#define RATE    0.25
#define SEED    7
#define EPSILON 1e-5

typedef struct operands {
    sparcl_dense x, y; /* y: the result */
    double *host;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    free(x->host);
    sparcl_dense_free(&x->x);
    sparcl_dense_free(&x->y);
}

static sparcl_status put_numbers(sparcl_ctx *ctx, const spec_bench_call *call, sparcl_dense *view,
                                 double **host, uint64_t seed) {
    const int64_t rows = call->input->matrix->rows, n = call->input->n;
    *view = (sparcl_dense){.rank = 2, .shape = {rows, n}};
    *host = spec_numbers(rows * n, seed);
    return *host ? spec_put_reals(ctx, &view->values, *host, rows * n, SPARCL_F32)
                 : SPARCL_E_MEMORY;
}

/* An array is read and one is written. */
static sparcl_status open_layer(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const sparcl_status status = put_numbers(ctx, call, &x->x, &x->host, 3);
    const double count = (double)call->input->matrix->rows * (double)call->input->n;
    x->y = x->x;
    x->y.values = NULL;
    call->flops = count;
    call->bytes = 8 * count;
    return status == SPARCL_OK ? sparcl_dense_create(ctx, &x->y) : status;
}

/* Compare y with the plain-C answer. */
static sparcl_status compare(sparcl_ctx *ctx, const operands *x, const double *order,
                             spec_report *report) {
    *report = (spec_report){.equal = true, .zeros_expected = true};
    return spec_bench_compare_dense(ctx, "y", &x->y, order, report);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->y.values);
}

/* --- dropout ---------------------------------------------------------------------------------- */

static sparcl_status run_dropout(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_dropout(ctx, &x->y, &x->x, RATE, SEED, 0);
}

static sparcl_status check_dropout(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    const operands *const x = call->state;
    const int64_t count = x->y.shape[0] * x->y.shape[1];
    double *const order = spec_numbers(count, 0);
    const double scale = spec_round(SPARCL_F32, 1 / (1 - RATE));
    for (int64_t e = 0; order && e < count; ++e)
        order[e] = spec_dropout_word(e, SEED, 0) >= RATE * 0x1p32
                       ? spec_round(SPARCL_F32, x->host[e] * scale)
                       : 0;
    const sparcl_status status = order ? compare(ctx, x, order, report) : SPARCL_E_MEMORY;
    free(order);
    return status;
}

SPEC_BENCH(dropout, "dropout", "dropout of a dense array with the rows of A", SPEC_BENCH_WIDTHS,
           open_layer, run_dropout, check_dropout)

/* --- normalisation ---------------------------------------------------------------------------- */

static sparcl_status run_layer_norm(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_layer_norm(ctx, &x->y, &x->x, NULL, NULL, EPSILON, NULL, NULL);
}

static sparcl_status run_batch_norm(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_batch_norm(ctx, &x->y, &x->x, NULL, NULL, EPSILON, NULL, NULL, 0, NULL, NULL);
}

#define R(x) spec_round(SPARCL_F32, (x))

/* `length` elements, one every `step`, which is 1 along a row; line and ones have as many. */
static void answer_line(const double *x, int64_t length, int64_t step, bool is_row,
                        const double *ones, double *line, double *order) {
    for (int64_t k = 0; k < length; ++k)
        line[k] = x[k * step];
    const double count = (double)length;
    const double mean = R(spec_sum_products(SPARCL_F32, ones, line, 1, length, is_row) / count);
    for (int64_t k = 0; k < length; ++k)
        line[k] = R(line[k] - mean);
    const double variance = R(spec_sum_products(SPARCL_F32, line, line, 1, length, is_row) / count);
    const double rstd = R(1 / R(sqrt(R(variance + R(EPSILON)))));
    for (int64_t k = 0; k < length; ++k)
        order[k * step] = R(line[k] * rstd);
}

static sparcl_status check_norm(sparcl_ctx *ctx, const spec_bench_call *call, bool is_row,
                                spec_report *report) {
    const operands *const x = call->state;
    const int64_t rows = x->y.shape[0], n = x->y.shape[1];
    const int64_t lines = is_row ? rows : n, length = is_row ? n : rows, step = is_row ? 1 : n;
    double *const order = spec_numbers(rows * n, 0), *const ones = spec_numbers(length, 0);
    double *const line = spec_numbers(length, 0);
    sparcl_status status = SPARCL_E_MEMORY;
    if (order && ones && line) {
        for (int64_t k = 0; k < length; ++k)
            ones[k] = 1;
        for (int64_t i = 0; i < lines; ++i)
            answer_line(x->host + i * (is_row ? n : 1), length, step, is_row, ones, line,
                        order + i * (is_row ? n : 1));
        status = compare(ctx, x, order, report);
    }
    free(order);
    free(ones);
    free(line);
    return status;
}

static sparcl_status check_layer_norm(sparcl_ctx *ctx, const spec_bench_call *call,
                                      spec_report *report) {
    return check_norm(ctx, call, true, report);
}

static sparcl_status check_batch_norm(sparcl_ctx *ctx, const spec_bench_call *call,
                                      spec_report *report) {
    return check_norm(ctx, call, false, report);
}

SPEC_BENCH(layer_norm, "layer-norm", "layer normalisation of a dense array with the rows of A",
           SPEC_BENCH_WIDTHS, open_layer, run_layer_norm, check_layer_norm)
SPEC_BENCH(batch_norm, "batch-norm", "batch normalisation of a dense array with the rows of A",
           SPEC_BENCH_WIDTHS, open_layer, run_batch_norm, check_batch_norm)
