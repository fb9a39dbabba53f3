/* test_csv.c: CSV files: their fields, and what the columns become. */
#include "data_test.h"

#include "base/macros.h"

#define CSV .format = SPARCL_DATA_CSV

typedef struct entry {
    int64_t row;
    int32_t index;
    float value;
} entry;

/* Read f->path with this description, and check all entries. */
static void check(fixture *f, const char *text, const char *columns, int64_t width, int count,
                  const entry *expected) {
    sparcl_data_desc desc = {CSV, .hash_bits = 3};
    write_text(f->path, text);
    if (columns) {
        write_text(f->other, columns);
        desc.csv_columns = f->other;
    }
    sparcl_data *data = must_read(f, f->path, &desc);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const int64_t *offsets = sparcl_data_offsets(data);
    const int32_t *indices = sparcl_data_indices(data);
    assert_int_equal(info->columns, width);
    assert_int_equal(info->entries, count);
    for (int64_t row = 0; row < info->rows; row++)
        for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
            if (expected[k].row != row || expected[k].index != indices[k] ||
                expected[k].value != sparcl_data_values(data)[k])
                fail_msg("%s: entry %d is (%d, %d) %g", text, (int)k, (int)row, (int)indices[k],
                         (double)sparcl_data_values(data)[k]);
    sparcl_data_free(data);
}

static void numbers_are_as_they_are_and_zeros_no_entries(void **state) {
    fixture *f = *state;
    const entry expected[] = {{0, 0, 2.5f}, {0, 1, -1}, {1, 1, 4}};
    const char *const texts[] = {"y,a,b\n1,2.5,-1\n0,0,4\n",
                                 "y,a,b\r\n1,2.5,-1\r\n0,,4",
                                 "a;y;b\n2.5;1;-1\n0;0;4\n",
                                 "\xef\xbb\xbfy\ta\tb\n\n1\t\"2.5\"\t -1 \n  \n0\t\t4\n\n",
                                 "\"a\",\"Target\",\"b\"\n\"2.5\",\"1\",\"-1\"\n\"\",\"0\",\"4\"\n",
                                 "\"a\"\"\"|LABEL|b\n2.50e0|1|-1\n0|0|4\n"};
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        check(f, texts[i], NULL, 2, SPC_COUNT(expected), expected);
        sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){CSV});
        assert_true(sparcl_data_labels(data)[0] == 1 && sparcl_data_labels(data)[1] == 0);
        assert_int_equal(sparcl_data_get_info(data)->heading, 1);
        assert_int_equal(sparcl_data_get_info(data)->index_base, 0);
        sparcl_data_free(data);
    }
    check(f, "1,2.5,-1\n0,0,4\n", NULL, 2, SPC_COUNT(expected), expected);
    char dense[4001] = ""; /* no text has more entries for its length */
    for (int i = 0; i < 4000; i++)
        dense[i] = i % 80 == 79 ? '\n' : i % 2 ? ',' : '1';
    write_text(f->path, dense);
    sparcl_data *full =
        must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_heading = SPARCL_HEADING_NO});
    assert_int_equal(sparcl_data_get_info(full)->entries, 50 * 39);
    sparcl_data_free(full);
    const sparcl_data_desc comma = {CSV, .csv_delimiter = ',', .csv_heading = SPARCL_HEADING_YES};
    write_text(f->path, "1,2;;;\n0,4\n");
    sparcl_data *data = must_read(f, f->path, &comma);
    assert_int_equal(sparcl_data_get_info(data)->rows, 1);
    assert_string_equal(sparcl_data_csv_columns(data), "1,label\n2;;;,numeric\n");
    sparcl_data_free(data);
}

static void logarithms_and_buckets(void **state) {
    fixture *f = *state;
    const float log3 = (float)log(3);
    const entry expected[] = {{0, 0, log3}, {0, 1, 1}, {1, 2, 1}, {2, 4, 1}, {3, 3, 1}};
    check(f, "l,b\n2,-7\n0,1.5\n,3e9\n,1.75\n", "l,log\n\"b\",buckets,1.5,\"1.75\",+2\n", 5,
          SPC_COUNT(expected), expected);
    check(f, "l\n-2\n2\n", "l,log\n", 1, 2, (const entry[]){{0, 0, -log3}, {1, 0, log3}});
    check(f, "l,b\n0,1\nnan,2\n0,nan\n", "l,numeric\nb,buckets,1.5\n", 3, 2,
          (const entry[]){{0, 1, 1}, {1, 2, 1}});
}

/* The first word of a column in a row of "label |column word". */
static void words_have_the_hashes_of_vowpal_wabbit(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 |city Paris |ad 12 |\xc3\xa9 a\n0 |city London |ad 5 |\xc3\xa9 x\n"
                        "1 |city Paris |ad 12\n");
    sparcl_data *vw = must_read(f, f->path, NULL);
    write_text(f->path, "label,\xc3\xa9,ad,city\n1,a,12,Paris\n0,\"x\",5,London\n1,,12,Paris\n");
    write_text(f->other, "*,hashed\nlabel,label\n");
    const sparcl_data_desc desc = {.csv_columns = f->other};
    sparcl_data *csv = must_read(f, f->path, &desc);
    const sparcl_data_info *info = sparcl_data_get_info(csv);
    assert_string_equal(info->format, "csv");
    assert_int_equal(info->hash_bits, 18);
    assert_int_equal(info->missing_values, 1);
    assert_int_equal(info->fingerprint, sparcl_data_get_info(vw)->fingerprint);
    sparcl_data_free(csv);
    sparcl_data_free(vw);
    csv = must_read(f, f->path, &(sparcl_data_desc){.csv_columns = f->other, .hash_bits = 1});
    assert_int_equal(sparcl_data_get_info(csv)->shared_columns, 2);
    sparcl_data_free(csv);
    csv = must_read(f, f->path, &(sparcl_data_desc){.csv_columns = f->other, .columns = 1024});
    assert_int_equal(sparcl_data_get_info(csv)->hash_bits, 10);
    sparcl_data_free(csv);
}

static void words_of_a_dictionary_are_numbered_as_they_come(void **state) {
    fixture *f = *state;
    const char *const text = "n,c,d\n7,b,x\n8,a,\n,b,\"y,\"\"\n\"\n";
    const entry learnt[] = {{0, 0, 1}, {0, 2, 1}, {0, 4, 7}, {1, 1, 1},
                            {1, 4, 8}, {2, 0, 1}, {2, 3, 1}};
    check(f, text, "c,dictionary\nd,dictionary\nn,numeric\n", 5, SPC_COUNT(learnt), learnt);
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other});
    assert_string_equal(sparcl_data_csv_columns(data),
                        "c,dictionary,b,a\nd,dictionary,x,\"y,\"\"\n\"\nn,numeric\n");
    assert_int_equal(sparcl_data_get_info(data)->missing_values, 2);
    assert_int_equal(sparcl_data_line(data, 2), 4);
    const uint64_t fingerprint = sparcl_data_get_info(data)->fingerprint;
    assert_int_equal(sparcl_data_save_columns(data, f->other, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    sparcl_data_desc applied = {CSV, .csv_columns = f->other, .columns = 5};
    assert_int_equal(fingerprint_of(f, f->path, &applied), fingerprint);
    const entry other[] = {{0, 1, 1}, {0, 3, 1}};
    check(f, "d,c,n\n\"y,\"\"\n\",a,0\n",
          "c,dictionary,b,a\nd,dictionary,x,\"y,\"\"\n\"\nn,numeric\n", 5, SPC_COUNT(other), other);
    write_text(f->path, "n,c,d\n1,b,x\n1,c,x\n");
    applied.columns = 0;
    must_refuse(f, f->path, &applied,
                ":3:3: ", "a value that the description has in the column \"c\", found \"c\"");
    applied.columns = 5; /* that of a model */
    data = must_read(f, f->path, &applied);
    assert_int_equal(sparcl_data_get_info(data)->missing_values, 1);
    assert_int_equal(sparcl_data_get_info(data)->unknown_words, 1);
    assert_string_equal(sparcl_data_csv_missing(data), "c,1\n");
    sparcl_data_free(data);
    write_text(f->other, "c,dictionary\n*,skip\n");
    must_refuse(f, f->path, &applied, ": ", "expected the words of dictionaries");
    applied.columns = 1;
    write_text(f->other, "c,dictionary,b,c\n*,skip\n");
    must_refuse(f, f->path, &applied, ": ", "at most 1 columns, found 2");
    applied.csv_columns = NULL;
    must_refuse(f, f->path, &applied, ": ", "expected a description of the columns");
}

/* Of each entry the number of its column among those of features, also when rows are sorted anew.
 */
static void columns_are_fields(void **state) {
    fixture *f = *state;
    static const int32_t expected[] = {3, 0, 1, 2, 3, 0, 1, 0, 1, 2};
    const sparcl_data_desc desc = {CSV, .csv_columns = f->other, .hash_bits = 4, .csv_fields = 1};
    write_text(f->path, "d,y,n,e,h\np,1,5,u,w\nq,0,0,v,w\np,1,2,v,\n");
    write_text(f->other, "d,dictionary\ny,label\ne,dictionary\nn,numeric\nh,hashed\n");
    sparcl_data *data = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_get_info(data)->fields, 4);
    assert_int_equal(sparcl_data_get_info(data)->entries, 10);
    const int64_t *const offsets = sparcl_data_offsets(data);
    int at = 0;
    for (int64_t k = 0; k < offsets[3]; k++)
        at += sparcl_data_fields(data)[k] == expected[k];
    assert_int_equal(at, 10);
    sparcl_data_free(data);
    data = must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other});
    assert_null(sparcl_data_fields(data));
    sparcl_data_free(data);
}

static void labels_are_numbers_or_words(void **state) {
    fixture *f = *state;
    write_text(f->path, "income,w,x\n>50K,2,1\n<=50K,0.5,2\n");
    write_text(f->other,
               "\xef\xbb\xbf# comment\n\nincome,label,<=50K,>50K\nw,Weight\r\n*,numeric\n");
    const sparcl_data_desc desc = {CSV, .csv_columns = f->other};
    sparcl_data *data = must_read(f, f->path, &desc);
    assert_true(sparcl_data_labels(data)[0] == 1 && sparcl_data_labels(data)[1] == 0);
    assert_true(sparcl_data_weights(data)[0] == 2 && sparcl_data_weights(data)[1] == 0.5f);
    assert_int_equal(sparcl_data_get_info(data)->columns, 1);
    sparcl_data_free(data);
    write_text(f->path, "x\n3\n");
    data = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_get_info(data)->has_labels, 0);
    assert_null(sparcl_data_labels(data));
    sparcl_data_free(data);
}

static void the_format_is_recognized_where_that_is_certain(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *format;
    } cases[] = {{"y,a\n1,2\n", "csv"},
                 {"a\ty\n12:30\t2\n", "csv"},
                 {"\xef\xbb\xbfy;\"a;b\"\r\n1;2\r\n", "csv"},
                 {"y,note\n1,\"a\n,,,\"\n", "csv"},
                 {"userId,movieId,rating\n1,2,3\n", "ratings"},
                 {"1\t3:1\n", "svmlight"},
                 {"1,2 3:1\n", "svmlight"},
                 {"1 |f a,b\n", "vw"},
                 {"a,b |f\n", "vw"}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        sparcl_data *data = NULL;
        const sparcl_status status = sparcl_data_read(&data, f->path, NULL, &f->error);
        const char *const format = status == SPARCL_OK ? sparcl_data_get_info(data)->format : "";
        const bool is_csv = strcmp(cases[i].format, "csv") == 0;
        if (is_csv != (strcmp(format, "csv") == 0)) fail_msg("%s: %s", cases[i].text, format);
        sparcl_data_free(data);
    }
    write_text(f->path, "a,b\n1\n2,3\n");
    must_refuse(f, f->path, NULL, ":2:1: ", "the table is ragged");
}

/* As pandas, R and LightGBM write them. */
static void tables_are_recognized_with_and_without_names(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *columns;
        bool heading;
        const char *labels; /* of the rows, a digit each */
    } cases[] = {
        {",a,b,label\n0,1,2,1\n1,3,4,0\n", "Unnamed: 0,skip\na,numeric\nb,numeric\nlabel,label\n",
         true, "10"},
        {"\"\",\"a\",\"y\"\n\"1\",5,0\n\"2\",6,1\n", "Unnamed: 0,skip\na,numeric\ny,label\n", true,
         "01"},
        {"a,y\nr1,1,0\nr2,3,1\n", "Unnamed: 0,skip\na,numeric\ny,label\n", true, "01"},
        {"a,y,\n1,0,\n3,1,\n", "a,numeric\ny,label\nUnnamed: 2,skip\n", true, "01"},
        {"a,y\n1,0,\n3,1,\n", "a,numeric\ny,label\nUnnamed: 2,skip\n", true, "01"},
        {"label,0,1\n1,5,6\n0,8,9\n", "label,label\n0,numeric\n1,numeric\n", true, "10"},
        {"1,0.5,0.3\n0,0.8,0.1\n", "1,label\n2,numeric\n3,numeric\n", false, "10"},
        {"1\t0.869\t0.635\n0\t0.5\t1.2\n", "1,label\n2,numeric\n3,numeric\n", false, "10"},
        {"1;2\r\n0;3\r\n", "1,label\n2,numeric\n", false, "10"},
        {"1,2,x\n0,3,y\n", "1,label\n2,numeric\n3,hashed\n", false, "10"},
        {"1,NA,x\n0,3,y\n", "1,label\n2,numeric\n3,hashed\n", false, "10"},
        {"1,2,3\n", "1,label\n2,numeric\n3,numeric\n", false, "1"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        sparcl_data *const data = must_read(f, f->path, NULL);
        const sparcl_data_info *const info = sparcl_data_get_info(data);
        assert_string_equal(info->format, "csv");
        assert_string_equal(sparcl_data_csv_columns(data), cases[i].columns);
        assert_int_equal(info->heading, cases[i].heading);
        assert_int_equal(info->rows, strlen(cases[i].labels));
        for (int64_t row = 0; row < info->rows; row++)
            assert_true(sparcl_data_labels(data)[row] == cases[i].labels[row] - '0');
        assert_int_equal(sparcl_data_save_columns(data, f->other, &f->error), SPARCL_OK);
        const uint64_t fingerprint = info->fingerprint;
        sparcl_data_free(data);
        const sparcl_data_desc again = {CSV, .csv_columns = f->other};
        assert_int_equal(fingerprint_of(f, f->path, &again), fingerprint);
    }
}

/* Longer than what is read to find the format, and the kinds of the columns. */
static void long_records_after_a_heading_are_read(void **state) {
    fixture *f = *state;
    enum { LONG = 300000 };
    char *const text = malloc(LONG + 64);
    assert_non_null(text);
    for (int i = 0; i < 2; i++) {
        const char delimiter = "\t,"[i];
        const int begin = sprintf(text, "\n\ny%ctext%cz\n1%c", delimiter, delimiter, delimiter);
        memset(text + begin, 'w', LONG);
        sprintf(text + begin + LONG, "%c3\n0%cb%c4\n", delimiter, delimiter, delimiter);
        write_text(f->path, text);
        sparcl_data *const data = must_read(f, f->path, NULL);
        assert_string_equal(sparcl_data_csv_columns(data), "y,label\ntext,hashed\nz,numeric\n");
        assert_int_equal(sparcl_data_get_info(data)->rows, 2);
        sparcl_data_free(data);
    }
    free(text);
}

static void what_stands_for_a_missing_number_is_one(void **state) {
    fixture *f = *state;
    write_text(
        f->path,
        "y,a,w\n1,NA,u\n0,nan,NA\n1,null,v\n0,?,u\n1,,u\n0, N/A ,v\n1,None,v\n0,2,\n1,-,u\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    assert_string_equal(sparcl_data_csv_columns(data), "y,label\na,numeric\nw,hashed\n");
    assert_string_equal(sparcl_data_csv_missing(data), "a,8\nw,1\n"); /* NA is a word of w */
    assert_int_equal(info->missing_values, 9);
    assert_int_equal(info->entries, 9);
    assert_int_equal(info->nan_values, 0);
    sparcl_data_free(data);
    write_text(f->path,
               "y,a\n1,3\n0,#DIV/0!\n1,k.A.\n0,#N/A\n1,#NV\n0,#VALUE!\n1,#Wert!\n0,#REF!\n");
    data = must_read(f, f->path, NULL);
    assert_string_equal(sparcl_data_csv_columns(data), "y,label\na,numeric\n");
    assert_int_equal(sparcl_data_get_info(data)->missing_values, 7);
    sparcl_data_free(data);
}

/* For predictions; for anything else they are in all rows, or in none. */
static void labels_may_be_missing_for_a_model(void **state) {
    fixture *f = *state;
    write_text(f->path, "y,a\n,2\nNA,3\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->has_labels, 0);
    assert_int_equal(sparcl_data_get_info(data)->unlabelled_rows, 2);
    assert_null(sparcl_data_labels(data));
    assert_int_equal(sparcl_data_save_columns(data, f->other, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    write_text(f->path, "y,a\n1,2\n,3\n");
    const sparcl_data_desc applied = {CSV, .csv_columns = f->other, .columns = 1};
    must_refuse(f, f->path, NULL,
                ":3:1: ", "expected a label in the column y, as other rows have one, found none");
    data = must_read(f, f->path, &applied);
    assert_int_equal(sparcl_data_get_info(data)->unlabelled_rows, 1);
    assert_null(sparcl_data_labels(data));
    sparcl_data_free(data);
}

/* Rows with quotes that are characters, or the same fields in quotes: inside of a field, and at its
 * beginning where they do not end it or are not closed in it. */
static void write_quotes(const char *path, bool in_quotes) {
    static const char *const rows[][2] = {
        {"ham\t\"a line\n\"\"%d\"\"\tof two\"\n", "ham\t\"a line\n\"\"%d\"\"\tof two\"\n"},
        {"spam\the said \"no, %d\" wide\n", "spam\t\"he said \"\"no, %d\"\" wide\"\n"},
        {"spam\t\"no\" he said, \"\"%d\"\n", "spam\t\"\"\"no\"\" he said, \"\"\"\"%d\"\"\"\n"},
        {"ham\t\"a \"\"b\"\"\" %d\n", "ham\t\"\"\"a \"\"\"\"b\"\"\"\"\"\" %d\"\n"},
        {"ham\t\"so what, %d\n", "ham\t\"\"\"so what, %d\"\n"}};
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs("label\ttext\n", file);
    for (int i = 0; i < 40000; i++) {
        fprintf(file, rows[i % 5][in_quotes], i);
        if (i % 2) fprintf(file, rows[0][0], i);
    }
    assert_int_equal(fclose(file), 0);
}

static void quotes_inside_a_field_are_characters(void **state) {
    fixture *f = *state;
    uint64_t expected = 0;
    for (int threads = 1; threads <= 4; threads += 3)
        for (int in_quotes = 1; in_quotes >= 0; in_quotes--) {
            write_quotes(f->path, in_quotes);
            sparcl_data *const data =
                must_read(f, f->path, &(sparcl_data_desc){CSV, .threads = threads});
            const sparcl_data_info *const info = sparcl_data_get_info(data);
            assert_int_equal(info->rows, 60000);
            if (!expected) expected = info->fingerprint;
            assert_true(info->fingerprint == expected);
            sparcl_data_free(data);
        }
    write_text(f->path, "y,a\n1,5\"\n2,5\"\n");
    sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){CSV});
    assert_int_equal(sparcl_data_get_info(data)->rows, 2);
    sparcl_data_free(data);
}

static void every_broken_file_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
    } cases[] = {{"", ":1:1: ", "found an empty file"},
                 {"\n \n", ":2:1: ", "found an empty file"},
                 {"y,a\n", ":1:1: ", "found only a heading"},
                 {"y,a", ":1:1: ", "found only a heading"},
                 {"y,a\n1,\"x\n\n", ":2:3: ", "a quote that closes"},
                 {"y,\"a\n1,2\n", ":1:3: ", "a quote that closes"},
                 {"y,a\n1,\"x,w\"z\n", ":2:6: ", "expected 2 fields as in the heading"},
                 {"y,a\n1,\"x\nw\"z\n", ":3:1: ", "expected 2 fields as in the heading"},
                 {"y,a\n1,2\n1,\"a\nb\"\n1,2,3\n", ":5:5: ", "expected 2 fields as in the heading"},
                 {"y,a\n1,2\n\n1\n",
                  ":4:1: ", "expected 2 fields as in the heading, found 1: the table is ragged"},
                 {"1,2\n1\n", ":2:1: ", "expected 2 fields as in the first line"},
                 {"y,a\n1,2\rx\n", ":2:4: ", "a line feed after the carriage return"},
                 {"y,a,a\n1,2,3\n", ":1:5: ", "every column once, found the column \"a\""},
                 {"y,a\n,3\n1,2\n", ":2:1: ", "found none"},
                 {"y,a\ninf,3\n", ":2:1: ", "a label"},
                 {"y,a\n1,1e39\n", ":2:3: ", "32-bit float in the column \"a\", found \"1e39\""}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &(sparcl_data_desc){CSV}, cases[i].place, cases[i].words);
    }
    write_bytes(f->path, "y,a\n1,\0\n", 8);
    must_refuse(f, f->path, &(sparcl_data_desc){CSV}, ":2:3: ", "a NUL byte");
    write_bytes(f->path, "y,a\n1,\"\0\"\n", 10);
    must_refuse(f, f->path, &(sparcl_data_desc){CSV}, ":2:4: ", "a NUL byte");
    write_text(f->path, "y,a\n1,2\n");
    must_refuse(f, f->path, &(sparcl_data_desc){CSV, .index_base = SPARCL_BASE_1}, ": ", "from 0");
    must_refuse(f, f->path, &(sparcl_data_desc){CSV, .multilabel = 1}, ": ", "which has one");
    write_text(f->path, "1 2:1\n");
    must_refuse(f, f->path, &(sparcl_data_desc){.csv_delimiter = ','}, ": ", "expected CSV");
    sparcl_data *data;
    const sparcl_data_desc wrong[] = {{CSV, .csv_delimiter = '"'},
                                      {CSV, .csv_heading = (sparcl_heading)3}};
    for (size_t i = 0; i < SPC_COUNT(wrong); i++)
        assert_int_equal(sparcl_data_read(&data, f->path, &wrong[i], &f->error), SPARCL_E_ARG);
}

/* Quotes that go on in the next lines are at every place of blocks. */
static void write_big(const char *path, int rows) {
    FILE *file = fopen(path, "w");
    uint64_t random = 5;
    fputs("y,d,h,n\n", file);
    for (int i = 0; i < rows; i++) {
        const int word = (int)(next_random(&random) % 500), line = (int)(next_random(&random) % 3);
        fprintf(file, "%d,\"w%d%s\"\"\",%d x,%d\n", i & 1, word, line ? "" : "\n,\n", word, i % 7);
    }
    fclose(file);
}

static void many_threads_read_the_same(void **state) {
    fixture *f = *state;
    write_big(f->path, 60000);
    write_text(f->other, "n,numeric\nd,dictionary\nh,hashed\ny,label\n");
    sparcl_data_desc desc = {CSV, .csv_columns = f->other, .hash_bits = 12, .csv_fields = 1,
                             .threads = 1};
    sparcl_data *one = must_read(f, f->path, &desc);
    desc.threads = 5;
    sparcl_data *many = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_get_info(one)->rows, 60000);
    assert_int_equal(sparcl_data_get_info(one)->columns, 4096 + 1 + 1000);
    assert_int_equal(sparcl_data_get_info(one)->fingerprint,
                     sparcl_data_get_info(many)->fingerprint);
    assert_string_equal(sparcl_data_csv_columns(one), sparcl_data_csv_columns(many));
    assert_int_equal(sparcl_data_line(one, 59999), sparcl_data_line(many, 59999));
    sparcl_data_free(many);
    FILE *file = fopen(f->path, "a");
    fputs("1,\"a\n", file);
    fclose(file);
    char place[64];
    const int64_t lines = sparcl_data_line(one, 59999);
    sparcl_data_free(one);
    desc.threads = 3;
    snprintf(place, sizeof place, ":%" PRId64 ":3: ", lines + 1);
    sparcl_data *data = NULL;
    assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
    if (!strstr(f->error.message, "a quote that closes")) fail_msg("%s", f->error.message);
}

static void a_later_word_in_a_column_of_numbers_is_refused(void **state) {
    fixture *f = *state;
    FILE *file = fopen(f->path, "w");
    fputs("y,a\n", file);
    for (int i = 0; i < 80000; i++)
        fputs("1,2\n", file);
    fputs("1,x\n", file);
    fclose(file);
    must_refuse(f, f->path, NULL, ":80002:3: ", "taken for numbers by the first rows");
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    write_text(f->path, "y,a,b,c\n1,2,x,\"q\"\n0,3,z,t\n");
    write_text(f->other, "y,label,0,1\na,buckets,1,2\nb,hashed\nc,dictionary\n");
    must_survive_memory_failures(f, f->path,
                                 (sparcl_data_desc){CSV, .csv_columns = f->other, .hash_bits = 2,
                                                    .csv_fields = 1, .threads = 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_as_they_are_and_zeros_no_entries),
        TEST(logarithms_and_buckets),
        TEST(words_have_the_hashes_of_vowpal_wabbit),
        TEST(columns_are_fields),
        TEST(words_of_a_dictionary_are_numbered_as_they_come),
        TEST(labels_are_numbers_or_words),
        TEST(the_format_is_recognized_where_that_is_certain),
        TEST(tables_are_recognized_with_and_without_names),
        TEST(long_records_after_a_heading_are_read),
        TEST(what_stands_for_a_missing_number_is_one),
        TEST(labels_may_be_missing_for_a_model),
        TEST(quotes_inside_a_field_are_characters),
        TEST(every_broken_file_is_refused_at_its_place),
        TEST(many_threads_read_the_same),
        TEST(a_later_word_in_a_column_of_numbers_is_refused),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
