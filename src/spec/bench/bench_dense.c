/* bench_dense.c: timed conversions between dense arrays, CSR and BSR, the k largest elements of
 * each row, and the elements of a dense array at the entries of a matrix. f32, and 32-bit indices
 * where they fit. */
#include <stdlib.h>
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/entries.h"

/* Rows and columns of a block. */
#define BLOCK 4
/* Entries of a row that are selected. */
#define K     32

typedef struct operands {
    int64_t rows, cols;
    sparcl_csr a, to;
    sparcl_bsr bsr;
    sparcl_coo coo;
    sparcl_dense dense, values; /* values: one for each entry */
    double *host;               /* the dense array */
    spec_matrix want;           /* that the blocks are made of */
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    sparcl_csr_free(&x->a);
    sparcl_csr_free(&x->to);
    sparcl_bsr_free(&x->bsr);
    sparcl_coo_free(&x->coo);
    sparcl_dense_free(&x->dense);
    sparcl_dense_free(&x->values);
    spec_matrix_free(&x->want);
    free(x->host);
}

/* The matrix as a dense array, on the host. */
static bool expand(operands *x, const spec_matrix *m) {
    spec_entries e;
    const int64_t count = m->rows * m->cols;
    x->host = calloc((size_t)count + 1, sizeof *x->host);
    if (!x->host || !spec_entries_of_matrix(&e, m, m->nnz)) return false;
    const bool done = spec_entries_dense(&e, SPARCL_F32, x->host, NULL, NULL, count);
    spec_entries_free(&e);
    return done;
}

static sparcl_status open_dense(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    operands *const x = call->state;
    x->rows = m->rows;
    x->cols = m->cols;
    x->dense = (sparcl_dense){.rank = 2, .shape = {m->rows, m->cols}};
    if (!expand(x, m)) return SPARCL_E_MEMORY;
    sparcl_status status =
        spec_put_reals(ctx, &x->dense.values, x->host, m->rows * m->cols, SPARCL_F32);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &x->a, m);
    x->to = (sparcl_csr){.rows = m->rows, .cols = m->cols, .nnz = m->nnz};
    if (status == SPARCL_OK) status = sparcl_csr_create(ctx, &x->to);
    call->bytes =
        4 * (double)m->rows * (double)m->cols + 8 * (double)m->nnz + 4 * (double)(m->rows + 1);
    return status;
}

static int64_t up(int64_t x, int64_t block) {
    return (x + block - 1) / block * block;
}

bool spec_bench_widen(spec_matrix *to, const spec_matrix *m, int64_t block) {
    if (!spec_matrix_alloc(to, up(m->rows, block), up(m->cols, block), m->nnz)) return false;
    for (int64_t r = 0; r <= to->rows; ++r)
        to->offsets[r] = m->offsets[r < m->rows ? r : m->rows];
    memcpy(to->indices, m->indices, (size_t)m->nnz * sizeof *m->indices);
    memcpy(to->values, m->values, (size_t)m->nnz * sizeof *m->values);
    spec_matrix_unique(to);
    return true;
}

static sparcl_status open_blocks(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    if (!spec_bench_widen(&x->want, call->input->matrix, BLOCK)) return SPARCL_E_MEMORY;
    x->rows = x->want.rows;
    x->cols = x->want.cols;
    sparcl_status status = spec_bench_put_csr(ctx, &x->a, &x->want);
    const int64_t most = x->rows / BLOCK * (x->cols / BLOCK);
    x->bsr = (sparcl_bsr){.rows = x->rows,
                          .cols = x->cols,
                          .block_rows = BLOCK,
                          .block_cols = BLOCK,
                          .nnzb = x->want.nnz < most ? x->want.nnz : most};
    if (status == SPARCL_OK) status = sparcl_bsr_create(ctx, &x->bsr);
    call->bytes = 8 * (double)x->want.nnz + 4 * (double)(x->rows + 1) +
                  (4 * BLOCK * BLOCK + 4) * (double)x->bsr.nnzb;
    return status;
}

static sparcl_status open_topk(sparcl_ctx *ctx, spec_bench_call *call) {
    const sparcl_status status = open_dense(ctx, call);
    operands *const x = call->state;
    const int64_t k = x->cols < K ? x->cols : K;
    if (status != SPARCL_OK) return status;
    uint64_t seed = 1;
    for (int64_t i = 0; i < x->rows * x->cols; ++i)
        x->host[i] = spec_uniform(&seed);
    sparcl_dense_free(&x->dense);
    sparcl_csr_free(&x->to);
    x->to.nnz = x->rows * k;
    call->bytes = 4 * (double)x->rows * (double)x->cols + 8 * (double)x->to.nnz;
    const sparcl_status put =
        spec_put_reals(ctx, &x->dense.values, x->host, x->rows * x->cols, SPARCL_F32);
    return put == SPARCL_OK ? sparcl_csr_create(ctx, &x->to) : put;
}

/* The elements of a dense array at the places of the entries. */
static sparcl_status open_places(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t count = m->rows * m->cols;
    x->host = spec_numbers(count, 1);
    if (!x->host) return SPARCL_E_MEMORY;
    x->dense = (sparcl_dense){.rank = 2, .shape = {m->rows, m->cols}};
    x->values = (sparcl_dense){.rank = 1, .shape = {m->nnz}};
    sparcl_status status = spec_put_reals(ctx, &x->dense.values, x->host, count, SPARCL_F32);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &x->a, m);
    if (status == SPARCL_OK) status = sparcl_dense_create(ctx, &x->values);
    call->bytes = spec_bench_csr_bytes(&x->a) + 4 * (double)m->nnz;
    return status;
}

/* The same of the entries with their rows. */
static sparcl_status open_coo_mask(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const sparcl_status status = open_places(ctx, call);
    if (status != SPARCL_OK) return status;
    x->coo = (sparcl_coo){
        .rank = 2, .index_type = x->a.index_type, .shape = {m->rows, m->cols}, .nnz = m->nnz};
    call->bytes += (double)sparcl_itype_size(x->a.index_type) * (double)m->nnz;
    const sparcl_status created = sparcl_coo_create(ctx, &x->coo);
    return created == SPARCL_OK ? sparcl_csr_to_coo(ctx, &x->coo, &x->a) : created;
}

static sparcl_status run_to_dense(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_csr_to_dense(ctx, &x->dense, &x->a);
}
static sparcl_status run_from_dense(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_dense_to_csr(ctx, &x->to, &x->dense, 0, NULL, 0);
}
static sparcl_status run_to_bsr(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_csr_to_bsr(ctx, &x->bsr, &x->a, NULL, 0);
}
static sparcl_status run_topk(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_topk_rows(ctx, &x->to, &x->dense, K, SPARCL_TOPK_VALUE);
}

static sparcl_status run_sparse_mask(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_sparse_mask(ctx, &x->values, &x->dense, &x->a);
}
static sparcl_status run_coo_mask(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_coo_mask(ctx, &x->values, &x->dense, &x->coo);
}
/* --- checks ---------------------------------------------------------------------------------- */

static sparcl_status compare_dense(sparcl_ctx *ctx, const operands *x, const sparcl_dense *got,
                                   spec_report *report) {
    *report = (spec_report){.equal = true, .zeros_expected = true};
    return spec_bench_compare_dense(ctx, "to", got, x->host, report);
}

static sparcl_status check_to_dense(sparcl_ctx *ctx, const spec_bench_call *call,
                                    spec_report *report) {
    const operands *const x = call->state;
    return compare_dense(ctx, x, &x->dense, report);
}

static sparcl_status check_from_dense(sparcl_ctx *ctx, const spec_bench_call *call,
                                      spec_report *report) {
    const operands *const x = call->state;
    sparcl_dense all = {.rank = 2, .shape = {x->rows, x->cols}};
    sparcl_status status = sparcl_dense_create(ctx, &all);
    if (status == SPARCL_OK) status = sparcl_csr_to_dense(ctx, &all, &x->to);
    if (status == SPARCL_OK) status = compare_dense(ctx, x, &all, report);
    sparcl_dense_free(&all);
    return status;
}

/* The blocks hold all entries: the matrix has as many that are not 0. */
static sparcl_status check_to_bsr(sparcl_ctx *ctx, const spec_bench_call *call,
                                  spec_report *report) {
    const operands *const x = call->state;
    sparcl_csr all = {.rows = x->rows, .cols = x->cols, .nnz = x->bsr.nnzb * BLOCK * BLOCK};
    sparcl_csr pruned = {.rows = x->rows, .cols = x->cols, .nnz = x->want.nnz};
    (void)call;
    sparcl_status status = sparcl_csr_create(ctx, &all);
    if (status == SPARCL_OK) status = sparcl_csr_create(ctx, &pruned);
    if (status == SPARCL_OK) status = sparcl_bsr_to_csr(ctx, &all, &x->bsr);
    if (status == SPARCL_OK) status = sparcl_csr_prune(ctx, &pruned, &all, 0, NULL);
    if (status == SPARCL_OK) status = spec_bench_compare_csr(ctx, &pruned, &x->want, report);
    sparcl_csr_free(&all);
    sparcl_csr_free(&pruned);
    return status;
}

/* As many elements before one of the row as the plain-C answer says
 * (src/spec/conversions/spec_topk.c). */
static sparcl_status check_topk(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    const int64_t k = x->cols < K ? x->cols : K;
    int64_t *const cols = calloc((size_t)x->to.nnz + 1, sizeof *cols);
    *report = (spec_report){.equal = true};
    sparcl_status status = cols ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = spec_get_ints(ctx, x->to.indices, 0, x->to.nnz, 0, cols);
    for (int64_t i = 0; status == SPARCL_OK && i < x->rows && report->equal; ++i) {
        const double *const row = x->host + i * x->cols;
        double least = 1;
        int64_t above = 0;
        for (int64_t c = 0; c < k; ++c)
            if (row[cols[i * k + c]] < least) least = row[cols[i * k + c]];
        for (int64_t j = 0; j < x->cols; ++j)
            above += row[j] > least;
        report->equal = above < k;
    }
    free(cols);
    return status;
}

/* The elements at the entries, times their values for a product. */
static sparcl_status compare_places(sparcl_ctx *ctx, const spec_bench_call *call, bool is_product,
                                    spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    double *const order = spec_numbers(m->nnz, 0);
    *report = (spec_report){.equal = true};
    for (int64_t i = 0; order && i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k) {
            const double element = x->host[i * m->cols + m->indices[k]];
            order[k] = is_product ? spec_round(SPARCL_F32, element * m->values[k]) : element;
        }
    const sparcl_status status =
        order ? spec_bench_compare_dense(ctx, "values", &x->values, order, report)
              : SPARCL_E_MEMORY;
    free(order);
    return status;
}

static sparcl_status check_sparse_mask(sparcl_ctx *ctx, const spec_bench_call *call,
                                       spec_report *report) {
    return compare_places(ctx, call, false, report);
}
static sparcl_status check_coo_mask(sparcl_ctx *ctx, const spec_bench_call *call,
                                    spec_report *report) {
    return compare_places(ctx, call, false, report);
}

#define BENCH(id, text, about, opened)                                                             \
    const spec_bench spec_bench_##id = {.name = text,                                              \
                                        .what = about,                                             \
                                        .state_size = sizeof(operands),                            \
                                        .open = opened,                                            \
                                        .run = run_##id,                                           \
                                        .check = check_##id,                                       \
                                        .close = close_operands}
BENCH(to_dense, "to-dense", "CSR to a dense array", open_dense);
BENCH(from_dense, "from-dense", "the elements of a dense array that are not 0, to CSR", open_dense);
BENCH(to_bsr, "to-bsr", "CSR to BSR with blocks of 4 x 4", open_blocks);
BENCH(topk, "topk", "the 32 largest elements of each row of a dense matrix", open_topk);
BENCH(sparse_mask, "sparse-mask", "the elements of a dense matrix where A has entries",
      open_places);
BENCH(coo_mask, "coo-mask", "the elements of a dense matrix where COO entries are", open_coo_mask);
