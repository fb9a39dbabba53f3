/* test_coo_reduce.c: what ops/structure.h says of fewer dimensions of COO arrays, and of
 * reductions. */
#include "moved_test.h"

/* [2, 3, 2]: (1, 0, 1): 1, (0, 2, 0): -2, (0, 2, 1): -3, (1, 0, 1): 5. */
typedef struct reduced {
    sparcl_coo from;
    sparcl_dense to;
} reduced;

static reduced make(sparcl_ctx *ctx, int rank, int64_t rows, int64_t columns) {
    static const int32_t indices[3][4] = {{1, 0, 0, 1}, {0, 2, 2, 0}, {1, 0, 1, 1}};
    static const float values[] = {1, -2, -3, 5};
    reduced s = {.from = {.rank = 3,
                          .shape = {2, 3, 2},
                          .nnz = 4,
                          .values = put(ctx, values, sizeof values),
                          .proof.flags = SPARCL_TRUSTED},
                 .to = {.rank = rank, .shape = {rows, columns}, .values = make_space(ctx, 6)}};
    for (int d = 0; d < 3; ++d)
        s.from.indices[d] = put_int32s(ctx, indices[d], 4);
    return s;
}

static void drop(reduced *s) {
    sparcl_coo_free(&s->from);
    sparcl_dense_free(&s->to);
}

static void stored_entries_are_reduced_over_axes(void **state) {
    static const int last[] = {2}, others[] = {2, 0};
    sparcl_ctx *ctx = *state;
    reduced s = make(ctx, 2, 2, 3);
    assert_ok(ctx, sparcl_coo_reduce(ctx, &s.to, SPARCL_SUM, &s.from, 1, last));
    ASSERT_FLOATS(ctx, s.to.values, {0, 0, -5, 6, 0, 0});
    assert_ok(ctx, sparcl_coo_reduce(ctx, &s.to, SPARCL_MEAN, &s.from, 1, last));
    ASSERT_FLOATS(ctx, s.to.values, {0, 0, -2.5f, 3, 0, 0});
    s.to.rank = 1;
    s.to.shape[0] = 3;
    assert_ok(ctx, sparcl_coo_reduce(ctx, &s.to, SPARCL_MAX, &s.from, 2, others));
    ASSERT_FLOATS(ctx, s.to.values, {5, 0, -2}); /* no entry: 0, which is not compared with -2 */
    assert_ok(ctx, sparcl_coo_reduce(ctx, &s.to, SPARCL_MIN, &s.from, 2, others));
    ASSERT_FLOATS(ctx, s.to.values, {1, 0, -3});
    drop(&s);
}

static void all_axes_give_one_element(void **state) {
    static const int all[] = {0, 1, 2};
    sparcl_ctx *ctx = *state;
    reduced s = make(ctx, 1, 1, 0);
    assert_ok(ctx, sparcl_coo_reduce(ctx, &s.to, SPARCL_SUM, &s.from, 0, NULL));
    ASSERT_FLOATS(ctx, s.to.values, {1});
    assert_ok(ctx, sparcl_coo_reduce(ctx, &s.to, SPARCL_MIN, &s.from, 3, all));
    ASSERT_FLOATS(ctx, s.to.values, {-3});
    drop(&s);
}

static void a_projection_moves_nothing(void **state) {
    static const int axes[] = {2, 0}, leading[] = {0, 1};
    sparcl_ctx *ctx = *state;
    reduced s = make(ctx, 1, 1, 0);
    sparcl_coo view;
    const int64_t before = sparcl_ctx_launches(ctx);
    s.from.proof.flags |= SPARCL_SORTED;
    assert_ok(ctx, sparcl_coo_project(ctx, &view, &s.from, 2, axes));
    assert_int_equal(view.rank, 2);
    assert_int_equal(view.shape[1], 2);
    assert_ptr_equal(view.indices[0], s.from.indices[2]);
    assert_ptr_equal(view.values, s.from.values);
    assert_int_equal(sparcl_coo_flags(&view), SPARCL_VALID);
    assert_ok(ctx, sparcl_coo_project(ctx, &view, &s.from, 2, leading));
    assert_int_equal(sparcl_coo_flags(&view), SPARCL_VALID | SPARCL_SORTED);
    assert_int_equal(sparcl_ctx_launches(ctx), before);
    drop(&s);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    static const int last[] = {2}, twice[] = {1, 1}, many[] = {3};
    sparcl_ctx *ctx = *state;
    reduced s = make(ctx, 2, 2, 3);
    sparcl_coo view;
    snapshot kept = SNAPSHOT(ctx, s.to.values);
#define REFUSED(violation, how, count, axes, status, part)                                         \
    assert_violation_refused(reduced, s, violation,                                                \
                             sparcl_coo_reduce(ctx, &x.to, how, &x.from, count, axes), status,     \
                             part, assert_unchanged(ctx, &kept))
    REFUSED((void)0, SPARCL_FIRST, 1, last, SPARCL_E_ARG, "how is 4, expected SPARCL_SUM to");
    REFUSED((void)0, SPARCL_SUM, 2, twice, SPARCL_E_ARG, "axes[1] is 1, expected each of 0 to 2");
    REFUSED((void)0, SPARCL_SUM, 1, many, SPARCL_E_ARG, "axes[0] is 3");
    REFUSED((void)0, SPARCL_SUM, 0, NULL, SPARCL_E_SHAPE, "`to`");
    REFUSED(x.to.shape[1] = 2, SPARCL_SUM, 1, last, SPARCL_E_SHAPE, "dimension 1 of `to` is 2");
    REFUSED(x.to.dtype = SPARCL_F16, SPARCL_SUM, 1, last, SPARCL_E_DTYPE, "`to`");
    REFUSED(x.from.dtype = SPARCL_INT32, SPARCL_SUM, 1, last, SPARCL_E_DTYPE, "`from`");
    REFUSED(x.to.values = x.from.values;
            x.from.shape[0] = x.to.shape[0] = 1, SPARCL_SUM, 1, last, SPARCL_E_ALIAS, "overlaps");
    REFUSED(x.from.proof.flags = 0, SPARCL_SUM, 1, last, SPARCL_E_UNCHECKED, "is not checked");
    assert_refused(ctx, sparcl_coo_project(ctx, &view, &s.from, 4, last), SPARCL_E_ARG,
                   "axes is 4 numbers, expected 1 to 3");
    assert_refused(ctx, sparcl_coo_project(ctx, &view, &s.from, 1, NULL), SPARCL_E_ARG, "NULL");
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 8));
    assert_refused(ctx, sparcl_coo_reduce(ctx, &s.to, SPARCL_MAX, &s.from, 1, last),
                   SPARCL_E_UNSUPPORTED, "24 bytes");
    assert_unchanged(ctx, &kept);
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ALLOW, 0));
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_entries_are_reduced_over_axes),
        cmocka_unit_test(all_axes_give_one_element),
        cmocka_unit_test(a_projection_moves_nothing),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
