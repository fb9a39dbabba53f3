/* run.h: a training run: its checked options, its tables, and a step on a batch. */
#ifndef SPC_TRAIN_RUN_H
#define SPC_TRAIN_RUN_H

#include <stdbool.h>

#include "train/feed.h"
#include "train/score.h"
#include "train/table.h"

typedef struct spc_run {
    sparcl_ctx *ctx;
    sparcl_train_desc desc;          /* from spc_run_check */
    int64_t columns, outputs, steps; /* steps per pass */
    spc_table table;
    sparcl_pattern *pattern;
    sparcl_dense scores;     /* the residual replaces them, in place */
    sparcl_dense losses;     /* [rows of the batch] */
    sparcl_buf *step_losses; /* [steps] sums over the rows of a batch */
    bool keeps_batch;        /* every step has the same batch, and therefore the same pattern */
    double start;
} spc_run;

/* Check the description, and set hyper-parameters to 0 that its optimizer does not use. E_ARG. */
sparcl_status spc_run_check(sparcl_train_desc *checked, const sparcl_train_desc *desc,
                            sparcl_error *error);

sparcl_status spc_run_open(spc_run *run, sparcl_ctx *ctx, const sparcl_train_desc *checked,
                           int64_t columns, int64_t outputs, int64_t steps, sparcl_error *error);
void spc_run_close(spc_run *run);

/* One step on a batch; `step` is its index in the pass. */
sparcl_status spc_run_step(spc_run *run, int64_t step, const sparcl_csr *x, const sparcl_dense *y,
                           sparcl_error *error);

/* The sum of the losses of a pass, each computed before its step. */
sparcl_status spc_run_pass_loss(spc_run *run, double *sum, sparcl_error *error);

#endif
