/* feature_pairs.c: interactions of the entries of rows in the table of operations. */
#include "graph/engine/operations.h"
#include "sparcl/ops/layers.h"
#include "sparcl/ops/products.h"

/* --- interactions: of all pairs --------------------------------------------------------------- */

static sparcl_status pairs_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 1, "columns"));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 2, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    spc_set_dense(node, 1, a->shape[0], 1);
    if (node->op == &spc_op_interactions) return SPARCL_OK;
    spc_set_dense(node, 2, b->shape[0], b->shape[1]);
    node->kind = SPC_VALUE_ROWS; /* the columns of the pattern of A */
    node->stored = a->shape[2];
    node->is_unique = true;
    return SPARCL_OK;
}

static sparcl_status pairs_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_interactions(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->csr,
                               &spc_operand(graph, node, 1)->dense,
                               &spc_operand(graph, node, 2)->dense);
}

/* The sums have no gradient of their own: that of the table is complete. */
static void pairs_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                           sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node a = n->in[0], b = n->in[1], in[] = {a, b, n->in[2], of};
    if (!spc_needs_gradient(graph, node, 1)) return;
    const bool wants_rows = spc_wants_rows(graph, b);
    const sparcl_node rows = spc_graph_add(graph, &spc_op_interactions_gradient, in, 4, NULL);
    gradients[1] = wants_rows ? rows : sparcl_graph_to_dense(graph, rows);
}

const spc_operation spc_op_interactions = {
    .about = {"interactions", "A: CSR [m, n]; B: [n, k]; A B: [m, k]",
              "the sum of a_p a_q <B_p, B_q> over all pairs of entries of each row: [m]",
              "B, row-sparse where only rows of a parameter B are read; A's values have none"},
    .infer = pairs_infer,
    .launch = pairs_launch,
    .gradient = pairs_gradient,
    .rows_of = 2,
    .reads_columns = true};

sparcl_node sparcl_graph_interactions(sparcl_graph *graph, sparcl_node a, sparcl_node b) {
    const sparcl_node in[] = {a, b, sparcl_graph_spmm(graph, a, b)};
    return spc_graph_add(graph, &spc_op_interactions, in, 3, NULL);
}

static sparcl_status pairs_gradient_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0);
    sparcl_pattern *pattern = NULL;
    SPC_TRY(spc_graph_pattern(graph, a, &pattern));
    return sparcl_interactions_rows(
        graph->ctx, &node->rows, &a->csr, &spc_operand(graph, node, 1)->dense,
        &spc_operand(graph, node, 2)->dense, &spc_operand(graph, node, 3)->dense, pattern);
}

const spc_operation spc_op_interactions_gradient = {
    .about = {"interactions_gradient", "A; B; A B; the gradient of the result",
              "the gradient of B: rows [n, k]", NULL},
    .infer = pairs_infer,
    .launch = pairs_gradient_launch,
    .needs_pattern = true};

/* --- field_interactions ----------------------------------------------------------------------- */

/* A, fields, E, and of the gradient gt. */
static sparcl_status interactions_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_LIST, 2, 2));
    SPC_TRY(spc_need_kind(graph, node, 2, SPC_VALUE_DENSE, 2, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const e = spc_operand(graph, node, 2);
    const spc_node *const fields = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_equal(graph, node, (spc_size){fields, fields->shape[0], "elements"},
                           (spc_size){a, a->shape[2], "entries"}));
    SPC_TRY(spc_need_equal(graph, node, (spc_size){e, e->shape[0], "rows"},
                           (spc_size){a, a->shape[2], "entries"}));
    if (node->op == &spc_op_field_interactions)
        spc_set_dense(node, 1, a->shape[2], 0);
    else
        spc_set_dense(node, 2, e->shape[0], e->shape[1]);
    return SPARCL_OK;
}

static sparcl_status interactions_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_field_interactions(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->csr,
                                     &spc_operand(graph, node, 1)->list,
                                     &spc_operand(graph, node, 2)->dense);
}

static void interactions_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                  sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node in[] = {n->in[0], n->in[1], n->in[2], of};
    if (spc_needs_gradient(graph, node, 2))
        gradients[2] = spc_graph_add(graph, &spc_op_field_interactions_gradient, in, 4, NULL);
}

const spc_operation spc_op_field_interactions = {
    .about = {"field_interactions",
              "A: CSR [m, n] with e entries; fields: a list of e below F; E: [e, F k]",
              "for each entry the interactions with those after it in its row: [e]",
              "E; A's values have none"},
    .infer = interactions_infer,
    .launch = interactions_launch,
    .gradient = interactions_gradient};

sparcl_node sparcl_graph_field_interactions(sparcl_graph *graph, sparcl_node a, sparcl_node fields,
                                            sparcl_node e) {
    const sparcl_node in[] = {a, fields, e};
    return spc_graph_add(graph, &spc_op_field_interactions, in, 3, NULL);
}

static sparcl_status gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_field_interactions_gradient(
        graph->ctx, &node->dense, &spc_operand(graph, node, 0)->csr,
        &spc_operand(graph, node, 1)->list, &spc_operand(graph, node, 2)->dense,
        &spc_operand(graph, node, 3)->dense);
}

const spc_operation spc_op_field_interactions_gradient = {
    .about = {"field_interactions_gradient", "A; fields; E; the gradient of the result",
              "the gradient of E: [e, F k]", NULL},
    .infer = interactions_infer,
    .launch = gradient_launch};
