/* test_models.c: the models of the library: their names and settings, their gradients against
 * central differences of a plain-C answer in double, their files, and optimizers of single
 * parameters. */
#include "architecture_test.h"
#include "folder_test.h"
#include "model_gradient_test.h"
#include "sparcl/apply.h"
#include "sparcl/optim_text.h"

static const char *const path = "test_models.safetensors";

/* --- names and settings ----------------------------------------------------------------------- */

static void every_model_can_be_made_by_its_name(void **state) {
    const sparcl_model_kind *kind;
    int count = 0;
    (void)state;
    for (; (kind = sparcl_model_kind_at(count)); ++count) {
        const sparcl_architecture *const a = must_parse(kind->name);
        assert_string_equal(a->name, kind->name);
        assert_true(strlen(kind->formula) > 0 && kind->source && kind->epochs >= 10);
        sparcl_architecture_free(a);
    }
    assert_true(count >= 4);
    assert_null(sparcl_model_kind_at(-1));
    assert_null(sparcl_model_setting_at(-1));
    sparcl_architecture_free(NULL);
}

static void settings_are_text(void **state) {
    static const char *const texts[][2] = {
        {"linear", ""},
        {"fm", "factors=8,init=0.01"},
        {"fm:init=0.5,factors=3", "factors=3,init=0.5"},
        {"ffm", "factors=4,init=0.01"},
        {"mlp", "hidden=64,activation=relu,dropout=0"},
        {"mlp:hidden=128-64-1,activation=tanh,dropout=0.25",
         "hidden=128-64-1,activation=tanh,dropout=0.25"},
        {"gcn", "hidden=16,activation=relu,dropout=0.5"},
        {"gcn:dropout=0", "hidden=16,activation=relu,dropout=0"},
        {"wide-deep:hidden=1-2-3-4-5-6-7-8", "hidden=1-2-3-4-5-6-7-8,activation=relu,dropout=0"}};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); ++i) {
        char again[SPARCL_MODEL_TEXT + 16];
        const sparcl_architecture *const a = must_parse(texts[i][0]);
        assert_string_equal(a->settings, texts[i][1]);
        snprintf(again, sizeof again, "%s:%s", a->name, a->settings);
        const sparcl_architecture *const b = must_parse(again);
        assert_string_equal(b->settings, a->settings);
        sparcl_architecture_free(a);
        sparcl_architecture_free(b);
    }
}

static void what_is_no_model_is_refused(void **state) {
    static const char *const wrong[][2] = {
        {"fn", "expected one of linear, fm, ffm, mlp, wide-deep, "},
        {"", "expected one of linear"},
        {"linear:factors=2", "with a key of linear, which has none, found \"factors=2\""},
        {"fm:hidden=2", "with a key of fm: factors, init, found \"hidden=2\""},
        {"mlp:hidden=8,4", "found \"4\"; widths of layers are divided by -"},
        {"fm:factors", "expected KEY=VALUE, with a key of fm: factors, init, found \"factors\""},
        {"fm:factors=0", "factors: expected an integer from 1 to 1048576, found \"0\""},
        {"fm:factors=2.5", "factors: expected an integer"},
        {"fm:factors=8,,", "found \"\""},
        {"fm:init=nan", "init: expected a finite number from 0, found \"nan\""},
        {"fm:init=-1", "init: expected a finite number from 0"},
        {"mlp:hidden=", "hidden: expected 1 to 8 widths"},
        {"mlp:hidden=3-", "hidden: expected 1 to 8 widths"},
        {"mlp:hidden=1-2-3-4-5-6-7-8-9", "hidden: expected 1 to 8 widths"},
        {"mlp:activation=gelu", "activation: expected relu, sigmoid or tanh, found \"gelu\""},
        {"mlp:dropout=1", "dropout: expected a number from 0 to less than 1"}};
    const sparcl_architecture *a = NULL;
    sparcl_error error;
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); ++i) {
        assert_failed(error, sparcl_architecture_parse(&a, wrong[i][0], &error), SPARCL_E_ARG,
                      wrong[i][1]);
        assert_null(a);
    }
    assert_failed(error, sparcl_architecture_parse(&a, NULL, &error), SPARCL_E_ARG, "expected one");
}

static void a_model_with_one_score_refuses_softmax(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 1);
    const sparcl_architecture *const fm = must_parse("fm");
    const sparcl_train_desc desc = run_of(fm, SPARCL_LOSS_SOFTMAX, SPARCL_RULE_SGD);
    sparcl_model *model;
    sparcl_error error;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "a model of the kind fm has one score");
    sparcl_architecture_free(fm);
    sparcl_data_free(data);
}

static void the_name_of_a_model_is_taken(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 1);
    sparcl_architecture a = two_layers();
    sparcl_model *model;
    sparcl_error error;
    a.name = "mlp";
    const sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "mlp, which is a model of the library");
    sparcl_data_free(data);
}

/* --- gradients -------------------------------------------------------------------------------- */

static double fm_pairs(const flat *f, const double x[COLUMNS]) {
    int64_t n = 0;
    const double *const v = part(f, "factors", &n);
    double sum = 0;
    for (int64_t i = 0; i < COLUMNS; ++i)
        for (int64_t j = i + 1; j < COLUMNS; ++j)
            for (int64_t k = 0; k < n; ++k)
                sum += x[i] * x[j] * v[i * n + k] * v[j * n + k];
    return sum;
}

/* Layers with the hyperbolic tangent, which has derivatives everywhere. */
static void add_layers(const flat *f, const double x[COLUMNS], double *scores) {
    double h[COLUMNS], next[WIDEST];
    int64_t inputs = COLUMNS, n = 0;
    memcpy(h, x, sizeof h);
    for (int i = 1;; ++i, inputs = n) {
        char w[3] = {'w', (char)('0' + i), 0}, b[3] = {'b', (char)('0' + i), 0};
        const double *const weights = part(f, w, &n), *const bias = part(f, b, &n);
        assert_true(n <= WIDEST);
        memcpy(next, bias, (size_t)n * sizeof *next);
        multiply(next, h, inputs, weights, n);
        const bool is_last = strcmp(f->model->tensors[f->model->count - 1].tensor.name, b) == 0;
        for (int64_t j = 0; is_last && j < n; ++j)
            scores[j] += next[j];
        if (is_last) return;
        for (int64_t j = 0; j < n; ++j)
            h[j] = tanh(next[j]);
    }
}

static void answer(const flat *f, const double x[COLUMNS], double scores[MAX_OUTPUTS]) {
    int64_t n = 0;
    memset(scores, 0, MAX_OUTPUTS * sizeof *scores);
    const double *const weight = part(f, "weight", &n);
    if (strcmp(f->model->architecture.name, "fm") == 0) {
        multiply(scores, x, COLUMNS, weight, 1);
        scores[0] += *part(f, "bias", &n) + fm_pairs(f, x);
        return;
    }
    if (weight) multiply(scores, x, COLUMNS, weight, n);
    add_layers(f, x, scores);
}

static double mean_loss(const flat *f, const sparcl_data *data, const sparcl_train_desc *desc) {
    double sum = 0;
    for (int64_t row = 0; row < ROWS; ++row) {
        double x[COLUMNS], scores[MAX_OUTPUTS];
        unpack(data, row, x);
        answer(f, x, scores);
        sum += loss_of(desc->loss, scores, desc->loss == SPARCL_LOSS_SOFTMAX ? 3 : 1,
                       sparcl_data_labels(data)[row]);
    }
    return sum / ROWS;
}

static void gradients_are_those_of_a_plain_answer(void **state) {
    check_gradient(*state, mean_loss, "fm:factors=5,init=0.3", SPARCL_LOSS_LOGISTIC, NULL);
    check_gradient(*state, mean_loss, "fm:factors=1,init=0.5", SPARCL_LOSS_SQUARED, NULL);
    check_gradient(*state, mean_loss, "mlp:hidden=7,activation=tanh", SPARCL_LOSS_LOGISTIC, NULL);
    check_gradient(*state, mean_loss, "mlp:hidden=16-5-3,activation=tanh", SPARCL_LOSS_SOFTMAX,
                   NULL);
    check_gradient(*state, mean_loss, "wide-deep:hidden=6-4,activation=tanh", SPARCL_LOSS_SOFTMAX,
                   NULL);
    check_gradient(*state, mean_loss, "wide-deep:hidden=9,activation=tanh", SPARCL_LOSS_SQUARED,
                   NULL);
}

/* --- training, and files ---------------------------------------------------------------------- */

static const char *const learners[] = {"fm:factors=16,init=0.1", "mlp:hidden=64",
                                       "mlp:hidden=32-16,dropout=0.1", "wide-deep:hidden=32"};

static void a_model_can_learn_its_data_by_heart(void **state) {
    for (size_t i = 0; i < COUNT(learners); ++i) {
        sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 3);
        const sparcl_architecture *const a = must_parse(learners[i]);
        sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
        desc.batch = 0;
        desc.l2 = 0;
        desc.optim.lr = 0.02;
        desc.epochs = 400;
        sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL);
        const sparcl_metrics m = must_eval(*state, model, data);
        print_message("           %-40s loss %.4f of %.4f\n", learners[i], m.loss,
                      m.best_constant_loss);
        /* Five rows are empty. */
        assert_true(m.loss < 0.1 * m.best_constant_loss);
        sparcl_architecture_free(a);
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

static void a_model_outlives_what_it_was_made_of_and_is_read_back(void **state) {
    for (size_t i = 0; i < COUNT(learners); ++i) {
        sparcl_data *data = make_data(SPARCL_LOSS_SQUARED, 3);
        const sparcl_architecture *const a = must_parse(learners[i]);
        const sparcl_train_desc desc = run_of(a, SPARCL_LOSS_SQUARED, SPARCL_RULE_ADAGRAD);
        sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL), *back = NULL;
        sparcl_error error = {0};
        sparcl_architecture_free(a);
        assert_done(error, sparcl_model_save(model, path, &error));
        assert_done(error, sparcl_model_load(&back, path, &error));
        assert_true(same_values(model, back));
        assert_string_equal(sparcl_model_architecture(model)->settings,
                            sparcl_model_architecture(back)->settings);
        const sparcl_metrics m = must_eval(*state, model, data), n = must_eval(*state, back, data);
        assert_memory_equal(&m, &n, sizeof m);
        assert_null(sparcl_model_weights(back));
        sparcl_model_free(back);
        sparcl_model_free(model);
        sparcl_data_free(data);
        unlink(path);
    }
}

static void a_file_of_other_settings_is_refused(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SQUARED, 3);
    const sparcl_architecture *const a = must_parse("fm:factors=3"), *const b = must_parse("fm");
    const sparcl_train_desc desc = run_of(a, SPARCL_LOSS_SQUARED, SPARCL_RULE_SGD);
    sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
    sparcl_error error = {0};
    assert_done(error, sparcl_model_save(model, path, &error));
    sparcl_model_free(model);
    assert_failed(error, sparcl_model_load_as(&model, path, b, &error), SPARCL_E_FORMAT,
                  "metadata architecture: expected \"factors=8,init=0.01\", found "
                  "\"factors=3,init=0.01\"");
    assert_done(error, sparcl_model_load_as(&model, path, a, &error));
    sparcl_model_free(model);
    sparcl_architecture_free(a);
    sparcl_architecture_free(b);
    sparcl_data_free(data);
    unlink(path);
}

/* --- optimizers of single parameters -----------------------------------------------------------
 */

static sparcl_model *train_with(sparcl_ctx *ctx, const sparcl_data *data, const char *text) {
    sparcl_parameter_optim list[SPARCL_PARAMETER_OPTIMS];
    const sparcl_architecture *const a = must_parse("fm:factors=3");
    sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAGRAD);
    sparcl_error error = {0};
    desc.l2 = 0;
    sparcl_optim_init(&desc.optim, SPARCL_RULE_ADAGRAD);
    assert_done(error,
                sparcl_parameter_optims_parse(list, &desc.parameter_optim_count, text, &error));
    desc.parameter_optims = list;
    sparcl_model *const model = must_train(ctx, data, NULL, &desc, NULL);
    sparcl_architecture_free(a);
    return model;
}

static bool same_parameter(const sparcl_model *a, const sparcl_model *b, const char *name) {
    const sparcl_tensor *const x = sparcl_model_tensor(a, name), *const y =
                                                                     sparcl_model_tensor(b, name);
    return memcmp(x->values, y->values, (size_t)spc_tensor_elements(x) * sizeof *x->values) == 0;
}

static void a_parameter_can_have_an_optimizer_of_its_own(void **state) {
    static const char all[] = "weight=adagrad;factors=adagrad;bias=adagrad";
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 3);
    sparcl_model *const usual = train_with(*state, data, ""), *back;
    sparcl_model *const same = train_with(*state, data, all);
    sparcl_model *const still = train_with(*state, data, "factors=sgd:lr=0;weight=sgd");
    const sparcl_architecture *const a = must_parse("fm:factors=3");
    sparcl_error error = {0};
    sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAGRAD);
    desc.epochs = 0;
    sparcl_model *const first = must_train(*state, data, NULL, &desc, NULL);
    assert_true(same_values(usual, same));
    assert_null(sparcl_model_get_info(usual)->parameter_settings);
    assert_true(same_parameter(still, first, "factors"));
    assert_false(same_parameter(still, first, "weight") || same_parameter(still, usual, "weight"));
    assert_done(error, sparcl_model_save(still, path, &error));
    assert_done(error, sparcl_model_load(&back, path, &error));
    assert_string_equal(sparcl_model_get_info(back)->parameter_settings,
                        sparcl_model_get_info(still)->parameter_settings);
    assert_non_null(strstr(sparcl_model_get_info(back)->parameter_settings, ";weight=sgd:"));
    sparcl_model *const all_models[] = {usual, same, still, first, back};
    for (size_t i = 0; i < COUNT(all_models); ++i)
        sparcl_model_free(all_models[i]);
    sparcl_architecture_free(a);
    sparcl_data_free(data);
    unlink(path);
}

static void wrong_optimizers_of_parameters_are_refused(void **state) {
    static const char *const wrong[][2] = {
        {"weight", "expected PARAMETER=OPTIMIZER, found \"weight\""},
        {"=sgd", "expected PARAMETER=OPTIMIZER, found \"=sgd\""},
        {"a=sgd;;", "expected PARAMETER=OPTIMIZER, found \"\""},
        {"a=sgd;b=sdg", "b: "},
        {"a=sgd:lr=x", "a: "},
        {"a=sgd;b=sgd;a=adam", "a has two, expected one for each parameter"}};
    sparcl_parameter_optim list[SPARCL_PARAMETER_OPTIMS];
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 3);
    sparcl_train_desc desc = run_of(NULL, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *model;
    sparcl_error error;
    int count;
    for (size_t i = 0; i < COUNT(wrong); ++i)
        assert_failed(error, sparcl_parameter_optims_parse(list, &count, wrong[i][0], &error),
                      SPARCL_E_ARG, wrong[i][1]);
    assert_int_equal(count, 2); /* those before the wrong one */
    assert_done(error, sparcl_parameter_optims_parse(list, &count, "bias=sgd;wait=adam", &error));
    assert_true(count == 2 && list[0].optim.lr == 0.1);
    desc.l2 = 0;
    desc.parameter_optims = list;
    desc.parameter_optim_count = 2;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "parameter_optims[1] is of wait, expected a parameter of a linear");
    desc.parameter_optim_count = 1;
    list[0].optim.lr = -1;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "parameter bias: train: lr is -1");
    list[0].optim.lr = 1;
    desc.l2 = 0.5;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "l2 is 0.5, expected 0 where parameters have optimizers");
    desc.parameter_optim_count = 33;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "parameter_optim_count is 33");
    sparcl_data_free(data);
}

/* --- the best pass ------------------------------------------------------------------------------
 */

/* With patience the model is that of a training with that number of passes. */
static void the_model_is_that_of_the_best_pass(void **state) {
    static const sparcl_rule rules[] = {SPARCL_RULE_SGD, SPARCL_RULE_ADAM};
    for (size_t i = 0; i < COUNT(rules); ++i) {
        sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 3),
                    *valid = make_data(SPARCL_LOSS_LOGISTIC, 4);
        const sparcl_architecture *const a = must_parse("mlp:hidden=24");
        sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, rules[i]);
        sparcl_train_result r, again;
        desc.l2 = 0;
        desc.batch = 16;
        desc.optim.lr = rules[i] == SPARCL_RULE_SGD ? 1 : 0.02;
        desc.optim.moves = rules[i] == SPARCL_RULE_ADAM ? SPARCL_MOVES_EXACT : desc.optim.moves;
        desc.epochs = 300;
        desc.patience = 4;
        sparcl_model *const model = must_train(*state, data, valid, &desc, &r);
        assert_true(r.best_epoch >= 1 && r.epochs == r.best_epoch + 4 && r.epochs < 300);
        desc.patience = 0;
        desc.epochs = r.best_epoch;
        sparcl_model *const plain_one = must_train(*state, data, valid, &desc, &again);
        assert_true(same_values(model, plain_one));
        assert_true(r.loss == again.loss && r.objective == again.objective);
        assert_int_equal(sparcl_model_get_info(model)->epochs, r.best_epoch);
        assert_int_equal(again.best_epoch, again.epochs);
        sparcl_model_free(model);
        sparcl_model_free(plain_one);
        sparcl_architecture_free(a);
        sparcl_data_free(data);
        sparcl_data_free(valid);
    }
}

static void patience_needs_validation_data(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 3);
    sparcl_train_desc desc = run_of(NULL, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *model;
    sparcl_error error;
    desc.patience = 3;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "patience is 3, expected 0 without validation data");
    desc.patience = -1;
    assert_failed(error, sparcl_train(*state, &model, data, data, &desc, NULL, &error),
                  SPARCL_E_ARG, "patience is -1");
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_can_be_made_by_its_name),
        cmocka_unit_test(settings_are_text),
        cmocka_unit_test(what_is_no_model_is_refused),
        cmocka_unit_test(a_model_with_one_score_refuses_softmax),
        cmocka_unit_test(the_name_of_a_model_is_taken),
        cmocka_unit_test(gradients_are_those_of_a_plain_answer),
        cmocka_unit_test(a_model_can_learn_its_data_by_heart),
        cmocka_unit_test(a_model_outlives_what_it_was_made_of_and_is_read_back),
        cmocka_unit_test(a_file_of_other_settings_is_refused),
        cmocka_unit_test(a_parameter_can_have_an_optimizer_of_its_own),
        cmocka_unit_test(wrong_optimizers_of_parameters_are_refused),
        cmocka_unit_test(the_model_is_that_of_the_best_pass),
        cmocka_unit_test(patience_needs_validation_data),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
