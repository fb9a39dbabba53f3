/* linear_problem.h: what L-BFGS minimises: the objective of a linear model on the rows to train
 * with, in coordinates that suit a search; and that on the rows to validate with. */
#ifndef SPC_TRAIN_LINEAR_PROBLEM_H
#define SPC_TRAIN_LINEAR_PROBLEM_H

#include "train/compact_columns.h"
#include "train/curvature.h"
#include "train/linear_objective.h"
#include "train/problem.h"

typedef struct spc_linear_rows {
    const sparcl_data *data;  /* NULL: none */
    float *targets, *weights; /* [rows]; weights NULL: 1 */
    spc_feed feed;
    spc_linear_objective objective;
} spc_linear_rows;

typedef struct spc_linear_problem {
    sparcl_ctx *ctx;
    const sparcl_train_desc *desc; /* from spc_run_check */
    spc_compact_columns used; /* of the rows to train with: no others have a weight in the search */
    spc_linear_rows train, valid; /* valid has all columns of the model, which are not scaled: it
                                     may lack one that all rows have in train */
    spc_scaling scaling;
    spc_curvature curvature;
} spc_linear_problem;

/* ctx, desc and the data of both are set. Close it also after a failure. */
sparcl_status spc_linear_problem_open(spc_linear_problem *problem, const spc_classes *classes,
                                      sparcl_error *error);
void spc_linear_problem_close(spc_linear_problem *problem);

#endif
