/* bench_transpose.c: timed operations that transpose a matrix: the pattern, and the transposed
 * product without a pattern. f32, and 32-bit indices where they fit. */
#include <stdlib.h>

#include "spec/bench/bench.h"

typedef struct operands {
    spec_matrix transposed;
    sparcl_csr a;
    sparcl_pattern *pattern;
    sparcl_dense b;
    sparcl_rows r;
    double *b_host;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_matrix_free(&x->transposed);
    sparcl_csr_free(&x->a);
    sparcl_pattern_free(x->pattern);
    sparcl_dense_free(&x->b);
    sparcl_rows_free(&x->r);
    free(x->b_host);
}

/* --- inputs ---------------------------------------------------------------------------------- */

static sparcl_status open_matrix(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    operands *const x = call->state;
    if (!spec_matrix_transpose(&x->transposed, m)) return SPARCL_E_MEMORY;
    return spec_bench_put_csr(ctx, &x->a, m);
}

/* The number of empty columns only affects the pattern's own memory. */
static sparcl_status open_pattern(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    sparcl_status status = open_matrix(ctx, call);
    operands *const x = call->state;
    if (status == SPARCL_OK) status = sparcl_pattern_create(ctx, &x->pattern);
    if (status == SPARCL_OK)
        call->bytes = 12 * (double)m->nnz + 4 * (double)(m->rows + 1) +
                      8 * (double)spec_rows_used(&x->transposed);
    return status;
}

static sparcl_status open_product(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n, capacity = m->nnz < m->cols ? m->nnz : m->cols;
    sparcl_status status = open_pattern(ctx, call);
    if (status != SPARCL_OK) return status;
    operands *const x = call->state;
    x->b = (sparcl_dense){.rank = 2, .shape = {m->rows, n}};
    x->r = (sparcl_rows){
        .rank = 2, .index_type = x->a.index_type, .shape = {m->cols, n}, .nnr = capacity};
    x->b_host = spec_numbers(m->rows * n, 1);
    status = x->b_host ? spec_put_reals(ctx, &x->b.values, x->b_host, m->rows * n, SPARCL_F32)
                       : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = sparcl_rows_create(ctx, &x->r);
    const double used = (double)spec_rows_used(&x->transposed);
    call->flops = 2 * (double)m->nnz * (double)n;
    call->bytes = 8 * (double)m->nnz + 4 * (double)(m->rows + 1) + 4 * used +
                  4 * (double)n * ((double)spec_rows_used(m) + used);
    return status;
}

/* --- calls ----------------------------------------------------------------------------------- */

static sparcl_status run_pattern(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_pattern_build(ctx, x->pattern, &x->a);
}

/* Without a pattern. */
static sparcl_status run_product(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_spmm_t_rows(ctx, &x->r, 1, &x->a, &x->b, NULL);
}

/* --- checks ---------------------------------------------------------------------------------- */

/* The ids of a row-sparse array, or of a pattern's columns, must be those of the columns with
 * entries. */
static sparcl_status compare_ids(sparcl_ctx *ctx, const sparcl_rows *r, const spec_matrix *t,
                                 spec_report *report) {
    const int64_t expected = spec_rows_used(t);
    int64_t *const ids = calloc((size_t)r->nnr + 1, sizeof *ids), count = 0;
    sparcl_status status = ids ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, r->count, 0, 8, &count);
    if (status == SPARCL_OK) spec_compare_ints(report, "count", &count, &expected, 1);
    if (status == SPARCL_OK && report->equal)
        status = spec_get_ints(ctx, r->indices, 0, expected, r->index_type, ids);
    for (int64_t row = 0, u = 0; row < t->rows && status == SPARCL_OK && report->equal; ++row)
        if (t->offsets[row + 1] > t->offsets[row])
            spec_compare_ints(report, "id", &ids[u++], &row, 1);
    free(ids);
    return status;
}

/* The rows of the result must be those of the product with the transposed matrix without its empty
 * rows. */
static sparcl_status compare_rows(sparcl_ctx *ctx, const operands *x, int64_t n,
                                  spec_report *report) {
    const spec_matrix *const t = &x->transposed;
    spec_matrix packed = *t;
    packed.rows = 0;
    packed.offsets = calloc((size_t)t->rows + 1, sizeof *packed.offsets);
    if (!packed.offsets) return SPARCL_E_MEMORY;
    for (int64_t row = 0; row < t->rows; ++row)
        if (t->offsets[row + 1] > t->offsets[row])
            packed.offsets[++packed.rows] = t->offsets[row + 1];
    const sparcl_status status = spec_bench_compare_product(ctx, "R", x->r.values, SPARCL_F32,
                                                            &packed, x->b_host, n, report);
    free(packed.offsets);
    return status;
}

static sparcl_status check_product(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    const operands *const x = call->state;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    const sparcl_status status = compare_ids(ctx, &x->r, &x->transposed, report);
    if (status != SPARCL_OK || !report->equal) return status;
    return compare_rows(ctx, x, call->input->n, report);
}

const spec_bench spec_bench_spmm_t_rows = {.name = "spmm-t-rows",
                                           .what =
                                               "R := transpose(A) B, row-sparse, without a pattern",
                                           .flags = SPEC_BENCH_WIDTHS,
                                           .state_size = sizeof(operands),
                                           .open = open_product,
                                           .run = run_product,
                                           .check = check_product,
                                           .close = close_operands,
                                           .reset = NULL};

/* Check the columns of the pattern, and a product with two columns that uses the rest of it. */
static sparcl_status check_pattern(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    const operands *const x = call->state;
    const sparcl_rows columns = sparcl_pattern_columns(x->pattern);
    const spec_bench_input input = {.matrix = call->input->matrix, .n = 2};
    spec_bench_call product = {.input = &input};
    *report = (spec_report){.equal = true, .zeros_expected = true};
    sparcl_status status = compare_ids(ctx, &columns, &x->transposed, report);
    if (status == SPARCL_OK && report->equal)
        status = spec_bench_open(ctx, &spec_bench_spmm_t_rows, &product);
    if (status == SPARCL_OK && report->equal) {
        operands *const y = product.state;
        status = sparcl_spmm_t_rows(ctx, &y->r, 1, &x->a, &y->b, x->pattern);
        if (status == SPARCL_OK) status = check_product(ctx, &product, report);
    }
    spec_bench_close(&spec_bench_spmm_t_rows, &product);
    return status;
}

const spec_bench spec_bench_pattern = {.name = "pattern",
                                       .what = "build the pattern of A",
                                       .flags = 0,
                                       .state_size = sizeof(operands),
                                       .open = open_pattern,
                                       .run = run_pattern,
                                       .check = check_pattern,
                                       .close = close_operands,
                                       .reset = NULL};
