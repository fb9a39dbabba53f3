/* range.c: how many workers or groups a kernel gets, and what one of them may take. */
#include "launch/range.h"

#include "base/size.h"
#include "device/ctx_impl.h"
#include "tune/tuned.h"

/* PoCL hands out work-groups in shrinking chunks; a few a thread let it balance. */
const sparcl_tunable spc_tunable_workers = {
    .name = "workers",
    .what = "most groups of a kernel for each CPU core, in which its work is dealt out",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 1,
    .maximum = 64,
    .candidates = {2, 4, 8, 16, 32},
    .candidate_count = 5,
    .defaults = {{8}}};

const sparcl_tunable spc_tunable_elementwise_grain = {
    .name = "elementwise.grain",
    .what = "elements below which another CPU worker costs more than it gives",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 64,
    .maximum = 1 << 20,
    .candidates = {1024, 4096, 16384, 65536},
    .candidate_count = 4,
    .defaults = {{4096}}};

const sparcl_tunable spc_tunable_elementwise_groups = {
    .name = "elementwise.groups",
    .what = "most groups for each GPU unit of a kernel that goes over elements",
    .kernels = SPARCL_CLASS_GPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 1,
    .maximum = 1024,
    .candidates = {8, 16, 32, 64},
    .candidate_count = 4,
    .defaults = {{0}, {32}}};

/* Where loops are short (device/list.h). */
#define SHORT_GRAIN    1024
/* What a work-item may take where its loops are counted; some rounds are left for small ones. */
#define MAX_ITERATIONS 65000

bool spc_has_short_loops(const sparcl_ctx *ctx) {
    return ctx->short_loops;
}

sparcl_status spc_check_iterations(sparcl_ctx *ctx, const char *op, int64_t turns) {
    if (!ctx->short_loops || turns <= MAX_ITERATIONS) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                        "%s: a sum of this size takes up to %lld rounds of a loop, and %.60s ends "
                        "loops after %d, without a word; use another device",
                        op, (long long)turns, ctx->device.name, MAX_ITERATIONS);
}

int64_t spc_workers(const sparcl_ctx *ctx, int64_t work, int64_t grain) {
    const int64_t maximum = ctx->device.units * spc_tuned(ctx, SPC_TUNE_WORKERS, 0);
    if (ctx->short_loops) return spc_ceil_div(work, spc_min_i64(SHORT_GRAIN, grain)) + (work == 0);
    return spc_max_i64(1, spc_min_i64(maximum, work / grain));
}

spc_range spc_range_groups(const sparcl_ctx *ctx, int64_t groups) {
    return spc_range_groups_of(groups, spc_ctx_is_gpu(ctx) ? SPC_GROUP : 1);
}

spc_range spc_range_groups_of(int64_t groups, int64_t local) {
    return (spc_range){.global = spc_max_i64(groups, 1) * local, .local = local};
}

spc_range spc_range_each(const sparcl_ctx *ctx, int64_t n) {
    if (!spc_ctx_is_gpu(ctx))
        return spc_range_groups(ctx,
                                spc_workers(ctx, n, spc_tuned(ctx, SPC_TUNE_ELEMENTWISE_GRAIN, 0)));
    const int64_t groups = spc_ceil_div(n, SPC_GROUP);
    if (ctx->short_loops) return spc_range_groups(ctx, groups);
    const int64_t maximum = ctx->device.units * spc_tuned(ctx, SPC_TUNE_ELEMENTWISE_GROUPS, 0);
    return spc_range_groups(ctx, spc_min_i64(maximum, groups));
}
