/* loop.h: the training loop, for any source of batches. */
#ifndef SPC_TRAIN_LOOP_H
#define SPC_TRAIN_LOOP_H

#include "train/checkpoint_due.h"
#include "train/passes.h"
#include "train/training_source.h"

/* With patience: the model of the pass whose validation loss is the lowest so far. */
typedef struct spc_best {
    sparcl_model *model; /* NULL: none yet */
    double loss;
    int64_t epoch;
} spc_best;

/* The state of a training. The caller fills in the fields up to `valid`. */
typedef struct spc_trainer {
    spc_run run;
    spc_source source;
    sparcl_model_info info;   /* of the model: what the run does not say */
    const sparcl_data *valid; /* what checkpoints compare; or NULL */

    sparcl_train_progress progress;
    spc_passes passes;
    spc_best best;
    spc_checkpoint_due due;
    int64_t resumed_step; /* that a checkpoint was from; 0 */
    double begin;         /* of this call: the clock */
    bool ends_early;      /* max_seconds are over */
} spc_trainer;

/* Train, and return a model and a result (may be NULL). */
sparcl_status spc_trainer_run(spc_trainer *trainer, sparcl_model **model,
                              sparcl_train_result *result, sparcl_error *error);
/* Call it also after a failure. */
void spc_trainer_close(spc_trainer *trainer);

#endif
