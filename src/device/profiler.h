/* profiler.h: noting how long the device works on each command, where the context was opened so. */
#ifndef SPC_DEVICE_PROFILER_H
#define SPC_DEVICE_PROFILER_H

#include "device/ctx.h"
#include "sparcl/opencl.h"
#include "sparcl/profile.h"

sparcl_status spc_profile_open(sparcl_ctx *ctx, sparcl_error *error);

/* Where the event of the next command is to be written; NULL where nobody asks for it. */
cl_event *spc_profile_event(sparcl_ctx *ctx);
/* That command was enqueued, with code CL_SUCCESS, and was this; or it was not. */
void spc_profile_kernel(sparcl_ctx *ctx, cl_int code, const char *name, bool variant);
void spc_profile_transfer(sparcl_ctx *ctx, cl_int code, sparcl_profile_kind kind, int64_t bytes);
/* The last command, a kernel, did the work of a transfer. */
void spc_profile_was(sparcl_ctx *ctx, sparcl_profile_kind kind, int64_t bytes);
/* The host has built something since `start`. */
void spc_profile_built(sparcl_ctx *ctx, double start);

#endif
