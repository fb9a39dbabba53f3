/* rules_adagrad.c: Adagrad. */
#include "optim/rules.h"

static void adagrad_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->lr = o->lr / (1 + (double)(o->step - 1) * o->adagrad.lr_decay);
    h->adagrad.epsilon_inside = spc_epsilon_inside(o);
    h->adagrad.epsilon_outside = spc_epsilon_outside(o);
    h->adagrad.update_decay = o->decay.weight;
    if (o->decay.kind == SPARCL_DECAY_INSIDE && o->decay.weight != 0)
        h->form = SPC_FORM_UPDATE_DECAY;
    else if (o->preset == SPARCL_PRESET_TF1)
        h->form = SPC_FORM_RECIPROCAL;
    else if (o->preset != SPARCL_PRESET_TORCH && o->preset != SPARCL_PRESET_MXNET)
        h->form = SPC_FORM_PRODUCT_FIRST;
    if (o->adagrad.frozen) h->form |= SPC_FORM_FROZEN;
}

const spc_rule spc_rule_adagrad = {
    .name = "adagrad",
    .formula = "s += g^2;  w -= lr g / (sqrt(s) + epsilon)",
    .uses = "lr_decay epsilon epsilon_place initial_accumulator frozen",
    .stem = "hyper+panel+partition+runs+rule_adagrad+step+absent",
    .squares = "hyper+panel+partition+runs+rule_adagrad+step+squares",
    .late_stem = "hyper+panel+rule_adagrad+missed+step+step_late",
    .states = 1,
    .state_names = {"s"},
    .accumulates = true,
    .decays_inside = true,
    .presets = {SPC_OF(TORCH, .lr = 0.01, .epsilon = 1e-10),
                SPC_OF(MXNET, .lr = 0.01, .epsilon = 1e-6, .epsilon_place = SPARCL_EPSILON_INSIDE,
                       SPC_SEPARATE),
                SPC_OF(TF1, .lr = 0.001, .adagrad.initial_accumulator = 0.1),
                SPC_OF(KERAS3, .lr = 0.001, .epsilon = 1e-7, .adagrad.initial_accumulator = 0.1,
                       .epsilon_place = SPARCL_EPSILON_INSIDE, .decay.kind = SPARCL_DECAY_GLOBAL,
                       .duplicates = SPARCL_DUPLICATES_SQUARES),
                SPC_OF(DGL, .lr = 0.01, .epsilon = 1e-10, .epsilon_place = SPARCL_EPSILON_INSIDE,
                       .duplicates = SPARCL_DUPLICATES_MEAN),
                SPC_OF(FBGEMM, .lr = 0.01, .epsilon = 1e-8, .clip.stored = 1),
                SPC_OF(HUGECTR, .lr = 0.001, .epsilon = 1e-7)},
    .hyper = adagrad_hyper};
