/* source_nodes.c: trains from the nodes of a graph: every step has all nodes of the training. */
#include <stdlib.h>

#include "base/error.h"
#include "train/nodes.h"
#include "train/row_weights.h"
#include "train/training_source.h"

typedef struct node_source {
    spc_nodes nodes;
    float *targets, *train_weights, *valid_weights; /* of all rows; weights NULL: 1 */
} node_source;

static sparcl_status next_batch(void *state, int64_t epoch, int64_t step, spc_inputs *inputs,
                                sparcl_error *error) {
    const node_source *const s = state;
    (void)epoch;
    (void)step;
    (void)error;
    *inputs = spc_node_list_inputs(&s->nodes.train);
    return SPARCL_OK;
}

static void add_memory(const void *state, sparcl_train_memory *memory) {
    memory->data += spc_nodes_bytes(&((const node_source *)state)->nodes);
}

static void close_nodes(void *state) {
    node_source *const s = state;
    spc_nodes_close(&s->nodes);
    free(s->targets);
    free(s->train_weights);
    free(s->valid_weights);
    free(s);
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

static sparcl_status make_weights(node_source *s, const spc_training *of, sparcl_error *error) {
    const sparcl_train_nodes *const nodes = of->desc->nodes;
    const spc_row_list train = {nodes->train, nodes->train_count};
    const spc_row_list valid = {nodes->valid, nodes->valid_count};
    const int64_t all = sparcl_data_get_info(of->train)->rows;
    SPC_TRY(spc_check_node_list(all, train.rows, train.count, "train: nodes.train", error));
    SPC_TRY(spc_check_node_list(all, valid.rows, valid.count, "train: nodes.valid", error));
    SPC_TRY(spc_row_weights_make(&s->train_weights, of->desc, of->classes, of->train, s->targets,
                                 &train, error));
    return spc_row_weights_make(&s->valid_weights, NULL, NULL, of->train, NULL, &valid, error);
}

static sparcl_status open_lists(spc_source *source, const sparcl_train_nodes *nodes,
                                sparcl_error *error) {
    node_source *const s = source->state;
    spc_nodes *const to = &s->nodes;
    SPC_TRY(spc_node_list_open(&to->train, to, nodes->train, nodes->train_count, s->targets,
                               s->train_weights, "train: nodes.train", error));
    source->train = spc_scored_nodes(&to->train);
    if (nodes->valid_count == 0) return SPARCL_OK;
    SPC_TRY(spc_node_list_open(&to->valid, to, nodes->valid, nodes->valid_count, s->targets,
                               s->valid_weights, "train: nodes.valid", error));
    source->valid = spc_scored_nodes(&to->valid);
    return SPARCL_OK;
}

sparcl_status spc_open_nodes(spc_source *source, spc_run *run, const spc_training *of,
                             sparcl_error *error) {
    const sparcl_train_desc *const d = of->desc;
    const sparcl_architecture *const a = d->architecture;
    spc_run_size size = {.nodes = sparcl_data_get_info(of->train)->rows, .steps = 1};
    node_source *const s = calloc(1, sizeof *s);
    if (!s) return spc_fail_memory(error, "nodes", sizeof *s);
    *source = (spc_source){
        .state = s, .next = next_batch, .add_memory = add_memory, .close = close_nodes};
    SPC_TRY(check(d->nodes, of->valid, error));
    SPC_TRY(spc_find_columns(d, of->train, &size.columns, error));
    size.outputs = spc_outputs(a->task, d->loss, of->classes->count, size.columns);
    SPC_TRY(spc_rows_make(&s->targets, NULL, d, of->classes, of->train, true, false, error));
    size.weighs = spc_has_weights(d, NULL, of->train, NULL);
    SPC_TRY(spc_run_open(run, of->ctx, d, &size, error));
    SPC_TRY(spc_nodes_open(&s->nodes, of->ctx, of->train, size.columns, d->nodes->edges,
                           a->adjacency, error));
    run->keeps_batch = true;
    if (size.weighs) SPC_TRY(make_weights(s, of, error));
    return open_lists(source, d->nodes, error);
}
