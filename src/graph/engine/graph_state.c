/* graph_state.c: the training state of a graph: the arrays and the counters of its parameters. */
#include "sparcl/graph.h"
#include "sparcl/optim.h"

#include <math.h>
#include <string.h>

#include "graph/engine/node.h"
#include "optim/lazy_state.h"

/* What sparcl_counters.integers and .numbers hold; those of sparcl_lazy come after them. */
enum { STEP, IS_CURRENT, LAZY };

/* An array without its place. */
typedef struct part {
    const char *name, *type;
    sparcl_buf *buf;
    int64_t count, element, at, least, most;
} part;

static const char *const state_names[] = {"state0", "state1", "state2"};

static const char *type_name(sparcl_dtype dtype) {
    return dtype == SPARCL_F64    ? "F64"
           : dtype == SPARCL_F16  ? "F16"
           : dtype == SPARCL_BF16 ? "BF16"
                                  : "F32";
}

static part dense_part(const char *name, const sparcl_dense *x) {
    return (part){.name = name,
                  .type = type_name(x->dtype),
                  .buf = x->values,
                  .count = x->shape[0] * sparcl_row_width(x->rank, x->shape),
                  .element = (int64_t)sparcl_dtype_size(x->dtype),
                  .at = x->values_at};
}

static part last_steps_part(const spc_parameter *p) {
    return (part){.name = "last_steps",
                  .type = "I64",
                  .buf = p->optim.lazy.last_steps,
                  .count = p->weights.shape[0],
                  .element = sizeof(int64_t),
                  .most = p->optim.step};
}

static part lazy_part(const spc_lazy_array *x) {
    return (part){.name = x->name,
                  .type = x->is_integer ? "I32" : type_name(x->dtype),
                  .buf = x->buf,
                  .count = x->count,
                  .element = x->is_integer ? 4 : (int64_t)sparcl_dtype_size(x->dtype),
                  .least = x->least,
                  .most = x->most};
}

/* Part number `index` of a parameter, which is counted down to -1; false: it has fewer. */
static bool find_part(const spc_parameter *p, int *index, part *found) {
    spc_lazy_array lazy;
    *found = dense_part("values", &p->weights);
    if ((*index)-- == 0) return true;
    for (int s = 0; s < SPARCL_MAX_STATES && p->states[s].rank; ++s) {
        *found = dense_part(state_names[s], &p->states[s]);
        if ((*index)-- == 0) return true;
    }
    if (p->optim.lazy.last_steps) {
        *found = last_steps_part(p);
        if ((*index)-- == 0) return true;
    }
    for (int i = 0; p->optim.lazy.object && spc_lazy_array_of(p->optim.lazy.object, i, &lazy);
         ++i) {
        *found = lazy_part(&lazy);
        if ((*index)-- == 0) return true;
    }
    return false;
}

sparcl_status sparcl_graph_state_array(sparcl_graph *graph, int index, sparcl_state_array *array) {
    part x;
    if (array) *array = (sparcl_state_array){.parameter = SPARCL_NO_NODE};
    if (!graph) return SPARCL_E_ARG;
    if (!array || index < 0)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                            "graph_state_array: index is %d, or array is NULL", index);
    for (sparcl_node i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (!node->parameter || !find_part(node->parameter, &index, &x)) continue;
        *array = (sparcl_state_array){.parameter = i,
                                      .part = x.name,
                                      .type = x.type,
                                      .count = x.count,
                                      .buf = x.count ? x.buf : NULL,
                                      .at = x.at * x.element,
                                      .bytes = x.count * x.element,
                                      .least = x.least,
                                      .most = x.most};
        return SPARCL_OK;
    }
    return SPARCL_OK;
}

/* --- counters --------------------------------------------------------------------------------- */

static sparcl_status find_parameter(const sparcl_graph *graph, const char *what, sparcl_node at,
                                    spc_node **node) {
    SPC_TRY(spc_node_find(graph, what, at, node));
    if ((*node)->parameter) return SPARCL_OK;
    return spc_node_fail(graph, *node, SPARCL_E_ARG, "%s: it is no parameter", what);
}

sparcl_status sparcl_graph_counters(sparcl_graph *graph, sparcl_node parameter,
                                    sparcl_counters *counters) {
    spc_node *node = NULL;
    if (counters) memset(counters, 0, sizeof *counters);
    if (!graph) return SPARCL_E_ARG;
    if (!counters)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG, "graph_counters: counters is NULL");
    SPC_TRY(find_parameter(graph, "graph_counters", parameter, &node));
    const spc_parameter *const p = node->parameter;
    counters->integers[STEP] = p->optim.step;
    counters->integers[IS_CURRENT] = p->is_current;
    counters->numbers[0] = p->optim.lr;
    if (p->optim.lazy.object)
        spc_lazy_count(p->optim.lazy.object, counters->integers + LAZY, counters->numbers + 1);
    return SPARCL_OK;
}

static bool are_counters(const spc_parameter *p, const sparcl_counters *c) {
    const int64_t step = c->integers[STEP];
    return step >= 0 && c->integers[IS_CURRENT] >= 0 && c->integers[IS_CURRENT] <= 1 &&
           c->numbers[0] >= 0 && c->numbers[0] < (double)INFINITY &&
           (!p->optim.lazy.object ||
            spc_lazy_counts_fit(p->optim.lazy.object, step, c->integers + LAZY, c->numbers + 1));
}

sparcl_status sparcl_graph_set_counters(sparcl_graph *graph, sparcl_node parameter,
                                        const sparcl_counters *counters) {
    spc_node *node = NULL;
    if (!graph) return SPARCL_E_ARG;
    if (!counters)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG, "graph_set_counters: counters is NULL");
    SPC_TRY(find_parameter(graph, "graph_set_counters", parameter, &node));
    spc_parameter *const p = node->parameter;
    if (!are_counters(p, counters))
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             "graph_set_counters: these are not counters of such a parameter");
    sparcl_optim last = p->optim;
    last.step = counters->integers[STEP];
    last.lr = counters->numbers[0];
    if (p->optim.lazy.object)
        SPC_TRY(
            spc_node_status(graph, node,
                            spc_lazy_restore(p->optim.lazy.object, &last, counters->integers + LAZY,
                                             counters->numbers + 1)));
    p->optim.step = last.step;
    p->optim.lr = last.lr;
    p->is_current = counters->integers[IS_CURRENT] != 0;
    return SPARCL_OK;
}

int64_t sparcl_graph_get_step(const sparcl_graph *graph) {
    return graph ? graph->step : 0;
}
