/* answer_rmsprop.c: the plain-C answers of RMSProp, its forms, and Adadelta. */
#include "spec/optim/rule_answer.h"

/* rest1: 1 - rho; beta1: rho. */
void spec_rmsprop_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    const bool is_adadelta = o->rule == SPARCL_RULE_ADADELTA;
    const bool in_float =
        o->preset == SPARCL_PRESET_TF1 || (o->preset == SPARCL_PRESET_MXNET && !is_adadelta);
    h->beta1 = num_of(h->dtype, o->rmsprop.rho);
    h->rest1 =
        num_of(h->dtype, in_float ? (double)(1 - (float)o->rmsprop.rho) : 1 - o->rmsprop.rho);
    h->more = num_of(h->dtype, is_adadelta ? o->epsilon : o->clip.weights);
}

static bool is_centered_of(const sparcl_optim *o) {
    return o->rule == SPARCL_RULE_RMSPROP_CENTERED ||
           o->rule == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM;
}

/* The part of the square that is new. */
static spec_num square(const spec_hyper *h, spec_num x) {
    const sparcl_optim *const o = &h->optim;
    const bool from_left = o->preset == SPARCL_PRESET_TORCH ||
                           (o->preset == SPARCL_PRESET_MXNET &&
                            (o->rule == SPARCL_RULE_ADADELTA || is_centered_of(o)));
    if (from_left) return num_mul(num_mul(h->rest1, x), x);
    return num_mul(h->rest1, num_mul(x, x));
}

/* The part of the mean that is new, or the gradient of which it is a part. */
static spec_num mean_part(const spec_hyper *h, spec_num g) {
    return h->optim.preset == SPARCL_PRESET_TORCH ? g : num_mul(h->rest1, g);
}

static spec_num divisor(const spec_hyper *h, const spec_result *x, bool is_centered) {
    spec_num inside = x->s[0];
    if (h->optim.preset == SPARCL_PRESET_TF1) inside = num_add(inside, h->inside);
    if (is_centered) inside = num_sub(inside, num_mul(x->s[1], x->s[1]));
    if (h->optim.preset != SPARCL_PRESET_TF1) inside = num_add(inside, h->inside);
    return num_add(num_root(inside), h->outside);
}

static bool has_momentum(const sparcl_optim *o) {
    return o->rule == SPARCL_RULE_RMSPROP_MOMENTUM ||
           o->rule == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM;
}

/* The rate is outside of the buffer and of the quotient. */
static bool has_rate_outside(const sparcl_optim *o) {
    if (o->preset == SPARCL_PRESET_TORCH) return has_momentum(o);
    return o->preset == SPARCL_PRESET_MXNET && o->rule == SPARCL_RULE_RMSPROP;
}

static spec_num quotient(const spec_hyper *h, spec_num g, spec_num root) {
    if (has_rate_outside(&h->optim)) return num_div(g, root);
    if (h->optim.preset == SPARCL_PRESET_TF1)
        return num_mul(num_mul(num_div(num_exact(h->dtype, 1), root), h->lr), g);
    return num_div(num_mul(h->lr, g), root);
}

static void means(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count) {
    x->s[0] = num_add(num_mul(h->beta1, x->s[0]), spec_sum_of_rows(h, g, count, square));
    if (!is_centered_of(&h->optim)) return;
    const spec_num part = spec_sum_of_rows(h, g, count, mean_part);
    if (h->optim.preset == SPARCL_PRESET_TORCH)
        x->s[1] = num_add(x->s[1], num_mul(num_sub(part, x->s[1]), h->rest1));
    else
        x->s[1] = num_add(num_mul(h->beta1, x->s[1]), part);
}

/* With momentum the moves of all rows are a part of it; without, each row moves the weights. */
void spec_rmsprop_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count) {
    const sparcl_optim *const o = &h->optim;
    const bool is_centered = is_centered_of(o);
    const bool is_negative = o->preset == SPARCL_PRESET_MXNET && is_centered;
    spec_num *const b = &x->s[is_centered ? 2 : 1], moves = num_exact(h->dtype, 0);
    means(h, x, g, count);
    const spec_num root = divisor(h, x, is_centered);
    for (int64_t k = 0; k < count; ++k) {
        const spec_num move = quotient(h, g[k], root);
        moves = k == 0 ? move : num_add(moves, move);
        if (!has_momentum(o))
            x->w = num_sub(x->w, has_rate_outside(o) ? num_mul(h->lr, move) : move);
    }
    if (has_momentum(o)) {
        *b = num_add(num_mul(h->momentum, *b), is_negative ? num_neg(moves) : moves);
        moves = is_negative ? num_neg(*b) : *b;
        x->w = num_sub(x->w, has_rate_outside(o) ? num_mul(h->lr, moves) : moves);
    }
    x->w = num_clip(x->w, h->more);
}

void spec_rmsprop(const spec_hyper *h, spec_result *x, spec_num g) {
    spec_rmsprop_rows(h, x, &g, 1);
}

static spec_num adadelta_move(const spec_hyper *h, spec_num above, spec_num below, spec_num g) {
    const sparcl_preset preset = h->optim.preset;
    if (preset == SPARCL_PRESET_KERAS3) return num_div(num_mul(above, g), below);
    if (preset == SPARCL_PRESET_TF1)
        return num_mul(num_mul(above, num_div(num_exact(h->dtype, 1), below)), g);
    return num_mul(num_div(above, below), g);
}

void spec_adadelta_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count) {
    const bool decays = spec_decays_itself(&h->optim) && h->optim.decay.weight != 0;
    spec_num moves = num_exact(h->dtype, 0);
    x->s[0] = num_add(num_mul(h->beta1, x->s[0]), spec_sum_of_rows(h, g, count, square));
    const spec_num above = num_root(num_add(x->s[1], h->more)),
                   below = num_root(num_add(x->s[0], h->more));
    for (int64_t k = 0; k < count; ++k) {
        spec_num move = adadelta_move(h, above, below, g[k]);
        moves = k == 0 ? square(h, move) : num_add(moves, square(h, move));
        if (decays && k == 0)
            move = num_add(move, num_mul(num_of(h->dtype, h->optim.decay.weight), x->w));
        x->w = num_sub(x->w, num_mul(h->lr, move));
    }
    x->s[1] = num_add(num_mul(h->beta1, x->s[1]), moves);
}

void spec_adadelta(const spec_hyper *h, spec_result *x, spec_num g) {
    spec_adadelta_rows(h, x, &g, 1);
}
