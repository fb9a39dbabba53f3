/* range.c: the number of workers or groups of a kernel, and limits of their work. */
#include "launch/range.h"

#include "base/size.h"
#include "device/ctx_impl.h"
#include "tune/tuned.h"

/* PoCL schedules work-groups in shrinking chunks; a few groups per thread let it balance. */
const sparcl_tunable spc_tunable_workers = {
    .name = "workers",
    .description = "maximum groups of a kernel per CPU core, among which its work is divided",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 1,
    .maximum = 64,
    .candidates = {2, 4, 8, 16, 32},
    .candidate_count = 5,
    .defaults = {{8}}};

const sparcl_tunable spc_tunable_elementwise_grain = {
    .name = "elementwise.grain",
    .description = "minimum elements per CPU worker of an element-wise kernel",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 64,
    .maximum = 1 << 20,
    .candidates = {1024, 4096, 16384, 65536},
    .candidate_count = 4,
    .defaults = {{4096}}};

const sparcl_tunable spc_tunable_elementwise_groups = {
    .name = "elementwise.groups",
    .description = "maximum groups of an element-wise kernel per GPU compute unit",
    .kernels = SPARCL_CLASS_GPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 1,
    .maximum = 1024,
    .candidates = {8, 16, 32, 64},
    .candidate_count = 4,
    .defaults = {{0}, {32}}};

/* The same where loops are short (device/list.h). */
#define SHORT_GRAIN    1024
/* Maximum iterations of a work-item where loops are short; some are left for small loops. */
#define MAX_ITERATIONS 65000

bool spc_has_short_loops(const sparcl_ctx *ctx) {
    return ctx->short_loops;
}

sparcl_status spc_check_iterations(sparcl_ctx *ctx, const char *op, int64_t iterations) {
    if (!ctx->short_loops || iterations <= MAX_ITERATIONS) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                        "%s: a sum of this size needs up to %lld loop iterations, and %.60s stops "
                        "loops after %d without an error; use another device",
                        op, (long long)iterations, ctx->device.name, MAX_ITERATIONS);
}

int64_t spc_workers(const sparcl_ctx *ctx, int64_t work, int64_t grain) {
    const int64_t maximum = ctx->device.units * spc_tuned(ctx, SPC_TUNE_WORKERS, 0);
    if (ctx->short_loops) return spc_ceil_div(work, spc_min_i64(SHORT_GRAIN, grain)) + (work == 0);
    return spc_max_i64(1, spc_min_i64(maximum, work / grain));
}

spc_range spc_range_groups(const sparcl_ctx *ctx, int64_t groups) {
    const int64_t local = spc_ctx_is_gpu(ctx) ? SPC_GROUP : 1;
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
