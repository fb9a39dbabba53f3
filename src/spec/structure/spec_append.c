/* spec_append.c: CSR matrices one below another, beside each other, as blocks, and rows of one, in
 * plain C. Variant 0: rows of a matrix; 1: concat_rows; 2: concat_columns; 3: block_diagonal; + 4:
 * less capacity than needed; + 8: with a source and a needed count. n: the number of matrices. */
#include "spec/bench/bench.h"
#include "spec/structure/made_case.h"

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
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 / 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 71,
                     .variant = i % 4 + (i / 4 % 4 == 3 ? LESS : 0) + (i / 4 % 2 ? MORE : 0)};
    return true;
}

typedef struct state {
    int kind, count;
    int64_t bases[MOST + 1]; /* where the entries of each begin, of all one after the other */
    int64_t first;           /* row of a slice */
    spec_matrix m[MOST];
    sparcl_csr views[MOST];
    spec_made want;
    spec_made_result result;
    const sparcl_moved *moved;
} state;

/* Matrices of different sizes, where the operation takes them. */
static void make_operand(spec_test *t, state *s, int i) {
    const spec_case *const c = t->c;
    spec_case types = *c;
    const int64_t rows = s->kind == COLUMNS ? c->rows : c->rows / (i + 1);
    const int64_t cols = s->kind <= ROWS ? c->cols : c->cols / (i % 3 + 1);
    const int64_t nnz = rows == 0 || cols == 0 ? 0 : c->nnz / (i + 1);
    if (i % 2) types.offset_type = c->index_type;
    spec_own_matrix(t, &s->m[i],
                    spec_matrix_make(&s->m[i], (spec_kind)(((int)c->kind + i) % SPEC_KINDS), rows,
                                     cols, nnz, c->seed + (uint64_t)i));
    spec_matrix_store(&s->m[i], c->dtype);
    s->views[i] = spec_csr_as(t, &types, &s->m[i]);
}

/* Of a measurement: the matrix twice. */
static void make_operands(spec_test *t, state *s) {
    s->count = s->kind == SLICE ? 1 : t->given ? 2 : (int)t->c->n;
    if (t->given) s->m[0] = s->m[1] = spec_matrix_of(t, 0, 0);
    if (t->given) s->views[0] = s->views[1] = spec_csr(t, &s->m[0]);
    for (int i = 0; i < s->count; ++i) {
        if (!t->given) make_operand(t, s, i);
        s->bases[i + 1] = s->bases[i] + s->m[i].nnz;
    }
}

static void add_row(state *s, int i, int64_t row, int64_t shift) {
    const spec_matrix *const m = &s->m[i];
    for (int64_t k = m->offsets[row]; k < m->offsets[row + 1]; ++k)
        spec_made_add(&s->want, m->indices[k] + shift, m->values[k], s->bases[i] + k);
}

static void make_rows(state *s) {
    for (int64_t i = 0, shift = 0; i < s->count; shift += s->m[i++].cols)
        for (int64_t r = 0; r < s->m[i].rows; ++r) {
            add_row(s, (int)i, r, s->kind == DIAGONAL ? shift : 0);
            spec_made_end_row(&s->want);
        }
}

static void make_columns(state *s) {
    for (int64_t r = 0; r < s->want.matrix.rows; ++r) {
        for (int64_t i = 0, shift = 0; i < s->count; shift += s->m[i++].cols)
            add_row(s, (int)i, r, shift);
        spec_made_end_row(&s->want);
    }
}

/* A slice begins after a third of the rows, and ends before a fifth; of a measurement it is the
 * half in the middle. */
static void make_slice(spec_test *t, state *s) {
    const int64_t rows = s->m[0].rows, after = rows / (t->given ? 4 : 5);
    s->first = rows / (t->given ? 4 : 3);
    s->want = spec_made_room(t, rows - s->first - after, s->m[0].cols, s->m[0].nnz);
    for (int64_t r = 0; r < s->want.matrix.rows; ++r) {
        add_row(s, 0, s->first + r, 0);
        spec_made_end_row(&s->want);
    }
}

static void make_whole(spec_test *t, state *s) {
    int64_t rows = 0, cols = 0;
    for (int i = 0; i < s->count; ++i) {
        rows += s->m[i].rows;
        cols += s->m[i].cols;
    }
    s->want = spec_made_room(t, s->kind == COLUMNS ? t->c->rows : rows,
                             s->kind == ROWS ? t->c->cols : cols, s->bases[s->count]);
    if (s->kind == COLUMNS)
        make_columns(s);
    else
        make_rows(s);
}

static void make(spec_test *t) {
    const int variant = t->c->variant;
    state *const s = t->state;
    s->kind = variant % KINDS;
    make_operands(t, s);
    if (s->kind == SLICE)
        make_slice(t, s);
    else
        make_whole(t, s);
    const int64_t needed = s->want.matrix.nnz, more = t->given ? 0 : 3;
    s->result = spec_made_view(t, &s->want, variant & LESS ? needed * 2 / 3 : needed + more,
                               variant & MORE);
    s->moved = variant & MORE ? &s->result.moved : NULL;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    switch (s->kind) {
    case SLICE:
        return sparcl_csr_slice_rows(ctx, &s->result.to, &s->views[0], s->first, s->moved);
    case ROWS:
        return sparcl_csr_concat_rows(ctx, &s->result.to, s->views, s->count, s->moved);
    case COLUMNS:
        return sparcl_csr_concat_columns(ctx, &s->result.to, s->views, s->count, s->moved);
    default:
        return sparcl_csr_block_diagonal(ctx, &s->result.to, s->views, s->count, s->moved);
    }
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    spec_expect_made(t, &s->result, &s->want);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    (void)number;
    *flops = 0;
    *bytes = spec_made_bytes(&s->result, &s->want);
    for (int i = 0; i < s->count; ++i)
        *bytes += spec_csr_bytes(&s->views[i]);
}

extern const spec_op spec_append;
static const spec_bench timed[] = {{"csr-concat", "a matrix twice, one below the other",
                                    .op = &spec_append, .setting = {.variant = ROWS}},
                                   {"csr-concat-columns", "a matrix twice, side by side",
                                    .op = &spec_append, .setting = {.variant = COLUMNS}},
                                   {"csr-block-diagonal", "a matrix twice, as blocks on a diagonal",
                                    .op = &spec_append, .setting = {.variant = DIAGONAL}},
                                   {"csr-slice-rows", "the middle half of a matrix's rows",
                                    .op = &spec_append, .setting = {.variant = SLICE}},
                                   {0}};

const spec_op spec_append = {.name = "append",
                             .get_case = get_case,
                             .state_size = sizeof(state),
                             .make = make,
                             .call = call,
                             .expect = expect,
                             .work = work,
                             .timed = timed};
