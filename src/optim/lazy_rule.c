/* lazy_rule.c: what a step without a gradient does to a row, rule by rule. */
#include "optim/lazy_rule.h"

#include <math.h>

spc_lazy_form spc_lazy_form_of(const sparcl_optim *o) {
    switch (o->rule) {
    case SPARCL_RULE_MOMENTUM:
        return SPC_LAZY_MOMENTUM;
    case SPARCL_RULE_ADAM:
        return SPC_LAZY_ADAM;
    case SPARCL_RULE_AMSGRAD:
        return SPC_LAZY_AMSGRAD;
    default:
        return SPC_LAZY_DECAY;
    }
}

/* The share of its weight that a row loses in a step. Without a gradient SGD's coupled decay is
 * nothing else. */
static double share_of(const sparcl_optim *o, const spc_hyper *h) {
    if (o->decay == SPARCL_DECAY_COUPLED)
        return o->rule == SPARCL_RULE_SGD ? o->lr * o->weight_decay : 0;
    return h->shrink != 0 ? h->shrink * h->shrink_lr : o->lr * o->weight_decay;
}

/* The weight loses this many times the new buffer. */
static double momentum_rate(const sparcl_optim *o) {
    const double factor = o->nesterov ? o->momentum : 1;
    const bool is_outside = o->profile == SPARCL_PROFILE_TORCH || o->profile == SPARCL_PROFILE_TF1;
    return is_outside ? o->lr * factor : -factor;
}

spc_lazy_step spc_lazy_step_of(const sparcl_optim *o) {
    const spc_hyper h = spc_hyper_of(spc_rule_of(o->rule), o);
    spc_lazy_step step = {.share = share_of(o, &h)};
    const spc_lazy_form form = spc_lazy_form_of(o);
    if (form == SPC_LAZY_MOMENTUM) step.rate = momentum_rate(o);
    if (form != SPC_LAZY_ADAM && form != SPC_LAZY_AMSGRAD) return step;
    /* cl/rule_adam.cl: m / g and v / h are used, else the root is divided by h. */
    const bool divides_moments = h.g != 1 || h.form & 16;
    const double root = divides_moments ? sqrt(h.h) : h.h;
    step.rate = h.lr * root / h.g;
    step.epsilon = h.f * root;
    return step;
}

/* Steps until ratio^steps < 2^-bits. */
static int64_t steps_until(double ratio, int bits) {
    if (ratio <= 0) return 1;
    if (ratio >= 1) return INT32_MAX;
    const double steps = ceil(-bits * log(2) / log(ratio));
    return steps < INT32_MAX ? (int64_t)steps : INT32_MAX;
}

spc_lazy_series spc_lazy_series_of(const sparcl_optim *o, sparcl_dtype dtype) {
    const int bits = dtype == SPARCL_F64 ? 60 : 30;
    const spc_lazy_form form = spc_lazy_form_of(o);
    spc_lazy_series s = {.first = 1, .second = 1, .root = 1, .limit = 1};
    if (form == SPC_LAZY_DECAY) return s;
    s.first = form == SPC_LAZY_MOMENTUM ? o->momentum : o->beta1;
    s.ratio[0] = s.first;
    s.window = steps_until(s.first, bits);
    if (form == SPC_LAZY_MOMENTUM) return s;
    s.second = o->beta2;
    s.root = form == SPC_LAZY_ADAM ? sqrt(o->beta2) : 1;
    s.ratio[0] = s.first / s.root;
    for (int q = 1; q < SPC_LAZY_TERMS; ++q)
        s.ratio[q] = s.ratio[q - 1] / s.root;
    s.window = steps_until(s.ratio[SPC_LAZY_TERMS - 1], bits);
    /* The root shrinks while the row moves. */
    const double shrunk = pow(s.root, (double)steps_until(s.ratio[0], bits));
    s.limit = (dtype == SPARCL_F64 ? 0x1p-13 : 0x1p-7) * shrunk;
    return s;
}

/* The rules of which a step without a gradient is known here. */
static bool has_closed_form(sparcl_rule rule) {
    return rule == SPARCL_RULE_SGD || rule == SPARCL_RULE_MOMENTUM || rule == SPARCL_RULE_ADAGRAD ||
           rule == SPARCL_RULE_ADAM || rule == SPARCL_RULE_AMSGRAD;
}

const char *spc_lazy_refusal(const sparcl_optim *o) {
    const spc_lazy_form form = spc_lazy_form_of(o);
    const bool is_adam = form == SPC_LAZY_ADAM || form == SPC_LAZY_AMSGRAD;
    if (!has_closed_form(o->rule))
        return "any settings, expected SGD, MOMENTUM, ADAGRAD, ADAM or AMSGRAD";
    if (o->weight_decay != 0 && o->decay == SPARCL_DECAY_COUPLED && o->rule != SPARCL_RULE_SGD)
        return "a coupled weight_decay, expected a decoupled or global one";
    if (is_adam && o->epsilon_place == SPARCL_EPSILON_INSIDE && o->epsilon != 0)
        return "an epsilon inside of the root, expected outside";
    if (is_adam && o->beta2 == 0) return "beta2 0, expected more";
    return NULL;
}
