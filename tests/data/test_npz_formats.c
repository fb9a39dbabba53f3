/* test_npz_formats.c: csc, coo, bsr and dia matrices, and matrices that a name of the archive
 * begins.
 */
#include "npz_test.h"

#include "base/macros.h"

/* [0 1 0 2], [0 0 0 0], [3 0 4 0] in every format. */
static const int64_t shape[] = {3, 4};
static const float values[] = {1, 2, 3, 4};
static const float by_column[] = {3, 1, 4, 2}, in_disorder[] = {4, 3, 2, 1};
static const int32_t csr_indptr[] = {0, 2, 2, 4}, csr_indices[] = {1, 3, 0, 2};
static const int32_t csc_indptr[] = {0, 1, 2, 3, 4}, csc_indices[] = {2, 0, 2, 0};
static const int64_t coo_row[] = {2, 2, 0, 0}, coo_col[] = {2, 0, 3, 1};
static const int64_t coords[] = {2, 2, 0, 0, 2, 0, 3, 1};
static const int32_t bsr_indptr[] = {0, 2, 2, 4}, bsr_indices[] = {0, 1, 0, 1};
static const float bsr_blocks[] = {0, 1, 0, 2, 3, 0, 4, 0};
static const int32_t dia_offsets[] = {1, 3, -2, 0};
static const int8_t dia_data[] = {9, 1, 0, 0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 4, 0};

#define MEMBER(name, type, dimensions, elements)                                                   \
    { #name ".npy", type, dimensions, elements, sizeof(elements) }
#define FORMAT_MEMBER(name)                                                                        \
    { "format.npy", "'|S3'", "()", name, 3 }

static const member csr[] = {FORMAT_MEMBER("csr"),
                             MEMBER(shape, "'<i8'", "(2,)", shape),
                             MEMBER(indptr, "'<i4'", "(4,)", csr_indptr),
                             MEMBER(indices, "'<i4'", "(4,)", csr_indices),
                             MEMBER(data, "'<f4'", "(4,)", values),
                             {0}};
static const member csc[] = {FORMAT_MEMBER("csc"),
                             MEMBER(shape, "'<i8'", "(2,)", shape),
                             MEMBER(indptr, "'<i4'", "(5,)", csc_indptr),
                             MEMBER(indices, "'<i4'", "(4,)", csc_indices),
                             MEMBER(data, "'<f4'", "(4,)", by_column),
                             {0}};
static const member coo[] = {FORMAT_MEMBER("coo"),
                             MEMBER(shape, "'<i8'", "(2,)", shape),
                             MEMBER(row, "'<i8'", "(4,)", coo_row),
                             MEMBER(col, "'<i8'", "(4,)", coo_col),
                             MEMBER(data, "'<f4'", "(4,)", in_disorder),
                             {0}};
static const member coo_array[] = {FORMAT_MEMBER("coo"),
                                   MEMBER(shape, "'<i8'", "(2,)", shape),
                                   MEMBER(coords, "'<i8'", "(2, 4)", coords),
                                   MEMBER(data, "'<f4'", "(4,)", in_disorder),
                                   {0}};
static const member bsr[] = {FORMAT_MEMBER("bsr"),
                             MEMBER(shape, "'<i8'", "(2,)", shape),
                             MEMBER(indptr, "'<i4'", "(4,)", bsr_indptr),
                             MEMBER(indices, "'<i4'", "(4,)", bsr_indices),
                             MEMBER(data, "'<f4'", "(4, 1, 2)", bsr_blocks),
                             {0}};
static const member dia[] = {FORMAT_MEMBER("dia"),
                             MEMBER(shape, "'<i8'", "(2,)", shape),
                             MEMBER(offsets, "'<i4'", "(4,)", dia_offsets),
                             MEMBER(data, "'|i1'", "(4, 4)", dia_data),
                             {0}};
static const member named[] = {MEMBER(x_shape, "'<i8'", "(2,)", shape),
                               MEMBER(x_indptr, "'<i4'", "(4,)", csr_indptr),
                               MEMBER(x_indices, "'<i4'", "(4,)", csr_indices),
                               MEMBER(x_data, "'<f4'", "(4,)", values),
                               {0}};

static void every_format_reads_as_the_same_matrix(void **state) {
    fixture *f = *state;
    const member *const formats[] = {csr, csc, coo, coo_array, bsr, dia};
    write_members(f->path, csr);
    const uint64_t expected = fingerprint_of(f, f->path, NULL);
    for (size_t i = 0; i < SPC_COUNT(formats); i++) {
        write_members(f->path, formats[i]);
        sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.strict = 1});
        const sparcl_data_info *info = sparcl_data_get_info(data);
        assert_int_equal(info->fingerprint, expected);
        assert_int_equal(info->nnz, 4);
        assert_int_equal(info->min_index, 0);
        assert_int_equal(info->max_index, 3);
        assert_int_equal(info->duplicates + info->unsorted_rows, 0);
        assert_string_equal(info->format, "npz");
        sparcl_data_free(data);
    }
}

static void a_matrix_of_an_archive_is_named_after_a_colon(void **state) {
    fixture *f = *state;
    char path[200];
    write_members(f->path, csr);
    const uint64_t expected = fingerprint_of(f, f->path, NULL);
    snprintf(path, sizeof path, "%s.npz:x", f->path);
    char archive[200];
    snprintf(archive, sizeof archive, "%s.npz", f->path);
    write_members(archive, named);
    assert_int_equal(fingerprint_of(f, path, NULL), expected);
    must_refuse(f, archive, NULL, ":format.npy: ", "found no format.npy but x_shape.npy, x_indptr");
    snprintf(path, sizeof path, "%s.npz:y", f->path);
    sparcl_data *data = NULL;
    assert_int_equal(sparcl_data_read(&data, path, NULL, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "file.npz:y.npy: expected this array"));
    assert_non_null(strstr(f->error.message, "found neither but x_shape.npy"));
    char longer[400];
    snprintf(longer, sizeof longer, "%s:%0120d", archive, 1);
    assert_int_equal(sparcl_data_read(&data, longer, NULL, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "of up to 80 bytes"));
    unlink(archive);
    write_text(archive, "1 1:1\n");
    assert_int_equal(sparcl_data_read(&data, path, NULL, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "expected an archive with the member y, found svml"));
    unlink(archive);
}

/* A matrix of four entries in COO. */
static void write_four(fixture *f, const int32_t row[4], const int32_t col[4],
                       const float numbers[4]) {
    const member four[] = {FORMAT_MEMBER("coo"),
                           MEMBER(shape, "'<i8'", "(2,)", shape),
                           {"row.npy", "'<i4'", "(4,)", row, 4 * sizeof *row},
                           {"col.npy", "'<i4'", "(4,)", col, 4 * sizeof *col},
                           {"data.npy", "'<f4'", "(4,)", numbers, 4 * sizeof *numbers},
                           {0}};
    write_members(f->path, four);
}

static void entries_named_twice_are_added_in_their_order_and_counted(void **state) {
    fixture *f = *state;
    static const float four[] = {1e8f, 5, 1, -1e8f}; /* (1e8 + 1) - 1e8 is 0 */
    write_four(f, (const int32_t[]){1, 0, 1, 1}, (const int32_t[]){2, 0, 2, 2}, four);
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->nnz, 4);
    assert_int_equal(sparcl_data_get_info(data)->entries, 2);
    assert_int_equal(sparcl_data_get_info(data)->duplicates, 2);
    assert_int_equal(sparcl_data_get_info(data)->unsorted_rows, 0);
    assert_true(sparcl_data_values(data)[0] == 5);
    assert_true(sparcl_data_values(data)[1] == 0);
    sparcl_data_free(data);
    must_refuse(f, f->path, &(sparcl_data_desc){.strict = 1},
                ":data.npy: ", "found row 1, column 2 again as entry 2");
    write_four(f, (const int32_t[]){1, 0, 1, 0}, (const int32_t[]){2, 0, 2, 1}, four);
    must_refuse(f, f->path, &(sparcl_data_desc){.strict = 1},
                ":data.npy: ", "found row 1, column 2 again as entry 2");
}

static void the_first_value_that_is_not_finite_has_its_element(void **state) {
    fixture *f = *state;
    static const float bad[] = {1, 2, INFINITY, NAN};
    member changed[SPC_COUNT(coo)];
    memcpy(changed, coo, sizeof coo);
    changed[4].bytes = bad;
    write_members(f->path, changed);
    must_find_bad(f, f->path, NULL, ":data.npy[2]");
}

static void every_broken_member_is_refused(void **state) {
    fixture *f = *state;
    static const int32_t past[] = {2, 0, 3, 0}, negative[] = {2, 0, -1, 0};
    static const int32_t falling[] = {0, 2, 1, 3, 4};
    static const int64_t many[] = {INT64_C(1) << 40, 4}, odd[] = {3, 5}, past_row[] = {2, 3, 0, 0};
    static const double large[] = {1, 1e39, 1, 1};
    const struct {
        const member *of;
        int which;
        const char *type, *shape;
        const void *bytes;
        size_t size;
        const char *place, *words;
    } cases[] = {
        {csc, 3, "'<i4'", "(4,)", past, 16, ":indices.npy[2]: ", "below the 3 rows"},
        {csc, 3, "'<i4'", "(4,)", negative, 16, ":indices.npy[2]: ", "found -1"},
        {csc, 2, "'<i4'", "(5,)", falling, 20, ":indptr.npy[2]: ", "found 1"},
        {csc, 2, "'<i4'", "(4,)", csr_indptr, 16, ":indptr.npy: ", "the 4 columns"},
        {csc, 4, "'<f4'", "(3,)", values, 12,
         ":data.npy: ", "as many values as indices, 4, found 3"},
        {csc, 4, "'<f8'", "(4,)", large, 32, ":data.npy[1]: ", "32-bit float"},
        {csc, 1, "'<i8'", "(2,)", many, 16, ":shape.npy[0]: ", "at most 33554432 rows"},
        {coo, 2, "'<i8'", "(4,)", past_row, 32, ":row.npy[1]: ", "below the 3 rows"},
        {coo, 3, "'<f8'", "(4,)", large, 32, ":col.npy: ", "int32 or int64"},
        {coo, 3, "'<i8'", "(3,)", coo_col, 24, ":", "as many values as col, 3, found 4"},
        {coo, 2, "'>i8'", "(4,)", coo_row, 32, ":row.npy: ", "little-endian"},
        {coo_array, 2, "'<i8'", "(4, 2)", coords, 64, ":coords.npy: ", "found 4 x 2"},
        {coo_array, 2, "'<i8'", "(8,)", coords, 64, ":coords.npy: ", "two dimensions, found 1"},
        {bsr, 4, "'<f4'", "(4, 2)", bsr_blocks, 32, ":data.npy: ", "three dimensions, found 2"},
        {bsr, 4, "'<f4'", "(4, 2, 1)", bsr_blocks, 32, ":data.npy: ", "blocks of 2 x 1"},
        {bsr, 4, "'<f4'", "(4, 0, 2)", bsr_blocks, 0, ":data.npy: ", "blocks of 0 x 2"},
        {bsr, 1, "'<i8'", "(2,)", odd, 16, ":data.npy: ", "that divide 3 x 5"},
        {bsr, 3, "'<i4'", "(4,)", past, 16, ":indices.npy[0]: ", "2 columns of blocks"},
        {bsr, 2, "'<i4'", "(3,)", csr_indptr, 12, ":indptr.npy: ", "expected 4 elements"},
        {dia, 2, "'<i4'", "(3,)", dia_offsets, 12, ":", "as many values as offsets, 3, found 4"},
        {dia, 3, "'|i1'", "(16,)", dia_data, 16, ":data.npy: ", "two dimensions, found 1"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        member changed[SPC_COUNT(csr)];
        memset(changed, 0, sizeof changed);
        for (int k = 0; cases[i].of[k].name; k++)
            changed[k] = cases[i].of[k];
        changed[cases[i].which] = (member){changed[cases[i].which].name, cases[i].type,
                                           cases[i].shape, cases[i].bytes, cases[i].size};
        write_members(f->path, changed);
        must_refuse(f, f->path, NULL, cases[i].place, cases[i].words);
    }
}

static void every_missing_member_is_refused(void **state) {
    fixture *f = *state;
    const member *const formats[] = {csc, coo, bsr, dia};
    for (size_t i = 0; i < SPC_COUNT(formats); i++)
        for (int gone = 0; formats[i][gone].name; gone++) {
            member left[SPC_COUNT(csr)];
            int count = 0;
            char place[64];
            memset(left, 0, sizeof left);
            for (int k = 0; formats[i][k].name; k++)
                if (k != gone) left[count++] = formats[i][k];
            write_members(f->path, left);
            snprintf(place, sizeof place, ":%s: ", formats[i][gone].name);
            must_refuse(f, f->path, NULL, place, "scipy.sparse.save_npz writes");
        }
}

static void the_width_may_be_given(void **state) {
    fixture *f = *state;
    write_members(f->path, coo);
    must_refuse(f, f->path, &(sparcl_data_desc){.columns = 3}, ":shape.npy[1]: ", "at most 3");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.columns = INT64_C(1) << 33});
    assert_int_equal(sparcl_data_get_info(data)->columns, INT64_C(1) << 33);
    assert_int_equal(sparcl_data_index_type(data), SPARCL_INDEX64);
    assert_int_equal(((const int64_t *)sparcl_data_indices(data))[3], 2);
    sparcl_data_free(data);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    const member *const formats[] = {csc, coo, bsr, dia};
    for (size_t i = 0; i < SPC_COUNT(formats); i++) {
        write_members(f->path, formats[i]);
        must_survive_memory_failures(f, f->path, (sparcl_data_desc){.strict = 1});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_format_reads_as_the_same_matrix),
        TEST(a_matrix_of_an_archive_is_named_after_a_colon),
        TEST(entries_named_twice_are_added_in_their_order_and_counted),
        TEST(the_first_value_that_is_not_finite_has_its_element),
        TEST(every_broken_member_is_refused),
        TEST(every_missing_member_is_refused),
        TEST(the_width_may_be_given),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
