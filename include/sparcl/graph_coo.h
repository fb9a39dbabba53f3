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
