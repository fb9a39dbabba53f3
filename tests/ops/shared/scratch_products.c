/* scratch_products.c: the operations of ops/products.h, ops/products.h and ops/elements.h, for
 * test_scratch_bound. */
#include "scratch_stated.h"

#include "sparcl/ops.h"

/* --- ops/products.h
 * -------------------------------------------------------------------------------- */

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

/* Only the offsets of a sorted one are computed. */
static sparcl_status matmul_coo_sorted(call *c) {
    c->stated = (ROWS + 1) * OFFSET + spmm_bytes(c);
    sparcl_coo a = IN_COO;
    SORTED(a);
    return multiply(c, SPARCL_OP_N, sparcl_matrix_coo(a), sparcl_matrix_dense(IN_DENSE(COLS)));
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

/* --- ops/products.h ----------------------------------------------------------------------- */

static sparcl_status sddmm(call *c) {
    c->stated = 0;
    sparcl_csr a = IN_CSR;
    const sparcl_dense x = IN_DENSE(ROWS);
    const sparcl_dense y = IN_DENSE(COLS);
    const sparcl_dense v = TO_VECTOR(N);
    return sparcl_sddmm(c->ctx, &v, 1, &a, &x, &y, 0);
}

static sparcl_status spmm_max(call *c) {
    const int64_t columns = (WIDTH + 3) / 4 * 4;
    c->stated = (N / 256 + 1) * (8 + 2 * columns * largest(4, ELEMENT));
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
    if (multiplies) return sparcl_csr_multiply(c->ctx, &to, &a, &b, &from);
    return sparcl_csr_add(c->ctx, &to, 1, &a, 1, &b, &from);
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

/* Workers: one, or up to eight per compute unit in 256 MiB. */
static int64_t workers_bytes(const call *c, int64_t each) {
    const int64_t workers = 8 * (int64_t)sparcl_ctx_device(c->ctx)->units;
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
        status = sparcl_spgemm_numeric(c->ctx, plan, &to, &a, &b, NULL);
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
    c->stated = largest(pattern_bytes(c), workers_bytes(c, COLS * OFFSET) + 4 * N);
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

/* --- ops/elements.h
 * --------------------------------------------------------------------------------- */

/* The terms of a sum of row-sparse arrays, and what combines their 2 n rows. */
static int64_t terms_bytes(call *c) {
    N *= 2;
    const int64_t bytes = coalesce_rows_bytes(c) + N * (INDEX + WIDTH * ELEMENT);
    N /= 2;
    return bytes;
}

/* Two terms, and a result with room for `capacity` rows. */
static sparcl_status add_rows(call *c, int64_t capacity) {
    sparcl_rows a = IN_ROWS;
    sparcl_rows b = IN_ROWS;
    const int64_t n = N;
    SORTED(a);
    SORTED(b);
    N = capacity;
    sparcl_rows to = TO_ROWS;
    N = n;
    return sparcl_rows_add_n(c->ctx, &to,
                             ((const sparcl_term[]){{1, .rows = &a}, {-1, .rows = &b}}), 2,
                             &(sparcl_moved){.needed = scratch_array(c, 1, 8)});
}

static sparcl_status rows_add(call *c) {
    c->stated = terms_bytes(c);
    return add_rows(c, 2 * N);
}

static sparcl_status rows_add_short(call *c) {
    c->stated = terms_bytes(c) + 2 * N * (INDEX + WIDTH * ELEMENT);
    return add_rows(c, N);
}

static sparcl_status rows_multiply(call *c) {
    c->stated = 17 * N;
    sparcl_rows a = IN_ROWS;
    sparcl_rows b = IN_ROWS;
    SORTED(a);
    SORTED(b);
    sparcl_rows to = TO_ROWS;
    return sparcl_rows_multiply(c->ctx, &to, &a, &b,
                                &(sparcl_moved){.needed = scratch_array(c, 1, 8)});
}

enum { DENSE_TERMS = 6 };

static sparcl_status add_dense(call *c) {
    c->stated = 0;
    sparcl_dense x[DENSE_TERMS];
    sparcl_term terms[DENSE_TERMS];
    for (int t = 0; t < DENSE_TERMS; ++t) {
        x[t] = IN_DENSE(N);
        terms[t] = (sparcl_term){.factor = t, .dense = &x[t]};
    }
    const sparcl_dense y = TO_DENSE(N);
    return sparcl_add_n(c->ctx, &y, terms, DENSE_TERMS);
}

/* A dense term and a row-sparse one, whose rows are unique or not. */
static sparcl_status add_mixed(call *c, bool is_unique) {
    const sparcl_dense x = IN_DENSE(ROWS);
    sparcl_rows r = IN_ROWS;
    if (is_unique) SORTED(r);
    const sparcl_term terms[] = {{.factor = 1, .dense = &x}, {.factor = 2, .rows = &r}};
    const sparcl_dense y = TO_DENSE(ROWS);
    return sparcl_add_n(c->ctx, &y, terms, 2);
}

static sparcl_status add_unique(call *c) {
    c->stated = 0;
    return add_mixed(c, true);
}

static sparcl_status add_duplicates(call *c) {
    c->stated = coalesce_rows_bytes(c);
    return add_mixed(c, false);
}

const scratch_call scratch_products[] = {
    {"matmul csc", matmul_csc},
    {"matmul coo", matmul_coo},
    {"matmul coo, sorted", matmul_coo_sorted},
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
    {"rows add", rows_add},
    {"rows add, short", rows_add_short},
    {"rows multiply", rows_multiply},
    {"add_n, dense", add_dense},
    {"add_n, unique rows", add_unique},
    {"add_n, duplicates", add_duplicates},
    {NULL, NULL},
};
