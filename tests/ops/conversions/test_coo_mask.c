/* test_coo_mask.c: what ops/structure.h says of the elements of a dense array at the entries of
 * another.
 */
#include "moved_test.h"

/* [2, 3, 2] with the entries (1, 0, 1) and (0, 2, 0), and room for one more. */
typedef struct masked {
    sparcl_coo a;
    sparcl_dense x, values;
} masked;

static masked make(sparcl_ctx *ctx) {
    static const int32_t indices[3][3] = {{1, 0, 77}, {0, 2, 77}, {1, 0, 77}};
    static const float x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const int64_t count = 2;
    masked s = {.a = {.rank = 3,
                      .dtype = SPARCL_BOOL, /* not read */
                      .shape = {2, 3, 2},
                      .nnz = 3,
                      .proof.flags = SPARCL_TRUSTED}};
    for (int d = 0; d < 3; ++d)
        s.a.indices[d] = put_int32s(ctx, indices[d], 3);
    s.a.values = make_space(ctx, 1);
    s.a.count = put(ctx, &count, sizeof count);
    s.x = (sparcl_dense){.rank = 3, .shape = {2, 3, 2}, .values = put(ctx, x, sizeof x)};
    s.values = (sparcl_dense){.rank = 1, .shape = {3}, .values = make_space(ctx, 2)};
    return s;
}

static void drop(masked *s) {
    sparcl_coo_free(&s->a);
    sparcl_dense_free(&s->x);
    sparcl_dense_free(&s->values);
}

static void elements_are_taken_up_to_the_count(void **state) {
    sparcl_ctx *ctx = *state;
    masked s = make(ctx);
    assert_ok(ctx, sparcl_coo_mask(ctx, &s.values, &s.x, &s.a));
    ASSERT_FLOATS(ctx, s.values.values, {7, 4, 0});
    drop(&s);
}

/* As sparcl_sparse_mask. */
static void a_matrix_has_the_elements_of_sparse_mask(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_csr a = MATRIX(ctx, 2, 3, ARRAY(0, 1, 3), ARRAY(2, 0, 1), ARRAY(1, 1, 1));
    static const int32_t rows[] = {0, 1, 1};
    static const float x[] = {1, 2, 3, 4, 5, 6};
    sparcl_coo c = {.rank = 2, .shape = {2, 3}, .nnz = 3, .proof.flags = SPARCL_TRUSTED};
    c.indices[0] = put_int32s(ctx, rows, 3);
    c.indices[1] = a.indices;
    c.values = a.values;
    sparcl_dense dense = {.rank = 2, .shape = {2, 3}, .values = put(ctx, x, sizeof x)};
    sparcl_dense values = {.rank = 1, .shape = {3}, .values = make_space(ctx, 2)};
    assert_ok(ctx, sparcl_sparse_mask(ctx, &values, &dense, &a));
    ASSERT_FLOATS(ctx, values.values, {3, 4, 5});
    assert_ok(ctx, sparcl_buf_fill(ctx, values.values, 0, 12, 0x55));
    assert_ok(ctx, sparcl_coo_mask(ctx, &values, &dense, &c));
    ASSERT_FLOATS(ctx, values.values, {3, 4, 5});
    sparcl_buf_free(c.indices[0]);
    sparcl_csr_free(&a);
    sparcl_dense_free(&dense);
    sparcl_dense_free(&values);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    masked s = make(ctx);
    snapshot kept = SNAPSHOT(ctx, s.values.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(masked, s, violation, sparcl_coo_mask(ctx, &x.values, &x.x, &x.a),    \
                             status, part, assert_unchanged(ctx, &kept))
    REFUSED(x.x.shape[1] = 2, SPARCL_E_SHAPE, "dimension 1 of X is 2");
    REFUSED(x.values.shape[0] = 2, SPARCL_E_SHAPE, "dimension 0 of the values is 2");
    REFUSED(x.values.dtype = SPARCL_F16, SPARCL_E_DTYPE, "the values");
    REFUSED(x.x.ld = 7; x.x.shape[0] = x.a.shape[0] = 1, SPARCL_E_SHAPE, "have gaps");
    REFUSED(x.values.values = x.x.values, SPARCL_E_ALIAS, "overlaps");
    REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "is not checked");
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_taken_up_to_the_count),
        cmocka_unit_test(a_matrix_has_the_elements_of_sparse_mask),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
