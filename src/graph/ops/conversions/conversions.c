/* conversions.c: to a dense array, and to a CSR matrix, in the table of operations. */
#include <string.h>

#include "graph/engine/operations.h"
#include "ops/shared/rows.h"
#include "sparcl/ops/conversions.h"
#include "sparcl/ops/elements.h"

/* --- to_dense --------------------------------------------------------------------------------- */

static sparcl_status to_dense_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    if (x->kind == SPC_VALUE_CSR) {
        spc_set_dense(node, 2, x->shape[0], x->shape[1]);
        return SPARCL_OK;
    }
    const bool is_coo = x->kind == SPC_VALUE_COO;
    SPC_TRY(
        spc_need_kind(graph, node, 0, is_coo ? SPC_VALUE_COO : SPC_VALUE_ROWS, 1, SPARCL_MAX_RANK));
    node->kind = SPC_VALUE_DENSE;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
    return SPARCL_OK;
}

static int64_t bytes_of(const spc_node *node) {
    int64_t bytes = (int64_t)sparcl_dtype_size(node->dtype);
    for (int d = 0; d < node->rank; ++d)
        bytes *= node->dense.shape[d];
    return bytes;
}

static sparcl_status clear(sparcl_graph *graph, const spc_node *node) {
    const int64_t size = (int64_t)sparcl_dtype_size(node->dtype), bytes = bytes_of(node);
    if (bytes == 0) return SPARCL_OK;
    return sparcl_buf_fill(graph->ctx, node->dense.values, node->dense.values_at * size, bytes, 0);
}

/* The policy of the context holds here too. */
static sparcl_status rows_to_dense(sparcl_graph *graph, spc_node *node, const sparcl_rows *rows) {
    const int64_t size = (int64_t)sparcl_dtype_size(node->dtype);
    const int64_t width = sparcl_row_width(rows->rank, rows->shape);
    const int64_t sparse =
        rows->nnr * (width * size + (int64_t)sparcl_itype_size(rows->index_type));
    SPC_TRY(spc_ctx_check_densify(graph->ctx, "to_dense", bytes_of(node), sparse));
    SPC_TRY(clear(graph, node));
    return sparcl_scatter_add(graph->ctx, &node->dense, 1, rows);
}

sparcl_status spc_scatter_operands(sparcl_graph *graph, const spc_node *node) {
    const spc_node *const both[] = {
        node, node->beside == SPARCL_NO_NODE ? NULL : spc_node_at(graph, node->beside)};
    const int count = both[1] ? 2 : 1;
    const sparcl_dense *tables[2];
    const sparcl_rows *rows[2];
    for (int i = 0; i < count; ++i) {
        SPC_TRY(clear(graph, both[i]));
        tables[i] = &both[i]->dense;
    }
    for (int k = 0; k < node->use_count; ++k) {
        for (int i = 0; i < count; ++i)
            rows[i] = &spc_operand(graph, both[i], k)->rows;
        SPC_TRY(spc_scatter_beside(graph->ctx, tables, rows, count));
    }
    return SPARCL_OK;
}

static sparcl_status to_dense_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    if (node->beside != SPARCL_NO_NODE) return spc_scatter_operands(graph, node);
    if (x->kind == SPC_VALUE_COO) return sparcl_coo_to_dense(graph->ctx, &node->dense, &x->coo);
    return x->kind == SPC_VALUE_CSR ? sparcl_csr_to_dense(graph->ctx, &node->dense, &x->csr)
                                    : rows_to_dense(graph, node, &x->rows);
}

/* Each entry, or row, was added to its place. */
static void to_dense_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                              sparcl_node *gradients) {
    const sparcl_node x = spc_node_at(graph, node)->in[0], in[] = {of, x};
    gradients[0] = spc_node_at(graph, x)->kind == SPC_VALUE_ROWS
                       ? spc_graph_add(graph, &spc_op_rows_mask, in, 2, NULL)
                       : sparcl_graph_sparse_mask(graph, x, of);
}

const spc_operation spc_op_to_dense = {
    .about = {"to_dense", "x: row-sparse [n, ...], CSR [m, k], or COO",
              "the same, dense; rows and entries with one index are added",
              "x's values: the gradient at their places"},
    .infer = to_dense_infer,
    .launch = to_dense_launch,
    .gradient = to_dense_gradient};

sparcl_node sparcl_graph_to_dense(sparcl_graph *graph, sparcl_node x) {
    return spc_graph_add(graph, &spc_op_to_dense, &x, 1, NULL);
}

/* --- sparse_mask: the elements of a dense array at a pattern ---------------------------------- */

static sparcl_status coo_mask_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0), *const x = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, a->rank, a->rank));
    for (int d = 0; d < a->rank; ++d)
        SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[d], spc_dimension_text(d)},
                               (spc_size){x, x->shape[d], spc_dimension_text(d)}));
    spc_set_dense(node, 1, a->stored, 0);
    return SPARCL_OK;
}

static sparcl_status sparse_mask_infer(sparcl_graph *graph, spc_node *node) {
    static const char *const what[] = {"rows", "columns"};
    if (spc_operand(graph, node, 0)->kind == SPC_VALUE_COO) return coo_mask_infer(graph, node);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 2, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const x = spc_operand(graph, node, 1);
    for (int d = 0; d < 2; ++d)
        SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[d], what[d]},
                               (spc_size){x, x->shape[d], what[d]}));
    spc_set_dense(node, 1, a->shape[2], 0);
    return SPARCL_OK;
}

static sparcl_status sparse_mask_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0);
    if (a->kind == SPC_VALUE_COO)
        return sparcl_coo_mask(graph->ctx, &node->dense, &spc_operand(graph, node, 1)->dense,
                               &a->coo);
    return sparcl_sparse_mask(graph->ctx, &node->dense, &spc_operand(graph, node, 1)->dense,
                              &a->csr);
}

static void sparse_mask_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                 sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0];
    if (spc_needs_gradient(graph, node, 1))
        gradients[1] = sparcl_graph_to_dense(graph, sparcl_graph_with_values(graph, a, of));
}

const spc_operation spc_op_sparse_mask = {
    .about = {"sparse_mask", "A: CSR [m, k] or COO with n entries; x of its shape",
              "the element of x at each entry of A: [n]",
              "x: the gradient at the entries, others 0"},
    .infer = sparse_mask_infer,
    .launch = sparse_mask_launch,
    .gradient = sparse_mask_gradient};

sparcl_node sparcl_graph_sparse_mask(sparcl_graph *graph, sparcl_node a, sparcl_node x) {
    const sparcl_node in[] = {a, x};
    return spc_graph_add(graph, &spc_op_sparse_mask, in, 2, NULL);
}

/* --- to_csr: the elements that exceed a threshold --------------------------------------------- */

static sparcl_status to_csr_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 2, 2));
    spc_set_csr(node, x->shape[0], x->shape[1], node->settings.entries);
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

static sparcl_status to_csr_launch(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_clear_csr(graph, node));
    SPC_TRY(sparcl_dense_to_csr(graph->ctx, &node->csr, &spc_operand(graph, node, 0)->dense,
                                node->settings.value, NULL));
    spc_trust_csr(node);
    return SPARCL_OK;
}

/* `of` is that of the values, of the elements of x at the entries. */
static void elements_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                              sparcl_node *gradients) {
    gradients[0] = sparcl_graph_to_dense(graph, sparcl_graph_with_values(graph, node, of));
}

const spc_operation spc_op_to_csr = {
    .about = {"to_csr", "x: [m, n]",
              "the elements larger in magnitude than a threshold: CSR [m, n]; those past the "
              "capacity are dropped",
              "x: the gradient of the values at the entries, others 0"},
    .infer = to_csr_infer,
    .launch = to_csr_launch,
    .gradient = elements_gradient,
    .owns_indices = true};

/* --- topk_rows: the k largest elements of each row -------------------------------------------- */

static sparcl_status topk_rows_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    const int64_t k = node->settings.k;
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 2, 2));
    if (k < 0 || x->shape[1] < k)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                             "k is %lld, expected at least 0, and at most a fixed number of "
                             "columns of x",
                             (long long)k);
    spc_set_csr(node, x->shape[0], x->shape[1], spc_dim_of_two(graph, '*', x->shape[0], k));
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

static sparcl_status topk_rows_launch(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(sparcl_topk_rows(graph->ctx, &node->csr, &spc_operand(graph, node, 0)->dense,
                             node->settings.k, node->settings.topk));
    spc_trust_csr(node);
    return SPARCL_OK;
}

const spc_operation spc_op_topk_rows = {
    .about = {"topk_rows", "x: [m, n]", "the k largest elements of each row: CSR [m, n]",
              "x: the gradient of the values at the entries, others 0"},
    .infer = topk_rows_infer,
    .launch = topk_rows_launch,
    .gradient = elements_gradient,
    .owns_indices = true};

sparcl_node sparcl_graph_topk_rows(sparcl_graph *graph, sparcl_node x, int64_t k, sparcl_topk by) {
    const spc_settings settings = {.k = k, .topk = by};
    return spc_graph_add(graph, &spc_op_topk_rows, &x, 1, &settings);
}
