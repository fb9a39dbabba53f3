/* states.c: the states of a table before its first step. */
#include "optim/rules.h"
#include "sparcl/views.h"

sparcl_status spc_fill_first_state(sparcl_ctx *ctx, const sparcl_optim *optim,
                                   const sparcl_dense *state) {
    const int64_t count = state->shape[0] * spc_shape_width(state->rank, state->shape);
    if (!spc_rule_of(optim->rule)->accumulates || optim->adagrad.initial_accumulator == 0 ||
        count == 0)
        return SPARCL_OK;
    return SPC_LAUNCH(ctx, "states", spc_options(state->dtype, SPARCL_INDEX32, SPARCL_INDEX32),
                      "fill_state", spc_range_each(ctx, count), SPC_OUT(state->values),
                      SPC_I64(count), SPC_REAL(state->dtype, optim->adagrad.initial_accumulator));
}

static sparcl_status create(sparcl_ctx *ctx, const spc_rule *rule, const sparcl_optim *optim,
                            const sparcl_dense *table, sparcl_dense *states) {
    for (int i = 0; i < rule->states; ++i) {
        states[i] = *table;
        states[i].values = NULL;
        states[i].dtype = spc_state_dtype(rule, optim, i, table->dtype);
        states[i].values_at = states[i].ld = 0;
        if (spc_is_row_state(rule, i)) states[i].rank = 1;
        SPC_TRY(sparcl_dense_zeros(ctx, &states[i]));
    }
    return rule->states > 0 ? spc_fill_first_state(ctx, optim, &states[0]) : SPARCL_OK;
}

sparcl_status sparcl_optim_create_states(sparcl_ctx *ctx, const sparcl_optim *optim,
                                         const sparcl_dense *table, sparcl_dense *states) {
    SPC_TRY(spc_optim_check(ctx, "optim_create_states", optim));
    SPC_TRY(spc_check_dense(ctx, "optim_create_states", "table", table));
    SPC_TRY(spc_check_state_type(ctx, "optim_create_states", optim, table->dtype));
    const spc_rule *const rule = spc_rule_of(optim->rule);
    if (!states && rule->states > 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "optim_create_states: states is NULL, the rule has %d", rule->states);
    for (int i = 0; i < rule->states; ++i)
        states[i] = (sparcl_dense){0};
    const sparcl_status status = create(ctx, rule, optim, table, states);
    for (int i = 0; status != SPARCL_OK && i < rule->states; ++i)
        sparcl_dense_free(&states[i]);
    return status;
}
