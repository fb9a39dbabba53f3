/* problem.c: what a loss asks of labels. */
#include "train/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "train/metrics.h"

/* More classes than this are a regression target given to the wrong loss. */
#define MOST_CLASSES 1000000

int64_t spc_outputs(sparcl_loss loss, int64_t classes) {
    return loss == SPARCL_LOSS_SOFTMAX ? classes : 1;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static sparcl_status check_labelled(const sparcl_data *data, sparcl_error *error) {
    const sparcl_data_info *info = sparcl_data_get_info(data);
    if (info->rows == 0) return spc_fail(error, SPARCL_E_FORMAT, "the data have no row");
    if (!sparcl_data_labels(data))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "the data have no labels; give them with --labels FILE.npy");
    if (sparcl_data_label_offsets(data))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "the data were read with several labels a row, which no loss here takes");
    return SPARCL_OK;
}

static sparcl_status check_count(sparcl_loss loss, int64_t count, double first,
                                 sparcl_error *error) {
    if (count < 2)
        return spc_fail(error, SPARCL_E_FORMAT, "all labels are %g, %s loss needs two classes",
                        first, sparcl_loss_name(loss));
    if (loss == SPARCL_LOSS_LOGISTIC && count > 2)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "there are %lld different labels, logistic loss takes two; use --loss "
                        "softmax for classes or --loss squared for numbers",
                        (long long)count);
    if (count > MOST_CLASSES)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "there are %lld different labels, softmax loss takes at most %d; use "
                        "--loss squared for numbers",
                        (long long)count, MOST_CLASSES);
    return SPARCL_OK;
}

sparcl_status spc_classes_find(spc_classes *classes, sparcl_loss loss, const sparcl_data *data,
                               sparcl_error *error) {
    *classes = (spc_classes){0};
    SPC_TRY(check_labelled(data, error));
    if (loss == SPARCL_LOSS_SQUARED) return SPARCL_OK;
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const size_t bytes = (size_t)rows * sizeof(double);
    double *sorted = malloc(bytes);
    if (!sorted) return spc_fail_memory(error, "labels", bytes);
    memcpy(sorted, sparcl_data_labels(data), bytes);
    qsort(sorted, (size_t)rows, sizeof *sorted, compare);
    int64_t count = 1;
    for (int64_t i = 1; i < rows; ++i)
        if (sorted[i] != sorted[count - 1]) sorted[count++] = sorted[i];
    const sparcl_status status = check_count(loss, count, sorted[0], error);
    if (status != SPARCL_OK) {
        free(sorted);
        return status;
    }
    classes->labels = sorted;
    classes->count = count;
    return SPARCL_OK;
}

void spc_classes_free(spc_classes *classes) {
    free(classes->labels);
    *classes = (spc_classes){0};
}

static sparcl_status fail_label(const sparcl_data *lines, int64_t row, const char *what,
                                double label, sparcl_error *error) {
    const int64_t line = lines ? sparcl_data_line(lines, row) : 0;
    if (line > 0)
        return spc_fail(error, SPARCL_E_FORMAT, "line %lld: label %.17g %s", (long long)line, label,
                        what);
    return spc_fail(error, SPARCL_E_FORMAT, "row %lld: label %.17g %s", (long long)row, label,
                    what);
}

sparcl_status spc_targets_make(float **targets, sparcl_loss loss, const double *classes,
                               int64_t class_count, const double *labels, int64_t rows,
                               const sparcl_data *lines, sparcl_error *error) {
    sparcl_status status = SPARCL_OK;
    if (lines) SPC_TRY(check_labelled(lines, error));
    float *made = malloc((size_t)(rows > 0 ? rows : 1) * sizeof *made);
    if (!made) return spc_fail_memory(error, "labels", (size_t)rows * sizeof *made);
    for (int64_t i = 0; i < rows && status == SPARCL_OK; ++i) {
        if (loss == SPARCL_LOSS_SQUARED) {
            made[i] = (float)labels[i];
            if (!isfinite(made[i]))
                status = fail_label(lines, i, "is past float32", labels[i], error);
            continue;
        }
        const int64_t number = spc_class_of(classes, class_count, labels[i]);
        made[i] = (float)number;
        if (number < 0)
            status = fail_label(lines, i, "is not a class that the model knows", labels[i], error);
    }
    if (status == SPARCL_OK)
        *targets = made;
    else
        free(made);
    return status;
}

sparcl_status spc_check_base(const char *name, const sparcl_data_info *data, int index_base,
                             sparcl_error *error) {
    if (index_base == data->index_base) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "the %s count columns from %d, the model from %d; read them with "
                    "--index-base %d if that is how they are meant",
                    name, data->index_base, index_base, index_base);
}
