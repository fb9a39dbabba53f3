/* step_table.c: steps whose rate has norms of the whole table. The device finds the norms; the host
 * does not wait. */
#include "optim/step_table.h"

#include "ops/shared/rows.h"
#include "optim/step_args.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/reductions.h"

static size_t size_of(const spc_tables *t) {
    return sparcl_dtype_size(t->weights->dtype);
}

/* An array without gaps of the shape of the table, in scratch memory. */
static sparcl_status push_packed(sparcl_ctx *ctx, sparcl_dense *x, const spc_tables *t) {
    *x = *t->weights;
    x->values_at = x->ld = 0;
    return spc_scratch_push(ctx, &x->values, t->rows * t->width, size_of(t));
}

sparcl_status spc_table_begin(sparcl_ctx *ctx, spc_table_updates *updates, const spc_tables *t,
                              bool finds_all) {
    sparcl_dense *const last = &updates->states[t->rule->states];
    updates->tables = *t;
    updates->tables.states = updates->states;
    updates->tables.has_updates = true;
    for (int i = 0; i < t->rule->states; ++i)
        updates->states[i] = t->states[i];
    SPC_TRY(push_packed(ctx, last, t));
    if (finds_all) return SPARCL_OK;
    return sparcl_buf_fill(ctx, last->values, 0, t->rows * t->width * (int64_t)size_of(t), 0);
}

/* Norms of all elements are those of arrays without gaps. */
static sparcl_status find_norm(sparcl_ctx *ctx, sparcl_dense *norm, const spc_tables *t,
                               const sparcl_dense *of) {
    sparcl_dense packed = *of;
    *norm = (sparcl_dense){.rank = 1, .dtype = of->dtype, .shape = {1}};
    SPC_TRY(spc_scratch_push(ctx, &norm->values, 1, size_of(t)));
    if (spc_dense_ld(of) != t->width) {
        SPC_TRY(push_packed(ctx, &packed, t));
        SPC_TRY(sparcl_copy(ctx, &packed, of));
    }
    return sparcl_dense_reduce(ctx, SPARCL_REDUCE_NORM, norm, &packed, -1);
}

/* The norms of the weights and of the updates. */
typedef struct table_norms {
    sparcl_dense weight, update;
} table_norms;

static sparcl_status step_by_ratio(sparcl_ctx *ctx, const spc_tables *t, int64_t rows,
                                   int64_t width, const sparcl_buf *present,
                                   const table_norms *norms) {
    const spc_hyper h = spc_hyper_of(t->rule, &t->optim);
    if (rows == 0 || width == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, t->rule->stem, spc_step_options(t, &h, SPARCL_INDEX32, SPARCL_INDEX32),
                      "step_by_ratio", spc_range_vectors(ctx, rows, width), TABLES(t),
                      SPC_IN(present), SPC_I64(rows), SPC_I64(width), SPC_IN(norms->weight.values),
                      SPC_IN(norms->update.values), HYPER(t, h));
}

sparcl_status spc_table_finish(sparcl_ctx *ctx, const spc_table_updates *updates,
                               const sparcl_buf *present) {
    const spc_tables *const t = &updates->tables;
    const int64_t count = t->rows * t->width, rows = count / SPC_CHUNK, done = rows * SPC_CHUNK;
    table_norms norms;
    spc_chunks chunks;
    SPC_TRY(find_norm(ctx, &norms.weight, t, t->weights));
    SPC_TRY(find_norm(ctx, &norms.update, t, &updates->states[t->rule->states]));
    if (present || spc_tables_have_gaps(t))
        return step_by_ratio(ctx, t, t->rows, t->width, present, &norms);
    spc_chunks_open(&chunks, t, 0, SPC_CHUNK);
    SPC_TRY(step_by_ratio(ctx, &chunks.tables, rows, SPC_CHUNK, NULL, &norms));
    spc_chunks_open(&chunks, t, done, count - done);
    return step_by_ratio(ctx, &chunks.tables, 1, count - done, NULL, &norms);
}
