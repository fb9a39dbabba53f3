/* test_spgemm.c: what the header says of products of two CSR matrices. */
#include "op_test.h"

enum { M = 20, K = 15, N = 30 };

/* A [M, K] and B [K, N], their product with its capacity, and gradients. */
typedef struct product {
    spec_matrix a_host, b_host;
    sparcl_csr a, b, c;
    sparcl_dense g, ga, gb;
    sparcl_spgemm *plan;
    sparcl_buf *needed;
} product;

static sparcl_dense vector(sparcl_ctx *ctx, int64_t count) {
    float *const x = make_floats(count, 3);
    const sparcl_dense v = {.rank = 1, .shape = {count}, .values = put_spare(ctx, x, count)};
    free(x);
    return v;
}

static product make_product(sparcl_ctx *ctx) {
    product s = {.c = {.rows = M, .cols = N}};
    int64_t entries = 0;
    assert_true(spec_matrix_make(&s.a_host, SPEC_DUPLICATE, M, K, 60, 3));
    assert_true(spec_matrix_make(&s.b_host, SPEC_UNIFORM, K, N, 70, 4));
    spec_matrix_unique(&s.b_host);
    assert_ok(ctx, spec_put_csr(ctx, &s.a, &s.a_host, SPARCL_F32, SPARCL_I32, SPARCL_I32));
    assert_ok(ctx, spec_put_csr(ctx, &s.b, &s.b_host, SPARCL_F32, SPARCL_I32, SPARCL_I32));
    assert_ok(ctx, sparcl_spgemm_create(ctx, &s.plan));
    assert_ok(ctx, sparcl_spgemm_symbolic(ctx, s.plan, &s.a, &s.b));
    assert_ok(ctx, sparcl_spgemm_entries(ctx, s.plan, &entries));
    s.c.nnz = entries;
    assert_ok(ctx, sparcl_csr_create(ctx, &s.c));
    assert_ok(ctx, sparcl_buf_create(ctx, &s.needed, 8));
    s.g = vector(ctx, entries);
    s.ga = vector(ctx, s.a.nnz);
    s.gb = vector(ctx, s.b.nnz);
    return s;
}

static void free_product(product *s) {
    spec_matrix_free(&s->a_host);
    spec_matrix_free(&s->b_host);
    sparcl_csr_free(&s->a);
    sparcl_csr_free(&s->b);
    sparcl_csr_free(&s->c);
    sparcl_dense_free(&s->g);
    sparcl_dense_free(&s->ga);
    sparcl_dense_free(&s->gb);
    sparcl_buf_free(s->needed);
    sparcl_spgemm_free(s->plan);
}

#define SYMBOLIC(s) sparcl_spgemm_symbolic(ctx, (s).plan, &(s).a, &(s).b)
#define NUMERIC(s)  sparcl_spgemm_numeric(ctx, (s).plan, &(s).c, &(s).a, &(s).b, (s).needed, 0)
#define GRADIENT(s)                                                                                \
    sparcl_spgemm_gradient(ctx, &(s).ga, &(s).gb, &(s).g, &(s).c, &(s).a, &(s).b, NULL)

/* All elements of the product, with rule P. */
static void assert_product(sparcl_ctx *ctx, const product *s) {
    float dense[M][N] = {{0}}, *const values = bytes_of(ctx, s->c.values);
    int stored[M][N] = {{0}};
    int32_t *const offsets = bytes_of(ctx, s->c.offsets), *const columns =
                                                              bytes_of(ctx, s->c.indices);
    float *const a = bytes_of(ctx, s->a.values), *const b = bytes_of(ctx, s->b.values);
    int64_t count = 0;
    for (int64_t i = 0; i < M; ++i)
        for (int64_t k = s->a_host.offsets[i]; k < s->a_host.offsets[i + 1]; ++k)
            for (int64_t l = s->b_host.offsets[s->a_host.indices[k]];
                 l < s->b_host.offsets[s->a_host.indices[k] + 1]; ++l) {
                const int64_t j = s->b_host.indices[l];
                const float term = a[k] * b[l];
                dense[i][j] += term;
                count += !stored[i][j];
                stored[i][j] = 1;
            }
    assert_int_equal(offsets[M], count);
    for (int i = 0; i < M; ++i)
        for (int32_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            assert_true(k == offsets[i] || columns[k] > columns[k - 1]);
            assert_true(stored[i][columns[k]] && values[k] == dense[i][columns[k]]);
        }
    free(values);
    free(offsets);
    free(columns);
    free(a);
    free(b);
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    snapshot kept =
        SNAPSHOT(ctx, s.c.offsets, s.c.indices, s.c.values, s.needed, s.ga.values, s.gb.values);
#define REFUSED(call, violation, status, part)                                                     \
    assert_violation_refused(product, s, violation, call(x), status, part,                         \
                             assert_unchanged(ctx, &kept))
    REFUSED(SYMBOLIC, --x.b.rows, SPARCL_E_SHAPE, "A has 15 columns, B has 14 rows");
    REFUSED(SYMBOLIC, x.b.dtype = SPARCL_F16, SPARCL_E_DTYPE, "A is f32 and B f16");
    REFUSED(SYMBOLIC, x.b.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED, SPARCL_E_UNCHECKED, "B");
    REFUSED(SYMBOLIC, x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    REFUSED(SYMBOLIC, x.plan = NULL, SPARCL_E_ARG, "plan is NULL");
    REFUSED(NUMERIC, x.plan = NULL, SPARCL_E_ARG, "plan is NULL");
    REFUSED(NUMERIC, ++x.c.cols, SPARCL_E_SHAPE, "C is 20 x 31, expected the 20 rows of A");
    REFUSED(NUMERIC, x.c.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "C is bf16 and A f32");
    REFUSED(NUMERIC, (x.c.nnz = 10, x.c.values = x.a.values), SPARCL_E_ALIAS, "overlap");
    REFUSED(NUMERIC, x.needed = x.c.offsets, SPARCL_E_ALIAS, "overlap");
    REFUSED(NUMERIC, x.b = x.a, SPARCL_E_SHAPE, "B has 20 rows");
    assert_ok(ctx, NUMERIC(s));
    snapshot_free(&kept);
    kept.count = 0;
    REFUSED(GRADIENT, --x.g.shape[0], SPARCL_E_SHAPE,
            "G has 198 elements, expected one for each of");
    REFUSED(GRADIENT, x.ga.ld = 2, SPARCL_E_SHAPE,
            "ga has rank 1 and ld 2, expected a packed vector");
    REFUSED(GRADIENT, x.gb.dtype = SPARCL_F16, SPARCL_E_DTYPE, "gb is f16 and A f32");
    REFUSED(GRADIENT, x.ga.values = x.gb.values, SPARCL_E_ALIAS, "gb overlaps ga");
    REFUSED(GRADIENT, x.c.proof.flags = 0, SPARCL_E_UNCHECKED, "C");
    free_product(&s);
}

static void a_plan_must_be_that_of_the_matrices(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    sparcl_spgemm *empty = NULL, *const plan = s.plan;
    int64_t entries = 0;
    assert_ok(ctx, sparcl_spgemm_create(ctx, &empty));
    s.plan = empty;
    assert_refused(ctx, NUMERIC(s), SPARCL_E_ARG, "sparcl_spgemm_symbolic to be called");
    assert_refused(ctx, sparcl_spgemm_entries(ctx, empty, &entries), SPARCL_E_ARG, "no pattern");
    s.plan = plan;
    assert_refused(ctx, sparcl_spgemm_entries(ctx, plan, NULL), SPARCL_E_ARG, "entries is NULL");
    const int32_t first = (int32_t)s.b_host.indices[0];
    assert_ok(ctx, sparcl_buf_write(ctx, s.b.indices, 0, 4, &first));
    assert_refused(ctx, NUMERIC(s), SPARCL_E_ARG, "current index buffers");
    assert_ok(ctx, SYMBOLIC(s));
    assert_ok(ctx, NUMERIC(s));
    assert_product(ctx, &s);
    sparcl_spgemm_free(empty);
    sparcl_spgemm_free(NULL);
    free_product(&s);
}

static void a_plan_is_used_for_other_values(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    for (uint64_t seed = 1; seed < 4; ++seed) {
        float *const x = make_floats(s.a.nnz, seed);
        assert_ok(ctx, sparcl_buf_write(ctx, s.a.values, 0, s.a.nnz * 4, x));
        assert_ok(ctx, NUMERIC(s));
        assert_product(ctx, &s);
        free(x);
    }
    assert_int_equal(int_at(ctx, s.needed, 0), s.c.nnz);
    assert_true(sparcl_csr_flags(&s.c) & SPARCL_UNIQUE);
    free_product(&s);
}

static void a_plan_is_used_for_larger_and_smaller_matrices(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    sparcl_csr a = s.a, none = s.a;
    int64_t entries = 7, before = s.c.nnz;
    a.rows = 5;
    none.rows = 0;
    assert_ok(ctx, sparcl_spgemm_symbolic(ctx, s.plan, &a, &s.b));
    assert_ok(ctx, sparcl_spgemm_entries(ctx, s.plan, &entries));
    assert_true(entries < before);
    assert_ok(ctx, sparcl_spgemm_symbolic(ctx, s.plan, &none, &s.b));
    assert_ok(ctx, sparcl_spgemm_entries(ctx, s.plan, &entries));
    assert_int_equal(entries, 0);
    assert_ok(ctx, SYMBOLIC(s));
    assert_ok(ctx, NUMERIC(s));
    assert_product(ctx, &s);
    free_product(&s);
}

static void one_gradient_is_computed_without_the_other(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    sparcl_pattern *pattern = NULL;
    assert_ok(ctx, NUMERIC(s));
    assert_ok(ctx, GRADIENT(s));
    snapshot kept = SNAPSHOT(ctx, s.ga.values, s.gb.values);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.ga.values, 0, s.a.nnz * 4, 0xff));
    assert_ok(ctx, sparcl_spgemm_gradient(ctx, &s.ga, NULL, &s.g, &s.c, &s.a, &s.b, NULL));
    assert_unchanged(ctx, &kept);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.gb.values, 0, s.b.nnz * 4, 0xff));
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_refused(ctx, sparcl_spgemm_gradient(ctx, NULL, &s.gb, &s.g, &s.c, &s.a, &s.b, pattern),
                   SPARCL_E_ARG, "pattern");
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &s.a));
    assert_ok(ctx, sparcl_spgemm_gradient(ctx, NULL, &s.gb, &s.g, &s.c, &s.a, &s.b, pattern));
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    sparcl_pattern_free(pattern);
    free_product(&s);
}

static sparcl_buf *values_of_product(sparcl_ctx *ctx, const void *nothing) {
    (void)nothing;
    product s = make_product(ctx);
    assert_ok(ctx, NUMERIC(s));
    assert_product(ctx, &s);
    sparcl_buf *const result = s.c.values;
    s.c.values = NULL;
    free_product(&s);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    assert_same_bits(&all, values_of_product, NULL);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(a_plan_must_be_that_of_the_matrices),
        cmocka_unit_test(a_plan_is_used_for_other_values),
        cmocka_unit_test(a_plan_is_used_for_larger_and_smaller_matrices),
        cmocka_unit_test(one_gradient_is_computed_without_the_other),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
