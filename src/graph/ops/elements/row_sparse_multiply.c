/* row_sparse_multiply.c: products of row-sparse arrays with row-sparse or dense ones, element by
 * element, in the table of operations. */
#include <string.h>

#include "graph/engine/operations.h"
#include "sparcl/ops/elements.h"

/* A is row-sparse, and operand 1 of this kind has its shape. */
static sparcl_status need_factors(sparcl_graph *graph, const spc_node *node, spc_value kind) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_ROWS, 1, SPARCL_MAX_RANK));
    const spc_node *const a = spc_operand(graph, node, 0), *const x = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_kind(graph, node, 1, kind, a->rank, a->rank));
    for (int d = 0; d < a->rank; ++d)
        SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[d], d ? "columns" : "rows"},
                               (spc_size){x, x->shape[d], d ? "columns" : "rows"}));
    return SPARCL_OK;
}

/* --- rows_multiply: both row-sparse ----------------------------------------------------------- */

static sparcl_status multiply_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_factors(graph, node, SPC_VALUE_ROWS));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    node->kind = SPC_VALUE_ROWS;
    node->rank = a->rank;
    memcpy(node->shape, a->shape, sizeof node->shape);
    node->stored = spc_dim_of_two(graph, '<', a->stored, b->stored);
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

static sparcl_status multiply_launch(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_clear_rows(graph, node));
    SPC_TRY(sparcl_rows_multiply(graph->ctx, &node->rows, &spc_operand(graph, node, 0)->rows,
                                 &spc_operand(graph, node, 1)->rows, NULL));
    spc_trust_rows(node, node->flags);
    return SPARCL_OK;
}

/* By the stored rows of x: those of the gradient, as rows of the result, times the other operand.
 */
static void multiply_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                              sparcl_node *gradients) {
    for (int i = 0; i < 2; ++i) {
        if (!spc_needs_gradient(graph, node, i)) continue;
        const sparcl_node x = spc_node_at(graph, node)->in[i];
        const sparcl_node other = spc_node_at(graph, node)->in[1 - i];
        const sparcl_node factors[] = {sparcl_graph_with_values(graph, node, of), other};
        const sparcl_node g = spc_graph_add(graph, &spc_op_rows_multiply, factors, 2, NULL);
        gradients[i] = spc_rows_at(graph, g, x);
    }
}

const spc_operation spc_op_rows_multiply = {
    .about =
        {"rows_multiply", "a, b: row-sparse [n, ...], sorted and unique",
         "their product element by element, of the rows that both store: row-sparse",
         "the stored rows of a and b: the gradient times the other row, 0 where there is none"},
    .infer = multiply_infer,
    .launch = multiply_launch,
    .gradient = multiply_gradient,
    .owns_indices = true};

/* --- rows_multiply_dense: the values of the product ------------------------------------------- */

static sparcl_status multiply_dense_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_factors(graph, node, SPC_VALUE_DENSE));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_dense(node, a->rank, a->stored, 0);
    memcpy(node->shape + 1, a->shape + 1, sizeof node->shape - sizeof *node->shape);
    return SPARCL_OK;
}

/* Rows past the count of a are not written, and may be read. */
static sparcl_status multiply_dense_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_rows *const a = &spc_operand(graph, node, 0)->rows;
    const sparcl_dense *const v = &node->dense;
    const int64_t size = (int64_t)sparcl_dtype_size(v->dtype);
    const int64_t bytes = v->shape[0] * sparcl_row_width(v->rank, v->shape) * size;
    if (a->count && bytes > 0)
        SPC_TRY(sparcl_buf_fill(graph->ctx, v->values, v->values_at * size, bytes, 0));
    return sparcl_rows_multiply_dense(graph->ctx, v, a, &spc_operand(graph, node, 1)->dense);
}

/* By the stored rows of a: the same product of the gradient. By x: the gradient times these rows,
 * added where a stores one twice. */
static void multiply_dense_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                    sparcl_node *gradients) {
    const sparcl_node a = spc_node_at(graph, node)->in[0], x = spc_node_at(graph, node)->in[1];
    const bool of_a = spc_needs_gradient(graph, node, 0), of_x = spc_needs_gradient(graph, node, 1);
    if (of_a) {
        const sparcl_node both[] = {sparcl_graph_with_values(graph, a, of), x};
        gradients[0] = spc_graph_add(graph, &spc_op_rows_multiply_dense, both, 2, NULL);
    }
    if (of_x) {
        const sparcl_node v =
            sparcl_graph_binary(graph, SPARCL_BINARY_MULTIPLY, of, sparcl_graph_values(graph, a));
        gradients[1] = sparcl_graph_to_dense(graph, sparcl_graph_with_values(graph, a, v));
    }
}

const spc_operation spc_op_rows_multiply_dense = {
    .about = {"rows_multiply_dense", "a: row-sparse [n, ...]; x: [n, ...]",
              "their product element by element: the indices of a, row-sparse",
              "a's stored rows: the same product of the gradient; x: these rows times the "
              "gradient, others 0"},
    .infer = multiply_dense_infer,
    .launch = multiply_dense_launch,
    .gradient = multiply_dense_gradient};
