/* passes.c: what a training keeps of its completed passes. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "train/loop.h"
#include "train/metrics.h"

sparcl_status spc_trainer_reserve_passes(spc_trainer *t, int64_t count, sparcl_error *error) {
    if (count <= t->pass_capacity) return SPARCL_OK;
    const int64_t capacity = 2 * count + 16;
    spc_pass *const more = realloc(t->passes, (size_t)capacity * sizeof *more);
    if (!more) return spc_fail_memory(error, "passes", (size_t)capacity * sizeof *more);
    t->passes = more;
    t->pass_capacity = capacity;
    return SPARCL_OK;
}

void spc_trainer_report_passes(spc_trainer *t) {
    const sparcl_train_desc *const desc = &t->run.desc;
    for (int64_t i = 0; desc->progress && i < t->progress.epoch; ++i) {
        const spc_pass *const then = &t->passes[i];
        sparcl_train_progress now = t->progress;
        now.epoch = i + 1;
        now.step = (i + 1) * t->run.steps;
        now.rows = (int64_t)then->rows;
        now.seconds = then->at;
        now.loss = then->loss;
        now.valid_loss = then->valid_loss;
        now.is_earlier = 1;
        (void)desc->progress(desc->progress_user, &now);
    }
}

sparcl_status spc_trainer_median(const spc_trainer *t, double *seconds, sparcl_error *error) {
    const int64_t count = t->progress.epoch;
    *seconds = NAN;
    if (count == 0) return SPARCL_OK;
    double *const x = malloc((size_t)count * sizeof *x);
    if (!x) return spc_fail_memory(error, "times", (size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; ++i)
        x[i] = t->passes[i].seconds;
    spc_sort_doubles(x, count);
    *seconds = count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
    free(x);
    return SPARCL_OK;
}
