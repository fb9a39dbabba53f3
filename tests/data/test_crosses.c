/* test_crosses.c: crosses of columns of CSV, and of namespaces of Vowpal Wabbit text. */
#include "data_test.h"

#include "base/macros.h"
#include "sparcl/data.h"

enum { BITS = 16 };

#define CSV .format = SPARCL_DATA_CSV, .hash_bits = BITS

static sparcl_data *read_text(fixture *f, const char *text, const sparcl_data_desc *desc) {
    write_text(f->path, text);
    return must_read(f, f->path, desc);
}

/* The value in a column of the first row; 0: there is none. */
static float value_at(const sparcl_data *data, int64_t column) {
    for (int64_t k = 0; k < sparcl_data_offsets(data)[1]; k++)
        if (data_index(data, k) == column) return sparcl_data_values(data)[k];
    return 0;
}

/* The column of the only entry of a row. */
static int64_t column_of(fixture *f, const char *row) {
    sparcl_data *const data = read_text(f, row, &(sparcl_data_desc){.hash_bits = BITS});
    assert_int_equal(sparcl_data_get_info(data)->entries, 1);
    const int64_t column = data_index(data, 0);
    sparcl_data_free(data);
    return column;
}

static int64_t cross(int64_t left, int64_t right) {
    return ((left * 16777619) ^ right) & ((1 << BITS) - 1);
}

static void must_equal(const sparcl_data *a, const sparcl_data *b) {
    const int64_t rows = sparcl_data_get_info(a)->rows;
    assert_int_equal(sparcl_data_get_info(b)->rows, rows);
    assert_memory_equal(sparcl_data_offsets(a), sparcl_data_offsets(b),
                        (size_t)(rows + 1) * sizeof(int64_t));
    for (int64_t k = 0; k < sparcl_data_get_info(a)->entries; k++) {
        assert_int_equal(data_index(a, k), data_index(b, k));
        assert_true(sparcl_data_values(a)[k] == sparcl_data_values(b)[k]);
    }
}

/* ---- Vowpal Wabbit ----------------------------------------------------------------------------
 */

static void columns_are_those_of_vowpal_wabbit(void **state) {
    fixture *const f = *state;
    const int64_t rome = column_of(f, "1 |city Rome\n"), ad = column_of(f, "1 |ad x\n");
    const int64_t other = column_of(f, "1 |ad y\n");
    sparcl_data *const data =
        read_text(f, "1 |city Rome:2 |ad x:3 y:-1 |no z\n1 |ad x\n",
                  &(sparcl_data_desc){.hash_bits = BITS, .crosses = "city,ad"});
    assert_int_equal(sparcl_data_offsets(data)[1], 6);
    assert_int_equal(sparcl_data_offsets(data)[2], 7);
    assert_true(value_at(data, cross(rome, ad)) == 6);
    assert_true(value_at(data, cross(rome, other)) == -2);
    assert_string_equal(sparcl_data_crosses(data), "city,ad");
    assert_int_equal(sparcl_data_get_info(data)->crosses, 1);
    assert_int_equal(sparcl_data_get_info(data)->cross_entries, 2);
    sparcl_data *rest = NULL, *held = NULL;
    assert_int_equal(sparcl_data_split(data, 0.5, 0, &rest, &held, &f->error), SPARCL_OK);
    assert_string_equal(sparcl_data_crosses(rest), "city,ad");
    sparcl_data_free(rest);
    sparcl_data_free(held);
    sparcl_data_free(data);
}

/* A feature of value 1 has no square; the order in the row says nothing. */
static void a_namespace_is_crossed_with_itself(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {.hash_bits = BITS, .crosses = "a,a"};
    sparcl_data *const data = read_text(f, "1 |a x y:3 |b z\n", &desc);
    sparcl_data *const swapped = read_text(f, "1 |b z |a y:3 x\n", &desc);
    const int64_t y = column_of(f, "1 |a y\n");
    assert_int_equal(sparcl_data_get_info(data)->cross_entries, 2);
    assert_true(value_at(data, cross(y, y)) == 9);
    must_equal(data, swapped);
    sparcl_data_free(data);
    sparcl_data_free(swapped);
}

/* With "all", a row of n features has those of n columns, and n (n + 1) / 2 products. */
static void all_features_of_a_row_are_crossed(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {.hash_bits = BITS, .crosses = "all"};
    sparcl_data *const data = read_text(f, "1 |a x:2 y:3 |b z:5 | w:7\n0 |c v\n", &desc);
    sparcl_data *const swapped = read_text(f, "1 | w:7 |b z:5 |a y:3 x:2\n0 |c v\n", &desc);
    assert_int_equal(sparcl_data_offsets(data)[1], 4 + 10);
    assert_int_equal(sparcl_data_offsets(data)[2], 4 + 10 + 1);
    must_equal(data, swapped);
    sparcl_data_free(data);
    sparcl_data_free(swapped);
}

/* Rows whose crosses are far more than their bytes, in many blocks. */
static void rows_of_many_features_fit(void **state) {
    enum { FEATURES = 100, ROWS = 1000 };
    fixture *const f = *state;
    char *const text = malloc(ROWS * (FEATURES * 5 + 40)), *at = text;
    for (int row = 0; row < ROWS; row++) {
        at += sprintf(at, "1 |a");
        for (int i = 0; i < FEATURES; i++)
            at += sprintf(at, " %d%s", i, i == 80 + row % 20 ? " |b" : "");
        at += sprintf(at, "\n");
    }
    write_text(f->path, text);
    free(text);
    sparcl_data_desc desc = {.hash_bits = 18, .crosses = "a,b\nb,b", .threads = 1};
    sparcl_data *const one = must_read(f, f->path, &desc);
    desc.threads = 4;
    sparcl_data *const many = must_read(f, f->path, &desc);
    must_equal(one, many);
    assert_true(sparcl_data_get_info(one)->cross_entries > (int64_t)ROWS * FEATURES * 5);
    sparcl_data_free(one);
    sparcl_data_free(many);
}

static void lists_that_are_wrong_are_refused(void **state) {
    static const struct {
        const char *crosses, *words;
    } cases[] = {{"", "found nothing"},          {"a", "found one name"},
                 {"a,b,c", "more than two"},     {"a,b\nb,a", "the pair \"b,a\" twice"},
                 {"all\na,b", "all and others"}, {"\"a,b", "quote"}};
    fixture *const f = *state;
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        sparcl_data *data = NULL;
        write_text(f->path, i % 2 ? "1 |a x |b y\n" : "y,a,b\n1,u,v\n0,u,w\n");
        const sparcl_data_desc desc = {.crosses = cases[i].crosses};
        assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_ARG);
        if (!strstr(f->error.message, cases[i].words)) fail_msg("%s", f->error.message);
        assert_null(data);
    }
    write_text(f->path, "1 |a x |b y\n");
    must_refuse(f, f->path, &(sparcl_data_desc){.crosses = "a,c"}, ": ", "the cross \"a,c\"");
    sparcl_data *const later =
        must_read(f, f->path, &(sparcl_data_desc){.crosses = "a,c", .columns = 1024});
    assert_int_equal(sparcl_data_get_info(later)->cross_entries, 0);
    sparcl_data_free(later);
    write_text(f->path, "1 1:1\n");
    must_refuse(f, f->path, &(sparcl_data_desc){.crosses = "a,c"}, ": ", "found svmlight");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Words of hashed columns and of dictionaries are those of namespaces with the same names. */
static void words_of_a_table_are_crossed_as_names(void **state) {
    fixture *const f = *state;
    const char *const rows = "y,city,ad\n1,Rome,\"x \"\"1\"\"\"\n0,,x\n1,Oslo,12\n";
    write_text(f->other, "y,label\ncity,hashed\nad,hashed\n");
    sparcl_data *const data =
        read_text(f, rows, &(sparcl_data_desc){CSV, .csv_columns = f->other, .crosses = "city,3"});
    write_text(f->other, "y,label\ncity,dictionary\nad,hashed\n\"a\"\"b\",cross,city,ad\n");
    sparcl_data *const words =
        read_text(f, rows, &(sparcl_data_desc){CSV, .csv_columns = f->other});
    const int64_t oslo = column_of(f, "1 |city Oslo\n");
    assert_int_equal(sparcl_data_get_info(data)->entries, 3 + 1 + 3);
    assert_int_equal(sparcl_data_get_info(data)->missing_values, 1);
    assert_string_equal(sparcl_data_csv_columns(data),
                        "y,label\ncity,hashed\nad,hashed\ncity^ad,cross,city,ad\n");
    assert_string_equal(
        sparcl_data_csv_columns(words),
        "y,label\ncity,dictionary,Rome,Oslo\nad,hashed\n\"a\"\"b\",cross,city,ad\n");
    const int64_t twelve = column_of(f, "1 |ad 12\n");
    bool found[2] = {false, false};
    for (int64_t k = sparcl_data_offsets(data)[2]; k < sparcl_data_offsets(data)[3]; k++)
        found[0] |= data_index(data, k) == cross(oslo, twelve);
    for (int64_t k = sparcl_data_offsets(words)[2]; k < sparcl_data_offsets(words)[3]; k++)
        found[1] |= data_index(words, k) == cross(oslo, twelve);
    assert_true(found[0] && found[1]);
    sparcl_data_free(data);
    sparcl_data_free(words);
}

/* Of numbers as they are: x^2, x y, and x where a word is; a range is a word. */
static void numbers_are_multiplied(void **state) {
    fixture *const f = *state;
    write_text(f->other, "y,label\nx,numeric\nl,log\nr,buckets,1,5\nw,hashed\nxx,cross,x,x\n"
                         "xl,cross,x,l\nxw,cross,x,w\nrw,cross,r,w\n");
    sparcl_data *const data = read_text(f, "y,x,l,r,w\n1,3,-1,2,a\n0,0,1,2,a\n1,NA,1,0,b\n",
                                        &(sparcl_data_desc){CSV, .csv_columns = f->other});
    const int64_t x = column_of(f, "1 | x\n"), a = column_of(f, "1 |w a\n");
    const int64_t l = column_of(f, "1 | l\n"), r = column_of(f, "1 | r\n");
    assert_true(value_at(data, cross(x, x)) == 9);
    assert_true(value_at(data, cross(x, l)) == 3 * (float)-log(2));
    assert_true(value_at(data, cross(x, a)) == 3);
    assert_true(value_at(data, cross(r + 1, a)) == 1);
    assert_int_equal(sparcl_data_get_info(data)->cross_entries, 4 + 1 + 1);
    assert_int_equal(sparcl_data_get_info(data)->columns, (1 << BITS) + 2 + 3);
    sparcl_data_free(data);
}

/* Where they are standardized, products are those of the standardized numbers, also in data that
 * are read with the description. */
static void standardized_numbers_are_multiplied(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {CSV, .csv_standardize = 1, .crosses = "a,b"};
    sparcl_data *const data = read_text(f, "y,a,b\n1,1,10\n0,3,30\n1,5,80\n", &desc);
    const float *const values = sparcl_data_values(data);
    const char *const columns = sparcl_data_csv_columns(data);
    assert_memory_equal(columns, "y,label\na,numeric,3,1.6329932\nb,numeric,4", 40);
    assert_int_equal(sparcl_data_offsets(data)[1], 3);
    assert_int_equal(sparcl_data_offsets(data)[2] - sparcl_data_offsets(data)[1], 2);
    assert_true(values[0] == values[1] * values[2]);
    sparcl_data *const again =
        must_read(f, f->path,
                  &(sparcl_data_desc){CSV, .csv_description = columns,
                                      .columns = sparcl_data_get_info(data)->columns});
    must_equal(data, again);
    assert_string_equal(sparcl_data_csv_columns(again), columns);
    sparcl_data_free(again);
    sparcl_data_free(data);
}

/* Counts become logarithms; columns that are mostly 0 stay sparse, and so do their products. */
static void products_of_counts_are_sparse(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {CSV, .csv_standardize = 1, .crosses = "n,s"};
    char text[2000] = "y,n,s\n";
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "%d,%d,%d\n", i % 2, i % 8 ? 1 : 1000, i % 4 ? 0 : i % 5 + 1);
    sparcl_data *const data = read_text(f, text, &desc);
    const char *const columns = sparcl_data_csv_columns(data);
    assert_non_null(strstr(columns, "\nn,log,"));
    assert_non_null(strstr(columns, "\ns,numeric,0,"));
    assert_int_equal(sparcl_data_get_info(data)->cross_entries, 10);
    sparcl_data_free(data);
}

static void words_of_a_text_are_crossed(void **state) {
    fixture *const f = *state;
    write_text(f->other, "y,label\nlang,hashed\nt,text,1\nc,cross,lang,t\n");
    sparcl_data *const data = read_text(f, "y,lang,t\n1,en,\"go, go now\"\n0,en,\n0,,go\n",
                                        &(sparcl_data_desc){CSV, .csv_columns = f->other});
    const int64_t en = column_of(f, "1 |lang en\n"), go = column_of(f, "1 |t go\n");
    assert_int_equal(sparcl_data_get_info(data)->cross_entries, 2);
    assert_true(value_at(data, cross(en, go)) == value_at(data, go));
    assert_true(value_at(data, go) > 0.8f);
    sparcl_data_free(data);
}

static void all_columns_are_crossed(void **state) {
    fixture *const f = *state;
    write_text(f->other,
               "y,label\na,hashed\nx,numeric\nt,text\ns,skip\nd,dictionary\nz,cross,a,x\n");
    sparcl_data *const data =
        read_text(f, "y,a,x,t,s,d\n1,u,2,some words,9,k\n0,v,3,more,9,l\n",
                  &(sparcl_data_desc){CSV, .csv_columns = f->other, .crosses = "all"});
    assert_non_null(strstr(sparcl_data_csv_columns(data),
                           "\nz,cross,a,x\na^x,cross,a,x\na^d,cross,a,d\nx^x,cross,x,x\n"
                           "x^d,cross,x,d\n"));
    assert_int_equal(sparcl_data_get_info(data)->crosses, 5);
    sparcl_data_free(data);
    write_text(f->other, "y,label\na,hashed\n*,skip\n");
    must_refuse(f, f->path, &(sparcl_data_desc){CSV, .csv_columns = f->other, .crosses = "all"},
                ":1:1: ", "found no two columns");
}

/* Blocks of every size, by one thread and by four, and as a stream. */
static void large_tables_are_the_same(void **state) {
    fixture *const f = *state;
    char *const text = malloc(1000000), *at = text;
    uint64_t random = 1;
    at += sprintf(at, "y,a,b,t\n");
    while (at - text < 900000) {
        const uint64_t r = next_random(&random);
        at += sprintf(at, "%d,w%d,%d,\"some w%d \"\"w%d\"\" words\"\n", (int)(r & 1),
                      (int)(r >> 8 & 63), (int)(r >> 16 & 7), (int)(r >> 24 & 63),
                      (int)(r >> 32 & 7));
    }
    write_text(f->path, text);
    free(text);
    write_text(f->other, "y,label\na,hashed\nb,numeric\nt,text,2\nab,cross,a,b\nta,cross,t,a\n"
                         "bt,cross,b,t\n");
    sparcl_data_desc desc = {CSV, .csv_columns = f->other, .csv_fields = 1, .threads = 1};
    sparcl_data *const one = must_read(f, f->path, &desc);
    desc.threads = 4;
    sparcl_data *const many = must_read(f, f->path, &desc);
    must_equal(one, many);
    assert_int_equal(sparcl_data_get_info(one)->fields, 6);
    desc.stream = 1;
    sparcl_data *const stream = must_read(f, f->path, &desc);
    sparcl_row_reader *reader = NULL;
    int32_t indices[256], fields[256];
    float values[256];
    const int64_t row = 20000, begin = sparcl_data_offsets(one)[row],
                  count = sparcl_data_offsets(one)[row + 1] - begin;
    assert_true(count > 20 && count < 256);
    assert_int_equal(sparcl_row_reader_open(&reader, stream, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_row_reader_read(reader, row, 1, indices, values, fields, &f->error),
                     SPARCL_OK);
    for (int64_t k = 0; k < count; k++) {
        assert_int_equal(indices[k], data_index(one, begin + k));
        assert_true(values[k] == sparcl_data_values(one)[begin + k]);
    }
    sparcl_row_reader_close(reader);
    sparcl_data_free(stream);
    sparcl_data_free(one);
    sparcl_data_free(many);
}

static void crosses_that_are_wrong_are_refused(void **state) {
    static const struct {
        const char *columns, *crosses, *place, *words;
    } cases[] = {
        {"*,hashed\ny,label\n", "a,y", ":1:1: ", "found \"y\", which is the label"},
        {"*,hashed\ny,label\n", "a,aa", ":1:1: ", "the column \"aa\" for the cross"},
        {"*,hashed\ny,label\n", "a,9", ":1:1: ", "found none of this name or number"},
        {"*,hashed\ny,label\n", "a,a", ":1:1: ", "its own square"},
        {"*,hashed\ny,label\n", "a,b\n2,3", ":1:1: ", "cross every pair once"},
        {"*,hashed\ny,label\n", "a,b\n3,2", ":1:1: ", "cross every pair once"},
        {"*,text\ny,label\n", "a,b", ":1:1: ", "both are text"},
        {"*,skip\ny,label\nb,hashed\n", "a,b", ":1:1: ", "which is skipped"},
        {"*,hashed\ny,weight\n", "a,y", ":1:1: ", "weights of rows"},
        {"*,hashed\ny,label\na,cross,b,b\n", NULL, ":1:3: ", "the name of a cross"},
    };
    static const struct {
        const char *columns, *place, *words;
    } described[] = {
        {"*,hashed\ny,label\nc,cross,a,y\n", ":3:1: ", "which is the label"},
        {"*,hashed\ny,label\nc,cross,a,d\n", ":3:1: ", "found \"d\", which is none"},
        {"*,hashed\ny,label\nc,cross,a\n", ":3:9: ", "two columns after cross"},
        {"*,hashed\ny,label\nc,cross\n", ":3:3: ", "found none"},
        {"*,hashed\ny,label\nc,cross,a,b,b\n", ":3:13: ", "the end of the line"},
        {"*,hashed\ny,label\nc,cross,a,b\nd,cross,c,a\n", ":4:1: ", "which is a cross"},
        {"*,cross\n", ":1:3: ", "found \"cross\""},
    };
    fixture *const f = *state;
    write_text(f->path, "y,a,b\n1,u,v\n0,u,w\n");
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->other, cases[i].columns);
        must_refuse(f, f->path,
                    &(sparcl_data_desc){CSV, .csv_columns = f->other, .crosses = cases[i].crosses},
                    cases[i].place, cases[i].words);
    }
    for (size_t i = 0; i < SPC_COUNT(described); i++) {
        char place[160];
        sparcl_data *data = NULL;
        write_text(f->other, described[i].columns);
        snprintf(place, sizeof place, "%s%s", f->other, described[i].place);
        const sparcl_data_desc desc = {CSV, .csv_columns = f->other};
        assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
        if (strncmp(f->error.message, place, strlen(place)) != 0 ||
            !strstr(f->error.message, described[i].words))
            fail_msg("expected %s ... %s, found %s", place, described[i].words, f->error.message);
    }
    must_refuse(f, f->path,
                &(sparcl_data_desc){CSV, .csv_description = "y,label\na,hashed\n", .columns = 9,
                                    .crosses = "a,b"},
                ": ", "expected no crosses beside");
}

/* ---- names ----------------------------------------------------------------------------------- */

static void crosses_have_names(void **state) {
    static int64_t all[1 << BITS];
    static const char *const csv[] = {"a=u^x", "a=u^r[1]", "x^x"};
    fixture *const f = *state;
    for (int i = 0; i < 1 << BITS; i++)
        all[i] = i;
    write_text(f->other, "y,label\na,hashed\nx,numeric\nr,buckets,2\nax,cross,a,x\nar,cross,a,r\n"
                         "xx,cross,x,x\n");
    sparcl_data *data =
        read_text(f, "y,a,x,r\n1,u,2,3\n",
                  &(sparcl_data_desc){CSV, .csv_columns = f->other, .named_columns = all,
                                      .named_column_count = 1 << BITS});
    sparcl_csv_columns *columns = NULL;
    assert_int_equal(sparcl_csv_columns_create(&columns, sparcl_data_csv_columns(data),
                                               sparcl_data_get_info(data)->columns, &f->error),
                     SPARCL_OK);
    for (int i = 0; i < 3; i++) {
        const int64_t column = sparcl_csv_columns_hashed(columns, csv[i]);
        if (value_at(data, column) == 0) fail_msg("%s: %" PRId64, csv[i], column);
        assert_string_equal(sparcl_data_column_name(data, column), csv[i]);
    }
    assert_int_equal(sparcl_csv_columns_hashed(columns, "x^a"), -1);
    assert_int_equal(sparcl_csv_columns_hashed(columns, "a^x"), -1);
    sparcl_csv_columns_free(columns);
    sparcl_data_free(data);
    data = read_text(f, "1 |s a |t b\n",
                     &(sparcl_data_desc){.hash_bits = BITS,
                                         .crosses = "s,t",
                                         .named_columns = all,
                                         .named_column_count = 1 << BITS});
    const int64_t s = column_of(f, "1 |s a\n"), t = column_of(f, "1 |t b\n");
    assert_string_equal(sparcl_data_column_name(data, cross(s, t)), "s^a*t^b");
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(columns_are_those_of_vowpal_wabbit),
        TEST(a_namespace_is_crossed_with_itself),
        TEST(all_features_of_a_row_are_crossed),
        TEST(rows_of_many_features_fit),
        TEST(lists_that_are_wrong_are_refused),
        TEST(words_of_a_table_are_crossed_as_names),
        TEST(numbers_are_multiplied),
        TEST(standardized_numbers_are_multiplied),
        TEST(products_of_counts_are_sparse),
        TEST(words_of_a_text_are_crossed),
        TEST(all_columns_are_crossed),
        TEST(large_tables_are_the_same),
        TEST(crosses_that_are_wrong_are_refused),
        TEST(crosses_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
