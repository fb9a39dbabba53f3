/* lazy_answer.c: the tables and the catch-ups of exact lazy optimizers, in plain C. */
#include "spec/optim/lazy_answer.h"

#include <math.h>

#include "spec/optim/rule_answer.h"

/* --- the steps so far, rounded as the tables of cl/lazy.cl ------------------------------------ */

static double power(double x, int64_t n) {
    double result = 1;
    for (; n > 0; n /= 2, x *= x)
        if (n % 2) result *= x;
    return result;
}

/* The least number of steps with ratio^steps <= 2^-bits. */
static int64_t steps_until(double ratio, int bits) {
    int64_t n = 1;
    while (power(ratio, n) > ldexp(1, -bits))
        ++n;
    return n;
}

/* The states s, t and u of cl/missed.cl, 0: none. */
static const int places[9][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {1, 2, 3}, {0, 1, 0},
                                 {2, 1, 0}, {0, 1, 2}, {3, 1, 2}, {0, 0, 0}};

static bool has_root(int form) {
    return form == 2 || form == 3;
}

static bool has_momentum(int form) {
    return form == 1 || form == 5 || form == 7;
}

static int form_of(const sparcl_optim *o) {
    return o->rule == SPARCL_RULE_MOMENTUM                    ? 1
           : o->rule == SPARCL_RULE_ADAM                      ? 2
           : o->rule == SPARCL_RULE_NADAM                     ? 2
           : o->rule == SPARCL_RULE_AMSGRAD                   ? 3
           : o->rule == SPARCL_RULE_RMSPROP                   ? 4
           : o->rule == SPARCL_RULE_RMSPROP_MOMENTUM          ? 5
           : o->rule == SPARCL_RULE_RMSPROP_CENTERED          ? 6
           : o->rule == SPARCL_RULE_ADADELTA                  ? 6
           : o->rule == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM ? 7
           : o->rule == SPARCL_RULE_FTRL                      ? 8
           : o->rule == SPARCL_RULE_ADAGRAD_DA                ? 8
                                                              : 0;
}

void spec_lazy_begin(spec_lazy_history *h, const sparcl_optim *o) {
    const int bits = h->dtype == SPARCL_F64 ? 60 : 30, form = h->form = form_of(o);
    h->first = h->root = h->unit = h->limit = 1;
    h->second = form > 3 && form < 8 ? o->rmsprop.rho : 1;
    if (has_momentum(form)) {
        h->first = h->ratio[0] = o->momentum.factor;
        h->window = steps_until(h->first, bits);
    }
    if (!has_root(form)) return;
    h->first = o->adam.beta1;
    h->unit = o->epsilon;
    h->second = o->adam.beta2;
    if (o->rule == SPARCL_RULE_NADAM && o->preset == SPARCL_PRESET_KERAS3) {
        h->first = 1 - (double)(1 - (float)o->adam.beta1);
        h->second = 1 - (double)(1 - (float)o->adam.beta2);
    }
    h->root = form == 2 ? sqrt(h->second) : 1;
    for (int q = 0; q < SPEC_LAZY_TERMS; ++q)
        h->ratio[q] = (q ? h->ratio[q - 1] : h->first) / h->root;
    h->window = steps_until(h->ratio[SPEC_LAZY_TERMS - 1], bits);
    h->limit = (h->dtype == SPARCL_F64 ? ldexp(1, -13) : ldexp(1, -7)) *
               power(h->root, steps_until(h->ratio[0], bits));
}

/* The weight loses this many times the new buffer. */
static double momentum_rate(const sparcl_optim *o) {
    if (o->rule == SPARCL_RULE_MOMENTUM)
        return o->lr * (o->momentum.nesterov ? o->momentum.factor : 1);
    return o->preset == SPARCL_PRESET_TORCH ? o->lr : o->preset == SPARCL_PRESET_MXNET ? -1 : 1;
}

/* The factor of m, and epsilon, before the root of the correction is moved to them. */
static void adam_record(const sparcl_optim *o, spec_lazy_record *r) {
    const double second = sqrt(1 - power(o->adam.beta2, o->step));
    const double first = 1 - power(o->adam.beta1, o->step), lr = o->lr;
    const bool corrected = o->epsilon_place == SPARCL_EPSILON_CORRECTED;
    r->exact_rate = corrected ? lr / first * second : lr * second / first;
    r->exact_epsilon = corrected ? o->epsilon * second : o->epsilon;
}

/* answer_nadam.c has the coefficients: PyTorch's have the rate and the divisor in them. */
static void nadam_record(const sparcl_optim *o, spec_lazy_record *r) {
    const spec_hyper h = spec_hyper_of(o, SPARCL_F64);
    const double second = sqrt(h.inside.truth), of_m = h.more.truth;
    const bool is_whole = o->preset == SPARCL_PRESET_TORCH;
    r->exact_rate = (is_whole ? of_m : o->lr * of_m / h.correction2.truth) * second;
    r->exact_epsilon = o->epsilon * second;
}

static spec_lazy_record begin_record(const spec_lazy_history *h, const sparcl_optim *o) {
    spec_lazy_record r = {.exact_share = o->lr * o->decay.weight};
    if (has_momentum(h->form)) r.exact_rate = momentum_rate(o);
    if (has_root(h->form)) (o->rule == SPARCL_RULE_NADAM ? nadam_record : adam_record)(o, &r);
    r.rate = spec_round(h->dtype, r.exact_rate);
    r.epsilon = spec_round(h->dtype, r.exact_epsilon);
    r.share = spec_round(h->dtype, r.exact_share);
    return r;
}

#define R(x) spec_round(dtype, x)

static spec_lazy_pair add(sparcl_dtype dtype, spec_lazy_pair p, double x) {
    const double sum = R(p.high + x), part = R(sum - p.high);
    const double off = R(R(p.high - R(sum - part)) + R(x - part));
    return (spec_lazy_pair){sum, R(p.low + off)};
}

/* A sum of one step more. */
static spec_lazy_pair moved_sum(sparcl_dtype dtype, spec_lazy_pair p, double share,
                                double power_of_ratio, double term) {
    const double lost = R(share * p.high);
    p.low = R(p.low - R(share * p.low));
    p = add(dtype, p, R(R(power_of_ratio) * R(term)));
    p = add(dtype, p, -lost);
    const double sum = R(p.high + p.low);
    return (spec_lazy_pair){sum, R(p.low - R(sum - p.high))};
}

void spec_lazy_take_step(spec_lazy_history *h, const sparcl_optim *o) {
    spec_lazy_record r = begin_record(h, o);
    const int64_t t = ++h->done;
    int exponent;
    h->mantissa = frexp(h->mantissa * (1 - r.exact_share), &exponent);
    h->exponent += exponent;
    h->largest_epsilon = fmax(h->largest_epsilon, r.exact_epsilon);
    r.mantissa = spec_round(h->dtype, h->mantissa);
    r.exponent = h->exponent;
    r.optim = *o;
    r.rest = spec_round(h->dtype, h->mantissa - r.mantissa);
    h->at[t] = r;
    for (int64_t d = 1; d <= h->window && d <= t; ++d) {
        double term = r.exact_rate;
        for (int q = 0; q < SPEC_LAZY_TERMS; ++q, term *= r.exact_epsilon / h->unit)
            h->at[t - d].sums[q] =
                moved_sum(h->dtype, h->at[t - d].sums[q], r.share, power(h->ratio[q], d), term);
    }
}

/* --- a row that catches up ---------------------------------------------------------------------
 */

static double kept(const spec_lazy_history *h, int64_t to, int64_t from) {
    const int exponent = h->at[to].exponent - h->at[from].exponent;
    const int least = h->dtype == SPARCL_F64 ? -1000 : -100;
    return ldexp(spec_round(h->dtype, h->at[to].mantissa / h->at[from].mantissa),
                 exponent > least ? exponent : least);
}

/* A weight after the decay: what it loses, or keeps where that is less. */
static double decayed(const spec_lazy_history *h, int64_t from, double w) {
    const sparcl_dtype dtype = h->dtype;
    const spec_lazy_record *const a = &h->at[from], *const b = &h->at[h->done];
    const int exponent = b->exponent - a->exponent;
    const int least = dtype == SPARCL_F64 ? -1000 : -100;
    const int e = exponent > least ? exponent : least;
    const double high = R(a->mantissa - ldexp(b->mantissa, e));
    const double lost = R(R(high + R(a->rest - ldexp(b->rest, e))) / a->mantissa);
    if (lost > 0 && lost <= 0.5) return R(w - R(w * lost));
    return R(w * kept(h, h->done, from));
}

static double replay(const spec_lazy_history *h, int64_t from, double mean, double root) {
    const sparcl_dtype dtype = h->dtype;
    const int64_t missed = h->done - from, n = missed < h->window ? missed : h->window;
    double moved = 0;
    for (int64_t d = 1; d <= n; ++d) {
        const spec_lazy_record *const r = &h->at[from + d];
        moved = R(moved - R(r->share * moved));
        const double below = R(R(root * R(power(h->root, d))) + r->epsilon);
        moved = R(moved + R(R(r->rate * R(mean * R(power(h->first, d)))) / below));
    }
    return missed > n ? R(moved * kept(h, h->done, from + n)) : moved;
}

static double series(const spec_lazy_history *h, int64_t from, double mean, double root) {
    const sparcl_dtype dtype = h->dtype;
    const double settled = h->done - from > h->window ? kept(h, h->done, from + h->window) : 1;
    const double inverse = R(1 / root), small = R(R(h->unit) * inverse);
    double s[SPEC_LAZY_TERMS];
    for (int q = 0; q < SPEC_LAZY_TERMS; ++q)
        s[q] = R(h->at[from].sums[q].high * settled);
    const double tail = R(s[1] - R(small * R(s[2] - R(small * s[3]))));
    return R(R(mean * inverse) * R(s[0] - R(small * tail)));
}

static double movement(const spec_lazy_history *h, int64_t from, double mean, double square) {
    const sparcl_dtype dtype = h->dtype;
    const double root = R(sqrt(square));
    if (mean == 0) return 0;
    if (R(h->largest_epsilon) > R(R(h->limit) * root)) return replay(h, from, mean, root);
    return series(h, from, mean, root);
}

/* Where a step makes the weights anew from the states, only the last one counts. */
static void remake(const spec_lazy_history *h, double x[SPEC_LAZY_TABLES]) {
    const spec_hyper last = spec_hyper_of(&h->at[h->done].optim, h->dtype);
    const spec_element y = spec_step_order(&last, (spec_element){x[0], {x[1], x[2], x[3]}}, 0);
    x[0] = y.w;
    for (int i = 0; i < SPARCL_MAX_STATES; ++i)
        x[1 + i] = y.s[i];
}

void spec_lazy_order(const spec_lazy_history *h, int64_t from, double x[SPEC_LAZY_TABLES]) {
    const sparcl_dtype dtype = h->dtype;
    const int form = h->form, *const at = places[form];
    if (form == 8) {
        remake(h, x);
        return;
    }
    const int64_t missed = h->done - from, window = h->window;
    const double w = decayed(h, from, x[0]);
    x[0] = w;
    if (has_momentum(form)) {
        const double settled = missed > window ? kept(h, h->done, from + window) : 1;
        x[0] = R(w - R(x[at[0]] * R(h->at[from].sums[0].high * settled)));
    }
    if (has_root(form)) x[0] = R(w - movement(h, from, x[1], x[form]));
    if (at[0]) x[at[0]] = R(x[at[0]] * R(power(h->first, missed)));
    if (at[1]) x[at[1]] = R(x[at[1]] * R(power(h->second, missed)));
    if (form > 5) x[at[2]] = R(x[at[2]] * R(power(h->second, missed)));
}

/* The bound is relative to the parts that are added. Of the weight four roundings; of the movement
 * those of the sums, the root and the quotients, or one for each step that is replayed, and what
 * the series leaves out; of the movement without a decay what comes after the window; and of the
 * truth those of its own steps. */
static double weight_bound(const spec_lazy_history *h, int64_t from, double w, double moved,
                           double all) {
    const double u = spec_unit(h->dtype), missed = (double)(h->done - from);
    double bound = 4 * missed * spec_unit(SPARCL_F64) * (fabs(w) + moved);
    bound += 4.01 * u * (fabs(w) + moved) + 8 * spec_smallest(h->dtype);
    if (has_momentum(h->form) || has_root(h->form))
        bound += u * moved + ((has_root(h->form) ? 60 : 12) * u) * moved +
                 ldexp(all, h->dtype == SPARCL_F64 ? -59 : -29);
    if (has_root(h->form)) bound += ldexp(moved, h->dtype == SPARCL_F64 ? -48 : -26);
    return bound;
}

/* Every step of the dense rule: weights and states in double, and what they may be off by. */
static void remake_truth(const spec_lazy_history *h, int64_t from, double x[SPEC_LAZY_TABLES],
                         double bound[SPEC_LAZY_TABLES]) {
    spec_num y[SPEC_LAZY_TABLES];
    for (int s = 0; s < SPEC_LAZY_TABLES; ++s)
        y[s] = (spec_num){spec_round(h->dtype, x[s]), x[s], bound[s], h->dtype};
    spec_result r = {y[0], {y[1], y[2], y[3]}};
    for (int64_t t = from + 1; t <= h->done; ++t) {
        const spec_hyper step = spec_hyper_of(&h->at[t].optim, h->dtype);
        spec_step_of(&step, &r, num_exact(h->dtype, 0));
    }
    x[0] = r.w.truth;
    bound[0] = r.w.bound;
    for (int i = 0; i < SPARCL_MAX_STATES; ++i) {
        x[1 + i] = r.s[i].truth;
        bound[1 + i] = r.s[i].bound;
    }
}

void spec_lazy_truth(const spec_lazy_history *h, int64_t from, double x[SPEC_LAZY_TABLES],
                     double bound[SPEC_LAZY_TABLES]) {
    const int form = h->form, *const at = places[form];
    if (form == 8) {
        remake_truth(h, from, x, bound);
        return;
    }
    const double root = has_root(form) ? sqrt(x[form]) : 1;
    double mean = at[0] ? x[at[0]] : 0, below = root, moved = 0, all = 0;
    for (int64_t t = from + 1; t <= h->done; ++t) {
        const spec_lazy_record *const r = &h->at[t];
        mean *= h->first;
        below *= form == 2 ? h->root : 1;
        bound[0] *= 1 - r->exact_share;
        x[0] *= 1 - r->exact_share;
        moved *= 1 - r->exact_share;
        const double move =
            mean == 0 ? 0
                      : r->exact_rate * mean / ((has_root(form) ? below : 1) + r->exact_epsilon);
        x[0] -= move;
        moved += fabs(move);
        all += fabs(move);
    }
    bound[0] += weight_bound(h, from, x[0], moved, all);
    for (int i = 0; i < 3; ++i) {
        const double factor = power(i == 0 ? h->first : h->second, h->done - from);
        const int s = at[i];
        if (s == 0 || (i == 2 && form == 3)) continue;
        x[s] *= factor;
        bound[s] =
            bound[s] * factor + 3 * spec_unit(h->dtype) * fabs(x[s]) + 8 * spec_smallest(h->dtype);
    }
}
