/* apply_model.h: applies a model in host memory to a data set. */
#ifndef SPC_TRAIN_APPLY_MODEL_H
#define SPC_TRAIN_APPLY_MODEL_H

#include "sparcl/apply.h"
#include "train/score.h"

/* A graph with the values of a model, on the device. */
typedef struct spc_applied {
    spc_forward forward;
    sparcl_dense *values;
    int count;
} spc_applied;

/* Close it also after a failure. */
sparcl_status spc_applied_open(spc_applied *to, sparcl_ctx *ctx, const sparcl_model *model,
                               const spc_forward_desc *desc, const spc_scores *scores,
                               sparcl_error *error);
void spc_applied_close(spc_applied *applied);
/* What a graph is for: a model, with as many columns as it or the data have. */
spc_forward_desc spc_describe(const sparcl_model *model, const sparcl_data *data);

/* Apply a model to all rows of a data set; targets and weights may be NULL where no loss is
 * requested, weights also for 1. The penalty of its objective is optional. */
sparcl_status spc_apply(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                        const float *targets, const float *weights, const spc_scores *scores,
                        double *penalty, sparcl_error *error);

/* The same for rows that are nodes of a graph; results are those of the list, targets and weights
 * those of all rows. */
sparcl_status spc_apply_nodes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                              const sparcl_node_rows *rows, const float *targets,
                              const float *weights, const spc_scores *scores, double *penalty,
                              sparcl_error *error);

#endif
