/* test_model_calibrate.c: probabilities of a model from rows that it was not trained on. */
#include "architecture_test.h"

#include <math.h>

#include "base/macros.h"
#include "sparcl/apply.h"
#include "sparcl/model.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"

/* The score of a row is its value. */
static sparcl_model *identity(sparcl_loss loss) {
    static const double labels[] = {-1, 1};
    static const float weight[] = {1}, bias[] = {0};
    const sparcl_model_info info = {.loss = loss,
                                    .columns = 1,
                                    .outputs = 1,
                                    .classes = 2,
                                    .labels = labels,
                                    .index_base = 1,
                                    .has_bias = 1,
                                    .lr = 1};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_model_create(&model, &info, weight, bias, &error));
    return model;
}

static sparcl_model *calibrated(sparcl_ctx *ctx, sparcl_loss loss, const sparcl_data *data,
                                const char *method) {
    sparcl_model *const model = identity(loss);
    sparcl_error error = {0};
    assert_done(error, sparcl_model_calibrate(ctx, model, data, method, &error));
    assert_string_equal(sparcl_model_calibration(model), method);
    return model;
}

static void assert_near(double found, double expected, double within) {
    if (!(fabs(found - expected) <= within)) fail_msg("found %.9g, expected %.9g", found, expected);
}

/* ---- what is found -------------------------------------------------------------------------- */

static void isotonic_probabilities_ascend(void **state) {
    static const char text[] = "-1 1:3\n-1 1:1\n1 1:4\n-1 1:5\n1 1:6\n1 1:8\n";
    const struct {
        double score, p;
    } cases[] = {{-9, 0},  {1, 0},      {3, 0}, {3.5, 0.25}, {4, 0.5},      {4.5, 0.5},
                 {5, 0.5}, {5.5, 0.75}, {6, 1}, {7, 1},      {INFINITY, 1}, {-INFINITY, 0}};
    sparcl_data *const data = read_text(text, NULL);
    sparcl_model *const model = calibrated(*state, SPARCL_LOSS_LOGISTIC, data, "isotonic");
    for (size_t i = 0; i < SPC_COUNT(cases); i++)
        assert_near(sparcl_model_probability(model, cases[i].score), cases[i].p, 1e-15);
    assert_true(isnan(sparcl_model_probability(model, (double)NAN)));
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void equal_scores_are_one_point(void **state) {
    static const char text[] = "1 1:1\n-1 1:1\n-1 1:1\n1 1:2\n1 1:2\n-1 1:2\n";
    sparcl_data *const data = read_text(text, NULL);
    sparcl_model *const model = calibrated(*state, SPARCL_LOSS_HINGE, data, "isotonic");
    assert_near(sparcl_model_probability(model, 1), 1. / 3, 1e-15);
    assert_near(sparcl_model_probability(model, 1.5), 0.5, 1e-15);
    assert_near(sparcl_model_probability(model, 2), 2. / 3, 1e-15);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* The gradient of the likelihood, with the targets of Lin, Lin and Weng. */
static void platt_has_the_largest_likelihood(void **state) {
    static const double x[] = {-2, -1, 0, 1, 2, 3};
    static const int high[] = {1, 2, 5, 8, 9, 19}, all[] = {20, 10, 12, 10, 10, 20};
    char text[8192] = "";
    size_t used = 0;
    double n1 = 0, n0 = 0;
    for (size_t k = 0; k < SPC_COUNT(x); k++)
        for (int i = 0; i < all[k]; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%d 1:%g\n",
                                     i < high[k] ? 1 : -1, x[k]);
            *(i < high[k] ? &n1 : &n0) += 1;
        }
    sparcl_data *const data = read_text(text, NULL);
    sparcl_model *const model = calibrated(*state, SPARCL_LOSS_LOGISTIC, data, "platt");
    const double t1 = (n1 + 1) / (n1 + 2), t0 = 1 / (n0 + 2);
    double a = 0, b = 0;
    for (size_t k = 0; k < SPC_COUNT(x); k++) {
        const double p = sparcl_model_probability(model, x[k]);
        const double d = all[k] * p - high[k] * t1 - (all[k] - high[k]) * t0;
        a += d * x[k];
        b += d;
    }
    assert_near(a / (n0 + n1), 0, 1e-9);
    assert_near(b / (n0 + n1), 0, 1e-9);
    assert_true(sparcl_model_probability(model, 1) > sparcl_model_probability(model, 0));
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void weights_count_as_rows(void **state) {
    static const char text[] = "-1 1:1\n1 1:2\n1 1:2\n1 1:2\n-1 1:3\n1 1:4\n1 1:4\n";
    static const char *const methods[] = {"platt", "isotonic"};
    static const float weights[] = {1, 3, 1, 2, 0};
    static const int64_t offsets[] = {0, 1, 2, 3, 4, 5};
    static const int32_t indices[] = {0, 0, 0, 0, 0};
    static const float values[] = {1, 2, 3, 4, 9};
    static const double labels[] = {-1, 1, -1, 1, -1};
    const sparcl_data_arrays arrays = {.rows = 5,
                                       .columns = 1,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = values,
                                       .labels = labels,
                                       .weights = weights,
                                       .index_base = 1};
    sparcl_error error = {0};
    sparcl_data *weighted = NULL, *const data = read_text(text, NULL);
    assert_done(error, sparcl_data_create(&weighted, &arrays, &error));
    for (size_t m = 0; m < SPC_COUNT(methods); m++) {
        sparcl_model *const a = calibrated(*state, SPARCL_LOSS_LOGISTIC, data, methods[m]);
        sparcl_model *const b = calibrated(*state, SPARCL_LOSS_LOGISTIC, weighted, methods[m]);
        for (double score = 0; score < 5; score += 0.25)
            assert_near(sparcl_model_probability(a, score), sparcl_model_probability(b, score),
                        1e-9);
        sparcl_model_free(a);
        sparcl_model_free(b);
    }
    sparcl_data_free(weighted);
    sparcl_data_free(data);
}

/* ---- where it acts -------------------------------------------------------------------------- */

/* Predictions and the loss are those of the probabilities. */
static void check_predictions(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data) {
    enum { COUNT = 6 };
    const double *const truth = sparcl_data_labels(data);
    double label[COUNT], again[COUNT], loss = 0;
    float p[COUNT], q[COUNT], scores[COUNT];
    sparcl_predictor *predictor = NULL;
    sparcl_error error = {0};
    assert_int_equal(sparcl_data_get_info(data)->rows, COUNT);
    assert_done(error, sparcl_predict(ctx, model, data, label, p, &error));
    assert_done(error, sparcl_model_open(ctx, &predictor, model, &error));
    assert_done(error, sparcl_model_predict_data(predictor, data, again, q, NULL, &error));
    assert_memory_equal(label, again, sizeof label);
    assert_memory_equal(p, q, sizeof p);
    assert_done(error, sparcl_model_predict_data(predictor, data, again, NULL, scores, &error));
    assert_memory_equal(label, again, sizeof label);
    for (int i = 0; i < COUNT; i++) {
        const double high = sparcl_model_probability(model, (double)scores[i]);
        assert_true(scores[i] == sparcl_data_values(data)[i]);
        assert_true(label[i] == (high > 0.5 ? 1 : -1));
        assert_true(p[i] == (float)(high > 0.5 ? high : 1 - high));
        loss -= log(truth[i] > 0 ? high : 1 - high) / COUNT;
    }
    assert_near(must_eval(ctx, model, data).loss, loss, 1e-12);
    sparcl_predictor_free(predictor);
}

static void predictions_and_the_loss_are_calibrated(void **state) {
    static const char text[] = "-1 1:3\n1 1:1\n1 1:4\n-1 1:5\n1 1:6\n1 1:8\n";
    sparcl_data *const data = read_text(text, NULL);
    sparcl_model *const platt = calibrated(*state, SPARCL_LOSS_LOGISTIC, data, "platt");
    check_predictions(*state, platt, data);
    sparcl_error error = {0};
    assert_done(error, sparcl_model_calibrate(*state, platt, data, "isotonic", &error)); /* anew */
    check_predictions(*state, platt, data);
    sparcl_model_free(platt);
    sparcl_data_free(data);
}

static void labels_of_hinge_loss_stay(void **state) {
    static const char text[] = "-1 1:3\n-1 1:1\n1 1:4\n-1 1:5\n1 1:6\n1 1:8\n";
    sparcl_data *const data = read_text(text, NULL);
    sparcl_model *const model = calibrated(*state, SPARCL_LOSS_HINGE, data, "platt"),
                        *const as_made = identity(SPARCL_LOSS_HINGE);
    double label[6];
    float p[6];
    sparcl_error error = {0};
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    for (int i = 0; i < 6; i++)
        assert_true(label[i] == 1 && p[i] == sparcl_data_values(data)[i]);
    assert_true(must_eval(*state, model, data).loss == must_eval(*state, as_made, data).loss);
    assert_true(isnan(sparcl_model_probability(as_made, 1)));
    assert_null(sparcl_model_calibration(as_made));
    sparcl_model_free(as_made);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void files_keep_it(void **state) {
    static const char text[] = "-1 1:3\n-1 1:1\n1 1:4\n-1 1:5\n1 1:6\n1 1:8\n";
    static const char *const methods[] = {"platt", "isotonic", "temperature"};
    char path[] = "/tmp/sparcl-calibrate-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    sparcl_data *const data = read_text(text, NULL);
    for (size_t m = 0; m < SPC_COUNT(methods); m++) {
        sparcl_model *const made = calibrated(*state, SPARCL_LOSS_LOGISTIC, data, methods[m]);
        sparcl_model *read = NULL;
        sparcl_error error = {0};
        assert_done(error, sparcl_model_save(made, path, &error));
        assert_done(error, sparcl_model_load(&read, path, &error));
        assert_string_equal(sparcl_model_calibration(read), methods[m]);
        for (double score = -1; score < 9; score += 0.125)
            assert_true(sparcl_model_probability(read, score) ==
                        sparcl_model_probability(made, score));
        assert_true(same_values(made, read));
        sparcl_model_free(read);
        sparcl_model_free(made);
    }
    sparcl_data_free(data);
    unlink(path);
}

/* ---- classes -------------------------------------------------------------------------------- */

/* The scores of a row are its values. */
static sparcl_model *identity_of_three(void) {
    static const double labels[] = {2, 5, 9};
    static const float weight[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const sparcl_model_info info = {.loss = SPARCL_LOSS_SOFTMAX,
                                    .columns = 3,
                                    .outputs = 3,
                                    .classes = 3,
                                    .labels = labels,
                                    .index_base = 1,
                                    .lr = 1};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_model_create(&model, &info, weight, NULL, &error));
    return model;
}

/* A row is of the class with the largest score, but for every fifth; of 9 only with others. */
static sparcl_data *rows_of_three(int rows, bool has_nine) {
    char text[16384] = "";
    size_t used = 0;
    unsigned s = 7;
    for (int i = 0; i < rows; i++) {
        double x[3];
        int best = 0;
        for (int k = 0; k < 3; k++) {
            s = s * 1103515245u + 12345u;
            x[k] = (double)(s >> 16 & 1023) / 128 + 0.01;
            if (x[k] > x[best]) best = k;
        }
        if (i % 5 == 0) best = (best + 1) % 3;
        if (best == 2 && !has_nine) best = i % 2;
        used += (size_t)snprintf(text + used, sizeof text - used, "%d 1:%g 2:%g 3:%g\n",
                                 best == 0   ? 2
                                 : best == 1 ? 5
                                             : 9,
                                 x[0], x[1], x[2]);
    }
    return read_text(text, NULL);
}

static int number_of(double label) {
    return label == 2 ? 0 : label == 5 ? 1 : 2;
}

/* Labels, probabilities, metrics and those of the predictor are those of the function. */
static void check_classes(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data) {
    enum { COUNT = 200 };
    const double *const truth = sparcl_data_labels(data);
    static double label[COUNT], again[COUNT];
    static float p[COUNT], q[COUNT], scores[3 * COUNT];
    sparcl_predictor *predictor = NULL;
    sparcl_error error = {0};
    double loss = 0, right = 0;
    assert_done(error, sparcl_predict(ctx, model, data, label, p, &error));
    assert_done(error, sparcl_model_open(ctx, &predictor, model, &error));
    assert_done(error, sparcl_model_predict_data(predictor, data, again, q, NULL, &error));
    assert_memory_equal(label, again, sizeof label);
    assert_memory_equal(p, q, sizeof p);
    assert_done(error, sparcl_model_predict_data(predictor, data, NULL, NULL, scores, &error));
    for (int i = 0; i < COUNT; i++) {
        double found[3];
        const int chosen = number_of(label[i]), true_class = number_of(truth[i]);
        assert_int_equal(sparcl_model_probabilities(model, scores + 3 * i, found), 1);
        assert_near(found[0] + found[1] + found[2], 1, 1e-12);
        assert_near(found[chosen], fmax(fmax(found[0], found[1]), found[2]), 0);
        assert_near((double)p[i], found[chosen], 1e-7);
        loss -= log(fmax(found[true_class], 0x1p-52)) / COUNT;
        right += chosen == true_class;
    }
    const sparcl_metrics m = must_eval(ctx, model, data);
    assert_near(m.loss, loss, 1e-9);
    assert_near(m.accuracy, right / COUNT, 1e-12);
    sparcl_predictor_free(predictor);
}

static void classes_are_calibrated(void **state) {
    static const char *const methods[] = {"platt", "isotonic", "temperature"};
    char path[] = "/tmp/sparcl-calibrate-XXXXXX";
    const int file = mkstemp(path);
    close(file);
    sparcl_data *const data = rows_of_three(200, true);
    sparcl_model *const as_made = identity_of_three();
    const double before = must_eval(*state, as_made, data).loss;
    for (size_t m = 0; m < SPC_COUNT(methods); m++) {
        sparcl_model *const made = identity_of_three();
        sparcl_model *read = NULL;
        sparcl_error error = {0};
        assert_done(error, sparcl_model_calibrate(*state, made, data, methods[m], &error));
        check_classes(*state, made, data);
        const double after = must_eval(*state, made, data).loss;
        if (!(after < 0.9 * before)) fail_msg("%g, before %g", after, before);
        assert_true(isnan(sparcl_model_probability(made, 1)));
        assert_done(error, sparcl_model_save(made, path, &error));
        assert_done(error, sparcl_model_load(&read, path, &error));
        assert_string_equal(sparcl_model_calibration(read), methods[m]);
        assert_true(must_eval(*state, read, data).loss == must_eval(*state, made, data).loss);
        sparcl_model_free(read);
        sparcl_model_free(made);
    }
    sparcl_model_free(as_made);
    sparcl_data_free(data);
    unlink(path);
}

/* The derivative of the likelihood by the factor is 0, and labels stay. */
static void a_temperature_has_the_largest_likelihood(void **state) {
    static const char text[] = "-1 1:3\n-1 1:-1\n1 1:4\n-1 1:-5\n1 1:6\n1 1:-2\n";
    sparcl_data *const data = read_text(text, NULL);
    sparcl_model *const model = calibrated(*state, SPARCL_LOSS_LOGISTIC, data, "temperature");
    double slope = 0;
    for (int i = 0; i < 6; i++) {
        const double score = (double)sparcl_data_values(data)[i];
        slope +=
            (sparcl_model_probability(model, score) - (sparcl_data_labels(data)[i] > 0)) * score;
    }
    assert_near(slope, 0, 1e-9);
    assert_near(sparcl_model_probability(model, 0), 0.5, 0);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void classes_keep_their_order_with_a_temperature(void **state) {
    sparcl_data *const data = rows_of_three(200, true);
    sparcl_model *const as_made = identity_of_three(), *const made = identity_of_three();
    sparcl_error error = {0};
    double slope = 0, before[200], after[200], p[3];
    float unused[200];
    assert_done(error, sparcl_model_calibrate(*state, made, data, "temperature", &error));
    assert_done(error, sparcl_predict(*state, as_made, data, before, unused, &error));
    assert_done(error, sparcl_predict(*state, made, data, after, unused, &error));
    assert_memory_equal(before, after, sizeof before);
    for (int i = 0; i < 200; i++) {
        const float *const x = sparcl_data_values(data) + 3 * i;
        assert_int_equal(sparcl_model_probabilities(made, x, p), 1);
        for (int k = 0; k < 3; k++)
            slope += (p[k] - (number_of(sparcl_data_labels(data)[i]) == k)) * (double)x[k];
    }
    assert_near(slope / 200, 0, 1e-9);
    sparcl_model_free(as_made);
    sparcl_model_free(made);
    sparcl_data_free(data);
}

/* Its function has no slope. */
static void a_class_without_rows_is_rare(void **state) {
    static const char *const methods[] = {"platt", "isotonic"};
    static const float scores[] = {6, 2, 3};
    sparcl_data *const data = rows_of_three(200, false);
    for (size_t m = 0; m < SPC_COUNT(methods); m++) {
        sparcl_model *const made = identity_of_three();
        sparcl_error error = {0};
        double p[3];
        assert_done(error, sparcl_model_calibrate(*state, made, data, methods[m], &error));
        assert_int_equal(sparcl_model_probabilities(made, scores, p), 1);
        assert_true(p[2] > 0 && p[2] < 0.02);
        check_classes(*state, made, data);
        sparcl_model_free(made);
    }
    sparcl_data_free(data);
}

/* Far apart, sums of exponentials have one number only. */
static void scores_may_be_far_apart(void **state) {
    static const float scores[][3] = {{1e30f, -1e30f, 0}, {-3e38f, 3e38f, 3e38f}, {0, 0, 0}};
    sparcl_data *const data = rows_of_three(200, true);
    sparcl_model *const as_made = identity_of_three(), *const made = identity_of_three();
    sparcl_error error = {0};
    assert_done(error, sparcl_model_calibrate(*state, made, data, "platt", &error));
    for (size_t i = 0; i < SPC_COUNT(scores); i++)
        for (int calibrated = 0; calibrated < 2; calibrated++) {
            double p[3];
            assert_int_equal(sparcl_model_probabilities(calibrated ? made : as_made, scores[i], p),
                             1);
            assert_near(p[0] + p[1] + p[2], 1, 1e-12);
            assert_true(i > 0 || p[0] > 0.99);
        }
    sparcl_model_free(as_made);
    sparcl_model_free(made);
    sparcl_data_free(data);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refuse(sparcl_ctx *ctx, sparcl_model *model, const char *text, const char *method,
                   sparcl_status status, const char *words) {
    sparcl_data *const data = read_text(text, NULL);
    sparcl_error error = {0};
    assert_failed(error, sparcl_model_calibrate(ctx, model, data, method, &error), status, words);
    assert_null(sparcl_model_calibration(model));
    sparcl_data_free(data);
}

static void others_are_refused(void **state) {
    sparcl_model *const model = identity(SPARCL_LOSS_LOGISTIC);
    refuse(*state, model, "1 1:1\n-1 1:2\n", "sigmoid", SPARCL_E_ARG,
           "method is \"sigmoid\", expected \"platt\", \"isotonic\" or \"temperature\"");
    refuse(*state, model, "1 1:1\n1 1:2\n", "platt", SPARCL_E_FORMAT,
           "expected rows of both classes, for the calibration, found only label 1");
    refuse(*state, model, "1:1\n1:2\n", "platt", SPARCL_E_FORMAT, "expected a label");
    sparcl_model_free(model);
    sparcl_model *const three = identity_of_three();
    refuse(*state, three, "5 1:1\n5 1:2\n", "platt", SPARCL_E_FORMAT,
           "expected rows of several classes, for the calibration, found only label 5");
    refuse(*state, three, "7 1:1\n", "isotonic", SPARCL_E_FORMAT,
           "expected rows of the classes of the model, for the calibration, found none");
    sparcl_model_free(three);
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 12);
    sparcl_train_desc desc = default_run(SPARCL_LOSS_SQUARED, SPARCL_RULE_SGD);
    sparcl_model *const numbers = must_train(*state, data, NULL, &desc, NULL);
    refuse(*state, numbers, "1 1:1\n-1 1:2\n", "platt", SPARCL_E_ARG,
           "expected a model of classes, with logistic, softmax or hinge loss");
    double p[3];
    const float none[] = {0};
    assert_int_equal(sparcl_model_probabilities(numbers, none, p), 0);
    sparcl_model_free(numbers);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isotonic_probabilities_ascend),
        cmocka_unit_test(equal_scores_are_one_point),
        cmocka_unit_test(platt_has_the_largest_likelihood),
        cmocka_unit_test(weights_count_as_rows),
        cmocka_unit_test(predictions_and_the_loss_are_calibrated),
        cmocka_unit_test(labels_of_hinge_loss_stay),
        cmocka_unit_test(files_keep_it),
        cmocka_unit_test(classes_are_calibrated),
        cmocka_unit_test(a_temperature_has_the_largest_likelihood),
        cmocka_unit_test(classes_keep_their_order_with_a_temperature),
        cmocka_unit_test(a_class_without_rows_is_rare),
        cmocka_unit_test(scores_may_be_far_apart),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
