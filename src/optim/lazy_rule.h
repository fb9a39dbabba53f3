/* lazy_rule.h: exact lazy optimizers: what a step without a gradient does to a row, and the tables
 * of the steps so far. */
#ifndef SPC_OPTIM_LAZY_RULE_H
#define SPC_OPTIM_LAZY_RULE_H

#include "optim/absent.h"
#include "optim/rules.h"

#define SPC_LAZY_TERMS 4 /* of the series */

/* A step without a gradient: w = (1 - share) w, then w -= rate b for momentum, else
 * w -= rate m / (root + epsilon). */
typedef struct spc_lazy_step {
    double rate, epsilon, share;
} spc_lazy_step;

/* How the series of a rule converge: term q shrinks by ratio[q] with each step, and is below the
 * rounding errors of the dtype after `window` steps. It holds where epsilon <= limit root. */
typedef struct spc_lazy_series {
    double ratio[SPC_LAZY_TERMS];
    double first, second, root; /* factors of the states, and of the root, in a step */
    int64_t window;
    double limit;
} spc_lazy_series;

/* Bits SPC_LAZY_... of cl/hyper.cl. */
uint32_t spc_lazy_form_of(const sparcl_optim *optim);
spc_lazy_step spc_lazy_step_of(const sparcl_optim *optim);
spc_lazy_series spc_lazy_series_of(const sparcl_optim *optim, sparcl_dtype dtype);
/* 2^31 - 1 where there is none. */
int64_t spc_lazy_steps_until(double ratio, int bits);
/* What has no closed form, as words; NULL where all has one. */
const char *spc_lazy_refusal(const sparcl_optim *optim);

/* The object, for the number and the coefficients of the step in `optim`, or for the next one. */
sparcl_status spc_lazy_check(sparcl_ctx *ctx, const char *op, const sparcl_optim *optim,
                             const sparcl_dense *table);
/* Bring `rows` (NULL: all) up to the step before `optim`'s; then they count as having had step
 * `optim->step - 1 + ahead`. */
sparcl_status spc_lazy_catch_up(sparcl_ctx *ctx, const sparcl_optim *optim,
                                const sparcl_dense *table, const sparcl_dense *states,
                                const sparcl_rows *rows, int ahead);
/* The step of `optim` was taken. */
sparcl_status spc_lazy_record(sparcl_ctx *ctx, const sparcl_optim *optim);
/* The step for the rows of the gradient, which have caught up. */
sparcl_optim spc_lazy_present(const sparcl_optim *optim);

#endif
