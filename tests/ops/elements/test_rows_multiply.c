/* test_rows_multiply.c: what ops/elements.h says of products of row-sparse arrays. */
#include "moved_test.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"

/* Row-sparse arrays [9, 2]: rows 2, 5 and 6, and rows 0, 2, 6 and 8; a dense one; and results. */
typedef struct factors {
    sparcl_rows a, b, to;
    sparcl_dense x, v;
    sparcl_buf *needed;
} factors;

static sparcl_rows put_rows(sparcl_ctx *ctx, const int32_t *ids, const float *values, int64_t n) {
    return (sparcl_rows){.rank = 2,
                         .shape = {9, 2},
                         .nnr = n,
                         .indices = put_int32s(ctx, ids, n),
                         .values = put(ctx, values, n * 8),
                         .proof = {.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE}};
}

static factors make(sparcl_ctx *ctx) {
    static const int32_t a_ids[] = {2, 5, 6}, b_ids[] = {0, 2, 6, 8};
    static const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30, 40, 50, 60, 70, 80};
    float x[18];
    for (int i = 0; i < 18; ++i)
        x[i] = (float)i;
    factors f = {.a = put_rows(ctx, a_ids, a, 3),
                 .b = put_rows(ctx, b_ids, b, 4),
                 .x = {.rank = 2, .shape = {9, 2}},
                 .v = {.rank = 2, .shape = {3, 2}, .values = make_space(ctx, 6)},
                 .needed = make_space(ctx, 1)};
    assert_ok(ctx, sparcl_dense_upload(ctx, &f.x, x));
    f.to = f.a;
    f.to.indices = make_space(ctx, 3);
    f.to.values = make_space(ctx, 6);
    f.to.count = make_space(ctx, 1);
    f.to.proof.flags = 0;
    return f;
}

static void drop(factors *f) {
    sparcl_rows_free(&f->a);
    sparcl_rows_free(&f->b);
    sparcl_rows_free(&f->to);
    sparcl_dense_free(&f->x);
    sparcl_dense_free(&f->v);
    sparcl_buf_free(f->needed);
}

static void a_product_has_the_rows_that_both_store(void **state) {
    sparcl_ctx *ctx = *state;
    factors f = make(ctx);
    for (int flip = 0; flip < 2; ++flip) {
        f.to.proof.flags = 0;
        assert_ok(ctx, sparcl_rows_multiply(ctx, &f.to, flip ? &f.b : &f.a, flip ? &f.a : &f.b,
                                            &(sparcl_moved){.needed = f.needed}));
        ASSERT_INT64S(ctx, f.to.count, {2});
        ASSERT_INT64S(ctx, f.needed, {2});
        ASSERT_INT32S(ctx, f.to.indices, {2, 6});
        ASSERT_FLOATS(ctx, f.to.values, {1 * 30, 2 * 40, 5 * 50, 6 * 60});
        assert_int_equal(sparcl_rows_flags(&f.to), ALL_FLAGS);
    }
    drop(&f);
}

static void rows_past_the_capacity_are_dropped_the_largest_indices_first(void **state) {
    sparcl_ctx *ctx = *state;
    factors f = make(ctx);
    f.to.nnr = 1;
    assert_ok(ctx,
              sparcl_rows_multiply(ctx, &f.to, &f.a, &f.b, &(sparcl_moved){.needed = f.needed}));
    ASSERT_INT64S(ctx, f.to.count, {1});
    ASSERT_INT64S(ctx, f.needed, {2});
    ASSERT_INT32S(ctx, f.to.indices, {2, 0x55555555});
    ASSERT_FLOATS(ctx, f.to.values, {1 * 30, 2 * 40});
    f.to.nnr = 0;
    assert_ok(ctx, sparcl_rows_multiply(ctx, &f.to, &f.a, &f.b, NULL));
    ASSERT_INT64S(ctx, f.to.count, {0});
    drop(&f);
}

/* The gradient by a: its row 5, which b does not have, gets zeros. */
static void the_gradient_is_a_product_and_a_retain(void **state) {
    sparcl_ctx *ctx = *state;
    factors f = make(ctx);
    static const int32_t ids[] = {2, 6};
    static const float g[] = {1, -1, 2, 0.5F};
    sparcl_rows gradient = put_rows(ctx, ids, g, 2);
    assert_ok(ctx, sparcl_rows_multiply(ctx, &f.to, &gradient, &f.b, NULL));
    assert_ok(ctx, sparcl_rows_retain_gradient(ctx, &f.v, &f.to, &f.a));
    ASSERT_FLOATS(ctx, f.v.values, {30, -40, 0, 0, 100, 30});
    sparcl_rows_free(&gradient);
    drop(&f);
}

static void rows_are_multiplied_by_those_of_a_dense_array_also_in_place(void **state) {
    sparcl_ctx *ctx = *state;
    factors f = make(ctx);
    assert_ok(ctx, sparcl_rows_multiply_dense(ctx, &f.v, &f.a, &f.x));
    ASSERT_FLOATS(ctx, f.v.values, {1 * 4, 2 * 5, 3 * 10, 4 * 11, 5 * 12, 6 * 13});
    sparcl_dense values = f.v;
    values.values = f.a.values;
    assert_ok(ctx, sparcl_rows_multiply_dense(ctx, &values, &f.a, &f.x));
    ASSERT_FLOATS(ctx, f.a.values, {1 * 4, 2 * 5, 3 * 10, 4 * 11, 5 * 12, 6 * 13});
    drop(&f);
}

/* Duplicates are several rows here, and rows past the count are not written. */
static void rows_times_dense_are_as_stored_up_to_the_count(void **state) {
    sparcl_ctx *ctx = *state;
    factors f = make(ctx);
    const int32_t ids[] = {5, 5, 77};
    const int64_t count = 2;
    f.a.proof.flags = SPARCL_TRUSTED;
    f.a.count = put(ctx, &count, 8);
    assert_ok(ctx, sparcl_buf_write(ctx, f.a.indices, 0, sizeof ids, ids));
    assert_ok(ctx, sparcl_rows_multiply_dense(ctx, &f.v, &f.a, &f.x));
    ASSERT_FLOATS(ctx, f.v.values, {1 * 10, 2 * 11, 3 * 10, 4 * 11});
    int32_t rest[2];
    assert_ok(ctx, sparcl_buf_read(ctx, f.v.values, 16, sizeof rest, rest));
    assert_true(rest[0] == 0x55555555 && rest[1] == 0x55555555);
    drop(&f);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    factors s = make(ctx);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, s.to.indices, s.to.values, s.to.count, s.needed, s.v.values);
#define REFUSED(violation, call, status, part)                                                     \
    assert_violation_refused(factors, s, violation, call, status, part,                            \
                             assert_unchanged(ctx, &kept))
#define MULTIPLY sparcl_rows_multiply(ctx, &x.to, &x.a, &x.b, &(sparcl_moved){.needed = x.needed})
#define BY_DENSE sparcl_rows_multiply_dense(ctx, &x.v, &x.a, &x.x)
    REFUSED(x.to.count = NULL, MULTIPLY, SPARCL_E_SHAPE, "rows_multiply: `to` has no count");
    REFUSED(x.b.shape[1] = 1, MULTIPLY, SPARCL_E_SHAPE, "of B");
    REFUSED((x.b.dtype = SPARCL_F64, x.b.nnr = 2), MULTIPLY, no_f64, "B");
    REFUSED(x.a.dtype = SPARCL_INT32, MULTIPLY, SPARCL_E_DTYPE, "A");
    REFUSED(x.a.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED, MULTIPLY, SPARCL_E_UNCHECKED, "A");
    REFUSED(x.b.proof.flags = SPARCL_TRUSTED | SPARCL_UNIQUE, MULTIPLY, SPARCL_E_UNCHECKED, "B");
    REFUSED(x.b.values = x.to.values, MULTIPLY, SPARCL_E_ALIAS, "the values of B");
    REFUSED(x.needed = x.to.count, MULTIPLY, SPARCL_E_ALIAS, "the needed count");
    REFUSED(x.v.shape[0] = 2, BY_DENSE, SPARCL_E_SHAPE, "rows_multiply_dense: dimension 0 of V");
    REFUSED((x.v.ld = 3, x.v.shape[0] = x.a.nnr = 1), BY_DENSE, SPARCL_E_SHAPE, "V has gaps");
    REFUSED(x.x.shape[0] = 8, BY_DENSE, SPARCL_E_SHAPE, "X");
    REFUSED((x.x.dtype = SPARCL_F64, x.x.shape[0] = x.a.shape[0] = 4), BY_DENSE, no_f64, "X");
    REFUSED(x.a.proof.flags = 0, BY_DENSE, SPARCL_E_UNCHECKED, "A");
    REFUSED(x.x.values = x.v.values, (x.x.shape[0] = x.a.shape[0] = 3, BY_DENSE), SPARCL_E_ALIAS,
            "X");
    REFUSED((x.v.values = x.a.values, x.a.values_at = 1, x.v.shape[0] = x.a.nnr = 2), BY_DENSE,
            SPARCL_E_ALIAS, "the values of A");
#undef REFUSED
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_has_the_rows_that_both_store),
        cmocka_unit_test(rows_past_the_capacity_are_dropped_the_largest_indices_first),
        cmocka_unit_test(the_gradient_is_a_product_and_a_retain),
        cmocka_unit_test(rows_are_multiplied_by_those_of_a_dense_array_also_in_place),
        cmocka_unit_test(rows_times_dense_are_as_stored_up_to_the_count),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
