/* problem.h: what a loss asks of labels: the classes, and the target of each row. */
#ifndef SPC_TRAIN_PROBLEM_H
#define SPC_TRAIN_PROBLEM_H

#include "base/macros.h"
#include "sparcl/train.h"

typedef struct spc_classes {
    double *labels; /* ascending; NULL for squared loss */
    int64_t count;
} spc_classes;

/* E_FORMAT with the place in front: that of a row's label, or (-1) the file. */
sparcl_status spc_refuse_data(const sparcl_data *data, int64_t row, sparcl_error *error,
                              const char *format, ...) SPC_PRINTF(4, 5);

/* The classes of a data set. E_FORMAT: no labels, several a row, too few or too many classes. */
sparcl_status spc_classes_find(spc_classes *classes, sparcl_loss loss, const sparcl_data *data,
                               sparcl_error *error);
void spc_classes_free(spc_classes *classes);

/*
 * Targets [rows]: the class number, or the label itself for squared loss; *targets is malloc'ed.
 * E_FORMAT: a label that is no class, or that float32 cannot hold, with its place; `data` is where
 * the labels came from, NULL for a batch of the caller's.
 */
sparcl_status spc_targets_make(float **targets, sparcl_loss loss, const spc_classes *classes,
                               const double *labels, int64_t rows, const sparcl_data *data,
                               sparcl_error *error);

/* The data must count columns from where the model does: E_FORMAT. */
sparcl_status spc_check_base(const sparcl_data *data, int index_base, sparcl_error *error);

/* 1, or the number of classes. */
int64_t spc_outputs(sparcl_loss loss, int64_t classes);

#endif
