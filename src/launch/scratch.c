/* scratch.c: a stack of buffers, each as large as the largest request for its level. */
#include "launch/scratch.h"

#include "base/size.h"
#include "device/ctx_impl.h"

int spc_scratch_mark(const sparcl_ctx *ctx) {
    return ctx->scratch_depth;
}

void spc_scratch_release(sparcl_ctx *ctx, int mark) {
    ctx->scratch_depth = mark;
}

static void close_scratch(sparcl_ctx *ctx) {
    for (int i = 0; i < SPC_SCRATCH_DEPTH; ++i) {
        sparcl_buf_free(ctx->scratch[i]);
        ctx->scratch[i] = NULL;
    }
}

sparcl_status spc_scratch_push(sparcl_ctx *ctx, sparcl_buf **buf, int64_t count, size_t size) {
    int64_t bytes = 0;
    *buf = NULL;
    if (!spc_mul_i64(count, (int64_t)size, &bytes))
        return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "scratch: %lld elements of %zu bytes requested",
                            (long long)count, size);
    if (ctx->scratch_depth == SPC_SCRATCH_DEPTH)
        return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "scratch: more than %d buffers in use",
                            SPC_SCRATCH_DEPTH);
    sparcl_buf **place = &ctx->scratch[ctx->scratch_depth];
    if (!*place || (*place)->bytes < bytes) {
        sparcl_buf *larger = NULL;
        spc_ctx_on_close(ctx, close_scratch);
        SPC_TRY(sparcl_buf_create(ctx, &larger, bytes));
        sparcl_buf_free(*place);
        *place = larger;
    }
    ++ctx->scratch_depth;
    *buf = *place;
    return SPARCL_OK;
}
