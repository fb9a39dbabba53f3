/* test_known.c: training reaches the known answers of real data sets: the exact minimum of logistic
 * regression, its number of correct test rows, the accuracy of softmax with 105 classes, and the
 * AUC of a factorization machine. */
#include "train_test.h"

#include "real_data.h"
#include "sparcl/apply.h"
#include "sparcl/architecture.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"

/* Minimum f of |w|^2 / 2 + sum of losses over `rows` rows, found in double by Newton's method, and
 * how many test rows its w classifies correctly. */
typedef struct known {
    const char *train, *test;
    int64_t columns, rows, test_rows, right;
    double f;
    double lr, momentum;
    int64_t epochs;
} known;

static const known a9a = {.train = "svm/a9a.gz",
                          .test = "svm/a9a.t.gz",
                          .columns = 123,
                          .rows = 32561,
                          .test_rows = 16281,
                          .right = 13837,
                          .f = 10529.562584638,
                          .lr = 2,
                          .momentum = 0.9,
                          .epochs = 500};
static const known w8a = {.train = "svm/w8a.gz",
                          .test = "svm/w8a.gz",
                          .columns = 300,
                          .rows = 49749,
                          .test_rows = 49749,
                          .right = 48947,
                          .f = 6277.362973212,
                          .lr = 5,
                          .momentum = 0.95,
                          .epochs = 1000};
static const known agaricus = {.train = "svm/agaricus.train.gz",
                               .test = "svm/agaricus.test.gz",
                               .columns = 126,
                               .rows = 6513,
                               .test_rows = 1611,
                               .right = 1611,
                               .f = 98.513644758,
                               .lr = 2,
                               .momentum = 0.98,
                               .epochs = 1000};
static const known rcv1 = {.train = "rcv1/rcv1_small.svm.gz",
                           .test = "rcv1/rcv1_small_test.svm.gz",
                           .columns = 47236,
                           .rows = 1000,
                           .test_rows = 500,
                           .right = 438,
                           .f = 476.813833704,
                           .lr = 10,
                           .momentum = 0.95,
                           .epochs = 500};

static double objective_in_double(const sparcl_model *model, const sparcl_data *data, double l2) {
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const sparcl_model_info *about = sparcl_model_get_info(model);
    const float *w = sparcl_model_weights(model), *values = sparcl_data_values(data);
    const int64_t *offsets = sparcl_data_offsets(data);
    double loss = 0, squares = 0;
    for (int64_t i = 0; i < info->rows; ++i) {
        double s = 0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k)
            s += (double)values[k] * w[index_of(data, k)];
        if (sparcl_data_labels(data)[i] != about->labels[1]) s = -s;
        loss += log1p(exp(-fabs(s))) + fmax(-s, 0);
    }
    for (int64_t c = 0; c < about->columns; ++c)
        squares += (double)w[c] * w[c];
    return loss / (double)info->rows + 0.5 * l2 * squares;
}

static void reach(sparcl_ctx *ctx, const known *k) {
    sparcl_data *train = real_data(k->train, k->columns), *test = real_data(k->test, k->columns);
    const double minimum = k->f / (double)k->rows, l2 = 1 / (double)k->rows;
    const sparcl_train_desc desc = {
        .optim = OPTIM(.rule = SPARCL_RULE_MOMENTUM, .lr = k->lr, .momentum.factor = k->momentum),
        .l2 = l2,
        .epochs = k->epochs,
        .batch = 0, /* all rows */
        .no_bias = 1,
        .columns = k->columns};
    sparcl_train_result result;
    sparcl_metrics m;
    sparcl_error error = {0};
    assert_int_equal(sparcl_data_get_info(train)->rows, k->rows);
    assert_int_equal(sparcl_data_get_info(test)->rows, k->test_rows);
    sparcl_model *model = must_train(ctx, train, NULL, &desc, &result);
    assert_done(error, sparcl_eval(ctx, model, test, &m, &error));
    const double right = m.accuracy * (double)k->test_rows, above = result.objective / minimum - 1;
    const double above_in_double = objective_in_double(model, train, l2) / minimum - 1;
    print_message("           %s: objective %.9f, %.1e above the minimum (in double %.1e); %.0f of "
                  "%lld right, expected %lld; %.2f s\n",
                  k->train, result.objective, above, above_in_double, right,
                  (long long)k->test_rows, (long long)k->right,
                  result.seconds_per_pass * (double)k->epochs);
    assert_true(above < 1e-3 && above > -1e-6);
    assert_true(above_in_double < 1e-3 && above_in_double > -1e-9);
    assert_true(fabs(right - (double)k->right) <= 0.002 * (double)k->test_rows);
    sparcl_model_free(model);
    sparcl_data_free(test);
    sparcl_data_free(train);
}

static void a9a_reaches_its_minimum(void **state) {
    reach(*state, &a9a);
}

static void w8a_reaches_its_minimum(void **state) {
    reach(*state, &w8a);
}

static void agaricus_reaches_its_minimum(void **state) {
    reach(*state, &agaricus);
}

static void rcv1_reaches_its_minimum(void **state) {
    reach(*state, &rcv1);
}

static void sector_reaches_92_percent_accuracy_on_its_test_data(void **state) {
    sparcl_data *train = real_data("svm/sector.scale.gz", 55197);
    sparcl_data *test = real_data("svm/sector.t.scale.gz", 55197);
    const sparcl_train_desc desc = {
        .loss = SPARCL_LOSS_SOFTMAX, .optim = OPTIM(.lr = 100), .epochs = 20, .batch = 64};
    sparcl_train_result result;
    sparcl_metrics m;
    sparcl_error error = {0};
    sparcl_model *model = must_train(*state, train, NULL, &desc, &result);
    assert_done(error, sparcl_eval(*state, model, test, &m, &error));
    print_message("           softmax: %.2f %% right, %.2f s\n", 100 * m.accuracy,
                  result.seconds_per_pass * 20);
    assert_true(m.accuracy >= 0.92);
    sparcl_model_free(model);
    sparcl_data_free(test);
    sparcl_data_free(train);
}

/* A fifth of the rows held out, by five seeds. */
static void frappe_with_a_factorization_machine(void **state) {
    enum { SEEDS = 5 };
    sparcl_data *data = real_data("ctr/frappe.test.libfm.gz", 0);
    const sparcl_architecture *fm = NULL;
    double auc = 0, loss = 0;
    sparcl_error error = {0};
    assert_done(error, sparcl_architecture_parse(&fm, "fm:factors=16", &error));
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        sparcl_train_desc desc = {.epochs = 10, .batch = 256, .seed = seed, .architecture = fm};
        sparcl_data *rest, *held;
        sparcl_optim_init(&desc.optim, SPARCL_RULE_ADAM);
        assert_done(error, sparcl_data_split(data, 0.2, seed, &rest, &held, &error));
        sparcl_model *const model = must_train(*state, rest, NULL, &desc, NULL);
        sparcl_metrics m;
        assert_done(error, sparcl_eval(*state, model, held, &m, &error));
        auc += m.auc / SEEDS;
        loss += m.loss / SEEDS;
        sparcl_model_free(model);
        sparcl_data_free(rest);
        sparcl_data_free(held);
    }
    print_message("           frappe: AUC %.4f, log loss %.4f\n", auc, loss);
    assert_true(auc >= 0.912 && loss <= 0.323);
    sparcl_architecture_free(fm);
    sparcl_data_free(data);
}

int main(void) {
    need_real_data("svm/a9a, w8a, agaricus, sector, rcv1/rcv1_small, ctr/frappe");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a9a_reaches_its_minimum),
        cmocka_unit_test(w8a_reaches_its_minimum),
        cmocka_unit_test(agaricus_reaches_its_minimum),
        cmocka_unit_test(rcv1_reaches_its_minimum),
        cmocka_unit_test(sector_reaches_92_percent_accuracy_on_its_test_data),
        cmocka_unit_test(frappe_with_a_factorization_machine),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
