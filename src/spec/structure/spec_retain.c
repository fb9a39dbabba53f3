/* spec_retain.c: rows of a row-sparse array, in plain C. Variant 0: retain_all; 1: retain_stored;
 * 2: slice; 3: slice of a sorted array; + 4: less capacity than needed (1 to 3); + 8: with a source
 * and a needed count. n: the width of rows; cols: the length of the list. */
#include <stdlib.h>
#include <string.h>

#include "spec/shared/made.h"

enum { ALL, STORED, SLICE, SORTED_SLICE, KINDS, LESS = 4, MORE = 8 };

/* Rows of the array, stored rows, length of the list. */
static const int64_t sizes[][3] = {{0, 0, 0},      {4, 0, 3},         {4, 3, 0},
                                   {1, 1, 70},     {50, 20, 20},      {370, 300, 11},
                                   {700, 90, 600}, {9000, 3000, 2000}};
static const int64_t widths[] = {1, 3, 16, 70};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]), number = i / KINDS / n_widths;
    if (number >= n_sizes) return false;
    const int kind = i % KINDS;
    *c = (spec_case){.kind = SPEC_UNIFORM,
                     .rows = sizes[number][0],
                     .nnz = sizes[number][1],
                     .cols = sizes[number][2],
                     .n = widths[i / KINDS % n_widths],
                     .dtype = spec_any_dtype(i + number),
                     .offset_type = i % 4 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i,
                     .variant = kind + (kind != ALL && i % 5 == 2 ? LESS : 0) + (i % 2 ? MORE : 0)};
    return true;
}

typedef struct arrays {
    int64_t *ids, *list;
    double *values;
    int64_t stored, capacity; /* expected, and of the result */
    int64_t *want_ids, *source, *ints;
    double *want, *got;
} arrays;

static void drop(arrays *x) {
    void *const all[] = {x->ids,    x->list, x->values, x->want_ids,
                         x->source, x->ints, x->want,   x->got};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

/* Stored rows are spread over all rows, ascending for what needs it, else descending. */
static bool make_operands(arrays *x, const spec_case *c) {
    const int64_t space = c->nnz + c->cols + 1;
    uint64_t seed = c->seed;
    x->ids = calloc((size_t)space, sizeof *x->ids);
    x->list = calloc((size_t)space, sizeof *x->list);
    x->want_ids = calloc((size_t)space, sizeof *x->want_ids);
    x->source = calloc((size_t)space, sizeof *x->source);
    x->ints = calloc((size_t)space, sizeof *x->ints);
    x->values = spec_numbers(c->nnz * c->n, c->seed);
    x->want = spec_numbers(space * c->n, 1);
    x->got = spec_numbers(space * c->n, 2);
    if (!x->ids || !x->list || !x->want_ids || !x->source || !x->ints || !x->values || !x->want ||
        !x->got)
        return false;
    for (int64_t k = 0; k < c->nnz; ++k) {
        const int64_t spread = k * c->rows / c->nnz;
        x->ids[k] = c->variant % LESS == SLICE ? c->rows - 1 - spread : spread;
    }
    for (int64_t i = 0; i < c->nnz * c->n; ++i)
        x->values[i] = spec_value(c->dtype, x->values[i]);
    for (int64_t i = 0; i < c->cols; ++i)
        x->list[i] = (int64_t)(spec_random(&seed) % (uint64_t)c->rows);
    return true;
}

static void add_row(arrays *x, const spec_case *c, int64_t id, int64_t k) {
    const int64_t at = x->stored++;
    x->want_ids[at] = id;
    x->source[at] = k;
    for (int64_t j = 0; j < c->n; ++j)
        x->want[at * c->n + j] = k < 0 ? 0 : x->values[k * c->n + j];
}

static int64_t first_row(const spec_case *c) {
    return c->rows / 4;
}

static void make_expected(arrays *x, const spec_case *c) {
    if (c->variant % LESS >= SLICE) {
        for (int64_t k = 0; k < c->nnz; ++k)
            if (x->ids[k] >= first_row(c) && x->ids[k] < c->rows - c->rows / 5)
                add_row(x, c, x->ids[k] - first_row(c), k);
        return;
    }
    for (int64_t i = 0; i < c->cols; ++i) {
        int64_t k = c->nnz - 1;
        while (k >= 0 && x->ids[k] != x->list[i])
            --k;
        if (k >= 0 || c->variant % LESS == ALL) add_row(x, c, x->list[i], k);
    }
}

typedef struct views {
    sparcl_rows from, to;
    sparcl_list list;
    sparcl_moved moved;
} views;

static sparcl_status open_views(sparcl_ctx *ctx, const spec_case *c, arrays *x, views *v) {
    const int kind = c->variant % LESS;
    const uint32_t ordered = kind == SLICE ? SPARCL_UNIQUE : SPARCL_SORTED | SPARCL_UNIQUE;
    const int64_t none = -1;
    sparcl_status status = SPARCL_OK;
    v->from = (sparcl_rows){.rank = 2,
                            .dtype = c->dtype,
                            .index_type = c->index_type,
                            .shape = {c->rows, c->n},
                            .nnr = c->nnz,
                            .proof = {.flags = SPARCL_TRUSTED | ordered}};
    v->to = v->from;
    v->to.index_type = c->offset_type;
    v->to.nnr = x->capacity;
    v->to.proof = (sparcl_proof){0};
    if (kind >= SLICE) v->to.shape[0] = c->rows - c->rows / 5 - first_row(c);
    v->list = (sparcl_list){.count = c->cols,
                            .limit = c->rows,
                            .index_type = c->offset_type,
                            .proof = {.flags = SPARCL_TRUSTED}};
    status = spec_put_ints(ctx, &v->from.indices, x->ids, c->nnz, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &v->from.values, x->values, c->nnz * c->n, c->dtype);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &v->list.indices, x->list, c->cols, c->offset_type);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &v->to.indices, x->ints, x->capacity, c->offset_type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &v->to.values, x->got, x->capacity * c->n, c->dtype);
    if (status == SPARCL_OK && kind != ALL)
        status = spec_put_ints(ctx, &v->to.count, &none, 1, SPARCL_I64);
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &v->moved.source, (x->capacity + 1) * 8);
    return status == SPARCL_OK ? sparcl_buf_create(ctx, &v->moved.needed, 8) : status;
}

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, views *v) {
    const sparcl_moved *const moved = c->variant & MORE ? &v->moved : NULL;
    switch (c->variant % LESS) {
    case ALL:
        return sparcl_rows_retain_all(ctx, &v->to, &v->from, &v->list, moved);
    case STORED:
        return sparcl_rows_retain_stored(ctx, &v->to, &v->from, &v->list, moved);
    default:
        return sparcl_rows_slice(ctx, &v->to, &v->from, first_row(c), moved);
    }
}

static sparcl_status compare(sparcl_ctx *ctx, const spec_case *c, arrays *x, const views *v,
                             spec_report *report) {
    const int64_t filled = x->stored < x->capacity ? x->stored : x->capacity;
    int64_t number = filled;
    sparcl_status status = SPARCL_OK;
    report->zeros_expected = true;
    if (v->to.count) status = spec_get_ints(ctx, v->to.count, 0, 1, SPARCL_I64, &number);
    spec_compare_ints(report, "count", &number, &filled, 1);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, v->to.indices, 0, filled, c->offset_type, x->ints);
    spec_compare_ints(report, "indices", x->ints, x->want_ids, filled);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->to.values, 0, filled * c->n, c->dtype, x->got);
    spec_compare(report, "values", x->got, x->want, NULL, NULL, filled * c->n);
    if (status != SPARCL_OK || !(c->variant & MORE)) return status;
    status = spec_get_ints(ctx, v->moved.source, 0, filled, SPARCL_I64, x->ints);
    spec_compare_ints(report, "source", x->ints, x->source, filled);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, v->moved.needed, 0, 1, SPARCL_I64, &number);
    spec_compare_ints(report, "needed", &number, &x->stored, 1);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.stored = 0};
    views v = {.from = {.rank = 0}};
    sparcl_status status = make_operands(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true};
    if (status == SPARCL_OK) {
        make_expected(&x, c);
        x.capacity = c->variant & LESS          ? x.stored * 2 / 3
                     : c->variant % LESS == ALL ? x.stored
                                                : x.stored + 1;
        report->bytes = 2 * (double)(x.stored * c->n) * (double)sparcl_dtype_size(c->dtype);
        status = open_views(ctx, c, &x, &v);
    }
    if (status == SPARCL_OK) status = call(ctx, c, &v);
    if (status == SPARCL_OK) status = compare(ctx, c, &x, &v, report);
    drop(&x);
    sparcl_rows_free(&v.from);
    sparcl_rows_free(&v.to);
    sparcl_list_free(&v.list);
    sparcl_buf_free(v.moved.source);
    sparcl_buf_free(v.moved.needed);
    return status;
}

const spec_op spec_retain = {.name = "retain", .get_case = get_case, .check = check};
