/* test_vw.c: Vowpal Wabbit text. The columns are those that vw 9.11 --audit --noconstant prints. */
#include "data_test.h"

#include "base/macros.h"

typedef struct column {
    int32_t index;
    float value;
} column;

static void check_row(fixture *f, const char *text, int bits, int count, const column *expected) {
    write_text(f->path, text);
    const sparcl_data_desc desc = {.format = SPARCL_DATA_VW, .hash_bits = bits};
    sparcl_data *data = must_read(f, f->path, &desc);
    const int32_t *indices = sparcl_data_indices(data);
    assert_int_equal(sparcl_data_get_info(data)->rows, 1);
    if (sparcl_data_get_info(data)->entries != count) fail_msg("%s", text);
    for (int k = 0; k < count; k++)
        if (indices[k] != expected[k].index || sparcl_data_values(data)[k] != expected[k].value)
            fail_msg("%s: %d:%g", text, (int)indices[k], (double)sparcl_data_values(data)[k]);
    sparcl_data_free(data);
}

static void names_have_the_columns_of_vowpal_wabbit(void **state) {
    fixture *f = *state;
    check_row(f, "1 |f a b:2 3 4:0.5\n", 18, 4,
              (column[]){{14355, 1}, {34878, 1}, {34879, 0.5f}, {146788, 2}});
    check_row(f, "1 |ns:0.5 a b:2 |1 7 x\n", 0, 4,
              (column[]){{8, 1}, {50664, 1}, {174622, 1}, {180474, 0.5f}});
    check_row(f, "1 | a :3 :4 5\n", 0, 4, (column[]){{0, 3}, {1, 4}, {5, 1}, {92594, 1}});
    check_row(f, "1 |f a b:0 c:-1\n", 0, 2, (column[]){{14355, 1}, {253856, -1}});
    check_row(f, "1 |f a:x\n", 0, 1, (column[]){{187176, 1}});
    check_row(f, "1 |f a:-x\n", 0, 1, (column[]){{105306, 1}});
    check_row(f, "1 |f 123456789012345678901234567890 00012\n", 0, 2,
              (column[]){{34887, 1}, {234253, 1}});
    check_row(f, "1 |f a|g b\n", 0, 2, (column[]){{14355, 1}, {149920, 1}});
    check_row(f, "1 |f a | b\r\n", 0, 2, (column[]){{14355, 1}, {163331, 1}});
    check_row(f, "1\t|f\ta\tb:2", 0, 2, (column[]){{14355, 1}, {146788, 2}});
    check_row(f, "  1 |f \xc3\xa9 #x \n", 0, 2, (column[]){{56964, 1}, {238967, 1}});
    check_row(f, "1 |f a:+1.5e1 b:.5 c:1e-3 d:1.\n", 0, 4,
              (column[]){{14355, 15}, {146788, 0.5f}, {166545, 1}, {253856, 1e-3f}});
    check_row(f, "1 |f a\n", 10, 1, (column[]){{14355 & 1023, 1}});
    check_row(f, "1\n", 0, 0, NULL);
}

static void labels_importances_and_tags_stand_before_the_features(void **state) {
    fixture *f = *state;
    const char text[] = "1 |f a\n\n-1 2.5 'tag|f a\n0.5 0 tag|f a\n+3e0 'x |f a\n7 0.25 0 |f a\n";
    write_text(f->path, text);
    sparcl_data *data = must_read(f, f->path, NULL);
    const double labels[] = {1, -1, 0.5, 3, 7};
    const float weights[] = {1, 2.5f, 0, 1, 0.25f};
    assert_string_equal(sparcl_data_get_info(data)->format, "vw");
    assert_int_equal(sparcl_data_get_info(data)->hash_bits, 18);
    assert_int_equal(sparcl_data_get_info(data)->columns, 1 << 18);
    assert_int_equal(sparcl_data_get_info(data)->index_base, 0);
    assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
    assert_memory_equal(sparcl_data_weights(data), weights, sizeof weights);
    assert_int_equal(sparcl_data_line(data, 1), 3);
    sparcl_data *rest, *held;
    assert_int_equal(sparcl_data_split(data, 0.4, 1, &rest, &held, &f->error), SPARCL_OK);
    for (int64_t row = 0; row < 2; row++)
        for (int k = 0; k < 5; k++)
            if (labels[k] == sparcl_data_labels(held)[row])
                assert_true(sparcl_data_weights(held)[row] == weights[k]);
    sparcl_data_free(rest);
    sparcl_data_free(held);
    sparcl_data_free(data);
    write_text(f->path, "1 1 |f a\n1 |f b\n");
    data = must_read(f, f->path, NULL);
    assert_null(sparcl_data_weights(data)); /* all are 1 */
    sparcl_data_free(data);
}

static void names_that_share_a_column_are_counted(void **state) {
    fixture *f = *state;
    const sparcl_data_desc desc = {.hash_bits = 2, .strict = 1};
    write_text(f->path, "1 | 0 4 1\n0 | 4 1:2 2\n0 | 1:3 1\n"); /* 0 and 4 share column 0 */
    sparcl_data *data = must_read(f, f->path, &desc);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    assert_int_equal(info->columns, 4);
    assert_int_equal(info->shared_columns, 1);
    assert_int_equal(info->nnz, 8);
    assert_int_equal(info->duplicates, 2); /* 0 and 4; 1 and 1 */
    assert_int_equal(info->unsorted_rows, 0);
    assert_true(sparcl_data_values(data)[0] == 2);
    sparcl_data_free(data);
    data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->shared_columns, 0);
    sparcl_data_free(data);
    data = must_read(f, f->path, &(sparcl_data_desc){.hash_bits = 25});
    assert_int_equal(sparcl_data_get_info(data)->shared_columns, -1);
    sparcl_data_free(data);
}

static void the_width_says_how_many_bits(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 |f a\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.columns = 1024});
    assert_int_equal(sparcl_data_get_info(data)->hash_bits, 10);
    sparcl_data_free(data);
    must_refuse(f, f->path, &(sparcl_data_desc){.columns = 1000}, ": ", "at most 1000 columns");
    data = must_read(f, f->path, &(sparcl_data_desc){.columns = 1000, .hash_bits = 9});
    assert_int_equal(sparcl_data_get_info(data)->columns, 1000);
    sparcl_data_free(data);
    must_refuse(f, f->path, &(sparcl_data_desc){.index_base = SPARCL_BASE_1}, ": ", "from 0");
    must_refuse(f, f->path, &(sparcl_data_desc){.multilabel = 1}, ": ", "which has one");
    for (int bits = -1; bits <= 32; bits += 33) {
        const sparcl_data_desc wrong = {.hash_bits = bits};
        assert_int_equal(sparcl_data_read(&data, f->path, &wrong, &f->error), SPARCL_E_ARG);
    }
}

static void every_broken_text_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"1 |f a\n|f b\n", ":2:1: ", "expected a label, as other rows have one, found none"},
        {"'t |f a\n1 |f b\n", ":1:1: ", "expected a label, as other rows have one, found none"},
        {"x |f a\n", ":1:1: ", "a label"},
        {"nan |f a\n", ":1:1: ", "a label"},
        {"1|f a\n", ":1:2: ", "a blank before \"|\""},
        {"1 x |f a\n", ":1:3: ", "an importance, a finite decimal number, found \"x\""},
        {"1 -2 |f a\n", ":1:3: ", "an importance of at least 0"},
        {"1 2 0.5 |f a\n", ":1:5: ", "no initial prediction"},
        {"1 2 0 0 |f a\n", ":1:7: ", "\"|\" before the features"},
        {"1 'a b |f a\n", ":1:6: ", "\"|\" before the features, found \"b\""},
        {"1 |f a:1:2\n", ":1:8: ", "a number after \":\""},
        {"1 |f a:\n", ":1:8: ", "a number after \":\", found the end of the line"},
        {"1 |f a: b\n", ":1:8: ", "found a blank"},
        {"1 |f a:12ab\n", ":1:8: ", "a number after \":\", found \"12ab\""},
        {"1 |f a:1e39\n", ":1:8: ", "32-bit float"},
        {"1 |f: a\n", ":1:6: ", "a number after \":\""},
        {"1 |f:x a\n", ":1:6: ", "a number after \":\""},
        {"1 |f a\r b\n", ":1:7: ", "a blank after the feature"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_VW}, cases[i].place,
                    cases[i].words);
    }
    const char text[] = "1 2 'tag|ns:2 a:b c:1 :2 |x y\n";
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        char broken[sizeof text];
        memcpy(broken, text, sizeof text);
        broken[i] = '\0';
        write_bytes(f->path, broken, sizeof text - 1);
        must_refuse(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_VW}, ":1:", "");
    }
}

static void many_threads_read_and_count_the_same(void **state) {
    fixture *f = *state;
    FILE *file = fopen(f->path, "w");
    uint64_t random = 5;
    for (int i = 0; i < 30000; i++) {
        fprintf(file, "%d |a", i & 1);
        for (int k = 0; k < 12; k++)
            fprintf(file, " w%d", (int)(next_random(&random) % 300000));
        fputs("\n", file);
    }
    fclose(file);
    sparcl_data *one = must_read(f, f->path, &(sparcl_data_desc){.threads = 1});
    sparcl_data *many = must_read(f, f->path, &(sparcl_data_desc){.threads = 5});
    assert_int_equal(sparcl_data_get_info(one)->fingerprint,
                     sparcl_data_get_info(many)->fingerprint);
    assert_int_equal(sparcl_data_get_info(one)->shared_columns,
                     sparcl_data_get_info(many)->shared_columns);
    assert_true(sparcl_data_get_info(one)->shared_columns > 1000);
    sparcl_data_free(one);
    sparcl_data_free(many);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 2 |f a b:2 3 4:0.5\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.threads = 1});
}

/* As test files have them; with the width of a model also where some have labels. */
static void rows_may_have_no_label(void **state) {
    fixture *f = *state;
    static const char *const texts[] = {"|f a\n |f c\n", "'first|f a\n'second |f c\n",
                                        "first|f a\n| c\n"};
    for (size_t i = 0; i < SPC_COUNT(texts) + 1; i++) {
        const bool mixed = i == SPC_COUNT(texts);
        const sparcl_data_desc desc = {.columns = mixed ? 1 << 18 : 0};
        write_text(f->path, mixed ? "1 |f a\n|f c\n" : texts[i]);
        sparcl_data *const data = must_read(f, f->path, &desc);
        const sparcl_data_info *const info = sparcl_data_get_info(data);
        assert_int_equal(info->rows, 2);
        assert_int_equal(info->entries, 2);
        assert_int_equal(info->unlabelled_rows, mixed ? 1 : 2);
        assert_int_equal(info->has_labels, 0);
        assert_null(sparcl_data_labels(data));
        sparcl_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(rows_may_have_no_label),
        TEST(names_have_the_columns_of_vowpal_wabbit),
        TEST(labels_importances_and_tags_stand_before_the_features),
        TEST(names_that_share_a_column_are_counted),
        TEST(the_width_says_how_many_bits),
        TEST(every_broken_text_is_refused_at_its_place),
        TEST(many_threads_read_and_count_the_same),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
