/* test_architecture_files.c: models of a caller's own in files: read back, of another architecture,
 * damaged. */
#include "architecture_test.h"
#include "folder_test.h"
#include "sparcl/apply.h"

static const char *const path = "test_architecture_files.safetensors";

static sparcl_model *trained_and_saved(sparcl_ctx *ctx, const sparcl_data *data,
                                       const sparcl_architecture *a) {
    const sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_MOMENTUM);
    sparcl_error error = {0};
    sparcl_model *model = must_train(ctx, data, NULL, &desc, NULL);
    assert_done(error, sparcl_model_save(model, path, &error));
    return model;
}

static void a_model_is_read_back(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_architecture a = two_layers();
    sparcl_model *model = trained_and_saved(*state, data, &a), *back = NULL;
    double label[2][ROWS];
    float p[2][ROWS];
    sparcl_error error = {0};
    assert_done(error, sparcl_model_load_as(&back, path, &a, &error));
    assert_true(same_values(model, back));
    const sparcl_metrics m = must_eval(*state, model, data), n = must_eval(*state, back, data);
    assert_memory_equal(&m, &n, sizeof m);
    assert_true(m.objective > m.loss && m.auc > 0.5);
    assert_done(error, sparcl_predict(*state, model, data, label[0], p[0], &error));
    assert_done(error, sparcl_predict(*state, back, data, label[1], p[1], &error));
    assert_memory_equal(label[0], label[1], sizeof label[0]);
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    sparcl_model_free(back);
    sparcl_model_free(model);
    sparcl_data_free(data);
    unlink(path);
}

static void a_file_of_another_architecture_is_refused(void **state) {
    static const char *const fewer[] = {"w1", "b1", "w2", NULL};
    static const char *const others[] = {"w1", "b1", "w2", "b3", NULL};
    const int hidden = 7;
    union {
        const int *in;
        void *out;
    } user = {.in = &hidden}; /* not written */
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_architecture a = two_layers();
    sparcl_architecture b = a;
    sparcl_metrics ignored;
    sparcl_error error;
    sparcl_model *model = trained_and_saved(*state, data, &a);
    sparcl_model_free(model);
    assert_failed(error, sparcl_model_load(&model, path, &error), SPARCL_E_FORMAT,
                  "kind: expected linear, or another model that sparcl help models lists, found "
                  "\"two-layers\"");
    assert_null(model);
    assert_failed(error, sparcl_model_load_as(&model, path, NULL, &error), SPARCL_E_ARG, "NULL");
    b.name = "three-layers";
    assert_failed(error, sparcl_model_load_as(&model, path, &b, &error), SPARCL_E_FORMAT,
                  "kind: expected \"three-layers\", found \"two-layers\"");
    b = a;
    b.parameters = fewer;
    assert_failed(error, sparcl_model_load_as(&model, path, &b, &error), SPARCL_E_FORMAT,
                  "expected the 3 parameters of two-layers and no other tensor, found 4");
    b.parameters = others;
    assert_failed(error, sparcl_model_load_as(&model, path, &b, &error), SPARCL_E_FORMAT,
                  "the tensor b3 is missing");
    assert_null(model);
    b = a;
    b.user = user.out;
    assert_done(error, sparcl_model_load_as(&model, path, &b, &error));
    assert_failed(error, sparcl_eval(*state, model, data, &ignored, &error), SPARCL_E_FORMAT,
                  "parameter w1 has 23 rows and 138 elements, these data need 23 and 161");
    sparcl_model_free(model);
    sparcl_data_free(data);
    unlink(path);
}

/* A changed bit of the header is refused, or gives a model that can be used; no prefix of the file
 * is a model. */
static void damaged_files_are_refused(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_architecture a = two_layers();
    size_t size = 0;
    sparcl_error error;
    sparcl_model *model = trained_and_saved(*state, data, &a);
    sparcl_model_free(model);
    sparcl_data_free(data);
    unsigned char *const bytes = read_bytes(path, &size);
    size_t header = 8;
    for (int i = 0; i < 2; ++i)
        header += (size_t)bytes[i] << (8 * i);
    assert_in_range(header, 200, size - 4 * HIDDEN * COLUMNS);
    int64_t refused = 0;
    for (size_t at = 0; at < header; ++at) {
        bytes[at] ^= (unsigned char)(1u << at % 7);
        FILE *const file = fmemopen(bytes, size, "rb");
        const sparcl_status status = spc_model_read(&model, file, "memory", &a, &error);
        assert_true(status == SPARCL_OK || status == SPARCL_E_FORMAT);
        assert_int_equal(status == SPARCL_OK, model != NULL);
        refused += !model;
        sparcl_model_free(model);
        fclose(file);
        bytes[at] ^= (unsigned char)(1u << at % 7);
    }
    assert_in_range(refused, header / 2, header);
    for (size_t length = 1; length < size; length += 7) {
        FILE *const file = fmemopen(bytes, length, "rb");
        assert_failed(error, spc_model_read(&model, file, "memory", &a, &error), SPARCL_E_FORMAT,
                      "memory");
        assert_null(model);
        fclose(file);
    }
    memcpy(bytes + header + 8, "\0\0\x80\x7f", 4); /* infinity */
    FILE *const file = fmemopen(bytes, size, "rb");
    assert_failed(error, spc_model_read(&model, file, "memory", &a, &error), SPARCL_E_FORMAT,
                  "w1 [0, 2] is not a finite number");
    fclose(file);
    free(bytes);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_read_back),
        cmocka_unit_test(a_file_of_another_architecture_is_refused),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
