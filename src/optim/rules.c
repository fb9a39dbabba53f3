/* rules.c: the optimizer rules, a table row each, and what every step checks on the host. */
#include "optim/rules.h"

#include <math.h>

#include "ops/rows.h"

double spc_power(double x, int64_t n) {
    double result = 1;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1) result *= x;
    return result;
}

static spc_rates sgd_rates(const sparcl_optim *o) {
    return (spc_rates){.lr = o->lr};
}

static spc_rates momentum_rates(const sparcl_optim *o) {
    return (spc_rates){.lr = o->lr, .a = o->momentum};
}

static spc_rates adagrad_rates(const sparcl_optim *o) {
    return (spc_rates){.lr = o->lr, .a = o->epsilon};
}

static spc_rates adam_rates(const sparcl_optim *o) {
    const double correction1 = 1 - spc_power(o->beta1, o->step);
    const double correction2 = 1 - spc_power(o->beta2, o->step);
    return (spc_rates){.lr = o->lr * sqrt(correction2) / correction1,
                       .a = 1 - o->beta1,
                       .b = 1 - o->beta2,
                       .c = o->epsilon};
}

static const spc_rule rules[] = {
    [SPARCL_RULE_SGD] = {"panel+partition+runs+rule_sgd+step", 0, 0.001, 0, sgd_rates},
    [SPARCL_RULE_MOMENTUM] = {"panel+partition+runs+rule_momentum+step", 1, 0.001, 0,
                              momentum_rates},
    [SPARCL_RULE_ADAGRAD] = {"panel+partition+runs+rule_adagrad+step", 1, 0.01, 1e-10,
                             adagrad_rates},
    [SPARCL_RULE_ADAM] = {"panel+partition+runs+rule_adam+step", 2, 0.001, 1e-8, adam_rates},
};

static bool is_rule(sparcl_rule rule) {
    return (int)rule >= 0 && (size_t)rule < SPC_COUNT(rules);
}

int sparcl_rule_states(sparcl_rule rule) {
    return is_rule(rule) ? rules[rule].states : -1;
}

/* A NaN is inside of no range. */
static sparcl_status check_rate(sparcl_ctx *ctx, const char *op, const char *name, double x,
                                bool inside, const char *wanted) {
    if (inside) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is %g, expected %s", op, name, x, wanted);
}

static sparcl_status check_rates(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    static const char partition[] = "at least 0 and less than 1",
                      size[] = "finite and not negative";
    SPC_TRY(check_rate(ctx, op, "lr", o->lr, isfinite(o->lr), "a finite number"));
    SPC_TRY(check_rate(ctx, op, "momentum", o->momentum, o->momentum >= 0 && o->momentum < 1,
                       partition));
    SPC_TRY(check_rate(ctx, op, "beta1", o->beta1, o->beta1 >= 0 && o->beta1 < 1, partition));
    SPC_TRY(check_rate(ctx, op, "beta2", o->beta2, o->beta2 >= 0 && o->beta2 < 1, partition));
    SPC_TRY(
        check_rate(ctx, op, "epsilon", o->epsilon, o->epsilon >= 0 && isfinite(o->epsilon), size));
    return check_rate(ctx, op, "l2", o->l2, o->l2 >= 0 && isfinite(o->l2), size);
}

/* A bit says that a rate is 0; it may not contradict the rate. */
static sparcl_status check_zeros(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    const struct {
        uint32_t bit;
        const char *name;
        double rate;
    } known[] = {{SPARCL_ZERO_LR, "lr", o->lr},
                 {SPARCL_ZERO_MOMENTUM, "momentum", o->momentum},
                 {SPARCL_ZERO_BETA1, "beta1", o->beta1},
                 {SPARCL_ZERO_BETA2, "beta2", o->beta2},
                 {SPARCL_ZERO_EPSILON, "epsilon", o->epsilon}};
    uint32_t left = o->zeros;
    for (size_t i = 0; i < SPC_COUNT(known); ++i) {
        if (o->zeros & known[i].bit && known[i].rate != 0)
            return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: zeros says that %s is 0, but it is %g", op,
                                known[i].name, known[i].rate);
        left &= ~known[i].bit;
    }
    if (left == 0) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: zeros has unknown bits 0x%x", op, (unsigned)left);
}

static sparcl_status check_optim(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    if (!o) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: optim is NULL", op);
    if (!is_rule(o->rule))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: there is no rule %d", op, (int)o->rule);
    if (o->reserved[0] || o->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the reserved fields of optim are not zero", op);
    SPC_TRY(check_rates(ctx, op, o));
    SPC_TRY(check_zeros(ctx, op, o));
    if (o->step < 1 && (o->rule == SPARCL_RULE_ADAM || o->last_steps))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: step is %lld, steps count from 1", op,
                            (long long)o->step);
    return SPARCL_OK;
}

static double or_default(const sparcl_optim *o, uint32_t zero, double rate, double value) {
    return rate == 0 && !(o->zeros & zero) ? value : rate;
}

static sparcl_optim settle(const spc_rule *rule, const sparcl_optim *from) {
    sparcl_optim o = *from;
    o.lr = or_default(from, SPARCL_ZERO_LR, from->lr, rule->lr);
    o.momentum = or_default(from, SPARCL_ZERO_MOMENTUM, from->momentum, 0.9);
    o.beta1 = or_default(from, SPARCL_ZERO_BETA1, from->beta1, 0.9);
    o.beta2 = or_default(from, SPARCL_ZERO_BETA2, from->beta2, 0.999);
    o.epsilon = or_default(from, SPARCL_ZERO_EPSILON, from->epsilon, rule->epsilon);
    return o;
}

static sparcl_status check_state(sparcl_ctx *ctx, const char *op, const spc_tables *t, int i) {
    static const char *const names[] = {"the first state", "the second state"};
    const sparcl_dense *state = &t->states[i];
    SPC_TRY(spc_check_dense(ctx, op, names[i], state));
    SPC_TRY(spc_check_same_shape(ctx, op, names[i], state->rank, state->shape, "the table",
                                 t->weights->rank, t->weights->shape));
    return spc_check_same_dtype(ctx, op, names[i], state->dtype, "the table", t->weights->dtype);
}

sparcl_status spc_tables_open(sparcl_ctx *ctx, const char *op, spc_tables *tables,
                              const sparcl_optim *optim, const sparcl_dense *weights,
                              const sparcl_dense *states) {
    SPC_TRY(check_optim(ctx, op, optim));
    SPC_TRY(spc_check_dense(ctx, op, "table", weights));
    *tables = (spc_tables){.rule = &rules[optim->rule],
                           .weights = weights,
                           .states = states,
                           .rows = weights->shape[0],
                           .width = spc_shape_width(weights->rank, weights->shape)};
    tables->optim = settle(tables->rule, optim);
    if (!states && tables->rule->states > 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: states is NULL, the rule has %d", op,
                            tables->rule->states);
    for (int i = 0; i < tables->rule->states; ++i)
        SPC_TRY(check_state(ctx, op, tables, i));
    if (!optim->last_steps) return SPARCL_OK;
    return spc_check_buf(ctx, op, "last_steps", optim->last_steps, optim->last_steps_at,
                         tables->rows, sizeof(int64_t));
}

sparcl_status spc_tables_alias(sparcl_ctx *ctx, const char *op, const spc_tables *t,
                               const spc_span *operands, size_t count) {
    spc_span own[4] = {spc_dense_span("table", t->weights)};
    size_t n = 1;
    for (int i = 0; i < t->rule->states; ++i)
        own[n++] = spc_dense_span(i ? "the second state" : "the first state", &t->states[i]);
    own[n++] = spc_array_span(NULL, "last_steps", t->optim.last_steps, t->optim.last_steps_at,
                              t->rows, sizeof(int64_t));
    for (size_t i = 0; i < n; ++i) {
        SPC_TRY(spc_check_alias(ctx, op, &own[i], own + i + 1, n - i - 1));
        SPC_TRY(spc_check_alias(ctx, op, &own[i], operands, count));
    }
    return SPARCL_OK;
}
