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
    const cl_int code = spc_finish(ctx);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "waiting for the device");
}

sparcl_status sparcl_ctx_flush(sparcl_ctx *ctx) {
    if (!ctx) return SPARCL_E_ARG;
    const cl_int code = clFlush(ctx->cl_queue);
    return code == CL_SUCCESS ? SPARCL_OK : spc_ctx_fail_cl(ctx, code, "flushing the queue");
}
