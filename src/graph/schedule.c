/* schedule.c: which nodes of a graph run, what is fused, and where values lie in memory. */
#include "graph/schedule.h"

#include <string.h>

#include "base/size.h"
#include "graph/operations.h"

enum { ALIGNMENT = 64 }; /* elements */

/* --- which nodes run -------------------------------------------------------------------------- */

static void mark_operands(const sparcl_graph *graph) {
    for (int i = graph->count - 1; i >= 0; --i) {
        const spc_node *const node = spc_node_at(graph, i);
        for (int k = 0; k < node->use_count && node->runs; ++k)
            spc_operand(graph, node, k)->runs = true;
    }
}

static void choose_nodes(const sparcl_graph *graph, bool with_steps) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        memcpy(node->use, node->in, sizeof node->in);
        node->use_count = node->in_count;
        node->fused = SPARCL_NO_NODE;
        node->is_fused = false;
        node->runs = node->is_output && (with_steps || !node->is_gradient);
    }
    for (int i = 0; i < graph->count && with_steps; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->parameter && node->gradient != SPARCL_NO_NODE)
            spc_node_at(graph, node->gradient)->runs = true;
    }
    mark_operands(graph);
}

/* --- fusion ----------------------------------------------------------------------------------- */

/* A loss and its gradient by the same scores are one launch. */
static void fuse_losses(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (!node->runs || node->op != &spc_op_loss || node->gradient == SPARCL_NO_NODE) continue;
        const sparcl_node residual = spc_operand(graph, node, 0)->gradient;
        if (residual == SPARCL_NO_NODE) continue;
        spc_node *const gradient = spc_node_at(graph, residual);
        if (!gradient->runs || gradient->op != &spc_op_loss_gradient) continue;
        node->fused = residual;
        gradient->is_fused = true;
    }
}

static bool uses_as_scores(const spc_node *node, sparcl_node scores) {
    return (node->op == &spc_op_loss || node->op == &spc_op_loss_gradient) &&
           node->use[0] == scores && node->use[1] != scores;
}

/* Is a node read by losses only, as their scores? */
static bool are_scores(const sparcl_graph *graph, sparcl_node which) {
    for (int i = which + 1; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (!node->runs || uses_as_scores(node, which)) continue;
        for (int k = 0; k < node->use_count; ++k)
            if (node->use[k] == which) return false;
    }
    return true;
}

/* Losses add the bias of their scores themselves. */
static void fuse_bias(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const sum = spc_node_at(graph, i);
        if (!sum->runs || sum->op != &spc_op_add_bias || sum->is_output || !are_scores(graph, i))
            continue;
        sum->runs = false;
        for (int k = i + 1; k < graph->count; ++k) {
            spc_node *const node = spc_node_at(graph, k);
            if (!node->runs || !uses_as_scores(node, i)) continue;
            node->use[0] = sum->use[0];
            node->use[node->use_count++] = sum->use[1];
        }
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

static bool has_memory(const spc_node *node) {
    return node->runs && node->op && node->kind != SPC_VALUE_CONSTANT && !node->has_target;
}

/* A fused gradient is computed with its loss. */
static void find_lives(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i)
        spc_node_at(graph, i)->from = spc_node_at(graph, i)->to = i;
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->runs && node->fused != SPARCL_NO_NODE) spc_node_at(graph, node->fused)->from = i;
    }
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        for (int k = 0; k < node->use_count && node->runs; ++k) {
            spc_node *const x = spc_operand(graph, node, k);
            if (x->to < node->from) x->to = node->from;
        }
        if (node->runs && node->is_output) node->to = graph->count;
        if (node->parameter && node->gradient != SPARCL_NO_NODE)
            spc_node_at(graph, node->gradient)->to = graph->count;
    }
}

/* Elements of a value at its capacity; a row-sparse one has at most a row for each entry. */
static bool count_elements(const sparcl_graph *graph, const spc_node *node, int64_t *elements) {
    *elements = spc_dim_capacity(graph, node->shape[0]);
    if (node->kind == SPC_VALUE_ROWS)
        *elements =
            spc_min_i64(*elements, spc_dim_capacity(graph, spc_operand(graph, node, 0)->shape[2]));
    for (int d = 1; d < node->rank; ++d)
        if (!spc_mul_i64(*elements, spc_dim_capacity(graph, node->shape[d]), elements))
            return false;
    return *elements <= INT64_MAX / 8 - ALIGNMENT;
}

static bool overlap(const spc_node *a, const spc_node *b) {
    return a->from <= b->to && b->from <= a->to;
}

/* The lowest position whose elements no placed node uses during the life of this one. */
static int64_t find_place(const sparcl_graph *graph, const bool *placed, const spc_node *node) {
    int64_t at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < graph->count; ++i) {
            const spc_node *const other = spc_node_at(graph, i);
            if (!placed[i] || !overlap(node, other) || at >= other->at + other->elements ||
                other->at >= at + node->elements)
                continue;
            at = other->at + (other->elements + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            moved = true;
        }
    }
    return at;
}

/* May the value replace that of its first operand? */
static bool replaces(const sparcl_graph *graph, const spc_node *node) {
    if (!node->op->in_place) return false;
    const spc_node *const x = spc_operand(graph, node, 0);
    return has_memory(x) && x->to == node->from && x->elements == node->elements;
}

static sparcl_status place(sparcl_graph *graph, bool *placed, sparcl_node which) {
    spc_node *const node = spc_node_at(graph, which);
    spc_schedule *const schedule = &graph->schedule;
    if (!count_elements(graph, node, &node->elements))
        return spc_node_fail(graph, node, SPARCL_E_MEMORY, "its value is too large");
    node->at =
        replaces(graph, node) ? spc_operand(graph, node, 0)->at : find_place(graph, placed, node);
    placed[which] = true;
    schedule->unshared += node->elements;
    schedule->elements = spc_max_i64(schedule->elements, node->at + node->elements);
    return SPARCL_OK;
}

/* In the order in which lives begin, so that what replaces an operand finds its place free. */
static sparcl_status place_all(sparcl_graph *graph, bool *placed) {
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->is_fused) continue;
        if (has_memory(node)) SPC_TRY(place(graph, placed, i));
        if (node->runs && node->fused != SPARCL_NO_NODE) SPC_TRY(place(graph, placed, node->fused));
    }
    return SPARCL_OK;
}

sparcl_status spc_schedule_make(sparcl_graph *graph, bool with_steps) {
    const sparcl_allocator *const allocator = spc_ctx_allocator(graph->ctx);
    if (graph->schedule.is_made && graph->with_steps == with_steps) return SPARCL_OK;
    bool *const placed = spc_alloc_zero(allocator, (size_t)graph->count + 1, sizeof *placed);
    if (!placed) return spc_ctx_fail(graph->ctx, SPARCL_E_MEMORY, "graph: no host memory");
    graph->schedule = (spc_schedule){.elements = 0};
    choose_nodes(graph, with_steps);
    if (!graph->no_fusion) {
        fuse_losses(graph);
        fuse_bias(graph);
    }
    find_lives(graph);
    const sparcl_status status = place_all(graph, placed);
    spc_free(allocator, placed, ((size_t)graph->count + 1) * sizeof *placed);
    graph->schedule.is_made = status == SPARCL_OK;
    graph->with_steps = with_steps;
    return status;
}
