/* scratch.h: scratch memory of operations. */
#ifndef SPC_LAUNCH_SCRATCH_H
#define SPC_LAUNCH_SCRATCH_H

#include "device/ctx.h"

/*
 * Scratch memory, a stack: what is pushed after spc_scratch_mark is given back by
 * spc_scratch_release(mark). The queue is in order, so memory given back may be used at once again.
 */
int spc_scratch_mark(const sparcl_ctx *ctx);
sparcl_status spc_scratch_push(sparcl_ctx *ctx, sparcl_buf **buf, int64_t count, size_t size);
void spc_scratch_release(sparcl_ctx *ctx, int mark);

#endif
