/* answer_proximal.c: the plain-C answers of FTRL, the proximal forms of SGD and Adagrad, and
 * Adagrad with dual averages. */
#include "spec/optim/rule_answer.h"

#include <math.h>

static bool is_mxnet(const sparcl_optim *o) {
    return o->preset == SPARCL_PRESET_MXNET || o->preset == SPARCL_PRESET_HUGECTR;
}

/* more: what is added to the divisor; beta1: beta; beta2: 2 l2_shrinkage; rest1: l1; inside:
 * epsilon. */
void spec_ftrl_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    const float lr = (float)o->lr, l2 = (float)o->ftrl.l2 + (float)o->ftrl.beta / (2 * lr);
    const double decay = o->decay.kind == SPARCL_DECAY_COUPLED ? o->decay.weight : 0;
    h->rest1 = num_of(h->dtype, o->ftrl.l1);
    h->more = num_of(h->dtype, is_mxnet(o) ? decay + o->ftrl.l2 : (double)(2 * l2));
    h->beta1 = num_of(h->dtype, o->ftrl.beta);
    h->beta2 = num_of(h->dtype, 2 * o->ftrl.l2_shrinkage);
    h->inside = num_of(h->dtype, o->epsilon);
    if (!o->ftrl.multiply_linear_by_lr || is_mxnet(o)) return;
    h->rest1 = num_of(h->dtype, (double)((float)o->ftrl.l1 * lr));
    h->more = num_of(h->dtype, (double)(2 * l2 * lr));
}

static spec_num grown_of(const spec_hyper *h, spec_num n) {
    n = num_add(n, h->inside);
    if (h->optim.ftrl.lr_power == -0.5) return num_root(n);
    return num_root_times_power(n, num_of(h->dtype, -h->optim.ftrl.lr_power - 0.5));
}

static void mxnet_ftrl(const spec_hyper *h, spec_result *x, spec_num g, spec_num squares) {
    const spec_num next = num_add(x->s[0], squares), grown = grown_of(h, next);
    const spec_num more = num_mul(num_sub(grown, grown_of(h, x->s[0])), x->w);
    x->s[1] = num_add(x->s[1], num_sub(g, num_div(more, h->lr)));
    x->s[0] = next;
    const spec_num z = x->s[1], below = num_div(num_add(h->beta1, grown), h->lr);
    const spec_num move = num_sub(num_mul(num_sign(z), h->rest1), z);
    const spec_num kept = {.order = !(fabs(z.order) <= h->rest1.order),
                           .truth = !(fabs(z.truth) <= h->rest1.truth),
                           .dtype = h->dtype};
    x->w = num_mul(num_div(move, num_add(below, h->more)), kept);
    /* On different sides of l1: one is 0, the other at most what the distance makes. */
    if (kept.order != kept.truth) x->w.bound = (double)INFINITY;
}

static void ftrl(const spec_hyper *h, spec_result *x, spec_num g, spec_num squares) {
    const sparcl_optim *const o = &h->optim;
    if (is_mxnet(o)) {
        mxnet_ftrl(h, x, g, squares);
        return;
    }
    const spec_num next = num_add(x->s[0], squares), grown = grown_of(h, next);
    const spec_num more = num_sub(grown, grown_of(h, x->s[0]));
    if (o->ftrl.l2_shrinkage != 0) g = num_add(g, num_mul(h->beta2, x->w));
    if (o->ftrl.multiply_linear_by_lr) g = num_mul(g, h->lr);
    const spec_num slope = o->ftrl.multiply_linear_by_lr ? more : num_div(more, h->lr);
    const spec_num below = o->ftrl.multiply_linear_by_lr ? grown : num_div(grown, h->lr);
    x->s[1] = num_add(x->s[1], num_sub(g, num_mul(slope, x->w)));
    x->s[0] = next;
    x->w = num_div(num_sub(num_clip(x->s[1], h->rest1), x->s[1]), num_add(below, h->more));
}

static spec_num square(const spec_hyper *h, spec_num g) {
    (void)h;
    return num_mul(g, g);
}

void spec_ftrl(const spec_hyper *h, spec_result *x, spec_num g) {
    ftrl(h, x, g, num_mul(g, g));
}

void spec_ftrl_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count) {
    ftrl(h, x, spec_sum_of_rows(h, g, count, NULL), spec_sum_of_rows(h, g, count, square));
}

/* more: l2; rest1: l1. */
void spec_proximal_hyper(spec_hyper *h) {
    h->rest1 = num_of(h->dtype, h->optim.ftrl.l1);
    h->more = num_of(h->dtype, h->optim.ftrl.l2);
}

/* sign(x) times |x| - less, if that is positive: continuous in x. */
static spec_num shrunk(spec_num x, spec_num less) {
    const spec_num zero = num_exact(x.dtype, 0), rest = num_sub(num_abs(x), less);
    spec_num result = num_mul(num_sign(x), num_largest(rest, zero));
    result.bound = rest.bound + x.bound + spec_smallest(x.dtype);
    return result;
}

static spec_num proximal(const spec_hyper *h, spec_num x, spec_num rate) {
    const spec_num one = num_exact(h->dtype, 1);
    if (h->optim.ftrl.l1 != 0) x = shrunk(x, num_mul(rate, h->rest1));
    return num_div(x, num_add(one, num_mul(h->more, rate)));
}

void spec_proximal_sgd(const spec_hyper *h, spec_result *x, spec_num g) {
    x->w = proximal(h, num_sub(x->w, num_mul(g, h->lr)), h->lr);
}

void spec_proximal_adagrad(const spec_hyper *h, spec_result *x, spec_num g) {
    x->s[0] = num_add(x->s[0], num_mul(g, g));
    const spec_num one = num_exact(h->dtype, 1);
    const spec_num rate = num_mul(h->lr, num_div(one, num_root(x->s[0])));
    x->w = proximal(h, num_sub(x->w, num_mul(g, rate)), rate);
}

void spec_adagrad_da(const spec_hyper *h, spec_result *x, spec_num g) {
    const sparcl_optim *const o = &h->optim;
    const spec_num t = num_of(h->dtype, (double)o->step),
                   t_lr = num_of(h->dtype, (double)((float)o->step * (float)o->lr));
    const spec_num zero = num_exact(h->dtype, 0);
    x->s[1] = num_add(x->s[1], g);
    x->s[0] = num_add(x->s[0], num_mul(g, g));
    const spec_num mean = num_sub(num_div(num_abs(x->s[1]), t), h->rest1);
    spec_num above = num_neg(num_mul(num_sign(x->s[1]), num_largest(mean, zero)));
    above.bound = mean.bound + num_div(x->s[1], t).bound + spec_smallest(h->dtype);
    x->w = num_div(above, num_add(h->more, num_div(num_root(x->s[0]), t_lr)));
}
