/* apply_model.c: applies a model in host memory to a data set. */
#include "train/apply_model.h"
#include "train/csr_arrays.h"
#include "train/overflow.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "model/model_object.h"
#include "train/nodes.h"
#include "train/problem.h"

/* --- the values on the device ----------------------------------------------------------------- */

static int64_t elements(const sparcl_tensor *t) {
    int64_t count = 1;
    for (int d = 0; d < t->rank; ++d)
        count *= t->shape[d];
    return count;
}

/* The forward function was built for `columns`, of which the model may have fewer: a parameter with
 * a row for each gets rows of zeros. */
static sparcl_status check_shape(const sparcl_model *model, const sparcl_tensor *found,
                                 const sparcl_tensor *expected, int64_t columns,
                                 sparcl_error *error) {
    const int64_t had = sparcl_model_get_info(model)->columns;
    bool fits = found->rank == expected->rank;
    for (int d = 0; fits && d < found->rank; ++d)
        fits = found->shape[d] == expected->shape[d] ||
               (d == 0 && found->shape[d] == had && expected->shape[d] == columns);
    if (fits) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected data with the rows and columns that the model was trained for: "
                    "its parameter %s has %lld rows and %lld elements, these data need %lld and "
                    "%lld",
                    sparcl_model_architecture(model)->name, found->name, (long long)found->shape[0],
                    (long long)elements(found), (long long)expected->shape[0],
                    (long long)elements(expected));
}

static sparcl_status put_values(sparcl_dense *values, spc_forward *f, const sparcl_model *model,
                                sparcl_error *error) {
    for (int i = 0; i < f->model.count; ++i) {
        const sparcl_tensor *const found = &model->tensors[i].tensor;
        const sparcl_tensor *const shape = &f->model.parameters[i].shape;
        SPC_TRY(check_shape(model, found, shape, f->model.build.columns, error));
        values[i].rank = shape->rank;
        memcpy(values[i].shape, shape->shape, sizeof shape->shape);
        SPC_TRY(spc_core(f->ctx, sparcl_dense_zeros(f->ctx, &values[i]), error));
        sparcl_dense known = values[i];
        known.shape[0] = found->shape[0];
        SPC_TRY(spc_core(f->ctx, sparcl_dense_upload(f->ctx, &known, found->values), error));
        SPC_TRY(spc_forward_bind(f, i, &values[i], error));
    }
    return SPARCL_OK;
}

static void free_values(sparcl_dense *values, int count) {
    for (int i = 0; values && i < count; ++i)
        sparcl_dense_free(&values[i]);
    free(values);
}

sparcl_status spc_applied_open(spc_applied *to, sparcl_ctx *ctx, const sparcl_model *model,
                               const spc_forward_desc *desc, const spc_scores *scores,
                               sparcl_error *error) {
    const size_t bytes = (size_t)model->count * sizeof *to->values;
    *to = (spc_applied){.count = model->count, .values = calloc(1, bytes)};
    if (!to->values) return spc_fail_memory(error, "model", bytes);
    SPC_TRY(spc_forward_open(&to->forward, ctx, desc, scores, error));
    return put_values(to->values, &to->forward, model, error);
}

void spc_applied_close(spc_applied *a) {
    spc_forward_close(&a->forward);
    free_values(a->values, a->count);
}

spc_forward_desc spc_describe(const sparcl_model *model, const sparcl_data *data) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    return (spc_forward_desc){.architecture = &model->architecture,
                              .loss = info->loss,
                              .l2 = info->l2,
                              .columns =
                                  spc_max_i64(info->columns, sparcl_data_get_info(data)->columns),
                              .outputs = info->outputs,
                              .fields = info->fields};
}

sparcl_status spc_apply(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                        const float *targets, const float *weights, const spc_scores *scores,
                        double *penalty, sparcl_error *error) {
    spc_forward_desc desc = spc_describe(model, data);
    const size_t rows = (size_t)sparcl_data_get_info(data)->rows;
    spc_applied a = {0};
    spc_feed feed = {0};
    float *none = NULL;
    sparcl_status status = SPARCL_OK;
    desc.weighs = weights != NULL;
    if (!targets) { /* the feed needs targets; these are not used */
        targets = none = calloc(rows + 1, sizeof *none);
        if (!none) return spc_fail_memory(error, "labels", rows * sizeof *none);
    }
    SPC_GO(spc_applied_open(&a, ctx, model, &desc, scores, error));
    const spc_feed_desc of_rows = {
        .targets = targets, .weights = weights, .columns = desc.columns, .fields = desc.fields};
    SPC_GO(spc_check_fields(&model->architecture, data, desc.fields, error));
    SPC_GO(spc_feed_open(&feed, ctx, data, &of_rows, spc_feed_limit(ctx, 0), error));
    SPC_GO(spc_score(&feed, &a.forward, scores, error));
    const sparcl_csr_arrays x = spc_csr_arrays_of(data);
    if (!sparcl_data_get_info(data)->streamed)
        SPC_GO(spc_correct_overflow(model, spc_largest_weight(model), &x, 0, (int64_t)rows, scores,
                                    error));
    if (penalty) *penalty = spc_model_graph_penalty(&a.forward.model, model);
done:
    spc_feed_close(&feed);
    spc_applied_close(&a);
    free(none);
    return status;
}

sparcl_status spc_apply_nodes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                              const sparcl_node_rows *rows, const float *targets,
                              const float *weights, const spc_scores *scores, double *penalty,
                              sparcl_error *error) {
    spc_forward_desc desc = spc_describe(model, data);
    spc_applied a = {0};
    spc_nodes nodes = {0};
    sparcl_status status = SPARCL_OK;
    desc.nodes = sparcl_data_get_info(data)->rows;
    desc.rows = rows->count;
    desc.weighs = weights != NULL;
    SPC_GO(spc_applied_open(&a, ctx, model, &desc, scores, error));
    SPC_GO(spc_nodes_open(&nodes, ctx, data, desc.columns, rows->edges,
                          model->architecture.adjacency, error));
    SPC_GO(spc_node_list_open(&nodes.valid, &nodes, rows->rows, rows->count, targets, weights,
                              "nodes", error));
    const spc_scored scored = spc_scored_nodes(&nodes.valid);
    SPC_GO(scored.score(scored.source, &a.forward, scores, error));
    if (penalty) *penalty = spc_model_graph_penalty(&a.forward.model, model);
done:
    spc_nodes_close(&nodes);
    spc_applied_close(&a);
    return status;
}
