/* feed.c: provides batches of rows of a data set from the place of its entries. */
#include "train/feed.h"

#include <string.h>

#include "base/error.h"
#include "base/size.h"

int64_t spc_feed_limit(const sparcl_ctx *ctx, int64_t requested) {
    if (requested > 0) return requested;
    return spc_max_i64(0, sparcl_ctx_device(ctx)->memory / 2 - sparcl_ctx_memory(ctx));
}

static int64_t index_bytes(const spc_feed *feed) {
    return sparcl_data_get_info(feed->data)->entries *
           (int64_t)sparcl_itype_size(feed->batch.x.index_type);
}

/* The bytes of offsets, and of indices, values and fields; of the order of a pass; of the numbers
 * of rows, twice. */
int64_t spc_feed_full_bytes(const spc_feed *feed) {
    const int64_t nnz = sparcl_data_get_info(feed->data)->entries;
    return (feed->rows + 1) * 8 + index_bytes(feed) + nnz * (feed->batch.fields > 0 ? 8 : 4) +
           feed->rows * (8 + 8 * feed->batch.number_count);
}

static const spc_feed_place *choose_place(const spc_feed *feed, int64_t limit) {
    const int64_t largest = spc_max_i64((feed->rows + 1) * 8, index_bytes(feed));
    if (sparcl_data_get_info(feed->data)->streamed) return &spc_feed_file;
    return spc_feed_full_bytes(feed) <= limit &&
                   largest <= sparcl_ctx_device(feed->ctx)->max_allocation
               ? &spc_feed_device
               : &spc_feed_host;
}

sparcl_status spc_feed_open(spc_feed *feed, sparcl_ctx *ctx, const sparcl_data *data,
                            const spc_feed_desc *desc, int64_t limit, sparcl_error *error) {
    *feed = (spc_feed){.ctx = ctx,
                       .data = data,
                       .rows = sparcl_data_get_info(data)->rows,
                       .numbers = {desc->targets, desc->weights},
                       .scaling = desc->scaling,
                       .batch = {.ctx = ctx,
                                 .columns = desc->columns,
                                 .fields = desc->fields,
                                 .number_count = desc->weights ? 2 : 1,
                                 .x = {.index_type = sparcl_data_index_type(data)}}};
    feed->place = choose_place(feed, limit);
    return feed->place->open ? feed->place->open(feed, error) : SPARCL_OK;
}

void spc_feed_close(spc_feed *feed) {
    if (feed->state) feed->place->close(feed->state);
    spc_batch_close(&feed->batch);
    memset(feed, 0, sizeof *feed);
}

int64_t spc_feed_bytes(const spc_feed *feed) {
    return feed->state && feed->place->bytes ? feed->place->bytes(feed->state) : 0;
}

sparcl_status spc_feed_pass(spc_feed *feed, const int64_t *order, sparcl_error *error) {
    feed->order = order;
    return order && feed->place->start ? feed->place->start(feed, error) : SPARCL_OK;
}

sparcl_status spc_feed_batch(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error) {
    return feed->place->rows(feed, feed->order, first, rows, in, error);
}

sparcl_status spc_feed_slice(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error) {
    return feed->place->rows(feed, NULL, first, rows, in, error);
}
