/* train_nodes.c: trains from the nodes of a graph: every step has all nodes of the training. */
#include "train/train_nodes.h"

#include "base/error.h"
#include "train/row_weights.h"

static sparcl_status next_batch(spc_trainer *t, int64_t epoch, int64_t step, spc_inputs *inputs,
                                sparcl_error *error) {
    (void)epoch;
    (void)step;
    (void)error;
    *inputs = spc_node_list_inputs(&t->nodes.train);
    return SPARCL_OK;
}

static sparcl_status check(const sparcl_train_nodes *nodes, const sparcl_data *valid,
                           sparcl_error *error) {
    if (valid)
        return spc_fail(error, SPARCL_E_ARG,
                        "train: valid is set, expected NULL: nodes.valid says which rows validate");
    if (!nodes->edges)
        return spc_fail(error, SPARCL_E_ARG, "train: nodes.edges is NULL, expected a graph");
    if (nodes->train_count >= 1) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "train: nodes.train_count is %lld, expected at least 1",
                    (long long)nodes->train_count);
}

static sparcl_status make_weights(spc_trainer *t, const sparcl_data *data,
                                  const sparcl_train_nodes *nodes, sparcl_error *error) {
    const spc_row_list train = {nodes->train, nodes->train_count};
    const spc_row_list valid = {nodes->valid, nodes->valid_count};
    const int64_t all = sparcl_data_get_info(data)->rows;
    SPC_TRY(spc_check_node_list(all, train.rows, train.count, "train: nodes.train", error));
    SPC_TRY(spc_check_node_list(all, valid.rows, valid.count, "train: nodes.valid", error));
    SPC_TRY(spc_row_weights_make(&t->weights, &t->run.desc, t->classes, data, t->targets, &train,
                                 error));
    return spc_row_weights_make(&t->valid_weights, NULL, NULL, data, NULL, &valid, error);
}

static sparcl_status open_lists(spc_trainer *t, const sparcl_train_nodes *nodes,
                                sparcl_error *error) {
    spc_nodes *const to = &t->nodes;
    SPC_TRY(spc_node_list_open(&to->train, to, nodes->train, nodes->train_count, t->targets,
                               t->weights, "train: nodes.train", error));
    t->train_rows = spc_scored_nodes(&to->train);
    if (nodes->valid_count == 0) return SPARCL_OK;
    SPC_TRY(spc_node_list_open(&to->valid, to, nodes->valid, nodes->valid_count, t->targets,
                               t->valid_weights, "train: nodes.valid", error));
    t->valid_rows = spc_scored_nodes(&to->valid);
    return SPARCL_OK;
}

sparcl_status spc_open_nodes(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *data,
                             const sparcl_data *valid, const sparcl_train_desc *checked,
                             sparcl_error *error) {
    const sparcl_architecture *const a = checked->architecture;
    const int64_t rows = sparcl_data_get_info(data)->rows;
    spc_run_size size = {.nodes = rows, .steps = 1};
    SPC_TRY(check(checked->nodes, valid, error));
    SPC_TRY(spc_find_columns(checked, data, &size.columns, error));
    size.outputs = spc_outputs(a->task, checked->loss, t->classes->count, size.columns);
    SPC_TRY(spc_rows_make(&t->targets, NULL, checked, t->classes, data, true, false, error));
    size.weighs = spc_has_weights(checked, NULL, data, NULL);
    SPC_TRY(spc_run_open(&t->run, ctx, checked, &size, error));
    SPC_TRY(spc_nodes_open(&t->nodes, ctx, data, size.columns, checked->nodes->edges, a->adjacency,
                           error));
    t->next = next_batch;
    t->run.keeps_batch = true;
    if (size.weighs) SPC_TRY(make_weights(t, data, checked->nodes, error));
    return open_lists(t, checked->nodes, error);
}
