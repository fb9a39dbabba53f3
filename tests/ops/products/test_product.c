/* test_product.c: what the headers say of sparcl_spmm and sparcl_spmm_t alike: each test has both
 * products. */
#include "product_test.h"

/* Calls and checks one product, and frees it. */
static void check_product(sparcl_ctx *ctx, product p, double alpha, double beta) {
    assert_ok(ctx, multiply(ctx, &p, alpha, beta));
    assert_product(ctx, &p, alpha, beta);
    product_free(&p);
}

static void refuse_products(sparcl_ctx *ctx, bool transposed) {
    product p = product_make(ctx, SPEC_UNIFORM, 6, 9, 23, 3, transposed);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, p.c.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(product, p, violation, multiply(ctx, &x, 1, 0), status, part,         \
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
    REFUSED(x.b.values = NULL, SPARCL_E_SHAPE, "B has no buffer yet for its values");
    REFUSED(x.b.shape[0] = INT64_MAX / 2, SPARCL_E_SHAPE, "B has more elements than fit in memory");
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
    snapshot_free(&kept);
    check_product(ctx, p, 2, 0.5);
}

static void what_does_not_fit_is_refused_and_c_stays(void **state) {
    refuse_products(*state, false);
    refuse_products(*state, true);
}

static void a_matrix_is_refused_until_it_is_validated_or_trusted(void **state) {
    static const char *const parts[] = {"spmm: A is not checked", "spmm_t: A is not checked"};
    sparcl_ctx *ctx = *state;
    for (int transposed = 0; transposed < 2; ++transposed) {
        product p = product_make(ctx, SPEC_RAGGED, 20, 9, 60, 3, transposed);
        p.a.proof = (sparcl_proof){0};
        assert_refused_untouched(ctx, p.c.values, multiply(ctx, &p, 1, 0), SPARCL_E_UNCHECKED,
                                 parts[transposed]);
        assert_ok(ctx, sparcl_csr_validate(ctx, &p.a, 0));
        assert_ok(ctx, multiply(ctx, &p, 1, 1));
        assert_product(ctx, &p, 1, 1);

        const int32_t same = (int32_t)p.matrix.indices[0];
        assert_ok(ctx, sparcl_buf_write(ctx, p.a.indices, 0, 4, &same));
        assert_refused_untouched(ctx, p.c.values, multiply(ctx, &p, 1, 0), SPARCL_E_UNCHECKED,
                                 parts[transposed]);
        p.a.proof.flags = SPARCL_TRUSTED;
        assert_ok(ctx, multiply(ctx, &p, 1, 0));
        product_free(&p);
    }
}

static void c_is_not_read_where_beta_is_0_and_its_gaps_stay(void **state) {
    static const int64_t cols[] = {12, 45}; /* of 45 columns some have no entry */
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 20; n += 6)
        for (int transposed = 0; transposed < 2; ++transposed) {
            product p = product_make(ctx, SPEC_RAGGED, 30, cols[transposed], 70, n, transposed);
            for (int64_t i = 0; i < dense_capacity(&p.c); ++i)
                p.c_host[i] = i % 2 ? NAN : INFINITY;
            assert_ok(ctx,
                      sparcl_buf_write(ctx, p.c.values, 0, dense_capacity(&p.c) * 4, p.c_host));
            assert_ok(ctx, multiply(ctx, &p, -0.5, 0));
            for (int64_t r = 0; r < p.c.shape[0]; ++r)
                for (int64_t j = 0; j < n; ++j)
                    assert_true(isfinite(float_at(ctx, p.c.values, r * p.c.ld + j)));
            assert_product(ctx, &p, -0.5, 0); /* its gaps hold what they held, NaN too */
            product_free(&p);
        }
}

static void b_and_c_may_both_be_vectors(void **state) {
    sparcl_ctx *ctx = *state;
    for (int transposed = 0; transposed < 2; ++transposed) {
        product p = product_make(ctx, SPEC_DUPLICATE, 40, 17, 500, 1, transposed);
        product q = p;
        q.b.rank = q.c.rank = 1;
        assert_ok(ctx, multiply(ctx, &q, 2, 0.25)); /* elements ld apart */
        assert_product(ctx, &p, 2, 0.25);
        product_free(&p);
    }
}

static void a_packed_view_has_ld_0_or_the_row_width(void **state) {
    sparcl_ctx *ctx = *state;
    for (int transposed = 0; transposed < 2; ++transposed) {
        product p = product_make(ctx, SPEC_UNIFORM, 10, 6, 40, 5, transposed);
        p.c.ld = p.b.ld = 5;
        product q = p;
        q.b.ld = q.c.ld = 0;
        assert_ok(ctx, multiply(ctx, &q, 1, 0.5));
        assert_product(ctx, &p, 1, 0.5);
        product_free(&p);
    }
}

static void every_size_may_be_0(void **state) {
    static const int64_t sizes[][4] = {{0, 0, 0, 0}, {0, 3, 0, 2}, {3, 0, 0, 2},
                                       {3, 3, 0, 2}, {3, 3, 4, 0}, {0, 0, 0, 1}};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(sizes); ++i)
        for (int transposed = 0; transposed < 2; ++transposed)
            check_product(ctx,
                          product_make(ctx, SPEC_UNIFORM, sizes[i][0], sizes[i][1], sizes[i][2],
                                       sizes[i][3], transposed),
                          3, 0.5);
}

static void entries_behind_the_last_offset_are_not_read(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 10; n += 4)
        for (int transposed = 0; transposed < 2; ++transposed) {
            product p = product_make(ctx, SPEC_UNIFORM, 20, 30, 110, n, transposed);
            product q = with_room_behind(ctx, &p, 110);
            assert_ok(ctx, multiply(ctx, &q, 1, 0.5));
            assert_product(ctx, &p, 1, 0.5);
            sparcl_buf_free(q.a.indices);
            sparcl_buf_free(q.a.values);
            product_free(&p);
        }
}

static void offset_and_index_types_may_be_mixed(void **state) {
    sparcl_ctx *ctx = *state;
    for (int types = 0; types < 8; ++types) {
        spec_matrix m;
        assert_true(spec_matrix_make(&m, SPEC_DUPLICATE, 50, 40, 900, 5));
        check_product(ctx,
                      product_of(ctx, &m, 3, types & 4, types & 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                                 types & 2 ? SPARCL_INDEX64 : SPARCL_INDEX32),
                      1, 1);
    }
}

/* Sums that are split between many work-items; all implementations, thread counts and classes must
 * have the same bits: those of rule S. */
static void one_long_sum_has_the_bits_of_rule_s(void **state) {
    static const int64_t widths[] = {1, 2, 9, 33};
    const int64_t nnz = test_is_small() ? 2100 : 200000;
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(widths); ++i) {
        const int64_t n = widths[i];
        check_product(ctx, product_make(ctx, SPEC_ONE_ROW, 11, 5000, nnz, n, false), 0.75, 1);
        check_product(ctx, product_make(ctx, SPEC_ONE_COL, 3000, 11, nnz, n, true), 0.75, 1);
    }
}

static void many_sums_of_one_product_have_the_bits_of_rule_s(void **state) {
    const int64_t nnz = test_is_small() ? 3000 : 200000;
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 9; n += 7) {
        check_product(ctx, product_make(ctx, SPEC_ONE_COL, 3000, 4000, nnz, n, false), 1, 0);
        check_product(ctx, product_make(ctx, SPEC_ONE_ROW, 40, 5000, nnz, n, true), 1, 0);
    }
}

/* The number of columns; negative for the product with the transpose. */
static sparcl_buf *product_of_columns(sparcl_ctx *ctx, const void *input) {
    const int64_t n = *(const int64_t *)input;
    product p = product_make(ctx, SPEC_RAGGED, 500, 60, 4000, n < 0 ? -n : n, n < 0);
    sparcl_buf *const result = p.c.values;
    assert_ok(ctx, multiply(ctx, &p, 1.5, 0.5));
    p.c.values = NULL;
    product_free(&p);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    static const int64_t columns[] = {1, -1, 3, -3, 5, -5, 34, -34, 63, -63};
    class_contexts all = open_classes(*state);
    for (size_t i = 0; i < (test_is_small() ? 6 : COUNT(columns)); ++i)
        assert_same_bits(&all, product_of_columns, &columns[i]);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_c_stays),
        cmocka_unit_test(a_matrix_is_refused_until_it_is_validated_or_trusted),
        cmocka_unit_test(c_is_not_read_where_beta_is_0_and_its_gaps_stay),
        cmocka_unit_test(b_and_c_may_both_be_vectors),
        cmocka_unit_test(a_packed_view_has_ld_0_or_the_row_width),
        cmocka_unit_test(every_size_may_be_0),
        cmocka_unit_test(entries_behind_the_last_offset_are_not_read),
        cmocka_unit_test(offset_and_index_types_may_be_mixed),
        cmocka_unit_test(one_long_sum_has_the_bits_of_rule_s),
        cmocka_unit_test(many_sums_of_one_product_have_the_bits_of_rule_s),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
