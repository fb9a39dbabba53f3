/* passes.c: what a training keeps of its passes. */
#include "train/passes.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "train/metrics.h"

sparcl_status spc_passes_reserve(spc_passes *p, int64_t count, sparcl_error *error) {
    if (count <= p->capacity) return SPARCL_OK;
    const int64_t larger = 2 * count + 16;
    spc_pass *const more = realloc(p->list, (size_t)larger * sizeof *more);
    if (!more) return spc_fail_memory(error, "passes", (size_t)larger * sizeof *more);
    p->list = more;
    p->capacity = larger;
    return SPARCL_OK;
}

sparcl_status spc_passes_begin(spc_passes *p, int64_t done, sparcl_error *error) {
    p->start = spc_clock() - p->before;
    p->before = 0;
    return spc_passes_reserve(p, done + 1, error);
}

void spc_passes_end(spc_passes *p, sparcl_train_progress *progress, double at) {
    spc_pass *const now = &p->list[progress->epoch++];
    now->at = at;
    now->rows = (double)progress->rows;
    now->loss = progress->loss;
    now->valid_loss = progress->valid_loss;
    p->rows = 0;
    p->start = spc_clock();
}

void spc_passes_report(const spc_passes *p, const sparcl_train_progress *progress,
                       int64_t steps_of_pass, const sparcl_train_desc *desc) {
    for (int64_t i = 0; desc->progress && i < progress->epoch; ++i) {
        const spc_pass *const then = &p->list[i];
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

sparcl_status spc_passes_median(const spc_passes *p, int64_t count, double *seconds,
                                sparcl_error *error) {
    *seconds = NAN;
    if (count == 0) return SPARCL_OK;
    double *const x = malloc((size_t)count * sizeof *x);
    if (!x) return spc_fail_memory(error, "times", (size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; ++i)
        x[i] = p->list[i].seconds;
    spc_sort_doubles(x, count);
    *seconds = count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
    free(x);
    return SPARCL_OK;
}
