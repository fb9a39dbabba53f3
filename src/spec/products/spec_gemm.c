/* spec_gemm.c: dense products in plain C. Variant: 1 for the transpose of A, + 2 for that of B. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"

/* Sizes m, n, k: around tile and vector sizes, and around blocks of 256. */
static const int64_t sizes[][3] = {
    {0, 3, 3},     {3, 0, 3},       {3, 3, 0},     {4, 1, 0},    {1, 1, 1},      {1, 7, 5},
    {5, 1, 9},     {16, 1, 8},      {33, 1, 300},  {2, 2, 2},    {3, 5, 255},    {7, 33, 257},
    {17, 16, 20},  {64, 64, 16},    {65, 63, 33},  {4, 32, 256}, {37, 100, 515}, {9, 300, 70},
    {300, 8, 100}, {130, 128, 700}, {700, 1, 2000}};
#define SMALL_SIZES 15

/* F16 and BF16: all transpositions, one column and several, several blocks. */
#define HALVES 16

static bool get_half(int i, spec_case *c) {
    if (i >= HALVES) return false;
    *c = (spec_case){.rows = 2 + i * 23 % 80,
                     .n = i / 8 ? 1 : 3 + i * 11 % 64,
                     .cols = 40 + i * 67 % 500,
                     .dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .alpha = i % 5 ? 1 : -0.5,
                     .beta = i % 3 ? 0 : 0.5,
                     .seed = (uint64_t)i + 7001,
                     .variant = i / 2 % 4};
    return true;
}

/* Other shapes, alternately with one and several columns, cycling through all transpositions. */
static bool get_more(int i, spec_case *c) {
    if (i >= 56) return get_half(i - 56, c);
    *c = (spec_case){.rows = 1 + i * 11 % 90,
                     .n = i % 2 ? 1 : 2 + i * 5 % 70,
                     .cols = 1 + i * 37 % 300,
                     .dtype = i % 7 == 5 ? SPARCL_F64 : SPARCL_F32,
                     .alpha = 1,
                     .beta = i % 3 ? 0 : 0.5,
                     .seed = (uint64_t)i + 1001,
                     .variant = i / 2 % 4};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = small ? SMALL_SIZES : (int)(sizeof sizes / sizeof sizes[0]);
    const int variants = small ? 4 : 8, size = i / variants, variant = i % variants;
    const int more = i - n_sizes * variants;
    static const double alphas[] = {1, -0.5, 1, 2.5, 0}, betas[] = {0, 1, 0.25};
    if (more >= 0) return get_more(more, c);
    *c = (spec_case){.rows = sizes[size][0],
                     .n = sizes[size][1],
                     .cols = sizes[size][2],
                     .dtype = variant >= 4 || (small && size % 5 == 3) ? SPARCL_F64 : SPARCL_F32,
                     .alpha = alphas[i % 5],
                     .beta = betas[i % 3],
                     .seed = (uint64_t)i + 1,
                     .variant = variant % 4};
    if (c->alpha == 0) c->beta = 1; /* else C would be 0 */
    return true;
}

/* A dense matrix with gaps between its rows, which must stay unchanged. */
typedef struct matrix {
    int64_t rows, cols, ld;
    double *x;
} matrix;

static bool make_matrix(matrix *m, sparcl_dtype dtype, int64_t rows, int64_t cols, uint64_t seed) {
    *m = (matrix){rows, cols, cols + 3, NULL};
    m->x = spec_stored_numbers(dtype, rows * m->ld, seed);
    return m->x != NULL;
}

typedef struct arrays {
    matrix a, b, c;
    double *order, *truth, *bound;
} arrays;

static void drop(arrays *x) {
    free(x->a.x);
    free(x->b.x);
    free(x->c.x);
    free(x->order);
    free(x->truth);
    free(x->bound);
}

static bool make(arrays *x, const spec_case *c) {
    const int64_t m = c->rows, n = c->n, k = c->cols;
    const bool ta = c->variant & 1, tb = c->variant & 2;
    if (!make_matrix(&x->a, c->dtype, ta ? k : m, ta ? m : k, c->seed) ||
        !make_matrix(&x->b, c->dtype, tb ? n : k, tb ? k : n, c->seed + 1) ||
        !make_matrix(&x->c, c->dtype, m, n, c->seed + 2))
        return false;
    const int64_t count = m * x->c.ld;
    x->order = spec_stored_numbers(c->dtype, count, c->seed + 2);
    x->truth = spec_stored_numbers(c->dtype, count, c->seed + 2);
    x->bound = calloc((size_t)count + 1, sizeof(double));
    for (int64_t i = 0; c->beta == 0 && i < count; ++i)
        if (i % x->c.ld < n) x->c.x[i] = NAN; /* C is not read where beta is 0 */
    return x->order && x->truth && x->bound;
}

static void answer(arrays *x, const spec_case *c, int64_t i, int64_t j, double *row) {
    const bool ta = c->variant & 1, tb = c->variant & 2;
    const int64_t b_step = tb ? 1 : x->b.ld, at = i * x->c.ld + j;
    const double *const column = x->b.x + (tb ? j * x->b.ld : j);
    double truth = 0, magnitude = 0;
    for (int64_t k = 0; k < c->cols; ++k) {
        row[k] = ta ? x->a.x[k * x->a.ld + i] : x->a.x[i * x->a.ld + k];
        truth += row[k] * column[k * b_step];
        magnitude += fabs(row[k] * column[k * b_step]);
    }
    const double sum = spec_sum_products(c->dtype, row, column, b_step, c->cols, c->n == 1);
    const double old = c->beta == 0 ? 0 : x->c.x[at];
    const double product = spec_round(c->dtype, c->alpha * sum);
    x->order[at] = c->beta == 0
                       ? product
                       : spec_round(c->dtype, product + spec_round(c->dtype, c->beta * old));
    x->truth[at] = c->alpha * truth + c->beta * old;
    x->bound[at] = (spec_depth(c->cols, c->n == 1) + spec_depth_scaling(c->alpha, c->beta)) *
                   spec_unit(c->dtype) * (fabs(c->alpha) * magnitude + fabs(c->beta * old)) *
                   SPEC_SECOND_ORDER;
    spec_store_answer(c->dtype, &x->order[at], x->truth[at], &x->bound[at]);
}

static bool answers(arrays *x, const spec_case *c) {
    double *row = malloc((size_t)(c->cols + 1) * sizeof *row);
    for (int64_t i = 0; row && i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j)
            answer(x, c, i, j, row);
    free(row);
    return row != NULL;
}

static sparcl_status put_matrix(sparcl_ctx *ctx, sparcl_dense *view, const matrix *m,
                                sparcl_dtype dtype) {
    *view = (sparcl_dense){.rank = 2, .dtype = dtype, .shape = {m->rows, m->cols}, .ld = m->ld};
    return spec_put_dense(ctx, view, m->x, m->rows * m->ld);
}

/* The result overwrites C. */
static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    sparcl_dense out = {0}, a = {0}, b = {0};
    const sparcl_op op_a = c->variant & 1 ? SPARCL_OP_T : SPARCL_OP_N;
    const sparcl_op op_b = c->variant & 2 ? SPARCL_OP_T : SPARCL_OP_N;
    sparcl_status status = put_matrix(ctx, &a, &x->a, c->dtype);
    if (status == SPARCL_OK) status = put_matrix(ctx, &b, &x->b, c->dtype);
    if (status == SPARCL_OK) status = put_matrix(ctx, &out, &x->c, c->dtype);
    if (status == SPARCL_OK)
        status = sparcl_gemm(ctx, &out, c->alpha, op_a, &a, op_b, &b, c->beta, SPARCL_MATH_EXACT);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, out.values, out.values_at, c->rows * out.ld, c->dtype, x->c.x);
    sparcl_buf_free(a.values);
    sparcl_buf_free(b.values);
    sparcl_buf_free(out.values);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {0};
    const double m = (double)c->rows, n = (double)c->n, k = (double)c->cols;
    *report = (spec_report){.equal = true,
                            .flops = 2 * m * n * k,
                            .bytes = (m * k + k * n + m * n * (c->beta != 0 ? 2 : 1)) *
                                     (double)sparcl_dtype_size(c->dtype)};
    sparcl_status status = make(&x, c) && answers(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK)
        spec_compare(report, "C", x.c.x, x.order, x.truth, x.bound, c->rows * x.c.ld);
    drop(&x);
    return status;
}

const spec_op spec_gemm = {.name = "gemm", .get_case = get_case, .check = check};
