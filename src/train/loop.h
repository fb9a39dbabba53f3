/* loop.h: the training loop, for any source of batches. */
#ifndef SPC_TRAIN_LOOP_H
#define SPC_TRAIN_LOOP_H

#include "train/checkpoint_due.h"
#include "train/nodes.h"
#include "train/pairs.h"
#include "train/problem.h"
#include "train/run.h"

typedef struct spc_trainer spc_trainer;

/* Get the batch of a step; the views are valid until the next call. */
typedef sparcl_status (*spc_next_batch)(spc_trainer *trainer, int64_t epoch, int64_t step,
                                        spc_inputs *inputs, sparcl_error *error);

/* A completed pass, as it was reported; all are doubles, for files. */
typedef struct spc_pass {
    double seconds; /* with the data in memory, without the losses of data sets */
    double at;      /* progress.seconds */
    double rows;    /* progress.rows */
    double loss, valid_loss;
} spc_pass;
enum { SPC_PASS_NUMBERS = 5 };

/* The state of a training: the source of batches, and the progress. The caller fills in the fields
 * up to `valid_rows`.
 */
struct spc_trainer {
    spc_run run;
    spc_feed feed; /* feed.data is NULL where batches come from a callback */
    spc_next_batch next;
    /* Called before the first step of a pass; NULL: nothing to do. */
    sparcl_status (*start)(spc_trainer *trainer, int64_t epoch, sparcl_error *error);
    const sparcl_batch_source *source; /* NULL without a callback */
    const spc_classes *classes;
    int64_t batch;  /* rows per step, with a data set */
    float *targets; /* of the data set, or of the current batch */
    int64_t *order; /* of the current pass; NULL with only one batch */
    spc_feed valid; /* valid.data is NULL without validation data */
    float *valid_targets;
    double *class_weights;          /* [classes]: of batches of a callback; NULL: 1 */
    float *weights, *valid_weights; /* as targets; NULL: 1 */
    spc_nodes nodes;                /* of SPARCL_TASK_NODES */
    spc_bipartite bipartite;        /* of SPARCL_TASK_RANK, and the pairs of steps and of losses */
    spc_pairs pairs, scored_pairs, valid_pairs;
    spc_scored train_rows, valid_rows; /* for their losses */

    const sparcl_data *valid_data; /* or NULL */

    sparcl_train_progress progress;
    sparcl_model_info *info; /* of the model */
    sparcl_model *best;      /* with patience: of the pass best_epoch, whose loss is the lowest */
    double best_loss;
    int64_t best_epoch;
    spc_pass *passes; /* the completed ones */
    int64_t pass_capacity;
    int64_t pass_rows;  /* of the current pass so far */
    double pass_start;  /* of the current pass; earlier where a checkpoint is from within it */
    double pass_before; /* seconds of the pass before that checkpoint */

    double begin;         /* of this call: the clock */
    bool ends_early;      /* max_seconds are over */
    int64_t resumed_step; /* that a checkpoint was from; 0 */
    spc_checkpoint_due due;
};

/* A model with the settings of this training after `epochs` passes, and undefined values; and with
 * the values that it has now. */
sparcl_status spc_model_open(const spc_trainer *trainer, int64_t epochs, sparcl_model **model,
                             sparcl_error *error);
sparcl_status spc_model_fetch(const spc_trainer *trainer, int64_t epochs, sparcl_model **model,
                              sparcl_error *error);

/* passes.c: memory for a number of passes; reports the progress of those that were completed
 * before, `epoch` of the progress, as it was reported then. */
sparcl_status spc_passes_reserve(spc_pass **passes, int64_t *capacity, int64_t count,
                                 sparcl_error *error);
void spc_passes_report(const spc_pass *passes, const sparcl_train_progress *progress,
                       int64_t steps_of_pass, const sparcl_train_desc *desc);

/* The same for a trainer; the median of the seconds of its passes, NaN without a pass. */
sparcl_status spc_trainer_reserve_passes(spc_trainer *trainer, int64_t count, sparcl_error *error);
void spc_trainer_report_passes(spc_trainer *trainer);
sparcl_status spc_trainer_median(const spc_trainer *trainer, double *seconds, sparcl_error *error);

/* Train, and return a model and a result (may be NULL). */
sparcl_status spc_trainer_run(spc_trainer *trainer, sparcl_model_info *info, sparcl_model **model,
                              sparcl_train_result *result, sparcl_error *error);
/* Call it also after a failure. */
void spc_trainer_close(spc_trainer *trainer);

#endif
