/* spec_topk.c: the k largest elements of each row, in plain C. n: k; variant: by magnitude. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/spec.h"
#include "spec/shared/stored.h"

/* Rows, columns, k. */
static const int64_t sizes[][3] = {
    {0, 0, 0},    {0, 5, 2},   {4, 0, 3},    {3, 4, 0},    {1, 1, 1},     {5, 7, 9},     {9, 63, 5},
    {17, 64, 64}, {3, 129, 1}, {20, 300, 7}, {6, 700, 30}, {2, 900, 450}, {300, 500, 12}};
#define N_SIZES     (int)(sizeof sizes / sizeof sizes[0])
#define SMALL_SIZES 10
/* UNIFORM: all different; RAGGED: five numbers; ONE_ROW: ascending; ONE_COL: descending; DUPLICATE:
 * equal, but for a NaN, infinities and zeros of both signs; DIAGONAL: numbers near to one another.
 */

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F16, SPARCL_F64, SPARCL_BF16};
    const int kinds = (int)SPEC_KINDS, size = i / kinds;
    if (size >= (small ? SMALL_SIZES : N_SIZES)) return false;
    *c = (spec_case){.kind = (spec_kind)(i % kinds),
                     .rows = sizes[size][0],
                     .cols = sizes[size][1],
                     .n = sizes[size][2],
                     .dtype = types[(i + size) % 4],
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 5 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 1,
                     .variant = i / 2 % 2};
    return true;
}

static double pick(const spec_case *c, int64_t i, int64_t j, uint64_t *seed) {
    static const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
    const double x = spec_uniform(seed);
    switch (c->kind) {
    case SPEC_RAGGED:
        return trunc(x * 3) / 4;
    case SPEC_ONE_ROW:
        return (double)(j - 50) / 8;
    case SPEC_ONE_COL:
        return (double)(50 - j) / 8;
    case SPEC_DUPLICATE:
        return spec_random(seed) % 8 ? 0.5 : special[spec_random(seed) % 5];
    case SPEC_DIAGONAL:
        return ((double)i - 2) * 0.25 + x * 0x1p-12;
    default:
        return x;
    }
}

static double key_of(const spec_case *c, double x) {
    return c->variant ? fabs(x) : x;
}

/* Does element a of a row come before b? */
static bool is_better(const spec_case *c, const double *row, int64_t a, int64_t b) {
    const double x = key_of(c, row[a]), y = key_of(c, row[b]);
    if (isnan(x) || isnan(y)) return isnan(x) && (!isnan(y) || a < b);
    return x > y || (x == y && a < b);
}

/* An element is taken where fewer than k come before it. */
static void select(const spec_case *c, const double *row, int64_t k, int64_t *cols,
                   double *values) {
    int64_t found = 0;
    for (int64_t j = 0; j < c->cols && found < k; ++j) {
        int64_t before = 0;
        for (int64_t i = 0; i < c->cols && before < k; ++i)
            before += is_better(c, row, i, j);
        if (before >= k) continue;
        cols[found] = j;
        values[found++] = row[j];
    }
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, const double *x, int64_t ld,
                         spec_matrix *got) {
    sparcl_dense from = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->cols}, .ld = ld};
    sparcl_csr to = {.rows = c->rows,
                     .cols = c->cols,
                     .nnz = got->nnz,
                     .dtype = c->dtype,
                     .offset_type = c->offset_type,
                     .index_type = c->index_type};
    sparcl_status status = spec_put_dense(ctx, &from, x, c->rows * ld);
    if (status == SPARCL_OK) status = sparcl_csr_create(ctx, &to);
    if (status == SPARCL_OK)
        status = sparcl_topk_rows(ctx, &to, &from, c->n,
                                  c->variant ? SPARCL_TOPK_MAGNITUDE : SPARCL_TOPK_VALUE);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, to.offsets, 0, c->rows + 1, c->offset_type, got->offsets);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, to.indices, 0, got->nnz, c->index_type, got->indices);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, to.values, to.values_at, got->nnz, c->dtype, got->values);
    sparcl_dense_free(&from);
    sparcl_csr_free(&to);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    const int64_t k = c->n < c->cols ? c->n : c->cols, ld = c->cols + (int64_t)c->seed % 3;
    spec_matrix got = {0}, want = {0};
    double *const x = calloc((size_t)(c->rows * ld) + 1, sizeof *x);
    uint64_t seed = c->seed;
    const bool ready = x && spec_matrix_alloc(&got, c->rows, c->cols, c->rows * k) &&
                       spec_matrix_alloc(&want, c->rows, c->cols, c->rows * k);
    *report =
        (spec_report){.equal = true,
                      .bytes = (double)sparcl_dtype_size(c->dtype) * (double)(c->rows * c->cols),
                      .zeros_expected = true};
    for (int64_t i = 0; ready && i < c->rows; ++i) {
        for (int64_t j = 0; j < ld; ++j)
            x[i * ld + j] = spec_store(c->dtype, j < c->cols ? pick(c, i, j, &seed) : 1e4);
        select(c, x + i * ld, k, want.indices + i * k, want.values + i * k);
        want.offsets[i + 1] = (i + 1) * k;
    }
    const sparcl_status status = ready ? run(ctx, c, x, ld, &got) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "offsets", got.offsets, want.offsets, c->rows + 1);
        spec_compare_ints(report, "indices", got.indices, want.indices, want.nnz);
        spec_compare(report, "values", got.values, want.values, NULL, NULL, want.nnz);
    }
    spec_matrix_free(&got);
    spec_matrix_free(&want);
    free(x);
    return status;
}

const spec_op spec_topk = {.name = "topk", .get_case = get_case, .check = check};
