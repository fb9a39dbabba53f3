/* rules_table.c: the rules whose rate has norms of the whole table: LAMB and LARS. */
#include "optim/rules.h"

/* 1 - beta^t in float. */
static double correction(const sparcl_optim *o, double beta) {
    if (o->adam.no_bias_correction) return 1;
    return spc_float_rest(spc_power((double)(float)beta, o->step));
}

/* cl/rule_lamb.cl */
static void lamb_hyper(const sparcl_optim *o, spc_hyper *h) {
    const bool is_keras = o->preset == SPARCL_PRESET_KERAS3;
    h->lamb.rest1 = is_keras ? 1 - o->adam.beta1 : spc_float_rest(o->adam.beta1);
    h->lamb.rest2 = is_keras ? 1 - o->adam.beta2 : spc_float_rest(o->adam.beta2);
    h->lamb.beta1 = o->adam.beta1;
    h->lamb.beta2 = o->adam.beta2;
    h->lamb.epsilon = o->epsilon;
    h->lamb.correction1 = correction(o, o->adam.beta1);
    h->lamb.correction2 = correction(o, o->adam.beta2);
    h->lamb.update_decay = o->decay.kind == SPARCL_DECAY_INSIDE ? o->decay.weight : 0;
    h->lamb.lower_bound = o->trust.lower_bound;
    h->lamb.upper_bound = o->trust.upper_bound;
    if (!is_keras) h->form = SPC_FORM_MEAN_WEIGHTED | SPC_FORM_SQUARE_WEIGHTED;
    if (o->preset == SPARCL_PRESET_MXNET) h->form |= SPC_FORM_SQUARE_LEFT | SPC_FORM_PRODUCT_FIRST;
}

#define BETAS .lr = 0.001, .adam.beta1 = 0.9, .adam.beta2 = 0.999

const spc_rule spc_rule_lamb = {
    .name = "lamb",
    .formula = "r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon), m and v as adam;  "
               "w -= lr |w| / |r| r, with the norms of the table, 1 where one is 0",
    .uses = "beta1 beta2 epsilon no_bias_correction lower_bound upper_bound",
    .stem = "hyper+panel+partition+runs+moments+rule_lamb+step+absent+table_ratio",
    .squares = "hyper+panel+partition+runs+moments+rule_lamb+step+squares",
    .states = 2,
    .state_names = {"m", "v"},
    .is_by_table = true,
    .decays_inside = true,
    .presets = {SPC_OF(MXNET, BETAS, .epsilon = 1e-6, .decay.kind = SPARCL_DECAY_INSIDE),
                SPC_OF_KERAS3(BETAS, .epsilon = 1e-7),
                SPC_OF(ADDONS, BETAS, .epsilon = 1e-6, .decay.kind = SPARCL_DECAY_INSIDE,
                       .moves = SPARCL_MOVES_ALL)},
    .hyper = lamb_hyper};

/* cl/rule_lars.cl. A coupled decay and the limit are part of the rule: the norm of the gradient is
 * without them. */
static void lars_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->lars.eta = o->eta;
    h->lars.epsilon = o->epsilon;
    h->lars.momentum = o->momentum.last_lr == 0
                           ? o->momentum.factor
                           : o->momentum.factor * (o->lr / o->momentum.last_lr);
    h->lars.gradient_limit = h->clip;
    h->lars.update_decay = h->decay;
    h->clip = (double)INFINITY;
    h->decay = 0;
    if (o->momentum.factor == 0) h->form = SPC_FORM_WITHOUT_MOMENTUM;
}

const spc_rule spc_rule_lars = {
    .name = "lars",
    .formula = "k = lr eta |w| / (|g| + wd |w| + epsilon), with the norms of the table;  "
               "w += b, b = momentum b - k (g + wd w)",
    .uses = "momentum last_lr eta epsilon",
    .stem = "hyper+panel+partition+runs+rule_lars+step+absent+table_ratio",
    .states = 1,
    .state_names = {"b"},
    .is_by_table = true,
    .presets = {SPC_OF(MXNET, .lr = 0.01, .eta = 0.001)},
    .hyper = lars_hyper};
