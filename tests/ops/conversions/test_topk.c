/* test_topk.c: what the header says of sparcl_topk_rows, beyond the shapes of its sweep. */
#include "op_test.h"

#include "launch/range.h"

typedef struct operands {
    sparcl_dense from;
    sparcl_csr to;
} operands;

static operands make_operands(sparcl_ctx *ctx, int64_t m, int64_t n, int64_t k, const float *x) {
    operands o = {.from = {.rank = 2, .shape = {m, n}},
                  .to = {.rows = m, .cols = n, .nnz = m * (k < n ? k : n)}};
    assert_ok(ctx, sparcl_dense_upload(ctx, &o.from, x));
    assert_ok(ctx, sparcl_csr_create(ctx, &o.to));
    return o;
}

static void free_operands(operands *o) {
    sparcl_dense_free(&o->from);
    sparcl_csr_free(&o->to);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    static const float x_host[] = {1, 2, 3, 4, 5, 6};
    sparcl_ctx *ctx = *state;
    operands o = make_operands(ctx, 2, 3, 2, x_host);
    snapshot kept = SNAPSHOT(ctx, o.to.offsets, o.to.values);
#define REFUSED(violation, k, by, status, part)                                                    \
    assert_violation_refused(operands, o, violation, sparcl_topk_rows(ctx, &x.to, &x.from, k, by), \
                             status, part, assert_unchanged(ctx, &kept))
    REFUSED((void)x, 1, SPARCL_TOPK_VALUE, SPARCL_E_SHAPE,
            "`to` has 4 entries, expected 1 in each of 2 rows");
    REFUSED((void)x, -1, SPARCL_TOPK_VALUE, SPARCL_E_ARG, "k is -1");
    REFUSED((void)x, 2, (sparcl_topk)2, SPARCL_E_ARG, "`by` 2");
    REFUSED(x.to.cols = 4, 2, SPARCL_TOPK_VALUE, SPARCL_E_SHAPE, "dimension 1 of `to` is 4");
    REFUSED(x.to.dtype = x.from.dtype = SPARCL_INT32, 2, SPARCL_TOPK_VALUE, SPARCL_E_DTYPE,
            "expected SPARCL_F32, F64, F16 or BF16");
    REFUSED(x.to.dtype = SPARCL_F16, 2, SPARCL_TOPK_VALUE, SPARCL_E_DTYPE, "expected one type");
    REFUSED(x.to.values = x.from.values, 2, SPARCL_TOPK_VALUE, SPARCL_E_ALIAS, "overlaps `from`");
#undef REFUSED
    snapshot_free(&kept);
    free_operands(&o);
}

static void assert_topk(sparcl_ctx *ctx, const float *x, int64_t n, int64_t k, sparcl_topk by,
                        const int32_t *want) {
    operands o = make_operands(ctx, 1, n, k, x);
    assert_ok(ctx, sparcl_topk_rows(ctx, &o.to, &o.from, k, by));
    const uint32_t all = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    assert_int_equal(sparcl_csr_flags(&o.to), all);
    assert_ok(ctx, sparcl_csr_validate(ctx, &o.to, all));
    int32_t *got = bytes_of(ctx, o.to.indices);
    for (int64_t i = 0; i < o.to.nnz; ++i) {
        const float value = float_at(ctx, o.to.values, i);
        assert_int_equal(got[i], want[i]);
        assert_memory_equal(&value, &x[want[i]], 4);
    }
    free(got);
    free_operands(&o);
}

static void ties_go_to_the_lower_columns_and_nan_comes_first(void **state) {
    static const float ties[] = {1, 3, -3, 3, 3, NAN}, zeros[] = {-0.0f, 0, -1, 0};
    sparcl_ctx *ctx = *state;
    assert_topk(ctx, ties, 6, 1, SPARCL_TOPK_VALUE, (const int32_t[]){5});
    assert_topk(ctx, ties, 6, 3, SPARCL_TOPK_VALUE, (const int32_t[]){1, 3, 5});
    assert_topk(ctx, ties, 6, 3, SPARCL_TOPK_MAGNITUDE, (const int32_t[]){1, 2, 5});
    assert_topk(ctx, ties, 6, 9, SPARCL_TOPK_VALUE, (const int32_t[]){0, 1, 2, 3, 4, 5});
    assert_topk(ctx, zeros, 4, 2, SPARCL_TOPK_VALUE, (const int32_t[]){0, 1});
    assert_topk(ctx, zeros, 4, 2, SPARCL_TOPK_MAGNITUDE, (const int32_t[]){0, 2});
}

typedef struct rows {
    int64_t m, n, k;
    const float *x;
} rows;

static sparcl_buf *indices_of(sparcl_ctx *ctx, const void *input) {
    const rows *const r = input;
    operands o = make_operands(ctx, r->m, r->n, r->k, r->x);
    sparcl_buf *const indices = o.to.indices;
    assert_ok(ctx, sparcl_topk_rows(ctx, &o.to, &o.from, r->k, SPARCL_TOPK_VALUE));
    o.to.indices = NULL;
    free_operands(&o);
    return indices;
}

/* Many equal elements, and NaN. */
static float *make_equals(int64_t count) {
    float *const x = make_floats(count, 4);
    for (int64_t i = 0; i < count; ++i)
        x[i] = i % 997 == 5 ? NAN : truncf(x[i] * 50);
    return x;
}

static void assert_same_indices(const class_contexts *all, int64_t m, int64_t n, int64_t k) {
    float *const x = make_floats(m * n, 3), *const equals = make_equals(m * n);
    assert_same_bits(all, indices_of, &(rows){m, n, k, x});
    assert_same_bits(all, indices_of, &(rows){m, n, k, equals});
    free(x);
    free(equals);
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    assert_same_indices(&all, 9, 700, 40);
    close_classes(&all);
}

/* Many lanes: rows of more than 8192 elements. */
static void few_long_rows_are_divided_with_the_same_bits(void **state) {
    static const int64_t cases[][3] = {{2, 8193, 40}, {1, 20000, 900}, {3, 9000, 1}};
    if (spc_has_short_loops(*state)) skip(); /* they are refused there */
    class_contexts all = open_classes(*state);
    for (size_t i = 0; i < COUNT(cases); ++i)
        assert_same_indices(&all, cases[i][0], cases[i][1], cases[i][2]);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(ties_go_to_the_lower_columns_and_nan_comes_first),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
        cmocka_unit_test(few_long_rows_are_divided_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
