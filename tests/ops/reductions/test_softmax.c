/* test_softmax.c: what the header says of the softmax of the rows of a CSR matrix. */
#include "op_test.h"

/* Rows of 2, 0, 1 and 3 entries, and one entry of capacity that is not used. */
#define ROWS     4
#define CAPACITY 7
static const int64_t offsets[] = {0, 2, 2, 3, 6};
static const float values[] = {0, 0, -5, 200, 200, 200, 9};

typedef struct softmax {
    sparcl_csr a;
    sparcl_dense v, gy, gx;
} softmax;

static softmax make(sparcl_ctx *ctx, const float *x) {
    const int64_t columns[CAPACITY] = {0};
    const float gy[CAPACITY] = {1, 2, 3, 4, 5, 6, 7};
    softmax s = {
        .a = {.rows = ROWS, .cols = 3, .nnz = CAPACITY, .proof = {.flags = SPARCL_TRUSTED}},
        .v = {.rank = 1, .shape = {CAPACITY}}};
    s.gx = s.gy = s.v;
    s.a.offsets = put_ints(ctx, offsets, ROWS + 1, SPARCL_INDEX32);
    s.a.indices = put_ints(ctx, columns, CAPACITY, SPARCL_INDEX32);
    s.a.values = put_spare(ctx, x, CAPACITY);
    s.v.values = put_spare(ctx, gy, CAPACITY);
    s.gy.values = put_spare(ctx, gy, CAPACITY);
    s.gx.values = put_spare(ctx, gy, CAPACITY);
    return s;
}

static void free_softmax(softmax *s) {
    sparcl_csr_free(&s->a);
    sparcl_buf_free(s->v.values);
    sparcl_buf_free(s->gy.values);
    sparcl_buf_free(s->gx.values);
}

static void assert_near(sparcl_ctx *ctx, const sparcl_dense *view, const float *expected) {
    for (int64_t i = 0; i < view->shape[0]; ++i) {
        const float got = float_at(ctx, view->values, i);
        if (fabsf(got - expected[i]) > 1e-6F)
            fail_msg("element %d is %g, expected %g", (int)i, (double)got, (double)expected[i]);
    }
}

static void rows_sum_to_1_and_unused_capacity_becomes_0(void **state) {
    sparcl_ctx *ctx = *state;
    softmax s = make(ctx, values);
    assert_ok(ctx, sparcl_csr_softmax(ctx, SPARCL_SOFTMAX, &s.v, &s.a));
    assert_near(ctx, &s.v, (const float[]){0.5F, 0.5F, 1, 1 / 3.F, 1 / 3.F, 1 / 3.F, 0});
    assert_ok(ctx, sparcl_csr_softmax_gradient(ctx, SPARCL_SOFTMAX, &s.gx, &s.gy, &s.v, &s.a));
    assert_near(ctx, &s.gx, (const float[]){-0.25F, 0.25F, 0, -1 / 3.F, 0, 1 / 3.F, 0});
    free_softmax(&s);
}

static void the_logarithm_is_that_of_the_softmax(void **state) {
    sparcl_ctx *ctx = *state;
    softmax s = make(ctx, values);
    const float half = logf(0.5F), third = logf(1 / 3.F);
    assert_ok(ctx, sparcl_csr_softmax(ctx, SPARCL_LOG_SOFTMAX, &s.v, &s.a));
    assert_near(ctx, &s.v, (const float[]){half, half, 0, third, third, third, 0});
    assert_ok(ctx, sparcl_csr_softmax_gradient(ctx, SPARCL_LOG_SOFTMAX, &s.gx, &s.gy, &s.v, &s.a));
    assert_near(ctx, &s.gx, (const float[]){-0.5F, 0.5F, 0, -1, 0, 1, 0});
    free_softmax(&s);
}

static void results_may_replace_operands(void **state) {
    sparcl_ctx *ctx = *state;
    softmax s = make(ctx, values), t = make(ctx, values);
    sparcl_dense own = s.v;
    own.values = s.a.values;
    assert_ok(ctx, sparcl_csr_softmax(ctx, SPARCL_SOFTMAX, &t.v, &t.a));
    assert_ok(ctx, sparcl_csr_softmax(ctx, SPARCL_SOFTMAX, &own, &s.a));
    for (int64_t k = 0; k < CAPACITY; ++k)
        assert_true(float_at(ctx, own.values, k) == float_at(ctx, t.v.values, k));
    assert_ok(ctx, sparcl_csr_softmax_gradient(ctx, SPARCL_SOFTMAX, &t.gx, &t.gy, &t.v, &t.a));
    assert_ok(ctx, sparcl_csr_softmax_gradient(ctx, SPARCL_SOFTMAX, &t.gy, &t.gy, &t.v, &t.a));
    assert_near(ctx, &t.gy, (const float[]){-0.25F, 0.25F, 0, -1 / 3.F, 0, 1 / 3.F, 0});
    free_softmax(&t);
    free_softmax(&s);
}

static void nan_and_infinity_make_their_row_nan_and_no_other(void **state) {
    sparcl_ctx *ctx = *state;
    for (int log = 0; log < 2; ++log) {
        softmax s = make(ctx, (const float[]){NAN, 0, 1, INFINITY, 2, 3, 0});
        assert_ok(ctx, sparcl_csr_softmax(ctx, (sparcl_softmax)log, &s.v, &s.a));
        assert_true(isnan(float_at(ctx, s.v.values, 0)) && isnan(float_at(ctx, s.v.values, 1)));
        assert_true(float_at(ctx, s.v.values, 2) == (log ? 0 : 1));
        assert_true(isnan(float_at(ctx, s.v.values, 3)));
        free_softmax(&s);
    }
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    softmax s = make(ctx, values);
    int kind = 0;
    snapshot kept = SNAPSHOT(ctx, s.v.values, s.gx.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(softmax, s, violation,                                                \
                             sparcl_csr_softmax(ctx, (sparcl_softmax)kind, &x.v, &x.a), status,    \
                             part, assert_unchanged(ctx, &kept))
    REFUSED(--x.v.shape[0], SPARCL_E_SHAPE, "expected a vector of 7");
    REFUSED(x.v.dtype = SPARCL_F16, SPARCL_E_DTYPE, "V is float16");
    REFUSED(x.a.dtype = SPARCL_BOOL, SPARCL_E_DTYPE, "A has element type 6");
    REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    REFUSED((x.v.values = x.a.values, x.v.values_at = 1), SPARCL_E_ALIAS, "V");
    REFUSED(x.v.values = x.a.indices, SPARCL_E_ALIAS, "V overlaps");
    REFUSED(kind = 2, SPARCL_E_ARG, "kind is 2");
#define GRADIENT_REFUSED(violation, status, part)                                                  \
    assert_violation_refused(                                                                      \
        softmax, s, violation,                                                                     \
        sparcl_csr_softmax_gradient(ctx, (sparcl_softmax)kind, &x.gx, &x.gy, &x.v, &x.a), status,  \
        part, assert_unchanged(ctx, &kept))
    GRADIENT_REFUSED((void)x, SPARCL_E_ARG, "kind is 2");
    kind = 0;
    GRADIENT_REFUSED(x.gx.shape[0] = 1, SPARCL_E_SHAPE, "GX");
    GRADIENT_REFUSED(x.gy.shape[0] = 1, SPARCL_E_SHAPE, "GY");
    GRADIENT_REFUSED(x.v.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "Y");
    GRADIENT_REFUSED(x.gx.values = x.a.values, SPARCL_E_ALIAS, "GX overlaps");
    GRADIENT_REFUSED((x.gx.values = x.gy.values, x.gx.values_at = 1), SPARCL_E_ALIAS, "GX");
    GRADIENT_REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    snapshot_free(&kept);
    free_softmax(&s);
}

static void sizes_of_0_are_legal(void **state) {
    sparcl_ctx *ctx = *state;
    softmax s = make(ctx, values);
    s.a.nnz = s.v.shape[0] = s.gy.shape[0] = s.gx.shape[0] = 0;
    assert_ok(ctx, sparcl_csr_softmax(ctx, SPARCL_SOFTMAX, &s.v, &s.a));
    assert_ok(ctx, sparcl_csr_softmax_gradient(ctx, SPARCL_SOFTMAX, &s.gx, &s.gy, &s.v, &s.a));
    assert_true(float_at(ctx, s.v.values, 0) == 1);
    free_softmax(&s);
}

/* The matrix of make(), with three heads: the values, twice them, and three times them. */
#define HEADS 3

typedef struct heads {
    sparcl_csr a;
    sparcl_dense x, v, gy, gx;
} heads;

static heads make_heads(sparcl_ctx *ctx) {
    softmax s = make(ctx, values);
    float x[CAPACITY * HEADS], gy[CAPACITY * HEADS];
    heads h = {.a = s.a, .x = {.rank = 2, .shape = {CAPACITY, HEADS}}};
    for (int64_t k = 0; k < CAPACITY * HEADS; ++k) {
        x[k] = (float)(k % HEADS + 1) * (values[k / HEADS] > 9 ? 9 : values[k / HEADS]);
        gy[k] = (float)(k / HEADS + 1);
    }
    sparcl_buf_free(s.v.values);
    sparcl_buf_free(s.gy.values);
    sparcl_buf_free(s.gx.values);
    h.v = h.gy = h.gx = h.x;
    h.x.values = put_spare(ctx, x, CAPACITY * HEADS);
    h.v.values = put_spare(ctx, x, CAPACITY * HEADS);
    h.gy.values = put_spare(ctx, gy, CAPACITY * HEADS);
    h.gx.values = put_spare(ctx, gy, CAPACITY * HEADS);
    return h;
}

static void free_heads(heads *h) {
    sparcl_csr_free(&h->a);
    sparcl_buf_free(h->x.values);
    sparcl_buf_free(h->v.values);
    sparcl_buf_free(h->gy.values);
    sparcl_buf_free(h->gx.values);
}

/* Column `head` of an array of heads, as a vector of its own. */
static sparcl_dense column(sparcl_ctx *ctx, const sparcl_dense *x, int64_t head) {
    float own[CAPACITY];
    for (int64_t k = 0; k < CAPACITY; ++k)
        own[k] = float_at(ctx, x->values, k * HEADS + head);
    return (sparcl_dense){.rank = 1, .shape = {CAPACITY}, .values = put_spare(ctx, own, CAPACITY)};
}

static void each_head_is_a_softmax_of_its_own(void **state) {
    sparcl_ctx *ctx = *state;
    for (int kind = 0; kind < 2; ++kind) {
        heads h = make_heads(ctx);
        assert_ok(ctx, sparcl_csr_softmax_heads(ctx, (sparcl_softmax)kind, &h.v, &h.x, &h.a));
        assert_ok(ctx,
                  sparcl_csr_softmax_gradient(ctx, (sparcl_softmax)kind, &h.gx, &h.gy, &h.v, &h.a));
        for (int64_t i = 0; i < HEADS; ++i) {
            sparcl_dense x = column(ctx, &h.x, i), v = column(ctx, &h.v, i);
            sparcl_dense gy = column(ctx, &h.gy, i), gx = column(ctx, &h.gx, i);
            sparcl_dense one_v = column(ctx, &h.gy, i), one_gx = column(ctx, &h.gy, i);
            sparcl_csr a = h.a;
            float expected[2][CAPACITY];
            a.values = x.values;
            assert_ok(ctx, sparcl_csr_softmax(ctx, (sparcl_softmax)kind, &one_v, &a));
            assert_ok(ctx, sparcl_csr_softmax_gradient(ctx, (sparcl_softmax)kind, &one_gx, &gy,
                                                       &one_v, &a));
            for (int64_t k = 0; k < CAPACITY; ++k) {
                expected[0][k] = float_at(ctx, one_v.values, k);
                expected[1][k] = float_at(ctx, one_gx.values, k);
            }
            assert_near(ctx, &v, expected[0]);
            assert_near(ctx, &gx, expected[1]);
            sparcl_dense *const all[] = {&x, &v, &gy, &gx, &one_v, &one_gx};
            for (size_t j = 0; j < sizeof all / sizeof all[0]; ++j)
                sparcl_buf_free(all[j]->values);
        }
        free_heads(&h);
    }
}

static void one_head_has_the_bits_of_the_vector_and_heads_may_be_replaced(void **state) {
    sparcl_ctx *ctx = *state;
    heads h = make_heads(ctx);
    softmax s = make(ctx, values);
    sparcl_dense x = s.v, v = s.gx;
    x.rank = v.rank = 2;
    x.shape[1] = v.shape[1] = 1;
    x.values = s.a.values;
    assert_ok(ctx, sparcl_csr_softmax(ctx, SPARCL_SOFTMAX, &s.v, &s.a));
    assert_ok(ctx, sparcl_csr_softmax_heads(ctx, SPARCL_SOFTMAX, &v, &x, &s.a));
    for (int64_t k = 0; k < CAPACITY; ++k)
        assert_true(float_at(ctx, v.values, k) == float_at(ctx, s.v.values, k));
    assert_ok(ctx, sparcl_csr_softmax_heads(ctx, SPARCL_SOFTMAX, &h.v, &h.x, &h.a));
    assert_ok(ctx, sparcl_csr_softmax_heads(ctx, SPARCL_SOFTMAX, &h.x, &h.x, &h.a));
    for (int64_t k = 0; k < CAPACITY * HEADS; ++k)
        assert_true(float_at(ctx, h.x.values, k) == float_at(ctx, h.v.values, k));
    free_softmax(&s);
    free_heads(&h);
}

static void heads_that_do_not_fit_are_refused_and_none_are_legal(void **state) {
    sparcl_ctx *ctx = *state;
    heads h = make_heads(ctx);
    int kind = 0;
    snapshot kept = SNAPSHOT(ctx, h.v.values, h.gx.values);
#define HEADS_REFUSED(violation, status, part)                                                     \
    assert_violation_refused(                                                                      \
        heads, h, violation,                                                                       \
        sparcl_csr_softmax_heads(ctx, (sparcl_softmax)kind, &x.v, &x.x, &x.a), status, part,       \
        assert_unchanged(ctx, &kept))
    HEADS_REFUSED(--x.v.shape[1], SPARCL_E_SHAPE, "V has rank 2");
    HEADS_REFUSED(--x.x.shape[0], SPARCL_E_SHAPE, "X has rank 2, 6 rows");
    HEADS_REFUSED(x.x.rank = 1, SPARCL_E_SHAPE, "X has rank 1");
    HEADS_REFUSED(x.v.dtype = SPARCL_F16, SPARCL_E_DTYPE, "V is f16 and A f32");
    HEADS_REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    HEADS_REFUSED(x.v.values = x.a.offsets, SPARCL_E_SHAPE, "V");
    HEADS_REFUSED((x.v.values = x.x.values, x.v.values_at = 1), SPARCL_E_ALIAS, "V overlaps");
    HEADS_REFUSED(kind = 2, SPARCL_E_ARG, "kind is 2");
    h.v.shape[1] = h.x.shape[1] = kind = 0;
    assert_ok(ctx, sparcl_csr_softmax_heads(ctx, SPARCL_SOFTMAX, &h.v, &h.x, &h.a));
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    free_heads(&h);
}

/* A row of many entries among short ones; its length known, and not. */
static sparcl_buf *softmax_of_long_rows(sparcl_ctx *ctx, const void *known) {
    const int64_t nnz = test_is_small() ? 3000 : 100000;
    spec_matrix m;
    sparcl_csr a;
    sparcl_dense v = {.rank = 1, .shape = {nnz}};
    assert_true(spec_matrix_make(&m, SPEC_RAGGED, 50, 7, nnz, 3));
    assert_ok(ctx, spec_put_csr(ctx, &a, &m, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    if (!*(const bool *)known) a.proof.longest_row = 0;
    assert_ok(ctx, sparcl_buf_create(ctx, &v.values, nnz * 4));
    assert_ok(ctx, sparcl_csr_softmax(ctx, SPARCL_SOFTMAX, &v, &a));
    sparcl_csr_free(&a);
    spec_matrix_free(&m);
    return v.values;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    const bool yes = true, no = false;
    assert_same_bits(&all, softmax_of_long_rows, &yes);
    assert_same_bits(&all, softmax_of_long_rows, &no);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_sum_to_1_and_unused_capacity_becomes_0),
        cmocka_unit_test(the_logarithm_is_that_of_the_softmax),
        cmocka_unit_test(results_may_replace_operands),
        cmocka_unit_test(nan_and_infinity_make_their_row_nan_and_no_other),
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(sizes_of_0_are_legal),
        cmocka_unit_test(each_head_is_a_softmax_of_its_own),
        cmocka_unit_test(one_head_has_the_bits_of_the_vector_and_heads_may_be_replaced),
        cmocka_unit_test(heads_that_do_not_fit_are_refused_and_none_are_legal),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
