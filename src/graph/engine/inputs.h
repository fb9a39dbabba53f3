/* inputs.h: the sizes of a run. */
#ifndef SPC_GRAPH_INPUTS_H
#define SPC_GRAPH_INPUTS_H

#include "graph/engine/node.h"

/* Take the sizes of dimensions from the inputs that run. E_ARG: one is not bound; E_SHAPE: two do
 * not agree. */
sparcl_status spc_inputs_set_sizes(sparcl_graph *graph);

#endif
