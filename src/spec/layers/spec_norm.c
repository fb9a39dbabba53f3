/* spec_norm.c: layer and batch normalisation and their gradients in plain C.
 *
 * Variant: 0 layer normalisation, 1 batch normalisation, 2 with running statistics, 3 by given
 * ones;
 * + 4 without gamma and beta. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/spec.h"

enum { LAYER, BATCH, RUNNING, INFERENCE };

static int kind_of(const spec_case *c) {
    return c->variant % 4;
}

/* So many rows that CPUs compute all gradients in one pass, of few columns. */
static bool get_many_rows(int i, bool small, spec_case *c) {
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    static const int64_t widths[] = {1, 3, 17, 40};
    if (i >= (small ? 9 : 16))
        return false; /* a simulator takes one of nine, with kernels for CPUs */
    *c = (spec_case){.rows = 64 * SPEC_BLOCK + (i % 3) * 5,
                     .n = small ? 1 : widths[i / 4],
                     .dtype = types[small ? i % 2 * 2 : i % 4],
                     .alpha = 1e-5,
                     .beta = 0.125,
                     .variant = LAYER + (i / 2 % 2 ? 4 : 0),
                     .seed = (uint64_t)i + 4091};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {0, 1, 2, 9, 70, 300, 1030};
    static const int64_t widths[] = {1, 3, 8, 17, 64, 105, 300};
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F64, SPARCL_F32, SPARCL_F16,
                                         SPARCL_BF16};
    const int n_rows = small ? 5 : 7;
    if (i >= n_rows * 7 * 8) return get_many_rows(i - n_rows * 7 * 8, small, c);
    *c = (spec_case){.rows = rows[i / 56],
                     .n = widths[i / 8 % 7],
                     .dtype = types[i % 5],
                     .alpha = i % 3 ? 1e-5 : 0.5, /* epsilon */
                     .beta = 0.125,               /* momentum */
                     .variant = i % 8,
                     .seed = (uint64_t)i + 91};
    if (kind_of(c) == RUNNING && c->rows < 2) c->rows = 2;
    return true;
}

/* Results: y, the statistics, gx, ggamma, gbeta and the running statistics, one after the other. */
typedef struct results {
    double *y, *mean, *rstd, *gx, *ggamma, *gbeta, *running_mean, *running_variance;
} results;

typedef struct arrays {
    int64_t ld, m, n, own, count; /* own: statistics */
    double *x, *gy, *gamma, *beta, *ones, *given_mean, *given_variance;
    double *memory[4];
    results got, order, truth, bound;
    double *line, *other; /* one row or column */
} arrays;

static results split(double *x, const arrays *a) {
    results r = {.y = x};
    r.mean = r.y + a->m * a->n;
    r.rstd = r.mean + a->own;
    r.gx = r.rstd + a->own;
    r.ggamma = r.gx + a->m * a->n;
    r.gbeta = r.ggamma + a->n;
    r.running_mean = r.gbeta + a->n;
    r.running_variance = r.running_mean + a->own;
    return r;
}

static double *stored_numbers(int64_t count, uint64_t seed, sparcl_dtype dtype, double shift) {
    double *const x = spec_numbers(count, seed);
    for (int64_t i = 0; x && i < count; ++i)
        x[i] = spec_store(dtype, x[i] + shift);
    return x;
}

static bool make(arrays *a, const spec_case *c) {
    const sparcl_dtype type = c->dtype == SPARCL_F64 ? SPARCL_F64 : SPARCL_F32;
    a->m = c->rows;
    a->n = c->n;
    a->own = kind_of(c) == LAYER ? c->rows : c->n;
    a->count = 2 * a->m * a->n + 4 * a->own + 2 * a->n;
    const int64_t longest = (a->m > a->n ? a->m : a->n) + 1;
    a->x = stored_numbers(a->m * a->n, c->seed, c->dtype, 0.25);
    a->gy = stored_numbers(a->m * a->n, c->seed + 1, c->dtype, 0);
    a->gamma = stored_numbers(a->n, c->seed + 2, c->dtype, 1.5);
    a->beta = stored_numbers(a->n, c->seed + 3, c->dtype, 0);
    a->given_mean = stored_numbers(a->own, c->seed + 4, type, 0);
    a->given_variance = stored_numbers(a->own, c->seed + 5, type, 1.5);
    a->ones = spec_numbers(longest, 0);
    a->line = spec_numbers(longest, 0);
    a->other = spec_numbers(longest, 0);
    for (int i = 0; i < 4; ++i)
        a->memory[i] = spec_numbers(a->count, 0);
    if (!a->x || !a->gy || !a->gamma || !a->beta || !a->given_mean || !a->given_variance ||
        !a->ones || !a->line || !a->other || !a->memory[0] || !a->memory[1] || !a->memory[2] ||
        !a->memory[3])
        return false;
    for (int64_t i = 0; i < longest; ++i)
        a->ones[i] = 1;
    for (int64_t i = 0; c->variant >= 4 && i < a->n; ++i)
        a->gamma[i] = 1, a->beta[i] = 0;
    a->got = split(a->memory[0], a);
    a->order = split(a->memory[1], a);
    a->truth = split(a->memory[2], a);
    a->bound = split(a->memory[3], a);
    return true;
}

static void drop(arrays *a) {
    double *const all[] = {a->x,         a->gy,         a->gamma,          a->beta,
                           a->ones,      a->given_mean, a->given_variance, a->memory[0],
                           a->memory[1], a->memory[2],  a->memory[3],      a->line,
                           a->other};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

#define R(x) spec_round(c->dtype, (x))

/* Element k of row or column `s`. */
static int64_t at(const spec_case *c, const arrays *a, int64_t s, int64_t k) {
    return kind_of(c) == LAYER ? s * a->n + k : k * a->n + s;
}
static int64_t column_of(const spec_case *c, int64_t s, int64_t k) {
    return kind_of(c) == LAYER ? k : s;
}

static double tiny(const spec_case *c) {
    return c->dtype == SPARCL_F16 ? 0x1p-24 : 4 * spec_smallest(c->dtype);
}

/* Mean and rstd of row or column s; the relative error of rstd is returned, *shift is that of the
 * mean, absolute. */
static double answer_statistics(const spec_case *c, arrays *a, int64_t s, int64_t length,
                                double *shift) {
    const bool is_row = kind_of(c) == LAYER;
    const double u = spec_unit(c->dtype), depth = spec_depth(length, is_row) + 8;
    long double sum = 0, magnitude = 0, squares = 0;
    for (int64_t k = 0; k < length; ++k) {
        a->line[k] = a->x[at(c, a, s, k)];
        sum += a->line[k];
        magnitude += fabs(a->line[k]);
    }
    const double mean =
        R(spec_sum_products(c->dtype, a->ones, a->line, 1, length, is_row) / (double)length);
    for (int64_t k = 0; k < length; ++k) {
        const long double exact = a->line[k] - sum / length;
        squares += exact * exact;
        a->other[k] = R(a->line[k] - mean);
    }
    const double variance =
        R(spec_sum_products(c->dtype, a->other, a->other, 1, length, is_row) / (double)length);
    const double epsilon = R(c->alpha), exact = (double)(squares / length) + epsilon;
    *shift = depth * u * (double)(magnitude / length);
    a->order.mean[s] = mean;
    a->truth.mean[s] = (double)(sum / length);
    a->bound.mean[s] = *shift;
    a->order.rstd[s] = R(1 / R(sqrt(R(variance + epsilon))));
    a->truth.rstd[s] = 1 / sqrt(exact);
    const double error = depth * u + 2 * *shift / sqrt(exact) + *shift * *shift / exact;
    a->bound.rstd[s] = error * a->truth.rstd[s];
    if (kind_of(c) == RUNNING) {
        const double momentum = R(c->beta), rest = R(1 - c->beta);
        const double unbiased = (double)length / (double)(length - 1);
        const double old_mean = a->given_mean[s], old_variance = a->given_variance[s];
        a->order.running_mean[s] = R(R(rest * old_mean) + R(momentum * mean));
        a->truth.running_mean[s] = rest * old_mean + momentum * a->truth.mean[s];
        a->bound.running_mean[s] = *shift + 4 * u * (fabs(old_mean) + fabs(mean));
        a->order.running_variance[s] =
            R(R(rest * old_variance) + R(momentum * R(variance * R(unbiased))));
        a->truth.running_variance[s] =
            rest * old_variance + momentum * (double)(squares / length) * unbiased;
        a->bound.running_variance[s] = 2 * error * exact + 8 * u * (old_variance + variance);
    }
    return error;
}

static void answer_y(const spec_case *c, arrays *a, int64_t s, int64_t length, double shift,
                     double error) {
    const double u = spec_unit(c->dtype), mean = a->order.mean[s], rstd = a->order.rstd[s];
    for (int64_t k = 0; k < length; ++k) {
        const int64_t i = at(c, a, s, k), j = column_of(c, s, k);
        const double gamma = a->gamma[j], beta = a->beta[j];
        const double normal = R(R(a->x[i] - mean) * rstd);
        const double exact = (a->x[i] - a->truth.mean[s]) * a->truth.rstd[s];
        a->order.y[i] = spec_store(c->dtype, R(R(normal * gamma) + beta));
        a->truth.y[i] = exact * gamma + beta;
        a->bound.y[i] = (fabs(gamma) * (shift * a->truth.rstd[s] * 1.01 + fabs(exact) * error) +
                         6 * u * (fabs(exact * gamma) + fabs(beta)) +
                         spec_store_unit(c->dtype) * fabs(a->truth.y[i])) *
                            1.01 +
                        tiny(c);
    }
}

/* gx of row or column s, for the statistics of `order`. */
static void answer_gx(const spec_case *c, arrays *a, int64_t s, int64_t length) {
    const bool is_row = kind_of(c) == LAYER;
    const double u = spec_unit(c->dtype), depth = spec_depth(length, is_row) + 8;
    const double mean = a->order.mean[s], rstd = a->order.rstd[s];
    long double sum = 0, product = 0, sizes = 0, products = 0;
    for (int64_t k = 0; k < length; ++k) {
        const int64_t i = at(c, a, s, k);
        const double gamma = is_row && c->variant < 4 ? a->gamma[k] : 1;
        const double g = a->gy[i] * gamma, normal = (a->x[i] - mean) * rstd;
        a->line[k] = R(g);
        a->other[k] = R(R(a->x[i] - mean) * rstd);
        sum += g;
        product += g * normal;
        sizes += fabs(g);
        products += fabs(g * normal);
    }
    const double a_order =
        R(spec_sum_products(c->dtype, a->ones, a->line, 1, length, is_row) / (double)length);
    const double b_order =
        R(spec_sum_products(c->dtype, a->line, a->other, 1, length, is_row) / (double)length);
    const double a_exact = (double)(sum / length), b_exact = (double)(product / length);
    for (int64_t k = 0; k < length; ++k) {
        const int64_t i = at(c, a, s, k);
        const double g = a->line[k], normal = (a->x[i] - mean) * rstd;
        const double factor = is_row ? rstd : R(a->gamma[s] * rstd);
        const double rest = R(R(g - a_order) - R(a->other[k] * b_order));
        const double size = fabs(g) + fabs(a_exact) + fabs(normal * b_exact);
        a->order.gx[i] = spec_store(c->dtype, R(factor * rest));
        a->truth.gx[i] = factor * ((g - a_exact) - normal * b_exact);
        a->bound.gx[i] =
            (fabs(factor) *
                 (depth * u * (double)((sizes + fabs(normal) * products) / length) + 8 * u * size) +
             spec_store_unit(c->dtype) * fabs(a->truth.gx[i])) *
                1.01 +
            tiny(c);
    }
}

static void answer_columns(const spec_case *c, arrays *a) {
    const bool is_row = kind_of(c) == LAYER;
    const double u = spec_unit(c->dtype), depth = spec_depth(a->m, false) + 6;
    for (int64_t j = 0; j < a->n; ++j) {
        long double sum = 0, product = 0, sizes = 0, products = 0;
        for (int64_t i = 0; i < a->m; ++i) {
            const int64_t s = is_row ? i : j;
            const double x = a->x[i * a->n + j], g = a->gy[i * a->n + j];
            const double normal = (x - a->order.mean[s]) * a->order.rstd[s];
            a->line[i] = g;
            a->other[i] = R(R(x - a->order.mean[s]) * a->order.rstd[s]);
            sum += g;
            product += g * normal;
            sizes += fabs(g);
            products += fabs(g * normal);
        }
        a->order.gbeta[j] =
            spec_store(c->dtype, spec_sum_products(c->dtype, a->ones, a->line, 1, a->m, false));
        a->order.ggamma[j] =
            spec_store(c->dtype, spec_sum_products(c->dtype, a->line, a->other, 1, a->m, false));
        a->truth.gbeta[j] = (double)sum;
        a->truth.ggamma[j] = (double)product;
        const double store = spec_store_unit(c->dtype);
        a->bound.gbeta[j] =
            (depth * u * (double)sizes + store * fabs((double)sum)) * 1.01 + tiny(c);
        a->bound.ggamma[j] =
            (depth * u * (double)products + store * fabs((double)product)) * 1.01 + tiny(c);
    }
}

static void answer_given(const spec_case *c, arrays *a, int64_t s) {
    a->order.mean[s] = a->truth.mean[s] = a->given_mean[s];
    a->order.rstd[s] = R(1 / R(sqrt(R(a->given_variance[s] + R(c->alpha)))));
    a->truth.rstd[s] = 1 / sqrt(a->given_variance[s] + R(c->alpha));
}

static void answers(const spec_case *c, arrays *a) {
    const int64_t length = kind_of(c) == LAYER ? a->n : a->m;
    for (int64_t s = 0; s < a->own && length > 0; ++s) {
        double shift = 0, error = 4 * spec_unit(c->dtype);
        if (kind_of(c) == INFERENCE)
            answer_given(c, a, s);
        else
            error = answer_statistics(c, a, s, length, &shift);
        answer_y(c, a, s, length, shift, error);
        if (kind_of(c) != INFERENCE) answer_gx(c, a, s, length);
    }
    if (kind_of(c) != INFERENCE) answer_columns(c, a);
}

/* --- calls --------------------------------------------------------------------------------------
 */

typedef struct views {
    sparcl_dense x, gy, gamma, beta, y, gx, ggamma, gbeta, mean, rstd, running_mean,
        running_variance;
} views;

static sparcl_status put(sparcl_ctx *ctx, sparcl_dense *v, int rank, int64_t rows, int64_t n,
                         sparcl_dtype dtype, const double *x) {
    *v = (sparcl_dense){.rank = rank, .dtype = dtype, .shape = {rows, rank == 2 ? n : 0}};
    return spec_put_dense(ctx, v, x, rank == 2 ? rows * n : rows);
}

static sparcl_status open_views(sparcl_ctx *ctx, const spec_case *c, const arrays *a, views *v) {
    const sparcl_dtype type = c->dtype == SPARCL_F64 ? SPARCL_F64 : SPARCL_F32;
    const struct {
        sparcl_dense *view;
        const double *x;
    } matrices[] = {{&v->x, a->x}, {&v->gy, a->gy}, {&v->y, a->gy}, {&v->gx, a->x}},
      vectors[] = {{&v->gamma, a->gamma},
                   {&v->beta, a->beta},
                   {&v->ggamma, a->beta},
                   {&v->gbeta, a->gamma}},
      statistics[] = {{&v->mean, a->given_mean},
                      {&v->rstd, a->given_variance},
                      {&v->running_mean, a->given_mean},
                      {&v->running_variance, a->given_variance}};
    sparcl_status status = SPARCL_OK;
    for (int i = 0; i < 4 && status == SPARCL_OK; ++i) {
        status = put(ctx, matrices[i].view, 2, a->m, a->n, c->dtype, matrices[i].x);
        if (status == SPARCL_OK)
            status = put(ctx, vectors[i].view, 1, a->n, 1, c->dtype, vectors[i].x);
        if (status == SPARCL_OK)
            status = put(ctx, statistics[i].view, 1, a->own, 1, type, statistics[i].x);
    }
    return status;
}

static void close_views(views *v) {
    sparcl_dense *const all[] = {&v->x,    &v->gy,   &v->gamma,        &v->beta,
                                 &v->y,    &v->gx,   &v->ggamma,       &v->gbeta,
                                 &v->mean, &v->rstd, &v->running_mean, &v->running_variance};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sparcl_buf_free(all[i]->values);
}

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, const views *v) {
    const bool affine = c->variant < 4;
    const sparcl_dense *const gamma = affine ? &v->gamma : NULL, *const beta =
                                                                     affine ? &v->beta : NULL;
    sparcl_status status;
    switch (kind_of(c)) {
    case LAYER:
        status = sparcl_layer_norm(ctx, &v->y, &v->x, gamma, beta, c->alpha, &v->mean, &v->rstd);
        if (status != SPARCL_OK) return status;
        return sparcl_layer_norm_gradient(ctx, &v->gx, &v->ggamma, &v->gbeta, &v->gy, &v->x, gamma,
                                          &v->mean, &v->rstd);
    case INFERENCE:
        return sparcl_batch_norm_inference(ctx, &v->y, &v->x, gamma, beta, c->alpha, &v->mean,
                                           &v->rstd);
    default:
        status = sparcl_batch_norm(ctx, &v->y, &v->x, gamma, beta, c->alpha, &v->mean, &v->rstd,
                                   c->beta, kind_of(c) == RUNNING ? &v->running_mean : NULL,
                                   kind_of(c) == RUNNING ? &v->running_variance : NULL);
        if (status != SPARCL_OK) return status;
        return sparcl_batch_norm_gradient(ctx, &v->gx, &v->ggamma, &v->gbeta, &v->gy, &v->x, gamma,
                                          &v->mean, &v->rstd);
    }
}

static sparcl_status compare(sparcl_ctx *ctx, const spec_case *c, arrays *a, const views *v,
                             spec_report *report) {
    const bool trains = kind_of(c) != INFERENCE, runs = kind_of(c) == RUNNING;
    const struct {
        const char *what;
        const sparcl_dense *view;
        double *got, *order, *truth, *bound;
        int64_t count;
        bool is_there;
    } all[] = {
#define RESULT(name, count, is_there)                                                              \
    {#name, &v->name, a->got.name, a->order.name, a->truth.name, a->bound.name, count, is_there}
        RESULT(y, a->m * a->n, true),       RESULT(mean, a->own, trains),
        RESULT(rstd, a->own, trains),       RESULT(gx, a->m * a->n, trains),
        RESULT(ggamma, a->n, trains),       RESULT(gbeta, a->n, trains),
        RESULT(running_mean, a->own, runs), RESULT(running_variance, a->own, runs)};
    /* One element by itself is normalised to 0, and its gradient is 0. */
    report->zeros_expected = c->rows < 2 || c->n < 2;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (!all[i].is_there || (kind_of(c) != LAYER && c->rows == 0)) continue;
        const sparcl_status status =
            spec_get_reals(ctx, all[i].view->values, all[i].view->values_at, all[i].count,
                           all[i].view->dtype, all[i].got);
        if (status != SPARCL_OK) return status;
        spec_compare(report, all[i].what, all[i].got, all[i].order, all[i].truth, all[i].bound,
                     all[i].count);
    }
    return SPARCL_OK;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays a = {0};
    views v = {.x = {.rank = 0}};
    const double count = (double)(c->rows * c->n);
    *report = (spec_report){.equal = true,
                            .flops = 20 * count,
                            .bytes = 5 * count * (double)sparcl_dtype_size(c->dtype)};
    sparcl_status status = make(&a, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = open_views(ctx, c, &a, &v);
    if (status == SPARCL_OK) status = call(ctx, c, &v);
    if (status == SPARCL_OK) answers(c, &a);
    if (status == SPARCL_OK) status = compare(ctx, c, &a, &v, report);
    close_views(&v);
    drop(&a);
    return status;
}

const spec_op spec_norm = {.name = "norm", .get_case = get_case, .check = check};
