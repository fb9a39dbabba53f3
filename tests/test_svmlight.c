/* test_svmlight.c: LIBSVM text: what is read, what is repaired and counted, what is refused where.
 */
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
    assert_int_equal(sparcl_data_index_type(data), SPARCL_I32);
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
        "1 1:0.5 3:-2 \r\n-1.5 2:10\r",                         /* a CR alone at the end */
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

static void check_base(fixture *f, const char *text, sparcl_index_base told, int base,
                       int64_t columns) {
    const sparcl_data_desc desc = {.index_base = told};
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

static void many_labels_are_refused_unless_told(void **state) {
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
    write_text(f->path, " 1:1\n");
    must_refuse(f, f->path, NULL, ":1:2: ", "multi-label");
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

static void unsorted_and_repeated_indices_are_repaired_and_counted(void **state) {
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

static void disorder_is_refused_under_strict_at_its_first_entry(void **state) {
    fixture *f = *state;
    const sparcl_data_desc strict = {.strict = 1};
    write_text(f->path, "1 1:1 2:1\n1 3:1 5:1 4:1 1:1\n");
    must_refuse(f, f->path, &strict, ":2:11: ", "expected an index above 5, found \"4:1\"");
    write_text(f->path, "1 1:1 2:1\n1 3:1 3:1\n");
    must_refuse(f, f->path, &strict, ":2:7: ", "expected an index above 3, found \"3:1\"");
    write_text(f->path, "1 1:1 2:1\n1 1:1\n");
    sparcl_data_free(must_read(f, f->path, &strict));
}

/* A long row against the plain way: a dense array. */
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
    assert_int_equal(sparcl_data_get_info(data)->inf_values, 4); /* the sum past f32 is one */
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

static void the_label_of_a_row_has_a_place(void **state) {
    fixture *f = *state;
    char place[256], wanted[256];
    write_text(f->path, "1 1:1\n# a remark\n2 1:1\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    snprintf(wanted, sizeof wanted, "%s:3:1", f->path);
    assert_string_equal(sparcl_data_place(data, 1, place, sizeof place), wanted);
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

static void every_broken_text_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"", ":1:1: ", "an empty file"},
        {"\n", ":1:1: ", "only comments and blank lines"},
        {"# a\n\n# b", ":3:1: ", "only comments and blank lines"},
        {"1 1:1\nx 1:1\n", ":2:1: ", "found \"x\""},
        {"1:1\n", ":1:1: ", "expected a label, found \"1:1\""},
        {"1 1:1\n 2:1 3:1\n", ":2:2: ", "expected a label, found \"2:1\""},
        {"nan 1:1\n", ":1:1: ", "a finite decimal number, found \"nan\""},
        {"-inf 1:1\n", ":1:1: ", "a finite decimal number"},
        {"1e309 1:1\n", ":1:1: ", "below 1.8e308"},
        {"0x1 1:1\n", ":1:1: ", "found \"0x1\""},
        {"1,2 1:1\n", ":1:1: ", "expected one label"},
        {"1 1:1e999\n", ":1:5: ", "32-bit float can hold, up to 3.4e38, found \"1e999\""},
        {"1 1:1\n1 2:-1e39 3:1\n", ":2:5: ", "found \"-1e39\""},
        {"1 1:3.4028235677973367e38\n", ":1:5: ", "32-bit float"},
        {"1 -1:1\n", ":1:3: ", "expected an index from 0, found \"-1:1\""},
        {"1 9223372036854775808:1\n", ":1:3: ", "up to 9223372036854775807"},
        {"1 99999999999999999999999:1\n", ":1:3: ", "up to 9223372036854775807"},
        {"1 0:1 9223372036854775807:1\n", ":1:7: ", "up to 9223372036854775806"},
        {"1 1:0x1p3\n", ":1:6: ", "a blank after the value, found \"x1p3\""},
        {"1 1:1x\n", ":1:6: ", "found \"x\""},
        {"1 1:1:2\n", ":1:6: ", "one colon"},
        {"1 1:1,5 2:1\n", ":1:6: ", "found \",5\""},
        {"1 1:nanx\n", ":1:8: ", "found \"x\""},
        {"1 5\n", ":1:4: ", "\":\" and a value after the index, found the end of the line"},
        {"1 5 6:1\n", ":1:4: ", "found a blank"},
        {"1 5", ":1:4: ", "found the end of the line"},
        {"1 5:\n", ":1:5: ", "a value after \":\", found the end of the line"},
        {"1 5: 6:1\n", ":1:5: ", "found a blank"},
        {"1 5:\r\n", ":1:5: ", "the end of the line"},
        {"1 5:x\n", ":1:5: ", "found \"x\""},
        {"1 :1\n", ":1:3: ", "found \":1\""},
        {"1 5 :1\n", ":1:4: ", "found a blank"},
        {"1 +5:1\n", ":1:3: ", "expected index:value"},
        {"1 1.5:1\n", ":1:4: ", "expected \":\""},
        {"1 a:1\n", ":1:3: ", "expected index:value, found \"a:1\""},
        {"1 |f 1:1\n", ":1:3: ", "found \"|f\""},
        {"1 1:1 qid:3\n", ":1:7: ", "right after the label"},
        {"1 qid:x 1:1\n", ":1:3: ", "with digits"},
        {"1 qid: 1:1\n", ":1:3: ", "with digits"},
        {"1 qid:1:1\n", ":1:3: ", "with digits"},
        {"1 1:1\r2 1:1\r", ":1:6: ", "line feed after the carriage return"},
        {"1 1:1 \f2:1\n", ":1:7: ", "found \"\\x0c2:1\""},
        {"\xef\xbb\xbf"
         "1 1:1\n",
         ":1:1: ", "found \"\\xef\\xbb\\xbf1\""},
        {"1 1:1 99999999999x999999999999999999999\n", ":1:18: ", "found \"x999999999999999999"},
        {"0 0 0 2  1 2  2 2\n", ":1:4: ", "found a blank"},
        {"-1 3 9 18\n", ":1:5: ", "found a blank"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, NULL, cases[i].place, cases[i].words);
    }
}

static void a_nul_byte_is_refused_wherever_it_stands(void **state) {
    fixture *f = *state;
    const char text[] = "1 qid:1 12:1.5 3:1 # a b\n";
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        char broken[sizeof text];
        memcpy(broken, text, sizeof text);
        broken[i] = '\0';
        write_bytes(f->path, broken, sizeof text - 1);
        must_refuse(f, f->path, NULL, ":1:", "");
    }
    static char zeros[3 << 20];
    write_bytes(f->path, zeros, sizeof zeros);
    must_refuse(f, f->path, NULL, ":1:1: ", "found \"\\x00");
}

static void random_bytes_are_refused(void **state) {
    fixture *f = *state;
    uint64_t random = 12;
    for (int i = 0; i < 300; i++) {
        char bytes[4096];
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (char)next_random(&random);
        write_bytes(f->path, bytes, sizeof bytes);
        must_refuse(f, f->path, NULL, ":", "");
    }
}

static void an_index_past_the_width_is_refused_unless_widened(void **state) {
    fixture *f = *state;
    const sparcl_data_desc narrow = {.columns = 4};
    write_text(f->path, "1 1:1 4:1\n1 2:1 5:1\n1 9:1\n");
    must_refuse(f, f->path, &narrow, ":2:7: ", "expected an index up to 4, found 5");
    must_refuse(f, f->path, &narrow, ":2:7: ", "columns were asked for, the entry needs 5");
    write_text(f->path, "1 1:1 4:1\n1 2:1 5:1\n1 0:1\n");
    must_refuse(f, f->path, &narrow, ":1:7: ", "expected an index up to 3, found 4");
    const sparcl_data_desc from_0 = {.columns = 4, .index_base = SPARCL_BASE_0};
    write_text(f->path, "1 1:1 4:1\n");
    must_refuse(f, f->path, &from_0, ":1:7: ", "expected an index up to 3, found 4");
    assert_int_not_equal(fingerprint_of(f, f->path, &narrow), 0);
    const sparcl_data_desc wide = {.columns = 4, .widen = 1};
    write_text(f->path, "1 1:1 4:1\n1 2:1 5:1\n1 9:1\n");
    sparcl_data *data = must_read(f, f->path, &wide);
    assert_int_equal(sparcl_data_get_info(data)->columns, 9);
    sparcl_data_free(data);
    const sparcl_data_desc told = {.columns = 100};
    data = must_read(f, f->path, &told);
    assert_int_equal(sparcl_data_get_info(data)->columns, 100);
    sparcl_data_free(data);
}

static void indices_are_64_bit_where_the_width_needs_it(void **state) {
    fixture *f = *state;
    const struct {
        const char *text;
        int64_t told, columns, last;
        sparcl_itype type;
    } cases[] = {
        {"1 1:1 2147483647:1\n", 0, INT32_MAX, INT32_MAX - 1, SPARCL_I32},
        {"1 0:1 2147483647:1\n", 0, (int64_t)INT32_MAX + 1, INT32_MAX, SPARCL_I64},
        {"1 1:1 2147483648:1\n", 0, (int64_t)INT32_MAX + 1, INT32_MAX, SPARCL_I64},
        {"1 1:1 5:1\n", (int64_t)1 << 40, (int64_t)1 << 40, 4, SPARCL_I64},
        {"1 5:1 9223372036854775807:1\n", 0, INT64_MAX, INT64_MAX - 1, SPARCL_I64},
        {"1 0:1 9223372036854775806:1\n", 0, INT64_MAX, INT64_MAX - 1, SPARCL_I64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sparcl_data_desc desc = {.columns = cases[i].told};
        write_text(f->path, cases[i].text);
        sparcl_data *data = must_read(f, f->path, &desc);
        const void *indices = sparcl_data_indices(data);
        assert_int_equal(sparcl_data_index_type(data), cases[i].type);
        assert_int_equal(sparcl_data_get_info(data)->columns, cases[i].columns);
        assert_int_equal(cases[i].type == SPARCL_I64 ? ((const int64_t *)indices)[1]
                                                     : ((const int32_t *)indices)[1],
                         cases[i].last);
        sparcl_data_free(data);
    }
}

/* Rows with comments, one long line and disorder. */
static void write_rows(const char *path, int rows, int longest, const char *last) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    uint64_t random = 21;
    for (int i = 0; i < rows; i++) {
        fprintf(file, "%d", i % 7);
        const int entries = i == rows / 4 ? longest : (int)(next_random(&random) % 20);
        for (int k = 0; k < entries; k++)
            fprintf(file, " %d:%.4g", 1 + (int)(next_random(&random) % 50000),
                    (double)(next_random(&random) % 1000) / 31);
        fputs(i % 50 == 0 ? "\n# comment\n" : "\n", file);
    }
    fputs(last, file);
    fclose(file);
}

/* About 3 MB: more blocks than threads. */
static void write_large(const char *path, const char *last) {
    write_rows(path, 20000, 90000, last);
}

/* About 500 KB: more than one block of text, and compressed more than is read at once. Decoders are
 * slow. */
static void write_medium(const char *path, const char *last) {
    write_rows(path, 3000, 15000, last);
}

static void the_number_of_threads_changes_nothing(void **state) {
    fixture *f = *state;
    sparcl_data_desc desc = {.threads = 1};
    write_large(f->path, "1 3000000000:1\n1 7:1\n");
    sparcl_data *alone = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_line(alone, 20001), 20402);
    for (desc.threads = 2; desc.threads <= 20; desc.threads += 3) {
        sparcl_data *data = must_read(f, f->path, &desc);
        assert_memory_equal(sparcl_data_get_info(data), sparcl_data_get_info(alone),
                            sizeof(sparcl_data_info));
        for (int64_t row = 0; row < 20002; row += 17)
            assert_int_equal(sparcl_data_line(data, row), sparcl_data_line(alone, row));
        sparcl_data_free(data);
    }
    sparcl_data_free(alone);
}

static void the_first_error_is_told_with_any_number_of_threads(void **state) {
    fixture *f = *state;
    write_large(f->path, "1 1:1 x\n1 y\n");
    for (int threads = 0; threads <= 8; threads++) {
        const sparcl_data_desc desc = {.threads = threads};
        must_refuse(f, f->path, &desc, ":20401:7: ", "found \"x\"");
    }
    const sparcl_data_desc narrow = {.columns = 49990, .threads = 4};
    write_large(f->path, "");
    must_refuse(f, f->path, &narrow, ":1119:107: ", "found 50000");
    char first[sizeof f->error.message];
    snprintf(first, sizeof first, "%s", f->error.message);
    const sparcl_data_desc alone = {.columns = 49990, .threads = 1};
    must_refuse(f, f->path, &alone, ":", "");
    assert_string_equal(f->error.message, first);
}

typedef int add_filter(struct archive *);

static add_filter *const filters[] = {archive_write_add_filter_gzip, archive_write_add_filter_bzip2,
                                      archive_write_add_filter_xz, archive_write_add_filter_zstd,
                                      archive_write_add_filter_lz4};

enum { FILTERS = sizeof filters / sizeof *filters };

static void compress_file(const char *from, const char *to, add_filter *filter) {
    size_t size = 0;
    char *bytes = read_bytes(from, &size);
    struct archive *archive = archive_write_new();
    assert_int_equal(filter(archive), ARCHIVE_OK);
    assert_int_equal(archive_write_set_format_raw(archive), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(archive, to), ARCHIVE_OK);
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(archive, bytes, size), size);
    archive_entry_free(entry);
    assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
    free(bytes);
}

static void compression_is_seen_through(void **state) {
    fixture *f = *state;
    write_medium(f->path, "");
    const uint64_t plain = fingerprint_of(f, f->path, NULL);
    for (int i = 0; i < FILTERS; i++) {
        compress_file(f->path, f->other, filters[i]);
        assert_int_equal(fingerprint_of(f, f->other, NULL), plain);
    }
}

static void several_compressed_streams_in_a_row_are_one_text(void **state) {
    fixture *f = *state;
    const uint64_t plain =
        text_fingerprint(f, "1 1:1 2:2\n0 3:3\n1 1:1 2:2\n0 3:3\n1 1:1 2:2\n0 3:3\n");
    for (int i = 0; i < FILTERS; i++) {
        write_text(f->path, "1 1:1 2:2\n0 3:3\n");
        compress_file(f->path, f->other, filters[i]);
        size_t size = 0;
        char *one = read_bytes(f->other, &size);
        FILE *file = fopen(f->other, "wb");
        for (int k = 0; k < 3; k++)
            assert_int_equal(fwrite(one, 1, size, file), size);
        fclose(file);
        free(one);
        assert_int_equal(fingerprint_of(f, f->other, NULL), plain);
    }
}

/* Members longer and shorter than what is read at once, cut anywhere in a line. */
static void many_gzip_members_are_one_text(void **state) {
    fixture *f = *state;
    write_large(f->path, "");
    const uint64_t plain = fingerprint_of(f, f->path, NULL);
    size_t size = 0;
    char *bytes = read_bytes(f->path, &size);
    char part[128];
    snprintf(part, sizeof part, "%s/part", f->folder);
    FILE *all = fopen(f->other, "wb");
    uint64_t random = 3;
    for (size_t at = 0; at < size;) {
        size_t length = next_random(&random) % (next_random(&random) % 8 ? 3000 : 1500000);
        if (length > size - at) length = size - at;
        write_bytes(f->path, bytes + at, length);
        compress_file(f->path, part, archive_write_add_filter_gzip);
        size_t packed = 0;
        char *member = read_bytes(part, &packed);
        assert_int_equal(fwrite(member, 1, packed, all), packed);
        free(member);
        at += length;
    }
    fclose(all);
    unlink(part);
    free(bytes);
    assert_int_equal(fingerprint_of(f, f->other, NULL), plain);
}

static void a_stream_cut_short_is_refused(void **state) {
    fixture *f = *state;
    write_medium(f->path, "");
    for (int i = 0; i < FILTERS; i++) {
        compress_file(f->path, f->other, filters[i]);
        size_t size = 0;
        char *bytes = read_bytes(f->other, &size);
        const size_t cuts[] = {size - 1, size - 5, size - 9, size / 2, size / 3, 40};
        for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
            write_bytes(f->other, bytes, cuts[k]);
            must_refuse(f, f->other, NULL, ":", "fetch or compress the file again");
        }
        free(bytes);
    }
}

static void the_place_of_a_cut_is_where_the_text_ends(void **state) {
    fixture *f = *state;
    write_large(f->path, "");
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    size_t size = 0;
    char *bytes = read_bytes(f->other, &size);
    write_bytes(f->other, bytes, size / 2);
    free(bytes);
    char first[sizeof f->error.message] = "";
    for (int threads = 1; threads < 5; threads++) {
        const sparcl_data_desc desc = {.threads = threads};
        must_refuse(f, f->other, &desc, ":", "truncated");
        if (threads == 1) snprintf(first, sizeof first, "%s", f->error.message);
        assert_string_equal(f->error.message, first);
    }
    assert_true(strtol(first + strlen(f->other) + 1, NULL, 10) > 1000);
}

/* Where the file holds a checksum: zstd need not, and libarchive writes none. */
static void a_damaged_stream_is_refused(void **state) {
    fixture *f = *state;
    write_medium(f->path, "");
    const uint64_t plain = fingerprint_of(f, f->path, NULL);
    for (int i = 0; i < FILTERS; i++) {
        if (filters[i] == archive_write_add_filter_zstd) continue;
        compress_file(f->path, f->other, filters[i]);
        size_t size = 0;
        char *bytes = read_bytes(f->other, &size);
        for (size_t at = 10; at < size; at += size / 20) {
            bytes[at] ^= 1;
            write_bytes(f->other, bytes, size);
            bytes[at] ^= 1;
            sparcl_data *data = NULL;
            const sparcl_status status = sparcl_data_read(&data, f->other, NULL, &f->error);
            if (status == SPARCL_OK) /* only bits that mean nothing may pass */
                assert_int_equal(sparcl_data_get_info(data)->fingerprint, plain);
            else
                assert_int_equal(status, SPARCL_E_FORMAT);
            sparcl_data_free(data);
        }
        free(bytes);
    }
}

static void a_wrong_length_behind_a_gzip_stream_is_refused(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:1\n");
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    size_t size = 0;
    char *bytes = read_bytes(f->other, &size);
    bytes[size - 4]++;
    write_bytes(f->other, bytes, size);
    free(bytes);
    must_refuse(f, f->other, NULL, ":2:1: ", "found a wrong length");
}

static void what_follows_a_gzip_stream_is_refused(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:1\n");
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    FILE *file = fopen(f->other, "ab");
    fputs("1 1:1\n", file);
    fclose(file);
    must_refuse(f, f->other, NULL, ":", "wrong");
}

static void a_stream_in_a_stream_is_refused(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:1\n");
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    compress_file(f->other, f->path, archive_write_add_filter_gzip);
    must_refuse(f, f->path, NULL, ":1:1: ", "a stream inside the stream");
}

static void an_empty_stream_is_an_empty_file(void **state) {
    fixture *f = *state;
    write_text(f->path, "");
    for (int i = 0; filters[i] != archive_write_add_filter_lz4; i++) { /* it cannot write this */
        compress_file(f->path, f->other, filters[i]);
        must_refuse(f, f->other, NULL, ":1:1: ", "an empty file");
    }
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

static void memory_that_runs_out_is_told_and_nothing_leaks(void **state) {
    fixture *f = *state;
    write_text(f->path, "# c\n1 3:1 1:1\n1 3000000000:1\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.multilabel = 1});
    write_medium(f->path, "1 3000000000:1\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.threads = 3});
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    must_survive_memory_failures(f, f->other, (sparcl_data_desc){.threads = 2});
}

static void a_file_that_cannot_be_read_is_an_io_error(void **state) {
    fixture *f = *state;
    sparcl_data *data = (sparcl_data *)f;
    assert_int_equal(sparcl_data_read(&data, f->path, NULL, &f->error), SPARCL_E_IO);
    assert_null(data);
    assert_non_null(strstr(f->error.message, "cannot be opened: No such file"));
    assert_memory_equal(f->error.message, f->path, strlen(f->path));
    assert_int_equal(sparcl_data_read(&data, f->folder, NULL, &f->error), SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "cannot be read"));
    assert_int_equal(sparcl_data_read(&data, f->path, NULL, NULL), SPARCL_E_IO);
}

static void a_wrong_description_is_an_argument_error(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:1\n");
    const sparcl_data_desc wrong[] = {{.columns = -1},
                                      {.threads = -1},
                                      {.index_base = (sparcl_index_base)3},
                                      {.reserved = {1, 0}},
                                      {.reserved = {0, 1}}};
    sparcl_data *data = (sparcl_data *)f;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(sparcl_data_read(&data, f->path, &wrong[i], &f->error), SPARCL_E_ARG);
        assert_null(data);
    }
    assert_int_equal(sparcl_data_read(&data, NULL, NULL, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_read(NULL, f->path, NULL, &f->error), SPARCL_E_ARG);
}

static void text_brings_its_own_labels(void **state) {
    fixture *f = *state;
    const sparcl_data_desc desc = {.labels = "y.npy"};
    write_text(f->path, "1 1:1\n");
    must_refuse(f, f->path, &desc, ": ", "holds its own labels");
}

static void a_long_path_keeps_its_end_in_the_message(void **state) {
    fixture *f = *state;
    char path[700];
    snprintf(path, sizeof path, "/tmp/%0500d/../%s", 0, strrchr(f->path, '/') + 1);
    sparcl_data *data = NULL;
    assert_int_equal(sparcl_data_read(&data, path, NULL, &f->error), SPARCL_E_IO);
    assert_memory_equal(f->error.message, "...0000", 7);
    assert_non_null(strstr(f->error.message, "0/../file: cannot be opened"));
}

static void the_comma_of_a_locale_changes_nothing(void **state) {
    fixture *f = *state;
    const uint64_t plain = text_fingerprint(f, "0.5 1:1.5 2:1.000000059604644775390625\n");
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) skip();
    const uint64_t comma = fingerprint_of(f, f->path, NULL);
    setlocale(LC_ALL, "C");
    assert_int_equal(comma, plain);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_row_is_a_label_and_its_entries),
        TEST(spelling_changes_nothing),
        TEST(a_row_knows_its_line),
        TEST(indices_count_from_0_where_one_is_0_and_else_from_1),
        TEST(rows_with_a_label_only_are_rows),
        TEST(many_labels_are_refused_unless_told),
        TEST(unsorted_and_repeated_indices_are_repaired_and_counted),
        TEST(disorder_is_refused_under_strict_at_its_first_entry),
        TEST(a_long_row_in_any_order_is_sorted_and_summed),
        TEST(nan_and_infinity_are_read_and_counted),
        TEST(the_first_value_that_is_not_finite_has_a_place),
        TEST(the_label_of_a_row_has_a_place),
        TEST(small_values_round_to_subnormals_and_zero),
        TEST(every_broken_text_is_refused_at_its_place),
        TEST(a_nul_byte_is_refused_wherever_it_stands),
        TEST(random_bytes_are_refused),
        TEST(an_index_past_the_width_is_refused_unless_widened),
        TEST(indices_are_64_bit_where_the_width_needs_it),
        TEST(the_number_of_threads_changes_nothing),
        TEST(the_first_error_is_told_with_any_number_of_threads),
        TEST(compression_is_seen_through),
        TEST(several_compressed_streams_in_a_row_are_one_text),
        TEST(many_gzip_members_are_one_text),
        TEST(a_stream_cut_short_is_refused),
        TEST(the_place_of_a_cut_is_where_the_text_ends),
        TEST(a_damaged_stream_is_refused),
        TEST(a_wrong_length_behind_a_gzip_stream_is_refused),
        TEST(what_follows_a_gzip_stream_is_refused),
        TEST(a_stream_in_a_stream_is_refused),
        TEST(an_empty_stream_is_an_empty_file),
        TEST(a_minus_is_standard_input),
        TEST(lines_may_be_longer_than_any_block),
        TEST(memory_that_runs_out_is_told_and_nothing_leaks),
        TEST(a_file_that_cannot_be_read_is_an_io_error),
        TEST(a_wrong_description_is_an_argument_error),
        TEST(text_brings_its_own_labels),
        TEST(a_long_path_keeps_its_end_in_the_message),
        TEST(the_comma_of_a_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
