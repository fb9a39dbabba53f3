/* csr_result.h: what operations share whose result is a CSR matrix with the values of its operands.
 */
#ifndef SPC_GRAPH_CSR_RESULT_H
#define SPC_GRAPH_CSR_RESULT_H

#include "graph/engine/operations.h"
#include "sparcl/ops/structure.h"

sparcl_csr *spc_operand_csr(sparcl_graph *graph, const spc_node *node, int i);
/* An operation on one matrix, whose result has its capacity. */
sparcl_status spc_infer_like_matrix(sparcl_graph *graph, spc_node *node);
/* *moved: where the values come from, in map 0. What is past the entries is 0. */
sparcl_status spc_clear_moved(sparcl_graph *graph, const spc_node *node, sparcl_moved *moved);
/* Other values are written to the same buffer, which would end a proof. */
sparcl_status spc_keep_marks(spc_node *node, sparcl_status status);
/* The gradient of operand 0, of which each value is in the one of the result that map 0 has. */
void spc_inverse_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients);
/* Add the gradient of each element to that of the value that it comes from: a vector like `like`.
 */
sparcl_node spc_scatter_moved(sparcl_graph *graph, sparcl_node of, sparcl_node map,
                              sparcl_node like);

#endif
