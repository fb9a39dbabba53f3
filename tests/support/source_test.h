/* source_test.h: a callback that returns the batches of a data set. */
#ifndef TESTS_SOURCE_TEST_H
#define TESTS_SOURCE_TEST_H

#include "train_test.h"

/* Returns the batches of a data set as sparcl_train makes them. */
typedef struct handing {
    const sparcl_data *data;
    uint64_t seed;
    int64_t batch, calls;
    sparcl_itype index_type;
    bool as_stored;       /* the rows in their own order, not in that of a pass */
    const float *weights; /* of the rows of the data, or NULL */
    int64_t order[ROWS], offsets[ROWS + 1];
    int64_t wide[ROWS * COLUMNS];
    int32_t narrow[ROWS * COLUMNS];
    float values[ROWS * COLUMNS];
    double labels[ROWS];
    float batch_weights[ROWS];
} handing;

static inline sparcl_status hand_out(void *user, int64_t epoch, int64_t step, sparcl_batch *batch) {
    handing *h = user;
    const int64_t rows = sparcl_data_get_info(h->data)->rows, first = step * h->batch;
    const int64_t count = first + h->batch < rows ? h->batch : rows - first;
    const int64_t *offsets = sparcl_data_offsets(h->data);
    ++h->calls;
    if (step == 0) sparcl_train_order(h->seed, epoch, rows, h->order);
    for (int64_t i = 0; step == 0 && h->as_stored && i < rows; ++i)
        h->order[i] = i;
    int64_t at = 0;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t row = h->order[first + i];
        h->labels[i] = sparcl_data_labels(h->data)[row];
        if (h->weights) h->batch_weights[i] = h->weights[row];
        for (int64_t k = offsets[row]; k < offsets[row + 1]; ++k, ++at) {
            h->wide[at] = index_of(h->data, k);
            h->narrow[at] = (int32_t)h->wide[at];
            h->values[at] = sparcl_data_values(h->data)[k];
        }
        h->offsets[i + 1] = at;
    }
    *batch = (sparcl_batch){.rows = count,
                            .index_type = h->index_type,
                            .offsets = h->offsets,
                            .indices = h->index_type ? (void *)h->wide : (void *)h->narrow,
                            .values = h->values,
                            .labels = h->labels,
                            .weights = h->weights ? h->batch_weights : NULL};
    return SPARCL_OK;
}

static inline sparcl_batch_source source_of(handing *h, sparcl_loss loss) {
    static const double two[] = {-1, 1}, three[] = {-5, 2, 40};
    return (sparcl_batch_source){.next = hand_out,
                                 .user = h,
                                 .columns = COLUMNS,
                                 .steps = (ROWS + h->batch - 1) / h->batch,
                                 .index_base = 1,
                                 .labels = loss == SPARCL_LOSS_LOGISTIC  ? two
                                           : loss == SPARCL_LOSS_SOFTMAX ? three
                                                                         : NULL,
                                 .classes = loss == SPARCL_LOSS_LOGISTIC  ? 2
                                            : loss == SPARCL_LOSS_SOFTMAX ? 3
                                                                          : 0};
}

#endif
