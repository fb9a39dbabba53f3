/* bench_embedding.c: a timed operation: the rows of a table for the columns of entries. */
#include "spec/bench/bench_arrays.h"

static sparcl_status open_gather_rows(sparcl_ctx *ctx, spec_bench_call *call) {
    spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    sparcl_status status = spec_bench_put_csr(ctx, &s->a, m);
    if (status == SPARCL_OK) status = spec_bench_put_array(ctx, s, 0, m->cols, call->input->n);
    if (status == SPARCL_OK) status = spec_bench_add_result(ctx, s, 0, m->nnz, call->input->n);
    call->bytes = (double)m->nnz * (4 + 8 * (double)call->input->n);
    return status;
}

static sparcl_status run_gather_rows(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    const sparcl_list list = {.count = s->a.nnz,
                              .limit = s->a.cols,
                              .index_type = s->a.index_type,
                              .indices = s->a.indices,
                              .proof = {.flags = SPARCL_TRUSTED}};
    return sparcl_gather_rows(ctx, &s->to[0], &s->x[0], &list);
}

static bool answer_gather_rows(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    for (int64_t e = 0; e < m->nnz * n; ++e)
        order[0][e] = s->host[0][m->indices[e / n] * n + e % n];
    return true;
}

SPEC_BENCH_OF_ARRAYS(gather_rows, "gather-rows", "embedding without a padding index or bounds",
                     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER)
