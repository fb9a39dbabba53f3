/* product_test.h: products of a small sparse matrix, checked against rule S, and ways of breaking
 * them. */
#ifndef TESTS_PRODUCT_TEST_H
#define TESTS_PRODUCT_TEST_H

#include "op_test.h"

/* C := A * B, or with transpose(A). B and C have gaps between their rows; each array has room for
 * elements of 8 bytes. */
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
    return product_of(ctx, &matrix, n, transposed, SPARCL_I32, SPARCL_I32);
}

static inline void product_free(product *p) {
    spec_matrix_free(&p->matrix);
    sparcl_csr_free(&p->a);
    sparcl_dense_free(&p->b);
    sparcl_dense_free(&p->c);
    free(p->b_host);
    free(p->c_host);
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

/* C on the device holds the bits of rule S, and its gaps what they held. */
static inline void assert_product(sparcl_ctx *ctx, const product *p, double alpha, double beta) {
    const int64_t count = dense_capacity(&p->c);
    spec_report report = {.equal = true, .zeros_are_right = true}; /* some tests are about zeros */
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

/* The columns of a matrix that have entries; returns how many. */
static inline int64_t find_columns(const spec_matrix *m, int64_t *columns) {
    int64_t found = 0;
    for (int64_t c = 0; c < m->cols; ++c)
        for (int64_t k = 0; k < m->nnz; ++k)
            if (m->indices[k] == c) {
                columns[found++] = c;
                break;
            }
    return found;
}

/* The product under test. */
typedef sparcl_status (*product_call)(sparcl_ctx *ctx, const product *p, double alpha, double beta);

/* Every refusal leaves C as it is and the context in use. */
static inline void check_refusals(sparcl_ctx *ctx, bool transposed, product_call call) {
    product p = product_make(ctx, SPEC_UNIFORM, 6, 9, 23, 3, transposed);
    const sparcl_status no_f64 = wrong_f64(ctx);
    results kept = RESULTS(ctx, p.c.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(product, p, violation, call(ctx, &x, 1, 0), status, part,             \
                             assert_unchanged(ctx, &kept))
    REFUSED(x.b.rank = 0, SPARCL_E_SHAPE, "B has rank 0, expected 1 to 8");
    REFUSED(x.b.rank = 9, SPARCL_E_SHAPE, "B has rank 9, expected 1 to 8");
    REFUSED((x.b.rank = 1, x.b.ld = 0), SPARCL_E_SHAPE, "B has rank 1 and C rank 2");
    REFUSED((x.b.rank = 3, x.b.shape[2] = 1), SPARCL_E_SHAPE, "B has rank 3 and C rank 2");
    REFUSED((x.b.rank = x.c.rank = 3, x.b.shape[2] = x.c.shape[2] = 1), SPARCL_E_SHAPE,
            "expected 1 or 2 of both");
    REFUSED(--x.b.shape[0], SPARCL_E_SHAPE, ", B has ");
    REFUSED(--x.b.shape[1], SPARCL_E_SHAPE, "B has 2 columns, C has 3");
    REFUSED(x.b.shape[0] = -1, SPARCL_E_SHAPE, "B has -1 as size of dimension 0");
    REFUSED(x.b.ld = 1, SPARCL_E_SHAPE, "B has rows of 3 elements and ld 1");
    REFUSED(x.b.ld = -5, SPARCL_E_SHAPE, "ld -5");
    REFUSED(x.b.values_at = 1000, SPARCL_E_SHAPE, "from 1000 on for its values, the buffer has");
    REFUSED(x.b.values_at = -1, SPARCL_E_SHAPE, "from -1 on");
    REFUSED(x.b.values = NULL, SPARCL_E_SHAPE, "B needs");
    REFUSED(x.b.shape[0] = INT64_MAX / 2, SPARCL_E_SHAPE, "B has more elements than memory has");
    REFUSED(x.b.dtype = SPARCL_F64, no_f64, "64");
    REFUSED(x.b.dtype = (sparcl_dtype)7, SPARCL_E_DTYPE, "B has element type 7");
    REFUSED(x.b.reserved[1] = 1, SPARCL_E_ARG, "the reserved fields of B are not zero");
    REFUSED(--x.c.shape[0], SPARCL_E_SHAPE, ", C has ");
    REFUSED(x.c.dtype = SPARCL_F64, no_f64, "64");
    REFUSED(x.c.values_at = 1000, SPARCL_E_SHAPE, "C needs");
    REFUSED(x.c.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of C are not zero");
    REFUSED(x.a.nnz = -1, SPARCL_E_SHAPE, "with -1 entries");
    REFUSED(x.a.offsets = NULL, SPARCL_E_SHAPE, "for its offsets");
    REFUSED(x.a.indices = NULL, SPARCL_E_SHAPE, "for its indices");
    REFUSED(x.a.values_at = 1, SPARCL_E_SHAPE, "for its values");
    REFUSED(x.a.offsets_at = 1, SPARCL_E_SHAPE, "for its offsets");
    REFUSED(x.a.index_type = (sparcl_itype)5, SPARCL_E_DTYPE, "A has index type 5");
    REFUSED(x.a.cols = (int64_t)INT32_MAX + 1, SPARCL_E_DTYPE, "A has 32-bit indices");
    REFUSED(x.a.reserved[0] = 3, SPARCL_E_ARG, "the reserved fields of A are not zero");
    REFUSED(x.a.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED,
            "A is not checked; call sparcl_csr_validate");
    REFUSED(x.c.values = x.b.values, SPARCL_E_ALIAS, "C overlaps B");
    REFUSED(x.a.values = x.c.values, SPARCL_E_ALIAS, "C overlaps the values of A");
    REFUSED(x.a.indices = x.c.values, SPARCL_E_ALIAS, "C overlaps the indices of A");
    REFUSED(x.a.offsets = x.c.values, SPARCL_E_ALIAS, "C overlaps the offsets of A");
#undef REFUSED
    results_free(&kept);
    assert_ok(ctx, call(ctx, &p, 2, 0.5));
    assert_product(ctx, &p, 2, 0.5);
    product_free(&p);
}

#endif
