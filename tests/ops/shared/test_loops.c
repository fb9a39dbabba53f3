/* test_loops.c: sums so long that a device that ends loops early would truncate them: they are
 * right up to a limit, and past it such a device refuses. */
#include "op_test.h"

#include "launch/launch.h"

/* A dense matrix of ones. */
static sparcl_dense ones(sparcl_ctx *ctx, int64_t rows, int64_t cols) {
    sparcl_dense v = {.rank = 2, .shape = {rows, cols}};
    float *x = must_have(malloc((size_t)(rows * cols) * sizeof *x));
    for (int64_t i = 0; i < rows * cols; ++i)
        x[i] = 1;
    v.values = put(ctx, x, rows * cols * (int64_t)sizeof *x);
    free(x);
    return v;
}

static void must_all_be(sparcl_ctx *ctx, const sparcl_dense *v, int64_t count, float expected) {
    float *x = must_have(malloc((size_t)count * sizeof *x));
    assert_ok(ctx, sparcl_buf_read(ctx, v->values, 0, count * (int64_t)sizeof *x, x));
    for (int64_t i = 0; i < count; ++i)
        if (x[i] != expected)
            fail_msg("element %lld is %g, expected %g", (long long)i, x[i], expected);
    free(x);
}

/* A call that is too long for a device with short loops, and right on all others. */
static bool is_refused(sparcl_ctx *ctx, sparcl_status status) {
    if (!spc_has_short_loops(ctx)) {
        assert_int_equal(status, SPARCL_OK);
        return false;
    }
    assert_int_equal(status, SPARCL_E_UNSUPPORTED);
    assert_non_null(strstr(sparcl_ctx_error(ctx)->message, "use another device"));
    return true;
}

static sparcl_status multiply(sparcl_ctx *ctx, int64_t m, int64_t n, int64_t k) {
    const sparcl_dense a = ones(ctx, m, k), b = ones(ctx, k, n), c = ones(ctx, m, n);
    const sparcl_status status = sparcl_gemm(ctx, &c, 1, SPARCL_OP_N, &a, SPARCL_OP_N, &b, 0, 0);
    must_all_be(ctx, &c, m * n, status == SPARCL_OK ? (float)k : 1);
    sparcl_buf_free(a.values);
    sparcl_buf_free(b.values);
    sparcl_buf_free(c.values);
    return status;
}

static void dense_products_are_complete_up_to_the_limit(void **state) {
    assert_ok(*state, multiply(*state, 4, 31, 12900));
    assert_ok(*state, multiply(*state, 17, 32, 64000));
    assert_ok(*state, multiply(*state, 33, 1, 20736));
    (void)is_refused(*state, multiply(*state, 4, 31, 13100));
    (void)is_refused(*state, multiply(*state, 4, 32, 66000));
    (void)is_refused(*state, multiply(*state, 33, 1, 20737));
}

static void sum_rows(sparcl_ctx *ctx, int64_t m, int64_t k) {
    const sparcl_dense x = ones(ctx, m, k);
    sparcl_dense r = ones(ctx, 1, k);
    r.rank = 1;
    r.shape[0] = k;
    assert_ok(ctx, sparcl_sum_rows(ctx, &r, 1, &x, 0));
    must_all_be(ctx, &r, k, (float)m);
    sparcl_buf_free(x.values);
    sparcl_buf_free(r.values);
}

static void sums_of_wide_and_of_tall_matrices_are_complete(void **state) {
    sum_rows(*state, 257, 5003);
    sum_rows(*state, 256, 70000);
    sum_rows(*state, 70000, 300); /* more sums of blocks than one partition of columns could add */
}

static void losses_of_many_classes_are_complete_up_to_the_limit(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t k = 21000; k <= 33000; k += 12000) {
        const sparcl_dense scores = ones(ctx, 2, k), all = ones(ctx, 2, k);
        sparcl_dense labels = ones(ctx, 1, 2);
        labels.rank = 1;
        labels.shape[0] = 2;
        const sparcl_status status =
            sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &scores, NULL, &labels, 1, &all, NULL);
        if (k == 21000 || !is_refused(ctx, status)) {
            float ends[2];
            assert_ok(ctx, status);
            assert_ok(ctx, sparcl_buf_read(ctx, all.values, 0, 4, &ends[0]));
            assert_ok(ctx, sparcl_buf_read(ctx, all.values, (2 * k - 1) * 4, 4, &ends[1]));
            assert_true(ends[0] == 1.0F / (float)k && ends[1] == 1.0F / (float)k);
        }
        sparcl_buf_free(scores.values);
        sparcl_buf_free(all.values);
        sparcl_buf_free(labels.values);
    }
}

/* One row with all entries, all in column 0. */
static sparcl_status multiply_sparse(sparcl_ctx *ctx, int64_t entries, int64_t n) {
    const int64_t offsets[] = {0, entries};
    int64_t *indices = must_have(calloc((size_t)entries, sizeof *indices));
    sparcl_csr a = {.rows = 1, .cols = 1, .nnz = entries};
    const sparcl_dense values = ones(ctx, 1, entries), b = ones(ctx, 1, n), c = ones(ctx, 1, n);
    a.offsets = put_ints(ctx, offsets, 2, SPARCL_INDEX32);
    a.indices = put_ints(ctx, indices, entries, SPARCL_INDEX32);
    a.values = values.values;
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, 0));
    const sparcl_status status = sparcl_spmm(ctx, &c, 1, &a, &b, 0);
    must_all_be(ctx, &c, n, status == SPARCL_OK ? (float)entries : 1);
    sparcl_csr_free(&a);
    sparcl_buf_free(b.values);
    sparcl_buf_free(c.values);
    free(indices);
    return status;
}

static void sparse_products_with_many_columns_are_complete(void **state) {
    assert_ok(*state, multiply_sparse(*state, 600, 12000));
    assert_ok(*state, multiply_sparse(*state, 5000, 17001));
}

static void a_refusal_names_the_operation_and_the_device(void **state) {
    sparcl_ctx *ctx = *state;
    if (!spc_has_short_loops(ctx)) skip();
    assert_int_equal(multiply(ctx, 1, 2, 66000), SPARCL_E_UNSUPPORTED);
    assert_memory_equal(sparcl_ctx_error(ctx)->message, "gemm: ", 6);
    assert_non_null(strstr(sparcl_ctx_error(ctx)->message, "llvmpipe"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dense_products_are_complete_up_to_the_limit, open_ctx,
                                        close_ctx),
        cmocka_unit_test_setup_teardown(sums_of_wide_and_of_tall_matrices_are_complete, open_ctx,
                                        close_ctx),
        cmocka_unit_test_setup_teardown(losses_of_many_classes_are_complete_up_to_the_limit,
                                        open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(sparse_products_with_many_columns_are_complete, open_ctx,
                                        close_ctx),
        cmocka_unit_test_setup_teardown(a_refusal_names_the_operation_and_the_device, open_ctx,
                                        close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
