/* rules_sign.c: rules that move by a sign: sign descent, Signum, Lion. */
#include "optim/rules.h"

/* cl/rule_sign.cl */
enum { SIGNUM = 1, LION = 2 };

static void signsgd_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->d = (double)(1 - (float)o->lr * (float)h->decay);
    h->decay = 0;
}

static void signum_hyper(const sparcl_optim *o, spc_hyper *h) {
    const float rest = 1 - (float)o->momentum;
    h->form = SIGNUM;
    h->a = o->momentum;
    h->b = (double)rest;
    h->c = (double)(rest * (float)h->decay);
    h->d = (double)(1 - (float)o->lr * (float)o->wd_lh);
    h->decay = 0;
}

static void lion_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->form = LION;
    h->a = (double)(1 - (float)o->beta1);
    h->b = (double)(1 - (float)o->beta2);
    h->c = o->beta1;
    h->d = o->beta2;
}

#define OF_MXNET .step = 1, .lr = 0.01, .duplicates = SPARCL_DUPLICATES_SEPARATE

const spc_rule spc_rule_signsgd = {.name = "signsgd",
                                   .formula = "w -= lr sign(g)",
                                   .stem = "panel+partition+runs+rule_sign+step+absent",
                                   .profiles = {[SPARCL_PROFILE_MXNET] = {OF_MXNET}},
                                   .hyper = signsgd_hyper};

const spc_rule spc_rule_signum = {
    .name = "signum",
    .formula = "b = momentum b - (1 - momentum) g;  w = (1 - lr wd_lh) w + lr sign(b)",
    .uses = "momentum wd_lh",
    .stem = "panel+partition+runs+rule_sign+step+absent",
    .states = 1,
    .state_names = {"b"},
    .profiles = {[SPARCL_PROFILE_MXNET] = {OF_MXNET, .momentum = 0.9}},
    .hyper = signum_hyper};

const spc_rule spc_rule_lion = {
    .name = "lion",
    .formula = "w -= lr sign(beta1 m + (1 - beta1) g);  m = beta2 m + (1 - beta2) g",
    .uses = "beta1 beta2",
    .stem = "panel+partition+runs+rule_sign+step+absent",
    .states = 1,
    .state_names = {"m"},
    .profiles = {[SPARCL_PROFILE_KERAS3] = {.step = 1,
                                            .lr = 0.001,
                                            .beta1 = 0.9,
                                            .beta2 = 0.99,
                                            .moves = SPARCL_MOVES_ALL,
                                            .decay = SPARCL_DECAY_GLOBAL}},
    .hyper = lion_hyper};
