/* train.c: trains from a data set. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "train/data_columns.h"
#include "train/loop.h"
#include "train/row_weights.h"
#include "train/start.h"
#include "train/train_lbfgs.h"
#include "train/train_nodes.h"
#include "train/train_pairs.h"
#include "train/width.h"

static sparcl_status start_pass(spc_trainer *t, int64_t epoch, sparcl_error *error) {
    if (t->order) sparcl_train_order(t->run.desc.seed, epoch, t->feed.rows, t->order);
    return spc_feed_pass(&t->feed, t->order, error);
}

static sparcl_status next_batch(spc_trainer *t, int64_t epoch, int64_t step, spc_inputs *inputs,
                                sparcl_error *error) {
    const int64_t first = step * t->batch;
    (void)epoch; /* the feed has the order of the pass */
    return spc_feed_batch(&t->feed, first, spc_min_i64(t->batch, t->feed.rows - first), inputs,
                          error);
}

static sparcl_status open_valid(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *valid,
                                int64_t columns, int index_base, int64_t limit,
                                sparcl_error *error) {
    if (!valid) return SPARCL_OK;
    SPC_TRY(spc_check_width(valid, columns, error));
    SPC_TRY(spc_check_base(valid, index_base, error));
    SPC_TRY(spc_rows_make(&t->valid_targets, &t->valid_weights, &t->run.desc, t->classes, valid,
                          false, t->run.weighs, error));
    const spc_feed_desc desc = {.targets = t->valid_targets,
                                .weights = t->valid_weights,
                                .columns = columns,
                                .fields = t->run.model.build.field_count};
    SPC_TRY(spc_check_fields(t->run.desc.architecture, valid, desc.fields, error));
    return spc_feed_open(&t->valid, ctx, valid, &desc, limit, error);
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
    SPC_TRY(spc_rows_make(&t->targets, &t->weights, &t->run.desc, t->classes, data, true,
                          t->run.weighs, error));
    const spc_feed_desc desc = {.targets = t->targets,
                                .weights = t->weights,
                                .columns = columns,
                                .fields = t->run.model.build.field_count};
    SPC_TRY(spc_feed_open(&t->feed, ctx, data, &desc, limit, error));
    /* A file of fewer rows than a batch has one batch, which is read again each time. */
    t->run.keeps_batch = t->batch == rows && !(t->feed.rows_of_file && t->run.desc.batch > 0);
    SPC_TRY(check_full_batch(t, limit, error));
    /* One batch, or a file that is read from its beginning to its end: the rows as stored. */
    if (t->run.keeps_batch || t->feed.rows_of_file) return SPARCL_OK;
    t->order = malloc((size_t)rows * sizeof *t->order);
    return t->order ? SPARCL_OK : spc_fail_memory(error, "row order", (size_t)rows * 8);
}

/* Rows of a file, in batches. */
static sparcl_status open_rows(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *train,
                               const sparcl_data *valid, const sparcl_train_desc *checked,
                               sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(train)->rows;
    spc_run_size size = {.weighs = spc_has_weights(checked, t->classes, train, valid),
                         .units = t->classes->units};
    SPC_TRY(spc_find_columns(checked, train, &size.columns, error));
    if (checked->start) size.fields = sparcl_model_get_info(checked->start)->fields;
    SPC_TRY(spc_check_fields(checked->architecture, train, checked->start ? size.fields : INT64_MAX,
                             error));
    if (checked->architecture->reads_fields && !checked->start)
        size.fields = sparcl_data_get_info(train)->fields;
    t->next = next_batch;
    t->start = start_pass;
    t->batch = checked->batch == 0 ? rows : spc_min_i64(checked->batch, rows);
    size.steps = spc_ceil_div(rows, t->batch);
    size.outputs =
        spc_outputs(checked->architecture->task, checked->loss, t->classes->count, size.columns);
    SPC_TRY(spc_run_open(&t->run, ctx, checked, &size, error));
    /* The tables are already counted. */
    const int64_t limit = spc_feed_limit(ctx, checked->device_memory);
    SPC_TRY(open_feed(t, ctx, train, size.columns, limit, error));
    /* As with batches of a callback, a stream is not read once more for the result. */
    if (!t->feed.rows_of_file) t->train_rows = spc_scored_feed(&t->feed);
    SPC_TRY(open_valid(t, ctx, valid, size.columns, sparcl_data_get_info(train)->index_base,
                       limit - (t->feed.on_host ? 0 : spc_feed_full_bytes(&t->feed)), error));
    if (valid) t->valid_rows = spc_scored_feed(&t->valid);
    return SPARCL_OK;
}

static sparcl_status open_any(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *train,
                              const sparcl_data *valid, const sparcl_train_desc *checked,
                              sparcl_error *error) {
    if (checked->architecture->task == SPARCL_TASK_NODES)
        return spc_open_nodes(t, ctx, train, valid, checked, error);
    if (checked->architecture->task == SPARCL_TASK_RANK)
        return spc_open_pairs(t, ctx, train, valid, checked, error);
    return open_rows(t, ctx, train, valid, checked, error);
}

static bool has_valid(const sparcl_data *valid, const sparcl_train_desc *desc) {
    return valid || (desc->nodes && desc->nodes->valid_count > 0);
}

sparcl_status spc_train(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train,
                        const sparcl_data *valid, const sparcl_train_desc *desc,
                        sparcl_train_result *result, sparcl_error *error) {
    spc_trainer t = {.valid_data = valid};
    sparcl_train_desc checked;
    spc_classes classes = {0};
    sparcl_status status = SPARCL_OK;
    if (model) *model = NULL;
    if (!ctx || !model || !train || !desc)
        return spc_fail(error, SPARCL_E_ARG, "train: ctx, model, train or desc is NULL");
    t.classes = &classes;
    SPC_TRY(spc_run_check(&checked, desc, error));
    if (checked.patience > 0 && !has_valid(valid, &checked))
        return spc_refuse_patience(checked.patience, error);
    const sparcl_data_info *data = sparcl_data_get_info(train);
    sparcl_model_info info = {.index_base = data->index_base,
                              .fingerprint = spc_start_fingerprint(&checked, train)};
    SPC_GO(spc_start_classes(&classes, &checked, train, error));
    if (checked.solver == SPARCL_SOLVER_LBFGS) {
        SPC_GO(spc_check_entries(train, error));
        SPC_GO(spc_train_lbfgs(ctx, model, train, valid, &checked, &classes, NULL, result, error));
        goto done;
    }
    if (checked.standardize_labels) classes.units = spc_label_units_of(train, !checked.no_bias);
    SPC_GO(open_any(&t, ctx, train, valid, &checked, error));
    SPC_GO(spc_trainer_run(&t, &info, model, result, error));
done:
    if (status == SPARCL_OK) status = spc_keep_data_columns(model, train, error);
    status = spc_explain_width(
        ctx, train, spc_outputs(checked.architecture->task, checked.loss, classes.count, 1), status,
        error);
    spc_trainer_close(&t);
    spc_classes_free(&classes);
    return status;
}

sparcl_status sparcl_train(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train,
                           const sparcl_data *valid, const sparcl_train_desc *desc,
                           sparcl_train_result *result, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, spc_train(ctx, model, train, valid, desc, result, &found), &found,
                             error);
}
