/* trial.c: a search for settings. */
#include "train/trial.h"

#include <math.h>

#include "base/error.h"

/* Settings in a row that are worse than the best. */
enum { WORSE = 3 };

static int watch(void *user, const sparcl_train_progress *now) {
    const spc_trial *const t = user;
    const double nan = (double)NAN;
    const sparcl_tried running = {.solver = t->result->solver,
                                  .value = t->value,
                                  .loss = nan,
                                  .accuracy = nan,
                                  .selected = nan,
                                  .is_running = 1,
                                  .most = t->most,
                                  .fold = t->fold,
                                  .step = now->step};
    return t->after(t->user, &running);
}

sparcl_train_desc spc_trial_part_desc(spc_trial *t, double value, int fold) {
    sparcl_train_desc desc = t->desc;
    t->value = value;
    t->fold = fold;
    desc.class_weights = NULL;
    desc.class_weight_count = desc.balance_classes = 0;
    desc.progress = t->after ? watch : NULL;
    desc.progress_user = t;
    return desc;
}

/* Whether a setting is better than another. */
static bool is_better(const spc_trial *t, const sparcl_tried *a, const sparcl_tried *b) {
    const bool differs = t->select != SPARCL_SELECT_LOSS && !(a->selected == b->selected);
    if (differs && !isnan(a->selected)) return !(a->selected < b->selected);
    return a->loss < b->loss;
}

sparcl_status spc_trial_keep(spc_trial *t, const sparcl_tried *tried, bool *ends,
                             sparcl_error *error) {
    sparcl_auto_result *const r = t->result;
    r->tried[r->count] = *tried;
    if (is_better(t, tried, &r->tried[r->best])) r->best = r->count;
    ++r->count;
    *ends = r->count - 1 - r->best >= WORSE;
    if (!t->after || !t->after(t->user, tried)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_INTERRUPTED, "training was interrupted after %d settings",
                    r->count);
}
