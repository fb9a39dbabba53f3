/* test_interactions.c: what the header says of interactions of all pairs. */
#include "op_test.h"
#include "sparcl/ops/layers.h"
#include "sparcl/ops/products.h"

enum { M = 3, N = 4, ENTRIES = 6, K = 3 };

static const float a_values[ENTRIES] = {1, 2, -1, 3, 0.5F, 2};
static const int64_t offsets[] = {0, 3, 3, 6}, columns[ENTRIES] = {0, 1, 3, 1, 2, 3};

typedef struct subject {
    sparcl_csr a;
    sparcl_dense b, sums, z, gz;
    sparcl_rows r;
    float b_host[N * K], g_host[M];
} subject;

static subject make_subject(sparcl_ctx *ctx) {
    subject s = {.a = {.rows = M, .cols = N, .nnz = ENTRIES},
                 .b = {.rank = 2, .shape = {N, K}},
                 .sums = {.rank = 2, .shape = {M, K}},
                 .z = {.rank = 1, .shape = {M}},
                 .gz = {.rank = 1, .shape = {M}},
                 .r = {.rank = 2, .shape = {N, K}, .nnr = N},
                 .g_host = {2, 5, -1}};
    for (int i = 0; i < N * K; ++i)
        s.b_host[i] = (float)(i * 5 % 7 - 3) / 2;
    s.a.offsets = put_ints(ctx, offsets, M + 1, SPARCL_INDEX32);
    s.a.indices = put_ints(ctx, columns, ENTRIES, SPARCL_INDEX32);
    s.a.values = put(ctx, a_values, sizeof a_values);
    assert_ok(ctx, sparcl_csr_validate(ctx, &s.a, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE));
    s.b.values = put(ctx, s.b_host, sizeof s.b_host);
    s.gz.values = put(ctx, s.g_host, sizeof s.g_host);
    assert_ok(ctx, sparcl_dense_create(ctx, &s.sums));
    assert_ok(ctx, sparcl_dense_create(ctx, &s.z));
    assert_ok(ctx, sparcl_rows_create(ctx, &s.r));
    assert_ok(ctx, sparcl_spmm(ctx, &s.sums, 1, &s.a, &s.b, 0));
    return s;
}

static void free_subject(subject *s) {
    sparcl_csr_free(&s->a);
    sparcl_dense_free(&s->b);
    sparcl_dense_free(&s->sums);
    sparcl_dense_free(&s->z);
    sparcl_dense_free(&s->gz);
    sparcl_rows_free(&s->r);
}

/* The sum over pairs, which is exact for these numbers. */
static float pairs(const float *b, int row) {
    float sum = 0;
    for (int64_t p = offsets[row]; p < offsets[row + 1]; ++p)
        for (int64_t q = p + 1; q < offsets[row + 1]; ++q)
            for (int j = 0; j < K; ++j)
                sum += a_values[p] * a_values[q] * b[columns[p] * K + j] * b[columns[q] * K + j];
    return sum;
}

static void each_row_has_the_sum_of_its_pairs(void **state) {
    sparcl_ctx *ctx = *state;
    subject s = make_subject(ctx);
    assert_ok(ctx, sparcl_interactions(ctx, &s.z, &s.a, &s.b, &s.sums));
    for (int i = 0; i < M; ++i)
        assert_true(float_at(ctx, s.z.values, i) == pairs(s.b_host, i));
    assert_true(float_at(ctx, s.z.values, 0) != 0 && float_at(ctx, s.z.values, 1) == 0);
    free_subject(&s);
}

/* The sum of gz z is linear in each element of B, as a row has a column once. */
static void assert_gradient(sparcl_ctx *ctx, const subject *s) {
    assert_int_equal(int_at(ctx, s->r.count, 0), N);
    for (int i = 0; i < N * K; ++i) {
        float moved[N * K], change = 0;
        memcpy(moved, s->b_host, sizeof moved);
        moved[i] += 1;
        for (int row = 0; row < M; ++row)
            change += s->g_host[row] * (pairs(moved, row) - pairs(s->b_host, row));
        assert_true(float_at(ctx, s->r.values, i) == change);
    }
}

static void the_gradient_is_the_change_by_each_element(void **state) {
    sparcl_ctx *ctx = *state;
    subject s = make_subject(ctx);
    sparcl_pattern *pattern = NULL;
    assert_ok(ctx, sparcl_interactions_rows(ctx, &s.r, &s.a, &s.b, &s.sums, &s.gz, NULL));
    assert_gradient(ctx, &s);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.r.values, 0, N * K * 4, 0));
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &s.a));
    assert_ok(ctx, sparcl_interactions_rows(ctx, &s.r, &s.a, &s.b, &s.sums, &s.gz, pattern));
    assert_gradient(ctx, &s);
    sparcl_pattern_free(pattern);
    free_subject(&s);
}

static void what_does_not_fit_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    subject s = make_subject(ctx);
    snapshot kept = SNAPSHOT(ctx, s.z.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(subject, s, violation,                                                \
                             sparcl_interactions(ctx, &x.z, &x.a, &x.b, &x.sums), status, part,    \
                             assert_unchanged(ctx, &kept))
    REFUSED(--x.b.shape[0], SPARCL_E_SHAPE, "B of rank 2 with 3 x 3");
    REFUSED(x.sums.shape[1] = 2, SPARCL_E_SHAPE, "sums of rank 2 with 3 x 2");
    REFUSED(x.b.rank = 1, SPARCL_E_SHAPE, "B of rank 1");
    REFUSED(--x.z.shape[0], SPARCL_E_SHAPE, "z");
    REFUSED(x.z.values = x.sums.values, SPARCL_E_ALIAS, "z overlaps sums");
    REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    REFUSED(x.b.dtype = SPARCL_F16, SPARCL_E_DTYPE, "B");
    snapshot_free(&kept);
#undef REFUSED
    kept = SNAPSHOT(ctx, s.r.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(                                                                      \
        subject, s, violation,                                                                     \
        sparcl_interactions_rows(ctx, &x.r, &x.a, &x.b, &x.sums, &x.gz, NULL), status, part,       \
        assert_unchanged(ctx, &kept))
    REFUSED(--x.r.shape[1], SPARCL_E_SHAPE, "R has rank 2 and rows of 2 numbers for 4");
    REFUSED(x.r.nnr = 3, SPARCL_E_SHAPE, "capacity for 3 rows");
    REFUSED(--x.gz.shape[0], SPARCL_E_SHAPE, "gz");
    REFUSED(x.r.values = x.b.values, SPARCL_E_ALIAS, "R overlaps B");
    snapshot_free(&kept);
    free_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_has_the_sum_of_its_pairs),
        cmocka_unit_test(the_gradient_is_the_change_by_each_element),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
