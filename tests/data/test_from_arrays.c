/* test_from_arrays.c: a data set from the caller's arrays. */
#include "data_test.h"

static const int64_t offsets[] = {0, 2, 2, 5};
static const int32_t indices[] = {0, 3, 1, 2, 3};
static const int64_t wide[] = {0, 3, 1, 2, 3};
static const float values[] = {1, -2, 0.5F, 0, 7};
static const double labels[] = {-1, 1, 3.5};

static sparcl_data_arrays arrays(void) {
    return (sparcl_data_arrays){.rows = 3,
                                .columns = 4,
                                .offsets = offsets,
                                .index_type = SPARCL_INDEX32,
                                .indices = indices,
                                .values = values,
                                .labels = labels};
}

static void check(const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    assert_string_equal(info->format, "memory");
    assert_true(info->rows == 3 && info->columns == 4 && info->nnz == 5 && info->entries == 5);
    assert_true(info->min_index == 0 && info->max_index == 3 && info->row_nnz_max == 3);
    assert_int_equal(sparcl_data_index_type(data), SPARCL_INDEX32);
    assert_memory_equal(sparcl_data_offsets(data), offsets, sizeof offsets);
    assert_memory_equal(sparcl_data_indices(data), indices, sizeof indices);
    assert_memory_equal(sparcl_data_values(data), values, sizeof values);
}

static void arrays_are_copied(void **state) {
    sparcl_data_arrays from = arrays();
    sparcl_data *data = NULL, *other = NULL;
    (void)state;
    assert_int_equal(sparcl_data_create(&data, &from, NULL), SPARCL_OK);
    check(data);
    assert_memory_equal(sparcl_data_labels(data), labels, sizeof labels);
    assert_null(sparcl_data_weights(data));
    from.weights = values + 2;
    from.index_type = SPARCL_INDEX64;
    from.indices = wide;
    from.labels = NULL;
    assert_int_equal(sparcl_data_create(&other, &from, NULL), SPARCL_OK);
    check(other);
    assert_null(sparcl_data_labels(other));
    assert_memory_equal(sparcl_data_weights(other), values + 2, 3 * sizeof *values);
    assert_false(sparcl_data_get_info(other)->has_labels);
    assert_true(sparcl_data_get_info(other)->fingerprint !=
                sparcl_data_get_info(data)->fingerprint);
    sparcl_data_free(other);
    sparcl_data_free(data);
}

static void indices_are_as_wide_as_the_columns_need(void **state) {
    sparcl_data_arrays from = arrays();
    sparcl_data *data = NULL;
    (void)state;
    from.columns = (int64_t)INT32_MAX + 1;
    assert_int_equal(sparcl_data_create(&data, &from, NULL), SPARCL_OK);
    assert_int_equal(sparcl_data_index_type(data), SPARCL_INDEX64);
    assert_memory_equal(sparcl_data_indices(data), wide, sizeof wide);
    sparcl_data_free(data);
}

static void nothing_is_a_data_set(void **state) {
    const sparcl_data_arrays from = {.offsets = offsets};
    sparcl_data *data = NULL;
    (void)state;
    assert_int_equal(sparcl_data_create(&data, &from, NULL), SPARCL_OK);
    assert_int_equal(sparcl_data_get_info(data)->rows, 0);
    assert_int_equal(sparcl_data_get_info(data)->min_index, -1);
    sparcl_data_free(data);
}

static void columns_of_files_may_count_from_1(void **state) {
    sparcl_data_arrays from = arrays();
    sparcl_data *data = NULL;
    (void)state;
    from.index_base = 1;
    assert_int_equal(sparcl_data_create(&data, &from, NULL), SPARCL_OK);
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    assert_int_equal(info->index_base, 1);
    assert_int_equal(info->columns, from.columns);
    assert_int_equal(info->max_index, from.columns);
    sparcl_data_free(data);
}

static void refuse(const sparcl_data_arrays *from, sparcl_status expected, const char *part) {
    sparcl_error error = {0};
    sparcl_data *data = NULL;
    assert_int_equal(sparcl_data_create(&data, from, &error), expected);
    if (!strstr(error.message, part))
        fail_msg("\"%s\" does not contain \"%s\"", error.message, part);
    assert_null(data);
}

static void what_is_wrong_is_named(void **state) {
    static const int64_t late[] = {1, 2, 2, 5}, back[] = {0, 3, 2, 5};
    static const int32_t twice[] = {0, 3, 1, 1, 3}, far[] = {0, 4, 1, 2, 3},
                         negative[] = {-1, 3, 1, 2, 3};
    static const double nan_label[] = {-1, (double)NAN, 3};
    static const float bad_weight[] = {1, 2, -0.5F};
    static const int32_t bad_field[] = {0, 1, 2, -3, 0};
    sparcl_data_arrays from = arrays();
    (void)state;
    refuse(NULL, SPARCL_E_ARG, "the arrays are NULL");
    assert_int_equal(sparcl_data_create(NULL, &from, NULL), SPARCL_E_ARG);
    from.rows = -1;
    refuse(&from, SPARCL_E_ARG, "the shape is -1 x 4");
    from = arrays();
    from.index_type = (sparcl_itype)9;
    refuse(&from, SPARCL_E_ARG, "index_type is 9");
    from = arrays();
    from.index_base = 2;
    refuse(&from, SPARCL_E_ARG, "index_base is 2, expected 0 or 1");
    from = arrays();
    from.offsets = NULL;
    refuse(&from, SPARCL_E_ARG, "offsets is NULL");
    from.offsets = late;
    refuse(&from, SPARCL_E_FORMAT, "offsets[0] is 1, expected 0");
    from.offsets = back;
    refuse(&from, SPARCL_E_FORMAT, "offsets[2] is 2, expected at least the one before, 3");
    from = arrays();
    from.values = NULL;
    refuse(&from, SPARCL_E_ARG, "indices or values is NULL");
    from = arrays();
    from.indices = twice;
    refuse(&from, SPARCL_E_FORMAT,
           "row 2: index 1 after 1, expected the indices of a row to ascend, each once");
    from.indices = far;
    refuse(&from, SPARCL_E_FORMAT,
           "row 0: index 4, expected at least 0 and less than 4, the number of columns");
    from.indices = negative;
    refuse(&from, SPARCL_E_FORMAT, "row 0: index -1, expected at least 0");
    from = arrays();
    from.weights = bad_weight;
    refuse(&from, SPARCL_E_FORMAT, "weight 2 is -0.5, expected a finite number from 0");
    from.weights = NULL;
    from.fields = bad_field;
    refuse(&from, SPARCL_E_FORMAT, "field 3 is -3, expected 0 to 2^31 - 2");
    from.fields = NULL;
    from.labels = nan_label;
    refuse(&from, SPARCL_E_FORMAT, "label 1 is nan, expected a finite number");
}

/* --- users and items -------------------------------------------------------------------------- */

static void the_rows_of_users_are_what_they_have(void **state) {
    /* users 0 and 1, items 2, 3 and 4 */
    static const int64_t at[] = {0, 2, 3, 4, 5, 6};
    static const int32_t to[] = {2, 4, 3, 0, 1, 0};
    static const float weights[] = {1, 2, 3, 1, 3, 2};
    static const int64_t expected_at[] = {0, 2, 3};
    static const int32_t expected[] = {0, 2, 1};
    const sparcl_data_arrays from = {.rows = 5,
                                     .columns = 5,
                                     .offsets = at,
                                     .index_type = SPARCL_INDEX32,
                                     .indices = to,
                                     .values = weights};
    sparcl_data *data = NULL, *part = NULL;
    sparcl_error error = {0};
    (void)state;
    assert_int_equal(sparcl_data_create(&data, &from, NULL), SPARCL_OK);
    assert_int_equal(sparcl_data_of_users(data, 2, &part, &error), SPARCL_OK);
    assert_int_equal(sparcl_data_get_info(part)->rows, 2);
    assert_int_equal(sparcl_data_get_info(part)->columns, 3);
    assert_memory_equal(sparcl_data_offsets(part), expected_at, sizeof expected_at);
    assert_memory_equal(sparcl_data_indices(part), expected, sizeof expected);
    assert_memory_equal(sparcl_data_values(part), weights, 3 * sizeof *weights);
    sparcl_data_free(part);
    assert_int_equal(sparcl_data_of_users(data, 1, &part, &error), SPARCL_E_FORMAT);
    assert_non_null(strstr(error.message, "found one in row 1, column 3"));
    assert_null(part);
    assert_int_equal(sparcl_data_of_users(data, 5, &part, &error), SPARCL_E_FORMAT);
    assert_non_null(strstr(error.message, "more than 5 rows, found 5 x 5"));
    assert_int_equal(sparcl_data_of_users(NULL, 5, &part, &error), SPARCL_E_ARG);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_copied),
        cmocka_unit_test(indices_are_as_wide_as_the_columns_need),
        cmocka_unit_test(nothing_is_a_data_set),
        cmocka_unit_test(columns_of_files_may_count_from_1),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(the_rows_of_users_are_what_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
