/* concatenation.c: CSR matrices one after the other, in the table of operations. */
#include "graph/ops/structure/csr_result.h"

/* The sizes whose bit is set add up, the others are equal. */
static sparcl_status join_infer(sparcl_graph *graph, spc_node *node, bool adds_rows,
                                bool adds_columns) {
    SPC_TRY(spc_infer_like_matrix(graph, node));
    int64_t sizes[] = {node->shape[0], node->shape[1], node->shape[2]};
    const bool adds[] = {adds_rows, adds_columns, true};
    for (int i = 1; i < node->in_count; ++i) {
        SPC_TRY(spc_need_kind(graph, node, i, SPC_VALUE_CSR, 3, 3));
        for (int d = 0; d < 3; ++d) {
            const spc_node *const a = spc_operand(graph, node, 0);
            const spc_node *const b = spc_operand(graph, node, i);
            if (adds[d])
                sizes[d] = spc_dim_of_two(graph, '+', sizes[d], b->shape[d]);
            else
                SPC_TRY(spc_need_equal(graph, node,
                                       (spc_size){a, a->shape[d], d ? "columns" : "rows"},
                                       (spc_size){b, b->shape[d], d ? "columns" : "rows"}));
        }
    }
    spc_set_csr(node, sizes[0], sizes[1], sizes[2]);
    return SPARCL_OK;
}

static sparcl_status concat_rows_infer(sparcl_graph *graph, spc_node *node) {
    return join_infer(graph, node, true, false);
}
static sparcl_status concat_columns_infer(sparcl_graph *graph, spc_node *node) {
    return join_infer(graph, node, false, true);
}
static sparcl_status block_diagonal_infer(sparcl_graph *graph, spc_node *node) {
    return join_infer(graph, node, true, true);
}

typedef sparcl_status (*join_call)(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                   int count, const sparcl_moved *moved);

static sparcl_status join(sparcl_graph *graph, spc_node *node, join_call call) {
    sparcl_csr operands[SPC_NODE_INPUTS];
    sparcl_moved moved;
    for (int i = 0; i < node->use_count; ++i)
        operands[i] = *spc_operand_csr(graph, node, i);
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(node, call(graph->ctx, &node->csr, operands, node->use_count, &moved));
}

static sparcl_status concat_rows_launch(sparcl_graph *graph, spc_node *node) {
    return join(graph, node, sparcl_csr_concat_rows);
}
static sparcl_status concat_columns_launch(sparcl_graph *graph, spc_node *node) {
    return join(graph, node, sparcl_csr_concat_columns);
}
static sparcl_status block_diagonal_launch(sparcl_graph *graph, spc_node *node) {
    return join(graph, node, sparcl_csr_block_diagonal);
}

/* The gradients of all values, and of each operand its part of them. */
static void join_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const sparcl_node like = sparcl_graph_values(graph, node);
    const sparcl_node all = spc_scatter_moved(graph, of, spc_graph_map(graph, node, 0, node), like);
    for (int i = 0; i < spc_node_at(graph, node)->in_count; ++i) {
        const spc_settings settings = {.like = node, .map = i};
        if (spc_needs_gradient(graph, node, i))
            gradients[i] = spc_graph_add(graph, &spc_op_values_of, &all, 1, &settings);
    }
}

#define JOINS(NAME, OPERANDS, RESULT)                                                              \
    const spc_operation spc_op_##NAME = {                                                          \
        .about = {#NAME, OPERANDS, RESULT, "their values: the gradient of theirs in the result"},  \
        .infer = NAME##_infer,                                                                     \
        .launch = NAME##_launch,                                                                   \
        .gradient = join_gradient,                                                                 \
        .owns_indices = true,                                                                      \
        .maps = 1}
JOINS(concat_rows, "A, B, ...: CSR [m, k] of any number of rows", "the rows of all: CSR");
JOINS(concat_columns, "A, B, ...: CSR [m, k] of any number of columns", "the columns of all: CSR");
JOINS(block_diagonal, "A, B, ...: CSR", "a matrix with them as blocks on its diagonal: CSR");

/* A tree of nodes, each with a few operands. */
sparcl_node spc_join_nodes(sparcl_graph *graph, const spc_operation *op, const sparcl_node *in,
                           int count) {
    sparcl_node parts[SPC_NODE_INPUTS];
    if (count <= SPC_NODE_INPUTS) return spc_graph_add(graph, op, in, count, NULL);
    for (int i = 0; i < SPC_NODE_INPUTS; ++i) {
        const int first = (int)((int64_t)count * i / SPC_NODE_INPUTS);
        const int end = (int)((int64_t)count * (i + 1) / SPC_NODE_INPUTS);
        parts[i] =
            end - first == 1 ? in[first] : spc_join_nodes(graph, op, in + first, end - first);
    }
    return spc_graph_add(graph, op, parts, SPC_NODE_INPUTS, NULL);
}

sparcl_node sparcl_graph_block_diagonal(sparcl_graph *graph, const sparcl_node *in, int count) {
    return spc_join_nodes(graph, &spc_op_block_diagonal, in, count);
}

/* --- values_of: those of one operand of a concatenation --------------------------------------- */

static int64_t entries_of(const sparcl_graph *graph, const spc_node *joined, int i) {
    const spc_node *const a = spc_node_at(graph, joined->in[i]);
    return a->kind == SPC_VALUE_COO ? a->stored : a->shape[2];
}

static sparcl_status values_of_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const joined = spc_node_at(graph, node->settings.like);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 1));
    spc_set_dense(node, 1, entries_of(graph, joined, node->settings.map), 0);
    return SPARCL_OK;
}

static sparcl_status values_of_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const joined = spc_node_at(graph, node->settings.like);
    node->dense = spc_operand(graph, node, 0)->dense;
    for (int i = 0; i < node->settings.map; ++i)
        node->dense.values_at += spc_dim_size(graph, entries_of(graph, joined, i));
    node->dense.shape[0] = spc_dim_size(graph, node->shape[0]);
    return SPARCL_OK;
}

const spc_operation spc_op_values_of = {
    .about = {"values_of", "x: the values of several sparse arrays, one after the other",
              "those of one of them", NULL},
    .infer = values_of_infer,
    .launch = values_of_launch,
    .is_view = true};
