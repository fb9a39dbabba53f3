/* graph_run.c: binds inputs and runs a graph. */
#include "base/size.h"
#include "graph/schedule.h"

/* --- inputs ----------------------------------------------------------------------------------- */

static sparcl_status find_input(sparcl_graph *graph, sparcl_node input, spc_value kind,
                                const void *view, spc_node **node) {
    if (!graph) return SPARCL_E_ARG;
    SPC_TRY(spc_node_find(graph, "bind", input, node));
    if ((*node)->op || (*node)->parameter || (*node)->kind != kind)
        return spc_node_fail(graph, *node, SPARCL_E_ARG, "is not %s input",
                             kind == SPC_VALUE_CSR ? "a CSR" : "a dense");
    return view ? SPARCL_OK : spc_node_fail(graph, *node, SPARCL_E_ARG, "the view is NULL");
}

/* Does a size fit a dimension? */
static sparcl_status check_size(const sparcl_graph *graph, const spc_node *node, const char *what,
                                int64_t dim, int64_t size) {
    char text[SPC_NAME_BYTES];
    if (dim >= 0 ? size == dim : size >= 0 && size <= spc_dim_capacity(graph, dim))
        return SPARCL_OK;
    if (dim >= 0)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE, "%s is %lld, expected %lld", what,
                             (long long)size, (long long)dim);
    return spc_node_fail(graph, node, SPARCL_E_SHAPE, "%s is %lld, expected 0 to %lld (%s)", what,
                         (long long)size, (long long)spc_dim_capacity(graph, dim),
                         spc_dim_text(graph, dim, text, sizeof text));
}

static sparcl_status check_type(const sparcl_graph *graph, const spc_node *node,
                                sparcl_dtype dtype) {
    if (dtype == SPARCL_F32) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_DTYPE, "its values are not F32");
}

sparcl_status sparcl_graph_bind_csr(sparcl_graph *graph, sparcl_node input,
                                    const sparcl_csr *view) {
    spc_node *node = NULL;
    SPC_TRY(find_input(graph, input, SPC_VALUE_CSR, view, &node));
    SPC_TRY(check_type(graph, node, view->dtype));
    SPC_TRY(check_size(graph, node, "rows", node->shape[0], view->rows));
    SPC_TRY(check_size(graph, node, "columns", node->shape[1], view->cols));
    SPC_TRY(check_size(graph, node, "entries", node->shape[2], view->nnz));
    node->csr = *view;
    node->is_bound = node->is_new = true;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_bind_dense(sparcl_graph *graph, sparcl_node input,
                                      const sparcl_dense *view) {
    spc_node *node = NULL;
    SPC_TRY(find_input(graph, input, SPC_VALUE_DENSE, view, &node));
    SPC_TRY(check_type(graph, node, view->dtype));
    if (view->rank != node->rank)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE, "the rank is %d, expected %d", view->rank,
                             node->rank);
    for (int d = 0; d < node->rank; ++d)
        SPC_TRY(
            check_size(graph, node, d ? "a row's size" : "rows", node->shape[d], view->shape[d]));
    node->dense = *view;
    node->is_bound = true;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_bind_output(sparcl_graph *graph, sparcl_node output,
                                       const sparcl_dense *view) {
    if (!graph) return SPARCL_E_ARG;
    spc_node *node = NULL;
    SPC_TRY(spc_node_find(graph, "bind", output, &node));
    if (!node->op || node->kind != SPC_VALUE_DENSE || !view)
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             view ? "it is not a dense result" : "the view is NULL");
    SPC_TRY(check_type(graph, node, view->dtype));
    bool fits = view->rank == node->rank;
    for (int d = 0; d < node->rank && fits; ++d)
        fits = view->shape[d] == node->shape[d]; /* a size that changes is negative */
    if (!fits)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                             "the view has another shape, or the node's may change");
    if (!node->has_target || !node->is_output) graph->schedule.is_made = false;
    node->is_output = node->has_target = true;
    node->dense = *view;
    return SPARCL_OK;
}

/* A dimension has the size of the first input that has it; all others must agree. */
static sparcl_status set_size(const sparcl_graph *graph, sparcl_node input, int64_t dim,
                              int64_t size) {
    if (dim >= 0) return SPARCL_OK;
    spc_dim *const d = &graph->dims[-1 - dim];
    const spc_node *const node = spc_node_at(graph, input);
    if (d->from == SPARCL_NO_NODE) {
        d->from = input;
        d->size = size;
    } else if (d->size != size) {
        return spc_node_fail(graph, node, SPARCL_E_SHAPE, "%s is %lld, but %lld in %s", d->name,
                             (long long)size, (long long)d->size,
                             spc_node_at(graph, d->from)->name);
    }
    return SPARCL_OK;
}

static sparcl_status set_sizes_of(const sparcl_graph *graph, sparcl_node input) {
    const spc_node *const node = spc_node_at(graph, input);
    const sparcl_csr *const csr = &node->csr;
    const int64_t sizes[] = {csr->rows, csr->cols, csr->nnz};
    if (!node->is_bound) return spc_node_fail(graph, node, SPARCL_E_ARG, "the input is not bound");
    for (int d = 0; d < node->rank; ++d)
        SPC_TRY(set_size(graph, input, node->shape[d],
                         node->kind == SPC_VALUE_CSR ? sizes[d] : node->dense.shape[d]));
    return SPARCL_OK;
}

static sparcl_status set_sizes(sparcl_graph *graph) {
    for (int k = 0; k < graph->dim_count; ++k)
        graph->dims[k].from = SPARCL_NO_NODE;
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->runs && !node->op && !node->parameter) SPC_TRY(set_sizes_of(graph, i));
    }
    return SPARCL_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

/* The old memory is freed first: no value outlives a run, and both may not fit. */
static sparcl_status grow_memory(sparcl_graph *graph) {
    const int64_t bytes = graph->schedule.elements * (int64_t)sizeof(float);
    if (bytes == 0 || (graph->memory && sparcl_buf_bytes(graph->memory) >= bytes)) return SPARCL_OK;
    sparcl_buf_free(graph->memory);
    graph->memory = NULL;
    graph->has_values = false;
    return sparcl_buf_create(graph->ctx, &graph->memory, bytes);
}

static void set_dense(const sparcl_graph *graph, spc_node *node) {
    node->dense =
        (sparcl_dense){.rank = node->rank, .values = graph->memory, .values_at = node->at};
    for (int d = 0; d < node->rank; ++d)
        node->dense.shape[d] = spc_dim_size(graph, node->shape[d]);
}

/* The rows are the columns of the pattern of the product's matrix. */
static void set_rows(const sparcl_graph *graph, spc_node *node) {
    node->rows = sparcl_pattern_columns(spc_operand(graph, node, 0)->pattern);
    node->rows.rank = node->rank;
    if (node->rank > 1) node->rows.shape[1] = spc_dim_size(graph, node->shape[1]);
    node->rows.values = graph->memory;
    node->rows.values_at = node->at;
}

/* Forward, a parameter is a copy where rows have missed steps. */
static sparcl_status set_parameter(const sparcl_graph *graph, spc_node *node) {
    node->dense = node->parameter->weights;
    if (graph->with_steps) return SPARCL_OK;
    return spc_node_status(graph, node,
                           spc_parameter_current(node->parameter, graph->ctx, &node->dense));
}

static sparcl_status set_value(sparcl_graph *graph, spc_node *node) {
    if (node->runs && node->parameter) return set_parameter(graph, node);
    if (!node->runs || !node->op || node->has_target) return SPARCL_OK;
    if (node->kind == SPC_VALUE_CONSTANT) return node->op->launch(graph, node);
    if (node->kind == SPC_VALUE_ROWS)
        set_rows(graph, node);
    else
        set_dense(graph, node);
    return SPARCL_OK;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* A pattern is built once for a matrix that is bound, for all nodes that read its transpose. */
static sparcl_status build_pattern(sparcl_graph *graph, spc_node *product) {
    spc_node *const a = spc_operand(graph, product, 0);
    if (!a->pattern) SPC_TRY(sparcl_pattern_create(graph->ctx, &a->pattern));
    if (!a->is_new) return SPARCL_OK;
    SPC_TRY(sparcl_pattern_build(graph->ctx, a->pattern, &a->csr));
    a->is_new = false;
    return SPARCL_OK;
}

static sparcl_status build_patterns(sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (node->runs && node->op && node->op->needs_pattern)
            SPC_TRY(spc_node_status(graph, node, build_pattern(graph, node)));
    }
    return SPARCL_OK;
}

static bool is_stepped(const spc_node *node) {
    return node->parameter && node->gradient != SPARCL_NO_NODE;
}

static sparcl_status begin_steps(sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (!is_stepped(node)) continue;
        const spc_node *const gradient = spc_node_at(graph, node->gradient);
        SPC_TRY(spc_node_status(graph, node,
                                spc_parameter_begin(node->parameter, graph->ctx, &gradient->rows)));
    }
    return SPARCL_OK;
}

static sparcl_status step(sparcl_graph *graph, const spc_node *node) {
    const spc_parameter *const p = node->parameter;
    const spc_node *const gradient = spc_node_at(graph, node->gradient);
    return gradient->kind == SPC_VALUE_ROWS
               ? sparcl_step(graph->ctx, &p->optim, &p->weights, p->states, &gradient->rows)
               : sparcl_step_dense(graph->ctx, &p->optim, &p->weights, p->states, &gradient->dense);
}

static sparcl_status take_steps(sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (is_stepped(node)) SPC_TRY(spc_node_status(graph, node, step(graph, node)));
    }
    return SPARCL_OK;
}

static sparcl_status launch_all(sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        const bool launches =
            node->runs && node->op && node->kind != SPC_VALUE_CONSTANT && !node->is_fused;
        if (launches) SPC_TRY(spc_node_status(graph, node, node->op->launch(graph, node)));
    }
    return SPARCL_OK;
}

/* --- runs ------------------------------------------------------------------------------------- */

static sparcl_status plan(sparcl_graph *graph, bool with_steps) {
    if (graph->first_error.status == SPARCL_OK) return spc_schedule_make(graph, with_steps);
    spc_ctx_set_error(graph->ctx, &graph->first_error);
    return graph->first_error.status;
}

/* Everything that may fail for a reason that the caller knows, before anything is enqueued. */
static sparcl_status prepare(sparcl_graph *graph, bool with_steps) {
    SPC_TRY(plan(graph, with_steps));
    SPC_TRY(set_sizes(graph));
    return grow_memory(graph);
}

sparcl_status sparcl_graph_allocate(sparcl_graph *graph) {
    if (!graph) return SPARCL_E_ARG;
    SPC_TRY(plan(graph, true));
    return grow_memory(graph);
}

static sparcl_status run(sparcl_graph *graph, bool with_steps) {
    graph->has_values = false;
    SPC_TRY(prepare(graph, with_steps));
    SPC_TRY(build_patterns(graph));
    for (int i = 0; i < graph->count; ++i)
        SPC_TRY(set_value(graph, spc_node_at(graph, i)));
    if (with_steps) SPC_TRY(begin_steps(graph));
    SPC_TRY(launch_all(graph));
    if (with_steps) SPC_TRY(take_steps(graph));
    graph->has_values = true;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_forward(sparcl_graph *graph) {
    return graph ? run(graph, false) : SPARCL_E_ARG;
}

sparcl_status sparcl_graph_step(sparcl_graph *graph) {
    if (!graph) return SPARCL_E_ARG;
    if (!graph->has_backward && graph->first_error.status == SPARCL_OK)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                            "graph: it has no gradients, call sparcl_graph_backward first");
    return run(graph, true);
}

sparcl_status sparcl_graph_finish(sparcl_graph *graph) {
    if (!graph) return SPARCL_E_ARG;
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (is_stepped(node))
            SPC_TRY(
                spc_node_status(graph, node, spc_parameter_finish(node->parameter, graph->ctx)));
    }
    return SPARCL_OK;
}

/* --- results ---------------------------------------------------------------------------------- */

static sparcl_status find_value(sparcl_graph *graph, sparcl_node node, spc_value kind,
                                spc_node **found) {
    SPC_TRY(spc_node_find(graph, "value", node, found));
    if ((*found)->kind != kind)
        return spc_node_fail(graph, *found, SPARCL_E_ARG, "its value is not %s",
                             kind == SPC_VALUE_ROWS ? "row-sparse" : "dense");
    if (!(*found)->parameter && (!graph->has_values || !(*found)->is_output || !(*found)->runs))
        return spc_node_fail(graph, *found, SPARCL_E_ARG,
                             "it is not an output of the last run (sparcl_graph_output)");
    return SPARCL_OK;
}

sparcl_status sparcl_graph_value(sparcl_graph *graph, sparcl_node node, sparcl_dense *view) {
    spc_node *found = NULL;
    if (view) *view = (sparcl_dense){.rank = 0};
    if (!graph || !view) return SPARCL_E_ARG;
    SPC_TRY(find_value(graph, node, SPC_VALUE_DENSE, &found));
    *view = found->parameter ? found->parameter->weights : found->dense;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_current(sparcl_graph *graph, sparcl_node parameter, sparcl_dense *view) {
    spc_node *found = NULL;
    if (view) *view = (sparcl_dense){.rank = 0};
    if (!graph || !view) return SPARCL_E_ARG;
    SPC_TRY(find_value(graph, parameter, SPC_VALUE_DENSE, &found));
    if (!found->parameter)
        return spc_node_fail(graph, found, SPARCL_E_ARG, "it is not a parameter");
    return spc_node_status(graph, found, spc_parameter_current(found->parameter, graph->ctx, view));
}

sparcl_status sparcl_graph_rows_value(sparcl_graph *graph, sparcl_node node, sparcl_rows *view) {
    spc_node *found = NULL;
    if (view) *view = (sparcl_rows){.rank = 0};
    if (!graph || !view) return SPARCL_E_ARG;
    SPC_TRY(find_value(graph, node, SPC_VALUE_ROWS, &found));
    *view = found->rows;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_memory(sparcl_graph *graph, int64_t *bytes, int64_t *unshared) {
    if (bytes) *bytes = 0;
    if (unshared) *unshared = 0;
    if (!graph) return SPARCL_E_ARG;
    SPC_TRY(plan(graph, graph->has_backward));
    if (bytes) *bytes = graph->schedule.elements * (int64_t)sizeof(float);
    if (unshared) *unshared = graph->schedule.unshared * (int64_t)sizeof(float);
    return SPARCL_OK;
}
