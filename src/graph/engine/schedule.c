/* schedule.c: which nodes of a graph run, and where values lie in memory. */
#include "graph/engine/schedule.h"

#include <string.h>

#include "base/size.h"
#include "graph/engine/fuse.h"

enum { ALIGNMENT = 256 }; /* bytes */

/* --- which nodes run -------------------------------------------------------------------------- */

static void mark_operands(const sparcl_graph *graph) {
    for (int i = graph->count - 1; i >= 0; --i) {
        const spc_node *const node = spc_node_at(graph, i);
        for (int k = 0; k < node->use_count && node->runs; ++k)
            spc_operand(graph, node, k)->runs = true;
    }
}

/* Is a node read forward on a way that does not lead to the loss? */
static bool has_other_readers(const sparcl_graph *graph, sparcl_node which) {
    for (int i = which + 1; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (!node->runs || node->is_gradient || node->gradient != SPARCL_NO_NODE) continue;
        for (int k = 0; k < node->in_count; ++k)
            if (node->in[k] == which) return true;
    }
    return false;
}

static void choose_nodes(const sparcl_graph *graph, bool with_steps) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        memcpy(node->use, node->in, sizeof node->in);
        node->use_count = node->in_count;
        for (int k = 0; k < SPC_NODE_INPUTS; ++k)
            node->factors[k] = 1;
        node->fused = node->beside = SPARCL_NO_NODE;
        node->is_fused = node->is_scatter = false;
        node->is_product = false;
        node->product = SPARCL_NO_NODE;
        node->is_late = false;
        node->step = with_steps && node->parameter ? node->gradient : SPARCL_NO_NODE;
        node->runs = node->is_output && (with_steps || !node->is_gradient);
    }
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->step == SPARCL_NO_NODE) continue;
        spc_node_at(graph, node->step)->runs = true;
        if (node->clipped != SPARCL_NO_NODE) spc_node_at(graph, node->clipped)->runs = true;
    }
    mark_operands(graph);
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        node->reads_more = node->step != SPARCL_NO_NODE && has_other_readers(graph, i);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

bool spc_has_memory(const spc_node *node) {
    return node->runs && node->op && !node->op->is_view && node->kind != SPC_VALUE_CONSTANT &&
           !node->has_target;
}

static void use_until(spc_node *node, int until) {
    if (node->to < until) node->to = until;
}

/* Of a clipped gradient that is row-sparse the step reads the indices only. */
static void use_in_step(const sparcl_graph *graph, const spc_node *node) {
    spc_node *const gradient = spc_node_at(graph, node->step);
    const bool is_clipped = node->clipped != SPARCL_NO_NODE;
    if (!is_clipped || gradient->kind == SPC_VALUE_ROWS) use_until(gradient, graph->count);
    if (is_clipped) use_until(spc_node_at(graph, node->clipped), graph->count);
}

/* What is fused is computed with the node that it is fused with. The operands of a view live as
 * long as it does. */
static void find_lives(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i)
        spc_node_at(graph, i)->from = spc_node_at(graph, i)->to = i;
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->runs && node->fused != SPARCL_NO_NODE) spc_node_at(graph, node->fused)->from = i;
        if (node->beside != SPARCL_NO_NODE) spc_node_at(graph, node->beside)->from = node->from;
        if (node->step != SPARCL_NO_NODE) use_in_step(graph, node);
    }
    for (int i = graph->count - 1; i >= 0; --i) {
        spc_node *const node = spc_node_at(graph, i);
        if (!node->runs) continue;
        if (node->is_output) use_until(node, graph->count);
        const bool reads_later = node->op && (node->op->is_view || node->is_late);
        for (int k = 0; k < node->use_count; ++k)
            use_until(spc_operand(graph, node, k), reads_later ? node->to : node->from);
    }
}

static int64_t align(int64_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

int64_t spc_stored_capacity(const sparcl_graph *graph, const spc_node *node) {
    int64_t rows = 0;
    if (!node->op || !node->op->sums_stored) {
        rows = spc_dim_capacity(graph, node->stored);
        return node->is_unique ? spc_min_i64(rows, spc_dim_capacity(graph, node->shape[0])) : rows;
    }
    for (int i = 0; i < node->in_count; ++i)
        rows += spc_stored_capacity(graph, spc_node_at(graph, node->in[i]));
    return rows;
}

/* Place an array of 64-bit numbers after the value. */
static int64_t append_array(spc_node *node, int64_t count) {
    const int64_t at = align(node->bytes);
    node->bytes = at + count * (int64_t)sizeof(int64_t);
    return at;
}

/* The values at the capacity, offsets and indices (at most I64), and maps. */
static bool count_csr_bytes(const sparcl_graph *graph, spc_node *node) {
    const int64_t rows = spc_dim_capacity(graph, node->shape[0]);
    const int64_t entries = spc_dim_capacity(graph, node->shape[2]);
    if (rows > INT64_MAX / 128 || entries > INT64_MAX / 128) return false;
    node->bytes = entries * (int64_t)sparcl_dtype_size(node->dtype);
    node->offsets_at = append_array(node, rows + 1);
    node->indices_at = append_array(node, entries);
    for (int i = 0; i < node->op->maps; ++i)
        node->maps_at[i] = append_array(node, entries);
    return true;
}

/* The values at the capacity, the count, indices (at most I64) of each dimension, and maps. */
static bool count_coo_bytes(const sparcl_graph *graph, spc_node *node) {
    const int64_t entries = spc_dim_capacity(graph, node->stored);
    if (entries > INT64_MAX / 256) return false;
    node->bytes = entries * (int64_t)sparcl_dtype_size(node->dtype);
    node->count_at = append_array(node, 1);
    node->indices_at = append_array(node, entries);
    node->indices_step = align(entries * (int64_t)sizeof(int64_t));
    for (int d = 1; d < node->rank; ++d)
        append_array(node, entries);
    for (int i = 0; i < node->op->maps; ++i)
        node->maps_at[i] = append_array(node, entries);
    return true;
}

/* The values at the capacity, and then, where the node has its own, indices (I64) and a count. */
static bool count_bytes(const sparcl_graph *graph, spc_node *node) {
    if (node->kind == SPC_VALUE_CSR) return count_csr_bytes(graph, node);
    if (node->kind == SPC_VALUE_COO) return count_coo_bytes(graph, node);
    const bool is_rows = node->kind == SPC_VALUE_ROWS;
    const bool is_of_rows =
        node->op->of_stored && spc_operand(graph, node, 0)->kind == SPC_VALUE_ROWS;
    const int64_t rows =
        is_rows || is_of_rows
            ? spc_stored_capacity(graph, is_of_rows ? spc_operand(graph, node, 0) : node)
            : spc_dim_capacity(graph, node->shape[0]);
    node->bytes = (int64_t)sparcl_dtype_size(node->dtype);
    if (!spc_mul_i64(node->bytes, rows, &node->bytes)) return false;
    for (int d = 1; d < node->rank; ++d)
        if (!spc_mul_i64(node->bytes, spc_dim_capacity(graph, node->shape[d]), &node->bytes))
            return false;
    if (node->bytes > INT64_MAX / 8 || rows > INT64_MAX / 16) return false;
    if (!node->op->owns_indices || !is_rows) return true;
    node->indices_at = align(node->bytes);
    node->count_at = align(node->indices_at + rows * (int64_t)sizeof(int64_t));
    node->bytes = node->count_at + (int64_t)sizeof(int64_t);
    for (int i = 0; i < node->op->maps; ++i)
        node->maps_at[i] = append_array(node, rows);
    return true;
}

static bool overlap(const spc_node *a, const spc_node *b) {
    return a->from <= b->to && b->from <= a->to;
}

/* A value is in one buffer: the first address from `at` on where it ends in the buffer in which it
 * begins. */
static int64_t in_one_buffer(const sparcl_graph *graph, int64_t at, int64_t bytes) {
    const int64_t limit = graph->arena.limit;
    return at / limit == (at + bytes - 1) / limit ? at : (at / limit + 1) * limit;
}

/* The lowest address whose bytes no placed node uses during the life of this one. */
static int64_t find_place(const sparcl_graph *graph, const bool *placed, const spc_node *node) {
    int64_t at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < graph->count; ++i) {
            const spc_node *const other = spc_node_at(graph, i);
            if (!placed[i] || !overlap(node, other) || at >= other->at + other->bytes ||
                other->at >= at + node->bytes)
                continue;
            at = in_one_buffer(graph, align(other->at + other->bytes), node->bytes);
            moved = true;
        }
    }
    return at;
}

/* May the value replace that of its first operand? */
static bool replaces(const sparcl_graph *graph, const spc_node *node) {
    if (!node->op->in_place) return false;
    const spc_node *const x = spc_operand(graph, node, 0);
    return spc_has_memory(x) && x->to == node->from && x->bytes == node->bytes;
}

static sparcl_status place(sparcl_graph *graph, bool *placed, sparcl_node which) {
    spc_node *const node = spc_node_at(graph, which);
    spc_schedule *const schedule = &graph->schedule;
    if (!count_bytes(graph, node) || node->bytes > graph->arena.limit)
        return spc_node_fail(graph, node, SPARCL_E_MEMORY,
                             "its value needs more than %lld bytes, the largest allocation of %s",
                             (long long)graph->arena.limit, sparcl_ctx_device(graph->ctx)->name);
    node->at =
        replaces(graph, node) ? spc_operand(graph, node, 0)->at : find_place(graph, placed, node);
    placed[which] = true;
    schedule->unshared += node->bytes;
    schedule->bytes = spc_max_i64(schedule->bytes, node->at + node->bytes);
    return SPARCL_OK;
}

/* In the order in which lives begin, so that what replaces an operand finds its place free. */
static sparcl_status place_all(sparcl_graph *graph, bool *placed) {
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->is_fused) continue;
        if (spc_has_memory(node)) SPC_TRY(place(graph, placed, i));
        if (node->runs && node->fused != SPARCL_NO_NODE) SPC_TRY(place(graph, placed, node->fused));
        for (sparcl_node k = node->beside; k != SPARCL_NO_NODE; k = spc_node_at(graph, k)->beside)
            SPC_TRY(place(graph, placed, k));
    }
    return SPARCL_OK;
}

sparcl_status spc_schedule_make(sparcl_graph *graph, bool with_steps) {
    const sparcl_allocator *const allocator = spc_ctx_allocator(graph->ctx);
    if (graph->schedule.is_made && graph->with_steps == with_steps) return SPARCL_OK;
    bool *const placed = spc_alloc_zero(allocator, (size_t)graph->count + 1, sizeof *placed);
    if (!placed) return spc_ctx_fail(graph->ctx, SPARCL_E_MEMORY, "graph: no host memory");
    graph->schedule = (spc_schedule){.bytes = 0};
    choose_nodes(graph, with_steps);
    if (!graph->no_fusion) {
        spc_fuse(graph);
        spc_fuse_chains(graph);
        spc_fuse_scatters(graph);
        if (spc_ctx_is_gpu(graph->ctx)) spc_fuse_beside(graph);
    } else {
        spc_keep_duplicates(graph);
    }
    find_lives(graph);
    const sparcl_status status = place_all(graph, placed);
    spc_free(allocator, placed, ((size_t)graph->count + 1) * sizeof *placed);
    graph->schedule.is_made = status == SPARCL_OK;
    graph->with_steps = with_steps;
    return status;
}
