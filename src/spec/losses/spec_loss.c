/* spec_loss.c: losses, their gradients and predictions in plain C. Variant: logistic, softmax or
 * squared, + 3 with a bias, + 6 for scores far from 0; 12 and 13: Poisson and hinge, + 2 with a
 * bias,
 * + 4 for scores far from 0. */
#include <math.h>

#include "spec/shared/elementary.h"
#include "spec/shared/harness.h"

static sparcl_loss loss_of(const spec_case *c) {
    return (sparcl_loss)(c->variant < 12 ? c->variant % 3 : SPARCL_LOSS_POISSON + c->variant % 2);
}

static bool has_bias(const spec_case *c) {
    return c->variant < 12 ? c->variant / 3 % 2 : (c->variant - 12) / 2 % 2;
}

static bool is_far(const spec_case *c) {
    return c->variant < 12 ? c->variant >= 6 : c->variant >= 16;
}

static bool get_other(int i, int n_rows, const int64_t *rows, spec_case *c) {
    if (i >= 16 * n_rows) return false;
    *c = (spec_case){.rows = rows[i / 16],
                     .n = 1,
                     .dtype = i % 2 ? SPARCL_F64 : SPARCL_F32,
                     .variant = 12 + i / 2 % 8,
                     .subnormal = i / 2 % 8 >= 4,
                     .seed = (uint64_t)i + 577};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {0, 1, 7, 300, 40, 129, 5000}, classes[] = {1, 2, 3, 17, 105};
    const int n_rows = small ? 6 : 7, count = 12 * n_rows * 5, k = i % count;
    if (i >= 2 * count) return get_other(i - 2 * count, n_rows, rows, c);
    const int loss = k % 3;
    *c = (spec_case){.rows = rows[k / 12 % n_rows],
                     .n = loss == SPARCL_LOSS_SOFTMAX ? classes[k / 12 / n_rows] : 1,
                     .dtype = i < count ? SPARCL_F32 : SPARCL_F64,
                     .variant = k % 12,
                     .subnormal = k % 12 >= 6,
                     .seed = (uint64_t)i + 77};
    return true;
}

typedef struct state {
    const spec_case *c;
    double *scores, *bias, *labels;
    sparcl_dense scores_view, bias_view, labels_view;
    sparcl_buf *out; /* all results: residual [m k], losses [m], label [m], p [m] */
    sparcl_dense residual, losses, label, p;
} state;

static int64_t result_count(const spec_case *c) {
    return c->rows * (c->n + 3);
}

static void make_numbers(spec_test *t, state *x) {
    const spec_case *const c = t->c;
    const double far = c->dtype == SPARCL_F64 ? 800 : 120;
    const double reached = loss_of(c) == SPARCL_LOSS_POISSON ? far / 1.5 : far; /* exp is finite */
    const double maximum = is_far(c) ? reached : 6;
    uint64_t seed = c->seed;
    x->scores = spec_own(t, spec_numbers(c->rows * c->n, c->seed + 1));
    x->bias = spec_own(t, spec_numbers(c->n, c->seed + 2));
    x->labels = spec_own(t, spec_numbers(c->rows, c->seed + 3));
    for (int64_t i = 0; i < c->rows * c->n; ++i)
        x->scores[i] = spec_round(c->dtype, x->scores[i] * maximum);
    for (int64_t i = 0; i < c->rows; ++i) {
        if (loss_of(c) == SPARCL_LOSS_LOGISTIC || loss_of(c) == SPARCL_LOSS_HINGE)
            x->labels[i] = (double)(spec_random(&seed) % 2);
        if (loss_of(c) == SPARCL_LOSS_POISSON) x->labels[i] = (double)(spec_random(&seed) % 9);
        if (loss_of(c) == SPARCL_LOSS_SOFTMAX)
            x->labels[i] = (double)(spec_random(&seed) % (uint64_t)c->n);
    }
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const x = t->state;
    const int64_t m = c->rows, k = c->n;
    x->c = c;
    make_numbers(t, x);
    x->scores_view = spec_dense(t, m, k, k, x->scores);
    x->bias_view = spec_vector(t, k, x->bias);
    x->labels_view = spec_vector(t, m, x->labels);
    x->out = spec_result_buf(t, result_count(c) * (int64_t)sparcl_dtype_size(c->dtype));
    x->residual = (sparcl_dense){.rank = 2, .dtype = c->dtype, .shape = {m, k}, .values = x->out};
    x->losses = x->label = x->p = (sparcl_dense){
        .rank = 1, .dtype = c->dtype, .shape = {m}, .values = x->out, .values_at = m * k};
    x->label.values_at += m;
    x->p.values_at += 2 * m;
    t->calls = 2;
}

/* The results of one row. */
typedef struct row {
    double *residual, *loss, *label, *p;
} row;

static row row_of(double *all, const spec_case *c, int64_t i) {
    double *const rest = all + c->rows * c->n;
    return (row){all + i * c->n, rest + i, rest + c->rows + i, rest + 2 * c->rows + i};
}

static const double scale = 0.125;

#define R(x) spec_round(c->dtype, (x))

static void order_softmax(const double *s, const spec_case *c, int64_t label, row to) {
    int64_t best = 0;
    double sum = 0;
    for (int64_t j = 1; j < c->n; ++j)
        if (s[j] > s[best]) best = j;
    for (int64_t j = 0; j < c->n; ++j)
        sum = R(sum + spec_exp(c->dtype, R(s[j] - s[best])));
    *to.loss = R(spec_log(c->dtype, sum) + R(s[best] - s[label]));
    *to.label = (double)best;
    *to.p = R(1 / sum);
    for (int64_t j = 0; j < c->n; ++j) {
        const double p = R(spec_exp(c->dtype, R(s[j] - s[best])) / sum);
        to.residual[j] = R(R(p - (j == label ? 1 : 0)) * scale);
    }
}

static void order_poisson(double x, const spec_case *c, double y, row to) {
    const double e = spec_exp(c->dtype, x);
    *to.loss = R(e - R(y * x));
    *to.residual = R(R(e - y) * scale);
    *to.label = *to.p = e;
}

static void order_hinge(double x, const spec_case *c, double y, row to) {
    const double side = y > 0 ? 1 : -1, margin = R(1 - side * x);
    *to.loss = margin > 0 ? margin : 0;
    *to.residual = margin > 0 ? R(-side * scale) : 0;
    *to.label = x > 0 ? 1 : 0;
    *to.p = x;
}

static void order_row(const double *s, const spec_case *c, double y, row to) {
    const double x = s[0];
    if (loss_of(c) == SPARCL_LOSS_POISSON) {
        order_poisson(x, c, y, to);
    } else if (loss_of(c) == SPARCL_LOSS_HINGE) {
        order_hinge(x, c, y, to);
    } else if (loss_of(c) == SPARCL_LOSS_SOFTMAX) {
        order_softmax(s, c, (int64_t)y, to);
    } else if (loss_of(c) == SPARCL_LOSS_LOGISTIC) {
        const double rest = spec_log1p(c->dtype, spec_exp(c->dtype, -fabs(x)));
        *to.loss = R(R(fmax(x, 0) - R(y * x)) + rest);
        *to.residual = R(R(spec_sigmoid(c->dtype, x) - y) * scale);
        *to.label = x > 0 ? 1 : 0;
        *to.p = spec_sigmoid(c->dtype, x > 0 ? x : -x);
    } else {
        const double d = R(x - y);
        *to.loss = R(R(0.5 * d) * d);
        *to.residual = R(d * scale);
        *to.label = *to.p = x;
    }
}

/* Computed in long double from the same rounded scores. The bounds allow 2 ulp for exp and log, and
 * the rounding of the sums; they include that of the truth to double. */
static void truth_row(const double *s, const spec_case *c, double y, row to, row bound) {
    const double u = spec_unit(c->dtype), smallest = spec_smallest(c->dtype);
    const long double x = s[0];
    if (loss_of(c) == SPARCL_LOSS_POISSON) {
        const double e = (double)expl(x);
        *to.loss = (double)(expl(x) - y * x);
        *to.residual = (double)((expl(x) - y) * scale);
        *to.label = *to.p = e;
        *bound.residual = (6 * u * e + 2 * u * fabs(e - y)) * scale + 3 * smallest;
        *bound.loss = 6 * u * e + 4 * u * fabs(y * s[0]) + 2 * u * fabs(*to.loss) + 3 * smallest;
        *bound.label = *bound.p = 4 * u * e + smallest;
        return;
    }
    if (loss_of(c) == SPARCL_LOSS_HINGE) {
        const long double side = y > 0 ? 1 : -1, margin = 1 - side * x;
        *to.loss = margin > 0 ? (double)margin : 0;
        *to.residual = margin > 0 ? (double)(-side * scale) : 0;
        *to.p = s[0];
        *bound.loss = 2 * u * fabs((double)margin);
        return;
    }
    if (loss_of(c) == SPARCL_LOSS_SQUARED) {
        *to.loss = (double)(0.5L * (x - y) * (x - y));
        *to.residual = (double)((x - y) * scale);
        *to.p = s[0];
        *bound.residual = 2 * u * fabs(*to.residual);
        *bound.loss = 6 * u * *to.loss;
        return;
    }
    if (loss_of(c) == SPARCL_LOSS_LOGISTIC) {
        const long double p = 1 / (1 + expl(-x)), sure = 1 / (1 + expl(-fabsl(x)));
        *to.loss = (double)(fmaxl(x, 0) - y * x + log1pl(expl(-fabsl(x))));
        *to.residual = (double)((p - y) * scale);
        *to.p = (double)sure;
        *bound.residual = (8 * u * (double)p + u * fabs((double)p - y)) * scale + 3 * smallest;
        *bound.loss = 16 * u * *to.loss + 4 * u * fabs(s[0]) + 8 * smallest;
        *bound.p = 8 * u * *to.p;
        return;
    }
    long double sum = 0, off = 0;
    double largest = -INFINITY;
    for (int64_t j = 0; j < c->n; ++j)
        largest = fmax(largest, s[j]);
    for (int64_t j = 0; j < c->n; ++j) {
        const long double distance = (long double)largest - s[j], e = expl(-distance);
        sum += e;
        off += e * distance;
    }
    const long double behind = (long double)largest - s[(int64_t)y];
    *to.loss = (double)(logl(sum) + behind);
    *to.p = (double)(1 / sum);
    /* s - max is rounded, which adds a relative error to exp: at most |s - max| u */
    const double depth = (double)c->n + 8;
    *bound.loss = (depth + 8) * u * (1 + fabs((double)logl(sum)) + (double)behind) * 2;
    *bound.p = (depth + (double)(off / sum)) * u * *to.p; /* 2 ulp for each exp, sum, quotient */
    for (int64_t j = 0; j < c->n; ++j) {
        const long double p = expl((long double)s[j] - largest) / sum;
        to.residual[j] = (double)((p - (j == (int64_t)y ? 1 : 0)) * scale);
        bound.residual[j] =
            ((depth + 8 + fabs(s[j] - largest)) * 2 * u * (double)p + 2 * u) * scale + 8 * smallest;
    }
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const x = made;
    const sparcl_loss loss = loss_of(x->c);
    const sparcl_dense *const bias = has_bias(x->c) ? &x->bias_view : NULL;
    return number ? sparcl_loss_predict(ctx, loss, &x->scores_view, bias, &x->label, &x->p)
                  : sparcl_loss_gradient(ctx, loss, &x->scores_view, bias, &x->labels_view, scale,
                                         &x->residual, &x->losses);
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const x = t->state;
    const int64_t count = result_count(c);
    double *const order = spec_reals(t, count), *const truth = spec_reals(t, count);
    double *const bound = spec_reals(t, count), *const s = spec_reals(t, c->n);
    for (int64_t i = 0; i < c->rows; ++i) {
        for (int64_t j = 0; j < c->n; ++j) {
            const double score = x->scores[i * c->n + j];
            s[j] = has_bias(c) ? R(score + x->bias[j]) : score;
        }
        const row to = row_of(order, c, i), exact = row_of(truth, c, i);
        order_row(s, c, x->labels[i], to);
        *exact.label = *to.label; /* but of Poisson, where it is a number with an error */
        truth_row(s, c, x->labels[i], exact, row_of(bound, c, i));
    }
    /* With one class its probability is 1; and classes far from the best one have probability and
     * residual 0; a margin that is met has loss and residual 0. */
    t->report->zeros_expected =
        loss_of(c) == SPARCL_LOSS_HINGE ||
        (loss_of(c) == SPARCL_LOSS_SOFTMAX && (c->n == 1 || c->variant >= 6));
    spec_expect(t, "result", x->out, 0, c->dtype, count, order, truth, bound);
}

const spec_op spec_loss = {.name = "loss",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect};
