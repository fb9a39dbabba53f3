/* test_csv_label.c: which column of a CSV file is the label, and which are no features. */
#include "data_test.h"

#include "base/macros.h"
#include "sparcl/data.h"

/* The description of the columns of this text. */
static void check_columns(fixture *f, const char *text, const char *label, const char *columns) {
    const sparcl_data_desc desc = {.csv_label = label};
    write_text(f->path, text);
    sparcl_data *const data = must_read(f, f->path, &desc);
    assert_string_equal(sparcl_data_get_info(data)->format, "csv");
    assert_string_equal(sparcl_data_csv_columns(data), columns);
    sparcl_data_free(data);
}

static void a_label_is_named_by_its_name_or_number(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *label, *columns;
    } cases[] = {
        {"a,b,y\n1,2,3\n", "b", "a,numeric\nb,label\ny,numeric\n"},
        {"a,b,y\n1,2,3\n", "1", "a,label\nb,numeric\ny,numeric\n"},
        {"1,2,3\n4,5,6\n", "3", "1,numeric\n2,numeric\n3,label\n"},
        {"label,3,2\n1,5,6\n0,8,9\n", "2", "label,numeric\n3,numeric\n2,label\n"}, /* a name */
        {"label,3,2\n1,5,6\n0,8,9\n", "1", "label,label\n3,numeric\n2,numeric\n"},
        {"\xc3\xa9;\"b;\"\"c\"\"\"\n1;2\n", "b;\"c\"", "\xc3\xa9,numeric\n\"b;\"\"c\"\"\",label\n"},
        {"\xc3\xa9;b\n1;2\n", "\xc3\xa9", "\xc3\xa9,label\nb,numeric\n"},
        {",b,y\n1,2,3\n", "Unnamed: 0", "Unnamed: 0,label\nb,numeric\ny,numeric\n"},
        {"b,Click\n2,0\n", NULL, "b,numeric\nClick,label\n"},
        {"b,CLASS,clicked\n2,0,1\n", NULL, "b,numeric\nCLASS,numeric\nclicked,label\n"},
        {"is_click,b,class,y\n2,0,1,5\n", NULL,
         "is_click,numeric\nb,numeric\nclass,numeric\ny,label\n"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++)
        check_columns(f, cases[i].text, cases[i].label, cases[i].columns);
}

static void names_of_labels_are_counted(void **state) {
    fixture *f = *state;
    write_text(f->path, "b,Click,y\n2,0,1\n");
    for (int given = 0; given < 2; given++) {
        const sparcl_data_desc desc = {.csv_label = given ? "y" : NULL};
        sparcl_data *const data = must_read(f, f->path, &desc);
        assert_int_equal(sparcl_data_get_info(data)->label_names, given ? 0 : 2);
        assert_int_equal(sparcl_data_get_info(data)->label_guessed, 0);
        sparcl_data_free(data);
    }
    write_text(f->path, "b,a\n2,0\n");
    for (int given = 0; given < 3; given++) {
        const sparcl_data_desc desc = {.csv_label = given == 1 ? "1" : NULL,
                                       .csv_columns = given == 2 ? f->other : NULL};
        sparcl_data *const data = must_read(f, f->path, &desc);
        assert_int_equal(sparcl_data_get_info(data)->label_guessed, given == 0);
        assert_int_equal(sparcl_data_save_columns(data, f->other, &f->error), SPARCL_OK);
        sparcl_data_free(data);
    }
}

static void a_label_that_is_not_there_is_refused(void **state) {
    fixture *f = *state;
    const struct {
        const char *label, *words;
    } cases[] = {
        {"clik", "did you mean \"click\"? Name one of the 3 columns: age, click, \xc3\xa9"},
        {"AGE", "did you mean \"age\"?"},
        {"4", "or number; name one of the 3 columns"},
        {"0", "expected the column \"0\" for the label"},
        {"99999999999999999999999", "expected the column \"99999999999999999999999\""},
        {"-1", "expected the column \"-1\""},
        {"x\x1b\n", "expected the column \"x\\x1b\\n\""},
    };
    sparcl_data *data;
    write_text(f->path, "age,click,\xc3\xa9\n20,1,3\n");
    for (size_t i = 0; i < SPC_COUNT(cases); i++)
        must_refuse(f, f->path, &(sparcl_data_desc){.csv_label = cases[i].label},
                    ":1:1: ", cases[i].words);
    const sparcl_data_desc empty = {.csv_label = ""};
    assert_int_equal(sparcl_data_read(&data, f->path, &empty, &f->error), SPARCL_E_ARG);
    must_refuse(f, f->path, &(sparcl_data_desc){.labels = "click"},
                ":1:1: ", "found no file click, but a column of this name; use --label click");
    write_text(f->path, "1 2:1\n");
    must_refuse(f, f->path, &(sparcl_data_desc){.csv_label = "1"}, ": ", "expected CSV");
    char *const wide = malloc(64 * 5000);
    size_t used = 0;
    assert_non_null(wide);
    for (int i = 0; i < 5000; i++)
        used += (size_t)sprintf(wide + used, "%sa_column_with_the_number_%d", i ? "," : "", i);
    strcpy(wide + used, "\n");
    write_text(f->path, wide);
    must_refuse(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_CSV, .csv_label = "y"},
                ":1:1: ", " more");
    free(wide);
}

static void a_description_and_a_label_must_agree(void **state) {
    fixture *f = *state;
    const struct {
        const char *columns, *label, *place; /* NULL: read */
    } cases[] = {{"a,numeric\ny,label\n", "y", NULL},
                 {"a,numeric\ny,label\n", "2", NULL},
                 {"a,numeric\n", "y", NULL},
                 {"*,numeric\n", "y", NULL},
                 {"a,numeric\ny,label\n", "a", ":2:1: "},
                 {"a,skip\ny,label\n", "1", ":2:1: "},
                 {"a,numeric\ny,skip\n", "y", ":2:1: "},
                 {"y,label\n*,numeric\n", "a", ":1:1: "},
                 {"y,label\n*,numeric\n", "1", ":1:1: "}};
    write_text(f->path, "a,y\n1,0\n2,1\n");
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        const sparcl_data_desc desc = {
            .format = SPARCL_DATA_CSV, .csv_columns = f->other, .csv_label = cases[i].label};
        sparcl_data *data = NULL;
        write_text(f->other, cases[i].columns);
        const sparcl_status status = sparcl_data_read(&data, f->path, &desc, &f->error);
        assert_int_equal(status, cases[i].place ? SPARCL_E_FORMAT : SPARCL_OK);
        if (!data) {
            char expected[512];
            snprintf(expected, sizeof expected, "%s%sexpected the label %s, as given by --label",
                     f->other, cases[i].place, cases[i].label);
            assert_int_equal(strncmp(f->error.message, expected, strlen(expected)), 0);
            continue;
        }
        assert_true(sparcl_data_labels(data)[1] == 1);
        sparcl_data_free(data);
    }
    write_text(f->path, "a\n1\n"); /* for a prediction */
    write_text(f->other, "a,numeric\ny,label\n");
    sparcl_data_free(must_read(
        f, f->path,
        &(sparcl_data_desc){.format = SPARCL_DATA_CSV, .csv_columns = f->other, .csv_label = "y"}));
}

static void a_stream_has_the_label_that_is_named(void **state) {
    fixture *f = *state;
    write_text(f->path, "a,b\n1,5\n0,6\n");
    char label[] = "b";
    const sparcl_data_desc desc = {.csv_label = label, .stream = 1};
    sparcl_data *const data = must_read(f, f->path, &desc);
    label[0] = 'x';
    sparcl_row_reader *reader = NULL;
    int32_t indices[2];
    float values[2];
    assert_true(sparcl_data_labels(data)[0] == 5);
    assert_int_equal(sparcl_row_reader_open(&reader, data, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_row_reader_read(reader, 0, 2, indices, values, NULL, &f->error),
                     SPARCL_OK);
    assert_true(indices[0] == 0 && values[0] == 1);
    sparcl_row_reader_close(reader);
    sparcl_data_free(data);
}

/* Rows 0, 1, ... of a table with this heading; each column of `kinds` in a row is: u counts up from
 * -3, U from 2^53 + 1, b a large number that differs, r one of 5 large numbers, m counts up but for
 * row 1, s the square, q in quotes and with zeros before it. */
static void write_table(const char *path, const char *heading, const char *kinds, int rows) {
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(heading, file);
    for (int i = 0; i < rows; i++)
        for (const char *kind = kinds; *kind; kind++) {
            if (kind > kinds) fputc(',', file);
            switch (*kind) {
            case 'u':
                fprintf(file, "%d", i - 3);
                break;
            case 'U':
                fprintf(file, "%" PRId64, ((int64_t)1 << 53) + 1 + i);
                break;
            case 'b':
                fprintf(file, "99999999999999999999%d", i * 7919 % 10007);
                break;
            case 'r':
                fprintf(file, "1234567890123456789%d", i % 5);
                break;
            case 'm':
                if (i != 1) fprintf(file, "%d", i);
                break;
            case 's':
                fprintf(file, "%d", i * i);
                break;
            case 'q':
                fprintf(file, "\" 00%d \"", i + 5);
                break;
            default:
                fprintf(file, "%d", i % 2);
            }
            if (!kind[1]) fputc('\n', file);
        }
    fclose(file);
}

static void ids_of_rows_are_no_features(void **state) {
    fixture *f = *state;
    const struct {
        const char *heading, *kinds;
        int rows;
        const char *columns;
    } cases[] = {
        {"y,a\n", "yu", 21, "y,label\na,skip\n"},
        {"y,a\n", "yu", 20, "y,label\na,numeric\n"},
        {"y,a,b\n", "yUb", 21, "y,label\na,skip\nb,skip\n"},
        {"y,a,b\n", "yUb", 3, "y,label\na,skip\nb,skip\n"},
        {"y,a,b\n", "yrs", 40, "y,label\na,hashed\nb,numeric\n"},
        {"y,a,b\n", "ymq", 40, "y,label\na,numeric\nb,skip\n"},
        {"y,Id,a\n", "uys", 40, "y,label\nId,numeric\na,numeric\n"}, /* the label counts up */
        {"", "yu", 22, "1,label\n2,skip\n"},
        {",a,y\n", "usy", 30, "Unnamed: 0,skip\na,numeric\ny,label\n"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_table(f->path, cases[i].heading, cases[i].kinds, cases[i].rows);
        sparcl_data *const data = must_read(f, f->path, NULL);
        assert_string_equal(sparcl_data_csv_columns(data), cases[i].columns);
        assert_int_equal(sparcl_data_get_info(data)->rows, cases[i].rows);
        sparcl_data_free(data);
    }
    write_text(f->other, "y,label\n*,numeric\n");
    write_table(f->path, "y,a\n", "yu", 40);
    sparcl_data *const kept = must_read(f, f->path, &(sparcl_data_desc){.csv_columns = f->other});
    assert_int_equal(sparcl_data_get_info(kept)->columns, 1);
    sparcl_data_free(kept);
}

/* As pandas writes a table with its index. */
static void a_heading_may_begin_with_an_empty_name(void **state) {
    fixture *f = *state;
    check_columns(f, ",age,income\n0,20,1\n1,30,0\n", NULL,
                  "Unnamed: 0,skip\nage,label\nincome,numeric\n");
    check_columns(f, ",Unnamed: 0,y\n0,0,20\n", NULL,
                  "Unnamed: 0.1,skip\nUnnamed: 0,numeric\ny,label\n");
    check_columns(f, ",age\n0,20\n", NULL, "Unnamed: 0,skip\nage,label\n");
    check_columns(f, "\ty\tname\nr1\t1\tAnn\n", NULL, "Unnamed: 0,skip\ny,label\nname,hashed\n");
    check_columns(f, ",user,rating\n0,3,5\n", "rating",
                  "Unnamed: 0,skip\nuser,numeric\nrating,label\n");
    check_columns(f, ",0,1,2\r\n0,1.5,2.5,1\r\n1,3.5,4,0\r\n", "2",
                  "Unnamed: 0,skip\n0,numeric\n1,numeric\n2,label\n");
    check_columns(f, "0,0,1\n1,1,0\n", NULL, "1,label\n2,numeric\n3,numeric\n");
    check_columns(f, "1,0,1\n,1,0\n1,3,4\n", "3", "1,numeric\n2,numeric\n3,label\n");
}

static void no_memory_for_ids_is_reported(void **state) {
    fixture *f = *state;
    write_table(f->path, "y,a,b,c\n", "yurb", 30);
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.hash_bits = 2, .threads = 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_label_is_named_by_its_name_or_number),
        TEST(names_of_labels_are_counted),
        TEST(a_label_that_is_not_there_is_refused),
        TEST(a_description_and_a_label_must_agree),
        TEST(ids_of_rows_are_no_features),
        TEST(a_heading_may_begin_with_an_empty_name),
        TEST(no_memory_for_ids_is_reported),
        TEST(a_stream_has_the_label_that_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
