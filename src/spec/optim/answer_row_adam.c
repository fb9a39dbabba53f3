/* answer_row_adam.c: the plain-C answers of Adam with one v or one number of steps for each row,
 * and of LAMB of rows. */
#include "spec/optim/pair_power.h"
#include "spec/optim/row_sums.h"

/* A decay that is part of the move. */
static bool decays_inside(const spec_hyper *h) {
    return h->optim.decay.kind == SPARCL_DECAY_INSIDE && h->optim.decay.weight != 0;
}

/* m / (1 - beta1^t) / root, and the decay. */
static spec_num move_of(const spec_hyper *h, spec_num m, spec_num root, spec_num w) {
    const spec_num move = num_div(num_div(m, h->correction1), root);
    return decays_inside(h) ? num_add(move, num_mul(h->decay, w)) : move;
}

static spec_num next_mean(const spec_hyper *h, spec_num m, spec_num g) {
    return num_add(num_mul(h->beta1, m), num_mul(h->rest1, g));
}

static spec_num next_square(const spec_hyper *h, spec_num v, spec_num square) {
    return num_add(num_mul(h->beta2, v), num_mul(h->rest2, square));
}

static spec_num root_of(const spec_hyper *h, spec_num v) {
    return num_add(num_root(num_div(v, h->correction2)), h->epsilon);
}

void spec_row_moments_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    if (o->adam.no_bias_correction) return;
    h->correction1 = num_of(h->dtype, 1 - spec_power_of(o->adam.beta1, o->step));
    h->correction2 = num_of(h->dtype, 1 - spec_power_of(o->adam.beta2, o->step));
}

void spec_rowwise_adam(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    spec_num *const v = x->s[1];
    *v = next_square(h, *v, spec_row_mean_square(h, x, g));
    const spec_num root = root_of(h, *v);
    for (int64_t j = 0; j < x->n; ++j) {
        const spec_num d = spec_prepare(h, &x->w[j], g[j]);
        x->s[0][j] = next_mean(h, x->s[0][j], d);
        x->w[j] = num_sub(x->w[j], num_mul(h->lr, move_of(h, x->s[0][j], root, x->w[j])));
    }
    spec_row_shorten(h, x);
}

/* The move of LAMB, from the states after the step; *w prepared. */
static spec_num lamb_move(const spec_hyper *h, const spec_row *x, const spec_num *g, int64_t j,
                          spec_result *to) {
    to->w = x->w[j];
    const spec_num d = spec_prepare(h, &to->w, g[j]);
    to->s[0] = next_mean(h, x->s[0][j], d);
    to->s[1] = next_square(h, x->s[1][j], num_mul(d, d));
    return move_of(h, to->s[0], root_of(h, to->s[1]), to->w);
}

static spec_num move_term(const spec_hyper *h, const spec_row *x, const spec_num *g, int64_t j) {
    spec_result to;
    return lamb_move(h, x, g, j, &to);
}

void spec_rowwise_lamb(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    const spec_num length = spec_row_norm(h, x, g, spec_row_weight),
                   move = spec_row_norm(h, x, g, move_term);
    const bool has_ratio = length.order > 0 && move.order > 0;
    const spec_num rate =
        num_mul(h->lr, has_ratio ? num_div(length, move) : num_exact(h->dtype, 1));
    for (int64_t j = 0; j < x->n; ++j) {
        spec_result to;
        const spec_num r = lamb_move(h, x, g, j, &to);
        x->w[j] = num_sub(to.w, num_mul(rate, r));
        x->s[0][j] = to.s[0];
        x->s[1][j] = to.s[1];
    }
    spec_row_shorten(h, x);
}

/* 1 - beta^n. */
static spec_num correction_of(const spec_hyper *h, spec_num beta, double n) {
    const spec_num exact = num_exact(h->dtype, beta.order);
    return num_sub(num_exact(h->dtype, 1), spec_power_of_pairs(exact, (int64_t)n));
}

void spec_adam_row_steps(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    const sparcl_optim *const o = &h->optim;
    spec_num *const n = x->s[2], one = num_exact(h->dtype, 1);
    spec_hyper own = *h;
    *n = num_add(*n, one);
    own.correction1 = o->adam.no_bias_correction ? one : correction_of(h, h->beta1, n->order);
    own.correction2 = o->adam.no_bias_correction ? one : correction_of(h, h->beta2, n->order);
    for (int64_t j = 0; j < x->n; ++j) {
        spec_num *const m = &x->s[0][j], *const v = &x->s[1][j];
        const spec_num d = spec_prepare(h, &x->w[j], g[j]);
        *m = next_mean(h, *m, d);
        *v = next_square(h, *v, num_mul(d, d));
        const spec_num mean = num_div(*m, own.correction1), root = root_of(&own, *v);
        const spec_num move = decays_inside(h) ? num_mul(h->lr, move_of(&own, *m, root, x->w[j]))
                                               : num_div(num_mul(h->lr, mean), root);
        x->w[j] = num_sub(x->w[j], move);
    }
    spec_row_shorten(h, x);
}
