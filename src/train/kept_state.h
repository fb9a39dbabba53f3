/* kept_state.h: the states of optimizers that a model keeps, for trainings that begin with it. */
#ifndef SPC_TRAIN_KEPT_STATE_H
#define SPC_TRAIN_KEPT_STATE_H

#include "train/checkpoint_sum.h"
#include "train/run.h"

/* After the last step: give them to the model. */
sparcl_status spc_state_keep(const spc_run *run, sparcl_model *model, sparcl_error *error);

/* Before the first step: take those of the model that the training begins with, if it has kept some
 * of the same optimizers. */
sparcl_status spc_state_take(const spc_run *run, sparcl_error *error);

/* Add them to a sum; a model without them adds nothing. */
void spc_state_sum(const sparcl_model *model, spc_sum *sum);

#endif
