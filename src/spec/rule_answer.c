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

spec_hyper spec_hyper_of(const sparcl_optim *o, sparcl_dtype dtype) {
    spec_hyper h = {.rule = o->rule, .dtype = dtype, .l2 = o->l2, .lr = o->lr};
    if (h.rule == SPARCL_RULE_MOMENTUM) h.a = o->momentum;
    if (h.rule == SPARCL_RULE_ADAGRAD) h.a = o->epsilon;
    if (h.rule == SPARCL_RULE_ADAM) {
        h.lr = o->lr * sqrt(1 - power(o->beta2, o->step)) / (1 - power(o->beta1, o->step));
        h.a = 1 - o->beta1;
        h.b = 1 - o->beta2;
        h.c = o->epsilon;
    }
    return h;
}

spec_hyper spec_hyper_rounded(spec_hyper h) {
    h.l2 = spec_round(h.dtype, h.l2);
    h.lr = spec_round(h.dtype, h.lr);
    h.a = spec_round(h.dtype, h.a);
    h.b = spec_round(h.dtype, h.b);
    h.c = spec_round(h.dtype, h.c);
    return h;
}

#define R(x) spec_round(h->dtype, (x))

spec_element spec_step_order(const spec_hyper *h, spec_element x, double g) {
    if (h->l2 != 0) g = R(g + R(h->l2 * x.w));
    switch (h->rule) {
    case SPARCL_RULE_SGD:
        x.w = R(x.w - R(h->lr * g));
        break;
    case SPARCL_RULE_MOMENTUM:
        x.p = R(R(h->a * x.p) + g);
        x.w = R(x.w - R(h->lr * x.p));
        break;
    case SPARCL_RULE_ADAGRAD:
        x.p = R(x.p + R(g * g));
        x.w = R(x.w - R(h->lr * R(g / R(R(sqrt(x.p)) + h->a))));
        break;
    case SPARCL_RULE_ADAM:
        x.p = R(x.p + R(R(g - x.p) * h->a));
        x.q = R(x.q + R(R(R(g * g) - x.q) * h->b));
        x.w = R(x.w - R(h->lr * R(x.p / R(R(sqrt(x.q)) + h->c))));
        break;
    }
    return x;
}

#undef R

spec_element spec_step_truth(const spec_hyper *h, spec_element x, double g) {
    g += h->l2 * x.w;
    switch (h->rule) {
    case SPARCL_RULE_SGD:
        x.w -= h->lr * g;
        break;
    case SPARCL_RULE_MOMENTUM:
        x.p = h->a * x.p + g;
        x.w -= h->lr * x.p;
        break;
    case SPARCL_RULE_ADAGRAD:
        x.p += g * g;
        x.w -= h->lr * g / (sqrt(x.p) + h->a);
        break;
    case SPARCL_RULE_ADAM:
        x.p += h->a * (g - x.p);
        x.q += h->b * (g * g - x.q);
        x.w -= h->lr * x.p / (sqrt(x.q) + h->c);
        break;
    }
    return x;
}

spec_element spec_step_bound(const spec_hyper *h, spec_element x, spec_element truth, double g,
                             double dg) {
    const double u = 1.01 * spec_unit(h->dtype), lr = fabs(h->lr);
    spec_element e = {0, 0, 0};
    dg += u * (fabs(g) + 3 * fabs(h->l2 * x.w));
    g = fabs(g) + fabs(h->l2 * x.w);
    switch (h->rule) {
    case SPARCL_RULE_SGD:
        e.w = lr * (dg + 2 * u * g);
        break;
    case SPARCL_RULE_MOMENTUM:
        e.p = dg + u * (3 * fabs(h->a * x.p) + g);
        e.w = lr * (e.p + 3 * u * (fabs(h->a * x.p) + g));
        break;
    case SPARCL_RULE_ADAGRAD: {
        const double root = sqrt(truth.p) + h->a;
        e.p = 2 * g * dg + dg * dg + u * (2 * g * g + x.p);
        const double off = truth.p > 0 ? e.p / truth.p : 0;
        e.w = lr / root * (dg + g * (off + 6 * u));
        break;
    }
    case SPARCL_RULE_ADAM: {
        const double root = sqrt(truth.q) + h->c;
        e.p = h->a * dg + u * (fabs(x.p) + 5 * h->a * (g + fabs(x.p)));
        e.q = h->b * (2 * g * dg + dg * dg) + u * (truth.q + 5 * h->b * (g * g + x.q) + x.q);
        const double off = truth.q > 0 ? e.q / truth.q : 0;
        e.w = lr / root * (e.p + fabs(truth.p) * (off + 8 * u));
        break;
    }
    }
    e.w += u * (fabs(x.w) + fabs(truth.w));
    return e;
}
