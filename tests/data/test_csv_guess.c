/* test_csv_guess.c: columns of CSV that nothing describes: numbers with units, marks and other
 * values beside them, and what is said of them. */
#include "data_test.h"

#include <math.h>
#include <string.h>

#include "base/macros.h"

#define CSV .format = SPARCL_DATA_CSV

/* Read this text, and check the description of its columns. */
static sparcl_data *read_as(fixture *f, const char *text, const sparcl_data_desc *desc,
                            const char *columns) {
    write_text(f->path, text);
    sparcl_data *const data = must_read(f, f->path, desc);
    assert_string_equal(sparcl_data_csv_columns(data), columns);
    return data;
}

static void must_note(const sparcl_data *data, const char *words) {
    const char *const notes = sparcl_data_csv_notes(data);
    if (!notes || !strstr(notes, words)) fail_msg("no \"%s\" in \"%s\"", words, notes);
}

/* The first numbers of a column with one feature. */
static void numbers_are_read_as_they_are_written(void **state) {
    fixture *f = *state;
    const struct {
        const char *cells[3], *form;
        char decimal;
        float values[3];
    } cases[] = {
        {{"\"$1,200.50\"", "$3", "-$.5"}, ":point:unit=$", 0, {1200.5f, 3, -.5f}},
        {{"12 EUR", "7 EUR", "1.5 EUR"}, ":point:unit=EUR", 0, {12, 7, 1.5f}},
        {{"EUR 12", "EUR -7", "EUR 1e2"}, ":point:unit=EUR", 0, {12, -7, 100}},
        {{"5 %", "6.5%", " 7 % "}, ":point:unit=%", 0, {5, 6.5f, 7}},
        {{"\"(1,948.25)\"", "3.50", "7"}, ":point", 0, {-1948.25f, 3.5f, 7}},
        {{"($5)", "$2.50", " ( $7 ) "}, ":point:unit=$", 0, {-5, 2.5f, -7}},
        {{"(12)", "3", "4"}, ":point", 0, {-12, 3, 4}},
        {{"36 months", "60 months", "6 months"}, ":point:unit=months", 0, {36, 60, 6}},
        {{"\"1,200\"", "\"12,345,678\"", "5"}, ":point", 0, {1200, 12345678, 5}},
        {{"\"1,200\"", "\"2,5\"", "5"}, ":comma", 0, {1.2f, 2.5f, 5}},
        {{"\"1,200\"", "\"2,000\"", "5"}, ":comma", ',', {1.2f, 2, 5}},
        {{"\"1.200,5\"", "\"0,25\"", "5"}, ":comma", 0, {1200.5f, .25f, 5}},
        {{"\"1,5E-1\"", "\"0,25\"", "5"}, ":comma", 0, {.15f, .25f, 5}},
        {{"1.200", "2.000", "5"}, "", 0, {1.2f, 2, 5}},
        {{"1.200", "2.000", "5"}, ":comma", ',', {1200, 2000, 5}},
        {{"1e3", "-2.5", "+4"}, "", 0, {1000, -2.5f, 4}},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        char text[160], columns[80];
        const char *const *const c = cases[i].cells;
        snprintf(text, sizeof text, "y,a\n1,%s\n0,%s\n1,%s\n", c[0], c[1], c[2]);
        snprintf(columns, sizeof columns, "y,label\na,numeric%s\n", cases[i].form);
        const sparcl_data_desc desc = {CSV, .csv_decimal = cases[i].decimal};
        sparcl_data *data = read_as(f, text, &desc, columns);
        for (int k = 0; k < 3; k++)
            if (sparcl_data_values(data)[k] != cases[i].values[k])
                fail_msg("%s is %g", c[k], (double)sparcl_data_values(data)[k]);
        assert_int_equal(sparcl_data_save_columns(data, f->other, &f->error), SPARCL_OK);
        sparcl_data *const again =
            must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other});
        assert_memory_equal(sparcl_data_values(again), sparcl_data_values(data), 3 * sizeof(float));
        sparcl_data_free(again);
        sparcl_data_free(data);
    }
}

static void what_looks_like_a_number_and_is_none_stays_a_word(void **state) {
    fixture *f = *state;
    static const char *const cells[][3] = {{"5 EUR", "5 USD", "5 EUR"},
                                           {"5", "5 %", "6"},
                                           {"#12", "#13", "#14"},
                                           {"A12", "A13", "A14"},
                                           {"1.2.3", "1.2", "1.3"},
                                           {"12:30", "12:31", "12:32"},
                                           {"1-2", "3-4", "5-6"},
                                           {"12a", "13a", "14a"},
                                           {"(-5)", "(+6)", "(7"},
                                           {"\"01,200\"", "\"1,20\"", "\"1,2,3\""},
                                           {"\"1,2345\"", "\"1,234.5\"", "7"}};
    for (size_t i = 0; i < SPC_COUNT(cells); i++) {
        char text[160];
        snprintf(text, sizeof text, "y,a\n1,%s\n0,%s\n1,%s\n", cells[i][0], cells[i][1],
                 cells[i][2]);
        sparcl_data_free(read_as(f, text, &(sparcl_data_desc){CSV}, "y,label\na,hashed\n"));
    }
}

/* "1,200" is 1.2 where another column has a decimal comma, or the delimiter is a semicolon. */
static void marks_with_two_readings_are_those_of_the_file(void **state) {
    fixture *f = *state;
    sparcl_data *data = read_as(f, "y;a;b\n1;1,200;0,5\n0;3,400;7,25\n", &(sparcl_data_desc){CSV},
                                "y,label\na,numeric:comma\nb,numeric:comma\n");
    assert_true(sparcl_data_values(data)[0] == 1.2f);
    must_note(data, "a: \"1,200\" is read as 1.2 (--csv-decimal point: as 1200)\n");
    must_note(data, "b: \"0,5\" is read as 0.5\n");
    sparcl_data_free(data);
    data = read_as(f, "y;a;b\n1;1.200;0,5\n0;3.400;7,25\n", &(sparcl_data_desc){CSV},
                   "y,label\na,numeric:comma\nb,numeric:comma\n");
    assert_true(sparcl_data_values(data)[0] == 1200);
    must_note(data, "a: \"1.200\" is read as 1200 (--csv-decimal point: as 1.2)\n");
    sparcl_data_free(data);
    data = read_as(f, "y;a;b\n1;1,200;0.5\n0;3,400;7.25\n", &(sparcl_data_desc){CSV},
                   "y,label\na,numeric:point\nb,numeric\n");
    assert_true(sparcl_data_values(data)[0] == 1200);
    sparcl_data_free(data);
    data =
        read_as(f, "y;a\n0,5;1\n0,75;2\n", &(sparcl_data_desc){CSV}, "y,label:comma\na,numeric\n");
    assert_true(sparcl_data_labels(data)[1] == 0.75);
    sparcl_data_free(data);
}

/* 40 rows, of which the last `others` have this value in place of a number. */
static const char *with_others(char *text, size_t bytes, int others, const char *value) {
    int used = snprintf(text, bytes, "y,a\n");
    for (int i = 0; i < 40; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", 100 + i % 7);
        used += snprintf(text + used, bytes - (size_t)used, "%d,%s\n", i % 2,
                         i >= 40 - others ? value : number);
    }
    return text;
}

static void a_few_other_values_are_missing_ones(void **state) {
    fixture *f = *state;
    char text[1024];
    sparcl_data *data = read_as(f, with_others(text, sizeof text, 2, "x"), &(sparcl_data_desc){CSV},
                                "y,label\na,numeric:coerce\n");
    assert_int_equal(sparcl_data_get_info(data)->missing_values, 2);
    assert_string_equal(sparcl_data_csv_missing(data), "a,2\n");
    assert_string_equal(sparcl_data_csv_notes(data),
                        "a: 2 of the first 40 values are no numbers, the first \"x\" in line 40: "
                        "they are missing values (in a file of --csv-columns, with the line "
                        "*,auto, a,hashed makes all "
                        "values words)\n");
    assert_int_equal(sparcl_data_save_columns(data, f->other, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    write_text(f->path, "y,a\n0,later\n1,7\n");
    data = must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other});
    assert_int_equal(sparcl_data_get_info(data)->missing_values, 1);
    sparcl_data_free(data);
    data = read_as(f, with_others(text, sizeof text, 3, "x"), &(sparcl_data_desc){CSV},
                   "y,label\na,hashed\n");
    must_note(data, "a: 3 of the first 40 values are no numbers, the first \"x\" in line 39: all "
                    "are words (in a file of --csv-columns, with the line *,auto, a,numeric:coerce "
                    "makes them missing");
    sparcl_data_free(data);
    data = read_as(f, with_others(text, sizeof text, 2, "--"), &(sparcl_data_desc){CSV},
                   "y,label\na,numeric\n");
    assert_null(sparcl_data_csv_notes(data));
    sparcl_data_free(data);
    sparcl_data_free(read_as(f, with_others(text, sizeof text, 21, "x"), &(sparcl_data_desc){CSV},
                             "y,label\na,hashed\n")); /* words mostly */
}

static void ids_beyond_double_are_no_numbers(void **state) {
    fixture *f = *state;
    char text[1200] = "y,a\n";
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), 32, i == 39 ? "1,x\n" : "0,900719925474099%d\n", i % 10);
    sparcl_data_free(read_as(f, text, &(sparcl_data_desc){CSV}, "y,label\na,hashed\n"));
}

/* Where there are many different numbers: else all are words. */
static void one_word_among_numbers_is_a_missing_value(void **state) {
    static const char *const others[] = {"unknown", "other"};
    for (int words = 1; words <= 2; words++)
        for (int numbers = 10; numbers <= 40; numbers += 30) {
            char text[1600] = "a,y\n";
            for (int i = 0; i < 60; i++)
                if (i % 4 == 1)
                    snprintf(text + strlen(text), 24, "%s,%d\n", others[i % 8 == 1 ? 0 : words - 1],
                             i % 2);
                else
                    snprintf(text + strlen(text), 24, "%d.5,%d\n", i % numbers, i % 3 % 2);
            const bool is_number = words == 1 && numbers == 40;
            sparcl_data *const data =
                read_as(*state, text, &(sparcl_data_desc){CSV},
                        is_number ? "a,numeric:coerce\ny,label\n" : "a,hashed\ny,label\n");
            must_note(data, is_number ? "the first \"unknown\" in line 3: they are missing values"
                                      : "the first \"unknown\" in line 3: all are words");
            sparcl_data_free(data);
        }
}

static void labels_of_numbers_and_others_are_words_with_a_note(void **state) {
    fixture *f = *state;
    sparcl_data *const data = read_as(f, "y,a\n10,1\n20,2\nx,3\n10,4\n", &(sparcl_data_desc){CSV},
                                      "y,label,10,20,x\na,numeric\n");
    must_note(data, "y: 1 of the first 4 values is no number, \"x\" in line 4: all are words");
    sparcl_data_free(data);
}

static void a_few_words_among_labels_of_numbers_are_no_labels(void **state) {
    fixture *f = *state;
    char text[1024] = "a,y\n";
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), 16, i % 20 == 7 ? "%d,none yet\n" : "%d,%d.5\n", i % 5, i);
    write_text(f->path, text);
    must_refuse(f, f->path, NULL, ":9:1: ", "expected a label in the column y, as other rows have");
    sparcl_data *data = read_as(f, text, &(sparcl_data_desc){CSV, .labelled_only = 1},
                                "a,numeric\ny,label:coerce\n");
    assert_int_equal(sparcl_data_get_info(data)->rows, 38);
    assert_int_equal(sparcl_data_get_info(data)->unlabelled_rows, 2);
    assert_int_equal(sparcl_data_get_info(data)->unlabelled_line, 9);
    assert_int_equal(sparcl_data_get_info(data)->label_words, 0);
    assert_true(sparcl_data_labels(data)[7] == 8.5);
    must_note(data, "y: 2 of the first 40 values are no numbers, the first \"none yet\" in line 9: "
                    "they are missing labels (in a file of --csv-columns, with the line *,auto, "
                    "y,label,WORD,WORD,... "
                    "makes all values words)");
    sparcl_data_free(data);
}

static void predictions_need_no_labels_that_are_numbers(void **state) {
    fixture *f = *state;
    const sparcl_data_desc model = {CSV, .columns = 1, .csv_description = "a,numeric\ny,label\n"};
    sparcl_data_desc labelled = model;
    labelled.labelled_only = 1;
    write_text(f->path, "a,y\n1,2\n3,unknown\n5,inf\n");
    sparcl_data *const data = must_read(f, f->path, &model);
    assert_int_equal(sparcl_data_get_info(data)->rows, 3);
    assert_int_equal(sparcl_data_get_info(data)->unlabelled_rows, 2);
    assert_null(sparcl_data_labels(data));
    sparcl_data_free(data);
    must_refuse(f, f->path, &labelled, ":3:3: ", "as NAME,label:coerce, which makes them missing");
}

static void words_that_nearly_all_differ_have_a_note(void **state) {
    fixture *f = *state;
    char text[1024] = "y,name,other\n";
    for (int i = 0; i < 21; i++)
        snprintf(text + strlen(text), 32, "%d,n%d,%s\n", i % 2, i, i % 3 ? "a" : "b");
    sparcl_data *data =
        read_as(f, text, &(sparcl_data_desc){CSV}, "y,label\nname,hashed\nother,hashed\n");
    must_note(data, "name: the first 21 values are 21 different ones");
    must_note(data, "name,skip in a file of --csv-columns, with the line *,auto, leaves it out");
    sparcl_data_free(data);
    strcat(text, "1,n0,a\n");
    data = read_as(f, text, &(sparcl_data_desc){CSV}, "y,label\nname,hashed\nother,hashed\n");
    must_note(data, "name: the first 22 values are 21 different ones");
    sparcl_data_free(data);
    strcat(text, "1,n1,a\n");
    data = read_as(f, text, &(sparcl_data_desc){CSV}, "y,label\nname,hashed\nother,hashed\n");
    assert_null(sparcl_data_csv_notes(data));
    sparcl_data_free(data);
}

static void lines_that_are_no_utf8_are_counted(void **state) {
    fixture *f = *state;
    write_text(f->path, "y,n\n1,caf\xc3\xa9\n0,\xe2\x82\xac\n1,\xf0\x9f\x98\x80\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){CSV});
    assert_null(sparcl_data_csv_notes(data));
    sparcl_data_free(data);
    static const char *const bad[] = {"caf\xe9",          "\xc0\xaf", "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80", "\x80",     "\xe2\x82"};
    for (size_t i = 0; i < SPC_COUNT(bad); i++) {
        char text[96];
        snprintf(text, sizeof text, "y,n\n1,long enough\n0,%s\n1,b%s\n0,c\n", bad[i], bad[i]);
        write_text(f->path, text);
        data = must_read(f, f->path, &(sparcl_data_desc){CSV});
        must_note(data, "2 lines have bytes that are no UTF-8, the first is line 3: they are kept");
        sparcl_data_free(data);
    }
    write_text(f->path, "y,caf\xe9\n1,2\n0,3\n");
    data = must_read(f, f->path, &(sparcl_data_desc){CSV});
    must_note(data, "line 1 has bytes that are no UTF-8: they are kept; of Latin-1, iconv -f");
    sparcl_data_free(data);
}

/* In messages text is UTF-8, whatever the file has, and ends with a whole character. */
static void messages_have_characters_and_escaped_bytes(void **state) {
    fixture *f = *state;
    char text[320] = "y,\xc3\xa9\xe9\x01\n";
    for (int i = 0; i < 6; i++)
        snprintf(text + strlen(text), 24, "1,%d EUR\n", i);
    write_text(f->path, text);
    sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){CSV});
    must_note(data, "\xc3\xa9\\xe9\\x01: \"0 EUR\" is read as 0");
    sparcl_data_free(data);
    snprintf(text, sizeof text, "y,a\n1,2\n0,%039d\xc3\xa9\xfc\n", 0);
    write_text(f->path, text);
    write_text(f->other, "y,label\na,numeric\n");
    const sparcl_data_desc desc = {CSV, .csv_columns = f->other};
    must_refuse(f, f->path, &desc,
                ":3:3: ", "found \"000000000000000000000000000000000000000...\"");
    write_text(f->path, "y,a\n1,2\n0,\xc3\xa9\xfc\n");
    must_refuse(f, f->path, &desc, ":3:3: ", "found \"\xc3\xa9\\xfc\"; correct it");
}

static void comments_before_a_heading_are_skipped(void **state) {
    fixture *f = *state;
    sparcl_data *data =
        read_as(f, "# made by x, in May\n# again\n\ny,a\n1,2\n0,x\n", NULL, "y,label\na,hashed\n");
    must_note(data, "the first 3 lines are comments (#), which are skipped\n");
    must_note(data, "a: 1 of the first 2 values is no number, \"x\" in line 6");
    assert_int_equal(sparcl_data_get_info(data)->rows, 2);
    sparcl_data_free(data);
    data = read_as(f, "#\ny\ta\n1\t2\n0\t3\n", NULL, "y,label\na,numeric\n");
    must_note(data, "the first line is a comment (#), which is skipped\n");
    sparcl_data_free(data);
    data = read_as(f, "# of May\nwhen,y\nMay 1 10:20:30,1\nMay 2 10:20:31,0\n", NULL,
                   "when,hashed\ny,label\n"); /* times are no pairs */
    sparcl_data_free(data);
    data = read_as(f, "#y,a\n1,2\n0,3\n", NULL, "\"#y\",label\na,numeric\n"); /* a heading */
    assert_null(sparcl_data_csv_notes(data));
    sparcl_data_free(data);
    data = read_as(f, "#1,2\n#3,4\n", &(sparcl_data_desc){CSV},
                   "1,label,\"#1\",\"#3\"\n2,numeric\n"); /* rows */
    sparcl_data_free(data);
    static const char *const others[] = {"# a, b\n1 1:2\n", "# a, b\n1,2 1:3 2:4\n"};
    for (size_t i = 0; i < SPC_COUNT(others); i++) {
        write_text(f->path, others[i]);
        sparcl_data *const other = must_read(f, f->path, &(sparcl_data_desc){.multilabel = 1});
        assert_string_not_equal(sparcl_data_get_info(other)->format, "csv");
        sparcl_data_free(other);
    }
}

static void tables_of_one_column_are_refused(void **state) {
    fixture *f = *state;
    static const char *const texts[] = {"price\n1\n2\n", "review\ngood film\nbad film\n",
                                        "y a b\n1 2 3\n", "\"a\"\n\"x\"\n"};
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        write_text(f->path, texts[i]);
        must_refuse(f, f->path, NULL, ":1:1: ", "found one field in the first two rows");
        sparcl_data_free(must_read(f, f->path, &(sparcl_data_desc){CSV}));
    }
    write_text(f->path, "1\n2\n"); /* labels alone */
    sparcl_data_free(must_read(f, f->path, NULL));
}

static void a_first_line_whose_words_repeat_is_a_row(void **state) {
    fixture *f = *state;
    sparcl_data *data = read_as(f, "spam,win now\nham,see you\nspam,\"a \"\"b\"\"\"\n", NULL,
                                "1,label,ham,spam\n2,hashed\n");
    assert_int_equal(sparcl_data_get_info(data)->rows, 3);
    must_note(data, "the first line was taken for a row, as one of its words stands below");
    assert_int_equal(sparcl_data_save_columns(data, f->other, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    write_text(f->path, "ham,a\nspam,b\n"); /* with its description */
    data = must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other});
    assert_int_equal(sparcl_data_get_info(data)->rows, 2);
    sparcl_data_free(data);
    static const char *const headings[] = {
        "label,t\nspam,x y\nlabel,z\n",    /* a name of labels */
        "kind,t\nspam,x\nkind,t\nham,y\n", /* repeated as a whole */
        "kind,t\nspam,x\nham,kind\n",      /* in another column */
        "kind,t\nspam,1\nkind,2\n"};       /* over numbers */
    for (size_t i = 0; i < SPC_COUNT(headings); i++) {
        write_text(f->path, headings[i]);
        data = must_read(f, f->path, &(sparcl_data_desc){CSV});
        assert_int_equal(sparcl_data_get_info(data)->heading, 1);
        sparcl_data_free(data);
    }
    write_text(f->path, "spam,win now\nham,see you\nspam,a b\n");
    data = must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_heading = SPARCL_HEADING_YES});
    assert_int_equal(sparcl_data_get_info(data)->rows, 2);
    assert_null(sparcl_data_csv_notes(data));
    sparcl_data_free(data);
}

/* A model has no column for a dictionary in which training has found nothing. */
static void a_dictionary_may_have_found_no_word(void **state) {
    fixture *f = *state;
    write_text(f->path, "y,a,b\n1,2,\n0,3,\n");
    write_text(f->other, "y,label\na,numeric\nb,dictionary\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other});
    assert_int_equal(sparcl_data_get_info(data)->columns, 1);
    char description[80];
    snprintf(description, sizeof description, "%s", sparcl_data_csv_columns(data));
    sparcl_data_free(data);
    write_text(f->path, "y,a,b\n1,2,x\n0,3,\n");
    data = must_read(f, f->path,
                     &(sparcl_data_desc){CSV, .csv_description = description, .columns = 1});
    assert_int_equal(sparcl_data_get_info(data)->columns, 1);
    assert_int_equal(sparcl_data_get_info(data)->unknown_words, 1);
    assert_string_equal(sparcl_data_csv_columns(data), description);
    sparcl_data_free(data);
}

/* As without the description, but for what this names; in its order. */
static void columns_without_a_line_may_be_guessed(void **state) {
    fixture *f = *state;
    static const char *const text =
        "y,name,a,\"b \"\"c\"\"\",n\n1,\"Ann \"\"A\"\", x\",\"$1,200\",u,2\n"
        "0,Bob,$3,v,3\n1,Cid,$4,u,5\n";
    const struct {
        const char *given, *found, *label;
    } cases[] = {
        {"name,skip\n*,auto\n",
         "name,skip\ny,label\na,numeric:point:unit=$\n\"b \"\"c\"\"\",hashed\nn,numeric\n", NULL},
        {"*,auto\nn,hashed\n",
         "n,hashed\ny,label\nname,hashed\na,numeric:point:unit=$\n\"b \"\"c\"\"\",hashed\n", NULL},
        {"a,label:point:unit=$\n*,auto\n",
         "a,label:point:unit=$\ny,numeric\nname,hashed\n\"b \"\"c\"\"\",hashed\nn,numeric\n", NULL},
        {"y,skip\n*,auto\n",
         "y,skip\nname,hashed\na,numeric:point:unit=$\n\"b \"\"c\"\"\",hashed\nn,label\n", "n"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->other, cases[i].given);
        const sparcl_data_desc desc = {CSV, .csv_columns = f->other, .csv_label = cases[i].label};
        sparcl_data_free(read_as(f, text, &desc, cases[i].found));
    }
    const uint64_t guessed =
        fingerprint_of(f, f->path, &(sparcl_data_desc){CSV, .csv_standardize = 1});
    write_text(f->other, "y,label\nname,hashed\n*,auto\n");
    const sparcl_data_desc desc = {CSV, .csv_columns = f->other, .csv_standardize = 1};
    assert_int_equal(fingerprint_of(f, f->path, &desc), guessed);
}

static void descriptions_name_forms(void **state) {
    fixture *f = *state;
    write_text(f->path, "y,a,b,w\n\"0,5\",\"1.000,5 kg\",\"7,5\",\"2,5\"\n\"1,5\",x,\"9\",\"1\"\n");
    write_text(f->other, "y,label:comma\na,numeric:coerce:comma:unit=kg\nb,buckets:comma,8\n"
                         "w,weight:COMMA\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other});
    assert_true(sparcl_data_values(data)[0] == 1000.5f);
    assert_int_equal(sparcl_data_get_info(data)->missing_values, 1);
    assert_true(sparcl_data_labels(data)[1] == 1.5);
    assert_string_equal(sparcl_data_csv_columns(data),
                        "y,label:comma\na,numeric:comma:coerce:unit=kg\nb,buckets:comma,8\n"
                        "w,weight:comma\n");
    sparcl_data_free(data);
    write_text(f->other, "y,label\na,skip\nb,numeric\nw,numeric\n");
    data = must_read(f, f->path,
                     &(sparcl_data_desc){CSV, .csv_columns = f->other, .csv_decimal = ','});
    assert_string_equal(sparcl_data_csv_columns(data),
                        "y,label:comma\na,skip\nb,numeric:comma\nw,numeric:comma\n");
    sparcl_data_free(data);
    write_text(f->other, "w,skip\n*,numeric:comma:coerce\n");
    data =
        must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other, .csv_label = "y"});
    assert_string_equal(sparcl_data_csv_columns(data),
                        "w,skip\ny,label:comma\na,numeric:comma:coerce\n"
                        "b,numeric:comma:coerce\n");
    assert_int_equal(sparcl_data_get_info(data)->missing_values, 2);
    sparcl_data_free(data);
    write_text(f->other, "w,weight\n*,hashed\n");
    data = must_read(
        f, f->path,
        &(sparcl_data_desc){CSV, .csv_columns = f->other, .csv_label = "y", .csv_decimal = ','});
    assert_string_equal(sparcl_data_csv_columns(data),
                        "w,weight:comma\ny,label:comma\na,hashed\nb,hashed\n");
    sparcl_data_free(data);
    write_text(f->other, "w,weight:coerce\n*,numeric\n");
    const sparcl_data_desc coerced = {CSV, .csv_columns = f->other};
    assert_int_equal(sparcl_data_read(&data, f->path, &coerced, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, ":1:3: expected a weight without coerce"));
    static const char *const bad[] = {"a,numeric:\n", "a,numeric:colon\n", "a,hashed:comma\n",
                                      "a,numeric:unit=\n", "a,numeric:unit=1234567890123\n"};
    for (size_t i = 0; i < SPC_COUNT(bad); i++) {
        write_text(f->other, bad[i]);
        const sparcl_data_desc desc = {CSV, .csv_columns = f->other};
        assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
        assert_non_null(strstr(f->error.message, ":1:3: expected a kind of numbers with point"));
    }
    assert_int_equal(
        sparcl_data_read(&data, f->path, &(sparcl_data_desc){CSV, .csv_decimal = ';'}, &f->error),
        SPARCL_E_ARG);
    assert_non_null(strstr(f->error.message, "csv_decimal is \";\", expected a point or a comma"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_read_as_they_are_written),
        TEST(what_looks_like_a_number_and_is_none_stays_a_word),
        TEST(marks_with_two_readings_are_those_of_the_file),
        TEST(a_few_other_values_are_missing_ones),
        TEST(ids_beyond_double_are_no_numbers),
        TEST(one_word_among_numbers_is_a_missing_value),
        TEST(labels_of_numbers_and_others_are_words_with_a_note),
        TEST(a_few_words_among_labels_of_numbers_are_no_labels),
        TEST(predictions_need_no_labels_that_are_numbers),
        TEST(words_that_nearly_all_differ_have_a_note),
        TEST(lines_that_are_no_utf8_are_counted),
        TEST(messages_have_characters_and_escaped_bytes),
        TEST(comments_before_a_heading_are_skipped),
        TEST(tables_of_one_column_are_refused),
        TEST(a_first_line_whose_words_repeat_is_a_row),
        TEST(a_dictionary_may_have_found_no_word),
        TEST(columns_without_a_line_may_be_guessed),
        TEST(descriptions_name_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
