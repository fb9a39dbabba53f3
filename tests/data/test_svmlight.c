/* test_svmlight.c: LIBSVM text: what is read, and what is repaired and counted. */
#include "data_test.h"

#include <fcntl.h>
#include <locale.h>

static void a_row_is_a_label_and_its_entries(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:0.5 3:-2\n-1.5 2:1e-3\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const int64_t offsets[] = {0, 2, 3};
    const int32_t indices[] = {0, 2, 1};
    const float values[] = {0.5f, -2, 1e-3f};
    const double labels[] = {1, -1.5};
    assert_string_equal(info->format, "svmlight");
    assert_int_equal(info->rows, 2);
    assert_int_equal(info->columns, 3);
    assert_int_equal(info->nnz, 3);
    assert_int_equal(info->entries, 3);
    assert_int_equal(info->index_base, 1);
    assert_int_equal(info->min_index, 1);
    assert_int_equal(info->max_index, 3);
    assert_int_equal(info->has_labels, 1);
    assert_int_equal(info->label_count, 2);
    assert_int_equal(info->float64_source, 0);
    assert_int_equal(info->narrowed_values, 0);
    assert_int_equal(sparcl_data_index_type(data), SPARCL_INDEX32);
    assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_values(data), values, sizeof values);
    assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
    assert_null(sparcl_data_label_offsets(data));
    sparcl_data_free(data);
    sparcl_data_free(NULL);
}

static void spelling_changes_nothing(void **state) {
    fixture *f = *state;
    const uint64_t plain = text_fingerprint(f, "1 1:0.5 3:-2\n-1.5 2:10\n");
    const char *const same[] = {
        "1 1:0.5 3:-2\n-1.5 2:10",                              /* no final newline */
        "1 1:0.5 3:-2\r\n-1.5 2:10\r\n",                        /* CR LF */
        "1 1:0.5 3:-2 \r\n-1.5 2:10\r",                         /* only a CR at the end */
        "1\t1:0.5 \t  3:-2\n-1.5 \t2:10\t\n",                   /* tabs, many blanks, blank ends */
        "  1 1:0.5 3:-2\n\t-1.5 2:10\n",                        /* blank beginnings */
        "1 qid:7 1:0.5 3:-2\n-1.5  qid:0 2:10\n",               /* query numbers */
        "\n\n1 1:0.5 3:-2\n   \n\r\n-1.5 2:10\n\n",             /* blank lines */
        "# 5 5:5\n1 1:0.5 3:-2 # 4:1\n#\n  # x\n-1.5 2:10#y\n", /* comments */
        "+1 01:.5 003:-2.0\n-15e-1 2:1e1\n",                    /* numbers */
        "1 3:-2 1:0.5\n-1.5 2:4 2:6\n",                         /* repaired */
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (text_fingerprint(f, same[i]) != plain) fail_msg("differs: %s", same[i]);
    const char *const different[] = {
        "1 1:0.5 3:-2\n-1.5 2:11\n", "1 1:0.5 3:-2\n-1.25 2:10\n",
        "1 1:0.5 3:-2\n-1.5 3:10\n", "1 1:0.5 3:-2\n-1.5 2:10\n-1.5\n",
        "1 1:0.5\n-1.5 2:10 3:-2\n", "1 1:0.5 4:-2\n-1.5 2:10\n",
    };
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        if (text_fingerprint(f, different[i]) == plain) fail_msg("same: %s", different[i]);
}

static void a_row_knows_its_line(void **state) {
    fixture *f = *state;
    write_text(f->path, "# head\n1 1:1\n1 1:1\n\n# more\n1 1:1\n1\n\n\n1");
    sparcl_data *data = must_read(f, f->path, NULL);
    const int64_t lines[] = {2, 3, 6, 7, 10};
    assert_int_equal(sparcl_data_get_info(data)->rows, 5);
    for (int64_t row = 0; row < 5; row++)
        assert_int_equal(sparcl_data_line(data, row), lines[row]);
    assert_int_equal(sparcl_data_line(data, -1), 0);
    assert_int_equal(sparcl_data_line(data, 5), 0);
    sparcl_data_free(data);
}

static void check_base(fixture *f, const char *text, sparcl_index_base given, int base,
                       int64_t columns) {
    const sparcl_data_desc desc = {.index_base = given};
    write_text(f->path, text);
    sparcl_data *data = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_get_info(data)->index_base, base);
    assert_int_equal(sparcl_data_get_info(data)->columns, columns);
    sparcl_data_free(data);
}

static void indices_count_from_0_where_one_is_0_and_else_from_1(void **state) {
    fixture *f = *state;
    check_base(f, "1 1:1 3:1\n", SPARCL_BASE_AUTO, 1, 3);
    check_base(f, "1 1:1 3:1\n0 0:1\n", SPARCL_BASE_AUTO, 0, 4);
    check_base(f, "1 1:1 3:1\n", SPARCL_BASE_0, 0, 4);
    check_base(f, "1 1:1 3:1\n", SPARCL_BASE_1, 1, 3);
    check_base(f, "1\n", SPARCL_BASE_AUTO, 1, 0);
    const sparcl_data_desc from_1 = {.index_base = SPARCL_BASE_1};
    write_text(f->path, "1 1:1\n1 2:1 0:1\n");
    must_refuse(f, f->path, &from_1, ":2:7: ", "found \"0:1\"");
}

static void rows_with_a_label_only_are_rows(void **state) {
    fixture *f = *state;
    write_text(f->path, "1\n2 1:1\n3 \n4 # no features\n5 1:1 2:1 3:1\n6 1:1 2:1");
    sparcl_data *data = must_read(f, f->path, NULL);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    assert_int_equal(info->rows, 6);
    assert_int_equal(info->row_nnz_min, 0);
    assert_int_equal(info->row_nnz_median, 0); /* the lower of 0 and 1 */
    assert_int_equal(info->row_nnz_max, 3);
    sparcl_data_free(data);
    write_text(f->path, "1\n0\n");
    data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->columns, 0);
    assert_int_equal(sparcl_data_get_info(data)->min_index, -1);
    assert_int_equal(sparcl_data_get_info(data)->max_index, -1);
    sparcl_data_free(data);
}

static void several_labels_are_refused_unless_requested(void **state) {
    fixture *f = *state;
    write_text(f->path, "# head\n1,0 2:2.5   10:-5.2\n2 5:1.0\n 2:3.5 11:26\n-3,1e1,0.5\n qid:4\n");
    must_refuse(f, f->path, NULL, ":2:1: ", "found \"1,0\"");
    const sparcl_data_desc many = {.multilabel = 1};
    sparcl_data *data = must_read(f, f->path, &many);
    const int64_t ends[] = {0, 2, 3, 3, 6, 6};
    const double labels[] = {1, 0, 2, -3, 10, 0.5};
    assert_int_equal(sparcl_data_get_info(data)->rows, 5);
    assert_int_equal(sparcl_data_get_info(data)->label_count, 6);
    assert_int_equal(sparcl_data_get_info(data)->nnz, 5);
    assert_memory_equal(sparcl_data_label_offsets(data), ends, sizeof ends);
    assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
    sparcl_data_free(data);
    char dense[4001] = ""; /* no text has more labels for its length */
    for (int i = 0; i < 4000; i++)
        dense[i] = "0,1,2,3,4,5,6,7,8,9\n"[i % 20];
    write_text(f->path, dense);
    data = must_read(f, f->path, &many);
    assert_int_equal(sparcl_data_get_info(data)->label_count, 2000);
    sparcl_data_free(data);
    write_text(f->path, " 1:1\n");
    data = must_read(f, f->path, &many);
    assert_int_equal(sparcl_data_get_info(data)->has_labels, 0);
    assert_null(sparcl_data_labels(data));
    assert_non_null(sparcl_data_label_offsets(data));
    sparcl_data_free(data);
    const char *const bad[] = {"1,\n",     "1,,2 1:1\n", "1, 2 1:1\n",
                               ",1 1:1\n", "1,x 1:1\n",  "1,nan\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(f->path, bad[i]);
        must_refuse(f, f->path, &many, ":1:", "expected a label");
    }
}

static void rows_may_have_no_label(void **state) {
    fixture *f = *state;
    const sparcl_data_desc of_model = {.columns = 5, .index_base = SPARCL_BASE_1};
    write_text(f->path, "1:2 3:4\n2:1\nqid:7 5:1\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    assert_int_equal(info->rows, 3);
    assert_int_equal(info->nnz, 4);
    assert_int_equal(info->unlabelled_rows, 3);
    assert_int_equal(info->has_labels, 0);
    assert_null(sparcl_data_labels(data));
    sparcl_data_free(data);
    write_text(f->path, "1 1:2\n2:1\n");
    must_refuse(f, f->path, NULL, ":2:1: ", "expected a label, as other rows have one");
    data = must_read(f, f->path, &of_model); /* which needs none */
    info = sparcl_data_get_info(data);
    assert_int_equal(info->unlabelled_rows, 1);
    assert_int_equal(info->has_labels, 0);
    sparcl_data_free(data);
}

static void rows_without_a_label_are_left_out(void **state) {
    fixture *f = *state;
    sparcl_data_desc desc = {.labelled_only = 1};
    write_text(f->path, "1 1:2\n# none\n2:1 9:9\n-1 1:1 3:1\n4:1\n");
    sparcl_data *data = must_read(f, f->path, &desc);
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    assert_int_equal(info->rows, 2);
    assert_int_equal(info->entries, 3);
    assert_int_equal(info->label_count, 2);
    assert_int_equal(info->unlabelled_rows, 2);
    assert_int_equal(info->unlabelled_line, 3);
    assert_int_equal(sparcl_data_line(data, 1), 4);
    assert_true(sparcl_data_labels(data)[1] == -1);
    sparcl_data_free(data);
    desc.multilabel = 1; /* such rows have no labels */
    data = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_get_info(data)->rows, 4);
    sparcl_data_free(data);
    desc.multilabel = 0;
    write_text(f->path, "1:2\n2:1\n");
    must_refuse(f, f->path, &desc, ": ", "expected a label for each row, found none in 2 rows");
}

static void unsorted_and_duplicate_indices_are_repaired_and_counted(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 3:1 1:2 2:3\n1 5:1e8 2:7 5:1 5:-1e8\n1 1:1 1:2\n1 1:1 2:1\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const int64_t offsets[] = {0, 3, 5, 6, 8};
    const int32_t indices[] = {0, 1, 2, 1, 4, 0, 0, 1};
    const float values[] = {2, 3, 1, 7, 0 /* (1e8 + 1) - 1e8 in f32 */, 3, 1, 1};
    assert_int_equal(info->nnz, 11);
    assert_int_equal(info->entries, 8);
    assert_int_equal(info->duplicates, 3);
    assert_int_equal(info->unsorted_rows, 2);
    assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_values(data), values, sizeof values);
    sparcl_data_free(data);
}

/* A long row, compared with a dense array. */
static void a_long_row_in_any_order_is_sorted_and_summed(void **state) {
    fixture *f = *state;
    enum { ENTRIES = 20000, WIDTH = 7000 };
    static float sums[WIDTH];
    static int counts[WIDTH];
    memset(sums, 0, sizeof sums);
    memset(counts, 0, sizeof counts);
    uint64_t random = 9;
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    fputs("1", file);
    for (int i = 0; i < ENTRIES; i++) {
        const int index = (int)(next_random(&random) % WIDTH);
        const float value = (float)(next_random(&random) % 1000) / 7;
        fprintf(file, " %d:%.9g", index, (double)value);
        sums[index] += value;
        counts[index]++;
    }
    fclose(file);
    const sparcl_data_desc from_0 = {.index_base = SPARCL_BASE_0};
    sparcl_data *data = must_read(f, f->path, &from_0);
    const int32_t *indices = sparcl_data_indices(data);
    const float *values = sparcl_data_values(data);
    int64_t at = 0;
    for (int k = 0; k < WIDTH; k++) {
        if (counts[k] == 0) continue;
        assert_int_equal(indices[at], k);
        assert_true(values[at] == sums[k]);
        at++;
    }
    assert_int_equal(sparcl_data_get_info(data)->entries, at);
    assert_int_equal(sparcl_data_get_info(data)->duplicates, ENTRIES - at);
    sparcl_data_free(data);
}

static void nan_and_infinity_are_read_and_counted(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:nan 2:inf 3:-Infinity 4:1\n0 1:NaN 2:+INF 3:3e38 4:1 3:3e38\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->nan_values, 2);
    assert_int_equal(sparcl_data_get_info(data)->inf_values,
                     4); /* a sum that overflows f32 is one */
    assert_true(isnan(sparcl_data_values(data)[0]));
    assert_true(sparcl_data_values(data)[2] == -INFINITY);
    sparcl_data_free(data);
}

static void the_first_value_that_is_not_finite_has_a_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place;
    } cases[] = {
        {"1 1:nan\n", ":1:5"},
        {"# a remark\n\n 1 7:1\t12:-inf 13:nan\n1 1:nan\n", ":3:11"},
        {"1 5:1 2:1 3:inf 2:nan\n", ":1:13"}, /* as written, not as sorted */
        {"1 1:1\n1 1:3e38 1:3e38\n", ":2:1"}, /* a sum */
        {"1 1:3e38 1:3e38 2:inf\n", ":1:19"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(f->path, cases[i].text);
        must_find_bad(f, f->path, NULL, cases[i].place);
    }
    char text[4096 * 200 + 100], *at = text; /* in a later block of lines */
    for (int i = 0; i < 40000; i++)
        at += sprintf(at, "1 1:1 2:2.5 3:3\n");
    strcpy(at, "1 4:nan\n");
    write_text(f->path, text);
    must_find_bad(f, f->path, &(sparcl_data_desc){.threads = 4}, ":40001:5");
    write_text(f->path, "1 1:1\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_check_finite(data, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_data_check_finite(NULL, &f->error), SPARCL_E_ARG);
    sparcl_data_free(data);
}

static void the_place_of_a_row_is_its_file_line_and_column(void **state) {
    fixture *f = *state;
    char place[256], expected[256];
    write_text(f->path, "1 1:1\n# a remark\n2 1:1\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    snprintf(expected, sizeof expected, "%s:3:1", f->path);
    assert_string_equal(sparcl_data_place(data, 1, place, sizeof place), expected);
    assert_string_equal(sparcl_data_place(data, -1, place, sizeof place), f->path);
    assert_string_equal(sparcl_data_place(data, 2, place, sizeof place), f->path);
    assert_string_equal(sparcl_data_place(data, 1, place, 5), "/tmp");
    sparcl_data_free(data);
}

static void small_values_round_to_subnormals_and_zero(void **state) {
    fixture *f = *state;
    write_text(f->path, "1e-320 1:1e-40 2:1e-99 3:-1e-99 4:1.17549435e-38 5:1e-99999\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    const float values[] = {1e-40f, 0, -0.0f, 1.17549435e-38f, 0};
    assert_memory_equal(sparcl_data_values(data), values, sizeof values);
    assert_true(sparcl_data_labels(data)[0] == 1e-320);
    sparcl_data_free(data);
}

static void indices_are_64_bit_where_the_width_needs_it(void **state) {
    fixture *f = *state;
    const struct {
        const char *text;
        int64_t given, columns, last;
        sparcl_itype type;
    } cases[] = {
        {"1 1:1 2147483647:1\n", 0, INT32_MAX, INT32_MAX - 1, SPARCL_INDEX32},
        {"1 0:1 2147483647:1\n", 0, (int64_t)INT32_MAX + 1, INT32_MAX, SPARCL_INDEX64},
        {"1 1:1 2147483648:1\n", 0, (int64_t)INT32_MAX + 1, INT32_MAX, SPARCL_INDEX64},
        {"1 1:1 5:1\n", (int64_t)1 << 40, (int64_t)1 << 40, 4, SPARCL_INDEX64},
        {"1 5:1 9223372036854775807:1\n", 0, INT64_MAX, INT64_MAX - 1, SPARCL_INDEX64},
        {"1 0:1 9223372036854775806:1\n", 0, INT64_MAX, INT64_MAX - 1, SPARCL_INDEX64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sparcl_data_desc desc = {.columns = cases[i].given};
        write_text(f->path, cases[i].text);
        sparcl_data *data = must_read(f, f->path, &desc);
        const void *indices = sparcl_data_indices(data);
        assert_int_equal(sparcl_data_index_type(data), cases[i].type);
        assert_int_equal(sparcl_data_get_info(data)->columns, cases[i].columns);
        assert_int_equal(cases[i].type == SPARCL_INDEX64 ? ((const int64_t *)indices)[1]
                                                         : ((const int32_t *)indices)[1],
                         cases[i].last);
        sparcl_data_free(data);
    }
}

static void the_number_of_threads_changes_nothing(void **state) {
    fixture *f = *state;
    sparcl_data_desc desc = {.threads = 1};
    write_large(f->path, "1 3000000000:1\n1 7:1\n");
    sparcl_data *serial = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_line(serial, 20001), 20402);
    for (desc.threads = 2; desc.threads <= 20; desc.threads += 3) {
        sparcl_data *data = must_read(f, f->path, &desc);
        assert_memory_equal(sparcl_data_get_info(data), sparcl_data_get_info(serial),
                            sizeof(sparcl_data_info));
        for (int64_t row = 0; row < 20002; row += 17)
            assert_int_equal(sparcl_data_line(data, row), sparcl_data_line(serial, row));
        sparcl_data_free(data);
    }
    sparcl_data_free(serial);
}

static void a_minus_is_standard_input(void **state) {
    fixture *f = *state;
    write_large(f->path, "");
    const uint64_t plain = fingerprint_of(f, f->path, NULL);
    const int before = dup(STDIN_FILENO);
    const int file = open(f->path, O_RDONLY);
    assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(fingerprint_of(f, "-", NULL), plain);
    char command[300];
    snprintf(command, sizeof command, "cat '%s'", f->path);
    FILE *pipe = popen(command, "r");
    assert_int_equal(dup2(fileno(pipe), STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(fingerprint_of(f, "-", NULL), plain);
    pclose(pipe);
    write_text(f->path, "x\n");
    lseek(file, 0, SEEK_SET);
    assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
    sparcl_data *data = NULL;
    assert_int_equal(sparcl_data_read(&data, "-", NULL, &f->error), SPARCL_E_FORMAT);
    assert_memory_equal(f->error.message, "standard input:1:1: ", 20);
    dup2(before, STDIN_FILENO);
    close(before);
    close(file);
}

static void lines_may_be_longer_than_any_block(void **state) {
    fixture *f = *state;
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    for (int row = 0; row < 3; row++) {
        fprintf(file, "%d", row);
        for (int i = 1; i <= 300000; i++)
            fprintf(file, " %d:1", i);
        fputs(row < 2 ? "\n" : "", file);
    }
    fclose(file);
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->rows, 3);
    assert_int_equal(sparcl_data_get_info(data)->row_nnz_min, 300000);
    assert_int_equal(sparcl_data_get_info(data)->nnz, 900000);
    sparcl_data_free(data);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    write_text(f->path, "# c\n1 3:1 1:1\n1 3000000000:1\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.multilabel = 1});
    write_medium(f->path, "1 3000000000:1\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.threads = 3});
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    must_survive_memory_failures(f, f->other, (sparcl_data_desc){.threads = 2});
}

static void the_comma_of_a_locale_changes_nothing(void **state) {
    fixture *f = *state;
    const uint64_t plain = text_fingerprint(f, "0.5 1:1.5 2:1.000000059604644775390625\n");
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) skip();
    const uint64_t comma = fingerprint_of(f, f->path, NULL);
    setlocale(LC_ALL, "C");
    assert_int_equal(comma, plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_row_is_a_label_and_its_entries),
        TEST(spelling_changes_nothing),
        TEST(a_row_knows_its_line),
        TEST(indices_count_from_0_where_one_is_0_and_else_from_1),
        TEST(rows_with_a_label_only_are_rows),
        TEST(several_labels_are_refused_unless_requested),
        TEST(rows_may_have_no_label),
        TEST(rows_without_a_label_are_left_out),
        TEST(unsorted_and_duplicate_indices_are_repaired_and_counted),
        TEST(a_long_row_in_any_order_is_sorted_and_summed),
        TEST(nan_and_infinity_are_read_and_counted),
        TEST(the_first_value_that_is_not_finite_has_a_place),
        TEST(the_place_of_a_row_is_its_file_line_and_column),
        TEST(small_values_round_to_subnormals_and_zero),
        TEST(indices_are_64_bit_where_the_width_needs_it),
        TEST(the_number_of_threads_changes_nothing),
        TEST(a_minus_is_standard_input),
        TEST(lines_may_be_longer_than_any_block),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
        TEST(the_comma_of_a_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
