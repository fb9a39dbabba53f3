/* test_ffm.c: the field-aware factorization machine: gradients against plain C, its files, data in
 * device memory and in that of the host, and what is refused. */
#include "folder_test.h"
#include "model_gradient_test.h"
#include "source_test.h"
#include "sparcl/apply.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"

static const char *const path = "test_ffm.safetensors";

enum { FIELDS = 4 };

/* The field of a feature; of feature 5 it changes from row to row. */
static int field_of(int64_t row, int64_t column) {
    return (int)(column == 5 ? row % FIELDS : column % FIELDS);
}

static sparcl_data *make_fields(int fields) {
    sparcl_data *const plain_data = make_data(SPARCL_LOSS_LOGISTIC, 9);
    const int64_t *const offsets = sparcl_data_offsets(plain_data);
    const sparcl_data_desc desc = {
        .format = SPARCL_DATA_LIBFFM, .columns = COLUMNS, .index_base = SPARCL_BASE_0};
    char *const text = must_have(calloc(ROWS, 900)), *at = text;
    for (int64_t row = 0; row < ROWS; ++row) {
        at += sprintf(at, "%d", (int)sparcl_data_labels(plain_data)[row]);
        for (int64_t k = offsets[row]; k < offsets[row + 1]; ++k) {
            const int64_t column = index_of(plain_data, k);
            at += sprintf(at, " %d:%d:%.9g", field_of(row, column) % fields, (int)column,
                          (double)sparcl_data_values(plain_data)[k]);
        }
        *at++ = '\n';
    }
    sparcl_data *const data = read_text(text, &desc);
    free(text);
    sparcl_data_free(plain_data);
    return data;
}

/* --- gradients -------------------------------------------------------------------------------- */

static double score(const flat *f, const sparcl_data *data, int64_t row) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    const float *const x = sparcl_data_values(data);
    const int32_t *const fields = sparcl_data_fields(data);
    int64_t one = 0, width = 0;
    const double *const weight = part(f, "weight", &one), *const v = part(f, "factors", &width);
    double sum = *part(f, "bias", &one);
    const int64_t k = width / FIELDS;
    (void)part(f, "factors", &width);
    for (int64_t p = offsets[row]; p < offsets[row + 1]; ++p) {
        const int64_t i = index_of(data, p);
        sum += (double)x[p] * weight[i];
        for (int64_t q = p + 1; q < offsets[row + 1]; ++q) {
            const int64_t j = index_of(data, q);
            for (int64_t d = 0; d < k; ++d)
                sum += (double)x[p] * (double)x[q] * v[i * width + fields[q] * k + d] *
                       v[j * width + fields[p] * k + d];
        }
    }
    return sum;
}

static double mean_loss(const flat *f, const sparcl_data *data, const sparcl_train_desc *desc) {
    double sum = 0;
    for (int64_t row = 0; row < ROWS; ++row) {
        const double s = score(f, data, row);
        sum += loss_of(desc->loss, &s, 1, sparcl_data_labels(data)[row]);
    }
    return sum / ROWS;
}

static void gradients_are_those_of_a_plain_answer(void **state) {
    sparcl_data *const data = make_fields(FIELDS);
    check_gradient_on(*state, data, mean_loss, "ffm:factors=3,init=0.3", SPARCL_LOSS_LOGISTIC,
                      NULL);
    check_gradient_on(*state, data, mean_loss, "ffm:factors=1,init=0.5", SPARCL_LOSS_HINGE, NULL);
    sparcl_data_free(data);
}

/* --- training --------------------------------------------------------------------------------- */

static sparcl_model *train_ffm(sparcl_ctx *ctx, const sparcl_data *data, sparcl_rule rule,
                               int64_t batch, int64_t device_memory) {
    const sparcl_architecture *const a = must_parse("ffm:factors=4,init=0.1");
    sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, rule);
    desc.l2 = 0;
    desc.batch = batch;
    desc.optim.lr = 0.05;
    desc.epochs = 120;
    desc.device_memory = device_memory;
    sparcl_model *const model = must_train(ctx, data, NULL, &desc, NULL);
    sparcl_architecture_free(a);
    return model;
}

static void rows_can_be_learnt_by_heart_and_are_read_back(void **state) {
    sparcl_data *const data = make_fields(FIELDS);
    sparcl_model *const model = train_ffm(*state, data, SPARCL_RULE_ADAM, 0, 0), *back = NULL;
    sparcl_error error = {0};
    sparcl_metrics m, n;
    assert_int_equal(sparcl_model_get_info(model)->fields, FIELDS);
    assert_int_equal(sparcl_model_tensor(model, "factors")->shape[1], 4 * FIELDS);
    assert_done(error, sparcl_eval(*state, model, data, &m, &error));
    print_message("           loss %.4f of %.4f\n", m.loss, m.best_constant_loss);
    assert_true(m.accuracy > 0.9 && m.loss < 0.3 * m.best_constant_loss);
    assert_done(error, sparcl_model_save(model, path, &error));
    assert_done(error, sparcl_model_load(&back, path, &error));
    assert_int_equal(sparcl_model_get_info(back)->fields, FIELDS);
    assert_done(error, sparcl_eval(*state, back, data, &n, &error));
    assert_memory_equal(&m, &n, sizeof m);
    sparcl_model_free(back);
    sparcl_model_free(model);
    sparcl_data_free(data);
    unlink(path);
}

static void the_bits_are_those_of_data_on_the_host(void **state) {
    sparcl_data *const data = make_fields(FIELDS);
    sparcl_model *const here = train_ffm(*state, data, SPARCL_RULE_ADAGRAD, 16, 0);
    sparcl_model *const there = train_ffm(*state, data, SPARCL_RULE_ADAGRAD, 16, 1);
    assert_true(same_values(here, there));
    sparcl_model_free(there);
    sparcl_model_free(here);
    sparcl_data_free(data);
}

/* --- arrays ----------------------------------------------------------------------------------- */

static sparcl_csr_arrays arrays_of(const sparcl_data *data) {
    return (sparcl_csr_arrays){.rows = ROWS,
                               .offset_type = SPARCL_INDEX64,
                               .offsets = sparcl_data_offsets(data),
                               .index_type = sparcl_data_index_type(data),
                               .indices = sparcl_data_indices(data),
                               .values = sparcl_data_values(data),
                               .fields = sparcl_data_fields(data)};
}

static void refuse(sparcl_predictor *predictor, const sparcl_csr_arrays *x, sparcl_status expected,
                   const char *part) {
    double label[ROWS];
    sparcl_error error = {0};
    assert_failed(error, sparcl_model_predict(predictor, x, label, NULL, NULL, &error), expected,
                  part);
}

static void arrays_with_fields_are_predicted(void **state) {
    sparcl_data *const data = make_fields(FIELDS);
    sparcl_model *const model = train_ffm(*state, data, SPARCL_RULE_ADAGRAD, 16, 0);
    sparcl_predictor *predictor = NULL;
    sparcl_error error = {0};
    double label[ROWS], found[ROWS];
    float p[ROWS], found_p[ROWS];
    sparcl_csr_arrays x = arrays_of(data);
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    assert_done(error, sparcl_model_open(*state, &predictor, model, &error));
    for (int64_t first = 0; first < ROWS; first += 17) {
        sparcl_csr_arrays rows = x;
        rows.offsets = sparcl_data_offsets(data) + first;
        rows.rows = ROWS - first < 17 ? ROWS - first : 17;
        assert_done(error, sparcl_model_predict(predictor, &rows, found + first, found_p + first,
                                                NULL, &error));
    }
    assert_memory_equal(found, label, sizeof label);
    assert_memory_equal(found_p, p, sizeof p);
    const int64_t entries = sparcl_data_get_info(data)->entries;
    int32_t *const fields = must_have(calloc((size_t)entries, sizeof *fields));
    x.fields = fields;
    fields[0] = FIELDS;
    refuse(predictor, &x, SPARCL_E_FORMAT, "row 0, entry 0: field 4, expected 0 to 3");
    fields[0] = -1;
    refuse(predictor, &x, SPARCL_E_FORMAT, "field -1, expected 0 to 3");
    x.fields = NULL;
    refuse(predictor, &x, SPARCL_E_ARG, "fields is NULL");
    free(fields);
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void arrays_with_fields_are_data(void **state) {
    sparcl_data *const data = make_fields(FIELDS);
    sparcl_data *copy = NULL;
    sparcl_error error = {0};
    const sparcl_data_arrays arrays = {.rows = ROWS,
                                       .columns = COLUMNS,
                                       .offsets = sparcl_data_offsets(data),
                                       .index_type = sparcl_data_index_type(data),
                                       .indices = sparcl_data_indices(data),
                                       .values = sparcl_data_values(data),
                                       .labels = sparcl_data_labels(data),
                                       .fields = sparcl_data_fields(data)};
    assert_done(error, sparcl_data_create(&copy, &arrays, &error));
    assert_int_equal(sparcl_data_get_info(copy)->fields, FIELDS);
    sparcl_model *const here = train_ffm(*state, data, SPARCL_RULE_ADAGRAD, 16, 0);
    sparcl_model *const there = train_ffm(*state, copy, SPARCL_RULE_ADAGRAD, 16, 0);
    assert_true(same_values(here, there));
    sparcl_model_free(there);
    sparcl_model_free(here);
    sparcl_data_free(copy);
    sparcl_data_free(data);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void data_must_have_fields_as_in_the_training(void **state) {
    sparcl_data *const data = make_fields(FIELDS), *const fewer = make_fields(2);
    sparcl_data *const none = make_data(SPARCL_LOSS_LOGISTIC, 9);
    const sparcl_architecture *const a = must_parse("ffm");
    sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *model = NULL;
    sparcl_metrics m;
    sparcl_error error;
    assert_failed(error, sparcl_train(*state, &model, none, NULL, &desc, NULL, &error),
                  SPARCL_E_FORMAT, "expected the field of each entry, for a model of the kind ffm");
    assert_failed(error, sparcl_train(*state, &model, fewer, data, &desc, NULL, &error),
                  SPARCL_E_FORMAT, "expected fields below 2, as in the training data, found 3");
    model = must_train(*state, fewer, NULL, &desc, NULL);
    assert_failed(error, sparcl_eval(*state, model, data, &m, &error), SPARCL_E_FORMAT,
                  "expected fields below 2");
    sparcl_model_free(model);
    model = must_train(*state, data, fewer, &desc, NULL);
    assert_done(error, sparcl_eval(*state, model, fewer, &m, &error));
    sparcl_model_free(model);
    handing h = {.data = none, .batch = 16};
    const sparcl_batch_source source = source_of(&h, SPARCL_LOSS_LOGISTIC);
    assert_failed(error, sparcl_train_source(*state, &model, &source, &desc, NULL, &error),
                  SPARCL_E_ARG, "reads fields, which batches of a callback do not have");
    sparcl_architecture_free(a);
    sparcl_data_free(none);
    sparcl_data_free(fewer);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_a_plain_answer),
        cmocka_unit_test(rows_can_be_learnt_by_heart_and_are_read_back),
        cmocka_unit_test(the_bits_are_those_of_data_on_the_host),
        cmocka_unit_test(arrays_with_fields_are_predicted),
        cmocka_unit_test(arrays_with_fields_are_data),
        cmocka_unit_test(data_must_have_fields_as_in_the_training),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
