/* opencl.h: use of the caller's own OpenCL objects; the only header that includes CL/cl.h. */
#ifndef SPARCL_OPENCL_H
#define SPARCL_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "sparcl/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Open a context on the caller's own objects. It retains them; the caller still owns them.
 *
 * `queue` must be an in-order queue of `device` in `context`; desc->device is ignored. With
 * desc->profile it must have been created with CL_QUEUE_PROFILING_ENABLE.
 * Errors    E_ARG: NULL, an out-of-order queue, a queue of another device or context or without the
 *           requested profiling, an invalid descriptor; E_DEVICE: the device cannot be used;
 *           E_UNSUPPORTED: a class that it cannot run; E_MEMORY, E_OPENCL. *ctx is then NULL and
 *           `error`, where not NULL, says why.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_adopt(sparcl_ctx **ctx, cl_context context,
                                                            cl_device_id device,
                                                            cl_command_queue queue,
                                                            const sparcl_ctx_desc *desc,
                                                            sparcl_error *error);

/**
 * Create a buffer on the caller's own memory object (which may be a sub-buffer) of the same
 * cl_context. The object is retained.
 *
 * Errors    E_ARG: NULL, not a buffer, or of another context; E_MEMORY, E_OPENCL. *buf is then
 *           NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_buf_adopt(sparcl_ctx *ctx, sparcl_buf **buf,
                                                            cl_mem memory);

/** The underlying OpenCL objects; not retained for the caller. */
SPARCL_API cl_context sparcl_ctx_cl_context(const sparcl_ctx *ctx);
SPARCL_API cl_device_id sparcl_ctx_cl_device(const sparcl_ctx *ctx);
SPARCL_API cl_command_queue sparcl_ctx_cl_queue(const sparcl_ctx *ctx);
SPARCL_API cl_mem sparcl_buf_cl_mem(const sparcl_buf *buf);

/** Make all later work of the context wait for `count` events; does not wait itself. E_ARG,
 * E_OPENCL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_enqueue_wait(sparcl_ctx *ctx, int count,
                                                                   const cl_event *events);

/** An event that completes when all work enqueued so far is complete. That work is submitted to the
 * device, so that other queues may wait for the event. The caller releases it. E_ARG, E_MEMORY,
 * E_OPENCL: *event is then NULL. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_event(sparcl_ctx *ctx, cl_event *event);

#ifdef __cplusplus
}
#endif

#endif
