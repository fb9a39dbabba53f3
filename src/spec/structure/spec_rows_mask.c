/* spec_rows_mask.c: rows of an array with the indices of the stored rows of another, in plain C.
 * Variant 0: of a dense array; 1: of a row-sparse one. nnz: the stored rows of the mask;
 * cols: those of the array. */
#include <stdlib.h>

#include "spec/shared/made.h"
#include "spec/shared/rowset.h"

/* Rows of the arrays, stored rows of each, width. */
static const int64_t sizes[][4] = {{0, 0, 0, 2},       {4, 0, 3, 1},          {4, 3, 0, 3},
                                   {1, 70, 1, 5},      {50, 20, 20, 16},      {370, 300, 11, 1},
                                   {700, 90, 600, 17}, {9000, 3000, 2000, 33}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int number = i / 6;
    if (number >= n_sizes) return false;
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = sizes[number][0],
                     .nnz = sizes[number][1],
                     .cols = sizes[number][2],
                     .n = sizes[number][3],
                     .dtype = spec_any_dtype(i + number),
                     .offset_type = i % 4 == 1 ? SPARCL_I64 : SPARCL_I32, /* of the array */
                     .index_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 5,
                     .variant = i % 2};
    return true;
}

typedef struct arrays {
    spec_rowset at, from; /* a dense array is `from` with all rows */
    double *want, *got;
} arrays;

static bool make(arrays *x, const spec_case *c) {
    const int64_t stored = c->variant ? c->cols : c->rows;
    if (!spec_rowset_make(&x->at, c->kind, c->rows, c->nnz, c->n, c->seed) ||
        !spec_rowset_make(&x->from, SPEC_UNIFORM, c->rows, stored, c->n, c->seed + 1))
        return false;
    for (int64_t k = 0; k < x->from.stored; ++k)
        x->from.ids[k] = k * c->rows / x->from.stored;
    for (int64_t i = 0; i < x->from.capacity * c->n; ++i)
        x->from.values[i] = spec_value(c->dtype, x->from.values[i]);
    x->want = calloc((size_t)(x->at.capacity * c->n) + 1, sizeof *x->want);
    x->got = spec_numbers(x->at.capacity * c->n, 1);
    return x->want && x->got;
}

static void answer(arrays *x, const spec_case *c) {
    for (int64_t i = 0; i < x->at.stored; ++i)
        for (int64_t k = 0; k < x->from.stored; ++k)
            for (int64_t j = 0; x->from.ids[k] == x->at.ids[i] && j < c->n; ++j)
                x->want[i * c->n + j] = x->from.values[k * c->n + j];
}

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, const sparcl_dense *to,
                          sparcl_rows *from, const sparcl_rows *at) {
    sparcl_dense x = {.rank = from->rank, .dtype = from->dtype, .values = from->values};
    for (int d = 0; d < from->rank; ++d)
        x.shape[d] = from->shape[d];
    from->proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    return c->variant ? sparcl_rows_retain_gradient(ctx, to, from, at)
                      : sparcl_rows_mask(ctx, to, &x, at);
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x, sparcl_rows *at,
                         sparcl_rows *from, sparcl_dense *to) {
    spec_case own = *c;
    own.kind = SPEC_UNIFORM;
    own.index_type = c->offset_type;
    sparcl_status status = spec_put_rows(ctx, at, &x->at, c);
    if (status == SPARCL_OK) status = spec_put_rows(ctx, from, &x->from, &own);
    *to = (sparcl_dense){.rank = at->rank, .dtype = c->dtype};
    for (int d = 1; d < at->rank; ++d)
        to->shape[d] = at->shape[d];
    to->shape[0] = at->nnr;
    const int64_t count = at->nnr * c->n;
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &to->values, x->got, count, c->dtype);
    if (status == SPARCL_OK) status = call(ctx, c, to, from, at);
    return status == SPARCL_OK ? spec_get_reals(ctx, to->values, 0, count, c->dtype, x->got)
                               : status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.want = NULL};
    sparcl_rows at = {.rank = 0}, from = {.rank = 0};
    sparcl_dense to = {.rank = 0};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (status == SPARCL_OK) {
        answer(&x, c);
        status = run(ctx, c, &x, &at, &from, &to);
    }
    if (status == SPARCL_OK)
        spec_compare(report, "rows", x.got, x.want, NULL, NULL, x.at.capacity * c->n);
    sparcl_rows_free(&at);
    sparcl_rows_free(&from);
    sparcl_dense_free(&to);
    spec_rowset_free(&x.at);
    spec_rowset_free(&x.from);
    free(x.want);
    free(x.got);
    return status;
}

const spec_op spec_rows_mask = {.name = "rows_mask", .get_case = get_case, .check = check};
