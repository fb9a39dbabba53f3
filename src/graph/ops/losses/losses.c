/* losses.c: losses, sums and the gradients of sums in the table of operations. */
#include <string.h>

#include "graph/engine/operations.h"
#include "ops/products/product_loss.h"
#include "ops/reductions/sum.h"
#include "sparcl/ops.h"

/* --- loss: of each row ------------------------------------------------------------------------ */

static sparcl_status check_scores(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 2));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 1));
    const spc_node *const x = spc_operand(graph, node, 0), *const y = spc_operand(graph, node, 1);
    return spc_need_equal(graph, node, (spc_size){x, x->shape[0], "rows"},
                          (spc_size){y, y->shape[0], "rows"});
}

static sparcl_status loss_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(check_scores(graph, node));
    const spc_node *const x = spc_operand(graph, node, 0);
    if (x->dtype != SPARCL_F32 && x->dtype != SPARCL_F64)
        return spc_node_fail(graph, node, SPARCL_E_DTYPE,
                             "%s is %s, expected float32 or float64: cast it (sparcl_graph_cast)",
                             x->name, spc_dtype_name(x->dtype));
    const bool one = node->settings.loss != SPARCL_LOSS_SOFTMAX;
    if (one && x->rank == 2 && x->shape[1] != 1)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                             "%s has %lld columns, expected 1 for this loss", x->name,
                             (long long)x->shape[1]);
    spc_set_dense(node, 1, x->shape[0], 1);
    return SPARCL_OK;
}

/* Scores are a matrix for sparcl_loss_gradient. */
static sparcl_dense as_matrix(const sparcl_dense *x) {
    sparcl_dense m = *x;
    if (m.rank == 1) m.rank = 2, m.shape[1] = 1;
    return m;
}

/* The bias comes after the operands that a node has without fusion. */
static const sparcl_dense *bias_of(const sparcl_graph *graph, const spc_node *node) {
    return node->use_count > node->in_count ? &spc_operand(graph, node, node->in_count)->dense
                                            : NULL;
}

/* Losses, residual or both. */
static sparcl_status launch_loss(sparcl_graph *graph, const spc_node *node, const spc_node *losses,
                                 const spc_node *gradient) {
    const sparcl_dense scores = as_matrix(&spc_operand(graph, node, 0)->dense);
    sparcl_dense residual = {.rank = 0};
    if (gradient) residual = as_matrix(&gradient->dense);
    return sparcl_loss_gradient(graph->ctx, node->settings.loss, &scores, bias_of(graph, node),
                                &spc_operand(graph, node, 1)->dense,
                                gradient ? spc_operand(graph, gradient, 2)->constant : 1,
                                gradient ? &residual : NULL, losses ? &losses->dense : NULL);
}

/* The scores, the losses and their gradient. */
static sparcl_status launch_product(sparcl_graph *graph, spc_node *node) {
    spc_node *const product = spc_node_at(graph, node->product);
    const spc_node *const gradient = spc_node_at(graph, node->fused);
    const spc_product_loss_job job = {.a = &spc_operand(graph, product, 0)->csr,
                                      .b = &spc_operand(graph, product, 1)->dense,
                                      .loss = node->settings.loss,
                                      .bias = bias_of(graph, node),
                                      .labels = &spc_operand(graph, node, 1)->dense,
                                      .scale = spc_operand(graph, gradient, 2)->constant,
                                      .residual = &gradient->dense,
                                      .losses = &node->dense};
    if (spc_product_loss_fits(graph->ctx, &job)) return spc_product_loss(graph->ctx, &job);
    SPC_TRY(spc_node_status(graph, product, product->op->launch(graph, product)));
    return launch_loss(graph, node, node, gradient);
}

static sparcl_status loss_launch(sparcl_graph *graph, spc_node *node) {
    if (node->product != SPARCL_NO_NODE) return launch_product(graph, node);
    return launch_loss(graph, node, node,
                       node->fused == SPARCL_NO_NODE ? NULL : spc_node_at(graph, node->fused));
}

/* A constant is a factor in the launch of the loss; losses that have gradients of their own, such
 * as weights, need a launch more. */
static void loss_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = n->settings, like = {.like = node};
    const bool is_constant = spc_node_at(graph, of)->kind == SPC_VALUE_CONSTANT;
    const sparcl_node factor =
        is_constant ? of : spc_graph_add(graph, &spc_op_constant, NULL, 0, &like);
    const sparcl_node in[] = {n->in[0], n->in[1], factor};
    gradients[0] = spc_graph_add(graph, &spc_op_loss_gradient, in, 3, &settings);
    if (is_constant || gradients[0] == SPARCL_NO_NODE) return;
    const sparcl_node both[] = {gradients[0], of};
    gradients[0] = spc_graph_add(graph, &spc_op_scale_rows, both, 2, NULL);
}

const spc_operation spc_op_loss = {
    .about = {"loss", "scores: [m, k] or [m]; labels: [m]",
              "the loss of each row: logistic, softmax, squared, Poisson or hinge: [m]", "scores"},
    .infer = loss_infer,
    .launch = loss_launch,
    .gradient = loss_gradient};

sparcl_node sparcl_graph_loss(sparcl_graph *graph, sparcl_loss loss, sparcl_node scores,
                              sparcl_node labels) {
    const sparcl_node in[] = {scores, labels};
    const spc_settings settings = {.loss = loss};
    return spc_graph_add(graph, &spc_op_loss, in, 2, &settings);
}

/* --- loss_gradient: by the scores, times a constant ------------------------------------------- */

static sparcl_status loss_gradient_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(check_scores(graph, node));
    const spc_node *const x = spc_operand(graph, node, 0);
    spc_set_dense(node, x->rank, x->shape[0], x->shape[1]);
    return SPARCL_OK;
}

static sparcl_status loss_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return launch_loss(graph, node, NULL, node);
}

const spc_operation spc_op_loss_gradient = {.about = {"loss_gradient", "scores; labels; a constant",
                                                      "the constant times the gradient of the loss",
                                                      NULL},
                                            .infer = loss_gradient_infer,
                                            .launch = loss_gradient_launch,
                                            .in_place = true};

/* --- scale_rows: the gradient of losses that have gradients of their own ---------------------- */

static sparcl_status scale_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 1));
    return spc_like_first(graph, node);
}

static sparcl_status scale_rows_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense factors = as_matrix(&spc_operand(graph, node, 1)->dense);
    const sparcl_dense x = as_matrix(&spc_operand(graph, node, 0)->dense);
    const sparcl_dense result = as_matrix(&node->dense);
    return sparcl_binary(graph->ctx, SPARCL_BINARY_MULTIPLY, &result, &x, &factors);
}

const spc_operation spc_op_scale_rows = {.about = {"scale_rows", "x: [m, k] or [m]; v: [m]",
                                                   "each row of x times its element of v", NULL},
                                         .infer = scale_rows_infer,
                                         .launch = scale_rows_launch,
                                         .in_place = true};

/* --- sum and mean of rows --------------------------------------------------------------------- */

static sparcl_status sum_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, node->op == &spc_op_mean ? 1 : 2));
    const spc_node *const x = spc_operand(graph, node, 0);
    spc_set_dense(node, 1, x->rank == 2 ? x->shape[1] : 1, 1);
    return SPARCL_OK;
}

static double inverse_rows(const sparcl_graph *graph, const spc_node *x) {
    return 1.0 / (double)spc_dim_size(graph, x->shape[0]);
}

static spc_sum_job sum_job(const sparcl_graph *graph, const spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    return (spc_sum_job){.r = &node->dense,
                         .x = &x->dense,
                         .alpha = node->op == &spc_op_mean ? inverse_rows(graph, x) : 1};
}

static sparcl_status sum_launch(sparcl_graph *graph, spc_node *node) {
    spc_sum_job jobs[2] = {sum_job(graph, node)};
    const sparcl_node other = node->fused != SPARCL_NO_NODE ? node->fused : node->beside;
    if (other == SPARCL_NO_NODE)
        return sparcl_sum_rows(graph->ctx, jobs->r, jobs->alpha, jobs->x, 0);
    jobs[1] = sum_job(graph, spc_node_at(graph, other));
    return spc_sum_two(graph->ctx, jobs);
}

/* The gradient of a constant is a constant, which has no memory. */
static void sum_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                         sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = {.is_mean = n->op == &spc_op_mean, .like = n->in[0]};
    const bool is_constant = spc_node_at(graph, of)->kind == SPC_VALUE_CONSTANT;
    gradients[0] =
        spc_graph_add(graph, is_constant ? &spc_op_constant : &spc_op_expand, &of, 1, &settings);
}

const spc_operation spc_op_sum = {.about = {"sum", "x: [m, k] or [m]",
                                            "the sum of its rows: [k] or [1]",
                                            "x: the gradient in each row"},
                                  .infer = sum_infer,
                                  .launch = sum_launch,
                                  .gradient = sum_gradient};

sparcl_node sparcl_graph_sum(sparcl_graph *graph, sparcl_node x) {
    return spc_graph_add(graph, &spc_op_sum, &x, 1, NULL);
}

const spc_operation spc_op_mean = {.about = {"mean", "x: [m]", "the mean of its elements: [1]",
                                             "x: the gradient divided by m in each element"},
                                   .infer = sum_infer,
                                   .launch = sum_launch,
                                   .gradient = sum_gradient};

sparcl_node sparcl_graph_mean(sparcl_graph *graph, sparcl_node x) {
    return spc_graph_add(graph, &spc_op_mean, &x, 1, NULL);
}

/* --- constant: the gradient of a sum, and of the loss by itself ------------------------------- */

static sparcl_status constant_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const like = spc_node_at(graph, node->settings.like);
    for (int i = 0; i < node->in_count; ++i)
        SPC_TRY(spc_need_kind(graph, node, i, SPC_VALUE_CONSTANT, 1, 1));
    node->kind = SPC_VALUE_CONSTANT;
    node->rank = 1;
    node->shape[0] = like->shape[like->kind == SPC_VALUE_CSR ? 2 : 0];
    node->dtype = like->dtype;
    return SPARCL_OK;
}

static sparcl_status constant_launch(sparcl_graph *graph, spc_node *node) {
    node->constant = node->in_count ? 0 : 1;
    for (int i = 0; i < node->in_count; ++i)
        node->constant += spc_operand(graph, node, i)->constant;
    if (node->settings.is_mean) node->constant *= inverse_rows(graph, node);
    return SPARCL_OK;
}

const spc_operation spc_op_constant = {
    .about = {"constant", "nothing, or constants", "1 or their sum, divided by m for a mean", NULL},
    .infer = constant_infer,
    .launch = constant_launch};

/* --- expand: the gradient of a sum, in each row ----------------------------------------------- */

static sparcl_status expand_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const like = spc_node_at(graph, node->settings.like);
    if (spc_operand(graph, node, 0)->kind != SPC_VALUE_CONSTANT)
        SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 1));
    if (like->kind == SPC_VALUE_CSR) { /* its gradient is that of its values */
        spc_set_dense(node, 1, like->shape[2], 0);
        return SPARCL_OK;
    }
    node->kind = SPC_VALUE_DENSE;
    node->rank = like->rank;
    memcpy(node->shape, like->shape, sizeof node->shape);
    return SPARCL_OK;
}

/* As a product of two arrays of this type would be. */
static double times(sparcl_dtype dtype, double a, double b) {
    return dtype == SPARCL_F32 ? (double)((float)a * (float)b) : a * b;
}

/* Are the numbers there from an earlier run? */
static bool has_kept(const spc_node *node, double value) {
    return node->kept_value == value && node->kept_count >= node->dense.shape[0];
}

/* A column of ones times a row, which is exact. */
static sparcl_status expand_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    const bool is_constant = x->kind == SPC_VALUE_CONSTANT;
    const sparcl_dense result = as_matrix(&node->dense);
    const sparcl_dense ones = {
        .rank = 2, .dtype = node->dtype, .shape = {result.shape[0], 1}, .values = node->constants};
    sparcl_dense row = is_constant ? ones : x->dense;
    row.rank = 2;
    row.shape[0] = 1;
    row.shape[1] = result.shape[1];
    row.ld = 0;
    double factor = is_constant ? x->constant : 1;
    if (node->factors[0] != 1) factor = times(node->dtype, factor, node->factors[0]);
    if (!is_constant && node->settings.is_mean) factor = inverse_rows(graph, node);
    const bool is_kept = node->kept && node->dense.values == node->kept;
    if (is_kept && has_kept(node, factor)) return SPARCL_OK;
    node->kept_count = 0;
    SPC_TRY(sparcl_gemm(graph->ctx, &result, factor, SPARCL_OP_N, &ones, SPARCL_OP_N, &row, 0,
                        SPARCL_MATH_EXACT));
    if (!is_kept) return SPARCL_OK;
    node->kept_value = factor;
    node->kept_count = node->dense.shape[0];
    return SPARCL_OK;
}

const spc_operation spc_op_expand = {
    .about = {"expand", "a constant, or x: [k]", "[m, k] or [m]: that, in each row", NULL},
    .infer = expand_infer,
    .launch = expand_launch,
    .constants = SPC_ONES};
