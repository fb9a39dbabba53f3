/* test_csv_columns.c: descriptions of the columns of CSV files: as text, and broken ones. */
#include "data_test.h"

#include "base/macros.h"

#define CSV .format = SPARCL_DATA_CSV

/* As a model has it. */
static void a_description_may_be_text(void **state) {
    fixture *const f = *state;
    write_text(f->path, "y,color,size\n1,red,2\n0,blue,3\n");
    write_text(f->other, "y,label\ncolor,dictionary\nsize,numeric\n");
    sparcl_data *const train =
        must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other});
    const sparcl_data_desc desc = {.csv_description = sparcl_data_csv_columns(train), .columns = 3};
    assert_string_equal(desc.csv_description, "y,label\ncolor,dictionary,red,blue\nsize,numeric\n");
    write_text(f->path, "note,size,color\nx,4,blue\ny,5,green\n");
    sparcl_data *const data = must_read(f, f->path, &desc);
    const float *const values = sparcl_data_values(data);
    assert_int_equal(sparcl_data_get_info(data)->entries, 3);
    assert_int_equal(sparcl_data_get_info(data)->columns, 3);
    assert_int_equal(sparcl_data_get_info(data)->other_columns, 1);
    assert_true(values[0] == 1 && values[1] == 4 && values[2] == 5);
    write_text(f->path, "note,size\nx,4\n");
    must_refuse(f, f->path, &desc, ":1:1: expected the column \"color\", as the ",
                "training data has it, found none; correct its name in the heading, or add it");
    write_text(f->path, "Color,size\nred,4\n");
    must_refuse(f, f->path, &desc, ":1:1: ", "did you mean \"Color\"? If so, correct its name");
    write_text(f->path, "color,size\nred,4\nred,green\n");
    must_refuse(f, f->path, &desc, ":3:5: ", "expected a number");
    write_text(f->path, "1 1:2\n");
    sparcl_data_free(must_read(f, f->path, &desc));
    sparcl_data_free(data);
    sparcl_data_free(train);
    write_text(f->path, "y\n1\n");
    const sparcl_data_desc broken = {CSV, .csv_description = "y,colour\n"};
    sparcl_data *none = NULL;
    assert_int_equal(sparcl_data_read(&none, f->path, &broken, &f->error), SPARCL_E_FORMAT);
    assert_non_null(
        strstr(f->error.message, "the columns of the training data:1:3: expected label, weight"));
}

static void every_broken_description_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
        bool other; /* the place is in the description */
    } cases[] = {
        {"", ":1:1: ", "expected lines NAME,KIND, found none", true},
        {"y,label\na\n", ":2:1: ", "a kind after the name", true},
        {"y,label\na,number\n", ":2:3: ", "label, weight, skip, numeric", true},
        {"y,label\na,hashed,1\n", ":2:10: ", "the end of the line, found \"1\"", true},
        {"y,label\na,numeric,1\n", ":2:11: ", "a scale after the mean", true},
        {"y,label\na,log,x,1\n", ":2:7: ", "a mean, a finite number, found \"x\"", true},
        {"y,label\na,log,1,0\n", ":2:9: ", "a scale, a number above 0, found \"0\"", true},
        {"y,label\na,numeric,1e39,1\n", ":2:11: ", "a mean, a finite number", true},
        {"y,label\na,numeric,0,1,2\n", ":2:15: ", "the end of the line after the scale", true},
        {"y,label\na,label\n", ":2:3: ", "expected one label, found another in line 1", true},
        {"y,label\ny,skip\n", ":2:1: ", "every column once", true},
        {"*,skip\n*,skip\n", ":2:1: ", "every column once", true},
        {"*,label\n", ":1:3: ", "for all other columns", true},
        {"y,label\na,auto\n", ":2:3: ", "write *,auto for all columns that have no line", true},
        {"*,dictionary,a\n", ":1:3: ", "for all other columns", true},
        {"a,buckets\n", ":1:3: ", "expected bounds of buckets", true},
        {"a,buckets,2,x\n", ":1:13: ", "a bound, a finite number, found \"x\"", true},
        {"a,buckets,2,2\n", ":1:13: ", "a bound above the one before it", true},
        {"a,dictionary,p,p\n", ":1:16: ", "a value that is not there before", true},
        {"a,dictionary,p,\n", ":1:16: ", "an empty field is a missing value", true},
        {"a,\"skip\n", ":1:3: ", "a quote that closes", true},
        {"y,label\n", ":1:3: ", "a column that the description has, found the column \"a\"", false},
        {"y,label\n*,skip\nb,hashed\n", ":1:1: ", "expected the column \"b\", which", false},
        {"y,weight\na,label\n", ":2:1: ", "a weight of at least 0", false},
        {"y,label,0,1\na,skip\n", ":2:1: ", "a label that the description has", false}};
    write_text(f->path, "y,a\n-1,2\n");
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        const char *const path = cases[i].other ? f->other : f->path;
        char expected[256];
        sparcl_data *data = NULL;
        write_text(f->other, cases[i].text);
        const sparcl_data_desc desc = {CSV, .csv_columns = f->other};
        snprintf(expected, sizeof expected, "%s%s", path, cases[i].place);
        assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
        if (strncmp(f->error.message, expected, strlen(expected)) != 0 ||
            !strstr(f->error.message, cases[i].words))
            fail_msg("expected %s %s: %s", expected, cases[i].words, f->error.message);
    }
    sparcl_data *data = NULL;
    const sparcl_data_desc none = {CSV, .csv_columns = "/nonexistent"};
    assert_int_equal(sparcl_data_read(&data, f->path, &none, &f->error), SPARCL_E_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(a_description_may_be_text),
                                       TEST(every_broken_description_is_refused_at_its_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
