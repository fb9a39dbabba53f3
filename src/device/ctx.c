/* ctx.c: the parts of a context that need no device: hooks, last error, log, references, and close
 * functions that other files register. */
#include "device/ctx.h"

#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/size.h"
#include "device/codes.h"
#include "device/ctx_impl.h"

sparcl_status spc_ctx_fail(sparcl_ctx *ctx, sparcl_status status, const char *format, ...) {
    va_list args;
    if (!ctx) return SPARCL_E_ARG;
    va_start(args, format);
    spc_fail_v(&ctx->error, status, format, args);
    va_end(args);
    return status;
}

sparcl_status spc_ctx_fail_cl(sparcl_ctx *ctx, cl_int code, const char *what) {
    return spc_fail_cl(&ctx->error, code, what);
}

void spc_ctx_set_error(sparcl_ctx *ctx, const sparcl_error *error) {
    ctx->error = *error;
}

void spc_ctx_log(sparcl_ctx *ctx, sparcl_log_level level, const char *format, ...) {
    char message[1024];
    if (!ctx->log) return;
    SPC_FORMAT(message, format);
    ctx->log(ctx->log_user, level, message);
}

bool spc_ctx_is_gpu(const sparcl_ctx *ctx) {
    return ctx->device.device_class == SPARCL_CLASS_GPU;
}

int64_t spc_ctx_units(const sparcl_ctx *ctx) {
    return ctx->device.units;
}

bool spc_ctx_is_forecast(const sparcl_ctx *ctx) {
    return ctx->forecast;
}

const sparcl_allocator *spc_ctx_allocator(const sparcl_ctx *ctx) {
    return &ctx->allocator;
}

const sparcl_device *sparcl_ctx_device(const sparcl_ctx *ctx) {
    return ctx ? &ctx->device : NULL;
}

const char *sparcl_ctx_platform(const sparcl_ctx *ctx) {
    return ctx ? ctx->platform.name : "";
}

sparcl_class sparcl_ctx_class(const sparcl_ctx *ctx) {
    return ctx && spc_ctx_is_gpu(ctx) ? SPARCL_CLASS_GPU : SPARCL_CLASS_CPU;
}

const sparcl_error *sparcl_ctx_error(const sparcl_ctx *ctx) {
    static const sparcl_error no_context = {SPARCL_E_ARG, 0, "the context is NULL"};
    return ctx ? &ctx->error : &no_context;
}

sparcl_status sparcl_ctx_report(sparcl_ctx *ctx, sparcl_status status, const sparcl_error *found,
                                sparcl_error *error) {
    if (status == SPARCL_OK) return status;
    if (ctx) ctx->error = *found;
    if (error) *error = *found;
    return status;
}

const char *sparcl_ctx_build_log(const sparcl_ctx *ctx) {
    return ctx && ctx->build_log ? ctx->build_log : "";
}

int64_t sparcl_ctx_memory(const sparcl_ctx *ctx) {
    return ctx ? ctx->memory : 0;
}

int64_t sparcl_ctx_peak_memory(const sparcl_ctx *ctx) {
    return ctx ? ctx->peak : 0;
}

/* Two contexts may have the same address, but at different times. */
static uint64_t make_salt(const sparcl_ctx *ctx) {
    struct timespec now = {0};
    (void)timespec_get(&now, TIME_UTC);
    return spc_mix((uint64_t)(uintptr_t)ctx ^
                   spc_mix((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec));
}

sparcl_status sparcl_ctx_set_densify(sparcl_ctx *ctx, sparcl_densify policy, int64_t limit) {
    if (!ctx) return SPARCL_E_ARG;
    if ((int)policy < 0 || policy > SPARCL_DENSIFY_ERROR || limit < 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "set_densify: policy is %d and limit %lld, expected 0 to 2, and at "
                            "least 0",
                            (int)policy, (long long)limit);
    ctx->densify = policy;
    ctx->densify_limit = limit;
    return SPARCL_OK;
}

sparcl_status spc_ctx_check_densify(sparcl_ctx *ctx, const char *op, int64_t dense,
                                    int64_t sparse) {
    if (ctx->densify == SPARCL_DENSIFY_ALLOW || ctx->densify_is_off || dense <= ctx->densify_limit)
        return SPARCL_OK;
    if (ctx->densify == SPARCL_DENSIFY_ERROR)
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                            "%s: the dense array has %lld bytes, the sparse one %lld; "
                            "sparcl_ctx_set_densify allows %lld",
                            op, (long long)dense, (long long)sparse, (long long)ctx->densify_limit);
    spc_ctx_log(ctx, SPARCL_LOG_WARNING, "%s: the dense array has %lld bytes, the sparse one %lld",
                op, (long long)dense, (long long)sparse);
    return SPARCL_OK;
}

void spc_ctx_apply_densify(sparcl_ctx *ctx, bool on) {
    ctx->densify_is_off = !on;
}

sparcl_status spc_ctx_make(sparcl_ctx **out, const sparcl_ctx_desc *desc, sparcl_error *error) {
    static const sparcl_ctx_desc all_default = {0};
    if (!desc) desc = &all_default;
    if (!spc_is_struct_size(desc->size, sizeof *desc))
        return spc_fail(error, SPARCL_E_ARG, "context: size is %zu, expected 0 or %zu", desc->size,
                        sizeof *desc);
    if ((int)desc->device_class < 0 || desc->device_class > SPARCL_CLASS_GPU)
        return spc_fail(error, SPARCL_E_ARG, "context: device class is %d, expected 0 to 2",
                        (int)desc->device_class);
    sparcl_ctx *ctx = spc_alloc_zero(&desc->allocator, 1, sizeof *ctx);
    if (!ctx) return spc_fail_memory(error, "context", sizeof *ctx);
    ctx->references = 1;
    ctx->salt = make_salt(ctx);
    ctx->allocator = desc->allocator;
    ctx->log = desc->log;
    ctx->log_user = desc->log_user;
    ctx->forecast = desc->forecast != 0;
    ctx->cache_dir = spc_strdup(&ctx->allocator, desc->cache_dir);
    ctx->kernel_dir = spc_strdup(&ctx->allocator, desc->kernel_dir);
    *out = ctx;
    if ((desc->cache_dir && !ctx->cache_dir) || (desc->kernel_dir && !ctx->kernel_dir))
        return spc_fail(error, SPARCL_E_MEMORY, "context: no host memory for its strings");
    return SPARCL_OK;
}

void spc_ctx_on_close(sparcl_ctx *ctx, spc_close_fn close) {
    for (int i = 0; i < ctx->closer_count; ++i)
        if (ctx->closers[i] == close) return;
    ctx->closers[ctx->closer_count++] = close;
}

void spc_ctx_run_closers(sparcl_ctx *ctx) {
    while (ctx->closer_count > 0)
        ctx->closers[--ctx->closer_count](ctx);
}

void spc_ctx_unref(sparcl_ctx *ctx) {
    if (!ctx || --ctx->references > 0) return;
    spc_ctx_run_closers(ctx);
    if (ctx->mark) clReleaseEvent(ctx->mark);
    if (ctx->cl_queue) clReleaseCommandQueue(ctx->cl_queue);
    if (ctx->cl_context) clReleaseContext(ctx->cl_context);
    spc_strfree(&ctx->allocator, ctx->cache_dir);
    spc_strfree(&ctx->allocator, ctx->kernel_dir);
    spc_strfree(&ctx->allocator, ctx->build_log);
    const sparcl_allocator allocator = ctx->allocator;
    spc_free(&allocator, ctx, sizeof *ctx);
}
