/* rounding.h: rounds the parameters of a linear model to floats. */
#ifndef SPC_TRAIN_ROUNDING_H
#define SPC_TRAIN_ROUNDING_H

#include "train/scaling.h"

/* The model of the parameters `from` of scaled columns, all of it floats. Far from 0 neighbouring
 * biases differ by more than the minimum allows; where their rounding error squared exceeds `most`,
 * a weight moves by some units so that scores have the right mean again. Returned is the mean
 * square of the error of all scores. */
double spc_round_model(const spc_scaling *scaling, const double *from, double most, double *to);

#endif
