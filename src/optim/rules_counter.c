/* rules_counter.c: rowwise Adagrad with counters, cl/rule_row_counter.cl. */
#include "optim/rules.h"

enum { COUNTER = 2 }; /* the third state */

/* ln 2 in float, which is what FBGEMM divides. */
#define LN2 0.693147182464599609375f

/* A decay apart from the gradient is multiplied by numbers of the row; a global one is not. */
static void rowwise_adagrad_counter_hyper(const sparcl_optim *o, spc_hyper *h) {
    const double adjusted = (double)o->step - o->counter.adjustment_iter;
    h->row_counter.epsilon = o->epsilon;
    h->row_counter.decline =
        o->counter.halflife > 0 ? (double)(LN2 / (float)o->counter.halflife) : 0;
    h->row_counter.halflife = o->counter.halflife;
    h->row_counter.step = (double)o->step;
    h->row_counter.threshold = o->counter.tail_id_threshold;
    h->row_counter.max_counter = o->counter.max;
    h->row_counter.adjustment_ub = o->counter.adjustment_ub;
    h->row_counter.adjusted_steps = adjusted > 0 ? adjusted : 0;
    h->row_counter.norm_factor = o->counter.weight_norm_coefficient;
    h->row_counter.lower_bound = o->trust.lower_bound;
    h->form =
        (uint32_t)o->counter.mode | (o->counter.tail_id_is_ratio ? SPC_FORM_THRESHOLD_IS_RATIO : 0);
    if (o->decay.kind != SPARCL_DECAY_DECOUPLED) return;
    h->keep = 1;
    h->shrink = o->decay.weight;
}

static int needs_largest(const sparcl_optim *o) {
    const bool is_of_tail = o->counter.mode == SPARCL_COUNTER_TAIL_LR_INCREASE ||
                            o->counter.mode == SPARCL_COUNTER_TAIL_LR_DECREASE;
    const bool is_of_ratio = o->counter.mode == SPARCL_COUNTER_SGD && o->counter.tail_id_is_ratio;
    const bool is_early = (double)o->step <= o->counter.adjustment_iter;
    return o->counter.max == 0 && (is_of_tail || is_of_ratio) && !is_early ? COUNTER : -1;
}

const spc_rule spc_rule_rowwise_adagrad_counter = {
    .name = "rowwise_adagrad_counter",
    .formula = "s as rowwise_adagrad, c: a counter of each row;  "
               "w = f w - r g, f and r from s and c",
    .uses = "epsilon initial_accumulator max_norm counter_mode counter_halflife adjustment_iter "
            "adjustment_ub tail_id_threshold tail_id_is_ratio max_counter "
            "weight_norm_coefficient lower_bound",
    /* clang-format off */
    .stem = "hyper+elementary+pair_power+panel+partition+runs+rule_row_counter+step+row_teams+by_row+absent",
    /* clang-format on */
    .states = 3,
    .row_states = 3,
    .state_names = {"s", "last", "counter"},
    .is_by_row = true,
    .accumulates = true,
    .presets = {SPC_OF(FBGEMM, .lr = 0.01, .epsilon = 1e-8, .counter.halflife = -1,
                       .counter.adjustment_ub = 1, .clip.stored = 1)},
    .hyper = rowwise_adagrad_counter_hyper,
    .needs_largest = needs_largest};
