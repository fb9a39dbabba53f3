/* bench_transpose.c: a timed operation: CSR to CSC, f32, with 32-bit indices where they fit. */
#include "spec/bench/bench.h"

typedef struct operands {
    spec_matrix transposed;
    sparcl_csr a;
    sparcl_csr fields; /* the buffers of `csc` */
    sparcl_csc csc;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_matrix_free(&x->transposed);
    sparcl_csr_free(&x->a);
    sparcl_csr_free(&x->fields);
}

static sparcl_status open_transpose(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    operands *const x = call->state;
    if (!spec_matrix_transpose(&x->transposed, m)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_bench_put_csr(ctx, &x->a, m);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &x->fields, &x->transposed);
    x->csc = spec_as_csc(&x->fields);
    x->csc.proof = (sparcl_proof){0};
    call->bytes = 16 * (double)m->nnz + 4 * (double)(m->rows + m->cols + 2);
    return status;
}

static sparcl_status run_transpose(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_csr_to_csc(ctx, &x->csc, &x->a);
}

static sparcl_status check_transpose(sparcl_ctx *ctx, const spec_bench_call *call,
                                     spec_report *report) {
    const operands *const x = call->state;
    return spec_bench_compare_csr(ctx, &x->fields, &x->transposed, report);
}

const spec_bench spec_bench_transpose = {.name = "transpose",
                                         .what = "CSR to CSC",
                                         .state_size = sizeof(operands),
                                         .open = open_transpose,
                                         .run = run_transpose,
                                         .check = check_transpose,
                                         .close = close_operands};
