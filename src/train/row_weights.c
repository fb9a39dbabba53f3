/* row_weights.c: the weights of rows in the objective. */
#include "train/row_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "train/metrics.h"

bool spc_has_weights(const sparcl_train_desc *desc, const spc_classes *classes,
                     const sparcl_data *train, const sparcl_data *valid) {
    return desc->class_weight_count > 0 || desc->balance_classes || sparcl_data_weights(train) ||
           (valid && (sparcl_data_weights(valid) || spc_has_unknown(classes, valid)));
}

static double weight_of(const float *own, const double *of_class, const float *targets,
                        int64_t row) {
    const double weight = own ? (double)own[row] : 1;
    return of_class ? weight * of_class[(int64_t)targets[row]] : weight;
}

static int64_t row_of(const spc_row_list *which, int64_t i) {
    return which->rows ? which->rows[i] : i;
}

/* --- classes ---------------------------------------------------------------------------------- */

static sparcl_status set_given(double *of_class, const sparcl_train_desc *desc,
                               const spc_classes *classes, sparcl_error *error) {
    for (int i = 0; i < desc->class_weight_count; ++i) {
        const sparcl_class_weight *const w = &desc->class_weights[i];
        const int64_t c = spc_class_of(classes->labels, classes->count, w->label);
        if (c < 0)
            return spc_fail(error, SPARCL_E_ARG,
                            "train: class_weights[%d] is of the label %g, expected one of the %lld "
                            "labels of the data",
                            i, w->label, (long long)classes->count);
        of_class[c] = w->weight;
    }
    return SPARCL_OK;
}

/* n / (classes n_c), as scikit-learn has it; a class without rows keeps 1. */
static sparcl_status balance(double *of_class, const spc_classes *classes, const sparcl_data *data,
                             const float *targets, const spc_row_list *which, sparcl_error *error) {
    const size_t bytes = (size_t)classes->count * sizeof(double);
    double all = 0, *const of_rows = calloc(1, bytes);
    if (!of_rows) return spc_fail_memory(error, "class weights", bytes);
    for (int64_t i = 0; i < which->count; ++i) {
        const int64_t row = row_of(which, i);
        const double weight = weight_of(sparcl_data_weights(data), NULL, NULL, row);
        of_rows[(int64_t)targets[row]] += weight;
        all += weight;
    }
    for (int64_t c = 0; c < classes->count; ++c)
        if (of_rows[c] > 0) of_class[c] = all / ((double)classes->count * of_rows[c]);
    free(of_rows);
    return SPARCL_OK;
}

sparcl_status spc_class_weights_make(double **of_class, const sparcl_train_desc *desc,
                                     const spc_classes *classes, const sparcl_data *data,
                                     const float *targets, const spc_row_list *which,
                                     sparcl_error *error) {
    const size_t bytes = (size_t)classes->count * sizeof **of_class;
    *of_class = NULL;
    if (desc->class_weight_count == 0 && !desc->balance_classes) return SPARCL_OK;
    *of_class = malloc(bytes);
    if (!*of_class) return spc_fail_memory(error, "class weights", bytes);
    for (int64_t c = 0; c < classes->count; ++c)
        (*of_class)[c] = 1;
    if (desc->balance_classes) return balance(*of_class, classes, data, targets, which, error);
    return set_given(*of_class, desc, classes, error);
}

/* --- rows ------------------------------------------------------------------------------------- */

static sparcl_status weigh_rows(float **weights, const sparcl_data *data, const double *of_class,
                                const float *targets, const spc_row_list *which,
                                sparcl_error *error) {
    const float *const own = sparcl_data_weights(data);
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const size_t bytes = ((size_t)rows + 1) * sizeof **weights;
    double sum = 0;
    for (int64_t i = 0; i < which->count; ++i)
        sum += weight_of(own, of_class, targets, row_of(which, i));
    if (which->count > 0 && !(sum > 0))
        return spc_refuse_data(data, -1, error,
                               "the weights of all rows are 0, expected some above");
    *weights = malloc(bytes);
    if (!*weights) return spc_fail_memory(error, "weights", bytes);
    const double factor = (double)which->count / sum;
    for (int64_t row = 0; row < rows; ++row)
        (*weights)[row] = (float)(weight_of(own, of_class, targets, row) * factor);
    return SPARCL_OK;
}

sparcl_status spc_row_weights_make(float **weights, const sparcl_train_desc *desc,
                                   const spc_classes *classes, const sparcl_data *data,
                                   const float *targets, const spc_row_list *which,
                                   sparcl_error *error) {
    double *of_class = NULL;
    sparcl_status status = SPARCL_OK;
    if (desc)
        status = spc_class_weights_make(&of_class, desc, classes, data, targets, which, error);
    if (status == SPARCL_OK) status = weigh_rows(weights, data, of_class, targets, which, error);
    free(of_class);
    return status;
}

/* --- rows that are evaluated ------------------------------------------------------------------ */

/* Its word, or its number. */
static void add_label(spc_text *to, const sparcl_data *data, double label) {
    const char *const word = sparcl_data_label_name(data, label);
    if (word)
        spc_text_add_beginning(to, word, strlen(word));
    else
        spc_text_add(to, "%.17g", label);
}

/* Words that are not known have no label of their own. */
static sparcl_status refuse_unknown(const spc_classes *classes, const sparcl_data *data,
                                    const spc_row_list *which, sparcl_error *error) {
    enum { SHOWN = 3 };
    char text[256];
    spc_text labels = spc_text_in(text, sizeof text);
    if (sparcl_data_get_info(data)->label_words == 0)
        spc_text_add(&labels, "the first is %.17g, ", sparcl_data_labels(data)[row_of(which, 0)]);
    spc_text_add(&labels, "the model knows ");
    for (int64_t k = 0; k < classes->count && k < SHOWN; ++k) {
        if (k > 0) spc_text_add(&labels, ", ");
        add_label(&labels, data, classes->labels[k]);
    }
    if (classes->count > SHOWN)
        spc_text_add(&labels, " and %lld others", (long long)classes->count - SHOWN);
    return spc_refuse_data(
        data, -1, error,
        "expected a label that the model knows, found none in %lld rows: %s; fix "
        "the labels, or train with such rows",
        (long long)which->count, text);
}

/* The mean over `which` is 1, of the rows whose target is not -1. */
static sparcl_status weigh_known(float *weights, spc_unknown *unknown, const spc_classes *classes,
                                 const sparcl_data *data, const float *targets,
                                 const spc_row_list *which, sparcl_error *error) {
    const float *const own = sparcl_data_weights(data);
    const int64_t rows = sparcl_data_get_info(data)->rows;
    double all = 0, known = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < which->count; ++i) {
        const int64_t row = row_of(which, i);
        const double weight = weight_of(own, NULL, NULL, row);
        all += weight;
        if (targets[row] >= 0) known += weight;
        count += targets[row] >= 0;
    }
    if (which->count > 0 && count == 0) return refuse_unknown(classes, data, which, error);
    if (which->count > 0 && !(known > 0))
        return spc_refuse_data(data, -1, error,
                               "the weights of all rows are 0, expected some above");
    unknown->rows = which->count - count;
    unknown->known = all > 0 ? known / all : 1;
    for (int64_t row = 0; row < rows; ++row)
        weights[row] =
            targets[row] < 0
                ? 0
                : (float)(weight_of(own, NULL, NULL, row) * ((double)which->count / known));
    return SPARCL_OK;
}

static sparcl_status leave_unknown_out(float **weights, spc_unknown *unknown,
                                       const spc_classes *classes, const sparcl_data *data,
                                       float *targets, const spc_row_list *which,
                                       sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const size_t bytes = ((size_t)rows + 1) * sizeof **weights;
    *weights = malloc(bytes);
    if (!*weights) return spc_fail_memory(error, "weights", bytes);
    SPC_TRY(weigh_known(*weights, unknown, classes, data, targets, which, error));
    for (int64_t row = 0; row < rows; ++row)
        if (targets[row] < 0) targets[row] = 0;
    return SPARCL_OK;
}

sparcl_status spc_evaluated_rows_make(float **targets, float **weights, spc_unknown *unknown,
                                      sparcl_task task, sparcl_loss loss,
                                      const spc_classes *classes, const sparcl_data *data,
                                      const spc_row_list *which, bool weighs, sparcl_error *error) {
    int64_t count = 0;
    *unknown = (spc_unknown){.known = 1};
    SPC_TRY(spc_known_targets_make(targets, &count, task, loss, classes, data, error));
    if (count > 0)
        return leave_unknown_out(weights, unknown, classes, data, *targets, which, error);
    if (!weighs) return SPARCL_OK;
    return spc_row_weights_make(weights, NULL, NULL, data, NULL, which, error);
}

sparcl_status spc_rows_make(float **targets, float **weights, const sparcl_train_desc *checked,
                            const spc_classes *classes, const sparcl_data *data, bool trains,
                            bool weighs, sparcl_error *error) {
    const spc_row_list all = {.count = sparcl_data_get_info(data)->rows};
    spc_unknown unused;
    SPC_TRY(sparcl_data_check_finite(data, error));
    if (!trains)
        return spc_evaluated_rows_make(targets, weights, &unused, checked->architecture->task,
                                       checked->loss, classes, data, &all, weighs, error);
    SPC_TRY(spc_targets_make(targets, checked->architecture->task, checked->loss, classes,
                             sparcl_data_labels(data), all.count, data, error));
    if (!weighs) return SPARCL_OK;
    return spc_row_weights_make(weights, checked, classes, data, *targets, &all, error);
}

sparcl_status spc_batch_weights_make(float **weights, const float *own, const double *of_class,
                                     const float *targets, int64_t rows, sparcl_error *error) {
    const size_t bytes = (size_t)rows * sizeof **weights;
    *weights = malloc(bytes + 1);
    if (!*weights) return spc_fail_memory(error, "weights", bytes);
    for (int64_t i = 0; i < rows; ++i) {
        if (own && !(own[i] >= 0 && own[i] < INFINITY))
            return spc_fail(error, SPARCL_E_FORMAT,
                            "batch: the weight of row %lld is %g, expected a finite number from 0",
                            (long long)i, (double)own[i]);
        (*weights)[i] = (float)weight_of(own, of_class, targets, i);
    }
    return SPARCL_OK;
}
