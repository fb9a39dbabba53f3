/* loop.h: the training loop, wherever the batches come from. */
#ifndef SPC_TRAIN_LOOP_H
#define SPC_TRAIN_LOOP_H

#include "train/problem.h"
#include "train/run.h"

typedef struct spc_trainer spc_trainer;

/* The batch of a step; the views hold until the next. */
typedef sparcl_status (*spc_next_batch)(spc_trainer *trainer, int64_t epoch, int64_t step,
                                        sparcl_csr *x, sparcl_dense *y, sparcl_error *error);

/* Where batches come from, and what is told of the run. Whoever opens it fills in the first part.
 */
struct spc_trainer {
    spc_run run;
    spc_feed feed; /* feed.data is NULL where batches come from a callback */
    spc_next_batch next;
    const sparcl_batch_source *source; /* of the callback */
    const spc_classes *classes;
    int64_t batch;  /* rows of a step, from a data set */
    float *targets; /* of the data set, or of the batch in work */
    int64_t *order; /* of the pass, NULL where there is one batch only */
    spc_feed valid; /* valid.data is NULL where there are no validation data */
    float *valid_targets;

    sparcl_train_progress progress;
    double *pass_seconds; /* of the passes ended */
    int64_t pass_capacity;
};

/* From an opened run to a model and a result (may be NULL). */
sparcl_status spc_trainer_run(spc_trainer *trainer, sparcl_model_info *info, sparcl_model **model,
                              sparcl_train_result *result, sparcl_error *error);
/* Also after a failure. */
void spc_trainer_close(spc_trainer *trainer);

#endif
