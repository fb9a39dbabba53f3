/* elements.c: operations on each element in the table of operations. */
#include "sparcl/ops/elements.h"
#include "graph/engine/operations.h"
#include "ops/elements/activation.h"

/* --- add: of two arrays of one shape ---------------------------------------------------------- */

static sparcl_status add_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0), *const y = spc_operand(graph, node, 1);
    SPC_TRY(spc_like_first(graph, node));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, x->rank, x->rank));
    for (int d = 0; d < x->rank; ++d)
        SPC_TRY(spc_need_equal(graph, node, (spc_size){x, x->shape[d], d ? "columns" : "rows"},
                               (spc_size){y, y->shape[d], d ? "columns" : "rows"}));
    return SPARCL_OK;
}

/* Sums of sums are added from left to right (graph/fuse_chains.c). */
static sparcl_status add_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_term terms[SPC_NODE_INPUTS];
    bool has_factors = false;
    if (node->is_scatter) return spc_scatter_operands(graph, node);
    for (int i = 0; i < node->use_count; ++i) {
        terms[i] = (sparcl_term){node->factors[i], &spc_operand(graph, node, i)->dense, NULL};
        has_factors |= node->factors[i] != 1;
    }
    if (node->use_count > 2 || has_factors)
        return sparcl_add_n(graph->ctx, &node->dense, terms, node->use_count);
    return sparcl_add(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense,
                      &spc_operand(graph, node, 1)->dense);
}

static void add_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                         sparcl_node *gradients) {
    for (int i = 0; i < 2; ++i)
        if (spc_needs_gradient(graph, node, i)) gradients[i] = of;
}

const spc_operation spc_op_add = {
    .about = {"add", "x, y: of one shape", "x + y", "x and y: the gradient itself"},
    .infer = add_infer,
    .launch = add_launch,
    .gradient = add_gradient,
    .in_place = true};

sparcl_node sparcl_graph_add(sparcl_graph *graph, sparcl_node x, sparcl_node y) {
    const sparcl_node in[] = {x, y};
    return spc_graph_add(graph, &spc_op_add, in, 2, NULL);
}

/* --- add_bias: the same vector added to each row ---------------------------------------------- */

static sparcl_status add_bias_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 2));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 1));
    const spc_node *const x = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    const int64_t columns = x->rank == 2 ? x->shape[1] : 1;
    SPC_TRY(spc_need_equal(graph, node, (spc_size){x, columns, "columns"},
                           (spc_size){b, b->shape[0], "elements"}));
    spc_set_dense(node, x->rank, x->shape[0], x->shape[1]);
    return SPARCL_OK;
}

static sparcl_status add_bias_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_add_bias(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense,
                           &spc_operand(graph, node, 1)->dense);
}

static void add_bias_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                              sparcl_node *gradients) {
    if (spc_needs_gradient(graph, node, 0)) gradients[0] = of;
    if (spc_needs_gradient(graph, node, 1))
        gradients[1] = spc_graph_add(graph, &spc_op_sum, &of, 1, NULL);
}

const spc_operation spc_op_add_bias = {
    .about = {"add_bias", "x: [m, n] or [m]; bias: [n] or [1]", "x + bias in each row",
              "x: the gradient itself; bias: its sum over the rows"},
    .infer = add_bias_infer,
    .launch = add_bias_launch,
    .gradient = add_bias_gradient,
    .in_place = true};

sparcl_node sparcl_graph_add_bias(sparcl_graph *graph, sparcl_node x, sparcl_node bias) {
    const sparcl_node in[] = {x, bias};
    return spc_graph_add(graph, &spc_op_add_bias, in, 2, NULL);
}

/* --- activate: an activation of each element -------------------------------------------------- */

static sparcl_status activate_infer(sparcl_graph *graph, spc_node *node) {
    if (node->settings.activation < SPARCL_ACTIVATION_RELU ||
        node->settings.activation > SPARCL_ACTIVATION_TANH)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the activation is %d, which is unknown",
                             (int)node->settings.activation);
    return spc_like_first(graph, node);
}

static sparcl_status activate_launch(sparcl_graph *graph, spc_node *node) {
    if (node->use_count > 1) /* see graph/fuse.c */
        return spc_activate_biased(graph->ctx, node->settings.activation, &node->dense,
                                   &spc_operand(graph, node, 0)->dense,
                                   &spc_operand(graph, node, 1)->dense);
    return sparcl_activate(graph->ctx, node->settings.activation, &node->dense,
                           &spc_operand(graph, node, 0)->dense);
}

static void activate_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                              sparcl_node *gradients) {
    const spc_settings settings = spc_node_at(graph, node)->settings;
    const sparcl_node in[] = {of, node};
    gradients[0] = spc_graph_add(graph, &spc_op_activate_gradient, in, 2, &settings);
}

const spc_operation spc_op_activate = {
    .about = {"activate", "x", "relu, sigmoid or tanh of each element", "x: from the result"},
    .infer = activate_infer,
    .launch = activate_launch,
    .gradient = activate_gradient,
    .in_place = true};

sparcl_node sparcl_graph_activate(sparcl_graph *graph, sparcl_activation kind, sparcl_node x) {
    const spc_settings settings = {.activation = kind};
    return spc_graph_add(graph, &spc_op_activate, &x, 1, &settings);
}

static sparcl_status activate_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_activate_gradient(graph->ctx, node->settings.activation, &node->dense,
                                    &spc_operand(graph, node, 1)->dense,
                                    &spc_operand(graph, node, 0)->dense);
}

const spc_operation spc_op_activate_gradient = {.about = {"activate_gradient",
                                                          "the gradient of the result; the result",
                                                          "the gradient of x", NULL},
                                                .infer = spc_like_first,
                                                .launch = activate_gradient_launch,
                                                .in_place = true};

/* --- cast: another element type --------------------------------------------------------------- */

static sparcl_status cast_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_type(graph, "graph: cast", node->settings.dtype));
    SPC_TRY(spc_like_first(graph, node));
    node->dtype = node->settings.dtype;
    return SPARCL_OK;
}

static sparcl_status cast_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_copy(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense);
}

static void cast_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const spc_settings settings = {.dtype =
                                       spc_node_at(graph, spc_node_at(graph, node)->in[0])->dtype};
    gradients[0] = spc_graph_add(graph, &spc_op_cast, &of, 1, &settings);
}

const spc_operation spc_op_cast = {
    .about = {"cast", "x: dense; or the values of a CSR matrix or COO array, or row-sparse",
              "x in another floating-point type", "x: the gradient in the type of x"},
    .infer = cast_infer,
    .launch = cast_launch,
    .gradient = cast_gradient};

/* The indices of a sparse array stay. */
sparcl_node sparcl_graph_cast(sparcl_graph *graph, sparcl_node x, sparcl_dtype dtype) {
    const spc_settings settings = {.dtype = dtype};
    const bool exists = graph && x >= 0 && x < graph->count;
    const spc_node *const node = exists ? spc_node_at(graph, x) : NULL;
    if (exists && node->kind != SPC_VALUE_LIST && node->dtype == dtype) return x;
    if (exists && (node->kind == SPC_VALUE_CSR || node->kind == SPC_VALUE_ROWS ||
                   node->kind == SPC_VALUE_COO))
        return sparcl_graph_with_values(
            graph, x, sparcl_graph_cast(graph, sparcl_graph_values(graph, x), dtype));
    return spc_graph_add(graph, &spc_op_cast, &x, 1, &settings);
}
