/* train_source.c: trains from the batches of a callback. */
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "model/loss_kind.h"
#include "model/model_object.h"
#include "train/csr_arrays.h"
#include "train/loop.h"
#include "train/row_weights.h"

typedef struct batch_caller {
    spc_training of; /* without data sets */
    const sparcl_batch_source *source;
    double *class_weights;    /* [classes]; NULL: 1 */
    float *targets, *weights; /* of the batch; weights NULL: 1 */
    spc_batch_memory batch;
} batch_caller;

static sparcl_status make_weights(batch_caller *c, const sparcl_batch *batch, sparcl_error *error) {
    if (!batch->weights && c->source->has_weights)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "batch: weights is NULL, expected weights, which the source has");
    if (c->batch.number_count < 2) return SPARCL_OK;
    free(c->weights);
    c->weights = NULL;
    return spc_batch_weights_make(&c->weights, c->source->has_weights ? batch->weights : NULL,
                                  c->class_weights, c->targets, batch->rows, error);
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

/* Everything that the reader of a data set guarantees. */
static sparcl_status check_batch(const sparcl_batch *batch, int64_t columns, sparcl_error *error) {
    SPC_TRY(check_offsets(batch, error));
    if (batch->index_type != SPARCL_INDEX32 && batch->index_type != SPARCL_INDEX64)
        return spc_fail(error, SPARCL_E_FORMAT, "batch: index type is %d, expected a sparcl_itype",
                        (int)batch->index_type);
    if (batch->offsets[batch->rows] > 0 && (!batch->indices || !batch->values))
        return spc_fail(error, SPARCL_E_FORMAT, "batch: %lld entries without indices or values",
                        (long long)batch->offsets[batch->rows]);
    for (int64_t i = 0; i < batch->rows; ++i) {
        int64_t before = -1;
        for (int64_t k = batch->offsets[i]; k < batch->offsets[i + 1]; ++k) {
            const int64_t index = spc_index_at(batch->indices, batch->index_type, k);
            if (index <= before || index >= columns)
                return spc_fail(
                    error, SPARCL_E_FORMAT,
                    "batch: index %lld in row %lld: indices must ascend and be below %lld",
                    (long long)index, (long long)i, (long long)columns);
            before = index;
        }
    }
    return SPARCL_OK;
}

static sparcl_status next_batch(void *state, int64_t epoch, int64_t step, spc_inputs *inputs,
                                sparcl_error *error) {
    batch_caller *const c = state;
    sparcl_batch batch = {0};
    const sparcl_status status = c->source->next(c->source->user, epoch, step, &batch);
    if (status != SPARCL_OK)
        return spc_fail(error, status,
                        "the batch callback ended the run in pass %lld, step %lld: %s",
                        (long long)epoch, (long long)step, sparcl_status_text(status));
    SPC_TRY(check_batch(&batch, c->source->columns, error));
    free(c->targets);
    c->targets = NULL;
    SPC_TRY(spc_targets_make(&c->targets, c->of.desc->architecture->task, c->of.desc->loss,
                             c->of.classes, batch.labels, batch.rows, NULL, error));
    SPC_TRY(make_weights(c, &batch, error));
    const float *const numbers[] = {c->targets, c->weights};
    const sparcl_csr_arrays from = {.offsets = batch.offsets,
                                    .index_type = batch.index_type,
                                    .indices = batch.indices,
                                    .values = batch.values};
    SPC_TRY(spc_batch_gather(&c->batch, &from, numbers, NULL, 0, batch.rows, inputs, error));
    return spc_batch_send(&c->batch, &inputs->x, error);
}

static void add_memory(const void *state, sparcl_train_memory *memory) {
    memory->batches += spc_batch_bytes(&((const batch_caller *)state)->batch);
}

static void close_caller(void *state) {
    batch_caller *const c = state;
    spc_batch_close(&c->batch);
    free(c->class_weights);
    free(c->targets);
    free(c->weights);
}

static sparcl_status check_source(const sparcl_batch_source *source, sparcl_loss loss,
                                  sparcl_error *error) {
    if (!source || !source->next)
        return spc_fail(error, SPARCL_E_ARG, "train: the source or its callback is NULL");
    if (!spc_is_struct_size(source->size, sizeof *source))
        return spc_fail(error, SPARCL_E_ARG, "train: size of the source is %zu, expected 0 or %zu",
                        source->size, sizeof *source);
    if (source->columns < 0 || source->steps < 1)
        return spc_fail(
            error, SPARCL_E_ARG,
            "train: the source has %lld columns and %lld steps per pass, expected at least 0 and 1",
            (long long)source->columns, (long long)source->steps);
    if (source->index_base != 0 && source->index_base != 1)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: the source's index base is %d, expected 0 or 1",
                        source->index_base);
    if (spc_loss_has_numbers(loss)) return SPARCL_OK;
    if (!source->labels || source->classes < 2 ||
        (spc_loss_is_binary(loss) && source->classes != 2))
        return spc_fail(error, SPARCL_E_ARG, "train: the source has %lld classes, %s loss needs %s",
                        (long long)source->classes, sparcl_loss_name(loss),
                        spc_loss_is_binary(loss) ? "2" : "2 or more");
    const int64_t wrong = spc_labels_wrong(source->labels, source->classes);
    if (wrong < 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: label %lld of the source is not finite, or not above its predecessor",
                    (long long)wrong);
}

static sparcl_status check_task(const sparcl_architecture *a, sparcl_error *error) {
    if (a->reads_fields)
        return spc_fail(
            error, SPARCL_E_ARG,
            "train: a model of the kind %s reads fields, which batches of a callback do "
            "not have; expected a data set",
            a->name);
    if (a->task == SPARCL_TASK_LABELS || a->task == SPARCL_TASK_RECONSTRUCT) return SPARCL_OK;
    return spc_fail(
        error, SPARCL_E_ARG,
        "train: a model of the kind %s is not trained from rows of a callback, expected "
        "a data set",
        a->name);
}

static sparcl_status train_source(sparcl_ctx *ctx, sparcl_model **model,
                                  const sparcl_batch_source *source, const sparcl_train_desc *desc,
                                  sparcl_train_result *result, sparcl_error *error) {
    batch_caller caller = {.source = source};
    spc_trainer t = {.source = {&caller, .next = next_batch, .add_memory = add_memory,
                                .close = close_caller, .on_host = true}};
    sparcl_train_desc checked;
    sparcl_status status = SPARCL_OK;
    if (model) *model = NULL;
    if (!ctx || !model || !desc)
        return spc_fail(error, SPARCL_E_ARG, "train: ctx, model or desc is NULL");
    SPC_TRY(spc_run_check(&checked, desc, error));
    if (checked.patience > 0) return spc_refuse_patience(checked.patience, error);
    SPC_TRY(check_task(checked.architecture, error));
    if (checked.solver == SPARCL_SOLVER_LBFGS)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: solver is lbfgs, expected steps with batches of a callback");
    if (checked.start)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: start is set, expected NULL with batches of a callback");
    if (checked.standardize_labels)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: standardize_labels is set, expected 0 with batches of a callback: "
                        "the mean of the labels is not known");
    SPC_TRY(check_source(source, checked.loss, error));
    if (checked.balance_classes)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: balance_classes is set, expected 0 with batches of a callback: the "
                        "number of rows of each class is not known");
    const bool numbers = spc_loss_has_numbers(checked.loss);
    union {
        const double *in;
        double *out;
    } labels = {.in = source->labels}; /* not written */
    const spc_classes classes = {.labels = numbers ? NULL : labels.out,
                                 .count = numbers ? 0 : source->classes};
    caller.of = (spc_training){.ctx = ctx, .desc = &checked, .classes = &classes};
    t.info = (sparcl_model_info){
        .index_base = source->index_base, .labels = classes.labels, .classes = classes.count};
    const spc_run_size size = {.columns = source->columns,
                               .outputs = spc_outputs(checked.architecture->task, checked.loss,
                                                      classes.count, source->columns),
                               .steps = source->steps,
                               .weighs = source->has_weights || checked.class_weight_count > 0};
    SPC_GO(
        spc_class_weights_make(&caller.class_weights, &checked, &classes, NULL, NULL, NULL, error));
    SPC_GO(spc_run_open(&t.run, ctx, &checked, &size, error));
    caller.batch = (spc_batch_memory){
        .ctx = ctx, .columns = source->columns, .number_count = size.weighs ? 2 : 1};
    SPC_GO(spc_trainer_run(&t, model, result, error));
done:
    spc_trainer_close(&t);
    return status;
}

sparcl_status sparcl_train_source(sparcl_ctx *ctx, sparcl_model **model,
                                  const sparcl_batch_source *source, const sparcl_train_desc *desc,
                                  sparcl_train_result *result, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, train_source(ctx, model, source, desc, result, &found), &found,
                             error);
}
