/* source_pairs.c: trains a ranking from pairs of users and items: a data set has a row for each
 * user, and an entry for each item he has. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "train/pairs.h"
#include "train/row_weights.h"
#include "train/training_source.h"

/* Pairs whose losses are computed at a time. */
enum { SCORED_PAIRS = 65536 };

typedef struct pair_source {
    spc_bipartite graph;
    spc_pairs pairs, scored, valid; /* of steps, and of losses */
    uint64_t seed;
    int64_t batch, steps; /* pairs per step, steps per pass */
    int64_t *order;       /* of the current pass */
} pair_source;

static sparcl_status start_pass(void *state, int64_t epoch, sparcl_error *error) {
    pair_source *const s = state;
    sparcl_train_order(s->seed, epoch, s->pairs.count, s->order);
    return spc_pairs_pass(&s->pairs, s->order, error);
}

static sparcl_status next_batch(void *state, int64_t epoch, int64_t step, spc_inputs *inputs,
                                sparcl_error *error) {
    pair_source *const s = state;
    const int64_t first = step * s->batch;
    return spc_pairs_batch(&s->pairs, first, spc_min_i64(s->batch, s->pairs.count - first),
                           (uint64_t)(epoch * s->steps + step), inputs, error);
}

/* That of equal scores. */
static sparcl_status find_constant_loss(const void *state, double *loss, sparcl_error *error) {
    (void)state;
    (void)error;
    *loss = log(2);
    return SPARCL_OK;
}

static void add_memory(const void *state, sparcl_train_memory *memory) {
    const pair_source *const s = state;
    memory->data += spc_csr_bytes(&s->graph.known) + spc_csr_bytes(&s->graph.adjacency) +
                    spc_pairs_bytes(&s->pairs) + spc_pairs_bytes(&s->scored);
    memory->valid += spc_pairs_bytes(&s->valid);
}

static void close_pairs(void *state) {
    pair_source *const s = state;
    spc_pairs_close(&s->pairs);
    spc_pairs_close(&s->scored);
    spc_pairs_close(&s->valid);
    spc_bipartite_close(&s->graph);
    free(s->order);
    free(s);
}

static sparcl_status open_losses(spc_source *source, const spc_training *of, sparcl_error *error) {
    pair_source *const s = source->state;
    SPC_TRY(
        spc_pairs_open(&s->scored, of->ctx, of->train, &s->graph, SCORED_PAIRS, s->seed, error));
    source->train = spc_scored_pairs(&s->scored);
    if (!of->valid) return SPARCL_OK;
    SPC_TRY(spc_pairs_open(&s->valid, of->ctx, of->valid, &s->graph, SCORED_PAIRS, s->seed, error));
    source->valid = spc_scored_pairs(&s->valid);
    return SPARCL_OK;
}

/* The data have pairs, which have no weights. */
static sparcl_status check(const spc_training *of, sparcl_error *error) {
    SPC_TRY(spc_check_pairs(of->train, error));
    if (!spc_has_weights(of->desc, of->classes, of->train, of->valid)) return SPARCL_OK;
    return spc_refuse_data(of->train, -1, error,
                           "rows have weights, which a ranking does not read; remove them");
}

sparcl_status spc_open_pairs(spc_source *source, spc_run *run, const spc_training *of,
                             sparcl_error *error) {
    const sparcl_train_desc *const d = of->desc;
    const int64_t pairs = sparcl_data_get_info(of->train)->entries;
    spc_run_size size = {.outputs = 1};
    pair_source *const s = calloc(1, sizeof *s);
    if (!s) return spc_fail_memory(error, "pairs", sizeof *s);
    *source = (spc_source){.state = s,
                           .start = start_pass,
                           .next = next_batch,
                           .constant_loss = find_constant_loss,
                           .add_memory = add_memory,
                           .close = close_pairs};
    SPC_TRY(check(of, error));
    SPC_TRY(spc_find_columns(d, of->train, &size.columns, error));
    SPC_TRY(spc_bipartite_open(&s->graph, of->ctx, of->train, size.columns,
                               d->architecture->adjacency, error));
    s->seed = d->seed;
    s->batch = d->batch == 0 ? pairs : spc_min_i64(d->batch, pairs);
    SPC_TRY(spc_pairs_open(&s->pairs, of->ctx, of->train, &s->graph, s->batch, s->seed, error));
    size.nodes = s->graph.nodes;
    size.steps = s->steps = spc_ceil_div(pairs, s->batch);
    SPC_TRY(spc_run_open(run, of->ctx, d, &size, error));
    s->order = malloc((size_t)pairs * sizeof *s->order);
    if (!s->order) return spc_fail_memory(error, "order of pairs", (size_t)pairs * 8);
    return open_losses(source, of, error);
}
