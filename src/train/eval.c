/* eval.c: metrics and predictions of a model on a data set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "train/core.h"
#include "train/metrics.h"
#include "train/norm.h"
#include "train/problem.h"
#include "train/score.h"

/* Copy a model's weights to the device, with as many columns as the data. */
static sparcl_status put_weights(spc_weights *w, sparcl_ctx *ctx, const sparcl_model *model,
                                 int64_t columns, sparcl_error *error) {
    const sparcl_model_info *info = sparcl_model_get_info(model);
    *w = (spc_weights){.loss = info->loss,
                       .weights = {.rank = 2, .shape = {columns, info->outputs}}};
    SPC_TRY(spc_check_table(columns, info->outputs, error));
    SPC_TRY(spc_core(ctx, sparcl_dense_zeros(ctx, &w->weights), error));
    sparcl_dense known = w->weights; /* columns that the model does not have stay 0 */
    known.shape[0] = info->columns;
    SPC_TRY(spc_core(ctx, sparcl_dense_upload(ctx, &known, sparcl_model_weights(model)), error));
    if (!sparcl_model_bias(model)) return SPARCL_OK;
    w->bias = (sparcl_dense){.rank = 1, .shape = {info->outputs}};
    return spc_core(ctx, sparcl_dense_upload(ctx, &w->bias, sparcl_model_bias(model)), error);
}

/* Apply a model to all rows of a data set; targets may be NULL where no loss is requested. */
static sparcl_status apply(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                           const float *targets, const spc_scores *scores, sparcl_error *error) {
    const sparcl_model_info *info = sparcl_model_get_info(model);
    const sparcl_data_info *found = sparcl_data_get_info(data);
    const int64_t columns = spc_max_i64(info->columns, found->columns);
    spc_weights weights = {0};
    spc_feed feed = {0};
    float *none = NULL;
    sparcl_status status = SPARCL_OK;
    if (!targets) { /* the feed needs targets; these are not used */
        none = calloc((size_t)(found->rows > 0 ? found->rows : 1), sizeof *none);
        if (!none) return spc_fail_memory(error, "labels", (size_t)found->rows * sizeof *none);
        targets = none;
    }
    SPC_GO(put_weights(&weights, ctx, model, columns, error));
    SPC_GO(spc_feed_open(&feed, ctx, data, targets, columns, spc_feed_limit(ctx, 0), error));
    SPC_GO(spc_score(&feed, &weights, scores, error));
done:
    spc_feed_close(&feed);
    sparcl_dense_free(&weights.weights);
    sparcl_dense_free(&weights.bias);
    free(none);
    return status;
}

/* --- evaluate -------------------------------------------------------------------------------- */

typedef struct work {
    float *targets, *score, *label;
    int32_t *classes;
    int64_t *counts;
} work;

static sparcl_status make_work(work *w, const sparcl_model_info *model, const sparcl_data *data,
                               sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const size_t capacity = (size_t)(rows > 0 ? rows : 1);
    union {
        const double *in;
        double *out;
    } labels = {.in = model->labels}; /* not written */
    const spc_classes classes = {labels.out, model->classes};
    SPC_TRY(spc_targets_make(&w->targets, model->loss, &classes, sparcl_data_labels(data), rows,
                             data, error));
    w->score = calloc(capacity, sizeof *w->score);
    w->label = calloc(capacity, sizeof *w->label);
    w->classes = calloc(capacity, sizeof *w->classes);
    w->counts = calloc((size_t)model->classes + 1, sizeof *w->counts);
    if (w->score && w->label && w->classes && w->counts) return SPARCL_OK;
    return spc_fail_memory(error, "scores", capacity * 12);
}

static void drop_work(work *w) {
    free(w->targets);
    free(w->score);
    free(w->label);
    free(w->classes);
    free(w->counts);
}

static sparcl_status measure_classes(const work *w, const sparcl_model_info *model, int64_t rows,
                                     sparcl_metrics *m, sparcl_error *error) {
    int64_t right = 0;
    for (int64_t i = 0; i < rows; ++i) {
        w->classes[i] = (int32_t)w->targets[i];
        ++w->counts[w->classes[i]];
        right += w->label[i] == w->targets[i];
    }
    m->accuracy = rows > 0 ? (double)right / (double)rows : NAN;
    m->best_constant_loss = spc_constant_class_loss(w->counts, model->classes);
    if (model->loss != SPARCL_LOSS_LOGISTIC) return SPARCL_OK;
    return spc_auc(w->score, w->classes, rows, &m->auc, error);
}

sparcl_status sparcl_eval(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                          sparcl_metrics *metrics, sparcl_error *error) {
    work w = {0};
    sparcl_status status = SPARCL_OK;
    if (!ctx || !model || !data || !metrics)
        return spc_fail(error, SPARCL_E_ARG, "eval: ctx, model, data or metrics is NULL");
    const sparcl_model_info *info = sparcl_model_get_info(model);
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const bool numbers = info->loss == SPARCL_LOSS_SQUARED;
    *metrics = (sparcl_metrics){.rows = rows, .accuracy = NAN, .auc = NAN};
    SPC_TRY(spc_check_base(data, info->index_base, error));
    SPC_TRY(sparcl_data_check_finite(data, error));
    SPC_GO(make_work(&w, info, data, error));
    const spc_scores scores = {.score = w.score, .label = w.label, .mean_loss = &metrics->loss};
    SPC_GO(apply(ctx, model, data, w.targets, &scores, error));
    metrics->objective = metrics->loss + info->l2 * spc_half_norm(model);
    if (numbers)
        metrics->best_constant_loss = spc_constant_squared_loss(sparcl_data_labels(data), rows);
    else
        SPC_GO(measure_classes(&w, info, rows, metrics, error));
done:
    drop_work(&w);
    return status;
}

/* --- predict --------------------------------------------------------------------------------- */

sparcl_status sparcl_predict(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                             double *label, float *p, sparcl_error *error) {
    if (!ctx || !model || !data || !label || !p)
        return spc_fail(error, SPARCL_E_ARG, "predict: ctx, model, data, label or p is NULL");
    const sparcl_model_info *info = sparcl_model_get_info(model);
    const int64_t rows = sparcl_data_get_info(data)->rows;
    SPC_TRY(spc_check_base(data, info->index_base, error));
    SPC_TRY(sparcl_data_check_finite(data, error));
    float *found = malloc((size_t)(rows > 0 ? rows : 1) * sizeof *found);
    if (!found) return spc_fail_memory(error, "labels", (size_t)rows * sizeof *found);
    const spc_scores scores = {.label = found, .p = p};
    const sparcl_status status = apply(ctx, model, data, NULL, &scores, error);
    for (int64_t i = 0; status == SPARCL_OK && i < rows; ++i)
        label[i] = info->labels ? info->labels[(int64_t)found[i]] : (double)found[i];
    free(found);
    return status;
}
