/* nodes.c: rows that are nodes of a graph, on the device. */
#include "train/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/core.h"
#include "train/adjacency.h"
#include "train/problem.h"

sparcl_status spc_nodes_open(spc_nodes *nodes, sparcl_ctx *ctx, const sparcl_data *data,
                             int64_t columns, const sparcl_data *edges, sparcl_adjacency kind,
                             sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const int64_t found = sparcl_data_get_info(edges)->rows;
    *nodes = (spc_nodes){.ctx = ctx};
    SPC_TRY(spc_check_entries(data, error));
    if (found != info->rows)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "graph: expected %lld nodes, as many as the data have rows, found %lld",
                        (long long)info->rows, (long long)found);
    SPC_TRY(sparcl_data_upload(ctx, data, &nodes->x, NULL, error));
    nodes->x.cols = columns;
    if (kind == SPARCL_ADJACENCY_NONE) return SPARCL_OK;
    return spc_adjacency_make(ctx, &nodes->adjacency, edges, 0, found, kind, error);
}

void spc_nodes_close(spc_nodes *nodes) {
    sparcl_csr_free(&nodes->x);
    sparcl_csr_free(&nodes->adjacency);
    spc_node_list_close(&nodes->train);
    spc_node_list_close(&nodes->valid);
    memset(nodes, 0, sizeof *nodes);
}

void spc_node_list_close(spc_node_list *list) {
    sparcl_list_free(&list->list);
    sparcl_dense_free(&list->targets);
    sparcl_dense_free(&list->weights);
    memset(list, 0, sizeof *list);
}

static int64_t list_bytes(const spc_node_list *list) {
    return sparcl_buf_bytes(list->list.indices) + sparcl_buf_bytes(list->targets.values) +
           sparcl_buf_bytes(list->weights.values);
}

int64_t spc_nodes_bytes(const spc_nodes *nodes) {
    return spc_csr_bytes(&nodes->x) + spc_csr_bytes(&nodes->adjacency) + list_bytes(&nodes->train) +
           list_bytes(&nodes->valid);
}

sparcl_status spc_check_node_list(int64_t all, const int64_t *rows, int64_t count, const char *what,
                                  sparcl_error *error) {
    if (count < 0 || count > all || (count > 0 && !rows))
        return spc_fail(error, SPARCL_E_ARG, "%s: %lld nodes of %lld, expected a list of them",
                        what, (long long)count, (long long)all);
    char *const seen = calloc(1, (size_t)all + 1);
    if (!seen) return spc_fail_memory(error, what, (size_t)all);
    int64_t wrong = -1;
    for (int64_t i = 0; i < count && wrong < 0; ++i)
        if (rows[i] < 0 || rows[i] >= all || seen[rows[i]]++) wrong = i;
    free(seen);
    if (wrong < 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "%s: node %lld of the list is %lld, expected 0 to %lld, each once", what,
                    (long long)wrong, (long long)rows[wrong], (long long)all - 1);
}

/* The numbers of all rows for those of the list; NULL: zeros. */
static sparcl_status upload(const spc_node_list *list, sparcl_dense *to, const int64_t *rows,
                            const float *numbers, sparcl_error *error) {
    sparcl_ctx *const ctx = list->of->ctx;
    const size_t bytes = ((size_t)list->count + 1) * sizeof(float);
    float *const own = calloc(1, bytes);
    if (!own) return spc_fail_memory(error, "labels", bytes);
    for (int64_t i = 0; numbers && i < list->count; ++i)
        own[i] = numbers[rows[i]];
    *to = (sparcl_dense){.rank = 1, .shape = {list->count}};
    const sparcl_status status = sparcl_dense_upload(ctx, to, own);
    free(own);
    return spc_core(ctx, status, error);
}

sparcl_status spc_node_list_open(spc_node_list *list, const spc_nodes *nodes, const int64_t *rows,
                                 int64_t count, const float *targets, const float *weights,
                                 const char *what, sparcl_error *error) {
    SPC_TRY(spc_check_node_list(nodes->x.rows, rows, count, what, error));
    *list = (spc_node_list){
        .of = nodes,
        .count = count,
        .list = {.count = count, .limit = nodes->x.rows, .index_type = SPARCL_INDEX64}};
    SPC_TRY(upload(list, &list->targets, rows, targets, error));
    if (weights) SPC_TRY(upload(list, &list->weights, rows, weights, error));
    return spc_core(nodes->ctx, sparcl_list_upload(nodes->ctx, &list->list, rows, 0), error);
}

spc_inputs spc_node_list_inputs(const spc_node_list *list) {
    return (spc_inputs){.x = list->of->x,
                        .labels = list->targets,
                        .weights = list->weights,
                        .adjacency = list->of->adjacency,
                        .nodes = list->list};
}

static sparcl_status score(void *source, spc_forward *f, const spc_scores *out,
                           sparcl_error *error) {
    const spc_node_list *const list = source;
    const spc_inputs in = spc_node_list_inputs(list);
    double total = 0;
    SPC_TRY(spc_core(f->ctx, spc_model_graph_bind_all(&f->model, &in), error));
    SPC_TRY(spc_core(f->ctx,
                     sparcl_graph_reserve(f->model.build.graph, f->model.build.rows, list->count),
                     error));
    SPC_TRY(spc_core(f->ctx, spc_model_graph_bind(&f->model, &in), error));
    SPC_TRY(spc_forward_run(f, 0, out, &total, error));
    if (out->mean_loss) *out->mean_loss = list->count > 0 ? total / (double)list->count : 0;
    return SPARCL_OK;
}

spc_scored spc_scored_nodes(spc_node_list *list) {
    return (spc_scored){score, list};
}
