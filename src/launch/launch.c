/* launch.c: set the arguments of kernels and enqueue them. */
#include "launch/launch.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "device/ctx_impl.h"
#include "device/profiler.h"
#include "program/program.h"

static bool is_buffer(const spc_arg *arg) {
    return arg->kind == SPC_ARG_IN || arg->kind == SPC_ARG_OUT;
}

static const sparcl_buf *buffer_of(const spc_arg *arg) {
    return arg->kind == SPC_ARG_IN ? arg->as.in : arg->as.out;
}

/* What tells an argument from others of its place. Another buffer may get the memory object of one
 * that was freed, but not its time. */
static uint64_t value_of(const spc_arg *arg) {
    const bool is_short = arg->kind == SPC_ARG_I32 || arg->kind == SPC_ARG_F32;
    uint64_t bits = 0;
    if (is_buffer(arg)) return buffer_of(arg) ? buffer_of(arg)->born : 0;
    memcpy(&bits, &arg->as, is_short ? 4 : 8);
    return bits;
}

static cl_int set_arg(cl_kernel kernel, cl_uint index, const spc_arg *arg) {
    const sparcl_buf *buf = buffer_of(arg);
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

/* Arguments that did not change are not set again. Returns the first that cannot be set, or
 * `count`.
 */
static size_t set_args(spc_kernel *kernel, const spc_arg *args, size_t count, cl_int *code) {
    for (size_t i = 0; i < count; ++i) {
        const uint64_t value = value_of(&args[i]);
        if (kernel->is_set[i] && kernel->set[i] == value) continue;
        kernel->is_set[i] = false;
        *code = set_arg(kernel->cl_kernel, (cl_uint)i, &args[i]);
        if (*code != CL_SUCCESS) return i;
        kernel->is_set[i] = true;
        kernel->set[i] = value;
    }
    return count;
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

sparcl_status spc_fail_const(sparcl_ctx *ctx, const char *what) {
    return spc_ctx_fail(ctx, SPARCL_E_ARG,
                        "%s: would write a buffer of memory that may only be read; give a copy",
                        what);
}

static sparcl_status check_results(sparcl_ctx *ctx, const char *name, const spc_arg *args,
                                   size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (args[i].kind == SPC_ARG_OUT && sparcl_buf_is_const(args[i].as.out))
            return spc_fail_const(ctx, name);
    return SPARCL_OK;
}

static sparcl_status enqueue(sparcl_ctx *ctx, spc_kernel *kernel, bool variant, spc_range range,
                             const spc_arg *args, size_t count) {
    const char *const name = kernel->name;
    const size_t global = (size_t)range.global, local = (size_t)range.local;
    cl_int code = CL_SUCCESS;
    if (count > SPC_MAX_ARGS) return fail_launch(ctx, code, name, "arguments:", (long long)count);
    const size_t set = set_args(kernel, args, count, &code);
    if (set < count) return fail_launch(ctx, code, name, "argument", (long long)set);
    code = clEnqueueNDRangeKernel(ctx->cl_queue, kernel->cl_kernel, 1, NULL, &global, &local, 0,
                                  NULL, spc_profile_event(ctx));
    spc_profile_kernel(ctx, code, name, variant, range.global / range.local, range.global);
    ctx->launches += code == CL_SUCCESS;
    touch_results(args, count);
    if (code == CL_SUCCESS) return SPARCL_OK;
    return fail_launch(ctx, code, name, "work-items:", (long long)range.global);
}

/* Drivers may compile a kernel only when it is launched, or when it runs: whoever watches builds
 * waits for that, and an error is found by the next call that waits. */
static sparcl_status build_and_enqueue(sparcl_ctx *ctx, const char *stem, uint32_t options,
                                       const char *name, spc_range range, const spc_arg *args,
                                       size_t count) {
    spc_kernel *kernel = NULL;
    spc_build_begin(ctx, name);
    sparcl_status status = spc_kernel_make(ctx, stem, options, name, &kernel);
    if (status == SPARCL_OK)
        status = enqueue(ctx, kernel, options & SPC_VARIANT, range, args, count);
    if (status == SPARCL_OK && ctx->on_build) (void)clFinish(ctx->cl_queue);
    spc_build_end(ctx);
    return status;
}

sparcl_status spc_launch(sparcl_ctx *ctx, const char *stem, uint32_t options, const char *name,
                         spc_range range, const spc_arg *args, size_t count) {
    SPC_TRY(check_results(ctx, name, args, count));
    if (ctx->forecast) {
        touch_results(args, count);
        return SPARCL_OK;
    }
    spc_kernel *const kernel = spc_kernel_find(ctx, stem, options, name);
    if (!kernel) return build_and_enqueue(ctx, stem, options, name, range, args, count);
    return enqueue(ctx, kernel, options & SPC_VARIANT, range, args, count);
}
