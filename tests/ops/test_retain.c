/* test_retain.c: what the header says of rows of a row-sparse array that a list names, and of a
 * slice. */
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
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
