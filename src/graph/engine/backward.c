/* backward.c: adds the nodes of gradients, in reverse order of the operations. */
#include "graph/engine/operations.h"

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

/* --- the gradient of a node ------------------------------------------------------------------- */

static spc_value kind_of(const sparcl_graph *graph, sparcl_node node) {
    return spc_node_at(graph, node)->kind;
}

/* A constant has no memory: sums, losses and sums of nodes take it as it is. */
static sparcl_node expand_constant(sparcl_graph *graph, sparcl_node node, sparcl_node gradient) {
    const spc_node *const n = spc_node_at(graph, node);
    const bool takes_constants = n->op == &spc_op_loss || n->op == &spc_op_sum ||
                                 n->op == &spc_op_mean || spc_is_sum(graph, n);
    const spc_settings settings = {.like = node};
    if (takes_constants || kind_of(graph, gradient) != SPC_VALUE_CONSTANT) return gradient;
    return spc_graph_add(graph, &spc_op_expand, &gradient, 1, &settings);
}

/* The gradient of a node with several readers is the sum of theirs, the last reader first. */
static sparcl_node add_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node gradient) {
    const spc_settings settings = {.like = node};
    sparcl_node both[] = {spc_node_at(graph, node)->gradient, gradient};
    if (both[0] == SPARCL_NO_NODE) return gradient;
    if (kind_of(graph, both[0]) == SPC_VALUE_ROWS && kind_of(graph, both[1]) == SPC_VALUE_ROWS)
        return spc_graph_add(graph, &spc_op_concat, both, 2, NULL);
    if (kind_of(graph, both[0]) == SPC_VALUE_CONSTANT &&
        kind_of(graph, both[1]) == SPC_VALUE_CONSTANT)
        return spc_graph_add(graph, &spc_op_constant, both, 2, &settings);
    for (int i = 0; i < 2; ++i)
        if (kind_of(graph, both[i]) == SPC_VALUE_CONSTANT)
            both[i] = spc_graph_add(graph, &spc_op_expand, &both[i], 1, &settings);
    return sparcl_graph_binary(graph, SPARCL_BINARY_ADD, both[0], both[1]);
}

static sparcl_status set_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node gradient) {
    const sparcl_node own = expand_constant(graph, node, gradient);
    const sparcl_node sum = own == SPARCL_NO_NODE ? SPARCL_NO_NODE : add_gradient(graph, node, own);
    spc_node_at(graph, node)->gradient = sum;
    return graph->first_error.status;
}

/* After all readers: a row-sparse gradient has each row once, and rows will miss steps. */
static sparcl_status finish_parameter(sparcl_graph *graph, sparcl_node node) {
    sparcl_node gradient = spc_node_at(graph, node)->gradient;
    if (kind_of(graph, gradient) != SPC_VALUE_ROWS) return SPARCL_OK;
    if (!spc_node_at(graph, gradient)->is_unique)
        gradient = spc_graph_add(graph, &spc_op_coalesce, &gradient, 1, NULL);
    spc_node_at(graph, node)->gradient = gradient;
    SPC_TRY(graph->first_error.status);
    return spc_parameter_set_row_sparse(spc_node_at(graph, node)->parameter, graph->ctx);
}

/* --- all gradients ---------------------------------------------------------------------------- */

/* Add the gradients of the operands of a node that has one itself. */
static sparcl_status add_gradients(sparcl_graph *graph, sparcl_node node) {
    sparcl_node gradients[SPC_NODE_INPUTS];
    const spc_node *const n = spc_node_at(graph, node);
    if (n->gradient == SPARCL_NO_NODE || !n->has_parameter) return SPARCL_OK;
    if (n->parameter) return finish_parameter(graph, node);
    if (!n->op->gradient)
        return spc_node_fail(graph, n, SPARCL_E_UNSUPPORTED, "%s has no gradient",
                             n->op->about.name);
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
    SPC_TRY(set_gradient(graph, loss, one));
    for (sparcl_node node = loss; node >= 0; --node)
        SPC_TRY(add_gradients(graph, node));
    return spc_graph_clip_gradients(graph);
}

sparcl_status sparcl_graph_backward(sparcl_graph *graph, sparcl_node loss) {
    if (!graph) return SPARCL_E_ARG;
    const bool had_backward = graph->has_backward;
    graph->in_backward = true;
    const sparcl_status status = backward(graph, loss);
    graph->in_backward = false;
    graph->is_partial |= status != SPARCL_OK && graph->has_backward != had_backward;
    spc_graph_keep(graph, status);
    return status;
}

sparcl_node sparcl_graph_gradient(const sparcl_graph *graph, sparcl_node node) {
    if (!graph || node < 0 || node >= graph->count) return SPARCL_NO_NODE;
    return spc_node_at(graph, node)->gradient;
}
