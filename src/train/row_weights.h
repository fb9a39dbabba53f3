/* row_weights.h: the weights of rows in the objective: those of the data times those of classes. */
#ifndef SPC_TRAIN_ROW_WEIGHTS_H
#define SPC_TRAIN_ROW_WEIGHTS_H

#include "train/problem.h"

/* Rows of a data set: all of them, or a list. */
typedef struct spc_row_list {
    const int64_t *rows; /* [count]; NULL: 0 .. count - 1 */
    int64_t count;
} spc_row_list;

/* Has a training weights, of rows or of classes, or rows that validate whose label is none of the
 * classes? `valid` may be NULL, and classes then, too. */
bool spc_has_weights(const sparcl_train_desc *desc, const spc_classes *classes,
                     const sparcl_data *train, const sparcl_data *valid);

/* Rows that are evaluated with a label that the model does not know. */
typedef struct spc_unknown {
    int64_t rows;
    double known; /* the share of the other rows in the weight */
} spc_unknown;

/* The weight of each class, [classes], malloc'ed; NULL where all are 1. Balanced: in inverse
 * proportion to the weights of its rows in `which`. E_ARG: a label that is no class; E_MEMORY. */
sparcl_status spc_class_weights_make(double **of_class, const sparcl_train_desc *desc,
                                     const spc_classes *classes, const sparcl_data *data,
                                     const float *targets, const spc_row_list *which,
                                     sparcl_error *error);

/* Weights [rows of data], malloc'ed, times those of classes where desc is not NULL, divided by
 * their mean over `which`. E_FORMAT: their sum is 0. */
sparcl_status spc_row_weights_make(float **weights, const sparcl_train_desc *desc,
                                   const spc_classes *classes, const sparcl_data *data,
                                   const float *targets, const spc_row_list *which,
                                   sparcl_error *error);

/* The targets of all rows of data, whose values must be finite, and their weights, where there are
 * some; classes have weights in the training only, and labels that are no class are refused there.
 */
sparcl_status spc_rows_make(float **targets, float **weights, const sparcl_train_desc *checked,
                            const spc_classes *classes, const sparcl_data *data, bool trains,
                            bool weighs, sparcl_error *error);

/* The targets and weights of rows that are evaluated, those of `which` or all. A row whose label is
 * no class has the target 0 and the weight 0, so that it is left out of all means; without such
 * rows there are weights where `weighs` says so. E_FORMAT: no row has a class. */
sparcl_status spc_evaluated_rows_make(float **targets, float **weights, spc_unknown *unknown,
                                      sparcl_task task, sparcl_loss loss,
                                      const spc_classes *classes, const sparcl_data *data,
                                      const spc_row_list *which, bool weighs, sparcl_error *error);

/* Weights of the rows of a callback's batch, malloc'ed, as they are; own may be NULL. E_FORMAT: one
 * is negative or not finite. */
sparcl_status spc_batch_weights_make(float **weights, const float *own, const double *of_class,
                                     const float *targets, int64_t rows, sparcl_error *error);

#endif
