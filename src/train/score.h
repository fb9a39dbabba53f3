/* score.h: applying weights to a data set: scores, losses, predictions. */
#ifndef SPC_TRAIN_SCORE_H
#define SPC_TRAIN_SCORE_H

#include <stdbool.h>

#include "train/feed.h"

/* Weights on the device to apply; bias.rank is 0 where there is none. */
typedef struct spc_weights {
    sparcl_loss loss;
    sparcl_dense weights, bias;
} spc_weights;

/*
 * The rows are gone through in slices. A slice ends after so many scores, and before it has more
 * than so many entries unless it is one row: little enough for the device whatever the data set.
 * The same for data on the device and on the host, since the sum of a slice's losses is rounded.
 */
enum { SPC_SLICE_SCORES = 262144, SPC_SLICE_ENTRIES = 262144 };

/* What to fetch for each row, NULL where not expected: the first score with bias, the predicted
 * class (the value for squared loss), its probability; and the mean loss. */
typedef struct spc_scores {
    float *score, *label, *p;
    double *mean_loss;
} spc_scores;

/* Go once over the rows of a feed, in the order stored. */
sparcl_status spc_score(spc_feed *feed, const spc_weights *weights, const spc_scores *wanted,
                        sparcl_error *error);

#endif
