/* spec_norm.c: layer and batch normalisation and their gradients in plain C.
 *
 * Variant: 0 layer normalisation, 1 batch normalisation, 2 with running statistics, 3 by given
 * ones;
 * + 4 without gamma and beta. */
#include <math.h>

#include "spec/bench/bench.h"

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

/* Results. */
typedef struct results {
    double *y, *mean, *rstd, *gx, *ggamma, *gbeta, *running_mean, *running_variance;
} results;

typedef struct state {
    const spec_case *c;
    int64_t m, n, own; /* own: statistics */
    bool is_alone;     /* y is all that is computed, as without gradients */
    double *x, *gy, *gamma, *beta, *ones, *given_mean, *given_variance;
    results order, truth, bound;
    double *line, *other; /* one row or column */
    struct {
        sparcl_dense x, gy, gamma, beta, y, gx, ggamma, gbeta, mean, rstd, running_mean,
            running_variance;
    } view;
} state;

static double *draw(spec_test *t, int64_t count, uint64_t seed, sparcl_dtype dtype, double shift) {
    double *const x = spec_own(t, spec_numbers(count, seed));
    for (int64_t i = 0; i < count; ++i)
        x[i] = spec_store(dtype, x[i] + shift);
    return x;
}

static sparcl_dense put_vector(spec_test *t, sparcl_dtype dtype, int64_t count, const double *x) {
    return spec_dense_of(t, (sparcl_dense){.rank = 1, .dtype = dtype, .shape = {count}}, x);
}

static void make_views(spec_test *t, state *a, sparcl_dtype type) {
    a->view.x = spec_dense(t, a->m, a->n, a->n, a->x);
    a->view.gamma = spec_vector(t, a->n, a->gamma);
    a->view.beta = spec_vector(t, a->n, a->beta);
    a->view.y = spec_dense(t, a->m, a->n, a->n, a->gy);
    a->view.mean = put_vector(t, type, a->own, a->given_mean);
    a->view.rstd = put_vector(t, type, a->own, a->given_variance);
    if (t->calls < 2) return;
    a->view.gy = spec_dense(t, a->m, a->n, a->n, a->gy);
    a->view.gx = spec_dense(t, a->m, a->n, a->n, a->x);
    a->view.ggamma = spec_vector(t, a->n, a->beta);
    a->view.gbeta = spec_vector(t, a->n, a->gamma);
    a->view.running_mean = put_vector(t, type, a->own, a->given_mean);
    a->view.running_variance = put_vector(t, type, a->own, a->given_variance);
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const a = t->state;
    const sparcl_dtype type = c->dtype == SPARCL_F64 ? SPARCL_F64 : SPARCL_F32;
    a->c = c;
    a->m = c->rows;
    a->n = c->n;
    a->own = kind_of(c) == LAYER ? c->rows : c->n;
    a->is_alone = t->given && t->call == 0 && kind_of(c) != INFERENCE;
    a->x = draw(t, a->m * a->n, c->seed, c->dtype, 0.25);
    a->gy = draw(t, a->m * a->n, c->seed + 1, c->dtype, 0);
    a->gamma = draw(t, a->n, c->seed + 2, c->dtype, 1.5);
    a->beta = draw(t, a->n, c->seed + 3, c->dtype, 0);
    a->given_mean = draw(t, a->own, c->seed + 4, type, 0);
    a->given_variance = draw(t, a->own, c->seed + 5, type, 1.5);
    for (int64_t i = 0; c->variant >= 4 && i < a->n; ++i)
        a->gamma[i] = 1, a->beta[i] = 0;
    t->calls = a->is_alone || kind_of(c) == INFERENCE ? 1 : 2;
    make_views(t, a, type);
}

/* --- answers ---------------------------------------------------------------------------------- */

#define R(x) spec_round(c->dtype, (x))

/* Element k of row or column `s`. */
static int64_t at(const spec_case *c, const state *a, int64_t s, int64_t k) {
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
static double answer_statistics(const spec_case *c, state *a, int64_t s, int64_t length,
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

static void answer_y(const spec_case *c, state *a, int64_t s, int64_t length, double shift,
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
static void answer_gx(const spec_case *c, state *a, int64_t s, int64_t length) {
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

static void answer_columns(const spec_case *c, state *a) {
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

static void answer_given(const spec_case *c, state *a, int64_t s) {
    a->order.mean[s] = a->truth.mean[s] = a->given_mean[s];
    a->order.rstd[s] = R(1 / R(sqrt(R(a->given_variance[s] + R(c->alpha)))));
    a->truth.rstd[s] = 1 / sqrt(a->given_variance[s] + R(c->alpha));
}

static void answers(const spec_case *c, state *a) {
    const int64_t length = kind_of(c) == LAYER ? a->n : a->m;
    for (int64_t s = 0; s < a->own && length > 0; ++s) {
        double shift = 0, error = 4 * spec_unit(c->dtype);
        if (kind_of(c) == INFERENCE)
            answer_given(c, a, s);
        else
            error = answer_statistics(c, a, s, length, &shift);
        answer_y(c, a, s, length, shift, error);
        if (kind_of(c) != INFERENCE && !a->is_alone) answer_gx(c, a, s, length);
    }
    if (kind_of(c) != INFERENCE && !a->is_alone) answer_columns(c, a);
}

/* --- calls and results ------------------------------------------------------------------------ */

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const a = made;
    const spec_case *const c = a->c;
    const sparcl_dense *const gamma = c->variant < 4 ? &a->view.gamma : NULL;
    const sparcl_dense *const beta = c->variant < 4 ? &a->view.beta : NULL;
    const sparcl_dense *const mean = a->is_alone ? NULL : &a->view.mean;
    const sparcl_dense *const rstd = a->is_alone ? NULL : &a->view.rstd;
    const bool runs = kind_of(c) == RUNNING, is_layer = kind_of(c) == LAYER;
    if (number)
        return (is_layer ? sparcl_layer_norm_gradient : sparcl_batch_norm_gradient)(
            ctx, &a->view.gx, &a->view.ggamma, &a->view.gbeta, &a->view.gy, &a->view.x, gamma, mean,
            rstd);
    if (is_layer)
        return sparcl_layer_norm(ctx, &a->view.y, &a->view.x, gamma, beta, c->alpha, mean, rstd);
    if (kind_of(c) == INFERENCE)
        return sparcl_batch_norm_inference(ctx, &a->view.y, &a->view.x, gamma, beta, c->alpha, mean,
                                           rstd);
    return sparcl_batch_norm(ctx, &a->view.y, &a->view.x, gamma, beta, c->alpha, mean, rstd,
                             c->beta, runs ? &a->view.running_mean : NULL,
                             runs ? &a->view.running_variance : NULL);
}

static results make_results(spec_test *t, const state *a) {
    return (results){.y = spec_reals(t, a->m * a->n),
                     .mean = spec_reals(t, a->own),
                     .rstd = spec_reals(t, a->own),
                     .gx = spec_reals(t, a->m * a->n),
                     .ggamma = spec_reals(t, a->n),
                     .gbeta = spec_reals(t, a->n),
                     .running_mean = spec_reals(t, a->own),
                     .running_variance = spec_reals(t, a->own)};
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    state *const a = t->state;
    const int64_t longest = (a->m > a->n ? a->m : a->n) + 1;
    const bool trains = t->calls > 1, runs = kind_of(c) == RUNNING;
    a->order = make_results(t, a);
    a->truth = make_results(t, a);
    a->bound = make_results(t, a);
    a->line = spec_reals(t, longest);
    a->other = spec_reals(t, longest);
    a->ones = spec_reals(t, longest);
    for (int64_t i = 0; i < longest; ++i)
        a->ones[i] = 1;
    answers(c, a);
    /* One element by itself is normalised to 0, and its gradient is 0. */
    t->report->zeros_expected = t->given || c->rows < 2 || c->n < 2;
    if (kind_of(c) != LAYER && c->rows == 0) return;
#define EXPECT(name)                                                                               \
    spec_expect_dense(t, #name, &a->view.name, a->order.name, a->truth.name, a->bound.name)
    EXPECT(y);
    if (!trains) return;
    EXPECT(mean);
    EXPECT(rstd);
    EXPECT(gx);
    EXPECT(ggamma);
    EXPECT(gbeta);
    if (!runs) return;
    EXPECT(running_mean);
    EXPECT(running_variance);
}

/* Of a gradient: the array, the gradient of y, that of the array, gamma with both gradients of the
 * weights, and the statistics. Of given statistics these and the weights. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const a = t->state;
    const double count = (double)a->m * (double)a->n, n = (double)a->n;
    const bool is_given = kind_of(t->c) == INFERENCE;
    *flops = number ? 10 * count : is_given ? 0 : count;
    *bytes = number ? 4 * (3 * count + 3 * n + 2 * (double)a->own)
                    : 4 * (2 * count + (is_given ? 4 * n : 0));
}

extern const spec_op spec_norm;
#define MEASURED(number, kind)                                                                     \
    .op = &spec_norm, .call = (number), .setting = {.alpha = 1e-5, .variant = (kind)}
static const spec_bench timed[] = {
    {"layer-norm", "layer normalisation of a dense array with the rows of A", SPEC_BENCH_WIDTHS,
     MEASURED(0, LAYER + 4)},
    {"layer-norm-gradient", "the gradients of layer-norm by the array and the weights",
     SPEC_BENCH_WIDTHS, MEASURED(1, LAYER)},
    {"batch-norm", "batch normalisation of a dense array with the rows of A", SPEC_BENCH_WIDTHS,
     MEASURED(0, BATCH + 4)},
    {"batch-norm-gradient", "the gradients of batch-norm by the array and the weights",
     SPEC_BENCH_WIDTHS, MEASURED(1, BATCH)},
    {"batch-norm-inference", "batch normalisation by given means and variances, with weights",
     SPEC_BENCH_WIDTHS, MEASURED(0, INFERENCE)},
    {0}};

const spec_op spec_norm = {.name = "norm",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect,
                           .work = work,
                           .timed = timed};
