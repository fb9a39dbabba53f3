/* graph_coo.h: COO arrays of any rank in graphs: inputs, and the operations on them.
 */
#ifndef SPARCL_GRAPH_COO_H
#define SPARCL_GRAPH_COO_H

#include "sparcl/coo_ops.h"
#include "sparcl/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The gradient of a COO array is a vector with one number for each stored entry, as that of a CSR
 * matrix: sparcl_graph_values gives the values of one, sparcl_graph_with_values other values to its
 * indices, and sparcl_graph_cast, sparcl_graph_unary and sparcl_graph_clip take one. Results have a
 * count on the device, and values of 0 past it. A shape has numbers and dimensions; the number of
 * entries is the capacity. Also see sparcl_graph_to_dense and sparcl_graph_sparse_mask.
 */

/** An input: a COO array with room for `entries` entries, which may be from sparcl_graph_dim. */
SPARCL_API sparcl_node sparcl_graph_coo(sparcl_graph *graph, const char *name, int rank,
                                        const int64_t *shape, int64_t entries);
/** Bind an input, as sparcl_graph_bind_csr. view->nnz is the number of entries of this run, or,
 * where the view has a count, its capacity. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_bind_coo(sparcl_graph *graph,
                                                                 sparcl_node input,
                                                                 const sparcl_coo *view);
/** As sparcl_graph_value, for a COO array. Its nnz is the capacity, view->count the number of
 * entries. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_coo_value(sparcl_graph *graph,
                                                                  sparcl_node node,
                                                                  sparcl_coo *view);

/** The entries in the order of their indices (stable): see sparcl_coo_sort. */
SPARCL_API sparcl_node sparcl_graph_coo_sort(sparcl_graph *graph, sparcl_node a);
/** The entries sorted, those with one index combined: see sparcl_coo_coalesce_with. */
SPARCL_API sparcl_node sparcl_graph_coo_coalesce(sparcl_graph *graph, sparcl_node a,
                                                 sparcl_duplicates how);
/** The transpose whose dimension d is dimension axes[d] of A, sorted: see sparcl_coo_permute. */
SPARCL_API sparcl_node sparcl_graph_coo_permute(sparcl_graph *graph, sparcl_node a, int rank,
                                                const int *axes);
/** A in another shape with as many elements, in row-major order: see sparcl_coo_reshape. */
SPARCL_API sparcl_node sparcl_graph_coo_reshape(sparcl_graph *graph, sparcl_node a, int rank,
                                                const int64_t *shape);
/** A with a dimension of size 1 before dimension `axis`, 0 to the rank. */
SPARCL_API sparcl_node sparcl_graph_coo_expand_dims(sparcl_graph *graph, sparcl_node a, int axis);
/** A without dimension `axis`, whose size is the number 1, or with axis -1 without all such
 * dimensions; one dimension is always left. */
SPARCL_API sparcl_node sparcl_graph_coo_squeeze(sparcl_graph *graph, sparcl_node a, int axis);
/** The entries of A with `count` dimensions of their indices: dimension d is axes[d] of A. It moves
 * nothing; its entries are in no order, and several may have one index. */
SPARCL_API sparcl_node sparcl_graph_coo_project(sparcl_graph *graph, sparcl_node a, int count,
                                                const int *axes);
/** The part of A from index start[d] on, with shape[d] indices in each dimension d: see
 * sparcl_coo_slice. */
SPARCL_API sparcl_node sparcl_graph_coo_slice(sparcl_graph *graph, sparcl_node a, int rank,
                                              const int64_t *start, const int64_t *shape);
/** Up to 8 COO arrays along one axis: see sparcl_coo_concat. */
SPARCL_API sparcl_node sparcl_graph_coo_concat(sparcl_graph *graph, const sparcl_node *in,
                                               int count, int axis);
/** The entries sorted, and one of a value in each row (index of dimension 0) that has none; with
 * room for as many more entries as there are rows: see sparcl_coo_fill_empty_rows. */
SPARCL_API sparcl_node sparcl_graph_coo_fill_empty_rows(sparcl_graph *graph, sparcl_node a,
                                                        double value);
/** alpha * A + beta * B, and the product of A and B element by element. Both are sorted, without
 * duplicates (sparcl_graph_coo_coalesce); the result is, too. See sparcl_coo_add. */
SPARCL_API sparcl_node sparcl_graph_coo_add(sparcl_graph *graph, double alpha, sparcl_node a,
                                            double beta, sparcl_node b);
SPARCL_API sparcl_node sparcl_graph_coo_multiply(sparcl_graph *graph, sparcl_node a, sparcl_node b);
/**
 * The sum, mean, maximum or minimum of the stored entries over `count` axes, or with axes NULL over
 * all, as a dense array of the other dimensions, of [1] where there are none; 0 where there is no
 * entry. It adds nodes for coo_project, coo_coalesce (not for a sum) and to_dense, and what
 * sparcl_ctx_set_densify says holds. Entries of one index count one by one.
 */
SPARCL_API sparcl_node sparcl_graph_coo_reduce(sparcl_graph *graph, sparcl_duplicates how,
                                               sparcl_node a, int count, const int *axes);
/** A COO matrix as a CSR matrix with sorted rows, duplicates included; entries that are not known
 * to be sorted are sorted first (sparcl_graph_coo_sort). */
SPARCL_API sparcl_node sparcl_graph_coo_to_csr(sparcl_graph *graph, sparcl_node a);
/** A CSR matrix as a COO matrix, in the order stored. */
SPARCL_API sparcl_node sparcl_graph_csr_to_coo(sparcl_graph *graph, sparcl_node a);
/** The elements of a dense array x with |x| > threshold, or that are NaN, as a COO array with room
 * for `entries` entries; what does not fit is dropped. */
SPARCL_API sparcl_node sparcl_graph_to_coo(sparcl_graph *graph, sparcl_node x, double threshold,
                                           int64_t entries);

#ifdef __cplusplus
}
#endif

#endif
