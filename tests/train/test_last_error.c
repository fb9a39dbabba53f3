/* test_last_error.c: sparcl_ctx_error has the error of every function that has a context, or an
 * object made from one, and an error record (tests/lint/lint_every_call.sh: none is left out). */
#include "architecture_test.h"
#include "sparcl/apply.h"
#include "sparcl/auto.h"
#include "sparcl/model.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"

#define OTHER_ERROR "an error of before"

static void set_other_error(sparcl_ctx *ctx) {
    const sparcl_error other = {SPARCL_E_IO, 7, OTHER_ERROR};
    assert_int_equal(sparcl_ctx_report(ctx, SPARCL_E_IO, &other, NULL), SPARCL_E_IO);
}

/* With a record and without one the context has the error; with a record both are the same. */
#define ROW(name, ...)                                                                             \
    do {                                                                                           \
        sparcl_error record = {0};                                                                 \
        set_other_error(ctx);                                                                      \
        assert_int_equal(sparcl_##name(__VA_ARGS__, &record), SPARCL_E_ARG);                       \
        assert_string_equal(sparcl_ctx_error(ctx)->message, record.message);                       \
        assert_int_equal(sparcl_ctx_error(ctx)->status, record.status);                            \
        assert_int_equal(sparcl_ctx_error(ctx)->opencl_code, 0);                                   \
        assert_non_null(strstr(record.message, " NULL"));                                          \
        set_other_error(ctx);                                                                      \
        assert_int_equal(sparcl_##name(__VA_ARGS__, NULL), SPARCL_E_ARG);                          \
        assert_string_equal(sparcl_ctx_error(ctx)->message, record.message);                       \
    } while (0)

static void the_context_has_each_error(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *model = must_train(ctx, data, NULL, &desc, NULL), *none = NULL;
    sparcl_predictor *predictor = NULL, *no_predictor = NULL;
    sparcl_data *codes = NULL;
    sparcl_class_report *report = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_model_open(ctx, &predictor, model, &error));
    ROW(data_upload, ctx, data, NULL, NULL);
    ROW(train, ctx, &none, data, NULL, NULL, NULL);
    ROW(train_source, ctx, &none, NULL, NULL, NULL);
    ROW(train_auto, ctx, &none, data, NULL, SPARCL_SELECT_LOSS, NULL, NULL, NULL);
    ROW(eval, ctx, model, data, NULL);
    ROW(eval_nodes, ctx, model, data, NULL, NULL);
    ROW(eval_classes, ctx, model, data, NULL, NULL, &report);
    ROW(eval_threshold, ctx, model, data, 0.5, NULL, &report);
    ROW(predict, ctx, model, data, NULL, NULL);
    ROW(predict_nodes, ctx, model, data, NULL, NULL, NULL);
    ROW(predict_scores, ctx, model, data, NULL, NULL, NULL, NULL);
    ROW(encode, ctx, model, NULL, &codes);
    ROW(model_calibrate, ctx, model, data, NULL);
    ROW(model_open, ctx, &no_predictor, NULL);
    ROW(model_predict, predictor, NULL, NULL, NULL, NULL);
    ROW(model_predict_data, predictor, NULL, NULL, NULL, NULL);
    ROW(rank_eval, ctx, model, data, NULL, 1, NULL);
    ROW(recommend, ctx, model, data, 1, NULL, NULL);
    ROW(sparse_network_apply, ctx, NULL, data, &codes);
    ROW(parameters_save, ctx, NULL, "there is no graph");
    ROW(parameters_load, ctx, NULL, "there is no graph");
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void without_a_context_the_record_has_it(void **state) {
    sparcl_error error;
    double label;
    (void)state;
    assert_failed(error, sparcl_eval(NULL, NULL, NULL, NULL, &error), SPARCL_E_ARG, "eval: ");
    assert_failed(error, sparcl_model_predict(NULL, NULL, &label, NULL, NULL, &error), SPARCL_E_ARG,
                  "predictor or rows is NULL");
    assert_int_equal(sparcl_eval(NULL, NULL, NULL, NULL, NULL), SPARCL_E_ARG);
}

/* Rates that diverge are a part of the search: neither the context nor the record has their errors.
 */
static void a_call_that_succeeds_changes_neither(void **state) {
    static const char text[] = "1 1:10\n2 1:20\n3 1:30\n4 1:40\n5 1:50\n6 1:60\n";
    sparcl_ctx *ctx = *state;
    sparcl_data *data = read_text(text, NULL);
    sparcl_train_desc desc = default_run(SPARCL_LOSS_SQUARED, SPARCL_RULE_SGD);
    sparcl_auto_result result;
    sparcl_error error = {0};
    sparcl_model *model = NULL;
    bool diverged = false;
    desc.optim.lr = (double)NAN;
    desc.l2 = 1e-9; /* nothing is scaled */
    set_other_error(ctx);
    assert_done(error, sparcl_train_auto(ctx, &model, data, &desc, SPARCL_SELECT_LOSS, NULL, NULL,
                                         &result, &error));
    for (int i = 0; i < result.count; ++i)
        diverged |= isinf(result.tried[i].loss);
    assert_true(diverged);
    assert_int_equal(error.status, SPARCL_OK);
    assert_string_equal(error.message, "");
    assert_string_equal(sparcl_ctx_error(ctx)->message, OTHER_ERROR);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_context_has_each_error),
        cmocka_unit_test(without_a_context_the_record_has_it),
        cmocka_unit_test(a_call_that_succeeds_changes_neither),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
