/* spec_negatives.c: columns that rows do not have, in plain C. Variant: the index types of the
 * lists. */
#include "spec/layers/philox.h"
#include "spec/shared/harness.h"

/* Rows, columns and entries of the matrix, the length of the list, and the first column drawn. */
static const int64_t sizes[][5] = {{3, 1, 0, 7, 0},
                                   {4, 3, 9, 40, 0},
                                   {5, 70, 90, 64, 0},
                                   {37, 23, 200, 500, 20},
                                   {1, 9, 400, 90, 0},
                                   {300, 5, 1500, 700, 2},
                                   {9, 40, 340, 300, 39},
                                   {200, 3000, 9000, 4000, 1000},
                                   {2000, 700, 60000, 90000, 0}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    if (i >= n_sizes * SPEC_KINDS * 2) return false;
    const int64_t *const size = sizes[i / (SPEC_KINDS * 2)];
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = size[3],
                     .alpha = (double)size[4],
                     .dtype = SPARCL_F32,
                     .offset_type = i % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i / 2 % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = i / 3 % 4,
                     .seed = (uint64_t)i + 17};
    return true;
}

/* Seeds and offsets with bits in both words. */
static uint64_t key_of(const spec_case *c) {
    return c->seed * 0xD1B54A32D192ED03;
}

static uint64_t offset_of(const spec_case *c) {
    return c->seed % 3 ? c->seed * 0x9E3779B97F4A7C15 : 0;
}

static bool has_column(const spec_matrix *m, int64_t row, int64_t column) {
    for (int64_t k = m->offsets[row]; k < m->offsets[row + 1]; ++k)
        if (m->indices[k] == column) return true;
    return false;
}

static int64_t draw(const spec_case *c, const spec_matrix *m, int64_t row, int64_t t) {
    const int64_t first = (int64_t)c->alpha, n = m->cols;
    const uint64_t offset = offset_of(c);
    int64_t column = 0;
    for (uint32_t d = 0; d < 16; ++d) {
        uint32_t words[4] = {(uint32_t)t, (uint32_t)((uint64_t)t >> 32) + 65536 * (d / 4),
                             (uint32_t)offset, (uint32_t)(offset >> 32)};
        spec_philox(words, key_of(c));
        column = first + (int64_t)((uint64_t)words[d % 4] * (uint64_t)(n - first) >> 32);
        if (!has_column(m, row, column)) return column;
    }
    for (int64_t i = 0; i < n - first; ++i) {
        const int64_t next = first + (column - first + i) % (n - first);
        if (!has_column(m, row, next)) return next;
    }
    return column;
}

typedef struct state {
    const spec_case *c;
    spec_matrix m;
    int64_t *rows;
    sparcl_csr a;
    sparcl_list list, to;
} state;

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    uint64_t seed = c->seed;
    s->c = c;
    s->m = spec_matrix_of(t, c->nnz, c->seed);
    spec_matrix_unique(&s->m);
    s->rows = spec_int64s(t, c->n);
    for (int64_t k = 0; k < c->n; ++k)
        s->rows[k] = (int64_t)(spec_random(&seed) % (uint64_t)c->rows);
    s->a = spec_csr(t, &s->m);
    s->a.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    s->list = (sparcl_list){.count = c->n,
                            .limit = c->rows,
                            .index_type = c->variant % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                            .proof = {.flags = SPARCL_TRUSTED}};
    s->to = (sparcl_list){.count = c->n,
                          .limit = c->cols,
                          .index_type = c->variant / 2 ? SPARCL_INDEX64 : SPARCL_INDEX32};
    s->list.indices = spec_ints_buf(t, s->rows, c->n, s->list.index_type);
    s->to.indices = spec_result_buf(t, c->n * (int64_t)sparcl_itype_size(s->to.index_type));
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return sparcl_negative_samples(ctx, &s->to, &s->a, &s->list, (int64_t)s->c->alpha, key_of(s->c),
                                   offset_of(s->c));
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    int64_t *const expected = spec_int64s(t, s->c->n);
    for (int64_t k = 0; k < s->c->n; ++k)
        expected[k] = draw(s->c, &s->m, s->rows[k], k);
    spec_expect_ints(t, "columns", s->to.indices, 0, s->to.index_type, expected, s->c->n);
}

const spec_op spec_negatives = {.name = "negatives",
                                .get_case = get_case,
                                .state_size = sizeof(state),
                                .make = make,
                                .call = call,
                                .expect = expect};
