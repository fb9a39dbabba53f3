/* bench_bag.c: embedding bags as they are timed: the rows of the matrix are bags, its columns ids,
 * and the sum of a bag's rows of the table is the product with a matrix of ones. */
#include <stdlib.h>

#include "spec/bench.h"

typedef struct operands {
    spec_matrix bags; /* shares offsets and indices with the input */
    sparcl_csr a;
    sparcl_dense table, sums;
    double *table_host;
} operands;

static void close_operands(spec_bench_call *call) {
    operands *const x = call->state;
    if (!x) return;
    free(x->bags.values);
    spec_drop_csr(&x->a);
    sparcl_buf_free(x->table.values);
    sparcl_buf_free(x->sums.values);
    free(x->table_host);
    free(x);
    call->state = NULL;
}

static sparcl_status put_operands(sparcl_ctx *ctx, const spec_bench_input *in, operands *x) {
    const spec_matrix *const m = in->matrix;
    x->bags = *m;
    x->bags.values = malloc(((size_t)m->nnz + 1) * sizeof *x->bags.values);
    x->table_host = spec_numbers(m->cols * in->n, 1);
    if (!x->bags.values || !x->table_host) return SPARCL_E_MEMORY;
    for (int64_t k = 0; k < m->nnz; ++k)
        x->bags.values[k] = 1;
    x->table = (sparcl_dense){.rank = 2, .shape = {m->cols, in->n}};
    x->sums = (sparcl_dense){.rank = 2, .shape = {m->rows, in->n}};
    const sparcl_itype offset_type = m->nnz > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
    const sparcl_itype index_type = m->cols > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
    sparcl_status status = spec_put_csr(ctx, &x->a, &x->bags, SPARCL_F32, offset_type, index_type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &x->table.values, x->table_host, m->cols * in->n, SPARCL_F32);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->sums.values, m->rows * in->n * 4);
    return status;
}

/* Ids and offsets, a row of the table for each id, the sums. */
static void count_work(spec_bench_call *call, const operands *x) {
    const double n = (double)call->input->n, entries = (double)x->bags.nnz;
    const double index = x->a.index_type == SPARCL_I64 ? 8 : 4;
    const double offset = x->a.offset_type == SPARCL_I64 ? 8 : 4;
    call->flops = entries * n;
    call->bytes = entries * (index + 4 * n) + (double)x->bags.rows * (offset + 4 * n);
}

static sparcl_status open(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = calloc(1, sizeof *x);
    if (!x) return SPARCL_E_MEMORY;
    call->state = x;
    const sparcl_status status = put_operands(ctx, call->input, x);
    if (status == SPARCL_OK)
        count_work(call, x);
    else
        close_operands(call);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_spmm(ctx, &x->sums, 1, &x->a, &x->table, 0);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    const int64_t n = call->input->n, count = x->bags.rows * n;
    const spec_case c = {.n = n, .alpha = 1};
    double *const all = calloc((size_t)(4 * count) + 1, sizeof *all);
    double *const got = all, *const order = all + count, *const truth = order + count,
                  *const bound = truth + count;
    if (!all) return SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_are_right = true};
    sparcl_status status = spec_product(&c, &x->bags, x->table_host, n, got, n, order, truth, bound)
                               ? SPARCL_OK
                               : SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, x->sums.values, 0, count, SPARCL_F32, got);
    if (status == SPARCL_OK) spec_compare(report, "sums", got, order, truth, bound, count);
    free(all);
    return status;
}

const spec_bench spec_bench_bag = {"bag",
                                   "the sum of a table's rows for each bag of ids",
                                   SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER,
                                   open,
                                   run,
                                   check,
                                   close_operands,
                                   NULL};
