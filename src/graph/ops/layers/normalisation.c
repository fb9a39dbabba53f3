/* normalisation.c: layer and batch normalisation, of rows and of columns, in the table of
 * operations. */
#include <string.h>

#include "graph/engine/operations.h"
#include "sparcl/ops/layers.h"

/* spc_operation.other_types: operands 3 and 4, and operand 3 of a gradient. */
enum { RUNNING = 1 << 3 | 1 << 4, STATISTICS = 1 << 3 };

static bool is_batch(const spc_node *node) {
    return node->settings.axis == 0;
}

/* Batch normalisation with a running mean and variance, operands 3 and 4. */
static bool has_running(const spc_node *node) {
    return node->in_count > 3;
}

/* Statistics are float32 where values are stored in 16 bits. */
static sparcl_dtype statistics_type(const spc_node *x) {
    return x->dtype == SPARCL_F64 ? SPARCL_F64 : SPARCL_F32;
}

/* Steps write running statistics in place, so they are not results of operations. */
static sparcl_status check_running(const sparcl_graph *graph, const spc_node *node) {
    const double momentum = node->settings.momentum;
    if (!(momentum >= 0 && momentum <= 1))
        return spc_node_fail(graph, node, SPARCL_E_ARG, "momentum is %g, expected 0 to 1",
                             momentum);
    const sparcl_dtype type = statistics_type(spc_operand(graph, node, 0));
    for (int i = 3; i < 5; ++i) {
        const spc_node *const v = spc_operand(graph, node, i);
        if (v->op)
            return spc_node_fail(graph, node, SPARCL_E_ARG,
                                 "%s is the result of an operation, expected a parameter or an "
                                 "input as running statistic",
                                 v->name);
        if (v->dtype != type)
            return spc_node_fail(graph, node, SPARCL_E_DTYPE,
                                 "%s is %s, expected %s as running statistic", v->name,
                                 spc_dtype_name(v->dtype), spc_dtype_name(type));
    }
    if (node->in[3] != node->in[4]) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_ARG, "%s is the running mean and the variance",
                         spc_operand(graph, node, 3)->name);
}

static sparcl_status norm_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 2, 2));
    const spc_node *const x = spc_operand(graph, node, 0);
    for (int i = 1; i < node->in_count; ++i) {
        SPC_TRY(spc_need_kind(graph, node, i, SPC_VALUE_DENSE, 1, 1));
        const spc_node *const v = spc_operand(graph, node, i);
        SPC_TRY(spc_need_equal(graph, node, (spc_size){x, x->shape[1], "columns"},
                               (spc_size){v, v->shape[0], "elements"}));
    }
    if (!(node->settings.epsilon >= 0))
        return spc_node_fail(graph, node, SPARCL_E_ARG, "epsilon is %g, expected 0 or more",
                             node->settings.epsilon);
    if (has_running(node)) SPC_TRY(check_running(graph, node));
    return spc_like_first(graph, node);
}

/* Mean and rstd, the rows of an array [2, m] or [2, n]. */
static sparcl_dense statistic(const sparcl_dense *both, int i) {
    sparcl_dense one = *both;
    one.rank = 1;
    one.shape[0] = both->shape[1];
    one.ld = 0;
    one.values_at += i * both->shape[1];
    return one;
}

static const sparcl_dense *dense_of(const sparcl_graph *graph, const spc_node *node, int i) {
    return &spc_operand(graph, node, i)->dense;
}

/* y or the statistics that are not wanted are NULL, but of a batch. */
static sparcl_status launch_norm(sparcl_graph *graph, const spc_node *node, const sparcl_dense *y,
                                 const sparcl_dense *mean, const sparcl_dense *rstd) {
    const sparcl_dense *const x = dense_of(graph, node, 0), *const gamma = dense_of(graph, node, 1);
    const sparcl_dense *const beta = dense_of(graph, node, 2);
    const double epsilon = node->settings.epsilon;
    return is_batch(node) ? sparcl_batch_norm(graph->ctx, y, x, gamma, beta, epsilon, mean, rstd, 0,
                                              NULL, NULL)
                          : sparcl_layer_norm(graph->ctx, y, x, gamma, beta, epsilon, mean, rstd);
}

/* Training takes the statistics of the batch, and a step moves the running ones; evaluation takes
 * these. */
static sparcl_status running_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense *const x = dense_of(graph, node, 0), *const gamma = dense_of(graph, node, 1);
    const sparcl_dense *const beta = dense_of(graph, node, 2);
    const sparcl_dense *const mean = dense_of(graph, node, 3);
    const sparcl_dense *const variance = dense_of(graph, node, 4);
    const double epsilon = node->settings.epsilon;
    if (graph->is_inference)
        return sparcl_batch_norm_inference(graph->ctx, &node->dense, x, gamma, beta, epsilon, mean,
                                           variance);
    return sparcl_batch_norm(graph->ctx, &node->dense, x, gamma, beta, epsilon, NULL, NULL,
                             node->settings.momentum, graph->with_steps ? mean : NULL,
                             graph->with_steps ? variance : NULL);
}

static sparcl_status norm_launch(sparcl_graph *graph, spc_node *node) {
    return has_running(node) ? running_launch(graph, node)
                             : launch_norm(graph, node, &node->dense, NULL, NULL);
}

static sparcl_status statistics_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    spc_set_dense(node, 2, 2, x->shape[is_batch(node) ? 1 : 0]);
    node->dtype = statistics_type(x);
    return SPARCL_OK;
}

static sparcl_status statistics_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense mean = statistic(&node->dense, 0), rstd = statistic(&node->dense, 1);
    return launch_norm(graph, node, NULL, &mean, &rstd);
}

/* Only those of a batch have gradients here. */
static sparcl_status statistics_check(const sparcl_graph *graph, const spc_node *node) {
    if (!graph->is_inference || !has_running(node)) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_UNSUPPORTED,
                         "normalisation by running statistics has no gradient: a step needs "
                         "sparcl_graph_set_training(graph, 1)");
}

const spc_operation spc_op_norm_statistics = {
    .about = {"norm_statistics", "x: [m, n]; gamma, beta: [n]",
              "the mean and 1 / deviation of each row or column: [2, m] or [2, n]", NULL},
    .infer = statistics_infer,
    .check = statistics_check,
    .launch = statistics_launch,
    .other_types = RUNNING};

static void norm_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    spc_settings settings = spc_node_at(graph, node)->settings;
    const int count = spc_node_at(graph, node)->in_count;
    sparcl_node all[SPC_NODE_INPUTS];
    memcpy(all, spc_node_at(graph, node)->in, sizeof all);
    const sparcl_node x = all[0], gamma = all[1];
    bool needs[3];
    for (int i = 0; i < 3; ++i)
        needs[i] = spc_needs_gradient(graph, node, i);
    const sparcl_node in[] = {x, gamma, of,
                              spc_graph_add(graph, &spc_op_norm_statistics, all, count, &settings)};
    for (int i = 0; i < 2; ++i) {
        settings.part = i;
        if (needs[i]) gradients[i] = spc_graph_add(graph, &spc_op_norm_gradient, in, 4, &settings);
    }
    if (needs[2]) gradients[2] = spc_graph_add(graph, &spc_op_sum, &of, 1, NULL);
}

const spc_operation spc_op_layer_norm = {
    .about = {"layer_norm", "x: [m, n]; gamma, beta: [n]",
              "each row of x, normalised, times gamma plus beta", "x, gamma and beta"},
    .infer = norm_infer,
    .launch = norm_launch,
    .gradient = norm_gradient};

sparcl_node sparcl_graph_layer_norm(sparcl_graph *graph, sparcl_node x, sparcl_node gamma,
                                    sparcl_node beta, double epsilon) {
    const sparcl_node in[] = {x, gamma, beta};
    const spc_settings settings = {.epsilon = epsilon, .axis = 1};
    return spc_graph_add(graph, &spc_op_layer_norm, in, 3, &settings);
}

const spc_operation spc_op_batch_norm = {
    .about = {"batch_norm", "x: [m, n]; gamma, beta, running mean and variance, or neither: [n]",
              "each column of x, normalised by the batch, in evaluation by the running statistics, "
              "times gamma plus beta",
              "x, gamma and beta"},
    .infer = norm_infer,
    .launch = norm_launch,
    .gradient = norm_gradient,
    .other_types = RUNNING};

sparcl_node sparcl_graph_batch_norm(sparcl_graph *graph, sparcl_node x, sparcl_node gamma,
                                    sparcl_node beta, double epsilon) {
    const sparcl_node in[] = {x, gamma, beta};
    const spc_settings settings = {.epsilon = epsilon, .axis = 0};
    return spc_graph_add(graph, &spc_op_batch_norm, in, 3, &settings);
}

sparcl_node sparcl_graph_batch_norm_running(sparcl_graph *graph, sparcl_node x, sparcl_node gamma,
                                            sparcl_node beta, double epsilon, double momentum,
                                            sparcl_node running_mean,
                                            sparcl_node running_variance) {
    const sparcl_node in[] = {x, gamma, beta, running_mean, running_variance};
    const spc_settings settings = {.epsilon = epsilon, .axis = 0, .momentum = momentum};
    return spc_graph_add(graph, &spc_op_batch_norm, in, 5, &settings);
}

/* By x, or by gamma. */
static sparcl_status norm_gradient_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    if (node->settings.part == 0) return spc_like_first(graph, node);
    spc_set_dense(node, 1, x->shape[1], 0);
    return SPARCL_OK;
}

static sparcl_status norm_gradient_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense *const statistics = dense_of(graph, node, 3);
    const sparcl_dense mean = statistic(statistics, 0), rstd = statistic(statistics, 1);
    const bool by_x = node->settings.part == 0;
    return (is_batch(node) ? sparcl_batch_norm_gradient : sparcl_layer_norm_gradient)(
        graph->ctx, by_x ? &node->dense : NULL, by_x ? NULL : &node->dense, NULL,
        dense_of(graph, node, 2), dense_of(graph, node, 0), dense_of(graph, node, 1), &mean, &rstd);
}

const spc_operation spc_op_norm_gradient = {
    .about = {"norm_gradient", "x: [m, n]; gamma: [n]; the gradient; the statistics",
              "the gradient of x or of gamma", NULL},
    .infer = norm_gradient_infer,
    .launch = norm_gradient_launch,
    .other_types = STATISTICS};
