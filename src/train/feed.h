/* feed.h: provides batches of rows of a data set on the device. They are selected there, or
 * gathered on the host where the data set does not fit. The batches are the same. */
#ifndef SPC_TRAIN_FEED_H
#define SPC_TRAIN_FEED_H

#include <stdbool.h>

#include "sparcl/data.h"
#include "train/batch_memory.h"
#include "train/coming.h"
#include "train/scaling.h"

typedef struct spc_feed {
    sparcl_ctx *ctx;
    const sparcl_data *data; /* NULL: batches come from the caller's callback */
    int64_t rows;
    const float *numbers[SPC_ROW_NUMBERS]; /* [rows] */
    const spc_scaling *scaling;            /* of the values; NULL: as they are */
    bool on_host;
    sparcl_row_reader *rows_of_file; /* of streamed data; else NULL */
    const int64_t *order;            /* row order of the current pass; NULL: as stored */
    /* the data set on the device */
    sparcl_csr all;
    sparcl_buf *all_fields, *all_numbers[SPC_ROW_NUMBERS];
    sparcl_list list; /* `order` on the device, and the numbers in it */
    sparcl_buf *pass_numbers[SPC_ROW_NUMBERS];
    spc_batch_memory batch;
    spc_coming coming;
} spc_feed;

/* Bytes that data may use on the device: as requested, or (0) half of the device's memory, minus
 * what the context uses now. */
int64_t spc_feed_limit(const sparcl_ctx *ctx, int64_t requested);

/* What a feed gives beside the entries of data. */
typedef struct spc_feed_desc {
    const float *targets, *weights; /* [rows], which must stay valid; weights NULL: none */
    int64_t columns;
    int64_t fields; /* more than the largest field of an entry; 0: fields are not read */
    const spc_scaling *scaling; /* of the values, which must stay valid; NULL: as they are */
} spc_feed_desc;

/* Open for a data set. Data that need more than `limit` bytes stay on the host. Close also after a
 * failure. */
sparcl_status spc_feed_open(spc_feed *feed, sparcl_ctx *ctx, const sparcl_data *data,
                            const spc_feed_desc *desc, int64_t limit, sparcl_error *error);
/* Bytes of the complete data set on the device, without batches. */
int64_t spc_feed_full_bytes(const spc_feed *feed);
/* Open for batches of a callback, which are put together in feed->batch. */
void spc_feed_open_empty(spc_feed *feed, sparcl_ctx *ctx, int64_t columns, bool has_weights);
void spc_feed_close(spc_feed *feed);

/* Set the row order of the next batches; the array must stay valid. NULL: as stored. */
sparcl_status spc_feed_pass(spc_feed *feed, const int64_t *order, sparcl_error *error);

/* Rows first .. first + rows - 1 of the order: x, labels and weights. The views are valid until the
 * next batch. */
sparcl_status spc_feed_batch(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error);

/* As spc_feed_batch, for rows first .. first + rows - 1 as stored, for any order of the pass. */
sparcl_status spc_feed_slice(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error);

#endif
