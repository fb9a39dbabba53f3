/* answer_row_counter.c: the plain-C answer of rowwise Adagrad with counters. Where a comparison
 * decides, it is that of the numbers that are found: the truth is that of the same branch. */
#include <math.h>

#include "spec/optim/pair_power.h"
#include "spec/optim/row_sums.h"

/* What a row has in this step. */
typedef struct counted {
    spec_num rate, counter, gap, squares, weights; /* weights: their norm, of COWCLIP */
} counted;

/* What the row's step is made of. */
typedef struct move {
    spec_num rate, keep;
} move;

static spec_num one_of(const spec_hyper *h) {
    return num_exact(h->dtype, 1);
}

static spec_num decay_of(const spec_hyper *h, sparcl_decay decay) {
    return h->optim.decay.kind == decay ? h->decay : num_exact(h->dtype, 0);
}

/* more: max_counter */
void spec_row_counter_hyper(spec_hyper *h) {
    h->more = num_of(h->dtype, h->optim.counter.max);
}

bool spec_finds_largest(const sparcl_optim *o) {
    const bool is_of_tail = o->counter.mode == SPARCL_COUNTER_TAIL_LR_INCREASE ||
                            o->counter.mode == SPARCL_COUNTER_TAIL_LR_DECREASE;
    return o->rule == SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER && o->counter.max == 0 &&
           (is_of_tail || (o->counter.mode == SPARCL_COUNTER_SGD && o->counter.tail_id_is_ratio));
}

static spec_num next_counter(const spec_hyper *h, spec_num before, spec_num gap) {
    const double halflife = h->optim.counter.halflife;
    const spec_num one = one_of(h);
    if (halflife <= 0) return halflife == 0 ? one : num_add(before, one);
    const spec_num slope = num_of(h->dtype, (double)(0.693147182464599609375f / (float)halflife));
    return num_add(num_mul(num_exp(num_neg(num_mul(gap, slope))), before), one);
}

/* The factor of the weights, by a share of weight_decay. */
static spec_num kept(const spec_hyper *h, spec_num share, spec_num rate) {
    const bool is_coupled =
        h->optim.decay.kind == SPARCL_DECAY_COUPLED && h->optim.decay.weight != 0;
    const spec_num decay = decay_of(h, is_coupled ? SPARCL_DECAY_COUPLED : SPARCL_DECAY_DECOUPLED);
    return num_sub(one_of(h), num_mul(num_mul(share, decay), is_coupled ? rate : h->lr));
}

static spec_num factor_of_tail(const spec_hyper *h, spec_num counter) {
    const bool grows = h->optim.counter.mode == SPARCL_COUNTER_TAIL_LR_INCREASE;
    const spec_num more = num_add(counter, one_of(h)),
                   bound = num_of(h->dtype, h->optim.counter.adjustment_ub);
    const spec_num power =
        num_power(grows ? num_div(h->more, more) : num_div(more, h->more), bound);
    const double least = grows ? 1 : (double)0.1f, most = grows ? 10 : 1;
    if (power.order > most) return num_exact(h->dtype, most);
    return power.order > least ? power : num_exact(h->dtype, least);
}

static double threshold_of(const spec_hyper *h) {
    const double threshold = spec_round(h->dtype, h->optim.counter.tail_id_threshold);
    return h->optim.counter.tail_id_is_ratio
               ? floor(spec_round(h->dtype, threshold * h->more.order))
               : threshold;
}

static spec_num adjusted_rate(const spec_hyper *h, const counted *x) {
    const sparcl_optim *const o = &h->optim;
    const spec_num bound = num_of(h->dtype, o->counter.adjustment_ub);
    if (o->counter.mode == SPARCL_COUNTER_EQUAL || !(x->counter.order > threshold_of(h)))
        return x->rate;
    if (o->counter.mode == SPARCL_COUNTER_SGD)
        return num_div(h->lr, num_add(num_root(num_mul(bound, x->counter)), h->epsilon));
    return num_mul(x->rate, factor_of_tail(h, x->counter));
}

static move adagradw(const spec_hyper *h, const counted *x, spec_num adjusted) {
    const double steps = x->gap.order < adjusted.order ? x->gap.order : adjusted.order;
    const spec_num decay = decay_of(h, SPARCL_DECAY_DECOUPLED);
    const spec_num once = num_sub(one_of(h), num_mul(decay, h->lr));
    const spec_num missed = spec_power_of_pairs(once, (int64_t)steps - 1);
    return (move){num_mul(num_mul(x->rate, num_root(x->counter)), missed), num_mul(once, missed)};
}

static move cowclip(const spec_hyper *h, const counted *x) {
    const sparcl_optim *const o = &h->optim;
    const spec_num least = num_of(h->dtype, o->trust.lower_bound), gradient = num_root(x->squares);
    const spec_num weights =
        num_mul(num_of(h->dtype, o->counter.weight_norm_coefficient), x->weights);
    const spec_num limit = num_mul(x->counter, num_largest(weights, least));
    const spec_num rate =
        gradient.order > limit.order ? num_mul(num_div(limit, gradient), x->rate) : x->rate;
    return (move){rate, kept(h, one_of(h), rate)};
}

static move move_of(const spec_hyper *h, const counted *x) {
    const sparcl_optim *const o = &h->optim;
    const spec_num adjusted =
        num_of(h->dtype, fmax((double)o->step - o->counter.adjustment_iter, 0));
    if (o->counter.mode == SPARCL_COUNTER_COWCLIP) return cowclip(h, x);
    if (adjusted.order == 0) return (move){x->rate, one_of(h)};
    if (o->counter.mode == SPARCL_COUNTER_ADAGRADW) return adagradw(h, x, adjusted);
    const spec_num share = num_div(num_of(h->dtype, o->counter.halflife), x->counter);
    return (move){adjusted_rate(h, x), kept(h, share, x->rate)};
}

static counted count_row(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    const spec_num one = one_of(h), now = num_of(h->dtype, (double)h->optim.step);
    spec_num *const sum = x->s[0], *const last = x->s[1], *const counter = x->s[2];
    counted to = {.squares = spec_row_squares(h, x, g),
                  .weights = spec_row_norm(h, x, g, spec_row_weight),
                  .gap = last->order == 0 ? one : num_sub(now, *last)};
    *sum = num_add(*sum, num_div(to.squares, num_exact(h->dtype, (double)x->n)));
    *last = now;
    *counter = to.counter = next_counter(h, *counter, to.gap);
    to.rate = num_div(h->lr, num_add(num_root(*sum), h->epsilon));
    return to;
}

void spec_rowwise_adagrad_counter(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    const sparcl_optim *const o = &h->optim;
    const bool is_global = o->decay.kind == SPARCL_DECAY_GLOBAL && o->decay.weight != 0;
    const counted found = count_row(h, x, g);
    move by = move_of(h, &found);
    spec_hyper apart = *h;
    apart.optim.decay.weight = 0;
    if (is_global) by.keep = num_mul(num_of(h->dtype, 1 - o->lr * o->decay.weight), by.keep);
    for (int64_t j = 0; j < x->n; ++j) {
        const spec_num d = spec_prepare(&apart, &x->w[j], g[j]);
        x->w[j] = num_sub(num_mul(x->w[j], by.keep), num_mul(by.rate, d));
    }
    spec_row_shorten(h, x);
}
