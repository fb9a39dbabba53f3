/* bench_take.c: a mini-batch of rows of a CSR matrix, as it is timed. */
#include <stdlib.h>
#include <string.h>

#include "spec/bench.h"

/* Rows of a mini-batch. */
#define BATCH 4096

typedef struct operands {
    int64_t *rows;
    sparcl_list list;
    sparcl_csr from, to;
    spec_matrix want;
} operands;

static void close_operands(spec_bench_call *call) {
    operands *const x = call->state;
    if (!x) return;
    free(x->rows);
    sparcl_buf_free(x->list.indices);
    spec_drop_csr(&x->from);
    spec_drop_csr(&x->to);
    spec_matrix_free(&x->want);
    free(x);
    call->state = NULL;
}

/* The first rows of a shuffled list of all. */
static bool draw_rows(operands *x, int64_t rows) {
    uint64_t seed = 2;
    x->rows = malloc(((size_t)rows + 1) * sizeof *x->rows);
    for (int64_t r = 0; x->rows && r < rows; ++r) {
        const int64_t other = (int64_t)(spec_random(&seed) % (uint64_t)(r + 1));
        x->rows[r] = x->rows[other];
        x->rows[other] = r;
    }
    return x->rows;
}

/* What the call is to write. */
static bool select_plain(operands *x, const spec_matrix *m, int64_t count) {
    int64_t total = 0;
    for (int64_t i = 0; i < count; ++i)
        total += m->offsets[x->rows[i] + 1] - m->offsets[x->rows[i]];
    if (!spec_matrix_alloc(&x->want, count, m->cols, total)) return false;
    for (int64_t i = 0, at = 0; i < count; ++i) {
        const int64_t begin = m->offsets[x->rows[i]];
        const size_t length = (size_t)(m->offsets[x->rows[i] + 1] - begin);
        memcpy(x->want.indices + at, m->indices + begin, length * sizeof *m->indices);
        memcpy(x->want.values + at, m->values + begin, length * sizeof *m->values);
        at += (int64_t)length;
        x->want.offsets[i + 1] = at;
    }
    return true;
}

static sparcl_status put_operands(sparcl_ctx *ctx, const spec_matrix *m, operands *x) {
    const int64_t count = m->rows < BATCH ? m->rows : BATCH;
    const sparcl_itype offset_type = m->nnz > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
    const sparcl_itype index_type = m->cols > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
    if (!draw_rows(x, m->rows) || !select_plain(x, m, count)) return SPARCL_E_MEMORY;
    x->list = (sparcl_list){.count = count, .limit = m->rows};
    x->list.proof.flags = SPARCL_TRUSTED;
    sparcl_status status = spec_put_ints(ctx, &x->list.indices, x->rows, count, SPARCL_I32);
    if (status == SPARCL_OK)
        status = spec_put_csr(ctx, &x->from, m, SPARCL_F32, offset_type, index_type);
    x->to = x->from;
    x->to.rows = count;
    x->to.nnz = x->want.nnz;
    x->to.offsets = x->to.indices = x->to.values = NULL;
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->to.offsets, (count + 1) * 8);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->to.indices, x->to.nnz * 8);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->to.values, x->to.nnz * 4);
    return status;
}

/* Indices and values read and written; the list, the offsets of its rows and those written. */
static void count_work(spec_bench_call *call, const operands *x) {
    const double index = x->from.index_type == SPARCL_I64 ? 8 : 4;
    const double offset = x->from.offset_type == SPARCL_I64 ? 8 : 4;
    call->bytes = 2 * (index + 4) * (double)x->want.nnz + (4 + 3 * offset) * (double)x->want.rows;
}

static sparcl_status open(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = calloc(1, sizeof *x);
    if (!x) return SPARCL_E_MEMORY;
    call->state = x;
    const sparcl_status status = put_operands(ctx, call->input->matrix, x);
    if (status == SPARCL_OK)
        count_work(call, x);
    else
        close_operands(call);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_csr_select_rows(ctx, &x->to, &x->from, &x->list, NULL, 0);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const want = &x->want;
    spec_matrix got;
    *report = (spec_report){.equal = true, .zeros_are_right = true};
    if (!spec_matrix_alloc(&got, want->rows, want->cols, want->nnz)) return SPARCL_E_MEMORY;
    sparcl_status status =
        spec_get_ints(ctx, x->to.offsets, 0, want->rows + 1, x->to.offset_type, got.offsets);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, x->to.indices, 0, want->nnz, x->to.index_type, got.indices);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, x->to.values, 0, want->nnz, SPARCL_F32, got.values);
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "offsets", got.offsets, want->offsets, want->rows + 1);
        spec_compare_ints(report, "indices", got.indices, want->indices, want->nnz);
        spec_compare(report, "values", got.values, want->values, NULL, NULL, want->nnz);
    }
    spec_matrix_free(&got);
    return status;
}

static sparcl_status spoil(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    sparcl_status status = spec_spoil(ctx, x->to.offsets);
    if (status == SPARCL_OK) status = spec_spoil(ctx, x->to.indices);
    return status == SPARCL_OK ? spec_spoil(ctx, x->to.values) : status;
}

const spec_bench spec_bench_select_rows = {"select-rows",
                                           "4096 shuffled rows of A, or all where it has fewer",
                                           0,
                                           open,
                                           run,
                                           check,
                                           close_operands,
                                           spoil};
