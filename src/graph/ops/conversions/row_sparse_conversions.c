/* row_sparse_conversions.c: to row-sparse arrays, and from them to CSR matrices, in the table of
 * operations. */
#include "graph/engine/operations.h"
#include "sparcl/ops/conversions.h"

/* The result has room for settings.rows stored rows. */
static void set_rows(spc_node *node, int rank, const int64_t *shape) {
    node->kind = SPC_VALUE_ROWS;
    node->rank = rank;
    for (int d = 0; d < rank; ++d)
        node->shape[d] = shape[d];
    node->stored = node->settings.rows;
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
}

/* --- to_rows: the rows of a dense array that are not 0 ---------------------------------------- */

static sparcl_status to_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    const spc_node *const x = spc_operand(graph, node, 0);
    set_rows(node, x->rank, x->shape);
    return SPARCL_OK;
}

static sparcl_status to_rows_launch(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_clear_rows(graph, node));
    SPC_TRY(sparcl_dense_to_rows(graph->ctx, &node->rows, &spc_operand(graph, node, 0)->dense,
                                 node->settings.value, NULL));
    spc_trust_rows(node, node->flags);
    return SPARCL_OK;
}

/* `of` is that of the stored rows. */
static void to_rows_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                             sparcl_node *gradients) {
    gradients[0] = sparcl_graph_to_dense(graph, sparcl_graph_with_values(graph, node, of));
}

const spc_operation spc_op_to_rows = {
    .about = {"to_rows", "x: [n, ...]",
              "the rows with an element larger in magnitude than a threshold: row-sparse [n, ...]; "
              "those past the capacity are dropped",
              "x: the gradient of the stored rows, others 0"},
    .infer = to_rows_infer,
    .launch = to_rows_launch,
    .gradient = to_rows_gradient,
    .owns_indices = true};

/* --- csr_to_rows: the rows of a CSR matrix that have entries ---------------------------------- */

static sparcl_status csr_to_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    set_rows(node, 2, spc_operand(graph, node, 0)->shape);
    return SPARCL_OK;
}

static sparcl_status csr_to_rows_launch(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(sparcl_csr_to_rows(graph->ctx, &node->rows, &spc_operand(graph, node, 0)->csr, NULL));
    spc_trust_rows(node, node->flags);
    return SPARCL_OK;
}

static void csr_to_rows_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                 sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0];
    const sparcl_node in[] = {sparcl_graph_with_values(graph, node, of), a};
    gradients[0] = spc_graph_add(graph, &spc_op_csr_to_rows_gradient, in, 2, NULL);
}

const spc_operation spc_op_csr_to_rows = {
    .about = {"csr_to_rows", "A: CSR [m, k]",
              "the rows that have entries, entries of one column added: row-sparse [m, k]; those "
              "past the capacity are dropped",
              "A's values: the elements of the gradient at the entries"},
    .infer = csr_to_rows_infer,
    .launch = csr_to_rows_launch,
    .gradient = csr_to_rows_gradient,
    .owns_indices = true};

static sparcl_status csr_to_rows_gradient_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_ROWS, 2, 2));
    spc_set_dense(node, 1, spc_operand(graph, node, 1)->shape[2], 0);
    return SPARCL_OK;
}

static sparcl_status csr_to_rows_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_csr_to_rows_gradient(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->rows,
                                       &spc_operand(graph, node, 1)->csr);
}

const spc_operation spc_op_csr_to_rows_gradient = {
    .about = {"csr_to_rows_gradient", "the gradient: row-sparse [m, k]; A: CSR [m, k], n entries",
              "the elements of the gradient at the entries of A: [n]", NULL},
    .infer = csr_to_rows_gradient_infer,
    .launch = csr_to_rows_gradient_launch};

/* --- rows_to_csr: the elements of the stored rows --------------------------------------------- */

static sparcl_status rows_to_csr_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_ROWS, 2, 2));
    const spc_node *const x = spc_operand(graph, node, 0);
    spc_set_csr(node, x->shape[0], x->shape[1], node->settings.entries);
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

static sparcl_status rows_to_csr_launch(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_clear_csr(graph, node));
    SPC_TRY(sparcl_rows_to_csr(graph->ctx, &node->csr, &spc_operand(graph, node, 0)->rows,
                               node->settings.value, NULL));
    spc_trust_csr(node);
    return SPARCL_OK;
}

/* The gradients of the entries as rows, of which there are no more than x stores. */
static void rows_to_csr_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                 sparcl_node *gradients) {
    const sparcl_node x = spc_node_at(graph, node)->in[0];
    const spc_settings settings = {.rows = spc_node_at(graph, x)->stored};
    const sparcl_node gradient = sparcl_graph_with_values(graph, node, of);
    const sparcl_node rows = spc_graph_add(graph, &spc_op_csr_to_rows, &gradient, 1, &settings);
    gradients[0] = spc_rows_at(graph, rows, x);
}

const spc_operation spc_op_rows_to_csr = {
    .about = {"rows_to_csr", "x: row-sparse [m, k]",
              "the elements of its rows, those of one index added, that are larger in magnitude "
              "than a threshold: CSR [m, k]; those past the capacity are dropped",
              "x's stored rows: the gradient of the values at the entries, others 0"},
    .infer = rows_to_csr_infer,
    .launch = rows_to_csr_launch,
    .gradient = rows_to_csr_gradient,
    .owns_indices = true};
