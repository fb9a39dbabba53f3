/* test_csv_names.c: the names of the columns of a matrix that was read from CSV. */
#include "data_test.h"

#include "base/macros.h"
#include "sparcl/data.h"

static sparcl_csv_columns *must_describe(const char *description, int64_t width) {
    sparcl_error error = {0};
    sparcl_csv_columns *columns = NULL;
    if (sparcl_csv_columns_create(&columns, description, width, &error) != SPARCL_OK)
        fail_msg("%s", error.message);
    return columns;
}

static void check_names(const char *description, int64_t width, const char *const *names) {
    char name[64];
    sparcl_csv_columns *const columns = must_describe(description, width);
    for (int64_t c = 0; names[c]; c++)
        assert_string_equal(sparcl_csv_columns_name(columns, c, name, sizeof name), names[c]);
    sparcl_csv_columns_free(columns);
}

static void columns_have_the_names_of_what_they_hold(void **state) {
    (void)state;
    const char *const names[] = {"city=Paris",
                                 "city=New York, NY",
                                 "log(1 + |clicks|)",
                                 "age < 18",
                                 "18 <= age < 65.5",
                                 "age >= 65.5",
                                 "size",
                                 "",
                                 NULL};
    check_names("target,label,no,yes\ncity,dictionary,Paris,\"New York, NY\"\nclicks,log\n"
                "id,skip\nage,buckets,18,65.5\nsize,numeric,3,2\n",
                7, names);
}

static void hashed_columns_come_first(void **state) {
    (void)state;
    const char *const two_bits[] = {"hash 0", "hash 1", "hash 2", "hash 3", "n", "", NULL};
    check_names("n,numeric\nword,hashed\ntext,text,2\n", 5, two_bits);
    char name[8];
    sparcl_csv_columns *const columns = must_describe("n,numeric\nword,hashed\n", 1 << 20);
    assert_string_equal(sparcl_csv_columns_name(columns, 1 << 18, name, sizeof name), "n");
    assert_string_equal(sparcl_csv_columns_name(columns, (1 << 18) + 1, name, sizeof name), "");
    assert_string_equal(sparcl_csv_columns_name(columns, 123456, name, sizeof name), "hash 12");
    sparcl_csv_columns_free(columns);
}

/* As data that are read with the description have them. */
static void they_are_the_columns_of_the_reader(void **state) {
    fixture *const f = *state;
    write_text(f->path, "y,color,size,word\n1,red,20,a\n0,blue,3,b\n");
    write_text(f->other, "y,label\ncolor,dictionary\nsize,buckets,10\nword,hashed\n");
    sparcl_data *const data = must_read(
        f, f->path,
        &(sparcl_data_desc){.format = SPARCL_DATA_CSV, .csv_columns = f->other, .hash_bits = 3});
    char name[32];
    sparcl_csv_columns *const columns =
        must_describe(sparcl_data_csv_columns(data), sparcl_data_get_info(data)->columns);
    const int32_t *const indices = sparcl_data_indices(data);
    /* The word of a hashed column is found by its name. */
    assert_int_equal(sparcl_csv_columns_hashed(columns, "word=a"), indices[0]);
    assert_int_equal(sparcl_csv_columns_hashed(columns, "word=b"), indices[3]);
    assert_int_equal(sparcl_csv_columns_hashed(columns, "color=red"), -1);
    assert_int_equal(sparcl_csv_columns_hashed(columns, "word"), -1);
    const char *const expected[] = {"hash", "color=red",  "size >= 10",
                                    "hash", "color=blue", "size < 10"};
    assert_int_equal(sparcl_data_get_info(data)->entries, 6);
    for (int i = 0; i < 6; i++) {
        sparcl_csv_columns_name(columns, indices[i], name, sizeof name);
        assert_memory_equal(name, expected[i], strlen(expected[i]));
    }
    sparcl_csv_columns_free(columns);
    sparcl_data_free(data);
}

static void only_what_has_a_mean_has_a_known_deviation(void **state) {
    (void)state;
    sparcl_csv_columns *const columns = must_describe(
        "a,numeric,38.6,13.6\nb,numeric,0,2\nc,numeric\nd,log,1,3\ne,hashed\n", 4 + 8);
    const bool is_known[] = {true, false, false, true};
    for (int c = 0; c < 4; c++) {
        const double deviation = sparcl_csv_columns_deviation(columns, 8 + c);
        assert_true(is_known[c] ? deviation == 1 : isnan(deviation));
    }
    assert_true(isnan(sparcl_csv_columns_deviation(columns, 0)));
    sparcl_csv_columns_free(columns);
}

static void two_dictionaries_are_users_and_items(void **state) {
    const char *const others[] = {"a,dictionary,x\nb,dictionary,y\nc,dictionary,z\n",
                                  "a,dictionary,x\nb,dictionary,y\nc,numeric\n",
                                  "a,dictionary,x\nb,dictionary,y\nc,cross,a,b\n",
                                  "a,dictionary,x\n", "y,label\n"};
    int64_t users = -1, items = -1;
    size_t length = 0;
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        sparcl_csv_columns *const columns = must_describe(others[i], 3);
        assert_int_equal(sparcl_csv_columns_pairs(columns, &users, &items), 0);
        sparcl_csv_columns_free(columns);
    }
    assert_int_equal(users, -1);
    sparcl_csv_columns *const columns =
        must_describe("y,label\nu,dictionary,bob,ann\nday,skip\ni,dictionary,\"the, x\"\n", 1);
    assert_int_equal(sparcl_csv_columns_pairs(columns, &users, &items), 1);
    assert_int_equal(users, 2);
    assert_int_equal(items, 1);
    assert_memory_equal(sparcl_csv_columns_word(columns, 1, &length), "ann", 3);
    assert_int_equal(length, 3);
    assert_memory_equal(sparcl_csv_columns_word(columns, 2, &length), "the, x", 6);
    assert_int_equal(length, 6);
    assert_null(sparcl_csv_columns_word(columns, 3, &length));
    sparcl_csv_columns_free(columns);
}

static void what_is_no_description_is_refused(void **state) {
    (void)state;
    sparcl_error error = {0};
    sparcl_csv_columns *columns = NULL;
    assert_int_equal(sparcl_csv_columns_create(&columns, "y,colour\n", 1, &error), SPARCL_E_FORMAT);
    assert_non_null(strstr(error.message, ":1:3: expected label, weight"));
    assert_null(columns);
    assert_int_equal(sparcl_csv_columns_create(&columns, NULL, 1, &error), SPARCL_E_ARG);
    assert_int_equal(sparcl_csv_columns_create(&columns, "y,label\n", -1, &error), SPARCL_E_ARG);
    assert_int_equal(sparcl_csv_columns_create(NULL, "y,label\n", 1, &error), SPARCL_E_ARG);
    sparcl_csv_columns_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(columns_have_the_names_of_what_they_hold),
        TEST(hashed_columns_come_first),
        TEST(they_are_the_columns_of_the_reader),
        TEST(only_what_has_a_mean_has_a_known_deviation),
        TEST(two_dictionaries_are_users_and_items),
        TEST(what_is_no_description_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
