/* csr_softmax.c: the softmax of the rows of a CSR matrix in the table of operations. */
#include "graph/engine/operations.h"
#include "sparcl/ops/reductions.h"

static const sparcl_dense *dense_of(const sparcl_graph *graph, const spc_node *node, int i) {
    return &spc_operand(graph, node, i)->dense;
}

/* --- csr_softmax ------------------------------------------------------------------------------ */

static sparcl_status csr_softmax_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    spc_set_dense(node, 1, spc_operand(graph, node, 0)->shape[2], 0);
    return SPARCL_OK;
}

static sparcl_status csr_softmax_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_csr_softmax(graph->ctx, node->settings.softmax, &node->dense,
                              &spc_operand(graph, node, 0)->csr);
}

static sparcl_status csr_softmax_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_csr_softmax_gradient(graph->ctx, node->settings.softmax, &node->dense,
                                       dense_of(graph, node, 0), dense_of(graph, node, 2),
                                       &spc_operand(graph, node, 1)->csr);
}

/* Like the gradient of the result. */
static sparcl_status csr_softmax_gradient_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 2));
    return spc_like_first(graph, node);
}

const spc_operation spc_op_csr_softmax_gradient = {
    .about = {"csr_softmax_gradient", "the gradient of the result; A; the result",
              "the gradient of A's values, or of those of the heads", NULL},
    .infer = csr_softmax_gradient_infer,
    .launch = csr_softmax_gradient_launch,
    .in_place = true};

static void csr_softmax_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                 sparcl_node *gradients) {
    gradients[0] = spc_gradient_of_all(graph, &spc_op_csr_softmax_gradient, node, of);
}

const spc_operation spc_op_csr_softmax = {
    .about = {"csr_softmax", "A: CSR [m, k] with n entries",
              "the softmax, or its logarithm, of the entries of each row, as values: [n]",
              "A's values: from the result"},
    .infer = csr_softmax_infer,
    .launch = csr_softmax_launch,
    .gradient = csr_softmax_gradient};

sparcl_node sparcl_graph_csr_softmax(sparcl_graph *graph, sparcl_softmax kind, sparcl_node a) {
    const spc_settings settings = {.softmax = kind};
    return spc_graph_add(graph, &spc_op_csr_softmax, &a, 1, &settings);
}

/* --- csr_softmax_heads: the numbers of each entry are a row of a dense matrix ------------------
 */

static sparcl_status softmax_heads_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 2, "entries"));
    const spc_node *const x = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 2, 2));
    spc_set_dense(node, 2, x->shape[0], x->shape[1]);
    return SPARCL_OK;
}

static sparcl_status softmax_heads_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_csr_softmax_heads(graph->ctx, node->settings.softmax, &node->dense,
                                    dense_of(graph, node, 1), &spc_operand(graph, node, 0)->csr);
}

static void softmax_heads_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                   sparcl_node *gradients) {
    const spc_settings settings = spc_node_at(graph, node)->settings;
    const sparcl_node in[] = {of, spc_node_at(graph, node)->in[0], node};
    if (spc_needs_gradient(graph, node, 1))
        gradients[1] = spc_graph_add(graph, &spc_op_csr_softmax_gradient, in, 3, &settings);
}

const spc_operation spc_op_csr_softmax_heads = {
    .about = {"csr_softmax_heads", "A: CSR [m, k] with n entries; x: [n, h]",
              "the softmax, or its logarithm, of each column of x over the entries of each row of "
              "A: [n, h]",
              "x: from the result"},
    .infer = softmax_heads_infer,
    .launch = softmax_heads_launch,
    .gradient = softmax_heads_gradient};

sparcl_node sparcl_graph_csr_softmax_heads(sparcl_graph *graph, sparcl_softmax kind, sparcl_node a,
                                           sparcl_node x) {
    const spc_settings settings = {.softmax = kind};
    const sparcl_node in[] = {a, x};
    return spc_graph_add(graph, &spc_op_csr_softmax_heads, in, 2, &settings);
}
