/* search_checkpoint.c: the state of a training by L-BFGS as the arrays of a file. */
#include "train/search_checkpoint.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "train/checkpoint.h"

enum { EVALUATIONS = SPC_SAVED_STEP + 1, HELD, NEXT };
_Static_assert(NEXT + 1 == SPC_SAVED_COUNTS, "all counts have a name");
enum { SECONDS, VALUE, FIRST_NORM, FIRST_VALUE, NUMBERS };

typedef struct saved {
    int64_t counts[SPC_SAVED_COUNTS];
    double numbers[NUMBERS];
    spc_items items;
} saved;

/* --- the list --------------------------------------------------------------------------------- */

static sparcl_status add(saved *s, const char *folder, const char *name, const char *dtype,
                         int64_t element, void *at, int64_t count, sparcl_error *error) {
    const spc_item item = {
        .dtype = dtype, .count = count, .bytes = element * count, .host = at, .most = INT64_MAX};
    return spc_items_add(&s->items, folder, NULL, name, &item, error);
}

/* What the sizes of the others follow from. */
static sparcl_status list_counts(saved *s, sparcl_error *error) {
    SPC_TRY(add(s, "run", "counts", "I64", 8, s->counts, SPC_SAVED_COUNTS, error));
    return add(s, "run", "numbers", "F64", 8, s->numbers, NUMBERS, error);
}

static sparcl_status list_arrays(saved *s, const spc_search_run *run, sparcl_error *error) {
    spc_lbfgs_state *const state = &run->search->state;
    const int64_t n = run->search->count, pairs = SPC_LBFGS_PAIRS;
    SPC_TRY(add(s, "run", "passes", "F64", 8, run->passes.list,
                run->search->done * SPC_PASS_NUMBERS, error));
    SPC_TRY(add(s, "search", "point", "F64", 8, state->x, n, error));
    SPC_TRY(add(s, "search", "base", "F64", 8, run->base, n, error));
    SPC_TRY(add(s, "search", "gradient", "F64", 8, state->gradient, n, error));
    SPC_TRY(add(s, "search", "steps", "F32", 4, state->steps, pairs * n, error));
    SPC_TRY(add(s, "search", "changes", "F32", 4, state->changes, pairs * n, error));
    return add(s, "search", "inverse", "F64", 8, state->inverse, pairs, error);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void take_counts(saved *s, const spc_search_run *run) {
    const spc_lbfgs *const search = run->search;
    const int64_t counts[SPC_SAVED_COUNTS] = {search->done, search->done, search->evaluations,
                                              search->state.held, search->state.next};
    const double numbers[NUMBERS] = {spc_clock() - run->start, search->value, search->first_norm,
                                     search->first_value};
    memcpy(s->counts, counts, sizeof counts);
    memcpy(s->numbers, numbers, sizeof numbers);
}

sparcl_status spc_search_save(void *user, sparcl_error *error) {
    const spc_search_run *const run = user;
    saved s = {0};
    spc_settings_list settings;
    take_counts(&s, run);
    sparcl_status status = spc_settings_of_search(&settings, &run->settings, error);
    if (status == SPARCL_OK) status = list_counts(&s, error);
    if (status == SPARCL_OK) status = list_arrays(&s, run, error);
    if (status == SPARCL_OK)
        status = spc_settings_write(run->ctx, run->settings.desc->checkpoint, &settings, &s.items,
                                    error);
    spc_settings_free(&settings);
    spc_items_free(&s.items);
    return status;
}

/* --- going on --------------------------------------------------------------------------------- */

static sparcl_status check_counts(const spc_search_run *run, const spc_checkpoint *in,
                                  const saved *s, sparcl_error *error) {
    const int64_t *const c = s->counts, done = c[SPC_SAVED_STEP];
    if (done >= 1 && c[SPC_SAVED_EPOCH] == done && c[EVALUATIONS] > done &&
        c[HELD] <= SPC_LBFGS_PAIRS && c[NEXT] < SPC_LBFGS_PAIRS && s->numbers[SECONDS] >= 0) {
        if (done <= run->search->iterations) return SPARCL_OK;
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: the checkpoint is after iteration %lld, the run has only %lld; use "
                        "more iterations, or another file",
                        in->path, (long long)done, (long long)run->search->iterations);
    }
    return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor run/counts: these are not counts of a run",
                    in->path);
}

static sparcl_status set_counts(spc_search_run *run, const spc_checkpoint *in, const saved *s,
                                sparcl_error *error) {
    spc_lbfgs *const search = run->search;
    SPC_TRY(check_counts(run, in, s, error));
    run->start = spc_clock() - s->numbers[SECONDS];
    run->resumed_step = search->done = s->counts[SPC_SAVED_STEP];
    search->evaluations = s->counts[EVALUATIONS];
    search->state.held = s->counts[HELD];
    search->state.next = s->counts[NEXT];
    search->value = s->numbers[VALUE];
    search->first_norm = s->numbers[FIRST_NORM];
    search->first_value = s->numbers[FIRST_VALUE];
    return spc_passes_reserve(&run->passes, search->done, error);
}

static sparcl_status read_items(const spc_search_run *run, const spc_checkpoint *in, const saved *s,
                                int first, sparcl_error *error) {
    for (int i = first; i < s->items.count; ++i)
        SPC_TRY(spc_checkpoint_read(run->ctx, in, &s->items.at[i], error));
    return SPARCL_OK;
}

static sparcl_status check_same(const spc_search_run *run, const spc_checkpoint *in,
                                sparcl_error *error) {
    spc_settings_list settings;
    sparcl_status status = spc_settings_of_search(&settings, &run->settings, error);
    if (status == SPARCL_OK) status = spc_settings_compare(&settings, &in->tensors, error);
    spc_settings_free(&settings);
    return status;
}

static sparcl_status restore(spc_search_run *run, const spc_checkpoint *in, sparcl_error *error) {
    saved s = {0};
    sparcl_status status = SPARCL_OK;
    SPC_GO(check_same(run, in, error));
    SPC_GO(list_counts(&s, error));
    SPC_GO(read_items(run, in, &s, 0, error));
    SPC_GO(set_counts(run, in, &s, error));
    const int first = s.items.count;
    SPC_GO(list_arrays(&s, run, error));
    SPC_GO(read_items(run, in, &s, first, error));
done:
    spc_items_free(&s.items);
    return status;
}

/* As it was after the last iteration. */
static void set_progress(const spc_search_run *run) {
    const int64_t done = run->search->done;
    const spc_pass *const last = &run->passes.list[done - 1];
    run->progress->epoch = run->progress->step = done;
    run->progress->rows = (int64_t)last->rows;
    run->progress->loss = last->loss;
    run->progress->valid_loss = last->valid_loss;
    spc_passes_report(&run->passes, run->progress, 1, run->settings.desc);
}

sparcl_status spc_search_resume(spc_search_run *run, sparcl_error *error) {
    const sparcl_train_desc *const desc = run->settings.desc;
    spc_checkpoint in;
    bool found = false;
    if (!desc->checkpoint || !desc->resume) return SPARCL_OK;
    SPC_TRY(spc_checkpoint_open(&in, desc->checkpoint, &found, error));
    if (!found) return SPARCL_OK;
    const sparcl_status status = restore(run, &in, error);
    spc_checkpoint_close(&in);
    if (status == SPARCL_OK) set_progress(run);
    return status;
}
