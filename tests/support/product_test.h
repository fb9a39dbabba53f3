/* product_test.h: products of a small sparse matrix, checked against rule S. */
#ifndef TESTS_PRODUCT_TEST_H
#define TESTS_PRODUCT_TEST_H

#include "op_test.h"

/* C := A * B, or with transpose(A). B and C have gaps between their rows; each array has capacity
 * for elements of 8 bytes. */
typedef struct product {
    spec_matrix matrix;
    bool transposed;
    sparcl_csr a;
    sparcl_dense b, c;
    float *b_host, *c_host; /* what B and C hold at first */
} product;

/* Takes over the matrix. */
static inline product product_of(sparcl_ctx *ctx, const spec_matrix *matrix, int64_t n,
                                 bool transposed, sparcl_itype offset_type,
                                 sparcl_itype index_type) {
    const int64_t inner = transposed ? matrix->rows : matrix->cols;
    const int64_t outer = transposed ? matrix->cols : matrix->rows;
    product p = {.matrix = *matrix,
                 .transposed = transposed,
                 .b = {.rank = 2, .shape = {inner, n}, .ld = n + 1},
                 .c = {.rank = 2, .shape = {outer, n}, .ld = n + 2}};
    assert_ok(ctx, spec_put_csr(ctx, &p.a, &p.matrix, SPARCL_F32, offset_type, index_type));
    p.b_host = make_floats(dense_capacity(&p.b), 71);
    p.c_host = make_floats(dense_capacity(&p.c), 72);
    p.b.values = put_spare(ctx, p.b_host, dense_capacity(&p.b));
    p.c.values = put_spare(ctx, p.c_host, dense_capacity(&p.c));
    return p;
}

static inline product product_make(sparcl_ctx *ctx, spec_kind kind, int64_t rows, int64_t cols,
                                   int64_t nnz, int64_t n, bool transposed) {
    spec_matrix matrix;
    assert_true(spec_matrix_make(&matrix, kind, rows, cols, nnz, (uint64_t)(rows + nnz)));
    return product_of(ctx, &matrix, n, transposed, SPARCL_INDEX32, SPARCL_INDEX32);
}

static inline void product_free(product *p) {
    spec_matrix_free(&p->matrix);
    sparcl_csr_free(&p->a);
    sparcl_dense_free(&p->b);
    sparcl_dense_free(&p->c);
    free(p->b_host);
    free(p->c_host);
}

/* C := alpha * A * B + beta * C, or with transpose(A). */
static inline sparcl_status multiply(sparcl_ctx *ctx, const product *p, double alpha, double beta) {
    return p->transposed ? sparcl_spmm_t(ctx, &p->c, alpha, &p->a, &p->b, beta, NULL)
                         : sparcl_spmm(ctx, &p->c, alpha, &p->a, &p->b, beta);
}

/* C as rule S makes it from what it held at first, gaps and all. */
static inline double *product_order(const product *p, double alpha, double beta) {
    const int64_t count = dense_capacity(&p->c);
    const spec_case c = {.n = p->c.shape[1], .alpha = alpha, .beta = beta};
    spec_matrix transposed = {0};
    double *b = widen(p->b_host, dense_capacity(&p->b)), *old = widen(p->c_host, count);
    double *order = widen(p->c_host, count), *truth = widen(p->c_host, count);
    double *bound = widen(p->c_host, count);
    if (p->transposed) assert_true(spec_matrix_transpose(&transposed, &p->matrix));
    assert_true(spec_product(&c, p->transposed ? &transposed : &p->matrix, b, p->b.ld, old, p->c.ld,
                             order, truth, bound));
    spec_matrix_free(&transposed);
    free(b);
    free(old);
    free(truth);
    free(bound);
    return order;
}

/* C on the device holds the bits of rule S, and its gaps stay. */
static inline void assert_product(sparcl_ctx *ctx, const product *p, double alpha, double beta) {
    const int64_t count = dense_capacity(&p->c);
    spec_report report = {.equal = true, .zeros_expected = true}; /* some tests are about zeros */
    double *order = product_order(p, alpha, beta);
    double *got = must_have(calloc((size_t)count + 1, sizeof *got));
    assert_ok(ctx, spec_get_reals(ctx, p->c.values, p->c.values_at, count, SPARCL_F32, got));
    spec_compare(&report, "C", got, order, NULL, NULL, count);
    if (!report.equal) fail_msg("%s", report.why);
    free(order);
    free(got);
}

/* Kernels for wide cores, with the defaults. */
static inline sparcl_ctx *open_wide(void) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    desc.device_class = SPARCL_CLASS_CPU;
    desc.tuning = "";
    assert_int_equal(sparcl_ctx_open(&ctx, &desc, NULL), SPARCL_OK);
    return ctx;
}

static inline sparcl_pattern *pattern_of(sparcl_ctx *ctx, const sparcl_csr *a) {
    sparcl_pattern *pattern = NULL;
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    if (a) assert_ok(ctx, sparcl_pattern_build(ctx, pattern, a));
    return pattern;
}

/* The matrix lies in the middle of larger buffers, and nnz is more than it has: what lies
 * behind its last entry would lead out of B. Free the indices and values of A. */
static inline product with_room_behind(sparcl_ctx *ctx, const product *p, int64_t entries) {
    const int64_t capacity = entries + 190;
    int32_t *indices = must_have(calloc((size_t)capacity, sizeof *indices));
    float *values = must_have(calloc((size_t)capacity, sizeof *values));
    for (int64_t i = 0; i < capacity; ++i) {
        const bool inside = i >= 7 && i < entries + 7;
        indices[i] = inside ? (int32_t)p->matrix.indices[i - 7] : i % 2 ? -5 : 1 << 30;
        values[i] = inside ? (float)p->matrix.values[i - 7] : NAN;
    }
    product q = *p;
    q.a.indices = put(ctx, indices, capacity * 4);
    q.a.values = put(ctx, values, capacity * 4);
    q.a.indices_at = q.a.values_at = 7;
    q.a.nnz = capacity - 10;
    free(indices);
    free(values);
    return q;
}

/* The columns of a matrix that have entries; returns how many. */
static inline int64_t find_columns(const spec_matrix *m, int64_t *columns) {
    bool *const seen = must_have(calloc((size_t)m->cols + 1, sizeof *seen));
    int64_t found = 0;
    for (int64_t k = 0; k < m->nnz; ++k)
        seen[m->indices[k]] = true;
    for (int64_t c = 0; c < m->cols; ++c)
        if (seen[c]) columns[found++] = c;
    free(seen);
    return found;
}

#endif
