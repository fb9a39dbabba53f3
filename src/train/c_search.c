/* c_search.c: chooses C for L-BFGS. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "sparcl/apply.h"
#include "sparcl/ops/losses.h"
#include "train/auto_select.h"
#include "train/row_weights.h"
#include "train/scaling.h"
#include "train/train_lbfgs.h"
#include "train/trial.h"

/* Of the penalty in the curvature of the objective, where it no longer matters. */
static const double share_of_penalty = 1e-6;

static const int64_t most_rows = 20000, most_work = 20000000;

/* Of the first gradient. Where a pass takes long, larger ones change nothing of use: 105 classes of
 * 55 197 words have the same labels. */
typedef struct tolerances {
    double trial, result;
} tolerances;
static const tolerances usual = {1e-3, 1e-6}, of_large = {1e-2, 1e-4};

/* --- parts ----------------------------------------------------------------------------------- */

/* Each part that is held out has a row. */
static int64_t count_parts(const spc_trial *t) {
    return spc_min_i64(SPC_FOLDS, sparcl_data_get_info(t->data)->rows);
}

/* Whether a pass over the rows takes long: scores of entries. */
static bool is_large(const spc_trial *t) {
    const double entries = (double)sparcl_data_get_info(t->data)->entries;
    return entries * (double)t->parameters / (double)(t->columns + 1) > (double)most_work;
}

static const tolerances *tolerances_of(const spc_trial *t) {
    return is_large(t) ? &of_large : &usual;
}

static int choose_folds(const spc_trial *t) {
    const bool has_few_rows = sparcl_data_get_info(t->data)->rows <= most_rows;
    return has_few_rows && !is_large(t) ? (int)count_parts(t) : 1;
}

static sparcl_status split(spc_trial *t, sparcl_error *error) {
    const int folds = t->result->folds;
    for (int f = 0; f < folds; ++f) {
        SPC_TRY(sparcl_data_fold(spc_trial_data(t), count_parts(t), f, t->desc.seed, &t->rest[f],
                                 &t->held[f], error));
        t->start[f] = calloc((size_t)t->parameters, sizeof(double));
        if (!t->start[f])
            return spc_fail_memory(error, "parameters", (size_t)t->parameters * sizeof(double));
    }
    return SPARCL_OK;
}

/* --- L-BFGS ----------------------------------------------------------------------------------- */

static sparcl_train_desc lbfgs_of(sparcl_train_desc desc, const spc_trial *t,
                                  const sparcl_data *data, double c, double tolerance) {
    desc.solver = SPARCL_SOLVER_LBFGS;
    desc.columns = t->columns;
    desc.epochs = 1000;
    desc.tolerance = tolerance;
    desc.l2 = 1 / (c * (double)sparcl_data_get_info(data)->rows);
    return desc;
}

static sparcl_status try_fold(spc_trial *t, int f, double c, sparcl_metrics *m,
                              sparcl_error *error) {
    const sparcl_train_desc desc =
        lbfgs_of(spc_trial_part_desc(t, c, f), t, t->rest[f], c, tolerances_of(t)->trial);
    sparcl_model *model = NULL;
    SPC_TRY(spc_train_lbfgs(t->ctx, &model, t->rest[f], NULL, &desc, &t->classes, t->start[f], NULL,
                            error));
    const sparcl_status status = sparcl_eval(t->ctx, model, t->held[f], m, error);
    sparcl_model_free(model);
    return status;
}

static sparcl_status try_c(spc_trial *t, double c, bool *ends, sparcl_error *error) {
    sparcl_tried tried = {.solver = SPARCL_SOLVER_LBFGS, .value = c};
    double rows = 0, rows_selected = 0;
    for (int f = 0; f < t->result->folds; ++f) {
        sparcl_metrics m;
        SPC_TRY(try_fold(t, f, c, &m, error));
        const double selected = spc_selected_of(t->select, &m), weight = (double)m.rows;
        tried.loss += m.loss * weight;
        tried.accuracy += m.accuracy * weight;
        rows += weight;
        if (isnan(selected)) continue;
        tried.selected += selected * weight;
        rows_selected += weight;
    }
    tried.loss /= rows;
    tried.accuracy /= rows;
    tried.selected /= rows_selected;
    return spc_trial_keep(t, &tried, ends, error);
}

/* Weights of columns of small numbers are large, and the penalty of the largest C may still keep
 * them small: the C with which it keeps none so; 0: the largest one does not. */
static sparcl_status find_free_c(const spc_trial *t, double largest, double *c,
                                 sparcl_error *error) {
    const sparcl_loss loss = t->desc.loss;
    const int64_t rows = sparcl_data_get_info(t->data)->rows;
    spc_scaling s = {.columns = t->columns,
                     .outputs = spc_outputs(SPARCL_TASK_LABELS, loss, t->classes.count, t->columns),
                     .has_bias = !t->desc.no_bias};
    float *targets = NULL;
    sparcl_status status =
        spc_rows_make(&targets, NULL, &t->desc, &t->classes, t->data, true, false, error);
    *c = 0;
    const spc_scaled_rows of_data = {.data = t->data, .targets = targets, .loss = loss};
    if (status == SPARCL_OK) status = spc_scaling_open(&s, &of_data, error);
    if (status == SPARCL_OK) {
        const double equal = 1 / (s.curvature * spc_scaling_least_variance(&s) * (double)rows);
        if (equal > largest) *c = equal / share_of_penalty;
    }
    spc_scaling_close(&s);
    free(targets);
    return status;
}

sparcl_status spc_search_c(spc_trial *t, sparcl_model **model, sparcl_error *error) {
    static const double values[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};
    const size_t stride = is_large(t) ? 2 : 1;
    bool ends = false;
    double free_c = 0;
    SPC_TRY(find_free_c(t, values[SPC_COUNT(values) - 1], &free_c, error));
    t->most = (int)((SPC_COUNT(values) + stride - 1) / stride) + (free_c > 0);
    t->result->folds = choose_folds(t);
    SPC_TRY(split(t, error));
    for (size_t i = 0; i < SPC_COUNT(values) && !ends; i += stride)
        SPC_TRY(try_c(t, values[i], &ends, error));
    if (free_c > 0) SPC_TRY(try_c(t, free_c, &ends, error));
    const double c = t->result->tried[t->result->best].value;
    const sparcl_train_desc desc = lbfgs_of(t->desc, t, t->data, c, tolerances_of(t)->result);
    return spc_train_lbfgs(t->ctx, model, t->data, NULL, &desc, &t->classes,
                           is_large(t) ? t->start[0] : NULL, &t->result->train, error);
}
