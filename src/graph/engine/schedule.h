/* schedule.h: which nodes of a graph run, what is fused, and where values lie in memory. */
#ifndef SPC_GRAPH_SCHEDULE_H
#define SPC_GRAPH_SCHEDULE_H

#include "graph/engine/node.h"

/* For outputs only, or for a training step. */
sparcl_status spc_schedule_make(sparcl_graph *graph, bool with_steps);

/* The same, after the first error of building, if there is one. */
sparcl_status spc_graph_plan(sparcl_graph *graph, bool with_steps);

/* Has the value of a node bytes of the graph's memory, in the schedule at hand? */
bool spc_has_memory(const spc_node *node);

/* The number of rows that a row-sparse value has space for. */
int64_t spc_stored_capacity(const sparcl_graph *graph, const spc_node *node);

#endif
