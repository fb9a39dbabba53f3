/* parts.h: into how many parts a pass over n items is cut: each sums up, then begins at a sum. */
#ifndef SPC_PRIM_PARTS_H
#define SPC_PRIM_PARTS_H

#include "base/size.h"
#include "launch/launch.h"
#include "tune/tuned.h"

/* Items that a GPU group takes at least. */
#define SPC_PART_TILE      4096
/* Where loops are short. */
#define SPC_SHORT_PARTS    30000
#define SPC_SHORT_TILE     1024
/* Every part adds the sums of those before it, so there must not be too many. */
#define SPC_PARTS_PER_UNIT 8

/* The tunable says how many items pay for another CPU worker. */
static inline int64_t spc_parts_by(const sparcl_ctx *ctx, int64_t n, spc_tune_id grain) {
    if (spc_has_short_loops(ctx)) /* each goes over all sums before it, and over its items */
        return spc_max_i64(1, spc_min_i64(SPC_SHORT_PARTS, spc_ceil_div(n, SPC_SHORT_TILE)));
    if (!spc_ctx_is_gpu(ctx)) return spc_workers(ctx, n, spc_tuned(ctx, grain, 0));
    const int64_t maximum = spc_ctx_units(ctx) * SPC_PARTS_PER_UNIT;
    return spc_max_i64(1, spc_min_i64(maximum, spc_ceil_div(n, SPC_PART_TILE)));
}

static inline int64_t spc_parts(const sparcl_ctx *ctx, int64_t n) {
    return spc_parts_by(ctx, n, SPC_TUNE_SCAN_GRAIN);
}

#endif
