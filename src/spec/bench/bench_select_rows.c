/* bench_select_rows.c: timed operation: select a mini-batch of rows of a CSR matrix. */
#include <stdlib.h>
#include <string.h>

#include "spec/bench/bench.h"

/* Rows of a mini-batch. */
#define BATCH 4096

typedef struct operands {
    int64_t *rows;
    sparcl_list list;
    sparcl_csr from, to;
    spec_matrix want;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    free(x->rows);
    sparcl_list_free(&x->list);
    sparcl_csr_free(&x->from);
    sparcl_csr_free(&x->to);
    spec_matrix_free(&x->want);
}

/* The first rows of a shuffled list of all rows. */
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

/* The expected result of the call. */
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

static sparcl_status open(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t count = m->rows < BATCH ? m->rows : BATCH;
    if (!draw_rows(x, m->rows) || !select_plain(x, m, count)) return SPARCL_E_MEMORY;
    x->list = (sparcl_list){.count = count, .limit = m->rows};
    x->list.proof.flags = SPARCL_TRUSTED;
    sparcl_status status = spec_put_ints(ctx, &x->list.indices, x->rows, count, SPARCL_I32);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &x->from, m);
    x->to = x->from;
    x->to.rows = count;
    x->to.nnz = x->want.nnz;
    x->to.offsets = x->to.indices = x->to.values = NULL;
    if (status == SPARCL_OK) status = sparcl_csr_create(ctx, &x->to);
    /* Indices and values are read and written; also the list, the offsets of its rows and those of
     * the result. */
    const double index = (double)sparcl_itype_size(x->to.index_type);
    const double offset = (double)sparcl_itype_size(x->to.offset_type);
    call->bytes = 2 * (index + 4) * (double)x->to.nnz + (4 + 3 * offset) * (double)count;
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_csr_select_rows(ctx, &x->to, &x->from, &x->list, NULL, 0);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    return spec_bench_compare_csr(ctx, &x->to, &x->want, report);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    sparcl_status status = spec_poison(ctx, x->to.offsets);
    if (status == SPARCL_OK) status = spec_poison(ctx, x->to.indices);
    return status == SPARCL_OK ? spec_poison(ctx, x->to.values) : status;
}

SPEC_BENCH(select_rows, "select-rows",
           "select 4096 random rows of A, or all rows where it has fewer", 0, open, run, check)
