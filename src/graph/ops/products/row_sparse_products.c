/* row_sparse_products.c: products of a CSR matrix and a row-sparse array, or with a row-sparse
 * result, in the table of operations. */
#include "graph/engine/operations.h"
#include "sparcl/ops/products.h"

/* --- spmm_rows: A * B, B row-sparse ----------------------------------------------------------- */

static sparcl_status spmm_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_ROWS, 1, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[1], "columns"},
                           (spc_size){b, b->shape[0], "rows"}));
    spc_set_dense(node, b->rank, a->shape[0], b->shape[1]);
    return SPARCL_OK;
}

static sparcl_status spmm_rows_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_matrix c = sparcl_matrix_dense(node->dense);
    const sparcl_matrix a = sparcl_matrix_csr(spc_operand(graph, node, 0)->csr);
    const sparcl_matrix b = sparcl_matrix_rows(spc_operand(graph, node, 1)->rows);
    return sparcl_matmul(graph->ctx, &c, 1, SPARCL_OP_N, &a, SPARCL_OP_N, &b, 0, NULL);
}

/* For each entry (i, j) of A the dot product of row i of x and row j of y, which is row-sparse: the
 * rows of y that A names are taken, not all of them. */
static sparcl_node add_entry_products(sparcl_graph *graph, sparcl_node a, sparcl_node x,
                                      sparcl_node y) {
    const sparcl_node rows = sparcl_graph_rows_retain_all(graph, spc_each_row_once(graph, y),
                                                          sparcl_graph_columns(graph, a));
    const sparcl_node in[] = {a, x, sparcl_graph_values(graph, rows)};
    return spc_graph_add(graph, &spc_op_entry_products, in, 3, NULL);
}

static void spmm_rows_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                               sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0], b = spc_node_at(graph, node)->in[1];
    const bool of_b = spc_needs_gradient(graph, node, 1);
    if (spc_needs_gradient(graph, node, 0)) gradients[0] = add_entry_products(graph, a, of, b);
    if (of_b) gradients[1] = spc_rows_at(graph, sparcl_graph_spmm_t_rows(graph, a, of), b);
}

const spc_operation spc_op_spmm_rows = {
    .about = {"spmm_rows", "A: CSR [m, k]; B: row-sparse [k, n] or [k]",
              "A B: [m, n] or [m]; rows of B with one index are added",
              "A's values: dot products of the gradient and the rows of B; the stored rows of B: "
              "transpose(A) times the gradient"},
    .infer = spmm_rows_infer,
    .launch = spmm_rows_launch,
    .gradient = spmm_rows_gradient};

sparcl_node sparcl_graph_spmm_rows(sparcl_graph *graph, sparcl_node a, sparcl_node b) {
    const sparcl_node in[] = {a, b};
    return spc_graph_add(graph, &spc_op_spmm_rows, in, 2, NULL);
}

/* --- spmm_t_rows: transpose(A) * B as a row-sparse array -------------------------------------- */

static sparcl_status spmm_t_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 0, "rows"));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    spc_set_dense(node, b->rank, a->shape[1], b->shape[1]);
    node->kind = SPC_VALUE_ROWS;
    node->stored = spc_dim_of_two(graph, '<', a->shape[2], a->shape[1]);
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

static sparcl_status spmm_t_rows_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0);
    sparcl_pattern *pattern = NULL;
    SPC_TRY(spc_clear_rows(graph, node)); /* before the pattern: it may be in A's buffer */
    SPC_TRY(spc_graph_pattern(graph, a, &pattern));
    SPC_TRY(sparcl_spmm_t_rows(graph->ctx, &node->rows, 1, &a->csr,
                               &spc_operand(graph, node, 1)->dense, pattern));
    spc_trust_rows(node, node->flags);
    return SPARCL_OK;
}

/* `of` is that of the stored rows. */
static void spmm_t_rows_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                 sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0], b = spc_node_at(graph, node)->in[1];
    const sparcl_node rows = sparcl_graph_with_values(graph, node, of);
    const bool of_b = spc_needs_gradient(graph, node, 1);
    if (spc_needs_gradient(graph, node, 0)) gradients[0] = add_entry_products(graph, a, b, rows);
    if (of_b) gradients[1] = sparcl_graph_spmm_rows(graph, a, rows);
}

const spc_operation spc_op_spmm_t_rows = {
    .about =
        {"spmm_t_rows", "A: CSR [k, m]; B: [k, n] or [k]",
         "transpose(A) B, a row for each column with entries: row-sparse [m, n] or [m], sorted "
         "and unique",
         "A's values: dot products of B and the rows of the gradient; B: A times the gradient"},
    .infer = spmm_t_rows_infer,
    .launch = spmm_t_rows_launch,
    .gradient = spmm_t_rows_gradient,
    .owns_indices = true,
    .needs_pattern = true};

sparcl_node sparcl_graph_spmm_t_rows(sparcl_graph *graph, sparcl_node a, sparcl_node b) {
    const sparcl_node in[] = {a, b};
    return spc_graph_add(graph, &spc_op_spmm_t_rows, in, 2, NULL);
}
