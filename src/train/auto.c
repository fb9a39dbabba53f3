/* auto.c: trains a model without settings. */
#include "sparcl/auto.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "sparcl/optim_text.h"
#include "train/auto_select.h"
#include "train/csr_arrays.h"
#include "train/data_columns.h"
#include "train/row_weights.h"
#include "train/run.h"
#include "train/trial.h"
#include "train/width.h"

static const int64_t most_parameters = 1 << 25;

static sparcl_status check_rows(const sparcl_data *data, sparcl_error *error) {
    char place[128];
    if (sparcl_data_get_info(data)->rows > 1) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected at least two rows, of which some are held out to choose the "
                    "settings, found one; add rows, or name the settings",
                    sparcl_data_place(data, -1, place, sizeof place));
}

static sparcl_status count_parameters(spc_trial *t, sparcl_error *error) {
    const int64_t outputs =
        spc_outputs(SPARCL_TASK_LABELS, t->desc.loss, t->classes.count, t->columns);
    if (!spc_mul_i64(t->columns + 1, outputs, &t->parameters))
        return spc_fail(error, SPARCL_E_MEMORY,
                        "train: %lld columns with %lld outputs are too many", (long long)t->columns,
                        (long long)outputs);
    return SPARCL_OK;
}

/* --- class weights ---------------------------------------------------------------------------- */

/* What is trained on parts of the data, and measured on others, has the weights of all rows. */
static sparcl_status weigh(spc_trial *t, sparcl_error *error) {
    float *targets = NULL, *weights = NULL;
    if (t->desc.class_weight_count == 0 && !t->desc.balance_classes) return SPARCL_OK;
    sparcl_status status =
        spc_rows_make(&targets, &weights, &t->desc, &t->classes, t->data, true, true, error);
    sparcl_data_arrays arrays = spc_data_arrays_of(t->data);
    arrays.weights = weights;
    if (status == SPARCL_OK) status = sparcl_data_create(&t->weighted, &arrays, error);
    free(targets);
    free(weights);
    return status;
}

static void close_trial(spc_trial *t) {
    for (int f = 0; f < SPC_FOLDS; ++f) {
        sparcl_data_free(t->rest[f]);
        sparcl_data_free(t->held[f]);
        free(t->start[f]);
    }
    sparcl_data_free(t->weighted);
    spc_classes_free(&t->classes);
}

/* Other models than the linear one have no C. */
static sparcl_status check_architecture(const sparcl_train_desc *desc, sparcl_error *error) {
    const sparcl_architecture *const a = desc->architecture;
    if (!a || (a->task == SPARCL_TASK_LABELS && isnan(desc->optim.lr))) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: the model is %s, expected one of labels, whose optimizer has the rate "
                    "NaN, which is searched for, or NULL: a linear one",
                    a->name);
}

/* L-BFGS needs derivatives, and memory for many times the parameters. */
static bool uses_lbfgs(const spc_trial *t) {
    return t->desc.loss != SPARCL_LOSS_HINGE && t->parameters <= most_parameters;
}

/* These are of one run, and here are many. */
static void forget_unused(sparcl_train_desc *desc) {
    desc->checkpoint = NULL;
    desc->checkpoint_steps = 0;
    desc->checkpoint_seconds = desc->max_seconds = 0;
    desc->clip_global_norm = 0;
    desc->resume = desc->overwrite = 0;
    desc->start = NULL;
    desc->keep_state = 0;
}

static sparcl_status train_auto(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data,
                                const sparcl_train_desc *desc, sparcl_select select,
                                sparcl_tried_fn after, void *user, sparcl_auto_result *result,
                                sparcl_error *error) {
    sparcl_auto_result ignored;
    spc_trial t = {.ctx = ctx, .data = data, .select = select, .after = after, .user = user};
    sparcl_status status = SPARCL_OK;
    if (model) *model = NULL;
    if (!ctx || !model || !data || !desc)
        return spc_fail(error, SPARCL_E_ARG, "train: ctx, model, data or desc is NULL");
    t.result = result ? result : &ignored;
    *t.result = (sparcl_auto_result){.solver = SPARCL_SOLVER_LBFGS};
    sparcl_train_desc given = *desc;
    const bool has_rule = isnan(desc->optim.lr);
    if (has_rule)
        given.optim.lr = 1;
    else
        sparcl_optim_init(&given.optim, SPARCL_RULE_ADAGRAD);
    SPC_TRY(spc_run_check(&t.desc, &given, error));
    forget_unused(&t.desc);
    SPC_TRY(check_architecture(desc, error));
    t.is_linear = !desc->architecture;
    SPC_GO(spc_select_check(select, t.desc.loss, error));
    SPC_GO(spc_check_entries(data, error));
    SPC_GO(spc_find_columns(&t.desc, data, &t.columns, error));
    SPC_GO(spc_classes_find(&t.classes, SPARCL_TASK_LABELS, t.desc.loss, data, error));
    SPC_GO(check_rows(data, error));
    SPC_GO(count_parameters(&t, error));
    SPC_GO(weigh(&t, error));
    SPC_GO((has_rule || !uses_lbfgs(&t) ? spc_search_rate : spc_search_c)(&t, model, error));
    SPC_GO(spc_keep_data_columns(model, data, error)); /* data with class weights has none */
    SPC_GO(spc_note_choice(*model, select, t.result, error));
done:
    status = spc_explain_width(
        ctx, data, spc_outputs(SPARCL_TASK_LABELS, t.desc.loss, t.classes.count, 1), status, error);
    if (status != SPARCL_OK) {
        sparcl_model_free(*model);
        *model = NULL;
    }
    close_trial(&t);
    return status;
}

sparcl_status sparcl_train_auto(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data,
                                const sparcl_train_desc *desc, sparcl_select select,
                                sparcl_tried_fn after, void *user, sparcl_auto_result *result,
                                sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(
        ctx, train_auto(ctx, model, data, desc, select, after, user, result, &found), &found,
        error);
}
