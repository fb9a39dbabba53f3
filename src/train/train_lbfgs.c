/* train_lbfgs.c: trains a linear model by L-BFGS: all rows in every step, with a line search. */
#include "train/train_lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "model/model_object.h"
#include "model/solver_text.h"
#include "train/checkpoint_due.h"
#include "train/lbfgs.h"
#include "train/linear_problem.h"
#include "train/measure.h"
#include "train/rounding.h"
#include "train/search_checkpoint.h"
#include "train/start.h"

/* What rounding of the model may add to the objective, relative to it and to the first one; and the
 * square of the error of all scores that need not be avoided, relative to the objective. */
static const double lost_of_value = 1e-6, lost_of_first_value = 1e-10, unseen_error = 2e-9;

/* The variance of labels that are all the same, relative to their square. */
static const double no_spread = 1e-25;

typedef struct job {
    spc_linear_problem problem;
    const spc_classes *classes;
    sparcl_tensor shapes[2]; /* of the weights and the bias */
    spc_lbfgs search;
    double *x, *reference; /* of the search: its point, and the best model without weights */
    double *model;         /* the parameters of the model, of the columns that are used */
    double *all;           /* of all columns */
    double *rounded;       /* the same in the coordinates of the search, as floats */
    double *gradient;      /* not that of the search */
    double *l1;            /* of the weights of the search; NULL: none */
    sparcl_train_progress progress;
    spc_search_run run; /* what checkpoints are of */
    spc_checkpoint_due due;
    double begin;         /* of this call: the clock */
    bool ends_early;      /* max_seconds are over */
    sparcl_status status; /* of what was called in an iteration */
    sparcl_error *error;
} job;

/* --- columns without entries -------------------------------------------------------------------
 */

static int64_t bias_count(const job *j) {
    return j->problem.scaling.has_bias ? j->problem.scaling.outputs : 0;
}

static void take_used(const job *j, const double *all, double *taken) {
    spc_compact_columns_take(&j->problem.used, j->problem.scaling.outputs, bias_count(j), all,
                             taken);
}

static void put_used(const job *j, const double *taken, double *all) {
    spc_compact_columns_put(&j->problem.used, j->problem.scaling.outputs, bias_count(j), taken,
                            all);
}

/* --- progress --------------------------------------------------------------------------------- */

static sparcl_status compute_valid_loss(job *j) {
    spc_linear_objective *const o = &j->problem.valid.objective;
    double value;
    if (!j->problem.valid.data) return SPARCL_OK;
    spc_scaling_to_model(&j->problem.scaling, j->x, j->model);
    put_used(j, j->model, j->all);
    SPC_TRY(spc_linear_objective_at(o, j->all, &value, j->gradient, j->error));
    j->progress.valid_loss = o->mean_loss;
    return SPARCL_OK;
}

static sparcl_status record_iteration(job *j) {
    sparcl_train_progress *const now = &j->progress;
    spc_search_run *const run = &j->run;
    const double before = now->seconds;
    SPC_TRY(spc_passes_reserve(&run->passes, j->search.done, j->error));
    now->step = now->epoch = j->search.done;
    now->rows = j->search.evaluations * j->problem.train.feed.rows;
    now->loss = j->problem.train.objective.mean_loss;
    SPC_TRY(compute_valid_loss(j));
    now->seconds = spc_clock() - run->start;
    run->passes.list[j->search.done - 1] = (spc_pass){.seconds = now->seconds - before,
                                                      .at = now->seconds,
                                                      .rows = (double)now->rows,
                                                      .loss = now->loss,
                                                      .valid_loss = now->valid_loss};
    return SPARCL_OK;
}

/* Nothing is left to interrupt after the last one. */
static sparcl_status end_iteration(job *j) {
    const sparcl_train_desc *const d = j->problem.desc;
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

/* --- parameters ------------------------------------------------------------------------------- */

/* A penalty takes unused weights to 0; without one they stay. */
static sparcl_status start_with_model(job *j, sparcl_error *error) {
    const sparcl_train_desc *const d = j->problem.desc;
    double *to = j->all;
    for (int p = 0; d->architecture->parameters[p]; ++p) {
        const float *values;
        SPC_TRY(spc_start_values(d, d->architecture->parameters[p], &j->shapes[p], &values, error));
        for (int64_t i = 0; i < spc_tensor_elements(&j->shapes[p]); ++i)
            *to++ = values[i];
    }
    take_used(j, j->all, j->model);
    if (d->l1 > 0 || d->l2 > 0) memset(j->all, 0, (size_t)(to - j->all) * sizeof *j->all);
    spc_scaling_from_model(&j->problem.scaling, j->model, j->x);
    return SPARCL_OK;
}

/* Each weight of the search has the penalty of that of the model. */
static sparcl_status open_parameters(job *j, const double *start, sparcl_error *error) {
    const sparcl_train_desc *const d = j->problem.desc;
    const spc_scaling *const s = &j->problem.scaling;
    const int64_t weights = s->columns * s->outputs, count = j->problem.train.objective.count;
    const int64_t all = j->problem.used.all * s->outputs + bias_count(j);
    const size_t bytes = (size_t)(5 * count + weights + 2 * all) * sizeof *j->x;
    j->shapes[0] = (sparcl_tensor){.rank = 2, .shape = {j->problem.used.all, s->outputs}};
    j->shapes[1] = (sparcl_tensor){.rank = 1, .shape = {s->outputs}};
    j->x = calloc(1, bytes + 1);
    if (!j->x) return spc_fail_memory(error, "parameters", bytes);
    j->reference = j->x + count, j->model = j->x + 2 * count, j->run.base = j->x + 3 * count;
    j->rounded = j->x + 4 * count, j->gradient = j->x + 5 * count; /* of train or valid */
    if (d->l1 > 0) j->l1 = j->gradient + all;
    j->all = j->gradient + all + weights;
    for (int64_t i = 0; j->l1 && i < weights; ++i)
        j->l1[i] = d->l1 / s->scale[i / s->outputs];
    for (int64_t i = weights; i < count; ++i)
        j->reference[i] = s->constant[i - weights] * s->bias_scale;
    memcpy(j->x, j->reference, (size_t)count * sizeof *j->x);
    if (start) {
        take_used(j, start, j->model);
        spc_scaling_from_model(s, j->model, j->x);
    }
    return d->start ? start_with_model(j, error) : SPARCL_OK;
}

static void close_job(job *j) {
    spc_linear_problem_close(&j->problem);
    free(j->x);
    free(j->run.passes.list);
    spc_lbfgs_close(&j->search);
}

/* --- the search ------------------------------------------------------------------------------- */

/* The search calls the objective, its callback the job. */
static sparcl_status evaluate(void *user, const double *x, double *value, double *gradient,
                              sparcl_error *error) {
    job *const j = user;
    return spc_linear_objective_at(&j->problem.train.objective, x, value, gradient, error);
}

static void precondition(void *user, double *x) {
    const job *const j = user;
    spc_curvature_solve(&j->problem.curvature, x);
}

/* Not with squared loss, whose curvature is the same everywhere. */
static sparcl_status recondition(void *user, const double *x, sparcl_error *error) {
    job *const j = user;
    spc_linear_objective *const o = &j->problem.train.objective;
    const size_t bytes = (size_t)(o->feed->rows * o->outputs) * sizeof *o->residuals;
    double value;
    o->residuals = malloc(bytes);
    sparcl_status status = o->residuals ? spc_linear_objective_at(o, x, &value, j->gradient, error)
                                        : spc_fail_memory(error, "residuals", bytes);
    if (status == SPARCL_OK) spc_curvature_set(&j->problem.curvature, o->residuals);
    if (x != j->run.base) memcpy(j->run.base, x, (size_t)o->count * sizeof *x);
    free(o->residuals);
    o->residuals = NULL;
    return status;
}

static bool is_enough(void *user, const double *x, const double *gradient) {
    const job *const j = user;
    const sparcl_train_desc *const d = j->problem.desc;
    return spc_scaling_is_flat(&j->problem.scaling, x, gradient, d->l1, d->gradient_tolerance);
}

/* Where columns may depend on each other, as if all were the same. */
static double first_step(const job *j) {
    const spc_scaling *const s = &j->problem.scaling;
    double sum = 1;
    for (int64_t i = 0; i < s->columns; ++i)
        sum += s->curvature * s->square[i] / s->scale[i] / s->scale[i];
    return j->problem.curvature.is_full ? 1 : 1 / sum;
}

static sparcl_status search(job *j, sparcl_error *error) {
    const spc_linear_problem *const p = &j->problem;
    const spc_linear_objective *const o = &p->train.objective;
    j->search =
        (spc_lbfgs){.count = o->count,
                    .with_l1 = o->columns * o->outputs,
                    .l1 = j->l1,
                    .tolerance = p->desc->tolerance,
                    .iterations = p->desc->epochs,
                    .reference = j->reference,
                    .first_step = first_step(j),
                    .evaluate = evaluate,
                    .precondition = precondition,
                    .recondition = p->desc->loss == SPARCL_LOSS_SQUARED ? NULL : recondition,
                    .is_enough = p->desc->gradient_tolerance > 0 ? is_enough : NULL,
                    .after = after_iteration,
                    .user = j};
    j->begin = j->due.time = spc_clock();
    j->run = (spc_search_run){
        .ctx = p->ctx,
        .base = j->run.base,
        .settings = {p->desc, p->train.data, p->valid.data, o->columns, o->outputs},
        .search = &j->search,
        .progress = &j->progress,
        .start = j->begin};
    j->progress = (sparcl_train_progress){
        .epochs = p->desc->epochs, .steps = p->desc->epochs, .loss = NAN, .valid_loss = NAN};
    SPC_TRY(spc_lbfgs_open(&j->search, j->x, error));
    SPC_TRY(spc_search_resume(&j->run, error));
    if (j->search.recondition && j->search.done >= SPC_RECONDITIONED)
        SPC_TRY(recondition(j, j->run.base, error));
    j->progress.seconds = spc_clock() - j->run.start;
    SPC_TRY(spc_lbfgs_run(&j->search, error));
    return j->status;
}

/* --- the model -------------------------------------------------------------------------------- */

static sparcl_status make_model(const job *j, const spc_classes *classes, sparcl_model **model,
                                sparcl_error *error) {
    const sparcl_train_desc *const d = j->problem.desc;
    const sparcl_data *const train = j->problem.train.data;
    const spc_linear_objective *const o = &j->problem.train.objective;
    const int64_t weights = j->problem.used.all * o->outputs;
    char solver[SPC_SOLVER_TEXT];
    spc_print_lbfgs(solver, d->l1, d->tolerance, d->gradient_tolerance);
    const sparcl_model_info info = {.loss = d->loss,
                                    .optimizer = SPARCL_RULE_SGD,
                                    .columns = j->problem.used.all,
                                    .outputs = o->outputs,
                                    .classes = classes->count,
                                    .labels = classes->labels,
                                    .index_base = sparcl_data_get_info(train)->index_base,
                                    .has_bias = o->has_bias,
                                    .l2 = d->l2,
                                    .epochs = j->search.done,
                                    .solver = solver,
                                    .fingerprint = spc_start_fingerprint(d, train)};
    SPC_TRY(spc_model_new(model, &info, d->architecture, j->shapes, error));
    put_used(j, j->model, j->all);
    for (int64_t i = 0; i < weights + bias_count(j); ++i)
        (*model)->tensors[i >= weights].values[i >= weights ? i - weights : i] = (float)j->all[i];
    const sparcl_status status =
        spc_model_check_finite(*model, SPARCL_E_DIVERGED, "the trained model", error);
    if (status == SPARCL_OK) return status;
    sparcl_model_free(*model);
    *model = NULL;
    return status;
}

/* The objective of the model that is written, whose parameters are floats. */
static sparcl_status measure(job *j, double *objective, sparcl_error *error) {
    spc_linear_objective *const o = &j->problem.train.objective;
    spc_scaling_from_model(&j->problem.scaling, j->model, j->rounded);
    SPC_TRY(spc_linear_objective_at(o, j->rounded, objective, j->gradient, error));
    for (int64_t i = 0; j->l1 && i < o->columns * o->outputs; ++i)
        *objective += j->l1[i] * fabs(j->rounded[i]);
    return SPARCL_OK;
}

static sparcl_status find_constant_loss(const job *j, double *loss, sparcl_error *error) {
    const spc_linear_rows *const r = &j->problem.train;
    const spc_predictions all = {.rows = sparcl_data_get_info(r->data)->rows,
                                 .classes = j->classes->count,
                                 .loss = j->problem.desc->loss,
                                 .targets = r->targets,
                                 .labels = sparcl_data_labels(r->data),
                                 .weights = r->weights};
    return spc_constant_loss(&all, loss, error);
}

/* Floats may be too coarse for the minimum: that is no convergence either. */
static sparcl_status fill_result(job *j, sparcl_train_result *to, sparcl_error *error) {
    const spc_lbfgs *const found = &j->search;
    const spc_scaling *const s = &j->problem.scaling;
    double objective = 0;
    const double curvature = s->curvature;
    const double off = spc_round_model(s, j->x, unseen_error * found->value / curvature, j->model);
    SPC_TRY(measure(j, &objective, error));
    /* Where the curvature is less by now, so is what is lost. */
    const double lost = fmin(curvature * off / 2, fmax(objective - found->value, 0));
    const double level = s->label_shift;
    const bool is_fine = lost <= lost_of_value * fabs(found->value) +
                                     lost_of_first_value * fabs(found->first_value) ||
                         found->first_value <= no_spread * level * level;
    *to = (sparcl_train_result){
        .loss = j->problem.train.objective.mean_loss,
        .objective = objective,
        .seconds_per_pass = (spc_clock() - j->run.start) / (double)(found->evaluations + 1),
        .epochs = found->done,
        .steps = found->done,
        .best_epoch = found->done,
        .on_host = j->problem.train.feed.place->on_host,
        .evaluations = found->evaluations,
        .gradient_norm = found->gradient_norm,
        .converged = found->converged && is_fine,
        .ended_early = j->ends_early,
        .resumed_step = j->run.resumed_step,
        .relative_gradient =
            found->gradient_norm > 0 ? found->gradient_norm / found->first_norm : 0,
        .expected_decrease = found->expected,
        .lost_by_rounding = is_fine ? 0 : lost};
    return find_constant_loss(j, &to->best_constant_loss, error);
}

sparcl_status spc_train_lbfgs(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train,
                              const sparcl_data *valid, const sparcl_train_desc *checked,
                              const spc_classes *classes, double *start,
                              sparcl_train_result *result, sparcl_error *error) {
    sparcl_train_result ignored;
    job j = {.problem = {.ctx = ctx,
                         .desc = checked,
                         .train = {.data = train},
                         .valid = {.data = valid}},
             .classes = classes,
             .error = error};
    sparcl_status status = SPARCL_OK;
    SPC_GO(spc_linear_problem_open(&j.problem, classes, error));
    SPC_GO(open_parameters(&j, start, error));
    SPC_GO(search(&j, error));
    SPC_GO(fill_result(&j, result ? result : &ignored, error));
    SPC_GO(make_model(&j, classes, model, error));
    if (start) {
        spc_scaling_to_model(&j.problem.scaling, j.x, j.model);
        put_used(&j, j.model, start);
    }
done:
    close_job(&j);
    return status;
}
