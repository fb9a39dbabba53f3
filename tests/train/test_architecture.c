/* test_architecture.c: what architecture.h says: models of a caller's own, from data sets and from
 * callbacks, in files, evaluated and applied. */
#include "folder_test.h"
#include "model/model_object.h"
#include "source_test.h"
#include "two_layers.h"

static sparcl_train_desc run_of(const sparcl_architecture *a, sparcl_loss loss, sparcl_rule rule) {
    sparcl_train_desc desc = small_run(loss, rule);
    desc.architecture = a;
    return desc;
}

static bool same_values(const sparcl_model *a, const sparcl_model *b) {
    bool equal = a->count == b->count;
    for (int i = 0; equal && i < a->count; ++i) {
        const sparcl_tensor *const x = &a->tensors[i].tensor;
        const sparcl_tensor *const y = sparcl_model_tensor(b, x->name);
        equal = y && x->rank == y->rank && memcmp(x->shape, y->shape, sizeof x->shape) == 0 &&
                memcmp(x->values, y->values, a->tensors[i].bytes) == 0;
    }
    return equal;
}

static sparcl_metrics must_eval(sparcl_ctx *ctx, const sparcl_model *model,
                                const sparcl_data *data) {
    sparcl_metrics metrics;
    sparcl_error error = {0};
    assert_done(error, sparcl_eval(ctx, model, data, &metrics, &error));
    return metrics;
}

/* --- the linear model, described by a caller ------------------------------------------------- */

static sparcl_status build_linear(void *user, sparcl_build *b) {
    const int64_t shape[] = {b->columns, b->outputs};
    sparcl_node *const seen = user;
    b->scores =
        sparcl_graph_spmm(b->graph, b->x, sparcl_build_parameter(b, "weight", 2, shape, NULL));
    b->scores = sparcl_graph_add_bias(
        b->graph, b->scores,
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
    sparcl_train_desc desc = {.optimizer = SPARCL_RULE_ADAM,
                              .lr = 0.05,
                              .beta1 = 0.9,
                              .beta2 = 0.999,
                              .epsilon = 1e-8,
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

/* --- files ------------------------------------------------------------------------------------ */

static const char *const path = "test_architecture.safetensors";

static sparcl_model *trained_and_saved(sparcl_ctx *ctx, const sparcl_data *data,
                                       const sparcl_architecture *a) {
    const sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_MOMENTUM);
    sparcl_error error = {0};
    sparcl_model *model = must_train(ctx, data, NULL, &desc, NULL);
    assert_done(error, sparcl_model_save(model, path, &error));
    return model;
}

static void a_model_is_read_back(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_architecture a = two_layers();
    sparcl_model *model = trained_and_saved(*state, data, &a), *back = NULL;
    double label[2][ROWS];
    float p[2][ROWS];
    sparcl_error error = {0};
    assert_done(error, sparcl_model_load_as(&back, path, &a, &error));
    assert_true(same_values(model, back));
    const sparcl_metrics m = must_eval(*state, model, data), n = must_eval(*state, back, data);
    assert_memory_equal(&m, &n, sizeof m);
    assert_true(m.objective > m.loss && m.auc > 0.5);
    assert_done(error, sparcl_predict(*state, model, data, label[0], p[0], &error));
    assert_done(error, sparcl_predict(*state, back, data, label[1], p[1], &error));
    assert_memory_equal(label[0], label[1], sizeof label[0]);
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    sparcl_model_free(back);
    sparcl_model_free(model);
    sparcl_data_free(data);
    unlink(path);
}

static void a_file_of_another_architecture_is_refused(void **state) {
    static const char *const fewer[] = {"w1", "b1", "w2", NULL};
    static const char *const others[] = {"w1", "b1", "w2", "b3", NULL};
    const int hidden = 7;
    union {
        const int *in;
        void *out;
    } user = {.in = &hidden}; /* not written */
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_architecture a = two_layers();
    sparcl_architecture b = a;
    sparcl_metrics ignored;
    sparcl_error error;
    sparcl_model *model = trained_and_saved(*state, data, &a);
    sparcl_model_free(model);
    assert_failed(error, sparcl_model_load(&model, path, &error), SPARCL_E_FORMAT,
                  "kind: expected \"linear\", found \"two-layers\"");
    assert_null(model);
    assert_failed(error, sparcl_model_load_as(&model, path, NULL, &error), SPARCL_E_ARG, "NULL");
    b.name = "three-layers";
    assert_failed(error, sparcl_model_load_as(&model, path, &b, &error), SPARCL_E_FORMAT,
                  "kind: expected \"three-layers\", found \"two-layers\"");
    b = a;
    b.parameters = fewer;
    assert_failed(error, sparcl_model_load_as(&model, path, &b, &error), SPARCL_E_FORMAT,
                  "expected the 3 parameters of two-layers and no other tensor, found 4");
    b.parameters = others;
    assert_failed(error, sparcl_model_load_as(&model, path, &b, &error), SPARCL_E_FORMAT,
                  "the tensor b3 is missing");
    assert_null(model);
    b = a;
    b.user = user.out;
    assert_done(error, sparcl_model_load_as(&model, path, &b, &error));
    assert_failed(error, sparcl_eval(*state, model, data, &ignored, &error), SPARCL_E_FORMAT,
                  "parameter w1 of the model has another shape");
    sparcl_model_free(model);
    sparcl_data_free(data);
    unlink(path);
}

/* A changed bit of the header is refused, or gives a model that can be used; no prefix of the file
 * is a model. */
static void damaged_files_are_refused(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const sparcl_architecture a = two_layers();
    size_t size = 0;
    sparcl_error error;
    sparcl_model *model = trained_and_saved(*state, data, &a);
    sparcl_model_free(model);
    sparcl_data_free(data);
    unsigned char *const bytes = read_bytes(path, &size);
    size_t header = 8;
    for (int i = 0; i < 2; ++i)
        header += (size_t)bytes[i] << (8 * i);
    assert_in_range(header, 200, size - 4 * HIDDEN * COLUMNS);
    int64_t refused = 0;
    for (size_t at = 0; at < header; ++at) {
        bytes[at] ^= (unsigned char)(1u << at % 7);
        FILE *const file = fmemopen(bytes, size, "rb");
        const sparcl_status status = spc_model_read(&model, file, "memory", &a, &error);
        assert_true(status == SPARCL_OK || status == SPARCL_E_FORMAT);
        assert_int_equal(status == SPARCL_OK, model != NULL);
        refused += !model;
        sparcl_model_free(model);
        fclose(file);
        bytes[at] ^= (unsigned char)(1u << at % 7);
    }
    assert_in_range(refused, header / 2, header);
    for (size_t length = 1; length < size; length += 7) {
        FILE *const file = fmemopen(bytes, length, "rb");
        assert_failed(error, spc_model_read(&model, file, "memory", &a, &error), SPARCL_E_FORMAT,
                      "memory");
        assert_null(model);
        fclose(file);
    }
    memcpy(bytes + header + 8, "\0\0\x80\x7f", 4); /* infinity */
    FILE *const file = fmemopen(bytes, size, "rb");
    assert_failed(error, spc_model_read(&model, file, "memory", &a, &error), SPARCL_E_FORMAT,
                  "w1 [0, 2] is not a finite number");
    fclose(file);
    free(bytes);
    unlink(path);
}

/* --- refusals --------------------------------------------------------------------------------- */

/* What a forward function does wrong. */
typedef enum mistake {
    NO_SCORES,
    UNKNOWN_NAME,
    MISSING,
    TWICE,
    NOT_OURS,
    NO_SHAPE,
    CHANGING,
    TOO_LARGE,
    OTHER_SHAPE,
    OWN_STATUS,
    NO_PARAMETER_READ,
    SCALAR_LOSS,
    WIDE_SCORES,
    INPUT_AS_SCORES,
    NO_SUCH_NODE,
    IN_F64
} mistake;

static sparcl_status build_wrong(void *user, sparcl_build *b) {
    const mistake what = *(const mistake *)user;
    const int64_t shape[] = {b->columns, b->outputs + (what == WIDE_SCORES)},
                  huge[] = {INT64_MAX / 2, 3}, rows[] = {b->rows, b->outputs},
                  other[] = {b->columns + 1, b->outputs};
    const int64_t *const size = what == CHANGING      ? rows
                                : what == TOO_LARGE   ? huge
                                : what == OTHER_SHAPE ? other
                                : what == NO_SHAPE    ? NULL
                                                      : shape;
    sparcl_node w = SPARCL_NO_NODE;
    if (what == IN_F64) sparcl_graph_set_dtype(b->graph, SPARCL_F64);
    if (what == OWN_STATUS) return SPARCL_E_UNSUPPORTED;
    if (what == NOT_OURS) w = sparcl_graph_parameter(b->graph, "v", 2, shape, &b->optim);
    if (what != MISSING) w = sparcl_build_parameter(b, "w", 2, size, NULL);
    if (what == TWICE) w = sparcl_build_parameter(b, "w", 2, shape, NULL);
    if (what == UNKNOWN_NAME) w = sparcl_build_parameter(b, "u", 2, shape, NULL);
    if (what == NO_PARAMETER_READ) w = sparcl_graph_dense(b->graph, "in", 2, shape);
    if (what == IN_F64) { /* the scores do not read it */
        sparcl_graph_set_dtype(b->graph, SPARCL_F32);
        w = sparcl_graph_dense(b->graph, "in", 2, shape);
    }
    if (what != NO_SCORES) b->scores = sparcl_graph_spmm(b->graph, b->x, w);
    if (what == SCALAR_LOSS)
        b->losses =
            sparcl_graph_mean(b->graph, sparcl_graph_loss(b->graph, b->loss, b->scores, b->labels));
    if (what == INPUT_AS_SCORES) b->scores = b->x;
    if (what == NO_SUCH_NODE) b->scores = 99;
    return SPARCL_OK;
}

static void wrong_forward_functions_are_refused(void **state) {
    static const char *const names[] = {"w", NULL};
    static const struct {
        mistake what;
        sparcl_status status;
        const char *part;
    } cases[] = {
        {NO_SCORES, SPARCL_E_ARG, "architecture wrong: build did not set the scores"},
        {UNKNOWN_NAME, SPARCL_E_ARG, "parameter u is not in the list of its parameters"},
        {MISSING, SPARCL_E_ARG, "parameter w is in its list, but build did not add it"},
        {TWICE, SPARCL_E_ARG, "parameter w was added twice"},
        {NOT_OURS, SPARCL_E_ARG, "use sparcl_build_parameter"},
        {NO_SHAPE, SPARCL_E_ARG, "parameter w has no shape"},
        {CHANGING, SPARCL_E_ARG, "parameter w has a size that changes"},
        {TOO_LARGE, SPARCL_E_MEMORY, "too large for any memory"},
        {OTHER_SHAPE, SPARCL_E_SHAPE, "x has 23 columns, w has 24 rows"},
        {OWN_STATUS, SPARCL_E_UNSUPPORTED, "architecture wrong: build returned"},
        {NO_PARAMETER_READ, SPARCL_E_ARG, "depends on no parameter"},
        {SCALAR_LOSS, SPARCL_E_SHAPE, "architecture wrong: the losses are mean"},
        {WIDE_SCORES, SPARCL_E_SHAPE, "architecture wrong: the scores are spmm"},
        {INPUT_AS_SCORES, SPARCL_E_SHAPE, "the scores are x"},
        {NO_SUCH_NODE, SPARCL_E_ARG, "node 99, expected 0 to"},
        {IN_F64, SPARCL_E_ARG, "parameter w is not F32"},
    };
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_error error;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        mistake what = cases[i].what;
        if (what == IN_F64 && !sparcl_ctx_device(*state)->has_f64) continue;
        const sparcl_architecture a = {
            .name = "wrong", .build = build_wrong, .parameters = names, .user = &what};
        const sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
        sparcl_model *model = (sparcl_model *)data;
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                      cases[i].status, cases[i].part);
        assert_null(model);
    }
    assert_int_equal(sparcl_build_parameter(NULL, "w", 1, NULL, NULL), SPARCL_NO_NODE);
    sparcl_data_free(data);
}

static void wrong_architectures_are_refused(void **state) {
    static const char *const none[] = {NULL}, *const twice[] = {"w", "v", "w", NULL};
    static const char *const bad_name[] = {"w", "a b", NULL}, *const empty[] = {"", NULL};
    static const char *const metadata[] = {"__metadata__", NULL};
    static const sparcl_metric no_function[] = {{"m", NULL}}, no_name[] = {{NULL, count_rows}};
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_error error;
    sparcl_model *model = NULL;
#define REFUSED(violation, part)                                                                   \
    do {                                                                                           \
        sparcl_architecture x = two_layers();                                                      \
        sparcl_train_desc desc = run_of(&x, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);                \
        violation;                                                                                 \
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),        \
                      SPARCL_E_ARG, part);                                                         \
    } while (0)
    REFUSED(x.name = NULL, "train: the architecture's name is not 1 to 47");
    REFUSED(x.name = "", "name is not");
    REFUSED(x.name = "a/b", "name is not");
    REFUSED(x.name = "linear", "or it is linear");
    REFUSED(x.name = "parameters", "or it is linear");
    REFUSED(x.name = "0123456789012345678901234567890123456789abcdefgh", "name is not 1 to 47");
    REFUSED(x.build = NULL, "architecture two-layers: build is NULL");
    REFUSED(x.parameters = NULL, "its list of parameters is empty");
    REFUSED(x.parameters = none, "its list of parameters is empty");
    REFUSED(x.parameters = twice, "two parameters are named w");
    REFUSED(x.parameters = bad_name, "the name of parameter 1");
    REFUSED(x.parameters = empty, "the name of parameter 0");
    REFUSED(x.parameters = metadata, "the name of parameter 0");
    REFUSED(x.metric_count = -1, "metric_count is -1, expected 0 to 8");
    REFUSED(x.metric_count = 9, "metric_count is 9");
    REFUSED(x.metric_count = 1, "metric 0 has no name or no function");
    REFUSED((x.metric_count = 1, x.metrics = no_function), "metric 0 has no");
    REFUSED((x.metric_count = 1, x.metrics = no_name), "metric 0 has no");
    REFUSED(x.reserved[0] = 1, "reserved");
    REFUSED(x.reserved[1] = 1, "reserved");
    REFUSED(desc.no_bias = 1, "train: no_bias is set");
#undef REFUSED
    sparcl_data_free(data);
}

static void init_not_finite(void *user, uint64_t seed, int parameter, int rank,
                            const int64_t *shape, float *values) {
    (void)user, (void)seed, (void)rank, (void)shape;
    if (parameter == 3) values[0] = NAN;
}

static void values_that_are_not_finite_end_the_run(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_architecture a = two_layers();
    a.init = init_not_finite;
    sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *model = NULL;
    sparcl_error error;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "the loss of pass 1");
    desc.epochs = 0;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "b2 [0] is not a finite number");
    assert_null(model);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_model_of_a_caller_has_the_bits_of_the_built_in_one),
        cmocka_unit_test(two_layers_learn_what_a_linear_model_cannot),
        cmocka_unit_test(the_loss_is_that_of_the_values_and_falls),
        cmocka_unit_test(every_way_to_train_gives_the_same_bits),
        cmocka_unit_test(metrics_of_a_caller_see_all_scores),
        cmocka_unit_test(a_prediction_of_a_caller_is_used_and_checked),
        cmocka_unit_test(columns_beyond_the_model_are_ignored),
        cmocka_unit_test(a_model_is_read_back),
        cmocka_unit_test(a_file_of_another_architecture_is_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(wrong_forward_functions_are_refused),
        cmocka_unit_test(wrong_architectures_are_refused),
        cmocka_unit_test(values_that_are_not_finite_end_the_run),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
