/* loop.c: the training loop: passes, steps, progress and result. */
#include "train/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "model/linear.h"
#include "model/model_object.h"
#include "model/parameter_optims.h"
#include "train/device_memory.h"
#include "train/metrics.h"

/* The host waits after this many steps, which limits the length of the queue. */
#define STEPS_IN_FLIGHT 32

/* The host also waits after steps 1, 2, 4, 8 and 16, so that the first reported speeds count only
 * completed work. */
static bool is_waited_for(int64_t step) {
    return step % STEPS_IN_FLIGHT == 0 || (step < STEPS_IN_FLIGHT && (step & (step - 1)) == 0);
}

/* --- one step -------------------------------------------------------------------------------- */

/* Call the progress callback; nonzero: stop. */
static int report(spc_trainer *t) {
    const sparcl_train_desc *desc = &t->run.desc;
    t->progress.seconds = spc_clock() - t->run.start;
    return desc->progress ? desc->progress(desc->progress_user, &t->progress) : 0;
}

static sparcl_status step(spc_trainer *t, int64_t epoch, int64_t number, sparcl_error *error) {
    spc_inputs inputs = {0};
    SPC_TRY(t->next(t, epoch, number, &inputs, error));
    SPC_TRY(spc_run_step(&t->run, number, &inputs, error));
    ++t->progress.step;
    t->progress.rows += inputs.labels.shape[0];
    if (is_waited_for(t->progress.step))
        SPC_TRY(spc_core(t->run.ctx, sparcl_ctx_finish(t->run.ctx), error));
    if (number + 1 < t->run.steps && report(t))
        return spc_fail(error, SPARCL_E_INTERRUPTED, "training was interrupted after step %lld",
                        (long long)t->progress.step);
    return SPARCL_OK;
}

/* --- the model -------------------------------------------------------------------------------- */

/* Not 0: settings that the fields of sparcl_model_info do not have. */
static int has_settings(const sparcl_optim *optim) {
    char found[SPARCL_OPTIM_TEXT], usual[SPARCL_OPTIM_TEXT];
    sparcl_optim o;
    sparcl_optim_init(&o, optim->rule);
    o.lr = optim->lr;
    o.momentum = optim->momentum;
    o.beta1 = optim->beta1;
    o.beta2 = optim->beta2;
    o.epsilon = optim->epsilon;
    sparcl_optim_print(optim, found);
    sparcl_optim_print(&o, usual);
    return strcmp(found, usual) != 0;
}

/* After `epochs` passes. `text` has SPARCL_OPTIM_TEXT bytes. */
static void describe(const spc_trainer *t, int64_t epochs, sparcl_model_info *info, char *text) {
    const spc_run *run = &t->run;
    const sparcl_optim *const optim = &run->desc.optim;
    info->loss = run->desc.loss;
    info->optimizer = optim->rule;
    info->columns = run->model.build.columns;
    info->outputs = run->model.build.outputs;
    info->labels = t->classes->labels;
    info->classes = t->classes->count;
    info->has_bias = run->desc.architecture == &spc_linear;
    info->lr = optim->lr;
    info->l2 = run->desc.l2;
    info->momentum = optim->momentum;
    info->beta1 = optim->beta1;
    info->beta2 = optim->beta2;
    info->epsilon = optim->epsilon;
    info->epochs = epochs;
    info->batch = run->desc.batch;
    info->seed = run->desc.seed;
    sparcl_optim_print(optim, text);
    info->settings = has_settings(optim) ? text : NULL;
}

static sparcl_status read_values(const spc_run *run, const sparcl_model *model,
                                 sparcl_error *error) {
    for (int i = 0; i < model->count; ++i) {
        sparcl_dense view;
        SPC_TRY(spc_run_value(run, i, &view, error));
        SPC_TRY(spc_core(run->ctx, sparcl_dense_read(run->ctx, &view, model->tensors[i].values),
                         error));
    }
    return spc_model_check_finite(model, SPARCL_E_DIVERGED, "the trained model", error);
}

static sparcl_status fetch_model(const spc_trainer *t, int64_t epochs, sparcl_model **out,
                                 sparcl_error *error) {
    sparcl_model_info *const info = t->info;
    const spc_model_graph *const graph = &t->run.model;
    const size_t count = (size_t)graph->count;
    const size_t own = (size_t)t->run.desc.parameter_optim_count * (SPARCL_OPTIM_TEXT + 64);
    char settings[SPARCL_OPTIM_TEXT], *const of_parameters = malloc(own + 1);
    sparcl_tensor *const shapes = malloc(count * sizeof *shapes);
    if (!shapes || !of_parameters) {
        free(shapes);
        free(of_parameters);
        return spc_fail_memory(error, "model", count * sizeof *shapes + own);
    }
    for (size_t i = 0; i < count; ++i)
        shapes[i] = graph->parameters[i].shape;
    describe(t, epochs, info, settings);
    spc_print_parameter_optims(of_parameters, own + 1, t->run.own,
                               t->run.desc.parameter_optim_count);
    info->parameter_settings = own ? of_parameters : NULL;
    sparcl_status status = spc_model_new(out, info, graph->architecture, shapes, error);
    info->parameter_settings = NULL;
    free(of_parameters);
    free(shapes);
    if (status == SPARCL_OK) status = read_values(&t->run, *out, error);
    if (status == SPARCL_OK) return SPARCL_OK;
    sparcl_model_free(*out);
    *out = NULL;
    return status;
}

/* --- one pass -------------------------------------------------------------------------------- */

static sparcl_status compute_valid_loss(spc_trainer *t, sparcl_error *error) {
    if (!t->valid_rows.score) return SPARCL_OK;
    return spc_run_mean_loss(&t->run, &t->valid_rows, &t->progress.valid_loss, error);
}

/* Keep the model of a pass whose validation loss is the lowest so far. */
static sparcl_status keep_best(spc_trainer *t, int64_t epochs, sparcl_error *error) {
    if (t->run.desc.patience == 0) return SPARCL_OK;
    if (t->best && !(t->progress.valid_loss < t->best_loss)) return SPARCL_OK;
    sparcl_model_free(t->best);
    t->best = NULL;
    t->best_loss = t->progress.valid_loss;
    t->best_epoch = epochs;
    return fetch_model(t, epochs, &t->best, error);
}

static sparcl_status end_pass(spc_trainer *t, int64_t epoch, int64_t rows, sparcl_error *error) {
    double sum = 0;
    SPC_TRY(spc_run_pass_loss(&t->run, &sum, error));
    t->progress.loss = sum / (double)rows;
    t->progress.epoch = epoch + 1;
    if (!isfinite(t->progress.loss))
        return spc_fail(error, SPARCL_E_DIVERGED,
                        "the loss of pass %lld is %g; try a smaller learning rate than %g",
                        (long long)epoch + 1, t->progress.loss, t->run.desc.optim.lr);
    SPC_TRY(compute_valid_loss(t, error));
    SPC_TRY(keep_best(t, epoch + 1, error));
    if (report(t) && epoch + 1 < t->run.desc.epochs)
        return spc_fail(error, SPARCL_E_INTERRUPTED, "training was interrupted after pass %lld",
                        (long long)epoch + 1);
    return SPARCL_OK;
}

static sparcl_status record_seconds(spc_trainer *t, int64_t epoch, double seconds,
                                    sparcl_error *error) {
    if (epoch == t->pass_capacity) {
        const int64_t capacity = 2 * t->pass_capacity + 16;
        double *more = realloc(t->pass_seconds, (size_t)capacity * sizeof *more);
        if (!more) return spc_fail_memory(error, "times", (size_t)capacity * sizeof *more);
        t->pass_seconds = more;
        t->pass_capacity = capacity;
    }
    t->pass_seconds[epoch] = seconds;
    return SPARCL_OK;
}

static sparcl_status pass(spc_trainer *t, int64_t epoch, sparcl_error *error) {
    const double start = spc_clock();
    const int64_t before = t->progress.rows;
    if (t->start) SPC_TRY(t->start(t, epoch, error));
    for (int64_t s = 0; s < t->run.steps; ++s)
        SPC_TRY(step(t, epoch, s, error));
    SPC_TRY(spc_core(t->run.ctx, sparcl_ctx_finish(t->run.ctx), error));
    SPC_TRY(record_seconds(t, epoch, spc_clock() - start, error));
    return end_pass(t, epoch, t->progress.rows - before, error);
}

static bool is_over(const spc_trainer *t) {
    return t->best && t->progress.epoch - t->best_epoch >= t->run.desc.patience;
}

static sparcl_status loop(spc_trainer *t, sparcl_error *error) {
    const int64_t epochs = t->run.desc.epochs;
    t->progress = (sparcl_train_progress){.epochs = epochs, .loss = NAN, .valid_loss = NAN};
    if (!spc_mul_i64(epochs, t->run.steps, &t->progress.steps))
        return spc_fail(error, SPARCL_E_ARG,
                        "%lld epochs of %lld steps are more than 2^63 - 1 steps", (long long)epochs,
                        (long long)t->run.steps);
    t->run.start = spc_clock();
    for (int64_t epoch = 0; epoch < epochs && !is_over(t); ++epoch)
        SPC_TRY(pass(t, epoch, error));
    return spc_core(t->run.ctx, sparcl_graph_finish(t->run.model.build.graph), error);
}

/* --- the result ------------------------------------------------------------------------------ */

static double median(double *x, int64_t count) {
    if (count == 0) return NAN;
    spc_sort_doubles(x, count);
    return count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
}

/* The loss of the final model needs one more pass over the data; the batches of a callback are not
 * requested again.
 */
static sparcl_status compute_result(spc_trainer *t, const sparcl_model *model,
                                    sparcl_train_result *result, sparcl_error *error) {
    *result = (sparcl_train_result){.seconds_per_pass = median(t->pass_seconds, t->progress.epoch),
                                    .epochs = t->progress.epoch,
                                    .steps = t->progress.step,
                                    .best_epoch = sparcl_model_get_info(model)->epochs,
                                    .loss = t->progress.loss,
                                    .on_host = t->feed.on_host};
    if (t->train_rows.score && t->best_epoch > 0)
        SPC_TRY(spc_run_model_loss(&t->run, &t->train_rows, model, &result->loss, error));
    else if (t->train_rows.score)
        SPC_TRY(spc_run_mean_loss(&t->run, &t->train_rows, &result->loss, error));
    if (!isfinite(result->loss) && t->run.desc.epochs > 0)
        return spc_fail(error, SPARCL_E_DIVERGED,
                        "the loss of the trained model is %g; try a smaller learning rate than %g",
                        result->loss, t->run.desc.optim.lr);
    result->objective = result->loss + spc_model_graph_penalty(&t->run.model, model);
    return SPARCL_OK;
}

void spc_trainer_close(spc_trainer *t) {
    spc_feed_close(&t->feed);
    spc_feed_close(&t->valid);
    spc_nodes_close(&t->nodes);
    spc_pairs_close(&t->pairs);
    spc_pairs_close(&t->scored_pairs);
    spc_pairs_close(&t->valid_pairs);
    spc_bipartite_close(&t->bipartite);
    spc_run_close(&t->run);
    free(t->targets);
    free(t->valid_targets);
    free(t->order);
    free(t->pass_seconds);
    sparcl_model_free(t->best);
}

sparcl_status spc_trainer_run(spc_trainer *t, sparcl_model_info *info, sparcl_model **model,
                              sparcl_train_result *result, sparcl_error *error) {
    sparcl_train_result ignored;
    t->info = info;
    SPC_TRY(loop(t, error));
    if (!t->best) SPC_TRY(fetch_model(t, t->run.desc.epochs, &t->best, error));
    *model = t->best;
    t->best = NULL;
    sparcl_status status = compute_result(t, *model, result ? result : &ignored, error);
    if (status == SPARCL_OK) status = spc_trainer_report_memory(t, error);
    if (status == SPARCL_OK) return SPARCL_OK;
    sparcl_model_free(*model);
    *model = NULL;
    return status;
}
