/* linear_objective.c: the objective of a linear model on all rows, and its gradient. */
#include "train/linear_objective.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "sparcl/ops.h"

/* Rows of a slice where not all rows are on the device, or have too many scores. */
enum { SLICE_SCORES = 1 << 22, SLICE_ROWS = 16384 };

static int64_t slice_rows(const spc_linear_objective *o) {
    const int64_t most = spc_max_i64(1, SLICE_SCORES / o->outputs);
    return spc_min_i64(o->feed->rows,
                       o->feed->place->on_host ? spc_min_i64(most, SLICE_ROWS) : most);
}

static sparcl_dense vector(int64_t n) {
    return (sparcl_dense){.rank = 1, .shape = {n}};
}

static sparcl_dense matrix(int64_t rows, int64_t columns) {
    return (sparcl_dense){.rank = 2, .shape = {rows, columns}};
}

static void set_scales(spc_linear_objective *o, double l2) {
    const spc_scaling *const s = o->feed->scaling;
    o->bias_scale = s ? s->bias_scale : 1;
    for (int64_t j = 0; j < o->columns; ++j)
        o->penalty[j] = s ? l2 / s->scale[j] / s->scale[j] : l2;
}

sparcl_status spc_linear_objective_open(spc_linear_objective *o, spc_feed *feed, sparcl_loss loss,
                                        double l2, int64_t outputs, bool has_bias,
                                        sparcl_error *error) {
    *o = (spc_linear_objective){.ctx = feed->ctx,
                                .feed = feed,
                                .loss = loss,
                                .columns = feed->batch.columns,
                                .outputs = outputs,
                                .has_bias = has_bias};
    o->count = o->columns * outputs + (has_bias ? outputs : 0);
    o->slice = slice_rows(o);
    o->weights = o->gradient = matrix(o->columns, outputs);
    o->bias = o->bias_gradient = vector(outputs);
    o->scores = matrix(o->slice, outputs);
    o->losses = vector(o->slice);
    sparcl_dense *const all[] = {&o->weights,       &o->gradient, &o->bias,
                                 &o->bias_gradient, &o->scores,   &o->losses};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        SPC_TRY(spc_core(o->ctx, sparcl_dense_zeros(o->ctx, all[i]), error));
    if (o->slice == feed->rows && !feed->place->on_host) /* else rows are copied again each time */
        SPC_TRY(spc_core(o->ctx, sparcl_pattern_create(o->ctx, &o->pattern), error));
    const size_t bytes = (size_t)spc_max_i64(o->count, o->slice) * sizeof *o->numbers;
    o->numbers = malloc(bytes + 1);
    o->penalty = malloc((size_t)o->columns * sizeof *o->penalty + 1);
    if (!o->numbers || !o->penalty) return spc_fail_memory(error, "parameters", bytes);
    set_scales(o, l2);
    return SPARCL_OK;
}

void spc_linear_objective_close(spc_linear_objective *o) {
    sparcl_dense *const all[] = {&o->weights,       &o->gradient, &o->bias,
                                 &o->bias_gradient, &o->scores,   &o->losses};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        sparcl_dense_free(all[i]);
    sparcl_pattern_free(o->pattern);
    free(o->numbers);
    free(o->penalty);
    memset(o, 0, sizeof *o);
}

/* --- parameters and gradients ----------------------------------------------------------------- */

static sparcl_status put(const spc_linear_objective *o, const sparcl_dense *to, const float *from,
                         int64_t count, sparcl_error *error) {
    return spc_core(o->ctx, sparcl_buf_write(o->ctx, to->values, 0, count * 4, from), error);
}

static sparcl_status put_parameters(spc_linear_objective *o, const double *x, sparcl_error *error) {
    const int64_t weights = o->columns * o->outputs;
    for (int64_t i = 0; i < o->count; ++i)
        o->numbers[i] = (float)(i < weights ? x[i] : x[i] / o->bias_scale);
    SPC_TRY(put(o, &o->weights, o->numbers, weights, error));
    return o->has_bias ? put(o, &o->bias, o->numbers + weights, o->outputs, error) : SPARCL_OK;
}

/* The gradient of the loss from the device, and that of the penalty, whose value this also is. */
static sparcl_status get_gradient(spc_linear_objective *o, const double *x, double *gradient,
                                  double *penalty, sparcl_error *error) {
    const int64_t weights = o->columns * o->outputs;
    SPC_TRY(spc_core(o->ctx, sparcl_dense_read(o->ctx, &o->gradient, o->numbers), error));
    if (o->has_bias)
        SPC_TRY(spc_core(o->ctx, sparcl_dense_read(o->ctx, &o->bias_gradient, o->numbers + weights),
                         error));
    *penalty = 0;
    for (int64_t i = 0; i < weights; ++i) {
        const double slope = o->penalty[i / o->outputs] * x[i];
        gradient[i] = (double)o->numbers[i] + slope;
        *penalty += slope * x[i] / 2;
    }
    for (int64_t i = weights; i < o->count; ++i)
        gradient[i] = (double)o->numbers[i] / o->bias_scale;
    return SPARCL_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

static sparcl_status weigh(sparcl_ctx *ctx, const spc_inputs *in, const sparcl_dense *gradient,
                           const sparcl_dense *losses) {
    sparcl_dense of_rows = in->weights;
    SPC_TRY(sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, losses, losses, &in->weights));
    of_rows.rank = 2;
    of_rows.shape[1] = 1;
    return sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, gradient, gradient, &of_rows);
}

static sparcl_status add_slice(spc_linear_objective *o, int64_t first, int64_t rows, double *sum,
                               sparcl_error *error) {
    spc_inputs in = {0};
    sparcl_dense scores = o->scores, losses = o->losses;
    const sparcl_dense *const bias = o->has_bias ? &o->bias : NULL;
    const double before = first > 0 ? 1 : 0, scale = 1 / (double)o->feed->rows;
    sparcl_ctx *const ctx = o->ctx;
    scores.shape[0] = losses.shape[0] = rows;
    SPC_TRY(spc_feed_slice(o->feed, first, rows, &in, error));
    sparcl_status status = sparcl_spmm(ctx, &scores, 1, &in.x, &o->weights, 0);
    if (status == SPARCL_OK)
        status =
            sparcl_loss_gradient(ctx, o->loss, &scores, bias, &in.labels, scale, &scores, &losses);
    if (status == SPARCL_OK && o->residuals)
        status = sparcl_dense_read(ctx, &scores, o->residuals + first * o->outputs);
    if (status == SPARCL_OK && in.weights.values) status = weigh(ctx, &in, &scores, &losses);
    if (status == SPARCL_OK && o->pattern && !o->has_pattern)
        status = sparcl_pattern_build(ctx, o->pattern, &in.x);
    o->has_pattern = status == SPARCL_OK;
    if (status == SPARCL_OK)
        status = sparcl_spmm_t(ctx, &o->gradient, 1, &in.x, &scores, before, o->pattern);
    if (status == SPARCL_OK && bias)
        status = sparcl_sum_rows(ctx, &o->bias_gradient, 1, &scores, before);
    if (status == SPARCL_OK) status = sparcl_dense_read(ctx, &losses, o->numbers);
    for (int64_t i = 0; status == SPARCL_OK && i < rows; ++i)
        *sum += (double)o->numbers[i];
    return spc_core(ctx, status, error);
}

sparcl_status spc_linear_objective_at(void *user, const double *x, double *value, double *gradient,
                                      sparcl_error *error) {
    spc_linear_objective *const o = user;
    double sum = 0, penalty;
    SPC_TRY(put_parameters(o, x, error));
    for (int64_t first = 0; first < o->feed->rows; first += o->slice)
        SPC_TRY(add_slice(o, first, spc_min_i64(o->slice, o->feed->rows - first), &sum, error));
    SPC_TRY(get_gradient(o, x, gradient, &penalty, error));
    o->mean_loss = sum / (double)o->feed->rows;
    *value = o->mean_loss + penalty;
    return SPARCL_OK;
}
