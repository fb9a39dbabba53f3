/* inputs.c: binds inputs, and takes the sizes of a run from them. */
#include "graph/engine/inputs.h"

#include <stdio.h>
#include <string.h>

#include "ops/products/pattern.h"

/* --- inputs ----------------------------------------------------------------------------------- */

static const char *const names[] = {"a dense", "a CSR", "a list", "a row-sparse", "a COO"};

static sparcl_status find_input(sparcl_graph *graph, sparcl_node input, spc_value kind,
                                const void *view, spc_node **node) {
    if (!graph) return SPARCL_E_ARG;
    SPC_TRY(spc_node_find(graph, "bind", input, node));
    if ((*node)->op || (*node)->parameter || (*node)->kind != kind)
        return spc_node_fail(graph, *node, SPARCL_E_ARG, "is not %s input", names[kind]);
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

static sparcl_status check_shape(const sparcl_graph *graph, const spc_node *node, int rank,
                                 const int64_t *shape) {
    if (rank != node->rank)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE, "the rank is %d, expected %d", rank,
                             node->rank);
    for (int d = 0; d < node->rank; ++d)
        SPC_TRY(check_size(graph, node, d ? "a row's size" : "rows", node->shape[d], shape[d]));
    return SPARCL_OK;
}

static sparcl_status check_type(const sparcl_graph *graph, const spc_node *node,
                                sparcl_dtype dtype) {
    if (dtype == node->dtype) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_DTYPE, "its values are %s, expected %s",
                         spc_dtype_name(dtype), spc_dtype_name(node->dtype));
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
    node->bound_pattern = NULL;
    node->is_bound = node->is_new = true;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_bind_pattern(sparcl_graph *graph, sparcl_node input,
                                        sparcl_pattern *pattern) {
    spc_node *node = NULL;
    SPC_TRY(find_input(graph, input, SPC_VALUE_CSR, pattern, &node));
    if (!node->is_bound)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "is not bound; bind the matrix first");
    SPC_TRY(spc_node_status(graph, node,
                            spc_pattern_check(graph->ctx, "bind_pattern", pattern, &node->csr)));
    node->bound_pattern = pattern;
    node->is_new = false;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_bind_dense(sparcl_graph *graph, sparcl_node input,
                                      const sparcl_dense *view) {
    spc_node *node = NULL;
    SPC_TRY(find_input(graph, input, SPC_VALUE_DENSE, view, &node));
    SPC_TRY(check_type(graph, node, view->dtype));
    SPC_TRY(check_shape(graph, node, view->rank, view->shape));
    node->dense = *view;
    node->is_bound = true;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_bind_list(sparcl_graph *graph, sparcl_node input,
                                     const sparcl_list *view) {
    spc_node *node = NULL;
    SPC_TRY(find_input(graph, input, SPC_VALUE_LIST, view, &node));
    SPC_TRY(check_size(graph, node, "indices", node->shape[0], view->count));
    SPC_TRY(check_size(graph, node, "limit", node->shape[1], view->limit));
    node->list = *view;
    node->is_bound = true;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_bind_rows(sparcl_graph *graph, sparcl_node input,
                                     const sparcl_rows *view) {
    spc_node *node = NULL;
    SPC_TRY(find_input(graph, input, SPC_VALUE_ROWS, view, &node));
    SPC_TRY(check_type(graph, node, view->dtype));
    SPC_TRY(check_shape(graph, node, view->rank, view->shape));
    SPC_TRY(check_size(graph, node, "stored rows", node->stored, view->nnr));
    node->rows = *view;
    node->is_bound = true;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_bind_coo(sparcl_graph *graph, sparcl_node input,
                                    const sparcl_coo *view) {
    spc_node *node = NULL;
    char what[32];
    SPC_TRY(find_input(graph, input, SPC_VALUE_COO, view, &node));
    SPC_TRY(check_type(graph, node, view->dtype));
    if (view->rank != node->rank)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE, "the rank is %d, expected %d", view->rank,
                             node->rank);
    for (int d = 0; d < node->rank; ++d) {
        snprintf(what, sizeof what, "dimension %d", d);
        SPC_TRY(check_size(graph, node, what, node->shape[d], view->shape[d]));
    }
    SPC_TRY(check_size(graph, node, "entries", node->stored, view->nnz));
    node->coo = *view;
    node->is_bound = true;
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

static void sizes_of(const spc_node *node, int64_t *sizes) {
    switch (node->kind) {
    case SPC_VALUE_CSR:
        sizes[0] = node->csr.rows, sizes[1] = node->csr.cols, sizes[2] = node->csr.nnz;
        break;
    case SPC_VALUE_LIST:
        sizes[0] = node->list.count, sizes[1] = node->list.limit;
        break;
    case SPC_VALUE_ROWS:
        memcpy(sizes, node->rows.shape, sizeof node->rows.shape);
        break;
    case SPC_VALUE_COO:
        memcpy(sizes, node->coo.shape, sizeof node->coo.shape);
        break;
    default:
        memcpy(sizes, node->dense.shape, sizeof node->dense.shape);
    }
}

static sparcl_status set_sizes_of(const sparcl_graph *graph, sparcl_node input) {
    const spc_node *const node = spc_node_at(graph, input);
    int64_t sizes[SPARCL_MAX_RANK];
    if (!node->is_bound) return spc_node_fail(graph, node, SPARCL_E_ARG, "the input is not bound");
    sizes_of(node, sizes);
    for (int d = 0; d < node->rank; ++d)
        SPC_TRY(set_size(graph, input, node->shape[d], sizes[d]));
    if (node->kind == SPC_VALUE_COO) return set_size(graph, input, node->stored, node->coo.nnz);
    return node->kind == SPC_VALUE_ROWS ? set_size(graph, input, node->stored, node->rows.nnr)
                                        : SPARCL_OK;
}

sparcl_status spc_inputs_set_sizes(sparcl_graph *graph) {
    for (int k = 0; k < graph->dim_count; ++k)
        graph->dims[k].from = SPARCL_NO_NODE;
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->runs && !node->op && !node->parameter) SPC_TRY(set_sizes_of(graph, i));
    }
    return SPARCL_OK;
}
