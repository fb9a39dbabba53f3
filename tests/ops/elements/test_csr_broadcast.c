/* test_csr_broadcast.c: what the header says of sparcl_csr_broadcast, sparcl_csr_binary_scalar and
 * the gradient. */
#include "op_test.h"

/* A [3, 4] with a row without entries, v for its rows, and one number for each entry. */
typedef struct arrays {
    sparcl_csr a;
    sparcl_dense v, gv, z, gz;
} arrays;

static const float entries[] = {1, 2, 3, 4, 5};

static arrays make_arrays(sparcl_ctx *ctx) {
    const int32_t offsets[] = {0, 2, 2, 5}, columns[] = {0, 3, 1, 0, 3};
    const float v[] = {2, 4, 8, 16};
    arrays x = {.a = {.rows = 3, .cols = 4, .nnz = 5}, .v = {.rank = 1, .shape = {3}}};
    x.a.offsets = put(ctx, offsets, sizeof offsets);
    x.a.indices = put(ctx, columns, sizeof columns);
    x.a.values = put(ctx, entries, sizeof entries);
    x.a.proof.flags = SPARCL_TRUSTED;
    x.gv = x.v;
    x.v.values = put(ctx, v, sizeof v);
    x.gv.values = put(ctx, v, sizeof v);
    x.z = x.gz = (sparcl_dense){.rank = 1, .shape = {5}};
    x.z.values = put(ctx, entries, sizeof entries);
    x.gz.values = put(ctx, entries, sizeof entries);
    return x;
}

static void free_arrays(arrays *x) {
    sparcl_csr_free(&x->a);
    sparcl_dense_free(&x->v);
    sparcl_dense_free(&x->gv);
    sparcl_dense_free(&x->z);
    sparcl_dense_free(&x->gz);
}

static sparcl_status broadcast(sparcl_ctx *ctx, const arrays *x) {
    return sparcl_csr_broadcast(ctx, SPARCL_BINARY_MULTIPLY, &x->z, &x->a, &x->v, 1);
}
static sparcl_status gradient(sparcl_ctx *ctx, const arrays *x) {
    return sparcl_csr_broadcast_gradient(ctx, SPARCL_BINARY_MULTIPLY, &x->gv, &x->a, &x->v, &x->gz,
                                         1, NULL);
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx);
    snapshot kept = SNAPSHOT(ctx, a.z.values, a.gv.values, a.a.values);
#define REFUSED(call, violation, status, part)                                                     \
    assert_violation_refused(arrays, a, violation, call(ctx, &x), status, part,                    \
                             assert_unchanged(ctx, &kept))
    REFUSED(broadcast, x.v.shape[0] = 2, SPARCL_E_SHAPE, "expected a packed vector of 3, one for");
    REFUSED(broadcast, x.v.rank = 2, SPARCL_E_SHAPE, "");
    REFUSED(broadcast, x.v.ld = 2, SPARCL_E_SHAPE, "");
    REFUSED(broadcast, x.z.shape[0] = 4, SPARCL_E_SHAPE, "one for each entry of A");
    REFUSED(broadcast, x.v.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "V");
    REFUSED(broadcast, x.z.dtype = SPARCL_F16, SPARCL_E_DTYPE, "Z");
    REFUSED(broadcast, x.z.values = x.a.indices, SPARCL_E_ALIAS, "Z overlaps the indices of A");
    REFUSED(broadcast, (x.z.values = x.a.values, x.a.nnz = x.z.shape[0] = 3, x.z.values_at = 1),
            SPARCL_E_ALIAS, "Z overlaps the values of A");
    REFUSED(broadcast, (x.z.values = x.v.values, x.a.nnz = x.z.shape[0] = 2), SPARCL_E_ALIAS,
            "Z overlaps V");
    REFUSED(broadcast, x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    REFUSED(gradient, x.gv.shape[0] = 2, SPARCL_E_SHAPE, "GV");
    REFUSED(gradient, x.gz.shape[0] = 2, SPARCL_E_SHAPE, "GZ");
    REFUSED(gradient, x.gv.values = x.v.values, SPARCL_E_ALIAS, "GV overlaps V");
    REFUSED(gradient, x.gv.values = x.a.values, SPARCL_E_ALIAS, "GV overlaps the values of A");
    REFUSED(gradient, x.a.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "V is f32 and A bf16");
    REFUSED(gradient, x.a.dtype = SPARCL_INT32, SPARCL_E_DTYPE, "A has element type 4 (int32)");
    REFUSED(gradient, x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
#undef REFUSED
    assert_refused(ctx, sparcl_csr_broadcast(ctx, SPARCL_BINARY_MULTIPLY, &a.z, &a.a, &a.v, 2),
                   SPARCL_E_ARG, "the axis is 2, expected 0 or 1");
    snapshot_free(&kept);
    free_arrays(&a);
}

static void what_would_be_dense_is_refused_with_the_name_of_the_conversion(void **state) {
    sparcl_ctx *ctx = *state;
    arrays a = make_arrays(ctx);
    for (int op = 0; op < 6; ++op) {
        if (op == SPARCL_BINARY_MULTIPLY || op == SPARCL_BINARY_DIVIDE) continue;
        assert_refused(ctx, sparcl_csr_broadcast(ctx, (sparcl_binary_op)op, &a.z, &a.a, &a.v, 1),
                       SPARCL_E_ARG, "would be dense; convert it first (sparcl_csr_to_dense)");
        assert_refused(ctx, sparcl_csr_binary_scalar(ctx, (sparcl_binary_op)op, &a.z, &a.a, 1),
                       SPARCL_E_ARG, "would be dense; convert it first (sparcl_csr_to_dense)");
    }
    assert_refused(ctx, sparcl_csr_binary_scalar(ctx, SPARCL_BINARY_MAXIMUM, &a.z, &a.a, 0),
                   SPARCL_E_ARG, "would be dense");
    assert_ok(ctx, sparcl_csr_binary_scalar(ctx, SPARCL_BINARY_ADD, &a.z, &a.a, 0));
    assert_ok(ctx, sparcl_csr_binary_scalar(ctx, SPARCL_BINARY_SUBTRACT, &a.z, &a.a, 0));
    assert_holds(ctx, a.z.values, entries);
    free_arrays(&a);
}

static void each_entry_gets_the_number_of_its_row_or_column(void **state) {
    sparcl_ctx *ctx = *state;
    const float by_row[] = {2, 4, 24, 32, 40}, by_column[] = {2, 32, 12, 8, 80};
    const float halves[] = {0.5, 1, 1.5, 2, 2.5}, sums[] = {5, 0, 50}, columns[] = {17, 9, 0, 29};
    arrays a = make_arrays(ctx);
    assert_ok(ctx, broadcast(ctx, &a));
    assert_holds(ctx, a.z.values, by_row);
    assert_ok(ctx, sparcl_csr_binary_scalar(ctx, SPARCL_BINARY_DIVIDE, &a.z, &a.a, 2));
    assert_holds(ctx, a.z.values, halves);
    assert_ok(ctx, gradient(ctx, &a));
    for (int64_t i = 0; i < 3; ++i)
        assert_true(float_at(ctx, a.gv.values, i) == sums[i]);
    a.v.shape[0] = a.gv.shape[0] = 4;
    assert_ok(ctx, sparcl_csr_broadcast(ctx, SPARCL_BINARY_MULTIPLY, &a.z, &a.a, &a.v, 0));
    assert_holds(ctx, a.z.values, by_column);
    sparcl_pattern *pattern = NULL;
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &a.a));
    for (int i = 0; i < 2; ++i) { /* without a pattern, and with one */
        assert_ok(ctx, sparcl_csr_broadcast_gradient(ctx, SPARCL_BINARY_MULTIPLY, &a.gv, &a.a, &a.v,
                                                     &a.gz, 0, i ? pattern : NULL));
        assert_holds(ctx, a.gv.values, columns);
    }
    sparcl_pattern_free(pattern);
    free_arrays(&a);
}

/* 0 / 0 of an element that is not stored would be NaN. */
static void only_entries_are_divided(void **state) {
    sparcl_ctx *ctx = *state;
    const float zeros[] = {0, 0, 1, 0};
    arrays a = make_arrays(ctx);
    assert_ok(ctx, sparcl_buf_write(ctx, a.v.values, 0, sizeof zeros, zeros));
    assert_ok(ctx, sparcl_csr_broadcast(ctx, SPARCL_BINARY_DIVIDE, &a.z, &a.a, &a.v, 1));
    assert_true(float_at(ctx, a.z.values, 1) == INFINITY && float_at(ctx, a.z.values, 4) == 5);
    free_arrays(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(what_would_be_dense_is_refused_with_the_name_of_the_conversion),
        cmocka_unit_test(each_entry_gets_the_number_of_its_row_or_column),
        cmocka_unit_test(only_entries_are_divided),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
