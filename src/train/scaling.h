/* scaling.h: coordinates of a linear model in which all columns have the same curvature: those of a
 * data set are centred, if that keeps them sparse, and divided by a power of two. */
#ifndef SPC_TRAIN_SCALING_H
#define SPC_TRAIN_SCALING_H

#include <stdbool.h>

#include "base/macros.h"
#include "sparcl/data.h"
#include "sparcl/ops/losses.h"

/* A column x becomes (x - shift) / scale. Parameters, [columns, outputs] and the bias [outputs] if
 * there is one, then are weight * scale and (bias - label_shift + shift . weight) * bias_scale. */
typedef struct spc_scaling {
    int64_t columns, outputs;
    bool has_bias;
    bool of_entries;      /* scales for steps, by the mean squares of stored values */
    bool steps_are_equal; /* these steps are as long whatever the gradient is */
    double *shift; /* [columns], floats; 0 where not every row stores the column, or without bias */
    double *scale; /* [columns], powers of two */
    double *mean, *square; /* [columns]: of x - shift and of its square, over the weighted rows */
    double label_shift, bias_scale;
    double curvature; /* of the loss of a row by its score, at the best model without weights */
    double *constant; /* [outputs]: the bias of that model */
} spc_scaling;

/* What the rows are. */
typedef struct spc_scaled_rows {
    const sparcl_data *data;
    const float *targets, *weights; /* [rows]; weights NULL: 1 */
    sparcl_loss loss;
    double l1, l2;
} spc_scaled_rows;

/* Columns, outputs and has_bias are set. Close it also after a failure. E_MEMORY. */
sparcl_status spc_scaling_open(spc_scaling *scaling, const spc_scaled_rows *rows,
                               sparcl_error *error);
void spc_scaling_close(spc_scaling *scaling);

/* A power of two within a factor of two of the root of x; 1 where that is not above 0. */
double spc_scaling_root(double x);

/* The least variance of a centred column that is not constant; infinity where there is none. */
double spc_scaling_least_variance(const spc_scaling *scaling);

/* Values of entries in the scaled columns. */
void spc_scaling_values(const spc_scaling *scaling, sparcl_itype index_type, const void *indices,
                        int64_t count, float *values);

/* Parameters of the model to and from those of the scaled columns; `to` may be `from`. */
void spc_scaling_to_model(const spc_scaling *scaling, const double *from, double *to);
void spc_scaling_from_model(const spc_scaling *scaling, const double *from, double *to);

/* Whether no derivative by a parameter of the model is larger than the tolerance, without a sign;
 * with a penalty l1 |w|_1, those towards the side on which the objective falls. x and gradient,
 * which is without that penalty, are those of the scaled columns. */
bool spc_scaling_is_flat(const spc_scaling *scaling, const double *x, const double *gradient,
                         double l1, double tolerance);

/* The sum of shift * weight, of the weights of a model for an output. */
double spc_scaling_shift(const spc_scaling *scaling, const double *weights, int64_t output);

#endif
