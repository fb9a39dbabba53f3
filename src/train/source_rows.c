/* source_rows.c: trains from the rows of a data set, in batches. */
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "train/measure.h"
#include "train/row_weights.h"
#include "train/training_source.h"

typedef struct row_set {
    float *targets, *weights; /* weights NULL: 1 */
    spc_feed feed;
} row_set;

typedef struct row_source {
    spc_training of;
    row_set train, valid;
    int64_t batch;  /* rows per step */
    int64_t *order; /* of the current pass; NULL: as stored */
} row_source;

static sparcl_status start_pass(void *state, int64_t epoch, sparcl_error *error) {
    row_source *const s = state;
    spc_feed *const feed = &s->train.feed;
    if (s->order) sparcl_train_order(s->of.desc->seed, epoch, feed->rows, s->order);
    return spc_feed_pass(feed, s->order, error);
}

static sparcl_status next_batch(void *state, int64_t epoch, int64_t step, spc_inputs *inputs,
                                sparcl_error *error) {
    row_source *const s = state;
    spc_feed *const feed = &s->train.feed;
    const int64_t first = step * s->batch;
    (void)epoch; /* the feed has the order of the pass */
    return spc_feed_batch(feed, first, spc_min_i64(s->batch, feed->rows - first), inputs, error);
}

static sparcl_status find_constant_loss(const void *state, double *loss, sparcl_error *error) {
    const row_source *const s = state;
    const spc_predictions all = {.rows = s->train.feed.rows,
                                 .classes = s->of.classes->count,
                                 .loss = s->of.desc->loss,
                                 .targets = s->train.targets,
                                 .labels = sparcl_data_labels(s->of.train),
                                 .weights = s->train.weights};
    return spc_constant_loss(&all, loss, error);
}

static void add_memory(const void *state, sparcl_train_memory *memory) {
    const row_source *const s = state;
    memory->data += spc_feed_bytes(&s->train.feed);
    memory->valid += spc_feed_bytes(&s->valid.feed);
    memory->batches +=
        spc_batch_bytes(&s->train.feed.batch) + spc_batch_bytes(&s->valid.feed.batch);
}

static void close_set(row_set *set) {
    spc_feed_close(&set->feed);
    free(set->targets);
    free(set->weights);
}

static void close_rows(void *state) {
    row_source *const s = state;
    close_set(&s->train);
    close_set(&s->valid);
    free(s->order);
    free(s);
}

/* --- opening ---------------------------------------------------------------------------------- */

static sparcl_status open_set(row_set *set, const spc_training *of, const sparcl_data *data,
                              const spc_run *run, int64_t limit, sparcl_error *error) {
    const sparcl_train_desc *const desc = of->desc;
    SPC_TRY(spc_rows_make(&set->targets, &set->weights, desc, of->classes, data, data == of->train,
                          run->weighs, error));
    const spc_feed_desc rows = {.targets = set->targets,
                                .weights = set->weights,
                                .columns = run->model.build.columns,
                                .fields = run->model.build.field_count};
    if (data != of->train) SPC_TRY(spc_check_fields(desc->architecture, data, rows.fields, error));
    return spc_feed_open(&set->feed, of->ctx, data, &rows, limit, error);
}

/* A batch of all rows is the complete data set, which must fit on the device. */
static sparcl_status check_full_batch(const spc_feed *feed, bool keeps_batch, int64_t limit,
                                      sparcl_error *error) {
    if (!feed->place->on_host || !keeps_batch) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_MEMORY,
                    "a batch of all %lld rows needs %lld bytes on the device, %lld are left for "
                    "data; use smaller batches",
                    (long long)feed->rows, (long long)spc_feed_full_bytes(feed), (long long)limit);
}

/* With one batch, or from a file, which is read from its beginning to its end, the rows come as
 * stored. A file of fewer rows than a batch has one batch, which is read again each time. */
static sparcl_status open_train(row_source *s, spc_run *run, int64_t limit, sparcl_error *error) {
    const bool streamed = sparcl_data_get_info(s->of.train)->streamed;
    SPC_TRY(open_set(&s->train, &s->of, s->of.train, run, limit, error));
    const int64_t rows = s->train.feed.rows;
    run->keeps_batch = s->batch == rows && !(streamed && s->of.desc->batch > 0);
    SPC_TRY(check_full_batch(&s->train.feed, run->keeps_batch, limit, error));
    if (run->keeps_batch || streamed) return SPARCL_OK;
    s->order = malloc((size_t)rows * sizeof *s->order);
    return s->order ? SPARCL_OK : spc_fail_memory(error, "row order", (size_t)rows * 8);
}

static sparcl_status open_valid(row_source *s, const spc_run *run, int64_t limit,
                                sparcl_error *error) {
    const sparcl_data *const valid = s->of.valid;
    const int64_t used = s->train.feed.place->on_host ? 0 : spc_feed_full_bytes(&s->train.feed);
    if (!valid) return SPARCL_OK;
    SPC_TRY(spc_check_width(valid, run->model.build.columns, error));
    SPC_TRY(spc_check_base(valid, sparcl_data_get_info(s->of.train)->index_base, error));
    return open_set(&s->valid, &s->of, valid, run, limit - used, error);
}

static sparcl_status find_size(spc_run_size *size, const spc_training *of, sparcl_error *error) {
    const sparcl_train_desc *const d = of->desc;
    *size = (spc_run_size){.weighs = spc_has_weights(d, of->classes, of->train, of->valid),
                           .units = of->classes->units};
    SPC_TRY(spc_find_columns(d, of->train, &size->columns, error));
    if (d->start) size->fields = sparcl_model_get_info(d->start)->fields;
    SPC_TRY(
        spc_check_fields(d->architecture, of->train, d->start ? size->fields : INT64_MAX, error));
    if (d->architecture->reads_fields && !d->start)
        size->fields = sparcl_data_get_info(of->train)->fields;
    size->outputs = spc_outputs(d->architecture->task, d->loss, of->classes->count, size->columns);
    return SPARCL_OK;
}

sparcl_status spc_open_rows(spc_source *source, spc_run *run, const spc_training *of,
                            sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(of->train);
    const sparcl_train_desc *const d = of->desc;
    spc_run_size size;
    row_source *const s = calloc(1, sizeof *s);
    if (!s) return spc_fail_memory(error, "rows", sizeof *s);
    *source = (spc_source){.state = s,
                           .start = start_pass,
                           .next = next_batch,
                           .add_memory = add_memory,
                           .close = close_rows};
    if (d->architecture->task == SPARCL_TASK_LABELS) source->constant_loss = find_constant_loss;
    s->of = *of;
    s->batch = d->batch == 0 ? info->rows : spc_min_i64(d->batch, info->rows);
    SPC_TRY(find_size(&size, of, error));
    size.steps = spc_ceil_div(info->rows, s->batch);
    SPC_TRY(spc_run_open(run, of->ctx, d, &size, error));
    /* The tables are already counted. */
    const int64_t limit = spc_feed_limit(of->ctx, d->device_memory);
    SPC_TRY(open_train(s, run, limit, error));
    SPC_TRY(open_valid(s, run, limit, error));
    source->on_host = s->train.feed.place->on_host;
    /* As with batches of a callback, a stream is not read once more for the result. */
    if (!info->streamed) source->train = spc_scored_feed(&s->train.feed);
    if (of->valid) source->valid = spc_scored_feed(&s->valid.feed);
    return SPARCL_OK;
}
