/* table_step.c: a step of the weights and the bias. */
#include "base/size.h"
#include "train/core.h"
#include "train/table.h"

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
    sparcl_rows rows = sparcl_pattern_columns(pattern); /* uses the pattern's own indices */
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

/* The bias is updated in every step, by the same rule but without l2. */
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
    SPC_TRY((spc_table_steps_all(t) ? step_all : step_rows)(t, x, pattern, residual, error));
    return step_bias(t, residual, error);
}
