/* operations.h: the table of operations, and what its rows share. */
#ifndef SPC_GRAPH_OPERATIONS_H
#define SPC_GRAPH_OPERATIONS_H

#include "graph/engine/node.h"

/* The operations of graphs by kind, as help and docs print them: each is spc_op_NAME. Those of
 * gradients at the end. A file of src/graph/ops defines each. */
/* clang-format off */
#define SPC_OPERATIONS(KIND, X)                                                                   \
    KIND("Products")                                                                              \
    X(spmm) X(spmm_t) X(spmm_rows) X(spmm_t_rows) X(sddmm) X(gemm) X(spmm_reduce)                 \
    X(spgemm) X(bag)                                                                              \
    KIND("Elements")                                                                              \
    X(add_n) X(unary) X(clip) X(binary) X(binary_scalar)                                          \
    X(csr_broadcast) X(csr_add) X(csr_multiply) X(csr_multiply_dense) X(rows_multiply)            \
    X(rows_multiply_dense) X(coo_add) X(coo_multiply) X(cast) X(values) X(with_values)            \
    KIND("Reductions")                                                                            \
    X(sum) X(mean) X(reduce) X(csr_reduce) X(rows_reduce) X(segment_reduce) X(dot_rows)           \
    X(csr_softmax) X(csr_softmax_heads)                                                           \
    KIND("Order and shape")                                                                       \
    X(gather) X(columns) X(transpose) X(dense_concat) X(dense_slice) X(csr_transpose) X(csr_reshape)\
    X(sort_indices) X(slice_rows) X(slice_columns) X(take_rows) X(take_columns) X(retain_rows)    \
    X(triangle) X(concat_rows) X(concat_columns) X(block_diagonal) X(sum_duplicates)              \
    X(fill_empty_rows) X(coo_sort) X(coo_coalesce) X(coo_permute) X(coo_reshape)                  \
    X(coo_expand_dims) X(coo_squeeze) X(coo_project) X(coo_slice) X(coo_concat)                   \
    X(coo_fill_empty_rows) X(as_rows) X(rows_retain_all) X(rows_retain_stored) X(rows_slice)      \
    KIND("Conversions")                                                                           \
    X(to_dense) X(sparse_mask) X(to_csr) X(prune) X(topk_rows) X(coo_to_csr) X(csr_to_coo) X(to_coo)\
    X(to_rows) X(csr_to_rows) X(rows_to_csr)                                                      \
    KIND("Layers")                                                                                \
    X(embedding) X(embedding_bag) X(bag_matrix) X(interactions) X(field_interactions) X(dropout)  \
    X(layer_norm) X(batch_norm)                                                                   \
    KIND("Losses")                                                                                \
    X(loss)                                                                                       \
    KIND("Gradients")                                                                             \
    X(bag_gradient) X(entry_products) X(unary_gradient) X(clip_gradient)                           \
    X(binary_gradient_x) X(binary_gradient_y) X(csr_broadcast_gradient) X(loss_gradient)          \
    X(scale_rows) X(reduce_gradient) X(csr_reduce_gradient) X(rows_reduce_gradient)               \
    X(segment_reduce_gradient) X(dot_rows_gradient) X(csr_softmax_gradient) X(spmm_reduce_a)      \
    X(spmm_reduce_b) X(spgemm_gradient) X(csr_binary_gradient) X(embedding_gradient)              \
    X(bag_scaled_gradient) X(interactions_gradient) X(field_interactions_gradient) X(mean_rows)   \
    X(bag_coefficients) X(bag_weights_gradient) X(bag_max_gradient) X(square_sum) X(clipped)      \
    X(norm_statistics) X(norm_gradient) X(dense_part) X(dense_slice_gradient)                     \
    X(csr_multiply_dense_gradient) X(csr_to_rows_gradient) X(rows_mask) X(rows_retain_gradient)   \
    X(moved_rows) X(concat) X(coalesce) X(constant) X(expand) X(values_of) X(stored_values)       \
    X(fill_gradient) X(map) X(coo_scatter) X(coo_coalesce_gradient) X(coo_binary_gradient)
/* clang-format on */
#define SPC_KIND(title)
#define SPC_DECLARE(name) extern const spc_operation spc_op_##name;
SPC_OPERATIONS(SPC_KIND, SPC_DECLARE)
#undef SPC_KIND
#undef SPC_DECLARE

/* elementwise.c: is a node x + y of one shape; or x [m, n] + y [n], or [m] + [1]: a bias of each
 * column? */
bool spc_is_sum(const sparcl_graph *graph, const spc_node *node);
bool spc_is_bias_sum(const sparcl_graph *graph, const spc_node *node);

/* conversions.c: the dense sum of operands that are rows; and that of the node beside it, by the
 * same lists. */
sparcl_status spc_scatter_operands(sparcl_graph *graph, const spc_node *node);

/* Is it a node of this kind? Operations that exist for several formats choose by it. */
bool spc_is_kind(const sparcl_graph *graph, sparcl_node node, spc_value kind);

/* concatenation.c: a tree of nodes that join matrices. coo_shape.c: settings with sizes, none for
 * NULL. */
sparcl_node spc_join_nodes(sparcl_graph *graph, const spc_operation *op, const sparcl_node *in,
                           int count);
spc_settings spc_with_sizes(int rank, const int64_t *sizes);

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
