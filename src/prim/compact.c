/* compact.c: the positions of the items that have a mark, found on the device. */
#include "prim/compact.h"

#include "launch/launch.h"
#include "prim/chunks.h"

sparcl_status spc_compact(sparcl_ctx *ctx, const spc_compact_job *job) {
    const uint32_t options = spc_itype_options(job->place_type, SPARCL_INDEX32);
    const int64_t chunks = spc_chunks(ctx, job->n);
    const spc_range range = spc_range_groups(ctx, chunks);
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sums, chunks, sparcl_itype_size(job->place_type)));
    sparcl_status status = SPARCL_OK;
    if (chunks > 1)
        status =
            SPC_LAUNCH(ctx, "scan+compact", options, "compact_count", range, SPC_IN(job->marks),
                       SPC_I64(job->n), SPC_IN(job->count), SPC_I64(job->count_at), SPC_OUT(sums));
    if (status == SPARCL_OK)
        status =
            SPC_LAUNCH(ctx, "scan+compact", options, "compact_write", range, SPC_IN(job->marks),
                       SPC_I64(job->n), SPC_IN(job->count), SPC_I64(job->count_at),
                       SPC_OUT(job->places), SPC_OUT(job->found), SPC_IN(sums));
    spc_scratch_release(ctx, mark);
    return status;
}
