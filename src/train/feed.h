/* feed.h: batches of rows on the device: taken there from a data set that lies there, or gathered
 * on the host where the data set does not fit, or from a callback. The batches are the same. */
#ifndef SPC_TRAIN_FEED_H
#define SPC_TRAIN_FEED_H

#include <stdbool.h>

#include "base/macros.h"
#include "sparcl/sparcl.h"
#include "sparcl/train.h"

typedef struct spc_feed {
    sparcl_ctx *ctx;
    const sparcl_data *data; /* NULL: batches come from the caller's callback */
    const float *targets;    /* [rows] what the loss takes as labels */
    int64_t rows, columns;
    bool on_host;
    const int64_t *order; /* of the pass in work; NULL: as stored */
    /* on the device */
    sparcl_csr all;
    sparcl_dense all_targets;
    sparcl_list list; /* `order` there */
    /* a batch */
    sparcl_csr capacity;
    sparcl_dense target_capacity;
    /* staging on the host */
    void *offsets, *indices;
    float *values, *target_values;
    int64_t staged_rows, staged_nnz;
} spc_feed;

/* Bytes that data may take on the device: as told, or (0) half of what the device has, less what
 * the context holds there by now. */
int64_t spc_feed_limit(const sparcl_ctx *ctx, int64_t told);

/*
 * Open on a data set; `targets` must stay. Data that would take more than `limit` bytes stay on the
 * host. Close also after a failure.
 */
sparcl_status spc_feed_open(spc_feed *feed, sparcl_ctx *ctx, const sparcl_data *data,
                            const float *targets, int64_t columns, int64_t limit,
                            sparcl_error *error);
/* What the whole data set takes on the device, batches apart; and what it takes there now. */
int64_t spc_feed_whole_bytes(const spc_feed *feed);
int64_t spc_feed_bytes(const spc_feed *feed);
/* Open for batches that come from elsewhere. */
void spc_feed_open_empty(spc_feed *feed, sparcl_ctx *ctx, int64_t columns);
void spc_feed_close(spc_feed *feed);

/* Take rows in this order from now on; it must stay. NULL: as stored. */
sparcl_status spc_feed_pass(spc_feed *feed, const int64_t *order, sparcl_error *error);

/* Rows first .. first + rows - 1 of the order; the views hold until the next batch. */
sparcl_status spc_feed_batch(spc_feed *feed, int64_t first, int64_t rows, sparcl_csr *x,
                             sparcl_dense *y, sparcl_error *error);

/* Rows first .. first + rows - 1 as stored, whatever the order of the pass; else the same. */
sparcl_status spc_feed_slice(spc_feed *feed, int64_t first, int64_t rows, sparcl_csr *x,
                             sparcl_dense *y, sparcl_error *error);

/* What a data set's reader guarantees, a callback's batch must be asked for. E_FORMAT. */
sparcl_status spc_feed_check(const spc_feed *feed, const sparcl_batch *batch, sparcl_error *error);
/* A batch of the caller's, checked before. */
sparcl_status spc_feed_take(spc_feed *feed, const sparcl_batch *batch, const float *targets,
                            sparcl_csr *x, sparcl_dense *y, sparcl_error *error);

#endif
