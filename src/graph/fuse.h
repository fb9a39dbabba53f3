/* fuse.h: nodes of a graph that are computed in one launch. */
#ifndef SPC_GRAPH_FUSE_H
#define SPC_GRAPH_FUSE_H

#include "graph/node.h"

/* Choose what is fused among the nodes that run, and their steps. */
void spc_fuse(const sparcl_graph *graph);

#endif
