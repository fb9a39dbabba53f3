/* spec_spmm_t.c: products with the transpose in plain C. Variant 0: dense; 1: dense, with a
 * pattern; 2: row-sparse; 3: row-sparse, with a pattern. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"
#include "spec/shared/stored.h"

static const int64_t widths[] = {1, 2, 3, 5, 8, 17, 32, 64, 100, 128, 300};

/* Rows, cols, nnz of A; many entries in few columns make sums of several blocks. */
static const int64_t sizes[][3] = {
    {0, 0, 0},   {0, 5, 0},     {4, 0, 0},      {3, 3, 0},        {1, 1, 1},
    {9, 14, 20}, {37, 23, 200}, {300, 5, 1500}, {50, 70000, 900}, {2000, 300, 20000}};

/* Long ranges of columns without entries, longer than the loop limit of any device: C is written,
 * and mostly 0. */
#define MORE 6

static bool get_more(int i, bool small, spec_case *c) {
    static const spec_kind kinds[] = {SPEC_ONE_COL, SPEC_DIAGONAL, SPEC_UNIFORM};
    if (i >= MORE) return false;
    *c = (spec_case){.kind = kinds[i % 3],
                     .rows = 40 + i,
                     .cols = small ? 700 : 150000 + i,
                     .nnz = 100,
                     .n = 1 + i / 3,
                     .alpha = 1,
                     .variant = i / 2 % 2,
                     .seed = (uint64_t)i + 5001};
    return true;
}

/* Small matrices with a row-sparse product without a pattern, every second one with one column. */
#define UNPREPARED 56

static bool get_unprepared(int i, spec_case *c) {
    static const int64_t some[] = {2, 3, 4, 8, 16, 17, 31, 32};
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_RAGGED, SPEC_DUPLICATE, SPEC_UNIFORM,
                                      SPEC_ONE_COL};
    if (i >= UNPREPARED) return false;
    *c = (spec_case){.kind = kinds[i % 5],
                     .rows = 3 + i * 11 % 47,
                     .cols = 4 + i * 7 % 61,
                     .nnz = 70 + i * 29 % 300,
                     .n = i % 2 ? 1 : some[i / 2 % 8],
                     .dtype = i % 9 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 7 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 11 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = i % 3 ? 1 : -0.5,
                     .variant = 2,
                     .seed = (uint64_t)i + 6001};
    return true;
}

/* F16 and BF16: all variants and widths. */
#define HALVES 22

static bool get_half(int i, spec_case *c) {
    static const int64_t shapes[][3] = {{37, 23, 200}, {300, 9, 2500}, {50, 120, 900}};
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_ONE_COL, SPEC_RAGGED, SPEC_DUPLICATE};
    const int64_t *const shape = shapes[i % 3];
    if (i >= HALVES) return false;
    *c = (spec_case){.kind = kinds[i / 2 % 4],
                     .rows = shape[0],
                     .cols = shape[1],
                     .nnz = shape[2],
                     .n = widths[i / 2 % 11],
                     .dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .alpha = i % 5 ? 1 : -0.5,
                     .variant = i / 2 % 4,
                     .seed = (uint64_t)i + 7001};
    if (c->variant < 2 && (i % 5 == 1 || kinds[i / 2 % 4] == SPEC_ONE_COL)) c->beta = 0.25;
    return true;
}

/* Enough entries for CPUs to add them without a pattern. */
#define LARGE 7

static bool get_large(int i, bool small, spec_case *c) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F32, SPARCL_F16};
    if (small || i >= LARGE) return false;
    *c = (spec_case){.kind = i % 3 == 1 ? SPEC_RAGGED : SPEC_UNIFORM,
                     .rows = 250,
                     .cols = 900,
                     .nnz = 70000 + i,
                     .n = INT64_C(1) << i % 5,
                     .dtype = dtypes[i % 4],
                     .offset_type = i % 2 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 3 ? SPARCL_I32 : SPARCL_I64,
                     .alpha = i % 3 ? 1 : -0.5,
                     .beta = i % 2 ? 0.25 : 0,
                     .seed = (uint64_t)i + 8001};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int more = i - n_sizes * n_widths * 2;
    if (more >= 0)
        return get_more(more, small, c) || get_unprepared(more - MORE, c) ||
               get_half(more - MORE - UNPREPARED, c) ||
               get_large(more - MORE - UNPREPARED - HALVES, small, c);
    const int64_t *size = sizes[i / 2 / n_widths];
    static const double alphas[] = {1, -2, 0.5}, betas[] = {0, 0.5, 1, 0};
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i / 2 % n_widths],
                     .dtype = i % 7 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 5 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = alphas[i % 3],
                     .beta = i % 2 ? 0 : betas[i / 2 % 4],
                     .variant = i % 2 * 2 + i / 2 % 2,
                     .seed = (uint64_t)i + 9};
    if (c->variant < 2 && c->nnz > 0 && c->cols > 2 * c->nnz)
        c->beta = 0.5; /* otherwise most of C would be 0 */
    return true;
}

typedef struct arrays {
    spec_matrix a, t;
    double *b, *c, *got, *order, *truth, *bound;
} arrays;

static void drop(arrays *x) {
    spec_matrix_free(&x->a);
    spec_matrix_free(&x->t);
    double *const all[] = {x->b, x->c, x->got, x->order, x->truth, x->bound};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

static bool make(arrays *x, const spec_case *c) {
    const int64_t count = c->cols * c->n;
    if (!spec_matrix_make(&x->a, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    spec_make_storable(c->dtype, x->a.values, x->a.nnz);
    if (!spec_matrix_transpose(&x->t, &x->a)) return false;
    x->b = spec_stored_numbers(c->dtype, c->rows * c->n, c->seed + 1);
    x->c = spec_stored_numbers(c->dtype, count, c->seed + 2);
    x->got = spec_numbers(count, 0);
    x->order = spec_numbers(count, 0);
    x->truth = spec_numbers(count, 0);
    x->bound = spec_numbers(count, 0);
    return x->b && x->c && x->got && x->order && x->truth && x->bound &&
           spec_product(c, &x->t, x->b, c->n, x->c, c->n, x->order, x->truth, x->bound);
}

static sparcl_status run_dense(sparcl_ctx *ctx, const spec_case *c, const sparcl_csr *a,
                               const sparcl_dense *b, sparcl_pattern *pattern, arrays *x,
                               spec_report *report) {
    sparcl_dense out = {.rank = 2, .dtype = c->dtype, .shape = {c->cols, c->n}};
    sparcl_status status = spec_put_dense(ctx, &out, x->c, c->cols * c->n);
    if (status == SPARCL_OK) status = sparcl_spmm_t(ctx, &out, c->alpha, a, b, c->beta, pattern);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, out.values, out.values_at, c->cols * c->n, c->dtype, x->got);
    if (status == SPARCL_OK)
        spec_compare(report, "C", x->got, x->order, x->truth, x->bound, c->cols * c->n);
    sparcl_buf_free(out.values);
    return status;
}

/* The result's rows must be the columns of A that have entries, in order; the rest of the capacity
 * stays unused. */
static void compare_rows(const spec_case *c, arrays *x, const int64_t *ids, int64_t count,
                         spec_report *report) {
    int64_t u = 0, expected = 0;
    for (int64_t row = 0; row < c->cols; ++row)
        expected += x->t.offsets[row + 1] > x->t.offsets[row];
    spec_compare_ints(report, "count", &count, &expected, 1);
    for (int64_t row = 0; row < c->cols && report->equal; ++row) {
        if (x->t.offsets[row + 1] == x->t.offsets[row]) continue;
        spec_compare_ints(report, "index", &ids[u], &row, 1);
        spec_compare(report, "row", x->got + u * c->n, x->order + row * c->n, x->truth + row * c->n,
                     x->bound + row * c->n, c->n);
        ++u;
    }
}

static sparcl_status run_rows(sparcl_ctx *ctx, const spec_case *c, const sparcl_csr *a,
                              const sparcl_dense *b, sparcl_pattern *pattern, arrays *x,
                              spec_report *report) {
    const int64_t capacity = c->cols < a->nnz ? c->cols : a->nnz;
    sparcl_rows out = {.rank = 2,
                       .dtype = c->dtype,
                       .index_type = c->index_type,
                       .shape = {c->cols, c->n},
                       .nnr = capacity};
    int64_t *ids = calloc((size_t)capacity + 1, sizeof *ids), count = -1;
    sparcl_status status = ids ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &out.values,
                                   capacity * c->n * (int64_t)sparcl_dtype_size(c->dtype));
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &out.indices,
                                   capacity * (int64_t)sparcl_itype_size(c->index_type));
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &out.count, 8);
    if (status == SPARCL_OK) status = sparcl_spmm_t_rows(ctx, &out, c->alpha, a, b, pattern);
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, out.count, 0, 8, &count);
    if (status == SPARCL_OK && count >= 0 && count <= capacity) {
        status = spec_get_ints(ctx, out.indices, 0, count, c->index_type, ids);
        if (status == SPARCL_OK)
            status = spec_get_reals(ctx, out.values, out.values_at, count * c->n, c->dtype, x->got);
    }
    if (status == SPARCL_OK) compare_rows(c, x, ids, count, report);
    sparcl_buf_free(out.values);
    sparcl_buf_free(out.indices);
    sparcl_buf_free(out.count);
    free(ids);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x, spec_report *report) {
    sparcl_csr a = {0};
    sparcl_dense b = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->n}};
    sparcl_pattern *pattern = NULL;
    sparcl_status status =
        spec_put_csr_within(ctx, &a, &x->a, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &b, x->b, c->rows * c->n);
    if (status == SPARCL_OK && c->variant % 2) {
        status = sparcl_pattern_create(ctx, &pattern);
        if (status == SPARCL_OK) status = sparcl_pattern_build(ctx, pattern, &a);
    }
    if (status == SPARCL_OK)
        status = (c->variant < 2 ? run_dense : run_rows)(ctx, c, &a, &b, pattern, x, report);
    sparcl_pattern_free(pattern);
    sparcl_csr_free(&a);
    sparcl_buf_free(b.values);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {0};
    *report = (spec_report){.equal = true, .flops = 2.0 * (double)(c->nnz * c->n)};
    report->zeros_expected = c->nnz == 0 || (c->beta == 0 && c->cols > 2 * c->nnz);
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = run(ctx, c, &x, report);
    drop(&x);
    return status;
}

const spec_op spec_spmm_t = {.name = "spmm_t", .get_case = get_case, .check = check};
