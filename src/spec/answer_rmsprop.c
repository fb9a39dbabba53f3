/* answer_rmsprop.c: the plain-C answers of RMSProp, its forms, and Adadelta. */
#include "spec/rule_answer.h"

/* rest1: 1 - rho; beta1: rho. */
void spec_rmsprop_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    const bool is_adadelta = o->rule == SPARCL_RULE_ADADELTA;
    const bool in_float =
        o->profile == SPARCL_PROFILE_TF1 || (o->profile == SPARCL_PROFILE_MXNET && !is_adadelta);
    h->beta1 = num_of(h->dtype, o->rho);
    h->rest1 = num_of(h->dtype, in_float ? (double)(1 - (float)o->rho) : 1 - o->rho);
    h->more = num_of(h->dtype, is_adadelta ? o->epsilon : o->clip_weights);
}

/* The part of the square that is new. */
static spec_num square(const spec_hyper *h, spec_num x, bool from_left) {
    if (from_left) return num_mul(num_mul(h->rest1, x), x);
    return num_mul(h->rest1, num_mul(x, x));
}

static spec_num divisor(const spec_hyper *h, const spec_result *x, bool is_centered) {
    spec_num inside = x->s[0];
    if (h->optim.profile == SPARCL_PROFILE_TF1) inside = num_add(inside, h->inside);
    if (is_centered) inside = num_sub(inside, num_mul(x->s[1], x->s[1]));
    if (h->optim.profile != SPARCL_PROFILE_TF1) inside = num_add(inside, h->inside);
    return num_add(num_root(inside), h->outside);
}

static bool has_momentum(const sparcl_optim *o) {
    return o->rule == SPARCL_RULE_RMSPROP_MOMENTUM ||
           o->rule == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM;
}

/* The rate is outside of the buffer and of the quotient. */
static bool has_rate_outside(const sparcl_optim *o) {
    if (o->profile == SPARCL_PROFILE_TORCH) return has_momentum(o);
    return o->profile == SPARCL_PROFILE_MXNET && o->rule == SPARCL_RULE_RMSPROP;
}

static spec_num quotient(const spec_hyper *h, spec_num g, spec_num root) {
    if (has_rate_outside(&h->optim)) return num_div(g, root);
    if (h->optim.profile == SPARCL_PROFILE_TF1)
        return num_mul(num_mul(num_div(num_exact(h->dtype, 1), root), h->lr), g);
    return num_div(num_mul(h->lr, g), root);
}

void spec_rmsprop(const spec_hyper *h, spec_result *x, spec_num g) {
    const sparcl_optim *const o = &h->optim;
    const bool is_centered =
        o->rule == SPARCL_RULE_RMSPROP_CENTERED || o->rule == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM;
    const bool is_torch = o->profile == SPARCL_PROFILE_TORCH;
    const bool is_negative = o->profile == SPARCL_PROFILE_MXNET && is_centered;
    spec_num *const b = &x->s[is_centered ? 2 : 1];
    x->s[0] = num_add(num_mul(h->beta1, x->s[0]), square(h, g, is_torch || is_negative));
    if (is_centered && is_torch)
        x->s[1] = num_add(x->s[1], num_mul(num_sub(g, x->s[1]), h->rest1));
    else if (is_centered)
        x->s[1] = num_add(num_mul(h->beta1, x->s[1]), num_mul(h->rest1, g));
    spec_num move = quotient(h, g, divisor(h, x, is_centered));
    if (is_negative) move = num_neg(move);
    if (has_momentum(o)) *b = move = num_add(num_mul(h->momentum, *b), move);
    if (is_negative) move = num_neg(move);
    if (has_rate_outside(o)) move = num_mul(h->lr, move);
    x->w = num_clip(num_sub(x->w, move), h->more);
}

void spec_adadelta(const spec_hyper *h, spec_result *x, spec_num g) {
    const sparcl_rule_profile profile = h->optim.profile;
    const bool from_left = profile == SPARCL_PROFILE_TORCH || profile == SPARCL_PROFILE_MXNET;
    x->s[0] = num_add(num_mul(h->beta1, x->s[0]), square(h, g, from_left));
    const spec_num above = num_root(num_add(x->s[1], h->more)),
                   below = num_root(num_add(x->s[0], h->more));
    spec_num move;
    if (profile == SPARCL_PROFILE_KERAS3)
        move = num_div(num_mul(above, g), below);
    else if (profile == SPARCL_PROFILE_TF1)
        move = num_mul(num_mul(above, num_div(num_exact(h->dtype, 1), below)), g);
    else
        move = num_mul(num_div(above, below), g);
    x->s[1] = num_add(num_mul(h->beta1, x->s[1]), square(h, move, from_left));
    if (spec_decays_itself(&h->optim) && h->optim.weight_decay != 0)
        move = num_add(move, num_mul(num_of(h->dtype, h->optim.weight_decay), x->w));
    x->w = num_sub(x->w, num_mul(h->lr, move));
}
