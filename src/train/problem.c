/* problem.c: checks labels for a loss, and converts them to targets. */
#include "train/problem.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/loss_kind.h"
#include "train/metrics.h"

/* With more classes than this, the labels are probably a regression target. */
#define MAX_CLASSES 1000000

sparcl_status spc_refuse_data(const sparcl_data *data, int64_t row, sparcl_error *error,
                              const char *format, ...) {
    char place[512], why[512];
    SPC_FORMAT(why, format);
    return spc_fail(error, SPARCL_E_FORMAT, "%s: %s",
                    sparcl_data_place(data, row, place, sizeof place), why);
}

int64_t spc_outputs(sparcl_task task, sparcl_loss loss, int64_t classes, int64_t columns) {
    if (task == SPARCL_TASK_RECONSTRUCT) return columns;
    return loss == SPARCL_LOSS_SOFTMAX ? classes : 1;
}

static sparcl_status check_rows(const sparcl_data *data, sparcl_error *error) {
    if (sparcl_data_get_info(data)->rows > 0) return SPARCL_OK;
    return spc_refuse_data(data, -1, error, "expected rows, found none; use another file");
}

static sparcl_status check_labelled(const sparcl_data *data, sparcl_error *error) {
    SPC_TRY(check_rows(data, error));
    if (!sparcl_data_labels(data))
        return spc_refuse_data(
            data, -1, error,
            "expected a label for each row, found none; read the file with its labels");
    if (sparcl_data_label_offsets(data))
        return spc_refuse_data(data, -1, error,
                               "expected one label per row, found multi-label data; no loss "
                               "supports several labels per row");
    return SPARCL_OK;
}

static sparcl_status refuse_one_class(sparcl_loss loss, double label, const sparcl_data *data,
                                      sparcl_error *error) {
    const char *const word = sparcl_data_label_name(data, label);
    char found[128];
    if (word)
        snprintf(found, sizeof found, "\"%.100s\"", word);
    else
        snprintf(found, sizeof found, "%.17g", label);
    return spc_refuse_data(data, -1, error,
                           "expected labels of two classes, as %s loss needs, found only %s in "
                           "%lld rows; add rows of another class",
                           sparcl_loss_name(loss), found,
                           (long long)sparcl_data_get_info(data)->rows);
}

static sparcl_status check_count(sparcl_loss loss, const double *labels, int64_t count,
                                 const sparcl_data *data, sparcl_error *error) {
    const char *name = sparcl_loss_name(loss);
    if (count < 2) return refuse_one_class(loss, labels[0], data, error);
    if (spc_loss_is_binary(loss) && count > 2)
        return spc_refuse_data(data, -1, error,
                               "expected two different labels, as %s loss needs, found %lld; use "
                               "softmax loss for classes, squared loss for numbers",
                               name, (long long)count);
    if (count > MAX_CLASSES)
        return spc_refuse_data(data, -1, error,
                               "expected at most %d different labels, as softmax loss needs, found "
                               "%lld; use squared loss for numbers",
                               MAX_CLASSES, (long long)count);
    return SPARCL_OK;
}

sparcl_status spc_labels_find(spc_classes *labels, const sparcl_data *data, sparcl_error *error) {
    *labels = (spc_classes){0};
    SPC_TRY(check_labelled(data, error));
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const size_t bytes = (size_t)rows * sizeof(double);
    double *sorted = malloc(bytes);
    if (!sorted) return spc_fail_memory(error, "labels", bytes);
    memcpy(sorted, sparcl_data_labels(data), bytes);
    spc_sort_doubles(sorted, rows);
    int64_t count = 1;
    for (int64_t i = 1; i < rows; ++i)
        if (sorted[i] != sorted[count - 1]) sorted[count++] = sorted[i];
    *labels = (spc_classes){.labels = sorted, .count = count};
    return SPARCL_OK;
}

bool spc_are_whole(const spc_classes *labels) {
    for (int64_t c = 0; c < labels->count; ++c)
        if (labels->labels[c] != floor(labels->labels[c])) return false;
    return true;
}

sparcl_status spc_check_guess(const spc_classes *labels, bool are_classes, const sparcl_data *data,
                              sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const bool differ = info->rows > 2 && labels->count == info->rows;
    if (info->label_guessed && info->heading)
        return spc_refuse_data(data, -1, error,
                               "expected a column with the label, found no name that labels "
                               "usually have (label, target, y, click, clicked, is_click, class); "
                               "name it by --label NAME, also if it is the first one");
    if (!info->label_guessed || !differ || !(are_classes || spc_are_whole(labels)))
        return SPARCL_OK;
    return spc_refuse_data(data, -1, error,
                           "expected a label, found a different value in each of %lld rows of the "
                           "first column, which was taken for the label because nothing names one: "
                           "an id; name the label by --label NUMBER, also if it is that column",
                           (long long)info->rows);
}

static sparcl_status check_column(sparcl_loss loss, const sparcl_data *data, sparcl_error *error) {
    spc_classes labels;
    if (!sparcl_data_get_info(data)->label_guessed) return SPARCL_OK;
    SPC_TRY(spc_labels_find(&labels, data, error));
    const sparcl_status status = spc_check_guess(&labels, !spc_loss_has_numbers(loss), data, error);
    spc_classes_free(&labels);
    return status;
}

static sparcl_status check_numbers(sparcl_loss loss, const sparcl_data *data, sparcl_error *error) {
    const int64_t words = sparcl_data_get_info(data)->label_words;
    if (words == 0) return check_labelled(data, error);
    return spc_refuse_data(data, -1, error,
                           "expected numbers as labels, as %s loss needs, found %lld words; use %s "
                           "loss for classes",
                           sparcl_loss_name(loss), (long long)words,
                           words > 2 ? "softmax" : "logistic");
}

sparcl_status spc_classes_find(spc_classes *classes, sparcl_task task, sparcl_loss loss,
                               const sparcl_data *data, sparcl_error *error) {
    *classes = (spc_classes){0};
    if (!spc_task_has_labels(task)) return check_rows(data, error);
    SPC_TRY(check_column(loss, data, error));
    if (spc_loss_has_numbers(loss)) return check_numbers(loss, data, error);
    SPC_TRY(spc_labels_find(classes, data, error));
    const sparcl_status status = check_count(loss, classes->labels, classes->count, data, error);
    if (status != SPARCL_OK) spc_classes_free(classes);
    return status;
}

void spc_classes_free(spc_classes *classes) {
    free(classes->labels);
    *classes = (spc_classes){0};
}

/* The target of one label; -1 where it is no class. */
static float target_of(const spc_classes *classes, sparcl_loss loss, double label) {
    const spc_label_units *const units = &classes->units;
    if (spc_loss_has_numbers(loss)) /* what is no float is refused: so would be the bias */
        return units->scale > 0 && isfinite((float)label)
                   ? (float)((label - units->shift) / units->scale)
                   : (float)label;
    return (float)spc_class_of(classes->labels, classes->count, label);
}

static bool is_target(sparcl_loss loss, float target) {
    return loss == SPARCL_LOSS_SQUARED ? isfinite(target) : target >= 0 && target < INFINITY;
}

static sparcl_status refuse_label(const spc_classes *classes, sparcl_loss loss, double label,
                                  int64_t row, const sparcl_data *data, sparcl_error *error) {
    const double *known = classes->labels;
    if (!data)
        return spc_fail(
            error, SPARCL_E_FORMAT, "batch: row %lld: label %.17g %s", (long long)row, label,
            loss == SPARCL_LOSS_SQUARED   ? "is outside the range of float32"
            : loss == SPARCL_LOSS_POISSON ? "is not a count from 0 in the range of float32"
                                          : "is not a class of the source");
    if (loss == SPARCL_LOSS_POISSON)
        return spc_refuse_data(
            data, row, error,
            "expected a count from 0, as poisson loss needs, up to 3.4e38, found "
            "%.17g; use squared loss for numbers below 0",
            label);
    if (loss == SPARCL_LOSS_SQUARED)
        return spc_refuse_data(data, row, error,
                               "expected a label in the range of a 32-bit float, up to 3.4e38, "
                               "found %.17g; scale the labels",
                               label);
    return spc_refuse_data(data, row, error,
                           "expected one of the model's %lld labels, %.17g to %.17g, found %.17g; "
                           "fix the label, or train with such rows",
                           (long long)classes->count, known[0], known[classes->count - 1], label);
}

/* Labels that are no class are counted where `unknown` is not NULL, else refused. */
static sparcl_status make_targets(float **targets, int64_t *unknown, sparcl_task task,
                                  sparcl_loss loss, const spc_classes *classes,
                                  const double *labels, int64_t rows, const sparcl_data *data,
                                  sparcl_error *error) {
    const bool has_labels = spc_task_has_labels(task);
    if (data) SPC_TRY((has_labels ? check_labelled : check_rows)(data, error));
    float *made = calloc((size_t)(rows > 0 ? rows : 1), sizeof *made);
    if (!made) return spc_fail_memory(error, "labels", (size_t)rows * sizeof *made);
    for (int64_t i = 0; has_labels && i < rows; ++i) {
        made[i] = target_of(classes, loss, labels[i]);
        if (is_target(loss, made[i])) continue;
        if (unknown && !spc_loss_has_numbers(loss)) {
            ++*unknown;
            continue;
        }
        free(made);
        return refuse_label(classes, loss, labels[i], i, data, error);
    }
    *targets = made;
    return SPARCL_OK;
}

sparcl_status spc_targets_make(float **targets, sparcl_task task, sparcl_loss loss,
                               const spc_classes *classes, const double *labels, int64_t rows,
                               const sparcl_data *data, sparcl_error *error) {
    return make_targets(targets, NULL, task, loss, classes, labels, rows, data, error);
}

sparcl_status spc_known_targets_make(float **targets, int64_t *unknown, sparcl_task task,
                                     sparcl_loss loss, const spc_classes *classes,
                                     const sparcl_data *data, sparcl_error *error) {
    *unknown = 0;
    return make_targets(targets, unknown, task, loss, classes, sparcl_data_labels(data),
                        sparcl_data_get_info(data)->rows, data, error);
}

bool spc_has_unknown(const spc_classes *classes, const sparcl_data *data) {
    const double *const labels = sparcl_data_labels(data);
    const int64_t rows = sparcl_data_get_info(data)->rows;
    if (!classes->labels || !labels || sparcl_data_label_offsets(data)) return false;
    for (int64_t i = 0; i < rows; ++i)
        if (spc_class_of(classes->labels, classes->count, labels[i]) < 0) return true;
    return false;
}

sparcl_status spc_check_entries(const sparcl_data *data, sparcl_error *error) {
    char place[128];
    if (!sparcl_data_get_info(data)->streamed) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "%s: expected data in memory, found a stream, of which only rows with labels "
                    "and steps of an optimizer can be made; read the file without stream",
                    sparcl_data_place(data, -1, place, sizeof place));
}

sparcl_status spc_check_pairs(const sparcl_data *data, sparcl_error *error) {
    SPC_TRY(spc_check_entries(data, error));
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const bool is_table = info->users == 0 && sparcl_data_csv_columns(data);
    if (!is_table && (info->users == 0 || !sparcl_data_labels(data))) return SPARCL_OK;
    return spc_refuse_data(data, -1, error,
                           "expected what users have, a row for each user, found %s; make it "
                           "of them (sparcl_data_of_ratings; in Python data.pairs())",
                           is_table ? "the ratings of a table" : "ratings");
}

sparcl_status spc_check_base(const sparcl_data *data, int index_base, sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    if (index_base == info->index_base || info->index_base_given) return SPARCL_OK;
    return spc_refuse_data(data, -1, error,
                           "expected columns counted from %d, as in the training data, found "
                           "columns counted from %d; number the features as in the training data, "
                           "or name the index base with which the file is to be read",
                           index_base, info->index_base);
}

sparcl_status spc_check_fields(const sparcl_architecture *a, const sparcl_data *data,
                               int64_t fields, sparcl_error *error) {
    const int64_t found = sparcl_data_get_info(data)->fields;
    if (!a->reads_fields) return SPARCL_OK;
    if (found == 0)
        return spc_refuse_data(
            data, -1, error,
            "expected the field of each entry, for a model of the kind %s, found "
            "none; use libFFM text, or a file converted from it",
            a->name);
    if (found <= fields) return SPARCL_OK;
    return spc_refuse_data(
        data, -1, error,
        "expected fields below %lld, as in the training data, found %lld; remove "
        "the others, or train with them",
        (long long)fields, (long long)found - 1);
}

sparcl_status spc_check_width(const sparcl_data *data, int64_t columns, sparcl_error *error) {
    const int64_t found = sparcl_data_get_info(data)->columns;
    if (found <= columns) return SPARCL_OK;
    return spc_refuse_data(
        data, -1, error,
        "expected at most the model's %lld columns, found %lld; train a wider model",
        (long long)columns, (long long)found);
}

sparcl_status spc_find_columns(const sparcl_train_desc *desc, const sparcl_data *data,
                               int64_t *columns, sparcl_error *error) {
    *columns = desc->columns ? desc->columns
               : desc->start ? sparcl_model_get_info(desc->start)->columns
                             : sparcl_data_get_info(data)->columns;
    return spc_check_width(data, *columns, error);
}
