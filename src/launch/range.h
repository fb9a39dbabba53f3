/* range.h: the number of work-items of a kernel. */
#ifndef SPC_LAUNCH_RANGE_H
#define SPC_LAUNCH_RANGE_H

#include "device/ctx.h"

typedef struct spc_range {
    int64_t global, local;
} spc_range;

/* For kernels with FOR_EACH over n elements. */
spc_range spc_range_each(const sparcl_ctx *ctx, int64_t n);
/* CPU class: the number of workers for `work` units, with at least `grain` units each. */
int64_t spc_workers(const sparcl_ctx *ctx, int64_t work, int64_t grain);
/* Does the device stop the loops of a work-item early? See device/list.h. */
bool spc_has_short_loops(const sparcl_ctx *ctx);
/* E_UNSUPPORTED if it would stop them before `iterations`, which one work-item of `op` may need. */
sparcl_status spc_check_iterations(sparcl_ctx *ctx, const char *op, int64_t iterations);
/* `groups` groups of one item (CPU class) or SPC_GROUP items (GPU class). */
spc_range spc_range_groups(const sparcl_ctx *ctx, int64_t groups);

#endif
