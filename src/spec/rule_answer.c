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

#undef R

spec_element spec_step_truth(const spec_rates *r, spec_element x, double g) {
    g += r->l2 * x.w;
    switch (r->rule) {
    case SPARCL_RULE_SGD:
        x.w -= r->lr * g;
        break;
    case SPARCL_RULE_MOMENTUM:
        x.p = r->a * x.p + g;
        x.w -= r->lr * x.p;
        break;
    case SPARCL_RULE_ADAGRAD:
        x.p += g * g;
        x.w -= r->lr * g / (sqrt(x.p) + r->a);
        break;
    case SPARCL_RULE_ADAM:
        x.p += r->a * (g - x.p);
        x.q += r->b * (g * g - x.q);
        x.w -= r->lr * x.p / (sqrt(x.q) + r->c);
        break;
    }
    return x;
}

spec_element spec_step_bound(const spec_rates *r, spec_element x, spec_element truth, double g,
                             double dg) {
    const double u = 1.01 * spec_unit(r->dtype), lr = fabs(r->lr);
    spec_element e = {0, 0, 0};
    dg += u * (fabs(g) + 3 * fabs(r->l2 * x.w));
    g = fabs(g) + fabs(r->l2 * x.w);
    switch (r->rule) {
    case SPARCL_RULE_SGD:
        e.w = lr * (dg + 2 * u * g);
        break;
    case SPARCL_RULE_MOMENTUM:
        e.p = dg + u * (3 * fabs(r->a * x.p) + g);
        e.w = lr * (e.p + 3 * u * (fabs(r->a * x.p) + g));
        break;
    case SPARCL_RULE_ADAGRAD: {
        const double root = sqrt(truth.p) + r->a;
        e.p = 2 * g * dg + dg * dg + u * (2 * g * g + x.p);
        const double off = truth.p > 0 ? e.p / truth.p : 0;
        e.w = lr / root * (dg + g * (off + 6 * u));
        break;
    }
    case SPARCL_RULE_ADAM: {
        const double root = sqrt(truth.q) + r->c;
        e.p = r->a * dg + u * (fabs(x.p) + 5 * r->a * (g + fabs(x.p)));
        e.q = r->b * (2 * g * dg + dg * dg) + u * (truth.q + 5 * r->b * (g * g + x.q) + x.q);
        const double off = truth.q > 0 ? e.q / truth.q : 0;
        e.w = lr / root * (e.p + fabs(truth.p) * (off + 8 * u));
        break;
    }
    }
    e.w += u * (fabs(x.w) + fabs(truth.w));
    return e;
}
