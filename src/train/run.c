/* run.c: one training run: its description, checked, and a step. */
#include "train/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "train/core.h"

void sparcl_train_init(sparcl_train_desc *desc, sparcl_rule optimizer) {
    const bool is_linear = optimizer == SPARCL_RULE_SGD || optimizer == SPARCL_RULE_MOMENTUM;
    sparcl_optim o;
    sparcl_optim_init(&o, optimizer);
    *desc = (sparcl_train_desc){.optimizer = optimizer,
                                .lr = is_linear ? 0.1 : o.lr,
                                .momentum = o.momentum,
                                .beta1 = o.beta1,
                                .beta2 = o.beta2,
                                .epsilon = o.epsilon,
                                .epochs = 10,
                                .batch = 1024};
}

/* A NaN is inside of no range. */
static sparcl_status check_hyper(const sparcl_train_desc *d, sparcl_error *error) {
    const struct {
        const char *name;
        double found, below;
    } all[] = {{"lr", d->lr, INFINITY}, {"l2", d->l2, INFINITY}, {"momentum", d->momentum, 1},
               {"beta1", d->beta1, 1},  {"beta2", d->beta2, 1},  {"epsilon", d->epsilon, INFINITY}};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        if (!(all[i].found >= 0 && all[i].found < all[i].below))
            return spc_fail(
                error, SPARCL_E_ARG, "train: %s is %g, expected %s", all[i].name, all[i].found,
                all[i].below == 1 ? "a number from 0 to less than 1" : "a finite number from 0");
    return SPARCL_OK;
}

static sparcl_status check_count(const char *name, int64_t found, const char *expected,
                                 sparcl_error *error) {
    if (found >= 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "train: %s is %lld, expected %s", name, (long long)found,
                    expected);
}

static sparcl_status check_desc(const sparcl_train_desc *d, sparcl_error *error) {
    if (d->reserved[0] || d->reserved[1])
        return spc_fail(error, SPARCL_E_ARG, "train: the reserved fields are not zero");
    if ((int)d->loss < 0 || d->loss > SPARCL_LOSS_SQUARED)
        return spc_fail(error, SPARCL_E_ARG, "train: loss is %d, expected a sparcl_loss",
                        (int)d->loss);
    if (sparcl_rule_states(d->optimizer) < 0)
        return spc_fail(error, SPARCL_E_ARG, "train: optimizer is %d, expected a sparcl_rule",
                        (int)d->optimizer);
    SPC_TRY(check_count("epochs", d->epochs, "a number of passes", error));
    SPC_TRY(check_count("batch", d->batch, "a number of rows, or 0 for all", error));
    SPC_TRY(check_count("columns", d->columns, "a width, or 0 for that of the data", error));
    SPC_TRY(check_count("device_memory", d->device_memory,
                        "a number of bytes, or 0 for half of what the device has", error));
    return check_hyper(d, error);
}

/* The model file has 0 for what the optimizer does not have. */
sparcl_status spc_run_check(sparcl_train_desc *to, const sparcl_train_desc *desc,
                            sparcl_error *error) {
    SPC_TRY(check_desc(desc, error));
    const bool is_adam = desc->optimizer == SPARCL_RULE_ADAM;
    *to = *desc;
    if (desc->optimizer != SPARCL_RULE_MOMENTUM) to->momentum = 0;
    if (!is_adam) to->beta1 = to->beta2 = 0;
    if (!is_adam && desc->optimizer != SPARCL_RULE_ADAGRAD) to->epsilon = 0;
    return SPARCL_OK;
}

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
