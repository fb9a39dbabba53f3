/* rules_table.c: the rules whose rate has norms of the whole table: LAMB and LARS. */
#include "optim/rules.h"

/* cl/rule_lamb.cl, beside those of cl/moments.cl */
enum { PRODUCT_FIRST = 8 };

/* 1 - beta^t in float. */
static double correction(const sparcl_optim *o, double beta) {
    if (o->no_bias_correction) return 1;
    return (double)(1 - (float)spc_power((double)(float)beta, o->step));
}

static void lamb_hyper(const sparcl_optim *o, spc_hyper *h) {
    const bool is_keras = o->profile == SPARCL_PROFILE_KERAS3;
    h->a = is_keras ? 1 - o->beta1 : (double)(1 - (float)o->beta1);
    h->b = is_keras ? 1 - o->beta2 : (double)(1 - (float)o->beta2);
    h->c = o->beta1;
    h->d = o->beta2;
    h->e = o->lower_bound;
    h->f = o->epsilon;
    h->g = correction(o, o->beta1);
    h->h = correction(o, o->beta2);
    h->i = o->decay == SPARCL_DECAY_INSIDE ? o->weight_decay : 0;
    h->j = o->upper_bound;
    if (!is_keras) h->form = SPC_MEAN_WEIGHTED | SPC_SQUARE_WEIGHTED;
    if (o->profile == SPARCL_PROFILE_MXNET) h->form |= SPC_SQUARE_LAST | PRODUCT_FIRST;
}

#define MOMENTS .step = 1, .lr = 0.001, .beta1 = 0.9, .beta2 = 0.999

const spc_rule spc_rule_lamb = {
    .name = "lamb",
    .formula = "r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon), m and v as adam;  "
               "w -= lr |w| / |r| r, with the norms of the table, 1 where one is 0",
    .uses = "beta1 beta2 epsilon no_bias_correction lower_bound upper_bound",
    .stem = "panel+partition+runs+moments+rule_lamb+step+absent+table_ratio",
    .squares = "panel+partition+runs+moments+rule_lamb+step+squares",
    .states = 2,
    .state_names = {"m", "v"},
    .is_by_table = true,
    .decays_inside = true,
    .profiles = {[SPARCL_PROFILE_MXNET] = {MOMENTS, .epsilon = 1e-6, .decay = SPARCL_DECAY_INSIDE},
                 [SPARCL_PROFILE_KERAS3] = {MOMENTS, .epsilon = 1e-7, .decay = SPARCL_DECAY_GLOBAL,
                                            .moves = SPARCL_MOVES_ALL,
                                            .duplicates = SPARCL_DUPLICATES_SQUARES},
                 [SPARCL_PROFILE_ADDONS] = {MOMENTS, .epsilon = 1e-6, .decay = SPARCL_DECAY_INSIDE,
                                            .moves = SPARCL_MOVES_ALL}},
    .hyper = lamb_hyper};

/* cl/rule_lars.cl */
enum { WITHOUT_MOMENTUM = 1 };

/* A coupled decay and the limit are part of the rule: the norm of the gradient is without them. */
static void lars_hyper(const sparcl_optim *o, spc_hyper *h) {
    h->a = o->eta;
    h->b = o->epsilon;
    h->c = o->last_lr == 0 ? o->momentum : o->momentum * (o->lr / o->last_lr);
    h->d = h->clip;
    h->i = h->decay;
    h->clip = (double)INFINITY;
    h->decay = 0;
    if (o->momentum == 0) h->form = WITHOUT_MOMENTUM;
}

const spc_rule spc_rule_lars = {
    .name = "lars",
    .formula = "k = lr eta |w| / (|g| + wd |w| + epsilon), with the norms of the table;  "
               "w += b, b = momentum b - k (g + wd w)",
    .uses = "momentum last_lr eta epsilon",
    .stem = "panel+partition+runs+rule_lars+step+absent+table_ratio",
    .states = 1,
    .state_names = {"b"},
    .is_by_table = true,
    .profiles = {[SPARCL_PROFILE_MXNET] = {.step = 1, .lr = 0.01, .eta = 0.001}},
    .hyper = lars_hyper};
