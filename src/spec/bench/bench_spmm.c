/* bench_spmm.c: timed operations: the sparse product, also of F16 and BF16, the product with the
 * transpose, and embedding bags. For bags, the rows of the matrix are bags, its columns are ids,
 * and the sum of a bag's table rows is the product with a matrix of ones. */
#include <stdlib.h>

#include "spec/bench/bench.h"

typedef struct operands {
    sparcl_csr a;
    sparcl_dense b, c;
    sparcl_pattern *pattern; /* of the transposed product; built before timing, as in a training
                                  loop */
    sparcl_dtype dtype;
    double *b_host;
    double *values; /* in place of those of the matrix: as they are stored, or ones; or NULL */
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    sparcl_pattern_free(x->pattern);
    sparcl_csr_free(&x->a);
    sparcl_dense_free(&x->b);
    sparcl_dense_free(&x->c);
    free(x->b_host);
    free(x->values);
}

/* The matrix with the values that it has on the device. */
static spec_matrix matrix_of(const spec_bench_call *call) {
    const operands *const x = call->state;
    spec_matrix m = *call->input->matrix;
    if (x->values) m.values = x->values;
    return m;
}

/* B with `inner` rows, C with `outer`; `used` rows of B are read. */
static sparcl_status open_operands(sparcl_ctx *ctx, spec_bench_call *call, int64_t inner,
                                   int64_t outer, int64_t used) {
    const spec_matrix m = matrix_of(call);
    operands *const x = call->state;
    const int64_t n = call->input->n;
    x->b = (sparcl_dense){.rank = 2, .dtype = x->dtype, .shape = {inner, n}};
    x->c = (sparcl_dense){.rank = 2, .dtype = x->dtype, .shape = {outer, n}};
    x->b_host = spec_stored_numbers(x->dtype, inner * n, 1);
    if (!x->b_host) return SPARCL_E_MEMORY;
    sparcl_status status = spec_bench_put_csr_of(ctx, &x->a, &m, x->dtype);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &x->b.values, x->b_host, inner * n, x->dtype);
    if (status == SPARCL_OK) status = sparcl_dense_create(ctx, &x->c);
    const double index = (double)sparcl_itype_size(x->a.index_type);
    const double offset = (double)sparcl_itype_size(x->a.offset_type);
    const double size = (double)sparcl_dtype_size(x->dtype);
    call->flops = 2 * (double)m.nnz * (double)n;
    call->bytes = (size + index) * (double)m.nnz + offset * (double)(m.rows + 1) +
                  size * (double)n * (double)(used + outer);
    return status;
}

static sparcl_status open_spmm_t(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    operands *const x = call->state;
    sparcl_status status = open_operands(ctx, call, m->rows, m->cols, spec_rows_used(m));
    if (status == SPARCL_OK) status = sparcl_pattern_create(ctx, &x->pattern);
    if (status == SPARCL_OK) status = sparcl_pattern_build(ctx, x->pattern, &x->a);
    return status;
}

static sparcl_status run_spmm_t(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_spmm_t(ctx, &x->c, 1, &x->a, &x->b, 0, x->pattern);
}

static sparcl_status compare(sparcl_ctx *ctx, const spec_bench_call *call, const spec_matrix *a,
                             spec_report *report) {
    const operands *const x = call->state;
    return spec_bench_compare_product(ctx, "C", x->c.values, x->dtype, a, x->b_host, call->input->n,
                                      report);
}

static sparcl_status check_spmm_t(sparcl_ctx *ctx, const spec_bench_call *call,
                                  spec_report *report) {
    spec_matrix transposed;
    if (!spec_matrix_transpose(&transposed, call->input->matrix)) return SPARCL_E_MEMORY;
    const sparcl_status status = compare(ctx, call, &transposed, report);
    spec_matrix_free(&transposed);
    return status;
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->c.values);
}

SPEC_BENCH(spmm_t, "spmm-t", "C := transpose(A) B, with the pattern of A built before",
           SPEC_BENCH_WIDTHS, open_spmm_t, run_spmm_t, check_spmm_t)
