/* passes.c: what a training keeps of its completed passes. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "train/loop.h"
#include "train/metrics.h"

sparcl_status spc_passes_reserve(spc_pass **passes, int64_t *capacity, int64_t count,
                                 sparcl_error *error) {
    if (count <= *capacity) return SPARCL_OK;
    const int64_t larger = 2 * count + 16;
    spc_pass *const more = realloc(*passes, (size_t)larger * sizeof *more);
    if (!more) return spc_fail_memory(error, "passes", (size_t)larger * sizeof *more);
    *passes = more;
    *capacity = larger;
    return SPARCL_OK;
}

sparcl_status spc_trainer_reserve_passes(spc_trainer *t, int64_t count, sparcl_error *error) {
    return spc_passes_reserve(&t->passes, &t->pass_capacity, count, error);
}

void spc_passes_report(const spc_pass *passes, const sparcl_train_progress *progress,
                       int64_t steps_of_pass, const sparcl_train_desc *desc) {
    for (int64_t i = 0; desc->progress && i < progress->epoch; ++i) {
        const spc_pass *const then = &passes[i];
        sparcl_train_progress now = *progress;
        now.epoch = i + 1;
        now.step = (i + 1) * steps_of_pass;
        now.rows = (int64_t)then->rows;
        now.seconds = then->at;
        now.loss = then->loss;
        now.valid_loss = then->valid_loss;
        now.is_earlier = 1;
        now.run = NULL;
        (void)desc->progress(desc->progress_user, &now);
    }
}

void spc_trainer_report_passes(spc_trainer *t) {
    spc_passes_report(t->passes, &t->progress, t->run.steps, &t->run.desc);
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
