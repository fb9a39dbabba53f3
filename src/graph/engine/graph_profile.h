/* graph_profile.h: tells the profile which node the next commands of a run are for. */
#ifndef SPC_GRAPH_PROFILE_H
#define SPC_GRAPH_PROFILE_H

#include "graph/engine/node.h"

/* Without profiling none of them does anything; spc_profile_end_part ends each. */

/* The operation of a node, and what is fused into it. */
void spc_profile_node(sparcl_graph *graph, const spc_node *node);
/* The pattern of operand 0 of a node, a matrix. */
void spc_profile_pattern(sparcl_graph *graph, const spc_node *node);
/* The rows of a parameter that catch up. */
void spc_profile_catch_up(sparcl_graph *graph, const spc_node *parameter, const sparcl_rows *rows);
/* The step of a parameter, and, not NULL, that of another one in the same launch. */
void spc_profile_step(sparcl_graph *graph, const spc_node *parameter, const spc_node *other);

#endif
