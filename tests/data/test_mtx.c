/* test_mtx.c: Matrix Market files, good and broken. */
#include "data_test.h"

#include "base/macros.h"

#define BANNER "%%MatrixMarket matrix "

/* The dense rows of a small matrix, or -9 where the file has no entry. */
static void check_dense(fixture *f, const char *text, int64_t rows, int64_t columns,
                        const float *expected) {
    write_text(f->path, text);
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_MTX});
    const sparcl_data_info *info = sparcl_data_get_info(data);
    assert_string_equal(info->format, "mtx");
    assert_int_equal(info->rows, rows);
    assert_int_equal(info->columns, columns);
    assert_int_equal(info->index_base, 1);
    const int64_t *offsets = sparcl_data_offsets(data);
    const int32_t *indices = sparcl_data_indices(data);
    int64_t entries = 0;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0, k = offsets[row]; column < columns; column++) {
            const float value = expected[row * columns + column];
            const bool present = k < offsets[row + 1] && indices[k] == column;
            if (present != (value != -9) || (present && sparcl_data_values(data)[k] != value))
                fail_msg("%s: row %d, column %d", text, (int)row, (int)column);
            k += present;
            entries += present;
        }
    assert_int_equal(info->entries, entries);
    assert_int_equal(info->nnz - info->duplicates, entries);
    sparcl_data_free(data);
}

static void every_kind_of_matrix_is_read(void **state) {
    fixture *f = *state;
    check_dense(f, BANNER "coordinate real general\n2 3 3\n2 3 -1.5\n1 1 0\n2 1 4e-1\n", 2, 3,
                (float[]){0, -9, -9, 0.4f, -9, -1.5f});
    check_dense(f, BANNER "coordinate integer general\n1 2 1\n1 2 -7\n", 1, 2, (float[]){-9, -7});
    check_dense(f, BANNER "coordinate integer general\n1 3 3\n1 1 10\n1 2 0\n1 3 +100\n", 1, 3,
                (float[]){10, 0, 100});
    check_dense(f, BANNER "coordinate pattern general\n2 2 2\n1 2\n2 2\n", 2, 2,
                (float[]){-9, 1, -9, 1});
    check_dense(f, BANNER "coordinate real symmetric\n2 2 2\n1 1 5\n2 1 3\n", 2, 2,
                (float[]){5, 3, 3, -9});
    check_dense(f, BANNER "coordinate real symmetric\n2 2 1\n1 2 3\n", 2, 2, /* the upper one */
                (float[]){-9, 3, 3, -9});
    check_dense(f, BANNER "coordinate real skew-symmetric\n2 2 1\n2 1 3\n", 2, 2,
                (float[]){-9, -3, 3, -9});
    check_dense(f, BANNER "coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 3\n", 2, 2,
                (float[]){0, -3, 3, -9});
    check_dense(f, BANNER "array real general\n2 3\n1\n2\n0\n4\n5\n6\n", 2, 3,
                (float[]){1, -9, 5, 2, 4, 6});
    check_dense(f, BANNER "array real symmetric\n2 2\n1\n2\n3\n", 2, 2, (float[]){1, 2, 2, 3});
    check_dense(f, BANNER "array integer skew-symmetric\n3 3\n1\n2\n3\n", 3, 3,
                (float[]){-9, -1, -2, 1, -9, -3, 2, 3, -9});
    check_dense(f, "1 2 1\n1 2 5\n", 1, 2, (float[]){-9, 5}); /* without a banner */
    check_dense(f, "% a remark\n2 1\n5\n6\n", 2, 1, (float[]){5, 6});
    check_dense(f, BANNER "coordinate real general\n0 0 0\n", 0, 0, NULL);
    check_dense(f, BANNER "array real skew-symmetric\n0 0\n", 0, 0, NULL);
}

/* As in SciPy; strict reading refuses them. */
static void entries_that_stand_twice_are_added(void **state) {
    fixture *f = *state;
    const sparcl_data_desc strict = {.strict = 1};
    check_dense(f, BANNER "coordinate real general\n2 2 3\n1 1 1\n% a\n2 2 1\n1 1 2\n", 2, 2,
                (float[]){3, -9, -9, 1});
    must_refuse(f, f->path, &strict, ":6:1: ", "found row 1, column 1 again");
    check_dense(f, BANNER "coordinate real symmetric\n2 2 2\n1 2 1\n2 1 4\n", 2, 2,
                (float[]){-9, 5, 5, -9});
    must_refuse(f, f->path, &strict, ":4:1: ", "in one triangle");
    check_dense(f, BANNER "coordinate pattern general\n1 1 2\n1 1\n1 1\n", 1, 1, (float[]){2});
}

static void comments_blanks_line_ends_and_case_do_not_matter(void **state) {
    fixture *f = *state;
    const float expected[] = {-9, 2, 3, -9};
    check_dense(f,
                "%%matrixmarket MATRIX Coordinate REAL General\n%\n\n%%x\n  2 2\t2 \n% a\n\n 1 2 "
                "2 % b\n\n\t2  1 3\n\n% c\n",
                2, 2, expected);
    check_dense(f, BANNER "coordinate real general\r\n% a\r\n2 2 2\r\n1 2 2\r\n\r\n2 1 3", 2, 2,
                expected);
    check_dense(f, "\n \r\n\t " BANNER "coordinate real general\n2 2 2\n1 2 2\n2 1 3\n", 2, 2,
                expected);
    check_dense(f, BANNER "coordinate double general\n2 2 2\n1 2 +2.\n2 1 .3e1\n", 2, 2, expected);
    check_dense(f, BANNER "coordinate integer general\n%%GraphBLAS comment\n2 2 2\n1 2 2\n2 1 +3\n",
                2, 2, expected);
}

static void a_file_is_recognized_by_its_banner(void **state) {
    fixture *f = *state;
    write_text(f->path, "%%MATRIXMARKET matrix coordinate pattern general\n1 1 1\n1 1\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_string_equal(sparcl_data_get_info(data)->format, "mtx");
    assert_int_equal(sparcl_data_get_info(data)->min_index, 1);
    assert_int_equal(sparcl_data_line(data, 0), 0);
    sparcl_data_free(data);
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    assert_int_equal(fingerprint_of(f, f->other, NULL), fingerprint_of(f, f->path, NULL));
}

static void every_broken_file_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
    } cases[] = {
        {BANNER, ":1:23: ", "coordinate or array, found the end of the line"},
        {BANNER "coordinate complex general\n1 1 1\n1 1 1 1\n", ":1:34: ", "not supported"},
        {BANNER "coordinate real hermitian\n1 1 0\n", ":1:39: ", "only complex"},
        {BANNER "coordinate real general x\n1 1 0\n", ":1:47: ", "the end of the banner"},
        {BANNER "coordinate pattern skew-symmetric\n1 1 0\n", ":1:42: ", "signs"},
        {BANNER "array pattern general\n1 1\n1\n", ":1:29: ", "an array has values"},
        {BANNER "coordinate real general\n", ":2:1: ", "found the end of the file"},
        {BANNER "coordinate real general\n%\n\n", ":4:1: ", "found the end of the file"},
        {BANNER "coordinate real general\n1 1\n", ":2:4: ", "three numbers"},
        {BANNER "coordinate real general\n1 1 1 1\n", ":2:7: ", "three numbers"},
        {BANNER "coordinate real general\n1 -1 1\n", ":2:3: ", "a size, a number of at least 0"},
        {BANNER "coordinate real general\n1 99999999999999999999 1\n", ":2:3: ", "a size"},
        {BANNER "array real general\n1 1 1\n1\n", ":2:5: ", "rows and columns, and no more"},
        {BANNER "array real general\n9223372036854775807 2\n1\n", ":2:1: ", "fits in memory"},
        {BANNER "array real symmetric\n9223372036854775807 9223372036854775807\n1\n",
         ":2:1: ", "fits in memory"},
        {BANNER "coordinate real symmetric\n2 3 1\n", ":2:1: ", "a square matrix"},
        {BANNER "coordinate real general\n2 2 1\n0 1 1\n", ":3:1: ", "a row from 1 to 2, found 0"},
        {BANNER "coordinate real general\n2 2 1\n1 3 1\n", ":3:3: ", "a column from 1 to 2"},
        {BANNER "coordinate real general\n2 2 1\n1\n", ":3:2: ", "a column, found the end"},
        {BANNER "coordinate real general\n2 2 1\n1 1\n", ":3:4: ", "a value"},
        {BANNER "coordinate real general\n2 2 1\n1 1 x\n", ":3:5: ", "found \"x\""},
        {BANNER "coordinate real general\n2 2 1\n1 1 1,5\n", ":3:5: ", "a value"},
        {BANNER "coordinate real general\n2 2 1\n1 1 1 0\n", ":3:7: ", "the end of the line"},
        {BANNER "coordinate real general\n2 2 1\n1 1 1e39\n", ":3:5: ", "32-bit float"},
        {BANNER "coordinate pattern general\n2 2 1\n1 1 1\n", ":3:5: ", "of a pattern"},
        {BANNER "array real general\n2 1\n1 2\n", ":3:3: ", "one value on a line"},
        {BANNER "coordinate integer general\n2 2 1\n1 1 1.5\n", ":3:5: ", "a whole number"},
        {BANNER "coordinate integer general\n%%GraphBLAS type int8_t\n2 2 1\n1 1 128\n",
         ":4:5: ", "of the type int8_t, found 128"},
        {BANNER "coordinate integer general\n%%GraphBLAS type int9_t\n2 2 1\n1 1 1\n",
         ":2:18: ", "found \"int9_t\""},
        {BANNER "coordinate real general\n2 2 2\n1 1 1\n", ":4:1: ", "expected 2 entries, found 1"},
        {BANNER "coordinate real general\n2 2 1\n1 1 1\n% a\n2 2 1\n", ":5:1: ", "found more"},
        {BANNER "coordinate real skew-symmetric\n2 2 1\n1 1 1\n", ":3:1: ", "the diagonal"},
        {BANNER "coordinate real general\n9000000000 2 1\n1 1 1\n", ": ", "at most 33554432 rows"},
        {"%MatrixMarket\nx\n", ":2:1: ", "a size"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_MTX}, cases[i].place,
                    cases[i].words);
    }
}

static void a_truncated_file_is_never_read_as_another_matrix(void **state) {
    fixture *f = *state;
    const char text[] = BANNER "coordinate real general\n3 3 3\n1 1 1\n2 2 2\n3 3 3\n";
    for (size_t cut = 0; cut + 2 < sizeof text; cut++) {
        sparcl_data *data = NULL;
        write_bytes(f->path, text, cut);
        assert_int_equal(sparcl_data_read(&data, f->path,
                                          &(sparcl_data_desc){.format = SPARCL_DATA_MTX},
                                          &f->error),
                         SPARCL_E_FORMAT);
        assert_null(data);
    }
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    size_t size = 0;
    char *bytes = read_bytes(f->other, &size);
    write_bytes(f->other, bytes, size - 5);
    free(bytes);
    must_refuse(f, f->other, &(sparcl_data_desc){.format = SPARCL_DATA_MTX}, ":", "");
}

static void values_that_are_not_finite_have_a_place(void **state) {
    fixture *f = *state;
    write_text(f->path, BANNER "coordinate real general\n2 2 2\n1 1 1\n2 1 -inf\n");
    must_find_bad(f, f->path, NULL, ":4:5");
}

static void the_settings_apply(void **state) {
    fixture *f = *state;
    write_text(f->path, BANNER "coordinate real general\n2 3 1\n1 1 1\n");
    must_refuse(f, f->path, &(sparcl_data_desc){.columns = 2}, ":2:3: ", "at most 2 columns");
    must_refuse(f, f->path, &(sparcl_data_desc){.index_base = SPARCL_BASE_0}, ": ", "from 1");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.columns = 5});
    assert_int_equal(sparcl_data_get_info(data)->columns, 5);
    sparcl_data_free(data);
}

static void lines_may_be_longer_than_a_block(void **state) {
    fixture *f = *state;
    FILE *file = fopen(f->path, "w");
    fputs(BANNER "coordinate pattern general\n%", file);
    for (int i = 0; i < 700000; i++)
        fputc('x', file);
    fputs("\n1000 1 1000\n", file);
    for (int i = 1000; i >= 1; i--)
        fprintf(file, "%d%600d\n", i, 1);
    fclose(file);
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->entries, 1000);
    sparcl_data_free(data);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    write_text(f->path, BANNER "coordinate real symmetric\n2 2 2\n1 1 1\n% a\n2 1 2\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.strict = 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_matrix_is_read),
        TEST(comments_blanks_line_ends_and_case_do_not_matter),
        TEST(a_file_is_recognized_by_its_banner),
        TEST(entries_that_stand_twice_are_added),
        TEST(every_broken_file_is_refused_at_its_place),
        TEST(a_truncated_file_is_never_read_as_another_matrix),
        TEST(values_that_are_not_finite_have_a_place),
        TEST(the_settings_apply),
        TEST(lines_may_be_longer_than_a_block),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
