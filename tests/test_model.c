/* test_model.c: models in memory and in files; every kind of broken file must be refused. */
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/macros.h"
#include "model/decimal.h"
#include "model/model_object.h"
#include "sparcl/model.h"

enum { MOST = 8192 };

typedef struct fixture {
    char folder[64], path[96], other[96];
    unsigned char bytes[MOST]; /* a good model file */
    size_t size;
} fixture;

static const double two_labels[] = {-1.0, 1.0};
static const float three_weights[] = {0.5f, -1.25f, 3e-40f}, one_bias[] = {0.1f};

static sparcl_model_info logistic_info(void) {
    return (sparcl_model_info){.loss = SPARCL_LOSS_LOGISTIC,
                               .optimizer = SPARCL_OPTIMIZER_ADAGRAD,
                               .columns = 3,
                               .outputs = 1,
                               .classes = 2,
                               .labels = two_labels,
                               .index_base = 1,
                               .has_bias = 1,
                               .lr = 0.1,
                               .l2 = 1e-5,
                               .epsilon = 1e-10,
                               .epochs = 7,
                               .batch = 256,
                               .seed = UINT64_MAX,
                               .fingerprint = 0xdeadbeef};
}

static sparcl_model *make(const sparcl_model_info *info, const float *weights, const float *bias) {
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    if (sparcl_model_create(&model, info, weights, bias, &error) != SPARCL_OK)
        fail_msg("%s", error.message);
    return model;
}

static void save(const sparcl_model *model, const char *path) {
    sparcl_error error = {0};
    if (sparcl_model_save(model, path, &error) != SPARCL_OK) fail_msg("%s", error.message);
}

static size_t read_bytes(const char *path, unsigned char *bytes) {
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, MOST, file);
    assert_true(size < MOST);
    fclose(file);
    return size;
}

static void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int setup(void **state) {
    fixture *const f = calloc(1, sizeof *f);
    if (!f) return -1;
    strcpy(f->folder, "/tmp/sparcl-model-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->path, sizeof f->path, "%s/model.st", f->folder);
    snprintf(f->other, sizeof f->other, "%s/other.st", f->folder);
    const sparcl_model_info info = logistic_info();
    sparcl_model *const model = make(&info, three_weights, one_bias);
    save(model, f->path);
    sparcl_model_free(model);
    f->size = read_bytes(f->path, f->bytes);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *const f = *state;
    unlink(f->path);
    unlink(f->other);
    const int bad = rmdir(f->folder); /* fails when a temporary file was left */
    free(f);
    return bad;
}

/* ---- good files ----------------------------------------------------------------------------- */

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
    assert_true(i->seed == j->seed && i->fingerprint == j->fingerprint);
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
    const size_t size = read_bytes(f->other, first);
    if (sparcl_model_load(&loaded, f->other, &error) != SPARCL_OK) fail_msg("%s", error.message);
    assert_same(model, loaded);
    save(loaded, f->other);
    assert_int_equal(read_bytes(f->other, second), size);
    assert_memory_equal(first, second, size);
    assert_int_equal(size % 4, 0);
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
                               .optimizer = SPARCL_OPTIMIZER_ADAM,
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

    info = (sparcl_model_info){.loss = SPARCL_LOSS_SQUARED, .columns = 10, .outputs = 1};
    round_trip(f, &info, table, NULL);
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
        assert_int_equal(read_bytes(f->other, again), f->size);
        assert_memory_equal(again, f->bytes, f->size);
    }
    setlocale(LC_ALL, "C");
}

static void the_header_is_sorted_and_says_nothing_of_paths(void **state) {
    fixture *const f = *state;
    const char *const wanted =
        "{\"__metadata__\":{\"batch\":\"256\",\"beta1\":\"0\",\"beta2\":\"0\",\"bias\":\"1\","
        "\"classes\":\"2\",\"columns\":\"3\",\"data_fingerprint\":\"00000000deadbeef\","
        "\"epochs\":\"7\",\"epsilon\":\"1e-10\",\"format\":\"sparcl.1\",\"index_base\":\"1\","
        "\"kind\":\"linear\",\"l2\":\"1e-05\",\"labels\":\"-1 1\",\"loss\":\"logistic\","
        "\"lr\":\"0.1\",\"momentum\":\"0\",\"optimizer\":\"adagrad\",\"outputs\":\"1\","
        "\"seed\":\"18446744073709551615\"},"
        "\"bias\":{\"data_offsets\":[12,16],\"dtype\":\"F32\",\"shape\":[1]},"
        "\"weight\":{\"data_offsets\":[0,12],\"dtype\":\"F32\",\"shape\":[3,1]}}";
    assert_memory_equal(f->bytes + 8, wanted, strlen(wanted));
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
        double value, back;
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        const int length = spc_decimal_print(text, value);
        assert_true(spc_decimal_parse(text, length, &back) && back == value);
    }
}

/* ---- broken files --------------------------------------------------------------------------- */

static void refuse_bytes(const fixture *f, const void *bytes, size_t size, const char *word) {
    sparcl_model *model = (sparcl_model *)1;
    sparcl_error error = {0};
    write_bytes(f->other, bytes, size);
    const sparcl_status status = sparcl_model_load(&model, f->other, &error);
    if (status != SPARCL_E_FORMAT || model || !strstr(error.message, word) ||
        strncmp(error.message, f->other, strlen(f->other)) != 0)
        fail_msg("wanted a refusal that says \"%s\", got %s: %s", word, sparcl_status_name(status),
                 error.message);
}

/* A file of this header text and data, with the right length in front. */
static void refuse_header(const fixture *f, const char *text, size_t length, size_t data,
                          const char *word) {
    unsigned char bytes[MOST] = {0};
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(length >> (8 * i) & 0xff);
    memcpy(bytes + 8, text, length);
    refuse_bytes(f, bytes, 8 + length + data, word);
}

static void a_file_cut_anywhere_is_refused(void **state) {
    const fixture *const f = *state;
    for (size_t size = 0; size < f->size; size++)
        refuse_bytes(f, f->bytes, size, ": ");
}

static void a_longer_file_is_refused(void **state) {
    const fixture *const f = *state;
    unsigned char bytes[MOST];
    memcpy(bytes, f->bytes, f->size);
    bytes[f->size] = 0;
    refuse_bytes(f, bytes, f->size + 1, "describes 16 bytes of data, the file has 17");
}

static void a_header_length_that_lies_is_refused(void **state) {
    const fixture *const f = *state;
    unsigned char bytes[MOST];
    const uint64_t lies[] = {0,          1,          7,          1u << 20,  100000001u,
                             UINT32_MAX, 1ull << 32, 1ull << 62, INT64_MAX, 1ull << 63,
                             UINT64_MAX, f->size,    f->size - 7};
    for (size_t i = 0; i < SPC_COUNT(lies); i++) {
        memcpy(bytes, f->bytes, f->size);
        for (int k = 0; k < 8; k++)
            bytes[k] = (unsigned char)(lies[i] >> (8 * k) & 0xff);
        refuse_bytes(f, bytes, f->size, lies[i] < 8 ? "header" : "announce");
    }
}

/* The good header with the first `find` replaced; each is refused with a message that has `word`.
 */
static const struct {
    const char *find, *replace, *word;
} damages[] = {
    /* the JSON itself */
    {"{\"__meta", "[\"__meta", "must begin with '{'"},
    {"{\"__meta", " {\"__meta", "must begin with '{'"},
    {"{\"__meta", "\xef\xbb\xbf{\"__meta", "must begin with '{'"},
    {"}}", "}", "not good JSON"},
    {"}}", "}},", "not good JSON"},
    {"}}", "}}{}", "not good JSON"},
    {"adagrad", "\xff\xfe", "not good JSON"},
    {"adagrad", "ada\xc0\x80grad", "not good JSON"},
    {"adagrad", "ada\\u0000grad", "not good JSON"},
    {"adagrad", "\\ud800", "not good JSON"},
    {"adagrad", "ada\ngrad", "not good JSON"},
    {"\"batch\":", "\"beta1\":\"0\",\"batch\":", "duplicate"},
    {"\"bias\":{", "\"weight\":{", "duplicate"},
    {"\"shape\":[3,1]", "\"shape\":[3,1],\"shape\":[3,1]", "duplicate"},
    {"[3,1]", "[[3,1]]", "nested deeper"},
    {"[3,1]", "[[[[[[[[[[[[3,1]]]]]]]]]]]]", "nested deeper"},
    /* tensors */
    {"\"F32\",\"shape\":[3", "\"F64\",\"shape\":[3", "wants 24 bytes, data_offsets give 12"},
    {"\"F32\",\"shape\":[3", "\"I32\",\"shape\":[3", "expected F32, found I32"},
    {"\"F32\",\"shape\":[3", "\"F33\",\"shape\":[3", "dtype is missing or unknown"},
    {"\"F32\",\"shape\":[3", "\"f32\",\"shape\":[3", "dtype is missing or unknown"},
    {"\"F32\",\"shape\":[3", "32,\"shape\":[3", "dtype is missing or unknown"},
    {"\"dtype\":\"F32\",\"shape\":[3", "\"type\":\"F32\",\"shape\":[3", "dtype is missing"},
    {"[3,1]", "[1,3]", "not what the metadata say"},
    {"[3,1]", "[3]", "not what the metadata say"},
    {"[3,1]", "[3,1,1]", "not what the metadata say"},
    {"[3,1]", "[4,1]", "wants 16 bytes, data_offsets give 12"},
    {"[3,1]", "[-3,-1]", "not a list of at most 8 sizes"},
    {"[3,1]", "[3.0,1]", "not a list of at most 8 sizes"},
    {"[3,1]", "[\"3\",1]", "not a list of at most 8 sizes"},
    {"[3,1]", "[3,1,1,1,1,1,1,1,1]", "not a list of at most 8 sizes"},
    {"[3,1]", "{\"3\":1}", "not a list of at most 8 sizes"},
    {"[3,1]", "[4611686018427387904,4]", "too large"},
    {"[3,1]", "[9223372036854775807,9223372036854775807]", "too large"},
    {"[3,1]", "[9223372036854775808,1]", "not good JSON"},
    {"[3,1]", "[1e3,1]", "not a list of at most 8 sizes"},
    {"[0,12]", "[0,8]", "wants 12 bytes, data_offsets give 8"},
    {"[0,12]", "[12,0]", "not [begin, end]"},
    {"[0,12]", "[-12,0]", "not [begin, end]"},
    {"[0,12]", "[0,12,13]", "not [begin, end]"},
    {"[0,12]", "[0]", "not [begin, end]"},
    {"[0,12]", "[4,16]", "there is a hole"},
    {"[0,12]", "[9223372036854775795,9223372036854775807]", "there is a hole"},
    {"[12,16]", "[8,12]", "overlaps another"},
    {"[12,16]", "[16,20]", "there is a hole"},
    {"[12,16]", "[0,4]", "overlaps another"},
    {"\"shape\":[1]", "\"shape\":[1],\"more\":1", "exactly dtype, shape and data_offsets"},
    {"\"shape\":[1]", "\"form\":[1]", "not a list of at most 8 sizes"},
    {"\"bias\":{\"data_offsets\":[12,16],\"dtype\":\"F32\",\"shape\":[1]}", "\"bias\":7",
     "exactly dtype, shape and data_offsets"},
    {"\"bias\":{", "\"Bias\":{", "tensor bias is missing"},
    {"\"weight\":{", "\"w\\u001b[31m\":{", "tensor weight is missing"},
    {"}}", "},\"x\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[16,16]}}", "no other"},
    /* metadata */
    {"{\"batch\"", "7,\"x\":{\"batch\"", "__metadata__ is not an object"},
    {"\"batch\":\"256\"", "\"batch\":256", "metadata batch is not a string"},
    {"\"batch\":\"256\"", "\"batch\":{}", "metadata batch is not a string"},
    {"__metadata__", "__metadatb__", "exactly dtype, shape and data_offsets"},
    {"\"batch\":\"256\",", "", "metadata batch: expected a whole number from 0, found nothing"},
    {"\"batch\":\"256\",", "\"Batch\":\"256\",", "metadata batch"},
    {"\"batch\":\"256\",", "\"batch\":\"256\",\"more\":\"1\",", "has 21 entries, expected 20"},
    {"sparcl.1", "sparcl.2", "metadata format: expected \"sparcl.1\""},
    {"sparcl.1", "pt", "metadata format"},
    {"linear", "forest", "metadata kind"},
    {"\"256\"", "\"-1\"", "metadata batch"},
    {"\"256\"", "\"\"", "metadata batch"},
    {"\"256\"", "\" 256\"", "metadata batch"},
    {"\"256\"", "\"0256\"", "metadata batch"},
    {"\"256\"", "\"9223372036854775808\"", "metadata batch"},
    {"\"256\"", "\"99999999999999999999999999\"", "metadata batch"},
    {"18446744073709551615", "18446744073709551616", "metadata seed"},
    {"deadbeef", "deadbee", "metadata data_fingerprint"},
    {"deadbeef", "DEADBEEF", "metadata data_fingerprint"},
    {"\"lr\":\"0.1\"", "\"lr\":\"nan\"", "metadata lr: expected a finite decimal number"},
    {"\"lr\":\"0.1\"", "\"lr\":\"1e999\"", "metadata lr"},
    {"\"lr\":\"0.1\"", "\"lr\":\"0x1p-4\"", "metadata lr"},
    {"\"lr\":\"0.1\"", "\"lr\":\"0,1\"", "metadata lr"},
    {"\"lr\":\"0.1\"", "\"lr\":\"0.1 \"", "metadata lr"},
    {"\"lr\":\"0.1\"", "\"lr\":\"1e\"", "metadata lr"},
    {"\"lr\":\"0.1\"", "\"lr\":\"-0.1\"", "must be finite and not negative"},
    {"\"loss\":\"logistic\"", "\"loss\":\"hinge\"", "metadata loss"},
    {"\"loss\":\"logistic\"", "\"loss\":\"squared\"", "classes must be 2 for logistic"},
    {"\"loss\":\"logistic\"", "\"loss\":\"softmax\"", "classes must be 2 for logistic"},
    {"adagrad", "adadelta", "metadata optimizer"},
    {"\"columns\":\"3\"", "\"columns\":\"4\"", "not what the metadata say"},
    {"\"columns\":\"3\"", "\"columns\":\"9223372036854775807\"", "too large"},
    {"\"outputs\":\"1\"", "\"outputs\":\"0\"", "have 1 output"},
    {"\"outputs\":\"1\"", "\"outputs\":\"2\"", "have 1 output"},
    {"\"classes\":\"2\"", "\"classes\":\"1\"", "metadata labels"},
    {"\"classes\":\"2\"", "\"classes\":\"3\"", "metadata labels"},
    {"\"classes\":\"2\"", "\"classes\":\"9223372036854775807\"", "metadata labels"},
    {"\"-1 1\"", "\"1 -1\"", "labels must be finite and ascend"},
    {"\"-1 1\"", "\"1 1\"", "labels must be finite and ascend"},
    {"\"-1 1\"", "\"-1  1\"", "metadata labels"},
    {"\"-1 1\"", "\"-1 1 \"", "metadata labels"},
    {"\"-1 1\"", "\"-1 1 2\"", "metadata labels"},
    {"\"-1 1\"", "\"-1 inf\"", "metadata labels"},
    {"\"-1 1\"", "\"-1,1\"", "metadata labels"},
    {"\"-1 1\"", "\"a b\"", "metadata labels"},
    {"\"index_base\":\"1\"", "\"index_base\":\"2\"", "metadata index_base"},
    {"\"bias\":\"1\"", "\"bias\":\"true\"", "metadata bias"},
    {"\"bias\":\"1\"", "\"bias\":\"0\"", "no other"},
};

static size_t header_length(const fixture *f) {
    return (size_t)f->bytes[0] | (size_t)f->bytes[1] << 8;
}

static void every_damage_to_the_header_is_refused_in_clear_words(void **state) {
    const fixture *const f = *state;
    for (size_t i = 0; i < SPC_COUNT(damages); i++) {
        char text[MOST] = {0};
        memcpy(text, f->bytes + 8, header_length(f));
        char *const at = strstr(text, damages[i].find);
        if (!at) fail_msg("damage %zu: \"%s\" is not in the header", i, damages[i].find);
        char rest[MOST];
        strcpy(rest, at + strlen(damages[i].find));
        snprintf(at, MOST - (size_t)(at - text), "%s%s", damages[i].replace, rest);
        refuse_header(f, text, strlen(text), 16, damages[i].word);
    }
}

static void a_nul_byte_in_the_header_is_refused(void **state) {
    const fixture *const f = *state;
    char text[MOST];
    const size_t length = header_length(f);
    memcpy(text, f->bytes + 8, length);
    text[length - 1] = '\0';
    refuse_header(f, text, length, 16, "not good JSON");
}

static void very_deep_nesting_is_refused_before_it_is_parsed(void **state) {
    const fixture *const f = *state;
    char text[4000];
    memset(text, '[', sizeof text);
    memcpy(text, "{\"a\":", 5);
    refuse_header(f, text, sizeof text, 0, "nested deeper");
}

static void brackets_inside_strings_are_not_nesting(void **state) {
    const fixture *const f = *state;
    const char *const text = "{\"__metadata__\":{\"a\":\"[[[[{{{{\\\"[[[[\"}}";
    refuse_header(f, text, strlen(text), 0, "metadata format");
}

static void weights_that_are_not_finite_are_refused_with_their_place(void **state) {
    const fixture *const f = *state;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    unsigned char bytes[MOST];
    for (size_t i = 0; i < SPC_COUNT(bad); i++) {
        memcpy(bytes, f->bytes, f->size);
        memcpy(bytes + f->size - 12, &bad[i], 4);
        refuse_bytes(f, bytes, f->size, "weight [1, 0] is not a finite number");
        memcpy(bytes, f->bytes, f->size);
        memcpy(bytes + f->size - 4, &bad[i], 4);
        refuse_bytes(f, bytes, f->size, "bias [0] is not a finite number");
    }
}

static void no_changed_byte_of_the_header_crashes_or_passes_as_another_model(void **state) {
    const fixture *const f = *state;
    unsigned char bytes[MOST];
    sparcl_error error;
    for (size_t at = 0; at < f->size - 16; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(bytes, f->bytes, f->size);
            bytes[at] = (unsigned char)(bytes[at] ^ 1u << bit);
            FILE *const file = fmemopen(bytes, f->size, "rb");
            assert_non_null(file);
            sparcl_model *model = NULL;
            const sparcl_status status = spc_model_read(&model, file, "memory", &error);
            assert_true(status == SPARCL_OK || status == SPARCL_E_FORMAT);
            assert_true((status == SPARCL_OK) == (model != NULL));
            sparcl_model_free(model);
            fclose(file);
        }
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
    assert_non_null(strstr(error.message, "no regular file"));
    assert_null(model);
}

static void assert_old_file_is_whole(const fixture *f) {
    unsigned char now[MOST];
    assert_int_equal(read_bytes(f->path, now), f->size);
    assert_memory_equal(now, f->bytes, f->size);
}

static void a_write_that_fails_leaves_the_old_file_whole(void **state) {
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

static void create_refuses_what_cannot_be_a_model(void **state) {
    (void)state;
    const double descending[] = {1, 0}, unknown[] = {0, NAN};
    REFUSE(loss, (sparcl_loss)3, "no such loss");
    REFUSE(loss, SPARCL_LOSS_SQUARED, "classes");
    REFUSE(optimizer, (sparcl_optimizer)4, "no such optimizer");
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
    for (int i = 0; i < 4; i++) {
        const char *const name = sparcl_optimizer_name((sparcl_optimizer)i);
        sparcl_optimizer optimizer;
        assert_int_equal(sparcl_optimizer_parse(&optimizer, name, &error), SPARCL_OK);
        assert_int_equal(optimizer, i);
    }
    sparcl_loss loss = SPARCL_LOSS_SOFTMAX;
    sparcl_optimizer optimizer = SPARCL_OPTIMIZER_ADAM;
    assert_int_equal(sparcl_loss_parse(&loss, "Logistic", &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "logistic, softmax, squared"));
    assert_int_equal(sparcl_optimizer_parse(&optimizer, NULL, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "sgd, momentum, adagrad, adam"));
    assert_int_equal(loss, SPARCL_LOSS_SOFTMAX);
    assert_string_equal(sparcl_loss_name((sparcl_loss)9), "?");
    assert_string_equal(sparcl_optimizer_name((sparcl_optimizer)9), "?");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(models_of_every_kind_come_back_as_they_were),
        TEST(equal_models_make_equal_files_in_every_locale),
        TEST(the_header_is_sorted_and_says_nothing_of_paths),
        TEST(a_file_cut_anywhere_is_refused),
        TEST(a_longer_file_is_refused),
        TEST(a_header_length_that_lies_is_refused),
        TEST(every_damage_to_the_header_is_refused_in_clear_words),
        TEST(a_nul_byte_in_the_header_is_refused),
        TEST(very_deep_nesting_is_refused_before_it_is_parsed),
        TEST(brackets_inside_strings_are_not_nesting),
        TEST(weights_that_are_not_finite_are_refused_with_their_place),
        TEST(no_changed_byte_of_the_header_crashes_or_passes_as_another_model),
        TEST(a_file_that_cannot_be_read_is_an_io_error),
        TEST(a_write_that_fails_leaves_the_old_file_whole),
        cmocka_unit_test(decimals_are_short_and_exact),
        cmocka_unit_test(create_refuses_what_cannot_be_a_model),
        cmocka_unit_test(create_refuses_missing_or_broken_weights),
        cmocka_unit_test(names_are_read_as_they_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
