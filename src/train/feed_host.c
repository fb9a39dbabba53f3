/* feed_host.c: rows that are gathered on the host, from memory or a file, and copied to the device.
 */
#include "base/error.h"
#include "train/feed.h"

/* Without entries where the data have none in memory. */
static sparcl_status gather(spc_feed *feed, const int64_t *order, int64_t first, int64_t rows,
                            spc_inputs *in, sparcl_error *error) {
    const sparcl_csr_arrays from = spc_csr_arrays_of(feed->data);
    return spc_batch_gather(&feed->batch, &from, feed->numbers, order, first, rows, in, error);
}

static sparcl_status send(const spc_feed *feed, const sparcl_csr *x, sparcl_error *error) {
    const spc_batch_memory *const m = &feed->batch;
    if (feed->scaling)
        spc_scaling_values(feed->scaling, x->index_type, m->indices, x->nnz, m->values);
    return spc_batch_send(m, x, error);
}

static sparcl_status host_rows(spc_feed *feed, const int64_t *order, int64_t first, int64_t rows,
                               spc_inputs *in, sparcl_error *error) {
    SPC_TRY(gather(feed, order, first, rows, in, error));
    return send(feed, &in->x, error);
}

static sparcl_status open_file(spc_feed *feed, sparcl_error *error) {
    sparcl_row_reader *reader;
    SPC_TRY(sparcl_row_reader_open(&reader, feed->data, error));
    feed->state = reader;
    return SPARCL_OK;
}

static sparcl_status file_rows(spc_feed *feed, const int64_t *order, int64_t first, int64_t rows,
                               spc_inputs *in, sparcl_error *error) {
    const spc_batch_memory *const m = &feed->batch;
    SPC_TRY(gather(feed, order, first, rows, in, error));
    SPC_TRY(sparcl_row_reader_read(feed->state, first, rows, m->indices, m->values, m->entry_fields,
                                   error));
    return send(feed, &in->x, error);
}

static void close_file(void *state) {
    sparcl_row_reader_close(state);
}

const spc_feed_place spc_feed_host = {.on_host = true, .rows = host_rows};
const spc_feed_place spc_feed_file = {
    .on_host = true, .open = open_file, .rows = file_rows, .close = close_file};
