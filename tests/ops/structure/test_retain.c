/* test_retain.c: what the header says of rows of a row-sparse array that a list or another array
 * names, and of a slice. */
#include "moved_test.h"

/* [9, 2] with rows 2, 5 and 6; and a list of 5, 0, 6, 5. */
typedef struct retained {
    sparcl_rows from, to;
    sparcl_list list;
    sparcl_moved moved;
} retained;

static retained make(sparcl_ctx *ctx, bool counted) {
    static const int32_t ids[] = {2, 5, 6};
    static const float values[] = {1, 2, 3, 4, 5, 6};
    retained r = {.from = {.rank = 2, .shape = {9, 2}, .nnr = 3},
                  .list = LIST(ctx, 9, {5, 0, 6, 5}),
                  .moved = make_moved(ctx, 4)};
    r.to = r.from;
    r.to.nnr = 4;
    r.to.indices = make_space(ctx, 4);
    r.to.values = make_space(ctx, 8);
    r.to.count = counted ? make_space(ctx, 1) : NULL;
    r.from.indices = put_int32s(ctx, ids, 3);
    r.from.values = put(ctx, values, sizeof values);
    r.from.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    return r;
}

static void drop(retained *r) {
    sparcl_rows_free(&r->from);
    sparcl_rows_free(&r->to);
    sparcl_list_free(&r->list);
    moved_free(&r->moved);
}

static void every_listed_row_is_there_absent_ones_as_zeros(void **state) {
    sparcl_ctx *ctx = *state;
    retained r = make(ctx, false);
    assert_ok(ctx, sparcl_rows_retain_all(ctx, &r.to, &r.from, &r.list, &r.moved));
    ASSERT_INT32S(ctx, r.to.indices, {5, 0, 6, 5});
    ASSERT_FLOATS(ctx, r.to.values, {3, 4, 0, 0, 5, 6, 3, 4});
    ASSERT_INT64S(ctx, r.moved.source, {1, -1, 2, 1});
    ASSERT_INT64S(ctx, r.moved.needed, {4});
    assert_int_equal(sparcl_rows_flags(&r.to), SPARCL_VALID);
    drop(&r);
}

static void absent_rows_may_be_left_out(void **state) {
    sparcl_ctx *ctx = *state;
    retained r = make(ctx, true);
    assert_ok(ctx, sparcl_rows_retain_stored(ctx, &r.to, &r.from, &r.list, &r.moved));
    ASSERT_INT64S(ctx, r.to.count, {3});
    ASSERT_INT32S(ctx, r.to.indices, {5, 6, 5, 0x55555555});
    ASSERT_FLOATS(ctx, r.to.values, {3, 4, 5, 6, 3, 4});
    ASSERT_INT64S(ctx, r.moved.source, {1, 2, 1});
    r.to.nnr = 2; /* one does not fit */
    assert_ok(ctx, sparcl_rows_retain_stored(ctx, &r.to, &r.from, &r.list, &r.moved));
    ASSERT_INT64S(ctx, r.to.count, {2});
    ASSERT_INT64S(ctx, r.moved.needed, {3});
    drop(&r);
}

static void a_slice_has_rows_from_0_on(void **state) {
    sparcl_ctx *ctx = *state;
    retained r = make(ctx, true);
    r.to.shape[0] = 3;
    assert_ok(ctx, sparcl_rows_slice(ctx, &r.to, &r.from, 4, &r.moved));
    ASSERT_INT64S(ctx, r.to.count, {2});
    ASSERT_INT32S(ctx, r.to.indices, {1, 2});
    ASSERT_FLOATS(ctx, r.to.values, {3, 4, 5, 6});
    ASSERT_INT64S(ctx, r.moved.source, {1, 2});
    assert_int_equal(sparcl_rows_flags(&r.to), ALL_FLAGS);
    drop(&r);
}

/* The rows of a dense array or of a row-sparse one at those of another; past its count zeros. */
static void rows_at_those_of_another_array_are_zeros_where_there_is_none(void **state) {
    sparcl_ctx *ctx = *state;
    retained r = make(ctx, true);
    static const int32_t ids[] = {6, 2, 0, 6};
    float x[18];
    for (int i = 0; i < 18; ++i)
        x[i] = (float)i;
    const sparcl_dense dense = {.rank = 2, .shape = {9, 2}, .values = put(ctx, x, sizeof x)};
    const sparcl_dense to = {.rank = 2, .shape = {4, 2}, .values = r.to.values};
    sparcl_rows at = r.from;
    at.nnr = 4;
    at.indices = put_int32s(ctx, ids, 4);
    at.values = r.list.indices; /* not read */
    at.dtype = SPARCL_BF16;
    at.proof.flags = SPARCL_TRUSTED;
    assert_ok(ctx, sparcl_rows_retain_gradient(ctx, &to, &r.from, &at));
    ASSERT_FLOATS(ctx, to.values, {5, 6, 1, 2, 0, 0, 5, 6});
    assert_ok(ctx, sparcl_rows_mask(ctx, &to, &dense, &at));
    ASSERT_FLOATS(ctx, to.values, {12, 13, 4, 5, 0, 1, 12, 13});
    at.count = put_ints(ctx, &(int64_t){1}, 1, SPARCL_INDEX64);
    assert_ok(ctx, sparcl_rows_mask(ctx, &to, &dense, &at));
    ASSERT_FLOATS(ctx, to.values, {12, 13, 0, 0, 0, 0, 0, 0});
    assert_ok(ctx, sparcl_rows_retain_gradient(ctx, &to, &r.from, &at));
    ASSERT_FLOATS(ctx, to.values, {5, 6, 0, 0, 0, 0, 0, 0});
    sparcl_buf_free(dense.values);
    sparcl_buf_free(at.indices);
    sparcl_buf_free(at.count);
    drop(&r);
}

static void rows_at_those_of_another_array_are_refused_where_they_do_not_fit(void **state) {
    sparcl_ctx *ctx = *state;
    retained s = make(ctx, true);
    snapshot kept = SNAPSHOT(ctx, s.to.values);
    sparcl_dense to = {.rank = 2, .shape = {3, 2}, .values = s.to.values}, narrow = to, gaps = to;
    const sparcl_dense few = {.rank = 2, .shape = {2, 2}, .values = s.from.values};
    narrow.shape[1] = 1;
    gaps.ld = 3;
#define REFUSED_AT(violation, call, status, part)                                                  \
    assert_violation_refused(retained, s, violation, call, status, part,                           \
                             assert_unchanged(ctx, &kept))
#define GRADIENT(to) sparcl_rows_retain_gradient(ctx, (to), &x.from, &x.from)
    REFUSED_AT((void)0, GRADIENT(&narrow), SPARCL_E_SHAPE, "the stored rows of `at`");
    REFUSED_AT((void)0, GRADIENT(&gaps), SPARCL_E_SHAPE, "`to` has gaps between its rows");
    REFUSED_AT(x.from.proof.flags = SPARCL_TRUSTED, GRADIENT(&to), SPARCL_E_UNCHECKED, "G");
    REFUSED_AT(x.from.values = s.to.values, GRADIENT(&to), SPARCL_E_ALIAS, "");
    REFUSED_AT(x.from.dtype = SPARCL_INT32, GRADIENT(&to), SPARCL_E_DTYPE, "");
    REFUSED_AT((void)0, sparcl_rows_mask(ctx, &to, &few, &x.from), SPARCL_E_SHAPE, "X");
    snapshot_free(&kept);
    drop(&s);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    retained s = make(ctx, true);
    snapshot kept = SNAPSHOT(ctx, s.to.indices, s.to.values, s.to.count, s.moved.source);
#define REFUSED(violation, call, status, part)                                                     \
    assert_violation_refused(retained, s, violation, call, status, part,                           \
                             assert_unchanged(ctx, &kept))
#define ALL    sparcl_rows_retain_all(ctx, &x.to, &x.from, &x.list, &x.moved)
#define STORED sparcl_rows_retain_stored(ctx, &x.to, &x.from, &x.list, &x.moved)
#define SLICE  sparcl_rows_slice(ctx, &x.to, &x.from, 4, &x.moved)
    REFUSED((void)0, ALL, SPARCL_E_SHAPE, "rows_retain_all: `to` has 4 stored rows and a count");
    REFUSED(x.to.count = NULL, STORED, SPARCL_E_SHAPE, "`to` has no count, expected one");
    REFUSED(x.list.limit = 8, STORED, SPARCL_E_SHAPE, "the list has indices below 8");
    REFUSED(x.from.proof.flags = SPARCL_TRUSTED, STORED, SPARCL_E_UNCHECKED,
            "`from` is not known to be sorted");
    REFUSED(x.to.shape[1] = 1, STORED, SPARCL_E_SHAPE, "dimension 1 of `to` is 1, of `from` 2");
    REFUSED(x.to.rank = 1, STORED, SPARCL_E_SHAPE, "`to` has rank 1, `from` has 2");
    REFUSED(x.list.indices = x.to.indices, STORED, SPARCL_E_ALIAS, "the list");
    REFUSED((void)0, SLICE, SPARCL_E_SHAPE, "`to` has the 9 rows from 4 on");
    REFUSED((x.to.shape[0] = 2, x.to.count = NULL), SLICE, SPARCL_E_SHAPE, "no count");
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_listed_row_is_there_absent_ones_as_zeros),
        cmocka_unit_test(absent_rows_may_be_left_out),
        cmocka_unit_test(a_slice_has_rows_from_0_on),
        cmocka_unit_test(rows_at_those_of_another_array_are_zeros_where_there_is_none),
        cmocka_unit_test(rows_at_those_of_another_array_are_refused_where_they_do_not_fit),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
