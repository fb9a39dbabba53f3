/* auto.h: trains a linear model without settings: the loss from the labels, the rest from rows that
 * are held out (libsparcl-train). */
#ifndef SPARCL_AUTO_H
#define SPARCL_AUTO_H

#include "sparcl/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The loss that labels are usually for: logistic where there are at most two different ones;
 * softmax where there are more, all whole numbers, at most 1000 of them, and at least ten rows for
 * each on average; else squared.
 *
 * Errors    E_ARG: NULL; E_FORMAT: no rows, no labels, or several per row.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_usual_loss(sparcl_loss *loss,
                                                             const sparcl_data *data,
                                                             sparcl_error *error);

/** A setting that was tried, and what came of it: means over the folds. */
typedef struct sparcl_tried {
    sparcl_solver solver; /**< what the value is of */
    double value;         /**< C, where l2 is 1 / (C rows); or with steps the learning rate */
    double loss;          /**< mean loss of the rows that were held out */
    double accuracy; /**< fraction of them with the right class; NaN for squared and Poisson loss */
} sparcl_tried;

/** Settings that are tried, at most. */
enum { SPARCL_TRIED_MAX = 16 };

/** What was tried and chosen. */
typedef struct sparcl_auto_result {
    sparcl_solver
        solver; /**< LBFGS; STEPS of adagrad with hinge loss or more than 2^25 parameters */
    int folds;  /**< 5, or as many as there are rows; or 1: a fifth of the rows was held out once */
    int count;  /**< of settings */
    int best;   /**< the chosen one */
    sparcl_tried tried[SPARCL_TRIED_MAX]; /**< in this order */
    sparcl_train_result train;            /**< of the model */
} sparcl_auto_result;

/** Called after each setting; nonzero: stop. */
typedef int (*sparcl_tried_fn)(void *user, const sparcl_tried *tried);

/**
 * Train a linear model and choose how strongly it is regularized.
 *
 * For C = 0.01, 0.03, 0.1, ... 1000 models are trained by L-BFGS with l2 = 1 / (C rows) on a part
 * of the rows, from the model before, and evaluated on the others: in five folds, or one for each
 * of fewer rows, where the data have at most 20000 rows and 2 * 10^7 scores of entries, else once
 * with a fifth of the rows, drawn by the seed. It ends early after three settings in a row that
 * were worse. Where a column of small numbers, which every row has, is still held back by C = 1000,
 * one more C is tried, with which none is. The one with the best accuracy (squared and Poisson: the
 * lowest loss), among equals with the lower loss, is trained with all rows. With hinge loss, and
 * with more than 2^25 parameters, adagrad with the rates 0.01, 0.03, 0.1 and 0.3 takes the place of
 * all that, and the model is that of the pass with the lowest loss of a tenth of the rows; of all,
 * where the others lack a class.
 *
 * Of the description, loss, seed, no_bias, columns and device_memory are used, and progress for the
 * training with all rows; the others must be as sparcl_train_init leaves them. `after` may be NULL.
 *
 * Errors    as sparcl_train; E_FORMAT: also a single row; E_INTERRUPTED: by `after`. *model is then
 * NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_train_auto(
    sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data, const sparcl_train_desc *desc,
    sparcl_tried_fn after, void *user, sparcl_auto_result *result, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
