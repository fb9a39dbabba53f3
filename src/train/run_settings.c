/* run_settings.c: what determines the steps of a run, as texts. */
#include "train/run_settings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "model/parameter_optims.h"
#include "model/solver_text.h"
#include "sparcl/optim_text.h"
#include "train/checkpoint_sum.h"
#include "train/start.h"

#define FORMAT "sparcl.checkpoint.1"

/* --- making them ------------------------------------------------------------------------------ */

/* `capacity`: of the value, with its final 0. */
static sparcl_status add(spc_settings_list *list, const char *key, size_t capacity, char **value,
                         sparcl_error *error) {
    *value = calloc(1, capacity);
    if (!*value) return spc_fail_memory(error, "settings", capacity);
    list->notes[list->count++] = (spc_note){key, *value};
    return SPARCL_OK;
}

SPC_PRINTF(4, 5)
static sparcl_status say(spc_settings_list *list, const char *key, sparcl_error *error,
                         const char *format, ...) {
    char *value = NULL;
    va_list args;
    SPC_TRY(add(list, key, 64, &value, error));
    va_start(args, format);
    vsnprintf(value, 64, format, args);
    va_end(args);
    return SPARCL_OK;
}

static sparcl_status say_text(spc_settings_list *list, const char *key, const char *text,
                              sparcl_error *error) {
    char *value = NULL;
    SPC_TRY(add(list, key, strlen(text) + 1, &value, error));
    memcpy(value, text, strlen(text));
    return SPARCL_OK;
}

static sparcl_status say_optimizers(spc_settings_list *list, const sparcl_train_desc *desc,
                                    const spc_run *run, sparcl_error *error) {
    const size_t capacity = (size_t)desc->parameter_optim_count * (SPARCL_OPTIM_TEXT + 64) + 1;
    char *value = NULL;
    SPC_TRY(add(list, "optimizer", SPARCL_OPTIM_TEXT, &value, error));
    sparcl_optim_print(&desc->optim, value);
    SPC_TRY(add(list, "parameter_optimizers", capacity, &value, error));
    spc_print_parameter_optims(value, capacity, run->own, desc->parameter_optim_count);
    return say(list, "l2", error, "%.17g", desc->l2);
}

static sparcl_status say_hash(spc_settings_list *list, const char *key, uint64_t hash,
                              sparcl_error *error) {
    return say(list, key, error, "%016" PRIx64, hash);
}

/* The edges, and which rows train and validate. */
static sparcl_status say_nodes(spc_settings_list *list, const sparcl_train_nodes *nodes,
                               sparcl_error *error) {
    spc_sum sum;
    if (!nodes) return SPARCL_OK;
    spc_sum_start(&sum);
    spc_sum_add(&sum, nodes->train, (size_t)nodes->train_count * sizeof *nodes->train);
    spc_sum_add(&sum, nodes->valid, (size_t)nodes->valid_count * sizeof *nodes->valid);
    SPC_TRY(say_hash(list, "graph", sparcl_data_get_info(nodes->edges)->fingerprint, error));
    SPC_TRY(say_hash(list, "nodes", spc_sum_value(&sum), error));
    return say(list, "node_counts", error, "%" PRId64 " %" PRId64, nodes->train_count,
               nodes->valid_count);
}

/* A decline to the end of the run is another one with other passes. */
static sparcl_status say_schedule(spc_settings_list *list, const spc_run *run,
                                  sparcl_error *error) {
    sparcl_schedule s = run->desc.schedule;
    char text[SPARCL_SCHEDULE_TEXT];
    const int64_t total = run->desc.epochs * (s.per_pass ? 1 : run->steps);
    if (s.period == 0) s.period = total > s.warmup ? total - s.warmup : 1;
    sparcl_schedule_print(&s, text);
    return say_text(list, "schedule", text, error);
}

/* Batches of a callback are not known before they come: their fingerprint is 0. */
static sparcl_status say_data(spc_settings_list *list, uint64_t fingerprint,
                              const sparcl_train_nodes *nodes, const sparcl_data *valid,
                              sparcl_error *error) {
    SPC_TRY(say_hash(list, "data", fingerprint, error));
    SPC_TRY(say_nodes(list, nodes, error));
    if (!valid) return say_text(list, "validation_data", "none", error);
    return say_hash(list, "validation_data", sparcl_data_get_info(valid)->fingerprint, error);
}

/* As they are given; balanced ones depend on the data alone. */
static sparcl_status say_class_weights(spc_settings_list *list, const sparcl_train_desc *desc,
                                       sparcl_error *error) {
    const size_t capacity = (size_t)desc->class_weight_count * 64 + 16;
    char *value = NULL;
    SPC_TRY(add(list, "class_weights", capacity, &value, error));
    spc_text to = spc_text_in(value, capacity);
    if (desc->balance_classes) spc_text_add(&to, "balanced");
    for (int i = 0; i < desc->class_weight_count; ++i)
        spc_text_add(&to, "%s%.17g=%.17g", i ? "," : "", desc->class_weights[i].label,
                     desc->class_weights[i].weight);
    return SPARCL_OK;
}

static sparcl_status say_model(spc_settings_list *list, const sparcl_train_desc *desc,
                               int64_t columns, int64_t outputs, sparcl_error *error) {
    const char *const settings = desc->architecture->settings;
    SPC_TRY(say_text(list, "loss", sparcl_loss_name(desc->loss), error));
    SPC_TRY(say_text(list, "kind", desc->architecture->name, error));
    SPC_TRY(say_text(list, "architecture", settings ? settings : "", error));
    SPC_TRY(say(list, "bias", error, "%d", !desc->no_bias));
    SPC_TRY(say(list, "columns", error, "%" PRId64, columns));
    return say(list, "outputs", error, "%" PRId64, outputs);
}

sparcl_status spc_settings_of(spc_settings_list *list, const spc_run *run, uint64_t fingerprint,
                              const sparcl_data *valid, sparcl_error *error) {
    const sparcl_train_desc *const desc = &run->desc;
    const sparcl_build *const build = &run->model.build;
    *list = (spc_settings_list){0};
    SPC_TRY(say_text(list, "solver", "steps", error));
    SPC_TRY(say_model(list, desc, build->columns, build->outputs, error));
    SPC_TRY(say_optimizers(list, desc, run, error));
    SPC_TRY(say_class_weights(list, desc, error));
    SPC_TRY(say_text(list, "labels", desc->standardize_labels ? "standardized" : "raw", error));
    SPC_TRY(say(list, "batch", error, "%" PRId64, desc->batch));
    SPC_TRY(say(list, "steps_per_pass", error, "%" PRId64, run->steps));
    SPC_TRY(say(list, "seed", error, "%" PRIu64, desc->seed));
    SPC_TRY(say(list, "patience", error, "%" PRId64, desc->patience));
    SPC_TRY(say(list, "clip_global_norm", error, "%.17g", desc->clip_global_norm));
    SPC_TRY(say_schedule(list, run, error));
    return say_data(list, fingerprint, desc->nodes, valid, error);
}

sparcl_status spc_settings_of_search(spc_settings_list *list, const spc_search_settings *of,
                                     sparcl_error *error) {
    char solver[SPC_SOLVER_TEXT];
    *list = (spc_settings_list){0};
    spc_print_lbfgs(solver, of->desc->l1, of->desc->tolerance, of->desc->gradient_tolerance);
    SPC_TRY(say_text(list, "solver", solver, error));
    SPC_TRY(say_model(list, of->desc, of->columns, of->outputs, error));
    SPC_TRY(say(list, "l2", error, "%.17g", of->desc->l2));
    SPC_TRY(say_class_weights(list, of->desc, error));
    return say_data(list, spc_start_fingerprint(of->desc, of->train), NULL, of->valid, error);
}

void spc_settings_free(spc_settings_list *list) {
    union {
        const char *in;
        char *out;
    } value;
    for (int i = 0; i < list->count; ++i) {
        value.in = list->notes[i].value;
        free(value.out);
    }
    list->count = 0;
}

/* --- in files --------------------------------------------------------------------------------- */

sparcl_status spc_settings_write(sparcl_ctx *ctx, const char *path, spc_settings_list *list,
                                 const spc_items *items, sparcl_error *error) {
    list->notes[list->count] = (spc_note){"format", FORMAT};
    list->notes[list->count + 1] = (spc_note){"version", sparcl_version()};
    return spc_checkpoint_write(ctx, path, list->notes, list->count + 2, items, error);
}

/* What older checkpoints do not say was not there. */
static const char *note_of(const spc_tensors *in, const char *key) {
    const char *const found = spc_tensors_note(in, key);
    static const spc_note usual[] = {
        {"solver", "steps"}, {"clip_global_norm", "0"}, {"labels", "raw"}};
    for (size_t i = 0; !found && i < SPC_COUNT(usual); ++i)
        if (strcmp(key, usual[i].key) == 0) return usual[i].value;
    return found ? found : "";
}

sparcl_solver spc_settings_solver(const spc_tensors *in) {
    return strcmp(note_of(in, "solver"), "steps") == 0 ? SPARCL_SOLVER_STEPS : SPARCL_SOLVER_LBFGS;
}

/* --- comparing them --------------------------------------------------------------------------- */

static sparcl_status refuse(const spc_tensors *in, const spc_note *note, const char *found,
                            sparcl_error *error) {
    char expected[96], shown[96];
    spc_text one = spc_text_in(expected, sizeof expected), other = spc_text_in(shown, sizeof shown);
    spc_text_add_shown(&one, note->value, strlen(note->value));
    spc_text_add_shown(&other, found, strlen(found));
    return spc_fail(error, SPARCL_E_ARG,
                    "%s: the checkpoint is of another run: expected %s \"%s\", found \"%s\"; go on "
                    "with the settings and data of that run, or use another file",
                    in->path, note->key, expected, shown);
}

sparcl_status spc_settings_compare(const spc_settings_list *list, const spc_tensors *in,
                                   sparcl_error *error) {
    const char *const format = note_of(in, "format");
    if (strcmp(format, FORMAT) != 0)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: metadata format: expected \"" FORMAT "\", found \"%s\"", in->path,
                        format);
    for (int i = 0; i < list->count; ++i) {
        const char *const found = note_of(in, list->notes[i].key);
        if (strcmp(found, list->notes[i].value) != 0)
            return refuse(in, &list->notes[i], found, error);
    }
    return SPARCL_OK;
}
