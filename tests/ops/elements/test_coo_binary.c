/* test_coo_binary.c: what ops/structure.h says of sums and products of COO arrays, and their
 * gradients.
 */
#include "moved_test.h"

/* [2, 2, 3]: A has (0, 0, 1): 1, (0, 1, 2): 2, (1, 1, 0): 4; B (0, 1, 2): 8, (1, 0, 0): 16. */
typedef struct pair {
    sparcl_coo a, b, c;
    sparcl_csr_sources sources;
    sparcl_dense g, ga, gb;
} pair;

static sparcl_coo put_cube(sparcl_ctx *ctx, int64_t nnz, const int32_t indices[3][3],
                           const float *values) {
    sparcl_coo a = {.rank = 3,
                    .shape = {2, 2, 3},
                    .nnz = nnz,
                    .values = put(ctx, values, nnz * 4),
                    .proof.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE};
    for (int d = 0; d < 3; ++d)
        a.indices[d] = put_int32s(ctx, indices[d], nnz);
    return a;
}

static sparcl_dense vector_of(sparcl_buf *values, int64_t count) {
    return (sparcl_dense){.rank = 1, .shape = {count}, .values = values};
}

static pair make(sparcl_ctx *ctx) {
    static const int32_t a[3][3] = {{0, 0, 1}, {0, 1, 1}, {1, 2, 0}};
    static const int32_t b[3][3] = {{0, 1}, {1, 0}, {2, 0}};
    static const float a_values[] = {1, 2, 4}, b_values[] = {8, 16}, g[] = {1, 2, 3, 5, 7};
    pair s = {.a = put_cube(ctx, 3, a, a_values), .b = put_cube(ctx, 2, b, b_values)};
    s.c = (sparcl_coo){.rank = 3, .shape = {2, 2, 3}, .nnz = 5, .values = make_space(ctx, 5)};
    for (int d = 0; d < 3; ++d)
        s.c.indices[d] = make_space(ctx, 5);
    s.c.count = make_space(ctx, 1);
    s.sources = (sparcl_csr_sources){.a = make_space(ctx, 5), .b = make_space(ctx, 5)};
    s.sources.needed = make_space(ctx, 1);
    s.g = vector_of(put(ctx, g, sizeof g), 5);
    s.ga = vector_of(make_space(ctx, 3), 3);
    s.gb = vector_of(make_space(ctx, 3), 2);
    return s;
}

static void drop(pair *s) {
    sparcl_coo_free(&s->a);
    sparcl_coo_free(&s->b);
    sparcl_coo_free(&s->c);
    sparcl_buf_free(s->sources.a);
    sparcl_buf_free(s->sources.b);
    sparcl_buf_free(s->sources.needed);
    sparcl_dense_free(&s->g);
    sparcl_dense_free(&s->ga);
    sparcl_dense_free(&s->gb);
}

static void a_sum_has_the_entries_of_both(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make(ctx);
    assert_ok(ctx, sparcl_coo_add(ctx, &s.c, 1, &s.a, -2, &s.b, &s.sources));
    ASSERT_INT64S(ctx, s.c.count, {4});
    ASSERT_INT64S(ctx, s.sources.needed, {4});
    ASSERT_INT32S(ctx, s.c.indices[0], {0, 0, 1, 1});
    ASSERT_INT32S(ctx, s.c.indices[1], {0, 1, 0, 1});
    ASSERT_INT32S(ctx, s.c.indices[2], {1, 2, 0, 0});
    ASSERT_FLOATS(ctx, s.c.values, {1, -14, -32, 4});
    ASSERT_INT64S(ctx, s.sources.a, {0, 1, -1, 2});
    ASSERT_INT64S(ctx, s.sources.b, {-1, 0, 1, -1});
    assert_int_equal(sparcl_coo_flags(&s.c), ALL_FLAGS);
    assert_ok(ctx, sparcl_coo_add_gradient(ctx, &s.ga, &s.gb, 1, -2, &s.g, &s.c, &s.sources));
    ASSERT_FLOATS(ctx, s.ga.values, {1, 2, 5});
    ASSERT_FLOATS(ctx, s.gb.values, {-4, -6});
    drop(&s);
}

static void a_product_has_the_entries_that_both_have(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make(ctx);
    assert_ok(ctx, sparcl_coo_multiply(ctx, &s.c, &s.a, &s.b, &s.sources));
    ASSERT_INT64S(ctx, s.c.count, {1});
    ASSERT_INT64S(ctx, s.sources.needed, {1});
    ASSERT_INT32S(ctx, s.c.indices[2], {2});
    ASSERT_FLOATS(ctx, s.c.values, {16});
    assert_ok(ctx,
              sparcl_coo_multiply_gradient(ctx, &s.ga, &s.gb, &s.g, &s.c, &s.a, &s.b, &s.sources));
    ASSERT_FLOATS(ctx, s.ga.values, {0, 8, 0});
    ASSERT_FLOATS(ctx, s.gb.values, {2, 0});
    drop(&s);
}

static void entries_past_the_capacity_are_dropped(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make(ctx);
    s.c.nnz = 2;
    assert_ok(ctx, sparcl_coo_add(ctx, &s.c, 1, &s.a, 1, &s.b,
                                  &(sparcl_csr_sources){.needed = s.sources.needed}));
    ASSERT_INT64S(ctx, s.c.count, {2});
    ASSERT_INT64S(ctx, s.sources.needed, {4});
    ASSERT_INT32S(ctx, s.c.indices[2], {1, 2, 0x55555555});
    ASSERT_FLOATS(ctx, s.c.values, {1, 10});
    drop(&s);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make(ctx);
    snapshot kept =
        SNAPSHOT(ctx, s.c.indices[0], s.c.values, s.c.count, s.sources.needed, s.sources.a);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(pair, s, violation,                                                   \
                             sparcl_coo_add(ctx, &x.c, 1, &x.a, 1, &x.b, &x.sources), status,      \
                             part, assert_unchanged(ctx, &kept))
    REFUSED(x.b.shape[1] = 3, SPARCL_E_SHAPE, "coo_add: dimension 1 of B is 3");
    REFUSED(x.c.shape[2] = 4, SPARCL_E_SHAPE, "dimension 2 of C is 4");
    REFUSED(x.b.rank = 2, SPARCL_E_SHAPE, "B");
    REFUSED(x.c.count = NULL, SPARCL_E_SHAPE, "C has no count");
    REFUSED(x.b.dtype = SPARCL_F16, SPARCL_E_DTYPE, "B");
    REFUSED(x.sources.a = NULL, SPARCL_E_ARG, "positions in B only, expected both or none");
    REFUSED(x.c.values = x.b.values; x.c.nnz = 2, SPARCL_E_ALIAS, "overlap");
    REFUSED(x.a.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED, SPARCL_E_UNCHECKED, "A");
    REFUSED(x.b.proof.flags = SPARCL_TRUSTED, SPARCL_E_UNCHECKED, "B");
    for (int d = 0; d < 3; ++d)
        s.a.shape[d] = s.b.shape[d] = s.c.shape[d] = INT32_MAX;
    REFUSED((void)0, SPARCL_E_UNSUPPORTED, "more than 2^63 - 1 elements");
    assert_refused(ctx, sparcl_coo_add_gradient(ctx, &s.ga, &s.gb, 1, 1, &s.g, &s.c, NULL),
                   SPARCL_E_UNCHECKED, "C");
    s.c.proof.flags = SPARCL_TRUSTED;
    assert_refused(ctx, sparcl_coo_add_gradient(ctx, &s.ga, &s.gb, 1, 1, &s.g, &s.c, NULL),
                   SPARCL_E_ARG, "coo_add_gradient: sources is NULL");
    s.g.shape[0] = 4;
    assert_refused(ctx, sparcl_coo_add_gradient(ctx, &s.ga, &s.gb, 1, 1, &s.g, &s.c, &s.sources),
                   SPARCL_E_SHAPE, "G");
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_has_the_entries_of_both),
        cmocka_unit_test(a_product_has_the_entries_that_both_have),
        cmocka_unit_test(entries_past_the_capacity_are_dropped),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
