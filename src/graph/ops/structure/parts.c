/* parts.c: some rows or columns of dense arrays, and some rows of row-sparse ones, in the table of
 * operations. */
#include <string.h>

#include "graph/engine/operations.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"

/* --- dense_slice: rows or columns start, start + 1, ... ----------------------------------------
 */

static sparcl_status fail_part(const sparcl_graph *graph, const spc_node *node, int64_t all) {
    const int64_t size = spc_dim_size(graph, node->settings.rows);
    return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                         "%lld %s from %lld on, expected a part of the %lld that there are",
                         (long long)size, node->settings.axis ? "columns" : "rows",
                         (long long)node->settings.start, (long long)all);
}

/* Is it a part of `all`? */
static bool is_part(const sparcl_graph *graph, const spc_node *node, int64_t all) {
    const int64_t size = spc_dim_size(graph, node->settings.rows), start = node->settings.start;
    return start >= 0 && size >= 0 && start <= all && size <= all - start;
}

/* Sizes that are known now are checked now, others in each run. */
static sparcl_status slice_infer(sparcl_graph *graph, spc_node *node) {
    const int axis = node->settings.axis;
    if (axis != 0 && axis != 1)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the axis is %d, expected 0 or 1", axis);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, axis + 1, axis ? 2 : SPARCL_MAX_RANK));
    SPC_TRY(spc_like_first(graph, node));
    const int64_t all = node->shape[axis];
    if (node->settings.start < 0 ||
        (all >= 0 && node->settings.rows >= 0 && !is_part(graph, node, all)))
        return fail_part(graph, node, spc_dim_capacity(graph, all));
    node->shape[axis] = node->settings.rows;
    return SPARCL_OK;
}

/* The part of x as a view; x may be in either order. */
static sparcl_dense part_of(const spc_node *node, const sparcl_dense *x, int64_t size) {
    const int axis = node->settings.axis;
    sparcl_dense part = *x;
    if (!x->ld) part.ld = x->order ? x->shape[0] : sparcl_row_width(x->rank, x->shape);
    part.shape[axis] = size;
    part.values_at += node->settings.start * (axis == (int)x->order ? part.ld : 1);
    return part;
}

static sparcl_status slice_launch(sparcl_graph *graph, spc_node *node) {
    const int axis = node->settings.axis;
    const sparcl_dense *const x = &spc_operand(graph, node, 0)->dense;
    if (!is_part(graph, node, x->shape[axis])) return fail_part(graph, node, x->shape[axis]);
    const sparcl_dense part = part_of(node, x, node->dense.shape[axis]);
    return sparcl_copy(graph->ctx, &node->dense, &part);
}

static void slice_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                           sparcl_node *gradients) {
    spc_settings settings = spc_node_at(graph, node)->settings;
    settings.like = spc_node_at(graph, node)->in[0];
    gradients[0] = spc_graph_add(graph, &spc_op_dense_slice_gradient, &of, 1, &settings);
}

const spc_operation spc_op_dense_slice = {
    .about = {"dense_slice", "x: [m, ...], axis 0; or [m, n], axis 1",
              "some rows, or columns, one after the other: [r, ...], or [m, c]",
              "x: the gradient in this part, others 0"},
    .infer = slice_infer,
    .launch = slice_launch,
    .gradient = slice_gradient};

static sparcl_status slice_gradient_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_node_at(graph, node->settings.like);
    node->kind = SPC_VALUE_DENSE;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
    return SPARCL_OK;
}

static sparcl_status slice_gradient_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense *const of = &spc_operand(graph, node, 0)->dense;
    const sparcl_dense part = part_of(node, &node->dense, of->shape[node->settings.axis]);
    const int64_t size = (int64_t)sparcl_dtype_size(node->dtype);
    const int64_t bytes =
        node->dense.shape[0] * sparcl_row_width(node->rank, node->dense.shape) * size;
    if (bytes > 0)
        SPC_TRY(sparcl_buf_fill(graph->ctx, node->dense.values, node->dense.values_at * size, bytes,
                                0));
    return sparcl_copy(graph->ctx, &part, of);
}

const spc_operation spc_op_dense_slice_gradient = {.about = {"dense_slice_gradient",
                                                             "the gradient of a part",
                                                             "that of the whole, others 0", NULL},
                                                   .infer = slice_gradient_infer,
                                                   .launch = slice_gradient_launch};

/* --- rows_slice: rows start, start + 1, ... of a row-sparse array -------------------------------
 */

static sparcl_status rows_slice_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_ROWS, 1, SPARCL_MAX_RANK));
    const spc_node *const x = spc_operand(graph, node, 0);
    node->kind = SPC_VALUE_ROWS;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
    node->shape[0] = node->settings.rows;
    node->stored = x->stored;
    node->flags = x->flags;
    return SPARCL_OK;
}

static sparcl_status rows_slice_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_list *const map = &node->maps[0];
    const sparcl_moved moved = {.source = map->indices, .source_at = map->indices_at};
    SPC_TRY(spc_clear_rows(graph, node));
    SPC_TRY(sparcl_rows_slice(graph->ctx, &node->rows, &spc_operand(graph, node, 0)->rows,
                              node->settings.start, &moved));
    spc_trust_rows(node, sparcl_rows_flags(&node->rows));
    return SPARCL_OK;
}

/* Each row goes back to where it came from. */
static void rows_slice_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                sparcl_node *gradients) {
    const spc_settings settings = {.like = spc_node_at(graph, node)->in[0]};
    const sparcl_node in[] = {of, node};
    gradients[0] =
        sparcl_graph_to_dense(graph, spc_graph_add(graph, &spc_op_moved_rows, in, 2, &settings));
}

const spc_operation spc_op_rows_slice = {
    .about = {"rows_slice", "x: row-sparse [n, ...]",
              "some rows, one after the other: row-sparse [r, ...]",
              "x's stored rows: that of the result's"},
    .infer = rows_slice_infer,
    .launch = rows_slice_launch,
    .gradient = rows_slice_gradient,
    .owns_indices = true,
    .maps = 1};

/* An array of the stored rows of `like`, of which those are stored that the result has. */
static sparcl_status moved_rows_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_node_at(graph, node->settings.like);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, x->rank, x->rank));
    node->kind = SPC_VALUE_ROWS;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
    node->shape[0] = x->stored;
    node->stored = spc_operand(graph, node, 0)->shape[0];
    return SPARCL_OK;
}

static sparcl_status moved_rows_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const result = spc_operand(graph, node, 1);
    const sparcl_dense *const of = &spc_operand(graph, node, 0)->dense;
    node->rows = result->rows;
    node->rows.shape[0] = spc_dim_size(graph, node->shape[0]);
    node->rows.index_type = SPARCL_INDEX64;
    node->rows.indices = result->maps[0].indices;
    node->rows.indices_at = result->maps[0].indices_at;
    node->rows.values = of->values;
    node->rows.values_at = of->values_at;
    spc_trust_rows(node, SPARCL_UNIQUE);
    return SPARCL_OK;
}

const spc_operation spc_op_moved_rows = {
    .about = {"moved_rows", "the gradient of the stored rows of a result; the result",
              "these rows, where their operand stores them: row-sparse", NULL},
    .infer = moved_rows_infer,
    .launch = moved_rows_launch,
    .is_view = true};
