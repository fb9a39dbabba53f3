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

/* A way of breaking a product, and what must be said of it. The status of a dtype that the device
 * does not have is another one: `needs_f64`. */
typedef struct refusal {
    void (*violation)(product *p);
    sparcl_status status;
    const char *part;
    bool needs_f64;
} refusal;

#define VIOLATION(name, statement)                                                                 \
    static inline void name(product *p) {                                                          \
        statement;                                                                                 \
    }
VIOLATION(b_has_rank_0, p->b.rank = 0)
VIOLATION(b_has_rank_9, p->b.rank = 9)
VIOLATION(b_is_a_vector, (p->b.rank = 1, p->b.ld = 0))
VIOLATION(b_has_rank_3, (p->b.rank = 3, p->b.shape[2] = 1))
VIOLATION(both_have_rank_3, (p->b.rank = p->c.rank = 3, p->b.shape[2] = p->c.shape[2] = 1))
VIOLATION(b_is_short, --p->b.shape[0])
VIOLATION(b_is_narrow, --p->b.shape[1])
VIOLATION(b_is_negative, p->b.shape[0] = -1)
VIOLATION(b_has_a_small_ld, p->b.ld = 1)
VIOLATION(b_has_a_negative_ld, p->b.ld = -5)
VIOLATION(b_begins_too_late, p->b.values_at = 1000)
VIOLATION(b_begins_before_0, p->b.values_at = -1)
VIOLATION(b_has_no_buffer, p->b.values = NULL)
VIOLATION(b_is_past_memory, p->b.shape[0] = INT64_MAX / 2)
VIOLATION(b_is_f64, p->b.dtype = SPARCL_F64)
VIOLATION(b_has_no_type, p->b.dtype = (sparcl_dtype)7)
VIOLATION(b_has_reserved_bits, p->b.reserved[1] = 1)
VIOLATION(c_is_short, --p->c.shape[0])
VIOLATION(c_is_f64, p->c.dtype = SPARCL_F64)
VIOLATION(c_begins_too_late, p->c.values_at = 1000)
VIOLATION(c_has_reserved_bits, p->c.reserved[0] = 1)
VIOLATION(a_is_negative, p->a.nnz = -1)
VIOLATION(a_has_no_offsets, p->a.offsets = NULL)
VIOLATION(a_has_no_indices, p->a.indices = NULL)
VIOLATION(a_has_too_few_values, p->a.values_at = 1)
VIOLATION(a_has_offsets_too_late, p->a.offsets_at = 1)
VIOLATION(a_has_no_index_type, p->a.index_type = (sparcl_itype)5)
VIOLATION(a_is_too_wide_for_its_indices, p->a.cols = (int64_t)INT32_MAX + 1)
VIOLATION(a_has_reserved_bits, p->a.reserved[0] = 3)
VIOLATION(a_is_unproven, p->a.proof = (sparcl_proof){0})
VIOLATION(c_is_b, p->c.values = p->b.values)
VIOLATION(c_is_the_values_of_a, p->a.values = p->c.values)
VIOLATION(c_is_the_indices_of_a, p->a.indices = p->c.values)
VIOLATION(c_is_the_offsets_of_a, p->a.offsets = p->c.values)
#undef VIOLATION

static const refusal refusals[] = {
    {b_has_rank_0, SPARCL_E_SHAPE, "B has rank 0, expected 1 to 8", false},
    {b_has_rank_9, SPARCL_E_SHAPE, "B has rank 9, expected 1 to 8", false},
    {b_is_a_vector, SPARCL_E_SHAPE, "B has rank 1 and C rank 2", false},
    {b_has_rank_3, SPARCL_E_SHAPE, "B has rank 3 and C rank 2", false},
    {both_have_rank_3, SPARCL_E_SHAPE, "expected 1 or 2 of both", false},
    {b_is_short, SPARCL_E_SHAPE, ", B has ", false},
    {b_is_narrow, SPARCL_E_SHAPE, "B has 2 columns, C has 3", false},
    {b_is_negative, SPARCL_E_SHAPE, "B has -1 as size of dimension 0", false},
    {b_has_a_small_ld, SPARCL_E_SHAPE, "B has rows of 3 elements and ld 1", false},
    {b_has_a_negative_ld, SPARCL_E_SHAPE, "ld -5", false},
    {b_begins_too_late, SPARCL_E_SHAPE, "from 1000 on for its values, the buffer has", false},
    {b_begins_before_0, SPARCL_E_SHAPE, "from -1 on", false},
    {b_has_no_buffer, SPARCL_E_SHAPE, "B needs", false},
    {b_is_past_memory, SPARCL_E_SHAPE, "B has more elements than fit in memory", false},
    {b_is_f64, SPARCL_E_DTYPE, "64", true},
    {b_has_no_type, SPARCL_E_DTYPE, "B has element type 7", false},
    {b_has_reserved_bits, SPARCL_E_ARG, "the reserved fields of B are not zero", false},
    {c_is_short, SPARCL_E_SHAPE, ", C has ", false},
    {c_is_f64, SPARCL_E_DTYPE, "64", true},
    {c_begins_too_late, SPARCL_E_SHAPE, "C needs", false},
    {c_has_reserved_bits, SPARCL_E_ARG, "the reserved fields of C are not zero", false},
    {a_is_negative, SPARCL_E_SHAPE, "with -1 entries", false},
    {a_has_no_offsets, SPARCL_E_SHAPE, "for its offsets", false},
    {a_has_no_indices, SPARCL_E_SHAPE, "for its indices", false},
    {a_has_too_few_values, SPARCL_E_SHAPE, "for its values", false},
    {a_has_offsets_too_late, SPARCL_E_SHAPE, "for its offsets", false},
    {a_has_no_index_type, SPARCL_E_DTYPE, "A has index type 5", false},
    {a_is_too_wide_for_its_indices, SPARCL_E_DTYPE, "A has 32-bit indices", false},
    {a_has_reserved_bits, SPARCL_E_ARG, "the reserved fields of A are not zero", false},
    {a_is_unproven, SPARCL_E_UNCHECKED, "A is not checked; call sparcl_csr_validate", false},
    {c_is_b, SPARCL_E_ALIAS, "C overlaps B", false},
    {c_is_the_values_of_a, SPARCL_E_ALIAS, "C overlaps the values of A", false},
    {c_is_the_indices_of_a, SPARCL_E_ALIAS, "C overlaps the indices of A", false},
    {c_is_the_offsets_of_a, SPARCL_E_ALIAS, "C overlaps the offsets of A", false},
};

/* The product under test. */
typedef sparcl_status (*product_call)(sparcl_ctx *ctx, const product *p, double alpha, double beta);

/* Every refusal leaves C as it is and the context in use. */
static inline void check_refusals(sparcl_ctx *ctx, bool transposed, product_call call) {
    product p = product_make(ctx, SPEC_UNIFORM, 6, 9, 23, 3, transposed);
    for (size_t i = 0; i < COUNT(refusals); ++i) {
        const refusal *r = &refusals[i];
        product broken = p;
        r->violation(&broken);
        const sparcl_status expected = r->needs_f64 ? wrong_f64(ctx) : r->status;
        assert_refused_untouched(ctx, p.c.values, call(ctx, &broken, 1, 0), expected, r->part);
        assert_int_equal(sparcl_ctx_error(ctx)->status, expected);
    }
    assert_ok(ctx, call(ctx, &p, 2, 0.5));
    assert_product(ctx, &p, 2, 0.5);
    product_free(&p);
}

#endif
