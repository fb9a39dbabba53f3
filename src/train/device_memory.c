/* device_memory.c: the device memory of a training. */
#include "train/device_memory.h"

#include "model/core.h"

static int64_t csr_bytes(const sparcl_csr *x) {
    return sparcl_buf_bytes(x->offsets) + sparcl_buf_bytes(x->indices) +
           sparcl_buf_bytes(x->values);
}

static int64_t data_bytes(const spc_feed *feed) {
    int64_t bytes = csr_bytes(&feed->all) + sparcl_buf_bytes(feed->list.indices) +
                    sparcl_buf_bytes(feed->all_fields);
    for (int i = 0; i < SPC_ROW_NUMBERS; ++i)
        bytes += sparcl_buf_bytes(feed->all_numbers[i]) + sparcl_buf_bytes(feed->pass_numbers[i]);
    return bytes;
}

static int64_t list_bytes(const spc_node_list *list) {
    return sparcl_buf_bytes(list->list.indices) + sparcl_buf_bytes(list->targets.values) +
           sparcl_buf_bytes(list->weights.values);
}

static int64_t node_bytes(const spc_nodes *nodes) {
    return csr_bytes(&nodes->x) + csr_bytes(&nodes->adjacency) + list_bytes(&nodes->train) +
           list_bytes(&nodes->valid);
}

static int64_t batch_bytes(const spc_batch_memory *batch) {
    int64_t bytes = csr_bytes(&batch->x) + sparcl_buf_bytes(batch->x_fields);
    for (int i = 0; i < SPC_ROW_NUMBERS; ++i)
        bytes += sparcl_buf_bytes(batch->x_numbers[i]);
    return bytes;
}

static sparcl_status add_parameters(const spc_run *run, sparcl_train_memory *memory) {
    for (int i = 0; i < run->model.count; ++i) {
        sparcl_node_info info;
        SPC_TRY(sparcl_graph_node_info(memory->graph, run->model.parameters[i].node, &info));
        memory->parameters += info.bytes;
    }
    return SPARCL_OK;
}

/* The sizes of inputs are capacities. */
static sparcl_status add_graphs(const spc_run *run, sparcl_train_memory *memory) {
    const sparcl_build *const build = &run->model.build;
    sparcl_node_info labels, x = {0};
    SPC_TRY(add_parameters(run, memory));
    SPC_TRY(sparcl_graph_memory(memory->graph, &memory->values, NULL));
    SPC_TRY(sparcl_graph_node_info(memory->graph, build->labels, &labels));
    if (build->x != SPARCL_NO_NODE) SPC_TRY(sparcl_graph_node_info(memory->graph, build->x, &x));
    memory->rows = labels.shape[0];
    memory->entries = x.shape[2];
    if (!run->forward.ctx) return SPARCL_OK;
    return sparcl_graph_memory(run->forward.model.build.graph, &memory->evaluation, NULL);
}

sparcl_status spc_trainer_report_memory(spc_trainer *t, sparcl_error *error) {
    const sparcl_train_desc *const desc = &t->run.desc;
    sparcl_train_memory memory = {
        .graph = t->run.model.build.graph,
        .data = data_bytes(&t->feed) + node_bytes(&t->nodes) + csr_bytes(&t->bipartite.known) +
                csr_bytes(&t->bipartite.adjacency) + spc_pairs_bytes(&t->pairs) +
                spc_pairs_bytes(&t->scored_pairs),
        .valid = data_bytes(&t->valid) + spc_pairs_bytes(&t->valid_pairs),
        .batches = batch_bytes(&t->feed.batch) + batch_bytes(&t->valid.batch)};
    if (!desc->memory) return SPARCL_OK;
    SPC_TRY(spc_core(t->run.ctx, add_graphs(&t->run, &memory), error));
    desc->memory(desc->memory_user, &memory);
    return SPARCL_OK;
}
