/* rules_gradient.c: the rules that use the gradient as it is: SGD and momentum. */
#include "optim/rules.h"

/* cl/rule_sgd.cl */
static void sgd_hyper(const sparcl_optim *o, spc_hyper *h) {
    if (o->profile != SPARCL_PROFILE_MXNET || o->decay != SPARCL_DECAY_COUPLED) return;
    /* MXNet: w = (1 - lr wd) w - lr g, with a coupled decay. */
    h->form = h->decay != 0;
    h->a = o->moves == SPARCL_MOVES_ALL ? 1 - o->lr * o->weight_decay
                                        : (double)(1 - (float)o->lr * (float)o->weight_decay);
    h->decay = 0;
}

/* These systems do not add the rows of one index first. */
#define SEPARATE .duplicates = SPARCL_DUPLICATES_SEPARATE

const spc_rule spc_rule_sgd = {
    .name = "sgd",
    .formula = "w -= lr g",
    .catches_up = true,
    .stem = "panel+partition+runs+rule_sgd+step+absent",
    .late_stem = "panel+rule_sgd+missed+step+step_late",
    .profiles =
        {[SPARCL_PROFILE_TORCH] = {.step = 1, .lr = 0.001, SEPARATE},
         [SPARCL_PROFILE_MXNET] = {.step = 1, .lr = 0.01, SEPARATE},
         [SPARCL_PROFILE_TF1] = {.step = 1, .lr = 0.001, SEPARATE},
         [SPARCL_PROFILE_KERAS3] = {.step = 1, .lr = 0.01, .decay = SPARCL_DECAY_GLOBAL, SEPARATE},
         [SPARCL_PROFILE_ADDONS] = {.step = 1, .lr = 0.001, SEPARATE},
         [SPARCL_PROFILE_FBGEMM] = {.step = 1, .lr = 0.01, .clip_stored = 1},
         [SPARCL_PROFILE_HUGECTR] = {.step = 1, .lr = 0.001}},
    .hyper = sgd_hyper};

/* cl/rule_momentum.cl */
enum { RATE_INSIDE = 1, NESTEROV = 2, SPLIT_NESTEROV = 4, DAMPENED = 8 };

static void momentum_hyper(const sparcl_optim *o, spc_hyper *h) {
    const bool is_torch = o->profile == SPARCL_PROFILE_TORCH;
    const bool is_outside = is_torch || o->profile == SPARCL_PROFILE_TF1;
    h->form = (is_outside ? 0u : RATE_INSIDE) | (o->nesterov ? NESTEROV : 0u);
    h->a = o->momentum;
    if (is_torch && o->step > 1 && o->dampening != 0) {
        h->form |= DAMPENED;
        h->b = 1 - o->dampening;
    }
    if (o->profile == SPARCL_PROFILE_TF1 && o->nesterov) {
        h->form |= SPLIT_NESTEROV;
        h->d = (double)((float)o->momentum * (float)o->lr);
    }
    if (o->profile == SPARCL_PROFILE_MXNET) {
        h->form |= o->nesterov ? SPLIT_NESTEROV : 0u;
        h->d = (double)((float)o->momentum + 1);
        h->c = o->nesterov ? h->decay : (double)((float)o->lr * (float)h->decay);
        h->decay = 0;
    }
}

const spc_rule spc_rule_momentum = {
    .name = "momentum",
    .formula = "b = momentum b + g;  w -= lr b",
    .uses = "momentum dampening nesterov",
    .catches_up = true,
    .stem = "panel+partition+runs+rule_momentum+step+absent",
    .late_stem = "panel+rule_momentum+missed+step+step_late",
    .states = 1,
    .state_names = {"b"},
    .profiles = {[SPARCL_PROFILE_TORCH] =
                     {.step = 1, .lr = 0.001, .momentum = 0.9, .moves = SPARCL_MOVES_ALL},
                 [SPARCL_PROFILE_MXNET] = {.step = 1, .lr = 0.01, .momentum = 0.9, SEPARATE},
                 [SPARCL_PROFILE_TF1] = {.step = 1, .lr = 0.001, .momentum = 0.9},
                 [SPARCL_PROFILE_KERAS3] = {.step = 1,
                                            .lr = 0.01,
                                            .momentum = 0.9,
                                            .decay = SPARCL_DECAY_GLOBAL,
                                            .moves = SPARCL_MOVES_ALL},
                 [SPARCL_PROFILE_ADDONS] =
                     {.step = 1, .lr = 0.001, .momentum = 0.9, .decay = SPARCL_DECAY_DECOUPLED},
                 [SPARCL_PROFILE_HUGECTR] = {.step = 1, .lr = 0.001, .momentum = 0.9}},
    .hyper = momentum_hyper};
