/* eval.c: metrics and predictions of a model on a data set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/model_object.h"
#include "train/apply.h"
#include "train/metrics.h"
#include "train/problem.h"

/* --- evaluate -------------------------------------------------------------------------------- */

typedef struct work {
    float *targets, *label;
    float *scores; /* [rows, outputs] for metrics of the architecture; [rows] for AUC; or NULL */
    int32_t *classes;
    int64_t *counts;
} work;

static sparcl_status make_work(work *w, const sparcl_model *model, const sparcl_data *data,
                               sparcl_error *error) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const size_t capacity = (size_t)(rows > 0 ? rows : 1);
    union {
        const double *in;
        double *out;
    } labels = {.in = info->labels}; /* not written */
    const spc_classes classes = {labels.out, info->classes};
    const bool has_scores =
        info->loss == SPARCL_LOSS_LOGISTIC || model->architecture.metric_count > 0;
    SPC_TRY(spc_targets_make(&w->targets, model->architecture.task, info->loss, &classes,
                             sparcl_data_labels(data), rows, data, error));
    if (has_scores) w->scores = calloc(capacity, (size_t)info->outputs * sizeof *w->scores);
    w->label = calloc(capacity, sizeof *w->label);
    w->classes = calloc(capacity, sizeof *w->classes);
    w->counts = calloc((size_t)info->classes + 1, sizeof *w->counts);
    if ((w->scores || !has_scores) && w->label && w->classes && w->counts) return SPARCL_OK;
    return spc_fail_memory(error, "scores", capacity * 12);
}

static void drop_work(work *w) {
    free(w->targets);
    free(w->scores);
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
    return spc_auc(w->scores, w->classes, rows, &m->auc, error);
}

static void measure_own(const work *w, const sparcl_model *model, int64_t rows, sparcl_metrics *m) {
    const sparcl_architecture *const a = &model->architecture;
    for (int i = 0; i < a->metric_count; ++i)
        m->own[i] =
            a->metrics[i].compute(a->user, rows, model->info.outputs, w->scores, w->targets);
}

sparcl_status sparcl_eval(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                          sparcl_metrics *metrics, sparcl_error *error) {
    work w = {0};
    double penalty = 0;
    sparcl_status status = SPARCL_OK;
    if (!ctx || !model || !data || !metrics)
        return spc_fail(error, SPARCL_E_ARG, "eval: ctx, model, data or metrics is NULL");
    const sparcl_model_info *info = sparcl_model_get_info(model);
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const bool numbers = info->loss == SPARCL_LOSS_SQUARED;
    *metrics = (sparcl_metrics){.rows = rows, .accuracy = NAN, .auc = NAN};
    SPC_TRY(spc_check_base(data, info->index_base, error));
    SPC_TRY(sparcl_data_check_finite(data, error));
    SPC_GO(make_work(&w, model, data, error));
    const spc_scores scores = {.scores = w.scores,
                               .label =
                                   model->architecture.task == SPARCL_TASK_LABELS ? w.label : NULL,
                               .mean_loss = &metrics->loss};
    SPC_GO(spc_apply(ctx, model, data, w.targets, &scores, &penalty, error));
    metrics->objective = metrics->loss + penalty;
    measure_own(&w, model, rows, metrics);
    if (model->architecture.task == SPARCL_TASK_RECONSTRUCT)
        SPC_GO(spc_constant_reconstruction_loss(data, &metrics->best_constant_loss, error));
    else if (numbers)
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
    if (model->architecture.task != SPARCL_TASK_LABELS)
        return spc_fail(error, SPARCL_E_ARG,
                        "predict: a model of the kind %s predicts no labels; use sparcl_encode",
                        model->architecture.name);
    SPC_TRY(spc_check_base(data, info->index_base, error));
    SPC_TRY(sparcl_data_check_finite(data, error));
    float *found = malloc((size_t)(rows > 0 ? rows : 1) * sizeof *found);
    if (!found) return spc_fail_memory(error, "labels", (size_t)rows * sizeof *found);
    const spc_scores scores = {.label = found, .p = p};
    const sparcl_status status = spc_apply(ctx, model, data, NULL, &scores, NULL, error);
    for (int64_t i = 0; status == SPARCL_OK && i < rows; ++i)
        label[i] = info->labels ? info->labels[(int64_t)found[i]] : (double)found[i];
    free(found);
    return status;
}
