/* test_convert.c: what the header says of the conversions, beyond the shapes of their sweep. */
#include "coo_test.h"

/* One matrix of 7 x 9 in all formats. The arrays have capacity for elements of 8 bytes, and are
 * never read where a call is refused. */
typedef struct formats {
    sparcl_csr csr, csr_to;
    sparcl_coo coo, coo_to;
    sparcl_csc csc_to;
} formats;

static sparcl_buf *filled(sparcl_ctx *ctx, int64_t bytes) {
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, bytes));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, bytes, 0x11));
    return buf;
}

static sparcl_csr empty_csr(sparcl_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz) {
    return (sparcl_csr){.rows = rows,
                        .cols = cols,
                        .nnz = nnz,
                        .offsets = filled(ctx, (rows + cols) * 8 + 64),
                        .indices = filled(ctx, nnz * 8 + 64),
                        .values = filled(ctx, nnz * 8 + 64)};
}

static formats make_formats(sparcl_ctx *ctx, spec_kind kind, int64_t nnz) {
    formats f = {0};
    spec_matrix m;
    assert_true(spec_matrix_make(&m, kind, 7, 9, nnz, 3));
    assert_ok(ctx, spec_put_csr(ctx, &f.csr, &m, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    coo_pair p = pair_make(ctx, kind, SHAPE_7X9, nnz);
    const sparcl_csr fields = empty_csr(ctx, 7, 9, nnz);
    f.csr_to = empty_csr(ctx, 7, 9, nnz);
    f.coo = p.from;
    f.coo_to = p.to;
    f.csc_to = (sparcl_csc){.rows = 7,
                            .cols = 9,
                            .nnz = nnz,
                            .offsets = fields.offsets,
                            .indices = fields.indices,
                            .values = fields.values};
    spec_matrix_free(&m);
    spec_entries_free(&p.entries);
    return f;
}

static void free_formats(formats *f) {
    sparcl_csr_free(&f->csr);
    sparcl_csr_free(&f->csr_to);
    sparcl_coo_free(&f->coo);
    sparcl_coo_free(&f->coo_to);
    sparcl_buf_free(f->csc_to.offsets);
    sparcl_buf_free(f->csc_to.indices);
    sparcl_buf_free(f->csc_to.values);
}

static sparcl_status coo_to_csr(sparcl_ctx *ctx, formats *f) {
    return sparcl_coo_to_csr(ctx, &f->csr_to, &f->coo);
}
static sparcl_status csr_to_coo(sparcl_ctx *ctx, formats *f) {
    return sparcl_csr_to_coo(ctx, &f->coo_to, &f->csr);
}
static sparcl_status csr_to_csc(sparcl_ctx *ctx, formats *f) {
    return sparcl_csr_to_csc(ctx, &f->csc_to, &f->csr);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx, SPEC_UNIFORM, 20);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, f.csr_to.offsets, f.csr_to.indices, f.csr_to.values,
                             f.coo_to.values, f.coo_to.count, f.csc_to.offsets, f.csc_to.values);
#define REFUSED(call, violation, status, part)                                                     \
    assert_violation_refused(                                                                      \
        formats, f, violation, call(ctx, &x), status, part,                                        \
        (assert_unchanged(ctx, &kept), assert_int_equal(sparcl_csr_flags(&x.csr_to), 0)))
    REFUSED(coo_to_csr, --x.csr_to.rows, SPARCL_E_SHAPE, "`to` is 6 x 9, `from` is 7 x 9");
    REFUSED(coo_to_csr, --x.csr_to.nnz, SPARCL_E_SHAPE, "`to` has capacity for 19 entries");
    REFUSED(coo_to_csr, x.csr_to.dtype = SPARCL_F64, no_f64, "64");
    REFUSED(coo_to_csr, x.csr_to.offsets = NULL, SPARCL_E_SHAPE, "`to` has no buffer");
    REFUSED(coo_to_csr, x.coo.rank = 1, SPARCL_E_SHAPE, "`from` has rank 1, expected 2");
    REFUSED(coo_to_csr, x.coo.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED,
            "call sparcl_coo_validate");
    REFUSED(coo_to_csr, x.coo.values = x.csr_to.values, SPARCL_E_ALIAS,
            "the values of `to` overlaps the values");
    REFUSED(coo_to_csr, x.csr_to.offsets = x.coo.indices[1], SPARCL_E_ALIAS,
            "the offsets of `to` overlaps the indices of `from`");
    REFUSED(coo_to_csr, x.csr_to.offsets = x.csr_to.indices, SPARCL_E_ALIAS,
            "the indices of `to` overlaps the offsets of `to`");
    REFUSED(csr_to_coo, (x.coo_to.rank = 3, x.coo_to.indices[2] = x.coo_to.indices[0]),
            SPARCL_E_SHAPE, "`to` has rank 3, expected 2");
    REFUSED(csr_to_coo, ++x.coo_to.shape[1], SPARCL_E_SHAPE, "`to` is 7 x 10, `from` is 7 x 9");
    REFUSED(csr_to_coo, --x.coo_to.nnz, SPARCL_E_SHAPE, "`to` has capacity for 19 entries");
    REFUSED(csr_to_coo, (x.coo_to.count = NULL, --x.csr.nnz), SPARCL_E_SHAPE,
            "`to` has no count, expected one");
    REFUSED(csr_to_coo, x.csr.indices = x.coo_to.indices[0], SPARCL_E_ALIAS,
            "the indices of `to` overlaps the indices");
    REFUSED(csr_to_coo, x.csr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED,
            "call sparcl_csr_validate");
    REFUSED(csr_to_coo, x.csr.rows = -1, SPARCL_E_SHAPE, "`from` is -1 x 9");
    REFUSED(csr_to_csc, --x.csc_to.cols, SPARCL_E_SHAPE, "`to` is 7 x 8, `from` is 7 x 9");
    REFUSED(csr_to_csc, --x.csc_to.nnz, SPARCL_E_SHAPE, "`to` has capacity for 19 entries");
    REFUSED(csr_to_csc, x.csc_to.dtype = SPARCL_F64, no_f64, "64");
    REFUSED(csr_to_csc, x.csr.offsets = x.csc_to.offsets, SPARCL_E_ALIAS,
            "the offsets of `to` overlaps the offsets");
    REFUSED(csr_to_csc, x.csc_to.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of `to`");
    REFUSED(csr_to_csc, x.csr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED,
            "call sparcl_csr_validate");
#undef REFUSED
    snapshot_free(&kept);
    free_formats(&f);
}

static void a_view_that_is_null_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx, SPEC_UNIFORM, 20);
    assert_refused(ctx, sparcl_coo_to_csr(ctx, NULL, &f.coo), SPARCL_E_ARG, "`to` is NULL");
    assert_refused(ctx, sparcl_coo_to_csr(ctx, &f.csr_to, NULL), SPARCL_E_ARG, "`from` is NULL");
    assert_refused(ctx, sparcl_csr_to_coo(ctx, NULL, &f.csr), SPARCL_E_ARG, "`to` is NULL");
    assert_refused(ctx, sparcl_csr_to_coo(ctx, &f.coo_to, NULL), SPARCL_E_ARG, "`from` is NULL");
    assert_refused(ctx, sparcl_csr_to_csc(ctx, NULL, &f.csr), SPARCL_E_ARG, "`to` is NULL");
    assert_refused(ctx, sparcl_csr_to_csc(ctx, &f.csc_to, NULL), SPARCL_E_ARG, "`from` is NULL");
    free_formats(&f);
}

/* DUPLICATE has rows that are unsorted, DIAGONAL is sorted without duplicates. */
static void results_are_marked_as_they_are(void **state) {
    sparcl_ctx *ctx = *state;
    for (int unique = 0; unique < 2; ++unique) {
        formats f = make_formats(ctx, unique ? SPEC_DIAGONAL : SPEC_DUPLICATE, unique ? 7 : 60);
        const uint32_t sorted = SPARCL_VALID | SPARCL_SORTED | (unique ? SPARCL_UNIQUE : 0u);
        const uint32_t as_stored = unique ? sorted : SPARCL_VALID;
        f.coo.proof = (sparcl_proof){0};
        f.csr.proof = (sparcl_proof){0};
        assert_ok(ctx, sparcl_coo_validate(ctx, &f.coo, 0));
        assert_ok(ctx, sparcl_csr_validate(ctx, &f.csr, 0));
        assert_ok(ctx, coo_to_csr(ctx, &f));
        assert_ok(ctx, csr_to_coo(ctx, &f));
        assert_ok(ctx, csr_to_csc(ctx, &f));
        assert_int_equal(sparcl_csr_flags(&f.csr_to), sorted);
        assert_int_equal(sparcl_coo_flags(&f.coo_to), as_stored);
        assert_int_equal(sparcl_csc_flags(&f.csc_to), sorted);
        assert_ok(ctx, sparcl_csr_validate(ctx, &f.csr_to, sorted));
        assert_ok(ctx, sparcl_coo_validate(ctx, &f.coo_to, as_stored));
        assert_ok(ctx, sparcl_csc_validate(ctx, &f.csc_to, sorted));
        free_formats(&f);
    }
}

static void a_round_trip_gives_the_same_matrix(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx, SPEC_DIAGONAL, 7);
    assert_ok(ctx, csr_to_coo(ctx, &f));
    assert_int_equal(int_at(ctx, f.coo_to.count, 0), 7);
    assert_ok(ctx, sparcl_coo_to_csr(ctx, &f.csr_to, &f.coo_to));
    void *offsets = bytes_of(ctx, f.csr.offsets), *indices = bytes_of(ctx, f.csr.indices);
    void *values = bytes_of(ctx, f.csr.values);
    assert_words(ctx, f.csr_to.offsets, offsets, 8);
    assert_words(ctx, f.csr_to.indices, indices, 7);
    assert_words(ctx, f.csr_to.values, values, 7);
    free(offsets);
    free(indices);
    free(values);
    free_formats(&f);
}

/* The results get the columns and values of their operands. */
static void share_with_csr(formats *f) {
    f->coo_to.indices[1] = f->csr.indices;
    f->coo_to.values = f->csr.values;
}

static void share_with_coo(formats *f) {
    f->csr_to.indices = f->coo_to.indices[1];
    f->csr_to.values = f->coo_to.values;
}

/* `made` has the buffers to be freed. */
static void columns_and_values_may_be_shared(void **state) {
    sparcl_ctx *ctx = *state;
    formats made = make_formats(ctx, SPEC_DIAGONAL, 7), f = made;
    const uint32_t flags = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    share_with_csr(&f);
    f.csr.proof = (sparcl_proof){0};
    assert_ok(ctx, sparcl_csr_validate(ctx, &f.csr, flags));
    snapshot kept = SNAPSHOT(ctx, f.csr.indices, f.csr.values);
    assert_ok(ctx, csr_to_coo(ctx, &f));
    assert_int_equal(sparcl_csr_flags(&f.csr), flags);
    assert_int_equal(sparcl_coo_flags(&f.coo_to), flags);
    assert_ok(ctx, sparcl_coo_validate(ctx, &f.coo_to, flags));
    share_with_coo(&f);
    assert_ok(ctx, sparcl_coo_to_csr(ctx, &f.csr_to, &f.coo_to));
    assert_int_equal(sparcl_coo_flags(&f.coo_to), flags);
    assert_int_equal(sparcl_csr_flags(&f.csr_to), flags);
    assert_unchanged(ctx, &kept);
    void *offsets = bytes_of(ctx, f.csr.offsets);
    assert_words(ctx, f.csr_to.offsets, offsets, 8);
    free(offsets);
    snapshot_free(&kept);
    free_formats(&made);
}

/* Columns of another type are converted, and the values stay. */
static void values_alone_may_be_shared(void **state) {
    sparcl_ctx *ctx = *state;
    formats made = make_formats(ctx, SPEC_DIAGONAL, 7), f = made;
    f.coo_to.values = f.csr_to.values = f.csr.values;
    f.coo_to.index_type = SPARCL_INDEX64;
    assert_ok(ctx, csr_to_coo(ctx, &f));
    assert_ok(ctx, sparcl_coo_to_csr(ctx, &f.csr_to, &f.coo_to));
    void *indices = bytes_of(ctx, f.csr.indices);
    assert_words(ctx, f.csr_to.indices, indices, 7);
    free(indices);
    free_formats(&made);
}

static void other_arrays_may_not_be_shared(void **state) {
    sparcl_ctx *ctx = *state;
    formats made = make_formats(ctx, SPEC_DUPLICATE, 60), f = made;
#define REFUSED(call, violation, part)                                                             \
    assert_violation_refused(formats, f, violation, call(ctx, &x), SPARCL_E_ALIAS, part, (void)0)
    f.csr.indices = f.coo_to.indices[1]; /* which have room for types of 8 bytes */
    f.csr.values = f.coo_to.values;
    REFUSED(csr_to_coo, x.coo_to.count = NULL,
            "the indices of `to` overlaps the indices of `from`");
    REFUSED(csr_to_coo, x.coo_to.index_type = SPARCL_INDEX64, "overlaps the indices of `from`");
    REFUSED(csr_to_coo, x.coo_to.indices_at[1] = 1, "overlaps the indices of `from`");
    REFUSED(csr_to_coo, x.coo_to.values_at = 1, "overlaps the values of `from`");
    REFUSED(csr_to_coo, x.coo_to.values = x.csr.indices, "overlaps the indices of `to`");
    REFUSED(csr_to_coo, x.coo_to.indices[0] = x.csr.values, "overlaps the indices of `to`");
    f.csr_to.indices = f.coo.indices[1];
    f.csr_to.values = f.coo.values;
    REFUSED(coo_to_csr, (void)x, "overlaps the indices of `from`"); /* its entries are not sorted */
#undef REFUSED
    free_formats(&made);
}

/* Rows [0], [], [2, 1] and capacity for two more, whose indices are invalid. */
static sparcl_csr spare_csr(sparcl_ctx *ctx) {
    static const int32_t offsets[] = {0, 1, 1, 3}, indices[] = {0, 2, 1, -9, 900};
    static const float values[] = {1, 2, 3, NAN, NAN};
    return (sparcl_csr){.rows = 3,
                        .cols = 4,
                        .nnz = 5,
                        .offsets = put(ctx, offsets, sizeof offsets),
                        .indices = put(ctx, indices, sizeof indices),
                        .values = put(ctx, values, sizeof values)};
}

static void unused_capacity_of_a_csr_is_zero_in_a_coo_without_count(void **state) {
    static const int32_t rows[] = {0, 2, 2, 2, 2}, cols[] = {0, 2, 1, 3, 3};
    static const float values[] = {1, 2, 3, 0, 0};
    sparcl_ctx *ctx = *state;
    sparcl_csr from = spare_csr(ctx);
    sparcl_coo to = {.rank = 2,
                     .shape = {3, 4},
                     .nnz = 5,
                     .indices = {filled(ctx, 20), filled(ctx, 20)},
                     .values = filled(ctx, 20)};
    assert_ok(ctx, sparcl_csr_validate(ctx, &from, SPARCL_UNIQUE));
    assert_ok(ctx, sparcl_csr_to_coo(ctx, &to, &from));
    assert_words(ctx, to.indices[0], rows, 5);
    assert_words(ctx, to.indices[1], cols, 5);
    assert_words(ctx, to.values, values, 5);
    /* The matrix has no duplicates, the result has. */
    assert_int_equal(sparcl_csr_flags(&from), SPARCL_VALID | SPARCL_UNIQUE);
    assert_int_equal(sparcl_coo_flags(&to), SPARCL_VALID);
    assert_refused(ctx, sparcl_coo_validate(ctx, &to, SPARCL_UNIQUE), SPARCL_E_DATA,
                   "entry 4 of A is (2, 3), a duplicate");
    sparcl_csr_free(&from);
    sparcl_coo_free(&to);
}

static void what_is_beyond_the_entries_is_not_converted(void **state) {
    static const int32_t offsets[] = {0, 1, 2, 3, 3}, rows[] = {0, 2, 2};
    static const float values[] = {1, 3, 2};
    sparcl_ctx *ctx = *state;
    sparcl_csr from = spare_csr(ctx), fields = empty_csr(ctx, 4, 3, 5);
    sparcl_csc to = {.rows = 3,
                     .cols = 4,
                     .nnz = 5,
                     .offsets = fields.offsets,
                     .indices = fields.indices,
                     .values = fields.values};
    assert_ok(ctx, sparcl_csr_validate(ctx, &from, 0));
    assert_ok(ctx, sparcl_csr_to_csc(ctx, &to, &from));
    assert_words(ctx, to.offsets, offsets, 5);
    assert_words(ctx, to.indices, rows, 3);
    assert_words(ctx, to.values, values, 3);
    sparcl_csr_free(&from);
    sparcl_csr_free(&fields);
}

static void many_entries_may_have_long_keys(void **state) {
    static const int which[] = {0, 2}; /* COO to CSR, CSR to CSC */
    for (size_t i = 0; i < 2 * COUNT(which) && !test_is_small(); ++i) {
        spec_case c = long_keys(i < 2 ? SPEC_UNIFORM : SPEC_RAGGED);
        c.variant = which[i % 2];
        check_spec_case(*state, "convert", &c);
        c.nnz = 5000; /* long items in few buckets */
        check_spec_case(*state, "convert", &c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(a_view_that_is_null_is_refused),
        cmocka_unit_test(results_are_marked_as_they_are),
        cmocka_unit_test(a_round_trip_gives_the_same_matrix),
        cmocka_unit_test(columns_and_values_may_be_shared),
        cmocka_unit_test(values_alone_may_be_shared),
        cmocka_unit_test(other_arrays_may_not_be_shared),
        cmocka_unit_test(unused_capacity_of_a_csr_is_zero_in_a_coo_without_count),
        cmocka_unit_test(what_is_beyond_the_entries_is_not_converted),
        cmocka_unit_test(many_entries_may_have_long_keys),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
