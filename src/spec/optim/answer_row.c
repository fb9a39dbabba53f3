/* answer_row.c: the plain-C answers of the rules that need numbers of a row; Adam and its kin:
 * answer_row_adam.c. */
#include <math.h>

#include "spec/optim/row_sums.h"

/* Rule S with one column, but the partial sums of a block are added in ascending order. */
#define BLOCK 256
#define PARTS 8

static spec_num fold(spec_num total, spec_num *parts) {
    spec_num sum = parts[0];
    for (int p = 1; p < PARTS; ++p)
        sum = num_add(sum, parts[p]);
    for (int p = 0; p < PARTS; ++p)
        parts[p] = num_exact(sum.dtype, 0);
    return num_add(total, sum);
}

static spec_num sum_squares(const spec_hyper *h, const spec_row *x, const spec_num *g,
                            spec_row_term *term) {
    spec_num total = num_exact(h->dtype, 0), parts[PARTS];
    for (int p = 0; p < PARTS; ++p)
        parts[p] = total;
    for (int64_t j = 0; j < x->n; ++j) {
        const spec_num found = term(h, x, g, j);
        spec_num *const part = &parts[j % PARTS];
        *part = num_add(*part, num_mul(found, found));
        if (j % BLOCK == BLOCK - 1) total = fold(total, parts);
    }
    return x->n % BLOCK == 0 ? total : fold(total, parts);
}

spec_num spec_row_weight(const spec_hyper *h, const spec_row *x, const spec_num *g, int64_t j) {
    (void)h;
    (void)g;
    return x->w[j];
}

spec_num spec_row_gradient(const spec_hyper *h, const spec_row *x, const spec_num *g, int64_t j) {
    spec_num w = x->w[j];
    return spec_prepare(h, &w, g[j]);
}

spec_num spec_row_norm(const spec_hyper *h, const spec_row *x, const spec_num *g,
                       spec_row_term *term) {
    return num_root(sum_squares(h, x, g, term));
}

spec_num spec_row_squares(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    return sum_squares(h, x, g, spec_row_gradient);
}

spec_num spec_row_mean_square(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    return num_div(spec_row_squares(h, x, g), num_exact(h->dtype, (double)x->n));
}

void spec_row_shorten(const spec_hyper *h, const spec_row *x) {
    if (isinf(h->optim.max_norm)) return;
    const spec_num limit = num_of(h->dtype, h->optim.max_norm);
    const spec_num length = spec_row_norm(h, x, NULL, spec_row_weight),
                   scale = num_div(limit, length);
    const bool is_long = length.truth > limit.truth, is_found_long = length.order > limit.order;
    for (int64_t j = 0; j < x->n; ++j) {
        const spec_num w = x->w[j], scaled = num_mul(w, scale);
        if (is_found_long) x->w[j].order = scaled.order;
        if (is_long) x->w[j].truth = scaled.truth;
        x->w[j].bound = fmax(w.bound, scaled.bound);
        /* Where only one of the two is longer, they are as near as the norm is to the limit. */
        if (is_long != is_found_long)
            x->w[j].bound += fabs(w.truth) * (length.bound + limit.bound) / fabs(limit.truth);
    }
}

/* FBGEMM: the quotient is a rate of the row, and the coupled decay a factor of the weights. */
static void step_with_rate(const spec_hyper *h, const spec_row *x, const spec_num *g,
                           spec_num root) {
    const sparcl_optim *const o = &h->optim;
    const spec_num rate = num_div(h->lr, root), decay = num_of(h->dtype, o->decay.weight);
    const bool is_coupled = o->decay.kind == SPARCL_DECAY_COUPLED && o->decay.weight != 0;
    const spec_num keep = num_sub(num_exact(h->dtype, 1), num_mul(rate, decay));
    spec_hyper apart = *h;
    if (is_coupled) apart.optim.decay.weight = 0;
    for (int64_t j = 0; j < x->n; ++j) {
        const spec_num d = spec_prepare(&apart, &x->w[j], g[j]);
        if (is_coupled) x->w[j] = num_mul(x->w[j], keep);
        x->w[j] = num_sub(x->w[j], num_mul(rate, d));
    }
}

void spec_rowwise_adagrad(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    spec_num *const s = x->s[0];
    *s = num_add(*s, spec_row_mean_square(h, x, g));
    const spec_num root = num_add(num_root(num_add(*s, h->inside)), h->outside);
    if (h->optim.preset == SPARCL_PRESET_FBGEMM)
        step_with_rate(h, x, g, root);
    else
        for (int64_t j = 0; j < x->n; ++j) {
            const spec_num d = spec_prepare(h, &x->w[j], g[j]);
            x->w[j] = num_sub(x->w[j], num_div(num_mul(h->lr, d), root));
        }
    spec_row_shorten(h, x);
}

void spec_rowwise_lars(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    const sparcl_optim *const o = &h->optim;
    const bool decays = o->decay.kind == SPARCL_DECAY_COUPLED && o->decay.weight != 0;
    const spec_num zero = num_exact(h->dtype, 0), decay = decays ? h->decay : zero;
    const spec_num length = spec_row_norm(h, x, g, spec_row_weight),
                   slope = spec_row_norm(h, x, g, spec_row_gradient);
    spec_num rate = h->lr;
    if (length.order > 0 && slope.order > 0)
        rate = num_div(num_mul(num_of(h->dtype, o->lr * o->eta), length),
                       num_add(slope, num_mul(decay, length)));
    for (int64_t j = 0; j < x->n; ++j) {
        spec_num d = spec_prepare(h, &x->w[j], g[j]);
        if (decays) d = num_add(d, num_mul(decay, x->w[j]));
        x->s[0][j] = num_add(num_mul(h->momentum, x->s[0][j]), num_mul(rate, d));
        x->w[j] = num_sub(x->w[j], x->s[0][j]);
    }
    spec_row_shorten(h, x);
}

/* The factor of the weights of a row that had its last step at `last`. */
static spec_num shrinkage(const spec_hyper *h, spec_num last) {
    const sparcl_optim *const o = &h->optim;
    const spec_num one = num_exact(h->dtype, 1), now = num_of(h->dtype, (double)o->step);
    const spec_num gap = last.order == 0 ? one : num_sub(now, last);
    const spec_num rest = num_sub(one, num_mul(num_of(h->dtype, o->lr * o->rmsprop.ar_alpha), gap));
    const spec_num limited = num_largest(num_of(h->dtype, o->rmsprop.min_shrinkage), rest);
    return num_neg(num_largest(num_neg(one), num_neg(limited)));
}

void spec_rowwise_rmsprop(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    const sparcl_optim *const o = &h->optim;
    const bool decays = o->decay.weight != 0 && o->decay.kind != SPARCL_DECAY_COUPLED;
    const spec_num rest = num_of(h->dtype, (double)(1 - (float)o->rmsprop.rho));
    const spec_num mean = num_mul(rest, spec_row_mean_square(h, x, g)), before = *x->s[0];
    const spec_num keep = shrinkage(h, *x->s[1]);
    *x->s[0] = num_add(num_mul(num_of(h->dtype, o->rmsprop.rho), before), mean);
    *x->s[1] = num_of(h->dtype, (double)o->step);
    const spec_num rate = num_div(h->lr, num_add(num_root(*x->s[0]), h->epsilon));
    const spec_num factor =
        decays ? num_mul(num_of(h->dtype, 1 - o->lr * o->decay.weight), keep) : keep;
    spec_hyper apart = *h;
    if (decays) apart.optim.decay.weight = 0;
    for (int64_t j = 0; j < x->n; ++j) {
        const spec_num d = spec_prepare(&apart, &x->w[j], g[j]);
        x->w[j] = num_sub(num_mul(x->w[j], factor), num_mul(rate, d));
    }
    spec_row_shorten(h, x);
}
