/* test_validate.c: what tensor.h says of sparcl_validate and of proofs, beyond the shapes of the
 * sweep: the messages, the other kinds of views, and when a proof ends. */
#include "op_test.h"

#define ALL (SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE)

/* 4 x 500; rows [3, 7], [], [7, 1, 9], [9]. */
typedef struct sample {
    int32_t offsets[5], indices[6];
    float values[6];
} sample;

static const sample good = {{0, 2, 2, 5, 6}, {3, 7, 1, 7, 9, 9}, {1, 2, 3, 4, 5, 6}};

static sparcl_csr put_sample(sparcl_ctx *ctx, const sample *s) {
    return (sparcl_csr){.rows = 4,
                        .cols = 500,
                        .nnz = 6,
                        .offsets = put(ctx, s->offsets, sizeof s->offsets),
                        .indices = put(ctx, s->indices, sizeof s->indices),
                        .values = put(ctx, s->values, sizeof s->values)};
}

/* One number of the sample that is wrong, and the whole message. */
typedef struct wrong {
    int offset_at, offset, index_at, index, value_at;
    float value;
    uint32_t want;
    const char *message;
} wrong;

#define NO -1
static const wrong wrongs[] = {
    {0, 5, NO, 0, NO, 0, 0, "validate: A.offsets[0] is 5, expected 0"},
    {0, -1, NO, 0, NO, 0, 0, "validate: A.offsets[0] is -1, expected 0"},
    {2, 1, NO, 0, NO, 0, 0, "validate: A.offsets[2] is 1 after 2, expected at least as much"},
    {4, 7, NO, 0, NO, 0, 0, "validate: A.offsets[4] is 7, expected at most the 6 entries of A"},
    {1, 2000000000, NO, 0, NO, 0, 0,
     "validate: A.offsets[1] is 2000000000, expected at most the 6 entries of A"},
    {NO, 0, 4, 900, NO, 0, 0, "validate: A.indices[4] is 900 in row 2, expected 0 to 499"},
    {NO, 0, 5, -3, NO, 0, ALL, "validate: A.indices[5] is -3 in row 3, expected 0 to 499"},
    {NO, 0, 1, 2, NO, 0, SPARCL_SORTED,
     "validate: A.indices[1] is 2 after 3 in row 0, expected ascending"},
    {NO, 0, 3, 1, NO, 0, SPARCL_UNIQUE,
     "validate: A.indices[3] is 1, a duplicate in row 2, expected each index once"},
    {NO, 0, 2, 9, NO, 0, SPARCL_UNIQUE,
     "validate: A.indices[4] is 9, a duplicate in row 2, expected each index once"},
    {NO, 0, NO, 0, 3, NAN, SPARCL_FINITE, "validate: A.values[3] is nan, expected a finite number"},
    {NO, 0, NO, 0, 5, -INFINITY, SPARCL_FINITE,
     "validate: A.values[5] is -inf, expected a finite number"},
    {NO, 0, 5, 500, 0, NAN, SPARCL_FINITE,
     "validate: A.indices[5] is 500 in row 3, expected 0 to 499"},
    {3, 0, 0, -7, 0, NAN, SPARCL_FINITE,
     "validate: A.offsets[3] is 0 after 2, expected at least as much"},
};

static sample hurt(const wrong *w) {
    sample s = good;
    if (w->offset_at != NO) s.offsets[w->offset_at] = w->offset;
    if (w->index_at != NO) s.indices[w->index_at] = w->index;
    if (w->value_at != NO) s.values[w->value_at] = w->value;
    return s;
}

static void the_first_bad_position_is_named(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(wrongs); ++i) {
        const sample s = hurt(&wrongs[i]);
        sparcl_csr a = put_sample(ctx, &s);
        a.proof.flags = i % 2 ? SPARCL_TRUSTED : 0u;
        assert_int_equal(sparcl_csr_validate(ctx, &a, wrongs[i].want), SPARCL_E_DATA);
        assert_string_equal(sparcl_ctx_error(ctx)->message, wrongs[i].message);
        assert_int_equal(sparcl_csr_flags(&a), 0);
        sparcl_csr_free(&a);
    }
}

static void a_csc_view_counts_columns(void **state) {
    sparcl_ctx *ctx = *state;
    sample s = good;
    s.indices[4] = 900;
    sparcl_csr a = put_sample(ctx, &s);
    sparcl_csc t = {.rows = 500,
                    .cols = 4,
                    .nnz = 6,
                    .offsets = a.offsets,
                    .indices = a.indices,
                    .values = a.values};
    assert_refused(ctx, sparcl_csc_validate(ctx, &t, 0), SPARCL_E_DATA,
                   "A.indices[4] is 900 in column 2, expected 0 to 499");
    t.rows = 901;
    assert_ok(ctx, sparcl_csc_validate(ctx, &t, ALL));
    assert_int_equal(sparcl_csc_flags(&t), ALL);
    assert_int_equal(t.proof.longest_row, 3); /* column 2 */
    sparcl_csr_free(&a);
}

static void the_longest_row_is_part_of_the_proof(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_csr a = put_sample(ctx, &good);
    assert_int_equal(a.proof.longest_row, 0);
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, 0));
    assert_int_equal(a.proof.longest_row, 3);
    a.nnz = 5;
    assert_refused(ctx, sparcl_csr_validate(ctx, &a, 0), SPARCL_E_DATA, "A.offsets[4] is 6");
    assert_int_equal(a.proof.longest_row, 0);
    sparcl_csr_free(&a);
}

static void properties_are_found_that_were_not_requested(void **state) {
    sparcl_ctx *ctx = *state;
    static const struct {
        int at, index;
        uint32_t flags;
    } tried[] = {{0, 3, ALL},
                 {1, 3, SPARCL_VALID | SPARCL_SORTED},
                 {1, 2, SPARCL_VALID | SPARCL_UNIQUE},
                 {2, 9, SPARCL_VALID}};
    for (size_t i = 0; i < COUNT(tried); ++i) {
        sample s = good;
        s.indices[tried[i].at] = tried[i].index;
        sparcl_csr a = put_sample(ctx, &s);
        assert_ok(ctx, sparcl_csr_validate(ctx, &a, 0));
        assert_int_equal(sparcl_csr_flags(&a), tried[i].flags);
        sparcl_csr_free(&a);
    }
}

static void finite_is_checked_on_request_and_never_remembered(void **state) {
    sparcl_ctx *ctx = *state;
    sample s = good;
    sparcl_csr a = put_sample(ctx, &s);
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, SPARCL_FINITE));
    assert_int_equal(sparcl_csr_flags(&a), ALL);
    sparcl_csr_free(&a);
    s.values[2] = NAN;
    a = put_sample(ctx, &s);
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, 0));
    sparcl_csr_free(&a);
}

static void fewer_entries_than_capacity_are_valid(void **state) {
    sparcl_ctx *ctx = *state;
    sample s = good;
    s.offsets[4] = 5;
    s.indices[5] = -7;
    s.values[5] = NAN;
    sparcl_csr a = put_sample(ctx, &s);
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, ALL | SPARCL_FINITE));
    sparcl_csr_free(&a);
}

static void a_proof_ends_with_a_write_or_a_change(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_csr a = put_sample(ctx, &good);
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, 0));
    sparcl_csr b = a;
    assert_int_equal(sparcl_csr_flags(&b), ALL);
    b.cols = 499;
    assert_int_equal(sparcl_csr_flags(&b), 0);
    b = a;
    b.nnz = 5;
    assert_int_equal(sparcl_csr_flags(&b), 0);
    b = a;
    b.indices_at = 1;
    assert_int_equal(sparcl_csr_flags(&b), 0);
    b = a;
    b.indices = a.values;
    assert_int_equal(sparcl_csr_flags(&b), 0);
    /* values may change */
    assert_ok(ctx, sparcl_buf_fill(ctx, a.values, 0, 24, 0));
    assert_int_equal(sparcl_csr_flags(&a), ALL);
    sparcl_buf_touched(a.offsets);
    assert_int_equal(sparcl_csr_flags(&a), 0);
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, 0));
    assert_ok(ctx, sparcl_buf_write(ctx, a.indices, 0, 24, good.indices));
    assert_int_equal(sparcl_csr_flags(&a), 0);
    sparcl_csr_free(&a);
}

static void trust_stays_where_nothing_is_wrong(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_csr a = put_sample(ctx, &good);
    a.proof.flags = SPARCL_TRUSTED;
    assert_int_equal(sparcl_csr_flags(&a), SPARCL_TRUSTED | SPARCL_VALID);
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, 0));
    assert_int_equal(sparcl_csr_flags(&a), SPARCL_TRUSTED | ALL);
    sparcl_csr_free(&a);
}

static void properties_given_with_trust_hold_until_a_result_is_written(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_csr a = put_sample(ctx, &good);
    a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE};
    assert_int_equal(sparcl_csr_flags(&a), SPARCL_TRUSTED | ALL);
    assert_ok(ctx, sparcl_buf_write(ctx, a.indices, 0, 24, good.indices));
    assert_int_equal(sparcl_csr_flags(&a), SPARCL_TRUSTED | ALL); /* as given */
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, 0));
    assert_int_equal(sparcl_csr_flags(&a), SPARCL_TRUSTED | ALL);
    assert_ok(ctx, sparcl_buf_write(ctx, a.indices, 0, 24, good.indices));
    assert_int_equal(sparcl_csr_flags(&a), SPARCL_TRUSTED | SPARCL_VALID); /* as proven */
    sparcl_csr_free(&a);
}

static void an_invalid_view_is_refused_and_unmarked(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_csr a = put_sample(ctx, &good);
    sparcl_csc c = {0};
    sparcl_coo coo = {.rank = 9};
    sparcl_rows rows = {.rank = 0};
    sparcl_list list = {.count = -1};
    assert_ok(ctx, sparcl_csr_validate(ctx, &a, 0));
    sparcl_csr b = a;
    b.reserved[0] = 1;
    assert_refused(ctx, sparcl_csr_validate(ctx, &b, 0), SPARCL_E_ARG, "the reserved fields of A");
    assert_int_equal(b.proof.flags, 0);
    b = a;
    b.index_type = (sparcl_itype)9;
    assert_refused(ctx, sparcl_csr_validate(ctx, &b, 0), SPARCL_E_DTYPE, "A has index type 9");
    assert_refused(ctx, sparcl_csr_validate(ctx, &a, SPARCL_TRUSTED), SPARCL_E_ARG, "want is 16");
    assert_refused(ctx, sparcl_csr_validate(ctx, NULL, 0), SPARCL_E_ARG, "A is NULL");
    assert_refused(ctx, sparcl_csc_validate(ctx, NULL, 0), SPARCL_E_ARG, "A is NULL");
    assert_refused(ctx, sparcl_csc_validate(ctx, &c, 0), SPARCL_E_SHAPE,
                   "A has no buffer yet for its offsets");
    assert_refused(ctx, sparcl_coo_validate(ctx, NULL, 0), SPARCL_E_ARG, "A is NULL");
    assert_refused(ctx, sparcl_coo_validate(ctx, &coo, 0), SPARCL_E_SHAPE, "A has rank 9");
    assert_refused(ctx, sparcl_rows_validate(ctx, NULL, 0), SPARCL_E_ARG, "A is NULL");
    assert_refused(ctx, sparcl_rows_validate(ctx, &rows, 0), SPARCL_E_SHAPE, "A has rank 0");
    assert_refused(ctx, sparcl_list_validate(ctx, NULL, 0), SPARCL_E_ARG, "A is NULL");
    assert_refused(ctx, sparcl_list_validate(ctx, &list, 0), SPARCL_E_SHAPE, "-1 numbers");
    sparcl_csr_free(&a);
}

static void coo_entries_are_named_with_all_their_indices(void **state) {
    static const int32_t rows[] = {0, 1, 1, 0}, cols[] = {4, 2, 2, 4};
    static const float values[] = {1, 2, 3, INFINITY};
    sparcl_ctx *ctx = *state;
    sparcl_coo a = {.rank = 2,
                    .shape = {2, 5},
                    .nnz = 4,
                    .indices = {put(ctx, rows, 16), put(ctx, cols, 16)},
                    .values = put(ctx, values, 16)};
    assert_refused(ctx, sparcl_coo_validate(ctx, &a, SPARCL_SORTED), SPARCL_E_DATA,
                   "validate: entry 3 of A is (0, 4) after (1, 2), expected ascending");
    assert_refused(ctx, sparcl_coo_validate(ctx, &a, SPARCL_UNIQUE), SPARCL_E_DATA,
                   "validate: entry 2 of A is (1, 2), a duplicate, expected each index once");
    assert_refused(ctx, sparcl_coo_validate(ctx, &a, SPARCL_FINITE), SPARCL_E_DATA,
                   "validate: A.values[3] is inf, expected a finite number");
    assert_ok(ctx, sparcl_coo_validate(ctx, &a, 0));
    assert_int_equal(sparcl_coo_flags(&a), SPARCL_VALID);
    a.shape[1] = 3;
    assert_int_equal(sparcl_coo_flags(&a), 0);
    assert_refused(ctx, sparcl_coo_validate(ctx, &a, 0), SPARCL_E_DATA,
                   "validate: A.indices[1][0] is 4, expected 0 to 2");
    for (int d = 0; d < 2; ++d)
        sparcl_buf_free(a.indices[d]);
    sparcl_buf_free(a.values);
}

static void a_count_is_validated_and_ends_the_entries(void **state) {
    static const int32_t ids[] = {2, 5, -8, -8};
    static const float values[] = {1, 2, 3, 4, NAN, NAN, NAN, NAN};
    static const struct {
        int64_t count;
        sparcl_status status;
        const char *message;
    } tried[] = {
        {2, SPARCL_OK, ""},
        {0, SPARCL_OK, ""},
        {-1, SPARCL_E_DATA, "validate: A.count is -1, expected 0 to 4"},
        {5, SPARCL_E_DATA, "validate: A.count is 5, expected 0 to 4"},
        {3, SPARCL_E_DATA, "validate: A.indices[2] is -8, expected 0 to 9"},
    };
    sparcl_ctx *ctx = *state;
    sparcl_rows a = {.rank = 2,
                     .shape = {10, 2},
                     .nnr = 4,
                     .indices = put(ctx, ids, 16),
                     .values = put(ctx, values, 32),
                     .count = put(ctx, &tried[0].count, 8)};
    for (size_t i = 0; i < COUNT(tried); ++i) {
        assert_ok(ctx, sparcl_buf_write(ctx, a.count, 0, 8, &tried[i].count));
        assert_int_equal(sparcl_rows_flags(&a), 0);
        const sparcl_status status = sparcl_rows_validate(ctx, &a, ALL | SPARCL_FINITE);
        assert_int_equal(status, tried[i].status);
        if (status != SPARCL_OK)
            assert_string_equal(sparcl_ctx_error(ctx)->message, tried[i].message);
        assert_int_equal(sparcl_rows_flags(&a), status == SPARCL_OK ? ALL : 0u);
    }
    sparcl_buf_free(a.indices);
    sparcl_buf_free(a.values);
    sparcl_buf_free(a.count);
}

static void rows_and_lists_may_have_duplicates_in_any_order(void **state) {
    static const int32_t ids[] = {7, 2, 7};
    static const float values[] = {1, 2, 3};
    sparcl_ctx *ctx = *state;
    sparcl_list list = {.count = 3, .limit = 8, .indices = put(ctx, ids, sizeof ids)};
    sparcl_rows rows = {.rank = 1,
                        .shape = {8},
                        .nnr = 3,
                        .indices = list.indices,
                        .values = put(ctx, values, sizeof values)};
    assert_ok(ctx, sparcl_list_validate(ctx, &list, SPARCL_FINITE));
    assert_ok(ctx, sparcl_rows_validate(ctx, &rows, SPARCL_FINITE));
    assert_int_equal(sparcl_list_flags(&list), SPARCL_VALID);
    assert_int_equal(sparcl_rows_flags(&rows), SPARCL_VALID);
    assert_refused(ctx, sparcl_list_validate(ctx, &list, SPARCL_SORTED), SPARCL_E_DATA,
                   "validate: entry 1 of A is 2 after 7, expected ascending");
    assert_refused(ctx, sparcl_rows_validate(ctx, &rows, SPARCL_UNIQUE), SPARCL_E_DATA,
                   "validate: entry 2 of A is 7, a duplicate, expected each index once");
    assert_int_equal(sparcl_list_flags(&list), 0);
    list.limit = 7;
    assert_refused(ctx, sparcl_list_validate(ctx, &list, 0), SPARCL_E_DATA,
                   "validate: A.indices[0] is 7, expected 0 to 6");
    sparcl_buf_free(rows.indices);
    sparcl_buf_free(rows.values);
}

static void what_is_empty_has_all_properties(void **state) {
    const int64_t zero = 0;
    sparcl_ctx *ctx = *state;
    sparcl_csr csr = {.offset_type = SPARCL_INDEX64, .offsets = put(ctx, &zero, 8)};
    sparcl_coo coo = {.rank = 3};
    sparcl_rows rows = {.rank = 1};
    sparcl_list list = {0};
    assert_ok(ctx, sparcl_csr_validate(ctx, &csr, ALL | SPARCL_FINITE));
    assert_ok(ctx, sparcl_coo_validate(ctx, &coo, ALL | SPARCL_FINITE));
    assert_ok(ctx, sparcl_rows_validate(ctx, &rows, ALL | SPARCL_FINITE));
    assert_ok(ctx, sparcl_list_validate(ctx, &list, ALL | SPARCL_FINITE));
    assert_int_equal(sparcl_csr_flags(&csr), ALL);
    assert_int_equal(sparcl_coo_flags(&coo), ALL);
    assert_int_equal(sparcl_rows_flags(&rows), ALL);
    assert_int_equal(sparcl_list_flags(&list), ALL);
    sparcl_buf_free(csr.offsets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_bad_position_is_named),
        cmocka_unit_test(a_csc_view_counts_columns),
        cmocka_unit_test(the_longest_row_is_part_of_the_proof),
        cmocka_unit_test(properties_are_found_that_were_not_requested),
        cmocka_unit_test(finite_is_checked_on_request_and_never_remembered),
        cmocka_unit_test(fewer_entries_than_capacity_are_valid),
        cmocka_unit_test(a_proof_ends_with_a_write_or_a_change),
        cmocka_unit_test(trust_stays_where_nothing_is_wrong),
        cmocka_unit_test(properties_given_with_trust_hold_until_a_result_is_written),
        cmocka_unit_test(an_invalid_view_is_refused_and_unmarked),
        cmocka_unit_test(coo_entries_are_named_with_all_their_indices),
        cmocka_unit_test(a_count_is_validated_and_ends_the_entries),
        cmocka_unit_test(rows_and_lists_may_have_duplicates_in_any_order),
        cmocka_unit_test(what_is_empty_has_all_properties),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
