/* loop.c: the training loop: passes, steps, progress and result. */
#include "train/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "model/model_object.h"
#include "train/checkpoint.h"
#include "train/kept_state.h"
#include "train/trained_model.h"

/* At most twice as many steps are enqueued that the device has not begun. */
#define STEPS_AHEAD 16

/* The host waits after steps 1, 2, 4, 8 and 16, so that the first reported speeds count only
 * completed work; from then on only to limit the length of the queue. */
static sparcl_status limit_queue(sparcl_ctx *ctx, int64_t step) {
    if (step <= STEPS_AHEAD && (step & (step - 1)) == 0) return sparcl_ctx_finish(ctx);
    return step % STEPS_AHEAD == 0 ? sparcl_ctx_throttle(ctx) : SPARCL_OK;
}

/* --- one step -------------------------------------------------------------------------------- */

/* Call the progress callback; nonzero: stop. */
static int report(spc_trainer *t) {
    const sparcl_train_desc *desc = &t->run.desc;
    t->progress.seconds = spc_clock() - t->run.start;
    return desc->progress ? desc->progress(desc->progress_user, &t->progress) : 0;
}

static bool is_time_over(const spc_trainer *t) {
    const double limit = t->run.desc.max_seconds;
    return limit > 0 && spc_clock() - t->begin >= limit;
}

/* Also after a pass, `what`: nothing is left to interrupt after the last one. */
static sparcl_status after_step(spc_trainer *t, const char *what, int64_t number,
                                sparcl_error *error) {
    const bool has_more = t->progress.step < t->progress.steps;
    const bool stops = report(t) && has_more;
    t->ends_early = has_more && is_time_over(t);
    SPC_TRY(spc_checkpoint_after_step(t, stops || t->ends_early, error));
    if (!stops) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_INTERRUPTED, "training was interrupted after %s %lld", what,
                    (long long)number);
}

static sparcl_status step(spc_trainer *t, int64_t epoch, int64_t number, sparcl_error *error) {
    spc_inputs inputs = {0};
    SPC_TRY(t->source.next(t->source.state, epoch, number, &inputs, error));
    SPC_TRY(spc_run_set_rate(&t->run, t->progress.step, epoch, &t->progress.lr, error));
    SPC_TRY(spc_run_step(&t->run, number, &inputs, error));
    ++t->progress.step;
    t->progress.rows += inputs.labels.shape[0];
    t->passes.rows += inputs.labels.shape[0];
    SPC_TRY(spc_core(t->run.ctx, limit_queue(t->run.ctx, t->progress.step), error));
    return number + 1 < t->run.steps ? after_step(t, "step", t->progress.step, error) : SPARCL_OK;
}

/* --- one pass -------------------------------------------------------------------------------- */

static sparcl_status compute_valid_loss(spc_trainer *t, sparcl_error *error) {
    if (!t->source.valid.score) return SPARCL_OK;
    return spc_run_mean_loss(&t->run, &t->source.valid, &t->progress.valid_loss, error);
}

static sparcl_status keep_best(spc_trainer *t, int64_t epochs, sparcl_error *error) {
    if (t->run.desc.patience == 0) return SPARCL_OK;
    if (t->best.model && !(t->progress.valid_loss < t->best.loss)) return SPARCL_OK;
    sparcl_model_free(t->best.model);
    t->best = (spc_best){.loss = t->progress.valid_loss, .epoch = epochs};
    return spc_model_fetch(&t->run, &t->info, epochs, &t->best.model, error);
}

sparcl_status sparcl_train_pass_loss(const sparcl_train_progress *progress, double *loss,
                                     sparcl_error *error) {
    double sum = 0;
    if (!progress || !loss)
        return spc_fail(error, SPARCL_E_ARG, "train_pass_loss: progress or loss is NULL");
    const spc_trainer *const t = progress->run;
    *loss = (double)NAN;
    if (!t || t->passes.rows == 0) return SPARCL_OK;
    const int64_t steps = t->progress.step - t->progress.epoch * t->run.steps;
    SPC_TRY(spc_run_pass_loss(&t->run, steps, &sum, error));
    *loss = sum / (double)t->passes.rows;
    return SPARCL_OK;
}

static sparcl_status end_pass(spc_trainer *t, int64_t epoch, sparcl_error *error) {
    double sum = 0;
    SPC_TRY(spc_run_pass_loss(&t->run, t->run.steps, &sum, error));
    t->progress.loss = sum / (double)t->passes.rows;
    if (!isfinite(t->progress.loss))
        return spc_fail(error, SPARCL_E_DIVERGED,
                        "the loss of pass %lld is %g; try a smaller learning rate than %g",
                        (long long)epoch + 1, t->progress.loss, t->run.desc.optim.lr);
    SPC_TRY(compute_valid_loss(t, error));
    SPC_TRY(keep_best(t, epoch + 1, error));
    spc_passes_end(&t->passes, &t->progress, spc_clock() - t->run.start);
    return after_step(t, "pass", epoch + 1, error);
}

/* From step `first` on, which is not 0 where the run goes on with a checkpoint. */
static sparcl_status pass(spc_trainer *t, int64_t epoch, int64_t first, sparcl_error *error) {
    SPC_TRY(spc_passes_begin(&t->passes, epoch, error));
    if (t->source.start) SPC_TRY(t->source.start(t->source.state, epoch, error));
    for (int64_t s = first; s < t->run.steps && !t->ends_early; ++s)
        SPC_TRY(step(t, epoch, s, error));
    SPC_TRY(spc_core(t->run.ctx, sparcl_ctx_finish(t->run.ctx), error));
    if (t->ends_early) return SPARCL_OK;
    t->passes.list[epoch].seconds = spc_clock() - t->passes.start;
    return end_pass(t, epoch, error);
}

static bool is_over(const spc_trainer *t) {
    const spc_best *const best = &t->best;
    return t->ends_early ||
           (best->model && t->progress.epoch - best->epoch >= t->run.desc.patience);
}

static sparcl_status loop(spc_trainer *t, sparcl_error *error) {
    const int64_t epochs = t->run.desc.epochs;
    t->progress =
        (sparcl_train_progress){.epochs = epochs, .loss = NAN, .valid_loss = NAN, .run = t};
    if (!spc_mul_i64(epochs, t->run.steps, &t->progress.steps))
        return spc_fail(error, SPARCL_E_ARG,
                        "%lld epochs of %lld steps are more than 2^63 - 1 steps", (long long)epochs,
                        (long long)t->run.steps);
    t->begin = t->run.start = spc_clock();
    SPC_TRY(spc_state_take(&t->run, error));
    SPC_TRY(spc_checkpoint_resume(t, error));
    spc_passes_report(&t->passes, &t->progress, t->run.steps, &t->run.desc);
    t->resumed_step = t->progress.step;
    int64_t first = t->progress.step - t->progress.epoch * t->run.steps;
    for (int64_t epoch = t->progress.epoch; epoch < epochs && !is_over(t); ++epoch, first = 0)
        SPC_TRY(pass(t, epoch, first, error));
    return spc_core(t->run.ctx, sparcl_graph_finish(t->run.model.build.graph), error);
}

/* --- the result ------------------------------------------------------------------------------ */

/* The loss of the final model needs one more pass over the data; the batches of a callback are not
 * requested again.
 */
static sparcl_status compute_result(spc_trainer *t, const sparcl_model *model,
                                    sparcl_train_result *result, sparcl_error *error) {
    *result = (sparcl_train_result){.epochs = t->progress.epoch,
                                    .steps = t->progress.step,
                                    .best_epoch = sparcl_model_get_info(model)->epochs,
                                    .loss = t->progress.loss,
                                    .on_host = t->source.on_host,
                                    .ended_early = t->ends_early,
                                    .resumed_step = t->resumed_step,
                                    .best_constant_loss = (double)NAN};
    const spc_source *const from = &t->source;
    if (from->constant_loss)
        SPC_TRY(from->constant_loss(from->state, &result->best_constant_loss, error));
    SPC_TRY(spc_passes_median(&t->passes, t->progress.epoch, &result->seconds_per_pass, error));
    if (from->train.score && t->best.epoch > 0)
        SPC_TRY(spc_run_model_loss(&t->run, &from->train, model, &result->loss, error));
    else if (from->train.score)
        SPC_TRY(spc_run_mean_loss(&t->run, &from->train, &result->loss, error));
    if (!isfinite(result->loss) && t->run.desc.epochs > 0)
        return spc_fail(error, SPARCL_E_DIVERGED,
                        "the loss of the trained model is %g; try a smaller learning rate than %g",
                        result->loss, t->run.desc.optim.lr);
    result->objective = result->loss + spc_label_units_loss(&t->run.units) *
                                           spc_model_graph_penalty(&t->run.model, model);
    return SPARCL_OK;
}

/* Until here its parameters are those of the training. */
static sparcl_status restore_labels(const spc_trainer *t, const sparcl_model *model,
                                    sparcl_error *error) {
    if (t->run.units.scale == 0) return SPARCL_OK;
    for (int i = 0; i < model->count; ++i)
        spc_label_units_to_model(&t->run.units, t->run.model.architecture, i,
                                 spc_tensor_elements(&model->tensors[i].tensor),
                                 model->tensors[i].values);
    return spc_model_check_finite(model, SPARCL_E_DIVERGED, "the trained model", error);
}

static sparcl_status report_memory(const spc_trainer *t, sparcl_error *error) {
    const sparcl_train_desc *const desc = &t->run.desc;
    sparcl_train_memory memory = {0};
    if (!desc->memory) return SPARCL_OK;
    t->source.add_memory(t->source.state, &memory);
    SPC_TRY(spc_run_memory(&t->run, &memory, error));
    desc->memory(desc->memory_user, &memory);
    return SPARCL_OK;
}

void spc_trainer_close(spc_trainer *t) {
    if (t->source.close) t->source.close(t->source.state);
    spc_run_close(&t->run);
    free(t->passes.list);
    sparcl_model_free(t->best.model);
}

sparcl_status spc_trainer_run(spc_trainer *t, sparcl_model **model, sparcl_train_result *result,
                              sparcl_error *error) {
    sparcl_train_result ignored;
    SPC_TRY(loop(t, error));
    if (!t->best.model)
        SPC_TRY(spc_model_fetch(&t->run, &t->info, t->progress.epoch, &t->best.model, error));
    *model = t->best.model;
    t->best.model = NULL;
    sparcl_status status = compute_result(t, *model, result ? result : &ignored, error);
    if (status == SPARCL_OK) status = restore_labels(t, *model, error);
    if (status == SPARCL_OK) status = spc_state_keep(&t->run, *model, error);
    if (status == SPARCL_OK) status = report_memory(t, error);
    if (status == SPARCL_OK) return SPARCL_OK;
    sparcl_model_free(*model);
    *model = NULL;
    return status;
}
