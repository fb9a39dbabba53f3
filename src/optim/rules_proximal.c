/* rules_proximal.c: rules with an l1 that makes weights 0: FTRL, the proximal forms of gradient
 * descent and Adagrad, and Adagrad with dual averages. */
#include "optim/rules.h"

/* MXNet and HugeCTR: weight_decay and l2 in the divisor. */
static void mxnet_ftrl(const sparcl_optim *o, spc_hyper *h) {
    h->form = SPC_FORM_MXNET;
    h->ftrl.l1 = o->ftrl.l1;
    h->ftrl.l2 = h->decay + o->ftrl.l2;
    h->decay = 0;
}

/* TensorFlow: in float, where the rate is a part. */
static void tensorflow_ftrl(const sparcl_optim *o, spc_hyper *h) {
    const float lr = (float)o->lr, l2 = (float)o->ftrl.l2 + (float)o->ftrl.beta / (2 * lr);
    h->ftrl.l1 = o->ftrl.l1;
    h->ftrl.l2 = (double)(2 * l2);
    if (!o->ftrl.multiply_linear_by_lr) return;
    h->form = SPC_FORM_LINEAR_BY_RATE;
    h->ftrl.l1 = (double)((float)o->ftrl.l1 * lr);
    h->ftrl.l2 = (double)(2 * l2 * lr);
}

/* cl/rule_ftrl.cl */
static void ftrl_hyper(const sparcl_optim *o, spc_hyper *h) {
    if (o->preset == SPARCL_PRESET_MXNET || o->preset == SPARCL_PRESET_HUGECTR)
        mxnet_ftrl(o, h);
    else
        tensorflow_ftrl(o, h);
    h->ftrl.beta = o->ftrl.beta;
    h->ftrl.twice_l2_shrinkage = 2 * o->ftrl.l2_shrinkage;
    h->ftrl.power = -o->ftrl.lr_power - 0.5;
    h->ftrl.epsilon = o->epsilon;
    if (o->ftrl.lr_power != -0.5) h->form |= SPC_FORM_POWER;
}

const spc_rule spc_rule_ftrl = {
    .name = "ftrl",
    .formula = "n += g^2;  z += g - (sqrt(n) - sqrt(old n)) / lr w;  w = -sign(z) max(|z| - l1, 0) "
               "/ ((beta + sqrt(n)) / lr + 2 l2)",
    .uses = "epsilon initial_accumulator l1 l2 l2_shrinkage beta lr_power multiply_linear_by_lr",
    .stem = "hyper+elementary+panel+partition+runs+rule_ftrl+step+absent",
    .squares = "hyper+elementary+panel+partition+runs+rule_ftrl+step+squares",
    .late_stem = "hyper+elementary+panel+remade+rule_ftrl+step+step_late",
    .states = 2,
    .state_names = {"n", "z"},
    .accumulates = true,
    .divides_by_rate = true,
    .presets = {SPC_OF(MXNET, .ftrl.lr_power = -0.5, .lr = 0.1, .ftrl.l1 = 0.01, .ftrl.beta = 1,
                       SPC_SEPARATE),
                SPC_OF(TF1, .ftrl.lr_power = -0.5, .lr = 0.001, .adagrad.initial_accumulator = 0.1),
                SPC_OF_KERAS3(.ftrl.lr_power = -0.5, .lr = 0.001,
                              .adagrad.initial_accumulator = 0.1),
                SPC_OF(HUGECTR, .ftrl.lr_power = -0.5, .lr = 0.001, .epsilon = 0x1p-23)},
    .hyper = ftrl_hyper};

/* cl/rule_proximal.cl */
static void proximal_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->proximal.l1 = o->ftrl.l1;
    h->proximal.l2 = o->ftrl.l2;
    h->proximal.step = (double)o->step;
    h->proximal.step_lr = (double)((float)o->step * (float)o->lr);
}

#define OF_TF1 SPC_OF(TF1, .lr = 0.001, .adagrad.initial_accumulator = 0.1)

const spc_rule spc_rule_proximal_sgd = {
    .name = "proximal_sgd",
    .formula = "p = w - lr g;  w = sign(p) max(|p| - lr l1, 0) / (1 + lr l2)",
    .uses = "l1 l2",
    .stem = "hyper+panel+partition+runs+rule_proximal+step+absent",
    .presets = {SPC_OF(TF1, .lr = 0.001)},
    .hyper = proximal_hyper};

const spc_rule spc_rule_proximal_adagrad = {
    .name = "proximal_adagrad",
    .formula = "as proximal_sgd with the rate lr / sqrt(s), s as adagrad",
    .uses = "initial_accumulator l1 l2",
    .stem = "hyper+panel+partition+runs+rule_proximal+step+absent",
    .states = 1,
    .state_names = {"s"},
    .accumulates = true,
    .presets = {OF_TF1},
    .form = SPC_FORM_PROXIMAL_ADAGRAD,
    .hyper = proximal_hyper};

const spc_rule spc_rule_adagrad_da = {
    .name = "adagrad_da",
    .formula = "squares += g^2;  sum += g;  w = -sign(sum) max(|sum| / t - l1, 0) / (l2 + "
               "sqrt(squares) / (t lr))",
    .uses = "initial_accumulator l1 l2",
    .stem = "hyper+panel+partition+runs+rule_proximal+step+absent",
    .late_stem = "hyper+panel+remade+rule_proximal+step+step_late",
    .states = 2,
    .state_names = {"squares", "sum"},
    .accumulates = true,
    .divides_by_rate = true,
    .presets = {OF_TF1},
    .form = SPC_FORM_DUAL_AVERAGES,
    .hyper = proximal_hyper};
