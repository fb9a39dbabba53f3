/* bag_matrix.c: bags of indices as a CSR matrix, in the table of operations. */
#include "base/size.h"
#include "graph/ops/structure/csr_result.h"
#include "sparcl/ops/layers.h"
#include "sparcl/ops/structure.h"

/* Operand 0: the indices; then offsets and weights, where there are any. */
static const spc_node *offsets_of(const sparcl_graph *graph, const spc_node *node) {
    return node->settings.has_offsets ? spc_operand(graph, node, 1) : NULL;
}

static const spc_node *weights_of(const sparcl_graph *graph, const spc_node *node) {
    const int at = node->settings.has_offsets ? 2 : 1;
    return at < node->in_count ? spc_operand(graph, node, at) : NULL;
}

static sparcl_status bag_matrix_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_LIST, 2, 2));
    if (node->settings.has_offsets) SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_LIST, 2, 2));
    const spc_node *const ids = spc_operand(graph, node, 0);
    const spc_node *const weights = weights_of(graph, node);
    if ((unsigned)node->settings.bounds > SPARCL_BOUNDS_SKIP)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the bounds are %d, which is unknown",
                             (int)node->settings.bounds);
    if (weights) {
        SPC_TRY(spc_need_kind(graph, node, node->in_count - 1, SPC_VALUE_DENSE, 1, 1));
        SPC_TRY(spc_need_equal(graph, node, (spc_size){ids, ids->shape[0], "indices"},
                               (spc_size){weights, weights->shape[0], "elements"}));
    }
    spc_set_csr(node, node->settings.has_offsets ? node->settings.rows : ids->shape[0],
                ids->shape[1], ids->shape[0]);
    return SPARCL_OK;
}

static sparcl_status check_offsets(const sparcl_graph *graph, const spc_node *node) {
    const spc_node *const offsets = offsets_of(graph, node);
    const int64_t bags = spc_dim_size(graph, node->shape[0]);
    const int64_t expected = bags + (node->settings.include_last != 0);
    if (!offsets || offsets->list.count == expected) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                         "%s has %lld offsets, expected %lld for %lld bags %s the last offset",
                         offsets->name, (long long)offsets->list.count, (long long)expected,
                         (long long)bags, node->settings.include_last ? "with" : "without");
}

static sparcl_status bag_matrix_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const offsets = offsets_of(graph, node);
    const spc_node *const weights = weights_of(graph, node);
    const spc_settings *const s = &node->settings;
    sparcl_moved moved;
    sparcl_bags bags = {.bags = spc_dim_size(graph, node->shape[0]),
                        .indices = spc_operand(graph, node, 0)->list,
                        .include_last = s->include_last,
                        .bounds = s->bounds,
                        .has_padding = s->has_padding,
                        .padding_index = s->padding_index};
    SPC_TRY(check_offsets(graph, node));
    if (offsets) {
        bags.offset_type = offsets->list.index_type;
        bags.offsets = offsets->list.indices;
        bags.offsets_at = offsets->list.indices_at;
    }
    if (weights) {
        SPC_TRY(spc_need_packed(graph, node, node->in_count - 1));
        bags.weights = weights->dense.values;
        bags.weights_at = weights->dense.values_at;
    }
    SPC_TRY(spc_clear_moved(graph, node, &moved));
    return spc_keep_marks(node, sparcl_embedding_bag_matrix(graph->ctx, &node->csr, &bags,
                                                            moved.source, moved.source_at));
}

/* The gradient of each entry goes to the weight that it has. */
static void bag_matrix_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                sparcl_node *gradients) {
    const int last = spc_node_at(graph, node)->in_count - 1;
    if (!weights_of(graph, spc_node_at(graph, node)) || !spc_needs_gradient(graph, node, last))
        return;
    const spc_settings settings = {.like = spc_node_at(graph, node)->in[last]};
    gradients[last] = spc_scatter_moved(
        graph, of, spc_graph_add(graph, &spc_op_map, &node, 1, &settings), settings.like);
}

const spc_operation spc_op_bag_matrix = {
    .about = {"bag_matrix",
              "a list of n indices below k; a list of offsets, or none; weights: [n], or none",
              "the bags as a matrix, without entries that are left out: CSR [bags, k]; its values "
              "are the weights, or 1",
              "the weights: the gradient of theirs in the result, others 0"},
    .infer = bag_matrix_infer,
    .launch = bag_matrix_launch,
    .gradient = bag_matrix_gradient,
    .owns_indices = true,
    .maps = 1};

/* What is missing in a caller's options. */
static const char *mistake_in(const sparcl_bag_options *options) {
    return spc_is_struct_size(options->size, sizeof *options)
               ? NULL
               : "the size of the options is neither 0 nor that of the struct";
}

sparcl_node sparcl_graph_bag_matrix(sparcl_graph *graph, sparcl_node ids, sparcl_node offsets,
                                    int64_t bags, sparcl_node weights,
                                    const sparcl_bag_options *options) {
    const sparcl_bag_options none = {.bounds = SPARCL_BOUNDS_ERROR};
    const sparcl_bag_options *const own = options ? options : &none;
    spc_settings settings = {.rows = bags,
                             .has_offsets = offsets != SPARCL_NO_NODE,
                             .bounds = own->bounds,
                             .include_last = own->include_last,
                             .has_padding = own->has_padding,
                             .padding_index = own->padding_index};
    sparcl_node in[3] = {ids};
    int count = 1;
    if (!graph) return SPARCL_NO_NODE;
    if (mistake_in(own)) {
        spc_graph_keep(graph,
                       spc_ctx_fail(graph->ctx, SPARCL_E_ARG, "bag_matrix: %s", mistake_in(own)));
        return SPARCL_NO_NODE;
    }
    if (offsets != SPARCL_NO_NODE) in[count++] = offsets;
    if (weights != SPARCL_NO_NODE) in[count++] = weights;
    return spc_graph_add(graph, &spc_op_bag_matrix, in, count, &settings);
}
