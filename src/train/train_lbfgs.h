/* train_lbfgs.h: trains a linear model by L-BFGS. */
#ifndef SPC_TRAIN_TRAIN_LBFGS_H
#define SPC_TRAIN_TRAIN_LBFGS_H

#include "train/problem.h"

/* sparcl_train where desc->solver is SPARCL_SOLVER_LBFGS; `checked` is from spc_run_check, and the
 * classes are known. `start`: parameters to begin with, as spc_linear_objective has them, which
 * become those of the model; NULL: zeros. */
sparcl_status spc_train_lbfgs(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train,
                              const sparcl_data *valid, const sparcl_train_desc *checked,
                              const spc_classes *classes, double *start,
                              sparcl_train_result *result, sparcl_error *error);

#endif
