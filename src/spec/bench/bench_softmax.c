/* bench_softmax.c: timed operations: softmax of the rows of a CSR matrix, of one number or of
 * several heads for each entry. */
#include <stdlib.h>

#include "spec/bench/bench.h"
#include "spec/shared/elementary.h"
#include "spec/shared/folds.h"

typedef struct operands {
    sparcl_csr a;
    sparcl_dense x, to; /* [entries, heads]; without heads the values of A are used */
    double *host;       /* x */
    sparcl_softmax kind;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    sparcl_csr_free(&x->a);
    sparcl_dense_free(&x->x);
    sparcl_dense_free(&x->to);
    free(x->host);
}

/* A number is read and written for each entry and head. */
static sparcl_status open_matrix(sparcl_ctx *ctx, spec_bench_call *call, int64_t heads) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    sparcl_status status = spec_bench_put_csr(ctx, &x->a, m);
    const double offset = (double)sparcl_itype_size(x->a.offset_type);
    call->bytes = 8 * (double)m->nnz * (double)heads + offset * (double)(m->rows + 1);
    return status == SPARCL_OK ? sparcl_dense_zeros(ctx, &x->to) : status;
}

static sparcl_status open_values(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    x->to = (sparcl_dense){.rank = 1, .shape = {call->input->matrix->nnz}};
    return open_matrix(ctx, call, 1);
}

static sparcl_status open_logarithms(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    x->kind = SPARCL_LOG_SOFTMAX;
    return open_values(ctx, call);
}

static sparcl_status open_heads(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const int64_t entries = call->input->matrix->nnz, heads = call->input->n;
    x->x = x->to = (sparcl_dense){.rank = 2, .shape = {entries, heads}};
    x->host = spec_numbers(entries * heads, 5);
    if (!x->host) return SPARCL_E_MEMORY;
    const sparcl_status status =
        spec_put_reals(ctx, &x->x.values, x->host, entries * heads, SPARCL_F32);
    return status == SPARCL_OK ? open_matrix(ctx, call, heads) : status;
}

static sparcl_status run_values(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_csr_softmax(ctx, x->kind, &x->to, &x->a);
}

static sparcl_status run_heads(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_csr_softmax_heads(ctx, SPARCL_SOFTMAX, &x->to, &x->x, &x->a);
}

/* --- the check -------------------------------------------------------------------------------- */

/* Of `length` numbers, one every `step`; e has room for them, ones are as many. */
static void softmax_column(sparcl_softmax kind, const double *x, int64_t length, int64_t step,
                           const double *ones, double *e, double *to) {
    const spec_folding largest = {SPARCL_F32, SPARCL_REDUCE_MAX, true, 0};
    for (int64_t k = 0; k < length; ++k)
        e[k] = x[k * step];
    const double top = spec_fold(&largest, e, NULL, length).order;
    for (int64_t k = 0; k < length; ++k)
        e[k] = spec_exp(SPARCL_F32, spec_round(SPARCL_F32, e[k] - top));
    const double total = spec_sum_products(SPARCL_F32, ones, e, 1, length, step == 1);
    for (int64_t k = 0; k < length; ++k)
        to[k * step] = kind == SPARCL_SOFTMAX
                           ? spec_round(SPARCL_F32, e[k] / total)
                           : spec_round(SPARCL_F32, spec_round(SPARCL_F32, x[k * step] - top) -
                                                        spec_log(SPARCL_F32, total));
}

/* The softmax of an array [entries, heads], or its logarithm; false when out of memory. */
static bool answer(sparcl_softmax kind, const spec_matrix *m, const double *x, int64_t heads,
                   double *order) {
    double *const e = spec_numbers(m->nnz, 0), *const ones = spec_numbers(m->nnz, 0);
    const bool done = e && ones;
    for (int64_t k = 0; done && k < m->nnz; ++k)
        ones[k] = 1;
    for (int64_t r = 0; done && r < m->rows; ++r) {
        const int64_t begin = m->offsets[r], length = m->offsets[r + 1] - begin;
        for (int64_t h = 0; h < heads; ++h)
            softmax_column(kind, x + begin * heads + h, length, heads, ones, e,
                           order + begin * heads + h);
    }
    free(e);
    free(ones);
    return done;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t heads = x->host ? call->input->n : 1, count = m->nnz * heads;
    double *const order = spec_numbers(count, 0);
    /* The logarithm of a row of one entry is 0. */
    *report = (spec_report){.equal = true, .zeros_expected = x->kind == SPARCL_LOG_SOFTMAX};
    sparcl_status status = SPARCL_E_MEMORY;
    if (order && answer(x->kind, m, x->host ? x->host : m->values, heads, order))
        status = spec_bench_compare_dense(ctx, "result", &x->to, order, report);
    free(order);
    return status;
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->to.values);
}

SPEC_BENCH(csr_softmax, "csr-softmax", "softmax of the entries of each row", 0, open_values,
           run_values, check)
SPEC_BENCH(csr_log_softmax, "csr-log-softmax", "the logarithm of that softmax", 0, open_logarithms,
           run_values, check)
SPEC_BENCH(csr_softmax_heads, "csr-softmax-heads", "the same of n numbers for each entry",
           SPEC_BENCH_WIDTHS, open_heads, run_heads, check)
