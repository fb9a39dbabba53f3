/* test_keep.c: what the header says of operations that keep some entries of a CSR matrix. */
#include "moved_test.h"

/* [4, 4] with rows (1 . 0 .), (. 2 . 3), (. . . .), (4 -0 . NaN). */
typedef struct kept {
    sparcl_csr from, to;
    sparcl_list list;
    sparcl_moved moved;
} kept;

static kept make(sparcl_ctx *ctx, int64_t cols, int64_t capacity) {
    return (kept){.from = MATRIX(ctx, 4, 4, ARRAY(0, 2, 4, 4, 7), ARRAY(0, 2, 1, 3, 0, 1, 3),
                                 ARRAY(1, 0, 2, 3, 4, -0.0F, NAN)),
                  .to = make_result(ctx, 4, cols, capacity),
                  .list = LIST(ctx, 4, {3, 1, 3}),
                  .moved = make_moved(ctx, capacity)};
}

static void drop(kept *k) {
    sparcl_csr_free(&k->from);
    sparcl_csr_free(&k->to);
    sparcl_list_free(&k->list);
    moved_free(&k->moved);
}

static void a_slice_has_its_columns_from_0_on(void **state) {
    sparcl_ctx *ctx = *state;
    kept k = make(ctx, 2, 7);
    assert_ok(ctx, sparcl_csr_slice_columns(ctx, &k.to, &k.from, 1, &k.moved));
    ASSERT_INT32S(ctx, k.to.offsets, {0, 1, 2, 2, 3});
    ASSERT_INT32S(ctx, k.to.indices, {1, 0, 0});
    ASSERT_FLOATS(ctx, k.to.values, {0, 2, -0.0F});
    ASSERT_INT64S(ctx, k.moved.source, {1, 2, 5});
    ASSERT_INT64S(ctx, k.moved.needed, {3});
    assert_int_equal(sparcl_csr_flags(&k.to), ALL_FLAGS);
    drop(&k);
}

static void only_rows_of_the_list_stay(void **state) {
    sparcl_ctx *ctx = *state;
    kept k = make(ctx, 4, 7);
    assert_ok(ctx, sparcl_csr_retain_rows(ctx, &k.to, &k.from, &k.list, &k.moved));
    ASSERT_INT32S(ctx, k.to.offsets, {0, 0, 2, 2, 5});
    ASSERT_INT32S(ctx, k.to.indices, {1, 3, 0, 1, 3});
    ASSERT_INT64S(ctx, k.moved.source, {2, 3, 4, 5, 6});
    k.list.count = 0;
    assert_ok(ctx, sparcl_csr_retain_rows(ctx, &k.to, &k.from, &k.list, NULL));
    ASSERT_INT32S(ctx, k.to.offsets, {0, 0, 0, 0, 0});
    drop(&k);
}

static void zeros_of_both_signs_are_eliminated_and_nan_stays(void **state) {
    sparcl_ctx *ctx = *state;
    kept k = make(ctx, 4, 7);
    assert_ok(ctx, sparcl_csr_prune(ctx, &k.to, &k.from, 0, &k.moved));
    ASSERT_INT32S(ctx, k.to.offsets, {0, 1, 3, 3, 5});
    ASSERT_INT32S(ctx, k.to.indices, {0, 1, 3, 0, 3});
    ASSERT_INT64S(ctx, k.moved.source, {0, 2, 3, 4, 6});
    drop(&k);
}

static void a_triangle_is_what_lies_at_its_side_of_a_diagonal(void **state) {
    sparcl_ctx *ctx = *state;
    kept k = make(ctx, 4, 7);
    assert_ok(ctx, sparcl_csr_triangle(ctx, &k.to, &k.from, SPARCL_LOWER, 0, NULL));
    ASSERT_INT32S(ctx, k.to.offsets, {0, 1, 2, 2, 5});
    assert_ok(ctx, sparcl_csr_triangle(ctx, &k.to, &k.from, SPARCL_UPPER, 1, NULL));
    ASSERT_INT32S(ctx, k.to.offsets, {0, 1, 2, 2, 2});
    ASSERT_INT32S(ctx, k.to.indices, {2, 3});
    assert_ok(ctx, sparcl_csr_triangle(ctx, &k.to, &k.from, SPARCL_DIAGONAL, 0, NULL));
    ASSERT_INT32S(ctx, k.to.offsets, {0, 1, 2, 2, 3});
    assert_ok(ctx, sparcl_csr_triangle(ctx, &k.to, &k.from, SPARCL_DIAGONAL, INT64_MIN, NULL));
    ASSERT_INT32S(ctx, k.to.offsets, {0, 0, 0, 0, 0});
    drop(&k);
}

static void entries_past_the_capacity_are_dropped(void **state) {
    sparcl_ctx *ctx = *state;
    kept k = make(ctx, 4, 7);
    k.to.nnz = 2;
    assert_ok(ctx, sparcl_csr_prune(ctx, &k.to, &k.from, 0, &k.moved));
    ASSERT_INT32S(ctx, k.to.offsets, {0, 1, 2, 2, 2});
    ASSERT_INT32S(ctx, k.to.indices, {0, 1, 0x55555555});
    ASSERT_INT64S(ctx, k.moved.source, {0, 2, 0x5555555555555555});
    ASSERT_INT64S(ctx, k.moved.needed, {5});
    drop(&k);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    kept s = make(ctx, 4, 7);
    snapshot left = SNAPSHOT(ctx, s.to.offsets, s.to.indices, s.to.values, s.moved.source);
#define REFUSED(violation, call, status, part)                                                     \
    assert_violation_refused(kept, s, violation, call, status, part, assert_unchanged(ctx, &left))
#define SLICE  sparcl_csr_slice_columns(ctx, &x.to, &x.from, 1, &x.moved)
#define RETAIN sparcl_csr_retain_rows(ctx, &x.to, &x.from, &x.list, &x.moved)
    REFUSED((void)0, SLICE, SPARCL_E_SHAPE,
            "slice_columns: `to` has the 4 columns from 1 on, expected them among the 4");
    REFUSED((x.to.cols = 2, x.to.rows = 3), SLICE, SPARCL_E_SHAPE,
            "`to` has 3 rows, expected the 4 of `from`");
    REFUSED(x.list.limit = 5, RETAIN, SPARCL_E_SHAPE,
            "retain_rows: the list has indices below 5, expected 4 as its limit");
    REFUSED(x.list.proof = (sparcl_proof){0}, RETAIN, SPARCL_E_UNCHECKED, "the list");
    REFUSED(x.list.indices = x.to.indices, RETAIN, SPARCL_E_ALIAS, "the list");
    REFUSED(x.to.cols = 3, RETAIN, SPARCL_E_SHAPE, "expected one size");
    REFUSED(x.from.proof = (sparcl_proof){0}, RETAIN, SPARCL_E_UNCHECKED, "`from` is not checked");
    REFUSED(x.from.indices = x.to.values, RETAIN, SPARCL_E_ALIAS, "overlaps");
    REFUSED((void)0, sparcl_csr_triangle(ctx, &x.to, &x.from, (sparcl_part)3, 0, NULL),
            SPARCL_E_ARG, "triangle: the part is 3");
    REFUSED(x.to.rows = 3, sparcl_csr_prune(ctx, &x.to, &x.from, 0, NULL), SPARCL_E_SHAPE,
            "csr_prune: `to` is 3 x 4");
    snapshot_free(&left);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_has_its_columns_from_0_on),
        cmocka_unit_test(only_rows_of_the_list_stay),
        cmocka_unit_test(zeros_of_both_signs_are_eliminated_and_nan_stays),
        cmocka_unit_test(a_triangle_is_what_lies_at_its_side_of_a_diagonal),
        cmocka_unit_test(entries_past_the_capacity_are_dropped),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
