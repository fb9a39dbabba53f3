/* bench_add_n.c: timed operations: sums of row-sparse arrays, two and four, and of four dense
 * arrays. */
#include <stdlib.h>
#include <string.h>

#include "sparcl/add_n.h"
#include "spec/bench.h"
#include "spec/rowset.h"

enum { TERMS = 4 };

typedef struct operands {
    int count; /* of terms */
    sparcl_rows rows[TERMS], sum;
    sparcl_dense dense[TERMS], y;
    sparcl_term terms[TERMS];
    spec_rowset all; /* the rows of all terms, one term after the other */
    double *host[TERMS];
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    for (int t = 0; t < TERMS; ++t) {
        sparcl_rows_free(&x->rows[t]);
        sparcl_dense_free(&x->dense[t]);
        free(x->host[t]);
    }
    sparcl_rows_free(&x->sum);
    sparcl_dense_free(&x->y);
    spec_rowset_free(&x->all);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    sparcl_status status = spec_poison(ctx, x->y.values);
    if (status == SPARCL_OK) status = spec_poison(ctx, x->sum.indices);
    return status == SPARCL_OK ? spec_poison(ctx, x->sum.values) : status;
}

/* --- row-sparse arrays ------------------------------------------------------------------------ */

/* ids := the distinct ones of `count` indices, ascending; how many there are. */
static int64_t distinct(int64_t *ids, const int64_t *indices, int64_t count) {
    int64_t found = 0;
    memcpy(ids, indices, (size_t)count * sizeof *ids);
    spec_sort_ints(ids, count);
    for (int64_t k = 0; k < count; ++k)
        if (k == 0 || ids[k] != ids[found - 1]) ids[found++] = ids[k];
    return found;
}

/* Term t has the columns of part t of the entries: its rows are begins[t] .. begins[t + 1] - 1. */
static bool make_rows(operands *x, const spec_bench_input *in, int64_t *begins) {
    const spec_matrix *const m = in->matrix;
    int64_t *const ids = malloc(((size_t)m->nnz + 1) * sizeof *ids);
    if (!ids) return false;
    begins[0] = 0;
    for (int t = 0; t < x->count; ++t) {
        const int64_t first = m->nnz * t / x->count, end = m->nnz * (t + 1) / x->count;
        begins[t + 1] = begins[t] + distinct(ids + begins[t], m->indices + first, end - first);
    }
    const int64_t stored = begins[x->count];
    x->all = (spec_rowset){.limit = m->cols,
                           .width = in->n,
                           .stored = stored,
                           .capacity = stored,
                           .ids = ids,
                           .values = spec_numbers(stored * in->n, 6)};
    return x->all.values;
}

static sparcl_rows empty_rows(const operands *x, int64_t nnr) {
    return (sparcl_rows){.rank = 2,
                         .index_type = x->all.limit > INT32_MAX ? SPARCL_I64 : SPARCL_I32,
                         .shape = {x->all.limit, x->all.width},
                         .nnr = nnr};
}

static sparcl_status put_rows(sparcl_ctx *ctx, operands *x, int t, int64_t begin, int64_t end) {
    sparcl_rows *const view = &x->rows[t];
    const int64_t width = x->all.width;
    *view = empty_rows(x, end - begin);
    view->proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    x->terms[t] = (sparcl_term){.factor = 1, .rows = view};
    const sparcl_status status =
        spec_put_ints(ctx, &view->indices, x->all.ids + begin, end - begin, view->index_type);
    return status == SPARCL_OK ? spec_put_reals(ctx, &view->values, x->all.values + begin * width,
                                                (end - begin) * width, SPARCL_F32)
                               : status;
}

static sparcl_status open_rows(sparcl_ctx *ctx, spec_bench_call *call, int count) {
    operands *const x = call->state;
    int64_t begins[TERMS + 1];
    x->count = count;
    if (!make_rows(x, call->input, begins)) return SPARCL_E_MEMORY;
    sparcl_status status = SPARCL_OK;
    for (int t = 0; t < count && status == SPARCL_OK; ++t)
        status = put_rows(ctx, x, t, begins[t], begins[t + 1]);
    x->sum = empty_rows(x, x->all.stored);
    if (status == SPARCL_OK) status = sparcl_rows_create(ctx, &x->sum);
    const double n = (double)x->all.width, stored = (double)x->all.stored;
    const double results = (double)spec_bench_cols_used(call->input->matrix);
    call->flops = (stored - results) * n;
    call->bytes = (stored + results) * ((double)sparcl_itype_size(x->sum.index_type) + 4 * n);
    return status;
}

static sparcl_status open_two(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_rows(ctx, call, 2);
}

static sparcl_status open_four(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_rows(ctx, call, TERMS);
}

static sparcl_status run_two(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_rows_add(ctx, &x->sum, 1, &x->rows[0], 1, &x->rows[1], NULL, 0);
}

static sparcl_status run_four(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_rows_add_n(ctx, &x->sum, x->terms, x->count, NULL, 0);
}

/* Compare as many rows as the device has counted. */
static sparcl_status compare_rows(sparcl_ctx *ctx, const operands *x, const spec_rowset *want,
                                  spec_report *report) {
    const int64_t width = x->all.width;
    int64_t count = 0, *const ids = calloc((size_t)x->all.stored + 1, sizeof *ids);
    double *const values = spec_numbers(x->all.stored * width, 0);
    sparcl_status status = ids && values ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, x->sum.count, 0, 8, &count);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, x->sum.indices, 0, count, x->sum.index_type, ids);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, x->sum.values, 0, count * width, SPARCL_F32, values);
    if (status == SPARCL_OK) spec_compare_ints(report, "count", &count, &want->stored, 1);
    if (status == SPARCL_OK && report->equal) {
        spec_compare_ints(report, "ids", ids, want->ids, count);
        spec_compare(report, "values", values, want->values, NULL, NULL, count * width);
    }
    free(ids);
    free(values);
    return status;
}

static sparcl_status check_rows(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    spec_rowset want = {0};
    *report = (spec_report){.equal = true};
    const sparcl_status status = spec_rowset_sum(&want, &x->all, SPARCL_F32, NULL, NULL)
                                     ? compare_rows(ctx, x, &want, report)
                                     : SPARCL_E_MEMORY;
    spec_rowset_free(&want);
    return status;
}

const spec_bench spec_bench_rows_add = {
    "rows-add",
    "the sum of two row-sparse arrays: columns of the halves of the entries",
    SPEC_BENCH_WIDTHS,
    sizeof(operands),
    open_two,
    run_two,
    check_rows,
    close_operands,
    poison};
const spec_bench spec_bench_rows_add_n = {"rows-add-n",
                                          "the same of four, of the quarters of the entries",
                                          SPEC_BENCH_WIDTHS,
                                          sizeof(operands),
                                          open_four,
                                          run_four,
                                          check_rows,
                                          close_operands,
                                          poison};

/* --- dense arrays ----------------------------------------------------------------------------- */

static sparcl_status open_dense(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const int64_t elements = call->input->matrix->nnz;
    sparcl_status status = SPARCL_OK;
    x->count = TERMS;
    x->y = (sparcl_dense){.rank = 1, .shape = {elements}};
    for (int t = 0; t < TERMS && status == SPARCL_OK; ++t) {
        x->host[t] = spec_numbers(elements, (uint64_t)t + 1);
        if (!x->host[t]) return SPARCL_E_MEMORY;
        x->dense[t] = x->y;
        x->terms[t] = (sparcl_term){.factor = 1, .dense = &x->dense[t]};
        status = spec_put_reals(ctx, &x->dense[t].values, x->host[t], elements, SPARCL_F32);
    }
    call->flops = (TERMS - 1) * (double)elements;
    call->bytes = 4 * (TERMS + 1) * (double)elements;
    return status == SPARCL_OK ? sparcl_dense_create(ctx, &x->y) : status;
}

static sparcl_status run_dense(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_add_n(ctx, &x->y, x->terms, x->count);
}

static sparcl_status check_dense(sparcl_ctx *ctx, const spec_bench_call *call,
                                 spec_report *report) {
    const operands *const x = call->state;
    const int64_t elements = x->y.shape[0];
    double *const order = spec_numbers(elements, 0), *const got = spec_numbers(elements, 0);
    sparcl_status status = order && got ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true};
    for (int64_t i = 0; status == SPARCL_OK && i < elements; ++i) {
        order[i] = x->host[0][i];
        for (int t = 1; t < TERMS; ++t)
            order[i] = spec_round(SPARCL_F32, order[i] + x->host[t][i]);
    }
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, x->y.values, 0, elements, SPARCL_F32, got);
    if (status == SPARCL_OK) spec_compare(report, "y", got, order, NULL, NULL, elements);
    free(order);
    free(got);
    return status;
}

const spec_bench spec_bench_add_n = {
    "add-n",     "the sum of four arrays, each with a number for each entry of A",
    0,           sizeof(operands),
    open_dense,  run_dense,
    check_dense, close_operands,
    poison};
