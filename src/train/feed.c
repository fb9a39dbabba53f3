/* feed.c: provides batches of rows of a data set on the device. */
#include "train/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"

int64_t spc_feed_limit(const sparcl_ctx *ctx, int64_t requested) {
    if (requested > 0) return requested;
    return spc_max_i64(0, sparcl_ctx_device(ctx)->memory / 2 - sparcl_ctx_memory(ctx));
}

static int64_t index_bytes(const sparcl_data *data) {
    return sparcl_data_get_info(data)->entries *
           (int64_t)sparcl_itype_size(sparcl_data_index_type(data));
}

/* The bytes of offsets, and of indices, values and fields; of the order of a pass; of the numbers
 * of rows, twice. */
int64_t spc_feed_full_bytes(const spc_feed *feed) {
    const int64_t nnz = sparcl_data_get_info(feed->data)->entries;
    return (feed->rows + 1) * 8 + index_bytes(feed->data) + nnz * (feed->batch.fields > 0 ? 8 : 4) +
           feed->rows * (8 + 8 * feed->batch.number_count);
}

static bool fits(const spc_feed *feed, int64_t limit) {
    const int64_t largest = spc_max_i64((feed->rows + 1) * 8, index_bytes(feed->data));
    return !feed->rows_of_file && spc_feed_full_bytes(feed) <= limit &&
           largest <= sparcl_ctx_device(feed->ctx)->max_allocation;
}

/* Where the device shares memory with the host, the data set's arrays are used in place. */
static sparcl_status wrap(spc_feed *feed, sparcl_buf **buf, const void *host, int64_t bytes,
                          sparcl_error *error) {
    union {
        const void *in;
        void *out;
    } plain = {.in = host}; /* not written */
    return spc_core(feed->ctx, sparcl_buf_wrap(feed->ctx, buf, plain.out, bytes), error);
}

/* Part by part, so that the host keeps no copy. */
static sparcl_status put_scaled(spc_feed *feed, sparcl_error *error) {
    enum { PART = 1 << 20 };
    const sparcl_csr *const all = &feed->all;
    const char *const indices = sparcl_data_indices(feed->data);
    const size_t index = sparcl_itype_size(all->index_type);
    float *const part = malloc(PART * sizeof *part);
    sparcl_status status = part ? SPARCL_OK : spc_fail_memory(error, "scaled values", PART * 4);
    for (int64_t at = 0; status == SPARCL_OK && at < all->nnz; at += PART) {
        const int64_t count = spc_min_i64(PART, all->nnz - at);
        memcpy(part, sparcl_data_values(feed->data) + at, (size_t)count * sizeof *part);
        spc_scaling_values(feed->scaling, all->index_type, indices + (size_t)at * index, count,
                           part);
        status = spc_core(feed->ctx,
                          sparcl_buf_write(feed->ctx, all->values, at * 4, count * 4, part), error);
    }
    free(part);
    return status;
}

static sparcl_status put_values(spc_feed *feed, sparcl_error *error) {
    sparcl_csr *const all = &feed->all;
    if (!feed->scaling)
        return wrap(feed, &all->values, sparcl_data_values(feed->data), all->nnz * 4, error);
    SPC_TRY(spc_core(feed->ctx, sparcl_buf_create(feed->ctx, &all->values, all->nnz * 4), error));
    return put_scaled(feed, error);
}

static sparcl_status put_all(spc_feed *feed, sparcl_error *error) {
    const sparcl_data *data = feed->data;
    const int64_t nnz = sparcl_data_get_info(data)->entries;
    const int64_t longest = sparcl_data_get_info(data)->row_nnz_max;
    sparcl_csr *all = &feed->all;
    *all = (sparcl_csr){
        .rows = feed->rows,
        .cols = feed->batch.columns,
        .nnz = nnz,
        .offset_type = SPARCL_I64,
        .index_type = sparcl_data_index_type(data),
        .proof = {.flags = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE | SPARCL_TRUSTED,
                  .longest_row = longest <= UINT32_MAX ? (uint32_t)longest : 0}};
    SPC_TRY(wrap(feed, &all->offsets, sparcl_data_offsets(data), (feed->rows + 1) * 8, error));
    SPC_TRY(wrap(feed, &all->indices, sparcl_data_indices(data), index_bytes(data), error));
    SPC_TRY(put_values(feed, error));
    if (feed->batch.fields > 0)
        SPC_TRY(wrap(feed, &feed->all_fields, sparcl_data_fields(data), nnz * 4, error));
    for (int i = 0; i < feed->batch.number_count; ++i)
        SPC_TRY(wrap(feed, &feed->all_numbers[i], feed->numbers[i], feed->rows * 4, error));
    return SPARCL_OK;
}

sparcl_status spc_feed_open(spc_feed *feed, sparcl_ctx *ctx, const sparcl_data *data,
                            const spc_feed_desc *desc, int64_t limit, sparcl_error *error) {
    spc_feed_open_empty(feed, ctx, desc->columns, desc->weights != NULL);
    feed->data = data;
    feed->numbers[SPC_TARGETS] = desc->targets;
    feed->numbers[SPC_WEIGHTS] = desc->weights;
    feed->scaling = desc->scaling;
    feed->rows = sparcl_data_get_info(data)->rows;
    feed->batch.fields = desc->fields;
    feed->batch.x.index_type = sparcl_data_index_type(data);
    if (sparcl_data_get_info(data)->streamed)
        SPC_TRY(sparcl_row_reader_open(&feed->rows_of_file, data, error));
    feed->on_host = !fits(feed, limit);
    return feed->on_host ? SPARCL_OK : put_all(feed, error);
}

void spc_feed_open_empty(spc_feed *feed, sparcl_ctx *ctx, int64_t columns, bool has_weights) {
    *feed = (spc_feed){.ctx = ctx, .on_host = true};
    feed->batch =
        (spc_batch_memory){.ctx = ctx, .columns = columns, .number_count = has_weights ? 2 : 1};
}

void spc_feed_close(spc_feed *feed) {
    sparcl_csr_free(&feed->all);
    sparcl_buf_free(feed->all_fields);
    for (int i = 0; i < SPC_ROW_NUMBERS; ++i) {
        sparcl_buf_free(feed->all_numbers[i]);
        sparcl_buf_free(feed->pass_numbers[i]);
    }
    sparcl_list_free(&feed->list);
    spc_coming_close(&feed->coming);
    sparcl_row_reader_close(feed->rows_of_file);
    spc_batch_close(&feed->batch);
    memset(feed, 0, sizeof *feed);
}

static sparcl_status put(const spc_feed *feed, sparcl_buf **buf, const void *from, int64_t bytes,
                         sparcl_error *error) {
    return spc_core(feed->ctx,
                    *buf ? sparcl_buf_write(feed->ctx, *buf, 0, bytes, from)
                         : sparcl_buf_upload(feed->ctx, buf, from, bytes),
                    error);
}

/* Numbers in the order of the pass, so that those of a batch are a view. */
static sparcl_status put_in_order(spc_feed *feed, int numbers, const int64_t *order,
                                  sparcl_error *error) {
    const size_t bytes = (size_t)feed->rows * sizeof(float);
    float *const ordered = malloc(bytes + 1);
    if (!ordered) return spc_fail_memory(error, "the labels of a pass", bytes);
    for (int64_t i = 0; i < feed->rows; ++i)
        ordered[i] = feed->numbers[numbers][order[i]];
    const sparcl_status status =
        put(feed, &feed->pass_numbers[numbers], ordered, (int64_t)bytes, error);
    free(ordered);
    return status;
}

sparcl_status spc_feed_pass(spc_feed *feed, const int64_t *order, sparcl_error *error) {
    feed->order = order;
    spc_coming_reset(&feed->coming);
    if (feed->on_host || !order) return SPARCL_OK;
    sparcl_list *list = &feed->list;
    list->limit = feed->rows;
    list->index_type = SPARCL_I64;
    list->proof.flags = SPARCL_TRUSTED;
    SPC_TRY(put(feed, &list->indices, order, feed->rows * 8, error));
    for (int i = 0; i < feed->batch.number_count; ++i)
        SPC_TRY(put_in_order(feed, i, order, error));
    return SPARCL_OK;
}

/* --- batches ---------------------------------------------------------------------------------- */

static sparcl_status select_rows(const spc_feed *feed, sparcl_csr *to, const sparcl_csr *from,
                                 const sparcl_list *rows, sparcl_error *error) {
    return spc_core(feed->ctx, sparcl_csr_select_rows(feed->ctx, to, from, rows, NULL, 0), error);
}

static sparcl_list fields_of_all(const spc_feed *feed) {
    return (sparcl_list){.limit = feed->batch.fields,
                         .count = feed->all.nnz,
                         .index_type = SPARCL_I32,
                         .indices = feed->all_fields,
                         .proof = {.flags = SPARCL_TRUSTED | SPARCL_VALID}};
}

/* Alone, fields are as the values of a matrix, which are moved as they are; its indices are written
 * once more. */
static sparcl_status select_batch(spc_feed *feed, int64_t first, int64_t count, spc_inputs *in,
                                  sparcl_error *error) {
    spc_batch_memory *const m = &feed->batch;
    sparcl_list rows = feed->list;
    rows.count = count;
    rows.indices_at = first;
    const int64_t *const offsets = sparcl_data_offsets(feed->data);
    const sparcl_list fields = fields_of_all(feed);
    const spc_pass_rows pass = {feed->ctx, &feed->all,  m->fields > 0 ? &fields : NULL,
                                offsets,   feed->order, &feed->list,
                                feed->rows};
    int64_t nnz = -1;
    SPC_TRY(spc_coming_select(&feed->coming, &pass, first, count, &nnz, error));
    const bool is_alone = nnz < 0;
    if (is_alone) nnz = spc_batch_entries(offsets, feed->order, first, count);
    SPC_TRY(spc_batch_reserve(m, count, nnz, in, error));
    spc_batch_view_numbers(m, feed->pass_numbers, first, count, in);
    if (!is_alone) return spc_coming_take(&feed->coming, feed->ctx, first, in, error);
    if (m->fields > 0) {
        sparcl_csr from = feed->all, to = in->x;
        from.values = feed->all_fields;
        to.values = m->x_fields;
        SPC_TRY(select_rows(feed, &to, &from, &rows, error));
    }
    return select_rows(feed, &in->x, &feed->all, &rows, error);
}

/* Gather rows on the host and copy them to the device. The entries of streamed data come as they
 * stand in the file. */
static sparcl_status upload_rows(spc_feed *feed, const int64_t *order, int64_t first, int64_t rows,
                                 spc_inputs *in, sparcl_error *error) {
    const sparcl_csr_arrays from = spc_csr_arrays_of(feed->data);
    spc_batch_memory *const m = &feed->batch;
    SPC_TRY(spc_batch_gather(m, &from, feed->numbers, order, first, rows, in, error));
    if (feed->rows_of_file)
        SPC_TRY(sparcl_row_reader_read(feed->rows_of_file, first, rows, m->indices, m->values,
                                       m->entry_fields, error));
    if (feed->scaling)
        spc_scaling_values(feed->scaling, in->x.index_type, m->indices, in->x.nnz, m->values);
    return spc_batch_send(m, &in->x, error);
}

/* A slice is a view of the data set on the device; only its offsets are written, because they must
 * begin at 0. */
static sparcl_status view_slice(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                                sparcl_error *error) {
    const int64_t *const offsets = sparcl_data_offsets(feed->data) + first;
    spc_batch_memory *const m = &feed->batch;
    sparcl_csr x = feed->all;
    if (rows < feed->rows) {
        SPC_TRY(spc_batch_send_offsets(m, offsets, rows, in, error));
        x.rows = rows;
        x.nnz = offsets[rows] - offsets[0];
        x.indices_at = x.values_at = offsets[0];
        x.offset_type = m->x.offset_type;
        x.offsets = m->x.offsets;
    }
    in->x = x;
    spc_batch_view_fields(m, feed->all_fields, x.values_at, in);
    spc_batch_view_numbers(m, feed->all_numbers, first, rows, in);
    return SPARCL_OK;
}

sparcl_status spc_feed_slice(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error) {
    return feed->on_host ? upload_rows(feed, NULL, first, rows, in, error)
                         : view_slice(feed, first, rows, in, error);
}

sparcl_status spc_feed_batch(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error) {
    if (feed->on_host) return upload_rows(feed, feed->order, first, rows, in, error);
    return !feed->order && rows == feed->rows ? view_slice(feed, first, rows, in, error)
                                              : select_batch(feed, first, rows, in, error);
}
