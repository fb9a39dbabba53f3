/* spec_take.c: CSR matrices in another order, in plain C. Variant 0: take_rows; 1: take_columns; 2:
 * transpose; 3: sort_indices; 4: reshape; 5: fill_empty_rows; + 8: less capacity than needed (0 and
 * 1); + 16: with a source and a needed count; + 32: the list is ascending, without duplicates. n:
 * the length of the list. */
#include <stdlib.h>

#include "spec/shared/entries.h"
#include "spec/shared/made.h"

enum { ROWS, COLUMNS, TRANSPOSE, SORT, RESHAPE, FILL, KINDS, LESS = 8, MORE = 16, ASCENDING = 32 };

/* The value of new entries. */
#define FILLED 1

/* Rows, columns and entries of the matrix; the length of the list. */
static const int64_t sizes[][4] = {{0, 0, 0, 0},           {0, 5, 0, 0},          {4, 3, 0, 6},
                                   {1, 7, 5, 9},           {5, 1, 9, 0},          {37, 23, 200, 50},
                                   {300, 5, 1500, 120},    {9, 40, 90, 3},        {60, 60, 900, 40},
                                   {200, 3000, 9000, 700}, {5000, 700, 60000, 90}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int number = i / 24;
    if (number >= n_sizes) return false;
    const int64_t *const size = sizes[number];
    const int kind = i % KINDS;
    *c = (spec_case){.kind = (spec_kind)((i / 4 + i) % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = (kind == ROWS ? size[0] : size[1]) == 0 ? 0 : size[3],
                     .dtype = spec_any_dtype(i + number),
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i / 4 % 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 45,
                     .variant = kind + (kind <= COLUMNS && i % 7 == 3 ? LESS : 0) +
                                (i / 6 % 4 != 1 ? MORE : 0) + (i / 6 % 4 == 2 ? ASCENDING : 0)};
    return true;
}

typedef struct operands {
    spec_matrix m;
    int64_t *list, listed;
    sparcl_csr from;
    sparcl_list view;
} operands;

static bool make_operands(operands *x, const spec_case *c) {
    const int64_t limit = c->variant % LESS == ROWS ? c->rows : c->cols;
    uint64_t seed = c->seed;
    if (!spec_matrix_make(&x->m, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    spec_matrix_store(&x->m, c->dtype);
    x->listed = c->n;
    if (c->variant & ASCENDING && x->listed > (limit + 1) / 2) x->listed = (limit + 1) / 2;
    x->list = calloc((size_t)x->listed + 1, sizeof *x->list);
    for (int64_t i = 0; x->list && i < x->listed; ++i)
        x->list[i] =
            c->variant & ASCENDING ? 2 * i : (int64_t)(spec_random(&seed) % (uint64_t)limit);
    return x->list;
}

static void add_entry(spec_made *made, const operands *x, int64_t column, int64_t k) {
    spec_made_add(made, column, x->m.values[k], k);
}

static void make_rows(spec_made *made, const operands *x) {
    for (int64_t i = 0; i < x->listed; ++i) {
        for (int64_t k = x->m.offsets[x->list[i]]; k < x->m.offsets[x->list[i] + 1]; ++k)
            add_entry(made, x, x->m.indices[k], k);
        spec_made_end_row(made);
    }
}

static void make_columns(spec_made *made, const operands *x) {
    for (int64_t r = 0; r < x->m.rows; ++r) {
        for (int64_t k = x->m.offsets[r]; k < x->m.offsets[r + 1]; ++k)
            for (int64_t j = 0; j < x->listed; ++j)
                if (x->list[j] == x->m.indices[k]) add_entry(made, x, j, k);
        spec_made_end_row(made);
    }
}

/* By counting: the entries of each column in the order stored. */
static bool make_transpose(spec_made *made, const operands *x) {
    const spec_matrix *const m = &x->m;
    int64_t *const next = calloc((size_t)m->cols + 2, sizeof *next);
    if (!next) return false;
    for (int64_t k = 0; k < m->nnz; ++k)
        ++next[m->indices[k] + 1];
    for (int64_t j = 0; j < m->cols; ++j) {
        next[j + 1] += next[j];
        made->matrix.offsets[j + 1] = next[j + 1];
    }
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
            const int64_t at = next[m->indices[k]]++;
            made->matrix.indices[at] = r;
            made->matrix.values[at] = m->values[k];
            made->source[at] = k;
        }
    made->matrix.nnz = m->nnz;
    free(next);
    return true;
}

/* The entries as a COO array of the result's shape, whose stable order is known. */
static bool as_entries(spec_entries *e, const spec_made *made, const spec_matrix *m) {
    const spec_entries shape = {
        .rank = 2, .shape = {made->matrix.rows, made->matrix.cols}, .capacity = m->nnz};
    if (!spec_entries_like(e, &shape)) return false;
    e->stored = m->nnz;
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
            const int64_t position = r * m->cols + m->indices[k];
            e->indices[0][k] = position / shape.shape[1];
            e->indices[1][k] = position % shape.shape[1];
        }
    return true;
}

/* With an entry in each row, where `fills`. */
static bool make_sorted(spec_made *made, const operands *x, bool fills) {
    spec_entries e;
    if (!as_entries(&e, made, &x->m)) return false;
    int64_t *const order = spec_entries_order(&e);
    int64_t k = 0;
    for (int64_t r = 0; order && r < made->matrix.rows; ++r) {
        const int64_t begin = k;
        for (; k < e.stored && e.indices[0][order[k]] == r; ++k)
            add_entry(made, x, e.indices[1][order[k]], order[k]);
        if (fills && k == begin) spec_made_add(made, 0, FILLED, -1);
        spec_made_end_row(made);
    }
    const bool done = order;
    free(order);
    spec_entries_free(&e);
    return done;
}

static int64_t space_for(const operands *x, int kind) {
    int64_t space = x->m.nnz + (kind == FILL ? x->m.rows : 0);
    if (kind == ROWS)
        for (int64_t i = 0; i < x->listed; ++i)
            space += x->m.offsets[x->list[i] + 1] - x->m.offsets[x->list[i]];
    for (int64_t j = 0; kind == COLUMNS && j < x->listed; ++j)
        for (int64_t k = 0; k < x->m.nnz; ++k)
            space += x->m.indices[k] == x->list[j];
    return space;
}

static bool make_expected(spec_made *made, const operands *x, const spec_case *c) {
    const int kind = c->variant % LESS;
    const bool swaps = kind == TRANSPOSE || kind == RESHAPE;
    const int64_t rows = kind == ROWS ? x->listed : swaps ? c->cols : c->rows;
    const int64_t cols = kind == COLUMNS ? x->listed : swaps ? c->rows : c->cols;
    if (!spec_made_alloc(made, rows, cols, space_for(x, kind))) return false;
    if (kind == ROWS) make_rows(made, x);
    if (kind == COLUMNS) make_columns(made, x);
    if (kind >= SORT) return make_sorted(made, x, kind == FILL);
    return kind != TRANSPOSE || make_transpose(made, x);
}

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, operands *x, spec_made_result *r) {
    const sparcl_moved *const moved = c->variant & MORE ? &r->moved : NULL;
    const sparcl_filled filled = {.source = r->moved.source, .source_at = r->moved.source_at};
    switch (c->variant % LESS) {
    case ROWS:
        return sparcl_csr_take_rows(ctx, &r->to, &x->from, &x->view, moved);
    case COLUMNS:
        return sparcl_csr_take_columns(ctx, &r->to, &x->from, &x->view, moved);
    case TRANSPOSE:
        return sparcl_csr_transpose(ctx, &r->to, &x->from, moved);
    case SORT:
        return sparcl_csr_sort_indices(ctx, &r->to, &x->from, moved);
    case RESHAPE:
        return sparcl_csr_reshape(ctx, &r->to, &x->from, moved);
    default:
        return sparcl_csr_fill_empty_rows(ctx, &r->to, &x->from, FILLED, moved ? &filled : NULL);
    }
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, operands *x, const spec_made *made,
                         spec_report *report) {
    const int64_t needed = made->matrix.nnz;
    const int64_t most = c->variant % LESS == FILL ? x->m.nnz + c->rows : needed;
    const int64_t capacity = c->variant & LESS ? needed * 2 / 3 : most + 3;
    spec_made_result r = {.to = {.rows = 0}};
    x->view = (sparcl_list){.count = x->listed,
                            .limit = c->variant % LESS == ROWS ? c->rows : c->cols,
                            .index_type = c->index_type,
                            .proof = {.flags = SPARCL_TRUSTED}};
    if (c->variant & ASCENDING) x->view.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    sparcl_status status =
        spec_put_csr_within(ctx, &x->from, &x->m, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &x->view.indices, x->list, x->listed, c->index_type);
    if (status == SPARCL_OK) status = spec_made_open(ctx, &r, c, made, capacity, c->variant & MORE);
    if (c->variant % LESS == FILL) { /* it drops nothing */
        sparcl_buf_free(r.moved.needed);
        r.moved.needed = NULL;
    }
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
    if (c->variant % LESS == FILL && c->cols == 0) return SPARCL_OK; /* no place for an entry */
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

const spec_op spec_take = {.name = "take", .get_case = get_case, .check = check};
