/* auto.c: trains a linear model without settings. */
#include "sparcl/auto.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "sparcl/evaluate.h"
#include "train/row_weights.h"
#include "train/run.h"
#include "train/scaling.h"
#include "train/train_lbfgs.h"

enum { FOLDS = 5, MAX_CLASSES = 1000, ROWS_OF_A_CLASS = 10, WORSE = 3 };

/* Of the penalty in the curvature of the objective, where it no longer matters. */
static const double share_of_penalty = 1e-6;

static const int64_t most_rows = 20000, most_work = 20000000, most_parameters = 1 << 25;

/* --- the loss --------------------------------------------------------------------------------- */

static bool are_whole(const spc_classes *classes) {
    for (int64_t c = 0; c < classes->count; ++c)
        if (classes->labels[c] != floor(classes->labels[c])) return false;
    return true;
}

sparcl_status sparcl_usual_loss(sparcl_loss *loss, const sparcl_data *data, sparcl_error *error) {
    spc_classes labels;
    if (!loss || !data) return spc_fail(error, SPARCL_E_ARG, "loss: the result or data is NULL");
    SPC_TRY(spc_labels_find(&labels, data, error));
    const bool are_classes = are_whole(&labels) && labels.count <= MAX_CLASSES &&
                             sparcl_data_get_info(data)->rows >= ROWS_OF_A_CLASS * labels.count;
    *loss = labels.count <= 2 ? SPARCL_LOSS_LOGISTIC
            : are_classes     ? SPARCL_LOSS_SOFTMAX
                              : SPARCL_LOSS_SQUARED;
    spc_classes_free(&labels);
    return SPARCL_OK;
}

/* --- a run ------------------------------------------------------------------------------------ */

typedef struct trial {
    sparcl_ctx *ctx;
    const sparcl_data *data;
    sparcl_train_desc desc; /* checked */
    spc_classes classes;
    int64_t columns, parameters;
    sparcl_data *rest[FOLDS], *held[FOLDS];
    const sparcl_data *fitted, *measured; /* with steps */
    double *start[FOLDS];                 /* [parameters]: of the last setting */
    sparcl_tried_fn after;
    void *user;
    sparcl_auto_result *result;
} trial;

static sparcl_status check_rows(const sparcl_data *data, sparcl_error *error) {
    char place[128];
    if (sparcl_data_get_info(data)->rows > 1) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected at least two rows, of which some are held out to choose the "
                    "settings, found one; add rows, or name the settings",
                    sparcl_data_place(data, -1, place, sizeof place));
}

static sparcl_status count_parameters(trial *t, sparcl_error *error) {
    const int64_t outputs =
        spc_outputs(SPARCL_TASK_LABELS, t->desc.loss, t->classes.count, t->columns);
    if (!spc_mul_i64(t->columns + 1, outputs, &t->parameters))
        return spc_fail(error, SPARCL_E_MEMORY,
                        "train: %lld columns with %lld outputs are too many", (long long)t->columns,
                        (long long)outputs);
    return SPARCL_OK;
}

/* Each part that is held out has a row. */
static int64_t count_parts(const trial *t) {
    return spc_min_i64(FOLDS, sparcl_data_get_info(t->data)->rows);
}

static int choose_folds(const trial *t) {
    const sparcl_data_info *const info = sparcl_data_get_info(t->data);
    const double work = (double)info->entries * (double)t->parameters / (double)(t->columns + 1);
    return info->rows <= most_rows && work <= (double)most_work ? (int)count_parts(t) : 1;
}

static sparcl_status split(trial *t, sparcl_error *error) {
    const int folds = t->result->folds;
    for (int f = 0; f < folds; ++f) {
        SPC_TRY(sparcl_data_fold(t->data, count_parts(t), f, t->desc.seed, &t->rest[f], &t->held[f],
                                 error));
        t->start[f] = calloc((size_t)t->parameters, sizeof(double));
        if (!t->start[f])
            return spc_fail_memory(error, "parameters", (size_t)t->parameters * sizeof(double));
    }
    return SPARCL_OK;
}

static void close_trial(trial *t) {
    for (int f = 0; f < FOLDS; ++f) {
        sparcl_data_free(t->rest[f]);
        sparcl_data_free(t->held[f]);
        free(t->start[f]);
    }
    spc_classes_free(&t->classes);
}

/* Whether a setting is better than another. */
static bool is_better(const sparcl_tried *a, const sparcl_tried *b) {
    if (!isnan(a->accuracy) && a->accuracy != b->accuracy) return a->accuracy > b->accuracy;
    return a->loss < b->loss;
}

/* Keep what was tried; *ends: nothing better is to be expected. */
static sparcl_status keep(trial *t, const sparcl_tried *tried, bool *ends, sparcl_error *error) {
    sparcl_auto_result *const r = t->result;
    r->tried[r->count] = *tried;
    if (is_better(tried, &r->tried[r->best])) r->best = r->count;
    ++r->count;
    *ends = r->count - 1 - r->best >= WORSE;
    if (!t->after || !t->after(t->user, tried)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_INTERRUPTED, "training was interrupted after %d settings",
                    r->count);
}

/* --- L-BFGS ----------------------------------------------------------------------------------- */

static sparcl_train_desc lbfgs_of(const trial *t, const sparcl_data *data, double c,
                                  double tolerance) {
    sparcl_train_desc desc = t->desc;
    desc.solver = SPARCL_SOLVER_LBFGS;
    desc.columns = t->columns;
    desc.epochs = 1000;
    desc.tolerance = tolerance;
    desc.l2 = 1 / (c * (double)sparcl_data_get_info(data)->rows);
    return desc;
}

static sparcl_status try_fold(trial *t, int f, double c, sparcl_metrics *m, sparcl_error *error) {
    sparcl_train_desc desc = lbfgs_of(t, t->rest[f], c, 1e-3);
    desc.progress = NULL;
    sparcl_model *model = NULL;
    SPC_TRY(spc_train_lbfgs(t->ctx, &model, t->rest[f], NULL, &desc, &t->classes, t->start[f], NULL,
                            error));
    const sparcl_status status = sparcl_eval(t->ctx, model, t->held[f], m, error);
    sparcl_model_free(model);
    return status;
}

static sparcl_status try_c(trial *t, double c, bool *ends, sparcl_error *error) {
    sparcl_tried tried = {.solver = SPARCL_SOLVER_LBFGS, .value = c};
    int64_t rows = 0;
    for (int f = 0; f < t->result->folds; ++f) {
        sparcl_metrics m;
        SPC_TRY(try_fold(t, f, c, &m, error));
        tried.loss += m.loss * (double)m.rows;
        tried.accuracy += m.accuracy * (double)m.rows;
        rows += m.rows;
    }
    tried.loss /= (double)rows;
    tried.accuracy /= (double)rows;
    return keep(t, &tried, ends, error);
}

/* Weights of columns of small numbers are large, and the penalty of the largest C may still keep
 * them small: the C with which it keeps none so; 0: the largest one does not. */
static sparcl_status find_free_c(const trial *t, double largest, double *c, sparcl_error *error) {
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

static sparcl_status search_c(trial *t, sparcl_model **model, sparcl_error *error) {
    static const double values[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};
    bool ends = false;
    double free_c = 0;
    SPC_TRY(find_free_c(t, values[SPC_COUNT(values) - 1], &free_c, error));
    t->result->folds = choose_folds(t);
    SPC_TRY(split(t, error));
    for (size_t i = 0; i < SPC_COUNT(values) && !ends; ++i)
        SPC_TRY(try_c(t, values[i], &ends, error));
    if (free_c > 0) SPC_TRY(try_c(t, free_c, &ends, error));
    const double c = t->result->tried[t->result->best].value;
    const sparcl_train_desc desc = lbfgs_of(t, t->data, c, 1e-6);
    return spc_train_lbfgs(t->ctx, model, t->data, NULL, &desc, &t->classes, NULL,
                           &t->result->train, error);
}

/* --- steps ------------------------------------------------------------------------------------ */

static sparcl_status try_rate(trial *t, double rate, sparcl_model **best, bool *ends,
                              sparcl_error *error) {
    sparcl_train_desc desc = t->desc;
    sparcl_train_result result;
    sparcl_model *model = NULL;
    sparcl_metrics m;
    sparcl_optim_init(&desc.optim, SPARCL_RULE_ADAGRAD);
    desc.optim.lr = rate;
    desc.columns = t->columns;
    desc.epochs = 20;
    desc.patience = 2;
    desc.progress = NULL;
    SPC_TRY(sparcl_train(t->ctx, &model, t->fitted, t->measured, &desc, &result, error));
    sparcl_status status = sparcl_eval(t->ctx, model, t->measured, &m, error);
    const sparcl_tried tried = {SPARCL_SOLVER_STEPS, rate, m.loss, m.accuracy};
    if (status == SPARCL_OK) status = keep(t, &tried, ends, error);
    if (status == SPARCL_OK && t->result->best == t->result->count - 1) {
        sparcl_model_free(*best);
        *best = model;
        t->result->train = result;
        return SPARCL_OK;
    }
    sparcl_model_free(model);
    return status;
}

/* A tenth of the rows, at least one; of a few rows all, if the others lack a class. */
static sparcl_status hold_out(trial *t, sparcl_error *error) {
    const double one = 1 / (double)sparcl_data_get_info(t->data)->rows;
    spc_classes found = {0};
    SPC_TRY(
        sparcl_data_split(t->data, fmax(0.1, one), t->desc.seed, &t->rest[0], &t->held[0], error));
    const bool has_all =
        spc_classes_find(&found, SPARCL_TASK_LABELS, t->desc.loss, t->rest[0], NULL) == SPARCL_OK &&
        found.count == t->classes.count;
    spc_classes_free(&found);
    t->fitted = has_all ? t->rest[0] : t->data;
    t->measured = has_all ? t->held[0] : t->data;
    return SPARCL_OK;
}

static sparcl_status search_rate(trial *t, sparcl_model **model, sparcl_error *error) {
    static const double rates[] = {0.01, 0.03, 0.1, 0.3};
    bool ends = false;
    t->result->folds = 1;
    t->result->solver = SPARCL_SOLVER_STEPS;
    SPC_TRY(hold_out(t, error));
    for (size_t i = 0; i < SPC_COUNT(rates) && !ends; ++i)
        SPC_TRY(try_rate(t, rates[i], model, &ends, error));
    return SPARCL_OK;
}

/* L-BFGS needs derivatives, and memory for many times the parameters. */
static bool uses_lbfgs(const trial *t) {
    return t->desc.loss != SPARCL_LOSS_HINGE && t->parameters <= most_parameters;
}

/* These are of one run, and here are many. */
static void forget_unused(sparcl_train_desc *desc) {
    desc->checkpoint = NULL;
    desc->checkpoint_steps = 0;
    desc->checkpoint_seconds = desc->max_seconds = 0;
    desc->clip_global_norm = 0;
    desc->resume = desc->overwrite = 0;
    desc->start = NULL;
    desc->keep_state = 0;
}

sparcl_status sparcl_train_auto(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data,
                                const sparcl_train_desc *desc, sparcl_tried_fn after, void *user,
                                sparcl_auto_result *result, sparcl_error *error) {
    sparcl_auto_result ignored;
    trial t = {.ctx = ctx, .data = data, .after = after, .user = user};
    sparcl_status status = SPARCL_OK;
    if (model) *model = NULL;
    if (!ctx || !model || !data || !desc)
        return spc_fail(error, SPARCL_E_ARG, "train: ctx, model, data or desc is NULL");
    t.result = result ? result : &ignored;
    *t.result = (sparcl_auto_result){.solver = SPARCL_SOLVER_LBFGS};
    SPC_TRY(spc_run_check(&t.desc, desc, error));
    forget_unused(&t.desc);
    if (t.desc.architecture->task != SPARCL_TASK_LABELS || desc->architecture)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: there is an architecture, expected NULL: only linear models are "
                        "trained without settings");
    SPC_GO(spc_find_columns(&t.desc, data, &t.columns, error));
    SPC_GO(spc_classes_find(&t.classes, SPARCL_TASK_LABELS, t.desc.loss, data, error));
    SPC_GO(check_rows(data, error));
    SPC_GO(count_parameters(&t, error));
    SPC_GO((uses_lbfgs(&t) ? search_c : search_rate)(&t, model, error));
done:
    if (status != SPARCL_OK) {
        sparcl_model_free(*model);
        *model = NULL;
    }
    close_trial(&t);
    return status;
}
