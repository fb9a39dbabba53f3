/* test_streamed.c: data whose entries stay in the file: training has the bits of batches in the
 * order of the file, evaluation those of data in memory; runs go on; what is refused. */
#include "architecture_test.h"
#include "checkpoint_test.h"
#include "sparcl/apply.h"

static char data_path[64];

static sparcl_data *stream(const sparcl_data *data) {
    const sparcl_data_desc desc = {.stream = 1, .columns = COLUMNS, .index_base = SPARCL_BASE_1};
    sparcl_data *streamed = NULL;
    sparcl_error error = {0};
    snprintf(data_path, sizeof data_path, "%s/data", folder);
    assert_done(error, sparcl_data_export(data, data_path, SPARCL_DATA_SVMLIGHT, &error));
    assert_done(error, sparcl_data_read(&streamed, data_path, &desc, &error));
    return streamed;
}

/* --- training --------------------------------------------------------------------------------- */

static void must_equal_batches(sparcl_ctx *ctx, sparcl_train_desc desc, int64_t batch) {
    sparcl_data *const data = make_data(desc.loss, 4);
    sparcl_data *const streamed = stream(data);
    handing h = {.data = data, .batch = batch, .as_stored = true};
    const sparcl_batch_source source = source_of(&h, desc.loss);
    sparcl_model *from_batches = NULL;
    sparcl_train_result result, expected;
    sparcl_error error;
    desc.batch = batch;
    assert_done(error, sparcl_train_source(ctx, &from_batches, &source, &desc, &expected, &error));
    sparcl_model *const model = must_train(ctx, streamed, NULL, &desc, &result);
    assert_true(same_values(model, from_batches));
    assert_true(result.loss == expected.loss);
    assert_int_equal(result.steps, expected.steps);
    assert_int_equal(result.on_host, 1);
    sparcl_model_free(model);
    sparcl_model_free(from_batches);
    sparcl_data_free(streamed);
    sparcl_data_free(data);
}

static void training_has_the_bits_of_batches_in_order(void **state) {
    for (size_t o = 0; o < COUNT(optimizers); ++o)
        must_equal_batches(*state, small_run(LOSS_FOR(o), optimizers[o]), o % 2 ? 16 : 31);
    must_equal_batches(*state, small_run(SPARCL_LOSS_SQUARED, SPARCL_RULE_SGD), ROWS - 1);
}

static void models_are_trained_too(void **state) {
    static const char *const kinds[] = {"fm:factors=3", "mlp:hidden=5", "wide-deep:hidden=4"};
    for (size_t i = 0; i < COUNT(kinds); ++i) {
        const sparcl_architecture *a = NULL;
        sparcl_error error = {0};
        assert_done(error, sparcl_architecture_parse(&a, kinds[i], &error));
        must_equal_batches(*state, run_of(a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM), 16);
        sparcl_architecture_free(a);
    }
}

/* One batch of all rows is refused where it is not on the device. */
static void a_batch_of_all_rows_is_refused(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_data *const streamed = stream(data);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *model = NULL;
    sparcl_error error;
    desc.batch = 0;
    assert_failed(error, sparcl_train(*state, &model, streamed, NULL, &desc, NULL, &error),
                  SPARCL_E_MEMORY, "use smaller batches");
    desc.batch = ROWS + 1; /* asks for no such batch: the file is small */
    assert_done(error, sparcl_train(*state, &model, streamed, NULL, &desc, NULL, &error));
    sparcl_model_free(model);
    sparcl_data_free(streamed);
    sparcl_data_free(data);
}

/* The last losses, and what a run with patience keeps, are those of validation data in memory. */
static void validation_data_may_be_streamed(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_data *const valid = make_data(SPARCL_LOSS_LOGISTIC, 9);
    sparcl_data *const streamed = stream(valid);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
    desc.patience = 1;
    sparcl_model *const one = must_train(*state, data, valid, &desc, NULL);
    sparcl_model *const other = must_train(*state, data, streamed, &desc, NULL);
    assert_true(same_values(one, other));
    sparcl_model_free(one);
    sparcl_model_free(other);
    sparcl_data_free(streamed);
    sparcl_data_free(valid);
    sparcl_data_free(data);
}

static void runs_go_on_with_the_same_bits(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_data *const streamed = stream(data);
    prepared p = {.desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM), .data = streamed};
    sparcl_model *const whole = must_train(*state, streamed, NULL, &p.desc, NULL), *none = NULL;
    stopper s;
    sparcl_train_result result;
    sparcl_error error;
    remove_files();
    sparcl_model *const model = train_in_parts(*state, &p, 10, &s, &result); /* 7 are a pass */
    assert_true(same_values(model, whole));
    /* The same data in memory have another order. */
    p.desc.checkpoint = path;
    p.desc.resume = 1;
    assert_failed(error, sparcl_train(*state, &none, data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "data");
    sparcl_model_free(model);
    sparcl_model_free(whole);
    sparcl_data_free(streamed);
    sparcl_data_free(data);
}

/* --- applying --------------------------------------------------------------------------------- */

static void metrics_and_predictions_are_those_of_data_in_memory(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    sparcl_data *const streamed = stream(data);
    const sparcl_train_desc desc = small_run(SPARCL_LOSS_SOFTMAX, SPARCL_RULE_ADAM);
    sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_metrics a = must_eval(*state, model, data), b = must_eval(*state, model, streamed);
    double label[3][ROWS];
    float p[3][ROWS], scores[2][ROWS * 3];
    sparcl_error error = {0};
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(sparcl_model_get_info(model)->outputs, 3);
    assert_done(error, sparcl_predict(*state, model, data, label[0], p[0], &error));
    for (int i = 0; i < 2; ++i) {
        const sparcl_data *const x = i ? streamed : data;
        assert_done(error, sparcl_predict_scores(*state, model, x, NULL, label[1 + i], p[1 + i],
                                                 scores[i], &error));
        assert_memory_equal(label[0], label[1 + i], sizeof label[0]);
        assert_memory_equal(p[0], p[1 + i], sizeof p[0]);
    }
    assert_memory_equal(scores[0], scores[1], sizeof scores[0]);
    sparcl_model_free(model);
    sparcl_data_free(streamed);
    sparcl_data_free(data);
}

static void rows_are_reconstructed_and_encoded(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 4), *codes[2];
    sparcl_data *const streamed = stream(data);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_SQUARED, SPARCL_RULE_ADAM);
    sparcl_error error = {0};
    assert_done(error,
                sparcl_architecture_parse(&desc.architecture, "autoencoder:units=8,k=3", &error));
    sparcl_model *const model = must_train(*state, streamed, NULL, &desc, NULL);
    const sparcl_metrics a = must_eval(*state, model, data), b = must_eval(*state, model, streamed);
    assert_true(a.loss == b.loss && a.best_constant_loss == b.best_constant_loss);
    assert_true(a.best_constant_loss > 0);
    assert_done(error, sparcl_encode(*state, model, data, &codes[0], &error));
    assert_done(error, sparcl_encode(*state, model, streamed, &codes[1], &error));
    assert_int_equal(sparcl_data_get_info(codes[0])->fingerprint,
                     sparcl_data_get_info(codes[1])->fingerprint);
    sparcl_data_free(codes[0]);
    sparcl_data_free(codes[1]);
    sparcl_model_free(model);
    sparcl_architecture_free(desc.architecture);
    sparcl_data_free(streamed);
    sparcl_data_free(data);
}

/* --- what needs all entries ------------------------------------------------------------------- */

static void what_reads_all_entries_refuses_a_stream(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_data *const streamed = stream(data);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    const char *const words = "expected data in memory, found a stream";
    sparcl_model *model = NULL;
    sparcl_error error;
    desc.solver = SPARCL_SOLVER_LBFGS;
    assert_failed(error, sparcl_train(*state, &model, streamed, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, words);
    desc.solver = SPARCL_SOLVER_STEPS;
    assert_done(error, sparcl_architecture_parse(&desc.architecture, "bpr:factors=2", &error));
    assert_failed(error, sparcl_train(*state, &model, streamed, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, words);
    sparcl_architecture_free(desc.architecture);
    sparcl_data *const edges = make_edges();
    static const int64_t train[] = {1, 5, 9};
    const sparcl_train_nodes nodes = {.edges = edges, .train = train, .train_count = COUNT(train)};
    desc.nodes = &nodes;
    assert_done(error, sparcl_architecture_parse(&desc.architecture, "gcn:hidden=2", &error));
    assert_failed(error, sparcl_train(*state, &model, streamed, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, words);
    sparcl_architecture_free(desc.architecture);
    sparcl_data_free(edges);
    assert_null(model);
    sparcl_csr matrix;
    assert_failed(error, sparcl_data_upload(*state, streamed, &matrix, NULL, &error), SPARCL_E_ARG,
                  words);
    sparcl_data_free(streamed);
    sparcl_data_free(data);
}

static void a_file_that_changes_ends_the_run(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_data *const streamed = stream(data);
    const sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *model = NULL;
    sparcl_error error;
    write_bytes(data_path, "1 1:1\n", 6);
    assert_failed(error, sparcl_train(*state, &model, streamed, NULL, &desc, NULL, &error),
                  SPARCL_E_FORMAT, "the file has changed");
    assert_null(model);
    assert_int_equal(unlink(data_path), 0);
    assert_failed(error, sparcl_train(*state, &model, streamed, NULL, &desc, NULL, &error),
                  SPARCL_E_IO, "cannot be opened");
    sparcl_data_free(streamed);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_has_the_bits_of_batches_in_order),
        cmocka_unit_test(models_are_trained_too),
        cmocka_unit_test(a_batch_of_all_rows_is_refused),
        cmocka_unit_test(validation_data_may_be_streamed),
        cmocka_unit_test(runs_go_on_with_the_same_bits),
        cmocka_unit_test(metrics_and_predictions_are_those_of_data_in_memory),
        cmocka_unit_test(rows_are_reconstructed_and_encoded),
        cmocka_unit_test(what_reads_all_entries_refuses_a_stream),
        cmocka_unit_test(a_file_that_changes_ends_the_run),
    };
    return run_checkpoint_tests(tests, COUNT(tests));
}
