/* spec_keep.c: entries of a CSR matrix that are kept, in plain C. Variant 0: slice_columns; 1:
 * retain_rows; 2: prune; 3 to 5: triangle with LOWER, UPPER, DIAGONAL; + 8: less capacity
 * than needed; + 16: with a source and a needed count. n: the list, or the diagonal. */
#include "spec/bench/bench.h"
#include "spec/structure/made_case.h"

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
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 / 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 5,
                     .variant = i % KINDS + (i % 5 == 3 ? LESS : 0) + (i % 2 ? MORE : 0)};
    return true;
}

typedef struct state {
    int kind;
    int64_t first, end; /* columns of a slice */
    int64_t diagonal;
    spec_matrix m;
    bool *is_listed; /* of each row */
    sparcl_csr from;
    sparcl_list list;
    spec_made want;
    spec_made_result result;
    const sparcl_moved *moved;
} state;

/* Some zeros, of both signs where there are two; of a measurement every third value. */
static void make_matrix(spec_test *t, state *s, uint64_t *seed) {
    const spec_case *const c = t->c;
    s->m = spec_matrix_of(t, c->nnz, c->seed);
    for (int64_t k = 0; k < s->m.nnz && s->kind == ZEROS; ++k)
        if (t->given ? k % 3 == 0 : spec_random(seed) % 3 == 0) s->m.values[k] = k % 2 ? -0.0 : 0.0;
    for (int64_t k = 0; k < s->m.nnz; ++k)
        if (s->m.values[k] != 0) s->m.values[k] = spec_value(c->dtype, s->m.values[k]);
}

/* Half of the rows, with duplicates; of a measurement every second row. */
static void make_list(spec_test *t, state *s, uint64_t *seed) {
    const int64_t rows = t->c->rows, count = (rows + (t->given ? 1 : 0)) / 2;
    int64_t *const list = spec_int64s(t, count);
    s->is_listed = spec_memory(t, rows, sizeof *s->is_listed);
    for (int64_t i = 0; i < count; ++i) {
        list[i] = t->given ? 2 * i : (int64_t)(spec_random(seed) % (uint64_t)rows);
        s->is_listed[list[i]] = true;
    }
    s->list = spec_list(t, list, count, rows, t->c->index_type);
}

static bool is_kept(const state *s, int64_t row, int64_t k) {
    const int64_t column = s->m.indices[k];
    switch (s->kind) {
    case COLUMNS:
        return column >= s->first && column < s->end;
    case ROWS:
        return s->is_listed[row];
    case ZEROS:
        return s->m.values[k] != 0;
    case LOWER + SPARCL_LOWER:
        return column - row <= s->diagonal;
    case LOWER + SPARCL_UPPER:
        return column - row >= s->diagonal;
    default:
        return column - row == s->diagonal;
    }
}

static void make_expected(spec_test *t, state *s) {
    s->want = spec_made_room(t, s->m.rows, s->end - s->first, s->m.nnz);
    for (int64_t r = 0; r < s->m.rows; ++r) {
        for (int64_t k = s->m.offsets[r]; k < s->m.offsets[r + 1]; ++k)
            if (is_kept(s, r, k))
                spec_made_add(&s->want, s->m.indices[k] - s->first, s->m.values[k], k);
        spec_made_end_row(&s->want);
    }
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    uint64_t seed = c->seed;
    s->kind = c->variant % LESS;
    s->diagonal = t->given ? 0 : c->n;
    s->first = s->kind == COLUMNS ? c->cols / 4 : 0;
    s->end = c->cols - (s->kind != COLUMNS ? 0 : t->given ? s->first : c->cols / 5);
    make_matrix(t, s, &seed);
    s->from = spec_csr(t, &s->m);
    make_list(t, s, &seed);
    make_expected(t, s);
    const int64_t needed = s->want.matrix.nnz, more = t->given ? 0 : 3;
    s->result = spec_made_view(t, &s->want, c->variant & LESS ? needed * 2 / 3 : needed + more,
                               c->variant & MORE);
    s->moved = c->variant & MORE ? &s->result.moved : NULL;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    switch (s->kind) {
    case COLUMNS:
        return sparcl_csr_slice_columns(ctx, &s->result.to, &s->from, s->first, s->moved);
    case ROWS:
        return sparcl_csr_retain_rows(ctx, &s->result.to, &s->from, &s->list, s->moved);
    case ZEROS:
        return sparcl_csr_prune(ctx, &s->result.to, &s->from, 0, s->moved);
    default:
        return sparcl_csr_triangle(ctx, &s->result.to, &s->from, (sparcl_part)(s->kind - LOWER),
                                   s->diagonal, s->moved);
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
    *bytes = spec_csr_bytes(&s->from) + spec_made_bytes(&s->result, &s->want);
    if (s->kind == ROWS) *bytes += spec_list_bytes(&s->list);
}

extern const spec_op spec_keep;
static const spec_bench timed[] = {
    {"csr-slice-columns", "the middle half of a matrix's columns", .op = &spec_keep,
     .setting = {.variant = COLUMNS}},
    {"csr-retain-rows", "every second row; the others become empty", .op = &spec_keep,
     .setting = {.variant = ROWS}},
    {"csr-triangle", "the entries on and below the diagonal", .op = &spec_keep,
     .setting = {.variant = LOWER + SPARCL_LOWER}},
    {"csr-eliminate-zeros", "the entries that are not 0, of a matrix with every third value 0",
     .op = &spec_keep, .setting = {.variant = ZEROS}},
    {0}};

const spec_op spec_keep = {.name = "keep",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect,
                           .work = work,
                           .timed = timed};
