/* test_csv_classes.c: labels of CSV that are words, and delimiters. */
#include "data_test.h"

#include "base/macros.h"
#include "sparcl/data.h"

static void check_labels(const sparcl_data *data, const char *columns, const double *labels) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    assert_string_equal(sparcl_data_csv_columns(data), columns);
    for (int64_t i = 0; i < info->rows; i++)
        assert_true(sparcl_data_labels(data)[i] == labels[i]);
}

static void words_are_numbered_in_their_order(void **state) {
    fixture *f = *state;
    write_text(f->path, "x,y\n1,spam\n2,\"ham, \"\"x\"\"\"\n3,\n4,spam\n5,ham\n6,\xc3\xa9\n");
    must_refuse(f, f->path, NULL, ":4:1: ", "expected a label in the column y, as other rows have");
    write_text(f->path, "x,y\n1,spam\n2,\"ham, \"\"x\"\"\"\n4,spam\n5,ham\n6,\xc3\xa9\n");
    sparcl_data *const data = must_read(f, f->path, NULL);
    check_labels(data, "x,numeric\ny,label,ham,\"ham, \"\"x\"\"\",spam,\xc3\xa9\n",
                 (double[]){2, 1, 2, 0, 3});
    assert_int_equal(sparcl_data_get_info(data)->label_words, 4);
    assert_string_equal(sparcl_data_label_name(data, 1), "ham, \"x\"");
    assert_string_equal(sparcl_data_label_name(data, 3), "\xc3\xa9");
    assert_null(sparcl_data_label_name(data, 4));
    assert_null(sparcl_data_label_name(data, -1));
    assert_null(sparcl_data_label_name(data, 0.5));
    assert_null(sparcl_data_label_name(data, (double)NAN));
    sparcl_data_free(data);
}

static void numbers_stay_numbers(void **state) {
    fixture *f = *state;
    write_text(f->path, "x,y\n1,3\n2,5\n");
    sparcl_data *const data = must_read(f, f->path, NULL);
    check_labels(data, "x,numeric\ny,label\n", (double[]){3, 5});
    assert_int_equal(sparcl_data_get_info(data)->label_words, 0);
    assert_null(sparcl_data_label_name(data, 3));
    sparcl_data_free(data);
    write_text(f->path, "x,y\n1,3\n2,5\n2,6a\n");
    sparcl_data *const words = must_read(f, f->path, NULL);
    check_labels(words, "x,numeric\ny,label,3,5,6a\n", (double[]){0, 1, 2});
    sparcl_data_free(words);
}

static void a_description_says_the_numbers(void **state) {
    fixture *f = *state;
    const char of_model[] = "x,numeric\ny,label,spam,ham\n";
    const sparcl_data_desc desc = {.csv_description = of_model},
                           model = {.csv_description = of_model, .columns = 1};
    write_text(f->path, "x,y\n1,spam\n2,ham\n");
    sparcl_data *data = must_read(f, f->path, &desc);
    check_labels(data, of_model, (double[]){0, 1});
    assert_int_equal(sparcl_data_get_info(data)->label_words, 2);
    assert_string_equal(sparcl_data_label_name(data, 1), "ham");
    sparcl_data_free(data);
    write_text(f->path, "x,y\n1,spam\n2,eggs\n");
    must_refuse(f, f->path, &desc, ":3:3: ", "expected a label that the description has");
    data = must_read(f, f->path, &model); /* no label that it knows */
    check_labels(data, of_model, (double[]){0, 2});
    sparcl_data_free(data);
}

/* Blocks are read by several threads. */
static void many_rows_have_the_same_numbers(void **state) {
    fixture *f = *state;
    enum { ROWS = 90000 };
    FILE *const file = fopen(f->path, "w");
    assert_non_null(file);
    fputs("x,y\n", file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d,class %c%d\n", i % 5, 'z' - i / 10000, i % 3);
    assert_int_equal(fclose(file), 0);
    for (int threads = 1; threads < 5; threads += 3) {
        const sparcl_data_desc desc = {.threads = threads};
        sparcl_data *const data = must_read(f, f->path, &desc);
        assert_int_equal(sparcl_data_get_info(data)->label_words, 27);
        for (int i = 0; i < ROWS; i++)
            assert_true(sparcl_data_labels(data)[i] == 24 - 3 * (i / 10000) + i % 3);
        sparcl_data_free(data);
    }
}

static void words_after_the_first_numbers_are_refused(void **state) {
    fixture *f = *state;
    FILE *const file = fopen(f->path, "w");
    assert_non_null(file);
    fputs("x,y\n", file);
    for (int i = 0; i < 100000; i++)
        fputs("1,0\n2,1\n", file);
    fputs("1,spam\n", file);
    assert_int_equal(fclose(file), 0);
    must_refuse(f, f->path, NULL, ":200002:3: ", "expected a label, a finite number");
}

static void parts_need_a_description(void **state) {
    fixture *f = *state;
    const sparcl_data_desc desc = {.format = SPARCL_DATA_CSV};
    sparcl_data_parts *parts = NULL;
    sparcl_data *part = NULL;
    write_text(f->path, "x,y\n1,spam\n2,ham\n");
    assert_int_equal(sparcl_data_parts_open(&parts, f->path, &desc, 1, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_data_parts_next(parts, &part, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "the words of dictionaries and labels"));
    sparcl_data_parts_close(parts);
}

static void a_delimiter_divides_two_records_alike(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *columns;
    } cases[] = {
        {"1\tone, two, three\n0\tfour\n", "1,label\n2,hashed\n"},
        {"y;a,b\n1;x\n0;x\n", "y,label\n\"a,b\",hashed\n"},
        {"y|a\n1|0\n", "y,label\na,numeric\n"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        sparcl_data *const data =
            must_read(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_CSV});
        assert_string_equal(sparcl_data_csv_columns(data), cases[i].columns);
        sparcl_data_free(data);
    }
    write_text(f->path, "a,b;c,d\n1,2\n"); /* the most frequent one, whose record is ragged */
    must_refuse(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_CSV},
                ":2:", "expected 3 fields");
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    write_text(f->path, "x,y\n1,spam\n2,ham\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.row_tag = "x", .threads = 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(words_are_numbered_in_their_order),
        TEST(numbers_stay_numbers),
        TEST(a_description_says_the_numbers),
        TEST(many_rows_have_the_same_numbers),
        TEST(words_after_the_first_numbers_are_refused),
        TEST(parts_need_a_description),
        TEST(a_delimiter_divides_two_records_alike),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
