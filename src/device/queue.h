/* queue.h: waiting for the queue of a context. */
#ifndef SPC_DEVICE_QUEUE_H
#define SPC_DEVICE_QUEUE_H

#include "device/ctx.h"
#include "sparcl/opencl.h"

/* Wait for all work. rusticl (Mesa 22.3) returns from clFinish at once where all work has been
 * flushed; one more command makes it wait. */
cl_int spc_finish(const sparcl_ctx *ctx);

#endif
