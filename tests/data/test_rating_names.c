/* test_rating_names.c: the names in the heading of ratings say which fields are users, items and
 * ratings. */
#include "data_test.h"

#include "base/macros.h"
#include "sparcl/data.h"

static const sparcl_data_desc as_ratings = {.format = SPARCL_DATA_RATINGS};

static void has_notes(const sparcl_data *data, const char *text) {
    const char *const notes = sparcl_data_csv_notes(data);
    if (!text && notes) fail_msg("found the note: %s", notes);
    if (text && (!notes || !strstr(notes, text))) fail_msg("%s\nfound: %s", text, notes);
}

/* Users 3 and 9, items 40 and 500. */
static void check_read(fixture *f, const char *text, const sparcl_data_desc *desc,
                       const char *note) {
    const int32_t indices[] = {1, 3, 0, 2, 1, 2};
    const double labels[] = {2.5, -1, 5};
    const int64_t users[] = {3, 9}, items[] = {40, 500};
    write_text(f->path, text);
    sparcl_data *const data = must_read(f, f->path, desc);
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    if (strcmp(info->format, "ratings") != 0 || info->rows != 3 || info->columns != 4)
        fail_msg("%s\nfound %s", text, info->format);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
    assert_memory_equal(sparcl_data_row_ids(data), users, sizeof users);
    assert_memory_equal(sparcl_data_column_ids(data), items, sizeof items);
    has_notes(data, note);
    sparcl_data_free(data);
}

static void names_say_which_columns_are_read(void **state) {
    static const struct {
        const char *text, *note;
    } cases[] = {
        {"userId,movieId,rating,time\n9,500,2.5,1\n3,40,-1,1\n9,40,5,1\n", NULL},
        {"user;item;rating\n9;500;2.5\n3;40;-1\n9;40;5\n", NULL},
        {"user,item,rating,Date\n9,500,2.5,2020-01-01\n3,40,-1,\n9,40,5,\"May, 3\"\n", NULL},
        {"user,item,rating,text\n9,500,2.5,x y\n3,40,-1,\n9,40,5,#\n", "not used: \"text\""},
        {"rating,userId,movieId\n2.5,9,500\n-1,3,40\n5,9,40\n",
         "users are the column \"userId\", items \"movieId\", ratings \"rating\", by the names in "
         "the heading\n"},
        {"user_id,item_id,timestamp,rating\r\n9,500,1,2.5\r\n3,40,1,-1\r\n9,40,1,5\r\n",
         "ratings \"rating\", by the names in the heading; not used: \"timestamp\" (--label NAME"},
        {"MovieID,Stars,USER\n500,2.5,9\n40,-1,3\n40,5,9", "ratings \"Stars\""},
        {",userId,movieId,rating\n0,9,500,2.5\n1,3,40,-1\n2,9,40,5\n", "users are the column"},
        {"# a\nrating\tuser\tt\titem\n2.5\t9\t\t500\n\n-1\t3\ta b\t40\n5\t9\t\"1\t2\"\t40\n",
         "not used: \"t\""},
        {"rating user item\n2.5 9  500\n-1 3 40 \n5 9 40 # b\n", "items \"item\""},
        {"\"Customer Name\";price;\"Product "
         "ID\";\"Star-Rating\"\n9;7;500;2.5\n3;;40;-1\n9;\";\";40;5",
         "users are the column \"Customer Name\", items \"Product ID\", ratings \"Star-Rating\""},
        {"item,user,value\n500,9,2.5\n40,3,-1\n40,9,5\n", "ratings \"value\""},
        {"ts,user,item,score\n1,9,500,2.5\n1,3,40,-1\n1,9,40,5\n", "ratings \"score\""},
        {"a,b,c\n9,500,2.5\n3,40,-1\n9,40,5\n", "ratings \"c\", the first ones: no names such as"}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++)
        check_read(*state, cases[i].text, &as_ratings, cases[i].note);
}

/* Where nothing says that they are ratings, all three have known names. */
static void the_heading_is_recognized(void **state) {
    check_read(*state, "rating,userId,movieId\n2.5,9,500\n-1,3,40\n5,9,40\n", NULL, "by the names");
    check_read(*state, ",userId,movieId,rating\n0,9,500,2.5\n1,3,40,-1\n2,9,40,5\n", NULL,
               "ratings \"rating\"");
    check_read(*state, "when,film,customer,how\n1,500,9,2.5\n1,40,3,-1\n1,40,9,5\n",
               &(sparcl_data_desc){.ratings = 1}, "users are the column \"customer\"");
    check_read(*state, "9,500,2.5\n3,40,-1\n9,40,5\n", &(sparcl_data_desc){.ratings = 1},
               "without a heading, the first fields are users, items and ratings");
}

static void a_heading_without_ratings(void **state) {
    fixture *f = *state;
    const double ones[] = {1, 1};
    write_text(f->path, "timestamp,item,user\n5,3,7\n6,2,7\n");
    sparcl_data *const data = must_read(f, f->path, &as_ratings);
    assert_int_equal(sparcl_data_get_info(data)->users, 1);
    assert_memory_equal(sparcl_data_labels(data), ones, sizeof ones);
    has_notes(data, "items \"item\", without ratings, by the names in the heading; not used: "
                    "\"timestamp\"");
    sparcl_data_free(data);
}

/* Users are the first columns of the matrix, also where they are behind the items. */
static void words_are_found_by_names(void **state) {
    fixture *f = *state;
    const int32_t indices[] = {0, 2, 1, 3, 0, 3};
    const double labels[] = {2.5, -1, 5};
    const char *const texts[] = {"stars,film,user\n2.5,film 7,bob\n-1,x,ann\n5,x,bob\n",
                                 "user,when,film,stars\nbob,u,film 7,2.5\nann,u,x,-1\nbob,u,x,5\n",
                                 "film;user;stars\nfilm 7;bob;2,5\nx;ann;-1,0\nx;bob;5,0\n",
                                 "user;film;stars\n1;8;2,5\n2;9;-1,0\n1;9;5,0\n"};
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        write_text(f->path, texts[i]);
        sparcl_data *const data = must_read(f, f->path, &as_ratings);
        assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
        assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
        has_notes(data, i < 3 ? "users are the column \"user\", items \"film\", ratings \"stars\""
                              : "\"2,5\" is read as 2.5");
        sparcl_data_free(data);
    }
}

/* A model of words finds the names of its training data, or known ones. */
static void a_model_of_words_finds_them(void **state) {
    fixture *f = *state;
    const int32_t indices[] = {0, 3, 1, 2};
    const char *const texts[] = {"rating,title,who\n3,x,bob\n2,y,ann\n",
                                 "who,title,rating\nbob,x,3\nann,y,2\n",
                                 "stars,item,user\n3,x,bob\n2,y,ann\n", "bob,x,3\nann,y,2\n"};
    const sparcl_data_desc desc = {
        .csv_description = "who,dictionary,bob,ann\ntitle,dictionary,y,x\nrating,label\n",
        .columns = 4,
        .ratings = 1};
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        write_text(f->path, texts[i]);
        sparcl_data *const data = must_read(f, f->path, &desc);
        assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
        sparcl_data_free(data);
    }
}

static void fields_and_names_are_as_many(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *where, *why;
    } cases[] = {
        {"rating,user,item\n5,3,2\n4,2\n", ":3:4: ",
         "expected a comma, found the end of the line; the heading has 3 names between commas"},
        {"rating;user;item\n5;3;2;1\n", ":2:6: ", "expected the end of the line"},
        {"rating,user,item\n5,3,2\n,3,2\n", ":3:1: ", "a finite decimal number"},
        {"rating\tuser\titem\n5\t-3\t2\n", ":2:3: ", "an id, a whole number"},
        {"user,item,rating\n1,7,2,3\n2,8,2,4\n",
         ":2:1: ", "expected 3 fields, as the heading has names, found 4"}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &as_ratings, cases[i].where, cases[i].why);
    }
}

static void columns_are_found_by_names(void **state) {
    static const char *const named[] = {"date", "Movie-ID", "stars", "user"};
    static const char *const others[] = {"a", "b"};
    int64_t found[3];
    (void)state;
    assert_int_equal(sparcl_rating_columns(named, 4, found), 1);
    assert_true(found[0] == 3 && found[1] == 1 && found[2] == 2);
    assert_int_equal(sparcl_rating_columns(others, 2, found), 0);
    assert_true(found[0] == 0 && found[1] == 1 && found[2] == -1);
    assert_int_equal(sparcl_rating_columns(NULL, 0, found), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(names_say_which_columns_are_read), TEST(the_heading_is_recognized),
        TEST(a_heading_without_ratings),        TEST(words_are_found_by_names),
        TEST(a_model_of_words_finds_them),      TEST(fields_and_names_are_as_many),
        TEST(columns_are_found_by_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
