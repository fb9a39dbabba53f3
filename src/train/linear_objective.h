/* linear_objective.h: the objective of a linear model on all rows of a feed, and its gradient. */
#ifndef SPC_TRAIN_LINEAR_OBJECTIVE_H
#define SPC_TRAIN_LINEAR_OBJECTIVE_H

#include "train/feed.h"

/* mean loss + l2/2 |w|^2: losses and products are computed on the device in F32, their sum in
 * double. Parameters: the weights [columns, outputs], then the bias [outputs] if there is one;
 * where the feed scales its values, those of the scaled columns. */
typedef struct spc_linear_objective {
    sparcl_ctx *ctx;
    spc_feed *feed;
    sparcl_loss loss;
    int64_t columns, outputs, count;
    bool has_bias;
    int64_t slice;                                                       /* rows at a time */
    sparcl_dense weights, bias, scores, losses, gradient, bias_gradient; /* on the device */
    sparcl_pattern *pattern; /* where all rows stay on the device; built by the first evaluation */
    bool has_pattern;
    double *penalty; /* [columns]: the factor of weight^2 / 2 */
    double bias_scale;
    float *residuals; /* [rows, outputs]: those of the next evaluation, divided by the rows; NULL:
                         they stay on the device */
    float *numbers;   /* [max(count, slice)]: to and from the device */
    double mean_loss; /* of the last evaluation */
} spc_linear_objective;

/* Close it also after a failure. */
sparcl_status spc_linear_objective_open(spc_linear_objective *objective, spc_feed *feed,
                                        sparcl_loss loss, double l2, int64_t outputs, bool has_bias,
                                        sparcl_error *error);
void spc_linear_objective_close(spc_linear_objective *objective);

/* An spc_evaluate: `user` is the objective. */
sparcl_status spc_linear_objective_at(void *user, const double *x, double *value, double *gradient,
                                      sparcl_error *error);

#endif
