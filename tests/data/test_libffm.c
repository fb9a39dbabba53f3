/* test_libffm.c: libFFM text, whose entries have fields, and indices without values. */
#include "data_test.h"

#include "base/macros.h"

static void fields_indices_and_values_are_read(void **state) {
    fixture *f = *state;
    write_text(f->path, "# a remark\n1 0:1:0.5 1:7:1 # b\r\n\n-1\n0 12:3:-2e1\t0:9:1 \n");
    sparcl_data *data = must_read(f, f->path, NULL);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const int64_t offsets[] = {0, 2, 2, 4};
    const int32_t indices[] = {0, 6, 2, 8}, fields[] = {0, 1, 12, 0};
    const float values[] = {0.5f, 1, -20, 1};
    const double labels[] = {1, -1, 0};
    assert_string_equal(info->format, "libffm");
    assert_int_equal(info->rows, 3);
    assert_int_equal(info->columns, 9);
    assert_int_equal(info->fields, 13);
    assert_int_equal(info->index_base, 1);
    assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_fields(data), fields, sizeof fields);
    assert_memory_equal(sparcl_data_values(data), values, sizeof values);
    assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
    assert_null(sparcl_data_weights(data));
    assert_int_equal(sparcl_data_line(data, 2), 5);
    sparcl_data_free(data);
}

static void the_first_entry_decides_whether_there_are_fields(void **state) {
    fixture *f = *state;
    write_text(f->path, "1\n0 qid:3 4:1\n1 0:4:1\n");
    must_refuse(f, f->path, NULL, ":3:6: ", "one colon");
    write_text(f->path, "1\n0 2:4:1\n1 4:1\n");
    must_refuse(f, f->path, NULL, ":3:6: ", "\":\" and a value after the index");
    write_text(f->path, "1 4:1\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_null(sparcl_data_fields(data));
    assert_int_equal(sparcl_data_get_info(data)->fields, 0);
    sparcl_data_free(data);
}

/* Fields order the entries of a row, so indices may come in any order. */
static void entries_are_sorted_with_their_fields_and_duplicates_keep_the_first(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 0:9:1 1:3:2 2:9:4\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    const int32_t indices[] = {2, 8}, fields[] = {1, 0};
    const float values[] = {2, 5};
    assert_int_equal(sparcl_data_get_info(data)->nnz, 3);
    assert_int_equal(sparcl_data_get_info(data)->duplicates, 1);
    assert_int_equal(sparcl_data_get_info(data)->unsorted_rows, 0);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_fields(data), fields, sizeof fields);
    assert_memory_equal(sparcl_data_values(data), values, sizeof values);
    sparcl_data_free(data);
    const sparcl_data_desc strict = {.strict = 1};
    must_refuse(f, f->path, &strict, ":1:1: ", "every index once in a row");
    write_text(f->path, "1 0:9:1 1:3:2\n");
    assert_int_not_equal(fingerprint_of(f, f->path, &strict), 0);
}

static void fields_belong_to_the_fingerprint_and_to_both_parts_of_a_split(void **state) {
    fixture *f = *state;
    assert_int_not_equal(text_fingerprint(f, "1 0:1:1\n"), text_fingerprint(f, "1 2:1:1\n"));
    write_text(f->path, "0 0:1:1 7:2:1\n1 1:1:1\n2 2:1:1 8:2:1\n3 3:1:1\n");
    sparcl_data *data = must_read(f, f->path, NULL), *parts[2];
    assert_int_equal(sparcl_data_split(data, 0.5, 1, &parts[0], &parts[1], &f->error), SPARCL_OK);
    sparcl_data_free(data);
    for (int p = 0; p < 2; p++) {
        const int64_t *offsets = sparcl_data_offsets(parts[p]);
        assert_int_equal(sparcl_data_get_info(parts[p])->rows, 2);
        assert_int_equal(sparcl_data_get_info(parts[p])->fields, 9);
        for (int64_t row = 0; row < 2; row++)
            assert_int_equal(sparcl_data_fields(parts[p])[offsets[row]],
                             (int)sparcl_data_labels(parts[p])[row]);
        sparcl_data_free(parts[p]);
    }
}

static void every_broken_text_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"1 0:1:1 5\n", ":1:10: ", "\":\" after the field, found the end of the line"},
        {"1 0:1:1 x\n", ":1:9: ", "field:index:value, found \"x\""},
        {"1 0:1:1 -1:1:1\n", ":1:9: ", "field:index:value, found \"-1:1:1\""},
        {"1 0:1:1 1:\n", ":1:11: ", "an index after the field"},
        {"1 0:1:1 1:5\n", ":1:12: ", "\":\" and a value after the index"},
        {"1 0:1:1 1:5:\n", ":1:13: ", "a value after \":\""},
        {"1 0:1:1 1:5:x\n", ":1:13: ", "a value after \":\", found \"x\""},
        {"1 0:1:1:1\n", ":1:8: ", "two colons"},
        {"1 0:1:1e39\n", ":1:7: ", "32-bit float"},
        {"1 2147483647:1:1\n", ":1:3: ", "a field up to 2147483646"},
        {"1 99999999999999999999:1:1\n", ":1:3: ", "an index up to"},
        {"1 0:99999999999999999999:1\n", ":1:5: ", "an index up to"},
        {"x 0:1:1\n", ":1:1: ", "this is read as libFFM text"},
        {"1 0:1:1\n0:1:1\n", ":2:1: ", "expected a label, as other rows have one"},
        {"1,2 0:1:1\n", ":1:1: ", "one label"},
        {"", ":1:1: ", "an empty file"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_LIBFFM}, cases[i].place,
                    cases[i].words);
    }
}

static void many_threads_read_the_same(void **state) {
    fixture *f = *state;
    FILE *file = fopen(f->path, "w");
    uint64_t random = 5;
    for (int i = 0; i < 30000; i++) {
        fprintf(file, "%d", i & 1);
        for (int k = 0; k < 12; k++)
            fprintf(file, " %d:%d:%.3f", k, 1 + (int)(next_random(&random) % 5000),
                    (double)(next_random(&random) % 100) / 7);
        fputs("\n", file);
    }
    fclose(file);
    const uint64_t one = fingerprint_of(f, f->path, &(sparcl_data_desc){.threads = 1});
    assert_int_equal(fingerprint_of(f, f->path, &(sparcl_data_desc){.threads = 5}), one);
}

static void an_index_alone_has_the_value_1_where_the_format_says_so(void **state) {
    fixture *f = *state;
    const sparcl_data_desc desc = {.format = SPARCL_DATA_INDICES};
    const uint64_t expected = text_fingerprint(f, "1 3:1 5:2\n-1 1:1\n");
    write_text(f->path, "1 3 5:2 # a\r\n-1 1\r\n");
    assert_int_equal(fingerprint_of(f, f->path, &desc), expected);
    must_refuse(f, f->path, NULL, ":1:4: ", "or name another format (--format csv)");
    write_text(f->path, "1 3x\n");
    must_refuse(f, f->path, &desc, ":1:4: ", "\":\" after the index");
    write_text(f->path, "1 3 3\n");
    assert_int_not_equal(fingerprint_of(f, f->path, &desc), 0);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 0:9:1 1:3:2 2:9:4\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.threads = 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(fields_indices_and_values_are_read),
        TEST(the_first_entry_decides_whether_there_are_fields),
        TEST(entries_are_sorted_with_their_fields_and_duplicates_keep_the_first),
        TEST(fields_belong_to_the_fingerprint_and_to_both_parts_of_a_split),
        TEST(every_broken_text_is_refused_at_its_place),
        TEST(many_threads_read_the_same),
        TEST(an_index_alone_has_the_value_1_where_the_format_says_so),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
