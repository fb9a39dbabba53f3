/* test_csv_text.c: columns of text in CSV: their words and sequences of words. */
#include "data_test.h"

#include <math.h>

#include "base/macros.h"

enum { BITS = 12 };

static sparcl_data *read_as(fixture *f, const char *text, const char *columns) {
    write_text(f->path, text);
    if (columns) write_text(f->other, columns);
    return must_read(f, f->path,
                     &(sparcl_data_desc){.format = SPARCL_DATA_CSV,
                                         .hash_bits = BITS,
                                         .csv_columns = columns ? f->other : NULL});
}

/* The columns of words are those of Vowpal Wabbit; their values count them, and have the length 1.
 */
static void words_are_counted(void **state) {
    fixture *f = *state;
    sparcl_data *csv = read_as(f, "y,t\n1,\"Call NOW, call \"\"2\"\" 12-345 a!\"\n0,\n0,\"--\"\n",
                               "y,label\nt,text,1\n");
    write_text(f->path, "1 |t call:2 now:1 12:1 345:1\n0 |t\n0 |t\n");
    sparcl_data *vw = must_read(f, f->path, &(sparcl_data_desc){.hash_bits = BITS});
    const int64_t *const offsets = sparcl_data_offsets(csv);
    assert_int_equal(sparcl_data_get_info(csv)->entries, 4);
    assert_int_equal(sparcl_data_get_info(csv)->missing_values, 1);
    assert_int_equal(sparcl_data_get_info(vw)->entries, 4);
    assert_int_equal(offsets[1], 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(((const int32_t *)sparcl_data_indices(csv))[k],
                         ((const int32_t *)sparcl_data_indices(vw))[k]);
        assert_true(sparcl_data_values(csv)[k] ==
                    (float)((double)sparcl_data_values(vw)[k] / sqrt(7)));
    }
    sparcl_data_free(csv);
    sparcl_data_free(vw);
}

/* "b cd ef" of two words has cd, ef and "cd ef"; one letter is no word. */
static void sequences_are_names_with_blanks(void **state) {
    static const int64_t counts[] = {4, 7, 9};
    fixture *f = *state;
    for (int n = 1; n <= 3; n++) {
        char columns[64], expected[64];
        snprintf(columns, sizeof columns, "y,label\nt,text,%d\n", n);
        sparcl_data *data = read_as(f, "y,t\n1,aa b Bb-cc; \xc3\xa9\n", columns);
        assert_int_equal(sparcl_data_get_info(data)->entries, counts[n - 1]);
        snprintf(expected, sizeof expected, "y,label\nt,text,%d\n", n);
        assert_string_equal(sparcl_data_csv_columns(data), expected);
        sparcl_data_free(data);
    }
    sparcl_data *first = read_as(f, "y,t\n1,aa  BB.\n", "y,label\nt,text\n");
    const int32_t *const indices = sparcl_data_indices(first);
    assert_int_equal(sparcl_data_get_info(first)->entries, 3);
    for (const char *const *word = (const char *const[]){"aa", "bb", "aa bb", NULL}; *word;
         word++) {
        char text[64];
        bool found = false;
        snprintf(text, sizeof text, "y,t\n1,%s\n", *word);
        sparcl_data *one = read_as(f, text, "y,label\nt,hashed\n");
        for (int k = 0; k < 3; k++)
            found |= indices[k] == ((const int32_t *)sparcl_data_indices(one))[0];
        assert_true(found);
        sparcl_data_free(one);
    }
    sparcl_data_free(first);
}

/* Four words and more on average are a text, fewer a word of its own. */
static void texts_are_recognized(void **state) {
    fixture *f = *state;
    sparcl_data *data =
        read_as(f, "y,t,w\n1,one two three four five,New York\n0,one two three,Rome\n", NULL);
    assert_string_equal(sparcl_data_csv_columns(data), "y,label\nt,text,2\nw,hashed\n");
    sparcl_data_free(data);
}

/* Shortest words, in a record of many lines. */
static void long_texts_fit(void **state) {
    enum { WORDS = 50000 };
    fixture *f = *state;
    char *const text = calloc(1, 16 + 3 * WORDS);
    assert_non_null(text);
    char *at = text + sprintf(text, "y,t\n1,\"");
    for (int i = 0; i < WORDS; i++) {
        *at++ = (char)('a' + i % 26);
        *at++ = (char)('a' + i / 26 % 26);
        *at++ = i % 10 ? ' ' : '\n';
    }
    strcpy(at, "\"\n");
    sparcl_data *data = read_as(f, text, "y,label\nt,text,3\n");
    double squares = 0;
    for (int64_t k = 0; k < sparcl_data_get_info(data)->entries; k++)
        squares += (double)sparcl_data_values(data)[k] * (double)sparcl_data_values(data)[k];
    assert_true(fabs(squares - 1) < 1e-5);
    assert_int_equal(sparcl_data_get_info(data)->duplicates, 0);
    sparcl_data_free(data);
    free(text);
}

static void assert_same_entries(const sparcl_data *a, const sparcl_data *b) {
    const size_t count = (size_t)sparcl_data_get_info(a)->entries;
    assert_int_equal(sparcl_data_get_info(b)->entries, count);
    assert_memory_equal(sparcl_data_indices(a), sparcl_data_indices(b), count * sizeof(int32_t));
    assert_memory_equal(sparcl_data_values(a), sparcl_data_values(b), count * sizeof(float));
}

/* log((1 + 4) / (1 + n)) + 1 of a word in n of 4 rows, times how often the row has it. */
static void rare_words_weigh_more(void **state) {
    fixture *f = *state;
    sparcl_data *data = read_as(f, "y,t\n1,aa bb aa\n0,aa\n1,cc\n0,\n", "y,label\nt,tfidf,1\n");
    const double aa = 2 * (log(5.0 / 3) + 1), bb = log(5.0 / 2) + 1, root = sqrt(aa * aa + bb * bb);
    const float *const values = sparcl_data_values(data);
    assert_int_equal(sparcl_data_get_info(data)->entries, 4);
    const bool is_ordered = values[0] > values[1]; /* of hashes */
    assert_true(fabs((double)values[is_ordered ? 0 : 1] - aa / root) < 1e-6);
    assert_true(fabs((double)values[is_ordered ? 1 : 0] - bb / root) < 1e-6);
    assert_true(values[2] == 1 && values[3] == 1);
    assert_int_equal(sparcl_data_get_info(data)->missing_values, 1);
    char *const description = strdup(sparcl_data_csv_columns(data));
    char expected[64];
    const int32_t *const indices = sparcl_data_indices(data);
    snprintf(expected, sizeof expected, "y,label\nt,tfidf,1,4,%d:2\n", indices[is_ordered ? 0 : 1]);
    assert_string_equal(description, expected);
    /* The same with what was found, streamed, and without a description. */
    const sparcl_data_desc again[] = {{.hash_bits = BITS, .csv_description = description},
                                      {.hash_bits = BITS, .csv_columns = f->other, .stream = 1}};
    sparcl_data *known = must_read(f, f->path, &again[0]);
    assert_same_entries(data, known);
    assert_string_equal(sparcl_data_csv_columns(known), description);
    sparcl_data_free(known);
    sparcl_data *streamed = must_read(f, f->path, &again[1]);
    assert_string_equal(sparcl_data_csv_columns(streamed), description);
    sparcl_data_free(streamed);
    sparcl_data_free(data);
    free(description);
}

static void texts_are_weighted_where_requested(void **state) {
    fixture *f = *state;
    write_text(f->path, "y,t,w\n1,one two three four five,New York\n0,one two three four,Rome\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.csv_tfidf = 1});
    assert_int_equal(strncmp(sparcl_data_csv_columns(data), "y,label\nt,tfidf,2,2,", 20), 0);
    assert_non_null(strstr(sparcl_data_csv_columns(data), "\nw,hashed\n"));
    sparcl_data_free(data);
}

static void refuse_columns(fixture *f, const char *columns, const char *words) {
    sparcl_data *data = NULL;
    write_text(f->other, columns);
    assert_int_equal(
        sparcl_data_read(&data, f->path, &(sparcl_data_desc){.csv_columns = f->other}, &f->error),
        SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, words));
    assert_null(data);
}

static void wrong_frequencies_are_refused(void **state) {
    static const char *const columns[] = {
        "t,tfidf,0\n",        "t,tfidf,2,0\n",       "t,tfidf,2,x\n",      "t,tfidf,2,5,7\n",
        "t,tfidf,2,5,7:1\n",  "t,tfidf,2,5,7:2x\n",  "t,tfidf,2,5,-7:2\n", "t,tfidf,2,5,:2\n",
        "t,tfidf,2,5,7:2,\n", "t,tfidf,2,5,7:2,8:\n"};
    fixture *f = *state;
    write_text(f->path, "y,t\n1,aa\n");
    for (size_t i = 0; i < SPC_COUNT(columns); i++)
        refuse_columns(f, columns[i], f->other);
}

static void wrong_lengths_are_refused(void **state) {
    static const char *const columns[] = {"y,label\nt,text,0\n", "y,label\nt,text,4\n",
                                          "y,label\nt,text,x\n", "y,label\nt,text,2,3\n"};
    fixture *f = *state;
    write_text(f->path, "y,t\n1,aa\n");
    for (size_t i = 0; i < SPC_COUNT(columns); i++)
        refuse_columns(f, columns[i], i < 3 ? "1, 2 or 3" : "the end of the line");
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(words_are_counted),
                                       TEST(sequences_are_names_with_blanks),
                                       TEST(texts_are_recognized),
                                       TEST(long_texts_fit),
                                       TEST(wrong_lengths_are_refused),
                                       TEST(rare_words_weigh_more),
                                       TEST(texts_are_weighted_where_requested),
                                       TEST(wrong_frequencies_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
