/* bench_convert.c: timed conversions from BSR, CSC, COO and row-sparse arrays, and to COO and
 * row-sparse ones. f32, and 32-bit indices where they fit. */
#include <stdlib.h>

#include "spec/bench/bench.h"
#include "spec/shared/entries.h"

/* Rows and columns of a block. */
#define BLOCK 4

typedef struct operands {
    spec_matrix given; /* sorted, without duplicates */
    double *host;      /* the same as a dense array */
    sparcl_csr a, back;
    sparcl_csc csc; /* in the arrays of a */
    sparcl_bsr bsr;
    sparcl_coo coo;
    sparcl_rows rows;
    sparcl_dense dense;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_matrix_free(&x->given);
    free(x->host);
    sparcl_csr_free(&x->a);
    sparcl_csr_free(&x->back);
    sparcl_bsr_free(&x->bsr);
    sparcl_coo_free(&x->coo);
    sparcl_rows_free(&x->rows);
    sparcl_dense_free(&x->dense);
}

/* x->given, and x->host. */
static bool make(operands *x, const spec_matrix *m, bool has_empty_rows) {
    if (!spec_bench_copy(&x->given, m)) return false;
    spec_matrix_unique(&x->given);
    if (has_empty_rows) spec_matrix_empty_rows(&x->given);
    x->host = calloc((size_t)(m->rows * m->cols) + 1, sizeof *x->host);
    for (int64_t i = 0; x->host && i < m->rows; ++i)
        for (int64_t k = x->given.offsets[i]; k < x->given.offsets[i + 1]; ++k)
            x->host[i * m->cols + x->given.indices[k]] = x->given.values[k];
    return x->host;
}

static double dense_bytes(const operands *x) {
    return 4 * (double)x->given.rows * (double)x->given.cols;
}

static sparcl_status create_dense(sparcl_ctx *ctx, operands *x) {
    x->dense = (sparcl_dense){.rank = 2, .shape = {x->given.rows, x->given.cols}};
    return sparcl_dense_create(ctx, &x->dense);
}

/* --- from BSR: A with sizes that blocks divide ------------------------------------------------ */

int64_t spec_bench_count_blocks(const spec_matrix *m, int64_t block) {
    int64_t count = 0, *const last = calloc((size_t)(m->cols / block) + 1, sizeof *last);
    for (int64_t i = 0; last && i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k) {
            int64_t *const seen = &last[m->indices[k] / block];
            count += *seen <= i / block;
            *seen = i / block + 1;
        }
    free(last);
    return count;
}

static sparcl_status open_blocks(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    spec_matrix wide = {0};
    const bool made = spec_bench_widen(&wide, call->input->matrix, BLOCK) && make(x, &wide, false);
    spec_matrix_free(&wide);
    if (!made) return SPARCL_E_MEMORY;
    x->bsr = (sparcl_bsr){.rows = x->given.rows,
                          .cols = x->given.cols,
                          .block_rows = BLOCK,
                          .block_cols = BLOCK,
                          .nnzb = spec_bench_count_blocks(&x->given, BLOCK)};
    sparcl_status status = spec_bench_put_csr(ctx, &x->a, &x->given);
    if (status == SPARCL_OK) status = sparcl_bsr_create(ctx, &x->bsr);
    if (status == SPARCL_OK) status = sparcl_csr_to_bsr(ctx, &x->bsr, &x->a, NULL, 0);
    call->bytes =
        (4 * BLOCK * BLOCK + 4) * (double)x->bsr.nnzb + 4 * (double)(x->given.rows / BLOCK + 1);
    return status;
}

static sparcl_status open_bsr_to_dense(sparcl_ctx *ctx, spec_bench_call *call) {
    const sparcl_status status = open_blocks(ctx, call);
    call->bytes += dense_bytes(call->state);
    return status == SPARCL_OK ? create_dense(ctx, call->state) : status;
}

/* An entry for each element of a block, also of those that are 0. */
static sparcl_status open_bsr_to_csr(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const sparcl_status status = open_blocks(ctx, call);
    x->back = (sparcl_csr){
        .rows = x->given.rows, .cols = x->given.cols, .nnz = x->bsr.nnzb * BLOCK * BLOCK};
    call->bytes += spec_bench_csr_bytes(&x->back);
    return status == SPARCL_OK ? sparcl_csr_create(ctx, &x->back) : status;
}

/* --- from CSC, from and to COO, from and to row-sparse ---------------------------------------- */

static sparcl_status open_csc_to_dense(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    spec_matrix columns = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    if (make(x, call->input->matrix, false) && spec_matrix_transpose(&columns, &x->given))
        status = spec_bench_put_csr(ctx, &x->a, &columns);
    spec_matrix_free(&columns);
    if (status != SPARCL_OK) return status;
    x->csc = spec_as_csc(&x->a);
    call->bytes = dense_bytes(x) + spec_bench_csr_bytes(&x->a);
    return create_dense(ctx, x);
}

static sparcl_status open_coo_to_dense(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_case types = {.dtype = SPARCL_F32, .index_type = SPARCL_I32};
    spec_entries e = {0};
    if (!make(x, call->input->matrix, false)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_entries_of_matrix(&e, &x->given, x->given.nnz)
                               ? spec_put_entries(ctx, &x->coo, &e, &types, 0, false)
                               : SPARCL_E_MEMORY;
    spec_entries_free(&e);
    call->bytes = dense_bytes(x) + 12 * (double)x->given.nnz;
    return status == SPARCL_OK ? create_dense(ctx, x) : status;
}

static sparcl_status open_dense_to_coo(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    if (!make(x, m, false)) return SPARCL_E_MEMORY;
    x->dense = (sparcl_dense){.rank = 2, .shape = {m->rows, m->cols}};
    x->coo = (sparcl_coo){.rank = 2, .shape = {m->rows, m->cols}, .nnz = x->given.nnz};
    const sparcl_status status =
        spec_put_reals(ctx, &x->dense.values, x->host, m->rows * m->cols, SPARCL_F32);
    call->bytes = dense_bytes(x) + 12 * (double)x->given.nnz;
    return status == SPARCL_OK ? sparcl_coo_create(ctx, &x->coo) : status;
}

/* The dense array, and its rows that are not 0: three of four. */
static sparcl_status open_rows(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    if (!make(x, m, true)) return SPARCL_E_MEMORY;
    x->dense = (sparcl_dense){.rank = 2, .shape = {m->rows, m->cols}};
    x->rows =
        (sparcl_rows){.rank = 2, .shape = {m->rows, m->cols}, .nnr = spec_rows_used(&x->given)};
    sparcl_status status =
        spec_put_reals(ctx, &x->dense.values, x->host, m->rows * m->cols, SPARCL_F32);
    if (status == SPARCL_OK) status = sparcl_rows_create(ctx, &x->rows);
    call->bytes = dense_bytes(x) + (double)x->rows.nnr * (4 + 4 * (double)m->cols);
    return status;
}

static sparcl_status run_dense_to_rows(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_dense_to_rows(ctx, &x->rows, &x->dense, 0, NULL, 0);
}

static sparcl_status open_rows_to_dense(sparcl_ctx *ctx, spec_bench_call *call) {
    const sparcl_status status = open_rows(ctx, call);
    return status == SPARCL_OK ? run_dense_to_rows(ctx, call) : status;
}

static sparcl_status open_rows_to_csr(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    sparcl_status status = open_rows_to_dense(ctx, call);
    x->back = (sparcl_csr){.rows = x->given.rows, .cols = x->given.cols, .nnz = x->given.nnz};
    call->bytes = (double)x->rows.nnr * (4 + 4 * (double)x->given.cols) + 8 * (double)x->given.nnz +
                  4 * (double)(x->given.rows + 1);
    return status == SPARCL_OK ? sparcl_csr_create(ctx, &x->back) : status;
}

static sparcl_status open_csr_to_rows(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    sparcl_status status = open_rows(ctx, call);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &x->a, &x->given);
    call->bytes += spec_bench_csr_bytes(&x->a) - dense_bytes(x);
    return status;
}

#define open_dense_to_rows open_rows

static sparcl_status run_csc_to_dense(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_csc_to_dense(ctx, &x->dense, &x->csc);
}
static sparcl_status run_dense_to_coo(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_dense_to_coo(ctx, &x->coo, &x->dense, 0, NULL, 0);
}
static sparcl_status run_csr_to_rows(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_csr_to_rows(ctx, &x->rows, &x->a, NULL, 0);
}

static sparcl_status run_bsr_to_dense(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_bsr_to_dense(ctx, &x->dense, &x->bsr);
}
static sparcl_status run_bsr_to_csr(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_bsr_to_csr(ctx, &x->back, &x->bsr);
}
static sparcl_status run_coo_to_dense(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_coo_to_dense(ctx, &x->dense, &x->coo);
}
static sparcl_status run_rows_to_dense(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_rows_to_dense(ctx, &x->dense, &x->rows);
}
static sparcl_status run_rows_to_csr(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_rows_to_csr(ctx, &x->back, &x->rows, 0, NULL, 0);
}

/* --- checks ----------------------------------------------------------------------------------- */

static sparcl_status compare(sparcl_ctx *ctx, const sparcl_dense *got, const operands *x,
                             spec_report *report) {
    *report = (spec_report){.equal = true, .zeros_expected = true};
    return spec_bench_compare_dense(ctx, "to", got, x->host, report);
}

/* The results as dense arrays; their conversions have operations of their own. */
static sparcl_status rows_as_dense(sparcl_ctx *ctx, sparcl_dense *all, const operands *x) {
    return sparcl_rows_to_dense(ctx, all, &x->rows);
}
static sparcl_status csr_as_dense(sparcl_ctx *ctx, sparcl_dense *all, const operands *x) {
    return sparcl_csr_to_dense(ctx, all, &x->back);
}
static sparcl_status coo_as_dense(sparcl_ctx *ctx, sparcl_dense *all, const operands *x) {
    return sparcl_coo_to_dense(ctx, all, &x->coo);
}

static sparcl_status compare_expanded(sparcl_ctx *ctx, const operands *x,
                                      sparcl_status (*expand)(sparcl_ctx *, sparcl_dense *,
                                                              const operands *),
                                      spec_report *report) {
    sparcl_dense all = {.rank = 2, .shape = {x->given.rows, x->given.cols}};
    sparcl_status status = sparcl_dense_create(ctx, &all);
    if (status == SPARCL_OK) status = expand(ctx, &all, x);
    if (status == SPARCL_OK) status = compare(ctx, &all, x, report);
    sparcl_dense_free(&all);
    return status;
}

static sparcl_status check_dense(sparcl_ctx *ctx, const spec_bench_call *call,
                                 spec_report *report) {
    const operands *const x = call->state;
    return compare(ctx, &x->dense, x, report);
}
static sparcl_status check_rows(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    return compare_expanded(ctx, call->state, rows_as_dense, report);
}
static sparcl_status check_csr(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    return compare_expanded(ctx, call->state, csr_as_dense, report);
}
static sparcl_status check_coo(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    return compare_expanded(ctx, call->state, coo_as_dense, report);
}

static sparcl_status poison_dense(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->dense.values);
}
static sparcl_status poison_rows(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->rows.values);
}
static sparcl_status poison_csr(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->back.values);
}
static sparcl_status poison_coo(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->coo.values);
}

#define BENCH(id, text, about, result)                                                             \
    const spec_bench spec_bench_##id = {.name = (text),                                            \
                                        .what = (about),                                           \
                                        .state_size = sizeof(operands),                            \
                                        .open = open_##id,                                         \
                                        .run = run_##id,                                           \
                                        .check = check_##result,                                   \
                                        .close = close_operands,                                   \
                                        .reset = poison_##result};

BENCH(bsr_to_dense, "bsr-to-dense", "BSR with blocks of 4 x 4 to a dense array", dense)
BENCH(bsr_to_csr, "bsr-to-csr", "the same to CSR", csr)
BENCH(coo_to_dense, "coo-to-dense", "sorted COO entries to a dense array", dense)
BENCH(csc_to_dense, "csc-to-dense", "CSC with sorted columns to a dense array", dense)
BENCH(dense_to_coo, "dense-to-coo", "the elements of a dense array that are not 0, to COO", coo)
BENCH(csr_to_rows, "csr-to-rows",
      "the rows that have entries, three of four, to a row-sparse array", rows)
BENCH(dense_to_rows, "dense-to-rows", "the rows of a dense array that are not 0, three of four",
      rows)
BENCH(rows_to_dense, "rows-to-dense", "such rows to a dense array", dense)
BENCH(rows_to_csr, "rows-to-csr", "the elements of such rows that are not 0, to CSR", csr)
