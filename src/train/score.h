/* score.h: applies weights to a data set: scores, losses, predictions. */
#ifndef SPC_TRAIN_SCORE_H
#define SPC_TRAIN_SCORE_H

#include <stdbool.h>

#include "train/feed.h"

/* Weights on the device; bias.rank is 0 without a bias. */
typedef struct spc_weights {
    sparcl_loss loss;
    sparcl_dense weights, bias;
} spc_weights;

/*
 * The rows are processed in slices. A slice has at most this many scores and entries, or is a
 * single row, so that it fits on the device for any data set. The slices are the same for data on
 * the device and on the host, because the sum of a slice's losses is rounded.
 */
enum { SPC_SLICE_SCORES = 262144, SPC_SLICE_ENTRIES = 262144 };

/* The arrays for the results of each row, NULL: not requested: the first score with bias, the
 * predicted class (the value for squared loss), its probability; and the mean loss. */
typedef struct spc_scores {
    float *score, *label, *p;
    double *mean_loss;
} spc_scores;

/* Process the rows of a feed once, in the order stored. */
sparcl_status spc_score(spc_feed *feed, const spc_weights *weights, const spc_scores *out,
                        sparcl_error *error);

#endif
