/* layers.c: dropout and concatenation of dense arrays in the table of operations. */
#include <string.h>

#include "graph/engine/operations.h"
#include "sparcl/ops.h"

/* --- dropout ------------------------------------------------------------------------------------
 */

static sparcl_status dropout_infer(sparcl_graph *graph, spc_node *node) {
    const double p = node->settings.rate;
    if (!(p >= 0 && p <= 1))
        return spc_node_fail(graph, node, SPARCL_E_ARG, "p is %g, expected 0 to 1", p);
    if (node->settings.like == SPARCL_NO_NODE) /* not a gradient */
        node->settings.like = graph->count;    /* this node */
    return spc_like_first(graph, node);
}

/* Each node and each step has its own mask. */
static sparcl_status dropout_launch(sparcl_graph *graph, spc_node *node) {
    const spc_settings *const s = &node->settings;
    const double p = graph->is_inference ? 0 : s->rate;
    const uint64_t offset = ((uint64_t)s->like << 40) + (uint64_t)graph->step;
    return sparcl_dropout(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense, p, s->seed,
                          offset);
}

static void dropout_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                             sparcl_node *gradients) {
    const spc_settings settings = spc_node_at(graph, node)->settings;
    gradients[0] = spc_graph_add(graph, &spc_op_dropout, &of, 1, &settings);
}

const spc_operation spc_op_dropout = {.about = {"dropout", "x",
                                                "0 with probability p, else x / (1 - p)",
                                                "x: the same of the gradient"},
                                      .infer = dropout_infer,
                                      .launch = dropout_launch,
                                      .gradient = dropout_gradient,
                                      .in_place = true};

sparcl_node sparcl_graph_dropout(sparcl_graph *graph, sparcl_node x, double p, uint64_t seed) {
    const spc_settings settings = {.rate = p, .seed = seed, .like = SPARCL_NO_NODE};
    return spc_graph_add(graph, &spc_op_dropout, &x, 1, &settings);
}

void sparcl_graph_set_step(sparcl_graph *graph, int64_t step) {
    if (graph) graph->step = step;
}

void sparcl_graph_set_training(sparcl_graph *graph, int on) {
    if (graph) graph->is_inference = !on;
}

/* --- dense_concat: one below the other, or side by side -----------------------------------------
 */

static sparcl_status concat_infer(sparcl_graph *graph, spc_node *node) {
    const int axis = node->settings.axis;
    if (axis != 0 && axis != 1)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the axis is %d, expected 0 or 1", axis);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, axis + 1, 2));
    const spc_node *const first = spc_operand(graph, node, 0);
    const int rank = first->rank;
    int64_t size = first->shape[axis];
    for (int i = 1; i < node->in_count; ++i) {
        SPC_TRY(spc_need_kind(graph, node, i, SPC_VALUE_DENSE, rank, rank));
        const spc_node *const x = spc_operand(graph, node, i);
        if (rank == 2)
            SPC_TRY(spc_need_equal(
                graph, node, (spc_size){first, first->shape[!axis], axis ? "rows" : "columns"},
                (spc_size){x, x->shape[!axis], axis ? "rows" : "columns"}));
        size = spc_dim_of_two(graph, '+', size, x->shape[axis]);
    }
    SPC_TRY(spc_like_first(graph, node));
    node->shape[axis] = size;
    return SPARCL_OK;
}

static sparcl_status concat_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense *parts[SPC_NODE_INPUTS];
    for (int i = 0; i < node->in_count; ++i)
        parts[i] = &spc_operand(graph, node, i)->dense;
    return sparcl_dense_concat(graph->ctx, &node->dense, parts, node->in_count,
                               node->settings.axis);
}

static void concat_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const int count = spc_node_at(graph, node)->in_count;
    spc_settings settings = {.axis = spc_node_at(graph, node)->settings.axis, .like = node};
    for (settings.part = 0; settings.part < count; ++settings.part)
        if (spc_needs_gradient(graph, node, settings.part))
            gradients[settings.part] = spc_graph_add(graph, &spc_op_dense_part, &of, 1, &settings);
}

const spc_operation spc_op_dense_concat = {
    .about = {"dense_concat", "up to 8 matrices, or vectors",
              "one below the other (axis 0), or matrices side by side (1)",
              "each: its part of the gradient"},
    .infer = concat_infer,
    .launch = concat_launch,
    .gradient = concat_gradient};

/* Operand number `part` of the concatenation `like`. */
static sparcl_status part_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const whole = spc_node_at(graph, node->settings.like);
    const spc_node *const x = spc_node_at(graph, whole->in[node->settings.part]);
    node->kind = SPC_VALUE_DENSE;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
    return SPARCL_OK;
}

static sparcl_status part_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const whole = spc_node_at(graph, node->settings.like);
    const int axis = node->settings.axis;
    sparcl_dense from = spc_operand(graph, node, 0)->dense;
    int64_t at = 0;
    for (int i = 0; i < node->settings.part; ++i)
        at += spc_dim_size(graph, spc_node_at(graph, whole->in[i])->shape[axis]);
    from.ld = from.ld ? from.ld : sparcl_row_width(from.rank, from.shape);
    from.shape[axis] = node->dense.shape[axis];
    from.values_at += axis ? at : at * from.ld;
    return sparcl_copy(graph->ctx, &node->dense, &from);
}

const spc_operation spc_op_dense_part = {
    .about = {"dense_part", "the gradient of a concatenation", "that of one of its operands", NULL},
    .infer = part_infer,
    .launch = part_launch};
