/* selections.c: operations that read or write rows by their indices, in the table of operations. */
#include "graph/engine/operations.h"
#include "ops/shared/beside.h"

/* --- columns: the column of each entry of a CSR matrix, as a list ----------------------------- */

static sparcl_status columns_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    const spc_node *const x = spc_operand(graph, node, 0);
    node->kind = SPC_VALUE_LIST;
    node->rank = 2;
    node->shape[0] = x->shape[2];
    node->shape[1] = x->shape[1];
    return SPARCL_OK;
}

static sparcl_status columns_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr *const x = &spc_operand(graph, node, 0)->csr;
    (void)graph;
    node->list = (sparcl_list){.limit = x->cols,
                               .count = x->nnz,
                               .index_type = x->index_type,
                               .indices = x->indices,
                               .indices_at = x->indices_at,
                               .proof = {.flags = SPARCL_TRUSTED}};
    return SPARCL_OK;
}

const spc_operation spc_op_columns = {.about = {"columns", "A: CSR [m, k] with n entries",
                                                "the column of each entry: a list of n",
                                                "none: indices have no gradient"},
                                      .infer = columns_infer,
                                      .launch = columns_launch,
                                      .is_view = true,
                                      .same_indices = true};

sparcl_node sparcl_graph_columns(sparcl_graph *graph, sparcl_node a) {
    return spc_graph_add(graph, &spc_op_columns, &a, 1, NULL);
}

/* --- gather: rows of a table ------------------------------------------------------------------ */

static sparcl_status gather_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_LIST, 2, 2));
    const spc_node *const x = spc_operand(graph, node, 0), *const list =
                                                               spc_operand(graph, node, 1);
    SPC_TRY(spc_need_equal(graph, node, (spc_size){list, list->shape[1], "rows as its limit"},
                           (spc_size){x, x->shape[0], "rows"}));
    SPC_TRY(spc_like_first(graph, node));
    node->shape[0] = list->shape[0];
    return SPARCL_OK;
}

/* With those beside it. */
static sparcl_status gather_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense *to[SPC_BESIDE];
    const sparcl_list *lists[SPC_BESIDE];
    int count = 0;
    for (sparcl_node k = node->beside; k != SPARCL_NO_NODE; k = spc_node_at(graph, k)->beside) {
        to[count] = &spc_node_at(graph, k)->dense;
        lists[count++] = &spc_operand(graph, spc_node_at(graph, k), 1)->list;
    }
    to[count] = &node->dense;
    lists[count++] = &spc_operand(graph, node, 1)->list;
    if (count > 1)
        return spc_gather_beside(graph->ctx, &spc_operand(graph, node, 0)->dense, to, lists, count);
    return sparcl_gather_rows(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense,
                              &spc_operand(graph, node, 1)->list);
}

/* The CSR matrix whose entries a gathered array has in its rows, or none. */
static sparcl_node matrix_of(const sparcl_graph *graph, sparcl_node list) {
    const spc_node *const node = spc_node_at(graph, list);
    return node->op == &spc_op_columns ? node->in[0] : SPARCL_NO_NODE;
}

/* Rows that were gathered for a bag: the gradient of both together is a transposed product, which
 * does not need one of each entry. */
static void gather_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node), *const g = spc_node_at(graph, of);
    const sparcl_node table = n->in[0], list = n->in[1];
    const bool row_sparse = spc_wants_rows(graph, table);
    if (g->op == &spc_op_bag_gradient && g->in[0] == matrix_of(graph, list)) {
        const spc_settings settings = {.row_sparse = row_sparse};
        const sparcl_node in[] = {g->in[0], g->in[1]};
        gradients[0] = spc_graph_add(graph, &spc_op_spmm_t, in, 2, &settings);
        return;
    }
    const spc_settings settings = {.like = table};
    const sparcl_node in[] = {of, list};
    gradients[0] = spc_graph_add(graph, &spc_op_as_rows, in, 2, &settings);
    if (!row_sparse) gradients[0] = sparcl_graph_to_dense(graph, gradients[0]);
}

const spc_operation spc_op_gather = {.about = {"gather", "x: [n, ...]; a list of indices below n",
                                               "row x[i] for each index i",
                                               "x: rows with the indices of the list; row-sparse "
                                               "where only rows of a parameter x are read"},
                                     .infer = gather_infer,
                                     .launch = gather_launch,
                                     .gradient = gather_gradient,
                                     .rows_of = 1};

sparcl_node sparcl_graph_gather(sparcl_graph *graph, sparcl_node x, sparcl_node list) {
    const sparcl_node in[] = {x, list};
    return spc_graph_add(graph, &spc_op_gather, in, 2, NULL);
}

/* --- bag: sums of rows, one for each entry ---------------------------------------------------- */

static sparcl_status bag_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 2, "entries"));
    const spc_node *const a = spc_operand(graph, node, 0), *const e = spc_operand(graph, node, 1);
    spc_set_dense(node, e->rank, a->shape[0], e->shape[1]);
    return SPARCL_OK;
}

static sparcl_status bag_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr *const a = &spc_operand(graph, node, 0)->csr;
    const sparcl_csr own = node->is_product ? *a : spc_by_position(node, a);
    return sparcl_spmm(graph->ctx, &node->dense, 1, &own, &spc_operand(graph, node, 1)->dense, 0);
}

static void bag_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                         sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0], e = spc_node_at(graph, node)->in[1];
    const sparcl_node by_a[] = {a, of, e};
    const bool of_e = spc_needs_gradient(graph, node, 1);
    if (spc_needs_gradient(graph, node, 0))
        gradients[0] = spc_graph_add(graph, &spc_op_entry_products, by_a, 3, NULL);
    if (of_e) gradients[1] = spc_graph_add(graph, &spc_op_bag_gradient, by_a, 2, NULL);
}

const spc_operation spc_op_bag = {.about = {"bag", "A: CSR [m, k] with n entries; e: [n, d] or [n]",
                                            "row i: the sum of A's value times e[j] over the "
                                            "entries j of row i: [m, d] or [m]",
                                            "A's values: dot products of e and the gradient; e: "
                                            "A's value times the gradient of its row"},
                                  .infer = bag_infer,
                                  .launch = bag_launch,
                                  .gradient = bag_gradient,
                                  .constants = SPC_POSITIONS};

sparcl_node sparcl_graph_bag(sparcl_graph *graph, sparcl_node a, sparcl_node e) {
    const sparcl_node in[] = {a, e};
    return spc_graph_add(graph, &spc_op_bag, in, 2, NULL);
}

/* --- bag_gradient: a row for each entry ------------------------------------------------------- */

static sparcl_status bag_gradient_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 0, "rows"));
    const spc_node *const a = spc_operand(graph, node, 0), *const g = spc_operand(graph, node, 1);
    spc_set_dense(node, g->rank, a->shape[2], g->shape[1]);
    return SPARCL_OK;
}

static sparcl_status bag_gradient_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr own = spc_by_position(node, &spc_operand(graph, node, 0)->csr);
    return sparcl_spmm_t(graph->ctx, &node->dense, 1, &own, &spc_operand(graph, node, 1)->dense, 0,
                         NULL);
}

const spc_operation spc_op_bag_gradient = {
    .about = {"bag_gradient", "A: CSR [m, k] with n entries; [m, d] or [m]",
              "A's value times its row, for each entry", NULL},
    .infer = bag_gradient_infer,
    .launch = bag_gradient_launch,
    .constants = SPC_POSITIONS};
