/* test_row_tags.c: texts that name the rows of a data set. */
#include "data_test.h"

#include "base/macros.h"
#include "sparcl/data.h"

static void check_tags(fixture *f, const char *text, const char *tag, const char *const *expected) {
    const sparcl_data_desc desc = {.row_tag = tag};
    int64_t rows = 0;
    write_text(f->path, text);
    sparcl_data *const data = must_read(f, f->path, &desc);
    for (; expected[rows]; rows++)
        assert_string_equal(sparcl_data_row_tag(data, rows), expected[rows]);
    assert_int_equal(sparcl_data_get_info(data)->rows, rows);
    assert_null(sparcl_data_row_tag(data, rows));
    assert_null(sparcl_data_row_tag(data, -1));
    sparcl_data_free(data);
}

static void a_column_of_csv_has_them(void **state) {
    fixture *f = *state;
    const char text[] = "id,city,y\n7,Rome,1\n8,\"a \"\"b\"\", c\",0\n9,,1\n";
    check_tags(f, text, "id", (const char *[]){"7", "8", "9", NULL});
    check_tags(f, text, "2", (const char *[]){"Rome", "a \"b\", c", "", NULL});
    check_tags(f, text, "y", (const char *[]){"1", "0", "1", NULL});
    check_tags(f, "1,x,2\n\n0,z,3", "2", (const char *[]){"x", "z", NULL});
}

static void vowpal_wabbit_text_has_them(void **state) {
    check_tags(*state, "1 'first|f a\n1 2 second|f a\n1 |f a\n0 1 'a'b |f a\n", "tag",
               (const char *[]){"first", "second", "", "a'b", NULL});
    check_tags(*state, "'third |f a\n", "tag", (const char *[]){"third", NULL});
}

static void they_are_kept_only_where_they_are_wanted(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 'first |f a\n");
    sparcl_data *const data = must_read(f, f->path, NULL);
    assert_null(sparcl_data_row_tag(data, 0));
    sparcl_data_free(data);
}

static void each_part_has_those_of_its_rows(void **state) {
    fixture *f = *state;
    enum { ROWS = 60000 };
    const sparcl_data_desc desc = {.row_tag = "id", .format = SPARCL_DATA_CSV};
    FILE *const file = fopen(f->path, "w");
    assert_non_null(file);
    fputs("y,id,x\n", file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d,row %d,%d\n", i % 2, i, i % 7);
    assert_int_equal(fclose(file), 0);
    sparcl_data_parts *parts = NULL;
    sparcl_data *part = NULL;
    int count = 0, row = 0;
    assert_int_equal(sparcl_data_parts_open(&parts, f->path, &desc, 1, &f->error), SPARCL_OK);
    while (sparcl_data_parts_next(parts, &part, &f->error) == SPARCL_OK && part) {
        for (int64_t i = 0; i < sparcl_data_get_info(part)->rows; i++) {
            char expected[32];
            snprintf(expected, sizeof expected, "row %d", row++);
            assert_string_equal(sparcl_data_row_tag(part, i), expected);
        }
        sparcl_data_free(part);
        count++;
    }
    sparcl_data_parts_close(parts);
    assert_int_equal(row, ROWS);
    assert_true(count > 1);
}

static void others_are_refused(void **state) {
    fixture *f = *state;
    const sparcl_data_desc tags = {.row_tag = "city"}, streamed = {.row_tag = "city", .stream = 1},
                           empty = {.row_tag = ""};
    sparcl_data *data = NULL;
    write_text(f->path, "1 1:1\n");
    must_refuse(f, f->path, &tags, ": ", "CSV or Vowpal Wabbit text, for the tags of rows");
    write_text(f->path, "id,citty,y\n1,a,1\n");
    must_refuse(f, f->path, &tags, ":1:1: ",
                "\"city\" for the tags of rows, found none of this name or number; did you mean "
                "\"citty\"?");
    assert_int_equal(sparcl_data_read(&data, f->path, &streamed, &f->error), SPARCL_E_ARG);
    assert_non_null(strstr(f->error.message, "row_tag is set with stream"));
    assert_int_equal(sparcl_data_read(&data, f->path, &empty, &f->error), SPARCL_E_ARG);
    assert_non_null(strstr(f->error.message, "row_tag is empty"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_column_of_csv_has_them),
        TEST(vowpal_wabbit_text_has_them),
        TEST(they_are_kept_only_where_they_are_wanted),
        TEST(each_part_has_those_of_its_rows),
        TEST(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
