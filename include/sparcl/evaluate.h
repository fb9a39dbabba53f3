/* evaluate.h: evaluates and applies trained models, to rows and to nodes of a graph
 * (libsparcl-train). */
#ifndef SPARCL_EVALUATE_H
#define SPARCL_EVALUATE_H

#include "sparcl/architecture.h"
#include "sparcl/context.h"
#include "sparcl/data.h"
#include "sparcl/model.h"
#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SPARCL_CALIBRATION_BINS = 10 };

/** Rows whose predicted probability is in one of as many equal parts of 0 to 1. */
typedef struct sparcl_calibration_bin {
    double rows;      /**< their number, or weight */
    double predicted; /**< mean predicted probability; NaN without rows */
    double observed;  /**< fraction of them of that class; NaN without rows */
} sparcl_calibration_bin;

/**
 * The metrics of a model on a data set; NaN where a metric is not defined for the loss. Where rows
 * of the data have weights, they have them in all metrics, as in scikit-learn.
 */
typedef struct sparcl_metrics {
    int64_t rows;     /**< rows of the data */
    double loss;      /**< mean loss */
    double objective; /**< loss + l2/2 |w|^2 */
    double accuracy;  /**< fraction of rows with the right class; a score of exactly 0 means the
                           lower class */
    double f1;  /**< logistic and hinge: harmonic mean of precision and recall of the higher class;
                     softmax: the mean of those of all classes that occur or are predicted */
    double auc; /**< logistic and hinge: exact area under the ROC curve, ties count half; NaN where
                     a class is missing */
    double average_precision; /**< logistic and hinge: area under the precision-recall curve of the
                                   higher class: the sum of precision times increase of recall */
    double calibration_error; /**< logistic and softmax: expected calibration error (Guo et al.,
                                   ICML 2017): the mean over rows of |predicted - observed| of their
                                   bin */
    double rmse, mae;         /**< squared and Poisson: root of the mean squared error of predicted
                                   values, mean absolute error */
    /* The same of the best constant prediction on this data, that of each metric by itself. */
    double best_constant_loss;              /**< mean loss */
    double best_constant_accuracy;          /**< fraction of the most frequent class */
    double best_constant_f1;                /**< of the class with the largest F1 */
    double best_constant_average_precision; /**< fraction of the higher class */
    double best_constant_rmse;              /**< standard deviation of the labels */
    double best_constant_mae;               /**< mean distance from the median */
    /** Bins of the probability of the higher class (logistic) or the predicted class (softmax). */
    sparcl_calibration_bin calibration[SPARCL_CALIBRATION_BINS];
    double own[SPARCL_METRICS_MAX]; /**< the metrics of the architecture, in its order; then 0 */
    int64_t not_finite; /**< rows whose scores, or what is predicted from them, are NaN or infinite:
                             sums of finite weights outside of float32 */
    int64_t unknown_labels; /**< rows whose label is none of the model's classes: they are wrong in
                                 accuracy and best_constant_accuracy, and left out of the loss and
                                 of all other metrics */
} sparcl_metrics;

/**
 * Evaluate a model. Columns beyond the model's have weight 0. (sparcl_data_read refuses them where
 * `columns` is the model's number and `widen` is 0.)
 *
 * Errors    E_ARG; E_FORMAT: no labels, none that the model knows (others are counted in
 *           unknown_labels), another index base, values that are NaN or infinite; the message
 *           begins with the position in the file. A parameter of the model has another shape than
 *           the architecture gives it. Errors of the core.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_eval(sparcl_ctx *ctx, const sparcl_model *model,
                                                       const sparcl_data *data,
                                                       sparcl_metrics *metrics,
                                                       sparcl_error *error);

/**
 * Apply a model: label[i] is the label of the predicted class and p[i] its probability (hinge loss:
 * the score); for squared and Poisson loss both are the predicted value. Both arrays have one
 * element per row. Widths and errors as in sparcl_eval; the labels of the data are ignored.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_predict(sparcl_ctx *ctx,
                                                          const sparcl_model *model,
                                                          const sparcl_data *data, double *label,
                                                          float *p, sparcl_error *error);

/** Rows of a data set that are nodes of a graph (SPARCL_TASK_NODES). */
typedef struct sparcl_node_rows {
    const sparcl_data *edges; /**< as in sparcl_train_nodes */
    const int64_t *rows;      /**< [count]: which nodes, each once */
    int64_t count;            /**< 0 to the number of rows */
} sparcl_node_rows;

/**
 * As sparcl_eval and sparcl_predict, for a model of SPARCL_TASK_NODES: the data are all nodes, the
 * results those of rows->rows, in their order.
 *
 * Errors    as sparcl_eval and sparcl_predict; E_ARG: the model does not read a graph, or rows are
 *           not as above; E_FORMAT: the graph has another number of nodes than the data rows.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_eval_nodes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                  const sparcl_node_rows *rows, sparcl_metrics *metrics, sparcl_error *error);
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_predict_nodes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                     const sparcl_node_rows *rows, double *label, float *p, sparcl_error *error);
/**
 * As sparcl_predict, or with `rows`, which is NULL for other models, as sparcl_predict_nodes; and
 * scores, [rows, outputs]: what the forward function computes before them, of which
 * sparcl_model_probabilities makes the probability of each class.
 *
 * Errors    as sparcl_predict and sparcl_predict_nodes; E_ARG: scores is NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_predict_scores(
    sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
    const sparcl_node_rows *rows, double *label, float *p, float *scores, sparcl_error *error);

/** Confusion matrices are counted for up to as many classes. */
enum { SPARCL_CONFUSION_CLASSES = 1000 };

/** A point of the ROC and of the precision-recall curve. */
typedef struct sparcl_curve_point {
    double threshold; /**< a score; rows with at least this score are taken for the higher class */
    double true_positives;  /**< their number, or weight, where that is their class */
    double false_positives; /**< where it is the lower one */
} sparcl_curve_point;

/**
 * What a model predicts, class by class. Where rows have weights these are sums of weights, else
 * numbers of rows. Rows of labels that the model does not know are in none.
 */
typedef struct sparcl_class_report {
    int64_t classes;         /**< those of the model */
    const double *rows;      /**< [classes]: rows of each class */
    const double *predicted; /**< [classes]: rows that are taken for it */
    const double *right;     /**< [classes]: those of them that are of it */
    const double *confusion; /**< [classes, classes], row-major: of the rows of class i those that
                                  are taken for class j; NULL: more classes than
                                  SPARCL_CONFUSION_CLASSES */
    int64_t point_count;     /**< 0 where there are no curves: other losses than logistic and hinge,
                                  one class that has no rows, a score that is NaN */
    const sparcl_curve_point *points; /**< [point_count], with descending thresholds: exact points
                                           of the curves, one for equal scores, without those that
                                           are within 1/512 of others in the false positive rate,
                                           the recall and the precision. The last has all rows */
} sparcl_class_report;

/**
 * As sparcl_eval, or with `rows`, which is NULL for other models, as sparcl_eval_nodes; and
 * what is predicted class by class, for sparcl_class_report_free. *report is NULL where the model
 * predicts no classes.
 *
 * Errors    as sparcl_eval; E_ARG: report is NULL. *report is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_eval_classes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                    const sparcl_node_rows *rows, sparcl_metrics *metrics,
                    sparcl_class_report **report, sparcl_error *error);
/**
 * As sparcl_eval_classes, of a model of two classes: the higher one is predicted where its
 * probability, of 0 to 1, is at least `threshold`, and not where it is the more probable one.
 * Accuracy, F1 and the report are those of these predictions. NaN: no threshold.
 *
 * Errors    as sparcl_eval_classes; E_ARG: another threshold, or a model that has no probability of
 *           a higher class.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_eval_threshold(
    sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data, double threshold,
    sparcl_metrics *metrics, sparcl_class_report **report, sparcl_error *error);
/** Free a report. NULL is allowed. */
SPARCL_API void sparcl_class_report_free(sparcl_class_report *report);

/**
 * The codes of a model, what it makes of each row on the way (sparcl_build.codes), as a data set
 * with the labels of `data`: for an autoencoder, [rows, units] with k entries in each row. Widths
 * as in sparcl_eval.
 *
 * Errors    E_ARG, also for a model without codes; the others as sparcl_eval, but labels are not
 *           needed. *codes is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_encode(sparcl_ctx *ctx, const sparcl_model *model,
                                                         const sparcl_data *data,
                                                         sparcl_data **codes, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
