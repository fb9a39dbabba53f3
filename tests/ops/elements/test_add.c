/* test_add.c: what the header says of sparcl_add. */
#include "op_test.h"

enum { M = 40, N = 21 };

/* X, Y and Z [M, N] with gaps of one, two and three elements between their rows. */
typedef struct sums {
    sparcl_dense x, y, z;
    float *x_host, *y_host;
} sums;

static sums make_sums(sparcl_ctx *ctx) {
    sums s = {.x = {.rank = 2, .shape = {M, N}, .ld = N + 1}};
    s.y = s.z = s.x;
    s.y.ld = N + 2;
    s.z.ld = N + 3;
    s.x_host = make_floats(M * s.x.ld, 3);
    s.y_host = make_floats(M * s.z.ld, 4);
    for (int64_t k = 0; k < M * s.z.ld; ++k) /* so that sums are rounded */
        s.y_host[k] *= 0.3f;
    s.x.values = put_spare(ctx, s.x_host, M * s.x.ld);
    s.y.values = put_spare(ctx, s.y_host, M * s.y.ld);
    s.z.values = put_spare(ctx, s.y_host, M * s.z.ld);
    return s;
}

static void free_sums(sums *s) {
    sparcl_dense_free(&s->x);
    sparcl_dense_free(&s->y);
    sparcl_dense_free(&s->z);
    free(s->x_host);
    free(s->y_host);
}

static void assert_sums(sparcl_ctx *ctx, const sums *s, const sparcl_dense *z) {
    float *got = bytes_of(ctx, z->values);
    for (int64_t i = 0; i < M; ++i)
        for (int64_t j = 0; j < N; ++j) {
            const float expected = s->x_host[i * s->x.ld + j] + s->y_host[i * s->y.ld + j];
            if (memcmp(&got[i * z->ld + j], &expected, 4) != 0)
                fail_msg("z[%lld, %lld] is %.9g, expected %.9g", (long long)i, (long long)j,
                         (double)got[i * z->ld + j], (double)expected);
        }
    free(got);
}

static void what_does_not_fit_is_refused_and_z_stays(void **state) {
    sparcl_ctx *ctx = *state;
    sums s = make_sums(ctx);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, s.x.values, s.y.values, s.z.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(sums, s, violation, sparcl_add(ctx, &x.z, &x.x, &x.y), status, part,  \
                             assert_unchanged(ctx, &kept))
    REFUSED(--x.y.shape[0], SPARCL_E_SHAPE, "add: dimension 0 of Y is 39, of X 40");
    REFUSED(--x.z.shape[1], SPARCL_E_SHAPE, "dimension 1 of Z is 20, of X 21");
    REFUSED(x.y.rank = 1, SPARCL_E_SHAPE, "Y");
    REFUSED(x.x.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.y.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.z.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.x.values_at = 10000, SPARCL_E_SHAPE, "X needs");
    REFUSED(x.z.reserved[1] = 1, SPARCL_E_ARG, "the reserved fields of Z");
    REFUSED(x.z.values = x.x.values, SPARCL_E_ALIAS, "Z overlaps X"); /* with another ld */
    REFUSED((x.z = x.y, x.z.shape[0] = x.x.shape[0] = x.y.shape[0] = M - 1, x.z.values_at = 1),
            SPARCL_E_ALIAS, "Z overlaps Y");
#undef REFUSED
    assert_refused(ctx, sparcl_add(ctx, NULL, &s.x, &s.y), SPARCL_E_ARG, "Z is NULL");
    assert_refused(ctx, sparcl_add(ctx, &s.z, NULL, &s.y), SPARCL_E_ARG, "X is NULL");
    assert_refused(ctx, sparcl_add(ctx, &s.z, &s.x, NULL), SPARCL_E_ARG, "Y is NULL");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    assert_ok(ctx, sparcl_add(ctx, &s.z, &s.x, &s.y));
    assert_sums(ctx, &s, &s.z);
    free_sums(&s);
}

static void z_may_be_an_operand_itself(void **state) {
    sparcl_ctx *ctx = *state;
    sums s = make_sums(ctx);
    assert_ok(ctx, sparcl_add(ctx, &s.y, &s.x, &s.y));
    assert_sums(ctx, &s, &s.y);
    free_sums(&s);
    s = make_sums(ctx);
    assert_ok(ctx, sparcl_add(ctx, &s.x, &s.x, &s.y));
    assert_sums(ctx, &s, &s.x);
    free_sums(&s);
}

static void gaps_between_the_rows_stay(void **state) {
    sparcl_ctx *ctx = *state;
    sums s = make_sums(ctx);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.z.values, 0, sparcl_buf_bytes(s.z.values), 0x7e));
    assert_ok(ctx, sparcl_add(ctx, &s.z, &s.x, &s.y));
    uint32_t *after = bytes_of(ctx, s.z.values);
    for (int64_t i = 0; i < M; ++i)
        for (int64_t j = N; j < s.z.ld; ++j)
            assert_int_equal(after[i * s.z.ld + j], 0x7e7e7e7e);
    free(after);
    assert_sums(ctx, &s, &s.z);
    free_sums(&s);
}

static void no_rows_are_legal(void **state) {
    const sparcl_dense none = {.rank = 3, .shape = {0, 3, 4}};
    assert_ok(*state, sparcl_add(*state, &none, &none, &none));
}

static sparcl_buf *sums_of(sparcl_ctx *ctx, const void *unused) {
    sums s = make_sums(ctx);
    (void)unused;
    assert_ok(ctx, sparcl_add(ctx, &s.z, &s.x, &s.y));
    sparcl_buf *const result = s.z.values;
    s.z.values = NULL;
    free_sums(&s);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    assert_same_bits(&all, sums_of, NULL);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_z_stays),
        cmocka_unit_test(z_may_be_an_operand_itself),
        cmocka_unit_test(gaps_between_the_rows_stay),
        cmocka_unit_test(no_rows_are_legal),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
