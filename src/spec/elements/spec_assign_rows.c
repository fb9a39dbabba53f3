/* spec_assign_rows.c: rows of a table are replaced by those of a row-sparse array, in plain C. nnz:
 * the stored rows. */
#include <stdlib.h>

#include "spec/shared/made.h"
#include "spec/shared/rowset.h"

/* Rows of the table, stored rows, width. */
static const int64_t sizes[][3] = {{0, 0, 2},    {4, 0, 1},    {1, 70, 5},      {50, 20, 16},
                                   {37, 300, 1}, {70, 90, 17}, {9000, 3000, 33}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int number = i / 8;
    if (number >= n_sizes) return false;
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = sizes[number][0],
                     .nnz = sizes[number][1],
                     .n = sizes[number][2],
                     .dtype = spec_any_dtype(i + number),
                     .index_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 5};
    return true;
}

typedef struct arrays {
    spec_rowset from;
    int64_t ld;
    double *want, *got; /* the table, with its gaps */
} arrays;

static bool make(arrays *x, const spec_case *c) {
    x->ld = c->n + (int64_t)(c->seed % 3);
    const int64_t count = c->rows * x->ld;
    if (!spec_rowset_make(&x->from, c->kind, c->rows, c->nnz, c->n, c->seed)) return false;
    for (int64_t i = 0; i < x->from.capacity * c->n; ++i)
        x->from.values[i] = spec_value(c->dtype, x->from.values[i]);
    x->got = spec_numbers(count, c->seed + 1);
    x->want = spec_numbers(count, c->seed + 1);
    if (!x->got || !x->want) return false;
    for (int64_t i = 0; i < count; ++i)
        x->got[i] = x->want[i] = spec_value(c->dtype, x->got[i]);
    return true;
}

/* The last of the rows of one id stays. */
static void answer(arrays *x, const spec_case *c) {
    for (int64_t k = 0; k < x->from.stored; ++k)
        for (int64_t j = 0; j < c->n; ++j)
            x->want[x->from.ids[k] * x->ld + j] = x->from.values[k * c->n + j];
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const int64_t count = c->rows * x->ld;
    sparcl_rows from = {.rank = 0};
    sparcl_dense table = {.dtype = c->dtype, .ld = x->ld};
    sparcl_status status = spec_put_rows(ctx, &from, &x->from, c);
    table.rank = from.rank;
    for (int d = 0; d < from.rank; ++d)
        table.shape[d] = from.shape[d];
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &table.values, x->got, count, c->dtype);
    if (status == SPARCL_OK) status = sparcl_assign_rows(ctx, &table, &from);
    if (status == SPARCL_OK) status = spec_get_reals(ctx, table.values, 0, count, c->dtype, x->got);
    sparcl_rows_free(&from);
    sparcl_dense_free(&table);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.want = NULL};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (status == SPARCL_OK) {
        answer(&x, c);
        status = run(ctx, c, &x);
    }
    if (status == SPARCL_OK)
        spec_compare(report, "table", x.got, x.want, NULL, NULL, c->rows * x.ld);
    spec_rowset_free(&x.from);
    free(x.want);
    free(x.got);
    return status;
}

const spec_op spec_assign_rows = {.name = "assign_rows", .get_case = get_case, .check = check};
