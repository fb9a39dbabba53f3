/* rules_nadam.c: NAdam and Adamax. */
#include "optim/rules.h"

/* e^x for x <= 0, by the series of x / 2^k and k squarings: the same bits everywhere. */
static double exp_of_negative(double x) {
    double result = 1;
    int k = 0;
    if (x < -700) return 0;
    for (; x < -0.0625; ++k)
        x /= 2;
    for (int n = 12; n >= 1; --n)
        result = 1 + x / n * result;
    for (; k > 0; --k)
        result *= result;
    return result;
}

/* 0.96^momentum_decay; Keras has 0.96 in float. */
static double schedule_base(const sparcl_optim *o) {
    const bool in_float = o->preset == SPARCL_PRESET_KERAS3;
    if (o->adam.momentum_decay == 1) return in_float ? (double)0.96F : 0.96;
    return exp_of_negative(o->adam.momentum_decay * (in_float ? -0.04082201687199717 : //
                                                         -0.040821994520255166));
}

/* mu of a step, where `power` is base^t. */
static double mu_of(const sparcl_optim *o, double power) {
    if (o->preset != SPARCL_PRESET_KERAS3) return o->adam.beta1 * (1 - 0.5 * power);
    return (double)((float)o->adam.beta1 * (1 - 0.5F * (float)power));
}

/* The product of mu up to this step, as the system multiplies; from some step on 1 less it is 1. */
static double mu_product(const sparcl_optim *o, double base) {
    double product = 1, power = base;
    if (o->adam.no_bias_correction) return 0;
    for (int64_t t = 1; t <= o->step && product > 0x1p-60; ++t, power *= base) {
        if (o->preset == SPARCL_PRESET_KERAS3)
            product = (double)((float)product * (float)o->adam.beta1 * (1 - 0.5F * (float)power));
        else if (o->preset == SPARCL_PRESET_TORCH)
            product = (double)((float)product * (float)mu_of(o, power));
        else
            product *= mu_of(o, power);
    }
    return product;
}

/* beta2^t; in_float: of a beta in float. */
static double second_power(const sparcl_optim *o, bool in_float) {
    if (o->adam.no_bias_correction) return 0;
    return spc_power(in_float ? (double)(float)o->adam.beta2 : o->adam.beta2, o->step);
}

static void keras_nadam(const sparcl_optim *o, spc_hyper *h, float now, float after,
                        float product) {
    h->form = SPC_FORM_PRODUCT_FIRST;
    h->nadam.rest1 = spc_float_rest(o->adam.beta1);
    h->nadam.rest2 = spc_float_rest(o->adam.beta2);
    h->nadam.gradient_factor = (double)(1 - now);
    h->nadam.gradient_divisor = (double)(1 - product);
    h->nadam.mean_factor = (double)after;
    h->nadam.mean_divisor = (double)(1 - product * after);
    h->nadam.correction2 = spc_float_rest(second_power(o, true));
}

/* cl/rule_nadam.cl */
static void nadam_hyper(const sparcl_optim *o, spc_hyper *h) {
    const double base = schedule_base(o), product = mu_product(o, base),
                 now = mu_of(o, spc_power(base, o->step)),
                 after = mu_of(o, spc_power(base, o->step + 1));
    h->nadam.rest1 = 1 - o->adam.beta1;
    h->nadam.rest2 = 1 - o->adam.beta2;
    h->nadam.beta1 = o->adam.beta1;
    h->nadam.beta2 = o->adam.beta2;
    h->nadam.gradient_factor = 1 - now;
    h->nadam.gradient_divisor = 1 - product;
    h->nadam.mean_factor = after;
    h->nadam.mean_divisor = 1 - product * after;
    h->nadam.correction2 = 1 - second_power(o, false);
    h->nadam.epsilon = o->epsilon;
    if (o->preset == SPARCL_PRESET_KERAS3) {
        keras_nadam(o, h, (float)now, (float)after, (float)product);
        return;
    }
    h->form = SPC_FORM_SQUARE_WEIGHTED | SPC_FORM_SQUARE_LEFT;
    if (o->preset == SPARCL_PRESET_MXNET) {
        h->form |= SPC_FORM_MEAN_WEIGHTED;
        spc_clip_decayed(o, h);
    } else {
        h->form |= SPC_FORM_TWO_UPDATES;
        h->nadam.gradient_factor = o->lr * h->nadam.gradient_factor / h->nadam.gradient_divisor;
        h->nadam.mean_factor = o->lr * h->nadam.mean_factor / h->nadam.mean_divisor;
    }
}

#define BETAS .adam.beta1 = 0.9, .adam.beta2 = 0.999

const spc_rule spc_rule_nadam = {
    .name = "nadam",
    .formula =
        "m, v as adam;  mu(t) = beta1 (1 - 0.96^(t momentum_decay) / 2);  P = mu(1) ... mu(t);"
        "  w -= lr (mu(t+1) m / (1 - P mu(t+1)) + (1 - mu(t)) g / (1 - P)) / root",
    .uses = "beta1 beta2 epsilon no_bias_correction momentum_decay",
    .stem = "hyper+panel+partition+runs+moments+rule_nadam+step+absent",
    .squares = "hyper+panel+partition+runs+moments+rule_nadam+step+squares",
    .late_stem = "hyper+panel+moments+rule_nadam+missed+step+step_late",
    .states = 2,
    .state_names = {"m", "v"},
    .presets = {SPC_OF(TORCH, BETAS, .lr = 0.002, .epsilon = 1e-8, .adam.momentum_decay = 0.004),
                SPC_OF(MXNET, BETAS, .lr = 0.001, .epsilon = 1e-8, .adam.momentum_decay = 0.004,
                       SPC_SEPARATE),
                SPC_OF_KERAS3(BETAS, .lr = 0.001, .epsilon = 1e-7, .adam.momentum_decay = 1)},
    .hyper = nadam_hyper};

/* cl/rule_adamax.cl */
static void adamax_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->adamax.rest1 = 1 - o->adam.beta1;
    h->adamax.beta1 = o->adam.beta1;
    h->adamax.beta2 = o->adam.beta2;
    h->adamax.epsilon_inside = spc_epsilon_inside(o);
    h->adamax.epsilon_outside = spc_epsilon_outside(o);
    h->adamax.correction1 = 1;
    if (o->preset == SPARCL_PRESET_MXNET) h->form = SPC_FORM_MEAN_WEIGHTED;
    spc_clip_decayed(o, h);
    if (o->adam.no_bias_correction) return;
    if (o->preset == SPARCL_PRESET_KERAS3)
        h->adamax.correction1 = spc_float_rest(spc_power((double)(float)o->adam.beta1, o->step));
    else
        h->lr = o->lr / (1 - spc_power(o->adam.beta1, o->step));
}

const spc_rule spc_rule_adamax = {
    .name = "adamax",
    .formula = "m as adam;  u = max(beta2 u, |g| + epsilon);  w -= lr / (1 - beta1^t) m / u",
    .uses = "beta1 beta2 epsilon epsilon_place no_bias_correction",
    .stem = "hyper+panel+partition+runs+moments+rule_adamax+step+absent",
    .squares = "hyper+panel+partition+runs+moments+rule_adamax+step+squares",
    .states = 2,
    .state_names = {"m", "u"},
    .presets = {SPC_OF(TORCH, BETAS, .lr = 0.002, .epsilon = 1e-8,
                       .epsilon_place = SPARCL_EPSILON_INSIDE),
                SPC_OF(MXNET, BETAS, .lr = 0.002, SPC_SEPARATE),
                SPC_OF_KERAS3(BETAS, .lr = 0.001, .epsilon = 1e-7)},
    .hyper = adamax_hyper};
