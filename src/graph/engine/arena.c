/* arena.c: the device memory of a graph's values. */
#include "graph/engine/arena.h"

#include "base/size.h"
#include "device/ctx.h"

enum { ALIGNMENT = 256 };

void spc_arena_open(spc_arena *arena, sparcl_ctx *ctx) {
    const int64_t largest = sparcl_ctx_device(ctx)->max_allocation;
    *arena =
        (spc_arena){.ctx = ctx, .limit = spc_max_i64(largest / ALIGNMENT * ALIGNMENT, ALIGNMENT)};
}

void spc_arena_close(spc_arena *arena) {
    for (int i = 0; i < arena->count; ++i)
        sparcl_buf_free(arena->buffers[i]);
    spc_free(spc_ctx_allocator(arena->ctx), arena->buffers,
             (size_t)arena->count * sizeof *arena->buffers);
    arena->buffers = NULL;
    arena->count = 0;
    arena->bytes = 0;
}

static sparcl_status create(spc_arena *arena, int64_t bytes) {
    const int64_t count = spc_ceil_div(bytes, arena->limit);
    if (count < INT32_MAX)
        arena->buffers =
            spc_alloc_zero(spc_ctx_allocator(arena->ctx), (size_t)count, sizeof *arena->buffers);
    if (!arena->buffers)
        return spc_ctx_fail(arena->ctx, SPARCL_E_MEMORY, "graph: no host memory for %lld buffers",
                            (long long)count);
    arena->count = (int)count;
    for (int i = 0; i < arena->count; ++i)
        SPC_TRY(sparcl_buf_create(arena->ctx, &arena->buffers[i],
                                  spc_min_i64(arena->limit, bytes - i * arena->limit)));
    arena->bytes = bytes;
    return SPARCL_OK;
}

sparcl_status spc_arena_grow(spc_arena *arena, int64_t bytes) {
    if (arena->bytes >= bytes) return SPARCL_OK;
    spc_arena_close(arena);
    const sparcl_status status = create(arena, bytes);
    if (status != SPARCL_OK) spc_arena_close(arena);
    return status;
}
