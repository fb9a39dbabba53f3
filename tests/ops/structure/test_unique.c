/* test_unique.c: what the header says of sparcl_unique. */
#include "moved_test.h"

typedef struct uniques {
    sparcl_list list;
    sparcl_unique_result to;
} uniques;

static uniques make(sparcl_ctx *ctx) {
    return (uniques){.list = LIST(ctx, 9, {7, 2, 7, 7, 0, 2}),
                     .to = {.found = make_space(ctx, 1),
                            .indices = make_space(ctx, 6),
                            .inverse = make_space(ctx, 6),
                            .counts = make_space(ctx, 6),
                            .first = make_space(ctx, 6)}};
}

static void drop(uniques *u) {
    sparcl_list_free(&u->list);
    sparcl_buf_free(u->to.found);
    sparcl_buf_free(u->to.indices);
    sparcl_buf_free(u->to.inverse);
    sparcl_buf_free(u->to.counts);
    sparcl_buf_free(u->to.first);
}

static void indices_ascend_each_with_its_number_and_first_position(void **state) {
    sparcl_ctx *ctx = *state;
    uniques u = make(ctx);
    assert_ok(ctx, sparcl_unique(ctx, &u.to, &u.list));
    ASSERT_INT64S(ctx, u.to.found, {3});
    ASSERT_INT32S(ctx, u.to.indices, {0, 2, 7, 0x55555555});
    ASSERT_INT64S(ctx, u.to.inverse, {2, 1, 2, 2, 0, 1});
    ASSERT_INT64S(ctx, u.to.counts, {1, 2, 3, 0x5555555555555555});
    ASSERT_INT64S(ctx, u.to.first, {4, 1, 0, 0x5555555555555555});
    drop(&u);
}

static void arrays_may_be_null_and_a_list_empty(void **state) {
    sparcl_ctx *ctx = *state;
    uniques u = make(ctx);
    const sparcl_unique_result only = {.found = u.to.found};
    assert_ok(ctx, sparcl_unique(ctx, &only, &u.list));
    ASSERT_INT64S(ctx, u.to.found, {3});
    u.list.count = 0;
    assert_ok(ctx, sparcl_unique(ctx, &u.to, &u.list));
    ASSERT_INT64S(ctx, u.to.found, {0});
    drop(&u);
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    uniques s = make(ctx);
    snapshot kept = SNAPSHOT(ctx, s.to.found, s.to.indices, s.to.inverse, s.to.counts);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(uniques, s, violation, sparcl_unique(ctx, &x.to, &x.list), status,    \
                             part, assert_unchanged(ctx, &kept))
    REFUSED(x.to.found = NULL, SPARCL_E_ARG, "unique: `found` is NULL");
    REFUSED(x.to.reserved[1] = 1, SPARCL_E_ARG, "the reserved fields of the result");
    REFUSED(x.to.inverse_at = 2, SPARCL_E_SHAPE, "the inverse needs 6 elements of 8 bytes");
    REFUSED(x.to.counts = x.to.first, SPARCL_E_ALIAS, "overlaps");
    REFUSED(x.to.indices = x.list.indices, SPARCL_E_ALIAS, "the list");
    REFUSED(x.list.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "the list is not checked");
    assert_refused(ctx, sparcl_unique(ctx, NULL, &s.list), SPARCL_E_ARG, "the result is NULL");
    assert_refused(ctx, sparcl_unique(ctx, &s.to, NULL), SPARCL_E_ARG, "the list is NULL");
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_ascend_each_with_its_number_and_first_position),
        cmocka_unit_test(arrays_may_be_null_and_a_list_empty),
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
