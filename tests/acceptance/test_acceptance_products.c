/* test_acceptance_products.c: properties of products (reliability: 19 to 30). */
#include "acceptance.h"

/* Format of the sparse operand, how it is used, and the orders of the dense ones. */
typedef struct variant {
    sparcl_format format;
    sparcl_op op_a, op_b;
    sparcl_order order_b, order_c;
} variant;

static sparcl_matrix put_sparse(sparcl_ctx *ctx, const integers *m, sparcl_format format, types t) {
    if (format == SPARCL_FORMAT_CSC) return sparcl_matrix_csc(put_csc_of(ctx, m, t));
    if (format == SPARCL_FORMAT_COO) return sparcl_matrix_coo(put_coo_of(ctx, m, t, 5));
    if (format == SPARCL_FORMAT_ROWS) return sparcl_matrix_rows(put_rows_of(ctx, m, t));
    return sparcl_matrix_csr(put_csr_of(ctx, m, t));
}

static void free_sparse(sparcl_matrix *x) {
    if (x->format == SPARCL_FORMAT_CSR) sparcl_csr_free(&x->as.csr);
    if (x->format == SPARCL_FORMAT_CSC) sparcl_csc_free(&x->as.csc);
    if (x->format == SPARCL_FORMAT_COO) sparcl_coo_free(&x->as.coo);
    if (x->format == SPARCL_FORMAT_ROWS) sparcl_rows_free(&x->as.rows);
}

/* What is stored so that op of it is m. */
static integers stored_for(sparcl_op op, const integers *m) {
    if (op == SPARCL_OP_T) return transpose_integers(m);
    integers copy = no_integers(m->rows, m->cols);
    memcpy(copy.x, m->x, (size_t)(m->rows * m->cols) * sizeof *m->x);
    return copy;
}

/* C = op(A) op(B), with a sparse and b dense. */
static void check_sparse_dense(sparcl_ctx *ctx, const integers *a, const integers *b, variant v,
                               types t) {
    integers own_a = stored_for(v.op_a, a), own_b = stored_for(v.op_b, b);
    integers expected = multiply_integers(a, b), old = no_integers(a->rows, b->cols);
    sparcl_matrix left = put_sparse(ctx, &own_a, v.format, t);
    sparcl_matrix right = sparcl_matrix_dense(put_dense_of(ctx, &own_b, t.dtype, v.order_b, 2));
    sparcl_matrix c = sparcl_matrix_dense(put_dense_of(ctx, &old, t.dtype, v.order_c, 3));
    assert_ok(ctx, sparcl_matmul(ctx, &c, 1, v.op_a, &left, v.op_b, &right, 0, NULL));
    assert_dense_is(ctx, &c.as.dense, &expected);
    free_sparse(&left);
    sparcl_dense_free(&right.as.dense);
    sparcl_dense_free(&c.as.dense);
    free(own_a.x), free(own_b.x), free(expected.x), free(old.x);
}

/* C = op(B) op(A), with b dense and a sparse. */
static void check_dense_sparse(sparcl_ctx *ctx, const integers *b, const integers *a, variant v,
                               types t) {
    integers own_a = stored_for(v.op_a, a), own_b = stored_for(v.op_b, b);
    integers expected = multiply_integers(b, a), old = no_integers(b->rows, a->cols);
    sparcl_matrix right = put_sparse(ctx, &own_a, v.format, t);
    sparcl_matrix left = sparcl_matrix_dense(put_dense_of(ctx, &own_b, t.dtype, v.order_b, 1));
    sparcl_matrix c = sparcl_matrix_dense(put_dense_of(ctx, &old, t.dtype, v.order_c, 2));
    assert_ok(ctx, sparcl_matmul(ctx, &c, 1, v.op_b, &left, v.op_a, &right, 0, NULL));
    assert_dense_is(ctx, &c.as.dense, &expected);
    free_sparse(&right);
    sparcl_dense_free(&left.as.dense);
    sparcl_dense_free(&c.as.dense);
    free(own_a.x), free(own_b.x), free(expected.x), free(old.x);
}

/* Variant k of 48: all combinations. */
static variant variant_at(int k) {
    static const sparcl_format formats[] = {SPARCL_FORMAT_CSR, SPARCL_FORMAT_CSC,
                                            SPARCL_FORMAT_COO};
    return (variant){formats[k % 3], k / 3 & 1 ? SPARCL_OP_T : SPARCL_OP_N,
                     k / 6 & 1 ? SPARCL_OP_T : SPARCL_OP_N,
                     k / 12 & 1 ? SPARCL_COLUMN_MAJOR : SPARCL_ROW_MAJOR,
                     k / 24 & 1 ? SPARCL_COLUMN_MAJOR : SPARCL_ROW_MAJOR};
}

/* 19, 21: one column, 5 to 10, 50 to 200, all densities, in all formats, transposed or not. */
static void products_equal_dense_products(void **state) {
    static const int64_t widths[] = {1, 5, 10, 50, 200};
    static const double densities[] = {1, 0.5, 0.01};
    for (int w = 0; w < 5; ++w)
        for (int d = 0; d < 3; ++d) {
            integers a = draw_integers(31, 23, densities[d], (uint64_t)(w * 3 + d));
            integers b = draw_integers(23, widths[w], 0.9, 7), left = transpose_integers(&b);
            for (int k = 0; k < 48; ++k) {
                check_sparse_dense(*state, &a, &b, variant_at(k), types_at(*state, k + w + d));
                if (k % 2 == w % 2) {
                    integers t = transpose_integers(&a);
                    check_dense_sparse(*state, &left, &t, variant_at(k), types_at(*state, k + d));
                    free(t.x);
                }
            }
            free(a.x), free(b.x), free(left.x);
        }
}

/* 23: one extreme dimension, in each position. */
static void one_dimension_may_be_extreme(void **state) {
    static const int64_t shapes[][3] = {{6000, 3, 9},  {4, 6000, 7},  {2, 5, 6000},
                                        {20000, 1, 1}, {1, 20000, 1}, {1, 1, 20000}};
    for (int s = 0; s < 6; ++s) {
        integers a = draw_integers(shapes[s][0], shapes[s][1], 0.3, (uint64_t)s);
        integers b = draw_integers(shapes[s][1], shapes[s][2], 0.8, (uint64_t)s + 50);
        for (int k = 0; k < 12; ++k)
            check_sparse_dense(*state, &a, &b, variant_at(k), types_at(*state, s + k));
        free(a.x), free(b.x);
    }
}

/* 24: random shapes from 1 to 99, densities 0, 0.2, 0.8 and 1. */
static void random_shapes_and_densities(void **state) {
    static const double densities[] = {0, 0.2, 0.8, 1};
    uint64_t seed = 11;
    for (int d = 0; d < 4; ++d)
        for (int s = 0; s < 8; ++s) {
            const int64_t m = 1 + (int64_t)(spec_random(&seed) % 99);
            const int64_t k = 1 + (int64_t)(spec_random(&seed) % 99);
            const int64_t n = 1 + (int64_t)(spec_random(&seed) % 99);
            integers a = draw_integers(m, k, densities[d], seed),
                     b = draw_integers(k, n, 0.7, seed + 1);
            for (int v = 0; v < 12; ++v)
                check_sparse_dense(*state, &a, &b, variant_at(v + s % 4 * 12),
                                   types_at(*state, v + s));
            free(a.x), free(b.x);
        }
}

/* 8: sizes of 0. */
static void sizes_of_zero_are_legal(void **state) {
    static const int64_t shapes[][3] = {{0, 0, 0}, {0, 1, 3}, {0, 5, 1}, {1, 0, 4},
                                        {5, 0, 1}, {4, 3, 0}, {0, 0, 5}};
    for (int s = 0; s < 7; ++s) {
        integers a = draw_integers(shapes[s][0], shapes[s][1], 0.5, 3);
        integers b = draw_integers(shapes[s][1], shapes[s][2], 0.5, 4);
        for (int k = 0; k < 48; k += 5)
            check_sparse_dense(*state, &a, &b, variant_at(k), types_at(*state, k));
        free(a.x), free(b.x);
    }
}

/* 20: results that are 0 although operands are not. */
static void a_product_may_be_zero(void **state) {
    for (int k = 0; k < 48; ++k) {
        integers a = no_integers(9, 8), b = no_integers(8, 6);
        for (int64_t i = 0; i < 9; ++i)
            a.x[i * 8 + i % 4] = i + 1; /* columns 0 to 3 meet rows of zeros */
        for (int64_t j = 0; j < 6; ++j)
            b.x[(4 + j % 4) * 6 + j] = j + 1;
        check_sparse_dense(*state, &a, &b, variant_at(k), types_at(*state, k));
        free(a.x), free(b.x);
    }
}

/* 19: csr and coo times row-sparse, as it is and transposed. */
static void check_row_sparse(sparcl_ctx *ctx, const integers *a, const integers *b, int k) {
    const variant v = variant_at(k);
    const types t = types_at(ctx, k);
    const bool transposed = (v.op_a == SPARCL_OP_T) != (v.format == SPARCL_FORMAT_CSC);
    integers own = stored_for(v.op_a, a), expected = multiply_integers(a, b);
    integers old = no_integers(a->rows, b->cols);
    sparcl_matrix left = put_sparse(ctx, &own, v.format, t);
    /* its indices have another type in some cases */
    const types other = {t.dtype, t.offsets, types_at(ctx, k + 1).indices};
    sparcl_matrix right = put_sparse(ctx, b, SPARCL_FORMAT_ROWS, other);
    sparcl_matrix c = sparcl_matrix_dense(put_dense_of(ctx, &old, t.dtype, v.order_c, 1));
    assert_ok(ctx, sparcl_matmul(ctx, &c, 1, v.op_a, &left, SPARCL_OP_N, &right, 0, NULL));
    assert_dense_is(ctx, &c.as.dense, &expected);
    if (transposed) {
        sparcl_matrix rows = sparcl_matrix_rows((sparcl_rows){.rank = 2,
                                                              .dtype = t.dtype,
                                                              .index_type = t.indices,
                                                              .shape = {a->rows, b->cols},
                                                              .nnr = a->rows});
        assert_ok(ctx, sparcl_rows_create(ctx, &rows.as.rows));
        assert_ok(ctx, sparcl_matmul(ctx, &rows, 1, v.op_a, &left, SPARCL_OP_N, &right, 0, NULL));
        assert_rows_are(ctx, &rows.as.rows, &expected);
        free_sparse(&rows);
    }
    free_sparse(&left);
    free_sparse(&right);
    sparcl_dense_free(&c.as.dense);
    free(own.x), free(expected.x), free(old.x);
}

static void row_sparse_operands(void **state) {
    static const double densities[] = {1, 0.5, 0.01};
    for (int da = 0; da < 3; ++da)
        for (int db = 0; db < 3; ++db) {
            integers a = draw_integers(29, 40, densities[da], (uint64_t)da);
            integers b = draw_integers(40, 7, densities[db], (uint64_t)db + 9);
            for (int64_t i = 0; i < 40; i += 3) /* rows that are not stored */
                memset(b.x + i * 7, 0, 7 * sizeof *b.x);
            for (int k = 0; k < 6; ++k)
                check_row_sparse(*state, &a, &b, k + (da + db) % 2 * 24);
            free(a.x), free(b.x);
        }
}

/* 27: alpha and beta; C is not read where beta is 0, even if it holds NaN. */
static void alpha_and_beta(void **state) {
    static const double factors[][2] = {{0, 1}, {1, 0}, {0, 0}, {1, 1}, {-2, 3}, {3, -1}};
    sparcl_ctx *ctx = *state;
    integers a = draw_integers(19, 21, 0.3, 1), b = draw_integers(21, 9, 0.8, 2);
    integers old = draw_integers(19, 9, 0.9, 3), product = multiply_integers(&a, &b);
    for (int f = 0; f < 6; ++f)
        for (int k = 0; k < 48; k += 1) {
            const variant v = variant_at(k);
            const types t = types_at(ctx, k + f);
            integers own_a = stored_for(v.op_a, &a), own_b = stored_for(v.op_b, &b);
            integers expected = no_integers(19, 9);
            for (int64_t e = 0; e < 19 * 9; ++e)
                expected.x[e] =
                    (int64_t)factors[f][0] * product.x[e] + (int64_t)factors[f][1] * old.x[e];
            sparcl_matrix left = put_sparse(ctx, &own_a, v.format, t);
            sparcl_matrix right =
                sparcl_matrix_dense(put_dense_of(ctx, &own_b, t.dtype, v.order_b, 0));
            sparcl_matrix c = sparcl_matrix_dense(put_dense_of(ctx, &old, t.dtype, v.order_c, 0));
            if (factors[f][1] == 0) assert_ok(ctx, spec_poison(ctx, c.as.dense.values)); /* NaN */
            assert_ok(ctx, sparcl_matmul(ctx, &c, factors[f][0], v.op_a, &left, v.op_b, &right,
                                         factors[f][1], NULL));
            assert_dense_is(ctx, &c.as.dense, &expected);
            free_sparse(&left);
            sparcl_dense_free(&right.as.dense);
            sparcl_dense_free(&c.as.dense);
            free(own_a.x), free(own_b.x), free(expected.x);
        }
    free(a.x), free(b.x), free(old.x), free(product.x);
}

/* 28: a leading dimension that is much larger than a row. */
static void leading_dimensions_may_be_huge(void **state) {
    sparcl_ctx *ctx = *state;
    integers a = draw_integers(7, 6, 0.5, 1), b = draw_integers(6, 5, 0.8, 2);
    integers expected = multiply_integers(&a, &b), old = no_integers(7, 5);
    for (int k = 0; k < 4; ++k) {
        const types t = types_at(ctx, k);
        const sparcl_order by = k & 1 ? SPARCL_COLUMN_MAJOR : SPARCL_ROW_MAJOR;
        sparcl_csr left = put_csr_of(ctx, &a, t);
        sparcl_dense right = put_dense_of(ctx, &b, t.dtype, by, 9354);
        sparcl_dense c = put_dense_of(ctx, &old, t.dtype, k & 2 ? SPARCL_COLUMN_MAJOR : by, 9354);
        assert_ok(ctx, sparcl_spmm(ctx, &c, 1, &left, &right, 0));
        assert_dense_is(ctx, &c, &expected);
        sparcl_csr_free(&left);
        sparcl_dense_free(&right);
        sparcl_dense_free(&c);
    }
    free(a.x), free(b.x), free(expected.x), free(old.x);
}

/* 29: matrices of numerical work: a band, grids of two and three dimensions, nothing, a power law.
 */
static integers structured(int kind) {
    const int64_t n = kind == 2 ? 125 : 100, side = kind == 2 ? 5 : 10;
    integers a = no_integers(n, n);
    for (int64_t i = 0; i < n && kind < 3; ++i) {
        const int64_t steps[] = {1, kind > 0 ? side : 1, kind > 1 ? side * side : 1};
        a.x[i * n + i] = 2 + 2 * kind;
        for (int d = 0; d <= kind; ++d) {
            if (i >= steps[d]) a.x[i * n + i - steps[d]] = -1;
            if (i + steps[d] < n) a.x[i * n + i + steps[d]] = -1;
        }
    }
    for (int64_t i = 0; i < n && kind == 4; ++i)
        for (int64_t j = 0; j < n / (i + 1); ++j)
            a.x[i * n + (i * 7 + j) % n] = 1 + j % 3;
    return a;
}

static void matrices_of_numerical_work(void **state) {
    for (int kind = 0; kind < 5; ++kind) {
        integers a = structured(kind), b = draw_integers(a.cols, 6, 0.9, 4);
        for (int k = 0; k < 48; k += 3)
            check_sparse_dense(*state, &a, &b, variant_at(k + kind % 3), types_at(*state, k));
        free(a.x), free(b.x);
    }
}

/* 22: the same bits in each run, with and without a pattern, where sums are rounded. */
static void runs_are_equal(void **state) {
    sparcl_ctx *ctx = *state;
    enum { ROWS = 2430, COLS = 615, WIDTH = 57, ENTRIES = 65779 };
    spec_matrix host;
    sparcl_csr a;
    float *const x = make_floats((int64_t)ROWS * WIDTH, 6);
    assert_true(spec_matrix_make(&host, SPEC_DUPLICATE, ROWS, COLS, ENTRIES, 4));
    assert_ok(ctx, spec_put_csr(ctx, &a, &host, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    sparcl_dense b = {.rank = 2, .shape = {ROWS, WIDTH}}, c = {.rank = 2, .shape = {COLS, WIDTH}};
    b.values = put(ctx, x, (int64_t)ROWS * WIDTH * 4);
    assert_ok(ctx, sparcl_dense_create(ctx, &c));
    void *first = NULL;
    sparcl_pattern *pattern;
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &a));
    sparcl_rows rows = {.rank = 2, .shape = {COLS, WIDTH}, .nnr = COLS};
    assert_ok(ctx, sparcl_rows_create(ctx, &rows));
    for (int run = 0; run < 6; ++run) {
        assert_ok(ctx, sparcl_spmm_t(ctx, &c, 0.3, &a, &b, 0, run % 2 ? pattern : NULL));
        void *const got = bytes_of(ctx, c.values);
        if (first) assert_memory_equal(got, first, COLS * WIDTH * 4);
        ++acceptance_cases;
        if (first) free(got);
        if (!first) first = got;
        assert_ok(ctx, sparcl_spmm_t_rows(ctx, &rows, 0.3, &a, &b, run % 2 ? pattern : NULL));
        assert_int_equal(int_at(ctx, rows.count, 0), COLS); /* so it has the bits of C */
        assert_holds(ctx, rows.values, first);
        ++acceptance_cases;
    }
    free(first);
    free(x);
    sparcl_rows_free(&rows);
    sparcl_pattern_free(pattern);
    spec_matrix_free(&host);
    sparcl_csr_free(&a);
    sparcl_dense_free(&b);
    sparcl_dense_free(&c);
}

/* 26: an index out of range is refused with few and many columns, transposed or not. */
static void indices_out_of_range_are_refused(void **state) {
    static const int64_t bad[] = {-1, 23, 1000000}, widths[] = {5, 500};
    sparcl_ctx *ctx = *state;
    for (int w = 0; w < 2; ++w)
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 6; ++k) {
                const types t = types_at(ctx, k);
                integers m = draw_integers(31, 23, 0.3, 2);
                sparcl_csr a = put_csr_of(ctx, &m, t);
                const int32_t narrow = (int32_t)bad[i];
                const int64_t size = (int64_t)sparcl_itype_size(t.indices);
                sparcl_dense b = {.rank = 2, .dtype = t.dtype, .shape = {23, widths[w]}};
                sparcl_dense c = {.rank = 2, .dtype = t.dtype, .shape = {31, widths[w]}};
                assert_ok(ctx, sparcl_dense_zeros(ctx, &b));
                assert_ok(ctx, sparcl_dense_zeros(ctx, &c));
                a.proof = (sparcl_proof){.flags = 0};
                assert_ok(ctx, sparcl_buf_write(ctx, a.indices, (a.nnz / 2) * size, size,
                                                size == 8 ? (const void *)&bad[i] : &narrow));
                assert_refused(ctx, sparcl_csr_validate(ctx, &a, SPARCL_VALID), SPARCL_E_DATA, "");
                assert_refused(ctx, sparcl_spmm(ctx, &c, 1, &a, &b, 0), SPARCL_E_UNCHECKED, "A");
                assert_refused(ctx, sparcl_spmm_t(ctx, &b, 1, &a, &c, 0, NULL), SPARCL_E_UNCHECKED,
                               "A");
                sparcl_csr_free(&a);
                sparcl_dense_free(&b);
                sparcl_dense_free(&c);
                free(m.x);
                ++acceptance_cases;
            }
}

AT_LEAST(products)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_equal_dense_products),
        cmocka_unit_test(one_dimension_may_be_extreme),
        cmocka_unit_test(random_shapes_and_densities),
        cmocka_unit_test(sizes_of_zero_are_legal),
        cmocka_unit_test(a_product_may_be_zero),
        cmocka_unit_test(row_sparse_operands),
        cmocka_unit_test(alpha_and_beta),
        cmocka_unit_test(leading_dimensions_may_be_huge),
        cmocka_unit_test(matrices_of_numerical_work),
        cmocka_unit_test(runs_are_equal),
        cmocka_unit_test(indices_out_of_range_are_refused),
        cmocka_unit_test(at_least_products),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
