/* score_curve.h: how well scores separate two classes, over all thresholds. */
#ifndef SPC_TRAIN_SCORE_CURVE_H
#define SPC_TRAIN_SCORE_CURVE_H

#include "base/macros.h"
#include "sparcl/apply.h"

/* Points of the curves, see sparcl_class_report. */
typedef struct spc_curve {
    sparcl_curve_point *points; /* to be freed with free */
    int64_t count, capacity;
} spc_curve;

/*
 * Of `rows` scores, where classes[i] is 0 or 1, with weights or (NULL) without:
 *
 *   auc                the area under the ROC curve: the fraction of pairs (one row of each class)
 *                      in which class 1 has the higher score; equal scores count half
 *   average_precision  the area under the precision-recall curve as steps: the sum over thresholds
 *                      of precision times the increase of recall; equal scores are one threshold
 *
 *   curve              the points of both curves, where there are rows of both classes; NULL: no
 *                      points are needed
 *
 * Without weights the order of the rows does not matter, and below 2^26 rows only the last division
 * of auc rounds. NaN when a class is missing (for average_precision class 1) or a score is NaN.
 * Errors: E_MEMORY; E_ARG for 2^32 rows and more.
 */
sparcl_status spc_score_curve(const float *scores, const int32_t *classes, const float *weights,
                              int64_t rows, double *auc, double *average_precision,
                              spc_curve *curve, sparcl_error *error);

#endif
