/* search_checkpoint.h: saves the state of a training by L-BFGS, and goes on with a saved one. */
#ifndef SPC_TRAIN_SEARCH_CHECKPOINT_H
#define SPC_TRAIN_SEARCH_CHECKPOINT_H

#include "train/lbfgs.h"
#include "train/passes.h"
#include "train/run_settings.h"

typedef struct spc_search_run {
    sparcl_ctx *ctx;
    spc_search_settings settings;
    spc_lbfgs *search;
    double *base; /* [count of the search]: where its curvature is of */
    sparcl_train_progress *progress;
    spc_passes passes; /* the iterations so far, one each */
    double start; /* the clock at the first iteration; earlier where a checkpoint was from later */
    int64_t resumed_step; /* the iteration that a checkpoint was from; 0 */
} spc_search_run;

/* Write a checkpoint: an spc_save_state, `run` is an spc_search_run. After an iteration. */
sparcl_status spc_search_save(void *run, sparcl_error *error);

/* With `resume`: take the state of the checkpoint, if there is one. The search is open. */
sparcl_status spc_search_resume(spc_search_run *run, sparcl_error *error);

#endif
