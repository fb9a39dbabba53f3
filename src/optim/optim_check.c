/* optim_check.c: the checks of the tables of a step on the host. */
#include "ops/shared/rows.h"
#include "optim/rules.h"
#include "sparcl/optim_text.h"

sparcl_status spc_optim_check(sparcl_ctx *ctx, const char *op, const sparcl_optim *o) {
    sparcl_error error = {0};
    if (!ctx) return SPARCL_E_ARG;
    if (sparcl_optim_check(o, &error) == SPARCL_OK) return SPARCL_OK;
    return spc_ctx_fail(ctx, error.status, "%s: %s", op, error.message);
}

sparcl_status spc_check_state_type(sparcl_ctx *ctx, const char *op, const sparcl_optim *optim,
                                   sparcl_dtype table) {
    if (!spc_has_half_states(optim) || table == SPARCL_F32) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                        "%s: state_type has 16 bits and the table type %d, expected SPARCL_F32", op,
                        (int)table);
}

static const char *const state_names[SPARCL_MAX_STATES] = {"the first state", "the second state",
                                                           "the third state"};

static sparcl_status check_state(sparcl_ctx *ctx, const char *op, const spc_tables *t, int i) {
    const sparcl_dense *state = &t->states[i];
    SPC_TRY(spc_check_dense_of(ctx, op, state_names[i], state, SPC_FLOATS));
    const bool is_row = spc_is_row_state(t->rule, i);
    SPC_TRY(spc_check_same_shape(ctx, op, state_names[i], state->rank, state->shape,
                                 is_row ? "the list of rows" : "the table",
                                 is_row ? 1 : t->weights->rank, t->weights->shape));
    const sparcl_dtype expected = spc_state_dtype(t->rule, &t->optim, i, t->weights->dtype);
    return spc_check_same_dtype(ctx, op, state_names[i], state->dtype,
                                expected == t->weights->dtype ? "the table" : "state_type",
                                expected);
}

sparcl_status spc_tables_open(sparcl_ctx *ctx, const char *op, spc_tables *tables,
                              const sparcl_optim *optim, const sparcl_dense *weights,
                              const sparcl_dense *states) {
    SPC_TRY(spc_optim_check(ctx, op, optim));
    SPC_TRY(spc_check_dense(ctx, op, "table", weights));
    SPC_TRY(spc_check_state_type(ctx, op, optim, weights->dtype));
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
    if (!optim->lazy.last_steps) return SPARCL_OK;
    return spc_check_buf(ctx, op, "last_steps", optim->lazy.last_steps, optim->lazy.last_steps_at,
                         tables->rows, sizeof(int64_t));
}

sparcl_status spc_tables_alias(sparcl_ctx *ctx, const char *op, const spc_tables *t,
                               const spc_span *operands, size_t count) {
    spc_span own[2 + SPARCL_MAX_STATES] = {spc_dense_span("table", t->weights)};
    size_t n = 1;
    for (int i = 0; i < t->rule->states; ++i)
        own[n++] = spc_dense_span(state_names[i], &t->states[i]);
    own[n++] = spc_array_span(NULL, "last_steps", t->optim.lazy.last_steps,
                              t->optim.lazy.last_steps_at, t->rows, sizeof(int64_t));
    for (size_t i = 0; i < n; ++i) {
        SPC_TRY(spc_check_alias(ctx, op, &own[i], own + i + 1, n - i - 1));
        SPC_TRY(spc_check_alias(ctx, op, &own[i], operands, count));
    }
    return SPARCL_OK;
}
