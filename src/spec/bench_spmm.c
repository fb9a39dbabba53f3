/* bench_spmm.c: the sparse product and its transpose as they are timed: f32, and
 * 32-bit indices where they fit. */
#include <stdlib.h>

#include "spec/bench.h"

typedef struct operands {
    sparcl_csr a;
    sparcl_dense b, c;
    sparcl_pattern *pattern; /* of the transposed product: built before, as a training loop does */
    double *b_host;
} operands;

static void close_operands(spec_bench_call *call) {
    operands *const x = call->state;
    if (!x) return;
    sparcl_pattern_free(x->pattern);
    spec_drop_csr(&x->a);
    sparcl_buf_free(x->b.values);
    sparcl_buf_free(x->c.values);
    free(x->b_host);
    free(x);
    call->state = NULL;
}

/* Rows of B that the product reads: columns of A that have an entry, or rows for its transpose. */
static int64_t rows_used(const spec_matrix *m, bool transposed) {
    char *const used = calloc((size_t)(m->cols + m->rows) + 1, 1);
    int64_t count = 0;
    if (!used) return transposed ? m->rows : m->cols;
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
            char *const row = &used[transposed ? r : m->indices[k]];
            count += !*row;
            *row = 1;
        }
    free(used);
    return count;
}

static void count_work(spec_bench_call *call, bool transposed) {
    const spec_matrix *const m = call->input->matrix;
    const double n = (double)call->input->n;
    const int64_t results = transposed ? m->cols : m->rows;
    call->flops = 2 * (double)m->nnz * n;
    const double offset = m->nnz > INT32_MAX ? 8 : 4, index = m->cols > INT32_MAX ? 8 : 4;
    call->bytes = (4 + index) * (double)m->nnz + offset * (double)(m->rows + 1) +
                  4 * n * (double)(rows_used(m, transposed) + results);
}

static sparcl_status put_operands(sparcl_ctx *ctx, const spec_bench_input *in, operands *x,
                                  bool transposed) {
    const spec_matrix *const m = in->matrix;
    const int64_t inner = transposed ? m->rows : m->cols, outer = transposed ? m->cols : m->rows;
    x->b = (sparcl_dense){.rank = 2, .shape = {inner, in->n}};
    x->c = (sparcl_dense){.rank = 2, .shape = {outer, in->n}};
    x->b_host = spec_numbers(inner * in->n, 1);
    if (!x->b_host) return SPARCL_E_MEMORY;
    const sparcl_itype offset_type = m->nnz > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
    const sparcl_itype index_type = m->cols > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
    sparcl_status status = spec_put_csr(ctx, &x->a, m, SPARCL_F32, offset_type, index_type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &x->b.values, x->b_host, inner * in->n, SPARCL_F32);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->c.values, outer * in->n * 4);
    if (status == SPARCL_OK && transposed) status = sparcl_pattern_create(ctx, &x->pattern);
    if (status == SPARCL_OK && transposed) status = sparcl_pattern_build(ctx, x->pattern, &x->a);
    return status;
}

static sparcl_status open_operands(sparcl_ctx *ctx, spec_bench_call *call, bool transposed) {
    operands *const x = calloc(1, sizeof *x);
    if (!x) return SPARCL_E_MEMORY;
    call->state = x;
    const sparcl_status status = put_operands(ctx, call->input, x, transposed);
    if (status == SPARCL_OK)
        count_work(call, transposed);
    else
        close_operands(call);
    return status;
}

static sparcl_status open_spmm(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_operands(ctx, call, false);
}

static sparcl_status open_spmm_t(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_operands(ctx, call, true);
}

static sparcl_status run_spmm(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_spmm(ctx, &x->c, 1, &x->a, &x->b, 0);
}

static sparcl_status run_spmm_t(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_spmm_t(ctx, &x->c, 1, &x->a, &x->b, 0, x->pattern);
}

/* --- the check ------------------------------------------------------------------------------- */

typedef struct answers {
    double *got, *order, *truth, *bound;
} answers;

static bool find_answers(answers *w, const spec_matrix *m, const operands *x, int64_t n) {
    const spec_case c = {.n = n, .alpha = 1};
    const int64_t count = m->rows * n;
    w->got = calloc((size_t)count + 1, sizeof(double));
    w->order = calloc((size_t)count + 1, sizeof(double));
    w->truth = calloc((size_t)count + 1, sizeof(double));
    w->bound = calloc((size_t)count + 1, sizeof(double));
    return w->got && w->order && w->truth && w->bound &&
           spec_product(&c, m, x->b_host, n, w->got, n, w->order, w->truth, w->bound);
}

static sparcl_status compare(sparcl_ctx *ctx, const spec_matrix *m, const operands *x, int64_t n,
                             spec_report *report) {
    answers w = {0};
    *report = (spec_report){.equal = true, .zeros_are_right = true};
    sparcl_status status = find_answers(&w, m, x, n) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, x->c.values, 0, m->rows * n, SPARCL_F32, w.got);
    if (status == SPARCL_OK)
        spec_compare(report, "C", w.got, w.order, w.truth, w.bound, m->rows * n);
    free(w.got);
    free(w.order);
    free(w.truth);
    free(w.bound);
    return status;
}

static sparcl_status check_spmm(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    return compare(ctx, call->input->matrix, call->state, call->input->n, report);
}

static sparcl_status check_spmm_t(sparcl_ctx *ctx, const spec_bench_call *call,
                                  spec_report *report) {
    spec_matrix transposed;
    if (!spec_matrix_transpose(&transposed, call->input->matrix)) return SPARCL_E_MEMORY;
    const sparcl_status status = compare(ctx, &transposed, call->state, call->input->n, report);
    spec_matrix_free(&transposed);
    return status;
}

static sparcl_status spoil(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_spoil(ctx, x->c.values);
}

const spec_bench spec_bench_spmm = {"spmm",   "C := A B", SPEC_BENCH_WIDTHS, open_spmm,
                                    run_spmm, check_spmm, close_operands,    spoil};
const spec_bench spec_bench_spmm_t = {
    "spmm-t",          "C := transpose(A) B; the pattern of A is built before",
    SPEC_BENCH_WIDTHS, open_spmm_t,
    run_spmm_t,        check_spmm_t,
    close_operands,    spoil};
