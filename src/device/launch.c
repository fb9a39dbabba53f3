/* launch.c: ranges and enqueueing. */
#include "device/launch.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/size.h"
#include "device/profiler.h"
#include "device/program.h"
#include "device/tuned.h"

/* PoCL hands out work-groups in shrinking chunks; a few a thread let it balance. */
const sparcl_tunable spc_tunable_workers = {
    .name = "workers",
    .what = "most groups of a kernel for each CPU core, in which its work is dealt out",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .least = 1,
    .most = 64,
    .candidates = {2, 4, 8, 16, 32},
    .candidate_count = 5,
    .defaults = {{8}}};

const sparcl_tunable spc_tunable_each_grain = {
    .name = "each.grain",
    .what = "elements below which another CPU worker costs more than it gives",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .least = 64,
    .most = 1 << 20,
    .candidates = {1024, 4096, 16384, 65536},
    .candidate_count = 4,
    .defaults = {{4096}}};

const sparcl_tunable spc_tunable_each_groups = {
    .name = "each.groups",
    .what = "most groups for each GPU unit of a kernel that goes over elements",
    .kernels = SPARCL_CLASS_GPU,
    SPC_CLASSES(spc_no_classes),
    .least = 1,
    .most = 1024,
    .candidates = {8, 16, 32, 64},
    .candidate_count = 4,
    .defaults = {{0}, {32}}};

/*
 * Mesa's llvmpipe ends all loops of a work-item, without a word, when it has gone round them 65535
 * times in all (LP_MAX_TGSI_LOOP_ITERATIONS, seen in 22.3). There, work-items get little to do, and
 * are as many as that takes.
 */
#define SHORT_GRAIN 1024
/* What a work-item may take where its loops are counted; some rounds are left for small ones. */
#define MOST_TURNS  65000

bool spc_device_has_short_loops(const sparcl_device *device) {
    return strncmp(device->name, "llvmpipe", 8) == 0;
}

bool spc_has_short_loops(const sparcl_ctx *ctx) {
    return ctx->short_loops;
}

sparcl_status spc_check_turns(sparcl_ctx *ctx, const char *op, int64_t turns) {
    if (!ctx->short_loops || turns <= MOST_TURNS) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                        "%s: a sum of this size takes up to %lld rounds of a loop, and %.60s ends "
                        "loops after %d, without a word; use another device",
                        op, (long long)turns, ctx->device.name, MOST_TURNS);
}

int64_t spc_workers(const sparcl_ctx *ctx, int64_t work, int64_t grain) {
    const int64_t most = ctx->device.units * spc_tuned(ctx, SPC_TUNE_WORKERS, 0);
    if (ctx->short_loops) return spc_ceil_div(work, spc_min_i64(SHORT_GRAIN, grain)) + (work == 0);
    return spc_max_i64(1, spc_min_i64(most, work / grain));
}

spc_range spc_range_groups(const sparcl_ctx *ctx, int64_t groups) {
    return spc_range_groups_of(groups, spc_ctx_is_gpu(ctx) ? SPC_GROUP : 1);
}

spc_range spc_range_groups_of(int64_t groups, int64_t local) {
    return (spc_range){.global = spc_max_i64(groups, 1) * local, .local = local};
}

spc_range spc_range_each(const sparcl_ctx *ctx, int64_t n) {
    if (!spc_ctx_is_gpu(ctx))
        return spc_range_groups(ctx, spc_workers(ctx, n, spc_tuned(ctx, SPC_TUNE_EACH_GRAIN, 0)));
    const int64_t groups = spc_ceil_div(n, SPC_GROUP);
    if (ctx->short_loops) return spc_range_groups(ctx, groups);
    const int64_t most = ctx->device.units * spc_tuned(ctx, SPC_TUNE_EACH_GROUPS, 0);
    return spc_range_groups(ctx, spc_min_i64(most, groups));
}

static cl_int set_arg(cl_kernel kernel, cl_uint index, const spc_arg *arg) {
    const sparcl_buf *buf = arg->kind == SPC_ARG_IN ? arg->as.in : arg->as.out;
    switch (arg->kind) {
    case SPC_ARG_IN:
    case SPC_ARG_OUT:
        return clSetKernelArg(kernel, index, sizeof(cl_mem), buf ? &buf->memory : NULL);
    case SPC_ARG_I32:
        return clSetKernelArg(kernel, index, sizeof(cl_int), &arg->as.i32);
    case SPC_ARG_I64:
        return clSetKernelArg(kernel, index, sizeof(cl_long), &arg->as.i64);
    case SPC_ARG_F32:
        return clSetKernelArg(kernel, index, sizeof(cl_float), &arg->as.f32);
    case SPC_ARG_F64:
        return clSetKernelArg(kernel, index, sizeof(cl_double), &arg->as.f64);
    }
    return CL_INVALID_ARG_VALUE;
}

static sparcl_status fail_launch(sparcl_ctx *ctx, cl_int code, const char *name, const char *what,
                                 long long number) {
    char text[100];
    snprintf(text, sizeof text, "kernel %s, %s %lld", name, what, number);
    return spc_ctx_fail_cl(ctx, code, text);
}

static void touch_results(const spc_arg *args, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (args[i].kind == SPC_ARG_OUT) sparcl_buf_touched(args[i].as.out);
}

sparcl_status spc_launch(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *name,
                         spc_range range, const spc_arg *args, size_t count) {
    if (ctx->forecast) {
        touch_results(args, count);
        return SPARCL_OK;
    }
    cl_kernel kernel = NULL;
    cl_int code = CL_SUCCESS;
    bool is_new = false;
    const double start = ctx->profile ? spc_clock() : 0;
    const size_t global = (size_t)range.global, local = (size_t)range.local;
    SPC_TRY(spc_kernel_get(ctx, stem, options, name, &kernel, &is_new));
    for (size_t i = 0; i < count; ++i) {
        code = set_arg(kernel, (cl_uint)i, &args[i]);
        if (code != CL_SUCCESS) return fail_launch(ctx, code, name, "argument", (long long)i);
    }
    code = clEnqueueNDRangeKernel(ctx->cl_queue, kernel, 1, NULL, &global, &local, 0, NULL,
                                  spc_profile_event(ctx));
    spc_profile_kernel(ctx, code, name, options & SPC_VARIANT);
    if (is_new) spc_profile_built(ctx, start);
    ctx->launches += code == CL_SUCCESS;
    touch_results(args, count);
    if (code == CL_SUCCESS) return SPARCL_OK;
    return fail_launch(ctx, code, name, "work-items:", (long long)range.global);
}
