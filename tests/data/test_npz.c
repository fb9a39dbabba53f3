/* test_npz.c: SciPy .npz matrices, good and hostile. */
#include "base/macros.h"
#include "npz_test.h"

#include <fcntl.h>

static void check_matrix(fixture *f, const char *path) {
    sparcl_data *data = must_read(f, path, NULL);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const int64_t offsets[] = {0, 1, 1, 3};
    const int32_t indices[] = {1, 0, 3};
    const float values[] = {1.5f, 2, -3};
    assert_string_equal(info->format, "npz");
    assert_int_equal(info->rows, 3);
    assert_int_equal(info->columns, 4);
    assert_int_equal(info->nnz, 3);
    assert_int_equal(info->index_base, 0);
    assert_int_equal(info->min_index, 0);
    assert_int_equal(info->max_index, 3);
    assert_int_equal(info->row_nnz_min, 0);
    assert_int_equal(info->row_nnz_median, 1);
    assert_int_equal(info->row_nnz_max, 2);
    assert_int_equal(info->has_labels, 0);
    assert_int_equal(sparcl_data_index_type(data), SPARCL_INDEX32);
    assert_int_equal(sparcl_data_line(data, 0), 0);
    assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_values(data), values, sizeof values);
    assert_null(sparcl_data_labels(data));
    assert_null(sparcl_data_label_offsets(data));
    sparcl_data_free(data);
}

static void a_csr_matrix_is_read_however_it_is_compressed(void **state) {
    fixture *f = *state;
    const char *const options[] = {NULL, "zip:compression=store", "zip:compression=deflate",
                                   "zip:zip64", "zip:compression=store,zip:zip64"};
    matrix m;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        make_matrix(&m);
        m.options = options[i];
        write_matrix(f->path, &m);
        check_matrix(f, f->path);
    }
    make_matrix(&m);
    const int64_t indptr[] = {0, 1, 1, 3}, indices[] = {1, 0, 3};
    const double data[] = {1.5, 2, -3};
    m.members[INDPTR] = (member){"indptr.npy", "'<i8'", "(4,)", indptr, sizeof indptr};
    m.members[INDICES] = (member){"indices.npy", "'<i8'", "(3,)", indices, sizeof indices};
    m.members[DATA] = (member){"data.npy", "\"<f8\"", "(3L,)", data, sizeof data};
    m.members[FORMAT] = (member){"format.npy", "'<U3'", "()", "c\0\0\0s\0\0\0r\0\0\0", 12};
    write_matrix(f->path, &m);
    check_matrix(f, f->path);
}

static void an_archive_is_read_from_a_pipe_and_through_gzip(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    write_matrix(f->path, &m);
    char command[300];
    const int before = dup(STDIN_FILENO);
    snprintf(command, sizeof command, "cat '%s'", f->path);
    FILE *pipe = popen(command, "r");
    assert_int_equal(dup2(fileno(pipe), STDIN_FILENO), STDIN_FILENO);
    check_matrix(f, "-");
    pclose(pipe);
    const int file = open(f->path, O_RDONLY);
    assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
    check_matrix(f, "-");
    close(file);
    dup2(before, STDIN_FILENO);
    close(before);
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    check_matrix(f, f->other);
}

static void text_and_archive_of_the_same_data_have_one_fingerprint(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    write_matrix(f->path, &m);
    const int8_t labels[] = {1, -1, 1};
    write_npy(f->other, "'|i1'", "(3,)", labels, sizeof labels);
    const sparcl_data_desc desc = {.labels = f->other};
    const uint64_t packed = fingerprint_of(f, f->path, &desc);
    assert_int_equal(text_fingerprint(f, "1 1:1.5\n-1\n1 0:2 3:-3\n"), packed);
}

static void nan_and_infinity_are_kept_and_counted(void **state) {
    fixture *f = *state;
    const double data[] = {(double)NAN, -(double)INFINITY, 1};
    matrix m;
    make_matrix(&m);
    m.members[DATA] = (member){"data.npy", "'<f8'", "(3,)", data, sizeof data};
    write_matrix(f->path, &m);
    sparcl_data *read = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(read)->nan_values, 1);
    assert_int_equal(sparcl_data_get_info(read)->inf_values, 1);
    assert_int_equal(sparcl_data_get_info(read)->narrowed_values, 0);
    sparcl_data_free(read);
}

static void the_first_value_that_is_not_finite_has_a_place(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    m.data[1] = INFINITY;
    m.data[2] = NAN;
    write_matrix(f->path, &m);
    must_find_bad(f, f->path, NULL, ":data.npy[1]");
    make_matrix(&m);
    m.indices[2] = 0; /* of the last row, whose sum overflows float */
    m.data[1] = m.data[2] = 3e38f;
    write_matrix(f->path, &m);
    must_find_bad(f, f->path, NULL, ":data.npy[1]");
}

static void
unsorted_and_duplicate_indices_are_repaired_and_counted_or_refused_under_strict(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    const int32_t indptr[] = {0, 3, 5, 8}, indices[] = {2, 0, 2, 1, 1, 0, 1, 3};
    const float data[] = {1, 2, 4, 8, 16, 32, 64, 128};
    m.members[INDPTR] = (member){"indptr.npy", "'<i4'", "(4,)", indptr, sizeof indptr};
    m.members[INDICES] = (member){"indices.npy", "'<i4'", "(8,)", indices, sizeof indices};
    m.members[DATA] = (member){"data.npy", "'<f4'", "(8,)", data, sizeof data};
    write_matrix(f->path, &m);
    const sparcl_data_desc strict = {.strict = 1};
    must_refuse(f, f->path, &strict, ":indices.npy[1]: ", "above 2 in row 0, found 0");
    const sparcl_data_desc wide = {.columns = (int64_t)1 << 33};
    sparcl_data *narrow_read = must_read(f, f->path, NULL);
    sparcl_data *wide_read = must_read(f, f->path, &wide);
    const sparcl_data_info *info = sparcl_data_get_info(narrow_read);
    const int64_t offsets[] = {0, 2, 3, 6}, wide_indices[] = {0, 2, 1, 0, 1, 3};
    const int32_t narrow_indices[] = {0, 2, 1, 0, 1, 3};
    const float values[] = {2, 5, 24, 32, 64, 128};
    assert_int_equal(info->nnz, 8);
    assert_int_equal(info->entries, 6);
    assert_int_equal(info->duplicates, 2);
    assert_int_equal(info->unsorted_rows, 1);
    assert_memory_equal(sparcl_data_offsets(narrow_read), offsets, sizeof offsets);
    assert_memory_equal(sparcl_data_indices(narrow_read), narrow_indices, sizeof narrow_indices);
    assert_memory_equal(sparcl_data_values(narrow_read), values, sizeof values);
    assert_int_equal(sparcl_data_index_type(wide_read), SPARCL_INDEX64);
    assert_memory_equal(sparcl_data_indices(wide_read), wide_indices, sizeof wide_indices);
    assert_memory_equal(sparcl_data_values(wide_read), values, sizeof values);
    sparcl_data_free(narrow_read);
    sparcl_data_free(wide_read);
}

/* Each case replaces one member; NULL bytes keep those of the good matrix. */
static void every_broken_member_is_refused(void **state) {
    fixture *f = *state;
    static const int64_t rows_negative[] = {-3, 4}, rows_many[] = {INT64_MAX, 4};
    static const int64_t rows_other[] = {2, 4}, three[] = {3, 4, 1}, columns_few[] = {3, 3};
    static const int32_t from_1[] = {1, 1, 1, 3}, falling[] = {0, 2, 1, 3};
    static const int32_t past[] = {0, 1, 4, 3}, short_end[] = {0, 1, 1, 2},
                         negative[] = {0, -1, 1, 3};
    static const int32_t index_past[] = {1, 0, 4}, index_negative[] = {1, -1, 3};
    static const double too_large[] = {1, 1e39, 1};
    static const uint8_t bad_bool[] = {1, 2, 0};
    const struct {
        int which;
        const char *type, *shape;
        const void *bytes;
        size_t size;
        const char *place, *words;
    } cases[] = {
        {FORMAT, "'|S3'", "()", "lil", 3,
         ":format.npy: ", "found \"lil\"; save it again with scipy"},
        {FORMAT, "'|S3'", "()", "\1\2\3", 3, ":format.npy: ", "found \"\\x01\\x02\\x03\""},
        {FORMAT, "'|S3'", "(2,)", "csrcsr", 6, ":format.npy: ", "found another array"},
        {FORMAT, "'<i4'", "()", "csr", 4, ":format.npy: ", "found another array"},
        {SHAPE, "'<i8'", "(2,)", rows_negative, 16, ":shape.npy: ", "found -3 x 4"},
        {SHAPE, "'<i8'", "(2,)", rows_many, 16, ":indptr.npy: ", "one offset more than the 9223"},
        {SHAPE, "'<i8'", "(2,)", rows_other, 16,
         ":indptr.npy: ", "than the 2 rows of the shape, found 4"},
        {SHAPE, "'<i8'", "(3,)", three, 24, ":shape.npy: ", "found 3 numbers"},
        {SHAPE, "'<f8'", "(2,)", three, 16, ":shape.npy: ", "int32 or int64"},
        {SHAPE, "'<i8'", "(2,)", columns_few, 16, ":indices.npy[2]: ", "below the 3 columns"},
        {INDPTR, "'<i4'", "(4,)", from_1, 16, ":indptr.npy[0]: ", "expected 0, found 1"},
        {INDPTR, "'<i4'", "(4,)", falling, 16, ":indptr.npy[2]: ", "from 2 to 3, found 1"},
        {INDPTR, "'<i4'", "(4,)", past, 16, ":indptr.npy[2]: ", "from 1 to 3, found 4"},
        {INDPTR, "'<i4'", "(4,)", negative, 16, ":indptr.npy[1]: ", "from 0 to 3, found -1"},
        {INDPTR, "'<i4'", "(4,)", short_end, 16,
         ":indptr.npy[3]: ", "from 3 to 3, found 2; call matrix.prune()"},
        {INDPTR, "'<i4'", "(2, 2)", NULL, 0, ":indptr.npy: ", "one dimension, found 2"},
        {INDPTR, "'<u4'", "(4,)", NULL, 0, ":indptr.npy: ", "int32 or int64 numbers"},
        {INDPTR, "'<i2'", "(8,)", NULL, 0, ":indptr.npy: ", "found 2-byte ones"},
        {INDPTR, "'>i4'", "(4,)", NULL, 0, ":indptr.npy: ", "little-endian"},
        {INDICES, "'>i4'", "(3,)", NULL, 0, ":indices.npy: ", "little-endian"},
        {INDICES, "'<i4'", "(3,)", index_past, 12,
         ":indices.npy[2]: ", "below the 4 columns of the shape, found 4"},
        {INDICES, "'<i4'", "(3,)", index_negative, 12, ":indices.npy[1]: ", "found -1"},
        {INDICES, "'<i4'", "(2,)", index_past, 8,
         ":data.npy: ", "as many values as indices, 2, found 3"},
        {DATA, "'>f4'", "(3,)", NULL, 0, ":data.npy: ", "little-endian"},
        {DATA, "'|O'", "(3,)", NULL, 0, ":data.npy: ", "Python objects"},
        {DATA, "'<c8'", "(1,)", NULL, 8, ":data.npy: ", "found \"<c8\""},
        {DATA, "'|S4'", "(3,)", NULL, 0, ":data.npy: ", "found text"},
        {DATA, "'<f16'", "(3,)", NULL, 0, ":data.npy: ", "found \"<f16\""},
        {DATA, "'=f4'", "(3,)", NULL, 0, ":data.npy: ", "found \"=f4\""},
        {DATA, "''", "(3,)", NULL, 0, ":data.npy: ", "an element type"},
        {DATA, "'<f'", "(3,)", NULL, 0, ":data.npy: ", "an element type"},
        {DATA, "'<f4x'", "(3,)", NULL, 0, ":data.npy: ", "an element type"},
        {DATA, "'<f99999999999999999999'", "(3,)", NULL, 0, ":data.npy: ", "an element type of"},
        {DATA, "[('a', '<f4')]", "(3,)", NULL, 0, ":data.npy: ", "one plain element type"},
        {DATA, "'<f8'", "(3,)", too_large, 24, ":data.npy[1]: ", "32-bit float"},
        {DATA, "'|b1'", "(3,)", bad_bool, 3, ":data.npy[1]: ", "0 or 1 as a bool"},
        {DATA, "'<f8'", "(3,)", NULL, 0, ":data.npy: ", "expected 24 bytes of elements, found 12"},
        {DATA, "'<f2'", "(3,)", NULL, 0, ":data.npy: ", "expected 6 bytes of elements, found more"},
        {DATA, "'<f4'", "()", NULL, 4, ":data.npy: ", "one dimension, found 0"},
        {DATA, "'<f4'", "(-3,)", NULL, 0, ":data.npy: ", "that fits in memory"},
        {DATA, "'<f4'", "(3.0,)", NULL, 0, ":data.npy: ", "after the shape"},
        {DATA, "'<f4'", "3", NULL, 0, ":data.npy: ", "a shape"},
        {DATA, "'<f4'", "(3", NULL, 0, ":data.npy: ", "fits in memory"},
        {DATA, "'<f4'", "(9223372036854775807,)", NULL, 0,
         ":data.npy: ", "as many values as indices"},
        {DATA, "'<f4'", "(9223372036854775808,)", NULL, 0, ":data.npy: ", "fits in memory"},
        {DATA, "'<f4'", "(4294967296,4294967296)", NULL, 0, ":data.npy: ", "fits in memory"},
        {DATA, "'<f4'", "(1000000000000000,)", NULL, 0,
         ":data.npy: ", "as many values as indices, 3, found 1"},
        {DATA, "'<f4'", "(3,), 'extra': 1", NULL, 0, ":data.npy: ", "found \"extra\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        matrix m;
        make_matrix(&m);
        member *part = &m.members[cases[i].which];
        part->type = cases[i].type;
        part->shape = cases[i].shape;
        if (cases[i].bytes) part->bytes = cases[i].bytes;
        if (cases[i].size) part->size = cases[i].size;
        write_matrix(f->path, &m);
        must_refuse(f, f->path, NULL, cases[i].place, cases[i].words);
    }
}

static void a_missing_or_duplicate_member_is_refused(void **state) {
    fixture *f = *state;
    matrix m;
    for (int i = 0; i < MEMBERS; i++) {
        char place[64];
        make_matrix(&m);
        snprintf(place, sizeof place, ":%s: ", m.members[i].name);
        m.members[i].name = NULL;
        write_matrix(f->path, &m);
        must_refuse(f, f->path, NULL, place, "the members that scipy.sparse.save_npz writes");
    }
    make_matrix(&m);
    m.members[SHAPE].name = "indptr.npy";
    write_matrix(f->path, &m);
    must_refuse(f, f->path, NULL, ":indptr.npy: ", "found two");
    struct archive *archive = open_zip(f->path, NULL);
    assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
    must_refuse(f, f->path, NULL, ":format.npy: ", "found no format.npy");
    assert_non_null(strstr(f->error.message, "take out a file: unzip -p"));
}

static void a_truncated_or_damaged_archive_is_refused(void **state) {
    fixture *f = *state;
    matrix m;
    const char *const options[] = {"zip:compression=store", "zip:compression=deflate"};
    for (int k = 0; k < 2; k++) {
        make_matrix(&m);
        m.options = options[k];
        write_matrix(f->path, &m);
        const uint64_t good = fingerprint_of(f, f->path, NULL);
        size_t size = 0;
        char *bytes = read_bytes(f->path, &size);
        for (size_t cut = 0; cut < size; cut++) {
            sparcl_data *data = NULL;
            write_bytes(f->path, bytes, cut);
            if (sparcl_data_read(&data, f->path, NULL, &f->error) == SPARCL_OK)
                assert_int_equal(sparcl_data_get_info(data)->fingerprint, good);
            else
                assert_int_equal(f->error.status, SPARCL_E_FORMAT);
            sparcl_data_free(data);
        }
        for (size_t at = 0; at < size; at++) {
            sparcl_data *data = NULL;
            bytes[at] ^= 4;
            write_bytes(f->path, bytes, size);
            bytes[at] ^= 4;
            if (sparcl_data_read(&data, f->path, NULL, &f->error) == SPARCL_OK)
                assert_int_equal(sparcl_data_get_info(data)->fingerprint, good);
            else
                assert_int_equal(f->error.status, SPARCL_E_FORMAT);
            sparcl_data_free(data);
        }
        free(bytes);
    }
}

static void the_width_may_be_given(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    write_matrix(f->path, &m);
    const sparcl_data_desc narrow = {.columns = 3}, wider = {.columns = 3, .widen = 1};
    const sparcl_data_desc given = {.columns = 7}, from_1 = {.index_base = SPARCL_BASE_1};
    must_refuse(f, f->path, &narrow,
                ":shape.npy[1]: ", "at most 3 columns, found 4; 3 columns were requested");
    must_refuse(f, f->path, &from_1, ": ", "count from 0");
    sparcl_data *data = must_read(f, f->path, &wider);
    assert_int_equal(sparcl_data_get_info(data)->columns, 4);
    sparcl_data_free(data);
    data = must_read(f, f->path, &given);
    assert_int_equal(sparcl_data_get_info(data)->columns, 7);
    sparcl_data_free(data);
}

static void a_matrix_may_be_empty(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    memset(m.shape, 0, sizeof m.shape);
    m.members[INDPTR].shape = "(1,)";
    m.members[INDPTR].size = 4;
    m.members[INDICES].shape = m.members[DATA].shape = "(0,)";
    m.members[INDICES].size = m.members[DATA].size = 0;
    write_matrix(f->path, &m);
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->rows, 0);
    assert_int_equal(sparcl_data_get_info(data)->columns, 0);
    assert_int_equal(sparcl_data_get_info(data)->row_nnz_median, 0);
    assert_int_equal(sparcl_data_offsets(data)[0], 0);
    sparcl_data_free(data);
}

/* A member that declares more than it holds must not allocate what it declares. */
static void a_declared_size_allocates_no_memory(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    m.shape[0] = (INT64_C(1) << 40) - 1;
    m.members[INDPTR].shape = "(1099511627776,)";
    m.members[DATA].shape = m.members[INDICES].shape = "(1099511627776,)";
    write_matrix(f->path, &m);
    counted memory = {0};
    const sparcl_data_desc desc = {.allocator = {.fn = count_memory, .user = &memory}};
    must_refuse(f, f->path, &desc, ":indptr.npy: ", "found 16");
    assert_int_equal(memory.live, 0);
    assert_true(memory.calls < 20);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    m.indices[1] = 3;
    const double data[] = {1, 2, 3};
    m.members[DATA] = (member){"data.npy", "'<f8'", "(3,)", data, sizeof data};
    write_matrix(f->path, &m);
    write_npy(f->other, "'<f8'", "(3,)", data, sizeof data);
    must_survive_memory_failures(
        f, f->path, (sparcl_data_desc){.labels = f->other, .columns = INT64_C(1) << 33});
}

/* Elements that are not there show that none was read: else the file would be truncated. */
static void headers_that_contradict_each_other_are_refused_before_elements_are_read(void **state) {
    fixture *f = *state;
    static const int values[] = {DATA, INDICES, INDPTR};
    for (size_t i = 0; i < SPC_COUNT(values); i++)
        for (int first = 0; first < 2; first++) {
            matrix m;
            make_matrix(&m);
            m.members[values[i]].shape = "(1000000000,)";
            if (first) {
                const member swap = m.members[values[i]];
                m.members[values[i]] = m.members[FORMAT];
                m.members[FORMAT] = swap;
            }
            write_matrix(f->path, &m);
            must_refuse(f, f->path, NULL, ":",
                        values[i] == INDICES ? ", 1000000000, found 3; save"
                                             : "found 1000000000; save");
        }
    matrix m;
    make_matrix(&m);
    write_matrix(f->path, &m);
    static const int64_t labels[] = {1, 2, 3};
    char bytes[512];
    const member many = {"labels.npy", "'<i8'", "(1000000000,)", labels, sizeof labels};
    write_bytes(f->other, bytes, make_npy(bytes, &many));
    sparcl_data *data = NULL;
    const sparcl_data_desc desc = {.labels = f->other};
    assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "other: expected 3 labels, one per row of the data, "
                                             "found 1000000000; "));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(headers_that_contradict_each_other_are_refused_before_elements_are_read),
        TEST(a_csr_matrix_is_read_however_it_is_compressed),
        TEST(an_archive_is_read_from_a_pipe_and_through_gzip),
        TEST(text_and_archive_of_the_same_data_have_one_fingerprint),
        TEST(nan_and_infinity_are_kept_and_counted),
        TEST(the_first_value_that_is_not_finite_has_a_place),
        TEST(unsorted_and_duplicate_indices_are_repaired_and_counted_or_refused_under_strict),
        TEST(every_broken_member_is_refused),
        TEST(a_missing_or_duplicate_member_is_refused),
        TEST(a_truncated_or_damaged_archive_is_refused),
        TEST(the_width_may_be_given),
        TEST(a_matrix_may_be_empty),
        TEST(a_declared_size_allocates_no_memory),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
