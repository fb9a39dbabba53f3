/* run.c: the buffers of a training run, and its step. */
#include "train/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "train/core.h"

sparcl_status spc_run_open(spc_run *run, sparcl_ctx *ctx, const sparcl_train_desc *checked,
                           int64_t columns, int64_t outputs, int64_t steps, sparcl_error *error) {
    *run = (spc_run){.ctx = ctx,
                     .desc = *checked,
                     .columns = columns,
                     .outputs = outputs,
                     .steps = steps,
                     .scores = {.rank = 2, .shape = {0, outputs}},
                     .losses = {.rank = 1}};
    const sparcl_optim optim = {.rule = checked->optimizer,
                                .lr = checked->lr,
                                .momentum = checked->momentum,
                                .beta1 = checked->beta1,
                                .beta2 = checked->beta2,
                                .epsilon = checked->epsilon,
                                .l2 = checked->l2};
    SPC_TRY(spc_core(ctx, sparcl_pattern_create(ctx, &run->pattern), error));
    SPC_TRY(spc_zeros(ctx, &run->step_losses, steps, 1, 4, error));
    return spc_table_open(&run->table, ctx, &optim, columns, outputs, !checked->no_bias, error);
}

void spc_run_close(spc_run *run) {
    spc_table_close(&run->table);
    sparcl_pattern_free(run->pattern);
    sparcl_dense_free(&run->scores);
    sparcl_dense_free(&run->losses);
    sparcl_buf_free(run->step_losses);
    memset(run, 0, sizeof *run);
}

/* Compute the scores, then in their place the residual of the mean loss; also the sum of the
 * losses. */
static sparcl_status compute_residual(spc_run *run, int64_t step, const sparcl_csr *x,
                                      const sparcl_dense *y, sparcl_error *error) {
    sparcl_ctx *ctx = run->ctx;
    const spc_table *t = &run->table;
    const sparcl_dense sum = {
        .rank = 1, .shape = {1}, .values = run->step_losses, .values_at = step};
    SPC_TRY(spc_core(ctx, sparcl_spmm(ctx, &run->scores, 1, x, &t->weights, 0), error));
    SPC_TRY(spc_core(ctx,
                     sparcl_loss_gradient(ctx, run->desc.loss, &run->scores,
                                          t->bias.rank ? &t->bias : NULL, y, 1.0 / (double)x->rows,
                                          &run->scores, &run->losses),
                     error));
    return spc_core(ctx, sparcl_sum_rows(ctx, &sum, 1, &run->losses, 0), error);
}

sparcl_status spc_run_step(spc_run *run, int64_t step, const sparcl_csr *x, const sparcl_dense *y,
                           sparcl_error *error) {
    sparcl_ctx *ctx = run->ctx;
    SPC_TRY(spc_grow(ctx, &run->scores.values, x->rows * run->outputs * 4, error));
    SPC_TRY(spc_grow(ctx, &run->losses.values, x->rows * 4, error));
    run->scores.shape[0] = run->losses.shape[0] = x->rows;
    if (!run->keeps_batch || run->table.optim.step == 0)
        SPC_TRY(spc_core(ctx, sparcl_pattern_build(ctx, run->pattern, x), error));
    SPC_TRY(spc_table_begin(&run->table, run->pattern, error));
    SPC_TRY(compute_residual(run, step, x, y, error));
    return spc_table_step(&run->table, x, run->pattern, &run->scores, error);
}

sparcl_status spc_run_pass_loss(spc_run *run, double *sum, sparcl_error *error) {
    float *losses = malloc((size_t)run->steps * sizeof *losses);
    if (!losses) return spc_fail_memory(error, "losses", (size_t)run->steps * sizeof *losses);
    const sparcl_status status = spc_core(
        run->ctx, sparcl_buf_read(run->ctx, run->step_losses, 0, run->steps * 4, losses), error);
    *sum = 0;
    for (int64_t s = 0; status == SPARCL_OK && s < run->steps; ++s)
        *sum += losses[s];
    free(losses);
    return status;
}
