/* rules_gradient.c: the rules that use the gradient as it is: SGD and momentum. */
#include "optim/rules.h"

/* cl/rule_sgd.cl */
static void sgd_hyper(const sparcl_optim *o, spc_hyper *h) {
    if (o->preset != SPARCL_PRESET_MXNET || o->decay.kind != SPARCL_DECAY_COUPLED) return;
    /* MXNet: w = (1 - lr wd) w - lr g, with a coupled decay. */
    if (h->decay != 0) h->form = SPC_FORM_WEIGHT_FACTOR;
    h->sgd.weight_factor = o->moves == SPARCL_MOVES_ALL
                               ? 1 - o->lr * o->decay.weight
                               : (double)(1 - (float)o->lr * (float)o->decay.weight);
    h->decay = 0;
}

const spc_rule spc_rule_sgd = {
    .name = "sgd",
    .formula = "w -= lr g",
    .catches_up = true,
    .stem = "hyper+panel+partition+runs+rule_sgd+step+absent",
    .late_stem = "hyper+panel+rule_sgd+missed+step+step_late",
    .presets = {SPC_OF(TORCH, .lr = 0.001, SPC_SEPARATE), SPC_OF(MXNET, .lr = 0.01, SPC_SEPARATE),
                SPC_OF(TF1, .lr = 0.001, SPC_SEPARATE),
                SPC_OF(KERAS3, .lr = 0.01, .decay.kind = SPARCL_DECAY_GLOBAL, SPC_SEPARATE),
                SPC_OF(ADDONS, .lr = 0.001, SPC_SEPARATE),
                SPC_OF(FBGEMM, .lr = 0.01, .clip.stored = 1), SPC_OF(HUGECTR, .lr = 0.001)},
    .hyper = sgd_hyper};

/* cl/rule_momentum.cl */
static void momentum_hyper(const sparcl_optim *o, spc_hyper *h) {
    const bool is_torch = o->preset == SPARCL_PRESET_TORCH;
    const bool is_outside = is_torch || o->preset == SPARCL_PRESET_TF1;
    h->form = is_outside ? 0 : SPC_FORM_RATE_INSIDE;
    if (o->momentum.nesterov) h->form |= SPC_FORM_NESTEROV;
    h->momentum.momentum = o->momentum.factor;
    if (is_torch && o->step > 1 && o->momentum.dampening != 0) {
        h->form |= SPC_FORM_DAMPENED;
        h->momentum.rest = 1 - o->momentum.dampening;
    }
    if (o->preset == SPARCL_PRESET_TF1 && o->momentum.nesterov) {
        h->form |= SPC_FORM_SPLIT_NESTEROV;
        h->momentum.nesterov_factor = (double)((float)o->momentum.factor * (float)o->lr);
    }
    if (o->preset == SPARCL_PRESET_MXNET) {
        if (o->momentum.nesterov) h->form |= SPC_FORM_SPLIT_NESTEROV;
        h->momentum.nesterov_factor = (double)((float)o->momentum.factor + 1);
        h->momentum.update_decay =
            o->momentum.nesterov ? h->decay : (double)((float)o->lr * (float)h->decay);
        h->decay = 0;
    }
}

const spc_rule spc_rule_momentum = {
    .name = "momentum",
    .formula = "b = momentum b + g;  w -= lr b",
    .uses = "momentum dampening nesterov",
    .catches_up = true,
    .stem = "hyper+panel+partition+runs+rule_momentum+step+absent",
    .late_stem = "hyper+panel+rule_momentum+missed+step+step_late",
    .states = 1,
    .state_names = {"b"},
    .presets = {SPC_OF(TORCH, .lr = 0.001, .momentum.factor = 0.9, .moves = SPARCL_MOVES_ALL),
                SPC_OF(MXNET, .lr = 0.01, .momentum.factor = 0.9, SPC_SEPARATE),
                SPC_OF(TF1, .lr = 0.001, .momentum.factor = 0.9),
                SPC_OF(KERAS3, .lr = 0.01, .momentum.factor = 0.9,
                       .decay.kind = SPARCL_DECAY_GLOBAL, .moves = SPARCL_MOVES_ALL),
                SPC_OF(ADDONS, .lr = 0.001, .momentum.factor = 0.9,
                       .decay.kind = SPARCL_DECAY_DECOUPLED),
                SPC_OF(HUGECTR, .lr = 0.001, .momentum.factor = 0.9)},
    .hyper = momentum_hyper};
