/* bench_transpose.c: what turns a matrix round, as it is timed: CSR to CSC, the pattern, and the
 * transposed product with nothing prepared. f32, and 32-bit indices where they fit. */
#include <stdlib.h>

#include "spec/bench.h"

typedef struct operands {
    spec_matrix transposed;
    sparcl_csr a;
    sparcl_csr fields; /* the buffers of `csc` */
    sparcl_csc csc;
    sparcl_pattern *pattern;
    sparcl_dense b;
    sparcl_rows r;
    double *b_host;
} operands;

static void close_operands(spec_bench_call *call) {
    operands *const x = call->state;
    if (!x) return;
    spec_matrix_free(&x->transposed);
    spec_drop_csr(&x->a);
    spec_drop_csr(&x->fields);
    sparcl_pattern_free(x->pattern);
    sparcl_buf_free(x->b.values);
    sparcl_buf_free(x->r.values);
    sparcl_buf_free(x->r.indices);
    sparcl_buf_free(x->r.count);
    free(x->b_host);
    free(x);
    call->state = NULL;
}

/* --- inputs ---------------------------------------------------------------------------------- */

static sparcl_status put_csr(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m) {
    return spec_put_csr(ctx, view, m, SPARCL_F32, m->nnz > INT32_MAX ? SPARCL_I64 : SPARCL_I32,
                        m->cols > INT32_MAX ? SPARCL_I64 : SPARCL_I32);
}

/* Rows that have entries. */
static int64_t rows_used(const spec_matrix *m) {
    int64_t used = 0;
    for (int64_t r = 0; r < m->rows; ++r)
        used += m->offsets[r + 1] > m->offsets[r];
    return used;
}

static sparcl_status open_matrix(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    operands *const x = calloc(1, sizeof *x);
    if (!x) return SPARCL_E_MEMORY;
    call->state = x;
    if (!spec_matrix_transpose(&x->transposed, m)) return SPARCL_E_MEMORY;
    return put_csr(ctx, &x->a, m);
}

static sparcl_status close_failed(spec_bench_call *call, sparcl_status status) {
    if (status != SPARCL_OK) close_operands(call);
    return status;
}

static sparcl_status open_transpose(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    sparcl_status status = open_matrix(ctx, call);
    operands *const x = call->state;
    if (status == SPARCL_OK) status = put_csr(ctx, &x->fields, &x->transposed);
    if (status != SPARCL_OK) return close_failed(call, status);
    x->csc = (sparcl_csc){.rows = m->rows,
                          .cols = m->cols,
                          .nnz = m->nnz,
                          .dtype = SPARCL_F32,
                          .offset_type = x->fields.offset_type,
                          .index_type = x->fields.index_type,
                          .offsets = x->fields.offsets,
                          .indices = x->fields.indices,
                          .values = x->fields.values};
    call->bytes = 16 * (double)m->nnz + 4 * (double)(m->rows + m->cols + 2);
    return SPARCL_OK;
}

/* A column less or more decides about the pattern's own memory alone. */
static sparcl_status open_pattern(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    sparcl_status status = open_matrix(ctx, call);
    operands *const x = call->state;
    if (status == SPARCL_OK) status = sparcl_pattern_create(ctx, &x->pattern);
    if (status == SPARCL_OK)
        call->bytes =
            12 * (double)m->nnz + 4 * (double)(m->rows + 1) + 8 * (double)rows_used(&x->transposed);
    return close_failed(call, status);
}

static sparcl_status open_product(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n, room = m->nnz < m->cols ? m->nnz : m->cols;
    sparcl_status status = open_pattern(ctx, call);
    if (status != SPARCL_OK) return status;
    operands *const x = call->state;
    x->b = (sparcl_dense){.rank = 2, .shape = {m->rows, n}};
    x->r =
        (sparcl_rows){.rank = 2, .index_type = x->a.index_type, .shape = {m->cols, n}, .nnr = room};
    x->b_host = spec_numbers(m->rows * n, 1);
    const int64_t index_size = (int64_t)sparcl_itype_size(x->r.index_type);
    status = x->b_host ? spec_put_reals(ctx, &x->b.values, x->b_host, m->rows * n, SPARCL_F32)
                       : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->r.values, room * n * 4);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->r.indices, room * index_size);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->r.count, 8);
    const double used = (double)rows_used(&x->transposed);
    call->flops = 2 * (double)m->nnz * (double)n;
    call->bytes = 8 * (double)m->nnz + 4 * (double)(m->rows + 1) + 4 * used +
                  4 * (double)n * ((double)rows_used(m) + used);
    return close_failed(call, status);
}

/* --- calls ----------------------------------------------------------------------------------- */

static sparcl_status run_transpose(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_csr_to_csc(ctx, &x->csc, &x->a);
}

static sparcl_status run_pattern(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_pattern_build(ctx, x->pattern, &x->a);
}

/* With nothing prepared. */
static sparcl_status run_product(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_spmm_t_rows(ctx, &x->r, 1, &x->a, &x->b, NULL);
}

/* --- checks ---------------------------------------------------------------------------------- */

static sparcl_status check_transpose(sparcl_ctx *ctx, const spec_bench_call *call,
                                     spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const t = &x->transposed;
    spec_matrix got;
    *report = (spec_report){.equal = true, .zeros_are_right = true};
    if (!spec_matrix_alloc(&got, t->rows, t->cols, t->nnz)) return SPARCL_E_MEMORY;
    sparcl_status status =
        spec_get_ints(ctx, x->csc.offsets, 0, t->rows + 1, x->csc.offset_type, got.offsets);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, x->csc.indices, 0, t->nnz, x->csc.index_type, got.indices);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, x->csc.values, 0, t->nnz, SPARCL_F32, got.values);
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "offsets", got.offsets, t->offsets, t->rows + 1);
        spec_compare_ints(report, "indices", got.indices, t->indices, t->nnz);
        for (int64_t k = 0; k < t->nnz; ++k)
            t->values[k] = spec_round(SPARCL_F32, t->values[k]);
        spec_compare(report, "values", got.values, t->values, NULL, NULL, t->nnz);
    }
    spec_matrix_free(&got);
    return status;
}

/* The ids of a row-sparse array, or of a pattern's columns: those of the columns with entries. */
static sparcl_status compare_ids(sparcl_ctx *ctx, const sparcl_rows *r, const spec_matrix *t,
                                 spec_report *report) {
    const int64_t wanted = rows_used(t);
    int64_t *const ids = calloc((size_t)r->nnr + 1, sizeof *ids), count = 0;
    sparcl_status status = ids ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, r->count, 0, 8, &count);
    if (status == SPARCL_OK) spec_compare_ints(report, "count", &count, &wanted, 1);
    if (status == SPARCL_OK && report->equal)
        status = spec_get_ints(ctx, r->indices, 0, wanted, r->index_type, ids);
    for (int64_t row = 0, u = 0; row < t->rows && status == SPARCL_OK && report->equal; ++row)
        if (t->offsets[row + 1] > t->offsets[row])
            spec_compare_ints(report, "id", &ids[u++], &row, 1);
    free(ids);
    return status;
}

typedef struct answers {
    double *got, *order, *truth, *bound;
} answers;

static bool find_answers(answers *w, const operands *x, int64_t n) {
    const spec_matrix *const t = &x->transposed;
    const spec_case c = {.n = n, .alpha = 1};
    const size_t count = (size_t)(t->rows * n) + 1;
    w->got = calloc(count, sizeof(double));
    w->order = calloc(count, sizeof(double));
    w->truth = calloc(count, sizeof(double));
    w->bound = calloc(count, sizeof(double));
    return w->got && w->order && w->truth && w->bound &&
           spec_product(&c, t, x->b_host, n, w->got, n, w->order, w->truth, w->bound);
}

/* What the rows of the result hold, one after the other. */
static sparcl_status compare_rows(sparcl_ctx *ctx, const operands *x, int64_t n,
                                  spec_report *report) {
    const spec_matrix *const t = &x->transposed;
    answers w = {0};
    sparcl_status status = find_answers(&w, x, n) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, x->r.values, 0, rows_used(t) * n, SPARCL_F32, w.got);
    for (int64_t row = 0, u = 0; row < t->rows && status == SPARCL_OK; ++row) {
        if (t->offsets[row + 1] == t->offsets[row]) continue;
        spec_compare(report, "R", w.got + u * n, w.order + row * n, w.truth + row * n,
                     w.bound + row * n, n);
        ++u;
    }
    free(w.got);
    free(w.order);
    free(w.truth);
    free(w.bound);
    return status;
}

static sparcl_status check_product(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    const operands *const x = call->state;
    *report = (spec_report){.equal = true, .zeros_are_right = true};
    const sparcl_status status = compare_ids(ctx, &x->r, &x->transposed, report);
    if (status != SPARCL_OK || !report->equal) return status;
    return compare_rows(ctx, x, call->input->n, report);
}

/* Its columns, and what a product with two columns makes of the rest. */
static sparcl_status check_pattern(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    const operands *const x = call->state;
    const sparcl_rows columns = sparcl_pattern_columns(x->pattern);
    const spec_bench_input input = {.matrix = call->input->matrix, .n = 2};
    spec_bench_call product = {.input = &input};
    *report = (spec_report){.equal = true, .zeros_are_right = true};
    sparcl_status status = compare_ids(ctx, &columns, &x->transposed, report);
    if (status == SPARCL_OK && report->equal) status = open_product(ctx, &product);
    if (status == SPARCL_OK && report->equal) {
        operands *const y = product.state;
        status = sparcl_spmm_t_rows(ctx, &y->r, 1, &x->a, &y->b, x->pattern);
        if (status == SPARCL_OK) status = check_product(ctx, &product, report);
    }
    close_operands(&product);
    return status;
}

const spec_bench spec_bench_transpose = {"transpose",    "CSR to CSC",  0,
                                         open_transpose, run_transpose, check_transpose,
                                         close_operands, NULL};
const spec_bench spec_bench_pattern = {
    "pattern",     "build the pattern of A", 0,   open_pattern, run_pattern,
    check_pattern, close_operands,           NULL};
const spec_bench spec_bench_spmm_t_rows = {
    "spmm-t-rows",     "R := transpose(A) B, row-sparse, with nothing prepared",
    SPEC_BENCH_WIDTHS, open_product,
    run_product,       check_product,
    close_operands,    NULL};
