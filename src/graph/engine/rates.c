/* rates.c: learning rates that vary from step to step. */
#include <math.h>

#include "graph/engine/node.h"

sparcl_status sparcl_graph_vary_rates(sparcl_graph *graph) {
    if (!graph) return SPARCL_E_ARG;
    if (graph->has_backward)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                            "graph_vary_rates: called after graph_backward, expected before");
    graph->varies_rates = true;
    for (int i = 0; i < graph->count; ++i)
        if (spc_node_at(graph, i)->parameter) spc_node_at(graph, i)->parameter->varies = true;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_set_rate(sparcl_graph *graph, double factor) {
    if (!graph) return SPARCL_E_ARG;
    if (!graph->varies_rates)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                            "graph_set_rate: call graph_vary_rates before graph_backward");
    if (!(factor >= 0 && isfinite(factor)))
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                            "graph_set_rate: the factor is %g, expected a finite number from 0",
                            factor);
    for (int i = 0; i < graph->count; ++i) {
        spc_parameter *const p = spc_node_at(graph, i)->parameter;
        if (p) p->optim.lr = p->rate * factor;
    }
    return SPARCL_OK;
}
