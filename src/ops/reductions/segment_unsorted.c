/* segment_unsorted.c: reductions of segments by ids in no order, on few wide cores: without a sort.
 */
#include "base/size.h"
#include "ops/shared/fold.h"
#include "ops/shared/partition.h"
#include "prim/sort.h"

/* Each worker reads all ids: with more cores than this a sort is faster. (Measured with two cores.)
 */
#define MAX_WORKERS 8
/* Maximum elements of a row. A worker skips the rows of others: cache lines that it needs are no
 * longer next to each other, and longer rows wait for them (docs/results/sparse-algebra.md). */
#define MAX_WIDTH   15
/* Minimum elements of a worker. */
#define GRAIN       16384

bool spc_folds_unsorted(const sparcl_ctx *ctx, const spc_fold_job *job,
                        const spc_segment_ids *ids) {
    return !ids->sorted && !job->positions && job->rows <= MAX_WIDTH && !spc_ctx_is_gpu(ctx) &&
           !spc_has_short_loops(ctx) && spc_ctx_units(ctx) <= MAX_WORKERS &&
           spc_real_size(job->dtype) == sparcl_dtype_size(job->dtype);
}

static const char *const programs[] = {
    [SPC_FOLD_SUM] = "panel+scan+fold_sum+blocks+segment_unsorted",
    [SPC_FOLD_SQUARE] = "panel+scan+fold_square+blocks+segment_unsorted",
    [SPC_FOLD_ABS] = "panel+scan+fold_abs+blocks+segment_unsorted",
    [SPC_FOLD_PROD] = "panel+scan+fold_prod+blocks+segment_unsorted",
    [SPC_FOLD_MAX] = "panel+scan+fold_max+blocks+segment_unsorted",
    [SPC_FOLD_MIN] = "panel+scan+fold_min+blocks+segment_unsorted"};

sparcl_status spc_fold_unsorted(sparcl_ctx *ctx, const spc_fold_job *job,
                                const spc_segment_ids *ids, int64_t items) {
    const sparcl_itype type = spc_position_type(items);
    const int64_t workers =
        spc_min_i64(spc_ctx_units(ctx), spc_workers(ctx, items * job->rows, GRAIN));
    const int64_t slots = items / SPC_ROW_BLOCK; /* the maximum of segments with more rows */
    sparcl_buf *counts = NULL, *slot = NULL, *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &counts, ids->limit, sparcl_itype_size(type)));
    SPC_TRY(spc_scratch_push(ctx, &slot, ids->limit, sizeof(int32_t)));
    SPC_TRY(spc_scratch_push(ctx, &sums, workers * slots * job->rows, spc_real_size(job->dtype)));
    return SPC_LAUNCH(
        ctx, programs[job->fold], spc_options(job->dtype, type, ids->type), "segment_unsorted",
        spc_range_groups(ctx, workers), SPC_IN(ids->ids), SPC_I64(ids->at), SPC_I64(items),
        SPC_I64(ids->limit), SPC_IN(job->x.buf), SPC_I64(job->x.at), SPC_I64(job->x.ld),
        SPC_I64(job->rows), SPC_I32(job->finish), SPC_OUT(job->to), SPC_I64(job->to_at),
        SPC_I64(job->to_ld), SPC_OUT(counts), SPC_OUT(slot), SPC_OUT(sums), SPC_I64(slots));
}
