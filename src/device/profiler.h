/* profiler.h: records the duration of each command, if the context was opened with profiling. */
#ifndef SPC_DEVICE_PROFILER_H
#define SPC_DEVICE_PROFILER_H

#include "device/ctx.h"
#include "sparcl/opencl.h"
#include "sparcl/profile.h"

sparcl_status spc_profile_open(sparcl_ctx *ctx, sparcl_error *error);

/* The address for the event of the next command; NULL without profiling. */
cl_event *spc_profile_event(sparcl_ctx *ctx);
/* Describe that command. A code other than CL_SUCCESS: it was not enqueued. */
void spc_profile_kernel(sparcl_ctx *ctx, cl_int code, const char *name, bool variant,
                        int64_t groups, int64_t items);
void spc_profile_transfer(sparcl_ctx *ctx, cl_int code, sparcl_profile_kind kind, int64_t bytes);
/* Count the last command, a kernel, as a transfer. */
void spc_profile_relabel(sparcl_ctx *ctx, sparcl_profile_kind kind, int64_t bytes);
/* Add to the build time. */
void spc_profile_built(sparcl_ctx *ctx, double seconds);

#endif
