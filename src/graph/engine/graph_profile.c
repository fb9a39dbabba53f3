/* graph_profile.c: which node the commands of a run are for, and how many bytes it moves at least:
 * each operand once, each result once. */
#include "graph/engine/graph_profile.h"

#include <stdio.h>
#include <string.h>

#include "graph/engine/operations.h"
#include "sparcl/profile.h"

/* --- bytes ------------------------------------------------------------------------------------ */

/* From dimension `first` on. */
static int64_t elements_of(int rank, const int64_t *shape, int first) {
    int64_t elements = 1;
    for (int d = first; d < rank; ++d)
        elements *= shape[d];
    return elements;
}

static int64_t dense_bytes(const sparcl_dense *x) {
    return elements_of(x->rank, x->shape, 0) * (int64_t)sparcl_dtype_size(x->dtype);
}

static int64_t row_bytes(const sparcl_dense *x) {
    return elements_of(x->rank, x->shape, 1) * (int64_t)sparcl_dtype_size(x->dtype);
}

static int64_t rows_bytes(const sparcl_rows *r) {
    const int64_t value = (int64_t)sparcl_dtype_size(r->dtype);
    return r->nnr *
           (elements_of(r->rank, r->shape, 1) * value + (int64_t)sparcl_itype_size(r->index_type));
}

static int64_t csr_bytes(const sparcl_csr *a) {
    const int64_t index = (int64_t)sparcl_itype_size(a->index_type);
    return (a->rows + 1) * (int64_t)sparcl_itype_size(a->offset_type) +
           a->nnz * (index + (int64_t)sparcl_dtype_size(a->dtype));
}

static int64_t coo_bytes(const sparcl_coo *a) {
    const int64_t index = (int64_t)sparcl_itype_size(a->index_type);
    return a->nnz * (a->rank * index + (int64_t)sparcl_dtype_size(a->dtype));
}

static int64_t list_bytes(const sparcl_list *list) {
    return list->count * (int64_t)sparcl_itype_size(list->index_type);
}

static int64_t bytes_of(const spc_node *x) {
    switch (x->kind) {
    case SPC_VALUE_DENSE:
        return dense_bytes(&x->dense);
    case SPC_VALUE_CSR:
        return csr_bytes(&x->csr);
    case SPC_VALUE_LIST:
        return list_bytes(&x->list);
    case SPC_VALUE_ROWS:
        return rows_bytes(&x->rows);
    case SPC_VALUE_COO:
        return coo_bytes(&x->coo);
    case SPC_VALUE_CONSTANT:
        break;
    }
    return 0;
}

/* Rows of a table that a node reads: one for each entry of its matrix or index of its list. */
static int64_t rows_read(const sparcl_graph *graph, const spc_node *node) {
    for (int i = 0; i < node->use_count; ++i) {
        const spc_node *const x = spc_operand(graph, node, i);
        if (x->kind == SPC_VALUE_CSR) return x->csr.nnz;
        if (x->kind == SPC_VALUE_LIST) return x->list.count;
    }
    return INT64_MAX;
}

static int64_t operand_bytes(const sparcl_graph *graph, const spc_node *node, int i) {
    const spc_node *const x = spc_operand(graph, node, i);
    const int64_t bytes = bytes_of(x), rows = rows_read(graph, node);
    const bool reads_rows = node->is_product ? i == 1 : node->op->rows_of == i + 1;
    for (int k = 0; k < i; ++k)
        if (node->use[k] == node->use[i]) return 0;
    if (!reads_rows || x->kind != SPC_VALUE_DENSE || rows >= x->dense.shape[0]) return bytes;
    return rows * row_bytes(&x->dense);
}

static int64_t node_bytes(const sparcl_graph *graph, const spc_node *node) {
    int64_t bytes = bytes_of(node);
    for (int i = 0; i < node->use_count; ++i)
        bytes += operand_bytes(graph, node, i);
    if (node->fused != SPARCL_NO_NODE) bytes += bytes_of(spc_node_at(graph, node->fused));
    for (sparcl_node k = node->beside; k != SPARCL_NO_NODE; k = spc_node_at(graph, k)->beside)
        bytes += bytes_of(spc_node_at(graph, k));
    if (node->product != SPARCL_NO_NODE)
        bytes += node_bytes(graph, spc_node_at(graph, node->product));
    return bytes;
}

/* A step reads the gradient, and reads and writes rows of the weights and of each state. */
static int64_t step_bytes(const sparcl_graph *graph, const spc_node *parameter) {
    const spc_parameter *const p = parameter->parameter;
    const spc_node *const gradient = spc_node_at(graph, parameter->step);
    const bool is_sparse = gradient->kind == SPC_VALUE_ROWS;
    const int64_t rows = is_sparse ? gradient->rows.nnr : p->weights.shape[0];
    int64_t bytes = bytes_of(gradient) + 2 * rows * row_bytes(&p->weights);
    for (int s = 0; s < SPARCL_MAX_STATES; ++s)
        if (p->states[s].values) bytes += 2 * rows * row_bytes(&p->states[s]);
    return bytes;
}

/* --- names ------------------------------------------------------------------------------------ */

static int number_of(const sparcl_graph *graph, const spc_node *node) {
    return (int)(node - graph->nodes);
}

/* Append the name of an input or parameter, the number of another node, to a list. */
static void append(char *of, size_t size, const sparcl_graph *graph, const spc_node *x) {
    const size_t used = strlen(of);
    const char *const comma = used > 0 ? ", " : "";
    if (x->op)
        snprintf(of + used, size - used, "%snode %d", comma, number_of(graph, x));
    else
        snprintf(of + used, size - used, "%s%s", comma, x->name);
}

void spc_profile_node(sparcl_graph *graph, const spc_node *node) {
    char of[sizeof((sparcl_profile_part *)NULL)->of] = "";
    if (!spc_profile_is_on(graph->ctx)) return;
    const bool has_product = node->product != SPARCL_NO_NODE;
    const spc_node *const product = has_product ? spc_node_at(graph, node->product) : NULL;
    for (int i = 0; product && i < product->use_count; ++i)
        append(of, sizeof of, graph, spc_operand(graph, product, i));
    for (int i = has_product; i < node->use_count; ++i)
        append(of, sizeof of, graph, spc_operand(graph, node, i));
    spc_profile_part(graph->ctx, number_of(graph, node), node->op->about.name, of,
                     node_bytes(graph, node));
}

void spc_profile_pattern(sparcl_graph *graph, const spc_node *node) {
    if (!spc_profile_is_on(graph->ctx)) return;
    const spc_node *const a = spc_matrix_base(graph, spc_operand(graph, node, 0));
    char of[sizeof((sparcl_profile_part *)NULL)->of] = "";
    append(of, sizeof of, graph, a);
    if (a->is_new)
        spc_profile_part(graph->ctx, number_of(graph, a), "pattern", of, 2 * csr_bytes(&a->csr));
}

void spc_profile_catch_up(sparcl_graph *graph, const spc_node *parameter, const sparcl_rows *rows) {
    if (!spc_profile_is_on(graph->ctx)) return;
    const spc_parameter *const p = parameter->parameter;
    int64_t bytes = 2 * rows->nnr * row_bytes(&p->weights);
    for (int s = 0; s < SPARCL_MAX_STATES; ++s)
        if (p->states[s].values) bytes += 2 * rows->nnr * row_bytes(&p->states[s]);
    spc_profile_part(graph->ctx, number_of(graph, parameter), "catch_up", parameter->name, bytes);
}

void spc_profile_step(sparcl_graph *graph, const spc_node *parameter, const spc_node *other) {
    char of[sizeof((sparcl_profile_part *)NULL)->of] = "";
    if (!spc_profile_is_on(graph->ctx)) return;
    append(of, sizeof of, graph, parameter);
    if (other) append(of, sizeof of, graph, other);
    spc_profile_part(graph->ctx, number_of(graph, parameter), "step", of,
                     step_bytes(graph, parameter) + (other ? step_bytes(graph, other) : 0));
}
