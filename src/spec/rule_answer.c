/* rule_answer.c: what all optimizer rules share, in plain C: the coefficients and the dials. */
#include "spec/rule_answer.h"

#include <math.h>

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
} answer;

static const answer answers[SPARCL_RULES] = {
    [SPARCL_RULE_SGD] = {spec_gradient_hyper, spec_sgd, NULL},
    [SPARCL_RULE_MOMENTUM] = {spec_gradient_hyper, spec_momentum, NULL},
    [SPARCL_RULE_ADAGRAD] = {spec_adagrad_hyper, spec_adagrad, NULL},
    [SPARCL_RULE_ADAM] = {spec_adam_hyper, spec_adam, NULL},
    [SPARCL_RULE_AMSGRAD] = {spec_adam_hyper, spec_adam, NULL},
    [SPARCL_RULE_RMSPROP] = {spec_rmsprop_hyper, spec_rmsprop, NULL},
    [SPARCL_RULE_RMSPROP_MOMENTUM] = {spec_rmsprop_hyper, spec_rmsprop, NULL},
    [SPARCL_RULE_RMSPROP_CENTERED] = {spec_rmsprop_hyper, spec_rmsprop, NULL},
    [SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM] = {spec_rmsprop_hyper, spec_rmsprop, NULL},
    [SPARCL_RULE_ADADELTA] = {spec_rmsprop_hyper, spec_adadelta, NULL},
    [SPARCL_RULE_FTRL] = {spec_ftrl_hyper, spec_ftrl, NULL},
    [SPARCL_RULE_PROXIMAL_SGD] = {spec_proximal_hyper, spec_proximal_sgd, NULL},
    [SPARCL_RULE_PROXIMAL_ADAGRAD] = {spec_proximal_hyper, spec_proximal_adagrad, NULL},
    [SPARCL_RULE_ADAGRAD_DA] = {spec_proximal_hyper, spec_adagrad_da, NULL},
    [SPARCL_RULE_ROWWISE_ADAGRAD] = {spec_adagrad_hyper, NULL, spec_rowwise_adagrad},
};

spec_hyper spec_hyper_of(const sparcl_optim *o, sparcl_dtype dtype) {
    const bool is_inside = o->epsilon_place == SPARCL_EPSILON_INSIDE;
    spec_hyper h = {.optim = *o,
                    .dtype = dtype,
                    .lr = num_of(dtype, o->lr),
                    .momentum = num_of(dtype, o->momentum),
                    .beta1 = num_of(dtype, o->beta1),
                    .beta2 = num_of(dtype, o->beta2),
                    .rest1 = num_of(dtype, 1 - o->beta1),
                    .rest2 = num_of(dtype, 1 - o->beta2),
                    .inside = num_of(dtype, is_inside ? o->epsilon : 0),
                    .outside = num_of(dtype, is_inside ? 0 : o->epsilon),
                    .correction1 = num_exact(dtype, 1),
                    .correction2 = num_exact(dtype, 1)};
    answers[o->rule].hyper(&h);
    return h;
}

/* The decay apart from the gradient. */
spec_num spec_decayed(const spec_hyper *h, spec_num w) {
    const sparcl_optim *const o = &h->optim;
    const spec_num wd = num_of(h->dtype, o->weight_decay);
    if (o->profile == SPARCL_PROFILE_ADDONS) return num_sub(w, num_mul(w, wd));
    if (o->profile == SPARCL_PROFILE_KERAS3)
        return num_sub(w, num_mul(num_mul(w, wd), num_of(h->dtype, o->lr)));
    return num_mul(w, num_of(h->dtype, 1 - o->lr * o->weight_decay));
}

bool spec_decays_itself(const sparcl_optim *o) {
    const bool is_mxnet = o->profile == SPARCL_PROFILE_MXNET;
    if (o->decay != SPARCL_DECAY_COUPLED) return false;
    if (o->rule == SPARCL_RULE_FTRL) return is_mxnet || o->profile == SPARCL_PROFILE_HUGECTR;
    return is_mxnet && (o->rule == SPARCL_RULE_SGD || o->rule == SPARCL_RULE_MOMENTUM ||
                        o->rule == SPARCL_RULE_ADADELTA);
}

/* MXNet's others clip after a coupled decay. */
static bool clips_decayed(const sparcl_optim *o) {
    return o->profile == SPARCL_PROFILE_MXNET && o->decay == SPARCL_DECAY_COUPLED &&
           (o->rule == SPARCL_RULE_ADAM || o->rule == SPARCL_RULE_RMSPROP ||
            o->rule == SPARCL_RULE_RMSPROP_CENTERED_MOMENTUM);
}

spec_num spec_dials(const spec_hyper *h, spec_num *w, spec_num g) {
    const sparcl_optim *const o = &h->optim;
    const spec_num limit = num_of(h->dtype, o->clip_value);
    const bool is_coupled = o->decay == SPARCL_DECAY_COUPLED;
    const bool clips_later = clips_decayed(o);
    if (o->rescale != 1) g = num_mul(g, num_of(h->dtype, o->rescale));
    if (!clips_later) g = num_clip(g, limit);
    if (o->weight_decay != 0 && is_coupled && !spec_decays_itself(o))
        g = num_add(g, num_mul(num_of(h->dtype, o->weight_decay), *w));
    if (clips_later) g = num_clip(g, limit);
    if (o->weight_decay != 0 && !is_coupled) *w = spec_decayed(h, *w);
    return g;
}

void spec_step_of(const spec_hyper *h, spec_result *x, spec_num g) {
    g = spec_dials(h, &x->w, g);
    answers[h->optim.rule].step(h, x, g);
}

void spec_step_row(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    const int states = sparcl_rule_states(h->optim.rule);
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
