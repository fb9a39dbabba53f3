/* open.c: open and close a context: its device, profile and tuning. */
#include "base/error.h"
#include "device/attach.h"
#include "device/ctx_impl.h"
#include "device/profiler.h"
#include "device/queue.h"
#include "tune/tuned.h"

static sparcl_status open_profile(sparcl_ctx *ctx, const sparcl_ctx_desc *desc,
                                  sparcl_error *error) {
    return desc && desc->profile ? spc_profile_open(ctx, error) : SPARCL_OK;
}

static sparcl_status open_tuning(sparcl_ctx *ctx, const sparcl_ctx_desc *desc,
                                 sparcl_error *error) {
    return spc_tuning_open(ctx, desc ? desc->tuning : NULL, error);
}

sparcl_status sparcl_ctx_open(sparcl_ctx **out, const sparcl_ctx_desc *desc, sparcl_error *error) {
    sparcl_ctx *ctx = NULL;
    sparcl_status status = SPARCL_OK;
    if (!out) return spc_fail(error, SPARCL_E_ARG, "context: ctx is NULL");
    *out = NULL;
    SPC_GO(spc_ctx_make(&ctx, desc, error));
    SPC_GO(open_profile(ctx, desc, error));
    SPC_GO(spc_ctx_select(ctx, desc, error));
    SPC_GO(open_tuning(ctx, desc, error));
    *out = ctx;
done:
    if (status != SPARCL_OK) spc_ctx_unref(ctx);
    return status;
}

sparcl_status sparcl_ctx_adopt(sparcl_ctx **out, cl_context context, cl_device_id device,
                               cl_command_queue queue, const sparcl_ctx_desc *desc,
                               sparcl_error *error) {
    sparcl_ctx *ctx = NULL;
    sparcl_status status = SPARCL_OK;
    if (!out) return spc_fail(error, SPARCL_E_ARG, "adopt: ctx is NULL");
    *out = NULL;
    SPC_TRY(spc_ctx_check_adopted(context, device, queue, desc, error));
    SPC_GO(spc_ctx_make(&ctx, desc, error));
    SPC_GO(open_profile(ctx, desc, error));
    SPC_GO(spc_ctx_retain(ctx, context, device, queue, desc, error));
    SPC_GO(open_tuning(ctx, desc, error));
    *out = ctx;
done:
    if (status != SPARCL_OK) spc_ctx_unref(ctx);
    return status;
}

void sparcl_ctx_close(sparcl_ctx *ctx) {
    if (!ctx) return;
    spc_finish(ctx);
    spc_ctx_run_closers(ctx);
    spc_ctx_unref(ctx);
}
