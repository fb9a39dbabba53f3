/* operations.cpp: the operations of each kind of docs/operations, each bound by its C declaration;
 * those that move entries are in operations_structure.cpp. */
#include "arguments.h"

/* What is known of the functions of one number. */
static void bind_functions(nb::module_ &m) {
    m.def(
        "unary_name", [](int op) { return sparcl_unary_name((sparcl_unary_op)op); }, nb::arg("op"));
    m.def(
        "unary_keeps_zero",
        [](int op) { return sparcl_unary_keeps_zero((sparcl_unary_op)op) != 0; }, nb::arg("op"));
    m.def(
        "unary_needs_y", [](int op) { return sparcl_unary_needs_y((sparcl_unary_op)op) != 0; },
        nb::arg("op"));
}

static void bind_products(nb::module_ &m) {
    BIND(spmm);
    BIND(spmm_t);
    BIND(spmm_t_rows);
    BIND(pattern_build);
    BIND(gemm);
    BIND(matmul);
    BIND(sddmm);
    BIND(spmm_reduce);
    BIND(spmm_reduce_gradient);
    BIND(spgemm_symbolic);
    BIND(spgemm_numeric);
    BIND(spgemm_gradient);
}

static void bind_elements(nb::module_ &m) {
    bind_functions(m);
    BIND(unary);
    BIND(csr_unary);
    BIND(rows_unary);
    BIND(unary_gradient);
    BIND(clip);
    BIND(csr_clip);
    BIND(rows_clip);
    BIND(clip_gradient);
    BIND(binary);
    BIND(binary_scalar);
    BIND(binary_gradient);
    BIND(csr_broadcast);
    BIND(csr_binary_scalar);
    BIND(csr_broadcast_gradient);
    BIND(copy);
    BIND(scatter_add);
    BIND(assign_rows);
    BIND(csr_add);
    BIND(csr_multiply);
    BIND(csr_add_gradient);
    BIND(csr_multiply_gradient);
    BIND(csr_multiply_dense);
    BIND(csr_multiply_dense_gradient);
    BIND(coo_add);
    BIND(coo_multiply);
    BIND(coo_add_gradient);
    BIND(coo_multiply_gradient);
    BIND(rows_add_n);
    BIND(add_n);
    BIND(rows_multiply);
    BIND(rows_multiply_dense);
}

static void bind_reductions(nb::module_ &m) {
    BIND(csr_reduce);
    BIND(csr_reduce_gradient);
    BIND(dense_reduce);
    BIND(dense_reduce_gradient);
    BIND(rows_reduce);
    BIND(rows_reduce_gradient);
    BIND(coo_reduce);
    BIND(sum_rows);
    BIND(dot_rows);
    BIND(dot_rows_gradient);
    BIND(segment_reduce);
    BIND(segment_reduce_gradient);
    BIND(csr_softmax);
    BIND(csr_softmax_heads);
    BIND(csr_softmax_gradient);
}

static void bind_layers(nb::module_ &m) {
    BIND(dropout);
    BIND(layer_norm);
    BIND(layer_norm_gradient);
    BIND(batch_norm);
    BIND(batch_norm_inference);
    BIND(batch_norm_gradient);
    BIND(interactions);
    BIND(interactions_rows);
    BIND(field_interactions);
    BIND(field_interactions_gradient);
    BIND(negative_samples);
    BIND(embedding);
    BIND(embedding_bag);
    BIND(embedding_bag_matrix);
    BIND(embedding_bag_gradient);
    BIND(embedding_bag_weights_gradient);
    BIND(embedding_renorm);
}

static void bind_losses(nb::module_ &m) {
    BIND(loss_gradient);
    BIND(loss_predict);
}

void bind_operations(nb::module_ &m) {
    bind_structs(m);
    BIND(buf_copy);
    bind_products(m);
    bind_elements(m);
    bind_reductions(m);
    bind_structure(m);
    bind_conversions(m);
    bind_layers(m);
    bind_losses(m);
}
