/* answer_nadam.c: the plain-C answers of NAdam and Adamax. */
#include "spec/optim/rule_answer.h"

static double exp_of_negative(double x) {
    double result = 1;
    int halved = 0;
    if (x < -700) return 0;
    while (x < -0.0625) {
        x /= 2;
        ++halved;
    }
    for (int n = 12; n >= 1; --n)
        result = 1 + x / n * result;
    while (halved-- > 0)
        result *= result;
    return result;
}

/* mu is beta1 times this, where q is 0.96^(t momentum_decay). */
static double factor_of(const sparcl_optim *o, double q) {
    return o->preset == SPARCL_PRESET_KERAS3 ? (double)(1 - 0.5F * (float)q) : 1 - 0.5 * q;
}

static double mu_of(const sparcl_optim *o, double base, int64_t t) {
    const double factor = factor_of(o, spec_power_of(base, t));
    if (o->preset != SPARCL_PRESET_KERAS3) return o->adam.beta1 * factor;
    return (double)((float)o->adam.beta1 * (float)factor);
}

static double product_of(const sparcl_optim *o, double base) {
    double product = 1, q = 1;
    if (o->adam.no_bias_correction) return 0;
    for (int64_t t = 1; t <= o->step && product > 0x1p-60; ++t) {
        q *= base;
        const double factor = factor_of(o, q);
        if (o->preset == SPARCL_PRESET_KERAS3)
            product = (double)((float)product * (float)o->adam.beta1 * (float)factor);
        else if (o->preset == SPARCL_PRESET_TORCH)
            product = (double)((float)product * (float)(o->adam.beta1 * factor));
        else
            product *= o->adam.beta1 * factor;
    }
    return product;
}

static double base_of(const sparcl_optim *o) {
    const bool is_keras = o->preset == SPARCL_PRESET_KERAS3;
    if (o->adam.momentum_decay == 1) return is_keras ? (double)0.96F : 0.96;
    const double log_base = is_keras ? -0.04082201687199717 : -0.040821994520255166;
    return exp_of_negative(o->adam.momentum_decay * log_base);
}

static double in_type_of(const sparcl_optim *o, double x) {
    return o->preset == SPARCL_PRESET_KERAS3 ? (double)(float)x : x;
}

/* momentum, correction1: what g is multiplied with and divided by; more, correction2: the same for
 * m; inside: what v is divided by. */
void spec_nadam_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    const sparcl_dtype dtype = h->dtype;
    const bool is_keras = o->preset == SPARCL_PRESET_KERAS3;
    const double base = base_of(o), product = product_of(o, base);
    const double now = mu_of(o, base, o->step), after = mu_of(o, base, o->step + 1);
    double of_g = in_type_of(o, 1 - now), below_g = in_type_of(o, 1 - product), of_m = after;
    double below_m = in_type_of(o, 1 - in_type_of(o, product * after));
    const double beta2 = in_type_of(o, o->adam.beta2);
    if (o->preset == SPARCL_PRESET_TORCH) {
        of_g = o->lr * of_g / below_g;
        of_m = o->lr * of_m / below_m;
    }
    h->momentum = num_of(dtype, of_g);
    h->correction1 = num_of(dtype, below_g);
    h->more = num_of(dtype, of_m);
    h->correction2 = num_of(dtype, below_m);
    const double power = o->adam.no_bias_correction ? 0 : spec_power_of(beta2, o->step);
    h->inside = num_of(dtype, in_type_of(o, 1 - in_type_of(o, power)));
    h->outside = num_of(dtype, o->epsilon);
    if (!is_keras) return;
    h->rest1 = num_of(dtype, (double)(1 - (float)o->adam.beta1));
    h->rest2 = num_of(dtype, (double)(1 - (float)o->adam.beta2));
}

static spec_num next_mean(const spec_hyper *h, spec_num m, spec_num g) {
    if (h->optim.preset == SPARCL_PRESET_MXNET)
        return num_add(num_mul(h->beta1, m), num_mul(h->rest1, g));
    return num_add(m, num_mul(num_sub(g, m), h->rest1));
}

/* The new part of v. */
static spec_num square(const spec_hyper *h, spec_num g) {
    if (h->optim.preset == SPARCL_PRESET_KERAS3) return num_mul(g, g);
    return num_mul(num_mul(h->rest2, g), g);
}

static spec_num next_square(const spec_hyper *h, spec_num v, spec_num squares) {
    if (h->optim.preset == SPARCL_PRESET_KERAS3)
        return num_add(v, num_mul(num_sub(squares, v), h->rest2));
    return num_add(num_mul(h->beta2, v), squares);
}

static void nadam(const spec_hyper *h, spec_result *x, spec_num g, spec_num squares) {
    x->s[0] = next_mean(h, x->s[0], g);
    x->s[1] = next_square(h, x->s[1], squares);
    const spec_num root = num_add(num_root(num_div(x->s[1], h->inside)), h->outside);
    spec_num of_m, of_g;
    if (h->optim.preset == SPARCL_PRESET_TORCH) {
        x->w = num_sub(x->w, num_div(num_mul(h->momentum, g), root));
        x->w = num_sub(x->w, num_div(num_mul(h->more, x->s[0]), root));
        return;
    }
    if (h->optim.preset == SPARCL_PRESET_KERAS3) {
        of_m = num_div(num_mul(h->more, x->s[0]), h->correction2);
        of_g = num_div(num_mul(h->momentum, g), h->correction1);
    } else {
        of_m = num_mul(h->more, num_div(x->s[0], h->correction2));
        of_g = num_mul(h->momentum, num_div(g, h->correction1));
    }
    x->w = num_sub(x->w, num_div(num_mul(h->lr, num_add(of_m, of_g)), root));
}

void spec_nadam(const spec_hyper *h, spec_result *x, spec_num g) {
    nadam(h, x, g, square(h, g));
}

void spec_nadam_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count) {
    nadam(h, x, spec_sum_of_rows(h, g, count, NULL), spec_sum_of_rows(h, g, count, square));
}

void spec_adamax_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    const float power = (float)spec_power_of((double)(float)o->adam.beta1, o->step);
    if (o->adam.no_bias_correction) return;
    if (o->preset == SPARCL_PRESET_KERAS3)
        h->correction1 = num_of(h->dtype, (double)(1 - power));
    else
        h->lr = num_of(h->dtype, o->lr / (1 - spec_power_of(o->adam.beta1, o->step)));
}

static void adamax(const spec_hyper *h, spec_result *x, spec_num g, spec_num size) {
    x->s[0] = next_mean(h, x->s[0], g);
    x->s[1] = num_largest(num_add(size, h->inside), num_mul(h->beta2, x->s[1]));
    const spec_num below = num_mul(h->correction1, num_add(x->s[1], h->outside));
    x->w = num_sub(x->w, num_div(num_mul(h->lr, x->s[0]), below));
}

static spec_num magnitude(const spec_hyper *h, spec_num g) {
    (void)h;
    return num_abs(g);
}

void spec_adamax(const spec_hyper *h, spec_result *x, spec_num g) {
    adamax(h, x, g, num_abs(g));
}

void spec_adamax_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count) {
    adamax(h, x, spec_sum_of_rows(h, g, count, NULL), spec_sum_of_rows(h, g, count, magnitude));
}
