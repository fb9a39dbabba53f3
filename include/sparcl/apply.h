/* apply.h: evaluates and applies trained models (libsparcl-train). */
#ifndef SPARCL_APPLY_H
#define SPARCL_APPLY_H

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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_eval_nodes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                  const sparcl_node_rows *rows, sparcl_metrics *metrics, sparcl_error *error);
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_predict_nodes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                     const sparcl_node_rows *rows, double *label, float *p, sparcl_error *error);
/**
 * As sparcl_predict, or with `rows`, which is NULL for other models, as sparcl_predict_nodes; and
 * scores, [rows, outputs]: what the forward function computes before them, of which
 * sparcl_model_probabilities makes the probability of each class.
 *
 * Errors    as sparcl_predict and sparcl_predict_nodes; E_ARG: scores is NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_predict_scores(
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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_eval_threshold(
    sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data, double threshold,
    sparcl_metrics *metrics, sparcl_class_report **report, sparcl_error *error);
/** Free a report. NULL is allowed. */
SPARCL_EXPERIMENTAL_API void sparcl_class_report_free(sparcl_class_report *report);

/**
 * The codes of a model, what it makes of each row on the way (sparcl_build.codes), as a data set
 * with the labels of `data`: for an autoencoder, [rows, units] with k entries in each row. Widths
 * as in sparcl_eval.
 *
 * Errors    E_ARG, also for a model without codes; the others as sparcl_eval, but labels are not
 *           needed. *codes is then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_encode(sparcl_ctx *ctx,
                                                                      const sparcl_model *model,
                                                                      const sparcl_data *data,
                                                                      sparcl_data **codes,
                                                                      sparcl_error *error);

/* --- predictions on rows in memory ------------------------------------------------------------ */

/** A model whose parameters and graph are on a device. Owned; it belongs to its context, and one
 * thread at a time may use both. */
typedef struct sparcl_predictor sparcl_predictor;

/**
 * Rows in host memory, as CSR arrays. They need not begin at 0: rows 5 to 8 of a larger matrix are
 * offsets + 5 with its indices and values.
 */
typedef struct sparcl_csr_arrays {
    size_t size;              /**< 0 or sizeof(sparcl_csr_arrays): which fields there are */
    int64_t rows;             /**< at least 0 */
    sparcl_itype offset_type; /**< of `offsets` */
    const void *offsets;      /**< [rows + 1], ascending: row i is entries offsets[i] to
                                 offsets[i + 1] - 1 of `indices` and `values`. NULL without rows */
    sparcl_itype index_type;  /**< of `indices` */
    const void *indices;      /**< columns from 0, ascending and each once in a row, below those of
                                 the model. NULL without entries */
    const float *values;      /**< finite. NULL without entries */
    const int32_t *fields;    /**< of the entries, below those of the model, where it reads fields
                                 (ffm); else not read */
    int is_trusted;           /**< not 0: all of this is known, and the arrays are not checked */
} sparcl_csr_arrays;

/**
 * Copy the parameters of a model to the device, and build its graph, once for all predictions. The
 * model must stay until the predictor is freed.
 *
 * Memory    of the device: the parameters; then the values of a slice of the rows, as many as keep
 *           the values of the graph within 64 MiB, and at most 2^18 entries (or one row).
 * Host      waits for the device.
 * Errors    E_ARG: NULL, or a model that ranks items or reads a graph between rows; the message
 *           says what to call instead. E_FORMAT: a parameter has another shape than the
 *           architecture gives it. E_MEMORY; errors of the core. *predictor is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_open(sparcl_ctx *ctx,
                                                             sparcl_predictor **predictor,
                                                             const sparcl_model *model,
                                                             sparcl_error *error);
/** Free a predictor, before its context is closed. NULL is allowed. */
SPARCL_API void sparcl_predictor_free(sparcl_predictor *predictor);

/**
 * Apply the model to rows: label[i] and p[i] are those of sparcl_predict, bit for bit; scores
 * [rows, outputs] are what the forward function computes before them. Each of the three may be
 * NULL. A model that reconstructs rows has no labels: only scores, [rows, columns].
 *
 * Where the device shares memory with the host, indices, values and fields are read in place, and
 * so are offsets that begin at 0, where all rows are one slice; nothing is copied to the device.
 * Else each slice is copied once. Results are copied to the host: 8 bytes for label and p of a row,
 * 4 for a score. Rows in host memory must not change during the call.
 *
 * Host      waits for the device.
 * Errors    E_ARG: NULL, rows is negative, an unknown type, an array is missing, or label and p of
 *           a model that reconstructs rows; E_FORMAT: offsets that descend, a column or field out
 * of range, a column out of order, a value that is NaN or infinite; the message names the row.
 * E_MEMORY; errors of the core. Results are then unspecified; the predictor can be used again.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_predict(sparcl_predictor *predictor,
                                                                const sparcl_csr_arrays *rows,
                                                                double *label, float *p,
                                                                float *scores, sparcl_error *error);

/**
 * As sparcl_model_predict, for a data set in memory, such as a part of a file
 * (sparcl/data.h); its labels are ignored.
 *
 * Errors    E_ARG: NULL, or streamed data; E_FORMAT: more columns than the model has, another index
 *           base, no fields where it reads them, values that are NaN or infinite; the message
 *           begins with the position in the file. Otherwise as sparcl_model_predict.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_model_predict_data(sparcl_predictor *predictor, const sparcl_data *data, double *label,
                          float *p, float *scores, sparcl_error *error);

/* --- rankings --------------------------------------------------------------------------------- */

/*
 * A model of SPARCL_TASK_RANK is trained by sparcl_train from a data set with a row for each user
 * and an entry for each item that he has; values are the weights of edges for models that read an
 * adjacency, else they are not read, and so are labels. A step has `batch` such pairs, each with an
 * item that the user does not have, drawn by sparcl_negative_samples with the seed of the training.
 * The validation data of sparcl_train are such pairs too; their loss is with other drawn items.
 */

/** How good the first k items of each user are; means over the users with items in the test data.
 */
typedef struct sparcl_rank_metrics {
    int64_t users;       /**< users with items in the test data */
    int64_t k;           /**< items that are ranked for each */
    int64_t pairs;       /**< entries of the test data */
    int64_t known_pairs; /**< those that `known` has, too: never among the first k, so missed */
    double recall;       /**< the fraction of a user's test items that are among his first k */
    double precision;    /**< the fraction of the first k that are test items */
    double ndcg; /**< sum of 1 / log2(1 + rank) over the test items among the first k, divided by
                      its maximum (Jarvelin and Kekalainen, 2002) */
    double hit_rate; /**< the fraction of users with a test item among the first k */
    /* What recommending the same to all would have: the items that most users of `known` have. */
    double popular_recall; /**< as recall, of the k most popular items that a user has not */
    double popular_ndcg;   /**< as ndcg */
} sparcl_rank_metrics;

/**
 * Evaluate a ranking: for each user the k items with the highest scores are found, without those of
 * `known`, the data of the training; of equal scores the items with the lower numbers come first.
 *
 * Shapes    known: as many users as the model, with at most its items; test: at most as many users
 *           and items.
 * Errors    E_ARG: NULL, k is not 1 to the number of items, or the model does not rank items;
 *           E_FORMAT: sizes are not as above, or a weight is not; E_MEMORY; errors of the core.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_rank_eval(
    sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *known, const sparcl_data *test,
    int64_t k, sparcl_rank_metrics *metrics, sparcl_error *error);

/**
 * The first k items of each user, the best one first, and their scores: items[u * k + i] is an item
 * from 0, or -1 where a user has all but i items; `scores` may be NULL. Both have users * k
 * elements.
 *
 * Errors    as sparcl_rank_eval.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_recommend(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *known, int64_t k,
                 int64_t *items, float *scores, sparcl_error *error);

/* --- deep networks with sparse weights -------------------------------------------------------- */

/** A network of the GraphChallenge (Kepner et al., Sparse Deep Neural Network Graph Challenge,
 * 2019). */
typedef struct sparcl_sparse_network {
    const sparcl_data *const *layers; /**< [count]: weights [inputs, outputs] of each layer */
    int count;                        /**< at least 1 */
    int repeats;                      /**< the layers are run this many times, at least once */
    double bias; /**< added to each element of a product that is not 0; at most 0, so that elements
                      that are 0 stay 0 */
    double cap;  /**< results are at most this, at least 0 */
} sparcl_sparse_network;

/**
 * Apply a network: for each layer Y := min(cap, max(0, Y W + bias)), from the rows of `inputs` on,
 * in F32. *result has the elements that are not 0 of the last Y, without labels. Blocks of rows are
 * dense on the device.
 *
 * Errors    E_ARG: a pointer is NULL, or a number is not as above; E_FORMAT: a layer has not as
 * many inputs as the one before has outputs; E_MEMORY; errors of the core. *result is then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_sparse_network_apply(sparcl_ctx *ctx, const sparcl_sparse_network *network,
                            const sparcl_data *inputs, sparcl_data **result, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
