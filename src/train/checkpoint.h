/* checkpoint.h: saves the state of a run, and goes on with a saved one. */
#ifndef SPC_TRAIN_CHECKPOINT_H
#define SPC_TRAIN_CHECKPOINT_H

#include "train/loop.h"

/* The first of the counts that every checkpoint has, and their number. */
enum { SPC_SAVED_EPOCH, SPC_SAVED_STEP, SPC_SAVED_COUNTS = 5 };

/* After a step or a pass: write a checkpoint if one is due, or if the run ends here (`now`). A file
 * that cannot be written is an error only then; else the progress says it, and the run goes on. */
sparcl_status spc_checkpoint_after_step(spc_trainer *trainer, bool now, sparcl_error *error);

/* With `resume`: take the state of the checkpoint, if there is one. Before the first step. */
sparcl_status spc_checkpoint_resume(spc_trainer *trainer, sparcl_error *error);

#endif
