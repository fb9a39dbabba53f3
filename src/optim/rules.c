/* rules.c: the table of optimizer rules, and the checks of every step on the host. */
#include "optim/rules.h"

#include <math.h>

#include "ops/rows.h"

double spc_power(double x, int64_t n) {
    double result = 1;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1) result *= x;
    return result;
}

static spc_hyper sgd_hyper(const sparcl_optim *o) {
    return (spc_hyper){.lr = o->lr};
}

static spc_hyper momentum_hyper(const sparcl_optim *o) {
    return (spc_hyper){.lr = o->lr, .a = o->momentum};
}

static spc_hyper adagrad_hyper(const sparcl_optim *o) {
    return (spc_hyper){.lr = o->lr, .a = o->epsilon};
}

static spc_hyper adam_hyper(const sparcl_optim *o) {
    const double correction1 = 1 - spc_power(o->beta1, o->step);
    const double correction2 = 1 - spc_power(o->beta2, o->step);
    return (spc_hyper){.lr = o->lr * sqrt(correction2) / correction1,
                       .a = 1 - o->beta1,
                       .b = 1 - o->beta2,
                       .c = o->epsilon};
}

/* The source of the defaults is given in sparcl/optim.h. */
static const spc_rule rules[] = {
    [SPARCL_RULE_SGD] = {"panel+partition+runs+rule_sgd+step", 0, {.lr = 0.001}, sgd_hyper},
    [SPARCL_RULE_MOMENTUM] = {"panel+partition+runs+rule_momentum+step",
                              1,
                              {.lr = 0.001, .momentum = 0.9},
                              momentum_hyper},
    [SPARCL_RULE_ADAGRAD] = {"panel+partition+runs+rule_adagrad+step",
                             1,
                             {.lr = 0.01, .epsilon = 1e-10},
                             adagrad_hyper},
    [SPARCL_RULE_ADAM] = {"panel+partition+runs+rule_adam+step",
                          2,
                          {.lr = 0.001, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8},
                          adam_hyper},
};

static bool is_rule(sparcl_rule rule) {
    return (int)rule >= 0 && (size_t)rule < SPC_COUNT(rules);
}

int sparcl_rule_states(sparcl_rule rule) {
    return is_rule(rule) ? rules[rule].states : -1;
}

void sparcl_optim_init(sparcl_optim *optim, sparcl_rule rule) {
    *optim = is_rule(rule) ? rules[rule].defaults : (sparcl_optim){.rule = rule};
    optim->rule = rule;
    optim->step = 1;
}

/* False for NaN, as is_not_negative. */
static bool is_fraction(double x) {
    return x >= 0 && x < 1;
}

static bool is_not_negative(double x) {
    return x >= 0 && isfinite(x);
}

static sparcl_status check_hyper(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    static const char fraction[] = "a number from 0 to less than 1",
                      not_negative[] = "a finite number from 0";
    const struct {
        const char *name;
        double found;
        bool fits;
        const char *expected;
    } all[] = {{"lr", o->lr, isfinite(o->lr), "a finite number"},
               {"momentum", o->momentum, is_fraction(o->momentum), fraction},
               {"beta1", o->beta1, is_fraction(o->beta1), fraction},
               {"beta2", o->beta2, is_fraction(o->beta2), fraction},
               {"epsilon", o->epsilon, is_not_negative(o->epsilon), not_negative},
               {"l2", o->l2, is_not_negative(o->l2), not_negative}};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        if (!all[i].fits)
            return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is %g, expected %s", op, all[i].name,
                                all[i].found, all[i].expected);
    return SPARCL_OK;
}

static sparcl_status check_optim(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    if (!o) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: optim is NULL", op);
    if (!is_rule(o->rule))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: rule is %d, expected a sparcl_rule", op,
                            (int)o->rule);
    if (o->reserved[0] || o->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the reserved fields of optim are not zero", op);
    SPC_TRY(check_hyper(ctx, op, o));
    if (o->step < 1 && (o->rule == SPARCL_RULE_ADAM || o->last_steps))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: step is %lld, expected at least 1", op,
                            (long long)o->step);
    return SPARCL_OK;
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
                           .optim = *optim,
                           .weights = weights,
                           .states = states,
                           .rows = weights->shape[0],
                           .width = spc_shape_width(weights->rank, weights->shape)};
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
