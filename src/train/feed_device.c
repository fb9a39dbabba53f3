/* feed_device.c: batches of rows of a data set that is on the device, where they are selected. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "sparcl/ops/products.h"
#include "train/feed.h"

/* The next batches of a pass, selected together. */
typedef struct coming {
    sparcl_batches *batches;
    sparcl_pattern *pattern; /* of the batch that was taken */
    int64_t batch_rows;
    int64_t first, rows; /* rows of the pass that were selected; rows 0: none */
    int64_t *entries;    /* [counted] of each batch from row counted_first on */
    int64_t counted_first, counted, capacity;
} coming;

typedef struct device_rows {
    sparcl_csr all;
    sparcl_buf *fields, *numbers[SPC_ROW_NUMBERS];
    sparcl_list list; /* the order of a pass, and the numbers in it */
    sparcl_buf *pass_numbers[SPC_ROW_NUMBERS];
    coming coming;
} device_rows;

static void close_rows(void *state) {
    device_rows *const d = state;
    sparcl_csr_free(&d->all);
    sparcl_buf_free(d->fields);
    for (int i = 0; i < SPC_ROW_NUMBERS; ++i) {
        sparcl_buf_free(d->numbers[i]);
        sparcl_buf_free(d->pass_numbers[i]);
    }
    sparcl_list_free(&d->list);
    sparcl_batches_free(d->coming.batches);
    sparcl_pattern_free(d->coming.pattern);
    free(d->coming.entries);
    free(d);
}

static int64_t bytes_of(const void *state) {
    const device_rows *const d = state;
    int64_t bytes =
        spc_csr_bytes(&d->all) + sparcl_buf_bytes(d->list.indices) + sparcl_buf_bytes(d->fields);
    for (int i = 0; i < SPC_ROW_NUMBERS; ++i)
        bytes += sparcl_buf_bytes(d->numbers[i]) + sparcl_buf_bytes(d->pass_numbers[i]);
    return bytes;
}

/* --- the data set ----------------------------------------------------------------------------- */

/* Where the device shares memory with the host, the data set's arrays are used in place. */
static sparcl_status wrap(const spc_feed *feed, sparcl_buf **buf, const void *host, int64_t bytes,
                          sparcl_error *error) {
    union {
        const void *in;
        void *out;
    } plain = {.in = host}; /* not written */
    return spc_core(feed->ctx, sparcl_buf_wrap(feed->ctx, buf, plain.out, bytes), error);
}

/* Part by part, so that the host keeps no copy. */
static sparcl_status put_scaled(const spc_feed *feed, const sparcl_csr *all, sparcl_error *error) {
    enum { PART = 1 << 20 };
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

static sparcl_status put_values(const spc_feed *feed, sparcl_csr *all, sparcl_error *error) {
    if (!feed->scaling)
        return wrap(feed, &all->values, sparcl_data_values(feed->data), all->nnz * 4, error);
    SPC_TRY(spc_core(feed->ctx, sparcl_buf_create(feed->ctx, &all->values, all->nnz * 4), error));
    return put_scaled(feed, all, error);
}

static sparcl_status open_rows(spc_feed *feed, sparcl_error *error) {
    const sparcl_data *const data = feed->data;
    const int64_t nnz = sparcl_data_get_info(data)->entries;
    const int64_t longest = sparcl_data_get_info(data)->row_nnz_max;
    const sparcl_itype index = sparcl_data_index_type(data);
    device_rows *const d = feed->state = calloc(1, sizeof *d);
    if (!d) return spc_fail_memory(error, "rows on the device", sizeof *d);
    d->all = (sparcl_csr){
        .rows = feed->rows,
        .cols = feed->batch.columns,
        .nnz = nnz,
        .offset_type = SPARCL_INDEX64,
        .index_type = index,
        .proof = {.flags = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE | SPARCL_TRUSTED,
                  .longest_row = longest <= UINT32_MAX ? (uint32_t)longest : 0}};
    SPC_TRY(wrap(feed, &d->all.offsets, sparcl_data_offsets(data), (feed->rows + 1) * 8, error));
    SPC_TRY(wrap(feed, &d->all.indices, sparcl_data_indices(data),
                 nnz * (int64_t)sparcl_itype_size(index), error));
    SPC_TRY(put_values(feed, &d->all, error));
    if (feed->batch.fields > 0)
        SPC_TRY(wrap(feed, &d->fields, sparcl_data_fields(data), nnz * 4, error));
    for (int i = 0; i < feed->batch.number_count; ++i)
        SPC_TRY(wrap(feed, &d->numbers[i], feed->numbers[i], feed->rows * 4, error));
    return SPARCL_OK;
}

/* --- the order of a pass ---------------------------------------------------------------------- */

static sparcl_status put(const spc_feed *feed, sparcl_buf **buf, const void *from, int64_t bytes,
                         sparcl_error *error) {
    return spc_core(feed->ctx,
                    *buf ? sparcl_buf_write(feed->ctx, *buf, 0, bytes, from)
                         : sparcl_buf_upload(feed->ctx, buf, from, bytes),
                    error);
}

/* Numbers in the order of the pass, so that those of a batch are a view. */
static sparcl_status put_in_order(const spc_feed *feed, const float *numbers, sparcl_buf **buf,
                                  sparcl_error *error) {
    const size_t bytes = (size_t)feed->rows * sizeof(float);
    float *const ordered = malloc(bytes + 1);
    if (!ordered) return spc_fail_memory(error, "the labels of a pass", bytes);
    for (int64_t i = 0; i < feed->rows; ++i)
        ordered[i] = numbers[feed->order[i]];
    const sparcl_status status = put(feed, buf, ordered, (int64_t)bytes, error);
    free(ordered);
    return status;
}

static sparcl_status start_pass(spc_feed *feed, sparcl_error *error) {
    device_rows *const d = feed->state;
    d->coming.rows = d->coming.counted = 0;
    d->list.limit = feed->rows;
    d->list.index_type = SPARCL_INDEX64;
    d->list.proof.flags = SPARCL_TRUSTED;
    SPC_TRY(put(feed, &d->list.indices, feed->order, feed->rows * 8, error));
    for (int i = 0; i < feed->batch.number_count; ++i)
        SPC_TRY(put_in_order(feed, feed->numbers[i], &d->pass_numbers[i], error));
    return SPARCL_OK;
}

/* --- several batches together ----------------------------------------------------------------- */

static sparcl_status open_coming(coming *c, sparcl_ctx *ctx, sparcl_error *error) {
    if (!c->batches) SPC_TRY(spc_core(ctx, sparcl_batches_create(ctx, &c->batches), error));
    return c->pattern ? SPARCL_OK : spc_core(ctx, sparcl_pattern_create(ctx, &c->pattern), error);
}

static int64_t entries_of(const spc_feed *feed, int64_t first, int64_t count) {
    return spc_batch_entries(sparcl_data_offsets(feed->data), feed->order, first, count);
}

/* The entries of all batches from a row on. */
static sparcl_status count_entries(coming *c, const spc_feed *feed, int64_t first,
                                   sparcl_error *error) {
    const int64_t rows = c->batch_rows, count = spc_ceil_div(feed->rows - first, rows);
    c->counted = 0;
    if (count > c->capacity) {
        free(c->entries);
        c->entries = calloc((size_t)count, sizeof *c->entries);
        c->capacity = c->entries ? count : 0;
        if (!c->entries)
            return spc_fail_memory(error, "batches", (size_t)count * sizeof *c->entries);
    }
    for (int64_t i = 0, at = first; i < count; ++i, at += rows)
        c->entries[i] = entries_of(feed, at, spc_min_i64(rows, feed->rows - at));
    c->counted = count;
    c->counted_first = first;
    return SPARCL_OK;
}

static bool is_counted(const coming *c, int64_t first, int64_t count) {
    const int64_t after = first - c->counted_first;
    return c->counted > 0 && count == c->batch_rows && after >= 0 && after % count == 0;
}

/* As many batches from row `first` on as fit; alone if that is one. */
static sparcl_status select_next(const spc_feed *feed, device_rows *d, int64_t first, int64_t count,
                                 sparcl_error *error) {
    coming *const c = &d->coming;
    sparcl_list list = d->list;
    spc_inputs of_all = {.x = d->all};
    c->rows = 0;
    if (!is_counted(c, first, count)) {
        c->batch_rows = count;
        SPC_TRY(count_entries(c, feed, first, error));
    }
    const int64_t at = (first - c->counted_first) / count;
    const int64_t fit = sparcl_batches_fit(feed->ctx, &d->all, c->entries + at, c->counted - at);
    if (fit < 2) return SPARCL_OK;
    list.indices_at = first;
    list.count = spc_min_i64(fit * count, feed->rows - first);
    spc_batch_view_fields(&feed->batch, d->fields, 0, &of_all);
    SPC_TRY(open_coming(c, feed->ctx, error));
    SPC_TRY(spc_core(feed->ctx,
                     sparcl_batches_select(feed->ctx, c->batches, &d->all,
                                           feed->batch.fields > 0 ? &of_all.fields : NULL, &list,
                                           count, c->entries + at),
                     error));
    c->first = first;
    c->rows = list.count;
    return SPARCL_OK;
}

static bool is_selected(const coming *c, int64_t first, int64_t count) {
    const int64_t after = first - c->first;
    return c->rows > 0 && after >= 0 && after < c->rows && after % c->batch_rows == 0 &&
           count == spc_min_i64(c->batch_rows, c->rows - after);
}

static sparcl_status take_selected(coming *c, sparcl_ctx *ctx, int64_t first, spc_inputs *in,
                                   sparcl_error *error) {
    const int64_t i = (first - c->first) / c->batch_rows;
    const sparcl_list *const fields = in->fields.indices ? &in->fields : NULL;
    in->pattern = c->pattern;
    return spc_core(ctx, sparcl_batches_take(ctx, c->batches, i, &in->x, fields, c->pattern),
                    error);
}

/* --- batches ---------------------------------------------------------------------------------- */

static sparcl_status select_rows(const spc_feed *feed, sparcl_csr *to, const sparcl_csr *from,
                                 const sparcl_list *rows, sparcl_error *error) {
    return spc_core(feed->ctx, sparcl_csr_take_rows(feed->ctx, to, from, rows, NULL), error);
}

/* Alone, fields are as the values of a matrix, which are moved as they are; its indices are written
 * once more. */
static sparcl_status select_alone(const spc_feed *feed, const device_rows *d,
                                  const sparcl_list *rows, spc_inputs *in, sparcl_error *error) {
    if (feed->batch.fields > 0) {
        sparcl_csr from = d->all, to = in->x;
        from.values = d->fields;
        to.values = feed->batch.x_fields;
        SPC_TRY(select_rows(feed, &to, &from, rows, error));
    }
    return select_rows(feed, &in->x, &d->all, rows, error);
}

static sparcl_status select_batch(spc_feed *feed, device_rows *d, int64_t first, int64_t count,
                                  spc_inputs *in, sparcl_error *error) {
    const int64_t two[2] = {0, 0};
    coming *const c = &d->coming;
    sparcl_list rows = d->list;
    rows.count = count;
    rows.indices_at = first;
    const bool may_be_several = sparcl_batches_fit(feed->ctx, &d->all, two, 2) >= 2;
    if (may_be_several && !is_selected(c, first, count))
        SPC_TRY(select_next(feed, d, first, count, error));
    const bool is_alone = c->rows == 0;
    const int64_t nnz = is_alone ? entries_of(feed, first, count)
                                 : c->entries[(first - c->counted_first) / c->batch_rows];
    SPC_TRY(spc_batch_reserve(&feed->batch, count, nnz, in, error));
    spc_batch_view_numbers(&feed->batch, d->pass_numbers, first, count, in);
    return is_alone ? select_alone(feed, d, &rows, in, error)
                    : take_selected(c, feed->ctx, first, in, error);
}

/* A slice is a view of the data set on the device; only its offsets are written, because they must
 * begin at 0. */
static sparcl_status view_slice(spc_feed *feed, const device_rows *d, int64_t first, int64_t rows,
                                spc_inputs *in, sparcl_error *error) {
    const int64_t *const offsets = sparcl_data_offsets(feed->data) + first;
    spc_batch_memory *const m = &feed->batch;
    sparcl_csr x = d->all;
    if (rows < feed->rows) {
        SPC_TRY(spc_batch_send_offsets(m, offsets, rows, in, error));
        x.rows = rows;
        x.nnz = offsets[rows] - offsets[0];
        x.indices_at = x.values_at = offsets[0];
        x.offset_type = m->x.offset_type;
        x.offsets = m->x.offsets;
    }
    in->x = x;
    spc_batch_view_fields(m, d->fields, x.values_at, in);
    spc_batch_view_numbers(m, d->numbers, first, rows, in);
    return SPARCL_OK;
}

static sparcl_status rows_of(spc_feed *feed, const int64_t *order, int64_t first, int64_t rows,
                             spc_inputs *in, sparcl_error *error) {
    return order ? select_batch(feed, feed->state, first, rows, in, error)
                 : view_slice(feed, feed->state, first, rows, in, error);
}

const spc_feed_place spc_feed_device = {.open = open_rows,
                                        .start = start_pass,
                                        .rows = rows_of,
                                        .bytes = bytes_of,
                                        .close = close_rows};
