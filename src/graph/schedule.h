/* schedule.h: which nodes of a graph run, what is fused, and where values lie in memory. */
#ifndef SPC_GRAPH_SCHEDULE_H
#define SPC_GRAPH_SCHEDULE_H

#include "graph/node.h"

/* For outputs only, or for a training step. */
sparcl_status spc_schedule_make(sparcl_graph *graph, bool with_steps);

#endif
