/* test_kept_names.c: the names that are hashed to columns. */
#include "data_test.h"

#include <stdlib.h>

#include "base/macros.h"

enum { BITS = 10, COLUMNS = 1 << BITS };

/* All columns. */
static const int64_t *all_columns(void) {
    static int64_t columns[COLUMNS];
    for (int64_t i = 0; i < COLUMNS; i++)
        columns[i] = i;
    return columns;
}

/* Each of these is the name of an entry of the first row. */
static void check_names(fixture *f, const char *text, const sparcl_data_desc *how,
                        const char *const *names) {
    sparcl_data_desc desc = *how;
    desc.named_columns = all_columns();
    desc.named_column_count = COLUMNS;
    desc.hash_bits = BITS;
    write_text(f->path, text);
    sparcl_data *const data = must_read(f, f->path, &desc);
    const int32_t *const indices = sparcl_data_indices(data);
    const int64_t count = sparcl_data_offsets(data)[1];
    for (int i = 0; names[i]; i++) {
        bool found = false;
        for (int64_t k = 0; k < count && indices[k] < COLUMNS; k++)
            found |= strcmp(sparcl_data_column_name(data, indices[k]), names[i]) == 0;
        if (!found) fail_msg("%s: no entry has the name %s", text, names[i]);
        assert_true(i < count);
    }
    sparcl_data_free(data);
}

static void names_are_as_in_the_file(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc none = {.labels = NULL};
    check_names(f, "1 |city Paris:2 |ad x:y 77 | bare\n0 |city Rome\n", &none,
                (const char *[]){"city^Paris", "ad^x:y", "ad^77", "bare", NULL});
    check_names(f, "1 900000000000:1 7:1\n0 12:1\n", &none,
                (const char *[]){"900000000000", "7", NULL});
    write_text(f->other, "y,label\ncity,hashed\nnote,text,2\nn,numeric\n");
    const sparcl_data_desc table = {.format = SPARCL_DATA_CSV, .csv_columns = f->other};
    check_names(
        f, "y,city,note,n\n1,\"New York, NY\",Free MONEY!,3\n0,Rome,no,4\n", &table,
        (const char *[]){"city=New York, NY", "note=free", "note=money", "note=free money", NULL});
}

/* Whatever thread comes first. */
static void of_several_names_the_first_in_order_are_kept(void **state) {
    fixture *const f = *state;
    static const int64_t column = 1;
    const sparcl_data_desc desc = {
        .hash_bits = 1, .named_columns = &column, .named_column_count = 1, .threads = 4};
    char *const text = malloc(200000), *at = text;
    for (int i = 0; i < 9000; i++) /* names of digits are numbers */
        at += sprintf(at, "1 |  %d\n", 1 + (i * 7919) % 4999);
    write_text(f->path, text);
    free(text);
    sparcl_data *data = must_read(f, f->path, &desc);
    assert_string_equal(sparcl_data_column_name(data, 1), "1, 1001, 1003, ...");
    assert_null(sparcl_data_column_name(data, 0));
    sparcl_data_free(data);
    write_text(f->path, "1 | 3 1\n1 | 1 3\n");
    data = must_read(f, f->path, &desc);
    assert_string_equal(sparcl_data_column_name(data, 1), "1, 3");
    sparcl_data_free(data);
    write_text(f->path, "1 | 2\n");
    data = must_read(f, f->path, &desc);
    assert_null(sparcl_data_column_name(data, 1));
    sparcl_data_free(data);
}

static void a_long_name_is_cut(void **state) {
    fixture *const f = *state;
    static const int64_t columns[] = {0, 1};
    const sparcl_data_desc desc = {
        .hash_bits = 1, .named_columns = columns, .named_column_count = 2};
    char text[400] = "1 |n ";
    memset(text + 5, 'x', 300);
    strcpy(text + 305, "\n");
    write_text(f->path, text);
    sparcl_data *const data = must_read(f, f->path, &desc);
    const int32_t column = ((const int32_t *)sparcl_data_indices(data))[0];
    const char *const name = sparcl_data_column_name(data, column);
    assert_memory_equal(name, "n^xxxxxxxx", 10);
    assert_int_equal(strlen(name), 95);
    sparcl_data_free(data);
}

static void names_are_kept_only_when_they_are_asked_for(void **state) {
    fixture *const f = *state;
    write_text(f->path, "1 | a\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_null(sparcl_data_column_name(data, 0));
    sparcl_data_free(data);
    assert_null(sparcl_data_column_name(NULL, 0));
    static const int64_t twice[] = {1, 1}, negative[] = {-1};
    const sparcl_data_desc wrong[] = {{.named_columns = twice, .named_column_count = 2},
                                      {.named_columns = negative, .named_column_count = 1},
                                      {.named_columns = twice, .named_column_count = -1},
                                      {.named_column_count = 1}};
    for (size_t i = 0; i < SPC_COUNT(wrong); i++) {
        assert_int_equal(sparcl_data_read(&data, f->path, &wrong[i], &f->error), SPARCL_E_ARG);
        assert_non_null(strstr(f->error.message, "named_column"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(names_are_as_in_the_file), TEST(of_several_names_the_first_in_order_are_kept),
        TEST(a_long_name_is_cut), TEST(names_are_kept_only_when_they_are_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
