/* scratch_reductions.c: the operations of ops/elements.h and ops/reductions.h, for
 * test_scratch_bound.
 */
#include "scratch_stated.h"

/* What a reduction by columns needs. */
static int64_t by_columns(const call *c) {
    return partial(c, N, 2) + (c->itype == SPARCL_INDEX64 ? 48 : 24) * N + (COLS + 1) * 8;
}

/* --- ops/elements.h --------------------------------------------------------------------------- */

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

/* --- ops/reductions.h ----------------------------------------------------------------------------
 */

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

static sparcl_status rows_reduce_gradient(call *c) {
    c->stated = 16;
    sparcl_rows x = IN_ROWS;
    const sparcl_dense gy = IN_VECTOR(WIDTH);
    const sparcl_dense gx = TO_DENSE(N);
    return sparcl_rows_reduce_gradient(c->ctx, SPARCL_REDUCE_SUM, &gx, &gy, &x, 0, NULL);
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
    c->stated =
        partial(c, N, 2 * WIDTH) + (ROWS + 1) * 8 + (c->itype == SPARCL_INDEX64 ? 48 : 28) * N;
    return reduce_segments(c, SPARCL_REDUCE_SUM, false);
}

static sparcl_status segment_max(call *c) {
    c->stated =
        partial(c, N, 2 * WIDTH) + (ROWS + 1) * 8 + (c->itype == SPARCL_INDEX64 ? 48 : 28) * N;
    return reduce_segments(c, SPARCL_REDUCE_MAX, false);
}

static sparcl_status softmax(call *c) {
    c->stated = partial(c, N, 2) + 2 * ROWS * ELEMENT;
    sparcl_csr a = IN_CSR;
    const sparcl_dense v = TO_VECTOR(N);
    return sparcl_csr_softmax(c->ctx, SPARCL_SOFTMAX, &v, &a);
}

/* With one head as softmax; a row of several heads is computed by one worker. */
static sparcl_status softmax_heads(call *c) {
    c->stated = WIDTH > 1 ? 0 : partial(c, N, 2) + 2 * ROWS * ELEMENT;
    sparcl_csr a = IN_CSR;
    const sparcl_dense x = IN_DENSE(N);
    const sparcl_dense v = TO_DENSE(N);
    return sparcl_csr_softmax_heads(c->ctx, SPARCL_SOFTMAX, &v, &x, &a);
}

static sparcl_status softmax_heads_gradient(call *c) {
    c->stated = WIDTH > 1 ? 0 : partial(c, N, 2) + ROWS * ELEMENT;
    sparcl_csr a = IN_CSR;
    const sparcl_dense y = IN_DENSE(N);
    const sparcl_dense gy = IN_DENSE(N);
    const sparcl_dense gx = TO_DENSE(N);
    return sparcl_csr_softmax_gradient(c->ctx, SPARCL_SOFTMAX, &gx, &gy, &y, &a);
}

static sparcl_status softmax_gradient(call *c) {
    c->stated = partial(c, N, 2) + ROWS * ELEMENT;
    sparcl_csr a = IN_CSR;
    const sparcl_dense y = IN_VECTOR(N);
    const sparcl_dense gy = IN_VECTOR(N);
    const sparcl_dense gx = TO_VECTOR(N);
    return sparcl_csr_softmax_gradient(c->ctx, SPARCL_SOFTMAX, &gx, &gy, &y, &a);
}

const scratch_call scratch_reductions[] = {
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
    {"rows reduce gradient", rows_reduce_gradient},
    {"dot rows", dot_rows},
    {"segment sum sorted", segment_sum_sorted},
    {"segment sum", segment_sum},
    {"segment max", segment_max},
    {"softmax", softmax},
    {"softmax gradient", softmax_gradient},
    {"softmax heads", softmax_heads},
    {"softmax heads gradient", softmax_heads_gradient},
    {NULL, NULL},
};
