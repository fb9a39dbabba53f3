/* test_npy.c: NumPy's arrays, as values of a matrix and as labels: element types and headers. */
#include "npz_test.h"

static void check_values(fixture *f, const char *type, const void *bytes, size_t size,
                         const float *values, int64_t narrowed, int float64) {
    matrix m;
    make_matrix(&m);
    m.members[DATA] = (member){"data.npy", type, "(3,)", bytes, size};
    write_matrix(f->path, &m);
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_memory_equal(sparcl_data_values(data), values, 3 * sizeof *values);
    assert_int_equal(sparcl_data_get_info(data)->narrowed_values, narrowed);
    assert_int_equal(sparcl_data_get_info(data)->float64_source, float64);
    sparcl_data_free(data);
}

static void values_of_every_number_type_are_read(void **state) {
    fixture *f = *state;
    const int8_t i1[] = {-128, 0, 127};
    const uint8_t u1[] = {255, 0, 1}, b1[] = {1, 0, 1};
    const int16_t i2[] = {-32768, 5, 32767};
    const uint16_t u2[] = {65535, 0, 1}, f2[] = {0x3c00, 0xc248, 0x0001};
    const int32_t i4[] = {INT32_MIN, 16777216, 16777217};
    const uint32_t u4[] = {UINT32_MAX, 0, 16777219};
    const int64_t i8[] = {INT64_MIN, INT64_MAX, -((INT64_C(1) << 40) + 1)};
    const uint64_t u8[] = {UINT64_MAX, UINT64_C(1) << 63, 0x8000008000000001u};
    const double f8[] = {0.1, 0.5, 1e-300};
    check_values(f, "'|i1'", i1, sizeof i1, (float[]){-128, 0, 127}, 0, 0);
    check_values(f, "'|u1'", u1, sizeof u1, (float[]){255, 0, 1}, 0, 0);
    check_values(f, "'|b1'", b1, sizeof b1, (float[]){1, 0, 1}, 0, 0);
    check_values(f, "'<i2'", i2, sizeof i2, (float[]){-32768, 5, 32767}, 0, 0);
    check_values(f, "'<u2'", u2, sizeof u2, (float[]){65535, 0, 1}, 0, 0);
    check_values(f, "'<f2'", f2, sizeof f2, (float[]){1, -3.140625f, 0x1p-24f}, 0, 0);
    check_values(f, "'<i4'", i4, sizeof i4, (float[]){-0x1p31f, 16777216, 16777216}, 1, 0);
    check_values(f, "'<u4'", u4, sizeof u4, (float[]){0x1p32f, 0, 16777220}, 2, 0);
    check_values(f, "'<i8'", i8, sizeof i8, (float[]){-0x1p63f, 0x1p63f, -0x1p40f}, 2, 0);
    check_values(f, "'<u8'", u8, sizeof u8, (float[]){0x1p64f, 0x1p63f, 0x1.000002p63f}, 2, 0);
    check_values(f, "'<f8'", f8, sizeof f8, (float[]){0.1f, 0.5f, 0}, 2, 1);
}

static void check_labels(fixture *f, const char *type, const char *shape, const void *bytes,
                         size_t size, const double *labels) {
    const sparcl_data_desc desc = {.labels = f->other};
    write_npy(f->other, type, shape, bytes, size);
    sparcl_data *data = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_get_info(data)->has_labels, 1);
    assert_int_equal(sparcl_data_get_info(data)->label_count, 3);
    assert_memory_equal(sparcl_data_labels(data), labels, 3 * sizeof *labels);
    assert_null(sparcl_data_label_offsets(data));
    char place[256], expected[256];
    snprintf(expected, sizeof expected, "%s[2]", f->other);
    assert_string_equal(sparcl_data_place(data, 2, place, sizeof place), expected);
    assert_string_equal(sparcl_data_place(data, 3, place, sizeof place), f->path);
    sparcl_data_free(data);
}

static void labels_of_every_number_type_are_read(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    write_matrix(f->path, &m);
    const int8_t i1[] = {-1, 0, 1};
    const uint8_t b1[] = {1, 0, 1}, big[] = {0, 0, 1, 0, 0, 0, 2, 255, 255, 255, 255, 254};
    const int64_t i8[] = {-5, INT64_C(1) << 53, 7};
    const double f8[] = {0.1, -2, 3};
    const uint8_t big_f8[] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0,
                              0,    0,    0, 0, 0, 0, 0, 0, 0,    0, 0, 0};
    check_labels(f, "'|i1'", "(3,)", i1, sizeof i1, (double[]){-1, 0, 1});
    check_labels(f, "'|b1'", "(3, 1)", b1, sizeof b1, (double[]){1, 0, 1});
    check_labels(f, "'>i4'", "(3,)", big, sizeof big, (double[]){256, 767, -2});
    check_labels(f, "'<i8'", "(3,)", i8, sizeof i8, (double[]){-5, 0x1p53, 7});
    check_labels(f, "'<f8'", "(3,)", f8, sizeof f8, f8);
    check_labels(f, "'>f8'", "(3,)", big_f8, sizeof big_f8, (double[]){1, -2, 0});
}

static void labels_that_do_not_fit_are_refused(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    write_matrix(f->path, &m);
    const double bad[] = {1, (double)NAN, 0, 1};
    const int64_t large[] = {1, 2, (INT64_C(1) << 53) + 1};
    const struct {
        const char *type, *shape;
        const void *bytes;
        size_t size;
        const char *place, *words;
    } cases[] = {
        {"'<f8'", "(4,)", bad, 32, ": ", "expected 3 labels, one per row of the data, found 4"},
        {"'<f8'", "(2,)", bad, 16, ": ", "expected 3 labels, one per row of the data, found 2"},
        {"'<f8'", "(2, 2)", bad, 32, ": ", "one label per row"},
        {"'<f8'", "(1, 3)", bad, 24, ": ", "one label per row"},
        {"'<f8'", "()", bad, 8, ": ", "one label per row"},
        {"'<f8'", "(3,)", bad, 24, "[1]: ", "a finite label"},
        {"'<i8'", "(3,)", large, 24, "[2]: ", "exactly"},
        {"'|O'", "(3,)", bad, 24, ": ", "Python objects"},
        {"'<U2'", "(3,)", bad, 24, ": ", "found text"},
        {"'<f8'", "(3,)", bad, 23, ": ", "expected 24 bytes of elements, found 23"},
    };
    const sparcl_data_desc desc = {.labels = f->other};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sparcl_data *data = NULL;
        char expected[256];
        write_npy(f->other, cases[i].type, cases[i].shape, cases[i].bytes, cases[i].size);
        assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
        snprintf(expected, sizeof expected, "%s%s", f->other, cases[i].place);
        if (strncmp(f->error.message, expected, strlen(expected)) != 0 ||
            !strstr(f->error.message, cases[i].words))
            fail_msg("%s", f->error.message);
        assert_null(data);
    }
    sparcl_data *data = NULL;
    const sparcl_data_desc missing = {.labels = "/nowhere/y.npy"};
    assert_int_equal(sparcl_data_read(&data, f->path, &missing, &f->error), SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "/nowhere/y.npy"));
}

/* The whole header stands here: what comes before the dictionary, and what it lacks. */
static void a_broken_array_header_is_refused(void **state) {
    fixture *f = *state;
    matrix m;
    make_matrix(&m);
    write_matrix(f->path, &m);
    const struct {
        const char *bytes;
        size_t size;
        const char *words;
    } cases[] = {
        {"", 0, "expected 8 bytes of header, found 0"},
        {"\x93NUMPX\1\0\2\0{}", 12, "NumPy's .npy format 1 to 3"},
        {"\x93NUMPY\0\0\2\0{}", 12, "NumPy's .npy format 1 to 3"},
        {"\x93NUMPY\4\0\2\0{}", 12, "NumPy's .npy format 1 to 3"},
        {"1\n0\n1\n1\n", 8, "NumPy's .npy format 1 to 3"},
        {"\x93NUMPY\1\0\2", 9, "expected 2 bytes of header, found 1"},
        {"\x93NUMPY\1\0\3\0{}", 12, "expected 3 bytes of header, found 2"},
        {"\x93NUMPY\2\0\xff\xff\xff\xff{}", 14, "at most 65536 bytes, found 4294967295"},
        {"\x93NUMPY\3\0\2\0\0\0{}", 14, "expected descr, fortran_order and shape, found \"{}\""},
        {"\x93NUMPY\1\0\2\0[]", 12, "a header that begins with {"},
        {"\x93NUMPY\1\0\13\0{'shape':()", 21, "} at the end of the header"},
        {"\x93NUMPY\1\0\14\0{'shape':()}", 22, "descr, fortran_order and shape"},
        {"\x93NUMPY\1\0\24\0{'fortran_order': 1}", 30, "True or False"},
        {"\x93NUMPY\1\0\7\0{shape}", 17, "descr, fortran_order or shape"},
        {"\x93NUMPY\1\0\7\0{'shape", 17, "descr, fortran_order or shape"},
    };
    const sparcl_data_desc desc = {.labels = f->other};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sparcl_data *data = NULL;
        write_bytes(f->other, cases[i].bytes, cases[i].size);
        assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
        if (!strstr(f->error.message, cases[i].words))
            fail_msg("%s: %s", cases[i].words, f->error.message);
        assert_null(data);
    }
}

static void an_array_of_one_dimension_is_no_data_file(void **state) {
    fixture *f = *state;
    const float values[] = {1, 2};
    write_npy(f->path, "'<f4'", "(2,)", values, sizeof values);
    must_refuse(f, f->path, NULL, ": ", "use it as the labels of a data file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(values_of_every_number_type_are_read),      TEST(labels_of_every_number_type_are_read),
        TEST(labels_that_do_not_fit_are_refused),        TEST(a_broken_array_header_is_refused),
        TEST(an_array_of_one_dimension_is_no_data_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
