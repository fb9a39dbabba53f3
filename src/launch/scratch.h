/* scratch.h: scratch memory of operations. */
#ifndef SPC_LAUNCH_SCRATCH_H
#define SPC_LAUNCH_SCRATCH_H

#include "device/ctx.h"

/*
 * Scratch memory is a stack: spc_scratch_release(mark) releases all buffers that were pushed after
 * spc_scratch_mark. The queue is in order, so released memory may be reused at once.
 */
int spc_scratch_mark(const sparcl_ctx *ctx);
sparcl_status spc_scratch_push(sparcl_ctx *ctx, sparcl_buf **buf, int64_t count, size_t size);
void spc_scratch_release(sparcl_ctx *ctx, int mark);

#endif
