/* spec_sum.c: the sum of the rows of a dense matrix in plain C. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"

/* More cases for sums that need several groups: more than 16384 elements, 512 rows. */
#define MORE 24

/* F16 and BF16: one launch and several, one column and several. */
#define HALVES 12

static bool get_half(int i, spec_case *c) {
    static const int64_t widths[] = {1, 37, 5};
    if (i >= HALVES) return false;
    *c = (spec_case){.rows = i < 6 ? 300 + i : 20000 + i,
                     .n = widths[i / 2 % 3],
                     .dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .alpha = i % 4 ? 1 : -0.5,
                     .beta = i % 3 ? 0 : 2,
                     .seed = (uint64_t)i + 7001};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {0, 1, 9, 255, 257, 1000, 70000, 513, 3000, 16384, 16385};
    static const int64_t widths[] = {1, 2, 5, 16, 37, 105};
    const int n_rows = small ? 6 : 11, more = i - n_rows * 6;
    if (more >= MORE) return get_half(more - MORE, c);
    *c = (spec_case){.rows = more < 0 ? rows[i / 6] : 520 + 27 * more,
                     .n = more < 0 ? widths[i % 6] : 40 - more,
                     .dtype = i % 4 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .alpha = i % 3 ? 1 : -0.5,
                     .beta = i % 5 ? 0 : 2,
                     .seed = (uint64_t)i + 5};
    return true;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, const double *x, const double *old,
                         double *got) {
    sparcl_dense in = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->n}, .ld = c->n + 1};
    sparcl_dense out = {.rank = 1, .dtype = c->dtype, .shape = {c->n}};
    sparcl_status status = spec_put_dense(ctx, &in, x, c->rows * (c->n + 1));
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &out, old, c->n);
    if (status == SPARCL_OK) status = sparcl_sum_rows(ctx, &out, c->alpha, &in, c->beta);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, out.values, out.values_at, c->n, c->dtype, got);
    sparcl_buf_free(in.values);
    sparcl_buf_free(out.values);
    return status;
}

static void answer(const spec_case *c, const double *x, const double *ones, double old,
                   double *order, double *truth, double *bound) {
    double exact = 0, magnitude = 0;
    for (int64_t i = 0; i < c->rows; ++i) {
        exact += x[i * (c->n + 1)];
        magnitude += fabs(x[i * (c->n + 1)]);
    }
    const double sum = spec_sum_products(c->dtype, ones, x, c->n + 1, c->rows, c->n == 1);
    const double product = spec_round(c->dtype, c->alpha * sum);
    *order = c->beta == 0 ? product
                          : spec_round(c->dtype, product + spec_round(c->dtype, c->beta * old));
    *truth = c->alpha * exact + c->beta * old;
    *bound = (spec_depth(c->rows, c->n == 1) + spec_depth_scaling(c->alpha, c->beta)) *
             spec_unit(c->dtype) * (fabs(c->alpha) * magnitude + fabs(c->beta * old)) *
             SPEC_SECOND_ORDER;
    spec_store_answer(c->dtype, order, *truth, bound);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    double *const x = spec_stored_numbers(c->dtype, c->rows * (c->n + 1), c->seed);
    double *const old = spec_stored_numbers(c->dtype, c->n, c->seed + 1), *const got =
                                                                              spec_numbers(c->n, 0);
    double *const order = spec_numbers(c->n, 0), *const truth = spec_numbers(c->n, 0);
    double *const bound = spec_numbers(c->n, 0), *const ones = spec_numbers(c->rows, 0);
    sparcl_status status = SPARCL_E_MEMORY;
    *report =
        (spec_report){.equal = true,
                      .flops = (double)(c->rows * c->n),
                      .bytes = (double)(c->rows * c->n) * (double)sparcl_dtype_size(c->dtype)};
    report->zeros_expected = c->rows == 0;
    if (x && old && got && order && truth && bound && ones) {
        for (int64_t i = 0; i < c->rows; ++i)
            ones[i] = 1;
        for (int64_t j = 0; j < c->n; ++j)
            answer(c, x + j, ones, old[j], &order[j], &truth[j], &bound[j]);
        status = run(ctx, c, x, old, got);
    }
    if (status == SPARCL_OK) spec_compare(report, "r", got, order, truth, bound, c->n);
    double *const all[] = {x, old, got, order, truth, bound, ones};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
    return status;
}

const spec_op spec_sum = {"sum", get_case, check};
