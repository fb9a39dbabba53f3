/* bench_rows.c: timed operations on row-sparse arrays whose ids are columns of entries: sums of two
 * and four, duplicates added, one array after the other, and products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparcl/ops.h"
#include "spec/bench/bench.h"

enum { TERMS = 4 };

typedef struct operands {
    sparcl_rows rows[TERMS], to;
    sparcl_term terms[TERMS];
    spec_rowset all; /* the rows of all terms, one term after the other */
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    for (int t = 0; t < TERMS; ++t)
        sparcl_rows_free(&x->rows[t]);
    sparcl_rows_free(&x->to);
    spec_rowset_free(&x->all);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_bench_poison_rows(ctx, &x->to);
}

/* --- operands --------------------------------------------------------------------------------- */

int64_t spec_bench_distinct(int64_t *ids, int64_t count) {
    int64_t found = 0;
    spec_sort_ints(ids, count);
    for (int64_t k = 0; k < count; ++k)
        if (k == 0 || ids[k] != ids[found - 1]) ids[found++] = ids[k];
    return found;
}

/* Term t has the columns of part t of the entries, each one once, or as they are: its rows are
 * begins[t] .. begins[t + 1] - 1. */
static bool make_rows(operands *x, const spec_bench_input *in, int count, bool is_distinct,
                      int64_t *begins) {
    const spec_matrix *const m = in->matrix;
    int64_t *const ids = malloc(((size_t)m->nnz + 1) * sizeof *ids);
    if (!ids) return false;
    begins[0] = 0;
    for (int t = 0; t < count; ++t) {
        const int64_t first = m->nnz * t / count, length = m->nnz * (t + 1) / count - first;
        int64_t *const part = ids + begins[t];
        memcpy(part, m->indices + first, (size_t)length * sizeof *ids);
        begins[t + 1] = begins[t] + (is_distinct ? spec_bench_distinct(part, length) : length);
    }
    const int64_t stored = begins[count];
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
    view->proof.flags = SPARCL_TRUSTED;
    x->terms[t] = (sparcl_term){.factor = 1, .rows = view};
    const sparcl_status status =
        spec_put_ints(ctx, &view->indices, x->all.ids + begin, end - begin, view->index_type);
    return status == SPARCL_OK ? spec_put_reals(ctx, &view->values, x->all.values + begin * width,
                                                (end - begin) * width, SPARCL_F32)
                               : status;
}

static sparcl_status open_terms(sparcl_ctx *ctx, spec_bench_call *call, int count,
                                bool is_distinct) {
    operands *const x = call->state;
    int64_t begins[TERMS + 1];
    if (!make_rows(x, call->input, count, is_distinct, begins)) return SPARCL_E_MEMORY;
    sparcl_status status = SPARCL_OK;
    for (int t = 0; t < count && status == SPARCL_OK; ++t) {
        status = put_rows(ctx, x, t, begins[t], begins[t + 1]);
        if (is_distinct) x->rows[t].proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    }
    return status;
}

/* The bytes of that many rows. */
static double row_bytes(const operands *x, double rows) {
    return rows * ((double)sparcl_itype_size(x->rows[0].index_type) + 4 * (double)x->all.width);
}

static sparcl_status open_sum(sparcl_ctx *ctx, spec_bench_call *call, int count, bool is_distinct) {
    operands *const x = call->state;
    const sparcl_status status = open_terms(ctx, call, count, is_distinct);
    const double results = (double)spec_columns_used(call->input->matrix);
    const double stored = (double)x->all.stored;
    x->to = empty_rows(x, x->all.stored);
    call->flops = (stored - results) * (double)x->all.width;
    call->bytes = row_bytes(x, stored + results);
    return status == SPARCL_OK ? sparcl_rows_create(ctx, &x->to) : status;
}

/* The largest element of each column of the rows of one id. */
static bool largest(spec_rowset *to, const spec_rowset *from) {
    const int64_t width = from->width;
    int64_t *const places = calloc((size_t)from->limit + 1, sizeof *places);
    *to = (spec_rowset){.limit = from->limit,
                        .width = width,
                        .ids = malloc(((size_t)from->stored + 1) * sizeof *to->ids),
                        .values = spec_numbers(from->stored * width, 0)};
    if (places && to->ids && to->values) {
        memcpy(to->ids, from->ids, (size_t)from->stored * sizeof *to->ids);
        to->stored = to->capacity = spec_bench_distinct(to->ids, from->stored);
    }
    for (int64_t k = 0; places && k < to->stored; ++k)
        places[to->ids[k]] = k;
    for (int64_t e = 0; to->stored > 0 && e < to->stored * width; ++e)
        to->values[e] = -INFINITY;
    for (int64_t k = 0; to->stored > 0 && k < from->stored; ++k)
        for (int64_t j = 0; j < width; ++j) {
            double *const best = &to->values[places[from->ids[k]] * width + j];
            *best = fmax(*best, from->values[k * width + j]);
        }
    free(places);
    return places && to->ids && to->values;
}

static sparcl_status check_largest(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    const operands *const x = call->state;
    spec_rowset want = {0};
    *report = (spec_report){.equal = true};
    const sparcl_status status = largest(&want, &x->all)
                                     ? spec_bench_compare_rows(ctx, &x->to, &want, report)
                                     : SPARCL_E_MEMORY;
    spec_rowset_free(&want);
    return status;
}

static sparcl_status open_largest(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_sum(ctx, call, 1, false);
}

static sparcl_status run_largest(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_rows_coalesce_with(ctx, &x->to, &x->rows[0], SPARCL_MAX, NULL);
}

SPEC_BENCH(rows_coalesce_max, "rows-coalesce-max",
           "the same, the largest element of each column of the rows of one id", SPEC_BENCH_WIDTHS,
           open_largest, run_largest, check_largest)

/* --- one array after the other ---------------------------------------------------------------- */

static sparcl_status open_rows_concat(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const sparcl_status status = open_terms(ctx, call, 2, false);
    x->to = empty_rows(x, x->all.stored);
    call->bytes = row_bytes(x, 2 * (double)x->all.stored);
    return status == SPARCL_OK ? sparcl_rows_create(ctx, &x->to) : status;
}

static sparcl_status run_rows_concat(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_rows_concat(ctx, &x->to, &x->rows[0], &x->rows[1]);
}

static sparcl_status check_rows_concat(sparcl_ctx *ctx, const spec_bench_call *call,
                                       spec_report *report) {
    const operands *const x = call->state;
    *report = (spec_report){.equal = true};
    return spec_bench_compare_rows(ctx, &x->to, &x->all, report);
}

SPEC_BENCH(rows_concat, "rows-concat", "two row-sparse arrays, rows for the halves of the entries",
           SPEC_BENCH_WIDTHS, open_rows_concat, run_rows_concat, check_rows_concat)
