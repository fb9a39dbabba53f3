/* bench_add_n.c: a timed operation: the sum of an array and a number. */
#include "sparcl/ops/elements.h"
#include "spec/bench/bench_arrays.h"

#define SCALAR 0.3

static sparcl_status open_add_scalar(sparcl_ctx *ctx, spec_bench_call *call) {
    const int64_t elements = call->input->matrix->nnz;
    call->flops = (double)elements;
    return spec_bench_open_arrays(ctx, call, 1, 1, elements, 0);
}

static sparcl_status run_add_scalar(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_binary_scalar(ctx, SPARCL_BINARY_ADD, &s->to[0], &s->x[0], SCALAR);
}

static bool answer_add_scalar(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const double y = spec_round(SPARCL_F32, SCALAR);
    for (int64_t i = 0; i < s->to[0].shape[0]; ++i)
        order[0][i] = spec_round(SPARCL_F32, s->host[0][i] + y);
    return true;
}

SPEC_BENCH_OF_ARRAYS(add_scalar, "add-scalar", "a number added to each of such an array", 0)
