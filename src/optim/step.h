/* step.h: steps of two parameters. */
#ifndef SPC_OPTIM_STEP_H
#define SPC_OPTIM_STEP_H

#include "sparcl/optim.h"

/* As sparcl_step with `rows`, or as sparcl_step_dense with `dense`. */
typedef struct spc_step_job {
    const sparcl_optim *optim;
    const sparcl_dense *table, *states;
    const sparcl_rows *rows;
    const sparcl_dense *dense;
} spc_step_job;

/* Two steps, in one launch where the second is small. What they read and write does not overlap. */
sparcl_status spc_step_two(sparcl_ctx *ctx, const spc_step_job *rows, const spc_step_job *dense);

#endif
