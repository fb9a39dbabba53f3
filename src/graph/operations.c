/* operations.c: the table of operations, by kind, as help and docs print it. */
#include "graph/operations.h"

/* A kind, and then its operations. */
static const struct {
    const char *kind;
    const spc_operation *op;
} rows[] = {
    {"Products", NULL},
    {NULL, &spc_op_spmm},
    {NULL, &spc_op_spmm_t},
    {NULL, &spc_op_spmm_rows},
    {NULL, &spc_op_spmm_t_rows},
    {NULL, &spc_op_sddmm},
    {NULL, &spc_op_gemm},
    {NULL, &spc_op_transpose},
    {NULL, &spc_op_spmm_reduce},
    {NULL, &spc_op_spgemm},
    {NULL, &spc_op_bag},
    {"Elements", NULL},
    {NULL, &spc_op_add},
    {NULL, &spc_op_add_n},
    {NULL, &spc_op_add_bias},
    {NULL, &spc_op_activate},
    {NULL, &spc_op_unary},
    {NULL, &spc_op_clip},
    {NULL, &spc_op_binary},
    {NULL, &spc_op_csr_broadcast},
    {NULL, &spc_op_csr_add},
    {NULL, &spc_op_csr_multiply},
    {NULL, &spc_op_csr_multiply_dense},
    {NULL, &spc_op_coo_add},
    {NULL, &spc_op_coo_multiply},
    {NULL, &spc_op_cast},
    {NULL, &spc_op_values},
    {NULL, &spc_op_with_values},
    {"Reductions", NULL},
    {NULL, &spc_op_sum},
    {NULL, &spc_op_mean},
    {NULL, &spc_op_reduce},
    {NULL, &spc_op_csr_reduce},
    {NULL, &spc_op_segment_reduce},
    {NULL, &spc_op_dot_rows},
    {NULL, &spc_op_csr_softmax},
    {NULL, &spc_op_csr_softmax_heads},
    {"Order and shape", NULL},
    {NULL, &spc_op_gather},
    {NULL, &spc_op_columns},
    {NULL, &spc_op_dense_concat},
    {NULL, &spc_op_csr_transpose},
    {NULL, &spc_op_csr_reshape},
    {NULL, &spc_op_sort_indices},
    {NULL, &spc_op_slice_rows},
    {NULL, &spc_op_slice_columns},
    {NULL, &spc_op_take_rows},
    {NULL, &spc_op_take_columns},
    {NULL, &spc_op_retain_rows},
    {NULL, &spc_op_triangle},
    {NULL, &spc_op_prune},
    {NULL, &spc_op_concat_rows},
    {NULL, &spc_op_concat_columns},
    {NULL, &spc_op_block_diagonal},
    {NULL, &spc_op_sum_duplicates},
    {NULL, &spc_op_fill_empty_rows},
    {NULL, &spc_op_coo_sort},
    {NULL, &spc_op_coo_coalesce},
    {NULL, &spc_op_coo_permute},
    {NULL, &spc_op_coo_reshape},
    {NULL, &spc_op_coo_expand_dims},
    {NULL, &spc_op_coo_squeeze},
    {NULL, &spc_op_coo_project},
    {NULL, &spc_op_coo_slice},
    {NULL, &spc_op_coo_concat},
    {NULL, &spc_op_coo_fill_empty_rows},
    {NULL, &spc_op_as_rows},
    {NULL, &spc_op_rows_retain_all},
    {NULL, &spc_op_rows_retain_stored},
    {"Conversions", NULL},
    {NULL, &spc_op_to_dense},
    {NULL, &spc_op_sparse_mask},
    {NULL, &spc_op_to_csr},
    {NULL, &spc_op_topk_rows},
    {NULL, &spc_op_coo_to_csr},
    {NULL, &spc_op_csr_to_coo},
    {NULL, &spc_op_to_coo},
    {"Layers", NULL},
    {NULL, &spc_op_embedding},
    {NULL, &spc_op_embedding_bag},
    {NULL, &spc_op_dropout},
    {NULL, &spc_op_layer_norm},
    {NULL, &spc_op_batch_norm},
    {"Losses", NULL},
    {NULL, &spc_op_loss},
    {"Gradients", NULL},
    {NULL, &spc_op_bag_gradient},
    {NULL, &spc_op_entry_products},
    {NULL, &spc_op_activate_gradient},
    {NULL, &spc_op_unary_gradient},
    {NULL, &spc_op_clip_gradient},
    {NULL, &spc_op_binary_gradient_x},
    {NULL, &spc_op_binary_gradient_y},
    {NULL, &spc_op_csr_broadcast_gradient},
    {NULL, &spc_op_loss_gradient},
    {NULL, &spc_op_reduce_gradient},
    {NULL, &spc_op_csr_reduce_gradient},
    {NULL, &spc_op_segment_reduce_gradient},
    {NULL, &spc_op_dot_rows_gradient},
    {NULL, &spc_op_csr_softmax_gradient},
    {NULL, &spc_op_spmm_reduce_a},
    {NULL, &spc_op_spmm_reduce_b},
    {NULL, &spc_op_spgemm_gradient},
    {NULL, &spc_op_csr_binary_gradient},
    {NULL, &spc_op_embedding_gradient},
    {NULL, &spc_op_bag_scaled_gradient},
    {NULL, &spc_op_mean_rows},
    {NULL, &spc_op_bag_coefficients},
    {NULL, &spc_op_bag_weights_gradient},
    {NULL, &spc_op_bag_max_gradient},
    {NULL, &spc_op_norm_statistics},
    {NULL, &spc_op_norm_gradient},
    {NULL, &spc_op_dense_part},
    {NULL, &spc_op_csr_multiply_dense_gradient},
    {NULL, &spc_op_rows_mask},
    {NULL, &spc_op_rows_retain_gradient},
    {NULL, &spc_op_concat},
    {NULL, &spc_op_coalesce},
    {NULL, &spc_op_constant},
    {NULL, &spc_op_expand},
    {NULL, &spc_op_values_of},
    {NULL, &spc_op_map},
    {NULL, &spc_op_coo_scatter},
    {NULL, &spc_op_coo_coalesce_gradient},
    {NULL, &spc_op_coo_binary_gradient},
};

/* Row number of operation `index`, and the kind that it has; false after the last one. */
static bool find_operation(int index, const char **kind, const spc_operation **op) {
    *kind = NULL;
    *op = NULL;
    for (size_t i = 0; i < SPC_COUNT(rows) && index >= 0; ++i) {
        if (rows[i].kind) *kind = rows[i].kind;
        if (rows[i].op && index-- == 0) *op = rows[i].op;
    }
    return *op != NULL;
}

const sparcl_operation_info *sparcl_graph_operation(int index) {
    const char *kind;
    const spc_operation *op;
    return find_operation(index, &kind, &op) ? &op->about : NULL;
}

const char *sparcl_graph_operation_kind(int index) {
    const char *kind;
    const spc_operation *op;
    return find_operation(index, &kind, &op) ? kind : NULL;
}
