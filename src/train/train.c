/* train.c: the training loop, over a data set or over a caller's batches. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "model/model_object.h"
#include "train/core.h"
#include "train/norm.h"
#include "train/problem.h"
#include "train/run.h"

/* Steps enqueued before the host waits: bounds the queue, costs a wait each so many steps. */
#define STEPS_AHEAD 32

/* Where batches come from, and what is told of the run. */
typedef struct trainer {
    spc_run run;
    spc_feed feed;
    const sparcl_batch_source *source; /* NULL: the feed's data set */
    const spc_classes *classes;
    float *targets; /* of the data set, or of the batch in work */
    int64_t *order; /* of the pass, NULL where there is one batch only */
    spc_feed valid;
    float *valid_targets;
    sparcl_train_progress progress;
    double *pass_seconds; /* of the passes ended */
    int64_t pass_room;
} trainer;

static int64_t batch_rows(const trainer *t) {
    const int64_t batch = t->run.desc.batch;
    return batch < 0 ? t->feed.rows : spc_min_i64(batch, t->feed.rows);
}

/* --- one step -------------------------------------------------------------------------------- */

static sparcl_status take_from_source(trainer *t, int64_t epoch, int64_t step, sparcl_csr *x,
                                      sparcl_dense *y, sparcl_error *error) {
    sparcl_batch batch = {0};
    const sparcl_status status = t->source->next(t->source->user, epoch, step, &batch);
    if (status != SPARCL_OK)
        return spc_fail(error, status,
                        "the batch callback ended the run in pass %lld, step %lld: %s",
                        (long long)epoch, (long long)step, sparcl_status_text(status));
    SPC_TRY(spc_feed_check(&t->feed, &batch, error));
    free(t->targets);
    t->targets = NULL;
    SPC_TRY(spc_targets_make(&t->targets, t->run.desc.loss, t->classes->labels, t->classes->count,
                             batch.labels, batch.rows, NULL, error));
    return spc_feed_take(&t->feed, &batch, t->targets, x, y, error);
}

static sparcl_status next_batch(trainer *t, int64_t epoch, int64_t step, sparcl_csr *x,
                                sparcl_dense *y, sparcl_error *error) {
    if (t->source) return take_from_source(t, epoch, step, x, y, error);
    const int64_t rows = batch_rows(t), first = step * rows;
    return spc_feed_batch(&t->feed, first, spc_min_i64(rows, t->feed.rows - first), x, y, error);
}

/* Nonzero: the caller wants to stop. */
static int tell(trainer *t) {
    const sparcl_train_desc *desc = &t->run.desc;
    t->progress.seconds = spc_run_clock() - t->run.start;
    return desc->progress ? desc->progress(desc->progress_user, &t->progress) : 0;
}

static sparcl_status step(trainer *t, int64_t epoch, int64_t number, sparcl_error *error) {
    sparcl_csr x;
    sparcl_dense y;
    SPC_TRY(next_batch(t, epoch, number, &x, &y, error));
    SPC_TRY(spc_run_step(&t->run, number, &x, &y, error));
    ++t->progress.step;
    t->progress.rows += x.rows;
    if (t->progress.step % STEPS_AHEAD == 0)
        SPC_TRY(spc_core(t->run.ctx, sparcl_ctx_finish(t->run.ctx), error));
    if (number + 1 < t->run.steps && tell(t))
        return spc_fail(error, SPARCL_E_INTERRUPTED, "training was interrupted after step %lld",
                        (long long)t->progress.step);
    return SPARCL_OK;
}

/* --- one pass -------------------------------------------------------------------------------- */

static sparcl_status start_pass(trainer *t, int64_t epoch, sparcl_error *error) {
    if (t->source) return SPARCL_OK;
    if (t->order) sparcl_train_order(t->run.desc.seed, epoch, t->feed.rows, t->order);
    return spc_feed_pass(&t->feed, t->order, error);
}

static sparcl_status find_valid_loss(trainer *t, sparcl_error *error) {
    spc_weights weights = {.loss = t->run.desc.loss, .bias = t->run.table.bias};
    const spc_scores wanted = {.mean_loss = &t->progress.valid_loss};
    if (!t->valid.data) return SPARCL_OK;
    SPC_TRY(spc_table_look(&t->run.table, &weights.weights, error));
    return spc_score(&t->valid, &weights, &wanted, error);
}

static sparcl_status end_pass(trainer *t, int64_t epoch, int64_t rows, sparcl_error *error) {
    double sum = 0;
    SPC_TRY(spc_run_pass_loss(&t->run, &sum, error));
    t->progress.loss = sum / (double)rows;
    t->progress.epoch = epoch + 1;
    if (!isfinite(t->progress.loss))
        return spc_fail(error, SPARCL_E_DIVERGED,
                        "the loss of pass %lld is %g; try a smaller --lr than %g",
                        (long long)epoch + 1, t->progress.loss, t->run.desc.lr);
    SPC_TRY(find_valid_loss(t, error));
    if (tell(t) && epoch + 1 < t->run.desc.epochs)
        return spc_fail(error, SPARCL_E_INTERRUPTED, "training was interrupted after pass %lld",
                        (long long)epoch + 1);
    return SPARCL_OK;
}

static sparcl_status note_seconds(trainer *t, int64_t epoch, double seconds, sparcl_error *error) {
    if (epoch == t->pass_room) {
        const int64_t room = 2 * t->pass_room + 16;
        double *more = realloc(t->pass_seconds, (size_t)room * sizeof *more);
        if (!more) return spc_fail_memory(error, "times", (size_t)room * sizeof *more);
        t->pass_seconds = more;
        t->pass_room = room;
    }
    t->pass_seconds[epoch] = seconds;
    return SPARCL_OK;
}

static sparcl_status pass(trainer *t, int64_t epoch, sparcl_error *error) {
    const double start = spc_run_clock();
    const int64_t before = t->progress.rows;
    SPC_TRY(start_pass(t, epoch, error));
    for (int64_t s = 0; s < t->run.steps; ++s)
        SPC_TRY(step(t, epoch, s, error));
    SPC_TRY(spc_core(t->run.ctx, sparcl_ctx_finish(t->run.ctx), error));
    SPC_TRY(note_seconds(t, epoch, spc_run_clock() - start, error));
    return end_pass(t, epoch, t->progress.rows - before, error);
}

static sparcl_status loop(trainer *t, sparcl_error *error) {
    const int64_t epochs = t->run.desc.epochs;
    t->progress = (sparcl_train_progress){.epochs = epochs, .loss = NAN, .valid_loss = NAN};
    if (!spc_mul_i64(epochs, t->run.steps, &t->progress.steps))
        return spc_fail(error, SPARCL_E_ARG,
                        "%lld epochs of %lld steps are more than can be counted", (long long)epochs,
                        (long long)t->run.steps);
    t->run.start = spc_run_clock();
    for (int64_t epoch = 0; epoch < epochs; ++epoch)
        SPC_TRY(pass(t, epoch, error));
    return spc_table_finish(&t->run.table, error);
}

/* --- what comes out -------------------------------------------------------------------------- */

static sparcl_status fetch_model(const trainer *t, sparcl_model_info *info, sparcl_model **out,
                                 sparcl_error *error) {
    const spc_run *run = &t->run;
    sparcl_model *model = NULL;
    info->loss = run->desc.loss;
    info->optimizer = run->desc.optimizer;
    info->columns = run->columns;
    info->outputs = run->outputs;
    info->labels = t->classes->labels;
    info->classes = t->classes->count;
    info->has_bias = !run->desc.no_bias;
    info->lr = run->desc.lr;
    info->l2 = run->desc.l2;
    info->momentum = run->desc.momentum;
    info->beta1 = run->desc.beta1;
    info->beta2 = run->desc.beta2;
    info->epsilon = run->desc.epsilon;
    info->epochs = run->desc.epochs;
    info->batch = run->desc.batch < 0 ? 0 : run->desc.batch;
    info->seed = run->desc.seed;
    SPC_TRY(spc_model_new(&model, info, error));
    sparcl_status status =
        spc_core(run->ctx,
                 sparcl_buf_read(run->ctx, run->table.weights.values, 0,
                                 run->columns * run->outputs * 4, model->weights),
                 error);
    if (status == SPARCL_OK && info->has_bias)
        status = spc_core(
            run->ctx,
            sparcl_buf_read(run->ctx, run->table.bias.values, 0, run->outputs * 4, model->bias),
            error);
    if (status == SPARCL_OK)
        status = spc_model_check_finite(model, SPARCL_E_DIVERGED, "the trained model", error);
    if (status == SPARCL_OK)
        *out = model;
    else
        sparcl_model_free(model);
    return status;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int64_t count) {
    qsort(x, (size_t)count, sizeof *x, compare);
    return count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
}

/* The finished model's own loss needs one more look at the data; a callback's are not asked again.
 */
static sparcl_status find_result(trainer *t, const sparcl_model *model, sparcl_train_result *result,
                                 sparcl_error *error) {
    const spc_weights weights = {t->run.desc.loss, t->run.table.weights, t->run.table.bias};
    const spc_scores wanted = {.mean_loss = &result->loss};
    *result = (sparcl_train_result){.seconds_per_pass = median(t->pass_seconds, t->run.desc.epochs),
                                    .epochs = t->run.desc.epochs,
                                    .steps = t->progress.step,
                                    .loss = t->progress.loss,
                                    .on_host = t->feed.on_host};
    if (!t->source) SPC_TRY(spc_score(&t->feed, &weights, &wanted, error));
    if (!isfinite(result->loss))
        return spc_fail(error, SPARCL_E_DIVERGED,
                        "the loss of the trained model is %g; try a smaller --lr than %g",
                        result->loss, t->run.desc.lr);
    result->objective = result->loss + t->run.desc.l2 * spc_half_norm(model);
    return SPARCL_OK;
}

static void close_trainer(trainer *t) {
    spc_feed_close(&t->feed);
    spc_feed_close(&t->valid);
    spc_run_close(&t->run);
    free(t->targets);
    free(t->valid_targets);
    free(t->order);
    free(t->pass_seconds);
}

/* From an opened run to a model and a result. */
static sparcl_status finish(trainer *t, sparcl_model_info *info, sparcl_model **model,
                            sparcl_train_result *result, sparcl_error *error) {
    sparcl_train_result ignored;
    SPC_TRY(loop(t, error));
    SPC_TRY(fetch_model(t, info, model, error));
    const sparcl_status status = find_result(t, *model, result ? result : &ignored, error);
    if (status == SPARCL_OK) return SPARCL_OK;
    sparcl_model_free(*model);
    *model = NULL;
    return status;
}

/* --- from a data set ------------------------------------------------------------------------- */

static sparcl_status check_finite_data(const sparcl_data *data, const char *name,
                                       sparcl_error *error) {
    const sparcl_data_info *info = sparcl_data_get_info(data);
    if (info->nan_values == 0 && info->inf_values == 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "the %s data hold %lld NaN and %lld infinite values; a model cannot be trained "
                    "on them",
                    name, (long long)info->nan_values, (long long)info->inf_values);
}

static sparcl_status open_valid(trainer *t, sparcl_ctx *ctx, const sparcl_data *valid,
                                int64_t columns, int index_base, int64_t limit,
                                sparcl_error *error) {
    if (!valid) return SPARCL_OK;
    const sparcl_data_info *info = sparcl_data_get_info(valid);
    if (info->columns > columns)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "the validation data have %lld columns, the model %lld",
                        (long long)info->columns, (long long)columns);
    SPC_TRY(spc_check_base("validation data", info, index_base, error));
    SPC_TRY(check_finite_data(valid, "validation", error));
    SPC_TRY(spc_targets_make(&t->valid_targets, t->run.desc.loss, t->classes->labels,
                             t->classes->count, sparcl_data_labels(valid), info->rows, valid,
                             error));
    return spc_feed_open(&t->valid, ctx, valid, t->valid_targets, columns, limit, error);
}

/* A batch of all rows is the whole data set: kept on the host it would lie on the device as well.
 */
static sparcl_status check_full_batch(const trainer *t, int64_t limit, sparcl_error *error) {
    if (!t->feed.on_host || !t->run.keeps_batch) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_MEMORY,
                    "a batch of all %lld rows takes %lld bytes on the device, %lld are left for "
                    "data; take smaller batches",
                    (long long)t->feed.rows, (long long)spc_feed_whole_bytes(&t->feed),
                    (long long)limit);
}

static sparcl_status open_feed(trainer *t, sparcl_ctx *ctx, const sparcl_data *data,
                               int64_t columns, int64_t limit, sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(data)->rows;
    SPC_TRY(check_finite_data(data, "training", error));
    SPC_TRY(spc_targets_make(&t->targets, t->run.desc.loss, t->classes->labels, t->classes->count,
                             sparcl_data_labels(data), rows, data, error));
    SPC_TRY(spc_feed_open(&t->feed, ctx, data, t->targets, columns, limit, error));
    t->run.keeps_batch = batch_rows(t) == rows;
    SPC_TRY(check_full_batch(t, limit, error));
    if (t->run.keeps_batch) return SPARCL_OK; /* one batch: the rows as stored */
    t->order = malloc((size_t)rows * sizeof *t->order);
    return t->order ? SPARCL_OK : spc_fail_memory(error, "row order", (size_t)rows * 8);
}

/* The width of the model: what the caller tells, at least what the data need. */
static sparcl_status find_columns(const sparcl_train_desc *desc, const sparcl_data *data,
                                  int64_t *columns, sparcl_error *error) {
    const int64_t need = sparcl_data_get_info(data)->columns;
    *columns = desc->columns ? desc->columns : need;
    if (*columns >= need) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT, "the data have %lld columns, the model is to have %lld",
                    (long long)need, (long long)*columns);
}

static sparcl_status train_on(trainer *t, sparcl_ctx *ctx, const sparcl_data *train,
                              const sparcl_data *valid, const sparcl_train_desc *settled,
                              sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(train)->rows;
    int64_t columns = 0;
    SPC_TRY(find_columns(settled, train, &columns, error));
    const int64_t batch = settled->batch < 0 ? rows : spc_min_i64(settled->batch, rows);
    SPC_TRY(spc_run_open(&t->run, ctx, settled, columns,
                         spc_outputs(settled->loss, t->classes->count), spc_ceil_div(rows, batch),
                         error));
    const int64_t limit = spc_feed_limit(ctx, settled->device_memory); /* the tables are there */
    SPC_TRY(open_feed(t, ctx, train, columns, limit, error));
    return open_valid(t, ctx, valid, columns, sparcl_data_get_info(train)->index_base,
                      limit - spc_feed_bytes(&t->feed), error);
}

sparcl_status sparcl_train(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train,
                           const sparcl_data *valid, const sparcl_train_desc *desc,
                           sparcl_train_result *result, sparcl_error *error) {
    trainer t = {0};
    sparcl_train_desc settled;
    spc_classes classes = {0};
    sparcl_status status = SPARCL_OK;
    if (model) *model = NULL;
    if (!ctx || !model || !train || !desc)
        return spc_fail(error, SPARCL_E_ARG, "train: ctx, model, train or desc is NULL");
    t.classes = &classes;
    SPC_TRY(spc_run_settle(&settled, desc, error));
    const sparcl_data_info *data = sparcl_data_get_info(train);
    sparcl_model_info info = {.index_base = data->index_base, .fingerprint = data->fingerprint};
    SPC_GO(spc_classes_find(&classes, settled.loss, train, error));
    SPC_GO(train_on(&t, ctx, train, valid, &settled, error));
    SPC_GO(finish(&t, &info, model, result, error));
done:
    close_trainer(&t);
    spc_classes_free(&classes);
    return status;
}

/* --- from a callback ------------------------------------------------------------------------- */

static sparcl_status check_source(const sparcl_batch_source *source, sparcl_loss loss,
                                  sparcl_error *error) {
    if (!source || !source->next)
        return spc_fail(error, SPARCL_E_ARG, "train: the source or its callback is NULL");
    if (source->reserved[0] || source->reserved[1])
        return spc_fail(error, SPARCL_E_ARG,
                        "train: the reserved fields of the source are not zero");
    if (source->columns < 0 || source->steps < 1)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: the source has %lld columns and %lld steps a pass",
                        (long long)source->columns, (long long)source->steps);
    if (source->index_base != 0 && source->index_base != 1)
        return spc_fail(error, SPARCL_E_ARG, "train: the source's index base is %d, wanted 0 or 1",
                        source->index_base);
    if (loss == SPARCL_LOSS_SQUARED) return SPARCL_OK;
    if (!source->labels || source->classes < 2 ||
        (loss == SPARCL_LOSS_LOGISTIC && source->classes != 2))
        return spc_fail(error, SPARCL_E_ARG,
                        "train: the source names %lld classes, %s loss needs %s",
                        (long long)source->classes, sparcl_loss_name(loss),
                        loss == SPARCL_LOSS_LOGISTIC ? "2" : "2 or more");
    for (int64_t c = 0; c < source->classes; ++c)
        if (!isfinite(source->labels[c]) || (c > 0 && source->labels[c] <= source->labels[c - 1]))
            return spc_fail(error, SPARCL_E_ARG,
                            "train: label %lld of the source is not finite, or not above the one "
                            "before it",
                            (long long)c);
    return SPARCL_OK;
}

sparcl_status sparcl_train_source(sparcl_ctx *ctx, sparcl_model **model,
                                  const sparcl_batch_source *source, const sparcl_train_desc *desc,
                                  sparcl_train_result *result, sparcl_error *error) {
    trainer t = {.source = source};
    sparcl_train_desc settled;
    sparcl_status status = SPARCL_OK;
    if (model) *model = NULL;
    if (!ctx || !model || !desc)
        return spc_fail(error, SPARCL_E_ARG, "train: ctx, model or desc is NULL");
    SPC_TRY(spc_run_settle(&settled, desc, error));
    SPC_TRY(check_source(source, settled.loss, error));
    const bool numbers = settled.loss == SPARCL_LOSS_SQUARED;
    union {
        const double *in;
        double *out;
    } labels = {.in = source->labels}; /* only ever read */
    const spc_classes classes = {numbers ? NULL : labels.out, numbers ? 0 : source->classes};
    sparcl_model_info info = {.index_base = source->index_base};
    t.classes = &classes;
    SPC_GO(spc_run_open(&t.run, ctx, &settled, source->columns,
                        spc_outputs(settled.loss, classes.count), source->steps, error));
    spc_feed_open_empty(&t.feed, ctx, source->columns);
    SPC_GO(finish(&t, &info, model, result, error));
done:
    close_trainer(&t);
    return status;
}
