/* test_spmm.c: what the header says of sparcl_spmm, beyond test_product and the
 * shapes of its sweep. */
#include "product_test.h"

#include "sparcl/opencl.h"

/* The comparison that the sweeps, the doctor and these tests use. */
static void an_answer_that_is_mostly_zeros_proves_little_and_fails(void **state) {
    static const double half[] = {0, 1, -0.0, 2}, maximum[] = {0, 1, -0.0, 0};
    spec_report good = {.equal = true}, bad = good, meant = {.equal = true, .zeros_expected = true};
    (void)state;
    spec_compare(&good, "C", half, half, NULL, NULL, 4);
    spec_compare(&bad, "C", maximum, maximum, NULL, NULL, 4);
    spec_compare(&meant, "C", maximum, maximum, NULL, NULL, 4);
    assert_true(good.equal && meant.equal && !bad.equal);
    assert_non_null(strstr(bad.why, "a bad test case"));
}

static void a_view_that_is_null_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 3, 3, 5, 2, false);
    assert_refused(ctx, sparcl_spmm(ctx, NULL, 1, &p.a, &p.b, 0), SPARCL_E_ARG, "C is NULL");
    assert_refused_untouched(ctx, p.c.values, sparcl_spmm(ctx, &p.c, 1, NULL, &p.b, 0),
                             SPARCL_E_ARG, "spmm: A is NULL");
    assert_refused_untouched(ctx, p.c.values, sparcl_spmm(ctx, &p.c, 1, &p.a, NULL, 0),
                             SPARCL_E_ARG, "spmm: B is NULL");
    product_free(&p);
}

/* One buffer holds B and C, C from element `c_at` on; B has 9 rows of 4, C has 6 of 5. */
static sparcl_status multiply_in_one_buffer(sparcl_ctx *ctx, const product *p, int64_t c_at) {
    product q = *p;
    q.b.values = q.c.values;
    q.b.values_at = 40;
    q.c.values_at = c_at;
    return multiply(ctx, &q, 1, 0);
}

static void c_may_lie_beside_b_but_share_no_element_with_it(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 6, 9, 23, 3, false);
    sparcl_buf_free(p.c.values);
    assert_ok(ctx, sparcl_buf_create(ctx, &p.c.values, 440));
    assert_ok(ctx, sparcl_buf_fill(ctx, p.c.values, 0, 440, 0));
    /* B takes 40 .. 74 (its last row has no gap after it), C 28 elements. */
    assert_refused_untouched(ctx, p.c.values, multiply_in_one_buffer(ctx, &p, 13), SPARCL_E_ALIAS,
                             "C overlaps B");
    assert_refused_untouched(ctx, p.c.values, multiply_in_one_buffer(ctx, &p, 74), SPARCL_E_ALIAS,
                             "C overlaps B");
    assert_refused_untouched(ctx, p.c.values, multiply_in_one_buffer(ctx, &p, 43), SPARCL_E_ALIAS,
                             "C overlaps B"); /* also where C would begin in a gap of B */
    assert_ok(ctx, multiply_in_one_buffer(ctx, &p, 12));
    assert_ok(ctx, multiply_in_one_buffer(ctx, &p, 75));
    assert_refused(ctx, multiply_in_one_buffer(ctx, &p, 83), SPARCL_E_SHAPE, "C needs");
    product_free(&p);
}

static sparcl_buf *adopt_part(sparcl_ctx *ctx, cl_mem parent, size_t at, size_t bytes) {
    const cl_buffer_region region = {at, bytes};
    cl_int code = CL_SUCCESS;
    sparcl_buf *buf = NULL;
    cl_mem part =
        clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_ok(ctx, sparcl_buf_adopt(ctx, &buf, part));
    clReleaseMemObject(part);
    return buf;
}

static void sub_buffers_of_one_memory_object_are_seen_to_overlap(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 6, 9, 23, 3, false);
    sparcl_buf *parent = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &parent, 12288));
    assert_ok(ctx, sparcl_buf_fill(ctx, parent, 0, 12288, 0));
    cl_mem memory = sparcl_buf_cl_mem(parent);
    sparcl_buf *low = adopt_part(ctx, memory, 0, 8192), *high = adopt_part(ctx, memory, 4096, 8192);
    product q = p;
    q.b.values = low;
    q.b.values_at = 1024; /* byte 4096 of the parent */
    q.c.values = high;
    assert_refused_untouched(ctx, parent, multiply(ctx, &q, 1, 0), SPARCL_E_ALIAS, "C overlaps B");
    q.c.values = parent;
    q.c.values_at = 1024;
    assert_refused_untouched(ctx, parent, multiply(ctx, &q, 1, 0), SPARCL_E_ALIAS, "C overlaps B");
    q.c.values_at = 2048;
    assert_ok(ctx, multiply(ctx, &q, 1, 0));
    q.c.values = high;
    q.c.values_at = 1024; /* byte 8192 of the parent */
    assert_ok(ctx, multiply(ctx, &q, 1, 0));
    sparcl_buf_free(low);
    sparcl_buf_free(high);
    sparcl_buf_free(parent);
    product_free(&p);
}

static void host_memory_that_is_wrapped_twice_is_seen_to_overlap(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 6, 9, 23, 3, false);
    float *host = make_floats(1024, 1);
    sparcl_buf *one = NULL, *two = NULL;
    if (!sparcl_ctx_device(ctx)->host_unified) skip(); /* wrapping is a copy there */
    assert_ok(ctx, sparcl_buf_wrap(ctx, &one, host, 2048));
    assert_ok(ctx, sparcl_buf_wrap(ctx, &two, host, 2048));
    product q = p;
    q.b.values = one;
    q.c.values = two;
    assert_refused(ctx, multiply(ctx, &q, 1, 0), SPARCL_E_ALIAS, "C overlaps B");
    sparcl_buf_free(one);
    sparcl_buf_free(two);
    free(host);
    product_free(&p);
}

static void an_array_without_elements_may_have_no_buffer(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t zero = 0;
    product p = product_make(ctx, SPEC_UNIFORM, 4, 3, 0, 2, false);
    product q = p;
    q.a.indices = q.a.values = NULL;
    assert_ok(ctx, multiply(ctx, &q, 1, 0.5));
    assert_product(ctx, &p, 1, 0.5);
    product_free(&p);
    const sparcl_csr empty = {.proof.flags = SPARCL_TRUSTED, .offsets = put(ctx, &zero, 8)};
    const sparcl_dense none = {.rank = 2};
    assert_ok(ctx, sparcl_spmm(ctx, &none, 1, &empty, &none, 0));
    sparcl_buf_free(empty.offsets);
}

static void a_stored_zero_times_infinity_is_nan_and_an_absent_entry_is_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 4; n += 2) {
        spec_matrix m;
        assert_true(spec_matrix_alloc(&m, 2, 2, 2));
        m.offsets[1] = 1;
        m.offsets[2] = 2;
        m.indices[0] = 0; /* row 0: a stored 0 at column 0; row 1: 1 at column 1 */
        m.indices[1] = 1;
        m.values[1] = 1;
        product p = product_of(ctx, &m, n, false, SPARCL_INDEX32, SPARCL_INDEX32);
        for (int64_t j = 0; j < n; ++j)
            p.b_host[j] = INFINITY;
        assert_ok(ctx, sparcl_buf_write(ctx, p.b.values, 0, dense_capacity(&p.b) * 4, p.b_host));
        assert_ok(ctx, multiply(ctx, &p, 1, 0));
        for (int64_t j = 0; j < n; ++j) {
            assert_true(isnan(float_at(ctx, p.c.values, j)));
            assert_true(float_at(ctx, p.c.values, p.c.ld + j) == p.b_host[p.b.ld + j]);
        }
        product_free(&p);
    }
}

/* Sums start from 0, so that a product of -0 gives +0, which is then multiplied by alpha. */
static void the_sign_of_zero_is_that_of_rule_s(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 40; n += 19)
        for (int alpha = -1; alpha <= 1; ++alpha) {
            product p = product_make(ctx, SPEC_DIAGONAL, 9, 9, 9, n, false);
            for (int64_t i = 0; i < dense_capacity(&p.b); ++i)
                p.b_host[i] = i % 2 ? -0.0f : 0;
            assert_ok(ctx,
                      sparcl_buf_write(ctx, p.b.values, 0, dense_capacity(&p.b) * 4, p.b_host));
            assert_ok(ctx, multiply(ctx, &p, alpha, 0));
            assert_product(ctx, &p, alpha, 0);
            product_free(&p);
        }
}

static void nan_reaches_the_rows_that_read_it_and_no_others(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_DIAGONAL, 9, 9, 9, 2, false);
    p.b_host[4 * p.b.ld + 1] = NAN;
    assert_ok(ctx, sparcl_buf_write(ctx, p.b.values, 0, dense_capacity(&p.b) * 4, p.b_host));
    assert_ok(ctx, multiply(ctx, &p, 1, 1));
    assert_product(ctx, &p, 1, 1);
    for (int64_t r = 0; r < 9; ++r)
        for (int64_t j = 0; j < 2; ++j)
            assert_int_equal(isnan(float_at(ctx, p.c.values, r * p.c.ld + j)) != 0,
                             j == 1 && p.matrix.offsets[r] < p.matrix.offsets[r + 1] &&
                                 p.matrix.indices[p.matrix.offsets[r]] == 4);
    product_free(&p);
}

static void old_nan_in_c_stays_nan_where_beta_is_not_0(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 5, 5, 12, 3, false);
    p.c_host[p.c.ld] = NAN;
    p.c_host[1] = -INFINITY;
    assert_ok(ctx, sparcl_buf_write(ctx, p.c.values, 0, dense_capacity(&p.c) * 4, p.c_host));
    assert_ok(ctx, multiply(ctx, &p, 0, 2));
    assert_true(isnan(float_at(ctx, p.c.values, p.c.ld)));
    assert_true(float_at(ctx, p.c.values, 1) == -INFINITY);
    assert_product(ctx, &p, 0, 2);
    product_free(&p);
}

static void float64_works_on_a_device_that_has_it_and_is_refused_on_others(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 6, 5, 17, 2, false);
    product q = p;
    double *b = widen(p.b_host, dense_capacity(&p.b)), *values = p.matrix.values;
    q.a.dtype = q.b.dtype = q.c.dtype = SPARCL_F64;
    q.a.values = put(ctx, values, 17 * 8);
    q.b.values = put(ctx, b, dense_capacity(&p.b) * 8);
    if (!sparcl_ctx_device(ctx)->has_f64) {
        assert_refused_untouched(ctx, p.c.values, multiply(ctx, &q, 1, 0), SPARCL_E_UNSUPPORTED,
                                 "float64");
    } else {
        assert_ok(ctx, multiply(ctx, &q, 1, 0));
        for (int64_t r = 0; r < 6; ++r) {
            double sum = 0, got = 0;
            for (int64_t k = p.matrix.offsets[r]; k < p.matrix.offsets[r + 1]; ++k)
                sum += values[k] * b[p.matrix.indices[k] * p.b.ld];
            assert_ok(ctx, sparcl_buf_read(ctx, p.c.values, r * p.c.ld * 8, 8, &got));
            assert_true(got == sum);
        }
    }
    sparcl_buf_free(q.a.values);
    sparcl_buf_free(q.b.values);
    free(b);
    product_free(&p);
}

static void duplicate_columns_in_any_order_add_up(void **state) {
    sparcl_ctx *ctx = *state;
    static const double values[] = {1, 2, 4, 8, 16};
    static const int64_t indices[] = {3, 0, 3, 3, 0};
    spec_matrix m;
    assert_true(spec_matrix_alloc(&m, 1, 4, 5));
    m.offsets[1] = 5;
    memcpy(m.indices, indices, sizeof indices);
    memcpy(m.values, values, sizeof values);
    product p = product_of(ctx, &m, 2, false, SPARCL_INDEX32, SPARCL_INDEX32);
    for (int64_t i = 0; i < dense_capacity(&p.b); ++i)
        p.b_host[i] = (float)(1 + i / p.b.ld);
    assert_ok(ctx, sparcl_buf_write(ctx, p.b.values, 0, dense_capacity(&p.b) * 4, p.b_host));
    assert_ok(ctx, multiply(ctx, &p, 1, 0));
    assert_true(float_at(ctx, p.c.values, 0) == 13 * 4 + 18);
    product_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_that_is_mostly_zeros_proves_little_and_fails),
        cmocka_unit_test(a_view_that_is_null_is_refused),
        cmocka_unit_test(c_may_lie_beside_b_but_share_no_element_with_it),
        cmocka_unit_test(sub_buffers_of_one_memory_object_are_seen_to_overlap),
        cmocka_unit_test(host_memory_that_is_wrapped_twice_is_seen_to_overlap),
        cmocka_unit_test(an_array_without_elements_may_have_no_buffer),
        cmocka_unit_test(a_stored_zero_times_infinity_is_nan_and_an_absent_entry_is_nothing),
        cmocka_unit_test(the_sign_of_zero_is_that_of_rule_s),
        cmocka_unit_test(nan_reaches_the_rows_that_read_it_and_no_others),
        cmocka_unit_test(old_nan_in_c_stays_nan_where_beta_is_not_0),
        cmocka_unit_test(float64_works_on_a_device_that_has_it_and_is_refused_on_others),
        cmocka_unit_test(duplicate_columns_in_any_order_add_up),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
