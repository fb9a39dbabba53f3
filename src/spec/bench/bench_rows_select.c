/* bench_rows_select.c: timed selections of the rows of row-sparse and dense arrays. The array
 * stores the columns of the first half of the entries, the list has those of the second half. */
#include <stdlib.h>
#include <string.h>

#include "spec/bench/bench.h"

typedef struct operands {
    spec_rowset all, want; /* the array, and the result */
    int64_t *listed;
    sparcl_rows from, to;
    sparcl_list list;
    sparcl_dense dense, rows; /* an array of all rows; rows of it */
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_rowset_free(&x->all);
    spec_rowset_free(&x->want);
    free(x->listed);
    sparcl_rows_free(&x->from);
    sparcl_rows_free(&x->to);
    sparcl_list_free(&x->list);
    sparcl_dense_free(&x->dense);
    sparcl_dense_free(&x->rows);
}

/* --- operands --------------------------------------------------------------------------------- */

/* The distinct columns of `length` entries; NULL when out of memory. */
static int64_t *columns_of(const spec_matrix *m, int64_t first, int64_t length, int64_t *count) {
    int64_t *const ids = malloc(((size_t)length + 1) * sizeof *ids);
    if (!ids) return NULL;
    memcpy(ids, m->indices + first, (size_t)length * sizeof *ids);
    *count = spec_bench_distinct(ids, length);
    return ids;
}

static sparcl_itype index_type(const operands *x) {
    return x->all.limit > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
}

static bool make(operands *x, const spec_bench_input *in) {
    const spec_matrix *const m = in->matrix;
    const int64_t half = m->nnz / 2;
    int64_t stored = 0;
    x->all = (spec_rowset){.limit = m->cols, .width = in->n};
    x->all.ids = columns_of(m, 0, half, &stored);
    x->listed = columns_of(m, half, m->nnz - half, &x->list.count);
    x->all.stored = x->all.capacity = stored;
    x->all.values = spec_numbers(stored * in->n, 6);
    return x->all.ids && x->listed && x->all.values;
}

/* Room for `capacity` rows on the host. */
static bool make_result(operands *x, int64_t capacity) {
    x->want = (spec_rowset){.limit = x->all.limit,
                            .width = x->all.width,
                            .capacity = capacity,
                            .ids = malloc(((size_t)capacity + 1) * sizeof *x->want.ids),
                            .values = spec_numbers(capacity * x->all.width, 0)};
    return x->want.ids && x->want.values;
}

/* Append row `id`: that of stored row k, or zeros where k is negative. */
static void append(operands *x, int64_t id, int64_t k) {
    const int64_t width = x->all.width, at = x->want.stored++;
    x->want.ids[at] = id;
    for (int64_t j = 0; j < width; ++j)
        x->want.values[at * width + j] = k < 0 ? 0 : x->all.values[k * width + j];
}

static sparcl_status put(sparcl_ctx *ctx, operands *x) {
    const sparcl_itype type = index_type(x);
    x->from = (sparcl_rows){
        .rank = 2, .index_type = type, .shape = {x->all.limit, x->all.width}, .nnr = x->all.stored};
    x->from.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    x->list.limit = x->all.limit;
    x->list.index_type = type;
    x->list.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    sparcl_status status = spec_put_ints(ctx, &x->from.indices, x->all.ids, x->all.stored, type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &x->from.values, x->all.values, x->all.stored * x->all.width,
                                SPARCL_F32);
    return status == SPARCL_OK
               ? spec_put_ints(ctx, &x->list.indices, x->listed, x->list.count, type)
               : status;
}

static sparcl_status create_result(sparcl_ctx *ctx, spec_bench_call *call, int64_t rows) {
    operands *const x = call->state;
    const double index = (double)sparcl_itype_size(index_type(x)), width = (double)x->all.width;
    x->to = x->from;
    x->to.shape[0] = rows;
    x->to.nnr = x->want.capacity;
    x->to.indices = x->to.values = NULL;
    x->to.proof = (sparcl_proof){0};
    call->bytes = index * (double)(x->all.stored + x->want.stored) +
                  8 * width * (double)x->want.stored; /* read, and written */
    return sparcl_rows_create(ctx, &x->to);
}

/* --- retain ----------------------------------------------------------------------------------- */

static sparcl_status open_retain(sparcl_ctx *ctx, spec_bench_call *call, bool of_all) {
    operands *const x = call->state;
    if (!make(x, call->input) || !make_result(x, x->list.count)) return SPARCL_E_MEMORY;
    for (int64_t i = 0, k = 0; i < x->list.count; ++i) {
        while (k < x->all.stored && x->all.ids[k] < x->listed[i])
            ++k;
        const bool found = k < x->all.stored && x->all.ids[k] == x->listed[i];
        if (found || of_all) append(x, x->listed[i], found ? k : -1);
    }
    sparcl_status status = put(ctx, x);
    if (status == SPARCL_OK) status = create_result(ctx, call, x->all.limit);
    if (!of_all) return status;
    sparcl_buf_free(x->to.count); /* all rows of the list are there */
    x->to.count = NULL;
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    return spec_bench_compare_rows(ctx, &x->to, &x->want, report);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return x->rows.values ? spec_poison(ctx, x->rows.values) : spec_bench_poison_rows(ctx, &x->to);
}

SPEC_BENCH_CALLS(rows_retain_all, "rows-retain-all",
                 "rows in a list of a row-sparse array, zeros where it stores none",
                 SPEC_BENCH_WIDTHS, open_retain(ctx, call, true),
                 sparcl_rows_retain_all(ctx, &x->to, &x->from, &x->list, NULL))
SPEC_BENCH_CALLS(rows_retain_stored, "rows-retain-stored", "the same, only those that are stored",
                 SPEC_BENCH_WIDTHS, open_retain(ctx, call, false),
                 sparcl_rows_retain_stored(ctx, &x->to, &x->from, &x->list, NULL))

/* --- slices and masks ------------------------------------------------------------------------- */

/* The half of the rows in the middle. */
static sparcl_status open_slice(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    if (!make(x, call->input) || !make_result(x, x->all.stored)) return SPARCL_E_MEMORY;
    const int64_t first = x->all.limit / 4, rows = x->all.limit - 2 * first;
    for (int64_t k = 0; k < x->all.stored; ++k)
        if (x->all.ids[k] >= first && x->all.ids[k] < first + rows)
            append(x, x->all.ids[k] - first, k);
    x->want.limit = rows;
    const sparcl_status status = put(ctx, x);
    return status == SPARCL_OK ? create_result(ctx, call, rows) : status;
}

/* Rows of a dense array whose stored rows are those of `from`. */
static sparcl_status open_mask(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    if (!make(x, call->input)) return SPARCL_E_MEMORY;
    sparcl_status status = put(ctx, x);
    x->dense = (sparcl_dense){.rank = 2, .shape = {x->all.limit, x->all.width}};
    x->rows = (sparcl_dense){.rank = 2, .shape = {x->all.stored, x->all.width}};
    if (status == SPARCL_OK) status = sparcl_dense_create(ctx, &x->dense);
    if (status == SPARCL_OK) status = sparcl_rows_to_dense(ctx, &x->dense, &x->from);
    call->bytes = (double)x->all.stored *
                  ((double)sparcl_itype_size(index_type(x)) + 8 * (double)x->all.width);
    return status == SPARCL_OK ? sparcl_dense_create(ctx, &x->rows) : status;
}

static sparcl_status check_mask(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    *report = (spec_report){.equal = true};
    return spec_bench_compare_dense(ctx, "to", &x->rows, x->all.values, report);
}

static sparcl_status run_mask(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_rows_mask(ctx, &x->rows, &x->dense, &x->from);
}

SPEC_BENCH_CALLS(rows_slice, "rows-slice", "the middle half of the rows of a row-sparse array",
                 SPEC_BENCH_WIDTHS, open_slice(ctx, call),
                 sparcl_rows_slice(ctx, &x->to, &x->from, x->all.limit / 4, NULL))
SPEC_BENCH(rows_mask, "rows-mask", "the rows of a dense array with the indices of a row-sparse one",
           SPEC_BENCH_WIDTHS, open_mask, run_mask, check_mask)
