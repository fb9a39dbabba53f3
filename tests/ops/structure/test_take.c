/* test_take.c: what the header says of CSR matrices in another order. */
#include "moved_test.h"

/* [3, 4] with rows (. 2 . 1), unsorted; (. . . .); (3 . 4 .). */
typedef struct taken {
    sparcl_csr from, to;
    sparcl_list list;
    sparcl_moved moved;
} taken;

static taken make(sparcl_ctx *ctx, int64_t rows, int64_t cols, int64_t capacity) {
    taken t = {.from = MATRIX(ctx, 3, 4, ARRAY(0, 2, 2, 4), ARRAY(3, 1, 0, 2), ARRAY(1, 2, 3, 4)),
               .to = make_result(ctx, rows, cols, capacity),
               .moved = make_moved(ctx, capacity)};
    t.from.proof.flags = SPARCL_TRUSTED | SPARCL_UNIQUE;
    return t;
}

static void drop(taken *t) {
    sparcl_csr_free(&t->from);
    sparcl_csr_free(&t->to);
    sparcl_list_free(&t->list);
    moved_free(&t->moved);
}

static void rows_come_in_the_order_of_the_list(void **state) {
    sparcl_ctx *ctx = *state;
    taken t = make(ctx, 3, 4, 7);
    t.list = LIST(ctx, 3, {2, 0, 2});
    assert_ok(ctx, sparcl_csr_take_rows(ctx, &t.to, &t.from, &t.list, &t.moved));
    ASSERT_INT32S(ctx, t.to.offsets, {0, 2, 4, 6});
    ASSERT_INT32S(ctx, t.to.indices, {0, 2, 3, 1, 0, 2});
    ASSERT_FLOATS(ctx, t.to.values, {3, 4, 1, 2, 3, 4});
    ASSERT_INT64S(ctx, t.moved.source, {2, 3, 0, 1, 2, 3});
    ASSERT_INT64S(ctx, t.moved.needed, {6});
    drop(&t);
}

static void columns_may_repeat_and_follow_the_entries(void **state) {
    sparcl_ctx *ctx = *state;
    taken t = make(ctx, 3, 4, 7);
    t.list = LIST(ctx, 4, {1, 3, 1, 0});
    assert_ok(ctx, sparcl_csr_take_columns(ctx, &t.to, &t.from, &t.list, &t.moved));
    ASSERT_INT32S(ctx, t.to.offsets, {0, 3, 3, 4});
    ASSERT_INT32S(ctx, t.to.indices, {1, 0, 2, 3});
    ASSERT_FLOATS(ctx, t.to.values, {1, 2, 2, 3});
    ASSERT_INT64S(ctx, t.moved.source, {0, 1, 1, 2});
    ASSERT_INT64S(ctx, t.moved.needed, {4});
    assert_int_equal(sparcl_csr_flags(&t.to), SPARCL_VALID | SPARCL_UNIQUE);
    sparcl_list_free(&t.list);
    t.list = LIST(ctx, 4, {0, 1, 2, 3});
    t.list.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    t.from.proof.flags |= SPARCL_SORTED;
    assert_ok(ctx, sparcl_csr_take_columns(ctx, &t.to, &t.from, &t.list, NULL));
    assert_int_equal(sparcl_csr_flags(&t.to), ALL_FLAGS);
    drop(&t);
}

static void a_transpose_has_sorted_rows(void **state) {
    sparcl_ctx *ctx = *state;
    for (int wanted = 0; wanted < 2; ++wanted) {
        taken t = make(ctx, 4, 3, 4);
        assert_ok(ctx, sparcl_csr_transpose(ctx, &t.to, &t.from, wanted ? &t.moved : NULL));
        ASSERT_INT32S(ctx, t.to.offsets, {0, 1, 2, 3, 4});
        ASSERT_INT32S(ctx, t.to.indices, {2, 0, 2, 0});
        ASSERT_FLOATS(ctx, t.to.values, {3, 2, 4, 1});
        if (wanted) ASSERT_INT64S(ctx, t.moved.source, {2, 1, 3, 0});
        assert_int_equal(sparcl_csr_flags(&t.to), ALL_FLAGS);
        drop(&t);
    }
}

static void rows_are_sorted_by_column(void **state) {
    sparcl_ctx *ctx = *state;
    taken t = make(ctx, 3, 4, 4);
    assert_ok(ctx, sparcl_csr_sort_indices(ctx, &t.to, &t.from, &t.moved));
    ASSERT_INT32S(ctx, t.to.offsets, {0, 2, 2, 4});
    ASSERT_INT32S(ctx, t.to.indices, {1, 3, 0, 2});
    ASSERT_FLOATS(ctx, t.to.values, {2, 1, 3, 4});
    ASSERT_INT64S(ctx, t.moved.source, {1, 0, 2, 3});
    ASSERT_INT64S(ctx, t.moved.needed, {4});
    assert_int_equal(sparcl_csr_flags(&t.to), ALL_FLAGS);
    drop(&t);
}

/* Rows that devices sort in different ways: lengths, of which the sum is 6000. */
static const int32_t lengths[] = {0, 1, 7, 64, 65, 363, 0, 5500};
enum { LONG_ROWS = sizeof lengths / sizeof lengths[0], LONG_ENTRIES = 6000, LONG_COLS = 3000 };

/* Columns in no order, some of them twice; values are positions. */
static sparcl_csr long_rows(sparcl_ctx *ctx, int32_t *columns) {
    int32_t offsets[LONG_ROWS + 1] = {0};
    float values[LONG_ENTRIES];
    for (int r = 0; r < LONG_ROWS; ++r)
        offsets[r + 1] = offsets[r] + lengths[r];
    for (int k = 0; k < LONG_ENTRIES; ++k) {
        columns[k] = k * 7919 % 9973 % LONG_COLS;
        values[k] = (float)k;
    }
    sparcl_csr a = {.rows = LONG_ROWS, .cols = LONG_COLS, .nnz = LONG_ENTRIES};
    a.offsets = put_int32s(ctx, offsets, LONG_ROWS + 1);
    a.indices = put_int32s(ctx, columns, LONG_ENTRIES);
    a.values = put(ctx, values, sizeof values);
    a.proof.flags = SPARCL_TRUSTED;
    return a;
}

/* The last entries of equal columns come last. */
static void long_rows_are_sorted_stably(void **state) {
    sparcl_ctx *ctx = *state;
    int32_t columns[LONG_ENTRIES];
    taken t = {.from = long_rows(ctx, columns),
               .to = make_result(ctx, LONG_ROWS, LONG_COLS, LONG_ENTRIES),
               .moved = make_moved(ctx, LONG_ENTRIES)};
    assert_ok(ctx, sparcl_csr_sort_indices(ctx, &t.to, &t.from, &t.moved));
    int32_t *sorted = bytes_of(ctx, t.to.indices);
    float *values = bytes_of(ctx, t.to.values);
    int64_t *source = bytes_of(ctx, t.moved.source);
    for (int r = 0, begin = 0; r < LONG_ROWS; begin += lengths[r++])
        for (int k = begin; k < begin + lengths[r]; ++k) {
            assert_in_range(source[k], begin, begin + lengths[r] - 1);
            assert_int_equal(sorted[k], columns[source[k]]);
            assert_true(values[k] == (float)source[k]);
            if (k > begin)
                assert_true(sorted[k - 1] < sorted[k] ||
                            (sorted[k - 1] == sorted[k] && source[k - 1] < source[k]));
        }
    free(sorted);
    free(values);
    free(source);
    drop(&t);
}

static void a_reshape_keeps_positions(void **state) {
    sparcl_ctx *ctx = *state;
    taken t = make(ctx, 2, 6, 4);
    assert_ok(ctx, sparcl_csr_reshape(ctx, &t.to, &t.from, &t.moved));
    ASSERT_INT32S(ctx, t.to.offsets, {0, 2, 4}); /* positions 3, 1, 8 and 10 */
    ASSERT_INT32S(ctx, t.to.indices, {1, 3, 2, 4});
    ASSERT_FLOATS(ctx, t.to.values, {2, 1, 3, 4});
    ASSERT_INT64S(ctx, t.moved.source, {1, 0, 2, 3});
    assert_int_equal(sparcl_csr_flags(&t.to), ALL_FLAGS);
    t.to.cols = 5;
    assert_refused(ctx, sparcl_csr_reshape(ctx, &t.to, &t.from, NULL), SPARCL_E_SHAPE,
                   "csr_reshape: `to` has 10 elements, expected the 12 of `from`");
    t.to.cols = INT64_MAX;
    t.to.index_type = SPARCL_INDEX64;
    t.to.nnz = 1;
    assert_refused(ctx, sparcl_csr_reshape(ctx, &t.to, &t.from, NULL), SPARCL_E_UNSUPPORTED,
                   "more than 2^63 - 1 elements");
    drop(&t);
}

static void each_empty_row_gets_an_entry(void **state) {
    sparcl_ctx *ctx = *state;
    taken t = make(ctx, 3, 4, 7);
    const sparcl_filled more = {.inverse = t.moved.source};
    assert_ok(ctx, sparcl_csr_fill_empty_rows(ctx, &t.to, &t.from, 9, &more));
    ASSERT_INT32S(ctx, t.to.offsets, {0, 2, 3, 5});
    ASSERT_INT32S(ctx, t.to.indices, {1, 3, 0, 0, 2});
    ASSERT_FLOATS(ctx, t.to.values, {2, 1, 9, 3, 4});
    ASSERT_INT64S(ctx, t.moved.source, {1, 0, 3, 4});
    t.to.nnz = 6;
    assert_refused(ctx, sparcl_csr_fill_empty_rows(ctx, &t.to, &t.from, 9, NULL), SPARCL_E_SHAPE,
                   "capacity for 6 entries, expected at least the 4 of `from` and 3 rows");
    drop(&t);
}

/* A value on the device, and its gradient: the second row has no entry. */
static void new_entries_have_a_value_of_the_device(void **state) {
    static const float g[] = {1, 2, 40, 8, 16, 32, 64}, third[] = {3, 5};
    sparcl_ctx *ctx = *state;
    taken t = make(ctx, 3, 4, 7);
    sparcl_buf *const value = put(ctx, third, sizeof third);
    sparcl_dense gy = {.rank = 1, .shape = {7}}, gv = {.rank = 1, .shape = {1}};
    const sparcl_filled more = {.value = value, .value_at = 1};
    const sparcl_filled past = {.value = value, .value_at = 2};
    const sparcl_filled over = {.value = t.to.values};
    assert_ok(ctx, sparcl_dense_upload(ctx, &gy, g));
    assert_ok(ctx, sparcl_dense_create(ctx, &gv));
    assert_ok(ctx, sparcl_csr_fill_empty_rows(ctx, &t.to, &t.from, 9, &more));
    ASSERT_FLOATS(ctx, t.to.values, {2, 1, 5, 3, 4});
    assert_ok(ctx, sparcl_csr_fill_empty_rows_gradient(ctx, &gv, &gy, &t.to, &t.from));
    ASSERT_FLOATS(ctx, gv.values, {40});
    assert_refused(ctx, sparcl_csr_fill_empty_rows(ctx, &t.to, &t.from, 9, &past), SPARCL_E_SHAPE,
                   "the value");
    assert_refused(ctx, sparcl_csr_fill_empty_rows(ctx, &t.to, &t.from, 9, &over), SPARCL_E_ALIAS,
                   "the value");
    assert_refused(ctx, sparcl_csr_fill_empty_rows_gradient(ctx, &gy, &gy, &t.to, &t.from),
                   SPARCL_E_SHAPE, "gv");
    assert_refused(ctx, sparcl_csr_fill_empty_rows_gradient(ctx, &gv, &gv, &t.to, &t.from),
                   SPARCL_E_SHAPE, "gy");
    t.from.proof = (sparcl_proof){0};
    assert_refused(ctx, sparcl_csr_fill_empty_rows_gradient(ctx, &gv, &gy, &t.to, &t.from),
                   SPARCL_E_UNCHECKED, "sparcl_csr_validate");
    sparcl_buf_free(value);
    sparcl_dense_free(&gy);
    sparcl_dense_free(&gv);
    drop(&t);
}

/* Values of one byte, without a source. */
static void all_element_types_are_moved(void **state) {
    static const unsigned char bytes[] = {1, 0, 1, 1};
    sparcl_ctx *ctx = *state;
    taken t = make(ctx, 4, 3, 4);
    sparcl_buf_free(t.from.values);
    t.from.values = put(ctx, bytes, sizeof bytes);
    t.from.dtype = t.to.dtype = SPARCL_BOOL;
    assert_ok(ctx, sparcl_csr_transpose(ctx, &t.to, &t.from, NULL));
    static const unsigned char expected[] = {1, 0, 1, 1, 0x55};
    assert_begins(ctx, t.to.values, expected, sizeof expected);
    drop(&t);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    taken s = make(ctx, 3, 4, 7);
    s.list = LIST(ctx, 3, {2, 0, 2});
    snapshot left = SNAPSHOT(ctx, s.to.offsets, s.to.indices, s.to.values, s.moved.source);
#define REFUSED(violation, call, status, part)                                                     \
    assert_violation_refused(taken, s, violation, call, status, part, assert_unchanged(ctx, &left))
#define ROWS    sparcl_csr_take_rows(ctx, &x.to, &x.from, &x.list, &x.moved)
#define COLUMNS sparcl_csr_take_columns(ctx, &x.to, &x.from, &x.list, &x.moved)
    REFUSED(x.list.limit = 4, ROWS, SPARCL_E_SHAPE, "take_rows: the list has indices below 4");
    REFUSED((void)0, COLUMNS, SPARCL_E_SHAPE, "take_columns: the list has indices below 3");
    REFUSED(x.list.limit = 4, COLUMNS, SPARCL_E_SHAPE, "take_columns: `to` is 3 x 4");
    REFUSED(x.to.rows = 2, ROWS, SPARCL_E_SHAPE, "take_rows: `to` is 2 x 4");
    REFUSED(x.list.indices = x.to.values, ROWS, SPARCL_E_ALIAS, "the list");
    REFUSED((void)0, sparcl_csr_transpose(ctx, &x.to, &x.from, NULL), SPARCL_E_SHAPE,
            "transpose: `to` is 3 x 4, `from` is 4 x 3");
    REFUSED(x.to.nnz = 3, sparcl_csr_sort_indices(ctx, &x.to, &x.from, NULL), SPARCL_E_SHAPE,
            "sort_indices: `to` has capacity for 3 entries");
    REFUSED(x.from.values = x.to.values, sparcl_csr_sort_indices(ctx, &x.to, &x.from, NULL),
            SPARCL_E_ALIAS, "overlaps");
    snapshot_free(&left);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_in_the_order_of_the_list),
        cmocka_unit_test(columns_may_repeat_and_follow_the_entries),
        cmocka_unit_test(a_transpose_has_sorted_rows),
        cmocka_unit_test(rows_are_sorted_by_column),
        cmocka_unit_test(long_rows_are_sorted_stably),
        cmocka_unit_test(a_reshape_keeps_positions),
        cmocka_unit_test(each_empty_row_gets_an_entry),
        cmocka_unit_test(new_entries_have_a_value_of_the_device),
        cmocka_unit_test(all_element_types_are_moved),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
