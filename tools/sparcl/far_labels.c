/* far_labels.c: labels whose scale or mean is far from that of the first weights of a model. */
#include "far_labels.h"

#include <math.h>

static label_spread measure(const double *labels, int64_t count) {
    double mean = 0, squares = 0; /* Welford */
    for (int64_t i = 0; i < count; i++) {
        const double from_mean = labels[i] - mean;
        mean += from_mean / (double)(i + 1);
        squares += from_mean * (labels[i] - mean);
    }
    return (label_spread){mean, sqrt(squares / (double)count)};
}

bool has_far_labels(const sparcl_data *data, const sparcl_architecture *kind, sparcl_loss loss,
                    label_spread *found) {
    static const double far = 10;
    const double *const labels = sparcl_data_labels(data);
    const int64_t count = sparcl_data_get_info(data)->label_count;
    if (kind->task != SPARCL_TASK_LABELS || loss != SPARCL_LOSS_SQUARED || !labels || count == 0)
        return false;
    *found = measure(labels, count);
    return fabs(found->mean) > far || found->deviation > far;
}
