/* interop.c: the OpenCL objects of a context, and events to wait for and to be waited for. */
#include "device/ctx_impl.h"

cl_context sparcl_ctx_cl_context(const sparcl_ctx *ctx) {
    return ctx ? ctx->cl_context : NULL;
}

cl_device_id sparcl_ctx_cl_device(const sparcl_ctx *ctx) {
    return ctx ? ctx->cl_device : NULL;
}

cl_command_queue sparcl_ctx_cl_queue(const sparcl_ctx *ctx) {
    return ctx ? ctx->cl_queue : NULL;
}

cl_mem sparcl_buf_cl_mem(const sparcl_buf *buf) {
    return buf ? buf->memory : NULL;
}

sparcl_status sparcl_ctx_enqueue_wait(sparcl_ctx *ctx, int count, const cl_event *events) {
    if (!ctx) return SPARCL_E_ARG;
    if (count == 0) return SPARCL_OK;
    if (count < 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "enqueue_wait: count is %d, expected 0 or more",
                            count);
    if (!events)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "enqueue_wait: events is NULL, expected %d events",
                            count);
    const cl_int code = clEnqueueBarrierWithWaitList(ctx->cl_queue, (cl_uint)count, events, NULL);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "waiting for events");
}

sparcl_status sparcl_ctx_event(sparcl_ctx *ctx, cl_event *event) {
    if (!ctx) return SPARCL_E_ARG;
    if (!event) return spc_ctx_fail(ctx, SPARCL_E_ARG, "event: event is NULL");
    *event = NULL;
    cl_int code = clEnqueueMarkerWithWaitList(ctx->cl_queue, 0, NULL, event);
    if (code != CL_SUCCESS) return spc_ctx_fail_cl(ctx, code, "marking the queue");
    /* Another queue may only wait for an event that was submitted to the device. */
    code = clFlush(ctx->cl_queue);
    if (code == CL_SUCCESS) return SPARCL_OK;
    clReleaseEvent(*event);
    *event = NULL;
    return spc_ctx_fail_cl(ctx, code, "flushing the queue");
}
