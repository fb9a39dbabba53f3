/* spec_sddmm.c: dot products at the entries of a sparse matrix in plain C. Variant 1: the view of A
 * has more capacity than entries; 2: x and y are vectors (n = 1). */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"

static const int64_t widths[] = {1, 3, 8, 16, 21, 64, 128, 300, 0};

/* Rows, columns and entries. */
static const int64_t sizes[][3] = {
    {0, 4, 0},     {4, 0, 0},      {3, 3, 0},      {1, 1, 1},       {9, 4, 20},
    {37, 23, 200}, {5, 300, 1500}, {900, 40, 700}, {300, 70, 3000}, {9000, 500, 40000}};

static sparcl_dtype dtype_of(int i) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F32, SPARCL_F16,
                                          SPARCL_BF16};
    return dtypes[i % 5];
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    if (i >= n_widths * n_sizes) return false;
    const int64_t *const size = sizes[i / n_widths];
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i % n_widths],
                     .dtype = dtype_of(i),
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = i % 4 ? 1 : -0.5,
                     .beta = i % 2 ? 0.25 : 0,
                     .variant = widths[i % n_widths] == 1 && i % 2 ? 2 : i / 3 % 2,
                     .seed = (uint64_t)i + 77};
    return true;
}

typedef struct arrays {
    spec_matrix a;
    int64_t capacity, ld;
    double *x, *y, *v, *got, *order, *truth, *bound;
} arrays;

static void drop(arrays *s) {
    double *const all[] = {s->x, s->y, s->v, s->got, s->order, s->truth, s->bound};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
    spec_matrix_free(&s->a);
}

static bool make(arrays *s, const spec_case *c) {
    if (!spec_matrix_make(&s->a, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    s->capacity = s->a.nnz + (c->variant == 1 ? s->a.nnz / 3 : 0);
    s->ld = c->n + (c->variant == 2 ? 1 : 3);
    s->x = spec_stored_numbers(c->dtype, c->rows * s->ld, c->seed + 1);
    s->y = spec_stored_numbers(c->dtype, c->cols * s->ld, c->seed + 2);
    s->v = spec_stored_numbers(c->dtype, s->capacity, c->seed + 3);
    s->got = spec_numbers(s->capacity, 0);
    s->order = calloc((size_t)s->capacity + 1, sizeof(double));
    s->truth = calloc((size_t)s->capacity + 1, sizeof(double));
    s->bound = calloc((size_t)s->capacity + 1, sizeof(double));
    for (int64_t k = 0; c->beta == 0 && s->v && k < s->capacity; ++k)
        s->v[k] = NAN; /* not read */
    return s->x && s->y && s->v && s->got && s->order && s->truth && s->bound;
}

static void answer_entry(arrays *s, const spec_case *c, int64_t k, const double *x,
                         const double *y) {
    const double old = c->beta == 0 ? 0 : c->beta * s->v[k];
    const double scaled =
        spec_round(c->dtype, c->alpha * spec_sum_products(c->dtype, x, y, 1, c->n, true));
    const double result =
        c->beta == 0 ? scaled : spec_round(c->dtype, scaled + spec_round(c->dtype, old));
    double exact = 0, magnitude = 0;
    for (int64_t j = 0; j < c->n; ++j) {
        exact += x[j] * y[j];
        magnitude += fabs(x[j] * y[j]);
    }
    s->order[k] = spec_store(c->dtype, result);
    s->truth[k] = c->alpha * exact + old;
    s->bound[k] = ((spec_depth(c->n, true) + spec_depth_scaling(c->alpha, c->beta)) *
                       spec_unit(c->dtype) * (fabs(c->alpha) * magnitude + fabs(old)) +
                   spec_store_error(c->dtype, s->truth[k])) *
                      SPEC_SECOND_ORDER +
                  spec_smallest(c->dtype);
}

static void answers(arrays *s, const spec_case *c) {
    for (int64_t row = 0; row < c->rows; ++row)
        for (int64_t k = s->a.offsets[row]; k < s->a.offsets[row + 1]; ++k)
            answer_entry(s, c, k, s->x + row * s->ld, s->y + s->a.indices[k] * s->ld);
}

static sparcl_status put_csr(sparcl_ctx *ctx, sparcl_csr *a, const arrays *s, const spec_case *c) {
    spec_matrix larger = s->a;
    larger.nnz = s->capacity;
    larger.indices = calloc((size_t)s->capacity + 1, sizeof *larger.indices);
    larger.values = calloc((size_t)s->capacity + 1, sizeof *larger.values);
    sparcl_status status = SPARCL_E_MEMORY;
    if (larger.indices && larger.values) {
        for (int64_t k = 0; k < s->a.nnz; ++k)
            larger.indices[k] = s->a.indices[k];
        status = spec_put_csr_within(ctx, a, &larger, c->dtype, c->offset_type, c->index_type);
    }
    free(larger.indices);
    free(larger.values);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *s) {
    const int rank = c->variant == 2 ? 1 : 2;
    sparcl_csr a = {0};
    sparcl_dense x = {.rank = rank, .dtype = c->dtype, .shape = {c->rows, c->n}, .ld = s->ld};
    sparcl_dense y = {.rank = rank, .dtype = c->dtype, .shape = {c->cols, c->n}, .ld = s->ld};
    sparcl_dense v = {.rank = 1, .dtype = c->dtype, .shape = {s->capacity}};
    sparcl_status status = put_csr(ctx, &a, s, c);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &x, s->x, c->rows * s->ld);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &y, s->y, c->cols * s->ld);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &v, s->v, s->capacity);
    if (status == SPARCL_OK) status = sparcl_sddmm(ctx, &v, c->alpha, &a, &x, &y, c->beta);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v.values, v.values_at, s->capacity, c->dtype, s->got);
    sparcl_csr_free(&a);
    sparcl_dense_free(&x);
    sparcl_dense_free(&y);
    sparcl_dense_free(&v);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays s = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    const double size = (double)sparcl_dtype_size(c->dtype);
    *report = (spec_report){.equal = true,
                            .flops = 2.0 * (double)(c->nnz * c->n),
                            .bytes = (double)((c->rows + c->cols) * c->n + c->nnz) * size,
                            .zeros_expected = c->n == 0};
    if (make(&s, c)) {
        answers(&s, c);
        status = run(ctx, c, &s);
    }
    if (status == SPARCL_OK)
        spec_compare(report, "v", s.got, s.order, s.truth, s.bound, s.capacity);
    drop(&s);
    return status;
}

const spec_op spec_sddmm = {.name = "sddmm", .get_case = get_case, .check = check};
