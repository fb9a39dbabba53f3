/* test_train_refusals.c: the runs that training refuses, and the messages. */
#include "train_test.h"

static void a_diverging_run_is_ended(void **state) {
    static const char text[] = "1 1:1\n2 1:2\n3 1:3\n";
    sparcl_data *data = read_text(text, NULL);
    sparcl_train_desc desc = default_run(SPARCL_LOSS_SQUARED, SPARCL_RULE_SGD);
    sparcl_model *model = NULL;
    sparcl_error error;
    desc.optim.lr = 1e6;
    desc.epochs = 50;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "try a smaller learning rate than 1e+06");
    assert_null(model);
    desc.optim.lr = 1e30; /* finite weights after one step, whose loss is not */
    desc.epochs = 1;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "try a smaller learning rate than 1e+30");
    assert_null(model);
    desc.optim.lr = 1e300; /* overflows float32 */
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "not a finite number");
    assert_null(model);
    sparcl_data_free(data);
}

static void invalid_descriptions_are_refused(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_train_desc good = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_error error;
    sparcl_model *model = NULL;
#define REFUSED(violation, part)                                                                   \
    do {                                                                                           \
        sparcl_train_desc x = good;                                                                \
        violation;                                                                                 \
        model = (sparcl_model *)&error; /* must become NULL */                                     \
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &x, NULL, &error),           \
                      SPARCL_E_ARG, part);                                                         \
        assert_null(model);                                                                        \
    } while (0)
    REFUSED(x.epochs = -1, "train: epochs is -1, expected a number of passes");
    REFUSED(x.batch = -1, "train: batch is -1, expected a number of rows, or 0 for all");
    REFUSED(x.columns = -1, "train: columns is -1, expected a width");
    REFUSED(x.device_memory = -1, "train: device_memory is -1, expected a number of bytes");
    REFUSED(x.optim.lr = -1, "train: lr is -1, expected a finite number from 0");
    REFUSED(x.optim.lr = (double)NAN, "lr is nan");
    REFUSED(x.optim.lr = INFINITY, "lr is inf");
    REFUSED(x.l2 = -1, "l2 is -1");
    REFUSED(x.optim.momentum.factor = 1, "momentum is 1, expected a number from 0 to less than 1");
    REFUSED(x.optim.adam.beta1 = 1, "beta1 is 1");
    REFUSED(x.optim.adam.beta2 = 1, "beta2 is 1");
    REFUSED(x.optim.epsilon = -1, "epsilon is -1");
    REFUSED(x.optim.rescale = 0, "train: rescale is 0, expected a finite number that is not 0");
    REFUSED(x.optim.preset = SPARCL_PRESET_DGL, "train: preset dgl has no rule sgd");
    REFUSED((x.l2 = 0.5, x.optim.decay.weight = 0.25),
            "train: l2 is 0.5 and weight_decay is 0.25, expected only one");
    REFUSED(x.size = 1, "size is 1, expected 0 or ");
    REFUSED(x.loss = (sparcl_loss)5, "train: loss is 5, expected a sparcl_loss");
    REFUSED(x.optim.rule = (sparcl_rule)SPARCL_RULES, "train: rule is 29, expected a sparcl_rule");
    REFUSED((x.epochs = INT64_MAX, x.batch = 16), "more than 2^63 - 1 steps");
    REFUSED(x.l2 = INFINITY, "l2 is inf");
    REFUSED(x.optim.momentum.factor = -0.5, "momentum is -0.5");
    REFUSED(sparcl_train_init(&x, (sparcl_rule)-1), "rule is -1");
    model = (sparcl_model *)&error;
    assert_failed(error, sparcl_train(*state, &model, NULL, NULL, &good, NULL, &error),
                  SPARCL_E_ARG, "NULL");
    assert_null(model);
    assert_failed(error, sparcl_train(NULL, &model, data, NULL, &good, NULL, &error), SPARCL_E_ARG,
                  "NULL");
    assert_failed(error, sparcl_train(*state, NULL, data, NULL, &good, NULL, &error), SPARCL_E_ARG,
                  "NULL");
    assert_failed(error, sparcl_train(*state, &model, data, NULL, NULL, NULL, &error), SPARCL_E_ARG,
                  "NULL");
    const sparcl_train_desc wrong = {.epochs = -1};
    assert_int_equal(sparcl_train(*state, &model, data, NULL, &wrong, NULL, NULL), SPARCL_E_ARG);
    sparcl_data_free(data);
}

static void widths_that_do_not_fit_are_refused(void **state) {
    static const char text[] = "1 1:1\n-1 24:2\n";
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4), *wide = read_text(text, NULL);
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    desc.columns = 22;
    sparcl_model *model = NULL;
    sparcl_error error;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_FORMAT, ": expected at most the model's 22 columns, found 23");
    desc.columns = 0;
    assert_failed(error, sparcl_train(*state, &model, data, wide, &desc, NULL, &error),
                  SPARCL_E_FORMAT, ": expected at most the model's 23 columns, found 24");
    desc.columns = INT64_MAX;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_MEMORY, "");
    desc.columns = 24;
    model = must_train(*state, data, wide, &desc, NULL);
    sparcl_model_free(model);
    sparcl_data_free(wide);
    sparcl_data_free(data);
}

static void data_that_do_not_fit_the_loss_are_refused(void **state) {
    static const struct {
        const char *text;
        sparcl_loss loss;
        const char *part;
        int multilabel;
    } cases[] = {
        {"1 1:nan\n-1 2:1\n", SPARCL_LOSS_LOGISTIC,
         ":1:5: expected a finite value, found nan (in total 1 NaN and 0 inf", 0},
        {"1 1:inf\n-1 2:-inf\n", SPARCL_LOSS_LOGISTIC,
         ":1:5: expected a finite value, found inf (in total 0 NaN and 2 inf", 0},
        {"1 1:1\n1 2:1\n", SPARCL_LOSS_LOGISTIC,
         ": expected labels of two classes, as logistic loss needs, found only 1 in 2 rows", 0},
        {"1 1:1\n1 2:1\n", SPARCL_LOSS_SOFTMAX, "two classes, as softmax loss needs", 0},
        {"1 1:1\n2 2:1\n3 1:1\n", SPARCL_LOSS_LOGISTIC,
         ": expected two different labels, as logistic loss needs, found 3", 0},
        {"1e300 1:1\n2 2:1\n", SPARCL_LOSS_SQUARED,
         ":1:1: expected a label in the range of a 32-bit float, up to 3.4e38, found "
         "1.0000000000000001e+300",
         0},
        {"1,2 1:1\n2 2:1\n", SPARCL_LOSS_LOGISTIC,
         ": expected one label per row, found multi-label", 1},
    };
    for (size_t i = 0; i < COUNT(cases); ++i) {
        const sparcl_data_desc how = {.multilabel = cases[i].multilabel};
        const sparcl_train_desc desc = default_run(cases[i].loss, SPARCL_RULE_SGD);
        sparcl_data *data = read_text(cases[i].text, &how);
        sparcl_model *model = (sparcl_model *)data;
        sparcl_error error;
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                      SPARCL_E_FORMAT, cases[i].part);
        assert_null(model);
        sparcl_data_free(data);
    }
}

static void validation_data_that_do_not_fit_are_refused(void **state) {
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"8 1:1\n\n# two lines on\n7 1:2\n",
         ": expected a label that the model knows, found none in 2 rows"},
        {"1 1:nan\n-1 2:1\n", ":1:5: expected a finite value, found nan"},
        {"1 0:1\n-1 2:1\n", ": expected columns counted from 1, as in the training data, found "
                            "columns counted from 0"},
    };
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    for (size_t i = 0; i < COUNT(cases); ++i) {
        sparcl_data *valid = read_text(cases[i].text, NULL);
        sparcl_model *model = (sparcl_model *)data;
        sparcl_error error;
        assert_failed(error, sparcl_train(*state, &model, data, valid, &desc, NULL, &error),
                      SPARCL_E_FORMAT, cases[i].part);
        assert_null(model);
        sparcl_data_free(valid);
    }
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diverging_run_is_ended),
        cmocka_unit_test(invalid_descriptions_are_refused),
        cmocka_unit_test(widths_that_do_not_fit_are_refused),
        cmocka_unit_test(data_that_do_not_fit_the_loss_are_refused),
        cmocka_unit_test(validation_data_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
