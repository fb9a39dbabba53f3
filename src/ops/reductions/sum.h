/* sum.h: sums of rows, two at a time. */
#ifndef SPC_OPS_SUM_H
#define SPC_OPS_SUM_H

#include "ops/shared/check.h"

/* r := alpha * the sum of the rows of x + beta * r, as sparcl_sum_rows. */
typedef struct spc_sum_job {
    const sparcl_dense *r, *x;
    double alpha, beta;
} spc_sum_job;

/* Both, in one launch where they are small. Neither reads or writes the result of the other. */
sparcl_status spc_sum_two(sparcl_ctx *ctx, const spc_sum_job jobs[2]);

#endif
