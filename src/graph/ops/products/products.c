/* products.c: products in the table of operations. */
#include "graph/engine/operations.h"

/* --- spmm: A * B ------------------------------------------------------------------------------ */

static sparcl_status spmm_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 1, "columns"));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    spc_set_dense(node, b->rank, a->shape[0], b->shape[1]);
    return SPARCL_OK;
}

static sparcl_status spmm_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_spmm(graph->ctx, &node->dense, 1, &spc_operand(graph, node, 0)->csr,
                       &spc_operand(graph, node, 1)->dense, 0);
}

static void spmm_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                          sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = {.row_sparse = spc_wants_rows(graph, n->in[1])};
    const sparcl_node a = n->in[0], b = n->in[1], in[] = {a, of};
    const bool of_a = spc_needs_gradient(graph, node, 0), of_b = spc_needs_gradient(graph, node, 1);
    if (of_a) gradients[0] = sparcl_graph_sddmm(graph, a, of, b);
    if (of_b) gradients[1] = spc_graph_add(graph, &spc_op_spmm_t, in, 2, &settings);
}

const spc_operation spc_op_spmm = {.about = {"spmm", "A: CSR [m, k]; B: [k, n] or [k]",
                                             "A B: [m, n] or [m]",
                                             "A's values: sddmm of the gradient and B; B: "
                                             "transpose(A) times the gradient, row-sparse where "
                                             "only rows of a parameter B are read"},
                                   .infer = spmm_infer,
                                   .launch = spmm_launch,
                                   .gradient = spmm_gradient,
                                   .rows_of = 2,
                                   .reads_columns = true};

sparcl_node sparcl_graph_spmm(sparcl_graph *graph, sparcl_node a, sparcl_node b) {
    const sparcl_node in[] = {a, b};
    return spc_graph_add(graph, &spc_op_spmm, in, 2, NULL);
}

/* --- spmm_t: transpose(A) * B ----------------------------------------------------------------- */

static sparcl_status spmm_t_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 0, "rows"));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    spc_set_dense(node, b->rank, a->shape[1], b->shape[1]);
    if (!node->settings.row_sparse) return SPARCL_OK;
    node->kind = SPC_VALUE_ROWS; /* the columns of the pattern of A */
    node->stored = a->shape[2];
    node->is_unique = true;
    return SPARCL_OK;
}

static sparcl_status spmm_t_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const a = spc_operand(graph, node, 0);
    const sparcl_dense *const b = &spc_operand(graph, node, 1)->dense;
    sparcl_pattern *pattern = NULL;
    SPC_TRY(spc_graph_pattern(graph, a, &pattern));
    return node->kind == SPC_VALUE_ROWS
               ? sparcl_spmm_t_rows(graph->ctx, &node->rows, 1, &a->csr, b, pattern)
               : sparcl_spmm_t(graph->ctx, &node->dense, 1, &a->csr, b, 0, pattern);
}

static void spmm_t_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node a = n->in[0], b = n->in[1];
    const bool of_a = spc_needs_gradient(graph, node, 0), of_b = spc_needs_gradient(graph, node, 1);
    if (of_a) gradients[0] = sparcl_graph_sddmm(graph, a, b, of);
    if (of_b) gradients[1] = sparcl_graph_spmm(graph, a, of);
}

const spc_operation spc_op_spmm_t = {
    .about = {"spmm_t", "A: CSR [k, m]; B: [k, n] or [k]", "transpose(A) B: [m, n] or [m]",
              "A's values: sddmm of B and the gradient; B: A times the gradient"},
    .infer = spmm_t_infer,
    .launch = spmm_t_launch,
    .gradient = spmm_t_gradient,
    .needs_pattern = true};

sparcl_node sparcl_graph_spmm_t(sparcl_graph *graph, sparcl_node a, sparcl_node b) {
    const sparcl_node in[] = {a, b};
    return spc_graph_add(graph, &spc_op_spmm_t, in, 2, NULL);
}

/* --- sddmm: dot products at the entries of A -------------------------------------------------- */

static sparcl_status sddmm_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 0, "rows"));
    const spc_node *const a = spc_operand(graph, node, 0), *const x = spc_operand(graph, node, 1);
    const spc_node *const y = spc_operand(graph, node, 2);
    SPC_TRY(spc_need_kind(graph, node, 2, SPC_VALUE_DENSE, x->rank, x->rank));
    SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[1], "columns"},
                           (spc_size){y, y->shape[0], "rows"}));
    if (x->rank == 2)
        SPC_TRY(spc_need_equal(graph, node, (spc_size){x, x->shape[1], "columns"},
                               (spc_size){y, y->shape[1], "columns"}));
    spc_set_dense(node, 1, a->shape[2], 0);
    return SPARCL_OK;
}

static sparcl_status sddmm_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_sddmm(graph->ctx, &node->dense, 1, &spc_operand(graph, node, 0)->csr,
                        &spc_operand(graph, node, 1)->dense, &spc_operand(graph, node, 2)->dense,
                        0);
}

/* Products of the matrix that has the gradient as its values. */
static void sddmm_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                           sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const spc_settings settings = {.row_sparse = spc_wants_rows(graph, n->in[2])};
    const sparcl_node a = n->in[0], x = n->in[1], y = n->in[2];
    const bool of_x = spc_needs_gradient(graph, node, 1), of_y = spc_needs_gradient(graph, node, 2);
    const sparcl_node own = sparcl_graph_with_values(graph, a, of), in[] = {own, x};
    if (of_x) gradients[1] = sparcl_graph_spmm(graph, own, y);
    if (of_y) gradients[2] = spc_graph_add(graph, &spc_op_spmm_t, in, 2, &settings);
}

const spc_operation spc_op_sddmm = {
    .about = {"sddmm", "A: CSR [m, k] with n entries; x: [m, d] or [m]; y: [k, d] or [k]",
              "the dot product of x[i] and y[j] for each entry (i, j) of A: [n]",
              "x and y: products of A with the gradient as its values"},
    .infer = sddmm_infer,
    .launch = sddmm_launch,
    .gradient = sddmm_gradient,
    .rows_of = 3};

sparcl_node sparcl_graph_sddmm(sparcl_graph *graph, sparcl_node a, sparcl_node x, sparcl_node y) {
    const sparcl_node in[] = {a, x, y};
    return spc_graph_add(graph, &spc_op_sddmm, in, 3, NULL);
}

/* --- gemm: op(A) * op(B) ---------------------------------------------------------------------- */

static sparcl_status gemm_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 2, 2));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 2, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    const bool t_a = node->settings.op_a == SPARCL_OP_T, t_b = node->settings.op_b == SPARCL_OP_T;
    SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[!t_a], t_a ? "rows" : "columns"},
                           (spc_size){b, b->shape[t_b], t_b ? "columns" : "rows"}));
    spc_set_dense(node, 2, a->shape[t_a], b->shape[!t_b]);
    return SPARCL_OK;
}

static sparcl_status gemm_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_gemm(graph->ctx, &node->dense, 1, node->settings.op_a,
                       &spc_operand(graph, node, 0)->dense, node->settings.op_b,
                       &spc_operand(graph, node, 1)->dense, 0, SPARCL_MATH_EXACT);
}

sparcl_node sparcl_graph_gemm(sparcl_graph *graph, sparcl_op op_a, sparcl_node a, sparcl_op op_b,
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
    const bool of_a = spc_needs_gradient(graph, node, 0), of_b = spc_needs_gradient(graph, node, 1);
    if (of_a)
        gradients[0] = op_a == SPARCL_OP_N
                           ? sparcl_graph_gemm(graph, SPARCL_OP_N, of, flip(op_b), b)
                           : sparcl_graph_gemm(graph, op_b, b, SPARCL_OP_T, of);
    if (of_b)
        gradients[1] = op_b == SPARCL_OP_N
                           ? sparcl_graph_gemm(graph, flip(op_a), a, SPARCL_OP_N, of)
                           : sparcl_graph_gemm(graph, SPARCL_OP_T, of, op_a, a);
}

const spc_operation spc_op_gemm = {.about = {"gemm", "A, B: matrices, each as it is or transposed",
                                             "op(A) op(B)", "A and B: two products"},
                                   .infer = gemm_infer,
                                   .launch = gemm_launch,
                                   .gradient = gemm_gradient};

/* --- transpose: of a dense matrix ------------------------------------------------------------- */

static sparcl_status transpose_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 2, 2));
    const spc_node *const x = spc_operand(graph, node, 0);
    spc_set_dense(node, 2, x->shape[1], x->shape[0]);
    return SPARCL_OK;
}

/* A matrix in the other order is the transpose. */
static sparcl_status transpose_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_dense from = spc_operand(graph, node, 0)->dense;
    from.order = SPARCL_COLUMN_MAJOR;
    from.ld = from.ld ? from.ld : from.shape[1];
    from.shape[0] = node->dense.shape[0];
    from.shape[1] = node->dense.shape[1];
    return sparcl_copy(graph->ctx, &node->dense, &from);
}

static void transpose_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                               sparcl_node *gradients) {
    (void)node;
    gradients[0] = spc_graph_add(graph, &spc_op_transpose, &of, 1, NULL);
}

const spc_operation spc_op_transpose = {
    .about = {"transpose", "x: [m, n]", "[n, m]", "x: the transpose of the gradient"},
    .infer = transpose_infer,
    .launch = transpose_launch,
    .gradient = transpose_gradient};
