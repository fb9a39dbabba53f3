/* auto.h: trains a model without settings: the loss from the labels, the rest from rows that
 * are held out (libsparcl-train). */
#ifndef SPARCL_AUTO_H
#define SPARCL_AUTO_H

#include "sparcl/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the labels of a data set are like. */
typedef struct sparcl_label_summary {
    int64_t different; /**< labels that differ */
    int are_whole;     /**< 1: all are whole numbers */
    int are_many;      /**< 1: more than 10, all whole numbers: classes, or numbers such as ages;
                            0 for ratings, which are numbers */
    int are_numbers;   /**< 1: they are many, and as frequent as their neighbours: the sizes of the
                            classes in the order of the labels, or their logarithms, have a
                            correlation with the next one (lag 1) above 0.6, and the last class is
                            less than half as large as the largest, and so is the first one, or
                            numbers between them are missing */
    sparcl_loss usual_loss; /**< as sparcl_usual_loss */
} sparcl_label_summary;

/**
 * Say what labels are like.
 *
 * Errors    as sparcl_usual_loss.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_labels_summarize(
    sparcl_label_summary *summary, const sparcl_data *data, sparcl_error *error);

/**
 * The loss that labels are usually for: logistic where there are at most two different ones;
 * squared for more of ratings (the format "ratings", or with users), such as stars; softmax where
 * there are more, all whole numbers, at most 1000 of them, at least ten rows for each on average,
 * and they are not like numbers (sparcl_label_summary.are_numbers), as ages are; else squared.
 *
 * Errors    E_ARG: NULL; E_FORMAT: no rows, no labels, or several per row; labels that are ids, in
 * a column that was guessed (sparcl_data_info.label_guessed); E_MEMORY.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_usual_loss(sparcl_loss *loss,
                                                                          const sparcl_data *data,
                                                                          sparcl_error *error);

/** What settings are chosen by, of rows that were held out; among equals by the lower loss. */
typedef enum sparcl_select {
    SPARCL_SELECT_LOSS = 0,     /**< the lowest mean loss */
    SPARCL_SELECT_ACCURACY = 1, /**< the highest metric of this name (sparcl_metrics) */
    SPARCL_SELECT_AUC = 2,
    SPARCL_SELECT_F1 = 3,
    SPARCL_SELECT_AVERAGE_PRECISION = 4
} sparcl_select;

/** "loss", "accuracy", "auc", "f1" or "average_precision"; NULL: it is none of them. */
SPARCL_EXPERIMENTAL_API const char *sparcl_select_name(sparcl_select select);

/** A setting that was tried, and what came of it: means over the folds, by their rows. */
typedef struct sparcl_tried {
    sparcl_solver solver; /**< what the value is of */
    double value;         /**< C, where l2 is 1 / (C rows); or with steps the learning rate */
    double loss;          /**< mean loss of the rows that were held out */
    double accuracy; /**< fraction of them with the right class; NaN for squared and Poisson loss */
    /** what it is chosen by; NaN where no fold has it, such as an AUC without both classes */
    double selected;
    int is_running; /**< 1: it is being tried: loss, accuracy and selected are NaN, and training is
                         at `step` with the rows of `fold`. Only in calls of `after` */
    int most;       /**< settings that may be tried in all, then */
    int fold;       /**< from 0; -1: of all rows, as none are held out */
    int64_t step;   /**< of that training, or its iteration */
} sparcl_tried;

/** Settings that are tried, at most. */
enum { SPARCL_TRIED_MAX = 16 };

/** What was tried and chosen. */
typedef struct sparcl_auto_result {
    sparcl_solver solver; /**< LBFGS, or STEPS */
    int folds; /**< 5, or as many as there are rows; or 1: a part of the rows was held out once; or
                    0: none was, as the others would lack a class: losses are of all rows */
    int count; /**< of settings */
    int best;  /**< the chosen one */
    int discarded; /**< larger rates that were better on rows held out, but not with all rows */
    sparcl_tried tried[SPARCL_TRIED_MAX]; /**< in this order */
    sparcl_train_result train;            /**< of the model */
} sparcl_auto_result;

/** Called after each setting, and after each step and iteration of one (is_running); nonzero: stop.
 */
typedef int (*sparcl_tried_fn)(void *user, const sparcl_tried *tried);

/**
 * Train a linear model and choose how strongly it is regularized.
 *
 * For C = 0.01, 0.03, 0.1, ... 1000 models are trained by L-BFGS with l2 = 1 / (C rows) on a part
 * of the rows, from the model before, and evaluated on the others: in five folds, or one for each
 * of fewer rows, where the data have at most 20000 rows and 2 * 10^7 scores of entries, else once
 * with a fifth of the rows, drawn by the seed. With more scores only C = 0.01, 0.1, ... 1000 are
 * tried, and the training with all rows goes on from the last one. It ends early after three
 * settings in a row that were worse. Where a column of small numbers, which every row has, is still
 * held back by C = 1000, one more C is tried, with which none is. The best by `select` is trained
 * with all rows. Class weights, those of all rows where they are balanced, are in the losses and
 * metrics of the rows that are held out, too.
 *
 * Where the rate of the description's optimizer (optim.lr) is NaN, it is the rate that is chosen,
 * for steps of this optimizer; so it is for those of adagrad with hinge loss, and with more than
 * 2^25 parameters. The description may then have an architecture, of a model of labels; in those
 * of the library a column without entries has no weight. The rates
 * 0.001, 0.003, 0.01, ... 1 are tried, for up to as many passes as have 1000 steps (at least 20, at
 * most 200), on rows without a fifth (of more than 20000 rows a tenth), which end each of them
 * early, in five folds where there are at most 2000 rows; the best is then trained with all rows,
 * for as many passes as were best, on average. Where its loss is above that of the rows which
 * were held out by more than a tenth of what was gained there on the best constant, or it diverges,
 * the next two smaller rates are tried, too: large steps go wrong with rows far from all others.
 * Columns of linear models are divided by powers of two so that the mean squares of their entries
 * are alike, after a column that every row has was centred, and so are labels with squared loss;
 * the model is that of the columns as they are. With one output, and rules whose steps do not grow
 * with the gradient (all but SGD, MOMENTUM, PROXIMAL_SGD, LARS and ROWWISE_LARS), a column that
 * only one row in n has is divided by the fourth root of n, too: else it moves as far as one that
 * all have. Where all rows have one length, as tf-idf makes them, such rules keep the relation of
 * the values of columns that not every row has; with several outputs these are multiplied by the
 * root of their mean square and by the fourth root of n, as a rare word means one of many classes.
 * With l2, which is of weights of columns as they are, none is changed.
 *
 * Of the description, loss, seed, no_bias, columns, device_memory and class weights are used,
 * progress for the training with all rows, and batch for steps; with a rate of NaN also optim,
 * schedule and l2.
 * The others must be as sparcl_train_init leaves them. `after` may be NULL. The model has notes
 * (sparcl_model_note) of what was chosen: "chosen_c" or "chosen_lr", "folds", "held_out_loss", and
 * "held_out_accuracy" and the one of `select`, where they are defined.
 *
 * Errors    as sparcl_train; E_ARG: also a metric that the loss does not have, and streamed data;
 * E_FORMAT: a single row; E_INTERRUPTED: by `after`. *model is then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_train_auto(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data,
                  const sparcl_train_desc *desc, sparcl_select select, sparcl_tried_fn after,
                  void *user, sparcl_auto_result *result, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
