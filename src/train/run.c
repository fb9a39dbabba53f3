/* run.c: the graph of a linear model, and its step. */
#include "train/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "train/core.h"

/* --- the graph -------------------------------------------------------------------------------- */

static sparcl_optim optim_of(const sparcl_train_desc *desc) {
    return (sparcl_optim){.rule = desc->optimizer,
                          .lr = desc->lr,
                          .momentum = desc->momentum,
                          .beta1 = desc->beta1,
                          .beta2 = desc->beta2,
                          .epsilon = desc->epsilon,
                          .l2 = desc->l2};
}

/* The bias is updated by the same rule, but without l2. */
static sparcl_node add_bias(spc_run *run, sparcl_node scores) {
    sparcl_optim optim = optim_of(&run->desc);
    optim.l2 = 0;
    run->bias = SPARCL_NO_NODE;
    if (run->desc.no_bias) return scores;
    run->bias = sparcl_graph_parameter(run->graph, "bias", 1, &run->outputs, &optim);
    return sparcl_graph_add_bias(run->graph, scores, run->bias);
}

/* The objective is the mean loss; what a step reports is the sum. */
static sparcl_status build(spc_run *run) {
    sparcl_graph *const g = run->graph;
    const sparcl_optim optim = optim_of(&run->desc);
    const int64_t shape[] = {run->columns, run->outputs};
    run->rows = sparcl_graph_dim(g, "rows", 0);
    run->entries = sparcl_graph_dim(g, "entries", 0);
    run->x = sparcl_graph_csr(g, "x", run->rows, run->columns, run->entries);
    run->y = sparcl_graph_dense(g, "labels", 1, &run->rows);
    run->weights = sparcl_graph_parameter(g, "weights", 2, shape, &optim);
    const sparcl_node scores = add_bias(run, sparcl_graph_spmm(g, run->x, run->weights));
    const sparcl_node losses = sparcl_graph_loss(g, run->desc.loss, scores, run->y);
    run->loss = sparcl_graph_sum(g, losses);
    SPC_TRY(sparcl_graph_backward(g, sparcl_graph_mean(g, losses)));
    return sparcl_graph_allocate(g);
}

sparcl_status spc_run_open(spc_run *run, sparcl_ctx *ctx, const sparcl_train_desc *checked,
                           int64_t columns, int64_t outputs, int64_t steps, sparcl_error *error) {
    *run = (spc_run){
        .ctx = ctx, .desc = *checked, .columns = columns, .outputs = outputs, .steps = steps};
    run->step_losses = (sparcl_dense){.rank = 1, .shape = {steps}};
    SPC_TRY(spc_check_table(columns, outputs, error));
    SPC_TRY(spc_core(ctx, sparcl_dense_zeros(ctx, &run->step_losses), error));
    SPC_TRY(spc_core(ctx, sparcl_graph_create(ctx, &run->graph), error));
    return spc_core(ctx, build(run), error);
}

void spc_run_close(spc_run *run) {
    sparcl_graph_free(run->graph);
    sparcl_dense_free(&run->step_losses);
    memset(run, 0, sizeof *run);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Batches have different numbers of entries: a larger one than before gets an eighth more. */
static sparcl_status bind(spc_run *run, const sparcl_csr *x, const sparcl_dense *y) {
    const int64_t capacity = spc_max_i64(x->nnz, spc_min_i64(x->cols, x->nnz + x->nnz / 8));
    if (run->keeps_batch && run->is_bound) return SPARCL_OK;
    SPC_TRY(sparcl_graph_reserve(run->graph, run->rows, x->rows));
    if (x->nnz > run->bound_entries) {
        SPC_TRY(sparcl_graph_reserve(run->graph, run->entries, capacity));
        run->bound_entries = capacity;
    }
    SPC_TRY(sparcl_graph_bind_csr(run->graph, run->x, x));
    SPC_TRY(sparcl_graph_bind_dense(run->graph, run->y, y));
    run->is_bound = true;
    return SPARCL_OK;
}

sparcl_status spc_run_step(spc_run *run, int64_t step, const sparcl_csr *x, const sparcl_dense *y,
                           sparcl_error *error) {
    const sparcl_dense sum = {
        .rank = 1, .shape = {1}, .values = run->step_losses.values, .values_at = step};
    SPC_TRY(spc_core(run->ctx, bind(run, x, y), error));
    SPC_TRY(spc_core(run->ctx, sparcl_graph_bind_output(run->graph, run->loss, &sum), error));
    return spc_core(run->ctx, sparcl_graph_step(run->graph), error);
}

sparcl_status spc_run_pass_loss(spc_run *run, double *sum, sparcl_error *error) {
    float *losses = malloc((size_t)run->steps * sizeof *losses);
    if (!losses) return spc_fail_memory(error, "losses", (size_t)run->steps * sizeof *losses);
    const sparcl_status status =
        spc_core(run->ctx, sparcl_dense_read(run->ctx, &run->step_losses, losses), error);
    *sum = 0;
    for (int64_t s = 0; status == SPARCL_OK && s < run->steps; ++s)
        *sum += losses[s];
    free(losses);
    return status;
}

sparcl_status spc_run_weights(const spc_run *run, spc_weights *weights, sparcl_error *error) {
    *weights = (spc_weights){.loss = run->desc.loss};
    SPC_TRY(spc_core(run->ctx, sparcl_graph_current(run->graph, run->weights, &weights->weights),
                     error));
    if (run->bias == SPARCL_NO_NODE) return SPARCL_OK;
    return spc_core(run->ctx, sparcl_graph_current(run->graph, run->bias, &weights->bias), error);
}
