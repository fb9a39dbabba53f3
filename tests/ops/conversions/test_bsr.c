/* test_bsr.c: what the headers say of BSR matrices, and of conversions from and to CSC. */
#include "op_test.h"

/* 4 x 6 with blocks of 2 x 3; blocks (0, 1) and (1, 0), which has only (3, 2). */
typedef struct operands {
    sparcl_csr csr, back;
    sparcl_bsr bsr;
    sparcl_csc csc;
    sparcl_coo coo;
    sparcl_buf *needed;
} operands;

static const int32_t offsets[] = {0, 2, 3, 3, 4}, columns[] = {3, 5, 4, 2};
static const float values[] = {1, 2, 3, 4};
static const float blocks[] = {1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 4};

static operands make_operands(sparcl_ctx *ctx) {
    operands o = {.csr = {.rows = 4, .cols = 6, .nnz = 4},
                  .back = {.rows = 4, .cols = 6, .nnz = 12},
                  .bsr = {.rows = 4, .cols = 6, .block_rows = 2, .block_cols = 3, .nnzb = 2},
                  .csc = {.rows = 4, .cols = 6, .nnz = 4},
                  .coo = {.rank = 2, .shape = {4, 6}, .nnz = 4}};
    assert_ok(ctx, sparcl_csr_upload(ctx, &o.csr, offsets, columns, values, 0));
    assert_ok(ctx, sparcl_csr_create(ctx, &o.back));
    assert_ok(ctx, sparcl_bsr_create(ctx, &o.bsr));
    assert_ok(ctx, sparcl_csc_create(ctx, &o.csc));
    assert_ok(ctx, sparcl_coo_create(ctx, &o.coo));
    assert_ok(ctx, sparcl_buf_create(ctx, &o.needed, 8));
    return o;
}

static void free_operands(operands *o) {
    sparcl_csr_free(&o->csr);
    sparcl_csr_free(&o->back);
    sparcl_bsr_free(&o->bsr);
    sparcl_csc_free(&o->csc);
    sparcl_coo_free(&o->coo);
    sparcl_buf_free(o->needed);
}

static void blocks_that_have_an_entry_are_stored(void **state) {
    static const int32_t of_blocks[] = {0, 1, 2}, at[] = {1, 0};
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    const uint32_t all = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    assert_ok(ctx, sparcl_csr_to_bsr(ctx, &o.bsr, &o.csr, &(sparcl_moved){.needed = o.needed}));
    assert_int_equal(int_at(ctx, o.needed, 0), 2);
    assert_holds(ctx, o.bsr.offsets, of_blocks);
    assert_holds(ctx, o.bsr.indices, at);
    assert_holds(ctx, o.bsr.values, blocks);
    assert_int_equal(sparcl_bsr_flags(&o.bsr), all);
    assert_ok(ctx, sparcl_bsr_validate(ctx, &o.bsr, all | SPARCL_FINITE));
    assert_ok(ctx, sparcl_bsr_to_csr(ctx, &o.back, &o.bsr));
    assert_int_equal(sparcl_csr_flags(&o.back), all);
    o.csr.nnz = 4;
    sparcl_csr pruned = {.rows = 4, .cols = 6, .nnz = 4};
    assert_ok(ctx, sparcl_csr_create(ctx, &pruned));
    assert_ok(ctx, sparcl_csr_prune(ctx, &pruned, &o.back, 0, NULL));
    assert_holds(ctx, pruned.offsets, offsets);
    assert_holds(ctx, pruned.indices, columns);
    assert_holds(ctx, pruned.values, values);
    sparcl_csr_free(&pruned);
    free_operands(&o);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    assert_ok(ctx, sparcl_csr_to_bsr(ctx, &o.bsr, &o.csr, NULL));
    snapshot kept = SNAPSHOT(ctx, o.bsr.values, o.bsr.indices, o.back.offsets, o.needed);
#define REFUSED(call, violation, status, part)                                                     \
    assert_violation_refused(operands, o, violation, call, status, part,                           \
                             assert_unchanged(ctx, &kept))
#define TO_BSR sparcl_csr_to_bsr(ctx, &x.bsr, &x.csr, &(sparcl_moved){.needed = x.needed})
#define TO_CSR sparcl_bsr_to_csr(ctx, &x.back, &x.bsr)
    REFUSED(TO_BSR, x.bsr.block_cols = 4, SPARCL_E_SHAPE, "4 x 6 with blocks of 2 x 4");
    REFUSED(TO_BSR, x.bsr.rows = 6, SPARCL_E_SHAPE, "`to` needs 4 elements");
    REFUSED(TO_BSR, x.bsr.cols = 3, SPARCL_E_SHAPE, "`to` is 4 x 3, `from` is 4 x 6");
    REFUSED(TO_BSR, x.bsr.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "expected one type");
    REFUSED(TO_BSR, x.bsr.values = x.csr.values, SPARCL_E_SHAPE, "`to` needs 12 elements");
    REFUSED(TO_BSR, x.needed = x.bsr.values, SPARCL_E_ALIAS, "the needed count overlaps");
    REFUSED(TO_BSR, x.csr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_csr_validate");
    REFUSED(TO_BSR, x.bsr.reserved[1] = 1, SPARCL_E_ARG, "the reserved fields of `to`");
    REFUSED(TO_CSR, x.back.nnz = 11, SPARCL_E_SHAPE, "`to` has capacity for 11 entries");
    REFUSED(TO_CSR, x.bsr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_bsr_validate");
    REFUSED(TO_CSR, x.back.values = x.bsr.values, SPARCL_E_ALIAS, "overlaps the values of `from`");
#undef REFUSED
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_csr_to_bsr(ctx, NULL, &o.csr, NULL), SPARCL_E_ARG, "`to` is NULL");
    assert_refused(ctx, sparcl_bsr_to_csr(ctx, &o.back, NULL), SPARCL_E_ARG, "`from` is NULL");
    free_operands(&o);
}

static void validation_names_the_first_bad_block(void **state) {
    static const int32_t three[] = {0, 1, 2}, outside[] = {1, 2}, late[] = {0, 1, 3};
    sparcl_ctx *ctx = *state;
    sparcl_bsr a = {.rows = 4, .cols = 6, .block_rows = 2, .block_cols = 3, .nnzb = 2};
    assert_refused(ctx, sparcl_bsr_upload(ctx, &a, three, outside, blocks, 0), SPARCL_E_DATA,
                   "A.indices[1] is 2 in row of blocks 1, expected 0 to 1");
    assert_refused(ctx, sparcl_bsr_upload(ctx, &a, late, outside, blocks, 0), SPARCL_E_DATA,
                   "A.offsets[2] is 3");
    assert_null(a.values);
}

static void duplicate_blocks_are_added_entry_by_entry(void **state) {
    static const int32_t two[] = {0, 2}, same[] = {0, 0};
    static const float twice[] = {1, 2, 10, 20}, want[] = {11, 22};
    sparcl_ctx *ctx = *state;
    sparcl_bsr a = {.rows = 1, .cols = 2, .block_rows = 1, .block_cols = 2, .nnzb = 2};
    sparcl_dense to = {.rank = 2, .shape = {1, 2}};
    sparcl_csr entries = {.rows = 1, .cols = 2, .nnz = 4};
    assert_ok(ctx, sparcl_bsr_upload(ctx, &a, two, same, twice, 0));
    assert_int_equal(sparcl_bsr_flags(&a), SPARCL_VALID | SPARCL_SORTED);
    assert_ok(ctx, sparcl_dense_create(ctx, &to));
    assert_ok(ctx, sparcl_csr_create(ctx, &entries));
    assert_ok(ctx, sparcl_bsr_to_dense(ctx, &to, &a));
    assert_holds(ctx, to.values, want);
    assert_ok(ctx, sparcl_bsr_to_csr(ctx, &entries, &a));
    assert_int_equal(sparcl_csr_flags(&entries), SPARCL_VALID);
    sparcl_bsr_free(&a);
    sparcl_dense_free(&to);
    sparcl_csr_free(&entries);
}

static void a_bsr_matrix_is_uploaded_read_and_freed(void **state) {
    static const int32_t of_blocks[] = {0, 1, 2}, at[] = {1, 0};
    int32_t got_offsets[3], got_at[2];
    float got[12];
    int64_t nnzb = 0;
    sparcl_ctx *ctx = *state;
    sparcl_bsr a = {.rows = 4, .cols = 6, .block_rows = 2, .block_cols = 3, .nnzb = 2};
    assert_ok(ctx, sparcl_bsr_upload(ctx, &a, of_blocks, at, blocks, SPARCL_UNIQUE));
    assert_ok(ctx, sparcl_bsr_read(ctx, &a, got_offsets, got_at, got, &nnzb));
    assert_int_equal(nnzb, 2);
    assert_memory_equal(got_offsets, of_blocks, sizeof of_blocks);
    assert_memory_equal(got_at, at, sizeof at);
    assert_memory_equal(got, blocks, sizeof blocks);
    sparcl_bsr_free(&a);
    sparcl_bsr_free(&a);
    sparcl_bsr_free(NULL);
    assert_null(a.values);
    assert_int_equal(sparcl_bsr_flags(&a), 0);
}

/* --- from and to CSC ------------------------------------------------------------------------- */

static void csc_and_csr_and_coo_have_the_same_entries(void **state) {
    static const float by_column[] = {4, 1, 3, 2};
    static const int32_t rows[] = {3, 0, 1, 0}, cols[] = {2, 3, 4, 5};
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    sparcl_csr back = {.rows = 4, .cols = 6, .nnz = 4};
    const uint32_t all = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    assert_ok(ctx, sparcl_csr_create(ctx, &back));
    assert_ok(ctx, sparcl_csr_to_csc(ctx, &o.csc, &o.csr));
    assert_ok(ctx, sparcl_csc_to_csr(ctx, &back, &o.csc));
    assert_holds(ctx, back.offsets, offsets);
    assert_holds(ctx, back.indices, columns);
    assert_holds(ctx, back.values, values);
    assert_int_equal(sparcl_csr_flags(&back), all);
    assert_ok(ctx, sparcl_csc_to_coo(ctx, &o.coo, &o.csc));
    assert_holds(ctx, o.coo.indices[0], rows);
    assert_holds(ctx, o.coo.indices[1], cols);
    assert_holds(ctx, o.coo.values, by_column);
    assert_int_equal(sparcl_coo_flags(&o.coo), SPARCL_VALID | SPARCL_UNIQUE);
    assert_ok(ctx, sparcl_coo_validate(ctx, &o.coo, SPARCL_UNIQUE));
    assert_ok(ctx, sparcl_coo_to_csc(ctx, &o.csc, &o.coo));
    assert_holds(ctx, o.csc.indices, rows);
    assert_holds(ctx, o.csc.values, by_column);
    assert_int_equal(sparcl_csc_flags(&o.csc), all);
    assert_ok(ctx, sparcl_csc_validate(ctx, &o.csc, all));
    sparcl_csr_free(&back);
    free_operands(&o);
}

static void what_does_not_fit_a_csc_matrix_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    assert_ok(ctx, sparcl_csr_to_csc(ctx, &o.csc, &o.csr));
    snapshot kept = SNAPSHOT(ctx, o.back.offsets, o.csc.values, o.coo.values);
#define REFUSED(call, violation, status, part)                                                     \
    assert_violation_refused(operands, o, violation, call, status, part,                           \
                             assert_unchanged(ctx, &kept))
#define CSR sparcl_csc_to_csr(ctx, &x.back, &x.csc)
#define COO sparcl_csc_to_coo(ctx, &x.coo, &x.csc)
#define CSC sparcl_coo_to_csc(ctx, &x.csc, &x.coo)
    REFUSED(CSR, --x.back.cols, SPARCL_E_SHAPE, "csc_to_csr: `to` is 4 x 5");
    REFUSED(CSR, x.back.nnz = 3, SPARCL_E_SHAPE, "csc_to_csr: `to` has capacity for 3");
    REFUSED(CSR, x.csc.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_csc_validate");
    REFUSED(CSR, x.back.values = x.csc.indices, SPARCL_E_SHAPE, "`to` needs");
    REFUSED(COO, x.coo.rank = 1, SPARCL_E_SHAPE, "csc_to_coo: `to` has rank 1");
    REFUSED(COO, ++x.coo.shape[0], SPARCL_E_SHAPE, "`to` is 5 x 6");
    REFUSED(COO, x.csc.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_csc_validate");
    REFUSED(CSC, x.coo.rank = 1, SPARCL_E_SHAPE, "coo_to_csc: `from` has rank 1");
    REFUSED(CSC, ++x.coo.shape[1], SPARCL_E_SHAPE, "`from` is 4 x 7");
    REFUSED(CSC, x.coo.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_coo_validate");
#undef REFUSED
    snapshot_free(&kept);
    free_operands(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_have_an_entry_are_stored),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(validation_names_the_first_bad_block),
        cmocka_unit_test(duplicate_blocks_are_added_entry_by_entry),
        cmocka_unit_test(a_bsr_matrix_is_uploaded_read_and_freed),
        cmocka_unit_test(csc_and_csr_and_coo_have_the_same_entries),
        cmocka_unit_test(what_does_not_fit_a_csc_matrix_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
