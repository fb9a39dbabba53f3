/* operations.c: the table of operations: the shape of a result, its launch, its gradient. */
#include "graph/operations.h"

#include <string.h>

/* --- checks ----------------------------------------------------------------------------------- */

static const char *const kinds[] = {"dense", "a CSR matrix", "row-sparse", "a constant"};

static sparcl_status need_kind(const sparcl_graph *graph, const spc_node *node, int i,
                               spc_value kind, int min_rank, int max_rank) {
    const spc_node *const x = spc_operand(graph, node, i);
    if (x->kind != kind)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "%s is %s, expected %s", x->name,
                             kinds[x->kind], kinds[kind]);
    if (x->rank >= min_rank && x->rank <= max_rank) return SPARCL_OK;
    if (min_rank == max_rank)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE, "%s has rank %d, expected %d", x->name,
                             x->rank, min_rank);
    return spc_node_fail(graph, node, SPARCL_E_SHAPE, "%s has rank %d, expected %d to %d", x->name,
                         x->rank, min_rank, max_rank);
}

/* Are two sizes equal in every run? */
static sparcl_status need_equal(const sparcl_graph *graph, const spc_node *node, const spc_node *a,
                                int64_t a_size, const char *a_name, const spc_node *b,
                                int64_t b_size, const char *b_name) {
    char one[SPC_NAME_BYTES], other[SPC_NAME_BYTES];
    if (a_size == b_size) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                         "%s has %s %s, %s has %s %s, expected as many", a->name,
                         spc_dim_text(graph, a_size, one, sizeof one), a_name, b->name,
                         spc_dim_text(graph, b_size, other, sizeof other), b_name);
}

static void set_dense(spc_node *node, int rank, int64_t rows, int64_t cols) {
    node->kind = SPC_VALUE_DENSE;
    node->rank = rank;
    node->shape[0] = rows;
    if (rank > 1) node->shape[1] = cols;
}

static bool needs_gradient(const sparcl_graph *graph, sparcl_node node, int operand) {
    return spc_operand(graph, spc_node_at(graph, node), operand)->has_parameter;
}

/* --- spmm: A * B ------------------------------------------------------------------------------ */

static sparcl_status spmm_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    SPC_TRY(need_equal(graph, node, a, a->shape[1], "columns", b, b->shape[0], "rows"));
    set_dense(node, b->rank, a->shape[0], b->shape[1]);
    return SPARCL_OK;
}

static sparcl_status spmm_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_spmm(graph->ctx, &node->dense, 1, &spc_operand(graph, node, 0)->csr,
                       &spc_operand(graph, node, 1)->dense, 0);
}

static bool has_one_reader(const sparcl_graph *graph, sparcl_node which) {
    int readers = 0;
    for (int i = which + 1; i < graph->forward_count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        for (int k = 0; k < node->in_count; ++k)
            readers += node->in[k] == which;
    }
    return readers == 1;
}

/* The gradient of a parameter is row-sparse where a step changes only the rows that it reads. */
static void spmm_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_parameter *const p = spc_operand(graph, n, 1)->parameter;
    const spc_settings settings = {.row_sparse = p && !spc_parameter_steps_all(p) &&
                                                 has_one_reader(graph, n->in[1])};
    const sparcl_node in[] = {n->in[0], of};
    if (needs_gradient(graph, node, 1))
        gradients[1] = spc_graph_add(graph, &spc_op_spmm_t, in, 2, &settings);
}

const spc_operation spc_op_spmm = {
    .name = "spmm", .infer = spmm_infer, .launch = spmm_launch, .gradient = spmm_gradient};

/* --- spmm_t: transpose(A) * B ----------------------------------------------------------------- */

static sparcl_status spmm_t_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    SPC_TRY(need_equal(graph, node, a, a->shape[0], "rows", b, b->shape[0], "rows"));
    set_dense(node, b->rank, a->shape[1], b->shape[1]);
    if (node->settings.row_sparse) node->kind = SPC_VALUE_ROWS;
    return SPARCL_OK;
}

static sparcl_status spmm_t_launch(sparcl_graph *graph, spc_node *node) {
    spc_node *const a = spc_operand(graph, node, 0);
    const sparcl_dense *const b = &spc_operand(graph, node, 1)->dense;
    return node->kind == SPC_VALUE_ROWS
               ? sparcl_spmm_t_rows(graph->ctx, &node->rows, 1, &a->csr, b, a->pattern)
               : sparcl_spmm_t(graph->ctx, &node->dense, 1, &a->csr, b, 0, a->pattern);
}

const spc_operation spc_op_spmm_t = {
    .name = "spmm_t", .infer = spmm_t_infer, .launch = spmm_t_launch, .needs_pattern = true};

/* --- gemm: op(A) * op(B) ---------------------------------------------------------------------- */

static sparcl_status gemm_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_kind(graph, node, 0, SPC_VALUE_DENSE, 2, 2));
    SPC_TRY(need_kind(graph, node, 1, SPC_VALUE_DENSE, 2, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    const bool t_a = node->settings.op_a == SPARCL_OP_T, t_b = node->settings.op_b == SPARCL_OP_T;
    SPC_TRY(need_equal(graph, node, a, a->shape[!t_a], t_a ? "rows" : "columns", b, b->shape[t_b],
                       t_b ? "columns" : "rows"));
    set_dense(node, 2, a->shape[t_a], b->shape[!t_b]);
    return SPARCL_OK;
}

static sparcl_status gemm_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_gemm(graph->ctx, &node->dense, 1, node->settings.op_a,
                       &spc_operand(graph, node, 0)->dense, node->settings.op_b,
                       &spc_operand(graph, node, 1)->dense, 0, SPARCL_MATH_EXACT);
}

static sparcl_node add_gemm(sparcl_graph *graph, sparcl_op op_a, sparcl_node a, sparcl_op op_b,
                            sparcl_node b) {
    const sparcl_node in[] = {a, b};
    const spc_settings settings = {.op_a = op_a, .op_b = op_b};
    return spc_graph_add(graph, &spc_op_gemm, in, 2, &settings);
}

static sparcl_op flip(sparcl_op op) {
    return op == SPARCL_OP_N ? SPARCL_OP_T : SPARCL_OP_N;
}

static void gemm_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_op op_a = n->settings.op_a, op_b = n->settings.op_b;
    const sparcl_node a = n->in[0], b = n->in[1];
    const bool of_a = needs_gradient(graph, node, 0), of_b = needs_gradient(graph, node, 1);
    if (of_a)
        gradients[0] = op_a == SPARCL_OP_N ? add_gemm(graph, SPARCL_OP_N, of, flip(op_b), b)
                                           : add_gemm(graph, op_b, b, SPARCL_OP_T, of);
    if (of_b)
        gradients[1] = op_b == SPARCL_OP_N ? add_gemm(graph, flip(op_a), a, SPARCL_OP_N, of)
                                           : add_gemm(graph, SPARCL_OP_T, of, op_a, a);
}

const spc_operation spc_op_gemm = {
    .name = "gemm", .infer = gemm_infer, .launch = gemm_launch, .gradient = gemm_gradient};

/* --- add: of two arrays of one shape -----------------------------------------------------------
 */

static sparcl_status like_first(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    SPC_TRY(need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    node->kind = SPC_VALUE_DENSE;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
    return SPARCL_OK;
}

static sparcl_status add_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0), *const y = spc_operand(graph, node, 1);
    SPC_TRY(like_first(graph, node));
    SPC_TRY(need_kind(graph, node, 1, SPC_VALUE_DENSE, x->rank, x->rank));
    for (int d = 0; d < x->rank; ++d)
        SPC_TRY(need_equal(graph, node, x, x->shape[d], d ? "columns" : "rows", y, y->shape[d],
                           d ? "columns" : "rows"));
    return SPARCL_OK;
}

static sparcl_status add_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_add(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense,
                      &spc_operand(graph, node, 1)->dense);
}

static void add_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                         sparcl_node *gradients) {
    for (int i = 0; i < 2; ++i)
        if (needs_gradient(graph, node, i)) gradients[i] = of;
}

const spc_operation spc_op_add = {.name = "add",
                                  .infer = add_infer,
                                  .launch = add_launch,
                                  .gradient = add_gradient,
                                  .in_place = true};

/* --- add_bias: the same vector added to each row ---------------------------------------------- */

static sparcl_status add_bias_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 2));
    SPC_TRY(need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 1));
    const spc_node *const x = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    const int64_t columns = x->rank == 2 ? x->shape[1] : 1;
    SPC_TRY(need_equal(graph, node, x, columns, "columns", b, b->shape[0], "elements"));
    set_dense(node, x->rank, x->shape[0], x->shape[1]);
    return SPARCL_OK;
}

static sparcl_status add_bias_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_add_bias(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense,
                           &spc_operand(graph, node, 1)->dense);
}

static void add_bias_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                              sparcl_node *gradients) {
    if (needs_gradient(graph, node, 0)) gradients[0] = of;
    if (needs_gradient(graph, node, 1))
        gradients[1] = spc_graph_add(graph, &spc_op_sum, &of, 1, NULL);
}

const spc_operation spc_op_add_bias = {.name = "add_bias",
                                       .infer = add_bias_infer,
                                       .launch = add_bias_launch,
                                       .gradient = add_bias_gradient,
                                       .in_place = true};

/* --- activate: an activation of each element -------------------------------------------------- */

static sparcl_status activate_infer(sparcl_graph *graph, spc_node *node) {
    if (node->settings.activation < SPARCL_ACTIVATION_RELU ||
        node->settings.activation > SPARCL_ACTIVATION_TANH)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the activation is %d, which is unknown",
                             (int)node->settings.activation);
    return like_first(graph, node);
}

static sparcl_status activate_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_activate(graph->ctx, node->settings.activation, &node->dense,
                           &spc_operand(graph, node, 0)->dense);
}

static void activate_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                              sparcl_node *gradients) {
    const spc_settings settings = spc_node_at(graph, node)->settings;
    const sparcl_node in[] = {of, node};
    gradients[0] = spc_graph_add(graph, &spc_op_activate_gradient, in, 2, &settings);
}

const spc_operation spc_op_activate = {.name = "activate",
                                       .infer = activate_infer,
                                       .launch = activate_launch,
                                       .gradient = activate_gradient,
                                       .in_place = true};

/* Of the gradient of the result, and the result. */
static sparcl_status activate_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_activate_gradient(graph->ctx, node->settings.activation, &node->dense,
                                    &spc_operand(graph, node, 1)->dense,
                                    &spc_operand(graph, node, 0)->dense);
}

const spc_operation spc_op_activate_gradient = {.name = "activate_gradient",
                                                .infer = like_first,
                                                .launch = activate_gradient_launch,
                                                .in_place = true};

/* --- loss: of each row ------------------------------------------------------------------------ */

static sparcl_status check_scores(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 2));
    SPC_TRY(need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 1));
    const spc_node *const x = spc_operand(graph, node, 0), *const y = spc_operand(graph, node, 1);
    return need_equal(graph, node, x, x->shape[0], "rows", y, y->shape[0], "rows");
}

static sparcl_status loss_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(check_scores(graph, node));
    const spc_node *const x = spc_operand(graph, node, 0);
    const bool one = node->settings.loss != SPARCL_LOSS_SOFTMAX;
    if (one && x->rank == 2 && x->shape[1] != 1)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                             "%s has %lld columns, expected 1 for this loss", x->name,
                             (long long)x->shape[1]);
    set_dense(node, 1, x->shape[0], 1);
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

static sparcl_status loss_launch(sparcl_graph *graph, spc_node *node) {
    return launch_loss(graph, node, node,
                       node->fused == SPARCL_NO_NODE ? NULL : spc_node_at(graph, node->fused));
}

static void loss_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = n->settings;
    const sparcl_node in[] = {n->in[0], n->in[1], of};
    gradients[0] = spc_graph_add(graph, &spc_op_loss_gradient, in, 3, &settings);
}

const spc_operation spc_op_loss = {
    .name = "loss", .infer = loss_infer, .launch = loss_launch, .gradient = loss_gradient};

/* --- loss_gradient: by the scores, times a constant ------------------------------------------- */

static sparcl_status loss_gradient_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(check_scores(graph, node));
    SPC_TRY(need_kind(graph, node, 2, SPC_VALUE_CONSTANT, 1, 1));
    const spc_node *const x = spc_operand(graph, node, 0);
    set_dense(node, x->rank, x->shape[0], x->shape[1]);
    return SPARCL_OK;
}

static sparcl_status loss_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return launch_loss(graph, node, NULL, node);
}

const spc_operation spc_op_loss_gradient = {.name = "loss_gradient",
                                            .infer = loss_gradient_infer,
                                            .launch = loss_gradient_launch,
                                            .in_place = true};

/* --- sum and mean of rows --------------------------------------------------------------------- */

static sparcl_status sum_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, node->settings.is_mean ? 1 : 2));
    const spc_node *const x = spc_operand(graph, node, 0);
    set_dense(node, 1, x->rank == 2 ? x->shape[1] : 1, 1);
    return SPARCL_OK;
}

static double inverse_rows(const sparcl_graph *graph, const spc_node *x) {
    return 1.0 / (double)spc_dim_size(graph, x->shape[0]);
}

static sparcl_status sum_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    return sparcl_sum_rows(graph->ctx, &node->dense,
                           node->settings.is_mean ? inverse_rows(graph, x) : 1, &x->dense, 0);
}

static void sum_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                         sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = {.is_mean = n->settings.is_mean, .like = n->in[0]};
    gradients[0] = spc_graph_add(graph, &spc_op_constant, &of, 1, &settings);
}

const spc_operation spc_op_sum = {
    .name = "sum", .infer = sum_infer, .launch = sum_launch, .gradient = sum_gradient};

/* --- constant: the gradient of a sum, and of the loss by itself ------------------------------- */

static sparcl_status constant_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const like = spc_node_at(graph, node->settings.like);
    if (node->in_count) SPC_TRY(need_kind(graph, node, 0, SPC_VALUE_CONSTANT, 1, 1));
    if (like->kind != SPC_VALUE_DENSE || like->rank != 1)
        return spc_node_fail(graph, node, SPARCL_E_UNSUPPORTED,
                             "%s is no vector: the gradient of a sum is supported for vectors",
                             like->name);
    node->kind = SPC_VALUE_CONSTANT;
    node->rank = 1;
    node->shape[0] = like->shape[0];
    return SPARCL_OK;
}

static sparcl_status constant_launch(sparcl_graph *graph, spc_node *node) {
    node->constant = node->in_count ? spc_operand(graph, node, 0)->constant : 1;
    if (node->settings.is_mean) node->constant *= inverse_rows(graph, node);
    return SPARCL_OK;
}

const spc_operation spc_op_constant = {
    .name = "constant", .infer = constant_infer, .launch = constant_launch};
