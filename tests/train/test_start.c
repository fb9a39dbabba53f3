/* test_start.c: trainings that begin with a model: the bits of one run, classes that data lack, and
 * models that are refused. */
#include "train_test.h"

#include "source_test.h"
#include "sparcl/architecture.h"
#include "sparcl/auto.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"

static sparcl_train_desc all_rows(sparcl_loss loss, const sparcl_architecture *architecture) {
    sparcl_train_desc desc = default_run(loss, SPARCL_RULE_SGD);
    desc.architecture = architecture;
    desc.batch = 0;
    return desc;
}

static void assert_equal_tensors(const sparcl_model *a, const sparcl_model *b) {
    const sparcl_architecture *const of = sparcl_model_architecture(a);
    for (int p = 0; of->parameters[p]; ++p) {
        const sparcl_tensor *const x = sparcl_model_tensor(a, of->parameters[p]);
        const sparcl_tensor *const y = sparcl_model_tensor(b, of->parameters[p]);
        size_t count = 1;
        for (int d = 0; d < x->rank; ++d)
            count *= (size_t)x->shape[d];
        assert_memory_equal(x->values, y->values, count * sizeof(float));
    }
}

/* Steps of SGD with all rows have no state but the parameters. */
static void two_runs_have_the_bits_of_one(void **state) {
    static const struct {
        const char *model;
        sparcl_loss loss;
    } cases[] = {
        {"linear", SPARCL_LOSS_LOGISTIC},      {"linear", SPARCL_LOSS_SOFTMAX},
        {"linear", SPARCL_LOSS_SQUARED},       {"fm:factors=3,init=0.1", SPARCL_LOSS_LOGISTIC},
        {"mlp:hidden=5", SPARCL_LOSS_SOFTMAX}, {"autoencoder:units=9,k=3", SPARCL_LOSS_SQUARED}};
    for (size_t i = 0; i < COUNT(cases); ++i) {
        const sparcl_architecture *architecture = NULL;
        sparcl_error error;
        assert_done(error, sparcl_architecture_parse(&architecture, cases[i].model, &error));
        sparcl_data *data = make_data(cases[i].loss, 4);
        sparcl_train_desc desc = all_rows(cases[i].loss, architecture);
        desc.epochs = 5;
        sparcl_model *const whole = must_train(*state, data, NULL, &desc, NULL);
        desc.epochs = 2;
        sparcl_model *const first = must_train(*state, data, NULL, &desc, NULL);
        desc.epochs = 3;
        desc.start = first;
        sparcl_model *const second = must_train(*state, data, NULL, &desc, NULL);
        assert_equal_tensors(whole, second);
        desc.epochs = 0;
        sparcl_model *const none = must_train(*state, data, NULL, &desc, NULL);
        assert_equal_tensors(first, none);
        assert_true(sparcl_model_get_info(first)->fingerprint ==
                    sparcl_data_get_info(data)->fingerprint);
        assert_true(sparcl_model_get_info(second)->fingerprint !=
                    sparcl_data_get_info(data)->fingerprint);
        sparcl_model *const models[] = {whole, first, second, none};
        for (size_t m = 0; m < COUNT(models); ++m)
            sparcl_model_free(models[m]);
        sparcl_data_free(data);
        sparcl_architecture_free(architecture);
    }
}

/* With its states, any optimizer goes on; else it begins anew. */
static void kept_states_go_on(void **state) {
    static const struct {
        const char *optimizer, *model, *own;
        double l2;
    } cases[] = {{"momentum:lr=0.1", "linear", NULL, 0},
                 {"momentum:lr=0.1", "linear", NULL, 0.05},
                 {"sgd:lr=0.1", "linear", NULL, 0.05},
                 {"adagrad:lr=0.1", "linear", NULL, 0},
                 {"adam:lr=0.03", "linear", NULL, 0.05},
                 {"adam:lr=0.03,moves=exact", "linear", NULL, 0},
                 {"ftrl:lr=0.1", "fm:factors=3,init=0.1", NULL, 0},
                 {"sgd:lr=0.1", "fm:factors=3,init=0.1", "factors=adagrad:lr=0.1", 0},
                 {"adam:lr=0.03", "mlp:hidden=5,dropout=0.4", NULL, 0}};
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    for (size_t i = 0; i < COUNT(cases); ++i) {
        sparcl_parameter_optim own[SPARCL_PARAMETER_OPTIMS];
        const sparcl_architecture *architecture = NULL;
        sparcl_error error;
        assert_done(error, sparcl_architecture_parse(&architecture, cases[i].model, &error));
        sparcl_train_desc desc = all_rows(SPARCL_LOSS_LOGISTIC, architecture);
        assert_done(error, sparcl_optim_parse(&desc.optim, cases[i].optimizer, &error));
        if (cases[i].own)
            assert_done(error, sparcl_parameter_optims_parse(own, &desc.parameter_optim_count,
                                                             cases[i].own, &error));
        desc.parameter_optims = own;
        desc.l2 = cases[i].l2;
        desc.epochs = 5;
        sparcl_model *const whole = must_train(*state, data, NULL, &desc, NULL);
        desc.epochs = 2;
        desc.keep_state = 1;
        sparcl_model *const first = must_train(*state, data, NULL, &desc, NULL);
        desc.epochs = 3;
        desc.start = first;
        sparcl_model *const second = must_train(*state, data, NULL, &desc, NULL);
        assert_equal_tensors(whole, second);
        desc.start = second;
        desc.epochs = 0;
        sparcl_model *const third = must_train(*state, data, NULL, &desc, NULL);
        assert_equal_tensors(whole, third);
        desc.start = first;
        desc.epochs = 3;
        desc.optim.lr *= 0.5; /* another optimizer */
        sparcl_model *const other = must_train(*state, data, NULL, &desc, NULL);
        sparcl_model *const models[] = {whole, first, second, third, other};
        for (size_t m = 0; m < COUNT(models); ++m)
            sparcl_model_free(models[m]);
        sparcl_architecture_free(architecture);
    }
    sparcl_train_desc desc = all_rows(SPARCL_LOSS_LOGISTIC, NULL);
    sparcl_model *model = NULL;
    sparcl_error error;
    desc.keep_state = 1;
    desc.patience = 2;
    assert_failed(error, sparcl_train(*state, &model, data, data, &desc, NULL, &error),
                  SPARCL_E_ARG, "keep_state is set with patience 2");
    sparcl_data_free(data);
}

static void a_search_goes_on_from_its_minimum(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    sparcl_train_desc desc = all_rows(SPARCL_LOSS_SOFTMAX, NULL);
    sparcl_train_result first, second;
    desc.solver = SPARCL_SOLVER_LBFGS;
    desc.l2 = 0.01;
    desc.epochs = 200;
    desc.tolerance = 1e-5;
    sparcl_model *const one = must_train(*state, data, NULL, &desc, &first);
    desc.start = one;
    desc.epochs = 0;
    sparcl_model *const same = must_train(*state, data, NULL, &desc, &second);
    assert_equal_tensors(one, same);
    assert_true(fabs(second.objective - first.objective) < 1e-6);
    desc.epochs = 3;
    sparcl_model *const two = must_train(*state, data, NULL, &desc, &second);
    assert_true(second.objective <= first.objective + 1e-6);
    sparcl_model_free(one);
    sparcl_model_free(same);
    sparcl_model_free(two);
    sparcl_data_free(data);
}

static void data_may_lack_classes_and_columns(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    sparcl_data *part = read_text("2 1:1 3:1\n2 2:-1\n", NULL);
    sparcl_data *other = read_text("3 1:1\n2 2:-1\n", NULL);
    sparcl_train_desc desc = all_rows(SPARCL_LOSS_SOFTMAX, NULL);
    sparcl_error error;
    sparcl_model *none = NULL, *const first = must_train(*state, data, NULL, &desc, NULL);
    desc.start = first;
    sparcl_model *const second = must_train(*state, part, NULL, &desc, NULL);
    const sparcl_model_info *const info = sparcl_model_get_info(second);
    assert_int_equal(info->classes, 3);
    assert_int_equal(info->columns, COLUMNS);
    assert_memory_equal(info->labels, sparcl_model_get_info(first)->labels, 3 * sizeof(double));
    assert_failed(error, sparcl_train(*state, &none, other, NULL, &desc, NULL, &error),
                  SPARCL_E_FORMAT, "expected one of the model's 3 labels");
    sparcl_model_free(first);
    sparcl_model_free(second);
    sparcl_data_free(data);
    sparcl_data_free(part);
    sparcl_data_free(other);
}

static void other_models_are_refused(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_data *from_0 = read_text("1 0:1\n-1 2:-1\n", NULL);
    const sparcl_train_desc good = all_rows(SPARCL_LOSS_LOGISTIC, NULL);
    const sparcl_architecture *fm = NULL, *wide = NULL;
    sparcl_error error;
    assert_done(error, sparcl_architecture_parse(&fm, "fm:factors=3", &error));
    assert_done(error, sparcl_architecture_parse(&wide, "fm:factors=4", &error));
    const sparcl_train_desc of_fm = all_rows(SPARCL_LOSS_LOGISTIC, fm);
    sparcl_model *const linear = must_train(*state, data, NULL, &good, NULL);
    sparcl_model *const with_3 = must_train(*state, data, NULL, &of_fm, NULL), *model = NULL;
#define REFUSED(from, on, violation, status, part)                                                 \
    do {                                                                                           \
        sparcl_train_desc x = good;                                                                \
        x.start = (from);                                                                          \
        violation;                                                                                 \
        model = (sparcl_model *)&error; /* must become NULL */                                     \
        assert_failed(error, sparcl_train(*state, &model, on, NULL, &x, NULL, &error), status,     \
                      part);                                                                       \
        assert_null(model);                                                                        \
    } while (0)
    REFUSED(with_3, data, (void)0, SPARCL_E_ARG, "start is a model of the kind fm");
    REFUSED(linear, data, x.architecture = fm, SPARCL_E_ARG, "expected one of the kind fm");
    REFUSED(with_3, data, x.architecture = wide, SPARCL_E_ARG, "factors=4");
    REFUSED(linear, data, x.no_bias = 1, SPARCL_E_ARG, "with 2 parameters");
    REFUSED(linear, data, x.loss = SPARCL_LOSS_HINGE, SPARCL_E_ARG,
            "with logistic loss, expected hinge loss");
    REFUSED(linear, data, x.columns = 24, SPARCL_E_ARG, "weight of start has another shape");
    REFUSED(linear, data, (x.columns = 24, x.solver = SPARCL_SOLVER_LBFGS), SPARCL_E_ARG,
            "whose first size is 23, expected 24");
    REFUSED(linear, from_0, (void)0, SPARCL_E_FORMAT, "columns counted from 1");
    handing h = {.data = data, .seed = good.seed, .batch = 16};
    const sparcl_batch_source source = source_of(&h, SPARCL_LOSS_LOGISTIC);
    sparcl_train_desc given = good;
    given.start = linear;
    assert_failed(error, sparcl_train_source(*state, &model, &source, &given, NULL, &error),
                  SPARCL_E_ARG, "start is set, expected NULL with batches of a callback");
    sparcl_model_free(linear);
    sparcl_model_free(with_3);
    sparcl_architecture_free(fm);
    sparcl_architecture_free(wide);
    sparcl_data_free(data);
    sparcl_data_free(from_0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_have_the_bits_of_one),
        cmocka_unit_test(kept_states_go_on),
        cmocka_unit_test(a_search_goes_on_from_its_minimum),
        cmocka_unit_test(data_may_lack_classes_and_columns),
        cmocka_unit_test(other_models_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
