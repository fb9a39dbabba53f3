/* spec_rows_multiply.c: row-sparse arrays times others element by element, in plain C. Variant 0:
 * two row-sparse ones; 1: a dense one; 2: a dense one, with the result in place; of two row-sparse
 * ones
 * + 4: with capacity for the rows of the product only; + 8: for fewer. nnz, cols: the rows that
 * each array has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/made.h"
#include "spec/shared/rowset.h"

enum { ROWS, DENSE, IN_PLACE, KINDS, FIT = 4, LESS = 8 };

/* Rows of the arrays, rows of each, width. */
static const int64_t sizes[][4] = {{0, 0, 0, 3},    {5, 0, 4, 2},       {4, 9, 0, 1},
                                   {7, 5, 6, 3},    {9, 20, 7, 5},      {50, 30, 40, 17},
                                   {37, 37, 90, 1}, {300, 250, 90, 33}, {9000, 7000, 9000, 64}};

static bool get_case(int i, bool small, spec_case *c) {
    static const int variants[] = {ROWS, ROWS | FIT, DENSE, ROWS | LESS, IN_PLACE};
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int n_variants = (int)(sizeof variants / sizeof variants[0]), number = i / n_variants / 4;
    if (number >= (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0)) return false;
    *c = (spec_case){.kind = (spec_kind)(i / 3 % SPEC_KINDS),
                     .rows = sizes[number][0],
                     .nnz = sizes[number][1],
                     .cols = sizes[number][2],
                     .n = sizes[number][3],
                     .dtype = dtypes[i / n_variants % 4],
                     .index_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .offset_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32, /* indices of b */
                     .variant = variants[i % n_variants],
                     .seed = (uint64_t)i + 23};
    return true;
}

static int kind_of(const spec_case *c) {
    return c->variant % FIT;
}

typedef struct arrays {
    spec_rowset a, b, want, got;
    int64_t ld; /* of the dense array, in x */
    double *x, *truth, *bound;
} arrays;

static void drop(arrays *x) {
    spec_rowset_free(&x->a);
    spec_rowset_free(&x->b);
    spec_rowset_free(&x->want);
    spec_rowset_free(&x->got);
    free(x->x);
    free(x->truth);
    free(x->bound);
}

/* Each row once, ascending, or with `as_made` as spec_rowset_make has them; with stored values. */
static bool make_rows(spec_rowset *x, const spec_case *c, spec_kind kind, int64_t nnr, bool as_made,
                      uint64_t seed) {
    spec_rowset made = {0};
    bool done = spec_rowset_make(as_made ? x : &made, kind, c->rows, nnr, c->n, seed);
    if (!as_made) done = done && spec_rowset_sum(x, &made, c->dtype, NULL, NULL);
    if (done && !as_made && seed % 3) { /* a count, and indices after it that are none */
        x->capacity = made.stored;
        for (int64_t k = x->stored; k < x->capacity; ++k)
            x->ids[k] = c->rows + 1000000;
    }
    for (int64_t k = 0; done && k < x->capacity * c->n; ++k)
        x->values[k] = spec_value(c->dtype, x->values[k]);
    spec_rowset_free(&made);
    return done;
}

static bool make(arrays *x, const spec_case *c) {
    const bool both = kind_of(c) == ROWS;
    const spec_kind kind = both && c->kind == SPEC_ONE_ROW ? SPEC_UNIFORM : c->kind;
    x->ld = c->n + (c->seed % 2 ? 2 : 0);
    x->x = spec_numbers(c->rows * x->ld, c->seed + 9);
    if (!x->x || !make_rows(&x->a, c, kind, c->nnz, !both, c->seed) ||
        !make_rows(&x->b, c, SPEC_UNIFORM, c->cols, false, c->seed + 1))
        return false;
    for (int64_t k = 0; k < c->rows * x->ld; ++k)
        x->x[k] = spec_value(c->dtype, x->x[k]);
    x->truth = spec_numbers(x->a.capacity * c->n, 0);
    x->bound = spec_numbers(x->a.capacity * c->n, 0);
    return x->truth && x->bound &&
           spec_rowset_make(&x->want, SPEC_UNIFORM, c->rows + 1, x->a.capacity, c->n, 0);
}

/* The next row of the product. */
static void answer_row(arrays *x, const spec_case *c, int64_t id, const double *a,
                       const double *b) {
    const int64_t u = x->want.stored++;
    x->want.ids[u] = id;
    for (int64_t j = 0; j < c->n; ++j) {
        const int64_t at = u * c->n + j;
        x->truth[at] = a[j] * b[j];
        x->want.values[at] = spec_store(c->dtype, spec_round(c->dtype, a[j] * b[j]));
        x->bound[at] = spec_unit(c->dtype) * fabs(x->truth[at]) * SPEC_SECOND_ORDER;
        x->bound[at] += spec_store_error(c->dtype, fabs(x->truth[at]) + x->bound[at]);
    }
}

static void answer(arrays *x, const spec_case *c) {
    int64_t k = 0;
    x->want.stored = 0;
    for (int64_t i = 0; i < x->a.stored; ++i) {
        const int64_t id = x->a.ids[i];
        const double *const row = x->a.values + i * c->n;
        while (kind_of(c) == ROWS && k < x->b.stored && x->b.ids[k] < id)
            ++k;
        if (kind_of(c) != ROWS)
            answer_row(x, c, id, row, x->x + id * x->ld);
        else if (k < x->b.stored && x->b.ids[k] == id)
            answer_row(x, c, id, row, x->b.values + k * c->n);
    }
}

/* --- the device ------------------------------------------------------------------------------- */

static sparcl_status put_rows(sparcl_ctx *ctx, const spec_case *c, const spec_rowset *x,
                              sparcl_itype type, sparcl_rows *view) {
    spec_case own = *c;
    own.kind = SPEC_UNIFORM;
    own.index_type = type;
    const sparcl_status status = spec_put_rows(ctx, view, x, &own);
    view->rank = spec_shape(view->shape, c->rows, c->n, c->seed);
    return status;
}

static sparcl_status get_rows(sparcl_ctx *ctx, const spec_case *c, const sparcl_rows *view,
                              spec_rowset *got) {
    sparcl_status status = spec_get_ints(ctx, view->count, 0, 1, SPARCL_I64, &got->stored);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, view->indices, 0, view->nnr, view->index_type, got->ids);
    return status == SPARCL_OK
               ? spec_get_reals(ctx, view->values, 0, view->nnr * c->n, c->dtype, got->values)
               : status;
}

/* As much capacity as any product needs, as this one needs, or less. */
static int64_t capacity_of(const spec_case *c, const arrays *x) {
    const int64_t most = x->a.capacity < x->b.capacity ? x->a.capacity : x->b.capacity;
    return c->variant & LESS ? x->want.stored * 2 / 3 : c->variant & FIT ? x->want.stored : most;
}

static sparcl_status multiply_rows(sparcl_ctx *ctx, const spec_case *c, arrays *x,
                                   const sparcl_rows *a, spec_report *report) {
    sparcl_rows b = {.rank = 0}, to = {.rank = 0};
    sparcl_buf *needed = NULL;
    int64_t found = -1;
    if (!spec_rowset_make(&x->got, SPEC_UNIFORM, 1, capacity_of(c, x), c->n, 0))
        return SPARCL_E_MEMORY;
    x->got.capacity = capacity_of(c, x);
    x->got.stored = -1; /* the count is a result */
    sparcl_status status = put_rows(ctx, c, &x->b, c->offset_type, &b);
    if (status == SPARCL_OK) status = put_rows(ctx, c, &x->got, SPARCL_I64, &to);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &needed, 16);
    b.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    to.proof.flags = 0;
    if (status == SPARCL_OK) status = sparcl_rows_multiply(ctx, &to, a, &b, needed, 1);
    if (status == SPARCL_OK) status = get_rows(ctx, c, &to, &x->got);
    if (status == SPARCL_OK) status = spec_get_ints(ctx, needed, 1, 1, SPARCL_I64, &found);
    if (status == SPARCL_OK) spec_compare_ints(report, "needed", &found, &x->want.stored, 1);
    if (sparcl_rows_flags(&to) != (SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE))
        x->got.stored = -1;
    sparcl_rows_free(&b);
    sparcl_rows_free(&to);
    sparcl_buf_free(needed);
    return status;
}

static sparcl_status multiply_dense(sparcl_ctx *ctx, const spec_case *c, arrays *x,
                                    const sparcl_rows *a) {
    sparcl_dense v = {.rank = a->rank, .dtype = c->dtype}, dense = v;
    const int64_t count = x->a.capacity * c->n;
    memcpy(v.shape, a->shape, sizeof v.shape);
    memcpy(dense.shape, a->shape, sizeof dense.shape);
    v.shape[0] = a->nnr;
    dense.ld = x->ld;
    if (!spec_rowset_make(&x->got, SPEC_UNIFORM, 1, x->a.capacity, c->n, 0)) return SPARCL_E_MEMORY;
    for (int64_t i = 0; i < x->a.stored; ++i)
        x->got.ids[i] = x->a.ids[i];
    x->got.stored = x->a.stored;
    sparcl_status status = spec_put_reals(ctx, &dense.values, x->x, c->rows * x->ld, c->dtype);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &v.values, x->got.values, count, c->dtype);
    sparcl_dense to = v;
    if (kind_of(c) == IN_PLACE) to.values = a->values, to.values_at = a->values_at;
    if (status == SPARCL_OK) status = sparcl_rows_multiply_dense(ctx, &to, a, &dense);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, to.values, to.values_at, count, c->dtype, x->got.values);
    sparcl_dense_free(&v);
    sparcl_dense_free(&dense);
    return status;
}

static void compare(spec_report *report, const spec_case *c, const arrays *x) {
    const int64_t stored = c->variant & LESS ? x->want.stored * 2 / 3 : x->want.stored;
    spec_compare_ints(report, "count", &x->got.stored, &stored, 1);
    if (!report->equal) return;
    spec_compare_ints(report, "indices", x->got.ids, x->want.ids, stored);
    spec_compare(report, "values", x->got.values, x->want.values, x->truth, x->bound,
                 stored * c->n);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.x = NULL};
    sparcl_rows a = {.rank = 0};
    *report = (spec_report){.equal = true};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) answer(&x, c);
    if (status == SPARCL_OK) status = put_rows(ctx, c, &x.a, c->index_type, &a);
    if (kind_of(c) == ROWS) a.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    if (status == SPARCL_OK)
        status = kind_of(c) == ROWS ? multiply_rows(ctx, c, &x, &a, report)
                                    : multiply_dense(ctx, c, &x, &a);
    if (status == SPARCL_OK) compare(report, c, &x);
    sparcl_rows_free(&a);
    drop(&x);
    return status;
}

const spec_op spec_rows_multiply = {.name = "rows_multiply", .get_case = get_case, .check = check};
