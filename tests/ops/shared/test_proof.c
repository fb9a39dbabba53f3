/* test_proof.c: what the header says of proofs, and of the sizes of elements and rows. */
#include "select_rows_test.h"

static void a_copy_of_a_view_is_as_proven_as_the_view(void **state) {
    sparcl_ctx *ctx = *state;
    selection s = make_selection(ctx, SPEC_UNIFORM, 5, 100);
    assert_ok(ctx, select_rows(ctx, &s));
    const sparcl_csr copy = s.to;
    assert_int_equal(sparcl_csr_flags(&copy), SPARCL_VALID);
    assert_int_equal(sparcl_csr_flags(NULL), 0);
    assert_int_equal(sparcl_list_flags(NULL), 0);
    free_selection(&s);
}

static void a_proof_ends_where_a_field_of_the_view_changes(void **state) {
    sparcl_ctx *ctx = *state;
    selection s = make_selection(ctx, SPEC_UNIFORM, 5, 100);
    assert_ok(ctx, select_rows(ctx, &s));
    sparcl_csr changed[9];
    for (size_t i = 0; i < COUNT(changed); ++i)
        changed[i] = s.to;
    --changed[0].rows;
    --changed[1].cols;
    --changed[2].nnz;
    changed[3].offset_type = SPARCL_INDEX64;
    changed[4].index_type = SPARCL_INDEX64;
    changed[5].offsets_at = 1;
    changed[6].indices_at = 1;
    changed[7].offsets = s.from.offsets;
    changed[8].indices = s.from.indices;
    for (size_t i = 0; i < COUNT(changed); ++i)
        assert_int_equal(sparcl_csr_flags(&changed[i]), 0);
    assert_int_equal(sparcl_csr_flags(&s.to), SPARCL_VALID);
    sparcl_csr other = s.to; /* a proof is of the pattern, not of the values */
    other.values = s.from.values;
    assert_int_equal(sparcl_csr_flags(&other), SPARCL_VALID);
    --other.nnz;
    other.proof.flags = SPARCL_TRUSTED;
    assert_int_equal(sparcl_csr_flags(&other), SPARCL_VALID | SPARCL_TRUSTED);
    free_selection(&s);
}

static void a_proof_ends_where_an_index_buffer_is_written_but_not_for_values(void **state) {
    sparcl_ctx *ctx = *state;
    for (int way = 0; way < 4; ++way)
        for (int which = 0; which < 3; ++which) {
            selection s = make_selection(ctx, SPEC_UNIFORM, 5, 100);
            assert_ok(ctx, select_rows(ctx, &s));
            sparcl_buf *buf = which == 0 ? s.to.offsets : which == 1 ? s.to.indices : s.to.values;
            const int64_t zero = 0;
            if (way == 0) assert_ok(ctx, sparcl_buf_write(ctx, buf, 0, 8, &zero));
            if (way == 1) assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 8, 0));
            if (way == 2) assert_ok(ctx, sparcl_buf_copy(ctx, buf, 0, s.needed, 0, 8));
            if (way == 3) sparcl_buf_touched(buf);
            assert_int_equal(sparcl_csr_flags(&s.to), which == 2 ? SPARCL_VALID : 0);
            free_selection(&s);
        }
}

static void sizes_of_elements_and_rows_are_as_documented(void **state) {
    (void)state;
    static const int64_t shape[] = {7, 3, 4, 5};
    static const int64_t wide[] = {2, INT64_MAX / 2, 3};
    assert_int_equal(sparcl_dtype_size(SPARCL_F32), 4);
    assert_int_equal(sparcl_dtype_size(SPARCL_F64), 8);
    assert_int_equal(sparcl_itype_size(SPARCL_INDEX32), 4);
    assert_int_equal(sparcl_itype_size(SPARCL_INDEX64), 8);
    assert_int_equal(sparcl_row_width(1, shape), 1);
    assert_int_equal(sparcl_row_width(2, shape), 3);
    assert_int_equal(sparcl_row_width(4, shape), 60);
    assert_int_equal(sparcl_row_width(3, wide), INT64_MAX); /* a width that no memory has */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_of_a_view_is_as_proven_as_the_view),
        cmocka_unit_test(a_proof_ends_where_a_field_of_the_view_changes),
        cmocka_unit_test(a_proof_ends_where_an_index_buffer_is_written_but_not_for_values),
        cmocka_unit_test(sizes_of_elements_and_rows_are_as_documented),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
