/* feed.c: provides batches of rows on the device. */
#include "train/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"

static const uint32_t good = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;

int64_t spc_feed_limit(const sparcl_ctx *ctx, int64_t requested) {
    if (requested > 0) return requested;
    return spc_max_i64(0, sparcl_ctx_device(ctx)->memory / 2 - sparcl_ctx_memory(ctx));
}

/* The bytes of offsets, and of indices, values and fields; of the order of a pass; of the numbers
 * of rows, twice. */
int64_t spc_feed_full_bytes(const spc_feed *feed) {
    const int64_t nnz = sparcl_data_get_info(feed->data)->entries;
    const int64_t index = (int64_t)sparcl_itype_size(sparcl_data_index_type(feed->data));
    const int64_t entry = index + 4 + (feed->fields > 0 ? 4 : 0);
    return (feed->rows + 1) * 8 + nnz * entry + feed->rows * (8 + 8 * feed->number_count);
}

int64_t spc_feed_bytes(const spc_feed *feed) {
    return feed->on_host ? 0 : spc_feed_full_bytes(feed);
}

static bool fits(const spc_feed *feed, int64_t limit) {
    const int64_t nnz = sparcl_data_get_info(feed->data)->entries;
    const int64_t index = (int64_t)sparcl_itype_size(sparcl_data_index_type(feed->data));
    const int64_t largest = spc_max_i64((feed->rows + 1) * 8, nnz * index);
    if (feed->rows_of_file) return false;
    return spc_feed_full_bytes(feed) <= limit &&
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
    *all = (sparcl_csr){.rows = feed->rows,
                        .cols = feed->columns,
                        .nnz = nnz,
                        .offset_type = SPARCL_I64,
                        .index_type = sparcl_data_index_type(data),
                        .proof = {.flags = good | SPARCL_TRUSTED,
                                  .longest_row = longest <= UINT32_MAX ? (uint32_t)longest : 0}};
    const int64_t index_bytes = nnz * (int64_t)sparcl_itype_size(all->index_type);
    SPC_TRY(wrap(feed, &all->offsets, sparcl_data_offsets(data), (feed->rows + 1) * 8, error));
    SPC_TRY(wrap(feed, &all->indices, sparcl_data_indices(data), index_bytes, error));
    SPC_TRY(put_values(feed, error));
    if (feed->fields > 0)
        SPC_TRY(wrap(feed, &feed->all_fields, sparcl_data_fields(data), nnz * 4, error));
    for (int i = 0; i < feed->number_count; ++i) {
        spc_row_numbers *const n = &feed->numbers[i];
        n->all = (sparcl_dense){.rank = 1, .shape = {feed->rows}};
        SPC_TRY(wrap(feed, &n->all.values, n->host, feed->rows * 4, error));
    }
    return SPARCL_OK;
}

sparcl_status spc_feed_open(spc_feed *feed, sparcl_ctx *ctx, const sparcl_data *data,
                            const spc_feed_desc *desc, int64_t limit, sparcl_error *error) {
    spc_feed_open_empty(feed, ctx, desc->columns, desc->weights != NULL);
    feed->data = data;
    feed->numbers[SPC_TARGETS].host = desc->targets;
    feed->numbers[SPC_WEIGHTS].host = desc->weights;
    feed->fields = desc->fields;
    feed->scaling = desc->scaling;
    feed->rows = sparcl_data_get_info(data)->rows;
    feed->batch.index_type = sparcl_data_index_type(data);
    if (sparcl_data_get_info(data)->streamed)
        SPC_TRY(sparcl_row_reader_open(&feed->rows_of_file, data, error));
    feed->on_host = !fits(feed, limit);
    return feed->on_host ? SPARCL_OK : put_all(feed, error);
}

void spc_feed_open_empty(spc_feed *feed, sparcl_ctx *ctx, int64_t columns, bool has_weights) {
    *feed = (spc_feed){
        .ctx = ctx, .columns = columns, .on_host = true, .number_count = has_weights ? 2 : 1};
}

void spc_feed_close(spc_feed *feed) {
    sparcl_csr_free(&feed->all);
    sparcl_csr_free(&feed->batch);
    sparcl_buf_free(feed->all_fields);
    sparcl_buf_free(feed->batch_fields);
    for (int i = 0; i < SPC_ROW_NUMBERS; ++i) {
        sparcl_dense_free(&feed->numbers[i].all);
        sparcl_dense_free(&feed->numbers[i].pass);
        sparcl_dense_free(&feed->numbers[i].batch);
        free(feed->numbers[i].staged);
    }
    sparcl_list_free(&feed->list);
    free(feed->offsets);
    free(feed->indices);
    free(feed->values);
    free(feed->staged_fields);
    sparcl_row_reader_close(feed->rows_of_file);
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
static sparcl_status put_in_order(const spc_feed *feed, spc_row_numbers *n, const int64_t *order,
                                  sparcl_error *error) {
    const size_t bytes = (size_t)feed->rows * sizeof(float);
    float *const ordered = malloc(bytes + 1);
    if (!ordered) return spc_fail_memory(error, "the labels of a pass", bytes);
    for (int64_t i = 0; i < feed->rows; ++i)
        ordered[i] = n->host[order[i]];
    n->pass = (sparcl_dense){.rank = 1, .shape = {feed->rows}, .values = n->pass.values};
    const sparcl_status status = put(feed, &n->pass.values, ordered, (int64_t)bytes, error);
    free(ordered);
    return status;
}

sparcl_status spc_feed_pass(spc_feed *feed, const int64_t *order, sparcl_error *error) {
    feed->order = order;
    if (feed->on_host || !order) return SPARCL_OK;
    sparcl_list *list = &feed->list;
    list->limit = feed->rows;
    list->index_type = SPARCL_I64;
    list->proof.flags = SPARCL_TRUSTED;
    SPC_TRY(put(feed, &list->indices, order, feed->rows * 8, error));
    for (int i = 0; i < feed->number_count; ++i)
        SPC_TRY(put_in_order(feed, &feed->numbers[i], order, error));
    return SPARCL_OK;
}

/* Reserve memory for a batch on the device, with spare capacity, so that it seldom grows. */
static sparcl_status reserve(spc_feed *feed, int64_t rows, int64_t nnz, sparcl_error *error) {
    sparcl_csr *batch = &feed->batch;
    batch->offset_type = SPARCL_I32;
    if (nnz > INT32_MAX) batch->offset_type = SPARCL_I64;
    const int64_t offset = 8, index = (int64_t)sparcl_itype_size(batch->index_type);
    SPC_TRY(spc_grow(feed->ctx, &batch->offsets, (rows + 1) * offset, error));
    for (int i = 0; i < feed->number_count; ++i)
        SPC_TRY(spc_grow(feed->ctx, &feed->numbers[i].batch.values, rows * 4, error));
    if (nnz <= batch->nnz) return SPARCL_OK;
    const int64_t more = nnz + nnz / 8;
    SPC_TRY(spc_grow(feed->ctx, &batch->indices, more * index, error));
    SPC_TRY(spc_grow(feed->ctx, &batch->values, more * 4, error));
    if (feed->fields > 0) SPC_TRY(spc_grow(feed->ctx, &feed->batch_fields, more * 4, error));
    batch->nnz = more;
    return SPARCL_OK;
}

/* The fields of the entries of in->x, from a position of a buffer on. */
static void view_fields(const spc_feed *feed, sparcl_buf *buf, int64_t at, spc_inputs *in) {
    if (feed->fields == 0) return;
    in->fields = (sparcl_list){.limit = feed->fields,
                               .count = in->x.nnz,
                               .index_type = SPARCL_I32,
                               .indices = buf,
                               .indices_at = at,
                               .proof = {.flags = SPARCL_TRUSTED | SPARCL_VALID}};
}

/* The views of a row's numbers: `count` of them from `first` on. */
static void number_views(const spc_feed *feed, const sparcl_dense *of[SPC_ROW_NUMBERS],
                         int64_t first, int64_t count, spc_inputs *in) {
    sparcl_dense *const views[SPC_ROW_NUMBERS] = {&in->labels, &in->weights};
    for (int i = 0; i < feed->number_count; ++i)
        *views[i] = (sparcl_dense){
            .rank = 1, .shape = {count}, .values = of[i]->values, .values_at = first};
}

static void views_of_all(const spc_feed *feed, int64_t first, int64_t count, spc_inputs *in) {
    const sparcl_dense *of[] = {&feed->numbers[0].all, &feed->numbers[1].all};
    number_views(feed, of, first, count, in);
}

/* The views of a batch of this size in the reserved memory. */
static void batch_views(const spc_feed *feed, int64_t rows, int64_t nnz, spc_inputs *in) {
    const sparcl_dense *of[] = {&feed->numbers[0].batch, &feed->numbers[1].batch};
    in->x = feed->batch;
    in->x.rows = rows;
    in->x.cols = feed->columns;
    in->x.nnz = nnz;
    view_fields(feed, feed->batch_fields, 0, in);
    number_views(feed, of, 0, rows, in);
}

static int64_t entries_of(const spc_feed *feed, const int64_t *order, int64_t first, int64_t rows) {
    const int64_t *offsets = sparcl_data_offsets(feed->data);
    int64_t nnz = 0;
    if (!order) return offsets[first + rows] - offsets[first];
    for (int64_t i = first; i < first + rows; ++i)
        nnz += offsets[order[i] + 1] - offsets[order[i]];
    return nnz;
}

/* As the values of a matrix, which are moved as they are; its indices are written once more. */
static sparcl_status select_fields(const spc_feed *feed, const sparcl_list *rows,
                                   const sparcl_csr *x, sparcl_error *error) {
    sparcl_csr from = feed->all, to = *x;
    from.values = feed->all_fields;
    to.values = feed->batch_fields;
    return spc_core(feed->ctx, sparcl_csr_select_rows(feed->ctx, &to, &from, rows, NULL, 0), error);
}

static sparcl_status select_batch(const spc_feed *feed, int64_t first, spc_inputs *in,
                                  sparcl_error *error) {
    const sparcl_dense *of[] = {&feed->numbers[0].pass, &feed->numbers[1].pass};
    sparcl_list rows = feed->list;
    rows.count = in->x.rows;
    rows.indices_at = first;
    number_views(feed, of, first, rows.count, in);
    if (feed->fields > 0) SPC_TRY(select_fields(feed, &rows, &in->x, error));
    return spc_core(feed->ctx,
                    sparcl_csr_select_rows(feed->ctx, &in->x, &feed->all, &rows, NULL, 0), error);
}

static bool reserve_row_staging(spc_feed *feed, int64_t rows) {
    free(feed->offsets);
    feed->offsets = malloc(((size_t)rows + 1) * 8);
    bool has_all = feed->offsets;
    for (int i = 0; i < feed->number_count; ++i) {
        free(feed->numbers[i].staged);
        feed->numbers[i].staged = malloc((size_t)rows * sizeof(float));
        has_all = has_all && feed->numbers[i].staged;
    }
    feed->staged_rows = has_all ? rows : 0;
    return has_all;
}

static sparcl_status reserve_staging(spc_feed *feed, int64_t rows, int64_t nnz,
                                     sparcl_error *error) {
    if (rows > feed->staged_rows && !reserve_row_staging(feed, rows))
        return spc_fail_memory(error, "a batch on the host", (size_t)rows * 16);
    if (nnz > feed->staged_nnz) {
        free(feed->indices);
        free(feed->values);
        feed->indices = malloc((size_t)nnz * sparcl_itype_size(feed->batch.index_type));
        feed->values = malloc((size_t)nnz * sizeof(float));
        free(feed->staged_fields);
        feed->staged_fields = feed->fields > 0 ? malloc((size_t)nnz * sizeof(int32_t)) : NULL;
        const bool has_all =
            feed->indices && feed->values && (feed->staged_fields || feed->fields == 0);
        feed->staged_nnz = has_all ? nnz : 0;
    }
    if (nnz > feed->staged_nnz)
        return spc_fail_memory(error, "a batch on the host", (size_t)nnz * 8);
    return SPARCL_OK;
}

static void stage_offset(spc_feed *feed, int64_t at, int64_t offset) {
    if (feed->batch.offset_type == SPARCL_I64)
        ((int64_t *)feed->offsets)[at] = offset;
    else
        ((int32_t *)feed->offsets)[at] = (int32_t)offset;
}

/* Copy the staged batch to the device. */
static sparcl_status send(const spc_feed *feed, const sparcl_csr *x, sparcl_error *error) {
    sparcl_ctx *ctx = feed->ctx;
    const int64_t offset = (int64_t)sparcl_itype_size(x->offset_type);
    const int64_t index = (int64_t)sparcl_itype_size(x->index_type);
    SPC_TRY(spc_core(
        ctx, sparcl_buf_write(ctx, x->offsets, 0, (x->rows + 1) * offset, feed->offsets), error));
    SPC_TRY(
        spc_core(ctx, sparcl_buf_write(ctx, x->indices, 0, x->nnz * index, feed->indices), error));
    SPC_TRY(spc_core(ctx, sparcl_buf_write(ctx, x->values, 0, x->nnz * 4, feed->values), error));
    if (feed->fields > 0)
        SPC_TRY(spc_core(
            ctx, sparcl_buf_write(ctx, feed->batch_fields, 0, x->nnz * 4, feed->staged_fields),
            error));
    for (int i = 0; i < feed->number_count; ++i) {
        const spc_row_numbers *const n = &feed->numbers[i];
        SPC_TRY(spc_core(ctx, sparcl_buf_write(ctx, n->batch.values, 0, x->rows * 4, n->staged),
                         error));
    }
    return SPARCL_OK;
}

/* Gather the entries of a batch on the host, row by row. */
static void stage_entries(spc_feed *feed, const int64_t *order, int64_t first, int64_t rows) {
    const int64_t *offsets = sparcl_data_offsets(feed->data);
    const char *indices = sparcl_data_indices(feed->data);
    const float *values = sparcl_data_values(feed->data);
    const size_t index = sparcl_itype_size(feed->batch.index_type);
    int64_t at = 0;
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t row = order ? order[first + i] : first + i;
        const int64_t begin = offsets[row], length = offsets[row + 1] - begin;
        if (length == 0) continue;
        memcpy((char *)feed->indices + (size_t)at * index, indices + (size_t)begin * index,
               (size_t)length * index);
        memcpy(feed->values + at, values + begin, (size_t)length * sizeof(float));
        if (feed->fields > 0)
            memcpy(feed->staged_fields + at, sparcl_data_fields(feed->data) + begin,
                   (size_t)length * sizeof(int32_t));
        at += length;
    }
}

/* The offsets and the numbers of the rows. */
static void stage_rows(spc_feed *feed, const int64_t *order, int64_t first, int64_t rows) {
    const int64_t *offsets = sparcl_data_offsets(feed->data);
    int64_t at = 0;
    stage_offset(feed, 0, 0);
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t row = order ? order[first + i] : first + i;
        for (int k = 0; k < feed->number_count; ++k)
            feed->numbers[k].staged[i] = feed->numbers[k].host[row];
        at += offsets[row + 1] - offsets[row];
        stage_offset(feed, i + 1, at);
    }
}

/* Gather a batch on the host and copy it to the device. */
static sparcl_status upload_rows(spc_feed *feed, const int64_t *order, int64_t first, sparcl_csr *x,
                                 sparcl_error *error) {
    x->proof.flags = good | SPARCL_TRUSTED;
    SPC_TRY(reserve_staging(feed, x->rows, x->nnz, error));
    stage_rows(feed, order, first, x->rows);
    if (!feed->rows_of_file)
        stage_entries(feed, order, first, x->rows);
    else /* they come as they stand in the file */
        SPC_TRY(sparcl_row_reader_read(feed->rows_of_file, first, x->rows, feed->indices,
                                       feed->values, feed->staged_fields, error));
    if (feed->scaling)
        spc_scaling_values(feed->scaling, x->index_type, feed->indices, x->nnz, feed->values);
    return send(feed, x, error);
}

/* Views of the complete data set on the device. */
static sparcl_status view_all(const spc_feed *feed, spc_inputs *in) {
    in->x = feed->all;
    view_fields(feed, feed->all_fields, 0, in);
    views_of_all(feed, 0, feed->rows, in);
    return SPARCL_OK;
}

sparcl_status spc_feed_batch(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error) {
    if (!feed->on_host && !feed->order && rows == feed->rows) return view_all(feed, in);
    const int64_t nnz = entries_of(feed, feed->order, first, rows);
    SPC_TRY(reserve(feed, rows, nnz, error));
    batch_views(feed, rows, nnz, in);
    return feed->on_host ? upload_rows(feed, feed->order, first, &in->x, error)
                         : select_batch(feed, first, in, error);
}

/* On the device, a slice is a view of the data set; only its offsets are written, because they must
 * begin at 0. */
static sparcl_status view_slice(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                                sparcl_error *error) {
    const int64_t *offsets = sparcl_data_offsets(feed->data) + first;
    sparcl_csr *const x = &in->x;
    SPC_TRY(reserve(feed, rows, 0, error));
    SPC_TRY(reserve_staging(feed, rows, 0, error));
    *x = feed->all;
    x->rows = rows;
    x->nnz = offsets[rows] - offsets[0];
    x->indices_at = x->values_at = offsets[0];
    x->offset_type = feed->batch.offset_type = x->nnz > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
    x->offsets = feed->batch.offsets;
    view_fields(feed, feed->all_fields, offsets[0], in);
    views_of_all(feed, first, rows, in);
    for (int64_t i = 0; i <= rows; ++i)
        stage_offset(feed, i, offsets[i] - offsets[0]);
    const int64_t bytes = (rows + 1) * (int64_t)sparcl_itype_size(x->offset_type);
    return spc_core(feed->ctx, sparcl_buf_write(feed->ctx, x->offsets, 0, bytes, feed->offsets),
                    error);
}

sparcl_status spc_feed_slice(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error) {
    if (!feed->on_host && rows == feed->rows) return view_all(feed, in);
    if (!feed->on_host) return view_slice(feed, first, rows, in, error);
    const int64_t nnz = entries_of(feed, NULL, first, rows);
    SPC_TRY(reserve(feed, rows, nnz, error));
    batch_views(feed, rows, nnz, in);
    return upload_rows(feed, NULL, first, &in->x, error);
}

static sparcl_status check_offsets(const sparcl_batch *batch, sparcl_error *error) {
    if (batch->rows < 1 || !batch->offsets || !batch->labels)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "batch: rows is %lld, expected at least 1, with offsets and labels",
                        (long long)batch->rows);
    for (int64_t i = 0; i < batch->rows; ++i)
        if ((i == 0 && batch->offsets[0] != 0) || batch->offsets[i + 1] < batch->offsets[i])
            return spc_fail(
                error, SPARCL_E_FORMAT,
                "batch: offsets of row %lld are %lld to %lld, expected to ascend from 0",
                (long long)i, (long long)batch->offsets[i], (long long)batch->offsets[i + 1]);
    return SPARCL_OK;
}

sparcl_status spc_feed_check(const spc_feed *feed, const sparcl_batch *batch, sparcl_error *error) {
    SPC_TRY(check_offsets(batch, error));
    if (batch->index_type != SPARCL_I32 && batch->index_type != SPARCL_I64)
        return spc_fail(error, SPARCL_E_FORMAT, "batch: index type is %d, expected a sparcl_itype",
                        (int)batch->index_type);
    if (batch->offsets[batch->rows] > 0 && (!batch->indices || !batch->values))
        return spc_fail(error, SPARCL_E_FORMAT, "batch: %lld entries without indices or values",
                        (long long)batch->offsets[batch->rows]);
    for (int64_t i = 0; i < batch->rows; ++i) {
        int64_t before = -1;
        for (int64_t k = batch->offsets[i]; k < batch->offsets[i + 1]; ++k) {
            const int64_t index = batch->index_type == SPARCL_I64
                                      ? ((const int64_t *)batch->indices)[k]
                                      : ((const int32_t *)batch->indices)[k];
            if (index <= before || index >= feed->columns)
                return spc_fail(
                    error, SPARCL_E_FORMAT,
                    "batch: index %lld in row %lld: indices must ascend and be below %lld",
                    (long long)index, (long long)i, (long long)feed->columns);
            before = index;
        }
    }
    return SPARCL_OK;
}

sparcl_status spc_feed_upload(spc_feed *feed, const sparcl_batch *batch,
                              const float *const numbers[SPC_ROW_NUMBERS], spc_inputs *in,
                              sparcl_error *error) {
    const int64_t rows = batch->rows, nnz = batch->offsets[rows];
    if (batch->index_type != feed->batch.index_type) {
        sparcl_buf_free(feed->batch.indices);
        feed->batch.indices = NULL;
        feed->batch.nnz = feed->staged_nnz = 0;
        feed->batch.index_type = batch->index_type;
    }
    SPC_TRY(reserve(feed, rows, nnz, error));
    SPC_TRY(reserve_staging(feed, rows, nnz, error));
    batch_views(feed, rows, nnz, in);
    stage_offset(feed, 0, 0);
    for (int64_t i = 0; i < rows; ++i)
        stage_offset(feed, i + 1, batch->offsets[i + 1]);
    if (nnz > 0) {
        memcpy(feed->indices, batch->indices, (size_t)nnz * sparcl_itype_size(batch->index_type));
        memcpy(feed->values, batch->values, (size_t)nnz * sizeof(float));
    }
    for (int i = 0; i < feed->number_count; ++i)
        memcpy(feed->numbers[i].staged, numbers[i], (size_t)rows * sizeof(float));
    in->x.proof.flags = good | SPARCL_TRUSTED;
    return send(feed, &in->x, error);
}
