/* train_result.c: sparcl train: the result of a run, as it is printed, logged and saved. */
#include <stdio.h>

#include "base/clock.h"
#include "class_result.h"
#include "files.h"
#include "manifest.h"
#include "message.h"
#include "metrics_result.h"
#include "output.h"
#include "sparcl/architecture.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim_text.h"
#include "train_job.h"
#include "train_options.h"

static void describe_solver(json_t *object, const sparcl_train_result *result) {
    json_object_set_new(object, "solver", json_text("lbfgs"));
    json_object_set_new(object, "evaluations", json_integer((json_int_t)result->evaluations));
    json_object_set_new(object, "gradient_norm", json_number(result->gradient_norm));
    json_object_set_new(object, "relative_gradient", json_number(result->relative_gradient));
    json_object_set_new(object, "converged", json_boolean(result->converged));
}

/* NULL: all. */
static json_t *rows_of_step(const train_job *job) {
    const bool are_all = uses_lbfgs(job) || job->desc.batch == 0;
    return are_all ? NULL : json_integer((json_int_t)job->desc.batch);
}

static json_t *describe(const train_job *job) {
    const sparcl_data_info *const info = sparcl_data_get_info(job->train);
    const sparcl_train_result *const result = &job->result;
    const sparcl_architecture *const a = job->architecture;
    char kind[SPARCL_MODEL_TEXT + 48];
    snprintf(kind, sizeof kind, "%s%s%s", a->name, *a->settings ? ":" : "", a->settings);
    json_t *const object = json_pack(
        "{s:I, s:I, s:I, s:s, s:s, s:s, s:o*, s:I, s:I, s:o, s:o, s:o, s:b, s:I, s:I, s:o, s:o, "
        "s:o}",
        "rows", (json_int_t)info->rows, "cols", (json_int_t)info->columns, "nnz",
        (json_int_t)info->nnz, "kind", kind, "loss_function",
        sparcl_loss_name((sparcl_loss)train_given.loss), "optimizer",
        uses_lbfgs(job) ? "none" : sparcl_rule_name(train_given.optim.rule), "batch",
        rows_of_step(job), "epochs", (json_int_t)result->epochs, "steps", (json_int_t)result->steps,
        "loss", json_number(result->loss), "objective", json_number(result->objective),
        "seconds_per_pass", json_number(result->seconds_per_pass), "data_on_host", result->on_host,
        "peak_bytes", (json_int_t)sparcl_ctx_peak_memory(job->ctx), "narrowed_values",
        (json_int_t)info->narrowed_values, "device", json_text(sparcl_ctx_device(job->ctx)->name),
        "platform", json_text(sparcl_ctx_platform(job->ctx)), "model",
        json_text(train_given.model));
    if (!object) return NULL;
    if (train_given.max_hours > 0)
        json_object_set_new(object, "ended_early", json_boolean(result->ended_early));
    if (train_given.checkpoint.path)
        json_object_set_new(object, "resumed_step", json_integer((json_int_t)result->resumed_step));
    if (train_given.patience > 0)
        json_object_set_new(object, "best_epoch", json_integer((json_int_t)result->best_epoch));
    graph_describe(&job->graph, object);
    if (uses_lbfgs(job)) describe_solver(object, result);
    if (job->is_auto) auto_describe(&job->chosen, object);
    if (job->valid && a->task == SPARCL_TASK_RANK)
        rank_describe(object, "valid_", &job->ranks);
    else if (job->valid)
        metrics_describe(object, "valid_", &job->metrics);
    curve_describe(object, "valid_", job->model, job->report);
    if (train_given.probe) probe_describe(&job->probe, object);
    return object;
}

static exit_code write_manifest(train_job *job, json_t *result, const char *path) {
    const manifest_run run = {.options = train_rows,
                              .ctx = job->ctx,
                              .train_path = path,
                              .valid_path = train_given.valid,
                              .model_path = train_given.model,
                              .train = job->train,
                              .valid = job->valid,
                              .desc = &job->desc,
                              .history = &job->history,
                              .result = result,
                              .began = (double)job->began,
                              .seconds = spc_clock() - job->start};
    if (!train_given.manifest) return EXIT_OK;
    if (job->history.out_of_memory) return out_of_memory();
    return manifest_save(&run, train_given.manifest);
}

exit_code show_train_result(train_job *job, const char *path) {
    json_t *const object = describe(job);
    const bool on_stdout = is_standard_output(train_given.json);
    if (!object) return out_of_memory();
    log_add_result(&job->log, object);
    const exit_code logged = log_close(&job->log);
    exit_code code = EXIT_OK;
    if (!on_stdout) code = print_object(json_incref(object), false);
    if (code == EXIT_OK && !on_stdout) code = profile_print(&job->profile);
    if (job->is_auto && train_given.json) auto_list(&job->chosen, object);
    profile_add(&job->profile, object);
    if (code == EXIT_OK && train_given.json)
        code = save_object(json_incref(object), train_given.json);
    if (code == EXIT_OK) code = write_manifest(job, object, path);
    json_decref(object);
    return code == EXIT_OK ? logged : code;
}
