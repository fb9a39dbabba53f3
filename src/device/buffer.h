/* buffer.h: creation of buffers, also for launch/transfer.c. */
#ifndef SPC_DEVICE_BUFFER_H
#define SPC_DEVICE_BUFFER_H

#include "device/ctx.h"
#include "sparcl/opencl.h"

/* The checks at the beginning of every call that creates a buffer. */
sparcl_status spc_buf_begin(sparcl_ctx *ctx, sparcl_buf **out, bool has_host, int64_t bytes);
/* sparcl_buf_wrap for a device that shares memory with the host; `access` is an OpenCL flag. */
sparcl_status spc_buf_wrap(sparcl_ctx *ctx, sparcl_buf **buf, cl_mem_flags access, void *host,
                           int64_t bytes);
/* The same for the time of a transfer, which does not count as memory of the device. */
sparcl_status spc_buf_lend(sparcl_ctx *ctx, sparcl_buf **buf, cl_mem_flags access, void *host,
                           int64_t bytes);
/* A buffer whose host memory overlaps these bytes, or NULL. */
const sparcl_buf *spc_buf_on_host(const sparcl_ctx *ctx, const void *host, int64_t bytes);

#endif
