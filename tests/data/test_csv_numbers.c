/* test_csv_numbers.c: columns of numbers of CSV, standardized. */
#include "data_test.h"

#include <math.h>

#include "base/macros.h"

#define STANDARD .format = SPARCL_DATA_CSV, .csv_standardize = 1

static sparcl_data *read_as(fixture *f, const char *text, const char *columns) {
    write_text(f->path, text);
    if (columns) write_text(f->other, columns);
    return must_read(f, f->path,
                     &(sparcl_data_desc){STANDARD, .csv_columns = columns ? f->other : NULL});
}

/* What is at (row, column); nan: no entry. */
static float value_at(const sparcl_data *data, int64_t row, int32_t column) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    const int32_t *const indices = sparcl_data_indices(data);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
        if (indices[k] == column) return sparcl_data_values(data)[k];
    return NAN;
}

/* Of 1, 2, 0 and 5: the mean 2, the variance 3.5. */
static void numbers_get_their_mean_and_scale(void **state) {
    fixture *f = *state;
    const float scale = (float)sqrt(3.5), x[] = {1, 2, 0, 5};
    sparcl_data *data = read_as(f, "y,a\n0,1\n1,2\n0,0\n1,5\n0,\n", NULL);
    for (int i = 0; i < 4; i++)
        assert_true(value_at(data, i, 0) == (float)(((double)x[i] - 2) / (double)scale));
    assert_true(isnan(value_at(data, 4, 0)));
    assert_string_equal(sparcl_data_csv_columns(data), "y,label\na,numeric,2,1.8708287\n");
    sparcl_data_free(data);
}

/* More than half of the numbers are 0: these stay no entries. */
static void sparse_columns_are_only_scaled(void **state) {
    fixture *f = *state;
    sparcl_data *data = read_as(f, "y,a\n0,0\n1,3\n0,0\n1,0\n0,-4\n0,NA\n", NULL);
    const float scale = (float)sqrt(12.5);
    assert_int_equal(sparcl_data_get_info(data)->entries, 2);
    assert_true(value_at(data, 1, 0) == (float)(3 / (double)scale));
    assert_true(value_at(data, 4, 0) == (float)(-4 / (double)scale));
    sparcl_data_free(data);
    data = read_as(f, "y,a\n0,0\n1,1\n0,0\n1,0\n", NULL); /* indicators stay what they are */
    assert_true(value_at(data, 1, 0) == 1);
    sparcl_data_free(data);
    data = read_as(f, "y,a,b\n0,7,\n1,7,\n", NULL); /* without any difference, or number */
    assert_true(value_at(data, 0, 0) == 0);
    assert_string_equal(sparcl_data_csv_columns(data), "y,label\na,numeric,7,1\nb,numeric,0,1\n");
    sparcl_data_free(data);
}

static void counts_over_orders_of_magnitude_become_logarithms(void **state) {
    static const struct {
        int numbers[12];
        const char *kind;
    } cases[] = {{{0, 1, 1, 2, 1, 2, 3, 99, 1, 1, 4, 1}, "log"},
                 {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 20}, "log"},
                 {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 19}, "numeric"},
                 {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 90, 100}, "numeric"}, /* 0, or about 100 */
                 {{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 9, 500}, "numeric"},    /* -1: none */
                 {{4, 13, 23, 35, 47, 61, 78, 98, 123, 155, 204, 318}, "numeric"}, /* exponential */
                 {{30, 50, 80, 20, 30, 50, 80, 20, 30, 50, 80, 20}, "numeric"}};
    fixture *f = *state;
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        char text[128] = "y,n\n", expected[64];
        for (int k = 0; k < 12; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d,%d\n", k % 2,
                     cases[i].numbers[k]);
        snprintf(expected, sizeof expected, "y,label\nn,%s,", cases[i].kind);
        sparcl_data *data = read_as(f, text, NULL);
        assert_memory_equal(sparcl_data_csv_columns(data), expected, strlen(expected));
        sparcl_data_free(data);
        data = read_as(f, text, "y,label\nn,numeric\n"); /* as it is described */
        assert_non_null(strstr(sparcl_data_csv_columns(data), "\nn,numeric,"));
        sparcl_data_free(data);
    }
}

/* A description with that kind, and no mean and scale, gives the same data. */
static void logarithms_are_a_choice_of_their_own(void **state) {
    fixture *f = *state;
    const char *const text = "y,n\n0,1\n1,2\n0,3\n1,1\n0,5\n1,1\n0,0\n1,500\n";
    sparcl_data *data = read_as(f, text, NULL);
    const uint64_t both = sparcl_data_get_info(data)->fingerprint;
    sparcl_data_free(data);
    data = must_read(f, f->path, &(sparcl_data_desc){STANDARD, .csv_logs = SPARCL_CSV_LOGS_NO});
    assert_non_null(strstr(sparcl_data_csv_columns(data), "\nn,numeric,"));
    sparcl_data_free(data);
    data =
        must_read(f, f->path,
                  &(sparcl_data_desc){.format = SPARCL_DATA_CSV, .csv_logs = SPARCL_CSV_LOGS_YES});
    assert_string_equal(sparcl_data_csv_columns(data), "y,label\nn,log\n");
    assert_true(value_at(data, 7, 0) == (float)log1p(500));
    sparcl_data_free(data);
    data = read_as(f, text, "y,label\nn,log\n");
    assert_int_equal(sparcl_data_get_info(data)->fingerprint, both);
    sparcl_data_free(data);
}

/* A negative number has the sign of its logarithm, and is counted. */
static void logarithms_have_signs(void **state) {
    fixture *f = *state;
    sparcl_data *data = read_as(f, "y,n\n0,-3\n1,3\n0,-3\n", "y,label\nn,log,0,2\n");
    assert_int_equal(sparcl_data_get_info(data)->negative_logs, 2);
    assert_true(value_at(data, 0, 0) == (float)((double)(float)-log1p(3) / 2));
    assert_true(value_at(data, 1, 0) == -value_at(data, 0, 0));
    sparcl_data_free(data);
}

/* A description has all that was computed; other data that are read with it do not add to it. */
static void a_description_gives_the_same_bits(void **state) {
    fixture *f = *state;
    const char *const text = "y,city,n,m,z,h\n0,Rome,1,0.1,0,a\n1,Oslo,7,-3.7,1,b\n"
                             "0,Rome,,1e30,0,c\n1,Bonn,900,2.25,0,a\n0,Rome,3,4,0,b\n";
    sparcl_data *first = read_as(f, text, "city,dictionary\nn,log\n*,numeric\ny,label\nh,hashed\n");
    const sparcl_data_info *const info = sparcl_data_get_info(first);
    for (int standardizes = 0; standardizes < 2; standardizes++) {
        sparcl_data *again =
            must_read(f, f->path,
                      &(sparcl_data_desc){.format = SPARCL_DATA_CSV,
                                          .csv_standardize = standardizes,
                                          .csv_description = sparcl_data_csv_columns(first),
                                          .columns = info->columns});
        assert_int_equal(sparcl_data_get_info(again)->fingerprint, info->fingerprint);
        assert_string_equal(sparcl_data_csv_columns(again), sparcl_data_csv_columns(first));
        sparcl_data_free(again);
    }
    sparcl_data_free(first);
}

/* The zero of z is an entry, though its mean is 0, which is written as -0. */
static void streamed_numbers_have_the_scales_of_all_rows(void **state) {
    fixture *f = *state;
    write_text(f->path, "y,n,z\n0,1,-1\n1,5,0\n0,,1\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){STANDARD, .stream = 1});
    assert_string_equal(sparcl_data_csv_columns(data),
                        "y,label\nn,numeric,3,2\nz,numeric,-0,0.8164966\n");
    assert_int_equal(sparcl_data_get_info(data)->entries, 5);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(numbers_get_their_mean_and_scale),
                                       TEST(sparse_columns_are_only_scaled),
                                       TEST(counts_over_orders_of_magnitude_become_logarithms),
                                       TEST(logarithms_are_a_choice_of_their_own),
                                       TEST(logarithms_have_signs),
                                       TEST(a_description_gives_the_same_bits),
                                       TEST(streamed_numbers_have_the_scales_of_all_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
