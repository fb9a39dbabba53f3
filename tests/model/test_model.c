/* test_model.c: models in memory and in files, and files that cannot be read or written. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "base/decimal.h"
#include "model_fixture.h"
#include "sparcl/optim_text.h"

static const char *or_nothing(const char *text) {
    return text ? text : "";
}

static void expect_list(const int64_t *a, int64_t count, const int64_t *b, int64_t b_count) {
    assert_int_equal(count, b_count);
    assert_true(!a == !b);
    if (count > 0) assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static void assert_same(const sparcl_model *a, const sparcl_model *b) {
    const sparcl_model_info *const i = sparcl_model_get_info(a), *const j =
                                                                     sparcl_model_get_info(b);
    assert_int_equal(i->loss, j->loss);
    assert_int_equal(i->optimizer, j->optimizer);
    assert_int_equal(i->columns, j->columns);
    assert_int_equal(i->outputs, j->outputs);
    assert_int_equal(i->classes, j->classes);
    assert_int_equal(i->index_base, j->index_base);
    assert_int_equal(i->has_bias, j->has_bias);
    assert_true(i->lr == j->lr && i->l2 == j->l2 && i->momentum == j->momentum);
    assert_true(i->beta1 == j->beta1 && i->beta2 == j->beta2 && i->epsilon == j->epsilon);
    assert_true(i->epochs == j->epochs && i->batch == j->batch);
    assert_true(i->clip_global_norm == j->clip_global_norm && i->fields == j->fields);
    assert_string_equal(or_nothing(i->settings), or_nothing(j->settings));
    assert_string_equal(or_nothing(i->parameter_settings), or_nothing(j->parameter_settings));
    assert_string_equal(or_nothing(i->schedule), or_nothing(j->schedule));
    assert_string_equal(or_nothing(i->solver), or_nothing(j->solver));
    assert_true(i->seed == j->seed && i->fingerprint == j->fingerprint);
    assert_true(i->hash_bits == j->hash_bits && i->id_count == j->id_count);
    assert_true(!i->feature_ids == !j->feature_ids);
    assert_true(!i->csv_description == !j->csv_description);
    if (i->csv_description) assert_string_equal(i->csv_description, j->csv_description);
    if (i->id_count)
        assert_memory_equal(i->feature_ids, j->feature_ids, (size_t)i->id_count * sizeof(int64_t));
    expect_list(i->known_ids.users, i->known_ids.user_count, j->known_ids.users,
                j->known_ids.user_count);
    expect_list(i->known_ids.items, i->known_ids.item_count, j->known_ids.items,
                j->known_ids.item_count);
    expect_list(i->known_ids.nodes, i->known_ids.node_count, j->known_ids.nodes,
                j->known_ids.node_count);
    if (i->classes) assert_memory_equal(i->labels, j->labels, (size_t)i->classes * sizeof(double));
    const size_t elements = (size_t)(i->columns * i->outputs);
    if (elements)
        assert_memory_equal(sparcl_model_weights(a), sparcl_model_weights(b), elements * 4);
    assert_true(!sparcl_model_bias(a) == !i->has_bias && !sparcl_model_bias(b) == !j->has_bias);
    if (i->has_bias)
        assert_memory_equal(sparcl_model_bias(a), sparcl_model_bias(b), (size_t)i->outputs * 4);
}

static void round_trip(const fixture *f, const sparcl_model_info *info, const float *weights,
                       const float *bias) {
    unsigned char first[MOST], second[MOST];
    sparcl_model *const model = make(info, weights, bias);
    sparcl_model *loaded = NULL;
    sparcl_error error = {0};
    save(model, f->other);
    const size_t size = read_model(f->other, first);
    if (sparcl_model_load(&loaded, f->other, &error) != SPARCL_OK) fail_msg("%s", error.message);
    assert_same(model, loaded);
    save(loaded, f->other);
    assert_int_equal(read_model(f->other, second), size);
    assert_memory_equal(first, second, size);
    assert_true(info->csv_description || size % 4 == 0);
    sparcl_model_free(loaded);
    sparcl_model_free(model);
}

static void models_of_every_kind_come_back_as_they_were(void **state) {
    const fixture *const f = *state;
    sparcl_model_info info = logistic_info();
    round_trip(f, &info, three_weights, one_bias);
    info.has_bias = 0;
    round_trip(f, &info, three_weights, NULL);
    info.columns = 0;
    round_trip(f, &info, NULL, NULL);

    const double five[] = {-1e300, -0.1, 1.0 / 3.0, 7.0, 5e-324 + 8.0};
    const float table[10] = {1, 2, 3, 4, 5, FLT_MAX, -FLT_MAX, FLT_TRUE_MIN, -0.0f, 10};
    info = (sparcl_model_info){.loss = SPARCL_LOSS_SOFTMAX,
                               .optimizer = SPARCL_RULE_ADAM,
                               .columns = 2,
                               .outputs = 5,
                               .classes = 5,
                               .labels = five,
                               .has_bias = 1,
                               .lr = DBL_MIN,
                               .l2 = DBL_TRUE_MIN,
                               .beta1 = 0.9,
                               .beta2 = 0.999,
                               .epsilon = 1e-8,
                               .momentum = DBL_MAX,
                               .epochs = INT64_MAX};
    round_trip(f, &info, table, table);
    info.settings = "adam:preset=keras3,moves=present,weight_decay=0.1";
    round_trip(f, &info, table, table);

    info = (sparcl_model_info){.loss = SPARCL_LOSS_SQUARED, .columns = 10, .outputs = 1};
    round_trip(f, &info, table, NULL);
}

/* Each alone, and all: the file says how many notes it has. */
static void what_only_some_models_have_comes_back(void **state) {
    const fixture *const f = *state;
    for (unsigned has = 0; has < 32; has++) {
        sparcl_model_info info = logistic_info();
        info.optimizer = SPARCL_RULE_SGD;
        info.epsilon = 0;
        if (has & 1) info.clip_global_norm = 0.1;
        if (has & 2) info.solver = "lbfgs:l1=0,tolerance=1e-06";
        if (has & 4) info.settings = "sgd:lr=0.1,moves=exact";
        if (has & 8) info.parameter_settings = "bias=sgd:lr=0.5";
        if (has & 16) info.schedule = "cosine:period=10";
        round_trip(f, &info, three_weights, one_bias);
    }
}

/* Once written, though the rule did not use them. */
static void settings_of_other_rules_are_read(void **state) {
    static const char *const texts[] = {"sgd:momentum=0.9", "sgd:momentum=0.9,lr=0.2,beta1=0.5",
                                        "sgd:lr=0.2,momentum=0.9,moves=exact"};
    const fixture *const f = *state;
    sparcl_model_info info = logistic_info();
    info.optimizer = SPARCL_RULE_SGD;
    info.epsilon = 0;
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        info.settings = texts[i];
        round_trip(f, &info, three_weights, one_bias);
    }
}

static const int64_t some_ids[] = {0, 7, INT64_MAX - 1};

static void how_data_became_columns_comes_back(void **state) {
    const fixture *const f = *state;
    sparcl_model_info info = logistic_info();
    info.hash_bits = 31;
    round_trip(f, &info, three_weights, one_bias);
    info.hash_bits = 0;
    info.feature_ids = some_ids;
    for (info.id_count = 0; info.id_count <= 3; info.id_count++)
        round_trip(f, &info, three_weights, one_bias);
    info.id_count = 3;
    info.csv_description = "y,label,no,\"yes, \"\"x\"\"\"\n\"a,\"\"b\",numeric\n\xff,hashed\n";
    round_trip(f, &info, three_weights, one_bias);
    info.feature_ids = NULL;
    info.id_count = 0;
    round_trip(f, &info, three_weights, one_bias);
    info.known_ids = (sparcl_known_ids){some_ids, 2, some_ids + 1, 2, NULL, 0};
    round_trip(f, &info, three_weights, one_bias);
    info.known_ids = (sparcl_known_ids){.nodes = some_ids, .node_count = 3};
    round_trip(f, &info, three_weights, one_bias);
    info.known_ids = (sparcl_known_ids){NULL};
    info.csv_description = "";
    round_trip(f, &info, three_weights, one_bias);
}

static void labels_that_were_words_have_their_names(void **state) {
    const fixture *const f = *state;
    sparcl_model_info info = logistic_info();
    sparcl_model *made = NULL, *loaded = NULL;
    info.csv_description = "x,numeric\n\"a,\"\"b\",label,no,\"yes, \"\"x\"\"\"\n";
    assert_int_equal(sparcl_model_create(&made, &info, three_weights, one_bias, NULL), SPARCL_OK);
    assert_int_equal(sparcl_model_save(made, f->path, NULL), SPARCL_OK);
    assert_int_equal(sparcl_model_load(&loaded, f->path, NULL), SPARCL_OK);
    for (int i = 0; i < 2; i++) {
        const sparcl_model *const model = i ? loaded : made;
        assert_string_equal(sparcl_model_label_name(model, 0), "no");
        assert_string_equal(sparcl_model_label_name(model, 1), "yes, \"x\"");
        assert_null(sparcl_model_label_name(model, 2));
        assert_null(sparcl_model_label_name(model, -1));
        assert_null(sparcl_model_label_name(model, 0.5));
    }
    sparcl_model_free(made);
    sparcl_model_free(loaded);
    info.csv_description = "x,numeric\ny,label\n";
    assert_int_equal(sparcl_model_create(&made, &info, three_weights, one_bias, NULL), SPARCL_OK);
    assert_null(sparcl_model_label_name(made, 0));
    sparcl_model_free(made);
}

static void equal_models_make_equal_files_in_every_locale(void **state) {
    fixture *const f = *state;
    unsigned char again[MOST];
    const sparcl_model_info info = logistic_info();
    const char *const locales[] = {"C", "C.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < SPC_COUNT(locales); i++) {
        if (!setlocale(LC_ALL, locales[i])) continue;
        sparcl_model *const model = make(&info, three_weights, one_bias);
        sparcl_model *loaded = NULL;
        save(model, f->other);
        assert_int_equal(sparcl_model_load(&loaded, f->other, NULL), SPARCL_OK);
        assert_same(model, loaded);
        sparcl_model_free(loaded);
        sparcl_model_free(model);
        assert_int_equal(read_model(f->other, again), f->size);
        assert_memory_equal(again, f->bytes, f->size);
    }
    setlocale(LC_ALL, "C");
}

static void the_header_is_sorted_and_contains_no_path(void **state) {
    fixture *const f = *state;
    const char *const expected =
        "{\"__metadata__\":{\"batch\":\"256\",\"beta1\":\"0\",\"beta2\":\"0\",\"bias\":\"1\","
        "\"classes\":\"2\",\"columns\":\"3\",\"data_fingerprint\":\"00000000deadbeef\","
        "\"epochs\":\"7\",\"epsilon\":\"1e-10\",\"format\":\"sparcl.1\",\"index_base\":\"1\","
        "\"kind\":\"linear\",\"l2\":\"1e-05\",\"labels\":\"-1 1\",\"loss\":\"logistic\","
        "\"lr\":\"0.1\",\"momentum\":\"0\",\"optimizer\":\"adagrad\",\"outputs\":\"1\","
        "\"seed\":\"18446744073709551615\"},"
        "\"bias\":{\"data_offsets\":[12,16],\"dtype\":\"F32\",\"shape\":[1]},"
        "\"weight\":{\"data_offsets\":[0,12],\"dtype\":\"F32\",\"shape\":[3,1]}}";
    assert_memory_equal(f->bytes + 8, expected, strlen(expected));
}

static void decimals_are_short_and_exact(void **state) {
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {100, "100"},
                 {-1, "-1"},
                 {0.1, "0.1"},
                 {1e-10, "1e-10"},
                 {1e22, "1e+22"},
                 {-0.5, "-0.5"},
                 {123456789, "123456789"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "5e-324"}};
    char text[SPC_DECIMAL_BYTES];
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        const int length = spc_decimal_print(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(length, strlen(text));
    }
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        double back;
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        const double value = spc_f64_of_bits(bits);
        if (!isfinite(value)) continue;
        const int length = spc_decimal_print(text, value);
        assert_true(spc_decimal_parse(text, length, &back) && back == value);
    }
    static const char *const refused[] = {"",    "1-2", "1.2.3", "1e999", "-1e999", "inf",
                                          "nan", "0x1", " 1",    "1 ",    "e",      "-"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        double unused;
        if (spc_decimal_parse(refused[i], (int)strlen(refused[i]), &unused))
            fail_msg("\"%s\" is read", refused[i]);
    }
}

/* ---- what the system refuses ---------------------------------------------------------------- */

static void a_file_that_cannot_be_read_is_an_io_error(void **state) {
    const fixture *const f = *state;
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    assert_int_equal(sparcl_model_load(&model, "/no/such/file", &error), SPARCL_E_IO);
    assert_non_null(strstr(error.message, "/no/such/file: cannot be opened: "));
    assert_int_equal(sparcl_model_load(&model, f->folder, &error), SPARCL_E_IO);
    assert_non_null(strstr(error.message, "not a regular file"));
    assert_null(model);
}

static void assert_old_file_is_whole(const fixture *f) {
    unsigned char now[MOST];
    assert_int_equal(read_model(f->path, now), f->size);
    assert_memory_equal(now, f->bytes, f->size);
}

static void a_write_that_fails_leaves_the_old_file_intact(void **state) {
    const fixture *const f = *state;
    sparcl_error error = {0};
    float many[3000] = {0};
    sparcl_model_info info = logistic_info();
    info.columns = 3000;
    sparcl_model *const model = make(&info, many, one_bias);

    /* A disk that fills up, at several places of the file. */
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    const rlim_t limits[] = {0, 1, 500, 1000, 12000};
    for (size_t i = 0; i < SPC_COUNT(limits); i++) {
        const struct rlimit small = {limits[i], before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        const sparcl_status status = sparcl_model_save(model, f->path, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, SPARCL_E_IO);
        assert_non_null(strstr(error.message, f->path));
        assert_old_file_is_whole(f);
    }

    assert_int_equal(sparcl_model_save(model, "/no/such/folder/model.st", &error), SPARCL_E_IO);
    assert_non_null(strstr(error.message, "/no/such/folder/model.st"));
    assert_int_equal(sparcl_model_save(model, f->folder, &error), SPARCL_E_IO);
    if (geteuid() != 0) { /* root writes into any folder */
        assert_int_equal(chmod(f->folder, 0500), 0);
        assert_int_equal(sparcl_model_save(model, f->path, &error), SPARCL_E_IO);
        assert_int_equal(chmod(f->folder, 0700), 0);
    }
    assert_old_file_is_whole(f);
    sparcl_model_free(model);
}

/* ---- arguments ------------------------------------------------------------------------------ */

static void refuse_info(const sparcl_model_info *info, const char *word) {
    const float weights[16] = {0};
    sparcl_model *model = (sparcl_model *)1;
    sparcl_error error = {0};
    const float *const bias = info->has_bias ? weights : NULL;
    assert_int_equal(sparcl_model_create(&model, info, weights, bias, &error), SPARCL_E_ARG);
    assert_null(model);
    if (!strstr(error.message, word)) fail_msg("\"%s\" is not in: %s", word, error.message);
}

#define REFUSE(field, value, word)                                                                 \
    do {                                                                                           \
        sparcl_model_info info_ = logistic_info();                                                 \
        info_.field = (value);                                                                     \
        refuse_info(&info_, word);                                                                 \
    } while (0)

static void create_refuses_wrong_ids(void **state) {
    static const int64_t equal[] = {5, 5}, negative[] = {-1, 5};
    sparcl_model_info info = logistic_info();
    (void)state;
    info.hash_bits = 32;
    refuse_info(&info, "hash_bits");
    info.hash_bits = 4;
    info.feature_ids = some_ids;
    info.id_count = 2;
    refuse_info(&info, "contradict");
    info.hash_bits = 0;
    info.id_count = 4;
    refuse_info(&info, "at most the columns");
    info.id_count = 2;
    info.feature_ids = equal;
    refuse_info(&info, "ascend");
    info.feature_ids = negative;
    refuse_info(&info, "ascend");
    info.feature_ids = NULL;
    refuse_info(&info, "as many ids as their count");
    info.id_count = 0;
    info.known_ids = (sparcl_known_ids){.users = some_ids, .user_count = 2};
    refuse_info(&info, "belong together");
    info.known_ids = (sparcl_known_ids){some_ids, 2, equal, 2, NULL, 0};
    refuse_info(&info, "ascend");
    info.known_ids = (sparcl_known_ids){some_ids, 2, some_ids, 4, NULL, 0};
    refuse_info(&info, "at most the columns");
    info.known_ids = (sparcl_known_ids){.nodes = some_ids, .node_count = -1};
    refuse_info(&info, "as many ids as their count");
}

static void create_refuses_what_cannot_be_a_model(void **state) {
    (void)state;
    const double descending[] = {1, 0}, unknown[] = {0, NAN};
    REFUSE(loss, (sparcl_loss)5, "loss must be a sparcl_loss");
    REFUSE(loss, SPARCL_LOSS_SQUARED, "classes");
    REFUSE(optimizer, (sparcl_rule)SPARCL_RULES, "optimizer must be a sparcl_rule");
    REFUSE(settings, "adam", "settings: expected those of adagrad, found those of adam");
    REFUSE(settings, "adagrad:lr", "settings: expected KEY=VALUE");
    REFUSE(settings, "adagrad:momentum=0.9,speed=2", "speed");
    REFUSE(columns, -1, "columns");
    REFUSE(columns, INT64_MAX, "too large");
    REFUSE(outputs, 2, "1 output");
    REFUSE(classes, 3, "classes");
    REFUSE(labels, NULL, "labels are missing");
    REFUSE(labels, descending, "ascend");
    REFUSE(labels, unknown, "finite");
    REFUSE(index_base, 2, "index_base");
    REFUSE(has_bias, 2, "has_bias");
    REFUSE(lr, (double)NAN, "finite");
    REFUSE(epsilon, -1.0, "not negative");
    REFUSE(epochs, -1, "epochs");
    REFUSE(batch, -1, "batch");
}

static void create_refuses_missing_or_broken_weights(void **state) {
    (void)state;
    const sparcl_model_info info = logistic_info();
    const float broken[] = {0, 0, INFINITY};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    assert_int_equal(sparcl_model_create(&model, &info, NULL, one_bias, &error), SPARCL_E_ARG);
    assert_int_equal(sparcl_model_create(&model, &info, three_weights, NULL, &error), SPARCL_E_ARG);
    assert_int_equal(sparcl_model_create(&model, &info, broken, one_bias, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "weight [2, 0]"));
    sparcl_model_free(NULL);
}

static void names_are_read_as_they_are_printed(void **state) {
    (void)state;
    sparcl_error error = {0};
    for (int i = 0; i < 3; i++) {
        sparcl_loss loss;
        assert_int_equal(sparcl_loss_parse(&loss, sparcl_loss_name((sparcl_loss)i), &error), 0);
        assert_int_equal(loss, i);
    }
    for (int i = 0; i < SPARCL_RULES; i++) {
        const char *const name = sparcl_rule_name((sparcl_rule)i);
        sparcl_rule optimizer;
        assert_int_equal(sparcl_rule_parse(&optimizer, name, &error), SPARCL_OK);
        assert_int_equal(optimizer, i);
    }
    sparcl_loss loss = SPARCL_LOSS_SOFTMAX;
    sparcl_rule optimizer = SPARCL_RULE_ADAM;
    assert_int_equal(sparcl_loss_parse(&loss, "Logistic", &error), SPARCL_E_ARG);
    assert_non_null(
        strstr(error.message, "logistic, softmax, squared, poisson or hinge, found \"Logistic\""));
    assert_int_equal(sparcl_rule_parse(&optimizer, NULL, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "expected sgd, "));
    assert_non_null(strstr(error.message, ", found \"\""));
    assert_int_equal(loss, SPARCL_LOSS_SOFTMAX);
    assert_string_equal(sparcl_loss_name((sparcl_loss)9), "?");
    assert_int_equal(optimizer, SPARCL_RULE_ADAM);
    assert_string_equal(sparcl_rule_name((sparcl_rule)SPARCL_RULES), "?");
    assert_string_equal(sparcl_rule_name((sparcl_rule)-1), "?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(models_of_every_kind_come_back_as_they_were),
        WITH_FIXTURE(what_only_some_models_have_comes_back),
        WITH_FIXTURE(settings_of_other_rules_are_read),
        WITH_FIXTURE(how_data_became_columns_comes_back),
        WITH_FIXTURE(labels_that_were_words_have_their_names),
        WITH_FIXTURE(equal_models_make_equal_files_in_every_locale),
        WITH_FIXTURE(the_header_is_sorted_and_contains_no_path),
        WITH_FIXTURE(a_file_that_cannot_be_read_is_an_io_error),
        WITH_FIXTURE(a_write_that_fails_leaves_the_old_file_intact),
        cmocka_unit_test(decimals_are_short_and_exact),
        cmocka_unit_test(create_refuses_wrong_ids),
        cmocka_unit_test(create_refuses_what_cannot_be_a_model),
        cmocka_unit_test(create_refuses_missing_or_broken_weights),
        cmocka_unit_test(names_are_read_as_they_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
