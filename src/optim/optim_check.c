/* optim_check.c: the checks of every step on the host. */
#include <math.h>

#include "ops/rows.h"
#include "optim/rules.h"

/* False for NaN, as is_not_negative. */
static bool is_fraction(double x) {
    return x >= 0 && x < 1;
}

static bool is_not_negative(double x) {
    return x >= 0 && isfinite(x);
}

static bool is_not_zero(double x) {
    return x != 0 && isfinite(x);
}

static sparcl_status check_hyper(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    static const char fraction[] = "a number from 0 to less than 1", finite[] = "a finite number",
                      not_negative[] = "a finite number from 0";
    const struct {
        const char *name;
        double found;
        bool fits;
        const char *expected;
    } all[] = {{"lr", o->lr, isfinite(o->lr), finite},
               {"rho", o->rho, is_fraction(o->rho), fraction},
               {"lr_decay", o->lr_decay, is_not_negative(o->lr_decay), not_negative},
               {"momentum", o->momentum, is_fraction(o->momentum), fraction},
               {"dampening", o->dampening, is_fraction(o->dampening), fraction},
               {"beta1", o->beta1, is_fraction(o->beta1), fraction},
               {"beta2", o->beta2, is_fraction(o->beta2), fraction},
               {"epsilon", o->epsilon, is_not_negative(o->epsilon), not_negative},
               {"weight_decay", o->weight_decay, is_not_negative(o->weight_decay), not_negative},
               {"rescale", o->rescale, is_not_zero(o->rescale),
                "a finite number that is not 0; sparcl_optim_init fills in 1"},
               {"clip_value", o->clip_value, o->clip_value >= 0, "a number from 0, or INFINITY"},
               {"clip_weights", o->clip_weights, o->clip_weights >= 0,
                "a number from 0; sparcl_optim_init fills in INFINITY"},
               {"initial_accumulator", o->initial_accumulator,
                is_not_negative(o->initial_accumulator), not_negative}};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        if (!all[i].fits)
            return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is %g, expected %s", op, all[i].name,
                                all[i].found, all[i].expected);
    return SPARCL_OK;
}

static sparcl_status check_choices(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    const struct {
        const char *name, *type;
        int found, count;
    } all[] = {{"profile", "sparcl_rule_profile", (int)o->profile, SPARCL_PROFILES},
               {"epsilon_place", "sparcl_epsilon", (int)o->epsilon_place, 3},
               {"decay", "sparcl_decay", (int)o->decay, 3},
               {"moves", "sparcl_moves", (int)o->moves, 2},
               {"duplicates", "sparcl_optim_duplicates", (int)o->duplicates, 4}};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        if (all[i].found < 0 || all[i].found >= all[i].count)
            return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is %d, expected a %s", op, all[i].name,
                                all[i].found, all[i].type);
    return SPARCL_OK;
}

/* What depends on several fields. */
static sparcl_status check_together(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    const bool moves_all = o->moves == SPARCL_MOVES_ALL || o->decay == SPARCL_DECAY_GLOBAL;
    if (spc_rule_of(o->rule)->profiles[o->profile].step != 1)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: profile %s has no rule %d", op,
                            sparcl_rule_profile_name(o->profile), (int)o->rule);
    if (o->last_steps && moves_all)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: last_steps is set, expected NULL where a step moves or decays all "
                            "rows",
                            op);
    if (o->last_steps && o->lazy)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: last_steps and lazy are set, expected one", op);
    if (o->step < 1)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: step is %lld, expected at least 1", op,
                            (long long)o->step);
    return SPARCL_OK;
}

sparcl_status spc_optim_check(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    if (!ctx) return SPARCL_E_ARG;
    if (!o) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: optim is NULL", op);
    if (!spc_rule_of(o->rule))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: rule is %d, expected a sparcl_rule", op,
                            (int)o->rule);
    if (o->reserved[0] || o->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the reserved fields of optim are not zero", op);
    SPC_TRY(check_hyper(ctx, op, o));
    SPC_TRY(check_choices(ctx, op, o));
    return check_together(ctx, op, o);
}

static const char *const state_names[SPARCL_MAX_STATES] = {"the first state", "the second state",
                                                           "the third state"};

static sparcl_status check_state(sparcl_ctx *ctx, const char *op, const spc_tables *t, int i) {
    const sparcl_dense *state = &t->states[i];
    SPC_TRY(spc_check_dense(ctx, op, state_names[i], state));
    SPC_TRY(spc_check_same_shape(ctx, op, state_names[i], state->rank, state->shape, "the table",
                                 t->weights->rank, t->weights->shape));
    return spc_check_same_dtype(ctx, op, state_names[i], state->dtype, "the table",
                                t->weights->dtype);
}

sparcl_status spc_tables_open(sparcl_ctx *ctx, const char *op, spc_tables *tables,
                              const sparcl_optim *optim, const sparcl_dense *weights,
                              const sparcl_dense *states) {
    SPC_TRY(spc_optim_check(ctx, op, optim));
    SPC_TRY(spc_check_dense(ctx, op, "table", weights));
    *tables = (spc_tables){.rule = spc_rule_of(optim->rule),
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
    spc_span own[2 + SPARCL_MAX_STATES] = {spc_dense_span("table", t->weights)};
    size_t n = 1;
    for (int i = 0; i < t->rule->states; ++i)
        own[n++] = spc_dense_span(state_names[i], &t->states[i]);
    own[n++] = spc_array_span(NULL, "last_steps", t->optim.last_steps, t->optim.last_steps_at,
                              t->rows, sizeof(int64_t));
    for (size_t i = 0; i < n; ++i) {
        SPC_TRY(spc_check_alias(ctx, op, &own[i], own + i + 1, n - i - 1));
        SPC_TRY(spc_check_alias(ctx, op, &own[i], operands, count));
    }
    return SPARCL_OK;
}
