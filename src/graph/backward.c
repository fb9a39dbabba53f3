/* backward.c: adds the nodes of gradients, in reverse order of the operations. */
#include "graph/operations.h"

static sparcl_status check_loss(sparcl_graph *graph, sparcl_node loss) {
    if (loss == SPARCL_NO_NODE) return graph->first_error.status;
    spc_node *node = NULL;
    SPC_TRY(spc_node_find(graph, "backward", loss, &node));
    if (graph->has_backward)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the graph has gradients already");
    if (node->kind != SPC_VALUE_DENSE || node->rank != 1 || node->shape[0] != 1)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                             "a gradient is that of one element, such as the mean of the losses");
    if (!node->has_parameter)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "it depends on no parameter");
    return SPARCL_OK;
}

/* The gradient of a node with several readers is the sum of theirs, the last reader first. */
static sparcl_status add_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node *gradient) {
    const sparcl_node both[] = {spc_node_at(graph, node)->gradient, *gradient};
    if (both[0] == SPARCL_NO_NODE) return SPARCL_OK;
    for (int i = 0; i < 2; ++i)
        if (spc_node_at(graph, both[i])->kind != SPC_VALUE_DENSE)
            return spc_node_fail(
                graph, spc_node_at(graph, node), SPARCL_E_UNSUPPORTED,
                "it has several gradients, of which %s is not dense: a sum or mean "
                "must be its only reader",
                spc_node_at(graph, both[i])->name);
    *gradient = spc_graph_add(graph, &spc_op_add, both, 2, NULL);
    return graph->first_error.status;
}

/* The gradient of a sum is a constant without memory: only losses and sums can use it. */
static sparcl_status check_constant(const sparcl_graph *graph, const spc_node *node,
                                    sparcl_node gradient) {
    const bool uses = node->op == &spc_op_loss || node->op == &spc_op_sum;
    if (uses || spc_node_at(graph, gradient)->kind != SPC_VALUE_CONSTANT) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_UNSUPPORTED,
                         "it is summed, which has a gradient for losses only");
}

static sparcl_status set_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node gradient) {
    SPC_TRY(check_constant(graph, spc_node_at(graph, node), gradient));
    SPC_TRY(add_gradient(graph, node, &gradient));
    spc_node *const n = spc_node_at(graph, node);
    n->gradient = gradient;
    if (!n->parameter || spc_node_at(graph, gradient)->kind != SPC_VALUE_ROWS) return SPARCL_OK;
    return spc_parameter_set_row_sparse(n->parameter, graph->ctx);
}

/* Add the gradients of the operands of a node that has one itself. */
static sparcl_status add_gradients(sparcl_graph *graph, sparcl_node node) {
    sparcl_node gradients[SPC_NODE_INPUTS];
    const spc_node *const n = spc_node_at(graph, node);
    if (!n->op || n->gradient == SPARCL_NO_NODE || !n->has_parameter) return SPARCL_OK;
    if (!n->op->gradient)
        return spc_node_fail(graph, n, SPARCL_E_UNSUPPORTED, "%s has no gradient", n->op->name);
    for (int i = 0; i < SPC_NODE_INPUTS; ++i)
        gradients[i] = SPARCL_NO_NODE;
    n->op->gradient(graph, node, n->gradient, gradients);
    if (graph->first_error.status != SPARCL_OK) return graph->first_error.status;
    for (int i = 0; i < spc_node_at(graph, node)->in_count; ++i)
        if (gradients[i] != SPARCL_NO_NODE)
            SPC_TRY(set_gradient(graph, spc_node_at(graph, node)->in[i], gradients[i]));
    return SPARCL_OK;
}

static sparcl_status backward(sparcl_graph *graph, sparcl_node loss) {
    const spc_settings settings = {.like = loss};
    SPC_TRY(check_loss(graph, loss));
    graph->has_backward = true;
    graph->forward_count = graph->count;
    const sparcl_node one = spc_graph_add(graph, &spc_op_constant, NULL, 0, &settings);
    if (one == SPARCL_NO_NODE) return graph->first_error.status;
    spc_node_at(graph, loss)->gradient = one;
    for (sparcl_node node = loss; node >= 0; --node)
        SPC_TRY(add_gradients(graph, node));
    return SPARCL_OK;
}

sparcl_status sparcl_graph_backward(sparcl_graph *graph, sparcl_node loss) {
    if (!graph) return SPARCL_E_ARG;
    graph->in_backward = true;
    const sparcl_status status = backward(graph, loss);
    graph->in_backward = false;
    spc_graph_keep(graph, status);
    return status;
}

sparcl_node sparcl_graph_gradient(const sparcl_graph *graph, sparcl_node node) {
    if (!graph || node < 0 || node >= graph->count) return SPARCL_NO_NODE;
    return spc_node_at(graph, node)->gradient;
}
