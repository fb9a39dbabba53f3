/* run.h: a training run: its checked options, its graph, and a step on a batch. */
#ifndef SPC_TRAIN_RUN_H
#define SPC_TRAIN_RUN_H

#include <stdbool.h>

#include "model/model_graph.h"
#include "sparcl/train.h"
#include "train/feed.h"
#include "train/label_units.h"
#include "train/score.h"

typedef struct spc_run {
    sparcl_ctx *ctx;
    sparcl_train_desc desc;                              /* from spc_run_check */
    sparcl_parameter_optim own[SPARCL_PARAMETER_OPTIMS]; /* of the description */
    int64_t steps;                                       /* per pass */
    bool weighs;                                         /* rows have weights */
    spc_model_graph model;
    spc_forward forward;      /* the same model without steps, where losses were requested */
    sparcl_node loss;         /* the sum of a batch's losses */
    sparcl_dense step_losses; /* [steps] */
    bool keeps_batch;         /* every step has the same batch, and therefore the same pattern */
    bool is_bound;
    bool varies; /* the description has a schedule */
    spc_label_units units;
    int64_t bound_entries; /* the capacity for entries */
    double start;
} spc_run;

/* Check the description, set hyper-parameters to 0 that its optimizer does not use, and set the
 * built-in architecture where it has none. E_ARG. */
sparcl_status spc_run_check(sparcl_train_desc *checked, const sparcl_train_desc *desc,
                            sparcl_error *error);

/* Without validation data. */
sparcl_status spc_refuse_patience(int64_t patience, sparcl_error *error);

/* The sizes of a run. */
typedef struct spc_run_size {
    int64_t columns, outputs;
    int64_t nodes;  /* where the architecture has them */
    int64_t steps;  /* per pass */
    bool weighs;    /* rows have weights */
    int64_t fields; /* where the architecture reads them; else 0 */
    spc_label_units units;
} spc_run_size;

sparcl_status spc_run_open(spc_run *run, sparcl_ctx *ctx, const sparcl_train_desc *checked,
                           const spc_run_size *size, sparcl_error *error);
void spc_run_close(spc_run *run);

/* One step on a batch; `step` is its index in the pass. */
sparcl_status spc_run_step(spc_run *run, int64_t step, const spc_inputs *inputs,
                           sparcl_error *error);

/* The rates of the next step, after `done` steps and `passes` complete passes of a run of `epochs`;
 * *lr is that of the description. */
sparcl_status spc_run_set_rate(spc_run *run, int64_t done, int64_t passes, double *lr,
                               sparcl_error *error);

/* The sum of the losses of the first `steps` steps of a pass, each computed before its step. Losses
 * are those of the labels as they are. */
sparcl_status spc_run_pass_loss(const spc_run *run, int64_t steps, double *sum,
                                sparcl_error *error);

/* The value that training would return for a parameter if it ended now. This does not change a bit
 * of the run. The view is valid until the next call for this parameter. */
sparcl_status spc_run_value(const spc_run *run, int parameter, sparcl_dense *view,
                            sparcl_error *error);

/* The mean loss of a model of this run, with its values from host memory. */
sparcl_status spc_run_model_loss(spc_run *run, const spc_scored *rows, const sparcl_model *model,
                                 double *loss, sparcl_error *error);
/* The mean loss on other rows of the model that training would return if it ended now. */
sparcl_status spc_run_mean_loss(spc_run *run, const spc_scored *rows, double *loss,
                                sparcl_error *error);

/* Set what the graphs of the run have on the device. */
sparcl_status spc_run_memory(const spc_run *run, sparcl_train_memory *memory, sparcl_error *error);

#endif
