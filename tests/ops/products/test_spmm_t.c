/* test_spmm_t.c: what the header says of products with the transpose, beyond test_product. */
#include "product_test.h"

static const uint32_t proven = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;

/* --- the dense result ------------------------------------------------------------------------ */

static void old_rows_are_scaled_by_beta_where_a_has_no_entry(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_ONE_COL, 5, 6, 12, 2, true);
    assert_ok(ctx, multiply(ctx, &p, 1, 0.5));
    assert_product(ctx, &p, 1, 0.5);
    assert_true(float_at(ctx, p.c.values, 1) == 0.5f * p.c_host[1]);
    product_free(&p);
}

static void a_stored_zero_times_infinity_is_nan_and_an_absent_entry_is_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    spec_matrix m;
    assert_true(spec_matrix_alloc(&m, 2, 3, 2));
    m.offsets[1] = m.offsets[2] = 2;
    m.indices[1] = 2; /* row 0: a stored 0 at column 0, 1 at column 2; row 1 is empty */
    m.values[1] = 1;
    product p = product_of(ctx, &m, 1, true, SPARCL_INDEX32, SPARCL_INDEX32);
    p.b_host[0] = INFINITY;
    p.b_host[p.b.ld] = NAN;
    assert_ok(ctx, sparcl_buf_write(ctx, p.b.values, 0, dense_capacity(&p.b) * 4, p.b_host));
    assert_ok(ctx, multiply(ctx, &p, 1, 0));
    assert_true(isnan(float_at(ctx, p.c.values, 0)));
    assert_true(float_at(ctx, p.c.values, p.c.ld) == 0);
    assert_true(float_at(ctx, p.c.values, 2 * p.c.ld) == INFINITY);
    product_free(&p);
}

static void the_bits_are_those_of_transposing_first_and_multiplying_then(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 20; n += 9) {
        product p = product_make(ctx, SPEC_DUPLICATE, 300, 70, 9000, n, true);
        spec_matrix transposed;
        sparcl_csr a = {0};
        assert_true(spec_matrix_transpose(&transposed, &p.matrix));
        assert_ok(ctx,
                  spec_put_csr(ctx, &a, &transposed, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
        sparcl_dense c = p.c;
        c.values = put_spare(ctx, p.c_host, dense_capacity(&p.c));
        assert_ok(ctx, multiply(ctx, &p, 1.25, 1));
        assert_ok(ctx, sparcl_spmm(ctx, &c, 1.25, &a, &p.b, 1));
        void *expected = bytes_of(ctx, c.values);
        assert_holds(ctx, p.c.values, expected);
        free(expected);
        sparcl_buf_free(c.values);
        sparcl_csr_free(&a);
        spec_matrix_free(&transposed);
        product_free(&p);
    }
}

/* Without a pattern, and with sorted rows, which cores divide. Columns have about 700 entries. */
static void long_columns_are_summed_by_blocks(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n <= 16; n *= 2) {
        product p = product_make(ctx, SPEC_UNIFORM, 900, 7, 5000, n, true);
        assert_true(sparcl_csr_flags(&p.a) & SPARCL_SORTED);
        assert_ok(ctx, sparcl_spmm_t(ctx, &p.c, 1.25, &p.a, &p.b, 0.5, NULL));
        assert_product(ctx, &p, 1.25, 0.5);
        product_free(&p);
    }
}

/* --- the row-sparse result ------------------------------------------------------------------- */

/* R for a product: `capacity` rows, in buffers with something before and behind. */
static sparcl_rows rows_of(sparcl_ctx *ctx, const product *p, int64_t capacity, sparcl_itype type) {
    const int64_t n = p->c.shape[1], bytes = (capacity * n + 20) * 8;
    sparcl_rows r = {.rank = 2,
                     .index_type = type,
                     .shape = {p->c.shape[0], n},
                     .nnr = capacity,
                     .indices_at = 3,
                     .values_at = 5,
                     .count_at = 1};
    assert_ok(ctx, sparcl_buf_create(ctx, &r.values, bytes));
    assert_ok(ctx, sparcl_buf_create(ctx, &r.indices, (capacity + 20) * 8));
    assert_ok(ctx, sparcl_buf_create(ctx, &r.count, 24));
    assert_ok(ctx, sparcl_buf_fill(ctx, r.values, 0, bytes, 0x77));
    assert_ok(ctx, sparcl_buf_fill(ctx, r.indices, 0, (capacity + 20) * 8, 0x77));
    assert_ok(ctx, sparcl_buf_fill(ctx, r.count, 0, 24, 0x77));
    return r;
}

static void rows_free(sparcl_rows *r) {
    sparcl_buf_free(r->values);
    sparcl_buf_free(r->indices);
    sparcl_buf_free(r->count);
}

/* R's rows are those of C that A has columns for; everything around them stays. */
static void assert_rows(sparcl_ctx *ctx, const product *p, const sparcl_rows *r, double alpha) {
    const int64_t n = p->c.shape[1];
    int64_t *expected = must_have(calloc((size_t)p->c.shape[0] + 1, 8));
    int64_t *ids = must_have(calloc((size_t)r->nnr + 20, 8));
    const int64_t count = find_columns(&p->matrix, expected);
    double *order = product_order(p, alpha, 0);
    float *values = bytes_of(ctx, r->values);
    const size_t id = sparcl_itype_size(r->index_type);
    assert_int_equal(int_at(ctx, r->count, 1), count);
    assert_int_equal(int_at(ctx, r->count, 0), 0x7777777777777777);
    assert_int_equal(int_at(ctx, r->count, 2), 0x7777777777777777);
    assert_ok(ctx, spec_get_ints(ctx, r->indices, 3, count, r->index_type, ids));
    assert_memory_equal(ids, expected, (size_t)count * 8);
    for (int64_t i = 0; i < count * n; ++i)
        assert_true(values[5 + i] == (float)order[ids[i / n] * p->c.ld + i % n]);
    unsigned char *bytes = bytes_of(ctx, r->indices), *floats = (unsigned char *)values;
    for (size_t i = 0; i < 3 * id; ++i)
        assert_int_equal(bytes[i], 0x77);
    for (size_t i = (3 + (size_t)r->nnr) * id; i < (size_t)(r->nnr + 20) * 8; ++i)
        assert_int_equal(bytes[i], 0x77);
    for (size_t i = 0; i < 20; ++i)
        assert_int_equal(floats[i], 0x77);
    for (size_t i = (5 + (size_t)(r->nnr * n)) * 4; i < (size_t)sparcl_buf_bytes(r->values); ++i)
        assert_int_equal(floats[i], 0x77);
    free(bytes);
    free(values);
    free(order);
    free(ids);
    free(expected);
}

static void the_rows_are_those_of_the_dense_result_that_a_has_columns_for(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 20; n += 6)
        for (int way = 0; way < 4; ++way) {
            product p = product_make(ctx, SPEC_RAGGED, 60, 90, 130, n, true);
            sparcl_rows r =
                rows_of(ctx, &p, way & 1 ? 90 : 95, way & 1 ? SPARCL_INDEX64 : SPARCL_INDEX32);
            sparcl_pattern *pattern = way & 2 ? pattern_of(ctx, &p.a) : NULL;
            assert_int_equal(sparcl_rows_flags(&r), 0);
            assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, -1.5, &p.a, &p.b, pattern));
            assert_int_equal(sparcl_rows_flags(&r), proven);
            assert_rows(ctx, &p, &r, -1.5);
            sparcl_pattern_free(pattern);
            rows_free(&r);
            product_free(&p);
        }
}

static void the_result_may_use_the_indices_of_the_pattern(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 20; n += 6) {
        product p = product_make(ctx, SPEC_RAGGED, 60, 90, 130, n, true);
        sparcl_rows r = rows_of(ctx, &p, 90, SPARCL_INDEX32);
        sparcl_pattern *pattern = pattern_of(ctx, &p.a);
        sparcl_rows own = sparcl_pattern_columns(pattern);
        own.shape[1] = n;
        own.values = r.values;
        own.values_at = r.values_at;
        assert_int_equal(own.nnr, 90);
        assert_ok(ctx, sparcl_spmm_t_rows(ctx, &own, -1.5, &p.a, &p.b, pattern));
        assert_int_equal(sparcl_rows_flags(&own), proven);
        /* The values are as in arrays of the caller's; the rest is copied from the pattern.
         */
        const sparcl_rows columns = sparcl_pattern_columns(pattern);
        assert_int_equal(sparcl_rows_flags(&columns), proven);
        assert_ok(ctx, sparcl_buf_copy(ctx, r.indices, 12, columns.indices, 0,
                                       4 * int_at(ctx, columns.count, 0)));
        assert_ok(ctx, sparcl_buf_copy(ctx, r.count, 8, columns.count, 0, 8));
        assert_rows(ctx, &p, &r, -1.5);
        sparcl_pattern_free(pattern);
        rows_free(&r);
        product_free(&p);
    }
}

static void the_row_sparse_result_may_be_a_vector(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_ONE_COL, 12, 9, 700, 1, true);
    sparcl_rows r = rows_of(ctx, &p, 9, SPARCL_INDEX32);
    sparcl_dense b = p.b;
    r.rank = b.rank = 1;
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &p.a, &b, NULL));
    assert_rows(ctx, &p, &r, 1);
    rows_free(&r);
    product_free(&p);
}

static void the_row_sparse_result_of_an_empty_matrix_has_no_rows(void **state) {
    static const int64_t sizes[][4] = {{0, 0, 0, 2}, {0, 3, 0, 2}, {3, 0, 0, 2}, {3, 3, 0, 2}};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(sizes); ++i) {
        product p = product_make(ctx, SPEC_UNIFORM, sizes[i][0], sizes[i][1], sizes[i][2],
                                 sizes[i][3], true);
        sparcl_rows r = rows_of(ctx, &p, 0, SPARCL_INDEX32);
        assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &p.a, &p.b, NULL));
        assert_rows(ctx, &p, &r, 1);
        sparcl_rows empty = r; /* no capacity, no buffers */
        empty.values = empty.indices = NULL;
        empty.values_at = empty.indices_at = 0;
        assert_ok(ctx, sparcl_spmm_t_rows(ctx, &empty, 1, &p.a, &p.b, NULL));
        rows_free(&r);
        product_free(&p);
    }
    product p = product_make(ctx, SPEC_UNIFORM, 3, 3, 5, 0, true); /* rows without elements */
    sparcl_rows r = rows_of(ctx, &p, 3, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &p.a, &p.b, NULL));
    assert_rows(ctx, &p, &r, 1);
    rows_free(&r);
    product_free(&p);
}

static void the_rows_of_a_matrix_with_spare_capacity_are_those_of_its_entries(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 20, 30, 110, 3, true);
    product q = with_room_behind(ctx, &p, 110);
    sparcl_rows r = rows_of(ctx, &p, 30, SPARCL_INDEX64);
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &q.a, &q.b, NULL));
    assert_rows(ctx, &p, &r, 1);
    rows_free(&r);
    sparcl_buf_free(q.a.indices);
    sparcl_buf_free(q.a.values);
    product_free(&p);
}

/* R := transpose(A) * B, what a row-sparse product takes. */
typedef struct row_product {
    product p;
    sparcl_rows r;
} row_product;

static void a_row_sparse_result_that_does_not_fit_is_refused_and_stays(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 4, 9, 14, 2, true);
    sparcl_rows r = rows_of(ctx, &p, 9, SPARCL_INDEX32);
    const row_product valid = {p, r};
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, r.values, r.indices, r.count);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(                                                                      \
        row_product, valid, violation, sparcl_spmm_t_rows(ctx, &x.r, 1, &x.p.a, &x.p.b, NULL),     \
        status, part,                                                                              \
        (assert_unchanged(ctx, &kept), assert_int_equal(sparcl_rows_flags(&x.r), 0)))
    REFUSED(x.r.count = NULL, SPARCL_E_SHAPE, "R has no count, expected one");
    REFUSED(x.r.nnr = 8, SPARCL_E_SHAPE, "R has capacity for 8 rows");
    REFUSED(x.r.nnr = -1, SPARCL_E_SHAPE, "R has -1 stored rows");
    REFUSED(x.r.rank = 1, SPARCL_E_SHAPE, "B has rank 2 and R rank 1");
    REFUSED(x.r.shape[0] = 8, SPARCL_E_SHAPE, "A has 9 columns, R has 8 rows");
    REFUSED(x.r.shape[1] = 1, SPARCL_E_SHAPE, "B has 2 columns, R has 1");
    REFUSED(x.r.dtype = SPARCL_F64, no_f64, "64");
    REFUSED(x.r.index_type = (sparcl_itype)2, SPARCL_E_DTYPE, "R has index type 2");
    REFUSED(x.r.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of R");
    REFUSED(x.r.values_at = 1000, SPARCL_E_SHAPE, "for its values");
    REFUSED(x.r.indices_at = 1000, SPARCL_E_SHAPE, "for its indices");
    REFUSED(x.r.count_at = 3, SPARCL_E_SHAPE, "for its count");
    REFUSED(x.p.b.values = x.r.values, SPARCL_E_ALIAS, "the values of R overlaps B");
    REFUSED(x.p.a.values = x.r.values, SPARCL_E_ALIAS, "the values of R overlaps the values of A");
    REFUSED(x.p.a.indices = x.r.indices, SPARCL_E_ALIAS,
            "the indices of R overlaps the indices of A");
    REFUSED(x.p.a.offsets = x.r.count, SPARCL_E_ALIAS, "the count of R overlaps the offsets of A");
    REFUSED(x.r.indices = x.r.values, SPARCL_E_ALIAS, "the values of R overlaps the indices of R");
    REFUSED((x.r.count = x.r.indices, x.r.count_at = 2), SPARCL_E_ALIAS,
            "the count of R overlaps the indices of R");
    REFUSED(x.p.a.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_csr_validate");
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_spmm_t_rows(ctx, NULL, 1, &p.a, &p.b, NULL), SPARCL_E_ARG,
                   "R is NULL");
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &p.a, &p.b, NULL));
    assert_rows(ctx, &p, &r, 1);
    rows_free(&r);
    product_free(&p);
}

static void memory_is_freed_after_a_product_without_a_pattern(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 50, 40, 300, 3, true);
    assert_ok(ctx, multiply(ctx, &p, 1, 0)); /* scratch memory stays with the context */
    const int64_t memory = sparcl_ctx_memory(ctx);
    for (int i = 0; i < 3; ++i)
        assert_ok(ctx, multiply(ctx, &p, 1, 0));
    assert_int_equal(sparcl_ctx_memory(ctx), memory);
    product_free(&p);
}

static void many_entries_may_have_long_keys(void **state) {
    for (int variant = 2; variant < 4 && !test_is_small(); ++variant) {
        spec_case c = long_keys(SPEC_UNIFORM);
        c.variant = variant;
        c.n = 2;
        c.alpha = 1;
        check_spec_case(*state, "spmm_t", &c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_rows_are_scaled_by_beta_where_a_has_no_entry),
        cmocka_unit_test(a_stored_zero_times_infinity_is_nan_and_an_absent_entry_is_nothing),
        cmocka_unit_test(the_bits_are_those_of_transposing_first_and_multiplying_then),
        cmocka_unit_test(long_columns_are_summed_by_blocks),
        cmocka_unit_test(the_rows_are_those_of_the_dense_result_that_a_has_columns_for),
        cmocka_unit_test(the_result_may_use_the_indices_of_the_pattern),
        cmocka_unit_test(the_row_sparse_result_may_be_a_vector),
        cmocka_unit_test(the_row_sparse_result_of_an_empty_matrix_has_no_rows),
        cmocka_unit_test(the_rows_of_a_matrix_with_spare_capacity_are_those_of_its_entries),
        cmocka_unit_test(a_row_sparse_result_that_does_not_fit_is_refused_and_stays),
        cmocka_unit_test(memory_is_freed_after_a_product_without_a_pattern),
        cmocka_unit_test(many_entries_may_have_long_keys),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
