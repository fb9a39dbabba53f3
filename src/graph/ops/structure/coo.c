/* coo.c: COO arrays in the table of operations: what all operations on them share, and their order.
 * A result knows where its values come from, so the gradient by the values of an operand is the
 * gradient of the result's, at these positions. */
#include "graph/ops/structure/coo_result.h"

/* --- what all share --------------------------------------------------------------------------- */

sparcl_coo *spc_operand_coo(sparcl_graph *graph, const spc_node *node, int i) {
    return &spc_operand(graph, node, i)->coo;
}

sparcl_status spc_need_coo_operand(const sparcl_graph *graph, const spc_node *node, int i) {
    return spc_need_kind(graph, node, i, SPC_VALUE_COO, 1, SPARCL_MAX_RANK);
}

sparcl_status spc_infer_like_coo(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_coo_operand(graph, node, 0));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_coo(node, a->rank, a->shape, a->stored);
    return SPARCL_OK;
}

sparcl_status spc_clear_coo(sparcl_graph *graph, const spc_node *node, sparcl_moved *moved) {
    const sparcl_coo *const a = &node->coo;
    const int64_t size = (int64_t)sparcl_dtype_size(a->dtype);
    *moved = (sparcl_moved){.source = NULL};
    if (node->op->maps > 0) {
        moved->source = node->maps[0].indices;
        moved->source_at = node->maps[0].indices_at;
    }
    if (a->nnz == 0) return SPARCL_OK;
    return sparcl_buf_fill(graph->ctx, a->values, a->values_at * size, a->nnz * size, 0);
}

sparcl_status spc_keep_coo_marks(spc_node *node, sparcl_status status) {
    const uint32_t flags = sparcl_coo_flags(&node->coo);
    if (status == SPARCL_OK) node->coo.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | flags};
    return status;
}

void spc_same_entries_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                               sparcl_node *gradients) {
    if (spc_needs_gradient(graph, node, 0)) gradients[0] = of;
}

/* --- coo_scatter: the gradient of values that were moved -------------------------------------- */

static sparcl_status scatter_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 1));
    SPC_TRY(spc_need_coo_operand(graph, node, 1));
    spc_set_dense(node, 1, spc_node_at(graph, node->settings.like)->shape[0], 0);
    return SPARCL_OK;
}

/* No position occurs twice, up to the count. */
static sparcl_status scatter_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense *const g = &spc_operand(graph, node, 0)->dense, *const to = &node->dense;
    const spc_node *const moved = spc_operand(graph, node, 1);
    const int64_t size = (int64_t)sparcl_dtype_size(to->dtype);
    const sparcl_rows rows = {.rank = 1,
                              .dtype = g->dtype,
                              .index_type = SPARCL_INDEX64,
                              .shape = {to->shape[0]},
                              .nnr = g->shape[0],
                              .indices = moved->maps[0].indices,
                              .indices_at = moved->maps[0].indices_at,
                              .values = g->values,
                              .values_at = g->values_at,
                              .count = moved->coo.count,
                              .count_at = moved->coo.count_at,
                              .proof = {.flags = SPARCL_TRUSTED | SPARCL_UNIQUE}};
    if (to->shape[0] == 0) return SPARCL_OK;
    SPC_TRY(sparcl_buf_fill(graph->ctx, to->values, to->values_at * size, to->shape[0] * size, 0));
    return sparcl_scatter_add(graph->ctx, to, 1, &rows);
}

const spc_operation spc_op_coo_scatter = {
    .about = {"coo_scatter", "x: [n]; a COO result with n entries",
              "the elements of x at the positions that its values had in an operand, others 0",
              NULL},
    .infer = scatter_infer,
    .launch = scatter_launch};

sparcl_node spc_scatter_coo(sparcl_graph *graph, sparcl_node of, sparcl_node result,
                            sparcl_node like) {
    const spc_settings settings = {.like = like};
    const sparcl_node in[] = {of, result};
    if (like == SPARCL_NO_NODE) return SPARCL_NO_NODE;
    return spc_graph_add(graph, &spc_op_coo_scatter, in, 2, &settings);
}

void spc_coo_moved_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0];
    if (spc_needs_gradient(graph, node, 0))
        gradients[0] = spc_scatter_coo(graph, of, node, sparcl_graph_values(graph, a));
}

/* --- coo_sort --------------------------------------------------------------------------------- */

static sparcl_status coo_sort_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_coo(graph, node));
    node->flags = SPARCL_SORTED | (spc_operand(graph, node, 0)->flags & SPARCL_UNIQUE);
    return SPARCL_OK;
}

/* The positions cost time, so they are written for a gradient only. */
static sparcl_status coo_sort_launch(sparcl_graph *graph, spc_node *node) {
    const bool wants = spc_has_gradient(graph, node);
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(node, sparcl_coo_sort(graph->ctx, &node->coo,
                                                    spc_operand_coo(graph, node, 0),
                                                    wants ? moved.source : NULL, moved.source_at));
}

const spc_operation spc_op_coo_sort = {
    .about = {"coo_sort", "A: COO", "the entries in the order of their indices: COO",
              "A's values: the gradient of theirs in the result"},
    .infer = coo_sort_infer,
    .launch = coo_sort_launch,
    .gradient = spc_coo_moved_gradient,
    .owns_indices = true,
    .maps = 1};
