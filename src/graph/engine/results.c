/* results.c: outputs, values, and how a graph is described. */
#include "base/size.h"
#include "graph/engine/operations.h"
#include "graph/engine/schedule.h"
#include "sparcl/optim.h"

static const char *const kinds[] = {"dense", "csr", "list", "row-sparse", "coo", "constant"};

static sparcl_status find_value(sparcl_graph *graph, sparcl_node node, spc_value kind,
                                spc_node **found) {
    SPC_TRY(spc_node_find(graph, "value", node, found));
    if ((*found)->kind != kind)
        return spc_node_fail(graph, *found, SPARCL_E_ARG, "its value is not %s", kinds[kind]);
    if (!(*found)->parameter && (!graph->has_values || !(*found)->is_output || !(*found)->runs))
        return spc_node_fail(graph, *found, SPARCL_E_ARG,
                             "it is not an output of the last run (sparcl_graph_output)");
    return SPARCL_OK;
}

sparcl_status sparcl_graph_value(sparcl_graph *graph, sparcl_node node, sparcl_dense *view) {
    spc_node *found = NULL;
    if (view) *view = (sparcl_dense){.rank = 0};
    if (!graph || !view) return SPARCL_E_ARG;
    SPC_TRY(find_value(graph, node, SPC_VALUE_DENSE, &found));
    *view = found->parameter ? found->parameter->weights : found->dense;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_current(sparcl_graph *graph, sparcl_node parameter, sparcl_dense *view) {
    spc_node *found = NULL;
    if (view) *view = (sparcl_dense){.rank = 0};
    if (!graph || !view) return SPARCL_E_ARG;
    SPC_TRY(find_value(graph, parameter, SPC_VALUE_DENSE, &found));
    if (!found->parameter)
        return spc_node_fail(graph, found, SPARCL_E_ARG, "it is not a parameter");
    return spc_node_status(graph, found, spc_parameter_current(found->parameter, graph->ctx, view));
}

sparcl_status sparcl_graph_rows_value(sparcl_graph *graph, sparcl_node node, sparcl_rows *view) {
    spc_node *found = NULL;
    if (view) *view = (sparcl_rows){.rank = 0};
    if (!graph || !view) return SPARCL_E_ARG;
    SPC_TRY(find_value(graph, node, SPC_VALUE_ROWS, &found));
    *view = found->rows;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_csr_value(sparcl_graph *graph, sparcl_node node, sparcl_csr *view) {
    spc_node *found = NULL;
    if (view) *view = (sparcl_csr){.rows = 0};
    if (!graph || !view) return SPARCL_E_ARG;
    SPC_TRY(find_value(graph, node, SPC_VALUE_CSR, &found));
    *view = found->csr;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_coo_value(sparcl_graph *graph, sparcl_node node, sparcl_coo *view) {
    spc_node *found = NULL;
    if (view) *view = (sparcl_coo){.rank = 0};
    if (!graph || !view) return SPARCL_E_ARG;
    SPC_TRY(find_value(graph, node, SPC_VALUE_COO, &found));
    *view = found->coo;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_memory(sparcl_graph *graph, int64_t *bytes, int64_t *unshared) {
    if (bytes) *bytes = 0;
    if (unshared) *unshared = 0;
    if (!graph) return SPARCL_E_ARG;
    SPC_TRY(spc_graph_plan(graph, graph->has_backward));
    if (bytes) *bytes = graph->schedule.bytes;
    if (unshared) *unshared = graph->schedule.unshared;
    return SPARCL_OK;
}

/* --- outputs ---------------------------------------------------------------------------------- */

sparcl_status sparcl_graph_bind_output(sparcl_graph *graph, sparcl_node output,
                                       const sparcl_dense *view) {
    if (!graph) return SPARCL_E_ARG;
    spc_node *node = NULL;
    SPC_TRY(spc_node_find(graph, "bind", output, &node));
    if (!node->op || node->kind != SPC_VALUE_DENSE || !view)
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             view ? "it is not a dense result" : "the view is NULL");
    if (view->dtype != node->dtype)
        return spc_node_fail(graph, node, SPARCL_E_DTYPE, "the view is %s, expected %s",
                             spc_dtype_name(view->dtype), spc_dtype_name(node->dtype));
    bool fits = view->rank == node->rank;
    for (int d = 0; d < node->rank && fits; ++d)
        fits = view->shape[d] == node->shape[d]; /* a size that changes is negative */
    if (!fits)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                             "the view has another shape, or the node's may change");
    if (!node->has_target || !node->is_output) graph->schedule.is_made = false;
    node->is_output = node->has_target = true;
    node->dense = *view;
    return SPARCL_OK;
}

/* --- descriptions ----------------------------------------------------------------------------- */

static int64_t parameter_bytes(const spc_parameter *p) {
    int64_t bytes = sparcl_buf_bytes(p->weights.values);
    for (int s = 0; s < SPARCL_MAX_STATES; ++s)
        if (p->states[s].values) bytes += sparcl_buf_bytes(p->states[s].values);
    bytes += sparcl_lazy_bytes(p->optim.lazy.object);
    return p->optim.lazy.last_steps ? bytes + sparcl_buf_bytes(p->optim.lazy.last_steps) : bytes;
}

sparcl_status sparcl_graph_node_info(sparcl_graph *graph, sparcl_node node,
                                     sparcl_node_info *info) {
    spc_node *found = NULL;
    if (info) *info = (sparcl_node_info){.rank = 0};
    if (!graph || !info) return SPARCL_E_ARG;
    SPC_TRY(spc_node_find(graph, "node_info", node, &found));
    SPC_TRY(spc_graph_plan(graph, graph->has_backward));
    info->name = found->name;
    info->operation = found->op ? found->op->about.name : found->parameter ? "parameter" : "input";
    info->kind = kinds[found->kind];
    info->dtype = found->dtype;
    info->rank = found->rank;
    for (int d = 0; d < found->rank; ++d)
        info->shape[d] = spc_dim_capacity(graph, found->shape[d]);
    if (found->kind == SPC_VALUE_ROWS) info->stored = spc_stored_capacity(graph, found);
    if (found->kind == SPC_VALUE_COO) info->stored = spc_dim_capacity(graph, found->stored);
    info->runs = found->runs && !found->is_fused && !found->is_late;
    info->at = -1;
    if (found->parameter) info->bytes = parameter_bytes(found->parameter);
    if (!spc_has_memory(found)) return SPARCL_OK;
    info->bytes = found->bytes;
    info->at = found->at;
    return SPARCL_OK;
}
