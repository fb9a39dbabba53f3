/* apply.h: applies a model in host memory to a data set. */
#ifndef SPC_TRAIN_APPLY_H
#define SPC_TRAIN_APPLY_H

#include "train/score.h"

/* Apply a model to all rows of a data set; targets may be NULL where no loss is requested. The
 * penalty of its objective is optional. */
sparcl_status spc_apply(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                        const float *targets, const spc_scores *scores, double *penalty,
                        sparcl_error *error);

/* The same for rows that are nodes of a graph; results are those of the list, targets of all rows.
 */
sparcl_status spc_apply_nodes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                              const sparcl_node_rows *rows, const float *targets,
                              const spc_scores *scores, double *penalty, sparcl_error *error);

#endif
