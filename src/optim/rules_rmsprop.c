/* rules_rmsprop.c: rules with a decaying mean of squares: RMSProp, its forms with a mean and with
 * momentum, and Adadelta. */
#include <math.h>

#include "optim/rules.h"

/* 1 - rho, in float where TensorFlow and the operators of MXNet have it. */
static double rest_of(const sparcl_optim *o, bool is_float) {
    return is_float ? (double)(1 - (float)o->rho) : 1 - o->rho;
}

/* cl/rule_rmsprop.cl, beside those of rules.h */
enum {
    CENTERED = 1,
    MOMENTUM = 2,
    SQUARE_LEFT = 4,
    MEAN_MOVES = 8,
    EPSILON_FIRST = 16,
    RECIPROCAL = 64
};

static void rmsprop_numbers(const sparcl_optim *o, spc_hyper *h) {
    const bool is_inside = o->epsilon_place == SPARCL_EPSILON_INSIDE;
    h->a = rest_of(o, o->profile == SPARCL_PROFILE_TF1 || o->profile == SPARCL_PROFILE_MXNET);
    h->b = o->rho;
    h->c = o->momentum;
    h->d = is_inside ? o->epsilon : 0;
    h->e = is_inside ? 0 : o->epsilon;
    h->f = o->clip_weights;
}

static void rmsprop_form(const sparcl_optim *o, spc_hyper *h, uint32_t form) {
    rmsprop_numbers(o, h);
    h->form = form;
    if (o->profile == SPARCL_PROFILE_TORCH) {
        h->form |= SQUARE_LEFT | MEAN_MOVES;
        if (form & MOMENTUM) h->form |= SPC_RMSPROP_RATE_OUTSIDE;
    } else if (o->profile == SPARCL_PROFILE_TF1) {
        h->form |= EPSILON_FIRST | RECIPROCAL;
    } else if (o->profile == SPARCL_PROFILE_MXNET) {
        h->form |= form & CENTERED ? SQUARE_LEFT | SPC_RMSPROP_NEGATIVE : SPC_RMSPROP_RATE_OUTSIDE;
        spc_clip_decayed(o, h);
    }
}

static void rmsprop_hyper(const sparcl_optim *o, spc_hyper *h) {
    rmsprop_form(o, h, 0);
}
static void momentum_hyper(const sparcl_optim *o, spc_hyper *h) {
    rmsprop_form(o, h, MOMENTUM);
}
static void centered_hyper(const sparcl_optim *o, spc_hyper *h) {
    rmsprop_form(o, h, CENTERED);
}
static void both_hyper(const sparcl_optim *o, spc_hyper *h) {
    rmsprop_form(o, h, CENTERED | MOMENTUM);
}

#define RMSPROP                                                                                    \
    .stem = "panel+partition+runs+rule_rmsprop+step+absent",                                       \
    .squares = "panel+partition+runs+rule_rmsprop+step+squares",                                   \
    .late_stem = "panel+rule_rmsprop+missed+step+step_late", .accumulates = true
#define OF_TORCH .step = 1, .lr = 0.01, .rho = 0.99, .epsilon = 1e-8
#define OF_MXNET                                                                                   \
    .step = 1, .lr = 0.001, .rho = 0.9, .epsilon = 1e-8, .epsilon_place = SPARCL_EPSILON_INSIDE,   \
    .duplicates = SPARCL_DUPLICATES_SEPARATE
#define OF_TF1                                                                                     \
    .step = 1, .lr = 0.001, .rho = 0.9, .epsilon = 1e-10, .epsilon_place = SPARCL_EPSILON_INSIDE,  \
    .initial_accumulator = 1
#define OF_KERAS3                                                                                  \
    .step = 1, .lr = 0.001, .rho = 0.9, .epsilon = 1e-7, .epsilon_place = SPARCL_EPSILON_INSIDE,   \
    .moves = SPARCL_MOVES_ALL, .decay = SPARCL_DECAY_GLOBAL,                                       \
    .duplicates = SPARCL_DUPLICATES_SQUARES

const spc_rule spc_rule_rmsprop = {
    RMSPROP,
    .name = "rmsprop",
    .formula = "v = rho v + (1 - rho) g^2;  w -= lr g / (sqrt(v) + epsilon)",
    .uses = "rho epsilon epsilon_place initial_accumulator clip_weights",
    .states = 1,
    .state_names = {"v"},
    .profiles = {[SPARCL_PROFILE_TORCH] = {OF_TORCH},
                 [SPARCL_PROFILE_MXNET] = {OF_MXNET},
                 [SPARCL_PROFILE_TF1] = {OF_TF1},
                 [SPARCL_PROFILE_KERAS3] = {OF_KERAS3}},
    .hyper = rmsprop_hyper};

const spc_rule spc_rule_rmsprop_momentum = {
    RMSPROP,
    .name = "rmsprop_momentum",
    .formula = "as rmsprop;  b = momentum b + g / (sqrt(v) + epsilon);  w -= lr b",
    .uses = "rho epsilon epsilon_place initial_accumulator clip_weights momentum",
    .states = 2,
    .state_names = {"v", "b"},
    .profiles = {[SPARCL_PROFILE_TORCH] = {OF_TORCH, .momentum = 0.9},
                 [SPARCL_PROFILE_TF1] = {OF_TF1},
                 [SPARCL_PROFILE_KERAS3] = {OF_KERAS3, .momentum = 0.9}},
    .hyper = momentum_hyper};

const spc_rule spc_rule_rmsprop_centered = {
    RMSPROP,
    .name = "rmsprop_centered",
    .formula = "as rmsprop, with v - mean^2 under the root, mean = rho mean + (1 - rho) g",
    .uses = "rho epsilon epsilon_place initial_accumulator clip_weights",
    .states = 2,
    .state_names = {"v", "mean"},
    .profiles = {[SPARCL_PROFILE_TORCH] = {OF_TORCH},
                 [SPARCL_PROFILE_TF1] = {OF_TF1},
                 [SPARCL_PROFILE_KERAS3] = {OF_KERAS3}},
    .hyper = centered_hyper};

const spc_rule spc_rule_rmsprop_centered_momentum = {
    RMSPROP,
    .name = "rmsprop_centered_momentum",
    .formula = "as rmsprop_momentum and rmsprop_centered",
    .uses = "rho epsilon epsilon_place initial_accumulator clip_weights momentum",
    .states = 3,
    .state_names = {"v", "mean", "b"},
    .profiles = {[SPARCL_PROFILE_TORCH] = {OF_TORCH, .momentum = 0.9},
                 [SPARCL_PROFILE_MXNET] = {OF_MXNET, .momentum = 0.9},
                 [SPARCL_PROFILE_TF1] = {OF_TF1},
                 [SPARCL_PROFILE_KERAS3] = {OF_KERAS3, .momentum = 0.9}},
    .hyper = both_hyper};

/* cl/rule_adadelta.cl */
enum { ADADELTA_SQUARE_LEFT = 1, ADADELTA_PRODUCT_FIRST = 2, ADADELTA_RECIPROCAL = 4 };

static void adadelta_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->a = rest_of(o, o->profile == SPARCL_PROFILE_TF1);
    h->b = o->rho;
    h->c = o->epsilon;
    if (o->profile == SPARCL_PROFILE_KERAS3)
        h->form = ADADELTA_PRODUCT_FIRST;
    else if (o->profile == SPARCL_PROFILE_TF1)
        h->form = ADADELTA_RECIPROCAL;
    else
        h->form = ADADELTA_SQUARE_LEFT;
    if (o->profile == SPARCL_PROFILE_MXNET) {
        h->d = h->decay;
        h->decay = 0;
    }
}

const spc_rule spc_rule_adadelta = {
    .stem = "panel+partition+runs+rule_adadelta+step+absent",
    .squares = "panel+partition+runs+rule_adadelta+step+squares",
    .late_stem = "panel+rule_adadelta+missed+step+step_late",
    .name = "adadelta",
    .formula = "v as rmsprop;  d = g sqrt(u + epsilon) / sqrt(v + epsilon);  "
               "u as v, of d;  w -= lr d",
    .uses = "rho epsilon clip_weights",
    .states = 2,
    .state_names = {"v", "u"},
    .profiles = {[SPARCL_PROFILE_TORCH] = {.step = 1, .lr = 1, .rho = 0.9, .epsilon = 1e-6},
                 [SPARCL_PROFILE_MXNET] = {.step = 1,
                                           .lr = 1,
                                           .rho = 0.9,
                                           .epsilon = 1e-5,
                                           .duplicates = SPARCL_DUPLICATES_SEPARATE},
                 [SPARCL_PROFILE_TF1] = {.step = 1, .lr = 0.001, .rho = 0.95, .epsilon = 1e-8},
                 [SPARCL_PROFILE_KERAS3] = {.step = 1,
                                            .lr = 0.001,
                                            .rho = 0.95,
                                            .epsilon = 1e-7,
                                            .moves = SPARCL_MOVES_ALL,
                                            .decay = SPARCL_DECAY_GLOBAL,
                                            .duplicates = SPARCL_DUPLICATES_SQUARES}},
    .hyper = adadelta_hyper};
