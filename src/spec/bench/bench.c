/* bench.c: functions that all timed operations use: open and close, upload of the matrix, checks of
 * results. */
#include "spec/bench/bench.h"

#include <stdlib.h>
#include <string.h>

/* A measurement of a spec: the case has the sizes of the matrix. */
static sparcl_status open_case(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call) {
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
    call->state = call->test.state;
    if (status == SPARCL_OK) bench->op->work(&call->test, bench->call, &call->flops, &call->bytes);
    return status;
}

sparcl_status spec_bench_open(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call) {
    sparcl_status status = SPARCL_E_MEMORY;
    if (bench->op)
        status = open_case(ctx, bench, call);
    else if ((call->state = calloc(1, bench->state_size)))
        status = bench->open(ctx, call);
    if (status != SPARCL_OK) spec_bench_close(bench, call);
    return status;
}

sparcl_status spec_bench_run(sparcl_ctx *ctx, const spec_bench *bench,
                             const spec_bench_call *call) {
    return bench->op ? bench->op->call(ctx, call->state, bench->call) : bench->run(ctx, call);
}

/* The calls after the one that is measured, and the comparison of all results. */
static sparcl_status check_case(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call,
                                spec_report *report) {
    sparcl_status status = SPARCL_OK;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    for (int i = bench->call + 1; i < call->test.calls && status == SPARCL_OK; ++i)
        status = bench->op->call(ctx, call->state, i);
    return status == SPARCL_OK ? spec_test_compare(&call->test, bench->op, report) : status;
}

sparcl_status spec_bench_check(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call,
                               spec_report *report) {
    return bench->op ? check_case(ctx, bench, call, report) : bench->check(ctx, call, report);
}

void spec_bench_close(const spec_bench *bench, spec_bench_call *call) {
    if (bench->op) spec_test_close(&call->test);
    if (!bench->op && call->state) {
        bench->close(call->state);
        free(call->state);
    }
    call->state = NULL;
}

sparcl_status spec_bench_reset(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call) {
    if (bench->reset) return bench->reset(ctx, call);
    spec_bench_close(bench, call);
    return spec_bench_open(ctx, bench, call);
}

/* --- inputs ---------------------------------------------------------------------------------- */

sparcl_status spec_bench_put_csr(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m) {
    return spec_put_csr(ctx, view, m, SPARCL_F32,
                        m->nnz > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32,
                        m->cols > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32);
}

bool spec_bench_copy(spec_matrix *to, const spec_matrix *m) {
    if (!spec_matrix_alloc(to, m->rows, m->cols, m->nnz)) return false;
    memcpy(to->offsets, m->offsets, (size_t)(m->rows + 1) * sizeof *m->offsets);
    memcpy(to->indices, m->indices, (size_t)m->nnz * sizeof *m->indices);
    memcpy(to->values, m->values, (size_t)m->nnz * sizeof *m->values);
    return true;
}

int64_t *spec_bench_chosen(const spec_matrix *m, int64_t n) {
    int64_t *const chosen = malloc(((size_t)(m->rows * n) + 1) * sizeof *chosen);
    for (int64_t e = 0; chosen && e < m->rows * n; ++e) {
        const int64_t begin = m->offsets[e / n], length = m->offsets[e / n + 1] - begin;
        chosen[e] = length > 0 ? begin + e * 7 % length : -1;
    }
    return chosen;
}

double spec_bench_csr_bytes(const sparcl_csr *a) {
    const double index = (double)sparcl_itype_size(a->index_type);
    const double offset = (double)sparcl_itype_size(a->offset_type);
    return (4 + index) * (double)a->nnz + offset * (double)(a->rows + 1);
}

/* --- results --------------------------------------------------------------------------------- */

sparcl_status spec_bench_poison_csr(sparcl_ctx *ctx, const sparcl_csr *view) {
    sparcl_status status = spec_poison(ctx, view->values);
    if (status == SPARCL_OK) status = spec_poison(ctx, view->indices);
    return status == SPARCL_OK ? spec_poison(ctx, view->offsets) : status;
}

sparcl_status spec_bench_poison_coo(sparcl_ctx *ctx, const sparcl_coo *view) {
    sparcl_status status = spec_poison(ctx, view->values);
    for (int d = 0; d < view->rank && status == SPARCL_OK; ++d)
        status = spec_poison(ctx, view->indices[d]);
    return status;
}

sparcl_status spec_bench_poison_rows(sparcl_ctx *ctx, const sparcl_rows *view) {
    const sparcl_status status = spec_poison(ctx, view->indices);
    return status == SPARCL_OK ? spec_poison(ctx, view->values) : status;
}

/* --- checks ---------------------------------------------------------------------------------- */

sparcl_status spec_bench_compare_dense(sparcl_ctx *ctx, const char *what, const sparcl_dense *view,
                                       const double *want, spec_report *report) {
    const int64_t count = view->shape[0] * (view->rank > 1 ? view->shape[1] : 1);
    double *const got = spec_numbers(count, 0);
    const sparcl_status status =
        got ? spec_get_reals(ctx, view->values, 0, count, SPARCL_F32, got) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) spec_compare(report, what, got, want, NULL, NULL, count);
    free(got);
    return status;
}

sparcl_status spec_bench_compare_rows(sparcl_ctx *ctx, const sparcl_rows *view,
                                      const spec_rowset *want, spec_report *report) {
    int64_t stored = view->nnr;
    sparcl_status status =
        view->count ? sparcl_buf_read(ctx, view->count, 0, 8, &stored) : SPARCL_OK;
    if (status != SPARCL_OK) return status;
    spec_compare_ints(report, "count", &stored, &want->stored, 1);
    if (!report->equal) return SPARCL_OK;
    const int64_t count = stored * want->width;
    int64_t *const ids = calloc((size_t)stored + 1, sizeof *ids);
    double *const values = spec_numbers(count, 0);
    status = ids && values ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, view->indices, 0, stored, view->index_type, ids);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, view->values, 0, count, SPARCL_F32, values);
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "indices", ids, want->ids, stored);
        spec_compare(report, "values", values, want->values, NULL, NULL, count);
    }
    free(ids);
    free(values);
    return status;
}

sparcl_status spec_bench_compare_csr(sparcl_ctx *ctx, const sparcl_csr *view,
                                     const spec_matrix *want, spec_report *report) {
    spec_matrix got;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (!spec_matrix_alloc(&got, want->rows, want->cols, want->nnz)) return SPARCL_E_MEMORY;
    sparcl_status status =
        spec_get_ints(ctx, view->offsets, 0, want->rows + 1, view->offset_type, got.offsets);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, view->indices, 0, want->nnz, view->index_type, got.indices);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, view->values, 0, want->nnz, SPARCL_F32, got.values);
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "offsets", got.offsets, want->offsets, want->rows + 1);
        spec_compare_ints(report, "indices", got.indices, want->indices, want->nnz);
        spec_compare(report, "values", got.values, want->values, NULL, NULL, want->nnz);
    }
    spec_matrix_free(&got);
    return status;
}
