/* sums_and_products.c: sums and products of two arrays, by the operation for their formats. */
#include "graph/engine/operations.h"

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
