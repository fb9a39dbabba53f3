/* global_norm.c: gradients that are clipped by the norm of all of them together. */
#include <math.h>
#include <string.h>

#include "graph/engine/operations.h"

/* Added to the norm, as in PyTorch. */
static const double epsilon = 1e-6;

sparcl_status sparcl_graph_clip_global_norm(sparcl_graph *graph, double limit) {
    if (!graph) return SPARCL_E_ARG;
    if (graph->has_backward)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                            "graph_clip_global_norm: called after graph_backward, expected before");
    if (!(limit >= 0))
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                            "graph_clip_global_norm: the limit is %g, expected a number from 0, or "
                            "INFINITY",
                            limit);
    graph->clips_norm = limit < (double)INFINITY;
    graph->norm_limit = limit;
    return SPARCL_OK;
}

sparcl_node sparcl_graph_global_norm(const sparcl_graph *graph) {
    return graph && graph->clips_norm && graph->has_backward ? graph->norm : SPARCL_NO_NODE;
}

/* --- clipped: a gradient times the factor of all ---------------------------------------------- */

static sparcl_status clipped_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const g = spc_operand(graph, node, 0);
    node->kind = SPC_VALUE_DENSE; /* of a row-sparse gradient: its stored rows, op->of_stored */
    node->rank = g->rank;
    memcpy(node->shape, g->shape, sizeof node->shape);
    return SPARCL_OK;
}

/* A row-sparse gradient has its indices, and other values. */
static sparcl_status clipped_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const g = spc_operand(graph, node, 0);
    sparcl_dense values = node->dense;
    if (g->kind == SPC_VALUE_ROWS) {
        node->rows = g->rows;
        node->rows.values = node->dense.values;
        node->rows.values_at = node->dense.values_at;
        values.values = g->rows.values;
        values.values_at = g->rows.values_at;
    } else {
        values = g->dense;
    }
    return sparcl_binary(graph->ctx, SPARCL_BINARY_MULTIPLY, &node->dense, &values,
                         &spc_operand(graph, node, 1)->dense);
}

const spc_operation spc_op_clipped = {
    .about = {"clipped", "a gradient, dense or row-sparse; the factor of all gradients: [1]",
              "their product", NULL},
    .infer = clipped_infer,
    .launch = clipped_launch,
    .in_place = true,
    .of_stored = true};

/* --- square_sum: of all elements of a gradient ------------------------------------------------ */

static sparcl_status square_sum_infer(sparcl_graph *graph, spc_node *node) {
    (void)graph;
    spc_set_dense(node, 1, 1, 0);
    return SPARCL_OK;
}

static sparcl_status square_sum_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const g = spc_operand(graph, node, 0);
    return g->kind == SPC_VALUE_ROWS ? sparcl_rows_reduce(graph->ctx, SPARCL_REDUCE_SQUARE_SUM,
                                                          &node->dense, &g->rows, -1)
                                     : sparcl_dense_reduce(graph->ctx, SPARCL_REDUCE_SQUARE_SUM,
                                                           &node->dense, &g->dense, -1);
}

const spc_operation spc_op_square_sum = {
    .about = {"square_sum", "a gradient, dense or row-sparse", "the sum of its squares: [1]", NULL},
    .infer = square_sum_infer,
    .launch = square_sum_launch};

/* --- the factor ------------------------------------------------------------------------------- */

static bool has_gradient(const spc_node *node) {
    return node->parameter && node->gradient != SPARCL_NO_NODE;
}

static sparcl_status check_types(const sparcl_graph *graph) {
    sparcl_dtype first = SPARCL_F32;
    bool found = false;
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (!has_gradient(node)) continue;
        if (!found) first = node->dtype;
        found = true;
        if (node->dtype == first) continue;
        return spc_node_fail(graph, node, SPARCL_E_DTYPE,
                             "the parameter is %s, one before it %s: a norm of all gradients needs "
                             "one type; cast what reads them (sparcl_graph_cast)",
                             spc_dtype_name(node->dtype), spc_dtype_name(first));
    }
    return SPARCL_OK;
}

/* The sums of squares, added in the order of the parameters. */
static sparcl_node add_squares(sparcl_graph *graph) {
    sparcl_node terms[SPC_NODE_INPUTS];
    const int count = graph->count; /* of the nodes before those of the sums */
    int held = 0;
    terms[0] = SPARCL_NO_NODE;
    for (int i = 0; i < count; ++i) {
        if (!has_gradient(spc_node_at(graph, i))) continue;
        if (held == SPC_NODE_INPUTS) {
            terms[0] = sparcl_graph_add_n(graph, terms, held);
            held = 1;
        }
        const sparcl_node gradient = spc_node_at(graph, i)->gradient;
        terms[held++] = spc_graph_add(graph, &spc_op_square_sum, &gradient, 1, NULL);
    }
    return held > 1 ? sparcl_graph_add_n(graph, terms, held) : terms[0];
}

/* min(1, limit / (norm + epsilon)), in PyTorch's roundings; a NaN stays. */
static sparcl_node add_factor(sparcl_graph *graph) {
    const sparcl_node above =
        sparcl_graph_binary_scalar(graph, SPARCL_BINARY_ADD, graph->norm, epsilon);
    const sparcl_node factor = sparcl_graph_binary_scalar(
        graph, SPARCL_BINARY_MULTIPLY, sparcl_graph_unary(graph, SPARCL_UNARY_RECIPROCAL, above),
        graph->norm_limit);
    return sparcl_graph_binary_scalar(graph, SPARCL_BINARY_MINIMUM, factor, 1);
}

sparcl_status spc_graph_clip_gradients(sparcl_graph *graph) {
    const int count = graph->count;
    if (!graph->clips_norm) return SPARCL_OK;
    SPC_TRY(check_types(graph));
    graph->norm = sparcl_graph_unary(graph, SPARCL_UNARY_SQRT, add_squares(graph));
    const sparcl_node factor = add_factor(graph);
    for (int i = 0; i < count; ++i) {
        const sparcl_node in[] = {spc_node_at(graph, i)->gradient, factor};
        if (!has_gradient(spc_node_at(graph, i))) continue;
        const sparcl_node clipped = spc_graph_add(graph, &spc_op_clipped, in, 2, NULL);
        spc_node_at(graph, i)->clipped = clipped; /* the nodes may have moved */
    }
    return graph->first_error.status;
}
