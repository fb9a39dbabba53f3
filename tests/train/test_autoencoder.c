/* test_autoencoder.c: the k-sparse autoencoder: its gradient, what it learns, its codes, and data
 * sets from arrays, which its codes are. */
#include "folder_test.h"
#include "model_gradient_test.h"
#include "sparcl/apply.h"

static const char *const path = "test_autoencoder.safetensors";

enum { UNITS = 11, K = 4 };

/* The code of a row: its units, of which only the k largest are not 0. */
static void encode(const flat *f, const double x[COLUMNS], double code[UNITS]) {
    int64_t n = 0;
    double units[UNITS];
    const double *const encoder = part(f, "encoder", &n), *const bias = part(f, "encoder.bias", &n);
    memcpy(units, bias, sizeof units);
    multiply(units, x, COLUMNS, encoder, UNITS);
    memset(code, 0, UNITS * sizeof *code);
    for (int taken = 0; taken < K; ++taken) {
        int best = -1;
        for (int j = 0; j < UNITS; ++j)
            if (!isnan(units[j]) && (best < 0 || units[j] > units[best])) best = j;
        code[best] = units[best];
        units[best] = (double)NAN;
    }
}

static double squares_in_plain_c(const flat *f, const sparcl_data *data,
                                 const sparcl_train_desc *desc) {
    int64_t n = 0;
    const double *const decoder = part(f, "decoder", &n), *const bias = part(f, "decoder.bias", &n);
    double sum = 0;
    (void)desc;
    for (int64_t row = 0; row < ROWS; ++row) {
        double x[COLUMNS], code[UNITS], again[COLUMNS];
        unpack(data, row, x);
        encode(f, x, code);
        memcpy(again, bias, sizeof again);
        multiply(again, code, UNITS, decoder, COLUMNS);
        for (int j = 0; j < COLUMNS; ++j)
            sum += (again[j] - x[j]) * (again[j] - x[j]) / 2;
    }
    return sum / ROWS;
}

/* It has a jump where two units are equal: with these settings no row has any so near to each
 * other. */
static void the_gradient_is_that_of_a_plain_answer(void **state) {
    check_gradient(*state, squares_in_plain_c, "autoencoder:units=11,k=4", SPARCL_LOSS_SQUARED,
                   NULL);
}

static sparcl_model *train(sparcl_ctx *ctx, const sparcl_data *data, const char *text,
                           sparcl_rule rule, int64_t epochs) {
    const sparcl_architecture *const a = must_parse(text);
    sparcl_train_desc desc = run_of(a, SPARCL_LOSS_SQUARED, rule);
    desc.batch = 0;
    desc.l2 = 0;
    desc.optim.lr = 0.01;
    desc.epochs = epochs;
    sparcl_model *const model = must_train(ctx, data, NULL, &desc, NULL);
    sparcl_architecture_free(a);
    return model;
}

/* Labels are not read: these are of a single class. */
static sparcl_data *without_labels(void) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 3), *bare = NULL;
    sparcl_error error = {0};
    const sparcl_data_arrays arrays = {.rows = ROWS,
                                       .columns = COLUMNS,
                                       .offsets = sparcl_data_offsets(data),
                                       .index_type = sparcl_data_index_type(data),
                                       .indices = sparcl_data_indices(data),
                                       .values = sparcl_data_values(data)};
    assert_done(error, sparcl_data_create(&bare, &arrays, &error));
    sparcl_data_free(data);
    return bare;
}

static void rows_can_be_learnt_by_heart(void **state) {
    sparcl_data *const data = without_labels();
    sparcl_model *const model =
        train(*state, data, "autoencoder:units=128,k=32", SPARCL_RULE_ADAM, 600);
    const sparcl_metrics m = must_eval(*state, model, data);
    print_message("           loss %.5f of %.5f\n", m.loss, m.best_constant_loss);
    assert_true(m.loss < 0.05 * m.best_constant_loss);
    assert_true(isnan(m.accuracy) && isnan(m.auc));
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* The loss of columns that are all their means. */
static void the_best_constant_is_the_mean_of_each_column(void **state) {
    sparcl_data *const data = without_labels();
    sparcl_model *const model = train(*state, data, "autoencoder:units=2,k=1", SPARCL_RULE_SGD, 0);
    double mean[COLUMNS] = {0}, sum = 0, x[COLUMNS];
    for (int64_t row = 0; row < ROWS; ++row) {
        unpack(data, row, x);
        for (int j = 0; j < COLUMNS; ++j)
            mean[j] += x[j] / ROWS;
    }
    for (int64_t row = 0; row < ROWS; ++row) {
        unpack(data, row, x);
        for (int j = 0; j < COLUMNS; ++j)
            sum += (x[j] - mean[j]) * (x[j] - mean[j]) / 2;
    }
    const sparcl_metrics m = must_eval(*state, model, data);
    assert_true(fabs(m.best_constant_loss - sum / ROWS) < 1e-12);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void codes_are_the_largest_units(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 3), *codes = NULL;
    sparcl_model *const model =
        train(*state, data, "autoencoder:units=11,k=4", SPARCL_RULE_ADAGRAD, 5);
    flat f = flatten(model);
    sparcl_error error = {0};
    assert_done(error, sparcl_encode(*state, model, data, &codes, &error));
    const sparcl_data_info *const info = sparcl_data_get_info(codes);
    assert_true(info->rows == ROWS && info->columns == UNITS && info->entries == ROWS * K);
    assert_memory_equal(sparcl_data_labels(codes), sparcl_data_labels(data), ROWS * sizeof(double));
    for (int64_t row = 0; row < ROWS; ++row) {
        double x[COLUMNS], code[UNITS];
        unpack(data, row, x);
        encode(&f, x, code);
        assert_int_equal(sparcl_data_offsets(codes)[row + 1], (row + 1) * K);
        for (int64_t k = row * K; k < (row + 1) * K; ++k) {
            const int32_t unit = ((const int32_t *)sparcl_data_indices(codes))[k];
            assert_true(fabs((double)sparcl_data_values(codes)[k] - code[unit]) < 1e-5);
            assert_true(code[unit] != 0);
        }
    }
    free(f.values);
    sparcl_data_free(codes);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void no_rows_have_codes_of_as_many_columns(void **state) {
    static const int64_t offsets[1] = {0};
    const sparcl_data_arrays arrays = {
        .columns = COLUMNS, .offsets = offsets, .index_type = SPARCL_INDEX32, .index_base = 1};
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 3), *none = NULL, *codes = NULL;
    sparcl_model *const model =
        train(*state, data, "autoencoder:units=11,k=4", SPARCL_RULE_ADAGRAD, 1);
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&none, &arrays, &error));
    assert_done(error, sparcl_encode(*state, model, none, &codes, &error));
    assert_int_equal(sparcl_data_get_info(codes)->rows, 0);
    assert_int_equal(sparcl_data_get_info(codes)->columns, UNITS);
    sparcl_data_free(codes);
    sparcl_data_free(none);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void a_model_is_read_back(void **state) {
    sparcl_data *const data = without_labels();
    sparcl_model *const model =
        train(*state, data, "autoencoder:units=6,k=2", SPARCL_RULE_MOMENTUM, 2);
    sparcl_model *back = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_model_save(model, path, &error));
    assert_done(error, sparcl_model_load(&back, path, &error));
    assert_true(same_values(model, back));
    assert_int_equal(sparcl_model_get_info(back)->outputs, COLUMNS);
    const sparcl_metrics m = must_eval(*state, model, data), n = must_eval(*state, back, data);
    assert_memory_equal(&m, &n, sizeof m);
    sparcl_model_free(back);
    sparcl_model_free(model);
    sparcl_data_free(data);
    unlink(path);
}

static void other_losses_and_predictions_are_refused(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 3), *codes;
    const sparcl_architecture *const a = must_parse("autoencoder:units=6,k=2");
    sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *model;
    sparcl_error error;
    double label[ROWS];
    float p[ROWS];
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "expected squared: a model of the kind autoencoder reconstructs");
    desc.loss = SPARCL_LOSS_SQUARED;
    model = must_train(*state, data, NULL, &desc, NULL);
    assert_failed(error, sparcl_predict(*state, model, data, label, p, &error), SPARCL_E_ARG,
                  "predicts no labels; use sparcl_encode");
    sparcl_model_free(model);
    desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    model = must_train(*state, data, NULL, &desc, NULL);
    assert_failed(error, sparcl_encode(*state, model, data, &codes, &error), SPARCL_E_ARG,
                  "a model of the kind linear has no codes");
    assert_null(codes);
    assert_failed(error, sparcl_encode(*state, model, NULL, &codes, &error), SPARCL_E_ARG, "NULL");
    sparcl_model_free(model);
    sparcl_architecture_free(a);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_that_of_a_plain_answer),
        cmocka_unit_test(rows_can_be_learnt_by_heart),
        cmocka_unit_test(the_best_constant_is_the_mean_of_each_column),
        cmocka_unit_test(codes_are_the_largest_units),
        cmocka_unit_test(no_rows_have_codes_of_as_many_columns),
        cmocka_unit_test(a_model_is_read_back),
        cmocka_unit_test(other_losses_and_predictions_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
