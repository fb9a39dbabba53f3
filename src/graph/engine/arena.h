/* arena.h: the device memory of a graph's values. */
#ifndef SPC_GRAPH_ARENA_H
#define SPC_GRAPH_ARENA_H

#include "base/memory.h"
#include "sparcl/context.h"

/* Buffers that together are one range of addresses. All but the last have `limit` bytes, the
 * largest allocation of the device. */
typedef struct spc_arena {
    sparcl_ctx *ctx;
    sparcl_buf **buffers;
    int count;
    int64_t limit, bytes;
} spc_arena;

void spc_arena_open(spc_arena *arena, sparcl_ctx *ctx);
void spc_arena_close(spc_arena *arena);

/* Have at least `bytes` bytes; when it grows, the old memory is freed first, because both may not
 * fit. Errors are those of the context; the arena is then empty. */
sparcl_status spc_arena_grow(spc_arena *arena, int64_t bytes);

/* The buffer that has an address; NULL for that of a value without bytes after the last one. */
static inline sparcl_buf *spc_arena_buffer(const spc_arena *arena, int64_t at) {
    return at < arena->bytes ? arena->buffers[at / arena->limit] : NULL;
}

#endif
