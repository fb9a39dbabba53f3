/* eval.c: metrics and predictions of a model on a data set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/loss_kind.h"
#include "model/model_object.h"
#include "train/apply_model.h"
#include "train/class_report.h"
#include "train/measure.h"
#include "train/metrics.h"
#include "train/nodes.h"
#include "train/problem.h"
#include "train/row_weights.h"

/* --- evaluate -------------------------------------------------------------------------------- */

/* Of all rows of the data, or, once they are computed, of those that are evaluated. */
typedef struct work {
    float *targets;
    float *weights;   /* NULL: 1 */
    float *label, *p; /* NULL: not predicted */
    float *scores; /* [rows, outputs] for metrics of the architecture; [rows] for curves; or NULL */
    double *labels; /* as in the data */
    spc_unknown unknown;
} work;

static sparcl_status make_rows(work *w, const sparcl_model *model, const sparcl_data *data,
                               const sparcl_node_rows *nodes, sparcl_error *error) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const spc_row_list which = {nodes ? nodes->rows : NULL, nodes ? nodes->count : rows};
    union {
        const double *in;
        double *out;
    } labels = {.in = info->labels}; /* not written */
    const spc_classes classes = {.labels = labels.out, .count = info->classes};
    return spc_evaluated_rows_make(&w->targets, &w->weights, &w->unknown, model->architecture.task,
                                   info->loss, &classes, data, &which,
                                   sparcl_data_weights(data) != NULL, error);
}

static sparcl_status make_work(work *w, const sparcl_model *model, int64_t rows,
                               sparcl_error *error) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    const size_t capacity = (size_t)(rows > 0 ? rows : 1);
    const bool predicts = spc_task_has_labels(model->architecture.task);
    const bool has_scores = spc_loss_is_binary(info->loss) || spc_maps_labels(model) ||
                            model->architecture.metric_count > 0;
    if (has_scores) w->scores = calloc(capacity, (size_t)info->outputs * sizeof *w->scores);
    if (predicts) w->label = calloc(capacity, sizeof *w->label);
    if (predicts) w->p = calloc(capacity, sizeof *w->p);
    w->labels = calloc(capacity, sizeof *w->labels);
    if ((w->scores || !has_scores) && ((w->label && w->p) || !predicts) && w->labels)
        return SPARCL_OK;
    return spc_fail_memory(error, "scores", capacity * 16);
}

/* Those of a list of rows, in place of those of all. */
static sparcl_status choose(float **of_all, const int64_t *list, int64_t rows,
                            sparcl_error *error) {
    if (!*of_all) return SPARCL_OK;
    float *const chosen = calloc((size_t)rows + 1, sizeof *chosen);
    if (!chosen) return spc_fail_memory(error, "labels", (size_t)rows * sizeof *chosen);
    for (int64_t i = 0; i < rows; ++i)
        chosen[i] = (*of_all)[list[i]];
    free(*of_all);
    *of_all = chosen;
    return SPARCL_OK;
}

/* Labels, targets and weights of the rows that are evaluated: all, or those of a list. */
static sparcl_status choose_rows(work *w, const sparcl_data *data, const sparcl_node_rows *nodes,
                                 int64_t rows, sparcl_error *error) {
    const double *const labels = sparcl_data_labels(data);
    for (int64_t i = 0; labels && i < rows; ++i)
        w->labels[i] = labels[nodes ? nodes->rows[i] : i];
    if (!nodes) return SPARCL_OK;
    SPC_TRY(choose(&w->targets, nodes->rows, rows, error));
    return choose(&w->weights, nodes->rows, rows, error);
}

static void drop_work(work *w) {
    free(w->targets);
    free(w->weights);
    free(w->scores);
    free(w->label);
    free(w->p);
    free(w->labels);
}

/* Move the scores and targets of rows whose label is a class to the front; their number. */
static int64_t keep_known(work *w, const sparcl_model_info *info, int64_t rows) {
    int64_t known = 0;
    for (int64_t i = 0; i < rows; ++i) {
        if (w->unknown.rows > 0 && spc_class_of(info->labels, info->classes, w->labels[i]) < 0)
            continue;
        for (int64_t k = 0; k < info->outputs && known < i; ++k)
            w->scores[known * info->outputs + k] = w->scores[i * info->outputs + k];
        w->targets[known++] = w->targets[i];
    }
    return known;
}

/* Changes the scores and the targets. */
static void measure_own(work *w, const sparcl_model *model, sparcl_metrics *m) {
    const sparcl_architecture *const a = &model->architecture;
    if (a->metric_count == 0) return;
    const int64_t rows = keep_known(w, &model->info, m->rows);
    for (int i = 0; i < a->metric_count; ++i)
        m->own[i] =
            a->metrics[i].compute(a->user, rows, model->info.outputs, w->scores, w->targets);
}

static sparcl_status measure_labels(const spc_predictions *found, sparcl_metrics *m,
                                    sparcl_error *error) {
    return spc_loss_has_numbers(found->loss) ? spc_measure_numbers(found, m, error)
                                             : spc_measure_classes(found, m, error);
}

/* Weights as the data have them, but 0 of rows that are left out; those of metrics have the mean 1.
 */
static sparcl_status make_report(const work *w, const spc_predictions *found,
                                 const sparcl_data *data, const sparcl_node_rows *nodes,
                                 sparcl_class_report **report, sparcl_error *error) {
    const float *const own = sparcl_data_weights(data);
    const size_t bytes = (size_t)found->rows * sizeof *own;
    spc_predictions of = *found;
    if (!report || spc_loss_has_numbers(found->loss)) return SPARCL_OK;
    if (!w->weights) return spc_class_report_make(report, found, error);
    float *const weights = malloc(bytes + 1);
    if (!weights) return spc_fail_memory(error, "weights", bytes);
    for (int64_t i = 0; i < found->rows; ++i)
        weights[i] = !(w->weights[i] > 0) ? 0 : own ? own[nodes ? nodes->rows[i] : i] : 1;
    of.weights = weights;
    const sparcl_status status = spc_class_report_make(report, &of, error);
    free(weights);
    return status;
}

/* Where predictions are finite, scores may not be: the probability of an infinite one is 1. */
static int64_t count_not_finite(const work *w, int64_t rows, int64_t outputs) {
    int64_t found = 0;
    for (int64_t i = 0; i < rows; ++i) {
        bool is_finite = !w->p || isfinite(w->p[i]);
        for (int64_t k = 0; w->scores && k < outputs; ++k)
            is_finite = is_finite && isfinite(w->scores[i * outputs + k]);
        found += !is_finite;
    }
    return found;
}

static sparcl_status measure(work *w, const sparcl_model *model, const sparcl_data *data,
                             const sparcl_node_rows *nodes, sparcl_metrics *m,
                             sparcl_class_report **report, sparcl_error *error) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    const spc_predictions found = {.rows = m->rows,
                                   .classes = info->classes,
                                   .loss = info->loss,
                                   .scores = w->scores,
                                   .label = w->label,
                                   .p = w->p,
                                   .targets = w->targets,
                                   .labels = w->labels,
                                   .weights = w->weights,
                                   .known = w->unknown.known};
    m->not_finite = count_not_finite(w, m->rows, info->outputs);
    m->unknown_labels = w->unknown.rows;
    SPC_TRY(model->architecture.task == SPARCL_TASK_RECONSTRUCT
                ? spc_constant_reconstruction_loss(data, w->weights, &m->best_constant_loss, error)
                : measure_labels(&found, m, error));
    SPC_TRY(make_report(w, &found, data, nodes, report, error));
    measure_own(w, model, m);
    return SPARCL_OK;
}

/* All rows, or nodes of a graph. */
static sparcl_status apply(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                           const sparcl_node_rows *nodes, const float *targets,
                           const float *weights, const spc_scores *scores, double *penalty,
                           sparcl_error *error) {
    if (!nodes) return spc_apply(ctx, model, data, targets, weights, scores, penalty, error);
    return spc_apply_nodes(ctx, model, data, nodes, targets, weights, scores, penalty, error);
}

static sparcl_status check_data(const sparcl_model *model, const sparcl_data *data,
                                const sparcl_node_rows *nodes, const char *what,
                                sparcl_error *error) {
    const sparcl_architecture *const a = &model->architecture;
    if ((a->task == SPARCL_TASK_NODES) != (nodes != NULL))
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: a model of the kind %s %s a graph between rows; use sparcl_%s%s", what,
                        a->name, nodes ? "does not read" : "reads", what, nodes ? "" : "_nodes");
    if (a->task == SPARCL_TASK_RANK)
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: a model of the kind %s ranks items; use sparcl_rank_eval or "
                        "sparcl_recommend",
                        what, a->name);
    if (nodes && !nodes->edges) return spc_fail(error, SPARCL_E_ARG, "%s: edges is NULL", what);
    SPC_TRY(spc_check_base(data, sparcl_model_get_info(model)->index_base, error));
    return sparcl_data_check_finite(data, error);
}

/* Labels, probabilities and the loss of a model that is calibrated. */
static void calibrate(work *w, const sparcl_model *model, sparcl_metrics *m) {
    double sum = 0, weights = 0;
    spc_map_scores(model, w->scores, m->rows, w->label, w->p);
    for (int64_t i = 0; i < m->rows; ++i) {
        const double weight = w->weights ? (double)w->weights[i] : 1;
        const float *const scores = w->scores + i * model->info.outputs;
        if (weight == 0) continue; /* also where the label is none that the model knows */
        sum += weight * spc_mapped_loss(model, scores, (int64_t)w->targets[i]);
        weights += weight;
    }
    m->loss = sum / weights;
}

static sparcl_status check_threshold(const sparcl_model *model, double threshold,
                                     sparcl_error *error) {
    const sparcl_loss loss = sparcl_model_get_info(model)->loss;
    if (isnan(threshold)) return SPARCL_OK;
    if (isnan(sparcl_model_probability(model, 0)))
        return spc_fail(error, SPARCL_E_ARG,
                        "eval: a threshold is for two classes with probabilities, not for %s loss",
                        sparcl_loss_name(loss));
    if (threshold >= 0 && threshold <= 1) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "eval: threshold is %g, expected a probability, 0 to 1",
                    threshold);
}

/* The higher class where its probability is at least `threshold`; NaN: as the model has it. */
static void choose_labels(const work *w, const sparcl_model *model, int64_t rows,
                          double threshold) {
    for (int64_t i = 0; !isnan(threshold) && i < rows; ++i) {
        double p[2];
        (void)sparcl_model_probabilities(model, &w->scores[i], p);
        const bool is_higher = p[1] >= threshold;
        w->label[i] = is_higher;
        w->p[i] = (float)p[is_higher];
    }
}

static sparcl_status evaluate(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                              const sparcl_node_rows *nodes, double threshold,
                              sparcl_metrics *metrics, sparcl_class_report **report,
                              sparcl_error *error) {
    work w = {0};
    double penalty = 0;
    sparcl_status status = SPARCL_OK;
    if (!ctx || !model || !data || !metrics)
        return spc_fail(error, SPARCL_E_ARG, "eval: ctx, model, data or metrics is NULL");
    const int64_t rows = nodes ? nodes->count : sparcl_data_get_info(data)->rows;
    *metrics = spc_no_metrics(rows);
    SPC_TRY(check_data(model, data, nodes, "eval", error));
    SPC_TRY(check_threshold(model, threshold, error));
    if (nodes)
        SPC_TRY(spc_check_node_list(sparcl_data_get_info(data)->rows, nodes->rows, nodes->count,
                                    "nodes", error));
    SPC_GO(make_rows(&w, model, data, nodes, error));
    SPC_GO(make_work(&w, model, rows, error));
    const spc_scores scores = {
        .scores = w.scores, .label = w.label, .p = w.p, .mean_loss = &metrics->loss};
    SPC_GO(apply(ctx, model, data, nodes, w.targets, w.weights, &scores, &penalty, error));
    SPC_GO(choose_rows(&w, data, nodes, rows, error));
    if (spc_maps_labels(model)) calibrate(&w, model, metrics);
    choose_labels(&w, model, rows, threshold);
    metrics->objective = metrics->loss + penalty;
    SPC_GO(measure(&w, model, data, nodes, metrics, report, error));
done:
    drop_work(&w);
    return status;
}

sparcl_status sparcl_eval(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                          sparcl_metrics *metrics, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(
        ctx, evaluate(ctx, model, data, NULL, (double)NAN, metrics, NULL, &found), &found, error);
}

static sparcl_status evaluate_nodes(sparcl_ctx *ctx, const sparcl_model *model,
                                    const sparcl_data *data, const sparcl_node_rows *rows,
                                    sparcl_metrics *metrics, sparcl_error *error) {
    if (!rows) return spc_fail(error, SPARCL_E_ARG, "eval: rows is NULL");
    return evaluate(ctx, model, data, rows, (double)NAN, metrics, NULL, error);
}

sparcl_status sparcl_eval_nodes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                                const sparcl_node_rows *rows, sparcl_metrics *metrics,
                                sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, evaluate_nodes(ctx, model, data, rows, metrics, &found), &found,
                             error);
}

static sparcl_status evaluate_classes(sparcl_ctx *ctx, const sparcl_model *model,
                                      const sparcl_data *data, const sparcl_node_rows *rows,
                                      double threshold, sparcl_metrics *metrics,
                                      sparcl_class_report **report, sparcl_error *error) {
    if (!report) return spc_fail(error, SPARCL_E_ARG, "eval: report is NULL");
    *report = NULL;
    return evaluate(ctx, model, data, rows, threshold, metrics, report, error);
}

sparcl_status sparcl_eval_classes(sparcl_ctx *ctx, const sparcl_model *model,
                                  const sparcl_data *data, const sparcl_node_rows *rows,
                                  sparcl_metrics *metrics, sparcl_class_report **report,
                                  sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(
        ctx, evaluate_classes(ctx, model, data, rows, (double)NAN, metrics, report, &found), &found,
        error);
}

sparcl_status sparcl_eval_threshold(sparcl_ctx *ctx, const sparcl_model *model,
                                    const sparcl_data *data, double threshold,
                                    sparcl_metrics *metrics, sparcl_class_report **report,
                                    sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(
        ctx, evaluate_classes(ctx, model, data, NULL, threshold, metrics, report, &found), &found,
        error);
}

/* --- predict --------------------------------------------------------------------------------- */

static sparcl_status predict(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                             const sparcl_node_rows *nodes, double *label, float *p, float *raw,
                             sparcl_error *error) {
    if (!ctx || !model || !data || !label || !p)
        return spc_fail(error, SPARCL_E_ARG, "predict: ctx, model, data, label or p is NULL");
    const sparcl_model_info *info = sparcl_model_get_info(model);
    const int64_t rows = nodes ? nodes->count : sparcl_data_get_info(data)->rows;
    if (model->architecture.task == SPARCL_TASK_RECONSTRUCT)
        return spc_fail(error, SPARCL_E_ARG,
                        "predict: a model of the kind %s predicts no labels; use sparcl_encode",
                        model->architecture.name);
    SPC_TRY(check_data(model, data, nodes, "predict", error));
    const bool calibrates = spc_maps_labels(model);
    const int64_t own = calibrates && !raw ? info->outputs : 0;
    const size_t capacity = (size_t)(rows > 0 ? rows : 1) * (size_t)(1 + own);
    float *found = malloc(capacity * sizeof *found);
    if (!found) return spc_fail_memory(error, "labels", capacity * sizeof *found);
    const spc_scores scores = {.label = found, .p = p, .scores = own ? found + rows : raw};
    const sparcl_status status = apply(ctx, model, data, nodes, NULL, NULL, &scores, NULL, error);
    if (status == SPARCL_OK && calibrates) spc_map_scores(model, scores.scores, rows, found, p);
    for (int64_t i = 0; status == SPARCL_OK && i < rows; ++i)
        label[i] = info->labels ? info->labels[(int64_t)found[i]] : (double)found[i];
    free(found);
    return status;
}

sparcl_status sparcl_predict(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                             double *label, float *p, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, predict(ctx, model, data, NULL, label, p, NULL, &found), &found,
                             error);
}

static sparcl_status predict_nodes(sparcl_ctx *ctx, const sparcl_model *model,
                                   const sparcl_data *data, const sparcl_node_rows *rows,
                                   double *label, float *p, sparcl_error *error) {
    if (!rows) return spc_fail(error, SPARCL_E_ARG, "predict: rows is NULL");
    return predict(ctx, model, data, rows, label, p, NULL, error);
}

sparcl_status sparcl_predict_nodes(sparcl_ctx *ctx, const sparcl_model *model,
                                   const sparcl_data *data, const sparcl_node_rows *rows,
                                   double *label, float *p, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, predict_nodes(ctx, model, data, rows, label, p, &found), &found,
                             error);
}

static sparcl_status predict_scores(sparcl_ctx *ctx, const sparcl_model *model,
                                    const sparcl_data *data, const sparcl_node_rows *rows,
                                    double *label, float *p, float *scores, sparcl_error *error) {
    if (!scores) return spc_fail(error, SPARCL_E_ARG, "predict: scores is NULL");
    return predict(ctx, model, data, rows, label, p, scores, error);
}

sparcl_status sparcl_predict_scores(sparcl_ctx *ctx, const sparcl_model *model,
                                    const sparcl_data *data, const sparcl_node_rows *rows,
                                    double *label, float *p, float *scores, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, predict_scores(ctx, model, data, rows, label, p, scores, &found),
                             &found, error);
}
