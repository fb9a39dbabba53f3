/* bench_reduce.c: timed operations: reductions of the rows and columns of a CSR matrix, and of
 * segments of a dense array with a row for each of its entries. */
#include <stdlib.h>
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/folds.h"

/* What a segment is, and how the segments of the items are given. */
typedef enum segments { ROWS_BY_OFFSETS, ROWS_BY_IDS, COLUMNS_BY_IDS } segments;

/* Items are the entries of the matrix. */
typedef struct operands {
    sparcl_csr a;
    sparcl_list ids;
    segments by;
    sparcl_dense x, to;
    double *host;        /* x */
    spec_matrix columns; /* the transpose, where segments are columns */
    sparcl_pattern *pattern;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    sparcl_csr_free(&x->a);
    sparcl_list_free(&x->ids);
    sparcl_dense_free(&x->x);
    sparcl_dense_free(&x->to);
    spec_matrix_free(&x->columns);
    sparcl_pattern_free(x->pattern);
    free(x->host);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->to.values);
}

/* --- rows and columns of a CSR matrix --------------------------------------------------------- */

static sparcl_status open_matrix(sparcl_ctx *ctx, spec_bench_call *call, int64_t results) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    sparcl_status status = spec_bench_put_csr(ctx, &x->a, m);
    x->to = (sparcl_dense){.rank = 1, .shape = {results}};
    if (status == SPARCL_OK) status = sparcl_dense_zeros(ctx, &x->to);
    const double offset = (double)sparcl_itype_size(x->a.offset_type);
    call->bytes = 4 * (double)m->nnz + offset * (double)(m->rows + 1) + 4 * (double)results;
    return status;
}

static sparcl_status open_rows(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_matrix(ctx, call, call->input->matrix->rows);
}

/* The pattern is built before, as for spmm-t. */
static sparcl_status open_columns(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    if (!spec_matrix_transpose(&x->columns, m)) return SPARCL_E_MEMORY;
    sparcl_status status = open_matrix(ctx, call, m->cols);
    call->bytes += (double)sparcl_itype_size(x->a.index_type) * (double)m->nnz;
    if (status == SPARCL_OK) status = sparcl_pattern_create(ctx, &x->pattern);
    return status == SPARCL_OK ? sparcl_pattern_build(ctx, x->pattern, &x->a) : status;
}

static sparcl_status sum(sparcl_ctx *ctx, const spec_bench_call *call, int axis) {
    const operands *const x = call->state;
    return sparcl_csr_reduce(ctx, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, &x->to, &x->a, axis, NULL, 0,
                             x->pattern);
}

static sparcl_status run_rows(sparcl_ctx *ctx, const spec_bench_call *call) {
    return sum(ctx, call, 1);
}

static sparcl_status run_columns(sparcl_ctx *ctx, const spec_bench_call *call) {
    return sum(ctx, call, 0);
}

/* Read the result and compare it with `order`. */
static sparcl_status compare(sparcl_ctx *ctx, const operands *x, double *order,
                             spec_report *report) {
    *report = (spec_report){.equal = true, .zeros_expected = true};
    const sparcl_status status =
        order ? spec_bench_compare_dense(ctx, "result", &x->to, order, report) : SPARCL_E_MEMORY;
    free(order);
    return status;
}

/* Sums of the rows of m: A or its transpose. */
static sparcl_status check_sums(sparcl_ctx *ctx, const spec_bench_call *call, const spec_matrix *m,
                                spec_report *report) {
    const spec_folding f = {SPARCL_F32, SPARCL_REDUCE_SUM, true, m->cols};
    double *const order = calloc((size_t)m->rows + 1, sizeof *order);
    for (int64_t r = 0; order && r < m->rows; ++r)
        order[r] =
            spec_fold(&f, m->values + m->offsets[r], NULL, m->offsets[r + 1] - m->offsets[r]).order;
    return compare(ctx, call->state, order, report);
}

static sparcl_status check_rows(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    return check_sums(ctx, call, call->input->matrix, report);
}

static sparcl_status check_columns(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    const operands *const x = call->state;
    return check_sums(ctx, call, &x->columns, report);
}

/* --- segments --------------------------------------------------------------------------------- */

/* Random numbers, as floats. */
static sparcl_status put_items(sparcl_ctx *ctx, operands *x, int64_t count, int64_t n) {
    x->x = (sparcl_dense){.rank = 2, .shape = {count, n}};
    x->host = spec_numbers(count * n, 5);
    return x->host ? spec_put_reals(ctx, &x->x.values, x->host, count * n, SPARCL_F32)
                   : SPARCL_E_MEMORY;
}

static sparcl_status put_ids(sparcl_ctx *ctx, operands *x, const spec_matrix *m, bool by_column) {
    int64_t *const rows = calloc((size_t)m->nnz + 1, sizeof *rows);
    for (int64_t r = 0; rows && r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k)
            rows[k] = r;
    const int64_t limit = by_column ? m->cols : m->rows;
    x->ids = (sparcl_list){
        .count = m->nnz, .limit = limit, .index_type = limit > INT32_MAX ? SPARCL_I64 : SPARCL_I32};
    x->ids.proof.flags = SPARCL_TRUSTED | (by_column ? 0 : SPARCL_SORTED);
    const sparcl_status status =
        rows ? spec_put_ints(ctx, &x->ids.indices, by_column ? m->indices : rows, m->nnz,
                             x->ids.index_type)
             : SPARCL_E_MEMORY;
    free(rows);
    return status;
}

static sparcl_status open_segments(sparcl_ctx *ctx, spec_bench_call *call, segments by) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n, count = by == COLUMNS_BY_IDS ? m->cols : m->rows;
    x->by = by;
    if (by == COLUMNS_BY_IDS && !spec_matrix_transpose(&x->columns, m)) return SPARCL_E_MEMORY;
    sparcl_status status = by == ROWS_BY_OFFSETS ? spec_bench_put_csr(ctx, &x->a, m)
                                                 : put_ids(ctx, x, m, by == COLUMNS_BY_IDS);
    if (status == SPARCL_OK) status = put_items(ctx, x, m->nnz, n);
    x->to = (sparcl_dense){.rank = 2, .shape = {count, n}};
    if (status == SPARCL_OK) status = sparcl_dense_zeros(ctx, &x->to);
    call->bytes =
        4 * (double)n * (double)(m->nnz + count) +
        (by == ROWS_BY_OFFSETS ? (double)sparcl_itype_size(x->a.offset_type) * (double)(count + 1)
                               : (double)sparcl_itype_size(x->ids.index_type) * (double)m->nnz);
    call->flops = (double)m->nnz * (double)n;
    return status;
}

static sparcl_status open_offsets(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_segments(ctx, call, ROWS_BY_OFFSETS);
}

static sparcl_status open_sorted(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_segments(ctx, call, ROWS_BY_IDS);
}

static sparcl_status open_unsorted(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_segments(ctx, call, COLUMNS_BY_IDS);
}

static sparcl_status reduce(sparcl_ctx *ctx, const spec_bench_call *call, sparcl_reduction kind) {
    const operands *const x = call->state;
    const bool by_offsets = x->by == ROWS_BY_OFFSETS;
    const sparcl_segments given = {by_offsets ? NULL : &x->ids, by_offsets ? &x->a : NULL};
    return sparcl_segment_reduce(ctx, kind, &x->to, &x->x, &given, NULL, 0);
}

static sparcl_status run_sum(sparcl_ctx *ctx, const spec_bench_call *call) {
    return reduce(ctx, call, SPARCL_REDUCE_SUM);
}

static sparcl_status run_max(sparcl_ctx *ctx, const spec_bench_call *call) {
    return reduce(ctx, call, SPARCL_REDUCE_MAX);
}

/* Entries of column c by row, in the order of the transpose. */
static int64_t *items_of(const operands *x, const spec_matrix *m) {
    int64_t *const items = calloc((size_t)m->nnz + 1, sizeof *items);
    int64_t *const next = calloc((size_t)m->cols + 1, sizeof *next);
    const bool by_column = x->columns.offsets;
    if (by_column && next) memcpy(next, x->columns.offsets, (size_t)m->cols * sizeof *next);
    for (int64_t k = 0; items && next && k < m->nnz; ++k)
        items[by_column ? next[m->indices[k]]++ : k] = k;
    free(next);
    return items;
}

static sparcl_status check_segments(sparcl_ctx *ctx, const spec_bench_call *call, int kind,
                                    spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t *const offsets = x->columns.offsets ? x->columns.offsets : m->offsets;
    const int64_t n = call->input->n, count = x->to.shape[0];
    const spec_folding f = {SPARCL_F32, kind, false, 0};
    double *const order = calloc((size_t)(count * n) + 1, sizeof *order);
    double *const column = calloc((size_t)m->nnz + 1, sizeof *column);
    int64_t *const items = items_of(x, m);
    for (int64_t s = 0; order && column && items && s < count; ++s)
        for (int64_t j = 0; j < n; ++j) {
            for (int64_t k = offsets[s]; k < offsets[s + 1]; ++k)
                column[k - offsets[s]] = x->host[items[k] * n + j];
            order[s * n + j] = spec_fold(&f, column, NULL, offsets[s + 1] - offsets[s]).order;
        }
    const bool done = column && items;
    free(column);
    free(items);
    if (done) return compare(ctx, x, order, report);
    free(order);
    return SPARCL_E_MEMORY;
}

static sparcl_status check_sum(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    return check_segments(ctx, call, SPARCL_REDUCE_SUM, report);
}

static sparcl_status check_max(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    return check_segments(ctx, call, SPARCL_REDUCE_MAX, report);
}

SPEC_BENCH(csr_reduce, "csr-reduce", "sums of the rows of A", 0, open_rows, run_rows, check_rows)
SPEC_BENCH(csr_reduce_columns, "csr-reduce-columns",
           "sums of the columns of A, with its pattern built before", 0, open_columns, run_columns,
           check_columns)
SPEC_BENCH(segment_sum, "segment-sum",
           "sums of rows, one for each entry of A, by the row of the entry", SPEC_BENCH_WIDTHS,
           open_offsets, run_sum, check_sum)
SPEC_BENCH(segment_sum_sorted, "segment-sum-sorted", "the same by the number of its row, ascending",
           SPEC_BENCH_WIDTHS, open_sorted, run_sum, check_sum)
SPEC_BENCH(segment_sum_unsorted, "segment-sum-unsorted", "the same by its column, in no order",
           SPEC_BENCH_WIDTHS, open_unsorted, run_sum, check_sum)
SPEC_BENCH(segment_max, "segment-max",
           "maxima of rows, one for each entry of A, by the row of the entry", SPEC_BENCH_WIDTHS,
           open_offsets, run_max, check_max)
