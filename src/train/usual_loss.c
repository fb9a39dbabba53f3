/* usual_loss.c: what labels are like, and the loss that they are usually for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sparcl/auto.h"
#include "train/metrics.h"
#include "train/problem.h"

enum { MAX_CLASSES = 1000, ROWS_OF_A_CLASS = 10, MANY_CLASSES = 10 };

/* Of the sizes of neighbouring classes. */
static const double least_correlation = 0.6;

static double *count_rows(const spc_classes *labels, const sparcl_data *data) {
    const double *const of_rows = sparcl_data_labels(data);
    double *const sizes = calloc((size_t)labels->count, sizeof *sizes);
    for (int64_t row = 0; sizes && row < sparcl_data_get_info(data)->rows; ++row)
        sizes[spc_class_of(labels->labels, labels->count, of_rows[row])] += 1;
    return sizes;
}

/* NaN where all are equal. */
static double correlation_of_neighbours(const double *values, int64_t count) {
    double mean = 0, products = 0, squares = 0;
    for (int64_t c = 0; c < count; ++c)
        mean += values[c] / (double)count;
    for (int64_t c = 0; c < count; ++c) {
        const double off = values[c] - mean;
        squares += off * off;
        if (c > 0) products += off * (values[c - 1] - mean);
    }
    return products / squares;
}

/* Counts of events have sizes whose logarithms are like one another. */
static bool are_like_neighbours(double *sizes, int64_t count) {
    if (correlation_of_neighbours(sizes, count) > least_correlation) return true;
    for (int64_t c = 0; c < count; ++c)
        sizes[c] = log(sizes[c]);
    return correlation_of_neighbours(sizes, count) > least_correlation;
}

/* Numbers that were measured are rare at both ends, and as frequent as those beside them; counts
 * are rare at the upper end alone, where some are missing. Names have no order, or that of their
 * frequencies, and no gaps. */
static bool are_like_numbers(const spc_classes *labels, double *sizes) {
    const int64_t last = labels->count - 1;
    const bool has_gaps = labels->labels[last] - labels->labels[0] > (double)last;
    double largest = 0;
    for (int64_t c = 0; c <= last; ++c)
        largest = fmax(largest, sizes[c]);
    return (sizes[0] < largest / 2 || has_gaps) && sizes[last] < largest / 2 &&
           are_like_neighbours(sizes, last + 1);
}

/* Numbers, such as stars; where users are words, the columns are those of a table. */
static bool are_ratings(const sparcl_data_info *info) {
    return info->users > 0 || strcmp(info->format, "ratings") == 0;
}

static sparcl_loss loss_for(const sparcl_label_summary *s, const sparcl_data_info *info) {
    const int64_t rows = info->rows;
    if (s->different <= 2) return SPARCL_LOSS_LOGISTIC;
    if (are_ratings(info)) return SPARCL_LOSS_SQUARED;
    return s->are_whole && !s->are_numbers && s->different <= MAX_CLASSES &&
                   rows >= ROWS_OF_A_CLASS * s->different
               ? SPARCL_LOSS_SOFTMAX
               : SPARCL_LOSS_SQUARED;
}

static sparcl_status summarize(sparcl_label_summary *s, const spc_classes *labels,
                               const sparcl_data *data, sparcl_error *error) {
    SPC_TRY(spc_check_guess(labels, false, data, error));
    *s = (sparcl_label_summary){.different = labels->count, .are_whole = spc_are_whole(labels)};
    const bool are_words = sparcl_data_get_info(data)->label_words > 0;
    const bool may_be_classes = !are_words && !are_ratings(sparcl_data_get_info(data));
    s->are_many = s->are_whole && may_be_classes && labels->count > MANY_CLASSES;
    if (s->are_many) {
        double *const sizes = count_rows(labels, data);
        if (!sizes) return spc_fail_memory(error, "classes", (size_t)labels->count * sizeof *sizes);
        s->are_numbers = are_like_numbers(labels, sizes);
        free(sizes);
    }
    s->usual_loss = loss_for(s, sparcl_data_get_info(data));
    if (are_words && labels->count > 2) s->usual_loss = SPARCL_LOSS_SOFTMAX;
    return SPARCL_OK;
}

sparcl_status sparcl_labels_summarize(sparcl_label_summary *summary, const sparcl_data *data,
                                      sparcl_error *error) {
    spc_classes labels;
    if (!summary || !data) return spc_fail(error, SPARCL_E_ARG, "loss: the result or data is NULL");
    SPC_TRY(spc_labels_find(&labels, data, error));
    const sparcl_status status = summarize(summary, &labels, data, error);
    spc_classes_free(&labels);
    return status;
}

sparcl_status sparcl_usual_loss(sparcl_loss *loss, const sparcl_data *data, sparcl_error *error) {
    sparcl_label_summary summary;
    if (!loss) return spc_fail(error, SPARCL_E_ARG, "loss: the result or data is NULL");
    SPC_TRY(sparcl_labels_summarize(&summary, data, error));
    *loss = summary.usual_loss;
    return SPARCL_OK;
}
