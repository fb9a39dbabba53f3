/* fuse_beside.c: nodes of one operation that are computed in one launch, one array beside the
 * other: gathers from one table, square sums of rows, gradients of these and of dot products, and
 * sums of columns.
 */
#include "base/size.h"
#include "graph/engine/fuse.h"
#include "graph/engine/operations.h"
#include "ops/shared/beside.h"

static bool launches(const spc_node *node, sparcl_node which) {
    return node->runs && (node->fused == which || node->beside == which);
}

/* The node with whose launch a value is there; -1: before the run. */
static sparcl_node ready_with(const sparcl_graph *graph, sparcl_node which) {
    const spc_node *const node = spc_node_at(graph, which);
    sparcl_node last = which;
    if (!node->op) return -1;
    if (node->op->is_view) {
        last = -1;
        for (int k = 0; k < node->use_count; ++k)
            last = (sparcl_node)spc_max_i64(last, ready_with(graph, node->use[k]));
        return last;
    }
    for (int i = 0; i < graph->count && spc_node_at(graph, last)->is_fused; ++i)
        if (launches(spc_node_at(graph, i), last)) last = i, i = -1;
    return last;
}

static bool is_ready_before(const sparcl_graph *graph, const spc_node *node, sparcl_node first) {
    for (int k = 0; k < node->use_count; ++k)
        if (ready_with(graph, node->use[k]) >= first) return false;
    return true;
}

/* A packed array in the memory of the graph. */
static bool is_own(const spc_node *node) {
    return node->op && !node->op->is_view && !node->has_target && node->kind == SPC_VALUE_DENSE;
}

static bool is_of_rows(const sparcl_graph *graph, const spc_node *node) {
    const bool is_dot = node->op == &spc_op_dot_rows_gradient;
    if (node->op != &spc_op_reduce && node->op != &spc_op_reduce_gradient && !is_dot) return false;
    if (!is_dot &&
        (node->settings.reduction != SPARCL_REDUCE_SQUARE_SUM || node->settings.axis != 1))
        return false;
    for (int k = 0; k < node->use_count; ++k)
        if (!is_own(spc_operand(graph, node, k))) return false;
    int64_t width = 1;
    const spc_node *const x = spc_operand(graph, node, node->op != &spc_op_reduce);
    for (int d = 1; d < x->rank; ++d)
        width *= spc_dim_capacity(graph, x->shape[d]);
    return spc_fits_beside(graph->ctx, width);
}

/* A launch reads lists that are bound; those of matrices may be computed late. */
static bool may_join(const sparcl_graph *graph, const spc_node *node) {
    if (!node->runs || !node->op || node->is_fused || node->is_late || node->is_output)
        return false;
    if (node->op == &spc_op_gather) return !spc_operand(graph, node, 1)->op;
    return is_of_rows(graph, node);
}

static bool are_alike(const sparcl_graph *graph, const spc_node *a, const spc_node *b) {
    if (a->op != b->op || a->dtype != b->dtype) return false;
    if (a->op == &spc_op_gather) return a->use[0] == b->use[0];
    const int i = a->op != &spc_op_reduce;
    return spc_have_one_shape(spc_operand(graph, a, i), spc_operand(graph, b, i));
}

static void join(const sparcl_graph *graph, sparcl_node first) {
    const spc_node *const node = spc_node_at(graph, first);
    sparcl_node last = first;
    int count = 1;
    for (int i = first + 1; i < graph->count && count < SPC_BESIDE; ++i) {
        spc_node *const other = spc_node_at(graph, i);
        if (!may_join(graph, other) || !are_alike(graph, node, other) ||
            !is_ready_before(graph, other, first))
            continue;
        spc_node_at(graph, last)->beside = i;
        last = i;
        other->is_fused = true;
        ++count;
    }
}

static bool is_column_sum(const sparcl_graph *graph, const spc_node *node) {
    return node->runs && node->op == &spc_op_sum && !node->is_fused &&
           node->fused == SPARCL_NO_NODE && node->beside == SPARCL_NO_NODE &&
           spc_operand(graph, node, 0)->rank == 2;
}

/* The first of two sums, such as the gradients of biases, waits for the second. */
static void join_sums(const sparcl_graph *graph, sparcl_node second) {
    spc_node *const node = spc_node_at(graph, second);
    for (int i = 0; i < second && is_column_sum(graph, node); ++i) {
        spc_node *const first = spc_node_at(graph, i);
        if (!is_column_sum(graph, first) || first->dtype != node->dtype ||
            !spc_can_wait(graph, i, second))
            continue;
        node->beside = i;
        first->is_fused = true;
    }
}

void spc_fuse_beside(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i)
        join_sums(graph, i);
    if (spc_writes_tables(graph)) return;
    for (int i = 0; i < graph->count; ++i)
        if (may_join(graph, spc_node_at(graph, i))) join(graph, i);
}
