/* fuse.h: nodes of a graph that are computed in one launch. */
#ifndef SPC_GRAPH_FUSE_H
#define SPC_GRAPH_FUSE_H

#include "graph/engine/node.h"

/* Choose what is fused among the nodes that run, and their steps. */
void spc_fuse(const sparcl_graph *graph);
/* Without fusion: rows of one index stay apart for steps that do not add them. */
void spc_keep_duplicates(const sparcl_graph *graph);

/* How many nodes of this run read a value, and parameters whose step does. */
int spc_readers_of(const sparcl_graph *graph, sparcl_node which);
/* Does only one reader need a node, so that it can be left out? */
bool spc_is_internal(const sparcl_graph *graph, sparcl_node which);

/* May a value be computed with node `later`? Nothing reads it before. */
bool spc_can_wait(const sparcl_graph *graph, sparcl_node which, sparcl_node later);

bool spc_have_one_shape(const spc_node *a, const spc_node *b);
/* Does a run write rows of a table that others read? So does an embedding with a maximum. */
bool spc_writes_tables(const sparcl_graph *graph);

/* After spc_fuse: values that are computed twice, and sums and concatenations one of another. */
void spc_fuse_chains(const sparcl_graph *graph);
/* After both: dense sums of rows that have lists. */
void spc_fuse_scatters(const sparcl_graph *graph);
/* After all of these, on many lanes: nodes of one operation whose operands are there with the
 * first, and two sums of columns. */
void spc_fuse_beside(const sparcl_graph *graph);

#endif
