/* bench.c: runs measurements. */
#include "spec/bench/bench.h"

const spec_bench *spec_bench_at(int i) {
    for (const spec_op *const *op = spec_ops; *op; ++op)
        for (const spec_bench *b = (*op)->timed; b && b->name; ++b)
            if (i-- == 0) return b;
    return NULL;
}

/* The case has the sizes of the matrix. */
sparcl_status spec_bench_open(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call) {
    const spec_bench_input *const in = call->input;
    const spec_matrix *const m = in->matrix;
    call->c = bench->setting;
    call->c.kind = SPEC_DUPLICATE;
    call->c.rows = m->rows;
    call->c.cols = m->cols;
    call->c.nnz = m->nnz;
    call->c.n = in->n;
    call->c.offset_type = m->nnz > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    call->c.index_type = m->cols > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    call->test = (spec_test){
        .ctx = ctx, .c = &call->c, .given = m, .optim = &in->optim, .call = bench->call};
    const sparcl_status status = spec_test_open(&call->test, bench->op);
    if (status == SPARCL_OK)
        bench->op->work(&call->test, bench->call, &call->flops, &call->bytes);
    else
        spec_bench_close(call);
    return status;
}

sparcl_status spec_bench_run(sparcl_ctx *ctx, const spec_bench *bench,
                             const spec_bench_call *call) {
    return bench->op->call(ctx, call->test.state, bench->call);
}

/* The calls after the one that is measured, and the comparison of all results. */
sparcl_status spec_bench_check(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call,
                               spec_report *report) {
    sparcl_status status = SPARCL_OK;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    for (int i = bench->call + 1; i < call->test.calls && status == SPARCL_OK; ++i)
        status = bench->op->call(ctx, call->test.state, i);
    return status == SPARCL_OK ? spec_test_compare(&call->test, bench->op, report) : status;
}

void spec_bench_close(spec_bench_call *call) {
    spec_test_close(&call->test);
}

sparcl_status spec_bench_reset(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call) {
    spec_bench_close(call);
    return spec_bench_open(ctx, bench, call);
}
