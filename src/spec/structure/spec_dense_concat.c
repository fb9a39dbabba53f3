/* spec_dense_concat.c: dense arrays one below the other or side by side, and their parts again, in
 * plain C. Variant: + 1 for columns (axis 1), + 2 for gaps between the rows of all arrays, + 4 for
 * arrays of rank 1, which have axis 0. `nnz`: the number of parts. */
#include <stdlib.h>

#include "spec/shared/made.h"

enum { MOST = 5, GAP = 3 };

static bool get_case(int i, bool small, spec_case *c) {
    /* From 1024 rows on CPU workers have whole ones. */
    static const int64_t sizes[][2] = {{7, 5},   {1, 70},   {40, 1},     {0, 9},
                                       {130, 6}, {1030, 9}, {1200, 150}, {1100, 32}};
    const int n_sizes = small ? 6 : 8, variant = i % 5;
    if (i >= n_sizes * MOST * 5) return false;
    const int64_t *const size = sizes[i / 5 / MOST];
    *c = (spec_case){.rows = size[0],
                     .cols = size[1],
                     .nnz = 1 + i / 5 % MOST,
                     .n = 1,
                     .dtype = spec_any_dtype(i + i / 25),
                     .variant = variant,
                     .seed = (uint64_t)i + 11};
    return true;
}

/* An array of m rows of n elements, each row followed by the gap. */
typedef struct array {
    int64_t m, n, ld;
    double *x, *order, *got;
    sparcl_dense view;
} array;

typedef struct arrays {
    array whole, parts[MOST];
    const sparcl_dense *list[MOST];
} arrays;

static int axis_of(const spec_case *c) {
    return c->variant & 1;
}

static bool make_array(array *a, const spec_case *c, int64_t m, int64_t n, uint64_t seed) {
    const bool is_vector = c->variant & 4;
    a->m = m;
    a->n = is_vector ? 1 : n;
    a->ld = a->n + (c->variant & 2 ? GAP : 0);
    a->x = spec_numbers(m * a->ld, seed);
    a->order = spec_numbers(m * a->ld, seed);
    a->got = spec_numbers(m * a->ld, 0);
    if (!a->x || !a->order || !a->got) return false;
    for (int64_t k = 0; k < m * a->ld; ++k)
        a->order[k] = a->x[k] = spec_moved_value(c->dtype, a->x[k]);
    a->view =
        (sparcl_dense){.rank = is_vector ? 1 : 2, .dtype = c->dtype, .shape = {m, n}, .ld = a->ld};
    if (is_vector) a->view.shape[1] = a->view.ld = 0;
    return true;
}

static void drop_array(array *a) {
    free(a->x);
    free(a->order);
    free(a->got);
    sparcl_buf_free(a->view.values);
}

/* Cut at random places; a part may be empty. 32 are cut in the middle: CPUs move 16 at once. */
static bool make(arrays *a, const spec_case *c) {
    const int axis = axis_of(c);
    uint64_t state = c->seed;
    int64_t left = axis ? c->cols : c->rows;
    if (!make_array(&a->whole, c, c->rows, c->cols, c->seed + 1)) return false;
    for (int i = 0; i < c->nnz; ++i) {
        const bool is_last = i == c->nnz - 1;
        const int64_t half = (int64_t)(spec_random(&state) % (uint64_t)(left + 1)) / 2;
        const int64_t size = is_last ? left : axis && left == 32 ? 16 : half;
        left -= size;
        a->list[i] = &a->parts[i].view;
        if (!make_array(&a->parts[i], c, axis ? c->rows : size, axis ? size : c->cols,
                        c->seed + 20 + (uint64_t)i))
            return false;
    }
    return true;
}

/* Element (r, j) of a part is element (r, j + at) or (r + at, j) of the whole. */
static void answer(arrays *a, const spec_case *c, bool splits) {
    const array *const whole = &a->whole;
    int64_t at = 0;
    for (int i = 0; i < c->nnz; ++i) {
        const array *const part = &a->parts[i];
        for (int64_t r = 0; r < part->m; ++r)
            for (int64_t j = 0; j < part->n; ++j) {
                const int64_t here = r * part->ld + j;
                const int64_t there =
                    axis_of(c) ? r * whole->ld + j + at : (r + at) * whole->ld + j;
                if (splits)
                    part->order[here] = whole->x[there];
                else
                    whole->order[there] = part->x[here];
            }
        at += axis_of(c) ? part->n : part->m;
    }
}

static sparcl_status put(sparcl_ctx *ctx, array *a) {
    sparcl_buf_free(a->view.values);
    a->view.values = NULL;
    return spec_put_dense(ctx, &a->view, a->x, a->m * a->ld);
}

static sparcl_status compare(sparcl_ctx *ctx, const array *a, const char *what,
                             spec_report *report) {
    const sparcl_status status =
        spec_get_reals(ctx, a->view.values, a->view.values_at, a->m * a->ld, a->view.dtype, a->got);
    if (status == SPARCL_OK) spec_compare(report, what, a->got, a->order, NULL, NULL, a->m * a->ld);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *a, spec_report *report) {
    const int count = (int)c->nnz;
    sparcl_status status = put(ctx, &a->whole);
    for (int i = 0; status == SPARCL_OK && i < count; ++i)
        status = put(ctx, &a->parts[i]);
    answer(a, c, false);
    if (status == SPARCL_OK)
        status = sparcl_dense_concat(ctx, &a->whole.view, a->list, count, axis_of(c));
    if (status == SPARCL_OK) status = compare(ctx, &a->whole, "whole", report);
    answer(a, c, true);
    if (status == SPARCL_OK) status = put(ctx, &a->whole);
    if (status == SPARCL_OK)
        status = sparcl_dense_split(ctx, a->list, count, &a->whole.view, axis_of(c));
    for (int i = 0; status == SPARCL_OK && i < count; ++i)
        status = compare(ctx, &a->parts[i], "part", report);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays a = {.list = {NULL}};
    *report = (spec_report){.equal = true,
                            .bytes = 4 * (double)(c->rows * c->cols) *
                                     (double)sparcl_dtype_size(c->dtype),
                            .zeros_expected = c->dtype == SPARCL_BOOL};
    const sparcl_status status = make(&a, c) ? run(ctx, c, &a, report) : SPARCL_E_MEMORY;
    drop_array(&a.whole);
    for (int i = 0; i < MOST; ++i)
        drop_array(&a.parts[i]);
    return status;
}

const spec_op spec_dense_concat = {.name = "dense_concat", .get_case = get_case, .check = check};
