/* reductions.c: reductions of matrices and of segments, and dot products of rows, in the table of
 * operations. */
#include <string.h>

#include "graph/engine/operations.h"
#include "ops/shared/beside.h"

/* The view of operand i, dense; for a gradient that does not read it, none. */
static const sparcl_dense *dense_of(const sparcl_graph *graph, const spc_node *node, int i) {
    return &spc_operand(graph, node, i)->dense;
}

static sparcl_status check_reduction(const sparcl_graph *graph, const spc_node *node) {
    const int kind = (int)node->settings.reduction, axis = node->settings.axis;
    if (kind < SPARCL_REDUCE_SUM || kind > SPARCL_REDUCE_COUNT)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the reduction is %d, which is unknown",
                             kind);
    if (axis >= -1 && axis <= 1) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_ARG, "axis is %d, expected -1, 0 or 1", axis);
}

sparcl_node spc_gradient_of_all(sparcl_graph *graph, const spc_operation *op, sparcl_node node,
                                sparcl_node of) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = n->settings;
    sparcl_node in[SPC_NODE_INPUTS] = {of};
    int count = 1;
    for (int i = 0; i < n->in_count; ++i)
        in[count++] = n->in[i];
    in[count++] = node;
    return spc_graph_add(graph, op, in, count, &settings);
}

/* --- reduce: a dense matrix ------------------------------------------------------------------- */

static sparcl_status reduce_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    const int axis = node->settings.axis;
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 2));
    SPC_TRY(check_reduction(graph, node));
    const int64_t columns = x->rank == 2 ? x->shape[1] : 1;
    spc_set_dense(node, 1, axis == 1 ? x->shape[0] : axis == 0 ? columns : 1, 0);
    return SPARCL_OK;
}

/* The node and those beside it; their number. */
static int jobs_of(const sparcl_graph *graph, const spc_node *node, bool is_gradient,
                   spc_beside *jobs) {
    int count = 0;
    for (const spc_node *n = node;; n = spc_node_at(graph, n->beside)) {
        jobs[count++] = (spc_beside){&n->dense, dense_of(graph, n, is_gradient),
                                     is_gradient ? dense_of(graph, n, 0) : NULL};
        if (n->beside == SPARCL_NO_NODE) return count;
    }
}

static sparcl_status reduce_launch(sparcl_graph *graph, spc_node *node) {
    spc_beside jobs[SPC_BESIDE];
    if (node->beside != SPARCL_NO_NODE)
        return spc_square_sums_beside(graph->ctx, jobs, jobs_of(graph, node, false, jobs));
    return sparcl_dense_reduce(graph->ctx, node->settings.reduction, &node->dense,
                               dense_of(graph, node, 0), node->settings.axis);
}

static sparcl_status reduce_gradient_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    node->kind = SPC_VALUE_DENSE;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
    return SPARCL_OK;
}

static sparcl_status reduce_gradient_launch(sparcl_graph *graph, spc_node *node) {
    spc_beside jobs[SPC_BESIDE];
    if (node->beside != SPARCL_NO_NODE)
        return spc_gradients_beside(graph->ctx, jobs, jobs_of(graph, node, true, jobs), false);
    return sparcl_dense_reduce_gradient(graph->ctx, node->settings.reduction, &node->dense,
                                        dense_of(graph, node, 0), dense_of(graph, node, 1),
                                        node->settings.axis, dense_of(graph, node, 2));
}

const spc_operation spc_op_reduce_gradient = {.about = {"reduce_gradient",
                                                        "the gradient of the result; x; the result",
                                                        "the gradient of x", NULL},
                                              .infer = reduce_gradient_infer,
                                              .launch = reduce_gradient_launch};

static void reduce_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    gradients[0] = spc_gradient_of_all(graph, &spc_op_reduce_gradient, node, of);
}

const spc_operation spc_op_reduce = {
    .about = {"reduce", "x: [m, n] or [m]",
              "sum, mean, square_sum, norm or norm1 of each row: [m], of each column: [n], or of "
              "all: [1]",
              "x: from x, and for the norm the result"},
    .infer = reduce_infer,
    .launch = reduce_launch,
    .gradient = reduce_gradient};

/* --- csr_reduce: a CSR matrix ----------------------------------------------------------------- */

static sparcl_status csr_reduce_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0);
    const int axis = node->settings.axis;
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(check_reduction(graph, node));
    spc_set_dense(node, 1, axis == 1 ? a->shape[0] : axis == 0 ? a->shape[1] : 1, 0);
    return SPARCL_OK;
}

/* Columns are taken from the pattern. */
static sparcl_status pattern_of(sparcl_graph *graph, const spc_node *node, int i,
                                sparcl_pattern **pattern) {
    *pattern = NULL;
    if (node->settings.axis != 0) return SPARCL_OK;
    return spc_graph_pattern(graph, spc_operand(graph, node, i), pattern);
}

static sparcl_status csr_reduce_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_pattern *pattern = NULL;
    SPC_TRY(pattern_of(graph, node, 0, &pattern));
    return sparcl_csr_reduce(graph->ctx, node->settings.reduction, node->settings.over,
                             &node->dense, &spc_operand(graph, node, 0)->csr, node->settings.axis,
                             NULL, 0, pattern);
}

/* Of the values of operand i, a CSR matrix. */
static sparcl_status like_values(sparcl_graph *graph, spc_node *node, int i) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 1));
    spc_set_dense(node, 1, spc_operand(graph, node, i)->shape[2], 0);
    return SPARCL_OK;
}

static sparcl_status csr_gradient_infer(sparcl_graph *graph, spc_node *node) {
    return like_values(graph, node, 1);
}

static sparcl_status csr_reduce_gradient_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_pattern *pattern = NULL;
    SPC_TRY(pattern_of(graph, node, 1, &pattern));
    return sparcl_csr_reduce_gradient(graph->ctx, node->settings.reduction, node->settings.over,
                                      &node->dense, dense_of(graph, node, 0),
                                      &spc_operand(graph, node, 1)->csr, node->settings.axis,
                                      dense_of(graph, node, 2), NULL, 0, pattern);
}

const spc_operation spc_op_csr_reduce_gradient = {
    .about = {"csr_reduce_gradient", "the gradient of the result; A; the result",
              "the gradient of A's values", NULL},
    .infer = csr_gradient_infer,
    .launch = csr_reduce_gradient_launch};

static void csr_reduce_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                sparcl_node *gradients) {
    gradients[0] = spc_gradient_of_all(graph, &spc_op_csr_reduce_gradient, node, of);
}

const spc_operation spc_op_csr_reduce = {
    .about = {"csr_reduce", "A: CSR [m, k] with n entries",
              "sum, mean, max, min, product, norm, ... of each row: [m], of each column: [k], or "
              "of all: [1]",
              "A's values; of a maximum the first entry that is it"},
    .infer = csr_reduce_infer,
    .launch = csr_reduce_launch,
    .gradient = csr_reduce_gradient};

/* --- rows_reduce: the stored rows of a row-sparse array ----------------------------------------
 */

static sparcl_status rows_reduce_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    const int axis = node->settings.axis;
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_ROWS, 1, 2));
    SPC_TRY(check_reduction(graph, node));
    spc_set_dense(node, 1, axis == 0 && x->rank == 2 ? x->shape[1] : 1, 0);
    return SPARCL_OK;
}

static sparcl_status rows_reduce_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_rows_reduce(graph->ctx, node->settings.reduction, &node->dense,
                              &spc_operand(graph, node, 0)->rows, node->settings.axis);
}

static sparcl_status rows_reduce_gradient_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 1));
    spc_set_dense(node, x->rank, x->stored, x->shape[1]);
    return SPARCL_OK;
}

static sparcl_status rows_reduce_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_rows_reduce_gradient(graph->ctx, node->settings.reduction, &node->dense,
                                       dense_of(graph, node, 0), &spc_operand(graph, node, 1)->rows,
                                       node->settings.axis, dense_of(graph, node, 2));
}

const spc_operation spc_op_rows_reduce_gradient = {
    .about = {"rows_reduce_gradient", "the gradient of the result; x; the result",
              "the gradient of x's stored rows", NULL},
    .infer = rows_reduce_gradient_infer,
    .launch = rows_reduce_gradient_launch};

static void rows_reduce_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                 sparcl_node *gradients) {
    gradients[0] = spc_gradient_of_all(graph, &spc_op_rows_reduce_gradient, node, of);
}

const spc_operation spc_op_rows_reduce = {
    .about = {"rows_reduce", "x: row-sparse [m, n] or [m]",
              "sum, mean, square_sum, norm or norm1 of the stored rows, of each column: [n], or of "
              "all elements: [1]",
              "x's stored rows, and for the norm from the result"},
    .infer = rows_reduce_infer,
    .launch = rows_reduce_launch,
    .gradient = rows_reduce_gradient};

/* --- segment_reduce: rows of a dense array ---------------------------------------------------- */

static sparcl_segments segments_of(const sparcl_graph *graph, const spc_node *node, int i) {
    const spc_node *const s = spc_operand(graph, node, i);
    const bool is_list = s->kind == SPC_VALUE_LIST;
    return (sparcl_segments){is_list ? &s->list : NULL, is_list ? NULL : &s->csr};
}

static sparcl_status segment_reduce_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0), *const s = spc_operand(graph, node, 1);
    const bool is_list = s->kind == SPC_VALUE_LIST;
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    if (!is_list) SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(check_reduction(graph, node));
    SPC_TRY(spc_need_equal(graph, node, (spc_size){x, x->shape[0], "rows"},
                           (spc_size){s, s->shape[is_list ? 0 : 2], "items"}));
    SPC_TRY(spc_like_first(graph, node));
    node->shape[0] = s->shape[is_list ? 1 : 0];
    return SPARCL_OK;
}

static sparcl_status segment_reduce_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_segments segments = segments_of(graph, node, 1);
    return sparcl_segment_reduce(graph->ctx, node->settings.reduction, &node->dense,
                                 dense_of(graph, node, 0), &segments, NULL, 0);
}

static sparcl_status segment_gradient_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_segments segments = segments_of(graph, node, 2);
    return sparcl_segment_reduce_gradient(graph->ctx, node->settings.reduction, &node->dense,
                                          dense_of(graph, node, 0), dense_of(graph, node, 1),
                                          &segments, dense_of(graph, node, 3), NULL, 0);
}

const spc_operation spc_op_segment_reduce_gradient = {
    .about = {"segment_reduce_gradient", "the gradient of the result; x; the segments; the result",
              "the gradient of x", NULL},
    .infer = reduce_gradient_infer,
    .launch = segment_gradient_launch};

static void segment_reduce_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                    sparcl_node *gradients) {
    if (spc_needs_gradient(graph, node, 0))
        gradients[0] = spc_gradient_of_all(graph, &spc_op_segment_reduce_gradient, node, of);
}

const spc_operation spc_op_segment_reduce = {
    .about = {"segment_reduce",
              "x: [n, ...]; the segment of each row: a list of n indices below s, or a CSR matrix "
              "with n entries and s rows",
              "sum, mean, max, min, product, norm, ... of the rows of each segment: [s, ...]",
              "x; of a maximum the first row that has it"},
    .infer = segment_reduce_infer,
    .launch = segment_reduce_launch,
    .gradient = segment_reduce_gradient};

sparcl_node sparcl_graph_segment_reduce(sparcl_graph *graph, sparcl_reduction kind, sparcl_node x,
                                        sparcl_node segments) {
    const spc_settings settings = {.reduction = kind};
    const sparcl_node in[] = {x, segments};
    return spc_graph_add(graph, &spc_op_segment_reduce, in, 2, &settings);
}

/* --- dot_rows --------------------------------------------------------------------------------- */

static sparcl_status dot_rows_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0), *const y = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, x->rank, x->rank));
    for (int d = 0; d < x->rank; ++d)
        SPC_TRY(spc_need_equal(graph, node, (spc_size){x, x->shape[d], d ? "columns" : "rows"},
                               (spc_size){y, y->shape[d], d ? "columns" : "rows"}));
    spc_set_dense(node, 1, x->shape[0], 0);
    return SPARCL_OK;
}

static sparcl_status dot_rows_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_dot_rows(graph->ctx, &node->dense, dense_of(graph, node, 0),
                           dense_of(graph, node, 1));
}

static sparcl_status dot_rows_gradient_launch(sparcl_graph *graph, spc_node *node) {
    spc_beside jobs[SPC_BESIDE];
    if (node->beside != SPARCL_NO_NODE)
        return spc_gradients_beside(graph->ctx, jobs, jobs_of(graph, node, true, jobs), true);
    return sparcl_dot_rows_gradient(graph->ctx, &node->dense, dense_of(graph, node, 0),
                                    dense_of(graph, node, 1));
}

const spc_operation spc_op_dot_rows_gradient = {
    .about = {"dot_rows_gradient", "the gradient of the result; the other operand",
              "the gradient of an operand", NULL},
    .infer = reduce_gradient_infer,
    .launch = dot_rows_gradient_launch};

static void dot_rows_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                              sparcl_node *gradients) {
    const sparcl_node x = spc_node_at(graph, node)->in[0], y = spc_node_at(graph, node)->in[1];
    const sparcl_node by_x[] = {of, y}, by_y[] = {of, x};
    const bool both = spc_needs_gradient(graph, node, 1);
    if (spc_needs_gradient(graph, node, 0))
        gradients[0] = spc_graph_add(graph, &spc_op_dot_rows_gradient, by_x, 2, NULL);
    if (both) gradients[1] = spc_graph_add(graph, &spc_op_dot_rows_gradient, by_y, 2, NULL);
}

const spc_operation spc_op_dot_rows = {
    .about = {"dot_rows", "x, y: [m, ...], of one shape",
              "the dot product of each row of x with that of y: [m]",
              "x and y: the rows of the other one times the gradient"},
    .infer = dot_rows_infer,
    .launch = dot_rows_launch,
    .gradient = dot_rows_gradient};

sparcl_node sparcl_graph_dot_rows(sparcl_graph *graph, sparcl_node x, sparcl_node y) {
    const sparcl_node in[] = {x, y};
    return spc_graph_add(graph, &spc_op_dot_rows, in, 2, NULL);
}
