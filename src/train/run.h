/* run.h: one training run: checked options, tables, and a step on a batch. */
#ifndef SPC_TRAIN_RUN_H
#define SPC_TRAIN_RUN_H

#include <stdbool.h>

#include "train/feed.h"
#include "train/score.h"
#include "train/table.h"

typedef struct spc_run {
    sparcl_ctx *ctx;
    sparcl_train_desc desc;          /* from spc_run_check */
    int64_t columns, outputs, steps; /* steps of a pass */
    spc_table table;
    sparcl_pattern *pattern;
    sparcl_dense scores;     /* and residual, in place */
    sparcl_dense losses;     /* [rows of a batch] */
    sparcl_buf *step_losses; /* [steps] sums over the rows of a batch */
    bool keeps_batch;        /* every step has the same batch, and so the same pattern */
    double start;
} spc_run;

/* Check the description, and set to 0 what its optimizer does not have. E_ARG. */
sparcl_status spc_run_check(sparcl_train_desc *checked, const sparcl_train_desc *desc,
                            sparcl_error *error);

sparcl_status spc_run_open(spc_run *run, sparcl_ctx *ctx, const sparcl_train_desc *checked,
                           int64_t columns, int64_t outputs, int64_t steps, sparcl_error *error);
void spc_run_close(spc_run *run);

/* One step on a batch; step is its number in the pass. */
sparcl_status spc_run_step(spc_run *run, int64_t step, const sparcl_csr *x, const sparcl_dense *y,
                           sparcl_error *error);

/* The sum of the losses of a pass, each taken before its step. */
sparcl_status spc_run_pass_loss(spc_run *run, double *sum, sparcl_error *error);

#endif
