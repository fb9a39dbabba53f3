/* trained_model.h: the model of a training, as it is now. */
#ifndef SPC_TRAIN_TRAINED_MODEL_H
#define SPC_TRAIN_TRAINED_MODEL_H

#include "train/run.h"

/* A model with the settings of a run after `epochs` passes, and undefined values; `of` says what
 * the run does not. */
sparcl_status spc_model_open(const spc_run *run, const sparcl_model_info *of, int64_t epochs,
                             sparcl_model **model, sparcl_error *error);
/* The same with the values that it has now. */
sparcl_status spc_model_fetch(const spc_run *run, const sparcl_model_info *of, int64_t epochs,
                              sparcl_model **model, sparcl_error *error);

#endif
