/* class_report.c: what is predicted, class by class. */
#include "train/class_report.h"

#include <stdlib.h>

#include "base/error.h"
#include "model/loss_kind.h"
#include "train/score_curve.h"

/* A report, and what it points to. */
typedef struct report_object {
    sparcl_class_report report; /* the first member */
    double *counts;             /* rows, predicted, right and confusion, one after the other */
    spc_curve curve;
} report_object;

static void count(const spc_predictions *of, double *counts, double *confusion) {
    double *const rows = counts, *const predicted = rows + of->classes;
    double *const right = predicted + of->classes;
    for (int64_t i = 0; i < of->rows; ++i) {
        const int64_t target = (int64_t)of->targets[i], label = (int64_t)of->label[i];
        const double weight = of->weights ? (double)of->weights[i] : 1;
        rows[target] += weight;
        predicted[label] += weight;
        if (target == label) right[target] += weight;
        if (confusion) confusion[target * of->classes + label] += weight;
    }
}

static sparcl_status make_counts(report_object *made, const spc_predictions *of,
                                 sparcl_error *error) {
    const int64_t classes = of->classes;
    const int64_t pairs = classes <= SPARCL_CONFUSION_CLASSES ? classes : 0;
    const size_t numbers = (size_t)(classes * (3 + pairs));
    double *const all = made->counts = calloc(numbers + 1, sizeof *all);
    if (!all) return spc_fail_memory(error, "classes", numbers * sizeof *all);
    double *const confusion = pairs > 0 ? all + 3 * classes : NULL;
    count(of, all, confusion);
    made->report = (sparcl_class_report){.classes = classes,
                                         .rows = all,
                                         .predicted = all + classes,
                                         .right = all + 2 * classes,
                                         .confusion = confusion};
    return SPARCL_OK;
}

static sparcl_status make_curve(report_object *made, const spc_predictions *of,
                                sparcl_error *error) {
    const size_t bytes = (size_t)of->rows * sizeof(int32_t);
    double auc, average_precision;
    if (!spc_loss_is_binary(of->loss)) return SPARCL_OK;
    int32_t *const classes = malloc(bytes + 1);
    if (!classes) return spc_fail_memory(error, "classes", bytes);
    for (int64_t i = 0; i < of->rows; ++i)
        classes[i] = (int32_t)of->targets[i];
    const sparcl_status status = spc_score_curve(of->scores, classes, of->weights, of->rows, &auc,
                                                 &average_precision, &made->curve, error);
    free(classes);
    made->report.points = made->curve.points;
    made->report.point_count = made->curve.count;
    return status;
}

sparcl_status spc_class_report_make(sparcl_class_report **report, const spc_predictions *of,
                                    sparcl_error *error) {
    report_object *const made = calloc(1, sizeof *made);
    *report = NULL;
    if (!made) return spc_fail_memory(error, "classes", sizeof *made);
    sparcl_status status = make_counts(made, of, error);
    if (status == SPARCL_OK) status = make_curve(made, of, error);
    if (status == SPARCL_OK)
        *report = &made->report;
    else
        sparcl_class_report_free(&made->report);
    return status;
}

void sparcl_class_report_free(sparcl_class_report *report) {
    report_object *const made = (report_object *)(void *)report;
    if (!made) return;
    free(made->counts);
    free(made->curve.points);
    free(made);
}
