/* train_checkpoint.h: the checkpoints of sparcl train: their options, and what is said of them. */
#ifndef SPARCL_TOOL_TRAIN_CHECKPOINT_H
#define SPARCL_TOOL_TRAIN_CHECKPOINT_H

#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/train.h"

/* Parse --checkpoint-every, and check --checkpoint and --resume. */
exit_code checkpoint_take_options(void);
void checkpoint_describe(sparcl_train_desc *desc);

/* Say what --resume goes on with. */
exit_code checkpoint_announce(void);
/* Say once that a checkpoint was not written. */
void checkpoint_watch(const sparcl_train_progress *now);
/* After a step: should the run end? From now on an interrupt waits for the checkpoint, if there is
 * one; else it ends the process at once, also while a driver compiles. */
bool checkpoint_stop(bool has_more);
/* Say that the run was interrupted, and how to go on. */
exit_code checkpoint_interrupted(void);

#endif
