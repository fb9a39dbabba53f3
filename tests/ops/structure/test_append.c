/* test_append.c: what the header says of slices of rows, concatenation and block diagonals of CSR
 * matrices. */
#include "moved_test.h"

/* A [3, 4] with rows (1 . 2 .), (. . . .), (. 3 . 4), and B [2, 4] with rows (. . . 5), (6 . . .).
 */
typedef struct pair {
    sparcl_csr m[3], to; /* A, B, A again */
    sparcl_moved moved;
} pair;

static pair make(sparcl_ctx *ctx, int64_t rows, int64_t cols, int64_t capacity) {
    static const int32_t offsets[] = {0, 2, 2, 4}, indices[] = {0, 2, 1, 3};
    static const int32_t b_offsets[] = {0, 1, 2}, b_indices[] = {3, 0};
    static const float values[] = {1, 2, 3, 4}, b_values[] = {5, 6};
    pair p = {.to = make_result(ctx, rows, cols, capacity), .moved = make_moved(ctx, capacity)};
    p.m[0] = p.m[2] = put_matrix(ctx, 3, 4, offsets, indices, values);
    p.m[1] = put_matrix(ctx, 2, 4, b_offsets, b_indices, b_values);
    return p;
}

static void drop(pair *p) {
    sparcl_csr_free(&p->m[0]);
    sparcl_csr_free(&p->m[1]);
    sparcl_csr_free(&p->to);
    moved_free(&p->moved);
}

static void a_slice_has_its_rows_with_offsets_from_0(void **state) {
    sparcl_ctx *ctx = *state;
    pair p = make(ctx, 2, 4, 5);
    assert_ok(ctx, sparcl_csr_slice_rows(ctx, &p.to, &p.m[0], 1, &p.moved));
    ASSERT_INT32S(ctx, p.to.offsets, {0, 0, 2});
    ASSERT_INT32S(ctx, p.to.indices, {1, 3, 0x55555555});
    ASSERT_FLOATS(ctx, p.to.values, {3, 4});
    ASSERT_INT64S(ctx, p.moved.source, {2, 3, 0x5555555555555555});
    ASSERT_INT64S(ctx, p.moved.needed, {2});
    assert_int_equal(sparcl_csr_flags(&p.to), ALL_FLAGS);
    drop(&p);
}

static void rows_of_several_matrices_follow_each_other(void **state) {
    sparcl_ctx *ctx = *state;
    pair p = make(ctx, 8, 4, 10);
    const int64_t before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, sparcl_csr_concat_rows(ctx, &p.to, p.m, 3, &p.moved));
    assert_in_range(sparcl_ctx_launches(ctx) - before, 3, 5); /* one for each, and fills */
    ASSERT_INT32S(ctx, p.to.offsets, {0, 2, 2, 4, 5, 6, 8, 8, 10});
    ASSERT_INT32S(ctx, p.to.indices, {0, 2, 1, 3, 3, 0, 0, 2, 1, 3});
    ASSERT_FLOATS(ctx, p.to.values, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4});
    ASSERT_INT64S(ctx, p.moved.source, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    assert_int_equal(sparcl_csr_flags(&p.to), ALL_FLAGS);
    p.m[1].proof.flags = SPARCL_TRUSTED;
    assert_ok(ctx, sparcl_csr_concat_rows(ctx, &p.to, p.m, 3, NULL));
    assert_int_equal(sparcl_csr_flags(&p.to), SPARCL_VALID);
    drop(&p);
}

static void columns_of_several_matrices_lie_beside_each_other(void **state) {
    sparcl_ctx *ctx = *state;
    pair p = make(ctx, 3, 8, 8);
    const sparcl_csr two[] = {p.m[0], p.m[2]};
    assert_ok(ctx, sparcl_csr_concat_columns(ctx, &p.to, two, 2, &p.moved));
    ASSERT_INT32S(ctx, p.to.offsets, {0, 4, 4, 8});
    ASSERT_INT32S(ctx, p.to.indices, {0, 2, 4, 6, 1, 3, 5, 7});
    ASSERT_FLOATS(ctx, p.to.values, {1, 2, 1, 2, 3, 4, 3, 4});
    ASSERT_INT64S(ctx, p.moved.source, {0, 1, 4, 5, 2, 3, 6, 7});
    assert_int_equal(sparcl_csr_flags(&p.to), ALL_FLAGS);
    drop(&p);
}

static void blocks_of_a_diagonal_may_be_empty(void **state) {
    sparcl_ctx *ctx = *state;
    pair p = make(ctx, 5, 15, 6);
    sparcl_csr none = MATRIX(ctx, 0, 7, ARRAY(0), ARRAY(0), ARRAY(0));
    const sparcl_csr blocks[] = {p.m[0], none, p.m[1]};
    assert_ok(ctx, sparcl_csr_block_diagonal(ctx, &p.to, blocks, 3, &p.moved));
    ASSERT_INT32S(ctx, p.to.offsets, {0, 2, 2, 4, 5, 6});
    ASSERT_INT32S(ctx, p.to.indices, {0, 2, 1, 3, 14, 11});
    ASSERT_FLOATS(ctx, p.to.values, {1, 2, 3, 4, 5, 6});
    ASSERT_INT64S(ctx, p.moved.source, {0, 1, 2, 3, 4, 5});
    sparcl_csr_free(&none);
    drop(&p);
}

static void no_matrix_is_a_matrix_without_entries(void **state) {
    sparcl_ctx *ctx = *state;
    pair p = make(ctx, 0, 4, 1);
    assert_ok(ctx, sparcl_csr_concat_rows(ctx, &p.to, NULL, 0, &p.moved));
    ASSERT_INT32S(ctx, p.to.offsets, {0});
    ASSERT_INT64S(ctx, p.moved.needed, {0});
    drop(&p);
    p = make(ctx, 3, 0, 1);
    assert_ok(ctx, sparcl_csr_concat_columns(ctx, &p.to, NULL, 0, &p.moved));
    ASSERT_INT32S(ctx, p.to.offsets, {0, 0, 0, 0});
    ASSERT_INT64S(ctx, p.moved.needed, {0});
    drop(&p);
}

static void entries_past_the_capacity_are_dropped(void **state) {
    sparcl_ctx *ctx = *state;
    pair p = make(ctx, 5, 4, 5);
    p.to.nnz = 3;
    assert_ok(ctx, sparcl_csr_concat_rows(ctx, &p.to, p.m, 2, &p.moved));
    ASSERT_INT32S(ctx, p.to.offsets, {0, 2, 2, 3, 3, 3});
    ASSERT_INT32S(ctx, p.to.indices, {0, 2, 1, 0x55555555});
    ASSERT_INT64S(ctx, p.moved.needed, {6});
    drop(&p);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make(ctx, 5, 4, 6);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, s.to.offsets, s.to.indices, s.to.values, s.moved.source);
#define REFUSED(violation, call, status, part)                                                     \
    assert_violation_refused(pair, s, violation, call, status, part, assert_unchanged(ctx, &kept))
#define CONCAT sparcl_csr_concat_rows(ctx, &x.to, x.m, 2, &x.moved)
#define SLICE  sparcl_csr_slice_rows(ctx, &x.to, &x.m[0], 1, &x.moved)
    REFUSED(x.to.rows = 4, CONCAT, SPARCL_E_SHAPE, "concat_rows: `to` has 4 rows, expected 5");
    REFUSED(x.m[1].cols = 5, CONCAT, SPARCL_E_SHAPE, "`to` has 4 columns, expected 5");
    REFUSED((x.m[1].dtype = SPARCL_F64, x.m[1].nnz = 1), CONCAT, no_f64, "");
    REFUSED(x.m[1].proof = (sparcl_proof){0}, CONCAT, SPARCL_E_UNCHECKED, "is not checked");
    REFUSED(x.m[1].values = x.to.values, CONCAT, SPARCL_E_ALIAS, "overlaps the values of `from`");
    REFUSED(x.moved.source = x.to.values, CONCAT, SPARCL_E_ALIAS, "the source");
    REFUSED(x.moved.needed_at = 9, CONCAT, SPARCL_E_SHAPE, "the needed count needs 1 elements");
    REFUSED(x.moved.reserved[0] = 1, CONCAT, SPARCL_E_ARG, "the reserved fields of moved");
    REFUSED((void)0, sparcl_csr_concat_rows(ctx, &x.to, x.m, -1, NULL), SPARCL_E_ARG,
            "of -1 matrices, expected 0 or more");
    REFUSED((void)0, sparcl_csr_concat_rows(ctx, &x.to, NULL, 1, NULL), SPARCL_E_ARG, "NULL");
    REFUSED((void)0, sparcl_csr_concat_rows(ctx, NULL, x.m, 1, NULL), SPARCL_E_ARG, "`to` is NULL");
    REFUSED(x.m[1].rows = INT64_MAX, CONCAT, SPARCL_E_SHAPE, "");
    REFUSED((void)0, sparcl_csr_concat_columns(ctx, &x.to, x.m, 2, NULL), SPARCL_E_SHAPE,
            "concat_columns: `to` has 5 rows, expected 3");
    REFUSED((void)0, sparcl_csr_block_diagonal(ctx, &x.to, x.m, 2, NULL), SPARCL_E_SHAPE,
            "block_diagonal: `to` has 4 columns, expected 8");
    REFUSED((void)0, SLICE, SPARCL_E_SHAPE,
            "slice_rows: `to` has the 5 rows from 1 on, expected them among the 3");
    REFUSED((x.to.rows = 2, x.to.cols = 3), SLICE, SPARCL_E_SHAPE,
            "slice_rows: `to` has 3 columns, expected the 4 of `from`");
    REFUSED(x.to.rows = 1, sparcl_csr_slice_rows(ctx, &x.to, &x.m[0], -1, NULL), SPARCL_E_SHAPE,
            "from -1 on");
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_has_its_rows_with_offsets_from_0),
        cmocka_unit_test(rows_of_several_matrices_follow_each_other),
        cmocka_unit_test(columns_of_several_matrices_lie_beside_each_other),
        cmocka_unit_test(blocks_of_a_diagonal_may_be_empty),
        cmocka_unit_test(no_matrix_is_a_matrix_without_entries),
        cmocka_unit_test(entries_past_the_capacity_are_dropped),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
