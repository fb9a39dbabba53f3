/* test_data_upload.c: what data.h says of copying a data set to the device. */
#include "train_test.h"

static const char *const text = "1 1:1 3:2.5\n-1\n0.1 1:3 2:-4 4:5\n";

static void a_data_set_is_copied_and_proven(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t before = sparcl_ctx_memory(ctx);
    sparcl_error error = {0};
    sparcl_data *data = read_text(text, &(sparcl_data_desc){.columns = 9});
    sparcl_csr x;
    sparcl_dense y;
    int64_t offsets[4], nnz = 0;
    int32_t indices[5];
    float values[5], labels[3];
    assert_done(error, sparcl_data_upload(ctx, data, &x, &y, &error));
    assert_int_equal(x.rows, 3);
    assert_int_equal(x.cols, 9);
    assert_int_equal(x.nnz, 5);
    assert_int_equal(x.offset_type, SPARCL_INDEX64);
    assert_int_equal(x.index_type, sparcl_data_index_type(data));
    assert_int_equal(sparcl_csr_flags(&x), SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    assert_ok(ctx, sparcl_csr_read(ctx, &x, offsets, indices, values, &nnz));
    assert_int_equal(nnz, 5);
    assert_memory_equal(offsets, sparcl_data_offsets(data), sizeof offsets);
    assert_memory_equal(indices, sparcl_data_indices(data), sizeof indices);
    assert_memory_equal(values, sparcl_data_values(data), sizeof values);
    sparcl_data_free(data); /* need not stay */
    assert_int_equal(y.shape[0], 3);
    assert_ok(ctx, sparcl_dense_read(ctx, &y, labels));
    assert_true(labels[0] == 1 && labels[1] == -1 && labels[2] == 0.1f);
    const int64_t held = sparcl_ctx_memory(ctx);
    sparcl_csr_free(&x);
    sparcl_dense_free(&y);
    assert_int_equal(held - sparcl_ctx_memory(ctx), 4 * 8 + 5 * 4 + 5 * 4 + 3 * 4);
    assert_true(sparcl_ctx_memory(ctx) >= before); /* validation keeps its scratch memory */
}

static void labels_may_be_left_out(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_error error = {0};
    sparcl_data *data = read_text("1,2 1:1\n3 2:1\n", &(sparcl_data_desc){.multilabel = 1});
    sparcl_csr x = {0};
    sparcl_dense y = {.rank = 3};
    assert_failed(error, sparcl_data_upload(ctx, data, &x, &y, &error), SPARCL_E_ARG,
                  "expected one label per row, found several");
    assert_null(x.values);
    assert_null(y.values);
    assert_done(error, sparcl_data_upload(ctx, data, &x, NULL, &error));
    assert_int_equal(x.nnz, 2);
    sparcl_csr_free(&x);
    sparcl_data_free(data);
}

static void what_is_null_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_error error = {0};
    sparcl_data *data = read_text(text, NULL);
    sparcl_csr x;
    assert_failed(error, sparcl_data_upload(NULL, data, &x, NULL, &error), SPARCL_E_ARG, "NULL");
    assert_null(x.offsets);
    assert_failed(error, sparcl_data_upload(ctx, NULL, &x, NULL, &error), SPARCL_E_ARG, "NULL");
    assert_failed(error, sparcl_data_upload(ctx, data, NULL, NULL, &error), SPARCL_E_ARG, "NULL");
    assert_int_equal(sparcl_data_upload(ctx, data, NULL, NULL, NULL), SPARCL_E_ARG);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_data_set_is_copied_and_proven),
        cmocka_unit_test(labels_may_be_left_out),
        cmocka_unit_test(what_is_null_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
