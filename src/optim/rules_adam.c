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
    const bool in_float = o->preset == SPARCL_PRESET_MXNET || o->preset == SPARCL_PRESET_TF1 ||
                          o->preset == SPARCL_PRESET_ADDONS;
    h->adam.rest1 = in_float ? spc_float_rest(o->adam.beta1) : 1 - o->adam.beta1;
    h->adam.rest2 = in_float ? spc_float_rest(o->adam.beta2) : 1 - o->adam.beta2;
    h->adam.beta1 = o->adam.beta1;
    h->adam.beta2 = o->adam.beta2;
    if (o->preset == SPARCL_PRESET_KERAS3) return;
    if (o->preset == SPARCL_PRESET_TORCH) {
        if (o->epsilon_place == SPARCL_EPSILON_CORRECTED)
            h->form |= SPC_FORM_SQUARE_WEIGHTED | SPC_FORM_SQUARE_LEFT;
        return;
    }
    h->form |= SPC_FORM_MEAN_WEIGHTED | SPC_FORM_SQUARE_WEIGHTED;
    /* MXNet: (1 - beta2) g g; where it is clipped or all rows change, and in its AdamW,
     * (1 - beta2) (g g). */
    if (o->preset == SPARCL_PRESET_MXNET && o->moves == SPARCL_MOVES_PRESENT &&
        o->decay.kind != SPARCL_DECAY_INSIDE && o->clip.value == (double)INFINITY)
        h->form |= SPC_FORM_SQUARE_LEFT;
}

/* 1 - beta1^t and 1 - beta2^t, as the system has them. */
static void corrections(const sparcl_optim *o, double *first, double *second) {
    *first = *second = 1;
    if (o->adam.no_bias_correction) return;
    if (o->preset == SPARCL_PRESET_TF1) {
        *first = (double)one_minus_float_power(o->adam.beta1, o->step);
        *second = (double)one_minus_float_power(o->adam.beta2, o->step);
    } else if (o->preset == SPARCL_PRESET_KERAS3 || o->preset == SPARCL_PRESET_ADDONS) {
        *first = spc_float_rest(spc_power((double)(float)o->adam.beta1, o->step));
        *second = spc_float_rest(spc_power((double)(float)o->adam.beta2, o->step));
    } else {
        *first = 1 - spc_power(o->adam.beta1, o->step);
        *second = 1 - spc_power(o->adam.beta2, o->step);
    }
}

/* lr sqrt(second) / first, in float or in double. */
static double corrected_rate(const sparcl_optim *o, double first, double second) {
    const float lr = (float)o->lr, root = sqrtf((float)second);
    if (o->preset == SPARCL_PRESET_ADDONS && o->decay.weight != 0)
        return (double)(lr * (root / (float)first)); /* its AdamW */
    if (o->preset == SPARCL_PRESET_TF1 || o->preset == SPARCL_PRESET_KERAS3 ||
        o->preset == SPARCL_PRESET_ADDONS)
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
    } else if (o->preset == SPARCL_PRESET_FBGEMM) {
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
    const bool is_mxnet = o->preset == SPARCL_PRESET_MXNET;
    if (o->decay.kind != SPARCL_DECAY_INSIDE) return;
    if (o->decay.weight == 0 && !(is_mxnet && o->eta != 1)) return;
    h->form |= SPC_FORM_UPDATE_DECAY;
    h->adam.update_decay = o->decay.weight;
    if (is_mxnet) {
        h->adam.update_factor = o->eta;
    } else if (h->form & SPC_FORM_CORRECTED_MEANS) {
        h->adam.update_factor = h->lr;
        h->lr = 1;
    } else {
        h->adam.update_decay = o->lr * o->decay.weight;
        h->adam.update_factor = 1;
    }
}

static void adam_hyper(const sparcl_optim *o, spc_hyper *h) {
    moments(o, h);
    correct(o, h);
    if (o->preset != SPARCL_PRESET_TORCH || o->epsilon_place == SPARCL_EPSILON_CORRECTED)
        h->form |= SPC_FORM_PRODUCT_FIRST;
    spc_clip_decayed(o, h);
    decay_inside(o, h);
}

#define BETAS .adam.beta1 = 0.9, .adam.beta2 = 0.999

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
    .presets = {SPC_OF(TORCH, BETAS, .lr = 0.001, .epsilon = 1e-8),
                SPC_OF(MXNET, BETAS, .lr = 0.001, .epsilon = 1e-8, SPC_SEPARATE),
                SPC_OF(TF1, BETAS, .lr = 0.001, .epsilon = 1e-8, .moves = SPARCL_MOVES_ALL),
                SPC_OF_KERAS3(BETAS, .lr = 0.001, .epsilon = 1e-7),
                SPC_OF(ADDONS, BETAS, .lr = 0.001, .epsilon = 1e-7),
                SPC_OF(FBGEMM, BETAS, .lr = 0.01, .epsilon = 1e-8, .clip.stored = 1,
                       .epsilon_place = SPARCL_EPSILON_CORRECTED,
                       .decay.kind = SPARCL_DECAY_INSIDE),
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
    .presets = {SPC_OF(TORCH, BETAS, .lr = 0.001, .epsilon = 1e-8,
                       .epsilon_place = SPARCL_EPSILON_CORRECTED),
                SPC_OF_KERAS3(BETAS, .lr = 0.001, .epsilon = 1e-7),
                SPC_OF(ADDONS, BETAS, .lr = 0.001, .epsilon = 1e-7, .moves = SPARCL_MOVES_ALL,
                       .decay.kind = SPARCL_DECAY_DECOUPLED)},
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
    .presets = {SPC_OF(ADDONS, BETAS, .lr = 0.01, .epsilon = 1e-3,
                       .adagrad.initial_accumulator = 1e-6, .moves = SPARCL_MOVES_ALL)},
    .hyper = yogi_hyper};
