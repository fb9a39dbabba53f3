/* bench_sparse_products.c: timed operations: dot products at the entries of A, the product with the
 * maximum or mean of terms, and the product of two sparse matrices. */
#include <stdlib.h>

#include "spec/bench/bench.h"

/* Entries of each row of the second factor of a product of sparse matrices. */
enum { FACTOR_ROW = 4 };

typedef struct operands {
    spec_matrix b_host, want;
    sparcl_csr a, b, c;
    sparcl_dense x, y, to; /* dense operands and result */
    double *x_host, *y_host;
    sparcl_spgemm *plan;
    sparcl_reduction kind;
} operands;

static void close_operands(void *state) {
    operands *const s = state;
    sparcl_spgemm_free(s->plan);
    spec_matrix_free(&s->b_host);
    spec_matrix_free(&s->want);
    sparcl_csr_free(&s->a);
    sparcl_csr_free(&s->b);
    sparcl_csr_free(&s->c);
    sparcl_dense_free(&s->x);
    sparcl_dense_free(&s->y);
    sparcl_dense_free(&s->to);
    free(s->x_host);
    free(s->y_host);
}

static sparcl_status put_dense(sparcl_ctx *ctx, sparcl_dense *view, double **host, int64_t rows,
                               int64_t n, uint64_t seed) {
    *view = (sparcl_dense){.rank = 2, .shape = {rows, n}};
    *host = spec_numbers(rows * n, seed);
    return *host ? spec_put_reals(ctx, &view->values, *host, rows * n, SPARCL_F32)
                 : SPARCL_E_MEMORY;
}

static sparcl_status compare(sparcl_ctx *ctx, const sparcl_dense *got, const double *want,
                             spec_report *report) {
    *report = (spec_report){.equal = true, .zeros_expected = true};
    return spec_bench_compare_dense(ctx, "result", got, want, report);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const s = call->state;
    const sparcl_status status = spec_poison(ctx, s->to.values);
    return status == SPARCL_OK ? spec_bench_poison_csr(ctx, &s->c) : status;
}

/* --- sddmm ------------------------------------------------------------------------------------ */

static sparcl_status open_sddmm(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    const double rows = (double)(spec_rows_used(m) + spec_columns_used(m));
    sparcl_status status = spec_bench_put_csr(ctx, &s->a, m);
    if (status == SPARCL_OK) status = put_dense(ctx, &s->x, &s->x_host, m->rows, n, 1);
    if (status == SPARCL_OK) status = put_dense(ctx, &s->y, &s->y_host, m->cols, n, 2);
    s->to = (sparcl_dense){.rank = 1, .shape = {m->nnz}};
    if (status == SPARCL_OK) status = sparcl_dense_create(ctx, &s->to);
    call->flops = 2 * (double)m->nnz * (double)n;
    call->bytes = spec_bench_csr_bytes(&s->a) + 4 * (double)n * rows;
    return status;
}

static sparcl_status run_sddmm(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const s = call->state;
    return sparcl_sddmm(ctx, &s->to, 1, &s->a, &s->x, &s->y, 0);
}

static sparcl_status check_sddmm(sparcl_ctx *ctx, const spec_bench_call *call,
                                 spec_report *report) {
    const operands *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    double *const want = spec_numbers(m->nnz, 0);
    if (!want) return SPARCL_E_MEMORY;
    for (int64_t i = 0; i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
            want[k] = spec_sum_products(SPARCL_F32, s->x_host + i * n,
                                        s->y_host + m->indices[k] * n, 1, n, true);
    const sparcl_status status = compare(ctx, &s->to, want, report);
    free(want);
    return status;
}

/* --- spmm_reduce ------------------------------------------------------------------------------ */

static sparcl_status open_reduce(sparcl_ctx *ctx, spec_bench_call *call, sparcl_reduction kind) {
    operands *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    sparcl_status status = spec_bench_put_csr(ctx, &s->a, m);
    if (status == SPARCL_OK) status = put_dense(ctx, &s->y, &s->y_host, m->cols, n, 2);
    s->to = (sparcl_dense){.rank = 2, .shape = {m->rows, n}};
    if (status == SPARCL_OK) status = sparcl_dense_create(ctx, &s->to);
    s->kind = kind;
    call->flops = 2 * (double)m->nnz * (double)n;
    call->bytes =
        spec_bench_csr_bytes(&s->a) + 4 * (double)n * (double)(m->rows + spec_columns_used(m));
    return status;
}

static sparcl_status open_max(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_reduce(ctx, call, SPARCL_REDUCE_MAX);
}

static sparcl_status open_mean(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_reduce(ctx, call, SPARCL_REDUCE_MEAN);
}

static sparcl_status run_reduce(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const s = call->state;
    return sparcl_spmm_reduce(ctx, s->kind, &s->to, &s->a, &s->y, NULL);
}

/* An element of row i, where `column` has the elements of B that the row's entries meet. */
static double answer_reduce(sparcl_reduction kind, const spec_matrix *m, int64_t i,
                            const double *column, bool one_column) {
    const double *const values = m->values + m->offsets[i];
    const int64_t length = m->offsets[i + 1] - m->offsets[i];
    double best = 0;
    if (kind == SPARCL_REDUCE_MEAN && length > 0) {
        const double sum = spec_sum_products(SPARCL_F32, values, column, 1, length, one_column);
        return spec_round(SPARCL_F32, sum / (double)length);
    }
    for (int64_t k = 0; k < length; ++k) {
        const double term = spec_round(SPARCL_F32, values[k] * column[k]);
        if (k == 0 || term > best) best = term;
    }
    return best;
}

static sparcl_status check_reduce(sparcl_ctx *ctx, const spec_bench_call *call,
                                  spec_report *report) {
    const operands *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    double *const want = spec_numbers(m->rows * n, 0), *const column = spec_numbers(m->nnz, 0);
    sparcl_status status = want && column ? SPARCL_OK : SPARCL_E_MEMORY;
    for (int64_t at = 0; status == SPARCL_OK && at < m->rows * n; ++at) {
        const int64_t i = at / n, first = m->offsets[i];
        for (int64_t k = first; k < m->offsets[i + 1]; ++k)
            column[k - first] = s->y_host[m->indices[k] * n + at % n];
        want[at] = answer_reduce(s->kind, m, i, column, n == 1);
    }
    if (status == SPARCL_OK) status = compare(ctx, &s->to, want, report);
    free(want);
    free(column);
    return status;
}

/* --- spgemm ----------------------------------------------------------------------------------- */

/* bench/cases.py has the same. */
bool spec_bench_factor(spec_matrix *b, int64_t size) {
    if (!spec_matrix_alloc(b, size, size, size * FACTOR_ROW)) return false;
    for (int64_t k = 0; k < b->nnz; ++k) {
        b->indices[k] = (int64_t)(((uint64_t)k * 2654435761u & 0xffffffffu) % (uint64_t)size);
        b->values[k] = (double)(k % 7 + 1) / 8;
    }
    for (int64_t i = 0; i <= size; ++i)
        b->offsets[i] = i * FACTOR_ROW;
    spec_matrix_unique(b);
    return true;
}

/* The expected product, row by row, with rule P; `sums` and `has` have an element per column. */
static int64_t multiply_row(const operands *s, const spec_matrix *m, int64_t i, double *sums,
                            char *has, int64_t *columns) {
    int64_t count = 0;
    for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
        for (int64_t l = s->b_host.offsets[m->indices[k]]; l < s->b_host.offsets[m->indices[k] + 1];
             ++l) {
            const int64_t j = s->b_host.indices[l];
            const double term = spec_round(SPARCL_F32, m->values[k] * s->b_host.values[l]);
            if (!has[j]) {
                has[j] = 1;
                sums[j] = 0;
                columns[count++] = j;
            }
            sums[j] = spec_round(SPARCL_F32, sums[j] + term);
        }
    spec_sort_ints(columns, count);
    return count;
}

static bool multiply_plain(operands *s, const spec_matrix *m) {
    const size_t cols = (size_t)m->cols + 1;
    double *const sums = calloc(cols, sizeof *sums);
    char *const has = calloc(cols, 1);
    const bool made =
        sums && has && spec_matrix_alloc(&s->want, m->rows, m->cols, m->nnz * FACTOR_ROW);
    for (int64_t i = 0, at = 0; made && i < m->rows; ++i) {
        const int64_t count = multiply_row(s, m, i, sums, has, s->want.indices + at);
        for (const int64_t end = at + count; at < end; ++at) {
            s->want.values[at] = sums[s->want.indices[at]];
            has[s->want.indices[at]] = 0;
        }
        s->want.offsets[i + 1] = s->want.nnz = at;
    }
    free(sums);
    free(has);
    return made;
}

static sparcl_status create_result(sparcl_ctx *ctx, operands *s, int64_t entries) {
    s->c = s->a;
    s->c.cols = s->b.cols;
    s->c.nnz = entries;
    s->c.offsets = s->c.indices = s->c.values = NULL;
    return sparcl_csr_create(ctx, &s->c);
}

static sparcl_status open_spgemm(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    if (!spec_bench_factor(&s->b_host, m->cols) || !multiply_plain(s, m)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_bench_put_csr(ctx, &s->a, m);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &s->b, &s->b_host);
    if (status == SPARCL_OK) status = create_result(ctx, s, s->want.nnz);
    if (status == SPARCL_OK) status = sparcl_spgemm_create(ctx, &s->plan);
    call->flops = 2 * (double)m->nnz * FACTOR_ROW;
    call->bytes =
        spec_bench_csr_bytes(&s->a) + spec_bench_csr_bytes(&s->b) + spec_bench_csr_bytes(&s->c);
    return status;
}

static sparcl_status run_spgemm(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const s = call->state;
    const sparcl_status status = sparcl_spgemm_symbolic(ctx, s->plan, &s->a, &s->b);
    return status == SPARCL_OK ? sparcl_spgemm_numeric(ctx, s->plan, &s->c, &s->a, &s->b, NULL, 0)
                               : status;
}

static sparcl_status check_result(sparcl_ctx *ctx, const spec_bench_call *call,
                                  spec_report *report) {
    const operands *const s = call->state;
    return spec_bench_compare_csr(ctx, &s->c, &s->want, report);
}

SPEC_BENCH(sddmm, "sddmm", "dot products of rows of two dense matrices, at A's entries",
           SPEC_BENCH_WIDTHS, open_sddmm, run_sddmm, check_sddmm)
SPEC_BENCH(spmm_max, "spmm-max", "A B with the maximum of the terms of each element",
           SPEC_BENCH_WIDTHS, open_max, run_reduce, check_reduce)
SPEC_BENCH(spmm_mean, "spmm-mean", "A B with the mean of the terms of each element",
           SPEC_BENCH_WIDTHS, open_mean, run_reduce, check_reduce)
SPEC_BENCH(spgemm, "spgemm", "A B, both phases, B sparse with four entries in each row", 0,
           open_spgemm, run_spgemm, check_result)
