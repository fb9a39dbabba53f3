/* table.c: the weights on the device, and a step on them. */
#include "train/table.h"

#include <string.h>

#include "base/size.h"
#include "train/core.h"

/* Rows that a batch does not have move all the same, in closed form, when they are next read. */
static bool catches_up(const spc_table *t) {
    return t->optim.rule == SPARCL_RULE_MOMENTUM ||
           (t->optim.rule == SPARCL_RULE_SGD && t->optim.l2 > 0);
}

/* Rules without a closed form step every row, where there is something to step. */
static bool steps_all(const spc_table *t) {
    return t->optim.l2 > 0 && !catches_up(t);
}

static sparcl_status open_dense(sparcl_ctx *ctx, sparcl_dense *dense, int rank, int64_t rows,
                                int64_t columns, sparcl_error *error) {
    *dense = (sparcl_dense){.rank = rank, .shape = {rows, rank > 1 ? columns : 0}};
    return spc_zeros(ctx, &dense->values, rows, columns, 4, error);
}

static sparcl_status open_bias(spc_table *t, int64_t outputs, sparcl_error *error) {
    SPC_TRY(open_dense(t->ctx, &t->bias, 1, outputs, 1, error));
    SPC_TRY(open_dense(t->ctx, &t->bias_gradient, 1, outputs, 1, error));
    for (int s = 0; s < sparcl_rule_states(t->optim.rule); ++s)
        SPC_TRY(open_dense(t->ctx, &t->bias_states[s], 1, outputs, 1, error));
    return SPARCL_OK;
}

sparcl_status spc_table_open(spc_table *t, sparcl_ctx *ctx, const sparcl_optim *optim,
                             int64_t columns, int64_t outputs, bool has_bias, sparcl_error *error) {
    *t = (spc_table){.ctx = ctx, .optim = *optim};
    SPC_TRY(open_dense(ctx, &t->weights, 2, columns, outputs, error));
    for (int s = 0; s < sparcl_rule_states(optim->rule); ++s)
        SPC_TRY(open_dense(ctx, &t->states[s], 2, columns, outputs, error));
    if (catches_up(t)) SPC_TRY(spc_zeros(ctx, &t->optim.last_steps, columns, 1, 8, error));
    if (steps_all(t)) SPC_TRY(open_dense(ctx, &t->gradient, 2, columns, outputs, error));
    return has_bias ? open_bias(t, outputs, error) : SPARCL_OK;
}

void spc_table_close(spc_table *t) {
    sparcl_dense *const tables[] = {&t->weights,        &t->states[0],    &t->states[1],
                                    &t->gradient,       &t->bias,         &t->bias_states[0],
                                    &t->bias_states[1], &t->bias_gradient};
    sparcl_buf *const bufs[] = {t->rows, t->optim.last_steps, t->looked[0], t->looked[1],
                                t->looked[2]};
    for (size_t i = 0; i < SPC_COUNT(tables); ++i)
        sparcl_dense_free(tables[i]);
    for (size_t i = 0; i < SPC_COUNT(bufs); ++i)
        sparcl_buf_free(bufs[i]);
    memset(t, 0, sizeof *t);
}

sparcl_status spc_table_begin(spc_table *t, sparcl_pattern *pattern, sparcl_error *error) {
    ++t->optim.step;
    if (!catches_up(t)) return SPARCL_OK;
    const sparcl_rows which = sparcl_pattern_columns(pattern);
    return spc_core(t->ctx, sparcl_catch_up(t->ctx, &t->optim, &t->weights, t->states, &which),
                    error);
}

static sparcl_status finish(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *weights,
                            const sparcl_dense *states, sparcl_error *error) {
    sparcl_optim after = *optim; /* catching up goes to the step before */
    ++after.step;
    return spc_core(ctx, sparcl_catch_up(ctx, &after, weights, states, NULL), error);
}

sparcl_status spc_table_finish(spc_table *t, sparcl_error *error) {
    return catches_up(t) ? finish(t->ctx, &t->optim, &t->weights, t->states, error) : SPARCL_OK;
}

static sparcl_status copy(sparcl_ctx *ctx, sparcl_buf **to, const sparcl_buf *from,
                          sparcl_error *error) {
    const int64_t bytes = sparcl_buf_bytes(from);
    SPC_TRY(spc_grow(ctx, to, bytes, error));
    return spc_core(ctx, sparcl_buf_copy(ctx, *to, 0, from, 0, bytes), error);
}

/* Catching up early would round otherwise than catching up late: so it is done on copies. */
sparcl_status spc_table_look(spc_table *t, sparcl_dense *weights, sparcl_error *error) {
    sparcl_optim optim = t->optim;
    sparcl_dense state = t->states[0];
    *weights = t->weights;
    if (!catches_up(t)) return SPARCL_OK;
    SPC_TRY(copy(t->ctx, &t->looked[0], t->weights.values, error));
    if (state.rank) SPC_TRY(copy(t->ctx, &t->looked[1], state.values, error));
    SPC_TRY(copy(t->ctx, &t->looked[2], optim.last_steps, error));
    weights->values = t->looked[0];
    state.values = t->looked[1];
    optim.last_steps = t->looked[2];
    return finish(t->ctx, &optim, weights, &state, error);
}

static sparcl_status step_all(spc_table *t, const sparcl_csr *x, sparcl_pattern *pattern,
                              const sparcl_dense *residual, sparcl_error *error) {
    sparcl_ctx *ctx = t->ctx;
    SPC_TRY(spc_core(ctx, sparcl_spmm_t(ctx, &t->gradient, 1, x, residual, 0, pattern), error));
    return spc_core(ctx, sparcl_step_dense(ctx, &t->optim, &t->weights, t->states, &t->gradient),
                    error);
}

static sparcl_status step_rows(spc_table *t, const sparcl_csr *x, sparcl_pattern *pattern,
                               const sparcl_dense *residual, sparcl_error *error) {
    sparcl_ctx *ctx = t->ctx;
    const int64_t outputs = t->weights.shape[1];
    sparcl_rows rows = sparcl_pattern_columns(pattern); /* the rows are its columns */
    if (rows.nnr > t->capacity) {
        const int64_t more = spc_min_i64(x->cols, rows.nnr + rows.nnr / 8);
        SPC_TRY(spc_grow(ctx, &t->rows, more * outputs * 4, error));
        t->capacity = more;
    }
    rows.shape[1] = outputs;
    rows.values = t->rows;
    SPC_TRY(spc_core(ctx, sparcl_spmm_t_rows(ctx, &rows, 1, x, residual, pattern), error));
    return spc_core(ctx, sparcl_step(ctx, &t->optim, &t->weights, t->states, &rows), error);
}

/* The bias is in every batch, is stepped by the same rule, and is not in the norm. */
static sparcl_status step_bias(spc_table *t, const sparcl_dense *residual, sparcl_error *error) {
    sparcl_ctx *ctx = t->ctx;
    sparcl_optim optim = t->optim;
    if (t->bias.rank == 0) return SPARCL_OK;
    optim.l2 = 0;
    optim.last_steps = NULL;
    SPC_TRY(spc_core(ctx, sparcl_sum_rows(ctx, &t->bias_gradient, 1, residual, 0), error));
    return spc_core(
        ctx, sparcl_step_dense(ctx, &optim, &t->bias, t->bias_states, &t->bias_gradient), error);
}

sparcl_status spc_table_step(spc_table *t, const sparcl_csr *x, sparcl_pattern *pattern,
                             const sparcl_dense *residual, sparcl_error *error) {
    SPC_TRY((steps_all(t) ? step_all : step_rows)(t, x, pattern, residual, error));
    return step_bias(t, residual, error);
}
