/* segment.c: the runs of equal keys in a sorted array, found on the device. */
#include "prim/segment.h"

#include "launch/launch.h"
#include "prim/chunks.h"

sparcl_status spc_segments(sparcl_ctx *ctx, const spc_segment_job *job) {
    const uint32_t options = spc_options(SPARCL_F32, job->start_type, job->key_type);
    const int64_t chunks = spc_chunks(ctx, job->n);
    const spc_range range = spc_range_groups(ctx, chunks);
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sums, chunks, sparcl_itype_size(job->start_type)));
    sparcl_status status = SPARCL_OK;
    if (chunks > 1)
        status = SPC_LAUNCH(ctx, "scan+segment", options, "segment_count", range, SPC_IN(job->keys),
                            SPC_I64(job->keys_at), SPC_I64(job->n), SPC_IN(job->count),
                            SPC_I64(job->count_at), SPC_I32(!job->narrow_count), SPC_OUT(sums));
    if (status == SPARCL_OK)
        status = SPC_LAUNCH(ctx, "scan+segment", options, "segment_write", range, SPC_IN(job->keys),
                            SPC_I64(job->keys_at), SPC_I64(job->n), SPC_IN(job->count),
                            SPC_I64(job->count_at), SPC_I32(!job->narrow_count),
                            SPC_OUT(job->starts), SPC_OUT(job->unique), SPC_I64(job->unique_at),
                            SPC_OUT(job->found), SPC_I64(job->found_at), SPC_IN(sums));
    spc_scratch_release(ctx, mark);
    return status;
}
