/* node.c: adds nodes and dimensions to a graph, and reports errors with their names. */
#include "graph/engine/node.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"

/* --- errors ----------------------------------------------------------------------------------- */

sparcl_status spc_node_fail(const sparcl_graph *graph, const spc_node *node, sparcl_status status,
                            const char *format, ...) {
    char text[400];
    SPC_FORMAT(text, format);
    return spc_ctx_fail(graph->ctx, status, "graph: %s: %s", node->name, text);
}

sparcl_status spc_node_status(const sparcl_graph *graph, const spc_node *node,
                              sparcl_status status) {
    const sparcl_error *const error = sparcl_ctx_error(graph->ctx);
    if (status == SPARCL_OK || error->opencl_code != 0) return status;
    return spc_node_fail(graph, node, status, "%s", error->message);
}

sparcl_status spc_node_find(const sparcl_graph *graph, const char *what, sparcl_node node,
                            spc_node **found) {
    if (node < 0 || node >= graph->count)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG, "graph: %s: node %d, expected 0 to %d", what,
                            (int)node, graph->count - 1);
    *found = spc_node_at(graph, node);
    return SPARCL_OK;
}

void spc_graph_keep(sparcl_graph *graph, sparcl_status status) {
    if (status != SPARCL_OK && graph->first_error.status == SPARCL_OK)
        graph->first_error = *sparcl_ctx_error(graph->ctx);
}

/* --- growing arrays --------------------------------------------------------------------------- */

/* Make space for one element more. */
static sparcl_status grow(sparcl_graph *graph, void **array, int count, int *capacity,
                          size_t size) {
    if (count < *capacity) return SPARCL_OK;
    const int larger = *capacity ? 2 * *capacity : 16;
    void *const memory = spc_realloc(spc_ctx_allocator(graph->ctx), *array,
                                     (size_t)*capacity * size, (size_t)larger * size);
    if (!memory)
        return spc_ctx_fail(graph->ctx, SPARCL_E_MEMORY, "graph: no host memory for %d nodes",
                            larger);
    *array = memory;
    *capacity = larger;
    return SPARCL_OK;
}

static void copy_name(char *to, const char *name) {
    snprintf(to, SPC_NAME_BYTES, "%s", name);
}

/* --- dimensions ------------------------------------------------------------------------------- */

static bool is_dim(const sparcl_graph *graph, int64_t dim) {
    return dim >= -(int64_t)graph->dim_count;
}

/* Dimension k is -1 - k in shapes. A caller's number that is none is read by the operation before
 * check_sizes refuses it. */
static const spc_dim *dim_at(const sparcl_graph *graph, int64_t dim) {
    static const spc_dim none = {.name = "no dimension", .from = SPARCL_NO_NODE};
    return is_dim(graph, dim) ? &graph->dims[-1 - dim] : &none;
}

/* A sum or product that is too large is INT64_MAX, which no memory has. */
static int64_t combine(char operation, int64_t a, int64_t b) {
    int64_t result = 0;
    if (operation == '<') return a < b ? a : b;
    const bool fits = operation == '+' ? spc_add_i64(a, b, &result) : spc_mul_i64(a, b, &result);
    return fits ? result : INT64_MAX;
}

int64_t spc_dim_capacity(const sparcl_graph *graph, int64_t dim) {
    if (dim >= 0) return dim;
    const spc_dim *const d = dim_at(graph, dim);
    return d->of_two
               ? combine(d->of_two, spc_dim_capacity(graph, d->a), spc_dim_capacity(graph, d->b))
               : d->capacity;
}

int64_t spc_dim_size(const sparcl_graph *graph, int64_t dim) {
    if (dim >= 0) return dim;
    const spc_dim *const d = dim_at(graph, dim);
    return d->of_two ? combine(d->of_two, spc_dim_size(graph, d->a), spc_dim_size(graph, d->b))
                     : d->size;
}

const char *spc_dim_text(const sparcl_graph *graph, int64_t dim, char *text, size_t size) {
    if (dim >= 0)
        snprintf(text, size, "%lld", (long long)dim);
    else
        snprintf(text, size, "%s", dim_at(graph, dim)->name);
    return text;
}

/* Returns 0, and keeps the error, when out of memory. */
static int64_t append_dim(sparcl_graph *graph, const spc_dim *dim) {
    const sparcl_status status = grow(graph, (void **)&graph->dims, graph->dim_count,
                                      &graph->dim_capacity, sizeof *graph->dims);
    spc_graph_keep(graph, status);
    if (status != SPARCL_OK) return 0;
    graph->dims[graph->dim_count++] = *dim;
    return -(int64_t)graph->dim_count;
}

/* 0 where there is none. A name that fills its place may have been cut. */
static int64_t find_dim(const sparcl_graph *graph, const char *name) {
    if (strlen(name) >= SPC_NAME_BYTES - 1) return 0;
    for (int64_t i = 0; i < graph->dim_count; ++i)
        if (!graph->dims[i].of_two && strcmp(graph->dims[i].name, name) == 0) return -1 - i;
    return 0;
}

int64_t sparcl_graph_dim(sparcl_graph *graph, const char *name, int64_t capacity) {
    spc_dim dim = {.capacity = capacity, .from = SPARCL_NO_NODE};
    if (!graph) return 0;
    if (!name || capacity < 0) {
        spc_graph_keep(graph, spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                                           "graph: dimension %s has the capacity %lld, expected a "
                                           "name and a capacity of at least 0",
                                           name ? name : "without a name", (long long)capacity));
        return 0;
    }
    const int64_t known = find_dim(graph, name);
    if (known) {
        spc_graph_keep(graph, sparcl_graph_reserve(graph, known, capacity));
        return known;
    }
    copy_name(dim.name, name);
    return append_dim(graph, &dim);
}

int64_t spc_dim_of_two(sparcl_graph *graph, char operation, int64_t a, int64_t b) {
    char one[SPC_NAME_BYTES], other[SPC_NAME_BYTES];
    spc_dim dim = {.from = SPARCL_NO_NODE, .of_two = operation, .a = a, .b = b};
    if (a >= 0 && b >= 0) return combine(operation, a, b);
    if (!is_dim(graph, a) || !is_dim(graph, b)) return is_dim(graph, a) ? b : a;
    for (int i = 0; i < graph->dim_count; ++i)
        if (graph->dims[i].of_two == operation && graph->dims[i].a == a && graph->dims[i].b == b)
            return -1 - (int64_t)i;
    snprintf(dim.name, sizeof dim.name, operation == '<' ? "min(%.18s%c %.18s)" : "%.20s %c %.20s",
             spc_dim_text(graph, a, one, sizeof one), operation == '<' ? ',' : operation,
             spc_dim_text(graph, b, other, sizeof other));
    return append_dim(graph, &dim);
}

sparcl_status sparcl_graph_reserve(sparcl_graph *graph, int64_t dim, int64_t capacity) {
    if (!graph) return SPARCL_E_ARG;
    if (dim >= 0 || !is_dim(graph, dim) || dim_at(graph, dim)->of_two)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                            "graph: reserve: %lld is no dimension of this graph", (long long)dim);
    spc_dim *const d = &graph->dims[-1 - dim];
    if (d->capacity >= capacity) return SPARCL_OK;
    d->capacity = capacity;
    graph->schedule.is_made = false;
    return SPARCL_OK;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static sparcl_node append(sparcl_graph *graph, const spc_node *node) {
    const sparcl_status status =
        grow(graph, (void **)&graph->nodes, graph->count, &graph->capacity, sizeof *graph->nodes);
    spc_graph_keep(graph, status);
    if (status != SPARCL_OK) return SPARCL_NO_NODE;
    graph->nodes[graph->count] = *node;
    graph->schedule.is_made = false;
    return graph->count++;
}

static sparcl_status check_sizes(const sparcl_graph *graph, const spc_node *node,
                                 const int64_t *shape) {
    if (!is_dim(graph, node->stored))
        return spc_node_fail(
            graph, node, SPARCL_E_SHAPE,
            "the number of stored rows or entries is %lld, expected at least 0, or a "
            "dimension of this graph",
            (long long)node->stored);
    if (node->rank < 1 || node->rank > SPARCL_MAX_RANK)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE, "its rank is %d, expected 1 to %d",
                             node->rank, SPARCL_MAX_RANK);
    for (int d = 0; d < node->rank; ++d)
        if (!shape || !is_dim(graph, shape[d]))
            return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                                 "size %d is %lld, expected at least 0, or a dimension of this "
                                 "graph",
                                 d, shape ? (long long)shape[d] : 0LL);
    return SPARCL_OK;
}

sparcl_node spc_graph_add_source(sparcl_graph *graph, const char *name, spc_value kind, int rank,
                                 const int64_t *shape, int64_t stored) {
    spc_node node = {.kind = kind,
                     .rank = rank,
                     .stored = stored,
                     .gradient = SPARCL_NO_NODE,
                     .clipped = SPARCL_NO_NODE,
                     .fused = SPARCL_NO_NODE,
                     .beside = SPARCL_NO_NODE,
                     .product = SPARCL_NO_NODE,
                     .step = SPARCL_NO_NODE};
    if (!graph) return SPARCL_NO_NODE;
    node.dtype = graph->dtype;
    copy_name(node.name, name ? name : "");
    sparcl_status status = SPARCL_OK;
    if (!name || strlen(name) >= SPC_NAME_BYTES)
        status = spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                              "graph: the name of an input is %s, expected at most %d bytes",
                              name ? name : "NULL", SPC_NAME_BYTES - 1);
    if (status == SPARCL_OK) status = check_sizes(graph, &node, shape);
    spc_graph_keep(graph, status);
    if (status != SPARCL_OK) return SPARCL_NO_NODE;
    memcpy(node.shape, shape, sizeof *shape * (size_t)rank);
    return append(graph, &node);
}

/* The operands exist, and are values. */
static sparcl_status check_operands(const sparcl_graph *graph, const spc_node *node) {
    for (int i = 0; i < node->in_count; ++i)
        if (node->in[i] < 0 || node->in[i] >= graph->count)
            return spc_node_fail(graph, node, SPARCL_E_ARG,
                                 "operand %d is node %d, expected 0 to %d", i, (int)node->in[i],
                                 graph->count - 1);
    return SPARCL_OK;
}

/* All operands with values have one type, which is that of the result, but where the operation says
 * otherwise. */
static sparcl_status infer_type(const sparcl_graph *graph, spc_node *node) {
    const spc_node *first = NULL;
    for (int i = 0; i < node->in_count; ++i) {
        const spc_node *const x = spc_operand(graph, node, i);
        if (x->kind == SPC_VALUE_LIST || (node->op->other_types >> i & 1)) continue;
        if (!first) first = x;
        if (x->dtype != first->dtype)
            return spc_node_fail(graph, node, SPARCL_E_DTYPE,
                                 "%s is %s, %s is %s, expected one type: cast one "
                                 "(sparcl_graph_cast)",
                                 first->name, spc_dtype_name(first->dtype), x->name,
                                 spc_dtype_name(x->dtype));
    }
    node->dtype = first ? first->dtype : graph->dtype;
    return SPARCL_OK;
}

sparcl_node spc_graph_add(sparcl_graph *graph, const spc_operation *op, const sparcl_node *in,
                          int in_count, const spc_settings *settings) {
    spc_node node = {.op = op,
                     .in_count = in_count,
                     .gradient = SPARCL_NO_NODE,
                     .clipped = SPARCL_NO_NODE,
                     .fused = SPARCL_NO_NODE,
                     .beside = SPARCL_NO_NODE,
                     .product = SPARCL_NO_NODE,
                     .step = SPARCL_NO_NODE};
    if (!graph) return SPARCL_NO_NODE;
    for (int i = 0; i < in_count; ++i)
        if (in[i] == SPARCL_NO_NODE) return SPARCL_NO_NODE;
    node.is_gradient = graph->in_backward;
    if (settings) node.settings = *settings;
    for (int i = 0; i < in_count; ++i)
        node.in[i] = node.use[i] = in[i];
    node.use_count = in_count;
    snprintf(node.name, sizeof node.name, "%s (node %d)", op->about.name, graph->count);
    sparcl_status status = check_operands(graph, &node);
    if (status == SPARCL_OK) status = infer_type(graph, &node);
    if (status == SPARCL_OK) status = op->infer(graph, &node);
    if (status == SPARCL_OK) status = check_sizes(graph, &node, node.shape);
    spc_graph_keep(graph, status);
    if (status != SPARCL_OK) return SPARCL_NO_NODE;
    for (int i = 0; i < in_count; ++i)
        node.has_parameter |= spc_operand(graph, &node, i)->has_parameter;
    return append(graph, &node);
}

sparcl_node spc_graph_add_several(sparcl_graph *graph, const spc_operation *op,
                                  const sparcl_node *in, int in_count,
                                  const spc_settings *settings) {
    if (graph && (!in || in_count < 1 || in_count > SPC_NODE_INPUTS)) {
        spc_graph_keep(graph, spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                                           "%s: there are %d operands, expected 1 to %d",
                                           op->about.name, in_count, SPC_NODE_INPUTS));
        return SPARCL_NO_NODE;
    }
    return spc_graph_add(graph, op, in, in_count, settings);
}

void sparcl_graph_name(sparcl_graph *graph, sparcl_node node, const char *name) {
    if (!graph || !name || node < 0 || node >= graph->count || !spc_node_at(graph, node)->op)
        return;
    copy_name(spc_node_at(graph, node)->name, name);
}
