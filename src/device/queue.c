/* queue.c: waiting for a context's queue, and flushing it. */
#include "device/queue.h"

#include "device/ctx_impl.h"

cl_int spc_finish(const sparcl_ctx *ctx) {
    const cl_int marked = clEnqueueMarkerWithWaitList(ctx->cl_queue, 0, NULL, NULL);
    const cl_int code = clFinish(ctx->cl_queue);
    return code == CL_SUCCESS ? marked : code;
}

sparcl_status sparcl_ctx_finish(sparcl_ctx *ctx) {
    if (!ctx) return SPARCL_E_ARG;
    ++ctx->waits;
    const cl_int code = spc_finish(ctx);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "waiting for the device");
}

sparcl_status sparcl_ctx_throttle(sparcl_ctx *ctx) {
    if (!ctx) return SPARCL_E_ARG;
    cl_event next = NULL, last = ctx->mark;
    if (ctx->forecast) return SPARCL_OK;
    cl_int code = clEnqueueMarkerWithWaitList(ctx->cl_queue, 0, NULL, &next);
    ctx->mark = next;
    if (code == CL_SUCCESS) code = clFlush(ctx->cl_queue);
    if (last) {
        const cl_int waited = clWaitForEvents(1, &last);
        if (code == CL_SUCCESS) code = waited;
        clReleaseEvent(last);
    }
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "waiting for the device");
}

sparcl_status sparcl_ctx_flush(sparcl_ctx *ctx) {
    if (!ctx) return SPARCL_E_ARG;
    const cl_int code = clFlush(ctx->cl_queue);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "flushing the queue");
}
