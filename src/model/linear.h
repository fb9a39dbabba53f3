/* linear.h: the built-in architecture, a linear model. */
#ifndef SPC_MODEL_LINEAR_H
#define SPC_MODEL_LINEAR_H

#include <stdbool.h>

#include "sparcl/architecture.h"

extern const sparcl_architecture spc_linear, spc_linear_without_bias;

#endif
