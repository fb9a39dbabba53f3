/* test_sddmm.c: what the header says of sparcl_sddmm. */
#include "op_test.h"

/* A [m, n] with entries in order, and with capacity for five more, x [m, d] and y [n, d] with a gap
 * between their rows, and v. */
typedef struct sampled {
    spec_matrix matrix;
    sparcl_csr a;
    sparcl_dense x, y, v;
    float *x_host, *y_host, *v_host;
} sampled;

enum { M = 30, N = 20, ENTRIES = 150, CAPACITY = ENTRIES + 5 };

static sampled make_sampled(sparcl_ctx *ctx, int64_t d) {
    sampled s = {.x = {.rank = 2, .shape = {M, d}, .ld = d + 2},
                 .y = {.rank = 2, .shape = {N, d}, .ld = d + 2},
                 .v = {.rank = 1, .shape = {CAPACITY}}};
    assert_true(spec_matrix_make(&s.matrix, SPEC_DUPLICATE, M, N, ENTRIES, 3));
    s.matrix.indices = must_have(realloc(s.matrix.indices, CAPACITY * sizeof(int64_t)));
    s.matrix.values = must_have(realloc(s.matrix.values, CAPACITY * sizeof(double)));
    for (int k = ENTRIES; k < CAPACITY; ++k) {
        s.matrix.indices[k] = 0;
        s.matrix.values[k] = 0;
    }
    s.matrix.nnz = CAPACITY;
    assert_ok(ctx, spec_put_csr(ctx, &s.a, &s.matrix, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    s.x_host = make_floats(M * (d + 2), 5);
    s.y_host = make_floats(N * (d + 2), 6);
    s.v_host = make_floats(CAPACITY, 7);
    s.x.values = put_spare(ctx, s.x_host, M * (d + 2));
    s.y.values = put_spare(ctx, s.y_host, N * (d + 2));
    s.v.values = put_spare(ctx, s.v_host, CAPACITY);
    return s;
}

static void free_sampled(sampled *s) {
    spec_matrix_free(&s->matrix);
    sparcl_csr_free(&s->a);
    sparcl_dense_free(&s->x);
    sparcl_dense_free(&s->y);
    sparcl_dense_free(&s->v);
    free(s->x_host);
    free(s->y_host);
    free(s->v_host);
}

/* v has the bits of rule S with one column, and 0 past the entries. */
static void assert_sampled(sparcl_ctx *ctx, const sampled *s, double alpha, double beta) {
    const int64_t d = s->x.rank == 1 ? 1 : s->x.shape[1], ld = s->x.ld;
    double *const x = widen(s->x_host, M * ld), *const y = widen(s->y_host, N * ld);
    for (int64_t row = 0; row < M; ++row)
        for (int64_t k = s->matrix.offsets[row]; k < s->matrix.offsets[row + 1]; ++k) {
            const double dot = spec_sum_products(SPARCL_F32, x + row * ld,
                                                 y + s->matrix.indices[k] * ld, 1, d, true);
            const float scaled = (float)(alpha * dot), old = (float)(beta * s->v_host[k]);
            const float expected = beta == 0 ? scaled : scaled + old;
            const float got = float_at(ctx, s->v.values, k);
            if (memcmp(&got, &expected, 4) != 0)
                fail_msg("v[%lld] is %.9g, expected %.9g", (long long)k, (double)got,
                         (double)expected);
        }
    for (int64_t k = ENTRIES; k < CAPACITY; ++k)
        assert_true(float_at(ctx, s->v.values, k) == 0);
    free(x);
    free(y);
}

static void what_does_not_fit_is_refused_and_v_stays(void **state) {
    sparcl_ctx *ctx = *state;
    sampled s = make_sampled(ctx, 6);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, s.v.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(sampled, s, violation,                                                \
                             sparcl_sddmm(ctx, &x.v, 1, &x.a, &x.x, &x.y, 0), status, part,        \
                             assert_unchanged(ctx, &kept))
    REFUSED((x.x.rank = 3, x.x.shape[2] = 1), SPARCL_E_SHAPE, "x has rank 3");
    REFUSED((x.y.rank = 1), SPARCL_E_SHAPE, "y rank 1");
    REFUSED(--x.x.shape[0], SPARCL_E_SHAPE, "A is 30 x 20, x has 29 rows and y 20");
    REFUSED(--x.y.shape[0], SPARCL_E_SHAPE, "x has 30 rows and y 19");
    REFUSED(--x.y.shape[1], SPARCL_E_SHAPE, "x has 6 columns, y has 5");
    REFUSED(--x.v.shape[0], SPARCL_E_SHAPE, "expected a packed vector of the 155 entries");
    REFUSED(x.v.ld = 2, SPARCL_E_SHAPE, "ld 2");
    REFUSED((x.v.rank = 2, x.v.shape[1] = 1), SPARCL_E_SHAPE, "v has rank 2");
    REFUSED(x.x.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.v.dtype = SPARCL_F16, SPARCL_E_DTYPE, "v is f16 and x f32, expected one type");
    REFUSED(x.y.dtype = SPARCL_INT32, SPARCL_E_DTYPE, "y has element type 4 (int32)");
    REFUSED(x.x.values = x.v.values, SPARCL_E_ALIAS, "v overlaps x");
    REFUSED(x.v.values = x.a.indices, SPARCL_E_ALIAS, "v overlaps the indices of A");
    REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    REFUSED(x.a.values_at = 1, SPARCL_E_SHAPE, "A needs");
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_sddmm(ctx, NULL, 1, &s.a, &s.x, &s.y, 0), SPARCL_E_ARG, "v is NULL");
    assert_refused(ctx, sparcl_sddmm(ctx, &s.v, 1, NULL, &s.x, &s.y, 0), SPARCL_E_ARG, "A is NULL");
    assert_refused(ctx, sparcl_sddmm(ctx, &s.v, 1, &s.a, NULL, &s.y, 0), SPARCL_E_ARG, "x is NULL");
    assert_refused(ctx, sparcl_sddmm(ctx, &s.v, 1, &s.a, &s.x, NULL, 0), SPARCL_E_ARG, "y is NULL");
    assert_ok(ctx, sparcl_sddmm(ctx, &s.v, 2, &s.a, &s.x, &s.y, 0.5));
    assert_sampled(ctx, &s, 2, 0.5);
    free_sampled(&s);
}

static void v_is_not_read_where_beta_is_0(void **state) {
    sparcl_ctx *ctx = *state;
    sampled s = make_sampled(ctx, 19);
    for (int k = 0; k < CAPACITY; ++k)
        s.v_host[k] = NAN;
    assert_ok(ctx, sparcl_buf_write(ctx, s.v.values, 0, CAPACITY * 4, s.v_host));
    assert_ok(ctx, sparcl_sddmm(ctx, &s.v, -2, &s.a, &s.x, &s.y, 0));
    assert_sampled(ctx, &s, -2, 0);
    free_sampled(&s);
}

static void vectors_give_a_product_for_each_entry(void **state) {
    sparcl_ctx *ctx = *state;
    sampled s = make_sampled(ctx, 1);
    s.x.rank = s.y.rank = 1;
    assert_ok(ctx, sparcl_sddmm(ctx, &s.v, 1, &s.a, &s.x, &s.y, 0));
    assert_sampled(ctx, &s, 1, 0);
    free_sampled(&s);
}

static void v_may_be_the_values_of_the_matrix(void **state) {
    sparcl_ctx *ctx = *state;
    sampled s = make_sampled(ctx, 8);
    const sparcl_dense values = {.rank = 1, .shape = {CAPACITY}, .values = s.a.values};
    float got[CAPACITY], expected[CAPACITY];
    assert_ok(ctx, sparcl_sddmm(ctx, &s.v, 1, &s.a, &s.x, &s.y, 0));
    assert_ok(ctx, sparcl_sddmm(ctx, &values, 1, &s.a, &s.x, &s.y, 0));
    assert_ok(ctx, sparcl_buf_read(ctx, s.v.values, 0, sizeof expected, expected));
    assert_ok(ctx, sparcl_buf_read(ctx, s.a.values, 0, sizeof got, got));
    assert_memory_equal(got, expected, sizeof got);
    free_sampled(&s);
}

static void the_values_of_the_matrix_may_have_another_type(void **state) {
    sparcl_ctx *ctx = *state;
    sampled s = make_sampled(ctx, 8);
    s.a.dtype = SPARCL_BF16;
    assert_ok(ctx, sparcl_sddmm(ctx, &s.v, 1, &s.a, &s.x, &s.y, 0));
    assert_sampled(ctx, &s, 1, 0);
    free_sampled(&s);
}

static void nan_and_infinity_reach_the_entries_of_their_row_only(void **state) {
    sparcl_ctx *ctx = *state;
    sampled s = make_sampled(ctx, 11);
    s.x_host[4 * 13 + 2] = NAN;
    assert_ok(ctx, sparcl_buf_write(ctx, s.x.values, 0, M * 13 * 4, s.x_host));
    assert_ok(ctx, sparcl_sddmm(ctx, &s.v, 1, &s.a, &s.x, &s.y, 0));
    for (int64_t row = 0; row < M; ++row)
        for (int64_t k = s.matrix.offsets[row]; k < s.matrix.offsets[row + 1]; ++k)
            assert_true(isnan(float_at(ctx, s.v.values, k)) == (row == 4));
    free_sampled(&s);
}

static sparcl_buf *sampled_of(sparcl_ctx *ctx, const void *depth) {
    sampled s = make_sampled(ctx, *(const int64_t *)depth);
    sparcl_buf *const result = s.v.values;
    assert_ok(ctx, sparcl_sddmm(ctx, &s.v, 0.5, &s.a, &s.x, &s.y, 1));
    assert_sampled(ctx, &s, 0.5, 1);
    s.v.values = NULL;
    free_sampled(&s);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (int64_t d = 1; d < 600; d = d * 3 + 2)
        assert_same_bits(&all, sampled_of, &d);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_v_stays),
        cmocka_unit_test(v_is_not_read_where_beta_is_0),
        cmocka_unit_test(vectors_give_a_product_for_each_entry),
        cmocka_unit_test(v_may_be_the_values_of_the_matrix),
        cmocka_unit_test(the_values_of_the_matrix_may_have_another_type),
        cmocka_unit_test(nan_and_infinity_reach_the_entries_of_their_row_only),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
