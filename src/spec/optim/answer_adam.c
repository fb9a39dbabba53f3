/* answer_adam.c: the plain-C answers of Adam, AMSGrad and Yogi. */
#include <math.h>

#include "spec/optim/rule_answer.h"

/* x^n as the system computes it; in TensorFlow 1 step by step. */
static double power(const sparcl_optim *o, double x) {
    float product = 1;
    if (o->adam.no_bias_correction) return 0;
    if (o->preset == SPARCL_PRESET_KERAS3 || o->preset == SPARCL_PRESET_ADDONS)
        return (double)(float)spec_power_of((double)(float)x, o->step);
    if (o->preset != SPARCL_PRESET_TF1) return spec_power_of(x, o->step);
    for (int64_t t = 0; t < o->step && product > 0x1p-26F; ++t)
        product *= (float)x;
    return (double)product;
}

static bool computes_in_float(const sparcl_optim *o) {
    return o->preset == SPARCL_PRESET_TF1 || o->preset == SPARCL_PRESET_KERAS3 ||
           o->preset == SPARCL_PRESET_ADDONS;
}

/* The rate with both corrections. */
static double corrected(const sparcl_optim *o) {
    const double first = power(o, o->adam.beta1), second = power(o, o->adam.beta2);
    if (!computes_in_float(o)) return o->lr * sqrt(1 - second) / (1 - first);
    const float below = 1 - (float)first, above = sqrtf(1 - (float)second), lr = (float)o->lr;
    if (o->preset == SPARCL_PRESET_ADDONS && o->decay.weight != 0)
        return (double)(lr * (above / below));
    return (double)(lr * above / below);
}

void spec_adam_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    const sparcl_dtype dtype = h->dtype;
    if (o->preset == SPARCL_PRESET_TF1 || o->preset == SPARCL_PRESET_MXNET ||
        o->preset == SPARCL_PRESET_ADDONS) {
        h->rest1 = num_of(dtype, (double)(1 - (float)o->adam.beta1));
        h->rest2 = num_of(dtype, (double)(1 - (float)o->adam.beta2));
    }
    if (o->preset == SPARCL_PRESET_MXNET)
        h->factor = num_of(dtype, o->eta);
    else
        h->decay = num_of(dtype, o->lr * o->decay.weight);
    if (o->epsilon_place != SPARCL_EPSILON_CORRECTED) {
        h->lr = num_of(dtype, corrected(o));
        return;
    }
    double first = 1 - power(o, o->adam.beta1), second = 1 - power(o, o->adam.beta2);
    if (computes_in_float(o)) {
        first = (double)(float)first;
        second = (double)(float)second;
    }
    if (o->preset == SPARCL_PRESET_FBGEMM || o->preset == SPARCL_PRESET_DGL) {
        h->correction1 = num_of(dtype, first);
        h->correction2 = num_of(dtype, second);
        if (!spec_decays_inside(o)) return;
        h->factor = h->lr;
        h->lr = num_exact(dtype, 1);
        h->decay = num_of(dtype, o->decay.weight);
    } else {
        h->lr = num_of(dtype, o->lr / first);
        h->correction2 = num_of(dtype, sqrt(second));
    }
}

static bool is_dense_torch(const sparcl_optim *o) {
    return o->preset == SPARCL_PRESET_TORCH && o->epsilon_place == SPARCL_EPSILON_CORRECTED;
}

static bool is_lerp(const sparcl_optim *o) {
    return o->preset == SPARCL_PRESET_TORCH || o->preset == SPARCL_PRESET_KERAS3;
}

/* The new part of v. */
static spec_num square(const spec_hyper *h, spec_num g) {
    const sparcl_optim *const o = &h->optim;
    const bool is_lazy = o->preset == SPARCL_PRESET_MXNET && o->moves == SPARCL_MOVES_PRESENT &&
                         o->decay.kind != SPARCL_DECAY_INSIDE && isinf(o->clip.value);
    if (is_dense_torch(o) || is_lazy) return num_mul(num_mul(h->rest2, g), g);
    if (is_lerp(o)) return num_mul(g, g);
    return num_mul(h->rest2, num_mul(g, g));
}

static void moments(const spec_hyper *h, spec_result *x, spec_num g, spec_num squares) {
    const sparcl_optim *const o = &h->optim;
    if (is_lerp(o))
        x->s[0] = num_add(x->s[0], num_mul(num_sub(g, x->s[0]), h->rest1));
    else
        x->s[0] = num_add(num_mul(h->beta1, x->s[0]), num_mul(h->rest1, g));
    if (is_lerp(o) && !is_dense_torch(o))
        x->s[1] = num_add(x->s[1], num_mul(num_sub(squares, x->s[1]), h->rest2));
    else
        x->s[1] = num_add(num_mul(h->beta2, x->s[1]), squares);
}

static void step(const spec_hyper *h, spec_result *x, spec_num g, spec_num squares) {
    const sparcl_optim *const o = &h->optim;
    const bool is_corrected = o->epsilon_place == SPARCL_EPSILON_CORRECTED;
    const bool has_corrected_moments =
        is_corrected && (o->preset == SPARCL_PRESET_FBGEMM || o->preset == SPARCL_PRESET_DGL);
    moments(h, x, g, squares);
    if (o->rule == SPARCL_RULE_AMSGRAD) x->s[2] = num_largest(x->s[1], x->s[2]);
    spec_num mean = x->s[0], under = x->s[o->rule == SPARCL_RULE_AMSGRAD ? 2 : 1];
    under = num_add(under, h->inside);
    if (has_corrected_moments) {
        mean = num_div(mean, h->correction1);
        under = num_div(under, h->correction2);
    }
    spec_num root = num_root(under);
    if (is_corrected && !has_corrected_moments) root = num_div(root, h->correction2);
    root = num_add(root, h->outside);
    spec_num move;
    if (o->preset == SPARCL_PRESET_TORCH && !is_corrected)
        move = num_mul(h->lr, num_div(mean, root));
    else
        move = num_div(num_mul(h->lr, mean), root);
    if (spec_decays_inside(o)) move = num_mul(h->factor, num_add(move, num_mul(h->decay, x->w)));
    x->w = num_sub(x->w, move);
}

void spec_adam(const spec_hyper *h, spec_result *x, spec_num g) {
    step(h, x, g, square(h, g));
}

void spec_adam_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count) {
    step(h, x, spec_sum_of_rows(h, g, count, NULL), spec_sum_of_rows(h, g, count, square));
}

/* v is the first state. */
void spec_yogi(const spec_hyper *h, spec_result *x, spec_num g) {
    const spec_num square = num_mul(g, g), more = num_sub(square, x->s[0]);
    x->s[1] = num_add(num_mul(h->beta1, x->s[1]), num_mul(h->rest1, g));
    x->s[0] = num_add(x->s[0], num_mul(num_mul(h->rest2, num_sign(more)), square));
    spec_num root = num_root(num_add(x->s[0], h->inside));
    if (h->optim.epsilon_place == SPARCL_EPSILON_CORRECTED) root = num_div(root, h->correction2);
    if (h->lr.order == 0) return;
    x->w = num_sub(x->w, num_mul(num_div(h->lr, num_add(root, h->outside)), x->s[1]));
}
