/* test_model_broken.c: every kind of broken model file is refused, with a message that says what is
 * wrong.
 */
#include <math.h>

#include "model/model_object.h"
#include "model_fixture.h"

static void refuse_bytes(const fixture *f, const void *bytes, size_t size, const char *word) {
    sparcl_model *model = (sparcl_model *)1;
    sparcl_error error = {0};
    write_bytes(f->other, bytes, size);
    const sparcl_status status = sparcl_model_load(&model, f->other, &error);
    if (status != SPARCL_E_FORMAT || model || !strstr(error.message, word) ||
        strncmp(error.message, f->other, strlen(f->other)) != 0)
        fail_msg("expected a refusal that says \"%s\", got %s: %s", word,
                 sparcl_status_name(status), error.message);
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

static void a_file_truncated_anywhere_is_refused(void **state) {
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

static void a_wrong_header_length_is_refused(void **state) {
    const fixture *const f = *state;
    unsigned char bytes[MOST];
    const uint64_t lies[] = {0,          1,          7,          1u << 20,  100000001u,
                             UINT32_MAX, 1ull << 32, 1ull << 62, INT64_MAX, 1ull << 63,
                             UINT64_MAX, f->size,    f->size - 7};
    for (size_t i = 0; i < SPC_COUNT(lies); i++) {
        memcpy(bytes, f->bytes, f->size);
        for (int k = 0; k < 8; k++)
            bytes[k] = (unsigned char)(lies[i] >> (8 * k) & 0xff);
        refuse_bytes(f, bytes, f->size, lies[i] < 8 ? "header" : "declare");
    }
}

/* The good header with the first `find` replaced; each is refused with a message that has `word`.
 */
static const struct {
    const char *find, *replace, *word;
} violations[] = {
    /* the JSON itself */
    {"{\"__meta", "[\"__meta", "must begin with '{'"},
    {"{\"__meta", " {\"__meta", "must begin with '{'"},
    {"{\"__meta", "\xef\xbb\xbf{\"__meta", "must begin with '{'"},
    {"}}", "}", "invalid JSON"},
    {"}}", "}},", "invalid JSON"},
    {"}}", "}}{}", "invalid JSON"},
    {"adagrad", "\xff\xfe", "invalid JSON"},
    {"adagrad", "ada\xc0\x80grad", "invalid JSON"},
    {"adagrad", "ada\\u0000grad", "invalid JSON"},
    {"adagrad", "\\ud800", "invalid JSON"},
    {"adagrad", "ada\ngrad", "invalid JSON"},
    {"\"batch\":", "\"beta1\":\"0\",\"batch\":", "duplicate"},
    {"\"bias\":{", "\"weight\":{", "duplicate"},
    {"\"shape\":[3,1]", "\"shape\":[3,1],\"shape\":[3,1]", "duplicate"},
    {"[3,1]", "[[3,1]]", "nested deeper"},
    {"[3,1]", "[[[[[[[[[[[[3,1]]]]]]]]]]]]", "nested deeper"},
    /* ids: the note stands where a model has hashed ones */
    {"\"index_base\"", "\"hash_bits\":\"32\",\"index_base\"",
     "metadata hash_bits: expected 1 to 31"},
    {"\"index_base\"", "\"hash_bits\":\"0\",\"index_base\"",
     "metadata hash_bits: expected 1 to 31"},
    {"\"index_base\"", "\"hash_bits\":\"x\",\"index_base\"",
     "metadata hash_bits: expected 1 to 31"},
    /* tensors */
    {"\"F32\",\"shape\":[3", "\"F64\",\"shape\":[3", "needs 24 bytes, data_offsets have 12"},
    {"\"F32\",\"shape\":[3", "\"I32\",\"shape\":[3", "expected F32, found I32"},
    {"\"F32\",\"shape\":[3", "\"F33\",\"shape\":[3", "dtype is missing or unknown"},
    {"\"F32\",\"shape\":[3", "\"f32\",\"shape\":[3", "dtype is missing or unknown"},
    {"\"F32\",\"shape\":[3", "32,\"shape\":[3", "dtype is missing or unknown"},
    {"\"dtype\":\"F32\",\"shape\":[3", "\"type\":\"F32\",\"shape\":[3", "dtype is missing"},
    {"[3,1]", "[1,3]", "does not match the metadata"},
    {"[3,1]", "[3]", "does not match the metadata"},
    {"[3,1]", "[3,1,1]", "does not match the metadata"},
    {"[3,1]", "[4,1]", "needs 16 bytes, data_offsets have 12"},
    {"[3,1]", "[-3,-1]", "not a list of at most 8 sizes"},
    {"[3,1]", "[3.0,1]", "not a list of at most 8 sizes"},
    {"[3,1]", "[\"3\",1]", "not a list of at most 8 sizes"},
    {"[3,1]", "[3,1,1,1,1,1,1,1,1]", "not a list of at most 8 sizes"},
    {"[3,1]", "{\"3\":1}", "not a list of at most 8 sizes"},
    {"[3,1]", "[4611686018427387904,4]", "too large"},
    {"[3,1]", "[9223372036854775807,9223372036854775807]", "too large"},
    {"[3,1]", "[9223372036854775808,1]", "invalid JSON"},
    {"[3,1]", "[1e3,1]", "not a list of at most 8 sizes"},
    {"[0,12]", "[0,8]", "needs 12 bytes, data_offsets have 8"},
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
    {"\"batch\":\"256\",", "", "metadata batch: expected an integer of at least 0, found nothing"},
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
    {"\"loss\":\"logistic\"", "\"loss\":\"huber\"", "metadata loss"},
    {"\"loss\":\"logistic\"", "\"loss\":\"squared\"", "classes must be 2 for logistic"},
    {"\"loss\":\"logistic\"", "\"loss\":\"softmax\"", "classes must be 2 for logistic"},
    {"adagrad", "adagrab", "metadata optimizer: expected the name of an optimizer"},
    {"\"columns\":\"3\"", "\"columns\":\"4\"", "does not match the metadata"},
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

static void every_broken_header_is_refused_with_a_clear_message(void **state) {
    const fixture *const f = *state;
    for (size_t i = 0; i < SPC_COUNT(violations); i++) {
        char text[MOST] = {0};
        memcpy(text, f->bytes + 8, header_length(f));
        char *const at = strstr(text, violations[i].find);
        if (!at) fail_msg("damage %zu: \"%s\" is not in the header", i, violations[i].find);
        char rest[MOST];
        strcpy(rest, at + strlen(violations[i].find));
        snprintf(at, MOST - (size_t)(at - text), "%s%s", violations[i].replace, rest);
        refuse_header(f, text, strlen(text), 16, violations[i].word);
    }
}

/* Replace all of `find` in a good file with ids and a description by as many bytes. */
static void refuse_columns(const fixture *f, size_t length, const char *find, const char *replace,
                           const char *word) {
    static const int64_t ids[] = {3, 5};
    sparcl_model_info info = logistic_info();
    info.feature_ids = ids;
    info.id_count = 2;
    info.csv_description = "y,label\n*,skip\n";
    sparcl_model *const model = make(&info, three_weights, one_bias);
    unsigned char bytes[MOST];
    save(model, f->other);
    sparcl_model_free(model);
    const size_t size = read_model(f->other, bytes);
    bool any = false;
    for (size_t at = 0; at + length <= size; at++) {
        if (memcmp(bytes + at, find, length) != 0) continue;
        memcpy(bytes + at, replace, length);
        any = true;
    }
    assert_true(any);
    refuse_bytes(f, bytes, size, word);
}

static void wrong_columns_of_a_file_are_refused(void **state) {
    const fixture *const f = *state;
    refuse_columns(f, 5, "\"I64\"", "\"F64\"", "expected the 2 parameters");
    refuse_columns(f, 11, "feature_ids", "feature_idz", "expected the 2 parameters");
    refuse_columns(f, 8, "\3\0\0\0\0\0\0", "\5\0\0\0\0\0\0", "must be at least 0 and ascend");
    refuse_columns(f, 8, "\3\0\0\0\0\0\0", "\3\0\0\0\0\0\0\x80", "must be at least 0 and ascend");
    refuse_columns(f, 3, "[2]", "[1]", "needs 8 bytes, data_offsets have 16");
    refuse_columns(f, 4, "\"U8\"", "\"I8\"", "expected the 2 parameters");
    refuse_columns(f, 4, "[15]", "[14]", "needs 14 bytes, data_offsets have 15");
    refuse_columns(f, 4, "skip", "sk\0p",
                   "tensor csv_description: expected text, found a NUL byte");
}

static void a_nul_byte_in_the_header_is_refused(void **state) {
    const fixture *const f = *state;
    char text[MOST];
    const size_t length = header_length(f);
    memcpy(text, f->bytes + 8, length);
    text[length - 1] = '\0';
    refuse_header(f, text, length, 16, "invalid JSON");
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
            const sparcl_status status = spc_model_read(&model, file, "memory", NULL, &error);
            assert_true(status == SPARCL_OK || status == SPARCL_E_FORMAT);
            assert_true((status == SPARCL_OK) == (model != NULL));
            sparcl_model_free(model);
            fclose(file);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(a_file_truncated_anywhere_is_refused),
        WITH_FIXTURE(a_longer_file_is_refused),
        WITH_FIXTURE(a_wrong_header_length_is_refused),
        WITH_FIXTURE(every_broken_header_is_refused_with_a_clear_message),
        WITH_FIXTURE(wrong_columns_of_a_file_are_refused),
        WITH_FIXTURE(a_nul_byte_in_the_header_is_refused),
        WITH_FIXTURE(very_deep_nesting_is_refused_before_it_is_parsed),
        WITH_FIXTURE(brackets_inside_strings_are_not_nesting),
        WITH_FIXTURE(weights_that_are_not_finite_are_refused_with_their_place),
        WITH_FIXTURE(no_changed_byte_of_the_header_crashes_or_passes_as_another_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
