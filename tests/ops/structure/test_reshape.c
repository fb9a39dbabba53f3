/* test_reshape.c: what the header says of COO arrays in another shape, of slices, concatenation and
 * empty rows. */
#include "moved_test.h"

/* [2, 3, 2] with entries (1, 0, 1): 1, (0, 2, 0): 2, (0, 2, 1): 3, in this order. */
typedef struct shaped {
    sparcl_coo from, to;
    sparcl_moved moved;
} shaped;

static shaped make(sparcl_ctx *ctx, int rank, const int64_t *shape) {
    static const int32_t indices[3][3] = {{1, 0, 0}, {0, 2, 2}, {1, 0, 1}};
    static const float values[] = {1, 2, 3};
    shaped s = {.from = {.rank = 3, .shape = {2, 3, 2}, .nnz = 3}, .moved = make_moved(ctx, 3)};
    for (int d = 0; d < 3; ++d)
        s.from.indices[d] = put_int32s(ctx, indices[d], 3);
    s.from.values = put(ctx, values, sizeof values);
    s.from.proof.flags = SPARCL_TRUSTED | SPARCL_UNIQUE;
    s.to = (sparcl_coo){.rank = rank, .nnz = 3, .values = make_space(ctx, 6)};
    for (int d = 0; d < rank; ++d) {
        s.to.shape[d] = shape[d];
        s.to.indices[d] = make_space(ctx, 6);
    }
    s.to.count = make_space(ctx, 1);
    return s;
}

#define SHAPED(ctx, rank, ...) make((ctx), (rank), (const int64_t[])__VA_ARGS__)

static void drop(shaped *s) {
    sparcl_coo_free(&s->from);
    sparcl_coo_free(&s->to);
    moved_free(&s->moved);
}

static void a_transpose_of_any_axes_is_sorted(void **state) {
    static const int axes[] = {2, 0, 1};
    sparcl_ctx *ctx = *state;
    shaped s = SHAPED(ctx, 3, {2, 2, 3});
    sparcl_coo view;
    assert_ok(ctx, sparcl_coo_permute(ctx, &s.to, &s.from, axes, &s.moved));
    ASSERT_INT32S(ctx, s.to.indices[0], {0, 1, 1});
    ASSERT_INT32S(ctx, s.to.indices[1], {0, 0, 1});
    ASSERT_INT32S(ctx, s.to.indices[2], {2, 2, 0});
    ASSERT_FLOATS(ctx, s.to.values, {2, 3, 1});
    ASSERT_INT64S(ctx, s.moved.source, {1, 2, 0});
    assert_int_equal(sparcl_coo_flags(&s.to), ALL_FLAGS);
    const int64_t before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, sparcl_coo_permute_view(ctx, &view, &s.to, axes));
    assert_ptr_equal(view.indices[0], s.to.indices[2]);
    assert_int_equal(sparcl_coo_flags(&view), SPARCL_VALID | SPARCL_UNIQUE);
    assert_int_equal(sparcl_ctx_launches(ctx), before);
    drop(&s);
}

static void a_reshape_keeps_positions_and_may_share_values(void **state) {
    sparcl_ctx *ctx = *state;
    shaped s = SHAPED(ctx, 2, {4, 3});
    assert_ok(ctx, sparcl_coo_reshape(ctx, &s.to, &s.from));
    ASSERT_INT32S(ctx, s.to.indices[0], {2, 1, 1}); /* positions 7, 4, 5 */
    ASSERT_INT32S(ctx, s.to.indices[1], {1, 1, 2});
    ASSERT_FLOATS(ctx, s.to.values, {1, 2, 3});
    assert_int_equal(sparcl_coo_flags(&s.to), SPARCL_VALID | SPARCL_UNIQUE);
    sparcl_coo shares = s.to;
    shares.values = s.from.values;
    assert_ok(ctx, sparcl_coo_reshape(ctx, &shares, &s.from));
    ASSERT_FLOATS(ctx, s.from.values, {1, 2, 3});
    drop(&s);
}

/* 4096^6 = 2^72 elements: no position of 64 bits, but a transpose and a sort. */
static void positions_of_more_than_63_bits_are_refused_in_reshapes_only(void **state) {
    static const int axes[] = {5, 4, 3, 2, 1, 0};
    sparcl_ctx *ctx = *state;
    shaped s = SHAPED(ctx, 6, {4096, 4096, 4096, 4096, 4096, 4096});
    sparcl_coo from = s.to;
    const int32_t index = 4095;
    from.nnz = s.to.nnz = 1;
    from.count = NULL;
    from.proof.flags = SPARCL_TRUSTED;
    for (int d = 0; d < 6; ++d)
        from.indices[d] = put_int32s(ctx, &index, 1);
    from.values = put(ctx, &(float){3}, 4);
    assert_refused(ctx, sparcl_coo_reshape(ctx, &s.to, &from), SPARCL_E_UNSUPPORTED,
                   "more than 2^63 - 1 elements");
    assert_ok(ctx, sparcl_coo_permute(ctx, &s.to, &from, axes, NULL));
    ASSERT_INT32S(ctx, s.to.indices[0], {4095, 0x55555555});
    assert_ok(ctx, sparcl_coo_sort(ctx, &s.to, &from, NULL, 0));
    ASSERT_INT32S(ctx, s.to.indices[5], {4095});
    sparcl_coo_free(&from);
    drop(&s);
}

static void dimensions_of_size_1_come_and_go(void **state) {
    sparcl_ctx *ctx = *state;
    shaped s = SHAPED(ctx, 1, {1});
    sparcl_coo wide = {.indices = {[1] = s.to.indices[0]}}, narrow;
    assert_ok(ctx, sparcl_coo_expand_dims(ctx, &wide, &s.from, 1));
    assert_int_equal(wide.rank, 4);
    assert_int_equal(wide.shape[1], 1);
    ASSERT_INT32S(ctx, wide.indices[1], {0, 0, 0, 0x55555555});
    assert_ptr_equal(wide.values, s.from.values);
    assert_int_equal(sparcl_coo_flags(&wide) & ALL_FLAGS, SPARCL_VALID | SPARCL_UNIQUE);
    for (int axis = -1; axis < 2; axis += 2) {
        assert_ok(ctx, sparcl_coo_squeeze(ctx, &narrow, &wide, axis));
        assert_int_equal(narrow.rank, 3);
        assert_memory_equal(narrow.indices, s.from.indices, sizeof narrow.indices);
        assert_memory_equal(narrow.shape, s.from.shape, sizeof narrow.shape);
    }
    assert_refused(ctx, sparcl_coo_squeeze(ctx, &narrow, &wide, 0), SPARCL_E_SHAPE,
                   "squeeze: dimension 0 of 4 has size 2, expected 1");
    assert_refused(ctx, sparcl_coo_squeeze(ctx, &narrow, &wide, 4), SPARCL_E_ARG, "axis is 4");
    assert_refused(ctx, sparcl_coo_expand_dims(ctx, &wide, &s.from, 4), SPARCL_E_ARG, "axis is 4");
    wide.indices[0] = s.from.indices[1];
    assert_refused(ctx, sparcl_coo_expand_dims(ctx, &wide, &s.from, 0), SPARCL_E_ALIAS, "overlaps");
    drop(&s);
}

static void a_slice_has_its_indices_from_0_on(void **state) {
    static const int64_t start[] = {0, 1, 0};
    sparcl_ctx *ctx = *state;
    shaped s = SHAPED(ctx, 3, {1, 2, 2});
    assert_ok(ctx, sparcl_coo_slice(ctx, &s.to, &s.from, start, &s.moved));
    ASSERT_INT64S(ctx, s.to.count, {2});
    ASSERT_INT32S(ctx, s.to.indices[1], {1, 1, 0x55555555});
    ASSERT_INT64S(ctx, s.moved.source, {1, 2});
    ASSERT_INT64S(ctx, s.moved.needed, {2});
    s.to.nnz = 1;
    assert_ok(ctx, sparcl_coo_slice(ctx, &s.to, &s.from, start, &s.moved));
    ASSERT_INT64S(ctx, s.to.count, {1});
    ASSERT_INT64S(ctx, s.moved.needed, {2});
    drop(&s);
}

static void arrays_follow_each_other_along_an_axis(void **state) {
    sparcl_ctx *ctx = *state;
    shaped s = SHAPED(ctx, 3, {2, 6, 2});
    const int64_t two = 2;
    sparcl_coo counted = s.from;
    counted.count = put(ctx, &two, 8);
    counted.proof.flags = SPARCL_TRUSTED;
    const sparcl_coo parts[] = {counted, s.from};
    sparcl_buf_free(s.moved.source);
    s.moved.source = make_space(ctx, 6);
    s.to.nnz = 6;
    assert_ok(ctx, sparcl_coo_concat(ctx, &s.to, parts, 2, 1, &s.moved));
    ASSERT_INT64S(ctx, s.to.count, {5});
    ASSERT_INT32S(ctx, s.to.indices[0], {1, 0, 1, 0, 0});
    ASSERT_INT32S(ctx, s.to.indices[1], {0, 2, 3, 5, 5});
    ASSERT_INT64S(ctx, s.moved.source, {0, 1, 3, 4, 5}); /* in the capacities */
    sparcl_buf_free(counted.count);
    drop(&s);
}

static void a_shape_may_shrink_to_the_indices(void **state) {
    sparcl_ctx *ctx = *state;
    shaped s = SHAPED(ctx, 1, {1});
    sparcl_coo view = s.from;
    assert_ok(ctx, sparcl_coo_reset_shape(ctx, &view, (const int64_t[]){5, 3, 9}));
    assert_int_equal(view.shape[2], 9);
    assert_ok(ctx, sparcl_coo_reset_shape(ctx, &view, NULL));
    assert_int_equal(view.shape[0], 2);
    assert_int_equal(view.shape[1], 3);
    assert_int_equal(view.shape[2], 2);
    assert_true(sparcl_coo_flags(&view) & SPARCL_UNIQUE);
    assert_refused(ctx, sparcl_coo_reset_shape(ctx, &view, (const int64_t[]){2, 2, 2}),
                   SPARCL_E_DATA, "an index of dimension 1 is 2, expected less than 2");
    assert_int_equal(view.shape[1], 3);
    drop(&s);
}

static void each_empty_row_gets_an_entry(void **state) {
    static const int32_t rows[] = {3, 1, 3}, columns[] = {2, 1, 0};
    static const float values[] = {7, 8, 9};
    static const unsigned char empty[] = {1, 0, 1, 0, 0x55};
    sparcl_ctx *ctx = *state;
    shaped s = SHAPED(ctx, 2, {4, 5});
    sparcl_coo from = {.rank = 2, .shape = {4, 5}, .nnz = 3, .proof = {.flags = SPARCL_TRUSTED}};
    sparcl_filled more = {.is_empty = make_space(ctx, 1), .inverse = make_space(ctx, 3)};
    more.source = make_space(ctx, 7);
    from.indices[0] = put_int32s(ctx, rows, 3);
    from.indices[1] = put_int32s(ctx, columns, 3);
    from.values = put(ctx, values, sizeof values);
    for (int d = 0; d <= 2; ++d) {
        sparcl_buf **const buf = d < 2 ? &s.to.indices[d] : &s.to.values;
        sparcl_buf_free(*buf);
        *buf = make_space(ctx, 7);
    }
    s.to.nnz = 7;
    assert_ok(ctx, sparcl_coo_fill_empty_rows(ctx, &s.to, &from, -1, &more));
    ASSERT_INT64S(ctx, s.to.count, {5});
    ASSERT_INT32S(ctx, s.to.indices[0], {0, 1, 2, 3, 3});
    ASSERT_INT32S(ctx, s.to.indices[1], {0, 1, 0, 0, 2});
    ASSERT_FLOATS(ctx, s.to.values, {-1, 8, -1, 9, 7});
    ASSERT_INT64S(ctx, more.source, {-1, 1, -1, 2, 0});
    ASSERT_INT64S(ctx, more.inverse, {4, 1, 3});
    assert_begins(ctx, more.is_empty, empty, sizeof empty);
    assert_int_equal(sparcl_coo_flags(&s.to), SORTED_FLAGS);
    s.to.nnz = 6;
    assert_refused(ctx, sparcl_coo_fill_empty_rows(ctx, &s.to, &from, -1, NULL), SPARCL_E_SHAPE,
                   "capacity for 6 entries, expected at least the 3 of `from` and 4 rows");
    s.to.nnz = 7;
    s.to.shape[1] = from.shape[1] = 0;
    assert_refused(ctx, sparcl_coo_fill_empty_rows(ctx, &s.to, &from, -1, NULL), SPARCL_E_SHAPE,
                   "dimension 1 is 0, expected 1 or more");
    sparcl_buf_free(more.is_empty);
    sparcl_buf_free(more.inverse);
    sparcl_buf_free(more.source);
    sparcl_coo_free(&from);
    drop(&s);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    static const int axes[] = {2, 0, 1}, twice[] = {0, 0, 1};
    static const int64_t start[] = {0, 1, 0};
    sparcl_ctx *ctx = *state;
    shaped s = SHAPED(ctx, 3, {2, 2, 3});
    snapshot kept = SNAPSHOT(ctx, s.to.indices[0], s.to.values, s.to.count, s.moved.source);
#define REFUSED(violation, call, status, part)                                                     \
    assert_violation_refused(shaped, s, violation, call, status, part, assert_unchanged(ctx, &kept))
#define PERMUTE(axes)   sparcl_coo_permute(ctx, &x.to, &x.from, axes, &x.moved)
#define RESHAPE         sparcl_coo_reshape(ctx, &x.to, &x.from)
#define SLICE(start)    sparcl_coo_slice(ctx, &x.to, &x.from, start, &x.moved)
#define CONCAT(n, axis) sparcl_coo_concat(ctx, &x.to, &x.from, n, axis, &x.moved)
    REFUSED((void)0, PERMUTE(twice), SPARCL_E_ARG, "axes[1] is 0, expected each of 0 to 2 once");
    REFUSED((void)0, PERMUTE(NULL), SPARCL_E_ARG, "axes is NULL");
    REFUSED(x.to.shape[0] = 3, PERMUTE(axes), SPARCL_E_SHAPE, "dimension 0 of `to` is 3");
    REFUSED((x.to.nnz = 4, x.to.count = NULL), PERMUTE(axes), SPARCL_E_SHAPE, "");
    REFUSED(x.to.shape[0] = 3, RESHAPE, SPARCL_E_SHAPE, "`to` has 18 elements, expected the 12");
    REFUSED(x.to.nnz = 2, RESHAPE, SPARCL_E_SHAPE, "capacity for 2 entries");
    REFUSED(x.to.indices[0] = x.from.indices[0], RESHAPE, SPARCL_E_ALIAS, "overlaps");
    REFUSED((void)0, SLICE(start), SPARCL_E_SHAPE,
            "`to` has 3 indices of dimension 2 from 0 on, expected them among the 2");
    REFUSED((void)0, SLICE(NULL), SPARCL_E_ARG, "start is NULL");
    REFUSED(x.to.count = NULL, SLICE(start), SPARCL_E_SHAPE, "no count");
    REFUSED((void)0, CONCAT(0, 0), SPARCL_E_ARG, "0 arrays, expected 1 or more");
    REFUSED((void)0, CONCAT(1, 3), SPARCL_E_ARG, "axis is 3, expected 0 to 2");
    REFUSED((void)0, CONCAT(1, 0), SPARCL_E_SHAPE, "dimension 1 of `to` is 2, of from[0] 3");
    REFUSED((x.to.shape[1] = 3, x.to.shape[2] = 2, x.to.shape[0] = 3), CONCAT(1, 0), SPARCL_E_SHAPE,
            "dimension 0 of `to` is 3, expected 2, the sum");
    REFUSED(x.from.proof = (sparcl_proof){0}, SLICE(start), SPARCL_E_UNCHECKED, "is not checked");
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transpose_of_any_axes_is_sorted),
        cmocka_unit_test(a_reshape_keeps_positions_and_may_share_values),
        cmocka_unit_test(positions_of_more_than_63_bits_are_refused_in_reshapes_only),
        cmocka_unit_test(dimensions_of_size_1_come_and_go),
        cmocka_unit_test(a_slice_has_its_indices_from_0_on),
        cmocka_unit_test(arrays_follow_each_other_along_an_axis),
        cmocka_unit_test(a_shape_may_shrink_to_the_indices),
        cmocka_unit_test(each_empty_row_gets_an_entry),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
