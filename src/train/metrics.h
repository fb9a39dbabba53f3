/* metrics.h: computes metrics on the host, from scores and labels. */
#ifndef SPC_TRAIN_METRICS_H
#define SPC_TRAIN_METRICS_H

#include "base/macros.h"
#include "sparcl/data.h"

/*
 * Exact area under the ROC curve of `rows` scores, where classes[i] is 0 or 1: the fraction of
 * pairs (one row of each class) in which class 1 has the higher score; pairs with equal scores
 * count half.
 *
 * The pairs are counted in integers, so the order of the rows does not matter, and only one
 * division rounds. *auc is NaN when a class is missing or a score is NaN. Errors: E_MEMORY; E_ARG
 * for 2^32 rows and more, where the count of pairs could overflow.
 */
sparcl_status spc_auc(const float *scores, const int32_t *classes, int64_t rows, double *auc,
                      sparcl_error *error);

/*
 * Mean loss, in nats, of the best constant prediction where class c occurs counts[c] times: the
 * entropy of the class frequencies. For logistic loss there are two counts. NaN without rows.
 */
double spc_constant_class_loss(const int64_t *counts, int64_t classes);

/* The same for squared loss: half the variance of the labels. NaN without rows. */
double spc_constant_squared_loss(const double *labels, int64_t rows);

/* The same for hinge loss with two classes, and for Poisson loss. */
double spc_constant_hinge_loss(const int64_t counts[2]);
double spc_constant_poisson_loss(const double *labels, int64_t rows);

/* The same for rows that are reconstructed, [rows, columns]: half the sum of the variances of the
 * columns. E_MEMORY. */
sparcl_status spc_constant_reconstruction_loss(const sparcl_data *data, double *loss,
                                               sparcl_error *error);

/* Sort finite numbers in ascending order. */
void spc_sort_doubles(double *x, int64_t count);

/* The position of `label` in ascending labels, or -1. */
int64_t spc_class_of(const double *labels, int64_t classes, double label);

#endif
