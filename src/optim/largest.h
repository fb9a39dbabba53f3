/* largest.h: the largest number of a state. */
#ifndef SPC_OPTIM_LARGEST_H
#define SPC_OPTIM_LARGEST_H

#include "optim/rules.h"

/* Find t->largest, the largest number of a state of rows before the step, where the rule needs it;
 * in scratch memory, which must stay until the step. */
sparcl_status spc_find_largest(sparcl_ctx *ctx, spc_tables *t);

#endif
