/* scratch_convert.c: the operations of ops/conversions.h, ops/layers.h and ops/layers.h, for
 * test_scratch_bound.
 */
#include "scratch_stated.h"
#include "sparcl/optim_text.h"
#include "sparcl/sharded.h"

/* --- ops/conversions.h
 * ------------------------------------------------------------------------------- */

/* The dense array of the call's size; of at most 2^26 elements. */
static sparcl_dense dense_of_size(call *c, scratch_make array_of) {
    const bool fits = ROWS <= (1 << 26) / COLS;
    c->too_large |= !fits;
    return (sparcl_dense){.rank = 2,
                          .dtype = c->dtype,
                          .shape = {fits ? ROWS : 1, fits ? COLS : 1},
                          .values = array_of(c, fits ? ROWS * COLS : 1, (size_t)ELEMENT)};
}

static sparcl_status to_dense(call *c, bool is_sorted) {
    sparcl_csr a = IN_CSR;
    if (is_sorted) SORTED(a);
    const sparcl_dense to = dense_of_size(c, scratch_array);
    return c->too_large ? SPARCL_OK : sparcl_csr_to_dense(c->ctx, &to, &a);
}

/* An array of n entries in COO format with the indices of a CSR matrix, and sorted again. */
static int64_t sorted_again(const call *c) {
    return N * (2 * INDEX + ELEMENT) + csr_bytes(c) + sort_bytes(c, 2);
}

static sparcl_status csr_to_dense(call *c) {
    c->stated = sorted_again(c);
    return to_dense(c, false);
}

static sparcl_status csr_to_dense_sorted(call *c) {
    c->stated = 0;
    return to_dense(c, true);
}

static sparcl_status coo_to_dense(call *c) {
    c->stated = N * (2 * INDEX + ELEMENT) + sort_bytes(c, 2);
    sparcl_coo a = IN_COO;
    const sparcl_dense to = dense_of_size(c, scratch_array);
    if (c->too_large) return SPARCL_OK;
    return sparcl_coo_to_dense(c->ctx, &to, &a);
}

static sparcl_status rows_to_dense(call *c) {
    c->stated = coalesce_rows_bytes(c) + N * (INDEX + WIDTH * ELEMENT);
    sparcl_rows a = IN_ROWS;
    const sparcl_dense to = TO_DENSE(ROWS);
    return sparcl_rows_to_dense(c->ctx, &to, &a);
}

static sparcl_status rows_to_dense_unique(call *c) {
    c->stated = 0;
    sparcl_rows a = IN_ROWS;
    SORTED(a);
    const sparcl_dense to = TO_DENSE(ROWS);
    return sparcl_rows_to_dense(c->ctx, &to, &a);
}

/* Rows, or parts of rows of 32 elements, the smaller ones of both classes. */
static int64_t parts_bytes(int64_t rows, int64_t cols) {
    return 24 * rows * (cols / 32 + 1);
}

static sparcl_status dense_to_csr(call *c) {
    const sparcl_dense x = dense_of_size(c, scratch_operand);
    sparcl_csr to = TO_CSR;
    if (c->too_large) return SPARCL_OK;
    c->stated = parts_bytes(ROWS, COLS);
    return sparcl_dense_to_csr(c->ctx, &to, &x, 0, NULL);
}

static sparcl_status dense_to_coo(call *c) {
    const sparcl_dense x = dense_of_size(c, scratch_operand);
    sparcl_coo to = TO_COO;
    if (c->too_large) return SPARCL_OK;
    c->stated = parts_bytes(ROWS, COLS);
    return sparcl_dense_to_coo(c->ctx, &to, &x, 0, NULL);
}

static sparcl_status dense_to_rows(call *c) {
    sparcl_rows to = TO_ROWS;
    const sparcl_dense x = IN_DENSE(ROWS);
    c->stated = parts_bytes(ROWS, WIDTH);
    return sparcl_dense_to_rows(c->ctx, &to, &x, 0, NULL);
}

static sparcl_status sparse_mask(call *c) {
    c->stated = 0;
    sparcl_csr a = IN_CSR;
    const sparcl_dense x = dense_of_size(c, scratch_operand);
    const sparcl_dense v = TO_VECTOR(N);
    if (c->too_large) return SPARCL_OK;
    return sparcl_sparse_mask(c->ctx, &v, &x, &a);
}

/* Few rows of up to 2^20 elements, of which 1 in 4 is selected: long rows in two chunks. */
static sparcl_status topk_rows(call *c) {
    const int64_t rows = smallest(ROWS, 64), cols = smallest(COLS, 1 << 20), k = cols / 4;
    const bool is_cpu = sparcl_ctx_class(c->ctx) == SPARCL_CLASS_CPU;
    const int64_t workers = smallest(8 * (int64_t)sparcl_ctx_device(c->ctx)->units, rows);
    c->stated = is_cpu        ? workers * (2 * k + 128) * (ELEMENT + INDEX)
                : cols > 8192 ? rows * cols / 2 * (ELEMENT + INDEX)
                              : 0;
    const sparcl_dense x = {.rank = 2,
                            .dtype = c->dtype,
                            .shape = {rows, cols},
                            .values = scratch_operand(c, rows * cols, (size_t)ELEMENT)};
    N = rows * k;
    sparcl_csr to = scratch_csr(c, scratch_array, rows, cols);
    return sparcl_topk_rows(c->ctx, &to, &x, k, SPARCL_TOPK_MAGNITUDE);
}

static sparcl_status prune(call *c) {
    c->stated = N / 2;
    sparcl_csr a = IN_CSR;
    sparcl_csr to = TO_CSR;
    return sparcl_csr_prune(c->ctx, &to, &a, 0, NULL);
}

static sparcl_status csc_to_csr(call *c) {
    c->stated = (c->itype == SPARCL_INDEX64 ? 48 : 24) * N;
    sparcl_csc a = IN_CSC;
    sparcl_csr to = TO_CSR;
    return sparcl_csc_to_csr(c->ctx, &to, &a);
}

static sparcl_status csc_to_coo(call *c) {
    c->stated = 0;
    sparcl_csc a = IN_CSC;
    sparcl_coo to = TO_COO;
    return sparcl_csc_to_coo(c->ctx, &to, &a);
}

static sparcl_status coo_to_csc(call *c) {
    c->stated = sort_bytes(c, 2);
    sparcl_coo a = IN_COO;
    sparcl_csc to = TO_CSC;
    return sparcl_coo_to_csc(c->ctx, &to, &a);
}

static sparcl_bsr blocks_of_one(call *c) {
    sparcl_bsr to = {.rows = ROWS, .cols = COLS, .block_rows = 1, .block_cols = 1, .nnzb = N};
    to.dtype = c->dtype, to.offset_type = c->otype, to.index_type = c->itype;
    to.offsets = scratch_array(c, ROWS + 1, (size_t)OFFSET);
    to.indices = scratch_array(c, N, (size_t)INDEX);
    to.values = scratch_array(c, N, (size_t)ELEMENT);
    return to;
}

static sparcl_status to_blocks(call *c, bool is_sorted) {
    sparcl_csr a = IN_CSR;
    if (is_sorted) SORTED(a);
    sparcl_bsr to = blocks_of_one(c);
    return sparcl_csr_to_bsr(c->ctx, &to, &a, NULL);
}

/* Blocks of one element: as many rows of blocks as rows. */
static int64_t bytes_of_blocks(const call *c) {
    const bool has_bits = sparcl_ctx_class(c->ctx) == SPARCL_CLASS_CPU;
    return (8 + OFFSET) * 2 * ROWS + (has_bits ? 64 << 20 : 0);
}

static sparcl_status csr_to_bsr_sorted(call *c) {
    c->stated = bytes_of_blocks(c);
    return to_blocks(c, true);
}

static sparcl_status csr_to_bsr(call *c) {
    c->stated = bytes_of_blocks(c) + sorted_again(c);
    return to_blocks(c, false);
}

static sparcl_status to_rows(call *c, bool is_sorted) {
    sparcl_csr a = scratch_csr(c, scratch_operand, ROWS, WIDTH);
    if (is_sorted) SORTED(a);
    sparcl_rows to = TO_ROWS;
    return sparcl_csr_to_rows(c->ctx, &to, &a, NULL);
}

static sparcl_status csr_to_rows_sorted(call *c) {
    c->stated = 12 * ROWS;
    return to_rows(c, true);
}

static sparcl_status csr_to_rows(call *c) {
    c->stated = 12 * ROWS + sorted_again(c);
    return to_rows(c, false);
}

static sparcl_status csr_to_rows_gradient(call *c) {
    c->stated = N * (INDEX + ELEMENT) + 8 * N;
    const sparcl_csr a = scratch_csr(c, scratch_operand, ROWS, WIDTH);
    sparcl_rows g = IN_ROWS;
    SORTED(g);
    const sparcl_dense gv = TO_VECTOR(N);
    return sparcl_csr_to_rows_gradient(c->ctx, &gv, &g, &a);
}

static sparcl_status from_rows(call *c, bool is_sorted) {
    sparcl_rows a = IN_ROWS;
    if (is_sorted) SORTED(a);
    sparcl_csr to = scratch_csr(c, scratch_array, ROWS, WIDTH);
    return sparcl_rows_to_csr(c->ctx, &to, &a, 0, NULL);
}

static sparcl_status rows_to_csr_sorted(call *c) {
    c->stated = parts_bytes(N, WIDTH);
    return from_rows(c, true);
}

static sparcl_status rows_to_csr(call *c) {
    c->stated = parts_bytes(N, WIDTH) + coalesce_rows_bytes(c) + N * (INDEX + WIDTH * ELEMENT);
    return from_rows(c, false);
}

/* A CSR matrix, with the types that its columns and entries need, and one function at a time. */
static sparcl_status csc_to_bsr(call *c) {
    const int64_t offset = N > INT32_MAX ? 8 : 4, index = COLS > INT32_MAX ? 8 : 4;
    const int64_t between = N * (index + ELEMENT) + (ROWS + 1) * offset;
    c->stated = between + largest((c->itype == SPARCL_INDEX64 ? 48 : 24) * N, bytes_of_blocks(c));
    const sparcl_matrix from = sparcl_matrix_csc(IN_CSC);
    sparcl_matrix to = sparcl_matrix_bsr(blocks_of_one(c));
    return sparcl_convert(c->ctx, &to, &from, 0, NULL);
}

/* --- ops/layers.h ----------------------------------------------------------------------------- */

enum { BAG_ENTRIES = 4 };

/* n entries in bags of four, with weights. */
static sparcl_bags in_bags(call *c, sparcl_bag_mode mode) {
    const int64_t bags = N / BAG_ENTRIES;
    return (sparcl_bags){.bags = bags,
                         .indices = scratch_list(c),
                         .offset_type = c->otype,
                         .include_last = 1,
                         .offsets = scratch_operand(c, bags + 1, (size_t)OFFSET),
                         .weights =
                             mode == SPARCL_BAG_MAX ? NULL : scratch_operand(c, N, (size_t)ELEMENT),
                         .mode = mode};
}

/* Of long bags: two elements for each column and 256 entries. */
static sparcl_status bag_of(call *c, sparcl_bag_mode mode, int64_t element) {
    const int64_t columns = (WIDTH + 3) / 4 * 4;
    c->stated = (N / 256 + 1) * (8 + 2 * columns * element);
    const sparcl_bags bags = in_bags(c, mode);
    const sparcl_dense table = IN_DENSE(ROWS);
    const sparcl_dense to = TO_DENSE(bags.bags);
    return sparcl_embedding_bag(c->ctx, &to, &table, &bags, NULL, NULL, 0);
}

static sparcl_status embedding_bag(call *c) {
    return bag_of(c, SPARCL_BAG_MEAN, largest(4, ELEMENT));
}

static sparcl_status embedding_bag_max(call *c) {
    return bag_of(c, SPARCL_BAG_MAX, largest(4, ELEMENT) + 8);
}

static sparcl_status embedding_bag_matrix(call *c) {
    c->stated = 16 * (N / BAG_ENTRIES);
    const sparcl_bags bags = in_bags(c, SPARCL_BAG_SQRTN);
    sparcl_csr to = scratch_csr(c, scratch_array, bags.bags, ROWS);
    return sparcl_embedding_bag_matrix(c->ctx, &to, &bags, scratch_array(c, N, 8), 0);
}

/* What makes the matrix of the bags, and the matrix. */
static int64_t matrix_bytes(const call *c) {
    return 16 * (N / BAG_ENTRIES) + N * (INDEX + ELEMENT);
}

static sparcl_status bag_gradient(call *c, sparcl_bag_mode mode) {
    const sparcl_bags bags = in_bags(c, mode);
    const sparcl_dense g = IN_DENSE(bags.bags);
    sparcl_dense positions = TO_DENSE(bags.bags);
    sparcl_rows to = TO_ROWS;
    positions.dtype = SPARCL_INT64;
    positions.values = scratch_operand(c, bags.bags * WIDTH, 8);
    return sparcl_embedding_bag_gradient(c->ctx, &to, &g, &bags,
                                         mode == SPARCL_BAG_MAX ? &positions : NULL);
}

static sparcl_status embedding_bag_gradient(call *c) {
    c->stated = matrix_bytes(c) + spmm_t_bytes(c);
    return bag_gradient(c, SPARCL_BAG_MEAN);
}

/* As with F32, and the operands and the result as F32. */
static sparcl_status embedding_bag_half_gradient(call *c) {
    const int64_t bags = N / BAG_ENTRIES;
    c->dtype = SPARCL_F32;
    c->stated = matrix_bytes(c) + spmm_t_bytes(c) + (bags * WIDTH + N + N * WIDTH) * ELEMENT;
    c->dtype = SPARCL_BF16;
    return bag_gradient(c, SPARCL_BAG_MEAN);
}

static sparcl_status embedding_bag_max_gradient(call *c) {
    c->stated = matrix_bytes(c) + 8 * N + N * WIDTH * ELEMENT + coalesce_rows_bytes(c);
    return bag_gradient(c, SPARCL_BAG_MAX);
}

static sparcl_status embedding_bag_weights_gradient(call *c) {
    c->stated = 8 * (N / BAG_ENTRIES);
    const sparcl_bags bags = in_bags(c, SPARCL_BAG_MEAN);
    const sparcl_dense g = IN_DENSE(bags.bags);
    const sparcl_dense y = IN_DENSE(bags.bags);
    const sparcl_dense table = IN_DENSE(ROWS);
    const sparcl_dense to = TO_VECTOR(N);
    return sparcl_embedding_bag_weights_gradient(c->ctx, &to, &g, &table, &y, &bags);
}

/* Rows of one number need the gradient of the table. */
static sparcl_status step_bags(call *c) {
    const int64_t bags = N / BAG_ENTRIES;
    sparcl_optim adagrad;
    sparcl_optim_init(&adagrad, SPARCL_RULE_ADAGRAD);
    c->stated = WIDTH == 1 ? matrix_bytes(c) + spmm_t_bytes(c) + N * (INDEX + ELEMENT)
                           : 8 * bags + N * (c->itype == SPARCL_INDEX64 ? 72 : 36) +
                                 (N / 10 + bags) * WIDTH * ELEMENT;
    sparcl_bags of = in_bags(c, SPARCL_BAG_MEAN);
    of.weights = NULL;
    const sparcl_dense g = IN_DENSE(bags), table = TO_DENSE(ROWS), state = TO_DENSE(ROWS);
    return sparcl_step_bags(c->ctx, &adagrad, &table, &state, &of, &g, NULL);
}

static sparcl_sharded two_shards(call *c, sparcl_dense shards[2]) {
    const int64_t first = (ROWS + 1) / 2;
    shards[0] = TO_DENSE(first);
    shards[1] = TO_DENSE(ROWS - first);
    return (sparcl_sharded){.rank = 2,
                            .shape = {ROWS, WIDTH},
                            .dtype = c->dtype,
                            .rows_per_shard = first,
                            .count = 2,
                            .shards = shards,
                            .ctx = c->ctx};
}

/* As much as the gradient, 9 bytes for each of its rows, and twice the gradient for the step. */
static sparcl_status sharded_step(call *c) {
    sparcl_optim adagrad;
    sparcl_dense of_table[2], of_state[2];
    sparcl_optim_init(&adagrad, SPARCL_RULE_ADAGRAD);
    c->stated = N * (3 * (WIDTH * ELEMENT + INDEX) + 9);
    const sparcl_rows g = scratch_rows(c, scratch_operand);
    const sparcl_sharded table = two_shards(c, of_table), state = two_shards(c, of_state);
    return sparcl_sharded_step(c->ctx, &adagrad, &table, &state, &g);
}

static sparcl_status embedding_renorm(call *c) {
    c->stated = matrix_bytes(c) + (c->itype == SPARCL_INDEX64 ? 48 : 24) * N;
    const sparcl_bags bags = in_bags(c, SPARCL_BAG_SUM);
    const sparcl_dense table = TO_DENSE(ROWS);
    return sparcl_embedding_renorm(c->ctx, &table, &bags, 1, 2);
}

/* --- ops/layers.h --------------------------------------------------------------------------------
 */

static sparcl_status dropout(call *c) {
    c->stated = 0;
    const sparcl_dense x = IN_DENSE(N);
    const sparcl_dense y = TO_DENSE(N);
    return sparcl_dropout(c->ctx, &y, &x, 0.5, 1, 2);
}

static sparcl_status layer_norm(call *c) {
    c->stated = 0;
    const sparcl_dense x = IN_DENSE(N);
    const sparcl_dense y = TO_DENSE(N);
    const sparcl_dense mean = TO_VECTOR(N);
    const sparcl_dense rstd = TO_VECTOR(N);
    return sparcl_layer_norm(c->ctx, &y, &x, NULL, NULL, 0.1, &mean, &rstd);
}

static sparcl_status batch_norm(call *c) {
    c->stated = partial(c, N, 2 * WIDTH) + 3 * WIDTH * ELEMENT;
    const sparcl_dense x = IN_DENSE(N);
    const sparcl_dense y = TO_DENSE(N);
    return sparcl_batch_norm(c->ctx, &y, &x, NULL, NULL, 0.1, NULL, NULL, 0, NULL, NULL);
}

static sparcl_status norm_gradient(call *c, bool is_of_rows) {
    const sparcl_dense gy = IN_DENSE(N), x = IN_DENSE(N), gx = TO_DENSE(N);
    const sparcl_dense gamma = IN_VECTOR(WIDTH), ggamma = TO_VECTOR(WIDTH),
                       gbeta = TO_VECTOR(WIDTH);
    const sparcl_dense mean = IN_VECTOR(is_of_rows ? N : WIDTH),
                       rstd = IN_VECTOR(is_of_rows ? N : WIDTH);
    return (is_of_rows ? sparcl_layer_norm_gradient : sparcl_batch_norm_gradient)(
        c->ctx, &gx, &ggamma, &gbeta, &gy, &x, &gamma, &mean, &rstd);
}

static sparcl_status layer_norm_gradient(call *c) {
    c->stated = partial(c, N, 2 * WIDTH) + 3 * WIDTH * ELEMENT;
    return norm_gradient(c, true);
}

static sparcl_status batch_norm_gradient(call *c) {
    c->stated = partial(c, N, 2 * WIDTH) + 3 * WIDTH * ELEMENT;
    return norm_gradient(c, false);
}

static sparcl_status dense_concat(call *c) {
    c->stated = 0;
    const sparcl_dense x = IN_DENSE(N);
    const sparcl_dense to = TO_DENSE(N);
    return sparcl_dense_concat(c->ctx, &to, (const sparcl_dense *const[]){&x}, 1, 0);
}

const scratch_call scratch_convert[] = {
    {"csr to dense", csr_to_dense},
    {"csr to dense sorted", csr_to_dense_sorted},
    {"coo to dense", coo_to_dense},
    {"rows to dense", rows_to_dense},
    {"rows to dense unique", rows_to_dense_unique},
    {"dense to csr", dense_to_csr},
    {"dense to coo", dense_to_coo},
    {"dense to rows", dense_to_rows},
    {"sparse mask", sparse_mask},
    {"topk rows", topk_rows},
    {"prune", prune},
    {"csc to csr", csc_to_csr},
    {"csc to coo", csc_to_coo},
    {"coo to csc", coo_to_csc},
    {"csr to bsr sorted", csr_to_bsr_sorted},
    {"csr to bsr", csr_to_bsr},
    {"csr to rows sorted", csr_to_rows_sorted},
    {"csr to rows", csr_to_rows},
    {"csr to rows gradient", csr_to_rows_gradient},
    {"rows to csr sorted", rows_to_csr_sorted},
    {"rows to csr", rows_to_csr},
    {"csc to bsr", csc_to_bsr},
    {"embedding bag", embedding_bag},
    {"embedding bag max", embedding_bag_max},
    {"embedding bag matrix", embedding_bag_matrix},
    {"embedding bag gradient", embedding_bag_gradient},
    {"embedding bag half gradient", embedding_bag_half_gradient},
    {"embedding bag max gradient", embedding_bag_max_gradient},
    {"embedding bag weights gradient", embedding_bag_weights_gradient},
    {"step bags", step_bags},
    {"sharded step", sharded_step},
    {"embedding renorm", embedding_renorm},
    {"dropout", dropout},
    {"layer norm", layer_norm},
    {"batch norm", batch_norm},
    {"layer norm gradient", layer_norm_gradient},
    {"batch norm gradient", batch_norm_gradient},
    {"dense concat", dense_concat},
    {NULL, NULL},
};
