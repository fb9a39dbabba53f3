/* scratch_products.c: the operations of matmul.h, sparse_products.h, elementwise.h and
 * reductions.h, for test_scratch_bound. */
#include "scratch_stated.h"

/* --- matmul.h -------------------------------------------------------------------------------- */

static sparcl_status multiply(call *c, sparcl_op op, sparcl_matrix a, sparcl_matrix b) {
    sparcl_matrix to = sparcl_matrix_dense(TO_DENSE(op == SPARCL_OP_T ? COLS : ROWS));
    return sparcl_matmul(c->ctx, &to, 1, op, &a, SPARCL_OP_N, &b, 0, NULL);
}

static sparcl_status matmul_csc(call *c) {
    c->stated = spmm_t_bytes(c);
    return multiply(c, SPARCL_OP_N, sparcl_matrix_csc(IN_CSC), sparcl_matrix_dense(IN_DENSE(COLS)));
}

static sparcl_status matmul_coo(call *c) {
    c->stated = csr_bytes(c) + sort_bytes(c, 2) + spmm_bytes(c);
    return multiply(c, SPARCL_OP_N, sparcl_matrix_coo(IN_COO), sparcl_matrix_dense(IN_DENSE(COLS)));
}

/* Row-sparse: the rows of the call are the columns of A. */
static sparcl_status matmul_rows(call *c) {
    c->stated = csr_bytes(c) + 8 * ROWS + spmm_bytes(c) + spmm_t_bytes(c);
    sparcl_csr a = scratch_csr(c, scratch_operand, COLS, ROWS);
    sparcl_rows b = IN_ROWS;
    SORTED(b);
    sparcl_matrix to = sparcl_matrix_dense(TO_DENSE(COLS));
    sparcl_matrix left = sparcl_matrix_csr(a);
    sparcl_matrix right = sparcl_matrix_rows(b);
    return sparcl_matmul(c->ctx, &to, 1, SPARCL_OP_N, &left, SPARCL_OP_N, &right, 0, NULL);
}

/* --- sparse_products.h ----------------------------------------------------------------------- */

static sparcl_status sddmm(call *c) {
    c->stated = 0;
    sparcl_csr a = IN_CSR;
    const sparcl_dense x = IN_DENSE(ROWS);
    const sparcl_dense y = IN_DENSE(COLS);
    const sparcl_dense v = TO_VECTOR(N);
    return sparcl_sddmm(c->ctx, &v, 1, &a, &x, &y, 0);
}

static sparcl_status spmm_max(call *c) {
    c->stated = 0;
    sparcl_csr a = IN_CSR;
    const sparcl_dense b = IN_DENSE(COLS);
    const sparcl_dense to = TO_DENSE(ROWS);
    return sparcl_spmm_reduce(c->ctx, SPARCL_REDUCE_MAX, &to, &a, &b, NULL);
}

static sparcl_status spmm_mean(call *c) {
    c->stated = spmm_bytes(c);
    sparcl_csr a = IN_CSR;
    const sparcl_dense b = IN_DENSE(COLS);
    const sparcl_dense to = TO_DENSE(ROWS);
    return sparcl_spmm_reduce(c->ctx, SPARCL_REDUCE_MEAN, &to, &a, &b, NULL);
}

static sparcl_status reduce_gradient(call *c, sparcl_reduction kind) {
    const sparcl_csr a = IN_CSR;
    const sparcl_dense g = IN_DENSE(ROWS), b = IN_DENSE(COLS);
    const sparcl_dense gb = TO_DENSE(COLS), gv = TO_VECTOR(N);
    return sparcl_spmm_reduce_gradient(c->ctx, kind, &gb, &gv, &g, &a, &b, NULL, NULL);
}

static sparcl_status spmm_sum_gradient(call *c) {
    c->stated = spmm_t_bytes(c);
    return reduce_gradient(c, SPARCL_REDUCE_SUM);
}

static sparcl_status spmm_mean_gradient(call *c) {
    c->stated = spmm_t_bytes(c) + ROWS * WIDTH * ELEMENT;
    return reduce_gradient(c, SPARCL_REDUCE_MEAN);
}

static sparcl_status spmm_max_gradient(call *c) {
    c->stated = spmm_t_bytes(c) + ROWS * WIDTH * (ELEMENT + 8);
    return reduce_gradient(c, SPARCL_REDUCE_MAX);
}

/* A sum, or a product element by element, with its sources. */
static sparcl_status combine(call *c, bool multiplies) {
    sparcl_csr a = IN_CSR;
    sparcl_csr b = IN_CSR;
    SORTED(a);
    SORTED(b);
    sparcl_csr to = TO_CSR;
    const sparcl_csr_sources from = {.a = scratch_array(c, N, 8), .b = scratch_array(c, N, 8)};
    if (multiplies) return sparcl_csr_multiply(c->ctx, &to, &a, &b, NULL, 0, &from);
    return sparcl_csr_add(c->ctx, &to, 1, &a, 1, &b, NULL, 0, &from);
}

static sparcl_status csr_add(call *c) {
    c->stated = 4 * largest(N, ROWS);
    return combine(c, false);
}

static sparcl_status csr_multiply(call *c) {
    c->stated = 4 * largest(N, ROWS);
    return combine(c, true);
}

static sparcl_status csr_multiply_dense(call *c) {
    const int64_t most = 1 << 28; /* elements of x */
    c->stated = 0;
    c->too_large |= ROWS > most / COLS;
    if (c->too_large) return SPARCL_OK;
    sparcl_csr a = IN_CSR;
    const sparcl_dense x = {.rank = 2,
                            .dtype = c->dtype,
                            .shape = {ROWS, COLS},
                            .values = scratch_operand(c, ROWS * COLS, (size_t)ELEMENT)};
    const sparcl_dense v = TO_VECTOR(N);
    return sparcl_csr_multiply_dense(c->ctx, &v, &a, &x);
}

/* Workers: one, or up to four per compute unit in 256 MiB. */
static int64_t workers_bytes(const call *c, int64_t each) {
    const int64_t workers = 4 * (int64_t)sparcl_ctx_device(c->ctx)->units;
    return largest(each, smallest(workers * each, 256 * MIB));
}

/* A bit for each column, and a little more. */
static int64_t bitmap_bytes(const call *c) {
    return COLS / 8 + COLS / 256 + 4096;
}

static sparcl_status multiply_sparse(call *c, bool is_numeric) {
    sparcl_csr a = IN_CSR;
    sparcl_csr b = scratch_csr(c, scratch_operand, COLS, COLS);
    SORTED(b);
    sparcl_csr to = TO_CSR;
    sparcl_spgemm *plan = NULL;
    if (c->too_large) return SPARCL_OK;
    assert_ok(c->ctx, sparcl_spgemm_create(c->ctx, &plan));
    sparcl_status status = sparcl_spgemm_symbolic(c->ctx, plan, &a, &b);
    if (status == SPARCL_OK && is_numeric)
        status = sparcl_spgemm_numeric(c->ctx, plan, &to, &a, &b, NULL, 0);
    sparcl_spgemm_free(plan);
    return status;
}

static sparcl_status spgemm_symbolic(call *c) {
    c->stated = workers_bytes(c, bitmap_bytes(c));
    return multiply_sparse(c, false);
}

static sparcl_status spgemm(call *c) {
    c->stated = workers_bytes(c, bitmap_bytes(c) + COLS * ELEMENT);
    return multiply_sparse(c, true);
}

static sparcl_status spgemm_gradient(call *c) {
    c->stated = pattern_bytes(c);
    sparcl_csr a = IN_CSR;
    sparcl_csr b = scratch_csr(c, scratch_operand, COLS, COLS);
    SORTED(b);
    sparcl_csr product = IN_CSR;
    SORTED(product);
    const sparcl_dense g = IN_VECTOR(N);
    const sparcl_dense ga = TO_VECTOR(N);
    const sparcl_dense gb = TO_VECTOR(N);
    return sparcl_spgemm_gradient(c->ctx, &ga, &gb, &g, &product, &a, &b, NULL);
}

/* What a reduction by columns needs. */
static int64_t by_columns(const call *c) {
    return partial(c, N, 2) + (c->itype == SPARCL_I64 ? 48 : 24) * N + (COLS + 1) * 8;
}

/* --- elementwise.h --------------------------------------------------------------------------- */

/* The gradients of a product with y of these sizes, both of the call's n rows. */
static sparcl_status binary_gradient(call *c, int64_t rows, int64_t cols) {
    const sparcl_dense x = IN_DENSE(N), gz = IN_DENSE(N), gx = TO_DENSE(N);
    sparcl_dense y = {.rank = 2, .dtype = c->dtype, .shape = {rows, cols}}, gy = y;
    y.values = scratch_operand(c, rows * cols, (size_t)ELEMENT);
    gy.values = scratch_array(c, rows * cols, (size_t)ELEMENT);
    return sparcl_binary_gradient(c->ctx, SPARCL_BINARY_DIVIDE, &gx, &gy, &x, &y, &gz);
}

static sparcl_status binary_gradient_same(call *c) {
    c->stated = 0;
    return binary_gradient(c, N, WIDTH);
}

static sparcl_status binary_gradient_row(call *c) {
    c->stated = N * WIDTH * ELEMENT + partial(c, N, 2 * WIDTH);
    return binary_gradient(c, 1, WIDTH);
}

static sparcl_status binary_gradient_column(call *c) {
    c->stated = N * WIDTH * ELEMENT + partial(c, N * WIDTH, 2);
    return binary_gradient(c, N, 1);
}

static sparcl_status binary_gradient_one(call *c) {
    c->stated = N * WIDTH * ELEMENT + partial(c, N * WIDTH, 2);
    return binary_gradient(c, 1, 1);
}

static sparcl_status broadcast_gradient(call *c, int axis) {
    const sparcl_csr a = IN_CSR;
    const sparcl_dense v = IN_VECTOR(axis ? ROWS : COLS), gz = IN_VECTOR(N);
    const sparcl_dense gv = TO_VECTOR(axis ? ROWS : COLS);
    return sparcl_csr_broadcast_gradient(c->ctx, SPARCL_BINARY_DIVIDE, &gv, &a, &v, &gz, axis,
                                         NULL);
}

static sparcl_status broadcast_gradient_rows(call *c) {
    c->stated = N * ELEMENT + partial(c, N, 2);
    return broadcast_gradient(c, 1);
}

static sparcl_status broadcast_gradient_columns(call *c) {
    c->stated = N * ELEMENT + by_columns(c);
    return broadcast_gradient(c, 0);
}

/* --- reductions.h ---------------------------------------------------------------------------- */

static sparcl_status reduce(call *c, sparcl_reduction kind, int axis) {
    const sparcl_csr a = IN_CSR;
    const sparcl_dense to = TO_VECTOR(axis < 0 ? 1 : axis ? ROWS : COLS);
    return sparcl_csr_reduce(c->ctx, kind, SPARCL_OVER_ALL, &to, &a, axis, NULL, 0, NULL);
}

static sparcl_status reduce_rows(call *c) {
    c->stated = partial(c, N, 2);
    return reduce(c, SPARCL_REDUCE_SUM, 1);
}

static sparcl_status reduce_rows_max(call *c) {
    c->stated = partial(c, N, 2);
    return reduce(c, SPARCL_REDUCE_MAX, 1);
}

static sparcl_status reduce_all(call *c) {
    c->stated = partial(c, N, 2);
    return reduce(c, SPARCL_REDUCE_NORM, -1);
}

static sparcl_status reduce_columns(call *c) {
    c->stated = by_columns(c);
    return reduce(c, SPARCL_REDUCE_MEAN, 0);
}

static sparcl_status reduce_columns_max(call *c) {
    c->stated = by_columns(c);
    return reduce(c, SPARCL_REDUCE_MAX, 0);
}

static sparcl_status gradient_of_reduce(call *c, sparcl_reduction kind, int axis) {
    const sparcl_csr a = IN_CSR;
    const int64_t count = axis < 0 ? 1 : axis ? ROWS : COLS;
    const sparcl_dense gy = IN_VECTOR(count), y = IN_VECTOR(count), gv = TO_VECTOR(N);
    return sparcl_csr_reduce_gradient(c->ctx, kind, SPARCL_OVER_STORED, &gv, &gy, &a, axis, &y,
                                      NULL, 0, NULL);
}

static sparcl_status reduce_rows_gradient(call *c) {
    c->stated = 0;
    return gradient_of_reduce(c, SPARCL_REDUCE_SUM, 1);
}

static sparcl_status reduce_rows_prod_gradient(call *c) {
    c->stated = partial(c, N, 2) + 2 * ROWS * ELEMENT;
    return gradient_of_reduce(c, SPARCL_REDUCE_PROD, 1);
}

static sparcl_status reduce_rows_max_gradient(call *c) {
    c->stated = partial(c, N, 2) + ROWS * (8 + ELEMENT);
    return gradient_of_reduce(c, SPARCL_REDUCE_MAX, 1);
}

static sparcl_status reduce_columns_prod_gradient(call *c) {
    c->stated = by_columns(c) + 2 * COLS * ELEMENT;
    return gradient_of_reduce(c, SPARCL_REDUCE_PROD, 0);
}

static sparcl_status reduce_columns_mean_gradient(call *c) {
    c->stated = by_columns(c) + COLS * ELEMENT;
    return gradient_of_reduce(c, SPARCL_REDUCE_MEAN, 0);
}

static sparcl_status reduce_dense(call *c, int axis) {
    const sparcl_dense x = IN_DENSE(N), to = TO_VECTOR(axis < 0 ? 1 : axis ? N : WIDTH);
    return sparcl_dense_reduce(c->ctx, SPARCL_REDUCE_SQUARE_SUM, &to, &x, axis);
}

static sparcl_status dense_reduce_rows(call *c) {
    c->stated = partial(c, N * WIDTH, 2);
    return reduce_dense(c, 1);
}

static sparcl_status dense_reduce_columns(call *c) {
    c->stated = partial(c, N, 2 * WIDTH);
    return reduce_dense(c, 0);
}

static sparcl_status dense_reduce_all(call *c) {
    c->stated = partial(c, N * WIDTH, 2);
    return reduce_dense(c, -1);
}

static sparcl_status rows_reduce(call *c) {
    c->stated = partial(c, N, 2 * WIDTH);
    sparcl_rows x = IN_ROWS;
    const sparcl_dense to = TO_VECTOR(WIDTH);
    return sparcl_rows_reduce(c->ctx, SPARCL_REDUCE_SUM, &to, &x, 0);
}

static sparcl_status dot_rows(call *c) {
    c->stated = partial(c, N * WIDTH, 2);
    const sparcl_dense x = IN_DENSE(N);
    const sparcl_dense y = IN_DENSE(N);
    const sparcl_dense to = TO_VECTOR(N);
    return sparcl_dot_rows(c->ctx, &to, &x, &y);
}

static sparcl_status reduce_segments(call *c, sparcl_reduction kind, bool are_sorted) {
    sparcl_list ids = scratch_list(c);
    if (are_sorted) ids.proof.flags |= SPARCL_SORTED;
    const sparcl_dense x = IN_DENSE(N), to = TO_DENSE(ROWS);
    return sparcl_segment_reduce(c->ctx, kind, &to, &x, &(sparcl_segments){.ids = &ids}, NULL, 0);
}

static sparcl_status segment_sum_sorted(call *c) {
    c->stated = partial(c, N, 2 * WIDTH) + (ROWS + 1) * 8;
    return reduce_segments(c, SPARCL_REDUCE_SUM, true);
}

static sparcl_status segment_sum(call *c) {
    c->stated = partial(c, N, 2 * WIDTH) + (ROWS + 1) * 8 + (c->itype == SPARCL_I64 ? 48 : 28) * N;
    return reduce_segments(c, SPARCL_REDUCE_SUM, false);
}

static sparcl_status segment_max(call *c) {
    c->stated = partial(c, N, 2 * WIDTH) + (ROWS + 1) * 8 + (c->itype == SPARCL_I64 ? 48 : 28) * N;
    return reduce_segments(c, SPARCL_REDUCE_MAX, false);
}

static sparcl_status softmax(call *c) {
    c->stated = partial(c, N, 2) + 2 * ROWS * ELEMENT;
    sparcl_csr a = IN_CSR;
    const sparcl_dense v = TO_VECTOR(N);
    return sparcl_csr_softmax(c->ctx, SPARCL_SOFTMAX, &v, &a);
}

static sparcl_status softmax_gradient(call *c) {
    c->stated = partial(c, N, 2) + ROWS * ELEMENT;
    sparcl_csr a = IN_CSR;
    const sparcl_dense y = IN_VECTOR(N);
    const sparcl_dense gy = IN_VECTOR(N);
    const sparcl_dense gx = TO_VECTOR(N);
    return sparcl_csr_softmax_gradient(c->ctx, SPARCL_SOFTMAX, &gx, &gy, &y, &a);
}

const scratch_call scratch_products[] = {
    {"matmul csc", matmul_csc},
    {"matmul coo", matmul_coo},
    {"matmul rows", matmul_rows},
    {"sddmm", sddmm},
    {"spmm max", spmm_max},
    {"spmm mean", spmm_mean},
    {"spmm sum gradient", spmm_sum_gradient},
    {"spmm mean gradient", spmm_mean_gradient},
    {"spmm max gradient", spmm_max_gradient},
    {"csr add", csr_add},
    {"csr multiply", csr_multiply},
    {"csr multiply dense", csr_multiply_dense},
    {"spgemm symbolic", spgemm_symbolic},
    {"spgemm", spgemm},
    {"spgemm gradient", spgemm_gradient},
    {"binary gradient same", binary_gradient_same},
    {"binary gradient row", binary_gradient_row},
    {"binary gradient column", binary_gradient_column},
    {"binary gradient one", binary_gradient_one},
    {"broadcast gradient rows", broadcast_gradient_rows},
    {"broadcast gradient columns", broadcast_gradient_columns},
    {"reduce rows", reduce_rows},
    {"reduce rows max", reduce_rows_max},
    {"reduce all", reduce_all},
    {"reduce columns", reduce_columns},
    {"reduce columns max", reduce_columns_max},
    {"reduce rows gradient", reduce_rows_gradient},
    {"reduce rows prod gradient", reduce_rows_prod_gradient},
    {"reduce rows max gradient", reduce_rows_max_gradient},
    {"reduce columns prod gradient", reduce_columns_prod_gradient},
    {"reduce columns mean gradient", reduce_columns_mean_gradient},
    {"dense reduce rows", dense_reduce_rows},
    {"dense reduce columns", dense_reduce_columns},
    {"dense reduce all", dense_reduce_all},
    {"rows reduce", rows_reduce},
    {"dot rows", dot_rows},
    {"segment sum sorted", segment_sum_sorted},
    {"segment sum", segment_sum},
    {"segment max", segment_max},
    {"softmax", softmax},
    {"softmax gradient", softmax_gradient},
    {NULL, NULL},
};
