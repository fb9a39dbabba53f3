/* step.h: steps of two parameters, and with gradients whose rows are elsewhere. */
#ifndef SPC_OPTIM_STEP_H
#define SPC_OPTIM_STEP_H

#include "ops/shared/runs.h"
#include "optim/rules.h"

/* A step: as sparcl_step where `rows` is not NULL, else as sparcl_step_dense. `columns`, or NULL:
 * row k is for entry k of the matrix of this pattern, with its column. */
typedef struct spc_step_job {
    const sparcl_optim *optim;
    const sparcl_dense *table, *states;
    const sparcl_rows *rows;
    const sparcl_dense *dense;
    const sparcl_pattern *columns;
} spc_step_job;

/* As sparcl_step without lazy, of a table that begins with element `first` of another. */
sparcl_status spc_step_part(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *table,
                            const sparcl_dense *states, const sparcl_rows *from, int64_t first);

sparcl_status spc_step_one(sparcl_ctx *ctx, const spc_step_job *job);
/* Two steps, the second of a dense gradient; in one launch where that is small (spc_step_is_small)
 * and of the same rule. What they read and write does not overlap. */
sparcl_status spc_step_two(sparcl_ctx *ctx, const spc_step_job *first, const spc_step_job *dense);
bool spc_step_is_small(const sparcl_dense *table);

/* A step with the sums of checked runs, which begin with 0, where from->values has the rows that
 * runs->perm names. Not for rules with numbers of a row. */
sparcl_status spc_step_placed(sparcl_ctx *ctx, const spc_tables *tables, const sparcl_rows *from,
                              const spc_runs *runs);

#endif
