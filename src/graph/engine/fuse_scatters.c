/* fuse_scatters.c: sums of rows that were gathered from a table by several lists: rows are added to
 * one dense array in place of an array for each list, and each list is sorted once for two sums. */
#include <string.h>

#include "graph/engine/fuse.h"
#include "graph/engine/operations.h"

/* A dense gradient of rows with a list. Numbers of 16 bits would be rounded otherwise. */
static bool is_leaf(const sparcl_graph *graph, const spc_node *node) {
    return node->runs && node->op == &spc_op_to_dense && node->is_gradient && !node->has_target &&
           (node->dtype == SPARCL_F32 || node->dtype == SPARCL_F64) &&
           spc_operand(graph, node, 0)->op == &spc_op_as_rows;
}

/* x + y, where x is a sum of such gradients, and y another one: no element of x is -0. */
static void join_sum(const sparcl_graph *graph, spc_node *sum) {
    if (sum->use_count != 2 || sum->has_target) return;
    spc_node *const x = spc_operand(graph, sum, 0), *const y = spc_operand(graph, sum, 1);
    if (!(is_leaf(graph, x) || x->is_scatter) || !is_leaf(graph, y) ||
        !spc_is_internal(graph, sum->use[0]) || !spc_is_internal(graph, sum->use[1]) ||
        x->use_count == SPC_NODE_INPUTS)
        return;
    const sparcl_node last = y->use[0];
    memcpy(sum->use, x->use, sizeof sum->use);
    sum->use_count = x->use_count;
    sum->use[sum->use_count++] = last;
    sum->is_scatter = true;
    x->runs = y->runs = x->is_scatter = false;
}

static sparcl_node list_of(const sparcl_graph *graph, const spc_node *node, int i) {
    return spc_operand(graph, node, i)->use[1];
}

static bool have_one_order(const sparcl_graph *graph, const spc_node *a, const spc_node *b) {
    bool same = a->dtype == b->dtype && a->use_count == b->use_count && spc_have_one_shape(a, b);
    for (int i = 0; i < a->use_count && same; ++i)
        same = list_of(graph, a, i) == list_of(graph, b, i);
    return same;
}

/* The first of two sums by the same lists waits for the second. */
static void join_lists(const sparcl_graph *graph, sparcl_node second) {
    spc_node *const node = spc_node_at(graph, second);
    for (int i = 0; i < second; ++i) {
        spc_node *const first = spc_node_at(graph, i);
        if (!(first->is_scatter || is_leaf(graph, first)) || first->is_fused ||
            first->beside != SPARCL_NO_NODE || !have_one_order(graph, first, node) ||
            !spc_can_wait(graph, i, second))
            continue;
        node->beside = i;
        first->is_fused = true;
        return;
    }
}

void spc_fuse_scatters(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (node->runs && spc_is_sum(graph, node)) join_sum(graph, node);
    }
    for (int i = 0; i < graph->count; ++i)
        if (spc_node_at(graph, i)->is_scatter || is_leaf(graph, spc_node_at(graph, i)))
            join_lists(graph, i);
}
