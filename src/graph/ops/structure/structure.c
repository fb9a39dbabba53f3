/* structure.c: CSR matrices in another order and shape, in the table of operations. Each result
 * knows where its values come from, so the gradient by the values of an operand is the gradient
 * of the result's, at these positions. */
#include "sparcl/ops/structure.h"
#include "graph/ops/structure/csr_result.h"
#include "sparcl/ops/conversions.h"

/* --- what all share --------------------------------------------------------------------------- */

sparcl_csr *spc_operand_csr(sparcl_graph *graph, const spc_node *node, int i) {
    return &spc_operand(graph, node, i)->csr;
}

sparcl_status spc_clear_moved(sparcl_graph *graph, const spc_node *node, sparcl_moved *moved) {
    const sparcl_csr *const a = &node->csr;
    const sparcl_list *const map = &node->maps[0];
    *moved = (sparcl_moved){.source = map->indices, .source_at = map->indices_at};
    if (a->nnz == 0) return SPARCL_OK;
    SPC_TRY(spc_clear_csr(graph, node));
    return sparcl_buf_fill(graph->ctx, map->indices, map->indices_at * 8, a->nnz * 8, 0);
}

sparcl_status spc_keep_marks(spc_node *node, sparcl_status status) {
    const uint32_t flags = sparcl_csr_flags(&node->csr);
    if (status == SPARCL_OK)
        node->csr.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | flags,
                                         .longest_row = node->csr.proof.longest_row};
    return status;
}

sparcl_status spc_infer_like_matrix(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_csr(node, a->shape[0], a->shape[1], a->shape[2]);
    return SPARCL_OK;
}

/* Operand 1 is a list of rows (d 0) or columns (d 1) of operand 0. */
static sparcl_status need_list(const sparcl_graph *graph, const spc_node *node, int d) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_LIST, 2, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const list =
                                                               spc_operand(graph, node, 1);
    return spc_need_equal(graph, node, (spc_size){list, list->shape[1], "as its limit"},
                          (spc_size){a, a->shape[d], d ? "columns" : "rows"});
}

sparcl_node spc_scatter_moved(sparcl_graph *graph, sparcl_node of, sparcl_node map,
                              sparcl_node like) {
    const spc_settings settings = {.like = like};
    const sparcl_node in[] = {of, map};
    return sparcl_graph_to_dense(graph, spc_graph_add(graph, &spc_op_as_rows, in, 2, &settings));
}

static void moved_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                           sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0];
    if (!spc_needs_gradient(graph, node, 0)) return;
    gradients[0] = spc_scatter_moved(graph, of, spc_graph_map(graph, node, 0, a),
                                     sparcl_graph_values(graph, a));
}

void spc_inverse_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0];
    if (!spc_needs_gradient(graph, node, 0)) return;
    gradients[0] = sparcl_graph_gather(graph, of, spc_graph_inverse_map(graph, node, 0, a));
}

/* The part of operand 0 from `start` on. */
static sparcl_status launch_slice(sparcl_graph *graph, spc_node *node,
                                  sparcl_status (*slice)(sparcl_ctx *ctx, sparcl_csr *to,
                                                         const sparcl_csr *from, int64_t start,
                                                         const sparcl_moved *moved)) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(node, slice(graph->ctx, &node->csr, spc_operand_csr(graph, node, 0),
                                      node->settings.start, &moved));
}

/* What the list, operand 1, says of operand 0. */
static sparcl_status
launch_list(sparcl_graph *graph, spc_node *node,
            sparcl_status (*take)(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                  const sparcl_list *list, const sparcl_moved *moved)) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(node, take(graph->ctx, &node->csr, spc_operand_csr(graph, node, 0),
                                     &spc_operand(graph, node, 1)->list, &moved));
}

#define MOVES(NAME, ABOUT, OPERANDS, RESULT)                                                       \
    const spc_operation spc_op_##NAME = {                                                          \
        .about = {ABOUT, OPERANDS, RESULT, "A's values: the gradient of theirs in the result"},    \
        .infer = NAME##_infer,                                                                     \
        .launch = NAME##_launch,                                                                   \
        .gradient = moved_gradient,                                                                \
        .owns_indices = true,                                                                      \
        .maps = 1}

/* --- transpose, slices, reshape --------------------------------------------------------------- */

static sparcl_status csr_transpose_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_matrix(graph, node));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_csr(node, a->shape[1], a->shape[0], a->shape[2]);
    node->flags = SPARCL_SORTED;
    return SPARCL_OK;
}

static sparcl_status csr_transpose_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(node, sparcl_csr_transpose(graph->ctx, &node->csr,
                                                     spc_operand_csr(graph, node, 0), &moved));
}

MOVES(csr_transpose, "csr_transpose", "A: CSR [m, k]", "its transpose: CSR [k, m]");

static sparcl_status slice_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_matrix(graph, node));
    node->shape[0] = node->settings.rows;
    return SPARCL_OK;
}

static sparcl_status slice_rows_launch(sparcl_graph *graph, spc_node *node) {
    return launch_slice(graph, node, sparcl_csr_slice_rows);
}

MOVES(slice_rows, "slice_rows", "A: CSR [m, k]", "some rows, one after the other: CSR [r, k]");

static sparcl_status slice_columns_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_matrix(graph, node));
    node->shape[1] = node->settings.cols;
    return SPARCL_OK;
}

static sparcl_status slice_columns_launch(sparcl_graph *graph, spc_node *node) {
    return launch_slice(graph, node, sparcl_csr_slice_columns);
}

MOVES(slice_columns, "slice_columns", "A: CSR [m, k]",
      "some columns, one after the other: CSR [m, c]");

static sparcl_status csr_reshape_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_matrix(graph, node));
    node->shape[0] = node->settings.rows;
    node->shape[1] = node->settings.cols;
    node->flags = SPARCL_SORTED;
    return SPARCL_OK;
}

static sparcl_status csr_reshape_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(
        node, sparcl_csr_reshape(graph->ctx, &node->csr, spc_operand_csr(graph, node, 0), &moved));
}

MOVES(csr_reshape, "csr_reshape", "A: CSR [m, k]",
      "the elements in row-major order in another shape: CSR [r, c]");

static sparcl_status sort_indices_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_matrix(graph, node));
    node->flags = SPARCL_SORTED;
    return SPARCL_OK;
}

static sparcl_status sort_indices_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(node, sparcl_csr_sort_indices(graph->ctx, &node->csr,
                                                        spc_operand_csr(graph, node, 0), &moved));
}

MOVES(sort_indices, "sort_indices", "A: CSR [m, k]", "A with sorted rows: CSR [m, k]");

/* --- some of the entries ---------------------------------------------------------------------- */

static sparcl_status triangle_infer(sparcl_graph *graph, spc_node *node) {
    return spc_infer_like_matrix(graph, node);
}

static sparcl_status triangle_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(
        node, sparcl_csr_triangle(graph->ctx, &node->csr, spc_operand_csr(graph, node, 0),
                                  (sparcl_part)node->settings.part, node->settings.k, &moved));
}

MOVES(triangle, "triangle", "A: CSR [m, k]",
      "the entries below, above or on a diagonal: CSR [m, k]");

sparcl_node sparcl_graph_triangle(sparcl_graph *graph, sparcl_node a, sparcl_part part,
                                  int64_t diagonal) {
    const spc_settings settings = {.part = (int)part, .k = diagonal};
    return spc_graph_add(graph, &spc_op_triangle, &a, 1, &settings);
}

static sparcl_status prune_infer(sparcl_graph *graph, spc_node *node) {
    return spc_infer_like_matrix(graph, node);
}

static sparcl_status prune_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(node,
                          sparcl_csr_prune(graph->ctx, &node->csr, spc_operand_csr(graph, node, 0),
                                           node->settings.value, &moved));
}

MOVES(prune, "prune", "A: CSR [m, k]",
      "the entries larger in magnitude than a threshold: CSR [m, k]");

sparcl_node sparcl_graph_prune(sparcl_graph *graph, sparcl_node a, double threshold) {
    const spc_settings settings = {.value = threshold};
    return spc_graph_add(graph, &spc_op_prune, &a, 1, &settings);
}

/* --- rows and columns of a list --------------------------------------------------------------- */

static sparcl_node add_taken(sparcl_graph *graph, const spc_operation *op, sparcl_node a,
                             sparcl_node list, int64_t entries) {
    const spc_settings settings = {.entries = entries};
    const sparcl_node in[] = {a, list};
    return spc_graph_add(graph, op, in, 2, &settings);
}

static sparcl_status take_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_list(graph, node, 0));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_csr(node, spc_operand(graph, node, 1)->shape[0], a->shape[1], node->settings.entries);
    return SPARCL_OK;
}

static sparcl_status take_rows_launch(sparcl_graph *graph, spc_node *node) {
    return launch_list(graph, node, sparcl_csr_take_rows);
}

MOVES(take_rows, "take_rows", "A: CSR [m, k]; a list of l indices below m",
      "row i of A for each index i: CSR [l, k]; entries past the capacity are dropped");

sparcl_node sparcl_graph_take_rows(sparcl_graph *graph, sparcl_node a, sparcl_node list,
                                   int64_t entries) {
    return add_taken(graph, &spc_op_take_rows, a, list, entries);
}

static sparcl_status take_columns_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_list(graph, node, 1));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_csr(node, a->shape[0], spc_operand(graph, node, 1)->shape[0], node->settings.entries);
    return SPARCL_OK;
}

static sparcl_status take_columns_launch(sparcl_graph *graph, spc_node *node) {
    return launch_list(graph, node, sparcl_csr_take_columns);
}

MOVES(take_columns, "take_columns", "A: CSR [m, k]; a list of l indices below k",
      "column j of A for each index j: CSR [m, l]; entries past the capacity are dropped");

sparcl_node sparcl_graph_take_columns(sparcl_graph *graph, sparcl_node a, sparcl_node list,
                                      int64_t entries) {
    return add_taken(graph, &spc_op_take_columns, a, list, entries);
}

static sparcl_status retain_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_list(graph, node, 0));
    return spc_infer_like_matrix(graph, node);
}

static sparcl_status retain_rows_launch(sparcl_graph *graph, spc_node *node) {
    return launch_list(graph, node, sparcl_csr_retain_rows);
}

MOVES(retain_rows, "retain_rows", "A: CSR [m, k]; a list of indices below m",
      "A, in which all other rows are empty: CSR [m, k]");

sparcl_node sparcl_graph_retain_rows(sparcl_graph *graph, sparcl_node a, sparcl_node list) {
    const sparcl_node in[] = {a, list};
    return spc_graph_add(graph, &spc_op_retain_rows, in, 2, NULL);
}

/* --- duplicates ------------------------------------------------------------------------------- */

static sparcl_status sum_duplicates_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_matrix(graph, node));
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

static sparcl_status sum_duplicates_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(node, sparcl_csr_sum_duplicates(graph->ctx, &node->csr,
                                                          spc_operand_csr(graph, node, 0),
                                                          moved.source, moved.source_at));
}

const spc_operation spc_op_sum_duplicates = {
    .about = {"sum_duplicates", "A: CSR [m, k]",
              "A with sorted rows, entries of one column added: CSR [m, k]",
              "A's values: the gradient of the sum that each is in"},
    .infer = sum_duplicates_infer,
    .launch = sum_duplicates_launch,
    .gradient = spc_inverse_gradient,
    .owns_indices = true,
    .maps = 1};
