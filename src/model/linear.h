/* linear.h: the built-in architecture, a linear model. */
#ifndef SPC_MODEL_LINEAR_H
#define SPC_MODEL_LINEAR_H

#include <stdbool.h>

#include "model/builtin.h"

extern const sparcl_architecture spc_linear, spc_linear_without_bias;
extern const spc_builtin spc_builtin_linear;

#endif
