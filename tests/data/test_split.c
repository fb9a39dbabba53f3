/* test_split.c: a data set in two: the rows of both are those of the whole, each with its labels,
 * entries and line. */
#include "npz_test.h"

/* Row i is the line 2 i + 2, with the label i and i % 4 entries. */
static void write_numbered(const char *path, int rows, bool multilabel) {
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs("# a comment\n", file);
    for (int i = 0; i < rows; ++i) {
        fprintf(file, multilabel && i % 3 == 1 ? "%d,%d" : "%d", i, i + 1000);
        for (int k = 0; k < i % 4; ++k)
            fprintf(file, " %d:%d", i % 7 + 2 * k + 1, i + k + 1);
        fputs("\n\n", file);
    }
    fclose(file);
}

static void check_row(const sparcl_data *part, int64_t row, const sparcl_data *whole, int64_t of) {
    const int64_t *const a = sparcl_data_offsets(part), *const b = sparcl_data_offsets(whole);
    const int32_t *const i = sparcl_data_indices(part), *const j = sparcl_data_indices(whole);
    const size_t count = (size_t)(b[of + 1] - b[of]);
    assert_int_equal(a[row + 1] - a[row], count);
    assert_memory_equal(i + a[row], j + b[of], count * sizeof *i);
    assert_memory_equal(sparcl_data_values(part) + a[row], sparcl_data_values(whole) + b[of],
                        count * sizeof(float));
    assert_int_equal(sparcl_data_line(part, row), 2 * of + 2);
}

/* The next row of either part is the next of the whole. */
static void check_parts(const sparcl_data *whole, sparcl_data *parts[2]) {
    const int64_t rows = sparcl_data_get_info(whole)->rows;
    int64_t next[2] = {0, 0};
    for (int64_t row = 0; row < rows; ++row) {
        const bool is_held = next[1] < sparcl_data_get_info(parts[1])->rows &&
                             sparcl_data_line(parts[1], next[1]) == 2 * row + 2;
        check_row(parts[is_held], next[is_held], whole, row);
        ++next[is_held];
    }
    for (int p = 0; p < 2; ++p) {
        const sparcl_data_info *const info = sparcl_data_get_info(parts[p]);
        assert_int_equal(info->rows, next[p]);
        assert_int_equal(info->entries, sparcl_data_offsets(parts[p])[info->rows]);
        assert_int_equal(info->columns, sparcl_data_get_info(whole)->columns);
        assert_true(info->row_nnz_max <= 3);
    }
}

static void the_parts_have_the_rows_of_the_whole(void **state) {
    static const struct {
        double fraction;
        int64_t held;
    } tries[] = {{0, 0}, {0.2, 40}, {0.5, 101}, {0.999, 201}, {1, 201}};
    fixture *f = *state;
    write_numbered(f->path, 201, false);
    sparcl_data *whole = must_read(f, f->path, NULL);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; ++i) {
        sparcl_data *parts[2];
        assert_int_equal(
            sparcl_data_split(whole, tries[i].fraction, 7, &parts[0], &parts[1], &f->error),
            SPARCL_OK);
        assert_int_equal(sparcl_data_get_info(parts[1])->rows, tries[i].held);
        check_parts(whole, parts);
        for (int p = 0; p < 2; ++p) {
            const double *const labels = sparcl_data_labels(parts[p]);
            for (int64_t row = 0; row < sparcl_data_get_info(parts[p])->rows; ++row)
                assert_true(2 * (int64_t)labels[row] + 2 == sparcl_data_line(parts[p], row));
            sparcl_data_free(parts[p]);
        }
    }
    sparcl_data_free(whole);
}

static void the_seed_decides(void **state) {
    fixture *f = *state;
    sparcl_data *parts[3][2];
    write_numbered(f->path, 100, false);
    sparcl_data *whole = must_read(f, f->path, NULL);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(
            sparcl_data_split(whole, 0.3, i == 2, &parts[i][0], &parts[i][1], &f->error),
            SPARCL_OK);
    assert_true(sparcl_data_get_info(parts[0][1])->fingerprint ==
                sparcl_data_get_info(parts[1][1])->fingerprint);
    assert_true(sparcl_data_get_info(parts[0][1])->fingerprint !=
                sparcl_data_get_info(parts[2][1])->fingerprint);
    /* The rows of seed 0, on every machine. */
    double sum = 0;
    for (int row = 0; row < 30; ++row)
        sum += (row + 1) * sparcl_data_labels(parts[0][1])[row];
    assert_true(sum == 26471);
    for (int i = 0; i < 3; ++i)
        for (int p = 0; p < 2; ++p)
            sparcl_data_free(parts[i][p]);
    sparcl_data_free(whole);
}

/* A part of a part, with several labels in a row; the whole is gone. */
static void parts_are_data_sets(void **state) {
    fixture *f = *state;
    sparcl_data *parts[2], *again[2];
    int64_t rows = 0;
    write_numbered(f->path, 90, true);
    sparcl_data *whole = must_read(f, f->path, &(sparcl_data_desc){.multilabel = 1});
    assert_int_equal(sparcl_data_split(whole, 0.5, 1, &parts[0], &parts[1], &f->error), SPARCL_OK);
    sparcl_data_free(whole);
    assert_int_equal(sparcl_data_split(parts[0], 0.5, 2, &again[0], &again[1], &f->error),
                     SPARCL_OK);
    sparcl_data_free(parts[0]);
    parts[0] = again[0];
    sparcl_data *const all[] = {parts[0], parts[1], again[1]};
    for (int p = 0; p < 3; ++p) {
        const int64_t *const of = sparcl_data_label_offsets(all[p]);
        for (int64_t row = 0; row < sparcl_data_get_info(all[p])->rows; ++row, ++rows) {
            const double label = sparcl_data_labels(all[p])[of[row]];
            const int64_t count = (int64_t)label % 3 == 1 ? 2 : 1;
            assert_int_equal(of[row + 1] - of[row], count);
            assert_int_equal(sparcl_data_line(all[p], row), 2 * (int64_t)label + 2);
        }
        sparcl_data_free(all[p]);
    }
    assert_int_equal(rows, 90);
}

/* What was repaired is of the whole file; the parts have it behind them. */
static void parts_have_no_duplicates(void **state) {
    fixture *f = *state;
    sparcl_data *parts[2];
    write_text(f->path, "1 3:1 1:2 3:1\n0 2:1 2:1\n1 5:1 4:1\n0 1:1\n");
    sparcl_data *whole = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(whole)->duplicates, 2);
    assert_int_equal(sparcl_data_get_info(whole)->unsorted_rows, 2);
    assert_int_equal(sparcl_data_split(whole, 0.5, 1, &parts[0], &parts[1], &f->error), SPARCL_OK);
    for (int p = 0; p < 2; ++p) {
        assert_null(data_fault(parts[p]));
        assert_int_equal(sparcl_data_get_info(parts[p])->duplicates, 0);
        assert_int_equal(sparcl_data_get_info(parts[p])->unsorted_rows, 0);
        sparcl_data_free(parts[p]);
    }
    sparcl_data_free(whole);
}

/* Labels of a file of their own: their row in that file. */
static void positions_are_those_of_the_files(void **state) {
    static const double labels[] = {0, 1, 2};
    fixture *f = *state;
    matrix m;
    sparcl_data *parts[2];
    make_matrix(&m);
    write_matrix(f->path, &m);
    write_npy(f->other, "'<f8'", "(3,)", labels, sizeof labels);
    sparcl_data *whole = must_read(f, f->path, &(sparcl_data_desc){.labels = f->other});
    assert_int_equal(sparcl_data_split(whole, 0.34, 5, &parts[0], &parts[1], &f->error), SPARCL_OK);
    for (int p = 0; p < 2; ++p) {
        assert_int_equal(sparcl_data_get_info(parts[p])->rows, p ? 1 : 2);
        for (int64_t row = 0; row < sparcl_data_get_info(parts[p])->rows; ++row) {
            char expected[256], found[256];
            snprintf(expected, sizeof expected, "%s[%d]", f->other,
                     (int)sparcl_data_labels(parts[p])[row]);
            assert_string_equal(sparcl_data_place(parts[p], row, found, sizeof found), expected);
        }
        sparcl_data_free(parts[p]);
    }
    sparcl_data_free(whole);
}

static void wrong_arguments_are_refused(void **state) {
    static const double wrong[] = {-0.1, 1.1, (double)NAN};
    fixture *f = *state;
    sparcl_data *a, *b;
    write_numbered(f->path, 3, false);
    sparcl_data *whole = must_read(f, f->path, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(sparcl_data_split(whole, wrong[i], 0, &a, &b, &f->error), SPARCL_E_ARG);
        assert_non_null(strstr(f->error.message, "expected 0 to 1"));
        assert_true(!a && !b);
    }
    assert_int_equal(sparcl_data_split(NULL, 0.5, 0, &a, &b, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_split(whole, 0.5, 0, &a, NULL, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_split(whole, 0.5, 0, NULL, &b, &f->error), SPARCL_E_ARG);
    sparcl_data_free(whole);
}

static void a_sample_is_what_a_split_holds(void **state) {
    fixture *f = *state;
    sparcl_data *rest, *held, *part;
    write_numbered(f->path, 90, true);
    sparcl_data *whole = must_read(f, f->path, &(sparcl_data_desc){.multilabel = 1});
    assert_int_equal(sparcl_data_split(whole, 0.3, 8, &rest, &held, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_data_sample(whole, 27, 8, &part, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_data_get_info(part)->rows, 27);
    assert_true(sparcl_data_get_info(part)->fingerprint == sparcl_data_get_info(held)->fingerprint);
    sparcl_data_free(rest);
    sparcl_data_free(held);
    sparcl_data_free(part);
    assert_int_equal(sparcl_data_sample(whole, 0, 8, &part, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_data_get_info(part)->rows, 0);
    sparcl_data_free(part);
    for (int64_t count = -1; count <= 91; count += 92) {
        assert_int_equal(sparcl_data_sample(whole, count, 8, &part, &f->error), SPARCL_E_ARG);
        assert_non_null(strstr(f->error.message, "of 90, expected 0 to all of them"));
        assert_null(part);
    }
    assert_int_equal(sparcl_data_sample(NULL, 1, 8, &part, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_sample(whole, 1, 8, NULL, &f->error), SPARCL_E_ARG);
    sparcl_data_free(whole);
}

static void a_cut_keeps_the_order(void **state) {
    fixture *f = *state;
    write_numbered(f->path, 90, true);
    sparcl_data *whole = must_read(f, f->path, &(sparcl_data_desc){.multilabel = 1}), *parts[2];
    for (int64_t rows = 0; rows <= 90; rows += 30) {
        assert_int_equal(sparcl_data_cut(whole, rows, &parts[0], &parts[1], &f->error), SPARCL_OK);
        assert_int_equal(sparcl_data_get_info(parts[0])->rows, rows);
        if (rows < 90) assert_int_equal(sparcl_data_line(parts[1], 0), 2 * rows + 2);
        check_parts(whole, parts);
        sparcl_data_free(parts[0]);
        sparcl_data_free(parts[1]);
    }
    for (int64_t rows = -1; rows <= 91; rows += 92) {
        assert_int_equal(sparcl_data_cut(whole, rows, &parts[0], &parts[1], &f->error),
                         SPARCL_E_ARG);
        assert_non_null(strstr(f->error.message, "of 90, expected 0 to all of them"));
        assert_true(!parts[0] && !parts[1]);
    }
    assert_int_equal(sparcl_data_cut(NULL, 1, &parts[0], &parts[1], &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_cut(whole, 1, NULL, &parts[1], &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_cut(whole, 1, &parts[0], NULL, &f->error), SPARCL_E_ARG);
    sparcl_data_free(whole);
}

/* The bytes of a file, which has fewer than 4096. */
static const char *text_of(const char *path) {
    static char text[4096];
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void lines_of_rows_are_copied(void **state) {
    fixture *f = *state;
    char copy[256];
    snprintf(copy, sizeof copy, "%s.copy", f->path);
    write_numbered(f->path, 4, false);
    sparcl_data *whole = must_read(f, f->path, &(sparcl_data_desc){0}), *parts[2];
    assert_int_equal(sparcl_data_cut(whole, 3, &parts[0], &parts[1], &f->error), SPARCL_OK);
    assert_int_equal(sparcl_data_copy_rows(whole, parts[1], f->path, copy, &f->error), SPARCL_OK);
    assert_string_equal(text_of(copy), "# a comment\n3 4:4 6:5 8:6\n\n");
    assert_int_equal(sparcl_data_copy_rows(whole, parts[0], f->path, copy, &f->error), SPARCL_OK);
    assert_string_equal(text_of(copy), "# a comment\n0\n\n1 2:2\n\n2 3:3 5:4\n\n");
    assert_int_equal(sparcl_data_copy_rows(parts[0], parts[0], f->path, copy, &f->error),
                     SPARCL_E_ARG);
    assert_non_null(strstr(f->error.message, "found a part of them"));
    assert_int_equal(sparcl_data_copy_rows(NULL, parts[0], f->path, copy, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_copy_rows(whole, NULL, f->path, copy, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_copy_rows(whole, parts[0], NULL, copy, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_copy_rows(whole, parts[0], f->path, NULL, &f->error),
                     SPARCL_E_ARG);
    assert_int_equal(sparcl_data_copy_rows(whole, parts[0], "/nowhere", copy, &f->error),
                     SPARCL_E_IO);
    remove(copy);
    for (int i = 0; i < 2; ++i)
        sparcl_data_free(parts[i]);
    sparcl_data_free(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_parts_have_the_rows_of_the_whole),
        TEST(the_seed_decides),
        TEST(parts_are_data_sets),
        TEST(parts_have_no_duplicates),
        TEST(positions_are_those_of_the_files),
        TEST(wrong_arguments_are_refused),
        TEST(a_sample_is_what_a_split_holds),
        TEST(a_cut_keeps_the_order),
        TEST(lines_of_rows_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
