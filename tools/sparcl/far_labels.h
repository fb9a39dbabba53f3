/* far_labels.h: labels whose scale or mean is far from that of the first weights of a model. */
#ifndef SPARCL_TOOL_FAR_LABELS_H
#define SPARCL_TOOL_FAR_LABELS_H

#include <stdbool.h>

#include "sparcl/data.h"
#include "sparcl/train.h"

typedef struct label_spread {
    double mean, deviation;
} label_spread;

/* Whether numbers are predicted whose mean or standard deviation is more than ten: steps of usual
 * rates are of the order of one. */
bool has_far_labels(const sparcl_data *data, const sparcl_architecture *kind, sparcl_loss loss,
                    label_spread *found);

#endif
