/* checkpoint.c: the state of a run as the arrays of a file. */
#include "train/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "model/core.h"
#include "model/model_object.h"
#include "train/checkpoint_file.h"
#include "train/run_settings.h"
#include "train/trained_model.h"

/* What is saved beside the arrays of the graph and the best model. */
enum {
    EPOCH = SPC_SAVED_EPOCH,
    STEP = SPC_SAVED_STEP,
    ROWS,
    PASS_ROWS,
    BEST_EPOCH,
    COUNTS = SPC_SAVED_COUNTS
};
_Static_assert(BEST_EPOCH + 1 == COUNTS, "all counts have a name");
enum { SECONDS, PASS_SECONDS, LOSS, VALID_LOSS, BEST_LOSS, NUMBERS };

typedef struct saved {
    int64_t counts[COUNTS];
    double numbers[NUMBERS];
    sparcl_counters *counters; /* [parameters] */
    spc_items items;
} saved;

static void free_saved(saved *s) {
    free(s->counters);
    spc_items_free(&s->items);
}

/* --- the list --------------------------------------------------------------------------------- */

static const char *name_of(const spc_trainer *t, int parameter) {
    return t->run.model.architecture->parameters[parameter];
}

static sparcl_status add_i64(saved *s, const char *folder, const char *of, const char *name,
                             int64_t *at, int64_t count, sparcl_error *error) {
    const spc_item item = {.dtype = "I64",
                           .count = count,
                           .bytes = 8 * count,
                           .host = at,
                           .least = INT64_MIN,
                           .most = INT64_MAX};
    return spc_items_add(&s->items, folder, of, name, &item, error);
}

static sparcl_status add_f64(saved *s, const char *folder, const char *of, const char *name,
                             double *at, int64_t count, sparcl_error *error) {
    const spc_item item = {.dtype = "F64", .count = count, .bytes = 8 * count, .host = at};
    return spc_items_add(&s->items, folder, of, name, &item, error);
}

/* What the sizes of the others follow from. */
static sparcl_status list_counts(saved *s, const spc_trainer *t, sparcl_error *error) {
    SPC_TRY(add_i64(s, "run", NULL, "counts", s->counts, COUNTS, error));
    SPC_TRY(add_f64(s, "run", NULL, "numbers", s->numbers, NUMBERS, error));
    for (int i = 0; i < t->run.model.count; ++i) {
        sparcl_counters *const c = &s->counters[i];
        SPC_TRY(add_i64(s, "parameter", name_of(t, i), "counters", c->integers,
                        SPC_COUNT(c->integers), error));
        SPC_TRY(add_f64(s, "parameter", name_of(t, i), "numbers", c->numbers, SPC_COUNT(c->numbers),
                        error));
    }
    return SPARCL_OK;
}

static sparcl_status list_graph(saved *s, const spc_trainer *t, sparcl_error *error) {
    sparcl_graph *const graph = t->run.model.build.graph;
    sparcl_state_array a;
    for (int i = 0;; ++i) {
        SPC_TRY(spc_core(t->run.ctx, sparcl_graph_state_array(graph, i, &a), error));
        if (!a.type) return SPARCL_OK;
        const spc_item item = {.dtype = a.type,
                               .count = a.count,
                               .bytes = a.bytes,
                               .buf = a.buf,
                               .at = a.at,
                               .least = a.least,
                               .most = a.most};
        SPC_TRY(spc_items_add(&s->items, "parameter", sparcl_graph_node_name(graph, a.parameter),
                              a.part, &item, error));
    }
}

static sparcl_status list_best(saved *s, const spc_trainer *t, sparcl_error *error) {
    for (int i = 0; t->best.model && i < t->best.model->count; ++i) {
        const spc_model_tensor *const x = &t->best.model->tensors[i];
        const spc_item item = {.dtype = "F32",
                               .count = (int64_t)(x->bytes / sizeof(float)),
                               .bytes = (int64_t)x->bytes,
                               .host = x->values};
        SPC_TRY(spc_items_add(&s->items, "best", NULL, x->tensor.name, &item, error));
    }
    return SPARCL_OK;
}

/* The sizes are those of the trainer as it is now. */
static sparcl_status list_arrays(saved *s, const spc_trainer *t, sparcl_error *error) {
    const spc_item losses = {.dtype = "F32",
                             .count = t->run.steps,
                             .bytes = 4 * t->run.steps,
                             .buf = t->run.step_losses.values};
    SPC_TRY(spc_items_add(&s->items, "run", NULL, "step_losses", &losses, error));
    SPC_TRY(add_f64(s, "run", NULL, "passes", (double *)(void *)t->passes.list,
                    t->progress.epoch * SPC_PASS_NUMBERS, error));
    SPC_TRY(list_graph(s, t, error));
    return list_best(s, t, error);
}

static sparcl_status open_saved(saved *s, const spc_trainer *t, sparcl_error *error) {
    const size_t bytes = (size_t)t->run.model.count * sizeof *s->counters;
    *s = (saved){.counters = calloc(1, bytes)};
    return s->counters ? SPARCL_OK : spc_fail_memory(error, "checkpoint", bytes);
}

/* --- writing ---------------------------------------------------------------------------------- */

static sparcl_status take_counts(saved *s, const spc_trainer *t, sparcl_error *error) {
    const double now = spc_clock();
    const int64_t counts[COUNTS] = {t->progress.epoch, t->progress.step, t->progress.rows,
                                    t->passes.rows, t->best.epoch};
    const double numbers[NUMBERS] = {now - t->run.start, now - t->passes.start, t->progress.loss,
                                     t->progress.valid_loss, t->best.loss};
    memcpy(s->counts, counts, sizeof counts);
    memcpy(s->numbers, numbers, sizeof numbers);
    for (int i = 0; i < t->run.model.count; ++i)
        SPC_TRY(spc_core(t->run.ctx,
                         sparcl_graph_counters(t->run.model.build.graph,
                                               t->run.model.parameters[i].node, &s->counters[i]),
                         error));
    return SPARCL_OK;
}

static sparcl_status write_items(const spc_trainer *t, saved *s, sparcl_error *error) {
    spc_settings_list settings;
    sparcl_status status =
        spc_settings_of(&settings, &t->run, t->info.fingerprint, t->valid, error);
    if (status == SPARCL_OK)
        status =
            spc_settings_write(t->run.ctx, t->run.desc.checkpoint, &settings, &s->items, error);
    spc_settings_free(&settings);
    return status;
}

static sparcl_status save(void *trainer, sparcl_error *error) {
    const spc_trainer *const t = trainer;
    saved s;
    sparcl_status status = open_saved(&s, t, error);
    if (status == SPARCL_OK) status = take_counts(&s, t, error);
    if (status == SPARCL_OK) status = list_counts(&s, t, error);
    if (status == SPARCL_OK) status = list_arrays(&s, t, error);
    if (status == SPARCL_OK) status = write_items(t, &s, error);
    free_saved(&s);
    return status;
}

sparcl_status spc_checkpoint_after_step(spc_trainer *t, bool now, sparcl_error *error) {
    return spc_checkpoint_if_due(&t->due, &t->run.desc, &t->progress, now, save, t, error);
}

/* --- going on --------------------------------------------------------------------------------- */

static sparcl_status read_items(const spc_trainer *t, const spc_checkpoint *in,
                                const spc_items *items, int first, sparcl_error *error) {
    for (int i = first; i < items->count; ++i)
        SPC_TRY(spc_checkpoint_read(t->run.ctx, in, &items->at[i], error));
    return SPARCL_OK;
}

static sparcl_status check_counts(const spc_trainer *t, const spc_checkpoint *in, const saved *s,
                                  sparcl_error *error) {
    const int64_t *const c = s->counts, epochs = t->run.desc.epochs;
    const int64_t more =
        c[EPOCH] == epochs ? c[STEP] - t->progress.steps : 0; /* of the next pass */
    if (c[EPOCH] > epochs || (more > 0 && more < t->run.steps))
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: the checkpoint is after step %lld, the run has only %lld, in %lld "
                        "passes; use more passes, or another file",
                        in->path, (long long)c[STEP], (long long)t->progress.steps,
                        (long long)epochs);
    const int64_t before = c[EPOCH] < 0 ? -1 : c[EPOCH] * t->run.steps; /* at most progress.steps */
    if (before >= 0 && c[STEP] >= before && c[STEP] - before < t->run.steps &&
        c[STEP] <= t->progress.steps && c[ROWS] >= 0 && c[PASS_ROWS] >= 0 &&
        c[PASS_ROWS] <= c[ROWS] && c[BEST_EPOCH] >= 0 && c[BEST_EPOCH] <= c[EPOCH] &&
        s->numbers[SECONDS] >= 0 && s->numbers[PASS_SECONDS] >= 0)
        return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor run/counts: these are not counts of a run",
                    in->path);
}

static sparcl_status set_counts(spc_trainer *t, const spc_checkpoint *in, const saved *s,
                                sparcl_error *error) {
    sparcl_graph *const graph = t->run.model.build.graph;
    SPC_TRY(check_counts(t, in, s, error));
    t->progress.epoch = s->counts[EPOCH];
    t->progress.step = s->counts[STEP];
    t->progress.rows = s->counts[ROWS];
    t->passes.rows = s->counts[PASS_ROWS];
    t->best.epoch = s->counts[BEST_EPOCH];
    t->progress.loss = s->numbers[LOSS];
    t->progress.valid_loss = s->numbers[VALID_LOSS];
    t->best.loss = s->numbers[BEST_LOSS];
    t->run.start = spc_clock() - s->numbers[SECONDS];
    t->passes.before = s->numbers[PASS_SECONDS];
    sparcl_graph_set_step(graph, t->progress.step);
    for (int i = 0; i < t->run.model.count; ++i)
        SPC_TRY(spc_core(
            t->run.ctx,
            sparcl_graph_set_counters(graph, t->run.model.parameters[i].node, &s->counters[i]),
            error));
    SPC_TRY(spc_passes_reserve(&t->passes, t->progress.epoch, error));
    if (t->best.epoch == 0) return SPARCL_OK;
    return spc_model_open(&t->run, &t->info, t->best.epoch, &t->best.model, error);
}

static sparcl_status check_same(const spc_trainer *t, const spc_checkpoint *in,
                                sparcl_error *error) {
    spc_settings_list settings;
    sparcl_status status =
        spc_settings_of(&settings, &t->run, t->info.fingerprint, t->valid, error);
    if (status == SPARCL_OK) status = spc_settings_compare(&settings, &in->tensors, error);
    spc_settings_free(&settings);
    return status;
}

static sparcl_status restore(spc_trainer *t, const spc_checkpoint *in, sparcl_error *error) {
    saved s;
    sparcl_status status = check_same(t, in, error);
    if (status != SPARCL_OK) return status;
    SPC_GO(open_saved(&s, t, error));
    SPC_GO(list_counts(&s, t, error));
    SPC_GO(read_items(t, in, &s.items, 0, error));
    SPC_GO(set_counts(t, in, &s, error));
    const int first = s.items.count;
    SPC_GO(list_arrays(&s, t, error));
    SPC_GO(read_items(t, in, &s.items, first, error));
done:
    free_saved(&s);
    return status;
}

sparcl_status spc_checkpoint_resume(spc_trainer *t, sparcl_error *error) {
    const sparcl_train_desc *const desc = &t->run.desc;
    spc_checkpoint in;
    bool found = false;
    t->due.time = spc_clock();
    if (!desc->checkpoint || !desc->resume) return SPARCL_OK;
    SPC_TRY(spc_checkpoint_open(&in, desc->checkpoint, &found, error));
    if (!found) return SPARCL_OK;
    const sparcl_status status = restore(t, &in, error);
    spc_checkpoint_close(&in);
    return status;
}

/* --- what a file says ------------------------------------------------------------------------- */

sparcl_status sparcl_checkpoint_find(const char *path, sparcl_checkpoint_info *info,
                                     sparcl_error *error) {
    spc_checkpoint in;
    bool found = false;
    saved s = {0};
    if (!path || !info)
        return spc_fail(error, SPARCL_E_ARG, "checkpoint_find: path or info is NULL");
    *info = (sparcl_checkpoint_info){0};
    SPC_TRY(spc_checkpoint_open(&in, path, &found, error));
    if (!found) return SPARCL_OK;
    const spc_item counts = {.name = "run/counts",
                             .dtype = "I64",
                             .count = COUNTS,
                             .bytes = sizeof s.counts,
                             .host = s.counts,
                             .most = INT64_MAX};
    const sparcl_status status = spc_checkpoint_read(NULL, &in, &counts, error);
    info->exists = status == SPARCL_OK;
    info->solver = spc_settings_solver(&in.tensors);
    info->epoch = s.counts[EPOCH];
    info->step = s.counts[STEP];
    info->is_previous = in.is_previous;
    info->damage = in.damage;
    spc_checkpoint_close(&in);
    return status;
}
