/* spec_negatives.c: columns that rows do not have, in plain C. Variant: the index types of the
 * lists. */
#include <stdlib.h>

#include "spec/layers/philox.h"
#include "spec/shared/spec.h"

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
                     .offset_type = i % 2 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i / 2 % 2 ? SPARCL_I64 : SPARCL_I32,
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

static void answer(const spec_case *c, const spec_matrix *m, const int64_t *rows, int64_t *to) {
    for (int64_t t = 0; t < c->n; ++t)
        to[t] = draw(c, m, rows[t], t);
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, const spec_matrix *m,
                         const int64_t *rows, int64_t *got) {
    sparcl_csr a = {0};
    sparcl_list list = {.count = c->n, .limit = c->rows}, to = {.count = c->n, .limit = c->cols};
    list.index_type = c->variant % 2 ? SPARCL_I64 : SPARCL_I32;
    to.index_type = c->variant / 2 ? SPARCL_I64 : SPARCL_I32;
    list.proof.flags = SPARCL_TRUSTED;
    sparcl_status status = spec_put_csr_within(ctx, &a, m, c->dtype, c->offset_type, c->index_type);
    a.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &list.indices, rows, c->n, list.index_type);
    if (status == SPARCL_OK) status = spec_put_ints(ctx, &to.indices, rows, c->n, to.index_type);
    if (status == SPARCL_OK) status = spec_poison(ctx, to.indices);
    if (status == SPARCL_OK)
        status = sparcl_negative_samples(ctx, &to, &a, &list, (int64_t)c->alpha, key_of(c),
                                         offset_of(c));
    if (status == SPARCL_OK) status = spec_get_ints(ctx, to.indices, 0, c->n, to.index_type, got);
    sparcl_csr_free(&a);
    sparcl_list_free(&list);
    sparcl_list_free(&to);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    spec_matrix m = {0};
    int64_t *const ints = calloc(3 * (size_t)c->n + 1, sizeof *ints);
    int64_t *const rows = ints, *const expected = ints + c->n, *const got = expected + c->n;
    uint64_t seed = c->seed;
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true};
    if (ints && spec_matrix_make(&m, c->kind, c->rows, c->cols, c->nnz, c->seed)) {
        spec_matrix_unique(&m);
        for (int64_t t = 0; t < c->n; ++t)
            rows[t] = (int64_t)(spec_random(&seed) % (uint64_t)c->rows);
        answer(c, &m, rows, expected);
        status = run(ctx, c, &m, rows, got);
        if (status == SPARCL_OK) spec_compare_ints(report, "columns", got, expected, c->n);
        report->bytes = 16 * (double)c->n;
    }
    spec_matrix_free(&m);
    free(ints);
    return status;
}

const spec_op spec_negatives = {.name = "negatives", .get_case = get_case, .check = check};
