/* class_result.h: what a model predicts, class by class: as JSON, as tables, as curves. */
#ifndef SPARCL_TOOL_CLASS_RESULT_H
#define SPARCL_TOOL_CLASS_RESULT_H

#include <jansson.h>

#include "exit_codes.h"
#include "sparcl/apply.h"

/* The keys of eval, for help pages. */
#define CLASS_KEYS                                                                                 \
    {"class_metrics", "a list: label, rows, predicted, precision, recall, f1; JSON only;"},        \
        {"", "null: over 1000 classes, or what has no rows"},                                      \
        {"confusion", "rows of each label, by the predicted one; JSON only; null: over 100"},      \
        {"curve", "two classes: points [threshold, false positive rate, recall, precision];"}, {   \
        "", "of the first, whose threshold is null, no row is of the higher class"                 \
    }

/* Add "class_metrics" and "confusion". Nothing is added without a report. */
void classes_describe(json_t *object, const sparcl_model *model, const sparcl_class_report *report);
/* Add "curve" after `prefix`, where there is one: some hundred exact points, with thresholds that
 * are probabilities, or of hinge loss scores; the first takes no row for the higher class. */
void curve_describe(json_t *object, const char *prefix, const sparcl_model *model,
                    const sparcl_class_report *report);

/* Print the metrics of each class, and the confusion matrix; of many classes those with the lowest
 * F1, and the pairs that are confused most often. */
exit_code classes_print(const sparcl_model *model, const sparcl_class_report *report);

/* Plot the ROC and the precision-recall curve. EXIT_CONTRACT: there are none. */
exit_code curves_save(const sparcl_model *model, const sparcl_metrics *metrics,
                      const sparcl_class_report *report, const char *path);

#endif
