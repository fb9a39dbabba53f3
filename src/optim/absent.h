/* absent.h: what a parameter of a graph does with rows that a gradient does not have. */
#ifndef SPC_OPTIM_ABSENT_H
#define SPC_OPTIM_ABSENT_H

#include <stdbool.h>

#include "sparcl/optim.h"

/* A step without a gradient changes nothing. */
bool spc_lazy_rests(const sparcl_optim *optim);
/* sparcl_catch_up has a closed form without `lazy`. */
bool spc_catches_up(const sparcl_optim *optim);
/* There are exact lazy steps (sparcl_lazy_create). */
bool spc_lazy_takes(const sparcl_optim *optim);
/* Bring all rows of `copy`, a copy of the table, up to the last step. Nothing else changes. */
sparcl_status spc_lazy_peek(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *copy,
                            const sparcl_dense *states);

#endif
