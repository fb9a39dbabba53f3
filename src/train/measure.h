/* measure.h: the metrics of predictions of classes and of numbers. */
#ifndef SPC_TRAIN_MEASURE_H
#define SPC_TRAIN_MEASURE_H

#include "sparcl/apply.h"
#include "sparcl/ops/losses.h"

typedef struct spc_predictions {
    int64_t rows, classes;
    sparcl_loss loss;
    const float *scores;    /* [rows], where there are two classes */
    const float *label, *p; /* [rows]: the predicted class and its probability, or the value */
    const float *targets;   /* [rows]: the class */
    const double *labels;   /* [rows]: as in the data */
    const float *weights;   /* [rows], or NULL: 1 */
    double known;           /* the share of the rows in a weight that also has rows of other labels,
                               which count as wrong in the accuracy; 1: there are none */
} spc_predictions;

/* No metric is defined. */
sparcl_metrics spc_no_metrics(int64_t rows);

/* All but loss, objective and own. E_MEMORY. */
sparcl_status spc_measure_classes(const spc_predictions *of, sparcl_metrics *to,
                                  sparcl_error *error);
sparcl_status spc_measure_numbers(const spc_predictions *of, sparcl_metrics *to,
                                  sparcl_error *error);

/* The loss of the best constant prediction, of targets, labels and weights. E_MEMORY. */
sparcl_status spc_constant_loss(const spc_predictions *of, double *loss, sparcl_error *error);

#endif
