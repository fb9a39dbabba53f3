/* bench_add_n.c: timed operations: the sum of four dense arrays, and of an array and a number. */
#include "sparcl/ops/elements.h"
#include "spec/bench/bench_arrays.h"

#define SCALAR 0.3

enum { TERMS = 4 };

static sparcl_status open_add_n(sparcl_ctx *ctx, spec_bench_call *call) {
    const int64_t elements = call->input->matrix->nnz;
    call->flops = (TERMS - 1) * (double)elements;
    return spec_bench_open_arrays(ctx, call, TERMS, 1, elements, 0);
}

static sparcl_status run_add_n(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    sparcl_term terms[TERMS];
    for (int t = 0; t < TERMS; ++t)
        terms[t] = (sparcl_term){.factor = 1, .dense = &s->x[t]};
    return sparcl_add_n(ctx, &s->to[0], terms, TERMS);
}

static bool answer_add_n(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    for (int64_t i = 0; i < s->to[0].shape[0]; ++i) {
        order[0][i] = s->host[0][i];
        for (int t = 1; t < TERMS; ++t)
            order[0][i] = spec_round(SPARCL_F32, order[0][i] + s->host[t][i]);
    }
    return true;
}

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

SPEC_BENCH_OF_ARRAYS(add_n, "add-n",
                     "the sum of four arrays, each with a number for each entry of A", 0)
SPEC_BENCH_OF_ARRAYS(add_scalar, "add-scalar", "a number added to each of such an array", 0)
