/* metrics.h: the best constant predictions, and what else metrics need of labels. */
#ifndef SPC_TRAIN_METRICS_H
#define SPC_TRAIN_METRICS_H

#include <stdbool.h>

#include "base/macros.h"
#include "sparcl/data.h"

/*
 * Metrics of the best constant prediction where class c occurs counts[c] times (or with so much
 * weight); NaN without rows. The loss is the mean, in nats: the entropy of the class frequencies;
 * for logistic loss there are two counts. F1 is that of class 1, or (not binary) the mean over the
 * classes that occur.
 */
double spc_constant_class_loss(const double *counts, int64_t classes);
double spc_constant_hinge_loss(const double counts[2]);
double spc_constant_accuracy(const double *counts, int64_t classes);
double spc_constant_f1(const double *counts, int64_t classes, bool is_binary);

/* The same where labels are numbers; weights may be NULL. Squared loss: half the variance of the
 * labels. The mean error is the mean distance from their median: E_MEMORY. */
double spc_weighted_mean(const double *labels, const float *weights, int64_t rows);
double spc_constant_squared_loss(const double *labels, const float *weights, int64_t rows);
double spc_constant_poisson_loss(const double *labels, const float *weights, int64_t rows);
sparcl_status spc_constant_mean_error(const double *labels, const float *weights, int64_t rows,
                                      double *error_of, sparcl_error *error);

/* The same for rows that are reconstructed, [rows, columns]: half the sum of the variances of the
 * columns. E_MEMORY. */
sparcl_status spc_constant_reconstruction_loss(const sparcl_data *data, const float *weights,
                                               double *loss, sparcl_error *error);

/* Sort finite numbers in ascending order. */
void spc_sort_doubles(double *x, int64_t count);

/* The position of `label` in ascending labels, or -1. */
int64_t spc_class_of(const double *labels, int64_t classes, double label);

#endif
