/* spec_to_dense.c: sparse arrays as dense ones, in plain C. Variant 0: CSR; 1: CSC; 2: BSR;
 * 3: row-sparse; 4: COO, whose shape n says. */
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/conversions/block_case.h"
#include "spec/shared/stored.h"

enum { CSR, CSC, BSR, ROWS, COO, FORMATS };

/* Rows, columns, entries (BSR: blocks; ROWS: stored rows). */
static const int64_t sizes[][3] = {
    {0, 0, 0},       {0, 5, 0},       {4, 0, 0},        {1, 1, 1},       {1, 7, 5},
    {9, 4, 20},      {37, 23, 200},   {3, 5, 3000},     {5, 300, 900},   {300, 2, 900},
    {1, 7000, 4000}, {700, 90, 3000}, {40000, 8, 9000}, {2, 90000, 3000}};
#define N_SIZES     (int)(sizeof sizes / sizeof sizes[0])
#define SMALL_SIZES 10
/* Shapes of COO arrays: those of spec_entries_shape that are small. */
#define N_SHAPES    12

static bool get_case(int i, bool small, spec_case *c) {
    const int number = i / FORMATS, format = i % FORMATS, kinds = (int)SPEC_KINDS;
    const int n = (small ? SMALL_SIZES : N_SIZES) * 4, size = number % n / 4;
    if (number >= n) return false;
    const bool is_coo = format == COO;
    *c = (spec_case){.kind = (spec_kind)((number + format) % kinds),
                     .rows = sizes[size][0],
                     .cols = sizes[size][1],
                     .nnz = sizes[size][2],
                     .n = is_coo ? number % N_SHAPES : 0,
                     .dtype = (sparcl_dtype)((number * 3 + format) % 7),
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 1,
                     .variant = format};
    if (format == ROWS && c->nnz > 300) c->nnz /= 10;
    if (format == ROWS && c->cols > 900)
        c->cols = 900; /* devices that end loops early refuse more */
    if (c->dtype <= SPARCL_BF16) return true;
    /* Integers are not added. */
    c->kind = SPEC_DIAGONAL;
    if (c->nnz > c->rows) c->nnz = c->rows;
    if (is_coo) c->nnz = 1;
    return true;
}

typedef struct state {
    int variant;
    spec_entries entries; /* the elements of the operand */
    int64_t width;        /* of the result */
    sparcl_csr csr;
    sparcl_csc csc; /* in the arrays of csr */
    sparcl_bsr bsr;
    sparcl_rows rows;
    sparcl_coo coo;
    sparcl_dense to;
    double operand_bytes;
} state;

static void take_entries(spec_test *t, state *s, const spec_matrix *m) {
    spec_own_entries(t, &s->entries, spec_entries_of_matrix(&s->entries, m, m->nnz));
}

static void make_compressed(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    spec_matrix m = spec_matrix_of(t, c->nnz, c->seed);
    if (t->given && s->variant == CSC) spec_matrix_unique(&m);
    spec_make_storable(c->dtype, m.values, m.nnz);
    take_entries(t, s, &m);
    if (s->variant == CSC) m = spec_transposed(t, &m);
    s->csr = spec_csr(t, &m);
    s->csc = spec_as_csc(&s->csr);
    s->operand_bytes = spec_csr_bytes(&s->csr);
}

static void make_bsr(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    spec_blocks b = {.block_rows = 1 + (int64_t)c->seed % 3,
                     .block_cols = 1 + (int64_t)c->seed % 4};
    if (t->given) {
        const spec_matrix m = spec_widened(t);
        b = (spec_blocks){m.rows, m.cols, SPEC_BLOCK_SIZE, SPEC_BLOCK_SIZE, 0, {0}, NULL};
        spec_blocks_fill(t, &b, &m, 1);
    } else {
        b.rows = c->rows * b.block_rows;
        b.cols = c->cols * b.block_cols;
        spec_blocks_draw(t, &b, c->seed + 9);
    }
    spec_matrix all =
        spec_matrix_room(t, b.rows, b.cols, b.pattern.nnz * b.block_rows * b.block_cols);
    spec_expand_blocks(&all, &b.pattern, b.values, b.block_rows, b.block_cols);
    take_entries(t, s, &all);
    s->bsr = spec_blocks_view(t, &b);
    s->operand_bytes = spec_blocks_bytes(&b);
}

/* An entry for each element. */
static void expand_rows(spec_test *t, state *s, const spec_rowset *rows) {
    spec_entries *const e = &s->entries;
    const spec_entries like = {
        .rank = 2, .shape = {rows->limit, rows->width}, .capacity = rows->stored * rows->width};
    *e = spec_entries_room(t, &like);
    for (; e->stored < e->capacity; ++e->stored) {
        e->indices[0][e->stored] = rows->ids[e->stored / rows->width];
        e->indices[1][e->stored] = e->stored % rows->width;
        e->values[e->stored] = rows->values[e->stored];
    }
}

static void make_rows(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    spec_rowset rows = {0};
    if (t->given) {
        spec_matrix m = spec_matrix_of(t, 0, 0);
        spec_matrix_unique(&m);
        spec_matrix_empty_rows(&m);
        rows = spec_rowset_of_matrix(t, &m);
    } else {
        rows = spec_rowset_drawn(t, c->rows, c->nnz, c->cols, c->seed);
        spec_make_storable(c->dtype, rows.values, rows.capacity * c->cols);
    }
    expand_rows(t, s, &rows);
    s->rows = spec_row_sparse(t, &rows);
    if (t->given) s->rows.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    s->operand_bytes = (double)rows.stored * (4 + 4 * (double)rows.width);
}

static void make_coo(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    if (t->given) {
        spec_matrix m = spec_matrix_of(t, 0, 0);
        spec_matrix_unique(&m);
        take_entries(t, s, &m);
    } else {
        s->entries = spec_entries_drawn(t, (int)c->n, c->nnz, c->seed % 3 == 0, c->seed);
        spec_make_storable(c->dtype, s->entries.values, s->entries.stored);
    }
    s->coo = spec_coo(t, &s->entries, t->given ? 0 : 2, false);
    s->operand_bytes = spec_coo_bytes(&s->coo, s->entries.stored);
}

/* Half of the results have gaps between their rows, half begin within their buffers. */
static void make(spec_test *t) {
    static void (*const makers[])(spec_test *, state *) = {make_compressed, make_compressed,
                                                           make_bsr, make_rows, make_coo};
    const spec_case *const c = t->c;
    state *const s = t->state;
    sparcl_dense *const to = &s->to;
    s->variant = c->variant;
    makers[s->variant](t, s);
    *to = (sparcl_dense){.rank = s->entries.rank, .dtype = c->dtype};
    memcpy(to->shape, s->entries.shape, sizeof to->shape);
    if (s->variant == ROWS && !t->given)
        to->rank = spec_shape(to->shape, c->rows, c->cols, c->seed);
    s->width = sparcl_row_width(to->rank, to->shape);
    to->ld = c->seed % 2 ? s->width + 2 : 0;
    to->values_at = c->seed % 4 < 2 ? 0 : 3;
    to->values = spec_result_buf(t, (to->values_at + to->shape[0] * (to->ld ? to->ld : s->width)) *
                                        (int64_t)sparcl_dtype_size(c->dtype));
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    switch (s->variant) {
    case CSR:
        return sparcl_csr_to_dense(ctx, &s->to, &s->csr);
    case CSC:
        return sparcl_csc_to_dense(ctx, &s->to, &s->csc);
    case BSR:
        return sparcl_bsr_to_dense(ctx, &s->to, &s->bsr);
    case ROWS:
        return sparcl_rows_to_dense(ctx, &s->to, &s->rows);
    default:
        return sparcl_coo_to_dense(ctx, &s->to, &s->coo);
    }
}

/* Of the result without gaps. */
static void expect(spec_test *t) {
    const state *const s = t->state;
    const sparcl_dense *const to = &s->to;
    const int64_t width = s->width, ld = to->ld ? to->ld : width, rows = to->shape[0];
    double *const order = spec_reals(t, rows * width), *const truth = spec_reals(t, rows * width);
    double *const bound = spec_reals(t, rows * width), *const got = spec_reals(t, rows * ld);
    spec_need(t, spec_entries_dense(&s->entries, to->dtype, order, truth, bound, rows * width)
                     ? SPARCL_OK
                     : SPARCL_E_MEMORY);
    spec_need(t, spec_get_reals(t->ctx, to->values, to->values_at, rows * ld, to->dtype, got));
    for (int64_t i = 0; i < rows; ++i)
        memmove(got + i * width, got + i * ld, (size_t)width * sizeof *got);
    t->report->zeros_expected = true;
    spec_compare(t->report, "to", got, order, truth, bound, rows * width);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    (void)number;
    *flops = 0;
    *bytes = s->operand_bytes + 4 * (double)s->to.shape[0] * (double)s->width;
}

extern const spec_op spec_to_dense;
static const spec_bench timed[] = {
    {"to-dense", "CSR to a dense array", .op = &spec_to_dense, .setting = {.variant = CSR}},
    {"bsr-to-dense", "BSR with blocks of 4 x 4 to a dense array", .op = &spec_to_dense,
     .setting = {.variant = BSR}},
    {"coo-to-dense", "sorted COO entries to a dense array", .op = &spec_to_dense,
     .setting = {.variant = COO}},
    {"csc-to-dense", "CSC with sorted columns to a dense array", .op = &spec_to_dense,
     .setting = {.variant = CSC}},
    {"rows-to-dense", "rows of a row-sparse array, three of four, to a dense array",
     .op = &spec_to_dense, .setting = {.variant = ROWS}},
    {0}};

const spec_op spec_to_dense = {.name = "to_dense",
                               .get_case = get_case,
                               .state_size = sizeof(state),
                               .make = make,
                               .call = call,
                               .expect = expect,
                               .work = work,
                               .timed = timed};
