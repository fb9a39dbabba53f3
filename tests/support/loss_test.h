/* loss_test.h: what the tests of losses share: the arrays of one call. */
#ifndef TESTS_LOSS_TEST_H
#define TESTS_LOSS_TEST_H

#include "op_test.h"

/* The arrays of one call: scores and residual [m, k], bias [k], labels, losses, label and p [m]. */
typedef struct arrays {
    sparcl_dense scores, bias, labels, residual, losses, label, p;
} arrays;

static inline sparcl_dense vector(sparcl_buf *values, int64_t count) {
    return (sparcl_dense){.rank = 1, .shape = {count}, .values = values};
}

static inline sparcl_dense matrix(sparcl_buf *values, int64_t rows, int64_t columns) {
    return (sparcl_dense){.rank = 2, .shape = {rows, columns}, .values = values};
}

/* Each array has capacity for elements of 8 bytes. */
static inline arrays make_arrays(sparcl_ctx *ctx, int64_t m, int64_t k) {
    float *x = make_floats(m * k + k + m, 5);
    const arrays a = {.scores = matrix(put_spare(ctx, x, m * k), m, k),
                      .bias = vector(put_spare(ctx, x + m * k, k), k),
                      .labels = vector(put_spare(ctx, x, m), m),
                      .residual = matrix(put_spare(ctx, x, m * k), m, k),
                      .losses = vector(put_spare(ctx, x, m), m),
                      .label = vector(put_spare(ctx, x, m), m),
                      .p = vector(put_spare(ctx, x, m), m)};
    for (int64_t i = 0; i < m; ++i) {
        const float label = (float)(i % (k > 1 ? k : 2));
        assert_ok(ctx, sparcl_buf_write(ctx, a.labels.values, i * 4, 4, &label));
    }
    free(x);
    return a;
}

static inline void free_arrays(arrays *a) {
    sparcl_dense *const all[] = {&a->scores, &a->bias,  &a->labels, &a->residual,
                                 &a->losses, &a->label, &a->p};
    for (size_t i = 0; i < COUNT(all); ++i)
        sparcl_dense_free(all[i]);
}

static inline sparcl_status gradient(sparcl_ctx *ctx, sparcl_loss loss, const arrays *a,
                                     double scale) {
    return sparcl_loss_gradient(ctx, loss, &a->scores, &a->bias, &a->labels, scale, &a->residual,
                                &a->losses);
}

static inline sparcl_status predict(sparcl_ctx *ctx, sparcl_loss loss, const arrays *a) {
    return sparcl_loss_predict(ctx, loss, &a->scores, &a->bias, &a->label, &a->p);
}

/* The same numbers in float64; their buffers have capacity for them. */
static inline void widen_arrays(sparcl_ctx *ctx, arrays *a) {
    sparcl_dense *const all[] = {&a->scores, &a->bias,  &a->labels, &a->residual,
                                 &a->losses, &a->label, &a->p};
    for (size_t i = 0; i < COUNT(all); ++i) {
        const int64_t count = all[i]->shape[0] * (all[i]->rank == 2 ? all[i]->shape[1] : 1);
        float *const narrow = bytes_of(ctx, all[i]->values);
        double *const wide = widen(narrow, count);
        assert_ok(ctx, sparcl_buf_write(ctx, all[i]->values, 0, count * 8, wide));
        all[i]->dtype = SPARCL_F64;
        free(narrow);
        free(wide);
    }
}

static inline void set(sparcl_ctx *ctx, const sparcl_dense *view, int64_t at, double x) {
    const float narrow = (float)x;
    const bool is_f64 = view->dtype == SPARCL_F64;
    const int64_t size = is_f64 ? 8 : 4;
    assert_ok(ctx, sparcl_buf_write(ctx, view->values, at * size, size,
                                    is_f64 ? (const void *)&x : &narrow));
}

static inline double get(sparcl_ctx *ctx, const sparcl_dense *view, int64_t at) {
    double x = 0;
    assert_ok(ctx, spec_get_reals(ctx, view->values, at, 1, view->dtype, &x));
    return x;
}

#endif
