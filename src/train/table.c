/* table.c: the tables of a model on the device: weights, optimizer states, gradients. */
#include "train/table.h"

#include <string.h>

#include "train/core.h"

bool spc_table_catches_up(const spc_table *t) {
    return t->optim.rule == SPARCL_RULE_MOMENTUM ||
           (t->optim.rule == SPARCL_RULE_SGD && t->optim.l2 > 0);
}

bool spc_table_steps_all(const spc_table *t) {
    return t->optim.l2 > 0 && !spc_table_catches_up(t);
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
    if (spc_table_catches_up(t))
        SPC_TRY(spc_zeros(ctx, &t->optim.last_steps, columns, 1, 8, error));
    if (spc_table_steps_all(t)) SPC_TRY(open_dense(ctx, &t->gradient, 2, columns, outputs, error));
    return has_bias ? open_bias(t, outputs, error) : SPARCL_OK;
}

void spc_table_close(spc_table *t) {
    sparcl_dense *const tables[] = {&t->weights,        &t->states[0],    &t->states[1],
                                    &t->gradient,       &t->bias,         &t->bias_states[0],
                                    &t->bias_states[1], &t->bias_gradient};
    sparcl_buf *const bufs[] = {t->rows, t->optim.last_steps, t->copies[0], t->copies[1],
                                t->copies[2]};
    for (size_t i = 0; i < SPC_COUNT(tables); ++i)
        sparcl_dense_free(tables[i]);
    for (size_t i = 0; i < SPC_COUNT(bufs); ++i)
        sparcl_buf_free(bufs[i]);
    memset(t, 0, sizeof *t);
}
