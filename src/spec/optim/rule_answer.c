/* rule_answer.c: what all optimizer rules share, in plain C: the coefficients and what comes before
 * a rule. */
#include "spec/optim/rule_answer.h"

#include <math.h>
#include <string.h>

double spec_power_of(double x, int64_t n) {
    double result = 1;
    for (; n > 0; n /= 2, x *= x)
        if (n % 2) result *= x;
    return result;
}

typedef struct answer {
    void (*hyper)(spec_hyper *h);
    void (*step)(const spec_hyper *h, spec_result *x, spec_num g);
    void (*row)(const spec_hyper *h, const spec_row *x, const spec_num *g); /* instead of step */
    void (*rows)(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count);
} answer;

static const answer answers[SPARCL_RULES] = {
    [SPARCL_RULE_SGD] = {spec_gradient_hyper, spec_sgd, NULL, NULL},
    [SPARCL_RULE_MOMENTUM] = {spec_gradient_hyper, spec_momentum, NULL, NULL},
    [SPARCL_RULE_ADAGRAD] = {spec_adagrad_hyper, spec_adagrad, NULL, spec_adagrad_rows},
    [SPARCL_RULE_ADAM] = {spec_adam_hyper, spec_adam, NULL, spec_adam_rows},
    [SPARCL_RULE_AMSGRAD] = {spec_adam_hyper, spec_adam, NULL, spec_adam_rows},
    [SPARCL_RULE_RMSPROP] = {spec_rmsprop_hyper, spec_rmsprop, NULL, spec_rmsprop_rows},
    [SPARCL_RULE_RMSPROP_MOMENTUM] = {spec_rmsprop_hyper, spec_rmsprop, NULL, spec_rmsprop_rows},
    [SPARCL_RULE_RMSPROP_CENTERED] = {spec_rmsprop_hyper, spec_rmsprop, NULL, spec_rmsprop_rows},
    [SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM] = {spec_rmsprop_hyper, spec_rmsprop, NULL,
                                               spec_rmsprop_rows},
    [SPARCL_RULE_ADADELTA] = {spec_rmsprop_hyper, spec_adadelta, NULL, spec_adadelta_rows},
    [SPARCL_RULE_FTRL] = {spec_ftrl_hyper, spec_ftrl, NULL, spec_ftrl_rows},
    [SPARCL_RULE_PROXIMAL_SGD] = {spec_proximal_hyper, spec_proximal_sgd, NULL, NULL},
    [SPARCL_RULE_PROXIMAL_ADAGRAD] = {spec_proximal_hyper, spec_proximal_adagrad, NULL, NULL},
    [SPARCL_RULE_ADAGRAD_DA] = {spec_proximal_hyper, spec_adagrad_da, NULL, NULL},
    [SPARCL_RULE_ROWWISE_ADAGRAD] = {spec_adagrad_hyper, NULL, spec_rowwise_adagrad, NULL},
    [SPARCL_RULE_NADAM] = {spec_nadam_hyper, spec_nadam, NULL, spec_nadam_rows},
    [SPARCL_RULE_ADAMAX] = {spec_adamax_hyper, spec_adamax, NULL, spec_adamax_rows},
    [SPARCL_RULE_LION] = {spec_sign_hyper, spec_lion, NULL, NULL},
    [SPARCL_RULE_SIGNSGD] = {spec_sign_hyper, spec_signsgd, NULL, NULL},
    [SPARCL_RULE_SIGNUM] = {spec_sign_hyper, spec_signum, NULL, NULL},
    [SPARCL_RULE_YOGI] = {spec_adam_hyper, spec_yogi, NULL, NULL},
    [SPARCL_RULE_ROWWISE_ADAM] = {spec_row_moments_hyper, NULL, spec_rowwise_adam, NULL},
    [SPARCL_RULE_ROWWISE_RMSPROP] = {spec_row_moments_hyper, NULL, spec_rowwise_rmsprop, NULL},
    [SPARCL_RULE_ROWWISE_LARS] = {spec_row_moments_hyper, NULL, spec_rowwise_lars, NULL},
    [SPARCL_RULE_ADAM_ROW_STEPS] = {spec_row_moments_hyper, NULL, spec_adam_row_steps, NULL},
    [SPARCL_RULE_ROWWISE_LAMB] = {spec_row_moments_hyper, NULL, spec_rowwise_lamb, NULL},
    [SPARCL_RULE_LAMB] = {spec_lamb_hyper, spec_lamb, NULL, spec_lamb_rows},
    [SPARCL_RULE_LARS] = {spec_lars_hyper, spec_lars, NULL, NULL},
    [SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER] = {spec_row_counter_hyper, NULL,
                                             spec_rowwise_adagrad_counter, NULL},
};

spec_hyper spec_hyper_of(const sparcl_optim *o, sparcl_dtype dtype) {
    const bool is_inside = o->epsilon_place == SPARCL_EPSILON_INSIDE;
    spec_hyper h = {.optim = *o,
                    .dtype = dtype,
                    .lr = num_of(dtype, o->lr),
                    .momentum = num_of(dtype, o->momentum.factor),
                    .beta1 = num_of(dtype, o->adam.beta1),
                    .beta2 = num_of(dtype, o->adam.beta2),
                    .rest1 = num_of(dtype, 1 - o->adam.beta1),
                    .rest2 = num_of(dtype, 1 - o->adam.beta2),
                    .epsilon = num_of(dtype, o->epsilon),
                    .inside = num_of(dtype, is_inside ? o->epsilon : 0),
                    .outside = num_of(dtype, is_inside ? 0 : o->epsilon),
                    .correction1 = num_exact(dtype, 1),
                    .correction2 = num_exact(dtype, 1),
                    .factor = num_exact(dtype, 1),
                    .decay = num_of(dtype, o->decay.weight)};
    answers[o->rule].hyper(&h);
    return h;
}

/* The decay apart from the gradient. */
spec_num spec_decayed(const spec_hyper *h, spec_num w) {
    const sparcl_optim *const o = &h->optim;
    const spec_num wd = num_of(h->dtype, o->decay.weight);
    if (o->preset == SPARCL_PRESET_ADDONS) return num_sub(w, num_mul(w, wd));
    if (o->preset == SPARCL_PRESET_KERAS3)
        return num_sub(w, num_mul(num_mul(w, wd), num_of(h->dtype, o->lr)));
    return num_mul(w, num_of(h->dtype, 1 - o->lr * o->decay.weight));
}

bool spec_decays_inside(const sparcl_optim *o) {
    const bool has_eta = o->rule == SPARCL_RULE_ADAM && o->preset == SPARCL_PRESET_MXNET;
    return o->decay.kind == SPARCL_DECAY_INSIDE &&
           (o->decay.weight != 0 || (has_eta && o->eta != 1));
}

bool spec_decays_itself(const sparcl_optim *o) {
    const bool is_mxnet = o->preset == SPARCL_PRESET_MXNET;
    if (o->decay.kind != SPARCL_DECAY_COUPLED) return false;
    if (o->rule == SPARCL_RULE_ROWWISE_LARS || o->rule == SPARCL_RULE_LARS) return true;
    if (o->rule == SPARCL_RULE_FTRL) return is_mxnet || o->preset == SPARCL_PRESET_HUGECTR;
    return is_mxnet && (o->rule == SPARCL_RULE_SGD || o->rule == SPARCL_RULE_MOMENTUM ||
                        o->rule == SPARCL_RULE_ADADELTA || o->rule == SPARCL_RULE_SIGNSGD ||
                        o->rule == SPARCL_RULE_SIGNUM);
}

/* MXNet's others clip after a coupled decay. */
static bool clips_decayed(const sparcl_optim *o) {
    return o->preset == SPARCL_PRESET_MXNET && o->decay.kind == SPARCL_DECAY_COUPLED &&
           (o->rule == SPARCL_RULE_ADAM || o->rule == SPARCL_RULE_NADAM ||
            o->rule == SPARCL_RULE_ADAMAX || o->rule == SPARCL_RULE_RMSPROP ||
            o->rule == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM);
}

spec_num spec_prepare(const spec_hyper *h, spec_num *w, spec_num g) {
    const sparcl_optim *const o = &h->optim;
    const spec_num limit = num_of(h->dtype, o->clip.value);
    const bool is_coupled = o->decay.kind == SPARCL_DECAY_COUPLED;
    const bool is_inside = o->decay.kind == SPARCL_DECAY_INSIDE;
    const bool clips_later = clips_decayed(o), clips_itself = o->rule == SPARCL_RULE_LARS;
    if (o->rescale != 1) g = num_mul(g, num_of(h->dtype, o->rescale));
    if (!clips_later && !clips_itself) g = num_clip(g, limit);
    if (o->decay.weight != 0 && is_coupled && !spec_decays_itself(o))
        g = num_add(g, num_mul(num_of(h->dtype, o->decay.weight), *w));
    if (clips_later) g = num_clip(g, limit);
    if (o->decay.weight != 0 && !is_coupled && !is_inside) *w = spec_decayed(h, *w);
    return g;
}

void spec_step_of(const spec_hyper *h, spec_result *x, spec_num g) {
    g = spec_prepare(h, &x->w, g);
    answers[h->optim.rule].step(h, x, g);
}

spec_num spec_sum_of_rows(const spec_hyper *h, const spec_num *g, int64_t count,
                          spec_num (*term)(const spec_hyper *h, spec_num g)) {
    spec_num sum = term ? term(h, g[0]) : g[0];
    for (int64_t k = 1; k < count; ++k)
        sum = num_add(sum, term ? term(h, g[k]) : g[k]);
    return sum;
}

void spec_step_of_rows(const spec_hyper *h, spec_result *x, spec_num *g, int64_t count) {
    spec_hyper later = *h;
    if (h->optim.decay.kind == SPARCL_DECAY_COUPLED) later.optim.decay.weight = 0;
    spec_prepare(h, &x->w, num_exact(h->dtype, 0));
    for (int64_t k = 0; k < count; ++k) {
        spec_num w = x->w;
        g[k] = spec_prepare(k == 0 ? h : &later, &w, g[k]);
    }
    answers[h->optim.rule].rows(h, x, g, count);
}

void spec_step_row(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    const int states = sparcl_rule_states(h->optim.rule) + spec_is_by_table(h->optim.rule);
    if (answers[h->optim.rule].row) {
        answers[h->optim.rule].row(h, x, g);
        return;
    }
    for (int64_t j = 0; j < x->n; ++j) {
        spec_result new = {.w = x->w[j]};
        for (int i = 0; i < states; ++i)
            new.s[i] = x->s[i][j];
        spec_step_of(h, &new, g[j]);
        x->w[j] = new.w;
        for (int i = 0; i < states; ++i)
            x->s[i][j] = new.s[i];
    }
}

bool spec_step_moves_absent(const sparcl_optim *o) {
    return o->moves == SPARCL_MOVES_ALL ||
           (o->decay.kind == SPARCL_DECAY_GLOBAL && o->decay.weight != 0);
}

void spec_step_absent(const spec_hyper *h, const spec_row *x, spec_num *g) {
    spec_hyper absent = *h;
    for (int64_t j = 0; j < x->n; ++j)
        g[j] = num_exact(h->dtype, 0);
    if (h->optim.decay.kind == SPARCL_DECAY_DECOUPLED) absent.optim.decay.weight = 0;
    if (h->optim.rule == SPARCL_RULE_YOGI) absent.lr = num_exact(h->dtype, 0);
    if (h->optim.moves == SPARCL_MOVES_ALL)
        spec_step_row(&absent, x, g);
    else
        for (int64_t j = 0; j < x->n; ++j)
            x->w[j] = spec_decayed(h, x->w[j]);
}

spec_element spec_step_order(const spec_hyper *h, spec_element x, double g) {
    spec_result to = {.w = num_exact(h->dtype, x.w)};
    for (int i = 0; i < SPARCL_MAX_STATES; ++i)
        to.s[i] = num_exact(h->dtype, x.s[i]);
    spec_step_of(h, &to, num_exact(h->dtype, g));
    x.w = to.w.order;
    for (int i = 0; i < SPARCL_MAX_STATES; ++i)
        x.s[i] = to.s[i].order;
    return x;
}

/* The partial sums of a block, as a tree. */
static double fold_parts(sparcl_dtype dtype, double p[8]) {
    for (int half = 4; half > 0; half /= 2)
        for (int i = 0; i < half; ++i)
            p[i] = spec_round(dtype, p[i] + p[i + half]);
    return p[0];
}

void spec_add_square(spec_squares *s, spec_num x) {
    double *const part = &s->parts[s->count % SPEC_BLOCK % 8];
    *part = spec_round(s->dtype, *part + spec_round(s->dtype, x.order * x.order));
    s->truth += (long double)x.truth * x.truth;
    s->error += 2 * fabs(x.truth) * x.bound + x.bound * x.bound;
    if (++s->count % SPEC_BLOCK != 0) return;
    s->total = spec_round(s->dtype, s->total + fold_parts(s->dtype, s->parts));
    memset(s->parts, 0, sizeof s->parts);
}

spec_num spec_norm_of(spec_squares s) {
    const double unit = spec_unit(s.dtype), squares = (double)s.truth;
    const double error = s.error + (spec_depth(s.count, true) + 4) * unit * squares;
    spec_num norm = num_exact(s.dtype, sqrt(squares));
    if (s.count % SPEC_BLOCK != 0)
        s.total = spec_round(s.dtype, s.total + fold_parts(s.dtype, s.parts));
    norm.order = spec_round(s.dtype, sqrt(s.total));
    norm.bound = error / fmax(norm.truth, spec_smallest(s.dtype)) + unit * norm.truth;
    return norm;
}

/* The norm that is found decides, so the truth is that of the same branch. */
void spec_clip_norm(spec_num *g, int64_t count, double limit) {
    if (isinf(limit) || count == 0) return;
    spec_squares squares = {.dtype = g[0].dtype};
    for (int64_t i = 0; i < count; ++i)
        spec_add_square(&squares, g[i]);
    const spec_num norm = spec_norm_of(squares), most = num_of(g[0].dtype, limit);
    for (int64_t i = 0; i < count && norm.order > most.order; ++i)
        g[i] = num_div(num_mul(g[i], most), norm);
}
