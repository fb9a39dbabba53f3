/* test_spmm_reduce.c: what the header says of sparcl_spmm_reduce and its gradients. */
#include "op_test.h"

enum { M = 30, K = 12, ENTRIES = 140 };

static const sparcl_reduction ops[] = {SPARCL_REDUCE_SUM, SPARCL_REDUCE_MEAN, SPARCL_REDUCE_MAX,
                                       SPARCL_REDUCE_MIN};

/* A [M, K] with two empty rows, B [K, n], C and G [M, n], and what is computed of them. */
typedef struct reduced {
    spec_matrix matrix;
    sparcl_csr a;
    sparcl_dense b, c, g, chosen, gb, gv;
    float *b_host;
} reduced;

static sparcl_dense numbers(sparcl_ctx *ctx, int64_t rows, int64_t n, uint64_t seed) {
    float *const x = make_floats(rows * n, seed);
    const sparcl_dense view = {
        .rank = 2, .shape = {rows, n}, .values = put_spare(ctx, x, rows * n)};
    free(x);
    return view;
}

static reduced make_reduced(sparcl_ctx *ctx, int64_t n) {
    reduced s = {
        .b = numbers(ctx, K, n, 5), .c = numbers(ctx, M, n, 6), .g = numbers(ctx, M, n, 7)};
    assert_true(spec_matrix_make(&s.matrix, SPEC_RAGGED, M, K, ENTRIES, 3));
    assert_ok(ctx, spec_put_csr(ctx, &s.a, &s.matrix, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    s.b_host = make_floats(K * n, 5);
    s.chosen = numbers(ctx, M, n, 8);
    s.chosen.dtype = SPARCL_INT64;
    s.gb = numbers(ctx, K, n, 9);
    s.gv = numbers(ctx, ENTRIES, 1, 10);
    s.gv.rank = 1;
    return s;
}

static void free_reduced(reduced *s) {
    sparcl_dense *const all[] = {&s->b, &s->c, &s->g, &s->chosen, &s->gb, &s->gv};
    spec_matrix_free(&s->matrix);
    sparcl_csr_free(&s->a);
    free(s->b_host);
    for (size_t i = 0; i < COUNT(all); ++i)
        sparcl_dense_free(all[i]);
}

#define MAX(s) sparcl_spmm_reduce(ctx, SPARCL_REDUCE_MAX, &(s).c, &(s).a, &(s).b, &(s).chosen)
#define GRADIENT(s)                                                                                \
    sparcl_spmm_reduce_gradient(ctx, SPARCL_REDUCE_MAX, &(s).gb, &(s).gv, &(s).g, &(s).a, &(s).b,  \
                                &(s).chosen, NULL)

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    reduced s = make_reduced(ctx, 5);
    snapshot kept = SNAPSHOT(ctx, s.c.values, s.chosen.values, s.gb.values, s.gv.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(reduced, s, violation, MAX(x), status, part,                          \
                             assert_unchanged(ctx, &kept))
    REFUSED(x.b.rank = 1, SPARCL_E_SHAPE, "B has rank 1 and C rank 2");
    REFUSED(++x.b.shape[0], SPARCL_E_SHAPE, "");
    REFUSED(--x.b.shape[0], SPARCL_E_SHAPE, "A has 12 columns, B has 11 rows");
    REFUSED(--x.c.shape[0], SPARCL_E_SHAPE, "A has 30 rows, C has 29 rows");
    REFUSED(--x.b.shape[1], SPARCL_E_SHAPE, "B has 4 columns, C has 5");
    REFUSED(x.c.dtype = SPARCL_F16, SPARCL_E_DTYPE, "C is f16 and B f32");
    REFUSED(x.a.dtype = SPARCL_INT32, SPARCL_E_DTYPE, "A has element type 4 (int32)");
    REFUSED(x.chosen.dtype = SPARCL_F32, SPARCL_E_DTYPE, "chosen is float32, expected int64");
    REFUSED(--x.chosen.shape[1], SPARCL_E_SHAPE, "chosen");
    REFUSED(x.b.values = x.c.values, SPARCL_E_ALIAS, "C overlaps B");
    REFUSED(x.c.values = x.chosen.values, SPARCL_E_ALIAS, "overlaps");
    REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
#undef REFUSED
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(reduced, s, violation, GRADIENT(x), status, part,                     \
                             assert_unchanged(ctx, &kept))
    REFUSED(--x.g.shape[0], SPARCL_E_SHAPE, "A has 30 rows, G has 29 rows");
    REFUSED(--x.gb.shape[0], SPARCL_E_SHAPE, "dimension 0 of gb is 11, of B 12");
    REFUSED(--x.gv.shape[0], SPARCL_E_SHAPE, "gv has rank 1, 139 elements");
    REFUSED(x.gb.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "gb is bf16 and B f32");
    REFUSED(x.g.values = x.gv.values, SPARCL_E_ALIAS, "gv overlaps G");
    REFUSED(x.gv.values = x.a.values, SPARCL_E_ALIAS, "gv overlaps");
    REFUSED(x.gb.values = x.gv.values, SPARCL_E_ALIAS, "overlaps");
    REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
#undef REFUSED
    assert_refused(ctx, sparcl_spmm_reduce(ctx, SPARCL_REDUCE_PROD, &s.c, &s.a, &s.b, NULL),
                   SPARCL_E_ARG, "the reduction is 5");
    assert_refused(ctx, sparcl_spmm_reduce(ctx, SPARCL_REDUCE_MEAN, &s.c, &s.a, &s.b, &s.chosen),
                   SPARCL_E_ARG, "expected NULL");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    assert_ok(ctx, MAX(s));
    assert_ok(ctx, GRADIENT(s));
    free_reduced(&s);
}

static void a_sum_is_that_of_spmm(void **state) {
    sparcl_ctx *ctx = *state;
    reduced s = make_reduced(ctx, 7);
    assert_ok(ctx, sparcl_spmm(ctx, &s.g, 1, &s.a, &s.b, 0));
    assert_ok(ctx, sparcl_spmm_reduce(ctx, SPARCL_REDUCE_SUM, &s.c, &s.a, &s.b, NULL));
    for (int64_t i = 0; i < M * 7; ++i)
        assert_true(float_at(ctx, s.c.values, i) == float_at(ctx, s.g.values, i));
    free_reduced(&s);
}

static void rows_without_entries_are_0_and_choose_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    reduced s = make_reduced(ctx, 3);
    for (size_t i = 0; i < COUNT(ops); ++i) {
        const sparcl_reduction op = ops[i];
        const sparcl_dense *const chosen = op >= SPARCL_REDUCE_MAX ? &s.chosen : NULL;
        assert_ok(ctx, sparcl_spmm_reduce(ctx, op, &s.c, &s.a, &s.b, chosen));
        for (int64_t e = 0; e < M * 3; ++e) {
            const float c = float_at(ctx, s.c.values, e);
            if (s.matrix.offsets[e / 3] < s.matrix.offsets[e / 3 + 1]) continue;
            assert_true(c == 0 && !signbit(c));
            if (chosen) assert_true(int_at(ctx, s.chosen.values, e) == -1);
        }
    }
    free_reduced(&s);
}

/* One row with the terms 1, NaN, 3, NaN, and one with equal ones. */
static void the_first_nan_and_the_first_of_equal_terms_are_chosen(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t offsets[] = {0, 4, 7}, columns[] = {0, 1, 2, 3, 2, 0, 2};
    const float values[] = {1, NAN, 3, NAN, -1, -3, -1}, ones[] = {1, 1, 1, 1};
    sparcl_csr a = {.rows = 2,
                    .cols = 4,
                    .nnz = 7,
                    .offset_type = SPARCL_INDEX64,
                    .index_type = SPARCL_INDEX64};
    sparcl_dense b = {.rank = 1, .shape = {4}}, c = {.rank = 1, .shape = {2}};
    sparcl_dense chosen = {.rank = 1, .shape = {2}, .dtype = SPARCL_INT64};
    assert_ok(ctx, sparcl_csr_upload(ctx, &a, offsets, columns, values, 0));
    assert_ok(ctx, sparcl_dense_upload(ctx, &b, ones));
    assert_ok(ctx, sparcl_dense_create(ctx, &c));
    assert_ok(ctx, sparcl_buf_create(ctx, &chosen.values, 16));
    for (int i = 0; i < 2; ++i) {
        const sparcl_reduction op = i ? SPARCL_REDUCE_MIN : SPARCL_REDUCE_MAX;
        assert_ok(ctx, sparcl_spmm_reduce(ctx, op, &c, &a, &b, &chosen));
        assert_true(isnan(float_at(ctx, c.values, 0)));
        assert_int_equal(int_at(ctx, chosen.values, 0), 1);
        assert_true(float_at(ctx, c.values, 1) == (op == SPARCL_REDUCE_MAX ? -1 : -3));
        assert_int_equal(int_at(ctx, chosen.values, 1), op == SPARCL_REDUCE_MAX ? 4 : 5);
    }
    sparcl_csr_free(&a);
    sparcl_dense_free(&b);
    sparcl_dense_free(&c);
    sparcl_dense_free(&chosen);
}

/* Of F16 the sum 120000 would be infinite. */
static void a_mean_is_rounded_once(void **state) {
    sparcl_ctx *ctx = *state;
    const double numbers[] = {30000, 30000, 30000, 30000}, ones[] = {1, 1, 1, 1};
    const int64_t offsets[] = {0, 4}, columns[] = {0, 1, 2, 3};
    sparcl_csr a = {.rows = 1, .cols = 4, .nnz = 4, .dtype = SPARCL_F16};
    sparcl_dense b = {.rank = 1, .shape = {4}, .dtype = SPARCL_F16};
    sparcl_dense c = {.rank = 1, .shape = {1}, .dtype = SPARCL_F16};
    double mean = 0, sum = 0;
    a.offsets = put_ints(ctx, offsets, 2, SPARCL_INDEX32);
    a.indices = put_ints(ctx, columns, 4, SPARCL_INDEX32);
    a.proof.flags = SPARCL_TRUSTED;
    assert_ok(ctx, spec_put_reals(ctx, &a.values, numbers, 4, SPARCL_F16));
    assert_ok(ctx, spec_put_reals(ctx, &b.values, ones, 4, SPARCL_F16));
    assert_ok(ctx, sparcl_dense_create(ctx, &c));
    assert_ok(ctx, sparcl_spmm_reduce(ctx, SPARCL_REDUCE_MEAN, &c, &a, &b, NULL));
    assert_ok(ctx, spec_get_reals(ctx, c.values, 0, 1, SPARCL_F16, &mean));
    assert_ok(ctx, sparcl_spmm_reduce(ctx, SPARCL_REDUCE_SUM, &c, &a, &b, NULL));
    assert_ok(ctx, spec_get_reals(ctx, c.values, 0, 1, SPARCL_F16, &sum));
    assert_true(mean == 30000 && isinf(sum));
    sparcl_csr_free(&a);
    sparcl_dense_free(&b);
    sparcl_dense_free(&c);
}

static void positions_and_gradients_may_be_left_out(void **state) {
    sparcl_ctx *ctx = *state;
    reduced s = make_reduced(ctx, 6);
    assert_ok(ctx, MAX(s));
    snapshot kept = SNAPSHOT(ctx, s.c.values);
    assert_ok(ctx, sparcl_spmm_reduce(ctx, SPARCL_REDUCE_MAX, &s.c, &s.a, &s.b, NULL));
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    assert_ok(ctx, GRADIENT(s));
    kept = SNAPSHOT(ctx, s.gb.values, s.gv.values);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.gb.values, 0, K * 6 * 4, 0xff));
    assert_ok(ctx, sparcl_spmm_reduce_gradient(ctx, SPARCL_REDUCE_MAX, &s.gb, NULL, &s.g, &s.a,
                                               &s.b, &s.chosen, NULL));
    assert_ok(ctx, sparcl_buf_fill(ctx, s.gv.values, 0, ENTRIES * 4, 0xff));
    assert_ok(ctx, sparcl_spmm_reduce_gradient(ctx, SPARCL_REDUCE_MAX, NULL, &s.gv, &s.g, &s.a,
                                               &s.b, &s.chosen, NULL));
    assert_unchanged(ctx, &kept);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.gb.values, 0, K * 6 * 4, 0xff));
    assert_ok(ctx, sparcl_spmm_reduce_gradient(ctx, SPARCL_REDUCE_MAX, &s.gb, &s.gv, &s.g, &s.a,
                                               &s.b, NULL, NULL));
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    free_reduced(&s);
}

static void a_pattern_changes_no_bit_and_must_be_that_of_the_matrix(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_pattern *pattern = NULL;
    reduced s = make_reduced(ctx, 4);
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    for (size_t i = 0; i < COUNT(ops); ++i) {
        const sparcl_reduction op = ops[i];
        const sparcl_dense *const chosen = op >= SPARCL_REDUCE_MAX ? &s.chosen : NULL;
        assert_ok(ctx, sparcl_spmm_reduce(ctx, op, &s.c, &s.a, &s.b, chosen));
        assert_ok(
            ctx, sparcl_spmm_reduce_gradient(ctx, op, &s.gb, NULL, &s.g, &s.a, &s.b, chosen, NULL));
        snapshot kept = SNAPSHOT(ctx, s.gb.values);
        assert_refused(
            ctx,
            sparcl_spmm_reduce_gradient(ctx, op, &s.gb, NULL, &s.g, &s.a, &s.b, chosen, pattern),
            SPARCL_E_ARG, "pattern");
        assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &s.a));
        assert_ok(ctx, sparcl_spmm_reduce_gradient(ctx, op, &s.gb, NULL, &s.g, &s.a, &s.b, chosen,
                                                   pattern));
        assert_unchanged(ctx, &kept);
        snapshot_free(&kept);
        sparcl_pattern_free(pattern);
        assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    }
    sparcl_pattern_free(pattern);
    free_reduced(&s);
}

static sparcl_buf *maximum(sparcl_ctx *ctx, const void *n) {
    reduced s = make_reduced(ctx, *(const int64_t *)n);
    assert_ok(ctx, MAX(s));
    assert_ok(ctx, GRADIENT(s));
    sparcl_buf *const result = s.gb.values;
    s.gb.values = NULL;
    free_reduced(&s);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (int64_t n = 1; n < 100; n = n * 3 + 2)
        assert_same_bits(&all, maximum, &n);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(a_sum_is_that_of_spmm),
        cmocka_unit_test(rows_without_entries_are_0_and_choose_nothing),
        cmocka_unit_test(the_first_nan_and_the_first_of_equal_terms_are_chosen),
        cmocka_unit_test(a_mean_is_rounded_once),
        cmocka_unit_test(positions_and_gradients_may_be_left_out),
        cmocka_unit_test(a_pattern_changes_no_bit_and_must_be_that_of_the_matrix),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
