/* test_architecture.c: what architecture.h says: models of a caller's own, from data sets and from
 * callbacks, evaluated and applied. Files: test_architecture_files.c; errors:
 * test_architecture_refused.c. */
#include "architecture_test.h"
#include "sparcl/apply.h"

/* --- the linear model, described by a caller ------------------------------------------------- */

static sparcl_status build_linear(void *user, sparcl_build *b) {
    const int64_t shape[] = {b->columns, b->outputs};
    sparcl_node *const seen = user;
    b->scores =
        sparcl_graph_spmm(b->graph, b->x, sparcl_build_parameter(b, "weight", 2, shape, NULL));
    b->scores = sparcl_graph_binary(
        b->graph, SPARCL_BINARY_ADD, b->scores,
        sparcl_build_parameter(b, "bias", 1, &b->outputs, &b->optim_without_l2));
    b->losses = sparcl_graph_loss(b->graph, b->loss, b->scores, b->labels);
    *seen = b->losses;
    return SPARCL_OK;
}

static void a_linear_model_of_a_caller_has_the_bits_of_the_built_in_one(void **state) {
    static const char *const names[] = {"bias", "weight", NULL}; /* not the order of build */
    sparcl_node seen = SPARCL_NO_NODE;
    const sparcl_architecture mine = {
        .name = "Mine_1.2-x", .build = build_linear, .parameters = names, .user = &seen};
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_data *data = make_data(LOSS_FOR(o), 4);
        const sparcl_train_desc built_in = small_run(LOSS_FOR(o), optimizers[o]);
        const sparcl_train_desc desc = run_of(&mine, LOSS_FOR(o), optimizers[o]);
        sparcl_train_result expected, found;
        sparcl_model *a = must_train(*state, data, data, &built_in, &expected);
        sparcl_model *b = must_train(*state, data, data, &desc, &found);
        assert_true(same_values(a, b));
        assert_true(seen > 0);
        assert_true(expected.loss == found.loss && expected.objective == found.objective);
        assert_true(found.objective > found.loss);
        assert_null(sparcl_model_weights(b));
        assert_null(sparcl_model_bias(b));
        assert_null(sparcl_model_tensor(b, "w"));
        assert_null(sparcl_model_tensor(b, NULL));
        assert_string_equal(sparcl_model_architecture(a)->name, "linear");
        assert_ptr_equal(sparcl_model_tensor(a, "weight")->values, sparcl_model_weights(a));
        assert_string_equal(sparcl_model_architecture(b)->name, "Mine_1.2-x");
        const sparcl_metrics m = must_eval(*state, a, data), n = must_eval(*state, b, data);
        assert_memory_equal(&m, &n, sizeof m);
        sparcl_model_free(a);
        sparcl_model_free(b);
        sparcl_data_free(data);
    }
}

/* --- two layers ------------------------------------------------------------------------------- */

/* The mean loss in double, from the values of a model. */
static double loss_by_hand(const sparcl_model *model, const sparcl_data *data) {
    const float *const w1 = sparcl_model_tensor(model, "w1")->values;
    const float *const b1 = sparcl_model_tensor(model, "b1")->values;
    const float *const w2 = sparcl_model_tensor(model, "w2")->values;
    const float *const b2 = sparcl_model_tensor(model, "b2")->values;
    const int64_t *const offsets = sparcl_data_offsets(data);
    double total = 0;
    for (int64_t i = 0; i < ROWS; ++i) {
        double h[HIDDEN], s[3], sum = 0;
        for (int u = 0; u < HIDDEN; ++u) {
            h[u] = (double)b1[u];
            for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k)
                h[u] += (double)(sparcl_data_values(data)[k] * w1[index_of(data, k) * HIDDEN + u]);
        }
        for (int c = 0; c < 3; ++c) {
            s[c] = (double)b2[c];
            for (int u = 0; u < HIDDEN; ++u)
                s[c] += fmax(h[u], 0) * (double)w2[u * 3 + c];
            sum += exp(s[c]);
        }
        const double label = sparcl_data_labels(data)[i];
        total += log(sum) - s[label < 0 ? 0 : label < 10 ? 1 : 2];
    }
    return total / ROWS;
}

static void two_layers_learn_what_a_linear_model_cannot(void **state) {
    char text[4000] = "", *at = text;
    for (int i = 0; i < 100; ++i) /* the label is whether one of two features is there, not both */
        at += sprintf(at, "%d 1:1%s%s\n", (i % 2) ^ (i / 2 % 2), i % 2 ? " 2:1" : "",
                      i / 2 % 2 ? " 3:1" : "");
    sparcl_data *data = read_text(text, NULL);
    const sparcl_architecture a = two_layers();
    sparcl_train_desc desc = {.optim =
                                  OPTIM(.rule = SPARCL_RULE_ADAM, .lr = 0.05, .adam.beta1 = 0.9,
                                        .adam.beta2 = 0.999, .epsilon = 1e-8),
                              .epochs = 100,
                              .batch = 20,
                              .architecture = &a};
    sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_metrics deep = must_eval(*state, model, data);
    sparcl_model_free(model);
    desc.architecture = NULL;
    model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_metrics flat = must_eval(*state, model, data);
    assert_true(deep.accuracy == 1 && deep.auc == 1 && deep.loss < 0.1);
    assert_true(flat.accuracy < 0.8 && flat.loss > 0.6);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void the_loss_is_that_of_the_values_and_falls(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    const sparcl_architecture a = two_layers();
    sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_SOFTMAX, SPARCL_RULE_ADAM);
    sparcl_train_result before, after;
    desc.l2 = 0;
    desc.epochs = 0;
    sparcl_model *model = must_train(*state, data, NULL, &desc, &before);
    assert_true(fabs(loss_by_hand(model, data) - before.loss) < 1e-4);
    sparcl_model_free(model);
    desc.epochs = 30;
    model = must_train(*state, data, data, &desc, &after);
    assert_true(fabs(loss_by_hand(model, data) - after.loss) < 1e-4);
    assert_true(after.loss < 0.3 * before.loss);
    assert_true(after.objective == after.loss);
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    assert_int_equal(info->has_bias, 0);
    assert_int_equal(info->columns, COLUMNS);
    assert_int_equal(info->outputs, 3);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static int keep_valid(void *user, const sparcl_train_progress *now) {
    *(sparcl_train_progress *)user = *now;
    return 0;
}

/* Validation and where the data lie change no bit, nor does the source. */
static void every_way_to_train_gives_the_same_bits(void **state) {
    const sparcl_architecture a = two_layers();
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_data *data = make_data(LOSS_FOR(o), 4);
        sparcl_train_desc desc = run_of(&a, LOSS_FOR(o), optimizers[o]);
        sparcl_train_progress last;
        sparcl_train_result result;
        sparcl_error error;
        sparcl_model *model = must_train(*state, data, NULL, &desc, NULL), *other = NULL;
        desc.progress = keep_valid;
        desc.progress_user = &last;
        desc.device_memory = 1;
        other = must_train(*state, data, data, &desc, &result);
        assert_int_equal(result.on_host, 1);
        assert_true(same_values(model, other));
        assert_true(last.valid_loss == result.loss || optimizers[o] <= SPARCL_RULE_MOMENTUM);
        assert_true(fabs(last.valid_loss - result.loss) < 1e-5);
        sparcl_model_free(other);
        handing h = {.data = data, .seed = desc.seed, .batch = 16};
        const sparcl_batch_source source = source_of(&h, LOSS_FOR(o));
        assert_done(error, sparcl_train_source(*state, &other, &source, &desc, &result, &error));
        assert_true(same_values(model, other));
        sparcl_model_free(other);
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
}

/* --- evaluation and prediction --------------------------------------------------------------- */

static double count_rows(void *user, int64_t rows, int64_t outputs, const float *scores,
                         const float *targets) {
    (void)user, (void)outputs, (void)scores, (void)targets;
    return (double)rows;
}

/* The fraction of rows whose class has the largest score. */
static double fraction_right(void *user, int64_t rows, int64_t outputs, const float *scores,
                             const float *targets) {
    int64_t right = 0;
    (void)user;
    for (int64_t i = 0; i < rows; ++i) {
        int64_t best = 0;
        for (int64_t c = 1; c < outputs; ++c)
            if (scores[i * outputs + c] > scores[i * outputs + best]) best = c;
        right += best == (int64_t)targets[i];
    }
    return (double)right / (double)rows;
}

static void metrics_of_a_caller_see_all_scores(void **state) {
    static const sparcl_metric metrics[] = {{"rows", count_rows}, {"right", fraction_right}};
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    sparcl_architecture a = two_layers();
    a.metrics = metrics;
    a.metric_count = 2;
    sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_SOFTMAX, SPARCL_RULE_ADAM);
    desc.l2 = 0;
    desc.epochs = 20;
    sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_metrics m = must_eval(*state, model, data);
    assert_true(m.own[0] == ROWS);
    assert_true(m.own[1] == m.accuracy && m.accuracy > 0.6);
    assert_true(m.own[2] == 0);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* A linear model of the features after dropout with the probability `user`. */
static sparcl_status build_dropped(void *user, sparcl_build *b) {
    const int64_t shape[] = {b->columns, b->outputs};
    const sparcl_node values =
        sparcl_graph_dropout(b->graph, sparcl_graph_values(b->graph, b->x), *(double *)user, 5);
    b->scores = sparcl_graph_spmm(b->graph, sparcl_graph_with_values(b->graph, b->x, values),
                                  sparcl_build_parameter(b, "w", 2, shape, NULL));
    return SPARCL_OK;
}

static void dropout_is_off_in_evaluation(void **state) {
    static const char *const names[] = {"w", NULL};
    double p = 0.5;
    float p_with[ROWS], p_without[ROWS];
    double with[ROWS], without[ROWS];
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_architecture a = {
        .name = "dropped", .build = build_dropped, .parameters = names, .user = &p};
    const sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
    sparcl_train_result result;
    sparcl_error error = {0};
    sparcl_model *model = must_train(*state, data, data, &desc, &result);
    sparcl_model *again = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_metrics m = must_eval(*state, model, data);
    assert_done(error, sparcl_predict(*state, model, data, with, p_with, &error));
    p = 0;
    sparcl_model *other = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_metrics n = must_eval(*state, model, data);
    assert_done(error, sparcl_predict(*state, model, data, without, p_without, &error));
    assert_true(same_values(model, again) && !same_values(model, other));
    assert_true(result.loss == n.loss);
    assert_memory_equal(&m, &n, sizeof m);
    assert_memory_equal(with, without, sizeof with);
    assert_memory_equal(p_with, p_without, sizeof p_with);
    sparcl_model_free(model);
    sparcl_model_free(again);
    sparcl_model_free(other);
    sparcl_data_free(data);
}

/* Batch normalisation of a hidden layer, with running statistics. */
static sparcl_status build_normed(void *user, sparcl_build *b) {
    static const char *const names[] = {"gamma", "beta", "mean", "variance"};
    const int64_t in[] = {b->columns, HIDDEN}, out[] = {HIDDEN, b->outputs}, width = HIDDEN;
    sparcl_node v[4];
    (void)user;
    const sparcl_node hidden =
        sparcl_graph_spmm(b->graph, b->x, sparcl_build_parameter(b, "w", 2, in, NULL));
    for (int i = 0; i < 4; ++i)
        v[i] = sparcl_build_parameter(b, names[i], 1, &width, &b->optim_without_l2);
    const sparcl_node y =
        sparcl_graph_batch_norm_running(b->graph, hidden, v[0], v[1], 1e-5, 0.1, v[2], v[3]);
    b->scores = sparcl_graph_gemm(b->graph, SPARCL_OP_N, y, SPARCL_OP_N,
                                  sparcl_build_parameter(b, "head", 2, out, NULL));
    return SPARCL_OK;
}

/* Scales and variances of 1. */
static void init_normed(void *user, uint64_t seed, int parameter, int rank, const int64_t *shape,
                        float *values) {
    two_layers_init(user, seed, parameter, rank, shape, values);
    for (int64_t i = 0; (parameter == 1 || parameter == 4) && i < shape[0]; ++i)
        values[i] = 1;
}

/* By the statistics of a batch, the prediction for a row would depend on the other rows. */
static void evaluation_uses_running_statistics(void **state) {
    static const char *const names[] = {"w", "gamma", "beta", "mean", "variance", "head", NULL};
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_data *one = read_text("1 1:0.5 3:-1\n", NULL);
    sparcl_data *two = read_text("1 1:0.5 3:-1\n-1 2:3\n", NULL);
    const sparcl_architecture a = {
        .name = "normed", .build = build_normed, .parameters = names, .init = init_normed};
    sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
    sparcl_train_result result;
    sparcl_error error = {0};
    double label[2];
    float alone, both[2];
    desc.batch = 20; /* no batch has a single row */
    sparcl_model *model = must_train(*state, data, NULL, &desc, &result);
    const sparcl_metrics m = must_eval(*state, model, data);
    const float *const mean = sparcl_model_tensor(model, "mean")->values;
    const float *const variance = sparcl_model_tensor(model, "variance")->values;
    assert_true(m.loss == result.loss && m.loss < m.best_constant_loss);
    for (int i = 0; i < HIDDEN; ++i)
        assert_true(mean[i] != 0 && variance[i] > 0 && variance[i] != 1);
    assert_done(error, sparcl_predict(*state, model, one, label, &alone, &error));
    assert_done(error, sparcl_predict(*state, model, two, label, both, &error));
    assert_true(alone == both[0] && both[0] != both[1]);
    sparcl_model_free(model);
    sparcl_data_free(data);
    sparcl_data_free(one);
    sparcl_data_free(two);
}

/* The last class with a positive score; `user` is a class that is always predicted. */
static void predict_last(void *user, int64_t rows, int64_t outputs, const float *scores,
                         float *label, float *p) {
    for (int64_t i = 0; i < rows; ++i) {
        label[i] = 0;
        for (int64_t c = 0; c < outputs; ++c)
            if (scores[i * outputs + c] > 0) label[i] = (float)c;
        p[i] = (float)i;
        if (user) label[i] = *(const float *)user;
    }
}

static sparcl_status build_flat(void *user, sparcl_build *b) {
    const int64_t shape[] = {b->columns, b->outputs};
    (void)user;
    b->scores = sparcl_graph_spmm(b->graph, b->x, sparcl_build_parameter(b, "w", 2, shape, NULL));
    return SPARCL_OK;
}

static void a_prediction_of_a_caller_is_used_and_checked(void **state) {
    static const char *const names[] = {"w", NULL};
    static const float wrong[] = {-1, 3, 0.5f, NAN};
    const double expected[] = {-5, 2, 40};
    sparcl_data *data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    double label[ROWS];
    float p[ROWS], always = 2;
    sparcl_architecture a = {
        .name = "flat", .build = build_flat, .parameters = names, .predict = predict_last};
    sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_SOFTMAX, SPARCL_RULE_ADAM);
    sparcl_error error = {0};
    sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    const float *const w = sparcl_model_tensor(model, "w")->values;
    const int64_t *const offsets = sparcl_data_offsets(data);
    for (int i = 0; i < ROWS; ++i) {
        int last = 0;
        for (int c = 0; c < 3; ++c) {
            double s = 0;
            for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k)
                s += (double)sparcl_data_values(data)[k] * (double)w[index_of(data, k) * 3 + c];
            if (s > 0) last = c;
        }
        assert_true(label[i] == expected[last] && p[i] == (float)i);
    }
    sparcl_model_free(model);
    a.user = &always;
    model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_metrics m = must_eval(*state, model, data);
    int64_t of_class = 0;
    for (int i = 0; i < ROWS; ++i)
        of_class += sparcl_data_labels(data)[i] == 40;
    assert_true(m.accuracy == (double)of_class / ROWS);
    for (size_t i = 0; i < COUNT(wrong); ++i) {
        sparcl_metrics ignored;
        always = wrong[i];
        assert_failed(error, sparcl_predict(*state, model, data, label, p, &error), SPARCL_E_ARG,
                      "predict returned class");
        assert_failed(error, sparcl_eval(*state, model, data, &ignored, &error), SPARCL_E_ARG,
                      "expected 0 to 2");
    }
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void columns_beyond_the_model_are_ignored(void **state) {
    static const char narrow[] = "-5 1:1 3:2\n2 2:-1\n40 1:.5 2:1\n2 3:1\n";
    static const char wide[] = "-5 1:1 3:2 9:7\n2 2:-1 4:1\n40 1:.5 2:1\n2 3:1 8:-2\n";
    sparcl_data *data = read_text(narrow, NULL), *other = read_text(wide, NULL);
    const sparcl_architecture a = two_layers();
    const sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_SOFTMAX, SPARCL_RULE_ADAGRAD);
    double label[2][4];
    float p[2][4];
    sparcl_error error = {0};
    sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_metrics m = must_eval(*state, model, data), n = must_eval(*state, model, other);
    assert_true(m.loss == n.loss && m.accuracy == n.accuracy && m.objective == n.objective);
    assert_done(error, sparcl_predict(*state, model, data, label[0], p[0], &error));
    assert_done(error, sparcl_predict(*state, model, other, label[1], p[1], &error));
    assert_memory_equal(label[0], label[1], sizeof label[0]);
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    sparcl_model_free(model);
    sparcl_data_free(data);
    sparcl_data_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_model_of_a_caller_has_the_bits_of_the_built_in_one),
        cmocka_unit_test(two_layers_learn_what_a_linear_model_cannot),
        cmocka_unit_test(the_loss_is_that_of_the_values_and_falls),
        cmocka_unit_test(every_way_to_train_gives_the_same_bits),
        cmocka_unit_test(metrics_of_a_caller_see_all_scores),
        cmocka_unit_test(dropout_is_off_in_evaluation),
        cmocka_unit_test(evaluation_uses_running_statistics),
        cmocka_unit_test(a_prediction_of_a_caller_is_used_and_checked),
        cmocka_unit_test(columns_beyond_the_model_are_ignored),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
