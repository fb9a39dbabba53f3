/* rules_row.c: the rules that need numbers of a row. */
#include "optim/rules.h"

/* cl/rule_row_adagrad.cl */
enum { RATE_OF_ROW = 1 };

static void rowwise_adagrad_hyper(const sparcl_optim *o, spc_hyper *h) {
    const bool is_inside = o->epsilon_place == SPARCL_EPSILON_INSIDE;
    h->lr = o->lr / (1 + (double)(o->step - 1) * o->lr_decay);
    h->a = is_inside ? o->epsilon : 0;
    h->b = is_inside ? 0 : o->epsilon;
    if (o->profile == SPARCL_PROFILE_FBGEMM) h->form = RATE_OF_ROW;
}

const spc_rule spc_rule_rowwise_adagrad = {
    .name = "rowwise_adagrad",
    .formula =
        "s += mean of g^2 over the row;  w -= lr g / (sqrt(s) + epsilon), one s for each row",
    .uses = "lr_decay epsilon epsilon_place initial_accumulator max_norm",
    .stem = "panel+partition+runs+rule_row_adagrad+step+by_row+absent",
    .states = 1,
    .row_states = 1,
    .state_names = {"s"},
    .is_by_row = true,
    .accumulates = true,
    .profiles =
        {[SPARCL_PROFILE_MXNET] = {.step = 1,
                                   .lr = 0.01,
                                   .epsilon = 1e-5,
                                   .epsilon_place = SPARCL_EPSILON_INSIDE,
                                   .duplicates = SPARCL_DUPLICATES_SEPARATE},
         [SPARCL_PROFILE_FBGEMM] = {.step = 1, .lr = 0.01, .epsilon = 1e-8, .clip_stored = 1}},
    .hyper = rowwise_adagrad_hyper};
