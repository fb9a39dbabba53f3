/* test_model_notes.c: notes of a model, and names of its classes, in memory and in files. */
#include "model_fixture.h"

static sparcl_model *load(const char *path) {
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    if (sparcl_model_load(&model, path, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return model;
}

static sparcl_model *logistic(void) {
    const sparcl_model_info info = logistic_info();
    return make(&info, three_weights, one_bias);
}

static void set(sparcl_model *model, const char *key, const char *text) {
    sparcl_error error = {0};
    if (sparcl_model_set_note(model, key, text, &error) != SPARCL_OK) fail_msg("%s", error.message);
}

static void assert_notes(const sparcl_model *model, const char *const *expected) {
    int i = 0;
    for (; expected[2 * i]; i++) {
        assert_string_equal(sparcl_model_note_key(model, i), expected[2 * i]);
        assert_string_equal(sparcl_model_note(model, expected[2 * i]), expected[2 * i + 1]);
    }
    assert_null(sparcl_model_note_key(model, i));
    assert_null(sparcl_model_note_key(model, -1));
    assert_null(sparcl_model_note(model, "no such"));
}

/* ---- notes ---------------------------------------------------------------------------------- */

static void notes_are_kept_in_the_order_of_keys(void **state) {
    const fixture *const f = *state;
    static const char *const expected[] = {"a", "\xc3\xa4 \"\n", "b", "", "c", "3", NULL, NULL};
    sparcl_model *const model = logistic();
    set(model, "c", "1");
    set(model, "a", "\xc3\xa4 \"\n");
    set(model, "d", "4");
    set(model, "b", "");
    set(model, "c", "3");
    set(model, "d", NULL);
    set(model, "d", NULL);
    assert_notes(model, expected);
    save(model, f->other);
    sparcl_model *const again = load(f->other);
    assert_notes(again, expected);
    sparcl_model_free(model);
    sparcl_model_free(again);
}

/* A model without notes has the file that it always had, and one whose notes went has it again. */
static void without_notes_a_file_is_as_before(void **state) {
    const fixture *const f = *state;
    unsigned char bytes[MOST];
    sparcl_model *const model = logistic();
    set(model, "a", "1");
    set(model, "a", NULL);
    save(model, f->other);
    assert_int_equal(read_model(f->other, bytes), f->size);
    assert_memory_equal(bytes, f->bytes, f->size);
    sparcl_model_free(model);
}

static void refused(sparcl_model *model, const char *key, const char *text, const char *why) {
    sparcl_error error = {0};
    assert_int_equal(sparcl_model_set_note(model, key, text, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, why));
}

static void wrong_notes_are_refused(void **state) {
    (void)state;
    char key[SPARCL_NOTE_KEY + 1], *const text = malloc(SPARCL_NOTE_TEXT + 1);
    memset(key, 'k', sizeof key);
    memset(text, 't', SPARCL_NOTE_TEXT + 1);
    key[SPARCL_NOTE_KEY] = '\0';
    text[SPARCL_NOTE_TEXT] = '\0';
    sparcl_model *const model = logistic();
    refused(NULL, "a", "b", "model is NULL");
    refused(model, NULL, "b", "a key of 1 to 63 bytes");
    refused(model, "", "b", "a key of 1 to 63 bytes");
    refused(model, key, "b", "a key of 1 to 63 bytes");
    refused(model, "\xff", "b", "a key in UTF-8");
    refused(model, "a", text, "less than 64 KiB");
    refused(model, "a", "\xff", "a text in UTF-8");
    assert_null(sparcl_model_note_key(model, 0));
    key[SPARCL_NOTE_KEY - 1] = text[SPARCL_NOTE_TEXT - 1] = '\0';
    set(model, key, text);
    assert_string_equal(sparcl_model_note(model, key), text);
    for (int i = 1; i < SPARCL_MODEL_NOTES; i++) {
        snprintf(key, sizeof key, "%d", i);
        set(model, key, "");
    }
    refused(model, "new", "b", "at most 100 notes");
    set(model, "1", "as before");
    assert_string_equal(sparcl_model_note(model, "1"), "as before");
    sparcl_model_free(model);
    free(text);
}

/* ---- names of classes ----------------------------------------------------------------------- */

static const char *const names[] = {"ham, \xff", "spam"};

static sparcl_model *named(void) {
    sparcl_model *const model = logistic();
    sparcl_error error = {0};
    if (sparcl_model_set_label_names(model, names, &error) != SPARCL_OK)
        fail_msg("%s", error.message);
    return model;
}

static void assert_named(const sparcl_model *model) {
    assert_string_equal(sparcl_model_label_name(model, -1), names[0]);
    assert_string_equal(sparcl_model_label_name(model, 1), names[1]);
    assert_null(sparcl_model_label_name(model, 0));
}

static void classes_have_names(void **state) {
    const fixture *const f = *state;
    sparcl_error error = {0};
    unsigned char bytes[MOST];
    sparcl_model *const model = named();
    assert_named(model);
    save(model, f->other);
    sparcl_model *const again = load(f->other);
    assert_named(again);
    assert_memory_equal(sparcl_model_weights(again), three_weights, sizeof three_weights);
    assert_int_equal(sparcl_model_set_label_names(again, NULL, &error), SPARCL_OK);
    assert_null(sparcl_model_label_name(again, 1));
    save(again, f->other);
    assert_int_equal(read_model(f->other, bytes), f->size);
    assert_memory_equal(bytes, f->bytes, f->size);
    sparcl_model_free(model);
    sparcl_model_free(again);
}

static void refused_names(sparcl_model *model, const char *const *list, const char *why) {
    sparcl_error error = {0};
    assert_int_equal(sparcl_model_set_label_names(model, list, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, why));
}

static void wrong_names_are_refused(void **state) {
    (void)state;
    static const char *const holes[] = {"a", NULL};
    sparcl_model_info info = logistic_info();
    sparcl_model *const model = named();
    refused_names(NULL, names, "model is NULL");
    refused_names(model, holes, "names[1] is NULL");
    assert_named(model);
    sparcl_model_free(model);
    info.csv_description = "y,label,no,yes\na,numeric\nb,numeric\nc,numeric\n";
    sparcl_model *const table = make(&info, three_weights, one_bias);
    refused_names(table, names, "words of CSV");
    sparcl_model_free(table);
    info = (sparcl_model_info){
        .loss = SPARCL_LOSS_SQUARED, .columns = 3, .outputs = 1, .has_bias = 1, .lr = 1};
    sparcl_model *const numbers = make(&info, three_weights, one_bias);
    refused_names(numbers, names, "has no classes");
    sparcl_model_free(numbers);
}

/* ---- broken files --------------------------------------------------------------------------- */

/* Replace a text of the same length in a file. */
static void change(const char *path, const char *from, const char *to, size_t length) {
    unsigned char bytes[MOST];
    const size_t size = read_model(path, bytes);
    size_t at = 0;
    while (at + length < size && memcmp(bytes + at, from, length) != 0)
        at++;
    assert_memory_equal(bytes + at, from, length);
    memcpy(bytes + at, to, length);
    FILE *const file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void assert_broken(const char *path, const char *why) {
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    assert_int_equal(sparcl_model_load(&model, path, &error), SPARCL_E_FORMAT);
    assert_null(model);
    if (!strstr(error.message, why)) fail_msg("%s", error.message);
}

static void broken_files_are_refused(void **state) {
    const fixture *const f = *state;
    sparcl_model *const model = named();
    set(model, "abcd", "1");
    save(model, f->other);
    change(f->other, "spam", "sp\0m", 4);
    assert_broken(f->other, "tensor label_names: expected a name for each of 2 classes");
    change(f->other, "sp\0m", "spam", 4);
    change(f->other, "spam\0", "spams", 5);
    assert_broken(f->other, "tensor label_names: expected a name for each of 2 classes");
    change(f->other, "spams", "spam\0", 5);
    sparcl_model_free(load(f->other));
    change(f->other, "note.abcd", "nope.abcd", 9);
    assert_broken(f->other, "metadata has 21 entries, expected 20");
    sparcl_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(notes_are_kept_in_the_order_of_keys),
        WITH_FIXTURE(without_notes_a_file_is_as_before),
        WITH_FIXTURE(wrong_notes_are_refused),
        WITH_FIXTURE(classes_have_names),
        WITH_FIXTURE(wrong_names_are_refused),
        WITH_FIXTURE(broken_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
