/* empty_rows.c: an entry for each empty row of a CSR matrix, in the table of operations. */
#include "graph/ops/structure/csr_result.h"

static sparcl_status check_value(const sparcl_graph *graph, const spc_node *node) {
    const spc_node *const value = spc_operand(graph, node, 1);
    char size[SPC_NAME_BYTES];
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 1));
    if (value->shape[0] == 1) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_SHAPE, "the value, %s, has %s elements, expected 1",
                         value->name, spc_dim_text(graph, value->shape[0], size, sizeof size));
}

static sparcl_status fill_empty_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_matrix(graph, node));
    if (node->in_count > 1) SPC_TRY(check_value(graph, node));
    node->shape[2] = spc_dim_of_two(graph, '+', node->shape[2], node->shape[0]);
    node->flags = SPARCL_SORTED;
    return SPARCL_OK;
}

static sparcl_status fill_empty_rows_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    sparcl_filled more = {.inverse = moved.source, .inverse_at = moved.source_at};
    if (node->in_count > 1) {
        more.value = spc_operand(graph, node, 1)->dense.values;
        more.value_at = spc_operand(graph, node, 1)->dense.values_at;
    }
    return spc_keep_marks(node, sparcl_csr_fill_empty_rows(graph->ctx, &node->csr,
                                                           spc_operand_csr(graph, node, 0),
                                                           node->settings.value, &more));
}

static sparcl_status fill_gradient_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 1));
    spc_set_dense(node, 1, 1, 0);
    return SPARCL_OK;
}

static sparcl_status fill_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_csr_fill_empty_rows_gradient(
        graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense,
        spc_operand_csr(graph, node, 1), spc_operand_csr(graph, node, 2));
}

const spc_operation spc_op_fill_gradient = {
    .about = {"fill_gradient", "the gradient of the values of the result; the result; A",
              "the sum of those of new entries: [1]", NULL},
    .infer = fill_gradient_infer,
    .launch = fill_gradient_launch};

static void fill_empty_rows_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                     sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node in[] = {of, node, n->in[0]};
    const bool of_value = n->in_count > 1 && spc_needs_gradient(graph, node, 1);
    spc_inverse_gradient(graph, node, of, gradients);
    if (of_value) gradients[1] = spc_graph_add(graph, &spc_op_fill_gradient, in, 3, NULL);
}

const spc_operation spc_op_fill_empty_rows = {
    .about =
        {"fill_empty_rows", "A: CSR [m, k]; a value: a number, or v: [1]",
         "A with sorted rows, and an entry in column 0 of each row without one: CSR [m, k]",
         "A's values: the gradient of theirs in the result; v: the sum of those of new entries"},
    .infer = fill_empty_rows_infer,
    .launch = fill_empty_rows_launch,
    .gradient = fill_empty_rows_gradient,
    .owns_indices = true,
    .maps = 1};
