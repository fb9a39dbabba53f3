/* coo_shape.c: COO arrays in another shape, in the table of operations. */
#include <string.h>

#include "graph/ops/structure/coo_result.h"

static sparcl_status check_rank(const sparcl_graph *graph, const spc_node *node, int rank) {
    if (rank >= 1 && rank <= SPARCL_MAX_RANK) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                         "the result has rank %d, expected 1 to %d, and their sizes", rank,
                         SPARCL_MAX_RANK);
}

/* Settings with sizes; a rank of 0, which infer refuses, for none. */
spc_settings spc_with_sizes(int rank, const int64_t *sizes) {
    spc_settings settings = {.rank = sizes ? rank : 0};
    if (sizes && rank > 0 && rank <= SPARCL_MAX_RANK)
        memcpy(settings.sizes, sizes, (size_t)rank * sizeof *sizes);
    return settings;
}

#define MOVES_COO(NAME, OPERANDS, RESULT)                                                          \
    const spc_operation spc_op_##NAME = {                                                          \
        .about = {#NAME, OPERANDS, RESULT, "A's values: the gradient of theirs in the result"},    \
        .infer = NAME##_infer,                                                                     \
        .launch = NAME##_launch,                                                                   \
        .gradient = spc_coo_moved_gradient,                                                        \
        .owns_indices = true,                                                                      \
        .maps = 1}

/* --- coo_permute ------------------------------------------------------------------------------ */

/* Each axis is one of the dimensions of operand 0, and occurs once. */
static sparcl_status take_axes(const sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0);
    unsigned seen = 0;
    for (int d = 0; d < node->settings.rank; ++d) {
        const int axis = node->settings.axes[d];
        if (axis < 0 || axis >= a->rank || (seen >> axis & 1))
            return spc_node_fail(graph, node, SPARCL_E_ARG,
                                 "axes[%d] is %d, expected each of 0 to %d at most once", d, axis,
                                 a->rank - 1);
        seen |= 1u << axis;
        node->shape[d] = a->shape[axis];
    }
    node->rank = node->settings.rank;
    return SPARCL_OK;
}

static sparcl_status coo_permute_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_coo(graph, node));
    const spc_node *const a = spc_operand(graph, node, 0);
    if (node->settings.rank != a->rank)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                             "there are %d axes, expected the %d of %s", node->settings.rank,
                             a->rank, a->name);
    node->flags = SPARCL_SORTED | (a->flags & SPARCL_UNIQUE);
    return take_axes(graph, node);
}

static sparcl_status coo_permute_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(
        node,
        sparcl_coo_permute(graph->ctx, &node->coo, spc_operand_coo(graph, node, 0),
                           node->settings.axes, spc_has_gradient(graph, node) ? &moved : NULL));
}

MOVES_COO(coo_permute, "A: COO", "the transpose by any order of the dimensions, sorted: COO");

static spc_settings with_axes(int count, const int *axes) {
    spc_settings settings = {.rank = axes ? count : 0};
    if (axes && count > 0 && count <= SPARCL_MAX_RANK)
        memcpy(settings.axes, axes, (size_t)count * sizeof *axes);
    return settings;
}

sparcl_node sparcl_graph_coo_permute(sparcl_graph *graph, sparcl_node a, int rank,
                                     const int *axes) {
    const spc_settings settings = with_axes(rank, axes);
    return spc_graph_add(graph, &spc_op_coo_permute, &a, 1, &settings);
}

/* --- coo_reshape ------------------------------------------------------------------------------ */

static sparcl_status coo_reshape_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_coo_operand(graph, node, 0));
    SPC_TRY(check_rank(graph, node, node->settings.rank));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_coo(node, node->settings.rank, node->settings.sizes, a->stored);
    node->flags = a->flags;
    return SPARCL_OK;
}

static sparcl_status coo_reshape_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(
        node, sparcl_coo_reshape(graph->ctx, &node->coo, spc_operand_coo(graph, node, 0)));
}

const spc_operation spc_op_coo_reshape = {
    .about = {"coo_reshape", "A: COO",
              "the elements in row-major order in another shape, of any rank: COO",
              "A's values: the gradient itself"},
    .infer = coo_reshape_infer,
    .launch = coo_reshape_launch,
    .gradient = spc_same_entries_gradient,
    .owns_indices = true};

/* --- coo_expand_dims and coo_squeeze ---------------------------------------------------------- */

static sparcl_status coo_expand_dims_infer(sparcl_graph *graph, spc_node *node) {
    const int axis = node->settings.axis;
    SPC_TRY(spc_infer_like_coo(graph, node));
    const spc_node *const a = spc_operand(graph, node, 0);
    SPC_TRY(check_rank(graph, node, a->rank + 1));
    if (axis < 0 || axis > a->rank)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "axis is %d, expected 0 to %d", axis,
                             a->rank);
    node->rank = a->rank + 1;
    memmove(node->shape + axis + 1, a->shape + axis, (size_t)(a->rank - axis) * sizeof *a->shape);
    node->shape[axis] = 1;
    node->flags = a->flags;
    return SPARCL_OK;
}

/* The entries of all other dimensions are copied, as the concatenation of one array. */
static sparcl_status coo_expand_dims_launch(sparcl_graph *graph, spc_node *node) {
    const int axis = node->settings.axis;
    const int64_t size = (int64_t)sparcl_itype_size(node->coo.index_type);
    sparcl_moved moved;
    sparcl_coo others;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    SPC_TRY(sparcl_coo_squeeze(graph->ctx, &others, &node->coo, axis));
    const sparcl_coo *const a = spc_operand_coo(graph, node, 0);
    SPC_TRY(sparcl_coo_concat(graph->ctx, &others, a, 1, 0, NULL));
    if (node->coo.nnz > 0)
        SPC_TRY(sparcl_buf_fill(graph->ctx, node->coo.indices[axis],
                                node->coo.indices_at[axis] * size, node->coo.nnz * size, 0));
    node->coo.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | sparcl_coo_flags(a)};
    return SPARCL_OK;
}

const spc_operation spc_op_coo_expand_dims = {.about = {"coo_expand_dims", "A: COO",
                                                        "A with one more dimension, of size 1: COO",
                                                        "A's values: the gradient itself"},
                                              .infer = coo_expand_dims_infer,
                                              .launch = coo_expand_dims_launch,
                                              .gradient = spc_same_entries_gradient,
                                              .owns_indices = true};

sparcl_node sparcl_graph_coo_expand_dims(sparcl_graph *graph, sparcl_node a, int axis) {
    const spc_settings settings = {.axis = axis};
    return spc_graph_add(graph, &spc_op_coo_expand_dims, &a, 1, &settings);
}

/* One dimension is always left; a size that changes stays, also where it is 1. */
static sparcl_status coo_squeeze_infer(sparcl_graph *graph, spc_node *node) {
    const int axis = node->settings.axis;
    SPC_TRY(spc_infer_like_coo(graph, node));
    const spc_node *const a = spc_operand(graph, node, 0);
    if (axis < -1 || axis >= a->rank)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "axis is %d, expected -1 to %d", axis,
                             a->rank - 1);
    if (axis >= 0 && (a->shape[axis] != 1 || a->rank == 1))
        return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                             "dimension %d of %d is not 1 in every run, or the only one", axis,
                             a->rank);
    node->settings.rank = 0;
    for (int d = 0, left = a->rank; d < a->rank; ++d) {
        const bool drops = a->shape[d] == 1 && (axis < 0 || axis == d) && left > 1;
        left -= drops;
        if (!drops) node->settings.axes[node->settings.rank++] = d;
    }
    node->flags = a->flags;
    return take_axes(graph, node);
}

/* The arrays of operand 0 for the dimensions in axes. */
static void view_axes(spc_node *node, const sparcl_coo *a, uint32_t flags) {
    node->coo = *a;
    node->coo.rank = node->rank;
    for (int d = 0; d < node->rank; ++d) {
        const int axis = node->settings.axes[d];
        node->coo.shape[d] = a->shape[axis];
        node->coo.indices[d] = a->indices[axis];
        node->coo.indices_at[d] = a->indices_at[axis];
    }
    node->coo.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | flags};
}

static sparcl_status coo_squeeze_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_coo *const a = spc_operand_coo(graph, node, 0);
    view_axes(node, a, sparcl_coo_flags(a));
    return SPARCL_OK;
}

const spc_operation spc_op_coo_squeeze = {
    .about = {"coo_squeeze", "A: COO", "A without a dimension of size 1, or all such: COO",
              "A's values: the gradient itself"},
    .infer = coo_squeeze_infer,
    .launch = coo_squeeze_launch,
    .gradient = spc_same_entries_gradient,
    .is_view = true};

sparcl_node sparcl_graph_coo_squeeze(sparcl_graph *graph, sparcl_node a, int axis) {
    const spc_settings settings = {.axis = axis};
    return spc_graph_add(graph, &spc_op_coo_squeeze, &a, 1, &settings);
}

/* --- coo_project: fewer dimensions ------------------------------------------------------------ */

static sparcl_status coo_project_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_coo(graph, node));
    SPC_TRY(check_rank(graph, node, node->settings.rank));
    return take_axes(graph, node);
}

static sparcl_status coo_project_launch(sparcl_graph *graph, spc_node *node) {
    view_axes(node, spc_operand_coo(graph, node, 0), 0);
    return SPARCL_OK;
}

const spc_operation spc_op_coo_project = {
    .about = {"coo_project", "A: COO",
              "the entries of A with some dimensions of their indices, in any order; in no order, "
              "duplicates included: COO",
              "A's values: the gradient itself"},
    .infer = coo_project_infer,
    .launch = coo_project_launch,
    .gradient = spc_same_entries_gradient,
    .is_view = true};

sparcl_node sparcl_graph_coo_project(sparcl_graph *graph, sparcl_node a, int count,
                                     const int *axes) {
    const spc_settings settings = with_axes(count, axes);
    return spc_graph_add(graph, &spc_op_coo_project, &a, 1, &settings);
}

/* --- coo_slice -------------------------------------------------------------------------------- */

static sparcl_status coo_slice_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_coo(graph, node));
    const spc_node *const a = spc_operand(graph, node, 0);
    if (node->settings.rank != a->rank)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                             "there are sizes of %d dimensions, expected the %d of %s",
                             node->settings.rank, a->rank, a->name);
    memcpy(node->shape, node->settings.sizes, sizeof node->shape);
    node->flags = a->flags;
    return SPARCL_OK;
}

static sparcl_status coo_slice_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(node, sparcl_coo_slice(graph->ctx, &node->coo,
                                                     spc_operand_coo(graph, node, 0),
                                                     node->settings.starts, &moved));
}

MOVES_COO(coo_slice, "A: COO", "a part of it, of successive indices in each dimension: COO");

sparcl_node sparcl_graph_coo_slice(sparcl_graph *graph, sparcl_node a, int rank,
                                   const int64_t *start, const int64_t *shape) {
    spc_settings settings = spc_with_sizes(rank, start ? shape : NULL);
    if (settings.rank > 0 && rank <= SPARCL_MAX_RANK)
        memcpy(settings.starts, start, (size_t)rank * sizeof *start);
    return spc_graph_add(graph, &spc_op_coo_slice, &a, 1, &settings);
}

/* --- coo_concat ------------------------------------------------------------------------------- */

static sparcl_status coo_concat_infer(sparcl_graph *graph, spc_node *node) {
    const int axis = node->settings.axis;
    SPC_TRY(spc_infer_like_coo(graph, node));
    if (axis < 0 || axis >= node->rank)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "axis is %d, expected 0 to %d", axis,
                             node->rank - 1);
    node->flags = SPARCL_UNIQUE | (axis == 0 ? SPARCL_SORTED : 0u);
    for (int i = 0; i < node->in_count; ++i) {
        SPC_TRY(spc_need_kind(graph, node, i, SPC_VALUE_COO, node->rank, node->rank));
        const spc_node *const a = spc_operand(graph, node, 0);
        const spc_node *const b = spc_operand(graph, node, i);
        for (int d = 0; d < node->rank; ++d)
            if (d != axis)
                SPC_TRY(spc_need_equal(graph, node,
                                       (spc_size){a, a->shape[d], spc_dimension_text(d)},
                                       (spc_size){b, b->shape[d], spc_dimension_text(d)}));
        node->flags &= b->flags;
        if (i == 0) continue;
        node->shape[axis] = spc_dim_of_two(graph, '+', node->shape[axis], b->shape[axis]);
        node->stored = spc_dim_of_two(graph, '+', node->stored, b->stored);
    }
    return SPARCL_OK;
}

static sparcl_status coo_concat_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_coo operands[SPC_NODE_INPUTS];
    sparcl_moved moved;
    for (int i = 0; i < node->use_count; ++i)
        operands[i] = *spc_operand_coo(graph, node, i);
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(node,
                              sparcl_coo_concat(graph->ctx, &node->coo, operands, node->use_count,
                                                node->settings.axis, &moved));
}

/* The gradients of all values, and of each operand its part of them. */
static void coo_concat_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                sparcl_node *gradients) {
    const sparcl_node all = spc_scatter_coo(graph, of, node, sparcl_graph_values(graph, node));
    for (int i = 0; i < spc_node_at(graph, node)->in_count; ++i) {
        const spc_settings settings = {.like = node, .map = i};
        if (spc_needs_gradient(graph, node, i))
            gradients[i] = spc_graph_add(graph, &spc_op_values_of, &all, 1, &settings);
    }
}

const spc_operation spc_op_coo_concat = {
    .about = {"coo_concat", "A, B, ...: up to 8 COO arrays, of one shape but along an axis",
              "the entries of all, one array after the other along the axis: COO",
              "their values: the gradient of theirs in the result"},
    .infer = coo_concat_infer,
    .launch = coo_concat_launch,
    .gradient = coo_concat_gradient,
    .owns_indices = true,
    .maps = 1};
