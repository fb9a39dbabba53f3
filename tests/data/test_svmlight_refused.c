/* test_svmlight_refused.c: LIBSVM text that is refused, and at which place; invalid files and
 * descriptions. */
#include "data_test.h"

static void
unsorted_and_duplicate_indices_are_refused_under_strict_at_the_first_entry(void **state) {
    fixture *f = *state;
    const sparcl_data_desc strict = {.strict = 1};
    write_text(f->path, "1 1:1 2:1\n1 3:1 5:1 4:1 1:1\n");
    must_refuse(f, f->path, &strict, ":2:11: ", "expected an index above 5, found \"4:1\"");
    write_text(f->path, "1 1:1 2:1\n1 3:1 3:1\n");
    must_refuse(f, f->path, &strict, ":2:7: ", "expected an index above 3, found \"3:1\"");
    write_text(f->path, "1 1:1 2:1\n1 1:1\n");
    sparcl_data_free(must_read(f, f->path, &strict));
}

static void every_broken_text_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"", ":1:1: ", "an empty file"},
        {"\n", ":1:1: ", "only comments and blank lines"},
        {"# a\n\n# b", ":3:1: ", "only comments and blank lines"},
        {"1 1:1\nx 1:1\n", ":2:1: ", "found \"x\""},
        {"x:1 1:1\n", ":1:1: ", "expected a label, found \"x:1\""},
        {"1:1\n2 1:1\n", ":1:1: ", "expected a label, as other rows have one, found none"},
        {"abcdefghijklmnopqrstuvwx", ":1:1: ", "found \"abcdefghijklmnopqrstuvwx\""},
        {"abcdefghijklmnopqrstuvwx y\n", ":1:1: ", "found \"abcdefghijklmnopqrstuvwx\""},
        {"abcdefghijklmnopqrstuvwxy\n", ":1:1: ", "found \"abcdefghijklmnopqrstuvwx...\""},
        {"1 1:1\n 2:1 3:1\n", ":2:2: ", "expected a label, as other rows have one, found none"},
        {"nan 1:1\n", ":1:1: ", "a finite decimal number, found \"nan\""},
        {"-inf 1:1\n", ":1:1: ", "a finite decimal number"},
        {"1e309 1:1\n", ":1:1: ", "below 1.8e308"},
        {"0x1 1:1\n", ":1:1: ", "found \"0x1\""},
        {"1,2 1:1\n", ":1:1: ", "expected one label"},
        {"1 1:1e999\n", ":1:5: ", "in the range of a 32-bit float, up to 3.4e38, found \"1e999\""},
        {"1 1:1\n1 2:-1e39 3:1\n", ":2:5: ", "found \"-1e39\""},
        {"1 1:3.4028235677973367e38\n", ":1:5: ", "32-bit float"},
        {"1 -1:1\n", ":1:3: ", "expected an index of at least 0, found \"-1:1\""},
        {"1 9223372036854775808:1\n", ":1:3: ", "up to 9223372036854775807"},
        {"1 99999999999999999999999:1\n", ":1:3: ", "up to 9223372036854775807"},
        {"1 0:1 9223372036854775807:1\n", ":1:7: ", "up to 9223372036854775806"},
        {"1 1:0x1p3\n", ":1:6: ", "a blank after the value, found \"x1p3\""},
        {"1 1:1x\n", ":1:6: ", "found \"x\""},
        {"1 1:1:2\n", ":1:6: ", "one colon"},
        {"1 1:1,5 2:1\n", ":1:6: ", "found \",5\""},
        {"1 1:nanx\n", ":1:8: ", "found \"x\""},
        {"1 5\n", ":1:4: ", "\":\" and a value after the index, found the end of the line"},
        {"1 5 6:1\n", ":1:4: ", "found a blank"},
        {"1 5", ":1:4: ", "found the end of the line"},
        {"1 5:\n", ":1:5: ", "a value after \":\", found the end of the line"},
        {"1 5: 6:1\n", ":1:5: ", "found a blank"},
        {"1 5:\r\n", ":1:5: ", "the end of the line"},
        {"1 5:x\n", ":1:5: ", "found \"x\""},
        {"1 :1\n", ":1:3: ", "found \":1\""},
        {"1 5 :1\n", ":1:4: ", "found a blank"},
        {"1 +5:1\n", ":1:3: ", "expected index:value"},
        {"1 1.5:1\n", ":1:4: ", "expected \":\""},
        {"1 a:1\n", ":1:3: ", "expected index:value, found \"a:1\""},
        {"1 |f 1:1\n", ":1:3: ", "found \"|f\""},
        {"1 1:1 qid:3\n", ":1:7: ", "directly after the label"},
        {"1 qid:x 1:1\n", ":1:3: ", "with digits"},
        {"1 qid: 1:1\n", ":1:3: ", "with digits"},
        {"1 qid:1:1\n", ":1:3: ", "with digits"},
        {"1 1:1\r2 1:1\r", ":1:6: ", "line feed after the carriage return"},
        {"1 1:1 \f2:1\n", ":1:7: ", "found \"\\x0c2:1\""},
        {"\xef\xbb\xbf\xef\xbb\xbf"
         "1 1:1\n",
         ":1:1: ", "found \"\\xef\\xbb\\xbf1\""},
        {"1 1:1 99999999999x999999999999999999999\n", ":1:18: ", "found \"x999999999999999999"},
        {"0 0 0 2  1 2  2 2\n", ":1:4: ", "found a blank"},
        {"-1 3 9 18\n", ":1:5: ", "found a blank"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_SVMLIGHT}, cases[i].place,
                    cases[i].words);
    }
    write_text(f->path, "1 0:1 9223372036854775807:1\n");
    must_refuse(f, f->path, &(sparcl_data_desc){.columns = 100},
                ":1:7: ", "the entry needs 9223372036854775808");
}

static void a_nul_byte_is_refused_wherever_it_stands(void **state) {
    fixture *f = *state;
    const char text[] = "1 qid:1 12:1.5 3:1 # a b\n";
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        char broken[sizeof text];
        memcpy(broken, text, sizeof text);
        broken[i] = '\0';
        write_bytes(f->path, broken, sizeof text - 1);
        must_refuse(f, f->path, NULL, ":1:", "");
    }
    static char zeros[3 << 20];
    write_bytes(f->path, zeros, sizeof zeros);
    must_refuse(f, f->path, NULL, ":1:1: ", "found \"\\x00");
}

static void random_bytes_are_refused(void **state) {
    fixture *f = *state;
    uint64_t random = 12;
    for (int i = 0; i < 300; i++) {
        char bytes[4096];
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (char)next_random(&random);
        write_bytes(f->path, bytes, sizeof bytes);
        must_refuse(f, f->path, NULL, ":", "");
    }
}

static void an_index_beyond_the_width_is_refused_unless_widened(void **state) {
    fixture *f = *state;
    const sparcl_data_desc narrow = {.columns = 4};
    write_text(f->path, "1 1:1 4:1\n1 2:1 5:1\n1 9:1\n");
    must_refuse(f, f->path, &narrow, ":2:7: ", "expected an index up to 4, found 5");
    must_refuse(f, f->path, &narrow, ":2:7: ", "columns were requested, the entry needs 5");
    write_text(f->path, "1 1:1 4:1\n1 2:1 5:1\n1 0:1\n");
    must_refuse(f, f->path, &narrow, ":1:7: ", "expected an index up to 3, found 4");
    const sparcl_data_desc from_0 = {.columns = 4, .index_base = SPARCL_BASE_0};
    write_text(f->path, "1 1:1 4:1\n");
    must_refuse(f, f->path, &from_0, ":1:7: ", "expected an index up to 3, found 4");
    assert_int_not_equal(fingerprint_of(f, f->path, &narrow), 0);
    const sparcl_data_desc wide = {.columns = 4, .widen = 1};
    write_text(f->path, "1 1:1 4:1\n1 2:1 5:1\n1 9:1\n");
    sparcl_data *data = must_read(f, f->path, &wide);
    assert_int_equal(sparcl_data_get_info(data)->columns, 9);
    sparcl_data_free(data);
    const sparcl_data_desc given = {.columns = 100};
    data = must_read(f, f->path, &given);
    assert_int_equal(sparcl_data_get_info(data)->columns, 100);
    sparcl_data_free(data);
}

static void the_first_error_is_reported_with_any_number_of_threads(void **state) {
    fixture *f = *state;
    write_large(f->path, "1 1:1 x\n1 y\n");
    for (int threads = 0; threads <= 8; threads++) {
        const sparcl_data_desc desc = {.threads = threads};
        must_refuse(f, f->path, &desc, ":20401:7: ", "found \"x\"");
    }
    const sparcl_data_desc narrow = {.columns = 49990, .threads = 4};
    write_large(f->path, "");
    must_refuse(f, f->path, &narrow, ":1119:107: ", "found 50000");
    char first[sizeof f->error.message];
    snprintf(first, sizeof first, "%s", f->error.message);
    const sparcl_data_desc serial = {.columns = 49990, .threads = 1};
    must_refuse(f, f->path, &serial, ":", "");
    assert_string_equal(f->error.message, first);
}

static void a_file_that_cannot_be_read_is_an_io_error(void **state) {
    fixture *f = *state;
    sparcl_data *data = (sparcl_data *)f;
    assert_int_equal(sparcl_data_read(&data, f->path, NULL, &f->error), SPARCL_E_IO);
    assert_null(data);
    assert_non_null(strstr(f->error.message, "cannot be opened: No such file"));
    assert_memory_equal(f->error.message, f->path, strlen(f->path));
    assert_int_equal(sparcl_data_read(&data, f->folder, NULL, &f->error), SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "cannot be read"));
    assert_int_equal(sparcl_data_read(&data, f->path, NULL, NULL), SPARCL_E_IO);
}

static void a_wrong_description_is_an_argument_error(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:1\n");
    const sparcl_data_desc wrong[] = {{.columns = -1},
                                      {.threads = -1},
                                      {.index_base = (sparcl_index_base)3},
                                      {.size = 1},
                                      {.size = sizeof(sparcl_data_desc) + 8}};
    sparcl_data *data = (sparcl_data *)f;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(sparcl_data_read(&data, f->path, &wrong[i], &f->error), SPARCL_E_ARG);
        assert_null(data);
    }
    assert_int_equal(sparcl_data_read(&data, NULL, NULL, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_read(NULL, f->path, NULL, &f->error), SPARCL_E_ARG);
}

static void text_has_its_own_labels(void **state) {
    fixture *f = *state;
    const sparcl_data_desc desc = {.labels = "y.npy"};
    write_text(f->path, "1 1:1\n");
    must_refuse(f, f->path, &desc, ": ", "contains its own labels");
}

static void a_long_path_keeps_its_end_in_the_message(void **state) {
    fixture *f = *state;
    char path[700];
    snprintf(path, sizeof path, "/tmp/%0500d/../%s", 0, strrchr(f->path, '/') + 1);
    sparcl_data *data = NULL;
    assert_int_equal(sparcl_data_read(&data, path, NULL, &f->error), SPARCL_E_IO);
    assert_memory_equal(f->error.message, "...0000", 7);
    assert_non_null(strstr(f->error.message, "0/../file: cannot be opened"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(unsorted_and_duplicate_indices_are_refused_under_strict_at_the_first_entry),
        TEST(every_broken_text_is_refused_at_its_place),
        TEST(a_nul_byte_is_refused_wherever_it_stands),
        TEST(random_bytes_are_refused),
        TEST(an_index_beyond_the_width_is_refused_unless_widened),
        TEST(the_first_error_is_reported_with_any_number_of_threads),
        TEST(a_file_that_cannot_be_read_is_an_io_error),
        TEST(a_wrong_description_is_an_argument_error),
        TEST(text_has_its_own_labels),
        TEST(a_long_path_keeps_its_end_in_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
