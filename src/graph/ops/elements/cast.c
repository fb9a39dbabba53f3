/* cast.c: another element type in the table of operations. */
#include "graph/engine/operations.h"
#include "sparcl/ops/elements.h"

static sparcl_status cast_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_type(graph, "graph: cast", node->settings.dtype));
    SPC_TRY(spc_like_first(graph, node));
    node->dtype = node->settings.dtype;
    return SPARCL_OK;
}

static sparcl_status cast_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_copy(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense);
}

static void cast_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const spc_settings settings = {.dtype =
                                       spc_node_at(graph, spc_node_at(graph, node)->in[0])->dtype};
    gradients[0] = spc_graph_add(graph, &spc_op_cast, &of, 1, &settings);
}

const spc_operation spc_op_cast = {
    .about = {"cast", "x: dense; or the values of a CSR matrix or COO array, or row-sparse",
              "x in another floating-point type", "x: the gradient in the type of x"},
    .infer = cast_infer,
    .launch = cast_launch,
    .gradient = cast_gradient};

/* The indices of a sparse array stay. */
sparcl_node sparcl_graph_cast(sparcl_graph *graph, sparcl_node x, sparcl_dtype dtype) {
    const spc_settings settings = {.dtype = dtype};
    const bool exists = graph && x >= 0 && x < graph->count;
    const spc_node *const node = exists ? spc_node_at(graph, x) : NULL;
    if (exists && node->kind != SPC_VALUE_LIST && node->dtype == dtype) return x;
    if (exists && (node->kind == SPC_VALUE_CSR || node->kind == SPC_VALUE_ROWS ||
                   node->kind == SPC_VALUE_COO))
        return sparcl_graph_with_values(
            graph, x, sparcl_graph_cast(graph, sparcl_graph_values(graph, x), dtype));
    return spc_graph_add(graph, &spc_op_cast, &x, 1, &settings);
}
