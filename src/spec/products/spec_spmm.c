/* spec_spmm.c: C := alpha * A * B + beta * C in plain C. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"
#include "spec/shared/stored.h"

static const int64_t widths[] = {1, 2, 3, 5, 8, 17, 32, 64, 100, 128, 300};

/* Sizes: rows, cols, nnz. The last ones test partitions that begin and end inside of rows. */
static const int64_t sizes[][3] = {{0, 0, 0},      {0, 5, 0},      {4, 0, 0},       {3, 3, 0},
                                   {1, 1, 1},      {1, 7, 5},      {9, 4, 20},      {37, 23, 200},
                                   {5, 300, 1500}, {700, 50, 900}, {300, 200, 6000}};

/* F16 and BF16: all widths, with rows of several blocks, which several partitions share. */
#define HALVES 22

static bool get_half(int i, spec_case *c) {
    static const int64_t shapes[][3] = {{37, 23, 200}, {9, 300, 2500}, {120, 50, 900}};
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_ONE_ROW, SPEC_RAGGED, SPEC_DUPLICATE};
    const int64_t *const shape = shapes[i % 3];
    if (i >= HALVES) return false;
    *c = (spec_case){.kind = kinds[i / 2 % 4],
                     .rows = shape[0],
                     .cols = shape[1],
                     .nnz = shape[2],
                     .n = widths[i / 2 % 11],
                     .dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .alpha = i % 5 ? 1 : -0.5,
                     .beta = i % 3 && kinds[i / 2 % 4] == SPEC_UNIFORM ? 0 : 0.25,
                     .seed = (uint64_t)i + 7001};
    return true;
}

/* B has few rows, each read at least nine times; some rows of A are longer than a block. */
#define MORE 36

static bool get_more(int i, spec_case *c) {
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_ONE_ROW, SPEC_DUPLICATE};
    const int64_t cols = 28 + i % 24;
    if (i >= MORE) return get_half(i - MORE, c);
    *c = (spec_case){.kind = kinds[i % 3],
                     .rows = 20 + i * 7 % 50,
                     .cols = cols,
                     .nnz = cols * (9 + i % 11),
                     .n = i % 4 == 3 ? 1 + i % 17 : 100 + i * 13 % 200,
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 7 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 11 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = i % 2 ? 1 : -0.5,
                     .beta = i % 3 == 1 || i % 2 ? 0.25 : 0,
                     .seed = (uint64_t)i + 5001};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int total = n_sizes * n_widths;
    if (i >= total) return get_more(i - total, c);
    const int64_t *size = sizes[i / n_widths];
    static const double alphas[] = {1, 1, -0.5, 2.5}, betas[] = {0, 1, 0.25, 0};
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i % n_widths],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = alphas[i % 4],
                     .beta = betas[i / 2 % 4],
                     .seed = (uint64_t)i + 1};
    if (c->kind == SPEC_ONE_ROW && c->rows > 1 && c->beta == 0)
        c->beta = 0.25; /* otherwise the other rows of C would be 0 */
    return true;
}

typedef struct arrays {
    spec_matrix a;
    double *b, *c, *got, *order, *truth, *bound;
} arrays;

static void drop(arrays *x) {
    spec_matrix_free(&x->a);
    free(x->b);
    free(x->c);
    free(x->got);
    free(x->order);
    free(x->truth);
    free(x->bound);
}

/* B and C have a leading dimension of n + 3: the gaps between rows must stay unchanged. */
static int64_t ld_of(const spec_case *c) {
    return c->n + 3;
}

static bool make(arrays *x, const spec_case *c) {
    const int64_t count = c->rows * ld_of(c);
    if (!spec_matrix_make(&x->a, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    spec_make_storable(c->dtype, x->a.values, x->a.nnz);
    x->b = spec_stored_numbers(c->dtype, c->cols * ld_of(c), c->seed + 1);
    x->c = spec_stored_numbers(c->dtype, count, c->seed + 2);
    x->got = spec_numbers(count, 0);
    x->order = spec_stored_numbers(c->dtype, count, c->seed + 2);
    x->truth = spec_stored_numbers(c->dtype, count, c->seed + 2);
    x->bound = calloc((size_t)count + 1, sizeof(double));
    for (int64_t i = 0; c->beta == 0 && x->c && i < count; ++i)
        if (i % ld_of(c) < c->n) x->c[i] = NAN; /* C is not read where beta is 0 */
    return x->b && x->c && x->got && x->order && x->truth && x->bound;
}

/* One element of C: the sum by rule S, and the sum in double with the bound of docs/numerics.md. */
static void answer(const spec_case *c, const double *values, const double *terms, int64_t length,
                   double old, double *order, double *truth, double *bound) {
    double exact = 0, magnitude = 0;
    for (int64_t k = 0; k < length; ++k) {
        exact += values[k] * terms[k];
        magnitude += fabs(values[k] * terms[k]);
    }
    const double sum = spec_sum_products(c->dtype, values, terms, 1, length, c->n == 1);
    const double product = spec_round(c->dtype, c->alpha * sum);
    if (c->beta == 0) old = 0; /* C may hold NaN, and is not read */
    *order = c->beta == 0 ? product
                          : spec_round(c->dtype, product + spec_round(c->dtype, c->beta * old));
    *truth = c->alpha * exact + c->beta * old;
    *bound = (spec_depth(length, c->n == 1) + spec_depth_scaling(c->alpha, c->beta)) *
             spec_unit(c->dtype) * (fabs(c->alpha) * magnitude + fabs(c->beta * old)) *
             SPEC_SECOND_ORDER;
    spec_store_answer(c->dtype, order, *truth, bound);
}

bool spec_product(const spec_case *c, const spec_matrix *a, const double *b, int64_t ldb,
                  const double *old, int64_t ldc, double *order, double *truth, double *bound) {
    double *terms = malloc((size_t)(a->nnz + 1) * sizeof *terms);
    for (int64_t row = 0; terms && row < a->rows; ++row) {
        const int64_t begin = a->offsets[row], length = a->offsets[row + 1] - begin;
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t at = row * ldc + j;
            for (int64_t k = 0; k < length; ++k)
                terms[k] = b[a->indices[begin + k] * ldb + j];
            answer(c, a->values + begin, terms, length, old[at], &order[at], &truth[at],
                   &bound[at]);
        }
    }
    free(terms);
    return terms != NULL;
}

static bool answers(arrays *x, const spec_case *c) {
    return spec_product(c, &x->a, x->b, ld_of(c), x->c, ld_of(c), x->order, x->truth, x->bound);
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    sparcl_csr a = {0};
    sparcl_dense b = {.rank = 2, .dtype = c->dtype, .shape = {c->cols, c->n}, .ld = ld_of(c)};
    sparcl_dense out = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->n}, .ld = ld_of(c)};
    sparcl_status status =
        spec_put_csr_within(ctx, &a, &x->a, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &b, x->b, c->cols * b.ld);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &out, x->c, c->rows * out.ld);
    if (status == SPARCL_OK) status = sparcl_spmm(ctx, &out, c->alpha, &a, &b, c->beta);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, out.values, out.values_at, c->rows * out.ld, c->dtype, x->got);
    sparcl_csr_free(&a);
    sparcl_buf_free(b.values);
    sparcl_buf_free(out.values);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {0};
    const double bytes = (double)(sparcl_dtype_size(c->dtype) + sparcl_itype_size(c->index_type));
    *report =
        (spec_report){.equal = true,
                      .flops = 2.0 * (double)c->nnz * (double)c->n,
                      .bytes = (double)c->nnz * bytes +
                               (double)(c->rows + 1) * (double)sparcl_itype_size(c->offset_type) +
                               (double)((c->rows * (c->beta != 0 ? 2 : 1) + c->cols) * c->n) *
                                   (double)sparcl_dtype_size(c->dtype)};
    report->zeros_expected = c->nnz == 0;
    sparcl_status status = make(&x, c) && answers(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK)
        spec_compare(report, "C", x.got, x.order, x.truth, x.bound, c->rows * ld_of(c));
    drop(&x);
    return status;
}

const spec_op spec_spmm = {"spmm", get_case, check};
