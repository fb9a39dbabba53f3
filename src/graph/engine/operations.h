/* operations.h: the table of operations, and what its rows share. */
#ifndef SPC_GRAPH_OPERATIONS_H
#define SPC_GRAPH_OPERATIONS_H

#include "graph/engine/node.h"

/* products.c */
extern const spc_operation spc_op_spmm, spc_op_spmm_t, spc_op_sddmm, spc_op_gemm, spc_op_transpose;
/* row_sparse_multiply.c */
extern const spc_operation spc_op_rows_multiply, spc_op_rows_multiply_dense;
/* row_sparse_products.c */
extern const spc_operation spc_op_spmm_rows, spc_op_spmm_t_rows;
/* entry_products.c */
extern const spc_operation spc_op_entry_products;
/* elements.c */
extern const spc_operation spc_op_add, spc_op_add_bias, spc_op_activate, spc_op_activate_gradient,
    spc_op_cast;
/* elementwise.c */
extern const spc_operation spc_op_unary, spc_op_unary_gradient, spc_op_clip, spc_op_clip_gradient,
    spc_op_binary, spc_op_binary_scalar, spc_op_binary_gradient_x, spc_op_binary_gradient_y,
    spc_op_csr_broadcast, spc_op_csr_broadcast_gradient;
/* selections.c */
extern const spc_operation spc_op_columns, spc_op_gather, spc_op_bag, spc_op_bag_gradient;
/* row_sparse.c */
extern const spc_operation spc_op_as_rows, spc_op_rows_retain_all, spc_op_rows_retain_stored,
    spc_op_add_n, spc_op_rows_mask, spc_op_rows_retain_gradient, spc_op_concat, spc_op_coalesce,
    spc_op_mean_rows;
/* conversions.c */
/* The dense sum of operands that are rows; and that of the node beside it, by the same lists. */
sparcl_status spc_scatter_operands(sparcl_graph *graph, const spc_node *node);
extern const spc_operation spc_op_to_dense, spc_op_sparse_mask, spc_op_to_csr, spc_op_topk_rows;
/* row_sparse_conversions.c */
extern const spc_operation spc_op_to_rows, spc_op_csr_to_rows, spc_op_csr_to_rows_gradient,
    spc_op_rows_to_csr;
/* parts.c */
extern const spc_operation spc_op_dense_slice, spc_op_dense_slice_gradient, spc_op_rows_slice,
    spc_op_moved_rows;
/* values.c */
extern const spc_operation spc_op_values, spc_op_stored_values, spc_op_with_values, spc_op_map;
/* reductions.c */
extern const spc_operation spc_op_reduce, spc_op_reduce_gradient, spc_op_csr_reduce,
    spc_op_csr_reduce_gradient, spc_op_rows_reduce, spc_op_rows_reduce_gradient,
    spc_op_segment_reduce, spc_op_segment_reduce_gradient, spc_op_dot_rows,
    spc_op_dot_rows_gradient;
/* csr_softmax.c */
extern const spc_operation spc_op_csr_softmax, spc_op_csr_softmax_gradient,
    spc_op_csr_softmax_heads;
/* sparse_products.c */
extern const spc_operation spc_op_spmm_reduce, spc_op_spmm_reduce_a, spc_op_spmm_reduce_b,
    spc_op_csr_add, spc_op_csr_multiply, spc_op_csr_binary_gradient, spc_op_csr_multiply_dense,
    spc_op_csr_multiply_dense_gradient, spc_op_spgemm, spc_op_spgemm_gradient;
/* structure.c */
extern const spc_operation spc_op_csr_transpose, spc_op_slice_rows, spc_op_slice_columns,
    spc_op_csr_reshape, spc_op_sort_indices, spc_op_take_rows, spc_op_take_columns,
    spc_op_retain_rows, spc_op_triangle, spc_op_prune, spc_op_concat_rows, spc_op_concat_columns,
    spc_op_block_diagonal, spc_op_values_of, spc_op_sum_duplicates;
/* empty_rows.c */
extern const spc_operation spc_op_fill_empty_rows, spc_op_fill_gradient;
/* coo.c */
extern const spc_operation spc_op_coo_sort, spc_op_coo_scatter;
/* coo_combine.c */
extern const spc_operation spc_op_coo_coalesce, spc_op_coo_fill_empty_rows, spc_op_coo_add,
    spc_op_coo_multiply, spc_op_coo_coalesce_gradient, spc_op_coo_binary_gradient;
/* coo_shape.c */
extern const spc_operation spc_op_coo_permute, spc_op_coo_reshape, spc_op_coo_expand_dims,
    spc_op_coo_squeeze, spc_op_coo_slice, spc_op_coo_concat, spc_op_coo_project;
/* coo_conversions.c */
extern const spc_operation spc_op_coo_to_csr, spc_op_csr_to_coo, spc_op_to_coo;
/* embeddings.c */
extern const spc_operation spc_op_embedding_bag, spc_op_bag_coefficients,
    spc_op_bag_weights_gradient, spc_op_bag_max_gradient, spc_op_bag_scaled_gradient,
    spc_op_embedding, spc_op_embedding_gradient;
/* bag_matrix.c */
extern const spc_operation spc_op_bag_matrix;
/* interactions.c */
extern const spc_operation spc_op_interactions, spc_op_interactions_gradient,
    spc_op_field_interactions, spc_op_field_interactions_gradient;
/* layers.c */
extern const spc_operation spc_op_dropout, spc_op_dense_concat, spc_op_dense_part;
/* global_norm.c */
extern const spc_operation spc_op_square_sum, spc_op_clipped;
/* normalisation.c */
extern const spc_operation spc_op_layer_norm, spc_op_batch_norm, spc_op_norm_statistics,
    spc_op_norm_gradient;
/* losses.c */
extern const spc_operation spc_op_loss, spc_op_loss_gradient, spc_op_scale_rows, spc_op_sum,
    spc_op_mean, spc_op_constant, spc_op_expand;

/* --- inference -------------------------------------------------------------------------------- */

/* Is operand i of this kind and rank? E_ARG, E_SHAPE. */
sparcl_status spc_need_kind(const sparcl_graph *graph, const spc_node *node, int i, spc_value kind,
                            int min_rank, int max_rank);
/* Operations whose result is on the memory of dense operand i need one without gaps, of row-major
 * order, as only arrays of the caller may not be. E_SHAPE. */
sparcl_status spc_need_packed(const sparcl_graph *graph, const spc_node *node, int i);
/* Is it a floating-point type, which the device has? `op` begins the message. E_DTYPE,
 * E_UNSUPPORTED. */
sparcl_status spc_need_type(const sparcl_graph *graph, const char *op, sparcl_dtype dtype);
/* A size of an operand, and what it counts. */
typedef struct spc_size {
    const spc_node *of;
    int64_t size;
    const char *what;
} spc_size;

/* Are two sizes equal in every run? E_SHAPE. */
sparcl_status spc_need_equal(const sparcl_graph *graph, const spc_node *node, spc_size a,
                             spc_size b);
/* What size d of an array counts, in words. */
const char *spc_dimension_text(int d);
/* Is operand 0 a CSR matrix, of which shape[d] (`what`: rows, columns or entries) is the number of
 * rows of operand 1, dense of rank 1 or 2? E_ARG, E_SHAPE. */
sparcl_status spc_need_csr_and_dense(const sparcl_graph *graph, const spc_node *node, int d,
                                     const char *what);
/* The result is dense; cols counts for rank 2 only. */
void spc_set_dense(spc_node *node, int rank, int64_t rows, int64_t cols);
/* The result is a CSR matrix with room for `entries` entries. */
void spc_set_csr(spc_node *node, int64_t rows, int64_t cols, int64_t entries);
/* The result is a COO array with room for `entries` entries. */
void spc_set_coo(spc_node *node, int rank, const int64_t *shape, int64_t entries);
/* The result is dense, of the shape of operand 0. */
sparcl_status spc_like_first(sparcl_graph *graph, spc_node *node);

/* --- CSR matrices ----------------------------------------------------------------------------- */

/* The matrix that has the indices of a matrix or of a list of columns: itself, or what
 * sparcl_graph_with_values or sparcl_graph_columns took. */
const spc_node *spc_matrix_base(const sparcl_graph *graph, const spc_node *a);
/* Are the indices of a CSR matrix or of a list those of an input, so that they are known before a
 * run? */
bool spc_knows_rows(const sparcl_graph *graph, sparcl_node node);
/* The same entries, entry k in column k; for an operation with positions as its constants. */
sparcl_csr spc_by_position(const spc_node *node, const sparcl_csr *a);
/* The pattern of A, built when it is first used after A was bound or computed. */
sparcl_status spc_graph_pattern(sparcl_graph *graph, const spc_node *a, sparcl_pattern **pattern);
/* As a list: for each entry of a CSR result the position of its value in those of CSR matrix `of`,
 * which map number `map` of the result has. */
sparcl_node spc_graph_map(sparcl_graph *graph, sparcl_node result, int map, sparcl_node of);
/* The same for each entry of `of`: the position of its value in those of the result. */
sparcl_node spc_graph_inverse_map(sparcl_graph *graph, sparcl_node result, int map, sparcl_node of);
/* Before the launch of an operation: the values of its CSR result are 0, and so are the columns,
 * because capacity that is not used is read, too, where they are a list. */
sparcl_status spc_clear_csr(sparcl_graph *graph, const spc_node *node);
/* After the launch of an operation: its CSR result is valid, and has node->flags. */
void spc_trust_csr(spc_node *node);
/* The same for a COO result. */
void spc_trust_coo(spc_node *node);

/* --- row-sparse arrays -------------------------------------------------------------------------
 */

/* Before the launch of an operation: the values of its row-sparse result are 0. Those past its
 * count stay so, as they may be read as a dense array. */
sparcl_status spc_clear_rows(sparcl_graph *graph, const spc_node *node);
/* After it: the result is valid, and has these marks. */
void spc_trust_rows(spc_node *node, uint32_t flags);
/* x itself where it is known to be sorted and unique, else the sums of its rows with one index. */
sparcl_node spc_each_row_once(sparcl_graph *graph, sparcl_node x);
/* The rows of g, sorted and unique, at the indices of the stored rows of x: a dense array with a
 * row for each of them. */
sparcl_node spc_rows_at(sparcl_graph *graph, sparcl_node g, sparcl_node x);

/* --- gradients -------------------------------------------------------------------------------- */

/* Does an operand depend on a parameter? */
bool spc_needs_gradient(const sparcl_graph *graph, sparcl_node node, int operand);
/* In this run: is the gradient of a node's result computed? */
static inline bool spc_has_gradient(const sparcl_graph *graph, const spc_node *node) {
    return graph->with_steps && node->gradient != SPARCL_NO_NODE;
}
/* The gradient by operand 0, from the gradient of the result, all operands and the result. */
sparcl_node spc_gradient_of_all(sparcl_graph *graph, const spc_operation *op, sparcl_node node,
                                sparcl_node of);
/* May the gradient of a node be row-sparse? So it is for a parameter of which only rows are read,
 * if a step of the others would not change them. */
bool spc_wants_rows(const sparcl_graph *graph, sparcl_node node);

/* global_norm.c: after all gradients: those that steps take, where they are clipped together. */
sparcl_status spc_graph_clip_gradients(sparcl_graph *graph);

#endif
