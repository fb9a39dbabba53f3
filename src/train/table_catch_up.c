/* table_catch_up.c: applies missed steps to the rows of a table. */
#include "train/core.h"
#include "train/table.h"

sparcl_status spc_table_begin(spc_table *t, sparcl_pattern *pattern, sparcl_error *error) {
    ++t->optim.step;
    if (!spc_table_catches_up(t)) return SPARCL_OK;
    const sparcl_rows which = sparcl_pattern_columns(pattern);
    return spc_core(t->ctx, sparcl_catch_up(t->ctx, &t->optim, &t->weights, t->states, &which),
                    error);
}

static sparcl_status finish(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *weights,
                            const sparcl_dense *states, sparcl_error *error) {
    sparcl_optim after = *optim; /* rows catch up to the step before this one */
    ++after.step;
    return spc_core(ctx, sparcl_catch_up(ctx, &after, weights, states, NULL), error);
}

sparcl_status spc_table_finish(spc_table *t, sparcl_error *error) {
    return spc_table_catches_up(t) ? finish(t->ctx, &t->optim, &t->weights, t->states, error)
                                   : SPARCL_OK;
}

static sparcl_status copy(sparcl_ctx *ctx, sparcl_buf **to, const sparcl_buf *from,
                          sparcl_error *error) {
    const int64_t bytes = sparcl_buf_bytes(from);
    SPC_TRY(spc_grow(ctx, to, bytes, error));
    return spc_core(ctx, sparcl_buf_copy(ctx, *to, 0, from, 0, bytes), error);
}

/* Works on copies, because catching up earlier would round differently. */
sparcl_status spc_table_current_weights(spc_table *t, sparcl_dense *weights, sparcl_error *error) {
    sparcl_optim optim = t->optim;
    sparcl_dense state = t->states[0];
    *weights = t->weights;
    if (!spc_table_catches_up(t)) return SPARCL_OK;
    SPC_TRY(copy(t->ctx, &t->copies[0], t->weights.values, error));
    if (state.rank) SPC_TRY(copy(t->ctx, &t->copies[1], state.values, error));
    SPC_TRY(copy(t->ctx, &t->copies[2], optim.last_steps, error));
    weights->values = t->copies[0];
    state.values = t->copies[1];
    optim.last_steps = t->copies[2];
    return finish(t->ctx, &optim, weights, &state, error);
}
