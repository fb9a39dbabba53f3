/* test_from_dense.c: what the header says of thresholds and capacities, beyond the shapes of the
 * sweep: conversions from dense arrays, pruning, and the elements at a pattern. */
#include "op_test.h"

/* X [3, 4], a result of each kind, and a count that is needed. */
typedef struct operands {
    sparcl_dense x, values;
    sparcl_csr csr, pruned;
    sparcl_coo coo;
    sparcl_rows rows, some;
    sparcl_buf *needed;
} operands;

static const float x_host[] = {0, 1, -0.0f, -3, 0, 0, 0, 0, 5, 0.25f, 0, 2};

static operands make_operands(sparcl_ctx *ctx) {
    operands o = {.x = {.rank = 2, .shape = {3, 4}},
                  .values = {.rank = 1, .shape = {6}},
                  .csr = {.rows = 3, .cols = 4, .nnz = 6},
                  .pruned = {.rows = 3, .cols = 4, .nnz = 6},
                  .coo = {.rank = 2, .shape = {3, 4}, .nnz = 6},
                  .rows = {.rank = 2, .shape = {3, 4}, .nnr = 3},
                  .some = {.rank = 2, .shape = {3, 4}, .nnr = 3},
                  .needed = NULL};
    assert_ok(ctx, sparcl_dense_upload(ctx, &o.x, x_host));
    assert_ok(ctx, sparcl_dense_create(ctx, &o.values));
    assert_ok(ctx, sparcl_csr_create(ctx, &o.csr));
    assert_ok(ctx, sparcl_csr_create(ctx, &o.pruned));
    assert_ok(ctx, sparcl_coo_create(ctx, &o.coo));
    assert_ok(ctx, sparcl_rows_create(ctx, &o.rows));
    assert_ok(ctx, sparcl_rows_create(ctx, &o.some));
    assert_ok(ctx, sparcl_buf_create(ctx, &o.needed, 8));
    return o;
}

static void free_operands(operands *o) {
    sparcl_dense_free(&o->x);
    sparcl_dense_free(&o->values);
    sparcl_csr_free(&o->csr);
    sparcl_csr_free(&o->pruned);
    sparcl_coo_free(&o->coo);
    sparcl_rows_free(&o->rows);
    sparcl_rows_free(&o->some);
    sparcl_buf_free(o->needed);
}

static sparcl_status to_csr(sparcl_ctx *ctx, operands *o) {
    return sparcl_dense_to_csr(ctx, &o->csr, &o->x, 0, &(sparcl_moved){.needed = o->needed});
}
static sparcl_status to_coo(sparcl_ctx *ctx, operands *o) {
    return sparcl_dense_to_coo(ctx, &o->coo, &o->x, 0, &(sparcl_moved){.needed = o->needed});
}
static sparcl_status to_rows(sparcl_ctx *ctx, operands *o) {
    return sparcl_dense_to_rows(ctx, &o->rows, &o->x, 0, &(sparcl_moved){.needed = o->needed});
}
static sparcl_status prune(sparcl_ctx *ctx, operands *o) {
    return sparcl_csr_prune(ctx, &o->pruned, &o->csr, 0, &(sparcl_moved){.needed = o->needed});
}
static sparcl_status csr_to_rows(sparcl_ctx *ctx, operands *o) {
    return sparcl_csr_to_rows(ctx, &o->some, &o->csr, &(sparcl_moved){.needed = o->needed});
}
static sparcl_status rows_to_csr(sparcl_ctx *ctx, operands *o) {
    return sparcl_rows_to_csr(ctx, &o->pruned, &o->rows, 0, &(sparcl_moved){.needed = o->needed});
}
static sparcl_status mask(sparcl_ctx *ctx, operands *o) {
    return sparcl_sparse_mask(ctx, &o->values, &o->x, &o->csr);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    assert_ok(ctx, to_csr(ctx, &o));
    assert_ok(ctx, to_rows(ctx, &o));
    snapshot kept = SNAPSHOT(ctx, o.csr.values, o.coo.values, o.rows.values, o.needed,
                             o.pruned.values, o.some.values, o.values.values);
#define REFUSED(call, violation, status, part)                                                     \
    assert_violation_refused(operands, o, violation, call(ctx, &x), status, part,                  \
                             assert_unchanged(ctx, &kept))
    REFUSED(to_csr, ++x.csr.rows, SPARCL_E_SHAPE, "`to` needs");
    REFUSED(to_csr, --x.csr.rows, SPARCL_E_SHAPE, "dimension 0 of `to` is 2, of `from` 3");
    REFUSED(to_csr, x.x.rank = 1, SPARCL_E_SHAPE, "`to` has rank 2, `from` has 1");
    REFUSED(to_csr, x.csr.dtype = SPARCL_F16, SPARCL_E_DTYPE, "expected one type");
    REFUSED(to_csr, x.csr.values = x.x.values, SPARCL_E_ALIAS, "the values of `to` overlaps");
    REFUSED(to_csr, x.needed = x.csr.values, SPARCL_E_ALIAS, "the needed count overlaps");
    REFUSED(to_coo, x.coo.count = NULL, SPARCL_E_SHAPE, "`to` has no count");
    REFUSED(to_coo, x.coo.shape[1] = 5, SPARCL_E_SHAPE, "dimension 1 of `to` is 5");
    REFUSED(to_rows, x.rows.count = NULL, SPARCL_E_SHAPE, "`to` has no count");
    REFUSED(to_rows, x.rows.values = x.x.values, SPARCL_E_ALIAS, "overlaps `from`");
    REFUSED(prune, x.csr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_csr_validate");
    REFUSED(prune, x.pruned.cols = 5, SPARCL_E_SHAPE, "`to` is 3 x 5");
    REFUSED(prune, x.pruned.values = x.csr.values, SPARCL_E_ALIAS, "overlaps");
    REFUSED(csr_to_rows, x.csr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED,
            "sparcl_csr_validate");
    REFUSED(csr_to_rows, x.some.count = NULL, SPARCL_E_SHAPE, "`to` has no count");
    REFUSED(rows_to_csr, x.rows.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED,
            "sparcl_rows_validate");
    REFUSED(rows_to_csr, x.pruned.dtype = SPARCL_INT32, SPARCL_E_DTYPE, "expected one type");
    REFUSED(mask, x.values.shape[0] = 5, SPARCL_E_SHAPE, "of A's entries 6");
    REFUSED(mask, x.x.shape[0] = 2, SPARCL_E_SHAPE, "dimension 0 of X is 2, of A 3");
    REFUSED(mask, x.values.ld = 2, SPARCL_E_SHAPE, "values");
    REFUSED(mask, x.values.values = x.x.values, SPARCL_E_ALIAS, "values overlaps X");
    REFUSED(mask, x.csr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "sparcl_csr_validate");
#undef REFUSED
    assert_refused(ctx, sparcl_dense_to_csr(ctx, &o.csr, &o.x, (double)NAN, NULL), SPARCL_E_ARG,
                   "threshold is nan");
    o.x.dtype = o.csr.dtype = SPARCL_INT32;
    assert_refused(ctx, sparcl_dense_to_csr(ctx, &o.csr, &o.x, 0.5, NULL), SPARCL_E_ARG,
                   "threshold is 0.5, expected at most 0 for integers");
    o.x.dtype = o.csr.dtype = SPARCL_F32;
    snapshot_free(&kept);
    free_operands(&o);
}

static void assert_floats(sparcl_ctx *ctx, const sparcl_buf *buf, const float *want,
                          int64_t count) {
    for (int64_t i = 0; i < count; ++i)
        if (float_at(ctx, buf, i) != want[i])
            fail_msg("[%lld] is %g, expected %g", (long long)i, (double)float_at(ctx, buf, i),
                     (double)want[i]);
}

static void zeros_of_both_signs_are_dropped_and_results_are_marked(void **state) {
    static const float want[] = {1, -3, 5, 0.25f, 2};
    static const int32_t offsets[] = {0, 2, 2, 5};
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    const uint32_t all = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    assert_ok(ctx, to_csr(ctx, &o));
    assert_int_equal(int_at(ctx, o.needed, 0), 5);
    assert_floats(ctx, o.csr.values, want, 5);
    assert_holds(ctx, o.csr.offsets, offsets);
    assert_ok(ctx, to_coo(ctx, &o));
    assert_floats(ctx, o.coo.values, want, 5);
    assert_int_equal(int_at(ctx, o.coo.count, 0), 5);
    assert_ok(ctx, to_rows(ctx, &o));
    assert_int_equal(int_at(ctx, o.rows.count, 0), 2);
    assert_int_equal(int_at(ctx, o.needed, 0), 2);
    assert_int_equal(sparcl_csr_flags(&o.csr), all);
    assert_int_equal(sparcl_coo_flags(&o.coo), all);
    assert_int_equal(sparcl_rows_flags(&o.rows), all);
    assert_ok(ctx, sparcl_csr_validate(ctx, &o.csr, all));
    assert_ok(ctx, sparcl_coo_validate(ctx, &o.coo, all));
    assert_ok(ctx, sparcl_rows_validate(ctx, &o.rows, all));
    free_operands(&o);
}

static void a_threshold_is_exceeded_by_absolute_values_and_by_nan(void **state) {
    static const float five[] = {0.25f, -0.25f, NAN, 0.2500001f, -INFINITY};
    sparcl_ctx *ctx = *state;
    sparcl_dense x = {.rank = 2, .shape = {1, 5}};
    sparcl_csr to = {.rows = 1, .cols = 5, .nnz = 5};
    sparcl_buf *needed = NULL;
    assert_ok(ctx, sparcl_dense_upload(ctx, &x, five));
    assert_ok(ctx, sparcl_csr_create(ctx, &to));
    assert_ok(ctx, sparcl_buf_create(ctx, &needed, 8));
    static const struct {
        double threshold;
        int64_t stored;
    } cases[] = {{0.25, 3}, {0.2499, 5}, {-1, 5}, {1e300, 2}, {HUGE_VAL, 1}, {0, 5}};
    for (size_t i = 0; i < COUNT(cases); ++i) {
        assert_ok(ctx, sparcl_dense_to_csr(ctx, &to, &x, cases[i].threshold,
                                           &(sparcl_moved){.needed = needed}));
        assert_int_equal(int_at(ctx, needed, 0), cases[i].stored);
    }
    sparcl_dense_free(&x);
    sparcl_csr_free(&to);
    sparcl_buf_free(needed);
}

static void without_capacity_only_the_size_is_found(void **state) {
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    static const int32_t none[] = {0, 0, 0, 0};
    o.csr.nnz = o.coo.nnz = o.rows.nnr = 0;
    assert_ok(ctx, to_csr(ctx, &o));
    assert_int_equal(int_at(ctx, o.needed, 0), 5);
    assert_holds(ctx, o.csr.offsets, none);
    assert_ok(ctx, to_coo(ctx, &o));
    assert_int_equal(int_at(ctx, o.needed, 0), 5);
    assert_int_equal(int_at(ctx, o.coo.count, 0), 0);
    assert_ok(ctx, to_rows(ctx, &o));
    assert_int_equal(int_at(ctx, o.needed, 0), 2);
    free_operands(&o);
}

static void needed_may_be_null(void **state) {
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    sparcl_buf *const needed = o.needed;
    o.needed = NULL;
    assert_ok(ctx, to_csr(ctx, &o));
    assert_ok(ctx, to_coo(ctx, &o));
    assert_ok(ctx, to_rows(ctx, &o));
    assert_ok(ctx, prune(ctx, &o));
    assert_ok(ctx, csr_to_rows(ctx, &o));
    assert_ok(ctx, rows_to_csr(ctx, &o));
    o.needed = needed;
    free_operands(&o);
}

static void a_negative_threshold_keeps_all_elements_of_stored_rows(void **state) {
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    assert_ok(ctx, to_rows(ctx, &o));
    assert_ok(ctx,
              sparcl_rows_to_csr(ctx, &o.pruned, &o.rows, -1, &(sparcl_moved){.needed = o.needed}));
    assert_int_equal(int_at(ctx, o.needed, 0), 8);
    free_operands(&o);
}

static void pruning_marks_the_result_as_the_operand(void **state) {
    static const int32_t offsets[] = {0, 3, 3, 4}, columns[] = {3, 0, 1, 2};
    static const float values[] = {1, 0, 2, -0.0f}, want[] = {1, 2};
    static const int32_t left[] = {0, 2, 2, 2};
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    sparcl_csr from = {.rows = 3, .cols = 4, .nnz = 4};
    assert_ok(ctx, sparcl_csr_upload(ctx, &from, offsets, columns, values, 0));
    const sparcl_moved moved = {.needed = o.needed};
    assert_ok(ctx, sparcl_csr_prune(ctx, &o.pruned, &from, 0, &moved));
    assert_int_equal(int_at(ctx, o.needed, 0), 2);
    assert_holds(ctx, o.pruned.offsets, left);
    assert_floats(ctx, o.pruned.values, want, 2);
    assert_int_equal(sparcl_csr_flags(&o.pruned), SPARCL_VALID | SPARCL_UNIQUE);
    sparcl_csr_free(&from);
    free_operands(&o);
}

/* Capacity for more entries than there are. */
static void elements_at_unused_capacity_are_0(void **state) {
    static const float want[] = {1, -3, 5, 0.25f, 2, 0};
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    assert_ok(ctx, to_csr(ctx, &o));
    assert_ok(ctx, mask(ctx, &o));
    assert_floats(ctx, o.values.values, want, 6);
    free_operands(&o);
}

static void a_vector_is_converted_with_one_index(void **state) {
    static const float v[] = {0, 4, 0, 0, 6};
    static const int32_t want[] = {1, 4};
    sparcl_ctx *ctx = *state;
    sparcl_dense x = {.rank = 1, .shape = {5}};
    sparcl_coo to = {.rank = 1, .shape = {5}, .nnz = 2};
    sparcl_rows rows = {.rank = 1, .shape = {5}, .nnr = 2};
    assert_ok(ctx, sparcl_dense_upload(ctx, &x, v));
    assert_ok(ctx, sparcl_coo_create(ctx, &to));
    assert_ok(ctx, sparcl_rows_create(ctx, &rows));
    assert_ok(ctx, sparcl_dense_to_coo(ctx, &to, &x, 0, NULL));
    assert_ok(ctx, sparcl_dense_to_rows(ctx, &rows, &x, 0, NULL));
    assert_holds(ctx, to.indices[0], want);
    assert_holds(ctx, rows.indices, want);
    sparcl_dense_free(&x);
    sparcl_coo_free(&to);
    sparcl_rows_free(&rows);
}

/* The gradient at each entry; 0 where its row did not fit, and past the entries. */
static void a_gradient_of_rows_is_taken_at_the_entries(void **state) {
    static const float g_host[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const float want[] = {2, 4, 5, 6, 8, 0}, want_first[] = {2, 4, 0, 0, 0, 0};
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx);
    assert_ok(ctx, to_csr(ctx, &o)); /* 5 entries in rows 0 and 2, capacity 6 */
    for (int64_t capacity = 2; capacity > 0; --capacity) {
        sparcl_rows g = {.rank = 2, .index_type = SPARCL_INDEX64, .shape = {3, 4}, .nnr = capacity};
        assert_ok(ctx, sparcl_rows_create(ctx, &g));
        assert_ok(ctx, sparcl_csr_to_rows(ctx, &g, &o.csr, NULL));
        assert_ok(ctx, sparcl_buf_write(ctx, g.values, 0, capacity * 16, g_host));
        assert_ok(ctx, sparcl_csr_to_rows_gradient(ctx, &o.values, &g, &o.csr));
        assert_floats(ctx, o.values.values, capacity == 2 ? want : want_first, 6);
        sparcl_rows_free(&g);
    }
    assert_ok(ctx, csr_to_rows(ctx, &o));
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(operands, o, violation,                                               \
                             sparcl_csr_to_rows_gradient(ctx, &x.values, &x.some, &x.csr), status, \
                             part, (void)0)
    REFUSED(x.some.shape[1] = 3, SPARCL_E_SHAPE, "dimension 1 of G is 3, of A 4");
    REFUSED(x.values.shape[0] = 5, SPARCL_E_SHAPE, "gv");
    REFUSED(x.some.proof = (sparcl_proof){.flags = SPARCL_TRUSTED}, SPARCL_E_UNCHECKED, "G");
    REFUSED(x.csr.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "A");
    REFUSED(x.values.values = x.some.values, SPARCL_E_ALIAS, "gv overlaps");
#undef REFUSED
    free_operands(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(zeros_of_both_signs_are_dropped_and_results_are_marked),
        cmocka_unit_test(a_threshold_is_exceeded_by_absolute_values_and_by_nan),
        cmocka_unit_test(without_capacity_only_the_size_is_found),
        cmocka_unit_test(needed_may_be_null),
        cmocka_unit_test(a_negative_threshold_keeps_all_elements_of_stored_rows),
        cmocka_unit_test(pruning_marks_the_result_as_the_operand),
        cmocka_unit_test(elements_at_unused_capacity_are_0),
        cmocka_unit_test(a_vector_is_converted_with_one_index),
        cmocka_unit_test(a_gradient_of_rows_is_taken_at_the_entries),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
