/* train.c: trains from a data set. */
#include <stdbool.h>

#include "base/error.h"
#include "train/data_columns.h"
#include "train/loop.h"
#include "train/start.h"
#include "train/train_lbfgs.h"
#include "train/width.h"

static sparcl_status open_source(spc_source *source, spc_run *run, const spc_training *of,
                                 sparcl_error *error) {
    const sparcl_task task = of->desc->architecture->task;
    return (task == SPARCL_TASK_NODES  ? spc_open_nodes
            : task == SPARCL_TASK_RANK ? spc_open_pairs
                                       : spc_open_rows)(source, run, of, error);
}

static bool has_valid(const sparcl_data *valid, const sparcl_train_desc *desc) {
    return valid || (desc->nodes && desc->nodes->valid_count > 0);
}

sparcl_status spc_train(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train,
                        const sparcl_data *valid, const sparcl_train_desc *desc,
                        sparcl_train_result *result, sparcl_error *error) {
    spc_trainer t = {.valid = valid};
    sparcl_train_desc checked;
    spc_classes classes = {0};
    sparcl_status status = SPARCL_OK;
    if (model) *model = NULL;
    if (!ctx || !model || !train || !desc)
        return spc_fail(error, SPARCL_E_ARG, "train: ctx, model, train or desc is NULL");
    SPC_TRY(spc_run_check(&checked, desc, error));
    if (checked.patience > 0 && !has_valid(valid, &checked))
        return spc_refuse_patience(checked.patience, error);
    SPC_GO(spc_start_classes(&classes, &checked, train, error));
    if (checked.solver == SPARCL_SOLVER_LBFGS) {
        SPC_GO(spc_check_entries(train, error));
        SPC_GO(spc_train_lbfgs(ctx, model, train, valid, &checked, &classes, NULL, result, error));
        goto done;
    }
    if (checked.standardize_labels) classes.units = spc_label_units_of(train, !checked.no_bias);
    const spc_training of = {ctx, train, valid, &checked, &classes};
    t.info = (sparcl_model_info){.index_base = sparcl_data_get_info(train)->index_base,
                                 .fingerprint = spc_start_fingerprint(&checked, train),
                                 .labels = classes.labels,
                                 .classes = classes.count};
    SPC_GO(open_source(&t.source, &t.run, &of, error));
    SPC_GO(spc_trainer_run(&t, model, result, error));
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
