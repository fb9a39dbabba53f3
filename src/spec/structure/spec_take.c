/* spec_take.c: CSR matrices in another order, in plain C. Variant 0: take_rows; 1: take_columns; 2:
 * transpose; 3: sort_indices; 4: reshape; 5: fill_empty_rows; + 8: less capacity than needed (0 and
 * 1); + 16: with a source and a needed count; + 32: the list is ascending, without duplicates. n:
 * the length of the list. */
#include "spec/bench/bench.h"
#include "spec/structure/made_case.h"

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
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i / 4 % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 45,
                     .variant = kind + (kind <= COLUMNS && i % 7 == 3 ? LESS : 0) +
                                (i / 6 % 4 != 1 ? MORE : 0) + (i / 6 % 4 == 2 ? ASCENDING : 0)};
    return true;
}

typedef struct state {
    int kind;
    spec_matrix m;
    int64_t *ids, listed, limit;
    sparcl_csr from;
    sparcl_list list;
    spec_made want;
    spec_made_result result;
    const sparcl_moved *moved;
} state;

/* --- operands --------------------------------------------------------------------------------- */

/* Of measurements of SORT, RESHAPE and FILL: sorted, without duplicates; the entries of each row
 * then in the reverse order, or every fourth row empty. */
static void arrange(state *s) {
    spec_matrix_unique(&s->m);
    if (s->kind == FILL) spec_matrix_empty_rows(&s->m);
    if (s->kind == SORT) spec_matrix_reverse_rows(&s->m);
}

/* Of a measurement: scattered ids, half as many as there are, some of them twice (bench/cases.py
 * has the same). */
static void make_list(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const bool ascends = c->variant & ASCENDING;
    const int64_t half = (s->limit + 1) / 2;
    uint64_t seed = c->seed;
    s->listed = t->given || (ascends && c->n > half) ? half : c->n;
    s->ids = spec_int64s(t, s->listed);
    for (int64_t i = 0; i < s->listed; ++i)
        s->ids[i] = (int64_t)((t->given  ? (uint64_t)i * 2654435761u & 0xffffffffu
                               : ascends ? (uint64_t)(2 * i)
                                         : spec_random(&seed)) %
                              (uint64_t)s->limit);
    s->list = spec_list(t, s->ids, s->listed, s->limit, c->index_type);
    if (ascends) s->list.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
}

/* --- answers ---------------------------------------------------------------------------------- */

static void add_entry(state *s, int64_t column, int64_t k) {
    spec_made_add(&s->want, column, s->m.values[k], k);
}

static void make_rows(state *s) {
    for (int64_t i = 0; i < s->listed; ++i) {
        for (int64_t k = s->m.offsets[s->ids[i]]; k < s->m.offsets[s->ids[i] + 1]; ++k)
            add_entry(s, s->m.indices[k], k);
        spec_made_end_row(&s->want);
    }
}

/* next[j]: the place after j where the list has the same column, or -1. */
static void make_columns(spec_test *t, state *s) {
    int64_t *const first = spec_int64s(t, s->m.cols), *const next = spec_int64s(t, s->listed);
    for (int64_t c = 0; c < s->m.cols; ++c)
        first[c] = -1;
    for (int64_t j = s->listed - 1; j >= 0; --j) {
        next[j] = first[s->ids[j]];
        first[s->ids[j]] = j;
    }
    for (int64_t r = 0; r < s->m.rows; ++r) {
        for (int64_t k = s->m.offsets[r]; k < s->m.offsets[r + 1]; ++k)
            for (int64_t j = first[s->m.indices[k]]; j >= 0; j = next[j])
                add_entry(s, j, k);
        spec_made_end_row(&s->want);
    }
}

/* The entries as a COO array of the result's shape, whose stable order is known. With an entry in
 * each row of FILL. */
static void make_sorted(spec_test *t, state *s) {
    spec_entries e = {0};
    const int64_t rows = s->want.matrix.rows, cols = s->want.matrix.cols;
    spec_own_entries(t, &e, spec_entries_of_matrix(&e, &s->m, s->m.nnz));
    for (int64_t k = 0; k < e.stored; ++k) {
        const int64_t row = e.indices[0][k], column = e.indices[1][k];
        const int64_t position = row * s->m.cols + column;
        e.indices[0][k] = s->kind == TRANSPOSE ? column : position / cols;
        e.indices[1][k] = s->kind == TRANSPOSE ? row : position % cols;
    }
    const int64_t *const order = spec_own(t, spec_entries_order(&e));
    for (int64_t r = 0, k = 0; r < rows; ++r) {
        const int64_t begin = k;
        for (; k < e.stored && e.indices[0][order[k]] == r; ++k)
            add_entry(s, e.indices[1][order[k]], order[k]);
        if (s->kind == FILL && k == begin) spec_made_add(&s->want, 0, FILLED, -1);
        spec_made_end_row(&s->want);
    }
}

/* As many entries as a result has at most. */
static int64_t space_for(spec_test *t, const state *s) {
    int64_t space = s->m.nnz + s->m.rows;
    int64_t *const entries = spec_int64s(t, s->limit);
    for (int64_t r = 0; r < s->m.rows; ++r)
        for (int64_t k = s->m.offsets[r]; k < s->m.offsets[r + 1] && s->kind <= COLUMNS; ++k)
            ++entries[s->kind == ROWS ? r : s->m.indices[k]];
    for (int64_t i = 0; i < s->listed; ++i)
        space += entries[s->ids[i]];
    return space;
}

static void make_expected(spec_test *t, state *s) {
    const spec_matrix *const m = &s->m;
    int64_t rows = m->rows, cols = m->cols;
    if (s->kind == ROWS) rows = s->listed;
    if (s->kind == COLUMNS) cols = s->listed;
    if (s->kind == TRANSPOSE || s->kind == RESHAPE) rows = m->cols, cols = m->rows;
    if (s->kind == RESHAPE && t->given && m->cols % 2 == 0) rows = 2 * m->rows, cols = m->cols / 2;
    s->want = spec_made_room(t, rows, cols, space_for(t, s));
    if (s->kind == ROWS)
        make_rows(s);
    else if (s->kind == COLUMNS)
        make_columns(t, s);
    else
        make_sorted(t, s);
}

/* --- calls ------------------------------------------------------------------------------------ */

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->kind = c->variant % LESS;
    s->limit = s->kind == ROWS ? c->rows : c->cols;
    if (s->kind == FILL && c->cols == 0) { /* no place for an entry */
        t->calls = 0;
        return;
    }
    s->m = spec_matrix_of(t, c->nnz, c->seed);
    spec_matrix_store(&s->m, c->dtype);
    if (t->given && s->kind >= SORT) arrange(s);
    s->from = spec_csr(t, &s->m);
    make_list(t, s);
    make_expected(t, s);
    const int64_t needed = s->want.matrix.nnz, more = t->given ? 0 : 3;
    const int64_t most = s->kind == FILL ? s->m.nnz + c->rows : needed;
    s->result = spec_made_view(t, &s->want, c->variant & LESS ? needed * 2 / 3 : most + more,
                               c->variant & MORE);
    s->moved = c->variant & MORE ? &s->result.moved : NULL;
    if (s->kind == FILL) s->result.moved.needed = NULL; /* it drops nothing */
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    sparcl_csr *const to = &s->result.to;
    const sparcl_filled filled = {.source = s->result.moved.source,
                                  .source_at = s->result.moved.source_at};
    (void)number;
    switch (s->kind) {
    case ROWS:
        return sparcl_csr_take_rows(ctx, to, &s->from, &s->list, s->moved);
    case COLUMNS:
        return sparcl_csr_take_columns(ctx, to, &s->from, &s->list, s->moved);
    case TRANSPOSE:
        return sparcl_csr_transpose(ctx, to, &s->from, s->moved);
    case SORT:
        return sparcl_csr_sort_indices(ctx, to, &s->from, s->moved);
    case RESHAPE:
        return sparcl_csr_reshape(ctx, to, &s->from, s->moved);
    default:
        return sparcl_csr_fill_empty_rows(ctx, to, &s->from, FILLED, s->moved ? &filled : NULL);
    }
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    if (t->calls > 0) spec_expect_made(t, &s->result, &s->want);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    (void)number;
    *flops = 0;
    *bytes = spec_csr_bytes(&s->from) + spec_made_bytes(&s->result, &s->want);
    if (s->kind <= COLUMNS) *bytes += spec_list_bytes(&s->list);
}

extern const spec_op spec_take;
static const spec_bench timed[] = {
    {"csr-take-rows", "rows in a list, half as many as A has, some of them twice", .op = &spec_take,
     .setting = {.variant = ROWS}},
    {"csr-take-columns", "columns in a list, half as many as A has, some of them twice",
     .op = &spec_take, .setting = {.variant = COLUMNS}},
    {"csr-fill-empty-rows", "an entry in each empty row of a matrix, every fourth row",
     .op = &spec_take, .setting = {.variant = FILL}},
    {"csr-sort-indices", "sort the entries of each row, which are descending", .op = &spec_take,
     .setting = {.variant = SORT}},
    {"csr-reshape", "twice as many rows, of half as many columns", .op = &spec_take,
     .setting = {.variant = RESHAPE}},
    {0}};

const spec_op spec_take = {.name = "take",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect,
                           .work = work,
                           .timed = timed};
