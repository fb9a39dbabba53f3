/* attach.c: attach a context to a device: a selected one, or that of the caller's own OpenCL
 * objects.
 */
#include "device/attach.h"

#include <string.h>

#include "base/error.h"
#include "device/codes.h"
#include "device/ctx_impl.h"
#include "device/list.h"
#include "device/opening.h"

static sparcl_class class_of(const sparcl_ctx_desc *desc) {
    return desc ? desc->device_class : SPARCL_CLASS_AUTO;
}

/* Use the class that the caller requested; class gpu needs work-groups. */
static sparcl_status set_class(sparcl_ctx *ctx, sparcl_class requested, sparcl_error *error) {
    ctx->short_loops = spc_device_has_short_loops(&ctx->device);
    ctx->keeps_programs = strcmp(ctx->platform.name, "Portable Computing Language") != 0;
    if (requested == SPARCL_CLASS_AUTO) return SPARCL_OK;
    if (requested == SPARCL_CLASS_GPU && ctx->device.max_group < SPC_GROUP)
        return spc_fail(error, SPARCL_E_UNSUPPORTED,
                        "context: class gpu needs work-groups of %d, %s has at most %lld",
                        SPC_GROUP, ctx->device.name, (long long)ctx->device.max_group);
    ctx->device.device_class = requested;
    return SPARCL_OK;
}

/* Find the OpenCL handle of list->devices[index]. */
static cl_int find_handle(const sparcl_device *selected, cl_platform_id *platform,
                          cl_device_id *id) {
    cl_platform_id platforms[64];
    cl_device_id devices[256];
    cl_uint n = 0, platform_count = 0;
    cl_int code = clGetPlatformIDs((cl_uint)SPC_COUNT(platforms), platforms, &platform_count);
    if (code != CL_SUCCESS) return code;
    if ((cl_uint)selected->platform >= platform_count) return CL_DEVICE_NOT_FOUND;
    *platform = platforms[selected->platform];
    code = clGetDeviceIDs(*platform, CL_DEVICE_TYPE_ALL, (cl_uint)SPC_COUNT(devices), devices, &n);
    if (code != CL_SUCCESS) return code;
    if ((cl_uint)selected->number >= n) return CL_DEVICE_NOT_FOUND;
    *id = devices[selected->number];
    return CL_SUCCESS;
}

static cl_int open_handles(sparcl_ctx *ctx, const sparcl_ctx_desc *desc) {
    cl_platform_id platform = NULL;
    cl_int code = find_handle(&ctx->device, &platform, &ctx->cl_device);
    if (code != CL_SUCCESS) return code;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform, 0};
    ctx->cl_context = clCreateContext(properties, 1, &ctx->cl_device, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        ctx->cl_queue =
            clCreateCommandQueue(ctx->cl_context, ctx->cl_device,
                                 desc && desc->profile ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    return code;
}

static sparcl_status open_device(sparcl_ctx *ctx, const sparcl_device_list *list, int index,
                                 const sparcl_ctx_desc *desc, sparcl_error *error) {
    ctx->device = list->devices[index];
    ctx->platform = list->platforms[ctx->device.platform];
    SPC_TRY(set_class(ctx, class_of(desc), error));
    spc_opening_begin();
    const cl_int code = open_handles(ctx, desc);
    spc_opening_end();
    return code == CL_SUCCESS ? SPARCL_OK : spc_fail_cl(error, code, ctx->device.name);
}

sparcl_status spc_ctx_select(sparcl_ctx *ctx, const sparcl_ctx_desc *desc, sparcl_error *error) {
    sparcl_device_list list = {0};
    int index = 0, matches = 0;
    sparcl_status status = SPARCL_OK;
    SPC_GO(sparcl_device_list_get(&list, &ctx->allocator, error));
    SPC_GO(sparcl_device_select(&list, desc ? desc->device : NULL, &index, &matches, error));
    if (matches > 1)
        spc_ctx_log(ctx, SPARCL_LOG_INFO, "%d devices match, selected: %s", matches,
                    list.devices[index].name);
    SPC_GO(open_device(ctx, &list, index, desc, error));
done:
    sparcl_device_list_free(&list);
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

sparcl_status spc_ctx_check_adopted(cl_context context, cl_device_id device, cl_command_queue queue,
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
                        "adopt: queue is out of order; create one without "
                        "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
    if (desc && desc->profile && !(properties & CL_QUEUE_PROFILING_ENABLE))
        return spc_fail(
            error, SPARCL_E_ARG,
            "adopt: desc.profile is set, but the queue does not record times; create one with "
            "CL_QUEUE_PROFILING_ENABLE");
    return SPARCL_OK;
}

sparcl_status spc_ctx_retain(sparcl_ctx *ctx, cl_context context, cl_device_id device,
                             cl_command_queue queue, const sparcl_ctx_desc *desc,
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
    return set_class(ctx, class_of(desc), error);
}
