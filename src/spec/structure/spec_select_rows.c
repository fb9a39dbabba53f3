/* spec_select_rows.c: selecting the rows of a list, in plain C. Variant 0: of a CSR matrix; 1: the
 * same with less capacity than needed; 2: of a dense matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/made.h"

/* Rows, columns and entries of the matrix; n is the length of the list. */
static const int64_t sizes[][4] = {
    {0, 5, 0, 0},      {4, 3, 0, 6},        {5, 1, 9, 0},   {1, 7, 5, 9},
    {37, 23, 200, 50}, {300, 5, 1500, 700}, {9, 40, 90, 3}, {5000, 700, 60000, 9000}};

/* Other shapes, alternately sparse and dense. */
#define MORE 20

/* Other element types: each with each variant twice. */
#define OTHERS 30

static bool get_other(int i, spec_case *c) {
    if (i >= OTHERS) return false;
    *c = (spec_case){.kind = (spec_kind)(i / 3 % SPEC_KINDS),
                     .rows = 3 + i * 37 % 200,
                     .cols = 1 + i * 23 % 90,
                     .nnz = 40 + i * 71 % 900,
                     .n = 1 + i * 47 % 150,
                     .dtype = spec_other_dtype(i / 3),
                     .offset_type = i % 4 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 5 == 3 ? SPARCL_I64 : SPARCL_I32,
                     .variant = i % 3,
                     .seed = (uint64_t)i + 4031};
    return true;
}

static bool get_more(int i, spec_case *c) {
    if (i >= MORE) return get_other(i - MORE, c);
    *c = (spec_case){.kind = (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = 3 + i * 29 % 200,
                     .cols = 1 + i * 17 % 60,
                     .nnz = 5 + i * 67 % 900,
                     .n = 1 + i * 43 % 150,
                     .dtype = i % 5 == 4 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 ? SPARCL_I32 : SPARCL_I64,
                     .index_type = i % 4 == 3 ? SPARCL_I64 : SPARCL_I32,
                     .variant = i % 2 ? 2 : i / 2 % 2,
                     .seed = (uint64_t)i + 2031};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    if (i >= n_sizes * 12) return get_more(i - n_sizes * 12, c);
    const int64_t *size = sizes[i / 12];
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = size[3],
                     .dtype = i % 5 == 4 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 2 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 / 2 ? SPARCL_I64 : SPARCL_I32,
                     .variant = i / 4 % 3,
                     .seed = (uint64_t)i + 31};
    return true;
}

static int64_t *make_list(const spec_case *c) {
    int64_t *list = calloc((size_t)c->n + 1, sizeof *list);
    uint64_t seed = c->seed + 1;
    for (int64_t i = 0; list && i < c->n; ++i)
        list[i] = (int64_t)(spec_random(&seed) % (uint64_t)c->rows);
    return list;
}

static sparcl_status put_list(sparcl_ctx *ctx, sparcl_list *view, const spec_case *c,
                              const int64_t *list) {
    *view = (sparcl_list){.count = c->n, .limit = c->rows, .index_type = c->index_type};
    view->proof.flags = SPARCL_TRUSTED;
    return spec_put_ints(ctx, &view->indices, list, c->n, c->index_type);
}

/* The result has other offset and index types than the matrix. */
static sparcl_itype other(sparcl_itype type) {
    return type == SPARCL_I64 ? SPARCL_I32 : SPARCL_I64;
}

static bool select_plain(const spec_case *c, const spec_matrix *m, const int64_t *list,
                         int64_t capacity, spec_matrix *to, int64_t *needed) {
    int64_t at = 0;
    *needed = 0;
    for (int64_t i = 0; i < c->n; ++i)
        *needed += m->offsets[list[i] + 1] - m->offsets[list[i]];
    if (!spec_matrix_alloc(to, c->n, c->cols, capacity)) return false;
    for (int64_t i = 0; i < c->n; ++i) {
        for (int64_t k = m->offsets[list[i]]; k < m->offsets[list[i] + 1] && at < capacity;
             ++k, ++at) {
            to->indices[at] = m->indices[k];
            to->values[at] = m->values[k];
        }
        to->offsets[i + 1] = at;
    }
    return true;
}

static sparcl_status compare_csr(sparcl_ctx *ctx, const sparcl_csr *got, const spec_matrix *want,
                                 spec_report *report) {
    const int64_t filled = want->offsets[want->rows];
    spec_matrix have = {0};
    if (!spec_matrix_alloc(&have, want->rows, want->cols, want->nnz)) return SPARCL_E_MEMORY;
    const sparcl_status status = spec_get_csr(ctx, got, &have);
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "offsets", have.offsets, want->offsets, want->rows + 1);
        spec_compare_ints(report, "indices", have.indices, want->indices, filled);
        spec_compare(report, "values", have.values, want->values, NULL, NULL, filled);
    }
    spec_matrix_free(&have);
    return status;
}

static sparcl_status check_csr(sparcl_ctx *ctx, const spec_case *c, const int64_t *list,
                               spec_report *report) {
    spec_matrix m = {0}, want = {0};
    sparcl_csr from = {0}, to = {0};
    sparcl_list view = {0};
    sparcl_buf *needed = NULL;
    int64_t expected = 0, found = -1;
    sparcl_status status = SPARCL_E_MEMORY;
    if (!spec_matrix_make(&m, c->kind, c->rows, c->cols, c->nnz, c->seed)) return status;
    for (int64_t k = 0; k < m.nnz; ++k)
        m.values[k] = spec_moved_value(c->dtype, m.values[k]);
    for (int64_t i = 0; i < c->n; ++i)
        expected += m.offsets[list[i] + 1] - m.offsets[list[i]];
    const int64_t capacity = c->variant == 1 ? expected * 2 / 3 : expected + 5;
    if (!select_plain(c, &m, list, capacity, &want, &expected)) goto done;
    status = spec_put_csr_within(ctx, &from, &m, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = put_list(ctx, &view, c, list);
    if (status == SPARCL_OK)
        status = spec_put_csr_within(ctx, &to, &want, c->dtype, other(c->offset_type),
                                     other(c->index_type));
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &needed, 24);
    if (status == SPARCL_OK)
        status = sparcl_buf_fill(ctx, to.values, 0, sparcl_buf_bytes(to.values), 0xff);
    if (status == SPARCL_OK) status = sparcl_csr_select_rows(ctx, &to, &from, &view, needed, 1);
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, needed, 8, 8, &found);
    if (status == SPARCL_OK) status = compare_csr(ctx, &to, &want, report);
    if (status == SPARCL_OK) spec_compare_ints(report, "needed", &found, &expected, 1);
done:
    spec_matrix_free(&m);
    spec_matrix_free(&want);
    sparcl_csr_free(&from);
    sparcl_csr_free(&to);
    sparcl_buf_free(view.indices);
    sparcl_buf_free(needed);
    return status;
}

static sparcl_status check_dense(sparcl_ctx *ctx, const spec_case *c, const int64_t *list,
                                 spec_report *report) {
    const int64_t width = c->cols, ld = width + 2;
    double *const x = spec_numbers(c->rows * ld, c->seed), *const got =
                                                               spec_numbers(c->n * width, 0);
    double *const want = spec_numbers(c->n * width, 0);
    sparcl_dense from = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, width}, .ld = ld};
    sparcl_dense to = {.rank = 2, .dtype = c->dtype, .shape = {c->n, width}};
    sparcl_list view = {0};
    sparcl_status status = x && got && want ? SPARCL_OK : SPARCL_E_MEMORY;
    for (int64_t k = 0; status == SPARCL_OK && k < c->rows * ld; ++k)
        x[k] = spec_moved_value(c->dtype, x[k]);
    for (int64_t i = 0; status == SPARCL_OK && i < c->n; ++i)
        memcpy(want + i * width, x + list[i] * ld, (size_t)width * sizeof *x);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &from, x, c->rows * ld);
    if (status == SPARCL_OK) status = put_list(ctx, &view, c, list);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &to, got, c->n * width);
    if (status == SPARCL_OK) status = sparcl_gather_rows(ctx, &to, &from, &view);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, to.values, to.values_at, c->n * width, c->dtype, got);
    if (status == SPARCL_OK) spec_compare(report, "rows", got, want, NULL, NULL, c->n * width);
    free(x);
    free(got);
    free(want);
    sparcl_buf_free(from.values);
    sparcl_buf_free(to.values);
    sparcl_buf_free(view.indices);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    *report = (spec_report){.equal = true, .zeros_expected = c->dtype == SPARCL_BOOL};
    int64_t *list = make_list(c);
    if (!list) return SPARCL_E_MEMORY;
    const sparcl_status status = (c->variant == 2 ? check_dense : check_csr)(ctx, c, list, report);
    free(list);
    return status;
}

const spec_op spec_select_rows = {.name = "select_rows", .get_case = get_case, .check = check};
