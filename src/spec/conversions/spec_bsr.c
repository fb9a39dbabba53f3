/* spec_bsr.c: matrices between CSR and BSR format, in plain C. Variant 0: CSR to BSR; 1: BSR to
 * CSR. n: the shape of a block; beta: the part of the blocks for which there is capacity. */
#include "spec/bench/bench.h"
#include "spec/conversions/block_case.h"
#include "spec/shared/stored.h"

enum { TO_BSR, TO_CSR, VARIANTS };

/* Rows and columns of a block. */
static const int64_t shapes[][2] = {{1, 1}, {2, 3}, {4, 4}, {3, 1}, {1, 8}, {16, 2}};
#define N_SHAPES (int)(sizeof shapes / sizeof shapes[0])

/* Rows and columns of blocks, and entries (to CSR: blocks). */
static const int64_t sizes[][3] = {{0, 0, 0},   {0, 5, 0},     {4, 0, 0},      {1, 1, 1},
                                   {1, 7, 5},   {9, 4, 60},    {37, 23, 200},  {3, 2, 900},
                                   {5, 30, 90}, {300, 2, 900}, {90, 70, 3000}, {20000, 30, 9000}};
#define N_SIZES     (int)(sizeof sizes / sizeof sizes[0])
#define SMALL_SIZES 10

static bool get_case(int i, bool small, spec_case *c) {
    static const double parts[] = {1, 1, 0.5, 1, 0};
    const int number = i / VARIANTS, size = number / N_SHAPES;
    if (size >= (small ? SMALL_SIZES : N_SIZES)) return false;
    *c = (spec_case){.kind = (spec_kind)(number % (int)SPEC_KINDS),
                     .rows = sizes[size][0],
                     .cols = sizes[size][1],
                     .nnz = sizes[size][2],
                     .n = number % N_SHAPES,
                     .dtype = (sparcl_dtype)((number * 3 + i % 2) % 7),
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .beta = parts[number % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = i % VARIANTS};
    if (c->variant == TO_CSR && c->nnz > 300) c->nnz /= 10;
    if (c->dtype <= SPARCL_BF16 || c->variant == TO_CSR) return true;
    c->kind = SPEC_DIAGONAL; /* integers are not added */
    if (c->nnz > c->rows) c->nnz = c->rows;
    return true;
}

typedef struct state {
    int variant;
    spec_blocks b;
    spec_matrix m;
    sparcl_csr csr;
    sparcl_bsr bsr;
    sparcl_buf *needed;
} state;

static void make_csr(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    if (t->given) {
        s->m = spec_widened(t);
        s->b.rows = s->m.rows;
        s->b.cols = s->m.cols;
        return;
    }
    spec_own_matrix(t, &s->m,
                    spec_matrix_make(&s->m, c->kind, s->b.rows, s->b.cols, c->nnz, c->seed));
    spec_make_storable(c->dtype, s->m.values, s->m.nnz);
}

static void make_to_bsr(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    spec_case swapped = *c;
    const int64_t none = -1;
    make_csr(t, s);
    spec_blocks_fill(t, &s->b, &s->m, t->given ? 1 : c->beta);
    s->csr = spec_csr(t, &s->m);
    swapped.offset_type = t->given ? c->offset_type : c->index_type;
    swapped.index_type = t->given ? c->index_type : c->offset_type;
    const int64_t size = s->b.block_rows * s->b.block_cols, count = s->b.pattern.nnz;
    const sparcl_csr pattern =
        spec_csr_result_as(t, &swapped, s->b.pattern.rows, s->b.pattern.cols, count);
    s->bsr = (sparcl_bsr){
        .rows = s->b.rows,
        .cols = s->b.cols,
        .block_rows = s->b.block_rows,
        .block_cols = s->b.block_cols,
        .nnzb = count,
        .dtype = c->dtype,
        .offset_type = pattern.offset_type,
        .index_type = pattern.index_type,
        .offsets = pattern.offsets,
        .indices = pattern.indices,
        .values = spec_result_buf(t, count * size * (int64_t)sparcl_dtype_size(c->dtype))};
    if (!t->given) s->needed = spec_ints_buf(t, &none, 1, SPARCL_INDEX64);
}

/* An entry for each element of a block, also of those that are 0. */
static void make_to_csr(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    spec_case swapped = *c;
    if (t->given) {
        make_csr(t, s);
        spec_blocks_fill(t, &s->b, &s->m, 1);
    } else {
        spec_blocks_draw(t, &s->b, c->seed + 5);
        swapped.offset_type = c->index_type;
        swapped.index_type = c->offset_type;
    }
    const int64_t count = s->b.pattern.nnz * s->b.block_rows * s->b.block_cols;
    s->m = spec_matrix_room(t, s->b.rows, s->b.cols, count);
    spec_expand_blocks(&s->m, &s->b.pattern, s->b.values, s->b.block_rows, s->b.block_cols);
    s->bsr = spec_blocks_view(t, &s->b);
    s->csr = spec_csr_result_as(t, &swapped, s->b.rows, s->b.cols, count);
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->variant = c->variant;
    s->b.block_rows = t->given ? SPEC_BLOCK_SIZE : shapes[c->n][0];
    s->b.block_cols = t->given ? SPEC_BLOCK_SIZE : shapes[c->n][1];
    s->b.rows = c->rows * s->b.block_rows;
    s->b.cols = c->cols * s->b.block_cols;
    (s->variant == TO_BSR ? make_to_bsr : make_to_csr)(t, s);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return s->variant == TO_BSR
               ? sparcl_csr_to_bsr(ctx, &s->bsr, &s->csr, &(sparcl_moved){.needed = s->needed})
               : sparcl_bsr_to_csr(ctx, &s->csr, &s->bsr);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const sparcl_bsr *const to = &s->bsr;
    const int64_t none = 0, size = s->b.block_rows * s->b.block_cols;
    t->report->zeros_expected = true;
    if (s->variant == TO_CSR) {
        spec_compare_ints(t->report, "needed", &none, &none, 1);
        spec_expect_csr(t, &s->csr, &s->m);
        return;
    }
    if (s->needed) spec_expect_ints(t, "needed", s->needed, 0, SPARCL_INDEX64, &s->b.needed, 1);
    spec_expect_ints(t, "offsets", to->offsets, 0, to->offset_type, s->b.pattern.offsets,
                     s->b.pattern.rows + 1);
    spec_expect_ints(t, "indices", to->indices, 0, to->index_type, s->b.pattern.indices, to->nnzb);
    spec_expect(t, "values", to->values, 0, to->dtype, to->nnzb * size, s->b.values, NULL, NULL);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    (void)number;
    *flops = 0;
    *bytes = spec_csr_bytes(&s->csr) + spec_blocks_bytes(&s->b);
}

extern const spec_op spec_bsr;
static const spec_bench timed[] = {
    {"to-bsr", "CSR to BSR with blocks of 4 x 4", .op = &spec_bsr, .setting = {.variant = TO_BSR}},
    {"bsr-to-csr", "BSR with blocks of 4 x 4 to CSR", .op = &spec_bsr,
     .setting = {.variant = TO_CSR}},
    {0}};

const spec_op spec_bsr = {.name = "bsr",
                          .get_case = get_case,
                          .state_size = sizeof(state),
                          .make = make,
                          .call = call,
                          .expect = expect,
                          .work = work,
                          .timed = timed};
