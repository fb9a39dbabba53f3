/* scan.c: exclusive prefix sums of integers on the device. */
#include "prim/scan.h"

#include "launch/launch.h"
#include "prim/chunks.h"

const sparcl_tunable spc_tunable_scan_grain = {
    .name = "scan.grain",
    .description =
        "minimum items per CPU worker in a prefix sum, a sort or a search for runs of equal keys",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 256,
    .maximum = 1 << 20,
    .candidates = {4096, 16384, 65536},
    .candidate_count = 3,
    .defaults = {{16384}}};

sparcl_status spc_scan(sparcl_ctx *ctx, const spc_scan_job *job) {
    const uint32_t options = spc_options(SPARCL_F32, job->to_type, job->from_type);
    const int64_t chunks = spc_chunks(ctx, job->n);
    const spc_range range = spc_range_groups(ctx, chunks);
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sums, chunks, sparcl_itype_size(job->to_type)));
    sparcl_status status = SPARCL_OK;
    if (chunks > 1)
        status = SPC_LAUNCH(ctx, "scan", options, "scan_sum", range, SPC_IN(job->from),
                            SPC_I64(job->from_at), SPC_I64(job->n), SPC_OUT(sums));
    if (status == SPARCL_OK)
        status = SPC_LAUNCH(ctx, "scan", options, "scan_write", range, SPC_IN(job->from),
                            SPC_I64(job->from_at), SPC_OUT(job->to), SPC_I64(job->to_at),
                            SPC_I64(job->n), SPC_IN(sums));
    spc_scratch_release(ctx, mark);
    return status;
}
