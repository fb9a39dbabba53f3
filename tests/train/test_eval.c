/* test_eval.c: what the header says of evaluation and prediction. */
#include "sparcl/apply.h"
#include "train_test.h"

/* --- models and data ------------------------------------------------------------------------- */

static sparcl_model *make_model(sparcl_loss loss, int64_t columns, const float *weights,
                                const float *bias, double l2) {
    static const double two[] = {-1, 1}, three[] = {-5, 2, 40};
    const sparcl_model_info info = {.loss = loss,
                                    .columns = columns,
                                    .outputs = loss == SPARCL_LOSS_SOFTMAX ? 3 : 1,
                                    .classes = loss == SPARCL_LOSS_LOGISTIC  ? 2
                                               : loss == SPARCL_LOSS_SOFTMAX ? 3
                                                                             : 0,
                                    .labels = loss == SPARCL_LOSS_SOFTMAX ? three : two,
                                    .index_base = 1,
                                    .has_bias = bias != NULL,
                                    .l2 = l2};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_model_create(&model, &info, weights, bias, &error));
    return model;
}

static sparcl_metrics must_eval(sparcl_ctx *ctx, const sparcl_model *model,
                                const sparcl_data *data) {
    sparcl_metrics metrics;
    sparcl_error error = {0};
    assert_done(error, sparcl_eval(ctx, model, data, &metrics, &error));
    return metrics;
}

/* A model with weights from a seed, and the same in plain C. */
static sparcl_model *make_both(const sparcl_data *data, sparcl_loss loss, plain *p) {
    float *w = make_floats(COLUMNS * MAX_OUTPUTS, 6), *bias = make_floats(MAX_OUTPUTS, 7);
    const sparcl_train_desc desc = {.loss = loss, .optim = OPTIM(.lr = 0), .l2 = 0.25};
    sparcl_model *model = make_model(loss, COLUMNS, w, bias, 0.25);
    *p = plain_open(data, &desc);
    plain_take(p, model);
    free(w);
    free(bias);
    return model;
}

/* --- evaluate -------------------------------------------------------------------------------- */

static double auc_by_pairs(const plain *p, int64_t rows) {
    const double *labels = sparcl_data_labels(p->data);
    double pairs = 0, right = 0;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < rows; ++j) {
            double a[MAX_OUTPUTS], b[MAX_OUTPUTS];
            if (labels[i] != 1 || labels[j] != -1) continue;
            plain_scores(p, i, a);
            plain_scores(p, j, b);
            pairs += 1;
            right += a[0] > b[0] ? 1 : a[0] == b[0] ? 0.5 : 0;
        }
    return right / pairs;
}

static int best_class(const plain *p, int64_t row) {
    double s[MAX_OUTPUTS];
    plain_scores(p, row, s);
    if (p->outputs == 1) return s[0] > 0;
    int best = 0;
    for (int o = 1; o < p->outputs; ++o)
        if (s[o] > s[best]) best = o;
    return best;
}

static void metrics_are_those_of_counting_in_plain_c(void **state) {
    for (int loss = 0; loss < 3; ++loss) {
        sparcl_data *data = make_data((sparcl_loss)loss, 8);
        const double *labels = sparcl_data_labels(data);
        plain p;
        sparcl_model *model = make_both(data, (sparcl_loss)loss, &p);
        const sparcl_metrics m = must_eval(*state, model, data);
        double right = 0, counts[MAX_OUTPUTS] = {0}, entropy = 0;
        assert_int_equal(m.rows, ROWS);
        assert_true(fabs(m.loss - plain_mean_loss(&p)) < 1e-6);
        assert_true(fabs(m.objective - plain_objective(&p)) < 1e-6);
        for (int64_t i = 0; loss != SPARCL_LOSS_SQUARED && i < ROWS; ++i) {
            const int y = class_of(&p, labels[i]);
            right += best_class(&p, i) == y;
            counts[y] += 1;
        }
        for (int c = 0; c < MAX_OUTPUTS; ++c)
            if (counts[c] > 0) entropy -= counts[c] / ROWS * log(counts[c] / ROWS);
        if (loss == SPARCL_LOSS_SQUARED) {
            double mean = 0, squares = 0;
            for (int64_t i = 0; i < ROWS; ++i)
                mean += labels[i] / ROWS;
            for (int64_t i = 0; i < ROWS; ++i)
                squares += (labels[i] - mean) * (labels[i] - mean) / ROWS;
            assert_true(isnan(m.accuracy) && isnan(m.auc));
            assert_true(fabs(m.best_constant_loss - squares / 2) < 1e-12);
        } else {
            assert_true(fabs(m.accuracy - right / ROWS) < 1e-12);
            assert_true(fabs(m.best_constant_loss - entropy) < 1e-12);
        }
        if (loss == SPARCL_LOSS_LOGISTIC) assert_true(fabs(m.auc - auc_by_pairs(&p, ROWS)) < 1e-12);
        if (loss == SPARCL_LOSS_SOFTMAX) assert_true(isnan(m.auc));
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

static void evaluation_finds_the_loss_that_training_reported(void **state) {
    for (int loss = 0; loss < 3; ++loss) {
        sparcl_data *data = make_data((sparcl_loss)loss, 8);
        const sparcl_train_desc desc = small_run((sparcl_loss)loss, SPARCL_RULE_MOMENTUM);
        sparcl_train_result result;
        sparcl_model *model = must_train(*state, data, NULL, &desc, &result);
        const sparcl_metrics m = must_eval(*state, model, data);
        assert_true(m.loss == result.loss && m.objective == result.objective);
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

/* Data from text, a logistic model of given weights, and room for what is found. */
typedef struct subject {
    sparcl_data *data;
    sparcl_model *model;
    sparcl_metrics metrics;
    double label[4];
    float p[4];
    sparcl_error error;
} subject;

static subject make_subject(const char *text, const sparcl_data_desc *desc, int64_t columns,
                            const float *weights) {
    return (subject){.data = read_text(text, desc),
                     .model = make_model(SPARCL_LOSS_LOGISTIC, columns, weights, NULL, 0)};
}

static void free_subject(subject *s) {
    sparcl_model_free(s->model);
    sparcl_data_free(s->data);
}

static sparcl_status eval(sparcl_ctx *ctx, subject *s) {
    return sparcl_eval(ctx, s->model, s->data, &s->metrics, &s->error);
}

static sparcl_status predict(sparcl_ctx *ctx, subject *s) {
    return sparcl_predict(ctx, s->model, s->data, s->label, s->p, &s->error);
}

static void auc_needs_both_classes(void **state) {
    const float w = 1;
    subject s = make_subject("1 1:1\n1 1:2\n", NULL, 1, &w);
    const sparcl_metrics m = must_eval(*state, s.model, s.data);
    assert_true(isnan(m.auc));
    assert_true(m.accuracy == 1 && m.best_constant_loss == 0);
    free_subject(&s);
}

static void columns_beyond_the_model_have_weight_0(void **state) {
    static const float w[] = {1, -2};
    const sparcl_data_desc two = {.index_base = SPARCL_BASE_1, .columns = 2};
    sparcl_data *wide = read_text("1 1:2 9:1e9\n-1 2:1 3:-1e30\n1 700:3\n", NULL);
    sparcl_data *narrow = read_text("1 1:2\n-1 2:1\n1\n", &two);
    sparcl_model *model = make_model(SPARCL_LOSS_LOGISTIC, 2, w, NULL, 0);
    const sparcl_metrics a = must_eval(*state, model, wide), b = must_eval(*state, model, narrow);
    double label_a[3], label_b[3];
    float p_a[3], p_b[3], scores[3];
    sparcl_error error = {0};
    assert_true(a.loss == b.loss && a.accuracy == b.accuracy && a.auc == b.auc);
    assert_done(error, sparcl_predict(*state, model, wide, label_a, p_a, &error));
    assert_done(error, sparcl_predict(*state, model, narrow, label_b, p_b, &error));
    assert_memory_equal(label_a, label_b, sizeof label_a);
    assert_memory_equal(p_a, p_b, sizeof p_a);
    assert_done(error,
                sparcl_predict_scores(*state, model, wide, NULL, label_a, p_a, scores, &error));
    assert_memory_equal(p_a, p_b, sizeof p_a);
    assert_true(scores[0] == 2 && scores[1] == -2 && scores[2] == 0);
    sparcl_model_free(model);
    sparcl_data_free(narrow);
    sparcl_data_free(wide);
}

static void narrower_data_are_accepted(void **state) {
    static const float w[] = {1, -2, 5, 7};
    subject s = make_subject("1 1:2\n-1 2:1\n", NULL, 4, w);
    assert_true(must_eval(*state, s.model, s.data).accuracy == 1);
    free_subject(&s);
}

/* Such a row is wrong, and all else is as without it. */
static void a_label_that_the_model_does_not_know_is_counted(void **state) {
    const float w = 1;
    subject s = make_subject("1 1:1\n-1 1:2\n7 1:1\n1 1:3\n7 1:-2\n", NULL, 1, &w);
    subject without = make_subject("1 1:1\n-1 1:2\n1 1:3\n", NULL, 1, &w);
    const sparcl_metrics m = must_eval(*state, s.model, s.data);
    const sparcl_metrics known = must_eval(*state, without.model, without.data);
    assert_int_equal(m.rows, 5);
    assert_int_equal(m.unknown_labels, 2);
    assert_int_equal(known.unknown_labels, 0);
    assert_true(fabs(known.accuracy - 2. / 3) < 1e-12 && fabs(m.accuracy - 2. / 5) < 1e-6);
    assert_true(fabs(m.best_constant_accuracy - 2. / 5) < 1e-6);
    assert_true(fabs(m.loss - known.loss) < 1e-6 && fabs(m.f1 - known.f1) < 1e-6);
    assert_true(fabs(m.auc - known.auc) < 1e-6);
    assert_true(fabs(m.best_constant_loss - known.best_constant_loss) < 1e-6);
    assert_true(fabs(m.calibration_error - known.calibration_error) < 1e-6);
    free_subject(&without);
    free_subject(&s);
    s = make_subject("5 1:1\n# a comment\n7 1:1\n", NULL, 1, &w);
    assert_failed(s.error, eval(*state, &s), SPARCL_E_FORMAT,
                  ": expected a label that the model knows, found none in 2 rows");
    assert_done(s.error, predict(*state, &s)); /* does not read labels */
    free_subject(&s);
}

static void values_that_are_not_finite_are_refused_with_their_place(void **state) {
    static const float w[] = {1, 1};
    subject s = make_subject("1 1:1\n\n-1 1:2 2:-inf\n1 1:nan\n", NULL, 2, w);
    assert_failed(
        s.error, eval(*state, &s), SPARCL_E_FORMAT,
        ":3:10: expected a finite value, found nan or inf (in total 1 NaN and 1 infinite");
    assert_failed(s.error, predict(*state, &s), SPARCL_E_FORMAT, ":3:10: expected a finite value");
    free_subject(&s);
}

static void another_index_base_than_that_of_the_model_is_refused(void **state) {
    static const float w[] = {1, 1};
    subject s = make_subject("1 0:1\n-1 1:2\n", NULL, 2, w);
    assert_failed(
        s.error, eval(*state, &s), SPARCL_E_FORMAT,
        ": expected columns counted from 1, as in the training data, found columns counted from 0");
    assert_failed(s.error, predict(*state, &s), SPARCL_E_FORMAT, "counted from 0");
    free_subject(&s);
}

static void what_is_null_is_refused(void **state) {
    const float w = 1;
    subject s = make_subject("1 1:1\n-1 1:2\n", NULL, 1, &w);
    const sparcl_model *const model = s.model;
    const sparcl_data *const data = s.data;
    sparcl_metrics m;
    sparcl_error e;
    double label[2];
    float p[2];
    assert_failed(e, sparcl_eval(NULL, model, data, &m, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_eval(*state, NULL, data, &m, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_eval(*state, model, NULL, &m, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_eval(*state, model, data, NULL, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(NULL, model, data, label, p, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(*state, NULL, data, label, p, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(*state, model, NULL, label, p, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(*state, model, data, NULL, p, &e), SPARCL_E_ARG, "NULL");
    assert_failed(e, sparcl_predict(*state, model, data, label, NULL, &e), SPARCL_E_ARG, "NULL");
    assert_int_equal(sparcl_eval(*state, NULL, data, &m, NULL), SPARCL_E_ARG);
    sparcl_class_report *r = NULL;
    assert_failed(e, sparcl_eval_classes(*state, model, data, NULL, &m, NULL, &e), SPARCL_E_ARG,
                  "report is NULL");
    assert_failed(e, sparcl_eval_classes(*state, NULL, data, NULL, &m, &r, &e), SPARCL_E_ARG,
                  "NULL");
    assert_null(r);
    free_subject(&s);
}

/* A row of an unknown label, the third, is in none of them. */
static void classes_are_counted_with_the_same_metrics(void **state) {
    const float w = 1;
    subject s = make_subject("1 1:1\n-1 1:2\n7 1:1\n1 1:-3\n", NULL, 1, &w);
    sparcl_metrics m;
    sparcl_error error = {0};
    sparcl_class_report *r = NULL;
    assert_done(error, sparcl_eval_classes(*state, s.model, s.data, NULL, &m, &r, &error));
    const sparcl_metrics same = must_eval(*state, s.model, s.data);
    assert_true(m.loss == same.loss && m.accuracy == same.accuracy && m.auc == same.auc);
    const double confusion[] = {0, 1, 1, 1};
    for (int i = 0; i < 4; ++i)
        assert_true(r->confusion[i] == confusion[i]);
    const sparcl_curve_point points[] = {{2, 0, 1}, {1, 1, 1}, {-3, 2, 1}};
    assert_int_equal(r->point_count, 3);
    for (int i = 0; i < 3; ++i)
        assert_true(r->points[i].threshold == points[i].threshold &&
                    r->points[i].true_positives == points[i].true_positives &&
                    r->points[i].false_positives == points[i].false_positives);
    sparcl_class_report_free(r);
    assert_done(error, sparcl_eval_threshold(*state, s.model, s.data, 0.8, &m, &r, &error));
    const double at_threshold[] = {0, 1, 2, 0}; /* of the scores only 2 is above 0.8 */
    for (int i = 0; i < 4; ++i)
        assert_true(r->confusion[i] == at_threshold[i]);
    assert_true(m.accuracy == 0 && m.f1 == 0 && m.auc == same.auc && m.loss == same.loss);
    sparcl_class_report_free(r);
    assert_failed(error, sparcl_eval_threshold(*state, s.model, s.data, -0.5, &m, &r, &error),
                  SPARCL_E_ARG, "threshold is -0.5, expected a probability, 0 to 1");
    free_subject(&s);
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 8);
    plain p;
    sparcl_model *const numbers = make_both(data, SPARCL_LOSS_SQUARED, &p);
    assert_done(error, sparcl_eval_classes(*state, numbers, data, NULL, &m, &r, &error));
    assert_null(r);
    assert_failed(error, sparcl_eval_threshold(*state, numbers, data, 0.5, &m, &r, &error),
                  SPARCL_E_ARG, "a threshold is for two classes");
    sparcl_model_free(numbers);
    sparcl_data_free(data);
}

/* --- predict --------------------------------------------------------------------------------- */

static void predictions_are_those_of_plain_c(void **state) {
    for (int loss = 0; loss < 3; ++loss) {
        sparcl_data *data = make_data((sparcl_loss)loss, 8);
        plain p;
        sparcl_model *model = make_both(data, (sparcl_loss)loss, &p);
        double label[ROWS], s[MAX_OUTPUTS];
        float chance[ROWS];
        sparcl_error error = {0};
        assert_done(error, sparcl_predict(*state, model, data, label, chance, &error));
        for (int64_t i = 0; i < ROWS; ++i) {
            const int best = best_class(&p, i);
            double sum = 0;
            plain_scores(&p, i, s);
            for (int o = 0; o < p.outputs; ++o)
                sum += exp(s[o] - s[p.outputs > 1 ? best : 0]);
            if (loss == SPARCL_LOSS_SQUARED) {
                assert_true(fabs(label[i] - s[0]) < 1e-5 && label[i] == chance[i]);
            } else {
                const double expected =
                    loss == SPARCL_LOSS_LOGISTIC ? 1 / (1 + exp(-fabs(s[0]))) : 1 / sum;
                assert_true(label[i] == p.labels[best]);
                assert_true(fabs(chance[i] - expected) < 1e-6);
            }
        }
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

static void a_score_of_exactly_0_goes_to_the_lower_label(void **state) {
    static const float w[] = {1, -1};
    subject s = make_subject("1\n1 1:1 2:1\n-1 1:0\n1 1:1e-40\n", NULL, 2, w);
    assert_done(s.error, predict(*state, &s));
    for (int i = 0; i < 3; ++i)
        assert_true(s.label[i] == -1 && s.p[i] == 0.5f);
    assert_true(must_eval(*state, s.model, s.data).accuracy <= 0.5);
    free_subject(&s);
}

static void data_without_labels_can_be_predicted_but_not_evaluated(void **state) {
    static const float w[] = {1, -1};
    const sparcl_data_desc desc = {.multilabel = 1};
    subject s = make_subject("1:3\n 2:4\n1,2 1:1\n", &desc, 2, w);
    assert_done(s.error, predict(*state, &s));
    assert_true(s.label[0] == 1 && s.label[1] == -1 && s.label[2] == 1);
    assert_failed(s.error, eval(*state, &s), SPARCL_E_FORMAT, "label");
    free_subject(&s);
}

static void memory_is_freed(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 8);
    plain p;
    sparcl_model *model = make_both(data, SPARCL_LOSS_LOGISTIC, &p);
    double label[ROWS];
    float chance[ROWS];
    sparcl_error error = {0};
    must_eval(ctx, model, data);
    const int64_t memory = sparcl_ctx_memory(ctx);
    must_eval(ctx, model, data);
    assert_done(error, sparcl_predict(ctx, model, data, label, chance, &error));
    assert_int_equal(sparcl_ctx_memory(ctx), memory);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* Infinity less infinity, of which a probability follows all the same; infinity; and a number. */
static void scores_outside_of_floats_are_computed_or_counted(void **state) {
    static const float weights[] = {3e38F, -3e38F}, values[] = {10, 9, 10, 0.1F};
    static const int64_t offsets[] = {0, 2, 3, 4};
    static const int32_t indices[] = {0, 1, 0, 0};
    static const double labels[] = {1, -1, 1};
    const sparcl_data_arrays arrays = {.rows = 3,
                                       .columns = 2,
                                       .offsets = offsets,
                                       .indices = indices,
                                       .values = values,
                                       .labels = labels,
                                       .index_base = 1};
    sparcl_data *data = NULL;
    double label[3];
    float p[3];
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    sparcl_model *const model = make_model(SPARCL_LOSS_LOGISTIC, 2, weights, NULL, 0);
    const sparcl_metrics m = must_eval(*state, model, data);
    assert_true(m.rows == 3 && m.not_finite == 1 && !isfinite(m.loss) && m.accuracy == 2 / 3.0);
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    for (int i = 0; i < 3; ++i)
        assert_true(p[i] == 1 && label[i] == 1);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_those_of_counting_in_plain_c),
        cmocka_unit_test(evaluation_finds_the_loss_that_training_reported),
        cmocka_unit_test(auc_needs_both_classes),
        cmocka_unit_test(columns_beyond_the_model_have_weight_0),
        cmocka_unit_test(narrower_data_are_accepted),
        cmocka_unit_test(a_label_that_the_model_does_not_know_is_counted),
        cmocka_unit_test(values_that_are_not_finite_are_refused_with_their_place),
        cmocka_unit_test(another_index_base_than_that_of_the_model_is_refused),
        cmocka_unit_test(what_is_null_is_refused),
        cmocka_unit_test(classes_are_counted_with_the_same_metrics),
        cmocka_unit_test(predictions_are_those_of_plain_c),
        cmocka_unit_test(a_score_of_exactly_0_goes_to_the_lower_label),
        cmocka_unit_test(data_without_labels_can_be_predicted_but_not_evaluated),
        cmocka_unit_test(memory_is_freed),
        cmocka_unit_test(scores_outside_of_floats_are_computed_or_counted),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
