/* graph.c: creates graphs, their inputs and their parameters. */
#include <string.h>

#include "graph/engine/operations.h"
#include "sparcl/optim_text.h"

sparcl_status sparcl_graph_create(sparcl_ctx *ctx, sparcl_graph **graph) {
    if (graph) *graph = NULL;
    if (!ctx) return SPARCL_E_ARG;
    if (!graph) return spc_ctx_fail(ctx, SPARCL_E_ARG, "graph_create: graph is NULL");
    sparcl_graph *const made = spc_alloc_zero(spc_ctx_allocator(ctx), 1, sizeof *made);
    if (!made) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "graph_create: no host memory");
    made->ctx = ctx;
    spc_arena_open(&made->arena, ctx);
    *graph = made;
    return SPARCL_OK;
}

void sparcl_graph_set_dtype(sparcl_graph *graph, sparcl_dtype dtype) {
    if (!graph) return;
    const sparcl_status status = spc_need_type(graph, "graph", dtype);
    if (status == SPARCL_OK) graph->dtype = dtype;
    spc_graph_keep(graph, status);
}

static void free_parameter(const sparcl_graph *graph, spc_node *node) {
    if (node->parameter) spc_parameter_close(node->parameter);
    spc_free(spc_ctx_allocator(graph->ctx), node->parameter, sizeof *node->parameter);
    node->parameter = NULL;
}

void sparcl_graph_free(sparcl_graph *graph) {
    if (!graph) return;
    const sparcl_allocator *const allocator = spc_ctx_allocator(graph->ctx);
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        sparcl_pattern_free(node->pattern);
        sparcl_spgemm_free(node->spgemm);
        sparcl_buf_free(node->constants);
        sparcl_buf_free(node->kept);
        free_parameter(graph, node);
    }
    spc_arena_close(&graph->arena);
    spc_free(allocator, graph->nodes, (size_t)graph->capacity * sizeof *graph->nodes);
    spc_free(allocator, graph->dims, (size_t)graph->dim_capacity * sizeof *graph->dims);
    spc_free(allocator, graph, sizeof *graph);
}

/* --- inputs and parameters -------------------------------------------------------------------- */

sparcl_node sparcl_graph_csr(sparcl_graph *graph, const char *name, int64_t rows, int64_t cols,
                             int64_t entries) {
    const int64_t shape[] = {rows, cols, entries};
    return spc_graph_add_source(graph, name, SPC_VALUE_CSR, 3, shape, 0);
}

sparcl_node sparcl_graph_dense(sparcl_graph *graph, const char *name, int rank,
                               const int64_t *shape) {
    return spc_graph_add_source(graph, name, SPC_VALUE_DENSE, rank, shape, 0);
}

sparcl_node sparcl_graph_list(sparcl_graph *graph, const char *name, int64_t count, int64_t limit) {
    const int64_t shape[] = {count, limit};
    return spc_graph_add_source(graph, name, SPC_VALUE_LIST, 2, shape, 0);
}

sparcl_node sparcl_graph_rows(sparcl_graph *graph, const char *name, int rank, const int64_t *shape,
                              int64_t stored) {
    return spc_graph_add_source(graph, name, SPC_VALUE_ROWS, rank, shape, stored);
}

sparcl_node sparcl_graph_coo(sparcl_graph *graph, const char *name, int rank, const int64_t *shape,
                             int64_t entries) {
    return spc_graph_add_source(graph, name, SPC_VALUE_COO, rank, shape, entries);
}

static sparcl_status check_unique(const sparcl_graph *graph, const spc_node *node) {
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const other = spc_node_at(graph, i);
        if (other != node && other->parameter && strcmp(other->name, node->name) == 0)
            return spc_node_fail(graph, node, SPARCL_E_ARG, "another parameter has the same name");
    }
    return SPARCL_OK;
}

static sparcl_status check_parameter(const sparcl_graph *graph, const spc_node *node,
                                     const sparcl_optim *optim) {
    char text[SPC_NAME_BYTES];
    if (!optim) return spc_node_fail(graph, node, SPARCL_E_ARG, "the optimizer is NULL");
    if (node->dtype != SPARCL_F32 && node->dtype != SPARCL_F64)
        return spc_node_fail(graph, node, SPARCL_E_DTYPE,
                             "a parameter is %s, expected float32 or float64: keep it in float32 "
                             "and cast it (sparcl_graph_cast)",
                             spc_dtype_name(node->dtype));
    if (sparcl_rule_states(optim->rule) < 0)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the optimizer is %d, which is unknown",
                             (int)optim->rule);
    if (optim->moves == SPARCL_MOVES_EXACT && sparcl_optim_exact_refusal(optim))
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             "moves is exact, but %s has no closed form with %s",
                             sparcl_rule_name(optim->rule), sparcl_optim_exact_refusal(optim));
    for (int d = 0; d < node->rank; ++d)
        if (node->shape[d] < 0)
            return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                                 "size %d is %s, expected one that does not change", d,
                                 spc_dim_text(graph, node->shape[d], text, sizeof text));
    return SPARCL_OK;
}

static sparcl_status make_parameter(sparcl_graph *graph, spc_node *node,
                                    const sparcl_optim *optim) {
    SPC_TRY(check_unique(graph, node));
    SPC_TRY(check_parameter(graph, node, optim));
    node->parameter = spc_alloc_zero(spc_ctx_allocator(graph->ctx), 1, sizeof *node->parameter);
    if (!node->parameter) return spc_node_fail(graph, node, SPARCL_E_MEMORY, "no host memory");
    SPC_TRY(spc_node_status(graph, node,
                            spc_parameter_open(node->parameter, graph->ctx, node->rank, node->shape,
                                               node->dtype, optim)));
    node->parameter->varies = graph->varies_rates;
    node->has_parameter = true;
    node->dense = node->parameter->weights;
    return SPARCL_OK;
}

sparcl_node sparcl_graph_parameter(sparcl_graph *graph, const char *name, int rank,
                                   const int64_t *shape, const sparcl_optim *optim) {
    const sparcl_node node = spc_graph_add_source(graph, name, SPC_VALUE_DENSE, rank, shape, 0);
    if (node == SPARCL_NO_NODE) return node;
    const sparcl_status status = make_parameter(graph, spc_node_at(graph, node), optim);
    spc_graph_keep(graph, status);
    if (status == SPARCL_OK) return node;
    free_parameter(graph, spc_node_at(graph, node));
    --graph->count;
    return SPARCL_NO_NODE;
}

sparcl_status sparcl_graph_take_error(sparcl_graph *graph) {
    if (!graph) return SPARCL_E_ARG;
    const sparcl_status status = graph->first_error.status;
    if (status == SPARCL_OK) return status;
    spc_ctx_set_error(graph->ctx, &graph->first_error);
    if (!graph->is_partial) graph->first_error = (sparcl_error){0};
    return status;
}

int sparcl_graph_nodes(const sparcl_graph *graph) {
    return graph ? graph->count : 0;
}

int sparcl_graph_is_parameter(const sparcl_graph *graph, sparcl_node node) {
    return graph && node >= 0 && node < graph->count && spc_node_at(graph, node)->parameter != NULL;
}

const char *sparcl_graph_node_name(const sparcl_graph *graph, sparcl_node node) {
    return graph && node >= 0 && node < graph->count ? spc_node_at(graph, node)->name : "";
}

void sparcl_graph_output(sparcl_graph *graph, sparcl_node node) {
    if (!graph || node < 0 || node >= graph->count) return;
    spc_node_at(graph, node)->is_output = true;
    graph->schedule.is_made = false;
}

void sparcl_graph_set_fusion(sparcl_graph *graph, int on) {
    if (!graph) return;
    graph->no_fusion = !on;
    graph->schedule.is_made = false;
}
