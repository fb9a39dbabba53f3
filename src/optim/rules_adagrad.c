/* rules_adagrad.c: Adagrad. */
#include "optim/rules.h"

/* cl/rule_adagrad.cl */
enum { PRODUCT_FIRST = 1, RECIPROCAL = 2, DECAY_INSIDE = 4, FROZEN = 8 };

static void adagrad_hyper(const sparcl_optim *o, spc_hyper *h) {
    const bool is_inside = o->epsilon_place == SPARCL_EPSILON_INSIDE;
    h->lr = o->lr / (1 + (double)(o->step - 1) * o->lr_decay);
    h->a = is_inside ? o->epsilon : 0;
    h->b = is_inside ? 0 : o->epsilon;
    if (o->profile == SPARCL_PROFILE_TF1)
        h->form = RECIPROCAL;
    else if (o->profile != SPARCL_PROFILE_TORCH && o->profile != SPARCL_PROFILE_MXNET)
        h->form = PRODUCT_FIRST;
    if (o->decay == SPARCL_DECAY_INSIDE && o->weight_decay != 0) h->form = DECAY_INSIDE;
    if (o->frozen) h->form |= FROZEN;
    h->c = o->weight_decay;
}

const spc_rule spc_rule_adagrad = {
    .name = "adagrad",
    .formula = "s += g^2;  w -= lr g / (sqrt(s) + epsilon)",
    .uses = "lr_decay epsilon epsilon_place initial_accumulator frozen",
    .stem = "panel+partition+runs+rule_adagrad+step+absent",
    .squares = "panel+partition+runs+rule_adagrad+step+squares",
    .late_stem = "panel+rule_adagrad+missed+step+step_late",
    .states = 1,
    .state_names = {"s"},
    .accumulates = true,
    .decays_inside = true,
    .profiles =
        {[SPARCL_PROFILE_TORCH] = {.step = 1, .lr = 0.01, .epsilon = 1e-10},
         [SPARCL_PROFILE_MXNET] = {.step = 1,
                                   .lr = 0.01,
                                   .epsilon = 1e-6,
                                   .epsilon_place = SPARCL_EPSILON_INSIDE,
                                   .duplicates = SPARCL_DUPLICATES_SEPARATE},
         [SPARCL_PROFILE_TF1] = {.step = 1, .lr = 0.001, .initial_accumulator = 0.1},
         [SPARCL_PROFILE_KERAS3] = {.step = 1,
                                    .lr = 0.001,
                                    .epsilon = 1e-7,
                                    .epsilon_place = SPARCL_EPSILON_INSIDE,
                                    .initial_accumulator = 0.1,
                                    .duplicates = SPARCL_DUPLICATES_SQUARES,
                                    .decay = SPARCL_DECAY_GLOBAL},
         [SPARCL_PROFILE_DGL] = {.step = 1,
                                 .lr = 0.01,
                                 .epsilon = 1e-10,
                                 .epsilon_place = SPARCL_EPSILON_INSIDE,
                                 .duplicates = SPARCL_DUPLICATES_MEAN},
         [SPARCL_PROFILE_FBGEMM] = {.step = 1, .lr = 0.01, .epsilon = 1e-8, .clip_stored = 1},
         [SPARCL_PROFILE_HUGECTR] = {.step = 1, .lr = 0.001, .epsilon = 1e-7}},
    .hyper = adagrad_hyper};
