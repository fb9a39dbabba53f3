/* train_lbfgs.c: trains a linear model by L-BFGS: all rows in every step, with a line search. */
#include "train/train_lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "model/linear.h"
#include "model/model_object.h"
#include "model/solver_text.h"
#include "train/curvature.h"
#include "train/lbfgs.h"
#include "train/linear_objective.h"
#include "train/rounding.h"
#include "train/row_weights.h"
#include "train/search_checkpoint.h"
#include "train/start.h"

/* What rounding of the model may add to the objective, relative to it and to the first one; and the
 * square of the error of all scores that need not be avoided, relative to the objective. */
static const double lost_of_value = 1e-6, lost_of_first_value = 1e-10, unseen_error = 2e-9;

/* The variance of labels that are all the same, relative to their square. */
static const double no_spread = 1e-25;

typedef struct job {
    sparcl_ctx *ctx;
    const sparcl_train_desc *desc;
    const sparcl_data *valid;
    spc_feed feed, valid_feed;
    float *targets, *valid_targets;
    float *weights, *valid_weights; /* NULL: 1 */
    double *class_weights;
    spc_scaling
        scaling; /* the search is in its coordinates, the validation in those of the model */
    spc_curvature curvature;
    spc_linear_objective objective, valid_objective;
    spc_lbfgs search;
    double *x, *reference; /* of the search: its point, and the best model without weights */
    double *model;         /* the parameters of the model */
    double *l1;            /* of the weights of the search; NULL: none */
    double *valid_gradient;
    sparcl_train_progress progress;
    spc_search_run run; /* what checkpoints are of */
    spc_checkpoint_due due;
    double begin;         /* of this call: the clock */
    bool ends_early;      /* max_seconds are over */
    sparcl_status status; /* of what was called in an iteration */
    sparcl_error *error;
} job;

/* --- progress --------------------------------------------------------------------------------- */

static sparcl_status compute_valid_loss(job *j) {
    double value;
    if (!j->valid) return SPARCL_OK;
    spc_scaling_to_model(&j->scaling, j->x, j->model);
    SPC_TRY(spc_linear_objective_at(&j->valid_objective, j->model, &value, j->valid_gradient,
                                    j->error));
    j->progress.valid_loss = j->valid_objective.mean_loss;
    return SPARCL_OK;
}

static sparcl_status record_iteration(job *j) {
    sparcl_train_progress *const now = &j->progress;
    spc_search_run *const run = &j->run;
    const double before = now->seconds;
    SPC_TRY(spc_passes_reserve(&run->passes, &run->pass_capacity, j->search.done, j->error));
    now->step = now->epoch = j->search.done;
    now->rows = j->search.evaluations * j->feed.rows;
    now->loss = j->objective.mean_loss;
    SPC_TRY(compute_valid_loss(j));
    now->seconds = spc_clock() - run->start;
    run->passes[j->search.done - 1] = (spc_pass){.seconds = now->seconds - before,
                                                 .at = now->seconds,
                                                 .rows = (double)now->rows,
                                                 .loss = now->loss,
                                                 .valid_loss = now->valid_loss};
    return SPARCL_OK;
}

/* Nothing is left to interrupt after the last one. */
static sparcl_status end_iteration(job *j) {
    const sparcl_train_desc *const d = j->desc;
    const bool has_more = j->search.done < d->epochs;
    const bool stops = d->progress && d->progress(d->progress_user, &j->progress) && has_more;
    j->ends_early = has_more && d->max_seconds > 0 && spc_clock() - j->begin >= d->max_seconds;
    SPC_TRY(spc_checkpoint_if_due(&j->due, d, &j->progress, stops || j->ends_early, spc_search_save,
                                  &j->run, j->error));
    if (!stops) return SPARCL_OK;
    return spc_fail(j->error, SPARCL_E_INTERRUPTED, "training was interrupted after iteration %lld",
                    (long long)j->search.done);
}

/* Nonzero: end the search. */
static int after_iteration(void *user, int64_t iteration, double value) {
    job *const j = user;
    (void)iteration;
    (void)value;
    j->status = record_iteration(j);
    if (j->status == SPARCL_OK) j->status = end_iteration(j);
    return j->status != SPARCL_OK || j->ends_early;
}

/* --- data ------------------------------------------------------------------------------------- */

/* Classes have weights in the training only. */
static sparcl_status make_weights(job *j, bool trains, float **weights, const sparcl_data *data,
                                  const float *targets, const spc_classes *classes,
                                  sparcl_error *error) {
    const spc_row_list all = {.count = sparcl_data_get_info(data)->rows};
    const sparcl_train_desc none = {0};
    if (!spc_has_weights(trains ? j->desc : &none, data, NULL)) return SPARCL_OK;
    if (trains)
        SPC_TRY(spc_class_weights_make(&j->class_weights, j->desc, classes, data, targets, &all,
                                       error));
    return spc_row_weights_make(weights, data, trains ? j->class_weights : NULL, targets, &all,
                                error);
}

/* Labels far from 0 would be rounded more than their differences. */
static void center_labels(const spc_scaling *s, const sparcl_data *data, float *targets) {
    const double *const labels = sparcl_data_labels(data);
    for (int64_t i = 0; s->label_shift != 0 && i < sparcl_data_get_info(data)->rows; ++i)
        targets[i] = (float)(labels[i] - s->label_shift);
}

static sparcl_status scale_rows(job *j, const sparcl_data *data, float *targets,
                                const float *weights, sparcl_error *error) {
    const spc_scaled_rows rows = {data, targets, weights, j->desc->loss, j->desc->l2};
    SPC_TRY(spc_scaling_open(&j->scaling, &rows, error));
    center_labels(&j->scaling, data, targets);
    return spc_curvature_open(&j->curvature, &j->scaling, &rows, error);
}

/* The rows to train with are scaled, those to validate with are not: they may lack a column that
 * all others have. */
static sparcl_status open_rows(job *j, bool trains, const sparcl_data *data,
                               const spc_classes *classes, int64_t columns, sparcl_error *error) {
    spc_feed *const feed = trains ? &j->feed : &j->valid_feed;
    float **const targets = trains ? &j->targets : &j->valid_targets;
    const int64_t limit = spc_feed_limit(j->ctx, j->desc->device_memory);
    SPC_TRY(sparcl_data_check_finite(data, error));
    SPC_TRY(spc_targets_make(targets, SPARCL_TASK_LABELS, j->desc->loss, classes,
                             sparcl_data_labels(data), sparcl_data_get_info(data)->rows, data,
                             error));
    float **const weights = trains ? &j->weights : &j->valid_weights;
    SPC_TRY(make_weights(j, trains, weights, data, *targets, classes, error));
    if (trains) SPC_TRY(scale_rows(j, data, *targets, *weights, error));
    const spc_feed_desc desc = {.targets = *targets,
                                .weights = *weights,
                                .columns = columns,
                                .scaling = trains ? &j->scaling : NULL};
    return spc_feed_open(feed, j->ctx, data, &desc, limit, error);
}

static bool has_bias(const sparcl_train_desc *desc) {
    return desc->architecture == &spc_linear;
}

static sparcl_status open_valid(job *j, const sparcl_data *train, const spc_classes *classes,
                                int64_t columns, int64_t outputs, sparcl_error *error) {
    if (!j->valid) return SPARCL_OK;
    SPC_TRY(spc_check_width(j->valid, columns, error));
    SPC_TRY(spc_check_base(j->valid, sparcl_data_get_info(train)->index_base, error));
    SPC_TRY(open_rows(j, false, j->valid, classes, columns, error));
    SPC_TRY(spc_linear_objective_open(&j->valid_objective, &j->valid_feed, j->desc->loss, 0,
                                      outputs, has_bias(j->desc), error));
    j->valid_gradient = calloc((size_t)j->valid_objective.count + 1, sizeof *j->valid_gradient);
    return j->valid_gradient ? SPARCL_OK
                             : spc_fail_memory(error, "gradient",
                                               (size_t)j->valid_objective.count * sizeof(double));
}

static sparcl_status start_with_model(job *j, sparcl_error *error) {
    const spc_linear_objective *const o = &j->objective;
    const sparcl_tensor shapes[] = {{.rank = 2, .shape = {o->columns, o->outputs}},
                                    {.rank = 1, .shape = {o->outputs}}};
    double *to = j->model;
    for (int p = 0; j->desc->architecture->parameters[p]; ++p) {
        const float *values;
        SPC_TRY(spc_start_values(j->desc, j->desc->architecture->parameters[p], &shapes[p], &values,
                                 error));
        for (int64_t i = 0; i < spc_tensor_elements(&shapes[p]); ++i)
            *to++ = values[i];
    }
    spc_scaling_from_model(&j->scaling, j->model, j->x);
    return SPARCL_OK;
}

/* Each weight of the search has the penalty of that of the model. */
static sparcl_status open_parameters(job *j, const double *start, sparcl_error *error) {
    const spc_scaling *const s = &j->scaling;
    const int64_t weights = s->columns * s->outputs, count = j->objective.count;
    const size_t bytes = (size_t)(4 * count + weights) * sizeof *j->x;
    j->x = calloc(1, bytes + 1);
    if (!j->x) return spc_fail_memory(error, "parameters", bytes);
    j->reference = j->x + count, j->model = j->x + 2 * count;
    j->run.base = j->x + 3 * count;
    if (j->desc->l1 > 0) j->l1 = j->x + 4 * count;
    for (int64_t i = 0; j->l1 && i < weights; ++i)
        j->l1[i] = j->desc->l1 / s->scale[i / s->outputs];
    for (int64_t i = weights; i < count; ++i)
        j->reference[i] = s->constant[i - weights] * s->bias_scale;
    memcpy(j->x, j->reference, (size_t)count * sizeof *j->x);
    if (start) spc_scaling_from_model(s, start, j->x);
    return j->desc->start ? start_with_model(j, error) : SPARCL_OK;
}

static sparcl_status open_job(job *j, const sparcl_data *train, const spc_classes *classes,
                              const double *start, sparcl_error *error) {
    const sparcl_train_desc *const d = j->desc;
    int64_t columns = 0;
    SPC_TRY(spc_find_columns(d, train, &columns, error));
    const int64_t outputs = spc_outputs(SPARCL_TASK_LABELS, d->loss, classes->count, columns);
    j->scaling = (spc_scaling){.columns = columns, .outputs = outputs, .has_bias = has_bias(d)};
    SPC_TRY(open_rows(j, true, train, classes, columns, error));
    SPC_TRY(spc_linear_objective_open(&j->objective, &j->feed, d->loss, d->l2, outputs, has_bias(d),
                                      error));
    SPC_TRY(open_valid(j, train, classes, columns, outputs, error));
    return open_parameters(j, start, error);
}

static void close_job(job *j) {
    spc_linear_objective_close(&j->objective);
    spc_linear_objective_close(&j->valid_objective);
    spc_feed_close(&j->feed);
    spc_feed_close(&j->valid_feed);
    spc_scaling_close(&j->scaling);
    spc_curvature_close(&j->curvature);
    free(j->targets);
    free(j->valid_targets);
    free(j->weights);
    free(j->valid_weights);
    free(j->class_weights);
    free(j->x);
    free(j->valid_gradient);
    free(j->run.passes);
    spc_lbfgs_close(&j->search);
}

/* --- the search ------------------------------------------------------------------------------- */

/* The search calls the objective, its callback the job. */
static sparcl_status evaluate(void *user, const double *x, double *value, double *gradient,
                              sparcl_error *error) {
    job *const j = user;
    return spc_linear_objective_at(&j->objective, x, value, gradient, error);
}

static void precondition(void *user, double *x) {
    const job *const j = user;
    spc_curvature_solve(&j->curvature, x);
}

/* Not with squared loss, whose curvature is the same everywhere. */
static sparcl_status recondition(void *user, const double *x, sparcl_error *error) {
    job *const j = user;
    spc_linear_objective *const o = &j->objective;
    const size_t count = (size_t)o->count, residuals = (size_t)(j->feed.rows * o->outputs);
    double value, *const gradient = malloc(count * sizeof *gradient);
    o->residuals = malloc(residuals * sizeof *o->residuals);
    sparcl_status status = gradient && o->residuals
                               ? spc_linear_objective_at(o, x, &value, gradient, error)
                               : spc_fail_memory(error, "residuals", residuals * 4);
    if (status == SPARCL_OK) spc_curvature_set(&j->curvature, o->residuals);
    if (x != j->run.base) memcpy(j->run.base, x, count * sizeof *x);
    free(o->residuals);
    o->residuals = NULL;
    free(gradient);
    return status;
}

/* Where columns may depend on each other, as if all were the same. */
static double first_step(const job *j) {
    const spc_scaling *const s = &j->scaling;
    double sum = 1;
    for (int64_t i = 0; i < s->columns; ++i)
        sum += s->curvature * s->square[i] / s->scale[i] / s->scale[i];
    return j->curvature.is_full ? 1 : 1 / sum;
}

static sparcl_status search(job *j, const sparcl_data *train, sparcl_error *error) {
    const spc_linear_objective *const o = &j->objective;
    j->search =
        (spc_lbfgs){.count = o->count,
                    .with_l1 = o->columns * o->outputs,
                    .l1 = j->l1,
                    .tolerance = j->desc->tolerance,
                    .iterations = j->desc->epochs,
                    .reference = j->reference,
                    .first_step = first_step(j),
                    .evaluate = evaluate,
                    .precondition = precondition,
                    .recondition = j->desc->loss == SPARCL_LOSS_SQUARED ? NULL : recondition,
                    .after = after_iteration,
                    .user = j};
    j->begin = j->due.time = spc_clock();
    j->run = (spc_search_run){.ctx = j->ctx,
                              .base = j->run.base,
                              .settings = {j->desc, train, j->valid, o->columns, o->outputs},
                              .search = &j->search,
                              .progress = &j->progress,
                              .start = j->begin};
    j->progress = (sparcl_train_progress){
        .epochs = j->desc->epochs, .steps = j->desc->epochs, .loss = NAN, .valid_loss = NAN};
    SPC_TRY(spc_lbfgs_open(&j->search, j->x, error));
    SPC_TRY(spc_search_resume(&j->run, error));
    if (j->search.recondition && j->search.done >= SPC_RECONDITIONED)
        SPC_TRY(recondition(j, j->run.base, error));
    j->progress.seconds = spc_clock() - j->run.start;
    SPC_TRY(spc_lbfgs_run(&j->search, error));
    return j->status;
}

/* --- the model -------------------------------------------------------------------------------- */

static sparcl_status make_model(const job *j, const sparcl_data *train, const spc_classes *classes,
                                sparcl_model **model, sparcl_error *error) {
    const sparcl_train_desc *const d = j->desc;
    const spc_linear_objective *const o = &j->objective;
    const int64_t weights = o->columns * o->outputs;
    char solver[SPC_SOLVER_TEXT];
    spc_print_lbfgs(solver, d->l1, d->tolerance);
    const sparcl_model_info info = {.loss = d->loss,
                                    .optimizer = SPARCL_RULE_SGD,
                                    .columns = o->columns,
                                    .outputs = o->outputs,
                                    .classes = classes->count,
                                    .labels = classes->labels,
                                    .index_base = sparcl_data_get_info(train)->index_base,
                                    .has_bias = o->has_bias,
                                    .l2 = d->l2,
                                    .epochs = j->search.done,
                                    .solver = solver,
                                    .fingerprint = spc_start_fingerprint(d, train)};
    const sparcl_tensor shapes[] = {{.rank = 2, .shape = {o->columns, o->outputs}},
                                    {.rank = 1, .shape = {o->outputs}}};
    SPC_TRY(spc_model_new(model, &info, d->architecture, shapes, error));
    for (int64_t i = 0; i < o->count; ++i)
        (*model)->tensors[i >= weights].values[i >= weights ? i - weights : i] = (float)j->model[i];
    const sparcl_status status =
        spc_model_check_finite(*model, SPARCL_E_DIVERGED, "the trained model", error);
    if (status == SPARCL_OK) return status;
    sparcl_model_free(*model);
    *model = NULL;
    return status;
}

/* The objective of the model that is written, whose parameters are floats. */
static sparcl_status measure(job *j, double *objective, sparcl_error *error) {
    const spc_linear_objective *const o = &j->objective;
    const size_t count = (size_t)o->count;
    double *const memory = calloc(2 * count + 1, sizeof *memory);
    if (!memory) return spc_fail_memory(error, "gradient", 2 * count * sizeof *memory);
    spc_scaling_from_model(&j->scaling, j->model, memory);
    const sparcl_status status =
        spc_linear_objective_at(&j->objective, memory, objective, memory + count, error);
    for (int64_t i = 0; j->l1 && i < o->columns * o->outputs; ++i)
        *objective += j->l1[i] * fabs(memory[i]);
    free(memory);
    return status;
}

/* Floats may be too coarse for the minimum: that is no convergence either. */
static sparcl_status fill_result(job *j, sparcl_train_result *to, sparcl_error *error) {
    const spc_lbfgs *const found = &j->search;
    double objective = 0;
    const double curvature = j->scaling.curvature;
    const double off =
        spc_round_model(&j->scaling, j->x, unseen_error * found->value / curvature, j->model);
    SPC_TRY(measure(j, &objective, error));
    /* Where the curvature is less by now, so is what is lost. */
    const double lost = fmin(curvature * off / 2, fmax(objective - found->value, 0));
    const double level = j->scaling.label_shift;
    const bool is_fine = lost <= lost_of_value * fabs(found->value) +
                                     lost_of_first_value * fabs(found->first_value) ||
                         found->first_value <= no_spread * level * level;
    *to = (sparcl_train_result){
        .loss = j->objective.mean_loss,
        .objective = objective,
        .seconds_per_pass = (spc_clock() - j->run.start) / (double)(found->evaluations + 1),
        .epochs = found->done,
        .steps = found->done,
        .best_epoch = found->done,
        .on_host = j->feed.on_host,
        .evaluations = found->evaluations,
        .gradient_norm = found->gradient_norm,
        .converged = found->converged && is_fine,
        .ended_early = j->ends_early,
        .resumed_step = j->run.resumed_step,
        .relative_gradient =
            found->gradient_norm > 0 ? found->gradient_norm / found->first_norm : 0,
        .expected_decrease = found->expected,
        .lost_by_rounding = is_fine ? 0 : lost};
    return SPARCL_OK;
}

sparcl_status spc_train_lbfgs(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train,
                              const sparcl_data *valid, const sparcl_train_desc *checked,
                              const spc_classes *classes, double *start,
                              sparcl_train_result *result, sparcl_error *error) {
    sparcl_train_result ignored;
    job j = {.ctx = ctx, .desc = checked, .valid = valid, .error = error};
    sparcl_status status = SPARCL_OK;
    SPC_GO(open_job(&j, train, classes, start, error));
    SPC_GO(search(&j, train, error));
    SPC_GO(fill_result(&j, result ? result : &ignored, error));
    SPC_GO(make_model(&j, train, classes, model, error));
    if (start) spc_scaling_to_model(&j.scaling, j.x, start);
done:
    close_job(&j);
    return status;
}
