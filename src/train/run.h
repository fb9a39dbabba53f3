/* run.h: a training run: its checked options, its graph, and a step on a batch. */
#ifndef SPC_TRAIN_RUN_H
#define SPC_TRAIN_RUN_H

#include <stdbool.h>

#include "train/feed.h"
#include "train/score.h"

typedef struct spc_run {
    sparcl_ctx *ctx;
    sparcl_train_desc desc;          /* from spc_run_check */
    int64_t columns, outputs, steps; /* steps per pass */
    sparcl_graph *graph;
    int64_t rows, entries;                 /* dimensions of the graph: those of a batch */
    sparcl_node x, y, weights, bias, loss; /* bias: none without one; loss: the sum of a batch's */
    sparcl_dense step_losses;              /* [steps] */
    bool keeps_batch; /* every step has the same batch, and therefore the same pattern */
    bool is_bound;
    int64_t bound_entries; /* the capacity for entries */
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

/* The weights that training would return if it ended now. This does not change a bit of the run.
 * The views are valid until the next call. */
sparcl_status spc_run_weights(const spc_run *run, spc_weights *weights, sparcl_error *error);

#endif
