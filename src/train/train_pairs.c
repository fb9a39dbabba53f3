/* train_pairs.c: trains a ranking from pairs of users and items. */
#include "train/train_pairs.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "train/row_weights.h"

/* Pairs whose losses are computed at a time. */
enum { SCORED_PAIRS = 65536 };

static sparcl_status start_pass(spc_trainer *t, int64_t epoch, sparcl_error *error) {
    sparcl_train_order(t->run.desc.seed, epoch, t->pairs.count, t->order);
    return spc_pairs_pass(&t->pairs, t->order, error);
}

static sparcl_status next_batch(spc_trainer *t, int64_t epoch, int64_t step, spc_inputs *inputs,
                                sparcl_error *error) {
    const int64_t first = step * t->batch;
    return spc_pairs_batch(&t->pairs, first, spc_min_i64(t->batch, t->pairs.count - first),
                           (uint64_t)(epoch * t->run.steps + step), inputs, error);
}

static sparcl_status open_losses(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *data,
                                 const sparcl_data *valid, sparcl_error *error) {
    SPC_TRY(spc_pairs_open(&t->scored_pairs, ctx, data, &t->bipartite, SCORED_PAIRS,
                           t->run.desc.seed, error));
    t->train_rows = spc_scored_pairs(&t->scored_pairs);
    if (!valid) return SPARCL_OK;
    SPC_TRY(spc_pairs_open(&t->valid_pairs, ctx, valid, &t->bipartite, SCORED_PAIRS,
                           t->run.desc.seed, error));
    t->valid_rows = spc_scored_pairs(&t->valid_pairs);
    return SPARCL_OK;
}

sparcl_status spc_open_pairs(spc_trainer *t, sparcl_ctx *ctx, const sparcl_data *data,
                             const sparcl_data *valid, const sparcl_train_desc *checked,
                             sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const int64_t pairs = info->entries;
    spc_run_size size = {.outputs = 1};
    SPC_TRY(spc_check_pairs(data, error));
    if (spc_has_weights(checked, t->classes, data, valid))
        return spc_refuse_data(data, -1, error,
                               "rows have weights, which a ranking does not read; remove them");
    SPC_TRY(spc_find_columns(checked, data, &size.columns, error));
    SPC_TRY(spc_bipartite_open(&t->bipartite, ctx, data, size.columns,
                               checked->architecture->adjacency, error));
    t->batch = checked->batch == 0 ? pairs : spc_min_i64(checked->batch, pairs);
    SPC_TRY(spc_pairs_open(&t->pairs, ctx, data, &t->bipartite, t->batch, checked->seed, error));
    size.nodes = t->bipartite.nodes;
    size.steps = spc_ceil_div(pairs, t->batch);
    SPC_TRY(spc_run_open(&t->run, ctx, checked, &size, error));
    t->next = next_batch;
    t->start = start_pass;
    t->order = malloc((size_t)pairs * sizeof *t->order);
    if (!t->order) return spc_fail_memory(error, "order of pairs", (size_t)pairs * 8);
    return open_losses(t, ctx, data, valid, error);
}
