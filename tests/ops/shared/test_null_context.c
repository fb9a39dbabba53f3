/* test_null_context.c: a context that is NULL is refused, by every kind of operation; no device. */
#include "op_test.h"
#include "sparcl/optim_text.h"

static const sparcl_dense vector = {.rank = 1, .shape = {3}};
static const sparcl_dense matrix = {.rank = 2, .shape = {3, 3}};
static const sparcl_dense doubles = {.rank = 2, .shape = {3, 3}, .dtype = SPARCL_F64};
static const sparcl_rows rows = {.rank = 2, .shape = {3, 3}};

static void products_refuse_it(void **state) {
    const sparcl_csr a = {.rows = 3, .cols = 3}, wide = {.rows = 3, .cols = 3, .dtype = SPARCL_F64};
    sparcl_csr checked = a;
    (void)state;
    assert_int_equal(sparcl_spmm(NULL, &matrix, 1, &a, &matrix, 0), SPARCL_E_ARG);
    assert_int_equal(sparcl_spmm(NULL, &doubles, 1, &wide, &doubles, 0), SPARCL_E_ARG);
    assert_int_equal(sparcl_spmm(NULL, NULL, 1, NULL, NULL, 0), SPARCL_E_ARG);
    assert_int_equal(sparcl_gemm(NULL, &matrix, 1, SPARCL_OP_N, &matrix, SPARCL_OP_N, &matrix, 0,
                                 (sparcl_math)0),
                     SPARCL_E_ARG);
    const sparcl_matrix any = sparcl_matrix_dense(matrix);
    sparcl_matrix result = any;
    assert_int_equal(sparcl_matmul(NULL, &result, 1, SPARCL_OP_N, &any, SPARCL_OP_N, &any, 0, NULL),
                     SPARCL_E_ARG);
    assert_int_equal(sparcl_csr_add(NULL, &checked, 1, &a, 1, &a, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_csr_multiply(NULL, &checked, &a, &a, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_csr_validate(NULL, &checked, SPARCL_VALID), SPARCL_E_ARG);
    assert_int_equal(checked.proof.flags, 0);
}

static void creations_refuse_it(void **state) {
    sparcl_pattern *pattern = NULL;
    sparcl_batches *batches = NULL;
    sparcl_spgemm *plan = NULL;
    sparcl_buf *buf = NULL;
    sparcl_dense made = vector;
    sparcl_rows read = rows;
    const float x[3] = {0};
    (void)state;
    assert_int_equal(sparcl_pattern_create(NULL, &pattern), SPARCL_E_ARG);
    assert_null(pattern);
    assert_int_equal(sparcl_batches_create(NULL, &batches), SPARCL_E_ARG);
    assert_null(batches);
    assert_int_equal(sparcl_spgemm_create(NULL, &plan), SPARCL_E_ARG);
    assert_null(plan);
    assert_int_equal(sparcl_buf_create(NULL, &buf, 4), SPARCL_E_ARG);
    assert_null(buf);
    assert_int_equal(sparcl_dense_create(NULL, &made), SPARCL_E_ARG);
    assert_int_equal(sparcl_dense_upload(NULL, &made, x), SPARCL_E_ARG);
    assert_int_equal(sparcl_rows_validate(NULL, &read, SPARCL_VALID), SPARCL_E_ARG);
}

static void losses_and_steps_refuse_it(void **state) {
    sparcl_optim o;
    (void)state;
    sparcl_optim_init(NULL, SPARCL_RULE_SGD);
    sparcl_optim_init(&o, SPARCL_RULE_SGD);
    assert_int_equal(
        sparcl_loss_gradient(NULL, SPARCL_LOSS_LOGISTIC, &vector, NULL, &vector, 1, NULL, &vector),
        SPARCL_E_ARG);
    assert_int_equal(sparcl_step(NULL, &o, &matrix, NULL, &rows), SPARCL_E_ARG);
    assert_int_equal(sparcl_step_dense(NULL, &o, &matrix, NULL, &matrix), SPARCL_E_ARG);
    assert_string_equal(sparcl_ctx_error(NULL)->message, "the context is NULL");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_refuse_it),
        cmocka_unit_test(creations_refuse_it),
        cmocka_unit_test(losses_and_steps_refuse_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
