/* chunks.h: the number of chunks of a pass over n items, such as a prefix sum. */
#ifndef SPC_PRIM_CHUNKS_H
#define SPC_PRIM_CHUNKS_H

#include "base/size.h"
#include "launch/launch.h"
#include "tune/tuned.h"

/* Minimum items of a GPU group: eight for each lane. */
#define SPC_CHUNK_TILE      1024
/* Every chunk adds the sums of all earlier ones, so there must not be too many. */
#define SPC_CHUNKS_PER_UNIT 16
#define SPC_SHORT_CHUNKS    30000 /* where loops are short (device/list.h) */

/* `grain`: the tunable for the items that pay for another CPU worker. */
static inline int64_t spc_chunks_by(const sparcl_ctx *ctx, int64_t n, spc_tune_id grain) {
    if (spc_has_short_loops(ctx)) /* a chunk loops over all earlier sums, and over its items */
        return spc_max_i64(1, spc_min_i64(SPC_SHORT_CHUNKS, spc_ceil_div(n, SPC_CHUNK_TILE)));
    if (!spc_ctx_is_gpu(ctx)) return spc_workers(ctx, n, spc_tuned(ctx, grain, 0));
    const int64_t maximum = spc_ctx_units(ctx) * SPC_CHUNKS_PER_UNIT;
    return spc_max_i64(1, spc_min_i64(maximum, spc_ceil_div(n, SPC_CHUNK_TILE)));
}

static inline int64_t spc_chunks(const sparcl_ctx *ctx, int64_t n) {
    return spc_chunks_by(ctx, n, SPC_TUNE_SCAN_GRAIN);
}

#endif
