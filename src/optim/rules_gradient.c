/* rules_gradient.c: the rules that use the gradient as it is: SGD and momentum. */
#include "optim/rules.h"

/* cl/rule_sgd.cl */
static void sgd_hyper(const sparcl_optim *o, spc_hyper *h) {
    if (o->profile != SPARCL_PROFILE_MXNET || o->decay != SPARCL_DECAY_COUPLED) return;
    /* MXNet: w = (1 - lr wd) w - lr g, with a coupled decay. */
    if (h->decay != 0) h->form = SPC_FORM_WEIGHT_FACTOR;
    h->sgd.weight_factor = o->moves == SPARCL_MOVES_ALL
                               ? 1 - o->lr * o->weight_decay
                               : (double)(1 - (float)o->lr * (float)o->weight_decay);
    h->decay = 0;
}

const spc_rule spc_rule_sgd = {
    .name = "sgd",
    .formula = "w -= lr g",
    .catches_up = true,
    .stem = "hyper+panel+partition+runs+rule_sgd+step+absent",
    .late_stem = "hyper+panel+rule_sgd+missed+step+step_late",
    .profiles = {SPC_OF(TORCH, .lr = 0.001, SPC_SEPARATE), SPC_OF(MXNET, .lr = 0.01, SPC_SEPARATE),
                 SPC_OF(TF1, .lr = 0.001, SPC_SEPARATE),
                 SPC_OF(KERAS3, .lr = 0.01, .decay = SPARCL_DECAY_GLOBAL, SPC_SEPARATE),
                 SPC_OF(ADDONS, .lr = 0.001, SPC_SEPARATE),
                 SPC_OF(FBGEMM, .lr = 0.01, .clip_stored = 1), SPC_OF(HUGECTR, .lr = 0.001)},
    .hyper = sgd_hyper};

/* cl/rule_momentum.cl */
static void momentum_hyper(const sparcl_optim *o, spc_hyper *h) {
    const bool is_torch = o->profile == SPARCL_PROFILE_TORCH;
    const bool is_outside = is_torch || o->profile == SPARCL_PROFILE_TF1;
    h->form = is_outside ? 0 : SPC_FORM_RATE_INSIDE;
    if (o->nesterov) h->form |= SPC_FORM_NESTEROV;
    h->momentum.momentum = o->momentum;
    if (is_torch && o->step > 1 && o->dampening != 0) {
        h->form |= SPC_FORM_DAMPENED;
        h->momentum.rest = 1 - o->dampening;
    }
    if (o->profile == SPARCL_PROFILE_TF1 && o->nesterov) {
        h->form |= SPC_FORM_SPLIT_NESTEROV;
        h->momentum.nesterov_factor = (double)((float)o->momentum * (float)o->lr);
    }
    if (o->profile == SPARCL_PROFILE_MXNET) {
        if (o->nesterov) h->form |= SPC_FORM_SPLIT_NESTEROV;
        h->momentum.nesterov_factor = (double)((float)o->momentum + 1);
        h->momentum.update_decay =
            o->nesterov ? h->decay : (double)((float)o->lr * (float)h->decay);
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
    .profiles = {SPC_OF(TORCH, .lr = 0.001, .momentum = 0.9, .moves = SPARCL_MOVES_ALL),
                 SPC_OF(MXNET, .lr = 0.01, .momentum = 0.9, SPC_SEPARATE),
                 SPC_OF(TF1, .lr = 0.001, .momentum = 0.9),
                 SPC_OF(KERAS3, .lr = 0.01, .momentum = 0.9, .decay = SPARCL_DECAY_GLOBAL,
                        .moves = SPARCL_MOVES_ALL),
                 SPC_OF(ADDONS, .lr = 0.001, .momentum = 0.9, .decay = SPARCL_DECAY_DECOUPLED),
                 SPC_OF(HUGECTR, .lr = 0.001, .momentum = 0.9)},
    .hyper = momentum_hyper};
