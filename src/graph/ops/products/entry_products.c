/* entry_products.c: dot products of rows, one for each entry of a CSR matrix, in the table of
 * operations. */
#include "graph/engine/operations.h"

static sparcl_status entry_products_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 0, "rows"));
    spc_set_dense(node, 1, spc_operand(graph, node, 0)->shape[2], 0);
    return SPARCL_OK;
}

static sparcl_status entry_products_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr own = spc_by_position(node, &spc_operand(graph, node, 0)->csr);
    return sparcl_sddmm(graph->ctx, &node->dense, 1, &own, &spc_operand(graph, node, 1)->dense,
                        &spc_operand(graph, node, 2)->dense, 0);
}

const spc_operation spc_op_entry_products = {
    .about = {"entry_products", "A: CSR [m, k] with n entries; x: [m, d] or [m]; e: [n, d] or [n]",
              "the dot product of x[i] and e[j] for each entry j of row i of A: [n]", NULL},
    .infer = entry_products_infer,
    .launch = entry_products_launch,
    .constants = SPC_POSITIONS};
