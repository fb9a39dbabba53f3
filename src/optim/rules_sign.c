/* rules_sign.c: rules whose update is a sign: sign descent, Signum, Lion. */
#include "optim/rules.h"

/* cl/rule_sign.cl */
static void signsgd_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->sign.weight_factor = (double)(1 - (float)o->lr * (float)h->decay);
    h->decay = 0;
}

static void signum_hyper(const sparcl_optim *o, spc_hyper *h) {
    const float rest = 1 - (float)o->momentum.factor;
    h->sign.weight_factor = (double)(1 - (float)o->lr * (float)o->decay.signum);
    h->sign.momentum = o->momentum.factor;
    h->sign.rest = (double)rest;
    h->sign.update_decay = (double)(rest * (float)h->decay);
    h->decay = 0;
}

static void lion_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->sign.rest1 = spc_float_rest(o->adam.beta1);
    h->sign.rest2 = spc_float_rest(o->adam.beta2);
    h->sign.beta1 = o->adam.beta1;
    h->sign.beta2 = o->adam.beta2;
}

const spc_rule spc_rule_signsgd = {.name = "signsgd",
                                   .formula = "w -= lr sign(g)",
                                   .stem = "hyper+panel+partition+runs+rule_sign+step+absent",
                                   .presets = {SPC_OF(MXNET, .lr = 0.01, SPC_SEPARATE)},
                                   .hyper = signsgd_hyper};

const spc_rule spc_rule_signum = {
    .name = "signum",
    .formula = "b = momentum b - (1 - momentum) g;  w = (1 - lr wd_lh) w + lr sign(b)",
    .uses = "momentum wd_lh",
    .stem = "hyper+panel+partition+runs+rule_sign+step+absent",
    .states = 1,
    .state_names = {"b"},
    .presets = {SPC_OF(MXNET, .lr = 0.01, .momentum.factor = 0.9, SPC_SEPARATE)},
    .form = SPC_FORM_SIGNUM,
    .hyper = signum_hyper};

const spc_rule spc_rule_lion = {
    .name = "lion",
    .formula = "w -= lr sign(beta1 m + (1 - beta1) g);  m = beta2 m + (1 - beta2) g",
    .uses = "beta1 beta2",
    .stem = "hyper+panel+partition+runs+rule_sign+step+absent",
    .states = 1,
    .state_names = {"m"},
    .presets = {SPC_OF(KERAS3, .lr = 0.001, .adam.beta1 = 0.9, .adam.beta2 = 0.99,
                       .moves = SPARCL_MOVES_ALL, .decay.kind = SPARCL_DECAY_GLOBAL)},
    .form = SPC_FORM_LION,
    .hyper = lion_hyper};
