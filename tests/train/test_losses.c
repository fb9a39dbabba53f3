/* test_losses.c: trainings with Poisson and hinge loss: gradients, minima, metrics, and the labels
 * that they take. */
#include "model_gradient_test.h"
#include "sparcl/apply.h"

/* The rows of make_data with other labels: counts. */
static sparcl_data *make_counts(double shift) {
    sparcl_data *const from = make_data(SPARCL_LOSS_SQUARED, 7);
    double labels[ROWS];
    for (int i = 0; i < ROWS; ++i)
        labels[i] = floor(4 * fabs(sparcl_data_labels(from)[i])) + shift;
    sparcl_data *const data = relabelled(from, labels);
    sparcl_data_free(from);
    return data;
}

static double linear_loss(const flat *f, const sparcl_data *data, const sparcl_train_desc *desc) {
    double sum = 0;
    for (int64_t row = 0; row < ROWS; ++row) {
        double x[COLUMNS], score = *part(f, "bias", &(int64_t){0});
        unpack(data, row, x);
        multiply(&score, x, COLUMNS, part(f, "weight", &(int64_t){0}), 1);
        sum += loss_of(desc->loss, &score, 1, sparcl_data_labels(data)[row]);
    }
    return sum / ROWS;
}

static void gradients_are_those_of_a_plain_answer(void **state) {
    sparcl_data *const counts = make_counts(0), *const sides = make_data(SPARCL_LOSS_LOGISTIC, 7);
    check_gradient_on(*state, counts, linear_loss, "linear", SPARCL_LOSS_POISSON, NULL);
    check_gradient_on(*state, sides, linear_loss, "linear", SPARCL_LOSS_HINGE, NULL);
    sparcl_data_free(sides);
    sparcl_data_free(counts);
}

/* At the minimum the sum of the means is that of the counts, because of the bias. */
static void poisson_regression_finds_its_minimum(void **state) {
    sparcl_data *const data = make_counts(0);
    const sparcl_train_desc desc = {.loss = SPARCL_LOSS_POISSON,
                                    .optim = OPTIM(.lr = 0.1),
                                    .solver = SPARCL_SOLVER_LBFGS,
                                    .l2 = 0.01,
                                    .epochs = 500,
                                    .tolerance = 1e-6};
    sparcl_train_result result;
    sparcl_model *const model = must_train(*state, data, NULL, &desc, &result);
    double label[ROWS], sum = 0, expected = 0;
    float p[ROWS];
    sparcl_error error = {0};
    assert_true(result.converged);
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    for (int i = 0; i < ROWS; ++i) {
        assert_true(label[i] == (double)p[i] && label[i] > 0);
        sum += label[i];
        expected += sparcl_data_labels(data)[i];
    }
    assert_true(fabs(sum / expected - 1) < 1e-5);
    const sparcl_metrics m = must_eval(*state, model, data);
    const double mean = expected / ROWS;
    assert_true(fabs(m.best_constant_loss - (mean - mean * log(mean))) < 1e-12);
    assert_true(m.loss < m.best_constant_loss && isnan(m.accuracy) && isnan(m.auc));
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void a_linear_support_vector_machine_separates_its_classes(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_HINGE, SPARCL_RULE_ADAGRAD);
    double label[ROWS];
    float p[ROWS];
    int ones = 0, right = 0;
    sparcl_error error = {0};
    desc.l2 = 0;
    desc.epochs = 300;
    sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_metrics m = must_eval(*state, model, data);
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    for (int i = 0; i < ROWS; ++i) {
        const double y = sparcl_data_labels(data)[i];
        assert_true((p[i] > 0) == (label[i] > 0));
        ones += y > 0;
        right += label[i] == y;
    }
    print_message("           loss %.3f of %.3f, accuracy %.3f\n", m.loss, m.best_constant_loss,
                  m.accuracy);
    assert_true(m.accuracy == (double)right / ROWS && m.accuracy > 0.9 && m.auc > 0.95);
    const int smaller = ones < ROWS - ones ? ones : ROWS - ones;
    assert_true(fabs(m.best_constant_loss - 2. * smaller / ROWS) < 1e-12);
    assert_true(m.loss < 0.5 * m.best_constant_loss);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void refuse(sparcl_ctx *ctx, const sparcl_data *data, const sparcl_train_desc *desc,
                   sparcl_status expected, const char *part_of) {
    sparcl_model *model;
    sparcl_error error;
    assert_failed(error, sparcl_train(ctx, &model, data, NULL, desc, NULL, &error), expected,
                  part_of);
}

static void other_labels_are_refused(void **state) {
    sparcl_data *const negative = make_counts(-1), *const counts = make_counts(0);
    sparcl_train_desc desc = small_run(SPARCL_LOSS_POISSON, SPARCL_RULE_SGD);
    refuse(*state, negative, &desc, SPARCL_E_FORMAT,
           "expected a count from 0, as poisson loss needs");
    desc.loss = SPARCL_LOSS_HINGE;
    refuse(*state, counts, &desc, SPARCL_E_FORMAT,
           "expected two different labels, as hinge loss needs");
    desc.solver = SPARCL_SOLVER_LBFGS;
    refuse(*state, counts, &desc, SPARCL_E_ARG,
           "loss is hinge, expected one that has a derivative");
    sparcl_data_free(counts);
    sparcl_data_free(negative);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_a_plain_answer),
        cmocka_unit_test(poisson_regression_finds_its_minimum),
        cmocka_unit_test(a_linear_support_vector_machine_separates_its_classes),
        cmocka_unit_test(other_labels_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
