/* results.c: outputs, values, and how a graph is described. */
#include "base/size.h"
#include "graph/operations.h"
#include "graph/schedule.h"

static const char *const kinds[] = {"dense", "csr", "list", "row-sparse", "constant"};

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
                             spc_dtype_text(view->dtype), spc_dtype_text(node->dtype));
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
    for (int s = 0; s < 2; ++s)
        if (p->states[s].values) bytes += sparcl_buf_bytes(p->states[s].values);
    return p->optim.last_steps ? bytes + sparcl_buf_bytes(p->optim.last_steps) : bytes;
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
    info->runs = found->runs && !found->is_fused && !found->is_late;
    info->at = -1;
    if (found->parameter) info->bytes = parameter_bytes(found->parameter);
    if (!spc_has_memory(found)) return SPARCL_OK;
    info->bytes = found->bytes;
    info->at = found->at;
    return SPARCL_OK;
}

const sparcl_operation_info *sparcl_graph_operation(int index) {
    static const spc_operation *const all[] = {&spc_op_spmm,
                                               &spc_op_spmm_t,
                                               &spc_op_sddmm,
                                               &spc_op_gemm,
                                               &spc_op_transpose,
                                               &spc_op_gather,
                                               &spc_op_columns,
                                               &spc_op_bag,
                                               &spc_op_add,
                                               &spc_op_add_bias,
                                               &spc_op_activate,
                                               &spc_op_unary,
                                               &spc_op_clip,
                                               &spc_op_binary,
                                               &spc_op_csr_broadcast,
                                               &spc_op_to_dense,
                                               &spc_op_sparse_mask,
                                               &spc_op_topk_rows,
                                               &spc_op_values,
                                               &spc_op_with_values,
                                               &spc_op_csr_transpose,
                                               &spc_op_csr_reshape,
                                               &spc_op_slice_rows,
                                               &spc_op_slice_columns,
                                               &spc_op_take_rows,
                                               &spc_op_take_columns,
                                               &spc_op_retain_rows,
                                               &spc_op_concat_rows,
                                               &spc_op_concat_columns,
                                               &spc_op_block_diagonal,
                                               &spc_op_sum_duplicates,
                                               &spc_op_fill_empty_rows,
                                               &spc_op_loss,
                                               &spc_op_sum,
                                               &spc_op_mean,
                                               &spc_op_reduce,
                                               &spc_op_csr_reduce,
                                               &spc_op_segment_reduce,
                                               &spc_op_dot_rows,
                                               &spc_op_csr_softmax,
                                               &spc_op_spmm_reduce,
                                               &spc_op_spgemm,
                                               &spc_op_csr_add,
                                               &spc_op_csr_multiply,
                                               &spc_op_embedding,
                                               &spc_op_embedding_bag,
                                               &spc_op_dropout,
                                               &spc_op_layer_norm,
                                               &spc_op_batch_norm,
                                               &spc_op_dense_concat,

                                               &spc_op_bag_gradient,
                                               &spc_op_activate_gradient,
                                               &spc_op_unary_gradient,
                                               &spc_op_clip_gradient,
                                               &spc_op_binary_gradient_x,
                                               &spc_op_binary_gradient_y,
                                               &spc_op_csr_broadcast_gradient,
                                               &spc_op_loss_gradient,
                                               &spc_op_reduce_gradient,
                                               &spc_op_csr_reduce_gradient,
                                               &spc_op_segment_reduce_gradient,
                                               &spc_op_dot_rows_gradient,
                                               &spc_op_csr_softmax_gradient,
                                               &spc_op_spmm_reduce_a,
                                               &spc_op_spmm_reduce_b,
                                               &spc_op_spgemm_gradient,
                                               &spc_op_csr_binary_gradient,
                                               &spc_op_embedding_gradient,
                                               &spc_op_bag_coefficients,
                                               &spc_op_bag_weights_gradient,
                                               &spc_op_bag_max_gradient,
                                               &spc_op_norm_statistics,
                                               &spc_op_norm_gradient,
                                               &spc_op_dense_part,
                                               &spc_op_as_rows,
                                               &spc_op_concat,
                                               &spc_op_coalesce,
                                               &spc_op_constant,
                                               &spc_op_expand,
                                               &spc_op_values_of,
                                               &spc_op_map};
    return index >= 0 && index < (int)SPC_COUNT(all) ? &all[index]->about : NULL;
}
