/* passes.h: what a training keeps of its completed passes, and of the current one. */
#ifndef SPC_TRAIN_PASSES_H
#define SPC_TRAIN_PASSES_H

#include "sparcl/train.h"

/* A completed pass, as it was reported; all are doubles, for files. */
typedef struct spc_pass {
    double seconds; /* with the data in memory, without the losses of data sets */
    double at;      /* progress.seconds */
    double rows;    /* progress.rows */
    double loss, valid_loss;
} spc_pass;
enum { SPC_PASS_NUMBERS = 5 };

typedef struct spc_passes {
    spc_pass *list; /* the completed ones, as many as the progress has; the caller frees them */
    int64_t capacity;
    int64_t rows; /* of the current pass so far */
    double start; /* of the current pass: the clock; earlier where a checkpoint is from within it */
    double before; /* seconds of the pass before that checkpoint */
} spc_passes;

/* Memory for a number of passes. */
sparcl_status spc_passes_reserve(spc_passes *passes, int64_t count, sparcl_error *error);

/* A pass begins, after `done` complete ones. */
sparcl_status spc_passes_begin(spc_passes *passes, int64_t done, sparcl_error *error);
/* It is complete, and progress->epoch with it: what a checkpoint has is the beginning of the next
 * one. `at` is the time of the run. */
void spc_passes_end(spc_passes *passes, sparcl_train_progress *progress, double at);

/* Report those that were completed before, as they were reported then. */
void spc_passes_report(const spc_passes *passes, const sparcl_train_progress *progress,
                       int64_t steps_of_pass, const sparcl_train_desc *desc);

/* The median of the seconds of `count` passes, NaN without one. */
sparcl_status spc_passes_median(const spc_passes *passes, int64_t count, double *seconds,
                                sparcl_error *error);

#endif
