/* attach.h: attach a context to a device. */
#ifndef SPC_DEVICE_ATTACH_H
#define SPC_DEVICE_ATTACH_H

#include "device/ctx.h"
#include "sparcl/opencl.h"

/* Select desc.device, and create an OpenCL context and queue on it. */
sparcl_status spc_ctx_select(sparcl_ctx *ctx, const sparcl_ctx_desc *desc, sparcl_error *error);

/* May the caller's objects be adopted? */
sparcl_status spc_ctx_check_adopted(cl_context context, cl_device_id device, cl_command_queue queue,
                                    const sparcl_ctx_desc *desc, sparcl_error *error);
/* Retain the objects, and describe their device. */
sparcl_status spc_ctx_retain(sparcl_ctx *ctx, cl_context context, cl_device_id device,
                             cl_command_queue queue, const sparcl_ctx_desc *desc,
                             sparcl_error *error);

#endif
