/* test_add_n.c: what ops/elements.h says of sums of several arrays. */
#include "moved_test.h"
#include "sparcl/ops/elements.h"

/* Row-sparse arrays [9, 2]: rows 6 and 2, and rows 2, 8, 2; a dense one; and results. */
typedef struct terms {
    sparcl_rows a, b, to;
    sparcl_dense x, y;
    sparcl_buf *needed;
} terms;

static sparcl_rows put_rows(sparcl_ctx *ctx, const int32_t *ids, const float *values, int64_t n) {
    return (sparcl_rows){.rank = 2,
                         .shape = {9, 2},
                         .nnr = n,
                         .indices = put_int32s(ctx, ids, n),
                         .values = put(ctx, values, n * 8),
                         .proof = {.flags = SPARCL_TRUSTED}};
}

static terms make(sparcl_ctx *ctx) {
    static const int32_t a_ids[] = {6, 2}, b_ids[] = {2, 8, 2};
    static const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40, 50, 60};
    float x[18];
    for (int i = 0; i < 18; ++i)
        x[i] = (float)i;
    terms t = {.a = put_rows(ctx, a_ids, a, 2),
               .b = put_rows(ctx, b_ids, b, 3),
               .x = {.rank = 2, .shape = {9, 2}},
               .needed = make_space(ctx, 1)};
    t.y = t.x;
    assert_ok(ctx, sparcl_dense_upload(ctx, &t.x, x));
    t.y.values = make_space(ctx, 18);
    t.to = t.a;
    t.to.nnr = 5;
    t.to.indices = make_space(ctx, 5);
    t.to.values = make_space(ctx, 10);
    t.to.count = make_space(ctx, 1);
    t.to.proof.flags = 0;
    return t;
}

/* to := a + beta * b */
static sparcl_status add(sparcl_ctx *ctx, terms *t, double beta, sparcl_buf *needed) {
    const sparcl_term two[] = {{1, .rows = &t->a}, {beta, .rows = &t->b}};
    return sparcl_rows_add_n(ctx, &t->to, two, 2, &(sparcl_moved){.needed = needed});
}

static void drop(terms *t) {
    sparcl_rows_free(&t->a);
    sparcl_rows_free(&t->b);
    sparcl_rows_free(&t->to);
    sparcl_dense_free(&t->x);
    sparcl_dense_free(&t->y);
    sparcl_buf_free(t->needed);
}

static void a_sum_has_each_row_of_its_terms_once(void **state) {
    sparcl_ctx *ctx = *state;
    terms t = make(ctx);
    assert_ok(ctx, add(ctx, &t, -1, t.needed));
    ASSERT_INT64S(ctx, t.to.count, {3});
    ASSERT_INT64S(ctx, t.needed, {3});
    ASSERT_INT32S(ctx, t.to.indices, {2, 6, 8});
    ASSERT_FLOATS(ctx, t.to.values, {3 - 10 - 50, 4 - 20 - 60, 1, 2, -30, -40});
    assert_int_equal(sparcl_rows_flags(&t.to), ALL_FLAGS);
    drop(&t);
}

static void rows_past_the_capacity_are_dropped_the_largest_indices_first(void **state) {
    sparcl_ctx *ctx = *state;
    terms t = make(ctx);
    t.to.nnr = 2;
    assert_ok(ctx, add(ctx, &t, 1, t.needed));
    ASSERT_INT64S(ctx, t.to.count, {2});
    ASSERT_INT64S(ctx, t.needed, {3});
    ASSERT_INT32S(ctx, t.to.indices, {2, 6, 0x55555555});
    ASSERT_FLOATS(ctx, t.to.values, {63, 84, 1, 2});
    t.to.nnr = 3; /* as many as there are, not as many as there might be */
    assert_ok(ctx, add(ctx, &t, 1, NULL));
    ASSERT_INT64S(ctx, t.to.count, {3});
    t.to.nnr = 0;
    assert_ok(ctx, add(ctx, &t, 1, t.needed));
    ASSERT_INT64S(ctx, t.to.count, {0});
    ASSERT_INT64S(ctx, t.needed, {3});
    drop(&t);
}

static void no_term_is_a_sum_of_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    terms t = make(ctx);
    assert_ok(ctx, sparcl_rows_add_n(ctx, &t.to, NULL, 0, &(sparcl_moved){.needed = t.needed}));
    ASSERT_INT64S(ctx, t.to.count, {0});
    ASSERT_INT64S(ctx, t.needed, {0});
    assert_int_equal(sparcl_rows_flags(&t.to), ALL_FLAGS);
    assert_ok(ctx, sparcl_add_n(ctx, &t.y, NULL, 0));
    ASSERT_FLOATS(ctx, t.y.values, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    drop(&t);
}

static void a_sum_with_a_dense_term_is_dense(void **state) {
    sparcl_ctx *ctx = *state;
    terms t = make(ctx);
    const sparcl_term mixed[] = {{1, NULL, &t.b}, {2, &t.x, NULL}, {-1, NULL, &t.a}};
    assert_ok(ctx, sparcl_add_n(ctx, &t.y, mixed, 3));
    ASSERT_FLOATS(ctx, t.y.values,
                  {0, 2, 4, 6, 8 + 60 - 3, 10 + 80 - 4, 12, 14, 16, 18, 20, 22, 24 - 1, 26 - 2, 28,
                   30, 32 + 30, 34 + 40});
    drop(&t);
}

/* Up to four dense terms are one launch; the result may replace the first one. */
static void dense_terms_are_added_at_once_also_in_place(void **state) {
    sparcl_ctx *ctx = *state;
    terms t = make(ctx);
    const sparcl_term four[] = {{1, &t.y, NULL}, {1, &t.x, NULL}, {1, &t.x, NULL}, {1, &t.x, NULL}};
    const sparcl_term six[] = {{1, &t.x, NULL}, {1, &t.x, NULL}, {1, &t.x, NULL},
                               {1, &t.x, NULL}, {1, &t.x, NULL}, {0.5, &t.x, NULL}};
    int64_t before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, sparcl_add_n(ctx, &t.y, six, 6));
    assert_int_equal(sparcl_ctx_launches(ctx) - before, 2);
    ASSERT_FLOATS(ctx, t.y.values, {0, 5.5F, 11, 16.5F});
    before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, sparcl_add_n(ctx, &t.y, four, 4));
    assert_int_equal(sparcl_ctx_launches(ctx) - before, 1);
    ASSERT_FLOATS(ctx, t.y.values, {0, 8.5F, 17, 25.5F});
    drop(&t);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    terms s = make(ctx);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, s.to.indices, s.to.values, s.to.count, s.needed, s.y.values);
#define REFUSED(violation, call, status, part)                                                     \
    assert_violation_refused(terms, s, violation, call, status, part, assert_unchanged(ctx, &kept))
#define ADD add(ctx, &x, 1, x.needed)
#define SUM(first, second)                                                                         \
    sparcl_add_n(ctx, &x.y, ((const sparcl_term[]){{1, first, NULL}, {1, second, NULL}}), 2)
    REFUSED(x.to.count = NULL, ADD, SPARCL_E_SHAPE, "rows_add_n: `to` has no count, expected one");
    REFUSED(x.b.shape[1] = 1, ADD, SPARCL_E_SHAPE, "of term 1");
    REFUSED(x.b.rank = 1, ADD, SPARCL_E_SHAPE, "term 1");
    REFUSED((x.b.dtype = SPARCL_F64, x.b.nnr = 1), ADD, no_f64, "term 1");
    REFUSED(x.a.proof.flags = 0, ADD, SPARCL_E_UNCHECKED, "term 0");
    REFUSED(x.b.values = x.to.values, ADD, SPARCL_E_ALIAS, "the values of term 1");
    REFUSED(x.needed = x.to.count, ADD, SPARCL_E_ALIAS, "the needed count");
    REFUSED((void)0, sparcl_rows_add_n(ctx, &x.to, &(sparcl_term){.factor = 1}, 1, NULL),
            SPARCL_E_ARG, "rows_add_n: term 0 is NULL, expected a row-sparse array");
    REFUSED((void)0, sparcl_rows_add_n(ctx, &x.to, NULL, 1, NULL), SPARCL_E_ARG,
            "rows_add_n: there are 1 terms at NULL");
    REFUSED((void)0, sparcl_rows_add_n(ctx, &x.to, &(sparcl_term){.dense = &x.x}, 1, NULL),
            SPARCL_E_ARG, "term 0 is dense, expected a row-sparse array (sparcl_add_n");
    REFUSED((void)0, sparcl_add_n(ctx, &x.y, &(sparcl_term){.factor = 1}, 1), SPARCL_E_ARG,
            "add_n: term 0 has no array");
    REFUSED((void)0, sparcl_add_n(ctx, &x.y, &(sparcl_term){.dense = &x.x, .rows = &x.a}, 1),
            SPARCL_E_ARG, "add_n: term 0 has two arrays");
    REFUSED((void)0, sparcl_add_n(ctx, &x.y, NULL, -1), SPARCL_E_ARG, "there are -1 terms");
    REFUSED((void)0, SUM(&x.x, &x.y), SPARCL_E_ALIAS, "term 1");
    REFUSED(x.y.values_at = 1, SUM(&s.y, &x.x), SPARCL_E_ALIAS, "term 0");
    REFUSED(x.x.shape[0] = 8, SUM(&s.x, &x.x), SPARCL_E_SHAPE, "term 1");
    REFUSED(x.y.dtype = SPARCL_INT32, SUM(&x.x, &x.x), SPARCL_E_DTYPE, "Y");
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_has_each_row_of_its_terms_once),
        cmocka_unit_test(rows_past_the_capacity_are_dropped_the_largest_indices_first),
        cmocka_unit_test(no_term_is_a_sum_of_nothing),
        cmocka_unit_test(a_sum_with_a_dense_term_is_dense),
        cmocka_unit_test(dense_terms_are_added_at_once_also_in_place),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
