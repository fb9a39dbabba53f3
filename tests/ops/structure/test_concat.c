/* test_concat.c: what the header says of sparcl_rows_concat. */
#include "op_test.h"
#include "spec/shared/rowset.h"

/* Row-sparse arrays [9, 3] with 20 and 7 rows, and a result with more capacity. */
typedef struct arrays {
    spec_rowset hosts[2];
    sparcl_rows a, b, to;
} arrays;

enum { LIMIT = 9, WIDTH = 3, FIRST = 20, SECOND = 7 };

static arrays make(sparcl_ctx *ctx) {
    static const spec_case plain = {.dtype = SPARCL_F32, .index_type = SPARCL_INDEX32, .seed = 3};
    arrays x;
    sparcl_rows *const views[] = {&x.a, &x.b};
    float *const spare = make_floats((FIRST + SECOND + 3) * WIDTH, 6);
    for (int i = 0; i < 2; ++i) {
        assert_true(spec_rowset_make(&x.hosts[i], SPEC_UNIFORM, LIMIT, i ? SECOND : FIRST, WIDTH,
                                     7 + 2 * (uint64_t)i));
        assert_ok(ctx, spec_put_rows(ctx, views[i], &x.hosts[i], &plain));
        views[i]->rank = 2;
        views[i]->shape[1] = WIDTH;
    }
    x.to = x.a;
    x.to.nnr = FIRST + SECOND + 3;
    x.to.proof = (sparcl_proof){0};
    x.to.indices = put_spare(ctx, spare, x.to.nnr);
    x.to.values = put_spare(ctx, spare, x.to.nnr * WIDTH);
    x.to.count = put_ints(ctx, &(int64_t){-1}, 1, SPARCL_INDEX64);
    free(spare);
    return x;
}

static void drop(arrays *x) {
    for (int i = 0; i < 2; ++i)
        spec_rowset_free(&x->hosts[i]);
    sparcl_rows_free(&x->a);
    sparcl_rows_free(&x->b);
    sparcl_rows_free(&x->to);
}

static void the_rows_of_both_follow_each_other(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx);
    int32_t *ids = NULL, *expected_ids = NULL;
    float *values = NULL, *expected = NULL;
    x.to.nnr = FIRST + SECOND; /* just enough */
    assert_ok(ctx, sparcl_rows_concat(ctx, &x.to, &x.a, &x.b));
    assert_int_equal(sparcl_rows_flags(&x.to), SPARCL_VALID);
    assert_int_equal(int_at(ctx, x.to.count, 0), FIRST + SECOND);
    ids = bytes_of(ctx, x.to.indices);
    values = bytes_of(ctx, x.to.values);
    for (int i = 0; i < 2; ++i) {
        const sparcl_rows *const from = i ? &x.b : &x.a;
        const int64_t rows = i ? SECOND : FIRST, at = i ? FIRST : 0;
        expected_ids = bytes_of(ctx, from->indices);
        expected = bytes_of(ctx, from->values);
        assert_memory_equal(ids + at, expected_ids, (size_t)rows * sizeof *ids);
        assert_memory_equal(values + at * WIDTH, expected, (size_t)(rows * WIDTH) * sizeof *values);
        free(expected_ids);
        free(expected);
    }
    free(ids);
    free(values);
    drop(&x);
}

/* The first array's count on the device decides where the second one begins. */
static void a_count_on_the_device_is_respected(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx);
    x.a.count = put_ints(ctx, &(int64_t){2}, 1, SPARCL_INDEX64);
    assert_ok(ctx, sparcl_rows_concat(ctx, &x.to, &x.a, &x.b));
    int32_t *ids = bytes_of(ctx, x.to.indices), *second = bytes_of(ctx, x.b.indices);
    assert_int_equal(int_at(ctx, x.to.count, 0), 2 + SECOND);
    assert_memory_equal(ids + 2, second, SECOND * sizeof *ids);
    free(ids);
    free(second);
    drop(&x);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    arrays s = make(ctx);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, s.to.indices, s.to.values, s.to.count);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, s, violation, sparcl_rows_concat(ctx, &x.to, &x.a, &x.b),     \
                             status, part, assert_unchanged(ctx, &kept))
    REFUSED(x.to.nnr = FIRST + SECOND - 1, SPARCL_E_SHAPE,
            "to has space for 26 rows, expected at least the 20 of a and 7 of b");
    REFUSED(x.to.count = NULL, SPARCL_E_SHAPE, "to has no count");
    REFUSED(++x.b.shape[0], SPARCL_E_SHAPE, "dimension 0 of to is 9, of b 10");
    REFUSED(x.a.rank = 1, SPARCL_E_SHAPE, "to has rank 2, a has 1");
    REFUSED((x.b.dtype = SPARCL_F64, x.b.nnr = 3), no_f64, "");
    REFUSED(x.a.values = x.to.values, SPARCL_E_ALIAS, "");
    REFUSED(x.b.proof.flags = 0, SPARCL_E_UNCHECKED, "b");
#undef REFUSED
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rows_of_both_follow_each_other),
        cmocka_unit_test(a_count_on_the_device_is_respected),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
