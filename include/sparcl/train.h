/* train.h: training, evaluating and applying linear models (libsparcl-train). */
#ifndef SPARCL_TRAIN_H
#define SPARCL_TRAIN_H

#include "sparcl/context.h"
#include "sparcl/data.h"
#include "sparcl/model.h"
#include "sparcl/optim.h"
#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a run stands; handed to the progress callback after each step. */
typedef struct sparcl_train_progress {
    int64_t epoch, epochs; /**< passes ended, passes in all */
    int64_t step, steps;   /**< steps ended, steps in all */
    int64_t rows;          /**< examples seen, over all passes */
    double seconds;        /**< since the first step began */
    double loss;           /**< mean loss of the last pass; NaN before the first pass ended */
    double valid_loss;     /**< the same on the validation data; NaN without */
} sparcl_train_progress;

/** Return nonzero to stop: the step in work is finished and the run ends as E_INTERRUPTED. After
 * the last step of all nothing is left to stop, and the run ends as ever. */
typedef int (*sparcl_progress_fn)(void *user, const sparcl_train_progress *progress);

/**
 * How to train. sparcl_train_init fills in the defaults of an optimizer. The hyper-parameters mean
 * themselves: with lr 0 no weight changes, and all zero is no pass over the data, which gives a
 * model of zeros. lr, epsilon and l2 must be finite and not negative, momentum and the betas at
 * least 0 and less than 1, also where the optimizer does not use them.
 */
typedef struct sparcl_train_desc {
    sparcl_loss loss;      /**< what is minimized */
    sparcl_rule optimizer; /**< and how */
    double lr;             /**< the learning rate */
    double momentum;       /**< MOMENTUM only */
    double beta1, beta2;   /**< ADAM only */
    double epsilon;        /**< ADAGRAD and ADAM only */
    double l2;       /**< the l2 of the objective, mean loss + l2/2 |w|^2; the bias is not in it */
    int64_t epochs;  /**< passes over the data */
    int64_t batch;   /**< rows of a step; 0: all */
    uint64_t seed;   /**< the only source of the row order */
    int no_bias;     /**< nonzero: train none */
    int64_t columns; /**< feature width; 0: that of the training data */
    int64_t device_memory; /**< bytes that the training data, and then the validation data, may
                                take on the device; 0: half of what it has, less what the context
                                holds there, the tables of this run included. Data that do not fit
                                stay on the host, with the same result; a batch at a time is then
                                on the device, or for a loss at most 2^18 entries (one row at
                                least). */
    sparcl_progress_fn progress; /**< called after each step; NULL: nothing is */
    void *progress_user;         /**< handed to `progress` */
    uint64_t reserved[2];
} sparcl_train_desc;

/**
 * Fill in the defaults of an optimizer:
 *
 *   SGD       lr 0.1
 *   MOMENTUM  lr 0.1, momentum 0.9
 *   ADAGRAD   lr 0.01, epsilon 1e-10
 *   ADAM      lr 0.001, beta1 0.9, beta2 0.999, epsilon 1e-8
 *
 * and epochs 10, batch 1024; every other field becomes 0: logistic loss, no l2, a bias. So does
 * `sparcl train`. The numbers are those of sparcl_optim_init, but for the learning rate of SGD and
 * MOMENTUM: that of PyTorch is low for linear models. A number that is no optimizer is stored as it
 * is, and training refuses it.
 */
SPARCL_API void sparcl_train_init(sparcl_train_desc *desc, sparcl_rule optimizer);

/** What a run reached. */
typedef struct sparcl_train_result {
    double loss;             /**< mean loss of the finished model on the training data */
    double objective;        /**< loss + l2/2 |w|^2 */
    double seconds_per_pass; /**< median over the passes; data already in memory. NaN without one */
    int64_t epochs, steps;   /**< that were made */
    int on_host;             /**< the training data were not kept on the device */
} sparcl_train_result;

/**
 * Train a linear model from a data set; `valid` may be NULL.
 *
 * Weights start at 0. Each pass takes the rows in an order that depends on the seed and the pass
 * alone, or as stored where one batch has them all; it cuts that into batches (a short last batch
 * is kept) and makes one step a batch from the mean gradient. With sgd and momentum the rows of the
 * table that are not in a batch catch up in closed form when they are next read and at the end;
 * with adagrad and adam every step steps all rows where l2 is set, and so costs what the whole
 * table costs.
 *
 * Result    the same model, bit for bit, on every run and every device; `valid` changes no bit.
 * Errors    An E_FORMAT of data begins with the place in their file, as in sparcl_data_read.
 *           E_ARG; E_MEMORY, before the first step: one batch has all rows, and they do not fit in
 *           device_memory; E_FORMAT: labels do not fit the loss, values are NaN or infinite, or
 *           `valid` is wider than the model, counts columns from elsewhere or has unknown labels;
 *           E_DIVERGED: the loss or a weight is not finite; E_INTERRUPTED; errors of the core. Then
 *           *model is NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_train(
    sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train, const sparcl_data *valid,
    const sparcl_train_desc *desc, sparcl_train_result *result, sparcl_error *error);

/** A batch in host memory, from a callback; it must stay until the next call of the callback. */
typedef struct sparcl_batch {
    int64_t rows;            /**< at least 1 */
    sparcl_itype index_type; /**< of `indices` */
    const int64_t *offsets;  /**< [rows + 1], from 0 */
    const void *indices;     /**< [offsets[rows]], from 0, ascending and unique in a row */
    const float *values;     /**< [offsets[rows]] */
    const double *labels;    /**< [rows] */
} sparcl_batch;

/** Fill in batch `step` of pass `epoch`, both from 0. A status other than OK ends the run. */
typedef sparcl_status (*sparcl_batch_fn)(void *user, int64_t epoch, int64_t step,
                                         sparcl_batch *batch);

/** Where batches come from. */
typedef struct sparcl_batch_source {
    sparcl_batch_fn next; /**< called for each step */
    void *user;           /**< handed to `next` */
    int64_t columns;      /**< feature width */
    int64_t steps;        /**< batches of a pass */
    int index_base;       /**< written into the model: of the files that it will be applied to */
    const double *labels; /**< the label of each class, ascending; NULL for squared */
    int64_t classes;      /**< length of labels; 0 for squared */
    uint64_t reserved[2];
} sparcl_batch_source;

/**
 * Train from a callback: the same batches give the same bits as from a file. Of the description,
 * batch and seed are only written into the model, and columns are not looked at. result->loss is
 * that of the last pass, since the batches are not requested again; NaN without a pass.
 *
 * Errors    as sparcl_train; E_ARG: the source contradicts itself; E_FORMAT: a batch is not as
 *           sparcl_batch says or has an unknown label; a status from the callback is handed on.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_train_source(
    sparcl_ctx *ctx, sparcl_model **model, const sparcl_batch_source *source,
    const sparcl_train_desc *desc, sparcl_train_result *result, sparcl_error *error);

/** The row order of pass `epoch` that sparcl_train uses where a pass has several batches: a
 * permutation of 0 .. rows - 1. */
SPARCL_API void sparcl_train_order(uint64_t seed, int64_t epoch, int64_t rows, int64_t *order);

/** What a model reaches on a data set. NaN where it has no meaning for the loss. */
typedef struct sparcl_metrics {
    int64_t rows;     /**< of the data */
    double loss;      /**< mean loss */
    double objective; /**< loss + l2/2 |w|^2 */
    double accuracy;  /**< share of rows with the right class; a score of exactly 0 is the lower */
    double auc;       /**< logistic: exact area under the ROC curve, ties count half; NaN where a
                           class is missing */
    double best_constant_loss; /**< mean loss of the best constant prediction on this data */
} sparcl_metrics;

/**
 * Evaluate. Columns beyond the model's have weight 0: the reader refuses them where it was told the
 * model's width, unless it was told to widen.
 *
 * Errors    E_ARG; E_FORMAT: no labels, a label that the model does not know, another index base,
 *           values that are NaN or infinite; the message begins with the place in the file. Errors
 *           of the core.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_eval(sparcl_ctx *ctx, const sparcl_model *model,
                                                       const sparcl_data *data,
                                                       sparcl_metrics *metrics,
                                                       sparcl_error *error);

/**
 * Apply a model: label[i] is the predicted class's label and p[i] its probability; for squared loss
 * both are the value. Both arrays have a place for each row. Widths and errors as in sparcl_eval;
 * the labels of the data are not looked at.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_predict(sparcl_ctx *ctx,
                                                          const sparcl_model *model,
                                                          const sparcl_data *data, double *label,
                                                          float *p, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
