/* spec_concat.c: the rows of two row-sparse arrays, one after the other, in plain C. Variant: + 1
 * where the result has I64 indices, + 2 where the second array has. */
#include <string.h>

#include "spec/shared/made.h"
#include "spec/shared/rowset.h"

static const int64_t widths[] = {1, 2, 3, 16, 17, 64, 300};

/* Rows of the array, stored rows of the first and of the second. */
static const int64_t sizes[][3] = {{0, 0, 0},   {4, 0, 3},     {4, 3, 0},      {1, 1, 700},
                                   {50, 9, 20}, {37, 300, 11}, {700, 90, 600}, {1000, 3000, 2000}};

/* Other element types: two sizes with each width. */
static bool get_other(int i, int n_widths, spec_case *c) {
    if (i >= 2 * n_widths) return false;
    const int64_t *const size = sizes[4 + i % 2];
    *c = (spec_case){.kind = (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = size[0],
                     .nnz = size[1],
                     .cols = size[2],
                     .n = widths[i / 2],
                     .dtype = spec_other_dtype(i / 2 + i % 2),
                     .index_type = i % 3 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 3001,
                     .variant = i % 4};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int k = i / 4;
    if (k >= n_sizes * n_widths) return get_other(i - 4 * n_sizes * n_widths, n_widths, c);
    *c = (spec_case){.kind = (spec_kind)((k + k / n_widths) % SPEC_KINDS),
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .cols = sizes[k / n_widths][2],
                     .n = widths[k % n_widths],
                     .dtype = k % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = (k + i) % 3 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 1,
                     .variant = i % 4};
    return true;
}

typedef struct arrays {
    spec_rowset a, b, got;
} arrays;

static void drop(arrays *x) {
    spec_rowset_free(&x->a);
    spec_rowset_free(&x->b);
    spec_rowset_free(&x->got);
}

/* The values as the device has them. */
static bool make_rows(spec_rowset *x, const spec_case *c, spec_kind kind, int64_t nnr,
                      uint64_t seed) {
    if (!spec_rowset_make(x, kind, c->rows, nnr, c->n, seed)) return false;
    for (int64_t i = 0; i < x->stored * x->width; ++i)
        x->values[i] = spec_moved_value(c->dtype, x->values[i]);
    return true;
}

static bool make(arrays *x, const spec_case *c) {
    return make_rows(&x->a, c, c->kind, c->nnz, c->seed) &&
           make_rows(&x->b, c, SPEC_UNIFORM, c->cols, c->seed + 1) &&
           spec_rowset_make(&x->got, SPEC_UNIFORM, c->rows > 0 ? c->rows : 1,
                            x->a.capacity + x->b.capacity, c->n, 1);
}

static sparcl_status get(sparcl_ctx *ctx, const sparcl_rows *to, spec_rowset *got) {
    sparcl_status status = spec_get_ints(ctx, to->count, 0, 1, SPARCL_I64, &got->stored);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, to->indices, 0, got->capacity, to->index_type, got->ids);
    if (status == SPARCL_OK)
        status =
            spec_get_reals(ctx, to->values, 0, got->capacity * got->width, to->dtype, got->values);
    if (sparcl_rows_flags(to) != SPARCL_VALID) got->stored = -1;
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    sparcl_rows a = {0}, b = {0}, to = {0};
    spec_case of_a = *c, of_b = *c, of_to = *c;
    of_b.kind = SPEC_UNIFORM;
    of_b.index_type = c->variant & 2 ? SPARCL_I64 : SPARCL_I32;
    of_to.kind = SPEC_UNIFORM;
    of_to.index_type = c->variant & 1 ? SPARCL_I64 : SPARCL_I32;
    x->got.stored = -1; /* the count is a result */
    sparcl_status status = spec_put_rows(ctx, &a, &x->a, &of_a);
    if (status == SPARCL_OK) status = spec_put_rows(ctx, &b, &x->b, &of_b);
    if (status == SPARCL_OK) status = spec_put_rows(ctx, &to, &x->got, &of_to);
    to.rank = b.rank = a.rank;
    memcpy(b.shape, a.shape, sizeof a.shape);
    memcpy(to.shape, a.shape, sizeof a.shape);
    to.proof.flags = 0;
    if (status == SPARCL_OK) status = sparcl_rows_concat(ctx, &to, &a, &b);
    if (status == SPARCL_OK) status = get(ctx, &to, &x->got);
    sparcl_rows_free(&a);
    sparcl_rows_free(&b);
    sparcl_rows_free(&to);
    return status;
}

static void compare(spec_report *report, const spec_case *c, arrays *x) {
    const int64_t stored = x->a.stored + x->b.stored;
    spec_compare_ints(report, "count", &x->got.stored, &stored, 1);
    if (!report->equal) return;
    spec_compare_ints(report, "indices of a", x->got.ids, x->a.ids, x->a.stored);
    spec_compare_ints(report, "indices of b", x->got.ids + x->a.stored, x->b.ids, x->b.stored);
    spec_compare(report, "values of a", x->got.values, x->a.values, NULL, NULL, x->a.stored * c->n);
    spec_compare(report, "values of b", x->got.values + x->a.stored * c->n, x->b.values, NULL, NULL,
                 x->b.stored * c->n);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {0};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    const double item = (double)c->n * (double)sparcl_dtype_size(c->dtype) +
                        (double)sparcl_itype_size(c->index_type);
    *report = (spec_report){.equal = true,
                            .bytes = 2 * (double)(c->nnz + c->cols) * item,
                            .zeros_expected = c->dtype == SPARCL_BOOL};
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK) compare(report, c, &x);
    drop(&x);
    return status;
}

const spec_op spec_concat = {.name = "concat", .get_case = get_case, .check = check};
