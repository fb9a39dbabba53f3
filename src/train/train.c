/* train.c: trains from a data set. */
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "train/loop.h"

static sparcl_status next_batch(spc_trainer *t, int64_t epoch, int64_t step, sparcl_csr *x,
                                sparcl_dense *y, sparcl_error *error) {
    const int64_t first = step * t->batch;
    (void)epoch; /* the feed has the order of the pass */
    return spc_feed_batch(&t->feed, first, spc_min_i64(t->batch, t->feed.rows - first), x, y,
                          error);
}

static sparcl_status refuse_width(const sparcl_data *data, int64_t columns, sparcl_error *error) {
    return spc_refuse_data(
        data, -1, error,
        "expected at most the model's %lld columns, found %lld; train a wider model",
        (long long)columns, (long long)sparcl_data_get_info(data)->columns);
}

static sparcl_status open_valid(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *valid,
                                int64_t columns, int index_base, int64_t limit,
                                sparcl_error *error) {
    if (!valid) return SPARCL_OK;
    const sparcl_data_info *info = sparcl_data_get_info(valid);
    if (info->columns > columns) return refuse_width(valid, columns, error);
    SPC_TRY(spc_check_base(valid, index_base, error));
    SPC_TRY(sparcl_data_check_finite(valid, error));
    SPC_TRY(spc_targets_make(&t->valid_targets, t->run.desc.architecture->task, t->run.desc.loss,
                             t->classes, sparcl_data_labels(valid), info->rows, valid, error));
    return spc_feed_open(&t->valid, ctx, valid, t->valid_targets, columns, limit, error);
}

/* A batch of all rows is the complete data set, which must fit on the device.
 */
static sparcl_status check_full_batch(const spc_trainer *t, int64_t limit, sparcl_error *error) {
    if (!t->feed.on_host || !t->run.keeps_batch) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_MEMORY,
                    "a batch of all %lld rows needs %lld bytes on the device, %lld are left for "
                    "data; use smaller batches",
                    (long long)t->feed.rows, (long long)spc_feed_full_bytes(&t->feed),
                    (long long)limit);
}

static sparcl_status open_feed(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *data,
                               int64_t columns, int64_t limit, sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(data)->rows;
    SPC_TRY(sparcl_data_check_finite(data, error));
    SPC_TRY(spc_targets_make(&t->targets, t->run.desc.architecture->task, t->run.desc.loss,
                             t->classes, sparcl_data_labels(data), rows, data, error));
    SPC_TRY(spc_feed_open(&t->feed, ctx, data, t->targets, columns, limit, error));
    t->run.keeps_batch = t->batch == rows;
    SPC_TRY(check_full_batch(t, limit, error));
    if (t->run.keeps_batch) return SPARCL_OK; /* one batch: the rows as stored */
    t->order = malloc((size_t)rows * sizeof *t->order);
    return t->order ? SPARCL_OK : spc_fail_memory(error, "row order", (size_t)rows * 8);
}

/* The number of the model's columns: as requested, and at least that of the data. */
static sparcl_status find_columns(const sparcl_train_desc *desc, const sparcl_data *data,
                                  int64_t *columns, sparcl_error *error) {
    const int64_t need = sparcl_data_get_info(data)->columns;
    *columns = desc->columns ? desc->columns : need;
    if (*columns >= need) return SPARCL_OK;
    return refuse_width(data, *columns, error);
}

static sparcl_status train_on(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *train,
                              const sparcl_data *valid, const sparcl_train_desc *checked,
                              sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(train)->rows;
    int64_t columns = 0;
    SPC_TRY(find_columns(checked, train, &columns, error));
    t->batch = checked->batch == 0 ? rows : spc_min_i64(checked->batch, rows);
    SPC_TRY(spc_run_open(
        &t->run, ctx, checked, columns,
        spc_outputs(checked->architecture->task, checked->loss, t->classes->count, columns),
        spc_ceil_div(rows, t->batch), error));
    /* The tables are already counted. */
    const int64_t limit = spc_feed_limit(ctx, checked->device_memory);
    SPC_TRY(open_feed(t, ctx, train, columns, limit, error));
    return open_valid(t, ctx, valid, columns, sparcl_data_get_info(train)->index_base,
                      limit - spc_feed_bytes(&t->feed), error);
}

sparcl_status sparcl_train(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train,
                           const sparcl_data *valid, const sparcl_train_desc *desc,
                           sparcl_train_result *result, sparcl_error *error) {
    spc_trainer t = {.next = next_batch};
    sparcl_train_desc checked;
    spc_classes classes = {0};
    sparcl_status status = SPARCL_OK;
    if (model) *model = NULL;
    if (!ctx || !model || !train || !desc)
        return spc_fail(error, SPARCL_E_ARG, "train: ctx, model, train or desc is NULL");
    t.classes = &classes;
    SPC_TRY(spc_run_check(&checked, desc, error));
    if (checked.patience > 0 && !valid) return spc_refuse_patience(checked.patience, error);
    const sparcl_data_info *data = sparcl_data_get_info(train);
    sparcl_model_info info = {.index_base = data->index_base, .fingerprint = data->fingerprint};
    SPC_GO(spc_classes_find(&classes, checked.architecture->task, checked.loss, train, error));
    SPC_GO(train_on(&t, ctx, train, valid, &checked, error));
    SPC_GO(spc_trainer_run(&t, &info, model, result, error));
done:
    spc_trainer_close(&t);
    spc_classes_free(&classes);
    return status;
}
