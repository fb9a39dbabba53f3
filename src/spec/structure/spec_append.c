/* spec_append.c: CSR matrices one below another, beside each other, as blocks, and rows of one, in
 * plain C. Variant 0: rows of a matrix; 1: concat_rows; 2: concat_columns; 3: block_diagonal; + 4:
 * less capacity than needed; + 8: with a source and a needed count. n: the number of matrices. */
#include <stdlib.h>

#include "spec/shared/made.h"

enum { SLICE, ROWS, COLUMNS, DIAGONAL, KINDS, LESS = 4, MORE = 8, MOST = 5 };

/* Rows, columns and entries of the largest matrix, and the number of matrices. */
static const int64_t sizes[][4] = {{0, 0, 0, 0},      {0, 5, 0, 2},      {4, 3, 0, 3},
                                   {1, 7, 5, 1},      {5, 1, 9, 2},      {37, 23, 200, 3},
                                   {300, 5, 1500, 5}, {9, 40, 90, MOST}, {5000, 700, 60000, 2}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int number = i / 16;
    if (number >= n_sizes) return false;
    const int64_t *const size = sizes[number];
    *c = (spec_case){.kind = (spec_kind)((i / 4 + i) % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = size[3],
                     .dtype = spec_any_dtype(i),
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 / 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 71,
                     .variant = i % 4 + (i / 4 % 4 == 3 ? LESS : 0) + (i / 4 % 2 ? MORE : 0)};
    return true;
}

typedef struct operands {
    int count;
    int64_t bases[MOST + 1]; /* where the entries of each begin, of all one after the other */
    spec_matrix m[MOST];
    sparcl_csr views[MOST];
} operands;

/* Matrices of different sizes, where the operation takes them. */
static bool make_operands(operands *x, const spec_case *c) {
    const int kind = c->variant % KINDS;
    x->count = kind == SLICE ? 1 : (int)c->n;
    for (int i = 0; i < x->count; ++i) {
        const int64_t rows = kind == COLUMNS ? c->rows : c->rows / (i + 1);
        const int64_t cols = kind <= ROWS ? c->cols : c->cols / (i % 3 + 1);
        const int64_t nnz = rows == 0 || cols == 0 ? 0 : c->nnz / (i + 1);
        if (!spec_matrix_make(&x->m[i], (spec_kind)(((int)c->kind + i) % SPEC_KINDS), rows, cols,
                              nnz, c->seed + (uint64_t)i))
            return false;
        spec_matrix_store(&x->m[i], c->dtype);
        x->bases[i + 1] = x->bases[i] + x->m[i].nnz;
    }
    return true;
}

/* Where a slice begins: a third of the rows, of which it has two thirds. */
static int64_t slice_start(const spec_matrix *m) {
    return m->rows / 3;
}

static void add_row(spec_made *made, const operands *x, int i, int64_t row, int64_t shift) {
    const spec_matrix *const m = &x->m[i];
    for (int64_t k = m->offsets[row]; k < m->offsets[row + 1]; ++k)
        spec_made_add(made, m->indices[k] + shift, m->values[k], x->bases[i] + k);
}

static void make_rows(spec_made *made, const operands *x, bool is_diagonal) {
    for (int64_t i = 0, shift = 0; i < x->count; ++i) {
        for (int64_t r = 0; r < x->m[i].rows; ++r) {
            add_row(made, x, (int)i, r, is_diagonal ? shift : 0);
            spec_made_end_row(made);
        }
        shift += x->m[i].cols;
    }
}

static void make_columns(spec_made *made, const operands *x) {
    for (int64_t r = 0; r < made->matrix.rows; ++r) {
        for (int64_t i = 0, shift = 0; i < x->count; shift += x->m[i++].cols)
            add_row(made, x, (int)i, r, shift);
        spec_made_end_row(made);
    }
}

static bool make_expected(spec_made *made, const operands *x, const spec_case *c) {
    const int kind = c->variant % KINDS;
    int64_t rows = 0, cols = 0;
    for (int i = 0; i < x->count; ++i) {
        rows += x->m[i].rows;
        cols += x->m[i].cols;
    }
    if (kind == SLICE) rows -= slice_start(&x->m[0]) + x->m[0].rows / 5;
    if (!spec_made_alloc(made, kind == COLUMNS ? c->rows : rows, kind <= ROWS ? c->cols : cols,
                         x->bases[x->count]))
        return false;
    if (kind == COLUMNS) make_columns(made, x);
    if (kind == ROWS || kind == DIAGONAL) make_rows(made, x, kind == DIAGONAL);
    for (int64_t r = 0; kind == SLICE && r < rows; ++r) {
        add_row(made, x, 0, slice_start(&x->m[0]) + r, 0);
        spec_made_end_row(made);
    }
    return true;
}

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, operands *x, spec_made_result *r) {
    const sparcl_moved *const moved = c->variant & MORE ? &r->moved : NULL;
    switch (c->variant % KINDS) {
    case SLICE:
        return sparcl_csr_slice_rows(ctx, &r->to, &x->views[0], slice_start(&x->m[0]), moved);
    case ROWS:
        return sparcl_csr_concat_rows(ctx, &r->to, x->views, x->count, moved);
    case COLUMNS:
        return sparcl_csr_concat_columns(ctx, &r->to, x->views, x->count, moved);
    default:
        return sparcl_csr_block_diagonal(ctx, &r->to, x->views, x->count, moved);
    }
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, operands *x, const spec_made *made,
                         spec_report *report) {
    const int64_t needed = made->matrix.nnz;
    const int64_t capacity = c->variant & LESS ? needed * 2 / 3 : needed + 3;
    spec_made_result r = {.to = {.rows = 0}};
    sparcl_status status = SPARCL_OK;
    for (int i = 0; i < x->count && status == SPARCL_OK; ++i)
        status = spec_put_csr_within(ctx, &x->views[i], &x->m[i], c->dtype,
                                     i % 2 ? c->index_type : c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = spec_made_open(ctx, &r, c, made, capacity, c->variant & MORE);
    if (status == SPARCL_OK) status = call(ctx, c, x, &r);
    if (status == SPARCL_OK) status = spec_made_compare(ctx, &r, made, report);
    spec_made_close(&r);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    operands x = {.count = 0};
    spec_made made = {.source = NULL};
    sparcl_status status = SPARCL_E_MEMORY;
    const double entry =
        (double)(2 * sparcl_dtype_size(c->dtype) + 2 * sparcl_itype_size(c->index_type));
    *report = (spec_report){.equal = true};
    if (make_operands(&x, c) && make_expected(&made, &x, c)) {
        report->bytes = entry * (double)made.matrix.nnz;
        status = run(ctx, c, &x, &made, report);
    }
    spec_made_free(&made);
    for (int i = 0; i < x.count; ++i) {
        spec_matrix_free(&x.m[i]);
        sparcl_csr_free(&x.views[i]);
    }
    return status;
}

const spec_op spec_append = {.name = "append", .get_case = get_case, .check = check};
