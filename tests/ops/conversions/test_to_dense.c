/* test_to_dense.c: what the header says of conversions to dense arrays, and of the policy for them.
 */
#include "op_test.h"

#include <stdio.h>

/* One matrix of 3 x 4 in each format: (0, 1) = 1, (2, 0) = 2, (2, 3) = 3. */
typedef struct formats {
    sparcl_csr csr;
    sparcl_csc csc;
    sparcl_coo coo;
    sparcl_rows rows;
    sparcl_bsr bsr;
    sparcl_dense to;
} formats;

static const float expected[] = {0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 3};

static formats make_formats(sparcl_ctx *ctx) {
    static const int32_t offsets[] = {0, 1, 1, 3}, columns[] = {1, 0, 3}, rows[] = {0, 2, 2};
    static const int32_t by_column[] = {0, 1, 2, 2, 3}, row_of[] = {2, 0, 2}, ids[] = {2, 0};
    static const int32_t block_offsets[] = {0, 1, 1, 3}, block_columns[] = {0, 0, 1};
    static const float values[] = {1, 2, 3}, column_values[] = {2, 1, 3};
    static const float row_values[] = {2, 0, 0, 3, 0, 1, 0, 0}, blocks[] = {0, 1, 2, 0, 0, 3};
    const void *const indices[] = {rows, columns};
    formats f = {.csr = {.rows = 3, .cols = 4, .nnz = 3},
                 .csc = {.rows = 3, .cols = 4, .nnz = 3},
                 .coo = {.rank = 2, .shape = {3, 4}, .nnz = 3},
                 .rows = {.rank = 2, .shape = {3, 4}, .nnr = 2},
                 .bsr = {.rows = 3, .cols = 4, .block_rows = 1, .block_cols = 2, .nnzb = 3},
                 .to = {.rank = 2, .shape = {3, 4}}};
    assert_ok(ctx, sparcl_csr_upload(ctx, &f.csr, offsets, columns, values, 0));
    assert_ok(ctx, sparcl_csc_upload(ctx, &f.csc, by_column, row_of, column_values, 0));
    assert_ok(ctx, sparcl_coo_upload(ctx, &f.coo, indices, values, 0));
    assert_ok(ctx, sparcl_rows_upload(ctx, &f.rows, ids, row_values, 0));
    assert_ok(ctx, sparcl_bsr_upload(ctx, &f.bsr, block_offsets, block_columns, blocks, 0));
    assert_ok(ctx, sparcl_dense_create(ctx, &f.to));
    assert_ok(ctx, spec_poison(ctx, f.to.values));
    return f;
}

static void free_formats(formats *f) {
    sparcl_csr_free(&f->csr);
    sparcl_csc_free(&f->csc);
    sparcl_coo_free(&f->coo);
    sparcl_rows_free(&f->rows);
    sparcl_bsr_free(&f->bsr);
    sparcl_dense_free(&f->to);
}

typedef sparcl_status (*conversion)(sparcl_ctx *ctx, const formats *f);
static sparcl_status from_csr(sparcl_ctx *ctx, const formats *f) {
    return sparcl_csr_to_dense(ctx, &f->to, &f->csr);
}
static sparcl_status from_csc(sparcl_ctx *ctx, const formats *f) {
    return sparcl_csc_to_dense(ctx, &f->to, &f->csc);
}
static sparcl_status from_coo(sparcl_ctx *ctx, const formats *f) {
    return sparcl_coo_to_dense(ctx, &f->to, &f->coo);
}
static sparcl_status from_rows(sparcl_ctx *ctx, const formats *f) {
    return sparcl_rows_to_dense(ctx, &f->to, &f->rows);
}
static sparcl_status from_bsr(sparcl_ctx *ctx, const formats *f) {
    return sparcl_bsr_to_dense(ctx, &f->to, &f->bsr);
}
static const conversion conversions[] = {from_csr, from_csc, from_coo, from_rows, from_bsr};

static void every_format_gives_the_same_array(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(conversions); ++i) {
        formats f = make_formats(ctx);
        assert_ok(ctx, conversions[i](ctx, &f));
        assert_holds(ctx, f.to.values, expected);
        free_formats(&f);
    }
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    snapshot kept = SNAPSHOT(ctx, f.to.values);
#define REFUSED(call, violation, status, part)                                                     \
    assert_violation_refused(formats, f, violation, call(ctx, &x), status, part,                   \
                             assert_unchanged(ctx, &kept))
    for (size_t i = 0; i < COUNT(conversions); ++i) {
        REFUSED(conversions[i], x.to.shape[1] = 3, SPARCL_E_SHAPE,
                "dimension 1 of `to` is 3, of `from` 4");
        REFUSED(conversions[i], x.to.rank = 1, SPARCL_E_SHAPE, "`to` has rank 1");
        REFUSED(conversions[i], x.to.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "expected one type");
        REFUSED(conversions[i], x.to.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of `to`");
        REFUSED(conversions[i], x.to.values_at = 1, SPARCL_E_SHAPE, "`to` needs");
    }
    REFUSED(from_csr, x.csr.values = x.to.values, SPARCL_E_ALIAS, "`to` overlaps the values");
    REFUSED(from_coo, x.coo.values = x.to.values, SPARCL_E_ALIAS, "`to` overlaps the values");
    REFUSED(from_bsr, x.bsr.values = x.to.values, SPARCL_E_ALIAS, "`to` overlaps the values");
    REFUSED(from_csr, x.csr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_csr_validate");
    REFUSED(from_csc, x.csc.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_csc_validate");
    REFUSED(from_coo, x.coo.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_coo_validate");
    REFUSED(from_rows, x.rows.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED,
            "sparcl_rows_validate");
    REFUSED(from_bsr, x.bsr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_bsr_validate");
    REFUSED(from_bsr, x.bsr.block_cols = 3, SPARCL_E_SHAPE,
            "3 x 4 with blocks of 1 x 3, expected multiples");
    REFUSED(from_bsr, x.bsr.block_rows = 0, SPARCL_E_SHAPE, "expected multiples");
    REFUSED(from_csr,
            (x.csr.dtype = x.to.dtype = SPARCL_INT32, x.csr.proof.flags = SPARCL_TRUSTED,
             x.csr.proof.stamp = 0),
            SPARCL_E_UNCHECKED, "`from` is int32 and not known to be without duplicates");
#undef REFUSED
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_csr_to_dense(ctx, NULL, &f.csr), SPARCL_E_ARG, "`to` is NULL");
    assert_refused(ctx, sparcl_bsr_to_dense(ctx, &f.to, NULL), SPARCL_E_ARG, "`from` is NULL");
    free_formats(&f);
}

/* Rows [2: 5, 0: 6], []: in no order, and without duplicates. */
static void integers_without_duplicates_need_no_order(void **state) {
    static const int32_t offsets[] = {0, 2, 2}, columns[] = {2, 0}, want[] = {6, 0, 5, 0, 0, 0};
    static const int32_t values[] = {5, 6};
    sparcl_ctx *ctx = *state;
    sparcl_csr from = {.rows = 2, .cols = 3, .nnz = 2, .dtype = SPARCL_INT32};
    sparcl_dense to = {.rank = 2, .dtype = SPARCL_INT32, .shape = {2, 3}};
    assert_ok(ctx, sparcl_csr_upload(ctx, &from, offsets, columns, values, SPARCL_UNIQUE));
    assert_int_equal(sparcl_csr_flags(&from), SPARCL_VALID | SPARCL_UNIQUE);
    assert_ok(ctx, sparcl_dense_create(ctx, &to));
    assert_ok(ctx, sparcl_csr_to_dense(ctx, &to, &from));
    assert_holds(ctx, to.values, want);
    sparcl_csr_free(&from);
    sparcl_dense_free(&to);
}

static void an_entry_that_is_stored_once_keeps_its_bits(void **state) {
    static const int32_t offsets[] = {0, 2}, columns[] = {0, 1};
    static const uint32_t values[] = {0x80000000u, 0x7fc12345u};
    sparcl_ctx *ctx = *state;
    sparcl_csr from = {.rows = 1, .cols = 2, .nnz = 2};
    sparcl_dense to = {.rank = 2, .shape = {1, 2}};
    assert_ok(ctx, sparcl_csr_upload(ctx, &from, offsets, columns, values, 0));
    assert_ok(ctx, sparcl_dense_create(ctx, &to));
    assert_ok(ctx, sparcl_csr_to_dense(ctx, &to, &from));
    assert_holds(ctx, to.values, values);
    sparcl_csr_free(&from);
    sparcl_dense_free(&to);
}

static void gaps_between_rows_are_not_written(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    sparcl_buf_free(f.to.values);
    f.to.ld = 5;
    assert_ok(ctx, sparcl_buf_create(ctx, &f.to.values, 15 * 4));
    for (size_t i = 0; i < COUNT(conversions); ++i) {
        assert_ok(ctx, sparcl_buf_fill(ctx, f.to.values, 0, 15 * 4, 0x41));
        assert_ok(ctx, conversions[i](ctx, &f));
        float *got = bytes_of(ctx, f.to.values);
        for (int r = 0; r < 3; ++r) {
            assert_memory_equal(got + 5 * r, expected + 4 * r, 16);
            assert_memory_equal(got + 5 * r + 4, "AAAA", 4);
        }
        free(got);
    }
    free_formats(&f);
}

/* --- the policy ------------------------------------------------------------------------------ */

typedef struct heard {
    int warnings;
    char last[256];
} heard;

static void hear(void *user, sparcl_log_level level, const char *message) {
    heard *const h = user;
    if (level != SPARCL_LOG_WARNING) return;
    ++h->warnings;
    snprintf(h->last, sizeof h->last, "%s", message);
}

static void the_policy_refuses_or_warns_with_the_bytes_of_both(void **state) {
    heard h = {0};
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    (void)state;
    desc.log = hear;
    desc.log_user = &h;
    assert_int_equal(sparcl_ctx_open(&ctx, &desc, &error), SPARCL_OK);
    formats f = make_formats(ctx);
    for (size_t i = 0; i < COUNT(conversions); ++i) {
        assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 47));
        assert_refused(ctx, conversions[i](ctx, &f), SPARCL_E_UNSUPPORTED,
                       "the dense array has 48 bytes, the sparse one ");
        assert_non_null(strstr(sparcl_ctx_error(ctx)->message, "allows 47"));
        assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 48));
        assert_ok(ctx, conversions[i](ctx, &f));
        h.warnings = 0;
        assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_WARN, 0));
        assert_ok(ctx, conversions[i](ctx, &f));
        assert_int_equal(h.warnings, 1);
        assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ALLOW, 0));
        assert_ok(ctx, conversions[i](ctx, &f));
        assert_int_equal(h.warnings, 1);
        assert_holds(ctx, f.to.values, expected);
    }
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_WARN, 0));
    assert_ok(ctx, from_csr(ctx, &f));
    assert_string_equal(h.last, "csr_to_dense: the dense array has 48 bytes, the sparse one 40");
    free_formats(&f);
    sparcl_ctx_close(ctx);
}

/* Column j has an entry in every tenth row from j % 10 on: 1 + row + column. */
static void csc_of_many_rows_and_columns(void **state) {
    sparcl_ctx *ctx = *state;
    enum { ROWS = 650, COLUMNS = 1100, IN_COLUMN = ROWS / 10 };
    static int32_t offsets[COLUMNS + 1], rows[COLUMNS * IN_COLUMN];
    static float values[COLUMNS * IN_COLUMN], got[ROWS * COLUMNS];
    sparcl_csc a = {.rows = ROWS, .cols = COLUMNS, .nnz = COLUMNS * IN_COLUMN};
    sparcl_dense to = {.rank = 2, .shape = {ROWS, COLUMNS}};
    for (int k = 0; k < COLUMNS * IN_COLUMN; ++k) {
        const int column = k / IN_COLUMN;
        offsets[column + 1] = k + 1;
        rows[k] = column % 10 + 10 * (k % IN_COLUMN);
        values[k] = (float)(1 + rows[k] + column);
    }
    assert_ok(ctx, sparcl_csc_upload(ctx, &a, offsets, rows, values, SPARCL_SORTED));
    assert_ok(ctx, sparcl_dense_create(ctx, &to));
    assert_ok(ctx, spec_poison(ctx, to.values));
    assert_ok(ctx, sparcl_csc_to_dense(ctx, &to, &a));
    assert_ok(ctx, sparcl_dense_read(ctx, &to, got));
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            assert_true(got[i * COLUMNS + j] == (float)(i % 10 == j % 10 ? 1 + i + j : 0));
    sparcl_csc_free(&a);
    sparcl_dense_free(&to);
}

static void an_unknown_policy_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    assert_refused(ctx, sparcl_ctx_set_densify(ctx, (sparcl_densify)3, 0), SPARCL_E_ARG,
                   "policy is 3");
    assert_refused(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_WARN, -1), SPARCL_E_ARG,
                   "limit -1");
    assert_int_equal(sparcl_ctx_set_densify(NULL, SPARCL_DENSIFY_WARN, 0), SPARCL_E_ARG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_array),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(integers_without_duplicates_need_no_order),
        cmocka_unit_test(an_entry_that_is_stored_once_keeps_its_bits),
        cmocka_unit_test(gaps_between_rows_are_not_written),
        cmocka_unit_test(the_policy_refuses_or_warns_with_the_bytes_of_both),
        cmocka_unit_test(csc_of_many_rows_and_columns),
        cmocka_unit_test(an_unknown_policy_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
