/* spec_keep.c: entries of a CSR matrix that are kept, in plain C. Variant 0: slice_columns; 1:
 * retain_rows; 2: eliminate_zeros; 3 to 5: triangle with LOWER, UPPER, DIAGONAL; + 8: less capacity
 * than needed; + 16: with a source and a needed count. n: the list, or the diagonal. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/made.h"

enum { COLUMNS, ROWS, ZEROS, LOWER, KINDS = 6, LESS = 8, MORE = 16 };

/* Rows, columns and entries. */
static const int64_t sizes[][3] = {{0, 0, 0},     {0, 5, 0},         {4, 3, 0},      {1, 7, 5},
                                   {5, 1, 9},     {37, 23, 200},     {300, 5, 1500}, {9, 40, 90},
                                   {60, 60, 900}, {5000, 700, 60000}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int number = i / (2 * KINDS);
    if (number >= n_sizes) return false;
    const int64_t *const size = sizes[number];
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = i % 5 - 2,
                     .dtype = spec_any_dtype(i + i / KINDS),
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 / 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 5,
                     .variant = i % KINDS + (i % 5 == 3 ? LESS : 0) + (i % 2 ? MORE : 0)};
    return true;
}

typedef struct operands {
    spec_matrix m;
    int64_t *list, listed;
    sparcl_csr from;
    sparcl_list view;
} operands;

/* Some zeros, of both signs where there are two; and a list with duplicates of half of the rows. */
static bool make_operands(operands *x, const spec_case *c) {
    uint64_t seed = c->seed;
    if (!spec_matrix_make(&x->m, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    for (int64_t k = 0; k < x->m.nnz; ++k)
        if (c->variant % LESS == ZEROS && spec_random(&seed) % 3 == 0)
            x->m.values[k] = k % 2 ? -0.0 : 0.0;
    for (int64_t k = 0; k < x->m.nnz; ++k)
        if (x->m.values[k] != 0) x->m.values[k] = spec_value(c->dtype, x->m.values[k]);
    x->listed = c->rows / 2;
    x->list = calloc((size_t)x->listed + 1, sizeof *x->list);
    for (int64_t i = 0; x->list && i < x->listed; ++i)
        x->list[i] = (int64_t)(spec_random(&seed) % (uint64_t)c->rows);
    return x->list;
}

/* The columns of a slice. */
static int64_t first_column(const spec_case *c) {
    return c->cols / 4;
}
static int64_t end_column(const spec_case *c) {
    return c->cols - c->cols / 5;
}

static bool is_listed(const operands *x, int64_t row) {
    bool found = false;
    for (int64_t i = 0; i < x->listed && !found; ++i)
        found = x->list[i] == row;
    return found;
}

static bool is_kept(const spec_case *c, const operands *x, int64_t row, bool row_listed,
                    int64_t k) {
    const int64_t column = x->m.indices[k];
    switch (c->variant % LESS) {
    case COLUMNS:
        return column >= first_column(c) && column < end_column(c);
    case ROWS:
        return row_listed;
    case ZEROS:
        return x->m.values[k] != 0;
    case LOWER + SPARCL_LOWER:
        return column - row <= c->n;
    case LOWER + SPARCL_UPPER:
        return column - row >= c->n;
    default:
        return column - row == c->n;
    }
}

static bool make_expected(spec_made *made, const operands *x, const spec_case *c) {
    const bool slices = c->variant % LESS == COLUMNS;
    const int64_t shift = slices ? first_column(c) : 0;
    if (!spec_made_alloc(made, c->rows, slices ? end_column(c) - shift : c->cols, x->m.nnz))
        return false;
    for (int64_t r = 0; r < c->rows; ++r) {
        const bool row_listed = is_listed(x, r);
        for (int64_t k = x->m.offsets[r]; k < x->m.offsets[r + 1]; ++k)
            if (is_kept(c, x, r, row_listed, k))
                spec_made_add(made, x->m.indices[k] - shift, x->m.values[k], k);
        spec_made_end_row(made);
    }
    return true;
}

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, operands *x, spec_made_result *r) {
    const sparcl_moved *const moved = c->variant & MORE ? &r->moved : NULL;
    const int kind = c->variant % LESS;
    if (kind == COLUMNS)
        return sparcl_csr_slice_columns(ctx, &r->to, &x->from, first_column(c), moved);
    if (kind == ROWS) return sparcl_csr_retain_rows(ctx, &r->to, &x->from, &x->view, moved);
    if (kind == ZEROS) return sparcl_csr_eliminate_zeros(ctx, &r->to, &x->from, moved);
    return sparcl_csr_triangle(ctx, &r->to, &x->from, (sparcl_part)(kind - LOWER), c->n, moved);
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, operands *x, const spec_made *made,
                         spec_report *report) {
    const int64_t needed = made->matrix.nnz;
    const int64_t capacity = c->variant & LESS ? needed * 2 / 3 : needed + 3;
    spec_made_result r = {.to = {.rows = 0}};
    x->view = (sparcl_list){.count = x->listed,
                            .limit = c->rows,
                            .index_type = c->index_type,
                            .proof = {.flags = SPARCL_TRUSTED}};
    sparcl_status status =
        spec_put_csr_within(ctx, &x->from, &x->m, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &x->view.indices, x->list, x->listed, c->index_type);
    if (status == SPARCL_OK) status = spec_made_open(ctx, &r, c, made, capacity, c->variant & MORE);
    if (status == SPARCL_OK) status = call(ctx, c, x, &r);
    if (status == SPARCL_OK) status = spec_made_compare(ctx, &r, made, report);
    spec_made_close(&r);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    operands x = {.listed = 0};
    spec_made made = {.source = NULL};
    sparcl_status status = SPARCL_E_MEMORY;
    const double entry = (double)(sparcl_dtype_size(c->dtype) + sparcl_itype_size(c->index_type));
    *report = (spec_report){.equal = true};
    if (make_operands(&x, c) && make_expected(&made, &x, c)) {
        report->bytes = entry * (double)(c->nnz + made.matrix.nnz);
        status = run(ctx, c, &x, &made, report);
    }
    spec_made_free(&made);
    spec_matrix_free(&x.m);
    free(x.list);
    sparcl_csr_free(&x.from);
    sparcl_list_free(&x.view);
    return status;
}

const spec_op spec_keep = {.name = "keep", .get_case = get_case, .check = check};
