/* elementwise.c: functions of each element, operations on two arrays and on the entries of a CSR
 * matrix in the table of operations. */
#include "sparcl/ops.h"
#include "sparcl/plan.h"

#include <math.h>

#include "graph/engine/operations.h"
#include "ops/elements/unary.h"

/* A CSR, COO or row-sparse array; `a` may be no node, but a mistake. */
static bool is_sparse(const sparcl_graph *graph, sparcl_node a) {
    if (!graph || a < 0 || a >= graph->count) return false;
    const spc_value kind = spc_node_at(graph, a)->kind;
    return kind == SPC_VALUE_CSR || kind == SPC_VALUE_COO || kind == SPC_VALUE_ROWS;
}

/* An operation of x, or, of a sparse array, of its values. */
static sparcl_node add_function(sparcl_graph *graph, const spc_operation *op, sparcl_node x,
                                spc_settings settings) {
    if (!is_sparse(graph, x)) return spc_graph_add(graph, op, &x, 1, &settings);
    const sparcl_node values = sparcl_graph_values(graph, x);
    settings.of_entries = true;
    return sparcl_graph_with_values(graph, x, spc_graph_add(graph, op, &values, 1, &settings));
}

/* Has the result of a CSR matrix its pattern? So it is for COO and row-sparse arrays. */
static bool keeps_csr(sparcl_format_of operation) {
    const sparcl_format csr = SPARCL_FORMAT_CSR;
    sparcl_format result = SPARCL_FORMAT_DENSE;
    return sparcl_result_format(operation, &csr, 1, &result) == SPARCL_OK && result == csr;
}

/* --- unary: a function of each element -------------------------------------------------------- */

static sparcl_status unary_infer(sparcl_graph *graph, spc_node *node) {
    const sparcl_unary_op op = node->settings.unary;
    if (!sparcl_unary_name(op))
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the function is %d, which is unknown",
                             (int)op);
    if (node->settings.of_entries &&
        !keeps_csr(sparcl_unary_keeps_zero(op) ? SPARCL_FORMAT_OF_ZERO_FUNCTION
                                               : SPARCL_FORMAT_OF_FUNCTION))
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             "%s of 0 is not 0, so the result of a sparse array would be dense; "
                             "convert it first (sparcl_graph_to_dense)",
                             sparcl_unary_name(op));
    return spc_like_first(graph, node);
}

static sparcl_status unary_launch(sparcl_graph *graph, spc_node *node) {
    if (node->use_count > 1) /* see graph/engine/fuse.c */
        return spc_unary_biased(graph->ctx, node->settings.unary, &node->dense,
                                &spc_operand(graph, node, 0)->dense,
                                &spc_operand(graph, node, 1)->dense);
    return sparcl_unary(graph->ctx, node->settings.unary, &node->dense,
                        &spc_operand(graph, node, 0)->dense);
}

static void unary_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                           sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = n->settings;
    const sparcl_node in[] = {of, sparcl_unary_needs_y(settings.unary) ? node : n->in[0]};
    gradients[0] = spc_graph_add(graph, &spc_op_unary_gradient, in, 2, &settings);
}

const spc_operation spc_op_unary = {
    .about = {"unary", "x, or the values of a CSR, COO or row-sparse array",
              "a function of each element: abs, sqrt, sin, exp, ... (sparcl_unary_op)",
              "x: the gradient times the derivative, from x or from the result"},
    .infer = unary_infer,
    .launch = unary_launch,
    .gradient = unary_gradient,
    .in_place = true};

sparcl_node sparcl_graph_unary(sparcl_graph *graph, sparcl_unary_op op, sparcl_node x) {
    return add_function(graph, &spc_op_unary, x, (spc_settings){.unary = op});
}

static sparcl_status unary_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_unary_gradient(graph->ctx, node->settings.unary, &node->dense,
                                 &spc_operand(graph, node, 1)->dense,
                                 &spc_operand(graph, node, 0)->dense);
}

const spc_operation spc_op_unary_gradient = {
    .about = {"unary_gradient", "the gradient of the result; x or the result", "the gradient of x",
              NULL},
    .infer = spc_like_first,
    .launch = unary_gradient_launch,
    .in_place = true};

/* --- clip: each element, at least low and at most high ---------------------------------------- */

static sparcl_status clip_infer(sparcl_graph *graph, spc_node *node) {
    const spc_settings *const s = &node->settings;
    if (!(s->low <= s->high))
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             "low is %g and high %g, expected low <= high", s->low, s->high);
    const bool keeps_zero = s->low <= 0 && 0 <= s->high;
    if (s->of_entries &&
        !keeps_csr(keeps_zero ? SPARCL_FORMAT_OF_ZERO_FUNCTION : SPARCL_FORMAT_OF_FUNCTION))
        return spc_node_fail(
            graph, node, SPARCL_E_ARG,
            "low is %g and high %g, expected low <= 0 <= high for a sparse array: 0 "
            "would not stay 0 and the result be dense; convert it first "
            "(sparcl_csr_to_dense)",
            s->low, s->high);
    return spc_like_first(graph, node);
}

static sparcl_status clip_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_clip(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense,
                       node->settings.low, node->settings.high);
}

static void clip_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = n->settings;
    const sparcl_node in[] = {of, n->in[0]};
    gradients[0] = spc_graph_add(graph, &spc_op_clip_gradient, in, 2, &settings);
}

const spc_operation spc_op_clip = {.about = {"clip",
                                             "x, or the values of a CSR, COO or row-sparse array",
                                             "each element, at least low and at most high",
                                             "x: the gradient where low <= x <= high, else 0"},
                                   .infer = clip_infer,
                                   .launch = clip_launch,
                                   .gradient = clip_gradient,
                                   .in_place = true};

sparcl_node sparcl_graph_clip(sparcl_graph *graph, sparcl_node x, double low, double high) {
    return add_function(graph, &spc_op_clip, x, (spc_settings){.low = low, .high = high});
}

static sparcl_status clip_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_clip_gradient(graph->ctx, &node->dense, &spc_operand(graph, node, 1)->dense,
                                &spc_operand(graph, node, 0)->dense, node->settings.low,
                                node->settings.high);
}

const spc_operation spc_op_clip_gradient = {
    .about = {"clip_gradient", "the gradient of the result; x", "the gradient of x", NULL},
    .infer = spc_like_first,
    .launch = clip_gradient_launch,
    .in_place = true};

/* --- binary: an operation on two arrays, the second one broadcast ----------------------------- */

static bool is_one(const int64_t *sizes, int count) {
    for (int d = 0; d < count; ++d)
        if (sizes[d] != 1) return false;
    return true;
}

static bool is_equal(const int64_t *a, const int64_t *b, int count) {
    for (int d = 0; d < count; ++d)
        if (a[d] != b[d]) return false;
    return true;
}

/* As sparcl_binary: the shape of x, a row of it, one number for each row, or one for all. */
static bool is_broadcast(const spc_node *y, const spc_node *x) {
    const int rest = x->rank - 1;
    if (is_one(y->shape, y->rank)) return true;
    if (y->rank == rest) return is_equal(y->shape, x->shape + 1, rest);
    if (y->rank != x->rank) return false;
    const bool same_rows = y->shape[0] == x->shape[0], one_row = y->shape[0] == 1;
    return (same_rows && is_one(y->shape + 1, rest)) ||
           ((same_rows || one_row) && is_equal(y->shape + 1, x->shape + 1, rest));
}

static sparcl_status binary_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0), *const y = spc_operand(graph, node, 1);
    const int op = (int)node->settings.binary;
    if (op < 0 || op > (int)SPARCL_BINARY_MINIMUM)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the operation is %d, which is unknown",
                             op);
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    SPC_TRY(spc_like_first(graph, node));
    if (is_broadcast(y, x)) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                         "%s is not of the shape of %s, a row of it, [rows, 1] or [1]", y->name,
                         x->name);
}

static bool is_addition(const spc_node *node) {
    return node->op == &spc_op_binary && node->settings.binary == SPARCL_BINARY_ADD;
}

bool spc_is_sum(const sparcl_graph *graph, const spc_node *node) {
    if (!is_addition(node)) return false;
    const spc_node *const x = spc_node_at(graph, node->in[0]), *y = spc_node_at(graph, node->in[1]);
    return x->rank == y->rank && is_equal(x->shape, y->shape, x->rank);
}

bool spc_is_bias_sum(const sparcl_graph *graph, const spc_node *node) {
    if (!is_addition(node) || spc_is_sum(graph, node)) return false;
    const spc_node *const x = spc_node_at(graph, node->in[0]), *y = spc_node_at(graph, node->in[1]);
    return y->rank == 1 && x->rank <= 2 && y->shape[0] == (x->rank == 2 ? x->shape[1] : 1);
}

/* Sums of sums are added from left to right (graph/engine/fuse_chains.c). */
static sparcl_status binary_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_term terms[SPC_NODE_INPUTS];
    bool has_factors = false;
    if (node->is_scatter) return spc_scatter_operands(graph, node);
    for (int i = 0; i < node->use_count; ++i) {
        terms[i] = (sparcl_term){node->factors[i], &spc_operand(graph, node, i)->dense, NULL};
        has_factors |= node->factors[i] != 1;
    }
    if (node->use_count > 2 || has_factors)
        return sparcl_add_n(graph->ctx, &node->dense, terms, node->use_count);
    return sparcl_binary(graph->ctx, node->settings.binary, &node->dense,
                         &spc_operand(graph, node, 0)->dense, &spc_operand(graph, node, 1)->dense);
}

static bool is_linear(sparcl_binary_op op) {
    return op == SPARCL_BINARY_ADD || op == SPARCL_BINARY_SUBTRACT;
}

static void binary_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = n->settings;
    const sparcl_node in[] = {of, n->in[0], n->in[1]};
    const bool of_x = spc_needs_gradient(graph, node, 0), of_y = spc_needs_gradient(graph, node, 1);
    const bool is_sum = spc_is_sum(graph, n), is_bias_sum = spc_is_bias_sum(graph, n);
    if (of_x && is_linear(settings.binary)) gradients[0] = of;
    if (of_x && !is_linear(settings.binary))
        gradients[0] = spc_graph_add(graph, &spc_op_binary_gradient_x, in, 3, &settings);
    if (of_y && is_sum) gradients[1] = of;
    if (of_y && is_bias_sum) gradients[1] = spc_graph_add(graph, &spc_op_sum, &of, 1, NULL);
    if (of_y && !is_sum && !is_bias_sum)
        gradients[1] = spc_graph_add(graph, &spc_op_binary_gradient_y, in, 3, &settings);
}

const spc_operation spc_op_binary = {
    .about = {"binary", "x: [m, ...]; y: of its shape, a row of it, [m, 1, ...] or [1]",
              "x + y, x - y, x y, x / y, maximum or minimum (sparcl_binary_op)",
              "x and y: the gradient times the derivative; y: the sum where it is broadcast"},
    .infer = binary_infer,
    .launch = binary_launch,
    .gradient = binary_gradient,
    .in_place = true};

sparcl_node sparcl_graph_binary(sparcl_graph *graph, sparcl_binary_op op, sparcl_node x,
                                sparcl_node y) {
    const spc_settings settings = {.binary = op};
    const sparcl_node in[] = {x, y};
    return spc_graph_add(graph, &spc_op_binary, in, 2, &settings);
}

static sparcl_status binary_gradient_x_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_binary_gradient(
        graph->ctx, node->settings.binary, &node->dense, NULL, &spc_operand(graph, node, 1)->dense,
        &spc_operand(graph, node, 2)->dense, &spc_operand(graph, node, 0)->dense);
}

const spc_operation spc_op_binary_gradient_x = {
    .about = {"binary_gradient_x", "the gradient of the result; x; y", "the gradient of x", NULL},
    .infer = spc_like_first,
    .launch = binary_gradient_x_launch,
    .in_place = true};

static sparcl_status like_y(sparcl_graph *graph, spc_node *node) {
    const spc_node *const y = spc_operand(graph, node, 2);
    spc_set_dense(node, y->rank, y->shape[0], 0);
    for (int d = 1; d < y->rank; ++d)
        node->shape[d] = y->shape[d];
    return SPARCL_OK;
}

static sparcl_status binary_gradient_y_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_binary_gradient(
        graph->ctx, node->settings.binary, NULL, &node->dense, &spc_operand(graph, node, 1)->dense,
        &spc_operand(graph, node, 2)->dense, &spc_operand(graph, node, 0)->dense);
}

const spc_operation spc_op_binary_gradient_y = {
    .about = {"binary_gradient_y", "the gradient of the result; x; y", "the gradient of y", NULL},
    .infer = like_y,
    .launch = binary_gradient_y_launch};

/* --- binary_scalar: an operation on each element and a number --------------------------------- */

static bool is_extremum(sparcl_binary_op op) {
    return op == SPARCL_BINARY_MAXIMUM || op == SPARCL_BINARY_MINIMUM;
}

/* Does 0 stay 0, whatever the other elements are? */
static bool keeps_zeros(sparcl_binary_op op, double y) {
    return op == SPARCL_BINARY_MULTIPLY || op == SPARCL_BINARY_DIVIDE || (is_linear(op) && y == 0);
}

static sparcl_status binary_scalar_infer(sparcl_graph *graph, spc_node *node) {
    const sparcl_binary_op op = node->settings.binary;
    const double y = node->settings.value;
    if ((int)op < 0 || op > SPARCL_BINARY_MINIMUM)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the operation is %d, which is unknown",
                             (int)op);
    if (is_extremum(op) && y != y)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "a maximum or minimum with NaN");
    if (node->settings.of_entries && !keeps_zeros(op, y))
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             "the operation is not multiply or divide, and the number %g, so the "
                             "result of a sparse array would be dense; convert it first "
                             "(sparcl_graph_to_dense)",
                             y);
    return spc_like_first(graph, node);
}

static sparcl_status binary_scalar_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_binary_scalar(graph->ctx, node->settings.binary, &node->dense,
                                &spc_operand(graph, node, 0)->dense, node->settings.value);
}

/* A maximum passes on what is at least y, as clip does. */
static void binary_scalar_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                   sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings own = n->settings;
    const bool is_maximum = own.binary == SPARCL_BINARY_MAXIMUM;
    const spc_settings limits = {.low = is_maximum ? own.value : -INFINITY,
                                 .high = is_maximum ? INFINITY : own.value};
    const sparcl_node in[] = {of, n->in[0]};
    gradients[0] = is_linear(own.binary) ? of
                   : is_extremum(own.binary)
                       ? spc_graph_add(graph, &spc_op_clip_gradient, in, 2, &limits)
                       : spc_graph_add(graph, &spc_op_binary_scalar, &of, 1, &own);
}

const spc_operation spc_op_binary_scalar = {
    .about = {"binary_scalar", "x, or the values of a CSR matrix or a row-sparse array; a number",
              "x + y, x - y, x y, x / y, maximum or minimum (sparcl_binary_op)",
              "x: the gradient times the derivative"},
    .infer = binary_scalar_infer,
    .launch = binary_scalar_launch,
    .gradient = binary_scalar_gradient,
    .in_place = true};

sparcl_node sparcl_graph_binary_scalar(sparcl_graph *graph, sparcl_binary_op op, sparcl_node x,
                                       double y) {
    return add_function(graph, &spc_op_binary_scalar, x, (spc_settings){.binary = op, .value = y});
}

/* --- csr_broadcast: the entries of a CSR matrix with a number for each row or column ---------- */

static sparcl_status csr_broadcast_infer(sparcl_graph *graph, spc_node *node) {
    const sparcl_binary_op op = node->settings.binary;
    const int axis = node->settings.axis;
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 1));
    const spc_node *const a = spc_operand(graph, node, 0), *const v = spc_operand(graph, node, 1);
    const bool scales = op == SPARCL_BINARY_MULTIPLY || op == SPARCL_BINARY_DIVIDE;
    if (!keeps_csr(scales ? SPARCL_FORMAT_OF_SCALE : SPARCL_FORMAT_OF_SHIFT))
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             "the operation is not multiply or divide, so the result of a CSR "
                             "matrix would be dense; convert it first (sparcl_csr_to_dense)");
    if (axis != 0 && axis != 1)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the axis is %d, expected 0 or 1", axis);
    SPC_TRY(spc_need_equal(graph, node,
                           (spc_size){a, a->shape[1 - axis], axis ? "rows" : "columns"},
                           (spc_size){v, v->shape[0], "elements"}));
    spc_set_dense(node, 1, a->shape[2], 0);
    return SPARCL_OK;
}

static sparcl_status csr_broadcast_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_csr_broadcast(graph->ctx, node->settings.binary, &node->dense,
                                &spc_operand(graph, node, 0)->csr,
                                &spc_operand(graph, node, 1)->dense, node->settings.axis);
}

/* By the values: the same operation on the matrix that has the gradient as its values. */
static void csr_broadcast_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                   sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = n->settings;
    const sparcl_node a = n->in[0], v = n->in[1], in[] = {a, v, of};
    const bool of_a = spc_needs_gradient(graph, node, 0), of_v = spc_needs_gradient(graph, node, 1);
    if (of_a) {
        const sparcl_node terms[] = {sparcl_graph_with_values(graph, a, of), v};
        gradients[0] = spc_graph_add(graph, &spc_op_csr_broadcast, terms, 2, &settings);
    }
    if (of_v) gradients[1] = spc_graph_add(graph, &spc_op_csr_broadcast_gradient, in, 3, &settings);
}

const spc_operation spc_op_csr_broadcast = {
    .about = {"csr_broadcast", "A: CSR [m, k] with n entries; v: [m] or [k]",
              "A's values times, or divided by, v of their row or column: CSR",
              "A's values: the same operation on the gradient; v: sums of rows or columns"},
    .infer = csr_broadcast_infer,
    .launch = csr_broadcast_launch,
    .gradient = csr_broadcast_gradient};

sparcl_node sparcl_graph_csr_broadcast(sparcl_graph *graph, sparcl_binary_op op, sparcl_node a,
                                       sparcl_node v, int axis) {
    const spc_settings settings = {.binary = op, .axis = axis};
    const sparcl_node in[] = {a, v};
    const sparcl_node values = spc_graph_add(graph, &spc_op_csr_broadcast, in, 2, &settings);
    return sparcl_graph_with_values(graph, a, values);
}

static sparcl_status csr_broadcast_gradient_infer(sparcl_graph *graph, spc_node *node) {
    spc_set_dense(node, 1, spc_operand(graph, node, 1)->shape[0], 0);
    return SPARCL_OK;
}

static sparcl_status csr_broadcast_gradient_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0);
    sparcl_pattern *pattern = NULL;
    if (node->settings.axis == 0) SPC_TRY(spc_graph_pattern(graph, a, &pattern));
    return sparcl_csr_broadcast_gradient(graph->ctx, node->settings.binary, &node->dense, &a->csr,
                                         &spc_operand(graph, node, 1)->dense,
                                         &spc_operand(graph, node, 2)->dense, node->settings.axis,
                                         pattern);
}

const spc_operation spc_op_csr_broadcast_gradient = {
    .about = {"csr_broadcast_gradient", "A: CSR; v; the gradient of the result's values",
              "the gradient of v", NULL},
    .infer = csr_broadcast_gradient_infer,
    .launch = csr_broadcast_gradient_launch};
