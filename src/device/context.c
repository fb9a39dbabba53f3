/* context.c: opening and closing a context, its last error and its log. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/blas.h"
#include "device/ctx_impl.h"
#include "device/launch.h"
#include "device/profiler.h"
#include "device/tuned.h"

sparcl_status spc_ctx_fail(sparcl_ctx *ctx, sparcl_status status, const char *format, ...) {
    va_list args;
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
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
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

const char *sparcl_ctx_build_log(const sparcl_ctx *ctx) {
    return ctx && ctx->build_log ? ctx->build_log : "";
}

int64_t sparcl_ctx_memory(const sparcl_ctx *ctx) {
    return ctx ? ctx->memory : 0;
}

/* A context with its hooks and texts, but without a device yet. */
static sparcl_status make_empty(sparcl_ctx **out, const sparcl_ctx_desc *desc,
                                sparcl_error *error) {
    static const sparcl_ctx_desc all_default = {0};
    if (!desc) desc = &all_default;
    if (desc->reserved[0] || desc->reserved[1])
        return spc_fail(error, SPARCL_E_ARG, "context: reserved fields must be zero");
    if ((int)desc->device_class < 0 || desc->device_class > SPARCL_CLASS_GPU)
        return spc_fail(error, SPARCL_E_ARG, "context: there is no device class %d",
                        (int)desc->device_class);
    sparcl_ctx *ctx = spc_alloc_zero(&desc->allocator, 1, sizeof *ctx);
    if (!ctx) return spc_fail_memory(error, "context", sizeof *ctx);
    ctx->references = 1;
    spc_ctx_salt(ctx);
    ctx->allocator = desc->allocator;
    ctx->log = desc->log;
    ctx->log_user = desc->log_user;
    ctx->forecast = desc->forecast != 0;
    ctx->cache_dir = spc_strdup(&ctx->allocator, desc->cache_dir);
    ctx->kernel_dir = spc_strdup(&ctx->allocator, desc->kernel_dir);
    *out = ctx;
    if ((desc->cache_dir && !ctx->cache_dir) || (desc->kernel_dir && !ctx->kernel_dir))
        return spc_fail(error, SPARCL_E_MEMORY, "context: no host memory for its texts");
    return desc->profile ? spc_profile_open(ctx, error) : SPARCL_OK;
}

static sparcl_class class_of(const sparcl_ctx_desc *desc) {
    return desc ? desc->device_class : SPARCL_CLASS_AUTO;
}

/* Keep a class that the caller forced; lanes need work-groups. */
static sparcl_status settle_class(sparcl_ctx *ctx, sparcl_class forced, sparcl_error *error) {
    ctx->short_loops = spc_device_has_short_loops(&ctx->device);
    if (forced == SPARCL_CLASS_AUTO) return SPARCL_OK;
    if (forced == SPARCL_CLASS_GPU && ctx->device.max_group < SPC_GROUP)
        return spc_fail(error, SPARCL_E_UNSUPPORTED,
                        "context: class gpu needs work-groups of %d, %s has at most %lld",
                        SPC_GROUP, ctx->device.name, (long long)ctx->device.max_group);
    ctx->device.device_class = forced;
    return SPARCL_OK;
}

/* Find the OpenCL handle of list->devices[index]. */
static cl_int find_handle(const sparcl_device *wanted, cl_platform_id *platform, cl_device_id *id) {
    cl_platform_id platforms[64];
    cl_device_id devices[256];
    cl_uint n = 0, platform_count = 0;
    cl_int code = clGetPlatformIDs((cl_uint)SPC_COUNT(platforms), platforms, &platform_count);
    if (code != CL_SUCCESS) return code;
    if ((cl_uint)wanted->platform >= platform_count) return CL_DEVICE_NOT_FOUND;
    *platform = platforms[wanted->platform];
    code = clGetDeviceIDs(*platform, CL_DEVICE_TYPE_ALL, (cl_uint)SPC_COUNT(devices), devices, &n);
    if (code != CL_SUCCESS) return code;
    if ((cl_uint)wanted->number >= n) return CL_DEVICE_NOT_FOUND;
    *id = devices[wanted->number];
    return CL_SUCCESS;
}

static sparcl_status open_device(sparcl_ctx *ctx, const sparcl_device_list *list, int index,
                                 sparcl_class forced, sparcl_error *error) {
    cl_platform_id platform = NULL;
    cl_int code = find_handle(&list->devices[index], &platform, &ctx->cl_device);
    if (code != CL_SUCCESS) return spc_fail_cl(error, code, list->devices[index].name);
    ctx->device = list->devices[index];
    ctx->platform = list->platforms[ctx->device.platform];
    SPC_TRY(settle_class(ctx, forced, error));
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform, 0};
    ctx->cl_context = clCreateContext(properties, 1, &ctx->cl_device, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        ctx->cl_queue = clCreateCommandQueue(ctx->cl_context, ctx->cl_device,
                                             ctx->profile ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    return code == CL_SUCCESS ? SPARCL_OK : spc_fail_cl(error, code, ctx->device.name);
}

sparcl_status sparcl_ctx_open(sparcl_ctx **out, const sparcl_ctx_desc *desc, sparcl_error *error) {
    sparcl_device_list list = {0};
    sparcl_ctx *ctx = NULL;
    int index = 0, matches = 0;
    sparcl_status status = SPARCL_OK;
    if (!out) return spc_fail(error, SPARCL_E_ARG, "context: ctx is NULL");
    *out = NULL;
    SPC_GO(make_empty(&ctx, desc, error));
    SPC_GO(sparcl_device_list_get(&list, &ctx->allocator, error));
    SPC_GO(sparcl_device_select(&list, desc ? desc->device : NULL, &index, &matches, error));
    if (matches > 1)
        spc_ctx_log(ctx, SPARCL_LOG_INFO, "%d devices fit, taken is: %s", matches,
                    list.devices[index].name);
    SPC_GO(open_device(ctx, &list, index, class_of(desc), error));
    SPC_GO(spc_tuning_open(ctx, desc ? desc->tuning : NULL, error));
    *out = ctx;
done:
    sparcl_device_list_free(&list);
    if (status != SPARCL_OK) spc_ctx_unref(ctx);
    return status;
}

static bool queue_fits(cl_command_queue queue, cl_context context, cl_device_id device) {
    cl_context its_context = NULL;
    cl_device_id its_device = NULL;
    return clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &its_context, NULL) ==
               CL_SUCCESS &&
           clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &its_device, NULL) ==
               CL_SUCCESS &&
           its_context == context && its_device == device;
}

static sparcl_status check_adopted(cl_context context, cl_device_id device, cl_command_queue queue,
                                   const sparcl_ctx_desc *desc, sparcl_error *error) {
    cl_command_queue_properties properties = 0;
    if (!context || !device || !queue)
        return spc_fail(error, SPARCL_E_ARG, "adopt: %s is NULL",
                        !context  ? "context"
                        : !device ? "device"
                                  : "queue");
    if (!queue_fits(queue, context, device))
        return spc_fail(error, SPARCL_E_ARG,
                        "adopt: queue does not belong to this context and device");
    const cl_int code =
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (code != CL_SUCCESS) return spc_fail_cl(error, code, "adopt: properties of the queue");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return spc_fail(error, SPARCL_E_ARG,
                        "adopt: queue is out of order; make one without "
                        "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
    if (desc && desc->profile && !(properties & CL_QUEUE_PROFILING_ENABLE))
        return spc_fail(error, SPARCL_E_ARG,
                        "adopt: a profile is wanted of a queue that notes no times; make one with "
                        "CL_QUEUE_PROFILING_ENABLE");
    return SPARCL_OK;
}

static sparcl_status retain_objects(sparcl_ctx *ctx, cl_context context, cl_device_id device,
                                    cl_command_queue queue, sparcl_class forced,
                                    sparcl_error *error) {
    cl_platform_id platform = NULL;
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (code == CL_SUCCESS) code = clRetainContext(context);
    if (code == CL_SUCCESS) {
        ctx->cl_context = context;
        code = clRetainCommandQueue(queue);
    }
    if (code != CL_SUCCESS) return spc_fail_cl(error, code, "adopt");
    ctx->cl_queue = queue;
    ctx->cl_device = device;
    spc_platform_describe(platform, &ctx->platform);
    spc_device_describe(device, -1, -1, &ctx->device);
    if (!ctx->device.usable)
        return spc_fail(error, SPARCL_E_DEVICE, "adopt: device %s cannot be used: %s",
                        ctx->device.name, ctx->device.why_not);
    return settle_class(ctx, forced, error);
}

sparcl_status sparcl_ctx_adopt(sparcl_ctx **out, cl_context context, cl_device_id device,
                               cl_command_queue queue, const sparcl_ctx_desc *desc,
                               sparcl_error *error) {
    sparcl_ctx *ctx = NULL;
    sparcl_status status = SPARCL_OK;
    if (!out) return spc_fail(error, SPARCL_E_ARG, "adopt: ctx is NULL");
    *out = NULL;
    SPC_TRY(check_adopted(context, device, queue, desc, error));
    SPC_GO(make_empty(&ctx, desc, error));
    SPC_GO(retain_objects(ctx, context, device, queue, class_of(desc), error));
    SPC_GO(spc_tuning_open(ctx, desc ? desc->tuning : NULL, error));
    *out = ctx;
done:
    if (status != SPARCL_OK) spc_ctx_unref(ctx);
    return status;
}

void spc_ctx_unref(sparcl_ctx *ctx) {
    if (!ctx || --ctx->references > 0) return;
    spc_profile_close(ctx);
    spc_tuning_close(ctx);
    if (ctx->cl_queue) clReleaseCommandQueue(ctx->cl_queue);
    if (ctx->cl_context) clReleaseContext(ctx->cl_context);
    spc_strfree(&ctx->allocator, ctx->cache_dir);
    spc_strfree(&ctx->allocator, ctx->kernel_dir);
    spc_strfree(&ctx->allocator, ctx->build_log);
    const sparcl_allocator allocator = ctx->allocator;
    spc_free(&allocator, ctx, sizeof *ctx);
}

cl_int spc_finish(const sparcl_ctx *ctx) {
    const cl_int marked = clEnqueueMarkerWithWaitList(ctx->cl_queue, 0, NULL, NULL);
    const cl_int code = clFinish(ctx->cl_queue);
    return code == CL_SUCCESS ? marked : code;
}

void sparcl_ctx_close(sparcl_ctx *ctx) {
    if (!ctx) return;
    spc_finish(ctx);
    spc_blas_close(ctx);
    spc_profile_close(ctx);
    spc_programs_free(ctx);
    for (int i = 0; i < SPC_SCRATCH_DEPTH; ++i) {
        sparcl_buf_free(ctx->scratch[i]);
        ctx->scratch[i] = NULL;
    }
    spc_ctx_unref(ctx);
}

sparcl_status sparcl_ctx_finish(sparcl_ctx *ctx) {
    if (!ctx) return SPARCL_E_ARG;
    const cl_int code = spc_finish(ctx);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "waiting for the device");
}

sparcl_status sparcl_ctx_flush(sparcl_ctx *ctx) {
    if (!ctx) return SPARCL_E_ARG;
    const cl_int code = clFlush(ctx->cl_queue);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "flushing the queue");
}
