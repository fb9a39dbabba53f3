/* coo_result.h: what operations share whose result is a COO array with the values of its operands.
 */
#ifndef SPC_GRAPH_COO_RESULT_H
#define SPC_GRAPH_COO_RESULT_H

#include "graph/engine/operations.h"

sparcl_coo *spc_operand_coo(sparcl_graph *graph, const spc_node *node, int i);
/* Operand i is a COO array of any rank. */
sparcl_status spc_need_coo_operand(const sparcl_graph *graph, const spc_node *node, int i);
/* An operation on one array, whose result has its shape and capacity. */
sparcl_status spc_infer_like_coo(sparcl_graph *graph, spc_node *node);
/* *moved: where the values come from, in map 0, if there is one. Values past the entries are 0. */
sparcl_status spc_clear_coo(sparcl_graph *graph, const spc_node *node, sparcl_moved *moved);
/* Other values are written to the same buffer, which would end a proof. */
sparcl_status spc_keep_coo_marks(spc_node *node, sparcl_status status);
/* The gradient of operand 0, whose values are in the result at most once, in map 0: with `like`, of
 * as many values. */
sparcl_node spc_scatter_coo(sparcl_graph *graph, sparcl_node of, sparcl_node result,
                            sparcl_node like);
void spc_coo_moved_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients);
/* That of operand 0 where entry k of the result has its value k. */
void spc_same_entries_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                               sparcl_node *gradients);

#endif
