/* problem.h: checks labels for a loss: the classes, and the target of each row. */
#ifndef SPC_TRAIN_PROBLEM_H
#define SPC_TRAIN_PROBLEM_H

#include <stdbool.h>

#include "base/macros.h"
#include "sparcl/train.h"
#include "train/label_units.h"

typedef struct spc_classes {
    double *labels; /* ascending; NULL where labels are numbers */
    int64_t count;
    spc_label_units units; /* of labels that are numbers */
} spc_classes;

/* Whether data need labels. */
static inline bool spc_task_has_labels(sparcl_task task) {
    return task == SPARCL_TASK_LABELS || task == SPARCL_TASK_NODES;
}

/* E_FORMAT; the message begins with the position of a row's label, or (-1) with the file. */
sparcl_status spc_refuse_data(const sparcl_data *data, int64_t row, sparcl_error *error,
                              const char *format, ...) SPC_PRINTF(4, 5);

/* Find the different labels of a data set. E_FORMAT: no rows, no labels, several per row. */
sparcl_status spc_labels_find(spc_classes *labels, const sparcl_data *data, sparcl_error *error);
/* Find the classes of a data set: none where the task needs no labels. E_FORMAT: no rows, no
 * labels, several per row, too few or too many classes, a guessed label that is an id. */
sparcl_status spc_classes_find(spc_classes *classes, sparcl_task task, sparcl_loss loss,
                               const sparcl_data *data, sparcl_error *error);
void spc_classes_free(spc_classes *classes);

/* Whether all labels are whole numbers. */
bool spc_are_whole(const spc_classes *labels);
/* E_FORMAT: a column that was taken for the label for want of a better one has ids: a different
 * label in each of more than two rows, all whole numbers or of classes. */
sparcl_status spc_check_guess(const spc_classes *labels, bool are_classes, const sparcl_data *data,
                              sparcl_error *error);

/*
 * Targets [rows]: the class index, or the label itself where it is a number, or zeros where the
 * task needs no labels; *targets is malloc'ed. E_FORMAT, with the position: a label that is no
 * class, or is outside the range of float32. `data` is the source of the labels, NULL for a batch
 * of a callback.
 */
sparcl_status spc_targets_make(float **targets, sparcl_task task, sparcl_loss loss,
                               const spc_classes *classes, const double *labels, int64_t rows,
                               const sparcl_data *data, sparcl_error *error);

/* The same for rows that are only evaluated: a label that is no class has the target -1; *unknown
 * is their number. */
sparcl_status spc_known_targets_make(float **targets, int64_t *unknown, sparcl_task task,
                                     sparcl_loss loss, const spc_classes *classes,
                                     const sparcl_data *data, sparcl_error *error);
/* Whether a row of data has a label that is none of the classes. */
bool spc_has_unknown(const spc_classes *classes, const sparcl_data *data);

/* Check that the entries are in memory: E_ARG for streamed data. */
sparcl_status spc_check_entries(const sparcl_data *data, sparcl_error *error);
/* The same, and it is what users have: no ratings. */
sparcl_status spc_check_pairs(const sparcl_data *data, sparcl_error *error);

/* Check that the data have the model's index base: E_FORMAT. */
sparcl_status spc_check_base(const sparcl_data *data, int index_base, sparcl_error *error);

/* Check that the data are not wider than the model: E_FORMAT. */
sparcl_status spc_check_width(const sparcl_data *data, int64_t columns, sparcl_error *error);
/* Check that data have fields, fewer than `fields`, where the architecture reads them: E_FORMAT. */
sparcl_status spc_check_fields(const sparcl_architecture *architecture, const sparcl_data *data,
                               int64_t fields, sparcl_error *error);
/* The number of the model's columns: as requested, and at least that of the data. E_FORMAT. */
sparcl_status spc_find_columns(const sparcl_train_desc *desc, const sparcl_data *data,
                               int64_t *columns, sparcl_error *error);

/* The number of classes for softmax, of columns where rows are reconstructed, else 1. */
int64_t spc_outputs(sparcl_task task, sparcl_loss loss, int64_t classes, int64_t columns);

#endif
