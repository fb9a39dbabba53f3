/* rules_adam.c: Adam, AMSGrad and Yogi. */
#include <math.h>

#include "optim/rules.h"

/* 1 - x^n in float, as TensorFlow's optimizers of version 1 have it: x is multiplied step by step.
 */
static float one_minus_float_power(double x, int64_t n) {
    float power = 1;
    for (int64_t i = 0; i < n && power > 0x1p-26F; ++i)
        power *= (float)x;
    return 1 - power;
}

/* How the moments are computed. */
static void moments(const sparcl_optim *o, spc_hyper *h) {
    const bool in_float = o->profile == SPARCL_PROFILE_MXNET || o->profile == SPARCL_PROFILE_TF1 ||
                          o->profile == SPARCL_PROFILE_ADDONS;
    h->adam.rest1 = in_float ? spc_float_rest(o->beta1) : 1 - o->beta1;
    h->adam.rest2 = in_float ? spc_float_rest(o->beta2) : 1 - o->beta2;
    h->adam.beta1 = o->beta1;
    h->adam.beta2 = o->beta2;
    if (o->profile == SPARCL_PROFILE_KERAS3) return;
    if (o->profile == SPARCL_PROFILE_TORCH) {
        if (o->epsilon_place == SPARCL_EPSILON_CORRECTED)
            h->form |= SPC_FORM_SQUARE_WEIGHTED | SPC_FORM_SQUARE_LEFT;
        return;
    }
    h->form |= SPC_FORM_MEAN_WEIGHTED | SPC_FORM_SQUARE_WEIGHTED;
    /* MXNet: (1 - beta2) g g; where it is clipped or all rows change, and in its AdamW,
     * (1 - beta2) (g g). */
    if (o->profile == SPARCL_PROFILE_MXNET && o->moves == SPARCL_MOVES_PRESENT &&
        o->decay != SPARCL_DECAY_INSIDE && o->clip_value == (double)INFINITY)
        h->form |= SPC_FORM_SQUARE_LEFT;
}

/* 1 - beta1^t and 1 - beta2^t, as the system has them. */
static void corrections(const sparcl_optim *o, double *first, double *second) {
    *first = *second = 1;
    if (o->no_bias_correction) return;
    if (o->profile == SPARCL_PROFILE_TF1) {
        *first = (double)one_minus_float_power(o->beta1, o->step);
        *second = (double)one_minus_float_power(o->beta2, o->step);
    } else if (o->profile == SPARCL_PROFILE_KERAS3 || o->profile == SPARCL_PROFILE_ADDONS) {
        *first = spc_float_rest(spc_power((double)(float)o->beta1, o->step));
        *second = spc_float_rest(spc_power((double)(float)o->beta2, o->step));
    } else {
        *first = 1 - spc_power(o->beta1, o->step);
        *second = 1 - spc_power(o->beta2, o->step);
    }
}

/* lr sqrt(second) / first, in float or in double. */
static double corrected_rate(const sparcl_optim *o, double first, double second) {
    const float lr = (float)o->lr, root = sqrtf((float)second);
    if (o->profile == SPARCL_PROFILE_ADDONS && o->weight_decay != 0)
        return (double)(lr * (root / (float)first)); /* its AdamW */
    if (o->profile == SPARCL_PROFILE_TF1 || o->profile == SPARCL_PROFILE_KERAS3 ||
        o->profile == SPARCL_PROFILE_ADDONS)
        return (double)(lr * root / (float)first);
    return o->lr * sqrt(second) / first;
}

/* The rate, and where epsilon is. */
static void correct(const sparcl_optim *o, spc_hyper *h) {
    double first, second;
    corrections(o, &first, &second);
    h->adam.epsilon_inside = spc_epsilon_inside(o);
    h->adam.epsilon_outside = spc_epsilon_outside(o);
    h->adam.correction1 = h->adam.correction2 = 1;
    if (o->epsilon_place != SPARCL_EPSILON_CORRECTED) {
        h->lr = corrected_rate(o, first, second);
    } else if (o->profile == SPARCL_PROFILE_FBGEMM) {
        h->form |= SPC_FORM_CORRECTED_MEANS;
        h->adam.correction1 = first;
        h->adam.correction2 = second;
    } else {
        h->lr = o->lr / first;
        h->adam.correction2 = sqrt(second);
    }
}

/* w -= update_factor (update + update_decay w). FBGEMM has the rate outside, MXNet both inside and
 * outside. */
static void decay_inside(const sparcl_optim *o, spc_hyper *h) {
    const bool is_mxnet = o->profile == SPARCL_PROFILE_MXNET;
    if (o->decay != SPARCL_DECAY_INSIDE) return;
    if (o->weight_decay == 0 && !(is_mxnet && o->eta != 1)) return;
    h->form |= SPC_FORM_UPDATE_DECAY;
    h->adam.update_decay = o->weight_decay;
    if (is_mxnet) {
        h->adam.update_factor = o->eta;
    } else if (h->form & SPC_FORM_CORRECTED_MEANS) {
        h->adam.update_factor = h->lr;
        h->lr = 1;
    } else {
        h->adam.update_decay = o->lr * o->weight_decay;
        h->adam.update_factor = 1;
    }
}

static void adam_hyper(const sparcl_optim *o, spc_hyper *h) {
    moments(o, h);
    correct(o, h);
    if (o->profile != SPARCL_PROFILE_TORCH || o->epsilon_place == SPARCL_EPSILON_CORRECTED)
        h->form |= SPC_FORM_PRODUCT_FIRST;
    spc_clip_decayed(o, h);
    decay_inside(o, h);
}

#define BETAS .beta1 = 0.9, .beta2 = 0.999

const spc_rule spc_rule_adam = {
    .name = "adam",
    .formula = "m += (1 - beta1) (g - m);  v += (1 - beta2) (g^2 - v);  "
               "w -= lr sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + epsilon)",
    .uses = "beta1 beta2 epsilon epsilon_place no_bias_correction eta",
    .stem = "hyper+panel+partition+runs+moments+rule_adam+step+absent",
    .squares = "hyper+panel+partition+runs+moments+rule_adam+step+squares",
    .late_stem = "hyper+panel+moments+rule_adam+missed+step+step_late",
    .states = 2,
    .state_names = {"m", "v"},
    .decays_inside = true,
    .profiles = {SPC_OF(TORCH, BETAS, .lr = 0.001, .epsilon = 1e-8),
                 SPC_OF(MXNET, BETAS, .lr = 0.001, .epsilon = 1e-8, SPC_SEPARATE),
                 SPC_OF(TF1, BETAS, .lr = 0.001, .epsilon = 1e-8, .moves = SPARCL_MOVES_ALL),
                 SPC_OF_KERAS3(BETAS, .lr = 0.001, .epsilon = 1e-7),
                 SPC_OF(ADDONS, BETAS, .lr = 0.001, .epsilon = 1e-7),
                 SPC_OF(FBGEMM, BETAS, .lr = 0.01, .epsilon = 1e-8, .clip_stored = 1,
                        .epsilon_place = SPARCL_EPSILON_CORRECTED, .decay = SPARCL_DECAY_INSIDE),
                 SPC_OF(HUGECTR, BETAS, .lr = 0.001, .epsilon = 1e-7)},
    .hyper = adam_hyper};

const spc_rule spc_rule_amsgrad = {
    .name = "amsgrad",
    .formula = "as adam, with the largest v so far under the root",
    .uses = "beta1 beta2 epsilon epsilon_place no_bias_correction",
    .stem = "hyper+panel+partition+runs+moments+rule_adam+step+absent",
    .squares = "hyper+panel+partition+runs+moments+rule_adam+step+squares",
    .late_stem = "hyper+panel+moments+rule_adam+missed+step+step_late",
    .states = 3,
    .state_names = {"m", "v", "largest_v"},
    .decays_inside = true,
    .profiles = {SPC_OF(TORCH, BETAS, .lr = 0.001, .epsilon = 1e-8,
                        .epsilon_place = SPARCL_EPSILON_CORRECTED),
                 SPC_OF_KERAS3(BETAS, .lr = 0.001, .epsilon = 1e-7),
                 SPC_OF(ADDONS, BETAS, .lr = 0.001, .epsilon = 1e-7, .moves = SPARCL_MOVES_ALL,
                        .decay = SPARCL_DECAY_DECOUPLED)},
    .form = SPC_FORM_AMSGRAD,
    .hyper = adam_hyper};

/* cl/rule_yogi.cl */
static void yogi_hyper(const sparcl_optim *o, spc_hyper *h) {
    adam_hyper(o, h);
    h->form = 0;
}

const spc_rule spc_rule_yogi = {
    .name = "yogi",
    .formula = "m as adam;  v += (1 - beta2) sign(g^2 - v) g^2;  w as adam; absent rows keep w",
    .uses = "beta1 beta2 epsilon epsilon_place no_bias_correction initial_accumulator",
    .stem = "hyper+panel+partition+runs+rule_yogi+step+absent",
    .states = 2,
    .state_names = {"v", "m"},
    .accumulates = true,
    .keeps_absent = true,
    .profiles = {SPC_OF(ADDONS, BETAS, .lr = 0.01, .epsilon = 1e-3, .initial_accumulator = 1e-6,
                        .moves = SPARCL_MOVES_ALL)},
    .hyper = yogi_hyper};
