/* norm.h: the norm in the objective. */
#ifndef SPC_TRAIN_NORM_H
#define SPC_TRAIN_NORM_H

#include "sparcl/model.h"

/* |w|^2 / 2 in double, without the bias. */
double spc_half_norm(const sparcl_model *model);

#endif
