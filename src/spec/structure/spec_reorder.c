/* spec_reorder.c: sorting COO arrays in plain C. Variant bit 0: with the permutation; bit 1: the
 * number of entries is on the device. `n`: number of the shape. */
#include <stdlib.h>

#include "spec/shared/entries.h"
#include "spec/shared/made.h"

static const int64_t sizes[] = {0, 1, 2, 37, 600, 5000, 70000};

#define SIZES (int)(sizeof sizes / sizeof sizes[0])

/* Other element types: every third shape with every size. */
static bool get_other(int i, bool small, spec_case *c) {
    const int tried = SIZES - (small ? 2 : 0);
    if (!spec_entries_case(c, i / tried * 3 * tried + i % tried, sizes, SIZES, small)) return false;
    c->kind = (spec_kind)((i + i / tried) % SPEC_KINDS);
    c->dtype = spec_other_dtype(i + i / tried);
    if (i % 4 == 2) c->index_type = SPARCL_I64;
    c->seed = (uint64_t)i * 7 + 5001;
    c->variant = i * 5 / 3 % 4;
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    int first = 0; /* the number of cases with F32 and F64 */
    while (spec_entries_case(c, first, sizes, SIZES, small))
        ++first;
    if (i >= first) return get_other(i - first, small, c);
    spec_entries_case(c, i, sizes, SIZES, small);
    c->dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32;
    if (i % 4 == 2) c->index_type = SPARCL_I64;
    c->seed = (uint64_t)i * 7 + 1 + (uint64_t)(i % 3);
    c->variant = i * 5 / 3 % 4;
    return true;
}

/* The arrays of one case; `places` is the permutation from the device. */
typedef struct arrays {
    spec_entries from, order, got;
    int64_t *expected, *places;
} arrays;

static void drop(arrays *x) {
    spec_entries_free(&x->from);
    spec_entries_free(&x->order);
    spec_entries_free(&x->got);
    free(x->expected);
    free(x->places);
}

static bool make(arrays *x, const spec_case *c) {
    const bool more = c->variant & 2;
    if (!spec_entries_make(&x->from, c->kind, (int)c->n, c->nnz, more, c->seed)) return false;
    if (!spec_entries_like(&x->order, &x->from) || !spec_entries_like(&x->got, &x->from))
        return false;
    for (int64_t k = 0; k < x->from.stored; ++k)
        x->from.values[k] = spec_moved_value(c->dtype, x->from.values[k]);
    x->expected = spec_entries_order(&x->from);
    x->places = calloc((size_t)x->from.capacity + 1, sizeof *x->places);
    if (!x->expected || !x->places) return false;
    x->order.stored = x->from.stored;
    for (int64_t k = 0; k < x->from.stored; ++k)
        spec_entries_copy(&x->order, k, &x->from, x->expected[k]);
    return true;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const bool permuted = c->variant & 1, count = c->variant & 2;
    if (!count) x->got.stored = x->got.capacity;
    sparcl_coo from = {0}, to = {0};
    sparcl_buf *places = NULL;
    sparcl_status status = spec_put_entries(ctx, &from, &x->from, c, 3, false);
    if (status == SPARCL_OK) status = spec_put_entries(ctx, &to, &x->got, c, 1, count);
    if (status == SPARCL_OK && permuted)
        status = sparcl_buf_create(ctx, &places, (to.nnz + 1) * (int64_t)sizeof(int64_t));
    if (status == SPARCL_OK) status = sparcl_coo_sort(ctx, &to, &from, places, 1);
    if (status == SPARCL_OK) status = spec_get_entries(ctx, &to, &x->got);
    if (status == SPARCL_OK && permuted)
        status = spec_get_ints(ctx, places, 1, x->from.stored, SPARCL_I64, x->places);
    sparcl_coo_free(&from);
    sparcl_coo_free(&to);
    sparcl_buf_free(places);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {0};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    const double entry = (double)(sparcl_dtype_size(c->dtype) +
                                  (size_t)x.from.rank * sparcl_itype_size(c->index_type));
    *report = (spec_report){.equal = true,
                            .bytes = 2 * entry * (double)x.from.stored,
                            .zeros_expected = c->dtype == SPARCL_BOOL};
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK) {
        spec_compare_entries(report, &x.got, &x.order, NULL, NULL);
        if (c->variant & 1)
            spec_compare_ints(report, "permutation", x.places, x.expected, x.from.stored);
    }
    drop(&x);
    return status;
}

const spec_op spec_reorder = {.name = "reorder", .get_case = get_case, .check = check};
