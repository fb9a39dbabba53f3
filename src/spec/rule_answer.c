/* rule_answer.c: the optimizer rules in plain C, with the roundings of docs/numerics.md. */
#include "spec/rule_answer.h"

#include <math.h>

/* x^n by squaring: docs/numerics.md, "Optimizer rules". */
static double power(double x, int64_t n) {
    double result = 1;
    for (; n > 0; n /= 2, x *= x)
        if (n % 2) result *= x;
    return result;
}

static double or_default(double rate, double otherwise) {
    return rate != 0 ? rate : otherwise;
}

spec_rates spec_rates_of(const sparcl_optim *o, sparcl_dtype dtype) {
    spec_rates r = {.rule = o->rule, .dtype = dtype, .l2 = o->l2};
    r.lr = or_default(o->lr, r.rule == SPARCL_RULE_ADAGRAD ? 0.01 : 0.001);
    if (r.rule == SPARCL_RULE_MOMENTUM) r.a = or_default(o->momentum, 0.9);
    if (r.rule == SPARCL_RULE_ADAGRAD) r.a = or_default(o->epsilon, 1e-10);
    if (r.rule == SPARCL_RULE_ADAM) {
        const double beta1 = or_default(o->beta1, 0.9), beta2 = or_default(o->beta2, 0.999);
        r.lr = r.lr * sqrt(1 - power(beta2, o->step)) / (1 - power(beta1, o->step));
        r.a = 1 - beta1;
        r.b = 1 - beta2;
        r.c = or_default(o->epsilon, 1e-8);
    }
    return r;
}

spec_rates spec_rates_rounded(spec_rates r) {
    r.l2 = spec_round(r.dtype, r.l2);
    r.lr = spec_round(r.dtype, r.lr);
    r.a = spec_round(r.dtype, r.a);
    r.b = spec_round(r.dtype, r.b);
    r.c = spec_round(r.dtype, r.c);
    return r;
}

#define R(x) spec_round(r->dtype, (x))

spec_element spec_step_order(const spec_rates *r, spec_element x, double g) {
    if (r->l2 != 0) g = R(g + R(r->l2 * x.w));
    switch (r->rule) {
    case SPARCL_RULE_SGD:
        x.w = R(x.w - R(r->lr * g));
        break;
    case SPARCL_RULE_MOMENTUM:
        x.p = R(R(r->a * x.p) + g);
        x.w = R(x.w - R(r->lr * x.p));
        break;
    case SPARCL_RULE_ADAGRAD:
        x.p = R(x.p + R(g * g));
        x.w = R(x.w - R(r->lr * R(g / R(R(sqrt(x.p)) + r->a))));
        break;
    case SPARCL_RULE_ADAM:
        x.p = R(x.p + R(R(g - x.p) * r->a));
        x.q = R(x.q + R(R(R(g * g) - x.q) * r->b));
        x.w = R(x.w - R(r->lr * R(x.p / R(R(sqrt(x.q)) + r->c))));
        break;
    }
    return x;
}
