/* lazy_rule.c: what a step without a gradient does to a row, rule by rule. */
#include "optim/lazy_rule.h"
#include "sparcl/optim_text.h"

#include <math.h>

uint32_t spc_lazy_form_of(const sparcl_optim *o) {
    switch (o->rule) {
    case SPARCL_RULE_MOMENTUM:
        return SPC_LAZY_MOMENTUM;
    case SPARCL_RULE_ADAM:
    case SPARCL_RULE_NADAM:
        return SPC_LAZY_ROOT | SPC_LAZY_FADE_T;
    case SPARCL_RULE_AMSGRAD:
        return SPC_LAZY_ROOT | SPC_LAZY_FADE_T | SPC_LAZY_LARGEST;
    case SPARCL_RULE_RMSPROP:
        return SPC_LAZY_FADE_T;
    case SPARCL_RULE_RMSPROP_MOMENTUM:
        return SPC_LAZY_FADE_T | SPC_LAZY_MOMENTUM;
    case SPARCL_RULE_RMSPROP_CENTERED:
    case SPARCL_RULE_ADADELTA:
        return SPC_LAZY_FADE_T | SPC_LAZY_FADE_U;
    case SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM:
        return SPC_LAZY_FADE_T | SPC_LAZY_FADE_U | SPC_LAZY_MOMENTUM;
    case SPARCL_RULE_FTRL:
    case SPARCL_RULE_ADAGRAD_DA:
        return SPC_LAZY_REMADE;
    default:
        return 0;
    }
}

/* The share of its weight that a row loses in a step. Without a gradient SGD's coupled decay is
 * nothing else. */
static double share_of(const sparcl_optim *o, const spc_hyper *h) {
    if (o->decay.kind == SPARCL_DECAY_COUPLED)
        return o->rule == SPARCL_RULE_SGD ? o->lr * o->decay.weight : 0;
    return h->shrink != 0 ? h->shrink * h->shrink_lr : o->lr * o->decay.weight;
}

/* The weight loses this many times the new buffer. */
static double momentum_rate(const sparcl_optim *o, const spc_hyper *h) {
    if (o->rule != SPARCL_RULE_MOMENTUM) /* cl/rule_rmsprop.cl */
        return h->form & SPC_FORM_RATE_OUTSIDE ? o->lr : h->form & SPC_FORM_NEGATIVE ? -1 : 1;
    const double factor = o->momentum.nesterov ? o->momentum.factor : 1;
    const bool is_outside = o->preset == SPARCL_PRESET_TORCH || o->preset == SPARCL_PRESET_TF1;
    return is_outside ? o->lr * factor : -factor;
}

/* w -= rate m / (sqrt(v) + epsilon), where the rule has epsilon outside of the corrected root. */
static void nadam_step(const spc_hyper *h, spc_lazy_step *step) {
    const double root = sqrt(h->nadam.correction2), factor = h->nadam.mean_factor;
    const double rate =
        h->form & SPC_FORM_TWO_UPDATES ? factor : h->lr * factor / h->nadam.mean_divisor;
    step->rate = rate * root; /* cl/rule_nadam.cl */
    step->epsilon = h->nadam.epsilon * root;
}

spc_lazy_step spc_lazy_step_of(const sparcl_optim *o) {
    const spc_hyper h = spc_hyper_of(spc_rule_of(o->rule), o);
    spc_lazy_step step = {.share = share_of(o, &h)};
    const uint32_t form = spc_lazy_form_of(o);
    if (form & SPC_LAZY_REMADE) return (spc_lazy_step){.share = 0};
    if (form & SPC_LAZY_MOMENTUM) step.rate = momentum_rate(o, &h);
    if (o->rule == SPARCL_RULE_NADAM) nadam_step(&h, &step);
    if (!(form & SPC_LAZY_ROOT) || o->rule == SPARCL_RULE_NADAM) return step;
    const double second = h.adam.correction2;
    const bool divides_moments = h.adam.correction1 != 1 || h.form & SPC_FORM_CORRECTED_MEANS;
    const double root = divides_moments ? sqrt(second) : second; /* cl/rule_adam.cl */
    step.rate = h.lr * root / h.adam.correction1;
    step.epsilon = h.adam.epsilon_outside * root;
    return step;
}

/* The least number of steps with ratio^steps <= 2^-bits, by the powers of power.h: it decides which
 * elements are replayed, and must not depend on the C library. */
int64_t spc_lazy_steps_until(double ratio, int bits) {
    double limit = 1;
    int64_t low = 0, high = 1;
    if (ratio >= 1) return INT32_MAX;
    for (int i = 0; i < bits; ++i)
        limit /= 2;
    while (high < INT32_MAX && spc_power(ratio, high) > limit)
        low = high, high = 2 * high < INT32_MAX ? 2 * high : INT32_MAX;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(spc_power(ratio, middle) > limit ? &low : &high) = middle;
    }
    return high;
}

/* `bits` of a number count. */
static spc_lazy_series root_series(const sparcl_optim *o, spc_lazy_series s, int bits) {
    s.root = o->rule == SPARCL_RULE_AMSGRAD ? 1 : sqrt(s.second);
    for (int q = 0; q < SPC_LAZY_TERMS; ++q)
        s.ratio[q] = (q ? s.ratio[q - 1] : s.first) / s.root;
    s.window = spc_lazy_steps_until(s.ratio[SPC_LAZY_TERMS - 1], bits);
    /* The root shrinks while the row moves. */
    const double shrunk = spc_power(s.root, spc_lazy_steps_until(s.ratio[0], bits));
    s.limit = (bits == 60 ? 0x1p-13 : 0x1p-7) * shrunk;
    return s;
}

spc_lazy_series spc_lazy_series_of(const sparcl_optim *o, sparcl_dtype dtype) {
    const int bits = dtype == SPARCL_F64 ? 60 : 30;
    const uint32_t form = spc_lazy_form_of(o);
    spc_lazy_series s = {.first = 1, .second = 1, .root = 1, .limit = 1};
    if (form == 0 || form & SPC_LAZY_REMADE) return s;
    s.second = form & SPC_LAZY_ROOT ? o->adam.beta2 : o->rmsprop.rho;
    s.first = form & SPC_LAZY_ROOT       ? o->adam.beta1
              : form & SPC_LAZY_MOMENTUM ? o->momentum.factor
                                         : 1;
    if (o->rule == SPARCL_RULE_NADAM && o->preset == SPARCL_PRESET_KERAS3) {
        s.first = 1 - (double)(1 - (float)o->adam.beta1); /* Keras has betas in float */
        s.second = 1 - (double)(1 - (float)o->adam.beta2);
    }
    if (form & SPC_LAZY_MOMENTUM) {
        s.ratio[0] = s.first;
        s.window = spc_lazy_steps_until(s.first, bits);
    }
    return form & SPC_LAZY_ROOT ? root_series(o, s, bits) : s;
}

/* The rules of which a step without a gradient is known here. */
static bool has_closed_form(sparcl_rule rule) {
    return rule == SPARCL_RULE_SGD || rule == SPARCL_RULE_ADAGRAD ||
           spc_lazy_form_of(&(sparcl_optim){.rule = rule}) != 0;
}

/* A coupled decay that is a part of the gradient: not that of SGD, which has a closed form, nor
 * that of MXNet's and HugeCTR's FTRL, which is in a divisor. */
static bool couples(const sparcl_optim *o) {
    if (o->decay.weight == 0 || o->decay.kind != SPARCL_DECAY_COUPLED) return false;
    if (o->rule == SPARCL_RULE_FTRL) return spc_hyper_of(spc_rule_of(o->rule), o).decay != 0;
    return o->rule != SPARCL_RULE_SGD;
}

const char *spc_lazy_refusal(const sparcl_optim *o) {
    const uint32_t form = spc_lazy_form_of(o);
    if (!has_closed_form(o->rule))
        return "any settings, expected SGD, MOMENTUM, ADAGRAD, ADAM, AMSGRAD, NADAM, an "
               "RMSPROP, ADADELTA, FTRL or ADAGRAD_DA";
    if (spc_has_half_states(o)) return "a state_type of 16 bits, expected that of the table";
    if (couples(o)) return "a coupled weight_decay, expected a decoupled or global one";
    if (o->decay.weight != 0 && o->decay.kind == SPARCL_DECAY_INSIDE)
        return "a weight_decay inside of the move, expected a decoupled or global one";
    if (o->rule == SPARCL_RULE_FTRL && o->ftrl.l2_shrinkage != 0) return "l2_shrinkage, expected 0";
    if (form & SPC_LAZY_FADE_T && !(form & SPC_LAZY_ROOT) && o->clip.weights < (double)INFINITY)
        return "clip_weights, expected INFINITY";
    if (form & SPC_LAZY_ROOT && o->rule != SPARCL_RULE_NADAM &&
        o->epsilon_place == SPARCL_EPSILON_INSIDE && o->epsilon != 0)
        return "an epsilon inside of the root, expected outside";
    if (form & SPC_LAZY_ROOT && o->adam.beta2 == 0) return "beta2 0, expected more";
    return NULL;
}

bool spc_lazy_rests(const sparcl_optim *o) {
    return spc_lazy_form_of(o) == 0 && o->decay.weight == 0 && has_closed_form(o->rule);
}

bool spc_lazy_takes(const sparcl_optim *o) {
    return !spc_lazy_refusal(o);
}

bool spc_catches_up(const sparcl_optim *o) {
    return spc_rule_of(o->rule) && spc_rule_of(o->rule)->catches_up && !spc_has_half_states(o) &&
           o->preset == SPARCL_PRESET_TORCH && !o->momentum.nesterov &&
           o->momentum.dampening == 0 && o->decay.kind == SPARCL_DECAY_COUPLED;
}

const char *sparcl_optim_exact_refusal(const sparcl_optim *optim) {
    if (!optim || !spc_rule_of(optim->rule)) return "no optimizer, expected a sparcl_rule";
    return spc_catches_up(optim) ? NULL : spc_lazy_refusal(optim);
}
