/* test_norm.c: what the header says of layer and batch normalisation. */
#include "op_test.h"

#include "sparcl/ops/layers.h"

enum { M = 2, N = 4 };

typedef struct world {
    sparcl_dense x, y, gy, gx, gamma, beta, ggamma, gbeta, mean, rstd, running_mean,
        running_variance;
} world;

static sparcl_dense array(sparcl_ctx *ctx, int rank, int64_t rows, float start, float step) {
    float host[M * N];
    for (int i = 0; i < M * N; ++i)
        host[i] = start + step * (float)i;
    return (sparcl_dense){
        .rank = rank, .shape = {rows, rank == 2 ? N : 0}, .values = put_spare(ctx, host, M * N)};
}

/* Statistics of `own` rows or columns. */
static world make_world(sparcl_ctx *ctx, int64_t own) {
    return (world){.x = array(ctx, 2, M, 1, 1),
                   .y = array(ctx, 2, M, 0, 0),
                   .gy = array(ctx, 2, M, -1, 0.5f),
                   .gx = array(ctx, 2, M, 0, 0),
                   .gamma = array(ctx, 1, N, 2, 0),
                   .beta = array(ctx, 1, N, 3, 0),
                   .ggamma = array(ctx, 1, N, 0, 0),
                   .gbeta = array(ctx, 1, N, 0, 0),
                   .mean = array(ctx, 1, own, 0, 0),
                   .rstd = array(ctx, 1, own, 0, 0),
                   .running_mean = array(ctx, 1, own, 10, 0),
                   .running_variance = array(ctx, 1, own, 1, 0)};
}

static void free_world(world *w) {
    sparcl_dense *const all[] = {&w->x,     &w->y,    &w->gy,           &w->gx,
                                 &w->gamma, &w->beta, &w->ggamma,       &w->gbeta,
                                 &w->mean,  &w->rstd, &w->running_mean, &w->running_variance};
    for (size_t i = 0; i < COUNT(all); ++i)
        sparcl_buf_free(all[i]->values);
}

static void assert_near(sparcl_ctx *ctx, const sparcl_dense *v, int64_t i, double expected) {
    const double got = float_at(ctx, v->values, i);
    if (fabs(got - expected) > 1e-5)
        fail_msg("element %lld is %g, expected %g", (long long)i, got, expected);
}

static void a_row_is_normalised_by_its_own_statistics(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, M);
    assert_ok(ctx, sparcl_layer_norm(ctx, &w.y, &w.x, &w.gamma, &w.beta, 0, &w.mean, &w.rstd));
    for (int64_t i = 0; i < M; ++i) {
        assert_near(ctx, &w.mean, i, 2.5 + 4 * (double)i);
        assert_near(ctx, &w.rstd, i, 1 / sqrt(1.25));
        for (int64_t j = 0; j < N; ++j)
            assert_near(ctx, &w.y, i * N + j, ((double)j - 1.5) / sqrt(1.25) * 2 + 3);
    }
    free_world(&w);
}

static void without_gamma_beta_and_statistics_there_is_y_alone(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, M);
    assert_ok(ctx, sparcl_layer_norm(ctx, &w.y, &w.x, NULL, NULL, 0.75, NULL, NULL));
    for (int64_t j = 0; j < N; ++j)
        assert_near(ctx, &w.y, j, ((double)j - 1.5) / sqrt(2));
    free_world(&w);
}

static void a_column_is_normalised_and_running_statistics_follow(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, N);
    assert_ok(ctx, sparcl_batch_norm(ctx, &w.y, &w.x, NULL, NULL, 0, &w.mean, &w.rstd, 0.25,
                                     &w.running_mean, &w.running_variance));
    for (int64_t j = 0; j < N; ++j) {
        assert_near(ctx, &w.mean, j, 3 + (double)j);
        assert_near(ctx, &w.rstd, j, 0.5);
        assert_near(ctx, &w.y, j, -1);
        assert_near(ctx, &w.y, N + j, 1);
        assert_near(ctx, &w.running_mean, j, 0.75 * 10 + 0.25 * (3 + (double)j));
        assert_near(ctx, &w.running_variance, j, 0.75 + 0.25 * 8); /* 4 * 2 / (2 - 1) */
    }
    assert_ok(ctx, sparcl_batch_norm_inference(ctx, &w.y, &w.x, &w.gamma, &w.beta, 0,
                                               &w.running_mean, &w.running_variance));
    assert_near(ctx, &w.y, 0, (1 - 8.25) / sqrt(2.75) * 2 + 3);
    free_world(&w);
}

static void gradients_that_are_null_are_not_computed(void **state) {
    sparcl_ctx *ctx = *state;
    for (int batch = 0; batch < 2; ++batch) {
        world w = make_world(ctx, batch ? N : M);
        sparcl_status (*const gradient)(
            sparcl_ctx *, const sparcl_dense *, const sparcl_dense *, const sparcl_dense *,
            const sparcl_dense *, const sparcl_dense *, const sparcl_dense *, const sparcl_dense *,
            const sparcl_dense *) = batch ? sparcl_batch_norm_gradient : sparcl_layer_norm_gradient;
        assert_ok(ctx, gradient(ctx, NULL, NULL, &w.gbeta, &w.gy, &w.x, NULL, &w.mean, &w.rstd));
        for (int64_t j = 0; j < N; ++j)
            assert_near(ctx, &w.gbeta, j, (double)j);
        assert_near(ctx, &w.ggamma, 0, 0);
        assert_ok(ctx, gradient(ctx, &w.gx, NULL, NULL, &w.gy, &w.x, NULL, &w.mean, &w.rstd));
        assert_ok(ctx, gradient(ctx, NULL, NULL, NULL, &w.gy, &w.x, NULL, &w.mean, &w.rstd));
        free_world(&w);
    }
}

/* A constant added to a row changes nothing: the gradient of a row has the sum 0. */
static void the_gradient_of_a_row_and_of_a_column_sums_to_0(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, M), v = make_world(ctx, N);
    assert_ok(ctx, sparcl_layer_norm(ctx, &w.y, &w.x, NULL, NULL, 0.1, &w.mean, &w.rstd));
    assert_ok(ctx, sparcl_layer_norm_gradient(ctx, &w.gx, &w.ggamma, &w.gbeta, &w.gy, &w.x, NULL,
                                              &w.mean, &w.rstd));
    assert_ok(ctx,
              sparcl_batch_norm(ctx, &v.y, &v.x, NULL, NULL, 0.1, &v.mean, &v.rstd, 0, NULL, NULL));
    assert_ok(ctx, sparcl_batch_norm_gradient(ctx, &v.gx, &v.ggamma, &v.gbeta, &v.gy, &v.x, NULL,
                                              &v.mean, &v.rstd));
    double row = 0, column = 0;
    for (int64_t j = 0; j < N; ++j)
        row += float_at(ctx, w.gx.values, j);
    for (int64_t i = 0; i < M; ++i)
        column += float_at(ctx, v.gx.values, i * N);
    assert_true(fabs(row) < 1e-6 && fabs(column) < 1e-6);
    free_world(&w);
    free_world(&v);
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, M), v = make_world(ctx, N);
    snapshot kept = SNAPSHOT(ctx, w.y.values, w.gx.values, w.mean.values);
    const sparcl_status no_f64 = wrong_f64(ctx);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(                                                                      \
        world, w, violation,                                                                       \
        sparcl_layer_norm(ctx, &x.y, &x.x, &x.gamma, &x.beta, 1, &x.mean, &x.rstd), status, part,  \
        assert_unchanged(ctx, &kept))
    REFUSED(x.x.rank = 1, SPARCL_E_SHAPE, "X has rank 1, expected 2");
    REFUSED(x.y.shape[1] = 3, SPARCL_E_SHAPE, "dimension 1 of Y is 3");
    REFUSED(x.y.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.y.dtype = SPARCL_F16, SPARCL_E_DTYPE, "Y is float16, expected float32");
    REFUSED(x.gamma.shape[0] = 3, SPARCL_E_SHAPE, "gamma has rank 1 and 3 elements, expected 4");
    REFUSED(x.beta.ld = 2, SPARCL_E_SHAPE, "packed");
    REFUSED(x.mean.shape[0] = 3, SPARCL_E_SHAPE, "the mean has rank 1 and 3 elements, expected 2");
    REFUSED(x.rstd.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "rstd is bfloat16");
    REFUSED(x.y.values = x.x.values, SPARCL_E_ALIAS, "Y overlaps X");
    REFUSED(x.mean.values = x.rstd.values, SPARCL_E_ALIAS, "the mean overlaps rstd");
    assert_refused(ctx, sparcl_layer_norm(ctx, &w.y, &w.x, NULL, NULL, -1, NULL, NULL),
                   SPARCL_E_ARG, "epsilon is -1");
    assert_refused(
        ctx, sparcl_layer_norm_gradient(ctx, &w.gx, NULL, NULL, &w.gy, &w.x, NULL, NULL, &w.rstd),
        SPARCL_E_ARG, "the mean is NULL");
    assert_refused(ctx,
                   sparcl_batch_norm(ctx, &v.y, &v.x, NULL, NULL, 1, &v.mean, &v.rstd, 0.1,
                                     &v.running_mean, NULL),
                   SPARCL_E_ARG, "one running statistic");
    v.x.shape[0] = v.y.shape[0] = 1;
    assert_refused(ctx,
                   sparcl_batch_norm(ctx, &v.y, &v.x, NULL, NULL, 1, &v.mean, &v.rstd, 0.1,
                                     &v.running_mean, &v.running_variance),
                   SPARCL_E_SHAPE, "X has 1 rows, expected at least 2");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    free_world(&w);
    free_world(&v);
}

static sparcl_dense empty(sparcl_ctx *ctx, int rank, int64_t m, int64_t n) {
    sparcl_dense v = {.rank = rank, .shape = {m, n}};
    assert_ok(ctx, sparcl_dense_create(ctx, &v));
    assert_ok(ctx, spec_poison(ctx, v.values));
    return v;
}

static void assert_same(sparcl_ctx *ctx, const sparcl_dense *a, const sparcl_dense *b) {
    static float got[2][20000 * 7];
    const size_t count = (size_t)(a->shape[0] * (a->rank == 2 ? a->shape[1] : 1));
    assert_ok(ctx, sparcl_dense_read(ctx, a, got[0]));
    assert_ok(ctx, sparcl_dense_read(ctx, b, got[1]));
    assert_memory_equal(got[0], got[1], count * sizeof **got);
}

/* So many rows that all gradients are computed in one pass. */
static void gradients_of_many_rows_are_those_of_two_calls(void **state) {
    sparcl_ctx *ctx = *state;
    enum { ROWS = 20000, WIDTH = 7 };
    static float host[ROWS * WIDTH];
    for (int i = 0; i < ROWS * WIDTH; ++i)
        host[i] = (float)(i * 37 % 101) / 16;
    const sparcl_dense x = {
        .rank = 2, .shape = {ROWS, WIDTH}, .values = put_spare(ctx, host, ROWS * WIDTH)};
    const sparcl_dense gamma = {.rank = 1, .shape = {WIDTH}, .values = put_spare(ctx, host, WIDTH)};
    sparcl_dense y = empty(ctx, 2, ROWS, WIDTH), mean = empty(ctx, 1, ROWS, 0),
                 rstd = empty(ctx, 1, ROWS, 0), gx[2], ggamma[2], gbeta[2];
    for (int i = 0; i < 2; ++i) {
        gx[i] = empty(ctx, 2, ROWS, WIDTH);
        ggamma[i] = empty(ctx, 1, WIDTH, 0);
        gbeta[i] = empty(ctx, 1, WIDTH, 0);
    }
    assert_ok(ctx, sparcl_layer_norm(ctx, &y, &x, &gamma, NULL, 1e-5, &mean, &rstd));
    assert_ok(ctx, sparcl_layer_norm_gradient(ctx, &gx[0], &ggamma[0], &gbeta[0], &y, &x, &gamma,
                                              &mean, &rstd));
    assert_ok(ctx,
              sparcl_layer_norm_gradient(ctx, &gx[1], NULL, NULL, &y, &x, &gamma, &mean, &rstd));
    assert_ok(ctx, sparcl_layer_norm_gradient(ctx, NULL, &ggamma[1], &gbeta[1], &y, &x, &gamma,
                                              &mean, &rstd));
    assert_same(ctx, &gx[0], &gx[1]);
    assert_same(ctx, &ggamma[0], &ggamma[1]);
    assert_same(ctx, &gbeta[0], &gbeta[1]);
    for (int i = 0; i < 2; ++i) {
        sparcl_dense_free(&gx[i]);
        sparcl_dense_free(&ggamma[i]);
        sparcl_dense_free(&gbeta[i]);
    }
    sparcl_dense_free(&y);
    sparcl_dense_free(&mean);
    sparcl_dense_free(&rstd);
    sparcl_buf_free(x.values);
    sparcl_buf_free(gamma.values);
}

typedef struct columns_case {
    int64_t m, n;
    int part; /* of what is computed */
} columns_case;

/* Statistics and gradients of columns: sums over many rows. */
static sparcl_buf *normalise_columns(sparcl_ctx *ctx, const void *input) {
    const columns_case *const c = input;
    const int64_t m = c->m, n = c->n;
    float *const host = make_floats(m * n, 8);
    const sparcl_dense x = {.rank = 2, .shape = {m, n}, .values = put(ctx, host, m * n * 4)};
    sparcl_dense y = empty(ctx, 2, m, n), v[6];
    for (int i = 0; i < 6; ++i)
        v[i] = empty(ctx, 1, n, 0);
    for (int i = 2; i < 4; ++i)
        assert_ok(ctx, sparcl_buf_write(ctx, v[i].values, 0, n * 4, host));
    assert_ok(ctx,
              sparcl_batch_norm(ctx, &y, &x, NULL, NULL, 1e-3, &v[0], &v[1], 0.25, &v[2], &v[3]));
    assert_ok(ctx, sparcl_batch_norm_gradient(ctx, NULL, &v[4], &v[5], &y, &x, NULL, &v[0], &v[1]));
    sparcl_buf *const result = v[c->part].values;
    v[c->part].values = NULL;
    for (int i = 0; i < 6; ++i)
        sparcl_dense_free(&v[i]);
    sparcl_dense_free(&y);
    sparcl_buf_free(x.values);
    free(host);
    return result;
}

static void sums_of_columns_have_the_same_bits_in_both_classes(void **state) {
    static const int64_t sizes[][2] = {{2, 1},   {255, 3},  {256, 33},  {257, 65},
                                       {900, 7}, {1300, 1}, {66000, 9}, {3000, 130}};
    class_contexts all = open_classes(*state);
    for (size_t i = 0; i < (test_is_small() ? 4 : COUNT(sizes)); ++i)
        for (int part = 0; part < 6; ++part)
            assert_same_bits(&all, normalise_columns,
                             &(columns_case){sizes[i][0], sizes[i][1], part});
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_normalised_by_its_own_statistics),
        cmocka_unit_test(without_gamma_beta_and_statistics_there_is_y_alone),
        cmocka_unit_test(a_column_is_normalised_and_running_statistics_follow),
        cmocka_unit_test(gradients_that_are_null_are_not_computed),
        cmocka_unit_test(the_gradient_of_a_row_and_of_a_column_sums_to_0),
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(gradients_of_many_rows_are_those_of_two_calls),
        cmocka_unit_test(sums_of_columns_have_the_same_bits_in_both_classes),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
