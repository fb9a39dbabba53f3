/* rules_rmsprop.c: rules with a decaying mean of squares: RMSProp, its forms with a mean and with
 * momentum, and Adadelta. */
#include <math.h>

#include "optim/rules.h"

/* cl/rule_rmsprop.cl. 1 - rho in float where TensorFlow and the operators of MXNet have it. */
static void rmsprop_hyper(const sparcl_optim *o, spc_hyper *h) {
    const bool is_tf = o->preset == SPARCL_PRESET_TF1, is_mxnet = o->preset == SPARCL_PRESET_MXNET;
    h->rmsprop.rest = is_tf || is_mxnet ? spc_float_rest(o->rmsprop.rho) : 1 - o->rmsprop.rho;
    h->rmsprop.rho = o->rmsprop.rho;
    h->rmsprop.momentum = o->momentum.factor;
    h->rmsprop.epsilon_inside = spc_epsilon_inside(o);
    h->rmsprop.epsilon_outside = spc_epsilon_outside(o);
    h->rmsprop.weight_limit = o->clip.weights;
    if (o->preset == SPARCL_PRESET_TORCH) {
        h->form |= SPC_FORM_SQUARE_LEFT | SPC_FORM_MEAN_ADDED;
        if (h->form & SPC_FORM_MOMENTUM) h->form |= SPC_FORM_RATE_OUTSIDE;
    } else if (is_tf) {
        h->form |= SPC_FORM_EPSILON_FIRST | SPC_FORM_RECIPROCAL;
    } else if (is_mxnet) {
        h->form |= h->form & SPC_FORM_CENTERED ? SPC_FORM_SQUARE_LEFT | SPC_FORM_NEGATIVE
                                               : SPC_FORM_RATE_OUTSIDE;
        spc_clip_decayed(o, h);
    }
}

#define RMSPROP                                                                                    \
    .stem = "hyper+panel+partition+runs+rule_rmsprop+step+absent",                                 \
    .squares = "hyper+panel+partition+runs+rule_rmsprop+step+squares",                             \
    .late_stem = "hyper+panel+rule_rmsprop+missed+step+step_late", .accumulates = true,            \
    .hyper = rmsprop_hyper
#define OF_TORCH(b)                                                                                \
    SPC_OF(TORCH, .lr = 0.01, .rmsprop.rho = 0.99, .epsilon = 1e-8, .momentum.factor = b)
#define OF_MXNET(b)                                                                                \
    SPC_OF(MXNET, .lr = 0.001, .rmsprop.rho = 0.9, .epsilon = 1e-8,                                \
           .epsilon_place = SPARCL_EPSILON_INSIDE, .momentum.factor = b, SPC_SEPARATE)
#define OF_TF1                                                                                     \
    SPC_OF(TF1, .lr = 0.001, .rmsprop.rho = 0.9, .epsilon = 1e-10,                                 \
           .epsilon_place = SPARCL_EPSILON_INSIDE, .adagrad.initial_accumulator = 1)
#define OF_KERAS3(b)                                                                               \
    SPC_OF_KERAS3(.lr = 0.001, .rmsprop.rho = 0.9, .epsilon = 1e-7,                                \
                  .epsilon_place = SPARCL_EPSILON_INSIDE, .momentum.factor = b)

const spc_rule spc_rule_rmsprop = {
    RMSPROP,
    .name = "rmsprop",
    .formula = "v = rho v + (1 - rho) g^2;  w -= lr g / (sqrt(v) + epsilon)",
    .uses = "rho epsilon epsilon_place initial_accumulator clip_weights",
    .states = 1,
    .state_names = {"v"},
    .presets = {OF_TORCH(0), OF_MXNET(0), OF_TF1, OF_KERAS3(0)}};

const spc_rule spc_rule_rmsprop_momentum = {
    RMSPROP,
    .name = "rmsprop_momentum",
    .formula = "as rmsprop;  b = momentum b + g / (sqrt(v) + epsilon);  w -= lr b",
    .uses = "rho epsilon epsilon_place initial_accumulator clip_weights momentum",
    .states = 2,
    .state_names = {"v", "b"},
    .presets = {OF_TORCH(0.9), OF_TF1, OF_KERAS3(0.9)},
    .form = SPC_FORM_MOMENTUM};

const spc_rule spc_rule_rmsprop_centered = {
    RMSPROP,
    .name = "rmsprop_centered",
    .formula = "as rmsprop, with v - mean^2 under the root, mean = rho mean + (1 - rho) g",
    .uses = "rho epsilon epsilon_place initial_accumulator clip_weights",
    .states = 2,
    .state_names = {"v", "mean"},
    .presets = {OF_TORCH(0), OF_TF1, OF_KERAS3(0)},
    .form = SPC_FORM_CENTERED};

const spc_rule spc_rule_rmsprop_centered_momentum = {
    RMSPROP,
    .name = "rmsprop_centered_momentum",
    .formula = "as rmsprop_momentum and rmsprop_centered",
    .uses = "rho epsilon epsilon_place initial_accumulator clip_weights momentum",
    .states = 3,
    .state_names = {"v", "mean", "b"},
    .presets = {OF_TORCH(0.9), OF_MXNET(0.9), OF_TF1, OF_KERAS3(0.9)},
    .form = SPC_FORM_CENTERED | SPC_FORM_MOMENTUM};

/* cl/rule_adadelta.cl */
static void adadelta_hyper(const sparcl_optim *o, spc_hyper *h) {
    const bool is_tf = o->preset == SPARCL_PRESET_TF1;
    h->adadelta.rest = is_tf ? spc_float_rest(o->rmsprop.rho) : 1 - o->rmsprop.rho;
    h->adadelta.rho = o->rmsprop.rho;
    h->adadelta.epsilon = o->epsilon;
    h->form = is_tf                               ? SPC_FORM_RECIPROCAL
              : o->preset == SPARCL_PRESET_KERAS3 ? SPC_FORM_PRODUCT_FIRST
                                                  : SPC_FORM_SQUARE_LEFT;
    if (o->preset == SPARCL_PRESET_MXNET) {
        h->adadelta.update_decay = h->decay;
        h->decay = 0;
    }
}

const spc_rule spc_rule_adadelta = {
    .stem = "hyper+panel+partition+runs+rule_adadelta+step+absent",
    .squares = "hyper+panel+partition+runs+rule_adadelta+step+squares",
    .late_stem = "hyper+panel+rule_adadelta+missed+step+step_late",
    .name = "adadelta",
    .formula = "v as rmsprop;  d = g sqrt(u + epsilon) / sqrt(v + epsilon);  "
               "u as v, of d;  w -= lr d",
    .uses = "rho epsilon clip_weights",
    .states = 2,
    .state_names = {"v", "u"},
    .presets = {SPC_OF(TORCH, .lr = 1, .rmsprop.rho = 0.9, .epsilon = 1e-6),
                SPC_OF(MXNET, .lr = 1, .rmsprop.rho = 0.9, .epsilon = 1e-5, SPC_SEPARATE),
                SPC_OF(TF1, .lr = 0.001, .rmsprop.rho = 0.95, .epsilon = 1e-8),
                SPC_OF_KERAS3(.lr = 0.001, .rmsprop.rho = 0.95, .epsilon = 1e-7)},
    .hyper = adadelta_hyper};
