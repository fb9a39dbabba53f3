/* values.c: the values of CSR matrices and row-sparse arrays, as dense arrays with gradients, in
 * the table of operations. */
#include <string.h>

#include "graph/engine/operations.h"
#include "ops/conversions/tail.h"

/* --- values: those of a CSR matrix, or the stored rows of a row-sparse array ------------------ */

static sparcl_status values_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    if (x->kind == SPC_VALUE_ROWS) {
        spc_set_dense(node, x->rank, x->stored, 0);
        memcpy(node->shape + 1, x->shape + 1, sizeof node->shape - sizeof *node->shape);
        return SPARCL_OK;
    }
    if (x->kind == SPC_VALUE_COO) {
        spc_set_dense(node, 1, x->stored, 0);
        return SPARCL_OK;
    }
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    spc_set_dense(node, 1, spc_operand(graph, node, 0)->shape[2], 0);
    return SPARCL_OK;
}

static sparcl_status rows_values_launch(spc_node *node, const sparcl_rows *x) {
    node->dense = (sparcl_dense){
        .rank = x->rank, .dtype = x->dtype, .values = x->values, .values_at = x->values_at};
    memcpy(node->dense.shape, x->shape, sizeof x->shape);
    node->dense.shape[0] = x->nnr;
    return SPARCL_OK;
}

static sparcl_status values_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    const sparcl_csr *const a = &x->csr;
    const sparcl_coo *const c = &x->coo;
    const bool is_coo = x->kind == SPC_VALUE_COO;
    if (x->kind == SPC_VALUE_ROWS) return rows_values_launch(node, &x->rows);
    node->dense = (sparcl_dense){.rank = 1,
                                 .dtype = x->dtype,
                                 .shape = {is_coo ? c->nnz : a->nnz},
                                 .values = is_coo ? c->values : a->values,
                                 .values_at = is_coo ? c->values_at : a->values_at};
    return SPARCL_OK;
}

/* The gradient of a sparse array is a dense one of this shape. Capacity that a CSR result does not
 * use is no variable: its gradient is 0. */
static void values_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0], in[] = {of, a};
    const bool is_csr = spc_node_at(graph, a)->kind == SPC_VALUE_CSR;
    if (!spc_needs_gradient(graph, node, 0)) return;
    gradients[0] = is_csr && !spc_knows_rows(graph, a)
                       ? spc_graph_add(graph, &spc_op_stored_values, in, 2, NULL)
                       : of;
}

static sparcl_status stored_values_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense *const of = &spc_operand(graph, node, 0)->dense, *const to = &node->dense;
    if (of->values != to->values || of->values_at != to->values_at)
        SPC_TRY(sparcl_copy(graph->ctx, to, of));
    return spc_clear_tail(graph->ctx, to, &spc_operand(graph, node, 1)->csr);
}

const spc_operation spc_op_stored_values = {.about = {"stored_values",
                                                      "x: [n]; A: CSR with capacity for n entries",
                                                      "x, with 0 past the entries of A", NULL},
                                            .infer = spc_like_first,
                                            .launch = stored_values_launch,
                                            .in_place = true};

const spc_operation spc_op_values = {
    .about = {"values",
              "A: CSR [m, k] or COO with n entries; or row-sparse [m, ...] "
              "with n rows",
              "its values: [n]; or [n, ...]", "A's values: the gradient itself"},
    .infer = values_infer,
    .launch = values_launch,
    .gradient = values_gradient,
    .is_view = true};

sparcl_node sparcl_graph_values(sparcl_graph *graph, sparcl_node a) {
    return spc_graph_add(graph, &spc_op_values, &a, 1, NULL);
}

/* --- with_values: the indices of a sparse array with other values ----------------------------- */

static sparcl_status with_rows_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0), *const v = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, x->rank, x->rank));
    for (int d = 0; d < x->rank; ++d)
        SPC_TRY(spc_need_equal(
            graph, node, (spc_size){x, d ? x->shape[d] : x->stored, d ? "columns" : "stored rows"},
            (spc_size){v, v->shape[d], d ? "columns" : "rows"}));
    node->kind = SPC_VALUE_ROWS;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
    node->stored = x->stored;
    node->flags = x->flags;
    return SPARCL_OK;
}

static sparcl_status with_coo_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0), *const v = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 1));
    SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->stored, "entries"},
                           (spc_size){v, v->shape[0], "elements"}));
    spc_set_coo(node, a->rank, a->shape, a->stored);
    node->flags = a->flags;
    return SPARCL_OK;
}

static sparcl_status with_values_infer(sparcl_graph *graph, spc_node *node) {
    if (spc_operand(graph, node, 0)->kind == SPC_VALUE_ROWS) return with_rows_infer(graph, node);
    if (spc_operand(graph, node, 0)->kind == SPC_VALUE_COO) return with_coo_infer(graph, node);
    SPC_TRY(spc_need_csr_and_dense(graph, node, 2, "entries"));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 1));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_csr(node, a->shape[0], a->shape[1], a->shape[2]);
    node->flags = a->flags;
    return SPARCL_OK;
}

/* Marks that x gets when it is computed are those that its operation has. */
static sparcl_status with_rows_launch(spc_node *node, const sparcl_rows *x, const sparcl_dense *v) {
    node->rows = *x;
    node->rows.dtype = v->dtype;
    node->rows.values = v->values;
    node->rows.values_at = v->values_at;
    node->rows.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | sparcl_rows_flags(x) | node->flags};
    return SPARCL_OK;
}

static sparcl_status with_coo_launch(spc_node *node, const sparcl_coo *a, const sparcl_dense *v) {
    node->coo = *a;
    node->coo.dtype = v->dtype;
    node->coo.values = v->values;
    node->coo.values_at = v->values_at;
    node->coo.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | sparcl_coo_flags(a)};
    return SPARCL_OK;
}

static sparcl_status with_values_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    const sparcl_csr *const a = &x->csr;
    const sparcl_dense *const v = &spc_operand(graph, node, 1)->dense;
    SPC_TRY(spc_need_packed(graph, node, 1));
    if (x->kind == SPC_VALUE_ROWS) return with_rows_launch(node, &x->rows, v);
    if (x->kind == SPC_VALUE_COO) return with_coo_launch(node, &x->coo, v);
    node->csr = *a;
    node->csr.dtype = v->dtype;
    node->csr.values = v->values;
    node->csr.values_at = v->values_at;
    node->csr.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | sparcl_csr_flags(a),
                                     .longest_row = a->proof.longest_row};
    return SPARCL_OK;
}

static void with_values_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                 sparcl_node *gradients) {
    if (spc_needs_gradient(graph, node, 1)) gradients[1] = of;
}

const spc_operation spc_op_with_values = {
    .about = {"with_values",
              "A: CSR [m, k] or COO with n entries, v: [n]; or row-sparse [m, ...] with n rows, "
              "[n, ...]",
              "the indices of A with the values v: of the format of A",
              "v: the gradient of the values"},
    .infer = with_values_infer,
    .launch = with_values_launch,
    .gradient = with_values_gradient,
    .is_view = true,
    .same_indices = true,
    .other_types = 1}; /* the values of A are not read */

sparcl_node sparcl_graph_with_values(sparcl_graph *graph, sparcl_node a, sparcl_node v) {
    const sparcl_node in[] = {a, v};
    return spc_graph_add(graph, &spc_op_with_values, in, 2, NULL);
}

/* --- map: where the entries of a CSR result come from ----------------------------------------- */

static sparcl_status map_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    node->kind = SPC_VALUE_LIST;
    node->rank = 2;
    node->shape[node->settings.is_inverse] = spc_operand(graph, node, 0)->shape[2];
    node->shape[!node->settings.is_inverse] = spc_node_at(graph, node->settings.like)->shape[0];
    return SPARCL_OK;
}

static sparcl_status map_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0);
    node->list = a->maps[node->settings.map];
    node->list.count = spc_dim_size(graph, node->shape[0]);
    node->list.limit = spc_dim_size(graph, node->shape[1]);
    return SPARCL_OK;
}

const spc_operation spc_op_map = {.about = {"map", "a CSR result with n entries",
                                            "the positions of its values in an operand: a list",
                                            NULL},
                                  .infer = map_infer,
                                  .launch = map_launch,
                                  .is_view = true};

static sparcl_node add_map(sparcl_graph *graph, sparcl_node result, int map, sparcl_node of,
                           bool is_inverse) {
    const spc_settings settings = {
        .map = map, .like = sparcl_graph_values(graph, of), .is_inverse = is_inverse};
    if (settings.like == SPARCL_NO_NODE) return SPARCL_NO_NODE;
    return spc_graph_add(graph, &spc_op_map, &result, 1, &settings);
}

sparcl_node spc_graph_map(sparcl_graph *graph, sparcl_node result, int map, sparcl_node of) {
    return add_map(graph, result, map, of, false);
}

sparcl_node spc_graph_inverse_map(sparcl_graph *graph, sparcl_node result, int map,
                                  sparcl_node of) {
    return add_map(graph, result, map, of, true);
}
