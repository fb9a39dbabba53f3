/* bench_layers.c: a timed operation: dot products of rows of dense arrays with the rows of A. */
#include "spec/bench/bench_arrays.h"

static sparcl_status open_dot_rows(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const int64_t rows = call->input->matrix->rows, n = call->input->n;
    sparcl_status status = spec_bench_open_arrays(ctx, call, 2, 0, rows, n);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, rows, 0);
    call->flops = 2 * (double)rows * (double)n;
    call->bytes = spec_bench_array_bytes(s);
    return status;
}

static sparcl_status run_dot_rows(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_dot_rows(ctx, &s->to[0], &s->x[0], &s->x[1]);
}

static bool answer_dot_rows(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const int64_t n = call->input->n;
    for (int64_t i = 0; i < s->to[0].shape[0]; ++i)
        order[0][i] =
            spec_sum_products(SPARCL_F32, s->host[0] + i * n, s->host[1] + i * n, 1, n, true);
    return true;
}

SPEC_BENCH_OF_ARRAYS(dot_rows, "dot-rows",
                     "dot products of the rows of two dense arrays with the rows of A",
                     SPEC_BENCH_WIDTHS)
