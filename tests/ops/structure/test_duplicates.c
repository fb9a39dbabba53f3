/* test_duplicates.c: what the header says of entries with the same indices: coalesce with a mode,
 * and the canonical format of CSR. */
#include "moved_test.h"

/* A vector of 9 with entries 5: 1, 2: 4, 5: NaN, 2: 4, 5: 7, 0: -2. */
typedef struct duplicates {
    sparcl_coo from, to;
    sparcl_coalesced more;
} duplicates;

static duplicates make(sparcl_ctx *ctx) {
    static const int32_t indices[] = {5, 2, 5, 2, 5, 0};
    static const float values[] = {1, 4, NAN, 4, 7, -2};
    duplicates d = {.from = {.rank = 1, .shape = {9}, .nnz = 6}};
    d.to = d.from;
    d.from.indices[0] = put_int32s(ctx, indices, 6);
    d.from.values = put(ctx, values, sizeof values);
    d.from.proof.flags = SPARCL_TRUSTED;
    d.to.indices[0] = make_space(ctx, 6);
    d.to.values = make_space(ctx, 6);
    d.to.count = make_space(ctx, 1);
    d.more = (sparcl_coalesced){
        .inverse = make_space(ctx, 6), .counts = make_space(ctx, 6), .source = make_space(ctx, 6)};
    return d;
}

static void drop(duplicates *d) {
    sparcl_coo_free(&d->from);
    sparcl_coo_free(&d->to);
    sparcl_buf_free(d->more.inverse);
    sparcl_buf_free(d->more.counts);
    sparcl_buf_free(d->more.source);
}

static void combine(sparcl_ctx *ctx, duplicates *d, sparcl_duplicates how) {
    assert_ok(ctx, sparcl_coo_coalesce(ctx, &d->to, &d->from, how, &d->more));
    ASSERT_INT32S(ctx, d->to.indices[0], {0, 2, 5, 0x55555555});
    ASSERT_INT64S(ctx, d->to.count, {3});
    ASSERT_INT64S(ctx, d->more.inverse, {2, 1, 2, 1, 2, 0});
    ASSERT_INT64S(ctx, d->more.counts, {1, 2, 3});
    assert_int_equal(sparcl_coo_flags(&d->to), ALL_FLAGS);
}

static void each_mode_chooses_its_entry(void **state) {
    sparcl_ctx *ctx = *state;
    duplicates d = make(ctx);
    combine(ctx, &d, SPARCL_FIRST);
    ASSERT_FLOATS(ctx, d.to.values, {-2, 4, 1});
    ASSERT_INT64S(ctx, d.more.source, {5, 1, 0});
    combine(ctx, &d, SPARCL_LAST);
    ASSERT_FLOATS(ctx, d.to.values, {-2, 4, 7});
    ASSERT_INT64S(ctx, d.more.source, {5, 3, 4});
    for (int how = SPARCL_MAX; how <= SPARCL_MIN;
         ++how) { /* the NaN, and the first of equal ones */
        combine(ctx, &d, (sparcl_duplicates)how);
        assert_true(isnan(float_at(ctx, d.to.values, 2)));
        ASSERT_FLOATS(ctx, d.to.values, {-2, 4});
        ASSERT_INT64S(ctx, d.more.source, {5, 1, 2});
    }
    drop(&d);
}

static void means_are_sums_divided_by_their_number(void **state) {
    sparcl_ctx *ctx = *state;
    duplicates d = make(ctx);
    combine(ctx, &d, SPARCL_SUM);
    ASSERT_FLOATS(ctx, d.to.values, {-2, 8});
    ASSERT_INT64S(ctx, d.more.source, {5, 1, 0}); /* the first of each */
    combine(ctx, &d, SPARCL_MEAN);
    ASSERT_FLOATS(ctx, d.to.values, {-2, 4});
    drop(&d);
}

/* With and without more results. */
static void a_sum_has_the_bits_of_coalesce(void **state) {
    sparcl_ctx *ctx = *state;
    duplicates d = make(ctx);
    float *x = make_floats(6, 4);
    assert_ok(ctx, sparcl_buf_write(ctx, d.from.values, 0, 24, x));
    assert_ok(ctx, sparcl_coo_coalesce(ctx, &d.to, &d.from, SPARCL_SUM, NULL));
    float *expected = bytes_of(ctx, d.to.values);
    combine(ctx, &d, SPARCL_SUM);
    assert_begins(ctx, d.to.values, expected, 12);
    assert_ok(ctx, sparcl_coo_coalesce(ctx, &d.to, &d.from, SPARCL_SUM, NULL));
    assert_begins(ctx, d.to.values, expected, 12);
    free(expected);
    free(x);
    drop(&d);
}

static void rows_are_combined_element_by_element(void **state) {
    static const int32_t ids[] = {4, 1, 4};
    static const float values[] = {1, 9, 5, 5, 3, 2};
    sparcl_ctx *ctx = *state;
    sparcl_rows from = {.rank = 2, .shape = {6, 2}, .nnr = 3}, to = from;
    from.indices = put_int32s(ctx, ids, 3);
    from.values = put(ctx, values, sizeof values);
    from.proof.flags = SPARCL_TRUSTED;
    to.indices = make_space(ctx, 3);
    to.values = make_space(ctx, 6);
    to.count = make_space(ctx, 1);
    assert_ok(ctx, sparcl_rows_coalesce(ctx, &to, &from, SPARCL_MAX, NULL));
    ASSERT_INT32S(ctx, to.indices, {1, 4});
    ASSERT_FLOATS(ctx, to.values, {5, 5, 3, 9});
    sparcl_buf *source = make_space(ctx, 3);
    const sparcl_coalesced more = {.source = source};
    assert_refused(ctx, sparcl_rows_coalesce(ctx, &to, &from, SPARCL_MAX, &more), SPARCL_E_ARG,
                   "each element of a row may come from another row");
    sparcl_buf_free(source);
    sparcl_rows_free(&from);
    sparcl_rows_free(&to);
}

static void rows_of_a_matrix_get_the_canonical_format(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_csr from =
        MATRIX(ctx, 3, 4, ARRAY(0, 4, 4, 6), ARRAY(3, 1, 3, 1, 0, 0), ARRAY(1, 2, 4, 8, 16, 32));
    sparcl_csr to = make_result(ctx, 3, 4, 6);
    sparcl_buf *inverse = make_space(ctx, 6);
    from.proof.flags = SPARCL_TRUSTED;
    assert_ok(ctx, sparcl_csr_sum_duplicates(ctx, &to, &from, inverse, 0));
    ASSERT_INT32S(ctx, to.offsets, {0, 2, 2, 3});
    ASSERT_INT32S(ctx, to.indices, {1, 3, 0});
    ASSERT_FLOATS(ctx, to.values, {10, 5, 48});
    ASSERT_INT64S(ctx, inverse, {1, 0, 1, 0, 2, 2});
    assert_int_equal(sparcl_csr_flags(&to), ALL_FLAGS);
    to.nnz = 5;
    assert_refused(ctx, sparcl_csr_sum_duplicates(ctx, &to, &from, NULL, 0), SPARCL_E_SHAPE,
                   "sum_duplicates: `to` has capacity for 5 entries");
    sparcl_buf_free(inverse);
    sparcl_csr_free(&from);
    sparcl_csr_free(&to);
}

/* After an entry of another column there are 600 of one, which are added in blocks of 256. */
static void many_entries_of_a_column_are_added_by_blocks(void **state) {
    enum { N = 601 };
    static const int32_t offsets[] = {0, 0, N};
    sparcl_ctx *ctx = *state;
    int32_t columns[N] = {7};
    float *values = make_floats(N, 3), blocks[3] = {values[1], values[257], values[513]};
    for (int k = 1; k < N; ++k) {
        columns[k] = 2;
        if ((k - 1) % 256) blocks[(k - 1) / 256] += values[k];
    }
    sparcl_csr from = {.rows = 2, .cols = 9, .nnz = N}, to = make_result(ctx, 2, 9, N);
    from.offsets = put_int32s(ctx, offsets, 3);
    from.indices = put_int32s(ctx, columns, N);
    from.values = put(ctx, values, N * sizeof *values);
    from.proof.flags = SPARCL_TRUSTED;
    assert_ok(ctx, sparcl_csr_sum_duplicates(ctx, &to, &from, NULL, 0));
    ASSERT_INT32S(ctx, to.offsets, {0, 0, 2});
    ASSERT_INT32S(ctx, to.indices, {2, 7});
    const float sum = (blocks[0] + blocks[1]) + blocks[2];
    ASSERT_FLOATS(ctx, to.values, {sum, values[0]});
    free(values);
    sparcl_csr_free(&from);
    sparcl_csr_free(&to);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    duplicates s = make(ctx);
    snapshot kept = SNAPSHOT(ctx, s.to.indices[0], s.to.values, s.to.count, s.more.inverse);
#define REFUSED(violation, how, status, part)                                                      \
    assert_violation_refused(duplicates, s, violation,                                             \
                             sparcl_coo_coalesce(ctx, &x.to, &x.from, how, &x.more), status, part, \
                             assert_unchanged(ctx, &kept))
    REFUSED((void)0, (sparcl_duplicates)6, SPARCL_E_ARG, "how is 6, expected SPARCL_SUM to");
    REFUSED(x.from.dtype = x.to.dtype = SPARCL_INT32, SPARCL_MEAN, SPARCL_E_DTYPE,
            "expected SPARCL_F32, F64, F16 or BF16");
    REFUSED(--x.to.nnz, SPARCL_MAX, SPARCL_E_SHAPE, "capacity for 5 entries");
    REFUSED(x.to.count = NULL, SPARCL_MAX, SPARCL_E_SHAPE, "`to` has no count");
    REFUSED(x.to.shape[0] = 8, SPARCL_MAX, SPARCL_E_SHAPE, "dimension 0 of `to` is 8");
    REFUSED(x.more.counts_at = 2, SPARCL_MAX, SPARCL_E_SHAPE, "the counts needs 6 elements");
    REFUSED(x.more.source = x.to.values, SPARCL_MAX, SPARCL_E_ALIAS, "overlaps");
    REFUSED(x.more.reserved[0] = 1, SPARCL_MAX, SPARCL_E_ARG, "the reserved fields of more");
    REFUSED(x.from.proof = (sparcl_proof){0}, SPARCL_MAX, SPARCL_E_UNCHECKED, "is not checked");
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_chooses_its_entry),
        cmocka_unit_test(means_are_sums_divided_by_their_number),
        cmocka_unit_test(a_sum_has_the_bits_of_coalesce),
        cmocka_unit_test(rows_are_combined_element_by_element),
        cmocka_unit_test(rows_of_a_matrix_get_the_canonical_format),
        cmocka_unit_test(many_entries_of_a_column_are_added_by_blocks),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
