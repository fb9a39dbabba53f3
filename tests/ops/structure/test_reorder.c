/* test_reorder.c: what the header says of sparcl_coo_sort, beyond the shapes of its sweep. */
#include "coo_test.h"

static sparcl_status sort(sparcl_ctx *ctx, coo_pair *p) {
    return sparcl_coo_sort(ctx, &p->to, &p->from, p->permutation, p->permutation_at);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    check_coo_refusals(*state, sort);
}

static void counts_and_permutations_that_do_not_fit_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    coo_pair p = pair_make(ctx, SPEC_UNIFORM, SHAPE_7X9, 40);
    const pair_call call = sort;
    snapshot kept = pair_snapshot(ctx, &p);
    PAIR_REFUSED((x.to.count = NULL, --x.from.nnz), SPARCL_E_SHAPE,
                 "`to` has no count, expected one because `from` has fewer");
    PAIR_REFUSED((x.from.count = x.to.count, x.to.count = NULL), SPARCL_E_SHAPE,
                 "`to` has no count, expected one because `from` has one");
    PAIR_REFUSED((x.permutation = x.to.values, x.permutation_at = 9), SPARCL_E_SHAPE,
                 "the permutation needs 40 elements");
    PAIR_REFUSED(x.permutation = x.to.values, SPARCL_E_ALIAS,
                 "the permutation overlaps the values of `to`");
    snapshot_free(&kept);
    pair_free(&p);
}

static void a_view_that_is_null_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    coo_pair p = pair_make(ctx, SPEC_UNIFORM, SHAPE_7X9, 40);
    assert_refused(ctx, sparcl_coo_sort(ctx, NULL, &p.from, NULL, 0), SPARCL_E_ARG,
                   "coo_sort: `to` is NULL");
    assert_refused_untouched(ctx, p.to.values, sparcl_coo_sort(ctx, &p.to, NULL, NULL, 0),
                             SPARCL_E_ARG, "coo_sort: `from` is NULL");
    pair_free(&p);
}

/* With the values in the items that are sorted, and by a permutation. */
static void values_keep_their_bits(void **state) {
    static const int32_t sorted[] = {0, 1, 2, 3, 4, 5};
    static const uint32_t expected[] = {0xff800000u, 0x3f800000u, 1u, 0u, 0x7fc12345u, 0x80000000u};
    static const int64_t places[] = {3, 5, 4, 1, 2, 0};
    sparcl_ctx *ctx = *state;
    for (int with_permutation = 0; with_permutation < 2; ++with_permutation) {
        sparcl_coo from = put_line(ctx, 6, odd_indices, odd_values, 6);
        sparcl_coo to = put_line(ctx, 6, sorted, odd_values, 6);
        sparcl_buf *permutation = put(ctx, places, sizeof places);
        assert_ok(ctx, sparcl_buf_fill(ctx, permutation, 0, sizeof places, 0));
        assert_ok(ctx, sparcl_buf_fill(ctx, to.indices[0], 0, sizeof sorted, 0x22));
        assert_ok(ctx, sparcl_coo_sort(ctx, &to, &from, with_permutation ? permutation : NULL, 0));
        assert_words(ctx, to.indices[0], sorted, 6);
        assert_words(ctx, to.values, expected, 6);
        if (with_permutation) assert_holds(ctx, permutation, places);
        sparcl_buf_free(permutation);
        sparcl_coo_free(&from);
        sparcl_coo_free(&to);
    }
}

/* The array is wrongly marked as sorted; that it stays as it is shows that it was not sorted. */
static void what_is_marked_sorted_is_copied(void **state) {
    static const int64_t places[] = {0, 1, 2, 3, 4, 5};
    sparcl_ctx *ctx = *state;
    sparcl_coo from = put_line(ctx, 6, odd_indices, odd_values, 6);
    sparcl_coo to = put_line(ctx, 6, odd_indices, odd_values, 6);
    sparcl_buf *permutation = put(ctx, places, sizeof places);
    from.proof.flags |= SPARCL_SORTED;
    assert_ok(ctx, sparcl_buf_fill(ctx, to.indices[0], 0, 24, 0x22));
    assert_ok(ctx, sparcl_buf_fill(ctx, to.values, 0, 24, 0x22));
    assert_ok(ctx, sparcl_buf_fill(ctx, permutation, 0, sizeof places, 0x22));
    assert_ok(ctx, sparcl_coo_sort(ctx, &to, &from, permutation, 0));
    assert_words(ctx, to.indices[0], odd_indices, 6);
    assert_words(ctx, to.values, odd_values, 6);
    assert_holds(ctx, permutation, places);
    sparcl_buf_free(permutation);
    sparcl_coo_free(&from);
    sparcl_coo_free(&to);
}

static void the_result_is_marked_sorted_and_unique_where_it_was(void **state) {
    sparcl_ctx *ctx = *state;
    for (int unique = 0; unique < 2; ++unique) {
        coo_pair p = pair_make(ctx, unique ? SPEC_DIAGONAL : SPEC_DUPLICATE, 10, 30);
        const uint32_t flags = SPARCL_VALID | SPARCL_SORTED | (unique ? SPARCL_UNIQUE : 0u);
        p.from.proof = (sparcl_proof){0};
        assert_ok(ctx, sparcl_coo_validate(ctx, &p.from, 0));
        assert_ok(ctx, sort(ctx, &p));
        assert_int_equal(sparcl_coo_flags(&p.to), flags);
        assert_int_equal(int_at(ctx, p.to.count, 0), 30);
        assert_ok(ctx, sparcl_coo_validate(ctx, &p.to, flags));
        sparcl_coo copy = p.to;
        copy.shape[0] += 1;
        assert_int_equal(sparcl_coo_flags(&copy), 0);
        assert_ok(ctx, sparcl_buf_fill(ctx, p.to.indices[1], 0, 4, 0));
        assert_int_equal(sparcl_coo_flags(&p.to), 0);
        pair_free(&p);
    }
}

static void an_array_is_refused_until_it_is_validated(void **state) {
    sparcl_ctx *ctx = *state;
    coo_pair p = pair_make(ctx, SPEC_UNIFORM, SHAPE_7X9, 40);
    p.from.proof = (sparcl_proof){0};
    assert_refused(ctx, sort(ctx, &p), SPARCL_E_UNCHECKED, "coo_sort: `from` is not checked");
    assert_ok(ctx, sparcl_coo_validate(ctx, &p.from, 0));
    assert_ok(ctx, sort(ctx, &p));
    assert_ok(ctx, sparcl_buf_fill(ctx, p.from.indices[0], 0, 4, 0));
    assert_refused(ctx, sort(ctx, &p), SPARCL_E_UNCHECKED, "coo_sort: `from` is not checked");
    pair_free(&p);
}

static void many_entries_may_have_long_keys(void **state) {
    check_long_keys(*state, "reorder");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(counts_and_permutations_that_do_not_fit_are_refused),
        cmocka_unit_test(a_view_that_is_null_is_refused),
        cmocka_unit_test(values_keep_their_bits),
        cmocka_unit_test(what_is_marked_sorted_is_copied),
        cmocka_unit_test(the_result_is_marked_sorted_and_unique_where_it_was),
        cmocka_unit_test(an_array_is_refused_until_it_is_validated),
        cmocka_unit_test(many_entries_may_have_long_keys),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
