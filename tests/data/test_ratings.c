/* test_ratings.c: ratings of items by users, and the patterns of .smtx files. */
#include "data_test.h"

#include "base/macros.h"

#define RATINGS .format = SPARCL_DATA_RATINGS
#define SMTX    .format = SPARCL_DATA_SMTX

static void a_row_has_a_user_and_an_item(void **state) {
    fixture *f = *state;
    const char *const texts[] = {
        "userId,movieId,rating,timestamp\n9,500,2.5,11\n3,40,-1,12\n9,40,5,9\n",
        "9::500::2.5::11\n3::40::-1::12\n9::40::5::9\n", "9\t500\t2.5\r\n3\t40\t-1\r\n9\t40\t5",
        "# a\n9,500,2.5\n\n3,40,-1\n9,40,5\n"};
    const int32_t indices[] = {1, 3, 0, 2, 1, 2};
    const float values[] = {1, 1, 1, 1, 1, 1};
    const double labels[] = {2.5, -1, 5};
    const int64_t users[] = {3, 9}, items[] = {40, 500}, lines[] = {3, 2, 2, 4};
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        write_text(f->path, texts[i]);
        sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){RATINGS});
        const sparcl_data_info *info = sparcl_data_get_info(data);
        assert_int_equal(info->rows, 3);
        assert_int_equal(info->columns, 4);
        assert_int_equal(info->users, 2);
        assert_int_equal(info->items, 2);
        assert_int_equal(info->label_count, 3);
        assert_int_equal(info->heading, i == 0);
        assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
        assert_memory_equal(sparcl_data_values(data), values, sizeof values);
        assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
        assert_memory_equal(sparcl_data_row_ids(data), users, sizeof users);
        assert_memory_equal(sparcl_data_column_ids(data), items, sizeof items);
        assert_int_equal(sparcl_data_line(data, 1), lines[i]);
        sparcl_data_free(data);
    }
}

/* Ids that are much larger than their number are sorted and searched, others are in a table. */
static void ids_of_any_size_are_numbered_in_order(void **state) {
    fixture *f = *state;
    write_text(f->path,
               "9000000000,5,1\n7,9223372036854775806,2\n65535,5,3\n9000000000,262143,4\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){RATINGS});
    const int64_t users[] = {7, 65535, 9000000000}, items[] = {5, 262143, 9223372036854775806};
    const int32_t indices[] = {2, 3, 0, 5, 1, 3, 2, 4};
    assert_memory_equal(sparcl_data_row_ids(data), users, sizeof users);
    assert_memory_equal(sparcl_data_column_ids(data), items, sizeof items);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_int_equal(sparcl_data_save_ids(data, f->other, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    write_text(f->path, "8,5,1\n7,6,1\n9223372036854775806,5,1\n7,9223372036854775806,1\n");
    const int32_t known[] = {3, 0, 3, 0, 5};
    const int64_t offsets[] = {0, 1, 2, 3, 5};
    data = must_read(f, f->path, &(sparcl_data_desc){RATINGS, .ids = f->other});
    assert_int_equal(sparcl_data_get_info(data)->unknown_ids, 3);
    assert_int_equal(sparcl_data_get_info(data)->nnz, 5);
    assert_memory_equal(sparcl_data_indices(data), known, sizeof known);
    assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
    sparcl_data_free(data);
}

/* Short numbers have a way of their own. */
static void ratings_are_correctly_rounded(void **state) {
    fixture *f = *state;
    uint64_t random = 3;
    char(*const texts)[40] = calloc(4000, sizeof *texts);
    FILE *file = fopen(f->path, "w");
    for (int i = 0; i < 4000; i++) {
        const unsigned whole = (unsigned)(next_random(&random) % (i % 3 ? 10 : 100000000));
        const unsigned part = (unsigned)(next_random(&random) % 100000000);
        snprintf(texts[i], sizeof texts[i], i % 5 ? "%u.%0*u" : "%u", whole, i % 9 + 1, part);
        fprintf(file, "1,2,%s\n", texts[i]);
    }
    fclose(file);
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){RATINGS});
    for (int i = 0; i < 4000; i++)
        if (sparcl_data_labels(data)[i] != strtod(texts[i], NULL)) fail_msg("%s", texts[i]);
    sparcl_data_free(data);
    free(texts);
}

static void they_are_recognized_where_that_is_certain(void **state) {
    fixture *f = *state;
    const char *const texts[] = {"userId,movieId,rating\n1,2,3\n", "1::1193::5::978300760\n",
                                 "User;Item;Rating\n1;2;3\n"};
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        write_text(f->path, texts[i]);
        sparcl_data *data = must_read(f, f->path, NULL);
        assert_string_equal(sparcl_data_get_info(data)->format, "ratings");
        sparcl_data_free(data);
    }
    write_text(f->path, "1,2,3\n4,5,6\n"); /* of any table */
    sparcl_data *const data = must_read(f, f->path, NULL);
    assert_string_equal(sparcl_data_get_info(data)->format, "csv");
    sparcl_data_free(data);
}

static void a_pair_without_a_rating_has_the_label_1(void **state) {
    fixture *f = *state;
    write_text(f->path, "5 6\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){RATINGS});
    assert_true(sparcl_data_labels(data)[0] == 1);
    sparcl_data_free(data);
}

static void other_files_are_read_with_the_map_of_the_first(void **state) {
    fixture *f = *state;
    write_text(f->path, "9,500,2.5\n3,40,1\n9,40,5\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){RATINGS});
    assert_int_equal(sparcl_data_save_ids(data, f->other, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    write_text(f->path, "3,500,4\n");
    const sparcl_data_desc mapped = {RATINGS, .ids = f->other, .columns = 4};
    data = must_read(f, f->path, &mapped);
    const int32_t indices[] = {0, 3};
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_int_equal(sparcl_data_get_info(data)->columns, 4);
    sparcl_data_free(data);
    must_refuse(f, f->path, &(sparcl_data_desc){RATINGS, .columns = 4}, ": ",
                "the ids of users and items of the training data");
    write_text(f->other, "user\t9\n");
    sparcl_data *none = NULL;
    assert_int_equal(sparcl_data_read(&none, f->path, &mapped, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "expected lines \"item TAB id\", found none"));
}

static const int64_t some_users[] = {3, 9}, some_items[] = {40, 500, 99999999999999};
static const sparcl_known_ids some_ids = {
    .users = some_users, .user_count = 2, .items = some_items, .item_count = 3};

static void known_ids_are_read_as_a_map(void **state) {
    fixture *f = *state;
    /* fewer columns than users and items, as of a model that ranks items */
    const sparcl_data_desc desc = {RATINGS, .known_ids = some_ids, .columns = 3};
    write_text(f->path, "user,item,rating\n9,99999999999999,1\n4,40,2\n3,41,3\n5,6,4\n");
    sparcl_data *const data = must_read(f, f->path, &desc);
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const int32_t indices[] = {1, 4, 2, 0};
    const int64_t offsets[] = {0, 2, 3, 4, 4};
    assert_int_equal(info->columns, 5);
    assert_int_equal(info->users, 2);
    assert_int_equal(info->items, 3);
    assert_int_equal(info->unknown_ids, 4);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
    const sparcl_known_ids kept = sparcl_data_known_ids(data);
    assert_int_equal(kept.user_count, 2);
    assert_int_equal(kept.item_count, 3);
    assert_memory_equal(kept.users, some_users, sizeof some_users);
    assert_memory_equal(kept.items, some_items, sizeof some_items);
    assert_null(kept.nodes);
    sparcl_data_free(data);
    sparcl_known_ids broken = some_ids;
    broken.items = NULL;
    sparcl_data *none = NULL;
    assert_int_equal(sparcl_data_read(&none, f->path,
                                      &(sparcl_data_desc){RATINGS, .known_ids = broken}, &f->error),
                     SPARCL_E_ARG);
    broken = some_ids;
    broken.users = (const int64_t[]){9, 3};
    assert_int_equal(sparcl_data_read(&none, f->path,
                                      &(sparcl_data_desc){RATINGS, .known_ids = broken}, &f->error),
                     SPARCL_E_ARG);
    assert_non_null(strstr(f->error.message, "known_ids.users[1] is 3, expected ascending"));
}

static void the_binary_form_must_have_the_known_ids(void **state) {
    fixture *f = *state;
    write_text(f->path, "9,500,2.5\n3,40,1\n9,99999999999999,5\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){RATINGS});
    assert_int_equal(sparcl_data_save(data, f->other, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    const sparcl_data_desc desc = {.known_ids = some_ids};
    sparcl_data_free(must_read(f, f->other, &desc));
    write_text(f->path, "9,500,2.5\n3,40,1\n");
    data = must_read(f, f->path, &(sparcl_data_desc){RATINGS});
    assert_int_equal(sparcl_data_save(data, f->other, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    must_refuse(f, f->other, &desc, ": ", "of the training data, found others");
}

/* Each word has a column: users come first. */
static void users_and_items_may_be_words(void **state) {
    fixture *f = *state;
    const char *const texts[] = {"user,item,rating,time\nbob,film 7,2.5,1\nann,x,-1,2\nbob,x,5,3\n",
                                 "bob,film 7,2.5\nann,x,-1\nbob,x,5\n",
                                 "\"bob\";film 7;2.5\nann;x;-1\nbob;x;5\n",
                                 "b\tfilm 7\t2.5\na7\tx\t-1\nb\tx\t5\n"};
    const int32_t indices[] = {0, 2, 1, 3, 0, 3};
    const double labels[] = {2.5, -1, 5};
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        write_text(f->path, texts[i]);
        sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){RATINGS});
        assert_int_equal(sparcl_data_get_info(data)->columns, 4);
        assert_int_equal(sparcl_data_get_info(data)->heading, i == 0);
        assert_int_equal(sparcl_data_get_info(data)->label_guessed, 0);
        assert_string_equal(sparcl_data_get_info(data)->format, "ratings");
        assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
        assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
        sparcl_data_free(data);
    }
    write_text(f->path, texts[0]);
    sparcl_data *data = must_read(f, f->path, NULL);
    char *const description = strdup(sparcl_data_csv_columns(data));
    assert_string_equal(description, "user,dictionary,bob,ann\nitem,dictionary,film 7,x\n"
                                     "rating,label\ntime,skip\n");
    sparcl_data_free(data);
    write_text(f->path, "user,item,rating\n17,x,3\nann,18,2\n19,20,1\n");
    const sparcl_data_desc desc = {.csv_description = description, .columns = 4};
    const int64_t offsets[] = {0, 1, 2, 2};
    data = must_read(f, f->path, &desc);
    assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
    assert_int_equal(sparcl_data_get_info(data)->unknown_words, 4);
    sparcl_data_free(data);
    must_refuse(f, f->path, &(sparcl_data_desc){.columns = 4}, ": ",
                "a description of the columns beside their number");
    free(description);
}

static void ratings_say_what_users_have(void **state) {
    fixture *f = *state;
    write_text(f->path, "9,500,2.5\n3,99999999999999,-1\n9,40,5\n9,500,1\n3,7,1\n");
    sparcl_data *const data =
        must_read(f, f->path, &(sparcl_data_desc){RATINGS, .known_ids = some_ids});
    sparcl_data *pairs = NULL;
    assert_int_equal(sparcl_data_of_ratings(data, &pairs, &f->error), SPARCL_OK);
    const sparcl_data_info *const info = sparcl_data_get_info(pairs);
    const int64_t offsets[] = {0, 1, 3};
    const int32_t indices[] = {2, 0, 1};
    const float ones[] = {1, 1, 1};
    assert_int_equal(info->rows, 2);
    assert_int_equal(info->columns, 3);
    assert_int_equal(info->entries, 3);
    assert_int_equal(info->duplicates, 0);
    assert_memory_equal(sparcl_data_offsets(pairs), offsets, sizeof offsets);
    assert_memory_equal(sparcl_data_indices(pairs), indices, sizeof indices);
    assert_memory_equal(sparcl_data_values(pairs), ones, sizeof ones);
    assert_null(sparcl_data_labels(pairs));
    assert_memory_equal(sparcl_data_known_ids(pairs).items, some_items, sizeof some_items);
    sparcl_data *none = pairs;
    assert_int_equal(sparcl_data_of_ratings(pairs, &none, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "expected ratings, found memory"));
    assert_null(none);
    assert_int_equal(sparcl_data_of_ratings(NULL, &none, &f->error), SPARCL_E_ARG);
    sparcl_data_free(pairs);
    sparcl_data_free(data);
}

/* The users' words, then the items', are a table's only features. */
static void words_say_what_users_have(void **state) {
    fixture *f = *state;
    const char *const texts[] = {"bob,film 7,2.5\nann,x,-1\nbob,x,5\nbob,x,1\n",
                                 "bob,film 7\nann,x\nbob,x\n",
                                 "customer;product\nbob;film 7\nann;x\nbob;x\n",
                                 "buyer\tfilm\tstars\nbob\tfilm 7\t1\nann\tx\t2\nbob\tx\t5\n"};
    const int64_t offsets[] = {0, 2, 3};
    const int32_t indices[] = {0, 1, 1};
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        sparcl_data *pairs = NULL, *none = NULL;
        write_text(f->path, texts[i]);
        sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){.ratings = 1});
        assert_string_equal(sparcl_data_get_info(data)->format, "ratings");
        assert_int_equal(sparcl_data_get_info(data)->heading, i >= 2);
        assert_int_equal(sparcl_data_of_ratings(data, &pairs, &f->error), SPARCL_OK);
        assert_int_equal(sparcl_data_get_info(pairs)->users, 2);
        assert_int_equal(sparcl_data_get_info(pairs)->rows, 2);
        assert_int_equal(sparcl_data_get_info(pairs)->items, 2);
        assert_int_equal(sparcl_data_get_info(pairs)->columns, 2);
        assert_memory_equal(sparcl_data_offsets(pairs), offsets, sizeof offsets);
        assert_memory_equal(sparcl_data_indices(pairs), indices, sizeof indices);
        assert_string_equal(sparcl_data_csv_columns(pairs), sparcl_data_csv_columns(data));
        assert_null(sparcl_data_known_ids(pairs).users);
        assert_int_equal(sparcl_data_known_ids(pairs).user_count, 0);
        assert_int_equal(sparcl_data_of_ratings(pairs, &none, &f->error), SPARCL_E_FORMAT);
        sparcl_data_free(pairs);
        sparcl_data_free(data);
    }
}

/* Numbers are words, too, where the columns are described as such. */
static void a_table_may_be_described_as_ratings(void **state) {
    fixture *f = *state;
    char columns[sizeof f->path + 8];
    const sparcl_data_desc desc = {RATINGS, .csv_columns = columns};
    const int32_t indices[] = {0, 2, 1, 3, 0, 3};
    const double labels[] = {5, 3, 1};
    snprintf(columns, sizeof columns, "%s.columns", f->path);
    write_text(columns, "user,dictionary\nfilm,dictionary\nstars,label\nday,skip\n");
    write_text(f->path, "day,film,stars,user\n1,7,5,007\n2,x,3,7\n3,x,1,007\n");
    sparcl_data *data = must_read(f, f->path, &desc);
    assert_string_equal(sparcl_data_get_info(data)->format, "ratings");
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
    assert_string_equal(sparcl_data_csv_columns(data),
                        "user,dictionary,007,7\nfilm,dictionary,7,x\nstars,label\nday,skip\n");
    sparcl_data_free(data);
    write_text(columns, "user,dictionary\nfilm,dictionary\nstars,label\nday,numeric\n");
    must_refuse(f, f->path, &desc, ": expected ratings", "describe two columns as dictionary");
    must_refuse(f, f->path, &(sparcl_data_desc){RATINGS, .csv_heading = SPARCL_HEADING_YES}, ": ",
                "expected CSV, for the label");
    remove(columns);
}

/* Words that are not known are left out, and a model's columns are the items. */
static void known_words_are_more_than_the_columns(void **state) {
    fixture *f = *state;
    const sparcl_data_desc desc = {.csv_description = "u,dictionary,bob,ann\ni,dictionary,x,y,z\n",
                                   .columns = 3,
                                   .ratings = 1};
    const int64_t offsets[] = {0, 1, 2};
    const int32_t indices[] = {2, 0};
    sparcl_data *pairs = NULL;
    write_text(f->path, "i,other,u\nx,1,ann\nz,2,bob\nq,3,bob\nx,4,zoe\n");
    sparcl_data *const data = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_get_info(data)->unknown_words, 2);
    assert_int_equal(sparcl_data_of_ratings(data, &pairs, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_data_get_info(pairs)->columns, 3);
    assert_memory_equal(sparcl_data_offsets(pairs), offsets, sizeof offsets);
    assert_memory_equal(sparcl_data_indices(pairs), indices, sizeof indices);
    sparcl_data_free(pairs);
    sparcl_data_free(data);
}

static void a_table_of_other_features_is_no_ratings(void **state) {
    fixture *f = *state;
    sparcl_data *pairs = NULL;
    write_text(f->path, "age,city,y\n1,Paris,0\n2,Rome,1\n");
    sparcl_data *const data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_of_ratings(data, &pairs, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "found a table with other features"));
    sparcl_data_free(data);
    const sparcl_data_desc labelled = {.csv_label = "y", .ratings = 1};
    sparcl_data *const table = must_read(f, f->path, &labelled);
    assert_string_equal(sparcl_data_get_info(table)->format, "csv");
    sparcl_data_free(table);
}

static void both_parts_of_a_split_have_the_same_columns(void **state) {
    fixture *f = *state;
    write_text(f->path, "9,500,2.5\n3,40,1\n9,40,5\n1,2,3\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){RATINGS}), *parts[2];
    const int64_t columns = sparcl_data_get_info(data)->columns;
    assert_int_equal(sparcl_data_split(data, 0.5, 1, &parts[0], &parts[1], &f->error), SPARCL_OK);
    sparcl_data_free(data);
    for (int p = 0; p < 2; p++) {
        assert_int_equal(sparcl_data_get_info(parts[p])->columns, columns);
        assert_int_equal(sparcl_data_get_info(parts[p])->users, 3);
        assert_int_equal(sparcl_data_row_ids(parts[p])[0], 1);
        assert_int_equal(sparcl_data_column_ids(parts[p])[2], 500);
        sparcl_data_free(parts[p]);
    }
}

static void every_broken_rating_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
    } cases[] = {{"user,item,rating\n", ":2:1: ", "found the end of the file"},
                 {"1,2,\n", ":1:5: ", "a finite decimal number, found the end of the line"},
                 {"1,2,x\n", ":1:5: ", "a finite decimal number"},
                 {"1,,3\n", ":1:3: ", "an id"},
                 {"1,2,3,4,5\n", ":1:9: ", "the end of the line"},
                 {"1,2,3\n1,2\n", ":2:4: ", "expected 3 fields"},
                 {"1,2,1e999\n", ":1:5: ", "a finite decimal number"},
                 {"-1,2,3\n", ":1:1: ", "an id"},
                 {"ann::film::3\n", ":1:1: ", "an id"},
                 {"ann,film\nbob,x\neve\n", ":3:1: ", "expected 2 fields"},
                 {"ann,film,3\nbob,film,good\n", ":2:10: ", "found \"good\""}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &(sparcl_data_desc){RATINGS}, cases[i].place, cases[i].words);
    }
}

static void a_pattern_of_pruned_weights_is_read(void **state) {
    fixture *f = *state;
    const char *const texts[] = {"2, 4, 3\n0 2 3\n1 3 0\n", "2,4,3\r\n0 2 3 \r\n1 3 0 \r\n",
                                 "2, 4, 3\n0 2 3\n1 3 0"};
    write_text(f->path, "0 1:1 3:1\n0 0:1\n");
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        write_text(f->path, texts[i]);
        sparcl_data *data = must_read(f, f->path, NULL);
        const int64_t offsets[] = {0, 2, 3};
        const int32_t indices[] = {1, 3, 0};
        assert_string_equal(sparcl_data_get_info(data)->format, "smtx");
        assert_int_equal(sparcl_data_get_info(data)->columns, 4);
        assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
        assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
        assert_true(sparcl_data_values(data)[2] == 1);
        sparcl_data_free(data);
    }
    write_text(f->path, "1, 4, 2\n0 2\n3 1\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){SMTX});
    assert_int_equal(sparcl_data_get_info(data)->unsorted_rows, 1);
    sparcl_data_free(data);
    must_refuse(f, f->path, &(sparcl_data_desc){SMTX, .strict = 1}, ": ", "found 1 after 3");
    write_text(f->path, "2, 4, 1\n0 1 1\n2\n\n \n\t7\n");
    must_refuse(f, f->path, &(sparcl_data_desc){SMTX},
                ":6:2: ", "the end of the file, found \"7\"");
    write_text(f->path, "2, 4, 0\n0 0 0\n\n");
    data = must_read(f, f->path, &(sparcl_data_desc){SMTX});
    assert_int_equal(sparcl_data_get_info(data)->rows, 2);
    sparcl_data_free(data);
}

static void every_broken_pattern_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
    } cases[] = {{"", ":1:1: ", "a number of rows, found the end of the file"},
                 {"2, x, 3\n", ":1:4: ", "a number of columns, found \"x,\""},
                 {"2, 4, 3 5\n", ":1:9: ", "the end of the first line"},
                 {"2, 4, 3\n1 2 3\n1 3 0\n", ":2:1: ", "from 0 to 0, found 1"},
                 {"2, 4, 3\n0 4 3\n1 3 0\n", ":2:3: ", "from 0 to 3, found 4"},
                 {"2, 4, 3\n0 2 2\n1 3 0\n", ":2:5: ", "from 3 to 3, found 2"},
                 {"2, 4, 3\n0 2 3\n1 4 0\n", ":3:3: ", "below 4, found 4"},
                 {"2, 4, 3\n0 2 3\n1 -3 0\n", ":3:3: ", "a column index"},
                 {"2, 4, 3\n0 2 3\n1 3\n", ":4:1: ", "found the end of the file"},
                 {"2, 4, 3\n0 2 3\n1 3 0 1\n", ":3:7: ", "the end of the file, found \"1\""},
                 {"9000000000, 4, 3\n0 2 3\n1 3 0\n", ":3:3: ", "from 1 to 3, found 3"}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        if (i + 1 < SPC_COUNT(cases))
            must_refuse(f, f->path, &(sparcl_data_desc){SMTX}, cases[i].place, cases[i].words);
        else /* the declared shape takes no memory */
            must_refuse(f, f->path, &(sparcl_data_desc){SMTX}, ":", "expected");
    }
    write_text(f->path, "2, 4, 3\n0 2 3\n1 3 0\n");
    must_refuse(f, f->path, &(sparcl_data_desc){.columns = 3}, ":1:4: ", "at most 3 columns");
    must_refuse(f, f->path, &(sparcl_data_desc){.index_base = SPARCL_BASE_1}, ": ", "from 0");
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    write_text(f->path, "9,500,2.5\n\n3,40,1\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){RATINGS});
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){RATINGS, .known_ids = some_ids});
    write_text(f->path, "1, 4, 2\n0 2\n3 1\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){SMTX});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_row_has_a_user_and_an_item),
        TEST(ids_of_any_size_are_numbered_in_order),
        TEST(ratings_are_correctly_rounded),
        TEST(they_are_recognized_where_that_is_certain),
        TEST(a_pair_without_a_rating_has_the_label_1),
        TEST(other_files_are_read_with_the_map_of_the_first),
        TEST(known_ids_are_read_as_a_map),
        TEST(the_binary_form_must_have_the_known_ids),
        TEST(users_and_items_may_be_words),
        TEST(ratings_say_what_users_have),
        TEST(words_say_what_users_have),
        TEST(a_table_may_be_described_as_ratings),
        TEST(known_words_are_more_than_the_columns),
        TEST(a_table_of_other_features_is_no_ratings),
        TEST(both_parts_of_a_split_have_the_same_columns),
        TEST(every_broken_rating_is_refused_at_its_place),
        TEST(a_pattern_of_pruned_weights_is_read),
        TEST(every_broken_pattern_is_refused_at_its_place),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
