/* operations.cpp: operations on dense arrays, products, reductions, embeddings and layers, each
 * bound by its C declaration. */
#include "arguments.h"

static std::vector<const sparcl_dense *> views_of(Several<Dense> parts) {
    std::vector<const sparcl_dense *> views;
    for (const Dense *part : parts)
        views.push_back(&part->view);
    return views;
}

static sparcl_status dense_concat(sparcl_ctx *ctx, const sparcl_dense *to, Several<Dense> parts,
                                  int axis) {
    return sparcl_dense_concat(ctx, to, views_of(parts).data(), (int)parts.size(), axis);
}

static sparcl_status dense_split(sparcl_ctx *ctx, Several<Dense> parts, const sparcl_dense *from,
                                 int axis) {
    return sparcl_dense_split(ctx, views_of(parts).data(), (int)parts.size(), from, axis);
}

static void bind_properties(nb::module_ &m) {
    m.def(
        "unary_name", [](int op) { return sparcl_unary_name((sparcl_unary_op)op); }, nb::arg("op"));
    m.def(
        "unary_keeps_zero",
        [](int op) { return sparcl_unary_keeps_zero((sparcl_unary_op)op) != 0; }, nb::arg("op"));
    m.def(
        "unary_needs_y", [](int op) { return sparcl_unary_needs_y((sparcl_unary_op)op) != 0; },
        nb::arg("op"));
}

void bind_operations(nb::module_ &m) {
    bind_structs(m);
    bind_sparse_operations(m);
    bind_properties(m);
    BIND(buf_copy);
    BIND(pattern_build);
    BIND(spmm);
    BIND(spmm_t);
    BIND(spmm_t_rows);
    BIND(gemm);
    BIND(matmul);
    BIND(gather_rows);
    BIND(scatter_add);
    BIND(assign_rows);

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
    BIND(rows_multiply);
    BIND(rows_multiply_dense);

    BIND(csr_reduce);
    BIND(csr_reduce_gradient);
    BIND(dense_reduce);
    BIND(dense_reduce_gradient);
    BIND(rows_reduce);
    BIND(rows_reduce_gradient);
    BIND(dot_rows);
    BIND(dot_rows_gradient);
    BIND(segment_reduce);
    BIND(segment_reduce_gradient);
    BIND(csr_softmax);
    BIND(csr_softmax_heads);
    BIND(csr_softmax_gradient);

    BIND(embedding);
    BIND(embedding_bag);
    BIND(embedding_bag_matrix);
    BIND(embedding_bag_gradient);
    BIND(embedding_bag_weights_gradient);
    BIND(embedding_renorm);

    BIND(activate);
    BIND(activate_gradient);
    BIND(add);
    BIND(add_bias);
    BIND(copy);
    BIND(add_n);

    BIND(interactions);
    BIND(interactions_rows);
    BIND(field_interactions);
    BIND(field_interactions_gradient);

    BIND(dropout);
    BIND(layer_norm);
    BIND(layer_norm_gradient);
    BIND(batch_norm);
    BIND(batch_norm_inference);
    BIND(batch_norm_gradient);
    bind_one(m, "dense_concat", dense_concat);
    bind_one(m, "dense_split", dense_split);

    BIND(loss_gradient);
    BIND(loss_predict);
    BIND(sum_rows);
    BIND(negative_samples);
}
