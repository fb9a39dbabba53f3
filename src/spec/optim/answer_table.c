/* answer_table.c: the plain-C answers of rules whose rate has norms of the whole table. */
#include <math.h>

#include "spec/optim/rule_answer.h"

bool spec_is_by_table(sparcl_rule rule) {
    return rule == SPARCL_RULE_LAMB || rule == SPARCL_RULE_LARS;
}

/* 1 - beta^t in float. */
static spec_num correction(const spec_hyper *h, double beta) {
    const float power = (float)spec_power_of((double)(float)beta, h->optim.step);
    return num_of(h->dtype, (double)(1 - power));
}

static bool is_keras(const spec_hyper *h) {
    return h->optim.preset == SPARCL_PRESET_KERAS3;
}

static bool is_mxnet(const spec_hyper *h) {
    return h->optim.preset == SPARCL_PRESET_MXNET;
}

void spec_lamb_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    if (!is_keras(h)) {
        h->rest1 = num_of(h->dtype, (double)(1 - (float)o->adam.beta1));
        h->rest2 = num_of(h->dtype, (double)(1 - (float)o->adam.beta2));
    }
    if (o->adam.no_bias_correction) return;
    h->correction1 = correction(h, o->adam.beta1);
    h->correction2 = correction(h, o->adam.beta2);
}

/* What is added to v. */
static spec_num square(const spec_hyper *h, spec_num g) {
    if (is_keras(h)) return num_mul(g, g);
    return is_mxnet(h) ? num_mul(num_mul(h->rest2, g), g) : num_mul(h->rest2, num_mul(g, g));
}

static void lamb(const spec_hyper *h, spec_result *x, spec_num g, spec_num squares) {
    spec_num *const m = &x->s[0], *const v = &x->s[1];
    if (is_keras(h)) {
        *m = num_add(*m, num_mul(num_sub(g, *m), h->rest1));
        *v = num_add(*v, num_mul(num_sub(squares, *v), h->rest2));
    } else {
        *m = num_add(num_mul(h->beta1, *m), num_mul(h->rest1, g));
        *v = num_add(num_mul(h->beta2, *v), squares);
    }
    const spec_num root = num_add(num_root(num_div(*v, h->correction2)), h->epsilon);
    x->s[2] = num_div(num_div(*m, h->correction1), root);
    if (spec_decays_inside(&h->optim)) x->s[2] = num_add(x->s[2], num_mul(h->decay, x->w));
}

void spec_lamb(const spec_hyper *h, spec_result *x, spec_num g) {
    lamb(h, x, g, square(h, g));
}

void spec_lamb_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count) {
    lamb(h, x, spec_sum_of_rows(h, g, count, NULL), spec_sum_of_rows(h, g, count, square));
}

void spec_lars_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    if (o->momentum.last_lr != 0)
        h->momentum = num_of(h->dtype, o->momentum.factor * (o->lr / o->momentum.last_lr));
}

void spec_lars(const spec_hyper *h, spec_result *x, spec_num g) {
    (void)h;
    x->s[1] = g;
}

static spec_num rate_of_lamb(const spec_hyper *h, spec_num weight, spec_num move) {
    const spec_num most = num_of(h->dtype, h->optim.trust.upper_bound);
    weight = num_largest(weight, num_of(h->dtype, h->optim.trust.lower_bound));
    if (!isinf(most.order)) weight = num_neg(num_largest(num_neg(weight), num_neg(most)));
    if (!(weight.order > 0 && move.order > 0)) return h->lr;
    return is_mxnet(h) ? num_div(num_mul(h->lr, weight), move)
                       : num_mul(num_div(weight, move), h->lr);
}

/* The coupled decay of LARS; 0: none. */
static spec_num decay_of_lars(const spec_hyper *h) {
    return spec_decays_itself(&h->optim) ? h->decay : num_exact(h->dtype, 0);
}

static spec_num rate_of_lars(const spec_hyper *h, spec_num weight, spec_num gradient) {
    if (!(weight.order > 0 && gradient.order > 0)) return h->lr;
    const spec_num above = num_mul(num_mul(h->lr, num_of(h->dtype, h->optim.eta)), weight);
    const spec_num below = num_add(gradient, num_mul(decay_of_lars(h), weight));
    return num_div(above, num_add(below, h->epsilon));
}

spec_num spec_rate_of_table(const spec_hyper *h, spec_num weight_norm, spec_num move_norm) {
    const bool is_lamb = h->optim.rule == SPARCL_RULE_LAMB;
    return (is_lamb ? rate_of_lamb : rate_of_lars)(h, weight_norm, move_norm);
}

static void lars(const spec_hyper *h, spec_result *x, spec_num g, spec_num rate) {
    const spec_num step = num_mul(rate, num_clip(g, num_of(h->dtype, h->optim.clip.value)));
    const spec_num decay = num_mul(rate, decay_of_lars(h));
    const bool decays = decay_of_lars(h).order != 0;
    if (h->optim.momentum.factor == 0) {
        if (decays) x->w = num_mul(x->w, num_sub(num_exact(h->dtype, 1), decay));
        x->w = num_sub(x->w, step);
        return;
    }
    x->s[0] = num_mul(x->s[0], h->momentum);
    if (decays) x->s[0] = num_sub(x->s[0], num_mul(decay, x->w));
    x->s[0] = num_sub(x->s[0], step);
    x->w = num_add(x->w, x->s[0]);
}

void spec_step_by_ratio(const spec_hyper *h, spec_result *x, spec_num move, spec_num rate) {
    if (h->optim.rule == SPARCL_RULE_LARS)
        lars(h, x, move, rate);
    else
        x->w = num_sub(x->w, num_mul(rate, move));
}
