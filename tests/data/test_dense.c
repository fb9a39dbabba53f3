/* test_dense.c: dense arrays as data: .npy files, IDX files, and arrays of archives. */
#include "npz_test.h"

#include "base/macros.h"

static const float rows[] = {0, 1.5f, 0, -2, 0, 3}; /* [0 1.5 0], [-2 0 3] */
static const char text_of_rows[] = "0 1:1.5\n0 0:-2 2:3\n";

/* The fingerprint without labels. */
static uint64_t matrix_of(fixture *f, const char *path) {
    return fingerprint_of(f, path, NULL);
}

static void check_rows(fixture *f, const char *path, const char *format) {
    const int64_t offsets[] = {0, 1, 3};
    const int32_t indices[] = {1, 0, 2};
    const float values[] = {1.5f, -2, 3};
    sparcl_data *data = must_read(f, path, NULL);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    assert_string_equal(info->format, format);
    assert_int_equal(info->rows, 2);
    assert_int_equal(info->columns, 3);
    assert_int_equal(info->nnz, 3);
    assert_int_equal(info->min_index, 0);
    assert_int_equal(info->max_index, 2);
    assert_int_equal(info->has_labels, 0);
    assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_values(data), values, sizeof values);
    sparcl_data_free(data);
}

static void a_matrix_is_read_without_its_zeros(void **state) {
    fixture *f = *state;
    const double wide[] = {0, 1.5, -0.0, -2, 0, 3};
    const uint8_t big[] = {0, 0, 0x3e, 0, 0, 0, 0xc0, 0, 0, 0, 0x42, 0}; /* float16 */
    write_npy(f->path, "'<f4'", "(2, 3)", rows, sizeof rows);
    check_rows(f, f->path, "array");
    write_npy(f->path, "'<f8'", "(2, 3)", wide, sizeof wide);
    check_rows(f, f->path, "array");
    write_npy(f->path, "'>f2'", "(2, 3)", big, sizeof big);
    check_rows(f, f->path, "array");
    write_npy(f->path, "'<f4'", "(2, 1, 3)", rows, sizeof rows);
    check_rows(f, f->path, "array");
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    check_rows(f, f->other, "array");
}

static void the_order_of_fortran_is_that_of_columns(void **state) {
    fixture *f = *state;
    const float columns[] = {0, -2, 1.5f, 0, 0, 3};
    char header[] =
        "\x93NUMPY\1\0\x3d\0{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}  \n";
    char bytes[sizeof header - 1 + sizeof columns];
    header[8] = (char)(sizeof header - 1 - 10);
    memcpy(bytes, header, sizeof header - 1);
    memcpy(bytes + sizeof header - 1, columns, sizeof columns);
    write_bytes(f->path, bytes, sizeof bytes);
    check_rows(f, f->path, "array");
}

/* Two zero bytes, type, dimensions, lengths; big-endian. */
static void an_idx_file_is_read(void **state) {
    fixture *f = *state;
    static const unsigned char shorts[] = {0, 0, 0x0b, 2, 0, 0, 0, 2, 0,   0,
                                           0, 2, 0,    0, 1, 1, 0, 0, 255, 254};
    static const unsigned char bytes[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0,
                                          0, 2, 0, 0, 0, 2, 0, 7, 0, 255};
    static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 4, 200};
    write_bytes(f->path, shorts, sizeof shorts);
    write_bytes(f->other, labels, sizeof labels);
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.labels = f->other});
    assert_int_equal(sparcl_data_get_info(data)->entries, 2);
    assert_true(sparcl_data_values(data)[0] == 257 && sparcl_data_values(data)[1] == -2);
    assert_true(sparcl_data_labels(data)[0] == 4 && sparcl_data_labels(data)[1] == 200);
    sparcl_data_free(data);
    write_bytes(f->path, bytes, sizeof bytes);
    data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->rows, 1);
    assert_int_equal(sparcl_data_get_info(data)->columns, 4);
    assert_true(sparcl_data_values(data)[1] == 255);
    sparcl_data_free(data);
}

static void an_array_of_an_archive_is_named_after_a_colon(void **state) {
    fixture *f = *state;
    static const int8_t labels[] = {0, 0};
    const member members[] = {{"x.npy", "'<f4'", "(2, 3)", rows, sizeof rows},
                              {"y.npy", "'|i1'", "(2,)", labels, sizeof labels},
                              {0}};
    char archive[200], of_rows[210], of_labels[210];
    snprintf(archive, sizeof archive, "%s.npz", f->path);
    snprintf(of_rows, sizeof of_rows, "%s:x", archive);
    snprintf(of_labels, sizeof of_labels, "%s:y", archive);
    write_members(archive, members);
    check_rows(f, of_rows, "npz");
    const sparcl_data_desc desc = {.labels = of_labels};
    const uint64_t found = fingerprint_of(f, of_rows, &desc);
    assert_int_equal(found, text_fingerprint(f, text_of_rows));
    sparcl_data *data = NULL;
    assert_int_equal(sparcl_data_read(&data, of_labels, NULL, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "npz:y.npy: expected rows and columns, found 1"));
    unlink(archive);
}

static void what_is_no_matrix_of_numbers_is_refused(void **state) {
    fixture *f = *state;
    static const double large[] = {0, 1e39};
    static const uint8_t bad_bool[] = {0, 1, 3};
    const struct {
        const char *type, *shape;
        const void *bytes;
        size_t size;
        const char *place, *words;
    } cases[] = {
        {"'<f4'", "(6,)", rows, 24, ": ", "rows and columns, found 1"},
        {"'<f4'", "()", rows, 4, ": ", "rows and columns, found 0"},
        {"'|S4'", "(2, 3)", rows, 24, ": ", "found text"},
        {"'|O'", "(2, 3)", rows, 24, ": ", "Python objects"},
        {"'<c8'", "(1, 3)", rows, 24, ": ", "found \"<c8\""},
        {"'<f8'", "(1, 2)", large, 16, "[1]: ", "32-bit float"},
        {"'|b1'", "(1, 3)", bad_bool, 3, "[2]: ", "0 or 1 as a bool"},
        {"'<f4'", "(2, 3)", rows, 23, ": ", "found 23"},
        {"'<f4'", "(1, 3)", rows, 24, ": ", "found more"},
        {"'<f4'", "(1099511627776, 0)", rows, 0, ": ", "rows without any"},
        {"'<f4'", "(1099511627776, 3)", rows, 24, ": ", "found 24"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_npy(f->path, cases[i].type, cases[i].shape, cases[i].bytes, cases[i].size);
        must_refuse(f, f->path, NULL, cases[i].place, cases[i].words);
    }
}

static void a_broken_idx_file_is_refused(void **state) {
    fixture *f = *state;
    static const unsigned char good[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 1, 5, 6};
    static const unsigned char huge[] = {0,    0,    8,    3,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                         0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,    2,    3,    4};
    for (size_t cut = 4; cut < sizeof good; cut++) {
        write_bytes(f->path, good, cut);
        must_refuse(f, f->path, NULL, ": ", cut < 12 ? "of an IDX header" : "expected 2 bytes");
    }
    write_bytes(f->path, good, sizeof good);
    assert_int_not_equal(matrix_of(f, f->path), 0);
    write_bytes(f->path, huge, sizeof huge);
    must_refuse(f, f->path, NULL, ": ", "that fits in memory");
    write_text(f->other, "1\n2\n");
    write_bytes(f->path, good, sizeof good);
    sparcl_data *data = NULL;
    const sparcl_data_desc desc = {.labels = f->other};
    assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
    static const unsigned char type[] = {0, 0, 3, 1, 0, 0, 0, 0};
    write_bytes(f->other, type, sizeof type);
    assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "expected an IDX array of numbers, found the bytes"));
}

static void refuse_weights(fixture *f, const char *dtype, const char *shape, const void *weights,
                           size_t bytes, const char *part) {
    sparcl_data *data = NULL;
    const sparcl_data_desc desc = {.weights = f->other};
    write_npy(f->other, dtype, shape, weights, bytes);
    assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
    assert_null(data);
    if (!strstr(f->error.message, part)) fail_msg("%s", f->error.message);
}

static void a_file_has_the_weight_of_each_row(void **state) {
    fixture *f = *state;
    static const double weights[] = {0.1, 2}, negative[] = {1, -1}, many[] = {1, NAN, 1};
    write_npy(f->path, "'<f4'", "(2, 3)", rows, sizeof rows);
    write_npy(f->other, "'<f8'", "(2,)", weights, sizeof weights);
    sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){.weights = f->other});
    sparcl_data *const plain = must_read(f, f->path, NULL);
    assert_true(sparcl_data_weights(data)[0] == 0.1F && sparcl_data_weights(data)[1] == 2);
    assert_null(sparcl_data_weights(plain));
    assert_int_not_equal(sparcl_data_get_info(data)->fingerprint,
                         sparcl_data_get_info(plain)->fingerprint);
    sparcl_data_free(plain);
    sparcl_data_free(data);
    refuse_weights(f, "'<f8'", "(2,)", negative, sizeof negative,
                   "[1]: expected a finite weight from 0, found -1; fix it");
    refuse_weights(f, "'<f8'", "(3,)", many, sizeof many,
                   "expected 2 weights, one per row of the data, found 3");
    refuse_weights(f, "'<f8'", "(2,)", many, 16, "[1]: expected a finite weight from 0, found nan");
    refuse_weights(f, "'<f8'", "(1, 2)", weights, sizeof weights, "expected one weight per row");
    write_text(f->path, "1 2.5 |a:1 b\n0 |a:1\n"); /* of Vowpal Wabbit */
    write_npy(f->other, "'<f8'", "(2,)", weights, sizeof weights);
    const sparcl_data_desc desc = {.weights = f->other, .format = SPARCL_DATA_VW};
    sparcl_data *found = NULL;
    assert_int_equal(sparcl_data_read(&found, f->path, &desc, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "found weights in it"));
}

static void values_that_are_not_finite_are_counted_with_their_place(void **state) {
    fixture *f = *state;
    static const float bad[] = {0, 1, NAN, INFINITY};
    write_npy(f->path, "'<f4'", "(2, 2)", bad, sizeof bad);
    must_find_bad(f, f->path, NULL, "[2]");
}

static void the_settings_apply(void **state) {
    fixture *f = *state;
    write_npy(f->path, "'<f4'", "(2, 3)", rows, sizeof rows);
    must_refuse(f, f->path, &(sparcl_data_desc){.columns = 2}, ": ", "at most 2 columns, found 3");
    must_refuse(f, f->path, &(sparcl_data_desc){.index_base = SPARCL_BASE_1}, ": ", "from 0");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.columns = INT64_C(1) << 33});
    assert_int_equal(sparcl_data_index_type(data), SPARCL_INDEX64);
    sparcl_data_free(data);
    data = must_read(f, f->path, &(sparcl_data_desc){.columns = 2, .widen = 1});
    assert_int_equal(sparcl_data_get_info(data)->columns, 3);
    sparcl_data_free(data);
    sparcl_error error = {0};
    const sparcl_data_desc unknown = {.format = (sparcl_data_format)99};
    assert_int_equal(sparcl_data_read(&data, f->path, &unknown, &error), SPARCL_E_ARG);
    assert_string_equal(sparcl_data_format_name((sparcl_data_format)99), "unknown");
    assert_string_equal(sparcl_data_format_name(SPARCL_DATA_ARRAY), "array");
}

static void values_are_scaled(void **state) {
    fixture *f = *state;
    const float expected[] = {(float)(1.5 * 0.1), (float)(-2 * 0.1), (float)(3 * 0.1)};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    sparcl_data_desc desc = {.scale = 0.1};
    write_npy(f->path, "'<f4'", "(2, 3)", rows, sizeof rows);
    assert_int_equal(sparcl_data_read(&data, f->path, &desc, &error), SPARCL_OK);
    assert_memory_equal(sparcl_data_values(data), expected, sizeof expected);
    sparcl_data_free(data);
    desc.scale = (double)INFINITY;
    assert_int_equal(sparcl_data_read(&data, f->path, &desc, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "scale is inf"));
    assert_null(data);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    write_npy(f->path, "'<f4'", "(2, 3)", rows, sizeof rows);
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.columns = 5});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_matrix_is_read_without_its_zeros),
        TEST(the_order_of_fortran_is_that_of_columns),
        TEST(an_idx_file_is_read),
        TEST(an_array_of_an_archive_is_named_after_a_colon),
        TEST(what_is_no_matrix_of_numbers_is_refused),
        TEST(a_broken_idx_file_is_refused),
        TEST(a_file_has_the_weight_of_each_row),
        TEST(values_that_are_not_finite_are_counted_with_their_place),
        TEST(the_settings_apply),
        TEST(values_are_scaled),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
