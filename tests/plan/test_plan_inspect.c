/* test_plan_inspect.c: what the cost model of plans counts of a matrix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sparcl/sparcl.h"

/* Rows 0 .. 4 have 3, 0, 1, 2 and 0 entries, columns 0 .. 5 have 0, 3, 1, 0, 2, 0. */
static const int64_t offsets[] = {0, 3, 3, 4, 6, 6};
static const int32_t columns[] = {1, 2, 4, 1, 1, 4};

static void a_look_counts_the_fullest_columns_and_rows(void **state) {
    static const int64_t wide[] = {1, 2, 4, 1, 1, 4};
    (void)state;
    for (int way = 0; way < 4; ++way) {
        const int64_t cols = way & 2 ? (int64_t)1 << 40 : 6; /* too many to count each */
        sparcl_plan_case a = {.n = 9};
        sparcl_error error = {0};
        const sparcl_status status =
            way & 1
                ? sparcl_plan_inspect(&a, 5, cols, offsets, wide, SPARCL_INDEX64, NULL, &error)
                : sparcl_plan_inspect(&a, 5, cols, offsets, columns, SPARCL_INDEX32, NULL, &error);
        if (status != SPARCL_OK) fail_msg("%s", error.message);
        assert_int_equal(a.rows, 5);
        assert_int_equal(a.cols, cols);
        assert_int_equal(a.nnz, 6);
        assert_int_equal(a.n, 9);
        assert_int_equal(a.cols_distribution.used, 3);
        assert_int_equal(a.rows_distribution.used, 3);
        assert_int_equal(a.cols_distribution.empty_in_runs, way & 2 ? cols - 5 : 0);
        assert_int_equal(a.rows_distribution.empty_in_runs, 0);
        assert_true(a.cols_distribution.fraction[0] == 3.0 / 6);
        assert_true(a.rows_distribution.fraction[0] == 3.0 / 6);
        for (int k = 1; k < SPARCL_PLAN_FRACTIONS; ++k) {
            assert_true(a.cols_distribution.fraction[k] == 1);
            assert_true(a.rows_distribution.fraction[k] == 1);
        }
    }
}

static void a_look_counts_adjacent_empty_rows_and_columns(void **state) {
    enum { ROWS = 3 + SPARCL_PLAN_RUN };
    int64_t begins[ROWS + 1] = {0, 1}; /* one entry, none for a run and one more, one entry */
    const int32_t at[] = {SPARCL_PLAN_RUN, SPARCL_PLAN_RUN};
    (void)state;
    for (int r = 2; r <= ROWS; ++r)
        begins[r] = r < ROWS ? 1 : 2;
    for (int more = 0; more < 3; ++more) {
        sparcl_plan_case a = {0};
        sparcl_error error = {0};
        const sparcl_status status = sparcl_plan_inspect(&a, ROWS, 2 * SPARCL_PLAN_RUN + more,
                                                         begins, at, SPARCL_INDEX32, NULL, &error);
        if (status != SPARCL_OK) fail_msg("%s", error.message);
        assert_int_equal(a.rows_distribution.used, 2);
        assert_int_equal(a.rows_distribution.empty_in_runs, SPARCL_PLAN_RUN + 1);
        assert_int_equal(a.cols_distribution.used, 1);
        assert_int_equal(a.cols_distribution.empty_in_runs,
                         SPARCL_PLAN_RUN * (more ? 2 : 1) + (more == 2));
    }
}

static void a_look_refuses_an_invalid_matrix(void **state) {
    static const int64_t from_1[] = {1, 2}, falling[] = {0, 2, 1}, one[] = {0, 1};
    static const int32_t negative[] = {-1}, beyond[] = {6};
    sparcl_plan_case a = {0};
    sparcl_error e;
    (void)state;
    assert_int_equal(sparcl_plan_inspect(&a, 1, 6, from_1, columns, SPARCL_INDEX32, NULL, &e),
                     SPARCL_E_ARG);
    assert_non_null(strstr(e.message, "ascend from 0"));
    assert_int_equal(sparcl_plan_inspect(&a, 2, 6, falling, columns, SPARCL_INDEX32, NULL, &e),
                     SPARCL_E_ARG);
    assert_non_null(strstr(e.message, "row 1"));
    assert_int_equal(sparcl_plan_inspect(&a, 1, 6, one, negative, SPARCL_INDEX32, NULL, &e),
                     SPARCL_E_ARG);
    assert_non_null(strstr(e.message, "index -1"));
    assert_int_equal(sparcl_plan_inspect(&a, 1, 6, one, beyond, SPARCL_INDEX32, NULL, &e),
                     SPARCL_E_ARG);
    assert_non_null(strstr(e.message, "less than 6"));
    assert_int_equal(sparcl_plan_inspect(&a, 1, 6, one, NULL, SPARCL_INDEX32, NULL, &e),
                     SPARCL_E_ARG);
    assert_int_equal(sparcl_plan_inspect(NULL, 1, 6, one, beyond, SPARCL_INDEX32, NULL, &e),
                     SPARCL_E_ARG);
    assert_int_equal(sparcl_plan_inspect(&a, -1, 6, one, beyond, SPARCL_INDEX32, NULL, NULL),
                     SPARCL_E_ARG);
}

static void *no_memory(void *user, void *block, size_t old_size, size_t size) {
    (void)user;
    (void)block;
    (void)old_size;
    (void)size;
    return NULL;
}

static void a_look_without_memory_is_e_memory(void **state) {
    const sparcl_allocator allocator = {no_memory, NULL};
    sparcl_plan_case a = {0};
    sparcl_error error;
    (void)state;
    assert_int_equal(
        sparcl_plan_inspect(&a, 5, 6, offsets, columns, SPARCL_INDEX32, &allocator, &error),
        SPARCL_E_MEMORY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_counts_the_fullest_columns_and_rows),
        cmocka_unit_test(a_look_counts_adjacent_empty_rows_and_columns),
        cmocka_unit_test(a_look_refuses_an_invalid_matrix),
        cmocka_unit_test(a_look_without_memory_is_e_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
