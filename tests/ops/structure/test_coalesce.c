/* test_coalesce.c: what the header says of sparcl_coo_coalesce, beyond the shapes of its sweep. */
#include "coo_test.h"

static sparcl_status coalesce(sparcl_ctx *ctx, coo_pair *p) {
    return sparcl_coo_coalesce(ctx, &p->to, &p->from, SPARCL_SUM, NULL);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    check_coo_refusals(*state, coalesce);
}

static void a_result_without_count_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    coo_pair p = pair_make(ctx, SPEC_UNIFORM, SHAPE_7X9, 40);
    const pair_call call = coalesce;
    snapshot kept = pair_snapshot(ctx, &p);
    PAIR_REFUSED(x.to.count = NULL, SPARCL_E_SHAPE, "`to` has no count, expected one");
    snapshot_free(&kept);
    pair_free(&p);
}

static void a_view_that_is_null_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    coo_pair p = pair_make(ctx, SPEC_UNIFORM, SHAPE_7X9, 40);
    assert_refused(ctx, sparcl_coo_coalesce(ctx, NULL, &p.from, SPARCL_SUM, NULL), SPARCL_E_ARG,
                   "coo_coalesce: `to` is NULL");
    assert_refused(ctx, sparcl_coo_coalesce(ctx, &p.to, NULL, SPARCL_SUM, NULL), SPARCL_E_ARG,
                   "coo_coalesce: `from` is NULL");
    pair_free(&p);
}

/* Coalesces 6 entries of a vector; the result has `count` entries with these indices and values. */
static void check_line(sparcl_ctx *ctx, const int32_t indices[6], const uint32_t values[6],
                       int64_t count, const int32_t *to_indices, const uint32_t *to_values) {
    const int64_t none = -1;
    sparcl_coo from = put_line(ctx, 6, indices, values, 6);
    sparcl_coo to = put_line(ctx, 6, indices, values, 6);
    to.count = put(ctx, &none, 8);
    assert_ok(ctx, sparcl_coo_coalesce(ctx, &to, &from, SPARCL_SUM, NULL));
    assert_int_equal(int_at(ctx, to.count, 0), count);
    assert_words(ctx, to.indices[0], to_indices, count);
    assert_words(ctx, to.values, to_values, count);
    sparcl_coo_free(&from);
    sparcl_coo_free(&to);
}

static void an_entry_without_duplicate_keeps_its_bits(void **state) {
    static const int32_t sorted[] = {0, 1, 2, 3, 4, 5};
    static const uint32_t expected[] = {0xff800000u, 0x3f800000u, 1u, 0u, 0x7fc12345u, 0x80000000u};
    check_line(*state, odd_indices, odd_values, 6, sorted, expected);
}

/* 2^24 + 1 + 1 is 2^24 in this order, and 2^24 + 2 in any other that begins with a 1. */
static void equal_indices_add_up_in_the_order_of_from(void **state) {
    static const int32_t indices[] = {2, 0, 2, 2, 0, 0}, sorted[] = {0, 2};
    static const float values[] = {16777216, 1, 1, 1, 1, 16777216};
    static const float sums[] = {16777218, 16777216};
    uint32_t bits[6], expected[2];
    memcpy(bits, values, sizeof bits);
    memcpy(expected, sums, sizeof expected);
    check_line(*state, indices, bits, 2, sorted, expected);
}

static void the_result_is_marked_sorted_and_unique(void **state) {
    const uint32_t flags = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    sparcl_ctx *ctx = *state;
    coo_pair p = pair_make(ctx, SPEC_DUPLICATE, SHAPE_7X9, 400);
    assert_ok(ctx, coalesce(ctx, &p));
    assert_int_equal(sparcl_coo_flags(&p.to), flags);
    assert_in_range(int_at(ctx, p.to.count, 0), 1, 63);
    assert_ok(ctx, sparcl_coo_validate(ctx, &p.to, flags));
    const int64_t other = 3;
    assert_ok(ctx, sparcl_buf_write(ctx, p.to.count, 0, 8, &other));
    assert_int_equal(sparcl_coo_flags(&p.to), 0);
    pair_free(&p);
}

/* The count that one call writes is read by the next, on the device. */
static void a_result_with_a_count_is_an_operand(void **state) {
    sparcl_ctx *ctx = *state;
    coo_pair p = pair_make(ctx, SPEC_DUPLICATE, SHAPE_7X9, 400);
    coo_pair q = pair_make(ctx, SPEC_DUPLICATE, SHAPE_7X9, 400);
    assert_ok(ctx, coalesce(ctx, &p));
    assert_ok(ctx, sparcl_coo_coalesce(ctx, &q.to, &p.to, SPARCL_SUM, NULL));
    const int64_t count = int_at(ctx, p.to.count, 0);
    assert_int_equal(int_at(ctx, q.to.count, 0), count);
    void *values = bytes_of(ctx, p.to.values);
    assert_words(ctx, q.to.values, values, count);
    free(values);
    pair_free(&p);
    pair_free(&q);
}

static void many_entries_may_have_long_keys(void **state) {
    check_long_keys(*state, "coalesce");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(a_result_without_count_is_refused),
        cmocka_unit_test(a_view_that_is_null_is_refused),
        cmocka_unit_test(an_entry_without_duplicate_keeps_its_bits),
        cmocka_unit_test(equal_indices_add_up_in_the_order_of_from),
        cmocka_unit_test(the_result_is_marked_sorted_and_unique),
        cmocka_unit_test(a_result_with_a_count_is_an_operand),
        cmocka_unit_test(many_entries_may_have_long_keys),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
