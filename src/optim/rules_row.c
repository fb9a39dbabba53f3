/* rules_row.c: the rules that need numbers of a row. */
#include "optim/rules.h"

/* cl/rule_row_adagrad.cl */
static void rowwise_adagrad_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->lr = o->lr / (1 + (double)(o->step - 1) * o->adagrad.lr_decay);
    h->row_adagrad.epsilon_inside = spc_epsilon_inside(o);
    h->row_adagrad.epsilon_outside = spc_epsilon_outside(o);
    if (o->preset == SPARCL_PRESET_FBGEMM) h->form = SPC_FORM_RATE_OF_ROW;
}

const spc_rule spc_rule_rowwise_adagrad = {
    .name = "rowwise_adagrad",
    .formula =
        "s += mean of g^2 over the row;  w -= lr g / (sqrt(s) + epsilon), one s for each row",
    .uses = "lr_decay epsilon epsilon_place initial_accumulator max_norm",
    .stem = "hyper+panel+partition+runs+rule_row_adagrad+step+row_teams+by_row+absent",
    .states = 1,
    .row_states = 1,
    .state_names = {"s"},
    .is_by_row = true,
    .accumulates = true,
    .presets = {SPC_OF(MXNET, .lr = 0.01, .epsilon = 1e-5, .epsilon_place = SPARCL_EPSILON_INSIDE,
                       SPC_SEPARATE),
                SPC_OF(FBGEMM, .lr = 0.01, .epsilon = 1e-8, .clip.stored = 1)},
    .hyper = rowwise_adagrad_hyper};

/* 1 - beta^t. */
static double correction(const sparcl_optim *o, double beta) {
    return o->adam.no_bias_correction ? 1 : 1 - spc_power(beta, o->step);
}

/* cl/rule_row_adam.cl, cl/rule_row_lamb.cl */
static void moments_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->row_adam.rest1 = 1 - o->adam.beta1;
    h->row_adam.rest2 = 1 - o->adam.beta2;
    h->row_adam.beta1 = o->adam.beta1;
    h->row_adam.beta2 = o->adam.beta2;
    h->row_adam.epsilon = o->epsilon;
    h->row_adam.correction1 = correction(o, o->adam.beta1);
    h->row_adam.correction2 = correction(o, o->adam.beta2);
    h->row_adam.update_decay = o->decay.kind == SPARCL_DECAY_INSIDE ? o->decay.weight : 0;
}

#define BETAS     .lr = 0.01, .adam.beta1 = 0.9, .adam.beta2 = 0.999, .epsilon = 1e-8
#define OF_FBGEMM SPC_OF(FBGEMM, BETAS, .clip.stored = 1, .decay.kind = SPARCL_DECAY_INSIDE)

const spc_rule spc_rule_rowwise_adam = {
    .name = "rowwise_adam",
    .formula = "m as adam, v of the mean of g^2 over the row;  "
               "w -= lr m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)",
    .uses = "beta1 beta2 epsilon no_bias_correction max_norm",
    .stem = "hyper+panel+partition+runs+rule_row_adam+step+row_teams+by_row+absent",
    .states = 2,
    .row_states = 1,
    .state_names = {"m", "v"},
    .is_by_row = true,
    .decays_inside = true,
    .presets = {OF_FBGEMM},
    .hyper = moments_hyper};

const spc_rule spc_rule_rowwise_lamb = {
    .name = "rowwise_lamb",
    .formula = "r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon);  "
               "w -= lr |w| / |r| r, with the norms of the row, 1 where one is 0",
    .uses = "beta1 beta2 epsilon no_bias_correction max_norm",
    .stem = "hyper+panel+partition+runs+rule_row_lamb+step+row_teams+by_row+absent",
    .states = 2,
    .state_names = {"m", "v"},
    .is_by_row = true,
    .decays_inside = true,
    .presets = {OF_FBGEMM},
    .hyper = moments_hyper};

/* cl/rule_row_steps.cl */
static void adam_row_steps_hyper(const sparcl_optim *o, spc_hyper *h) {
    moments_hyper(o, h);
    if (h->row_adam.update_decay != 0) h->form |= SPC_FORM_UPDATE_DECAY;
    if (o->adam.no_bias_correction) h->form |= SPC_FORM_UNCORRECTED;
}

const spc_rule spc_rule_adam_row_steps = {
    .name = "adam_row_steps",
    .formula = "m and v as adam, n the number of steps of the row;  "
               "w -= lr m / (1 - beta1^n) / (sqrt(v / (1 - beta2^n)) + epsilon)",
    .uses = "beta1 beta2 epsilon no_bias_correction max_norm",
    .stem = "hyper+pair_power+panel+partition+runs+rule_row_steps+step+row_teams+by_row+absent",
    .states = 3,
    .row_states = 1,
    .state_names = {"m", "v", "steps"},
    .is_by_row = true,
    .decays_inside = true,
    .presets = {SPC_OF(DGL, BETAS, .duplicates = SPARCL_DUPLICATES_MEAN), OF_FBGEMM},
    .hyper = adam_row_steps_hyper};

/* A coupled decay is part of the rule: the norm of the gradient is without it. */
static void rowwise_lars_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->row_lars.lr_eta = o->lr * o->eta;
    h->row_lars.momentum = o->momentum.factor;
    h->row_lars.update_decay = h->decay;
    h->decay = 0;
}

const spc_rule spc_rule_rowwise_lars = {
    .name = "rowwise_lars",
    .formula =
        "k = lr eta |w| / (|g| + wd |w|) of the row;  b = momentum b + k (g + wd w);  w -= b",
    .uses = "momentum eta max_norm",
    .stem = "hyper+panel+partition+runs+rule_row_lars+step+row_teams+by_row+absent",
    .states = 1,
    .state_names = {"b"},
    .is_by_row = true,
    .presets = {SPC_OF(FBGEMM, .lr = 0.01, .eta = 0.001, .momentum.factor = 0.9, .clip.stored = 1)},
    .hyper = rowwise_lars_hyper};

static void rowwise_rmsprop_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->row_rmsprop.rest = spc_float_rest(o->rmsprop.rho);
    h->row_rmsprop.rho = o->rmsprop.rho;
    h->row_rmsprop.epsilon = o->epsilon;
    h->row_rmsprop.shrinkage = o->lr * o->rmsprop.ar_alpha;
    h->row_rmsprop.min_shrinkage = o->rmsprop.min_shrinkage;
    h->row_rmsprop.step = (double)o->step;
}

const spc_rule spc_rule_rowwise_rmsprop = {
    .name = "rowwise_rmsprop",
    .formula = "v = rho v + (1 - rho) mean of g^2 over the row;  "
               "w = shrinkage w - lr g / (sqrt(v) + epsilon); shrinkage by absent steps",
    .uses = "rho epsilon ar_alpha min_shrinkage max_norm",
    .stem = "hyper+panel+partition+runs+rule_row_rmsprop+step+row_teams+by_row+absent",
    .states = 2,
    .row_states = 2,
    .state_names = {"v", "last"},
    .is_by_row = true,
    .presets = {SPC_OF(FBGEMM, .lr = 0.01, .rmsprop.rho = 0.99, .epsilon = 1e-8,
                       .rmsprop.min_shrinkage = 0.1, .clip.stored = 1)},
    .hyper = rowwise_rmsprop_hyper};
