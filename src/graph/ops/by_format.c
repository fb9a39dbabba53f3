/* by_format.c: functions that choose the operation by the format of their operands. */
#include "graph/engine/operations.h"

/* --- sums, products and reductions ------------------------------------------------------------ */

static sparcl_node scaled(sparcl_graph *graph, double alpha, sparcl_node x) {
    return alpha == 1 ? x : sparcl_graph_binary_scalar(graph, SPARCL_BINARY_MULTIPLY, x, alpha);
}

sparcl_node sparcl_graph_add(sparcl_graph *graph, double alpha, sparcl_node a, double beta,
                             sparcl_node b) {
    const sparcl_node in[] = {a, b};
    const spc_settings settings = {.alpha = alpha, .beta = beta};
    if (spc_is_kind(graph, a, SPC_VALUE_CSR))
        return spc_graph_add(graph, &spc_op_csr_add, in, 2, &settings);
    if (spc_is_kind(graph, a, SPC_VALUE_COO))
        return spc_graph_add(graph, &spc_op_coo_add, in, 2, &settings);
    return sparcl_graph_binary(graph, SPARCL_BINARY_ADD, scaled(graph, alpha, a),
                               scaled(graph, beta, b));
}

/* The entries of A with the elements of x at their places. */
static sparcl_node multiply_dense(sparcl_graph *graph, const spc_operation *op, sparcl_node a,
                                  sparcl_node x) {
    const sparcl_node in[] = {a, x};
    return sparcl_graph_with_values(graph, a, spc_graph_add(graph, op, in, 2, NULL));
}

sparcl_node sparcl_graph_multiply(sparcl_graph *graph, sparcl_node a, sparcl_node b) {
    const sparcl_node in[] = {a, b};
    const bool with_dense = spc_is_kind(graph, b, SPC_VALUE_DENSE);
    const bool is_csr = spc_is_kind(graph, a, SPC_VALUE_CSR);
    if (is_csr && with_dense) return multiply_dense(graph, &spc_op_csr_multiply_dense, a, b);
    if (is_csr) return spc_graph_add(graph, &spc_op_csr_multiply, in, 2, NULL);
    if (spc_is_kind(graph, a, SPC_VALUE_COO))
        return spc_graph_add(graph, &spc_op_coo_multiply, in, 2, NULL);
    if (!spc_is_kind(graph, a, SPC_VALUE_ROWS))
        return sparcl_graph_binary(graph, SPARCL_BINARY_MULTIPLY, a, b);
    return with_dense ? multiply_dense(graph, &spc_op_rows_multiply_dense, a, b)
                      : spc_graph_add(graph, &spc_op_rows_multiply, in, 2, NULL);
}

sparcl_node sparcl_graph_reduce(sparcl_graph *graph, sparcl_reduction kind, sparcl_reduce_over over,
                                sparcl_node x, int axis) {
    const spc_settings settings = {.reduction = kind, .over = over, .axis = axis};
    const bool is_rows = spc_is_kind(graph, x, SPC_VALUE_ROWS);
    if (spc_is_kind(graph, x, SPC_VALUE_CSR))
        return spc_graph_add(graph, &spc_op_csr_reduce, &x, 1, &settings);
    if (is_rows && axis != 1) return spc_graph_add(graph, &spc_op_rows_reduce, &x, 1, &settings);
    const sparcl_node dense = is_rows ? sparcl_graph_values(graph, x) : x;
    return spc_graph_add(graph, &spc_op_reduce, &dense, 1, &settings);
}

/* --- order and shape -------------------------------------------------------------------------- */

sparcl_node sparcl_graph_transpose(sparcl_graph *graph, sparcl_node x) {
    const bool is_csr = spc_is_kind(graph, x, SPC_VALUE_CSR);
    return spc_graph_add(graph, is_csr ? &spc_op_csr_transpose : &spc_op_transpose, &x, 1, NULL);
}

sparcl_node sparcl_graph_reshape(sparcl_graph *graph, sparcl_node a, int rank,
                                 const int64_t *shape) {
    spc_settings settings = spc_with_sizes(rank, shape);
    const bool is_matrix = spc_is_kind(graph, a, SPC_VALUE_CSR) && rank == 2 && shape;
    if (is_matrix) settings.rows = shape[0];
    if (is_matrix) settings.cols = shape[1];
    return spc_graph_add(graph, is_matrix ? &spc_op_csr_reshape : &spc_op_coo_reshape, &a, 1,
                         &settings);
}

sparcl_node sparcl_graph_sort(sparcl_graph *graph, sparcl_node a) {
    const bool is_csr = spc_is_kind(graph, a, SPC_VALUE_CSR);
    return spc_graph_add(graph, is_csr ? &spc_op_sort_indices : &spc_op_coo_sort, &a, 1, NULL);
}

sparcl_node sparcl_graph_slice(sparcl_graph *graph, sparcl_node x, int axis, int64_t start,
                               int64_t size) {
    const spc_settings settings = {.axis = axis, .start = start, .rows = size, .cols = size};
    const bool is_csr = spc_is_kind(graph, x, SPC_VALUE_CSR);
    const spc_operation *op = &spc_op_dense_slice;
    if (is_csr && axis == 0) op = &spc_op_slice_rows;
    if (is_csr && axis == 1) op = &spc_op_slice_columns;
    if (spc_is_kind(graph, x, SPC_VALUE_ROWS) && axis == 0) op = &spc_op_rows_slice;
    return spc_graph_add(graph, op, &x, 1, &settings);
}

sparcl_node sparcl_graph_concat(sparcl_graph *graph, const sparcl_node *in, int count, int axis) {
    const spc_settings settings = {.axis = axis};
    const bool is_csr = in && count > 0 && spc_is_kind(graph, in[0], SPC_VALUE_CSR);
    if (is_csr && (axis == 0 || axis == 1))
        return spc_join_nodes(graph, axis ? &spc_op_concat_columns : &spc_op_concat_rows, in,
                              count);
    if (in && count > 0 && spc_is_kind(graph, in[0], SPC_VALUE_COO))
        return spc_graph_add_several(graph, &spc_op_coo_concat, in, count, &settings);
    return spc_graph_add_several(graph, &spc_op_dense_concat, in, count, &settings);
}

sparcl_node sparcl_graph_coalesce(sparcl_graph *graph, sparcl_node a, sparcl_duplicates how) {
    const spc_settings settings = {.duplicates = how};
    if (spc_is_kind(graph, a, SPC_VALUE_CSR) && how == SPARCL_SUM)
        return spc_graph_add(graph, &spc_op_sum_duplicates, &a, 1, NULL);
    return spc_graph_add(graph, &spc_op_coo_coalesce, &a, 1, &settings);
}

sparcl_node sparcl_graph_fill_empty_rows(sparcl_graph *graph, sparcl_node a, double value,
                                         sparcl_node value_node) {
    const sparcl_node in[] = {a, value_node};
    const int count = value_node == SPARCL_NO_NODE ? 1 : 2;
    const spc_settings settings = {.value = value, .duplicates = SPARCL_SUM};
    if (spc_is_kind(graph, a, SPC_VALUE_COO) && count == 1)
        return spc_graph_add(graph, &spc_op_coo_fill_empty_rows, in, 1, &settings);
    return spc_graph_add(graph, &spc_op_fill_empty_rows, in, count, &settings);
}

/* --- conversions ------------------------------------------------------------------------------ */

/* The threshold and capacity of a conversion that keeps all entries are 0. */
static bool keeps_all(sparcl_graph *graph, const char *op, double threshold, int64_t capacity) {
    if (threshold == 0 && capacity == 0) return true;
    spc_graph_keep(graph, spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                                       "%s: a threshold or a capacity is not 0, which are of dense "
                                       "and row-sparse arrays: all entries of others stay",
                                       op));
    return false;
}

sparcl_node sparcl_graph_to_csr(sparcl_graph *graph, sparcl_node x, double threshold,
                                int64_t entries) {
    const spc_settings settings = {.value = threshold, .entries = entries};
    if (spc_is_kind(graph, x, SPC_VALUE_ROWS))
        return spc_graph_add(graph, &spc_op_rows_to_csr, &x, 1, &settings);
    if (!spc_is_kind(graph, x, SPC_VALUE_COO))
        return spc_graph_add(graph, &spc_op_to_csr, &x, 1, &settings);
    if (!keeps_all(graph, "to_csr", threshold, entries)) return SPARCL_NO_NODE;
    const spc_node *const node = spc_node_at(graph, x);
    const bool is_sorted = node->rank != 2 || (node->flags & SPARCL_SORTED);
    const sparcl_node sorted = is_sorted ? x : spc_graph_add(graph, &spc_op_coo_sort, &x, 1, NULL);
    return spc_graph_add(graph, &spc_op_coo_to_csr, &sorted, 1, NULL);
}

sparcl_node sparcl_graph_to_coo(sparcl_graph *graph, sparcl_node x, double threshold,
                                int64_t entries) {
    const spc_settings settings = {.value = threshold, .entries = entries};
    if (spc_is_kind(graph, x, SPC_VALUE_CSR) && keeps_all(graph, "to_coo", threshold, entries))
        return spc_graph_add(graph, &spc_op_csr_to_coo, &x, 1, NULL);
    return spc_graph_add(graph, &spc_op_to_coo, &x, 1, &settings);
}

sparcl_node sparcl_graph_to_rows(sparcl_graph *graph, sparcl_node x, double threshold,
                                 int64_t stored) {
    const spc_settings settings = {.value = threshold, .rows = stored};
    if (!spc_is_kind(graph, x, SPC_VALUE_CSR))
        return spc_graph_add(graph, &spc_op_to_rows, &x, 1, &settings);
    if (!keeps_all(graph, "to_rows", threshold, 0)) return SPARCL_NO_NODE;
    return spc_graph_add(graph, &spc_op_csr_to_rows, &x, 1, &settings);
}
