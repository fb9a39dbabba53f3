/* test_select_rows.c: what the header says of lists and of sparcl_csr_take_rows. */
#include "select_rows_test.h"

static int64_t length_of(const selection *s, int64_t i) {
    return s->matrix.offsets[s->numbers[i] + 1] - s->matrix.offsets[s->numbers[i]];
}

/* The result holds the rows of the list, truncated at its capacity; what lies around it stays. */
static void assert_selected(sparcl_ctx *ctx, const selection *s, const sparcl_csr *to) {
    const int64_t capacity = to->nnz;
    int64_t offsets[65], indices[512], at = 0;
    double values[512];
    assert_ok(ctx, spec_get_ints(ctx, to->offsets, to->offsets_at, to->rows + 1, to->offset_type,
                                 offsets));
    assert_ok(ctx,
              spec_get_ints(ctx, to->indices, to->indices_at, capacity, to->index_type, indices));
    assert_ok(ctx, spec_get_reals(ctx, to->values, to->values_at, capacity, to->dtype, values));
    assert_int_equal(offsets[0], 0);
    for (int64_t i = 0; i < to->rows; ++i) {
        const int64_t first = s->matrix.offsets[s->numbers[i]];
        for (int64_t k = first; k < first + length_of(s, i) && at < capacity; ++k, ++at) {
            assert_int_equal(indices[at], s->matrix.indices[k]);
            assert_true(values[at] == (float)s->matrix.values[k]);
        }
        assert_int_equal(offsets[i + 1], at);
    }
    for (int64_t k = at; k < capacity; ++k)
        assert_int_equal(indices[k], to->index_type ? 0x5555555555555555 : 0x55555555);
}

static void the_rows_come_in_the_order_of_the_list(void **state) {
    sparcl_ctx *ctx = *state;
    for (int kind = 0; kind < SPEC_KINDS; ++kind) {
        selection s = make_selection(ctx, (spec_kind)kind, 30, 500);
        int64_t expected = 0;
        for (int64_t i = 0; i < 30; ++i)
            expected += length_of(&s, i);
        if (expected > 500) s.to.rows = s.list.count = 5;
        assert_ok(ctx, select_rows(ctx, &s));
        assert_selected(ctx, &s, &s.to);
        assert_int_equal(int_at(ctx, s.needed, 0), 0x5555555555555555);
        if (expected <= 500) assert_int_equal(int_at(ctx, s.needed, 1), expected);
        assert_int_equal(int_at(ctx, s.needed, 2), 0x5555555555555555);
        free_selection(&s);
    }
}

static void rows_that_do_not_fit_are_cut_and_needed_counts_them(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t capacity = 0; capacity < 60; capacity += 7) {
        selection s = make_selection(ctx, SPEC_UNIFORM, 15, capacity);
        int64_t expected = 0;
        for (int64_t i = 0; i < 15; ++i)
            expected += length_of(&s, i);
        assert_ok(ctx, select_rows(ctx, &s));
        assert_int_equal(int_at(ctx, s.needed, 1), expected);
        assert_selected(ctx, &s, &s.to);
        assert_ok(ctx, sparcl_csr_take_rows(ctx, &s.to, &s.from, &s.list, NULL));
        assert_selected(ctx, &s, &s.to);
        free_selection(&s);
    }
}

static void offset_and_index_types_may_be_mixed(void **state) {
    sparcl_ctx *ctx = *state;
    for (int types = 0; types < 32; ++types) {
        selection s = make_selection(ctx, SPEC_DUPLICATE, 20, 200);
        sparcl_csr_free(&s.from);
        assert_ok(ctx, spec_put_csr(ctx, &s.from, &s.matrix, SPARCL_F32,
                                    types & 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                                    types & 2 ? SPARCL_INDEX64 : SPARCL_INDEX32));
        sparcl_buf_free(s.list.indices);
        s.list = put_list(ctx, s.numbers, 20, 12, types & 4 ? SPARCL_INDEX64 : SPARCL_INDEX32);
        s.to.offset_type = types & 8 ? SPARCL_INDEX64 : SPARCL_INDEX32;
        s.to.index_type = types & 16 ? SPARCL_INDEX64 : SPARCL_INDEX32;
        assert_ok(ctx, select_rows(ctx, &s));
        assert_selected(ctx, &s, &s.to);
        free_selection(&s);
    }
}

static void the_arrays_may_begin_anywhere_in_their_buffers(void **state) {
    sparcl_ctx *ctx = *state;
    selection s = make_selection(ctx, SPEC_UNIFORM, 20, 200);
    int64_t numbers[30] = {0};
    memcpy(numbers + 4, s.numbers, 20 * 8);
    sparcl_buf_free(s.list.indices);
    s.list = put_list(ctx, numbers, 30, 12, SPARCL_INDEX32);
    s.list.count = 20;
    s.list.indices_at = 4;
    s.to.offsets_at = 2;
    s.to.indices_at = 5;
    s.to.values_at = 1;
    assert_ok(ctx, select_rows(ctx, &s));
    assert_selected(ctx, &s, &s.to);
    free_selection(&s);
}

static void the_result_is_marked_as_the_matrix_is(void **state) {
    static const uint32_t marks[] = {0, SPARCL_SORTED, SPARCL_UNIQUE,
                                     SPARCL_SORTED | SPARCL_UNIQUE};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(marks); ++i) {
        selection s = make_selection(ctx, SPEC_UNIFORM, 5, 100);
        s.from.proof.flags = SPARCL_TRUSTED | marks[i];
        assert_int_equal(sparcl_csr_flags(&s.to), 0);
        assert_ok(ctx, select_rows(ctx, &s));
        assert_int_equal(sparcl_csr_flags(&s.to), SPARCL_VALID | marks[i]);
        assert_true(s.from.proof.longest_row > 0 &&
                    s.to.proof.longest_row == s.from.proof.longest_row);
        free_selection(&s);
    }
}

static void a_selection_of_a_selection_needs_no_trust(void **state) {
    sparcl_ctx *ctx = *state;
    selection s = make_selection(ctx, SPEC_UNIFORM, 12, 100),
              t = make_selection(ctx, SPEC_UNIFORM, 7, 90);
    assert_ok(ctx, select_rows(ctx, &s));
    assert_ok(ctx, sparcl_csr_take_rows(ctx, &t.to, &s.to, &t.list, NULL));
    for (int64_t i = 0; i < 7; ++i)
        t.numbers[i] = s.numbers[t.numbers[i]];
    assert_selected(ctx, &t, &t.to);
    free_selection(&t);
    free_selection(&s);
}

static void every_size_may_be_0(void **state) {
    sparcl_ctx *ctx = *state;
    selection s = make_selection(ctx, SPEC_UNIFORM, 0, 0);
    assert_ok(ctx, select_rows(ctx, &s));
    assert_selected(ctx, &s, &s.to);
    assert_int_equal(int_at(ctx, s.needed, 1), 0);
    const int64_t zero = 0;
    sparcl_buf *offsets = put(ctx, &zero, 8);
    const sparcl_csr none = {.offsets = offsets, .proof.flags = SPARCL_TRUSTED};
    sparcl_csr to = {.offsets = s.to.offsets};
    const sparcl_list list = {.proof.flags = SPARCL_TRUSTED};
    assert_ok(ctx, sparcl_csr_take_rows(ctx, &to, &none, &list, NULL));
    sparcl_buf_free(offsets);
    free_selection(&s);
}

static void a_list_is_refused_until_it_is_validated_or_trusted(void **state) {
    sparcl_ctx *ctx = *state;
    selection s = make_selection(ctx, SPEC_UNIFORM, 6, 100);
    s.list.proof = (sparcl_proof){0};
    assert_int_equal(sparcl_list_flags(&s.list), 0);
    assert_refused_untouched(ctx, s.to.offsets, select_rows(ctx, &s), SPARCL_E_UNCHECKED,
                             "the list is not checked; call sparcl_list_validate");
    assert_ok(ctx, sparcl_list_validate(ctx, &s.list, 0));
    assert_true(sparcl_list_flags(&s.list) & SPARCL_VALID);
    assert_ok(ctx, select_rows(ctx, &s));
    assert_selected(ctx, &s, &s.to);

    const int32_t outside = 12;
    assert_ok(ctx, sparcl_buf_write(ctx, s.list.indices, 8, 4, &outside));
    assert_refused(ctx, select_rows(ctx, &s), SPARCL_E_UNCHECKED, "the list is not checked");
    assert_refused(ctx, sparcl_list_validate(ctx, &s.list, 0), SPARCL_E_DATA, "12");
    assert_int_equal(sparcl_list_flags(&s.list), 0);
    free_selection(&s);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    selection s = make_selection(ctx, SPEC_UNIFORM, 5, 100);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, s.to.offsets, s.to.values, s.to.indices);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(                                                                      \
        selection, s, violation, select_rows(ctx, &x), status, part,                               \
        (assert_unchanged(ctx, &kept), assert_int_equal(sparcl_csr_flags(&x.to), 0)))
    REFUSED(++x.to.rows, SPARCL_E_SHAPE, "csr_take_rows: `to` is 6 x 9, expected 5 rows");
    REFUSED(x.to.cols = 8, SPARCL_E_SHAPE, "and 9 columns");
    REFUSED(x.to.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.to.offsets = NULL, SPARCL_E_SHAPE, "`to` has no buffer");
    REFUSED(x.to.values_at = 1000, SPARCL_E_SHAPE, "for its values");
    REFUSED(x.to.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of `to`");
    REFUSED(x.to.nnz = -1, SPARCL_E_SHAPE, "with -1 entries");
    REFUSED(x.from.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "`from` is not checked");
    REFUSED(x.from.reserved[1] = 1, SPARCL_E_ARG, "the reserved fields of `from`");
    REFUSED(x.list.limit = 11, SPARCL_E_SHAPE, "indices below 11, expected 12 as its limit");
    REFUSED(x.list.count = -1, SPARCL_E_SHAPE, "the list has -1 numbers");
    REFUSED((x.list.count = 1000, x.to.rows = 1000), SPARCL_E_SHAPE, "needs");
    REFUSED(x.list.index_type = (sparcl_itype)9, SPARCL_E_DTYPE, "the list has index type 9");
    REFUSED(x.list.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of the list");
    REFUSED((x.needed = x.to.offsets, x.needed_at = 100), SPARCL_E_SHAPE,
            "the needed count needs 1 elements of 8 bytes from");
    REFUSED(x.from.values = x.to.values, SPARCL_E_ALIAS,
            "the values of `to` overlaps the values of `from`");
    REFUSED(x.list.indices = x.to.indices, SPARCL_E_ALIAS, "the indices of `to` overlaps the list");
    REFUSED(x.to.indices = x.to.values, SPARCL_E_ALIAS, "overlaps the indices of `to`");
    REFUSED((x.from.indices = x.needed, x.from.nnz = 10), SPARCL_E_ALIAS,
            "the needed count overlaps");
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_csr_take_rows(ctx, NULL, &s.from, &s.list, NULL), SPARCL_E_ARG,
                   "`to` is NULL");
    assert_refused(ctx, sparcl_csr_take_rows(ctx, &s.to, NULL, &s.list, NULL), SPARCL_E_ARG,
                   "`from` is NULL");
    assert_refused(ctx, sparcl_csr_take_rows(ctx, &s.to, &s.from, NULL, NULL), SPARCL_E_ARG,
                   "the list is NULL");
    assert_ok(ctx, select_rows(ctx, &s));
    assert_selected(ctx, &s, &s.to);
    free_selection(&s);
}

static void a_row_of_200_000_entries_is_selected_completely(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t nnz = test_is_small() ? 2000 : 200000, list[] = {3, 3, 0};
    spec_matrix m;
    sparcl_csr from = {0};
    assert_true(spec_matrix_make(&m, SPEC_ONE_ROW, 5, 700, nnz, 1));
    assert_ok(ctx, spec_put_csr(ctx, &from, &m, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    int64_t longest = 0, needed = 0;
    for (int64_t i = 0; i < 5; ++i)
        if (m.offsets[i + 1] - m.offsets[i] == nnz) longest = i;
    const int64_t numbers[] = {longest, list[0] == longest ? 4 : 3, longest};
    sparcl_list view = put_list(ctx, numbers, 3, 5, SPARCL_INDEX64);
    sparcl_csr to = {.rows = 3, .cols = 700, .nnz = 2 * nnz};
    to.offsets = make_spare(ctx, 4);
    to.indices = make_spare(ctx, nnz);
    to.values = make_spare(ctx, nnz);
    sparcl_buf *count = make_spare(ctx, 1);
    assert_ok(ctx, sparcl_csr_take_rows(ctx, &to, &from, &view, &(sparcl_moved){.needed = count}));
    assert_ok(ctx, sparcl_buf_read(ctx, count, 0, 8, &needed));
    assert_int_equal(needed, 2 * nnz);
    int64_t *got = must_have(calloc((size_t)nnz, 8));
    for (int half = 0; half < 2; ++half) {
        assert_ok(ctx, spec_get_ints(ctx, to.indices, half * nnz, nnz, SPARCL_INDEX32, got));
        assert_memory_equal(got, m.indices, (size_t)nnz * 8);
    }
    free(got);
    sparcl_buf_free(count);
    sparcl_buf_free(view.indices);
    sparcl_csr_free(&to);
    sparcl_csr_free(&from);
    spec_matrix_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rows_come_in_the_order_of_the_list),
        cmocka_unit_test(rows_that_do_not_fit_are_cut_and_needed_counts_them),
        cmocka_unit_test(offset_and_index_types_may_be_mixed),
        cmocka_unit_test(the_arrays_may_begin_anywhere_in_their_buffers),
        cmocka_unit_test(the_result_is_marked_as_the_matrix_is),
        cmocka_unit_test(a_selection_of_a_selection_needs_no_trust),
        cmocka_unit_test(every_size_may_be_0),
        cmocka_unit_test(a_list_is_refused_until_it_is_validated_or_trusted),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(a_row_of_200_000_entries_is_selected_completely),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
