/* metrics_result.h: the metrics of a model on a data set, as JSON. */
#ifndef SPARCL_TOOL_METRICS_RESULT_H
#define SPARCL_TOOL_METRICS_RESULT_H

#include <jansson.h>

#include "sparcl/apply.h"

/* The keys of eval, for help pages. */
#define METRICS_KEYS                                                                               \
    {"rows", "rows of the data"}, {"loss", "mean loss"}, {"objective", "loss + l2/2 |w|^2"},       \
        {"accuracy", "classes: fraction of rows with the right one"},                              \
        {"f1", "two classes: of the higher one; softmax: the mean over classes"},                  \
        {"auc", "two classes: exact area under the ROC curve"},                                    \
        {"average_precision", "two classes: area under the precision-recall curve"},               \
        {"calibration_error", "logistic, softmax: expected calibration error, 10 bins"},           \
        {"unknown_labels", "rows with a label that the model lacks, where there are some"},        \
        {"calibration", "of each bin with rows: [rows, predicted, observed]; JSON only"},          \
        {"rmse, mae", "squared, poisson: root of mean squared error, mean absolute error"},        \
        {"r2", "squared, poisson: the part of the variance that is explained"}, {                  \
        "best_constant_loss, _accuracy, ...",                                                      \
            "the same of the best constant prediction on this data"                                \
    }

/* Add the metrics that are defined to an object, each key after `prefix`. */
void metrics_describe(json_t *object, const char *prefix, const sparcl_metrics *metrics);

#endif
