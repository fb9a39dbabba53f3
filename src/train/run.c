/* run.c: one training run: settled options and a step. */
#include "train/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "train/core.h"

static sparcl_status check_rate(const char *name, double x, double from, double below,
                                sparcl_error *error) {
    if (x >= from && x < below) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "%s is %g, expected a number from %g to below %g", name, x,
                    from, below);
}

/* A bit says that a rate is 0; it may not contradict the rate. */
static sparcl_status check_zeros(const sparcl_train_desc *d, sparcl_error *error) {
    const uint32_t known = SPARCL_ZERO_LR | SPARCL_ZERO_MOMENTUM | SPARCL_ZERO_BETA1 |
                           SPARCL_ZERO_BETA2 | SPARCL_ZERO_EPSILON;
    const uint32_t told =
        (d->lr != 0 ? SPARCL_ZERO_LR : 0u) | (d->momentum != 0 ? SPARCL_ZERO_MOMENTUM : 0u) |
        (d->beta1 != 0 ? SPARCL_ZERO_BETA1 : 0u) | (d->beta2 != 0 ? SPARCL_ZERO_BETA2 : 0u) |
        (d->epsilon != 0 ? SPARCL_ZERO_EPSILON : 0u);
    if ((d->zeros & ~known) == 0 && (d->zeros & told) == 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: zeros is 0x%x; bits 0x%x are unknown, or their rates are not 0",
                    (unsigned)d->zeros, (unsigned)(d->zeros & (~known | told)));
}

static sparcl_status check_desc(const sparcl_train_desc *d, sparcl_error *error) {
    if (d->reserved[0] || d->reserved[1])
        return spc_fail(error, SPARCL_E_ARG, "train: the reserved fields are not zero");
    if ((int)d->loss < 0 || d->loss > SPARCL_LOSS_SQUARED || (int)d->optimizer < 0 ||
        d->optimizer > SPARCL_OPTIMIZER_ADAM)
        return spc_fail(error, SPARCL_E_ARG, "train: there is no loss %d or no optimizer %d",
                        (int)d->loss, (int)d->optimizer);
    if (d->epochs < 1)
        return spc_fail(error, SPARCL_E_ARG, "epochs is %lld, expected at least 1",
                        (long long)d->epochs);
    if (d->batch < -1)
        return spc_fail(error, SPARCL_E_ARG, "batch is %lld, expected a number of rows, or full",
                        (long long)d->batch);
    if (d->columns < 0 || d->device_memory < 0)
        return spc_fail(error, SPARCL_E_ARG, "columns or device memory is negative");
    SPC_TRY(check_rate("lr", d->lr, 0, INFINITY, error));
    SPC_TRY(check_rate("l2", d->l2, 0, INFINITY, error));
    SPC_TRY(check_rate("momentum", d->momentum, 0, 1, error));
    SPC_TRY(check_rate("beta1", d->beta1, 0, 1, error));
    SPC_TRY(check_rate("beta2", d->beta2, 0, 1, error));
    SPC_TRY(check_rate("epsilon", d->epsilon, 0, INFINITY, error));
    return check_zeros(d, error);
}

/* What the optimizer does not have is 0. */
static double settle(const sparcl_train_desc *d, uint32_t zero, double x, bool used, double value) {
    return !used ? 0 : x == 0 && !(d->zeros & zero) ? value : x;
}

sparcl_status spc_run_settle(sparcl_train_desc *to, const sparcl_train_desc *desc,
                             sparcl_error *error) {
    SPC_TRY(check_desc(desc, error));
    const bool adam = desc->optimizer == SPARCL_OPTIMIZER_ADAM;
    const bool adagrad = desc->optimizer == SPARCL_OPTIMIZER_ADAGRAD;
    *to = *desc;
    to->lr = settle(desc, SPARCL_ZERO_LR, desc->lr, true, adam ? 0.001 : adagrad ? 0.01 : 0.1);
    to->momentum = settle(desc, SPARCL_ZERO_MOMENTUM, desc->momentum,
                          desc->optimizer == SPARCL_OPTIMIZER_MOMENTUM, 0.9);
    to->beta1 = settle(desc, SPARCL_ZERO_BETA1, desc->beta1, adam, 0.9);
    to->beta2 = settle(desc, SPARCL_ZERO_BETA2, desc->beta2, adam, 0.999);
    to->epsilon =
        settle(desc, SPARCL_ZERO_EPSILON, desc->epsilon, adam || adagrad, adam ? 1e-8 : 1e-10);
    if (to->batch == 0) to->batch = 1024;
    return SPARCL_OK;
}

sparcl_status spc_run_open(spc_run *run, sparcl_ctx *ctx, const sparcl_train_desc *settled,
                           int64_t columns, int64_t outputs, int64_t steps, sparcl_error *error) {
    *run = (spc_run){.ctx = ctx,
                     .desc = *settled,
                     .columns = columns,
                     .outputs = outputs,
                     .steps = steps,
                     .scores = {.rank = 2, .shape = {0, outputs}},
                     .losses = {.rank = 1}};
    const sparcl_optim optim = {.rule = (sparcl_rule)settled->optimizer,
                                .lr = settled->lr,
                                .momentum = settled->momentum,
                                .beta1 = settled->beta1,
                                .beta2 = settled->beta2,
                                .epsilon = settled->epsilon,
                                .l2 = settled->l2,
                                .zeros = settled->zeros};
    SPC_TRY(spc_core(ctx, sparcl_pattern_create(ctx, &run->pattern), error));
    SPC_TRY(spc_zeros(ctx, &run->step_losses, steps, 1, 4, error));
    return spc_table_open(&run->table, ctx, &optim, columns, outputs, !settled->no_bias, error);
}

void spc_run_close(spc_run *run) {
    spc_table_close(&run->table);
    sparcl_pattern_free(run->pattern);
    sparcl_buf_free(run->scores.values);
    sparcl_buf_free(run->losses.values);
    sparcl_buf_free(run->step_losses);
    memset(run, 0, sizeof *run);
}

/* Scores, then in their place the residual of the mean loss; the sum of the losses on the side. */
static sparcl_status find_residual(spc_run *run, int64_t step, const sparcl_csr *x,
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
    SPC_TRY(find_residual(run, step, x, y, error));
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
